//! Key files: the traits of `pkcs8` and `spki` for the sets of FIPS 204. RFC 9881.
use crate::{
    key::{Signature, SigningKey, VerifyingKey},
    params::{MlDsa44, MlDsa65, MlDsa87, ParameterSet, SEED_LEN},
    profile::Profile,
};
use pkcs8::{
    AlgorithmIdentifierRef, AssociatedOid, Document, EncodePrivateKey, EncodePublicKey, Error, KeyError,
    ObjectIdentifier, PrivateKeyInfoRef, SecretDocument, SubjectPublicKeyInfoRef,
    der::{
        self, Decode, Encode, Tag, TagNumber, Tagged,
        asn1::{AnyRef, BitString, BitStringRef, OctetStringRef},
    },
    spki::{self, AssociatedAlgorithmIdentifier, SignatureAlgorithmIdentifier, SignatureBitStringEncoding},
};
use zeroize::Zeroizing;

impl AssociatedOid for MlDsa44 {
    const OID: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.17");
}

impl AssociatedOid for MlDsa65 {
    const OID: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.18");
}

impl AssociatedOid for MlDsa87 {
    const OID: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3.19");
}

/// The algorithm of keys and of signatures alike, without parameters. RFC 9881, section 2.
const fn algorithm<S: AssociatedOid>() -> AlgorithmIdentifierRef<'static> {
    AlgorithmIdentifierRef { oid: S::OID, parameters: None }
}

impl<S: ParameterSet + AssociatedOid> AssociatedAlgorithmIdentifier for Signature<S> {
    type Params = AnyRef<'static>;
    const ALGORITHM_IDENTIFIER: AlgorithmIdentifierRef<'static> = algorithm::<S>();
}

impl<S: ParameterSet + AssociatedOid> SignatureBitStringEncoding for Signature<S> {
    fn to_bitstring(&self) -> der::Result<BitString> {
        BitString::from_bytes(self.as_ref())
    }
}

impl<S: ParameterSet + AssociatedOid, P: Profile> SignatureAlgorithmIdentifier for SigningKey<S, P> {
    type Params = AnyRef<'static>;
    const SIGNATURE_ALGORITHM_IDENTIFIER: AlgorithmIdentifierRef<'static> = algorithm::<S>();
}

impl<S: ParameterSet + AssociatedOid, P: Profile> SignatureAlgorithmIdentifier for VerifyingKey<S, P> {
    type Params = AnyRef<'static>;
    const SIGNATURE_ALGORITHM_IDENTIFIER: AlgorithmIdentifierRef<'static> = algorithm::<S>();
}

impl<S: ParameterSet + AssociatedOid, P: Profile> EncodePublicKey for VerifyingKey<S, P> {
    fn to_public_key_der(&self) -> spki::Result<Document> {
        let subject_public_key = BitStringRef::from_bytes(self.as_bytes().as_ref())?;
        let info = SubjectPublicKeyInfoRef { algorithm: algorithm::<S>(), subject_public_key };
        Ok(Document::encode_msg(&info)?)
    }
}

impl<S: ParameterSet + AssociatedOid, P: Profile> TryFrom<SubjectPublicKeyInfoRef<'_>>
    for VerifyingKey<S, P>
{
    type Error = spki::Error;

    fn try_from(info: SubjectPublicKeyInfoRef<'_>) -> spki::Result<Self> {
        check(&info.algorithm, S::OID)?;
        let bytes = info.subject_public_key.as_bytes().ok_or(spki::Error::KeyMalformed)?;
        Self::from_bytes(bytes).map_err(|_| spki::Error::KeyMalformed)
    }
}

/// The right algorithm, and no parameters.
fn check(algorithm: &AlgorithmIdentifierRef<'_>, oid: ObjectIdentifier) -> spki::Result<()> {
    algorithm.assert_algorithm_oid(oid)?;
    if algorithm.parameters.is_some() { Err(spki::Error::KeyMalformed) } else { Ok(()) }
}

/// The tag of the seed alone: \[0\] IMPLICIT OCTET STRING. RFC 9881, section 6.
const SEED: Tag = Tag::ContextSpecific { constructed: false, number: TagNumber(0) };

/// Tag and length in front of the largest expanded key.
const HEADER: usize = 4;

impl<S: ParameterSet + AssociatedOid, P: Profile> EncodePrivateKey for SigningKey<S, P> {
    /// As a seed where it is known, otherwise as the expanded key.
    fn to_pkcs8_der(&self) -> pkcs8::Result<SecretDocument> {
        let private_key = match self.seed() {
            Some(seed) => AnyRef::new(SEED, seed)?,
            None => AnyRef::new(Tag::OctetString, self.expanded().as_ref())?,
        };
        let mut bytes = Zeroizing::new([0; HEADER + MlDsa87::PARAMS.secret_key_len()]);
        let private_key = OctetStringRef::new(private_key.encode_to_slice(bytes.as_mut())?)?;
        Ok(SecretDocument::encode_msg(&PrivateKeyInfoRef::new(algorithm::<S>(), private_key))?)
    }
}

impl<S: ParameterSet + AssociatedOid, P: Profile> TryFrom<PrivateKeyInfoRef<'_>> for SigningKey<S, P> {
    type Error = Error;

    /// A seed, an expanded key, or both, which must belong together.
    fn try_from(info: PrivateKeyInfoRef<'_>) -> pkcs8::Result<Self> {
        check(&info.algorithm, S::OID)?;
        let malformed = |_| Error::KeyMalformed(KeyError::Invalid);
        let seed_of = |bytes: &[u8]| {
            let seed: [u8; SEED_LEN] =
                bytes.try_into().map_err(|_| Error::KeyMalformed(KeyError::Invalid))?;
            Ok::<_, Error>(Zeroizing::new(seed))
        };
        let key = AnyRef::from_der(info.private_key.as_bytes())?;
        match key.tag() {
            SEED => Ok(Self::from_seed(&*seed_of(key.value())?)),
            Tag::OctetString => Self::from_expanded(key.value()).map_err(malformed),
            Tag::Sequence => {
                let (seed, expanded) = key.sequence(|reader| -> der::Result<_> {
                    Ok((<&OctetStringRef>::decode(reader)?, <&OctetStringRef>::decode(reader)?))
                })?;
                Self::from_seed_and_expanded(&*seed_of(seed.as_bytes())?, expanded.as_bytes())
                    .map_err(malformed)
            }
            _ => Err(Error::KeyMalformed(KeyError::Invalid)),
        }
    }
}
