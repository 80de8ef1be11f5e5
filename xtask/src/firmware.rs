//! The firmware for the boards, in the builds that the lab and the tests of the virtual boards run.
use anyhow::{Context, Result};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::bare_metal::{self, CORTEX_A9, CORTEX_M4, Compiler};
use crate::{repository, shell};

#[derive(clap::Args, Default)]
pub struct Arguments {
    /// Look at format and lints instead
    #[arg(long)]
    pub check: bool,
    /// Build only what the study runs
    #[arg(long, conflicts_with = "check")]
    pub study: bool,
}

/// A folder of programs for a board.
struct Folder {
    /// Under `firmware`.
    name: &'static str,
    target: &'static str,
    builds: &'static [Build],
}

/// A build of a program.
struct Build {
    /// Name of the ELF file without its extension.
    name: &'static str,
    /// Name of the program.
    program: &'static str,
    profile: &'static str,
    /// Arguments that choose features.
    features: &'static [&'static str],
    /// The study runs it.
    study: bool,
}

/// All of them: README.md of each folder says what for.
const FOLDERS: [Folder; 2] = [
    Folder { name: "stm32f407", target: CORTEX_M4, builds: STM32F407 },
    Folder { name: "zynq7000", target: CORTEX_A9, builds: ZYNQ7000 },
];

const STM32F407: &[Build] = &[
    Build { name: "stm32f407", program: "stm32f407", profile: "release", features: &[], study: true },
    Build {
        name: "stm32f407-classical",
        program: "stm32f407",
        profile: "release",
        features: &["--no-default-features", "--features", "classical"],
        study: true,
    },
    Build { name: "stm32f407-size", program: "stm32f407", profile: "size", features: &[], study: true },
    Build {
        name: "stm32f407-slh-dsa",
        program: "stm32f407",
        profile: "release",
        features: &["--no-default-features", "--features", "slh-dsa"],
        study: true,
    },
    Build {
        name: "stm32f407-unoptimised-ml-dsa",
        program: "stm32f407",
        profile: "unoptimised",
        features: &["--no-default-features", "--features", "ml-dsa"],
        study: true,
    },
    Build {
        name: "stm32f407-unoptimised-ml-dsa-1024k",
        program: "stm32f407",
        profile: "unoptimised",
        features: &["--no-default-features", "--features", "ml-dsa,imaginary-sram"],
        study: true,
    },
    Build {
        name: "stm32f407-unoptimised-slh-dsa",
        program: "stm32f407",
        profile: "unoptimised",
        features: &["--no-default-features", "--features", "sphincs-plus"],
        study: true,
    },
    Build {
        name: "conformance",
        program: "conformance",
        profile: "release",
        features: &["--no-default-features", "--features", "conformance"],
        study: false,
    },
];

const ZYNQ7000: &[Build] = &[
    Build { name: "zynq7000", program: "zynq7000", profile: "release", features: &[], study: true },
    Build {
        name: "zynq7000-ocm",
        program: "zynq7000",
        profile: "size",
        features: &["--no-default-features", "--features", "ocm"],
        study: false,
    },
    Build { name: "zynq7000-hello", program: "hello", profile: "release", features: &[], study: false },
];

/// Where the ELF files go.
pub fn directory() -> PathBuf {
    repository::target().join("firmware")
}

pub fn run(arguments: &Arguments) -> Result<()> {
    fs::create_dir_all(directory())?;
    for folder in &FOLDERS {
        let compiler = Compiler::for_target(folder.target)?;
        println!("{}: {}", folder.name, compiler.version()?);
        if arguments.check {
            folder.check(&compiler)?;
        } else {
            folder.build(&compiler, arguments.study)?;
        }
    }
    Ok(())
}

impl Folder {
    /// Makes the ELF files: all of them, or those of the study.
    fn build(&self, compiler: &Compiler, study: bool) -> Result<()> {
        for build in self.builds.iter().filter(|build| build.study || !study) {
            let mut cargo = self.inside(compiler.cargo(self.target));
            cargo
                .args(["build", "--quiet", "--bin", build.program, "--profile", build.profile])
                .args(build.features);
            shell::run(&mut cargo)?;
            let built = bare_metal::target_directory().join(self.target).join(build.profile);
            let elf = directory().join(build.name).with_extension("elf");
            fs::copy(built.join(build.program), &elf)
                .with_context(|| format!("cannot copy {}", built.join(build.program).display()))?;
            println!("{}", elf.display());
        }
        Ok(())
    }

    /// Format and lints.
    fn check(&self, compiler: &Compiler) -> Result<()> {
        shell::run(self.inside(shell::cargo()).args(["fmt", "--check"]))?;
        let mut clippy = self.inside(compiler.clippy(self.target)?);
        shell::run(clippy.args(["--quiet", "--release", "--", "-D", "warnings"]))
    }

    /// The command in this folder, whose .cargo/config.toml has the target and the linker's arguments.
    fn inside(&self, mut command: Command) -> Command {
        command.current_dir(repository::root().join("firmware").join(self.name));
        command
    }
}
