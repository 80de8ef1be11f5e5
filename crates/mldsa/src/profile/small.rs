//! The profile that keeps as little as possible.
use super::{KeygenSteps, MaskSeed, SigningSteps, Small, Steps, VerifyingSteps, release};
use crate::{
    blank::Blank,
    challenge::Challenge,
    encoding::{Compact, Encoding},
    engine::{Engine, Rho},
    layout::{SecretKey, polys},
    params::{ParameterSet, T0_LEN, T1_LEN},
};
use core::{marker::PhantomData, slice};
use zeroize::Zeroize;

impl Steps for Small {
    type Keygen<S: ParameterSet, E: Engine> = SmallRow<S, E>;
    type Secret<S: ParameterSet, E: Engine> = ();
    type Signing<S: ParameterSet, E: Engine> = SmallSigning<S, E>;
    type Public<S: ParameterSet, E: Engine> = ();
    type Verifying<S: ParameterSet, E: Engine> = SmallRow<S, E>;
}

/// One row of A times a packed vector, for key generation and verification.
pub struct SmallRow<S: ParameterSet, E: Engine> {
    sum: Compact,
    p: E::Poly,
    set: PhantomData<S>,
}

impl<S: ParameterSet, E: Engine> Blank for SmallRow<S, E> {
    const BLANK: Self = Self { sum: Blank::BLANK, p: Blank::BLANK, set: PhantomData };
}

impl<S: ParameterSet, E: Engine> SmallRow<S, E> {
    /// `p` = row `row` of A v: coefficients. `v` is packed, column after column.
    fn multiply_row(
        &mut self,
        engine: &mut E,
        rho: &Rho,
        row: u8,
        encoding: Encoding,
        v: &[u8],
    ) -> Result<(), E::Error> {
        self.sum = Blank::BLANK;
        for (column, v) in (0..).zip(polys(v, encoding.poly_len())) {
            engine.unpack(&mut self.p, encoding, v)?;
            engine.ntt(&mut self.p)?;
            engine.expand_a_accumulate(&mut self.sum, rho, row, column, &self.p)?;
        }
        engine.restore_product(&mut self.p, &self.sum)?;
        engine.intt(&mut self.p)
    }

    fn release_all(&mut self, engine: &mut E) {
        engine.release(&mut self.p);
        self.sum.zeroize();
    }
}

impl<S: ParameterSet, E: Engine> KeygenSteps<S, E> for SmallRow<S, E> {
    fn scratch(&mut self) -> &mut [E::Poly] {
        slice::from_mut(&mut self.p)
    }

    fn begin(&mut self, _: &mut E, _: &Rho, _: &[u8]) -> Result<(), E::Error> {
        Ok(())
    }

    fn t(&mut self, engine: &mut E, rho: &Rho, s1: &[u8], row: u8, s2: &[u8]) -> Result<&E::Poly, E::Error> {
        let encoding = S::PARAMS.s_encoding();
        self.multiply_row(engine, rho, row, encoding, s1)?;
        engine.add_packed(&mut self.p, encoding, s2)?;
        Ok(&self.p)
    }

    fn release(&mut self, engine: &mut E) {
        self.release_all(engine);
    }
}

impl<S: ParameterSet, E: Engine> VerifyingSteps<S, E, ()> for SmallRow<S, E> {
    fn begin(&mut self, engine: &mut E, z: &[u8], _: &Challenge) -> Result<bool, E::Error> {
        let encoding = S::PARAMS.z_encoding();
        for z in polys(z, encoding.poly_len()) {
            engine.unpack(&mut self.p, encoding, z)?;
            if engine.norm_reaches(&self.p, S::PARAMS.gamma1 - S::PARAMS.beta())? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn w(
        &mut self,
        engine: &mut E,
        (): &(),
        rho: &Rho,
        z: &[u8],
        c: &Challenge,
        row: u8,
        t1: &[u8; T1_LEN],
    ) -> Result<&mut E::Poly, E::Error> {
        self.multiply_row(engine, rho, row, S::PARAMS.z_encoding(), z)?;
        engine.subtract_challenge_t1(&mut self.p, c, t1)?;
        Ok(&mut self.p)
    }

    fn release(&mut self, engine: &mut E) {
        self.release_all(engine);
    }
}

/// w packed, and one polynomial.
pub struct SmallSigning<S: ParameterSet, E: Engine> {
    /// Then w - c s2.
    w: S::Rows<Compact>,
    p: E::Poly,
    c: Challenge,
}

impl<S: ParameterSet, E: Engine> Blank for SmallSigning<S, E> {
    const BLANK: Self = Self { w: Blank::BLANK, p: Blank::BLANK, c: Challenge::NONE };
}

impl<S: ParameterSet, E: Engine> SmallSigning<S, E> {
    /// `p` = the polynomial of y for `column`.
    fn mask(&mut self, engine: &mut E, mask: MaskSeed<'_>, column: u16) -> Result<(), E::Error> {
        let nonce = mask.kappa.wrapping_add(column);
        engine.expand_mask(slice::from_mut(&mut self.p), S::PARAMS.z_encoding(), mask.seed, nonce)
    }
}

/// Polynomial `index` of a packed vector.
fn packed(vector: &[u8], encoding: Encoding, index: usize) -> &[u8] {
    polys(vector, encoding.poly_len()).nth(index).unwrap_or(&[])
}

impl<S: ParameterSet, E: Engine> SigningSteps<S, E, ()> for SmallSigning<S, E> {
    // Not inlined: what they have on the stack does not add up.
    #[inline(never)]
    fn commit(
        &mut self,
        engine: &mut E,
        (): &(),
        key: &SecretKey<'_>,
        mask: MaskSeed<'_>,
    ) -> Result<(), E::Error> {
        for w in self.w.as_mut() {
            w.fill(0);
        }
        for column in 0..S::PARAMS.l as u8 {
            self.mask(engine, mask, column.into())?;
            engine.ntt(&mut self.p)?;
            for (row, w) in (0..).zip(self.w.as_mut()) {
                engine.expand_a_accumulate(w, key.rho, row, column, &self.p)?;
            }
        }
        Ok(())
    }

    #[inline(never)]
    fn absorb(&mut self, engine: &mut E, hash: &mut E::Hash) -> Result<(), E::Error> {
        for w in self.w.as_mut() {
            engine.restore_product(&mut self.p, w)?;
            engine.intt(&mut self.p)?;
            engine.compress(&self.p, w)?;
            engine.absorb_w1(hash, &self.p, S::PARAMS.gamma2)?;
        }
        Ok(())
    }

    fn challenge(&mut self, engine: &mut E, seed: &[u8]) -> Result<(), E::Error> {
        engine.sample_in_ball(&mut self.c, seed, S::PARAMS.tau)
    }

    #[inline(never)]
    fn residue(
        &mut self,
        engine: &mut E,
        (): &(),
        key: &SecretKey<'_>,
        row: usize,
    ) -> Result<&E::Poly, E::Error> {
        let encoding = S::PARAMS.s_encoding();
        let w = &mut self.w.as_mut()[row];
        engine.restore(&mut self.p, w)?;
        let s2 = packed(key.s2, encoding, row);
        // In place, as a copy would be more stack.
        self.c.negate();
        let result = engine.add_challenge_product_packed(&mut self.p, &self.c, encoding, s2);
        self.c.negate();
        result?;
        engine.compress(&self.p, w)?;
        Ok(&self.p)
    }

    #[inline(never)]
    fn response(
        &mut self,
        engine: &mut E,
        (): &(),
        key: &SecretKey<'_>,
        mask: MaskSeed<'_>,
        column: usize,
    ) -> Result<&E::Poly, E::Error> {
        let encoding = S::PARAMS.s_encoding();
        self.mask(engine, mask, column as u16)?;
        let s1 = packed(key.s1, encoding, column);
        engine.add_challenge_product_packed(&mut self.p, &self.c, encoding, s1)?;
        Ok(&self.p)
    }

    #[inline(never)]
    fn ct0(&mut self, engine: &mut E, (): &(), t0: &[u8; T0_LEN], _: usize) -> Result<&E::Poly, E::Error> {
        engine.clear(&mut self.p)?;
        engine.add_challenge_product_packed(&mut self.p, &self.c, Encoding::T0, t0)?;
        Ok(&self.p)
    }

    fn hint(&mut self, engine: &mut E, row: usize, places: &mut [u8]) -> Result<Option<usize>, E::Error> {
        engine.make_hint_compact(&self.w.as_ref()[row], &self.p, S::PARAMS.gamma2, places)
    }

    fn release(&mut self, engine: &mut E) {
        release(engine, [&mut self.p]);
        for w in self.w.as_mut() {
            w.zeroize();
        }
    }
}
