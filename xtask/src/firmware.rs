//! The firmware for the boards, in the builds that the lab and the tests of the virtual boards run.
use anyhow::{Context, Result};
use std::fs;
use std::path::PathBuf;

use crate::bare_metal::{self, CORTEX_M4, Compiler};
use crate::{repository, shell};

/// A build of `firmware/stm32f407`.
struct Build {
    /// Name of the ELF file without its extension.
    name: &'static str,
    profile: &'static str,
    /// Arguments that choose features.
    features: &'static [&'static str],
}

/// All of them.
const BUILDS: &[Build] = &[
    Build { name: "stm32f407", profile: "release", features: &[] },
    // The study's way: reference code, nothing optimised.
    Build { name: "stm32f407-unoptimised", profile: "unoptimised", features: &["--no-default-features"] },
    // The same with room for any stack, to see how much it needs.
    Build {
        name: "stm32f407-unoptimised-1024k",
        profile: "unoptimised",
        features: &["--no-default-features", "--features", "imaginary-sram"],
    },
];

/// Where the ELF files go.
fn directory() -> PathBuf {
    repository::target().join("firmware")
}

pub fn run() -> Result<()> {
    let compiler = Compiler::for_target(CORTEX_M4)?;
    println!("{}", compiler.version()?);
    let folder = repository::root().join("firmware/stm32f407");
    fs::create_dir_all(directory())?;
    for build in BUILDS {
        let mut cargo = compiler.cargo(CORTEX_M4);
        // Its own .cargo/config.toml has the linker's arguments.
        cargo
            .current_dir(&folder)
            .args(["build", "--quiet", "--profile", build.profile])
            .args(build.features);
        shell::run(&mut cargo)?;
        let built = bare_metal::target_directory().join(CORTEX_M4).join(build.profile).join("stm32f407");
        let elf = directory().join(build.name).with_extension("elf");
        fs::copy(&built, &elf).with_context(|| format!("cannot copy {}", built.display()))?;
        println!("{}", elf.display());
    }
    Ok(())
}
