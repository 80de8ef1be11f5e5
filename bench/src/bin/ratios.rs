//! Prints the ratios of the runs in the files that are named. See README.md.
use std::process::ExitCode;

fn main() -> ExitCode {
    let read = |path: String| std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"));
    let runs: Result<Vec<_>, _> = std::env::args().skip(1).map(read).collect();
    match runs.and_then(|runs| bench::ratios::table(&runs)) {
        Ok(table) => {
            print!("{table}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("ratios: {error}");
            ExitCode::FAILURE
        }
    }
}
