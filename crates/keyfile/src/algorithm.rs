//! Which algorithm a file is about: the identifiers of RFC 9881, RFC 9909 and NIST's register.
use crate::Error;
use core::{fmt, str::FromStr};
use der::oid::ObjectIdentifier;
use pqsoc_message::PreHash;

/// The two families of signatures that have key files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// ML-DSA, FIPS 204; key files by RFC 9881.
    MlDsa,
    /// SLH-DSA, FIPS 205; key files by RFC 9909.
    SlhDsa,
}

/// An algorithm with an object identifier: a parameter set, and for HashML-DSA and HashSLH-DSA its hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Algorithm {
    name: &'static str,
    set: &'static str,
    family: Family,
    /// The last arc under 2.16.840.1.101.3.4.3.
    arc: u32,
    pre_hash: Option<PreHash>,
}

/// 2.16.840.1.101.3.4.3, NIST's register of signature algorithms.
const SIGNATURE_ALGORITHMS: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3");

const fn ml(name: &'static str, arc: u32) -> Algorithm {
    Algorithm { name, set: name, family: Family::MlDsa, arc, pre_hash: None }
}

const fn slh(name: &'static str, arc: u32) -> Algorithm {
    Algorithm { name, set: name, family: Family::SlhDsa, arc, pre_hash: None }
}

const fn hash_ml(name: &'static str, set: &'static str, arc: u32) -> Algorithm {
    Algorithm { name, set, family: Family::MlDsa, arc, pre_hash: Some(PreHash::Sha2_512) }
}

const fn hash_slh(name: &'static str, set: &'static str, arc: u32, pre_hash: PreHash) -> Algorithm {
    Algorithm { name, set, family: Family::SlhDsa, arc, pre_hash: Some(pre_hash) }
}

/// Every algorithm, in the order of the identifiers.
const ALL: [Algorithm; 30] = [
    ml("ML-DSA-44", 17),
    ml("ML-DSA-65", 18),
    ml("ML-DSA-87", 19),
    slh("SLH-DSA-SHA2-128s", 20),
    slh("SLH-DSA-SHA2-128f", 21),
    slh("SLH-DSA-SHA2-192s", 22),
    slh("SLH-DSA-SHA2-192f", 23),
    slh("SLH-DSA-SHA2-256s", 24),
    slh("SLH-DSA-SHA2-256f", 25),
    slh("SLH-DSA-SHAKE-128s", 26),
    slh("SLH-DSA-SHAKE-128f", 27),
    slh("SLH-DSA-SHAKE-192s", 28),
    slh("SLH-DSA-SHAKE-192f", 29),
    slh("SLH-DSA-SHAKE-256s", 30),
    slh("SLH-DSA-SHAKE-256f", 31),
    hash_ml("HashML-DSA-44-with-SHA512", "ML-DSA-44", 32),
    hash_ml("HashML-DSA-65-with-SHA512", "ML-DSA-65", 33),
    hash_ml("HashML-DSA-87-with-SHA512", "ML-DSA-87", 34),
    hash_slh("HashSLH-DSA-SHA2-128s-with-SHA256", "SLH-DSA-SHA2-128s", 35, PreHash::Sha2_256),
    hash_slh("HashSLH-DSA-SHA2-128f-with-SHA256", "SLH-DSA-SHA2-128f", 36, PreHash::Sha2_256),
    hash_slh("HashSLH-DSA-SHA2-192s-with-SHA512", "SLH-DSA-SHA2-192s", 37, PreHash::Sha2_512),
    hash_slh("HashSLH-DSA-SHA2-192f-with-SHA512", "SLH-DSA-SHA2-192f", 38, PreHash::Sha2_512),
    hash_slh("HashSLH-DSA-SHA2-256s-with-SHA512", "SLH-DSA-SHA2-256s", 39, PreHash::Sha2_512),
    hash_slh("HashSLH-DSA-SHA2-256f-with-SHA512", "SLH-DSA-SHA2-256f", 40, PreHash::Sha2_512),
    hash_slh("HashSLH-DSA-SHAKE-128s-with-SHAKE128", "SLH-DSA-SHAKE-128s", 41, PreHash::Shake128),
    hash_slh("HashSLH-DSA-SHAKE-128f-with-SHAKE128", "SLH-DSA-SHAKE-128f", 42, PreHash::Shake128),
    hash_slh("HashSLH-DSA-SHAKE-192s-with-SHAKE256", "SLH-DSA-SHAKE-192s", 43, PreHash::Shake256),
    hash_slh("HashSLH-DSA-SHAKE-192f-with-SHAKE256", "SLH-DSA-SHAKE-192f", 44, PreHash::Shake256),
    hash_slh("HashSLH-DSA-SHAKE-256s-with-SHAKE256", "SLH-DSA-SHAKE-256s", 45, PreHash::Shake256),
    hash_slh("HashSLH-DSA-SHAKE-256f-with-SHAKE256", "SLH-DSA-SHAKE-256f", 46, PreHash::Shake256),
];

impl Algorithm {
    /// Every algorithm, pure ones first.
    pub const ALL: &[Self] = &ALL;

    /// The algorithm with this identifier.
    pub fn from_oid(oid: ObjectIdentifier) -> Result<Self, Error> {
        ALL.into_iter().find(|a| a.oid() == oid).ok_or(Error::UnknownAlgorithm { oid })
    }

    /// Its name: that of the parameter set as the standards write it, or that of the register for a pre-hash one.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The name of its parameter set.
    pub const fn set(&self) -> &'static str {
        self.set
    }

    /// Its family.
    pub const fn family(&self) -> Family {
        self.family
    }

    /// The hash function that the identifier binds a key to; none for a pure algorithm.
    pub const fn pre_hash(&self) -> Option<PreHash> {
        self.pre_hash
    }

    /// Its object identifier.
    pub fn oid(&self) -> ObjectIdentifier {
        SIGNATURE_ALGORITHMS.push_arc(self.arc).expect("ten short arcs fit")
    }

    /// The pure algorithm of the same parameter set.
    pub fn pure(&self) -> Self {
        ALL.into_iter().find(|a| a.name == self.set).expect("every set has a pure algorithm")
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

/// A name that is none of [`Algorithm::ALL`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no algorithm has the name '{name}'; the names are {}", names())]
pub struct UnknownName {
    /// The name given.
    pub name: String,
}

fn names() -> String {
    ALL.iter().filter(|a| a.pre_hash.is_none()).map(|a| a.name).collect::<Vec<_>>().join(", ")
}

impl FromStr for Algorithm {
    type Err = UnknownName;

    /// Takes the name in any case, with or without its hyphens: `ml-dsa-65`, `MLDSA65`, `slh_dsa_sha2_128s`.
    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let letters = |s: &str| -> String {
            s.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).map(|c| c.to_ascii_uppercase()).collect()
        };
        let given = letters(name);
        ALL.into_iter()
            .find(|a| letters(a.name) == given)
            .ok_or_else(|| UnknownName { name: name.chars().take(80).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_those_of_the_register() {
        let oid = |arc: u32| ObjectIdentifier::new(&format!("2.16.840.1.101.3.4.3.{arc}")).unwrap();
        for (arc, algorithm) in (17..).zip(Algorithm::ALL) {
            assert_eq!(algorithm.oid(), oid(arc));
            assert_eq!(Algorithm::from_oid(oid(arc)), Ok(*algorithm));
            assert_eq!(algorithm.pure().name(), algorithm.set());
        }
        for arc in [16, 47] {
            assert_eq!(Algorithm::from_oid(oid(arc)), Err(Error::UnknownAlgorithm { oid: oid(arc) }));
        }
    }

    #[test]
    fn names() {
        for algorithm in Algorithm::ALL {
            assert_eq!(algorithm.name().parse(), Ok(*algorithm));
            assert_eq!(algorithm.name().replace('-', "").to_lowercase().parse(), Ok(*algorithm));
        }
        for name in ["", "ML-DSA", "ML-DSA-45", "ML-DSA-444", "RSA", "SLH-DSA-SHA2-128"] {
            assert_eq!(name.parse::<Algorithm>(), Err(UnknownName { name: name.into() }));
        }
    }
}
