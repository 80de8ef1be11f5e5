//! Sampling from streams of hash output. FIPS 204, section 7.3.
//!
//! Polynomials are sampled from `L` streams at a time, one or two, as two Keccak states can go through vector registers
//! together. What differs by `L` is not inlined: a profile that samples one at a time would pay for the frame of two.
use crate::{
    encoding::Encoding,
    engine::Rho,
    field::from_signed,
    pack::fields,
    params::{N, Q},
};
use core::array;
use pqsoc_keccak::{
    LANES,
    parallel::{Baseline, Parallel},
};
use zeroize::Zeroize;

/// Lanes of a block of SHAKE128.
pub(crate) const RATE_128: usize = 21;
/// Lanes of a block of SHAKE256.
pub(crate) const RATE_256: usize = 17;

/// `L` streams of SHAKE output, of a seed that is the same and two bytes that are not. Wiped when dropped.
///
/// The seeds are short: all is absorbed in one block, of `RATE` lanes.
pub(crate) trait Streams<const L: usize, const RATE: usize>: Default {
    /// Absorbs, once. In place, as states are large. `seed` is 32, 48 or 64 bytes.
    fn start(&mut self, seed: &[u8], suffixes: [[u8; 2]; L]);

    /// The next block of each stream.
    fn permute(&mut self);

    /// The lanes of the block of one stream.
    fn block(&self, stream: usize) -> [u64; RATE];
}

/// Streams as states lane by lane.
pub(crate) struct Lanes<const L: usize, const RATE: usize>([[u64; L]; LANES])
where
    Baseline: Parallel<L>;

impl<const L: usize, const RATE: usize> Default for Lanes<L, RATE>
where
    Baseline: Parallel<L>,
{
    #[inline(always)]
    fn default() -> Self {
        Self([[0; L]; LANES])
    }
}

impl<const L: usize, const RATE: usize> Streams<L, RATE> for Lanes<L, RATE>
where
    Baseline: Parallel<L>,
{
    #[inline(always)]
    fn start(&mut self, seed: &[u8], suffixes: [[u8; 2]; L]) {
        let lanes = &mut self.0;
        let words = seed.as_chunks().0;
        for (lane, word) in lanes.iter_mut().zip(words) {
            *lane = [u64::from_le_bytes(*word); L];
        }
        // FIPS 202, section 6.2 and appendix B.2: the domain bits and padding 0x1f right behind, 0x80 in the last byte.
        if let Some(lane) = lanes.get_mut(words.len()) {
            *lane = suffixes.map(|[low, high]| u64::from_le_bytes([low, high, 0x1f, 0, 0, 0, 0, 0]));
        }
        lanes[RATE - 1] = [1 << 63; L];
    }

    #[inline(always)]
    fn permute(&mut self) {
        Baseline.keccak_f1600(&mut self.0);
    }

    #[inline(always)]
    fn block(&self, stream: usize) -> [u64; RATE] {
        let mut block = [0; RATE];
        for (out, lanes) in block.iter_mut().zip(&self.0) {
            *out = lanes.get(stream).copied().unwrap_or(0);
        }
        block
    }
}

impl<const L: usize, const RATE: usize> Drop for Lanes<L, RATE>
where
    Baseline: Parallel<L>,
{
    #[inline(always)]
    fn drop(&mut self) {
        self.0.as_flattened_mut().zeroize();
    }
}

/// The next `L` nonces.
fn next_nonces<const L: usize>(nonce: &mut u16) -> [[u8; 2]; L] {
    array::from_fn(|_| {
        let this = *nonce;
        *nonce = this.wrapping_add(1);
        this.to_le_bytes()
    })
}

/// Eight times three bytes, and of each the 23 low bits. FIPS 204, algorithm 14.
#[inline(always)]
fn candidates(&[x, y, z]: &[u64; 3]) -> [u32; 8] {
    [x, x >> 24, (x >> 48) | (y << 16), y >> 8, y >> 32, (y >> 56) | (z << 8), z >> 16, z >> 40]
        .map(|bits| (bits & 0x7f_ffff) as u32)
}

/// RejNTTPoly for A\[row\]\[column\] of each column: calls `put` with the number of the column in `columns`, with
/// the place of the first coefficient, and with one or eight coefficients. FIPS 204, algorithms 30 and 32.
#[inline(always)]
pub(crate) fn expand_a<const L: usize>(
    rho: &Rho,
    row: u8,
    columns: [u8; L],
    mut put: impl FnMut(usize, usize, &[u32]),
) where
    Baseline: Parallel<L>,
{
    let mut streams = Lanes::<L, RATE_128>::default();
    streams.start(rho, columns.map(|column| [column, row]));
    let mut filled = [0; L];
    while filled.iter().any(|&n| n < N) {
        streams.permute();
        for (stream, n) in filled.iter_mut().enumerate() {
            for lanes in streams.block(stream).as_chunks().0 {
                let values = candidates(lanes);
                if *n + values.len() <= N && values.iter().all(|&value| value < Q) {
                    put(stream, *n, &values);
                    *n += values.len();
                } else {
                    for value in values {
                        if value < Q && *n < N {
                            put(stream, *n, &[value]);
                            *n += 1;
                        }
                    }
                }
            }
        }
    }
}

/// RejBoundedPoly of consecutive nonces. FIPS 204, algorithm 31.
///
/// Which half-bytes are rejected shows in the time, and says nothing about those that are not.
#[inline(never)]
pub(crate) fn expand_s<const L: usize, T: Streams<L, RATE_256>>(
    out: [&mut [u32; N]; L],
    eta: Encoding,
    seed: &[u8],
    nonce: &mut u16,
) {
    let mut streams = T::default();
    streams.start(seed, next_nonces(nonce));
    let mut filled = [0; L];
    let mut out = out;
    while filled.iter().any(|&n| n < N) {
        streams.permute();
        for (stream, (n, out)) in filled.iter_mut().zip(&mut out).enumerate() {
            for lane in streams.block(stream) {
                for shift in (0..64).step_by(4) {
                    // FIPS 204, algorithm 15.
                    let half = ((lane >> shift) & 15) as i32;
                    let (value, accepted) = if eta == Encoding::S2 {
                        // 2 - half mod 5, by a product: 205 / 2^10 is 1 / 5 to within 1 / (5 * 15).
                        (2 - (half - ((half * 205) >> 10) * 5), half < 15)
                    } else {
                        (4 - half, half < 9)
                    };
                    // Written in any case, and written over if rejected.
                    if let Some(place) = out.get_mut(*n) {
                        *place = from_signed(value);
                        *n += usize::from(accepted);
                    }
                }
            }
        }
    }
}

/// Polynomials of the mask, of consecutive nonces. FIPS 204, algorithm 34.
#[inline(always)]
pub(crate) fn expand_mask<const L: usize, T: Streams<L, RATE_256>>(
    out: [&mut [u32; N]; L],
    gamma1: Encoding,
    seed: &[u8],
    nonce: &mut u16,
) {
    if gamma1 == Encoding::Z17 {
        expand_mask_of::<L, 9, 4, T>(out, gamma1, seed, nonce);
    } else {
        expand_mask_of::<L, 5, 2, T>(out, gamma1, seed, nonce);
    }
}

/// `COUNT` coefficients in `BYTES` bytes.
#[inline(never)]
fn expand_mask_of<const L: usize, const BYTES: usize, const COUNT: usize, T: Streams<L, RATE_256>>(
    out: [&mut [u32; N]; L],
    gamma1: Encoding,
    seed: &[u8],
    nonce: &mut u16,
) {
    let mut streams = T::default();
    streams.start(seed, next_nonces(nonce));
    let mut places = out.map(|out| out.as_chunks_mut::<COUNT>().0.iter_mut());
    // What is left of a block, less than `BYTES`, and the next block.
    let mut bytes = [[0; 8 * (RATE_256 + 1)]; L];
    let mut left = 0;
    while places.iter().any(|places| places.len() > 0) {
        streams.permute();
        let end = left + 8 * RATE_256;
        for (stream, (places, bytes)) in places.iter_mut().zip(&mut bytes).enumerate() {
            if let Some(new) = bytes.get_mut(left..end) {
                for (bytes, lane) in new.as_chunks_mut().0.iter_mut().zip(streams.block(stream)) {
                    *bytes = lane.to_le_bytes();
                }
            }
            let groups = bytes.get(..end).unwrap_or(&[]).as_chunks::<BYTES>().0;
            for (group, place) in groups.iter().zip(places) {
                *place = fields(group).map(|field| from_signed(gamma1.b() as i32 - field as i32));
            }
            bytes.copy_within(end - end % BYTES..end, 0);
        }
        left = end % BYTES;
    }
    bytes.as_flattened_mut().zeroize();
}
