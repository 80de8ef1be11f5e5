//! The fabric and the DMA on one clock, as `hw/vivado/zedboard.tcl` connects them.
use pqsoc_boards::zynq7000::dma::{AxiDma, Beat, Configuration as Build, Memory};
use pqsoc_boards::zynq7000::latency::DMA_REGISTER;
use pqsoc_driver::Window;
use pqsoc_fabric::{Configuration, Core, Inputs, Missing, Outputs};

/// Cycles after which an access of the fabric's registers is given up. Its protocol is proved; nothing comes here.
const SILENCE: u32 = 10_000;

/// The programmable logic.
pub struct Pl<C> {
    core: Core<C>,
    build: Build,
    dma: AxiDma,
    pins: Inputs,
    outputs: Outputs,
    cycle: u64,
}

impl<C: Configuration> Pl<C> {
    /// The logic after its reset; the fabric then clears its memories.
    pub fn new(build: Build) -> Result<Self, Missing> {
        let mut pl = Self {
            core: Core::new()?,
            build,
            dma: AxiDma::new(build),
            pins: Inputs { wstrb: 15, ..Inputs::default() },
            outputs: Outputs::default(),
            cycle: 0,
        };
        pl.reset();
        Ok(pl)
    }

    /// The reset of the fabric and of the DMA, as FPGA_RST_CTRL gives it.
    pub fn reset(&mut self) {
        self.pins = Inputs { wstrb: 15, ..Inputs::default() };
        for _ in 0..4 {
            self.outputs = self.core.tick(&self.pins);
            self.cycle += 1;
        }
        self.pins.rst_n = true;
        self.dma = AxiDma::new(self.build);
    }

    /// Clock cycles so far, those that were skipped among them.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// The DMA, for its faults.
    pub fn dma(&mut self) -> &mut AxiDma {
        &mut self.dma
    }

    /// One clock cycle.
    pub fn tick(&mut self, memory: &mut dyn Memory) {
        let offered = self.dma.offered(self.cycle);
        self.pins.in_tvalid = offered.is_some();
        if let Some(Beat { data, keep, last }) = offered {
            (self.pins.in_tdata, self.pins.in_tkeep, self.pins.in_tlast) = (data, keep, last);
        }
        self.pins.out_tready = self.dma.ready();
        let outputs = self.core.tick(&self.pins);
        if self.pins.in_tvalid && outputs.in_tready {
            self.dma.taken();
        }
        if outputs.out_tvalid && self.pins.out_tready {
            let beat = Beat { data: outputs.out_tdata, keep: outputs.out_tkeep, last: outputs.out_tlast };
            self.dma.accept(beat, self.cycle);
        }
        self.outputs = outputs;
        self.dma.clock(self.cycle, memory);
        self.cycle += 1;
    }

    /// A read over AXI4-Lite. The clock runs until it is answered.
    pub fn read(&mut self, window: Window, offset: u16, memory: &mut dyn Memory) -> u32 {
        if window == Window::Dma {
            for _ in 0..DMA_REGISTER {
                self.tick(memory);
            }
            return self.dma.read(offset.into());
        }
        (self.pins.arvalid, self.pins.araddr) = (true, offset & 0xfff);
        self.until(memory, |o| o.arready);
        self.pins.arvalid = false;
        self.pins.rready = true;
        self.until(memory, |o| o.rvalid);
        self.pins.rready = false;
        assert_eq!(self.outputs.rresp, 0, "a register of the map");
        self.outputs.rdata
    }

    /// A write over AXI4-Lite. The clock runs until it is answered.
    pub fn write(&mut self, window: Window, offset: u16, value: u32, memory: &mut dyn Memory) {
        if window == Window::Dma {
            for _ in 0..DMA_REGISTER {
                self.tick(memory);
            }
            return self.dma.write(offset.into(), value, self.cycle);
        }
        (self.pins.awvalid, self.pins.wvalid) = (true, true);
        (self.pins.awaddr, self.pins.wdata) = (offset & 0xfff, value);
        for _ in 0..SILENCE {
            self.tick(memory);
            self.pins.awvalid &= !self.outputs.awready;
            self.pins.wvalid &= !self.outputs.wready;
            if !self.pins.awvalid && !self.pins.wvalid {
                break;
            }
        }
        self.pins.bready = true;
        self.until(memory, |o| o.bvalid);
        self.pins.bready = false;
        assert_eq!(self.outputs.bresp, 0, "a register of the map");
    }

    fn until(&mut self, memory: &mut dyn Memory, ready: impl Fn(&Outputs) -> bool) {
        for _ in 0..SILENCE {
            self.tick(memory);
            if ready(&self.outputs) {
                return;
            }
        }
        panic!("a register that does not answer");
    }
}
