//! What can go wrong, each cause a value of its own.
use crate::params::Family;
use core::{convert::Infallible, fmt};

/// Why an operation ended without a result. `E` is the error of the engine; software has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error<E = Infallible> {
    /// A public key, private key, seed or randomness has another length than the set asks for.
    Length {
        /// What the set asks for, in bytes.
        expected: usize,
        /// What was given, in bytes.
        found: usize,
    },
    /// PK.root of a private key is not the root that its seeds give.
    Root,
    /// The signature ends early.
    SignatureTooShort {
        /// Bytes of a signature of the set.
        expected: usize,
    },
    /// There is something after the signature.
    SignatureTooLong {
        /// Bytes of a signature of the set.
        expected: usize,
    },
    /// The signature has the right form and belongs to another message, context or key, or is none.
    Signature,
    /// The source of randomness failed; nothing was signed or generated.
    Randomness,
    /// The reader of the message or of the signature, or the sink, gave up.
    Stopped,
    /// The engine does not have this family of hash functions.
    Family(Family),
    /// The engine failed.
    Engine(E),
}

/// A [`Sink`](crate::Sink), [`Source`](crate::Source) or [`Input`](crate::Input) cannot go on; it knows why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

impl<E> From<Stopped> for Error<E> {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

impl<E: fmt::Display> fmt::Display for Error<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { expected, found } => write!(f, "{found} bytes were given, {expected} are needed"),
            Self::Root => f.write_str("PK.root does not belong to the seeds of the private key"),
            Self::SignatureTooShort { expected } => {
                write!(f, "the signature is too short: it should have {expected} bytes")
            }
            Self::SignatureTooLong { expected } => {
                write!(f, "the signature is too long: it should have {expected} bytes")
            }
            Self::Signature => f.write_str("the signature does not belong to this message, context and key"),
            Self::Randomness => f.write_str("the source of randomness failed"),
            Self::Stopped => f.write_str("the input or output ended early"),
            Self::Family(family) => write!(f, "the engine has no {family:?}"),
            Self::Engine(error) => write!(f, "engine: {error}"),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> core::error::Error for Error<E> {}
