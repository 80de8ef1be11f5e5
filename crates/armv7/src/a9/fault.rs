// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Why a run ended, and what a fault was.

use std::fmt;

use super::mmu::status;

/// Why a run of a [`CortexA9`](super::CortexA9) ended. The core can always be run again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The limit was reached.
    Limit,
    /// The next instruction has a breakpoint.
    Breakpoint,
    /// The last instruction touched a watched address.
    Watchpoint {
        /// The address accessed.
        address: u32,
        /// It was a store.
        write: bool,
    },
    /// The next instruction is a semihosting call ([`CortexA9::semihosting`](super::CortexA9)).
    Semihosting,
    /// A fault was caught before its handler ran ([`CortexA9::catch`](super::CortexA9)).
    Fault(Fault),
    /// WFI or WFE, and nothing will ever wake the core.
    Sleeping,
    /// The stack pointer went below its limit.
    StackLimit {
        /// The stack pointer now.
        sp: u32,
    },
    /// The system asked for it ([`Context::stop`](super::Context::stop)).
    Requested,
}

/// The exceptions that faults raise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// Undefined Instruction.
    Undefined,
    /// Prefetch Abort.
    Prefetch,
    /// Data Abort.
    Data,
}

/// A fault: what and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its exception.
    pub kind: FaultKind,
    /// Address of the instruction; for asynchronous aborts of one of the next few.
    pub pc: u32,
    /// The core was in T32 state.
    pub thumb: bool,
    /// The instruction, if it could be fetched.
    pub encoding: Option<u32>,
    /// The data address of a Data Abort.
    pub address: Option<u32>,
    /// DFSR or IFSR; 0 for undefined instructions.
    pub status: u32,
    /// Why an instruction is undefined, where that is not plain.
    pub note: Option<&'static str>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind == FaultKind::Undefined {
            let what = self.note.unwrap_or("undefined instruction");
            return match self.encoding {
                Some(encoding) => write!(f, "{what} {encoding:#010x} at {:#010x}", self.pc),
                None => write!(f, "{what} at {:#010x}", self.pc),
            };
        }
        let code = self.status & 15 | self.status >> 6 & 16;
        let reason = match code {
            status::ALIGNMENT => "alignment fault",
            status::DEBUG => "breakpoint instruction without a debugger",
            status::EXTERNAL => "nobody answers (external abort)",
            status::ASYNCHRONOUS => "nobody answers a store (asynchronous external abort)",
            c if status::ACCESS_FLAG.contains(&c) => "access flag fault",
            c if status::TRANSLATION.contains(&c) => "no translation",
            c if status::DOMAIN.contains(&c) => "the domain gives no access",
            c if status::WALK.contains(&c) => "nobody answers the table walk",
            c if status::PERMISSION.contains(&c) => "permission fault",
            _ => "unknown fault",
        };
        match (self.kind, self.address) {
            (FaultKind::Data, Some(address)) => {
                let access = if self.status & 1 << 11 != 0 { "store to" } else { "load from" };
                write!(f, "data abort, {reason}: {access} {address:#010x} at {:#010x}", self.pc)
            }
            (FaultKind::Data, None) => write!(f, "data abort, {reason}, before {:#010x}", self.pc),
            _ => write!(f, "prefetch abort, {reason}, at {:#010x}", self.pc),
        }
    }
}
