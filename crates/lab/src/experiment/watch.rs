//! Where the time of an operation goes, and which code it enters.
use pqsoc_armv7::{Observer, Transfer, View};
use pqsoc_boards::symbols::Symbols;
use std::collections::{BTreeMap, BTreeSet};

/// What functions do, by words of their names; the first that fits counts.
const KINDS: [(&str, &[&str]); 5] = [
    ("hashing", &["keccak", "sha2::", "engine::sha2", "engine::shake"]),
    ("transforms", &["::ntt", "::intt"]),
    ("sampling", &["sample", "expand_", "Matrix<", "mask"]),
    ("products", &["dot", "challenge", "multiply"]),
    ("encoding", &["pack", "hint", "w1", "compress", "power2round", "decompose", "release"]),
];

/// What is none of these.
const OTHER: &str = "everything else";

/// Cycles of the operation by where they were spent, and the functions that were entered while it was under way.
pub struct Watch<'a> {
    symbols: &'a Symbols,
    /// First address of the operation.
    operation: Option<u32>,
    /// Where the operation returns to, while it is under way.
    returns_to: Option<u32>,
    /// Cycle count at the last transfer of control.
    last: u64,
    /// Cycles up to each place that control was transferred from.
    spent: BTreeMap<u32, u64>,
    /// Places that control went to meanwhile.
    entered: BTreeSet<u32>,
}

impl<'a> Watch<'a> {
    /// For a board that is about to start a program whose function `operation` is measured.
    pub fn new(symbols: &'a Symbols, operation: &str) -> Self {
        Self {
            symbols,
            operation: symbols.function(operation).map(|symbol| symbol.address & !1),
            returns_to: None,
            last: 0,
            spent: BTreeMap::new(),
            entered: BTreeSet::new(),
        }
    }

    /// Cycles of the operation by kind, and the bytes of its functions; nothing if the program has no such function.
    pub fn finish(self) -> (BTreeMap<String, u64>, Option<u64>) {
        let mut parts = BTreeMap::new();
        for (from, cycles) in &self.spent {
            let function = self.symbols.function_at(*from).map_or("", |symbol| symbol.name.as_str());
            *parts.entry(kind(function).to_string()).or_default() += cycles;
        }
        let functions: BTreeSet<(u32, u32)> = self
            .entered
            .iter()
            .filter_map(|address| self.symbols.function_at(*address))
            .map(|symbol| (symbol.address, symbol.size))
            .collect();
        let bytes: u64 = functions.iter().map(|(_, size)| u64::from(*size)).sum();
        (parts, (bytes > 0).then_some(bytes))
    }
}

/// What a function does.
fn kind(function: &str) -> &'static str {
    KINDS
        .iter()
        .find(|(_, words)| words.iter().any(|word| function.contains(word)))
        .map_or(OTHER, |(name, _)| name)
}

impl Observer for Watch<'_> {
    const TRANSFERS: bool = true;

    fn transfer(&mut self, _kind: Transfer, from: u32, to: u32, core: View<'_>) {
        if self.returns_to.is_some() {
            *self.spent.entry(from & !1).or_default() += core.cycles - self.last;
        }
        self.last = core.cycles;
        let to_code = to & !1;
        if self.operation == Some(to_code) {
            self.returns_to = Some(core.r[14] & !1);
        } else if self.returns_to == Some(to_code) {
            self.returns_to = None;
        }
        if self.returns_to.is_some() {
            self.entered.insert(to_code);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_by_what_they_do() {
        for (function, expected) in [
            ("pqsoc_keccak::permutation::keccak_f1600", "hashing"),
            ("sha2::sha256::compress256", "hashing"),
            ("<pqsoc_mldsa::portable::Portable as pqsoc_mldsa::engine::Engine>::intt", "transforms"),
            ("pqsoc_mldsa::sample::expand_s", "sampling"),
            ("<pqsoc_mldsa::portable::Portable as pqsoc_mldsa::engine::Engine>::dot", "products"),
            ("pqsoc_mldsa::profile::unpack_response", "encoding"),
            ("memcpy", "everything else"),
        ] {
            assert_eq!(kind(function), expected, "{function}");
        }
    }
}
