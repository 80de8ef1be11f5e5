// SPDX-License-Identifier: Apache-2.0 OR MIT

//! ML-DSA and Dilithium on any engine.

use core::marker::PhantomData;

use pqsoc_driver::Error;
use pqsoc_driver::mldsa::Resident;
#[cfg(feature = "study")]
use pqsoc_driver::mldsa::Study;
use pqsoc_mldsa::{
    Blank, Context, Engine, Fast, KeyError, KeygenMemory, Message, MlDsa44, MlDsa65, MlDsa87, Native,
    ParameterSet, SignError, SigningMemory, VerifyError, VerifyingMemory, raw,
};
#[cfg(feature = "dilithium")]
use pqsoc_mldsa::{Dilithium2, Dilithium3, Dilithium5};

use crate::engines::{Chosen, Failed};
use crate::scheme::{Lengths, Scheme};

/// Calls a function of this module with the engine that was chosen.
macro_rules! with_engine {
    ($chosen:expr, $function:ident::<$set:ty>($($argument:expr),*)) => {
        match $chosen {
            Chosen::Software => $function::<$set, _>(&mut Native, $($argument),*),
            #[cfg(feature = "study")]
            Chosen::Study(hardware) => {
                $function::<$set, _>(&mut Study::new(&mut hardware.accelerator, &mut hardware.polys), $($argument),*)
            }
            Chosen::Resident(hardware) => {
                let engine = Resident::new(&mut hardware.accelerator, &mut hardware.mirrors);
                $function::<$set, _>(&mut engine.ok_or(Failed::Hardware(Error::Lost))?, $($argument),*)
            }
        }
    };
}

fn keygen<S: ParameterSet, E: Engine>(
    engine: &mut E,
    xi: &[u8; 32],
    public_key: &mut [u8],
    secret_key: &mut [u8],
) -> Result<(), Failed>
where
    Failed: From<E::Error>,
{
    let mut memory = KeygenMemory::<S, Fast, E>::BLANK;
    raw::keygen::<S, Fast, E>(engine, &mut memory, xi, public_key, secret_key).map_err(|error| match error {
        KeyError::Engine(error) => error.into(),
        _ => Failed::Scheme,
    })
}

fn sign<S: ParameterSet, E: Engine>(
    engine: &mut E,
    secret_key: &[u8],
    message: &[u8],
    signature: &mut [u8],
) -> Result<Option<u32>, Failed>
where
    Failed: From<E::Error>,
{
    let failed = |error| match error {
        SignError::Engine(error) => Failed::from(error),
        _ => Failed::Scheme,
    };
    let message = Message::pure(Context::EMPTY, message);
    let mu = raw::signing_mu::<S, E>(engine, secret_key, &message).map_err(failed)?;
    let mut memory = SigningMemory::<S, Fast, E>::BLANK;
    raw::sign::<S, Fast, E>(engine, &mut memory, secret_key, mu.as_ref(), &[0; 32], signature)
        .map(Some)
        .map_err(failed)
}

fn verify<S: ParameterSet, E: Engine>(
    engine: &mut E,
    public_key: &[u8],
    message: &[u8],
    signature: &[u8],
) -> Result<(), Failed>
where
    Failed: From<E::Error>,
{
    let failed = |error| match error {
        VerifyError::Engine(error) => Failed::from(error),
        _ => Failed::Scheme,
    };
    let message = Message::pure(Context::EMPTY, message);
    let mu = raw::verifying_mu::<S, E>(engine, public_key, &message).map_err(failed)?;
    let mut memory = VerifyingMemory::<S, Fast, E>::BLANK;
    raw::verify::<S, Fast, E>(engine, &mut memory, public_key, mu.as_ref(), signature).map_err(failed)
}

/// A set.
struct Of<S>(PhantomData<fn() -> S>);

impl<S: ParameterSet> Scheme for Of<S> {
    fn lengths(&self) -> Lengths {
        let params = &S::PARAMS;
        Lengths {
            public_key: params.public_key_len(),
            secret_key: params.secret_key_len(),
            signature: params.signature_len(),
        }
    }

    fn keygen(
        &'static self,
        engine: Chosen<'_>,
        seeds: &[u8; 96],
        public_key: &mut [u8],
        secret_key: &mut [u8],
    ) -> Result<(), Failed> {
        let xi = seeds.first_chunk().ok_or(Failed::Scheme)?;
        with_engine!(engine, keygen::<S>(xi, public_key, secret_key))
    }

    fn sign(
        &'static self,
        engine: Chosen<'_>,
        secret_key: &[u8],
        message: &[u8],
        signature: &mut [u8],
    ) -> Result<Option<u32>, Failed> {
        with_engine!(engine, sign::<S>(secret_key, message, signature))
    }

    fn verify(
        &'static self,
        engine: Chosen<'_>,
        public_key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), Failed> {
        with_engine!(engine, verify::<S>(public_key, message, signature))
    }
}

/// The set of that name.
pub fn find(algorithm: &str) -> Option<&'static dyn Scheme> {
    Some(match algorithm {
        "ML-DSA-44" => &Of::<MlDsa44>(PhantomData),
        "ML-DSA-65" => &Of::<MlDsa65>(PhantomData),
        "ML-DSA-87" => &Of::<MlDsa87>(PhantomData),
        #[cfg(feature = "dilithium")]
        "Dilithium2" => &Of::<Dilithium2>(PhantomData),
        #[cfg(feature = "dilithium")]
        "Dilithium3" => &Of::<Dilithium3>(PhantomData),
        #[cfg(feature = "dilithium")]
        "Dilithium5" => &Of::<Dilithium5>(PhantomData),
        _ => return None,
    })
}
