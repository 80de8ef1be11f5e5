//! `pqcrypto-mldsa` and `pqcrypto-sphincsplus` (PQClean C; AVX2 chosen at run time).
//! pqcrypto-sphincsplus is SPHINCS+ round 3.1 "simple": no FIPS 205 prefix (added here to sign the same
//! bytes) and another bit order of the FORS indices, so it does not interoperate with SLH-DSA.
use crate::Row;
use pqcrypto_traits::sign::{DetachedSignature, PublicKey};

macro_rules! row {
    ($name:ident, $c:ident, $m:ident, $lib:expr, $alg:expr, $prefix:expr) => {
        struct $name($c::$m::PublicKey, $c::$m::SecretKey);
        impl $name {
            fn mp(msg: &[u8]) -> Vec<u8> {
                let mut v: Vec<u8> = $prefix.to_vec();
                v.extend_from_slice(msg);
                v
            }
            fn row() -> Box<dyn Row> {
                let (p, s) = $c::$m::keypair();
                Box::new(Self(p, s))
            }
        }
        impl Row for $name {
            fn lib(&self) -> String {
                $lib.into()
            }
            fn alg(&self) -> &'static str {
                $alg
            }
            fn portable(&self) -> bool {
                false
            }
            fn group(&self) -> String {
                if $prefix.is_empty() { $alg.into() } else { concat!("round 3.1 ", $alg).into() }
            }
            fn keygen(&mut self, _: [u8; 32]) {
                (self.0, self.1) = $c::$m::keypair();
            }
            fn seeded(&self) -> bool {
                false
            }
            fn deterministic(&self) -> bool {
                false
            }
            fn sign(&self, msg: &[u8]) -> Vec<u8> {
                $c::$m::detached_sign(&Self::mp(msg), &self.1).as_bytes().to_vec()
            }
            fn verify(&self, msg: &[u8], sig: &[u8]) -> bool {
                let s = $c::$m::DetachedSignature::from_bytes(sig).unwrap();
                $c::$m::verify_detached_signature(&s, &Self::mp(msg), &self.0).is_ok()
            }
            fn pk(&self) -> Vec<u8> {
                self.0.as_bytes().to_vec()
            }
            fn verify_bytes(&self, pk: &[u8], msg: &[u8], sig: &[u8]) -> bool {
                let s = $c::$m::DetachedSignature::from_bytes(sig).unwrap();
                let k = $c::$m::PublicKey::from_bytes(pk).unwrap();
                $c::$m::verify_detached_signature(&s, &Self::mp(msg), &k).is_ok()
            }
            fn sign_bytes(&self, msg: &[u8]) -> Option<Vec<u8>> {
                Some(self.sign(msg)) // the loaded form is the encoded form
            }
        }
    };
}
const NONE: [u8; 0] = [];
const PURE: [u8; 2] = [0, 0];
row!(M44, pqcrypto_mldsa, mldsa44, "pqcrypto-mldsa-0.1.2", "ML-DSA-44", NONE);
row!(M65, pqcrypto_mldsa, mldsa65, "pqcrypto-mldsa-0.1.2", "ML-DSA-65", NONE);
row!(M87, pqcrypto_mldsa, mldsa87, "pqcrypto-mldsa-0.1.2", "ML-DSA-87", NONE);
row!(
    Sha2128s,
    pqcrypto_sphincsplus,
    sphincssha2128ssimple,
    "pqcrypto-sphincs-0.7.2",
    "SLH-DSA-SHA2-128s",
    PURE
);
row!(
    Sha2128f,
    pqcrypto_sphincsplus,
    sphincssha2128fsimple,
    "pqcrypto-sphincs-0.7.2",
    "SLH-DSA-SHA2-128f",
    PURE
);
row!(
    Sha2192s,
    pqcrypto_sphincsplus,
    sphincssha2192ssimple,
    "pqcrypto-sphincs-0.7.2",
    "SLH-DSA-SHA2-192s",
    PURE
);
row!(
    Sha2192f,
    pqcrypto_sphincsplus,
    sphincssha2192fsimple,
    "pqcrypto-sphincs-0.7.2",
    "SLH-DSA-SHA2-192f",
    PURE
);
row!(
    Sha2256s,
    pqcrypto_sphincsplus,
    sphincssha2256ssimple,
    "pqcrypto-sphincs-0.7.2",
    "SLH-DSA-SHA2-256s",
    PURE
);
row!(
    Sha2256f,
    pqcrypto_sphincsplus,
    sphincssha2256fsimple,
    "pqcrypto-sphincs-0.7.2",
    "SLH-DSA-SHA2-256f",
    PURE
);
row!(
    Shake128s,
    pqcrypto_sphincsplus,
    sphincsshake128ssimple,
    "pqcrypto-sphincs-0.7.2",
    "SLH-DSA-SHAKE-128s",
    PURE
);
row!(
    Shake128f,
    pqcrypto_sphincsplus,
    sphincsshake128fsimple,
    "pqcrypto-sphincs-0.7.2",
    "SLH-DSA-SHAKE-128f",
    PURE
);
row!(
    Shake192s,
    pqcrypto_sphincsplus,
    sphincsshake192ssimple,
    "pqcrypto-sphincs-0.7.2",
    "SLH-DSA-SHAKE-192s",
    PURE
);
row!(
    Shake192f,
    pqcrypto_sphincsplus,
    sphincsshake192fsimple,
    "pqcrypto-sphincs-0.7.2",
    "SLH-DSA-SHAKE-192f",
    PURE
);
row!(
    Shake256s,
    pqcrypto_sphincsplus,
    sphincsshake256ssimple,
    "pqcrypto-sphincs-0.7.2",
    "SLH-DSA-SHAKE-256s",
    PURE
);
row!(
    Shake256f,
    pqcrypto_sphincsplus,
    sphincsshake256fsimple,
    "pqcrypto-sphincs-0.7.2",
    "SLH-DSA-SHAKE-256f",
    PURE
);

pub fn rows() -> Vec<Box<dyn Row>> {
    vec![
        M44::row(),
        M65::row(),
        M87::row(),
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
