//! Keccak-f\[1600\]: FIPS 202, section 3.
use crate::state::LANES;

/// Constants of step iota, one a round. FIPS 202, section 3.2.5.
pub const ROUND_CONSTANTS: [u64; 24] = round_constants();

/// FIPS 202, algorithm 5: bit `t` of the linear feedback shift register x^8 + x^6 + x^5 + x^4 + 1,
/// bit `2^j - 1` of the constant of round `i` being `rc(j + 7 i)`.
const fn round_constants() -> [u64; 24] {
    let mut out = [0; 24];
    let mut register = 1u8;
    let mut round = 0;
    while round < 24 {
        let mut j = 0;
        while j < 7 {
            out[round] |= ((register & 1) as u64) << ((1 << j) - 1);
            register = (register << 1) ^ ((register >> 7) * 0x71);
            j += 1;
        }
        round += 1;
    }
    out
}

/// All 24 rounds in place. FIPS 202, section 3.4.
///
/// Takes the same time whatever the state.
#[inline(never)]
pub fn keccak_f1600(state: &mut [u64; LANES]) {
    let mut a = *state;
    complement(&mut a);
    for constant in ROUND_CONSTANTS {
        a = round(&a, constant);
    }
    complement(&mut a);
    *state = a;
}

/// One round in place, its constant one of [`ROUND_CONSTANTS`]. FIPS 202, section 3.3.
///
/// For checks against hardware that does a round at a time.
pub fn keccak_round(state: &mut [u64; LANES], constant: u64) {
    complement(state);
    *state = round(state, constant);
    complement(state);
}

/// Between rounds six lanes are kept complemented: then chi needs one NOT a row instead of five, which is a
/// seventh of the time where there is no and-not instruction, as on plain x86-64. Keccak implementation overview
/// 3.2, section 2.2.
fn complement(state: &mut [u64; LANES]) {
    // Six statements: a loop that is not unrolled keeps a bounds check.
    state[1] = !state[1];
    state[2] = !state[2];
    state[8] = !state[8];
    state[12] = !state[12];
    state[17] = !state[17];
    state[20] = !state[20];
}

/// theta, rho, pi, chi and iota at once, on a state with complemented lanes. FIPS 202, section 3.2; lane (x, y) is
/// `a[5 * y + x]`.
#[inline(always)]
fn round(a: &[u64; LANES], constant: u64) -> [u64; LANES] {
    let column = |x: usize| a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
    let c = [column(0), column(1), column(2), column(3), column(4)];
    let parity = |x: usize| c[(x + 4) % 5] ^ c[(x + 1) % 5].rotate_left(1);
    let d = [parity(0), parity(1), parity(2), parity(3), parity(4)];
    // Row y of the result is chi of five lanes that pi brings together, B[y, 2x + 3y] = rot(A[x, y]), with
    // b0 ^ (!b1 & b2) and its like turned by De Morgan to fit which of b0..b4 are complemented and which of the
    // results have to be.
    let lane = |at: usize, by: u32| (a[at] ^ d[at % 5]).rotate_left(by);
    let mut out = [0; LANES];

    let [b0, b1, b2, b3, b4] = [lane(0, 0), lane(6, 44), lane(12, 43), lane(18, 21), lane(24, 14)];
    out[0] = b0 ^ (b1 | b2) ^ constant;
    out[1] = b1 ^ (!b2 | b3);
    out[2] = b2 ^ (b3 & b4);
    out[3] = b3 ^ (b4 | b0);
    out[4] = b4 ^ (b0 & b1);

    let [b0, b1, b2, b3, b4] = [lane(3, 28), lane(9, 20), lane(10, 3), lane(16, 45), lane(22, 61)];
    out[5] = b0 ^ (b1 | b2);
    out[6] = b1 ^ (b2 & b3);
    out[7] = b2 ^ (b3 | !b4);
    out[8] = b3 ^ (b4 | b0);
    out[9] = b4 ^ (b0 & b1);

    let [b0, b1, b2, b3, b4] = [lane(1, 1), lane(7, 6), lane(13, 25), !lane(19, 8), lane(20, 18)];
    out[10] = b0 ^ (b1 | b2);
    out[11] = b1 ^ (b2 & !b3);
    out[12] = b2 ^ (b3 & b4);
    out[13] = b3 ^ (b4 | b0);
    out[14] = b4 ^ (b0 & b1);

    let [b0, b1, b2, b3, b4] = [lane(4, 27), lane(5, 36), lane(11, 10), !lane(17, 15), lane(23, 56)];
    out[15] = b0 ^ (b1 & b2);
    out[16] = b1 ^ (b2 | !b3);
    out[17] = b2 ^ (b3 | b4);
    out[18] = b3 ^ (b4 & b0);
    out[19] = b4 ^ (b0 | b1);

    let [b0, b1, b2, b3, b4] = [lane(2, 62), !lane(8, 55), lane(14, 39), lane(15, 41), lane(21, 2)];
    out[20] = b0 ^ (b1 & b2);
    out[21] = b1 ^ (b2 | b3);
    out[22] = b2 ^ (b3 & b4);
    out[23] = b3 ^ (b4 | b0);
    out[24] = b4 ^ (b0 & !b1);
    out
}
