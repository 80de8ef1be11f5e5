//! Every chore of the repository: `cargo xtask --help`.
//!
//! A chore is a module with a `run` and, where it has options, a `clap::Args`; it is listed in [`Chore`] and
//! nowhere else. A chore asks [`setup`] for the programs that it needs, so that a fresh machine gets them.

use clap::{Parser, Subcommand};
use std::process::ExitCode;

mod bare_metal;
mod demo;
mod firmware;
mod formal;
mod fuzz;
mod hygiene;
mod licences;
mod openssl;
mod python;
mod registers;
mod repository;
mod reproduce;
mod rtl;
mod setup;
mod shell;
mod synth;
mod test;
mod verify_only;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Every chore of the repository")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Generate a key, sign a file and verify it with every ML-DSA set; a table of sizes and times
    Demo(demo::Arguments),
    /// Run the study on the virtual boards: results, tables and the report; what was measured before is not run again
    Reproduce(reproduce::Arguments),
    /// Run every check and every test; what is missing is installed first
    Test(test::Arguments),
    /// Build the `openssl` program that key files and signatures are exchanged with
    Openssl,
    /// Build verification alone for a Cortex-M4: no panic, no allocator; print its code size
    VerifyOnly,
    /// Build the firmware for the boards into target/firmware
    Firmware(firmware::Arguments),
    /// Run the fuzz targets
    Fuzz(fuzz::Arguments),
    /// Look for machine paths, unfinished marks and missing licence lines in the files under version control
    Hygiene,
    /// Make the fabric's register block, Rust module and web page out of their description
    Registers(registers::Arguments),
    /// Check the fabric's RTL: lint, format, packaging
    Rtl(rtl::Arguments),
    /// Prove what hw/README.md says is proved of the fabric's RTL
    Formal(formal::Arguments),
    /// Synthesise the fabric: a table of what it costs
    Synth(synth::Arguments),
    /// Compare the licences of all dependencies that ship with the allowed ones
    Licences,
}

fn main() -> ExitCode {
    match run(Arguments::parse().chore) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(chore: Chore) -> anyhow::Result<()> {
    match chore {
        Chore::Demo(arguments) => demo::run(&arguments),
        Chore::Reproduce(arguments) => reproduce::run(&arguments),
        Chore::Test(arguments) => test::run(&arguments),
        Chore::Openssl => openssl::run(),
        Chore::VerifyOnly => verify_only::run(),
        Chore::Firmware(arguments) => firmware::run(&arguments),
        Chore::Fuzz(arguments) => fuzz::run(&arguments),
        Chore::Hygiene => hygiene::run(),
        Chore::Registers(arguments) => registers::run(&arguments),
        Chore::Rtl(arguments) => rtl::run(&arguments),
        Chore::Formal(arguments) => formal::run(&arguments),
        Chore::Synth(arguments) => synth::run(&arguments),
        Chore::Licences => licences::run(),
    }
}
