//! Where the arithmetic happens.
use crate::{
    blank::Blank,
    challenge::Challenge,
    encoding::{Compact, Encoding},
    params::{N, SEED_LEN, T0_LEN, T1_LEN},
};

/// The public seed of A.
pub type Rho = [u8; SEED_LEN];

/// Does the arithmetic and the hashing of ML-DSA: in software, in an accelerator, or partly here and there.
///
/// A polynomial is in one of three domains, and whoever calls knows in which:
///
/// - *coefficients*: an element of Z_q\[X\]/(X^256 + 1);
/// - *transform*: what [`ntt`](Self::ntt) gives and [`expand_a`](Self::expand_a) samples;
/// - *product*: what products of transforms are, to be added to one another and taken back by
///   [`intt`](Self::intt). A factor may be hidden in it (Montgomery's, say).
///
/// Only values modulo q are promised: representatives are the engine's affair, and it must keep its own bounds
/// whatever it is asked to do in the order documented. [`store`](Self::store) shows the one representative in `0..q`.
///
/// A polynomial begins as [`Blank`], is valid from the first operation that writes it whole (`out` below), and ends
/// with [`release`](Self::release). `Poly` may be a handle: an engine that keeps polynomials elsewhere gives a slot to a blank
/// one when it is first written and takes it back on release.
///
/// Unless said otherwise inputs may be secret, and neither the time nor the addresses used may depend on them.
/// After an error the values written by the operation are unspecified; releasing them and going on is allowed.
pub trait Engine {
    /// 256 coefficients, wherever the engine keeps them: an array here, a slot number over there.
    type Poly: Blank;
    /// A polynomial of s1 or s2 made ready to be multiplied by challenges.
    type Secret: Blank;
    /// A challenge made ready for [`add_challenge_product`](Self::add_challenge_product).
    type Challenge: Blank;
    /// SHAKE256 under way; its default is an empty one.
    type Hash: Default;
    /// `Infallible` for software; a time-out or a bus error for hardware.
    type Error: core::fmt::Debug;

    /// Operations are only noted down, and done when something depends on them: all of a vector is asked for before the first
    /// of it is looked at, even if the rest may turn out not to be wanted.
    const QUEUES: bool = false;

    // Moving

    /// `out` = `coefficients`, each in `0..q`, in standard order; to become coefficients or, in the order of
    /// FIPS 204, algorithm 41, a transform.
    fn load(&mut self, out: &mut Self::Poly, coefficients: &[u32; N]) -> Result<(), Self::Error>;

    /// The coefficients, each in `0..q`, in standard order; of a transform in the order of FIPS 204, algorithm 41,
    /// with no factor. Not for products.
    fn store(&mut self, p: &Self::Poly, coefficients: &mut [u32; N]) -> Result<(), Self::Error>;

    /// `out` = `p`.
    fn copy(&mut self, out: &mut Self::Poly, p: &Self::Poly) -> Result<(), Self::Error>;

    /// `out` = 0.
    fn clear(&mut self, out: &mut Self::Poly) -> Result<(), Self::Error>;

    /// Wipes `p` wherever it is and gives its place back: it is blank again. Does not fail; blank ones are left alone.
    fn release(&mut self, p: &mut Self::Poly);

    /// As [`release`](Self::release).
    fn release_secret(&mut self, s: &mut Self::Secret);

    /// As [`release`](Self::release).
    fn release_challenge(&mut self, c: &mut Self::Challenge);

    // Arithmetic

    /// Forward transform in place: coefficients to transform. FIPS 204, algorithm 41.
    fn ntt(&mut self, p: &mut Self::Poly) -> Result<(), Self::Error>;

    /// Inverse transform in place: product to coefficients. FIPS 204, algorithm 42.
    fn intt(&mut self, p: &mut Self::Poly) -> Result<(), Self::Error>;

    /// `acc` += `p`: coefficients.
    fn add(&mut self, acc: &mut Self::Poly, p: &Self::Poly) -> Result<(), Self::Error>;

    /// `acc` -= `p`: coefficients.
    fn subtract(&mut self, acc: &mut Self::Poly, p: &Self::Poly) -> Result<(), Self::Error>;

    /// `out` = `a` `b`: a product of two transforms. FIPS 204, algorithm 45.
    fn multiply(&mut self, out: &mut Self::Poly, a: &Self::Poly, b: &Self::Poly) -> Result<(), Self::Error>;

    /// `acc` -= `a` `b`: a product less a product of two transforms.
    fn multiply_subtract(
        &mut self,
        acc: &mut Self::Poly,
        a: &Self::Poly,
        b: &Self::Poly,
    ) -> Result<(), Self::Error>;

    /// `out` = sum of `a[j]` `v[j]`: a product of two vectors of the same length, 1 to 8 transforms.
    fn dot(&mut self, out: &mut Self::Poly, a: &[Self::Poly], v: &[Self::Poly]) -> Result<(), Self::Error>;

    // Sampling

    /// `out[j]` = A\[row\]\[j\]: transforms, in the order of FIPS 204, algorithm 41. FIPS 204, algorithms 30 and 32.
    /// Nothing here is secret.
    fn expand_a(&mut self, out: &mut [Self::Poly], rho: &Rho, row: u8) -> Result<(), Self::Error>;

    /// `out` = sum of A\[row\]\[j\] `v[j]`: a product, with A sampled on the way and never stored. `v` are transforms.
    fn expand_a_dot(
        &mut self,
        out: &mut Self::Poly,
        rho: &Rho,
        row: u8,
        v: &[Self::Poly],
    ) -> Result<(), Self::Error>;

    /// `acc` += A\[row\]\[column\] `v`: a product kept packed, with A sampled on the way. `v` is a transform. What is in `acc`
    /// between begin (all zero bytes) and [`restore_product`](Self::restore_product) is the engine's affair.
    fn expand_a_accumulate(
        &mut self,
        acc: &mut Compact,
        rho: &Rho,
        row: u8,
        column: u8,
        v: &Self::Poly,
    ) -> Result<(), Self::Error>;

    /// `out[i]` = coefficients in -eta..=eta from `seed` and nonce `nonce + i`. FIPS 204, algorithms 31 and 33.
    /// `eta` is [`Encoding::S2`] or [`Encoding::S4`]. The time shows how many half-bytes were rejected.
    fn expand_s(
        &mut self,
        out: &mut [Self::Poly],
        eta: Encoding,
        seed: &[u8],
        nonce: u16,
    ) -> Result<(), Self::Error>;

    /// `out[i]` = coefficients in -gamma1 + 1..=gamma1 from `seed` and nonce `nonce + i`, which wraps at 2^16.
    /// FIPS 204, algorithm 34. `gamma1` is [`Encoding::Z17`] or [`Encoding::Z19`].
    fn expand_mask(
        &mut self,
        out: &mut [Self::Poly],
        gamma1: Encoding,
        seed: &[u8],
        nonce: u16,
    ) -> Result<(), Self::Error>;

    /// `out` = SampleInBall: FIPS 204, algorithm 29. Not secret. [`Challenge::sample`] does the work over a stream of bytes.
    fn sample_in_ball(&mut self, out: &mut Challenge, seed: &[u8], tau: usize) -> Result<(), Self::Error>;

    // Products by a challenge

    /// `out` = `c`: coefficients.
    fn load_challenge(&mut self, out: &mut Self::Poly, c: &Challenge) -> Result<(), Self::Error>;

    /// Makes `c` ready for [`add_challenge_product`](Self::add_challenge_product).
    fn prepare_challenge(&mut self, out: &mut Self::Challenge, c: &Challenge) -> Result<(), Self::Error>;

    /// Makes a polynomial of s1 or s2 ready for [`add_challenge_product`](Self::add_challenge_product). Coefficients
    /// are in -eta..=eta: keys are checked on import; of others the products are unspecified.
    fn prepare_secret(
        &mut self,
        out: &mut Self::Secret,
        encoding: Encoding,
        bytes: &[u8],
    ) -> Result<(), Self::Error>;

    /// `acc` += `c` `s`: coefficients.
    fn add_challenge_product(
        &mut self,
        acc: &mut Self::Poly,
        c: &Self::Challenge,
        s: &Self::Secret,
    ) -> Result<(), Self::Error>;

    /// `acc` -= `c` `s`: coefficients.
    fn subtract_challenge_product(
        &mut self,
        acc: &mut Self::Poly,
        c: &Self::Challenge,
        s: &Self::Secret,
    ) -> Result<(), Self::Error>;

    /// `acc` += `c` times the packed polynomial `bytes`: coefficients. For a profile that keeps nothing prepared.
    fn add_challenge_product_packed(
        &mut self,
        acc: &mut Self::Poly,
        c: &Challenge,
        encoding: Encoding,
        bytes: &[u8],
    ) -> Result<(), Self::Error>;

    /// `acc` -= `c` t1 2^13 with t1 packed in `bytes`: coefficients. Not secret.
    fn subtract_challenge_t1(
        &mut self,
        acc: &mut Self::Poly,
        c: &Challenge,
        bytes: &[u8; T1_LEN],
    ) -> Result<(), Self::Error>;

    // Packing

    /// Coefficients from `bytes`, which are `encoding.poly_len()`. FIPS 204, algorithm 19. Any bytes are taken.
    fn unpack(&mut self, out: &mut Self::Poly, encoding: Encoding, bytes: &[u8]) -> Result<(), Self::Error>;

    /// `acc` += the coefficients that [`unpack`](Self::unpack) gives.
    fn add_packed(
        &mut self,
        acc: &mut Self::Poly,
        encoding: Encoding,
        bytes: &[u8],
    ) -> Result<(), Self::Error>;

    /// Coefficients to `bytes`, which are `encoding.poly_len()`. FIPS 204, algorithm 17. They are in the range of the encoding.
    fn pack(&mut self, p: &Self::Poly, encoding: Encoding, bytes: &mut [u8]) -> Result<(), Self::Error>;

    /// Coefficients t1 2^13. FIPS 204, algorithm 18 and algorithm 8, line 9. Not secret.
    fn unpack_t1(&mut self, out: &mut Self::Poly, bytes: &[u8; T1_LEN]) -> Result<(), Self::Error>;

    /// Coefficients t to t1 and t0, both packed. FIPS 204, algorithms 35, 16 and 17.
    fn power2round(
        &mut self,
        t: &Self::Poly,
        t1: &mut [u8; T1_LEN],
        t0: &mut [u8; T0_LEN],
    ) -> Result<(), Self::Error>;

    /// Coefficients to 24 bits each.
    fn compress(&mut self, p: &Self::Poly, out: &mut Compact) -> Result<(), Self::Error>;

    /// Coefficients from 24 bits each, as [`compress`](Self::compress) gave them.
    fn restore(&mut self, out: &mut Self::Poly, compact: &Compact) -> Result<(), Self::Error>;

    /// The product that [`expand_a_accumulate`](Self::expand_a_accumulate) built.
    fn restore_product(&mut self, out: &mut Self::Poly, compact: &Compact) -> Result<(), Self::Error>;

    // Rounding and norms. gamma2 is (q - 1) / 88 or (q - 1) / 32.

    /// Whether some coefficient, in -(q - 1) / 2..=(q - 1) / 2, is `bound` or more in absolute value. `bound` <= (q - 1) / 8.
    /// FIPS 204, section 2.3.
    fn norm_reaches(&mut self, p: &Self::Poly, bound: u32) -> Result<bool, Self::Error>;

    /// Whether some LowBits of `p` are `bound` or more in absolute value. FIPS 204, algorithm 38.
    fn low_bits_reach(&mut self, p: &Self::Poly, gamma2: u32, bound: u32) -> Result<bool, Self::Error>;

    /// MakeHint: writes where HighBits of `r` and of `r + ct0` differ, in rising order, to `places`, and returns how many
    /// they are, or `None` if they are more than `places`. FIPS 204, algorithm 39.
    ///
    /// Called when z and LowBits of `r` have passed: the hint follows then from what a signature shows, so
    /// the addresses and the time used may depend on it.
    fn make_hint(
        &mut self,
        r: &Self::Poly,
        ct0: &Self::Poly,
        gamma2: u32,
        places: &mut [u8],
    ) -> Result<Option<usize>, Self::Error>;

    /// As [`make_hint`](Self::make_hint) with `r` [compressed](Self::compress).
    fn make_hint_compact(
        &mut self,
        r: &Compact,
        ct0: &Self::Poly,
        gamma2: u32,
        places: &mut [u8],
    ) -> Result<Option<usize>, Self::Error>;

    // Hashing

    /// Appends `bytes` to the message.
    fn absorb(&mut self, hash: &mut Self::Hash, bytes: &[u8]) -> Result<(), Self::Error>;

    /// Appends HighBits of `w`, packed. FIPS 204, algorithms 37 and 28.
    fn absorb_w1(&mut self, hash: &mut Self::Hash, w: &Self::Poly, gamma2: u32) -> Result<(), Self::Error>;

    /// Appends UseHint of `w` with ones at `places` (which rise), packed. FIPS 204, algorithms 40 and 28. Not secret.
    /// What `w` is afterwards is unspecified.
    fn absorb_hinted_w1(
        &mut self,
        hash: &mut Self::Hash,
        w: &mut Self::Poly,
        gamma2: u32,
        places: &[u8],
    ) -> Result<(), Self::Error>;

    /// Ends the message, fills `out` with the first bytes of SHAKE256's output and empties `hash` for the next.
    fn finish(&mut self, hash: &mut Self::Hash, out: &mut [u8]) -> Result<(), Self::Error>;

    /// SHAKE256 of `parts` one after the other.
    fn shake256(&mut self, parts: &[&[u8]], out: &mut [u8]) -> Result<(), Self::Error> {
        let mut hash = Self::Hash::default();
        for part in parts {
            self.absorb(&mut hash, part)?;
        }
        self.finish(&mut hash, out)
    }
}
