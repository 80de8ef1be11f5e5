// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The private peripheral bus, 0xe000_0000 to 0xe00f_ffff: ITM, DWT, SysTick, NVIC, SCB, MPU, FPU and debug registers
//! (ARM DDI 0403E, B3 and C1).

use crate::bus::{Bus, Size};
use crate::core::CortexM4;
use crate::insn::Op;
use crate::mpu::REGIONS;
use crate::nvic::{
    BUS_FAULT, DEBUG_MONITOR, HARD_FAULT, LINES, MEM_MANAGE, NMI, PEND_SV, SV_CALL, SYS_TICK, USAGE_FAULT,
};
use crate::stop::{Cause, FaultClass};

/// CCR
const NON_BASE_THREAD_ENABLE: u32 = 1;
const USER_SET_MPEND: u32 = 1 << 1;
const UNALIGN_TRP: u32 = 1 << 3;
const DIV_0_TRP: u32 = 1 << 4;
const STK_ALIGN: u32 = 1 << 9;
/// FPCCR
const LSPACT: u32 = 1;
const LSPEN: u32 = 1 << 30;
const ASPEN: u32 = 1 << 31;
/// DWT_CTRL
const CYCCNTENA: u32 = 1;
const CPI_EVENTS: u32 = 1 << 17;
const EXC_EVENTS: u32 = 1 << 18;
const SLEEP_EVENTS: u32 = 1 << 19;
const LSU_EVENTS: u32 = 1 << 20;
const FOLD_EVENTS: u32 = 1 << 21;
const DWT_WRITABLE: u32 = 0x007f_1fff;
/// DEMCR
const TRCENA: u32 = 1 << 24;
const MON_EN: u32 = 1 << 16;

/// Registers of the system control space that are no more than values, and what follows from them.
pub(crate) struct Control {
    actlr: u32,
    vtor: u32,
    scr: u32,
    ccr: u32,
    cfsr: u32,
    hfsr: u32,
    dfsr: u32,
    /// MMFAR and BFAR are one register on this core.
    fault_address: u32,
    cpacr: u32,
    fpccr: u32,
    fpcar: u32,
    fpdscr: u32,
    demcr: u32,
    dwt_ctrl: u32,
    /// CYCCNT is this many cycles behind the core's count, or this value while it stands.
    cyccnt: u32,
    counters: [u8; 5],
    dwt_comparators: [u32; 12],
    itm_enable: u32,
    itm_control: u32,
    itm_privilege: u32,
    pub reset_requested: bool,
    /// Address of a buffered store that failed.
    pub imprecise: Option<u32>,
    /// The last exception return went straight to the next handler.
    pub tail_chained: bool,
    /// Exceptions, sleep: cycles for their counters since the last look.
    started: u64,
    asleep: u64,
}

/// The index in `counters` of CPICNT, EXCCNT, SLEEPCNT, LSUCNT, FOLDCNT.
const CPI: usize = 0;
const EXC: usize = 1;
const SLEEP: usize = 2;
const LSU: usize = 3;
const FOLD: usize = 4;

impl Control {
    pub(crate) fn new() -> Self {
        Self {
            actlr: 0,
            vtor: 0,
            scr: 0,
            ccr: STK_ALIGN,
            cfsr: 0,
            hfsr: 0,
            dfsr: 0,
            fault_address: 0,
            cpacr: 0,
            fpccr: ASPEN | LSPEN,
            fpcar: 0,
            fpdscr: 0,
            demcr: 0,
            dwt_ctrl: 0,
            cyccnt: 0,
            counters: [0; 5],
            dwt_comparators: [0; 12],
            itm_enable: 0,
            itm_control: 0,
            itm_privilege: 0,
            reset_requested: false,
            imprecise: None,
            tail_chained: false,
            started: 0,
            asleep: 0,
        }
    }

    /// The core's cycle count at reset.
    pub(crate) fn start(&mut self, now: u64) {
        self.started = now;
    }

    pub(crate) fn vector_table(&self) -> u32 {
        self.vtor
    }

    pub(crate) fn traps_unaligned(&self) -> bool {
        self.ccr & UNALIGN_TRP != 0
    }

    pub(crate) fn traps_division(&self) -> bool {
        self.ccr & DIV_0_TRP != 0
    }

    pub(crate) fn aligns_stack(&self) -> bool {
        self.ccr & STK_ALIGN != 0
    }

    pub(crate) fn may_return_to_thread(&self) -> bool {
        self.ccr & NON_BASE_THREAD_ENABLE != 0
    }

    pub(crate) fn user_may_pend(&self) -> bool {
        self.ccr & USER_SET_MPEND != 0
    }

    /// ACTLR.DISDEFWBUF.
    pub(crate) fn write_buffer_off(&self) -> bool {
        self.actlr & 2 != 0
    }

    pub(crate) fn sleep_on_exit(&self) -> bool {
        self.scr & 2 != 0
    }

    pub(crate) fn sev_on_pend(&self) -> bool {
        self.scr & 16 != 0
    }

    pub(crate) fn fp_allowed(&self, privileged: bool) -> bool {
        match self.cpacr >> 20 & 15 {
            0xf => true,
            0x5 => privileged,
            _ => false,
        }
    }

    pub(crate) fn lazy_stacking(&self) -> bool {
        self.fpccr & LSPEN != 0
    }

    pub(crate) fn automatic_fp(&self) -> bool {
        self.fpccr & ASPEN != 0
    }

    pub(crate) fn default_fpscr(&self) -> u32 {
        self.fpdscr
    }

    /// UpdateFPCCR(): space for the FP state is at `address`; `bits` are the FPCCR fields that describe the moment.
    pub(crate) fn start_lazy(&mut self, address: u32, bits: &[(u32, bool)]) {
        self.fpcar = address & !7;
        self.fpccr |= LSPACT;
        for &(n, value) in bits {
            self.fpccr = self.fpccr & !(1 << n) | u32::from(value) << n;
        }
    }

    /// Where FP state is still to be saved, and with which privilege.
    pub(crate) fn lazy_pending(&self) -> Option<(u32, bool)> {
        (self.fpccr & LSPACT != 0).then_some((self.fpcar, self.fpccr & 2 == 0))
    }

    /// Clears LSPACT; whether it was set.
    pub(crate) fn end_lazy(&mut self) -> bool {
        let pending = self.fpccr & LSPACT != 0;
        self.fpccr &= !LSPACT;
        pending
    }

    pub(crate) fn hard_fault(&mut self, bit: u32) {
        self.hfsr |= bit;
    }

    pub(crate) fn debug_event(&mut self) {
        self.dfsr |= 2;
    }

    /// Sets the bit of CFSR for a fault, and the fault address where it is known.
    pub(crate) fn fault_status(&mut self, class: FaultClass, cause: Cause, address: Option<u32>) {
        let bit = match (class, cause) {
            (FaultClass::MemManage, Cause::InstructionAccess) => 0,
            (FaultClass::MemManage, Cause::DataAccess) => 1,
            (FaultClass::MemManage, Cause::Unstacking) => 3,
            (FaultClass::MemManage, Cause::Stacking) => 4,
            (FaultClass::MemManage, Cause::LazyStacking) => 5,
            (FaultClass::Bus, Cause::InstructionBus) => 8,
            (FaultClass::Bus, Cause::PreciseData) => 9,
            (FaultClass::Bus, Cause::ImpreciseData) => 10,
            (FaultClass::Bus, Cause::Unstacking) => 11,
            (FaultClass::Bus, Cause::Stacking) => 12,
            (FaultClass::Bus, Cause::LazyStacking) => 13,
            (FaultClass::Usage, Cause::Undefined | Cause::Unpredictable) => 16,
            (FaultClass::Usage, Cause::InvalidState) => 17,
            (FaultClass::Usage, Cause::InvalidPc) => 18,
            (FaultClass::Usage, Cause::NoCoprocessor) => 19,
            (FaultClass::Usage, Cause::Unaligned) => 24,
            (FaultClass::Usage, Cause::DivideByZero) => 25,
            _ => return,
        };
        self.cfsr |= 1 << bit;
        if let Some(address) = address {
            if bit == 1 {
                self.fault_address = address;
                self.cfsr = self.cfsr & !(1 << 15) | 1 << 7;
            } else if bit == 9 {
                self.fault_address = address;
                self.cfsr = self.cfsr & !(1 << 7) | 1 << 15;
            }
        }
    }

    /// A counter that needs every instruction looked at is on.
    #[inline]
    pub(crate) fn counting(&self) -> bool {
        self.dwt_ctrl & (CPI_EVENTS | LSU_EVENTS | FOLD_EVENTS) != 0 && self.demcr & TRCENA != 0
    }

    fn add(&mut self, counter: usize, event: u32, cycles: u64) {
        if self.dwt_ctrl & event != 0 && self.demcr & TRCENA != 0 {
            self.counters[counter] = self.counters[counter].wrapping_add(cycles as u8);
        }
    }

    /// Counts an instruction that took `cycles`.
    pub(crate) fn count(&mut self, op: Op, cycles: u64) {
        if cycles == 0 {
            self.add(FOLD, FOLD_EVENTS, 1);
        } else if crate::timing::is_load_store(op) {
            self.add(LSU, LSU_EVENTS, cycles - 1);
        } else {
            self.add(CPI, CPI_EVENTS, cycles - 1);
        }
    }

    /// Counts cycles of exception entry and return.
    pub(crate) fn exceptions(&mut self, cycles: u64) {
        self.add(EXC, EXC_EVENTS, cycles);
    }

    /// Counts cycles asleep, in which CYCCNT stands.
    pub(crate) fn slept(&mut self, cycles: u64) {
        self.asleep += cycles;
        self.add(SLEEP, SLEEP_EVENTS, cycles);
    }

    /// Core cycles that CYCCNT counts when it is on.
    fn awake(&self, now: u64) -> u32 {
        now.wrapping_sub(self.started).wrapping_sub(self.asleep) as u32
    }

    fn cyccnt_runs(&self) -> bool {
        self.dwt_ctrl & CYCCNTENA != 0 && self.demcr & TRCENA != 0
    }

    fn read_cyccnt(&self, now: u64) -> u32 {
        if self.cyccnt_runs() { self.awake(now).wrapping_sub(self.cyccnt) } else { self.cyccnt }
    }

    /// Changes what decides whether CYCCNT runs, keeping its value.
    fn change_cyccnt(&mut self, now: u64, change: impl FnOnce(&mut Self)) {
        let value = self.read_cyccnt(now);
        change(self);
        self.cyccnt = if self.cyccnt_runs() { self.awake(now).wrapping_sub(value) } else { value };
    }
}

/// SHCSR bits: (bit, exception, is it the active bit rather than pending or enabled).
const SHCSR_ACTIVE: [(u32, u32); 7] = [
    (0, MEM_MANAGE),
    (1, BUS_FAULT),
    (3, USAGE_FAULT),
    (7, SV_CALL),
    (8, DEBUG_MONITOR),
    (10, PEND_SV),
    (11, SYS_TICK),
];
const SHCSR_PENDING: [(u32, u32); 4] = [(12, USAGE_FAULT), (13, MEM_MANAGE), (14, BUS_FAULT), (15, SV_CALL)];
const SHCSR_ENABLED: [(u32, u32); 3] = [(16, MEM_MANAGE), (17, BUS_FAULT), (18, USAGE_FAULT)];

/// Is `address` a register of the core itself? The rest of the private peripheral bus, but for TPIU, ETM and the ROM
/// table, is the chip's maker's: it is on [`Bus`].
pub(crate) fn is_own(address: u32) -> bool {
    matches!(address, 0xe000_0000..=0xe004_1fff | 0xe00f_f000..=0xe00f_ffff)
}

impl<B: Bus> CortexM4<B> {
    /// A load from the private peripheral bus; nothing if there is a bus error.
    pub(crate) fn read_ppb(&mut self, address: u32, size: Size, now: u64) -> Option<u32> {
        let word = self.read_ppb_word(address & !3, now, false)?;
        let shifted = word >> (8 * (address & 3));
        Some(match size {
            Size::Byte => shifted & 0xff,
            Size::Half => shifted & 0xffff,
            Size::Word => shifted,
        })
    }

    /// A word as a debugger sees it: no flag is cleared.
    pub(crate) fn peek_scs(&mut self, address: u32) -> Option<u32> {
        if !is_own(address) {
            return None;
        }
        self.read_ppb_word(address, self.regs.cycles, true)
    }

    fn read_ppb_word(&mut self, address: u32, now: u64, peek: bool) -> Option<u32> {
        let c = &mut self.control;
        Some(match address {
            // ITM: the FIFO of an enabled port is always ready.
            0xe000_0000..=0xe000_007c => u32::from(c.itm_on((address >> 2 & 31) as u8)),
            0xe000_0e00 => c.itm_enable,
            0xe000_0e40 => c.itm_privilege,
            0xe000_0e80 => c.itm_control,
            0xe000_0fb4 => 1,
            // DWT: four comparators, all counters
            0xe000_1000 => 0x4000_0000 | c.dwt_ctrl,
            0xe000_1004 => c.read_cyccnt(now),
            0xe000_1008..=0xe000_1018 => c.counters[(address - 0xe000_1008) as usize / 4].into(),
            0xe000_101c => 0,
            0xe000_1020..=0xe000_105c if address & 12 != 12 => c.dwt_comparators[comparator(address)],
            0xe000_1fb4 => 1,
            0xe000_e004 => LINES / 32 - 1,
            0xe000_e008 => c.actlr,
            0xe000_e010..=0xe000_e01c => {
                self.events();
                if peek && address & 15 == 0 {
                    self.systick.peek_control()
                } else {
                    self.systick.read(address & 15)
                }
            }
            0xe000_e100..=0xe000_e13c => self.nvic.enabled.lines(word(address)),
            0xe000_e180..=0xe000_e1bc => self.nvic.enabled.lines(word(address)),
            0xe000_e200..=0xe000_e23c => self.nvic.pending.lines(word(address)),
            0xe000_e280..=0xe000_e2bc => self.nvic.pending.lines(word(address)),
            0xe000_e300..=0xe000_e33c => self.nvic.active.lines(word(address)),
            0xe000_e400..=0xe000_e7ec => self.priorities(16 + address - 0xe000_e400),
            0xe000_ed00 => 0x410f_c241,
            0xe000_ed04 => self.icsr(),
            0xe000_ed08 => c.vtor,
            0xe000_ed0c => 0xfa05_0000 | self.nvic.group << 8,
            0xe000_ed10 => c.scr,
            0xe000_ed14 => c.ccr,
            0xe000_ed18..=0xe000_ed20 => self.priorities(4 + address - 0xe000_ed18),
            0xe000_ed24 => {
                let n = &self.nvic;
                let pick = |set: &crate::nvic::Set, table: &[(u32, u32)]| -> u32 {
                    table.iter().filter(|(_, n)| set.has(*n)).map(|(bit, _)| 1 << bit).sum()
                };
                pick(&n.active, &SHCSR_ACTIVE)
                    | pick(&n.pending, &SHCSR_PENDING)
                    | pick(&n.enabled, &SHCSR_ENABLED)
            }
            0xe000_ed28 => c.cfsr,
            0xe000_ed2c => c.hfsr,
            0xe000_ed30 => c.dfsr,
            0xe000_ed34 | 0xe000_ed38 => c.fault_address,
            0xe000_ed3c => 0,
            // Feature registers of a Cortex-M4F (TRM, table 4-1)
            0xe000_ed40 => 0x30,
            0xe000_ed44 => 0x200,
            0xe000_ed48 => 0x0010_0000,
            0xe000_ed50 => 0x0010_0030,
            0xe000_ed58 => 0x0100_0000,
            0xe000_ed60 => 0x0110_1110,
            0xe000_ed64 => 0x0211_2000,
            0xe000_ed68 => 0x2123_2231,
            0xe000_ed6c => 0x0111_1131,
            0xe000_ed70 => 0x0131_0132,
            0xe000_ed88 => c.cpacr,
            0xe000_ed90 => (REGIONS as u32) << 8,
            0xe000_ed94 => self.mpu.control,
            0xe000_ed98 => self.mpu.number,
            0xe000_ed9c | 0xe000_eda4 | 0xe000_edac | 0xe000_edb4 => {
                self.mpu.base[self.mpu.number as usize] | self.mpu.number
            }
            0xe000_eda0 | 0xe000_eda8 | 0xe000_edb0 | 0xe000_edb8 => {
                self.mpu.attributes[self.mpu.number as usize]
            }
            0xe000_edfc => c.demcr,
            0xe000_ef34 => c.fpccr,
            0xe000_ef38 => c.fpcar,
            0xe000_ef3c => c.fpdscr,
            0xe000_ef40 => 0x1011_0021,
            0xe000_ef44 => 0x1100_0011,
            // The rest of the bus reads as zero: reserved registers, debug, trace and identification.
            _ => 0,
        })
    }

    fn priorities(&self, first: u32) -> u32 {
        (0..4).map(|i| ((self.nvic.priority(first + i).max(0) as u32) & 0xff) << (8 * i)).sum()
    }

    fn icsr(&self) -> u32 {
        let n = &self.nvic;
        let pending_line = n.pending.iter().any(|e| e >= 16);
        u32::from(n.pending.has(NMI)) << 31
            | u32::from(n.pending.has(PEND_SV)) << 28
            | u32::from(n.pending.has(SYS_TICK)) << 26
            | u32::from(pending_line) << 22
            | n.highest_pending().unwrap_or(0) << 12
            | u32::from(n.active.count() <= 1) << 11
            | self.mode.exception
    }

    /// A store to the private peripheral bus; nothing if there is a bus error.
    pub(crate) fn write_ppb(&mut self, address: u32, size: Size, value: u32, now: u64) -> Option<()> {
        let shift = 8 * (address & 3);
        match address {
            0xe000_0000..=0xe000_007f => {
                let port = (address >> 2 & 31) as u8;
                if self.control.itm_on(port) {
                    self.bus.itm(port, size, value);
                }
            }
            // Registers made of bytes
            0xe000_e400..=0xe000_e7ef => self.set_priorities(16 + address - 0xe000_e400, size, value),
            0xe000_ed18..=0xe000_ed23 => self.set_priorities(4 + address - 0xe000_ed18, size, value),
            0xe000_ed28..=0xe000_ed2b => {
                let ones = match size {
                    Size::Byte => value & 0xff,
                    Size::Half => value & 0xffff,
                    Size::Word => value,
                };
                self.control.cfsr &= !(ones << shift);
            }
            _ => {
                let value = match size {
                    Size::Word => value,
                    _ => {
                        let mask = if size == Size::Byte { 0xff } else { 0xffff } << shift;
                        self.read_ppb_word(address & !3, now, true)? & !mask | value << shift & mask
                    }
                };
                self.write_ppb_word(address & !3, value, now);
            }
        }
        self.look_up();
        Some(())
    }

    fn set_priorities(&mut self, first: u32, size: Size, value: u32) {
        for i in 0..size.bytes() {
            self.nvic.set_priority(first + i, (value >> (8 * i)) as u8);
        }
    }

    fn write_ppb_word(&mut self, address: u32, value: u32, now: u64) {
        match address {
            0xe000_0e00 => self.control.itm_enable = value,
            0xe000_0e40 => self.control.itm_privilege = value & 15,
            0xe000_0e80 => self.control.itm_control = value & 0x007f_0f1f,
            0xe000_1000 => self.control.change_cyccnt(now, |c| c.dwt_ctrl = value & DWT_WRITABLE),
            0xe000_1004 => {
                let c = &mut self.control;
                c.cyccnt = if c.cyccnt_runs() { c.awake(now).wrapping_sub(value) } else { value };
            }
            0xe000_1008..=0xe000_1018 => {
                self.control.counters[(address - 0xe000_1008) as usize / 4] = value as u8
            }
            0xe000_1020..=0xe000_105c if address & 12 != 12 => {
                self.control.dwt_comparators[comparator(address)] = value;
            }
            0xe000_e008 => self.control.actlr = value & 0x307,
            0xe000_e010..=0xe000_e01c => {
                self.events();
                self.systick.write(address & 15, value);
            }
            0xe000_e100..=0xe000_e13c => self.nvic.enabled.change_lines(word(address), value, true),
            0xe000_e180..=0xe000_e1bc => self.nvic.enabled.change_lines(word(address), value, false),
            0xe000_e200..=0xe000_e23c => self.nvic.pending.change_lines(word(address), value, true),
            0xe000_e280..=0xe000_e2bc => self.nvic.pending.change_lines(word(address), value, false),
            0xe000_ed04 => {
                let n = &mut self.nvic;
                for (bit, exception, state) in [
                    (31, NMI, true),
                    (28, PEND_SV, true),
                    (27, PEND_SV, false),
                    (26, SYS_TICK, true),
                    (25, SYS_TICK, false),
                ] {
                    if value >> bit & 1 != 0 {
                        n.pending.set(exception, state);
                    }
                }
            }
            0xe000_ed08 => self.control.vtor = value & 0xffff_ff80,
            0xe000_ed0c if value >> 16 == 0x05fa => {
                self.nvic.group = value >> 8 & 7;
                self.control.reset_requested |= value & 4 != 0;
            }
            0xe000_ed10 => self.control.scr = value & 0x16,
            0xe000_ed14 => self.control.ccr = value & 0x31b,
            0xe000_ed24 => {
                let n = &mut self.nvic;
                for (bit, exception) in SHCSR_ACTIVE {
                    n.active.set(exception, value >> bit & 1 != 0);
                }
                for (bit, exception) in SHCSR_PENDING {
                    n.pending.set(exception, value >> bit & 1 != 0);
                }
                for (bit, exception) in SHCSR_ENABLED {
                    n.enabled.set(exception, value >> bit & 1 != 0);
                }
            }
            0xe000_ed2c => self.control.hfsr &= !value,
            0xe000_ed30 => self.control.dfsr &= !value,
            0xe000_ed34 | 0xe000_ed38 => self.control.fault_address = value,
            0xe000_ed88 => {
                self.control.cpacr = value & 0x00f0_0000;
                self.regs.fp_ready = false;
            }
            0xe000_ed94 => {
                self.mpu.control = value & 7;
                self.mpu_changed();
            }
            0xe000_ed98 => self.mpu.number = value & 7,
            0xe000_ed9c | 0xe000_eda4 | 0xe000_edac | 0xe000_edb4 => {
                if value & 16 != 0 {
                    self.mpu.number = value & 7;
                }
                self.mpu.base[self.mpu.number as usize] = value & !31;
                self.mpu_changed();
            }
            0xe000_eda0 | 0xe000_eda8 | 0xe000_edb0 | 0xe000_edb8 => {
                self.mpu.attributes[self.mpu.number as usize] = value & 0x173f_ff3f;
                self.mpu_changed();
            }
            0xe000_edfc => {
                self.control.change_cyccnt(now, |c| c.demcr = value & 0x010f_07f1);
                self.nvic.enabled.set(DEBUG_MONITOR, value & MON_EN != 0);
                self.nvic.pending.set(DEBUG_MONITOR, value & 1 << 17 != 0);
            }
            0xe000_ef00 => self.nvic.pending.change_lines(value >> 5 & 15, 1 << (value & 31), true),
            0xe000_ef34 => {
                self.control.fpccr = value & 0xc000_017b;
                self.regs.fp_ready = false;
            }
            0xe000_ef38 => self.control.fpcar = value & !7,
            0xe000_ef3c => self.control.fpdscr = value & 0x07c0_0000,
            _ => {}
        }
    }

    fn mpu_changed(&mut self) {
        self.paths.update(&self.mpu, &self.watchpoints);
        self.flush();
    }

    /// Pending faults that cannot be taken become HardFaults.
    pub(crate) fn escalate_pending(&mut self) {
        for n in [MEM_MANAGE, BUS_FAULT, USAGE_FAULT] {
            if self.nvic.pending.has(n) && !self.nvic.enabled.has(n) {
                self.nvic.pending.set(n, false);
                self.nvic.pending.set(HARD_FAULT, true);
                self.control.hard_fault(1 << 30);
            }
        }
    }
}

impl Control {
    fn itm_on(&self, port: u8) -> bool {
        self.demcr & TRCENA != 0 && self.itm_control & 1 != 0 && self.itm_enable >> port & 1 != 0
    }
}

/// Which word of a bit array of the NVIC.
const fn word(address: u32) -> u32 {
    address >> 2 & 7
}

/// Which of the four times three comparator registers.
const fn comparator(address: u32) -> usize {
    ((address - 0xe000_1020) / 16 * 3 + address % 16 / 4) as usize
}
