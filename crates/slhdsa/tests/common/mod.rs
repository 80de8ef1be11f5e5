//! Known answers kept as text: blocks of `key = value` lines, `#` for comments.
use std::collections::HashMap;

/// One block.
pub struct Case(HashMap<String, String>);

impl Case {
    /// The value of a key that must be there.
    pub fn text(&self, key: &str) -> &str {
        &self.0[key]
    }

    /// Whether there is such a key.
    pub fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// The bytes of a key, written in hexadecimal, if it is there.
    pub fn bytes(&self, key: &str) -> Option<Vec<u8>> {
        self.0.get(key).map(|value| hex::decode(value).unwrap())
    }
}

/// All blocks of a file.
pub fn cases(text: &str) -> Vec<Case> {
    let block = |block: &str| {
        let lines = block.lines().filter(|line| !line.starts_with('#'));
        let pairs = lines.map(|line| line.split_once('=').unwrap());
        Case(pairs.map(|(key, value)| (key.trim().into(), value.trim().into())).collect())
    };
    text.split("\n\n").map(block).filter(|case| !case.0.is_empty()).collect()
}
