//! `pqsoc`: post-quantum signatures on the command line.
#![forbid(unsafe_code)]

mod cli;
mod commands;
mod explain;
mod failure;
mod files;
mod message;
mod policy;
mod progress;
mod report;
mod signing;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    match commands::run(cli::Cli::parse()) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}
