// SPDX-License-Identifier: Apache-2.0 OR MIT

//! A Cortex-A9 (ARMv7-A, VFPv3-D32, Advanced SIMD) with its MMU and level-1 caches.
//!
//! The core stands before a [`System`]: everything behind level 1. Its data cache holds data: a line is written back when it
//! is thrown out or cleaned and not before, so that masters beside the core see what they would see on silicon. Time is
//! a model with bounds ([`Cycles`]); what happens is exact.

mod blocks;
mod cp15;
mod exception;
mod fault;
mod l1;
mod memory;
mod mmu;
mod system;
mod timing;

pub use self::fault::{Fault, FaultKind, Stop};
pub use self::l1::{CacheCounts, DataCache, Line};
pub use self::system::{Attributes, Context, Cycles, ExternalAbort, LINE, MemoryType, Pot, Spent, System};

use self::blocks::{Blocks, Ending, Source};
use self::cp15::Cp15;
use self::exception::{Banks, Mode};
use self::l1::InstructionCache;
use self::memory::DataAbort;
use self::mmu::{Access, Control, Tlb};
use self::system::Signals;
use self::timing::Predictor;
use crate::core::{Observer, Transfer, Unobserved, View};
use crate::data::Watchpoint;
use crate::decode::{It, Profile, is_wide};
use crate::execute::{Exit, execute, stores};
use crate::insn::{Insn, Op};
use crate::regs::Regs;
use crate::stop::Limit;

/// All registers that a debugger shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    /// R0 to R15 of the current mode; R15 is the address of the next instruction.
    pub r: [u32; 16],
    /// CPSR.
    pub cpsr: u32,
    /// D0 to D31.
    pub d: [u64; 32],
    /// FPSCR.
    pub fpscr: u32,
}

/// Numbers of events since power-on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Instructions executed; those with a failed condition count.
    pub instructions: u64,
    /// Lines fetched by the instruction cache.
    pub instruction_fills: u64,
    /// Level-1 data cache.
    pub data: CacheCounts,
    /// Translation table walks.
    pub walks: u64,
    /// Branches that had to be predicted.
    pub branches: u64,
    /// Those predicted wrongly.
    pub mispredicted: u64,
}

/// How a core is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Seed of the choice of lines to replace.
    pub seed: u32,
    /// CBAR: where the private peripherals are.
    pub peripherals: u32,
    /// A miss fetches the next line too, as the prefetcher may on silicon: what is not invalidated after a DMA shows.
    pub prefetch: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { seed: 0x5eed, peripherals: 0xf8f0_0000, prefetch: false }
    }
}

/// A Cortex-A9 before a system.
pub struct CortexA9<S> {
    /// What is behind level 1.
    pub system: S,
    /// Undefined instructions and aborts end the run before their handler is entered.
    pub catch: bool,
    /// SVC 0x123456 (T32: 0xab) is a semihosting call and ends the run.
    pub semihosting: bool,
    options: Options,
    regs: Regs,
    mode: Mode,
    banks: Banks,
    control: Control,
    cp15: Cp15,
    l1: DataCache,
    code: InstructionCache,
    tlb: Tlb,
    predictor: Predictor,
    signals: Signals,
    spent: Spent,
    abort: Option<DataAbort>,
    /// An asynchronous external abort is pending.
    late_abort: bool,
    blocks: Blocks,
    blocks_stale: bool,
    /// Where in which block the next instruction is, while blocks are executed piece by piece.
    cursor: Option<(u32, u32)>,
    /// `end` of the instruction before the one that runs.
    base: u16,
    breakpoints: Vec<u32>,
    watchpoints: Vec<Watchpoint>,
    stop: Option<Stop>,
    limit: u64,
    deadline: u64,
    fault: Option<Fault>,
    caught: bool,
}

impl<S: System> CortexA9<S> {
    /// A core out of reset: in Supervisor mode at address 0, interrupts masked, MMU and caches off.
    pub fn new(system: S, options: Options) -> Self {
        let mut regs = Regs::new();
        regs.thumb = 0;
        Self {
            system,
            catch: false,
            semihosting: false,
            options,
            regs,
            mode: Mode::new(),
            banks: Banks::default(),
            control: cp15::reset_control(),
            cp15: Cp15::default(),
            l1: DataCache::new(options.seed),
            code: InstructionCache::new(options.seed ^ 0x1111),
            tlb: Tlb::new(),
            predictor: Predictor::new(),
            signals: Signals::new(),
            spent: Spent::default(),
            abort: None,
            late_abort: false,
            blocks: Blocks::default(),
            blocks_stale: false,
            cursor: None,
            base: 0,
            breakpoints: Vec::new(),
            watchpoints: Vec::new(),
            stop: None,
            limit: u64::MAX,
            deadline: 0,
            fault: None,
            caught: false,
        }
    }

    /// Executes one instruction, or takes one exception.
    pub fn step(&mut self) -> Option<Stop> {
        let mut blocks = std::mem::take(&mut self.blocks);
        let stop = self.advance(&mut blocks, true, &mut Unobserved, Limit::NONE);
        self.blocks = blocks;
        stop
    }

    /// Runs until something stops it. Cycles of the limit are those of the estimate.
    pub fn run(&mut self, limit: Limit) -> Stop {
        self.run_observed(limit, &mut Unobserved)
    }

    /// Runs and shows the observer what it asked for.
    pub fn run_observed<O: Observer>(&mut self, limit: Limit, observer: &mut O) -> Stop {
        let mut blocks = std::mem::take(&mut self.blocks);
        self.limit = limit.cycles;
        self.look_up();
        let mut begin = !self.breakpoints.is_empty();
        let stop = loop {
            // A breakpoint where the run begins does not count.
            let single = std::mem::take(&mut begin);
            if let Some(stop) = self.advance(&mut blocks, single, observer, limit) {
                break stop;
            }
        };
        self.limit = u64::MAX;
        self.blocks = blocks;
        stop
    }

    /// Executes one instruction or, if not `single`, a good many.
    fn advance<O: Observer>(
        &mut self,
        blocks: &mut Blocks,
        single: bool,
        observer: &mut O,
        limit: Limit,
    ) -> Option<Stop> {
        let one_by_one = single || O::INSTRUCTIONS || !self.watchpoints.is_empty();
        loop {
            if self.signals.changed
                || self.blocks_stale
                || self.spent.total.mid >= self.deadline
                || self.regs.instructions >= limit.instructions
            {
                match self.service(blocks, single, observer, limit) {
                    Serviced::Go => {}
                    Serviced::Exception if single => return self.stop.take(),
                    Serviced::Exception => match self.stop.take() {
                        Some(stop) => return Some(stop),
                        None => continue,
                    },
                    Serviced::Stop(stop) => return Some(stop),
                }
            }
            let (id, start) = match self.cursor.take() {
                Some(place) => place,
                None => {
                    let key = self.regs.pc | self.regs.thumb;
                    let id = if self.mode.it == 0 { blocks.quick(key) } else { None };
                    match id {
                        Some(id) => (id, 0),
                        None => (self.block(blocks, key), 0),
                    }
                }
            };
            let block = blocks.blocks[id as usize];
            if !self.breakpoints.is_empty() && !single && self.breakpoints.contains(&self.regs.pc) {
                self.cursor = (start != 0).then_some((id, start));
                return Some(Stop::Breakpoint);
            }
            if block.checked != self.code.generation && !self.fetch(blocks, id) {
                if let Some(stop) = self.stop.take() {
                    return Some(stop);
                }
                continue;
            }
            let insns = &blocks.insns[block.first as usize..(block.first + block.count) as usize];
            let code = if one_by_one { &insns[..start as usize + 1] } else { insns };
            let source = |index: usize| blocks.sources[block.first as usize + index];
            if O::INSTRUCTIONS {
                let view = self.view();
                observer.instruction(self.regs.pc, source(start as usize).encoding, view);
            }
            let base = if start == 0 { 0 } else { insns[start as usize - 1].end };
            self.base = base;
            self.regs.pc = block.pc();
            let outcome = execute(self, code, start as usize);
            let index = outcome.index;
            let address = |index: usize| match insns.get(index) {
                Some(insn) => block.pc().wrapping_add(2 * u32::from(insn.offset)),
                None => block.end,
            };
            let done = match outcome.exit {
                Exit::LookUp | Exit::StackLimit | Exit::Branch | Exit::Special => index + 1,
                _ => index,
            };
            if done > start as usize {
                let bounds = |index: usize| blocks.bounds[block.first as usize + index];
                let mut time = Cycles::new(
                    bounds(done - 1).low.into(),
                    insns[done - 1].end.into(),
                    bounds(done - 1).high.into(),
                );
                if start != 0 {
                    let before = bounds(start as usize - 1);
                    time = time - Cycles::new(before.low.into(), base.into(), before.high.into());
                }
                self.spent.total += time;
                self.regs.instructions += (done - start as usize) as u64;
            }
            let last = done == insns.len();
            if last && block.ending != Ending::Straight {
                let taken = matches!(outcome.exit, Exit::Branch | Exit::Special);
                self.predict(
                    &insns[insns.len() - 1],
                    address(insns.len() - 1),
                    block.ending,
                    block.calls,
                    taken,
                );
            }
            let from = if index < insns.len() { address(index) } else { block.pc() };
            match outcome.exit {
                Exit::End | Exit::LookUp | Exit::StackLimit => {
                    self.regs.pc = address(done);
                    if done < insns.len() {
                        self.mode.it = source(done).it;
                        self.cursor = Some((id, done as u32));
                    } else {
                        self.mode.it = block.it;
                    }
                    if outcome.exit == Exit::StackLimit {
                        return Some(Stop::StackLimit { sp: self.regs.r[13] });
                    }
                    if outcome.exit == Exit::LookUp {
                        self.look_up();
                    }
                }
                Exit::Branch | Exit::Special => {
                    self.mode.it = 0;
                    if outcome.exit == Exit::Special {
                        let target = self.regs.pc;
                        self.regs.thumb = target & 1;
                        self.regs.pc = if target & 1 != 0 { target & !1 } else { target & !3 };
                    }
                    if O::TRANSFERS {
                        let kind = match (block.calls, block.ending) {
                            (true, _) => Transfer::Call,
                            (_, Ending::Indirect { returns: true }) => Transfer::Return,
                            _ => Transfer::Jump,
                        };
                        let to = self.regs.pc;
                        observer.transfer(kind, from, to, self.view());
                    }
                }
                Exit::System | Exit::FpNotReady => {
                    let (insn, source) = (insns[index], source(index));
                    self.at(address(index), source.it);
                    let next = address(index + 1);
                    let next_it = if index + 1 < insns.len() {
                        blocks.sources[block.first as usize + index + 1].it
                    } else {
                        block.it
                    };
                    if outcome.exit == Exit::FpNotReady {
                        self.undefined(
                            source.encoding,
                            Some("FP or SIMD instruction while the unit is off,"),
                        );
                    } else {
                        let mode = self.mode.bits;
                        let from = self.regs.pc;
                        self.system_instruction(&insn, source, next, next_it);
                        if O::TRANSFERS && (self.mode.bits != mode || self.regs.pc != next) {
                            let to = self.regs.pc;
                            let kind = if matches!(insn.kind(), Op::LdmReturn | Op::DataReturn | Op::Rfe) {
                                Transfer::ExceptionReturn
                            } else if to == next {
                                Transfer::Jump
                            } else {
                                Transfer::Entry
                            };
                            observer.transfer(kind, from, to, self.view());
                        }
                    }
                    self.look_up();
                }
                Exit::Abort => {
                    self.at(address(index), source(index).it);
                    if let Some(abort) = &mut self.abort
                        && stores(&insns[index])
                    {
                        abort.status |= memory::WRITE;
                    }
                    self.take_abort(source(index).encoding);
                    self.look_up();
                }
                // A Cortex-A9 has no division that could fault.
                Exit::Fault(_) => {
                    self.at(address(index), source(index).it);
                    self.undefined(source(index).encoding, None);
                }
            }
            if let Some(stop) = self.stop.take() {
                return Some(stop);
            }
            if single {
                return None;
            }
        }
    }

    fn view(&self) -> View<'_> {
        View { r: &self.regs.r, cycles: self.spent.total.mid, instructions: self.regs.instructions }
    }

    /// Puts the core at an instruction that was not executed.
    fn at(&mut self, pc: u32, it: u8) {
        self.regs.pc = pc;
        self.mode.it = it;
    }

    /// Makes the run look at everything before the next block.
    fn look_up(&mut self) {
        self.deadline = 0;
    }

    /// The time of a branch that ends a block.
    fn predict(&mut self, insn: &Insn, pc: u32, ending: Ending, calls: bool, taken: bool) {
        let target = self.regs.pc & !1;
        let mut foreseen = true;
        match ending {
            Ending::Straight | Ending::Direct => {}
            Ending::Conditional => foreseen = self.predictor.conditional(pc, taken),
            Ending::Indirect { returns } => {
                if insn.conditional() {
                    foreseen = self.predictor.conditional(pc, taken);
                }
                if taken {
                    foreseen &= if returns {
                        self.predictor.back(target)
                    } else {
                        self.predictor.indirect(pc, target)
                    };
                }
            }
        }
        if calls && taken {
            self.predictor.call(self.regs.r[14] & !1);
        }
        if self.control.sctlr & mmu::PREDICTION == 0 {
            foreseen = !taken;
        }
        if !foreseen {
            self.spent.total += timing::MISPREDICTED;
        } else if taken {
            self.spent.total += timing::TAKEN;
        }
    }

    /// Everything that is looked at between instructions: requests, events, limits and interrupts.
    fn service<O: Observer>(
        &mut self,
        blocks: &mut Blocks,
        single: bool,
        observer: &mut O,
        limit: Limit,
    ) -> Serviced {
        loop {
            if std::mem::take(&mut self.blocks_stale) {
                blocks.clear();
                self.cursor = None;
            }
            if self.signals.wake <= self.spent.total.mid {
                self.signals.wake = u64::MAX;
                let (mut context, system) = self.context(Pot::Memory, false, 0);
                system.event(&mut context);
            }
            self.signals.changed = false;
            if std::mem::take(&mut self.signals.stop) {
                return Serviced::Stop(Stop::Requested);
            }
            if let Some(stop) = self.stop.take() {
                return Serviced::Stop(stop);
            }
            let now = self.spent.total.mid;
            if !single && (now >= self.limit || self.regs.instructions >= limit.instructions) {
                self.look_up();
                return Serviced::Stop(Stop::Limit);
            }
            let from = self.regs.pc;
            if self.pending_exception() {
                self.cursor = None;
                if O::TRANSFERS {
                    let to = self.regs.pc;
                    observer.transfer(Transfer::Entry, from, to, self.view());
                }
                self.look_up();
                return Serviced::Exception;
            }
            if self.mode.asleep {
                if self.signals.irq || self.signals.fiq || self.late_abort {
                    self.mode.asleep = false;
                    continue;
                }
                if self.signals.wake == u64::MAX {
                    return Serviced::Stop(Stop::Sleeping);
                }
                // A single step has come by above.
                if now >= self.limit {
                    return Serviced::Stop(Stop::Limit);
                }
                let until = self.signals.wake.min(self.limit).max(now);
                self.spent.add(Pot::Asleep, Cycles::exact(until - now));
                continue;
            }
            self.deadline = self.signals.wake.min(self.limit);
            return Serviced::Go;
        }
    }

    /// The block with `key`, decoded if need be.
    #[cold]
    fn block(&mut self, blocks: &mut Blocks, key: u32) -> u32 {
        let it = self.mode.it;
        if let Some(id) = blocks.find(key, it) {
            return id;
        }
        let breakpoints = std::mem::take(&mut self.breakpoints);
        let id = blocks.decode(
            key,
            it,
            |at, it, lines| self.instruction(at, it, lines),
            |at| breakpoints.contains(&at),
        );
        self.breakpoints = breakpoints;
        id
    }

    /// Makes sure that the instruction cache has the lines of a block, and that they are what was decoded. False if the
    /// block must not run.
    #[cold]
    #[inline(never)]
    fn fetch(&mut self, blocks: &mut Blocks, id: u32) -> bool {
        let block = blocks.blocks[id as usize];
        let Ok((_, attributes)) = self.translate(block.pc(), Access::Execute, self.mode.privileged()) else {
            // The block begins with an instruction that says so.
            return true;
        };
        let lines = &blocks.lines[block.lines as usize..(block.lines + block.line_count) as usize];
        let mut same = true;
        for &line in lines {
            if !(attributes.inner && self.code.get(line).is_some()) {
                match self.code_line(line, attributes) {
                    Some(unchanged) => same &= unchanged,
                    None => same = false,
                }
            }
        }
        if !same {
            // Decoded from something else.
            blocks.clear();
            self.cursor = None;
            return false;
        }
        blocks.blocks[id as usize].checked = if attributes.inner { self.code.generation } else { 0 };
        true
    }

    /// Fetches a line of code; whether it is what was decoded, if anything was. Nothing if nobody answers.
    fn code_line(&mut self, line: u32, attributes: Attributes) -> Option<bool> {
        let (mut context, system) = self.context(Pot::Memory, false, 0);
        let bytes = system.read_line(line * LINE, attributes, &mut context).ok()?;
        Some(if attributes.inner { self.code.fill(line, bytes) } else { self.code.compare(line, bytes) })
    }

    /// The bytes at `address` up to the end of their line, at most four.
    fn code_bytes(&mut self, address: u32, lines: &mut Vec<u32>) -> Option<[u8; 4]> {
        let (physical, attributes) = self.translate(address, Access::Execute, self.mode.privileged()).ok()?;
        let line = physical / LINE;
        let here = attributes.inner && self.code.get(line).is_some();
        if !here && !self.code_line(line, attributes)? {
            // Other blocks came from older bytes of this line.
            self.blocks_stale = true;
        }
        let bytes = self.code.last(line)?;
        lines.push(line);
        let at = (physical % LINE) as usize;
        let mut word = [0; 4];
        let there = (LINE as usize - at).min(4);
        word[..there].copy_from_slice(&bytes[at..at + there]);
        Some(word)
    }

    /// Decodes the instruction at `address` and notes where it came from.
    fn instruction(&mut self, address: u32, it: u8, lines: &mut Vec<u32>) -> (Insn, Source) {
        let failed = (Insn::new(Op::FetchFault), Source { encoding: 0, it, bytes: 4 });
        let Some(bytes) = self.code_bytes(address, lines) else { return failed };
        if self.regs.thumb == 0 {
            let encoding = u32::from_le_bytes(bytes);
            return (crate::a32::decode(encoding, address), Source { encoding, it, bytes: 4 });
        }
        let first = u16::from_le_bytes([bytes[0], bytes[1]]);
        if !is_wide(first) {
            let insn = crate::decode::decode(first, 0, It(it), address, Profile::A);
            return (insn, Source { encoding: first.into(), it, bytes: 2 });
        }
        let second = if address % LINE == LINE - 2 {
            let Some([a, b, ..]) = self.code_bytes(address.wrapping_add(2), lines) else { return failed };
            u16::from_le_bytes([a, b])
        } else {
            u16::from_le_bytes([bytes[2], bytes[3]])
        };
        let encoding = u32::from(first) << 16 | u32::from(second);
        let insn = crate::decode::decode(first, second, It(it), address, Profile::A);
        (insn, Source { encoding, it, bytes: 4 })
    }

    /// Core cycles since power-on by the estimate, sleeping included.
    pub fn cycles(&self) -> u64 {
        self.spent.total.mid
    }

    /// Time since power-on with its bounds, and what it was spent on.
    pub fn spent(&self) -> Spent {
        self.spent
    }

    /// Instructions executed since power-on. Those with a failed condition count, IT too.
    pub fn instructions(&self) -> u64 {
        self.regs.instructions
    }

    /// What happened so far.
    pub fn counts(&self) -> Counts {
        Counts {
            instructions: self.regs.instructions,
            instruction_fills: self.code.fills,
            data: self.l1.counts,
            walks: self.tlb.walks,
            branches: self.predictor.branches,
            mispredicted: self.predictor.mispredicted,
        }
    }

    /// The level-1 data cache.
    pub fn data_cache(&self) -> &DataCache {
        &self.l1
    }

    /// All registers.
    pub fn registers(&self) -> Registers {
        let mut r = self.regs.r;
        r[15] = self.regs.pc;
        let d = std::array::from_fn(|n| self.regs.double(n as u8));
        Registers { r, cpsr: self.cpsr(), d, fpscr: self.regs.fpscr }
    }

    /// Sets all registers.
    pub fn set_registers(&mut self, registers: &Registers) {
        self.set_cpsr(registers.cpsr);
        self.regs.r = registers.r;
        for (n, &value) in registers.d.iter().enumerate() {
            self.regs.set_double(n as u8, value);
        }
        self.regs.fpscr = registers.fpscr & crate::fp::WRITABLE;
        self.set_register(15, registers.r[15]);
    }

    /// One of R0 to R15; 15 is the address of the next instruction. 0 for other numbers.
    pub fn register(&self, n: usize) -> u32 {
        match n {
            15 => self.regs.pc,
            _ => self.regs.r.get(n).copied().unwrap_or(0),
        }
    }

    /// Sets one of R0 to R15. The low bits of a new PC are dropped as the instruction set asks; other numbers are ignored.
    pub fn set_register(&mut self, n: usize, value: u32) {
        match n {
            15 => {
                self.regs.pc = if self.regs.thumb != 0 { value & !1 } else { value & !3 };
                self.mode.it = 0;
                self.moved();
            }
            _ => {
                if let Some(register) = self.regs.r.get_mut(n) {
                    *register = value;
                }
            }
        }
    }

    /// Makes the core go on at `address`, in T32 if bit 0 is set.
    pub fn jump(&mut self, address: u32) {
        self.regs.thumb = address & 1;
        self.set_register(15, address);
    }

    /// PC or modes were changed from outside.
    fn moved(&mut self) {
        self.cursor = None;
        self.look_up();
    }

    /// Address of the next instruction.
    pub fn pc(&self) -> u32 {
        self.regs.pc
    }

    /// CPSR.
    pub fn psr(&self) -> u32 {
        self.cpsr()
    }

    /// Ends with [`Stop::Breakpoint`] before the instruction at `address` is executed. A run that starts there executes it.
    pub fn add_breakpoint(&mut self, address: u32) {
        if !self.breakpoints.contains(&(address & !1)) {
            self.breakpoints.push(address & !1);
            self.blocks_stale = true;
        }
    }

    /// Takes a breakpoint away.
    pub fn remove_breakpoint(&mut self, address: u32) {
        self.breakpoints.retain(|&b| b != address & !1);
        self.blocks_stale = true;
    }

    /// Ends with [`Stop::Watchpoint`] after an access to `length` bytes at `address`. Runs are slower with any set.
    pub fn add_watchpoint(&mut self, address: u32, length: u32, reads: bool, writes: bool) {
        self.watchpoints.push(Watchpoint { address, length, reads, writes });
        self.l1.forget_translations();
    }

    /// Takes the watchpoint with these values away.
    pub fn remove_watchpoint(&mut self, address: u32, length: u32, reads: bool, writes: bool) {
        let gone = Watchpoint { address, length, reads, writes };
        self.watchpoints.retain(|w| *w != gone);
    }

    /// After [`Stop::Semihosting`]: goes on behind the instruction.
    pub fn skip_semihosting(&mut self) {
        let bytes = if self.regs.thumb != 0 { 2 } else { 4 };
        self.regs.pc = self.regs.pc.wrapping_add(bytes);
        self.mode.it = It(self.mode.it).next().0;
        self.regs.instructions += 1;
        self.spent.total += Cycles::exact(1);
        self.moved();
    }

    /// After [`Stop::Fault`]: enters the handler. Without this the instruction is tried again.
    pub fn take_fault(&mut self) {
        self.moved();
        if std::mem::take(&mut self.caught)
            && let Some(fault) = self.fault
        {
            self.enter_fault(&fault);
        }
    }

    /// The last fault, whether or not a handler dealt with it.
    pub fn last_fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }
}

enum Serviced {
    Go,
    Exception,
    Stop(Stop),
}
