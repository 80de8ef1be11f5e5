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
    /// Name of the program.
    program: &'static str,
    profile: &'static str,
    /// Arguments that choose features.
    features: &'static [&'static str],
}

/// All of them: README.md of the folder says what for.
const BUILDS: &[Build] = &[
    Build { name: "stm32f407", program: "stm32f407", profile: "release", features: &[] },
    Build { name: "stm32f407-size", program: "stm32f407", profile: "size", features: &[] },
    Build {
        name: "stm32f407-unoptimised-ml-dsa",
        program: "stm32f407",
        profile: "unoptimised",
        features: &["--no-default-features", "--features", "ml-dsa"],
    },
    Build {
        name: "stm32f407-unoptimised-ml-dsa-1024k",
        program: "stm32f407",
        profile: "unoptimised",
        features: &["--no-default-features", "--features", "ml-dsa,imaginary-sram"],
    },
    Build {
        name: "stm32f407-unoptimised-slh-dsa",
        program: "stm32f407",
        profile: "unoptimised",
        features: &["--no-default-features", "--features", "slh-dsa"],
    },
    Build {
        name: "conformance",
        program: "conformance",
        profile: "release",
        features: &["--no-default-features", "--features", "conformance"],
    },
];

/// Where the ELF files go.
pub fn directory() -> PathBuf {
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
            .args(["build", "--quiet", "--bin", build.program, "--profile", build.profile])
            .args(build.features);
        shell::run(&mut cargo)?;
        let built = bare_metal::target_directory().join(CORTEX_M4).join(build.profile).join(build.program);
        let elf = directory().join(build.name).with_extension("elf");
        fs::copy(&built, &elf).with_context(|| format!("cannot copy {}", built.display()))?;
        println!("{}", elf.display());
    }
    Ok(())
}
