//! This project, by profile (ML-DSA) and by engine (SLH-DSA).
use crate::{Row, hash_seeds};
use pqsoc_mldsa::dynamic::{Of, Scheme};
use pqsoc_mldsa::{Context, Fast, Message, MlDsa44, MlDsa65, MlDsa87, ParameterSet, Profile, Reference, Small};
use pqsoc_slhdsa::engine::{Auto, Engine, Sha2, Sha2Scalar, Shake, ShakeScalar};
use pqsoc_slhdsa::params::Family;
use pqsoc_slhdsa::{Params, SigningKey as SlhSigningKey, VerifyingKey};

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

/// SLH-DSA on an engine.
struct Hash<E> {
    name: &'static str,
    portable: bool,
    engine: fn() -> E,
    key: SlhSigningKey,
}

impl<E: Engine> Row for Hash<E> {
    fn lib(&self) -> String {
        self.name.into()
    }
    fn alg(&self) -> &'static str {
        self.key.params().name
    }
    fn portable(&self) -> bool {
        self.portable
    }
    fn keygen(&mut self, seed: [u8; 32]) {
        self.key = hash_key(&mut (self.engine)(), self.key.params(), seed);
    }
    fn sign(&self, msg: &[u8]) -> Vec<u8> {
        let mut signature = vec![0; self.key.params().signature_len()];
        let mut sink = &mut signature[..];
        self.key.sign_with(&mut (self.engine)(), &pure(msg), None, &mut sink, &mut |_, _| {}).unwrap();
        signature
    }
    fn verify(&self, msg: &[u8], sig: &[u8]) -> bool {
        self.key.verifying_key().verify_with(&mut (self.engine)(), &pure(msg), &mut &*sig).is_ok()
    }
    fn pk(&self) -> Vec<u8> {
        self.key.verifying_key().as_bytes().to_vec()
    }
    fn verify_bytes(&self, pk: &[u8], msg: &[u8], sig: &[u8]) -> bool {
        let key = VerifyingKey::from_bytes(self.key.params(), pk).unwrap();
        key.verify_with(&mut (self.engine)(), &pure(msg), &mut &*sig).is_ok()
    }
    fn sign_bytes(&self, msg: &[u8]) -> Option<Vec<u8>> {
        Some(self.sign(msg)) // the loaded form is the encoded form
    }
}

fn hash_key<E: Engine>(engine: &mut E, params: &'static Params, seed: [u8; 32]) -> SlhSigningKey {
    let seeds = hash_seeds(seed, params.n);
    SlhSigningKey::from_seeds_with(engine, params, seeds.each_ref().map(Vec::as_slice), &mut |_, _| {}).unwrap()
}

fn lattice<S: ParameterSet, P: Profile>(name: &'static str) -> Box<dyn Row> {
    let mut row = Lattice::<S, P> {
        name,
        scheme: Of::new(),
        pk: vec![0; S::PARAMS.public_key_len()],
        sk: vec![0; S::PARAMS.secret_key_len()],
    };
    row.keygen([0; 32]);
    Box::new(row)
}

fn hash<E: Engine + 'static>(
    name: &'static str,
    portable: bool,
    engine: fn() -> E,
    params: &'static Params,
) -> Box<dyn Row> {
    // Not a key yet, but the right length: key generation takes long where it is not asked for.
    let key = SlhSigningKey::from_bytes(params, &vec![0; params.private_key_len()]).unwrap();
    Box::new(Hash { name, portable, engine, key })
}

pub fn rows() -> Vec<Box<dyn Row>> {
    let mut rows = vec![
        lattice::<MlDsa44, Fast>("pqsoc/fast"),
        lattice::<MlDsa65, Fast>("pqsoc/fast"),
        lattice::<MlDsa87, Fast>("pqsoc/fast"),
        lattice::<MlDsa44, Reference>("pqsoc/reference"),
        lattice::<MlDsa65, Reference>("pqsoc/reference"),
        lattice::<MlDsa87, Reference>("pqsoc/reference"),
        lattice::<MlDsa44, Small>("pqsoc/small"),
        lattice::<MlDsa65, Small>("pqsoc/small"),
        lattice::<MlDsa87, Small>("pqsoc/small"),
    ];
    for params in pqsoc_slhdsa::params::ALL {
        rows.push(hash("pqsoc/auto", false, || Auto::new(), params));
        rows.push(match params.family {
            Family::Sha2 => hash("pqsoc/portable", true, || Sha2::<Sha2Scalar>::new(), params),
            Family::Shake => hash("pqsoc/portable", true, || Shake::<ShakeScalar>::new(), params),
        });
    }
    rows
}
