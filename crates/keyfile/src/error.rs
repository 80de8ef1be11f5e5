//! What can be wrong with a file. Each message is one sentence for the person who brought the file.
use crate::{Algorithm, Bare, Form, Kind};
use der::oid::ObjectIdentifier;
use std::fmt;

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Nothing in it.
    #[error("the file is empty")]
    Empty,
    /// A text in UTF-16.
    #[error("the file is UTF-16 text, as PowerShell's '>' writes it; save it as ASCII or UTF-8")]
    Utf16,
    /// A PEM block that cannot be read.
    #[error("line {line}: {what}")]
    Pem {
        /// Where, counted from 1.
        line: usize,
        /// What is wrong there.
        what: String,
    },
    /// A PEM block with header lines, which only the encryption of traditional key files uses.
    #[error("line {line}: the {label} block has header lines, as traditionally encrypted keys have{DECRYPT}")]
    PemHeaders {
        /// The label of the block.
        label: String,
        /// Where the header is, counted from 1.
        line: usize,
    },
    /// Neither PEM nor DER.
    #[error("neither PEM nor DER")]
    NotDer,
    /// Neither PEM nor DER, but of a length that says what it is.
    #[error("{0}, without the structure that a key file gives it")]
    Bare(Bare),
    /// The DER value goes on after the end of the file.
    #[error("the file ends after {len} of {expected} bytes")]
    Truncated {
        /// Bytes there are.
        len: usize,
        /// Bytes that the DER header announces.
        expected: usize,
    },
    /// The file goes on after the end of the DER value.
    #[error("{} bytes follow the {expected} of the DER value", len - expected)]
    Trailing {
        /// Bytes there are.
        len: usize,
        /// Bytes that the DER header announces.
        expected: usize,
    },
    /// A DER value that does not have the structure it should have.
    #[error("not a valid {what}: {error}")]
    Der {
        /// The structure.
        what: &'static str,
        /// Where it departs from it.
        error: der::Error,
    },
    /// A file of another kind than is needed here.
    #[error("{found}, where {wanted} is needed{}", if *found == Kind::EncryptedPrivateKey { DECRYPT } else { "" })]
    Unsuitable {
        /// What was found.
        found: Kind,
        /// What would do.
        wanted: &'static str,
    },
    /// The PEM label says one thing and the content is another.
    #[error("line {line}: the label says {label}, but the block is {found}")]
    Label {
        /// The label.
        label: String,
        /// Where it is, counted from 1.
        line: usize,
        /// What the block is.
        found: Kind,
    },
    /// An algorithm that is neither ML-DSA nor SLH-DSA.
    #[error("the algorithm is {}, neither ML-DSA nor SLH-DSA", known_as(oid))]
    UnknownAlgorithm {
        /// Its identifier.
        oid: ObjectIdentifier,
    },
    /// The identifier of HashML-DSA on a key.
    #[error(
        "the key is marked {algorithm}, which RFC 9881 does not allow; it belongs to the pure {}",
        algorithm.set()
    )]
    HashMlDsa {
        /// The identifier's algorithm.
        algorithm: Algorithm,
    },
    /// Parameters in the algorithm identifier, where the RFCs want none (not even NULL).
    #[error("the algorithm identifier of {algorithm} has parameters; they must be absent")]
    Parameters {
        /// The identifier's algorithm.
        algorithm: Algorithm,
    },
    /// A private key in an encoding that was in use before the RFC.
    #[error("{legacy}; 'openssl pkey -in OLD -out NEW' (3.5 or newer) rewrites it as RFC {} has it", legacy.rfc())]
    Legacy {
        /// Which encoding.
        legacy: Legacy,
    },
    /// A value of the wrong length.
    #[error("the {what} of {algorithm} has {expected} bytes, not {len}")]
    Length {
        /// The value.
        what: &'static str,
        /// The algorithm.
        algorithm: Algorithm,
        /// Bytes there are.
        len: usize,
        /// Bytes there should be.
        expected: usize,
    },
    /// A bit string whose length is not a whole number of bytes.
    #[error("the public key's bit string ends within a byte")]
    UnusedBits,
    /// A private key whose parts do not belong together.
    #[error("{0}")]
    Inconsistent(Inconsistency),
    /// A form that the key cannot take.
    #[error("{algorithm} keys have no form '{form}'{}", if let Some(why) = why { format!(": {why}") } else { String::new() })]
    Form {
        /// The algorithm.
        algorithm: Algorithm,
        /// The form asked for.
        form: Form,
        /// Why not, where the algorithm as such has the form.
        why: Option<&'static str>,
    },
}

/// What to do about an encrypted key.
const DECRYPT: &str = "; decrypt it first, for example with 'openssl pkey'";

/// An object identifier with the name that a person may know it by.
fn known_as(oid: &ObjectIdentifier) -> String {
    let name = match oid.to_string().as_str() {
        "1.2.840.113549.1.1.1" => "RSA",
        "1.2.840.10045.2.1" => "elliptic curve (ECDSA, ECDH)",
        "1.3.101.110" => "X25519",
        "1.3.101.112" => "Ed25519",
        "1.3.101.113" => "Ed448",
        "2.16.840.1.101.3.4.4.1" => "ML-KEM-512",
        "2.16.840.1.101.3.4.4.2" => "ML-KEM-768",
        "2.16.840.1.101.3.4.4.3" => "ML-KEM-1024",
        "1.3.6.1.4.1.2.267.7.4.4" => "round-3 Dilithium2",
        "1.3.6.1.4.1.2.267.7.6.5" => "round-3 Dilithium3",
        "1.3.6.1.4.1.2.267.7.8.7" => "round-3 Dilithium5",
        "1.3.6.1.4.1.2.267.12.4.4" => "ML-DSA-44 of the 2023 draft",
        "1.3.6.1.4.1.2.267.12.6.5" => "ML-DSA-65 of the 2023 draft",
        "1.3.6.1.4.1.2.267.12.8.7" => "ML-DSA-87 of the 2023 draft",
        _ => return oid.to_string(),
    };
    format!("{name} ({oid})")
}

/// Encodings of private keys that were in use before RFC 9881 and RFC 9909.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Legacy {
    /// ML-DSA: the 32 bytes of the seed without the tag of the CHOICE.
    BareSeed,
    /// ML-DSA: the seed as an OCTET STRING, without its `[0]`.
    UntaggedSeed,
    /// ML-DSA: the bytes of the expanded key without the OCTET STRING.
    BareExpanded,
    /// ML-DSA: expanded and public key one after the other, as liboqs and its OpenSSL provider wrote them.
    OqsKeyPair,
    /// SLH-DSA: the key within a second OCTET STRING.
    Wrapped,
}

impl Legacy {
    const fn rfc(self) -> u32 {
        match self {
            Self::BareSeed | Self::UntaggedSeed | Self::BareExpanded | Self::OqsKeyPair => 9881,
            Self::Wrapped => 9909,
        }
    }
}

impl fmt::Display for Legacy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BareSeed => "the seed stands bare, an encoding from before RFC 9881",
            Self::UntaggedSeed => "the seed stands without its [0] tag, an encoding from before RFC 9881",
            Self::BareExpanded => "the expanded key stands bare, an encoding from before RFC 9881",
            Self::OqsKeyPair => {
                "the expanded key is followed by the public key ('oqskeypair'), an encoding from before RFC 9881"
            }
            Self::Wrapped => "the key stands in a second OCTET STRING, an encoding from before RFC 9909",
        })
    }
}

/// Parts of a private key that do not belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inconsistency {
    /// ML-DSA: key generation makes another expanded key out of the seed.
    Seed,
    /// ML-DSA: s1 or s2 holds a coefficient out of range. FIPS 204, algorithm 25.
    Range,
    /// ML-DSA: tr is not the hash of the public key.
    Tr,
    /// ML-DSA: t0 is not the low part of t = A s1 + s2.
    T0,
    /// SLH-DSA: PK.root is not the root of the top tree.
    Root,
    /// The public key that the file carries beside the private key is not that of the private key.
    PublicKey,
}

impl fmt::Display for Inconsistency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Seed => {
                "the expanded key does not belong to the seed beside it (FIPS 204 key generation gives another)"
            }
            Self::Range => "the expanded key holds a coefficient of s1 or s2 out of range (FIPS 204, algorithm 25)",
            Self::Tr => "the expanded key contradicts itself: tr is not the hash of its public key",
            Self::T0 => "the expanded key contradicts itself: t0 does not follow from s1 and s2",
            Self::Root => "the private key contradicts itself: PK.root does not follow from SK.seed and PK.seed",
            Self::PublicKey => "the public key in the file does not belong to the private key beside it",
        })
    }
}
