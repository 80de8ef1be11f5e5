// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The level-2 cache: a PL310 (r3p2) of 512 KB, eight ways of 2048 sets of 32 bytes, that holds data.
//!
//! Operations by address stop the slave ports until they are done, so an access behind one already waits; operations by
//! way are done at once here and take their time. Lockdown, parity and event counters are not modelled.

use pqsoc_armv7::a9::{LINE, Line};

use super::ram::Ram;

const WAYS: usize = 8;
const SETS: usize = 2048;
const SLOTS: usize = WAYS * SETS;
const NO_LINE: u32 = u32::MAX;
const BYTES: usize = LINE as usize;

/// Auxiliary control: shared non-cacheable accesses are not treated as cacheable.
const SHARED_OVERRIDE: u32 = 1 << 22;
/// Auxiliary control: round robin rather than pseudo-random.
const ROUND_ROBIN: u32 = 1 << 25;
/// Debug: no line fills; no write-back.
const NO_FILL: u32 = 1;
const NO_WRITE_BACK: u32 = 2;

/// What an operation on a line does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operation {
    pub clean: bool,
    pub invalidate: bool,
}

/// What a register access was, for the time that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Register,
    Sync,
    Line,
    Ways,
}

/// The controller and its memories.
pub(super) struct Pl310 {
    enabled: bool,
    auxiliary: u32,
    tag_latency: u32,
    data_latency: u32,
    debug: u32,
    prefetch: u32,
    tags: Vec<u32>,
    dirty: Vec<bool>,
    data: Vec<u8>,
    next: u32,
    pub misses: u64,
}

impl Pl310 {
    pub(super) fn new(seed: u32) -> Self {
        Self {
            enabled: false,
            auxiliary: 0x0206_0000,
            tag_latency: 0x777,
            data_latency: 0x777,
            debug: 0,
            prefetch: 0,
            tags: vec![NO_LINE; SLOTS],
            dirty: vec![false; SLOTS],
            data: vec![0; SLOTS * BYTES],
            next: seed | 1,
            misses: 0,
        }
    }

    pub(super) const fn enabled(&self) -> bool {
        self.enabled
    }

    /// Shared memory that is not cacheable is looked for all the same, unless start-up code has forbidden it.
    pub(super) const fn looks_for_shared(&self) -> bool {
        self.enabled && self.auxiliary & SHARED_OVERRIDE == 0
    }

    fn find(&self, address: u32) -> Option<usize> {
        let line = address / LINE;
        let set = WAYS * (line as usize % SETS);
        (set..set + WAYS).find(|&slot| self.tags[slot] == line)
    }

    fn bytes(&self, slot: usize) -> Line {
        let mut line = [0; BYTES];
        line.copy_from_slice(&self.data[BYTES * slot..BYTES * (slot + 1)]);
        line
    }

    /// A slot for a new line; what was there is written back if it is dirty.
    fn make_room(&mut self, ram: &mut Ram, address: u32) -> usize {
        let set = WAYS * ((address / LINE) as usize % SETS);
        let slot = (set..set + WAYS).find(|&slot| self.tags[slot] == NO_LINE).unwrap_or_else(|| {
            self.next = if self.auxiliary & ROUND_ROBIN != 0 {
                self.next.wrapping_add(1)
            } else {
                self.next.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
            };
            let choice = if self.auxiliary & ROUND_ROBIN != 0 { self.next } else { self.next >> 24 };
            set + choice as usize % WAYS
        });
        if self.tags[slot] != NO_LINE && self.dirty[slot] {
            self.write_back(ram, slot);
        }
        slot
    }

    fn write_back(&mut self, ram: &mut Ram, slot: usize) {
        let line = self.bytes(slot);
        // Only memory is cached here, so it has a place.
        ram.write(self.tags[slot] * LINE, &line);
        self.dirty[slot] = false;
    }

    /// The line at `address` if it is here.
    pub(super) fn look(&mut self, address: u32) -> Option<Line> {
        let found = self.find(address).map(|slot| self.bytes(slot));
        self.misses += u64::from(found.is_none());
        found
    }

    /// Keeps a line that was read from memory.
    pub(super) fn keep(&mut self, ram: &mut Ram, address: u32, line: &Line) {
        if self.debug & NO_FILL != 0 {
            return;
        }
        let slot = self.make_room(ram, address);
        self.tags[slot] = address / LINE;
        self.dirty[slot] = false;
        self.data[BYTES * slot..BYTES * (slot + 1)].copy_from_slice(line);
    }

    /// Takes bytes within a line: into the line if it is here; into a new one if `allocate` and the whole line comes or
    /// memory has the rest. True if memory does not need them.
    pub(super) fn store(&mut self, ram: &mut Ram, address: u32, bytes: &[u8], allocate: bool) -> bool {
        let slot = match self.find(address) {
            Some(slot) => slot,
            None if allocate && self.debug & NO_FILL == 0 => {
                let Some(line) = ram.line(address & !(LINE - 1)) else { return false };
                self.keep(ram, address, &line);
                match self.find(address) {
                    Some(slot) => slot,
                    None => return false,
                }
            }
            None => return false,
        };
        let at = BYTES * slot + (address % LINE) as usize;
        self.data[at..at + bytes.len()].copy_from_slice(bytes);
        if !allocate || self.debug & NO_WRITE_BACK != 0 {
            return false; // written through
        }
        self.dirty[slot] = true;
        true
    }

    fn maintain(&mut self, ram: &mut Ram, slot: usize, what: Operation) {
        if self.tags[slot] == NO_LINE {
            return;
        }
        if self.dirty[slot] && what.clean {
            self.write_back(ram, slot);
        }
        if what.invalidate {
            self.tags[slot] = NO_LINE;
            self.dirty[slot] = false;
        }
    }

    /// Reads a register by its offset.
    pub(super) fn read(&self, offset: u32) -> u32 {
        match offset {
            0x000 => 0x4100_00c8,
            0x004 => 0x9e30_0300,
            0x100 => self.enabled.into(),
            0x104 => self.auxiliary,
            0x108 => self.tag_latency,
            0x10c => self.data_latency,
            0xf40 => self.debug,
            0xf60 => self.prefetch,
            // SYNC and the operations by way are done; no interrupts.
            _ => 0,
        }
    }

    /// Writes a register by its offset.
    pub(super) fn write(&mut self, ram: &mut Ram, offset: u32, value: u32) -> Access {
        const INVALIDATE: Operation = Operation { clean: false, invalidate: true };
        const CLEAN: Operation = Operation { clean: true, invalidate: false };
        const BOTH: Operation = Operation { clean: true, invalidate: true };
        let by_address = match offset {
            0x770 => Some(INVALIDATE),
            0x7b0 => Some(CLEAN),
            0x7f0 => Some(BOTH),
            _ => None,
        };
        if let Some(what) = by_address {
            if let Some(slot) = self.find(value) {
                self.maintain(ram, slot, what);
            }
            return Access::Line;
        }
        match offset {
            0x100 => self.enabled = value & 1 != 0,
            // These hold only while the cache is off.
            0x104 if !self.enabled => self.auxiliary = value,
            0x108 if !self.enabled => self.tag_latency = value,
            0x10c if !self.enabled => self.data_latency = value,
            0x730 => return Access::Sync,
            0x7b8 | 0x7f8 => {
                let slot = WAYS * ((value >> 5) as usize % SETS) + (value >> 28 & 7) as usize;
                self.maintain(ram, slot, if offset == 0x7b8 { CLEAN } else { BOTH });
                return Access::Line;
            }
            0x77c | 0x7bc | 0x7fc => {
                let what = match offset {
                    0x77c => INVALIDATE,
                    0x7bc => CLEAN,
                    _ => BOTH,
                };
                for slot in 0..SLOTS {
                    if value >> (slot % WAYS) & 1 != 0 {
                        self.maintain(ram, slot, what);
                    }
                }
                return Access::Ways;
            }
            0xf40 => self.debug = value & 7,
            0xf60 => self.prefetch = value,
            _ => {}
        }
        Access::Register
    }

    /// The byte at `address` if its line is here and the cache is on.
    pub(super) fn peek(&self, address: u32) -> Option<u8> {
        self.find(address)
            .filter(|_| self.enabled)
            .map(|slot| self.data[BYTES * slot + (address % LINE) as usize])
    }

    /// Changes a byte if its line is here, and leaves it as clean or dirty as it was.
    pub(super) fn poke(&mut self, address: u32, byte: u8) {
        if let Some(slot) = self.find(address) {
            self.data[BYTES * slot + (address % LINE) as usize] = byte;
        }
    }
}
