// SPDX-License-Identifier: Apache-2.0 OR MIT

//! A virtual STM32F407G-DISC1: Cortex-M4F, 1 MB flash, 112 + 16 KB SRAM, 64 KB CCM, 8 MHz crystal.
//!
//! ```
//! use pqsoc_boards::{Board, Program};
//! use pqsoc_boards::stm32f407::{End, HookAction, Limits, Options, Stm32f407};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/double.elf");
//! // The program doubles 5 twice, and leaves what it has at the start of the RAM.
//! let mut board = Stm32f407::new(Program::open(path.as_ref())?, Options::default())?;
//! let limits = Limits { cycles: Some(1_000_000), wall: None };
//! // Cycles of one call; `cycles_between` counts from the entry of one function to that of another.
//! assert!(board.cycles_of("double", &limits)? > 2);
//! board.run_to("double", &limits)?;
//! // Registers and memory can be read and written while the board stands still.
//! assert_eq!(board.core().register(0), 10);
//! board.core().set_register(0, 21);
//! assert_eq!(board.run(&limits), End::Exit(0));
//! let mut result = [0; 4];
//! board.read(0x2000_0000, &mut result)?;
//! assert_eq!(u32::from_le_bytes(result), 42);
//! println!("{}", board.report(&End::Exit(0)));
//!
//! // A hook sees each call, and may take the function's place.
//! let mut board = Stm32f407::new(Program::open(path.as_ref())?, Options::default())?;
//! board.hook("double", Box::new(|core| HookAction::Return(core.register(0) + 1)))?;
//! board.run(&limits);
//! board.read(0x2000_0000, &mut result)?;
//! assert_eq!(u32::from_le_bytes(result), 7);
//! # Ok(())
//! # }
//! ```

mod clock;
mod crc;
mod flash;
mod gpio;
mod map;
mod peripherals;
mod rng;
mod timer;
mod usart;

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Instant;

use pqsoc_armv7::{
    Catch, CortexM4, Fault, FlashTiming, Kind, Limit, Memory, Observer, Stop, Unmapped, Unobserved,
};

pub use self::clock::{Clocks, Rcc};
use self::peripherals::Note;
pub use self::peripherals::Peripherals;
use crate::board::Board;
pub use crate::board::{End, Limits, RunError};
use crate::console::{Console, Sink};
use crate::heap::Heap;
use crate::profile::FunctionTotals;
use crate::program::{LoadError, Program};
use crate::report::{FaultReport, Overflow, Report, StackReport, Status};
use crate::rtt::Rtt;
use crate::semihosting::{Outcome, Semihosting, Target};
use crate::symbols::{Frame, Stopped};

/// Semihosting's BKPT number in T32.
const SEMIHOSTING: u8 = 0xab;
/// Calls shown in a back trace.
const TRACE_DEPTH: usize = 32;
/// Faults recorded; a program that lives with more is left alone.
const FAULTS: usize = 16;
/// Cycles between looks at the clock on the wall and for endless loops: at most, and to begin with.
const SLICE: u64 = 1_000_000;
const FIRST_SLICE: u64 = 1_000;

/// Core clock and wait states that hold whatever the program sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForcedClock {
    /// 24 MHz without wait states, as pqm4 measures.
    Mhz24,
    /// 168 MHz, 5 wait states behind prefetch and both caches.
    Mhz168,
}

impl ForcedClock {
    fn settings(self) -> (u64, FlashTiming) {
        match self {
            Self::Mhz24 => (24_000_000, FlashTiming::default()),
            Self::Mhz168 => (
                168_000_000,
                FlashTiming { latency: 5, prefetch: true, instruction_cache: true, data_cache: true },
            ),
        }
    }
}

/// How a board is set up.
pub struct Options {
    /// Takes the program's output.
    pub sink: Sink,
    /// The run ends when this text has been printed; empty for never.
    pub until: String,
    /// Seed of the random number generator and of what RAM holds at power-on.
    pub seed: u64,
    /// Overrides the clock that the program sets.
    pub clock: Option<ForcedClock>,
    /// Bytes that arrive on a serial port.
    pub input: Vec<u8>,
    /// Which one (1 to 6).
    pub input_port: u8,
    /// Directory whose files semihosting may open; `None` refuses all.
    pub files: Option<PathBuf>,
    /// Arguments for semihosting's SYS_GET_CMDLINE.
    pub arguments: Vec<String>,
    /// SRAM in KB, at least the chip's 128, to see what a program would need that does not fit.
    pub sram_kb: u32,
}

impl Default for Options {
    /// Output is dropped, nothing arrives, the program sets its clock, seed 0.
    fn default() -> Self {
        Self {
            sink: Box::new(|_, _| Ok(())),
            until: String::new(),
            seed: 0,
            clock: None,
            input: Vec::new(),
            input_port: 2,
            files: None,
            arguments: Vec::new(),
            sram_kb: map::SRAM_KB,
        }
    }
}

/// What a hook wants done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookAction {
    /// Execute the function.
    Continue,
    /// Do not: return this in R0.
    Return(u32),
}

/// Called at the first instruction of a function.
pub type Hook = Box<dyn FnMut(&mut CortexM4<Peripherals>) -> HookAction>;

/// The stack as the linker laid it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StackRegion {
    /// Initial stack pointer.
    top: u32,
    /// Lowest address that belongs to the stack: end of the variables below it, or start of the memory.
    limit: u32,
}

/// The board with a program in its flash.
pub struct Stm32f407 {
    core: CortexM4<Peripherals>,
    program: Program,
    semihosting: Semihosting,
    rtt: Option<Rtt>,
    heap: Heap,
    stack: StackRegion,
    forced: Option<ForcedClock>,
    hooks: HashMap<u32, Hook>,
    stop_at_faults: bool,
    /// A fault ended the last run: its handler is to be entered.
    fault_waits: bool,
    faults: Vec<FaultReport>,
    overflow: Option<Overflow>,
    functions: Vec<FunctionTotals>,
}

impl Stm32f407 {
    /// Puts the program into memory and takes the board out of reset.
    pub fn new(program: Program, options: Options) -> Result<Self, LoadError> {
        let mut memory = power_on(options.seed, options.sram_kb);
        load(&program, &mut memory)?;
        let table = boot(&mut memory)?;
        let stack = stack_region(&program, &memory, table)?;
        let forced = options.clock.map(ForcedClock::settings);
        if let Some((_, timing)) = forced {
            memory.set_flash_timing(timing);
        }
        let console = Console::new(options.sink, &options.until, program.defmt.clone());
        let mut peripherals = Peripherals::new(console, options.seed, forced);
        if options.sram_kb > map::SRAM_KB {
            peripherals.note(0, Note::Sram, || {
                format!("{} KB of SRAM: the chip has {}", options.sram_kb, map::SRAM_KB)
            });
        }
        peripherals.send(options.input_port, &options.input);
        let mut command_line = program.name.clone();
        for argument in &options.arguments {
            command_line.push(' ');
            command_line.push_str(argument);
        }
        let mut core = CortexM4::new(memory, peripherals);
        core.catch = Catch { hard: true, configurable: true };
        core.reset();
        core.set_main_stack_limit(stack.limit);
        let rtt = Rtt::find(&program);
        let heap = Heap::new(&program.symbols);
        heap.addresses().for_each(|address| core.add_breakpoint(address));
        Ok(Self {
            core,
            program,
            semihosting: Semihosting::new(options.files, command_line),
            rtt,
            heap,
            stack,
            forced: options.clock,
            hooks: HashMap::new(),
            stop_at_faults: false,
            fault_waits: false,
            faults: Vec::new(),
            overflow: None,
            functions: Vec::new(),
        })
    }

    /// The core, for registers, breakpoints and watchpoints.
    pub fn core(&mut self) -> &mut CortexM4<Peripherals> {
        &mut self.core
    }

    /// The program and its symbols.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Presses the reset button: peripherals and core start again, memory and the counts of cycles stay.
    pub fn reset(&mut self) {
        self.core.system_reset();
        self.fault_waits = false;
    }

    /// Reads memory or the core's own registers without side effects; peripherals cannot be read.
    pub fn read(&mut self, address: u32, bytes: &mut [u8]) -> Result<(), Unmapped> {
        self.core.peek(address, bytes)
    }

    /// Writes RAM or flash.
    pub fn write(&mut self, address: u32, bytes: &[u8]) -> Result<(), Unmapped> {
        self.core.memory.write(address, bytes)
    }

    /// Makes bytes arrive on serial port `port` (1 to 6).
    pub fn send(&mut self, port: u8, bytes: &[u8]) {
        self.core.bus.send(port, bytes);
    }

    /// Calls `hook` whenever the function called `name` is entered.
    pub fn hook(&mut self, name: &str, hook: Hook) -> Result<(), RunError> {
        let address = self.address_of(name)?;
        self.core.add_breakpoint(address);
        self.hooks.insert(address, hook);
        Ok(())
    }

    /// Runs until the function called `name` is entered.
    pub fn run_to(&mut self, name: &str, limits: &Limits) -> Result<(), RunError> {
        let address = self.address_of(name)?;
        let hooked = self.hooks.contains_key(&address);
        self.core.add_breakpoint(address);
        let end = self.run_from(limits, &mut Unobserved, Some(address));
        if !hooked {
            self.core.remove_breakpoint(address);
        }
        match end {
            End::Breakpoint(at) if at == address => Ok(()),
            end => Err(RunError::Ended { place: name.to_string(), end }),
        }
    }

    /// Cycles from the next entry of function `from` to the entry of function `to` after it.
    pub fn cycles_between(&mut self, from: &str, to: &str, limits: &Limits) -> Result<u64, RunError> {
        self.run_to(from, limits)?;
        let start = self.core.cycles();
        self.run_to(to, limits)?;
        Ok(self.core.cycles() - start)
    }

    /// Cycles of the next call of function `name`: from its first instruction to its caller's next.
    pub fn cycles_of(&mut self, name: &str, limits: &Limits) -> Result<u64, RunError> {
        self.run_to(name, limits)?;
        let (start, back, sp) = (self.core.cycles(), self.core.register(14) & !1, self.core.register(13));
        self.core.add_breakpoint(back);
        let end = loop {
            let end = self.run_from(limits, &mut Unobserved, Some(back));
            // A recursive call may return to the same place first.
            if end != End::Breakpoint(back) || self.core.register(13) >= sp {
                break end;
            }
        };
        if !self.hooks.contains_key(&back) {
            self.core.remove_breakpoint(back);
        }
        match end {
            End::Breakpoint(_) => Ok(self.core.cycles() - start),
            end => Err(RunError::Ended { place: format!("the return of {name}"), end }),
        }
    }

    fn address_of(&self, name: &str) -> Result<u32, RunError> {
        self.program
            .symbols
            .function(name)
            .map(|s| s.address)
            .ok_or_else(|| RunError::NoSymbol(name.to_string()))
    }

    fn run_from<O: Observer>(&mut self, limits: &Limits, observer: &mut O, wanted: Option<u32>) -> End {
        let started = Instant::now();
        let last = limits.cycles.unwrap_or(u64::MAX);
        let longest = self.rtt.as_ref().map_or(SLICE, Rtt::interval);
        let mut slice = FIRST_SLICE;
        let mut faults = self.faults.len();
        let end = loop {
            let now = self.core.cycles();
            if now >= last {
                break End::Cycles;
            }
            let stop = match self.enter_waiting_fault() {
                Some(stop) => stop,
                None => self.core.run_observed(Limit::cycles(last.min(now.saturating_add(slice))), observer),
            };
            if let Some(end) = self.handle(stop, wanted) {
                break end;
            }
            // Fault handlers are often endless loops: look again soon.
            slice = if self.faults.len() == faults { longest.min(2 * slice) } else { FIRST_SLICE };
            faults = self.faults.len();
            if let Some(rtt) = &mut self.rtt {
                rtt.poll(&mut self.core.memory, &mut self.core.bus.console);
            }
            if self.core.bus.console.error().is_some() {
                break End::Output;
            }
            if self.core.bus.console.found() {
                break End::Until;
            }
            if limits.wall.is_some_and(|wall| started.elapsed() >= wall) {
                break End::TimeOut;
            }
        };
        if let Some(rtt) = &mut self.rtt {
            rtt.poll(&mut self.core.memory, &mut self.core.bus.console);
        }
        end
    }

    /// Enters the handler of the fault that ended the last run.
    fn enter_waiting_fault(&mut self) -> Option<Stop> {
        if std::mem::take(&mut self.fault_waits) { self.core.take_fault() } else { None }
    }

    /// Deals with what stopped the core; `None` goes on.
    fn handle(&mut self, stop: Stop, wanted: Option<u32>) -> Option<End> {
        match stop {
            Stop::Limit => self.idle().then(|| End::Idle(self.core.pc())),
            Stop::Requested => None,
            Stop::Bkpt(SEMIHOSTING) => self.semihost(),
            Stop::Bkpt(_) => {
                let stop = self.core.take_bkpt()?;
                self.handle(stop, wanted)
            }
            Stop::Breakpoint => {
                let pc = self.core.pc();
                let of_heap = self.heap.entered(pc, std::array::from_fn(|n| self.core.register(n)));
                let hooked = self.hooks.get_mut(&pc).map(|hook| hook(&mut self.core));
                if let Some(HookAction::Return(value)) = hooked {
                    self.core.set_register(0, value);
                    let back = self.core.register(14);
                    self.core.set_register(15, back);
                    return None;
                }
                ((hooked.is_none() && !of_heap) || wanted == Some(pc)).then_some(End::Breakpoint(pc))
            }
            Stop::Watchpoint { address, write } => Some(End::Watchpoint { address, write }),
            Stop::Fault(fault) => {
                self.record(&fault);
                if self.stop_at_faults {
                    self.fault_waits = true;
                    return Some(End::Fault);
                }
                let stop = self.core.take_fault()?;
                self.handle(stop, wanted)
            }
            Stop::Lockup(fault) => {
                self.record(&fault);
                Some(End::Lockup)
            }
            Stop::Sleeping => Some(End::Idle(self.core.pc())),
            Stop::StackLimit { sp } => {
                self.overflow = Some(self.describe_overflow(sp));
                None
            }
        }
    }

    fn semihost(&mut self) -> Option<End> {
        let (op, arg) = (self.core.register(0), self.core.register(1));
        let mut target = HostTarget { core: &mut self.core, stack: self.stack };
        // The console is lent out for the call: the target borrows the rest of the core.
        let mut console =
            std::mem::replace(&mut target.core.bus.console, Console::new(Box::new(|_, _| Ok(())), "", None));
        let outcome = self.semihosting.call(op, arg, &mut target, &mut console);
        self.core.bus.console = console;
        match outcome {
            Outcome::Return(value) => {
                self.core.set_register(0, value);
                self.core.skip_bkpt();
            }
            Outcome::Exit(code) => return Some(End::Exit(code)),
            Outcome::Unknown => {
                self.core.bus.note(op, Note::Semihosting, || {
                    format!("semihosting operation {op:#x} does not exist: gives -1")
                });
                self.core.set_register(0, u32::MAX);
                self.core.skip_bkpt();
            }
        }
        None
    }

    /// A branch to itself that no interrupt will leave.
    fn idle(&mut self) -> bool {
        let pc = self.core.pc();
        let mut code = [0; 4];
        let _ = self.core.peek(pc, &mut code);
        let branch_to_self = code[..2] == [0xfe, 0xe7] || code == [0xff, 0xf7, 0xfe, 0xbf];
        if !branch_to_self {
            return false;
        }
        let masked = self.core.registers().primask & 1 != 0 || matches!(self.core.exception(), 2 | 3);
        masked || {
            // SysTick's TICKINT, and the enable bits of 82 interrupts.
            let mut word = |address| {
                let mut bytes = [0; 4];
                self.core.peek(address, &mut bytes).map_or(u32::MAX, |()| u32::from_le_bytes(bytes))
            };
            word(0xe000_e010) & 3 != 3 && (0..3).all(|i| word(0xe000_e100 + 4 * i) == 0)
        }
    }

    fn record(&mut self, fault: &Fault) {
        let back_trace = self.callers();
        if self.faults.len() == FAULTS {
            self.core.catch = Catch::default();
            return;
        }
        let symbols = &self.program.symbols;
        let data = (!symbols.is_code(fault.pc)).then(|| {
            let region = self.core.memory.region(fault.pc);
            match (symbols.section_at(fault.pc), region) {
                (Some(section), _) => format!("{} in {}", symbols.describe(fault.pc), section.name),
                (None, Some(region)) if region.kind == (Kind::Ram { execute: false }) => {
                    format!("{:#010x} in {}, which the core cannot fetch from", fault.pc, region.name)
                }
                _ => format!("{:#010x}, outside the program", fault.pc),
            }
        });
        self.faults.push(FaultReport {
            what: fault.to_string(),
            pc: fault.pc,
            address: fault.address,
            function: symbols.describe(fault.pc),
            data,
            escalated: fault.escalated,
            cycles: self.core.cycles(),
            back_trace,
        });
    }

    fn describe_overflow(&mut self, sp: u32) -> Overflow {
        let symbols = &self.program.symbols;
        Overflow::new(symbols, sp, self.stack.limit, self.core.cycles(), self.callers())
    }

    fn callers(&self) -> Vec<Frame> {
        self.program.symbols.back_trace(&Standing(&self.core), TRACE_DEPTH)
    }

    /// Where the program hangs: an exception handler or a panic handler?
    fn idles_in_handler(&self) -> bool {
        self.core.exception() != 0 || self.callers().iter().any(Frame::panics)
    }
}

impl Board for Stm32f407 {
    type Report = Report;

    fn run_observed<O: Observer>(&mut self, limits: &Limits, observer: &mut O) -> End {
        self.run_from(limits, observer, None)
    }

    fn step(&mut self) -> Option<End> {
        let stop = self.enter_waiting_fault().or_else(|| self.core.step())?;
        self.handle(stop, None)
    }

    fn stop_at_faults(&mut self, stop: bool) {
        self.stop_at_faults = stop;
    }

    fn pc(&mut self) -> u32 {
        self.core.pc()
    }

    fn cycles(&self) -> u64 {
        self.core.cycles()
    }

    fn stack_top(&self) -> Option<u32> {
        Some(self.stack.top)
    }

    fn back_trace(&mut self) -> Vec<Frame> {
        self.callers()
    }

    fn set_functions(&mut self, functions: Vec<FunctionTotals>) {
        self.functions = functions;
    }

    fn output_error(&self) -> Option<&std::io::Error> {
        self.core.bus.console.error()
    }

    /// Its own; 0 if it reached its text or idles; 5 for time-outs and for programs that hang in a fault or panic handler; 6 if
    /// all was well but the stack overflowed.
    fn exit_code(&mut self, end: &End) -> i32 {
        let code = match end {
            End::Exit(code) => *code,
            End::Until => 0,
            End::Idle(_) if !self.idles_in_handler() => 0,
            _ => 5,
        };
        if code == 0 && self.overflow.is_some() { 6 } else { code }
    }

    fn report(&mut self, end: &End) -> Report {
        let exit_code = self.exit_code(end);
        let (cycles, instructions) = (self.core.cycles(), self.core.instructions());
        let lowest = self.core.main_stack().lowest;
        let process = self.core.process_stack().lowest;
        let clocks = self.core.bus.rcc.clocks();
        let waits = self.core.memory.flash_timing().latency;
        let mut notes = self.core.bus.notes().to_vec();
        notes.extend(self.semihosting.refused().iter().map(|path| {
            format!("semihosting: file {path:?} refused (--files FOLDER allows those below it)")
        }));
        let idle_at = match end {
            End::Idle(pc) => Some(self.program.symbols.describe(*pc)),
            _ => None,
        };
        Report {
            board: "stm32f407",
            program: self.program.name.clone(),
            end: end.clone(),
            idle_at,
            exit_code,
            cycles,
            instructions,
            seconds: self.core.bus.rcc.seconds(cycles),
            clock_hz: clocks.hclk,
            wait_states: waits,
            clock_forced: self.forced.is_some(),
            cycles_status: if waits == 0 { Status::Modelled } else { Status::Estimated },
            stack: StackReport {
                bytes: self.stack.top.saturating_sub(lowest),
                top: self.stack.top,
                limit: self.stack.limit,
                lowest,
                process_lowest: (process != 0 && process != u32::MAX).then_some(process),
                overflow: self.overflow.clone(),
            },
            heap_bytes: self.heap.peak(),
            sizes: self.program.sizes,
            faults: self.faults.clone(),
            functions: self.functions.clone(),
            notes,
        }
    }
}

/// Memory at power-on: flash erased, RAM with whatever is in it.
fn power_on(seed: u64, sram_kb: u32) -> Memory {
    let regions = map::regions(sram_kb);
    let mut memory = Memory::new(&regions).expect("regions of whole pages that lie apart");
    let mut state = seed;
    for region in &regions {
        let bytes: Vec<u8> = match region.kind {
            Kind::Flash => vec![0xff; region.size as usize],
            Kind::Ram { .. } => {
                (0..region.size / 8).flat_map(|_| rng::split_mix(&mut state).to_le_bytes()).collect()
            }
        };
        let filled = memory.write(region.base, &bytes);
        debug_assert!(filled.is_ok());
    }
    for (address, bytes) in
        [(map::UNIQUE_ID.0, &map::UNIQUE_ID.1[..]), (map::FLASH_SIZE.0, &map::FLASH_SIZE.1[..])]
    {
        let written = memory.write(address, bytes);
        debug_assert!(written.is_ok());
    }
    let mapped = memory.alias(0, map::FLASH).and_then(|()| memory.set_slow_start(map::SRAM2));
    debug_assert!(mapped.is_ok());
    memory
}

/// Does what the programmer does.
fn load(program: &Program, memory: &mut Memory) -> Result<(), LoadError> {
    for segment in &program.segments {
        let outside = |address, size| LoadError::Outside {
            address,
            size,
            memory: "flash 1 MB at 0x08000000, SRAM 128 KB at 0x20000000, CCM 64 KB at 0x10000000".into(),
        };
        memory
            .write(segment.load_address, &segment.data)
            .map_err(|_| outside(segment.load_address, segment.data.len() as u32))?;
        if !is_memory(memory, segment.address, segment.memory_size) {
            return Err(outside(segment.address, segment.memory_size));
        }
    }
    Ok(())
}

/// Is there memory at all `size` bytes from `address`?
fn is_memory(memory: &Memory, address: u32, size: u32) -> bool {
    let Some(last) = size.checked_sub(1).map(|rest| address.saturating_add(rest)) else { return true };
    // Regions are whole pages.
    (address..last).step_by(4096).chain([last]).all(|at| memory.region(at).is_some())
}

fn vector(memory: &Memory, address: u32) -> u32 {
    let mut bytes = [0xff; 4];
    let _ = memory.read(address, &mut bytes);
    u32::from_le_bytes(bytes)
}

/// The boot pins: if the flash is empty, the program is in RAM and starts from there. Returns the vector table's address.
fn boot(memory: &mut Memory) -> Result<u32, LoadError> {
    if vector(memory, flash::BASE) != u32::MAX {
        return Ok(flash::BASE);
    }
    let table = 0x2000_0000;
    if plausible(memory, table).is_ok() {
        let mapped = memory.alias(0, map::SRAM1);
        debug_assert!(mapped.is_ok());
        return Ok(table);
    }
    Err(LoadError::Vectors { table: flash::BASE, what: "the flash is empty there".into() })
}

/// Checks the first two words of the vector table; returns the initial stack pointer.
fn plausible(memory: &Memory, table: u32) -> Result<u32, LoadError> {
    let (sp, reset) = (vector(memory, table), vector(memory, table + 4));
    let wrong = |what: String| Err(LoadError::Vectors { table, what });
    let is_ram = |r: &pqsoc_armv7::Region| matches!(r.kind, Kind::Ram { .. });
    if !sp.is_multiple_of(4) || !memory.region(sp.wrapping_sub(4)).is_some_and(is_ram) {
        return wrong(format!("the initial stack pointer {sp:#010x} is not in RAM"));
    }
    if reset & 1 == 0 {
        return wrong(format!("the reset vector {reset:#010x} is even, so it is not Thumb code"));
    }
    if memory.region(reset & !1).is_none() {
        return wrong(format!("the reset vector {reset:#010x} points where no memory is"));
    }
    Ok(sp)
}

fn stack_region(program: &Program, memory: &Memory, table: u32) -> Result<StackRegion, LoadError> {
    let top = plausible(memory, table)?;
    // SRAM1 and SRAM2 are one piece to the program.
    let mut base = top - 4;
    while let Some(region) = memory.region(base) {
        base = region.base;
        match memory.region(base.wrapping_sub(4)) {
            Some(_) => base -= 4,
            None => break,
        }
    }
    let limit = program
        .segments
        .iter()
        .filter(|s| s.memory_size != 0 && s.address >= base)
        .map(|s| s.address.saturating_add(s.memory_size))
        .filter(|&end| end <= top)
        .fold(base, u32::max);
    Ok(StackRegion { top, limit: limit.next_multiple_of(4) })
}

/// The core as an unwinder sees it.
struct Standing<'a>(&'a CortexM4<Peripherals>);

impl Stopped for Standing<'_> {
    const A32: bool = false;

    fn registers(&self) -> [u32; 16] {
        self.0.registers().r
    }
    fn process_stack(&self) -> u32 {
        self.0.registers().psp
    }
    fn word(&self, address: u32) -> Option<u32> {
        let mut bytes = [0; 4];
        self.0.memory.read(address, &mut bytes).ok()?;
        Some(u32::from_le_bytes(bytes))
    }
}

/// The core as semihosting sees it.
struct HostTarget<'a> {
    core: &'a mut CortexM4<Peripherals>,
    stack: StackRegion,
}

impl Target for HostTarget<'_> {
    fn read(&mut self, address: u32, bytes: &mut [u8]) -> bool {
        self.core.memory.read(address, bytes).is_ok()
    }
    fn write(&mut self, address: u32, bytes: &[u8]) -> bool {
        self.core.memory.write(address, bytes).is_ok()
    }
    fn time(&self) -> (u64, u64) {
        (self.core.cycles(), self.core.bus.rcc.clocks().hclk)
    }
    fn seconds(&self) -> f64 {
        self.core.bus.rcc.seconds(self.core.cycles())
    }
    fn heap_info(&self) -> [u32; 4] {
        [self.stack.limit, self.stack.top, self.stack.top, self.stack.limit]
    }
}
