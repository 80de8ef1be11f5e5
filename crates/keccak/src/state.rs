//! The 1600-bit state as a thing that can be kept anywhere.
use crate::permutation::keccak_f1600;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Lanes of the state: 5 × 5 of 64 bits. FIPS 202, section 3.1.
pub const LANES: usize = 25;

/// A Keccak state of 200 bytes and the permutation over it.
///
/// Bytes are numbered as FIPS 202 (section 3.1.2 and appendix B.1) numbers them: byte `8 (5 y + x) + z / 8`
/// holds bits `z..z + 8` of lane `(x, y)`, low bit first. How an implementation stores them (64-bit lanes,
/// interleaved halves, on the other side of a bus) is its own affair.
pub trait State {
    /// Sets every bit to zero.
    fn reset(&mut self);

    /// Adds (exclusive or) `bytes` to the bytes of the state from `offset` on.
    ///
    /// `offset + bytes.len()` is at most 200.
    fn xor(&mut self, offset: usize, bytes: &[u8]);

    /// Copies the bytes of the state from `offset` on to `out`.
    ///
    /// `offset + out.len()` is at most 200.
    fn extract(&self, offset: usize, out: &mut [u8]);

    /// Applies Keccak-f\[1600\]. FIPS 202, section 3.3.
    fn permute(&mut self);
}

/// The portable state: 25 lanes in memory, wiped when dropped.
#[derive(Default, Zeroize, ZeroizeOnDrop)]
pub struct Software([u64; LANES]);

impl Software {
    /// The lanes, in the order of [`State`]'s bytes.
    pub fn lanes(&self) -> &[u64; LANES] {
        &self.0
    }

    /// The lanes, to write to.
    pub fn lanes_mut(&mut self) -> &mut [u64; LANES] {
        &mut self.0
    }
}

impl State for Software {
    fn reset(&mut self) {
        self.0.zeroize();
    }

    #[inline]
    fn xor(&mut self, offset: usize, bytes: &[u8]) {
        xor_lanes(offset, bytes, |at, lane| {
            if let Some(place) = self.0.get_mut(at) {
                *place ^= lane;
            }
        });
    }

    #[inline]
    fn extract(&self, offset: usize, out: &mut [u8]) {
        extract_lanes(offset, out, |first, out| {
            for (out, lane) in out.iter_mut().zip(self.0.iter().skip(first)) {
                *out = lane.to_le_bytes();
            }
        });
    }

    fn permute(&mut self) {
        keccak_f1600(&mut self.0);
    }
}

/// Calls `xor` with the number of each lane that `bytes`, put at `offset`, are in and with what they are of it.
#[inline(always)]
pub(crate) fn xor_lanes(offset: usize, bytes: &[u8], mut xor: impl FnMut(usize, u64)) {
    let part = |bytes: &[u8]| bytes.iter().rev().fold(0, |lane, &byte| (lane << 8) | u64::from(byte));
    let (head, body) = bytes.split_at(bytes.len().min((8 - offset % 8) % 8));
    if !head.is_empty() {
        xor(offset / 8, part(head) << (8 * (offset % 8)));
    }
    let first = offset.div_ceil(8);
    let (whole, tail) = body.as_chunks::<8>();
    for (at, bytes) in (first..).zip(whole) {
        xor(at, u64::from_le_bytes(*bytes));
    }
    if !tail.is_empty() {
        xor(first + whole.len(), part(tail));
    }
}

/// Fills `out` with the bytes at `offset`. `get` gives lanes, from one by number on, low byte first.
#[inline(always)]
pub(crate) fn extract_lanes(offset: usize, out: &mut [u8], get: impl Fn(usize, &mut [[u8; 8]])) {
    let part = |at: usize, skip: usize, out: &mut [u8]| {
        let mut lane = [[0; 8]];
        get(at, &mut lane);
        for (out, byte) in out.iter_mut().zip(lane.as_flattened().iter().skip(skip)) {
            *out = *byte;
        }
        lane.zeroize();
    };
    let (head, body) = out.split_at_mut(out.len().min((8 - offset % 8) % 8));
    if !head.is_empty() {
        part(offset / 8, offset % 8, head);
    }
    let first = offset.div_ceil(8);
    let (whole, tail) = body.as_chunks_mut::<8>();
    get(first, whole);
    if !tail.is_empty() {
        part(first + whole.len(), 0, tail);
    }
}
