//! Compiling for microcontrollers.
//!
//! Rustup's own toolchain with the target added is the ordinary way. Where rustup cannot download, Debian's
//! `rustc-web` comes with the source of `core` and builds it on the way.
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{repository, setup, shell};

/// Cortex-M4 with its floating-point unit: the STM32F407.
pub const CORTEX_M4: &str = "thumbv7em-none-eabihf";

/// Cortex-A9 with its floating-point unit: the Zynq-7000.
pub const CORTEX_A9: &str = "armv7a-none-eabihf";

/// A compiler that can build for a bare-metal target.
pub enum Compiler {
    /// The toolchain that runs this program; it has `core` for the target.
    Rustup,
    /// Debian's, which builds `core` from source.
    Debian,
}

const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_CARGO: &str = "/usr/bin/cargo";
const DEBIAN_CLIPPY: &str = "/usr/bin/cargo-clippy";
const DEBIAN_CORE: &str = "/usr/lib/rustlib/src/rust/library/core/Cargo.toml";
const DEBIAN_LINKER: &str = "arm-none-eabi-ld";

impl Compiler {
    /// The compiler for `target`; one is installed if there is none.
    ///
    /// # Errors
    /// Neither way is open; the error is the line that would install one.
    pub fn for_target(target: &str) -> Result<Self> {
        if has_core(target) {
            return Ok(Self::Rustup);
        }
        let debian = || {
            Path::new(DEBIAN_RUSTC).exists()
                && Path::new(DEBIAN_CARGO).exists()
                && Path::new(DEBIAN_CORE).exists()
                && shell::find(DEBIAN_LINKER).is_some()
        };
        if debian() {
            return Ok(Self::Debian);
        }
        // Rustup may say that all is well although it has downloaded nothing, hence the second look.
        let added = Command::new("rustup").args(["target", "add", target]).output();
        if added.is_ok_and(|o| o.status.success()) && has_core(target) {
            return Ok(Self::Rustup);
        }
        setup::install_packages(&["rustc-web", "cargo-web", "rust-web-src", "gcc-arm-none-eabi"])
            .with_context(|| format!("rustup target add {target}, or:"))?;
        Ok(Self::Debian)
    }

    /// `cargo` in the root of the repository, ready for a subcommand and `--target target`. What it builds goes to
    /// [`target_directory`], apart from the builds for the host.
    pub fn cargo(&self, target: &str) -> Command {
        self.prepared(target, DEBIAN_CARGO)
    }

    /// `cargo clippy`, as [`cargo`](Self::cargo).
    ///
    /// # Errors
    /// Debian's Clippy is not there and could not be installed; the error is the line that would install it.
    pub fn clippy(&self, target: &str) -> Result<Command> {
        if matches!(self, Self::Debian) && !Path::new(DEBIAN_CLIPPY).exists() {
            setup::install_packages(&["rust-web-clippy"])?;
        }
        // Cargo itself would look for the subcommand in its home first, and find rustup's.
        let mut command = self.prepared(target, DEBIAN_CLIPPY);
        if matches!(self, Self::Debian) {
            command.env("CARGO", DEBIAN_CARGO);
        }
        command.arg("clippy");
        Ok(command)
    }

    fn prepared(&self, target: &str, debian_program: &str) -> Command {
        let mut command = match self {
            Self::Rustup => shell::cargo(),
            Self::Debian => {
                let mut command = Command::new(debian_program);
                let linker = format!("CARGO_TARGET_{}_LINKER", target.to_uppercase().replace('-', "_"));
                command
                    .env("RUSTC", DEBIAN_RUSTC)
                    .env("RUSTC_BOOTSTRAP", "1")
                    .env("CARGO_UNSTABLE_BUILD_STD", "core,alloc")
                    .env(linker, DEBIAN_LINKER)
                    .current_dir(repository::root());
                command
            }
        };
        command.env("CARGO_TARGET_DIR", target_directory());
        command
    }

    /// A GNU-like linker for Arm.
    pub fn linker(&self) -> Result<Command> {
        Ok(match self {
            Self::Rustup => {
                let mut lld = Command::new(sysroot_file("bin/rust-lld")?);
                lld.args(["-flavor", "gnu"]);
                lld
            }
            Self::Debian => Command::new(DEBIAN_LINKER),
        })
    }

    /// What `rustc --version` says.
    pub fn version(&self) -> Result<String> {
        let rustc = match self {
            Self::Rustup => "rustc",
            Self::Debian => DEBIAN_RUSTC,
        };
        Ok(shell::output(Command::new(rustc).arg("--version"))?.trim().to_owned())
    }
}

/// Where builds for bare metal go.
pub fn target_directory() -> PathBuf {
    repository::target().join("bare-metal")
}

/// Whether rustup's toolchain has `core` for `target`.
fn has_core(target: &str) -> bool {
    let print = shell::output(Command::new("rustc").args(["--print", "target-libdir", "--target", target]));
    print.is_ok_and(|directory| Path::new(directory.trim()).exists())
}

/// A file of the toolchain that belongs to the host.
fn sysroot_file(name: &str) -> Result<PathBuf> {
    let libraries = shell::output(Command::new("rustc").args(["--print", "target-libdir"]))?;
    let path = Path::new(libraries.trim()).with_file_name(name);
    anyhow::ensure!(path.exists(), "the toolchain lacks {}", path.display());
    Ok(path)
}
