//! Any bytes are read as a file of test vectors without a panic, and no case of theirs is run unasked.
#![no_main]
use libfuzzer_sys::fuzz_target;
use pqsoc_vectors::{Options, run};
use std::path::PathBuf;
use std::sync::LazyLock;

/// The runner reads files, so each input becomes one.
static FILE: LazyLock<PathBuf> =
    LazyLock::new(|| std::env::temp_dir().join(format!("fuzz-vectors-{}", std::process::id())));

fuzz_target!(|bytes: &[u8]| {
    std::fs::write(&*FILE, bytes).expect("a place for temporary files");
    let report = run(std::slice::from_ref(&*FILE), &Options { limit: Some(0), long: false }, &());
    assert_eq!((report.counts.passed, report.counts.failed), (0, 0));
});
