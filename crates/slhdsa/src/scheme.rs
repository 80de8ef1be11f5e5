//! Key generation, signing and verification: FIPS 205, section 9.
use crate::engine::Engine;
use crate::error::Error;
use crate::keys::{Progress, SigningKey, VerifyingKey};
use crate::params::MAX_N;
use crate::stream::{Input, Sink, Source};

pub(crate) fn root<E: Engine>(
    _key: &SigningKey,
    _engine: &mut E,
    _progress: &mut Progress<'_>,
) -> Result<[u8; MAX_N], Error<E::Error>> {
    todo!()
}

pub(crate) fn sign<E: Engine>(
    _key: &SigningKey,
    _engine: &mut E,
    _message: &dyn Input,
    _randomness: Option<&[u8]>,
    _signature: &mut dyn Sink,
    _progress: &mut Progress<'_>,
) -> Result<(), Error<E::Error>> {
    todo!()
}

pub(crate) fn verify<E: Engine>(
    _key: &VerifyingKey,
    _engine: &mut E,
    _message: &dyn Input,
    _signature: &mut dyn Source,
) -> Result<(), Error<E::Error>> {
    todo!()
}
