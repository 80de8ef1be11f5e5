//! Running other programs.
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::repository;

/// The command as a person would type it, with the variables that it adds to the environment.
pub fn display(command: &Command) -> String {
    let variables = command.get_envs().filter_map(|(name, value)| {
        Some(format!("{}={}", name.display(), quoted(&value?.to_string_lossy())))
    });
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    variables.chain(words.map(|word| quoted(&word.to_string_lossy()))).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Runs `command`; its output goes where this program's goes. Anything but exit code 0 is an error.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", display(command)))?;
    if !status.success() {
        bail!("{status}: {}", display(command));
    }
    Ok(())
}

/// Runs `command` and gives its standard output. Anything but exit code 0 is an error that shows what it said.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot start {}", display(command)))?;
    if !output.status.success() {
        bail!(
            "{}: {}\n{}",
            output.status,
            display(command),
            String::from_utf8_lossy(&output.stderr).trim_end()
        );
    }
    String::from_utf8(output.stdout).with_context(|| format!("{} did not print UTF-8", display(command)))
}

/// Where on `PATH` a program is.
pub fn find(program: &str) -> Option<PathBuf> {
    let directories = std::env::var_os("PATH")?;
    std::env::split_paths(&directories).map(|directory| directory.join(program)).find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// `cargo` in the root of the repository.
pub fn cargo() -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(repository::root());
    command
}
