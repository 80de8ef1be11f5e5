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
use zeroize::Zeroize;

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
    fn pqsoc_mldsa_unpack_18(out: *mut u32, out_end: *const u32, bytes: *const u8);
    fn pqsoc_mldsa_unpack_20(out: *mut u32, out_end: *const u32, bytes: *const u8);
}

/// One stream.
#[derive(Default)]
struct Stream<const RATE: usize>(Native);

impl<const RATE: usize> Streams<1, RATE> for Stream<RATE> {
    fn start(&mut self, seed: &[u8], [suffix]: [[u8; 2]; 1]) {
        let Self(state) = self;
        state.xor(0, seed);
        // FIPS 202, section 6.2 and appendix B.2: the domain bits and padding 0x1f right behind, 0x80 in the last byte.
        state.xor(seed.len(), &[suffix[0], suffix[1], 0x1f]);
        state.xor(8 * RATE - 8, &[0, 0, 0, 0, 0, 0, 0, 0x80]);
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

/// Output as the assembly reads it.
#[repr(align(4))]
struct Output<const LEN: usize>([u8; LEN]);

/// A whole block of SHAKE128.
const BLOCK: usize = 8 * RATE_128;
/// A seventh of it: costs 3 % more time and 144 bytes less stack.
const PIECE: usize = BLOCK / 7;

/// Gives `LEN` bytes after `LEN` bytes of the stream of A\[row\]\[column\] to `take`, first word and end, until it needs no more.
#[inline(always)]
fn expand<const LEN: usize>(
    rho: &Rho,
    row: u8,
    column: u8,
    mut take: impl FnMut(*const u32, *const u32) -> bool,
) {
    const { assert!(BLOCK.is_multiple_of(LEN) && LEN.is_multiple_of(12)) }
    let mut stream = Stream::<RATE_128>::default();
    stream.start(rho, [[column, row]]);
    let mut output = Output([0; LEN]);
    let mut at = BLOCK;
    loop {
        if at == BLOCK {
            stream.permute();
            at = 0;
        }
        stream.0.extract(at, &mut output.0);
        at += LEN;
        let words = output.0.as_ptr_range();
        if !take(words.start.cast(), words.end.cast()) {
            break;
        }
    }
}

/// `out` = A\[row\]\[column\].
pub(super) fn expand_a(out: &mut Coefficients, rho: &Rho, row: u8, column: u8) {
    let out = out.as_mut_ptr_range();
    let mut place = out.start;
    expand::<BLOCK>(rho, row, column, |words, words_end| {
        // SAFETY: the words are a multiple of 3, and the assembly writes between `place` and the end of `out`.
        place = unsafe { pqsoc_mldsa_reject_stored(words, words_end, place, ptr::null(), out.end) };
        place < out.end
    });
}

/// `acc` += A\[row\]\[column\] `v`.
pub(super) fn expand_a_product(acc: &mut Coefficients, rho: &Rho, row: u8, column: u8, v: &Coefficients) {
    let acc = acc.as_mut_ptr_range();
    let mut place = acc.start;
    let mut v = v.as_ptr();
    expand::<BLOCK>(rho, row, column, |words, words_end| {
        // SAFETY: the words are a multiple of 3, the assembly works between `place` and the end of `acc`, and reads as many of `v`.
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
    expand::<PIECE>(rho, row, column, |words, words_end| {
        // SAFETY: the words are a multiple of 3, the assembly works between `place` and the end of `acc`, and reads as many of `v`.
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

/// Groups of 8 coefficients of z or y from `BYTES` bytes each, as many as there are of both. FIPS 204, algorithm 19.
pub(super) fn unpack<const BYTES: usize>(out: &mut [[u32; 8]], bytes: &[u8]) {
    const { assert!(BYTES == 18 || BYTES == 20) }
    let (groups, _) = bytes.as_chunks::<BYTES>();
    let (out, _) = out.split_at_mut(out.len().min(groups.len()));
    let out = out.as_flattened_mut().as_mut_ptr_range();
    if out.is_empty() {
        return;
    }
    // SAFETY: there is a group of bytes for each 8 of `out`, and one at least.
    unsafe {
        if BYTES == 18 {
            pqsoc_mldsa_unpack_18(out.start, out.end, groups.as_ptr().cast());
        } else {
            pqsoc_mldsa_unpack_20(out.start, out.end, groups.as_ptr().cast());
        }
    }
}

/// A polynomial of the mask, from groups of `BYTES` bytes. FIPS 204, algorithm 34.
fn expand_mask_of<const BYTES: usize>(out: &mut Coefficients, seed: &[u8], nonce: u16) {
    /// Bytes that are taken out of the state at a time.
    const PIECE: usize = 40;
    let mut stream = Stream::<RATE_256>::default();
    stream.start(seed, [nonce.to_le_bytes()]);
    let mut out = out.as_chunks_mut::<8>().0;
    // What is left, less than a group, and the next piece.
    let mut bytes = [0; PIECE + 20];
    let mut left = 0;
    let mut at = 8 * RATE_256;
    while !out.is_empty() {
        if at == 8 * RATE_256 {
            stream.permute();
            at = 0;
        }
        let len = PIECE.min(8 * RATE_256 - at);
        let end = left + len;
        if let Some(new) = bytes.get_mut(left..end) {
            stream.0.extract(at, new);
        }
        at += len;
        let groups = out.len().min(end / BYTES);
        let (now, later) = out.split_at_mut(groups);
        unpack::<BYTES>(now, &bytes);
        out = later;
        left = end - groups * BYTES;
        if !out.is_empty() {
            bytes.copy_within(end - left..end, 0);
        }
    }
    bytes.zeroize();
}

pub(super) fn expand_mask(out: &mut [Poly], gamma1: Encoding, seed: &[u8], nonce: u16) {
    for (i, p) in (0..).zip(out) {
        let nonce = nonce.wrapping_add(i);
        if gamma1 == Encoding::Z17 {
            expand_mask_of::<18>(&mut p.0, seed, nonce);
        } else {
            expand_mask_of::<20>(&mut p.0, seed, nonce);
        }
    }
}
