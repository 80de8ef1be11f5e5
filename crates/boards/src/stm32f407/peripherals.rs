// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The chip around the core: which block answers at which address, interrupts, and notes on what is not modelled.

use std::collections::HashSet;

use pqsoc_armv7::{Bus, BusError, Context, FlashTiming, Size};

use super::clock::{Clocks, Rcc};
use super::crc::{self, Crc};
use super::flash::{Action, Flash};
use super::gpio::Gpio;
use super::map::{self, BLOCKS};
use super::rng::Rng;
use super::timer::Timer;
use super::usart::{Usart, Written};
use crate::console::{Channel, Console};

/// Kinds of notes: of each, one for an address (or whatever tells them apart) is enough.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Note {
    ClockOff,
    Write,
    Read,
    FlashKey,
    FlashStore,
    Remap,
    Overwritten,
    TransmitterOff,
    WaitStates,
    Semihosting,
    Sram,
}

/// Notes kept: a program that runs wild would make millions.
const NOTES: usize = 64;

/// What a block of the memory map is.
#[derive(Clone, Copy)]
enum Model {
    Timer(usize),
    Usart(usize),
    Gpio(usize),
    Crc,
    Rcc,
    Flash,
    Rng,
    BackupRam,
    /// Registers that keep what is written: index into `stored`.
    Stored(usize),
    /// Reads as after reset.
    Absent,
}

/// TIM2 to TIM5: name and interrupt.
const TIMERS: [(&str, u32); 4] = [("TIM2", 28), ("TIM3", 29), ("TIM4", 30), ("TIM5", 50)];
/// USART1 to USART6: name and interrupt.
const USARTS: [(&str, u32); 6] =
    [("USART1", 37), ("USART2", 38), ("USART3", 39), ("UART4", 52), ("UART5", 53), ("USART6", 71)];
const GPIOS: [&str; 9] = ["GPIOA", "GPIOB", "GPIOC", "GPIOD", "GPIOE", "GPIOF", "GPIOG", "GPIOH", "GPIOI"];
const RNG_INTERRUPT: u32 = 80;
const PWR: usize = 0;
const SYSCFG: usize = 1;
const DBGMCU: usize = 3;
/// Blocks whose registers only configure what nothing here depends on: name and bytes.
const STORED: [(&str, u32); 4] = [("PWR", 8), ("SYSCFG", 0x24), ("EXTI", 0x18), ("DBGMCU", 0x10)];

/// Device 0x413, revision Y: the silicon of the published measurements.
const IDCODE: u32 = 0x100f_6413;

/// Everything on the chip but the core and its memories.
pub struct Peripherals {
    /// Output of the program.
    pub console: Console,
    /// Clock tree.
    pub rcc: Rcc,
    models: Vec<Model>,
    /// Index of the block that was used last.
    last: usize,
    timers: [Timer; 4],
    usarts: [Usart; 6],
    gpios: [Gpio; 9],
    crc: Crc,
    flash: Flash,
    rng: Rng,
    stored: [[u32; 9]; 4],
    backup: Vec<u8>,
    forced_timing: Option<FlashTiming>,
    noted: HashSet<(u32, Note)>,
    notes: Vec<String>,
}

impl Peripherals {
    /// After power-on. Clock and wait states hold whatever the program sets if `forced` is given.
    pub(super) fn new(console: Console, seed: u64, forced: Option<(u64, FlashTiming)>) -> Self {
        let models = BLOCKS.iter().map(|block| model(block.name)).collect();
        Self {
            console,
            rcc: Rcc::new(forced.map(|f| f.0)),
            models,
            last: 0,
            timers: [true, false, false, true].map(Timer::new),
            usarts: [(); 6].map(|()| Usart::new()),
            gpios: std::array::from_fn(Gpio::new),
            crc: Crc::new(),
            flash: Flash::new(),
            rng: Rng::new(seed),
            stored: stored_reset(),
            backup: vec![0; 4096],
            forced_timing: forced.map(|f| f.1),
            noted: HashSet::new(),
            notes: Vec::new(),
        }
    }

    /// Gives the other side of serial port `number` (1 to 6) something to send.
    pub(super) fn send(&mut self, number: u8, bytes: &[u8]) {
        if let Some(usart) = usize::from(number).checked_sub(1).and_then(|i| self.usarts.get_mut(i)) {
            usart.input.extend(bytes);
        }
    }

    /// What the program did that silicon would not take, or that is not modelled: each once.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Tells `text` once for this address and `kind`.
    pub(super) fn note(&mut self, address: u32, kind: Note, text: impl FnOnce() -> String) {
        if self.notes.len() < NOTES && self.noted.insert((address, kind)) {
            self.notes.push(text());
        }
    }

    /// Core cycles of a clock of the bus that a block is on.
    fn divider(clocks: &Clocks, base: u32) -> u64 {
        match base >> 16 {
            0x4000 => clocks.apb1_divider,
            0x4001 => clocks.apb2_divider,
            _ => 1,
        }
    }

    /// The block at `address` if its clock is on.
    fn select(&mut self, address: u32) -> Result<Option<usize>, BusError> {
        // Loops that wait for a register use the same block again and again.
        if address.wrapping_sub(BLOCKS[self.last].base) >= BLOCKS[self.last].size {
            self.last = map::block_at(address).ok_or(BusError)?;
        }
        let index = self.last;
        match BLOCKS[index].gate {
            Some(gate) if !self.rcc.enabled(gate) => {
                let name = BLOCKS[index].name;
                let base = BLOCKS[index].base;
                self.note(base, Note::ClockOff, || {
                    format!("{name} is used while its clock is off: reads give 0, writes are lost (RCC + {:#x} bit {})", gate.0, gate.1)
                });
                Ok(None)
            }
            _ => Ok(Some(index)),
        }
    }

    fn unknown(&mut self, index: usize, address: u32, write: bool) -> u32 {
        let block = &BLOCKS[index];
        let offset = (address - block.base) & !3;
        let value = block.reset.iter().find(|r| r.0 == offset).map_or(0, |r| r.1);
        let name = block.name;
        if write {
            self.note(address & !3, Note::Write, || {
                format!("write to {name} + {offset:#x} ({address:#010x}): not modelled, ignored")
            });
        } else {
            self.note(address & !3, Note::Read, || {
                format!("read of {name} + {offset:#x} ({address:#010x}): not modelled, gives its reset value {value:#x}")
            });
        }
        value
    }

    fn read_word(&mut self, index: usize, address: u32, cx: &mut Context<'_>) -> u32 {
        let block = &BLOCKS[index];
        let offset = (address - block.base) & !3;
        let now = cx.now;
        let clocks = self.rcc.refresh(now);
        let divider = Self::divider(&clocks, block.base);
        let value = match self.models[index] {
            Model::Timer(i) => self.timers[i].read(offset, now, clocks.timer1_divider()),
            Model::Usart(i) => self.usarts[i].read(offset, now, divider),
            Model::Gpio(i) => self.gpios[i].read(offset),
            Model::Crc => self.crc.read(offset),
            Model::Rcc => self.rcc.read(offset, now),
            Model::Flash => self.flash.read(offset),
            Model::Rng => self.rng.read(offset, now, clocks.hclk, clocks.pll48),
            Model::BackupRam => {
                let at = offset as usize;
                Some(u32::from_le_bytes([
                    self.backup[at],
                    self.backup[at + 1],
                    self.backup[at + 2],
                    self.backup[at + 3],
                ]))
            }
            Model::Stored(i) => (offset < STORED[i].1).then(|| self.stored[i][offset as usize / 4]),
            Model::Absent => None,
        };
        value.unwrap_or_else(|| self.unknown(index, address, false))
    }

    fn write_word(
        &mut self,
        index: usize,
        address: u32,
        value: u32,
        mask: u32,
        cx: &mut Context<'_>,
    ) -> Result<(), BusError> {
        let block = &BLOCKS[index];
        let offset = (address - block.base) & !3;
        let now = cx.now;
        let clocks = self.rcc.refresh(now);
        let divider = Self::divider(&clocks, block.base);
        let known = match self.models[index] {
            Model::Timer(i) => self.timers[i].write(offset, value, mask, now, clocks.timer1_divider()),
            Model::Usart(i) => {
                let written = self.usarts[i].write(offset, value, mask, now, divider);
                self.sent(i, &written, cx);
                !matches!(written, Written::Unknown)
            }
            Model::Gpio(i) => self.gpios[i].write(offset, value, mask),
            Model::Crc => {
                cx.stall += if offset == 0 { crc::CYCLES - 1 } else { 0 };
                self.crc.write(offset, value, mask)
            }
            Model::Rcc => {
                if let Some((gate, bits)) = self.rcc.write(offset, value, mask, now) {
                    self.reset_blocks(gate, bits);
                }
                self.rcc.refresh(now);
                self.check_wait_states();
                true
            }
            Model::Flash => match self.flash.write(offset, value, mask) {
                Action::None => true,
                Action::Unknown => false,
                Action::BusError => {
                    self.note(address, Note::FlashKey, || {
                        "wrong key written to FLASH_KEYR: locked until reset".into()
                    });
                    return Err(BusError);
                }
                Action::Timing => {
                    if self.forced_timing.is_none() {
                        cx.memory.set_flash_timing(self.flash.timing());
                        self.check_wait_states();
                    }
                    true
                }
                Action::Erase { base, size, microseconds } => {
                    let erased = cx.memory.write(base, &vec![0xff; size as usize]);
                    debug_assert!(erased.is_ok());
                    cx.stall += stall(clocks.hclk, microseconds);
                    true
                }
            },
            Model::Rng => self.rng.write(offset, value, mask, now, clocks.hclk, clocks.pll48),
            Model::BackupRam => {
                for i in 0..4 {
                    if mask >> (8 * i) & 0xff != 0 {
                        self.backup[offset as usize + i] = (value >> (8 * i)) as u8;
                    }
                }
                true
            }
            Model::Stored(i) => offset < STORED[i].1 && self.write_stored(i, offset, value, mask, cx),
            Model::Absent => false,
        };
        if !known {
            self.unknown(index, address, true);
        }
        Ok(())
    }

    fn write_stored(
        &mut self,
        block: usize,
        offset: u32,
        value: u32,
        mask: u32,
        cx: &mut Context<'_>,
    ) -> bool {
        let register = &mut self.stored[block][offset as usize / 4];
        let new = *register & !mask | value & mask;
        match (block, offset) {
            (DBGMCU, 0) => {}
            // VOSRDY stays as it is.
            (PWR, 4) => *register = *register & 0x4000 | new & !0x4000,
            _ => *register = new,
        }
        if (block, offset) == (SYSCFG, 0) {
            let shown = match new & 3 {
                0 => map::FLASH,
                1 => map::SYSTEM,
                3 => map::SRAM1,
                _ => {
                    self.note(0, Note::Remap, || {
                        "SYSCFG_MEMRMP selects external memory, which the board does not have".into()
                    });
                    return true;
                }
            };
            let mapped = cx.memory.alias(0, shown);
            debug_assert!(mapped.is_ok());
        }
        true
    }

    fn sent(&mut self, i: usize, written: &Written, cx: &mut Context<'_>) {
        let name = USARTS[i].0;
        match *written {
            Written::Sent(byte) => {
                self.console.write(Channel::Usart(i as u8 + 1), &[byte]);
                if self.console.ends() {
                    cx.stop();
                }
            }
            Written::Overwrote(byte) => {
                self.note(i as u32, Note::Overwritten, || {
                    format!("{name}: a character ({byte:#04x}) was written while TXE was 0, and lost")
                });
            }
            Written::Ignored => {
                self.note(i as u32, Note::TransmitterOff, || {
                    format!("{name}: characters written while UE or TE is off are not sent")
                });
            }
            Written::Unknown | Written::Done => {}
        }
    }

    /// Blocks whose reset bit was set.
    fn reset_blocks(&mut self, gate: u32, bits: u32) {
        for bit in (0..32).filter(|bit| bits >> bit & 1 != 0) {
            for index in map::gated_by(gate, bit) {
                match self.models[index] {
                    Model::Timer(i) => self.timers[i].reset(),
                    Model::Usart(i) => self.usarts[i].reset(),
                    Model::Gpio(i) => self.gpios[i] = Gpio::new(i),
                    Model::Crc => self.crc = Crc::new(),
                    Model::Rng => self.rng.reset(),
                    Model::Stored(i) => self.stored[i] = stored_reset()[i],
                    Model::Rcc | Model::Flash | Model::BackupRam | Model::Absent => {}
                }
            }
        }
    }

    /// 30 MHz for each wait state at 2.7 to 3.6 V. RM0090 table 10.
    fn check_wait_states(&mut self) {
        let hclk = self.rcc.clocks().hclk;
        let (needed, set) = ((hclk - 1) / 30_000_000, u64::from(self.flash.timing().latency));
        if self.forced_timing.is_none() && set < needed {
            self.note(hclk as u32, Note::WaitStates, || {
                format!(
                    "the core runs at {} MHz with {set} flash wait states; it needs {needed}: silicon would read garbage",
                    hclk / 1_000_000
                )
            });
        }
    }

    /// Interrupt lines and the next event.
    fn settle(&mut self, cx: &mut Context<'_>) {
        let now = cx.now;
        let clocks = self.rcc.clocks();
        let mut next = self.rng.next_event().filter(|&when| when > now);
        for (timer, (_, line)) in self.timers.iter_mut().zip(TIMERS) {
            timer.advance(now, clocks.timer1_divider());
            cx.set_level(line, timer.interrupt());
            next = next.into_iter().chain(timer.next(clocks.timer1_divider())).min();
        }
        for (i, (usart, (_, line))) in self.usarts.iter_mut().zip(USARTS).enumerate() {
            usart.advance(now, if i == 0 || i == 5 { clocks.apb2_divider } else { clocks.apb1_divider });
            cx.set_level(line, usart.interrupt());
            next = next.into_iter().chain(usart.next()).min();
        }
        cx.set_level(RNG_INTERRUPT, self.rng.interrupt(now));
        cx.wake_at(next.map_or(u64::MAX, |when| when.max(now + 1)));
    }
}

fn model(name: &str) -> Model {
    let find = |names: &[(&str, u32)]| names.iter().position(|n| n.0 == name);
    if let Some(i) = find(&TIMERS) {
        return Model::Timer(i);
    }
    if let Some(i) = find(&USARTS) {
        return Model::Usart(i);
    }
    if let Some(i) = find(&STORED) {
        return Model::Stored(i);
    }
    if let Some(i) = GPIOS.iter().position(|n| *n == name) {
        return Model::Gpio(i);
    }
    match name {
        "CRC" => Model::Crc,
        "RCC" => Model::Rcc,
        "FLASH" => Model::Flash,
        "RNG" => Model::Rng,
        "BKPSRAM" => Model::BackupRam,
        _ => Model::Absent,
    }
}

fn stored_reset() -> [[u32; 9]; 4] {
    let mut stored = [[0; 9]; 4];
    // VOS: scale 1, and the regulator is ready.
    stored[PWR][0] = 0x4000;
    stored[PWR][1] = 0x4000;
    stored[DBGMCU][0] = IDCODE;
    stored
}

/// Core cycles that a store waits for.
fn stall(hclk: u64, microseconds: u64) -> u32 {
    u32::try_from(hclk * microseconds / 1_000_000).unwrap_or(u32::MAX)
}

/// Bits of a word that an access of this size at this address touches, and how far left they are.
fn lanes(address: u32, size: Size) -> (u32, u32) {
    let shift = 8 * (address & 3);
    let mask = match size {
        Size::Byte => 0xff,
        Size::Half => 0xffff,
        Size::Word => u32::MAX,
    };
    (mask << shift, shift)
}

impl Bus for Peripherals {
    fn read(&mut self, address: u32, size: Size, cx: &mut Context<'_>) -> Result<u32, BusError> {
        let Some(index) = self.select(address)? else { return Ok(0) };
        let value = self.read_word(index, address, cx);
        let (mask, shift) = lanes(address, size);
        // Pins have nothing connected; a serial port's flags change with its events.
        if matches!((self.models[index], address & 0x3fc), (Model::Usart(_), 0) | (Model::Gpio(_), _)) {
            cx.steady();
        }
        // Reading a data register changes what happens next; loops that poll others are to be fast.
        if matches!((self.models[index], address & 0x3fc), (Model::Usart(_), 4) | (Model::Rng, 8)) {
            self.settle(cx);
        }
        Ok((value & mask) >> shift)
    }

    fn write(&mut self, address: u32, size: Size, value: u32, cx: &mut Context<'_>) -> Result<(), BusError> {
        if let Some(region) = cx.memory.region(address) {
            return self.write_flash(region.name, address, size, value, cx);
        }
        let Some(index) = self.select(address)? else { return Ok(()) };
        let (mask, shift) = lanes(address, size);
        let written = self.write_word(index, address, value << shift, mask, cx);
        self.settle(cx);
        written
    }

    fn event(&mut self, cx: &mut Context<'_>) {
        self.rcc.refresh(cx.now);
        self.settle(cx);
    }

    fn itm(&mut self, port: u8, size: Size, value: u32) {
        self.console.write(Channel::Itm(port), &value.to_le_bytes()[..size.bytes() as usize]);
    }

    fn reset(&mut self, cx: &mut Context<'_>) {
        self.rcc.system_reset(cx.now);
        self.timers.iter_mut().for_each(Timer::reset);
        self.usarts.iter_mut().for_each(Usart::reset);
        self.gpios = std::array::from_fn(Gpio::new);
        self.crc = Crc::new();
        self.flash = Flash::new();
        self.rng.reset();
        self.stored = stored_reset();
        if self.forced_timing.is_none() {
            cx.memory.set_flash_timing(self.flash.timing());
        }
        self.settle(cx);
    }
}

impl Peripherals {
    /// A store to flash: programs it if FLASH_CR allows.
    fn write_flash(
        &mut self,
        region: &'static str,
        address: u32,
        size: Size,
        value: u32,
        cx: &mut Context<'_>,
    ) -> Result<(), BusError> {
        let allowed = if region == map::FLASH { self.flash.program(address, size.bytes()) } else { None };
        let Some(microseconds) = allowed else {
            self.note(address, Note::FlashStore, || {
                format!("store to {region} at {address:#010x} ignored: it is not unlocked for programming")
            });
            return Ok(());
        };
        // Programming only clears bits.
        let bytes = size.bytes() as usize;
        let mut old = [0; 4];
        cx.memory.read(address, &mut old[..bytes]).map_err(|_| BusError)?;
        let new = (u32::from_le_bytes(old) & value).to_le_bytes();
        cx.memory.write(address, &new[..bytes]).map_err(|_| BusError)?;
        cx.stall += stall(self.rcc.clocks().hclk, microseconds);
        Ok(())
    }
}
