//! --policy cnsa2 and PQSOC_POLICY.
mod common;

use common::{Folder, expect, text};

#[test]
fn cnsa2_allows_pure_ml_dsa_87() {
    let folder = Folder::new();
    folder.keys("ML-DSA-87");
    folder.write("message", "a message\n");
    for words in [
        "keygen -a ML-DSA-87 --out new.pem --public new.pub --form both",
        "pubkey --key new.pem --out again.pub",
        "sign --key key.pem --context purpose --in message --out sig",
        "verify --key pub.pem --context purpose --signature sig --in message",
        "mu --key pub.pem --in message --out mu",
        "sign --key key.pem --mu --in mu --out mu.sig",
        "inspect key.pem pub.pem sig",
        "speed ML-DSA-87 --seconds 0",
        "speed --seconds 0",
    ] {
        folder.ok(&format!("{words} --policy cnsa2"));
    }
    let timed = text(&folder.ok("speed --seconds 0 --policy cnsa2 --format csv"));
    assert!(!timed.contains("ML-DSA-44") && timed.contains("ML-DSA-87"), "{timed}");
}

#[test]
fn cnsa2_refuses_the_rest() {
    let folder = Folder::new();
    folder.keys("ML-DSA-87");
    folder.keys_as("ML-DSA-65", "-65");
    folder.keys_as("SLH-DSA-SHA2-128f", "-slh");
    folder.write("message", "a message\n");
    folder.ok("sign --key key-65.pem --in message --out sig");
    let only = "CNSA 2.0 allows only pure ML-DSA-87, not";
    for (words, said) in [
        ("keygen -a ML-DSA-44 --out new", format!("--algorithm: {only} ML-DSA-44")),
        ("keygen -a SLH-DSA-SHA2-256s --out new", format!("--algorithm: {only} SLH-DSA-SHA2-256s")),
        (
            "keygen -a HashML-DSA-87-with-SHA512 --out new",
            format!("--algorithm: {only} ML-DSA-87 with pre-hash SHA2-512"),
        ),
        ("pubkey --key key-65.pem --out new", format!("key-65.pem: {only} ML-DSA-65")),
        ("sign --key key-65.pem --in message --out new", format!("key-65.pem: {only} ML-DSA-65")),
        ("sign --key key-slh.pem --in message --out new", format!("key-slh.pem: {only} SLH-DSA-SHA2-128f")),
        (
            "sign --key key.pem --prehash SHA2-512 --in message --out new",
            format!("key.pem: {only} ML-DSA-87 with pre-hash SHA2-512"),
        ),
        ("verify --key pub-65.pem --signature sig --in message", format!("pub-65.pem: {only} ML-DSA-65")),
        (
            "verify --key pub.pem --prehash SHA2-512 --signature sig --in message",
            format!("pub.pem: {only} ML-DSA-87 with pre-hash SHA2-512"),
        ),
        ("mu --key pub-65.pem --in message --out new", format!("pub-65.pem: {only} ML-DSA-65")),
        ("speed ML-DSA-87 Dilithium5 --seconds 0", format!("{only} Dilithium5")),
    ] {
        assert_eq!(folder.fails(4, &format!("{words} --policy cnsa2")), format!("pqsoc: {said}\n"));
        assert!(!folder.exists("new"));
        let output = folder.pqsoc(words).env("PQSOC_POLICY", "cnsa2").output().unwrap();
        expect(words, &output, 4);
    }
    // inspect still says what the file is.
    let output = folder.pqsoc("inspect pub-65.pem --policy cnsa2").output().unwrap();
    expect("inspect", &output, 4);
    assert!(text(&output.stdout).contains(&format!("POLICY       {only} ML-DSA-65")));
    // The command line goes before the environment, and an empty setting is none.
    for (words, setting) in [("--policy none", "cnsa2"), ("", "")] {
        let command = format!("verify --key pub-65.pem --signature sig --in message {words}");
        let output = folder.pqsoc(&command).env("PQSOC_POLICY", setting).output().unwrap();
        expect(&command, &output, 0);
    }
    let output = folder.pqsoc("speed --seconds 0").env("PQSOC_POLICY", "strict").output().unwrap();
    expect("speed", &output, 2);
}
