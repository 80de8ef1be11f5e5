//! Two states at once in the vector registers that every x86-64 has.
//!
//! Unsafe code: a function compiled for an instruction set may only run where the processor has it. SSE2 is part of
//! x86-64, and this file is compiled for targets that have it enabled alone.
#![allow(unsafe_code)]

use crate::{permutation::ROUND_CONSTANTS, state::LANES};
use core::arch::x86_64::{
    __m128i, _mm_andnot_si128, _mm_cvtsi64_si128, _mm_cvtsi128_si64, _mm_or_si128, _mm_set_epi64x,
    _mm_set1_epi64x, _mm_slli_epi64, _mm_srli_epi64, _mm_unpackhi_epi64, _mm_xor_si128,
};

pub(crate) fn keccak_f1600_pair(states: &mut [[u64; 2]; LANES]) {
    // SAFETY: the target has SSE2 enabled, so whatever runs this has it.
    unsafe { sse2(states) }
}

#[target_feature(enable = "sse2")]
fn sse2(states: &mut [[u64; 2]; LANES]) {
    let mut a = states.map(|[low, high]| _mm_set_epi64x(high as i64, low as i64));
    let (pairs, _) = ROUND_CONSTANTS.as_chunks::<2>();
    for [first, second] in pairs {
        let e = round(&a, *first);
        a = round(&e, *second);
    }
    for (state, lanes) in states.iter_mut().zip(a) {
        *state =
            [_mm_cvtsi128_si64(lanes) as u64, _mm_cvtsi128_si64(_mm_unpackhi_epi64(lanes, lanes)) as u64];
    }
}

/// Rotates each lane left by `LEFT`; `RIGHT` is 64 less that.
#[inline]
#[target_feature(enable = "sse2")]
fn rotate<const LEFT: i32, const RIGHT: i32>(x: __m128i) -> __m128i {
    const { assert!(LEFT + RIGHT == 64) }
    _mm_or_si128(_mm_slli_epi64::<LEFT>(x), _mm_srli_epi64::<RIGHT>(x))
}

/// As the round of one state, on each half of the vectors.
#[inline]
#[target_feature(enable = "sse2")]
fn round(a: &[__m128i; LANES], constant: u64) -> [__m128i; LANES] {
    let mut c = [_mm_cvtsi64_si128(0); 5];
    for x in 0..5 {
        c[x] = _mm_xor_si128(
            _mm_xor_si128(_mm_xor_si128(a[x], a[x + 5]), _mm_xor_si128(a[x + 10], a[x + 15])),
            a[x + 20],
        );
    }
    let mut d = c;
    for x in 0..5 {
        d[x] = _mm_xor_si128(c[(x + 4) % 5], rotate::<1, 63>(c[(x + 1) % 5]));
    }
    let mut out = *a;
    macro_rules! row {
        ($y:expr, $(($at:expr, $left:expr)),*) => {
            let b = [$(rotate::<$left, { 64 - $left }>(_mm_xor_si128(a[$at], d[$at % 5]))),*];
            for x in 0..5 {
                out[$y + x] = _mm_xor_si128(b[x], _mm_andnot_si128(b[(x + 1) % 5], b[(x + 2) % 5]));
            }
        };
    }
    // Shifting by 64 gives 0, so the rotation by 0 is right as well.
    row!(0, (0, 0), (6, 44), (12, 43), (18, 21), (24, 14));
    row!(5, (3, 28), (9, 20), (10, 3), (16, 45), (22, 61));
    row!(10, (1, 1), (7, 6), (13, 25), (19, 8), (20, 18));
    row!(15, (4, 27), (5, 36), (11, 10), (17, 15), (23, 56));
    row!(20, (2, 62), (8, 55), (14, 39), (15, 41), (21, 2));
    out[0] = _mm_xor_si128(out[0], _mm_set1_epi64x(constant as i64));
    out
}
