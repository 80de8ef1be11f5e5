//! What the driver stands on.
use crate::buffer::Line;

/// A block of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// The fabric's: `hw/README.md`.
    Fabric,
    /// The AXI DMA's: PG021.
    Dma,
}

/// Registers, caches and a clock: all that differs between bare metal, an operating system and a simulation.
///
/// A platform stands for one accelerator and is not cloned.
pub trait Platform {
    /// Reads a register. `offset` is a multiple of 4 inside of the window.
    fn read(&mut self, window: Window, offset: u16) -> u32;

    /// Writes a register. Writes and reads reach the device in the order of these calls, and after all memory writes
    /// that a [`clean`](Self::clean) before has ended.
    fn write(&mut self, window: Window, offset: u16, value: u32);

    /// Writes what the processor's caches hold of these lines to where the DMA reads. On return it is there: barriers are
    /// this function's affair. Nothing but a barrier where the DMA is coherent.
    fn clean(&mut self, lines: &[Line]);

    /// Drops what the processor's caches hold of these lines: what is read next comes from where the DMA wrote. Barriers
    /// as for [`clean`](Self::clean).
    fn invalidate(&mut self, lines: &mut [Line]);

    /// Where the DMA finds these lines, or `None` if it does not reach them.
    fn bus_address(&self, lines: &[Line]) -> Option<u32>;

    /// A clock that never goes back and does not stop, in ticks since any moment.
    fn now(&mut self) -> u64;

    /// Ticks in a microsecond, 1 or more.
    fn ticks_per_microsecond(&self) -> u32;

    /// Called between two looks at a register that is waited for. May sleep until an interrupt of the fabric or the DMA,
    /// but not for ever: time-outs are found after it. Returns at once unless overridden.
    fn pause(&mut self) {}

    /// Whether [`pause`](Self::pause) sleeps, so that the DMA shall raise interrupts. They are acknowledged when the wait ends.
    fn sleeps(&self) -> bool {
        false
    }
}
