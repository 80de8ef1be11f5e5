// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The project's fabric as an accelerator of the board: its RTL, in the configurations that are built.

use std::path::Path;

use pqsoc_fabric::{B1R1, B2R2, B4R1, Configuration, Core, Missing, Wave, Work};
use thiserror::Error;

use super::dma::Beat;
use super::pl::{Accelerator, Inputs, Outputs};

/// Clocks of a reset: as many as proc_sys_reset holds it at least.
const RESET: u32 = 16;

/// Why there is no fabric.
#[derive(Debug, Error)]
pub enum FabricError {
    /// Nobody has elaborated it like this.
    #[error(
        "no fabric is built with {butterflies} butterflies and {rounds} rounds a cycle: there are 4 and 1, 2 and 2, 1 and 1"
    )]
    Configuration {
        /// Butterflies of the polynomial unit.
        butterflies: u32,
        /// Rounds of Keccak-f\[1600\] a cycle.
        rounds: u32,
    },
    /// Built without Verilator.
    #[error(transparent)]
    Missing(#[from] Missing),
    /// No waveform.
    #[error(transparent)]
    Wave(#[from] Wave),
}

/// The fabric with so many butterflies and rounds of Keccak-f\[1600\] a cycle (those that go with the butterflies if `None`),
/// which writes everything that happens in it to `wave`.
pub fn fabric(
    butterflies: u32,
    rounds: Option<u32>,
    wave: Option<&Path>,
) -> Result<Box<dyn Accelerator>, FabricError> {
    match (butterflies, rounds) {
        (4, None | Some(1)) => new::<B4R1>(wave),
        (2, None | Some(2)) => new::<B2R2>(wave),
        (1, None | Some(1)) => new::<B1R1>(wave),
        _ => Err(FabricError::Configuration { butterflies, rounds: rounds.unwrap_or(1) }),
    }
}

fn new<C: Configuration + 'static>(wave: Option<&Path>) -> Result<Box<dyn Accelerator>, FabricError> {
    let mut core = Core::<C>::new()?;
    if let Some(path) = wave {
        core.wave(path)?;
    }
    Ok(Box::new(core))
}

impl<C: Configuration> Accelerator for Core<C> {
    fn tick(&mut self, inputs: &Inputs) -> Outputs {
        let beat = inputs.input.unwrap_or(Beat { data: 0, keep: 0, last: false });
        let o = Core::tick(
            self,
            &pqsoc_fabric::Inputs {
                rst_n: true,
                awvalid: inputs.awvalid,
                awaddr: inputs.awaddr,
                wvalid: inputs.wvalid,
                wdata: inputs.wdata,
                wstrb: inputs.wstrb,
                bready: inputs.bready,
                arvalid: inputs.arvalid,
                araddr: inputs.araddr,
                rready: inputs.rready,
                in_tvalid: inputs.input.is_some(),
                in_tdata: beat.data,
                in_tkeep: beat.keep,
                in_tlast: beat.last,
                out_tready: inputs.out_tready,
            },
        );
        Outputs {
            irq: o.irq,
            awready: o.awready,
            wready: o.wready,
            bvalid: o.bvalid,
            bresp: o.bresp,
            arready: o.arready,
            rvalid: o.rvalid,
            rdata: o.rdata,
            rresp: o.rresp,
            in_tready: o.in_tready,
            output: o.out_tvalid.then_some(Beat { data: o.out_tdata, keep: o.out_tkeep, last: o.out_tlast }),
        }
    }

    fn idle(&self) -> bool {
        Core::idle(self)
    }

    fn work(&self) -> Work {
        Core::work(self)
    }

    fn reset(&mut self) {
        for _ in 0..RESET {
            Core::tick(self, &pqsoc_fabric::Inputs::default());
        }
    }
}
