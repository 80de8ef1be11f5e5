// SPDX-License-Identifier: Apache-2.0 OR MIT

//! ML-DSA and Dilithium with each memory profile.

use core::marker::PhantomData;

use pqsoc_jobs::Operation;
use pqsoc_mldsa::{
    Blank, Context, Dilithium2, Dilithium3, Dilithium5, Engine, KeygenMemory, Message, MlDsa44, MlDsa65,
    MlDsa87, ParameterSet, Portable, Profile, Reference, SigningMemory, VerifyingMemory, raw,
};
#[cfg(feature = "profiles")]
use pqsoc_mldsa::{Fast, Native, Small};

use crate::scheme::{Failed, Lengths, Scheme};

/// A set, a profile and an engine.
struct Of<S, P, E>(PhantomData<fn(S, P, E)>);

impl<S: ParameterSet, P: Profile, E: Engine + Default> Scheme for Of<S, P, E> {
    fn lengths(&self) -> Lengths {
        let params = &S::PARAMS;
        Lengths {
            public_key: params.public_key_len(),
            secret_key: params.secret_key_len(),
            signature: params.signature_len(),
        }
    }

    /// Signing at the highest level as the reference code does it needs 121 KB, optimised.
    fn needs_sram2(&self, operation: Operation) -> bool {
        operation != Operation::Keygen && size_of::<SigningMemory<S, P, E>>() > 100 << 10
    }

    fn keygen(
        &'static self,
        seeds: &[u8; 96],
        public_key: &mut [u8],
        secret_key: &mut [u8],
    ) -> Result<(), Failed> {
        let xi = seeds.first_chunk().ok_or(Failed)?;
        let mut memory = KeygenMemory::<S, P, E>::BLANK;
        raw::keygen::<S, P, _>(&mut E::default(), &mut memory, xi, public_key, secret_key).map_err(|_| Failed)
    }

    fn sign(
        &'static self,
        secret_key: &[u8],
        message: &[u8],
        signature: &mut [u8],
    ) -> Result<Option<u32>, Failed> {
        let message = Message::pure(Context::EMPTY, message);
        let mu = raw::signing_mu::<S, _>(&mut E::default(), secret_key, &message).map_err(|_| Failed)?;
        let mut memory = SigningMemory::<S, P, E>::BLANK;
        raw::sign::<S, P, _>(&mut E::default(), &mut memory, secret_key, mu.as_ref(), &[0; 32], signature)
            .map(Some)
            .map_err(|_| Failed)
    }

    fn verify(&'static self, public_key: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failed> {
        let message = Message::pure(Context::EMPTY, message);
        let mu = raw::verifying_mu::<S, _>(&mut E::default(), public_key, &message).map_err(|_| Failed)?;
        let mut memory = VerifyingMemory::<S, P, E>::BLANK;
        raw::verify::<S, P, _>(&mut E::default(), &mut memory, public_key, mu.as_ref(), signature)
            .map_err(|_| Failed)
    }
}

/// The sets of profile `P` by name.
fn with_profile<P: Profile, E: Engine + Default + 'static>(algorithm: &str) -> Option<&'static dyn Scheme> {
    Some(match algorithm {
        "ML-DSA-44" => &Of::<MlDsa44, P, E>(PhantomData),
        "ML-DSA-65" => &Of::<MlDsa65, P, E>(PhantomData),
        "ML-DSA-87" => &Of::<MlDsa87, P, E>(PhantomData),
        "Dilithium2" => &Of::<Dilithium2, P, E>(PhantomData),
        "Dilithium3" => &Of::<Dilithium3, P, E>(PhantomData),
        "Dilithium5" => &Of::<Dilithium5, P, E>(PhantomData),
        _ => return None,
    })
}

/// The set of that name with that profile: the study's baseline in portable Rust, the others with the best engine there is.
pub fn find(algorithm: &str, profile: &str) -> Option<&'static dyn Scheme> {
    match profile {
        "reference" => with_profile::<Reference, Portable>(algorithm),
        #[cfg(feature = "profiles")]
        "fast" => with_profile::<Fast, Native>(algorithm),
        #[cfg(feature = "profiles")]
        "small" => with_profile::<Small, Native>(algorithm),
        _ => None,
    }
}
