//! `pqsoc run`: exit codes, streams, files.

#[path = "../../boards/tests/common/mod.rs"]
mod board;

use board::{Asm, BSS, HANG, SEMIHOSTING};
use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
};
use tempfile::TempDir;

struct Bench {
    folder: TempDir,
}

impl Bench {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Runs `pqsoc run --board stm32f407` with `options`, an ELF file and what follows it.
    fn run(&self, elf: &[u8], options: &[&str], arguments: &[&str]) -> (i32, String, String) {
        let path = self.file("app.elf", elf);
        let output: Output = Command::new(env!("CARGO_BIN_EXE_pqsoc"))
            .current_dir(self.folder.path())
            .args(["run", "--board", "stm32f407"])
            .args(options)
            .arg(path)
            .args(arguments)
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }
}

/// Prints its command line, exits with 42.
fn talking() -> Asm {
    let mut asm = Asm::new();
    asm.poke(BSS, BSS + 0x40).poke(BSS + 4, 0x100).set(0, 0x15).set(1, BSS).op(&[SEMIHOSTING]);
    asm.set(0, 4).set(1, BSS + 0x40).op(&[SEMIHOSTING]).exit(42);
    asm
}

#[test]
fn the_programs_exit_code_output_and_arguments() {
    let bench = Bench::new();
    let (code, stdout, stderr) = bench.run(&talking().elf(), &[], &["--nocapture", "name"]);
    assert_eq!(code, 42, "{stderr}");
    assert!(stdout.ends_with("app.elf --nocapture name"), "{stdout}");
    assert!(stderr.contains("the program exited with 42") && stderr.contains("instructions:"), "{stderr}");
}

#[test]
fn json_on_standard_output() {
    let bench = Bench::new();
    let (code, stdout, stderr) = bench.run(&talking().elf(), &["--format", "json"], &[]);
    assert_eq!(code, 42);
    let report: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(report["exit_code"], 42);
    assert!(report["cycles"].as_u64() > Some(10) && report["stack_bytes"] == 8 && report["fault"].is_null());
    assert!(stderr.ends_with("app.elf"), "{stderr}");
}

#[test]
fn files_that_are_no_programs() {
    let bench = Bench::new();
    let elf = talking().elf();
    let mut other = talking();
    other.machine = 62;
    for (bytes, message) in [
        (&elf[..elf.len() / 2], "truncated"),
        (&other.elf(), "built for x86-64"),
        (b"", "the file is empty"),
        (b"#!/bin/sh\n", "not an ELF file"),
    ] {
        let (code, stdout, stderr) = bench.run(bytes, &[], &[]);
        assert_eq!((code, stdout.as_str()), (3, ""), "{stderr}");
        assert!(
            stderr.starts_with("pqsoc: ") && stderr.contains(message) && stderr.lines().count() == 1,
            "{stderr}"
        );
    }
    for path in [bench.folder.path(), "/nonexistent.elf".as_ref()] {
        let output = Command::new(env!("CARGO_BIN_EXE_pqsoc"))
            .args(["run", "--board", "stm32f407"])
            .arg(path)
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{stderr}");
        assert!(stderr.contains("cannot be read: "), "{stderr}");
    }
}

#[test]
fn faults_overflows_and_limits() {
    let bench = Bench::new();
    // Undefined
    let mut asm = Asm::new();
    asm.op(&[0xde00]);
    let (code, _, stderr) = bench.run(&asm.elf(), &[], &[]);
    assert_eq!(code, 5);
    assert!(
        stderr.contains("undefined instruction at pc 0x0800018a") && stderr.contains("in reset"),
        "{stderr}"
    );
    // Stack into the variables, and a good end
    let mut asm = Asm::new();
    asm.call("main").exit(0);
    asm.function("main").op(&[0x4674, 0xf5ad, 0x5de8, 0xb401, 0xb001, 0xf50d, 0x5de8, 0x4720]);
    let (code, _, stderr) = bench.run(&asm.elf(), &[], &[]);
    assert_eq!(code, 6);
    assert!(
        stderr.contains("stack reached 0x2000")
            && stderr.contains(" below its region (")
            && stderr.contains("first in function main called from reset"),
        "{stderr}"
    );
    // Busy for ever
    let mut asm = Asm::new();
    asm.op(&[0x3001, 0xe7fd]);
    assert_eq!(bench.run(&asm.elf(), &["--max-cycles", "10000"], &[]).0, 5);
    assert_eq!(bench.run(&asm.elf(), &["--timeout", "0.01"], &[]).0, 5);
    // Done
    let mut asm = Asm::new();
    asm.op(&[HANG]);
    assert_eq!(bench.run(&asm.elf(), &[], &[]).0, 0);
    // The text is found
    assert_eq!(bench.run(&talking().elf(), &["--until", "app"], &[]).0, 0);
}

#[test]
fn profile_and_trace() {
    let bench = Bench::new();
    let mut asm = Asm::new();
    asm.call("work").exit(0);
    asm.function("work").op(&[0x2005, 0x3801, 0xd1fd, 0x4770]);
    let (code, _, stderr) = bench.run(&asm.elf(), &["--profile", "out"], &[]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("own cycles"), "{stderr}");
    let read = |name| fs::read_to_string(bench.folder.path().join(name)).unwrap();
    assert!(read("out.folded").contains("reset;work "));
    assert!(read("out.svg").starts_with("<svg"));
    let (code, _, _) = bench.run(&asm.elf(), &["--trace=trace.txt"], &[]);
    assert_eq!(code, 0);
    assert!(read("trace.txt").contains("work"));
}

#[test]
fn input_and_clock() {
    let bench = Bench::new();
    bench.file("input", b"ping\0");
    let (code, stdout, stderr) = bench.run(&board::echo().elf(), &["--input", "input"], &[]);
    assert_eq!((code, stdout.as_str()), (0, "ping"), "{stderr}");
    assert!(stderr.contains("at 16 MHz, 0 wait states (modelled)"), "{stderr}");
    let (code, _, stderr) = bench.run(&board::echo().elf(), &["--input", "input", "--clock", "168"], &[]);
    assert_eq!(code, 0);
    assert!(stderr.contains("at 168 MHz, 5 wait states, forced (estimated)"), "{stderr}");
    // On another port it never comes.
    let options = ["--input", "input", "--usart", "3", "--max-cycles", "1000000"];
    let (code, stdout, _) = bench.run(&board::echo().elf(), &options, &[]);
    assert_eq!((code, stdout.as_str()), (5, ""));
}

/// Semihosting opens files in the folder of `--files` alone.
#[test]
fn files() {
    let bench = Bench::new();
    bench.file("data", b"1");
    // SYS_OPEN of "data" for reading, exit with the handle
    let mut asm = Asm::new();
    asm.poke(BSS, BSS + 0x20).poke(BSS + 4, 0).poke(BSS + 8, 4);
    asm.poke(BSS + 0x20, u32::from_le_bytes(*b"data")).set(0, 1).set(1, BSS).op(&[SEMIHOSTING]).exit_r0();
    let (code, _, stderr) = bench.run(&asm.elf(), &[], &[]);
    assert_eq!(code, 255);
    assert!(stderr.contains("file \"data\" refused (--files FOLDER allows"), "{stderr}");
    let (code, _, stderr) = bench.run(&asm.elf(), &["--files", "."], &[]);
    assert_eq!((code, stderr.contains("refused")), (1, false), "{stderr}");
}

#[test]
fn usage() {
    let bench = Bench::new();
    for options in [&["--clock", "25"][..], &["--usart", "7"], &["--gdb", "1", "--trace"], &["--sram", "64"]]
    {
        assert_eq!(bench.run(&talking().elf(), options, &[]).0, 2, "{options:?}");
    }
}
