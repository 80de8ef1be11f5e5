// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Arm's A profile with VFPv3: the ZedBoard.

use std::sync::LazyLock;

use gdbstub::arch::Arch;

use super::{Debuggable, Watch, Words, core_registers, description, vfp_registers};
use crate::zynq7000::Zynq7000;

/// As gdb describes it.
pub enum AProfile {}

/// R0 to R15, CPSR; D0 to D31, low word first; FPSCR.
type Registers = Words<82>;

static DESCRIPTION: LazyLock<&str> =
    LazyLock::new(|| description(&[("core", core_registers("cpsr")), ("vfp", vfp_registers(32))]));

impl Arch for AProfile {
    type Usize = u32;
    type Registers = Registers;
    type BreakpointKind = usize;
    type RegId = ();

    fn target_description_xml() -> Option<&'static str> {
        Some(*DESCRIPTION)
    }
}

impl Debuggable for Zynq7000 {
    type Arch = AProfile;

    fn registers(&mut self) -> Registers {
        let regs = self.core().registers();
        let mut words = Words::default();
        words.0[..16].copy_from_slice(&regs.r);
        words.0[16] = regs.cpsr;
        for (pair, double) in words.0[17..81].chunks_exact_mut(2).zip(regs.d) {
            pair.copy_from_slice(&[double as u32, (double >> 32) as u32]);
        }
        words.0[81] = regs.fpscr;
        words
    }

    fn set_registers(&mut self, words: &Registers) {
        let mut regs = self.core().registers();
        let words = &words.0;
        regs.r.copy_from_slice(&words[..16]);
        regs.cpsr = words[16];
        for (double, pair) in regs.d.iter_mut().zip(words[17..81].chunks_exact(2)) {
            *double = u64::from(pair[1]) << 32 | u64::from(pair[0]);
        }
        regs.fpscr = words[81];
        self.core().set_registers(&regs);
    }

    fn peek(&mut self, address: u32) -> Option<u8> {
        let mut byte = [0];
        self.core().peek(address, &mut byte).then_some(byte[0])
    }

    fn poke(&mut self, address: u32, bytes: &[u8]) -> bool {
        self.core().poke(address, bytes)
    }

    fn breakpoint(&mut self, address: u32, set: bool) {
        if set { self.add_breakpoint(address) } else { self.remove_breakpoint(address) }
    }

    fn watchpoint(&mut self, watch: Watch, set: bool) {
        let Watch { address, length, reads, writes } = watch;
        if set {
            self.core().add_watchpoint(address, length, reads, writes);
        } else {
            self.core().remove_watchpoint(address, length, reads, writes);
        }
    }

    fn press_reset(&mut self) -> bool {
        false
    }
}
