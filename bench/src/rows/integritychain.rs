//! `fips204` and `fips205`.
use crate::{Row, hash_seeds};
use rand_core_06::OsRng;

macro_rules! lattice {
    ($name:ident, $m:ident, $alg:expr) => {
        struct $name(fips204::$m::PublicKey, fips204::$m::PrivateKey);
        impl Row for $name {
            fn lib(&self) -> String {
                "fips204-0.5.0".into()
            }
            fn alg(&self) -> &'static str {
                $alg
            }
            fn portable(&self) -> bool {
                true
            }
            fn keygen(&mut self, seed: [u8; 32]) {
                use fips204::traits::KeyGen;
                (self.0, self.1) = fips204::$m::KG::keygen_from_seed(&seed);
            }
            fn sign(&self, msg: &[u8]) -> Vec<u8> {
                use fips204::traits::Signer;
                self.1.try_sign_with_seed(&[0; 32], msg, b"").unwrap().to_vec()
            }
            fn verify(&self, msg: &[u8], sig: &[u8]) -> bool {
                use fips204::traits::Verifier;
                self.0.verify(msg, sig.try_into().unwrap(), b"")
            }
            fn pk(&self) -> Vec<u8> {
                use fips204::traits::SerDes;
                self.0.clone().into_bytes().to_vec()
            }
            fn verify_bytes(&self, pk: &[u8], msg: &[u8], sig: &[u8]) -> bool {
                use fips204::traits::{SerDes, Verifier};
                fips204::$m::PublicKey::try_from_bytes(pk.try_into().unwrap()).unwrap().verify(
                    msg,
                    sig.try_into().unwrap(),
                    b"",
                )
            }
            fn sign_bytes(&self, msg: &[u8]) -> Option<Vec<u8>> {
                use fips204::traits::{SerDes, Signer};
                let b = self.1.clone().into_bytes();
                let k = fips204::$m::PrivateKey::try_from_bytes(b).unwrap();
                Some(k.try_sign_with_seed(&[0; 32], msg, b"").unwrap().to_vec())
            }
        }
        impl $name {
            fn row() -> Box<dyn Row> {
                use fips204::traits::KeyGen;
                let (p, s) = fips204::$m::KG::keygen_from_seed(&[0; 32]);
                Box::new(Self(p, s))
            }
        }
    };
}
lattice!(Ml44, ml_dsa_44, "ML-DSA-44");
lattice!(Ml65, ml_dsa_65, "ML-DSA-65");
lattice!(Ml87, ml_dsa_87, "ML-DSA-87");

macro_rules! hash {
    ($name:ident, $m:ident, $n:expr, $alg:expr) => {
        struct $name(fips205::$m::PublicKey, fips205::$m::PrivateKey);
        impl Row for $name {
            fn lib(&self) -> String {
                "fips205-0.5.0".into()
            }
            fn alg(&self) -> &'static str {
                $alg
            }
            fn portable(&self) -> bool {
                true
            }
            fn keygen(&mut self, seed: [u8; 32]) {
                (self.0, self.1) = Self::make(seed);
            }
            fn sign(&self, msg: &[u8]) -> Vec<u8> {
                use fips205::traits::Signer;
                self.1.try_sign_with_rng(&mut OsRng, msg, b"", false).unwrap().to_vec()
            }
            fn verify(&self, msg: &[u8], sig: &[u8]) -> bool {
                use fips205::traits::Verifier;
                self.0.verify(msg, sig.try_into().unwrap(), b"")
            }
            fn pk(&self) -> Vec<u8> {
                use fips205::traits::SerDes;
                self.0.clone().into_bytes().to_vec()
            }
            fn verify_bytes(&self, pk: &[u8], msg: &[u8], sig: &[u8]) -> bool {
                use fips205::traits::{SerDes, Verifier};
                let pk: &[u8; 2 * $n] = pk.try_into().unwrap();
                fips205::$m::PublicKey::try_from_bytes(*pk).unwrap().verify(msg, sig.try_into().unwrap(), b"")
            }
        }
        impl $name {
            fn make(seed: [u8; 32]) -> (fips205::$m::PublicKey, fips205::$m::PrivateKey) {
                use fips205::traits::KeyGen;
                let [a, b, c] = hash_seeds(seed, $n).map(|part| -> [u8; $n] { part.try_into().unwrap() });
                fips205::$m::KG::keygen_from_seed(&a, &b, &c)
            }
            fn row() -> Box<dyn Row> {
                let (p, s) = Self::make([0; 32]);
                Box::new(Self(p, s))
            }
        }
    };
}
hash!(Sha2128s, slh_dsa_sha2_128s, 16, "SLH-DSA-SHA2-128s");
hash!(Sha2128f, slh_dsa_sha2_128f, 16, "SLH-DSA-SHA2-128f");
hash!(Sha2192s, slh_dsa_sha2_192s, 24, "SLH-DSA-SHA2-192s");
hash!(Sha2192f, slh_dsa_sha2_192f, 24, "SLH-DSA-SHA2-192f");
hash!(Sha2256s, slh_dsa_sha2_256s, 32, "SLH-DSA-SHA2-256s");
hash!(Sha2256f, slh_dsa_sha2_256f, 32, "SLH-DSA-SHA2-256f");
hash!(Shake128s, slh_dsa_shake_128s, 16, "SLH-DSA-SHAKE-128s");
hash!(Shake128f, slh_dsa_shake_128f, 16, "SLH-DSA-SHAKE-128f");
hash!(Shake192s, slh_dsa_shake_192s, 24, "SLH-DSA-SHAKE-192s");
hash!(Shake192f, slh_dsa_shake_192f, 24, "SLH-DSA-SHAKE-192f");
hash!(Shake256s, slh_dsa_shake_256s, 32, "SLH-DSA-SHAKE-256s");
hash!(Shake256f, slh_dsa_shake_256f, 32, "SLH-DSA-SHAKE-256f");

pub fn rows() -> Vec<Box<dyn Row>> {
    vec![
        Ml44::row(),
        Ml65::row(),
        Ml87::row(),
        Sha2128s::row(),
        Sha2128f::row(),
        Sha2192s::row(),
        Sha2192f::row(),
        Sha2256s::row(),
        Sha2256f::row(),
        Shake128s::row(),
        Shake128f::row(),
        Shake192s::row(),
        Shake192f::row(),
        Shake256s::row(),
        Shake256f::row(),
    ]
}
