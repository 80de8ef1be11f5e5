//! The parameter set chosen at run time: [`by_name`] and [`ALL`] give objects that work on byte slices.
//!
//! A program that names one set only through [`Of`] or the other modules links that one alone.
use crate::{
    Native,
    blank::Blank,
    error::{KeyError, SignError, VerifyError},
    mu::{Mu, MuBuilder},
    params::{ParameterSet, Params, SEED_LEN},
    profile::{Fast, KeygenMemory, Profile, SigningMemory, VerifyingMemory},
    raw,
};
use core::marker::PhantomData;
use pqsoc_message::{Context, Message};

/// A parameter set, a profile and the portable engine, behind a pointer.
///
/// The slices have the lengths that [`params`](Self::params) gives; another is an error.
pub trait Scheme: Send + Sync {
    /// The numbers of the set.
    fn params(&self) -> &'static Params;

    /// As [`raw::keygen`].
    fn keygen(
        &self,
        xi: &[u8; SEED_LEN],
        public_key: &mut [u8],
        secret_key: &mut [u8],
    ) -> Result<(), KeyError>;

    /// As [`raw::public_key`].
    fn public_key(&self, secret_key: &[u8], public_key: &mut [u8]) -> Result<(), KeyError>;

    /// As [`raw::check_secret_key`].
    fn check_secret_key(&self, secret_key: &[u8]) -> Result<(), KeyError>;

    /// A builder of mu for a long message, from a public key.
    fn mu_builder(&self, public_key: &[u8], context: Context<'_>) -> Result<MuBuilder, VerifyError>;

    /// A builder of mu for a long M', from a public key: the internal interface.
    fn internal_mu_builder(&self, public_key: &[u8]) -> Result<MuBuilder, VerifyError>;

    /// As [`raw::signing_mu`].
    fn signing_mu(&self, secret_key: &[u8], message: &Message<'_>) -> Result<Mu, SignError>;

    /// As [`raw::verifying_mu`].
    fn verifying_mu(&self, public_key: &[u8], message: &Message<'_>) -> Result<Mu, VerifyError>;

    /// As [`raw::sign`].
    fn sign_mu(
        &self,
        secret_key: &[u8],
        mu: &[u8],
        rnd: &[u8; SEED_LEN],
        signature: &mut [u8],
    ) -> Result<u32, SignError>;

    /// As [`raw::verify`].
    fn verify_mu(&self, public_key: &[u8], mu: &[u8], signature: &[u8]) -> Result<(), VerifyError>;

    /// Signs a formatted message: [`signing_mu`](Self::signing_mu), then [`sign_mu`](Self::sign_mu).
    fn sign(
        &self,
        secret_key: &[u8],
        message: &Message<'_>,
        rnd: &[u8; SEED_LEN],
        signature: &mut [u8],
    ) -> Result<u32, SignError> {
        let mu = self.signing_mu(secret_key, message)?;
        self.sign_mu(secret_key, mu.as_ref(), rnd, signature)
    }

    /// Verifies a formatted message: [`verifying_mu`](Self::verifying_mu), then [`verify_mu`](Self::verify_mu).
    fn verify(&self, public_key: &[u8], message: &Message<'_>, signature: &[u8]) -> Result<(), VerifyError> {
        let mu = self.verifying_mu(public_key, message)?;
        self.verify_mu(public_key, mu.as_ref(), signature)
    }
}

/// The [`Scheme`] of a parameter set and a profile.
#[derive(Clone, Copy, Debug, Default)]
pub struct Of<S, P = Fast>(PhantomData<(S, P)>);

impl<S, P> Of<S, P> {
    /// It.
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<S: ParameterSet, P: Profile> Scheme for Of<S, P> {
    fn params(&self) -> &'static Params {
        &S::PARAMS
    }

    fn keygen(
        &self,
        xi: &[u8; SEED_LEN],
        public_key: &mut [u8],
        secret_key: &mut [u8],
    ) -> Result<(), KeyError> {
        let mut memory = KeygenMemory::<S, P>::BLANK;
        raw::keygen::<S, P, _>(&mut Native, &mut memory, xi, public_key, secret_key)
    }

    fn public_key(&self, secret_key: &[u8], public_key: &mut [u8]) -> Result<(), KeyError> {
        let mut memory = KeygenMemory::<S, P>::BLANK;
        raw::public_key::<S, P, _>(&mut Native, &mut memory, secret_key, public_key)
    }

    fn check_secret_key(&self, secret_key: &[u8]) -> Result<(), KeyError> {
        let mut memory = KeygenMemory::<S, P>::BLANK;
        raw::check_secret_key::<S, P, _>(&mut Native, &mut memory, secret_key)
    }

    fn mu_builder(&self, public_key: &[u8], context: Context<'_>) -> Result<MuBuilder, VerifyError> {
        let mut tr = [0; 64];
        let tr = raw::tr_of::<S, _>(&mut Native, public_key, &mut tr)?;
        MuBuilder::pure(&S::PARAMS, tr, context).ok_or(VerifyError::ContextNotOffered)
    }

    fn internal_mu_builder(&self, public_key: &[u8]) -> Result<MuBuilder, VerifyError> {
        let mut tr = [0; 64];
        let tr = raw::tr_of::<S, _>(&mut Native, public_key, &mut tr)?;
        Ok(MuBuilder::internal(&S::PARAMS, tr))
    }

    fn signing_mu(&self, secret_key: &[u8], message: &Message<'_>) -> Result<Mu, SignError> {
        raw::signing_mu::<S, _>(&mut Native, secret_key, message)
    }

    fn verifying_mu(&self, public_key: &[u8], message: &Message<'_>) -> Result<Mu, VerifyError> {
        raw::verifying_mu::<S, _>(&mut Native, public_key, message)
    }

    fn sign_mu(
        &self,
        secret_key: &[u8],
        mu: &[u8],
        rnd: &[u8; SEED_LEN],
        signature: &mut [u8],
    ) -> Result<u32, SignError> {
        let mut memory = SigningMemory::<S, P>::BLANK;
        raw::sign::<S, P, _>(&mut Native, &mut memory, secret_key, mu, rnd, signature)
    }

    fn verify_mu(&self, public_key: &[u8], mu: &[u8], signature: &[u8]) -> Result<(), VerifyError> {
        let mut memory = VerifyingMemory::<S, P>::BLANK;
        raw::verify::<S, P, _>(&mut Native, &mut memory, public_key, mu, signature)
    }
}

/// Every parameter set that is compiled in, with the profile [`Fast`].
pub const ALL: &[&dyn Scheme] = &[
    &Of::<crate::MlDsa44>::new(),
    &Of::<crate::MlDsa65>::new(),
    &Of::<crate::MlDsa87>::new(),
    #[cfg(feature = "dilithium")]
    &Of::<crate::Dilithium2>::new(),
    #[cfg(feature = "dilithium")]
    &Of::<crate::Dilithium3>::new(),
    #[cfg(feature = "dilithium")]
    &Of::<crate::Dilithium5>::new(),
    #[cfg(feature = "dilithium")]
    &Of::<crate::Dilithium2V30>::new(),
    #[cfg(feature = "dilithium")]
    &Of::<crate::Dilithium3V30>::new(),
    #[cfg(feature = "dilithium")]
    &Of::<crate::Dilithium5V30>::new(),
    #[cfg(feature = "dilithium")]
    &Of::<crate::MlDsa44Draft>::new(),
    #[cfg(feature = "dilithium")]
    &Of::<crate::MlDsa65Draft>::new(),
    #[cfg(feature = "dilithium")]
    &Of::<crate::MlDsa87Draft>::new(),
    #[cfg(feature = "dilithium")]
    &Of::<crate::MlDsa44Interim>::new(),
    #[cfg(feature = "dilithium")]
    &Of::<crate::MlDsa65Interim>::new(),
    #[cfg(feature = "dilithium")]
    &Of::<crate::MlDsa87Interim>::new(),
];

/// The set of that name (`ML-DSA-44`, `Dilithium2`), in any case.
pub fn by_name(name: &str) -> Option<&'static dyn Scheme> {
    ALL.iter().copied().find(|scheme| scheme.params().name.eq_ignore_ascii_case(name))
}
