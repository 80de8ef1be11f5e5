#![doc = include_str!("../README.md")]

mod axi;
mod core;
mod fabric;
mod ffi;
mod model;

pub use axi::{Beat, Pace, Random, beats};
pub use core::{B1R1, B1R2, B2R1, B2R2, B4R1, B4R2, Configuration, Core, Inputs, Outputs, Work};
pub use fabric::{BusError, Fabric, Halt};
pub use model::{Missing, Model, Port, Signal, Wave};
/// SHA3-256 of the RTL that the models were made of: of each file of `hw/rtl/fabric.f`, its name and its text, with their
/// lengths.
pub const RTL_SHA3_256: &str = env!("PQSOC_RTL_SHA3_256");

/// Models of single modules, for benches.
pub mod models {
    pub use crate::ffi::models::*;
}
