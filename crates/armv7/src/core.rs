// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The Cortex-M4F as a board uses it.

use crate::bus::{Bus, Lines};
use crate::memory::{Memory, Unmapped};
use crate::stop::{Fault, Limit, Stop};

/// All registers that a debugger shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    /// R0 to R15. R13 is the stack pointer in use, R15 the address of the next instruction.
    pub r: [u32; 16],
    /// APSR, IPSR and EPSR together.
    pub xpsr: u32,
    /// Main stack pointer.
    pub msp: u32,
    /// Process stack pointer.
    pub psp: u32,
    /// Bit 0.
    pub primask: u32,
    /// Bit 0.
    pub faultmask: u32,
    /// Bits 7:4.
    pub basepri: u32,
    /// nPRIV, SPSEL, FPCA in bits 0 to 2.
    pub control: u32,
    /// S0 to S31.
    pub s: [u32; 32],
    /// FPSCR.
    pub fpscr: u32,
}

/// How control passed from one place to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// BL or BLX: LR holds the return address.
    Call,
    /// BX LR, or a load of PC from the stack.
    Return,
    /// Any other taken branch (a tail call or a switch too).
    Jump,
    /// Exception entry; the number is in IPSR. Tail-chained ones too.
    Entry,
    /// Return from an exception.
    ExceptionReturn,
}

/// What an [`Observer`] is shown of the core.
pub struct View<'a> {
    /// R0 to R15; R15 is not kept up to date here, use the addresses given.
    pub r: &'a [u32; 16],
    /// Cycles since power-on, up to and including the instruction reported.
    pub cycles: u64,
    /// Instructions since power-on.
    pub instructions: u64,
    /// Memory, for a look at the stack.
    pub memory: &'a Memory,
}

/// Watches a run. What is not switched on costs nothing.
pub trait Observer {
    /// Call [`transfer`](Self::transfer).
    const TRANSFERS: bool = false;
    /// Call [`instruction`](Self::instruction); the run is then several times slower.
    const INSTRUCTIONS: bool = false;

    /// Control passes from the instruction at `from` to `to`.
    fn transfer(&mut self, _kind: Transfer, _from: u32, _to: u32, _core: View<'_>) {}

    /// The instruction at `pc` is about to be executed. Encodings of two halfwords have the first in the high half.
    fn instruction(&mut self, _pc: u32, _encoding: u32, _core: View<'_>) {}
}

/// The observer that does not look.
pub struct Unobserved;

impl Observer for Unobserved {}

/// Which faults end the run before their handler is entered, as the vector catch bits of DEMCR do for a debugger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Catch {
    /// Faults that become HardFaults, whatever their class.
    pub hard: bool,
    /// MemManage, BusFault and UsageFault with a handler of their own.
    pub configurable: bool,
}

/// Depth of one stack (main or process).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackWatch {
    /// Lowest value the stack pointer has had since it was set up or since [`CortexM4::reset_stack_watch`].
    pub lowest: u32,
    /// Run ends with [`Stop::StackLimit`] when the pointer goes below this; 0 for never. It is then set to 0.
    pub limit: u32,
}

/// A Cortex-M4F with its memory and the peripherals of a board.
pub struct CortexM4<B> {
    /// The board's peripherals.
    pub bus: B,
    /// RAM and flash.
    pub memory: Memory,
    /// Faults that end the run.
    pub catch: Catch,
    lines: Lines,
}

impl<B: Bus> CortexM4<B> {
    /// A core out of reset; call [`reset`](Self::reset) once the program is in memory.
    pub fn new(memory: Memory, bus: B) -> Self {
        Self { bus, memory, catch: Catch::default(), lines: Lines::new() }
    }

    /// Resets the core: stack pointer and PC from the vector table at 0. Counters of cycles and instructions go on.
    pub fn reset(&mut self) {
        let _ = &mut self.lines;
        todo!()
    }

    /// Executes one instruction, or takes one exception.
    pub fn step(&mut self) -> Option<Stop> {
        todo!()
    }

    /// Runs until something stops it.
    pub fn run(&mut self, limit: Limit) -> Stop {
        self.run_observed(limit, &mut Unobserved)
    }

    /// Runs and shows the observer what it asked for.
    pub fn run_observed<O: Observer>(&mut self, _limit: Limit, _observer: &mut O) -> Stop {
        todo!()
    }

    /// Cycles since power-on, sleeping included.
    pub fn cycles(&self) -> u64 {
        todo!()
    }

    /// Instructions executed since power-on. Those with a failed condition count, IT too.
    pub fn instructions(&self) -> u64 {
        todo!()
    }

    /// All registers.
    pub fn registers(&self) -> Registers {
        todo!()
    }

    /// Sets all registers. XPSR's exception number is set too.
    pub fn set_registers(&mut self, _registers: &Registers) {
        todo!()
    }

    /// One of R0 to R15; the stack pointer in use is 13, the address of the next instruction 15.
    pub fn register(&self, _n: usize) -> u32 {
        todo!()
    }

    /// Sets one of R0 to R15. Bit 0 of a new PC is ignored.
    pub fn set_register(&mut self, _n: usize, _value: u32) {
        todo!()
    }

    /// Address of the next instruction.
    pub fn pc(&self) -> u32 {
        self.register(15)
    }

    /// Reads memory as a debugger does: RAM, flash, the core's own registers; never a peripheral.
    pub fn peek(&mut self, _address: u32, _bytes: &mut [u8]) -> Result<(), Unmapped> {
        todo!()
    }

    /// Ends with [`Stop::Breakpoint`] before the instruction at `address` is executed. A run that starts there executes it.
    pub fn add_breakpoint(&mut self, _address: u32) {
        todo!()
    }

    /// Takes a breakpoint away.
    pub fn remove_breakpoint(&mut self, _address: u32) {
        todo!()
    }

    /// Ends with [`Stop::Watchpoint`] after an access to `length` bytes at `address`. Runs are slower with any set.
    pub fn add_watchpoint(&mut self, _address: u32, _length: u32, _reads: bool, _writes: bool) {
        todo!()
    }

    /// Takes the watchpoint with these values away.
    pub fn remove_watchpoint(&mut self, _address: u32, _length: u32, _reads: bool, _writes: bool) {
        todo!()
    }

    /// After [`Stop::Bkpt`]: goes on behind the instruction.
    pub fn skip_bkpt(&mut self) {
        todo!()
    }

    /// After [`Stop::Bkpt`]: does what silicon without a debugger does (DebugMonitor or HardFault).
    pub fn take_bkpt(&mut self) {
        todo!()
    }

    /// The main stack's depth.
    pub fn main_stack(&mut self) -> &mut StackWatch {
        todo!()
    }

    /// The process stack's depth.
    pub fn process_stack(&mut self) -> &mut StackWatch {
        todo!()
    }

    /// Takes the current stack pointers as the lowest.
    pub fn reset_stack_watch(&mut self) {
        todo!()
    }

    /// The last fault, whether or not a handler dealt with it.
    pub fn last_fault(&self) -> Option<&Fault> {
        todo!()
    }

    /// Number of the exception being handled (IPSR); 0 in thread mode.
    pub fn exception(&self) -> u32 {
        todo!()
    }

    /// Pends interrupt `line` from outside.
    pub fn pend(&mut self, _line: u32) {
        todo!()
    }
}
