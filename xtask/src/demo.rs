//! The main job in small: a key, a signature of a real file, its verification, for every ML-DSA set.
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{repository, setup, shell};

const SETS: [&str; 3] = ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"];

#[derive(clap::Args)]
pub struct Arguments {
    /// The file to sign [default: the program itself]
    file: Option<PathBuf>,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    setup::require(&[setup::CC])?;
    shell::run(shell::cargo().args(["build", "--release", "--package", "pqsoc"]))?;
    let program = repository::target().join("release/pqsoc");
    let file = arguments.file.as_ref().unwrap_or(&program);
    let file = file.canonicalize().with_context(|| format!("cannot read {}", file.display()))?;
    let folder = repository::target().join("demo");
    std::fs::create_dir_all(&folder)?;
    println!("In {}, with a file of {} bytes:\n", folder.display(), file.metadata()?.len());

    let pqsoc = |words: String, file: Option<&Path>| {
        let mut command = Command::new(&program);
        command.args(words.split_whitespace()).args(file).current_dir(&folder);
        println!("$ {}", shell::display(&command).replace(&program.display().to_string(), "pqsoc"));
        shell::run(&mut command)
    };
    for set in SETS {
        pqsoc(format!("keygen --algorithm {set} --out {set}.pem --public {set}.pub.pem --force"), None)?;
        pqsoc(format!("sign --key {set}.pem --out {set}.sig --force --in"), Some(&file))?;
        pqsoc(format!("verify --key {set}.pub.pem --signature {set}.sig --in"), Some(&file))?;
        println!();
    }
    table(&program)
}

/// Sizes and times of each set, as `pqsoc speed` measures them on this machine.
fn table(program: &Path) -> Result<()> {
    let json = shell::output(Command::new(program).args(["speed", "--format", "json"]).args(SETS))?;
    let document: serde_json::Value =
        serde_json::from_str(&json).context("pqsoc speed did not print JSON")?;
    ensure!(document["schema"] == "pqsoc-speed/1", "pqsoc speed has the schema {}", document["schema"]);
    let rows = document["rows"].as_array().context("pqsoc speed printed no rows")?;
    println!("              bytes                               us, processor time of one thread");
    println!("set           private key  public key  signature   keygen  sign, mean  sign, median  verify");
    for set in SETS {
        let of = |operation: &str| rows.iter().find(|r| r["algorithm"] == set && r["operation"] == operation);
        let (Some(keygen), Some(sign), Some(verify)) = (of("keygen"), of("sign"), of("verify")) else {
            anyhow::bail!("pqsoc speed did not measure {set}");
        };
        let bytes = |field: &str| keygen[field].as_u64().context("a size is no number");
        let us = |row: &serde_json::Value, field: &str| {
            row[field].as_f64().map(|ns| ns / 1000.0).context("a time is no number")
        };
        println!(
            "{set:14}{:>11}{:>12}{:>11}{:>9.1}{:>12.1}{:>14.1}{:>8.1}",
            bytes("private_key_bytes")?,
            bytes("public_key_bytes")?,
            bytes("signature_bytes")?,
            us(keygen, "median_ns")?,
            us(sign, "mean_ns")?,
            us(sign, "median_ns")?,
            us(verify, "median_ns")?,
        );
    }
    Ok(())
}
