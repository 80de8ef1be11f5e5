//! The profile that keeps what the reference C code keeps.
use super::{
    KeptSecret, KeygenSteps, MaskSeed, Reference, SigningSteps, Steps,
    fast::{FastVerifying, Matrix, MatrixPublic, absorb, commit},
    release, unpack_secrets,
};
use crate::{
    blank::Blank,
    challenge::Challenge,
    encoding::Encoding,
    engine::{Engine, Rho},
    layout::SecretKey,
    params::{ParameterSet, T0_LEN},
};

impl Steps for Reference {
    type Keygen<S: ParameterSet, E: Engine> = ReferenceKeygen<S, E>;
    type Secret<S: ParameterSet, E: Engine> = ReferenceSecret<S, E>;
    type Signing<S: ParameterSet, E: Engine> = ReferenceSigning<S, E>;
    type Public<S: ParameterSet, E: Engine> = MatrixPublic<S, E>;
    type Verifying<S: ParameterSet, E: Engine> = FastVerifying<S, E>;
}

/// A, s1, s2 and t.
pub struct ReferenceKeygen<S: ParameterSet, E: Engine> {
    a: Matrix<S, E>,
    s1: S::Columns<E::Poly>,
    s2: S::Rows<E::Poly>,
    t: S::Rows<E::Poly>,
}

impl<S: ParameterSet, E: Engine> Blank for ReferenceKeygen<S, E> {
    const BLANK: Self = Self { a: Blank::BLANK, s1: Blank::BLANK, s2: Blank::BLANK, t: Blank::BLANK };
}

impl<S: ParameterSet, E: Engine> KeygenSteps<S, E> for ReferenceKeygen<S, E> {
    fn scratch(&mut self) -> &mut [E::Poly] {
        self.s1.as_mut()
    }

    fn begin(&mut self, engine: &mut E, rho: &Rho, s1: &[u8]) -> Result<(), E::Error> {
        self.a.expand(engine, rho)?;
        unpack_secrets::<S, E>(engine, self.s1.as_mut(), s1)
    }

    fn t(
        &mut self,
        engine: &mut E,
        _: &Rho,
        _: &[u8],
        row: u8,
        s2_packed: &[u8],
    ) -> Result<&E::Poly, E::Error> {
        let row = usize::from(row);
        let (t, s2) = (&mut self.t.as_mut()[row], &mut self.s2.as_mut()[row]);
        for a in self.a.rows().skip(row).take(1) {
            engine.dot(t, a, self.s1.as_ref())?;
        }
        engine.intt(t)?;
        engine.unpack(s2, S::PARAMS.s_encoding(), s2_packed)?;
        engine.add(t, s2)?;
        Ok(t)
    }

    fn release(&mut self, engine: &mut E) {
        self.a.release(engine);
        release(engine, [self.s1.as_mut(), self.s2.as_mut(), self.t.as_mut()].into_iter().flatten());
    }
}

/// A, s1, s2 and t0, all but A transformed.
pub struct ReferenceSecret<S: ParameterSet, E: Engine> {
    a: Matrix<S, E>,
    s1: S::Columns<E::Poly>,
    s2: S::Rows<E::Poly>,
    t0: S::Rows<E::Poly>,
}

impl<S: ParameterSet, E: Engine> Blank for ReferenceSecret<S, E> {
    const BLANK: Self = Self { a: Blank::BLANK, s1: Blank::BLANK, s2: Blank::BLANK, t0: Blank::BLANK };
}

impl<S: ParameterSet, E: Engine> KeptSecret<S, E> for ReferenceSecret<S, E> {
    fn prepare(&mut self, engine: &mut E, key: &SecretKey<'_>) -> Result<(), E::Error> {
        self.a.expand(engine, key.rho)?;
        unpack_secrets::<S, E>(engine, self.s1.as_mut(), key.s1)?;
        unpack_secrets::<S, E>(engine, self.s2.as_mut(), key.s2)?;
        for (t0, bytes) in self.t0.as_mut().iter_mut().zip(key.t0) {
            engine.unpack(t0, Encoding::T0, bytes)?;
            engine.ntt(t0)?;
        }
        Ok(())
    }

    fn release(&mut self, engine: &mut E) {
        self.a.release(engine);
        release(engine, [self.s1.as_mut(), self.s2.as_mut(), self.t0.as_mut()].into_iter().flatten());
    }
}

/// The vectors of an attempt.
pub struct ReferenceSigning<S: ParameterSet, E: Engine> {
    y: S::Columns<E::Poly>,
    /// y transformed, then z.
    z: S::Columns<E::Poly>,
    /// Then w - c s2.
    w: S::Rows<E::Poly>,
    cs2: S::Rows<E::Poly>,
    ct0: S::Rows<E::Poly>,
    c_hat: E::Poly,
}

impl<S: ParameterSet, E: Engine> Blank for ReferenceSigning<S, E> {
    const BLANK: Self = Self {
        y: Blank::BLANK,
        z: Blank::BLANK,
        w: Blank::BLANK,
        cs2: Blank::BLANK,
        ct0: Blank::BLANK,
        c_hat: Blank::BLANK,
    };
}

impl<S: ParameterSet, E: Engine> SigningSteps<S, E, ReferenceSecret<S, E>> for ReferenceSigning<S, E> {
    fn commit(
        &mut self,
        engine: &mut E,
        kept: &ReferenceSecret<S, E>,
        _: &SecretKey<'_>,
        mask: MaskSeed<'_>,
    ) -> Result<(), E::Error> {
        let (y, y_hat, w) = (self.y.as_mut(), self.z.as_mut(), self.w.as_mut());
        commit::<S, E>(engine, &kept.a, mask, y, y_hat, w)
    }

    fn absorb(&mut self, engine: &mut E, hash: &mut E::Hash) -> Result<(), E::Error> {
        absorb::<S, E>(engine, self.w.as_ref(), hash)
    }

    fn challenge(&mut self, engine: &mut E, seed: &[u8]) -> Result<(), E::Error> {
        let mut c = Challenge::NONE;
        engine.sample_in_ball(&mut c, seed, S::PARAMS.tau)?;
        engine.load_challenge(&mut self.c_hat, &c)?;
        engine.ntt(&mut self.c_hat)
    }

    fn residue(
        &mut self,
        engine: &mut E,
        kept: &ReferenceSecret<S, E>,
        _: &SecretKey<'_>,
        row: usize,
    ) -> Result<&E::Poly, E::Error> {
        let (w, cs2) = (&mut self.w.as_mut()[row], &mut self.cs2.as_mut()[row]);
        engine.multiply(cs2, &self.c_hat, &kept.s2.as_ref()[row])?;
        engine.intt(cs2)?;
        engine.subtract(w, cs2)?;
        Ok(w)
    }

    fn response(
        &mut self,
        engine: &mut E,
        kept: &ReferenceSecret<S, E>,
        _: &SecretKey<'_>,
        _: MaskSeed<'_>,
        column: usize,
    ) -> Result<&E::Poly, E::Error> {
        let z = &mut self.z.as_mut()[column];
        engine.multiply(z, &self.c_hat, &kept.s1.as_ref()[column])?;
        engine.intt(z)?;
        engine.add(z, &self.y.as_ref()[column])?;
        Ok(z)
    }

    fn ct0(
        &mut self,
        engine: &mut E,
        kept: &ReferenceSecret<S, E>,
        _: &[u8; T0_LEN],
        row: usize,
    ) -> Result<&E::Poly, E::Error> {
        let ct0 = &mut self.ct0.as_mut()[row];
        engine.multiply(ct0, &self.c_hat, &kept.t0.as_ref()[row])?;
        engine.intt(ct0)?;
        Ok(ct0)
    }

    fn hint(&mut self, engine: &mut E, row: usize, places: &mut [u8]) -> Result<Option<usize>, E::Error> {
        engine.make_hint(&self.w.as_ref()[row], &self.ct0.as_ref()[row], S::PARAMS.gamma2, places)
    }

    fn release(&mut self, engine: &mut E) {
        let vectors =
            [self.y.as_mut(), self.z.as_mut(), self.w.as_mut(), self.cs2.as_mut(), self.ct0.as_mut()];
        release(engine, vectors.into_iter().flatten().chain([&mut self.c_hat]));
    }
}
