//! The compression functions of SHA-2 in little code and stack.
use super::Sha2Lanes;
use zeroize::Zeroize;

/// One hash at a time in little code: rounds are a loop, and the schedule takes the place of the block's words.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compact;

impl Sha2Lanes for Compact {
    type Lanes<T: Copy> = [T; 1];

    fn sha256(self, states: &mut [[u32; 8]], blocks: &[[u8; 64]]) {
        for (state, block) in states.iter_mut().zip(blocks) {
            compress256(state, block);
        }
    }

    fn sha512(self, states: &mut [[u64; 8]], blocks: &[[u8; 128]]) {
        for (state, block) in states.iter_mut().zip(blocks) {
            compress512(state, block);
        }
    }
}

/// Big-endian words.
#[cfg(thumb2)]
pub(super) fn words<const BYTES: usize, const WORDS: usize>(bytes: &[u8; BYTES]) -> [u32; WORDS] {
    let mut words = [0; WORDS];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    words
}

/// FIPS 180-4, section 4.1: the rotations of Sigma0 and of Sigma1, then of sigma0 and sigma1, whose last is a shift.
macro_rules! compression {
    ($(#[$doc:meta])* $name:ident($word:ty, $bytes:literal, $constants:expr) $big0:tt $big1:tt $small0:tt $small1:tt) => {
        $(#[$doc])*
        fn $name(state: &mut [$word; 8], block: &[u8; $bytes]) {
            let big = |x: $word, [i, j, k]: [u32; 3]| x.rotate_right(i) ^ x.rotate_right(j) ^ x.rotate_right(k);
            let small = |x: $word, [i, j, k]: [u32; 3]| x.rotate_right(i) ^ x.rotate_right(j) ^ (x >> k);
            // W[t] is at t mod 16, where W[t - 16] was.
            let mut w = [0; 16];
            for (word, bytes) in w.iter_mut().zip(block.as_chunks().0) {
                *word = <$word>::from_be_bytes(*bytes);
            }
            let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
            for (t, k) in $constants.enumerate() {
                if t >= 16 {
                    let [second, tenth, fifteenth] = [1, 9, 14].map(|i| w[(t + i) % 16]);
                    let sum = small(second, $small0).wrapping_add(tenth).wrapping_add(small(fifteenth, $small1));
                    w[t % 16] = sum.wrapping_add(w[t % 16]);
                }
                let t1 = h.wrapping_add(k).wrapping_add(w[t % 16]);
                let t1 = t1.wrapping_add(big(e, $big1)).wrapping_add(g ^ (e & (f ^ g)));
                let t2 = big(a, $big0).wrapping_add((a & b) | (c & (a | b)));
                (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(t1), c, b, a, t1.wrapping_add(t2));
            }
            for (word, value) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
                *word = word.wrapping_add(value);
            }
            // The schedule can be run backwards.
            w.zeroize();
        }
    };
}

/// One copy of the constants for both functions.
pub(super) static TABLE: [u64; 80] = K512;

compression! {
    /// FIPS 180-4, section 6.2.2.
    compress256(u32, 64, TABLE.iter().take(64).map(|k| (k >> 32) as u32)) [2, 13, 22] [6, 11, 25] [7, 18, 3] [17, 19, 10]
}

compression! {
    /// FIPS 180-4, section 6.4.2.
    compress512(u64, 128, TABLE.iter().copied()) [28, 34, 39] [14, 18, 41] [1, 8, 7] [19, 61, 6]
}

/// FIPS 180-4, section 4.2.3; the first 64, cut to their high halves, are those of SHA-256 (section 4.2.2).
#[rustfmt::skip]
pub(super) const K512: [u64; 80] = [
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538,
    0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe,
    0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235,
    0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5, 0x983e5152ee66dfab,
    0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
    0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed,
    0x53380d139d95b3df, 0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218,
    0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8, 0x19a4c116b8d2d0c8, 0x1e376c085141ab53,
    0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373,
    0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c,
    0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6,
    0x113f9804bef90dae, 0x1b710b35131c471b, 0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc,
    0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
];

/// FIPS 180-4, section 4.2.2: the high halves of the first 64.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
pub(super) const K256: [u32; 64] = {
    let mut constants = [0; 64];
    let mut i = 0;
    while i < 64 {
        constants[i] = (K512[i] >> 32) as u32;
        i += 1;
    }
    constants
};
