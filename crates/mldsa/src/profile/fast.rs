//! The profile that keeps what saves time.
use super::{
    Fast, KeptPublic, KeptSecret, KeygenSteps, MaskSeed, SigningSteps, Steps, VerifyingSteps, release,
    unpack_response, unpack_secrets,
};
use crate::{
    blank::Blank,
    challenge::Challenge,
    encoding::Encoding,
    engine::{Engine, Rho},
    layout::{SecretKey, polys},
    params::{ParameterSet, T0_LEN, T1_LEN},
};
use core::ops::Range;

impl Steps for Fast {
    type Keygen<S: ParameterSet, E: Engine> = FastKeygen<S, E>;
    type Secret<S: ParameterSet, E: Engine> = FastSecret<S, E>;
    type Signing<S: ParameterSet, E: Engine> = FastSigning<S, E>;
    type Public<S: ParameterSet, E: Engine> = ();
    type Verifying<S: ParameterSet, E: Engine> = FastVerifying<S, E>;
}

/// s1 transformed; A is sampled row by row.
pub struct FastKeygen<S: ParameterSet, E: Engine> {
    s1: S::Columns<E::Poly>,
    t: E::Poly,
}

impl<S: ParameterSet, E: Engine> Blank for FastKeygen<S, E> {
    const BLANK: Self = Self { s1: Blank::BLANK, t: Blank::BLANK };
}

impl<S: ParameterSet, E: Engine> KeygenSteps<S, E> for FastKeygen<S, E> {
    fn scratch(&mut self) -> &mut [E::Poly] {
        self.s1.as_mut()
    }

    fn begin(&mut self, engine: &mut E, _: &Rho, s1: &[u8]) -> Result<(), E::Error> {
        unpack_secrets::<S, E>(engine, self.s1.as_mut(), s1)
    }

    fn t(&mut self, engine: &mut E, rho: &Rho, _: &[u8], row: u8, s2: &[u8]) -> Result<&E::Poly, E::Error> {
        engine.expand_a_dot(&mut self.t, rho, row, self.s1.as_ref())?;
        engine.intt(&mut self.t)?;
        engine.add_packed(&mut self.t, S::PARAMS.s_encoding(), s2)?;
        Ok(&self.t)
    }

    fn release(&mut self, engine: &mut E) {
        release(engine, self.s1.as_mut().iter_mut().chain([&mut self.t]));
    }
}

/// A, whole.
pub struct Matrix<S: ParameterSet, E: Engine>(S::Rows<S::Columns<E::Poly>>);

impl<S: ParameterSet, E: Engine> Blank for Matrix<S, E> {
    const BLANK: Self = Self(Blank::BLANK);
}

impl<S: ParameterSet, E: Engine> Matrix<S, E> {
    pub(super) fn expand(&mut self, engine: &mut E, rho: &Rho) -> Result<(), E::Error> {
        for (row, out) in (0..).zip(self.0.as_mut()) {
            engine.expand_a(out.as_mut(), rho, row)?;
        }
        Ok(())
    }

    /// The rows.
    pub(super) fn rows(&self) -> impl Iterator<Item = &[E::Poly]> {
        self.0.as_ref().iter().map(AsRef::as_ref)
    }

    pub(super) fn release(&mut self, engine: &mut E) {
        release(engine, self.0.as_mut().iter_mut().flat_map(AsMut::as_mut));
    }
}

/// A, and s1 and s2 ready to be multiplied by challenges.
pub struct FastSecret<S: ParameterSet, E: Engine> {
    a: Matrix<S, E>,
    s1: S::Columns<E::Secret>,
    s2: S::Rows<E::Secret>,
}

impl<S: ParameterSet, E: Engine> Blank for FastSecret<S, E> {
    const BLANK: Self = Self { a: Blank::BLANK, s1: Blank::BLANK, s2: Blank::BLANK };
}

impl<S: ParameterSet, E: Engine> KeptSecret<S, E> for FastSecret<S, E> {
    fn prepare(&mut self, engine: &mut E, key: &SecretKey<'_>) -> Result<(), E::Error> {
        self.a.expand(engine, key.rho)?;
        for (vector, bytes) in [(self.s1.as_mut(), key.s1), (self.s2.as_mut(), key.s2)] {
            for (s, bytes) in vector.iter_mut().zip(polys(bytes, S::PARAMS.s_len())) {
                engine.prepare_secret(s, S::PARAMS.s_encoding(), bytes)?;
            }
        }
        Ok(())
    }

    fn release(&mut self, engine: &mut E) {
        self.a.release(engine);
        for s in self.s1.as_mut().iter_mut().chain(self.s2.as_mut()) {
            engine.release_secret(s);
        }
    }
}

/// y, its transform and w, and what c t0 takes.
pub struct FastSigning<S: ParameterSet, E: Engine> {
    /// Then z.
    y: S::Columns<E::Poly>,
    y_hat: S::Columns<E::Poly>,
    /// Then w - c s2.
    w: S::Rows<E::Poly>,
    c: Challenge,
    prepared_c: E::Challenge,
    c_hat: E::Poly,
    t0: E::Poly,
    ct0: E::Poly,
}

impl<S: ParameterSet, E: Engine> Blank for FastSigning<S, E> {
    const BLANK: Self = Self {
        y: Blank::BLANK,
        y_hat: Blank::BLANK,
        w: Blank::BLANK,
        c: Challenge::NONE,
        prepared_c: Blank::BLANK,
        c_hat: Blank::BLANK,
        t0: Blank::BLANK,
        ct0: Blank::BLANK,
    };
}

/// y, its transform and w = A y: for the profiles that keep all of them.
pub(super) fn commit<S: ParameterSet, E: Engine>(
    engine: &mut E,
    a: &Matrix<S, E>,
    mask: MaskSeed<'_>,
    y: &mut [E::Poly],
    y_hat: &mut [E::Poly],
    w: &mut [E::Poly],
) -> Result<(), E::Error> {
    engine.expand_mask(y, S::PARAMS.z_encoding(), mask.seed, mask.kappa)?;
    for (y_hat, y) in y_hat.iter_mut().zip(y) {
        engine.copy(y_hat, y)?;
        engine.ntt(y_hat)?;
    }
    for (w, a) in w.iter_mut().zip(a.rows()) {
        engine.dot(w, a, y_hat)?;
        engine.intt(w)?;
    }
    Ok(())
}

/// What is asked for when polynomial `index` of `count` is wanted: it, or all at the first.
fn asked_for<E: Engine>(index: usize, count: usize) -> Range<usize> {
    match (E::QUEUES, index) {
        (true, 0) => 0..count,
        (true, _) => 0..0,
        (false, _) => index..index + 1,
    }
}

/// The high bits of w to `hash`.
pub(super) fn absorb<S: ParameterSet, E: Engine>(
    engine: &mut E,
    w: &[E::Poly],
    hash: &mut E::Hash,
) -> Result<(), E::Error> {
    w.iter().try_for_each(|w| engine.absorb_w1(hash, w, S::PARAMS.gamma2))
}

impl<S: ParameterSet, E: Engine> SigningSteps<S, E, FastSecret<S, E>> for FastSigning<S, E> {
    fn commit(
        &mut self,
        engine: &mut E,
        kept: &FastSecret<S, E>,
        _: &SecretKey<'_>,
        mask: MaskSeed<'_>,
    ) -> Result<(), E::Error> {
        let (y, y_hat, w) = (self.y.as_mut(), self.y_hat.as_mut(), self.w.as_mut());
        commit::<S, E>(engine, &kept.a, mask, y, y_hat, w)
    }

    fn absorb(&mut self, engine: &mut E, hash: &mut E::Hash) -> Result<(), E::Error> {
        absorb::<S, E>(engine, self.w.as_ref(), hash)
    }

    fn challenge(&mut self, engine: &mut E, seed: &[u8]) -> Result<(), E::Error> {
        engine.sample_in_ball(&mut self.c, seed, S::PARAMS.tau)?;
        engine.prepare_challenge(&mut self.prepared_c, &self.c)
    }

    fn residue(
        &mut self,
        engine: &mut E,
        kept: &FastSecret<S, E>,
        _: &SecretKey<'_>,
        row: usize,
    ) -> Result<&E::Poly, E::Error> {
        for row in asked_for::<E>(row, S::PARAMS.k) {
            let w = &mut self.w.as_mut()[row];
            engine.subtract_challenge_product(w, &self.prepared_c, &kept.s2.as_ref()[row])?;
        }
        Ok(&self.w.as_ref()[row])
    }

    fn response(
        &mut self,
        engine: &mut E,
        kept: &FastSecret<S, E>,
        _: &SecretKey<'_>,
        _: MaskSeed<'_>,
        column: usize,
    ) -> Result<&E::Poly, E::Error> {
        for column in asked_for::<E>(column, S::PARAMS.l) {
            let y = &mut self.y.as_mut()[column];
            engine.add_challenge_product(y, &self.prepared_c, &kept.s1.as_ref()[column])?;
        }
        Ok(&self.y.as_ref()[column])
    }

    fn ct0(
        &mut self,
        engine: &mut E,
        _: &FastSecret<S, E>,
        t0: &[u8; T0_LEN],
        row: usize,
    ) -> Result<&E::Poly, E::Error> {
        if row == 0 {
            engine.load_challenge(&mut self.c_hat, &self.c)?;
            engine.ntt(&mut self.c_hat)?;
        }
        engine.unpack(&mut self.t0, Encoding::T0, t0)?;
        engine.ntt(&mut self.t0)?;
        engine.multiply(&mut self.ct0, &self.c_hat, &self.t0)?;
        engine.intt(&mut self.ct0)?;
        Ok(&self.ct0)
    }

    fn hint(&mut self, engine: &mut E, row: usize, places: &mut [u8]) -> Result<Option<usize>, E::Error> {
        engine.make_hint(&self.w.as_ref()[row], &self.ct0, S::PARAMS.gamma2, places)
    }

    fn release(&mut self, engine: &mut E) {
        let vectors = [self.y.as_mut(), self.y_hat.as_mut(), self.w.as_mut()];
        release(engine, vectors.into_iter().flatten());
        release(engine, [&mut self.c_hat, &mut self.t0, &mut self.ct0]);
        engine.release_challenge(&mut self.prepared_c);
    }
}

/// z and c transformed; A is sampled row by row.
pub struct FastVerifying<S: ParameterSet, E: Engine> {
    z: S::Columns<E::Poly>,
    c_hat: E::Poly,
    t1: E::Poly,
    w: E::Poly,
}

impl<S: ParameterSet, E: Engine> Blank for FastVerifying<S, E> {
    const BLANK: Self = Self { z: Blank::BLANK, c_hat: Blank::BLANK, t1: Blank::BLANK, w: Blank::BLANK };
}

impl<S: ParameterSet, E: Engine, K: KeptPublic<S, E>> VerifyingSteps<S, E, K> for FastVerifying<S, E> {
    fn begin(&mut self, engine: &mut E, z: &[u8], c: &Challenge) -> Result<bool, E::Error> {
        engine.load_challenge(&mut self.c_hat, c)?;
        engine.ntt(&mut self.c_hat)?;
        unpack_response::<S, E>(engine, self.z.as_mut(), z)
    }

    fn w(
        &mut self,
        engine: &mut E,
        kept: &K,
        rho: &Rho,
        _: &[u8],
        _: &Challenge,
        row: u8,
        t1: &[u8; T1_LEN],
    ) -> Result<&mut E::Poly, E::Error> {
        let Self { z, c_hat, t1: t1_hat, w } = self;
        kept.w_row(engine, w, rho, row, z.as_ref(), c_hat, t1, t1_hat)?;
        engine.intt(w)?;
        Ok(w)
    }

    fn release(&mut self, engine: &mut E) {
        let others = [&mut self.c_hat, &mut self.t1, &mut self.w];
        release(engine, self.z.as_mut().iter_mut().chain(others));
    }
}

/// A, and t1 transformed.
pub struct MatrixPublic<S: ParameterSet, E: Engine> {
    a: Matrix<S, E>,
    t1: S::Rows<E::Poly>,
}

impl<S: ParameterSet, E: Engine> Blank for MatrixPublic<S, E> {
    const BLANK: Self = Self { a: Blank::BLANK, t1: Blank::BLANK };
}

impl<S: ParameterSet, E: Engine> KeptPublic<S, E> for MatrixPublic<S, E> {
    fn prepare(&mut self, engine: &mut E, rho: &Rho, t1: &[[u8; T1_LEN]]) -> Result<(), E::Error> {
        self.a.expand(engine, rho)?;
        for (out, t1) in self.t1.as_mut().iter_mut().zip(t1) {
            engine.unpack_t1(out, t1)?;
            engine.ntt(out)?;
        }
        Ok(())
    }

    fn w_row(
        &self,
        engine: &mut E,
        w: &mut E::Poly,
        _: &Rho,
        row: u8,
        z: &[E::Poly],
        c_hat: &E::Poly,
        _: &[u8; T1_LEN],
        _: &mut E::Poly,
    ) -> Result<(), E::Error> {
        for (a, t1) in self.a.rows().zip(self.t1.as_ref()).skip(usize::from(row)).take(1) {
            engine.dot(w, a, z)?;
            engine.multiply_subtract(w, c_hat, t1)?;
        }
        Ok(())
    }

    fn release(&mut self, engine: &mut E) {
        self.a.release(engine);
        release(engine, self.t1.as_mut());
    }
}
