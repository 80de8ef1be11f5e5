//! Runs the program in a folder of its own.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};
use tempfile::TempDir;

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_pqsoc");

/// The seed of the example keys of RFC 9881.
pub const SEED: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub fn exists(&self, name: &str) -> bool {
        self.path(name).symlink_metadata().is_ok()
    }

    /// A command in this folder, without settings from outside.
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command.current_dir(self.0.path()).stdin(Stdio::null());
        command.env_remove("PQSOC_POLICY").env_remove("NO_COLOR");
        command
    }

    /// The program with these words, separated by spaces.
    pub fn pqsoc(&self, words: &str) -> Command {
        let mut command = self.command(PROGRAM);
        command.args(words.split_whitespace());
        command
    }

    /// Runs to a good end and returns standard output; nothing may be said on standard error.
    pub fn ok(&self, words: &str) -> Vec<u8> {
        let output = self.pqsoc(words).output().unwrap();
        expect(words, &output, 0);
        assert_eq!(text(&output.stderr), "", "{words}");
        output.stdout
    }

    /// Runs to an end with this exit code and returns standard error.
    pub fn fails(&self, code: i32, words: &str) -> String {
        let output = self.pqsoc(words).output().unwrap();
        expect(words, &output, code);
        assert_eq!(text(&output.stdout), "", "{words}");
        text(&output.stderr)
    }

    /// Runs with `input` on standard input, and returns standard output.
    pub fn ok_with_input(&self, words: &str, input: &[u8]) -> Vec<u8> {
        let output = run_with_input(self.pqsoc(words), input);
        expect(words, &output, 0);
        output.stdout
    }

    /// A key pair of the seed 00 01 … in `key.pem` and `pub.pem`.
    pub fn keys(&self, algorithm: &str) {
        self.keys_as(algorithm, "");
    }

    /// The same, with more in the names: `key-x.pem`, `pub-x.pem`.
    pub fn keys_as(&self, algorithm: &str, suffix: &str) {
        let seed = if algorithm.starts_with("ML-DSA") {
            SEED.to_string()
        } else {
            let n = if algorithm.contains("128") {
                16
            } else if algorithm.contains("192") {
                24
            } else {
                32
            };
            (0..3 * n).map(|byte| format!("{byte:02x}")).collect()
        };
        self.ok(&format!(
            "keygen --algorithm {algorithm} --out key{suffix}.pem --public pub{suffix}.pem --seed-hex {seed}"
        ));
    }
}

pub fn run_with_input(mut command: Command, input: &[u8]) -> Output {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // The program may end without reading everything.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

#[track_caller]
pub fn expect(words: &str, output: &Output, code: i32) {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "pqsoc {words}: {said}");
    assert!(!said.contains("panicked"), "pqsoc {words}: {said}");
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}
