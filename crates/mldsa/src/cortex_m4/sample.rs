//! Sampling from one stream at a time, out of the interleaved state.
use super::Coefficients;
use crate::{
    encoding::{Compact, Encoding},
    engine::Rho,
    portable::{Poly, coefficients},
    sample::{self, RATE_128, RATE_256, Streams},
};
use core::{array, ptr};
use pqsoc_keccak::{Native, State};

unsafe extern "C" {
    fn pqsoc_mldsa_reject_stored(
        words: *const u32,
        words_end: *const u32,
        out: *mut u32,
        v: *const u32,
        out_end: *const u32,
    ) -> *mut u32;
    fn pqsoc_mldsa_reject_product(
        words: *const u32,
        words_end: *const u32,
        out: *mut u32,
        v: *const u32,
        out_end: *const u32,
    ) -> *mut u32;
    fn pqsoc_mldsa_reject_compact(
        words: *const u32,
        words_end: *const u32,
        out: *mut u8,
        v: *const u32,
        out_end: *const u8,
    ) -> *mut u8;
}

/// One stream.
struct Stream<const RATE: usize>(Native);

impl<const RATE: usize> Streams<1, RATE> for Stream<RATE> {
    fn new(seed: &[u8], [suffix]: [[u8; 2]; 1]) -> Self {
        let mut state = Native::default();
        state.xor(0, seed);
        // FIPS 202, section 6.2 and appendix B.2: the domain bits and padding 0x1f right behind, 0x80 in the last byte.
        state.xor(seed.len(), &[suffix[0], suffix[1], 0x1f]);
        state.xor(8 * RATE - 8, &[0, 0, 0, 0, 0, 0, 0, 0x80]);
        Self(state)
    }

    fn permute(&mut self) {
        self.0.permute();
    }

    fn block(&self, _: usize) -> [u64; RATE] {
        let mut lanes = [[0; 8]; RATE];
        self.0.extract(0, lanes.as_flattened_mut());
        lanes.map(u64::from_le_bytes)
    }
}

/// A block of SHAKE128 as the assembly reads it.
#[repr(align(4))]
struct Block([u8; 8 * RATE_128]);

/// Gives block after block of the stream of A\[row\]\[column\] to `take`, first and end, until it needs no more.
fn expand(rho: &Rho, row: u8, column: u8, mut take: impl FnMut(*const u32, *const u32) -> bool) {
    let mut stream = Stream::<RATE_128>::new(rho, [[column, row]]);
    let mut block = Block([0; 8 * RATE_128]);
    loop {
        stream.permute();
        stream.0.extract(0, &mut block.0);
        let words = block.0.as_ptr_range();
        if !take(words.start.cast(), words.end.cast()) {
            break;
        }
    }
}

/// `out` = A\[row\]\[column\].
pub(super) fn expand_a(out: &mut Coefficients, rho: &Rho, row: u8, column: u8) {
    let out = out.as_mut_ptr_range();
    let mut place = out.start;
    expand(rho, row, column, |words, words_end| {
        // SAFETY: the words are 42, and the assembly writes between `place` and the end of `out`.
        place = unsafe { pqsoc_mldsa_reject_stored(words, words_end, place, ptr::null(), out.end) };
        place < out.end
    });
}

/// `acc` += A\[row\]\[column\] `v`.
pub(super) fn expand_a_product(acc: &mut Coefficients, rho: &Rho, row: u8, column: u8, v: &Coefficients) {
    let acc = acc.as_mut_ptr_range();
    let mut place = acc.start;
    let mut v = v.as_ptr();
    expand(rho, row, column, |words, words_end| {
        // SAFETY: the words are 42, the assembly works between `place` and the end of `acc`, and reads as many of `v`.
        let next = unsafe { pqsoc_mldsa_reject_product(words, words_end, place, v, acc.end) };
        // SAFETY: both are in `acc`; `v` is as long.
        v = unsafe { v.offset(next.offset_from(place)) };
        place = next;
        place < acc.end
    });
}

/// `acc` += A\[row\]\[column\] `v`, with 24 bits a coefficient.
pub(super) fn expand_a_compact(acc: &mut Compact, rho: &Rho, row: u8, column: u8, v: &Coefficients) {
    let acc = acc.as_mut_ptr_range();
    let mut place = acc.start;
    let mut v = v.as_ptr();
    expand(rho, row, column, |words, words_end| {
        // SAFETY: the words are 42, the assembly works between `place` and the end of `acc`, and reads as many of `v`.
        let next = unsafe { pqsoc_mldsa_reject_compact(words, words_end, place, v, acc.end) };
        // SAFETY: both are in `acc`; `v` has as many coefficients.
        v = unsafe { v.offset(next.offset_from(place) / 3) };
        place = next;
        place < acc.end
    });
}

pub(super) fn expand_s(out: &mut [Poly], eta: Encoding, seed: &[u8], mut nonce: u16) {
    for p in out {
        sample::expand_s::<1, Stream<RATE_256>>(coefficients(array::from_mut(p)), eta, seed, &mut nonce);
    }
}

pub(super) fn expand_mask(out: &mut [Poly], gamma1: Encoding, seed: &[u8], mut nonce: u16) {
    for p in out {
        sample::expand_mask::<1, Stream<RATE_256>>(
            coefficients(array::from_mut(p)),
            gamma1,
            seed,
            &mut nonce,
        );
    }
}
