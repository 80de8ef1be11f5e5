// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Memory map of the STM32F407VG (RM0090 chapter 2): memories, and the blocks at peripheral addresses.

use pqsoc_armv7::{Kind, Region};

use super::clock::{AHB1ENR, AHB2ENR, AHB3ENR, APB1ENR, APB2ENR};
use super::flash;

/// Names of the regions, for [`Memory::alias`](pqsoc_armv7::Memory::alias) and messages.
pub(super) const FLASH: &str = "flash";
pub(super) const SRAM1: &str = "SRAM1";
/// Loads from here start more slowly, so a stack here costs time.
pub(super) const SRAM2: &str = "SRAM2";
pub(super) const SYSTEM: &str = "system memory";

/// SRAM1 and SRAM2 together.
pub(super) const SRAM_KB: u32 = 128;
/// As much as the bit-band alias covers.
const MOST_SRAM_KB: u32 = 1024;

/// The memories with `sram_kb` of SRAM: the chip's own, or more to see what a program would need.
pub(super) fn regions(sram_kb: u32) -> [Region; 5] {
    let mut regions = REGIONS;
    regions[2].size = (sram_kb.clamp(SRAM_KB, MOST_SRAM_KB).next_multiple_of(4) - 112) << 10;
    regions
}

/// Memory that the core reaches directly. The system memory holds identification only: its boot loader is ST's.
const REGIONS: [Region; 5] = [
    Region { name: FLASH, base: flash::BASE, size: flash::SIZE, kind: Kind::Flash },
    Region { name: SRAM1, base: 0x2000_0000, size: 112 << 10, kind: Kind::Ram { execute: true } },
    Region { name: SRAM2, base: 0x2001_c000, size: 16 << 10, kind: Kind::Ram { execute: true } },
    // On the core's data bus only: never executed, out of DMA's reach.
    Region { name: "CCM", base: 0x1000_0000, size: 64 << 10, kind: Kind::Ram { execute: false } },
    Region { name: SYSTEM, base: 0x1fff_0000, size: 32 << 10, kind: Kind::Flash },
];

/// 96-bit unique identifier: any value will do.
pub(super) const UNIQUE_ID: (u32, [u8; 12]) = (0x1fff_7a10, *b"pqsoc virtua");
/// Size of the flash in KB, 16 bits.
pub(super) const FLASH_SIZE: (u32, [u8; 2]) = (0x1fff_7a22, 1024u16.to_le_bytes());

/// A block of registers.
pub(super) struct Block {
    pub(super) name: &'static str,
    pub(super) base: u32,
    pub(super) size: u32,
    /// Enable register (offset in RCC) and bit; none if the block has a clock always.
    pub(super) gate: Option<(u32, u32)>,
    /// Reset values that are not 0, by offset: for blocks that are not modelled.
    pub(super) reset: &'static [(u32, u32)],
}

const SPI: &[(u32, u32)] = &[(0x08, 0x0002), (0x10, 0x0007), (0x20, 0x0010)];
const I2C: &[(u32, u32)] = &[(0x20, 0x0002)];
const CAN: &[(u32, u32)] = &[(0x00, 0x0001_0002), (0x04, 0x0c02), (0x08, 0x1c00_0000), (0x200, 0x2a1c_0e01)];
const DMA: &[(u32, u32)] = &[
    (0x24, 0x21),
    (0x3c, 0x21),
    (0x54, 0x21),
    (0x6c, 0x21),
    (0x84, 0x21),
    (0x9c, 0x21),
    (0xb4, 0x21),
    (0xcc, 0x21),
];
const OTG: &[(u32, u32)] =
    &[(0x00, 0x0800), (0x0c, 0x0a00), (0x10, 0x2000_0000), (0x14, 0x0400_0020), (0x24, 0x0200)];

const fn block(
    name: &'static str,
    base: u32,
    size: u32,
    gate: Option<(u32, u32)>,
    reset: &'static [(u32, u32)],
) -> Block {
    Block { name, base, size, gate, reset }
}

const fn apb1(name: &'static str, base: u32, bit: u32, reset: &'static [(u32, u32)]) -> Block {
    block(name, base, 0x400, Some((APB1ENR, bit)), reset)
}

const fn apb2(name: &'static str, base: u32, bit: u32, reset: &'static [(u32, u32)]) -> Block {
    block(name, base, 0x400, Some((APB2ENR, bit)), reset)
}

const fn ahb1(name: &'static str, base: u32, bit: u32, reset: &'static [(u32, u32)]) -> Block {
    block(name, base, 0x400, Some((AHB1ENR, bit)), reset)
}

/// All blocks by address. What lies between them is reserved and answers with a bus error.
pub(super) const BLOCKS: &[Block] = &[
    apb1("TIM2", 0x4000_0000, 0, &[]),
    apb1("TIM3", 0x4000_0400, 1, &[]),
    apb1("TIM4", 0x4000_0800, 2, &[]),
    apb1("TIM5", 0x4000_0c00, 3, &[]),
    apb1("TIM6", 0x4000_1000, 4, &[(0x2c, 0xffff)]),
    apb1("TIM7", 0x4000_1400, 5, &[(0x2c, 0xffff)]),
    apb1("TIM12", 0x4000_1800, 6, &[(0x2c, 0xffff)]),
    apb1("TIM13", 0x4000_1c00, 7, &[(0x2c, 0xffff)]),
    apb1("TIM14", 0x4000_2000, 8, &[(0x2c, 0xffff)]),
    block(
        "RTC",
        0x4000_2800,
        0x400,
        None,
        &[(0x04, 0x2101), (0x0c, 0x07), (0x10, 0x007f_00ff), (0x14, 0xffff)],
    ),
    apb1("WWDG", 0x4000_2c00, 11, &[(0x00, 0x7f), (0x04, 0x7f)]),
    block("IWDG", 0x4000_3000, 0x400, None, &[(0x08, 0x0fff)]),
    apb1("I2S2ext", 0x4000_3400, 14, SPI),
    apb1("SPI2", 0x4000_3800, 14, SPI),
    apb1("SPI3", 0x4000_3c00, 15, SPI),
    apb1("I2S3ext", 0x4000_4000, 15, SPI),
    apb1("USART2", 0x4000_4400, 17, &[]),
    apb1("USART3", 0x4000_4800, 18, &[]),
    apb1("UART4", 0x4000_4c00, 19, &[]),
    apb1("UART5", 0x4000_5000, 20, &[]),
    apb1("I2C1", 0x4000_5400, 21, I2C),
    apb1("I2C2", 0x4000_5800, 22, I2C),
    apb1("I2C3", 0x4000_5c00, 23, I2C),
    apb1("CAN1", 0x4000_6400, 25, CAN),
    apb1("CAN2", 0x4000_6800, 26, CAN),
    apb1("PWR", 0x4000_7000, 28, &[]),
    apb1("DAC", 0x4000_7400, 29, &[]),
    apb2("TIM1", 0x4001_0000, 0, &[(0x2c, 0xffff)]),
    apb2("TIM8", 0x4001_0400, 1, &[(0x2c, 0xffff)]),
    apb2("USART1", 0x4001_1000, 4, &[]),
    apb2("USART6", 0x4001_1400, 5, &[]),
    apb2("ADC", 0x4001_2000, 8, &[(0x24, 0x0fff), (0x124, 0x0fff), (0x224, 0x0fff)]),
    apb2("SDIO", 0x4001_2c00, 11, &[]),
    apb2("SPI1", 0x4001_3000, 12, SPI),
    apb2("SYSCFG", 0x4001_3800, 14, &[]),
    block("EXTI", 0x4001_3c00, 0x400, None, &[]),
    apb2("TIM9", 0x4001_4000, 16, &[(0x2c, 0xffff)]),
    apb2("TIM10", 0x4001_4400, 17, &[(0x2c, 0xffff)]),
    apb2("TIM11", 0x4001_4800, 18, &[(0x2c, 0xffff)]),
    ahb1("GPIOA", 0x4002_0000, 0, &[]),
    ahb1("GPIOB", 0x4002_0400, 1, &[]),
    ahb1("GPIOC", 0x4002_0800, 2, &[]),
    ahb1("GPIOD", 0x4002_0c00, 3, &[]),
    ahb1("GPIOE", 0x4002_1000, 4, &[]),
    ahb1("GPIOF", 0x4002_1400, 5, &[]),
    ahb1("GPIOG", 0x4002_1800, 6, &[]),
    ahb1("GPIOH", 0x4002_1c00, 7, &[]),
    ahb1("GPIOI", 0x4002_2000, 8, &[]),
    ahb1("CRC", 0x4002_3000, 12, &[]),
    block("RCC", 0x4002_3800, 0x400, None, &[]),
    block("FLASH", 0x4002_3c00, 0x400, None, &[]),
    block("BKPSRAM", 0x4002_4000, 0x1000, Some((AHB1ENR, 18)), &[]),
    ahb1("DMA1", 0x4002_6000, 21, DMA),
    ahb1("DMA2", 0x4002_6400, 22, DMA),
    block(
        "Ethernet",
        0x4002_8000,
        0x1400,
        Some((AHB1ENR, 25)),
        &[(0x00, 0x8000), (0x700, 0x2000), (0x1000, 0x2101)],
    ),
    block("OTG_HS", 0x4004_0000, 0x4_0000, Some((AHB1ENR, 29)), OTG),
    block("OTG_FS", 0x5000_0000, 0x4_0000, Some((AHB2ENR, 7)), OTG),
    block("DCMI", 0x5005_0000, 0x400, Some((AHB2ENR, 0)), &[]),
    block("RNG", 0x5006_0800, 0x400, Some((AHB2ENR, 6)), &[]),
    block("FSMC", 0xa000_0000, 0x1000, Some((AHB3ENR, 0)), &[(0x00, 0x30db), (0x04, 0x0fff_ffff)]),
    block("DBGMCU", 0xe004_2000, 0x400, None, &[]),
];

/// Index into [`BLOCKS`] of the block that `address` lies in.
pub(super) fn block_at(address: u32) -> Option<usize> {
    let index = BLOCKS.partition_point(|b| b.base <= address).checked_sub(1)?;
    (address - BLOCKS[index].base < BLOCKS[index].size).then_some(index)
}

/// The block that bit `bit` of the enable register at `offset` belongs to.
pub(super) fn gated_by(offset: u32, bit: u32) -> impl Iterator<Item = usize> {
    BLOCKS.iter().enumerate().filter(move |(_, b)| b.gate == Some((offset, bit))).map(|(i, _)| i)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_sorted_and_apart() {
        for pair in BLOCKS.windows(2) {
            assert!(pair[0].base + pair[0].size <= pair[1].base, "{} {}", pair[0].name, pair[1].name);
        }
        assert_eq!(block_at(0x4000_47ff).map(|i| BLOCKS[i].name), Some("USART2"));
        assert!(block_at(0x4000_6000).is_none());
        assert!(block_at(0x3fff_ffff).is_none());
    }
}
