//! What kind of structure a DER value is, judged by its outermost parts alone.
use crate::{Document, Error};
use der::{Decode, Reader, SliceReader, Tag};
use std::fmt;

/// A kind of DER structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// PKCS#8 PrivateKeyInfo (OneAsymmetricKey), RFC 5958.
    PrivateKey,
    /// PKCS#8 EncryptedPrivateKeyInfo, RFC 5958.
    EncryptedPrivateKey,
    /// SubjectPublicKeyInfo, RFC 5280.
    PublicKey,
    /// X.509 certificate, RFC 5280.
    Certificate,
    /// PKCS#10 certificate request, RFC 2986.
    Request,
    /// Certificate revocation list, RFC 5280.
    RevocationList,
    /// CMS ContentInfo, RFC 5652.
    Cms,
    /// A private key of the time before PKCS#8: RSA, DSA, EC.
    TraditionalKey,
    /// None of these.
    Other,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PrivateKey => "a private key",
            Self::EncryptedPrivateKey => "an encrypted private key",
            Self::PublicKey => "a public key",
            Self::Certificate => "a certificate",
            Self::Request => "a certificate request",
            Self::RevocationList => "a certificate revocation list",
            Self::Cms => "a CMS message",
            Self::TraditionalKey => "a private key in a traditional (pre-PKCS#8) format",
            Self::Other => "a DER value of unknown purpose",
        })
    }
}

impl Kind {
    /// The kind of `document`, by its structure.
    ///
    /// # Errors
    /// [`Error::Label`] when a label that is known contradicts the structure.
    pub fn of(document: &Document) -> Result<Self, Error> {
        let found = Self::of_der(&document.der).unwrap_or(Self::Other);
        match &document.label {
            Some(label) => match Self::of_label(label) {
                Some(said) if said != found => {
                    Err(Error::Label { label: label.clone(), line: document.line, found })
                }
                _ => Ok(found),
            },
            None => Ok(found),
        }
    }

    /// The kind that a PEM label promises: RFC 7468, and the traditional ones.
    fn of_label(label: &str) -> Option<Self> {
        Some(match label {
            "PRIVATE KEY" => Self::PrivateKey,
            "ENCRYPTED PRIVATE KEY" => Self::EncryptedPrivateKey,
            "PUBLIC KEY" => Self::PublicKey,
            "CERTIFICATE" | "X509 CERTIFICATE" => Self::Certificate,
            "CERTIFICATE REQUEST" | "NEW CERTIFICATE REQUEST" => Self::Request,
            "X509 CRL" => Self::RevocationList,
            "CMS" | "PKCS7" => Self::Cms,
            "RSA PRIVATE KEY" | "EC PRIVATE KEY" | "DSA PRIVATE KEY" => Self::TraditionalKey,
            _ => return None,
        })
    }

    /// By the tags of the outermost elements; `None` for what is not even DER there.
    fn of_der(der: &[u8]) -> Option<Self> {
        let outer = tags(der)?;
        let first = || inner(der).and_then(|content| tags(first_element(content)?));
        Some(match outer.as_slice() {
            [Tag::Integer, Tag::Sequence, Tag::OctetString, ..] => Self::PrivateKey,
            [Tag::Integer, Tag::OctetString, ..] | [Tag::Integer, Tag::Integer, Tag::Integer, ..] => {
                Self::TraditionalKey
            }
            [Tag::Sequence, Tag::OctetString] => Self::EncryptedPrivateKey,
            [Tag::Sequence, Tag::BitString] => Self::PublicKey,
            [Tag::Sequence, Tag::Sequence, Tag::BitString] => match first()?.as_slice() {
                [Tag::Integer, Tag::Sequence, Tag::Sequence, Tag::ContextSpecific { .. }] => Self::Request,
                [Tag::ContextSpecific { .. }, Tag::Integer, ..]
                | [
                    Tag::Integer,
                    Tag::Sequence,
                    Tag::Sequence,
                    Tag::Sequence,
                    Tag::Sequence,
                    Tag::Sequence,
                    ..,
                ] => Self::Certificate,
                [Tag::Integer, Tag::Sequence, Tag::Sequence, Tag::UtcTime | Tag::GeneralizedTime, ..]
                | [Tag::Sequence, Tag::Sequence, Tag::UtcTime | Tag::GeneralizedTime, ..] => {
                    Self::RevocationList
                }
                _ => Self::Other,
            },
            [Tag::ObjectIdentifier, Tag::ContextSpecific { .. }] => Self::Cms,
            _ => Self::Other,
        })
    }
}

/// The content of the SEQUENCE that `der` is.
fn inner(der: &[u8]) -> Option<&[u8]> {
    let mut reader = SliceReader::new(der).ok()?;
    let header = der::Header::decode(&mut reader).ok()?;
    (header.tag() == Tag::Sequence).then(|| reader.read_slice(header.length()).ok())?
}

/// The first element of a SEQUENCE's content, header included.
fn first_element(content: &[u8]) -> Option<&[u8]> {
    SliceReader::new(content).ok()?.tlv_bytes().ok()
}

/// The tags of the elements of the SEQUENCE that `der` is; of the first eight, which is enough to tell.
fn tags(der: &[u8]) -> Option<Vec<Tag>> {
    let mut reader = SliceReader::new(inner(der)?).ok()?;
    let mut tags = Vec::new();
    while !reader.is_finished() && tags.len() < 8 {
        tags.push(Tag::peek(&reader).ok()?);
        reader.tlv_bytes().ok()?;
    }
    Some(tags)
}
