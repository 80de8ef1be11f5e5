// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Core cycles, and the clocks as the boot loader has set them.

use core::ptr::read_volatile;

use crate::startup;

/// Low word of the global timer, which counts half the core's clock. UG585, appendix B, "mpcore".
const TIMER: usize = 0xf8f0_0200;

/// PS_CLK of a ZedBoard, in Hz.
const CRYSTAL: u32 = 33_333_333;
// Registers of the SLCR. UG585, appendix B.28.
const ARM_PLL: usize = 0xf800_0100;
const DDR_PLL: usize = 0xf800_0104;
const IO_PLL: usize = 0xf800_0108;
const ARM_CLK: usize = 0xf800_0120;
const FPGA0_CLK: usize = 0xf800_0170;

fn register(address: usize) -> u32 {
    // SAFETY: registers of the chip that can be read without an effect.
    unsafe { read_volatile(address as *const u32) }
}

/// Core cycles since the start: the PMU's counter, with what its 32 bits lack taken from the global timer.
#[inline(always)]
pub fn cycles() -> u64 {
    let timer = loop {
        // The high word may change between the two reads.
        let (high, low) = (register(TIMER + 4), register(TIMER));
        if register(TIMER + 4) == high {
            break u64::from(high) << 32 | u64::from(low);
        }
    };
    let counter = startup::cycles();
    let about = 2 * timer;
    // Both began within a few thousand cycles of each other.
    about.wrapping_add_signed(i64::from(counter.wrapping_sub(about as u32).cast_signed()))
}

/// Frequency of a PLL in Hz.
fn pll(control: usize) -> u32 {
    CRYSTAL * (register(control) >> 12 & 0x7f)
}

/// The core's clock in MHz.
pub fn core_mhz() -> u32 {
    let control = register(ARM_CLK);
    let source = match control >> 4 & 3 {
        2 => DDR_PLL,
        3 => IO_PLL,
        _ => ARM_PLL,
    };
    mhz(pll(source), control >> 8 & 0x3f)
}

/// The fabric's clock, FCLK0, in MHz.
pub fn fabric_mhz() -> u32 {
    let control = register(FPGA0_CLK);
    let source = match control >> 4 & 3 {
        2 => ARM_PLL,
        3 => DDR_PLL,
        _ => IO_PLL,
    };
    mhz(pll(source), (control >> 8 & 0x3f) * (control >> 20 & 0x3f))
}

fn mhz(pll: u32, divisor: u32) -> u32 {
    (pll / divisor.max(1)).saturating_add(500_000) / 1_000_000
}
