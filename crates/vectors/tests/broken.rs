//! Broken files: each is an error with its place, none keeps others from running, none panics or eats the memory.
use pqsoc_vectors::{Options, Report, run};
use std::{fs, path::Path};

/// Runs one file with this content and name.
fn report(name: &str, content: impl AsRef<[u8]>) -> Report {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    fs::write(&path, content).unwrap();
    run(&[path], &Options::default(), &())
}

/// The errors of one file, and its counts as they are printed.
fn outcome(name: &str, content: impl AsRef<[u8]>) -> (Vec<String>, String) {
    let report = report(name, content);
    let file = &report.files[0];
    (file.errors.clone(), file.counts().to_string())
}

/// Asserts that there is one error, that it is this, and that the exit code says so.
#[track_caller]
fn error(name: &str, content: impl AsRef<[u8]>, wanted: &str) {
    let report = report(name, content);
    assert_eq!(report.files[0].errors, [wanted]);
    assert_eq!(report.exit_code(), 3);
}

#[test]
fn json_that_is_none() {
    error("a.json", "{\"testGroups\": [", "line 1, column 16: not JSON: EOF while parsing a list");
    error("a.json", "{\"a\": 1,}", "line 1, column 9: not JSON: trailing comma");
    let deep = "[".repeat(100_000);
    error("a.json", deep, "line 1, column 128: not JSON: recursion limit exceeded");
    let deep = format!("{}{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
    error("a.json", deep, "line 1, column 636: not JSON: recursion limit exceeded");
}

#[test]
fn not_vectors() {
    error("a.json", "", "an empty file");
    error("a.json", "{}", "not a known form of vectors: JSON of another kind");
    error("a.json", "[1, 2]", "not a known form of vectors: text of another kind");
    error("a.txt", "hello\n", "not a known form of vectors: text of another kind");
    error("a.bin", b"\xff\x00\x01", "not a known form of vectors: binary data");
    error("a.json", "{\"$schema\": \"x\"}", "a JSON schema, not vectors");
    let key_file = "a key, certificate or CMS file, not vectors; `pqsoc inspect` reads it";
    error("a.pem", "-----BEGIN PUBLIC KEY-----\n", key_file);
    error("a.der", b"\x30\x82\xff\xff", key_file);
    error("SUMS", format!("{}  file\n", "0".repeat(64)), "a list of digests of files, not vectors");
}

#[test]
fn xz_that_is_cut_short() {
    use std::io::Write as _;
    let mut packed = liblzma::write::XzEncoder::new(Vec::new(), 1);
    packed.write_all(b"[L = 224]\n\nLen = 0\nMsg = 00\nMD = 6b4e\n").unwrap();
    let packed = packed.finish().unwrap();
    let (errors, _) = outcome("a.rsp.xz", &packed[..packed.len() - 9]);
    assert!(errors[0].starts_with("cannot be decompressed: "), "{errors:?}");
    let mut damaged = packed.clone();
    damaged[packed.len() / 2] ^= 0x10;
    let (errors, _) = outcome("a.rsp.xz", damaged);
    assert!(errors[0].starts_with("cannot be decompressed: "), "{errors:?}");
}

/// An ACVP set of one group around these tests.
fn acvp(mode: &str, tests: &str) -> String {
    format!(
        r#"{{"algorithm": "ML-DSA", "mode": "{mode}", "testGroups":
        [{{"tgId": 1, "parameterSet": "ML-DSA-44", "tests": {tests}}}]}}"#
    )
}

#[test]
fn acvp_sets() {
    let set = acvp("keyGen", r#"[{"tcId": 7, "seed": "0G", "pk": "00"}]"#);
    error("a.json", set, "tgId 1, tcId 7: \"seed\" is not hexadecimal: 'G' at character 1");
    let set = acvp("keyGen", r#"[{"tcId": 7, "seed": "000", "pk": "00"}]"#);
    error("a.json", set, "tgId 1, tcId 7: \"seed\" has an odd number of hexadecimal digits");
    let set = acvp("keyGen", r#"[{"tcId": 7, "seed": 5, "pk": "00"}]"#);
    error("a.json", set, "tgId 1, tcId 7: \"seed\" is not a string");
    let set = acvp("sigVer", r#"[{"tcId": 7, "message": "", "signature": "", "testPassed": true}]"#);
    error("a.json", set, "tgId 1, tcId 7: \"pk\" is missing");
    let set = acvp("sigGen", r#"[{"tcId": 7, "message": "", "signature": ""}]"#);
    error("a.json", set, "tgId 1, tcId 7: \"sk\" is missing");
    error("a.json", acvp("keyGen", "5"), "tgId 1: \"tests\" is not a list");
    error("a.json", acvp("keyGen", "[5]"), "tgId 1, test 1: not an object");
    error("a.json", r#"{"algorithm": "ML-DSA", "testGroups": 5}"#, "\"testGroups\" is not a list");
    error("a.json", r#"{"testGroups": []}"#, "\"algorithm\" is missing");
    error("a.json", r#"{"algorithm": "ML-DSA", "testGroups": [5]}"#, "group 1: not an object");
    let set = r#"{"algorithm": "SHA3-256", "testGroups": [{"tgId": 1, "testType": "AFT", "tests": [
        {"tcId": 1, "msg": "00", "len": 16, "md": "00"}]}]}"#;
    error("a.json", set, "tgId 1, tcId 1: \"msg\" has 1 bytes, \"len\" says 2");
    let set = r#"{"algorithm": "SHA3-256", "testGroups": [{"tgId": 1, "testType": "MCT", "tests": [
        {"tcId": 1, "msg": "00", "resultsArray": []}]}]}"#;
    error("a.json", set, "tgId 1, tcId 1: \"resultsArray\" is missing or empty");
}

#[test]
fn lengths_that_would_be_allocated() {
    let set = r#"{"algorithm": "SHAKE-128", "testGroups": [{"tgId": 1, "testType": "AFT", "tests": [
        {"tcId": 1, "msg": "", "len": 0, "outLen": 9223372036854775800, "md": "00"}]}]}"#;
    assert_eq!(outcome("a.json", set), (vec![], "0 passed, 1 failed, 0 skipped".into()));
    let set = r#"{"algorithm": "SHAKE-128", "testGroups": [{"tgId": 1, "testType": "MCT", "minOutLen": 16,
        "maxOutLen": 9223372036854775800, "tests": [
        {"tcId": 1, "msg": "", "len": 0, "resultsArray": [{"md": "00", "outLen": 8}]}]}]}"#;
    assert_eq!(outcome("a.json", set), (vec![], "0 passed, 1 failed, 0 skipped".into()));
    let text = "# SHAKE128\n[Minimum Output Length (bits) = 16]\n[Maximum Output Length (bits) = 99999999999999]\n\
        Msg = 00\n\nCOUNT = 0\nOutputlen = 8\nOutput = 00\n";
    assert_eq!(outcome("a.rsp", text), (vec![], "0 passed, 1 failed, 0 skipped".into()));
}

#[test]
fn numbers_of_100_megabytes() {
    let digits = "1".repeat(100_000_000);
    let (errors, _) = outcome("a.json", acvp("keyGen", &format!(r#"[{{"tcId": {digits}}}]"#)));
    assert!(errors[0].ends_with("not JSON: number out of range"), "{errors:?}");
    let (errors, _) = outcome("a.json", acvp("keyGen", &format!(r#"[{{"tcId": "{digits}"}}]"#)));
    assert_eq!(errors, [format!("tgId 1, tcId {}: \"skSeed\" is missing", "1".repeat(24))]);
    let (errors, _) = outcome("a.rsp", format!("# SHA3-256\nLen = {digits}\nMsg = 00\nMD = 00\n"));
    assert_eq!(errors, ["line 2: \"Len\" is not a whole number of at most 64 bits"]);
}

#[test]
fn halves_of_a_set() {
    let prompt = acvp("keyGen", r#"[{"tcId": 1, "seed": "00"}]"#);
    error("prompt.json", prompt, "a prompt without its expected results; give that file as well");
    let results = acvp("keyGen", r#"[{"tcId": 1, "pk": "00"}]"#);
    error("a.json", results, "expected results without their prompt; give that file as well");
}

#[test]
fn known_answers() {
    let entry = r#"[{"count": 0, "seed": "XX", "msg": "", "sm": "00"}]"#;
    error("a.json", entry, "count 0: \"seed\" is not hexadecimal: 'X' at character 0");
    error("a.json", r#"[{"seed": "00", "sm": "00"}]"#, "entry 1: \"msg\" is missing");
    let entry = r#"[{"count": 0, "seed": "00", "msg": "", "sm": "00", "smlen": 3}]"#;
    error("a.json", entry, "count 0: \"smlen\" does not agree with the value's length");
    let entry = r#"[{"count": 0, "seed": "00", "msg": "", "pk": "00", "sm": "00", "smlen": 1}]"#;
    assert_eq!(outcome("a.json", entry), (vec![], "0 passed, 0 failed, 1 skipped".into()));
    error("a.rsp", "count = 0\nseed = 00\nsmlen = 5\n", "count 0: \"msg\" is missing");
    let text = "count = 0\nseed = 00\nmsg =\nsmlen = 5\nhello\n";
    error("a.rsp", text, "line 5: \"hello\" is neither a comment, a [section] nor name = value");
}

#[test]
fn wycheproof() {
    let set =
        |group: &str| format!(r#"{{"algorithm": "ML-DSA-44", "numberOfTests": 1, "testGroups": [{group}]}}"#);
    error("a.json", set("{}"), "group 1: \"type\" is missing");
    let group = r#"{"type": "MlDsaVerify", "tests": [{"tcId": 3, "result": "valid", "sig": "", "msg": ""}]}"#;
    error("a.json", set(group), "group 1: \"publicKey\" is missing");
    let group = r#"{"type": "MlDsaVerify", "publicKey": "", "tests": [{"tcId": 3, "result": "good", "sig": "", "msg": ""}]}"#;
    error("a.json", set(group), "group 1, tcId 3: \"result\" is \"good\"");
    let group =
        r#"{"type": "MlDsaVerify", "publicKey": "", "tests": [{"tcId": 3, "result": "valid", "sig": ""}]}"#;
    error("a.json", set(group), "group 1, tcId 3: neither \"msg\" nor \"mu\"");
}

#[test]
fn botan() {
    error(
        "a.vec",
        "[ML-DSA-4x4_Deterministic]\nSeed = 00\nHashSig = 00\n",
        "line 2: \"Seed\" is not 48 bytes long",
    );
    let set = "SphincsParameterSet = SLH-DSA-SHA2-128f\nseed = 0\n";
    error("a.vec", set, "line 1: \"Seed\" has an odd number of hexadecimal digits");
}

#[test]
fn traces() {
    let trace = "+++ Example +++\nInput of permutation:\n00 01\nState after permutation:\n00\n";
    let (errors, _) = outcome("a.txt", trace);
    assert_eq!(errors[0], "line 2: a state of 2 words: neither 25 lanes nor 200 bytes");
    let trace = "+++ The round constants +++\nRC[00][0][0] = 1\n+++ Example +++\nInput of permutation:\n";
    let (errors, _) = outcome("a.txt", trace);
    assert_eq!(errors[0], "round constants: 0 round constants could be read, not 24");
}

#[test]
fn other_lists() {
    let (errors, _) = outcome("a.json", r#"{"ML-DSA-44": {"100": "xx"}}"#);
    assert_eq!(
        errors,
        ["ML-DSA-44, 100 keys: the hash is not hexadecimal: Invalid character 'x' at position 0"]
    );
    let (errors, _) = outcome("a.json", r#"{"ML-DSA-44": {"single": "00"}}"#);
    assert_eq!(errors, ["ML-DSA-44, single: the digest is not 32 bytes in hexadecimal"]);
    let (errors, _) = outcome("a.json", r#"{"tests": [{"keyHash": "", "mPrime": ""}]}"#);
    assert_eq!(errors, ["test 1: \"parameterSet\" is missing"]);
}

/// What cannot be read does not keep other cases of the file, or other files, from running.
#[test]
fn the_rest_runs() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("a.json"), "{").unwrap();
    let good = "Len = 0\nMsg = 00\nMD = a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a\n";
    fs::write(at("b.rsp"), format!("# SHA3-256\nLen = 8\nMsg = 0\nMD = 00\n\n{good}")).unwrap();
    fs::write(at("c.txt"), "a note\n").unwrap();
    let paths = [at("absent"), directory.path().to_owned()];
    let report = run(&paths, &Options::default(), &());
    let errors: Vec<_> = report.files.iter().map(|file| file.errors.len()).collect();
    assert_eq!(errors, [1, 1, 1, 0]);
    assert_eq!(report.counts.to_string(), "1 passed, 0 failed, 0 skipped");
    assert_eq!(report.exit_code(), 3);
    assert_eq!(report.files[3].format, "not a known form of vectors: text of another kind");
}

#[test]
fn nothing_to_run() {
    let directory = tempfile::tempdir().unwrap();
    let report = run(&[directory.path().to_owned()], &Options::default(), &());
    assert_eq!(report.files[0].errors, ["there are no files to run"]);
    assert_eq!(run(&[], &Options::default(), &()).exit_code(), 3);
    assert!(
        !run(&[Path::new("/dev/null/x").to_owned()], &Options::default(), &()).files[0].errors.is_empty()
    );
}
