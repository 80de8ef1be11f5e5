//! Bits to bytes and back: FIPS 204, section 7.1, for fields of the widths that occur.
use crate::params::N;

/// `COUNT` fields of `8 BYTES / COUNT` <= 24 bits, low bits first.
#[inline(always)]
pub(crate) fn fields<const BYTES: usize, const COUNT: usize>(bytes: &[u8; BYTES]) -> [u32; COUNT] {
    let bits = 8 * BYTES / COUNT;
    core::array::from_fn(|i| {
        let (byte, shift) = (i * bits / 8, i * bits % 8);
        let word =
            (0..4).fold(0, |word, n| word | u32::from(bytes.get(byte + n).copied().unwrap_or(0)) << (8 * n));
        word >> shift & ((1 << bits) - 1)
    })
}

/// Calls `update` with each coefficient and its field in `bytes`.
#[inline(always)]
pub(crate) fn update<const BITS: usize, T>(
    bytes: &[u8],
    coefficients: &mut [T],
    update: impl Fn(&mut T, u32),
) {
    for (bytes, out) in bytes.as_chunks::<BITS>().0.iter().zip(coefficients.as_chunks_mut::<8>().0) {
        for (c, field) in out.iter_mut().zip(fields::<BITS, 8>(bytes)) {
            update(c, field);
        }
    }
}

/// Sets each coefficient to `value` of its field in `bytes`. FIPS 204, algorithms 18 and 19.
#[inline(always)]
pub(crate) fn unpack<const BITS: usize, T>(bytes: &[u8], coefficients: &mut [T], value: impl Fn(u32) -> T) {
    update::<BITS, T>(bytes, coefficients, |c, field| *c = value(field));
}

/// Writes `field(c)`, of `BITS` <= 24 bits, for each coefficient c. FIPS 204, algorithms 16 and 17.
#[inline(always)]
pub(crate) fn pack<const BITS: usize>(coefficients: &[u32; N], bytes: &mut [u8], field: impl Fn(u32) -> u32) {
    for (bytes, coefficients) in
        bytes.as_chunks_mut::<BITS>().0.iter_mut().zip(coefficients.as_chunks::<8>().0)
    {
        let (mut bits, mut held) = (0u64, 0);
        let mut bytes = bytes.iter_mut();
        for field in coefficients.map(&field) {
            bits |= u64::from(field) << held;
            held += BITS;
            while held >= 8 {
                if let Some(byte) = bytes.next() {
                    *byte = bits as u8;
                }
                bits >>= 8;
                held -= 8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back<const BITS: usize>() {
        let mut bytes = [0u8; 768];
        let p: [u32; N] = core::array::from_fn(|n| (n as u32).wrapping_mul(0x9e37_79b9) >> (32 - BITS));
        let bytes = &mut bytes[..32 * BITS];
        pack::<BITS>(&p, bytes, |c| c);
        // FIPS 204, algorithm 12: bit j of field i is bit BITS i + j of the string.
        for (n, &c) in p.iter().enumerate() {
            for j in 0..BITS {
                let at = BITS * n + j;
                assert_eq!(u32::from(bytes[at / 8] >> (at % 8) & 1), c >> j & 1);
            }
        }
        let mut back = [0; N];
        unpack::<BITS, _>(bytes, &mut back, |field| field);
        assert_eq!(back, p);
    }

    #[test]
    fn every_width() {
        there_and_back::<3>();
        there_and_back::<4>();
        there_and_back::<6>();
        there_and_back::<10>();
        there_and_back::<13>();
        there_and_back::<18>();
        there_and_back::<20>();
        there_and_back::<24>();
    }
}
