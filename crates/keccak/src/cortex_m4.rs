//! The state for a Cortex-M4 with FPU: bit-interleaved, with the permutation in assembly.
//!
//! Unsafe code: the permutation and the wiping are assembly (cortex_m4.s), called with a pointer to the state's 50
//! words, of which they keep to. They are compiled for targets alone that have their instructions (build.rs).
#![allow(unsafe_code)]

use crate::{
    permutation::ROUND_CONSTANTS,
    state::{LANES, State, extract_lanes, xor_lanes},
};
use core::arch::global_asm;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Words of a state: two a lane, of even and of odd bits.
const WORDS: usize = 2 * LANES;

/// The constants of iota as even and odd bits.
static CONSTANTS: [[u32; 2]; 24] = {
    let mut out = [[0; 2]; 24];
    let mut round = 0;
    while round < out.len() {
        out[round] = interleave(ROUND_CONSTANTS[round]);
        round += 1;
    }
    out
};

global_asm!(include_str!("cortex_m4.s"), constants = sym CONSTANTS);

unsafe extern "C" {
    /// All 24 rounds on 50 words.
    fn pqsoc_keccak_f1600(state: *mut [u32; WORDS]);
    /// Sets 50 words to zero.
    fn pqsoc_keccak_wipe(state: *mut [u32; WORDS]);
    /// Copies `count` lanes, 1 or more, from their words and turns to bytes.
    fn pqsoc_keccak_extract(words: *const [u32; 2], turns: *const [u8; 2], out: *mut [u8; 8], count: usize);
    /// By how much each word in memory has to be rotated to the right to be the true one.
    safe static pqsoc_keccak_turns: [[u8; 2]; LANES];
}

/// Even and odd bits of a lane.
///
/// An index of one of the 64 bits is 6 bits: which word and, in it, b4 to b0. To go from halves to even and odd is to turn
/// these 6 round by one place, which is to exchange the first with b4, with b3 and so on to b0: four instructions each
/// for both words together, two for b4.
#[inline(always)]
const fn interleave(lane: u64) -> [u32; 2] {
    let (low, high) = (lane as u32, (lane >> 32) as u32);
    let (mut x, mut y) = ((low & 0xffff) | (high << 16), (low >> 16) | (high & 0xffff_0000));
    exchange(&mut x, &mut y, 8, 0x00ff_00ff);
    exchange(&mut x, &mut y, 4, 0x0f0f_0f0f);
    exchange(&mut x, &mut y, 2, 0x3333_3333);
    exchange(&mut x, &mut y, 1, 0x5555_5555);
    [x, y]
}

/// Exchanges the bits of `x` that are `by` above `mask` and those of `y` in `mask`.
#[inline(always)]
const fn exchange(x: &mut u32, y: &mut u32, by: u32, mask: u32) {
    let t = ((*x >> by) ^ *y) & mask;
    *y ^= t;
    *x ^= t << by;
}

/// The state for a Cortex-M4, wiped when dropped: [`State`] in about 9 000 cycles a permutation.
pub struct Interleaved([u32; WORDS]);

impl Interleaved {
    fn xor_lane(&mut self, at: usize, lane: u64) {
        if let (Some(words), Some([even, odd])) =
            (self.0.as_chunks_mut::<2>().0.get_mut(at), pqsoc_keccak_turns.get(at))
        {
            let [x, y] = interleave(lane);
            words[0] ^= x.rotate_left((*even).into());
            words[1] ^= y.rotate_left((*odd).into());
        }
    }

    /// Lanes from number `first` on, as many as there are of them and of `out`.
    fn lanes(&self, first: usize, out: &mut [[u8; 8]]) {
        if let (Some(words), Some(turns)) =
            (self.0.as_chunks::<2>().0.get(first..), pqsoc_keccak_turns.get(first..))
        {
            let count = out.len().min(words.len());
            if count > 0 {
                // SAFETY: as many lanes are at each pointer.
                unsafe { pqsoc_keccak_extract(words.as_ptr(), turns.as_ptr(), out.as_mut_ptr(), count) }
            }
        }
    }
}

impl Default for Interleaved {
    fn default() -> Self {
        Self([0; WORDS])
    }
}

impl State for Interleaved {
    fn reset(&mut self) {
        // SAFETY: the pointer is to 50 words that are ours alone for the time.
        unsafe { pqsoc_keccak_wipe(&mut self.0) }
    }

    fn xor(&mut self, offset: usize, bytes: &[u8]) {
        xor_lanes(offset, bytes, |at, lane| self.xor_lane(at, lane));
    }

    fn extract(&self, offset: usize, out: &mut [u8]) {
        extract_lanes(offset, out, |first, lanes| self.lanes(first, lanes));
    }

    fn permute(&mut self) {
        // SAFETY: the pointer is to 50 words that are ours alone for the time.
        unsafe { pqsoc_keccak_f1600(&mut self.0) }
    }
}

impl Zeroize for Interleaved {
    fn zeroize(&mut self) {
        self.reset();
    }
}

impl Drop for Interleaved {
    fn drop(&mut self) {
        self.reset();
    }
}

impl ZeroizeOnDrop for Interleaved {}
