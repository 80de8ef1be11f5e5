// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Everything behind the core's level-1 caches: level 2, memories, peripherals, and the PL at its own clock.

use std::collections::{HashSet, VecDeque};

use pqsoc_armv7::Size;
use pqsoc_armv7::a9::{
    Attributes, Context, Cycles, DataCache, ExternalAbort, LINE, Line, MemoryType, Pot, System,
};

use super::dma::Memory;
use super::gic::Gic;
use super::pl::{Pl, Response};
use super::pl310::{Access, Pl310};
use super::ram::{Place, Ram};
use super::slcr::Slcr;
use super::timers::{self, Down, Global};
use super::trace::{Port, TraceSink, Transaction};
use super::uart::Uart;
use super::{Map, latency};
use crate::console::{Channel, Console};

/// Interrupt IDs: the first three lines from the PL as `hw/vivado/zedboard.tcl` connects them, and the UARTs.
const PL_IDS: [u32; 3] = [61, 62, 63];
const UART_IDS: [u32; 2] = [59, 82];
/// PL clocks between looks at the PL's interrupts while it is at work. The looks are at multiples of it, so that they do not
/// depend on when it began.
const QUANTUM: u64 = 16;
/// Notes kept.
const NOTES: usize = 40;

/// The chip around the core.
pub struct Soc {
    pub(super) ram: Ram,
    pub(super) l2: Pl310,
    pub(super) slcr: Slcr,
    pub(super) uarts: [Uart; 2],
    pub(super) gic: Gic,
    pub(super) pl: Pl,
    pub(super) console: Console,
    pub(super) trace: Option<TraceSink>,
    /// The core waits for ever for an answer.
    pub(super) hung: Option<String>,
    private_timer: Down,
    watchdog: Down,
    global_timer: Global,
    scu_control: u32,
    scu_filter: [u32; 2],
    devcfg: [u32; 64],
    map: Map,
    acp: bool,
    notes: Vec<String>,
    noted: HashSet<u32>,
    /// Core clock, PL clock, and a moment at which both counts are known.
    cpu_hz: u64,
    pl_hz: u64,
    anchor: (u64, u64),
    /// Time at clocks before the last change: nanoseconds at the anchor.
    anchor_ns: u64,
    last_line: u32,
    /// When each of the posted writes that are on their way is done.
    posted: VecDeque<u64>,
    /// The next beat of a burst of loads from the general-purpose port, if there is one: its address, and when the core comes
    /// for it.
    beat: (u32, u64),
}

/// What [`Soc::new`] needs besides its parts.
pub(super) struct Setup {
    pub map: Map,
    pub acp: bool,
    pub seed: u32,
    pub booted: bool,
    pub pl_hz: u64,
}

impl Soc {
    pub(super) fn new(setup: Setup, pl: Pl, console: Console, trace: Option<TraceSink>) -> Self {
        let slcr = Slcr::new(setup.booted, setup.pl_hz);
        let (cpu_hz, pl_hz) = (slcr.cpu_hz(), slcr.pl_hz());
        let mut soc = Self {
            ram: Ram::new(),
            l2: Pl310::new(setup.seed),
            slcr,
            uarts: [Uart::new(setup.booted), Uart::new(setup.booted)],
            gic: Gic::new(),
            pl,
            console,
            trace,
            hung: None,
            private_timer: Down::default(),
            watchdog: Down::default(),
            global_timer: Global::default(),
            scu_control: 2,
            scu_filter: [0x0010_0000, 0xffe0_0000],
            devcfg: [0; 64],
            map: setup.map,
            acp: setup.acp,
            notes: Vec::new(),
            noted: HashSet::new(),
            cpu_hz,
            pl_hz,
            anchor: (0, 0),
            anchor_ns: 0,
            last_line: u32::MAX,
            posted: VecDeque::new(),
            beat: (0, 0),
        };
        soc.remap();
        soc
    }

    /// Core clock in Hz.
    pub fn cpu_hz(&self) -> u64 {
        self.cpu_hz
    }

    /// PL clock in Hz.
    pub fn pl_hz(&self) -> u64 {
        self.pl_hz
    }

    /// What was not modelled or would not work on silicon.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Reads DDR or on-chip memory itself, past every cache: what a master at an HP port would get. False if there is
    /// none.
    pub fn memory(&self, address: u32, bytes: &mut [u8]) -> bool {
        self.ram.read(address, bytes)
    }

    /// Writes DDR or on-chip memory itself, past every cache. False if there is none.
    pub fn set_memory(&mut self, address: u32, bytes: &[u8]) -> bool {
        self.ram.write(address, bytes)
    }

    /// The DMA, for faults to be injected.
    pub fn dma(&mut self) -> &mut super::dma::AxiDma {
        &mut self.pl.dma
    }

    pub(super) fn note(&mut self, key: u32, text: impl FnOnce() -> String) {
        if self.notes.len() < NOTES && self.noted.insert(key) {
            self.notes.push(text());
        }
    }

    /// Nanoseconds from power-on to cycle `now`.
    pub(super) fn nanoseconds(&self, now: u64) -> u64 {
        self.anchor_ns
            + (u128::from(now.saturating_sub(self.anchor.0)) * 1_000_000_000 / u128::from(self.cpu_hz)) as u64
    }

    fn cycles(&self, nanoseconds: u64) -> u64 {
        (u128::from(nanoseconds) * u128::from(self.cpu_hz) / 1_000_000_000) as u64
    }

    fn span(&self, ns: Cycles) -> Cycles {
        Cycles::new(self.cycles(ns.low), self.cycles(ns.mid), self.cycles(ns.high))
    }

    /// PL clocks that have gone by at core cycle `now`.
    fn pl_cycle(&self, now: u64) -> u64 {
        let since = u128::from(now.saturating_sub(self.anchor.0));
        self.anchor.1 + (since * u128::from(self.pl_hz) / u128::from(self.cpu_hz)) as u64
    }

    /// Clocks of the PL at core cycle `now`; those not yet run are idle ones or will be run with the next event.
    pub(super) fn pl_clocks(&self, now: u64) -> super::PlClocks {
        super::PlClocks { total: self.pl.clocks.total.max(self.pl_cycle(now)), ..self.pl.clocks }
    }

    /// The core cycle in which PL clock `cycle` has gone by.
    fn core_cycle(&self, cycle: u64) -> u64 {
        let since = u128::from(cycle.saturating_sub(self.anchor.1));
        self.anchor.0 + (since * u128::from(self.cpu_hz)).div_ceil(u128::from(self.pl_hz)) as u64
    }

    /// SLCR or the SCU may have been written: where on-chip memory and the lowest megabyte of DDR are.
    fn remap(&mut self) {
        self.ram.high = self.slcr.ocm_high();
        self.ram.low_ddr = self.scu_filter[0] == 0 && self.scu_control & 2 != 0;
    }

    /// SLCR was written: what has gone by went by at the old clocks.
    fn clocks_changed(&mut self, now: u64, l1: &mut DataCache) {
        self.pl_to(now, l1);
        self.anchor_ns = self.nanoseconds(now);
        self.anchor = (now, self.pl.clocks.total.max(self.pl_cycle(now)));
        (self.cpu_hz, self.pl_hz) = (self.slcr.cpu_hz(), self.slcr.pl_hz());
    }

    /// Lets the PL's clock run until core cycle `now`.
    fn pl_to(&mut self, now: u64, l1: &mut DataCache) {
        let cycle = self.pl_cycle(now);
        if cycle > self.pl.clocks.total {
            self.with_pl(l1, |pl, memory| pl.advance(cycle, memory));
        }
    }

    fn with_pl<R>(&mut self, l1: &mut DataCache, f: impl FnOnce(&mut Pl, &mut dyn Memory) -> R) -> R {
        let mut master = Master {
            ram: &mut self.ram,
            l2: &mut self.l2,
            l1,
            acp: self.acp,
            trace: self.trace.as_mut(),
            clock: 0,
            anchor: (self.anchor.1, self.anchor_ns),
            pl_hz: self.pl_hz,
        };
        f(&mut self.pl, &mut master)
    }

    /// Brings interrupt lines and the next event up to date.
    fn update(&mut self, cx: &mut Context<'_>) {
        let now = cx.now;
        for (id, high) in PL_IDS.into_iter().zip(self.pl.interrupts()) {
            self.gic.set_line(id, high);
        }
        self.gic.set_line(timers::GLOBAL_ID, self.global_timer.interrupt(now));
        self.gic.set_line(timers::PRIVATE_ID, self.private_timer.interrupt(now));
        self.gic.set_line(timers::WATCHDOG_ID, self.watchdog.interrupt(now));
        for n in 0..2 {
            let hz = self.slcr.uart_hz(n);
            let high = self.uarts[n].interrupt(now, self.cpu_hz, hz);
            self.gic.set_line(UART_IDS[n], high);
        }
        cx.set_irq(self.gic.irq());
        let pl = self.pl.active().then(|| {
            let reached = self.pl.clocks.total.max(self.pl_cycle(now));
            self.core_cycle((reached / QUANTUM + 1) * QUANTUM)
        });
        let timers = [self.global_timer.next(), self.private_timer.next(), self.watchdog.next(), pl];
        cx.wake_at(timers.into_iter().flatten().min().unwrap_or(u64::MAX));
        if self.console.ends() {
            cx.stop();
        }
    }

    /// A load from the general-purpose port. The words that one instruction loads from consecutive addresses of Device memory
    /// are a burst: the core comes for the next one at the moment at which it has the one before.
    fn gp_read(&mut self, address: u32, burst: bool, cx: &mut Context<'_>) -> Result<u32, ExternalAbort> {
        if self.closed(address, cx) {
            return Ok(0);
        }
        let next = burst && self.beat == (address, cx.now);
        let begins = self.pl.clocks.total;
        let arrives = if next {
            begins
        } else {
            self.pl_cycle(cx.now + self.cycles(latency::GP_REQUEST_NS)) + latency::GP_PL_CYCLES / 2
        };
        let map = self.map;
        let response = self.with_pl(cx.l1, |pl, memory| {
            pl.advance(arrives, memory);
            match map.decode(address) {
                Target::Dma(offset) => pl.read_dma(offset, memory),
                Target::Accelerator(offset) => pl.read(offset, memory),
                Target::Nothing => Response::Error,
            }
        });
        let ends = self.pl.clocks.total;
        let time = if next {
            // As long as the slave takes: the way is the first beat's.
            Cycles::exact(self.core_cycle(ends) - self.core_cycle(begins))
        } else {
            let band = self.span(latency::GP_READ_NS);
            let request = self.cycles(latency::GP_REQUEST_NS);
            let back = self.core_cycle(ends + latency::GP_PL_CYCLES.div_ceil(2));
            let mid = (back + band.mid - request).saturating_sub(cx.now);
            Cycles::new(mid.saturating_sub(band.mid - band.low), mid, mid + band.high - band.mid)
        };
        cx.take_for(Pot::Registers, time);
        self.beat = (address.wrapping_add(4), cx.now + time.mid);
        let value = self.answered(address, response, cx)?;
        self.record(cx.now, Port::Gp0, false, address, Some(value));
        Ok(value)
    }

    /// A store to the general-purpose port.
    fn gp_write(
        &mut self,
        address: u32,
        (value, strobes): (u32, u8),
        posted: bool,
        cx: &mut Context<'_>,
    ) -> Result<(), ExternalAbort> {
        if self.closed(address, cx) {
            return Ok(());
        }
        let arrives = self.pl_cycle(cx.now + self.cycles(latency::GP_REQUEST_NS)) + latency::GP_PL_CYCLES / 2;
        let map = self.map;
        let response = self.with_pl(cx.l1, |pl, memory| {
            pl.advance(arrives, memory);
            let begins = pl.clocks.total;
            let response = match map.decode(address & !3) {
                Target::Dma(offset) => pl.write_dma(offset, value, memory),
                Target::Accelerator(offset) => pl.write(offset, value, strobes, memory),
                Target::Nothing => Response::Error,
            };
            pl.advance(begins + latency::GP_WRITE_PL_CYCLES, memory);
            response
        });
        self.record(cx.now, Port::Gp0, true, address, Some(value));
        let done = self.core_cycle(self.pl.clocks.total);
        if posted {
            // The path holds some words; beyond that the core waits for the oldest of them.
            while self.posted.front().is_some_and(|&oldest| oldest <= cx.now) {
                self.posted.pop_front();
            }
            let oldest =
                if self.posted.len() < latency::GP_WRITE_BUFFER { None } else { self.posted.pop_front() };
            self.posted.push_back(done);
            let wait = oldest.map_or(0, |oldest| oldest.saturating_sub(cx.now));
            cx.take_for(Pot::Registers, latency::GP_WRITE + Cycles::exact(wait));
        } else {
            let back = self.span(latency::GP_READ_NS);
            let request = self.cycles(latency::GP_REQUEST_NS);
            let mid = (done + back.mid - request).saturating_sub(cx.now);
            cx.take_for(
                Pot::Registers,
                Cycles::new(mid.saturating_sub(back.mid - back.low), mid, mid + back.high - back.mid),
            );
        }
        self.answered(address, response, cx).map(|_| ())
    }

    fn answered(
        &mut self,
        address: u32,
        response: Response,
        cx: &mut Context<'_>,
    ) -> Result<u32, ExternalAbort> {
        match response {
            Response::Okay(value) => Ok(value),
            Response::Error => Err(ExternalAbort),
            Response::Silence => {
                self.hang(format!("the register at {address:#010x} never answers"), cx);
                Ok(0)
            }
        }
    }

    fn closed(&mut self, address: u32, cx: &mut Context<'_>) -> bool {
        let Some(why) = self.slcr.pl_closed() else { return false };
        self.hang(format!("an access to {address:#010x} gets no answer: {why}"), cx);
        true
    }

    fn hang(&mut self, why: String, cx: &mut Context<'_>) {
        self.hung = Some(why);
        cx.stop();
    }

    fn record(&mut self, now: u64, port: Port, write: bool, address: u32, value: Option<u32>) {
        let nanoseconds = self.nanoseconds(now);
        if let Some(trace) = &mut self.trace {
            trace(&Transaction { nanoseconds, port, write, address, bytes: 4, value, okay: true });
        }
    }

    /// A load from a peripheral of the PS.
    fn peripheral_read(&mut self, address: u32, cx: &mut Context<'_>) -> Result<u32, ExternalAbort> {
        let offset = address & 0xffc;
        let now = cx.now;
        let private = address & 0xffff_0000 == 0xf8f0_0000;
        cx.take_for(Pot::Registers, if private { latency::PRIVATE } else { latency::PERIPHERAL });
        Ok(match address & !0xfff {
            0xe000_0000 | 0xe000_1000 => {
                let n = (address >> 12 & 1) as usize;
                let hz = self.slcr.uart_hz(n);
                self.uarts[n].read(offset, now, self.cpu_hz, hz)
            }
            0xf800_0000 => self.slcr.read(offset),
            0xf800_7000 => match offset {
                // PCFG_DONE and the PL's power: the PL is configured.
                0x0c => self.devcfg[3] | 4,
                0x14 => 0x4000_0000,
                0x80 => 0x3000_0000,
                _ => self.devcfg.get(offset as usize / 4).copied().unwrap_or(0),
            },
            0xf8f0_0000 => match offset {
                0x000 => self.scu_control,
                // One core takes part; the other one sleeps.
                0x004 => 0x0000_0511,
                0x040 => self.scu_filter[0],
                0x044 => self.scu_filter[1],
                0x100..0x200 => self.gic.read_interface(offset - 0x100),
                0x200..0x300 => self.global_timer.read(offset - 0x200, now),
                0x600..0x620 => self.private_timer.read(offset - 0x600, now),
                0x620..0x640 => self.watchdog.read(offset - 0x620, now),
                _ => 0,
            },
            0xf8f0_1000 => self.gic.read(offset),
            0xf8f0_2000 => self.l2.read(offset),
            0xf800_d000 if offset == 0x10 => 0,
            page @ (0xe000_0000..=0xe02f_f000 | 0xf800_0000..=0xf8ff_f000) => {
                self.note(page, || format!("the peripheral at {page:#010x} is not modelled: reads as 0"));
                0
            }
            _ => return Err(ExternalAbort),
        })
    }

    /// A store to a peripheral of the PS.
    fn peripheral_write(
        &mut self,
        address: u32,
        size: Size,
        value: u32,
        cx: &mut Context<'_>,
    ) -> Result<(), ExternalAbort> {
        let offset = address & 0xfff;
        let now = cx.now;
        let private = address & 0xffff_0000 == 0xf8f0_0000;
        let page = address & !0xfff;
        if page == 0xf8f0_2000 {
            let time = match self.l2.write(&mut self.ram, offset & !3, value) {
                Access::Register => latency::PRIVATE,
                Access::Sync => latency::PRIVATE + latency::L2_SYNC,
                Access::Line => latency::PRIVATE + latency::L2_LINE,
                Access::Ways => latency::PRIVATE + latency::L2_WAY,
            };
            cx.take_for(Pot::Maintenance, time);
            return Ok(());
        }
        cx.take_for(Pot::Registers, if private { latency::PRIVATE } else { latency::PERIPHERAL });
        match page {
            0xe000_0000 | 0xe000_1000 => {
                let n = (address >> 12 & 1) as usize;
                let clocks = (now, self.cpu_hz, self.slcr.uart_hz(n));
                match self.uarts[n].write(offset & !3, value, clocks) {
                    Some(Ok(byte)) => self.console.write(Channel::Usart(n as u8), &[byte]),
                    Some(Err(why)) => self.note(address, || format!("UART{n} drops a byte: {why}")),
                    None => {}
                }
            }
            0xf800_0000 => {
                let (reset, dropped) = (self.slcr.pl_reset(), self.slcr.dropped);
                if self.slcr.write(offset & !3, value) {
                    self.clocks_changed(now, cx.l1);
                    // At both ends of the pulse: nothing goes on during it, and all begins after it.
                    if reset != self.slcr.pl_reset() {
                        self.pl.reset();
                    }
                }
                if self.slcr.dropped != dropped {
                    self.note(0xf800_0000, || {
                        format!("SLCR is locked: a write to {address:#010x} does nothing (unlock with 0xdf0d at 0xf8000008)")
                    });
                }
            }
            0xf800_7000 => {
                if let Some(word) = self.devcfg.get_mut(offset as usize / 4) {
                    *word = value;
                }
                if offset == 0x20 {
                    self.note(page, || {
                        "devcfg DMA is not modelled: the PL is configured already".to_string()
                    });
                }
            }
            0xf8f0_0000 => match offset & !3 {
                0x000 => self.scu_control = value & 0x7f,
                0x040 => self.scu_filter[0] = value & 0xfff0_0000,
                0x044 => self.scu_filter[1] = value & 0xfff0_0000,
                0x100..0x200 => self.gic.write_interface((offset & !3) - 0x100, value),
                0x200..0x300 => self.global_timer.write((offset & !3) - 0x200, value, now),
                0x600..0x620 => self.private_timer.write((offset & !3) - 0x600, value, now),
                0x620..0x640 => self.watchdog.write((offset & !3) - 0x620, value, now),
                _ => {}
            },
            0xf8f0_1000 => self.gic.write(offset, size.bytes(), value),
            0xe000_0000..=0xe02f_f000 | 0xf800_0000..=0xf8ff_f000 => {
                self.note(page, || {
                    format!("the peripheral at {page:#010x} is not modelled: writes do nothing")
                });
            }
            _ => return Err(ExternalAbort),
        }
        self.remap();
        Ok(())
    }

    /// Memory may be changed by the DMA up to now.
    fn settle(&mut self, cx: &mut Context<'_>) {
        if self.pl.active() {
            self.pl_to(cx.now, cx.l1);
        }
    }

    /// Level 2 is asked for memory with these attributes; whether a line that it does not have is kept there.
    fn through_l2(&self, place: Place, attributes: Attributes) -> Option<bool> {
        if !matches!(place, Place::Ddr(_)) || attributes.kind != MemoryType::Normal {
            return None;
        }
        if self.l2.enabled() && attributes.outer {
            Some(true)
        } else if self.l2.looks_for_shared() && attributes.shareable {
            Some(false)
        } else {
            None
        }
    }

    fn memory_time(&self, place: Place) -> Cycles {
        match place {
            Place::Ocm(_) => latency::OCM,
            Place::Ddr(_) => self.span(latency::DDR_NS),
        }
    }

    /// A line of memory, and the time that it takes.
    fn fetch(&mut self, address: u32, place: Place, attributes: Attributes) -> Option<(Line, Cycles)> {
        let next = address == self.last_line.wrapping_add(LINE);
        self.last_line = address;
        let keep = self.through_l2(place, attributes);
        if keep.is_some()
            && let Some(line) = self.l2.look(address)
        {
            return Some((line, if next { latency::L2_NEXT } else { latency::L2_HIT }));
        }
        let line = self.ram.line(address)?;
        if keep == Some(true) {
            self.l2.keep(&mut self.ram, address, &line);
        }
        Some((line, self.memory_time(place)))
    }
}

/// What an address of the general-purpose port leads to.
pub(super) enum Target {
    Dma(u32),
    Accelerator(u16),
    Nothing,
}

impl System for Soc {
    fn read_line(
        &mut self,
        address: u32,
        attributes: Attributes,
        cx: &mut Context<'_>,
    ) -> Result<Line, ExternalAbort> {
        self.settle(cx);
        let place = self.ram.place(address).ok_or(ExternalAbort)?;
        let (line, time) = self.fetch(address, place, attributes).ok_or(ExternalAbort)?;
        cx.take(time);
        Ok(line)
    }

    fn write_line(
        &mut self,
        address: u32,
        line: &Line,
        attributes: Attributes,
        cx: &mut Context<'_>,
    ) -> Result<(), ExternalAbort> {
        self.settle(cx);
        let place = self.ram.place(address).ok_or(ExternalAbort)?;
        cx.take_for(Pot::Memory, latency::WRITE_BACK);
        let taken = match self.through_l2(place, attributes) {
            Some(keep) => self.l2.store(&mut self.ram, address, line, keep),
            None => false,
        };
        if taken || self.ram.write(address, line) { Ok(()) } else { Err(ExternalAbort) }
    }

    fn read(
        &mut self,
        address: u32,
        size: Size,
        attributes: Attributes,
        cx: &mut Context<'_>,
    ) -> Result<u32, ExternalAbort> {
        let at = 8 * (address & 3);
        if (0x4000_0000..0xc000_0000).contains(&address) {
            let burst = attributes.kind != MemoryType::StronglyOrdered && size == Size::Word;
            let value = self.gp_read(address & !3, burst, cx)? >> at;
            self.update(cx);
            return Ok(value);
        }
        let Some(place) = self.ram.place(address) else {
            self.settle(cx);
            let value = self.peripheral_read(address, cx)? >> at;
            self.update(cx);
            return Ok(value);
        };
        self.settle(cx);
        let (line, time) = self.fetch(address & !(LINE - 1), place, attributes).ok_or(ExternalAbort)?;
        cx.take(time);
        let from = (address % LINE) as usize;
        let bytes = &line[from..from + size.bytes() as usize];
        Ok(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte)))
    }

    fn write(
        &mut self,
        address: u32,
        size: Size,
        value: u32,
        attributes: Attributes,
        cx: &mut Context<'_>,
    ) -> Result<(), ExternalAbort> {
        if (0x4000_0000..0xc000_0000).contains(&address) {
            let at = address & 3;
            let mask = u32::MAX >> (32 - 8 * size.bytes());
            let strobes = (((1u32 << size.bytes()) - 1) << at) as u8;
            let posted = attributes.kind != MemoryType::StronglyOrdered;
            let result = self.gp_write(address, ((value & mask) << (8 * at), strobes), posted, cx);
            self.update(cx);
            return result;
        }
        let Some(place) = self.ram.place(address) else {
            self.settle(cx);
            let result = self.peripheral_write(address, size, value, cx);
            self.update(cx);
            return result;
        };
        self.settle(cx);
        let bytes = &value.to_le_bytes()[..size.bytes() as usize];
        let taken = match self.through_l2(place, attributes) {
            Some(keep) => self.l2.store(&mut self.ram, address, bytes, keep),
            None => false,
        };
        cx.take(match place {
            Place::Ocm(_) => latency::WRITE_BACK,
            Place::Ddr(_) => self.span(latency::DDR_WRITE_NS),
        });
        if taken || self.ram.write(address, bytes) { Ok(()) } else { Err(ExternalAbort) }
    }

    fn barrier(&mut self, cx: &mut Context<'_>) {
        // A posted write has to have arrived, and its response to have come back.
        let done = self.core_cycle(self.pl.clocks.total);
        if done > cx.now {
            let back = self.cycles(latency::GP_READ_NS.mid - latency::GP_REQUEST_NS);
            cx.take_for(Pot::Registers, Cycles::exact(done - cx.now + back));
        }
    }

    fn event(&mut self, cx: &mut Context<'_>) {
        self.pl_to(cx.now, cx.l1);
        self.update(cx);
    }

    fn peek(&self, address: u32, bytes: &mut [u8]) -> bool {
        bytes.iter_mut().zip(0..).all(|(byte, offset)| {
            let at = address.wrapping_add(offset);
            let there = self.ram.read(at, std::slice::from_mut(byte));
            *byte = self.l2.peek(at).unwrap_or(*byte);
            there
        })
    }

    fn poke(&mut self, address: u32, bytes: &[u8]) -> bool {
        bytes.iter().zip(0..).all(|(&byte, offset)| {
            let at = address.wrapping_add(offset);
            self.l2.poke(at, byte);
            self.ram.write(at, &[byte])
        })
    }
}

/// Memory as the DMA sees it: through HP past all caches, through ACP with them.
struct Master<'a> {
    ram: &'a mut Ram,
    l2: &'a mut Pl310,
    l1: &'a mut DataCache,
    acp: bool,
    trace: Option<&'a mut TraceSink>,
    clock: u64,
    /// A clock of the PL and its time in nanoseconds.
    anchor: (u64, u64),
    pl_hz: u64,
}

impl Master<'_> {
    fn record(&mut self, write: bool, address: u32, bytes: usize, okay: bool) {
        let since = u128::from(self.clock.saturating_sub(self.anchor.0));
        let nanoseconds = self.anchor.1 + (since * 1_000_000_000 / u128::from(self.pl_hz)) as u64;
        let bytes = bytes as u32;
        let port = if self.acp { Port::Acp } else { Port::Hp0 };
        if let Some(trace) = &mut self.trace {
            trace(&Transaction { nanoseconds, port, write, address, bytes, value: None, okay });
        }
    }

    /// Pieces of an access within lines.
    fn pieces(address: u32, length: usize) -> impl Iterator<Item = (u32, usize, usize)> {
        let mut done = 0;
        std::iter::from_fn(move || {
            let at = address.wrapping_add(done as u32);
            let count = (length - done).min((LINE - at % LINE) as usize);
            let piece = (at, done, count);
            done += count;
            (count != 0).then_some(piece)
        })
    }
}

impl Memory for Master<'_> {
    fn read(&mut self, address: u32, bytes: &mut [u8]) -> bool {
        let mut okay = self.ram.read(address, bytes);
        if okay && self.acp {
            for (at, from, count) in Self::pieces(address, bytes.len()) {
                let line = self.l1.snoop(at).or_else(|| match self.ram.place(at) {
                    Some(Place::Ddr(_)) if self.l2.enabled() => self.l2.look(at & !(LINE - 1)),
                    _ => None,
                });
                if let Some(line) = line {
                    let offset = (at % LINE) as usize;
                    bytes[from..from + count].copy_from_slice(&line[offset..offset + count]);
                }
            }
        }
        okay &= !bytes.is_empty();
        self.record(false, address, bytes.len(), okay);
        okay
    }

    fn write(&mut self, address: u32, bytes: &[u8]) -> bool {
        let mut okay = self.ram.place(address).is_some();
        if okay && self.acp {
            for (at, from, count) in Self::pieces(address, bytes.len()) {
                let part = &bytes[from..from + count];
                let ddr = matches!(self.ram.place(at), Some(Place::Ddr(_))) && self.l2.enabled();
                // Level 1 gives up the line; what it had of its own goes below the new bytes.
                if let Some(old) = self.l1.snoop_out(at) {
                    let line = at & !(LINE - 1);
                    if !(ddr && self.l2.store(self.ram, line, &old, true)) {
                        okay &= self.ram.write(line, &old);
                    }
                }
                if !(ddr && self.l2.store(self.ram, at, part, true)) {
                    okay &= self.ram.write(at, part);
                }
            }
        } else if okay {
            okay = self.ram.write(address, bytes);
        }
        self.record(true, address, bytes.len(), okay);
        okay
    }

    fn at(&mut self, clock: u64) {
        self.clock = clock;
    }

    fn read_latency(&self) -> u64 {
        if self.acp { latency::ACP_READ } else { latency::HP_READ }
    }
}
