//! Certificates and certificate requests: what they say about a key, and what was signed.
use crate::{Algorithm, Error, PublicKey};
use der::{Decode, Encode, Header, Reader, SliceReader, referenced::OwnedToRef};
use x509_cert::{certificate, request::CertReq, spki::SubjectPublicKeyInfoOwned};

/// An X.509 certificate or a PKCS#10 request.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// Whose key it is. RFC 4514 form.
    pub subject: String,
    /// Who signed; none for a request, which its own key signs.
    pub issuer: Option<String>,
    /// First and last second of its validity, RFC 3339; none for a request.
    pub validity: Option<[String; 2]>,
    /// The part that was signed, as DER.
    pub signed: Vec<u8>,
    /// The signature over it.
    pub signature: Vec<u8>,
    /// The algorithm of the signature, where it is ML-DSA or SLH-DSA.
    pub signature_algorithm: Result<Algorithm, Error>,
    key: SubjectPublicKeyInfoOwned,
}

impl Certificate {
    /// Reads a certificate. Neither its signature nor its validity is checked.
    ///
    /// # Errors
    /// [`Error::Der`].
    pub fn from_der(der: &[u8]) -> Result<Self, Error> {
        let error = |error| Error::Der { what: "X.509 certificate", error };
        let certificate = certificate::Certificate::from_der(der).map_err(error)?;
        let tbs = certificate.tbs_certificate();
        let validity = tbs.validity();
        Ok(Self {
            subject: tbs.subject().to_string(),
            issuer: Some(tbs.issuer().to_string()),
            validity: Some([validity.not_before, validity.not_after].map(|t| t.to_date_time().to_string())),
            signed: first_element(der).map_err(error)?,
            signature: certificate.signature().raw_bytes().to_vec(),
            signature_algorithm: Algorithm::of(&certificate.signature_algorithm().owned_to_ref()),
            key: tbs.subject_public_key_info().clone(),
        })
    }

    /// Reads a certificate request. Its signature is not checked.
    ///
    /// # Errors
    /// [`Error::Der`].
    pub fn from_request(der: &[u8]) -> Result<Self, Error> {
        let error = |error| Error::Der { what: "PKCS#10 certificate request", error };
        let request = CertReq::from_der(der).map_err(error)?;
        Ok(Self {
            subject: request.info.subject.to_string(),
            issuer: None,
            validity: None,
            signed: first_element(der).map_err(error)?,
            signature: request.signature.raw_bytes().to_vec(),
            signature_algorithm: Algorithm::of(&request.algorithm.owned_to_ref()),
            key: request.info.public_key,
        })
    }

    /// Its public key.
    ///
    /// # Errors
    /// Those of [`PublicKey::from_der`].
    pub fn public_key(&self) -> Result<PublicKey, Error> {
        PublicKey::from_der(
            &self.key.to_der().map_err(|error| Error::Der { what: "SubjectPublicKeyInfo", error })?,
        )
    }

    /// Whether its own key should verify its signature.
    pub fn is_self_signed(&self) -> bool {
        self.issuer.as_ref().is_none_or(|issuer| *issuer == self.subject)
    }
}

/// The first element of the SEQUENCE that `der` is, header included.
fn first_element(der: &[u8]) -> Result<Vec<u8>, der::Error> {
    let mut reader = SliceReader::new(der)?;
    Header::decode(&mut reader)?;
    Ok(reader.tlv_bytes()?.to_vec())
}
