//! A signature whose response or hint is arbitrary is rejected unless it is the honest one, and every profile gives the
//! same reason.
#![no_main]
use fuzz::{ML_DSA, key_pair};
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use pqsoc_mldsa::{Context, Message};
use std::sync::LazyLock;

#[derive(Arbitrary, Debug)]
struct Case {
    set: u8,
    /// Takes the place of z from its beginning on, again and again; of nothing if it is empty.
    response: Vec<u8>,
    /// Takes the place of the hint from its beginning on.
    hint: Vec<u8>,
    /// Bytes that the signature is too long.
    surplus: i8,
}

const MESSAGE: Message<'static> = Message::pure(Context::EMPTY, b"message");

/// Public key and signature of each set.
static HONEST: LazyLock<[(Vec<u8>, Vec<u8>); 3]> = LazyLock::new(|| {
    ML_DSA.map(|profiles| {
        let (public, secret) = key_pair(profiles[0], 1);
        let mut signature = vec![0; profiles[0].params().signature_len()];
        profiles[0].sign(&secret, &MESSAGE, &[0; 32], &mut signature).expect("an honest key signs");
        (public, signature)
    })
});

fuzz_target!(|case: Case| {
    let set = usize::from(case.set) % ML_DSA.len();
    let (profiles, (public, honest)) = (ML_DSA[set], &HONEST[set]);
    let params = profiles[0].params();
    let mut signature = honest.clone();
    let (front, hint) = signature.split_at_mut(honest.len() - params.omega - params.k);
    front[params.c_tilde_len..]
        .iter_mut()
        .zip(case.response.iter().cycle())
        .for_each(|(to, from)| *to = *from);
    hint.iter_mut().zip(&case.hint).for_each(|(to, from)| *to = *from);
    signature.resize(honest.len().saturating_add_signed(case.surplus.into()), 0);

    let verdicts = profiles.map(|scheme| scheme.verify(public, &MESSAGE, &signature));
    assert_eq!(verdicts[0].is_ok(), signature == *honest, "{verdicts:?}");
    assert!(verdicts.iter().all(|v| *v == verdicts[0]), "{verdicts:?}");
});
