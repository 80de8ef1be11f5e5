//! sign, verify and mu.
mod common;

use common::{Folder, text};

const GOOD: &str = "message: the ML-DSA-65 signature is good\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.keys("ML-DSA-65");
    folder.write("message", "a message\n");
    folder
}

#[test]
fn what_is_signed_verifies() {
    let folder = folder();
    for options in [
        "",
        "--context purpose",
        "--context-hex 00ff",
        "--prehash SHA2-512",
        "--prehash sha3-512 --context purpose",
        "--deterministic",
    ] {
        folder.ok(&format!("sign --key key.pem {options} --in message --out sig --force"));
        assert_eq!(folder.read("sig").len(), 3309);
        let options = options.replace("--deterministic", "");
        for key in ["pub.pem", "key.pem"] {
            let said = folder.ok(&format!("verify --key {key} --signature sig {options} --in message"));
            assert_eq!(text(&said), GOOD);
        }
        // Any other option makes it bad.
        for other in
            ["", "--context other", "--prehash SHA2-256"].into_iter().filter(|other| *other != options)
        {
            let said = folder.fails(1, &format!("verify --key pub.pem --signature sig {other} --in message"));
            assert_eq!(said, "pqsoc: sig: the signature is not good\n");
        }
    }
}

#[test]
fn every_pre_hash() {
    let folder = folder();
    for hash in [
        "SHA2-224",
        "SHA2-256",
        "SHA2-384",
        "SHA2-512",
        "SHA2-512/224",
        "SHA2-512/256",
        "SHA3-224",
        "SHA3-256",
        "SHA3-384",
        "SHA3-512",
        "SHAKE-128",
        "SHAKE-256",
    ] {
        let output =
            folder.pqsoc(&format!("sign -k key.pem --prehash {hash} -i message -o sig -f")).output().unwrap();
        common::expect(hash, &output, 0);
        // ML-DSA-65 has category 3: 192 bits against collisions.
        let weak = hash.contains("224") || hash.contains("256") && hash != "SHAKE-256" || hash == "SHAKE-128";
        assert_eq!(text(&output.stderr).contains("warning"), weak, "{hash}");
        assert_eq!(text(&folder.ok(&format!("verify -k pub.pem -s sig --prehash {hash} -i message"))), GOOD);
    }
}

#[test]
fn randomness() {
    let folder = folder();
    let sign = |options: &str| folder.ok(&format!("sign --key key.pem {options} --in message"));
    assert_eq!(sign("--deterministic"), sign("--deterministic"));
    assert_ne!(sign(""), sign(""));
    assert_ne!(sign(""), sign("--deterministic"));
    // None and empty are the same context.
    assert_eq!(sign("--deterministic"), sign("--deterministic --context-hex="));
}

#[test]
fn mu_can_be_signed_elsewhere() {
    let folder = folder();
    for options in ["", "--context purpose", "--prehash SHA2-512"] {
        folder.ok(&format!("mu --key pub.pem {options} --in message --out mu --force"));
        assert_eq!(folder.read("mu").len(), 64);
        assert_eq!(folder.ok(&format!("mu --key key.pem {options} --in message")), folder.read("mu"));
        folder.ok("sign --key key.pem --mu --deterministic --in mu --out sig --force");
        let whole = folder.ok(&format!("sign --key key.pem {options} --deterministic --in message"));
        assert_eq!(folder.read("sig"), whole);
        folder.ok("verify --key pub.pem --mu --signature sig --in mu");
        folder.ok(&format!("verify --key pub.pem {options} --signature sig --in message"));
    }
    for len in [0, 63, 65, 1000] {
        folder.write("mu", vec![7; len]);
        let message = format!("pqsoc: mu: mu has 64 bytes, not {len} (--mu takes its raw bytes)\n");
        assert_eq!(folder.fails(3, "sign --key key.pem --mu --in mu --out new"), message);
        assert!(!folder.exists("new"));
        assert_eq!(folder.fails(3, "verify --key key.pem --mu --signature sig --in mu"), message);
    }
}

#[test]
fn contexts_of_all_lengths() {
    let folder = folder();
    for len in [0, 1, 255] {
        let context = "ab".repeat(len);
        folder.ok(&format!("sign --key key.pem --context-hex={context} --in message --out sig --force"));
        folder.ok(&format!("verify --key pub.pem --context-hex={context} --signature sig --in message"));
    }
    for len in [256, 300] {
        let context = "ab".repeat(len);
        let said =
            folder.fails(2, &format!("sign --key key.pem --context-hex={context} --in message --out new"));
        assert!(said.contains(&format!("the context has {len} bytes; at most 255 are allowed")), "{said}");
    }
    assert!(!folder.exists("new"));
    // A context is bytes, whatever the shell's encoding is.
    #[cfg(unix)]
    {
        use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
        let mut command = folder.pqsoc("sign --key key.pem --in message --out sig --force --context");
        assert!(command.arg(OsStr::from_bytes(&[0xff, 0xfe])).status().unwrap().success());
        folder.ok("verify --key pub.pem --context-hex fffe --signature sig --in message");
    }
}

#[test]
fn standard_input_and_output() {
    let folder = folder();
    let signature = folder.ok_with_input("sign --key key.pem", b"a message\n");
    folder.write("sig", &signature);
    folder.ok("verify --key pub.pem --signature sig --in message");
    folder.ok_with_input("verify --key pub.pem --signature - --in message", &signature);
    folder.ok_with_input("verify --key pub.pem --signature sig", b"a message\n");
    folder.ok_with_input("sign --key - --in message", &folder.read("key.pem"));
}

/// The messages of the interesting lengths around the rates of the hashes and the size of a read.
#[test]
fn message_lengths() {
    let folder = folder();
    for len in [0, 1, 71, 72, 135, 136, 137, 65_535, 65_536, 65_537, 200_000] {
        folder.write("message", vec![0x5a; len]);
        folder.ok("sign --key key.pem --in message --out sig --force");
        folder.ok("verify --key pub.pem --signature sig --in message");
    }
}

#[test]
fn verify_for_programs() {
    let folder = folder();
    folder.ok("sign --key key.pem --in message --out sig");
    let json = |words: &str, code| {
        let output = folder
            .pqsoc(&format!("verify --key pub.pem --in message --format json {words}"))
            .output()
            .unwrap();
        common::expect(words, &output, code);
        assert_eq!(text(&output.stderr), "");
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    let good = json("--signature sig", 0);
    assert_eq!(good["schema"], "pqsoc-verify/1");
    assert_eq!(good["rows"][0]["valid"], true);
    let bad = json("--signature sig --context x --explain", 1);
    assert_eq!(bad["rows"][0]["valid"], false);
    let why = "the signature would be good if it is verified without a context (leave out --context)";
    assert_eq!(bad["rows"][0]["explanations"], serde_json::json!([why]));
}

#[test]
fn damaged_signatures_are_bad() {
    let folder = folder();
    folder.ok("sign --key key.pem --in message --out sig");
    let good = folder.read("sig");
    let bad = "pqsoc: bad: the signature is not good\n";
    let longer = [&good[..], &[0]].concat();
    for signature in [&[][..], &good[..1], &good[..3308], &longer, &[0; 3309], &[0xff; 3309], b"text"] {
        folder.write("bad", signature);
        assert_eq!(folder.fails(1, "verify --key pub.pem --signature bad --in message"), bad);
    }
    for at in (0..good.len()).step_by(331) {
        let mut signature = good.clone();
        signature[at] ^= 0x10;
        folder.write("bad", signature);
        assert_eq!(folder.fails(1, "verify --key pub.pem --signature bad --in message"), bad);
    }
}

#[test]
fn slh_dsa() {
    let folder = Folder::new();
    folder.keys("SLH-DSA-SHAKE-128f");
    folder.write("message", "a message\n");
    for options in ["", "--context purpose", "--prehash SHAKE-128", "--deterministic"] {
        folder.ok(&format!("sign --key key.pem {options} --in message --out sig --force"));
        let options = options.replace("--deterministic", "");
        folder.ok(&format!("verify --key pub.pem {options} --signature sig --in message"));
        folder.fails(1, "verify --key pub.pem --context x --signature sig --in message");
    }
    let sign = |options: &str| folder.ok(&format!("sign --key key.pem {options} --in message"));
    assert_eq!(sign("--deterministic"), sign("--deterministic"));
    assert_ne!(sign(""), sign(""));
    for command in ["sign --mu --key key.pem", "verify --mu --key pub.pem --signature sig"] {
        let said = folder.fails(2, &format!("{command} --in message"));
        assert!(said.ends_with("SLH-DSA-SHAKE-128f has no mu, only ML-DSA has\n"), "{said}");
    }
    folder.fails(2, "mu --key pub.pem --in message");
}

/// RFC 9909: the identifier of HashSLH-DSA binds the key to a hash function.
#[test]
fn a_key_for_hash_slh_dsa() {
    let folder = Folder::new();
    folder.keys("HashSLH-DSA-SHA2-128f-with-SHA256");
    folder.write("message", "a message\n");
    folder.ok("sign --key key.pem --in message --out sig");
    folder.ok("verify --key pub.pem --signature sig --in message");
    folder.ok("verify --key pub.pem --prehash SHA2-256 --signature sig --in message");
    assert_eq!(
        folder.fails(2, "verify --key pub.pem --prehash SHA2-512 --signature sig --in message"),
        "pqsoc: --prehash SHA2-512: the key pub.pem is for HashSLH-DSA-SHA2-128f-with-SHA256 and takes only SHA2-256\n"
    );
    folder.keys_as("SLH-DSA-SHA2-128f", "-pure");
    folder.ok("verify --key pub-pure.pem --prehash SHA2-256 --signature sig --in message");
    folder.fails(1, "verify --key pub-pure.pem --signature sig --in message");
}

/// A private key that contradicts itself must not sign: what comes out can give it away.
#[test]
fn a_bad_key_does_not_sign() {
    let folder = folder();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../keyfile/data");
    for (file, reason) in [
        (1, "the expanded key does not belong to the seed beside it (FIPS 204 key generation gives another)"),
        (2, "the expanded key contradicts itself: tr is not the hash of its public key"),
        (3, "the expanded key contradicts itself: t0 does not follow from s1 and s2"),
    ] {
        let key = format!("{data}/bad-ML-DSA-44-{file}.priv");
        for command in [
            format!("sign --key {key} --in message --out new"),
            format!("pubkey --key {key} --out new"),
            format!("verify --key {key} --signature message --in message"),
        ] {
            assert_eq!(folder.fails(3, &command), format!("pqsoc: {key}: {reason}\n"));
            assert!(!folder.exists("new"));
        }
    }
    // PK.root is not checked before signing, which would double its time: the signature is, after.
    folder.keys_as("SLH-DSA-SHA2-128f", "-slh");
    folder.ok("pubkey --key key-slh.pem --out pub.der --der");
    let pem = text(&folder.read("key-slh.pem"));
    let mut lines: Vec<_> = pem.lines().map(String::from).collect();
    // The last character before the boundary is in the last byte of PK.root.
    let line = lines.iter_mut().nth_back(1).unwrap();
    let other = if line.ends_with('A') { 'B' } else { 'A' };
    line.pop();
    line.push(other);
    folder.write("key-slh.pem", lines.join("\n"));
    let said = folder.fails(3, "sign --key key-slh.pem --in message --out new");
    assert!(said.contains("the signature made does not verify and is thrown away"), "{said}");
    assert!(!folder.exists("new"));
    folder
        .pqsoc("inspect key-slh.pem")
        .output()
        .map(|output| {
            assert!(text(&output.stdout).contains("PK.root does not follow"), "{}", text(&output.stdout));
        })
        .unwrap();
}

/// Signing 1 MB through standard input with every set.
#[test]
fn a_megabyte_through_a_pipe() {
    let folder = Folder::new();
    let message: Vec<u8> = (0..1_000_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    folder.write("message", &message);
    for algorithm in pqsoc_keyfile::Algorithm::ALL.iter().filter(|a| a.pre_hash().is_none()) {
        folder.ok(&format!("keygen -a {algorithm} --out key.pem --public pub.pem --force"));
        folder.write("sig", folder.ok_with_input("sign --key key.pem", &message));
        folder.ok_with_input("verify --key pub.pem --signature sig", &message);
        let mut other = message.clone();
        other[999_999] ^= 1;
        folder.write("other", other);
        folder.fails(1, "verify --key pub.pem --signature sig --in other");
    }
}
