//! What most formats ask for, whatever they call it: derive keys, sign, verify, compare.
use crate::{
    scheme::{KeyPair, Scheme, Text},
    suite::{Verdict, failed, same},
};
use pqsoc_message::PreHash;

/// A published value.
#[derive(Clone)]
pub(crate) enum Expected {
    Bytes(Vec<u8>),
    /// SHA-256 of it.
    Sha256(Vec<u8>),
    /// SHA3-256 of it.
    Sha3_256(Vec<u8>),
}

impl Expected {
    /// Compares a computed value, or its digest, with what was published.
    pub fn check(&self, what: &str, computed: &[u8]) -> Verdict {
        let digest = |function: PreHash| function.digest(computed).as_ref().to_vec();
        match self {
            Self::Bytes(published) => same(what, computed, published),
            Self::Sha256(published) => {
                same(&format!("SHA-256 of {what}"), &digest(PreHash::Sha2_256), published)
            }
            Self::Sha3_256(published) => {
                same(&format!("SHA3-256 of {what}"), &digest(PreHash::Sha3_256), published)
            }
        }
    }
}

/// A private key as it is published.
#[derive(Clone)]
pub(crate) enum Key {
    /// xi, or the three seeds of SLH-DSA one after the other.
    Seed(Vec<u8>),
    Expanded(Vec<u8>),
}

impl Key {
    /// Both keys in full. The public key of an expanded one is computed from it.
    pub fn pair(&self, scheme: Scheme) -> Result<KeyPair, String> {
        match self {
            Self::Seed(seed) => scheme.generate(seed),
            Self::Expanded(sk) => Ok(KeyPair { pk: scheme.public_key(sk)?, sk: sk.clone() }),
        }
    }

    /// Both keys, compared with what is published of them.
    pub fn expect(
        &self,
        scheme: Scheme,
        pk: Option<Expected>,
        sk: Option<Expected>,
    ) -> Result<KeyPair, crate::suite::Unmet> {
        let pair = self.pair(scheme).map_err(|error| failed(format!("the key was refused: {error}")))?;
        if let Some(pk) = pk {
            pk.check("pk", &pair.pk)?;
        }
        if let Some(sk) = sk {
            sk.check("sk", &pair.sk)?;
        }
        Ok(pair)
    }
}

/// A signature to be made and compared.
pub(crate) struct Signing {
    pub scheme: Scheme,
    pub key: Key,
    /// The public key where it is published.
    pub public: Option<Vec<u8>>,
    pub text: Text,
    /// rnd or opt_rand; none for the deterministic variant.
    pub randomness: Option<Vec<u8>>,
    pub signature: Expected,
}

impl Signing {
    /// Derives the keys, signs, compares, and verifies what was signed.
    pub fn check(self) -> Verdict {
        let Self { scheme, key, public, text, randomness, signature } = self;
        let pair = key.expect(scheme, public.map(Expected::Bytes), None)?;
        let computed = scheme
            .sign(&pair.sk, &text, randomness.as_deref())
            .map_err(|error| failed(format!("signing was refused: {error}")))?;
        signature.check("the signature", &computed)?;
        scheme
            .verify(&pair.pk, &text, &computed)
            .map_err(|error| failed(format!("the signature is right but does not verify: {error}")))
    }
}

/// A signature to be judged.
pub(crate) struct Verifying {
    pub scheme: Scheme,
    pub public: Vec<u8>,
    pub text: Text,
    pub signature: Vec<u8>,
    pub valid: bool,
    /// Why it was published.
    pub why: Option<String>,
}

impl Verifying {
    /// Compares the verdicts.
    pub fn check(self) -> Verdict {
        let Self { scheme, public, text, signature, valid, why } = self;
        let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
        match (scheme.verify(&public, &text, &signature), valid) {
            (Ok(()), true) | (Err(_), false) => Ok(()),
            (Ok(()), false) => Err(failed(format!("accepted, published as invalid{why}"))),
            (Err(error), true) => Err(failed(format!("rejected, published as valid{why}: {error}"))),
        }
    }
}
