//! The fabric with bus masters around it: register accesses, packets in and out, commands.
use std::collections::VecDeque;
use std::path::Path;

use pqsoc_registers::{Bus, Cause, Command, OverBus, registers};

use crate::axi::{Beat, Pace, Random, beats};
use crate::core::{Configuration, Core, Inputs, Outputs, Work};
use crate::model::{Missing, Wave};

/// A register access was not answered OKAY, or not within 10 000 cycles.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("register 0x{offset:03x}: {what}")]
pub struct BusError {
    /// Offset of the register.
    pub offset: u16,
    /// The response, or that there was none.
    pub what: &'static str,
}

/// An error has halted the fabric.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("command {index} (opcode {opcode}) failed: {cause:?}")]
pub struct Halt {
    /// Why.
    pub cause: Cause,
    /// Opcode of the command that failed.
    pub opcode: u8,
    /// Its index in its list.
    pub index: u16,
}

/// A simulated fabric. Every call that needs time lets the clock run.
///
/// Watches its buses on the way: an output that changes before it is accepted is a panic, because it is a bug in the RTL.
pub struct Fabric<C> {
    core: Core<C>,
    cycle: u64,
    pace: Pace,
    random: Random,
    /// What the next cycle will be driven with, and what the last one was.
    pins: Inputs,
    driven: Inputs,
    outputs: Outputs,
    input: VecDeque<Beat>,
    output: Vec<Beat>,
}

impl<C: Configuration> Fabric<C> {
    /// A fabric that has been reset and has cleared its memories, with nobody making it wait.
    pub fn new() -> Result<Self, Missing> {
        let mut fabric = Self {
            core: Core::new()?,
            cycle: 0,
            pace: Pace::FULL,
            random: Random::new(0),
            pins: Inputs::default(),
            driven: Inputs::default(),
            outputs: Outputs::default(),
            input: VecDeque::new(),
            output: Vec::new(),
        };
        fabric.reset();
        Ok(fabric)
    }

    /// Hardware reset; returns when the memories have been cleared. Beats on their way are lost.
    pub fn reset(&mut self) {
        self.input.clear();
        self.output.clear();
        self.pins = Inputs::default();
        self.outputs = Outputs::default();
        for _ in 0..4 {
            self.core.tick(&self.pins);
        }
        self.pins.rst_n = true;
        self.settle();
    }

    /// Runs until STATUS.busy is 0.
    pub fn settle(&mut self) {
        while self.busy() {}
    }

    fn busy(&mut self) -> bool {
        let io = OverBus::new(self);
        io.registers().status().try_read().is_ok_and(|status| status.busy())
    }

    /// From now on, buses are as willing as `pace`, at random times that depend on `seed`.
    pub fn set_pace(&mut self, pace: Pace, seed: u64) {
        self.pace = pace;
        self.random = Random::new(seed);
    }

    /// Writes everything that happens from now on to an FST file.
    pub fn wave(&mut self, path: &Path) -> Result<(), Wave> {
        self.core.wave(path)
    }

    /// Clock cycles since the reset.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// What the fabric did in the last cycle.
    pub fn work(&self) -> Work {
        self.core.work()
    }

    /// The interrupt line.
    pub fn irq(&self) -> bool {
        self.outputs.irq
    }

    /// Every register and memory of the RTL, and some wires, by path.
    pub fn snapshot(&self) -> Vec<(&'static str, Vec<u8>)> {
        self.core.snapshot()
    }

    /// Lets `cycles` go by without simulating them, if nothing is under way and nothing waits to go in; else does nothing.
    pub fn skip(&mut self, cycles: u64) -> bool {
        let idle = self.core.idle() && self.input.is_empty();
        if idle {
            self.cycle += cycles;
        }
        idle
    }

    /// One clock cycle.
    pub fn step(&mut self) {
        if !self.pins.in_tvalid
            && let Some(beat) = self.input.front()
            && self.random.chance(self.pace.input)
        {
            (self.pins.in_tvalid, self.pins.in_tdata) = (true, beat.data);
            (self.pins.in_tkeep, self.pins.in_tlast) = (beat.keep, beat.last);
        }
        self.pins.out_tready = self.random.chance(self.pace.output);
        let outputs = self.core.tick(&self.pins);
        self.cycle += 1;
        check_stable(&self.driven, &self.outputs, &outputs);
        self.driven = self.pins;
        if self.pins.in_tvalid && outputs.in_tready {
            self.input.pop_front();
            self.pins.in_tvalid = false;
        }
        if outputs.out_tvalid && self.pins.out_tready {
            self.output.push(Beat {
                data: outputs.out_tdata,
                keep: outputs.out_tkeep,
                last: outputs.out_tlast,
            });
        }
        self.outputs = outputs;
    }

    /// Queues one packet of input.
    pub fn send(&mut self, bytes: &[u8]) {
        self.input.extend(beats(bytes));
    }

    /// Queues beats of input as they are.
    pub fn send_beats(&mut self, beats: &[Beat]) {
        self.input.extend(beats);
    }

    /// Input beats not yet taken.
    pub fn input_left(&self) -> usize {
        self.input.len()
    }

    /// Takes back input that has not been offered yet.
    pub fn drop_input(&mut self) {
        self.input.truncate(usize::from(self.pins.in_tvalid));
    }

    /// The beats that came out since the last call.
    pub fn take_beats(&mut self) -> Vec<Beat> {
        std::mem::take(&mut self.output)
    }

    /// The packets that came out since the last call, whole ones only.
    pub fn receive(&mut self) -> Vec<Vec<u8>> {
        let mut packets = vec![Vec::new()];
        let end = self.output.iter().rposition(|beat| beat.last).map_or(0, |last| last + 1);
        for beat in self.output.drain(..end) {
            let packet = packets.last_mut().expect("there is always one");
            packet.extend_from_slice(&beat.data.to_le_bytes()[..beat.keep.count_ones() as usize]);
            if beat.last {
                packets.push(Vec::new());
            }
        }
        packets.pop();
        packets
    }

    /// Writes a command to the FIFO.
    pub fn push(&mut self, command: Command) -> Result<(), BusError> {
        let io = OverBus::new(self);
        let options_at = io.registers().options().as_ptr().addr() as u16;
        let command_at = io.registers().command().as_ptr().addr() as u16;
        self.write(options_at, command.options())?;
        self.write(command_at, command.command())
    }

    /// Starts or stops taking commands from the FIFO.
    pub fn run(&mut self, run: bool) -> Result<(), BusError> {
        OverBus::new(self).registers().control().try_write(|w| w.set_run(run))
    }

    /// Runs until the interrupt line is high, without touching a register, for at most `limit` cycles. True if it is.
    pub fn wait(&mut self, limit: u64) -> bool {
        let end = self.cycle + limit;
        while !self.outputs.irq && self.cycle < end {
            self.step();
        }
        self.outputs.irq
    }

    /// Enables both interrupts and lets commands run; what one does after a reset.
    pub fn start(&mut self) -> Result<(), BusError> {
        let enable = |w: &mut registers::irq_enable::IrqEnable| {
            w.set_done(true);
            w.set_error(true);
        };
        OverBus::new(self).registers().irq_enable().try_write(enable)?;
        self.run(true)
    }

    /// Runs a list: `commands`, the last of them marked as such. Input must have been sent before.
    ///
    /// Waits for the interrupt for at most `limit` cycles, acknowledges it, and says what came of the list: nothing if
    /// the time is up.
    pub fn list(&mut self, commands: &[Command], limit: u64) -> Result<Option<Result<(), Halt>>, BusError> {
        self.run(false)?;
        for (i, command) in commands.iter().enumerate() {
            self.push(if i + 1 == commands.len() { command.last() } else { *command })?;
        }
        self.run(true)?;
        if !self.wait(limit) {
            return Ok(None);
        }
        self.acknowledge().map(Some)
    }

    /// Reads why the interrupt line is high and lowers it.
    pub fn acknowledge(&mut self) -> Result<Result<(), Halt>, BusError> {
        let io = OverBus::new(self);
        let registers = io.registers();
        let pending = registers.irq_status().try_read()?;
        registers.irq_status().try_write_value(pending)?;
        let error = registers.error().try_read()?;
        self.step(); // the line follows its register a cycle later
        Ok(if pending.error() {
            let cause = error.cause().unwrap_or(Cause::NoError);
            Err(Halt { cause, opcode: error.opcode(), index: error.index() })
        } else {
            Ok(())
        })
    }

    /// Leaves the halt that follows an error.
    pub fn recover(&mut self) -> Result<(), BusError> {
        OverBus::new(self).registers().control().try_modify(|w| w.set_recover(true))
    }

    /// Soft reset, until the memories have been cleared.
    pub fn soft_reset(&mut self) -> Result<(), BusError> {
        OverBus::new(self).registers().control().try_modify(|w| w.set_reset(true))?;
        self.settle();
        Ok(())
    }

    /// Cycles of the last command.
    pub fn command_cycles(&mut self) -> Result<u32, BusError> {
        Ok(OverBus::new(self).registers().command_cycles().try_read()?.cycles())
    }

    /// Waits until `pick` finds something in the outputs, for 10 000 cycles.
    fn until<T>(&mut self, pick: impl Fn(&Outputs) -> Option<T>) -> Option<T> {
        for _ in 0..10_000 {
            self.step();
            if let Some(found) = pick(&self.outputs) {
                return Some(found);
            }
        }
        None
    }

    /// Cycles before a channel of the register bus goes on.
    fn pause(&mut self) {
        while !self.random.chance(self.pace.registers) {
            self.step();
        }
    }
}

impl<C: Configuration> Bus for Fabric<C> {
    type Error = BusError;

    fn read(&mut self, offset: u16) -> Result<u32, BusError> {
        let silent = BusError { offset, what: "no answer within 10 000 cycles" };
        self.pause();
        (self.pins.arvalid, self.pins.araddr) = (true, offset);
        let accepted = self.until(|o| o.arready.then_some(()));
        self.pins.arvalid = false;
        let Some(()) = accepted else { return Err(silent) };
        self.pause();
        self.pins.rready = true;
        let answer = self.until(|o| o.rvalid.then_some((o.rdata, o.rresp)));
        self.pins.rready = false;
        let (data, response) = answer.ok_or(silent)?;
        check_response(offset, response)?;
        Ok(data)
    }

    fn write(&mut self, offset: u16, value: u32) -> Result<(), BusError> {
        self.write_bytes(offset, value, 15)
    }
}

impl<C: Configuration> Fabric<C> {
    /// Writes those bytes of a register whose bits in `strobes` (WSTRB, 4 bits) are set. With less than all of them it is
    /// an error, and the fabric is to ignore it.
    pub fn write_bytes(&mut self, offset: u16, value: u32, strobes: u8) -> Result<(), BusError> {
        let silent = BusError { offset, what: "no answer within 10 000 cycles" };
        self.pause();
        // Address and data come together or in either order.
        let address_first = self.random.chance(50);
        let together = self.pace.registers == 100;
        self.pins.awvalid = together || address_first;
        self.pins.wvalid = together || !address_first;
        (self.pins.awaddr, self.pins.wdata, self.pins.wstrb) = (offset, value, strobes);
        let (mut address_due, mut data_due) = (true, true);
        for _ in 0..10_000 {
            self.step();
            if self.pins.awvalid && self.outputs.awready {
                (self.pins.awvalid, address_due) = (false, false);
            }
            if self.pins.wvalid && self.outputs.wready {
                (self.pins.wvalid, data_due) = (false, false);
            }
            if !address_due && !data_due {
                break;
            }
            let go_on = self.random.chance(self.pace.registers);
            self.pins.awvalid |= address_due && go_on;
            self.pins.wvalid |= data_due && go_on;
        }
        (self.pins.awvalid, self.pins.wvalid) = (false, false);
        if address_due || data_due {
            return Err(silent);
        }
        self.pause();
        self.pins.bready = true;
        let response = self.until(|o| o.bvalid.then_some(o.bresp));
        self.pins.bready = false;
        check_response(offset, response.ok_or(silent)?)
    }
}

fn check_response(offset: u16, response: u8) -> Result<(), BusError> {
    match response {
        0 => Ok(()),
        2 => Err(BusError { offset, what: "SLVERR" }),
        _ => Err(BusError { offset, what: "not a response of AXI4-Lite" }),
    }
}

fn check_stable(pins: &Inputs, was: &Outputs, is: &Outputs) {
    if was.out_tvalid && !pins.out_tready {
        let same =
            (was.out_tdata, was.out_tkeep, was.out_tlast) == (is.out_tdata, is.out_tkeep, is.out_tlast);
        assert!(is.out_tvalid && same, "output beat changed before it was accepted");
    }
    if was.bvalid && !pins.bready {
        assert!(is.bvalid && was.bresp == is.bresp, "write response changed before it was accepted");
    }
    if was.rvalid && !pins.rready {
        let same = (was.rdata, was.rresp) == (is.rdata, is.rresp);
        assert!(is.rvalid && same, "read data changed before they were accepted");
    }
}
