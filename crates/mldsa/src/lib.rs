#![doc = include_str!("../README.md")]
#![no_std]
#![deny(unsafe_code)]

mod blank;
mod challenge;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
#[cfg(cortex_m4)]
mod cortex_m4;
pub mod dynamic;
mod encoding;
mod engine;
mod error;
pub mod field;
mod key;
mod layout;
mod mu;
mod ntt;
mod pack;
mod params;
#[cfg(feature = "pkcs8")]
mod pkcs8;
mod portable;
mod profile;
pub mod raw;
mod sample;
mod traits;

pub use blank::{Blank, ByteArray};
pub use challenge::{Challenge, MAX_TAU};
#[cfg(cortex_m4)]
pub use cortex_m4::CortexM4;
pub use encoding::{Compact, Encoding};
pub use engine::{Engine, Rho};
pub use error::{HintError, KeyError, Length, SignError, VerifyError};
pub use key::{
    PreparedPublic, PreparedSecret, PreparedSigningKey, PreparedVerifyingKey, Signature, SigningKey,
    VerifyingKey,
};
pub use mu::{Mu, MuBuilder};
pub use params::{D, MlDsa44, MlDsa65, MlDsa87, N, ParameterSet, Params, Q, SEED_LEN, T0_LEN, T1_LEN};
#[cfg(feature = "dilithium")]
pub use params::{
    Dilithium2, Dilithium2V30, Dilithium3, Dilithium3V30, Dilithium5, Dilithium5V30, MlDsa44Draft,
    MlDsa44Interim, MlDsa65Draft, MlDsa65Interim, MlDsa87Draft, MlDsa87Interim,
};
pub use portable::{Poly as PortablePoly, Portable};
pub use pqsoc_message::{Context, ContextTooLong, Digest, DigestLength, Hasher, Message, PreHash};
pub use profile::{Fast, KeygenMemory, Profile, Reference, SigningMemory, Small, VerifyingMemory};
pub use raw::MAX_ATTEMPTS;

/// The engine in software that does best on the target.
#[cfg(cortex_m4)]
pub use cortex_m4::CortexM4 as Native;
/// The engine in software that does best on the target.
#[cfg(not(cortex_m4))]
pub use portable::Portable as Native;
