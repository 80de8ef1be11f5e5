// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Modes and their registers, exceptions, and the instructions that change state (ARM DDI 0406C, B1).

use super::fault::{Fault, FaultKind};
use super::memory::fault_status;
use super::mmu::{self, Access, status};
use super::system::{Pot, System};
use super::{CortexA9, Source, Stop, timing};
use crate::a32::expand_immediate;
use crate::core::StackWatch;
use crate::decode::{bit, bits, imm_shift, reg};
use crate::execute;
use crate::insn::{Insn, Op};

/// Mode numbers: CPSR.M.
pub(super) const USER: u32 = 0x10;
const FIQ: u32 = 0x11;
const IRQ: u32 = 0x12;
const SUPERVISOR: u32 = 0x13;
const ABORT: u32 = 0x17;
const UNDEFINED: u32 = 0x1b;
const SYSTEM: u32 = 0x1f;

/// Mask bits of CPSR.
const A: u32 = 1 << 8;
const I: u32 = 1 << 7;
const F: u32 = 1 << 6;
const MASKS: u32 = A | I | F;
const T: u32 = 1 << 5;

/// Vectors.
const UNDEFINED_VECTOR: u32 = 0x04;
const SUPERVISOR_VECTOR: u32 = 0x08;
const PREFETCH_VECTOR: u32 = 0x0c;
const DATA_VECTOR: u32 = 0x10;
const IRQ_VECTOR: u32 = 0x18;
const FIQ_VECTOR: u32 = 0x1c;

/// The parts of CPSR that are not in [`Regs`](crate::regs::Regs), and what the core waits for.
pub(super) struct Mode {
    /// M\[4:0\].
    pub bits: u32,
    /// A, I and F in their places.
    pub masks: u32,
    /// ITSTATE before the next instruction.
    pub it: u8,
    pub asleep: bool,
    /// The event register of WFE.
    pub event: bool,
}

impl Mode {
    pub(super) fn new() -> Self {
        Self { bits: SUPERVISOR, masks: MASKS, it: 0, asleep: false, event: false }
    }

    pub(super) const fn privileged(&self) -> bool {
        self.bits != USER
    }
}

/// Registers of the modes that are not in use: by bank User/System, FIQ, IRQ, Supervisor, Abort, Undefined.
#[derive(Default)]
pub(super) struct Banks {
    sp: [u32; 6],
    lr: [u32; 6],
    spsr: [u32; 6],
    /// R8 to R12 of FIQ while another mode is in use, of the others while FIQ is.
    fiq: [u32; 5],
    /// Bank whose stack is watched, and its depth while another one is in use.
    watched: Option<(usize, (u32, u32))>,
}

const fn bank(mode: u32) -> Option<usize> {
    Some(match mode {
        USER | SYSTEM => 0,
        FIQ => 1,
        IRQ => 2,
        SUPERVISOR => 3,
        ABORT => 4,
        UNDEFINED => 5,
        _ => return None,
    })
}

impl<S: System> CortexA9<S> {
    pub(super) fn cpsr(&self) -> u32 {
        let it = u32::from(self.mode.it);
        self.regs.apsr()
            | (it & 3) << 25
            | (it >> 2) << 10
            | self.mode.masks
            | self.regs.thumb << 5
            | self.mode.bits
    }

    /// Sets everything: exception returns and debuggers. A mode that does not exist leaves the mode as it was.
    pub(super) fn set_cpsr(&mut self, value: u32) {
        self.set_cpsr_fields(value, 15);
        self.regs.thumb = value >> 5 & 1;
        self.mode.it = (value >> 25 & 3 | value >> 8 & 0xfc) as u8;
    }

    /// Sets the fields that MSR can: c, x, s, f in bits 3:0 of `fields`.
    fn set_cpsr_fields(&mut self, value: u32, fields: u32) {
        if fields & 8 != 0 {
            self.regs.set_nzcvq(value);
        }
        if fields & 4 != 0 {
            self.regs.set_ge(value);
        }
        if fields & 2 != 0 {
            self.mode.masks = self.mode.masks & !A | value & A;
        }
        if fields & 1 != 0 {
            self.mode.masks = self.mode.masks & !(I | F) | value & (I | F);
            self.switch(value & 31);
        }
        self.look_up();
    }

    fn switch(&mut self, mode: u32) {
        let (Some(old), Some(new)) = (bank(self.mode.bits), bank(mode)) else { return };
        let was_privileged = self.mode.privileged();
        self.mode.bits = mode;
        if was_privileged != self.mode.privileged() {
            self.l1.forget_translations();
            self.blocks_stale = true;
        }
        if old == new {
            return;
        }
        let r = &mut self.regs.r;
        (self.banks.sp[old], self.banks.lr[old]) = (r[13], r[14]);
        if old == 1 || new == 1 {
            r[8..13].swap_with_slice(&mut self.banks.fiq);
        }
        (r[13], r[14]) = (self.banks.sp[new], self.banks.lr[new]);
        if let Some((watched, depth)) = &mut self.banks.watched {
            if *watched == old {
                *depth = (self.regs.sp_lowest, self.regs.sp_limit);
                // No pointer is lower.
                (self.regs.sp_lowest, self.regs.sp_limit) = (0, 0);
            } else if *watched == new {
                (self.regs.sp_lowest, self.regs.sp_limit) = *depth;
            }
        }
    }

    /// Depth of the stack of the mode that the program runs in.
    pub fn stack(&self) -> StackWatch {
        let (lowest, limit) = match self.banks.watched {
            Some((watched, depth)) if bank(self.mode.bits) != Some(watched) => depth,
            _ => (self.regs.sp_lowest, self.regs.sp_limit),
        };
        StackWatch { lowest, limit }
    }

    /// Counts the depth of the stack of the mode in use from here on, and ends runs with [`Stop::StackLimit`] when its pointer
    /// goes below `limit`; 0 for never.
    pub fn watch_stack(&mut self, limit: u32) {
        (self.regs.sp_lowest, self.regs.sp_limit) = (self.regs.r[13], limit);
        self.banks.watched = bank(self.mode.bits).map(|b| (b, (0, 0)));
    }

    fn spsr(&mut self) -> Option<&mut u32> {
        match bank(self.mode.bits) {
            Some(0) | None => None,
            Some(n) => Some(&mut self.banks.spsr[n]),
        }
    }

    fn enter(&mut self, mode: u32, vector: u32, lr: u32, more_masks: u32) {
        self.spent.total += timing::EXCEPTION;
        let spsr = self.cpsr();
        self.switch(mode);
        if let Some(place) = self.spsr() {
            *place = spsr;
        }
        self.regs.r[14] = lr;
        self.mode.masks |= I | more_masks;
        self.mode.it = 0;
        self.mode.asleep = false;
        self.regs.thumb = u32::from(self.control.sctlr & mmu::THUMB_EXCEPTIONS != 0);
        let base =
            if self.control.sctlr & mmu::HIGH_VECTORS != 0 { 0xffff_0000 } else { self.cp15.vector_base };
        self.regs.pc = base.wrapping_add(vector);
        self.cursor = None;
        self.look_up();
    }

    /// Takes an asynchronous abort or an interrupt, if one is pending and not masked.
    pub(super) fn pending_exception(&mut self) -> bool {
        let back = self.regs.pc.wrapping_add(4);
        if self.late_abort && self.mode.masks & A == 0 {
            self.late_abort = false;
            let fault = Fault {
                kind: FaultKind::Data,
                pc: self.regs.pc,
                thumb: self.regs.thumb != 0,
                encoding: None,
                address: None,
                status: fault_status(status::ASYNCHRONOUS, 0, true),
                note: None,
            };
            self.raise(fault);
        } else if self.signals.fiq && self.mode.masks & F == 0 {
            self.enter(FIQ, FIQ_VECTOR, back, A | F);
        } else if self.signals.irq && self.mode.masks & I == 0 {
            self.enter(IRQ, IRQ_VECTOR, back, A);
        } else {
            return false;
        }
        true
    }

    /// Enters the handler of a fault, or ends the run before it.
    fn raise(&mut self, fault: Fault) {
        self.fault = Some(fault);
        self.cursor = None;
        self.look_up();
        if self.catch {
            self.caught = true;
            self.stop = Some(Stop::Fault(fault));
        } else {
            self.enter_fault(&fault);
        }
    }

    pub(super) fn enter_fault(&mut self, fault: &Fault) {
        match fault.kind {
            FaultKind::Undefined => {
                let back = fault.pc.wrapping_add(if fault.thumb { 2 } else { 4 });
                self.enter(UNDEFINED, UNDEFINED_VECTOR, back, 0);
            }
            FaultKind::Prefetch => {
                self.cp15.ifsr = fault.status;
                self.cp15.ifar = fault.pc;
                self.enter(ABORT, PREFETCH_VECTOR, fault.pc.wrapping_add(4), A);
            }
            FaultKind::Data => {
                self.cp15.dfsr = fault.status;
                if let Some(address) = fault.address {
                    self.cp15.dfar = address;
                }
                self.enter(ABORT, DATA_VECTOR, fault.pc.wrapping_add(8), A);
            }
        }
    }

    pub(super) fn undefined(&mut self, encoding: u32, note: Option<&'static str>) {
        let fault = Fault {
            kind: FaultKind::Undefined,
            pc: self.regs.pc,
            thumb: self.regs.thumb != 0,
            encoding: Some(encoding),
            address: None,
            status: 0,
            note,
        };
        self.raise(fault);
    }

    /// A load or store at PC aborted.
    pub(super) fn take_abort(&mut self, encoding: u32) {
        let Some(abort) = self.abort.take() else { return };
        let fault = Fault {
            kind: FaultKind::Data,
            pc: self.regs.pc,
            thumb: self.regs.thumb != 0,
            encoding: Some(encoding),
            address: Some(abort.address),
            status: abort.status,
            note: None,
        };
        self.raise(fault);
    }

    /// IFSR has no place for a domain.
    fn prefetch_abort(&mut self, code: u32) {
        let fault = Fault {
            kind: FaultKind::Prefetch,
            pc: self.regs.pc,
            thumb: self.regs.thumb != 0,
            encoding: None,
            address: None,
            status: fault_status(code, 0, false),
            note: None,
        };
        self.raise(fault);
    }

    /// Goes on at `target`, whose bit 0 does not choose the instruction set.
    fn resume(&mut self, target: u32) {
        self.regs.pc = if self.regs.thumb != 0 { target & !1 } else { target & !3 };
    }

    /// An instruction that the executor leaves to the core. PC is at it.
    pub(super) fn system_instruction(&mut self, insn: &Insn, source: Source, next: u32, next_it: u8) {
        let encoding = source.encoding;
        let pc = self.regs.pc;
        let done = |core: &mut Self| {
            core.regs.instructions += 1;
            core.spent.total += super::Cycles::exact(1);
            core.regs.pc = next;
            core.mode.it = next_it;
        };
        match insn.kind() {
            Op::FetchFault => {
                let mut at = pc;
                let privileged = self.mode.privileged();
                if self.translate(at, Access::Execute, privileged).is_ok() {
                    at = at.wrapping_add(2);
                }
                match self.translate(at, Access::Execute, privileged) {
                    Err(fault) => self.prefetch_abort(fault.status),
                    Ok(_) => self.prefetch_abort(status::EXTERNAL),
                }
                // What is there may be mapped later.
                self.blocks_stale = true;
            }
            Op::Bkpt => self.prefetch_abort(status::DEBUG),
            Op::Svc => {
                let call = if self.regs.thumb != 0 { 0xab } else { 0x12_3456 };
                if self.semihosting && insn.imm == call {
                    self.stop = Some(Stop::Semihosting);
                    return;
                }
                done(self);
                self.enter(SUPERVISOR, SUPERVISOR_VECTOR, next, 0);
            }
            Op::MrsBanked => {
                let value = if insn.imm == 0 {
                    // T and IT read as zero.
                    self.cpsr() & !(T | 0x0600_fc00)
                } else {
                    match self.spsr() {
                        Some(value) => *value,
                        None => return self.undefined(encoding, Some("SPSR in a mode without one,")),
                    }
                };
                let value = if self.mode.privileged() { value } else { value & 0xf80f_0000 };
                self.regs.set(insn.rd, value);
                done(self);
            }
            Op::MsrBanked => {
                let value = if insn.rd == 1 { insn.imm } else { self.regs.get(insn.rn) };
                let fields = u32::from(insn.rm);
                if insn.ra != 0 {
                    let mask = (0..4)
                        .fold(0, |mask, i| mask | if fields >> i & 1 != 0 { 0xff << (8 * i) } else { 0 });
                    match self.spsr() {
                        Some(place) => *place = *place & !mask | value & mask,
                        None => return self.undefined(encoding, Some("SPSR in a mode without one,")),
                    }
                } else if self.mode.privileged() {
                    if fields & 1 != 0 && bank(value & 31).is_none() {
                        return self.undefined(encoding, Some("MSR of a mode that does not exist,"));
                    }
                    self.set_cpsr_fields(value, fields);
                } else {
                    self.set_cpsr_fields(value, fields & 12);
                }
                done(self);
                self.spent.total += timing::SERIALISE;
            }
            Op::ChangeState => {
                if self.mode.privileged() {
                    let masks = insn.imm & MASKS;
                    match insn.imm >> 9 & 3 {
                        2 => self.mode.masks &= !masks,
                        3 => self.mode.masks |= masks,
                        _ => {}
                    }
                    if insn.imm & 1 << 5 != 0 {
                        if bank(insn.imm & 31).is_none() {
                            return self.undefined(encoding, Some("CPS to a mode that does not exist,"));
                        }
                        self.switch(insn.imm & 31);
                    }
                }
                done(self);
                self.spent.total += timing::SERIALISE;
            }
            Op::SetEnd if insn.imm == 0 => done(self),
            Op::SetEnd => self.undefined(encoding, Some("big-endian data are not modelled:")),
            Op::Smc => self.undefined(encoding, Some("there is no secure monitor:")),
            Op::Srs => self.store_return_state(insn, encoding, done),
            Op::Rfe => {
                let base = self.regs.get(insn.rn);
                let (low, moved) = block_addresses(base, 2, insn.ra);
                let privileged = self.mode.privileged();
                let words = self
                    .load_word(low, privileged)
                    .and_then(|target| Ok((target, self.load_word(low.wrapping_add(4), privileged)?)));
                let Ok((target, psr)) = words else { return self.take_abort(encoding) };
                if insn.ra & 1 != 0 {
                    self.regs.set(insn.rn, moved);
                }
                done(self);
                self.spent.total += timing::EXCEPTION;
                self.set_cpsr(psr);
                self.resume(target);
            }
            Op::DataReturn => {
                let Some(&mut psr) = self.spsr() else {
                    return self.undefined(encoding, Some("exception return in a mode without SPSR,"));
                };
                let target = self.return_address(insn.imm);
                done(self);
                self.spent.total += timing::EXCEPTION;
                self.set_cpsr(psr);
                self.resume(target);
            }
            Op::LdmReturn | Op::LdmUser | Op::StmUser => self.multiple_of_user(insn, encoding, done),
            Op::RegisterTransfer => {
                if self.register_transfer(insn.imm, encoding) {
                    done(self);
                }
            }
            Op::FpSystem => {
                if self.fp_system(insn) {
                    done(self);
                } else {
                    self.undefined(encoding, Some("FP system register while access is off,"));
                }
            }
            Op::Barrier => {
                self.spent.add(Pot::Maintenance, timing::TRANSFER);
                if insn.imm == 4 {
                    let (mut context, system) = self.context(Pot::Maintenance, true, 0);
                    system.barrier(&mut context);
                }
                done(self);
            }
            Op::Isb => {
                self.spent.total += timing::SERIALISE;
                done(self);
            }
            Op::Wfi => {
                done(self);
                self.mode.asleep = true;
            }
            Op::Wfe => {
                done(self);
                self.mode.asleep = !std::mem::take(&mut self.mode.event);
            }
            Op::Sev => {
                done(self);
                self.mode.event = true;
            }
            _ => self.undefined(encoding, self.why_undefined(encoding)),
        }
    }

    /// What an undefined encoding was meant to be, where users meet it.
    fn why_undefined(&self, encoding: u32) -> Option<&'static str> {
        let simd = if self.regs.thumb != 0 {
            encoding >> 24 & 0xef == 0xef || encoding >> 24 == 0xf9
        } else {
            encoding >> 25 == 0x79 || encoding >> 24 == 0xf4
        };
        let divides = if self.regs.thumb != 0 {
            encoding & 0xffd0_00f0 == 0xfb90_00f0
        } else {
            encoding & 0x0fd0_f0f0 == 0x0710_f010
        };
        if simd {
            Some("Advanced SIMD instruction that does not exist or is not modelled:")
        } else if divides {
            Some("the Cortex-A9 has no division:")
        } else {
            None
        }
    }

    /// The target of a data-processing instruction into PC, by its A32 encoding.
    fn return_address(&mut self, w: u32) -> u32 {
        let pc = self.regs.pc.wrapping_add(8);
        let get = |n| if n == 15 { pc } else { self.regs.get(n) };
        let a = get(reg(w, 16));
        let b = if bit(w, 25) {
            expand_immediate(w & 0xfff).0
        } else {
            let shift = imm_shift(bits(w, 6, 5), bits(w, 11, 7));
            execute::shift_c(get(reg(w, 0)), shift, self.regs.c).0
        };
        execute::data_processing(&mut self.regs, bits(w, 24, 21), false, a, b, 0)
    }

    fn store_return_state(&mut self, insn: &Insn, encoding: u32, done: impl Fn(&mut Self)) {
        let Some(&mut spsr) = self.spsr() else {
            return self.undefined(encoding, Some("SRS in a mode without SPSR,"));
        };
        let Some(which) = bank(insn.imm) else {
            return self.undefined(encoding, Some("SRS to a mode that does not exist,"));
        };
        let current = bank(self.mode.bits) == Some(which);
        let base = if current { self.regs.r[13] } else { self.banks.sp[which] };
        let (low, moved) = block_addresses(base, 2, insn.ra);
        let (lr, privileged) = (self.regs.r[14], self.mode.privileged());
        let stored = self
            .store_word(low, lr, privileged)
            .and_then(|()| self.store_word(low.wrapping_add(4), spsr, privileged));
        if stored.is_err() {
            return self.take_abort(encoding);
        }
        if insn.ra & 1 != 0 {
            if current {
                self.regs.r[13] = moved;
            } else {
                self.banks.sp[which] = moved;
            }
        }
        done(self);
    }

    /// LDM and STM with the user's registers, and LDM that returns from an exception.
    fn multiple_of_user(&mut self, insn: &Insn, encoding: u32, done: impl Fn(&mut Self)) {
        let op = insn.kind();
        let list = insn.imm;
        let base = self.regs.get(insn.rn);
        let (mut at, moved) = block_addresses(base, list.count_ones(), insn.ra);
        let privileged = self.mode.privileged();
        let mut values = [0; 16];
        for n in (0..16).filter(|n| list >> n & 1 != 0) {
            let result = if op == Op::StmUser {
                let value = if n == 15 { self.regs.pc.wrapping_add(8) } else { *self.user_register(n) };
                self.store_word(at, value, privileged)
            } else {
                self.load_word(at, privileged).map(|value| values[n] = value)
            };
            if let Err(execute::Abort) = result {
                return self.take_abort(encoding);
            }
            at = at.wrapping_add(4);
        }
        if op == Op::LdmReturn {
            let Some(&mut psr) = self.spsr() else {
                return self.undefined(encoding, Some("exception return in a mode without SPSR,"));
            };
            if insn.ra & 1 != 0 {
                self.regs.set(insn.rn, moved);
            }
            for n in (0..15).filter(|n| list >> n & 1 != 0) {
                self.regs.r[n] = values[n];
            }
            done(self);
            self.spent.total += timing::EXCEPTION;
            self.set_cpsr(psr);
            self.resume(values[15]);
            return;
        }
        if op == Op::LdmUser {
            for n in (0..15).filter(|n| list >> n & 1 != 0) {
                *self.user_register(n) = values[n];
            }
        }
        done(self);
    }

    fn user_register(&mut self, n: usize) -> &mut u32 {
        let now = bank(self.mode.bits);
        match n {
            13 if now != Some(0) => &mut self.banks.sp[0],
            14 if now != Some(0) => &mut self.banks.lr[0],
            8..=12 if now == Some(1) => &mut self.banks.fiq[n - 8],
            _ => &mut self.regs.r[n & 15],
        }
    }
}

/// The lowest address of `words` words at `base` as `ra` says, and the base written back.
fn block_addresses(base: u32, words: u32, ra: u8) -> (u32, u32) {
    let moved = if ra & 2 != 0 { base.wrapping_sub(4 * words) } else { base.wrapping_add(4 * words) };
    let low = if ra & 2 != 0 { moved } else { base };
    (low.wrapping_add(u32::from(ra & 4)), moved)
}
