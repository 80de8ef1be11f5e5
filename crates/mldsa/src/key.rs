//! Keys and signatures as values, for use with the engine in software.
use crate::{
    Native,
    blank::Blank,
    error::{KeyError, SignError, VerifyError},
    layout::{PublicKey, SecretKey, length},
    mu::{Mu, MuBuilder},
    params::{ParameterSet, SEED_LEN},
    profile::{
        Fast, FastSecret, FastSigning, FastVerifying, KeptPublic, KeptSecret, KeygenMemory, MatrixPublic,
        Profile, SigningMemory, VerifyingMemory,
    },
    raw,
};
use core::{fmt, marker::PhantomData};
use pqsoc_message::{Context, Message};
use rand_core::TryCryptoRng;
use subtle::{Choice, ConstantTimeEq};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// A private key: the expanded form, and the seed it came from if that is known. Wiped when dropped.
///
/// `P` is the memory profile of its operations, which work on the stack.
pub struct SigningKey<S: ParameterSet, P: Profile = Fast> {
    secret_key: S::SecretKey,
    seed: Option<[u8; SEED_LEN]>,
    profile: PhantomData<P>,
}

/// A public key.
///
/// `P` is the memory profile of its operations, which work on the stack.
pub struct VerifyingKey<S: ParameterSet, P: Profile = Fast> {
    public_key: S::PublicKey,
    profile: PhantomData<P>,
}

/// A signature: bytes of the right length, not yet known to be well formed.
#[derive(Clone)]
pub struct Signature<S: ParameterSet>(S::Signature);

/// Why an operation on a key of its own type cannot fail.
const INFALLIBLE: &str =
    "lengths are right by type, keys were checked, and the engine in software cannot fail";

impl<S: ParameterSet, P: Profile> SigningKey<S, P> {
    const BLANK: Self = Self { secret_key: Blank::BLANK, seed: None, profile: PhantomData };

    /// The key of the seed `xi`. FIPS 204, algorithm 6.
    pub fn from_seed(xi: &[u8; SEED_LEN]) -> Self {
        let mut key = Self::BLANK;
        key.set_seed(xi);
        key
    }

    fn set_seed(&mut self, xi: &[u8; SEED_LEN]) {
        let mut memory = KeygenMemory::<S, P>::BLANK;
        let mut public_key = S::PublicKey::BLANK;
        let secret_key = self.secret_key.as_mut();
        raw::keygen::<S, P, _>(&mut Native, &mut memory, xi, public_key.as_mut(), secret_key)
            .expect(INFALLIBLE);
        self.seed = Some(*xi);
    }

    /// A new key. FIPS 204, algorithm 1. Fails when `rng` does.
    pub fn generate<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self, R::Error> {
        let mut xi = Zeroizing::new([0; SEED_LEN]);
        rng.try_fill_bytes(xi.as_mut())?;
        Ok(Self::from_seed(&xi))
    }

    /// An expanded key without its seed. FIPS 204, algorithm 25.
    ///
    /// Fails if a coefficient of s1 or s2 is out of range, or if t0 or tr is not what rho, s1 and s2 give.
    pub fn from_expanded(secret_key: &[u8]) -> Result<Self, KeyError> {
        let mut memory = KeygenMemory::<S, P>::BLANK;
        raw::check_secret_key::<S, P, _>(&mut Native, &mut memory, secret_key)?;
        let mut key = Self::BLANK;
        key.secret_key.as_mut().copy_from_slice(secret_key);
        Ok(key)
    }

    /// A seed and the expanded key beside it, which must be the one of the seed.
    pub fn from_seed_and_expanded(xi: &[u8; SEED_LEN], secret_key: &[u8]) -> Result<Self, KeyError> {
        length(S::PARAMS.secret_key_len(), secret_key)?;
        let key = Self::from_seed(xi);
        if bool::from(key.secret_key.as_ref().ct_eq(secret_key)) { Ok(key) } else { Err(KeyError::Seed) }
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
        let mut public_key = S::PublicKey::BLANK;
        let mut memory = KeygenMemory::<S, P>::BLANK;
        let secret_key = self.secret_key.as_ref();
        raw::public_key::<S, P, _>(&mut Native, &mut memory, secret_key, public_key.as_mut())
            .expect(INFALLIBLE);
        VerifyingKey { public_key, profile: PhantomData }
    }

    fn parts(&self) -> SecretKey<'_> {
        SecretKey::new(&S::PARAMS, self.secret_key.as_ref()).expect(INFALLIBLE)
    }

    /// tr, the hash of the public key.
    pub fn tr(&self) -> &[u8] {
        self.parts().tr
    }

    /// A builder of mu for a long message. Fails for a context where there is none (Dilithium).
    pub fn mu_builder(&self, context: Context<'_>) -> Result<MuBuilder, SignError> {
        MuBuilder::pure(&S::PARAMS, self.tr(), context).ok_or(SignError::ContextNotOffered)
    }

    /// mu of a formatted message.
    pub fn mu(&self, message: &Message<'_>) -> Result<Mu, SignError> {
        raw::signing_mu::<S, _>(&mut Native, self.secret_key.as_ref(), message)
    }

    /// Signs a formatted message with `rnd`. FIPS 204, algorithm 7 (and 2 and 4, by the kind of message).
    pub fn sign_with_rnd(
        &self,
        message: &Message<'_>,
        rnd: &[u8; SEED_LEN],
    ) -> Result<Signature<S>, SignError> {
        let mut signature = Signature::BLANK;
        self.sign_mu(&self.mu(message)?, rnd, &mut signature)?;
        Ok(signature)
    }

    /// Signs with `rnd` all zeros. FIPS 204, section 3.4.
    pub fn sign_deterministic(&self, message: &Message<'_>) -> Result<Signature<S>, SignError> {
        self.sign_with_rnd(message, &[0; SEED_LEN])
    }

    /// Signs with fresh randomness, the standard's default. Fails when `rng` does.
    pub fn sign_hedged<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        message: &Message<'_>,
    ) -> Result<Signature<S>, SignError> {
        self.sign_with_rnd(message, &*fresh_rnd(rng)?)
    }

    /// Signs a mu that was computed before, writes the signature in place and returns the number of attempts.
    pub fn sign_mu(
        &self,
        mu: &Mu,
        rnd: &[u8; SEED_LEN],
        signature: &mut Signature<S>,
    ) -> Result<u32, SignError> {
        let mut memory = SigningMemory::<S, P>::BLANK;
        self.sign_mu_in(&mut memory, mu, rnd, signature)
    }

    /// [`sign_mu`](Self::sign_mu) in the caller's memory.
    pub fn sign_mu_in(
        &self,
        memory: &mut SigningMemory<S, P>,
        mu: &Mu,
        rnd: &[u8; SEED_LEN],
        signature: &mut Signature<S>,
    ) -> Result<u32, SignError> {
        raw::sign::<S, P, _>(
            &mut Native,
            memory,
            self.secret_key.as_ref(),
            mu.as_ref(),
            rnd,
            signature.0.as_mut(),
        )
    }
}

/// 32 random bytes.
pub(crate) fn fresh_rnd<R: TryCryptoRng + ?Sized>(
    rng: &mut R,
) -> Result<Zeroizing<[u8; SEED_LEN]>, SignError> {
    let mut rnd = Zeroizing::new([0; SEED_LEN]);
    rng.try_fill_bytes(rnd.as_mut()).map_err(|_| SignError::Randomness)?;
    Ok(rnd)
}

impl<S: ParameterSet, P: Profile> Drop for SigningKey<S, P> {
    fn drop(&mut self) {
        self.secret_key.as_mut().zeroize();
        self.seed.zeroize();
    }
}

impl<S: ParameterSet, P: Profile> ZeroizeOnDrop for SigningKey<S, P> {}

impl<S: ParameterSet, P: Profile> Clone for SigningKey<S, P> {
    fn clone(&self) -> Self {
        Self { secret_key: self.secret_key.clone(), seed: self.seed, profile: PhantomData }
    }
}

impl<S: ParameterSet, P: Profile> fmt::Debug for SigningKey<S, P> {
    /// The name of the set alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", S::PARAMS.name)
    }
}

impl<S: ParameterSet, P: Profile> ConstantTimeEq for SigningKey<S, P> {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.secret_key.as_ref().ct_eq(other.secret_key.as_ref())
    }
}

impl<S: ParameterSet, P: Profile> VerifyingKey<S, P> {
    /// A public key from its encoding: any bytes of the right length. FIPS 204, algorithm 23.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, KeyError> {
        length(S::PARAMS.public_key_len(), bytes)?;
        let mut key = Self { public_key: Blank::BLANK, profile: PhantomData };
        key.public_key.as_mut().copy_from_slice(bytes);
        Ok(key)
    }

    /// The encoding. FIPS 204, algorithm 22.
    pub fn as_bytes(&self) -> &S::PublicKey {
        &self.public_key
    }

    /// A builder of mu for a long message. Fails for a context where there is none (Dilithium).
    pub fn mu_builder(&self, context: Context<'_>) -> Result<MuBuilder, VerifyError> {
        let mut tr = [0; 64];
        let tr = raw::tr_of::<S, _>(&mut Native, self.public_key.as_ref(), &mut tr)?;
        MuBuilder::pure(&S::PARAMS, tr, context).ok_or(VerifyError::ContextNotOffered)
    }

    /// mu of a formatted message.
    pub fn mu(&self, message: &Message<'_>) -> Result<Mu, VerifyError> {
        raw::verifying_mu::<S, _>(&mut Native, self.public_key.as_ref(), message)
    }

    /// Verifies the signature of a formatted message. FIPS 204, algorithm 8 (and 3 and 5, by the kind of message).
    pub fn verify_message(&self, message: &Message<'_>, signature: &[u8]) -> Result<(), VerifyError> {
        self.verify_mu(&self.mu(message)?, signature)
    }

    /// Verifies the signature of a mu that was computed before.
    pub fn verify_mu(&self, mu: &Mu, signature: &[u8]) -> Result<(), VerifyError> {
        let mut memory = VerifyingMemory::<S, P>::BLANK;
        self.verify_mu_in(&mut memory, mu, signature)
    }

    /// [`verify_mu`](Self::verify_mu) in the caller's memory.
    pub fn verify_mu_in(
        &self,
        memory: &mut VerifyingMemory<S, P>,
        mu: &Mu,
        signature: &[u8],
    ) -> Result<(), VerifyError> {
        raw::verify::<S, P, _>(&mut Native, memory, self.public_key.as_ref(), mu.as_ref(), signature)
    }
}

impl<S: ParameterSet, P: Profile> Clone for VerifyingKey<S, P> {
    fn clone(&self) -> Self {
        Self { public_key: self.public_key.clone(), profile: PhantomData }
    }
}

impl<S: ParameterSet, P: Profile> PartialEq for VerifyingKey<S, P> {
    fn eq(&self, other: &Self) -> bool {
        self.public_key.as_ref() == other.public_key.as_ref()
    }
}

impl<S: ParameterSet, P: Profile> Eq for VerifyingKey<S, P> {}

impl<S: ParameterSet, P: Profile> fmt::Debug for VerifyingKey<S, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VerifyingKey({}, {:02x?})", S::PARAMS.name, self.public_key.as_ref())
    }
}

impl<S: ParameterSet> Signature<S> {
    /// All zeros, to be written to.
    pub const BLANK: Self = Self(Blank::BLANK);

    /// The bytes of a signature, if they have the right length.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, VerifyError> {
        length(S::PARAMS.signature_len(), bytes).map_err(VerifyError::SignatureLength)?;
        let mut signature = Self::BLANK;
        signature.0.as_mut().copy_from_slice(bytes);
        Ok(signature)
    }

    /// The encoding. FIPS 204, algorithm 26.
    pub fn as_bytes(&self) -> &S::Signature {
        &self.0
    }
}

impl<S: ParameterSet> AsRef<[u8]> for Signature<S> {
    fn as_ref(&self) -> &[u8] {
        self.0.as_ref()
    }
}

impl<S: ParameterSet> PartialEq for Signature<S> {
    fn eq(&self, other: &Self) -> bool {
        self.as_ref() == other.as_ref()
    }
}

impl<S: ParameterSet> Eq for Signature<S> {}

impl<S: ParameterSet> fmt::Debug for Signature<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signature({}, {:02x?})", S::PARAMS.name, self.as_ref())
    }
}

/// Memory for a [`PreparedSigningKey`]: tens of KB.
pub type PreparedSecret<S> = FastSecret<S, Native>;
/// Memory for a [`PreparedVerifyingKey`]: tens of KB.
pub type PreparedPublic<S> = MatrixPublic<S, Native>;

/// A signing key with A, s1 and s2 ready for use, for many signatures. Wiped when dropped.
pub struct PreparedSigningKey<'a, S: ParameterSet> {
    secret_key: SecretKey<'a>,
    kept: &'a mut PreparedSecret<S>,
}

impl<S: ParameterSet, P: Profile> SigningKey<S, P> {
    /// Computes once what every signature needs. `memory` is blank before, and again when the prepared key is dropped.
    pub fn prepare<'a>(&'a self, memory: &'a mut PreparedSecret<S>) -> PreparedSigningKey<'a, S> {
        let secret_key = self.parts();
        let Ok(()) = memory.prepare(&mut Native, &secret_key);
        PreparedSigningKey { secret_key, kept: memory }
    }
}

impl<S: ParameterSet> PreparedSigningKey<'_, S> {
    /// As [`SigningKey::sign_mu`].
    pub fn sign_mu(
        &self,
        mu: &Mu,
        rnd: &[u8; SEED_LEN],
        signature: &mut Signature<S>,
    ) -> Result<u32, SignError> {
        let mut work = FastSigning::<S, Native>::BLANK;
        let (kept, key, signature) = (&*self.kept, &self.secret_key, signature.0.as_mut());
        raw::sign_kept::<S, _, _>(&mut Native, kept, &mut work, key, mu.as_ref(), rnd, signature)
    }
}

impl<S: ParameterSet> Drop for PreparedSigningKey<'_, S> {
    fn drop(&mut self) {
        KeptSecret::<S, Native>::release(self.kept, &mut Native);
    }
}

/// A verifying key with A and t1 ready for use, for many verifications.
pub struct PreparedVerifyingKey<'a, S: ParameterSet> {
    public_key: PublicKey<'a>,
    kept: &'a mut PreparedPublic<S>,
}

impl<S: ParameterSet, P: Profile> VerifyingKey<S, P> {
    /// Computes once what every verification needs. `memory` is blank before, and again when the prepared key is dropped.
    pub fn prepare<'a>(&'a self, memory: &'a mut PreparedPublic<S>) -> PreparedVerifyingKey<'a, S> {
        let public_key = PublicKey::new(&S::PARAMS, self.public_key.as_ref()).expect(INFALLIBLE);
        let Ok(()) = memory.prepare(&mut Native, public_key.rho, public_key.t1);
        PreparedVerifyingKey { public_key, kept: memory }
    }
}

impl<S: ParameterSet> PreparedVerifyingKey<'_, S> {
    /// As [`VerifyingKey::verify_mu`].
    pub fn verify_mu(&self, mu: &Mu, signature: &[u8]) -> Result<(), VerifyError> {
        let mut work = FastVerifying::<S, Native>::BLANK;
        let (kept, key) = (&*self.kept, &self.public_key);
        raw::verify_kept::<S, _, _>(&mut Native, kept, &mut work, key, mu.as_ref(), signature)
    }
}

impl<S: ParameterSet> Drop for PreparedVerifyingKey<'_, S> {
    fn drop(&mut self) {
        KeptPublic::<S, Native>::release(self.kept, &mut Native);
    }
}
