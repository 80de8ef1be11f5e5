//! The constants of the transforms: w and round(2^32 w / q), in the order in which they are read.
use crate::{
    field::R,
    ntt::power,
    params::{N, Q},
};

/// 1753, of order 512, and its inverse. FIPS 204, section 2.3.
const ZETA: u32 = 1753;
const INVERSE_ZETA: u32 = power(ZETA, 511);

/// Appends the pair of w.
const fn put<const LEN: usize>(table: &mut [i32; LEN], at: &mut usize, w: u32) {
    let w = if w > Q / 2 { w as i64 - Q as i64 } else { w as i64 };
    table[*at] = w as i32;
    table[*at + 1] = ((2 * (w << 32) + Q as i64).div_euclid(2 * Q as i64)) as i32;
    *at += 2;
}

/// The constant of block k, FIPS 204, appendix B.
const fn zeta(k: usize) -> u32 {
    power(ZETA, (k as u8).reverse_bits() as u32)
}

/// For the forward transform: those of blocks 1 to 3; for each block of 64 coefficients the seven of it, its halves and
/// its quarters, and so for each block of 8, in the order of use there.
pub(super) static FORWARD: [i32; 510] = {
    let mut table = [0; 510];
    let mut at = 0;
    let mut k = 1;
    while k < 4 {
        put(&mut table, &mut at, zeta(k));
        k += 1;
    }
    while k < 8 {
        let (half, quarter) = (2 * k, 4 * k);
        let mut i = 0;
        while i < 7 {
            put(
                &mut table,
                &mut at,
                zeta([k, half, half + 1, quarter, quarter + 1, quarter + 2, quarter + 3][i]),
            );
            i += 1;
        }
        k += 1;
    }
    k = 32;
    while k < 64 {
        let (half, quarter) = (2 * k, 4 * k);
        let mut i = 0;
        while i < 7 {
            put(
                &mut table,
                &mut at,
                zeta([k, half, quarter, quarter + 1, half + 1, quarter + 2, quarter + 3][i]),
            );
            i += 1;
        }
        k += 1;
    }
    table
};

/// exp(-2 pi i exponent / order), so to speak: that power of a root of unity of an order up to 512.
const fn root(order: usize, exponent: usize) -> u32 {
    power(INVERSE_ZETA, (512 / order * exponent) as u32)
}

/// What a product is to be multiplied by besides: 1 / 256 for the layers, and 2^32.
const SCALE: u64 = R as u64 * power(N as u32, Q - 2) as u64 % Q as u64;

/// For the inverse transform: those of layers 2 and 4; for each of 8 places those of layers 8, 16 and 32, and for each of 4
/// blocks the 8 that take the coefficients of that place to the ring; those of blocks 2, 3 and 1.
pub(super) static INVERSE: [i32; 636] = {
    let mut table = [0; 636];
    let mut at = 0;
    put(&mut table, &mut at, root(4, 1));
    put(&mut table, &mut at, root(8, 1));
    put(&mut table, &mut at, root(8, 3));
    let mut place = 0;
    while place < 8 {
        let mut layer = 8;
        while layer <= 32 {
            let mut j = place;
            while j < layer {
                put(&mut table, &mut at, root(2 * layer, j));
                j += 8;
            }
            layer *= 2;
        }
        let mut block = 0;
        while block < 4 {
            // The roots of the block's modulus are this one times those of order 64.
            let beta = power(INVERSE_ZETA, [1, 5, 3, 7][block]);
            let mut j = place;
            while j < 64 {
                put(&mut table, &mut at, (power(beta, j as u32) as u64 * SCALE % Q as u64) as u32);
                j += 8;
            }
            block += 1;
        }
        place += 1;
    }
    put(&mut table, &mut at, power(zeta(2), Q - 2));
    put(&mut table, &mut at, power(zeta(3), Q - 2));
    put(&mut table, &mut at, power(zeta(1), Q - 2));
    table
};
