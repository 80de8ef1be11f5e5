//! Keccak-f\[1600\] on two, four or eight states at once, with SSE2, AVX2 or AVX-512.
//!
//! Unsafe code: a function compiled for an instruction set may only run where the processor has it. SSE2 is part of
//! x86-64, and its function is compiled for targets that have it enabled alone; the kernels [`Avx2`] and [`Avx512`]
//! exist only where `detect` found theirs. Vectors are loaded from and stored to `[u64; 2]`, `[u64; 4]` and `[u64; 8]`,
//! which have their size, with instructions that need no alignment.
#![allow(unsafe_code)]

#[cfg(feature = "std")]
use crate::parallel::Parallel;
use crate::permutation::ROUND_CONSTANTS;
use crate::state::LANES;
use core::arch::x86_64::*;

#[cfg(feature = "std")]
/// Proof that the processor has AVX2: four states at once.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

#[cfg(feature = "std")]
/// Proof that the processor has AVX-512F: eight states at once.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(());

#[cfg(feature = "std")]
impl Avx2 {
    /// The kernel, if the processor has AVX2.
    pub fn detect() -> Option<Self> {
        std::arch::is_x86_feature_detected!("avx2").then_some(Self(()))
    }
}

#[cfg(feature = "std")]
impl Avx512 {
    /// The kernel, if the processor has AVX-512F.
    pub fn detect() -> Option<Self> {
        std::arch::is_x86_feature_detected!("avx512f").then_some(Self(()))
    }
}

#[cfg(feature = "std")]
impl Parallel<4> for Avx2 {
    #[inline]
    fn keccak_f1600(self, states: &mut [[u64; 4]; LANES]) {
        // SAFETY: `self` proves that the processor has AVX2.
        unsafe { avx2(states) }
    }
}

#[cfg(feature = "std")]
impl Parallel<8> for Avx512 {
    #[inline]
    fn keccak_f1600(self, states: &mut [[u64; 8]; LANES]) {
        // SAFETY: `self` proves that the processor has AVX-512F.
        unsafe { avx512(states) }
    }
}

/// All rounds on the vectors `$a`: theta, rho, pi, chi and iota at once, as in the portable permutation.
///
/// `$sum` adds five vectors, `$add` two; `$chi` is x ^ (!y & z); `$rotate` rotates to the left.
macro_rules! rounds {
    ($a:ident, $sum:ident, $add:ident, $chi:ident, $rotate:ident, $splat:ident) => {
        for constant in ROUND_CONSTANTS {
            let c0 = $sum($a[0], $a[5], $a[10], $a[15], $a[20]);
            let c1 = $sum($a[1], $a[6], $a[11], $a[16], $a[21]);
            let c2 = $sum($a[2], $a[7], $a[12], $a[17], $a[22]);
            let c3 = $sum($a[3], $a[8], $a[13], $a[18], $a[23]);
            let c4 = $sum($a[4], $a[9], $a[14], $a[19], $a[24]);
            let d0 = $add(c4, $rotate::<1>(c1));
            let d1 = $add(c0, $rotate::<1>(c2));
            let d2 = $add(c1, $rotate::<1>(c3));
            let d3 = $add(c2, $rotate::<1>(c4));
            let d4 = $add(c3, $rotate::<1>(c0));

            let b0 = $add($a[0], d0);
            let b1 = $rotate::<44>($add($a[6], d1));
            let b2 = $rotate::<43>($add($a[12], d2));
            let b3 = $rotate::<21>($add($a[18], d3));
            let b4 = $rotate::<14>($add($a[24], d4));
            let e0 = $add($chi(b0, b1, b2), $splat(constant as i64));
            let e1 = $chi(b1, b2, b3);
            let e2 = $chi(b2, b3, b4);
            let e3 = $chi(b3, b4, b0);
            let e4 = $chi(b4, b0, b1);

            let b0 = $rotate::<28>($add($a[3], d3));
            let b1 = $rotate::<20>($add($a[9], d4));
            let b2 = $rotate::<3>($add($a[10], d0));
            let b3 = $rotate::<45>($add($a[16], d1));
            let b4 = $rotate::<61>($add($a[22], d2));
            let e5 = $chi(b0, b1, b2);
            let e6 = $chi(b1, b2, b3);
            let e7 = $chi(b2, b3, b4);
            let e8 = $chi(b3, b4, b0);
            let e9 = $chi(b4, b0, b1);

            let b0 = $rotate::<1>($add($a[1], d1));
            let b1 = $rotate::<6>($add($a[7], d2));
            let b2 = $rotate::<25>($add($a[13], d3));
            let b3 = $rotate::<8>($add($a[19], d4));
            let b4 = $rotate::<18>($add($a[20], d0));
            let e10 = $chi(b0, b1, b2);
            let e11 = $chi(b1, b2, b3);
            let e12 = $chi(b2, b3, b4);
            let e13 = $chi(b3, b4, b0);
            let e14 = $chi(b4, b0, b1);

            let b0 = $rotate::<27>($add($a[4], d4));
            let b1 = $rotate::<36>($add($a[5], d0));
            let b2 = $rotate::<10>($add($a[11], d1));
            let b3 = $rotate::<15>($add($a[17], d2));
            let b4 = $rotate::<56>($add($a[23], d3));
            let e15 = $chi(b0, b1, b2);
            let e16 = $chi(b1, b2, b3);
            let e17 = $chi(b2, b3, b4);
            let e18 = $chi(b3, b4, b0);
            let e19 = $chi(b4, b0, b1);

            let b0 = $rotate::<62>($add($a[2], d2));
            let b1 = $rotate::<55>($add($a[8], d3));
            let b2 = $rotate::<39>($add($a[14], d4));
            let b3 = $rotate::<41>($add($a[15], d0));
            let b4 = $rotate::<2>($add($a[21], d1));
            let e20 = $chi(b0, b1, b2);
            let e21 = $chi(b1, b2, b3);
            let e22 = $chi(b2, b3, b4);
            let e23 = $chi(b3, b4, b0);
            let e24 = $chi(b4, b0, b1);

            $a = [
                e0, e1, e2, e3, e4, e5, e6, e7, e8, e9, e10, e11, e12, e13, e14, e15, e16, e17, e18, e19,
                e20, e21, e22, e23, e24,
            ];
        }
    };
}

/// On two states. SSE2 is enabled for the whole target where this is called.
#[cfg(target_feature = "sse2")]
pub(crate) fn keccak_f1600_sse2(states: &mut [[u64; 2]; LANES]) {
    // SAFETY: the target has SSE2 enabled, so whatever runs this has it.
    unsafe { sse2(states) }
}

#[cfg(target_feature = "sse2")]
#[target_feature(enable = "sse2")]
fn sse2(states: &mut [[u64; 2]; LANES]) {
    #[target_feature(enable = "sse2")]
    #[inline]
    fn sum(a: __m128i, b: __m128i, c: __m128i, d: __m128i, e: __m128i) -> __m128i {
        let (ab, cd) = (_mm_xor_si128(a, b), _mm_xor_si128(c, d));
        _mm_xor_si128(_mm_xor_si128(ab, cd), e)
    }
    #[target_feature(enable = "sse2")]
    #[inline]
    fn chi(x: __m128i, y: __m128i, z: __m128i) -> __m128i {
        _mm_xor_si128(x, _mm_andnot_si128(y, z))
    }
    #[target_feature(enable = "sse2")]
    #[inline]
    fn rotate<const BY: i32>(a: __m128i) -> __m128i {
        // By a count in a register, as the other one is not a constant expression; it becomes immediate.
        let (left, right) = (_mm_cvtsi32_si128(BY), _mm_cvtsi32_si128(64 - BY));
        _mm_or_si128(_mm_sll_epi64(a, left), _mm_srl_epi64(a, right))
    }
    // SAFETY: the pointers are to 16 bytes each.
    let mut a = states.each_ref().map(|lane| unsafe { _mm_loadu_si128(lane.as_ptr().cast()) });
    rounds!(a, sum, _mm_xor_si128, chi, rotate, _mm_set1_epi64x);
    for (lane, vector) in states.iter_mut().zip(a) {
        // SAFETY: the pointer is to 16 bytes.
        unsafe { _mm_storeu_si128(lane.as_mut_ptr().cast(), vector) }
    }
}

#[cfg(feature = "std")]
#[target_feature(enable = "avx2")]
fn avx2(states: &mut [[u64; 4]; LANES]) {
    #[target_feature(enable = "avx2")]
    #[inline]
    fn sum(a: __m256i, b: __m256i, c: __m256i, d: __m256i, e: __m256i) -> __m256i {
        let (ab, cd) = (_mm256_xor_si256(a, b), _mm256_xor_si256(c, d));
        _mm256_xor_si256(_mm256_xor_si256(ab, cd), e)
    }
    #[target_feature(enable = "avx2")]
    #[inline]
    fn chi(x: __m256i, y: __m256i, z: __m256i) -> __m256i {
        _mm256_xor_si256(x, _mm256_andnot_si256(y, z))
    }
    #[target_feature(enable = "avx2")]
    #[inline]
    fn rotate<const BY: i32>(a: __m256i) -> __m256i {
        match BY {
            // Whole bytes: one shuffle in the place of three instructions.
            8 => _mm256_shuffle_epi8(
                a,
                _mm256_set_epi64x(
                    0x0e0d_0c0b_0a09_080f,
                    0x0605_0403_0201_0007,
                    0x0e0d_0c0b_0a09_080f,
                    0x0605_0403_0201_0007,
                ),
            ),
            56 => _mm256_shuffle_epi8(
                a,
                _mm256_set_epi64x(
                    0x080f_0e0d_0c0b_0a09,
                    0x0007_0605_0403_0201,
                    0x080f_0e0d_0c0b_0a09,
                    0x0007_0605_0403_0201,
                ),
            ),
            // By a count in a register, as the other one is not a constant expression; it becomes immediate.
            _ => {
                let (left, right) = (_mm_cvtsi32_si128(BY), _mm_cvtsi32_si128(64 - BY));
                _mm256_or_si256(_mm256_sll_epi64(a, left), _mm256_srl_epi64(a, right))
            }
        }
    }
    // SAFETY: the pointers are to 32 bytes each.
    let mut a = states.each_ref().map(|lane| unsafe { _mm256_loadu_si256(lane.as_ptr().cast()) });
    rounds!(a, sum, _mm256_xor_si256, chi, rotate, _mm256_set1_epi64x);
    for (lane, vector) in states.iter_mut().zip(a) {
        // SAFETY: the pointer is to 32 bytes.
        unsafe { _mm256_storeu_si256(lane.as_mut_ptr().cast(), vector) }
    }
}

#[cfg(feature = "std")]
#[target_feature(enable = "avx512f")]
fn avx512(states: &mut [[u64; 8]; LANES]) {
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn sum(a: __m512i, b: __m512i, c: __m512i, d: __m512i, e: __m512i) -> __m512i {
        _mm512_ternarylogic_epi64::<0x96>(_mm512_ternarylogic_epi64::<0x96>(a, b, c), d, e)
    }
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn chi(x: __m512i, y: __m512i, z: __m512i) -> __m512i {
        _mm512_ternarylogic_epi64::<0xd2>(x, y, z)
    }
    // SAFETY: the pointers are to 64 bytes each.
    let mut a = states.each_ref().map(|lane| unsafe { _mm512_loadu_si512(lane.as_ptr().cast()) });
    rounds!(a, sum, _mm512_xor_si512, chi, _mm512_rol_epi64, _mm512_set1_epi64);
    for (lane, vector) in states.iter_mut().zip(a) {
        // SAFETY: the pointer is to 64 bytes.
        unsafe { _mm512_storeu_si512(lane.as_mut_ptr().cast(), vector) }
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;
    use crate::parallel::tests::agrees;

    #[test]
    fn avx2_agrees_with_one_at_a_time() {
        match Avx2::detect() {
            Some(kernel) => agrees(kernel),
            None => std::eprintln!("not run: the processor has no AVX2"),
        }
    }

    #[test]
    fn avx512_agrees_with_one_at_a_time() {
        match Avx512::detect() {
            Some(kernel) => agrees(kernel),
            None => std::eprintln!("not run: the processor has no AVX-512"),
        }
    }
}
