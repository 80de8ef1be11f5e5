// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The core where it meets debuggers, sleep, the ends of memory and instructions that nobody writes.

use pqsoc_armv7::a9::FaultKind;
use pqsoc_boards::zynq7000::{End, Limits, Options, Zynq7000};
use pqsoc_boards::{Board, Program};

use crate::asm::elf::{FUNCTION, LABEL, Symbol, TEXT, ZEROS};
use crate::asm::*;

/// The private timer of the core, which counts half its cycles.
const TIMER: u32 = 0xf8f0_0600;

fn limited(board: &mut Zynq7000, cycles: u64) -> End {
    let cycles = Some(board.cycles() + cycles);
    board.run(&Limits { cycles, wall: None })
}

/// Lets the private timer interrupt after `load` of its steps, and every so many again.
fn timer(asm: &mut Asm, load: u32) {
    asm.poke(0xf8f0_1000, 1).poke(0xf8f0_0100, 1).poke(0xf8f0_0104, 0xf8).poke(0xf8f0_1100, 1 << 29);
    asm.poke(TIMER, load).poke(TIMER + 8, 7);
}

/// A run that goes on from a breakpoint asleep ends at its limit, though the alarm is set for later.
#[test]
fn a_sleeper_does_not_outsleep_the_limit() {
    let mut asm = Asm::start();
    timer(&mut asm, 10_000_000);
    let sleep = asm.here();
    asm.op(0xe320_f003).exit(); // wfi
    let mut board = asm.board(Options::default());
    board.add_breakpoint(sleep);
    assert_eq!(limited(&mut board, 1_000_000), End::Breakpoint(sleep));
    board.step();
    let before = board.cycles();
    for _ in 0..3 {
        assert_eq!(limited(&mut board, 1000), End::Cycles);
    }
    assert!((3000..3100).contains(&(board.cycles() - before)), "{}", board.cycles() - before);
    assert_eq!(limited(&mut board, 30_000_000), End::Exit(0), "and wakes in the end");
}

/// What was WFI before ARMv7 does nothing.
#[test]
fn the_wfi_of_old_does_not_sleep() {
    let mut asm = Asm::start();
    asm.mcr((7, 0, 0, 4), 0).exit();
    asm.run(Options::default());
}

/// Looking at memory changes neither what a program does nor a cycle or count of it.
#[test]
fn looking_changes_nothing() {
    let run = |look: bool| {
        let mut asm = Asm::start_with_l2();
        asm.poke(DATA, 1).clean(false, DATA, 4);
        let middle = asm.here();
        asm.op(0xe320_f000);
        for at in [DATA, DATA + 0x10_0000, DATA + 0x20_0000, 0x1000_0000] {
            asm.peek(6, at);
        }
        // A section that another one is put in place of: it had not been looked at.
        asm.poke(TABLE + 4 * 0x300, DATA | WRITE_BACK).clean(true, TABLE + 4 * 0x300, 4).peek(7, 0x3000_0000);
        asm.exit();
        let mut board = asm.board(Options::default());
        map(&mut board, 0x3000_0000, (DATA + 0x10_0000) | WRITE_BACK);
        board.add_breakpoint(middle);
        assert_eq!(limited(&mut board, 1_000_000), End::Breakpoint(middle));
        if look {
            for at in (DATA..0x2000_0000).step_by(0x10_0000).chain([0x3000_0000, 0xd000_0000, 0xffff_fffc]) {
                board.core().peek(at, &mut [0; 64]);
            }
            assert_eq!(seen(&mut board, DATA), 1);
        }
        board.remove_breakpoint(middle);
        let end = limited(&mut board, 1_000_000);
        assert_eq!(end, End::Exit(0));
        assert_eq!(board.core().register(7), 1, "the section that is there now");
        board.report(&end).to_json()
    };
    assert_eq!(run(true), run(false));
}

/// Bytes up to the last one there is, and round the end.
#[test]
fn the_last_byte_of_memory() {
    let mut asm = Asm::start();
    asm.poke(0xffff_fffc, 0x4433_2211).peek(6, 0xffff_fffc).exit();
    let mut board = asm.run(Options::default());
    assert_eq!(board.core().register(6), 0x4433_2211);
    let mut bytes = [0; 4];
    assert!(board.core().peek(0xffff_fffc, &mut bytes));
    assert_eq!(bytes, [0x11, 0x22, 0x33, 0x44]);
    assert!(board.core().poke(0xffff_fffe, &[0x55, 0x66]));
    assert_eq!(seen(&mut board, 0xffff_fffc), 0x6655_2211);
    board.core().peek(0xffff_ffff, &mut bytes);
    board.core().poke(0xffff_ffff, &bytes);
    assert!(board.soc().set_memory(0xffff_ffff, &[0x77]));
    assert!(!board.soc().set_memory(0xffff_ffff, &[1, 2]), "not round the end");
    // A program that fills on-chip memory to its end: b .
    let words = vec![0xeaff_fffe; 16];
    let program = Program::parse_application("end", elf(0xffff_ffc0, &words)).unwrap();
    let mut board = Zynq7000::new(program, Options::default()).unwrap();
    assert_eq!(limited(&mut board, 100_000), End::Idle(0xffff_ffc0));
}

/// A watchpoint on the last byte.
#[test]
fn the_last_byte_can_be_watched() {
    let mut asm = Asm::start();
    asm.poke(0xffff_fffc, 0).poke_byte(0xffff_ffff, 1).exit();
    let mut board = asm.board(Options::default());
    board.core().add_watchpoint(0xffff_ffff, 1, false, true);
    for address in [0xffff_fffc, 0xffff_ffff] {
        assert_eq!(limited(&mut board, 1_000_000), End::Watchpoint { address, write: true });
    }
    assert_eq!(limited(&mut board, 1_000_000), End::Exit(0));
}

/// PAR has the physical address, or why there is none.
#[test]
fn translations_can_be_asked_for() {
    let mut asm = Asm::start();
    for (rt, address) in [(6, 0x3000_1234), (7, 0xd000_0000)] {
        asm.set(0, address).mcr((7, 0, 8, 0), 0).mrc((7, 0, 4, 0), rt);
    }
    asm.set(0, 1).mcr((3, 0, 0, 0), 0); // Clients of domain 0 alone from here on: the code's own is 15
    let mut board = asm.board(Options::default());
    map(&mut board, 0x3000_0000, DATA | WRITE_BACK);
    board.stop_at_faults(true);
    assert_eq!(limited(&mut board, 1_000_000), End::Fault);
    assert_eq!(board.core().register(6) & 0xffff_f000, DATA + 0x1000);
    assert_eq!(board.core().register(7), 0b00101 << 1 | 1, "translation fault, section");
}

/// Data processing into PC with S returns from an exception, with every operand but one shifted by a register.
#[test]
fn returns_by_any_operation() {
    const TARGET: u32 = CODE + 0x1000;
    for (instruction, r0) in [
        (0xe1b0_f000, TARGET),                         // movs pc, r0
        (0xe1b0_f100, TARGET >> 2),                    // movs pc, r0, lsl #2
        (0xe1b0_f220, TARGET << 4),                    // movs pc, r0, lsr #4
        (0xe1b0_f260, TARGET.rotate_left(4)),          // movs pc, r0, ror #4
        (0xe1b0_f060, TARGET << 1),                    // movs pc, r0, rrx: C is clear
        (0xe090_f000, TARGET / 2),                     // adds pc, r0, r0
        (0xe250_f004, TARGET + 4),                     // subs pc, r0, #4
        (0xe270_fa01, 0x1000u32.wrapping_sub(TARGET)), // rsbs pc, r0, #0x1000
        (0xe2b0_f004, TARGET - 4),                     // adcs pc, r0, #4
        (0xe3d0_f003, TARGET | 3),                     // bics pc, r0, #3
    ] {
        let mut asm = Asm::start();
        // SPSR is CPSR, so that the return changes no mode; CMN r0, #0 clears C.
        asm.op(0xe10f_1000).op(0xe16f_f001).set(0, r0).op(0xe370_0000).op(instruction);
        asm.words.resize(((TARGET - CODE) / 4) as usize, 0xe7f0_00f0);
        asm.set(6, 0x600d).exit();
        let mut board = asm.board(Options::default());
        board.stop_at_faults(true);
        assert_eq!(limited(&mut board, 1_000_000), End::Exit(0), "{instruction:#x}");
        assert_eq!(board.core().register(6), 0x600d, "{instruction:#x}");
    }
    // movs pc, r0, lsl r1 and its like are unpredictable: they fault.
    for instruction in [0xe1b0_f110, 0xe090_f112, 0xe1f0_f110] {
        let mut asm = Asm::start();
        asm.op(0xe10f_1000).op(0xe16f_f001).set(0, TARGET).set(1, 0);
        let at = asm.here();
        asm.op(instruction).exit();
        let mut board = asm.board(Options::default());
        board.stop_at_faults(true);
        assert_eq!(limited(&mut board, 1_000_000), End::Fault, "{instruction:#x}");
        let fault = board.core().last_fault().unwrap();
        assert_eq!((fault.kind, fault.pc, fault.encoding), (FaultKind::Undefined, at, Some(instruction)));
    }
}

/// Branch with link from `from` to `to`.
fn bl(from: u32, to: u32) -> u32 {
    0xeb00_0000 | (to.wrapping_sub(from + 8) >> 2) & 0xff_ffff
}

const STACK: u32 = 0x0030_0000;
const STACK_BYTES: u32 = 0x400;
const EXCEPTIONS: u32 = 0x100;

/// A program whose `main` calls `deep`, which calls itself so many times with 20 bytes of stack each; the linker script has the
/// exceptions' stack below the limit, if there are labels.
fn recursion(calls: u32, labels: bool) -> Zynq7000 {
    let mut asm = Asm::new();
    asm.set(13, STACK + STACK_BYTES);
    let main = asm.here() + 8;
    let reset = asm.here();
    asm.op(bl(reset, main)).op(0xeaff_fffe);
    asm.set(0, calls).op(0xe92d_4010); // push {r4, lr}
    let call = asm.here();
    let deep = call + 4 * 12;
    asm.op(bl(call, deep)).op(0xe8bd_4010); // pop {r4, lr}
    asm.exit();
    asm.words.resize(((deep - CODE) / 4) as usize, 0xe320_f000);
    // deep: push {r4-r7, lr}; subs r0, #1; blne deep; pop {r4-r7, pc}
    asm.op(0xe92d_40f0).op(0xe250_0001).op(bl(deep + 8, deep) & 0x0fff_ffff | 0x1000_0000).op(0xe8bd_80f0);
    let symbol = |name, address, size, kind, section| Symbol { name, address, size, kind, section };
    let mut symbols = vec![
        symbol("_start", CODE, main - CODE, FUNCTION, TEXT),
        symbol("main", main, deep - main, FUNCTION, TEXT),
        symbol("deep", deep, 16, FUNCTION, TEXT),
    ];
    if labels {
        symbols.push(symbol("__stack_limit", STACK + EXCEPTIONS, 0, LABEL, ZEROS));
    }
    let zeros = (".stack", STACK, STACK_BYTES);
    let program =
        Program::parse_application("deep", with_symbols(CODE, &asm.words, zeros, &symbols)).unwrap();
    Zynq7000::new(program, Options::default()).unwrap()
}

#[test]
fn a_stack_that_leaves_its_region_is_reported() {
    for (labels, limit) in [(true, STACK + EXCEPTIONS), (false, STACK)] {
        let room = STACK + STACK_BYTES - limit;
        let most = (room - 8) / 20;
        let mut board = recursion(most, labels);
        assert_eq!(limited(&mut board, 1_000_000), End::Exit(0));
        let report = board.report(&End::Exit(0));
        let stack = report.stack.clone().unwrap();
        assert_eq!((stack.top, stack.limit, stack.bytes), (STACK + STACK_BYTES, limit, 8 + 20 * most));
        assert!(stack.overflow.is_none() && report.exit_code == 0, "{report}");

        let mut board = recursion(most + 2, labels);
        let end = limited(&mut board, 1_000_000);
        assert_eq!(end, End::Exit(0), "it goes on as it would on the chip");
        let report = board.report(&end);
        assert_eq!(report.exit_code, 6);
        let sp = STACK + STACK_BYTES - 8 - 20 * (most + 1);
        let into = if labels { ".stack".to_string() } else { format!("{limit:#010x}") };
        let way = if labels { "into" } else { "below" };
        let message = format!(
            "stack reached {sp:#010x} below its region ({} bytes {way} {into}), first in function deep called from deep",
            limit - sp
        );
        assert!(report.to_string().contains(&message), "{message}: {report}");
        let overflow = report.stack.clone().unwrap().overflow.unwrap();
        let callers: Vec<_> = overflow.back_trace.iter().map(|frame| frame.function.as_str()).collect();
        let depth = most as usize + 1;
        let shown = callers.len().min(depth);
        assert!(shown > 10 && callers[..shown].iter().all(|caller| *caller == "deep"), "{callers:?}");
        if callers.len() > depth {
            assert_eq!(callers[depth..], ["main", "_start"]);
        }
        let json: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
        assert_eq!(json["stack"]["overflow"]["sp"], sp);
        assert_eq!(json["stack_bytes"], 8 + 20 * (most + 2));
        assert!(json["size"]["text"].is_u64() && json["fault"].is_null(), "{json}");
    }
}

/// In a handler the stack pointer is another one, and the depth is still the program's.
#[test]
fn the_stack_of_a_handler_is_not_the_programs() {
    let mut board = recursion(1, true);
    board.run_to("deep", &Limits::default()).unwrap();
    // CPS #0x1b with a stack of its own, far below; then it ends there.
    let pc = board.core().pc();
    assert!(board.core().poke(pc, &0xf102_001bu32.to_le_bytes()));
    assert!(board.core().poke(pc + 4, &0xe3a0_d000u32.to_le_bytes())); // mov sp, #0
    assert!(board.core().poke(pc + 8, &0xeaff_fffeu32.to_le_bytes()));
    let end = limited(&mut board, 1_000_000);
    assert_eq!(end, End::Idle(pc + 8));
    let report = board.report(&end);
    let stack = report.stack.unwrap();
    assert_eq!((stack.bytes, stack.overflow), (8, None));
}
