//! The driver's platform on this machine: the verilated fabric with the DMA's model, a cache that holds data, and faults.
#![allow(dead_code)] // each test program uses a part

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use pqsoc_boards::zynq7000::dma::{Configuration, Memory as BusMemory};
use pqsoc_boards::zynq7000::latency;
use pqsoc_driver::{Accelerator, Aligned, Config, Line, Memory, Platform, Pool, Software, Window};
use pqsoc_fabric::{B4R1, Random};
use pqsoc_mldsa::Blank;

mod pl;

use pl::Pl;

/// The DMA as `hw/vivado/zedboard.tcl` builds it.
pub const ZEDBOARD: Configuration =
    Configuration { scatter_gather: false, length_bits: 23, realignment: true };
/// The design with a DMA that has scatter-gather.
pub const SCATTER_GATHER: Configuration = Configuration { scatter_gather: true, ..ZEDBOARD };

/// Processor caches and DRAM, line by line.
///
/// What the processor sees of a buffer is the buffer; what the DMA sees is `dram`. A line that the processor has changed
/// since both were the same is dirty: as on silicon it may be evicted at any time, so the worst moment is assumed, after the
/// DMA has written.
#[derive(Default)]
struct Caches {
    dram: HashMap<u32, [u8; 32]>,
    /// What a line had when the processor and DRAM were last the same.
    synced: HashMap<u32, [u8; 32]>,
    /// The DMA has written since.
    written: HashSet<u32>,
}

/// What DRAM has before anybody wrote to it.
fn never_written(address: u32) -> [u8; 32] {
    std::array::from_fn(|i| (address >> 5) as u8 ^ 0xa5 ^ i as u8)
}

fn address(line: &Line) -> u32 {
    std::ptr::from_ref(line) as usize as u32
}

impl Caches {
    fn dirty(&self, line: &Line) -> bool {
        self.synced.get(&address(line)) != Some(&line.0)
    }

    fn clean(&mut self, line: &Line) {
        // What the DMA has written since may be overwritten with what the line had before: then it looks unchanged.
        if self.dirty(line) || self.written.contains(&address(line)) {
            self.dram.insert(address(line), line.0);
        }
        self.synced.insert(address(line), line.0);
    }

    fn invalidate(&mut self, line: &mut Line) {
        let at = address(line);
        if self.written.remove(&at) && self.dirty(line) {
            self.dram.insert(at, line.0);
        }
        line.0 = *self.dram.entry(at).or_insert_with(|| never_written(at));
        self.synced.insert(at, line.0);
    }
}

/// What the DMA reaches.
struct Dram {
    caches: Caches,
    random: RefCell<Random>,
    fault: Option<Fault>,
}

impl BusMemory for Dram {
    fn read(&mut self, address: u32, bytes: &mut [u8]) -> bool {
        for (i, byte) in bytes.iter_mut().enumerate() {
            let at = address + i as u32;
            let line = self.caches.dram.get(&(at & !31)).copied().unwrap_or_else(|| never_written(at & !31));
            *byte = line[at as usize % 32];
        }
        self.fault != Some(Fault::ReadUnanswered)
    }

    fn write(&mut self, address: u32, bytes: &[u8]) -> bool {
        if self.fault == Some(Fault::WriteUnanswered) {
            return false;
        }
        for (i, byte) in bytes.iter().enumerate() {
            let at = address + i as u32;
            let line = self.caches.dram.entry(at & !31).or_insert_with(|| never_written(at & !31));
            line[at as usize % 32] = *byte;
            self.caches.written.insert(at & !31);
        }
        true
    }

    fn read_latency(&self) -> u64 {
        latency::HP_READ / 2 + self.random.borrow_mut().below(2 * latency::HP_READ)
    }
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// The sending half does not start.
    SendingLost,
    /// The receiving half does not start.
    ReceivingLost,
    /// The sending half is told to send 8 bytes less.
    CutShort,
    /// The sending half is told to send 8 bytes more.
    TooLong,
    /// The receiving half has 8 bytes less.
    NoRoom,
    /// The DMA does not do anything that it is told to.
    DmaStuck,
    /// Memory refuses (SLVERR).
    Refused,
    /// Nobody answers reads (DECERR).
    ReadUnanswered,
    /// Nobody answers writes.
    WriteUnanswered,
    /// STATUS.busy of the fabric reads as 1.
    FabricBusy,
    /// Idle of both halves of the DMA reads as 0.
    DmaBusy,
    /// Everything is reset.
    Reset,
    /// Commands do not reach the fabric.
    CommandLost,
    /// Every register reads as this.
    Reads(u32),
    /// Every register reads as random bits.
    ReadsAnything,
}

/// A cache operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operation {
    Clean,
    Invalidate,
}

/// The platform.
pub struct Host {
    pl: std::mem::ManuallyDrop<Pl<B4R1>>,
    dram: Dram,
    /// Register accesses so far, and when the fault begins and ends.
    accesses: u64,
    fault: Option<(Fault, std::ops::Range<u64>)>,
    /// Cache operations so far, and one that is left out.
    pub operations: Vec<Operation>,
    pub left_out: Option<usize>,
    random: Random,
}

impl Host {
    pub fn new(build: Configuration) -> Self {
        let dram = Dram { caches: Caches::default(), random: RefCell::new(Random::new(1)), fault: None };
        Self {
            pl: std::mem::ManuallyDrop::new(Pl::new(build).expect("a build with Verilator")),
            dram,
            accesses: 0,
            fault: None,
            operations: Vec::new(),
            left_out: None,
            random: Random::new(2),
        }
    }

    /// From the register access after `delay` others on, `fault` is there for `length` accesses.
    pub fn inject(&mut self, fault: Fault, delay: u64, length: u64) {
        self.fault = Some((fault, self.accesses + delay..self.accesses + delay + length));
    }

    /// No fault is there any more.
    pub fn heal(&mut self) {
        self.fault = None;
        self.show(None);
    }

    /// Gives a fault to the DMA and to what it reaches.
    fn show(&mut self, fault: Option<Fault>) {
        self.dram.fault = fault;
        let faults = &mut self.pl.dma().faults;
        faults.stuck = fault == Some(Fault::DmaStuck);
        faults.slave_error = fault == Some(Fault::Refused);
    }

    pub fn accesses(&self) -> u64 {
        self.accesses
    }

    pub fn cycle(&self) -> u64 {
        self.pl.cycle()
    }

    /// The fault of this access.
    fn fault(&mut self) -> Option<Fault> {
        let at = self.accesses;
        self.accesses += 1;
        let (fault, when) = self.fault.clone()?;
        let fault = when.contains(&at).then_some(fault);
        self.show(fault);
        if fault == Some(Fault::Reset) && at == when.start {
            self.pl.reset();
        }
        fault
    }

    fn left_out(&mut self, operation: Operation) -> bool {
        self.operations.push(operation);
        self.left_out == Some(self.operations.len() - 1)
    }
}

const DMA_STATUS: [u16; 2] = [0x04, 0x34];
const MM2S_LENGTH: u16 = 0x28;
const S2MM_LENGTH: u16 = 0x58;
const FABRIC_STATUS: u16 = 0x10;
const FABRIC_COMMAND: u16 = 0x20;

impl Platform for Host {
    fn read(&mut self, window: Window, offset: u16) -> u32 {
        let fault = self.fault();
        let value = self.pl.read(window, offset, &mut self.dram);
        match (fault, window) {
            (Some(Fault::Reads(value)), _) => value,
            (Some(Fault::ReadsAnything), _) => self.random.bits() as u32,
            (Some(Fault::FabricBusy), Window::Fabric) if offset == FABRIC_STATUS => value | 1,
            (Some(Fault::DmaBusy), Window::Dma) if DMA_STATUS.contains(&offset) => value & !2,
            _ => value,
        }
    }

    fn write(&mut self, window: Window, offset: u16, value: u32) {
        let value = match (self.fault(), window, offset) {
            (Some(Fault::SendingLost), Window::Dma, MM2S_LENGTH) => return,
            (Some(Fault::ReceivingLost), Window::Dma, S2MM_LENGTH) => return,
            (Some(Fault::CommandLost), Window::Fabric, FABRIC_COMMAND) => return,
            (Some(Fault::CutShort), Window::Dma, MM2S_LENGTH) => value - 8,
            (Some(Fault::TooLong), Window::Dma, MM2S_LENGTH) => value + 8,
            (Some(Fault::NoRoom), Window::Dma, S2MM_LENGTH) => value - 8,
            _ => value,
        };
        self.pl.write(window, offset, value, &mut self.dram);
    }

    fn clean(&mut self, lines: &[Line]) {
        if !self.left_out(Operation::Clean) {
            lines.iter().for_each(|line| self.dram.caches.clean(line));
        }
    }

    fn invalidate(&mut self, lines: &mut [Line]) {
        if !self.left_out(Operation::Invalidate) {
            lines.iter_mut().for_each(|line| self.dram.caches.invalidate(line));
        }
    }

    fn bus_address(&self, lines: &[Line]) -> Option<u32> {
        lines.first().map(address)
    }

    fn now(&mut self) -> u64 {
        self.pl.cycle()
    }

    fn ticks_per_microsecond(&self) -> u32 {
        100
    }
}

/// An accelerator over a [`Host`].
pub fn accelerator(build: Configuration, patience: u32) -> Accelerator<Host> {
    let memory = Box::leak(Box::new(Memory::NEW));
    Accelerator::new(Host::new(build), memory, Config { length_bits: build.length_bits, patience }).unwrap()
}

/// Memory for polynomials.
pub fn pool<const COUNT: usize>() -> Pool<Software, COUNT> {
    let polys: Vec<Aligned<Software>> = (0..COUNT).map(|_| Aligned(Software::BLANK)).collect();
    let polys: Box<[Aligned<Software>; COUNT]> = polys.try_into().unwrap_or_else(|_| unreachable!());
    Pool::new(Box::leak(polys))
}
