// SPDX-License-Identifier: Apache-2.0 OR MIT

//! System control: CP15 as start-up code, cache code and profilers use it (ARM DDI 0388, chapter 4), and the registers of the
//! FP unit.

use super::mmu::{self, Access, Control, EntryKey};
use super::system::{Cycles, Pot, System};
use super::{CortexA9, LINE, timing};
use crate::insn::Insn;

/// A Cortex-A9 r3p0, as the Zynq-7000 has.
const MIDR: u32 = 0x413f_c090;
const FPSID: u32 = 0x4103_3090;
const MVFR0: u32 = 0x1011_0222;
const MVFR1: u32 = 0x0111_1111;

/// SCTLR out of reset; what can be written of it.
const SCTLR_RESET: u32 = 0x00c5_0078;
const SCTLR_WRITABLE: u32 = mmu::MMU
    | mmu::ALIGN
    | mmu::DATA_CACHE
    | 1 << 10
    | mmu::PREDICTION
    | mmu::INSTRUCTION_CACHE
    | mmu::HIGH_VECTORS
    | 1 << 14
    | 1 << 25
    | 1 << 28
    | 1 << 29
    | mmu::THUMB_EXCEPTIONS;

pub(super) const fn reset_control() -> Control {
    Control {
        sctlr: SCTLR_RESET,
        actlr: 0,
        ttbr: [0; 2],
        ttbcr: 0,
        dacr: 0,
        prrr: 0x0009_8aa4,
        nmrr: 0x44e0_48e0,
        context: 0,
    }
}

/// Registers that nothing else depends on.
#[derive(Default)]
pub(super) struct Cp15 {
    pub vector_base: u32,
    pub dfsr: u32,
    pub ifsr: u32,
    pub dfar: u32,
    pub ifar: u32,
    cpacr: u32,
    fpexc: u32,
    par: u32,
    csselr: u32,
    thread: [u32; 3],
    diagnostic: u32,
    power: u32,
    pmcr: u32,
    pm_enabled: u32,
    pm_user: u32,
    pm_select: u32,
    pm_interrupts: u32,
    /// Cycle at which the cycle counter was 0, or its value while it stands still.
    pm_start: u64,
    pm_stopped: u32,
}

impl<S: System> CortexA9<S> {
    /// MCR or MRC, by its A32 encoding. False if it faults.
    pub(super) fn register_transfer(&mut self, w: u32, encoding: u32) -> bool {
        let load = w >> 20 & 1 != 0;
        let t = (w >> 12 & 15) as u8;
        let place = (w >> 16 & 15, w >> 21 & 7, w & 15, w >> 5 & 7);
        if w >> 8 & 15 != 15 {
            self.undefined(encoding, Some("coprocessor that does not exist:"));
            return false;
        }
        self.spent.total += timing::TRANSFER;
        // TPIDRURW, TPIDRURO to be read, the barriers of old, and the counters if they are given away
        let user = match place {
            (13, 0, 0, 2) | (7, 0, 5, 4) | (7, 0, 10, 4 | 5) => true,
            (13, 0, 0, 3) => load,
            (9, ..) => self.cp15.pm_user & 1 != 0,
            _ => false,
        };
        if !self.mode.privileged() && !user {
            self.undefined(encoding, Some("CP15 in User mode,"));
            return false;
        }
        if load {
            let Some(value) = self.read_cp15(place) else {
                self.undefined(encoding, Some("CP15 register that is not modelled:"));
                return false;
            };
            if t == 15 {
                self.regs.set_nzcvq(value | self.regs.q << 27);
            } else {
                self.regs.set(t, value);
            }
            return true;
        }
        let value = self.regs.get(t);
        match self.write_cp15(place, value) {
            Some(true) => true,
            Some(false) => {
                self.take_abort(encoding);
                false
            }
            None => {
                self.undefined(encoding, Some("CP15 register that is not modelled:"));
                false
            }
        }
    }

    /// CRn, opc1, CRm, opc2.
    fn read_cp15(&mut self, place: (u32, u32, u32, u32)) -> Option<u32> {
        let c = &self.control;
        Some(match place {
            (0, 0, 0, 0 | 4 | 6 | 7) => MIDR,
            (0, 0, 0, 1) => 0x8333_8003,
            (0, 0, 0, 2) => 0,
            (0, 0, 0, 3) => 0x0000_0402,
            (0, 0, 0, 5) => 0x8000_0000,
            (0, 0, 1, n) => {
                [0x1031, 0x11, 0x0001_0444, 0, 0x0010_0103, 0x2000_0000, 0x0123_0000, 0x0000_2111][n as usize]
            }
            (0, 0, 2, n) => {
                [0x0010_1111, 0x1311_2111, 0x2123_2041, 0x1111_2131, 0x0001_1142, 0, 0, 0][n as usize]
            }
            (0, 1, 0, 0) => {
                if self.cp15.csselr & 1 == 0 {
                    0x701f_e019
                } else {
                    0x201f_e019
                }
            }
            (0, 1, 0, 1) => 0x0920_0003,
            (0, 2, 0, 0) => self.cp15.csselr,
            (1, 0, 0, 0) => c.sctlr,
            (1, 0, 0, 1) => c.actlr,
            (1, 0, 0, 2) => self.cp15.cpacr,
            (1, 0, 1, _) => 0,
            (2, 0, 0, n @ 0..=1) => c.ttbr[n as usize],
            (2, 0, 0, 2) => c.ttbcr,
            (3, 0, 0, 0) => c.dacr,
            (5, 0, 0, 0) => self.cp15.dfsr,
            (5, 0, 0, 1) => self.cp15.ifsr,
            (5, 0, 1, 0 | 1) => 0,
            (6, 0, 0, 0) => self.cp15.dfar,
            (6, 0, 0, 2) => self.cp15.ifar,
            (7, 0, 4, 0) => self.cp15.par,
            (9, 0, 12, 0) => self.cp15.pmcr | 0x4109_3000,
            (9, 0, 12, 1 | 2) => self.cp15.pm_enabled,
            (9, 0, 12, 5) => self.cp15.pm_select,
            (9, 0, 13, 0) => self.cycle_counter(),
            // Event counters are there and stand still; nothing overflows.
            (9, 0, 12, 3) | (9, 0, 13, 1 | 2) => 0,
            (9, 0, 14, 0) => self.cp15.pm_user,
            (9, 0, 14, 1 | 2) => self.cp15.pm_interrupts,
            (10, 0, 0, 0) => 0,
            (10, 0, 2, 0) => c.prrr,
            (10, 0, 2, 1) => c.nmrr,
            (12, 0, 0, 0) => self.cp15.vector_base,
            (12, 0, 1, 0) => {
                u32::from(self.signals.fiq) << 6
                    | u32::from(self.signals.irq) << 7
                    | u32::from(self.late_abort) << 8
            }
            (13, 0, 0, 0) => 0,
            (13, 0, 0, 1) => c.context,
            (13, 0, 0, n @ 2..=4) => self.cp15.thread[n as usize - 2],
            (15, 0, 0, 0) => self.cp15.power,
            (15, 0, 0, 1) => self.cp15.diagnostic,
            (15, 4, 0, 0) => self.options.peripherals,
            _ => return None,
        })
    }

    /// False if it aborts, nothing if there is no such register.
    fn write_cp15(&mut self, place: (u32, u32, u32, u32), value: u32) -> Option<bool> {
        let cp = &mut self.cp15;
        match place {
            (0, 2, 0, 0) => cp.csselr = value & 15,
            (1, 0, 0, 0) => {
                let new = SCTLR_RESET & !SCTLR_WRITABLE | value & SCTLR_WRITABLE;
                self.set_control(|c| c.sctlr = new);
            }
            (1, 0, 0, 1) => self.set_control(|c| c.actlr = value),
            (1, 0, 0, 2) => {
                cp.cpacr = value & 0xc0f0_0000;
                self.fp_access();
            }
            // SCR, SDER, NSACR: the core is always in Secure state.
            (1, 0, 1, _) => {}
            (2, 0, 0, n @ 0..=1) => self.set_control(|c| c.ttbr[n as usize] = value),
            (2, 0, 0, 2) => self.set_control(|c| c.ttbcr = value & 0x37),
            (3, 0, 0, 0) => self.set_control(|c| c.dacr = value),
            (5, 0, 0, 0) => cp.dfsr = value,
            (5, 0, 0, 1) => cp.ifsr = value,
            (5, 0, 1, 0 | 1) => {}
            (6, 0, 0, 0) => cp.dfar = value,
            (6, 0, 0, 2) => cp.ifar = value,
            (7, ..) => return self.cache_operation(place, value),
            (8, 0, 3 | 5 | 6 | 7, op) => {
                self.maintenance_time(timing::MAINTAIN_ALL);
                let (page, asid) = (value & 0xffff_f000, value as u8);
                let same_page = |e: &EntryKey| page & e.mask == e.base;
                match op {
                    0 => self.tlb.invalidate(|_| true),
                    1 => self.tlb.invalidate(|e| same_page(e) && e.asid.is_none_or(|a| a == asid)),
                    2 => self.tlb.invalidate(|e| e.asid == Some(asid)),
                    3 => self.tlb.invalidate(same_page),
                    _ => return None,
                }
                self.translations_changed();
            }
            (9, 0, 12, 0) => {
                self.pause_counter();
                let cp = &mut self.cp15;
                cp.pmcr = value & 0x39;
                if value & 4 != 0 {
                    cp.pm_stopped = 0;
                }
                self.start_counter();
            }
            (9, 0, 12, n @ 1..=2) => {
                self.pause_counter();
                let cp = &mut self.cp15;
                cp.pm_enabled =
                    if n == 1 { cp.pm_enabled | value } else { cp.pm_enabled & !value } & 0x8000_003f;
                self.start_counter();
            }
            (9, 0, 12, 3 | 4) => {}
            (9, 0, 12, 5) => cp.pm_select = value & 31,
            (9, 0, 13, 0) => {
                self.pause_counter();
                self.cp15.pm_stopped = value;
                self.start_counter();
            }
            (9, 0, 13, 1 | 2) => {}
            (9, 0, 14, 0) => cp.pm_user = value & 1,
            (9, 0, 14, 1) => cp.pm_interrupts |= value,
            (9, 0, 14, 2) => cp.pm_interrupts &= !value,
            (10, 0, 0, 0) => {}
            (10, 0, 2, 0) => self.set_control(|c| c.prrr = value),
            (10, 0, 2, 1) => self.set_control(|c| c.nmrr = value),
            (12, 0, 0, 0) => cp.vector_base = value & !31,
            (12, 0, 0, 1) => {}
            (13, 0, 0, 1) => self.set_control(|c| c.context = value),
            (13, 0, 0, n @ 2..=4) => cp.thread[n as usize - 2] = value,
            (15, 0, 0, 0) => cp.power = value,
            (15, 0, 0, 1) => cp.diagnostic = value,
            _ => return None,
        }
        Some(true)
    }

    /// Changes what translation depends on.
    fn set_control(&mut self, change: impl FnOnce(&mut Control)) {
        change(&mut self.control);
        self.spent.total += timing::SERIALISE;
        self.translations_changed();
    }

    fn translations_changed(&mut self) {
        self.l1.forget_translations();
        self.blocks_stale = true;
        self.look_up();
    }

    /// c7: caches, branch prediction, barriers, address translation.
    fn cache_operation(&mut self, (_, opc1, crm, opc2): (u32, u32, u32, u32), value: u32) -> Option<bool> {
        if opc1 != 0 {
            return None;
        }
        match (crm, opc2) {
            // What was WFI before ARMv7 does nothing.
            (0, 4) => {}
            (1 | 5, 0) => {
                self.maintenance_time(timing::MAINTAIN_ALL);
                self.code.invalidate_all();
            }
            (5, 1) => {
                self.maintenance_time(timing::MAINTAIN_LINE);
                let privileged = self.mode.privileged();
                // Of what cannot be executed nothing is cached.
                if let Ok((physical, _)) = self.translate(value, Access::Execute, privileged) {
                    self.code.invalidate(physical / LINE);
                }
            }
            (1 | 5, 6) | (5, 7) => self.maintenance_time(timing::TRANSFER),
            (5, 4) => self.spent.total += timing::SERIALISE,
            (10, 4) => {
                self.spent.add(Pot::Maintenance, timing::TRANSFER);
                let (mut context, system) = self.context(Pot::Maintenance, true, 0);
                system.barrier(&mut context);
            }
            (10, 5) | (13, 1) => {}
            (6, 2) => self.maintain_set_way(value, false, true),
            (10, 2) => self.maintain_set_way(value, true, false),
            (14, 2) => self.maintain_set_way(value, true, true),
            (6, 1) => return self.by_address(value, false, true),
            (10 | 11, 1) => return self.by_address(value, true, false),
            (14, 1) => return self.by_address(value, true, true),
            (8, 0..=3) => {
                let access = if opc2 & 1 == 0 { Access::Read } else { Access::Write };
                self.cp15.par = match self.translate(value, access, opc2 < 2) {
                    Ok((physical, _)) => physical & !0xfff,
                    // FS[4:0] in bits 5:1 (ARM DDI 0406C, PAR)
                    Err(fault) => fault.status << 1 | 1,
                };
            }
            (4, 0) => self.cp15.par = value,
            _ => return None,
        }
        self.look_up();
        Some(true)
    }

    fn by_address(&mut self, address: u32, clean: bool, invalidate: bool) -> Option<bool> {
        match self.maintain_address(address, clean, invalidate) {
            Ok(()) => Some(true),
            Err(abort) => {
                self.abort = Some(abort);
                Some(false)
            }
        }
    }

    fn counting(&self) -> bool {
        self.cp15.pmcr & 1 != 0 && self.cp15.pm_enabled >> 31 != 0
    }

    /// PMCCNTR: cycles, or one of 64.
    fn cycle_counter(&self) -> u32 {
        if !self.counting() {
            return self.cp15.pm_stopped;
        }
        let cycles = self.spent.total.mid - self.cp15.pm_start;
        let steps = if self.cp15.pmcr & 8 != 0 { cycles / 64 } else { cycles };
        self.cp15.pm_stopped.wrapping_add(steps as u32)
    }

    fn pause_counter(&mut self) {
        self.cp15.pm_stopped = self.cycle_counter();
    }

    fn start_counter(&mut self) {
        self.cp15.pm_start = self.spent.total.mid;
    }

    /// Whether FP instructions may run.
    fn fp_access(&mut self) {
        let allowed = match self.cp15.cpacr >> 20 & 15 {
            0b1111 => true,
            0b0101 => self.mode.privileged(),
            _ => false,
        };
        self.regs.fp_ready = allowed && self.cp15.fpexc >> 30 & 1 != 0;
    }

    /// VMRS and VMSR of registers other than FPSCR. False if access is off.
    pub(super) fn fp_system(&mut self, insn: &Insn) -> bool {
        if !self.mode.privileged() || self.cp15.cpacr >> 20 & 5 != 5 {
            return false;
        }
        self.spent.total += Cycles::exact(2);
        if insn.ra != 0 {
            let value = self.regs.get(insn.rd);
            if insn.imm == 8 {
                self.cp15.fpexc = value & 0x4000_0000;
                self.fp_access();
            }
            return true;
        }
        let value = match insn.imm {
            0 => FPSID,
            6 => MVFR1,
            7 => MVFR0,
            _ => self.cp15.fpexc,
        };
        self.regs.set(insn.rd, value);
        true
    }
}
