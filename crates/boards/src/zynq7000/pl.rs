// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The programmable logic: an accelerator behind AXI4-Lite and two AXI4-Streams, beside an AXI DMA, clock by clock.

use pqsoc_fabric::Work;

use super::dma::{AxiDma, Beat, Configuration, Memory};
use super::latency;

/// What goes into the accelerator in a clock. AXI names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// AWVALID.
    pub awvalid: bool,
    /// AWADDR.
    pub awaddr: u16,
    /// WVALID.
    pub wvalid: bool,
    /// WDATA.
    pub wdata: u32,
    /// WSTRB.
    pub wstrb: u8,
    /// BREADY.
    pub bready: bool,
    /// ARVALID.
    pub arvalid: bool,
    /// ARADDR.
    pub araddr: u16,
    /// RREADY.
    pub rready: bool,
    /// A beat of the stream in: TVALID and what comes with it.
    pub input: Option<Beat>,
    /// TREADY of the stream out.
    pub out_tready: bool,
}

/// What comes out of the accelerator in a clock. AXI names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    /// Interrupt, a level.
    pub irq: bool,
    /// AWREADY.
    pub awready: bool,
    /// WREADY.
    pub wready: bool,
    /// BVALID.
    pub bvalid: bool,
    /// BRESP.
    pub bresp: u8,
    /// ARREADY.
    pub arready: bool,
    /// RVALID.
    pub rvalid: bool,
    /// RDATA.
    pub rdata: u32,
    /// RRESP.
    pub rresp: u8,
    /// TREADY of the stream in.
    pub in_tready: bool,
    /// A beat of the stream out: TVALID and what comes with it.
    pub output: Option<Beat>,
}

/// What a design puts into the PL: a device with pins.
pub trait Accelerator {
    /// One clock with these inputs. The outputs are those in the clock, before its closing edge: a beat moves when its
    /// valid and ready are both set.
    fn tick(&mut self, inputs: &Inputs) -> Outputs;

    /// Further clocks with the same inputs would change nothing that can be seen: they are skipped.
    fn idle(&self) -> bool;

    /// What it did in the clock of the last [`tick`](Self::tick).
    fn work(&self) -> Work;

    /// Its reset is pulled and let go.
    fn reset(&mut self);
}

/// Clocks after which a register that does not answer is given up.
const PATIENCE: u64 = 10_000;

/// What became of a register access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Response {
    Okay(u32),
    /// SLVERR or DECERR.
    Error,
    /// None.
    Silence,
}

/// Clocks by what happened in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct PlClocks {
    /// Since power-on.
    pub total: u64,
    /// The accelerator had a command under way.
    pub busy: u64,
    /// Of these: it waited for a beat of a stream to come or to be taken.
    pub waiting: u64,
    /// A DMA transfer was under way.
    pub dma: u64,
}

/// The logic.
pub(super) struct Pl {
    accelerator: Option<Box<dyn Accelerator>>,
    pub dma: AxiDma,
    pub clocks: PlClocks,
    inputs: Inputs,
    outputs: Outputs,
}

impl Pl {
    /// Configured and reset so long ago that nothing is under way any more.
    pub(super) fn new(accelerator: Option<Box<dyn Accelerator>>, dma: Configuration) -> Self {
        let mut pl = Self {
            accelerator,
            dma: AxiDma::new(dma),
            clocks: PlClocks::default(),
            inputs: Inputs::default(),
            outputs: Outputs::default(),
        };
        pl.reset();
        if let Some(accelerator) = &mut pl.accelerator {
            for _ in 0..PATIENCE {
                if accelerator.idle() {
                    break;
                }
                pl.outputs = accelerator.tick(&pl.inputs);
            }
        }
        pl
    }

    /// The reset of all logic, which takes no time here.
    pub(super) fn reset(&mut self) {
        if let Some(accelerator) = &mut self.accelerator {
            accelerator.reset();
        }
        self.dma.reset();
        self.inputs = Inputs::default();
        self.outputs = Outputs::default();
    }

    /// Something happens even if nobody touches a register.
    pub(super) fn active(&self) -> bool {
        self.dma.busy() || self.accelerator.as_ref().is_some_and(|a| !a.idle())
    }

    /// Levels of the lines to the interrupt controller: accelerator, MM2S, S2MM.
    pub(super) fn interrupts(&self) -> [bool; 3] {
        let [mm2s, s2mm] = self.dma.interrupts();
        [self.outputs.irq, mm2s, s2mm]
    }

    fn step(&mut self, memory: &mut dyn Memory) {
        let now = self.clocks.total;
        memory.at(now);
        self.inputs.input = self.dma.offered(now);
        self.inputs.out_tready = self.dma.ready();
        if let Some(accelerator) = &mut self.accelerator {
            self.outputs = accelerator.tick(&self.inputs);
            if self.inputs.input.is_some() && self.outputs.in_tready {
                self.dma.taken();
            }
            if let (Some(beat), true) = (self.outputs.output, self.inputs.out_tready) {
                self.dma.accept(beat, now);
            }
            let Work { busy, stalled } = accelerator.work();
            self.clocks.busy += u64::from(busy);
            self.clocks.waiting += u64::from(busy && stalled);
        }
        self.clocks.dma += u64::from(self.dma.transferring());
        self.dma.clock(now, memory);
        self.clocks.total += 1;
    }

    /// Lets the clock run until `cycle`.
    pub(super) fn advance(&mut self, cycle: u64, memory: &mut dyn Memory) {
        while self.clocks.total < cycle {
            if !self.active() {
                self.clocks.total = cycle;
                return;
            }
            self.step(memory);
        }
    }

    /// Reads a register of the DMA.
    pub(super) fn read_dma(&mut self, offset: u32, memory: &mut dyn Memory) -> Response {
        self.advance(self.clocks.total + latency::DMA_REGISTER, memory);
        Response::Okay(self.dma.read(offset))
    }

    /// Writes a register of the DMA.
    pub(super) fn write_dma(&mut self, offset: u32, value: u32, memory: &mut dyn Memory) -> Response {
        self.advance(self.clocks.total + latency::DMA_REGISTER, memory);
        self.dma.write(offset, value, self.clocks.total);
        Response::Okay(0)
    }

    /// Waits for `done` in the outputs.
    fn until(&mut self, memory: &mut dyn Memory, done: impl Fn(&Outputs) -> bool) -> bool {
        for _ in 0..PATIENCE {
            self.step(memory);
            if done(&self.outputs) {
                return true;
            }
        }
        false
    }

    /// Reads a register of the accelerator.
    pub(super) fn read(&mut self, offset: u16, memory: &mut dyn Memory) -> Response {
        if self.accelerator.is_none() {
            return Response::Error;
        }
        (self.inputs.arvalid, self.inputs.araddr) = (true, offset);
        let accepted = self.until(memory, |o| o.arready);
        self.inputs.arvalid = false;
        self.inputs.rready = true;
        let answered = accepted && self.until(memory, |o| o.rvalid);
        self.inputs.rready = false;
        match (answered, self.outputs.rresp) {
            (false, _) => Response::Silence,
            (true, 0 | 1) => Response::Okay(self.outputs.rdata),
            _ => Response::Error,
        }
    }

    /// Writes a register of the accelerator.
    pub(super) fn write(
        &mut self,
        offset: u16,
        value: u32,
        strobes: u8,
        memory: &mut dyn Memory,
    ) -> Response {
        if self.accelerator.is_none() {
            return Response::Error;
        }
        (self.inputs.awvalid, self.inputs.awaddr) = (true, offset);
        (self.inputs.wvalid, self.inputs.wdata, self.inputs.wstrb) = (true, value, strobes);
        self.inputs.bready = true;
        let mut answered = false;
        for _ in 0..PATIENCE {
            self.step(memory);
            self.inputs.awvalid &= !self.outputs.awready;
            self.inputs.wvalid &= !self.outputs.wready;
            if !self.inputs.awvalid && !self.inputs.wvalid && self.outputs.bvalid {
                answered = true;
                break;
            }
        }
        (self.inputs.awvalid, self.inputs.wvalid, self.inputs.bready) = (false, false, false);
        match (answered, self.outputs.bresp) {
            (false, _) => Response::Silence,
            (true, 0 | 1) => Response::Okay(0),
            _ => Response::Error,
        }
    }
}
