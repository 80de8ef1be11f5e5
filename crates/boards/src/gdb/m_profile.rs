// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Arm's M profile with FPv4-SP: the STM32F407.

use std::sync::LazyLock;

use gdbstub::arch::Arch;

use super::{Debuggable, Watch, Words, core_registers, described, description, vfp_registers};
use crate::stm32f407::Stm32f407;

/// As gdb describes it.
pub enum MProfile {}

/// R0 to R15, XPSR; S0 to S31, which gdb shows as D0 to D15; FPSCR, then what [`SYSTEM`] names.
type Registers = Words<56>;

const SYSTEM: [&str; 6] = ["msp", "psp", "primask", "basepri", "faultmask", "control"];

static DESCRIPTION: LazyLock<&str> = LazyLock::new(|| {
    description(&[
        ("m-profile", core_registers("xpsr")),
        ("vfp", vfp_registers(16)),
        ("m-system", described(SYSTEM.map(String::from), 32, "int")),
    ])
});

impl Arch for MProfile {
    type Usize = u32;
    type Registers = Registers;
    type BreakpointKind = usize;
    type RegId = ();

    fn target_description_xml() -> Option<&'static str> {
        Some(*DESCRIPTION)
    }
}

impl Debuggable for Stm32f407 {
    type Arch = MProfile;

    fn registers(&mut self) -> Registers {
        let regs = self.core().registers();
        let mut words = Words::default();
        words.0[..16].copy_from_slice(&regs.r);
        words.0[16] = regs.xpsr;
        words.0[17..49].copy_from_slice(&regs.s);
        words.0[49..].copy_from_slice(&[
            regs.fpscr,
            regs.msp,
            regs.psp,
            regs.primask,
            regs.basepri,
            regs.faultmask,
            regs.control,
        ]);
        words
    }

    fn set_registers(&mut self, words: &Registers) {
        let mut regs = self.core().registers();
        let words = &words.0;
        regs.r.copy_from_slice(&words[..16]);
        regs.xpsr = words[16];
        regs.s.copy_from_slice(&words[17..49]);
        (regs.fpscr, regs.msp, regs.psp) = (words[49], words[50], words[51]);
        (regs.primask, regs.basepri, regs.faultmask, regs.control) =
            (words[52], words[53], words[54], words[55]);
        self.core().set_registers(&regs);
    }

    fn peek(&mut self, address: u32) -> Option<u8> {
        let mut byte = [0];
        self.read(address, &mut byte).ok().map(|()| byte[0])
    }

    fn poke(&mut self, address: u32, bytes: &[u8]) -> bool {
        self.write(address, bytes).is_ok()
    }

    fn breakpoint(&mut self, address: u32, set: bool) {
        if set { self.core().add_breakpoint(address) } else { self.core().remove_breakpoint(address) }
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
        self.reset();
        true
    }
}
