//! Any bytes are read as a key file without a panic, and what is read is written and read again as the same.
#![no_main]
use libfuzzer_sys::fuzz_target;
use pqsoc_keyfile::{Family, Kind, PrivateKey, PublicKey, documents};

fuzz_target!(|file: &[u8]| {
    for document in documents(file).unwrap_or_default() {
        // What a file is, or why it is nothing that is known: both are answers.
        let _ = Kind::of(&document);
    }
    if let Ok(key) = PrivateKey::from_file(file) {
        let again = PrivateKey::from_der(&key.to_der()).expect("what was written is read");
        assert_eq!(*again.to_der(), *key.to_der());
        // The root of an SLH-DSA key takes too long to compute anew.
        if key.algorithm().family() == Family::MlDsa {
            let _ = key.check();
        }
    }
    if let Ok(key) = PublicKey::from_file(file) {
        let again = PublicKey::from_der(&key.to_der()).expect("what was written is read");
        assert_eq!(again.as_bytes(), key.as_bytes());
        assert_eq!(again.algorithm(), key.algorithm());
    }
});
