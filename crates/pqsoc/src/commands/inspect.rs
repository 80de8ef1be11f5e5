//! `pqsoc inspect`.
use crate::{
    cli::Inspect,
    failure::{Code, Failure, name, say},
    files::read_small,
    policy::Policy,
    report::{self, Row},
    signing,
};
use pqsoc_keyfile::{Algorithm, Bare, Certificate, Document, Kind, PrivateKey, PublicKey, Sizes, documents};
use serde::Serialize;
use std::io::{self, Write};

/// What a document in a file is.
#[derive(Serialize)]
struct Finding {
    file: String,
    /// What it is, in words.
    what: String,
    /// `PEM, line 3`, `DER`, or nothing for bytes without structure.
    encoding: Option<String>,
    algorithm: Option<&'static str>,
    oid: Option<String>,
    /// Of an ML-DSA private key: seed, expanded or both.
    form: Option<&'static str>,
    /// In bytes, of the algorithm.
    private_key_bytes: Option<usize>,
    public_key_bytes: Option<usize>,
    signature_bytes: Option<usize>,
    /// SHA-256 of the key's SubjectPublicKeyInfo.
    key_sha256: Option<String>,
    subject: Option<String>,
    issuer: Option<String>,
    not_before: Option<String>,
    not_after: Option<String>,
    /// Who made the signature of a certificate or request, and with what.
    signed: Option<String>,
    problems: Vec<String>,
    /// Why the policy forbids it.
    policy: Option<String>,
}

impl Row for Finding {
    const SCHEMA: &'static str = "pqsoc-inspect/1";

    fn human(rows: &[Self], out: &mut dyn Write) -> io::Result<()> {
        for row in rows {
            writeln!(out, "{}: {}", row.file, row.what)?;
            let mut line = |label: &str, value: Option<String>| match value {
                Some(value) => writeln!(out, "  {label:<12} {value}"),
                None => Ok(()),
            };
            line("encoding", row.encoding.clone())?;
            let oid = row.oid.as_ref().map_or(String::new(), |oid| format!(" ({oid})"));
            line("algorithm", row.algorithm.map(|algorithm| format!("{algorithm}{oid}")))?;
            line("form", row.form.map(String::from))?;
            let sizes = row.private_key_bytes.zip(row.public_key_bytes).zip(row.signature_bytes);
            line(
                "sizes",
                sizes.map(|((private, public), signature)| {
                    format!("private key {private}, public key {public}, signature {signature} bytes")
                }),
            )?;
            line(
                "fingerprint",
                row.key_sha256.as_ref().map(|hash| format!("SHA-256 of the public key {hash}")),
            )?;
            line("subject", row.subject.clone())?;
            line("issuer", row.issuer.clone())?;
            let validity = row.not_before.as_ref().zip(row.not_after.as_ref());
            line("valid", validity.map(|(from, to)| format!("{from} to {to}")))?;
            line("signed", row.signed.clone())?;
            for problem in &row.problems {
                line("PROBLEM", Some(problem.clone()))?;
            }
            line("POLICY", row.policy.clone())?;
        }
        Ok(())
    }
}

pub fn run(options: &Inspect, policy: Policy) -> Result<(), Failure> {
    let mut findings = Vec::new();
    let mut unreadable = false;
    for path in &options.files {
        match read_small(path) {
            Ok(bytes) => findings.extend(inspect(&name(path, "standard input"), &bytes, policy)),
            Err(failure) => {
                failure.report();
                unreadable = true;
            }
        }
    }
    report::print(options.format, &findings)?;
    let wrong = findings.iter().filter(|finding| !finding.problems.is_empty()).count();
    if let Some(finding) = findings.iter().find(|finding| finding.policy.is_some()) {
        say(format_args!("{}: {}", finding.file, finding.policy.as_deref().unwrap_or_default()));
        return Err(Failure::silent(Code::Policy));
    }
    if unreadable || wrong > 0 { Err(Failure::silent(Code::Format)) } else { Ok(()) }
}

/// What is in a file: a finding for each document, or one for the whole.
fn inspect(file: &str, bytes: &[u8], policy: Policy) -> Vec<Finding> {
    let documents = match documents(bytes) {
        Ok(documents) => documents,
        Err(error) => {
            let finding = Finding::new(file, "");
            return vec![match Bare::of(bytes) {
                Some(bare) => Finding { what: bare.to_string(), ..finding },
                None => Finding {
                    what: "no key, certificate or signature".into(),
                    problems: vec![match bytes.len() {
                        0 => error.to_string(),
                        len => format!("{error} ({len} bytes)"),
                    }],
                    ..finding
                },
            }];
        }
    };
    documents.iter().map(|document| inspect_document(file, document, policy)).collect()
}

fn inspect_document(file: &str, document: &Document, policy: Policy) -> Finding {
    let mut finding = Finding::new(file, "");
    finding.encoding = Some(match &document.label {
        Some(label) => format!("PEM ({label}), line {}", document.line),
        None => "DER".into(),
    });
    let kind = match Kind::of(document) {
        Ok(kind) => kind,
        Err(error) => {
            finding.what = "contradictory".into();
            finding.problems.push(error.to_string());
            return finding;
        }
    };
    finding.what = kind.to_string();
    let outcome = match kind {
        Kind::PrivateKey => finding.private_key(&document.der, policy),
        Kind::PublicKey => PublicKey::from_der(&document.der).map(|key| finding.key(&key, policy)),
        Kind::Certificate => Certificate::from_der(&document.der).map(|c| finding.certificate(&c, policy)),
        Kind::Request => Certificate::from_request(&document.der).map(|c| finding.certificate(&c, policy)),
        Kind::EncryptedPrivateKey | Kind::TraditionalKey | Kind::RevocationList | Kind::Cms | Kind::Other => {
            Ok(())
        }
    };
    if let Err(error) = outcome {
        finding.problems.push(error.to_string());
    }
    finding
}

impl Finding {
    fn new(file: &str, what: &str) -> Self {
        Self {
            file: file.into(),
            what: what.into(),
            encoding: None,
            algorithm: None,
            oid: None,
            form: None,
            private_key_bytes: None,
            public_key_bytes: None,
            signature_bytes: None,
            key_sha256: None,
            subject: None,
            issuer: None,
            not_before: None,
            not_after: None,
            signed: None,
            problems: Vec::new(),
            policy: None,
        }
    }

    fn algorithm(&mut self, algorithm: Algorithm, policy: Policy) {
        let Sizes { private, public, signature, .. } = algorithm.sizes();
        self.algorithm = Some(algorithm.name());
        self.oid = Some(algorithm.oid().to_string());
        self.private_key_bytes = Some(private);
        self.public_key_bytes = Some(public);
        self.signature_bytes = Some(signature);
        self.policy = policy.objection(algorithm.set(), algorithm.pre_hash());
    }

    fn key(&mut self, key: &PublicKey, policy: Policy) {
        self.algorithm(key.algorithm(), policy);
        self.key_sha256 = Some(hex::encode(key.fingerprint()));
    }

    fn private_key(&mut self, der: &[u8], policy: Policy) -> Result<(), pqsoc_keyfile::Error> {
        let key = PrivateKey::from_der(der)?;
        self.algorithm(key.algorithm(), policy);
        self.form = key.form().map(pqsoc_keyfile::Form::name);
        self.key(&key.check()?.public, policy);
        Ok(())
    }

    fn certificate(&mut self, certificate: &Certificate, policy: Policy) {
        self.subject = Some(certificate.subject.clone());
        self.issuer.clone_from(&certificate.issuer);
        if let Some([from, to]) = &certificate.validity {
            (self.not_before, self.not_after) = (Some(from.clone()), Some(to.clone()));
        }
        let key = certificate.public_key();
        match &key {
            Ok(key) => self.key(key, policy),
            Err(error) => self.problems.push(format!("its key: {error}")),
        }
        let algorithm = match &certificate.signature_algorithm {
            Ok(algorithm) => algorithm,
            Err(error) => return self.problems.push(format!("its signature: {error}")),
        };
        self.policy = self.policy.take().or_else(|| policy.objection(algorithm.set(), algorithm.pre_hash()));
        self.signed = Some(match key {
            Ok(key) if certificate.is_self_signed() => {
                let message = &certificate.signed;
                if key.algorithm() == *algorithm
                    && signing::verify_bytes(&key, message, &certificate.signature)
                {
                    format!("with its own key ({algorithm}), and the signature is good")
                } else {
                    self.problems.push("the signature, by its own key, is not good".into());
                    format!("with its own key ({algorithm})")
                }
            }
            _ => format!("by its issuer with {algorithm}; not checked here"),
        });
    }
}
