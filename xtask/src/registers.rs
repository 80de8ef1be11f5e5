//! What PeakRDL makes out of `hw/registers/fabric_regs.rdl`: the register block and its Rust module, which are
//! committed, and a web page, which is not, because it is megabytes of fonts.
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::{python, repository, shell};

#[derive(clap::Args)]
pub struct Arguments {
    /// Change nothing; fail if what is committed is not what the description gives
    #[arg(long)]
    check: bool,
}

/// Output of PeakRDL, where it is kept, and the line that has to stand first in its files of that kind.
const OUTPUTS: [(&str, &str, &str); 2] = [
    ("regblock", "hw/rtl/generated", "// SPDX-License-Identifier: Apache-2.0 OR MIT\n"),
    ("rust", "crates/registers/src/generated", ""),
];

pub fn run(arguments: &Arguments) -> Result<()> {
    let description = repository::root().join("hw/registers/fabric_regs.rdl");
    let scratch = repository::target().join("registers");
    let mut stale = Vec::new();
    for (kind, place, first_line) in OUTPUTS {
        let fresh = scratch.join(kind);
        if fresh.exists() {
            fs::remove_dir_all(&fresh)?;
        }
        fs::create_dir_all(&scratch)?;
        let mut command = python::program("peakrdl")?;
        command.arg(kind).arg(&description).arg("-o").arg(&fresh);
        match kind {
            "regblock" => {
                command.args(["--cpuif", "axi4-lite-flat", "--addr-width", "12", "--default-reset", "rst_n"])
            }
            _ => &mut command,
        };
        if kind == "regblock" {
            command.args(["--err-if-bad-addr", "--err-if-bad-rw"]);
        }
        shell::output(&mut command)?;
        let (mut wanted, kept_at) = (BTreeMap::new(), repository::root().join(place));
        read(&fresh, &fresh, &mut wanted)?;
        for text in wanted.values_mut() {
            text.splice(0..0, first_line.bytes());
        }
        let mut kept = BTreeMap::new();
        if kept_at.exists() {
            read(&kept_at, &kept_at, &mut kept)?;
        }
        if wanted == kept {
            continue;
        }
        stale.push(place);
        if !arguments.check {
            if kept_at.exists() {
                fs::remove_dir_all(&kept_at)?;
            }
            for (name, text) in wanted {
                let file = kept_at.join(name);
                fs::create_dir_all(file.parent().context("a file is in a folder")?)?;
                fs::write(file, text)?;
            }
        }
    }
    if !arguments.check {
        let page = scratch.join("html");
        shell::output(python::program("peakrdl")?.args(["html", "-o"]).arg(&page).arg(&description))?;
        println!("web page: {}", page.join("index.html").display());
    }
    match (stale.as_slice(), arguments.check) {
        ([], _) => println!("up to date"),
        (stale, false) => println!("written: {}", stale.join(", ")),
        (stale, true) => bail!("out of date: {}; cargo xtask registers writes them", stale.join(", ")),
    }
    Ok(())
}

/// All files under `folder`, by their path from `root`.
fn read(root: &Path, folder: &Path, files: &mut BTreeMap<std::path::PathBuf, Vec<u8>>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            read(root, &path, files)?;
        } else {
            files.insert(path.strip_prefix(root)?.to_owned(), fs::read(&path)?);
        }
    }
    Ok(())
}
