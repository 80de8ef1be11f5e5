// SPDX-License-Identifier: Apache-2.0 OR MIT

//! General-purpose pins (RM0090 chapter 8). Nothing is connected: inputs read their pull-up, outputs themselves.

/// One port of 16 pins.
pub(super) struct Gpio {
    /// MODER to AFRH.
    regs: [u32; 10],
}

const IDR: usize = 4;
const ODR: usize = 5;
const BSRR: usize = 6;

impl Gpio {
    /// Port 0 is GPIOA.
    pub(super) fn new(port: usize) -> Self {
        let mut regs = [0; 10];
        match port {
            // PA13 to PA15 and PB3, PB4 are the debug port's.
            0 => (regs[0], regs[3]) = (0xa800_0000, 0x6400_0000),
            1 => (regs[0], regs[2], regs[3]) = (0x280, 0xc0, 0x100),
            _ => {}
        }
        Self { regs }
    }

    pub(super) fn read(&self, offset: u32) -> Option<u32> {
        Some(match offset as usize / 4 {
            IDR => self.input(),
            BSRR => 0,
            i => *self.regs.get(i)?,
        })
    }

    /// Returns false if there is no such register.
    pub(super) fn write(&mut self, offset: u32, value: u32, mask: u32) -> bool {
        let bits = value & mask;
        match offset as usize / 4 {
            IDR => {}
            // Set has priority over reset.
            BSRR => self.regs[ODR] = (self.regs[ODR] & !(bits >> 16) | bits) & 0xffff,
            i => match self.regs.get_mut(i) {
                Some(reg) => *reg = *reg & !mask | bits,
                None => return false,
            },
        }
        true
    }

    fn input(&self) -> u32 {
        (0..16)
            .filter(|pin| match self.regs[0] >> (2 * pin) & 3 {
                1 => self.regs[ODR] >> pin & 1 != 0,
                _ => self.regs[3] >> (2 * pin) & 3 == 1,
            })
            .fold(0, |word, pin| word | 1 << pin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Trap: STRH to the upper half of BSRR resets pins.
    #[test]
    fn halfword_to_upper_bsrr_resets() {
        let mut port = Gpio::new(3);
        port.write(0x18, 0xf000, !0);
        assert_eq!(port.read(0x14), Some(0xf000));
        port.write(0x18, 0x5000_0000, 0xffff_0000);
        assert_eq!(port.read(0x14), Some(0xa000));
        port.write(0x18, 0x8000_8000, !0);
        assert_eq!(port.read(0x14), Some(0xa000), "set wins over reset");
        assert_eq!(port.read(0x18), Some(0), "write only");
    }
}
