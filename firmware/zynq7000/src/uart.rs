// SPDX-License-Identifier: Apache-2.0 OR MIT

//! UART1, the ZedBoard's console, as the boot loader has set it up: 115 200 baud.

use core::fmt;
use core::ptr::{read_volatile, write_volatile};

use crate::counters::cycles;

const UART1: usize = 0xe000_1000;
const STATUS: usize = UART1 + 0x2c;
const FIFO: usize = UART1 + 0x30;
const NOTHING_RECEIVED: u32 = 1 << 1;
const FULL: u32 = 1 << 4;
const EMPTY: u32 = 1 << 3;
const ACTIVE: u32 = 1 << 11;

/// The port.
pub struct Uart(());

impl Uart {
    /// The console.
    pub const fn console() -> Self {
        Self(())
    }

    /// Sends bytes; waits while the FIFO is full.
    pub fn send(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            // SAFETY: registers of UART1 (UG585, appendix B.33); a write to the FIFO has no other effect.
            unsafe {
                while read_volatile(STATUS as *const u32) & FULL != 0 {}
                write_volatile(FIFO as *mut u32, byte.into());
            }
        }
    }

    /// A byte, if one comes within that many core cycles.
    pub fn receive(&mut self, patience: u64) -> Option<u8> {
        let start = cycles();
        loop {
            // SAFETY: registers of UART1; reading the FIFO takes a byte from it.
            unsafe {
                if read_volatile(STATUS as *const u32) & NOTHING_RECEIVED == 0 {
                    return Some(read_volatile(FIFO as *const u32) as u8);
                }
            }
            if cycles() - start >= patience {
                return None;
            }
        }
    }

    /// Waits until the last byte has left.
    pub fn flush(&mut self) {
        // SAFETY: a status register.
        while unsafe { read_volatile(STATUS as *const u32) } & (EMPTY | ACTIVE) != EMPTY {}
    }
}

impl fmt::Write for Uart {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.send(text.as_bytes());
        Ok(())
    }
}
