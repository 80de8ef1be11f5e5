// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Small A32 programs for the virtual ZedBoard, assembled here so that tests need no compiler for Arm.
#![allow(dead_code)] // each file of tests uses a part of it

#[path = "../common/elf.rs"]
pub mod elf;

use pqsoc_boards::zynq7000::{Accelerator, End, Inputs, Limits, Options, Outputs, Work, Zynq7000, dma};
use pqsoc_boards::{Board, Program};
use std::collections::VecDeque;

/// Where programs are, and their translation table.
pub const CODE: u32 = 0x0010_0000;
pub const TABLE: u32 = 0x0020_0000;
/// Memory for data, in DDR.
pub const DATA: u32 = 0x0100_0000;
pub const DMA: u32 = 0x4040_0000;
pub const ACCELERATOR: u32 = 0x43c0_0000;
pub const PL310: u32 = 0xf8f0_2000;
pub const SLCR: u32 = 0xf800_0000;

/// Section attributes as Xilinx's start-up code has them.
pub const WRITE_BACK: u32 = 0x15de6;
pub const STRONGLY_ORDERED: u32 = 0xc02;
pub const DEVICE: u32 = 0xc06;
pub const ON_CHIP: u32 = 0x4c0e;

/// A program being assembled. R10 to R12 are used by what takes constants.
pub struct Asm {
    pub words: Vec<u32>,
}

impl Asm {
    /// Nothing yet.
    pub fn new() -> Self {
        Self { words: Vec::new() }
    }

    /// MMU, caches, branch prediction and coherency on, as start-up code does it; level 2 off.
    pub fn start() -> Self {
        let mut asm = Self::new();
        asm.set(0, TABLE | 0x5b).mcr((2, 0, 0, 0), 0);
        asm.set(0, u32::MAX).mcr((3, 0, 0, 0), 0);
        asm.mcr((8, 0, 7, 0), 0).mcr((7, 0, 5, 0), 0);
        asm.set(0, 1 << 6 | 1).mcr((1, 0, 0, 1), 0);
        asm.set(0, 0x1805).mcr((1, 0, 0, 0), 0);
        asm.isb()
    }

    /// The same with level 2.
    pub fn start_with_l2() -> Self {
        let mut asm = Self::start();
        asm.poke(PL310 + 0x104, 0x0272_0000 | 0x7036_0000).poke(PL310 + 0x77c, 0xffff).poke(PL310 + 0x100, 1);
        asm.dsb();
        asm
    }

    pub fn op(&mut self, word: u32) -> &mut Self {
        self.words.push(word);
        self
    }

    /// Where the next instruction will be.
    pub fn here(&self) -> u32 {
        CODE + 4 * self.words.len() as u32
    }

    /// MOVW and MOVT.
    pub fn set(&mut self, rd: u32, value: u32) -> &mut Self {
        let half = |base: u32, imm: u32| base | (imm >> 12) << 16 | rd << 12 | imm & 0xfff;
        self.op(half(0xe300_0000, value & 0xffff)).op(half(0xe340_0000, value >> 16))
    }

    /// Stores a word.
    pub fn poke(&mut self, address: u32, value: u32) -> &mut Self {
        self.set(11, address).set(12, value).op(0xe58b_c000)
    }

    /// Stores a byte.
    pub fn poke_byte(&mut self, address: u32, value: u32) -> &mut Self {
        self.set(11, address).set(12, value).op(0xe5cb_c000)
    }

    /// Loads a word into `rt`.
    pub fn peek(&mut self, rt: u32, address: u32) -> &mut Self {
        self.set(11, address).op(0xe59b_0000 | rt << 12)
    }

    /// MCR p15: CRn, opc1, CRm, opc2.
    pub fn mcr(&mut self, (n, opc1, m, opc2): (u32, u32, u32, u32), rt: u32) -> &mut Self {
        self.op(0xee00_0f10 | opc1 << 21 | n << 16 | rt << 12 | opc2 << 5 | m)
    }

    /// MRC p15.
    pub fn mrc(&mut self, (n, opc1, m, opc2): (u32, u32, u32, u32), rt: u32) -> &mut Self {
        self.op(0xee10_0f10 | opc1 << 21 | n << 16 | rt << 12 | opc2 << 5 | m)
    }

    pub fn dsb(&mut self) -> &mut Self {
        self.op(0xf57f_f04f)
    }

    pub fn isb(mut self) -> Self {
        self.op(0xf57f_f06f);
        self
    }

    /// An operation on each line of a range: CRm and opc2 of c7, and the offset of the level-2 register if any.
    pub fn maintain(&mut self, m: u32, opc2: u32, l2: Option<u32>, start: u32, bytes: u32) -> &mut Self {
        for line in (start & !31..start + bytes).step_by(32) {
            self.set(10, line).mcr((7, 0, m, opc2), 10);
        }
        self.dsb();
        if let Some(offset) = l2 {
            for line in (start & !31..start + bytes).step_by(32) {
                self.poke(PL310 + offset, line);
            }
            self.poke(PL310 + 0x730, 0);
        }
        self
    }

    /// DCCMVAC, and PL310's clean.
    pub fn clean(&mut self, l2: bool, start: u32, bytes: u32) -> &mut Self {
        self.maintain(10, 1, l2.then_some(0x7b0), start, bytes)
    }

    /// DCIMVAC after PL310's invalidate.
    pub fn invalidate(&mut self, l2: bool, start: u32, bytes: u32) -> &mut Self {
        if l2 {
            for line in (start & !31..start + bytes).step_by(32) {
                self.poke(PL310 + 0x770, line);
            }
            self.poke(PL310 + 0x730, 0);
        }
        self.maintain(6, 1, None, start, bytes)
    }

    /// A transfer from `from` through the streams to `to`, both channels polled; at most some thousand polls.
    pub fn transfer(&mut self, from: u32, to: u32, bytes: u32) -> &mut Self {
        self.arm(from, to, bytes).finish()
    }

    /// Starts a transfer.
    pub fn arm(&mut self, from: u32, to: u32, bytes: u32) -> &mut Self {
        self.poke(DMA, 1).poke(DMA + 0x30, 1);
        self.poke(DMA + 0x48, to).poke(DMA + 0x58, bytes);
        self.poke(DMA + 0x18, from).poke(DMA + 0x28, bytes)
    }

    /// Waits until S2MM has ended in one way or the other, for at most 4096 polls; its status is in R9.
    pub fn finish(&mut self) -> &mut Self {
        self.set(8, 4096).set(11, DMA + 0x34);
        // ldr r9, [r11]; ands r12, r9, #0x1000 (IOC); tsteq r9, #0x770; subseq? : one loop
        self.op(0xe59b_9000); // loop: ldr r9, [r11]
        self.op(0xe319_0a01); // tst r9, #0x1000
        self.op(0x1a00_0003); // bne out
        self.op(0xe319_0e77); // tst r9, #0x770
        self.op(0x1a00_0001); // bne out
        self.op(0xe258_8001); // subs r8, r8, #1
        self.op(0x1aff_fff8) // bne loop
    }

    /// Ends the program.
    pub fn exit(&mut self) -> &mut Self {
        self.set(0, 0x18).set(1, 0x20026).op(0xef12_3456)
    }

    /// The program as an ELF file. Its translation table, which [`board`](Self::board) would put into memory, comes behind it.
    pub fn elf(&self) -> Vec<u8> {
        let mut words = self.words.clone();
        words.resize(((TABLE - CODE) / 4) as usize, 0);
        words.extend((0..4096).map(flat));
        elf(CODE, &words)
    }

    /// The board with this program and a flat translation table in its memory.
    pub fn board(&self, options: Options) -> Zynq7000 {
        let program = Program::parse_application("test", elf(CODE, &self.words)).unwrap();
        let mut board = Zynq7000::new(program, options).unwrap();
        for section in 0..4096u32 {
            map(&mut board, section << 20, flat(section));
        }
        board
    }

    /// The board after this program has run to its end.
    pub fn run(&self, options: Options) -> Zynq7000 {
        let mut board = self.board(options);
        let end = board.run(&Limits { cycles: Some(50_000_000), wall: None });
        assert_eq!(end, End::Exit(0), "at {:#x}: {:?}", board.core().pc(), board.core().last_fault());
        board
    }
}

/// The descriptor of a section that is where it seems to be.
fn flat(section: u32) -> u32 {
    let attributes = match section << 20 {
        0..0x2000_0000 => WRITE_BACK,
        0x4000_0000..0xc000_0000 => DEVICE,
        0xe000_0000..0xfff0_0000 => DEVICE,
        0xfff0_0000 => ON_CHIP,
        _ => 0,
    };
    section << 20 | attributes
}

/// Sets the descriptor of a section.
pub fn map(board: &mut Zynq7000, address: u32, descriptor: u32) {
    assert!(board.soc().set_memory(TABLE + 4 * (address >> 20), &descriptor.to_le_bytes()));
}

/// An ELF file with one segment.
pub fn elf(address: u32, words: &[u32]) -> Vec<u8> {
    with_symbols(address, words, ("", 0, 0), &[])
}

/// An ELF file with code, a section of zeros (name, address, bytes) and symbols.
pub fn with_symbols(
    address: u32,
    words: &[u32],
    zeros: (&str, u32, u32),
    symbols: &[elf::Symbol<'_>],
) -> Vec<u8> {
    let text: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let text = (address, text.as_slice());
    elf::file(&elf::Parts { machine: 40, flags: 0x0500_0000, entry: address, text, zeros, symbols })
}

/// An accelerator that gives back what it gets, and a register that reads what was written to it.
#[derive(Default)]
pub struct Loopback {
    beats: VecDeque<dma::Beat>,
    register: u32,
    read: bool,
    written: bool,
    restless: bool,
    deaf: bool,
}

impl Loopback {
    /// One that never accepts a read.
    pub fn deaf() -> Self {
        Self { deaf: true, ..Self::default() }
    }

    /// One that never says that it is idle, if so.
    pub fn restless(restless: bool) -> Self {
        Self { restless, ..Self::default() }
    }
}

impl Accelerator for Loopback {
    fn tick(&mut self, inputs: &Inputs) -> Outputs {
        let outputs = Outputs {
            arready: inputs.arvalid && !self.read && !self.deaf,
            rvalid: self.read,
            rdata: self.register,
            awready: inputs.awvalid && inputs.wvalid,
            wready: inputs.awvalid && inputs.wvalid,
            bvalid: self.written,
            in_tready: self.beats.len() < 16,
            output: self.beats.front().copied(),
            ..Outputs::default()
        };
        if outputs.arready {
            self.read = true;
        } else if self.read && inputs.rready {
            self.read = false;
        }
        if outputs.awready {
            self.written = true;
            self.register = inputs.wdata;
        } else if inputs.bready {
            self.written = false;
        }
        if outputs.output.is_some() && inputs.out_tready {
            self.beats.pop_front();
        }
        if let (Some(beat), true) = (inputs.input, outputs.in_tready) {
            self.beats.push_back(beat);
        }
        outputs
    }

    fn idle(&self) -> bool {
        !self.restless && self.beats.is_empty() && !self.read && !self.written
    }

    fn work(&self) -> Work {
        Work { busy: !self.beats.is_empty(), stalled: false }
    }

    fn reset(&mut self) {
        *self = Self { restless: self.restless, deaf: self.deaf, ..Self::default() };
    }
}

/// Options with a loopback in the PL.
pub fn with_loopback() -> Options {
    Options { accelerator: Some(Box::new(Loopback::default())), ..Options::default() }
}

/// A word of memory itself, past all caches.
pub fn memory(board: &mut Zynq7000, address: u32) -> u32 {
    let mut bytes = [0; 4];
    assert!(board.soc().memory(address, &mut bytes));
    u32::from_le_bytes(bytes)
}

/// A word as the core would read it.
pub fn seen(board: &mut Zynq7000, address: u32) -> u32 {
    let mut bytes = [0; 4];
    assert!(board.core().peek(address, &mut bytes));
    u32::from_le_bytes(bytes)
}
