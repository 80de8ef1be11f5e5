// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The flash interface (RM0090 chapter 3): wait states and caches, unlocking, programming, erasing.
//!
//! Programming and erasing take their time in the store that starts them: on silicon, too, code in flash stands still.

use pqsoc_armv7::FlashTiming;

/// First address and bytes of the main array.
pub(super) const BASE: u32 = 0x0800_0000;
pub(super) const SIZE: u32 = 1 << 20;

const LOCK: u32 = 1 << 31;
const PG: u32 = 1;
const SER: u32 = 1 << 1;
const MER: u32 = 1 << 2;
const STRT: u32 = 1 << 16;
const EOP: u32 = 1;
const PGAERR: u32 = 1 << 5;
const PGPERR: u32 = 1 << 6;
const PGSERR: u32 = 1 << 7;
/// Data sheet, typical, in microseconds: a write of any width; erase of 16, 64, 128 KB; mass erase.
const WRITE_US: u64 = 16;
const ERASE_US: [u64; 3] = [400_000, 700_000, 1_000_000];
const MASS_ERASE_US: u64 = 8_000_000;

/// The block.
pub(super) struct Flash {
    acr: u32,
    sr: u32,
    cr: u32,
    optcr: u32,
    /// Keys taken so far: 1 after the first, 2 is open. `None`: a wrong key closed it until reset.
    keys: Option<u8>,
}

/// What a write to a register asks of the memory.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Nothing more.
    None,
    /// There is no such register.
    Unknown,
    /// A wrong key: bus error.
    BusError,
    /// ACR was written: the timing of the array changes.
    Timing,
    /// Erase this range, taking so many microseconds.
    Erase {
        /// First address.
        base: u32,
        /// Bytes.
        size: u32,
        /// Time.
        microseconds: u64,
    },
}

impl Flash {
    pub(super) fn new() -> Self {
        Self { acr: 0, sr: 0, cr: LOCK, optcr: 0x0fff_aaed, keys: Some(0) }
    }

    /// Wait states and caches as ACR sets them.
    pub(super) fn timing(&self) -> FlashTiming {
        FlashTiming {
            latency: (self.acr & 7) as u8,
            prefetch: self.acr & 1 << 8 != 0,
            instruction_cache: self.acr & 1 << 9 != 0,
            data_cache: self.acr & 1 << 10 != 0,
        }
    }

    pub(super) fn read(&self, offset: u32) -> Option<u32> {
        match offset {
            0x00 => Some(self.acr),
            0x04 | 0x08 => Some(0),
            0x0c => Some(self.sr),
            0x10 => Some(self.cr),
            0x14 => Some(self.optcr),
            _ => None,
        }
    }

    pub(super) fn write(&mut self, offset: u32, value: u32, mask: u32) -> Action {
        let bits = value & mask;
        match offset {
            0x00 => {
                self.acr = (self.acr & !mask | bits) & 0x1f07;
                Action::Timing
            }
            0x04 => {
                let wanted = [0x4567_0123, 0xcdef_89ab];
                match self.keys.and_then(|n| wanted.get(usize::from(n)).map(|&key| (n, key))) {
                    Some((n, key)) if key == bits => {
                        self.keys = Some(n + 1);
                        if n == 1 {
                            self.cr &= !LOCK;
                        }
                        Action::None
                    }
                    _ => {
                        self.keys = None;
                        self.cr |= LOCK;
                        Action::BusError
                    }
                }
            }
            0x08 => Action::None,
            0x0c => {
                self.sr &= !bits;
                Action::None
            }
            0x10 if self.cr & LOCK != 0 => Action::None,
            0x10 => {
                self.cr = self.cr & !mask | bits;
                if self.cr & LOCK != 0 {
                    self.keys = Some(0);
                }
                if self.cr & STRT == 0 {
                    return Action::None;
                }
                self.cr &= !STRT;
                if self.cr & MER != 0 {
                    return Action::Erase { base: BASE, size: SIZE, microseconds: MASS_ERASE_US };
                }
                match (self.cr & SER != 0).then(|| sector(self.cr >> 3 & 0xf)).flatten() {
                    Some((base, size, class)) => Action::Erase { base, size, microseconds: ERASE_US[class] },
                    None => {
                        self.sr |= PGSERR;
                        Action::None
                    }
                }
            }
            0x14 => {
                // Option bytes stay as they are: OPTLOCK reads 1.
                Action::None
            }
            _ => Action::Unknown,
        }
    }

    /// A store of `bytes` bytes to the array: the microseconds it takes if it may be programmed.
    pub(super) fn program(&mut self, address: u32, bytes: u32) -> Option<u64> {
        let error = if self.cr & (LOCK | PG) != PG {
            PGSERR
        } else if self.cr >> 8 & 3 != bytes.trailing_zeros() {
            PGPERR
        } else if !address.is_multiple_of(bytes) {
            PGAERR
        } else {
            if self.cr & 1 << 24 != 0 {
                self.sr |= EOP;
            }
            return Some(WRITE_US);
        };
        self.sr |= error;
        None
    }
}

/// Base, size and size class of sector `n`.
fn sector(n: u32) -> Option<(u32, u32, usize)> {
    match n {
        0..=3 => Some((BASE + n * 0x4000, 0x4000, 0)),
        4 => Some((BASE + 0x1_0000, 0x1_0000, 1)),
        5..=11 => Some((BASE + (n - 4) * 0x2_0000, 0x2_0000, 2)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_key_locks_until_reset() {
        let mut flash = Flash::new();
        assert_eq!(flash.write(4, 0x4567_0123, !0), Action::None);
        assert_eq!(flash.write(4, 0x4567_0123, !0), Action::BusError);
        assert_eq!(flash.write(4, 0x4567_0123, !0), Action::BusError);
        flash.write(0x10, PG, !0);
        assert_eq!(flash.read(0x10), Some(LOCK));
    }

    #[test]
    fn programming_needs_key_size_and_pg() {
        let mut flash = Flash::new();
        assert_eq!(flash.program(BASE, 4), None);
        assert_eq!(flash.read(0x0c), Some(PGSERR));
        flash.write(0x0c, PGSERR, !0);
        flash.write(4, 0x4567_0123, !0);
        flash.write(4, 0xcdef_89ab, !0);
        flash.write(0x10, PG, !0);
        assert_eq!(flash.program(BASE, 4), None, "PSIZE says bytes");
        assert_eq!(flash.read(0x0c), Some(PGPERR));
        flash.write(0x10, PG | 2 << 8, !0);
        assert_eq!(flash.program(BASE, 4), Some(WRITE_US));
        let erase = flash.write(0x10, SER | 11 << 3 | STRT, !0);
        assert_eq!(erase, Action::Erase { base: 0x080e_0000, size: 0x2_0000, microseconds: 1_000_000 });
        assert_eq!(flash.write(0x10, SER | 12 << 3 | STRT, !0), Action::None);
    }
}
