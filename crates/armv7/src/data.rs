// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The way of loads and stores: quickly to RAM and flash, else by way of the MPU, the system control space, bit-band
//! aliases and the board.

use crate::bus::{Bus, Context, Size, pieces};
use crate::core::CortexM4;
use crate::execute::{self, Port};
use crate::insn::{Insn, PAIRED, STARTS};
use crate::memory::{DECODED, Page, READ, REGION_MASK, SLOW_START, TIMED, WRITE};
use crate::mpu::{Access, Mpu, SYSTEM};
use crate::regs::Regs;
use crate::scs::is_own;
use crate::stop::{Cause, FaultClass, Stop};
use crate::timing;

/// Why an access did not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Abort {
    pub class: FaultClass,
    pub cause: Cause,
    pub address: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Watchpoint {
    pub address: u32,
    pub length: u32,
    pub reads: bool,
    pub writes: bool,
}

impl Watchpoint {
    /// Whether an access touches it.
    pub(crate) const fn hit(&self, address: u32, bytes: u32, write: bool) -> bool {
        let wanted = if write { self.writes } else { self.reads };
        wanted
            && (address.wrapping_sub(self.address) < self.length
                || self.address.wrapping_sub(address) < bytes)
    }
}

/// What decides whether an access may go the quick way.
pub(crate) struct Paths {
    /// All ones, or zero to send every access the long way.
    quick: Page,
    /// What a page must look like for a load and a store: in the memory block that the last access went to.
    load: Page,
    store: Page,
    /// [`STARTS`] if loads that start a burst take longer in this block, else 0.
    starts: u8,
    /// `end` of the instruction before the piece of the block that is being executed.
    pub base: u16,
}

impl Paths {
    pub(crate) const fn new() -> Self {
        Self { quick: u32::MAX, load: READ, store: WRITE, starts: 0, base: 0 }
    }

    pub(crate) fn update(&mut self, mpu: &Mpu, watchpoints: &[Watchpoint]) {
        self.quick = if mpu.enabled() || !watchpoints.is_empty() { 0 } else { u32::MAX };
    }

    /// Remembers the block of the last access. True if it is another one.
    fn enter(&mut self, page: Page) -> bool {
        let region = page & REGION_MASK;
        let changed = self.load & REGION_MASK != region;
        self.load = READ | region;
        self.store = WRITE | region;
        self.starts = if page & SLOW_START != 0 { STARTS } else { 0 };
        changed
    }
}

/// The address that a bit-band alias stands for, and the bit in its word.
fn bit_band(address: u32) -> Option<(u32, u32)> {
    let base = match address >> 24 {
        0x22 | 0x23 => 0x2000_0000,
        0x42 | 0x43 => 0x4000_0000,
        _ => return None,
    };
    let offset = address & 0x01ff_ffff;
    Some((base + (offset >> 7 << 2), offset >> 2 & 31))
}

impl<B: Bus> CortexM4<B> {
    /// The MPU checks accesses: it is on, and not suspended in HardFault, NMI and under FAULTMASK.
    pub(crate) fn mpu_in_force(&self) -> bool {
        self.mpu.enabled() && (self.mpu.control & 2 != 0 || self.nvic.execution_priority() >= 0)
    }

    fn now(&self, insn: &Insn) -> u64 {
        // The data phase is the last cycle of the access.
        self.regs.cycles + u64::from(insn.end - self.paths.base) - 1
    }

    fn permitted(&self, address: u32, access: Access, privileged: bool) -> Result<(), Abort> {
        if address >= SYSTEM {
            // The private peripheral bus is for privileged code, save STIR if it is set free.
            let stir = address & !3 == 0xe000_ef00 && access == Access::Write && self.control.user_may_pend();
            if privileged || stir || address >= 0xe010_0000 {
                return Ok(());
            }
            return Err(Abort { class: FaultClass::Bus, cause: Cause::PreciseData, address });
        }
        if self.mpu_in_force() && !self.mpu.allows(address, access, privileged) {
            return Err(Abort { class: FaultClass::MemManage, cause: Cause::DataAccess, address });
        }
        Ok(())
    }

    /// One aligned load at `now`.
    pub(crate) fn read_bus(
        &mut self,
        address: u32,
        size: Size,
        privileged: bool,
        now: u64,
    ) -> Result<u32, Abort> {
        self.permitted(address, Access::Read, privileged)?;
        let fault = Abort { class: FaultClass::Bus, cause: Cause::PreciseData, address };
        if is_own(address) {
            self.waiting.unsteady = true;
            return self.read_ppb(address, size, now).ok_or(fault);
        }
        let (target, bit) = match bit_band(address) {
            Some((word, bit)) => (word, Some(bit)),
            None => (address, None),
        };
        let size = if bit.is_some() { Size::Word } else { size };
        let page = self.memory.page(target);
        let value = if page & READ != 0 {
            if page & TIMED != 0 {
                let flash = self.memory.flash_timing();
                self.regs.cycles += self.art.load(target >> 4, now, flash);
            }
            match size {
                Size::Byte => self.memory.quick_load::<1>(page, target),
                Size::Half => self.memory.quick_load::<2>(page, target),
                Size::Word => self.memory.quick_load::<4>(page, target),
            }
        } else {
            self.lines.steady = false;
            let mut context = Context { now, memory: &mut self.memory, lines: &mut self.lines, stall: 0 };
            let value = self.bus.read(target, size, &mut context);
            self.regs.cycles += u64::from(context.stall);
            self.waiting.unsteady |= !self.lines.steady;
            value.map_err(|_| fault)?
        };
        Ok(match bit {
            Some(bit) => value >> bit & 1,
            None => value,
        })
    }

    /// One aligned store at `now`. True if the core has to look up before the next instruction.
    pub(crate) fn write_bus(
        &mut self,
        address: u32,
        size: Size,
        value: u32,
        privileged: bool,
        now: u64,
    ) -> Result<bool, Abort> {
        self.permitted(address, Access::Write, privileged)?;
        if is_own(address) {
            return match self.write_ppb(address, size, value, now) {
                Some(()) => Ok(true),
                None => Err(Abort { class: FaultClass::Bus, cause: Cause::PreciseData, address }),
            };
        }
        if let Some((word, bit)) = bit_band(address) {
            // Read-modify-write of the word, locked.
            let old = self.read_bus(word, Size::Word, true, now)?;
            let new = old & !(1 << bit) | (value & 1) << bit;
            self.regs.cycles += 1;
            return self.write_bus(word, Size::Word, new, true, now);
        }
        let page = self.memory.page(address);
        if page & WRITE != 0 {
            match size {
                Size::Byte => self.memory.quick_store::<1>(page, address, value),
                Size::Half => self.memory.quick_store::<2>(page, address, value),
                Size::Word => self.memory.quick_store::<4>(page, address, value),
            }
            if page & DECODED != 0 && self.memory.is_decoded(address, size.bytes()) {
                self.memory.stale = true;
                return Ok(true);
            }
            return Ok(false);
        }
        let mut context = Context { now, memory: &mut self.memory, lines: &mut self.lines, stall: 0 };
        let result = self.bus.write(address, size, value, &mut context);
        self.regs.cycles += u64::from(context.stall);
        match result {
            // The write buffer has let the core go on: the error comes later, and says not where.
            Err(_) if !self.control.write_buffer_off() => {
                self.control.imprecise = Some(address);
                Ok(true)
            }
            Err(_) => Err(Abort { class: FaultClass::Bus, cause: Cause::PreciseData, address }),
            Ok(()) => Ok(self.lines.changed),
        }
    }

    fn watch(&mut self, address: u32, bytes: u32, write: bool) {
        if self.watchpoints.iter().any(|w| w.hit(address, bytes, write)) {
            self.stop = Some(Stop::Watchpoint { address, write });
        }
    }

    /// The time that an access on the long way takes more, and the trap of unaligned ones.
    fn prepare(&mut self, address: u32, bytes: u32, insn: &Insn) -> Result<(), execute::Abort> {
        if self.paths.enter(self.memory.page(address)) && insn.cond & PAIRED != 0 {
            self.regs.cycles += 1;
        }
        self.regs.cycles += u64::from(insn.cond & self.paths.starts != 0);
        if address & (bytes - 1) != 0 {
            if self.control.traps_unaligned() {
                return Err(self.unaligned(address));
            }
            self.regs.cycles += pieces(address, bytes).count() as u64 - 1;
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn load_long(
        &mut self,
        address: u32,
        bytes: u32,
        privileged: bool,
        insn: &Insn,
    ) -> Result<u32, execute::Abort> {
        self.prepare(address, bytes, insn)?;
        let now = self.now(insn);
        let mut value = 0;
        for (at, size, shift) in pieces(address, bytes) {
            match self.read_bus(at, size, privileged, now) {
                Ok(part) => value |= part << shift,
                Err(abort) => {
                    self.abort = Some(abort);
                    return Err(execute::Abort);
                }
            }
        }
        self.watch(address, bytes, false);
        Ok(value)
    }

    #[cold]
    #[inline(never)]
    fn store_long(
        &mut self,
        address: u32,
        bytes: u32,
        value: u32,
        privileged: bool,
        insn: &Insn,
    ) -> Result<bool, execute::Abort> {
        self.prepare(address, bytes, insn)?;
        let now = self.now(insn);
        let mut look = false;
        for (at, size, shift) in pieces(address, bytes) {
            match self.write_bus(at, size, value >> shift, privileged, now) {
                Ok(up) => look |= up,
                Err(abort) => {
                    self.abort = Some(abort);
                    return Err(execute::Abort);
                }
            }
        }
        self.watch(address, bytes, true);
        Ok(look || self.stop.is_some())
    }
}

impl<B: Bus> Port for CortexM4<B> {
    /// The low bits of SP are always 0.
    const SP_BITS: u32 = !3;

    #[inline(always)]
    fn regs(&mut self) -> &mut Regs {
        &mut self.regs
    }

    #[inline(always)]
    fn load<const BYTES: u32>(&mut self, address: u32, insn: &Insn) -> Result<u32, execute::Abort> {
        let page = self.memory.page(address) & self.paths.quick;
        if page & (READ | TIMED | REGION_MASK) == self.paths.load && address & (BYTES - 1) == 0 {
            self.regs.cycles += u64::from(insn.cond & self.paths.starts != 0);
            return Ok(self.memory.quick_load::<BYTES>(page, address));
        }
        self.load_long(address, BYTES, self.mode.privileged(), insn)
    }

    #[inline(always)]
    fn store<const BYTES: u32>(
        &mut self,
        address: u32,
        value: u32,
        insn: &Insn,
    ) -> Result<bool, execute::Abort> {
        let page = self.memory.page(address) & self.paths.quick;
        if page & (WRITE | DECODED | REGION_MASK) == self.paths.store && address & (BYTES - 1) == 0 {
            self.memory.quick_store::<BYTES>(page, address, value);
            return Ok(false);
        }
        self.store_long(address, BYTES, value, self.mode.privileged(), insn)
    }

    fn load_unprivileged(&mut self, address: u32, bytes: u32, insn: &Insn) -> Result<u32, execute::Abort> {
        self.load_long(address, bytes, false, insn)
    }

    fn store_unprivileged(
        &mut self,
        address: u32,
        bytes: u32,
        value: u32,
        insn: &Insn,
    ) -> Result<bool, execute::Abort> {
        self.store_long(address, bytes, value, false, insn)
    }

    fn unaligned(&mut self, address: u32) -> execute::Abort {
        self.abort = Some(Abort { class: FaultClass::Usage, cause: Cause::Unaligned, address });
        execute::Abort
    }

    fn checks_alignment(&self) -> bool {
        self.control.traps_unaligned()
    }

    fn divide_traps(&self) -> bool {
        self.control.traps_division()
    }

    fn save_time(&mut self, cycles: u64) {
        self.regs.cycles -= cycles;
    }

    fn divide_time(&mut self, dividend: u32, divisor: u32, signed: bool) {
        self.regs.cycles += timing::divide_time(dividend, divisor, signed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bit_band_aliases() {
        assert_eq!(bit_band(0x2200_0000), Some((0x2000_0000, 0)));
        assert_eq!(bit_band(0x2238_0000), Some((0x2001_c000, 0)));
        assert_eq!(bit_band(0x4200_0000 + 0x2_3800 * 32 + 24 * 4), Some((0x4002_3800, 24)));
        assert_eq!(bit_band(0x4248_0000), Some((0x4002_4000, 0)));
        assert_eq!(bit_band(0x2000_0000), None);
        assert_eq!(bit_band(0x4400_0000), None);
    }
}
