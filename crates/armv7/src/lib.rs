// SPDX-License-Identifier: Apache-2.0 OR MIT
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod a32;
pub mod a9;
mod art;
mod bus;
mod cache;
mod core;
mod data;
mod decode;
mod exception;
mod execute;
mod fp;
mod insn;
mod memory;
mod mpu;
mod neon;
mod nvic;
mod regs;
mod scs;
mod stop;
mod systick;
mod timing;
mod waiting;

pub use crate::bus::{Bus, BusError, Context, Size};
pub use crate::core::{Catch, CortexM4, Observer, Registers, StackWatch, Transfer, Unobserved, View};
pub use crate::memory::{FlashTiming, Kind, MapError, Memory, Region, Unmapped};
pub use crate::stop::{Cause, Fault, FaultClass, Limit, Stop};
