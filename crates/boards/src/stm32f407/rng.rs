// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The random number generator's registers and time (RM0090 chapter 24). Its numbers come from a seed, so that runs
//! can be repeated: they are not secret.

const RNGEN: u32 = 1 << 2;
const DRDY: u32 = 1;
const CECS: u32 = 1 << 1;
const CEIS: u32 = 1 << 5;

/// A number is ready this many clocks of the RNG after the last was read.
const PERIOD: u64 = 40;

/// The block.
pub(super) struct Rng {
    cr: u32,
    /// CEIS and SEIS.
    sr: u32,
    ready: Option<u64>,
    state: u64,
}

impl Rng {
    pub(super) fn new(seed: u64) -> Self {
        Self { cr: 0, sr: 0, ready: None, state: seed }
    }

    pub(super) fn reset(&mut self) {
        *self = Self::new(self.state);
    }

    /// Core cycles until a number is there; none if the 48 MHz clock is off or too slow (below HCLK / 16).
    fn period(hclk: u64, pll48: u64) -> Option<u64> {
        (pll48 != 0 && pll48 >= hclk / 16).then(|| (PERIOD * hclk).div_ceil(pll48))
    }

    pub(super) fn read(&mut self, offset: u32, now: u64, hclk: u64, pll48: u64) -> Option<u32> {
        let period = Self::period(hclk, pll48);
        let ready = self.ready.is_some_and(|when| when <= now) && period.is_some();
        Some(match offset {
            0 => self.cr,
            4 => {
                let clock_error = period.is_none() && self.cr & RNGEN != 0;
                if clock_error {
                    self.sr |= CEIS;
                }
                self.sr | if ready { DRDY } else { 0 } | if clock_error { CECS } else { 0 }
            }
            8 if ready => {
                self.ready = period.map(|p| now + p);
                self.next()
            }
            8 => 0,
            _ => return None,
        })
    }

    /// Returns false if there is no such register.
    pub(super) fn write(
        &mut self,
        offset: u32,
        value: u32,
        mask: u32,
        now: u64,
        hclk: u64,
        pll48: u64,
    ) -> bool {
        match offset {
            0 => {
                let old = self.cr;
                self.cr = (old & !mask | value & mask) & 0xc;
                if self.cr & RNGEN == 0 {
                    self.ready = None;
                } else if old & RNGEN == 0 {
                    self.ready = Self::period(hclk, pll48).map(|p| now + p);
                }
            }
            4 => self.sr &= value | !mask,
            8 => {}
            _ => return false,
        }
        true
    }

    /// When an enabled interrupt comes next.
    pub(super) fn next_event(&self) -> Option<u64> {
        self.ready.filter(|_| self.cr & 8 != 0)
    }

    /// Level of the interrupt line.
    pub(super) fn interrupt(&self, now: u64) -> bool {
        self.cr & 8 != 0 && (self.sr != 0 || self.ready.is_some_and(|when| when <= now))
    }

    /// SplitMix64, upper half.
    fn next(&mut self) -> u32 {
        (split_mix(&mut self.state) >> 32) as u32
    }
}

/// One step of SplitMix64: also fills RAM at power-on.
pub(super) fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_every_forty_clocks() {
        let mut rng = Rng::new(1);
        rng.write(0, RNGEN, !0, 0, 24_000_000, 48_000_000);
        assert_eq!(rng.read(4, 19, 24_000_000, 48_000_000), Some(0));
        assert_eq!(rng.read(8, 19, 24_000_000, 48_000_000), Some(0), "not ready reads 0");
        assert_eq!(rng.read(4, 20, 24_000_000, 48_000_000), Some(DRDY));
        let first = rng.read(8, 20, 24_000_000, 48_000_000);
        assert_eq!(rng.read(4, 20, 24_000_000, 48_000_000), Some(0), "DRDY falls on the read");
        assert_ne!(rng.read(8, 40, 24_000_000, 48_000_000), first);
    }

    #[test]
    fn no_clock_is_an_error() {
        let mut rng = Rng::new(1);
        rng.write(0, RNGEN, !0, 0, 16_000_000, 0);
        assert_eq!(rng.read(4, 1_000_000, 16_000_000, 0), Some(CECS | CEIS));
    }
}
