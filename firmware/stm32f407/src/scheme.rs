// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The schemes by name, with one face: keys and signatures in slots.

use pqsoc_keccak::{Shake256, Software};
use pqsoc_mldsa::dynamic::{Of, Scheme as MlDsa};
use pqsoc_mldsa::Reference;
#[cfg(feature = "profiles")]
use pqsoc_mldsa::{Fast, Small};
use pqsoc_mldsa::{Context, Dilithium2, Dilithium3, Dilithium5, Message, MlDsa44, MlDsa65, MlDsa87};
#[cfg(feature = "slh-dsa")]
use pqsoc_slhdsa::{Params, SigningKey, VerifyingKey};

use crate::board::Slots;

/// A set, and how it is computed.
#[derive(Clone, Copy)]
pub enum Scheme {
    /// ML-DSA or Dilithium with a memory profile.
    MlDsa(&'static dyn MlDsa),
    /// SLH-DSA or SPHINCS+.
    #[cfg(feature = "slh-dsa")]
    SlhDsa(&'static Params),
}

/// Something failed that cannot fail with good keys.
#[derive(Debug)]
pub struct Failed;

/// Each profile of each set of ML-DSA.
const ML_DSA: &[(&str, &dyn MlDsa)] = &[
    ("reference", &Of::<MlDsa44, Reference>::new()),
    ("reference", &Of::<MlDsa65, Reference>::new()),
    ("reference", &Of::<MlDsa87, Reference>::new()),
    ("reference", &Of::<Dilithium2, Reference>::new()),
    ("reference", &Of::<Dilithium3, Reference>::new()),
    ("reference", &Of::<Dilithium5, Reference>::new()),
    #[cfg(feature = "profiles")]
    ("fast", &Of::<MlDsa44, Fast>::new()),
    #[cfg(feature = "profiles")]
    ("fast", &Of::<MlDsa65, Fast>::new()),
    #[cfg(feature = "profiles")]
    ("fast", &Of::<MlDsa87, Fast>::new()),
    #[cfg(feature = "profiles")]
    ("small", &Of::<MlDsa44, Small>::new()),
    #[cfg(feature = "profiles")]
    ("small", &Of::<MlDsa65, Small>::new()),
    #[cfg(feature = "profiles")]
    ("small", &Of::<MlDsa87, Small>::new()),
];

impl Scheme {
    /// The set of that name with that profile.
    pub fn find(algorithm: &str, profile: &str) -> Option<Self> {
        #[cfg(feature = "slh-dsa")]
        if let (Some(params), "-") = (Params::by_name(algorithm), profile) {
            return Some(Self::SlhDsa(params));
        }
        ML_DSA.iter().find(|s| s.0 == profile && s.1.params().name == algorithm).map(|s| Self::MlDsa(s.1))
    }

    /// Bytes of the public key, the private key and a signature.
    pub fn lengths(self) -> (usize, usize, usize) {
        match self {
            Self::MlDsa(scheme) => {
                let p = scheme.params();
                (p.public_key_len(), p.secret_key_len(), p.signature_len())
            }
            #[cfg(feature = "slh-dsa")]
            Self::SlhDsa(p) => (p.public_key_len(), p.private_key_len(), p.signature_len()),
        }
    }

    /// Both keys from a seed of any length: the scheme's own seeds are SHAKE256(seed || run as 32 bits, little-endian).
    pub fn keygen(self, seed: &[u8], run: u32, slots: &mut Slots) -> Result<(), Failed> {
        let mut seeds = [0; 96];
        let mut shake = Shake256::<Software>::new();
        shake.absorb(seed);
        shake.absorb(&run.to_le_bytes());
        shake.finish().squeeze(&mut seeds);
        let (public, secret, _) = self.lengths();
        let (public_key, secret_key) =
            (slots.public_key.get_mut(..public).ok_or(Failed)?, slots.secret_key.get_mut(..secret).ok_or(Failed)?);
        match self {
            Self::MlDsa(scheme) => {
                let xi = seeds.first_chunk().ok_or(Failed)?;
                scheme.keygen(xi, public_key, secret_key).map_err(|_| Failed)
            }
            #[cfg(feature = "slh-dsa")]
            Self::SlhDsa(params) => {
                let mut parts = seeds.chunks(params.n);
                let mut part = || parts.next().ok_or(Failed);
                let key = SigningKey::from_seeds(params, part()?, part()?, part()?).map_err(|_| Failed)?;
                secret_key.copy_from_slice(key.as_bytes());
                public_key.copy_from_slice(key.verifying_key().as_bytes());
                Ok(())
            }
        }
    }

    /// Signs without randomness and context. Returns the attempts of ML-DSA.
    pub fn sign(self, message: &[u8], slots: &mut Slots) -> Result<Option<u32>, Failed> {
        let (_, secret, length) = self.lengths();
        let (secret_key, signature) =
            (slots.secret_key.get(..secret).ok_or(Failed)?, slots.signature.get_mut(..length).ok_or(Failed)?);
        match self {
            Self::MlDsa(scheme) => {
                let message = Message::pure(Context::EMPTY, message);
                scheme.sign(secret_key, &message, &[0; 32], signature).map(Some).map_err(|_| Failed)
            }
            #[cfg(feature = "slh-dsa")]
            Self::SlhDsa(params) => {
                let key = SigningKey::from_bytes(params, secret_key).map_err(|_| Failed)?;
                let message = Message::pure(Context::EMPTY, message);
                key.sign_deterministic(&message, signature).map(|()| None).map_err(|_| Failed)
            }
        }
    }

    /// Verifies what [`sign`](Self::sign) left.
    pub fn verify(self, message: &[u8], slots: &Slots) -> Result<(), Failed> {
        let (public, _, length) = self.lengths();
        let (public_key, signature) =
            (slots.public_key.get(..public).ok_or(Failed)?, slots.signature.get(..length).ok_or(Failed)?);
        let message = Message::pure(Context::EMPTY, message);
        match self {
            Self::MlDsa(scheme) => scheme.verify(public_key, &message, signature).map_err(|_| Failed),
            #[cfg(feature = "slh-dsa")]
            Self::SlhDsa(params) => {
                let key = VerifyingKey::from_bytes(params, public_key).map_err(|_| Failed)?;
                key.verify(&message, signature).map_err(|_| Failed)
            }
        }
    }
}
