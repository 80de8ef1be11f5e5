//! The challenge c: a polynomial of tau coefficients 1 or -1 and else zeros.
use crate::params::N;

/// Most coefficients of a challenge that are not zero: tau of ML-DSA-87.
pub const MAX_TAU: usize = 60;

/// A challenge as the list of its terms.
///
/// Not a secret: nothing about a key follows from the challenge, of a rejected attempt neither, as it is a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Challenge {
    /// Term i is X^e for e = `terms[i]` < 256, and -X^(e - 256) for e >= 256.
    terms: [u16; MAX_TAU],
    tau: usize,
}

impl Challenge {
    /// 0, to begin with.
    pub const NONE: Self = Self { terms: [0; MAX_TAU], tau: 0 };

    /// SampleInBall, in place: FIPS 204, algorithm 29. `squeeze` gives the output of H on c~, piece by piece.
    ///
    /// Takes time that depends on the challenge. `tau` above [`MAX_TAU`] counts as that.
    pub fn sample<E>(
        &mut self,
        tau: usize,
        mut squeeze: impl FnMut(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let Self { terms, tau: own_tau } = self;
        let tau = tau.min(MAX_TAU);
        *own_tau = tau;
        let mut signs = [0; 8];
        squeeze(&mut signs)?;
        let mut signs = u64::from_le_bytes(signs);
        terms.fill(0);
        let first = N - tau;
        for i in first..N {
            let mut j = [0];
            loop {
                squeeze(&mut j)?;
                if usize::from(j[0]) <= i {
                    break;
                }
            }
            let j = u16::from(j[0]);
            // c_i = c_j: the term at j, if there is one, moves to i, where none is yet; then c_j = 1 or -1.
            let (before, rest) = terms.split_at_mut(i - first);
            if let Some(moved) = before.iter_mut().find(|e| **e % 256 == j) {
                *moved = *moved - j + i as u16;
            }
            if let Some(new) = rest.first_mut() {
                *new = j + 256 * (signs & 1) as u16;
            }
            signs >>= 1;
        }
        Ok(())
    }

    /// The terms: e < 256 stands for X^e, e >= 256 for -X^(e - 256), as X^256 is -1. Each below 512; at most 60.
    pub fn terms(&self) -> &[u16] {
        self.terms.get(..self.tau).unwrap_or(&self.terms)
    }

    /// c = -c.
    pub fn negate(&mut self) {
        for e in &mut self.terms {
            *e ^= 256;
        }
    }

    /// -c.
    pub fn negated(mut self) -> Self {
        self.negate();
        self
    }
}
