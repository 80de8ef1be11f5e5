#![doc = include_str!("../README.md")]

mod axi;
mod core;
mod fabric;
mod ffi;
mod model;

pub use axi::{Beat, Pace, Random, beats};
pub use core::{B1R1, B2R2, B4R1, Configuration, Core, Inputs, Outputs};
pub use fabric::{BusError, Fabric, Halt};
pub use model::{Missing, Model, Port, Signal, Wave};
/// Models of single modules, for benches.
pub mod models {
    pub use crate::ffi::models::*;
}
