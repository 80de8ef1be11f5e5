// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Reset and clock control (RM0090 chapter 7): oscillators, PLL, dividers, clock gates, peripheral resets.

/// Crystal of the STM32F407G-DISC1.
const HSE_HZ: u64 = 8_000_000;
const HSI_HZ: u64 = 16_000_000;
/// Start-up times of the data sheet (typical), in microseconds.
const HSI_START_US: u64 = 2;
const HSE_START_US: u64 = 2_000;
const PLL_LOCK_US: u64 = 100;

const HSION: u32 = 1;
const HSIRDY: u32 = 1 << 1;
const HSEON: u32 = 1 << 16;
const HSERDY: u32 = 1 << 17;
const PLLON: u32 = 1 << 24;
const PLLRDY: u32 = 1 << 25;
const PLLI2SON: u32 = 1 << 26;
const PLLI2SRDY: u32 = 1 << 27;

/// Offsets of registers that others refer to.
pub(super) const AHB1ENR: u32 = 0x30;
pub(super) const AHB2ENR: u32 = 0x34;
pub(super) const AHB3ENR: u32 = 0x38;
pub(super) const APB1ENR: u32 = 0x40;
pub(super) const APB2ENR: u32 = 0x44;

/// Frequencies in hertz.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// The core's and AHB's.
    pub hclk: u64,
    /// Core cycles of one APB1 clock.
    pub apb1_divider: u64,
    /// Core cycles of one APB2 clock.
    pub apb2_divider: u64,
    /// The RNG's, 48 MHz in most programs; 0 if the PLL is off.
    pub pll48: u64,
}

impl Clocks {
    /// Core cycles of one count of a timer on APB1 with prescaler 0: timers run at twice the bus clock if that is divided.
    pub(super) fn timer1_divider(&self) -> u64 {
        (self.apb1_divider / 2).max(1)
    }
}

/// The RCC block.
pub struct Rcc {
    regs: [u32; 0x90 / 4],
    /// When HSI, HSE, PLL and PLLI2S are ready, in core cycles.
    ready: [Option<u64>; 4],
    clocks: Clocks,
    /// Nothing changes by itself any more: all oscillators are ready, and SWS is SW.
    settled: bool,
    /// Core frequency that holds whatever the program sets.
    forced_hz: Option<u64>,
    /// Time up to `since`, and the cycle count then.
    seconds: f64,
    since: u64,
}

impl Rcc {
    /// After power-on. `forced_hz` overrides the core clock.
    pub(super) fn new(forced_hz: Option<u64>) -> Self {
        let mut rcc = Self {
            regs: [0; 0x90 / 4],
            ready: [Some(0), None, None, None],
            clocks: Clocks { hclk: forced_hz.unwrap_or(HSI_HZ), apb1_divider: 1, apb2_divider: 1, pll48: 0 },
            settled: false,
            forced_hz,
            seconds: 0.0,
            since: 0,
        };
        rcc.reset(0x0e00_0000);
        rcc
    }

    /// Reset values; `cause` is what CSR says of the reset.
    fn reset(&mut self, cause: u32) {
        self.settled = false;
        self.regs = [0; 0x90 / 4];
        self.ready = [Some(0), None, None, None];
        for (offset, value) in [
            (0x00, 0x0000_0083 & !HSIRDY),
            (0x04, 0x2400_3010),
            (AHB1ENR, 0x0010_0000),
            (0x50, 0x7e67_91ff),
            (0x54, 0x0000_00f1),
            (0x58, 0x0000_0001),
            (0x60, 0x36fe_c9ff),
            (0x64, 0x0007_5f33),
            (0x74, cause),
            (0x84, 0x2000_3000),
        ] {
            self.regs[offset as usize / 4] = value;
        }
    }

    /// SYSRESETREQ: everything back to reset values at cycle `now`.
    pub(super) fn system_reset(&mut self, now: u64) {
        self.reset(0x1400_0000);
        self.update(now);
    }

    /// The frequencies now.
    pub fn clocks(&self) -> Clocks {
        self.clocks
    }

    /// Seconds from power-on to cycle `now`, with all changes of the clock.
    pub fn seconds(&self, now: u64) -> f64 {
        self.seconds + now.saturating_sub(self.since) as f64 / self.clocks.hclk as f64
    }

    /// Is the clock of a peripheral on? `gate` is the offset of its enable register and the bit.
    pub(super) fn enabled(&self, gate: (u32, u32)) -> bool {
        self.regs[gate.0 as usize / 4] >> gate.1 & 1 != 0
    }

    pub(super) fn read(&mut self, offset: u32, now: u64) -> Option<u32> {
        let value = *self.regs.get(offset as usize / 4)?;
        Some(match offset {
            0x00 => {
                let bits = [HSIRDY, HSERDY, PLLRDY, PLLI2SRDY];
                let ready = (0..4).filter(|&i| self.is_ready(i, now)).fold(0, |word, i| word | bits[i]);
                value | ready
            }
            0x08 => {
                self.update(now);
                self.regs[2]
            }
            // LSIRDY follows LSION. The board has no 32 kHz crystal: LSERDY stays 0.
            0x74 => value | (value & 1) << 1,
            _ => value,
        })
    }

    /// Returns the bits of the reset registers that were set: (offset of the enable register, bits).
    pub(super) fn write(&mut self, offset: u32, value: u32, mask: u32, now: u64) -> Option<(u32, u32)> {
        let reg = self.regs.get_mut(offset as usize / 4)?;
        self.settled = false;
        let old = *reg;
        let new = old & !mask | value & mask;
        match offset {
            0x00 => self.write_cr(old, new, now),
            0x04 => {
                // The factors are locked while the PLL runs.
                if self.regs[0] & PLLON == 0 {
                    self.regs[1] = new;
                }
            }
            0x08 => {
                self.regs[2] = new & !0xc | old & 0xc;
                self.update(now);
            }
            0x10..=0x24 => {
                self.regs[offset as usize / 4] = new;
                return Some((offset + 0x20, new & !old));
            }
            // RMVF clears the reset flags.
            0x74 if value & mask & 1 << 24 != 0 => self.regs[0x74 / 4] = new & 1,
            0x74 => self.regs[0x74 / 4] = old & !1 | new & 1,
            _ => self.regs[offset as usize / 4] = new,
        }
        None
    }

    fn is_ready(&self, oscillator: usize, now: u64) -> bool {
        self.ready[oscillator].is_some_and(|when| when <= now)
    }

    fn write_cr(&mut self, old: u32, new: u32, now: u64) {
        self.update(now);
        let (source, from_hse) = (self.regs[2] >> 2 & 3, self.regs[1] & 1 << 22 != 0);
        let pll_used = source == 2;
        // What drives the core cannot be switched off.
        let mut kept = 0;
        if source == 0 || pll_used && !from_hse {
            kept |= old & HSION;
        }
        if source == 1 || pll_used && from_hse {
            kept |= old & HSEON;
        }
        if pll_used {
            kept |= old & PLLON;
        }
        let new = (new | kept) & !(HSIRDY | HSERDY | PLLRDY | PLLI2SRDY);
        let oscillators =
            [(HSION, HSI_START_US), (HSEON, HSE_START_US), (PLLON, PLL_LOCK_US), (PLLI2SON, PLL_LOCK_US)];
        for (i, (on, microseconds)) in oscillators.into_iter().enumerate() {
            if new & on == 0 {
                self.ready[i] = None;
            } else if old & on == 0 {
                self.ready[i] = Some(now + self.clocks.hclk * microseconds / 1_000_000);
            }
        }
        self.regs[0] = new;
        self.settled = false;
    }

    /// Lets SWS follow SW once the source is ready, and works out the frequencies.
    fn update(&mut self, now: u64) {
        if self.settled {
            return;
        }
        let cfgr = self.regs[2];
        let (wanted, used) = (cfgr & 3, cfgr >> 2 & 3);
        if wanted != used && wanted < 3 && self.is_ready(wanted as usize, now) {
            self.regs[2] = cfgr & !0xc | wanted << 2;
        }
        let pllcfgr = self.regs[1];
        let input = if pllcfgr & 1 << 22 != 0 { HSE_HZ } else { HSI_HZ };
        let vco = input / u64::from(pllcfgr & 0x3f).max(1) * u64::from(pllcfgr >> 6 & 0x1ff);
        let sysclk = match self.regs[2] >> 2 & 3 {
            0 => HSI_HZ,
            1 => HSE_HZ,
            _ => vco / (2 * (u64::from(pllcfgr >> 16 & 3) + 1)),
        };
        let hpre = match self.regs[2] >> 4 & 0xf {
            n @ 8..=11 => 1 << (n - 7),
            n @ 12..=15 => 1 << (n - 6),
            _ => 1,
        };
        let apb = |bits: u32| if bits & 4 != 0 { 2 << (bits & 3) } else { 1 };
        let clocks = Clocks {
            hclk: self.forced_hz.unwrap_or(sysclk / hpre).max(1),
            apb1_divider: apb(self.regs[2] >> 10 & 7),
            apb2_divider: apb(self.regs[2] >> 13 & 7),
            pll48: if self.is_ready(2, now) { vco / u64::from(pllcfgr >> 24 & 0xf).max(1) } else { 0 },
        };
        if clocks != self.clocks {
            self.seconds = self.seconds(now);
            self.since = now;
            self.clocks = clocks;
        }
        let (wanted, used) = (self.regs[2] & 3, self.regs[2] >> 2 & 3);
        self.settled = wanted == used && self.ready.iter().flatten().all(|&when| when <= now);
    }

    /// Brings what depends on time up to date; call before the clocks are used.
    pub(super) fn refresh(&mut self, now: u64) -> Clocks {
        self.update(now);
        self.clocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Trap: SWS mirrors SW at once.
    #[test]
    fn switch_waits_until_the_source_is_ready() {
        let mut rcc = Rcc::new(None);
        rcc.write(0, HSION | HSEON, !0, 0);
        rcc.write(8, 1, !0, 0);
        assert_eq!(rcc.read(8, 10), Some(1), "HSE needs 2 ms");
        let ready = HSI_HZ * HSE_START_US / 1_000_000;
        assert_eq!(rcc.read(0, ready - 1).unwrap() & HSERDY, 0);
        assert_eq!(rcc.read(8, ready), Some(5));
        assert_eq!(rcc.clocks().hclk, HSE_HZ);
    }

    /// Trap: the PLL can be stopped while it drives the core.
    #[test]
    fn what_drives_the_core_stays_on() {
        let mut rcc = Rcc::new(None);
        rcc.write(0, HSION | HSEON, !0, 0);
        // 8 MHz / 8 * 336 / 2 = 168 MHz, Q = 7: 48 MHz
        rcc.write(4, 8 | 336 << 6 | 1 << 22 | 7 << 24, !0, 0);
        rcc.write(0, HSION | HSEON | PLLON, !0, 100_000);
        rcc.write(8, 2 | 5 << 10 | 4 << 13, !0, 200_000);
        assert_eq!(rcc.read(8, 200_000).unwrap() & 0xc, 8);
        let clocks = rcc.clocks();
        assert_eq!(clocks, Clocks { hclk: 168_000_000, apb1_divider: 4, apb2_divider: 2, pll48: 48_000_000 });
        rcc.write(0, 0, !0, 200_000);
        let cr = rcc.read(0, 200_000).unwrap();
        assert_eq!(cr & (HSION | HSEON | PLLON | PLLRDY), HSEON | PLLON | PLLRDY, "{cr:#x}");
        rcc.write(8, 0, 3, 200_000);
        rcc.write(0, 0, PLLON, 200_000);
        assert_eq!(rcc.read(0, 200_000).unwrap() & (PLLON | PLLRDY), PLLON | PLLRDY, "HSI is off: no switch");
    }

    #[test]
    fn time_adds_up_over_changes_of_the_clock() {
        let mut rcc = Rcc::new(None);
        rcc.write(8, 8 << 4, !0, HSI_HZ);
        assert_eq!(rcc.clocks().hclk, HSI_HZ / 2);
        assert!((rcc.seconds(2 * HSI_HZ) - 3.0).abs() < 1e-9);
    }
}
