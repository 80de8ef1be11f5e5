// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Loads and stores: translation, level 1, and what is behind it.

use super::l1::DataCache;
use super::mmu::{self, Access, TranslationFault, status};
use super::system::{Attributes, Context, Cycles, LINE, MemoryType, Pot, System};
use super::{CortexA9, Stop, timing};
use crate::bus::{Size, pieces};
use crate::execute::{self, Port};
use crate::insn::Insn;
use crate::regs::Regs;

/// Why a load or store did not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DataAbort {
    /// DFSR.
    pub status: u32,
    /// DFAR.
    pub address: u32,
}

/// DFSR.WnR: the access was a store.
pub(super) const WRITE: u32 = 1 << 11;

/// DFSR of a fault.
pub(super) const fn fault_status(code: u32, domain: u32, write: bool) -> u32 {
    code & 15 | domain << 4 | (code >> 4 & 1) << 10 | if write { WRITE } else { 0 }
}

/// The part of a word that an access of `bytes` bytes at `address` is.
#[inline(always)]
const fn part(word: u32, address: u32, bytes: u32) -> u32 {
    match bytes {
        1 => word >> (8 * (address & 3)) & 0xff,
        2 => word >> (8 * (address & 2)) & 0xffff,
        _ => word,
    }
}

/// Puts a value of `bytes` bytes in its place in a word.
#[inline(always)]
pub(super) const fn merge(word: u32, address: u32, bytes: u32, value: u32) -> u32 {
    match bytes {
        1 => {
            let shift = 8 * (address & 3);
            word & !(0xff << shift) | (value & 0xff) << shift
        }
        2 => {
            let shift = 8 * (address & 2);
            word & !(0xffff << shift) | (value & 0xffff) << shift
        }
        _ => value,
    }
}

impl<S: System> CortexA9<S> {
    /// The system, and what it may see during an access that happens `after` cycles into the block.
    pub(super) fn context(&mut self, pot: Pot, maintenance: bool, after: u64) -> (Context<'_>, &mut S) {
        let context = Context {
            now: self.spent.total.mid + after,
            l1: &mut self.l1,
            signals: &mut self.signals,
            spent: &mut self.spent,
            pot,
            maintenance,
        };
        (context, &mut self.system)
    }

    /// Where `address` goes, and as what kind of memory.
    pub(super) fn translate(
        &mut self,
        address: u32,
        access: Access,
        privileged: bool,
    ) -> Result<(u32, Attributes), TranslationFault> {
        if self.control.sctlr & mmu::MMU == 0 {
            return Ok((address, self.control.untranslated(access)));
        }
        let asid = self.control.context as u8;
        let entry = match self.tlb.find(address, asid) {
            Some(entry) => entry,
            None => {
                self.tlb.walks += 1;
                self.spent.add(Pot::Memory, timing::WALK);
                let control = self.control;
                let entry = control.walk(address, asid, |at, attributes| self.descriptor(at, attributes))?;
                self.tlb.insert(address, entry);
                entry
            }
        };
        self.control.check(&entry, access, privileged)?;
        Ok((entry.translate(address), self.control.attributes(&entry, access)))
    }

    /// A descriptor of a table: from level 1 if the walk may look there and finds it.
    fn descriptor(&mut self, address: u32, attributes: Attributes) -> Option<u32> {
        if attributes.inner
            && let Some(slot) = self.l1.find(address)
        {
            return Some(self.l1.held(slot, address));
        }
        let (mut context, system) = self.context(Pot::Memory, false, 0);
        system.read(address, Size::Word, attributes, &mut context).ok()
    }

    /// The slot that has physical `address`, filled if need be.
    fn slot(&mut self, address: u32, attributes: Attributes, after: u64) -> Result<usize, u32> {
        if let Some(slot) = self.l1.find(address) {
            return Ok(slot);
        }
        let slot = self.fill(address, attributes, after)?;
        // Prefetching stays within the page.
        if self.options.prefetch && !(address / LINE + 1).is_multiple_of(4096 / LINE) {
            let next = address + LINE;
            if self.l1.find(next).is_none() {
                // Not at the expense of the line just fetched: it is in another set.
                let _ = self.fill(next, attributes, after);
            }
        }
        Ok(slot)
    }

    #[cold]
    fn fill(&mut self, address: u32, attributes: Attributes, after: u64) -> Result<usize, u32> {
        let slot = self.l1.victim(address);
        if self.l1.dirty(slot).is_some() {
            self.l1.counts.evictions += 1;
            self.write_back(slot, false, after);
        }
        self.l1.drop_line(slot);
        let (mut context, system) = self.context(Pot::Memory, false, after);
        let line = system
            .read_line(address & !(LINE - 1), attributes, &mut context)
            .map_err(|_| status::EXTERNAL)?;
        self.l1.install(slot, address, &line, attributes);
        Ok(slot)
    }

    /// Writes a dirty slot to what is behind; it stays, clean.
    pub(super) fn write_back(&mut self, slot: usize, maintenance: bool, after: u64) {
        let Some((address, line, attributes)) = self.l1.dirty(slot) else { return };
        self.l1.set_dirty(slot, false);
        let (mut context, system) = self.context(Pot::Memory, maintenance, after);
        if system.write_line(address, &line, attributes, &mut context).is_err() {
            self.late_abort = true;
        }
    }

    fn after(&self, insn: &Insn) -> u64 {
        u64::from(insn.end.saturating_sub(self.base))
    }

    fn read(&mut self, address: u32, size: Size, privileged: bool, after: u64) -> Result<u32, DataAbort> {
        let abort = |code, domain| DataAbort { status: fault_status(code, domain, false), address };
        let (physical, attributes) =
            self.translate(address, Access::Read, privileged).map_err(|f| abort(f.status, f.domain))?;
        if attributes.inner {
            let slot = self.slot(physical, attributes, after).map_err(|code| abort(code, 0))?;
            if self.watchpoints.is_empty() && privileged == self.mode.privileged() {
                self.l1.remember(address, slot, false);
            }
            return Ok(part(*self.l1.word(slot, physical), physical, size.bytes()));
        }
        let pot = if attributes.kind == MemoryType::Normal { Pot::Memory } else { Pot::Registers };
        let (mut context, system) = self.context(pot, false, after);
        system.read(physical, size, attributes, &mut context).map_err(|_| abort(status::EXTERNAL, 0))
    }

    fn write(
        &mut self,
        address: u32,
        size: Size,
        value: u32,
        privileged: bool,
        after: u64,
    ) -> Result<(), DataAbort> {
        let abort = |code, domain| DataAbort { status: fault_status(code, domain, true), address };
        let (physical, attributes) =
            self.translate(address, Access::Write, privileged).map_err(|f| abort(f.status, f.domain))?;
        if attributes.inner {
            let slot = self.slot(physical, attributes, after).map_err(|code| abort(code, 0))?;
            self.l1.set_dirty(slot, true);
            if self.watchpoints.is_empty() && privileged == self.mode.privileged() {
                self.l1.remember(address, slot, true);
            }
            let word = self.l1.word(slot, physical);
            *word = merge(*word, physical, size.bytes(), value);
            return Ok(());
        }
        let pot = if attributes.kind == MemoryType::Normal { Pot::Memory } else { Pot::Registers };
        let (mut context, system) = self.context(pot, false, after);
        if system.write(physical, size, value, attributes, &mut context).is_err() {
            if attributes.kind == MemoryType::StronglyOrdered {
                return Err(abort(status::EXTERNAL, 0));
            }
            // The store has been posted: the error comes later, and says not where.
            self.late_abort = true;
            self.look_up();
        }
        Ok(())
    }

    /// Faults of an access that is not aligned, and its time.
    fn prepare(&mut self, address: u32, bytes: u32, write: bool, privileged: bool) -> Result<(), DataAbort> {
        if address & (bytes - 1) == 0 {
            return Ok(());
        }
        let abort = |code, domain| DataAbort { status: fault_status(code, domain, write), address };
        let access = if write { Access::Write } else { Access::Read };
        if self.control.sctlr & mmu::ALIGN != 0 {
            return Err(abort(status::ALIGNMENT, 0));
        }
        let (_, attributes) =
            self.translate(address, access, privileged).map_err(|f| abort(f.status, f.domain))?;
        if attributes.kind != MemoryType::Normal {
            return Err(abort(status::ALIGNMENT, 0));
        }
        let crosses = address & 7 > 8 - bytes;
        self.spent.total += if crosses { timing::CROSSING } else { timing::UNALIGNED };
        Ok(())
    }

    fn watch(&mut self, address: u32, bytes: u32, write: bool) {
        if self.watchpoints.iter().any(|w| w.hit(address, bytes, write)) {
            self.stop = Some(Stop::Watchpoint { address, write });
        }
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
        let after = self.after(insn);
        let mut value = 0;
        let result = self.prepare(address, bytes, false, privileged).and_then(|()| {
            for (at, size, shift) in pieces(address, bytes) {
                value |= self.read(at, size, privileged, after)? << shift;
            }
            Ok(())
        });
        match result {
            Ok(()) => {
                self.watch(address, bytes, false);
                Ok(value)
            }
            Err(abort) => {
                self.abort = Some(abort);
                Err(execute::Abort)
            }
        }
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
        let after = self.after(insn);
        let result = self.prepare(address, bytes, true, privileged).and_then(|()| {
            for (at, size, shift) in pieces(address, bytes) {
                self.write(at, size, value >> shift, privileged, after)?;
            }
            Ok(())
        });
        match result {
            Ok(()) => {
                self.watch(address, bytes, true);
                Ok(self.signals.changed || self.stop.is_some() || self.late_abort)
            }
            Err(abort) => {
                self.abort = Some(abort);
                Err(execute::Abort)
            }
        }
    }

    /// Loads for the core itself: exception returns and the like.
    pub(super) fn load_word(&mut self, address: u32, privileged: bool) -> Result<u32, execute::Abort> {
        let insn = Insn::new(crate::insn::Op::Nop);
        self.load_long(address, 4, privileged, &insn)
    }

    /// Stores for the core itself.
    pub(super) fn store_word(
        &mut self,
        address: u32,
        value: u32,
        privileged: bool,
    ) -> Result<(), execute::Abort> {
        let insn = Insn::new(crate::insn::Op::Nop);
        self.store_long(address, 4, value, privileged, &insn).map(|_| ())
    }

    /// Reads memory as a debugger does: by virtual address, what the core would read, without side effects. False if
    /// there is no memory.
    pub fn peek(&self, address: u32, bytes: &mut [u8]) -> bool {
        bytes.iter_mut().enumerate().all(|(i, byte)| {
            let place = self.look_at(address.wrapping_add(i as u32));
            place.is_some_and(|(physical, attributes)| {
                self.peek_at(physical, attributes, std::slice::from_mut(byte))
            })
        })
    }

    /// Bytes of a word at a physical address, as the core would read them, without side effects.
    fn peek_at(&self, physical: u32, attributes: Attributes, bytes: &mut [u8]) -> bool {
        match self.l1.find(physical).filter(|_| attributes.inner) {
            Some(slot) => {
                let word = self.l1.held(slot, physical).to_le_bytes();
                bytes.iter_mut().zip(&word[physical as usize % 4..]).for_each(|(to, from)| *to = *from);
                true
            }
            None => self.system.peek(physical, bytes),
        }
    }

    /// Writes memory as a debugger does: in every cache that has it and behind. False if there is no memory.
    pub fn poke(&mut self, address: u32, bytes: &[u8]) -> bool {
        self.blocks_stale = true;
        self.code.invalidate_all();
        for (i, &byte) in bytes.iter().enumerate() {
            let at = address.wrapping_add(i as u32);
            let Some((physical, _)) = self.look_at(at) else { return false };
            self.l1.poke(physical, byte);
            if !self.system.poke(physical, &[byte]) {
                return false;
            }
        }
        true
    }

    /// A translation without permissions or side effects: no time, no counts, nothing new in TLB and caches.
    fn look_at(&self, address: u32) -> Option<(u32, Attributes)> {
        let control = &self.control;
        if control.sctlr & mmu::MMU == 0 {
            return Some((address, control.untranslated(Access::Read)));
        }
        let asid = control.context as u8;
        let descriptor = |at, attributes| {
            let mut word = [0; 4];
            self.peek_at(at, attributes, &mut word).then(|| u32::from_le_bytes(word))
        };
        let found = self.tlb.find(address, asid);
        let entry = found.or_else(|| control.walk(address, asid, descriptor).ok())?;
        Some((entry.translate(address), control.attributes(&entry, Access::Read)))
    }

    /// Cleans and invalidates as asked, one slot.
    pub(super) fn maintain(&mut self, slot: usize, clean: bool, invalidate: bool) {
        if self.l1.dirty(slot).is_some() {
            if clean {
                self.l1.counts.cleans += 1;
                self.write_back(slot, true, 0);
            } else {
                self.l1.counts.discards += 1;
            }
        }
        if invalidate {
            self.l1.drop_line(slot);
        }
    }

    /// Maintenance of the line that virtual `address` lies in.
    pub(super) fn maintain_address(
        &mut self,
        address: u32,
        clean: bool,
        invalidate: bool,
    ) -> Result<(), DataAbort> {
        self.spent.add(Pot::Maintenance, timing::MAINTAIN_LINE);
        let privileged = self.mode.privileged();
        let abort =
            |f: TranslationFault| DataAbort { status: fault_status(f.status, f.domain, true), address };
        let (physical, _) = self.translate(address, Access::Read, privileged).map_err(abort)?;
        if let Some(slot) = self.l1.find(physical) {
            self.maintain(slot, clean, invalidate);
        }
        Ok(())
    }

    /// Maintenance by set and way.
    pub(super) fn maintain_set_way(&mut self, value: u32, clean: bool, invalidate: bool) {
        self.spent.add(Pot::Maintenance, timing::MAINTAIN_LINE);
        self.maintain(DataCache::set_way(value), clean, invalidate);
    }

    pub(super) fn maintenance_time(&mut self, cycles: Cycles) {
        self.spent.add(Pot::Maintenance, cycles);
    }
}

impl<S: System> Port for CortexA9<S> {
    const SP_BITS: u32 = u32::MAX;

    #[inline(always)]
    fn regs(&mut self) -> &mut Regs {
        &mut self.regs
    }

    #[inline(always)]
    fn load<const BYTES: u32>(&mut self, address: u32, insn: &Insn) -> Result<u32, execute::Abort> {
        if let Some(word) = self.l1.quick_read(address)
            && address & (BYTES - 1) == 0
        {
            return Ok(part(word, address, BYTES));
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
        if address & (BYTES - 1) == 0
            && let Some(word) = self.l1.quick_write(address)
        {
            *word = merge(*word, address, BYTES, value);
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
        self.abort = Some(DataAbort { status: fault_status(status::ALIGNMENT, 0, false), address });
        execute::Abort
    }

    fn checks_alignment(&self) -> bool {
        self.control.sctlr & mmu::ALIGN != 0
    }

    fn divide_traps(&self) -> bool {
        false
    }

    fn divide_time(&mut self, _: u32, _: u32, _: bool) {}

    /// A condition that fails saves nothing in a pipeline that issues out of order.
    fn save_time(&mut self, _: u64) {}
}
