//! The one command that checks everything.
use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::{firmware, openssl, repository, setup, shell};

#[derive(clap::Args)]
pub struct Arguments {
    /// Run the tests that take long as well
    #[arg(long)]
    slow: bool,
    /// Run only the steps whose name contains this
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Go on after a step that failed, and list the failures at the end
    #[arg(long)]
    keep_going: bool,
    /// Print the steps and their commands, run nothing
    #[arg(long)]
    list: bool,
}

/// A command that has to succeed.
struct Step {
    name: &'static str,
    command: Command,
    /// Tests show what they print; of all else only the end is shown, and only when it fails.
    shown: bool,
}

impl Step {
    fn new(name: &'static str, command: Command) -> Self {
        Self { name, command, shown: false }
    }

    fn shown(self) -> Self {
        Self { shown: true, ..self }
    }
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let mut steps = steps(arguments.slow);
    if let Some(part) = &arguments.only {
        steps.retain(|step| step.name.contains(part.as_str()));
        if steps.is_empty() {
            bail!("no step is called {part}; --list shows them");
        }
    }
    if arguments.list {
        for step in &steps {
            println!("{:16}{}", step.name, shell::display(&step.command));
        }
        return Ok(());
    }
    // The tests of the virtual board talk to it.
    setup::require(&[setup::GDB, setup::CHROMEDRIVER])?;
    setup::simulation()?;
    let logs = repository::target().join("xtask-test");
    std::fs::create_dir_all(&logs)?;
    let start = Instant::now();
    let (count, mut table, mut failed) = (steps.len(), Vec::new(), Vec::new());
    for (index, mut step) in steps.into_iter().enumerate() {
        print!("[{:2}/{count}] {:16}", index + 1, step.name);
        println!("{}", if step.shown { shell::display(&step.command) } else { String::new() });
        let started = Instant::now();
        let result = perform(&mut step, &logs);
        let verdict = if result.is_ok() { "passed" } else { "FAILED" };
        let line = format!("{:16}{verdict} {:>8}", step.name, minutes(started.elapsed()));
        println!("        {line}");
        table.push(line);
        if let Err(error) = result {
            failed.push(step.name);
            eprintln!("{error:#}");
            if !arguments.keep_going {
                break;
            }
        }
    }
    println!("\n{}\nall steps       {:>15}", table.join("\n"), minutes(start.elapsed()));
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

/// The steps, cheap ones first; the tests of the workspace come last, so that their closing lines end the output.
fn steps(slow: bool) -> Vec<Step> {
    let cargo = |words: &str| {
        let mut command = shell::cargo();
        command.args(words.split_whitespace());
        command
    };
    let chore = |name: &str| {
        let mut command = Command::new(std::env::current_exe().expect("a running program has a path"));
        command.arg(name).current_dir(repository::root());
        command
    };
    let tests = |words: &str| {
        let mut command = cargo("test");
        command
            .args(words.split_whitespace())
            .env("PQSOC_OPENSSL", openssl::program())
            .env("PQSOC_FIRMWARE", firmware::directory())
            .env("PQSOC_GDB", setup::GDB.name);
        command
    };
    let mut documentation = cargo("doc --workspace --no-deps --all-features --document-private-items");
    documentation.env("RUSTDOCFLAGS", "-D warnings");
    // Unoptimised code needs most stack and checks every sum for overflow; the other schemes are too slow in it, and
    // have their sums checked by the fuzz targets.
    let unoptimised =
        "--package pqsoc-keccak --package pqsoc-message --package pqsoc-mldsa --all-features --tests";
    // No other tests look for them.
    let mut without_vectors = tests(
        "--release --workspace --all-features --test published --test data --test broken --test vectors",
    );
    without_vectors.env("PQSOC_VECTORS", "");
    let mut steps = vec![
        Step::new("hygiene", chore("hygiene")),
        Step::new("format", cargo("fmt --all --check")),
        Step::new("licences", chore("licences")),
        Step::new("clippy", cargo("clippy --workspace --all-targets --all-features -- -D warnings")),
        Step::new("documentation", documentation),
        Step::new("verify-only", chore("verify-only")),
        Step::new("firmware-check", {
            let mut check = chore("firmware");
            check.arg("--check");
            check
        }),
        Step::new("firmware", chore("firmware")),
        Step::new("reproduce", {
            let mut study = chore("reproduce");
            study
                .args(["--quick", "--no-cache", "--out"])
                .arg(repository::target().join("xtask-test/reproduce"));
            study
        }),
        Step::new("registers", {
            let mut check = chore("registers");
            check.arg("--check");
            check
        }),
        Step::new("rtl", chore("rtl")),
        Step::new("formal", chore("formal")),
        Step::new("openssl", chore("openssl")),
        Step::new("fuzz", chore("fuzz")),
        Step::new("unoptimised", tests(unoptimised)).shown(),
        Step::new("without-vectors", without_vectors).shown(),
        Step::new("tests", tests("--release --workspace --all-features")).shown(),
    ];
    if slow {
        steps.push(
            Step::new("slow-tests", tests("--release --workspace --all-features --tests -- --ignored"))
                .shown(),
        );
    }
    steps
}

/// Runs a step. What is not shown goes to a file, whose end the error quotes.
fn perform(step: &mut Step, logs: &Path) -> Result<()> {
    std::io::stdout().flush()?;
    if step.shown {
        return shell::run(&mut step.command);
    }
    let path = logs.join(format!("{}.log", step.name));
    let log = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    let result = shell::run(step.command.stdout(log.try_clone()?).stderr(log));
    result.with_context(|| match end(&path) {
        Ok(text) => format!("{text}\n({} has all of it)", path.display()),
        Err(error) => format!("cannot read {}: {error}", path.display()),
    })
}

/// The last lines of a file.
fn end(path: &Path) -> std::io::Result<String> {
    const BYTES: u64 = 6000;
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(BYTES)))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).trim_end().to_owned())
}

fn minutes(time: Duration) -> String {
    let tenths = time.as_millis() / 100;
    format!("{}:{:02}.{}", tenths / 600, tenths / 10 % 60, tenths % 10)
}
