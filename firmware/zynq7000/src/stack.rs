// SPDX-License-Identifier: Apache-2.0 OR MIT

//! How deep the stack gets: what is below it is painted, and looked at later.

use core::arch::asm;

/// Words that nothing has written to hold this.
const PAINT: u32 = 0x5afe_57ac;
/// Bytes below the stack pointer that painting itself may use.
const MARGIN: usize = 256;
/// Bytes that are painted at most: more than any scheme here uses.
const REACH: usize = 512 << 10;

unsafe extern "C" {
    /// The lowest address of the stack, from the linker script.
    static __stack_limit: u32;
}

/// The stack pointer.
#[inline(always)]
pub fn pointer() -> usize {
    let pointer: usize;
    // SAFETY: reads a register.
    unsafe { asm!("mov {}, sp", out(reg) pointer, options(nomem, nostack, preserves_flags)) };
    pointer
}

/// Addresses of the unused stack below `from`, lowest first.
fn unused(from: usize) -> impl Iterator<Item = *mut u32> {
    let lowest = (&raw const __stack_limit) as usize;
    let first = lowest.max(from.saturating_sub(REACH)).next_multiple_of(4);
    (first..from - MARGIN).step_by(4).map(|address| address as *mut u32)
}

/// Fills the unused stack below the stack pointer `from`.
#[inline(never)]
pub fn paint(from: usize) {
    for word in unused(from) {
        // SAFETY: the words lie between the stack's end and the part in use: nothing else owns them.
        unsafe { word.write_volatile(PAINT) };
    }
}

/// Bytes below `from` that have been written to since [`paint`]; [`MARGIN`] or less shows as `MARGIN`.
#[inline(never)]
pub fn painted_depth(from: usize) -> usize {
    // SAFETY: as for painting.
    let written = unused(from).find(|&word| unsafe { word.read_volatile() } != PAINT);
    written.map_or(MARGIN, |word| from - word as usize)
}
