//! The registers of the fabric, generated from `hw/registers/fabric_regs.rdl`, and its commands.
//!
//! [`FabricRegs`] reads and writes them through any `peakrdl_rust::io::RegisterIO`: volatile pointers on a board, bus
//! transactions in a simulation. `cargo xtask registers` writes what is under `generated`.
#![no_std]
#![warn(missing_docs)]

mod bus;
mod command;
#[rustfmt::skip]
// Descriptions speak of Keccak-f[1600], which is no link.
#[allow(missing_docs, dead_code, clippy::all, rustdoc::broken_intra_doc_links)]
mod generated;

pub use bus::{Bus, OverBus};
pub use command::{Command, Hash, Opcode};
pub use generated::FabricRegs;
/// One module a register.
pub use generated::components::fabric_regs as registers;
/// Why the fabric halted.
pub use generated::components::fabric_regs::named_types::cause_e::CauseE as Cause;
