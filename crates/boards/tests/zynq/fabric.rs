// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The board with the project's own fabric in its logic.

use pqsoc_boards::Board;
use pqsoc_boards::zynq7000::{
    Accelerator, Band, End, Inputs, Limits, Options, Outputs, PlClocks, Work, Zynq7000,
};
use pqsoc_fabric::{B4R1, Core};
use pqsoc_registers::Command;

use crate::asm::*;

const CONTROL: u32 = ACCELERATOR + 0x0c;
const STATUS: u32 = ACCELERATOR + 0x10;
const TIMEOUT: u32 = ACCELERATOR + 0x18;
const OPTIONS: u32 = ACCELERATOR + 0x1c;
const COMMAND: u32 = ACCELERATOR + 0x20;
const IRQ_ENABLE: u32 = ACCELERATOR + 0x24;
const IRQ_STATUS: u32 = ACCELERATOR + 0x28;
const BUSY_CYCLES: u32 = ACCELERATOR + 0x34;
const STALL_IN_CYCLES: u32 = ACCELERATOR + 0x38;
const STALL_OUT_CYCLES: u32 = ACCELERATOR + 0x3c;
const FROM: u32 = DATA;
const TO: u32 = DATA + 0x1_0000;

fn core() -> Core<B4R1> {
    Core::new().expect("a build with Verilator")
}

fn with_fabric() -> Options {
    Options { accelerator: Some(Box::new(core())), ..Options::default() }
}

/// A load, a transform and a store as one list, with its data through the DMA; the polynomial is 1 + 2 X + 3 X^2.
fn transform(asm: &mut Asm) {
    for (n, coefficient) in [1, 2, 3].into_iter().enumerate() {
        asm.poke(FROM + 4 * n as u32, coefficient);
    }
    asm.clean(false, FROM, 1024);
    // While it clears its memories it drops what comes in. ldr r12, [r11]; tst r12, #1; bne
    asm.set(11, STATUS).op(0xe59b_c000).op(0xe31c_0001).op(0x1aff_fffc);
    for command in [Command::load(0), Command::ntt(1, 0), Command::store(1).last()] {
        asm.poke(OPTIONS, command.options()).poke(COMMAND, command.command());
    }
    asm.poke(CONTROL, 1).transfer(FROM, TO, 1024);
}

/// The first and the last two coefficients of the result, as `hw/README.md` has them.
fn transformed(board: &mut Zynq7000) {
    let expected = [(0, 0x000c_d985), (1, 0x000c_be21), (254, 0x0019_b23d), (255, 0x0046_56e5)];
    for (index, value) in expected {
        assert_eq!(memory(board, TO + 4 * index), value, "coefficient {index}");
    }
}

#[test]
fn the_core_reads_who_the_fabric_is() {
    let mut asm = Asm::start();
    asm.peek(6, ACCELERATOR).exit();
    let mut board = asm.run(with_fabric());
    assert_eq!(&board.core().register(6).to_le_bytes(), b"PQF1");
}

#[test]
fn its_registers_take_4_kb() {
    let mut asm = Asm::start();
    asm.peek(6, ACCELERATOR + 0x1000).exit();
    let mut board = asm.board(with_fabric());
    board.stop_at_faults(true);
    assert_eq!(board.run(&Limits { cycles: Some(1_000_000), wall: None }), End::Fault);
    assert_eq!(board.core().last_fault().unwrap().status & 0x40f, 8, "external abort");
}

#[test]
fn a_polynomial_goes_through_it() {
    let mut asm = Asm::start();
    transform(&mut asm);
    asm.peek(6, BUSY_CYCLES).peek(7, STALL_IN_CYCLES).peek(8, STALL_OUT_CYCLES).exit();
    let mut board = asm.run(with_fabric());
    transformed(&mut board);
    // What the report says of the fabric is what the fabric says of itself.
    let clocks = board.report(&End::Exit(0)).breakdown.pl;
    let registers = [6, 7, 8].map(|n| u64::from(board.core().register(n)));
    assert_eq!(clocks.busy, registers[0]);
    assert_eq!(clocks.waiting, registers[1] + registers[2]);
    assert!(clocks.waiting > 0 && clocks.waiting < clocks.busy, "{clocks:?}");
    assert!(clocks.busy < clocks.total / 2, "clearing its memories is not work: {clocks:?}");
}

/// The fabric, which is clocked also when it need not be.
struct Restless(Core<B4R1>);

impl Accelerator for Restless {
    fn tick(&mut self, inputs: &Inputs) -> Outputs {
        Accelerator::tick(&mut self.0, inputs)
    }
    fn idle(&self) -> bool {
        false
    }
    fn work(&self) -> Work {
        Accelerator::work(&self.0)
    }
    fn reset(&mut self) {
        Accelerator::reset(&mut self.0);
    }
}

#[test]
fn clocks_that_the_fabric_is_not_given_change_no_count() {
    type Figures = (Band, u64, PlClocks, [u64; 2], Vec<u32>);
    let run = |accelerator: Box<dyn Accelerator>| -> Figures {
        let mut asm = Asm::start();
        // By interrupt, after some time, twice.
        let handler = DATA + 0x10_0000;
        asm.set(0, handler).mcr((12, 0, 0, 0), 0);
        // IRQ: ldr r8, [r7]; str r4, [r6]; dsb; str r8, [r7, #4]; add r5, #1; subs pc, lr, #4
        let words = [0xe597_8000u32, 0xe586_4000, 0xf57f_f04f, 0xe587_8004, 0xe285_5001, 0xe25e_f004];
        for (n, word) in words.into_iter().enumerate() {
            asm.poke(handler + 0x18 + 4 * n as u32, word);
        }
        asm.clean(false, handler, 64);
        asm.set(7, 0xf8f0_010c).set(6, IRQ_STATUS).set(4, 1).set(5, 0);
        asm.poke(0xf8f0_1000, 1).poke(0xf8f0_0100, 1).poke(0xf8f0_0104, 0xf8);
        asm.poke(0xf8f0_1104, 1 << 29).poke_byte(0xf8f0_143d, 0xa0).poke_byte(0xf8f0_183d, 1);
        asm.poke(IRQ_ENABLE, 1);
        asm.op(0xf108_0080); // cpsie i
        for delay in [20_000, 3001] {
            asm.set(0, delay).op(0xe250_0001).op(0x1aff_fffd); // subs; bne
            transform(&mut asm);
            asm.poke(DMA + 0x04, 0x1000).poke(DMA + 0x34, 0x1000);
        }
        asm.peek(9, BUSY_CYCLES).exit();
        let mut board = asm.run(Options { accelerator: Some(accelerator), ..Options::default() });
        transformed(&mut board);
        assert_eq!(board.core().register(5), 2, "interrupts");
        let report = board.report(&End::Exit(0));
        let registers = (4..10).map(|n| board.core().register(n)).collect();
        let breakdown = report.breakdown;
        (report.cycles, report.instructions, breakdown.pl, breakdown.dma_bytes, registers)
    };
    assert_eq!(run(Box::new(core())), run(Box::new(Restless(core()))));
}

#[test]
fn interrupts_61_to_63_are_the_fabric_and_the_dma() {
    for id in 61..64 {
        let mut asm = Asm::start();
        let bit = 1 << (id - 32);
        asm.poke(0xf8f0_1000, 1).poke(0xf8f0_0100, 1).poke(0xf8f0_0104, 0xf8);
        asm.poke(0xf8f0_1104, bit).poke_byte(0xf8f0_1400 + id, 0xa0).poke_byte(0xf8f0_1800 + id, 1);
        let enable = match id {
            61 => IRQ_ENABLE,
            62 => DMA,
            _ => DMA + 0x30,
        };
        transform(&mut asm);
        asm.peek(6, 0xf8f0_010c).poke(enable, 0x1001).op(0xe320_f003).peek(7, 0xf8f0_010c).exit(); // wfi
        let mut board = asm.run(with_fabric());
        assert_eq!(board.core().register(6), 1023, "not before it is enabled");
        assert_eq!(board.core().register(7), id);
    }
}

#[test]
fn the_reset_from_the_processor_starts_everything_afresh() {
    const RESET: u32 = SLCR + 0x240;
    let mut asm = Asm::start();
    asm.poke(SLCR + 8, 0xdf0d).poke(TIMEOUT, 77).peek(5, TIMEOUT);
    // In the middle of a transfer that nobody takes
    asm.arm(FROM, TO, 1024);
    asm.poke(RESET, 1).poke(RESET, 0);
    asm.peek(4, TIMEOUT).peek(6, DMA).peek(7, DMA + 0x04);
    transform(&mut asm);
    asm.exit();
    let mut board = asm.run(with_fabric());
    let registers = [5, 4, 6, 7].map(|n| board.core().register(n));
    assert_eq!(registers, [77, 0x0010_0000, 0x0001_0002, 1]);
    transformed(&mut board);
}

#[test]
fn a_register_of_a_fabric_in_reset_hangs_the_core() {
    let mut asm = Asm::start();
    asm.poke(SLCR + 8, 0xdf0d).poke(SLCR + 0x240, 1).peek(6, ACCELERATOR).exit();
    let mut board = asm.board(with_fabric());
    let end = board.run(&Limits { cycles: Some(1_000_000), wall: None });
    assert!(matches!(end, End::Hung(why) if why.contains("held in reset")));
}

#[test]
fn the_clock_of_the_logic_follows_its_dividers() {
    // FCLK0 from the IO PLL, 1000 MHz: by 5 * 4 instead of 10. Then a loop of known length, and the PL's clocks in it.
    let clocks = |divide: bool| {
        let mut asm = Asm::start();
        asm.poke(SLCR + 8, 0xdf0d);
        if divide {
            asm.poke(SLCR + 0x170, 5 << 20 | 4 << 8);
        }
        asm.set(0, 1_000_000).op(0xe250_0001).op(0x1aff_fffd).exit();
        let mut board = asm.run(with_fabric());
        let report = board.report(&End::Exit(0));
        (board.soc().pl_hz(), report.breakdown.pl.total * 1_000_000 / report.cycles.mid)
    };
    let (fast, slow) = (clocks(false), clocks(true));
    assert_eq!((fast.0, slow.0), (99_999_999, 49_999_999));
    // 100 and 50 MHz over 666.67 MHz, in millionths; the program's start is at the first clock.
    assert!(fast.1.abs_diff(150_000) < 100 && slow.1.abs_diff(75_000) < 500, "{fast:?} {slow:?}");
    let mut asm = Asm::start();
    asm.exit();
    let mut board = asm.run(Options { pl_mhz: 150, ..with_fabric() });
    assert_eq!(board.soc().pl_hz(), 149_999_998, "1500 MHz by 10");
    assert_eq!(board.soc().notes(), &[] as &[String]);
}
