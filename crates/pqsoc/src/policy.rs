//! Rules about what may be used at all.
use crate::failure::{Code, Failure};
use pqsoc_keyfile::Algorithm;
use pqsoc_message::PreHash;

/// A set of rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// Everything the standards allow.
    #[default]
    None,
    /// NSA's CNSA 2.0: of the algorithms here, pure ML-DSA-87 alone.
    Cnsa2,
}

impl Policy {
    /// Why an algorithm, by its name, may not be used.
    pub fn objection(self, algorithm: &str, pre_hash: Option<PreHash>) -> Option<String> {
        match self {
            Self::None => None,
            Self::Cnsa2 if algorithm == "ML-DSA-87" && pre_hash.is_none() => None,
            Self::Cnsa2 => {
                let what = match pre_hash {
                    Some(pre_hash) => format!("{algorithm} with pre-hash {pre_hash}"),
                    None => algorithm.to_string(),
                };
                Some(format!("CNSA 2.0 allows only pure ML-DSA-87, not {what}"))
            }
        }
    }

    /// Why a group of test vectors may not be run, whose name begins with the parameter set.
    pub fn objection_to_group(self, group: &str) -> Option<String> {
        let mut words = group.split(", ");
        let set = words.next().unwrap_or_default();
        self.objection(set, words.any(|word| word == "preHash").then_some(PreHash::Sha2_512))
    }

    /// Refuses an algorithm that may not be used; `subject` is the file or option that asks for it.
    pub fn check(
        self,
        subject: &str,
        algorithm: Algorithm,
        pre_hash: Option<PreHash>,
    ) -> Result<(), Failure> {
        match self.objection(algorithm.set(), pre_hash.or(algorithm.pre_hash())) {
            Some(why) => Err(Failure::new(Code::Policy, format_args!("{subject}: {why}"))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cnsa2_leaves_one_algorithm() {
        let allowed = |policy: Policy| -> Vec<&str> {
            let all = Algorithm::ALL.iter();
            all.filter(|a| policy.check("", **a, None).is_ok()).map(Algorithm::name).collect()
        };
        assert_eq!(allowed(Policy::Cnsa2), ["ML-DSA-87"]);
        assert_eq!(allowed(Policy::None).len(), Algorithm::ALL.len());
        for pre_hash in PreHash::ALL {
            assert!(Policy::Cnsa2.objection("ML-DSA-87", Some(pre_hash)).is_some());
        }
    }
}
