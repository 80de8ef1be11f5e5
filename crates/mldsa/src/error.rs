//! Everything that can be wrong, each its own value.
use core::{convert::Infallible, fmt};
use pqsoc_message::{ContextTooLong, DigestLength};

/// A length that is not the one of the parameter set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// The length it should have, in bytes.
    pub expected: usize,
    /// The length given, in bytes.
    pub actual: usize,
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes instead of {}", self.actual, self.expected)
    }
}

/// Why a hint does not decode. FIPS 204, algorithm 21.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HintError {
    /// The count after a polynomial is less than the one before it.
    CountFalls,
    /// A count is more than omega.
    CountTooLarge,
    /// The places of one polynomial do not rise.
    Order,
    /// The same place twice in one polynomial.
    Repeat,
    /// A byte after the last place is not zero.
    Padding,
}

impl fmt::Display for HintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CountFalls => "a count is less than the one before",
            Self::CountTooLarge => "a count is more than omega",
            Self::Order => "places do not rise",
            Self::Repeat => "a place occurs twice",
            Self::Padding => "the unused places are not zero",
        })
    }
}

/// Why a signature was not accepted. `E` is the engine's error: none in software.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VerifyError<E = Infallible> {
    /// The public key has another length than the parameter set asks for.
    PublicKeyLength(Length),
    /// The signature has another length than the parameter set asks for.
    SignatureLength(Length),
    /// mu has another length than the parameter set asks for.
    MuLength(Length),
    /// The hint does not decode.
    Hint(HintError),
    /// A coefficient of z is outside -(gamma1 - beta) < z < gamma1 - beta. FIPS 204, algorithm 8, line 13.
    ResponseRange,
    /// c~ is not the hash of mu and w1: another message, key or context, or a forgery.
    Challenge,
    /// A context was given to a set that has none (Dilithium).
    ContextNotOffered,
    /// The context is longer than 255 bytes.
    ContextTooLong(ContextTooLong),
    /// The digest of the message has another length than its hash function gives.
    DigestLength(DigestLength),
    /// The engine failed; nothing is known of the signature.
    Engine(E),
}

impl<E: fmt::Debug> fmt::Display for VerifyError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PublicKeyLength(length) => write!(f, "the public key has {length}"),
            Self::SignatureLength(length) => write!(f, "the signature has {length}"),
            Self::MuLength(length) => write!(f, "mu has {length}"),
            Self::Hint(error) => write!(f, "the signature's hint is malformed: {error}"),
            Self::ResponseRange => f.write_str("a coefficient of the signature's z is out of range"),
            Self::Challenge => f.write_str("the signature does not belong to this message and key"),
            Self::ContextNotOffered => f.write_str("this parameter set has no contexts"),
            Self::ContextTooLong(error) => error.fmt(f),
            Self::DigestLength(error) => error.fmt(f),
            Self::Engine(error) => write!(f, "the engine failed: {error:?}"),
        }
    }
}

/// Why there is no signature. `E` is the engine's error: none in software.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SignError<E = Infallible> {
    /// The secret key has another length than the parameter set asks for.
    SecretKeyLength(Length),
    /// The place for the signature has another length than the parameter set asks for.
    SignatureLength(Length),
    /// mu has another length than the parameter set asks for.
    MuLength(Length),
    /// [`MAX_ATTEMPTS`](crate::MAX_ATTEMPTS) attempts were all rejected: the key is malformed.
    AttemptsExhausted,
    /// The random number generator failed. Nothing was signed.
    Randomness,
    /// A context was given to a set that has none (Dilithium).
    ContextNotOffered,
    /// The context is longer than 255 bytes.
    ContextTooLong(ContextTooLong),
    /// The digest of the message has another length than its hash function gives.
    DigestLength(DigestLength),
    /// The engine failed.
    Engine(E),
}

impl<E: fmt::Debug> fmt::Display for SignError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SecretKeyLength(length) => write!(f, "the secret key has {length}"),
            Self::SignatureLength(length) => write!(f, "the place for the signature has {length}"),
            Self::MuLength(length) => write!(f, "mu has {length}"),
            Self::AttemptsExhausted => {
                f.write_str("every attempt to sign was rejected: the key is malformed")
            }
            Self::Randomness => f.write_str("the random number generator failed"),
            Self::ContextNotOffered => f.write_str("this parameter set has no contexts"),
            Self::ContextTooLong(error) => error.fmt(f),
            Self::DigestLength(error) => error.fmt(f),
            Self::Engine(error) => write!(f, "the engine failed: {error:?}"),
        }
    }
}

/// What is wrong with a key. `E` is the engine's error: none in software.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyError<E = Infallible> {
    /// The key has another length than the parameter set asks for.
    Length(Length),
    /// A coefficient of s1 or s2 is outside -eta..=eta.
    SecretRange,
    /// t0 is not what rho, s1 and s2 give.
    T0,
    /// tr is not the hash of the public key that rho, s1 and s2 give.
    Tr,
    /// The expanded key does not belong to the seed beside it.
    Seed,
    /// The engine failed; nothing is known of the key.
    Engine(E),
}

impl<E: fmt::Debug> fmt::Display for KeyError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length(length) => write!(f, "the key has {length}"),
            Self::SecretRange => f.write_str("a coefficient of s1 or s2 is out of range"),
            Self::T0 => f.write_str("t0 is not what rho, s1 and s2 give"),
            Self::Tr => f.write_str("tr is not the hash of the public key"),
            Self::Seed => f.write_str("the expanded key does not belong to the seed beside it"),
            Self::Engine(error) => write!(f, "the engine failed: {error:?}"),
        }
    }
}

impl<E: fmt::Debug> core::error::Error for VerifyError<E> {}
impl<E: fmt::Debug> core::error::Error for SignError<E> {}
impl<E: fmt::Debug> core::error::Error for KeyError<E> {}

macro_rules! from_message_errors {
    ($($error:ident),*) => {$(
        impl<E> From<ContextTooLong> for $error<E> {
            fn from(error: ContextTooLong) -> Self {
                Self::ContextTooLong(error)
            }
        }

        impl<E> From<DigestLength> for $error<E> {
            fn from(error: DigestLength) -> Self {
                Self::DigestLength(error)
            }
        }
    )*};
}

from_message_errors!(SignError, VerifyError);
