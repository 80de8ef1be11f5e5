//! Runs the vectors in the files and directories given: the library by itself.
use pqsoc_vectors::{Options, run};
use std::{io, path::PathBuf, process::ExitCode};

fn main() -> io::Result<ExitCode> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let report = run(&paths, &Options::default(), &());
    report.write_human(&mut io::stdout().lock())?;
    Ok(ExitCode::from(report.exit_code()))
}
