// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Serial ports (RM0090 chapter 30): polled or by interrupt, with the time that characters take on the wire.

use std::collections::VecDeque;

const RXNE: u32 = 1 << 5;
const TC: u32 = 1 << 6;
const TXE: u32 = 1 << 7;
const UE: u32 = 1 << 13;
const TE: u32 = 1 << 3;
const RE: u32 = 1 << 2;

/// One port.
pub(super) struct Usart {
    sr: u32,
    rdr: u32,
    /// BRR, CR1, CR2, CR3, GTPR.
    regs: [u32; 5],
    /// End of the character in the shift register.
    shifting: Option<u64>,
    /// A character waits behind it.
    holding: bool,
    /// SR was read since: the next write to DR clears TC.
    sr_read: bool,
    /// What the other side sends. It waits for a slow reader: no overrun.
    pub(super) input: VecDeque<u8>,
    /// When the next character has arrived.
    arriving: Option<u64>,
}

/// What became of a write.
pub(super) enum Written {
    /// There is no such register.
    Unknown,
    /// Nothing to tell.
    Done,
    /// A character was sent.
    Sent(u8),
    /// The character overwrote one that had not been sent yet.
    Overwrote(u8),
    /// The transmitter is off.
    Ignored,
}

impl Usart {
    pub(super) fn new() -> Self {
        Self {
            sr: TXE | TC,
            rdr: 0,
            regs: [0; 5],
            shifting: None,
            holding: false,
            sr_read: false,
            input: VecDeque::new(),
            arriving: None,
        }
    }

    /// RCC reset: registers only, the other side's characters stay.
    pub(super) fn reset(&mut self) {
        let input = std::mem::take(&mut self.input);
        *self = Self { input, ..Self::new() };
    }

    /// Core cycles of a character: start, data, parity and stop bits.
    fn character(&self, divider: u64) -> u64 {
        let [brr, cr1, cr2, ..] = self.regs;
        let bit = if cr1 & 1 << 15 != 0 { (brr & 0xfff0) >> 1 | brr & 7 } else { brr & 0xffff };
        let halves = 2 * (9 + (cr1 >> 12 & 1)) + [2, 1, 4, 3][(cr2 >> 12 & 3) as usize];
        u64::from(bit.max(1)) * u64::from(halves) * divider / 2
    }

    pub(super) fn read(&mut self, offset: u32, now: u64, divider: u64) -> Option<u32> {
        self.advance(now, divider);
        Some(match offset {
            0x00 => {
                self.sr_read = true;
                self.sr
            }
            0x04 => {
                self.sr &= !RXNE;
                self.expect(now, divider);
                self.rdr
            }
            _ => *self.regs.get(offset as usize / 4 - 2)?,
        })
    }

    pub(super) fn write(&mut self, offset: u32, value: u32, mask: u32, now: u64, divider: u64) -> Written {
        self.advance(now, divider);
        match offset {
            0x00 => {
                // TC and RXNE are cleared by writing 0.
                self.sr &= value | !mask | !(TC | RXNE);
                Written::Done
            }
            0x04 => {
                if self.regs[1] & (UE | TE) != UE | TE {
                    return Written::Ignored;
                }
                let byte = value as u8;
                if self.sr_read {
                    self.sr &= !TC;
                    self.sr_read = false;
                }
                if self.holding {
                    return Written::Overwrote(byte);
                }
                if self.shifting.is_some() {
                    self.holding = true;
                    self.sr &= !TXE;
                } else {
                    self.shifting = Some(now + self.character(divider));
                }
                Written::Sent(byte)
            }
            _ => match self.regs.get_mut(offset as usize / 4 - 2) {
                Some(reg) => {
                    *reg = *reg & !mask | value & mask;
                    self.expect(now, divider);
                    Written::Done
                }
                None => Written::Unknown,
            },
        }
    }

    /// Starts the arrival of the next character if there is room for it.
    fn expect(&mut self, now: u64, divider: u64) {
        let on = self.regs[1] & (UE | RE) == UE | RE;
        if on && self.sr & RXNE == 0 && self.arriving.is_none() && !self.input.is_empty() {
            self.arriving = Some(now + self.character(divider));
        }
    }

    /// What has happened up to `now`.
    pub(super) fn advance(&mut self, now: u64, divider: u64) {
        while let Some(end) = self.shifting.filter(|&end| end <= now) {
            if self.holding {
                self.holding = false;
                self.sr |= TXE;
                self.shifting = Some(end + self.character(divider));
            } else {
                self.sr |= TC;
                self.shifting = None;
            }
        }
        if self.arriving.is_some_and(|when| when <= now) {
            self.arriving = None;
            if let Some(byte) = self.input.pop_front() {
                self.rdr = byte.into();
                self.sr |= RXNE;
            }
        }
    }

    /// When something happens next.
    pub(super) fn next(&self) -> Option<u64> {
        self.shifting.into_iter().chain(self.arriving).min()
    }

    /// Level of the interrupt line. Enable bits of CR1 have the places of the flags.
    pub(super) fn interrupt(&self) -> bool {
        self.sr & self.regs[1] & (RXNE | TC | TXE) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port() -> Usart {
        let mut port = Usart::new();
        assert_eq!(port.read(0, 0, 1), Some(0xc0));
        port.write(0x08, 313, !0, 0, 2);
        port.write(0x0c, UE | TE | RE, !0, 0, 2);
        port
    }

    /// 12 MHz / 313 = 38 400 baud: ten bits are 6 260 cycles at 24 MHz.
    #[test]
    fn characters_take_their_time() {
        let mut port = port();
        assert!(matches!(port.write(4, 65, !0, 1000, 2), Written::Sent(65)));
        assert_eq!(port.read(0, 1000, 2).unwrap() & (TXE | TC), TXE);
        assert!(matches!(port.write(4, 66, !0, 1000, 2), Written::Sent(66)));
        assert_eq!(port.read(0, 7259, 2).unwrap() & (TXE | TC), 0);
        assert!(matches!(port.write(4, 67, !0, 7259, 2), Written::Overwrote(67)));
        assert_eq!(port.read(0, 7260, 2).unwrap() & (TXE | TC), TXE);
        assert_eq!(port.read(0, 13519, 2).unwrap() & (TXE | TC), TXE);
        assert_eq!(port.read(0, 13520, 2).unwrap() & (TXE | TC), TXE | TC);
    }

    #[test]
    fn input_waits_for_its_reader() {
        let mut port = port();
        port.input.extend(*b"hi");
        port.write(0x0c, UE | RE | RXNE, !0, 0, 2);
        assert_eq!(port.next(), Some(6260));
        port.advance(100_000, 2);
        assert!(port.interrupt());
        assert_eq!(port.read(4, 100_000, 2), Some(u32::from(b'h')));
        assert!(!port.interrupt());
        assert_eq!(port.read(0, 106_259, 2).unwrap() & RXNE, 0);
        assert_eq!(port.read(4, 106_260, 2), Some(u32::from(b'i')));
    }

    #[test]
    fn transmitter_off_sends_nothing() {
        assert!(matches!(Usart::new().write(4, 65, !0, 0, 1), Written::Ignored));
    }
}
