#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

mod message;
mod prehash;

pub use message::{Context, ContextTooLong, DigestLength, Message};
pub use prehash::{Digest, Hasher, PreHash, UnknownPreHash};
