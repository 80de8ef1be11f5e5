// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The firmware on the virtual board: its outputs are the host library's, byte for byte, and what it measures is what
//! the board measures.
//!
//! Needs the ELF files of `cargo xtask firmware`.

use std::cell::RefCell;
use std::io::Write;
use std::rc::Rc;

use pqsoc_boards::stm32f407::{End, Limits, Options, Stm32f407};
use pqsoc_boards::{Board, Program};
use serde_json::Value;

#[path = "common/host.rs"]
mod host;

use host::Asked;

/// The program in the ELF file of that name.
fn firmware(name: &str) -> Option<Program> {
    host::firmware(name).map(|path| Program::open(&path).unwrap())
}

fn board(program: Program, jobs: &str, sram_kb: u32) -> (Stm32f407, Rc<RefCell<Vec<u8>>>) {
    let printed = Rc::new(RefCell::new(Vec::new()));
    let sink = printed.clone();
    let options = Options {
        sink: Box::new(move |_, bytes| sink.borrow_mut().write_all(bytes)),
        until: "#".into(),
        input: format!("{jobs}\nend\n").into_bytes(),
        sram_kb,
        ..Options::default()
    };
    (Stm32f407::new(program, options).unwrap(), printed)
}

fn results(printed: &RefCell<Vec<u8>>) -> Vec<Value> {
    host::results(&printed.borrow())
}

/// Runs jobs and returns the results.
fn run(program: Program, jobs: &str) -> Vec<Value> {
    let (mut board, printed) = board(program, jobs, 128);
    let end = board.run(&Limits::default());
    let report = board.report(&end);
    assert_eq!(end, End::Until, "{report}");
    assert!(report.stack.overflow.is_none(), "{report}");
    assert!(report.notes.is_empty(), "{report}");
    results(&printed)
}

/// Three operations of a set against the host.
fn check_ml_dsa(elf: &str, name: &str, profile: &str) {
    let Some(program) = firmware(elf) else { return };
    let lines = run(
        program,
        &format!(
            "{name} {profile} keygen 2 0011 -\n{name} {profile} sign 2 0011 6869\n{name} {profile} verify 1 0011 6869"
        ),
    );
    let runs = [("keygen", 0), ("keygen", 1), ("sign", 0), ("sign", 1), ("verify", 0)];
    assert_eq!(lines.len(), runs.len(), "{lines:?}");
    for (line, (operation, run)) in lines.iter().zip(runs) {
        let asked = Asked { algorithm: name, how: ("profile", profile), operation, run };
        host::check(line, asked, &[0, 0x11], b"hi");
    }
}

#[test]
fn ml_dsa_equals_the_host() {
    for name in ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"] {
        for profile in ["reference", "fast", "small"] {
            check_ml_dsa("stm32f407.elf", name, profile);
        }
    }
}

#[test]
fn dilithium_equals_the_host() {
    for (name, profile) in [("Dilithium2", "reference"), ("Dilithium3", "fast"), ("Dilithium5", "small")] {
        check_ml_dsa("stm32f407.elf", name, profile);
    }
}

#[test]
fn unoptimised_equals_the_host() {
    check_ml_dsa("stm32f407-unoptimised-ml-dsa.elf", "ML-DSA-44", "reference");
}

/// An operation of a set against the host.
fn check_slh_dsa(name: &str, operation: &str) {
    let Some(program) = firmware("stm32f407.elf") else { return };
    let lines = run(program, &format!("{name} - {operation} 1 42 6869"));
    assert_eq!(lines.len(), 1, "{lines:?}");
    host::check(&lines[0], without_profile(name, operation), &[0x42], b"hi");
}

/// The run of a scheme that has no profiles.
fn without_profile<'a>(algorithm: &'a str, operation: &'a str) -> Asked<'a> {
    Asked { algorithm, how: ("profile", "-"), operation, run: 0 }
}

#[test]
fn slh_dsa_equals_the_host() {
    for name in ["SLH-DSA-SHA2-128f", "SLH-DSA-SHA2-256f", "SLH-DSA-SHAKE-128f", "SPHINCS+-SHA2-192f-simple"]
    {
        check_slh_dsa(name, "keygen");
    }
    check_slh_dsa("SLH-DSA-SHA2-128f", "verify");
}

/// Cycles and bytes of stack of the next call of a function, by the board.
fn cost(board: &mut Stm32f407, function: &str) -> (u64, u32) {
    let limits = Limits::default();
    board.run_to(function, &limits).unwrap();
    let (start, sp) = (board.cycles(), board.core().register(13));
    board.core().reset_stack_watch();
    let back = board.core().register(14) & !1;
    board.core().add_breakpoint(back);
    assert_eq!(board.run(&limits), End::Breakpoint(back));
    board.core().remove_breakpoint(back);
    (board.cycles() - start, sp - board.core().main_stack().lowest)
}

/// All three operations of a set, once each: the signature is the host's. Prints a line of the table in
/// crates/slhdsa/README.md: millions of cycles, then bytes of stack.
fn signature_equals_the_host(elf: &str, name: &str) {
    let Some(program) = firmware(elf) else { return };
    let (mut board, printed) = board(program, &format!("{name} - verify 1 42 6869"), 128);
    // The library has functions of these names too.
    let functions = ["stm32f407::scheme::keygen", "stm32f407::scheme::sign", "stm32f407::scheme::verify"];
    let costs = functions.map(|name| cost(&mut board, name));
    assert_eq!(board.run(&Limits::default()), End::Until);
    let line = results(&printed).remove(0);
    host::check(&line, without_profile(name, "verify"), &[0x42], b"hi");
    print!("| {name} |");
    costs.iter().for_each(|(cycles, _)| print!(" {:.1} |", *cycles as f64 / 1e6));
    costs.iter().for_each(|(_, stack)| print!(" {stack} |"));
    println!();
}

macro_rules! signatures {
    ($elf:literal: $($test:ident $name:literal $why:literal,)*) => {
        $(
            #[test]
            #[ignore = $why]
            fn $test() {
                signature_equals_the_host($elf, $name);
            }
        )*
    };
}

signatures! {
    "stm32f407-slh-dsa.elf":
    sha2_128f "SLH-DSA-SHA2-128f" "slow: 3e8 cycles",
    sha2_192f "SLH-DSA-SHA2-192f" "slow: 6e8 cycles",
    sha2_256f "SLH-DSA-SHA2-256f" "slow: 1e9 cycles",
    sha2_128s "SLH-DSA-SHA2-128s" "slow: 6e9 cycles",
    sha2_192s "SLH-DSA-SHA2-192s" "slow: 1e10 cycles",
    sha2_256s "SLH-DSA-SHA2-256s" "slow: 1e10 cycles",
    shake_128f "SLH-DSA-SHAKE-128f" "slow: 1e9 cycles",
    shake_192f "SLH-DSA-SHAKE-192f" "slow: 2e9 cycles",
    shake_256f "SLH-DSA-SHAKE-256f" "slow: 4e9 cycles",
    shake_128s "SLH-DSA-SHAKE-128s" "slow: 3e10 cycles",
    shake_192s "SLH-DSA-SHAKE-192s" "slow: 5e10 cycles",
    shake_256s "SLH-DSA-SHAKE-256s" "slow: 4e10 cycles",
}

signatures! {
    "stm32f407.elf":
    sphincs_sha2_128f_simple "SPHINCS+-SHA2-128f-simple" "slow: 3e8 cycles",
    sphincs_sha2_128f_robust "SPHINCS+-SHA2-128f-robust" "slow: 6e8 cycles",
    sphincs_sha2_256f_robust "SPHINCS+-SHA2-256f-robust" "slow: 3e9 cycles",
    sphincs_shake_128f_simple "SPHINCS+-SHAKE-128f-simple" "slow: 1e9 cycles",
    sphincs_shake_128f_robust "SPHINCS+-SHAKE-128f-robust" "slow: 2e9 cycles",
}

/// Cycles by DWT and by the board, stack by painting and by the stack pointer.
#[test]
fn both_measure_the_same() {
    for (elf, job) in [
        ("stm32f407.elf", "ML-DSA-44 small keygen 1 00 -"),
        ("stm32f407.elf", "ML-DSA-44 fast sign 1 00 -"),
        ("stm32f407-size.elf", "ML-DSA-44 small verify 1 00 -"),
        ("stm32f407.elf", "clock 168\nML-DSA-65 reference verify 1 00 -"),
    ] {
        let Some(program) = firmware(elf) else { return };
        let (mut board, printed) = board(program, job, 128);
        let limits = Limits::default();
        board.run_to("operation", &limits).unwrap();
        let (start, sp) = (board.cycles(), board.core().register(13));
        board.core().reset_stack_watch();
        let back = board.core().register(14) & !1;
        board.core().add_breakpoint(back);
        assert_eq!(board.run(&limits), End::Breakpoint(back));
        let (cycles, depth) = (board.cycles() - start, sp - board.core().main_stack().lowest);
        board.core().remove_breakpoint(back);
        assert_eq!(board.run(&limits), End::Until);
        let line = results(&printed).remove(0);
        let (own_cycles, own_depth) =
            (line["cycles"].as_u64().unwrap(), line["stack_bytes"].as_u64().unwrap());
        // The call itself and two reads of the counter
        assert!((cycles..cycles + 100).contains(&own_cycles), "{job}: {cycles} and {own_cycles}");
        // Words that were reserved and never written stay painted.
        let depth = u64::from(depth);
        assert!(own_depth <= depth && own_depth + 64 >= depth, "{job}: {depth} and {own_depth}");
    }
}

/// The study's claim of its Dilithium: which sets fit the 128 KB of SRAM when nothing is optimised.
#[test]
fn unoptimised_reference_code_and_128_kb() {
    for (name, fits) in [("Dilithium2", true), ("Dilithium3", true), ("Dilithium5", false)] {
        let Some(program) = firmware("stm32f407-unoptimised-ml-dsa.elf") else { return };
        let (mut board, _) = board(program, &format!("{name} reference sign 1 00 -"), 128);
        let end = board.run(&Limits::default());
        let report = board.report(&end);
        assert_eq!(report.stack.overflow.is_none(), fits, "{name}: {report}");
        assert_eq!(report.exit_code == 0, fits, "{name}: {report}");
    }
}

/// The engine in assembly keeps every promise of the engines, and its Keccak state is the portable one's, byte for byte.
#[test]
#[ignore = "slow: gigacycles"]
fn engine_in_assembly_conforms() {
    let Some(program) = firmware("conformance.elf") else { return };
    let (mut board, printed) = board(program, "", 1024);
    let end = board.run(&Limits::default());
    assert_eq!(end, End::Until, "{}", board.report(&end));
    assert_eq!(printed.borrow().as_slice(), b"conforms#");
}

#[test]
fn jobs_that_do_not_exist() {
    let Some(program) = firmware("stm32f407.elf") else { return };
    let lines = run(
        program,
        "ML-DSA-45 fast sign 1 00 -\nnonsense\nML-DSA-44 fast sign x 00 -\nML-DSA-44 fast sign 0 00 -",
    );
    assert_eq!(lines.len(), 3);
    assert!(lines.iter().all(|line| line["error"] == "this build has no such job"), "{lines:?}");
}
