// SPDX-License-Identifier: Apache-2.0 OR MIT

//! A UART of the PS (Cadence, XUartPs): the transmitter with its FIFO of 64 bytes and the time that a byte takes; the
//! receiver gets what is sent to it at once.

use std::collections::VecDeque;

const FIFO: usize = 64;
/// Start, eight data bits, stop.
const BITS: u64 = 10;

const TX_ENABLE: u32 = 1 << 4;
const TX_DISABLE: u32 = 1 << 5;
const RX_ENABLE: u32 = 1 << 2;
const RX_DISABLE: u32 = 1 << 3;

pub(super) struct Uart {
    control: u32,
    mode: u32,
    mask: u32,
    status: u32,
    baud: u32,
    divider: u32,
    receive_trigger: u32,
    transmit_trigger: u32,
    timeout: u32,
    /// Cycle at which the last byte put in has left.
    free_at: u64,
    input: VecDeque<u8>,
}

impl Uart {
    /// Out of reset, or as a boot loader leaves it: 115 200 baud.
    pub(super) fn new(booted: bool) -> Self {
        Self {
            control: if booted { 0x114 } else { 0x128 },
            mode: if booted { 0x20 } else { 0 },
            mask: 0,
            status: 0,
            baud: if booted { 0x7c } else { 0x28b },
            divider: if booted { 6 } else { 15 },
            receive_trigger: 32,
            transmit_trigger: 32,
            timeout: 0,
            free_at: 0,
            input: VecDeque::new(),
        }
    }

    /// Makes bytes arrive.
    pub(super) fn send(&mut self, bytes: &[u8]) {
        self.input.extend(bytes);
    }

    /// Core cycles that a byte takes; 0 if the clock is off.
    fn byte_time(&self, cpu_hz: u64, uart_hz: u64) -> u64 {
        let divisor = u64::from(self.baud.max(1)) * u64::from(self.divider + 1);
        if uart_hz == 0 {
            0
        } else {
            (cpu_hz as u128 * u128::from(BITS * divisor) / u128::from(uart_hz)) as u64
        }
    }

    fn transmitting(&self) -> bool {
        self.control & TX_ENABLE != 0 && self.control & TX_DISABLE == 0
    }

    fn channel_status(&self, now: u64, byte: u64) -> u32 {
        let queued = if byte == 0 { 0 } else { self.free_at.saturating_sub(now).div_ceil(byte) };
        let flag = |condition: bool, bit: u32| u32::from(condition) << bit;
        flag(self.input.len() >= self.receive_trigger.max(1) as usize, 0)
            | flag(self.input.is_empty(), 1)
            | flag(self.input.len() >= FIFO, 2)
            // The byte in the shift register is not in the FIFO.
            | flag(queued <= 1, 3)
            | flag(queued > FIFO as u64, 4)
            | flag(queued > 0, 11)
            | flag(queued > FIFO as u64 - 1, 14)
    }

    pub(super) fn read(&mut self, offset: u32, now: u64, cpu_hz: u64, uart_hz: u64) -> u32 {
        match offset {
            0x00 => self.control,
            0x04 => self.mode,
            0x10 => self.mask,
            0x14 => self.status | self.channel_status(now, self.byte_time(cpu_hz, uart_hz)) & 0x1f,
            0x18 => self.baud,
            0x1c => self.timeout,
            0x20 => self.receive_trigger,
            0x2c => self.channel_status(now, self.byte_time(cpu_hz, uart_hz)),
            0x30 => self.input.pop_front().unwrap_or(0).into(),
            0x34 => self.divider,
            0x44 => self.transmit_trigger,
            _ => 0,
        }
    }

    /// Writes a register; a byte that is sent, or why it is not.
    pub(super) fn write(
        &mut self,
        offset: u32,
        value: u32,
        (now, cpu_hz, uart_hz): (u64, u64, u64),
    ) -> Option<Result<u8, &'static str>> {
        match offset {
            // The reset bits of both FIFOs clear themselves.
            0x00 => {
                if value & 1 != 0 {
                    self.input.clear();
                }
                self.control = value & !3;
                if value & (RX_ENABLE | RX_DISABLE) == RX_ENABLE {
                    self.status = 0;
                }
            }
            0x04 => self.mode = value,
            0x08 => self.mask |= value & 0x1fff,
            0x0c => self.mask &= !value,
            0x14 => self.status &= !value,
            0x18 => self.baud = value & 0xffff,
            0x1c => self.timeout = value & 0xff,
            0x20 => self.receive_trigger = value & 63,
            0x30 => {
                let byte = self.byte_time(cpu_hz, uart_hz);
                return Some(if byte == 0 {
                    Err("its clock is off (SLCR UART_CLK_CTRL)")
                } else if !self.transmitting() {
                    Err("its transmitter is off")
                } else if self.free_at.saturating_sub(now) > FIFO as u64 * byte {
                    Err("its FIFO is full")
                } else {
                    self.free_at = self.free_at.max(now) + byte;
                    Ok(value as u8)
                });
            }
            0x34 => self.divider = value & 0xff,
            0x44 => self.transmit_trigger = value & 63,
            _ => {}
        }
        None
    }

    /// The level of the interrupt.
    pub(super) fn interrupt(&self, now: u64, cpu_hz: u64, uart_hz: u64) -> bool {
        (self.status | self.channel_status(now, self.byte_time(cpu_hz, uart_hz)) & 0x1f) & self.mask != 0
    }
}
