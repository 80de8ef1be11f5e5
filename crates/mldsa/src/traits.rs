//! RustCrypto's traits: pure ML-DSA with an empty context.
use crate::{
    error::VerifyError,
    key::{Signature, SigningKey, VerifyingKey, fresh_rnd},
    params::{ParameterSet, SEED_LEN},
    profile::Profile,
};
use pqsoc_message::Context;
use rand_core::TryCryptoRng;
use signature::{
    Error, Keypair, MultipartSigner, MultipartVerifier, RandomizedMultipartSigner, RandomizedSigner,
    SignatureEncoding, Signer, Verifier,
};

impl<S: ParameterSet> TryFrom<&[u8]> for Signature<S> {
    type Error = VerifyError;

    fn try_from(bytes: &[u8]) -> Result<Self, VerifyError> {
        Self::from_bytes(bytes)
    }
}

impl<S: ParameterSet> SignatureEncoding for Signature<S> {
    /// The signature is its bytes.
    type Repr = Self;
}

impl<S: ParameterSet, P: Profile> SigningKey<S, P> {
    fn sign_parts(&self, parts: &[&[u8]], rnd: &[u8; SEED_LEN]) -> Result<Signature<S>, Error> {
        let mut mu = self.mu_builder(Context::EMPTY).map_err(|_| Error::new())?;
        for part in parts {
            mu.update(part);
        }
        let mut signature = Signature::BLANK;
        self.sign_mu(&mu.finish(), rnd, &mut signature).map_err(|_| Error::new())?;
        Ok(signature)
    }
}

/// Deterministic.
impl<S: ParameterSet, P: Profile> Signer<Signature<S>> for SigningKey<S, P> {
    fn try_sign(&self, message: &[u8]) -> Result<Signature<S>, Error> {
        self.sign_parts(&[message], &[0; SEED_LEN])
    }
}

/// Deterministic.
impl<S: ParameterSet, P: Profile> MultipartSigner<Signature<S>> for SigningKey<S, P> {
    fn try_multipart_sign(&self, message: &[&[u8]]) -> Result<Signature<S>, Error> {
        self.sign_parts(message, &[0; SEED_LEN])
    }
}

/// Hedged.
impl<S: ParameterSet, P: Profile> RandomizedSigner<Signature<S>> for SigningKey<S, P> {
    fn try_sign_with_rng<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        message: &[u8],
    ) -> Result<Signature<S>, Error> {
        self.try_multipart_sign_with_rng(rng, &[message])
    }
}

/// Hedged.
impl<S: ParameterSet, P: Profile> RandomizedMultipartSigner<Signature<S>> for SigningKey<S, P> {
    fn try_multipart_sign_with_rng<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        message: &[&[u8]],
    ) -> Result<Signature<S>, Error> {
        let rnd = fresh_rnd(rng).map_err(|_| Error::new())?;
        self.sign_parts(message, &rnd)
    }
}

impl<S: ParameterSet, P: Profile> Verifier<Signature<S>> for VerifyingKey<S, P> {
    fn verify(&self, message: &[u8], signature: &Signature<S>) -> Result<(), Error> {
        self.multipart_verify(&[message], signature)
    }
}

impl<S: ParameterSet, P: Profile> MultipartVerifier<Signature<S>> for VerifyingKey<S, P> {
    fn multipart_verify(&self, message: &[&[u8]], signature: &Signature<S>) -> Result<(), Error> {
        let mut mu = self.mu_builder(Context::EMPTY).map_err(|_| Error::new())?;
        for part in message {
            mu.update(part);
        }
        self.verify_mu(&mu.finish(), signature.as_ref()).map_err(|_| Error::new())
    }
}

impl<S: ParameterSet, P: Profile> Keypair for SigningKey<S, P> {
    type VerifyingKey = VerifyingKey<S, P>;

    fn verifying_key(&self) -> VerifyingKey<S, P> {
        Self::verifying_key(self)
    }
}
