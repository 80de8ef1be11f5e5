// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Memory that the core reaches without asking the board: RAM and flash.
//!
//! All bytes live in one arena. A table with one entry for each 4 KiB page of the address space says where in the
//! arena a page is and what may be done with it, so that a load is one table look-up and one copy.

use thiserror::Error;

/// log2 of the page size of the map; regions start and end on page boundaries.
pub const PAGE_BITS: u32 = 12;
const PAGE: u32 = 1 << PAGE_BITS;
const PAGES: usize = 1 << (32 - PAGE_BITS);

/// What a region is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Written by stores; `execute` says whether instructions can be fetched from it.
    Ram {
        /// Instructions can be fetched from here.
        execute: bool,
    },
    /// Read and executed; a store to it goes to [`Bus::write`](crate::Bus::write). Reads take the wait states of
    /// [`FlashTiming`].
    Flash,
}

/// A piece of directly accessible memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// As the reference manual calls it.
    pub name: &'static str,
    /// First address, a multiple of 4096.
    pub base: u32,
    /// Bytes, a multiple of 4096.
    pub size: u32,
    /// What it is made of.
    pub kind: Kind,
}

/// The flash interface as FLASH_ACR of an STM32F4 sets it: wait states behind the ART accelerator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlashTiming {
    /// Wait states of one 128-bit read (LATENCY).
    pub latency: u8,
    /// The next line is read while the current one is executed (PRFTEN).
    pub prefetch: bool,
    /// 64 lines of 128 bits for instructions (ICEN).
    pub instruction_cache: bool,
    /// 8 lines of 128 bits for data (DCEN).
    pub data_cache: bool,
}

/// Why a memory map was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MapError {
    /// Base or size is not a multiple of the page size, or the region wraps around.
    #[error(
        "{name}: base {base:#010x} and size {size:#x} must be multiples of 4096 inside the address space"
    )]
    Alignment {
        /// The region's name.
        name: &'static str,
        /// Its base.
        base: u32,
        /// Its size.
        size: u32,
    },
    /// Two regions share a page.
    #[error("{name} overlaps {other}")]
    Overlap {
        /// The region refused.
        name: &'static str,
        /// The region that is there already.
        other: &'static str,
    },
    /// More than 31 regions.
    #[error("more than 31 regions")]
    TooMany,
    /// [`Memory::alias`] names a region that does not exist.
    #[error("no region is called {0}")]
    Unknown(&'static str),
}

/// An address where no region is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("no memory at {0:#010x}")]
pub struct Unmapped(pub u32);

/// An entry of the page table: arena page in bits 31:12, region in bits 9:5, flags around it.
pub(crate) type Page = u32;
pub(crate) const READ: Page = 1;
pub(crate) const WRITE: Page = 2;
pub(crate) const EXECUTE: Page = 4;
/// Something on this page has been decoded: stores must look whether they change it.
pub(crate) const DECODED: Page = 8;
/// Accesses take wait states.
pub(crate) const TIMED: Page = 16;
/// The first load of a burst takes one cycle more.
pub(crate) const SLOW_START: Page = 1 << 10;
const REGION_SHIFT: u32 = 5;
pub(crate) const REGION_MASK: Page = 31 << REGION_SHIFT;

/// Index of the region of a page-table entry; 0 is the first region.
pub(crate) const fn region_of(page: Page) -> u32 {
    (page >> REGION_SHIFT) & 31
}

/// Directly accessible memory and its map.
pub struct Memory {
    regions: Vec<Region>,
    offsets: Vec<u32>,
    arena: Vec<u8>,
    /// An array, so that no address can be outside and none is checked.
    pages: Box<[Page; PAGES]>,
    flash: FlashTiming,
    /// One bit a region.
    slow_start: u32,
    decoded: Vec<u64>,
    /// Pages with the flag [`DECODED`].
    marked: Vec<u32>,
    /// Decoded instructions may be out of date: set by writes to decoded pages and by changes of the map.
    pub(crate) stale: bool,
    pub(crate) timing_changed: bool,
}

impl Memory {
    /// Memory with these regions, filled with zeros.
    pub fn new(regions: &[Region]) -> Result<Self, MapError> {
        let mut memory = Self {
            regions: Vec::new(),
            offsets: Vec::new(),
            arena: Vec::new(),
            pages: vec![0; PAGES].into_boxed_slice().try_into().expect("as many as asked for"),
            flash: FlashTiming::default(),
            slow_start: 0,
            decoded: Vec::new(),
            marked: Vec::new(),
            stale: false,
            timing_changed: false,
        };
        for region in regions {
            let &Region { name, base, size, .. } = region;
            if !base.is_multiple_of(PAGE)
                || !size.is_multiple_of(PAGE)
                || size == 0
                || base.checked_add(size - 1).is_none()
            {
                return Err(MapError::Alignment { name, base, size });
            }
            if memory.regions.len() == 31 {
                return Err(MapError::TooMany);
            }
            let first = (base >> PAGE_BITS) as usize;
            for page in &memory.pages[first..first + (size >> PAGE_BITS) as usize] {
                if *page != 0 {
                    let other = memory.regions[region_of(*page) as usize].name;
                    return Err(MapError::Overlap { name, other });
                }
            }
            memory.offsets.push(memory.arena.len() as u32);
            memory.arena.resize(memory.arena.len() + size as usize, 0);
            memory.regions.push(region.clone());
            memory.map(base, memory.regions.len() - 1);
        }
        memory.decoded = vec![0; memory.arena.len().div_ceil(128)];
        Ok(memory)
    }

    fn map(&mut self, base: u32, index: usize) {
        let region = &self.regions[index];
        let flags = match region.kind {
            Kind::Ram { execute: true } => READ | WRITE | EXECUTE,
            Kind::Ram { execute: false } => READ | WRITE,
            Kind::Flash if self.flash.latency == 0 => READ | EXECUTE,
            Kind::Flash => READ | EXECUTE | TIMED,
        };
        let flags = if self.slow_start >> index & 1 != 0 { flags | SLOW_START } else { flags };
        let first = (base >> PAGE_BITS) as usize;
        for i in 0..region.size >> PAGE_BITS {
            self.pages[first + i as usize] =
                (self.offsets[index] + (i << PAGE_BITS)) | (index as u32) << REGION_SHIFT | flags;
        }
    }

    /// Shows the region called `name` at `base` too, instead of whatever is there (boot pins, SYSCFG_MEMRMP).
    pub fn alias(&mut self, base: u32, name: &'static str) -> Result<(), MapError> {
        let index = self.regions.iter().position(|r| r.name == name).ok_or(MapError::Unknown(name))?;
        let size = self.regions[index].size;
        if !base.is_multiple_of(PAGE) || base.checked_add(size - 1).is_none() {
            return Err(MapError::Alignment { name, base, size });
        }
        self.map(base, index);
        self.stale = true;
        Ok(())
    }

    /// The regions in the order given, aliases left out.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// The region that `address` lies in, also by way of an alias.
    pub fn region(&self, address: u32) -> Option<&Region> {
        let page = self.page(address);
        (page != 0).then(|| &self.regions[region_of(page) as usize])
    }

    /// From now on the first load of a burst from the region called `name` takes one cycle more: so measured for the
    /// second and third SRAM behind the bus matrix of an STM32 (docs/cortex-m4-timing.md).
    pub fn set_slow_start(&mut self, name: &'static str) -> Result<(), MapError> {
        let index = self.regions.iter().position(|r| r.name == name).ok_or(MapError::Unknown(name))?;
        self.slow_start |= 1 << index;
        for page in self.pages.iter_mut() {
            if *page != 0 && region_of(*page) as usize == index {
                *page |= SLOW_START;
            }
        }
        Ok(())
    }

    /// How the flash is read now.
    pub fn flash_timing(&self) -> FlashTiming {
        self.flash
    }

    /// Sets wait states and caches of the flash. It holds from the next access on.
    pub fn set_flash_timing(&mut self, timing: FlashTiming) {
        self.flash = timing;
        self.timing_changed = true;
        for page in self.pages.iter_mut() {
            if *page != 0 && self.regions[region_of(*page) as usize].kind == Kind::Flash {
                *page = *page & !TIMED | if timing.latency == 0 { 0 } else { TIMED };
            }
        }
    }

    /// Reads bytes without time or side effects.
    pub fn read(&self, address: u32, bytes: &mut [u8]) -> Result<(), Unmapped> {
        let (mut at, mut rest) = (address, bytes);
        while !rest.is_empty() {
            let offset = self.offset(at).ok_or(Unmapped(at))?;
            let (part, later) = rest.split_at_mut(rest.len().min((PAGE - at % PAGE) as usize));
            part.copy_from_slice(&self.arena[offset..offset + part.len()]);
            at = at.wrapping_add(part.len() as u32);
            rest = later;
        }
        Ok(())
    }

    /// Writes bytes without time or side effects, flash too: loaders, debuggers and flash controllers do.
    /// What was decoded from there is forgotten. Nothing is written if a byte of it is not mapped.
    pub fn write(&mut self, address: u32, bytes: &[u8]) -> Result<(), Unmapped> {
        let pages = |mut at: u32, mut left: usize| {
            std::iter::from_fn(move || {
                let length = left.min((PAGE - at % PAGE) as usize);
                let piece = (at, length);
                at = at.wrapping_add(length as u32);
                left -= length;
                (length != 0).then_some(piece)
            })
        };
        for (at, _) in pages(address, bytes.len()) {
            self.offset(at).ok_or(Unmapped(at))?;
        }
        let mut rest = bytes;
        for (at, length) in pages(address, bytes.len()) {
            let (part, later) = rest.split_at(length);
            if let Some(offset) = self.offset(at) {
                self.arena[offset..offset + length].copy_from_slice(part);
            }
            rest = later;
        }
        self.stale = true;
        Ok(())
    }

    /// The page-table entry of `address`; 0 where nothing is.
    #[inline]
    pub(crate) fn page(&self, address: u32) -> Page {
        self.pages[(address >> PAGE_BITS) as usize]
    }

    /// One bit a halfword of the arena says whether something was decoded from there.
    pub(crate) fn mark_decoded(&mut self, address: u32) {
        if let Some(offset) = self.offset(address) {
            let halfword = offset / 2;
            self.decoded[halfword / 64] |= 1 << (halfword % 64);
            let page = address >> PAGE_BITS;
            if self.pages[page as usize] & DECODED == 0 {
                self.pages[page as usize] |= DECODED;
                self.marked.push(page);
            }
        }
    }

    /// Whether a store of `bytes` bytes at `address` changes something decoded.
    pub(crate) fn is_decoded(&self, address: u32, bytes: u32) -> bool {
        (0..bytes.div_ceil(2) + 1).any(|i| {
            self.offset(address.wrapping_add(2 * i).min(address.wrapping_add(bytes - 1))).is_some_and(
                |offset| {
                    let halfword = offset / 2;
                    self.decoded[halfword / 64] >> (halfword % 64) & 1 != 0
                },
            )
        })
    }

    /// Nothing is decoded any more.
    pub(crate) fn forget_decoded(&mut self) {
        self.decoded.fill(0);
        for page in self.marked.drain(..) {
            self.pages[page as usize] &= !DECODED;
        }
    }

    /// Bytes of the arena at a page-table entry and address: the quick way for aligned accesses.
    #[inline(always)]
    pub(crate) fn quick_load<const BYTES: u32>(&self, page: Page, address: u32) -> u32 {
        let offset = ((page & !(PAGE - 1)) | (address & (PAGE - 1))) as usize;
        match BYTES {
            1 => self.arena.get(offset).copied().unwrap_or(0).into(),
            2 => match self.arena.get(offset..offset + 2) {
                Some(&[a, b]) => u16::from_le_bytes([a, b]).into(),
                _ => 0,
            },
            _ => match self.arena.get(offset..offset + 4) {
                Some(&[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]),
                _ => 0,
            },
        }
    }

    /// As [`quick_load`](Self::quick_load).
    #[inline(always)]
    pub(crate) fn quick_store<const BYTES: u32>(&mut self, page: Page, address: u32, value: u32) {
        let offset = ((page & !(PAGE - 1)) | (address & (PAGE - 1))) as usize;
        let bytes = BYTES as usize;
        if let Some(place) = self.arena.get_mut(offset..offset + bytes) {
            place.copy_from_slice(&value.to_le_bytes()[..bytes]);
        }
    }

    fn offset(&self, address: u32) -> Option<usize> {
        let page = self.page(address);
        (page != 0).then_some(((page & !(PAGE - 1)) | (address & (PAGE - 1))) as usize)
    }
}
