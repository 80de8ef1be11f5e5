//! An expanded secret key that is accepted signs, and its public key takes the signature.
#![no_main]
use fuzz::{Edit, ML_DSA, edited, key_pair};
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use pqsoc_mldsa::{Context, Message};

#[derive(Arbitrary, Debug)]
struct Case {
    set: u8,
    seed: u8,
    edits: Vec<Edit>,
}

fuzz_target!(|case: Case| {
    let profiles = ML_DSA[usize::from(case.set) % ML_DSA.len()];
    let secret = edited(&key_pair(profiles[0], case.seed).1, &case.edits);
    let verdicts = profiles.map(|scheme| scheme.check_secret_key(&secret));
    assert!(verdicts.iter().all(|v| *v == verdicts[0]), "{verdicts:?}");
    let mut public = vec![0; profiles[0].params().public_key_len()];
    assert_eq!(profiles[0].public_key(&secret, &mut public), verdicts[0]);
    if verdicts[0].is_ok() {
        let message = Message::pure(Context::EMPTY, b"message");
        let mut signature = vec![0; profiles[0].params().signature_len()];
        profiles[0].sign(&secret, &message, &[0; 32], &mut signature).expect("a checked key signs");
        profiles[0].verify(&public, &message, &signature).expect("its public key verifies");
    }
});
