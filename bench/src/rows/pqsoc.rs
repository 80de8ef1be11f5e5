//! This project, by profile (ML-DSA) and by engine (SLH-DSA).
use crate::{Row, hash_seeds};
use pqsoc_mldsa::dynamic::{Of, Scheme};
use pqsoc_mldsa::{
    Context, Fast, Message, MlDsa44, MlDsa65, MlDsa87, ParameterSet, PreparedSigningKey, PreparedVerifyingKey,
    Profile, Reference, SigningKey, Small,
};
use pqsoc_slhdsa::engine::{Auto, Engine, Portable};
use pqsoc_slhdsa::params::FIPS_205;

fn pure(msg: &[u8]) -> Message<'_> {
    Message::pure(Context::EMPTY, msg)
}

/// ML-DSA with a key that is expanded anew in each operation, in a profile.
struct Lattice<S: ParameterSet, P: Profile> {
    name: &'static str,
    scheme: Of<S, P>,
    pk: Vec<u8>,
    sk: Vec<u8>,
}

impl<S: ParameterSet, P: Profile> Row for Lattice<S, P> {
    fn lib(&self) -> String {
        self.name.into()
    }
    fn alg(&self) -> &'static str {
        S::PARAMS.name
    }
    fn portable(&self) -> bool {
        true
    }
    fn keygen(&mut self, seed: [u8; 32]) {
        self.scheme.keygen(&seed, &mut self.pk, &mut self.sk).unwrap();
    }
    fn sign(&self, msg: &[u8]) -> Vec<u8> {
        let mut signature = vec![0; S::PARAMS.signature_len()];
        self.scheme.sign(&self.sk, &pure(msg), &[0; 32], &mut signature).unwrap();
        signature
    }
    fn verify(&self, msg: &[u8], sig: &[u8]) -> bool {
        self.verify_bytes(&self.pk, msg, sig)
    }
    fn pk(&self) -> Vec<u8> {
        self.pk.clone()
    }
    fn verify_bytes(&self, pk: &[u8], msg: &[u8], sig: &[u8]) -> bool {
        self.scheme.verify(pk, &pure(msg), sig).is_ok()
    }
    fn sign_bytes(&self, msg: &[u8]) -> Option<Vec<u8>> {
        Some(self.sign(msg)) // the loaded form is the encoded form
    }
}

/// ML-DSA with A and the vectors of the key kept.
struct Prepared<S: ParameterSet> {
    bytes: Lattice<S, Fast>,
    signing: Box<PreparedSigningKey<S>>,
    verifying: Box<PreparedVerifyingKey<S>>,
}
