//! `mldsa-native-rs` (mldsa-native v1.0.0-beta2-93; feature `native` = x86-64 AVX2 / AArch64 assembly).
use crate::Row;
use mldsa_native_rs::parameter_sets::{ML_DSA_44, ML_DSA_65, ML_DSA_87};
use mldsa_native_rs::{
    AsBytes, FromBytes, ParameterSet, Signature, SigningKey, VerifyingKey, keygen_from_seed,
};

struct Key<P: ParameterSet> {
    alg: &'static str,
    sk: SigningKey<P>,
    vk: VerifyingKey<P>,
}

impl<P: ParameterSet> Row for Key<P> {
    fn lib(&self) -> String {
        "mldsa-native/asm".into()
    }
    fn alg(&self) -> &'static str {
        self.alg
    }
    fn portable(&self) -> bool {
        false
    }
    fn keygen(&mut self, seed: [u8; 32]) {
        (self.sk, self.vk) = keygen_from_seed::<P>(&seed.into()).unwrap();
    }
    fn sign(&self, msg: &[u8]) -> Vec<u8> {
        self.sk.try_sign_with_ctx_seeded(msg, b"", &[0; 32].into()).unwrap().as_bytes().to_vec()
    }
    fn verify(&self, msg: &[u8], sig: &[u8]) -> bool {
        Signature::<P>::from_bytes(sig).is_ok_and(|s| self.vk.verify_with_ctx(msg, b"", &s).is_ok())
    }
    fn pk(&self) -> Vec<u8> {
        self.vk.as_bytes().to_vec()
    }
    fn verify_bytes(&self, pk: &[u8], msg: &[u8], sig: &[u8]) -> bool {
        let Ok(vk) = VerifyingKey::<P>::from_bytes(pk) else { return false };
        Signature::<P>::from_bytes(sig).is_ok_and(|s| vk.verify_with_ctx(msg, b"", &s).is_ok())
    }
    fn sign_bytes(&self, msg: &[u8]) -> Option<Vec<u8>> {
        Some(self.sign(msg)) // the loaded form is the encoded form
    }
}

fn row<P: ParameterSet + 'static>(alg: &'static str) -> Box<dyn Row> {
    let (sk, vk) = keygen_from_seed::<P>(&[0; 32].into()).unwrap();
    Box::new(Key { alg, sk, vk })
}

pub fn rows() -> Vec<Box<dyn Row>> {
    vec![row::<ML_DSA_44>("ML-DSA-44"), row::<ML_DSA_65>("ML-DSA-65"), row::<ML_DSA_87>("ML-DSA-87")]
}
