#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod algorithm;
mod bare;
mod certificate;
mod document;
mod error;
mod kind;
mod private;
mod public;
mod scheme;

pub use algorithm::{Algorithm, Family, UnknownName};
pub use bare::{Bare, Part, TextEncoding, text};
pub use certificate::Certificate;
pub use document::{Document, documents};
pub use error::{Error, Inconsistency, Legacy};
pub use kind::Kind;
pub use private::{Form, PrivateKey, UnknownForm};
pub use public::PublicKey;
pub use scheme::{KeyPair, Scheme, Sizes};
