//! What must not be in the repository.
use anyhow::{Result, bail};
use std::path::Path;

use crate::{repository, shell};

/// Bytes that a file under version control may have.
const LARGEST_FILE: usize = 2_000_000;

/// Folders in the root of a machine's file system under which people and machines keep their own things.
const PRIVATE_FOLDERS: [&str; 5] = ["home", "root", "work", "Users", "mnt"];

/// Marks of work that is not finished.
const UNFINISHED: [[&str; 2]; 5] =
    [["TO", "DO"], ["FIX", "ME"], ["XX", "X"], ["unimpl", "emented!"], ["to", "do!"]];

pub fn run() -> Result<()> {
    let list = shell::output(
        std::process::Command::new("git").args(["ls-files", "-z"]).current_dir(repository::root()),
    )?;
    let mut faults = Vec::new();
    for name in list.split_terminator('\0') {
        let path = repository::root().join(name);
        // A file that is deleted but not yet committed as such.
        if !path.is_file() {
            continue;
        }
        let bytes = std::fs::read(&path)?;
        if bytes.len() > LARGEST_FILE {
            faults.push(format!("{name}: {} bytes; {LARGEST_FILE} are allowed", bytes.len()));
        }
        if let Ok(text) = std::str::from_utf8(&bytes) {
            check_text(name, text, &mut faults);
        }
    }
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    Ok(())
}

fn check_text(name: &str, text: &str, faults: &mut Vec<String>) {
    let extension = Path::new(name).extension().and_then(|e| e.to_str());
    if matches!(extension, Some("sv" | "svh" | "v"))
        && !text.lines().take(3).any(|l| l.contains("SPDX-License-Identifier: "))
    {
        faults.push(format!("{name}:1: no SPDX-License-Identifier"));
    }
    for (index, line) in text.lines().enumerate() {
        let mut fault = |what: String| faults.push(format!("{name}:{}: {what}", index + 1));
        for folder in PRIVATE_FOLDERS {
            if names_folder(line, folder) {
                fault(format!("a path that only one machine has (/{folder}/…)"));
            }
        }
        for mark in UNFINISHED.map(|halves| halves.concat()) {
            if words(line).any(|word| word == mark) {
                fault(format!("an unfinished mark ({mark})"));
            }
        }
        if ["<<<<<<< ", ">>>>>>> "].iter().any(|marker| line.starts_with(marker)) {
            fault("a merge conflict".into());
        }
    }
}

/// Whether `line` has an absolute path under `/folder/`.
fn names_folder(line: &str, folder: &str) -> bool {
    let start = format!("/{folder}/");
    line.match_indices(&start).any(|(at, _)| {
        // Part of a longer path or of an address otherwise.
        !line[..at].ends_with(|c: char| c.is_alphanumeric() || "._-/~}".contains(c))
            && line[at + start.len()..].starts_with(|c: char| c.is_alphanumeric() || "._".contains(c))
    })
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '!' && c != '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(name: &str, text: &str) -> Vec<String> {
        let mut faults = Vec::new();
        check_text(name, text, &mut faults);
        faults
    }

    #[test]
    fn paths_of_one_machine_are_found() {
        for folder in PRIVATE_FOLDERS {
            assert_eq!(faults("a.rs", &format!("open(\"/{folder}/me/x\")")).len(), 1, "{folder}");
            assert!(
                faults("a.rs", &format!("xmss/{folder}/node and https://example.org/{folder}/x")).is_empty()
            );
        }
        assert!(faults("a.rs", "/usr/bin/rustc").is_empty());
    }

    #[test]
    fn unfinished_marks_are_found() {
        for mark in UNFINISHED.map(|halves| halves.concat()) {
            assert_eq!(
                faults("a.rs", &format!("// ok\n    {mark}(\"later\")")),
                [format!("a.rs:2: an unfinished mark ({mark})")]
            );
        }
    }

    #[test]
    fn hardware_names_its_licence() {
        assert_eq!(faults("a.sv", "module a;\nendmodule").len(), 1);
        assert!(faults("a.sv", "// SPDX-License-Identifier: Apache-2.0 OR MIT\nmodule a;").is_empty());
    }
}
