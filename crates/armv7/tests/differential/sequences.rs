// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Random instruction sequences that cover every encoding of ARMv7E-M with FPv4-SP and stay inside the rules: no
//! UNPREDICTABLE operands, loads and stores in a scratch area, branches forwards and short.

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn bits(&mut self, n: u32) -> u32 {
        (self.next() >> 20) as u32 & (((1u64 << n) - 1) as u32)
    }

    pub fn below(&mut self, n: u32) -> u32 {
        (self.next() >> 32) as u32 % n
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }

    /// A number that finds edge cases more often than chance would.
    pub fn number(&mut self) -> u32 {
        match self.below(8) {
            0 => self.pick(&[
                0,
                1,
                2,
                0x7f,
                0x80,
                0xff,
                0x7fff,
                0x8000,
                0xffff,
                0x7fff_ffff,
                0x8000_0000,
                u32::MAX,
            ]),
            1 => self.bits(8),
            2 => u32::MAX - self.bits(8),
            3 => 1 << self.bits(5),
            4 => self.bits(16) << 16 | self.pick(&[0, 0x7fff, 0x8000, 0xffff]),
            _ => self.bits(32),
        }
    }

    /// A single-precision number: of any class, and often of an exponent near others.
    pub fn float(&mut self) -> u32 {
        let sign = self.bits(1) << 31;
        match self.below(10) {
            0 => {
                sign | self.pick(&[
                    0,
                    1,
                    0x7f_ffff,
                    0x80_0000,
                    0x7f80_0000,
                    0x7f7f_ffff,
                    0x7f80_0001,
                    0x7fc0_0000,
                ])
            }
            1 => sign | self.bits(23),
            2 => sign | 0x7f80_0000 | self.bits(23),
            3 => sign | (120 + self.bits(4)) << 23 | self.bits(23),
            4 => sign | (127 + self.bits(5)) << 23 | self.bits(5) << 18,
            5 => sign | self.bits(3) << 23 | self.bits(23),
            6 => sign | (247 + self.bits(3)) << 23 | self.bits(23),
            7 => sign | (102 + self.bits(5)) << 23 | self.bits(23),
            8 => self.bits(32),
            _ => sign | (126 + self.bits(2)) << 23 | self.bits(23),
        }
    }

    /// R0 to R12 or LR.
    fn reg(&mut self) -> u32 {
        self.pick(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14])
    }

    fn reg_not(&mut self, not: &[u32]) -> u32 {
        loop {
            let r = self.reg();
            if !not.contains(&r) {
                return r;
            }
        }
    }

    fn low(&mut self) -> u32 {
        self.bits(3)
    }
}

fn two(word: u32) -> Vec<u16> {
    vec![(word >> 16) as u16, word as u16]
}

fn one(word: u32) -> Vec<u16> {
    vec![word as u16]
}

/// The 12 bits i:imm3:imm8 of a modified immediate that is not UNPREDICTABLE, spread as the encoding has them.
fn modified_immediate(r: &mut Random) -> u32 {
    let mut imm = r.bits(12);
    if imm >> 10 == 0 && imm >> 8 != 0 && imm & 0xff == 0 {
        imm |= 0x81;
    }
    imm12(imm)
}

fn imm12(imm: u32) -> u32 {
    (imm >> 11) << 26 | (imm >> 8 & 7) << 12 | imm & 0xff
}

const DATA_OPS: [u32; 10] = [0, 1, 2, 3, 4, 8, 10, 11, 13, 14];

/// MOVW or MOVT.
fn move_half(top: bool, d: u32, imm: u32) -> Vec<u16> {
    let base = if top { 0xf2c0_0000 } else { 0xf240_0000 };
    two(base | (imm >> 12) << 16 | imm12(imm & 0xfff) | d << 8)
}

fn constant(d: u32, value: u32) -> Vec<u16> {
    [move_half(false, d, value & 0xffff), move_half(true, d, value >> 16)].concat()
}

/// Shift of a register operand in the wide encodings: imm3, imm2 and type.
fn shift_bits(r: &mut Random) -> u32 {
    r.bits(3) << 12 | r.bits(4) << 4
}

type Make = fn(&mut Random) -> Vec<u16>;

/// Instructions that touch registers and flags only, and that can stand in an IT block: one entry an encoding.
const PLAIN: &[Make] = &[
    // shift imm T1
    |r| {
        let kind = r.below(3);
        let amount = if kind == 0 { 1 + r.below(31) } else { r.bits(5) };
        one(kind << 11 | amount << 6 | r.low() << 3 | r.low())
    },
    // add/sub reg/imm3 T1
    |r| one(0x1800 | r.bits(2) << 9 | r.low() << 6 | r.low() << 3 | r.low()),
    // mov/cmp/add/sub imm8 T1
    |r| one(0x2000 | r.bits(2) << 11 | r.low() << 8 | r.bits(8)),
    // data processing T1
    |r| one(0x4000 | r.bits(4) << 6 | r.low() << 3 | r.low()),
    // add high T2
    |r| {
        let d = r.reg();
        one(0x4400 | (d >> 3) << 7 | r.reg() << 3 | d & 7)
    },
    // add rd, sp T1
    |r| {
        let d = r.reg();
        one(0x4468 | (d >> 3) << 7 | d & 7)
    },
    // add rd, pc T2
    |r| {
        let d = r.reg();
        one(0x4478 | (d >> 3) << 7 | d & 7)
    },
    // cmp high T2
    |r| {
        let n = r.pick(&[8, 9, 10, 11, 12, 14]);
        one(0x4580 | r.reg() << 3 | n & 7)
    },
    // mov T1
    |r| {
        let d = r.reg();
        one(0x4600 | (d >> 3) << 7 | r.reg() << 3 | d & 7)
    },
    // mov rd, pc/sp T1
    |r| {
        let d = r.reg();
        one(0x4600 | (d >> 3) << 7 | r.pick(&[13, 15]) << 3 | d & 7)
    },
    // adr T1
    |r| one(0xa000 | r.low() << 8 | r.bits(8)),
    // add rd, sp, imm T1
    |r| one(0xa800 | r.low() << 8 | r.bits(8)),
    // extend T1
    |r| one(0xb200 | r.bits(2) << 6 | r.low() << 3 | r.low()),
    // reverse T1
    |r| one(0xba00 | r.pick(&[0, 1, 3]) << 6 | r.low() << 3 | r.low()),
    // hint T1
    |r| one(0xbf00 | r.pick(&[0, 1, 4]) << 4),
    // data modified immediate
    |r| {
        let word = 0xf000_0000 | r.pick(&DATA_OPS) << 21 | r.bits(1) << 20;
        two(word | r.reg() << 16 | r.reg() << 8 | modified_immediate(r))
    },
    // mov/mvn immediate T2
    |r| two(0xf04f_0000 | r.bits(1) << 21 | r.bits(1) << 20 | r.reg() << 8 | modified_immediate(r)),
    // tst/teq/cmn/cmp immediate
    |r| two(0xf010_0f00 | r.pick(&[0, 4, 8, 13]) << 21 | r.reg() << 16 | modified_immediate(r)),
    // add/sub rd, sp, immediate T3
    |r| two(0xf00d_0000 | r.pick(&[8, 13]) << 21 | r.bits(1) << 20 | r.reg() << 8 | modified_immediate(r)),
    // cmp/cmn sp, immediate
    |r| two(0xf01d_0f00 | r.pick(&[8, 13]) << 21 | modified_immediate(r)),
    // data shifted register
    |r| {
        let word = 0xea00_0000 | r.pick(&DATA_OPS) << 21 | r.bits(1) << 20;
        two(word | r.reg() << 16 | r.reg() << 8 | r.reg() | shift_bits(r))
    },
    // mov/mvn shifted register
    |r| {
        let s = r.bits(1) << 20;
        two(0xea4f_0000 | r.bits(1) << 21 | s | r.reg() << 8 | r.reg() | shift_bits(r))
    },
    // tst/teq/cmn/cmp shifted register
    |r| two(0xea10_0f00 | r.pick(&[0, 4, 8, 13]) << 21 | r.reg() << 16 | r.reg() | shift_bits(r)),
    // add/sub rd, sp, register
    |r| two(0xea0d_0000 | r.pick(&[8, 13]) << 21 | r.bits(1) << 20 | r.reg() << 8 | r.reg() | shift_bits(r)),
    // cmp/cmn sp, register
    |r| two(0xea1d_0f00 | r.pick(&[8, 13]) << 21 | r.reg() | shift_bits(r)),
    // pkh
    |r| {
        two(0xeac0_0000
            | r.reg() << 16
            | r.bits(5) << 6 & 0xc0
            | r.bits(3) << 12
            | r.bits(1) << 5
            | r.reg() << 8
            | r.reg())
    },
    // addw/subw
    |r| two(0xf200_0000 | r.pick(&[0, 0xa]) << 20 | r.reg() << 16 | r.reg() << 8 | imm12(r.bits(12))),
    // addw/subw rd, sp
    |r| two(0xf20d_0000 | r.pick(&[0, 0xa]) << 20 | r.reg() << 8 | imm12(r.bits(12))),
    // adr T2 T3
    |r| two(0xf20f_0000 | r.pick(&[0, 0xa]) << 20 | r.reg() << 8 | imm12(r.bits(12))),
    // movw
    |r| {
        let d = r.reg();
        move_half(false, d, r.bits(16))
    },
    // movt
    |r| {
        let d = r.reg();
        move_half(true, d, r.bits(16))
    },
    // ssat/usat
    |r| {
        let right = r.bits(1);
        let mut amount = r.bits(5);
        if right == 1 && amount == 0 {
            amount = 1;
        }
        two(0xf300_0000
            | r.bits(1) << 23
            | right << 21
            | r.reg() << 16
            | (amount >> 2) << 12
            | r.reg() << 8
            | (amount & 3) << 6
            | r.bits(5))
    },
    // ssat16/usat16
    |r| two(0xf320_0000 | r.bits(1) << 23 | r.reg() << 16 | r.reg() << 8 | r.bits(4)),
    // sbfx/ubfx
    |r| {
        let lsb = r.bits(5);
        let width = r.below(32 - lsb);
        two(0xf340_0000
            | r.bits(1) << 23
            | r.reg() << 16
            | (lsb >> 2) << 12
            | r.reg() << 8
            | (lsb & 3) << 6
            | width)
    },
    // bfi/bfc
    |r| {
        let lsb = r.bits(5);
        let msb = lsb + r.below(32 - lsb);
        let n = if r.bits(2) == 0 { 15 } else { r.reg() };
        two(0xf360_0000 | n << 16 | (lsb >> 2) << 12 | r.reg() << 8 | (lsb & 3) << 6 | msb)
    },
    // mrs apsr
    |r| two(0xf3ef_8000 | r.reg() << 8 | r.pick(&[0, 1, 2, 3, 5, 6, 7, 16, 17, 18, 19])),
    // msr apsr
    |r| two(0xf380_8000 | r.reg() << 16 | r.pick(&[1, 2, 3]) << 10),
    // hint T2
    |r| two(0xf3af_8000 | r.pick(&[0, 1, 4, 0xf0, 0xff])),
    // barrier
    |r| two(0xf3bf_8f00 | r.pick(&[4, 5, 6]) << 4 | 15),
    // clrex
    |_| two(0xf3bf_8f2f),
    // shift register T2
    |r| two(0xfa00_f000 | r.bits(3) << 20 | r.reg() << 16 | r.reg() << 8 | r.reg()),
    // extend T2
    |r| {
        let n = if r.bits(1) == 0 { 15 } else { r.reg() };
        two(0xfa00_f080 | r.below(6) << 20 | n << 16 | r.reg() << 8 | r.bits(2) << 4 | r.reg())
    },
    // parallel
    |r| {
        two(0xfa80_f000
            | r.pick(&[0, 1, 2, 4, 5, 6]) << 20
            | r.reg() << 16
            | r.reg() << 8
            | r.pick(&[0, 1, 2, 4, 5, 6]) << 4
            | r.reg())
    },
    // saturating add/sub
    |r| two(0xfa80_f080 | r.reg() << 16 | r.reg() << 8 | r.bits(2) << 4 | r.reg()),
    // reverse T2
    |r| {
        let m = r.reg();
        two(0xfa90_f080 | m << 16 | r.reg() << 8 | r.bits(2) << 4 | m)
    },
    // sel
    |r| two(0xfaa0_f080 | r.reg() << 16 | r.reg() << 8 | r.reg()),
    // clz
    |r| {
        let m = r.reg();
        two(0xfab0_f080 | m << 16 | r.reg() << 8 | m)
    },
    // mul/mla/mls
    |r| {
        let sub = r.bits(1);
        let a = if sub == 0 && r.bits(1) == 0 { 15 } else { r.reg() };
        two(0xfb00_0000 | r.reg() << 16 | a << 12 | r.reg() << 8 | sub << 4 | r.reg())
    },
    // smul/smla xy
    |r| {
        let a = if r.bits(1) == 0 { 15 } else { r.reg() };
        two(0xfb10_0000 | r.reg() << 16 | a << 12 | r.reg() << 8 | r.bits(2) << 4 | r.reg())
    },
    // smuad smulw smusd smmul and accumulating
    |r| {
        let a = if r.bits(1) == 0 { 15 } else { r.reg() };
        let op = r.pick(&[2, 3, 4, 5]);
        two(0xfb00_0000 | op << 20 | r.reg() << 16 | a << 12 | r.reg() << 8 | r.bits(1) << 4 | r.reg())
    },
    // smmls
    |r| two(0xfb60_0000 | r.reg() << 16 | r.reg() << 12 | r.reg() << 8 | r.bits(1) << 4 | r.reg()),
    // usad8/usada8
    |r| {
        let a = if r.bits(1) == 0 { 15 } else { r.reg() };
        two(0xfb70_0000 | r.reg() << 16 | a << 12 | r.reg() << 8 | r.reg())
    },
    // long multiply
    |r| {
        let lo = r.reg();
        let hi = r.reg_not(&[lo]);
        let (op1, op2) = r.pick(&[
            (0, 0),
            (2, 0),
            (4, 0),
            (6, 0),
            (6, 6),
            (4, 8),
            (4, 9),
            (4, 10),
            (4, 11),
            (4, 12),
            (4, 13),
            (5, 12),
            (5, 13),
        ]);
        two(0xfb80_0000 | op1 << 20 | r.reg() << 16 | lo << 12 | hi << 8 | op2 << 4 | r.reg())
    },
    // divide
    |r| two(0xfb90_f0f0 | r.bits(1) << 21 | r.reg() << 16 | r.reg() << 8 | r.reg()),
    // vadd vsub vmul vnmul
    |r| {
        let op = r.pick(&[0x0020_0000, 0x0020_0040, 0x0030_0000, 0x0030_0040]);
        two(0xee00_0a00 | op | fp_registers(r))
    },
    // vdiv
    |r| two(0xee80_0a00 | fp_registers(r)),
    // vmla vmls vnmla vnmls
    |r| two(0xee00_0a00 | r.bits(1) << 20 | r.bits(1) << 6 | fp_registers(r)),
    // vfma vfms vfnma vfnms
    |r| two(r.pick(&[0xee90_0a00, 0xeea0_0a00]) | r.bits(1) << 6 | fp_registers(r)),
    // vabs vneg vsqrt vmov
    |r| two(0xeeb0_0a40 | r.bits(1) << 16 | r.bits(1) << 7 | fp_registers(r) & 0x0040_f02f),
    // vmov immediate
    |r| two(0xeeb0_0a00 | r.bits(4) << 16 | r.bits(4) | r.bits(4) << 12 | r.bits(1) << 22),
    // vcvtb vcvtt
    |r| two(0xeeb2_0a40 | r.bits(1) << 16 | r.bits(1) << 7 | fp_registers(r) & 0x0040_f02f),
    // vcmp vcmpe
    |r| two(0xeeb4_0a40 | r.bits(1) << 7 | fp_registers(r) & 0x0040_f02f),
    // vcmp vcmpe zero
    |r| two(0xeeb5_0a40 | r.bits(1) << 7 | r.bits(4) << 12 | r.bits(1) << 22),
    // vcvt from int
    |r| two(0xeeb8_0a40 | r.bits(1) << 7 | fp_registers(r) & 0x0040_f02f),
    // vcvt to int
    |r| two(0xeebc_0a40 | r.bits(1) << 16 | r.bits(1) << 7 | fp_registers(r) & 0x0040_f02f),
    // vcvt fixed
    |r| {
        let sx = r.bits(1);
        let imm5 = r.below(if sx == 1 { 33 } else { 17 }).min(31);
        two(0xeeba_0a40
            | r.bits(1) << 18
            | r.bits(1) << 16
            | sx << 7
            | (imm5 & 1) << 5
            | imm5 >> 1
            | r.bits(4) << 12
            | r.bits(1) << 22)
    },
    // vmov core single
    |r| two(0xee00_0a10 | r.bits(1) << 20 | r.bits(4) << 16 | r.bits(1) << 7 | r.reg() << 12),
    // vmov core scalar
    |r| two(0xee00_0b10 | r.bits(1) << 20 | r.bits(1) << 21 | r.bits(4) << 16 | r.reg() << 12),
    // vmov core pair
    |r| {
        let (t, s) = (r.reg(), r.below(31));
        let t2 = r.reg_not(&[t]);
        two(0xec40_0a10 | r.bits(1) << 20 | t2 << 16 | t << 12 | (s & 1) << 5 | s >> 1)
    },
    // vmov core double
    |r| {
        let t = r.reg();
        let t2 = r.reg_not(&[t]);
        two(0xec40_0b10 | r.bits(1) << 20 | t2 << 16 | t << 12 | r.bits(4))
    },
    // vmrs
    |r| {
        let t = if r.bits(1) == 0 { 15 } else { r.reg() };
        two(0xeef1_0a10 | t << 12)
    },
];

/// Registers d, n, m of a single-precision operation.
fn fp_registers(r: &mut Random) -> u32 {
    r.bits(1) << 22 | r.bits(4) << 16 | r.bits(4) << 12 | r.bits(1) << 7 | r.bits(1) << 5 | r.bits(4)
}

/// A load or store: what goes before it outside an IT block, and itself.
type MakeMemory = fn(&mut Random, u32) -> (Vec<u16>, Vec<u16>);

/// Points `n` into the scratch area at a multiple of `align` that leaves `reach` bytes on both sides.
fn point(r: &mut Random, n: u32, scratch: u32, align: u32, reach: u32) -> Vec<u16> {
    let span = 128 - 2 * reach;
    constant(n, scratch + reach + r.below(span / align) * align)
}

/// Word alignment, and now and then none: then the access faults.
fn word_mostly(r: &mut Random) -> u32 {
    if r.bits(4) == 0 { 1 } else { 4 }
}

/// AND.W m, m, #mask
fn limit(m: u32, mask: u32) -> Vec<u16> {
    two(0xf000_0000 | m << 16 | m << 8 | mask)
}

const MEMORY: &[MakeMemory] = &[
    // load/store immediate T1
    |r, scratch| {
        let (n, t) = (r.low(), r.low());
        let kind = r.pick(&[0x6000, 0x6800, 0x7000, 0x7800, 0x8000, 0x8800]);
        let setup = point(r, n, scratch, 1, 4);
        (setup, one(kind | r.bits(1) << 6 | n << 3 | t))
    },
    // load/store register T1
    |r, scratch| {
        let n = r.low();
        let m = loop {
            let m = r.low();
            if m != n {
                break m;
            }
        };
        let setup = [point(r, n, scratch, 1, 32), limit(m, 0x1f)].concat();
        (setup, one(0x5000 | r.bits(3) << 9 | m << 6 | n << 3 | r.low()))
    },
    // ldr literal T1
    |r, _| (vec![], one(0x4800 | r.low() << 8 | r.bits(4))),
    // load/store immediate T3
    |r, scratch| {
        let n = r.reg();
        let setup = constant(n, scratch + r.bits(6) - 0x800);
        let kind = r.pick(&[
            0xf880_0000,
            0xf8a0_0000,
            0xf8c0_0000,
            0xf890_0000,
            0xf8b0_0000,
            0xf8d0_0000,
            0xf990_0000,
            0xf9b0_0000,
        ]);
        (setup, two(kind | n << 16 | r.reg() << 12 | (0x800 + r.bits(5))))
    },
    // load/store negative T4
    |r, scratch| {
        let n = r.reg();
        let setup = constant(n, scratch + 0x80 + r.bits(5));
        let kind = r.pick(&[
            0xf800_0c00,
            0xf820_0c00,
            0xf840_0c00,
            0xf810_0c00,
            0xf830_0c00,
            0xf850_0c00,
            0xf910_0c00,
            0xf930_0c00,
        ]);
        (setup, two(kind | n << 16 | r.reg() << 12 | (0x40 + r.bits(5))))
    },
    // load/store write back T4
    |r, scratch| {
        let n = r.reg();
        let t = r.reg_not(&[n]);
        let setup = point(r, n, scratch, 1, 40);
        let kind = r.pick(&[
            0xf800_0900,
            0xf820_0900,
            0xf840_0900,
            0xf810_0900,
            0xf830_0900,
            0xf850_0900,
            0xf910_0900,
            0xf930_0900,
        ]);
        (setup, two(kind | n << 16 | t << 12 | r.bits(1) << 10 | r.bits(1) << 9 | r.bits(5)))
    },
    // load/store unprivileged
    |r, scratch| {
        let n = r.reg();
        let setup = point(r, n, scratch, 1, 32);
        let kind = r.pick(&[
            0xf800_0e00,
            0xf820_0e00,
            0xf840_0e00,
            0xf810_0e00,
            0xf830_0e00,
            0xf850_0e00,
            0xf910_0e00,
            0xf930_0e00,
        ]);
        (setup, two(kind | n << 16 | r.reg() << 12 | r.bits(4)))
    },
    // load/store register T2
    |r, scratch| {
        let n = r.reg();
        let m = r.reg_not(&[n]);
        let setup = [point(r, n, scratch, 1, 60), limit(m, 7)].concat();
        let kind = r.pick(&[
            0xf800_0000,
            0xf820_0000,
            0xf840_0000,
            0xf810_0000,
            0xf830_0000,
            0xf850_0000,
            0xf910_0000,
            0xf930_0000,
        ]);
        (setup, two(kind | n << 16 | r.reg() << 12 | r.bits(2) << 4 | m))
    },
    // load literal T2
    |r, _| {
        let kind = r.pick(&[0xf81f_0000, 0xf83f_0000, 0xf85f_0000, 0xf91f_0000, 0xf93f_0000]);
        (vec![], two(kind | r.bits(1) << 23 | r.reg() << 12 | r.bits(6)))
    },
    // preload
    |r, scratch| {
        let n = r.reg();
        let setup = point(r, n, scratch, 1, 40);
        let data = r.bits(1) << 24;
        let insn = match r.bits(2) {
            0 => 0xf890_f000 | n << 16 | r.bits(5),
            1 => 0xf810_fc00 | n << 16 | r.bits(5),
            2 => 0xf81f_f000 | r.bits(1) << 23 | r.bits(5),
            _ => 0xf810_f000 | n << 16 | r.bits(2) << 4 | r.reg(),
        };
        (setup, two(data | insn))
    },
    // ldrd/strd
    |r, scratch| {
        let n = r.reg();
        let t = r.reg_not(&[n]);
        let t2 = r.reg_not(&[n, t]);
        let align = word_mostly(r);
        let setup = point(r, n, scratch, align, 40);
        let (p, w) = r.pick(&[(1, 0), (1, 1), (0, 1)]);
        (
            setup,
            two(0xe840_0000
                | p << 24
                | r.bits(1) << 23
                | w << 21
                | r.bits(1) << 20
                | n << 16
                | t << 12
                | t2 << 8
                | r.bits(3)),
        )
    },
    // ldrd literal
    |r, _| {
        let t = r.reg();
        let t2 = r.reg_not(&[t]);
        (vec![], two(0xe95f_0000 | r.bits(1) << 23 | t << 12 | t2 << 8 | r.bits(4)))
    },
    // ldrex/strex
    |r, scratch| {
        let n = r.reg();
        let t = r.reg_not(&[n]);
        let d = r.reg_not(&[n, t]);
        let setup = point(r, n, scratch, 4, 32);
        let imm = r.bits(3);
        let load = two(0xe850_0f00 | n << 16 | t << 12 | imm);
        let store = two(0xe840_0000 | n << 16 | t << 12 | d << 8 | imm);
        match r.bits(2) {
            0 => (setup, load),
            1 => ([setup, two(0xf3bf_8f2f)].concat(), store), // behind CLREX: emulators differ in what they tag
            _ => ([setup, load].concat(), store),
        }
    },
    // ldrexb/h strexb/h
    |r, scratch| {
        let n = r.reg();
        let t = r.reg_not(&[n]);
        let d = r.reg_not(&[n, t]);
        let setup = point(r, n, scratch, 4, 32);
        let half = r.bits(1) << 4;
        let load = two(0xe8d0_0f4f | half | n << 16 | t << 12);
        let store = two(0xe8c0_0f40 | half | n << 16 | t << 12 | d);
        match r.bits(2) {
            0 => (setup, load),
            1 => ([setup, two(0xf3bf_8f2f)].concat(), store), // behind CLREX: emulators differ in what they tag
            _ => ([setup, load].concat(), store),
        }
    },
    // ldm/stm T1
    |r, scratch| {
        let n = r.low();
        let align = word_mostly(r);
        let setup = point(r, n, scratch, align, 32);
        let load = r.bits(1);
        let mut list = 1 + r.below(255);
        if load == 0 && list >> n & 1 != 0 {
            list &= !(1 << n);
            list |= u32::from(list == 0) << ((n + 1) & 7);
        }
        (setup, one(0xc000 | load << 11 | n << 8 | list))
    },
    // ldm/stm T2
    |r, scratch| {
        let n = r.reg();
        let align = word_mostly(r);
        let setup = point(r, n, scratch, align, 60);
        let mut list = r.bits(13) | r.bits(1) << 14;
        list &= !(1 << n);
        while list.count_ones() < 2 {
            list |= 1 << r.reg_not(&[n]);
        }
        let before = r.bits(1);
        let direction = if before == 1 { 0x0100_0000 } else { 0x0080_0000 };
        (setup, two(0xe800_0000 | direction | r.bits(1) << 21 | r.bits(1) << 20 | n << 16 | list))
    },
    // vldr/vstr
    |r, scratch| {
        let n = r.reg();
        let align = word_mostly(r);
        let setup = point(r, n, scratch, align, 40);
        let double = r.bits(1);
        let d = if double == 1 { 0 } else { r.bits(1) };
        (
            setup,
            two(0xed00_0a00
                | r.bits(1) << 23
                | d << 22
                | r.bits(1) << 20
                | n << 16
                | r.bits(4) << 12
                | double << 8
                | r.bits(3)),
        )
    },
    // vldr literal
    |r, _| {
        let double = r.bits(1);
        (vec![], two(0xed1f_0a00 | r.bits(1) << 23 | r.bits(4) << 12 | double << 8 | r.bits(4)))
    },
    // vldm/vstm
    |r, scratch| {
        let n = r.reg();
        let align = word_mostly(r);
        let setup = point(r, n, scratch, align, 56);
        let double = r.bits(1);
        let count = 1 + r.below(12);
        let (d, imm) = if double == 1 {
            let count = 1 + count / 2;
            let first = r.below(16 - count);
            (first << 12, 2 * count + r.bits(2) / 3)
        } else {
            let first = r.below(32 - count);
            ((first & 1) << 22 | (first >> 1) << 12, count)
        };
        let mode = r.pick(&[0x0080_0000, 0x00a0_0000, 0x0120_0000]);
        (setup, two(0xec00_0a00 | mode | d | r.bits(1) << 20 | n << 16 | double << 8 | imm))
    },
];

/// A sequence for a case whose scratch area is at `scratch`; `odd` if it does not start on a word.
pub fn sequence(r: &mut Random, scratch: u32, odd: bool) -> Vec<u16> {
    let mut code: Vec<u16> = Vec::new();
    let items = 3 + r.below(10);
    for _ in 0..items {
        match r.below(16) {
            0..8 => {
                let make = r.pick(PLAIN);
                code.extend(make(r));
            }
            8..11 => {
                let make = r.pick(MEMORY);
                let (setup, insn) = make(r, scratch);
                code.extend(setup);
                code.extend(insn);
            }
            11..14 => {
                // An IT block
                let count = 1 + r.below(4);
                let cond = r.below(15);
                let mut mask = 8 >> (count - 1);
                for n in 1..count {
                    let same = cond == 14 || r.bits(1) == 0;
                    mask |= (cond & 1 ^ u32::from(!same)) << (4 - n);
                }
                // it
                let mut setup = Vec::new();
                let mut block = vec![(0xbf00 | cond << 4 | mask) as u16];
                for n in 0..count {
                    if r.bits(2) == 0 && n == 0 {
                        let make = r.pick(MEMORY);
                        let (before, insn) = make(r, scratch);
                        setup.extend(before);
                        block.extend(insn);
                    } else {
                        let make = r.pick(PLAIN);
                        block.extend(make(r));
                    }
                }
                code.extend(setup);
                code.extend(block);
            }
            14 => branch(r, odd, &mut code),
            _ => rare(r, scratch, odd, &mut code),
        }
    }
    code
}

/// A branch over something.
fn branch(r: &mut Random, odd: bool, code: &mut Vec<u16>) {
    let over = plain_for_skip(r);
    let halfwords = over.len() as u32;
    match r.below(9) {
        0 => {
            // b<c> T1
            code.extend(one(0xd000 | r.below(14) << 8 | ((halfwords - 1) & 0xff)));
        }
        1 => {
            // b T2
            code.extend(one(0xe000 | ((halfwords - 1) & 0x7ff)));
        }
        2 => {
            // b<c> T3
            code.extend(two(0xf000_8000 | r.below(14) << 22 | halfwords));
        }
        3 => {
            // b T4
            code.extend(two(0xf000_b800 | halfwords));
        }
        4 => {
            // bl
            code.extend(two(0xf000_f800 | halfwords));
        }
        5 => {
            // cbz/cbnz
            let imm = halfwords - 1;
            if halfwords == 0 || imm > 62 {
                return;
            }
            code.extend(one(0xb100 | r.bits(1) << 11 | imm << 3 | r.low()));
        }
        6 => {
            // bx/blx
            // add lr, pc, #… ; bx: the target is computed from PC
            let register = r.pick(&[0, 1, 2, 3, 4, 5, 6, 7, 12]);
            let link = r.bits(1) << 7;
            align(odd, code);
            // adr.w register, behind `over`, with bit 0; bx register
            let distance = 2 + 2 * halfwords;
            code.extend(two(0xf20f_0000 | register << 8 | (distance + 1)));
            code.extend(one(0x4700 | link | register << 3));
        }
        7 => {
            // tbb/tbh
            // tbb [pc, register] with register 0, and a table of two entries
            let register = r.pick(&[0, 1, 2, 3, 4, 5, 6, 7, 12]);
            code.extend(move_half(false, register, r.bits(1)));
            if r.bits(1) == 0 {
                code.extend(two(0xe8df_f000 | register));
                code.push((1 + halfwords as u16) << 8 | 1);
            } else {
                code.extend(two(0xe8df_f010 | register));
                code.push(2);
                code.push(2 + halfwords as u16);
            }
        }
        _ => {
            // mov pc
            let register = r.pick(&[0, 1, 2, 3, 4, 5, 6, 7, 12]);
            align(odd, code);
            if r.bits(1) == 0 {
                let distance = 2 + 2 * halfwords;
                code.extend(two(0xf20f_0000 | register << 8 | distance));
                code.extend(one(0x4687 | register << 3));
            } else {
                // add pc, register: PC is two halfwords further
                code.extend(move_half(false, register, 2 * halfwords.saturating_sub(1)));
                code.extend(one(0x4487 | register << 3));
                if halfwords == 0 {
                    code.push(0xbf00);
                }
            }
        }
    }
    code.extend(over);
}

/// Fills up to a word boundary.
fn align(odd: bool, code: &mut Vec<u16>) {
    if (code.len() % 2 == 1) != odd {
        code.push(0xbf00);
    }
}

fn plain_for_skip(r: &mut Random) -> Vec<u16> {
    let mut over = Vec::new();
    for _ in 0..1 + r.below(2) {
        over.extend(r.pick(PLAIN)(r));
    }
    over
}

/// Stack instructions, loads of PC, FPSCR, and what faults.
fn rare(r: &mut Random, scratch: u32, odd: bool, code: &mut Vec<u16>) {
    match r.below(12) {
        0 => {
            // push/pop T1
            code.extend(one(0xb400 | (1 + r.below(511))));
            let pushed = code[code.len() - 1].count_ones() - 0xb400u16.count_ones();
            // Back by the same count, into other registers
            let mut list = 0;
            let mut left = pushed.min(8);
            while left > 0 {
                let bit = 1 << r.low();
                if list & bit == 0 {
                    list |= bit;
                    left -= 1;
                }
            }
            code.extend(one(0xbc00 | list));
            if pushed > 8 {
                code.extend(one(0xb001));
            }
        }
        1 => {
            // sub/add sp T1
            let n = r.bits(3);
            code.extend(one(0xb080 | n));
            code.extend(one(0x9000 | r.low() << 8)); // str rt, [sp]
            code.extend(one(0x9800 | r.low() << 8 | r.bits(2))); // ldr rt, [sp, #…]
            code.extend(one(0xb000 | n));
        }
        2 => {
            // sub/add sp wide
            let n = 4 * r.bits(3);
            code.extend(two(r.pick(&[0xf1ad_0d00, 0xf2ad_0d00, 0xf1bd_0d00]) | n));
            code.extend(two(r.pick(&[0xf10d_0d00, 0xf20d_0d00, 0xf11d_0d00]) | n));
        }
        3 => {
            // sp register
            let t = r.reg();
            // mov t, sp; sub sp, sp, x, lsl #2 with a small x; mov sp, t
            let x = r.reg_not(&[t]);
            code.extend(two(0xea4f_000d | t << 8));
            code.extend(limit(x, 7));
            code.extend(two(0xebad_0d80 | x));
            if r.bits(1) == 0 {
                code.extend(limit(x, 4));
                code.extend(one(0x4485 | x << 3)); // add sp, x
            }
            code.extend(two(0xea4f_0d00 | t));
        }
        4 => {
            // str/ldr sp write back
            code.extend(two(0xf84d_0d04 | r.reg() << 12));
            code.extend(two(0xf85d_0b04 | r.reg() << 12));
        }
        5 => {
            // vpush/vpop
            let count = 1 + r.below(8);
            if r.bits(1) == 0 {
                let first = r.below(32 - count);
                let d = (first & 1) << 22 | (first >> 1) << 12;
                code.extend(two(0xed2d_0a00 | d | count));
                code.extend(two(0xecbd_0a00 | d | count));
            } else {
                let first = r.below(16 - count) << 12;
                code.extend(two(0xed2d_0b00 | first | (count << 1)));
                code.extend(two(0xecbd_0b00 | first | (count << 1)));
            }
        }
        6 => {
            // vmsr
            let t = r.reg();
            code.extend(constant(t, r.bits(32) & 0x07c0_009f));
            code.extend(two(0xeee1_0a10 | t << 12));
        }
        7 => {
            // undefined
            code.extend(match r.below(11) {
                0 => one(0xde00 | r.bits(8)),
                1 => two(0xf7f0_a000 | r.bits(4) << 16 | r.bits(12)),
                2 => two(0xfa40_f080 | r.reg() << 16 | r.reg() << 8 | r.reg() | 0x0020_0000),
                3 => two(0xfb80_0010 | r.reg() << 16 | r.reg() << 12 | r.reg() << 8 | r.reg()),
                4 => two(0xfe00_0a00 | fp_registers(r)), // VSEL
                5 => two(0xfe80_0a00 | fp_registers(r)), // VMAXNM
                6 => two(0xfebc_0a40 | fp_registers(r) & 0x0040_f02f), // VCVTA
                7 => two(0xeeb6_0a40 | fp_registers(r) & 0x0040_f02f), // VRINTR
                8 => two(0xee30_0b00 | r.bits(4) << 12 | r.bits(4) << 16 | r.bits(4)), // VADD.F64
                9 => two(0xf860_0000 | r.reg() << 16 | r.reg() << 12 | r.bits(11)),
                _ => one(0xb800 | r.bits(8)),
            });
        }
        8 => {
            // movs T2
            code.extend(one(r.low() << 3 | r.low()));
        }
        9 => {
            // push/pop T2
            let mut list = r.bits(13) | 0x4000;
            while list.count_ones() < 2 {
                list |= 1 << r.below(13);
            }
            code.extend(two(0xe92d_0000 | list));
            code.extend(two(0xe8bd_0000 | list));
        }
        10 => {
            // absent coprocessor
            code.extend(two(0xee00_0010
                | r.below(10) << 8
                | r.bits(1) << 20
                | r.reg() << 12
                | r.bits(3) << 5
                | r.bits(4)));
        }
        _ => {
            // ldr pc
            // A target in the scratch area: behind what follows
            let n = r.reg();
            let t = r.reg_not(&[n]);
            let over = plain_for_skip(r);
            let halfwords = over.len() as u32;
            code.extend(constant(n, scratch + 64));
            align(odd, code);
            // adr.w t, target | 1; str t, [n]; ldr pc, [n] or ldm n, {x, pc}
            code.extend(two(0xf20f_0000 | t << 8 | (4 + 2 + 4 + 2 * halfwords - 2 + 1)));
            code.extend(two(0xf8c0_0000 | n << 16 | t << 12));
            code.extend(match r.bits(1) {
                0 => two(0xf8d0_f000 | n << 16),
                _ => two(0xf850_fb04 | n << 16),
            });
            code.extend(over);
        }
    }
}
