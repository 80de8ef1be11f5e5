//! The design of the co-designs before: one call, one round trip.
use pqsoc_mldsa::{Blank, Challenge, Compact, Encoding, Engine, N, Portable, Q, Rho, T0_LEN, T1_LEN, field};
use pqsoc_registers::{Command, Opcode};
use zeroize::Zeroize;

use super::{POLY, done, eta_opcode, gamma1_opcode, indices};
use crate::accelerator::Accelerator;
use crate::buffer::{Pool, Software};
use crate::dma::{Failed, InPlace};
use crate::error::Error;
use crate::hash::Hash;
use crate::platform::Platform;

/// A polynomial in a buffer of its own, so that the DMA reads and fills it where it is.
///
/// As the portable engine has it: products carry a factor 2^-32.
#[derive(Debug)]
pub struct StudyPoly(Option<crate::buffer::Buffer<Software>>);

impl Blank for StudyPoly {
    const BLANK: Self = Self(None);
}

impl StudyPoly {
    fn get(&self) -> Result<&Software, Error> {
        self.0.as_deref().ok_or(Error::Blank)
    }

    fn get_mut(&mut self) -> Result<&mut Software, Error> {
        self.0.as_deref_mut().ok_or(Error::Blank)
    }
}

/// The slot that calls work in.
const WORK: u8 = 0;
/// The slot that has 2^32 in every coefficient, which takes the factor off products.
const FACTOR: u8 = 1;

/// An engine that has each transform, each hash and each sampled polynomial done by the fabric, one at a time, with operands
/// and result through the DMA, and does the rest itself. `COUNT` polynomials can be in use at once.
///
/// When none is in use any more, the fabric is cleared.
pub struct Study<'a, P, const COUNT: usize> {
    accelerator: &'a mut Accelerator<P>,
    pool: &'a mut Pool<Software, COUNT>,
    /// The reset since which [`FACTOR`] has been loaded.
    factor: Option<u32>,
}

impl<'a, P: Platform, const COUNT: usize> Study<'a, P, COUNT> {
    /// An engine over this accelerator, with polynomials in these buffers. ML-DSA-87 uses 100 of them with the profile
    /// `Fast`, and more with `Reference`.
    pub fn new(accelerator: &'a mut Accelerator<P>, pool: &'a mut Pool<Software, COUNT>) -> Self {
        accelerator.refill(pool);
        Self { accelerator, pool, factor: None }
    }

    /// A polynomial to be written as a whole.
    fn place<'p>(&mut self, p: &'p mut StudyPoly) -> Result<&'p mut Software, Error> {
        if p.0.is_none() {
            p.0 = self.pool.take().or_else(|| self.accelerator.reclaim());
        }
        p.0.as_deref_mut().ok_or(Error::Full)
    }

    /// `out` = what `opcode` samples of `seed` and two bytes.
    fn sample(&mut self, out: &mut StudyPoly, opcode: Opcode, seed: &[u8], tail: u16) -> Result<(), Error> {
        self.place(out)?;
        for (to, from) in self.accelerator.outgoing()?.bytes_mut().iter_mut().zip(seed) {
            *to = *from;
        }
        let words = seed.len() / 8;
        let commands = [
            Command::string_load(0, words as u16),
            Command::new(opcode, WORK, 0, words as u8, tail.into()),
            Command::store(WORK),
        ];
        self.accelerator.exchange(seed.len(), &mut out.0, POLY, &commands)
    }

    /// [`sample`](Self::sample) with consecutive numbers in the two bytes.
    fn sample_all(
        &mut self,
        out: &mut [StudyPoly],
        opcode: Opcode,
        seed: &[u8],
        nonce: u16,
    ) -> Result<(), Error> {
        let mut nonce = nonce;
        for out in out {
            self.sample(out, opcode, seed, nonce)?;
            nonce = nonce.wrapping_add(1);
        }
        Ok(())
    }

    /// Loads [`FACTOR`], unless it is there.
    fn load_factor(&mut self) -> Result<(), Error> {
        self.accelerator.prepare()?;
        let epoch = Some(self.accelerator.epoch());
        if self.factor != epoch {
            const R: u32 = ((1u64 << 32) % Q as u64) as u32;
            self.accelerator.outgoing()?[..N].fill(R);
            self.accelerator.converse(POLY, 0, &[Command::load(FACTOR)])?;
            self.factor = epoch;
        }
        Ok(())
    }

    /// Calls `f` with A\[row\]\[column\].
    fn with_a(&mut self, rho: &Rho, row: u8, column: u8, f: impl FnOnce(&[u32; N])) -> Result<(), Error> {
        super::with_blank(self, |this, [a]| {
            this.sample(a, Opcode::SampleUniform, rho, indices(row, column))?;
            f(a.get()?.coefficients());
            Ok(())
        })
    }
}

impl<P: Platform, const COUNT: usize> Engine for Study<'_, P, COUNT> {
    type Poly = StudyPoly;
    /// A transform.
    type Secret = StudyPoly;
    /// A transform.
    type Challenge = StudyPoly;
    type Hash = Hash;
    type Error = Error;

    fn load(&mut self, out: &mut StudyPoly, coefficients: &[u32; N]) -> Result<(), Error> {
        *self.place(out)?.coefficients_mut() = *coefficients;
        Ok(())
    }

    fn store(&mut self, p: &StudyPoly, coefficients: &mut [u32; N]) -> Result<(), Error> {
        done(Portable.store(p.get()?, coefficients));
        Ok(())
    }

    fn copy(&mut self, out: &mut StudyPoly, p: &StudyPoly) -> Result<(), Error> {
        *self.place(out)?.coefficients_mut() = *p.get()?.coefficients();
        Ok(())
    }

    fn clear(&mut self, out: &mut StudyPoly) -> Result<(), Error> {
        self.place(out)?.coefficients_mut().fill(0);
        Ok(())
    }

    fn release(&mut self, p: &mut StudyPoly) {
        if let Some(mut buffer) = p.0.take() {
            buffer.zeroize();
            self.pool.give(buffer);
            if self.pool.count() == COUNT {
                self.factor = None;
                self.accelerator.clear();
            }
        }
    }

    fn release_secret(&mut self, s: &mut StudyPoly) {
        self.release(s);
    }

    fn release_challenge(&mut self, c: &mut StudyPoly) {
        self.release(c);
    }

    fn ntt(&mut self, p: &mut StudyPoly) -> Result<(), Error> {
        let buffer = p.0.take().ok_or(Error::Blank)?;
        let commands = [Command::load(WORK), Command::ntt(WORK, WORK), Command::store(WORK)];
        match self.accelerator.call(InPlace(buffer, POLY as u32), &commands) {
            Ok(InPlace(buffer, _)) => {
                p.0 = Some(buffer);
                Ok(())
            }
            Err(Failed { error, cargo }) => {
                p.0 = cargo.map(|cargo| cargo.0);
                Err(error)
            }
        }
    }

    fn intt(&mut self, p: &mut StudyPoly) -> Result<(), Error> {
        self.load_factor()?;
        if let Some(coefficients) = self.accelerator.outgoing()?.first_chunk_mut() {
            done(Portable.store(p.get()?, coefficients));
        }
        let commands = [
            Command::load(WORK),
            Command::mul(WORK, WORK, FACTOR),
            Command::intt(WORK, WORK),
            Command::store(WORK),
        ];
        self.accelerator.exchange(POLY, &mut p.0, POLY, &commands)
    }

    fn add(&mut self, acc: &mut StudyPoly, p: &StudyPoly) -> Result<(), Error> {
        done(Portable.add(acc.get_mut()?, p.get()?));
        Ok(())
    }

    fn subtract(&mut self, acc: &mut StudyPoly, p: &StudyPoly) -> Result<(), Error> {
        done(Portable.subtract(acc.get_mut()?, p.get()?));
        Ok(())
    }

    fn multiply(&mut self, out: &mut StudyPoly, a: &StudyPoly, b: &StudyPoly) -> Result<(), Error> {
        done(Portable.multiply(self.place(out)?, a.get()?, b.get()?));
        Ok(())
    }

    fn multiply_subtract(&mut self, acc: &mut StudyPoly, a: &StudyPoly, b: &StudyPoly) -> Result<(), Error> {
        done(Portable.multiply_subtract(acc.get_mut()?, a.get()?, b.get()?));
        Ok(())
    }

    fn dot(&mut self, out: &mut StudyPoly, a: &[StudyPoly], v: &[StudyPoly]) -> Result<(), Error> {
        const BLOCK: usize = 16;
        let out = self.place(out)?;
        for (block, out) in out.coefficients_mut().as_chunks_mut::<BLOCK>().0.iter_mut().enumerate() {
            // Transforms are below q here: sixteen products and more stay below 2^32 q.
            let mut sum = [0u64; BLOCK];
            for (a, v) in a.iter().zip(v) {
                let a = a.get()?.coefficients().as_chunks::<BLOCK>().0.get(block);
                let v = v.get()?.coefficients().as_chunks::<BLOCK>().0.get(block);
                if let (Some(a), Some(v)) = (a, v) {
                    for ((sum, &a), &v) in sum.iter_mut().zip(a).zip(v) {
                        *sum += u64::from(a) * u64::from(v);
                    }
                }
            }
            *out = sum.map(field::montgomery);
        }
        Ok(())
    }

    fn expand_a(&mut self, out: &mut [StudyPoly], rho: &Rho, row: u8) -> Result<(), Error> {
        for (column, out) in (0..).zip(out) {
            self.sample(out, Opcode::SampleUniform, rho, indices(row, column))?;
        }
        Ok(())
    }

    fn expand_a_dot(
        &mut self,
        out: &mut StudyPoly,
        rho: &Rho,
        row: u8,
        v: &[StudyPoly],
    ) -> Result<(), Error> {
        let acc = self.place(out)?.coefficients_mut();
        acc.fill(0);
        for (column, v) in (0..).zip(v) {
            let v = v.get()?.coefficients();
            self.with_a(rho, row, column, |a| {
                // Below 2q each, and there are at most eight.
                for ((acc, &a), &v) in acc.iter_mut().zip(a).zip(v) {
                    *acc += field::multiply(a, v);
                }
            })?;
        }
        for c in acc {
            *c = field::reduce(*c);
        }
        Ok(())
    }

    fn expand_a_accumulate(
        &mut self,
        acc: &mut Compact,
        rho: &Rho,
        row: u8,
        column: u8,
        v: &StudyPoly,
    ) -> Result<(), Error> {
        let v = v.get()?.coefficients();
        self.with_a(rho, row, column, |a| {
            for ((acc, &a), &v) in acc.as_chunks_mut::<3>().0.iter_mut().zip(a).zip(v) {
                let [low, middle, high] = *acc;
                let sum = u32::from_le_bytes([low, middle, high, 0]) + field::multiply(a, v);
                let [low, middle, high, _] = field::reduce(sum).to_le_bytes();
                *acc = [low, middle, high];
            }
        })
    }

    fn expand_s(
        &mut self,
        out: &mut [StudyPoly],
        eta: Encoding,
        seed: &[u8],
        nonce: u16,
    ) -> Result<(), Error> {
        self.sample_all(out, eta_opcode(eta), seed, nonce)
    }

    fn expand_mask(
        &mut self,
        out: &mut [StudyPoly],
        gamma1: Encoding,
        seed: &[u8],
        nonce: u16,
    ) -> Result<(), Error> {
        self.sample_all(out, gamma1_opcode(gamma1), seed, nonce)
    }

    fn sample_in_ball(&mut self, out: &mut Challenge, seed: &[u8], tau: usize) -> Result<(), Error> {
        super::sample_in_ball(self.accelerator, out, seed, tau)
    }

    fn load_challenge(&mut self, out: &mut StudyPoly, c: &Challenge) -> Result<(), Error> {
        done(Portable.load_challenge(self.place(out)?, c));
        Ok(())
    }

    fn prepare_challenge(&mut self, out: &mut StudyPoly, c: &Challenge) -> Result<(), Error> {
        super::prepare_challenge(self, out, c)
    }

    fn prepare_secret(&mut self, out: &mut StudyPoly, encoding: Encoding, bytes: &[u8]) -> Result<(), Error> {
        super::prepare_secret(self, out, encoding, bytes)
    }

    fn add_challenge_product(
        &mut self,
        acc: &mut StudyPoly,
        c: &StudyPoly,
        s: &StudyPoly,
    ) -> Result<(), Error> {
        super::with_product(self, c, s, |this, product| this.add(acc, product))
    }

    fn subtract_challenge_product(
        &mut self,
        acc: &mut StudyPoly,
        c: &StudyPoly,
        s: &StudyPoly,
    ) -> Result<(), Error> {
        super::with_product(self, c, s, |this, product| this.subtract(acc, product))
    }

    fn add_challenge_product_packed(
        &mut self,
        acc: &mut StudyPoly,
        c: &Challenge,
        encoding: Encoding,
        bytes: &[u8],
    ) -> Result<(), Error> {
        super::add_challenge_product_packed(self, acc, c, encoding, bytes)
    }

    fn subtract_challenge_t1(
        &mut self,
        acc: &mut StudyPoly,
        c: &Challenge,
        bytes: &[u8; T1_LEN],
    ) -> Result<(), Error> {
        super::subtract_challenge_t1(self, acc, c, bytes)
    }

    fn unpack(&mut self, out: &mut StudyPoly, encoding: Encoding, bytes: &[u8]) -> Result<(), Error> {
        done(Portable.unpack(self.place(out)?, encoding, bytes));
        Ok(())
    }

    fn add_packed(&mut self, acc: &mut StudyPoly, encoding: Encoding, bytes: &[u8]) -> Result<(), Error> {
        done(Portable.add_packed(acc.get_mut()?, encoding, bytes));
        Ok(())
    }

    fn pack(&mut self, p: &StudyPoly, encoding: Encoding, bytes: &mut [u8]) -> Result<(), Error> {
        done(Portable.pack(p.get()?, encoding, bytes));
        Ok(())
    }

    fn unpack_t1(&mut self, out: &mut StudyPoly, bytes: &[u8; T1_LEN]) -> Result<(), Error> {
        done(Portable.unpack_t1(self.place(out)?, bytes));
        Ok(())
    }

    fn power2round(
        &mut self,
        t: &StudyPoly,
        t1: &mut [u8; T1_LEN],
        t0: &mut [u8; T0_LEN],
    ) -> Result<(), Error> {
        done(Portable.power2round(t.get()?, t1, t0));
        Ok(())
    }

    fn compress(&mut self, p: &StudyPoly, out: &mut Compact) -> Result<(), Error> {
        done(Portable.compress(p.get()?, out));
        Ok(())
    }

    fn restore(&mut self, out: &mut StudyPoly, compact: &Compact) -> Result<(), Error> {
        done(Portable.restore(self.place(out)?, compact));
        Ok(())
    }

    fn restore_product(&mut self, out: &mut StudyPoly, compact: &Compact) -> Result<(), Error> {
        done(Portable.restore_product(self.place(out)?, compact));
        Ok(())
    }

    fn norm_reaches(&mut self, p: &StudyPoly, bound: u32) -> Result<bool, Error> {
        Ok(done(Portable.norm_reaches(p.get()?, bound)))
    }

    fn low_bits_reach(&mut self, p: &StudyPoly, gamma2: u32, bound: u32) -> Result<bool, Error> {
        Ok(done(Portable.low_bits_reach(p.get()?, gamma2, bound)))
    }

    fn make_hint(
        &mut self,
        r: &StudyPoly,
        ct0: &StudyPoly,
        gamma2: u32,
        places: &mut [u8],
    ) -> Result<Option<usize>, Error> {
        Ok(done(Portable.make_hint(r.get()?, ct0.get()?, gamma2, places)))
    }

    fn make_hint_compact(
        &mut self,
        r: &Compact,
        ct0: &StudyPoly,
        gamma2: u32,
        places: &mut [u8],
    ) -> Result<Option<usize>, Error> {
        Ok(done(Portable.make_hint_compact(r, ct0.get()?, gamma2, places)))
    }

    fn absorb(&mut self, hash: &mut Hash, bytes: &[u8]) -> Result<(), Error> {
        self.accelerator.absorb(hash, bytes)
    }

    fn absorb_w1(&mut self, hash: &mut Hash, w: &StudyPoly, gamma2: u32) -> Result<(), Error> {
        let mut outcome = Ok(());
        Portable::encode_w1(w.get()?, gamma2, |w1| outcome = self.accelerator.absorb(hash, w1));
        outcome
    }

    fn absorb_hinted_w1(
        &mut self,
        hash: &mut Hash,
        w: &mut StudyPoly,
        gamma2: u32,
        places: &[u8],
    ) -> Result<(), Error> {
        let mut outcome = Ok(());
        let take = |w1: &[u8]| outcome = self.accelerator.absorb(hash, w1);
        Portable::encode_hinted_w1(w.get_mut()?, gamma2, places, take);
        outcome
    }

    fn finish(&mut self, hash: &mut Hash, out: &mut [u8]) -> Result<(), Error> {
        self.accelerator.squeeze(hash, out)
    }
}
