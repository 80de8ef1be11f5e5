#![doc = include_str!("../README.md")]
#![no_std]

#[cfg(any(feature = "std", test))]
extern crate std;

mod address;
mod digits;
pub mod engine;
mod error;
mod keys;
pub mod params;
mod scheme;
mod stream;

pub use address::{Address, AddressType};
pub use digits::Digits;
pub use error::{Error, Stopped};
pub use keys::{Progress, SigningKey, VerifyingKey};
pub use params::Params;
pub use pqsoc_message::{Context, ContextTooLong, DigestLength, Message, PreHash};
pub use stream::{Input, Sink, Source};
