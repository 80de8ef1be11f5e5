//! A good signature stays good, and is not one any more once it, the key or the message has changed.
#![no_main]
use fuzz::{Edit, ML_DSA, edited, key_pair};
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use pqsoc_mldsa::{Context, Message};

#[derive(Arbitrary, Debug)]
struct Case {
    set: u8,
    seed: u8,
    rnd: u8,
    context: Vec<u8>,
    message: Vec<u8>,
    public_key_edits: Vec<Edit>,
    context_edits: Vec<Edit>,
    message_edits: Vec<Edit>,
    signature_edits: Vec<Edit>,
}

fuzz_target!(|case: Case| {
    let profiles = ML_DSA[usize::from(case.set) % ML_DSA.len()];
    let (public, secret) = key_pair(profiles[0], case.seed);
    let Ok(context) = Context::new(&case.context) else { return };
    let mut signature = vec![0; profiles[0].params().signature_len()];
    let signer = profiles[usize::from(case.rnd) % profiles.len()];
    signer
        .sign(&secret, &Message::pure(context, &case.message), &[case.rnd; 32], &mut signature)
        .expect("an honest key signs");

    let new_public = edited(&public, &case.public_key_edits);
    let new_context = edited(&case.context, &case.context_edits);
    let new_message = edited(&case.message, &case.message_edits);
    let new_signature = edited(&signature, &case.signature_edits);
    let Ok(context) = Context::new(&new_context) else { return };
    let verdicts = profiles
        .map(|scheme| scheme.verify(&new_public, &Message::pure(context, &new_message), &new_signature));
    let same = new_public == public
        && new_context == case.context
        && new_message == case.message
        && new_signature == signature;
    assert_eq!(verdicts[0].is_ok(), same, "{verdicts:?}");
    assert!(verdicts.iter().all(|v| *v == verdicts[0]), "{verdicts:?}");
});
