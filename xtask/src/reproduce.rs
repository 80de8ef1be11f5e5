//! The study on the virtual boards: builds what it needs, and hands over to `pqsoc reproduce`.
use anyhow::{Context, Result, ensure};
use clap::Args;
use std::path::PathBuf;

use crate::{firmware, repository, setup, shell};

/// What is passed on.
#[derive(Args)]
pub struct Arguments {
    /// Run every set to the end: hours
    #[arg(long, conflicts_with = "quick")]
    full: bool,
    /// A few runs of what is short: to see that everything works
    #[arg(long)]
    quick: bool,
    /// Measure everything anew
    #[arg(long)]
    no_cache: bool,
    /// Where results and report go [default: target/reproduce]
    #[arg(long)]
    out: Option<PathBuf>,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    setup::require(&[setup::CC])?;
    // The fabric's build looks for its tools once; without them the report says so and has the rest.
    if let Err(error) = setup::simulation() {
        eprintln!("xtask: the fabric cannot be simulated: {error:#}");
    }
    // Much of a build of firmware is one long step, so the program is built meanwhile.
    let mut build = shell::cargo();
    build.args(["build", "--quiet", "--release", "--package", "pqsoc"]);
    let mut program = build.spawn().with_context(|| format!("cannot start {}", shell::display(&build)))?;
    // Without the firmware nothing can be measured, but the report says so and shows what is published.
    if let Err(error) = firmware::run(&firmware::Arguments { study: true, ..Default::default() }) {
        eprintln!("xtask: the firmware cannot be built: {error:#}");
    }
    let status = program.wait()?;
    ensure!(status.success(), "{status}: {}", shell::display(&build));
    let mut reproduce = shell::cargo();
    reproduce.args(["run", "--quiet", "--release", "--package", "pqsoc", "--", "reproduce"]);
    reproduce.arg("--firmware").arg(firmware::directory());
    let out = arguments.out.clone().unwrap_or_else(|| repository::target().join("reproduce"));
    reproduce.arg("--out").arg(std::path::absolute(out)?);
    for (flag, given) in
        [("--full", arguments.full), ("--quick", arguments.quick), ("--no-cache", arguments.no_cache)]
    {
        reproduce.args(given.then_some(flag));
    }
    if let Some(commit) = repository::commit() {
        reproduce.env("PQSOC_COMMIT", commit);
    }
    shell::run(&mut reproduce)
}
