//! The fabric as a device with pins: one call is one clock cycle.
use std::marker::PhantomData;
use std::path::Path;

use crate::ffi::models::{FABRIC_1X1, FABRIC_1X2, FABRIC_2X1, FABRIC_2X2, FABRIC_4X1, FABRIC_4X2, Info};
use crate::model::{Missing, Model, Port, Signal, Wave};

/// The parameters that a fabric was elaborated with.
pub trait Configuration {
    /// Butterflies of the polynomial unit.
    const BUTTERFLIES: u32;
    /// Rounds of Keccak-f\[1600\] a cycle.
    const ROUNDS: u32;
    /// Polynomial slots.
    const SLOTS: u32;
    /// The model.
    fn info() -> &'static Info;
}

macro_rules! configuration {
    ($name:ident, $butterflies:literal, $rounds:literal, $slots:literal, $info:ident, $what:literal) => {
        #[doc = $what]
        pub struct $name;
        impl Configuration for $name {
            const BUTTERFLIES: u32 = $butterflies;
            const ROUNDS: u32 = $rounds;
            const SLOTS: u32 = $slots;
            fn info() -> &'static Info {
                &$info
            }
        }
    };
}
configuration!(B4R1, 4, 1, 64, FABRIC_4X1, "Four butterflies, one round a cycle: the default.");
configuration!(B2R2, 2, 2, 64, FABRIC_2X2, "Two butterflies, two rounds a cycle.");
configuration!(B1R1, 1, 1, 64, FABRIC_1X1, "One butterfly, one round a cycle: the smallest.");
configuration!(
    B1R2,
    1,
    2,
    16,
    FABRIC_1X2,
    "One butterfly, two rounds a cycle, 16 slots, 32 commands: parameters other than the defaults."
);
configuration!(
    B2R1,
    2,
    1,
    2,
    FABRIC_2X1,
    "Two butterflies, one round a cycle, 2 slots, 2 commands: the fewest of both."
);
configuration!(
    B4R2,
    4,
    2,
    256,
    FABRIC_4X2,
    "Four butterflies, two rounds a cycle, 256 slots, 32768 commands: the most of everything."
);

macro_rules! pins {
    ($(#[$meta:meta])* $name:ident, $ports:ident { $($(#[$doc:meta])* $field:ident: $type:ty = $port:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name { $($(#[$doc])* pub $field: $type,)* }
        struct $ports { $($field: Port,)* }
        impl $ports {
            fn of(model: &Model) -> Self {
                Self { $($field: model.port($port),)* }
            }
        }
    };
}

pins! {
    /// Everything that goes into the fabric. AXI names; AWPROT and ARPROT are 0.
    Inputs, InputPorts {
        /// Reset, active low.
        rst_n: bool = "rst_ni",
        /// AWVALID.
        awvalid: bool = "s_axil_awvalid_i",
        /// AWADDR, 12 bits.
        awaddr: u16 = "s_axil_awaddr_i",
        /// WVALID.
        wvalid: bool = "s_axil_wvalid_i",
        /// WDATA.
        wdata: u32 = "s_axil_wdata_i",
        /// WSTRB, 4 bits.
        wstrb: u8 = "s_axil_wstrb_i",
        /// BREADY.
        bready: bool = "s_axil_bready_i",
        /// ARVALID.
        arvalid: bool = "s_axil_arvalid_i",
        /// ARADDR, 12 bits.
        araddr: u16 = "s_axil_araddr_i",
        /// RREADY.
        rready: bool = "s_axil_rready_i",
        /// TVALID of the stream in.
        in_tvalid: bool = "s_axis_tvalid_i",
        /// TDATA of the stream in.
        in_tdata: u64 = "s_axis_tdata_i",
        /// TKEEP of the stream in.
        in_tkeep: u8 = "s_axis_tkeep_i",
        /// TLAST of the stream in.
        in_tlast: bool = "s_axis_tlast_i",
        /// TREADY of the stream out.
        out_tready: bool = "m_axis_tready_i",
    }
}
pins! {
    /// Everything that comes out of the fabric. AXI names.
    Outputs, OutputPorts {
        /// Interrupt, a level.
        irq: bool = "irq_o",
        /// AWREADY.
        awready: bool = "s_axil_awready_o",
        /// WREADY.
        wready: bool = "s_axil_wready_o",
        /// BVALID.
        bvalid: bool = "s_axil_bvalid_o",
        /// BRESP, 2 bits.
        bresp: u8 = "s_axil_bresp_o",
        /// ARREADY.
        arready: bool = "s_axil_arready_o",
        /// RVALID.
        rvalid: bool = "s_axil_rvalid_o",
        /// RDATA.
        rdata: u32 = "s_axil_rdata_o",
        /// RRESP, 2 bits.
        rresp: u8 = "s_axil_rresp_o",
        /// TREADY of the stream in.
        in_tready: bool = "s_axis_tready_o",
        /// TVALID of the stream out.
        out_tvalid: bool = "m_axis_tvalid_o",
        /// TDATA of the stream out.
        out_tdata: u64 = "m_axis_tdata_o",
        /// TKEEP of the stream out.
        out_tkeep: u8 = "m_axis_tkeep_o",
        /// TLAST of the stream out.
        out_tlast: bool = "m_axis_tlast_o",
    }
}

/// What the fabric did in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// A command was under way: BUSY_CYCLES counted.
    pub busy: bool,
    /// It waited for a stream: STALL_IN_CYCLES or STALL_OUT_CYCLES counted.
    pub stalled: bool,
}

/// The RTL of the fabric, clocked by [`tick`](Self::tick).
pub struct Core<C> {
    model: Model,
    clock: Port,
    inputs: InputPorts,
    outputs: OutputPorts,
    driven: Inputs,
    /// Signals that have a fixed value while nothing is under way, and that value.
    at_rest: [(Signal, u64); 7],
    /// Cycles for which nothing has been under way.
    quiet: u32,
    phase: Signal,
    stalls: [Signal; 2],
    work: Work,
    configuration: PhantomData<C>,
}

impl<C: Configuration> Core<C> {
    /// A fabric before its reset.
    pub fn new() -> Result<Self, Missing> {
        let model = Model::new(C::info())?;
        Ok(Self {
            clock: model.port("clk_i"),
            inputs: InputPorts::of(&model),
            outputs: OutputPorts::of(&model),
            driven: Inputs::default(),
            at_rest: [
                (model.signal("u_sequencer.phase_q"), 1), // Idle
                (model.signal("u_sampler.phase_q"), 1),   // Ready
                (model.signal("u_registers.axil_n_in_flight"), 0),
                (model.signal("u_registers.axil_arvalid"), 0),
                (model.signal("u_registers.axil_awvalid"), 0),
                (model.signal("u_registers.axil_wvalid"), 0),
                (model.signal("push_q"), 0),
            ],
            quiet: 0,
            phase: model.signal("u_sequencer.phase_q"),
            stalls: [model.signal("stall_in_cycles"), model.signal("stall_out_cycles")],
            work: Work::default(),
            model,
            configuration: PhantomData,
        })
    }

    /// One clock cycle with these inputs. The outputs are those in the cycle, before its closing clock edge: a beat
    /// moves when its valid and ready are both set.
    pub fn tick(&mut self, inputs: &Inputs) -> Outputs {
        self.model.set(self.clock, 0);
        self.drive(inputs);
        self.model.eval();
        let outputs = self.sample();
        // Fetch, Check, Step and Wait
        let busy = (2..=5).contains(&self.model.peek(self.phase));
        let before = self.stalls.map(|count| self.model.peek(count));
        self.model.set(self.clock, 1);
        self.model.eval();
        let after = self.stalls.map(|count| self.model.peek(count));
        let stalled = after[0] > before[0] || after[1] > before[1];
        self.work = Work { busy, stalled };
        let asked = inputs.awvalid || inputs.wvalid || inputs.arvalid || inputs.in_tvalid || !inputs.rst_n;
        let moving = asked || outputs.out_tvalid && inputs.out_tready;
        let rests = |&(signal, value): &(Signal, u64)| self.model.peek(signal) == value;
        self.quiet = if !moving && self.at_rest.iter().all(rests) { self.quiet + 1 } else { 0 };
        outputs
    }

    /// Further cycles would change nothing, as long as no input changes: the clock may stand still until then.
    pub fn idle(&self) -> bool {
        // Longer than any pipeline.
        self.quiet >= 32
    }

    /// What the fabric did in the cycle of the last [`tick`](Self::tick).
    pub fn work(&self) -> Work {
        self.work
    }

    /// Every register and memory, and some wires, by path.
    pub fn snapshot(&self) -> Vec<(&'static str, Vec<u8>)> {
        self.model.snapshot()
    }

    /// Writes everything that happens from now on to an FST file, two time units a cycle.
    pub fn wave(&mut self, path: &Path) -> Result<(), Wave> {
        self.model.wave(path)
    }

    fn drive(&mut self, new: &Inputs) {
        macro_rules! drive {
            ($($field:ident)*) => {
                $(if self.driven.$field != new.$field {
                    self.model.set(self.inputs.$field, u64::from(new.$field));
                })*
            };
        }
        drive!(rst_n awvalid awaddr wvalid wdata wstrb bready arvalid araddr rready);
        drive!(in_tvalid in_tdata in_tkeep in_tlast out_tready);
        self.driven = *new;
    }

    fn sample(&self) -> Outputs {
        let bit = |port| self.model.get(port) != 0;
        let byte = |port| self.model.get(port) as u8;
        let o = &self.outputs;
        Outputs {
            irq: bit(o.irq),
            awready: bit(o.awready),
            wready: bit(o.wready),
            bvalid: bit(o.bvalid),
            bresp: byte(o.bresp),
            arready: bit(o.arready),
            rvalid: bit(o.rvalid),
            rdata: self.model.get(o.rdata) as u32,
            rresp: byte(o.rresp),
            in_tready: bit(o.in_tready),
            out_tvalid: bit(o.out_tvalid),
            out_tdata: self.model.get(o.out_tdata),
            out_tkeep: byte(o.out_tkeep),
            out_tlast: bit(o.out_tlast),
        }
    }
}
