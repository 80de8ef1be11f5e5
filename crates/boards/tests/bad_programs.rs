// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Programs that go wrong, and files that are no programs: each gets a clear message and a sensible exit code.

mod common;

use common::{Asm, BSS, FLASH, HANG};
use pqsoc_boards::stm32f407::{End, Limits, Options, Stm32f407};
use pqsoc_boards::{Board, Program};

/// The message for a file that cannot be loaded.
fn refusal(elf: Vec<u8>) -> String {
    let program = match Program::parse("bad.elf", elf) {
        Ok(program) => program,
        Err(error) => return error.to_string(),
    };
    Stm32f407::new(program, Options::default()).err().expect("it loads").to_string()
}

fn good() -> Asm {
    let mut asm = Asm::new();
    asm.exit(0);
    asm
}

#[test]
fn files_that_are_no_programs() {
    assert_eq!(refusal(Vec::new()), "the file is empty");
    assert!(refusal(b"hello".to_vec()).starts_with("not an ELF file"));
    assert!(refusal(b":020000040800F2\n".to_vec()).contains("Intel HEX"));
    assert!(refusal(b"\x7fEL".to_vec()).contains("cut short"));
    let mut other = good();
    other.machine = 243;
    assert!(refusal(other.elf()).starts_with("built for RISC-V"), "{}", refusal(other.elf()));
    let host = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        assert!(refusal(host).starts_with("built for x86-64"));
    }
    let mut object = good().elf();
    object[16] = 1;
    assert_eq!(refusal(object), "an object file, not a linked program");
}

/// Every length of a truncated file: an error that says so, never a panic.
#[test]
fn truncated_files() {
    let elf = good().elf();
    assert!(Program::parse("whole", elf.clone()).is_ok());
    for length in 1..elf.len() {
        let message = refusal(elf[..length].to_vec());
        assert!(
            message.contains("truncated") || message.contains("cut short") || message.contains("damaged"),
            "{length}: {message}"
        );
    }
    let message = refusal(elf[..200].to_vec());
    assert!(
        message.contains("the table of sections ends at byte") && message.contains("has 200"),
        "{message}"
    );
}

/// Damage anywhere in the file: whatever happens, no panic and no endless loop.
#[test]
fn damaged_files() {
    let elf = good().elf();
    // Headers, vectors and tables densely, code and strings here and there.
    for at in (0..52 + 64 + 8).chain((200..elf.len()).step_by(7)) {
        for flip in [0x01, 0x80] {
            let mut bad = elf.clone();
            bad[at] ^= flip;
            if let Ok(program) = Program::parse("bad", bad)
                && let Ok(mut board) = Stm32f407::new(program, Options::default())
            {
                let end = board.run(&Limits { cycles: Some(10_000), wall: None });
                assert!(!board.report(&end).to_json().is_empty());
            }
        }
    }
}

#[test]
fn segments_and_vectors_that_do_not_fit() {
    let mut outside = good();
    outside.base = 0x6000_0000;
    assert!(refusal(outside.elf()).contains("outside the board's memory"), "{}", refusal(outside.elf()));
    let mut stack = good();
    stack.stack_top = 0x4000_0000;
    assert!(refusal(stack.elf()).contains("stack pointer 0x40000000 is not in RAM"));
    // Segment headers follow the ELF header: type, offset, addresses, sizes in the file and in memory.
    const SECOND: usize = 52 + 32;
    let mut huge = good().elf();
    huge[SECOND + 20..SECOND + 24].copy_from_slice(&0x1000_0000u32.to_le_bytes());
    assert_eq!(
        refusal(huge),
        "segment of 268435456 bytes at 0x20000000 is outside the board's memory (flash 1 MB at 0x08000000, \
         SRAM 128 KB at 0x20000000, CCM 64 KB at 0x10000000)"
    );
    let mut wrapping = good().elf();
    wrapping[SECOND + 20..SECOND + 24].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(refusal(wrapping.clone()).contains("wraps around"), "{}", refusal(wrapping));
    let mut overlapping = good().elf();
    // Four bytes of the file in the second segment too, where the first one is.
    overlapping[SECOND + 12..SECOND + 16].copy_from_slice(&(FLASH + 16).to_le_bytes());
    overlapping[SECOND + 16..SECOND + 20].copy_from_slice(&4u32.to_le_bytes());
    assert_eq!(refusal(overlapping), "damaged: segments 0 and 1 overlap at 0x08000010");
    let mut even = good().elf();
    even[52 + 64 + 4] &= !1;
    assert!(refusal(even).contains("is even"));
}

/// Sections and symbols are not needed: the report then speaks of addresses.
#[test]
fn stripped_programs() {
    let mut asm = Asm::new();
    asm.call("main").exit(0);
    asm.function("main").op(&[0x4674, 0xf5ad, 0x5de8, 0xb401, 0xb001, 0xf50d, 0x5de8, 0x4720]);
    let mut elf = asm.elf();
    // e_shoff; e_shentsize, e_shnum, e_shstrndx
    elf[32..36].fill(0);
    elf[46..52].fill(0);
    let mut board = Stm32f407::new(Program::parse("stripped", elf).unwrap(), Options::default()).unwrap();
    let end = board.run(&Limits::default());
    let report = board.report(&end);
    assert_eq!((end, report.exit_code, report.sizes.text), (End::Exit(0), 6, 0), "{report}");
    let text = report.to_string();
    assert!(text.contains("below its region (") && text.contains("first in function 0x0800"), "{text}");
}

/// The program recurses until its stack has run through its variables and out of memory.
#[test]
fn endless_recursion() {
    let mut asm = Asm::new();
    asm.call("main").op(&[HANG]);
    asm.function("main").op(&[0xb500]).call("deep").op(&[0xbd00]);
    asm.function("deep").op(&[0xb5f0]).call("deep").op(&[0xbdf0]);
    let (mut board, end) = asm.run();
    let report = board.report(&end);
    let overflow = report.stack.overflow.clone().expect("noticed");
    assert_eq!(overflow.limit, BSS + 0x400);
    assert!((BSS + 0x400 - 20..BSS + 0x400).contains(&overflow.sp));
    let text = report.to_string();
    let message = format!(
        "stack reached {:#010x} below its region ({} bytes into .bss: LAST), first in function deep called from deep",
        overflow.sp,
        overflow.limit - overflow.sp
    );
    assert!(text.contains(&message), "{text}");
    assert_eq!(overflow.back_trace.last().unwrap().function, "deep");
    assert!(!report.faults.is_empty(), "below RAM nothing answers");
    assert_eq!(report.exit_code, 5);
}

/// The stack grazes the variables and comes back: the program ends well, and the run does not.
#[test]
fn overflow_without_a_fault() {
    let mut asm = Asm::new();
    asm.call("main").exit(0);
    // SUB SP, #0x1d00; PUSH {R0}; ADD SP, #0x1d04 with LR kept in R4
    asm.function("main").op(&[0x4674, 0xf5ad, 0x5de8, 0xb401, 0xb001, 0xf50d, 0x5de8, 0x4720]);
    let (mut board, end) = asm.run();
    assert_eq!(end, End::Exit(0));
    let report = board.report(&end);
    assert_eq!(report.exit_code, 6, "{report}");
    assert_eq!(report.stack.overflow.clone().unwrap().back_trace[1].function, "reset");
    assert_eq!(report.stack.bytes, 0x1d04);
}

#[test]
fn stack_that_fits() {
    let mut asm = Asm::new();
    asm.call("main").exit(0);
    asm.function("main").op(&[0xb510, 0xb082, 0xb002, 0xbd10]);
    let (mut board, end) = asm.run();
    let report = board.report(&end);
    assert_eq!(
        (report.exit_code, report.stack.bytes, report.stack.overflow.is_none()),
        (0, 16, true),
        "{report}"
    );
}

/// UDIV by zero with CCR.DIV_0_TRP.
#[test]
fn division_by_zero() {
    let mut asm = Asm::new();
    asm.poke(0xe000_ed14, 0x210).call("ratio").exit(0);
    asm.function("ratio").set(2, 7).set(3, 0).op(&[0xfbb2, 0xf2f3, 0x4770]);
    let (mut board, end) = asm.run();
    let report = board.report(&end);
    let text = report.to_string();
    assert!(matches!(end, End::Idle(_)), "{text}");
    assert_eq!(report.exit_code, 5);
    let fault = &report.faults[0];
    assert!(fault.what.starts_with("division by zero at pc"), "{text}");
    assert!(fault.function.starts_with("ratio+"));
    let callers: Vec<_> = fault.back_trace.iter().map(|f| f.function.as_str()).collect();
    assert_eq!(callers, ["ratio", "reset"], "{text}");
    assert!(fault.escalated);
}

/// A jump to variables: odd addresses are executed, even ones are no Thumb code, and CCM cannot be executed.
#[test]
fn jumps_to_data() {
    // (target, first word there, message)
    for (target, word, message) in [
        (BSS + 0x10, 0, "branch to an even address"),
        (BSS + 0x11, 0xdeff_deff, "undefined instruction"),
        (0x1000_0001, 0, "fetch from an address"),
        (0x3000_0001, 0, "fetch from an address where there is no memory"),
        (0x4002_0001, 0, "execution from memory that must not be executed"),
    ] {
        let mut asm = Asm::new();
        asm.poke(target & !1, word).call("main").exit(0);
        asm.function("main").set(2, target).op(&[0x4710]);
        if target > 0x3000_0000 {
            asm = Asm::new();
            asm.call("main").exit(0);
            asm.function("main").set(2, target).op(&[0x4710]);
        }
        let (mut board, end) = asm.run();
        let report = board.report(&end);
        let text = report.to_string();
        assert!(report.faults[0].what.contains(message), "{target:#x}: {text}");
        assert_eq!(report.exit_code, 5, "{text}");
        assert!(report.faults[0].back_trace.iter().any(|f| f.function == "reset"), "{text}");
    }
}

/// A fault in the HardFault handler.
#[test]
fn lockup() {
    let mut asm = Asm::new();
    asm.op(&[0xde00]);
    asm.handler(3, "hard_fault").op(&[0xde00]);
    let (mut board, end) = asm.run();
    assert_eq!(end, End::Lockup);
    let report = board.report(&end);
    assert_eq!((report.exit_code, report.faults.len()), (5, 2), "{report}");
}

/// A program with a handler of its own goes on after a fault; the report tells.
#[test]
fn a_handled_fault() {
    let mut asm = Asm::new();
    // SHCSR.USGFAULTENA
    asm.poke(0xe000_ed24, 1 << 18).op(&[0xde00]).exit(3);
    // Return behind the instruction: stacked PC + 2
    asm.handler(6, "usage_fault").op(&[0x9806, 0x3002, 0x9006, 0x4770]);
    let (mut board, end) = asm.run();
    assert_eq!(end, End::Exit(3));
    let report = board.report(&end);
    assert_eq!(report.exit_code, 3);
    assert!(!report.faults[0].escalated);
}

#[test]
fn limits() {
    let mut asm = Asm::new();
    // A loop that is not obviously endless: ADDS R0, #1; B back
    asm.op(&[0x3001, 0xe7fd]);
    let (mut board, _) = asm.board(Options::default());
    let end = board.run(&Limits { cycles: Some(100_000), wall: None });
    assert_eq!((end.clone(), board.exit_code(&end)), (End::Cycles, 5));
    assert!((100_000..100_100).contains(&board.cycles()), "{}", board.cycles());
    let end = board.run(&Limits { cycles: None, wall: Some(std::time::Duration::from_millis(1)) });
    assert_eq!((end.clone(), board.exit_code(&end)), (End::TimeOut, 5));
    // One that is.
    let mut asm = Asm::new();
    asm.op(&[HANG]);
    let (mut board, end) = asm.run();
    assert!(matches!(end, End::Idle(_)));
    assert_eq!(board.report(&end).exit_code, 0);
}
