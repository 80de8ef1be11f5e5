//! What key files need of the schemes: sizes, key generation and the checks of an imported key.
use crate::{Algorithm, Family, Inconsistency, Part, PublicKey};
use pqsoc_mldsa::{KeyError, dynamic};
use pqsoc_slhdsa::{Params, SigningKey};
use zeroize::Zeroizing;

/// A parameter set of either family, as its crate knows it.
#[derive(Clone, Copy)]
pub enum Scheme {
    /// ML-DSA.
    MlDsa(&'static dyn dynamic::Scheme),
    /// SLH-DSA.
    SlhDsa(&'static Params),
}

/// Lengths in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The seed of key generation: xi, or SK.seed || SK.prf || PK.seed.
    pub seed: usize,
    /// The private key as the signing algorithm takes it.
    pub private: usize,
    /// The public key.
    pub public: usize,
    /// A signature.
    pub signature: usize,
}

impl Sizes {
    /// The length of a part.
    pub const fn of(&self, part: Part) -> usize {
        match part {
            Part::Seed => self.seed,
            Part::PrivateKey => self.private,
            Part::PublicKey => self.public,
            Part::Signature => self.signature,
            Part::KeyPair => self.private + self.public,
        }
    }
}

/// A private key as the signing algorithms take it, and its public key.
#[derive(Clone)]
pub struct KeyPair {
    /// sk of FIPS 204 or FIPS 205. Secret; wiped when dropped.
    pub private: Zeroizing<Vec<u8>>,
    /// The public key.
    pub public: PublicKey,
}

impl Algorithm {
    /// Its parameter set.
    pub fn scheme(&self) -> Scheme {
        let scheme = match self.family() {
            Family::MlDsa => dynamic::by_name(self.set()).map(Scheme::MlDsa),
            Family::SlhDsa => Params::by_name(self.set()).map(Scheme::SlhDsa),
        };
        scheme.expect("the table names sets that exist")
    }

    /// Its lengths.
    pub fn sizes(&self) -> Sizes {
        match self.scheme() {
            Scheme::MlDsa(scheme) => {
                let params = scheme.params();
                Sizes {
                    seed: pqsoc_mldsa::SEED_LEN,
                    private: params.secret_key_len(),
                    public: params.public_key_len(),
                    signature: params.signature_len(),
                }
            }
            Scheme::SlhDsa(params) => Sizes {
                seed: 3 * params.n,
                private: params.private_key_len(),
                public: params.public_key_len(),
                signature: params.signature_len(),
            },
        }
    }
}

/// Key generation from a seed of the right length.
pub(crate) fn generate(algorithm: Algorithm, seed: &[u8]) -> KeyPair {
    let sizes = algorithm.sizes();
    let mut private = Zeroizing::new(vec![0; sizes.private]);
    let mut public = vec![0; sizes.public];
    match algorithm.scheme() {
        Scheme::MlDsa(scheme) => {
            let xi = Zeroizing::new(seed.try_into().expect("callers check the length"));
            scheme
                .keygen(&xi, &mut public, &mut private)
                .expect("software with the right lengths does not fail");
        }
        Scheme::SlhDsa(params) => {
            let n = params.n;
            let key = SigningKey::from_seeds(params, &seed[..n], &seed[n..2 * n], &seed[2 * n..])
                .expect("callers check the length");
            private.copy_from_slice(key.as_bytes());
            public.copy_from_slice(key.verifying_key().as_bytes());
        }
    }
    KeyPair { private, public: PublicKey::new(algorithm, public) }
}

/// The public key of a private key of the right length, and what is found wrong with the private key on the way. The
/// root of an SLH-DSA key is taken as it is.
pub(crate) fn public_key(algorithm: Algorithm, private: &[u8]) -> Result<PublicKey, Inconsistency> {
    let mut public = vec![0; algorithm.sizes().public];
    match algorithm.scheme() {
        Scheme::MlDsa(scheme) => scheme.public_key(private, &mut public).map_err(|error| match error {
            KeyError::T0 => Inconsistency::T0,
            KeyError::Tr => Inconsistency::Tr,
            KeyError::SecretRange => Inconsistency::Range,
            error => unreachable!("the length is right and software does not fail: {error}"),
        })?,
        Scheme::SlhDsa(params) => public.copy_from_slice(&private[2 * params.n..]),
    }
    Ok(PublicKey::new(algorithm, public))
}

/// Checks what [`public_key`] takes as it is.
pub(crate) fn check_root(algorithm: Algorithm, private: &[u8]) -> Result<(), Inconsistency> {
    match algorithm.scheme() {
        Scheme::MlDsa(_) => Ok(()),
        Scheme::SlhDsa(params) => SigningKey::from_bytes(params, private)
            .and_then(|key| key.check())
            .map_err(|_| Inconsistency::Root),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 204, table 2; FIPS 205, table 2.
    #[test]
    fn sizes_are_those_of_the_standards() {
        let sizes = |name: &str| {
            let Sizes { seed, private, public, signature } = name.parse::<Algorithm>().unwrap().sizes();
            [seed, private, public, signature]
        };
        assert_eq!(sizes("ML-DSA-44"), [32, 2560, 1312, 2420]);
        assert_eq!(sizes("ML-DSA-65"), [32, 4032, 1952, 3309]);
        assert_eq!(sizes("ML-DSA-87"), [32, 4896, 2592, 4627]);
        for hash in ["SHA2", "SHAKE"] {
            for (set, n, signature) in [
                ("128s", 16, 7856),
                ("128f", 16, 17088),
                ("192s", 24, 16224),
                ("192f", 24, 35664),
                ("256s", 32, 29792),
                ("256f", 32, 49856),
            ] {
                assert_eq!(sizes(&format!("SLH-DSA-{hash}-{set}")), [3 * n, 4 * n, 2 * n, signature]);
            }
        }
    }
}
