// SPDX-License-Identifier: Apache-2.0 OR MIT

//! SEGGER RTT: output through a ring buffer in RAM that the host empties. The console
//! decodes defmt.

use pqsoc_armv7::Memory;

use crate::console::{Channel, Console};
use crate::program::Program;

/// Name of the control block's symbol.
const SYMBOL: &str = "_SEGGER_RTT";
/// Its first bytes, once the program has set it up.
const MAGIC: &[u8; 16] = b"SEGGER RTT\0\0\0\0\0\0";
/// Cycles between two looks: a millisecond or less.
const INTERVAL: u64 = 20_000;
/// Mode of a channel that blocks when it is full: set by the host that reads it.
const BLOCK_IF_FULL: u32 = 2;

/// Reads up-channel 0.
pub(crate) struct Rtt {
    control_block: u32,
    blocking: bool,
}

impl Rtt {
    /// Finds the control block of a program that has one.
    pub(crate) fn find(program: &Program) -> Option<Self> {
        let control_block = program.symbols.object(SYMBOL)?.address;
        Some(Self { control_block, blocking: false })
    }

    /// Cycles between two looks.
    pub(crate) fn interval(&self) -> u64 {
        INTERVAL
    }

    /// Empties the buffer.
    pub(crate) fn poll(&mut self, memory: &mut Memory, console: &mut Console) {
        if let Some(bytes) = self.take(memory) {
            console.write(Channel::Rtt, &bytes);
        }
    }

    /// What is in the buffer; `None` if that is nothing or the program has not set it up yet.
    fn take(&mut self, memory: &mut Memory) -> Option<Vec<u8>> {
        let mut header = [0; 24];
        memory.read(self.control_block, &mut header).ok()?;
        let channels = u32::from_le_bytes([header[16], header[17], header[18], header[19]]);
        if &header[..16] != MAGIC || channels == 0 {
            return None;
        }
        // Name, buffer, size, write offset, read offset, flags.
        let channel = self.control_block + 24;
        let mut words = [[0; 4]; 6];
        memory.read(channel, words.as_flattened_mut()).ok()?;
        let [_, buffer, size, write, read, flags] = words.map(u32::from_le_bytes);
        if !self.blocking {
            self.blocking = true;
            memory.write(channel + 20, &(flags & !3 | BLOCK_IF_FULL).to_le_bytes()).ok()?;
        }
        if write >= size || read >= size || size > 1 << 20 || write == read {
            return None;
        }
        let mut ring = vec![0; size as usize];
        memory.read(buffer, &mut ring).ok()?;
        let (write_at, read_at) = (write as usize, read as usize);
        let bytes = if write >= read {
            ring[read_at..write_at].to_vec()
        } else {
            [&ring[read_at..], &ring[..write_at]].concat()
        };
        memory.write(channel + 16, &write.to_le_bytes()).ok()?;
        Some(bytes)
    }
}
