// SPDX-License-Identifier: Apache-2.0 OR MIT

//! What is behind the core's level-1 caches, and the time that it takes.

use std::ops::{Add, AddAssign, Sub};

use super::l1::DataCache;
use crate::bus::Size;

/// Bytes of a cache line.
pub const LINE: u32 = 32;

/// A span of time in core cycles: the estimate and the bounds of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cycles {
    /// The least that is plausible.
    pub low: u64,
    /// The estimate.
    pub mid: u64,
    /// The most that is plausible.
    pub high: u64,
}

impl Cycles {
    /// A span with these bounds.
    pub const fn new(low: u64, mid: u64, high: u64) -> Self {
        Self { low, mid, high }
    }

    /// A span that is known.
    pub const fn exact(n: u64) -> Self {
        Self::new(n, n, n)
    }
}

impl Add for Cycles {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.low + other.low, self.mid + other.mid, self.high + other.high)
    }
}

impl AddAssign for Cycles {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Cycles {
    type Output = Self;
    /// Saturates at zero.
    fn sub(self, other: Self) -> Self {
        Self::new(
            self.low.saturating_sub(other.low),
            self.mid.saturating_sub(other.mid),
            self.high.saturating_sub(other.high),
        )
    }
}

/// What time beyond the instructions' own was spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pot {
    /// Waiting for memory: cache misses, table walks, uncached memory.
    Memory,
    /// Cleaning and invalidating caches, by CP15 or by the level-2 controller's registers; barriers.
    Maintenance,
    /// Loads and stores of device registers.
    Registers,
    /// Asleep in WFI or WFE.
    Asleep,
}

/// Time since power-on, split by what it was spent on. What is in no pot is the instructions' own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// All of it.
    pub total: Cycles,
    /// [`Pot::Memory`].
    pub memory: Cycles,
    /// [`Pot::Maintenance`].
    pub maintenance: Cycles,
    /// [`Pot::Registers`].
    pub registers: Cycles,
    /// [`Pot::Asleep`].
    pub asleep: Cycles,
}

impl Spent {
    pub(super) fn add(&mut self, pot: Pot, cycles: Cycles) {
        self.total += cycles;
        match pot {
            Pot::Memory => self.memory += cycles,
            Pot::Maintenance => self.maintenance += cycles,
            Pot::Registers => self.registers += cycles,
            Pot::Asleep => self.asleep += cycles,
        }
    }

    /// What the instructions took themselves.
    pub fn instructions(&self) -> Cycles {
        self.total - (self.memory + self.maintenance + self.registers + self.asleep)
    }
}

/// ARMv7's kinds of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryType {
    /// One access at a time, in order, as written.
    StronglyOrdered,
    /// In order, as written; stores are posted.
    Device,
    /// Memory.
    Normal,
}

/// Attributes of an access as it leaves the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// What kind of memory.
    pub kind: MemoryType,
    /// Cacheable in level 1.
    pub inner: bool,
    /// Cacheable in level 2.
    pub outer: bool,
    /// Shareable.
    pub shareable: bool,
}

impl Attributes {
    /// Strongly-ordered: what data accesses are while the MMU is off.
    pub const STRONGLY_ORDERED: Self =
        Self { kind: MemoryType::StronglyOrdered, inner: false, outer: false, shareable: true };
}

/// Nobody answers at the address, or with an error: an external abort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExternalAbort;

/// Everything behind level 1: the level-2 cache, memory, peripherals. Addresses are physical.
pub trait System {
    /// Reads the line at `address`, for level 1.
    fn read_line(
        &mut self,
        address: u32,
        attributes: Attributes,
        cx: &mut Context<'_>,
    ) -> Result<[u8; LINE as usize], ExternalAbort>;

    /// Writes a line back that level 1 throws out or cleans.
    fn write_line(
        &mut self,
        address: u32,
        line: &[u8; LINE as usize],
        attributes: Attributes,
        cx: &mut Context<'_>,
    ) -> Result<(), ExternalAbort>;

    /// A load that level 1 does not hold; aligned. The low bits of the result count.
    fn read(
        &mut self,
        address: u32,
        size: Size,
        attributes: Attributes,
        cx: &mut Context<'_>,
    ) -> Result<u32, ExternalAbort>;

    /// A store that level 1 does not hold; aligned.
    fn write(
        &mut self,
        address: u32,
        size: Size,
        value: u32,
        attributes: Attributes,
        cx: &mut Context<'_>,
    ) -> Result<(), ExternalAbort>;

    /// DSB: returns when everything before is done.
    fn barrier(&mut self, _cx: &mut Context<'_>) {}

    /// Called when the time of [`Context::wake_at`] has come, between two instructions.
    fn event(&mut self, _cx: &mut Context<'_>) {}

    /// Bytes as the core's port would read them, without time or side effects. False if a byte is no memory.
    fn peek(&self, address: u32, bytes: &mut [u8]) -> bool;

    /// Writes bytes for a debugger: to memory, and to whatever cache has them. False if a byte is no memory.
    fn poke(&mut self, address: u32, bytes: &[u8]) -> bool;
}

/// What a system may see and do during an access.
pub struct Context<'a> {
    /// Core cycles since power-on, by the estimate.
    pub now: u64,
    /// The core's data cache, for masters that see it (ACP).
    pub l1: &'a mut DataCache,
    pub(super) signals: &'a mut Signals,
    pub(super) spent: &'a mut Spent,
    pub(super) pot: Pot,
    /// The access is part of cache maintenance by CP15.
    pub(super) maintenance: bool,
}

impl Context<'_> {
    /// The access takes this much longer, for the reason that the core knows: memory or registers.
    pub fn take(&mut self, cycles: Cycles) {
        self.spent.add(self.pot, cycles);
    }

    /// The access takes this much longer, because of `pot`.
    pub fn take_for(&mut self, pot: Pot, cycles: Cycles) {
        self.spent.add(if self.maintenance { Pot::Maintenance } else { pot }, cycles);
    }

    /// Sets the level of the IRQ line.
    pub fn set_irq(&mut self, high: bool) {
        self.signals.changed |= self.signals.irq != high;
        self.signals.irq = high;
    }

    /// Sets the level of the FIQ line.
    pub fn set_fiq(&mut self, high: bool) {
        self.signals.changed |= self.signals.fiq != high;
        self.signals.fiq = high;
    }

    /// Asks for [`System::event`] at cycle `when` (at once if that is past). Only the last request counts.
    pub fn wake_at(&mut self, when: u64) {
        self.signals.wake = when;
        self.signals.changed = true;
    }

    /// Makes the run end with [`Stop::Requested`](super::Stop::Requested) after this instruction.
    pub fn stop(&mut self) {
        self.signals.stop = true;
        self.signals.changed = true;
    }
}

/// Requests from the system to the core.
pub(super) struct Signals {
    pub irq: bool,
    pub fiq: bool,
    pub wake: u64,
    pub stop: bool,
    pub changed: bool,
}

impl Signals {
    pub(super) const fn new() -> Self {
        Self { irq: false, fiq: false, wake: u64::MAX, stop: false, changed: false }
    }
}
