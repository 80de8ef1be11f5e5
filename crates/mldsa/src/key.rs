//! Keys and signatures as values, for use with the portable engine.
use crate::{
    blank::Blank,
    error::{KeyError, Length, SignError, VerifyError},
    mu::{Mu, MuBuilder},
    params::{ParameterSet, SEED_LEN},
    portable::Portable,
    profile::{Fast, KeygenMemory, Profile, SigningMemory, VerifyingMemory},
    raw,
};
use core::{fmt, marker::PhantomData};
use pqsoc_message::{Context, Message};
use rand_core::{CryptoRng, TryCryptoRng};
use subtle::{Choice, ConstantTimeEq};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// A private key: the expanded form, and the seed it came from if that is known. Wiped when dropped.
///
/// `P` is the memory profile its operations use, on the stack.
pub struct SigningKey<S: ParameterSet, P: Profile = Fast> {
    secret_key: S::SecretKey,
    seed: Option<[u8; SEED_LEN]>,
    profile: PhantomData<P>,
}

/// A public key.
#[derive(Clone)]
pub struct VerifyingKey<S: ParameterSet, P: Profile = Fast> {
    public_key: S::PublicKey,
    profile: PhantomData<P>,
}

/// A signature: bytes of the right length, not yet known to be well formed.
#[derive(Clone)]
pub struct Signature<S: ParameterSet>(S::Signature);

impl<S: ParameterSet, P: Profile> SigningKey<S, P> {
    /// The key of the seed `xi`. FIPS 204, algorithm 6.
    pub fn from_seed(xi: &[u8; SEED_LEN]) -> Self {
        todo!()
    }

    /// A new key. FIPS 204, algorithm 1. Fails when `rng` does.
    pub fn generate<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self, R::Error> {
        let mut xi = Zeroizing::new([0; SEED_LEN]);
        rng.try_fill_bytes(xi.as_mut())?;
        Ok(Self::from_seed(&xi))
    }

    /// An expanded key (FIPS 204, algorithm 24), without its seed. Checked: s1 and s2 are in range, t0 and tr are what they give.
    pub fn from_expanded(secret_key: &[u8]) -> Result<Self, KeyError> {
        todo!()
    }

    /// A seed and the expanded key beside it, which must belong to it.
    pub fn from_seed_and_expanded(xi: &[u8; SEED_LEN], secret_key: &[u8]) -> Result<Self, KeyError> {
        todo!()
    }

    /// The seed, if the key came from it.
    pub fn seed(&self) -> Option<&[u8; SEED_LEN]> {
        self.seed.as_ref()
    }

    /// The expanded key. FIPS 204, algorithm 24.
    pub fn expanded(&self) -> &S::SecretKey {
        &self.secret_key
    }

    /// The public key that belongs to it.
    pub fn verifying_key(&self) -> VerifyingKey<S, P> {
        todo!()
    }

    /// tr, the hash of the public key.
    pub fn tr(&self) -> &[u8] {
        todo!()
    }

    /// A builder of mu for a long message.
    pub fn mu_builder(&self, context: Context<'_>) -> Result<MuBuilder, SignError> {
        MuBuilder::pure(&S::PARAMS, self.tr(), context).ok_or(SignError::ContextNotOffered)
    }

    /// Signs a formatted message with `rnd`. FIPS 204, algorithm 7 (and 2 and 4, by the kind of message).
    pub fn sign_with_rnd(
        &self,
        message: &Message<'_>,
        rnd: &[u8; SEED_LEN],
    ) -> Result<Signature<S>, SignError> {
        todo!()
    }

    /// Signs with `rnd` all zeros. FIPS 204, section 3.4.
    pub fn sign_deterministic(&self, message: &Message<'_>) -> Result<Signature<S>, SignError> {
        self.sign_with_rnd(message, &[0; SEED_LEN])
    }

    /// Signs with fresh randomness: the standard's default. Fails when `rng` does.
    pub fn sign_hedged<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        message: &Message<'_>,
    ) -> Result<Signature<S>, SignError> {
        todo!()
    }

    /// Signs a mu that was computed before, writes the signature in place and returns the number of attempts.
    pub fn sign_mu(
        &self,
        mu: &Mu,
        rnd: &[u8; SEED_LEN],
        signature: &mut Signature<S>,
    ) -> Result<u32, SignError> {
        todo!()
    }

    /// Keeps A and all else that can be computed beforehand, for many signatures.
    pub fn prepare(&self) -> PreparedSigningKey<S> {
        todo!()
    }
}

impl<S: ParameterSet, P: Profile> VerifyingKey<S, P> {
    /// A public key from its encoding. Any bytes of the right length are one. FIPS 204, algorithm 23.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, KeyError> {
        todo!()
    }

    /// The encoding. FIPS 204, algorithm 22.
    pub fn as_bytes(&self) -> &S::PublicKey {
        &self.public_key
    }

    /// The encoding, by value. FIPS 204, algorithm 22.
    pub fn to_bytes(&self) -> S::PublicKey {
        self.public_key.clone()
    }

    /// A builder of mu for a long message.
    pub fn mu_builder(&self, context: Context<'_>) -> Result<MuBuilder, VerifyError> {
        todo!()
    }

    /// Verifies the signature of a formatted message. FIPS 204, algorithm 8 (and 3 and 5, by the kind of message).
    pub fn verify_message(&self, message: &Message<'_>, signature: &[u8]) -> Result<(), VerifyError> {
        todo!()
    }

    /// Verifies the signature of a mu that was computed before.
    pub fn verify_mu(&self, mu: &Mu, signature: &[u8]) -> Result<(), VerifyError> {
        todo!()
    }

    /// Keeps A and all else that can be computed beforehand, for many verifications.
    pub fn prepare(&self) -> PreparedVerifyingKey<S> {
        todo!()
    }
}

impl<S: ParameterSet> AsRef<[u8]> for Signature<S> {
    fn as_ref(&self) -> &[u8] {
        self.0.as_ref()
    }
}

/// A signing key with A and the secret vectors ready for use: tens of KB, wiped when dropped.
pub struct PreparedSigningKey<S: ParameterSet> {
    key: SigningKey<S>,
}

/// A verifying key with A and t1 ready for use: tens of KB.
pub struct PreparedVerifyingKey<S: ParameterSet> {
    key: VerifyingKey<S>,
}
