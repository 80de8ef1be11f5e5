//! Keys and signatures of others: FIPS 205 and SPHINCS+ r3.1.
mod common;

use common::{Case, cases};
use pqsoc_slhdsa::{Context, Message, Params, PreHash, SigningKey};
use sha2::{Digest, Sha256};

/// The key is that of its seeds.
fn check_key(case: &Case) {
    let params = Params::by_name(case.text("set")).unwrap();
    let sk = case.bytes("sk").unwrap();
    let seeds: Vec<&[u8]> = sk.chunks(params.n).collect();
    let key = SigningKey::from_seeds(params, seeds[0], seeds[1], seeds[2]).unwrap();
    assert_eq!(hex::encode(key.as_bytes()), hex::encode(sk), "{params}");
}

/// The signature has the known digest, and verifies.
fn check_signature(case: &Case) {
    let params = Params::by_name(case.text("set")).unwrap();
    let key = SigningKey::from_bytes(params, &case.bytes("sk").unwrap()).unwrap();
    let text = case.bytes("message").unwrap();
    let context = case.bytes("context").unwrap_or_default();
    let context = Context::new(&context).unwrap();
    let digest;
    let message = if case.has("prehash") {
        let pre_hash: PreHash = case.text("prehash").parse().unwrap();
        digest = pre_hash.digest(&text);
        Message::pre_hashed(context, pre_hash, digest.as_ref()).unwrap()
    } else if case.has("internal") {
        Message::internal(&text)
    } else {
        Message::pure(context, &text)
    };
    let mut signature = vec![0; params.signature_len()];
    key.sign_into(&message, case.bytes("randomness").as_deref(), &mut signature).unwrap();
    assert_eq!(hex::encode(Sha256::digest(&signature)), case.text("sha256"), "{params}");
    key.verifying_key().verify(&message, &signature).unwrap();
}

fn check(text: &str, family: &str) {
    for case in cases(text).iter().filter(|case| case.text("set").contains(family)) {
        if case.has("sha256") { check_signature(case) } else { check_key(case) }
    }
}

#[test]
fn sha2() {
    check(include_str!("data/fips205.txt"), "SHA2");
}

#[test]
fn shake() {
    check(include_str!("data/fips205.txt"), "SHAKE");
}

#[cfg(feature = "sphincsplus")]
#[test]
fn sphincsplus() {
    check(include_str!("data/sphincsplus.txt"), "");
}

#[test]
fn every_set_has_a_case() {
    let cases = cases(include_str!("data/fips205.txt"));
    for params in &pqsoc_slhdsa::params::ALL[..12] {
        let of_set = || cases.iter().filter(|case| case.text("set") == params.name);
        assert!(of_set().any(|case| !case.has("sha256")), "{params}: no key");
        assert!(of_set().any(|case| case.has("sha256")), "{params}: no signature");
    }
}
