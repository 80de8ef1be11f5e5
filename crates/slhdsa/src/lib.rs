#![doc = include_str!("../README.md")]
#![no_std]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod address;
#[cfg(feature = "conformance")]
mod conformance;
mod digits;
pub mod engine;
mod error;
mod keys;
pub mod params;
#[cfg(feature = "pkcs8")]
mod pkcs8;
mod scheme;
#[cfg(feature = "alloc")]
mod signature;
mod stream;

pub use address::{Address, AddressType};
#[cfg(feature = "conformance")]
pub use conformance::conformance;
pub use digits::Digits;
pub use error::{Error, Stopped};
pub use keys::{Progress, SigningKey, VerifyingKey};
pub use params::Params;
pub use pqsoc_message::{Context, ContextTooLong, DigestLength, Message, PreHash};
#[cfg(feature = "alloc")]
pub use signature::Signature;
pub use stream::{Input, Sink, Source};
