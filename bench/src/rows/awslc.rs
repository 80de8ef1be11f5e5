//! `aws-lc-rs` (AWS-LC carries mldsa-native).
use crate::Row;
use aws_lc_rs::signature::*;

struct Key {
    alg: &'static str,
    s: &'static PqdsaSigningAlgorithm,
    v: &'static PqdsaVerificationAlgorithm,
    key: PqdsaKeyPair,
    parsed: ParsedPublicKey,
}

fn parse(v: &'static PqdsaVerificationAlgorithm, key: &PqdsaKeyPair) -> ParsedPublicKey {
    ParsedPublicKey::new(v, key.public_key().as_ref()).unwrap()
}

impl Row for Key {
    fn lib(&self) -> String {
        "aws-lc-rs-1.19.0".into()
    }
    fn alg(&self) -> &'static str {
        self.alg
    }
    fn portable(&self) -> bool {
        false
    }
    fn keygen(&mut self, seed: [u8; 32]) {
        self.key = PqdsaKeyPair::from_seed(self.s, &seed).unwrap();
        self.parsed = parse(self.v, &self.key);
    }
    fn deterministic(&self) -> bool {
        false
    }
    fn sign(&self, msg: &[u8]) -> Vec<u8> {
        let mut out = vec![0; self.s.signature_len()];
        let n = self.key.sign(msg, &mut out).unwrap();
        out.truncate(n);
        out
    }
    fn verify(&self, msg: &[u8], sig: &[u8]) -> bool {
        self.parsed.verify_sig(msg, sig).is_ok()
    }
    fn pk(&self) -> Vec<u8> {
        self.key.public_key().as_ref().to_vec()
    }
    fn verify_bytes(&self, pk: &[u8], msg: &[u8], sig: &[u8]) -> bool {
        UnparsedPublicKey::new(self.v, pk).verify(msg, sig).is_ok()
    }
}

pub fn rows() -> Vec<Box<dyn Row>> {
    let f =
        |alg, s: &'static PqdsaSigningAlgorithm, v: &'static PqdsaVerificationAlgorithm| -> Box<dyn Row> {
            let key = PqdsaKeyPair::from_seed(s, &[0; 32]).unwrap();
            let parsed = parse(v, &key);
            Box::new(Key { alg, s, v, key, parsed })
        };
    vec![
        f("ML-DSA-44", &ML_DSA_44_SIGNING, &ML_DSA_44),
        f("ML-DSA-65", &ML_DSA_65_SIGNING, &ML_DSA_65),
        f("ML-DSA-87", &ML_DSA_87_SIGNING, &ML_DSA_87),
    ]
}
