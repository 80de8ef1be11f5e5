//! Lists of digests of whole KAT files. Those of NIST's form are made anew and hashed.
use super::kat;
use crate::{
    Options,
    scheme::Scheme,
    suite::{Check, Malformed, Suite, check, failed, skip},
    work::Expected,
};
use serde_json::Value;

/// The reason for the digests in the history of Dilithium's reference code.
const INTERMEDIATE: &str =
    "a digest of a print of intermediate values (A, s, y, w, t, c), which the library does not expose";
/// The reason for PQClean's `testvectors-sha256`.
const OTHER_GENERATOR: &str = "made with the generator of PQClean's own tests, not with NIST's";
/// The title of the submission's KAT files.
const SPHINCS: &str = "SPHINCS+";

/// Whether a document is a manifest: liboqs' `single` and `all`, PQClean's `nistkat-sha256`, pq-crystals' history.
pub(super) fn recognise(document: &Value) -> bool {
    let entry = |value: &Value| {
        ["all", "single", "nistkat-sha256", "testvectors-sha256"].iter().any(|key| value.get(key).is_some())
    };
    document.get("history").is_some()
        || document.as_object().is_some_and(|map| !map.is_empty() && map.values().all(entry))
}

/// Whether a text is one: lines of a digest and a name, as `sha256sum` prints.
pub(super) fn recognise_text(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).peekable();
    lines.peek().is_some() && lines.all(|line| digest_line(line).is_some())
}

fn digest_line(line: &str) -> Option<(Vec<u8>, &str)> {
    let (digest, name) = line.split_once([' ', '\t'])?;
    let digest = hex::decode(digest).ok().filter(|digest| digest.len() == 32)?;
    Some((digest, name.trim_start_matches([' ', '*', '\t'])))
}

/// Reads `sha256sum` lines of the SPHINCS+ submission; others are no vectors.
pub(super) fn read_text(text: &str, options: &Options) -> Option<Suite> {
    let mut suite = Suite::new("manifest of SPHINCS+ KAT files");
    suite.group("100 signatures each");
    for (digest, name) in text.lines().filter_map(digest_line) {
        if !name.starts_with("sphincs-") {
            return None;
        }
        let schemes = schemes(name);
        let work = if schemes.is_empty() {
            skip(format!("{name} is not offered"))
        } else if !options.long && name.split('-').any(|word| ["128s", "192s", "256s"].contains(&word)) {
            skip("100 signatures with a small and slow set: run with the long cases")
        } else {
            regenerated(schemes, 100, Some(SPHINCS), Expected::Sha256(digest))
        };
        suite.case(name, Ok(work));
    }
    Some(suite)
}

/// Reads a JSON manifest.
pub(super) fn read(document: &Value) -> Result<Suite, Malformed> {
    let mut suite = Suite::new("manifest of KAT files");
    for entry in document.get("history").and_then(Value::as_array).into_iter().flatten() {
        let commit: String =
            entry.get("commit").and_then(Value::as_str).unwrap_or("?").chars().take(8).collect();
        suite.group("history of the reference code");
        for name in entry.get("sha256").and_then(Value::as_object).into_iter().flatten().map(|(name, _)| name)
        {
            suite.case(format!("{commit}, {name}"), Ok(skip(INTERMEDIATE)));
        }
    }
    let entries = if document.get("history").is_some() { document.get("META") } else { Some(document) };
    for (name, entry) in entries.and_then(Value::as_object).into_iter().flatten() {
        suite.group(name);
        for (key, value) in entry.as_object().into_iter().flatten() {
            let counts = match key.as_str() {
                "single" | "nistkat-sha256" => 1,
                "all" => 100,
                "testvectors-sha256" => {
                    let history = document.get("history").is_some();
                    suite.case(key, Ok(skip(if history { INTERMEDIATE } else { OTHER_GENERATOR })));
                    continue;
                }
                _ => continue,
            };
            suite.case(key, entry_case(name, key, counts, value));
        }
    }
    Ok(suite)
}

/// The schemes that a name in a manifest may mean, the likeliest last. Lists went on calling ML-DSA Dilithium2.
fn schemes(name: &str) -> Vec<Scheme> {
    let names: &[&str] = match name {
        "2" | "dilithium2" | "Dilithium2" => &["Dilithium2", "ML-DSA-44"],
        "3" | "dilithium3" | "Dilithium3" => &["Dilithium3", "ML-DSA-65"],
        "5" | "dilithium5" | "Dilithium5" => &["Dilithium5", "ML-DSA-87"],
        _ => match name.strip_prefix("sphincs-") {
            Some(set) => return Scheme::by_name(&format!("SPHINCS+-{set}")).into_iter().collect(),
            None => &[name],
        },
    };
    names.iter().filter_map(|name| Scheme::by_name(name)).collect()
}

fn entry_case(name: &str, key: &str, counts: usize, value: &Value) -> Result<Check, Malformed> {
    let wrong = || Malformed::new(format!("{name}, {key}"), "the digest is not 32 bytes in hexadecimal");
    let digest = value.as_str().and_then(|text| hex::decode(text).ok()).filter(|digest| digest.len() == 32);
    let published = Expected::Sha256(digest.ok_or_else(wrong)?);
    let schemes = schemes(name);
    if schemes.is_empty() {
        return Ok(skip(format!("{name} is not offered")));
    }
    Ok(regenerated(schemes, counts, None, published))
}

/// The file of one of these schemes has the digest.
fn regenerated(
    schemes: Vec<Scheme>,
    counts: usize,
    title: Option<&'static str>,
    published: Expected,
) -> Check {
    check(move || {
        let mut verdict = Ok(());
        for scheme in schemes {
            let text = kat::regenerate(scheme, counts, title).map_err(failed)?;
            verdict = published.check("the KAT file", text.as_bytes());
            if verdict.is_ok() {
                break;
            }
        }
        verdict
    })
}
