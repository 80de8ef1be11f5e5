//! vectors: exit codes, formats, policy. What is run is tested where it is implemented.
mod common;

use common::{Folder, expect, text};
use std::fs;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../vectors/data");

#[test]
fn good_vectors() {
    let folder = Folder::new();
    let said = text(
        &folder.ok(&format!("vectors {DATA}/ML-DSA-sigVer-FIPS204.json.xz {DATA}/ML-DSA-rejection-KAT.json")),
    );
    let last = said.lines().last().unwrap();
    let [passed, failed, skipped] = ["passed", "failed", "skipped"].map(|word| {
        let words: Vec<_> = last.split([' ', ',']).collect();
        let at = words.iter().position(|w| *w == word).unwrap();
        words[at - 1].parse::<usize>().unwrap()
    });
    assert!(passed > 3 && failed == 0 && skipped == 0, "{last}");
    let file = fs::read(format!("{DATA}/ML-DSA-sigVer-FIPS204.json.xz")).unwrap();
    let said = text(&folder.ok_with_input("vectors - --format json", &file));
    let json: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&json["schema"], &json["failed"]), (&"pqsoc-vectors/1".into(), &0.into()));
    let table = text(&folder.ok_with_input("vectors - --format csv", &file));
    assert!(table.starts_with("schema,"), "{table}");
}

#[test]
fn bad_vectors_and_files_that_are_none() {
    let folder = Folder::new();
    let good = fs::read_to_string(format!("{DATA}/ML-DSA-rejection-KAT.json")).unwrap();
    const KEY: &str = "\"signatureHash\": \"";
    let digest = good.find(KEY).unwrap() + KEY.len();
    let mut bad = good.clone().into_bytes();
    bad[digest] = if bad[digest] == b'0' { b'1' } else { b'0' };
    folder.write("bad.json", bad);
    folder.write("text", "hello");
    folder.write("empty", "");
    let run = |words: &str, code| {
        let output = folder.pqsoc(&format!("vectors {words}")).output().unwrap();
        expect(words, &output, code);
        if code == 3 {
            assert!(text(&output.stderr).starts_with(&format!("pqsoc: {words}: ")), "{output:?}");
        }
        text(&output.stdout)
    };
    let said = run("bad.json", 1);
    assert!(said.contains(" 1 failed") && said.contains("failed: "), "{said}");
    run("text", 3);
    run("empty", 3);
    run("absent", 3);
    // A failure weighs more than a file that cannot be read, and does not stop the rest.
    let said = run(&format!("absent bad.json {DATA}/ML-DSA-sigVer-FIPS204.json.xz"), 1);
    assert!(said.contains("ML-DSA-44, sigVer, external, pure     1 passed"), "{said}");
}

#[test]
fn cnsa2_runs_pure_ml_dsa_87_only() {
    let folder = Folder::new();
    let file = format!("{DATA}/ML-DSA-sigVer-FIPS204.json.xz");
    let output = folder.pqsoc(&format!("vectors {file} --policy cnsa2")).output().unwrap();
    expect("vectors", &output, 4);
    assert!(text(&output.stdout).contains("CNSA 2.0 allows only pure ML-DSA-87, not ML-DSA-44"));
    assert!(text(&output.stdout).ends_with("0 passed, 0 failed, 3 skipped\n"));
    assert!(text(&output.stderr).ends_with("groups were not run: CNSA 2.0 allows only pure ML-DSA-87\n"));
}
