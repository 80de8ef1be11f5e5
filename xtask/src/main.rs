//! Every chore of the repository.
use std::process::Command;

fn main() -> anyhow::Result<()> {
    let status = Command::new("cargo").args(["test", "--release", "--workspace"]).status()?;
    std::process::exit(status.code().unwrap_or(1));
}
