//! Messages as digits: FIPS 205, algorithm 4 (base_2b), and the checksum of WOTS+.
use crate::params::{MAX_N, Params, Scheme};

/// The digits that WOTS+ signs for a message of n bytes: len1 of the message, then len2 of the checksum.
/// FIPS 205, algorithm 7, lines 1 to 7, where this is written with an array.
pub struct Digits<'a> {
    params: &'a Params,
    bits: Bits<'a>,
    /// Digits given so far.
    at: usize,
    checksum: u32,
}

impl<'a> Digits<'a> {
    /// The digits of `message`, n bytes of it.
    pub fn new(params: &'a Params, message: &'a [u8; MAX_N]) -> Self {
        Self { params, bits: Bits::new(message), at: 0, checksum: 0 }
    }
}

impl Iterator for Digits<'_> {
    /// In `0..w`.
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let Self { params, bits, at, checksum } = self;
        let top = params.w() - 1;
        let digit = if *at < params.len1() {
            let digit = bits.high_first(params.lg_w);
            *checksum += top - digit;
            digit
        } else if *at < params.len() {
            // base_2b of the checksum shifted to whole bytes: its digits, the highest first.
            (*checksum >> (params.lg_w * (params.len() - 1 - *at))) & top
        } else {
            return None;
        };
        *at += 1;
        Some(digit)
    }
}

/// The indices of the leaves, one a FORS tree, that `md` selects; each in `0..2^a`. FIPS 205, algorithm 16, line 2.
pub(crate) fn fors_indices<'a>(params: &'a Params, md: &'a [u8]) -> impl Iterator<Item = u32> + 'a {
    let mut bits = Bits::new(md);
    (0..params.k).map(move |_| match params.scheme {
        Scheme::SlhDsa => bits.high_first(params.a),
        // The reference code of round 3.1 takes the bits of a byte, and of an index, from the low end.
        #[cfg(feature = "sphincsplus")]
        Scheme::SphincsPlusSimple | Scheme::SphincsPlusRobust => bits.low_first(params.a),
    })
}

/// Reads numbers of a few bits from bytes.
struct Bits<'a> {
    bytes: core::slice::Iter<'a, u8>,
    pending: u64,
    /// Bits in `pending`, less than 8 between two numbers.
    available: usize,
}

impl<'a> Bits<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes: bytes.iter(), pending: 0, available: 0 }
    }

    fn byte(&mut self) -> u64 {
        self.bytes.next().map_or(0, |&byte| u64::from(byte))
    }

    /// The next number of `width` bits, at most 32, high bits first.
    #[inline]
    fn high_first(&mut self, width: usize) -> u32 {
        while self.available < width {
            self.pending = (self.pending << 8) | self.byte();
            self.available += 8;
        }
        self.available -= width;
        ((self.pending >> self.available) & ((1 << width) - 1)) as u32
    }

    /// The next number of `width` bits, at most 32, low bits first.
    #[cfg(feature = "sphincsplus")]
    fn low_first(&mut self, width: usize) -> u32 {
        while self.available < width {
            self.pending |= self.byte() << self.available;
            self.available += 8;
        }
        let number = self.pending & ((1 << width) - 1);
        self.pending >>= width;
        self.available -= width;
        number as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params;

    /// base_2b and the checksum as algorithms 4 and 7 write them, on a big number.
    fn by_definition(params: &Params, message: &[u8]) -> std::vec::Vec<u32> {
        let bit = |bytes: &[u8], at: usize| u32::from(bytes[at / 8] >> (7 - at % 8) & 1);
        let base_2b = |bytes: &[u8], count: usize| {
            let digit = |i: usize| (0..params.lg_w).fold(0, |d, j| 2 * d + bit(bytes, i * params.lg_w + j));
            (0..count).map(digit).collect::<std::vec::Vec<u32>>()
        };
        let mut digits = base_2b(message, params.len1());
        let checksum: u32 = digits.iter().map(|d| params.w() - 1 - d).sum();
        let used = params.len2() * params.lg_w;
        let shifted = checksum << ((8 - used % 8) % 8);
        let bytes = &shifted.to_be_bytes()[4 - used.div_ceil(8)..];
        digits.extend(base_2b(bytes, params.len2()));
        digits
    }

    #[test]
    fn digits_of_every_set() {
        for params in params::ALL {
            for seed in 0..50u8 {
                let mut message = [0; MAX_N];
                for (i, byte) in message.iter_mut().enumerate().take(params.n) {
                    *byte = (i as u8).wrapping_mul(seed).wrapping_add(seed << 3) ^ seed;
                }
                let digits: std::vec::Vec<u32> = Digits::new(params, &message).collect();
                assert_eq!(digits, by_definition(params, &message[..params.n]), "{params}");
            }
        }
    }

    #[test]
    fn extremes() {
        for params in params::ALL {
            for byte in [0, 0xff] {
                let message = [byte; MAX_N];
                let sum: u32 = Digits::new(params, &message).take(params.len1()).sum();
                assert_eq!(sum, if byte == 0 { 0 } else { params.len1() as u32 * (params.w() - 1) });
                assert!(Digits::new(params, &message).all(|d| d < params.w()));
            }
        }
    }

    #[test]
    fn indices() {
        let md = [0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let first: std::vec::Vec<u32> = fors_indices(&params::SLH_DSA_SHA2_128S, &md).take(3).collect();
        assert_eq!(first, [0x123, 0x456, 0x789]);
        #[cfg(feature = "sphincsplus")]
        {
            let first: std::vec::Vec<u32> =
                fors_indices(&params::SPHINCS_SHA2_128S_SIMPLE, &md).take(3).collect();
            assert_eq!(first, [0x412, 0x563, 0xa78]);
        }
    }
}
