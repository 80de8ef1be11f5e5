// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The firmware on the virtual board: its outputs are the host library's, byte for byte, and what it measures is what
//! the board measures.
//!
//! Needs the ELF files of `cargo xtask firmware`: in the folder that PQSOC_FIRMWARE names, or in `target/firmware`.

use std::cell::RefCell;
use std::io::Write;
use std::path::PathBuf;
use std::rc::Rc;

use pqsoc_boards::Program;
use pqsoc_boards::stm32f407::{End, Limits, Options, Stm32f407};
use pqsoc_keccak::{Sha3_256, Shake256, Software};
use pqsoc_mldsa::{Context, Message, dynamic};
use pqsoc_slhdsa::{Params, SigningKey};
use serde_json::Value;

/// The ELF file of that name. Without PQSOC_FIRMWARE it may be missing: then the tests say so and do nothing.
fn firmware(name: &str) -> Option<Program> {
    let named = std::env::var_os("PQSOC_FIRMWARE").map(PathBuf::from);
    let folder = named
        .clone()
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/firmware"));
    match Program::open(&folder.join(name)) {
        Ok(program) => Some(program),
        Err(error) => {
            let text = format!("{name}: {error}; 'cargo xtask firmware' builds it");
            assert!(named.is_none(), "{text}");
            println!("skipped: {text}");
            None
        }
    }
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

/// The results that were printed: all lines but the first, which says how the program was built.
fn results(printed: &RefCell<Vec<u8>>) -> Vec<Value> {
    let text = String::from_utf8(printed.borrow().clone()).unwrap();
    let mut lines = text.lines().map(|line| serde_json::from_str(line).unwrap_or(Value::Null));
    assert!(lines.next().unwrap()["rustc"].as_str().unwrap().starts_with("rustc "), "{text}");
    let results: Vec<Value> = lines.take_while(|value| !value.is_null()).collect();
    assert!(text.ends_with('#'), "{text}");
    results
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

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// What the firmware derives from a job's seed.
fn seeds(seed: &[u8], run: u32) -> [u8; 96] {
    let mut out = [0; 96];
    Shake256::<Software>::digest(&[seed, &run.to_le_bytes()], &mut out);
    out
}

/// Three operations of a set against the host.
fn check_ml_dsa(elf: &str, name: &str, profile: &str) {
    let Some(program) = firmware(elf) else { return };
    let scheme = dynamic::by_name(name).unwrap();
    let params = scheme.params();
    let lines = run(
        program,
        &format!(
            "{name} {profile} keygen 2 0011 -\n{name} {profile} sign 2 0011 6869\n{name} {profile} verify 1 0011 6869"
        ),
    );
    let key = |n| {
        let (mut public, mut secret) = (vec![0; params.public_key_len()], vec![0; params.secret_key_len()]);
        scheme.keygen(seeds(&[0, 0x11], n).first_chunk().unwrap(), &mut public, &mut secret).unwrap();
        (public, secret)
    };
    let sign = |n: u32| {
        let message = [&b"hi"[..], &n.to_le_bytes()].concat();
        let mut signature = vec![0; params.signature_len()];
        let message = Message::pure(Context::EMPTY, &message);
        let attempts = scheme.sign(&key(0).1, &message, &[0; 32], &mut signature).unwrap();
        (signature, attempts)
    };
    let hash = |parts: &[&[u8]]| hex(&Sha3_256::<Software>::digest(parts));
    assert_eq!(lines.len(), 5, "{lines:?}");
    for n in 0..2 {
        let (public, secret) = key(n);
        assert_eq!(lines[n as usize]["sha3_256"], hash(&[&public, &secret]), "{name} {profile} keygen {n}");
        let (signature, attempts) = sign(n);
        let line = &lines[2 + n as usize];
        assert_eq!(line["sha3_256"], hash(&[&signature]), "{name} {profile} sign {n}");
        assert_eq!(line["attempts"], attempts);
    }
    assert_eq!(lines[4]["sha3_256"], hash(&[&sign(0).0]));
    assert_eq!((&lines[4]["operation"], &lines[4]["error"]), (&"verify".into(), &Value::Null));
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
    let params = Params::by_name(name).unwrap();
    let lines = run(program, &format!("{name} - {operation} 1 42 6869"));
    let seeds = seeds(&[0x42], 0);
    let n = params.n;
    let key = SigningKey::from_seeds(params, &seeds[..n], &seeds[n..2 * n], &seeds[2 * n..3 * n]).unwrap();
    let expected = if operation == "keygen" {
        Sha3_256::<Software>::digest(&[key.verifying_key().as_bytes(), key.as_bytes()])
    } else {
        let mut signature = vec![0; params.signature_len()];
        key.sign_deterministic(&Message::pure(Context::EMPTY, b"hi\0\0\0\0"), &mut signature).unwrap();
        Sha3_256::<Software>::digest(&[&signature])
    };
    println!("{}", lines[0]);
    assert_eq!(lines[0]["sha3_256"], hex(&expected), "{name} {operation}");
}

#[test]
fn slh_dsa_equals_the_host() {
    for name in ["SLH-DSA-SHA2-128f", "SLH-DSA-SHA2-256f", "SLH-DSA-SHAKE-128f", "SPHINCS+-SHA2-192f-simple"]
    {
        check_slh_dsa(name, "keygen");
    }
    check_slh_dsa("SLH-DSA-SHA2-128f", "verify");
}

#[test]
#[ignore = "slow: 10^11 cycles"]
fn all_slh_dsa_sets_equal_the_host() {
    for set in ["128f", "192f", "256f", "128s", "192s", "256s"] {
        for family in ["SHA2", "SHAKE"] {
            for operation in ["keygen", "sign", "verify"] {
                check_slh_dsa(&format!("SLH-DSA-{family}-{set}"), operation);
            }
        }
    }
}

#[test]
#[ignore = "slow: 10^10 cycles"]
fn sphincs_plus_equals_the_host() {
    for family in ["SHA2", "SHAKE"] {
        for variant in ["simple", "robust"] {
            check_slh_dsa(&format!("SPHINCS+-{family}-128f-{variant}"), "sign");
        }
    }
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
