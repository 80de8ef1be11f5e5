//! Published forms, each told by its content.
pub(crate) mod acvp;
mod acvp_hash;
mod botan;
mod cavp;
mod cctv;
mod kat;
mod manifest;
mod rejection;
mod wycheproof;
mod xkcp;

use crate::{
    Options,
    suite::{Malformed, Suite},
    text,
};
use acvp::Part;
use serde_json::Value;

/// What a file is.
pub(crate) enum Reading {
    /// Cases to run.
    Suite(Suite),
    /// Half of an ACVP set.
    Half(Part, Value),
    /// Something else, in words.
    Other(&'static str),
}

/// Tells what a file is and reads it. `name` is the file's, for what the content does not say.
pub(crate) fn read(bytes: &[u8], name: &str, options: &Options) -> Result<Reading, Malformed> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let Ok(text) = std::str::from_utf8(bytes) else {
        // An ASN.1 SEQUENCE: all key files and certificates are one.
        let der = bytes.first() == Some(&0x30);
        return Ok(Reading::Other(if der { KEY_FILE } else { "not a known form of vectors: binary data" }));
    };
    let start = text.trim_start();
    if start.is_empty() {
        return Ok(Reading::Other("an empty file"));
    }
    if start.starts_with('{') || start.starts_with('[') && !name.ends_with(".rsp") && is_json_list(start) {
        let document = serde_json::from_str(text).map_err(|error| {
            let place = format!("line {}, column {}", error.line(), error.column());
            Malformed::new(place, format!("not JSON: {}", message_of(&error)))
        })?;
        return json(document, name, options);
    }
    if start.starts_with("-----BEGIN ") {
        return Ok(Reading::Other(KEY_FILE));
    }
    plain(start, name, options)
}

/// What is said of files that the key-file commands read.
const KEY_FILE: &str = "a key, certificate or CMS file, not vectors; `pqsoc inspect` reads it";

/// A `[section]` of a text begins like a list of JSON.
fn is_json_list(text: &str) -> bool {
    let inside = text.trim_start_matches('[').trim_start();
    inside.starts_with(['{', '"', ']']) || inside.is_empty()
}

/// The complaint without its place, which serde_json appends.
fn message_of(error: &serde_json::Error) -> String {
    let all = error.to_string();
    all.split(" at line ").next().unwrap_or(&all).to_owned()
}

fn json(document: Value, name: &str, options: &Options) -> Result<Reading, Malformed> {
    let suite = if wycheproof::recognise(&document) {
        wycheproof::read(&document, name)
    } else if let Some(set) = acvp::find(&document) {
        return match acvp::part(set) {
            Part::Whole => acvp::read_set(set, options).map(Reading::Suite),
            half => Ok(Reading::Half(half, set.clone())),
        };
    } else if kat::recognise(&document) {
        kat::read(&document, name)
    } else if rejection::recognise(&document) {
        rejection::read(&document)
    } else if cctv::recognise_accumulated(&document) {
        cctv::read_accumulated(&document, options)
    } else if cctv::recognise_messages(&document) {
        cctv::read_messages(&document, name)
    } else if manifest::recognise(&document) {
        manifest::read(&document)
    } else if document.get("$schema").is_some() || document.get("properties").is_some() {
        return Ok(Reading::Other("a JSON schema, not vectors"));
    } else if ["algorithm", "disposition"].iter().any(|key| document.get(key).is_some()) {
        return Ok(Reading::Other("a registration or validation of ACVP, not vectors"));
    } else {
        return Ok(Reading::Other("not a known form of vectors: JSON of another kind"));
    };
    suite.map(Reading::Suite)
}

fn plain(text: &str, name: &str, options: &Options) -> Result<Reading, Malformed> {
    if xkcp::recognise(text) {
        return xkcp::read(text).map(Reading::Suite);
    }
    if manifest::recognise_text(text) {
        return Ok(match manifest::read_text(text, options) {
            Some(suite) => Reading::Suite(suite),
            None => Reading::Other("a list of digests of files, not vectors"),
        });
    }
    let file = text::parse(text);
    let suite = if botan::recognise(&file) {
        botan::read(&file)
    } else if kat::recognise_text(&file) {
        kat::read_text(&file, name)
    } else if cavp::recognise(&file) {
        cavp::read(&file, name)
    } else {
        return Ok(Reading::Other("not a known form of vectors: text of another kind"));
    };
    suite.map(Reading::Suite)
}
