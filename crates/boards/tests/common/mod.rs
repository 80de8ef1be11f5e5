// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Small programs for the board, assembled here so that tests need no compiler for Arm.

#![allow(dead_code, reason = "each test file uses its own part")]

mod elf;

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::Write;
use std::rc::Rc;

use pqsoc_boards::stm32f407::{End, Limits, Options, Stm32f407};
use pqsoc_boards::{Board, Program};

use elf::{FUNCTION, OBJECT, Parts, Symbol, TEXT, ZEROS};

pub const FLASH: u32 = 0x0800_0000;
pub const STACK_TOP: u32 = 0x2000_2000;
pub const BSS: u32 = 0x2000_0000;
/// Where the control block of RTT would be.
pub const RTT: u32 = BSS + 0x200;
pub const USART2: u32 = 0x4000_4400;
/// BKPT 0xab.
pub const SEMIHOSTING: u16 = 0xbeab;
/// B to itself.
pub const HANG: u16 = 0xe7fe;
/// BX LR.
pub const RETURN: u16 = 0x4770;

/// Offset of the code behind the vector table of 16 + 82 words.
const CODE: u32 = 98 * 4;

/// A program being assembled; the function `reset` is where it starts.
pub struct Asm {
    code: Vec<u16>,
    functions: Vec<(String, u32)>,
    branches: Vec<(usize, String, bool)>,
    addresses: Vec<(usize, String)>,
    vectors: HashMap<usize, String>,
    pub bss_size: u32,
    pub stack_top: u32,
    pub machine: u16,
    pub base: u32,
}

/// Sends back what comes in on USART2 until a zero, and exits with 0.
pub fn echo() -> Asm {
    let mut asm = Asm::new();
    asm.enable(0x40, 1 << 17).poke(USART2 + 8, 0x8b).poke(USART2 + 12, 0x200c).set(2, USART2);
    // loop: LDR R0, [R2]; LSLS R0, #26; BPL loop; LDR R0, [R2, #4]; CBZ end; STR R0, [R2, #4]; B loop
    asm.op(&[0x6810, 0x0680, 0xd5fc, 0x6850, 0xb108, 0x6050, 0xe7f8]).exit(0);
    asm
}

impl Asm {
    /// Starts with the function `reset`. Exceptions without a handler of their own hang.
    pub fn new() -> Self {
        let mut asm = Self {
            code: Vec::new(),
            functions: Vec::new(),
            branches: Vec::new(),
            addresses: Vec::new(),
            vectors: HashMap::new(),
            bss_size: 0x400,
            stack_top: STACK_TOP,
            machine: 40,
            base: FLASH,
        };
        asm.function("default_handler").op(&[HANG]);
        asm.function("reset");
        asm
    }

    /// Starts a function.
    pub fn function(&mut self, name: &str) -> &mut Self {
        self.functions.push((name.into(), 2 * self.code.len() as u32));
        self
    }

    /// Starts a function that handles an exception.
    pub fn handler(&mut self, exception: usize, name: &str) -> &mut Self {
        self.vectors.insert(exception, name.into());
        self.function(name)
    }

    /// Instructions as they are encoded.
    pub fn op(&mut self, halfwords: &[u16]) -> &mut Self {
        self.code.extend_from_slice(halfwords);
        self
    }

    /// MOVW and MOVT.
    pub fn set(&mut self, rd: u16, value: u32) -> &mut Self {
        for (opcode, half) in [(0xf240, value as u16), (0xf2c0, (value >> 16) as u16)] {
            let first = opcode | (half >> 12) | (half >> 11 & 1) << 10;
            self.op(&[first, (half >> 8 & 7) << 12 | rd << 8 | half & 0xff]);
        }
        self
    }

    /// Address of a function, with the Thumb bit.
    pub fn set_function(&mut self, rd: u16, name: &str) -> &mut Self {
        self.addresses.push((self.code.len(), name.into()));
        self.set(rd, u32::from(rd))
    }

    /// STR rt, [rn]
    pub fn str(&mut self, rt: u16, rn: u16) -> &mut Self {
        self.op(&[0x6000 | rn << 3 | rt])
    }

    /// LDR rt, [rn]
    pub fn ldr(&mut self, rt: u16, rn: u16) -> &mut Self {
        self.op(&[0x6800 | rn << 3 | rt])
    }

    /// Stores a word at an address; uses R0 and R1.
    pub fn poke(&mut self, address: u32, value: u32) -> &mut Self {
        self.set(0, address).set(1, value).str(1, 0)
    }

    /// Loads a word from an address into `rt`.
    pub fn peek(&mut self, rt: u16, address: u32) -> &mut Self {
        self.set(rt, address).ldr(rt, rt)
    }

    /// BL
    pub fn call(&mut self, name: &str) -> &mut Self {
        self.branches.push((self.code.len(), name.into(), true));
        self.op(&[0, 0])
    }

    /// B.W
    pub fn jump(&mut self, name: &str) -> &mut Self {
        self.branches.push((self.code.len(), name.into(), false));
        self.op(&[0, 0])
    }

    /// Ends the program with the exit code in `r0`: SYS_EXIT_EXTENDED with its block on the stack.
    pub fn exit_r0(&mut self) -> &mut Self {
        // PUSH {R0} on top of the reason
        self.op(&[0xb082, 0x9001]).set(1, 0x20026).op(&[0x9100, 0x4669]).set(0, 0x20).op(&[SEMIHOSTING])
    }

    /// Ends the program with this exit code.
    pub fn exit(&mut self, code: u32) -> &mut Self {
        self.set(0, code).exit_r0()
    }

    /// Switches the clock of a peripheral on: offset of the enable register in RCC, bits.
    pub fn enable(&mut self, register: u32, bits: u32) -> &mut Self {
        self.poke(0x4002_3800 + register, bits)
    }

    fn address(&self, name: &str) -> u32 {
        let offset = self.functions.iter().find(|f| f.0 == name).unwrap_or_else(|| panic!("no {name}")).1;
        self.base + CODE + offset
    }

    /// The ELF file: text and bss sections, two segments, symbols.
    pub fn elf(&self) -> Vec<u8> {
        let mut code = self.code.clone();
        for (at, name, link) in &self.branches {
            let from = self.base + CODE + 2 * *at as u32 + 4;
            let offset = self.address(name).wrapping_sub(from) as i32;
            let bit = |n: u32| (offset >> n & 1) as u16;
            let (s, j1, j2) = (bit(24), !(bit(23) ^ bit(24)) & 1, !(bit(22) ^ bit(24)) & 1);
            code[*at] = 0xf000 | s << 10 | (offset >> 12 & 0x3ff) as u16;
            code[*at + 1] =
                0x9000 | u16::from(*link) << 14 | j1 << 13 | j2 << 11 | (offset >> 1 & 0x7ff) as u16;
        }
        for (at, name) in &self.addresses {
            let rd = code[*at + 1] >> 8 & 0xf;
            let mut patch = Self::new();
            patch.code.clear();
            patch.set(rd, self.address(name) | 1);
            code[*at..*at + 4].copy_from_slice(&patch.code);
        }
        let handler = |n: usize| match n {
            1 => "reset",
            _ => self.vectors.get(&n).map_or("default_handler", String::as_str),
        };
        let mut text: Vec<u8> = self.stack_top.to_le_bytes().to_vec();
        for n in 1..98 {
            text.extend((self.address(handler(n)) | 1).to_le_bytes());
        }
        text.extend(code.iter().flat_map(|h| h.to_le_bytes()));
        text.resize(text.len().next_multiple_of(4), 0);

        let mut symbols = Vec::new();
        for (i, (name, start)) in self.functions.iter().enumerate() {
            let end = self.functions.get(i + 1).map_or(2 * self.code.len() as u32, |f| f.1);
            let address = self.address(name) | 1;
            symbols.push(Symbol { name, address, size: end - start, kind: FUNCTION, section: TEXT });
        }
        let object = |name, address, size| Symbol { name, address, size, kind: OBJECT, section: ZEROS };
        symbols.push(object("STATE", BSS, 0x200));
        symbols.push(object("LAST", BSS + 0x300, self.bss_size - 0x300));
        symbols.push(object("_SEGGER_RTT", RTT, 48));
        elf::file(&Parts {
            machine: self.machine,
            flags: 0x0500_0400,
            entry: self.address("reset") | 1,
            text: (self.base, &text),
            zeros: (".bss", BSS, self.bss_size),
            symbols: &symbols,
        })
    }

    /// The board with this program, and what it prints.
    pub fn board(&self, options: Options) -> (Stm32f407, Rc<RefCell<Vec<u8>>>) {
        let printed = Rc::new(RefCell::new(Vec::new()));
        let sink = printed.clone();
        let program = Program::parse("test.elf", self.elf()).unwrap();
        let options =
            Options { sink: Box::new(move |_, bytes| sink.borrow_mut().write_all(bytes)), ..options };
        (Stm32f407::new(program, options).unwrap(), printed)
    }

    /// Runs to the end, which must come within a billion cycles.
    pub fn run(&self) -> (Stm32f407, End) {
        let (mut board, _) = self.board(Options::default());
        let end = board.run(&Limits { cycles: Some(1_000_000_000), wall: None });
        (board, end)
    }

    /// Runs a program that must exit, and gives its exit code.
    pub fn exit_code(&self) -> u32 {
        match self.run() {
            (_, End::Exit(code)) => code as u32,
            (mut board, end) => panic!("{}", board.report(&end)),
        }
    }
}
