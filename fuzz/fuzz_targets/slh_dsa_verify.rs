//! A good SLH-DSA signature is not one any more once it, the key or the message has changed.
#![no_main]
use fuzz::{Edit, edited};
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use pqsoc_slhdsa::params::{SLH_DSA_SHA2_128F, SLH_DSA_SHA2_192F, SLH_DSA_SHAKE_128F, SLH_DSA_SHAKE_256F};
use pqsoc_slhdsa::{Context, Message, Params, SigningKey, VerifyingKey};
use std::sync::LazyLock;

#[derive(Arbitrary, Debug)]
struct Case {
    set: u8,
    public_key_edits: Vec<Edit>,
    message_edits: Vec<Edit>,
    signature_edits: Vec<Edit>,
}

/// Signing takes too long to be done for every case.
struct Signed {
    params: &'static Params,
    public: Vec<u8>,
    signature: Vec<u8>,
}

const MESSAGE: &[u8] = b"message";

static SIGNED: LazyLock<Vec<Signed>> = LazyLock::new(|| {
    let sets = [&SLH_DSA_SHA2_128F, &SLH_DSA_SHA2_192F, &SLH_DSA_SHAKE_128F, &SLH_DSA_SHAKE_256F];
    sets.map(|params| {
        let seed = vec![7; params.n];
        let key = SigningKey::from_seeds(params, &seed, &seed, &seed).expect("seeds of n bytes");
        let mut signature = vec![0; params.signature_len()];
        key.sign_deterministic(&Message::pure(Context::EMPTY, MESSAGE), &mut signature)
            .expect("a place of the right size");
        Signed { params, public: key.verifying_key().as_bytes().to_vec(), signature }
    })
    .into()
});

fuzz_target!(|case: Case| {
    let signed = &SIGNED[usize::from(case.set) % SIGNED.len()];
    let public = edited(&signed.public, &case.public_key_edits);
    let message = edited(MESSAGE, &case.message_edits);
    let signature = edited(&signed.signature, &case.signature_edits);
    let Ok(key) = VerifyingKey::from_bytes(signed.params, &public) else {
        assert_ne!(public.len(), signed.public.len());
        return;
    };
    let verdict = key.verify(&Message::pure(Context::EMPTY, &message), &signature);
    let same = public == signed.public && message == MESSAGE && signature == signed.signature;
    assert_eq!(verdict.is_ok(), same, "{verdict:?}");
});
