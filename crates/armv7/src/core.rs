// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The Cortex-M4F as a board uses it.

use crate::art::Art;
use crate::bus::{Bus, Context, Lines};
use crate::cache::{Block, Cache, Source};
use crate::data::{Abort, Paths, Watchpoint};
use crate::decode::{Profile, decode, is_wide};
use crate::execute::{Exit, execute};
use crate::insn::{Insn, Op};
use crate::memory::{EXECUTE, Memory, TIMED, Unmapped};
use crate::mpu::{Access, Mpu, SYSTEM, default_executable};
use crate::nvic::Nvic;
use crate::regs::Regs;
use crate::scs::Control;
use crate::stop::{Cause, Fault, FaultClass, Limit, Stop};
use crate::systick::SysTick;
use crate::timing;
use crate::waiting::Waiting;

/// All registers that a debugger shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    /// R0 to R15. R13 is the stack pointer in use, R15 the address of the next instruction.
    pub r: [u32; 16],
    /// APSR, IPSR and EPSR together.
    pub xpsr: u32,
    /// Main stack pointer.
    pub msp: u32,
    /// Process stack pointer.
    pub psp: u32,
    /// Bit 0.
    pub primask: u32,
    /// Bit 0.
    pub faultmask: u32,
    /// Bits 7:4.
    pub basepri: u32,
    /// nPRIV, SPSEL, FPCA in bits 0 to 2.
    pub control: u32,
    /// S0 to S31.
    pub s: [u32; 32],
    /// FPSCR.
    pub fpscr: u32,
}

/// How control passed from one place to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// BL or BLX: LR holds the return address.
    Call,
    /// BX LR, or a load of PC from the stack.
    Return,
    /// Any other taken branch (a tail call or a switch too).
    Jump,
    /// Exception entry; the number is in IPSR. Tail-chained ones too.
    Entry,
    /// Return from an exception.
    ExceptionReturn,
}

/// What an [`Observer`] is shown of the core.
pub struct View<'a> {
    /// R0 to R15; R15 is not kept up to date here, use the addresses given.
    pub r: &'a [u32; 16],
    /// Cycles since power-on, up to and including the instruction reported.
    pub cycles: u64,
    /// Instructions since power-on.
    pub instructions: u64,
}

/// Watches a run. What is not switched on costs nothing.
pub trait Observer {
    /// Call [`transfer`](Self::transfer).
    const TRANSFERS: bool = false;
    /// Call [`instruction`](Self::instruction); the run is then several times slower.
    const INSTRUCTIONS: bool = false;

    /// Control passes from the instruction at `from` to `to`.
    fn transfer(&mut self, _kind: Transfer, _from: u32, _to: u32, _core: View<'_>) {}

    /// The instruction at `pc` is about to be executed. Encodings of two halfwords have the first in the high half.
    fn instruction(&mut self, _pc: u32, _encoding: u32, _core: View<'_>) {}
}

/// The observer that does not look.
pub struct Unobserved;

impl Observer for Unobserved {}

/// Which faults end the run before their handler is entered, as the vector catch bits of DEMCR do for a debugger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Catch {
    /// Faults that become HardFaults, whatever their class.
    pub hard: bool,
    /// MemManage, BusFault and UsageFault with a handler of their own.
    pub configurable: bool,
}

/// Depth of one stack (main or process).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackWatch {
    /// Lowest value the stack pointer has had since it was set up or since [`CortexM4::reset_stack_watch`].
    pub lowest: u32,
    /// Run ends with [`Stop::StackLimit`] when the pointer goes below this; 0 for never. It is then set to 0.
    pub limit: u32,
}

/// A Cortex-M4F with its memory and the peripherals of a board.
pub struct CortexM4<B> {
    /// The board's peripherals.
    pub bus: B,
    /// RAM and flash.
    pub memory: Memory,
    /// Faults that end the run.
    pub catch: Catch,
    pub(crate) lines: Lines,
    pub(crate) regs: Regs,
    pub(crate) mode: Mode,
    pub(crate) nvic: Nvic,
    pub(crate) mpu: Mpu,
    pub(crate) systick: SysTick,
    pub(crate) control: Control,
    pub(crate) paths: Paths,
    pub(crate) art: Art,
    pub(crate) waiting: Waiting,
    pub(crate) abort: Option<Abort>,
    cache: Cache,
    /// Where in which block the next instruction is, while blocks are executed piece by piece.
    cursor: Option<(u32, u32)>,
    breakpoints: Vec<u32>,
    pub(crate) watchpoints: Vec<Watchpoint>,
    /// What ends the run after this instruction.
    pub(crate) stop: Option<Stop>,
    /// The run's cycle limit.
    limit: u64,
    /// Something has to be looked at before this cycle is passed.
    deadline: u64,
    pub(crate) fault: Option<Fault>,
    /// The exception of the fault that ended the last run, and EXC_RETURN if it is a tail chain.
    pub(crate) caught: Option<(u32, Option<u32>)>,
}

/// The parts of the program status and control registers that are not in [`Regs`].
pub(crate) struct Mode {
    /// IPSR.
    pub exception: u32,
    /// ITSTATE before the next instruction.
    pub it: u8,
    /// EPSR.T.
    pub thumb: bool,
    /// The stack pointer that is not in use, and its depth.
    pub other_sp: u32,
    pub other_watch: StackWatch,
    /// CONTROL: nPRIV, SPSEL, FPCA.
    pub unprivileged: bool,
    pub process_stack: bool,
    pub fp_active: bool,
    pub event: bool,
    pub asleep: bool,
    pub locked_up: bool,
}

impl Mode {
    fn new() -> Self {
        Self {
            exception: 0,
            it: 0,
            thumb: true,
            other_sp: 0,
            other_watch: StackWatch { lowest: u32::MAX, limit: 0 },
            unprivileged: false,
            process_stack: false,
            fp_active: false,
            event: false,
            asleep: false,
            locked_up: false,
        }
    }

    pub(crate) fn privileged(&self) -> bool {
        self.exception != 0 || !self.unprivileged
    }

    /// Whether R13 is the process stack pointer.
    pub(crate) fn on_process_stack(&self) -> bool {
        self.exception == 0 && self.process_stack
    }
}

impl<B: Bus> CortexM4<B> {
    /// A core out of reset; call [`reset`](Self::reset) once the program is in memory.
    pub fn new(memory: Memory, bus: B) -> Self {
        Self {
            bus,
            memory,
            catch: Catch::default(),
            lines: Lines::new(),
            regs: Regs::new(),
            mode: Mode::new(),
            nvic: Nvic::new(),
            mpu: Mpu::default(),
            systick: SysTick::default(),
            control: Control::new(),
            paths: Paths::new(),
            art: Art::new(),
            waiting: Waiting::default(),
            abort: None,
            cache: Cache::default(),
            cursor: None,
            breakpoints: Vec::new(),
            watchpoints: Vec::new(),
            stop: None,
            limit: u64::MAX,
            deadline: 0,
            fault: None,
            caught: None,
        }
    }

    /// Resets the core: stack pointer and PC from the vector table at 0. Counters of cycles and instructions go on, and so
    /// does the watch on the stacks.
    pub fn reset(&mut self) {
        let (cycles, instructions) = (self.regs.cycles, self.regs.instructions);
        let (main, process) = (self.main_stack(), self.process_stack());
        self.regs = Regs::new();
        (self.regs.cycles, self.regs.instructions) = (cycles, instructions);
        self.mode = Mode::new();
        self.nvic = Nvic::new();
        self.mpu = Mpu::default();
        self.systick = SysTick::default();
        self.control = Control::new();
        self.control.start(cycles);
        self.lines = Lines::new();
        self.art = Art::new();
        self.abort = None;
        self.stop = None;
        self.fault = None;
        self.flush();
        let mut vectors = [0; 8];
        if self.memory.read(0, &mut vectors).is_err() {
            let fault = Fault {
                class: FaultClass::Hard,
                cause: Cause::VectorTable,
                pc: 0,
                address: Some(0),
                encoding: None,
                escalated: false,
            };
            self.lock_up(fault);
            return;
        }
        let [a, b, c, d, e, f, g, h] = vectors;
        self.regs.r[13] = u32::from_le_bytes([a, b, c, d]) & !3;
        self.regs.r[14] = u32::MAX;
        let entry = u32::from_le_bytes([e, f, g, h]);
        self.regs.pc = entry & !1;
        self.mode.thumb = entry & 1 != 0;
        (self.regs.sp_lowest, self.regs.sp_limit) = (main.lowest.min(self.regs.r[13]), main.limit);
        self.mode.other_watch = process;
        self.paths.update(&self.mpu, &self.watchpoints);
        self.look_up();
    }

    /// Resets the peripherals and the core, as SYSRESETREQ or the reset pin does. Memory keeps its contents.
    pub fn system_reset(&mut self) {
        let mut context =
            Context { now: self.regs.cycles, memory: &mut self.memory, lines: &mut self.lines, stall: 0 };
        self.bus.reset(&mut context);
        self.reset();
    }

    /// Executes one instruction, or takes one exception.
    pub fn step(&mut self) -> Option<Stop> {
        let mut cache = std::mem::take(&mut self.cache);
        let stop = self.advance(&mut cache, true, &mut Unobserved, Limit::NONE);
        self.cache = cache;
        stop
    }

    /// Runs until something stops it.
    pub fn run(&mut self, limit: Limit) -> Stop {
        self.run_observed(limit, &mut Unobserved)
    }

    /// Runs and shows the observer what it asked for.
    pub fn run_observed<O: Observer>(&mut self, limit: Limit, observer: &mut O) -> Stop {
        let mut cache = std::mem::take(&mut self.cache);
        self.limit = limit.cycles;
        self.look_up();
        let mut begin = !self.breakpoints.is_empty();
        let stop = loop {
            if begin {
                // A breakpoint where the run begins does not count.
                begin = false;
                if let Some(stop) = self.advance(&mut cache, true, observer, limit) {
                    break stop;
                }
            }
            if let Some(stop) = self.advance(&mut cache, false, observer, limit) {
                break stop;
            }
        };
        self.limit = u64::MAX;
        self.cache = cache;
        stop
    }

    /// Executes one instruction or, if not `single`, a good many.
    fn advance<O: Observer>(
        &mut self,
        cache: &mut Cache,
        single: bool,
        observer: &mut O,
        limit: Limit,
    ) -> Option<Stop> {
        let by_instruction = single || O::INSTRUCTIONS || !self.watchpoints.is_empty();
        loop {
            if self.lines.changed
                || self.memory.stale
                || self.regs.cycles >= self.deadline
                || self.regs.instructions >= limit.instructions
            {
                match self.service(cache, single, observer, limit) {
                    Serviced::Go => {}
                    Serviced::Exception if single => return self.stop.take(),
                    Serviced::Exception => {
                        if let Some(stop) = self.stop.take() {
                            return Some(stop);
                        }
                        continue;
                    }
                    Serviced::Stop(stop) => return Some(stop),
                }
            }
            // Where the next instruction is
            let (id, start) = match self.cursor.take() {
                Some((id, index)) => (id, index),
                None => {
                    let pc = self.regs.pc;
                    let id = if self.mode.it == 0 { cache.quick(pc) } else { None };
                    let id = match id {
                        Some(id) => id,
                        None => self.block(cache),
                    };
                    (id, 0)
                }
            };
            let block = cache.blocks[id as usize];
            if !self.breakpoints.is_empty() && !single && self.breakpoints.contains(&self.regs.pc) {
                self.cursor = (start != 0).then_some((id, start));
                return Some(Stop::Breakpoint);
            }
            let insns = &cache.insns[block.first as usize..(block.first + block.count) as usize];
            let one_by_one = by_instruction
                || self.control.counting()
                || self.regs.cycles + u64::from(block.worst) >= self.deadline
                || limit.instructions - self.regs.instructions.min(limit.instructions)
                    <= u64::from(block.count);
            let code = if one_by_one { &insns[..start as usize + 1] } else { insns };
            let source = |index: usize| cache.sources[block.first as usize + index];
            if O::INSTRUCTIONS {
                let view =
                    View { r: &self.regs.r, cycles: self.regs.cycles, instructions: self.regs.instructions };
                observer.instruction(self.regs.pc, source(start as usize).encoding, view);
            }
            let before = self.regs.cycles;
            let base = if start == 0 { 0 } else { insns[start as usize - 1].end };
            self.paths.base = base;
            self.regs.pc = block.pc;
            let outcome = execute(self, code, start as usize);
            let index = outcome.index;
            let address = |index: usize| match insns.get(index) {
                Some(insn) => block.pc.wrapping_add(2 * u32::from(insn.offset)),
                None => block.end,
            };
            // Instructions completed, and their time
            let (done, taken) = match outcome.exit {
                Exit::End => (index, false),
                Exit::LookUp | Exit::StackLimit => (index + 1, false),
                Exit::Branch | Exit::Special => (index + 1, true),
                _ => (index, false),
            };
            if done > start as usize {
                self.regs.cycles += u64::from(insns[done - 1].end - base);
                self.regs.instructions += (done - start as usize) as u64;
            }
            if taken {
                self.regs.cycles += timing::refill(insns[index].kind());
            }
            if self.memory.flash_timing().latency != 0 {
                self.fetch_time(cache, block, base, insns[done.max(1) - 1].end);
            }
            if self.control.counting() {
                let cost = self.regs.cycles - before;
                self.control.count(insns[start as usize].kind(), cost);
            }
            let from = if index < insns.len() { address(index) } else { block.pc };
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
                Exit::Branch => {
                    self.mode.it = 0;
                    if self.regs.pc == block.pc
                        && start == 0
                        && !one_by_one
                        && (index as u32) < block.transient
                        && self.waiting.repeats(block.pc, &self.regs, self.regs.cycles - before)
                    {
                        self.wait(self.regs.cycles - before, done as u64, block.worst, limit);
                    }
                    if O::TRANSFERS {
                        let kind = match insns[index].kind() {
                            Op::Bl | Op::Blx => Transfer::Call,
                            Op::LdmPc => Transfer::Return,
                            Op::Bx if insns[index].rm == 14 => Transfer::Return,
                            Op::LdrPcWb if insns[index].rn == 13 => Transfer::Return,
                            _ => Transfer::Jump,
                        };
                        let to = self.regs.pc;
                        self.transfer(observer, kind, from, to);
                    }
                }
                Exit::Special => {
                    self.mode.it = 0;
                    let target = self.regs.pc;
                    let returns =
                        target >> 28 == 15 && self.mode.exception != 0 && insns[index].kind() != Op::Blx;
                    if returns {
                        // The return's own time covers the refill.
                        self.regs.cycles -= timing::refill(insns[index].kind());
                        self.exception_return(target, from);
                        if O::TRANSFERS {
                            let to = self.regs.pc;
                            let kind = if self.control.tail_chained {
                                Transfer::Entry
                            } else {
                                Transfer::ExceptionReturn
                            };
                            self.transfer(observer, kind, from, to);
                        }
                    } else {
                        self.regs.pc = target & !1;
                        self.mode.thumb = target & 1 != 0;
                        if !self.mode.thumb {
                            self.look_up();
                        }
                    }
                }
                Exit::System | Exit::FpNotReady => {
                    self.at(address(index), source(index).it);
                    let (insn, source) = (insns[index], source(index));
                    let next = address(index + 1);
                    let next_it = cache.sources[block.first as usize..(block.first + block.count) as usize]
                        .get(index + 1)
                        .map_or(block.it, |s| s.it);
                    if outcome.exit == Exit::FpNotReady {
                        if self.prepare_fp(source.encoding) {
                            self.cursor = Some((id, index as u32));
                            continue;
                        }
                    } else {
                        let cost = u64::from(insn.end - if index == 0 { 0 } else { insns[index - 1].end });
                        self.system(insn, source, next, next_it, cost);
                    }
                }
                Exit::Abort => {
                    self.at(address(index), source(index).it);
                    self.take_abort(source(index).encoding);
                }
                Exit::Fault(cause) => {
                    self.at(address(index), source(index).it);
                    self.raise(FaultClass::Usage, cause, None, Some(source(index).encoding));
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

    /// Adds up the rounds of a loop that only waits, `cost` cycles and `count` instructions each, until something is due.
    fn wait(&mut self, cost: u64, count: u64, worst: u32, limit: Limit) {
        if self.lines.changed || self.memory.stale {
            return;
        }
        let cycles = self.deadline.saturating_sub(self.regs.cycles + u64::from(worst));
        let instructions = limit.instructions.saturating_sub(self.regs.instructions);
        let rounds = (cycles / cost.max(1)).min(instructions / count);
        self.regs.cycles += rounds * cost;
        self.regs.instructions += rounds * count;
        self.art.skip(rounds * cost);
    }

    fn transfer<O: Observer>(&mut self, observer: &mut O, kind: Transfer, from: u32, to: u32) {
        let view = View { r: &self.regs.r, cycles: self.regs.cycles, instructions: self.regs.instructions };
        observer.transfer(kind, from, to, view);
    }

    /// Puts the core at an instruction that was not executed.
    fn at(&mut self, pc: u32, it: u8) {
        self.regs.pc = pc;
        self.mode.it = it;
    }

    /// Makes the run look at everything before the next block.
    pub(crate) fn look_up(&mut self) {
        self.deadline = 0;
    }

    pub(crate) fn flush(&mut self) {
        self.memory.stale = true;
        self.cursor = None;
    }

    /// Wait states of the flash lines that were run through.
    fn fetch_time(&mut self, cache: &Cache, block: Block, from: u16, to: u16) {
        if self.memory.page(block.pc) & TIMED == 0 {
            return;
        }
        let flash = self.memory.flash_timing();
        let lines = &cache.lines[block.lines as usize..(block.lines + block.line_count) as usize];
        let mut now = self.regs.cycles.saturating_sub((to - from).into());
        for (n, &(line, begin)) in lines.iter().enumerate() {
            if begin >= to {
                break;
            }
            let ends = lines.get(n + 1).map_or(u16::MAX, |l| l.1);
            if ends <= from && from != 0 {
                continue;
            }
            let at = now + u64::from(begin.saturating_sub(from));
            let stall = self.art.fetch(line, at, flash);
            now += stall;
            self.regs.cycles += stall;
        }
    }

    /// Everything that is looked at between instructions: requests, events, limits and exceptions.
    fn service<O: Observer>(
        &mut self,
        cache: &mut Cache,
        single: bool,
        observer: &mut O,
        limit: Limit,
    ) -> Serviced {
        loop {
            if self.memory.stale {
                self.memory.stale = false;
                self.memory.forget_decoded();
                cache.clear();
                self.cursor = None;
            }
            if self.memory.timing_changed {
                self.memory.timing_changed = false;
                self.art = Art::new();
            }
            self.events();
            if self.lines.stop {
                self.lines.stop = false;
                return Serviced::Stop(Stop::Requested);
            }
            if let Some(stop) = self.stop.take() {
                return Serviced::Stop(stop);
            }
            if self.mode.locked_up {
                return Serviced::Stop(Stop::Lockup(self.fault.unwrap_or(NO_FAULT)));
            }
            if self.control.reset_requested {
                self.system_reset();
                continue;
            }
            if !single && (self.regs.cycles >= self.limit || self.regs.instructions >= limit.instructions) {
                self.look_up();
                return Serviced::Stop(Stop::Limit);
            }
            if self.control.imprecise.is_some() {
                self.cursor = None;
                self.take_imprecise();
                self.look_up();
                return Serviced::Exception;
            }
            self.escalate_pending();
            if let Some(exception) = self.nvic.ready() {
                if self.mode.asleep {
                    self.mode.asleep = false;
                }
                self.cursor = None;
                let from = self.regs.pc;
                let pc = from;
                self.exception_entry(exception, pc);
                if O::TRANSFERS {
                    let to = self.regs.pc;
                    self.transfer(observer, Transfer::Entry, from, to);
                }
                self.look_up();
                return Serviced::Exception;
            }
            let next = self.systick.next().min(self.lines.wake);
            if self.mode.asleep {
                if self.nvic.wakes() || self.mode.event {
                    self.mode.event = false;
                    self.mode.asleep = false;
                    continue;
                }
                if next == u64::MAX {
                    return Serviced::Stop(Stop::Sleeping);
                }
                // The first step of a run, which is single if there are breakpoints, sleeps no longer than the run.
                if self.regs.cycles >= self.limit {
                    self.look_up();
                    return Serviced::Stop(Stop::Limit);
                }
                let until = next.min(self.limit).max(self.regs.cycles);
                self.control.slept(until - self.regs.cycles);
                self.regs.cycles = until;
                continue;
            }
            if !self.mode.thumb {
                self.cursor = None;
                let encoding = self.encoding(self.regs.pc);
                self.raise(FaultClass::Usage, Cause::InvalidState, None, encoding);
                return Serviced::Exception;
            }
            self.deadline = next.min(self.limit);
            return Serviced::Go;
        }
    }

    /// Brings peripherals and SysTick up to now and collects their interrupts.
    pub(crate) fn events(&mut self) {
        let now = self.regs.cycles;
        if self.systick.advance(now) {
            self.nvic.pending.set(crate::nvic::SYS_TICK, true);
        }
        if self.lines.wake <= now {
            self.lines.wake = u64::MAX;
            let mut context = Context { now, memory: &mut self.memory, lines: &mut self.lines, stall: 0 };
            self.bus.event(&mut context);
        }
        self.lines.changed = false;
        for word in 0..8 {
            let pulses = std::mem::take(&mut self.lines.pulse[word]);
            // A level pends again unless its handler is running.
            let levels = self.lines.level[word] & !self.nvic.active.lines(word as u32);
            if pulses | levels != 0 {
                let before = self.nvic.pending.count();
                self.nvic.pending.change_lines(word as u32, pulses | levels, true);
                if self.control.sev_on_pend() && self.nvic.pending.count() != before {
                    self.mode.event = true;
                }
            }
        }
    }

    /// The block at PC, decoded if need be.
    #[cold]
    fn block(&mut self, cache: &mut Cache) -> u32 {
        let (pc, it) = (self.regs.pc, self.mode.it);
        if let Some(id) = cache.find(pc, it) {
            return id;
        }
        let breakpoints = std::mem::take(&mut self.breakpoints);
        let id = cache.decode(pc, it, |at, it| self.instruction(at, it), |at| breakpoints.contains(&at));
        self.breakpoints = breakpoints;
        id
    }

    /// The halfword at `address`, if it can be executed.
    fn fetch(&self, address: u32) -> Result<u16, (FaultClass, Cause)> {
        let allowed = if address >= SYSTEM {
            false
        } else if self.mpu_in_force() {
            self.mpu.allows(address, Access::Execute, self.mode.privileged())
        } else {
            default_executable(address)
        };
        if !allowed {
            return Err((FaultClass::MemManage, Cause::InstructionAccess));
        }
        let mut bytes = [0; 2];
        if self.memory.page(address) & EXECUTE == 0 || self.memory.read(address, &mut bytes).is_err() {
            return Err((FaultClass::Bus, Cause::InstructionBus));
        }
        Ok(u16::from_le_bytes(bytes))
    }

    /// Decodes the instruction at `address` and marks where it came from.
    fn instruction(&mut self, address: u32, it: u8) -> (Insn, Source) {
        let second_address = address.wrapping_add(2);
        let halves = self.fetch(address).and_then(|first| {
            let second = if is_wide(first) { self.fetch(second_address)? } else { 0 };
            Ok((first, second))
        });
        let Ok((first, second)) = halves else {
            return (Insn::new(Op::FetchFault), Source { encoding: 0, it, wide: false });
        };
        let wide = is_wide(first);
        self.memory.mark_decoded(address);
        if wide {
            self.memory.mark_decoded(second_address);
        }
        let encoding = if wide { u32::from(first) << 16 | u32::from(second) } else { first.into() };
        let insn = decode(first, second, crate::decode::It(it), address, Profile::M);
        (insn, Source { encoding, it, wide })
    }

    /// The encoding at `address`, for fault reports.
    pub(crate) fn encoding(&self, address: u32) -> Option<u32> {
        let first = self.fetch(address).ok()?;
        if !is_wide(first) {
            return Some(first.into());
        }
        let second = self.fetch(address.wrapping_add(2)).ok()?;
        Some(u32::from(first) << 16 | u32::from(second))
    }

    /// Why the fetch at PC failed.
    pub(crate) fn fetch_fault(&mut self) {
        let pc = self.regs.pc;
        let (class, cause) = match self.fetch(pc).and_then(|_| self.fetch(pc.wrapping_add(2))) {
            Err(fault) => fault,
            Ok(_) => return,
        };
        self.raise(class, cause, None, None);
    }

    /// Cycles since power-on, sleeping included.
    pub fn cycles(&self) -> u64 {
        self.regs.cycles
    }

    /// Instructions executed since power-on. Those with a failed condition count, IT too.
    pub fn instructions(&self) -> u64 {
        self.regs.instructions
    }

    /// All registers.
    pub fn registers(&self) -> Registers {
        let mut r = self.regs.r;
        r[15] = self.regs.pc;
        let (msp, psp) = if self.mode.on_process_stack() {
            (self.mode.other_sp, r[13])
        } else {
            (r[13], self.mode.other_sp)
        };
        Registers {
            r,
            xpsr: self.xpsr(),
            msp,
            psp,
            primask: self.nvic.primask.into(),
            faultmask: self.nvic.faultmask.into(),
            basepri: self.nvic.basepri.into(),
            control: self.control_register(),
            s: self.singles(),
            fpscr: self.regs.fpscr,
        }
    }

    fn singles(&self) -> [u32; 32] {
        std::array::from_fn(|n| self.regs.s[n])
    }

    /// Sets all registers. XPSR's exception number is set too.
    pub fn set_registers(&mut self, registers: &Registers) {
        self.mode.exception = registers.xpsr & 0x1ff;
        self.mode.unprivileged = registers.control & 1 != 0;
        self.mode.process_stack = registers.control & 2 != 0;
        self.mode.fp_active = registers.control & 4 != 0;
        self.regs.r = registers.r;
        let (this, other) = if self.mode.on_process_stack() {
            (registers.psp, registers.msp)
        } else {
            (registers.msp, registers.psp)
        };
        self.regs.r[13] = this & !3;
        self.mode.other_sp = other & !3;
        self.regs.pc = registers.r[15] & !1;
        self.set_psr(registers.xpsr);
        self.nvic.primask = registers.primask & 1 != 0;
        self.nvic.faultmask = registers.faultmask & 1 != 0;
        self.nvic.basepri = (registers.basepri & 0xf0) as u8;
        self.regs.s[..32].copy_from_slice(&registers.s);
        self.regs.fpscr = registers.fpscr & crate::fp::WRITABLE;
        self.regs.fp_ready = false;
        self.moved();
    }

    /// One of R0 to R15; the stack pointer in use is 13, the address of the next instruction 15. 0 for other numbers.
    pub fn register(&self, n: usize) -> u32 {
        match n {
            15 => self.regs.pc,
            _ => self.regs.r.get(n).copied().unwrap_or(0),
        }
    }

    /// Sets one of R0 to R15. Bit 0 of a new PC is ignored; other numbers too.
    pub fn set_register(&mut self, n: usize, value: u32) {
        match n {
            15 => {
                self.regs.pc = value & !1;
                self.mode.it = 0;
                self.moved();
            }
            13 => self.regs.r[13] = value & !3,
            _ => {
                if let Some(register) = self.regs.r.get_mut(n) {
                    *register = value;
                }
            }
        }
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

    /// Reads memory as a debugger does: RAM, flash, the core's own registers (words); never a peripheral, and
    /// without side effects.
    pub fn peek(&mut self, address: u32, bytes: &mut [u8]) -> Result<(), Unmapped> {
        if self.memory.read(address, bytes).is_ok() {
            return Ok(());
        }
        for (i, byte) in bytes.iter_mut().enumerate() {
            let at = address.wrapping_add(i as u32);
            let mut one = [0];
            if self.memory.read(at, &mut one).is_ok() {
                *byte = one[0];
            } else {
                let word = self.peek_scs(at & !3).ok_or(Unmapped(at))?;
                *byte = (word >> (8 * (at & 3))) as u8;
            }
        }
        Ok(())
    }

    /// Ends with [`Stop::Breakpoint`] before the instruction at `address` is executed. A run that starts there
    /// executes it.
    pub fn add_breakpoint(&mut self, address: u32) {
        if !self.breakpoints.contains(&(address & !1)) {
            self.breakpoints.push(address & !1);
            self.flush();
        }
    }

    /// Takes a breakpoint away.
    pub fn remove_breakpoint(&mut self, address: u32) {
        self.breakpoints.retain(|&b| b != address & !1);
        self.flush();
    }

    /// Ends with [`Stop::Watchpoint`] after an access to `length` bytes at `address`. Runs are slower with any set.
    pub fn add_watchpoint(&mut self, address: u32, length: u32, reads: bool, writes: bool) {
        self.watchpoints.push(Watchpoint { address, length, reads, writes });
        self.paths.update(&self.mpu, &self.watchpoints);
    }

    /// Takes the watchpoint with these values away.
    pub fn remove_watchpoint(&mut self, address: u32, length: u32, reads: bool, writes: bool) {
        let gone = Watchpoint { address, length, reads, writes };
        self.watchpoints.retain(|w| *w != gone);
        self.paths.update(&self.mpu, &self.watchpoints);
    }

    /// After [`Stop::Bkpt`]: goes on behind the instruction.
    pub fn skip_bkpt(&mut self) {
        self.regs.pc = self.regs.pc.wrapping_add(2);
        self.mode.it = crate::decode::It(self.mode.it).next().0;
        self.regs.instructions += 1;
        self.regs.cycles += 1;
        self.moved();
    }

    /// After [`Stop::Bkpt`]: does what silicon without a debugger does (DebugMonitor or HardFault). The result is a
    /// further stop, if that is caught or locks up.
    pub fn take_bkpt(&mut self) -> Option<Stop> {
        self.moved();
        self.debug_event();
        self.stop.take()
    }

    /// After [`Stop::Fault`]: enters the handler. Without this the instruction is tried again. The result is a further
    /// stop, if that fails.
    pub fn take_fault(&mut self) -> Option<Stop> {
        self.moved();
        self.enter_caught();
        self.stop.take()
    }

    /// The main stack's depth.
    pub fn main_stack(&self) -> StackWatch {
        if self.mode.on_process_stack() { self.mode.other_watch } else { self.current_watch() }
    }

    /// The process stack's depth.
    pub fn process_stack(&self) -> StackWatch {
        if self.mode.on_process_stack() { self.current_watch() } else { self.mode.other_watch }
    }

    fn current_watch(&self) -> StackWatch {
        StackWatch { lowest: self.regs.sp_lowest, limit: self.regs.sp_limit }
    }

    /// Ends runs with [`Stop::StackLimit`] when the main stack pointer goes below `limit`; 0 for never.
    pub fn set_main_stack_limit(&mut self, limit: u32) {
        if self.mode.on_process_stack() {
            self.mode.other_watch.limit = limit;
        } else {
            self.regs.sp_limit = limit;
        }
    }

    /// Takes the current stack pointers as the lowest.
    pub fn reset_stack_watch(&mut self) {
        self.regs.sp_lowest = self.regs.r[13];
        self.mode.other_watch.lowest = self.mode.other_sp;
    }

    /// The last fault, whether or not a handler dealt with it.
    pub fn last_fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// Number of the exception being handled (IPSR); 0 in thread mode.
    pub fn exception(&self) -> u32 {
        self.mode.exception
    }

    /// Pends interrupt `line` from outside.
    pub fn pend(&mut self, line: u32) {
        self.lines.pulse(line);
    }
}

enum Serviced {
    Go,
    Exception,
    Stop(Stop),
}

/// Stands for the fault of a lockup that nothing recorded.
const NO_FAULT: Fault = Fault {
    class: FaultClass::Hard,
    cause: Cause::VectorTable,
    pc: 0,
    address: None,
    encoding: None,
    escalated: false,
};
