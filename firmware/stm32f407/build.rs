// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Writes the memory map for cortex-m-rt's linker script, and tells the program how it was built.

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let sram_kb = if env::var_os("CARGO_FEATURE_IMAGINARY_SRAM").is_some() { 1024 } else { 128 };
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(
        out.join("memory.x"),
        format!(
            "MEMORY\n{{\n  FLASH : ORIGIN = 0x08000000, LENGTH = 1M\n  RAM : ORIGIN = 0x20000000, LENGTH = {sram_kb}K\n  \
             CCM : ORIGIN = 0x10000000, LENGTH = 64K\n}}\n\
             SECTIONS\n{{\n  .ccm (NOLOAD) : ALIGN(4)\n  {{\n    *(.ccm .ccm.*);\n  }} > CCM\n}}\n"
        ),
    )?;
    let rustc = Command::new(env::var_os("RUSTC").unwrap_or_default()).arg("--version").output()?;
    println!("cargo:rustc-env=RUSTC_VERSION={}", String::from_utf8_lossy(&rustc.stdout).trim());
    println!("cargo:rustc-env=OPT_LEVEL={}", env::var("OPT_LEVEL").unwrap_or_default());
    println!("cargo:rustc-link-search={}", out.display());
    println!("cargo:rerun-if-changed=build.rs");
    Ok(())
}
