//! Every published key file: other implementations' keys in all encodings, certificates, requests.
//!
//! The files lie beside the repository, or where PQSOC_VECTORS says; without them there is nothing to do here.
use pqsoc_keyfile::{Certificate, Error, Inconsistency, Kind, Legacy, PrivateKey, PublicKey, documents};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// The folder of the key files, if it is there.
fn folder() -> Option<PathBuf> {
    let vectors = match std::env::var_os("PQSOC_VECTORS") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors"),
    };
    let keys = vectors.join("x509");
    keys.is_dir().then_some(keys)
}

/// All files under a folder, with their paths below it.
fn files(folder: &Path, below: &str, out: &mut Vec<(String, Vec<u8>)>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()).collect();
    entries.sort_by_key(fs::DirEntry::path);
    for entry in entries {
        let name = format!("{below}{}", entry.file_name().to_str().unwrap());
        if entry.path().is_dir() {
            files(&entry.path(), &format!("{name}/"), out);
        } else {
            out.push((name, fs::read(entry.path()).unwrap()));
        }
    }
}

/// What a file should turn out to be, by its name.
fn expected(name: &str) -> Option<Result<Kind, Error>> {
    let legacy = |legacy| Some(Err(Error::Legacy { legacy }));
    let inconsistent = |reason| Some(Err(Error::Inconsistent(reason)));
    let (folder, file) = name.split_once('/')?;
    if file.ends_with(".txt") || file.ends_with(".asn") {
        return None; // dumps and ASN.1 modules
    }
    let is = |part| file.contains(part);
    match folder {
        "rfc9881" if is("bad-") && is("-1.") => inconsistent(Inconsistency::Seed),
        "rfc9881" if is("bad-") && is("-2.") => inconsistent(Inconsistency::Tr),
        "rfc9881" if is("bad-") && is("-3.") => inconsistent(Inconsistency::T0),
        "openssl-codecs" if is("bare-seed") => legacy(Legacy::BareSeed),
        "openssl-codecs" if is("bare-priv") => legacy(Legacy::BareExpanded),
        "openssl-codecs" if is("oqskeypair") => legacy(Legacy::OqsKeyPair),
        "openssl-certs" if is("server-ml-dsa-44-key") => legacy(Legacy::BareExpanded),
        "hackathon-botan" if is("ml-dsa") && is("_priv") => legacy(Legacy::BareSeed),
        "rfc9882-cms" => Some(Ok(Kind::Cms)),
        "aws-lc" => Some(Ok(Kind::Request)),
        _ if is("priv") || is("prv") || is("sm_") => Some(Ok(Kind::PrivateKey)),
        _ if is(".pub") || is("_pub") || is("pub-") => Some(Ok(Kind::PublicKey)),
        _ => Some(Ok(Kind::Certificate)),
    }
}

/// What the first document of a file is, with all checks; and its public key.
fn read(file: &[u8]) -> Result<(Kind, Option<PublicKey>), Error> {
    let document = documents(file)?.remove(0);
    let kind = Kind::of(&document)?;
    let key = match kind {
        Kind::PrivateKey => Some(PrivateKey::from_file(file)?.check()?.public),
        Kind::PublicKey | Kind::Certificate => Some(PublicKey::from_file(file)?),
        Kind::Request => Some(Certificate::from_request(&document.der)?.public_key()?),
        _ => None,
    };
    Ok((kind, key))
}

#[test]
fn published_files() {
    let Some(folder) = folder() else {
        println!("skipped: the published key files are not there");
        return;
    };
    let mut all = Vec::new();
    files(&folder, "", &mut all);
    let mut checked = 0;
    // Files of one provider and one parameter set are of one key: seed, expanded, both, public, certificate.
    let mut keys: BTreeMap<String, (String, PublicKey)> = BTreeMap::new();
    for (name, file) in &all {
        let Some(expected) = expected(name) else { continue };
        let found = read(file);
        assert_eq!(found.clone().map(|(kind, _)| kind), expected, "{name}");
        checked += 1;
        // The other folders hold several keys of a set.
        if let Ok((_, Some(key))) = found
            && ["rfc9881", "rfc9909", "openssl-codecs", "hackathon"]
                .iter()
                .any(|folder| name.starts_with(folder))
        {
            let group = format!("{} {}", name.split('/').next().unwrap(), key.algorithm());
            let (other, same) = keys.entry(group).or_insert_with(|| (name.clone(), key.clone()));
            assert_eq!(key, *same, "{name} and {other}");
        }
    }
    println!("{checked} files, {} keys in several files", keys.len());
    assert!(checked >= 100, "only {checked} files");
}

/// Two documents in one file belong together: key and certificate.
#[test]
fn keys_with_their_certificates() {
    let Some(folder) = folder() else {
        println!("skipped: the published key files are not there");
        return;
    };
    for name in
        ["sm_mldsa44.pem", "sm_slhdsa_sha2_128s.pem", "sm_slhdsa_shake_128s.pem", "sm_slhdsa_shake_256s.pem"]
    {
        let file = fs::read(folder.join("openssl-certs").join(name)).unwrap();
        let key = PrivateKey::from_file(&file).unwrap().key_pair().unwrap().public;
        for document in documents(&file).unwrap() {
            if Kind::of(&document).unwrap() == Kind::Certificate {
                assert_eq!(
                    Certificate::from_der(&document.der).unwrap().public_key().unwrap(),
                    key,
                    "{name}"
                );
            }
        }
    }
}
