//! Key files through the traits of `pkcs8` and `spki`. RFC 9881.
use pkcs8::{
    DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey, PrivateKeyInfoRef,
    der::{Encode, asn1::OctetStringRef},
    spki::AlgorithmIdentifierRef,
};
use pqsoc_mldsa::{MlDsa44, MlDsa65, ParameterSet, SigningKey, VerifyingKey};

const SEED: [u8; 32] = [7; 32];

/// The DER of a private key with these contents.
fn private_key(oid: &str, contents: &[u8]) -> Vec<u8> {
    let algorithm = AlgorithmIdentifierRef { oid: oid.parse().unwrap(), parameters: None };
    PrivateKeyInfoRef::new(algorithm, OctetStringRef::new(contents).unwrap()).to_der().unwrap()
}

const OID_44: &str = "2.16.840.1.101.3.4.3.17";
const OID_65: &str = "2.16.840.1.101.3.4.3.18";

#[test]
fn a_key_of_a_seed_is_its_seed() {
    let der = SigningKey::<MlDsa44>::from_seed(&SEED).to_pkcs8_der().unwrap();
    // RFC 9881, section 6: 54 bytes, the seed under tag [0].
    let head = hex::decode("3034020100300b060960864801650304031104228020").unwrap();
    assert_eq!(der.as_bytes(), [&head[..], &SEED].concat());
    let key = SigningKey::<MlDsa44>::from_pkcs8_der(der.as_bytes()).unwrap();
    assert_eq!(key.seed(), Some(&SEED));
}

#[test]
fn expanded_and_both() {
    let key = SigningKey::<MlDsa44>::from_seed(&SEED);
    let expanded = key.expanded().as_slice();
    let imported = SigningKey::<MlDsa44>::from_expanded(expanded).unwrap();
    let der = imported.to_pkcs8_der().unwrap();
    let contents = [&[0x04, 0x82, 0x0a, 0x00], expanded].concat();
    assert_eq!(der.as_bytes(), private_key(OID_44, &contents));
    assert_eq!(SigningKey::<MlDsa44>::from_pkcs8_der(der.as_bytes()).unwrap().expanded(), key.expanded());

    let both = |seed: &[u8]| [&[0x30, 0x82, 0x0a, 0x26, 0x04, 0x20], seed, &contents].concat();
    let read = |contents: &[u8]| SigningKey::<MlDsa44>::from_pkcs8_der(&private_key(OID_44, contents));
    assert_eq!(read(&both(&SEED)).unwrap().seed(), Some(&SEED));
    // A seed of another key; a seed under no tag; one too short; another set's key.
    assert!(read(&both(&[8; 32])).is_err());
    assert!(read(&SEED).is_err());
    assert!(read(&[&[0x80, 31], &SEED[1..]].concat()).is_err());
    let other = private_key(OID_65, &[&[0x80, 32], &SEED[..]].concat());
    assert!(SigningKey::<MlDsa44>::from_pkcs8_der(&other).is_err());
    assert!(SigningKey::<MlDsa65>::from_pkcs8_der(&other).is_ok());
}

#[test]
fn public_keys() {
    let key = SigningKey::<MlDsa65>::from_seed(&SEED).verifying_key();
    let der = key.to_public_key_der().unwrap();
    let head = hex::decode("308207b2300b0609608648016503040312038207a100").unwrap();
    assert_eq!(der.as_bytes(), [&head[..], key.as_bytes()].concat());
    assert_eq!(der.as_bytes().len(), head.len() + MlDsa65::PARAMS.public_key_len());
    assert_eq!(VerifyingKey::<MlDsa65>::from_public_key_der(der.as_bytes()).unwrap(), key);
    assert!(VerifyingKey::<MlDsa44>::from_public_key_der(der.as_bytes()).is_err());
}
