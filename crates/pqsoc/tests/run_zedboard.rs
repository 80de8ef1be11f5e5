//! `pqsoc run --board zedboard`: exit codes, streams, files.

#[path = "../../boards/tests/zynq/asm.rs"]
mod asm;

use asm::{ACCELERATOR, Asm, DATA, DMA};
use std::{
    fs,
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

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.folder.path().join(name)).unwrap()
    }

    /// Runs `pqsoc run` with `options` and an ELF file.
    fn run_on(&self, board: &str, elf: &[u8], options: &[&str]) -> (i32, String, String) {
        let path = self.folder.path().join("app.elf");
        fs::write(&path, elf).unwrap();
        let output: Output = Command::new(env!("CARGO_BIN_EXE_pqsoc"))
            .current_dir(self.folder.path())
            .args(["run", "--board", board])
            .args(options)
            .arg(path)
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    fn run(&self, asm: &Asm, options: &[&str]) -> (i32, String, String) {
        self.run_on("zedboard", &asm.elf(), options)
    }
}

/// Prints on UART1 and exits with 42.
fn talking() -> Asm {
    let mut asm = Asm::start();
    for byte in b"hello" {
        asm.poke(0xe000_1030, u32::from(*byte));
    }
    exit(&mut asm, 42);
    asm
}

/// SYS_EXIT_EXTENDED with a code.
fn exit(asm: &mut Asm, code: u32) {
    asm.poke(DATA, 0x20026).poke(DATA + 4, code).set(0, 0x20).set(1, DATA).op(0xef12_3456);
}

/// A program whose exception vectors are endless loops.
fn with_vectors() -> Asm {
    let mut asm = Asm::start();
    let vectors = DATA + 0x10_0000;
    for n in 0..8 {
        asm.poke(vectors + 4 * n, 0xeaff_fffe);
    }
    asm.clean(false, vectors, 32).set(0, vectors).mcr((12, 0, 0, 0), 0);
    asm
}

#[test]
fn the_programs_exit_code_output_and_report() {
    let bench = Bench::new();
    let (code, stdout, stderr) = bench.run(&talking(), &[]);
    assert_eq!((code, stdout.as_str()), (42, "hello"), "{stderr}");
    for part in ["the program exited with 42", "cycles: ", " to ", "time: ", "at 666.67 MHz (estimated)"] {
        assert!(stderr.contains(part), "{part}: {stderr}");
    }
    let (code, stdout, stderr) = bench.run(&talking(), &["--format", "json", "--pl-mhz", "150"]);
    assert_eq!((code, stderr.as_str()), (42, "hello"));
    let report: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(report["board"], "zedboard");
    assert_eq!(report["pl_hz"], 149_999_998);
    let seconds = ["low", "mid", "high"].map(|bound| report["seconds"][bound].as_f64().unwrap());
    assert!(0.0 < seconds[0] && seconds.is_sorted(), "{seconds:?}");
    for part in ["instructions", "memory", "maintenance", "registers", "asleep"] {
        assert!(report["breakdown"][part]["mid"].is_u64(), "{part}");
    }
    for part in ["total", "busy", "waiting", "dma"] {
        assert!(report["breakdown"]["pl"][part].is_u64(), "{part}");
    }
    let (code, stdout, _) = bench.run(&talking(), &["--until", "hell"]);
    assert_eq!((code, stdout.as_str()), (0, "hell"));
}

#[test]
fn the_fabric_answers() {
    let bench = Bench::new();
    // "PQF1" has 0x50 in its low byte; CAPABILITIES has butterflies in bits 3:0 and rounds in bits 7:4.
    for (options, capabilities) in
        [(&[][..], 0x14), (&["--butterflies", "2"], 0x22), (&["--butterflies", "1", "--rounds", "1"], 0x11)]
    {
        let mut asm = Asm::start();
        asm.peek(5, ACCELERATOR + 8).poke(DATA, 0x20026).set(11, DATA + 4).op(0xe205_50ff);
        asm.op(0xe58b_5000).set(0, 0x20).set(1, DATA).op(0xef12_3456);
        let (code, _, stderr) = bench.run(&asm, options);
        assert_eq!(code, capabilities, "{options:?}: {stderr}");
    }
    let (code, _, stderr) = bench.run(&talking(), &["--butterflies", "4", "--rounds", "2"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("4 and 1, 2 and 2, 1 and 1"), "{stderr}");
}

#[test]
fn the_bus_trace() {
    let bench = Bench::new();
    let mut asm = Asm::start();
    asm.peek(0, ACCELERATOR).poke(DMA + 0x30, 1);
    exit(&mut asm, 0);
    let (code, _, stderr) = bench.run(&asm, &["--trace-bus", "bus.txt"]);
    assert_eq!(code, 0, "{stderr}");
    let text = String::from_utf8(bench.read("bus.txt")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(lines[0].ends_with("ns GP0 read  0x43c00000 0x31465150"), "{text}");
    assert!(lines[1].ends_with("ns GP0 write 0x40400030 0x00000001"), "{text}");
    let (code, _, stderr) = bench.run(&asm, &["--trace-bus", "nowhere/bus.txt"]);
    assert_eq!(code, 3);
    assert!(stderr.contains("nowhere/bus.txt: no such file"), "{stderr}");
}

#[test]
fn waves() {
    let bench = Bench::new();
    let (code, _, stderr) = bench.run(&talking(), &["--wave", "wave.fst"]);
    if cfg!(feature = "wave") {
        assert_eq!(code, 42, "{stderr}");
        assert!(!bench.read("wave.fst").is_empty());
    } else {
        assert_eq!(code, 3);
        assert!(stderr.contains("feature `wave`"), "{stderr}");
    }
}

#[test]
fn profile_and_trace() {
    let bench = Bench::new();
    let (code, _, stderr) = bench.run(&talking(), &["--profile", "out"]);
    assert_eq!(code, 42, "{stderr}");
    assert!(stderr.contains("own cycles"), "{stderr}");
    assert!(bench.read("out.svg").starts_with(b"<svg"));
    assert!(!bench.read("out.folded").is_empty());
    let (code, _, _) = bench.run(&talking(), &["--trace=trace.txt"]);
    assert_eq!(code, 42);
    assert!(String::from_utf8(bench.read("trace.txt")).unwrap().lines().count() > 20);
}

#[test]
fn caches_and_the_coherent_port() {
    // What is written to memory is old to a DMA that goes round the caches.
    let bench = Bench::new();
    let mut asm = Asm::start();
    asm.poke(DATA + 64, 1).poke(ACCELERATOR + 0x0c, 1);
    // AbsorbImmediate and the like need no stream; a string of one word goes in, and out again.
    for (options, command) in [(1, 16), (1, 17 | 1 << 7)] {
        asm.poke(ACCELERATOR + 0x1c, options).poke(ACCELERATOR + 0x20, command);
    }
    asm.transfer(DATA + 64, DATA + 128, 8).peek(5, DATA + 128);
    asm.poke(DATA, 0x20026).set(11, DATA + 4).op(0xe58b_5000).set(0, 0x20).set(1, DATA).op(0xef12_3456);
    for (options, seen) in [(&[][..], 0), (&["--acp"], 1)] {
        let (code, _, stderr) = bench.run(&asm, options);
        assert_eq!(code, seen, "{options:?}: {stderr}");
        assert!(stderr.contains("fabric busy") && stderr.contains("8 to the fabric, 8 from it"), "{stderr}");
    }
    assert_eq!(bench.run(&asm, &["--prefetch", "--seed", "7"]).0, 0);
}

#[test]
fn faults_and_limits() {
    let bench = Bench::new();
    let mut asm = with_vectors();
    asm.op(0xe7f0_00f0);
    let (code, _, stderr) = bench.run(&asm, &[]);
    assert_eq!(code, 5, "{stderr}");
    assert!(stderr.contains("undefined instruction 0xe7f000f0 at 0x001000f8, in .text+0xf8"), "{stderr}");
    let mut asm = with_vectors();
    asm.peek(0, 0xd000_0000);
    let (code, _, stderr) = bench.run(&asm, &[]);
    assert_eq!(code, 5, "{stderr}");
    assert!(stderr.contains("load from 0xd0000000") && stderr.contains("waits for ever"), "{stderr}");
    // Reset is pulled: the register never answers
    let mut asm = Asm::start();
    asm.poke(0xf800_0008, 0xdf0d).poke(0xf800_0240, 1).peek(0, ACCELERATOR);
    let (code, _, stderr) = bench.run(&asm, &[]);
    assert_eq!(code, 5, "{stderr}");
    assert!(stderr.contains("held in reset"), "{stderr}");
    // It never prints: subs r0, #1; b back
    let mut asm = Asm::start();
    asm.op(0xe250_0001).op(0xeaff_fffd);
    let (code, stdout, stderr) = bench.run(&asm, &["--until", "done", "--max-cycles", "100000"]);
    assert_eq!((code, stdout.as_str()), (5, ""), "{stderr}");
    assert!(stderr.contains("the limit of cycles was reached"), "{stderr}");
    assert_eq!(bench.run(&asm, &["--timeout", "0.01"]).0, 5);
}

#[test]
fn files_that_are_no_programs() {
    let bench = Bench::new();
    let whole = talking().elf();
    for length in [0, 3, 40, 60, 100] {
        let (code, _, stderr) = bench.run_on("zedboard", &whole[..length], &[]);
        assert_eq!(code, 3, "{length}: {stderr}");
        assert!(stderr.starts_with("pqsoc: ") && stderr.contains("app.elf: "), "{length}: {stderr}");
    }
    // A program for the Cortex-M4, by its attributes; and one for the Cortex-A9 on the other board
    let (code, _, stderr) = bench.run_on("stm32f407", &whole, &[]);
    assert_eq!(code, 3, "{stderr}");
    let mut other = whole;
    other[18] = 243; // RISC-V
    let (code, _, stderr) = bench.run_on("zedboard", &other, &[]);
    assert_eq!(code, 3);
    assert!(stderr.contains("RISC-V"), "{stderr}");
}

#[test]
fn usage() {
    let bench = Bench::new();
    for (board, options) in [
        ("zedboard", &["--sram", "256"][..]),
        ("zedboard", &["--clock", "24"]),
        ("zedboard", &["--usart", "1"]),
        ("zedboard", &["--butterflies", "3"]),
        ("zedboard", &["--pl-mhz", "1"]),
        ("zedboard", &["--gdb", "1", "--trace"]),
        ("stm32f407", &["--acp"]),
        ("stm32f407", &["--trace-bus", "x"]),
    ] {
        let (code, _, stderr) = bench.run_on(board, &talking().elf(), options);
        assert_eq!(code, 2, "{options:?}: {stderr}");
    }
    let (_, _, stderr) = bench.run_on("stm32f407", &talking().elf(), &["--acp"]);
    assert!(stderr.contains("--acp goes with --board zedboard only"), "{stderr}");
}
