//! `pqsoc verify`.
use super::{distinct, public_key};
use crate::{
    cli::Verify,
    explain::explain,
    failure::{Code, Failure, name},
    files::read_small,
    message::Message,
    policy::Policy,
    report::{self, Format, Row},
    signing::{self, Interface},
};
use serde::Serialize;
use std::io::{self, Write};

/// The result for a signature.
#[derive(Serialize)]
struct Verdict {
    file: String,
    signature: String,
    algorithm: &'static str,
    /// SHA-256 of the key's SubjectPublicKeyInfo.
    key_sha256: String,
    valid: bool,
    /// Mix-ups that make the signature good, when they were asked for.
    explanations: Vec<String>,
}

impl Row for Verdict {
    const SCHEMA: &'static str = "pqsoc-verify/1";

    fn human(rows: &[Self], out: &mut dyn Write) -> io::Result<()> {
        for row in rows {
            if row.valid {
                writeln!(out, "{}: the {} signature is good", row.file, row.algorithm)?;
            }
            for explanation in &row.explanations {
                writeln!(out, "{explanation}")?;
            }
        }
        Ok(())
    }
}

pub fn run(options: &Verify, policy: Policy) -> Result<(), Failure> {
    distinct(&[&options.key, &options.signature, &options.r#in], &[])?;
    let key_name = name(&options.key, "standard input");
    let key = public_key(&options.key)?;
    let interface = Interface::new(&options.interface, &key_name, key.algorithm())?;
    policy.check(&key_name, key.algorithm(), interface.pre_hash())?;
    let signature = read_small(&options.signature)?;
    let message = Message::open(&options.r#in)?;
    if options.explain {
        message.keep()?;
    }
    let valid = signing::verify(&key, interface, &message, &signature)?;
    let explanations =
        if options.explain && !valid { explain(&key, interface, &message, &signature)? } else { Vec::new() };
    let verdict = Verdict {
        file: message.name().to_string(),
        signature: name(&options.signature, "standard input"),
        algorithm: key.algorithm().name(),
        key_sha256: hex::encode(key.fingerprint()),
        valid,
        explanations,
    };
    if !valid && options.format == Format::Human {
        Failure::new(Code::Bad, format_args!("{}: the signature is not good", verdict.signature)).report();
    }
    report::print(options.format, &[verdict])?;
    if valid { Ok(()) } else { Err(Failure::silent(Code::Bad)) }
}
