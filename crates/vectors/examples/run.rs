//! Runs the vectors in the files and directories given: `run [--limit N] [--long] PATH…`.
use pqsoc_vectors::{Options, run};
use std::{io, path::PathBuf, process::ExitCode};

fn main() -> io::Result<ExitCode> {
    let (mut options, mut paths) = (Options::default(), Vec::new());
    let mut arguments = std::env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--long") => options.long = true,
            Some("--limit") => {
                options.limit = arguments.next().and_then(|limit| limit.to_str()?.parse().ok());
            }
            _ => paths.push(PathBuf::from(argument)),
        }
    }
    let report = run(&paths, &options, &());
    report.write_human(&mut io::stdout().lock())?;
    Ok(ExitCode::from(report.exit_code()))
}
