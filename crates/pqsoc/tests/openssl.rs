//! Round trips with the `openssl` program, 3.5 or newer, in both directions: keys, signatures, contexts.
//!
//! PQSOC_OPENSSL says where it is; `cargo xtask openssl` builds it under `target/tools`, where it is found as well.
mod common;

use common::{Folder, expect, text};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
};

#[allow(dead_code, reason = "the tests of the boards use the rest")]
#[path = "../../boards/tests/common/host.rs"]
mod host;

/// The program. Without it these tests say so and do nothing; where PQSOC_OPENSSL names it, it must be there.
fn openssl() -> Option<PathBuf> {
    if let Some(program) = std::env::var_os("PQSOC_OPENSSL") {
        let program = PathBuf::from(program);
        assert!(program.is_file(), "{}: not there; 'cargo xtask openssl' builds it", program.display());
        return Some(program);
    }
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools");
    let found =
        fs::read_dir(tools).ok()?.flatten().map(|entry| entry.path().join("openssl")).find(|p| p.is_file());
    if found.is_none() {
        println!("skipped: no openssl of version 3.5 or newer; 'cargo xtask openssl' builds one");
    }
    found
}

struct Pair {
    folder: Folder,
    openssl: PathBuf,
}

impl Pair {
    fn new() -> Option<Self> {
        let folder = Folder::new();
        folder.write("message", "a message\n");
        folder.write("req.cnf", "[req]\ndistinguished_name = name\n[name]\n");
        Some(Self { folder, openssl: openssl()? })
    }

    fn run(&self, words: &str) -> Output {
        self.folder.command(&self.openssl).args(words.split_whitespace()).output().unwrap()
    }

    fn openssl(&self, words: &str) {
        let output = self.run(words);
        assert!(output.status.success(), "openssl {words}: {}", text(&output.stderr));
    }

    /// OpenSSL verifies what pqsoc signs, and the other way round; `key` signs for both, options as each spells them.
    fn both_ways(&self, key: &str, pqsoc: &str, openssl: &str) {
        let Self { folder, .. } = self;
        folder.ok(&format!("pubkey --key {key} --out pub --force"));
        folder.ok(&format!("sign --key {key} {pqsoc} --in message --out sig --force"));
        let verify = format!("pkeyutl -verify -pubin -inkey pub {openssl} -in message -sigfile");
        self.openssl(&format!("{verify} sig"));
        self.openssl(&format!("pkeyutl -sign -inkey {key} {openssl} -in message -out theirs"));
        folder.ok(&format!("verify --key pub {pqsoc} --signature theirs --in message"));
        // Not everything verifies.
        let mut other = folder.read("sig");
        other[100] ^= 1;
        folder.write("other", other);
        assert!(!self.run(&format!("{verify} other")).status.success());
    }
}

fn sets() -> impl Iterator<Item = &'static str> {
    let pure = pqsoc_keyfile::Algorithm::ALL.iter().filter(|a| a.pre_hash().is_none());
    pure.map(|algorithm| algorithm.name())
}

#[test]
fn their_keys_are_ours() {
    let Some(pair) = Pair::new() else { return };
    for set in sets() {
        pair.openssl(&format!("genpkey -algorithm {set} -out theirs.pem"));
        pair.openssl("pkey -in theirs.pem -pubout -out theirs.pub");
        pair.openssl("pkey -in theirs.pem -outform DER -out theirs.der");
        pair.folder.ok("pubkey --key theirs.pem --out ours.pub --force");
        assert_eq!(pair.folder.read("ours.pub"), pair.folder.read("theirs.pub"), "{set}");
        pair.folder.ok("inspect theirs.pem theirs.pub theirs.der");
        // A certificate and a request of theirs verify, by their own key.
        pair.openssl(
            "req -config req.cnf -new -x509 -key theirs.pem -subj /CN=test -days 30 -out theirs.crt",
        );
        pair.openssl("req -config req.cnf -new -key theirs.pem -subj /CN=test -out theirs.csr");
        for file in ["theirs.crt", "theirs.csr"] {
            let report = text(&pair.folder.ok(&format!("inspect {file}")));
            assert!(
                report.contains("with its own key") && report.contains("and the signature is good"),
                "{report}"
            );
        }
    }
}

#[test]
fn our_keys_are_theirs() {
    let Some(pair) = Pair::new() else { return };
    for set in sets() {
        for form in ["seed", "expanded", "both"] {
            let form = if set.starts_with("ML") { format!("--form {form}") } else { String::new() };
            for der in ["", "--der"] {
                pair.folder.ok(&format!("keygen -a {set} {form} {der} --out ours --public ours.pub --force"));
                pair.openssl("pkey -in ours -pubout -out theirs.pub");
                pair.openssl("pkey -pubin -in ours.pub -pubout -out again.pub");
                assert_eq!(
                    pair.folder.read("theirs.pub"),
                    pair.folder.read("again.pub"),
                    "{set} {form} {der}"
                );
                if der.is_empty() {
                    assert_eq!(pair.folder.read("theirs.pub"), pair.folder.read("ours.pub"), "{set} {form}");
                }
            }
        }
    }
}

/// Each form that OpenSSL can be told to write is read, and written by us as it was.
#[test]
fn all_their_forms() {
    let Some(pair) = Pair::new() else { return };
    for set in ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"] {
        pair.folder.ok(&format!("keygen -a {set} --out ours.pem --form both --force --public ours.pub"));
        for (theirs, ours) in [("seed-only", "seed"), ("priv-only", "expanded"), ("seed-priv", "both")] {
            let parameter = format!("-provparam ml-dsa.output_formats={theirs}");
            pair.openssl(&format!("pkey -in ours.pem {parameter} -out theirs.pem"));
            let report = text(&pair.folder.ok("inspect theirs.pem"));
            assert!(report.contains(&format!("form         {ours}\n")), "{report}");
            pair.folder.ok("pubkey --key theirs.pem --out theirs.pub --force");
            assert_eq!(pair.folder.read("theirs.pub"), pair.folder.read("ours.pub"));
        }
        for (theirs, said) in [
            ("bare-seed", "the seed stands bare"),
            ("bare-priv", "the expanded key stands bare"),
            ("oqskeypair", "the expanded key is followed by the public key ('oqskeypair')"),
        ] {
            pair.openssl(&format!(
                "pkey -in ours.pem -provparam ml-dsa.output_formats={theirs} -out theirs.pem"
            ));
            let refused = pair.folder.fails(3, "pubkey --key theirs.pem --out new");
            assert!(refused.contains(said), "{refused}");
            // The remedy that the message names.
            pair.openssl("pkey -in theirs.pem -out rewritten.pem");
            pair.folder.ok("pubkey --key rewritten.pem --out rewritten.pub --force");
            assert_eq!(pair.folder.read("rewritten.pub"), pair.folder.read("ours.pub"));
        }
    }
}

#[test]
fn signatures_and_contexts() {
    let Some(pair) = Pair::new() else { return };
    for set in sets() {
        pair.folder.ok(&format!("keygen -a {set} --out key.pem --force"));
        pair.both_ways("key.pem", "", "");
        if set.starts_with("ML") || set.ends_with('f') {
            pair.both_ways("key.pem", "--context purpose", "-pkeyopt context-string:purpose");
            pair.both_ways("key.pem", "--context-hex 00ff80", "-pkeyopt hexcontext-string:00ff80");
        }
    }
}

#[test]
fn deterministic_signatures_are_equal() {
    let Some(pair) = Pair::new() else { return };
    for set in sets().filter(|set| set.starts_with("ML") || set.ends_with('f')) {
        pair.folder.keys_as(set, &format!("-{set}"));
        let key = format!("key-{set}.pem");
        for (ours, theirs) in [("", ""), ("--context purpose", "-pkeyopt context-string:purpose")] {
            pair.folder
                .ok(&format!("sign --key {key} {ours} --deterministic --in message --out ours --force"));
            let theirs = format!(
                "pkeyutl -sign -inkey {key} -pkeyopt deterministic:1 {theirs} -in message -out theirs"
            );
            pair.openssl(&theirs);
            assert_eq!(pair.folder.read("ours"), pair.folder.read("theirs"), "{set}");
        }
    }
}

#[test]
fn mu() {
    let Some(pair) = Pair::new() else { return };
    for set in ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"] {
        pair.folder.ok(&format!("keygen -a {set} --out key.pem --public pub.pem --force"));
        pair.folder.ok("mu --key pub.pem --context purpose --in message --out mu --force");
        pair.openssl("pkeyutl -sign -inkey key.pem -pkeyopt mu:1 -in mu -out theirs");
        pair.folder.ok("verify --key pub.pem --mu --signature theirs --in mu");
        pair.folder.ok("verify --key pub.pem --context purpose --signature theirs --in message");
        pair.folder.ok("sign --key key.pem --mu --in mu --out ours --force");
        pair.openssl("pkeyutl -verify -inkey key.pem -pkeyopt mu:1 -in mu -sigfile ours");
    }
}

#[test]
fn encrypted_keys_are_named() {
    let Some(pair) = Pair::new() else { return };
    pair.openssl("genpkey -algorithm ML-DSA-44 -aes256 -pass pass:secret -out key.pem");
    let said = "an encrypted private key, where a private key is needed; decrypt it first, for example with 'openssl pkey'";
    assert_eq!(pair.folder.fails(3, "sign --key key.pem --in message"), format!("pqsoc: key.pem: {said}\n"));
    assert!(text(&pair.folder.ok("inspect key.pem")).starts_with("key.pem: an encrypted private key\n"));
    pair.openssl("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ec.pem");
    let output = pair.folder.pqsoc("sign --key ec.pem --in message").output().unwrap();
    expect("sign", &output, 3);
    assert_eq!(
        text(&output.stderr),
        "pqsoc: ec.pem: the algorithm is elliptic curve (ECDSA, ECDH) (1.2.840.10045.2.1), neither ML-DSA nor SLH-DSA\n"
    );
}

/// What the virtual ZedBoard signs with the firmware of this project verifies, whoever computes: it is, byte for byte, what is
/// signed here with the same seed.
fn signed_on_the_zedboard(engines: &[&str], sets: &[&str]) {
    let Some(pair) = Pair::new() else { return };
    let Some(elf) = host::firmware("zynq7000.elf") else { return };
    let jobs =
        sets.iter().flat_map(|set| engines.iter().map(move |by| format!("{set} {by} sign 1 0011 6869\n")));
    pair.folder.write("jobs", format!("{}end\n", jobs.collect::<String>()));
    let run = format!("run --board zedboard --until # --input jobs {}", elf.display());
    let output = pair.folder.pqsoc(&run).output().unwrap();
    expect(&run, &output, 0);
    let results = host::results(&output.stdout);
    assert_eq!(results.len(), sets.len() * engines.len());

    let seeds = host::seeds(&[0, 0x11], 0);
    pair.folder.write("message", b"hi\0\0\0\0");
    for (set, results) in sets.iter().zip(results.chunks(engines.len())) {
        let n = pqsoc_slhdsa::Params::by_name(set).map_or(32, |params| 3 * params.n);
        let seed = host::hex(&seeds[..n]);
        pair.folder.ok(&format!("keygen -a {set} --seed-hex {seed} --out key --public pub --force"));
        pair.folder.ok("sign --key key --deterministic --in message --out sig --force");
        pair.openssl("pkeyutl -verify -pubin -inkey pub -in message -sigfile sig");
        for (result, engine) in results.iter().zip(engines) {
            let expected = [*set, engine, "sign", &host::hash(&[&pair.folder.read("sig")])];
            assert_eq!(
                ["algorithm", "engine", "operation", "sha3_256"].map(|field| &result[field]),
                expected
            );
        }
    }
}

const ML_DSA: [&str; 3] = ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"];

#[test]
fn the_virtual_zedboard_signs_ml_dsa() {
    signed_on_the_zedboard(&["software", "study", "resident"], &ML_DSA);
}

#[test]
fn the_virtual_zedboard_signs_slh_dsa() {
    signed_on_the_zedboard(&["resident"], &["SLH-DSA-SHAKE-128f"]);
}

#[test]
#[ignore = "slow: some 10^11 cycles"]
fn the_virtual_zedboard_signs_every_shake_set() {
    let sets = ["128f", "192f", "256f", "128s", "192s", "256s"].map(|set| format!("SLH-DSA-SHAKE-{set}"));
    signed_on_the_zedboard(&["software", "study", "resident"], &sets.each_ref().map(String::as_str));
}
