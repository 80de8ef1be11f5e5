// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Why a run ended, and what a fault was.

use std::fmt;

/// Bounds of a run; it ends at whichever comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Stop when [`CortexM4::cycles`](crate::CortexM4::cycles) has reached this.
    pub cycles: u64,
    /// Stop when [`CortexM4::instructions`](crate::CortexM4::instructions) has reached this (a block of
    /// instructions may be finished first; exact if the run is observed instruction by instruction).
    pub instructions: u64,
}

impl Limit {
    /// No bound.
    pub const NONE: Self = Self { cycles: u64::MAX, instructions: u64::MAX };

    /// Up to this cycle count since power-on.
    pub const fn cycles(cycles: u64) -> Self {
        Self { cycles, ..Self::NONE }
    }
}

/// Why a run ended. The core can always be run again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The [`Limit`] was reached.
    Limit,
    /// The next instruction has a breakpoint ([`CortexM4::add_breakpoint`](crate::CortexM4::add_breakpoint)).
    Breakpoint,
    /// The last instruction touched a watched address.
    Watchpoint {
        /// The address accessed.
        address: u32,
        /// It was a store.
        write: bool,
    },
    /// The next instruction is BKPT: semihosting if the number is 0xab. Go on with
    /// [`skip_bkpt`](crate::CortexM4::skip_bkpt) or [`take_bkpt`](crate::CortexM4::take_bkpt).
    Bkpt(u8),
    /// A fault was caught before its handler ran ([`CortexM4::catch`](crate::CortexM4)).
    Fault(Fault),
    /// Locked up: a fault at the priority of HardFault or NMI. Only a reset helps.
    Lockup(Fault),
    /// WFI or WFE, and nothing will ever wake the core.
    Sleeping,
    /// The stack pointer went below [`StackWatch::limit`](crate::StackWatch).
    StackLimit {
        /// The stack pointer now.
        sp: u32,
    },
    /// A peripheral asked for it ([`Context::stop`](crate::Context::stop)).
    Requested,
}

/// The exceptions that faults raise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultClass {
    /// HardFault raised by itself: a failed vector read, or BKPT without a debugger.
    Hard,
    /// MemManage: the MPU or the default map forbids it.
    MemManage,
    /// BusFault: nobody answers.
    Bus,
    /// UsageFault: the instruction is wrong.
    Usage,
}

/// What went wrong, in the terms of the fault status registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// UFSR.UNDEFINSTR: an encoding that is UNDEFINED.
    Undefined,
    /// UFSR.UNDEFINSTR: an encoding that is UNPREDICTABLE, which this core treats as UNDEFINED.
    Unpredictable,
    /// UFSR.INVSTATE: a branch to an even address, or execution in an invalid state.
    InvalidState,
    /// UFSR.INVPC: a wrong EXC_RETURN or stacked frame.
    InvalidPc,
    /// UFSR.NOCP: a coprocessor that is absent or off.
    NoCoprocessor,
    /// UFSR.UNALIGNED.
    Unaligned,
    /// UFSR.DIVBYZERO.
    DivideByZero,
    /// MMFSR.IACCVIOL: fetch from where execution is forbidden.
    InstructionAccess,
    /// MMFSR.DACCVIOL: load or store where the MPU forbids it.
    DataAccess,
    /// BFSR.IBUSERR: fetch from where nothing answers.
    InstructionBus,
    /// BFSR.PRECISERR.
    PreciseData,
    /// BFSR.IMPRECISERR: a buffered store failed.
    ImpreciseData,
    /// MSTKERR, STKERR: while a frame was pushed.
    Stacking,
    /// MUNSTKERR, UNSTKERR: while a frame was popped.
    Unstacking,
    /// MLSPERR, LSPERR: while the FP state was saved lazily.
    LazyStacking,
    /// HFSR.VECTTBL.
    VectorTable,
    /// HFSR.DEBUGEVT: BKPT without a debugger.
    Debug,
    /// SVC whose priority is too low to run: escalated.
    SupervisorCall,
}

/// A fault: what, where, and what it became.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The fault's own exception class, before escalation.
    pub class: FaultClass,
    /// What went wrong.
    pub cause: Cause,
    /// Address of the instruction (for [`Cause::ImpreciseData`] one of the next few).
    pub pc: u32,
    /// The data address, where there is one.
    pub address: Option<u32>,
    /// The instruction's encoding (first halfword in the high half if it has two), where it could be fetched.
    pub encoding: Option<u32>,
    /// It became a HardFault (HFSR.FORCED) because its own handler is off or cannot preempt.
    pub escalated: bool,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.cause {
            Cause::Undefined => "undefined instruction",
            Cause::Unpredictable => "unpredictable instruction",
            Cause::InvalidState => "branch to an even address (not Thumb code)",
            Cause::InvalidPc => "invalid exception return",
            Cause::NoCoprocessor => "coprocessor absent or off (the FPU is off until CPACR says otherwise)",
            Cause::Unaligned => "unaligned access",
            Cause::DivideByZero => "division by zero",
            Cause::InstructionAccess => "execution from memory that must not be executed",
            Cause::DataAccess => "access that the MPU forbids",
            Cause::InstructionBus => "fetch from an address where there is no memory",
            Cause::PreciseData => "access to an address where nothing answers",
            Cause::ImpreciseData => "store to an address where nothing answers",
            Cause::Stacking => "exception entry could not write its frame to the stack",
            Cause::Unstacking => "exception return could not read its frame from the stack",
            Cause::LazyStacking => "floating-point registers could not be saved to the stack",
            Cause::VectorTable => "exception vector could not be read",
            Cause::Debug => "BKPT without a debugger",
            Cause::SupervisorCall => "SVC at a priority that masks it",
        };
        write!(f, "{what} at pc {:#010x}", self.pc)?;
        if let Some(encoding) = self.encoding {
            let digits = if encoding >> 16 == 0 { 4 } else { 8 };
            write!(f, " (instruction {encoding:0digits$x})")?;
        }
        if let Some(address) = self.address {
            write!(f, ", address {address:#010x}")?;
        }
        if self.escalated {
            write!(f, ", escalated to HardFault")?;
        }
        Ok(())
    }
}
