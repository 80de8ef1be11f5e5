#![doc = include_str!("../README.md")]
#![no_std]

#[cfg(feature = "linux")]
extern crate std;

mod accelerator;
mod buffer;
mod dma;
mod error;
mod hash;
#[cfg(feature = "linux")]
pub mod linux;
pub mod mldsa;
mod platform;
mod registers;
pub mod slhdsa;
#[cfg(all(target_arch = "arm", target_os = "none"))]
pub mod zynq7000;

pub use accelerator::{Accelerator, Config, Counters, FabricCycles, Memory};
pub use buffer::{Aligned, Buffer, LINE, Line, Plain, Pool, Software};
pub use dma::{Cargo, Exchange, Failed, InPlace, Receive, Send, Spans};
pub use error::{Channel, Error, Fault, State, Waiting};
pub use hash::Hash;
pub use platform::{Platform, Window};
