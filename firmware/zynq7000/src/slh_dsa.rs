// SPDX-License-Identifier: Apache-2.0 OR MIT

//! SLH-DSA on any engine; with SHA-2 in software only.

use pqsoc_driver::slhdsa::Resident;
#[cfg(feature = "study")]
use pqsoc_driver::slhdsa::Study;
use pqsoc_slhdsa::engine::{Auto, Engine};
use pqsoc_slhdsa::{Context, Error, Message, Params, SigningKey, VerifyingKey};

use crate::engines::{Chosen, Failed};
use crate::scheme::{Lengths, Scheme};

fn failed<E>(error: Error<E>) -> Failed
where
    Failed: From<E>,
{
    match error {
        Error::Engine(error) => error.into(),
        _ => Failed::Scheme,
    }
}

/// Calls a function of this module with the engine that was chosen.
macro_rules! with_engine {
    ($chosen:expr, $function:ident($($argument:expr),*)) => {
        match $chosen {
            Chosen::Software => $function(&mut Auto::new(), $($argument),*),
            #[cfg(feature = "study")]
            Chosen::Study(hardware) => $function(&mut Study::new(&mut hardware.accelerator), $($argument),*),
            Chosen::Resident(hardware) => {
                $function(&mut Resident::new(&mut hardware.accelerator), $($argument),*)
            }
        }
    };
}

fn keygen<E: Engine>(
    engine: &mut E,
    params: &'static Params,
    seeds: &[u8; 96],
    public_key: &mut [u8],
    secret_key: &mut [u8],
) -> Result<(), Failed>
where
    Failed: From<E::Error>,
{
    let mut parts = seeds.chunks(params.n);
    let mut part = || parts.next().ok_or(Failed::Scheme);
    let seeds = [part()?, part()?, part()?];
    let key = SigningKey::from_seeds_with(engine, params, seeds, &mut |_, _| {}).map_err(failed)?;
    secret_key.copy_from_slice(key.as_bytes());
    public_key.copy_from_slice(key.verifying_key().as_bytes());
    Ok(())
}

fn sign<E: Engine>(
    engine: &mut E,
    params: &'static Params,
    secret_key: &[u8],
    message: &[u8],
    mut signature: &mut [u8],
) -> Result<Option<u32>, Failed>
where
    Failed: From<E::Error>,
{
    let key = SigningKey::from_bytes(params, secret_key).map_err(|_| Failed::Scheme)?;
    let message = Message::pure(Context::EMPTY, message);
    key.sign_with(engine, &message, None, &mut signature, &mut |_, _| {}).map(|()| None).map_err(failed)
}

fn verify<E: Engine>(
    engine: &mut E,
    params: &'static Params,
    public_key: &[u8],
    message: &[u8],
    mut signature: &[u8],
) -> Result<(), Failed>
where
    Failed: From<E::Error>,
{
    let key = VerifyingKey::from_bytes(params, public_key).map_err(|_| Failed::Scheme)?;
    key.verify_with(engine, &Message::pure(Context::EMPTY, message), &mut signature).map_err(failed)
}

impl Scheme for Params {
    fn lengths(&self) -> Lengths {
        Lengths {
            public_key: self.public_key_len(),
            secret_key: self.private_key_len(),
            signature: self.signature_len(),
        }
    }

    fn keygen(
        &'static self,
        engine: Chosen<'_>,
        seeds: &[u8; 96],
        public_key: &mut [u8],
        secret_key: &mut [u8],
    ) -> Result<(), Failed> {
        with_engine!(engine, keygen(self, seeds, public_key, secret_key))
    }

    fn sign(
        &'static self,
        engine: Chosen<'_>,
        secret_key: &[u8],
        message: &[u8],
        signature: &mut [u8],
    ) -> Result<Option<u32>, Failed> {
        with_engine!(engine, sign(self, secret_key, message, signature))
    }

    fn verify(
        &'static self,
        engine: Chosen<'_>,
        public_key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), Failed> {
        with_engine!(engine, verify(self, public_key, message, signature))
    }
}

/// The set of that name.
pub fn find(algorithm: &str) -> Option<&'static dyn Scheme> {
    let params = Params::by_name(algorithm)?;
    Some(params)
}
