// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Level 1: a data cache that holds data, and the lines that the instruction cache has.
//!
//! 32 KB each, four ways of 256 sets of 32 bytes. The data cache writes back and allocates on reads and writes; which line
//! a new one replaces is pseudo-random, as on the Cortex-A9. A line that software forgets to clean is not in memory; one
//! that it forgets to invalidate hides what is.

use std::collections::HashMap;

use super::memory::merge;
use super::system::{Attributes, LINE};

const WAYS: usize = 4;
const SETS: usize = 256;
const SLOTS: usize = WAYS * SETS;
const WORDS: usize = LINE as usize / 4;
/// Entries of the table in front of the cache, a power of two.
const FRONT: usize = 4096;
const NO_LINE: u32 = u32::MAX;

/// A line's bytes.
pub type Line = [u8; LINE as usize];

/// A virtual line that can be accessed without a further look: address / 32 and its slot.
#[derive(Clone, Copy)]
struct Front {
    line: u32,
    slot: u32,
}

const NOWHERE: Front = Front { line: NO_LINE, slot: 0 };

/// Numbers of events since power-on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheCounts {
    /// Lines filled.
    pub fills: u64,
    /// Dirty lines that had to go for another one.
    pub evictions: u64,
    /// Dirty lines written back by maintenance.
    pub cleans: u64,
    /// Dirty lines thrown away by maintenance.
    pub discards: u64,
}

/// A pseudo-random choice of victims: a Galois LFSR of 32 bits.
#[derive(Clone)]
pub(super) struct Victims(u32);

impl Victims {
    pub(super) fn new(seed: u32) -> Self {
        Self(seed | 1)
    }

    pub(super) fn way(&mut self) -> usize {
        for _ in 0..2 {
            self.0 = self.0 >> 1 ^ (self.0 & 1).wrapping_neg() & 0xedb8_8320;
        }
        (self.0 & 3) as usize
    }
}

/// The level-1 data cache.
pub struct DataCache {
    /// Physical address / 32 of each slot; slot = 4 * set + way.
    tags: Box<[u32; SLOTS]>,
    dirty: Box<[bool; SLOTS]>,
    attributes: Vec<Attributes>,
    words: Box<[u32; SLOTS * WORDS]>,
    reads: Box<[Front; FRONT]>,
    writes: Box<[Front; FRONT]>,
    /// Entry of the front tables that a slot is reached by.
    owner: Box<[u16; SLOTS]>,
    victims: Victims,
    /// What happened so far.
    pub counts: CacheCounts,
}

impl DataCache {
    pub(super) fn new(seed: u32) -> Self {
        Self {
            tags: Box::new([NO_LINE; SLOTS]),
            dirty: Box::new([false; SLOTS]),
            attributes: vec![Attributes::STRONGLY_ORDERED; SLOTS],
            words: Box::new([0; SLOTS * WORDS]),
            reads: Box::new([NOWHERE; FRONT]),
            writes: Box::new([NOWHERE; FRONT]),
            owner: Box::new([0; SLOTS]),
            victims: Victims::new(seed),
            counts: CacheCounts::default(),
        }
    }

    /// The word that holds virtual address `address`, if that may be read and is here.
    #[inline(always)]
    pub(super) fn quick_read(&self, address: u32) -> Option<u32> {
        let front = &self.reads[(address / LINE) as usize % FRONT];
        (front.line == address / LINE).then(|| self.words[word_index(front.slot, address)])
    }

    /// The word that holds virtual address `address`, if that may be written and is here and dirty.
    #[inline(always)]
    pub(super) fn quick_write(&mut self, address: u32) -> Option<&mut u32> {
        let front = &self.writes[(address / LINE) as usize % FRONT];
        (front.line == address / LINE).then(|| &mut self.words[word_index(front.slot, address)])
    }

    /// Lets virtual `line` be reached quickly, for writes too if asked.
    pub(super) fn remember(&mut self, address: u32, slot: usize, write: bool) {
        let line = address / LINE;
        let index = line as usize % FRONT;
        if usize::from(self.owner[slot]) != index {
            self.forget_slot(slot);
            self.owner[slot] = index as u16;
        }
        let front = Front { line, slot: slot as u32 };
        self.reads[index] = front;
        if write {
            self.writes[index] = front;
        } else if self.writes[index].line != line {
            self.writes[index] = NOWHERE;
        }
    }

    fn forget_slot(&mut self, slot: usize) {
        let index = usize::from(self.owner[slot]);
        for table in [&mut self.reads, &mut self.writes] {
            if table[index].slot == slot as u32 {
                table[index] = NOWHERE;
            }
        }
    }

    /// Permissions or translations have changed.
    pub(super) fn forget_translations(&mut self) {
        self.reads.fill(NOWHERE);
        self.writes.fill(NOWHERE);
    }

    /// The slot that has physical `address`.
    pub(super) fn find(&self, address: u32) -> Option<usize> {
        let line = address / LINE;
        let set = WAYS * (line as usize % SETS);
        (set..set + WAYS).find(|&slot| self.tags[slot] == line)
    }

    /// The slot where a new line for `address` goes: an empty one, or one that has to be thrown out first.
    pub(super) fn victim(&mut self, address: u32) -> usize {
        let set = WAYS * ((address / LINE) as usize % SETS);
        (set..set + WAYS).find(|&slot| self.tags[slot] == NO_LINE).unwrap_or_else(|| set + self.victims.way())
    }

    /// Address, bytes and attributes of a slot, if it is dirty.
    pub(super) fn dirty(&self, slot: usize) -> Option<(u32, Line, Attributes)> {
        (self.tags[slot] != NO_LINE && self.dirty[slot])
            .then(|| (self.tags[slot] * LINE, self.bytes(slot), self.attributes[slot]))
    }

    fn bytes(&self, slot: usize) -> Line {
        let mut line = [0; LINE as usize];
        for (bytes, word) in line.chunks_exact_mut(4).zip(&self.words[WORDS * slot..WORDS * (slot + 1)]) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        line
    }

    pub(super) fn install(&mut self, slot: usize, address: u32, line: &Line, attributes: Attributes) {
        self.drop_line(slot);
        self.tags[slot] = address / LINE;
        self.attributes[slot] = attributes;
        self.counts.fills += 1;
        for (word, bytes) in self.words[WORDS * slot..WORDS * (slot + 1)].iter_mut().zip(line.chunks_exact(4))
        {
            *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
    }

    /// The line of a slot is gone, written back or not.
    pub(super) fn drop_line(&mut self, slot: usize) {
        self.forget_slot(slot);
        self.tags[slot] = NO_LINE;
        self.dirty[slot] = false;
    }

    pub(super) fn set_dirty(&mut self, slot: usize, dirty: bool) {
        self.dirty[slot] = dirty;
        if !dirty {
            // The next store has to come by and say so.
            let index = usize::from(self.owner[slot]);
            if self.writes[index].slot == slot as u32 {
                self.writes[index] = NOWHERE;
            }
        }
    }

    /// The word of a slot that physical `address` lies in, to be looked at.
    pub(super) fn held(&self, slot: usize, address: u32) -> u32 {
        self.words[word_index(slot as u32, address)]
    }

    /// The word of a slot that physical `address` lies in.
    pub(super) fn word(&mut self, slot: usize, address: u32) -> &mut u32 {
        &mut self.words[word_index(slot as u32, address)]
    }

    /// The slot of a set and way as CP15 gives them.
    pub(super) const fn set_way(value: u32) -> usize {
        WAYS * ((value >> 5) as usize % SETS) + (value >> 30) as usize
    }

    /// What a coherent master reads at physical `address`: the line, if it is here.
    pub fn snoop(&self, address: u32) -> Option<Line> {
        self.find(address).map(|slot| self.bytes(slot))
    }

    /// A coherent master writes the line at `address`: it is thrown out. Its bytes if they were dirty.
    pub fn snoop_out(&mut self, address: u32) -> Option<Line> {
        let slot = self.find(address)?;
        let bytes = self.dirty(slot).map(|d| d.1);
        self.drop_line(slot);
        bytes
    }

    /// Writes a byte if its line is here, as a debugger does; the line stays as clean or dirty as it was.
    pub(super) fn poke(&mut self, address: u32, byte: u8) {
        if let Some(slot) = self.find(address) {
            let word = self.word(slot, address);
            *word = merge(*word, address, 1, byte.into());
        }
    }

    /// Lines that are dirty now, by address.
    pub fn dirty_lines(&self) -> Vec<u32> {
        let mut lines: Vec<u32> = (0..SLOTS)
            .filter(|&s| self.tags[s] != NO_LINE && self.dirty[s])
            .map(|s| self.tags[s] * LINE)
            .collect();
        lines.sort_unstable();
        lines
    }
}

#[inline(always)]
const fn word_index(slot: u32, address: u32) -> usize {
    (slot as usize * WORDS + (address / 4) as usize % WORDS) % (SLOTS * WORDS)
}

/// The level-1 instruction cache: which lines it has, and what was in them when they were fetched.
pub(super) struct InstructionCache {
    tags: Box<[u32; SLOTS]>,
    /// By physical address / 32: what was decoded from, also of lines that are no longer here.
    contents: HashMap<u32, Line>,
    victims: Victims,
    /// Goes up whenever a line goes.
    pub generation: u64,
    pub fills: u64,
}

impl InstructionCache {
    pub(super) fn new(seed: u32) -> Self {
        Self {
            tags: Box::new([NO_LINE; SLOTS]),
            contents: HashMap::new(),
            victims: Victims::new(seed),
            generation: 1,
            fills: 0,
        }
    }

    /// The bytes of line number `line`, if the cache has it.
    pub(super) fn get(&self, line: u32) -> Option<&Line> {
        let set = WAYS * (line as usize % SETS);
        self.tags[set..set + WAYS].contains(&line).then(|| self.contents.get(&line)).flatten()
    }

    /// The bytes of line number `line` when it was last fetched.
    pub(super) fn last(&self, line: u32) -> Option<&Line> {
        self.contents.get(&line)
    }

    /// Puts a line in. False if something else was decoded from it before.
    pub(super) fn fill(&mut self, line: u32, bytes: Line) -> bool {
        let set = WAYS * (line as usize % SETS);
        let slot = (set..set + WAYS).find(|&s| self.tags[s] == NO_LINE).unwrap_or_else(|| {
            self.generation += 1;
            set + self.victims.way()
        });
        self.tags[slot] = line;
        self.fills += 1;
        self.compare(line, bytes)
    }

    /// Notes what is fetched without being kept. False if something else was decoded from it before.
    pub(super) fn compare(&mut self, line: u32, bytes: Line) -> bool {
        self.contents.insert(line, bytes).is_none_or(|old| old == bytes)
    }

    pub(super) fn invalidate_all(&mut self) {
        self.tags.fill(NO_LINE);
        self.generation += 1;
    }

    pub(super) fn invalidate(&mut self, line: u32) {
        let set = WAYS * (line as usize % SETS);
        for tag in &mut self.tags[set..set + WAYS] {
            if *tag == line {
                *tag = NO_LINE;
            }
        }
        self.generation += 1;
    }
}
