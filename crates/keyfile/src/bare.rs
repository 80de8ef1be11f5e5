//! Bytes without structure, known by their number.
use crate::{Algorithm, Error, Kind};
use base64ct::{Base64, Encoding};
use std::fmt;

/// A file that is no DER, but of a length that keys or signatures have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bare {
    /// Bytes of the value.
    pub len: usize,
    /// How the bytes are written.
    pub encoding: TextEncoding,
    /// What the length fits, never empty.
    pub candidates: Vec<(Part, Vec<Algorithm>)>,
}

/// What a bare value may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// A seed of key generation.
    Seed,
    /// A private key: expanded (ML-DSA) or whole (SLH-DSA).
    PrivateKey,
    /// A public key.
    PublicKey,
    /// A signature.
    Signature,
    /// A private key and its public key after it.
    KeyPair,
}

/// How the bytes of a bare value are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextEncoding {
    /// As they are.
    Binary,
    /// As hexadecimal digits.
    Hex,
    /// As Base64 without PEM boundaries.
    Base64,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Seed => "seed",
            Self::PrivateKey => "private key",
            Self::PublicKey => "public key",
            Self::Signature => "signature",
            Self::KeyPair => "private key followed by its public key",
        })
    }
}

/// No text longer than this is looked at as hexadecimal or Base64: the longest signature in hexadecimal has 100 KB.
const MAX_TEXT: usize = 1 << 18;

impl Bare {
    /// What `file` may be by its length: as text by the length of the bytes that it stands for, else by its own.
    pub fn of(file: &[u8]) -> Option<Self> {
        text(file)
            .and_then(|(bytes, encoding)| Self::of_len(bytes.len(), encoding))
            .or_else(|| Self::of_len(file.len(), TextEncoding::Binary))
    }

    /// What a value of `len` bytes may be.
    pub fn of_len(len: usize, encoding: TextEncoding) -> Option<Self> {
        let parts = [Part::Seed, Part::PrivateKey, Part::PublicKey, Part::Signature, Part::KeyPair];
        let fits = |part| -> Vec<Algorithm> {
            let pure = Algorithm::ALL.iter().filter(|a| a.pre_hash().is_none());
            pure.copied().filter(|a| a.sizes().of(part) == len).collect()
        };
        let candidates: Vec<_> =
            parts.map(|part| (part, fits(part))).into_iter().filter(|(_, fits)| !fits.is_empty()).collect();
        (!candidates.is_empty()).then_some(Self { len, encoding, candidates })
    }

    /// `error`, or what is wrong with a file that was no DER, or DER by chance, because it is bare.
    pub(crate) fn explain(file: &[u8], error: Error) -> Error {
        match error {
            Error::NotDer
            | Error::Truncated { .. }
            | Error::Trailing { .. }
            | Error::Unsuitable { found: Kind::Other, .. } => Self::of(file).map_or(error, Error::Bare),
            error => error,
        }
    }
}

impl fmt::Display for Bare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.encoding {
            TextEncoding::Binary => write!(f, "{} bytes", self.len)?,
            TextEncoding::Hex => write!(f, "{} bytes in hexadecimal", self.len)?,
            TextEncoding::Base64 => write!(f, "{} bytes in Base64", self.len)?,
        }
        f.write_str(", the length of ")?;
        for (i, (part, algorithms)) in self.candidates.iter().enumerate() {
            let names: Vec<_> = algorithms.iter().map(Algorithm::name).collect();
            let or = if i > 0 { ", or of " } else { "" };
            write!(f, "{or}a {part} of {}", names.join(", "))?;
        }
        Ok(())
    }
}

/// The bytes that a text of hexadecimal digits or Base64 stands for.
pub fn text(file: &[u8]) -> Option<(Vec<u8>, TextEncoding)> {
    if file.len() > MAX_TEXT {
        return None;
    }
    let digits: Vec<u8> = file.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect();
    if digits.iter().all(u8::is_ascii_hexdigit) && digits.len().is_multiple_of(2) {
        let value = |digit: u8| char::from(digit).to_digit(16).unwrap_or(0);
        let bytes = digits.chunks_exact(2).map(|pair| (value(pair[0]) << 4 | value(pair[1])) as u8).collect();
        return Some((bytes, TextEncoding::Hex));
    }
    let text = std::str::from_utf8(&digits).ok()?;
    Base64::decode_vec(text).ok().map(|bytes| (bytes, TextEncoding::Base64))
}
