//! This project, by profile (ML-DSA) and by engine (SLH-DSA).
use crate::{Row, hash_seeds};
use pqsoc_mldsa::dynamic::{Of, Scheme};
use pqsoc_mldsa::{
    Blank, Context, Fast, Message, MlDsa44, MlDsa65, MlDsa87, Mu, ParameterSet, PreparedPublic,
    PreparedSecret, PreparedSigningKey, PreparedVerifyingKey, Profile, Reference, Signature, SigningKey,
    Small,
};
use pqsoc_slhdsa::engine::{Auto, Engine, Sha2, Sha2Scalar, Shake, ShakeScalar};
use pqsoc_slhdsa::params::Family;
use pqsoc_slhdsa::{Params, SigningKey as SlhSigningKey, VerifyingKey};
use std::cell::OnceCell;

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

/// ML-DSA in the profile `Fast`, with A and the vectors of both keys kept from the first use on.
struct Kept<S: ParameterSet> {
    bytes: Lattice<S, Fast>,
    seed: [u8; 32],
    // Prepared keys borrow from what they are prepared of, which is therefore leaked: a few times in a run.
    keys:
        OnceCell<(&'static SigningKey<S>, PreparedSigningKey<'static, S>, PreparedVerifyingKey<'static, S>)>,
}

impl<S: ParameterSet> Kept<S> {
    fn keys(
        &self,
    ) -> &(&'static SigningKey<S>, PreparedSigningKey<'static, S>, PreparedVerifyingKey<'static, S>) {
        self.keys.get_or_init(|| {
            let signing: &SigningKey<S> = Box::leak(Box::new(SigningKey::from_seed(&self.seed)));
            let verifying = Box::leak(Box::new(signing.verifying_key()));
            let secret = Box::leak(Box::new(PreparedSecret::<S>::BLANK));
            let public = Box::leak(Box::new(PreparedPublic::<S>::BLANK));
            (signing, signing.prepare(secret), verifying.prepare(public))
        })
    }

    fn mu(&self, msg: &[u8]) -> Mu {
        let mut mu = self.keys().0.mu_builder(Context::EMPTY).unwrap();
        mu.update(msg);
        mu.finish()
    }
}

impl<S: ParameterSet> Row for Kept<S> {
    fn lib(&self) -> String {
        self.bytes.lib()
    }
    fn alg(&self) -> &'static str {
        self.bytes.alg()
    }
    fn portable(&self) -> bool {
        true
    }
    fn keygen(&mut self, seed: [u8; 32]) {
        self.bytes.keygen(seed);
        self.seed = seed;
        self.keys = OnceCell::new();
    }
    fn sign(&self, msg: &[u8]) -> Vec<u8> {
        let mut signature = Signature::BLANK;
        self.keys().1.sign_mu(&self.mu(msg), &[0; 32], &mut signature).unwrap();
        signature.as_ref().to_vec()
    }
    fn verify(&self, msg: &[u8], sig: &[u8]) -> bool {
        self.keys().2.verify_mu(&self.mu(msg), sig).is_ok()
    }
    fn pk(&self) -> Vec<u8> {
        self.bytes.pk()
    }
    fn verify_bytes(&self, pk: &[u8], msg: &[u8], sig: &[u8]) -> bool {
        self.bytes.verify_bytes(pk, msg, sig)
    }
    fn sign_bytes(&self, msg: &[u8]) -> Option<Vec<u8>> {
        Some(self.bytes.sign(msg))
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
    SlhSigningKey::from_seeds_with(engine, params, seeds.each_ref().map(Vec::as_slice), &mut |_, _| {})
        .unwrap()
}

fn lattice<S: ParameterSet, P: Profile>(name: &'static str) -> Lattice<S, P> {
    let (pk, sk) = (vec![0; S::PARAMS.public_key_len()], vec![0; S::PARAMS.secret_key_len()]);
    Lattice { name, scheme: Of::new(), pk, sk }
}

/// A set in every profile.
fn profiles<S: ParameterSet>() -> [Box<dyn Row>; 3] {
    [
        Box::new(Kept { bytes: lattice::<S, Fast>("pqsoc/fast"), seed: [0; 32], keys: OnceCell::new() }),
        Box::new(lattice::<S, Reference>("pqsoc/reference")),
        Box::new(lattice::<S, Small>("pqsoc/small")),
    ]
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
    let mut rows: Vec<_> =
        [profiles::<MlDsa44>(), profiles::<MlDsa65>(), profiles::<MlDsa87>()].into_iter().flatten().collect();
    for params in pqsoc_slhdsa::params::ALL {
        rows.push(hash("pqsoc/auto", false, || Auto::new(), params));
        rows.push(match params.family {
            Family::Sha2 => hash("pqsoc/portable", true, || Sha2::<Sha2Scalar>::new(), params),
            Family::Shake => hash("pqsoc/portable", true, || Shake::<ShakeScalar>::new(), params),
        });
    }
    rows
}
