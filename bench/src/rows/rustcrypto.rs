//! RustCrypto `ml-dsa` and `slh-dsa`.
use crate::{Row, hash_seeds};
use ml_dsa::common::typenum::Unsigned;
use ml_dsa::{
    EncodedSignature, EncodedVerifyingKey, Keypair, MlDsa44, MlDsa65, MlDsa87, MlDsaParams, Signature,
    SigningKey, VerifyingKey,
};
use slh_dsa::ParameterSet;

struct Lattice<P: MlDsaParams> {
    alg: &'static str,
    key: SigningKey<P>,
    vk: VerifyingKey<P>,
}

impl<P: MlDsaParams> Row for Lattice<P> {
    fn lib(&self) -> String {
        "ml-dsa-0.1.2".into()
    }
    fn alg(&self) -> &'static str {
        self.alg
    }
    fn portable(&self) -> bool {
        true
    }
    fn keygen(&mut self, seed: [u8; 32]) {
        self.key = SigningKey::from_seed(&seed.into());
        self.vk = self.key.verifying_key();
    }
    fn sign(&self, msg: &[u8]) -> Vec<u8> {
        self.key.expanded_key().sign_deterministic(msg, b"").unwrap().encode().to_vec()
    }
    fn verify(&self, msg: &[u8], sig: &[u8]) -> bool {
        let enc = EncodedSignature::<P>::try_from(sig).unwrap();
        Signature::decode(&enc).is_some_and(|s| self.vk.verify_with_context(msg, b"", &s))
    }
    fn pk(&self) -> Vec<u8> {
        self.vk.encode().to_vec()
    }
    fn verify_bytes(&self, pk: &[u8], msg: &[u8], sig: &[u8]) -> bool {
        let vk = VerifyingKey::<P>::decode(&EncodedVerifyingKey::<P>::try_from(pk).unwrap());
        let enc = EncodedSignature::<P>::try_from(sig).unwrap();
        Signature::decode(&enc).is_some_and(|s| vk.verify_with_context(msg, b"", &s))
    }
    fn sign_bytes(&self, msg: &[u8]) -> Option<Vec<u8>> {
        let key = SigningKey::<P>::from_seed(&self.key.to_seed());
        Some(key.expanded_key().sign_deterministic(msg, b"").unwrap().encode().to_vec())
    }
}

struct Hash<P: ParameterSet> {
    alg: &'static str,
    key: slh_dsa::SigningKey<P>,
}

impl<P: ParameterSet> Row for Hash<P> {
    fn lib(&self) -> String {
        "slh-dsa-0.2.0-rc.5".into()
    }
    fn alg(&self) -> &'static str {
        self.alg
    }
    fn portable(&self) -> bool {
        true
    }
    fn keygen(&mut self, seed: [u8; 32]) {
        self.key = hash_key(seed);
    }
    fn sign(&self, msg: &[u8]) -> Vec<u8> {
        self.key.try_sign_with_context(msg, b"", None).unwrap().to_bytes().to_vec()
    }
    fn verify(&self, msg: &[u8], sig: &[u8]) -> bool {
        let vk: &slh_dsa::VerifyingKey<P> = self.key.as_ref();
        slh_dsa::Signature::<P>::try_from(sig).is_ok_and(|s| vk.try_verify_with_context(msg, b"", &s).is_ok())
    }
    fn pk(&self) -> Vec<u8> {
        let vk: &slh_dsa::VerifyingKey<P> = self.key.as_ref();
        vk.to_bytes().to_vec()
    }
    fn verify_bytes(&self, pk: &[u8], msg: &[u8], sig: &[u8]) -> bool {
        let vk = slh_dsa::VerifyingKey::<P>::try_from(pk).unwrap();
        slh_dsa::Signature::<P>::try_from(sig).is_ok_and(|s| vk.try_verify_with_context(msg, b"", &s).is_ok())
    }
}

fn hash_key<P: ParameterSet>(seed: [u8; 32]) -> slh_dsa::SigningKey<P> {
    let [sk_seed, sk_prf, pk_seed] = hash_seeds(seed, P::VkLen::USIZE / 2);
    slh_dsa::SigningKey::slh_keygen_internal(&sk_seed, &sk_prf, &pk_seed)
}

fn lattice<P: MlDsaParams + 'static>(alg: &'static str) -> Box<dyn Row> {
    let key = SigningKey::<P>::from_seed(&[0; 32].into());
    let vk = key.verifying_key();
    Box::new(Lattice { alg, key, vk })
}

fn hash<P: ParameterSet + 'static>(alg: &'static str) -> Box<dyn Row> {
    Box::new(Hash::<P> { alg, key: hash_key([0; 32]) })
}

pub fn rows() -> Vec<Box<dyn Row>> {
    vec![
        lattice::<MlDsa44>("ML-DSA-44"),
        lattice::<MlDsa65>("ML-DSA-65"),
        lattice::<MlDsa87>("ML-DSA-87"),
        hash::<slh_dsa::Sha2_128s>("SLH-DSA-SHA2-128s"),
        hash::<slh_dsa::Sha2_128f>("SLH-DSA-SHA2-128f"),
        hash::<slh_dsa::Sha2_192s>("SLH-DSA-SHA2-192s"),
        hash::<slh_dsa::Sha2_192f>("SLH-DSA-SHA2-192f"),
        hash::<slh_dsa::Sha2_256s>("SLH-DSA-SHA2-256s"),
        hash::<slh_dsa::Sha2_256f>("SLH-DSA-SHA2-256f"),
        hash::<slh_dsa::Shake128s>("SLH-DSA-SHAKE-128s"),
        hash::<slh_dsa::Shake128f>("SLH-DSA-SHAKE-128f"),
        hash::<slh_dsa::Shake192s>("SLH-DSA-SHAKE-192s"),
        hash::<slh_dsa::Shake192f>("SLH-DSA-SHAKE-192f"),
        hash::<slh_dsa::Shake256s>("SLH-DSA-SHAKE-256s"),
        hash::<slh_dsa::Shake256f>("SLH-DSA-SHAKE-256f"),
    ]
}
