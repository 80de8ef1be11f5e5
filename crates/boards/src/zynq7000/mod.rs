// SPDX-License-Identifier: Apache-2.0 OR MIT

//! A virtual ZedBoard: a Cortex-A9 of a Zynq-7000 (XC7Z020) with its caches, 512 MB of DDR, on-chip memory and
//! peripherals, and programmable logic with an AXI DMA and an accelerator of the caller's.
//!
//! ```no_run
//! use pqsoc_boards::zynq7000::{Options, Zynq7000};
//! use pqsoc_boards::{Board, End, Limits, Program};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let program = Program::open_application("firmware.elf".as_ref())?;
//! let mut board = Zynq7000::new(program, Options::default())?;
//! let end = board.run(&Limits::default());
//! assert_eq!(end, End::Exit(0));
//! println!("{}", board.report(&end));
//! # Ok(())
//! # }
//! ```
//!
//! The board starts as a first-stage boot loader leaves it: clocks at the ZedBoard's preset, level shifters open, PL
//! configured, UARTs at 115 200 baud, MMU and caches off, the core at the program's entry point in Supervisor mode. The
//! second core sleeps for ever. What is in the caches is in the caches: see [`Soc::memory`] for what a DMA sees.

pub mod dma;
mod fabric;
mod gic;
pub mod latency;
mod pl;
mod pl310;
mod ram;
mod report;
mod slcr;
mod soc;
mod timers;
mod trace;
mod uart;

use std::path::PathBuf;
use std::time::Instant;

use pqsoc_armv7::a9::{self, CortexA9, Fault, Stop};
use pqsoc_armv7::{Limit, Observer};

pub use self::fabric::{FabricError, fabric};
pub use self::pl::{Accelerator, Inputs, Outputs, PlClocks};
use self::ram::Ram;
pub use self::report::{Band, Breakdown, Report};
pub use self::soc::Soc;
use self::soc::{Setup, Target};
pub use self::trace::{Port, TraceSink, Transaction};
use crate::board::Board;
pub use crate::board::{End, Limits, RunError};
use crate::console::{Console, Sink};
use crate::profile::FunctionTotals;
use crate::program::{LoadError, Program};
use crate::report::{FaultReport, Overflow, StackReport};
use crate::semihosting::{self, Outcome, Semihosting};
use crate::symbols::{Frame, Stopped, Symbol, Symbols};
pub use pqsoc_fabric::Work;

/// Calls shown in a back trace.
const TRACE_DEPTH: usize = 32;
/// Faults recorded; a program that lives with more is left alone.
const FAULTS: usize = 16;
/// Cycles between looks at the clock on the wall and for endless loops: at most, and to begin with.
const SLICE: u64 = 2_000_000;
const FIRST_SLICE: u64 = 1_000;

/// Where the parts of the PL are in the window of M_AXI_GP0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Map {
    /// AXI DMA, 64 KB.
    pub dma: u32,
    /// The accelerator, 4 KB.
    pub accelerator: u32,
}

impl Default for Map {
    /// As `hw/vivado/zedboard.tcl` assigns them.
    fn default() -> Self {
        Self { dma: 0x4040_0000, accelerator: 0x43c0_0000 }
    }
}

impl Map {
    fn decode(self, address: u32) -> Target {
        match (address.wrapping_sub(self.dma), address.wrapping_sub(self.accelerator)) {
            (offset @ 0..0x1_0000, _) => Target::Dma(offset),
            (_, offset @ 0..0x1000) => Target::Accelerator(offset as u16),
            _ => Target::Nothing,
        }
    }
}

/// How a board is set up.
pub struct Options {
    /// Takes the program's output.
    pub sink: Sink,
    /// The run ends when this text has been printed; empty for never.
    pub until: String,
    /// Seed of what the caches replace.
    pub seed: u32,
    /// Clock of the PL in MHz; the nearest that the PLLs give is taken.
    pub pl_mhz: u32,
    /// Bytes that arrive on UART1.
    pub input: Vec<u8>,
    /// Directory whose files semihosting may open; `None` refuses all.
    pub files: Option<PathBuf>,
    /// Arguments for semihosting's SYS_GET_CMDLINE.
    pub arguments: Vec<String>,
    /// What is in the PL beside the DMA.
    pub accelerator: Option<Box<dyn Accelerator>>,
    /// How the DMA was configured.
    pub dma: dma::Configuration,
    /// Where both are.
    pub map: Map,
    /// The DMA is at the coherent port (ACP) instead of HP0.
    pub acp: bool,
    /// Level-1 misses fetch the next line too, so that a missing invalidate after a DMA shows.
    pub prefetch: bool,
    /// The board is as a boot loader leaves it; else as reset does: slow clocks, closed level shifters.
    pub booted: bool,
    /// Takes every transaction between PS and PL.
    pub trace: Option<TraceSink>,
}

impl Default for Options {
    /// Output is dropped, nothing arrives, PL at 100 MHz without an accelerator, DMA at HP0.
    fn default() -> Self {
        Self {
            sink: Box::new(|_, _| Ok(())),
            until: String::new(),
            seed: 1,
            pl_mhz: 100,
            input: Vec::new(),
            files: None,
            arguments: Vec::new(),
            accelerator: None,
            dma: dma::Configuration::default(),
            map: Map::default(),
            acp: false,
            prefetch: false,
            booted: true,
            trace: None,
        }
    }
}

/// The board with a program in its memory.
pub struct Zynq7000 {
    core: CortexA9<Soc>,
    program: Program,
    semihosting: Semihosting,
    /// Breakpoints of the caller's.
    breakpoints: Vec<u32>,
    stop_at_faults: bool,
    /// A fault ended the last run: its handler is to be entered.
    fault_waits: bool,
    faults: Vec<FaultReport>,
    functions: Vec<FunctionTotals>,
    /// Where `main` is entered, and its stack from then on.
    main: Option<u32>,
    stack: Option<StackRegion>,
    overflow: Option<Overflow>,
}

/// The stack that `main` is entered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StackRegion {
    top: u32,
    /// Lowest address that belongs to it.
    limit: u32,
}

impl StackRegion {
    /// The stack whose pointer is `top`: down to the linker script's `__stack_limit`; else all of the variable or section that it
    /// is in; else down to the end of the section below it, or to where its memory begins.
    fn below(top: u32, symbols: &Symbols) -> Self {
        let last = top.wrapping_sub(4);
        let base = Ram::base(last);
        let end = |s: &Symbol| s.address.saturating_add(s.size);
        let label = symbols.label("__stack_limit").filter(|limit| (base..=last).contains(limit));
        let around = || symbols.object_at(last).or_else(|| symbols.section_at(last)).map(|s| s.address);
        let limit = label.or_else(around).unwrap_or_else(|| {
            symbols.sections().iter().map(end).filter(|&end| end <= last).fold(base, u32::max)
        });
        Self { top, limit }
    }
}

impl Zynq7000 {
    /// Puts the program into memory and the core at its entry point.
    pub fn new(program: Program, options: Options) -> Result<Self, LoadError> {
        let console = Console::new(options.sink, &options.until, program.defmt.clone());
        let pl = pl::Pl::new(options.accelerator, options.dma);
        let setup = Setup {
            map: options.map,
            acp: options.acp,
            seed: options.seed,
            booted: options.booted,
            pl_hz: u64::from(options.pl_mhz) * 1_000_000,
        };
        let mut soc = Soc::new(setup, pl, console, options.trace);
        // A program that lives in the lower blocks of high on-chip memory was loaded by something that put them there.
        if program.segments.iter().any(|s| (0xfffc_0000..0xffff_0000).contains(&s.load_address)) {
            soc.slcr.set_ocm_high(15);
            soc.ram.high = 15;
        }
        soc.uarts[1].send(&options.input);
        for segment in &program.segments {
            for (byte, offset) in segment.data.iter().zip(0..) {
                if !soc.set_memory(segment.load_address.wrapping_add(offset), &[*byte]) {
                    return Err(LoadError::Outside {
                        address: segment.load_address,
                        size: segment.data.len() as u32,
                        memory: "DDR from 0x00100000 to 0x1fffffff, on-chip memory from 0xfffc0000".into(),
                    });
                }
            }
        }
        let entry = program.entry();
        let mut command_line = program.name.clone();
        for argument in &options.arguments {
            command_line.push(' ');
            command_line.push_str(argument);
        }
        let core_options =
            a9::Options { seed: options.seed, prefetch: options.prefetch, ..a9::Options::default() };
        let mut core = CortexA9::new(soc, core_options);
        core.catch = true;
        core.semihosting = true;
        core.jump(entry);
        let main = program.symbols.function("main").map(|s| s.address & !1);
        if let Some(main) = main {
            core.add_breakpoint(main);
        }
        Ok(Self {
            core,
            program,
            semihosting: Semihosting::new(options.files, command_line),
            breakpoints: Vec::new(),
            stop_at_faults: false,
            fault_waits: false,
            faults: Vec::new(),
            functions: Vec::new(),
            main,
            stack: None,
            overflow: None,
        })
    }

    /// The core, for registers, breakpoints and watchpoints.
    pub fn core(&mut self) -> &mut CortexA9<Soc> {
        &mut self.core
    }

    /// The chip around the core.
    pub fn soc(&mut self) -> &mut Soc {
        &mut self.core.system
    }

    /// The program and its symbols.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Runs end before the instruction at `address`.
    pub fn add_breakpoint(&mut self, address: u32) {
        self.breakpoints.push(address & !1);
        self.core.add_breakpoint(address);
    }

    /// Takes a breakpoint away.
    pub fn remove_breakpoint(&mut self, address: u32) {
        self.breakpoints.retain(|&b| b != address & !1);
        // The board itself looks at the entry of `main`.
        if self.main != Some(address & !1) {
            self.core.remove_breakpoint(address);
        }
    }

    /// Runs until the function called `name` is entered.
    pub fn run_to(&mut self, name: &str, limits: &Limits) -> Result<(), RunError> {
        let address = self
            .program
            .symbols
            .function(name)
            .map(|s| s.address & !1)
            .ok_or_else(|| RunError::NoSymbol(name.to_string()))?;
        let asked = self.breakpoints.contains(&address);
        self.add_breakpoint(address);
        let end = self.run(limits);
        if !asked {
            self.remove_breakpoint(address);
        }
        match end {
            End::Breakpoint(at) if at == address => Ok(()),
            end => Err(RunError::Ended { place: name.to_string(), end }),
        }
    }

    /// Deals with what stopped the core; `None` goes on.
    fn handle(&mut self, stop: Stop) -> Option<End> {
        match stop {
            Stop::Limit => self.idle().then(|| End::Idle(self.core.pc())),
            Stop::Requested => None,
            Stop::StackLimit { sp } => {
                let (limit, cycles, callers) = (self.stack?.limit, self.core.cycles(), self.back_trace());
                self.overflow = Some(Overflow::new(&self.program.symbols, sp, limit, cycles, callers));
                None
            }
            Stop::Semihosting => self.semihost(),
            Stop::Breakpoint => {
                let pc = self.core.pc();
                if self.main == Some(pc) && self.stack.is_none() {
                    let stack = StackRegion::below(self.core.register(13), &self.program.symbols);
                    self.core.watch_stack(stack.limit);
                    self.stack = Some(stack);
                }
                self.breakpoints.contains(&pc).then_some(End::Breakpoint(pc))
            }
            Stop::Watchpoint { address, write } => Some(End::Watchpoint { address, write }),
            Stop::Fault(fault) => {
                self.record(&fault);
                if self.stop_at_faults {
                    self.fault_waits = true;
                    return Some(End::Fault);
                }
                self.core.take_fault();
                None
            }
            Stop::Sleeping => Some(End::Idle(self.core.pc())),
        }
    }

    fn semihost(&mut self) -> Option<End> {
        let (op, arg) = (self.core.register(0), self.core.register(1));
        // The console is lent out for the call: the target borrows the rest of the core.
        let lent = Console::new(Box::new(|_, _| Ok(())), "", None);
        let mut console = std::mem::replace(&mut self.core.system.console, lent);
        let mut target = HostTarget { core: &mut self.core };
        let outcome = self.semihosting.call(op, arg, &mut target, &mut console);
        self.core.system.console = console;
        match outcome {
            Outcome::Return(value) => self.core.set_register(0, value),
            Outcome::Exit(code) => return Some(End::Exit(code)),
            Outcome::Unknown => {
                self.core
                    .system
                    .note(op, || format!("semihosting operation {op:#x} does not exist: gives -1"));
                self.core.set_register(0, u32::MAX);
            }
        }
        self.core.skip_semihosting();
        None
    }

    /// A branch to itself with interrupts masked.
    fn idle(&mut self) -> bool {
        let (pc, psr) = (self.core.pc(), self.core.psr());
        let mut code = [0; 4];
        if !self.core.peek(pc, &mut code) {
            return false;
        }
        let to_itself = if psr & 1 << 5 != 0 {
            code[..2] == [0xfe, 0xe7] || code == [0xff, 0xf7, 0xfe, 0xbf]
        } else {
            code == [0xfe, 0xff, 0xff, 0xea]
        };
        to_itself && psr & 0xc0 == 0xc0
    }

    fn record(&mut self, fault: &Fault) {
        if self.faults.len() == FAULTS {
            self.core.catch = false;
            return;
        }
        let back_trace = self.back_trace();
        let symbols = &self.program.symbols;
        // A program without a table of sections still says what it executes.
        let within = |s: &&crate::program::Segment| {
            !s.writable && fault.pc.wrapping_sub(s.address) < s.data.len() as u32
        };
        let is_code = symbols.is_code(fault.pc) || self.program.segments.iter().any(|s| within(&s));
        let data = (!is_code).then(|| format!("{:#010x}, outside the program", fault.pc));
        self.faults.push(FaultReport {
            what: fault.to_string(),
            pc: fault.pc,
            address: fault.address,
            function: symbols.describe(fault.pc),
            data,
            escalated: false,
            cycles: self.core.cycles(),
            back_trace,
        });
    }
}

impl Board for Zynq7000 {
    type Report = Report;

    fn run_observed<O: Observer>(&mut self, limits: &Limits, observer: &mut O) -> End {
        let started = Instant::now();
        let last = limits.cycles.unwrap_or(u64::MAX);
        let mut slice = FIRST_SLICE;
        loop {
            let now = self.core.cycles();
            if now >= last {
                return End::Cycles;
            }
            if std::mem::take(&mut self.fault_waits) {
                self.core.take_fault();
            }
            let until = last.min(now.saturating_add(slice));
            let stop = self.core.run_observed(Limit::cycles(until), observer);
            // What the rest of its block did, the core never did.
            if let Some(why) = self.core.system.hung.take() {
                return End::Hung(why);
            }
            if let Some(end) = self.handle(stop) {
                return end;
            }
            slice = SLICE.min(2 * slice);
            if self.core.system.console.error().is_some() {
                return End::Output;
            }
            if self.core.system.console.found() {
                return End::Until;
            }
            if limits.wall.is_some_and(|wall| started.elapsed() >= wall) {
                return End::TimeOut;
            }
        }
    }

    fn step(&mut self) -> Option<End> {
        if std::mem::take(&mut self.fault_waits) {
            self.core.take_fault();
        }
        let stop = self.core.step()?;
        self.handle(stop)
    }

    fn stop_at_faults(&mut self, stop: bool) {
        self.stop_at_faults = stop;
    }

    fn pc(&mut self) -> u32 {
        self.core.pc()
    }

    /// By the estimate.
    fn cycles(&self) -> u64 {
        self.core.cycles()
    }

    fn stack_top(&self) -> Option<u32> {
        self.stack.map(|stack| stack.top)
    }

    fn set_functions(&mut self, functions: Vec<FunctionTotals>) {
        self.functions = functions;
    }

    fn output_error(&self) -> Option<&std::io::Error> {
        self.core.system.console.error()
    }

    fn back_trace(&mut self) -> Vec<Frame> {
        self.program.symbols.back_trace(&Standing(&self.core), TRACE_DEPTH)
    }

    /// Its own; 0 if it reached its text or idles outside a panic handler; 5 for the rest; 6 if all was well but the stack
    /// overflowed.
    fn exit_code(&mut self, end: &End) -> i32 {
        let code = match end {
            End::Exit(code) => *code,
            End::Until => 0,
            End::Idle(_) if self.faults.is_empty() && !self.back_trace().iter().any(Frame::panics) => 0,
            _ => 5,
        };
        if code == 0 && self.overflow.is_some() { 6 } else { code }
    }

    fn report(&mut self, end: &End) -> Report {
        let exit_code = self.exit_code(end);
        let spent = self.core.spent();
        let soc = &self.core.system;
        let mut notes = soc.notes().to_vec();
        notes.extend(self.semihosting.refused().iter().map(|path| {
            format!("semihosting: file {path:?} refused (--files FOLDER allows those below it)")
        }));
        let idle_at = match end {
            End::Idle(pc) => Some(self.program.symbols.describe(*pc)),
            _ => None,
        };
        let lowest = self.core.stack().lowest;
        Report {
            program: self.program.name.clone(),
            end: end.clone(),
            idle_at,
            exit_code,
            cycles: spent.total.into(),
            instructions: self.core.instructions(),
            clock_hz: soc.cpu_hz(),
            pl_hz: soc.pl_hz(),
            breakdown: Breakdown {
                instructions: spent.instructions().into(),
                memory: spent.memory.into(),
                maintenance: spent.maintenance.into(),
                registers: spent.registers.into(),
                asleep: spent.asleep.into(),
                pl: soc.pl_clocks(spent.total.mid),
                dma_bytes: soc.pl.dma.moved,
            },
            counts: self.core.counts(),
            l2_misses: soc.l2.misses,
            stack: self.stack.map(|StackRegion { top, limit }| StackReport {
                bytes: top.saturating_sub(lowest),
                top,
                limit,
                lowest,
                process_lowest: None,
                overflow: self.overflow.clone(),
            }),
            sizes: self.program.sizes,
            faults: self.faults.clone(),
            functions: self.functions.clone(),
            notes,
        }
    }
}

/// The core as an unwinder sees it.
struct Standing<'a>(&'a CortexA9<Soc>);

impl Stopped for Standing<'_> {
    const A32: bool = true;

    fn registers(&self) -> [u32; 16] {
        self.0.registers().r
    }
    fn process_stack(&self) -> u32 {
        0
    }
    fn word(&self, address: u32) -> Option<u32> {
        let mut bytes = [0; 4];
        self.0.peek(address, &mut bytes).then(|| u32::from_le_bytes(bytes))
    }
}

/// The core as semihosting sees it.
struct HostTarget<'a> {
    core: &'a mut CortexA9<Soc>,
}

impl semihosting::Target for HostTarget<'_> {
    fn read(&mut self, address: u32, bytes: &mut [u8]) -> bool {
        self.core.peek(address, bytes)
    }
    fn write(&mut self, address: u32, bytes: &[u8]) -> bool {
        self.core.poke(address, bytes)
    }
    fn time(&self) -> (u64, u64) {
        (self.core.cycles(), self.core.system.cpu_hz())
    }
    fn seconds(&self) -> f64 {
        self.core.system.nanoseconds(self.core.cycles()) as f64 / 1e9
    }
    fn heap_info(&self) -> [u32; 4] {
        [0; 4]
    }
}
