//! `oqs` 0.11.0 (liboqs 0.13.0): ML-DSA from pq-crystals, SPHINCS+ 3.1 from PQClean.
use crate::Row;
use oqs::sig::{Algorithm, PublicKey, SecretKey, Sig};

struct Key {
    alg: &'static str,
    a: Sig,
    pk: PublicKey,
    sk: SecretKey,
    prefix: bool,
}

impl Key {
    fn mp(&self, msg: &[u8]) -> Vec<u8> {
        let mut v = if self.prefix { vec![0, 0] } else { vec![] };
        v.extend_from_slice(msg);
        v
    }
}

impl Row for Key {
    fn lib(&self) -> String {
        "oqs-0.11.0".into()
    }
    fn alg(&self) -> &'static str {
        self.alg
    }
    fn portable(&self) -> bool {
        false
    }
    fn group(&self) -> String {
        if self.prefix { format!("round 3.1 {}", self.alg) } else { self.alg.into() }
    }
    fn keygen(&mut self, _: [u8; 32]) {
        (self.pk, self.sk) = self.a.keypair().unwrap();
    }
    fn seeded(&self) -> bool {
        false
    }
    fn deterministic(&self) -> bool {
        false
    }
    fn sign(&self, msg: &[u8]) -> Vec<u8> {
        self.a.sign(&self.mp(msg), &self.sk).unwrap().into_vec()
    }
    fn verify(&self, msg: &[u8], sig: &[u8]) -> bool {
        let s = self.a.signature_from_bytes(sig).unwrap();
        self.a.verify(&self.mp(msg), s, &self.pk).is_ok()
    }
    fn pk(&self) -> Vec<u8> {
        self.pk.clone().into_vec()
    }
    fn verify_bytes(&self, pk: &[u8], msg: &[u8], sig: &[u8]) -> bool {
        let s = self.a.signature_from_bytes(sig).unwrap();
        let k = self.a.public_key_from_bytes(pk).unwrap();
        self.a.verify(&self.mp(msg), s, k).is_ok()
    }
    fn sign_bytes(&self, msg: &[u8]) -> Option<Vec<u8>> {
        Some(self.sign(msg)) // the loaded form is the encoded form
    }
}

pub fn rows() -> Vec<Box<dyn Row>> {
    oqs::init();
    let f = |alg, a, prefix| -> Box<dyn Row> {
        let a = Sig::new(a).unwrap();
        let (pk, sk) = a.keypair().unwrap();
        Box::new(Key { alg, a, pk, sk, prefix })
    };
    vec![
        f("ML-DSA-44", Algorithm::MlDsa44, false),
        f("ML-DSA-65", Algorithm::MlDsa65, false),
        f("ML-DSA-87", Algorithm::MlDsa87, false),
        f("SLH-DSA-SHA2-128s", Algorithm::SphincsSha2128sSimple, true),
        f("SLH-DSA-SHA2-128f", Algorithm::SphincsSha2128fSimple, true),
        f("SLH-DSA-SHA2-192s", Algorithm::SphincsSha2192sSimple, true),
        f("SLH-DSA-SHA2-192f", Algorithm::SphincsSha2192fSimple, true),
        f("SLH-DSA-SHA2-256s", Algorithm::SphincsSha2256sSimple, true),
        f("SLH-DSA-SHA2-256f", Algorithm::SphincsSha2256fSimple, true),
        f("SLH-DSA-SHAKE-128s", Algorithm::SphincsShake128sSimple, true),
        f("SLH-DSA-SHAKE-128f", Algorithm::SphincsShake128fSimple, true),
        f("SLH-DSA-SHAKE-192s", Algorithm::SphincsShake192sSimple, true),
        f("SLH-DSA-SHAKE-192f", Algorithm::SphincsShake192fSimple, true),
        f("SLH-DSA-SHAKE-256s", Algorithm::SphincsShake256sSimple, true),
        f("SLH-DSA-SHAKE-256f", Algorithm::SphincsShake256fSimple, true),
    ]
}
