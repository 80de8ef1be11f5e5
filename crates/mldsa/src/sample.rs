//! Sampling from streams of hash output. FIPS 204, section 7.3.
use crate::{
    encoding::Encoding,
    engine::Rho,
    field::from_signed,
    pack::unpack,
    params::{N, Q},
};
use pqsoc_keccak::{Shake128, Shake256};
use zeroize::Zeroize;

/// RejNTTPoly for A\[row\]\[column\]: calls `put` with each coefficient. FIPS 204, algorithms 30 and 32.
#[inline(always)]
pub(crate) fn expand_a(rho: &Rho, row: u8, column: u8, mut put: impl FnMut(u32)) {
    let mut shake = Shake128::new();
    shake.absorb(rho);
    shake.absorb(&[column, row]);
    let mut output = shake.finish();
    let mut block = [0; Shake128::<pqsoc_keccak::Software>::RATE];
    let mut missing = N;
    while missing > 0 {
        output.squeeze(&mut block);
        for &[b0, b1, b2] in block.as_chunks::<3>().0 {
            // FIPS 204, algorithm 14.
            let value = u32::from_le_bytes([b0, b1, b2 & 0x7f, 0]);
            if value < Q && missing > 0 {
                put(value);
                missing -= 1;
            }
        }
    }
}

/// RejBoundedPoly. FIPS 204, algorithm 31.
pub(crate) fn expand_s(out: &mut [u32; N], eta: Encoding, seed: &[u8], nonce: u16) {
    let mut shake = Shake256::new();
    shake.absorb(seed);
    shake.absorb(&nonce.to_le_bytes());
    let mut output = shake.finish();
    let mut block = [0; Shake256::<pqsoc_keccak::Software>::RATE];
    let mut places = out.iter_mut();
    loop {
        output.squeeze(&mut block);
        for half in block.iter().flat_map(|byte| [byte & 15, byte >> 4]).map(i32::from) {
            // FIPS 204, algorithm 15. Which halves are rejected says nothing about those that are not.
            let value = if eta == Encoding::S2 {
                if half == 15 {
                    continue;
                }
                // half mod 5, by a product: 205 / 2^10 is 1 / 5 to within 1 / (5 * 15).
                2 - (half - ((half * 205) >> 10) * 5)
            } else {
                if half > 8 {
                    continue;
                }
                4 - half
            };
            match places.next() {
                Some(place) => *place = from_signed(value),
                None => {
                    block.zeroize();
                    return;
                }
            }
        }
    }
}

/// One polynomial of the mask. FIPS 204, algorithm 34.
pub(crate) fn expand_mask(out: &mut [u32; N], gamma1: Encoding, seed: &[u8], nonce: u16) {
    let mut shake = Shake256::new();
    shake.absorb(seed);
    shake.absorb(&nonce.to_le_bytes());
    let mut bytes = [0; Encoding::Z19.poly_len()];
    let (bytes, _) = bytes.split_at_mut(gamma1.poly_len());
    shake.finish().squeeze(bytes);
    let value = |field| from_signed(gamma1.b() as i32 - field as i32);
    if gamma1 == Encoding::Z17 {
        unpack::<18, _>(bytes, out, value);
    } else {
        unpack::<20, _>(bytes, out, value);
    }
    bytes.zeroize();
}
