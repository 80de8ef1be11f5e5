// SPDX-License-Identifier: Apache-2.0 OR MIT

//! What the firmware of a board should print: the same, computed here.
//!
//! Needs the ELF files of `cargo xtask firmware`: in the folder that PQSOC_FIRMWARE names, or in `target/firmware`.

use std::path::PathBuf;

use pqsoc_keccak::{Sha3_256, Shake256, Software};
use pqsoc_mldsa::{Context, Message, dynamic};
use pqsoc_slhdsa::{Params, SigningKey};
use serde_json::Value;

/// The ELF file of that name. Without PQSOC_FIRMWARE it may be missing: then the tests say so and do nothing.
pub fn firmware(name: &str) -> Option<PathBuf> {
    let named = std::env::var_os("PQSOC_FIRMWARE").map(PathBuf::from);
    let folder = named
        .clone()
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/firmware"));
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    let text = format!("{}: there is none; 'cargo xtask firmware' builds it", path.display());
    assert!(named.is_none(), "{text}");
    println!("skipped: {text}");
    None
}

/// The results that were printed: all lines but the first, which says how the program was built.
pub fn results(printed: &[u8]) -> Vec<Value> {
    let text = String::from_utf8(printed.to_vec()).unwrap();
    let mut lines = text.lines().map(|line| serde_json::from_str(line).unwrap_or(Value::Null));
    assert!(lines.next().unwrap()["rustc"].as_str().unwrap().starts_with("rustc "), "{text}");
    let results: Vec<Value> = lines.take_while(|value| !value.is_null()).collect();
    assert!(text.ends_with('#'), "{text}");
    results
}

/// In hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// SHA3-256 of the parts one after the other, in hexadecimal.
pub fn hash(parts: &[&[u8]]) -> String {
    hex(&Sha3_256::<Software>::digest(parts))
}

/// What the firmware derives from a job's seed.
pub fn seeds(seed: &[u8], run: u32) -> [u8; 96] {
    let mut out = [0; 96];
    Shake256::<Software>::digest(&[seed, &run.to_le_bytes()], &mut out);
    out
}

/// A run of a job.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    pub algorithm: &'a str,
    /// What the line calls it, and its name: the profile of an STM32's firmware, the engine of a ZedBoard's.
    pub how: (&'a str, &'a str),
    pub operation: &'a str,
    pub run: u32,
}

/// A line of results says that it is of that run, and is what this machine gives for it with that seed and message.
pub fn check(line: &Value, asked: Asked<'_>, seed: &[u8], message: &[u8]) {
    let Asked { algorithm, how: (kind, name), operation, run } = asked;
    assert_eq!(line["error"], Value::Null, "{line}");
    let said = ["algorithm", kind, "operation"].map(|field| line[field].as_str().unwrap_or_default());
    assert_eq!(said, [algorithm, name, operation], "{line}");
    assert_eq!(line["run"], run, "{line}");
    assert!(line["cycles"].as_u64().is_some_and(|cycles| cycles > 0), "{line}");
    let keygen = operation == "keygen";
    let seeds = seeds(seed, if keygen { run } else { 0 });
    let message = [message, &run.to_le_bytes()].concat();
    let message = Message::pure(Context::EMPTY, &message);
    let (expected, attempts) = if let Some(scheme) = dynamic::by_name(algorithm) {
        let params = scheme.params();
        let (mut public, mut secret) = (vec![0; params.public_key_len()], vec![0; params.secret_key_len()]);
        scheme.keygen(seeds.first_chunk().unwrap(), &mut public, &mut secret).unwrap();
        if keygen {
            (hash(&[&public, &secret]), None)
        } else {
            let mut signature = vec![0; params.signature_len()];
            let attempts = scheme.sign(&secret, &message, &[0; 32], &mut signature).unwrap();
            (hash(&[&signature]), Some(attempts))
        }
    } else {
        let params = Params::by_name(algorithm).unwrap();
        let n = params.n;
        let key =
            SigningKey::from_seeds(params, &seeds[..n], &seeds[n..2 * n], &seeds[2 * n..3 * n]).unwrap();
        if keygen {
            (hash(&[key.verifying_key().as_bytes(), key.as_bytes()]), None)
        } else {
            let mut signature = vec![0; params.signature_len()];
            key.sign_deterministic(&message, &mut signature).unwrap();
            (hash(&[&signature]), None)
        }
    };
    assert_eq!(line["sha3_256"], expected, "{line}");
    if operation == "sign" {
        assert_eq!(line["attempts"].as_u64(), attempts.map(u64::from), "{line}");
    }
}
