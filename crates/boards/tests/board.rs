// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The board as a program sees it: memory map, clocks, peripherals, console.

mod common;

use common::{Asm, BSS, HANG, RETURN, RTT, SEMIHOSTING, USART2};
use pqsoc_boards::Board;
use pqsoc_boards::profile::Profile;
use pqsoc_boards::stm32f407::{End, ForcedClock, HookAction, Limits, Options, RunError};
use pqsoc_boards::trace::Trace;

const RCC: u32 = 0x4002_3800;
const GPIOD: u32 = 0x4002_0c00;

/// Exits with the word at `address`.
fn word_at(address: u32) -> u32 {
    let mut asm = Asm::new();
    asm.peek(0, address).exit_r0();
    asm.exit_code()
}

#[test]
fn identification() {
    assert_eq!(word_at(0x1fff_7a20) >> 16, 1024, "flash size in KB");
    assert_eq!(word_at(0xe004_2000) & 0xfff, 0x413);
    assert_eq!(word_at(0xe000_ed00), 0x410f_c241);
    assert_eq!(word_at(0x1fff_7a10), u32::from_le_bytes(*b"pqso"));
    assert_eq!(word_at(0), common::STACK_TOP, "the flash is at 0 too");
    assert_eq!(word_at(RCC), 0x0000_0083);
}

/// What is not modelled reads as after reset, and the report says so once.
#[test]
fn unknown_registers_are_reported_once() {
    let mut asm = Asm::new();
    asm.enable(0x44, 1 << 12);
    asm.peek(0, 0x4001_3008).peek(0, 0x4001_3008).exit_r0();
    let (mut board, end) = asm.run();
    assert_eq!(end, End::Exit(2), "SPI1_SR: TXE");
    let report = board.report(&end);
    assert_eq!(report.notes.len(), 1, "{report}");
    assert!(report.notes[0].contains("SPI1 + 0x8"), "{report}");
}

/// A block whose clock is off reads 0 and ignores writes.
#[test]
fn clock_gates() {
    let mut asm = Asm::new();
    asm.poke(GPIOD, 0x5500_0000).peek(0, GPIOD).exit_r0();
    let (mut board, end) = asm.run();
    assert_eq!(end, End::Exit(0));
    assert!(board.report(&end).notes[0].starts_with("GPIOD is used while its clock is off"));
    let mut asm = Asm::new();
    asm.enable(0x30, 8).poke(GPIOD, 0x5500_0000).peek(0, GPIOD).exit_r0();
    assert_eq!(asm.exit_code(), 0x5500_0000);
}

#[test]
fn nothing_answers_between_the_blocks() {
    for address in [0x4000_6000, 0x4003_0000, 0x2002_0000, 0x0810_0000, 0x6000_0000, 0x1001_0000] {
        let mut asm = Asm::new();
        asm.peek(0, address).exit(0);
        let (mut board, end) = asm.run();
        let report = board.report(&end);
        assert!(report.faults[0].what.contains(&format!("{address:#010x}")), "{report}");
        assert_eq!(report.exit_code, 5);
    }
}

/// Trap: a store to the bit-band alias of a register is a read and a write of the register, with all that follows:
/// HSEON through RCC_CR's alias starts the oscillator.
#[test]
fn bit_band_of_peripherals() {
    let alias = |address: u32, bit: u32| 0x4200_0000 + (address - 0x4000_0000) * 32 + bit * 4;
    let mut asm = Asm::new();
    asm.poke(alias(RCC, 16), 1);
    asm.set(2, alias(RCC, 17));
    // Wait for HSERDY: LDR R0, [R2]; CMP R0, #1; BNE
    asm.op(&[0x6810, 0x2801, 0xd1fc]).peek(0, RCC).exit_r0();
    assert_eq!(asm.exit_code() & 0x3_0003, 0x3_0003);
}

/// Trap: the upper half of BSRR written as a halfword resets pins.
#[test]
fn halfword_access_to_bsrr() {
    let mut asm = Asm::new();
    asm.enable(0x30, 8).poke(GPIOD + 0x18, 0xf000);
    // STRH R1, [R0]
    asm.set(0, GPIOD + 0x1a).set(1, 0x5000).op(&[0x8001]).peek(0, GPIOD + 0x14).exit_r0();
    assert_eq!(asm.exit_code(), 0xa000);
}

/// SYSCFG_MEMRMP = 3 shows SRAM1 at 0.
#[test]
fn remapping() {
    let mut asm = Asm::new();
    asm.enable(0x44, 1 << 14).poke(BSS, 0x1234_5678).poke(0x4001_3800, 3).peek(0, 0).exit_r0();
    assert_eq!(asm.exit_code(), 0x1234_5678);
}

/// Unlock, program a word of erased flash, read it back; without the key nothing happens.
#[test]
fn flash_programming() {
    let target = 0x080e_0000;
    let program = |keys: bool| {
        let mut asm = Asm::new();
        if keys {
            asm.poke(0x4002_3c04, 0x4567_0123).poke(0x4002_3c04, 0xcdef_89ab);
        }
        asm.poke(0x4002_3c10, 0x201).poke(target, 0x0bad_cafe).peek(0, target).exit_r0();
        asm.exit_code()
    };
    assert_eq!(program(true), 0x0bad_cafe);
    assert_eq!(program(false), u32::MAX);
}

/// A wrong key is a bus error.
#[test]
fn flash_key_sequence() {
    let mut asm = Asm::new();
    asm.poke(0x4002_3c04, 1).exit(0);
    let (mut board, end) = asm.run();
    let report = board.report(&end);
    assert_eq!((report.exit_code, report.faults.len()), (5, 1), "{report}");
}

/// Characters take their time on the way in, and go out while the next one comes.
#[test]
fn serial_port() {
    let options = Options { input: b"ping\0".to_vec(), ..Options::default() };
    let (mut board, printed) = common::echo().board(options);
    assert_eq!(board.run(&Limits { cycles: Some(1_000_000), wall: None }), End::Exit(0));
    assert_eq!(*printed.borrow(), b"ping");
    // Five characters of ten bits at 16 MHz / 139
    assert!((5 * 1390..5 * 1390 + 200).contains(&board.cycles()), "{}", board.cycles());
}

/// Rounds of loops that wait are added up instead of executed: the counts are the same as with every instruction shown
/// to an observer, which keeps the core from doing so.
#[test]
fn waiting_changes_no_count() {
    let mut asm = Asm::new();
    asm.enable(0x40, 1 << 17).poke(USART2 + 8, 0x8b).poke(USART2 + 12, 0x200c).set(2, USART2);
    // MOVS R0, #'x'; STR R0, [R2, #4]; wait for TC: LDR R0, [R2]; LSLS R0, #25; BPL
    asm.op(&[0x2078, 0x6050, 0x6810, 0x0640, 0xd5fc]).op(&[0x2079, 0x6050, 0x6810, 0x0640, 0xd5fc]);
    asm.poke(BSS, 0).poke(0xe000_e014, 9999).poke(0xe000_e018, 0).poke(0xe000_e010, 7).set(3, BSS);
    // Wait for the handler of SysTick: LDR R0, [R3]; CMP R0, #0; BEQ
    asm.op(&[0x6818, 0x2800, 0xd0fc]);
    // A count down in memory is no waiting: LDR R0, [R3, #4]; SUBS R0, #1; STR R0, [R3, #4]; BNE
    asm.poke(BSS + 4, 1000).set(3, BSS).op(&[0x6858, 0x3801, 0x6058, 0xd1fb]).exit(0);
    asm.handler(15, "sys_tick").set(0, BSS).set(1, 1).str(1, 0).op(&[RETURN]);
    // Without wait states, and with 5 of them, prefetch and caches: then lines of flash are charged by the block, and so
    // otherwise, by a few cycles, when each instruction is shown.
    for (clock, tolerance) in [(None, 0), (Some(ForcedClock::Mhz168), 20)] {
        let options = || Options { clock, ..Options::default() };
        let (mut board, printed) = asm.board(options());
        assert_eq!(board.run(&Limits::default()), End::Exit(0));
        assert_eq!(*printed.borrow(), b"xy");
        assert!(board.cycles() > 2 * 1390 + 9999 + 5000, "{}", board.cycles());
        let (mut shown, _) = asm.board(options());
        let symbols = shown.program().symbols.clone();
        let mut trace = Trace::new(&symbols, std::io::sink());
        assert_eq!(shown.run_observed(&Limits::default(), &mut trace), End::Exit(0));
        assert!(board.cycles().abs_diff(shown.cycles()) <= tolerance, "{clock:?}");
        assert!(board.core().instructions().abs_diff(shown.core().instructions()) <= tolerance, "{clock:?}");
    }
}

#[test]
fn ends_when_the_text_is_printed() {
    let mut asm = Asm::new();
    asm.enable(0x40, 1 << 17).poke(USART2 + 8, 1).poke(USART2 + 12, 0x2008).set(2, USART2).set(0, 0x23);
    // STR R0, [R2, #4]; MOVS R0, #0x21; wait
    asm.op(&[0x6050, 0x2021, HANG]);
    let (mut board, printed) = asm.board(Options { until: "#".into(), ..Options::default() });
    let end = board.run(&Limits::default());
    assert_eq!((end.clone(), board.exit_code(&end)), (End::Until, 0));
    assert_eq!(*printed.borrow(), b"#");
    assert_eq!(board.core().register(0), 0x23, "at once");
}

/// SYS_WRITE0 and ITM port 0.
#[test]
fn semihosting_and_itm() {
    let mut asm = Asm::new();
    asm.poke(BSS, u32::from_le_bytes(*b"hi!\0")).set(0, 4).set(1, BSS).op(&[SEMIHOSTING]);
    // DEMCR.TRCENA, ITM_LAR, ITM_TCR, ITM_TER, then a byte: STRB R1, [R0]
    asm.poke(0xe000_edfc, 1 << 24).poke(0xe000_0fb0, 0xc5ac_ce55).poke(0xe000_0e80, 1).poke(0xe000_0e00, 1);
    asm.set(0, 0xe000_0000).set(1, 0x3f).op(&[0x7001]).exit(7);
    let (mut board, printed) = asm.board(Options::default());
    assert_eq!(board.run(&Limits::default()), End::Exit(7));
    assert_eq!(*printed.borrow(), b"hi!?");
}

/// Text in RTT's up-channel 0, once round the end of its ring; the host switches the channel to blocking.
#[test]
fn rtt() {
    let mut asm = Asm::new();
    for (i, word) in b"SEGGER RTT\0\0\0\0\0\0".as_chunks::<4>().0.iter().enumerate() {
        asm.poke(RTT + 4 * i as u32, u32::from_le_bytes(*word));
    }
    // One channel: buffer of 8 bytes that is read from 6 and written up to 3
    for (offset, word) in [(16, 1), (20, 0), (28, BSS), (32, 8), (36, 3), (40, 6), (44, 0)] {
        asm.poke(RTT + offset, word);
    }
    asm.poke(BSS, u32::from_le_bytes(*b"llo?")).poke(BSS + 4, u32::from_le_bytes(*b"??he"));
    asm.peek(3, RTT + 40).op(&[0x2b06]);
    // Wait until it has been read: LDR R0, [R2]; CMP R0, #3; BNE
    asm.set(2, RTT + 40).op(&[0x6810, 0x2803, 0xd1fc]).peek(0, RTT + 44).exit_r0();
    let (mut board, printed) = asm.board(Options::default());
    assert_eq!(board.run(&Limits { cycles: Some(1_000_000), wall: None }), End::Exit(2));
    assert_eq!(*printed.borrow(), b"hello");
}

/// An allocator's calls.
#[test]
fn heap() {
    let mut asm = Asm::new();
    asm.set(0, 100).call("_sbrk").set(0, 28).call("_sbrk").set(0, (-64i32) as u32).call("_sbrk").exit(0);
    asm.function("_sbrk").op(&[RETURN]);
    let (mut board, end) = asm.run();
    assert_eq!((end.clone(), board.report(&end).heap_bytes), (End::Exit(0), Some(128)));
}

/// An output that fails ends the run.
#[test]
fn output_that_cannot_be_written() {
    let mut asm = Asm::new();
    asm.poke(BSS, 0x41).op(&[0xe7ff]).set(0, 4).set(1, BSS).op(&[SEMIHOSTING]).op(&[0x3001, 0xe7fd]);
    let program = pqsoc_boards::Program::parse("t", asm.elf()).unwrap();
    let sink = Box::new(|_, _: &[u8]| Err(std::io::ErrorKind::BrokenPipe.into()));
    let mut board =
        pqsoc_boards::stm32f407::Stm32f407::new(program, Options { sink, ..Options::default() }).unwrap();
    assert_eq!(board.run(&Limits { cycles: Some(10_000_000), wall: None }), End::Output);
    assert_eq!(board.output_error().unwrap().kind(), std::io::ErrorKind::BrokenPipe);
}

/// The clock that the program sets, and what `ForcedClock` makes of it.
#[test]
fn clocks_and_wait_states() {
    let mut asm = Asm::new();
    // HSE and PLL on at 168 MHz without wait states
    asm.poke(RCC, 0x1_0083).set(2, RCC).op(&[0x6810, 0x0380, 0xd5fc]);
    asm.poke(RCC + 4, 8 | 336 << 6 | 1 << 22 | 7 << 24).poke(RCC, 0x101_0083).set(2, RCC);
    asm.op(&[0x6810, 0x0180, 0xd5fc]).poke(RCC + 8, 2 | 5 << 10 | 4 << 13).peek(0, RCC + 8).exit_r0();
    let (mut board, end) = asm.run();
    assert_eq!(end, End::Exit(2 | 2 << 2 | 5 << 10 | 4 << 13));
    let report = board.report(&end);
    assert_eq!((report.clock_hz, report.wait_states), (168_000_000, 0));
    assert!(report.notes[0].contains("it needs 5"), "{report}");
    assert!(report.seconds > 0.002, "the crystal takes 2 ms to start");

    let (mut board, _) = asm.board(Options { clock: Some(ForcedClock::Mhz168), ..Options::default() });
    let end = board.run(&Limits::default());
    let report = board.report(&end);
    assert_eq!((report.clock_hz, report.wait_states, report.notes.len()), (168_000_000, 5, 0), "{report}");
}

/// The same seed gives the same run; another gives other random numbers.
#[test]
fn random_numbers_from_a_seed() {
    let mut asm = Asm::new();
    // The RNG's clock is the PLL's; HSI / 16 * 192 / 4 = 48 MHz
    asm.poke(RCC + 4, 16 | 192 << 6 | 4 << 24)
        .poke(RCC, 0x100_0083)
        .set(2, RCC)
        .op(&[0x6810, 0x0180, 0xd5fc]);
    asm.enable(0x34, 1 << 6).poke(0x5006_0800, 4).set(2, 0x5006_0800);
    // LDR R0, [R2, #4]; LSLS R0, #31; BEQ; LDR R0, [R2, #8]
    asm.op(&[0x6850, 0x07c0, 0xd0fc, 0x6890]).exit_r0();
    let run = |seed| {
        let (mut board, _) = asm.board(Options { seed, ..Options::default() });
        (board.run(&Limits { cycles: Some(1_000_000), wall: None }), board.cycles())
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1).0, run(2).0);
    assert!(matches!(run(1).0, End::Exit(_)));
}

/// The program that the examples of the documentation run is this one; PQSOC_BLESS=1 writes it.
#[test]
fn program_of_the_documentation() {
    let mut asm = Asm::new();
    asm.set(0, 5).call("double").call("double").set(1, BSS).str(0, 1).exit(0);
    asm.function("double").op(&[0x1800, RETURN]);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/double.elf");
    if std::env::var_os("PQSOC_BLESS").is_some() {
        std::fs::write(path, asm.elf()).unwrap();
    }
    assert_eq!(std::fs::read(path).unwrap(), asm.elf());
}

/// Calls can be hooked, skipped, counted and waited for.
#[test]
fn library() {
    let mut asm = Asm::new();
    asm.set(0, 5).call("double").call("double").exit_r0();
    // ADDS R0, R0; three NOPs
    asm.function("double").op(&[0x1800, 0xbf00, 0xbf00, 0xbf00, RETURN]);
    let (mut board, _) = asm.board(Options::default());
    assert!(matches!(board.run_to("nothing", &Limits::default()), Err(RunError::NoSymbol(_))));
    let cycles = board.cycles_of("double", &Limits::default()).unwrap();
    assert!((6..=8).contains(&cycles), "{cycles}");
    let between = board.cycles_between("double", "nothing", &Limits::default());
    assert!(matches!(between, Err(RunError::NoSymbol(_))));
    assert_eq!(board.run(&Limits::default()), End::Exit(20));

    let (mut board, _) = asm.board(Options::default());
    board
        .hook(
            "double",
            Box::new(|core| match core.register(0) {
                5 => HookAction::Continue,
                value => HookAction::Return(value + 1),
            }),
        )
        .unwrap();
    assert_eq!(board.run(&Limits::default()), End::Exit(11));
    let mut word = [0; 4];
    board.write(BSS, &[1, 2, 3, 4]).unwrap();
    board.read(BSS, &mut word).unwrap();
    assert_eq!(word, [1, 2, 3, 4]);
    assert!(board.read(0x3000_0000, &mut word).is_err());

    let (mut board, _) = asm.board(Options::default());
    assert!(
        board.cycles_between("reset", "double", &Limits::default()).is_err(),
        "reset is not entered again"
    );
}

/// Calls, tail calls, cycles and stack by function.
#[test]
fn profile() {
    let mut asm = Asm::new();
    asm.call("outer").call("outer").exit(0);
    // PUSH {R4, LR}; BL leaf; POP {R4, LR}; B.W tail
    asm.function("outer").op(&[0xb510]).call("leaf").op(&[0xe8bd, 0x4010]).jump("tail");
    // SUB SP, #64; ADD SP, #64 around a short loop
    asm.function("leaf").op(&[0xb090, 0x2008, 0x3801, 0xd1fd, 0xb010, RETURN]);
    asm.function("tail").op(&[0xbf00, RETURN]);
    let (mut board, _) = asm.board(Options::default());
    let symbols = board.program().symbols.clone();
    let mut profile = Profile::new(&symbols, board.core().pc(), board.cycles(), board.stack_top());
    assert_eq!(board.run_observed(&Limits::default(), &mut profile), End::Exit(0));
    profile.finish(board.cycles());
    let totals = profile.totals();
    let of = |name: &str| {
        totals.iter().find(|t| t.function == name).unwrap_or_else(|| panic!("{name}: {totals:?}"))
    };
    assert_eq!([of("outer").calls, of("leaf").calls, of("tail").calls], [2, 2, 2]);
    assert_eq!(totals.iter().map(|t| t.cycles).sum::<u64>(), board.cycles());
    assert_eq!(of("reset").cycles_with_callees, board.cycles());
    assert!(of("leaf").cycles > 2 * 8 * 2);
    assert_eq!([of("outer").frame_bytes, of("leaf").frame_bytes, of("leaf").stack_bytes], [8, 64, 72]);
    let folded = profile.folded();
    assert!(folded.contains("reset;outer;leaf ") && folded.contains("reset;tail "), "{folded}");
    let svg = profile.svg("a < b");
    assert!(svg.starts_with("<svg") && svg.contains("a &lt; b") && svg.contains("leaf"));
}

#[test]
fn trace() {
    let mut asm = Asm::new();
    asm.set(5, 0x1234).exit(0);
    let (mut board, _) = asm.board(Options::default());
    let symbols = board.program().symbols.clone();
    let mut text = Vec::new();
    let mut trace = Trace::new(&symbols, &mut text);
    board.run_observed(&Limits::default(), &mut trace);
    trace.finish().unwrap();
    let text = String::from_utf8(text).unwrap();
    // The BKPT that ends the program is shown, and not counted.
    assert_eq!(text.lines().filter(|l| l.contains("reset")).count() as u64, board.core().instructions() + 1);
    assert!(text.contains("reset+0x4") && text.contains("r5=00001234"), "{text}");
}

#[test]
fn report_as_json() {
    let mut asm = Asm::new();
    asm.exit(3);
    let (mut board, end) = asm.run();
    let json: serde_json::Value = serde_json::from_str(&board.report(&end).to_json()).unwrap();
    assert_eq!(json["schema"], "pqsoc-run/1");
    assert_eq!(json["exit_code"], 3);
    assert_eq!(json["stack_bytes"], 8);
    assert_eq!(json["cycles"], board.cycles());
    assert_eq!(json["instructions"], board.core().instructions());
    assert!(json["fault"].is_null());
    assert_eq!(json["status"]["cycles"], "modelled");
    assert_eq!(json["status"]["stack_bytes"], "exact");
}

/// WFI with nothing to wake it, and SysTick, which runs in sleep.
#[test]
fn sleep() {
    let mut asm = Asm::new();
    asm.op(&[0xbf30, HANG]);
    let (_, end) = asm.run();
    assert!(matches!(end, End::Idle(_)));
    let mut asm = Asm::new();
    // Reload 999, enable with interrupt, WFI
    asm.poke(0xe000_e014, 999).poke(0xe000_e018, 0).poke(0xe000_e010, 7).op(&[0xbf30]).exit(1);
    asm.handler(15, "sys_tick").op(&[RETURN]);
    let (board, end) = asm.run();
    assert_eq!(end, End::Exit(1));
    assert!((1000..1200).contains(&board.cycles()), "{}", board.cycles());
}

/// A long sleep ends with a breakpoint set too, by what wakes the core and by the limit of the run.
#[test]
fn sleep_with_a_breakpoint() {
    let mut asm = Asm::new();
    asm.poke(0xe000_e014, 999_999).poke(0xe000_e018, 0).poke(0xe000_e010, 7).op(&[0xbf30]).exit(1);
    asm.handler(15, "sys_tick").op(&[RETURN]);
    for (cycles, expected) in [(None, End::Exit(1)), (Some(500_000), End::Cycles)] {
        let (mut board, _) = asm.board(Options::default());
        board.core().add_breakpoint(0x0800_8000);
        assert_eq!(board.run(&Limits { cycles, wall: None }), expected);
        let end = cycles.unwrap_or(1_000_000);
        assert!((end..end + 200).contains(&board.cycles()), "{}", board.cycles());
    }
}
