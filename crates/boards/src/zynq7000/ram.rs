// SPDX-License-Identifier: Apache-2.0 OR MIT

//! DDR and on-chip memory, and where they are.

use pqsoc_armv7::a9::{LINE, Line};

/// Bytes of DDR on a ZedBoard.
pub(super) const DDR: u32 = 512 << 20;
/// Bytes of on-chip memory, in four blocks.
const OCM: u32 = 256 << 10;
const BLOCK: u32 = OCM / 4;
const OCM_HIGH: u32 = 0xfffc_0000;

/// Which memory an address is in, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Ddr(usize),
    Ocm(usize),
}

/// Bytes of both memories.
pub(super) struct Ram {
    ddr: Vec<u8>,
    ocm: Vec<u8>,
    /// OCM_CFG.RAM_HI: blocks at 0xfffc_0000 rather than at 0.
    pub high: u32,
    /// The SCU's filter passes the lowest megabyte to DDR.
    pub low_ddr: bool,
}

impl Ram {
    pub(super) fn new() -> Self {
        Self { ddr: vec![0; DDR as usize], ocm: vec![0; OCM as usize], high: 0x8, low_ddr: false }
    }

    /// What is at a physical address.
    pub(super) fn place(&self, address: u32) -> Option<Place> {
        match address {
            0x0000_0000..=0x000f_ffff => {
                let block = address / BLOCK;
                if block < 4 && self.high >> block & 1 == 0 {
                    Some(Place::Ocm(address as usize))
                } else {
                    self.low_ddr.then_some(Place::Ddr(address as usize))
                }
            }
            0x0010_0000..DDR => Some(Place::Ddr(address as usize)),
            OCM_HIGH.. => {
                let offset = address - OCM_HIGH;
                (self.high >> (offset / BLOCK) & 1 != 0).then_some(Place::Ocm(offset as usize))
            }
            _ => None,
        }
    }

    /// Where the memory begins that `address` may be in.
    pub(super) const fn base(address: u32) -> u32 {
        match address {
            0x0010_0000..DDR => 0x0010_0000,
            OCM_HIGH.. => OCM_HIGH,
            _ => 0,
        }
    }

    fn bytes(&self, place: Place, length: usize) -> Option<&[u8]> {
        match place {
            Place::Ddr(at) => self.ddr.get(at..at + length),
            Place::Ocm(at) => self.ocm.get(at..at + length),
        }
    }

    fn bytes_mut(&mut self, place: Place, length: usize) -> Option<&mut [u8]> {
        match place {
            Place::Ddr(at) => self.ddr.get_mut(at..at + length),
            Place::Ocm(at) => self.ocm.get_mut(at..at + length),
        }
    }

    /// Reads bytes that do not cross a block. False if they are not there.
    pub(super) fn read(&self, address: u32, bytes: &mut [u8]) -> bool {
        let from = self.place(address).and_then(|place| self.bytes(place, bytes.len()));
        from.is_some_and(|from| {
            bytes.copy_from_slice(from);
            true
        })
    }

    /// Writes bytes that do not cross a block. False if there is no place for them.
    pub(super) fn write(&mut self, address: u32, bytes: &[u8]) -> bool {
        let to = self.place(address).and_then(|place| self.bytes_mut(place, bytes.len()));
        to.is_some_and(|to| {
            to.copy_from_slice(bytes);
            true
        })
    }

    pub(super) fn line(&self, address: u32) -> Option<Line> {
        let mut line = [0; LINE as usize];
        self.read(address, &mut line).then_some(line)
    }
}
