//! Runs the targets of `fuzz/` with `cargo fuzz`.
use anyhow::{Context, Result, bail};
use std::process::Command;

use crate::{repository, setup, shell};

const CARGO_FUZZ: &str = "0.13.2";

#[derive(clap::Args)]
pub struct Arguments {
    /// Run only the targets whose name contains this
    target: Option<String>,
    /// How long each target runs
    #[arg(long, default_value_t = 10)]
    seconds: u32,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    setup::require(&[setup::CC, setup::CXX])?;
    let bin = setup::cargo_install("cargo-fuzz", CARGO_FUZZ)?;
    let wanted = |name: &String| arguments.target.as_ref().is_none_or(|part| name.contains(part));
    let targets: Vec<_> = targets()?.into_iter().filter(wanted).collect();
    if targets.is_empty() {
        bail!("no such target in fuzz/fuzz_targets");
    }
    for target in &targets {
        println!("fuzz {target}");
        // What the run finds goes beside what it builds; the corpus under version control is only read.
        let found = repository::target().join("fuzz-corpus").join(target);
        std::fs::create_dir_all(&found)?;
        let kept = repository::root().join("fuzz/corpus").join(target);
        std::fs::create_dir_all(&kept)?;
        // The toolchain is the stable one: no sanitizer, which needs a nightly compiler and would find little in
        // safe Rust; overflow checks and debug assertions are on. Called as cargo would call it.
        let mut command = Command::new(bin.join("cargo-fuzz"));
        command
            .current_dir(repository::root())
            .args(["fuzz", "run", "--sanitizer", "none", "--fuzz-dir", "fuzz"])
            .arg(target)
            .args([&found, &kept])
            .args(examples(target).map(|folder| repository::root().join(folder)))
            .args(["--", "-print_final_stats=1"])
            .arg(format!("-max_total_time={}", arguments.seconds));
        shell::run(&mut command).with_context(|| format!("fuzz target {target}"))?;
    }
    Ok(())
}

/// Files of the kind that a target reads, kept elsewhere for other tests.
fn examples(target: &str) -> Option<&'static str> {
    match target {
        "key_files" => Some("crates/keyfile/data"),
        "vector_files" => Some("crates/vectors/data"),
        _ => None,
    }
}

/// The names of the targets, in alphabetical order.
fn targets() -> Result<Vec<String>> {
    let directory = repository::root().join("fuzz/fuzz_targets");
    let mut names = Vec::new();
    for entry in
        std::fs::read_dir(&directory).with_context(|| format!("cannot read {}", directory.display()))?
    {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "rs") {
            names.extend(path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned));
        }
    }
    names.sort();
    Ok(names)
}
