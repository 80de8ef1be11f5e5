//! The engine for a Cortex-M4 with FPU: transforms, products and sampling in assembly, the rest that of [`Portable`].
//!
//! Unsafe code: the assembly (ntt.s, poly.s) is called with pointers to arrays of the lengths that it works on, and keeps to
//! them. It is compiled for targets alone that have its instructions (build.rs).
#![allow(unsafe_code)]

mod constants;
mod sample;

use crate::{
    blank::Blank,
    challenge::{Challenge, MAX_TAU},
    encoding::{Compact, Encoding},
    engine::{Engine, Rho},
    field::{GAMMA2_32, GAMMA2_88, use_hint},
    pack,
    params::{N, Q, T0_LEN, T1_LEN},
    portable::{Poly, Portable, unpack_secret},
};
use constants::{FORWARD, INVERSE};
use core::{arch::global_asm, convert::Infallible};
use pqsoc_keccak::Shake256;
use zeroize::{Zeroize, ZeroizeOnDrop};

global_asm!(include_str!("ntt.s"));
global_asm!(include_str!("poly.s"));

type Coefficients = [u32; N];

unsafe extern "C" {
    fn pqsoc_mldsa_ntt(p: *mut Coefficients, constants: *const [i32; FORWARD.len()]);
    fn pqsoc_mldsa_intt(p: *mut Coefficients, constants: *const [i32; INVERSE.len()]);
    fn pqsoc_mldsa_multiply(out: *mut Coefficients, a: *const Coefficients, b: *const Coefficients);
    fn pqsoc_mldsa_multiply_subtract(acc: *mut Coefficients, a: *const Coefficients, b: *const Coefficients);
    fn pqsoc_mldsa_dot_4(out: *mut Coefficients, a: *const Coefficients, v: *const Coefficients);
    fn pqsoc_mldsa_dot_5(out: *mut Coefficients, a: *const Coefficients, v: *const Coefficients);
    fn pqsoc_mldsa_dot_7(out: *mut Coefficients, a: *const Coefficients, v: *const Coefficients);
    fn pqsoc_mldsa_add(acc: *mut Coefficients, p: *const Coefficients);
    fn pqsoc_mldsa_sub(acc: *mut Coefficients, p: *const Coefficients);
    fn pqsoc_mldsa_norm(p: *const Coefficients, bound: u32) -> i32;
    fn pqsoc_mldsa_low_bits_88(p: *const Coefficients, bound: u32) -> i32;
    fn pqsoc_mldsa_low_bits_32(p: *const Coefficients, bound: u32) -> i32;
    fn pqsoc_mldsa_challenge_product(
        acc: *mut Coefficients,
        narrow: *const [i8; N + 32],
        terms: *const u16,
        terms_end: *const u16,
    );
    fn pqsoc_mldsa_wide_product_0(
        acc: *mut Coefficients,
        wide: *const [i16; 16 + N / 2 + 16],
        terms: *const u16,
        terms_end: *const u16,
        first: i32,
    );
    fn pqsoc_mldsa_wide_product_13(
        acc: *mut Coefficients,
        wide: *const [i16; 16 + N / 2 + 16],
        terms: *const u16,
        terms_end: *const u16,
        first: i32,
    );
    fn pqsoc_mldsa_pack_w1_88(out: *mut u32, w: *const u32, w_end: *const u32);
    fn pqsoc_mldsa_pack_w1_32(out: *mut u32, w: *const u32, w_end: *const u32);
}

/// The engine for a Cortex-M4 with FPU: no state, cannot fail.
#[derive(Clone, Copy, Debug, Default)]
pub struct CortexM4;

/// A polynomial of s1 or s2, to be multiplied by the terms of a challenge: behind the negatives of its last 32 coefficients. So, of
/// its product with a power of X, any 32 coefficients are in one piece here, or their negatives are. Much smaller than a
/// transform, and slower. Wiped when dropped.
#[derive(Zeroize, ZeroizeOnDrop)]
struct Narrow([i8; N + 32]);

impl Narrow {
    const BLANK: Self = Self([0; N + 32]);

    /// In place, as a value that is returned is there twice.
    fn unpack(&mut self, encoding: Encoding, bytes: &[u8]) {
        let (negatives, own) = self.0.split_at_mut(32);
        if let Some(own) = own.first_chunk_mut() {
            unpack_secret(own, encoding, bytes);
        }
        for (negative, c) in negatives.iter_mut().rev().zip(own.iter().rev()) {
            *negative = -*c;
        }
    }
}

/// Calls `f` with the first and the end of each `most` terms of a challenge.
fn for_terms(terms: &[u16], most: usize, mut f: impl FnMut(*const u16, *const u16)) {
    for terms in terms.chunks(most.max(1)) {
        let terms = terms.as_ptr_range();
        f(terms.start, terms.end);
    }
}

/// `acc` += `c` times a polynomial of s1 or s2: 32 coefficients at a time.
#[inline(never)]
fn add_narrow_product(acc: &mut Coefficients, c: &Challenge, encoding: Encoding, bytes: &[u8]) {
    let mut narrow = Narrow::BLANK;
    narrow.unpack(encoding, bytes);
    // The sum, of up to 2 or 4 each, is below 2^7.
    let most = if encoding == Encoding::S2 { MAX_TAU } else { MAX_TAU / 2 };
    for_terms(c.terms(), most, |terms, end| {
        // SAFETY: the pointers are to as many values as the assembly takes; there is a term.
        unsafe { pqsoc_mldsa_challenge_product(acc, &narrow.0, terms, end) }
    });
}

/// Half a polynomial of t0 or t1, to be multiplied by the terms of a challenge: between zeros, so that of its product with a power
/// of X any 16 coefficients are in one piece, or their negatives are. Wiped when dropped.
#[derive(Zeroize, ZeroizeOnDrop)]
struct Half([i16; 16 + N / 2 + 16]);

impl Half {
    const BLANK: Self = Self([0; 16 + N / 2 + 16]);

    fn coefficients(&mut self) -> &mut [i16] {
        self.0.get_mut(16..16 + N / 2).unwrap_or(&mut [])
    }
}

/// The halves of a packed polynomial, and minus the place of the first coefficient.
fn halves(bytes: &[u8]) -> impl Iterator<Item = (&[u8], i32)> {
    let (low, high) = bytes.split_at(bytes.len() / 2);
    [(low, 0), (high, -(N as i32 / 2))].into_iter()
}

/// `acc` += `c` times a polynomial of t0: 16 coefficients at a time.
#[inline(never)]
fn add_wide_product(acc: &mut Coefficients, c: &Challenge, bytes: &[u8]) {
    let b = Encoding::T0.b() as i16;
    let mut half = Half::BLANK;
    for (bytes, first) in halves(bytes) {
        pack::unpack::<13, _>(bytes, half.coefficients(), |field| b - field as i16);
        // The sum of 7 is below 2^15.
        for_terms(c.terms(), 7, |terms, end| {
            // SAFETY: the pointers are to as many values as the assembly takes; there is a term.
            unsafe { pqsoc_mldsa_wide_product_0(acc, &half.0, terms, end, first) }
        });
    }
}

/// Bytes that the assembly writes as words.
#[repr(align(4))]
struct Packed([u8; 48]);

/// Operations that [`Portable`] does, on the same polynomials.
macro_rules! portable {
    ($(fn $name:ident(&mut self $(, $argument:ident: $type:ty)*) -> $result:ty;)*) => {$(
        #[inline]
        fn $name(&mut self $(, $argument: $type)*) -> $result {
            Portable.$name($($argument),*)
        }
    )*};
}

type Done = Result<(), Infallible>;

/// As in [`Portable`], coefficients are in 0..q. Transforms are up to 5 q, products, which carry a factor 2^-32, up to 8 q in
/// absolute value, in two's complement.
impl Engine for CortexM4 {
    type Poly = Poly;
    /// Transformed.
    type Secret = Poly;
    /// Transformed.
    type Challenge = Poly;
    type Hash = Shake256;
    type Error = Infallible;

    portable! {
        fn load(&mut self, out: &mut Poly, coefficients: &[u32; N]) -> Done;
        fn copy(&mut self, out: &mut Poly, p: &Poly) -> Done;
        fn clear(&mut self, out: &mut Poly) -> Done;
        fn load_challenge(&mut self, out: &mut Poly, c: &Challenge) -> Done;
        fn add_packed(&mut self, acc: &mut Poly, encoding: Encoding, bytes: &[u8]) -> Done;
        fn pack(&mut self, p: &Poly, encoding: Encoding, bytes: &mut [u8]) -> Done;
        fn unpack_t1(&mut self, out: &mut Poly, bytes: &[u8; T1_LEN]) -> Done;
        fn power2round(&mut self, t: &Poly, t1: &mut [u8; T1_LEN], t0: &mut [u8; T0_LEN]) -> Done;
        fn compress(&mut self, p: &Poly, out: &mut Compact) -> Done;
        fn restore(&mut self, out: &mut Poly, compact: &Compact) -> Done;
        fn make_hint(&mut self, r: &Poly, ct0: &Poly, gamma2: u32, places: &mut [u8]) -> Result<Option<usize>, Infallible>;
        fn make_hint_compact(&mut self, r: &Compact, ct0: &Poly, gamma2: u32, places: &mut [u8]) -> Result<Option<usize>, Infallible>;
    }

    fn store(&mut self, p: &Poly, coefficients: &mut [u32; N]) -> Done {
        for (out, &c) in coefficients.iter_mut().zip(&p.0) {
            *out = reduce(c as i32);
        }
        Ok(())
    }

    fn release(&mut self, p: &mut Poly) {
        p.zeroize();
    }

    fn release_secret(&mut self, s: &mut Poly) {
        s.zeroize();
    }

    fn release_challenge(&mut self, c: &mut Poly) {
        c.zeroize();
    }

    fn ntt(&mut self, p: &mut Poly) -> Done {
        // SAFETY: the pointers are to arrays of the lengths that the assembly takes.
        unsafe { pqsoc_mldsa_ntt(&mut p.0, &FORWARD) }
        Ok(())
    }

    fn intt(&mut self, p: &mut Poly) -> Done {
        // SAFETY: as above.
        unsafe { pqsoc_mldsa_intt(&mut p.0, &INVERSE) }
        Ok(())
    }

    fn add(&mut self, acc: &mut Poly, p: &Poly) -> Done {
        // SAFETY: as above.
        unsafe { pqsoc_mldsa_add(&mut acc.0, &p.0) }
        Ok(())
    }

    fn subtract(&mut self, acc: &mut Poly, p: &Poly) -> Done {
        // SAFETY: as above.
        unsafe { pqsoc_mldsa_sub(&mut acc.0, &p.0) }
        Ok(())
    }

    fn multiply(&mut self, out: &mut Poly, a: &Poly, b: &Poly) -> Done {
        // SAFETY: as above.
        unsafe { pqsoc_mldsa_multiply(&mut out.0, &a.0, &b.0) }
        Ok(())
    }

    fn multiply_subtract(&mut self, acc: &mut Poly, a: &Poly, b: &Poly) -> Done {
        // SAFETY: as above.
        unsafe { pqsoc_mldsa_multiply_subtract(&mut acc.0, &a.0, &b.0) }
        Ok(())
    }

    /// In assembly for the columns of the three sets.
    fn dot(&mut self, out: &mut Poly, a: &[Poly], v: &[Poly]) -> Done {
        let out = &mut out.0;
        let n = a.len().min(v.len());
        let (first_a, first_v) = (a.as_ptr().cast(), v.as_ptr().cast());
        // SAFETY: as above; a polynomial is its coefficients (`repr(transparent)`), and `n` of each are there.
        unsafe {
            match n {
                4 => pqsoc_mldsa_dot_4(out, first_a, first_v),
                5 => pqsoc_mldsa_dot_5(out, first_a, first_v),
                7 => pqsoc_mldsa_dot_7(out, first_a, first_v),
                _ => {
                    // a b = -(0 - a b)
                    out.fill(0);
                    for (a, v) in a.iter().zip(v) {
                        pqsoc_mldsa_multiply_subtract(out, &a.0, &v.0);
                    }
                    for c in out {
                        *c = c.wrapping_neg();
                    }
                }
            }
        }
        Ok(())
    }

    fn expand_a(&mut self, out: &mut [Poly], rho: &Rho, row: u8) -> Done {
        for (column, out) in (0..).zip(out) {
            sample::expand_a(&mut out.0, rho, row, column);
        }
        Ok(())
    }

    fn expand_a_dot(&mut self, out: &mut Poly, rho: &Rho, row: u8, v: &[Poly]) -> Done {
        out.0.fill(0);
        for (column, v) in (0..).zip(v) {
            sample::expand_a_product(&mut out.0, rho, row, column, &v.0);
        }
        Ok(())
    }

    fn expand_a_accumulate(&mut self, acc: &mut Compact, rho: &Rho, row: u8, column: u8, v: &Poly) -> Done {
        sample::expand_a_compact(acc, rho, row, column, &v.0);
        Ok(())
    }

    fn expand_s(&mut self, out: &mut [Poly], eta: Encoding, seed: &[u8], nonce: u16) -> Done {
        sample::expand_s(out, eta, seed, nonce);
        Ok(())
    }

    fn expand_mask(&mut self, out: &mut [Poly], gamma1: Encoding, seed: &[u8], nonce: u16) -> Done {
        sample::expand_mask(out, gamma1, seed, nonce);
        Ok(())
    }

    /// A lane of output at a time, as single bytes take as long out of the state.
    fn sample_in_ball(&mut self, out: &mut Challenge, seed: &[u8], tau: usize) -> Done {
        let mut hash = Shake256::new();
        hash.absorb(seed);
        let mut output = hash.finish();
        let mut lane = [0; 8];
        let mut used = lane.len();
        out.sample(tau, |bytes| {
            for byte in bytes {
                if used == lane.len() {
                    output.squeeze(&mut lane);
                    used = 0;
                }
                *byte = lane.get(used).copied().unwrap_or(0);
                used += 1;
            }
            Ok(())
        })
    }

    fn prepare_challenge(&mut self, out: &mut Poly, c: &Challenge) -> Done {
        self.load_challenge(out, c)?;
        self.ntt(out)
    }

    fn prepare_secret(&mut self, out: &mut Poly, encoding: Encoding, bytes: &[u8]) -> Done {
        self.unpack(out, encoding, bytes)?;
        self.ntt(out)
    }

    fn add_challenge_product(&mut self, acc: &mut Poly, c: &Poly, s: &Poly) -> Done {
        let mut product = Poly::BLANK;
        self.multiply(&mut product, c, s)?;
        self.intt(&mut product)?;
        self.add(acc, &product)?;
        product.zeroize();
        Ok(())
    }

    fn subtract_challenge_product(&mut self, acc: &mut Poly, c: &Poly, s: &Poly) -> Done {
        let mut product = Poly::BLANK;
        self.multiply(&mut product, c, s)?;
        self.intt(&mut product)?;
        self.subtract(acc, &product)?;
        product.zeroize();
        Ok(())
    }

    fn unpack(&mut self, out: &mut Poly, encoding: Encoding, bytes: &[u8]) -> Done {
        let group = match encoding {
            Encoding::Z17 => sample::unpack::<18>,
            Encoding::Z19 => sample::unpack::<20>,
            _ => return Portable.unpack(out, encoding, bytes),
        };
        group(out.0.as_chunks_mut().0, bytes);
        Ok(())
    }

    fn norm_reaches(&mut self, p: &Poly, bound: u32) -> Result<bool, Infallible> {
        // SAFETY: the pointer is to 256 coefficients.
        Ok(unsafe { pqsoc_mldsa_norm(&p.0, bound) } < 0)
    }

    fn low_bits_reach(&mut self, p: &Poly, gamma2: u32, bound: u32) -> Result<bool, Infallible> {
        // SAFETY: the pointer is to 256 coefficients.
        let sign = unsafe {
            if gamma2 == GAMMA2_88 {
                pqsoc_mldsa_low_bits_88(&p.0, bound)
            } else {
                pqsoc_mldsa_low_bits_32(&p.0, bound)
            }
        };
        Ok(sign < 0)
    }

    fn add_challenge_product_packed(
        &mut self,
        acc: &mut Poly,
        c: &Challenge,
        encoding: Encoding,
        bytes: &[u8],
    ) -> Done {
        if encoding == Encoding::T0 {
            add_wide_product(&mut acc.0, c, bytes);
        } else {
            add_narrow_product(&mut acc.0, c, encoding, bytes);
        }
        Ok(())
    }

    fn subtract_challenge_t1(&mut self, acc: &mut Poly, c: &Challenge, bytes: &[u8; T1_LEN]) -> Done {
        // The negatives of t1, so that the terms need not be negated.
        let mut half = Half::BLANK;
        for (bytes, first) in halves(bytes) {
            pack::unpack::<10, _>(bytes, half.coefficients(), |field| -(field as i16));
            // The sum of 31 is below 2^15.
            for_terms(c.terms(), 31, |terms, end| {
                // SAFETY: the pointers are to as many values as the assembly takes; there is a term.
                unsafe { pqsoc_mldsa_wide_product_13(&mut acc.0, &half.0, terms, end, first) }
            });
        }
        Ok(())
    }

    /// UseHint changes few coefficients: each to the middle of the range that its result stands for.
    fn absorb_hinted_w1(&mut self, hash: &mut Shake256, w: &mut Poly, gamma2: u32, places: &[u8]) -> Done {
        for &n in places {
            if let Some(c) = w.0.get_mut(usize::from(n)) {
                let w1 = if gamma2 == GAMMA2_88 {
                    use_hint::<GAMMA2_88>(true, *c)
                } else {
                    use_hint::<GAMMA2_32>(true, *c)
                };
                *c = w1 * 2 * gamma2;
            }
        }
        self.absorb_w1(hash, w, gamma2)
    }

    fn absorb(&mut self, hash: &mut Shake256, bytes: &[u8]) -> Done {
        hash.absorb(bytes);
        Ok(())
    }

    fn finish(&mut self, hash: &mut Shake256, out: &mut [u8]) -> Done {
        hash.finish().squeeze(out);
        Ok(())
    }

    /// 64 coefficients at a time.
    fn absorb_w1(&mut self, hash: &mut Shake256, w: &Poly, gamma2: u32) -> Done {
        for w in w.0.as_chunks::<64>().0 {
            let w = w.as_ptr_range();
            let mut packed = Packed([0; 48]);
            let out = packed.0.as_mut_ptr().cast();
            // SAFETY: the coefficients are a multiple of 16, and the aligned bytes are enough for 6 bits each.
            let bits = unsafe {
                if gamma2 == GAMMA2_88 {
                    pqsoc_mldsa_pack_w1_88(out, w.start, w.end);
                    6
                } else {
                    pqsoc_mldsa_pack_w1_32(out, w.start, w.end);
                    4
                }
            };
            hash.absorb(packed.0.get(..8 * bits).unwrap_or(&[]));
        }
        Ok(())
    }

    /// The sums are 24 bits, signed.
    fn restore_product(&mut self, out: &mut Poly, compact: &Compact) -> Done {
        for (out, &[low, middle, high]) in out.0.iter_mut().zip(compact.as_chunks().0) {
            *out = (i32::from_le_bytes([0, low, middle, high]) >> 8) as u32;
        }
        Ok(())
    }
}

/// x mod q. In: x up to 2^31 - 2^22 in absolute value. Out: below q.
fn reduce(x: i32) -> u32 {
    // 2^23 is q to within a thousandth: the difference is below q / 2 and a thousandth of x in absolute value.
    let x = x - ((x + (1 << 22)) >> 23) * Q as i32;
    (x + ((x >> 31) & Q as i32)) as u32
}
