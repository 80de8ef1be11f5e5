// SPDX-License-Identifier: Apache-2.0 OR MIT

//! AXI DMA (Xilinx PG021 v7.1), register-compatible: direct register mode and scatter-gather, 64 bits, one clock a call.
//!
//! Left out: multichannel operation, the status and control streams, Keyhole and cyclic descriptors (their bits read back
//! and do nothing).

use std::collections::VecDeque;

use super::latency;

/// A beat of a 64-bit AXI4-Stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beat {
    /// TDATA, first byte in the low byte.
    pub data: u64,
    /// TKEEP.
    pub keep: u8,
    /// TLAST.
    pub last: bool,
}

/// Memory as a bus master sees it.
pub trait Memory {
    /// Reads bytes within 4 KB. False: nobody answers (DECERR).
    fn read(&mut self, address: u32, bytes: &mut [u8]) -> bool;
    /// Writes bytes within 4 KB. False: nobody answers.
    fn write(&mut self, address: u32, bytes: &[u8]) -> bool;
    /// Clocks from an address to its first data.
    fn read_latency(&self) -> u64;
    /// The clock in which the next accesses happen.
    fn at(&mut self, _clock: u64) {}
}

/// How the IP was configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// Scatter-gather instead of direct register mode.
    pub scatter_gather: bool,
    /// Bits of the LENGTH registers, 8 to 26.
    pub length_bits: u32,
    /// Data realignment: buffers may start at any byte.
    pub realignment: bool,
}

impl Default for Configuration {
    /// As `hw/vivado/zedboard.tcl` builds it: direct register mode, 23 bits of length, realignment.
    fn default() -> Self {
        Self { scatter_gather: false, length_bits: 23, realignment: true }
    }
}

// Registers, MM2S at 0x00 and S2MM at 0x30: PG021, "Register Space".
const S2MM: u32 = 0x30;
const END: u32 = 2 * S2MM;
const CONTROL: u32 = 0x00;
const STATUS: u32 = 0x04;
const CURRENT: u32 = 0x08;
const TAIL: u32 = 0x10;
const ADDRESS: u32 = 0x18;
const LENGTH: u32 = 0x28;

// DMACR
const RS: u32 = 1;
/// Reads as 1.
const RESERVED: u32 = 1 << 1;
const RESET: u32 = 1 << 2;
const KEYHOLE: u32 = 1 << 3;
const CYCLIC: u32 = 1 << 4;
/// Packets until an interrupt; and counts of the delay timer.
const THRESHOLD: u32 = 0xff << 16;
const DELAY_COUNTS: u32 = 0xff << 24;
const ONE_PACKET: u32 = 1 << 16;
const CONTROL_WRITABLE: u32 = RS | KEYHOLE | CYCLIC | INTERRUPTS | THRESHOLD | DELAY_COUNTS;
const CONTROL_RESET: u32 = RESERVED | ONE_PACKET;

// DMASR; the interrupts' bits are those that enable them in DMACR.
const HALTED: u32 = 1;
const IDLE: u32 = 1 << 1;
const SG_INCLUDED: u32 = 1 << 3;
const INTERNAL_ERROR: u32 = 1 << 4;
const SLAVE_ERROR: u32 = 1 << 5;
const DECODE_ERROR: u32 = 1 << 6;
const SG_INTERNAL_ERROR: u32 = 1 << 8;
const SG_SLAVE_ERROR: u32 = 1 << 9;
const SG_DECODE_ERROR: u32 = 1 << 10;
const ERRORS: u32 =
    INTERNAL_ERROR | SLAVE_ERROR | DECODE_ERROR | SG_INTERNAL_ERROR | SG_SLAVE_ERROR | SG_DECODE_ERROR;
const IOC: u32 = 1 << 12;
const DELAY: u32 = 1 << 13;
const ERROR: u32 = 1 << 14;
const INTERRUPTS: u32 = IOC | DELAY | ERROR;

// A descriptor: PG021, "Scatter Gather Descriptor". Its control and status words have the length in the low bits.
const DESCRIPTOR: usize = 64;
const DESCRIPTOR_NEXT: usize = 0x00;
const DESCRIPTOR_BUFFER: usize = 0x08;
const DESCRIPTOR_CONTROL: usize = 0x18;
const DESCRIPTOR_STATUS: usize = 0x1c;
const EOF: u32 = 1 << 26;
const SOF: u32 = 1 << 27;
const COMPLETE: u32 = 1 << 31;

/// Beats of the data FIFO of each channel.
const FIFO: usize = 512;
/// Clocks of one count of the delay timer.
const DELAY_CLOCKS: u64 = 125;

/// Why an access to memory failed.
#[derive(Clone, Copy)]
enum Refusal {
    /// SLVERR.
    Slave,
    /// DECERR.
    Decode,
}

impl Refusal {
    const fn of_data(self) -> u32 {
        match self {
            Self::Slave => SLAVE_ERROR,
            Self::Decode => DECODE_ERROR,
        }
    }

    const fn of_descriptor(self) -> u32 {
        match self {
            Self::Slave => SG_SLAVE_ERROR,
            Self::Decode => SG_DECODE_ERROR,
        }
    }
}

/// Faults that a test injects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Transfers never complete.
    pub stuck: bool,
    /// The next memory access is answered with SLVERR.
    pub slave_error: bool,
    /// The next write to memory is answered with SLVERR.
    pub write_error: bool,
}

/// The transfer of one buffer.
#[derive(Clone, Copy, Debug, Default)]
struct Transfer {
    /// Next address for memory.
    address: u32,
    /// Bytes that memory has still to deliver or take.
    left: u32,
    /// Bytes of the buffer.
    total: u32,
    /// Last buffer of a packet.
    eof: bool,
    /// Address of its descriptor.
    descriptor: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing to do.
    Idle,
    /// The descriptor is fetched at this clock.
    Fetch(u64),
    /// A buffer is under way.
    Busy,
    /// The buffer is done; its end shows at this clock.
    Ending(u64),
}

struct Channel {
    control: u32,
    status: u32,
    address: u32,
    length: u32,
    current: u32,
    tail: u32,
    state: State,
    transfer: Transfer,
    /// MM2S: bytes fetched, each beat with the clock from which it can be had. S2MM: beats taken.
    fifo: VecDeque<(u64, Beat)>,
    /// MM2S: bursts asked for: address, bytes, clock of the data. S2MM: bytes to be written: address, clock.
    bursts: VecDeque<(u32, Vec<u8>, u64)>,
    /// The next burst may begin.
    next_burst: u64,
    /// S2MM: bytes of the burst that is being collected.
    collected: Vec<u8>,
    /// S2MM: the buffer's last byte is in.
    full: bool,
    /// S2MM: the packet ended in this buffer.
    packet_ended: bool,
    /// S2MM: no beat of the packet has been taken.
    packet_begins: bool,
    /// Packets since the last completion interrupt, and the clock of the last.
    pending: u32,
    pending_since: u64,
    stopping: bool,
}

impl Channel {
    fn new(sg: bool) -> Self {
        Self {
            control: CONTROL_RESET,
            status: HALTED | if sg { SG_INCLUDED } else { 0 },
            address: 0,
            length: 0,
            current: 0,
            tail: 0,
            state: State::Idle,
            transfer: Transfer::default(),
            fifo: VecDeque::new(),
            bursts: VecDeque::new(),
            next_burst: 0,
            collected: Vec::new(),
            full: false,
            packet_ended: false,
            packet_begins: true,
            pending: 0,
            pending_since: 0,
            stopping: false,
        }
    }

    fn running(&self) -> bool {
        self.control & RS != 0 && self.status & HALTED == 0
    }

    fn fail(&mut self, error: u32) {
        self.status |= error | HALTED | ERROR;
        self.control &= !RS;
        self.state = State::Idle;
        self.bursts.clear();
        self.collected.clear();
    }

    fn interrupt(&self) -> bool {
        self.status & self.control & INTERRUPTS != 0
    }

    fn status_word(&self) -> u32 {
        if self.status & SG_INCLUDED == 0 {
            return self.status;
        }
        self.status | self.threshold().saturating_sub(self.pending) << 16 | self.control & DELAY_COUNTS
    }

    fn threshold(&self) -> u32 {
        (self.control & THRESHOLD) >> 16
    }

    /// Clocks from the last packet to the delay interrupt; 0 for never.
    fn delay(&self) -> u64 {
        u64::from(self.control >> 24) * DELAY_CLOCKS
    }
}

/// The engine: MM2S at 0x00, S2MM at 0x30.
pub struct AxiDma {
    configuration: Configuration,
    mm2s: Channel,
    s2mm: Channel,
    /// The soft reset ends at this clock.
    reset_until: Option<u64>,
    /// Faults to be shown.
    pub faults: Faults,
    /// Bytes read and written so far.
    pub moved: [u64; 2],
}

impl AxiDma {
    /// The engine out of reset.
    pub fn new(configuration: Configuration) -> Self {
        let sg = configuration.scatter_gather;
        Self {
            configuration,
            mm2s: Channel::new(sg),
            s2mm: Channel::new(sg),
            reset_until: None,
            faults: Faults::default(),
            moved: [0; 2],
        }
    }

    /// The reset line was pulled. Injected faults stay, and so does the count of bytes.
    pub fn reset(&mut self) {
        *self = Self { faults: self.faults, moved: self.moved, ..Self::new(self.configuration) };
    }

    /// Levels of mm2s_introut and s2mm_introut.
    pub fn interrupts(&self) -> [bool; 2] {
        [self.mm2s.interrupt(), self.s2mm.interrupt()]
    }

    /// Something will happen without a register access or a beat.
    pub fn busy(&self) -> bool {
        let channel = |c: &Channel| c.state != State::Idle || c.stopping || c.pending != 0 && c.delay() != 0;
        self.reset_until.is_some() || channel(&self.mm2s) || channel(&self.s2mm)
    }

    /// A transfer is under way.
    pub fn transferring(&self) -> bool {
        !matches!((self.mm2s.state, self.s2mm.state), (State::Idle, State::Idle))
    }

    /// Reads the register at `offset`.
    pub fn read(&self, offset: u32) -> u32 {
        let channel = match offset {
            0..S2MM => &self.mm2s,
            S2MM..END => &self.s2mm,
            _ => return 0,
        };
        let sg = self.configuration.scatter_gather;
        match offset % S2MM {
            CONTROL => channel.control,
            STATUS => channel.status_word(),
            CURRENT if sg => channel.current,
            TAIL if sg => channel.tail,
            ADDRESS if !sg => channel.address,
            LENGTH if !sg => channel.length,
            _ => 0,
        }
    }

    /// Writes the register at `offset` in clock `now`. Byte strobes do not count: all 32 bits are taken.
    pub fn write(&mut self, offset: u32, value: u32, now: u64) {
        if self.reset_until.is_some() || offset >= END {
            return;
        }
        let Configuration { scatter_gather: sg, length_bits, realignment } = self.configuration;
        let is_s2mm = offset >= S2MM;
        let channel = if is_s2mm { &mut self.s2mm } else { &mut self.mm2s };
        match offset % S2MM {
            CONTROL if value & RESET != 0 => {
                // Either channel resets both.
                self.mm2s.control |= RESET;
                self.s2mm.control |= RESET;
                self.reset_until = Some(now + latency::DMA_RESET);
            }
            CONTROL => {
                let errors = channel.status & ERRORS != 0;
                channel.control = value & CONTROL_WRITABLE | RESERVED;
                if channel.threshold() == 0 {
                    channel.control |= ONE_PACKET;
                }
                if errors {
                    // Only a reset gets out of this.
                    channel.control &= !RS;
                } else if value & RS != 0 {
                    channel.status &= !HALTED;
                    channel.stopping = false;
                } else if channel.status & HALTED == 0 {
                    channel.stopping = true;
                }
            }
            STATUS => channel.status &= !(value & INTERRUPTS),
            CURRENT if sg && channel.status & HALTED != 0 => channel.current = descriptor_address(value),
            TAIL if sg => {
                channel.tail = descriptor_address(value);
                if channel.running() && channel.state == State::Idle {
                    channel.status &= !IDLE;
                    channel.state = State::Fetch(now + latency::SG_START + latency::SG_FETCH);
                }
            }
            ADDRESS if !sg => channel.address = value,
            LENGTH if !sg => {
                let length = value & ((1 << length_bits) - 1);
                if !channel.running() || length == 0 || channel.state != State::Idle {
                    return;
                }
                channel.length = length;
                if channel.address % 8 != 0 && !realignment {
                    channel.fail(INTERNAL_ERROR);
                    return;
                }
                channel.status &= !IDLE;
                let transfer = Transfer {
                    address: channel.address,
                    left: length,
                    total: length,
                    eof: true,
                    descriptor: 0,
                };
                begin(channel, transfer, now + if is_s2mm { 0 } else { latency::MM2S_START });
            }
            _ => {}
        }
    }

    /// The beat that MM2S offers in clock `now`.
    pub fn offered(&self, now: u64) -> Option<Beat> {
        self.mm2s.fifo.front().filter(|front| front.0 <= now).map(|front| front.1)
    }

    /// The beat offered was taken.
    pub fn taken(&mut self) {
        self.mm2s.fifo.pop_front();
    }

    /// Whether S2MM takes a beat in this clock.
    pub fn ready(&self) -> bool {
        let s2mm = &self.s2mm;
        if self.reset_until.is_some() || s2mm.status & ERRORS != 0 {
            return false;
        }
        let room = if s2mm.state == State::Busy && !s2mm.full { FIFO } else { latency::S2MM_EARLY };
        s2mm.fifo.len() < room
    }

    /// S2MM takes a beat.
    pub fn accept(&mut self, beat: Beat, now: u64) {
        self.s2mm.fifo.push_back((now, beat));
    }

    /// One clock.
    pub fn clock(&mut self, now: u64, memory: &mut dyn Memory) {
        if let Some(until) = self.reset_until {
            if now >= until {
                self.reset();
            }
            return;
        }
        if self.faults.stuck {
            return;
        }
        self.fetch_descriptors(now, memory);
        self.clock_mm2s(now, memory);
        self.clock_s2mm(now, memory);
        for is_s2mm in [false, true] {
            self.clock_end(now, memory, is_s2mm);
        }
    }

    /// What refuses the next access to memory, if anything does.
    fn refused(&mut self, write: bool) -> bool {
        std::mem::take(&mut self.faults.slave_error) || write && std::mem::take(&mut self.faults.write_error)
    }

    fn read_memory(
        &mut self,
        memory: &mut dyn Memory,
        address: u32,
        bytes: &mut [u8],
    ) -> Result<(), Refusal> {
        match self.refused(false) {
            true => Err(Refusal::Slave),
            false if memory.read(address, bytes) => Ok(()),
            false => Err(Refusal::Decode),
        }
    }

    fn write_memory(&mut self, memory: &mut dyn Memory, address: u32, bytes: &[u8]) -> Result<(), Refusal> {
        match self.refused(true) {
            true => Err(Refusal::Slave),
            false if memory.write(address, bytes) => Ok(()),
            false => Err(Refusal::Decode),
        }
    }

    fn fetch_descriptors(&mut self, now: u64, memory: &mut dyn Memory) {
        for is_s2mm in [false, true] {
            let channel = if is_s2mm { &self.s2mm } else { &self.mm2s };
            let State::Fetch(when) = channel.state else { continue };
            if now < when {
                continue;
            }
            let at = channel.current;
            let mut words = [0; DESCRIPTOR];
            let answer = self.read_memory(memory, at, &mut words);
            let word = |n: usize| u32::from_le_bytes([words[n], words[n + 1], words[n + 2], words[n + 3]]);
            let (buffer, control, status) =
                (word(DESCRIPTOR_BUFFER), word(DESCRIPTOR_CONTROL), word(DESCRIPTOR_STATUS));
            let length = control & ((1 << self.configuration.length_bits) - 1);
            let channel = if is_s2mm { &mut self.s2mm } else { &mut self.mm2s };
            if let Err(refusal) = answer {
                channel.fail(refusal.of_descriptor());
            } else if status & COMPLETE != 0 || length == 0 {
                channel.fail(SG_INTERNAL_ERROR);
            } else if buffer % 8 != 0 && !self.configuration.realignment {
                channel.fail(INTERNAL_ERROR);
            } else {
                let transfer = Transfer {
                    address: buffer,
                    left: length,
                    total: length,
                    eof: control & EOF != 0,
                    descriptor: at,
                };
                begin(channel, transfer, now);
            }
        }
    }

    fn clock_mm2s(&mut self, now: u64, memory: &mut dyn Memory) {
        if self.mm2s.state != State::Busy {
            return;
        }
        // Data of an earlier burst arrive.
        while let Some(&(address, _, when)) = self.mm2s.bursts.front() {
            if now < when {
                break;
            }
            let Some((_, mut bytes, _)) = self.mm2s.bursts.pop_front() else { break };
            if let Err(refusal) = self.read_memory(memory, address, &mut bytes) {
                self.mm2s.fail(refusal.of_data());
                return;
            }
            self.moved[0] += bytes.len() as u64;
            let mm2s = &mut self.mm2s;
            mm2s.collected.extend(bytes);
            let ends = mm2s.transfer.left == 0 && mm2s.bursts.is_empty();
            let mut beat_at = now + latency::MM2S_FIRST;
            // What does not fill a beat waits for the packet's next buffer.
            while mm2s.collected.len() >= 8 || ends && mm2s.transfer.eof && !mm2s.collected.is_empty() {
                let count = mm2s.collected.len().min(8);
                let mut data = [0; 8];
                data[..count].copy_from_slice(&mm2s.collected[..count]);
                mm2s.collected.drain(..count);
                let beat = Beat {
                    data: u64::from_le_bytes(data),
                    keep: ((1u16 << count) - 1) as u8,
                    last: ends && mm2s.collected.is_empty() && mm2s.transfer.eof,
                };
                mm2s.fifo.push_back((beat_at, beat));
                beat_at += 1;
            }
        }
        let mm2s = &mut self.mm2s;
        if mm2s.transfer.left == 0 && mm2s.bursts.is_empty() && mm2s.fifo.is_empty() {
            mm2s.state = State::Ending(now + latency::DMA_COMPLETE);
        }
        if mm2s.transfer.left != 0
            && now >= mm2s.next_burst
            && mm2s.fifo.len() + 2 * latency::BURST as usize <= FIFO
        {
            let bytes = burst_bytes(mm2s.transfer.address).min(mm2s.transfer.left);
            mm2s.bursts.push_back((
                mm2s.transfer.address,
                vec![0; bytes as usize],
                now + memory.read_latency(),
            ));
            mm2s.transfer.address = mm2s.transfer.address.wrapping_add(bytes);
            mm2s.transfer.left -= bytes;
            mm2s.next_burst = now + u64::from(bytes.div_ceil(8));
        }
    }

    fn clock_s2mm(&mut self, now: u64, memory: &mut dyn Memory) {
        let s2mm = &mut self.s2mm;
        if s2mm.state != State::Busy {
            return;
        }
        // A beat goes from the FIFO into the burst that is being collected.
        if !s2mm.full
            && let Some((_, beat)) = s2mm.fifo.pop_front()
        {
            let count = beat.keep.count_ones();
            let room = s2mm.transfer.total - s2mm.length_so_far();
            let sg = self.configuration.scatter_gather;
            if count > room && !sg {
                s2mm.fail(INTERNAL_ERROR);
                return;
            }
            let here = count.min(room);
            s2mm.collected.extend(&beat.data.to_le_bytes()[..here as usize]);
            let ended = beat.last && here == count;
            if here < count {
                // The rest of the beat goes into the next buffer.
                let rest = Beat { data: beat.data >> (8 * here), keep: beat.keep >> here, last: beat.last };
                s2mm.fifo.push_front((now, rest));
            }
            let filled = s2mm.length_so_far() == s2mm.transfer.total;
            s2mm.packet_ended = ended;
            if filled && !ended && !sg {
                // The stream is longer than the buffer.
                s2mm.fail(INTERNAL_ERROR);
                return;
            }
            s2mm.full = filled || ended;
        }
        // Whole bursts, and what is left at the end, go to memory.
        loop {
            let at = s2mm.transfer.address;
            let wanted = burst_bytes(at) as usize;
            let bytes = if s2mm.collected.len() >= wanted {
                wanted
            } else if s2mm.full && !s2mm.collected.is_empty() {
                s2mm.collected.len()
            } else {
                break;
            };
            let data: Vec<u8> = s2mm.collected.drain(..bytes).collect();
            let first = s2mm.bursts.is_empty() && at == s2mm.first_address();
            let when = s2mm.next_burst.max(now + if first { latency::S2MM_FIRST } else { 0 })
                + (bytes as u64).div_ceil(8);
            s2mm.next_burst = when + latency::S2MM_GAP;
            s2mm.transfer.address = at.wrapping_add(bytes as u32);
            s2mm.transfer.left -= bytes as u32;
            s2mm.bursts.push_back((at, data, when));
        }
        while let Some((address, data, _)) = self.s2mm.bursts.front().filter(|b| b.2 <= now).cloned() {
            self.s2mm.bursts.pop_front();
            self.moved[1] += data.len() as u64;
            if let Err(refusal) = self.write_memory(memory, address, &data) {
                self.s2mm.fail(refusal.of_data());
                return;
            }
        }
        let s2mm = &mut self.s2mm;
        if s2mm.full && s2mm.collected.is_empty() && s2mm.bursts.is_empty() {
            s2mm.state = State::Ending(now + latency::HP_WRITE + latency::DMA_COMPLETE);
        }
    }

    /// The end of a buffer, of a descriptor, of a run.
    fn clock_end(&mut self, now: u64, memory: &mut dyn Memory, is_s2mm: bool) {
        let sg = self.configuration.scatter_gather;
        let channel = if is_s2mm { &mut self.s2mm } else { &mut self.mm2s };
        if let State::Ending(when) = channel.state
            && now >= when
        {
            channel.state = State::Idle;
            let bytes =
                if is_s2mm { channel.transfer.total - channel.transfer.left } else { channel.transfer.total };
            let ended = if is_s2mm { channel.packet_ended } else { channel.transfer.eof };
            if sg {
                let flags = if is_s2mm {
                    let begins = std::mem::replace(&mut channel.packet_begins, ended);
                    (if begins { SOF } else { 0 }) | if ended { EOF } else { 0 }
                } else {
                    0
                };
                let status = (COMPLETE | flags | bytes).to_le_bytes();
                let at = channel.transfer.descriptor;
                let mut next = [0; 4];
                let answer = self
                    .write_memory(memory, at + DESCRIPTOR_STATUS as u32, &status)
                    .and_then(|()| self.read_memory(memory, at + DESCRIPTOR_NEXT as u32, &mut next));
                let channel = if is_s2mm { &mut self.s2mm } else { &mut self.mm2s };
                if let Err(refusal) = answer {
                    channel.fail(refusal.of_descriptor());
                    return;
                }
                let done = channel.current == channel.tail;
                if done {
                    channel.status |= IDLE;
                } else {
                    channel.state = State::Fetch(now + latency::SG_FETCH);
                }
                channel.current = descriptor_address(u32::from_le_bytes(next));
                if ended {
                    channel.pending += 1;
                    channel.pending_since = now;
                }
                if channel.pending >= channel.threshold() {
                    channel.pending = 0;
                    channel.status |= IOC;
                }
            } else {
                if is_s2mm {
                    channel.length = bytes;
                }
                channel.status |= IDLE | IOC;
            }
        }
        let channel = if is_s2mm { &mut self.s2mm } else { &mut self.mm2s };
        let delay = channel.delay();
        if channel.pending != 0 && delay != 0 && now >= channel.pending_since + delay {
            channel.pending = 0;
            channel.status |= DELAY;
        }
        if channel.stopping && channel.state == State::Idle {
            channel.stopping = false;
            channel.status |= HALTED;
        }
    }
}

impl Channel {
    /// S2MM: bytes of the buffer that have come in.
    fn length_so_far(&self) -> u32 {
        self.transfer.total - self.transfer.left + self.collected.len() as u32
    }

    /// S2MM: where the buffer begins.
    fn first_address(&self) -> u32 {
        self.transfer.address.wrapping_sub(self.transfer.total - self.transfer.left)
    }
}

fn begin(channel: &mut Channel, transfer: Transfer, first_burst: u64) {
    channel.transfer = transfer;
    channel.state = State::Busy;
    channel.next_burst = first_burst;
    channel.full = false;
    channel.packet_ended = false;
}

/// Descriptors are on their own size.
const fn descriptor_address(value: u32) -> u32 {
    value & !(DESCRIPTOR as u32 - 1)
}

/// Bytes of a burst that begins at `address`: sixteen beats, not across 4 KB.
fn burst_bytes(address: u32) -> u32 {
    let most = 8 * latency::BURST as u32;
    (most - address % most).min(0x1000 - address % 0x1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Flat(Vec<u8>);

    impl Memory for Flat {
        fn read(&mut self, address: u32, bytes: &mut [u8]) -> bool {
            let from = self.0.get(address as usize..address as usize + bytes.len());
            from.is_some_and(|from| {
                bytes.copy_from_slice(from);
                true
            })
        }
        fn write(&mut self, address: u32, bytes: &[u8]) -> bool {
            let to = self.0.get_mut(address as usize..address as usize + bytes.len());
            to.is_some_and(|to| {
                to.copy_from_slice(bytes);
                true
            })
        }
        fn read_latency(&self) -> u64 {
            latency::HP_READ
        }
    }

    /// A DMA whose streams are joined; `drop_last` loses TLAST.
    struct Loop {
        dma: AxiDma,
        memory: Flat,
        now: u64,
        drop_last: bool,
    }

    impl Loop {
        fn new(configuration: Configuration) -> Self {
            let memory = Flat((0..0x4000u32).map(|i| (i * 7 + i / 256) as u8).collect());
            Self { dma: AxiDma::new(configuration), memory, now: 0, drop_last: false }
        }

        fn run(&mut self, clocks: u64) {
            for _ in 0..clocks {
                if let Some(mut beat) = self.dma.offered(self.now)
                    && self.dma.ready()
                {
                    beat.last &= !self.drop_last;
                    self.dma.taken();
                    self.dma.accept(beat, self.now);
                }
                self.dma.clock(self.now, &mut self.memory);
                self.now += 1;
            }
        }

        fn write(&mut self, offset: u32, value: u32) {
            self.dma.write(offset, value, self.now);
        }

        fn start(&mut self, from: u32, to: u32, length: u32) {
            self.write(0x00, RS | INTERRUPTS);
            self.write(0x30, RS | INTERRUPTS);
            self.write(0x48, to);
            self.write(0x58, length);
            self.write(0x18, from);
            self.write(0x28, length);
        }
    }

    #[test]
    fn registers_out_of_reset() {
        let dma = AxiDma::new(Configuration::default());
        for base in [0, 0x30] {
            assert_eq!(dma.read(base), 0x0001_0002);
            assert_eq!(dma.read(base + 4), HALTED, "Idle is 0 before the first transfer");
        }
    }

    #[test]
    fn a_direct_transfer_moves_and_interrupts() {
        let mut l = Loop::new(Configuration::default());
        l.start(0x100, 0x2000, 1000);
        assert_eq!(l.dma.read(0x04) & 3, 0);
        l.run(1000);
        assert_eq!(l.memory.0[0x100..0x100 + 1000], l.memory.0[0x2000..0x2000 + 1000]);
        assert_eq!(l.dma.read(0x04), IDLE | IOC);
        assert_eq!(l.dma.read(0x34), IDLE | IOC);
        assert_eq!(l.dma.read(0x58), 1000);
        assert_eq!(l.dma.interrupts(), [true, true]);
        // Only the interrupt bits can be written, by ones.
        l.write(0x34, u32::MAX);
        assert_eq!(l.dma.read(0x34), IDLE);
        assert_eq!(l.dma.interrupts(), [true, false]);
    }

    #[test]
    fn the_first_beat_comes_when_the_manual_says() {
        let mut l = Loop::new(Configuration::default());
        l.write(0x00, RS);
        l.write(0x18, 0x100);
        l.write(0x28, 1024);
        let mut first = None;
        while first.is_none() {
            l.dma.clock(l.now, &mut l.memory);
            first = l.dma.offered(l.now).map(|_| l.now);
            l.now += 1;
        }
        assert_eq!(first, Some(latency::MM2S_START + latency::HP_READ + latency::MM2S_FIRST));
        // and then one a clock
        let start = l.now - 1;
        let mut beats = 0;
        while beats < 128 {
            if l.dma.offered(l.now).is_some() {
                l.dma.taken();
                beats += 1;
            }
            l.dma.clock(l.now, &mut l.memory);
            l.now += 1;
        }
        assert!(l.now - start <= 131, "{}", l.now - start);
    }

    #[test]
    fn length_is_as_wide_as_it_was_built() {
        let mut l = Loop::new(Configuration { length_bits: 14, ..Configuration::default() });
        l.write(0x00, RS);
        l.write(0x18, 0);
        l.write(0x28, 1 << 14);
        l.run(100);
        assert_eq!(l.dma.read(0x28), 0);
        assert!(!l.dma.transferring(), "a length whose low bits are 0 starts nothing");
    }

    #[test]
    fn length_without_run_is_ignored() {
        let mut l = Loop::new(Configuration::default());
        l.write(0x18, 0);
        l.write(0x28, 64);
        l.run(100);
        assert_eq!(l.dma.read(0x04), HALTED);
        assert!(!l.dma.transferring());
    }

    #[test]
    fn a_stream_longer_than_the_buffer_halts_until_reset() {
        let mut l = Loop::new(Configuration::default());
        l.write(0x00, RS);
        l.write(0x30, RS | INTERRUPTS);
        l.write(0x48, 0x2000);
        l.write(0x58, 256);
        l.write(0x18, 0x100);
        l.write(0x28, 512);
        l.run(1000);
        assert_eq!(l.dma.read(0x34), HALTED | INTERNAL_ERROR | ERROR);
        l.write(0x30, RS);
        assert_eq!(l.dma.read(0x34) & HALTED, HALTED, "running again needs a reset");
        l.write(0x30, RESET);
        assert_eq!(l.dma.read(0x00) & RESET, RESET, "and it takes time");
        l.run(latency::DMA_RESET + 1);
        assert_eq!(l.dma.read(0x00), CONTROL_RESET, "both channels are reset");
        assert_eq!(l.dma.read(0x34), HALTED);
        l.start(0x100, 0x2000, 512);
        l.run(1000);
        assert_eq!(l.dma.read(0x34), IDLE | IOC);
    }

    #[test]
    fn a_short_packet_ends_the_transfer_and_says_how_short() {
        let mut l = Loop::new(Configuration::default());
        l.write(0x00, RS);
        l.write(0x30, RS);
        l.write(0x48, 0x2000);
        l.write(0x58, 4096);
        l.write(0x18, 0x100);
        l.write(0x28, 100);
        l.run(1000);
        assert_eq!(l.dma.read(0x34), IDLE | IOC);
        assert_eq!(l.dma.read(0x58), 100);
        assert_eq!(l.memory.0[0x100..0x164], l.memory.0[0x2000..0x2064]);
    }

    #[test]
    fn without_tlast_the_transfer_does_not_end() {
        let mut l = Loop::new(Configuration::default());
        l.drop_last = true;
        l.write(0x00, RS);
        l.write(0x30, RS);
        l.write(0x48, 0x2000);
        l.write(0x58, 4096);
        l.write(0x18, 0x100);
        l.write(0x28, 512);
        l.run(5000);
        assert_eq!(l.dma.read(0x34), 0);
    }

    #[test]
    fn the_sender_may_start_first() {
        let mut l = Loop::new(Configuration::default());
        l.write(0x00, RS);
        l.write(0x30, RS);
        l.write(0x18, 0x100);
        l.write(0x28, 256);
        l.run(500);
        assert_eq!(l.dma.s2mm.fifo.len(), latency::S2MM_EARLY, "a few beats are taken, no more");
        l.write(0x48, 0x2000);
        l.write(0x58, 256);
        l.run(500);
        assert_eq!(l.dma.read(0x34), IDLE | IOC);
        assert_eq!(l.memory.0[0x100..0x200], l.memory.0[0x2000..0x2100]);
    }

    #[test]
    fn buffers_that_are_not_aligned_need_the_realignment_engine() {
        let mut l = Loop::new(Configuration::default());
        l.start(0x103, 0x2005, 77);
        l.run(500);
        assert_eq!(l.dma.read(0x34), IDLE | IOC);
        assert_eq!(l.memory.0[0x103..0x103 + 77], l.memory.0[0x2005..0x2005 + 77]);
        let mut l = Loop::new(Configuration { realignment: false, ..Configuration::default() });
        l.start(0x103, 0x2000, 77);
        assert_eq!(l.dma.read(0x04) & (HALTED | INTERNAL_ERROR), HALTED | INTERNAL_ERROR);
    }

    #[test]
    fn nobody_at_the_address_is_a_decode_error() {
        let mut l = Loop::new(Configuration::default());
        l.start(0x8000_0000, 0x2000, 64);
        l.run(200);
        assert_eq!(l.dma.read(0x04), HALTED | DECODE_ERROR | ERROR);
        let mut l = Loop::new(Configuration::default());
        l.start(0x100, 0x8000_0000, 64);
        l.run(200);
        assert_eq!(l.dma.read(0x34), HALTED | DECODE_ERROR | ERROR);
    }

    fn descriptor(memory: &mut Flat, at: u32, next: u32, buffer: u32, control: u32) {
        for (offset, value) in [(0, next), (8, buffer), (0x18, control), (0x1c, 0)] {
            memory.write(at + offset, &u32::to_le_bytes(value));
        }
    }

    fn word(memory: &Flat, at: usize) -> u32 {
        u32::from_le_bytes([memory.0[at], memory.0[at + 1], memory.0[at + 2], memory.0[at + 3]])
    }

    #[test]
    fn behind_the_registers_is_nothing() {
        let mut l = Loop::new(Configuration::default());
        for offset in [END, END + STATUS, END + S2MM, 0xfffc] {
            l.write(offset, RS);
            assert_eq!(l.dma.read(offset), 0, "{offset:#x}");
        }
        assert_eq!(l.dma.read(CONTROL), CONTROL_RESET);
    }

    #[test]
    fn a_refused_access_is_a_slave_error() {
        // MM2S reads first.
        let mut l = Loop::new(Configuration::default());
        l.dma.faults.slave_error = true;
        l.start(0x100, 0x2000, 64);
        l.run(200);
        assert_eq!(l.dma.read(STATUS), HALTED | SLAVE_ERROR | ERROR);
        let mut l = Loop::new(Configuration::default());
        l.dma.faults.write_error = true;
        l.start(0x100, 0x2000, 64);
        l.run(200);
        assert_eq!(l.dma.read(STATUS), IDLE | IOC);
        assert_eq!(l.dma.read(S2MM + STATUS), HALTED | SLAVE_ERROR | ERROR);
        assert_ne!(l.memory.0[0x100..0x140], l.memory.0[0x2000..0x2040]);
        // A descriptor
        let mut l = Loop::new(Configuration { scatter_gather: true, ..Configuration::default() });
        l.dma.faults.slave_error = true;
        descriptor(&mut l.memory, 0x3000, 0x3040, 0x100, SOF | EOF | 64);
        l.write(CURRENT, 0x3000);
        l.write(CONTROL, RS);
        l.write(TAIL, 0x3000);
        l.run(200);
        assert_eq!(l.dma.read(STATUS) & (HALTED | ERRORS), HALTED | SG_SLAVE_ERROR);
        assert_eq!(SG_SLAVE_ERROR, 0x200);
    }

    #[test]
    fn chains_of_descriptors() {
        let mut l = Loop::new(Configuration { scatter_gather: true, ..Configuration::default() });
        descriptor(&mut l.memory, 0x3000, 0x3040, 0x100, SOF | 100);
        descriptor(&mut l.memory, 0x3040, 0x3080, 0x400, EOF | 60);
        descriptor(&mut l.memory, 0x3100, 0x3140, 0x2000, 128);
        descriptor(&mut l.memory, 0x3140, 0x3180, 0x2080, 128);
        l.write(0x38, 0x3100);
        l.write(0x30, RS | INTERRUPTS | 1 << 16);
        l.write(0x40, 0x3140);
        l.write(0x08, 0x3000);
        l.write(0x00, RS | INTERRUPTS | 1 << 16);
        l.write(0x10, 0x3040);
        l.run(2000);
        let sent: Vec<u8> = [&l.memory.0[0x100..0x164], &l.memory.0[0x400..0x43c]].concat();
        assert_eq!(l.memory.0[0x2000..0x2000 + 160], sent);
        assert_eq!(word(&l.memory, 0x301c), COMPLETE | 100);
        assert_eq!(word(&l.memory, 0x305c), COMPLETE | 60);
        assert_eq!(word(&l.memory, 0x311c), COMPLETE | SOF | 128);
        assert_eq!(word(&l.memory, 0x315c), COMPLETE | EOF | 32);
        assert_eq!(l.dma.read(0x34) & (IDLE | IOC | ERRORS), IDLE | IOC);
        // The same descriptors again: they are complete.
        l.write(0x10, 0x3040);
        l.dma.mm2s.current = 0x3000;
        l.run(200);
        assert_eq!(l.dma.read(0x04) & (HALTED | SG_INTERNAL_ERROR), HALTED | SG_INTERNAL_ERROR);
    }
}
