// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The CRC unit (RM0090 chapter 4): polynomial 0x04c11db7 over words, most significant bit first, not reflected.

/// AHB cycles of one word.
pub(super) const CYCLES: u32 = 4;

/// The block.
pub(super) struct Crc {
    dr: u32,
    idr: u32,
}

impl Crc {
    pub(super) fn new() -> Self {
        Self { dr: u32::MAX, idr: 0 }
    }

    pub(super) fn read(&self, offset: u32) -> Option<u32> {
        match offset {
            0 => Some(self.dr),
            4 => Some(self.idr),
            8 => Some(0),
            _ => None,
        }
    }

    /// Returns false if there is no such register.
    pub(super) fn write(&mut self, offset: u32, value: u32, mask: u32) -> bool {
        match offset {
            0 => {
                self.dr ^= value & mask;
                for _ in 0..32 {
                    self.dr = self.dr << 1 ^ if self.dr >> 31 != 0 { 0x04c1_1db7 } else { 0 };
                }
            }
            4 => self.idr = value & mask & 0xff,
            8 if value & mask & 1 != 0 => self.dr = u32::MAX,
            8 => {}
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CRC-32/MPEG-2 of "123456789abc" taken as three big-endian words, computed bit by bit over the bytes.
    #[test]
    fn equals_the_bytewise_definition() {
        let text = b"123456789abc";
        let mut crc = Crc::new();
        for word in text.as_chunks::<4>().0 {
            crc.write(0, u32::from_be_bytes(*word), !0);
        }
        let mut expected = u32::MAX;
        for bit in text.iter().flat_map(|byte| (0..8).rev().map(move |i| byte >> i & 1)) {
            let feedback = expected >> 31 ^ u32::from(bit);
            expected = (expected << 1) ^ (feedback * 0x04c1_1db7);
        }
        assert_eq!(crc.read(0), Some(expected));
        crc.write(8, 1, !0);
        assert_eq!(crc.read(0), Some(u32::MAX));
    }
}
