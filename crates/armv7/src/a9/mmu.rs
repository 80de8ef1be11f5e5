// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Translation tables in the short format, domains and permissions, and the TLB (ARM DDI 0406C, B3).

use super::system::{Attributes, MemoryType};

/// What an access wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    Execute,
}

/// Fault status: FS\[4:0\] of DFSR and IFSR.
pub(super) mod status {
    pub(crate) const ALIGNMENT: u32 = 0b00001;
    pub(crate) const DEBUG: u32 = 0b00010;
    pub(crate) const ACCESS_FLAG: [u32; 2] = [0b00011, 0b00110];
    pub(crate) const TRANSLATION: [u32; 2] = [0b00101, 0b00111];
    pub(crate) const EXTERNAL: u32 = 0b01000;
    pub(crate) const DOMAIN: [u32; 2] = [0b01001, 0b01011];
    pub(crate) const WALK: [u32; 2] = [0b01100, 0b01110];
    pub(crate) const PERMISSION: [u32; 2] = [0b01101, 0b01111];
    pub(crate) const ASYNCHRONOUS: u32 = 0b10110;
}

/// Why a translation fails: FS and the domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TranslationFault {
    pub status: u32,
    pub domain: u32,
}

/// A translation as the TLB keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Virtual address of the page or section.
    base: u32,
    /// Bits of the address that are translated.
    mask: u32,
    physical: u32,
    /// AP\[2:0\].
    ap: u32,
    execute_never: bool,
    domain: u32,
    /// The address space that it belongs to; `None` for all.
    asid: Option<u8>,
    /// TEX\[2:0\], C, B.
    texcb: u32,
    shareable: bool,
    /// 1 for pages: the second of each pair of fault codes.
    level: usize,
}

const SETS: usize = 128;

/// Registers that translation depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Control {
    pub sctlr: u32,
    pub actlr: u32,
    pub ttbr: [u32; 2],
    pub ttbcr: u32,
    pub dacr: u32,
    pub prrr: u32,
    pub nmrr: u32,
    pub context: u32,
}

/// SCTLR bits.
pub(super) const MMU: u32 = 1;
pub(super) const ALIGN: u32 = 1 << 1;
pub(super) const DATA_CACHE: u32 = 1 << 2;
pub(super) const PREDICTION: u32 = 1 << 11;
pub(super) const INSTRUCTION_CACHE: u32 = 1 << 12;
pub(super) const HIGH_VECTORS: u32 = 1 << 13;
const TEX_REMAP: u32 = 1 << 28;
const ACCESS_FLAG_ENABLE: u32 = 1 << 29;
pub(super) const THUMB_EXCEPTIONS: u32 = 1 << 30;
/// ACTLR bits.
const SMP: u32 = 1 << 6;

impl Control {
    /// The first-level descriptor of `address`: where it is, and whether level 1 may hold it; nothing if walks are off.
    fn table(&self, address: u32) -> Option<(u32, Attributes)> {
        let n = self.ttbcr & 7;
        let (ttbr, width, off) = if n != 0 && address >> (32 - n) != 0 {
            (self.ttbr[1], 0, self.ttbcr & 1 << 5)
        } else {
            (self.ttbr[0], n, self.ttbcr & 1 << 4)
        };
        if off != 0 {
            return None;
        }
        let base = ttbr & u32::MAX << (14 - width);
        let index = address << width >> width >> 20;
        let enabled = self.sctlr & DATA_CACHE != 0;
        let shareable = ttbr & 2 != 0;
        // IRGN is split: bit 0 is its high bit, bit 6 its low one. Write-through is not cached in level 1.
        let inner = matches!((ttbr & 1) << 1 | ttbr >> 6 & 1, 1 | 3);
        let attributes = Attributes {
            kind: MemoryType::Normal,
            inner: enabled && inner && (!shareable || self.actlr & SMP != 0),
            outer: enabled && ttbr >> 3 & 3 != 0,
            shareable,
        };
        Some((base | index << 2, attributes))
    }

    /// Walks the tables; `descriptor` reads a word of them, if somebody answers.
    pub(super) fn walk(
        &self,
        address: u32,
        asid: u8,
        mut descriptor: impl FnMut(u32, Attributes) -> Option<u32>,
    ) -> Result<Entry, TranslationFault> {
        let fault = |status, domain| TranslationFault { status, domain };
        let Some((at, attributes)) = self.table(address) else {
            return Err(fault(status::TRANSLATION[0], 0));
        };
        let first = descriptor(at, attributes).ok_or(fault(status::WALK[0], 0))?;
        match Entry::first(first, address, asid) {
            FirstLevel::Fault => Err(fault(status::TRANSLATION[0], 0)),
            FirstLevel::Section(entry) => Ok(entry),
            FirstLevel::Table(at, domain) => {
                let second = descriptor(at, attributes).ok_or(fault(status::WALK[1], domain))?;
                Entry::second(second, address, domain, asid).ok_or(fault(status::TRANSLATION[1], domain))
            }
        }
    }

    /// The attributes of a translation, as far as they hold now.
    pub(super) fn attributes(&self, entry: &Entry, access: Access) -> Attributes {
        let enabled = match access {
            Access::Execute => self.sctlr & INSTRUCTION_CACHE != 0,
            _ => self.sctlr & DATA_CACHE != 0,
        };
        // (kind, inner, outer) as 2-bit policies: 0 not cacheable, 1 and 3 write-back, 2 write-through
        let (kind, inner, outer, shareable) = if self.sctlr & TEX_REMAP != 0 {
            let n = entry.texcb & 7;
            let kind = match self.prrr >> (2 * n) & 3 {
                0 => MemoryType::StronglyOrdered,
                1 => MemoryType::Device,
                _ => MemoryType::Normal,
            };
            let by_s = |device: bool| {
                self.prrr >> (16 + 2 * u32::from(!device) + u32::from(entry.shareable)) & 1 != 0
            };
            let shareable = match kind {
                MemoryType::StronglyOrdered => true,
                MemoryType::Device => by_s(true),
                MemoryType::Normal => by_s(false),
            };
            (kind, self.nmrr >> (2 * n) & 3, self.nmrr >> (16 + 2 * n) & 3, shareable)
        } else {
            match entry.texcb {
                0b00000 => (MemoryType::StronglyOrdered, 0, 0, true),
                0b00001 => (MemoryType::Device, 0, 0, true),
                0b00010 => (MemoryType::Normal, 2, 2, entry.shareable),
                0b00011 => (MemoryType::Normal, 3, 3, entry.shareable),
                0b00100 => (MemoryType::Normal, 0, 0, entry.shareable),
                0b00111 => (MemoryType::Normal, 1, 1, entry.shareable),
                0b01000 => (MemoryType::Device, 0, 0, false),
                texcb if texcb & 0b10000 != 0 => {
                    (MemoryType::Normal, texcb & 3, texcb >> 2 & 3, entry.shareable)
                }
                // Reserved
                _ => (MemoryType::StronglyOrdered, 0, 0, true),
            }
        };
        // The Cortex-A9 keeps shared memory in level 1 only while it takes part in coherency.
        let coherent = !shareable || self.actlr & SMP != 0;
        let normal = kind == MemoryType::Normal && enabled;
        Attributes {
            kind,
            inner: normal && inner & 1 != 0 && coherent,
            outer: normal && outer != 0,
            shareable,
        }
    }

    /// Attributes while the MMU is off.
    pub(super) fn untranslated(&self, access: Access) -> Attributes {
        let cached = access == Access::Execute && self.sctlr & INSTRUCTION_CACHE != 0;
        match access {
            Access::Execute => {
                Attributes { kind: MemoryType::Normal, inner: cached, outer: cached, shareable: false }
            }
            _ => Attributes::STRONGLY_ORDERED,
        }
    }

    /// Whether the access is allowed.
    pub(super) fn check(
        &self,
        entry: &Entry,
        access: Access,
        privileged: bool,
    ) -> Result<(), TranslationFault> {
        let fault = |codes: [u32; 2]| TranslationFault { status: codes[entry.level], domain: entry.domain };
        if self.sctlr & ACCESS_FLAG_ENABLE != 0 && entry.ap & 1 == 0 {
            return Err(fault(status::ACCESS_FLAG));
        }
        match self.dacr >> (2 * entry.domain) & 3 {
            3 => return Ok(()),
            1 => {}
            _ => return Err(fault(status::DOMAIN)),
        }
        let ap = if self.sctlr & ACCESS_FLAG_ENABLE != 0 { entry.ap | 1 } else { entry.ap };
        let (reads, writes) = match (ap, privileged) {
            (0b000, _) => (false, false),
            (0b001, _) => (privileged, privileged),
            (0b010, _) => (true, privileged),
            (0b011, _) => (true, true),
            (0b101, _) => (privileged, false),
            (0b110 | 0b111, _) => (true, false),
            _ => (false, false),
        };
        let allowed = match access {
            Access::Read => reads,
            Access::Write => writes,
            Access::Execute => reads && !entry.execute_never,
        };
        if allowed { Ok(()) } else { Err(fault(status::PERMISSION)) }
    }
}

/// What a first-level descriptor says.
enum FirstLevel {
    Fault,
    /// Address of the second-level descriptor, and the domain.
    Table(u32, u32),
    Section(Entry),
}

impl Entry {
    /// Takes a first-level descriptor apart.
    fn first(descriptor: u32, address: u32, asid: u8) -> FirstLevel {
        let domain = descriptor >> 5 & 15;
        match descriptor & 3 {
            1 => FirstLevel::Table(descriptor & !0x3ff | address >> 10 & 0x3fc, domain),
            2 => {
                let super_section = descriptor & 1 << 18 != 0;
                let mask: u32 = if super_section { 0xff00_0000 } else { 0xfff0_0000 };
                FirstLevel::Section(Self {
                    base: address & mask,
                    mask,
                    physical: descriptor & mask,
                    ap: descriptor >> 10 & 3 | descriptor >> 13 & 4,
                    execute_never: descriptor & 1 << 4 != 0,
                    domain: if super_section { 0 } else { domain },
                    asid: (descriptor & 1 << 17 != 0).then_some(asid),
                    texcb: descriptor >> 10 & 0b11100 | descriptor >> 2 & 3,
                    shareable: descriptor & 1 << 16 != 0,
                    level: 0,
                })
            }
            _ => FirstLevel::Fault,
        }
    }

    /// Takes a second-level descriptor apart.
    fn second(descriptor: u32, address: u32, domain: u32, asid: u8) -> Option<Self> {
        let (mask, texcb, execute_never): (u32, _, _) = match descriptor & 3 {
            0 => return None,
            1 => (0xffff_0000, descriptor >> 10 & 0b11100, descriptor & 1 << 15 != 0),
            _ => (0xffff_f000, descriptor >> 4 & 0b11100, descriptor & 1 != 0),
        };
        Some(Self {
            base: address & mask,
            mask,
            physical: descriptor & mask,
            ap: descriptor >> 4 & 3 | descriptor >> 7 & 4,
            execute_never,
            domain,
            asid: (descriptor & 1 << 11 != 0).then_some(asid),
            texcb: texcb | descriptor >> 2 & 3,
            shareable: descriptor & 1 << 10 != 0,
            level: 1,
        })
    }

    pub(super) const fn translate(&self, address: u32) -> u32 {
        self.physical | address & !self.mask
    }
}

/// Translations that are at hand: 128 of sections and 128 of pages.
pub(super) struct Tlb {
    sections: Vec<Option<Entry>>,
    pages: Vec<Option<Entry>>,
    pub walks: u64,
}

impl Tlb {
    pub(super) fn new() -> Self {
        Self { sections: vec![None; SETS], pages: vec![None; SETS], walks: 0 }
    }

    pub(super) fn find(&self, address: u32, asid: u8) -> Option<Entry> {
        let at =
            [&self.sections[(address >> 20) as usize % SETS], &self.pages[(address >> 12) as usize % SETS]];
        at.into_iter()
            .flatten()
            .find(|e| e.base == address & e.mask && e.asid.is_none_or(|a| a == asid))
            .copied()
    }

    pub(super) fn insert(&mut self, address: u32, entry: Entry) {
        let slot = if entry.level == 0 {
            &mut self.sections[(address >> 20) as usize % SETS]
        } else {
            &mut self.pages[(address >> 12) as usize % SETS]
        };
        *slot = Some(entry);
    }

    pub(super) fn invalidate(&mut self, which: impl Fn(&EntryKey) -> bool) {
        for slot in self.sections.iter_mut().chain(&mut self.pages) {
            if slot.is_some_and(|e| which(&EntryKey { base: e.base, mask: e.mask, asid: e.asid })) {
                *slot = None;
            }
        }
    }
}

/// What TLB maintenance looks at.
pub(super) struct EntryKey {
    pub base: u32,
    pub mask: u32,
    pub asid: Option<u8>,
}
