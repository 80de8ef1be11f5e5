// SPDX-License-Identifier: Apache-2.0 OR MIT
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod board;
pub mod console;
mod defmt;
pub mod gdb;
mod heap;
pub mod profile;
pub mod program;
pub mod report;
mod rtt;
pub mod semihosting;
pub mod stm32f407;
pub mod symbols;
pub mod trace;
pub mod zynq7000;

pub use crate::board::{Board, End, Limits, RunError};
pub use crate::program::{LoadError, Program};
