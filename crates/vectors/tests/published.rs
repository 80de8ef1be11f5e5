//! The published sets in full, where they are: `../shared/vectors` beside the repository, or where `PQSOC_VECTORS` says
//! (empty: nowhere).
use pqsoc_vectors::{Options, Report, run};
use std::{
    env,
    path::{Path, PathBuf},
};

/// Every reason for which a case may be skipped; anything else skipped is an error of the runner.
const REASONS: [&str; 10] = [
    "Dilithium-AES is not offered",
    "a digest of a print of intermediate values (A, s, y, w, t, c), which the library does not expose",
    "bit-oriented length: the library hashes whole bytes",
    "made with the generator of PQClean's own tests, not with NIST's",
    "more than 10000 keys: run with the long cases",
    "a message of more than a gigabyte: run with the long cases",
    "the library does theta, rho, pi and chi at once; the state after each round is checked",
    "the offsets are not exposed; the states after each round depend on them",
    "100 signatures with a small and slow set: run with the long cases",
    "beyond the first",
];

/// The paths of these files and directories, or nothing where there are none, which is said.
fn published(names: &[&str]) -> Option<Vec<PathBuf>> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors");
    let root = env::var_os("PQSOC_VECTORS").map_or_else(beside, PathBuf::from);
    if root.as_os_str().is_empty() || !root.is_dir() {
        eprintln!("skipped: no published sets at {:?}", root.display());
        return None;
    }
    Some(names.iter().map(|name| root.join(name)).collect())
}

/// Runs them, and asserts that at least `passed` cases pass, that none fails, and that all skips are known ones.
#[track_caller]
fn passes(names: &[&str], limit: Option<usize>, passed: usize) {
    let Some(paths) = published(names) else { return };
    let report = run(&paths, &Options { limit, ..Options::default() }, &());
    check(&report, passed);
}

#[track_caller]
fn check(report: &Report, passed: usize) {
    for file in &report.files {
        assert_eq!(file.errors, Vec::<String>::new(), "{}", file.path);
        for group in &file.groups {
            assert_eq!(group.failures, [], "{}, {}", file.path, group.name);
            for skips in &group.skips {
                let known =
                    |reason: &&str| skips.reason.starts_with(*reason) || skips.reason.contains("haraka");
                assert!(REASONS.iter().any(known), "{}, {}: {skips:?}", file.path, group.name);
            }
        }
    }
    assert!(report.counts.passed >= passed, "{}", report.counts);
}

#[test]
fn hash_functions() {
    passes(&["hash-acvp", "hash-cavp", "keccak-xkcp"], None, 4_703);
}

#[test]
fn ml_dsa() {
    let acvp = [
        "acvp/ML-DSA-keyGen-FIPS204.json.xz",
        "acvp/ML-DSA-sigGen-FIPS204.json.xz",
        "acvp/ML-DSA-sigGen-FIPS204-tr1.json.xz",
        "acvp/ML-DSA-sigVer-FIPS204.json.xz",
        "acvp/ML-DSA-rejection-KAT.json",
    ];
    passes(&acvp, None, 1_092);
    passes(&["wycheproof", "bc-mldsa", "cctv", "manifests/liboqs-kats.json"], None, 1_510);
    let botan = ["4x4", "6x5", "8x7"].map(|set| format!("botan/ml-dsa-{set}_Deterministic.vec.xz"));
    passes(&botan.each_ref().map(String::as_str), None, 75);
}

#[test]
fn dilithium() {
    passes(&["dilithium-r3.1-kat", "dilithium-interim-kat", "dilithium-wycheproof-pqc"], None, 1_041);
    let names =
        ["4x4", "6x5", "8x7"].map(|set| [format!("{set}_Deterministic"), format!("{set}_AES_Deterministic")]);
    let names = names.as_flattened().iter().map(|name| format!("botan/dilithium_{name}.vec.xz"));
    let names: Vec<_> = names.collect();
    passes(&names.iter().map(String::as_str).collect::<Vec<_>>(), None, 300);
}

/// Each set signs once at least, deterministically and not; all verdicts of the quick set.
#[test]
fn slh_dsa() {
    passes(&["botan/slh_dsa.vec.xz", "botan/slh_dsa_generic.vec.xz"], None, 14);
    passes(&["acvp/SLH-DSA-sigVer-FIPS205.quick.json.xz", "acvp-older"], None, 153);
    passes(&["acvp/SLH-DSA-keyGen-FIPS205.json.xz"], Some(2), 24);
}

/// The simple sets by their digests, WOTS+ and FORS alone, a case of every file of known answers.
#[test]
fn sphincs_plus() {
    let botan =
        ["botan/sphincsplus.vec.xz", "botan/sphincsplus_fors.vec.xz", "botan/sphincsplus_wots.vec.xz"];
    passes(&botan, None, 36);
    let robust = ["sha2-128f", "sha2-192s", "shake-128f", "shake-192s"];
    let robust = robust.map(|set| format!("sphincsplus-r3.1-kat/subset_{set}-robust.json.xz"));
    passes(&robust.each_ref().map(String::as_str), Some(1), 4);
    passes(&["manifests/sphincsplus-r3.1.SHA256SUMS"], None, 12);
}

#[test]
#[ignore = "slow: all sets, most of an hour on two cores"]
fn everything() {
    passes(&[""], None, 10_000);
}

#[test]
#[ignore = "slow: messages of gigabytes, 100 signatures with each set of SPHINCS+"]
fn long_cases() {
    let Some(paths) = published(&["hash-acvp", "manifests/sphincsplus-r3.1.SHA256SUMS"]) else { return };
    check(&run(&paths, &Options { long: true, ..Options::default() }, &()), 500);
}
