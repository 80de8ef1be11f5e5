//! Parameter sets by name: family, sizes, what pqm4 calls them.
use pqsoc_mldsa::dynamic;
use pqsoc_slhdsa::Params;

/// Groups of sets that tables and plots keep together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// FIPS 204.
    MlDsa,
    /// Round 3 of what became ML-DSA.
    Dilithium,
    /// FIPS 205.
    SlhDsa,
    /// Round 3.1 of what became SLH-DSA.
    SphincsPlus,
    /// Signatures that a quantum computer breaks.
    Classical,
    /// Everything else that an imported file brings.
    Other,
}

impl Family {
    /// All of them in the order of tables.
    pub const ALL: [Self; 6] =
        [Self::MlDsa, Self::Dilithium, Self::SlhDsa, Self::SphincsPlus, Self::Classical, Self::Other];

    /// The family of a set.
    pub fn of(algorithm: &str) -> Self {
        if algorithm.starts_with("ML-DSA") {
            Self::MlDsa
        } else if algorithm.starts_with("Dilithium") {
            Self::Dilithium
        } else if algorithm.starts_with("SLH-DSA") {
            Self::SlhDsa
        } else if algorithm.starts_with("SPHINCS+") {
            Self::SphincsPlus
        } else if CLASSICAL.iter().any(|(name, _)| *name == algorithm) {
            Self::Classical
        } else {
            Self::Other
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MlDsa => "ML-DSA",
            Self::Dilithium => "Dilithium",
            Self::SlhDsa => "SLH-DSA",
            Self::SphincsPlus => "SPHINCS+",
            Self::Classical => "classical",
            Self::Other => "other",
        }
    }
}

/// Bytes of what is stored and sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The public key.
    pub public_key: usize,
    /// The private key, expanded.
    pub private_key: usize,
    /// A signature.
    pub signature: usize,
}

/// RFC 8032; FIPS 186-5 with uncompressed points and raw r, s; RFC 8017 with a modulus of 2048 bits.
const CLASSICAL: &[(&str, Sizes)] = &[
    ("Ed25519", Sizes { public_key: 32, private_key: 32, signature: 64 }),
    ("ECDSA-P256", Sizes { public_key: 65, private_key: 32, signature: 64 }),
    ("RSA-2048", Sizes { public_key: 260, private_key: 1192, signature: 256 }),
];

/// Sizes of a set; `None` for one that is not known here.
pub fn sizes(algorithm: &str) -> Option<Sizes> {
    if let Some(scheme) = dynamic::by_name(algorithm) {
        let p = scheme.params();
        return Some(Sizes {
            public_key: p.public_key_len(),
            private_key: p.secret_key_len(),
            signature: p.signature_len(),
        });
    }
    if let Some(p) = Params::by_name(algorithm) {
        return Some(Sizes {
            public_key: p.public_key_len(),
            private_key: p.private_key_len(),
            signature: p.signature_len(),
        });
    }
    CLASSICAL.iter().find(|(name, _)| *name == algorithm).map(|(_, sizes)| *sizes)
}

/// The name that is meant, whatever its case: `ml-dsa-44` is `ML-DSA-44`. `None` if it is not known here.
pub fn canonical(name: &str) -> Option<&'static str> {
    dynamic::by_name(name)
        .map(|scheme| scheme.params().name)
        .or_else(|| {
            pqsoc_slhdsa::params::ALL.iter().find(|p| p.name.eq_ignore_ascii_case(name)).map(|p| p.name)
        })
        .or_else(|| CLASSICAL.iter().find(|c| c.0.eq_ignore_ascii_case(name)).map(|c| c.0))
}

/// The place of a set in tables: by family, ML-DSA-44 before -65, 128 before 192, `s` before `f`.
pub fn rank(algorithm: &str) -> (Family, String) {
    // `128f` sorts before `128s`; the standard has them the other way round.
    let name = algorithm.replace("8s", "8a").replace("2s", "2a").replace("6s", "6a");
    (Family::of(algorithm), name)
}

/// A set by pqm4's name: `ml-dsa-44`, `sphincs-sha2-128f-simple`. Unknown ones keep their name.
pub fn from_pqm4(name: &str) -> String {
    if let Some(set) = name.strip_prefix("sphincs-") {
        // pqm4 followed PQClean from `sha256` and `shake256` to `sha2` and `shake`.
        let set = set.replace("sha256-", "sha2-").replace("shake256-", "shake-");
        let full = format!("SPHINCS+-{}", set);
        if let Some(name) = canonical(&full) {
            return name.into();
        }
    }
    canonical(name).map_or_else(|| name.to_string(), str::to_string)
}

/// pqm4's name of a set.
pub fn to_pqm4(algorithm: &str) -> String {
    algorithm.to_ascii_lowercase().replace("sphincs+", "sphincs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_standards() {
        let bytes = |name| sizes(name).map(|s| (s.public_key, s.private_key, s.signature));
        assert_eq!(bytes("ML-DSA-44"), Some((1312, 2560, 2420)));
        assert_eq!(bytes("Dilithium5"), Some((2592, 4864, 4595)));
        assert_eq!(bytes("SLH-DSA-SHA2-128s"), Some((32, 64, 7856)));
        assert_eq!(bytes("Ed25519"), Some((32, 32, 64)));
        assert_eq!(bytes("falcon-512"), None);
    }

    #[test]
    fn names_of_pqm4_and_back() {
        for (pqm4, ours) in [
            ("ml-dsa-44", "ML-DSA-44"),
            ("dilithium3", "Dilithium3"),
            ("sphincs-sha2-128f-simple", "SPHINCS+-SHA2-128f-simple"),
            ("sphincs-shake-256s-simple", "SPHINCS+-SHAKE-256s-simple"),
            ("hawk256", "hawk256"),
        ] {
            assert_eq!(from_pqm4(pqm4), ours);
            assert_eq!(to_pqm4(ours), pqm4);
        }
        assert_eq!(from_pqm4("sphincs-sha256-128f-simple"), "SPHINCS+-SHA2-128f-simple");
    }

    #[test]
    fn tables_are_in_the_order_of_the_standards() {
        let mut names = ["SLH-DSA-SHA2-128f", "ML-DSA-87", "SLH-DSA-SHA2-128s", "Ed25519", "ML-DSA-44"];
        names.sort_by_key(|name| rank(name));
        assert_eq!(names, ["ML-DSA-44", "ML-DSA-87", "SLH-DSA-SHA2-128s", "SLH-DSA-SHA2-128f", "Ed25519"]);
    }
}
