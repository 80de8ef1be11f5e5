//! What a fresh machine lacks: found out, installed where that can be done, and otherwise named in one line.
use anyhow::{Context, Result, bail};
use std::process::Command;

use crate::{repository, shell};

/// A program on `PATH` and the Debian package that brings it.
pub struct Program {
    pub name: &'static str,
    pub package: &'static str,
}

/// Drives Chromium, which its package brings too.
pub const CHROMEDRIVER: Program = Program { name: "chromedriver", package: "chromium-driver" };
pub const CC: Program = Program { name: "cc", package: "gcc" };
pub const CXX: Program = Program { name: "c++", package: "g++" };
pub const MAKE: Program = Program { name: "make", package: "make" };
pub const GDB: Program = Program { name: "gdb-multiarch", package: "gdb-multiarch" };
pub const PERL: Program = Program { name: "perl", package: "perl" };
pub const TCL: Program = Program { name: "tclsh", package: "tcl" };
pub const VERILATOR: Program = Program { name: "verilator", package: "verilator" };

/// What the verilated fabric is built with: Verilator, a C++ compiler, and zlib for waveforms.
///
/// # Errors
/// As of [`require`].
pub fn simulation() -> Result<()> {
    require(&[VERILATOR, CXX])?;
    if std::path::Path::new("/usr/include/zlib.h").exists() {
        Ok(())
    } else {
        install_packages(&["zlib1g-dev"])
    }
}

/// Makes sure that all of `programs` are there.
///
/// # Errors
/// Some are missing and could not be installed; the error is the line that would install them.
pub fn require(programs: &[Program]) -> Result<()> {
    let missing: Vec<_> =
        programs.iter().filter(|p| shell::find(p.name).is_none()).map(|p| p.package).collect();
    if missing.is_empty() { Ok(()) } else { install_packages(&missing) }
}

/// Installs Debian packages: as root, or through a `sudo` that asks for no password.
///
/// # Errors
/// That is not possible or fails; the error is the line that would install them.
pub fn install_packages(packages: &[&str]) -> Result<()> {
    let by_hand = format!("missing: {0}\n  sudo apt-get install {0}", packages.join(" "));
    let prefix: &[&str] = if shell::find("apt-get").is_none() {
        bail!(by_hand);
    } else if is_root() {
        &[]
    } else if Command::new("sudo").args(["-n", "true"]).output().is_ok_and(|o| o.status.success()) {
        &["sudo", "-n"]
    } else {
        bail!(by_hand);
    };
    let apt_get = |arguments: &[&str]| {
        let mut words = prefix.iter().chain(&["apt-get", "-q", "-y"]).chain(arguments);
        let mut command = Command::new(words.next().expect("at least apt-get"));
        command.args(words).env("DEBIAN_FRONTEND", "noninteractive");
        command
    };
    println!("Installing {}", packages.join(" "));
    // The lists of a new machine are empty or old, so they are brought up to date first.
    shell::output(&mut apt_get(&["update"]))
        .and_then(|_| shell::output(apt_get(&["install", "--no-install-recommends"]).args(packages)))
        .map(drop)
        .context(by_hand)
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    // The owner of one's own entry in /proc is the effective user.
    std::fs::metadata("/proc/self").is_ok_and(|m| m.uid() == 0)
}

/// A cargo subcommand from the registry, built once into the tools folder. Gives the folder to put on `PATH`.
pub fn cargo_install(package: &str, version: &str) -> Result<std::path::PathBuf> {
    let root = repository::tools().join(format!("{package}-{version}"));
    let bin = root.join("bin");
    if !bin.join(package).exists() {
        shell::run(
            shell::cargo()
                .args(["install", "--quiet", "--locked", "--version", version, "--root"])
                .arg(&root)
                .arg(package),
        )?;
    }
    Ok(bin)
}
