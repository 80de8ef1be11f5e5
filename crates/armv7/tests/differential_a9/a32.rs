// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Random A32 sequences, with VFPv3 and Advanced SIMD, that stay inside the rules: no UNPREDICTABLE operands, loads and
//! stores in a scratch area, branches forwards and short.

use crate::sequences::Random;

/// How often each kind of item was made.
pub type Coverage = std::collections::BTreeMap<&'static str, u64>;

type Make = fn(&mut Random) -> u32;

/// R0 to R12 or LR.
fn reg(r: &mut Random) -> u32 {
    r.pick(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14])
}

fn reg_not(r: &mut Random, not: &[u32]) -> u32 {
    loop {
        let n = reg(r);
        if !not.contains(&n) {
            return n;
        }
    }
}

/// An even register with the next one below R13.
fn even(r: &mut Random) -> u32 {
    2 * r.below(6)
}

/// A condition, most often none.
fn cond(r: &mut Random) -> u32 {
    (if r.bits(1) == 0 { 14 } else { r.below(15) }) << 28
}

fn constant(d: u32, value: u32) -> [u32; 2] {
    let half = |base: u32, imm: u32| base | (imm >> 12) << 16 | d << 12 | imm & 0xfff;
    [half(0xe300_0000, value & 0xffff), half(0xe340_0000, value >> 16)]
}

/// Rd, Rn of an operation with `opcode`: comparisons have no Rd, moves no Rn.
fn operands(r: &mut Random, opcode: u32) -> u32 {
    let s = if opcode & 12 == 8 { 1 } else { r.bits(1) };
    let d = if opcode & 12 == 8 { 0 } else { reg(r) };
    let n = if opcode & 13 == 13 { 0 } else { reg(r) };
    opcode << 21 | s << 20 | n << 16 | d << 12
}

/// A VFP register of either precision as D (or N, M): number and the bit apart.
fn vfp(r: &mut Random, low: u32, extra: u32) -> u32 {
    r.bits(4) << low | r.bits(1) << extra
}

fn vfp_three(r: &mut Random) -> u32 {
    vfp(r, 12, 22) | vfp(r, 16, 7) | vfp(r, 0, 5) | r.bits(1) << 8
}

/// Advanced SIMD registers; even ones if Q is set.
fn simd(r: &mut Random, q: u32) -> u32 {
    let keep = if q != 0 { 14 } else { 15 };
    let field = |r: &mut Random, low: u32, extra: u32| (r.bits(4) & keep) << low | r.bits(1) << extra;
    q << 6 | field(r, 12, 22) | field(r, 16, 7) | field(r, 0, 5)
}

/// Instructions that touch registers and flags only.
const PLAIN: &[(&str, Make)] = &[
    ("a32 data immediate", |r| {
        let opcode = r.bits(4);
        cond(r) | 0x0200_0000 | operands(r, opcode) | r.bits(12)
    }),
    ("a32 data register", |r| {
        let opcode = r.bits(4);
        cond(r) | operands(r, opcode) | r.bits(5) << 7 | r.bits(2) << 5 | reg(r)
    }),
    ("a32 data register-shifted", |r| {
        let opcode = r.bits(4);
        cond(r) | operands(r, opcode) | reg(r) << 8 | r.bits(2) << 5 | 0x10 | reg(r)
    }),
    ("a32 adr and pc operands", |r| {
        let opcode = r.pick(&[0, 1, 2, 3, 4, 12, 14]);
        let shape = r.bits(1);
        if shape == 0 {
            cond(r) | 0x020f_0000 | opcode << 21 | reg(r) << 12 | r.bits(12)
        } else {
            cond(r) | 0x000f_0000 | opcode << 21 | reg(r) << 12 | r.bits(5) << 7 | r.bits(2) << 5 | reg(r)
        }
    }),
    ("a32 mov rd, pc", |r| cond(r) | 0x01a0_000f | reg(r) << 12),
    ("a32 sp operands", |r| {
        let opcode = r.pick(&[0, 1, 2, 3, 4, 5, 12, 14]);
        cond(r) | 0x000d_0000 | opcode << 21 | r.bits(1) << 20 | reg(r) << 12 | r.bits(5) << 7 | reg(r)
    }),
    ("a32 movw movt", |r| {
        cond(r) | 0x0300_0000 | r.bits(1) << 22 | r.bits(4) << 16 | reg(r) << 12 | r.bits(12)
    }),
    ("a32 mul", |r| cond(r) | 0x0000_0090 | r.bits(1) << 20 | reg(r) << 16 | reg(r) << 8 | reg(r)),
    ("a32 mla", |r| {
        cond(r) | 0x0020_0090 | r.bits(1) << 20 | reg(r) << 16 | reg(r) << 12 | reg(r) << 8 | reg(r)
    }),
    ("a32 mls", |r| cond(r) | 0x0060_0090 | reg(r) << 16 | reg(r) << 12 | reg(r) << 8 | reg(r)),
    ("a32 long multiply", |r| {
        let hi = reg(r);
        let lo = reg_not(r, &[hi]);
        cond(r) | 0x0080_0090 | r.bits(2) << 21 | r.bits(1) << 20 | hi << 16 | lo << 12 | reg(r) << 8 | reg(r)
    }),
    ("a32 umaal", |r| {
        let hi = reg(r);
        let lo = reg_not(r, &[hi]);
        cond(r) | 0x0040_0090 | hi << 16 | lo << 12 | reg(r) << 8 | reg(r)
    }),
    ("a32 halfword multiply", |r| {
        let op = r.bits(2);
        let d = reg(r);
        let a = if op == 3 { 0 } else { reg_not(r, &[d]) };
        let xy = r.bits(2) << 5;
        let a = if op == 1 && xy & 0x20 != 0 { 0 } else { a };
        cond(r) | 0x0100_0080 | op << 21 | d << 16 | a << 12 | reg(r) << 8 | xy | reg(r)
    }),
    ("a32 saturating add", |r| {
        cond(r) | 0x0100_0050 | r.bits(2) << 21 | reg(r) << 16 | reg(r) << 12 | reg(r)
    }),
    ("a32 clz", |r| cond(r) | 0x016f_0f10 | reg(r) << 12 | reg(r)),
    ("a32 parallel", |r| {
        let op = r.pick(&[1, 2, 3, 5, 6, 7]) << 20 | r.pick(&[0, 1, 2, 3, 4, 7]) << 5;
        cond(r) | 0x0600_0f10 | op | reg(r) << 16 | reg(r) << 12 | reg(r)
    }),
    ("a32 pkh", |r| {
        cond(r) | 0x0680_0010 | reg(r) << 16 | reg(r) << 12 | r.bits(5) << 7 | r.bits(1) << 6 | reg(r)
    }),
    ("a32 sel", |r| cond(r) | 0x0680_0fb0 | reg(r) << 16 | reg(r) << 12 | reg(r)),
    ("a32 ssat usat", |r| {
        cond(r)
            | 0x06a0_0010
            | r.bits(1) << 22
            | r.bits(5) << 16
            | reg(r) << 12
            | r.bits(5) << 7
            | r.bits(1) << 6
            | reg(r)
    }),
    ("a32 ssat16 usat16", |r| {
        cond(r) | 0x06a0_0f30 | r.bits(1) << 22 | r.bits(4) << 16 | reg(r) << 12 | reg(r)
    }),
    ("a32 extend", |r| {
        let op = r.pick(&[0, 2, 3, 4, 6, 7]) << 20;
        let n = if r.bits(1) == 0 { 15 } else { reg(r) };
        cond(r) | 0x0680_0070 | op | n << 16 | reg(r) << 12 | r.bits(2) << 10 | reg(r)
    }),
    ("a32 reverse", |r| {
        let op = r.pick(&[0x06bf_0f30, 0x06bf_0fb0, 0x06ff_0f30, 0x06ff_0fb0]);
        cond(r) | op | reg(r) << 12 | reg(r)
    }),
    ("a32 dual multiply", |r| {
        let a = if r.bits(1) == 0 { 15 } else { reg(r) };
        cond(r) | 0x0700_0010 | reg(r) << 16 | a << 12 | reg(r) << 8 | r.bits(2) << 5 | reg(r)
    }),
    ("a32 dual multiply long", |r| {
        let hi = reg(r);
        let lo = reg_not(r, &[hi]);
        cond(r) | 0x0740_0010 | hi << 16 | lo << 12 | reg(r) << 8 | r.bits(2) << 5 | reg(r)
    }),
    ("a32 smmul smmla smmls", |r| {
        let (a, op) = match r.below(3) {
            0 => (15, 0x10),
            1 => (reg(r), 0x10),
            _ => (reg(r), 0xd0),
        };
        cond(r) | 0x0750_0000 | op | r.bits(1) << 5 | reg(r) << 16 | a << 12 | reg(r) << 8 | reg(r)
    }),
    ("a32 usad8", |r| {
        let a = if r.bits(1) == 0 { 15 } else { reg(r) };
        cond(r) | 0x0780_0010 | reg(r) << 16 | a << 12 | reg(r) << 8 | reg(r)
    }),
    ("a32 sbfx ubfx", |r| {
        let lsb = r.bits(5);
        cond(r) | 0x07a0_0050 | r.bits(1) << 22 | r.below(32 - lsb) << 16 | reg(r) << 12 | lsb << 7 | reg(r)
    }),
    ("a32 bfi bfc", |r| {
        let lsb = r.bits(5);
        let m = if r.bits(1) == 0 { 15 } else { reg(r) };
        cond(r) | 0x07c0_0010 | (lsb + r.below(32 - lsb)) << 16 | reg(r) << 12 | lsb << 7 | m
    }),
    ("a32 msr flags", |r| cond(r) | 0x0120_f000 | r.pick(&[8, 4, 12]) << 16 | reg(r)),
    ("a32 msr flags immediate", |r| {
        cond(r) | 0x0320_f000 | r.pick(&[8, 4, 12]) << 16 | r.bits(12) & 0xff | r.pick(&[4, 5, 8]) << 8
    }),
    ("a32 mrs", |r| cond(r) | 0x010f_0000 | reg(r) << 12),
    ("a32 hints and barriers", |r| {
        r.pick(&[0xe320_f000, 0xe320_f001, 0xf57f_f04f, 0xf57f_f05f, 0xf57f_f06f, 0xf57f_f01f, 0xe320_f0f3])
    }),
    ("a32 vfp three operands", |r| {
        let op = r.pick(&[0x00, 0x04, 0x10, 0x14, 0x20, 0x24, 0x30, 0x34, 0x80]);
        cond(r) | 0x0e00_0a00 | (op & 0xf0) << 16 | (op & 4) << 4 | vfp_three(r) & !0x40 | (op & 4) << 4
    }),
    ("a32 vfp one operand", |r| {
        let op = r.pick(&[0x00_0040, 0x00_00c0, 0x01_0040, 0x01_00c0, 0x04_0040, 0x04_00c0]);
        cond(r) | 0x0eb0_0a00 | op | vfp(r, 12, 22) | vfp(r, 0, 5) | r.bits(1) << 8
    }),
    ("a32 vcmp zero", |r| cond(r) | 0x0eb5_0a40 | r.bits(1) << 7 | vfp(r, 12, 22) | r.bits(1) << 8),
    ("a32 vcvt", |r| {
        let op = r.pick(&[0x07_00c0, 0x08_0040, 0x08_00c0, 0x0c_0040, 0x0c_00c0, 0x0d_0040, 0x0d_00c0]);
        cond(r) | 0x0eb0_0a00 | op | vfp(r, 12, 22) | vfp(r, 0, 5) | r.bits(1) << 8
    }),
    ("a32 vcvt fixed", |r| {
        let wide = r.bits(1);
        let size = if wide == 1 { 32 } else { 16 };
        let imm = size - r.below(size + 1);
        let op = r.pick(&[0x0a, 0x0b, 0x0e, 0x0f]) << 16;
        cond(r) | 0x0eb0_0a40 | op | wide << 7 | vfp(r, 12, 22) | (imm & 1) << 5 | imm >> 1 | r.bits(1) << 8
    }),
    ("a32 vcvtb vcvtt", |r| {
        cond(r) | 0x0eb2_0a40 | r.bits(1) << 16 | r.bits(1) << 7 | vfp(r, 12, 22) | vfp(r, 0, 5)
    }),
    ("a32 vmov immediate", |r| {
        cond(r) | 0x0eb0_0a00 | vfp(r, 12, 22) | r.bits(4) << 16 | r.bits(4) | r.bits(1) << 8
    }),
    ("a32 vmov core", |r| cond(r) | 0x0e00_0a10 | r.bits(1) << 20 | vfp(r, 16, 7) | reg(r) << 12),
    ("a32 vmov scalar", |r| {
        let lane = r.pick(&[0, 4, 8, 0xa, 9, 0xb, 0xc, 0xd, 0xf, 1, 3, 5, 7]);
        let lane = (lane & 12) << 19 | (lane & 3) << 5;
        let load = r.bits(1) << 20;
        let whole_word = lane & (1 << 22) == 0 && lane & 0x20 == 0;
        let unsigned = if load != 0 && !whole_word { r.bits(1) << 23 } else { 0 };
        cond(r) | 0x0e00_0b10 | load | unsigned | lane | vfp(r, 16, 7) | reg(r) << 12
    }),
    ("a32 vdup core", |r| {
        let q = r.bits(1);
        let d = r.bits(4) & if q != 0 { 14 } else { 15 };
        let size = r.pick(&[0, 1 << 5, 1 << 22]);
        cond(r) | 0x0e80_0b10 | q << 21 | size | d << 16 | r.bits(1) << 7 | reg(r) << 12
    }),
    ("a32 vmov pair", |r| {
        let t = reg(r);
        let t2 = reg_not(r, &[t]);
        let single = r.bits(1) == 0;
        let m = if single { r.bits(4) & 14 | r.bits(1) << 5 } else { 1 << 8 | vfp(r, 0, 5) };
        cond(r) | 0x0c40_0a10 | r.bits(1) << 20 | t2 << 16 | t << 12 | m
    }),
    ("a32 vmrs vmsr", |r| match r.bits(1) {
        0 => cond(r) | 0x0ef1_fa10,
        _ => cond(r) | 0x0ef1_0a10 | reg(r) << 12,
    }),
    ("simd three the same", |r| {
        let q = r.bits(1);
        let mut op = r.bits(1) << 24 | r.bits(2) << 20 | r.bits(4) << 8 | r.bits(1) << 4;
        // No fused operations, absolute comparisons, steps.
        let float = |op: u32| op >> 8 & 15;
        if matches!(float(op), 12) || float(op) >= 14 && op & 16 != 0 {
            op &= !0x0f00;
        }
        0xf200_0000 | op | simd(r, q)
    }),
    ("simd float", |r| {
        let q = r.bits(1);
        let op = r.pick(&[
            0x0d00, 0x20_0d00, 0x0d10, 0x20_0d10, 0x100_0d10, 0x120_0d00, 0x0e00, 0x100_0e00, 0x120_0e00,
        ]);
        0xf200_0000 | op | simd(r, q)
    }),
    ("simd float extremes and pairs", |r| {
        let op = r.pick(&[0x0f00, 0x20_0f00, 0x100_0f00, 0x120_0f00, 0x100_0d00]);
        0xf200_0000 | op | simd(r, 0)
    }),
    ("simd lengths", |r| {
        let size = r.below(3) << 20;
        let op = r.below(14) << 8;
        let word = 0xf280_0000 | r.bits(1) << 24 | size | op | simd(r, 0);
        // The long registers are even.
        match op >> 8 {
            1 | 3 => word & !0x0001_1000,
            4 | 6 => word & !0x0001_0001,
            _ => word & !0x0000_1000,
        }
    }),
    ("simd by scalar", |r| {
        let size = (1 + r.below(2)) << 20;
        let op = r.below(14) << 8;
        let word = 0xf280_0040 | r.bits(1) << 24 | size | op | simd(r, 0);
        word & !0x0001_1000
    }),
    ("simd shift", |r| {
        let q = r.bits(1);
        let op = r.pick(&[0, 1, 2, 3, 4, 5, 6, 7]) << 8;
        let word = 0xf280_0010 | r.bits(1) << 24 | op | simd(r, q) & !0x000f_0000 & !0x80;
        // 8, 16, 32 or 64 bits
        word | r.pick(&[0x80, 0, 0, 0]) | (8 + r.below(56)) << 16
    }),
    ("simd narrowing and widening shift", |r| {
        let op = r.pick(&[8, 9, 10]) << 8;
        let wide = if op == 0xa00 { !0x1000 } else { !1 };
        let rounds = if op == 0xa00 { 0 } else { r.bits(1) << 6 };
        (0xf280_0010 | r.bits(1) << 24 | op | simd(r, 0) & !0x000f_0080 | (8 + r.below(56)) << 16 | rounds)
            & wide
    }),
    ("simd vcvt fixed", |r| {
        let q = r.bits(1);
        0xf2a0_0e10 | r.bits(1) << 24 | r.bits(1) << 8 | simd(r, q) & !0x000f_0080 | r.bits(5) << 16
    }),
    ("simd immediate", |r| {
        let q = r.bits(1);
        let word = simd(r, q) & 0x0040_f040;
        0xf280_0010 | word | r.bits(1) << 24 | r.bits(3) << 16 | r.bits(4) << 8 | r.bits(1) << 5 | r.bits(4)
    }),
    ("simd vext", |r| {
        let q = r.bits(1);
        0xf2b0_0000 | simd(r, q) | r.bits(if q != 0 { 4 } else { 3 }) << 8
    }),
    ("simd vtbl", |r| {
        let length = r.bits(2);
        let n = r.below(32 - length);
        0xf3b0_0800
            | simd(r, 0) & !0x000f_0080
            | (n & 15) << 16
            | (n >> 4) << 7
            | length << 8
            | r.bits(1) << 6
    }),
    ("simd vdup scalar", |r| {
        let q = r.bits(1);
        let imm = r.pick(&[1, 3, 5, 7, 9, 11, 13, 15, 2, 6, 10, 14, 4, 12]);
        let m = r.bits(4) | r.bits(1) << 5;
        0xf3b0_0c00 | simd(r, q) & 0x0040_f040 | imm << 16 | m
    }),
    ("simd miscellaneous", |r| {
        let q = r.bits(1);
        let b = r.pick(&[0, 1, 2, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15]);
        0xf3b0_0000 | r.below(3) << 18 | b << 7 | simd(r, q) & !0x000f_0080
    }),
    ("simd against zero", |r| {
        let q = r.bits(1);
        let b = r.pick(&[0, 1, 2, 3, 4, 6, 7]);
        let (size, float) = if r.bits(1) == 0 { (r.below(3), 0) } else { (2, 8) };
        0xf3b1_0000 | size << 18 | (b | float) << 7 | simd(r, q) & !0x000f_0080
    }),
    ("simd vcvt", |r| {
        let q = r.bits(1);
        0xf3bb_0600 | r.bits(2) << 7 | simd(r, q) & !0x000f_0080
    }),
    ("simd permute", |r| {
        let q = r.bits(1);
        let word = simd(r, q) & !0x000f_0080;
        // Two different registers
        let word = if word >> 12 & 15 == word & 15 { word ^ 2 } else { word };
        let which = r.bits(2);
        let size = if which == 0 { 0 } else { r.below(3) };
        0xf3b2_0000 | size << 18 | which << 7 | word
    }),
    ("simd narrow", |r| {
        let b = r.pick(&[4, 5]);
        let word = simd(r, 0) & !0x000f_0081;
        0xf3b2_0000 | r.below(3) << 18 | b << 7 | r.bits(1) << 6 | word
    }),
    ("simd vshll", |r| 0xf3b2_0300 | r.below(3) << 18 | simd(r, 0) & !0x000f_1080),
];

/// A memory instruction with its base at `scratch`: what sets it up, and the instruction.
type MakeMemory = fn(&mut Random, u32) -> (Vec<u32>, u32);

/// A base register that points into the scratch area, on a word most often.
fn point(r: &mut Random, n: u32, scratch: u32, below: u32, above: u32) -> Vec<u32> {
    let room = 128 - below - above;
    let at = scratch + below + r.below(room / 4 + 1) * 4;
    let off = if r.bits(3) == 0 { r.bits(2) } else { 0 };
    constant(n, at + if room >= 4 { off } else { 0 }).to_vec()
}

const MEMORY: &[(&str, MakeMemory)] = &[
    ("a32 load/store immediate", |r, scratch| {
        let n = reg(r);
        let (p, w) = (r.bits(1), r.bits(1));
        let t = if p == 0 || w == 1 { reg_not(r, &[n]) } else { reg(r) };
        let setup = point(r, n, scratch, 36, 36);
        let word =
            cond(r) | 0x0400_0000 | p << 24 | r.bits(1) << 23 | r.bits(1) << 22 | w << 21 | r.bits(1) << 20;
        (setup, word | n << 16 | t << 12 | r.bits(5))
    }),
    ("a32 load/store register", |r, scratch| {
        let n = reg(r);
        let m = reg_not(r, &[n]);
        let (p, w) = (r.bits(1), r.bits(1));
        let t = reg_not(r, &[n, m]);
        let mut setup = point(r, n, scratch, 36, 36);
        setup.extend(constant(m, r.bits(3)));
        let shift = r.pick(&[0, 1 << 7, 2 << 7, 1 << 5, 1 << 7 | 1 << 5, 3 << 7 | 2 << 5, 2 << 5]);
        let word =
            cond(r) | 0x0600_0000 | p << 24 | r.bits(1) << 23 | r.bits(1) << 22 | w << 21 | r.bits(1) << 20;
        (setup, word | n << 16 | t << 12 | shift | m)
    }),
    ("a32 load literal", |r, _| {
        (vec![], cond(r) | 0x051f_0000 | r.bits(1) << 23 | r.bits(1) << 22 | reg(r) << 12 | r.bits(6) << 2)
    }),
    ("a32 extra load/store immediate", |r, scratch| {
        let n = reg(r);
        let (p, w) = (r.bits(1), if r.bits(1) == 0 { 0 } else { 1 });
        let w = if p == 0 { 0 } else { w };
        let setup = point(r, n, scratch, 36, 40);
        let op = 1 + r.below(3);
        let load = r.bits(1);
        let pair = load == 0 && op >= 2;
        let t = loop {
            let t = if pair { even(r) } else { reg(r) };
            if t != n && !(pair && t + 1 == n) {
                break t;
            }
        };
        let imm = r.bits(5);
        let word = cond(r) | 0x0040_0090 | p << 24 | r.bits(1) << 23 | w << 21 | load << 20 | op << 5;
        (setup, word | n << 16 | t << 12 | (imm >> 4) << 8 | imm & 15)
    }),
    ("a32 extra load/store register", |r, scratch| {
        let n = reg(r);
        let m = reg_not(r, &[n]);
        let p = r.bits(1);
        let w = if p == 0 { 0 } else { r.bits(1) };
        let mut setup = point(r, n, scratch, 36, 40);
        setup.extend(constant(m, r.bits(4)));
        let op = 1 + r.below(3);
        let load = r.bits(1);
        let pair = load == 0 && op >= 2;
        let t = loop {
            let t = if pair { even(r) } else { reg(r) };
            if t != n && t != m && !(pair && (t + 1 == n || t + 1 == m)) {
                break t;
            }
        };
        let word = cond(r) | 0x0000_0090 | p << 24 | r.bits(1) << 23 | w << 21 | load << 20 | op << 5;
        (setup, word | n << 16 | t << 12 | m)
    }),
    ("a32 ldrht and others", |r, scratch| {
        let n = reg(r);
        let t = reg_not(r, &[n]);
        let setup = point(r, n, scratch, 36, 36);
        let (load, op) = r.pick(&[(0, 1), (1, 1), (1, 2), (1, 3)]);
        let imm = r.bits(5);
        let word = cond(r) | 0x0060_0090 | r.bits(1) << 23 | load << 20 | op << 5;
        (setup, word | n << 16 | t << 12 | (imm >> 4) << 8 | imm & 15)
    }),
    ("a32 extra literal", |r, _| {
        let imm = r.bits(6);
        let word = cond(r) | 0x015f_0090 | r.bits(1) << 23 | (1 + r.below(3)) << 5;
        (vec![], word | reg(r) << 12 | (imm >> 4) << 8 | imm & 15)
    }),
    ("a32 ldrd literal", |r, _| {
        (vec![], cond(r) | 0x014f_00d0 | r.bits(1) << 23 | even(r) << 12 | r.bits(4) << 8 | r.bits(2) << 2)
    }),
    ("a32 ldm/stm", |r, scratch| {
        let n = reg(r);
        let setup = point(r, n, scratch, 60, 60);
        let mut list = r.bits(13) | r.bits(1) << 14;
        list &= !(1 << n);
        list |= 1 << reg_not(r, &[n]);
        (setup, cond(r) | 0x0800_0000 | r.bits(2) << 23 | r.bits(2) << 20 | n << 16 | list)
    }),
    ("a32 exclusive", |r, scratch| {
        let n = reg(r);
        let t = reg_not(r, &[n]);
        let d = reg_not(r, &[n, t]);
        let mut setup = constant(n, scratch + 8 * r.bits(3)).to_vec();
        let size = r.pick(&[0, 2, 3]) << 21;
        let load = 0xe190_0f9f | size | n << 16 | t << 12;
        let store = 0xe180_0f90 | size | n << 16 | d << 12 | t;
        match r.bits(2) {
            0 => (setup, load),
            1 => {
                setup.push(0xf57f_f01f);
                (setup, store)
            }
            _ => {
                setup.push(load);
                (setup, store)
            }
        }
    }),
    ("a32 exclusive pair", |r, scratch| {
        let t = even(r);
        let n = reg_not(r, &[t, t + 1]);
        let d = reg_not(r, &[n, t, t + 1]);
        let mut setup = constant(n, scratch + 8 * r.bits(3)).to_vec();
        let load = 0xe1b0_0f9f | n << 16 | t << 12;
        match r.bits(2) {
            0 => (setup, load),
            1 => {
                setup.push(0xf57f_f01f);
                (setup, 0xe1a0_0f90 | n << 16 | d << 12 | t)
            }
            _ => {
                setup.push(load);
                (setup, 0xe1a0_0f90 | n << 16 | d << 12 | t)
            }
        }
    }),
    ("a32 preload", |r, scratch| {
        let n = reg(r);
        (
            constant(n, scratch).to_vec(),
            r.pick(&[0xf550_f000, 0xf510_f000, 0xf450_f000]) | 1 << 23 | n << 16 | r.bits(6),
        )
    }),
    ("a32 vldr/vstr", |r, scratch| {
        let n = reg(r);
        let setup = point(r, n, scratch, 40, 40);
        (
            setup,
            cond(r)
                | 0x0d00_0a00
                | r.bits(1) << 23
                | r.bits(1) << 20
                | vfp(r, 12, 22)
                | n << 16
                | r.bits(1) << 8
                | r.bits(3),
        )
    }),
    ("a32 vldr literal", |r, _| {
        (vec![], cond(r) | 0x0d1f_0a00 | r.bits(1) << 23 | vfp(r, 12, 22) | r.bits(1) << 8 | r.bits(4))
    }),
    ("a32 vldm/vstm", |r, scratch| {
        let n = reg(r);
        let setup = point(r, n, scratch, 60, 60);
        let double = r.bits(1);
        let count = 1 + r.below(if double == 1 { 7 } else { 14 });
        let first = r.below(32 - count);
        let d = if double == 1 {
            (first & 15) << 12 | (first >> 4) << 22
        } else {
            (first >> 1) << 12 | (first & 1) << 22
        };
        let mode = r.pick(&[0x0080_0000, 0x00a0_0000, 0x0120_0000]);
        let imm = if double == 1 { 2 * count } else { count };
        (setup, cond(r) | 0x0c00_0a00 | mode | d | r.bits(1) << 20 | n << 16 | double << 8 | imm)
    }),
    ("simd load/store multiple", |r, scratch| {
        let n = reg(r);
        let setup = if r.bits(1) == 0 {
            constant(n, scratch + 32 * r.bits(1)).to_vec()
        } else {
            point(r, n, scratch, 0, 64)
        };
        let (kind, most) = r.pick(&[
            (7, 1),
            (10, 2),
            (6, 1),
            (2, 3),
            (8, 2),
            (9, 2),
            (3, 3),
            (4, 1),
            (5, 1),
            (0, 3),
            (1, 3),
        ]);
        let d = r.below(24);
        let size = if matches!(kind, 7 | 10 | 6 | 2) { r.bits(2) } else { r.below(3) };
        let align = r.below(most + 1);
        let m = offset_register(r);
        (
            setup,
            0xf400_0000
                | r.bits(1) << 21
                | (d >> 4) << 22
                | n << 16
                | (d & 15) << 12
                | kind << 8
                | size << 6
                | align << 4
                | m,
        )
    }),
    ("simd load/store lane", |r, scratch| {
        let n = reg(r);
        let setup = point(r, n, scratch, 0, 64);
        let size = r.below(3);
        let structure = r.bits(2);
        let d = r.below(24);
        let lane = match size {
            0 => r.bits(3) << 1,
            1 => r.bits(2) << 2 | if structure == 0 { 0 } else { r.bits(1) << 1 },
            _ => r.bits(1) << 3 | if structure == 0 { 0 } else { r.bits(1) << 2 },
        };
        let align = if structure == 2 || structure == 0 && size == 0 { 0 } else { r.bits(1) };
        let align = if structure == 0 && size == 2 { 3 * align } else { align };
        let word = 0xf480_0000 | r.bits(1) << 21 | (d >> 4) << 22 | n << 16 | (d & 15) << 12;
        (setup, word | size << 10 | structure << 8 | (lane | align) << 4 | offset_register(r))
    }),
    ("simd load to all lanes", |r, scratch| {
        let n = reg(r);
        let setup = point(r, n, scratch, 0, 64);
        let structure = r.bits(2);
        let d = r.below(24);
        let size = r.below(3);
        let align = if structure == 2 || structure == 0 && size == 0 { 0 } else { r.bits(1) };
        let word = 0xf4a0_0c00 | (d >> 4) << 22 | n << 16 | (d & 15) << 12;
        (setup, word | structure << 8 | size << 6 | r.bits(1) << 5 | align << 4 | offset_register(r))
    }),
];

/// No write back, by the bytes transferred, or by a register.
fn offset_register(r: &mut Random) -> u32 {
    match r.bits(2) {
        0 | 1 => 15,
        2 => 13,
        _ => reg(r),
    }
}

/// Every kind of item that sequences are made of.
pub fn names() -> impl Iterator<Item = &'static str> {
    PLAIN.iter().map(|e| e.0).chain(MEMORY.iter().map(|e| e.0)).chain(RARE)
}

const RARE: [&str; 12] = [
    "a32 b",
    "a32 bl",
    "a32 bx blx",
    "a32 mov pc",
    "a32 add pc",
    "a32 ldr pc",
    "a32 push pop",
    "a32 blx immediate",
    "a32 svc",
    "a32 undefined",
    "a32 ldm pc",
    "a32 str pc",
];

/// A sequence for a case whose scratch area is at `scratch`.
pub fn sequence(r: &mut Random, scratch: u32, coverage: &mut Coverage) -> Vec<u32> {
    let mut code: Vec<u32> = Vec::new();
    for _ in 0..3 + r.below(10) {
        let mut note = |name: &'static str| *coverage.entry(name).or_default() += 1;
        match r.below(16) {
            0..10 => {
                let (name, make) = r.pick(PLAIN);
                note(name);
                code.push(make(r));
            }
            10..14 => {
                let (name, make) = r.pick(MEMORY);
                note(name);
                let (setup, insn) = make(r, scratch);
                code.extend(setup);
                code.push(insn);
            }
            _ => rare(r, scratch, &mut code, &mut note),
        }
    }
    code
}

/// Branches, PC as a register, the stack, and what faults.
fn rare(r: &mut Random, scratch: u32, code: &mut Vec<u32>, note: &mut impl FnMut(&'static str)) {
    let over: Vec<u32> = (0..1 + r.below(2)).map(|_| r.pick(PLAIN).1(r)).collect();
    let words = over.len() as u32;
    let name = RARE[r.below(RARE.len() as u32) as usize];
    note(name);
    match name {
        "a32 b" => code.push(cond(r) | 0x0a00_0000 | (words - 1)),
        "a32 bl" => code.push(cond(r) | 0x0b00_0000 | (words - 1)),
        "a32 bx blx" => {
            // add t, pc, #…; bx t or blx t
            let t = reg(r);
            code.push(0xe28f_0000 | t << 12 | (4 * words));
            code.push(r.pick(&[0xe12f_ff10, 0xe12f_ff30]) | t);
        }
        "a32 mov pc" => {
            let t = reg(r);
            code.push(0xe28f_0000 | t << 12 | (4 * words));
            code.push(cond(r) | 0x01a0_f000 | t);
        }
        "a32 add pc" => {
            // add pc, pc, t, lsl #2
            let t = reg(r);
            code.push(0xe3a0_0000 | t << 12 | (words - 1));
            code.push(0xe08f_f100 | t);
        }
        "a32 ldr pc" => {
            let n = reg(r);
            let t = reg_not(r, &[n]);
            code.extend(constant(n, scratch + 64));
            code.push(0xe28f_0000 | t << 12 | (4 * (words + 1)));
            code.push(0xe580_0000 | n << 16 | t << 12);
            code.push(r.pick(&[0xe590_f000, 0xe490_f004, 0xe5b0_f000]) | n << 16);
        }
        "a32 ldm pc" => {
            let n = reg(r);
            let t = reg_not(r, &[n]);
            let x = reg_not(r, &[n]);
            code.extend(constant(n, scratch + 64));
            code.push(0xe28f_0000 | t << 12 | (4 * (words + 1)));
            code.push(0xe580_0004 | n << 16 | t << 12);
            code.push(0xe890_8000 | n << 16 | 1 << x);
        }
        "a32 str pc" => {
            let n = reg(r);
            code.extend(constant(n, scratch + 64));
            code.push(r.pick(&[0xe580_f000, 0xe880_8001]) | n << 16);
        }
        "a32 push pop" => {
            let list = (r.bits(13) | r.bits(1) << 14) | 1;
            code.push(0xe92d_0000 | list);
            code.push(0xe8bd_0000 | list);
            code.push(0xe52d_0004 | reg(r) << 12);
            code.push(0xe49d_0004 | reg(r) << 12);
        }
        "a32 blx immediate" => {
            // To T32 and back: bx pc; nop
            code.push(0xfaff_ffff);
            code.push(0x46c0_4778);
        }
        "a32 svc" => {
            if r.bits(3) == 0 {
                code.push(0xef00_0000 | r.bits(8));
            }
        }
        _ => {
            if r.bits(2) == 0 {
                code.push(r.pick(&[
                    0xe7f0_00f0,
                    0xe710_f010, // SDIV
                    0xe730_f010, // UDIV
                    0xe060_0090 | 1 << 20,
                    0xee00_0110,
                    0xec00_0000,
                ]));
            }
        }
    }
    code.extend(over);
}
