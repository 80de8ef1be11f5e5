//! The `openssl` program of OpenSSL 4: a peer for key files and signatures in tests. Debian 12's own (3.0) knows
//! neither ML-DSA nor SLH-DSA. The source is the one that the package `openssl-src` carries.
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{repository, setup, shell};

/// Where the program is, or will be once [`run`] has built it. Tests get it as `PQSOC_OPENSSL`.
pub fn program() -> PathBuf {
    // "400.0.2+4.0.3": the version of the package, then that of OpenSSL.
    let version = openssl_src::version().split_once('+').map_or(openssl_src::version(), |(_, own)| own);
    repository::tools().join(format!("openssl-{version}/openssl"))
}

/// Builds the program unless it is there already.
pub fn run() -> Result<()> {
    let program = program();
    if !program.exists() {
        setup::require(&[setup::CC, setup::MAKE, setup::PERL])?;
        let home = program.parent().expect("the program has a folder");
        let build = home.join("build");
        std::fs::create_dir_all(&build)?;
        build_in(&build)?;
        // The program is the stamp, so it appears only when all has gone well.
        std::fs::rename(build.join("apps/openssl"), &program)?;
        std::fs::remove_dir_all(&build).context("cannot remove the build tree of OpenSSL")?;
    }
    shell::run(Command::new(&program).arg("version"))?;
    println!("{}", program.display());
    Ok(())
}

fn build_in(build: &Path) -> Result<()> {
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    shell::output(
        Command::new("perl")
            .arg(openssl_src::source_dir().join("Configure"))
            .args(["no-shared", "no-tests", "no-docs", "no-legacy", "no-module"])
            // What tests of keys and signatures do not need takes a third of the time to build.
            .args(["no-cmp", "no-ct", "no-dtls", "no-psk", "no-quic", "no-srp", "no-ts"])
            .env("CFLAGS", "-O1")
            .current_dir(build),
    )?;
    shell::output(Command::new("make").arg(format!("-j{jobs}")).arg("build_programs").current_dir(build))?;
    Ok(())
}
