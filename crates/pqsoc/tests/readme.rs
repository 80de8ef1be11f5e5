//! The commands of the front page, in its order.
mod common;

#[path = "../../boards/tests/common/mod.rs"]
mod board;

use common::{Folder, expect};
use std::path::{Path, PathBuf};

const README: &str = include_str!("../../../README.md");

/// The folder that `cargo xtask firmware` fills.
fn firmware() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(PathBuf::from("target"), PathBuf::from);
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(target).join("firmware")
}

/// Lines of the README that begin with `program`, in code blocks.
fn commands(program: &str) -> Vec<&'static str> {
    README.lines().filter_map(|line| line.strip_prefix("    ")?.strip_prefix(program)).collect()
}

#[test]
fn the_commands_of_the_readme_work() {
    let folder = Folder::new();
    folder.write("image.bin", "firmware");
    folder.write("app.elf", board::Asm::new().exit(0).elf());
    let firmware = firmware();
    let commands = commands("pqsoc ");
    assert!(commands.len() >= 10, "{commands:?}");
    for command in commands {
        // Without its firmware, which a step before the tests builds, a bench has nothing to run.
        let bench = command.starts_with("bench") && !command.contains("--elf");
        if bench && !firmware.join("zynq7000.elf").exists() {
            eprintln!("left out, there is no firmware: {command}");
            continue;
        }
        let mut run = folder.pqsoc(command);
        if bench {
            run.arg("--firmware").arg(&firmware);
        }
        expect(command, &run.output().unwrap(), 0);
    }
}

/// Chores that the README names exist, and so do the files that it links to.
#[test]
fn what_the_readme_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let chores = std::fs::read_to_string(root.join("xtask/src/main.rs")).unwrap();
    for chore in README.split("cargo xtask ").skip(1) {
        let chore: String = chore.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
        assert!(chores.contains(&chore.replace('-', "_")) || chore == "help", "cargo xtask {chore}");
    }
    for link in README.split("](").skip(1) {
        let link = link.split(')').next().unwrap();
        assert!(link.starts_with("https://") || root.join(link).exists(), "{link}");
    }
}
