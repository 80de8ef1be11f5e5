//! `libcrux-ml-dsa`, portable and AVX2 instances called by name.
use crate::Row;

macro_rules! lattice {
    ($name:ident, $m:ident, $be:ident, $kp:ident, $vk:ident, $sig:ident, $alg:expr) => {
        struct $name(libcrux_ml_dsa::$m::$kp);
        impl Row for $name {
            fn lib(&self) -> String {
                concat!("libcrux-0.0.11/", stringify!($be)).into()
            }
            fn alg(&self) -> &'static str {
                $alg
            }
            fn portable(&self) -> bool {
                stringify!($be) == "portable"
            }
            fn keygen(&mut self, seed: [u8; 32]) {
                self.0 = libcrux_ml_dsa::$m::$be::generate_key_pair(seed);
            }
            fn sign(&self, msg: &[u8]) -> Vec<u8> {
                match libcrux_ml_dsa::$m::$be::sign(&self.0.signing_key, msg, b"", [0; 32]) {
                    Ok(s) => s.as_ref().to_vec(),
                    Err(_) => panic!(),
                }
            }
            fn verify(&self, msg: &[u8], sig: &[u8]) -> bool {
                let s = libcrux_ml_dsa::$m::$sig::new(sig.try_into().unwrap());
                libcrux_ml_dsa::$m::$be::verify(&self.0.verification_key, msg, b"", &s).is_ok()
            }
            fn pk(&self) -> Vec<u8> {
                self.0.verification_key.as_ref().to_vec()
            }
            fn verify_bytes(&self, pk: &[u8], msg: &[u8], sig: &[u8]) -> bool {
                let k = libcrux_ml_dsa::$m::$vk::new(pk.try_into().unwrap());
                let s = libcrux_ml_dsa::$m::$sig::new(sig.try_into().unwrap());
                libcrux_ml_dsa::$m::$be::verify(&k, msg, b"", &s).is_ok()
            }
            fn sign_bytes(&self, msg: &[u8]) -> Option<Vec<u8>> {
                Some(self.sign(msg)) // the loaded form is the encoded form
            }
        }
        impl $name {
            fn row() -> Box<dyn Row> {
                Box::new(Self(libcrux_ml_dsa::$m::$be::generate_key_pair([0; 32])))
            }
        }
    };
}
lattice!(P44, ml_dsa_44, portable, MLDSA44KeyPair, MLDSA44VerificationKey, MLDSA44Signature, "ML-DSA-44");
lattice!(P65, ml_dsa_65, portable, MLDSA65KeyPair, MLDSA65VerificationKey, MLDSA65Signature, "ML-DSA-65");
lattice!(P87, ml_dsa_87, portable, MLDSA87KeyPair, MLDSA87VerificationKey, MLDSA87Signature, "ML-DSA-87");
#[cfg(target_arch = "x86_64")]
lattice!(A44, ml_dsa_44, avx2, MLDSA44KeyPair, MLDSA44VerificationKey, MLDSA44Signature, "ML-DSA-44");
#[cfg(target_arch = "x86_64")]
lattice!(A65, ml_dsa_65, avx2, MLDSA65KeyPair, MLDSA65VerificationKey, MLDSA65Signature, "ML-DSA-65");
#[cfg(target_arch = "x86_64")]
lattice!(A87, ml_dsa_87, avx2, MLDSA87KeyPair, MLDSA87VerificationKey, MLDSA87Signature, "ML-DSA-87");

pub fn rows() -> Vec<Box<dyn Row>> {
    #[allow(unused_mut)]
    let mut v = vec![P44::row(), P65::row(), P87::row()];
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        v.extend([A44::row(), A65::row(), A87::row()]);
    }
    v
}
