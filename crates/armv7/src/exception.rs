// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Exceptions and faults (ARM DDI 0403E, B1.5), and the instructions that change modes.

use crate::bus::{Bus, Size};
use crate::cache::Source;
use crate::core::CortexM4;
use crate::insn::{Insn, Op};
use crate::nvic::{BUS_FAULT, DEBUG_MONITOR, HARD_FAULT, MEM_MANAGE, NMI, SV_CALL, USAGE_FAULT};
use crate::stop::{Cause, Fault, FaultClass, Stop};
use crate::timing;

/// EPSR.T in xPSR.
const THUMB: u32 = 1 << 24;
/// Stacked xPSR: the stack pointer was moved by 4 to align the frame.
const REALIGNED: u32 = 1 << 9;

impl<B: Bus> CortexM4<B> {
    pub(crate) fn xpsr(&self) -> u32 {
        let it = u32::from(self.mode.it);
        self.regs.apsr()
            | self.mode.exception
            | if self.mode.thumb { THUMB } else { 0 }
            | (it & 3) << 25
            | (it >> 2) << 10
    }

    /// Sets flags, T and ITSTATE from an xPSR.
    pub(crate) fn set_psr(&mut self, psr: u32) {
        self.regs.set_nzcvq(psr);
        self.regs.set_ge(psr);
        self.mode.thumb = psr & THUMB != 0;
        self.mode.it = (psr >> 25 & 3 | psr >> 8 & 0xfc) as u8;
    }

    pub(crate) fn control_register(&self) -> u32 {
        u32::from(self.mode.unprivileged)
            | u32::from(self.mode.process_stack) << 1
            | u32::from(self.mode.fp_active) << 2
    }

    /// Changes which stack pointer is R13 after `change` has changed modes.
    fn with_stacks(&mut self, change: impl FnOnce(&mut Self)) {
        let before = self.mode.on_process_stack();
        change(self);
        if before != self.mode.on_process_stack() {
            std::mem::swap(&mut self.regs.r[13], &mut self.mode.other_sp);
            std::mem::swap(&mut self.regs.sp_lowest, &mut self.mode.other_watch.lowest);
            std::mem::swap(&mut self.regs.sp_limit, &mut self.mode.other_watch.limit);
        }
    }

    fn push(&mut self, address: u32, value: u32, ok: &mut Result<(), FaultClass>) {
        let (privileged, now) = (self.mode.privileged(), self.regs.cycles);
        if ok.is_ok()
            && let Err(abort) = self.write_bus(address, Size::Word, value, privileged, now)
        {
            *ok = Err(abort.class);
        }
        // Pushes of exception entry are not buffered.
        if self.control.imprecise.take().is_some() {
            *ok = Err(FaultClass::Bus);
        }
    }

    fn pop(&mut self, address: u32, privileged: bool, ok: &mut Result<(), FaultClass>) -> u32 {
        let now = self.regs.cycles;
        match self.read_bus(address, Size::Word, privileged, now) {
            Ok(value) => value,
            Err(abort) => {
                *ok = Err(abort.class);
                0
            }
        }
    }

    /// PushStack(): where the frame is, and whether it could be written.
    fn push_stack(&mut self, return_address: u32) -> Result<(), FaultClass> {
        let extended = self.mode.fp_active;
        let size = if extended { 0x68 } else { 0x20 };
        let align = extended || self.control.aligns_stack();
        let sp = self.regs.r[13];
        let realigned = align && sp & 4 != 0;
        let frame = sp.wrapping_sub(size) & if align { !4 } else { !0 };
        self.regs.r[13] = frame;
        if self.regs.note_sp() {
            self.stop = Some(Stop::StackLimit { sp: frame });
        }
        let psr = self.xpsr() & !REALIGNED | if realigned { REALIGNED } else { 0 };
        let r = self.regs.r;
        let mut ok = Ok(());
        for (i, value) in [r[0], r[1], r[2], r[3], r[12], r[14], return_address, psr].into_iter().enumerate()
        {
            self.push(frame.wrapping_add(4 * i as u32), value, &mut ok);
        }
        if extended {
            if self.control.lazy_stacking() {
                let priority = self.nvic.execution_priority();
                let ready =
                    |n: u32, nvic: &crate::nvic::Nvic| nvic.enabled.has(n) && nvic.priority(n) < priority;
                let bits = [
                    (1, self.mode.unprivileged),
                    (3, self.mode.exception == 0),
                    (4, priority > -1),
                    (5, ready(MEM_MANAGE, &self.nvic)),
                    (6, ready(BUS_FAULT, &self.nvic)),
                    (8, ready(DEBUG_MONITOR, &self.nvic)),
                ];
                self.control.start_lazy(frame.wrapping_add(0x20), &bits);
            } else {
                self.regs.cycles += timing::FP_FRAME;
                self.push_fp(frame.wrapping_add(0x20), &mut ok);
            }
        }
        ok
    }

    fn push_fp(&mut self, address: u32, ok: &mut Result<(), FaultClass>) {
        for n in 0..16 {
            self.push(address.wrapping_add(4 * n), self.regs.s[n as usize], ok);
        }
        self.push(address.wrapping_add(0x40), self.regs.fpscr, ok);
    }

    /// Exception entry from `return_address`. A more urgent exception that comes before the vector is read is taken
    /// instead.
    pub(crate) fn exception_entry(&mut self, exception: u32, return_address: u32) {
        let pushed = self.push_stack(return_address);
        let fp = self.mode.fp_active;
        let link = match (self.mode.exception != 0, self.mode.process_stack) {
            (true, _) => 0xffff_fff1,
            (_, false) => 0xffff_fff9,
            _ => 0xffff_fffd,
        } & !(u32::from(fp) << 4);
        self.regs.cycles += timing::ENTRY_STACKING;
        self.control.exceptions(timing::ENTRY);
        let mut taken = exception;
        if let Err(class) = pushed {
            let n = self.record(class, Cause::Stacking, None);
            if n == HARD_FAULT || self.nvic.priority(n) < self.nvic.priority(taken) {
                taken = n;
                self.nvic.pending.set(exception, true);
            }
        } else {
            self.events();
            if let Some(later) = self.nvic.ready()
                && self.nvic.priority(later) < self.nvic.priority(taken)
            {
                taken = later;
            }
        }
        self.regs.cycles += timing::ENTRY - timing::ENTRY_STACKING;
        self.exception_taken(taken, link);
    }

    /// ExceptionTaken().
    fn exception_taken(&mut self, exception: u32, link: u32) {
        self.with_stacks(|core| {
            core.mode.exception = exception;
            core.mode.process_stack = false;
        });
        self.regs.r[14] = link;
        self.mode.it = 0;
        self.mode.fp_active = false;
        self.mode.event = true;
        self.regs.fp_ready = false;
        self.regs.exclusive = None;
        self.nvic.pending.set(exception, false);
        self.nvic.active.set(exception, true);
        let vector = self.control.vector_table().wrapping_add(4 * exception);
        let now = self.regs.cycles;
        match self.read_bus(vector, Size::Word, true, now) {
            Ok(entry) => {
                self.regs.pc = entry & !1;
                self.mode.thumb = entry & 1 != 0;
            }
            Err(_) => {
                let fault = Fault {
                    class: FaultClass::Hard,
                    cause: Cause::VectorTable,
                    pc: self.regs.pc,
                    address: Some(vector),
                    encoding: None,
                    escalated: false,
                };
                self.control.hard_fault(1 << 1);
                self.fault = Some(fault);
                if exception == HARD_FAULT || exception == NMI {
                    self.lock_up(fault);
                } else {
                    self.nvic.active.set(exception, false);
                    self.exception_taken(HARD_FAULT, link);
                }
            }
        }
        self.look_up();
    }

    /// A load of PC or BX with an EXC_RETURN value in handler mode, by the instruction at `from`.
    pub(crate) fn exception_return(&mut self, value: u32, from: u32) {
        self.control.tail_chained = false;
        let returning = self.mode.exception;
        let nested = self.nvic.active.count() > 1;
        let frame_kind = value & 15;
        let legal = value & 0x0fff_ffe0 == 0x0fff_ffe0
            && self.nvic.active.has(returning)
            && match frame_kind {
                1 => nested,
                9 | 13 => !nested || self.control.may_return_to_thread(),
                _ => false,
            };
        // DeActivate()
        self.nvic.active.set(returning, false);
        if returning != NMI {
            self.nvic.faultmask = false;
        }
        if !legal {
            self.invalid_return(value, from);
            return;
        }
        self.events();
        if let Some(next) = self.nvic.ready() {
            // Tail chaining: the frame stays where it is.
            self.regs.cycles += timing::TAIL_CHAIN;
            self.control.exceptions(timing::TAIL_CHAIN);
            self.control.tail_chained = true;
            self.exception_taken(next, value);
            return;
        }
        self.regs.cycles += timing::RETURN;
        self.control.exceptions(timing::RETURN);
        let to_process = frame_kind == 13;
        let frame =
            if to_process && !self.mode.on_process_stack() { self.mode.other_sp } else { self.regs.r[13] };
        let privileged = frame_kind == 1 || !self.mode.unprivileged;
        let extended = value & 16 == 0;
        let mut ok = Ok(());
        let mut words = [0; 8];
        for (i, word) in words.iter_mut().enumerate() {
            *word = self.pop(frame.wrapping_add(4 * i as u32), privileged, &mut ok);
        }
        if extended && !self.control.end_lazy() {
            self.regs.cycles += timing::FP_FRAME;
            let mut s = [0; 17];
            for (i, word) in s.iter_mut().enumerate() {
                *word = self.pop(frame.wrapping_add(0x20 + 4 * i as u32), privileged, &mut ok);
            }
            if ok.is_ok() {
                self.regs.s[..16].copy_from_slice(&s[..16]);
                self.regs.fpscr = s[16] & crate::fp::WRITABLE;
            }
        }
        if let Err(class) = ok {
            // The frame stays, and the handler sees the EXC_RETURN it came from.
            let n = self.record(class, Cause::Unstacking, None);
            self.tail_into(n, value);
            return;
        }
        let psr = words[7];
        let thread = frame_kind != 1;
        if (psr & 0x1ff & !REALIGNED == 0) != thread {
            self.invalid_return(value, from);
            return;
        }
        let size = if extended { 0x68 } else { 0x20 };
        let align = extended || self.control.aligns_stack();
        let sp = frame.wrapping_add(size) | if align && psr & REALIGNED != 0 { 4 } else { 0 };
        self.with_stacks(|core| {
            core.mode.exception = psr & 0x1ff;
            core.mode.process_stack = to_process;
        });
        self.regs.r[13] = sp & !3;
        self.regs.r[..4].copy_from_slice(&words[..4]);
        self.regs.r[12] = words[4];
        self.regs.r[14] = words[5];
        self.regs.pc = words[6] & !1;
        self.set_psr(psr);
        self.mode.fp_active = extended;
        self.mode.event = true;
        self.regs.fp_ready = false;
        self.regs.exclusive = None;
        if thread && !nested && self.control.sleep_on_exit() {
            self.mode.asleep = true;
        }
        self.look_up();
    }

    /// An EXC_RETURN that does not fit: UsageFault, taken as a tail chain.
    fn invalid_return(&mut self, value: u32, from: u32) {
        self.regs.pc = from;
        let n = self.record(FaultClass::Usage, Cause::InvalidPc, None);
        self.tail_into(n, value);
    }

    fn tail_into(&mut self, exception: u32, link: u32) {
        if self.mode.locked_up || self.caught(exception, Some(link)) {
            return;
        }
        self.regs.cycles += timing::TAIL_CHAIN;
        self.exception_taken(exception, link);
    }

    /// Notes a fault in the status registers; the exception to take for it, escalated if need be.
    fn record(&mut self, class: FaultClass, cause: Cause, address: Option<u32>) -> u32 {
        self.control.fault_status(class, cause, address);
        let own = match class {
            FaultClass::Hard => HARD_FAULT,
            FaultClass::MemManage => MEM_MANAGE,
            FaultClass::Bus => BUS_FAULT,
            FaultClass::Usage => USAGE_FAULT,
        };
        let escalated = own != HARD_FAULT && !(self.nvic.enabled.has(own) && self.nvic.preempts(own));
        let fault = Fault {
            class,
            cause,
            pc: self.regs.pc,
            address,
            encoding: self.encoding(self.regs.pc),
            escalated,
        };
        self.fault = Some(fault);
        if escalated || own == HARD_FAULT {
            if escalated {
                self.control.hard_fault(1 << 30);
            }
            if self.nvic.execution_priority() <= -1 {
                self.lock_up(fault);
            }
            return HARD_FAULT;
        }
        own
    }

    /// Whether the fault just recorded, of this exception, ends the run here. `link`: it would be a tail chain.
    fn caught(&mut self, exception: u32, link: Option<u32>) -> bool {
        let Some(fault) = self.fault else { return false };
        let hard = fault.escalated || fault.class == FaultClass::Hard;
        let caught = if hard { self.catch.hard } else { self.catch.configurable };
        if caught {
            self.stop = Some(Stop::Fault(fault));
            self.caught = Some((exception, link));
        }
        caught
    }

    /// A fault of the instruction at PC.
    pub(crate) fn raise(
        &mut self,
        class: FaultClass,
        cause: Cause,
        address: Option<u32>,
        encoding: Option<u32>,
    ) {
        let n = self.record(class, cause, address);
        if let (Some(fault), Some(_)) = (&mut self.fault, encoding) {
            fault.encoding = encoding;
        }
        if self.mode.locked_up || self.caught(n, None) {
            return;
        }
        self.exception_entry(n, self.regs.pc);
    }

    /// Enters the handler of a fault that was caught.
    pub(crate) fn enter_caught(&mut self) {
        match self.caught.take() {
            Some((exception, Some(link))) => {
                self.regs.cycles += timing::TAIL_CHAIN;
                self.exception_taken(exception, link);
            }
            Some((exception, None)) => self.exception_entry(exception, self.regs.pc),
            None => {}
        }
    }

    /// A load or store of the instruction at PC aborted.
    pub(crate) fn take_abort(&mut self, encoding: u32) {
        if let Some(abort) = self.abort.take() {
            let address = Some(abort.address);
            self.raise(abort.class, abort.cause, address, Some(encoding));
        }
    }

    /// A buffered store failed some instructions ago.
    pub(crate) fn take_imprecise(&mut self) {
        let Some(address) = self.control.imprecise.take() else { return };
        let n = self.record(FaultClass::Bus, Cause::ImpreciseData, None);
        if let Some(fault) = &mut self.fault {
            fault.address = Some(address);
        }
        if !self.mode.locked_up && !self.caught(n, None) {
            self.exception_entry(n, self.regs.pc);
        }
    }

    pub(crate) fn lock_up(&mut self, fault: Fault) {
        self.fault = Some(fault);
        self.mode.locked_up = true;
        self.regs.pc = 0xffff_fffe;
        self.look_up();
    }

    /// BKPT without a debugger: DebugMonitor if it can be taken, else HardFault.
    pub(crate) fn debug_event(&mut self) {
        self.control.debug_event();
        if self.nvic.enabled.has(DEBUG_MONITOR) && self.nvic.preempts(DEBUG_MONITOR) {
            self.exception_entry(DEBUG_MONITOR, self.regs.pc);
            return;
        }
        self.control.hard_fault(1 << 31);
        let encoding = self.encoding(self.regs.pc);
        self.raise(FaultClass::Hard, Cause::Debug, None, encoding);
    }

    /// ExecuteFPCheck(): makes FP instructions possible or faults. True if they are.
    pub(crate) fn prepare_fp(&mut self, encoding: u32) -> bool {
        if !self.control.fp_allowed(self.mode.privileged()) {
            self.raise(FaultClass::Usage, Cause::NoCoprocessor, None, Some(encoding));
            return false;
        }
        if let Some((address, privileged)) = self.control.lazy_pending() {
            // PreserveFPState()
            let mut ok = Ok(());
            let now = self.regs.cycles;
            for n in 0..17u32 {
                let value = if n < 16 { self.regs.s[n as usize] } else { self.regs.fpscr };
                let result = self.write_bus(address.wrapping_add(4 * n), Size::Word, value, privileged, now);
                if let Err(abort) = result {
                    ok = Err(abort.class);
                }
            }
            if self.control.imprecise.take().is_some() {
                ok = Err(FaultClass::Bus);
            }
            self.regs.cycles += timing::FP_FRAME;
            self.control.end_lazy();
            if let Err(class) = ok {
                self.raise(class, Cause::LazyStacking, None, Some(encoding));
                return false;
            }
        }
        if self.control.automatic_fp() && !self.mode.fp_active {
            self.regs.fpscr = self.control.default_fpscr();
            self.mode.fp_active = true;
        }
        self.regs.fp_ready = true;
        true
    }

    /// The instructions that the executor leaves to the core. `cost` is what the schedule gives it.
    pub(crate) fn system(&mut self, insn: Insn, source: Source, next: u32, next_it: u8, cost: u64) {
        let usage =
            |core: &mut Self, cause| core.raise(FaultClass::Usage, cause, None, Some(source.encoding));
        match insn.kind() {
            Op::Undefined | Op::Unpredictable if matches!(insn.imm, 10 | 11) => {
                // An encoding of the FPU's: whether that is on comes first.
                let cause = match (self.control.fp_allowed(self.mode.privileged()), insn.kind()) {
                    (false, _) => Cause::NoCoprocessor,
                    (_, Op::Undefined) => Cause::Undefined,
                    _ => Cause::Unpredictable,
                };
                return usage(self, cause);
            }
            Op::Undefined => return usage(self, Cause::Undefined),
            Op::Unpredictable => return usage(self, Cause::Unpredictable),
            Op::Coprocessor => return usage(self, Cause::NoCoprocessor),
            Op::FetchFault => return self.fetch_fault(),
            Op::Bkpt => {
                self.stop = Some(Stop::Bkpt(insn.imm as u8));
                return;
            }
            _ => {}
        }
        self.regs.pc = next;
        self.mode.it = next_it;
        self.regs.cycles += cost;
        self.regs.instructions += 1;
        match insn.kind() {
            Op::Svc => {
                if self.nvic.preempts(SV_CALL) {
                    self.exception_entry(SV_CALL, next);
                } else {
                    // Escalated; the return address is that of the SVC.
                    self.regs.pc = next.wrapping_sub(2);
                    self.mode.it = source.it;
                    self.control.hard_fault(1 << 30);
                    self.raise(FaultClass::Hard, Cause::SupervisorCall, None, Some(source.encoding));
                }
            }
            Op::Cps if self.mode.privileged() => {
                let disable = insn.imm & 16 != 0;
                if insn.imm & 2 != 0 {
                    self.nvic.primask = disable;
                }
                if insn.imm & 1 != 0 && (!disable || self.nvic.execution_priority() > -1) {
                    self.nvic.faultmask = disable;
                }
                self.look_up();
            }
            Op::Mrs => {
                let value = self.read_special(insn.imm);
                self.regs.r[usize::from(insn.rd & 15)] = value;
            }
            Op::Msr => {
                let value = self.regs.r[usize::from(insn.rn & 15)];
                self.write_special(insn.imm & 0xff, insn.imm >> 8, value);
                self.look_up();
            }
            Op::Wfi => {
                self.mode.asleep = true;
                self.mode.event = false;
                self.look_up();
            }
            Op::Wfe => {
                if self.mode.event {
                    self.mode.event = false;
                } else {
                    self.mode.asleep = true;
                }
                self.look_up();
            }
            Op::Sev => self.mode.event = true,
            Op::Isb => self.regs.cycles += timing::REFILL_INDIRECT,
            _ => {}
        }
    }

    /// MRS.
    fn read_special(&self, sysm: u32) -> u32 {
        let privileged = self.mode.privileged();
        match sysm {
            0..=3 => {
                // EPSR reads as zero; IPSR is part of those with bit 0 set.
                let ipsr = if sysm & 1 != 0 { self.mode.exception } else { 0 };
                self.regs.apsr() | ipsr
            }
            5 | 7 => self.mode.exception,
            6 => 0,
            _ if !privileged && sysm != 20 => 0,
            8 | 9 => {
                let process = sysm == 9;
                if process == self.mode.on_process_stack() { self.regs.r[13] } else { self.mode.other_sp }
            }
            16 => self.nvic.primask.into(),
            17 | 18 => self.nvic.basepri.into(),
            19 => self.nvic.faultmask.into(),
            20 => self.control_register(),
            _ => 0,
        }
    }

    /// MSR.
    fn write_special(&mut self, sysm: u32, mask: u32, value: u32) {
        if sysm <= 3 {
            if mask & 2 != 0 {
                self.regs.set_nzcvq(value);
            }
            if mask & 1 != 0 {
                self.regs.set_ge(value);
            }
            return;
        }
        if !self.mode.privileged() {
            return;
        }
        match sysm {
            8 | 9 => {
                let process = sysm == 9;
                if process == self.mode.on_process_stack() {
                    self.regs.r[13] = value & !3;
                    self.regs.note_sp();
                } else {
                    self.mode.other_sp = value & !3;
                }
            }
            16 => self.nvic.primask = value & 1 != 0,
            17 => self.nvic.basepri = (value & 0xf0) as u8,
            18 => {
                let new = (value & 0xf0) as u8;
                if new != 0 && (new < self.nvic.basepri || self.nvic.basepri == 0) {
                    self.nvic.basepri = new;
                }
            }
            19 if value & 1 == 0 || self.nvic.execution_priority() > -1 => {
                self.nvic.faultmask = value & 1 != 0;
            }
            20 => {
                self.with_stacks(|core| {
                    core.mode.unprivileged = value & 1 != 0;
                    if core.mode.exception == 0 {
                        core.mode.process_stack = value & 2 != 0;
                    }
                    core.mode.fp_active = value & 4 != 0;
                });
                self.regs.fp_ready = false;
                // What may be fetched can depend on the privilege.
                if self.mpu.enabled() {
                    self.flush();
                }
            }
            _ => {}
        }
    }
}
