//! The selection in `data`: all of it passes, and damage to any of it is noticed.
use pqsoc_vectors::{Options, Report, run};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data")
}

/// Each file with the cases that pass and those that are skipped.
const FILES: [(&str, usize, usize); 33] = [
    ("HMAC-SHA2-256-2.0.json", 2, 0),
    ("KeccakF-1600-IntermediateValues.txt", 9, 11),
    ("KeccakSpongeIntermediateValues_SHA3-256.txt", 2, 0),
    ("ML-DSA-keyGen-FIPS204.json.xz", 1, 0),
    ("ML-DSA-rejection-KAT.json", 4, 0),
    ("ML-DSA-sigGen-FIPS204-tr1/expectedResults.json.xz", 0, 0),
    ("ML-DSA-sigGen-FIPS204-tr1/prompt.json", 4, 0),
    ("ML-DSA-sigVer-FIPS204.json.xz", 3, 0),
    ("PQCsignKAT_Dilithium2.json", 2, 0),
    ("PQCsignKAT_Dilithium5.json", 2, 0),
    ("README.md", 0, 0),
    ("SHA2-256-1.0.json", 1, 0),
    ("SHA3-224-2.0.json", 3, 2),
    ("SHA3_256ShortMsg.rsp", 5, 0),
    ("SHA3_384Monte.rsp", 1, 0),
    ("SHAKE128VariableOut.rsp", 2, 0),
    ("SHAKE256Monte.rsp", 1, 0),
    ("SLH-DSA-keyGen-FIPS205.json", 2, 0),
    ("SLH-DSA-sigGen-FIPS205.json", 2, 0),
    ("ShortMsgKAT_SHA3-512.txt", 2, 7),
    ("dilithium_4x4_AES_Deterministic.vec", 0, 1),
    ("dilithium_6x5_Deterministic.vec", 2, 0),
    ("liboqs-kats.json", 6, 0),
    ("ml-dsa-4x4_Deterministic.vec", 1, 0),
    ("ml-dsa-accumulated.json", 4, 3),
    ("mldsa_44_round3_verify_test.json.xz", 1, 0),
    ("mldsa_44_sign_seed_test.json.xz", 3, 0),
    ("mldsa_44_verify_test.json.xz", 2, 0),
    ("slh_dsa.vec", 1, 0),
    ("sphincsplus.vec", 2, 0),
    ("sphincsplus_fors.vec", 2, 0),
    ("sphincsplus_wots.vec", 2, 0),
    ("sphincsplus.SHA256SUMS", 1, 2),
];

#[test]
fn all_of_it_passes() {
    let report = run(&[data()], &Options::default(), &());
    let found: Vec<_> = report
        .files
        .iter()
        .map(|file| {
            let path = Path::new(&file.path).strip_prefix(data()).unwrap().to_string_lossy().into_owned();
            let counts = file.counts();
            assert_eq!((counts.failed, &file.errors), (0, &vec![]), "{file:#?}");
            (path, counts.passed, counts.skipped)
        })
        .collect();
    let mut wanted = FILES.map(|(path, passed, skipped)| (path.to_owned(), passed, skipped));
    wanted.sort();
    assert_eq!(found, wanted);
    assert_eq!(report.exit_code(), 0);
}

/// The results are found beside the prompt, or the prompt beside the results, and either by name.
#[test]
fn halves_find_each_other() {
    let prompt = data().join("ML-DSA-sigGen-FIPS204-tr1/prompt.json");
    let results = data().join("ML-DSA-sigGen-FIPS204-tr1/expectedResults.json.xz");
    for paths in [
        vec![prompt.clone()],
        vec![results.clone()],
        vec![prompt.clone(), results.clone()],
        vec![results, prompt],
    ] {
        let report = run(&paths, &Options::default(), &());
        assert_eq!((report.counts.passed, report.exit_code()), (4, 0), "{paths:?}");
    }
}

#[test]
fn limit_of_cases() {
    let report =
        run(&[data().join("SHA3_256ShortMsg.rsp")], &Options { limit: Some(1), ..Options::default() }, &());
    assert_eq!(report.counts.passed, 1);
    assert_eq!(report.files[0].groups[0].skips[0].reason, "beyond the first 1 cases of the group");
}

/// A file that can be damaged: what it is called, and its content.
struct Copy {
    name: &'static str,
    text: String,
}

impl Copy {
    fn new(name: &'static str) -> Self {
        let bytes = fs::read(data().join(name)).unwrap();
        let text = if name.ends_with(".xz") {
            let mut text = String::new();
            std::io::Read::read_to_string(&mut liblzma::read::XzDecoder::new(&*bytes), &mut text).unwrap();
            text
        } else {
            String::from_utf8(bytes).unwrap()
        };
        Self { name: name.strip_suffix(".xz").unwrap_or(name), text }
    }

    /// Runs this content under the file's name.
    fn run(&self, content: &str) -> Report {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(self.name);
        fs::write(&path, content).unwrap();
        run(&[path], &Options::default(), &())
    }

    /// Asserts that damage is a failure or an error, wherever `damage` can be done.
    fn notices(&self, damaged: Vec<(String, String)>) {
        assert!(!damaged.is_empty(), "{}", self.name);
        for (place, content) in damaged {
            assert_ne!(content, self.text);
            let report = self.run(&content);
            assert!(report.counts.failed > 0, "{}, {place}: {report:#?}", self.name);
        }
    }
}

/// The last hexadecimal digit changed.
fn flipped(text: &str) -> String {
    let (rest, last) = text.split_at(text.len() - 1);
    format!("{rest}{}", if last == "1" { "2" } else { "1" })
}

fn is_hex(text: &str) -> bool {
    text.len() >= 8 && text.len().is_multiple_of(2) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Every value of a document that is not exempt, changed, one at a time.
fn damaged_json(text: &str, exempt: impl Fn(&[String], &Value) -> bool) -> Vec<(String, String)> {
    fn walk(value: &Value, path: &mut Vec<String>, found: &mut Vec<(Vec<String>, Value)>) {
        let mut go = |key: String, value: &Value| {
            path.push(key);
            walk(value, path, found);
            path.pop();
        };
        match value {
            Value::Object(map) => map.iter().for_each(|(key, value)| go(key.clone(), value)),
            Value::Array(list) => list.iter().enumerate().for_each(|(at, value)| go(at.to_string(), value)),
            Value::String(text) if is_hex(text) => found.push((path.clone(), flipped(text).into())),
            Value::String(text) if text == "valid" => found.push((path.clone(), "invalid".into())),
            Value::String(text) if text == "invalid" => found.push((path.clone(), "valid".into())),
            Value::Bool(passed) if path.last().is_some_and(|key| key == "testPassed") => {
                found.push((path.clone(), (!passed).into()));
            }
            _ => {}
        }
    }
    let document: Value = serde_json::from_str(text).unwrap();
    let mut found = Vec::new();
    walk(&document, &mut Vec::new(), &mut found);
    let kept = found.into_iter().filter(|(path, _)| !exempt(path, &document));
    kept.map(|(path, value)| {
        let mut copy = document.clone();
        let pointer = format!("/{}", path.join("/"));
        *copy.pointer_mut(&pointer).unwrap() = value;
        (pointer, copy.to_string())
    })
    .collect()
}

/// Every line of `name = hex`, or of bare hex under one of the headings, changed, one at a time.
fn damaged_text(text: &str, headings: &[&str]) -> Vec<(String, String)> {
    let lines: Vec<_> = text.lines().collect();
    let mut heading = "";
    let mut out = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let line = line.trim_end();
        if line.ends_with(':') {
            heading = line;
        }
        let value = line.rsplit(' ').next().unwrap_or_default();
        // The end of an address is set anew for each hash.
        let entry = line.contains(" = ") && is_hex(value) && !line.starts_with("Address");
        let word = headings.contains(&heading)
            && !line.is_empty()
            && line.bytes().all(|b| b" 0123456789ABCDEF".contains(&b));
        if entry || word {
            let mut copy: Vec<_> = lines.iter().map(|line| (*line).to_owned()).collect();
            copy[at] = flipped(line);
            out.push((format!("line {}", at + 1), copy.join("\n")));
        }
    }
    out
}

/// No damage within a case that is to be rejected is noticed, but for that of its verdict.
fn within_rejected(path: &[String], document: &Value) -> bool {
    if path.last().is_some_and(|key| key == "testPassed" || key == "result") {
        return false;
    }
    (0..path.len()).any(|len| {
        let part =
            document.pointer(&path[..len].iter().map(|key| format!("/{key}")).collect::<String>()).unwrap();
        let rejected = |test: &Value| test["testPassed"] == false || test["result"] == "invalid";
        // Wycheproof's groups share a key among their tests.
        let all = |tests: &Value| tests.as_array().is_some_and(|tests| tests.iter().all(rejected));
        rejected(part) || part.get("type").is_some() && all(&part["tests"])
    })
}

#[test]
fn damage_to_json_is_noticed() {
    let unread = |path: &[String]| path.iter().any(|key| key == "privateKeyPkcs8" || key == "publicKeyDer");
    for name in [
        "ML-DSA-keyGen-FIPS204.json.xz",
        "ML-DSA-sigVer-FIPS204.json.xz",
        "mldsa_44_sign_seed_test.json.xz",
        "mldsa_44_verify_test.json.xz",
        "mldsa_44_round3_verify_test.json.xz",
        "ML-DSA-rejection-KAT.json",
        "PQCsignKAT_Dilithium2.json",
        "PQCsignKAT_Dilithium5.json",
        "SLH-DSA-keyGen-FIPS205.json",
        "SLH-DSA-sigGen-FIPS205.json",
        "SHA2-256-1.0.json",
        "HMAC-SHA2-256-2.0.json",
        "liboqs-kats.json",
    ] {
        let copy = Copy::new(name);
        copy.notices(damaged_json(&copy.text, |path, document| {
            unread(path) || within_rejected(path, document)
        }));
    }
    // Cases that are skipped: bit-oriented lengths and gigabytes.
    let copy = Copy::new("SHA3-224-2.0.json");
    copy.notices(damaged_json(&copy.text, |path, document| {
        let test =
            document.pointer(&path[..4].iter().map(|key| format!("/{key}")).collect::<String>()).unwrap();
        test.get("largeMsg").is_some() || test["len"].as_u64().is_some_and(|len| len % 8 != 0)
    }));
    let copy = Copy::new("ml-dsa-accumulated.json");
    copy.notices(damaged_json(&copy.text, |path, _| path[1..].iter().any(|count| count == "60000000")));
}

#[test]
fn damage_to_halves_is_noticed() {
    let prompt = Copy::new("ML-DSA-sigGen-FIPS204-tr1/prompt.json");
    let results = Copy::new("ML-DSA-sigGen-FIPS204-tr1/expectedResults.json.xz");
    let run = |prompt: &str, results: &str| {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("prompt.json"), prompt).unwrap();
        fs::write(directory.path().join("expectedResults.json"), results).unwrap();
        run(&[directory.path().to_owned()], &Options::default(), &())
    };
    assert_eq!(run(&prompt.text, &results.text).exit_code(), 0);
    for (place, content) in damaged_json(&prompt.text, |_, _| false) {
        assert_eq!(run(&content, &results.text).counts.failed, 1, "prompt, {place}");
    }
    for (place, content) in damaged_json(&results.text, |_, _| false) {
        assert_eq!(run(&prompt.text, &content).counts.failed, 1, "results, {place}");
    }
}

#[test]
fn damage_to_text_is_noticed() {
    for name in [
        "SHA3_256ShortMsg.rsp",
        "SHA3_384Monte.rsp",
        "SHAKE256Monte.rsp",
        "SHAKE128VariableOut.rsp",
        "ml-dsa-4x4_Deterministic.vec",
        "dilithium_6x5_Deterministic.vec",
        "slh_dsa.vec",
        "sphincsplus.vec",
        "sphincsplus_fors.vec",
        "sphincsplus_wots.vec",
    ] {
        let copy = Copy::new(name);
        copy.notices(damaged_text(&copy.text, &[]));
    }
    let checked = [
        "Input of permutation:",
        "Same, with lanes as 64-bit words:",
        "After iota:",
        "State after permutation:",
    ];
    for name in ["KeccakF-1600-IntermediateValues.txt", "KeccakSpongeIntermediateValues_SHA3-256.txt"] {
        let copy = Copy::new(name);
        copy.notices(damaged_text(&copy.text, &checked));
    }
}
