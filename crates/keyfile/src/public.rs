//! Public keys: SubjectPublicKeyInfo.
use crate::{Algorithm, Bare, Certificate, Document, Error, Family, Kind, PrivateKey, document, documents};
use der::{Decode, Encode, asn1::BitStringRef};
use sha2::{Digest, Sha256};
use spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};

/// A public key. Its length is right for its algorithm; any bytes of that length are a valid key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey {
    algorithm: Algorithm,
    bytes: Vec<u8>,
}

impl PublicKey {
    /// `bytes` have the length that the algorithm wants.
    pub(crate) fn new(algorithm: Algorithm, bytes: Vec<u8>) -> Self {
        debug_assert_eq!(bytes.len(), algorithm.sizes().public);
        Self { algorithm, bytes }
    }

    /// A public key of pk's bytes, as FIPS 204 and FIPS 205 define them.
    ///
    /// # Errors
    /// [`Error::Length`].
    pub fn from_bytes(algorithm: Algorithm, bytes: &[u8]) -> Result<Self, Error> {
        let expected = algorithm.sizes().public;
        if bytes.len() != expected {
            return Err(Error::Length { what: "public key", algorithm, len: bytes.len(), expected });
        }
        Ok(Self::new(algorithm, bytes.to_vec()))
    }

    /// The content of a BIT STRING that holds a public key.
    pub(crate) fn from_bits(algorithm: Algorithm, bits: &BitStringRef<'_>) -> Result<Self, Error> {
        Self::from_bytes(algorithm, bits.as_bytes().ok_or(Error::UnusedBits)?)
    }

    /// Reads a public key out of a file, PEM or DER, with the first document that gives one: a public key, a
    /// certificate, or a private key, which is checked on the way as [`PrivateKey::key_pair`] does.
    ///
    /// # Errors
    /// Those of [`documents`], [`from_der`](Self::from_der), [`Certificate::from_der`] and [`PrivateKey::from_der`];
    /// [`Error::Unsuitable`] when the file holds something else; [`Error::Bare`] when it seems to hold a key without
    /// any structure.
    pub fn from_file(file: &[u8]) -> Result<Self, Error> {
        let key = documents(file).and_then(|documents| Self::from_documents(&documents));
        key.map_err(|error| Bare::explain(file, error))
    }

    fn from_documents(documents: &[Document]) -> Result<Self, Error> {
        let mut found = Kind::Other;
        for document in documents {
            match Kind::of(document)? {
                Kind::PublicKey => return Self::from_der(&document.der),
                Kind::Certificate => return Certificate::from_der(&document.der)?.public_key(),
                Kind::PrivateKey => {
                    return PrivateKey::from_der(&document.der)?.key_pair().map(|pair| pair.public);
                }
                kind if found == Kind::Other => found = kind,
                _ => {}
            }
        }
        Err(Error::Unsuitable { found, wanted: "a public key, a certificate or a private key" })
    }

    /// Reads a SubjectPublicKeyInfo.
    ///
    /// # Errors
    /// [`Error::Der`], [`Error::UnknownAlgorithm`], [`Error::HashMlDsa`], [`Error::Parameters`], [`Error::UnusedBits`],
    /// [`Error::Length`].
    pub fn from_der(der: &[u8]) -> Result<Self, Error> {
        let info = SubjectPublicKeyInfoRef::from_der(der)
            .map_err(|error| Error::Der { what: "SubjectPublicKeyInfo", error })?;
        Self::from_bits(Algorithm::of_key(&info.algorithm)?, &info.subject_public_key)
    }

    /// Its SubjectPublicKeyInfo.
    pub fn to_der(&self) -> Vec<u8> {
        let encode = || {
            let algorithm = AlgorithmIdentifierRef { oid: self.algorithm.oid(), parameters: None };
            let subject_public_key = BitStringRef::from_bytes(&self.bytes)?;
            SubjectPublicKeyInfoRef { algorithm, subject_public_key }.to_der()
        };
        encode().expect("keys are far shorter than DER allows")
    }

    /// [`to_der`](Self::to_der) as a PEM block `PUBLIC KEY`.
    pub fn to_pem(&self) -> String {
        document::to_pem("PUBLIC KEY", &self.to_der()).to_string()
    }

    /// Its algorithm.
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// pk of FIPS 204 or FIPS 205.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// SHA-256 of the SubjectPublicKeyInfo: what names the key wherever it appears.
    pub fn fingerprint(&self) -> [u8; 32] {
        Sha256::digest(self.to_der()).into()
    }
}

impl Algorithm {
    /// The algorithm of a key, from its identifier.
    pub(crate) fn of_key(identifier: &AlgorithmIdentifierRef<'_>) -> Result<Self, Error> {
        let algorithm = Self::of(identifier)?;
        // RFC 9909 has keys for HashSLH-DSA; RFC 9881, section 1, leaves HashML-DSA out.
        if algorithm.family() == Family::MlDsa && algorithm.pre_hash().is_some() {
            return Err(Error::HashMlDsa { algorithm });
        }
        Ok(algorithm)
    }

    /// The algorithm of a key or a signature, from its identifier.
    pub(crate) fn of(identifier: &AlgorithmIdentifierRef<'_>) -> Result<Self, Error> {
        let algorithm = Self::from_oid(identifier.oid)?;
        match identifier.parameters {
            None => Ok(algorithm),
            Some(_) => Err(Error::Parameters { algorithm }),
        }
    }
}
