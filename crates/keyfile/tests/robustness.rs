//! No input makes a panic, and nothing damaged passes for the key it was.
use pqsoc_keyfile::{Bare, Certificate, Kind, PrivateKey, PublicKey, documents};
use proptest::prelude::*;

const FILES: [&[u8]; 6] = [
    include_bytes!("../data/ML-DSA-44-seed.priv"),
    include_bytes!("../data/ML-DSA-44-both.priv"),
    include_bytes!("../data/ML-DSA-44.pub"),
    include_bytes!("../data/ML-DSA-44.crt"),
    include_bytes!("../data/id-slh-dsa-sha2-128s.priv"),
    include_bytes!("../data/id-slh-dsa-sha2-128s.pub"),
];

fn read_all_ways(file: &[u8]) {
    let _ = Bare::of(file);
    for document in documents(file).unwrap_or_default() {
        let _ = Kind::of(&document);
        let _ = PrivateKey::from_der(&document.der);
        let _ = PublicKey::from_der(&document.der).map(|key| key.fingerprint());
        let _ = Certificate::from_der(&document.der).map(|certificate| certificate.public_key());
        let _ = Certificate::from_request(&document.der);
    }
}

proptest! {
    #[test]
    fn any_bytes(file in proptest::collection::vec(any::<u8>(), 0..200)) {
        read_all_ways(&file);
    }

    #[test]
    fn anything_in_a_sequence(content in proptest::collection::vec(any::<u8>(), 0..120)) {
        read_all_ways(&[&[0x30, content.len() as u8][..], &content].concat());
    }

    #[test]
    fn damaged_pem(which in 0..FILES.len(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut file = FILES[which].to_vec();
        let at = at.index(file.len());
        file[at] = byte;
        read_all_ways(&file);
    }

    #[test]
    fn damaged_der(which in 0..FILES.len(), at in 0_usize..60, byte in any::<u8>(), cut in any::<prop::sample::Index>()) {
        let mut der = documents(FILES[which]).unwrap().remove(0).der.to_vec();
        if at < der.len() {
            der[at] = byte;
        }
        read_all_ways(&der);
        der.truncate(cut.index(der.len()));
        read_all_ways(&der);
    }
}

/// Every byte before the key's own bytes is structure: no other value may be accepted there as the same algorithm's key.
#[test]
fn structure_bytes_have_one_value() {
    let der = documents(FILES[0]).unwrap().remove(0).der.to_vec();
    let structure = der.len() - 32;
    for at in 0..structure {
        for byte in 0..=255 {
            let mut other = der.clone();
            other[at] = byte;
            if byte != der[at]
                && let Ok(key) = PrivateKey::from_file(&other)
            {
                // Only the last arc of the identifier makes another valid file: the key of another set.
                assert_eq!(
                    (at, key.algorithm().name()),
                    (17, key.algorithm().name()),
                    "byte {at} = {byte:#x}"
                );
                assert!([18, 19].contains(&byte));
            }
        }
    }
}
