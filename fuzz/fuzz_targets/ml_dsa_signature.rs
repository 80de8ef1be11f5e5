//! A signature of arbitrary bytes is rejected, and every profile gives the same reason.
#![no_main]
use fuzz::{ML_DSA, key_pair};
use libfuzzer_sys::fuzz_target;
use pqsoc_mldsa::{Context, Message};
use std::sync::LazyLock;

static PUBLIC_KEYS: LazyLock<[Vec<u8>; 3]> = LazyLock::new(|| ML_DSA.map(|set| key_pair(set[0], 1).0));

fuzz_target!(|signature: &[u8]| {
    let message = Message::pure(Context::EMPTY, b"message");
    for (profiles, public) in ML_DSA.iter().zip(&*PUBLIC_KEYS) {
        let verdicts = profiles.map(|scheme| scheme.verify(public, &message, signature));
        assert!(verdicts[0].is_err(), "a forgery for {}", profiles[0].params().name);
        assert!(verdicts.iter().all(|v| *v == verdicts[0]), "{verdicts:?}");
    }
});
