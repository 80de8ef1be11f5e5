//! Arithmetic modulo q and the rounding of FIPS 204, section 7.4.
//!
//! No function here branches on its inputs, looks anything up by them or divides: quotients by constants are products
//! by a scaled inverse, narrow enough that a compiler finds no division in them, and the tests run over all of `0..q`.
use crate::params::{D, Q};

/// q^-1 mod 2^32.
const Q_INVERSE: u32 = {
    // Each step of Newton's iteration doubles the number of correct bits; q itself has 3.
    let mut inverse = Q;
    let mut bits = 3;
    while bits < 32 {
        inverse = inverse.wrapping_mul(2u32.wrapping_sub(Q.wrapping_mul(inverse)));
        bits *= 2;
    }
    inverse
};

/// 2^32 mod q and 2^64 mod q.
pub(crate) const R: u32 = (1u64 << 32).rem_euclid(Q as u64) as u32;
pub(crate) const R2: u32 = (R as u64 * R as u64 % Q as u64) as u32;

/// x 2^-32 mod q. In: x < 2^32 q. Out: below 2q.
#[inline(always)]
pub const fn montgomery(x: u64) -> u32 {
    // All in 64 bits with masks: that is what vector units multiply.
    let m = ((x & 0xffff_ffff) * Q_INVERSE as u64) & 0xffff_ffff;
    // The low halves of x and m q are the same, so the difference of the high halves, -q < d < q, is exact.
    ((x + ((Q as u64) << 32) - m * Q as u64) >> 32) as u32
}

/// a b 2^-32 mod q. In: a b < 2^32 q. Out: below 2q.
#[inline(always)]
pub const fn multiply(a: u32, b: u32) -> u32 {
    montgomery(a as u64 * b as u64)
}

/// x or x - q. In: x < 2q. Out: below q.
#[inline(always)]
pub(crate) const fn reduce_once(x: u32) -> u32 {
    let t = x.wrapping_sub(Q) as i32;
    (t + ((t >> 31) & Q as i32)) as u32
}

/// x mod q. In: any x. Out: below q.
#[inline(always)]
pub const fn reduce(x: u32) -> u32 {
    // 2^23 = 2^13 - 1 (mod q); x >> 23 is below 2^9, so the sum is below 2^23 + 2^22 < 2q.
    reduce_once((x & 0x7f_ffff) + ((x >> 23) << 13) - (x >> 23))
}

/// x mod q for -q <= x < q. Out: below q.
#[inline(always)]
pub(crate) const fn from_signed(x: i32) -> u32 {
    (x + ((x >> 31) & Q as i32)) as u32
}

/// x or x - q, between -(q - 1) / 2 and (q - 1) / 2: x mod± q. FIPS 204, section 2.3. In: -(q - 1) / 2 <= x < q.
#[inline(always)]
pub const fn centre(x: i32) -> i32 {
    x - (((((Q - 1) / 2) as i32 - x) >> 31) & Q as i32)
}

/// Splits r = r1 2^13 + r0 (mod q) with -2^12 < r0 <= 2^12. FIPS 204, algorithm 35. In: r < q.
#[inline(always)]
pub const fn power2round(r: u32) -> (u32, i32) {
    let r1 = (r + (1 << (D - 1)) - 1) >> D;
    (r1, r as i32 - (r1 << D) as i32)
}

/// (q - 1) / 88, of ML-DSA-44.
pub const GAMMA2_88: u32 = (Q - 1) / 88;
/// (q - 1) / 32, of ML-DSA-65 and -87.
pub const GAMMA2_32: u32 = (Q - 1) / 32;

/// HighBits. FIPS 204, algorithm 37. In: r < q. Out: below 44 or 16.
#[inline(always)]
pub const fn high_bits<const GAMMA2: u32>(r: u32) -> u32 {
    const { assert!(GAMMA2 == GAMMA2_88 || GAMMA2 == GAMMA2_32) }
    // The quotient of r + gamma2 - 1 by 2 gamma2, with the power of two in 2 gamma2 shifted out first.
    if GAMMA2 == GAMMA2_88 {
        // 2 gamma2 = 93 2^11; 45101 / 2^22 is 1 / 93 to within 1 / (93 4138), the greatest x being 4138.
        let x = (r + (GAMMA2 - 1)) >> 11;
        let r1 = ((x * 45_101) >> 22) as i32;
        // 44 stands for r0 = r - q: FIPS 204, algorithm 36, line 4.
        (r1 & ((r1 - 44) >> 31)) as u32
    } else {
        // 2 gamma2 = 1023 2^9; 65601 / 2^26 is 1 / 1023 to within 1 / (1023 16879), the greatest x being 16879.
        let x = (r + (GAMMA2 - 1)) >> 9;
        ((x * 65_601) >> 26) & 15
    }
}

/// Decompose: HighBits and LowBits. FIPS 204, algorithm 36. In: r < q.
#[inline(always)]
pub const fn decompose<const GAMMA2: u32>(r: u32) -> (u32, i32) {
    let r1 = high_bits::<GAMMA2>(r);
    // Beyond q / 2 only where r1 wrapped to 0.
    (r1, centre(r as i32 - (r1 * (2 * GAMMA2)) as i32))
}

/// UseHint. FIPS 204, algorithm 40. In: r < q.
#[inline(always)]
pub const fn use_hint<const GAMMA2: u32>(hint: bool, r: u32) -> u32 {
    let (r1, r0) = decompose::<GAMMA2>(r);
    let m = (Q - 1) / (2 * GAMMA2);
    let up = r0 > 0;
    match (hint, up) {
        (false, _) => r1,
        (true, true) => {
            if r1 == m - 1 {
                0
            } else {
                r1 + 1
            }
        }
        (true, false) => {
            if r1 == 0 {
                m - 1
            } else {
                r1 - 1
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn montgomery_at_its_bounds() {
        let inverse = |x: u64| {
            // 2^-32 = 2^-32 mod q by Fermat.
            let mut power = 1u64;
            for _ in 0..32 {
                power = power * u64::from(Q / 2 + 1) % u64::from(Q);
            }
            x % u64::from(Q) * power % u64::from(Q)
        };
        let top = u64::from(Q) << 32;
        let mut x = 1u64;
        for near in [0, 1, 2, u64::from(Q), 1 << 32, top / 2, top - 2, top - 1].into_iter().chain(
            (0..100_000).map(|_| {
                x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                x % top
            }),
        ) {
            let y = montgomery(near);
            assert!(y < 2 * Q && u64::from(y % Q) == inverse(near), "{near}");
        }
    }

    #[test]
    fn reductions() {
        for x in
            (0..2 * Q).chain(u32::MAX - 2 * Q..=u32::MAX).chain((1..512).flat_map(|n| n * Q - 2..n * Q + 2))
        {
            assert_eq!(reduce(x), x % Q);
        }
        for x in 0..2 * Q {
            assert_eq!(reduce_once(x), x % Q);
        }
        for x in -(Q as i32)..Q as i32 {
            assert_eq!(from_signed(x), x.rem_euclid(Q as i32) as u32 % Q, "{x}");
        }
    }

    /// The definitions of FIPS 204, section 2.3 and algorithms 35, 36 and 40, over every residue.
    #[test]
    fn rounding_of_every_residue() {
        fn centred(r: u32, m: u32) -> i32 {
            let r = (r % m) as i32;
            if r > (m / 2) as i32 { r - m as i32 } else { r }
        }
        fn check<const GAMMA2: u32>(r: u32) {
            let mut r0 = centred(r, 2 * GAMMA2);
            let mut r1 = 0;
            if r as i32 - r0 == Q as i32 - 1 {
                r0 -= 1;
            } else {
                r1 = (r as i32 - r0) as u32 / (2 * GAMMA2);
            }
            assert_eq!(high_bits::<GAMMA2>(r), r1, "{r}");
            assert_eq!(decompose::<GAMMA2>(r), (r1, r0), "{r}");
            assert_eq!(use_hint::<GAMMA2>(false, r), r1);
            let m = (Q - 1) / (2 * GAMMA2);
            let hinted = if r0 > 0 { (r1 + 1) % m } else { (r1 + m - 1) % m };
            assert_eq!(use_hint::<GAMMA2>(true, r), hinted, "{r}");
        }
        for r in 0..Q {
            assert_eq!(centre(r as i32), centred(r, Q));
            let r0 = centred(r, 1 << D);
            assert_eq!(power2round(r), ((r as i32 - r0) as u32 >> D, r0));
            check::<GAMMA2_88>(r);
            check::<GAMMA2_32>(r);
        }
    }

    /// Adds every coefficient operation over all of Z_q into one hash: C2SP's CCTV, ML-DSA/accumulated.
    #[test]
    #[cfg_attr(debug_assertions, ignore = "slow: minutes without optimisation")]
    fn accumulated_field_operations() {
        use core::fmt::Write;
        struct Sink(pqsoc_keccak::Shake128);
        impl Write for Sink {
            fn write_str(&mut self, s: &str) -> core::fmt::Result {
                self.0.absorb(s.as_bytes());
                Ok(())
            }
        }
        fn lines<const GAMMA2: u32>(sink: &mut Sink, r: u32) {
            let (r1, r0) = decompose::<GAMMA2>(r);
            assert_eq!(r1, high_bits::<GAMMA2>(r));
            assert_eq!(r1, use_hint::<GAMMA2>(false, r));
            writeln!(sink, "{r1}\n{}\n{r0}\n{}", use_hint::<GAMMA2>(true, r), r0.abs()).unwrap();
        }
        let mut sink = Sink(pqsoc_keccak::Shake128::new());
        for r in 0..Q {
            let centred = centre(r as i32);
            let (r1, r0) = power2round(r);
            writeln!(sink, "{centred}\n{}\n{r1}\n{}", centred.abs(), from_signed(r0)).unwrap();
            lines::<GAMMA2_88>(&mut sink, r);
            lines::<GAMMA2_32>(&mut sink, r);
        }
        let mut digest = [0; 32];
        sink.0.finish().squeeze(&mut digest);
        assert_eq!(hex::encode(digest), "f930663417278156ab05d940294a77210a809c924d8ab63ec72f4526247602c7");
    }
}
