//! How much memory is spent: what is kept and what is computed again.
//!
//! A profile gives, for key generation, signing and verification, the values that it keeps and the steps that differ
//! for that; what is the same for all is in `raw`.
use crate::{
    Native,
    blank::Blank,
    challenge::Challenge,
    engine::{Engine, Rho},
    layout::{SecretKey, polys},
    params::{ParameterSet, T0_LEN, T1_LEN},
};

mod fast;
mod reference;
mod small;

pub(crate) use fast::{FastSecret, FastSigning, FastVerifying, MatrixPublic};

/// A trade of memory for time, chosen by type.
pub trait Profile: Steps + Copy + core::fmt::Debug + Default + Send + Sync + 'static {}

/// The memory of key generation and of the check of a key. Its size is known at compile time; begin with [`Blank::BLANK`].
pub type KeygenMemory<S, P = Fast, E = Native> = <P as Steps>::Keygen<S, E>;
/// The memory of signing. Its size is known at compile time; begin with [`Blank::BLANK`].
pub type SigningMemory<S, P = Fast, E = Native> =
    Memory<<P as Steps>::Secret<S, E>, <P as Steps>::Signing<S, E>>;
/// The memory of verification. Its size is known at compile time; begin with [`Blank::BLANK`].
pub type VerifyingMemory<S, P = Fast, E = Native> =
    Memory<<P as Steps>::Public<S, E>, <P as Steps>::Verifying<S, E>>;

/// Memory to work in: what belongs to the key, and what to one signature.
pub struct Memory<K, W> {
    pub(crate) kept: K,
    pub(crate) work: W,
}

impl<K: Blank, W: Blank> Blank for Memory<K, W> {
    const BLANK: Self = Self { kept: K::BLANK, work: W::BLANK };
}

/// Keeps what the reference C code keeps: A and every vector. The measure of what that code needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reference;
/// Keeps what saves time: A while signing, and vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fast;
/// Keeps as little as possible: one polynomial, and while signing w packed. A is sampled again for each attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Small;

impl Profile for Reference {}
impl Profile for Fast {}
impl Profile for Small {}

/// What a profile consists of. Not to be named, let alone implemented, elsewhere.
pub trait Steps {
    type Keygen<S: ParameterSet, E: Engine>: KeygenSteps<S, E>;
    type Secret<S: ParameterSet, E: Engine>: KeptSecret<S, E>;
    type Signing<S: ParameterSet, E: Engine>: SigningSteps<S, E, Self::Secret<S, E>>;
    type Public<S: ParameterSet, E: Engine>: KeptPublic<S, E>;
    type Verifying<S: ParameterSet, E: Engine>: VerifyingSteps<S, E, Self::Public<S, E>>;
}

/// Key generation from s1 on.
pub trait KeygenSteps<S: ParameterSet, E: Engine>: Blank {
    /// One or more polynomials to sample s1 and s2 in, before [`begin`](Self::begin).
    fn scratch(&mut self) -> &mut [E::Poly];

    /// Takes `s1`, all columns packed.
    fn begin(&mut self, engine: &mut E, rho: &Rho, s1: &[u8]) -> Result<(), E::Error>;

    /// Coefficients of row `row` of t = A s1 + s2, of which `s2` is that row, packed.
    fn t(&mut self, engine: &mut E, rho: &Rho, s1: &[u8], row: u8, s2: &[u8]) -> Result<&E::Poly, E::Error>;

    /// Releases all.
    fn release(&mut self, engine: &mut E);
}

/// What is kept of a secret key.
pub trait KeptSecret<S: ParameterSet, E: Engine>: Blank {
    /// Computes it.
    fn prepare(&mut self, engine: &mut E, key: &SecretKey<'_>) -> Result<(), E::Error>;

    /// Releases all.
    fn release(&mut self, engine: &mut E);
}

/// What is kept of a public key.
pub trait KeptPublic<S: ParameterSet, E: Engine>: Blank {
    /// Computes it.
    fn prepare(&mut self, engine: &mut E, rho: &Rho, t1: &[[u8; T1_LEN]]) -> Result<(), E::Error>;

    /// `w` = row `row` of A z - c t1 2^13: a product, of the transforms `z` and `c_hat`. `t1_hat` is there to work in.
    #[expect(clippy::too_many_arguments, reason = "the row of an equation of five values")]
    fn w_row(
        &self,
        engine: &mut E,
        w: &mut E::Poly,
        rho: &Rho,
        row: u8,
        z: &[E::Poly],
        c_hat: &E::Poly,
        t1: &[u8; T1_LEN],
        t1_hat: &mut E::Poly,
    ) -> Result<(), E::Error>;

    /// Releases all.
    fn release(&mut self, engine: &mut E);
}

/// The seed of the masks of one attempt. FIPS 204, algorithm 7, lines 7 and 11.
#[derive(Clone, Copy)]
pub struct MaskSeed<'a> {
    pub(crate) seed: &'a [u8],
    pub(crate) kappa: u16,
}

/// One attempt at a signature, in the order of these functions. FIPS 204, algorithm 7, lines 11 to 28.
pub trait SigningSteps<S: ParameterSet, E: Engine, K>: Blank {
    /// w = A y.
    fn commit(
        &mut self,
        engine: &mut E,
        kept: &K,
        key: &SecretKey<'_>,
        mask: MaskSeed<'_>,
    ) -> Result<(), E::Error>;

    /// The high bits of w to `hash`.
    fn absorb(&mut self, engine: &mut E, hash: &mut E::Hash) -> Result<(), E::Error>;

    /// The challenge from `seed`, which is c~ or its beginning.
    fn challenge(&mut self, engine: &mut E, seed: &[u8]) -> Result<(), E::Error>;

    /// Coefficients of row `row` of w - c s2. Once a row.
    fn residue(
        &mut self,
        engine: &mut E,
        kept: &K,
        key: &SecretKey<'_>,
        row: usize,
    ) -> Result<&E::Poly, E::Error>;

    /// Coefficients of column `column` of z = y + c s1. Once a column.
    fn response(
        &mut self,
        engine: &mut E,
        kept: &K,
        key: &SecretKey<'_>,
        mask: MaskSeed<'_>,
        column: usize,
    ) -> Result<&E::Poly, E::Error>;

    /// Coefficients of row `row` of c t0, of which `t0` is that row, packed. Rows rise from 0.
    fn ct0(&mut self, engine: &mut E, kept: &K, t0: &[u8; T0_LEN], row: usize) -> Result<&E::Poly, E::Error>;

    /// [`Engine::make_hint`] for the row of the last [`ct0`](Self::ct0).
    fn hint(&mut self, engine: &mut E, row: usize, places: &mut [u8]) -> Result<Option<usize>, E::Error>;

    /// Releases all.
    fn release(&mut self, engine: &mut E);
}

/// The verification of a signature. FIPS 204, algorithm 8, lines 5 to 12.
pub trait VerifyingSteps<S: ParameterSet, E: Engine, K>: Blank {
    /// Takes z, all columns packed, and the challenge. Returns whether z is in range.
    fn begin(&mut self, engine: &mut E, z: &[u8], c: &Challenge) -> Result<bool, E::Error>;

    /// Coefficients of row `row` of A z - c t1 2^13, of which `t1` is that row, packed.
    #[expect(clippy::too_many_arguments, reason = "the row of an equation of five values")]
    fn w(
        &mut self,
        engine: &mut E,
        kept: &K,
        rho: &Rho,
        z: &[u8],
        c: &Challenge,
        row: u8,
        t1: &[u8; T1_LEN],
    ) -> Result<&mut E::Poly, E::Error>;

    /// Releases all.
    fn release(&mut self, engine: &mut E);
}

/// Nothing is kept of a key.
impl<S: ParameterSet, E: Engine> KeptSecret<S, E> for () {
    fn prepare(&mut self, _: &mut E, _: &SecretKey<'_>) -> Result<(), E::Error> {
        Ok(())
    }

    fn release(&mut self, _: &mut E) {}
}

/// Nothing is kept of a key.
impl<S: ParameterSet, E: Engine> KeptPublic<S, E> for () {
    fn prepare(&mut self, _: &mut E, _: &Rho, _: &[[u8; T1_LEN]]) -> Result<(), E::Error> {
        Ok(())
    }

    fn w_row(
        &self,
        engine: &mut E,
        w: &mut E::Poly,
        rho: &Rho,
        row: u8,
        z: &[E::Poly],
        c_hat: &E::Poly,
        t1: &[u8; T1_LEN],
        t1_hat: &mut E::Poly,
    ) -> Result<(), E::Error> {
        engine.expand_a_dot(w, rho, row, z)?;
        engine.unpack_t1(t1_hat, t1)?;
        engine.ntt(t1_hat)?;
        engine.multiply_subtract(w, c_hat, t1_hat)
    }

    fn release(&mut self, _: &mut E) {}
}

/// z of a signature, column by column, checked and transformed. Returns whether it is in range.
fn unpack_response<S: ParameterSet, E: Engine>(
    engine: &mut E,
    out: &mut [E::Poly],
    z: &[u8],
) -> Result<bool, E::Error> {
    for (out, bytes) in out.iter_mut().zip(polys(z, S::PARAMS.z_len())) {
        engine.unpack(out, S::PARAMS.z_encoding(), bytes)?;
        if engine.norm_reaches(out, S::PARAMS.gamma1 - S::PARAMS.beta())? {
            return Ok(false);
        }
        engine.ntt(out)?;
    }
    Ok(true)
}

/// Packed secret polynomials, transformed.
fn unpack_secrets<S: ParameterSet, E: Engine>(
    engine: &mut E,
    out: &mut [E::Poly],
    bytes: &[u8],
) -> Result<(), E::Error> {
    for (out, bytes) in out.iter_mut().zip(polys(bytes, S::PARAMS.s_len())) {
        engine.unpack(out, S::PARAMS.s_encoding(), bytes)?;
        engine.ntt(out)?;
    }
    Ok(())
}

/// Gives all of them back.
fn release<'a, E: Engine<Poly: 'a>>(engine: &mut E, polys: impl IntoIterator<Item = &'a mut E::Poly>) {
    for poly in polys {
        engine.release(poly);
    }
}
