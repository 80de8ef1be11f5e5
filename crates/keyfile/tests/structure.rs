//! What is read and written, and what is said of files that are something else.
use pqsoc_keyfile::{Algorithm, Certificate, Error, Form, Kind, Legacy, PrivateKey, PublicKey, documents};

const SEED: &[u8] = include_bytes!("../data/ML-DSA-44-seed.priv");
const EXPANDED: &[u8] = include_bytes!("../data/ML-DSA-44-expanded.priv");
const BOTH: &[u8] = include_bytes!("../data/ML-DSA-44-both.priv");
const PUBLIC: &[u8] = include_bytes!("../data/ML-DSA-44.pub");
const CERTIFICATE: &[u8] = include_bytes!("../data/ML-DSA-44.crt");
const SLH_PRIVATE: &[u8] = include_bytes!("../data/id-slh-dsa-sha2-128s.priv");
const SLH_PUBLIC: &[u8] = include_bytes!("../data/id-slh-dsa-sha2-128s.pub");

fn der(file: &[u8]) -> Vec<u8> {
    documents(file).unwrap().remove(0).der.to_vec()
}

/// The message for a file that is not accepted as a private key.
fn private_error(file: &[u8]) -> String {
    PrivateKey::from_file(file).expect_err("accepted").to_string()
}

fn public_error(file: &[u8]) -> String {
    PublicKey::from_file(file).expect_err("accepted").to_string()
}

/// A DER element: short or two-byte length.
fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    match content.len() {
        len @ 0..=0x7f => out.push(len as u8),
        len @ 0x80..=0xff => out.extend([0x81, len as u8]),
        len => out.extend([0x82, (len >> 8) as u8, len as u8]),
    }
    out.extend(content);
    out
}

/// The identifier of an algorithm under 2.16.840.1.101.3.4.3, with what follows the object identifier.
fn identifier(arc: u8, parameters: &[u8]) -> Vec<u8> {
    let oid = [&[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03][..], &[arc]].concat();
    tlv(0x30, &[tlv(0x06, &oid), parameters.to_vec()].concat())
}

/// A PKCS#8 structure.
fn pkcs8(version: u8, identifier: &[u8], content: &[u8], more: &[u8]) -> Vec<u8> {
    let parts = [&[0x02, 1, version][..], identifier, &tlv(0x04, content), more].concat();
    tlv(0x30, &parts)
}

#[test]
fn the_three_forms_are_read_and_written_as_they_were() {
    for (file, form) in [(SEED, Form::Seed), (EXPANDED, Form::Expanded), (BOTH, Form::Both)] {
        let key = PrivateKey::from_file(file).unwrap();
        assert_eq!((key.algorithm().name(), key.form()), ("ML-DSA-44", Some(form)));
        assert_eq!(key.to_pem().as_bytes(), file);
        assert_eq!(*key.to_der(), der(file));
        assert_eq!(PrivateKey::from_file(&der(file)).unwrap().form(), Some(form));
        assert_eq!(form.name().parse(), Ok(form));
    }
    let key = PrivateKey::from_file(SLH_PRIVATE).unwrap();
    assert_eq!((key.algorithm().name(), key.form()), ("SLH-DSA-SHA2-128s", None));
    assert_eq!(key.to_pem().as_bytes(), SLH_PRIVATE);
    for file in [PUBLIC, SLH_PUBLIC] {
        let key = PublicKey::from_file(file).unwrap();
        assert_eq!(key.to_pem().as_bytes(), file);
        assert_eq!(key.to_der(), der(file));
    }
    let certificate = Certificate::from_der(&der(CERTIFICATE)).unwrap();
    assert_eq!(certificate.public_key(), PublicKey::from_file(PUBLIC));
    assert_eq!(certificate.subject, "CN=LAMPS WG,O=IETF");
    assert!(certificate.is_self_signed());
    assert_eq!(certificate.signature.len(), 2420);
    assert_eq!(certificate.signature_algorithm.unwrap().name(), "ML-DSA-44");
    assert_eq!(
        certificate.validity,
        Some(["2020-02-03T04:32:10Z".to_string(), "2040-01-29T04:32:10Z".to_string()])
    );
}

#[test]
fn a_private_key_is_never_printed() {
    let key = PrivateKey::from_file(SEED).unwrap();
    assert_eq!(format!("{key:?}"), "PrivateKey { algorithm: \"ML-DSA-44\", form: Some(Seed), .. }");
}

#[test]
fn the_first_suitable_document_counts() {
    let both = [CERTIFICATE, SEED].concat();
    assert!(PrivateKey::from_file(&both).is_ok());
    assert_eq!(PublicKey::from_file(&both), PublicKey::from_file(PUBLIC));
    let text = [b"a comment\n".as_slice(), SEED].concat();
    assert!(PrivateKey::from_file(&text).is_ok());
}

#[test]
fn other_files_are_named() {
    assert_eq!(private_error(PUBLIC), "a public key, where a private key is needed");
    assert_eq!(private_error(CERTIFICATE), "a certificate, where a private key is needed");
    assert_eq!(private_error(b""), "the file is empty");
    assert_eq!(private_error(b"hello, world"), "neither PEM nor DER");
    let encrypted = tlv(0x30, &[identifier(17, &[]), tlv(0x04, &[7; 100])].concat());
    assert_eq!(
        private_error(&encrypted),
        "an encrypted private key, where a private key is needed; decrypt it first, for example with 'openssl pkey'"
    );
    let ec = b"-----BEGIN EC PRIVATE KEY-----\nMAYCAQEEAQc=\n-----END EC PRIVATE KEY-----\n";
    assert_eq!(
        private_error(ec),
        "a private key in a traditional (pre-PKCS#8) format, where a private key is needed"
    );
    let old = b"-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n";
    assert!(private_error(old).starts_with("line 2: the EC PRIVATE KEY block has header lines"));
    let open_ssh = b"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaA==\n-----END OPENSSH PRIVATE KEY-----\n";
    assert_eq!(private_error(open_ssh), "a DER value of unknown purpose, where a private key is needed");
    let request = tlv(0x30, &tlv(0x05, &[]));
    assert_eq!(
        public_error(&request),
        "a DER value of unknown purpose, where a public key, a certificate or a private key is needed"
    );
}

#[test]
fn a_label_must_fit() {
    let text = String::from_utf8(SEED.to_vec()).unwrap();
    for label in ["PUBLIC KEY", "CERTIFICATE", "ENCRYPTED PRIVATE KEY", "EC PRIVATE KEY", "CMS"] {
        let mislabelled = text.replace("PRIVATE KEY", label);
        let expected = format!("line 1: the label says {label}, but the block is a private key");
        assert_eq!(private_error(mislabelled.as_bytes()), expected);
    }
    // A label that says nothing to us does not contradict.
    assert!(PrivateKey::from_file(text.replace("PRIVATE KEY", "ML-DSA PRIVATE KEY").as_bytes()).is_ok());
}

/// The lesson: raw seeds parsed as PKCS#8 by mistake, and the other way round.
#[test]
fn bare_bytes_are_named_by_their_length() {
    let bare = |len| PrivateKey::from_file(&vec![0xa5; len]).expect_err("accepted").to_string();
    assert!(bare(32).starts_with("32 bytes, the length of a seed of ML-DSA-44, ML-DSA-65, ML-DSA-87, or of a public key of SLH-DSA-SHA2-128s"));
    assert!(
        bare(2560).starts_with("2560 bytes, the length of a private key of ML-DSA-44, without the structure")
    );
    assert!(
        bare(1952).starts_with("1952 bytes, the length of a public key of ML-DSA-65, without the structure")
    );
    assert!(
        bare(4627).starts_with("4627 bytes, the length of a signature of ML-DSA-87, without the structure")
    );
    assert!(
        bare(4896 + 2592)
            .starts_with("7488 bytes, the length of a private key followed by its public key of ML-DSA-87")
    );
    assert_eq!(bare(33), "neither PEM nor DER");
    // The first bytes of a seed may look like DER.
    for first in [[0x30, 0x1e], [0x30, 0x10], [0x30, 0x82]] {
        let mut seed = [7; 32];
        seed[..2].copy_from_slice(&first);
        let message = private_error(&seed);
        assert!(message.starts_with("32 bytes, the length of a seed"), "{message}");
    }
    let hex = "00".repeat(32);
    assert!(private_error(hex.as_bytes()).starts_with("32 bytes in hexadecimal, the length of a seed"));
    assert!(
        private_error(b"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n").starts_with("32 bytes in Base64")
    );
}

#[test]
fn legacy_encodings_are_named() {
    let key = |content: &[u8]| PrivateKey::from_der(&pkcs8(0, &identifier(17, &[]), content, &[])).err();
    let legacy = |legacy| Some(Error::Legacy { legacy });
    let expanded = [0; 2560];
    let pair = [0; 2560 + 1312];
    assert_eq!(key(&[1; 32]), legacy(Legacy::BareSeed));
    assert_eq!(key(&tlv(0x04, &[1; 32])), legacy(Legacy::UntaggedSeed));
    assert_eq!(key(&expanded), legacy(Legacy::BareExpanded));
    assert_eq!(key(&pair), legacy(Legacy::OqsKeyPair));
    assert_eq!(key(&tlv(0x04, &pair)), legacy(Legacy::OqsKeyPair));
    assert_eq!(key(&tlv(0x04, &expanded)), None);
    assert_eq!(key(&tlv(0x80, &[1; 32])), None);
    // A bare seed may look like the tagged one: its length tells.
    assert_eq!(key(&[&[0x80, 30][..], &[1; 30]].concat()), legacy(Legacy::BareSeed));
    let slh = |content: &[u8]| PrivateKey::from_der(&pkcs8(0, &identifier(24, &[]), content, &[])).err();
    assert_eq!(slh(&[1; 128]), None);
    assert_eq!(slh(&tlv(0x04, &[1; 128])), legacy(Legacy::Wrapped));
}

#[test]
fn wrong_lengths_are_told() {
    let ml = |content: &[u8]| {
        PrivateKey::from_der(&pkcs8(0, &identifier(18, &[]), content, &[])).expect_err("accepted").to_string()
    };
    assert_eq!(ml(&tlv(0x80, &[1; 31])), "the seed of ML-DSA-65 has 32 bytes, not 31");
    assert_eq!(ml(&tlv(0x80, &[])), "the seed of ML-DSA-65 has 32 bytes, not 0");
    assert_eq!(ml(&tlv(0x04, &[1; 2560])), "the expanded key of ML-DSA-65 has 4032 bytes, not 2560");
    let both =
        |seed, expanded| tlv(0x30, &[tlv(0x04, &vec![0; seed]), tlv(0x04, &vec![0; expanded])].concat());
    assert_eq!(ml(&both(33, 4032)), "the seed of ML-DSA-65 has 32 bytes, not 33");
    assert_eq!(ml(&both(32, 4031)), "the expanded key of ML-DSA-65 has 4032 bytes, not 4031");
    let trailing = [tlv(0x80, &[1; 32]), vec![0]].concat();
    assert_eq!(ml(&trailing), "1 bytes follow the 34 of the DER value");
    for content in
        [&[][..], &[0x30, 0], &[0x05, 0], &[0xa0, 0x22], &tlv(0xa0, &tlv(0x04, &[1; 32])), &[0x80, 0x82]]
    {
        let message = ml(content);
        assert!(message.starts_with("not a valid ML-DSA private key (RFC 9881): "), "{message}");
    }
    let slh = |len| {
        PrivateKey::from_der(&pkcs8(0, &identifier(20, &[]), &vec![0; len], &[]))
            .map(drop)
            .map_err(|e| e.to_string())
    };
    assert_eq!(slh(64), Ok(()));
    assert_eq!(slh(63), Err("the private key of SLH-DSA-SHA2-128s has 64 bytes, not 63".to_string()));
    let spki = |len: usize| {
        let bits = tlv(0x03, &[&[0][..], &vec![0; len]].concat());
        PublicKey::from_der(&tlv(0x30, &[identifier(19, &[]), bits].concat()))
            .map(drop)
            .map_err(|e| e.to_string())
    };
    assert_eq!(spki(2592), Ok(()));
    assert_eq!(spki(2602), Err("the public key of ML-DSA-87 has 2592 bytes, not 2602".to_string()));
    assert_eq!(spki(0), Err("the public key of ML-DSA-87 has 2592 bytes, not 0".to_string()));
    assert!(matches!(
        PrivateKey::from_seed("ML-DSA-44".parse().unwrap(), &[0; 33]),
        Err(Error::Length { len: 33, .. })
    ));
}

#[test]
fn identifiers_are_checked() {
    let seed = tlv(0x80, &[1; 32]);
    let error = |identifier: &[u8]| {
        PrivateKey::from_der(&pkcs8(0, identifier, &seed, &[])).expect_err("accepted").to_string()
    };
    assert_eq!(
        error(&identifier(17, &[5, 0])),
        "the algorithm identifier of ML-DSA-44 has parameters; they must be absent"
    );
    assert_eq!(
        error(&identifier(33, &[])),
        "the key is marked HashML-DSA-65-with-SHA512, which RFC 9881 does not allow; it belongs to the pure ML-DSA-65"
    );
    assert_eq!(
        error(&identifier(99, &[])),
        "the algorithm is 2.16.840.1.101.3.4.3.99, neither ML-DSA nor SLH-DSA"
    );
    let rsa = tlv(0x30, &[&tlv(0x06, &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1])[..], &[5, 0]].concat());
    assert_eq!(error(&rsa), "the algorithm is RSA (1.2.840.113549.1.1.1), neither ML-DSA nor SLH-DSA");
    // RFC 9909 does have keys for HashSLH-DSA.
    let key = PrivateKey::from_der(&pkcs8(0, &identifier(35, &[]), &[1; 64], &[])).unwrap();
    assert_eq!(key.algorithm().name(), "HashSLH-DSA-SHA2-128s-with-SHA256");
    assert_eq!(key.algorithm().pure().name(), "SLH-DSA-SHA2-128s");
}

#[test]
fn an_attached_public_key_is_read() {
    let seed = tlv(0x80, &[1; 32]);
    let attached = |len: usize, unused: u8| {
        let bits = tlv(0x81, &[&[unused][..], &vec![0; len]].concat());
        PrivateKey::from_der(&pkcs8(1, &identifier(17, &[]), &seed, &bits)).map(drop)
    };
    assert_eq!(attached(1312, 0), Ok(()));
    assert!(matches!(attached(1311, 0), Err(Error::Length { what: "public key", len: 1311, .. })));
    assert_eq!(attached(1312, 1), Err(Error::UnusedBits));
}

#[test]
fn what_follows_or_is_missing_is_told() {
    let der = der(SEED);
    assert_eq!(private_error(&[&der[..], &[0]].concat()), "1 bytes follow the 54 of the DER value");
    assert_eq!(private_error(&der[..53]), "the file ends after 53 of 54 bytes");
    for len in 1..der.len() {
        assert!(PrivateKey::from_file(&der[..len]).is_err(), "{len}");
    }
}

#[test]
fn kinds() {
    let kind = |file| documents(file).unwrap().iter().map(|d| Kind::of(d).unwrap()).collect::<Vec<_>>();
    assert_eq!(kind(SEED), [Kind::PrivateKey]);
    assert_eq!(kind(PUBLIC), [Kind::PublicKey]);
    assert_eq!(kind(CERTIFICATE), [Kind::Certificate]);
    assert_eq!(kind(&[CERTIFICATE, SEED].concat()), [Kind::Certificate, Kind::PrivateKey]);
}

#[test]
fn sizes_do_not_overlap_where_it_matters() {
    for algorithm in Algorithm::ALL {
        let sizes = algorithm.sizes();
        // The encodings of RFC 9881 have lengths that no legacy encoding has.
        let valid = [2 + sizes.seed, 4 + sizes.private, 8 + 2 + sizes.seed + sizes.private];
        let legacy = [sizes.seed, sizes.private, sizes.private + sizes.public];
        assert!(valid.iter().all(|len| !legacy.contains(len)), "{algorithm}");
    }
}
