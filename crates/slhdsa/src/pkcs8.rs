//! Keys in PKCS#8 and SubjectPublicKeyInfo: RFC 9909.
use crate::keys::{SigningKey, VerifyingKey};
use crate::params::*;
use pkcs8::der::asn1::BitStringRef;
use pkcs8::der::asn1::OctetStringRef;
use pkcs8::spki::{
    AlgorithmIdentifier, AlgorithmIdentifierOwned, AlgorithmIdentifierRef, DynSignatureAlgorithmIdentifier,
    SubjectPublicKeyInfoRef,
};
use pkcs8::{
    Document, EncodePrivateKey, EncodePublicKey, Error, KeyError, ObjectIdentifier, PrivateKeyInfoRef,
    SecretDocument, spki,
};

/// The identifiers of the twelve sets. RFC 9909, section 3.
static IDENTIFIERS: [(&Params, ObjectIdentifier); 12] = [
    (&SLH_DSA_SHA2_128S, ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.20")),
    (&SLH_DSA_SHA2_128F, ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.21")),
    (&SLH_DSA_SHA2_192S, ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.22")),
    (&SLH_DSA_SHA2_192F, ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.23")),
    (&SLH_DSA_SHA2_256S, ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.24")),
    (&SLH_DSA_SHA2_256F, ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.25")),
    (&SLH_DSA_SHAKE_128S, ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.26")),
    (&SLH_DSA_SHAKE_128F, ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.27")),
    (&SLH_DSA_SHAKE_192S, ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.28")),
    (&SLH_DSA_SHAKE_192F, ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.29")),
    (&SLH_DSA_SHAKE_256S, ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.30")),
    (&SLH_DSA_SHAKE_256F, ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.31")),
];

/// The set that an identifier names; it must come without parameters.
fn params(algorithm: &AlgorithmIdentifierRef<'_>) -> spki::Result<&'static Params> {
    let (params, oid) = IDENTIFIERS
        .iter()
        .find(|(_, oid)| *oid == algorithm.oid)
        .ok_or(spki::Error::OidUnknown { oid: algorithm.oid })?;
    algorithm.assert_algorithm_oid(*oid)?;
    if algorithm.parameters.is_some() {
        return Err(spki::Error::KeyMalformed);
    }
    Ok(params)
}

/// The identifier of a set; SPHINCS+ and drafts have none.
fn identifier(params: &Params) -> spki::Result<AlgorithmIdentifierRef<'static>> {
    let oid = IDENTIFIERS.iter().find(|(set, _)| *set == params).map(|(_, oid)| *oid);
    Ok(AlgorithmIdentifier { oid: oid.ok_or(spki::Error::AlgorithmParametersMissing)?, parameters: None })
}

impl TryFrom<SubjectPublicKeyInfoRef<'_>> for VerifyingKey {
    type Error = spki::Error;

    fn try_from(info: SubjectPublicKeyInfoRef<'_>) -> spki::Result<Self> {
        let bytes = info.subject_public_key.as_bytes().ok_or(spki::Error::KeyMalformed)?;
        Self::from_bytes(params(&info.algorithm)?, bytes).map_err(|_| spki::Error::KeyMalformed)
    }
}

impl EncodePublicKey for VerifyingKey {
    fn to_public_key_der(&self) -> spki::Result<Document> {
        let subject_public_key = BitStringRef::from_bytes(self.as_bytes())?;
        SubjectPublicKeyInfoRef { algorithm: identifier(self.params())?, subject_public_key }.try_into()
    }
}

/// The encoding of FIPS 205 without ASN.1 around it. PK.root is taken as it is; [`SigningKey::check`] computes it.
impl TryFrom<PrivateKeyInfoRef<'_>> for SigningKey {
    type Error = Error;

    fn try_from(info: PrivateKeyInfoRef<'_>) -> pkcs8::Result<Self> {
        let params = params(&info.algorithm)?;
        Self::from_bytes(params, info.private_key.as_bytes())
            .map_err(|_| Error::KeyMalformed(KeyError::Invalid))
    }
}

impl EncodePrivateKey for SigningKey {
    fn to_pkcs8_der(&self) -> pkcs8::Result<SecretDocument> {
        let key = OctetStringRef::new(self.as_bytes())?;
        SecretDocument::encode_msg(&PrivateKeyInfoRef::new(identifier(self.params())?, key))
            .map_err(Into::into)
    }
}

impl DynSignatureAlgorithmIdentifier for VerifyingKey {
    fn signature_algorithm_identifier(&self) -> spki::Result<AlgorithmIdentifierOwned> {
        Ok(AlgorithmIdentifier { oid: identifier(self.params())?.oid, parameters: None })
    }
}

impl DynSignatureAlgorithmIdentifier for SigningKey {
    fn signature_algorithm_identifier(&self) -> spki::Result<AlgorithmIdentifierOwned> {
        Ok(AlgorithmIdentifier { oid: identifier(self.params())?.oid, parameters: None })
    }
}
