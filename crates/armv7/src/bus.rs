// SPDX-License-Identifier: Apache-2.0 OR MIT

//! What a board adds to the core: peripherals, their interrupts and their time.

use crate::memory::Memory;

/// Width of a bus access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// 8 bits.
    Byte,
    /// 16 bits.
    Half,
    /// 32 bits.
    Word,
}

impl Size {
    /// Bytes of the access: 1, 2 or 4.
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Byte => 1,
            Self::Half => 2,
            Self::Word => 4,
        }
    }
}

/// Splits what is not aligned into pieces that are.
pub(crate) fn pieces(address: u32, bytes: u32) -> impl Iterator<Item = (u32, Size, u32)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        if done == bytes {
            return None;
        }
        let at = address.wrapping_add(done);
        let left = bytes - done;
        let size = if at & 3 == 0 && left >= 4 {
            Size::Word
        } else if at & 1 == 0 && left >= 2 {
            Size::Half
        } else {
            Size::Byte
        };
        let piece = (at, size, 8 * done);
        done += size.bytes();
        Some(piece)
    })
}

/// The peripheral does not answer or answers with an error: the core takes a BusFault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusError;

/// The peripherals of a board: everything at addresses that are neither in [`Memory`] nor the core's own.
///
/// Addresses are multiples of the size, except that a bit-band alias is resolved before.
pub trait Bus {
    /// A load. The low bits of the result count.
    fn read(&mut self, address: u32, size: Size, cx: &mut Context<'_>) -> Result<u32, BusError>;

    /// A store of the low bits of `value`. Stores to flash come here too.
    fn write(&mut self, address: u32, size: Size, value: u32, cx: &mut Context<'_>) -> Result<(), BusError>;

    /// Called when the time of [`Context::wake_at`] has come, between two instructions.
    fn event(&mut self, _cx: &mut Context<'_>) {}

    /// A word, halfword or byte written to an enabled ITM stimulus port: the trace output of the chip.
    fn itm(&mut self, _port: u8, _size: Size, _value: u32) {}

    /// SYSRESETREQ was written to AIRCR; the core resets itself after this call.
    fn reset(&mut self, _cx: &mut Context<'_>) {}
}

/// What a peripheral may see and do during an access.
pub struct Context<'a> {
    /// Core cycles since power-on.
    pub now: u64,
    /// RAM and flash: for flash controllers, DMA and remapping.
    pub memory: &'a mut Memory,
    pub(crate) lines: &'a mut Lines,
    /// Cycles that this access takes beyond the first: add wait states of the peripheral's bus here.
    pub stall: u32,
}

impl Context<'_> {
    /// Pends interrupt `line` (0..240), as a pulse on it does. Lines the core does not have are ignored.
    pub fn pend(&mut self, line: u32) {
        self.lines.pulse(line);
    }

    /// Sets the level of interrupt `line`. While it is high the interrupt becomes pending again after its handler.
    pub fn set_level(&mut self, line: u32, high: bool) {
        self.lines.set_level(line, high);
    }

    /// Asks for [`Bus::event`] at cycle `when` (at once if that is past). Only the last request counts.
    pub fn wake_at(&mut self, when: u64) {
        self.lines.changed |= self.lines.wake != when;
        self.lines.wake = when;
    }

    /// Promises for a read that the value stays until the event that [`wake_at`](Self::wake_at) has asked for, or a write.
    /// Loops that wait for it are then fast.
    pub fn steady(&mut self) {
        self.lines.steady = true;
    }

    /// Makes the run end with [`Stop::Requested`](crate::Stop::Requested) after this instruction.
    pub fn stop(&mut self) {
        self.lines.stop = true;
        self.lines.changed = true;
    }
}

/// Interrupt lines and requests from the board to the core.
pub(crate) struct Lines {
    /// Levels of lines 0..240, 32 a word.
    pub level: [u32; 8],
    /// Pulses since the core last looked.
    pub pulse: [u32; 8],
    pub wake: u64,
    /// The last read was of a register that changes at events only.
    pub steady: bool,
    pub stop: bool,
    pub changed: bool,
}

impl Lines {
    pub(crate) fn new() -> Self {
        Self { level: [0; 8], pulse: [0; 8], wake: u64::MAX, steady: false, stop: false, changed: false }
    }

    pub(crate) fn pulse(&mut self, line: u32) {
        if let Some(word) = self.pulse.get_mut(line as usize / 32) {
            *word |= 1 << (line % 32);
            self.changed = true;
        }
    }

    pub(crate) fn set_level(&mut self, line: u32, high: bool) {
        if let Some(word) = self.level.get_mut(line as usize / 32) {
            let new = *word & !(1 << (line % 32)) | u32::from(high) << (line % 32);
            self.changed |= *word != new;
            *word = new;
        }
    }
}
