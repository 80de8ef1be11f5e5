//! RustCrypto's traits for signing and verification: pure, with an empty context, deterministic or hedged.
use crate::keys::{SigningKey, VerifyingKey};
use crate::params;
use alloc::boxed::Box;
use alloc::vec;
use pqsoc_message::{Context, Message};
use rand_core::TryCryptoRng;
use signature::{Error, Keypair, RandomizedSigner, SignatureEncoding, Signer, Verifier};

/// The bytes of a signature, on the heap. FIPS 205, figure 17.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature(Box<[u8]>);

impl AsRef<[u8]> for Signature {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// Bytes of the length of a signature of some set; whether it is that of the key is seen when it is verified.
impl TryFrom<&[u8]> for Signature {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        let fits = params::ALL.iter().any(|params| params.signature_len() == bytes.len());
        if fits { Ok(Self(bytes.into())) } else { Err(Error::new()) }
    }
}

impl From<Signature> for Box<[u8]> {
    fn from(signature: Signature) -> Self {
        signature.0
    }
}

impl SignatureEncoding for Signature {
    type Repr = Box<[u8]>;
}

impl Signer<Signature> for SigningKey {
    fn try_sign(&self, message: &[u8]) -> Result<Signature, Error> {
        let mut bytes = vec![0; self.params().signature_len()].into_boxed_slice();
        let message = Message::pure(Context::EMPTY, message);
        self.sign_deterministic(&message, &mut bytes).map_err(|_| Error::new())?;
        Ok(Signature(bytes))
    }
}

impl RandomizedSigner<Signature> for SigningKey {
    fn try_sign_with_rng<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        message: &[u8],
    ) -> Result<Signature, Error> {
        let mut bytes = vec![0; self.params().signature_len()].into_boxed_slice();
        let message = Message::pure(Context::EMPTY, message);
        self.sign_hedged(rng, &message, &mut bytes).map_err(|_| Error::new())?;
        Ok(Signature(bytes))
    }
}

impl Verifier<Signature> for VerifyingKey {
    fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), Error> {
        let message = Message::pure(Context::EMPTY, message);
        VerifyingKey::verify(self, &message, &signature.0).map_err(|_| Error::new())
    }
}

impl Keypair for SigningKey {
    type VerifyingKey = VerifyingKey;

    fn verifying_key(&self) -> VerifyingKey {
        SigningKey::verifying_key(self)
    }
}
