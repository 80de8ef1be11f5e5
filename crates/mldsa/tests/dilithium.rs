//! The first case of the known-answer tests of Dilithium, version 3.1, and of the code between the draft and the final
//! FIPS 204: key and signature in one digest.
use pqsoc_keccak::Shake128;
use pqsoc_mldsa::{
    Context, Dilithium2, Dilithium3, Dilithium5, Fast, Message, MlDsa44Interim, MlDsa65Interim,
    MlDsa87Interim, ParameterSet, Reference, SignError, SigningKey, Small,
    dynamic::{Of, Scheme},
};

/// The first 32 bytes of the generator of the NIST tests with the seed of case 0, and the message of that case.
const XI: &str = "7c9935a0b07694aa0c6d10e4db6b1add2fd81a25ccb148032dcd739936737f2d";
const MESSAGE: &str = "d81c4d8d734fcbfbeade3d3f8a039faa2a2c9957e835ad55b22e75bf57bb556ac8";

fn check<S: ParameterSet>(expected: &str) {
    let (mut xi, mut message) = ([0; 32], [0; 33]);
    hex::decode_to_slice(XI, &mut xi).unwrap();
    hex::decode_to_slice(MESSAGE, &mut message).unwrap();
    let schemes: [&dyn Scheme; 3] =
        [&Of::<S, Fast>::new(), &Of::<S, Reference>::new(), &Of::<S, Small>::new()];
    for scheme in schemes {
        let params = scheme.params();
        let mut public = vec![0; params.public_key_len()];
        let mut secret = vec![0; params.secret_key_len()];
        let mut signature = vec![0; params.signature_len()];
        scheme.keygen(&xi, &mut public, &mut secret).unwrap();
        // Dilithium does not format messages: pure without context is the message itself.
        for message in [Message::internal(&message), Message::pure(Context::EMPTY, &message)] {
            scheme.sign(&secret, &message, &[0; 32], &mut signature).unwrap();
            scheme.verify(&public, &message, &signature).unwrap();
            let mut digest = [0; 32];
            Shake128::digest(&[&public, &secret, &signature], &mut digest);
            assert_eq!(hex::encode(digest), expected, "{}", params.name);
        }
    }
}

#[test]
fn round_3_1() {
    check::<Dilithium2>("5310c9edf75370febf93c1fa3eee50b30b7bc50dc37b13c52234ee26d89dde44");
    check::<Dilithium3>("468bd5f03f195910e9aa46f6d3c9e9380ef7efc5ba6626c9ab953ad7408175e2");
    check::<Dilithium5>("4da95f6be1f8e00f69fe01f9883f8a8bad5e260fd556950da5f2200b2a0aecb0");
}

#[test]
fn interim() {
    check::<MlDsa44Interim>("843ea4455f0faed120e12fb22ac441addf9b5e55f9cb37c02646ec3faf016e03");
    check::<MlDsa65Interim>("4b771775b144c628024fd8fc42e3262adb17a99fe35360b3c3dca796c917802c");
    check::<MlDsa87Interim>("59bfe4e70edf8db255e9c55ddbca97811f0851144bf3a8e841f00cd02e8702f6");
}

#[test]
fn no_contexts() {
    let key = SigningKey::<Dilithium2>::from_seed(&[1; 32]);
    let message = Message::pure(Context::new(b"context").unwrap(), b"message");
    assert_eq!(key.sign_deterministic(&message), Err(SignError::ContextNotOffered));
    assert!(key.mu_builder(Context::new(b"context").unwrap()).is_err());
}
