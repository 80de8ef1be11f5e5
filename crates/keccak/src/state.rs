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
        let (head, body) = bytes.split_at(bytes.len().min((8 - offset % 8) % 8));
        for (i, &b) in head.iter().enumerate() {
            self.xor_byte(offset + i, b);
        }
        let start = offset + head.len();
        let (whole, tail) = body.as_chunks::<8>();
        for (lane, bytes) in self.0.iter_mut().skip(start / 8).zip(whole) {
            *lane ^= u64::from_le_bytes(*bytes);
        }
        for (i, &b) in tail.iter().enumerate() {
            self.xor_byte(start + 8 * whole.len() + i, b);
        }
    }

    #[inline]
    fn extract(&self, offset: usize, out: &mut [u8]) {
        let first = out.len().min((8 - offset % 8) % 8);
        let (head, body) = out.split_at_mut(first);
        for (i, b) in head.iter_mut().enumerate() {
            *b = self.byte(offset + i);
        }
        let start = offset + first;
        let (whole, tail) = body.as_chunks_mut::<8>();
        for (lane, bytes) in self.0.iter().skip(start / 8).zip(whole.iter_mut()) {
            *bytes = lane.to_le_bytes();
        }
        let start = start + 8 * whole.len();
        for (i, b) in tail.iter_mut().enumerate() {
            *b = self.byte(start + i);
        }
    }

    fn permute(&mut self) {
        keccak_f1600(&mut self.0);
    }
}

impl Software {
    /// Byte `at`, or 0 past the end, so that no index can panic.
    fn byte(&self, at: usize) -> u8 {
        self.0.get(at / 8).map_or(0, |lane| (lane >> (8 * (at % 8))) as u8)
    }

    fn xor_byte(&mut self, at: usize, value: u8) {
        if let Some(lane) = self.0.get_mut(at / 8) {
            *lane ^= u64::from(value) << (8 * (at % 8));
        }
    }
}
