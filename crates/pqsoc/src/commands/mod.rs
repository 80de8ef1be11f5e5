//! The subcommands, one file each.
mod bench;
mod choose;
mod compare;
mod docs;
mod inspect;
mod keygen;
mod mu;
mod pubkey;
mod report;
mod reproduce;
mod results;
mod run;
mod sign;
mod speed;
mod vectors;
mod verify;

use crate::{
    cli::{Cli, Command},
    failure::{Failure, name},
    files::{is_standard, read_small, same_file},
};
use pqsoc_keyfile::{PrivateKey, PublicKey};
use std::{path::Path, process::ExitCode};

/// Does what the command line says.
pub fn run(cli: Cli) -> Result<ExitCode, Failure> {
    let policy = cli.policy;
    let done = match cli.command {
        Command::Run(options) => return run::run(options),
        Command::Keygen(options) => keygen::run(&options, policy),
        Command::Sign(options) => sign::run(&options, policy),
        Command::Verify(options) => verify::run(&options, policy),
        Command::Pubkey(options) => pubkey::run(&options, policy),
        Command::Mu(options) => mu::run(&options, policy),
        Command::Inspect(options) => inspect::run(&options, policy),
        Command::Vectors(options) => vectors::run(&options, policy),
        Command::Speed(options) => speed::run(&options, policy),
        Command::Bench(options) => bench::run(&options),
        Command::Reproduce(options) => reproduce::run(&options),
        Command::Report(options) => report::run(&options),
        Command::Compare(options) => compare::run(&options),
        Command::Choose(options) => choose::run(&options),
        Command::Completions(options) => docs::completions(&options),
        Command::Man(options) => docs::man(&options),
    };
    done.map(|()| ExitCode::SUCCESS)
}

/// Reads a private key.
fn private_key(path: &Path) -> Result<PrivateKey, Failure> {
    PrivateKey::from_file(&read_small(path)?)
        .map_err(|error| Failure::file(name(path, "standard input"), error))
}

/// Reads a public key, out of whatever holds one.
fn public_key(path: &Path) -> Result<PublicKey, Failure> {
    PublicKey::from_file(&read_small(path)?)
        .map_err(|error| Failure::file(name(path, "standard input"), error))
}

/// Standard input can be one of the inputs, and no output may be one of the inputs or another output.
fn distinct(inputs: &[&Path], outputs: &[&Path]) -> Result<(), Failure> {
    for (what, paths) in [("input", inputs), ("output", outputs)] {
        if paths.iter().filter(|path| is_standard(path)).count() > 1 {
            return Err(Failure::usage(format_args!("standard {what} ('-') can be used once only")));
        }
    }
    for (i, output) in outputs.iter().enumerate() {
        let others = inputs.iter().chain(&outputs[..i]);
        if let Some(other) = others
            .into_iter()
            .find(|other| same_file(other, output) || (other == &output && !is_standard(output)))
        {
            return Err(Failure::usage(format_args!(
                "{} and {} are the same file; the output would replace it",
                name(other, "standard input"),
                name(output, "standard output")
            )));
        }
    }
    Ok(())
}
