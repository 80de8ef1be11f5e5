// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Chooses the memory that the program lives in, and tells it how it was built.

use std::process::Command;
use std::{env, io};

fn main() -> io::Result<()> {
    let script = if env::var_os("CARGO_FEATURE_OCM").is_some() { "ocm.ld" } else { "ddr.ld" };
    println!("cargo:rustc-link-search={}", env!("CARGO_MANIFEST_DIR"));
    println!("cargo:rustc-link-arg-bins=-T{script}");
    let rustc = Command::new(env::var_os("RUSTC").unwrap_or_default()).arg("--version").output()?;
    println!("cargo:rustc-env=RUSTC_VERSION={}", String::from_utf8_lossy(&rustc.stdout).trim());
    println!("cargo:rustc-env=OPT_LEVEL={}", env::var("OPT_LEVEL").unwrap_or_default());
    for file in ["build.rs", "ddr.ld", "ocm.ld", "sections.ld"] {
        println!("cargo:rerun-if-changed={file}");
    }
    Ok(())
}
