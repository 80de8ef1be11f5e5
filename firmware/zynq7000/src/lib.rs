// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Start-up of a Cortex-A9 on a Zynq-7000, and its console: what a program needs before it is a program.
//!
//! The processor arrives from a boot loader, a debugger or a virtual board in Supervisor mode with MMU and caches off. It
//! leaves here in System mode with vectors, stacks, MMU, both levels of caches, coherency, branch prediction, FPU and
//! cycle counter on. A program defines `extern "C" fn main() -> !`.

#![no_std]

pub mod counters;
pub mod semihosting;
pub mod stack;
pub mod startup;
pub mod uart;
