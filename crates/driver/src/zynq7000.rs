//! Bare metal on a Zynq-7000: registers behind M_AXI_GP0, the caches of a Cortex-A9 and its PL310, the global timer.
//!
//! Addresses are physical ones: the MMU maps registers and buffers where they are. Registers are mapped as device memory or
//! strongly ordered, so that accesses keep their order. The DMA is on S_AXI_HP0 and goes round the caches.
//!
//! This module has `unsafe` code, because registers are addresses and cache maintenance is instructions. It is sound as
//! [`Zynq7000::new`] is promised that these addresses are what they are said to be, and as maintenance is done on
//! lines that the caller has as a slice.
#![allow(unsafe_code)]

use core::arch::asm;
use core::ptr::{read_volatile, with_exposed_provenance_mut, write_volatile};

use crate::buffer::Line;
use crate::platform::{Platform, Window};

/// Where the design of `hw/vivado/zedboard.tcl` has the fabric's registers.
pub const FABRIC: usize = 0x43c0_0000;
/// Where it has the DMA's.
pub const DMA: usize = 0x4040_0000;

/// The PL310, level 2. UG585, appendix B, "L2 cache".
const L2: usize = 0xf8f0_2000;
const SYNC: usize = 0x730;
const INVALIDATE_BY_ADDRESS: usize = 0x770;
const CLEAN_BY_ADDRESS: usize = 0x7b0;

/// The global timer: low and high word, at half the clock of the processor. UG585, appendix B, "mpcore".
const TIMER: usize = 0xf8f0_0200;

/// Memory that S_AXI_HP0 reaches on a ZedBoard: 512 MB of DDR, and the OCM mapped high.
const REACHED: [core::ops::Range<usize>; 2] = [0..0x2000_0000, 0xfffc_0000..0xffff_ffff];

/// The platform.
#[derive(Debug)]
pub struct Zynq7000 {
    ticks_per_microsecond: u32,
}

fn register(address: usize) -> *mut u32 {
    with_exposed_provenance_mut(address)
}

fn barrier() {
    // SAFETY: waits for memory accesses and maintenance to end, and for the compiler not to move any over it.
    unsafe { asm!("dsb sy", options(nostack, preserves_flags)) }
}

/// Writes a register of the PL310.
fn level_2(offset: usize, value: u32) {
    // SAFETY: a register, by the promise of `Zynq7000::new`.
    unsafe { write_volatile(register(L2 + offset), value) }
}

impl Zynq7000 {
    /// The accelerator of the design at [`FABRIC`] and [`DMA`]. `cpu_mhz` is the clock of the processor.
    ///
    /// # Safety
    /// The program runs on a Zynq-7000 with that design and its clock running, in a privileged mode, with memory mapped as
    /// this module says; this is the only value for it; and the global timer runs.
    pub unsafe fn new(cpu_mhz: u32) -> Self {
        Self { ticks_per_microsecond: cpu_mhz.div_ceil(2).max(1) }
    }

    fn address(window: Window, offset: u16) -> *mut u32 {
        let base = match window {
            Window::Fabric => FABRIC,
            Window::Dma => DMA,
        };
        register(base + usize::from(offset))
    }
}

impl Platform for Zynq7000 {
    fn read(&mut self, window: Window, offset: u16) -> u32 {
        // SAFETY: a register, by the promise of `new`.
        unsafe { read_volatile(Self::address(window, offset)) }
    }

    fn write(&mut self, window: Window, offset: u16, value: u32) {
        // SAFETY: a register, by the promise of `new`.
        unsafe { write_volatile(Self::address(window, offset), value) }
    }

    fn clean(&mut self, lines: &[Line]) {
        for line in lines {
            // SAFETY: DCCMVAC writes a line back and changes nothing that a program sees.
            unsafe { asm!("mcr p15, 0, {}, c7, c10, 1", in(reg) line, options(nostack, preserves_flags)) }
        }
        // Level 1 before level 2, and all of it before the register write that starts the DMA.
        barrier();
        for line in lines {
            level_2(CLEAN_BY_ADDRESS, core::ptr::from_ref(line).addr() as u32);
        }
        level_2(SYNC, 0);
        barrier();
    }

    fn invalidate(&mut self, lines: &mut [Line]) {
        barrier();
        // Level 2 before level 1: a line of level 1 is not to be filled from a stale one of level 2 in between.
        for line in &*lines {
            level_2(INVALIDATE_BY_ADDRESS, core::ptr::from_ref(line).addr() as u32);
        }
        level_2(SYNC, 0);
        barrier();
        for line in lines {
            // SAFETY: DCIMVAC drops a line that is the caller's to write, so whatever is in memory may become its value.
            unsafe { asm!("mcr p15, 0, {}, c7, c6, 1", in(reg) line, options(nostack, preserves_flags)) }
        }
        barrier();
    }

    fn bus_address(&self, lines: &[Line]) -> Option<u32> {
        let address = lines.as_ptr().addr();
        let end = address.checked_add(size_of_val(lines))?;
        REACHED.iter().any(|range| range.start <= address && end <= range.end).then_some(address as u32)
    }

    fn now(&mut self) -> u64 {
        // The high word may change between the two reads.
        loop {
            // SAFETY: registers, by the promise of `new`.
            let (high, low, again) = unsafe {
                let [low, high] = [register(TIMER), register(TIMER + 4)];
                (read_volatile(high), read_volatile(low), read_volatile(high))
            };
            if high == again {
                return u64::from(high) << 32 | u64::from(low);
            }
        }
    }

    fn ticks_per_microsecond(&self) -> u32 {
        self.ticks_per_microsecond
    }
}
