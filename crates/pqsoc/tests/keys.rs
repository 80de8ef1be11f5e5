//! keygen, pubkey and inspect.
mod common;

use common::{Folder, SEED, text};
use std::fs;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../keyfile/data");

fn example(name: &str) -> Vec<u8> {
    fs::read(format!("{DATA}/{name}")).unwrap()
}

#[test]
fn keys_of_a_seed_are_the_rfcs() {
    let folder = Folder::new();
    for set in ["44", "65", "87"] {
        folder.keys_as(&format!("ML-DSA-{set}"), set);
        assert_eq!(folder.read(&format!("key{set}.pem")), example(&format!("ML-DSA-{set}-seed.priv")));
        assert_eq!(folder.read(&format!("pub{set}.pem")), example(&format!("ML-DSA-{set}.pub")));
    }
    for form in ["seed", "expanded", "both"] {
        folder.ok(&format!("keygen -a ml-dsa-44 --out {form}.pem --form {form} --seed-hex {SEED}"));
        assert_eq!(folder.read(&format!("{form}.pem")), example(&format!("ML-DSA-44-{form}.priv")));
    }
}

#[test]
fn keys_are_random_and_their_own() {
    let folder = Folder::new();
    for algorithm in ["ML-DSA-44", "ML-DSA-87", "SLH-DSA-SHA2-128f", "HashSLH-DSA-SHAKE-128f-with-SHAKE128"] {
        folder.ok(&format!("keygen --algorithm {algorithm} --out a.pem --public a.pub --force"));
        folder.ok(&format!("keygen --algorithm {algorithm} --out b.der --public b.pub --der --force"));
        assert_ne!(folder.read("a.pem"), folder.read("b.der"));
        folder.ok("pubkey --key a.pem --out again --force");
        assert_eq!(folder.read("again"), folder.read("a.pub"));
        folder.ok("pubkey --key b.der --out again --force --der");
        assert_eq!(folder.read("again"), folder.read("b.pub"));
        assert_eq!(folder.ok("pubkey --key a.pub"), folder.read("a.pub"));
        let report = text(&folder.ok("inspect a.pem a.pub b.der b.pub"));
        assert!(report.contains(algorithm), "{report}");
    }
}

#[cfg(unix)]
#[test]
fn private_keys_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let mode = |name: &str| fs::metadata(folder.path(name)).unwrap().permissions().mode() & 0o777;
    folder.keys("ML-DSA-44");
    assert_eq!(mode("key.pem"), 0o600);
    folder.write("plain", "");
    assert_eq!(mode("pub.pem"), mode("plain"));
    // Nor does a file that is replaced leave its permissions.
    fs::set_permissions(folder.path("key.pem"), fs::Permissions::from_mode(0o666)).unwrap();
    folder.ok("keygen -a ML-DSA-44 --out key.pem --force");
    assert_eq!(mode("key.pem"), 0o600);
}

#[test]
fn no_key_is_overwritten_by_accident() {
    let folder = Folder::new();
    folder.keys("ML-DSA-44");
    let (key, public) = (folder.read("key.pem"), folder.read("pub.pem"));
    assert_eq!(
        folder.fails(3, "keygen -a ML-DSA-44 --out key.pem --public other.pem"),
        "pqsoc: key.pem: exists already; --force replaces it\n"
    );
    assert!(!folder.exists("other.pem"));
    assert_eq!(
        folder.fails(3, "keygen -a ML-DSA-44 --out other.pem --public pub.pem"),
        "pqsoc: pub.pem: exists already; --force replaces it\n"
    );
    assert!(!folder.exists("other.pem"));
    folder.fails(3, "pubkey --key key.pem --out pub.pem");
    assert_eq!((folder.read("key.pem"), folder.read("pub.pem")), (key.clone(), public));
    folder.ok("keygen -a ML-DSA-44 --out key.pem --force");
    assert_ne!(folder.read("key.pem"), key);
    // Nothing temporary stays behind.
    assert_eq!(fs::read_dir(folder.path("")).unwrap().count(), 2);
}

#[test]
fn a_key_can_go_through_pipes() {
    let folder = Folder::new();
    let key = folder.ok(&format!("keygen -a ML-DSA-65 --out - --seed-hex {SEED}"));
    assert_eq!(key, example("ML-DSA-65-seed.priv"));
    assert_eq!(folder.ok_with_input("pubkey --key -", &key), example("ML-DSA-65.pub"));
    assert!(text(&folder.ok_with_input("inspect -", &key)).starts_with("standard input: a private key\n"));
}

#[test]
fn a_certificate_gives_its_key() {
    let folder = Folder::new();
    folder.write("cert.pem", example("ML-DSA-44.crt"));
    assert_eq!(folder.ok("pubkey --key cert.pem"), example("ML-DSA-44.pub"));
}

#[test]
fn inspect_tells_what_files_are() {
    let folder = Folder::new();
    folder.write("key.pem", example("ML-DSA-44-both.priv"));
    folder.write("pub.pem", example("ML-DSA-44.pub"));
    folder.write("cert.pem", example("ML-DSA-44.crt"));
    folder.write("sig", [0; 3309]);
    // As 'openssl pkey -pubin -outform DER | sha256sum' has it.
    let fingerprint = "837832708c5236d951581f1fddf2b79991b3424a0486d16da1ddad0fd69701be";
    let report = text(&folder.ok("inspect key.pem pub.pem cert.pem sig"));
    let expected = format!(
        "key.pem: a private key
  encoding     PEM (PRIVATE KEY), line 1
  algorithm    ML-DSA-44 (2.16.840.1.101.3.4.3.17)
  form         both
  sizes        private key 2560, public key 1312, signature 2420 bytes
  fingerprint  SHA-256 of the public key {fingerprint}
pub.pem: a public key
  encoding     PEM (PUBLIC KEY), line 1
  algorithm    ML-DSA-44 (2.16.840.1.101.3.4.3.17)
  sizes        private key 2560, public key 1312, signature 2420 bytes
  fingerprint  SHA-256 of the public key {fingerprint}
cert.pem: a certificate
  encoding     PEM (CERTIFICATE), line 1
  algorithm    ML-DSA-44 (2.16.840.1.101.3.4.3.17)
  sizes        private key 2560, public key 1312, signature 2420 bytes
  fingerprint  SHA-256 of the public key {fingerprint}
  subject      CN=LAMPS WG,O=IETF
  issuer       CN=LAMPS WG,O=IETF
  valid        2020-02-03T04:32:10Z to 2040-01-29T04:32:10Z
  signed       with its own key (ML-DSA-44), and the signature is good
sig: 3309 bytes, the length of a signature of ML-DSA-65
"
    );
    assert_eq!(report, expected);
}

#[test]
fn inspect_for_programs() {
    let folder = Folder::new();
    folder.write("key.pem", example("ML-DSA-44-seed.priv"));
    folder.write("bad.pem", example("bad-ML-DSA-44-2.priv"));
    let run = |format: &str| {
        let output = folder.pqsoc(&format!("inspect key.pem bad.pem --format {format}")).output().unwrap();
        common::expect(format, &output, 3);
        text(&output.stdout)
    };
    let json: serde_json::Value = serde_json::from_str(&run("json")).unwrap();
    assert_eq!(json["schema"], "pqsoc-inspect/1");
    assert_eq!(json["rows"][0]["algorithm"], "ML-DSA-44");
    assert_eq!(json["rows"][0]["problems"], serde_json::json!([]));
    assert_eq!(json["rows"][1]["form"], "expanded");
    let problem = "the expanded key contradicts itself: tr is not the hash of its public key";
    assert_eq!(json["rows"][1]["problems"], serde_json::json!([problem]));
    let table = run("csv");
    let mut rows = csv::Reader::from_reader(table.as_bytes());
    let column = rows.headers().unwrap().iter().position(|name| name == "problems").unwrap();
    assert_eq!(&rows.headers().unwrap()[0], "schema");
    let rows: Vec<_> = rows.records().map(|row| row.unwrap()).collect();
    assert_eq!((&rows[0][0], &rows[0][column], &rows[1][column]), ("pqsoc-inspect/1", "", problem));
}

#[test]
fn inspect_goes_on_after_a_bad_file() {
    let folder = Folder::new();
    folder.write("pub.pem", example("ML-DSA-44.pub"));
    folder.write("text", "hello");
    folder.write("empty", "");
    let output = folder.pqsoc("inspect absent empty text pub.pem").output().unwrap();
    common::expect("inspect", &output, 3);
    assert_eq!(text(&output.stderr), "pqsoc: absent: no such file or directory\n");
    let report = text(&output.stdout);
    assert!(report.starts_with(
        "empty: no key, certificate or signature\n  PROBLEM      the file is empty\ntext: no key, certificate or \
         signature\n  PROBLEM      neither PEM nor DER (5 bytes)\npub.pem: a public key\n"
    ), "{report}");
}

#[test]
fn a_private_key_is_never_shown() {
    let folder = Folder::new();
    folder.write("key.pem", example("ML-DSA-44-both.priv"));
    for format in ["human", "json", "csv"] {
        let report = text(&folder.ok(&format!("inspect key.pem --format {format}")));
        assert!(!report.to_lowercase().contains(&SEED[..16]), "{report}");
    }
}
