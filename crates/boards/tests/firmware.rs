// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The firmware on the virtual board: its outputs are the host library's, byte for byte, and what it measures is what
//! the board measures. Needs the ELF files of `cargo xtask firmware`.

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

fn firmware(name: &str) -> Program {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(PathBuf::from("target"), PathBuf::from);
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = root.join(target).join("firmware").join(name);
    Program::open(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; run cargo xtask firmware", path.display()))
}

fn board(elf: &str, jobs: &str, sram_kb: u32) -> (Stm32f407, Rc<RefCell<Vec<u8>>>) {
    let printed = Rc::new(RefCell::new(Vec::new()));
    let sink = printed.clone();
    let options = Options {
        sink: Box::new(move |_, bytes| sink.borrow_mut().write_all(bytes)),
        until: "#".into(),
        input: jobs.as_bytes().to_vec(),
        sram_kb,
        ..Options::default()
    };
    (Stm32f407::new(firmware(elf), options).unwrap(), printed)
}

/// Runs jobs and returns the lines printed.
fn run(jobs: &str) -> Vec<Value> {
    let (mut board, printed) = board("stm32f407.elf", jobs, 128);
    let end = board.run(&Limits::default());
    assert_eq!(end, End::Until, "{}", board.report(&end));
    assert!(board.report(&end).stack.overflow.is_none());
    let text = String::from_utf8(printed.borrow().clone()).unwrap();
    text.lines().filter(|l| l.starts_with('{')).map(|l| serde_json::from_str(l).unwrap()).collect()
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

fn check_ml_dsa(name: &str, profile: &str) {
    let scheme = dynamic::by_name(name).unwrap();
    let params = scheme.params();
    let lines = run(&format!(
        "{name} {profile} keygen 2 0011 -\n{name} {profile} sign 2 0011 6869\n{name} {profile} verify 1 0011 6869\n"
    ));
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
    for n in 0..2 {
        let (public, secret) = key(n);
        assert_eq!(lines[n as usize]["sha3_256"], hash(&[&public, &secret]), "{name} {profile} keygen {n}");
        let (signature, attempts) = sign(n);
        let line = &lines[2 + n as usize];
        assert_eq!(line["sha3_256"], hash(&[&signature]), "{name} {profile} sign {n}");
        assert_eq!(line["attempts"], attempts);
    }
    assert_eq!(lines[4]["sha3_256"], hash(&[&sign(0).0]));
    assert!(lines[4]["error"].is_null() && lines.len() == 5);
}

#[test]
#[ignore = "slow: needs the firmware"]
fn ml_dsa_equals_the_host() {
    for name in ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"] {
        for profile in ["reference", "fast", "small"] {
            check_ml_dsa(name, profile);
        }
    }
}

fn check_slh_dsa(name: &str, operation: &str) {
    let params = Params::by_name(name).unwrap();
    let lines = run(&format!("{name} - {operation} 1 42 6869\n"));
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
    assert_eq!(lines[0]["sha3_256"], hex(&expected), "{name} {operation}");
}

#[test]
#[ignore = "slow: needs the firmware"]
fn slh_dsa_equals_the_host() {
    for name in ["SLH-DSA-SHA2-128f", "SLH-DSA-SHAKE-128f", "SLH-DSA-SHA2-192f", "SLH-DSA-SHA2-256f"] {
        check_slh_dsa(name, "keygen");
    }
    check_slh_dsa("SLH-DSA-SHA2-128f", "verify");
    check_slh_dsa("SLH-DSA-SHA2-256f", "sign");
}

/// Every set that takes minutes.
#[test]
#[ignore = "slow: billions of cycles, needs the firmware"]
fn all_slh_dsa_sets_equal_the_host() {
    for family in ["SHA2", "SHAKE"] {
        for set in ["128s", "128f", "192s", "192f", "256s", "256f"] {
            check_slh_dsa(&format!("SLH-DSA-{family}-{set}"), "sign");
        }
    }
}

/// Cycles by DWT and by the board, stack by painting and by the stack pointer.
#[test]
#[ignore = "slow: needs the firmware"]
fn both_measure_the_same() {
    for job in
        ["ML-DSA-44 small keygen 1 00 -", "ML-DSA-44 fast keygen 1 00 -", "ML-DSA-44 reference verify 1 00 -"]
    {
        let (mut board, printed) = board("stm32f407.elf", job, 128);
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
        let text = String::from_utf8(printed.borrow().clone()).unwrap();
        let line: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        let (own_cycles, own_depth) =
            (line["cycles"].as_u64().unwrap(), line["stack_bytes"].as_u64().unwrap());
        assert!((cycles..cycles + 60).contains(&own_cycles), "{job}: {cycles} and {own_cycles}");
        // Words that were reserved and never written stay painted.
        assert!(
            own_depth <= u64::from(depth) && own_depth + 64 >= u64::from(depth),
            "{job}: {depth} and {own_depth}"
        );
    }
}
