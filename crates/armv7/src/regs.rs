// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Registers that instructions see, in the form that is quickest to work on.

/// Core and floating-point registers, flags, and the counters that every block changes.
pub(crate) struct Regs {
    /// R13 is the stack pointer in use; R15 is not used, see `pc`.
    pub r: [u32; 16],
    /// Address of the next instruction, while none is executing.
    pub pc: u32,
    /// 1 in T32, 0 in A32.
    pub thumb: u32,
    /// N is bit 31.
    pub n: u32,
    /// Z is set if this is 0.
    pub z: u32,
    /// C: 0 or 1.
    pub c: u32,
    /// V is bit 31.
    pub v: u32,
    /// Q: 0 or 1.
    pub q: u32,
    /// GE as a mask of bytes.
    pub ge: u32,
    /// S0 to S31; behind them D16 to D31 of the A profile, low word first.
    pub s: [u32; 64],
    pub fpscr: u32,
    /// FP instructions may run: access is allowed, state is active, nothing is left to be saved lazily.
    pub fp_ready: bool,
    /// The address tagged by LDREX, if the local monitor is in the exclusive state.
    pub exclusive: Option<u32>,
    pub cycles: u64,
    pub instructions: u64,
    /// The lowest R13 so far, and where to stop.
    pub sp_lowest: u32,
    pub sp_limit: u32,
}

/// Bit `nzcv` of `CONDITIONS[cond]` says whether the condition holds.
const CONDITIONS: [u16; 16] = {
    let mut table = [0u16; 16];
    let mut cond = 0;
    while cond < 16 {
        let mut flags = 0;
        while flags < 16 {
            let (n, z, c, v) = (flags & 8 != 0, flags & 4 != 0, flags & 2 != 0, flags & 1 != 0);
            let holds = match cond >> 1 {
                0 => z,
                1 => c,
                2 => n,
                3 => v,
                4 => c && !z,
                5 => n == v,
                6 => n == v && !z,
                _ => true,
            };
            if holds != (cond & 1 != 0 && cond != 15) {
                table[cond] |= 1 << flags;
            }
            flags += 1;
        }
        cond += 1;
    }
    table
};

impl Regs {
    pub(crate) fn new() -> Self {
        Self {
            r: [0; 16],
            pc: 0,
            n: 0,
            z: 1,
            c: 0,
            v: 0,
            q: 0,
            ge: 0,
            s: [0; 64],
            thumb: 1,
            fpscr: 0,
            fp_ready: false,
            exclusive: None,
            cycles: 0,
            instructions: 0,
            sp_lowest: u32::MAX,
            sp_limit: 0,
        }
    }

    #[inline]
    pub(crate) fn holds(&self, cond: u8) -> bool {
        let nzcv = (self.n >> 31) << 3 | u32::from(self.z == 0) << 2 | self.c << 1 | self.v >> 31;
        CONDITIONS[(cond & 15) as usize] >> nzcv & 1 != 0
    }

    /// N, Z, C, V, Q and GE in their places.
    pub(crate) fn apsr(&self) -> u32 {
        let ge = (self.ge & 0x0804_0201).wrapping_mul(0x0101_0101) >> 24;
        self.n & 1 << 31
            | u32::from(self.z == 0) << 30
            | self.c << 29
            | self.v >> 31 << 28
            | self.q << 27
            | ge << 16
    }

    pub(crate) fn set_nzcvq(&mut self, apsr: u32) {
        self.n = apsr;
        self.z = u32::from(apsr & 1 << 30 == 0);
        self.c = apsr >> 29 & 1;
        self.v = apsr << 3;
        self.q = apsr >> 27 & 1;
    }

    pub(crate) fn set_ge(&mut self, apsr: u32) {
        let mut mask = 0;
        for byte in 0..4 {
            if apsr >> (16 + byte) & 1 != 0 {
                mask |= 0xff << (8 * byte);
            }
        }
        self.ge = mask;
    }

    /// Notes a new depth of the stack. True if the limit is passed; it is then gone.
    #[inline]
    pub(crate) fn note_sp(&mut self) -> bool {
        if self.r[13] >= self.sp_lowest {
            return false;
        }
        self.sp_lowest = self.r[13];
        if self.r[13] >= self.sp_limit {
            return false;
        }
        self.sp_limit = 0;
        true
    }
}
