//! The number-theoretic transform in portable Rust. FIPS 204, section 7.5.
//!
//! Coefficients are unsigned 32-bit words and reduced as late as that allows: 2^32 is more than 512 q. The loops are
//! over whole arrays of at least four, which compilers turn into vector code; nothing depends on values.
use crate::{
    field::{self, R, R2},
    params::{N, Q},
};

/// 1753^brv(k) in Montgomery form: FIPS 204, appendix B.
static ZETAS: [u32; N] = powers(1753);
/// The inverses of [`ZETAS`].
static INVERSE_ZETAS: [u32; N] = powers(power(1753, 511));
/// 2^64 / 256: undoes the eight doublings of the layers, and the factors 2^-32 of a product and of its own multiplication.
const SCALE: u32 = (R2 as u64 * power(256, Q - 2) as u64 % Q as u64) as u32;
/// The scale times the zeta of the last layer, in Montgomery form as `SCALE` is.
const SCALED_ZETA: u32 = (INVERSE_ZETA_1 as u64 * SCALE as u64 % Q as u64) as u32;
/// The inverse of the zeta of the layer of one block, 1753^-128, in plain form.
const INVERSE_ZETA_1: u32 = power(power(1753, 511), 128);

pub(crate) const fn power(base: u32, exponent: u32) -> u32 {
    let (mut result, mut square, mut e) = (1u64, base as u64, exponent);
    while e > 0 {
        if e & 1 == 1 {
            result = result * square % Q as u64;
        }
        square = square * square % Q as u64;
        e >>= 1;
    }
    result as u32
}

const fn powers(root: u32) -> [u32; N] {
    let mut table = [0; N];
    let mut k = 0;
    while k < N {
        table[k] = (power(root, (k as u8).reverse_bits() as u32) as u64 * R as u64 % Q as u64) as u32;
        k += 1;
    }
    table
}

/// Four coefficients.
type Four = [u32; 4];

/// a + zeta b, a - zeta b. In: zeta < q. Out: up to 2q more than a.
#[inline(always)]
fn butterfly(a: &mut u32, b: &mut u32, zeta: u32) {
    let t = field::multiply(*b, zeta);
    (*a, *b) = (*a + t, *a + 2 * Q - t);
}

/// a + b, zeta (a - b). In: both below `bound`, a multiple of q up to 256 q. Out: below 2 `bound` and below 2q.
#[inline(always)]
fn inverse_butterfly(a: &mut u32, b: &mut u32, zeta: u32, bound: u32) {
    let t = *a + bound - *b;
    (*a, *b) = (*a + *b, field::multiply(t, zeta));
}

/// Column j of the 4 by 4 matrix.
#[inline(always)]
fn transpose([a, b, c, d]: [Four; 4]) -> [Four; 4] {
    [[a[0], b[0], c[0], d[0]], [a[1], b[1], c[1], d[1]], [a[2], b[2], c[2], d[2]], [a[3], b[3], c[3], d[3]]]
}

/// Two layers: blocks of `4 LEN`, the first of which is block `FIRST` (a power of two) in the numbering of the zetas.
#[inline(always)]
fn two_layers<const LEN: usize, const FIRST: usize>(p: &mut [u32; N]) {
    let blocks = p.as_chunks_mut::<LEN>().0.as_chunks_mut::<4>().0;
    let zetas = ZETAS[FIRST..].iter().zip(ZETAS[2 * FIRST..].as_chunks::<2>().0);
    for ([a, b, c, d], (&zeta, &[left, right])) in blocks.iter_mut().zip(zetas) {
        for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
            butterfly(a, c, zeta);
            butterfly(b, d, zeta);
            butterfly(a, b, left);
            butterfly(c, d, right);
        }
    }
}

/// Forward transform: FIPS 204, algorithm 41. In: below q. Out: below 17 q.
pub(crate) fn ntt(p: &mut [u32; N]) {
    two_layers::<64, 1>(p);
    two_layers::<16, 4>(p);
    // The last four layers, 16 coefficients at a time; the last two between lanes, hence the transposition.
    let blocks = p.as_chunks_mut::<4>().0.as_chunks_mut::<4>().0;
    let zetas = ZETAS[16..]
        .iter()
        .zip(ZETAS[32..].as_chunks::<2>().0)
        .zip(ZETAS[64..].as_chunks::<4>().0)
        .zip(ZETAS[128..].as_chunks::<8>().0);
    for (block, (((&z8, &[left, right]), z2), z1)) in blocks.iter_mut().zip(zetas) {
        let [mut a, mut b, mut c, mut d] = *block;
        for i in 0..4 {
            butterfly(&mut a[i], &mut c[i], z8);
            butterfly(&mut b[i], &mut d[i], z8);
            butterfly(&mut a[i], &mut b[i], left);
            butterfly(&mut c[i], &mut d[i], right);
        }
        let [mut a, mut b, mut c, mut d] = transpose([a, b, c, d]);
        for i in 0..4 {
            butterfly(&mut a[i], &mut c[i], z2[i]);
            butterfly(&mut b[i], &mut d[i], z2[i]);
            butterfly(&mut a[i], &mut b[i], z1[2 * i]);
            butterfly(&mut c[i], &mut d[i], z1[2 * i + 1]);
        }
        *block = transpose([a, b, c, d]);
    }
}

/// Two layers back: as [`two_layers`], with inputs below `BOUND`, a multiple of q.
#[inline(always)]
fn two_inverse_layers<const LEN: usize, const FIRST: usize, const BOUND: u32>(p: &mut [u32; N]) {
    let blocks = p.as_chunks_mut::<LEN>().0.as_chunks_mut::<4>().0;
    let zetas = INVERSE_ZETAS[FIRST..].iter().zip(INVERSE_ZETAS[2 * FIRST..].as_chunks::<2>().0);
    for ([a, b, c, d], (&zeta, &[left, right])) in blocks.iter_mut().zip(zetas) {
        for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
            inverse_butterfly(a, b, left, BOUND);
            inverse_butterfly(c, d, right, BOUND);
            inverse_butterfly(a, c, zeta, 2 * BOUND);
            inverse_butterfly(b, d, zeta, 2 * BOUND);
        }
    }
}

/// Inverse transform of a product with factor 2^-32, which goes: FIPS 204, algorithm 42. In: below 2q. Out: below q.
pub(crate) fn intt(p: &mut [u32; N]) {
    let blocks = p.as_chunks_mut::<4>().0.as_chunks_mut::<4>().0;
    let zetas = INVERSE_ZETAS[16..]
        .iter()
        .zip(INVERSE_ZETAS[32..].as_chunks::<2>().0)
        .zip(INVERSE_ZETAS[64..].as_chunks::<4>().0)
        .zip(INVERSE_ZETAS[128..].as_chunks::<8>().0);
    for (block, (((&z8, &[left, right]), z2), z1)) in blocks.iter_mut().zip(zetas) {
        let [mut a, mut b, mut c, mut d] = transpose(*block);
        for i in 0..4 {
            inverse_butterfly(&mut a[i], &mut b[i], z1[2 * i], 2 * Q);
            inverse_butterfly(&mut c[i], &mut d[i], z1[2 * i + 1], 2 * Q);
            inverse_butterfly(&mut a[i], &mut c[i], z2[i], 4 * Q);
            inverse_butterfly(&mut b[i], &mut d[i], z2[i], 4 * Q);
        }
        let [mut a, mut b, mut c, mut d] = transpose([a, b, c, d]);
        for i in 0..4 {
            inverse_butterfly(&mut a[i], &mut b[i], left, 8 * Q);
            inverse_butterfly(&mut c[i], &mut d[i], right, 8 * Q);
            inverse_butterfly(&mut a[i], &mut c[i], z8, 16 * Q);
            inverse_butterfly(&mut b[i], &mut d[i], z8, 16 * Q);
        }
        *block = [a, b, c, d];
    }
    two_inverse_layers::<16, 4, { 32 * Q }>(p);
    // The last two layers, with the scale multiplied in.
    let [_, _, left, right, ..] = INVERSE_ZETAS;
    if let [a, b, c, d] = p.as_chunks_mut::<64>().0 {
        for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
            inverse_butterfly(a, b, left, 128 * Q);
            inverse_butterfly(c, d, right, 128 * Q);
            inverse_butterfly(a, c, SCALED_ZETA, 256 * Q);
            inverse_butterfly(b, d, SCALED_ZETA, 256 * Q);
            *a = field::reduce_once(field::multiply(*a, SCALE));
            *b = field::reduce_once(field::multiply(*b, SCALE));
            *c = field::reduce_once(*c);
            *d = field::reduce_once(*d);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some polynomial with coefficients up to q - 1.
    fn any(mut seed: u32) -> [u32; N] {
        [(); N].map(|()| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) % Q
        })
    }

    /// The definition: w_j = w(zeta^(2 brv(j) + 1)). FIPS 204, section 2.5.
    #[test]
    fn forward_is_evaluation() {
        for p in [any(1), [Q - 1; N], core::array::from_fn(|n| if n % 2 == 0 { Q - 1 } else { 0 })] {
            let mut transform = p;
            ntt(&mut transform);
            for (j, &value) in transform.iter().enumerate() {
                assert!(value < 17 * Q);
                let x = u64::from(power(1753, 2 * u32::from((j as u8).reverse_bits()) + 1));
                let at_x = p.iter().rev().fold(0, |sum, &c| (sum * x + u64::from(c)) % u64::from(Q));
                assert_eq!(u64::from(value % Q), at_x, "{j}");
            }
        }
    }

    /// The greatest values allowed, which give the greatest on the way.
    #[test]
    fn inverse_at_its_bounds() {
        for p in
            [any(2), any(3), [2 * Q - 1; N], [0; N], core::array::from_fn(|n| (n as u32 / 128) * (2 * Q - 1))]
        {
            let mut inverse = p;
            intt(&mut inverse);
            assert!(inverse.iter().all(|&c| c < Q));
            ntt(&mut inverse);
            for (c, p) in inverse.iter().zip(p) {
                // intt takes a factor 2^-32 away.
                assert_eq!(c % Q, (u64::from(p) * u64::from(R) % u64::from(Q)) as u32);
            }
        }
    }

    /// X^a X^b = X^(a + b), with X^256 = -1.
    #[test]
    fn products_of_monomials() {
        for (a, b) in [(0, 0), (1, 2), (255, 1), (200, 100), (255, 255)] {
            let monomial = |e: usize| core::array::from_fn(|n| u32::from(n == e));
            let (mut x, mut y): ([u32; N], [u32; N]) = (monomial(a), monomial(b));
            ntt(&mut x);
            ntt(&mut y);
            let mut product = core::array::from_fn(|n| field::multiply(x[n], y[n]));
            intt(&mut product);
            let sign = if a + b < N { 1 } else { Q - 1 };
            assert_eq!(product, core::array::from_fn(|n| if n == (a + b) % N { sign } else { 0 }));
        }
    }
}
