// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Loops that only wait for a device or an interrupt: their rounds are counted, not executed.
//!
//! Such a loop is one block that branches back to its start and stores nothing. When a round leaves all registers and
//! flags as the one before did, takes as long, and reads no device whose value may change before its next event
//! ([`Context::steady`](crate::Context::steady)), then nothing will be different until that event, and the rounds up to
//! it can be added up. Counts of cycles and instructions are those of the rounds executed one by one.

use crate::insn::Op;
use crate::regs::Regs;

/// Rounds between two looks at a loop: a power of 2. Looking at each would slow down loops that compute.
const INTERVAL: u32 = 16;

/// What two rounds of a loop are compared by.
#[derive(Default, PartialEq, Eq)]
struct Round {
    block: u32,
    r: [u32; 16],
    flags: [u32; 6],
    cost: u64,
}

/// Looks out for loops that wait.
#[derive(Default)]
pub(crate) struct Waiting {
    rounds: u32,
    last: Round,
    /// Cycles at the end of that round.
    at: u64,
    /// A register was read since whose value may change by itself.
    pub unsteady: bool,
}

impl Waiting {
    /// A round of the loop that is the block at `block` has ended, `cost` cycles after it began. True if it was as the
    /// one before in all respects.
    pub(crate) fn repeats(&mut self, block: u32, regs: &Regs, cost: u64) -> bool {
        self.rounds = self.rounds.wrapping_add(1);
        if self.rounds % INTERVAL > 1 {
            return false;
        }
        let round =
            Round { block, r: regs.r, flags: [regs.n, regs.z, regs.c, regs.v, regs.q, regs.ge], cost };
        let follows = self.at == regs.cycles - cost;
        let repeats = self.rounds % INTERVAL == 1 && follows && !self.unsteady && round == self.last;
        (self.last, self.at, self.unsteady) = (round, regs.cycles, false);
        repeats
    }
}

impl Op {
    /// Whether the instruction leaves its mark on core registers and flags alone.
    pub(crate) const fn is_transient(self) -> bool {
        let stores = matches!(
            self,
            Self::StrImm
                | Self::StrbImm
                | Self::StrhImm
                | Self::StrReg
                | Self::StrbReg
                | Self::StrhReg
                | Self::StrWb
                | Self::StrbWb
                | Self::StrhWb
                | Self::StrUnprivileged
                | Self::Strd
                | Self::StrdPre
                | Self::StrdPost
                | Self::Stm
                | Self::Ldrex
                | Self::Strex
                | Self::Clrex
        );
        !stores && (self as u16) < Self::Vadd as u16
    }
}
