// SPDX-License-Identifier: Apache-2.0 OR MIT

//! System-level control registers: clocks, resets, level shifters (UG585, appendix B.28).

/// PS_CLK of a ZedBoard.
pub(super) const PS_CLK: u64 = 33_333_333;
const LOCK_KEY: u32 = 0x767b;
const UNLOCK_KEY: u32 = 0xdf0d;

const ARM_PLL: usize = 0x100;
const DDR_PLL: usize = 0x104;
const IO_PLL: usize = 0x108;
const ARM_CLK: usize = 0x120;
const UART_CLK: usize = 0x154;
const FPGA0_CLK: usize = 0x170;
const FPGA_RST: usize = 0x240;
const LVL_SHFTR: usize = 0x900;
const OCM_CFG: usize = 0x910;

/// The registers, as words.
pub(super) struct Slcr {
    words: Vec<u32>,
    locked: bool,
    /// Writes that were dropped because of the lock.
    pub dropped: u64,
}

/// Values out of reset.
const RESET: [(usize, u32); 20] = [
    (ARM_PLL, 0x0001_a008),
    (DDR_PLL, 0x0001_a008),
    (IO_PLL, 0x0001_a008),
    (0x10c, 0x3f),
    (0x110, 0x0017_7ea0),
    (0x114, 0x0017_7ea0),
    (0x118, 0x0017_7ea0),
    (ARM_CLK, 0x1f00_0400),
    (0x124, 0x1840_0003),
    (0x12c, 0x01ff_cccd),
    (UART_CLK, 0x0000_3f03),
    (FPGA0_CLK, 0x0010_1800),
    (0x178, 1),
    (0x180, 0x0010_1800),
    (0x190, 0x0010_1800),
    (0x1a0, 0x0010_1800),
    (0x1c4, 1),
    (FPGA_RST, 0x01f3_3f0f),
    (0x258, 0x40),
    // XC7Z020
    (0x530, 0x1372_7093),
];

impl Slcr {
    /// The registers out of reset, or as a first-stage boot loader with the ZedBoard's preset leaves them: 666.67 MHz, the
    /// PL running at `pl_hz` behind open level shifters.
    pub(super) fn new(booted: bool, pl_hz: u64) -> Self {
        let mut slcr = Self { words: vec![0; 0x400], locked: true, dropped: 0 };
        for (offset, value) in RESET {
            slcr.words[offset / 4] = value;
        }
        slcr.words[0x00c / 4] = 1;
        if booted {
            // ARM PLL 33.33 * 40 = 1333.3 MHz, half of it for the cores
            slcr.words[ARM_PLL / 4] = 40 << 12 | 8;
            slcr.words[DDR_PLL / 4] = 32 << 12 | 8;
            slcr.words[ARM_CLK / 4] = 0x1f00_0200;
            slcr.words[FPGA_RST / 4] = 0;
            slcr.words[LVL_SHFTR / 4] = 15;
            slcr.words[OCM_CFG / 4] = 0x18;
            slcr.set_pl_clock(pl_hz);
        }
        slcr
    }

    /// Chooses the IO PLL's multiplier and the divisor of FCLK0 that come nearest to `hz`; 100 MHz for the UARTs stay.
    fn set_pl_clock(&mut self, hz: u64) {
        // 1000 and 1500 MHz: multiplier, divisor of the UARTs
        let candidates = [(30, 10), (45, 15)];
        let best = candidates
            .into_iter()
            .flat_map(|(multiplier, uart)| (1..64u32).map(move |divisor| (multiplier, uart, divisor)))
            .min_by_key(|&(multiplier, _, divisor)| {
                (PS_CLK * u64::from(multiplier) / u64::from(divisor)).abs_diff(hz)
            });
        if let Some((multiplier, uart, divisor)) = best {
            self.words[IO_PLL / 4] = multiplier << 12 | 8;
            self.words[UART_CLK / 4] = uart << 8 | 3;
            self.words[FPGA0_CLK / 4] = 1 << 20 | divisor << 8;
        }
    }

    fn word(&self, offset: usize) -> u32 {
        self.words[offset / 4]
    }

    fn pll(&self, offset: usize) -> u64 {
        let control = self.word(offset);
        // Bypassed or in reset
        if control & 0x11 != 0 { PS_CLK } else { PS_CLK * u64::from(control >> 12 & 0x7f) }
    }

    /// CPU_6x4x: the clock of the cores.
    pub(super) fn cpu_hz(&self) -> u64 {
        let control = self.word(ARM_CLK);
        let source = match control >> 4 & 3 {
            2 => self.pll(DDR_PLL),
            3 => self.pll(IO_PLL),
            _ => self.pll(ARM_PLL),
        };
        (source / u64::from(control >> 8 & 0x3f).max(1)).max(1)
    }

    fn peripheral(&self, control: u32, divisor: u64) -> u64 {
        let source = match control >> 4 & 3 {
            2 => self.pll(ARM_PLL),
            3 => self.pll(DDR_PLL),
            _ => self.pll(IO_PLL),
        };
        source / divisor.max(1)
    }

    /// FCLK0: the clock of the PL.
    pub(super) fn pl_hz(&self) -> u64 {
        let control = self.word(FPGA0_CLK);
        self.peripheral(
            control,
            u64::from(control >> 8 & 0x3f).max(1) * u64::from(control >> 20 & 0x3f).max(1),
        )
        .max(1)
    }

    /// The reference clock of both UARTs; 0 if it is off for this one.
    pub(super) fn uart_hz(&self, n: usize) -> u64 {
        let control = self.word(UART_CLK);
        if control >> n & 1 == 0 { 0 } else { self.peripheral(control, u64::from(control >> 8 & 0x3f)) }
    }

    /// FPGA_RST_CTRL.FPGA0_OUT_RST: the logic is held in reset.
    pub(super) fn pl_reset(&self) -> bool {
        self.word(FPGA_RST) & 1 != 0
    }

    /// Why nothing in the PL can answer, if so.
    pub(super) fn pl_closed(&self) -> Option<&'static str> {
        if self.word(LVL_SHFTR) & 15 != 15 {
            Some("the level shifters between PS and PL are off (SLCR LVL_SHFTR_EN)")
        } else if self.pl_reset() {
            Some("the PL is held in reset (SLCR FPGA_RST_CTRL)")
        } else {
            None
        }
    }

    /// OCM_CFG.RAM_HI.
    pub(super) fn ocm_high(&self) -> u32 {
        self.word(OCM_CFG) & 15
    }

    pub(super) fn set_ocm_high(&mut self, blocks: u32) {
        self.words[OCM_CFG / 4] = 0x10 | blocks;
    }

    pub(super) fn read(&self, offset: u32) -> u32 {
        match offset {
            0x00c => self.locked.into(),
            _ => self.words.get(offset as usize / 4).copied().unwrap_or(0),
        }
    }

    /// Writes a register. True if clocks, resets or memory maps may have changed.
    pub(super) fn write(&mut self, offset: u32, value: u32) -> bool {
        match offset {
            0x004 if value & 0xffff == LOCK_KEY => self.locked = true,
            0x008 if value & 0xffff == UNLOCK_KEY => self.locked = false,
            0x000..=0x00c => {}
            // Read-only
            0x10c | 0x530 => {}
            _ if self.locked => self.dropped += 1,
            _ => {
                if let Some(word) = self.words.get_mut(offset as usize / 4) {
                    *word = value;
                    return true;
                }
            }
        }
        false
    }
}
