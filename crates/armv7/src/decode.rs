// SPDX-License-Identifier: Apache-2.0 OR MIT

//! T32 as ARMv7E-M with FPv4-SP has it (ARM DDI 0403E, chapters A5 and A7), and as ARMv7-A with VFPv3 and Advanced SIMD
//! does (ARM DDI 0406C, chapters A6 and A7).
//!
//! Encodings that the architecture leaves UNPREDICTABLE decode to [`Op::Unpredictable`] and fault: firmware that
//! depends on them does not work by right.

use crate::insn::{DOUBLE_OPERATIONS, Insn, Op, Shift};
use crate::neon;

/// Which instructions there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Cortex-M4F.
    M,
    /// Cortex-A9: no division, no fused multiplication.
    A,
}

/// Whether a first halfword has a second one after it.
pub(crate) const fn is_wide(first: u16) -> bool {
    first >> 11 >= 0b11101
}

/// The IT state while an instruction executes: ITSTATE of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct It(pub u8);

impl It {
    pub(crate) const fn active(self) -> bool {
        self.0 & 15 != 0
    }

    /// The instruction is the last of its block.
    pub(crate) const fn last(self) -> bool {
        self.0 & 15 == 8
    }

    pub(crate) const fn condition(self) -> u8 {
        if self.active() { self.0 >> 4 } else { 14 }
    }

    /// ITAdvance().
    pub(crate) const fn next(self) -> Self {
        if self.0 & 7 == 0 { Self(0) } else { Self(self.0 & 0xe0 | self.0 << 1 & 0x1f) }
    }
}

/// An instruction, or why it faults.
pub(crate) type Decoded = Result<Insn, Op>;

pub(crate) const UNDEFINED: Decoded = Err(Op::Undefined);
pub(crate) const UNPREDICTABLE: Decoded = Err(Op::Unpredictable);

/// Decodes the instruction at `pc`. `second` is ignored unless `first` is wide.
pub(crate) fn decode(first: u16, second: u16, it: It, pc: u32, profile: Profile) -> Insn {
    let decoded = if is_wide(first) {
        wide(first.into(), second.into(), it, pc, profile)
    } else {
        narrow(first.into(), it, pc, profile)
    };
    let mut insn = decoded.unwrap_or_else(Insn::new);
    // Everything in an IT block is conditional except BKPT and, in the M profile, what faults whatever the condition.
    let faults = matches!(insn.op, Op::Undefined | Op::Unpredictable);
    let unconditional = insn.op == Op::Bkpt || faults && profile == Profile::M;
    if it.active() && it.condition() != 14 && !unconditional {
        if insn.op == Op::Sp {
            insn.op = Op::CondSp;
        } else {
            insn.inner = insn.op;
            insn.op = Op::Cond;
        }
        insn.cond = it.condition();
    }
    insn
}

pub(crate) const fn bits(word: u32, high: u32, low: u32) -> u32 {
    word >> low & ((1 << (high - low + 1)) - 1)
}

pub(crate) const fn reg(word: u32, low: u32) -> u8 {
    (word >> low & 15) as u8
}

pub(crate) const fn bit(word: u32, n: u32) -> bool {
    word >> n & 1 != 0
}

pub(crate) const fn sign_extend(value: u32, width: u32) -> u32 {
    ((value << (32 - width)) as i32 >> (32 - width)) as u32
}

/// SP or PC, where a general register is wanted.
const fn bad(r: u8) -> bool {
    r == 13 || r == 15
}

fn any_bad(rs: &[u8]) -> bool {
    rs.iter().any(|&r| bad(r))
}

/// Packs a shift of an immediate amount: DecodeImmShift().
pub(crate) const fn imm_shift(kind: u32, amount: u32) -> u32 {
    match (kind, amount) {
        (0, n) => Shift::Lsl.pack(n),
        (1, 0) => Shift::Lsr.pack(32),
        (1, n) => Shift::Lsr.pack(n),
        (2, 0) => Shift::Asr.pack(32),
        (2, n) => Shift::Asr.pack(n),
        (_, 0) => Shift::Rrx.pack(1),
        (_, n) => Shift::Ror.pack(n),
    }
}

/// Wraps an instruction that writes SP by an ordinary operation.
pub(crate) fn writes_sp(mut insn: Insn) -> Insn {
    insn.inner = insn.op;
    insn.op = Op::Sp;
    insn
}

fn narrow(w: u32, it: It, pc: u32, profile: Profile) -> Decoded {
    let in_it = it.active();
    let (low0, low3, low6, low8) =
        (bits(w, 2, 0) as u8, bits(w, 5, 3) as u8, bits(w, 8, 6) as u8, bits(w, 10, 8) as u8);
    let i = Insn::new;
    // Arithmetic sets flags outside IT blocks only.
    let s = |plain: Op, setting: Op| if in_it { plain } else { setting };
    Ok(match w >> 11 {
        0b00000 if bits(w, 10, 6) == 0 => {
            if in_it {
                return UNPREDICTABLE; // MOVS (register) T2
            }
            Insn { rd: low0, rm: low3, ..i(Op::MovRegS) }
        }
        kind @ 0..=2 => {
            let amount = bits(w, 10, 6);
            let shift = imm_shift(kind, amount);
            let (op, imm) = if in_it {
                match (kind, amount) {
                    (0, n) => (Op::LslImm, n),
                    (1, n @ 1..) => (Op::LsrImm, n),
                    (2, n) => (Op::AsrImm, if n == 0 { 31 } else { n }),
                    _ => (Op::MovShift, shift),
                }
            } else {
                (Op::MovShiftS, shift)
            };
            Insn { rd: low0, rm: low3, imm, ..i(op) }
        }
        3 => {
            let base = Insn { rd: low0, rn: low3, rm: low6, imm: low6.into(), ..i(Op::Nop) };
            let op = match bits(w, 10, 9) {
                0 => s(Op::AddReg, Op::AddRegS),
                1 => s(Op::SubReg, Op::SubRegS),
                2 => s(Op::AddImm, Op::AddImmS),
                _ => s(Op::SubImm, Op::SubImmS),
            };
            Insn { op, ..base }
        }
        4 => Insn { rd: low8, imm: w & 0xff, ra: 2, ..i(s(Op::MovImm, Op::MovImmS)) },
        5 => Insn { rn: low8, imm: w & 0xff, ..i(Op::CmpImm) },
        6 => Insn { rd: low8, rn: low8, imm: w & 0xff, ..i(s(Op::AddImm, Op::AddImmS)) },
        7 => Insn { rd: low8, rn: low8, imm: w & 0xff, ..i(s(Op::SubImm, Op::SubImmS)) },
        8 if !bit(w, 10) => {
            let base = Insn { rd: low0, rn: low0, rm: low3, ..i(Op::Nop) };
            match bits(w, 9, 6) {
                0 => Insn { op: s(Op::AndReg, Op::AndRegS), ..base },
                1 => Insn { op: s(Op::EorReg, Op::EorRegS), ..base },
                2 => Insn { op: s(Op::LslReg, Op::LslRegS), ..base },
                3 => Insn { op: s(Op::LsrReg, Op::LsrRegS), ..base },
                4 => Insn { op: s(Op::AsrReg, Op::AsrRegS), ..base },
                5 => Insn { op: s(Op::AdcReg, Op::AdcRegS), ..base },
                6 => Insn { op: s(Op::SbcReg, Op::SbcRegS), ..base },
                7 => Insn { op: s(Op::RorReg, Op::RorRegS), ..base },
                8 => Insn { op: Op::TstReg, ..base },
                9 => Insn { op: s(Op::RsbImm, Op::RsbImmS), rn: low3, ..base },
                10 => Insn { op: Op::CmpReg, ..base },
                11 => Insn { op: Op::CmnReg, ..base },
                12 => Insn { op: s(Op::OrrReg, Op::OrrRegS), ..base },
                13 => Insn { op: s(Op::Mul, Op::MulS), ..base },
                14 => Insn { op: s(Op::BicReg, Op::BicRegS), ..base },
                _ => Insn { op: s(Op::MvnReg, Op::MvnRegS), ..base },
            }
        }
        8 => {
            let (dn, m) = (low0 | (w >> 4 & 8) as u8, reg(w, 3));
            match bits(w, 9, 8) {
                0 => {
                    if dn == 15 && m == 15 || dn == 15 && in_it && !it.last() {
                        return UNPREDICTABLE;
                    }
                    if dn == 15 {
                        return Ok(Insn { rm: m, imm: pc.wrapping_add(4), ..i(Op::MovPc) });
                    }
                    let add = Insn { rd: dn, rn: dn, rm: m, ..i(Op::AddReg) };
                    match (dn, m) {
                        (13, 15) => {
                            writes_sp(Insn { imm: pc.wrapping_add(4), ..Insn { op: Op::AddImm, ..add } })
                        }
                        (13, _) => writes_sp(add),
                        (_, 15) => Insn { op: Op::AddImm, imm: pc.wrapping_add(4), ..add },
                        _ => add,
                    }
                }
                1 => {
                    if dn < 8 && m < 8 || dn == 15 || m == 15 {
                        return UNPREDICTABLE;
                    }
                    Insn { rn: dn, rm: m, ..i(Op::CmpReg) }
                }
                2 => {
                    if dn == 15 && in_it && !it.last() {
                        return UNPREDICTABLE;
                    }
                    match (dn, m) {
                        (15, 15) => Insn { imm: pc.wrapping_add(4) & !1, ..i(Op::B) },
                        (15, _) => Insn { rm: m, ..i(Op::MovPc) },
                        (13, 15) => writes_sp(Insn { rd: 13, imm: pc.wrapping_add(4), ..i(Op::MovImm) }),
                        (_, 15) => Insn { rd: dn, imm: pc.wrapping_add(4), ..i(Op::MovImm) },
                        (13, _) => writes_sp(Insn { rd: 13, rm: m, ..i(Op::MovReg) }),
                        _ => Insn { rd: dn, rm: m, ..i(Op::MovReg) },
                    }
                }
                _ => {
                    if profile == Profile::A && m == 15 && !bit(w, 7) && (!in_it || it.last()) {
                        // BX PC: to A32 at the next word but one
                        return Ok(Insn { imm: pc.wrapping_add(4) & !3, ra: 1, ..i(Op::BlxImm) });
                    }
                    if m == 15 || in_it && !it.last() || w & 7 != 0 {
                        return UNPREDICTABLE;
                    }
                    Insn { rm: m, imm: pc.wrapping_add(2) | 1, ..i(if bit(w, 7) { Op::Blx } else { Op::Bx }) }
                }
            }
        }
        9 => Insn { rd: low8, imm: (pc.wrapping_add(4) & !3).wrapping_add((w & 0xff) << 2), ..i(Op::LdrLit) },
        10 | 11 => {
            const OPS: [Op; 8] = [
                Op::StrReg,
                Op::StrhReg,
                Op::StrbReg,
                Op::LdrsbReg,
                Op::LdrReg,
                Op::LdrhReg,
                Op::LdrbReg,
                Op::LdrshReg,
            ];
            Insn { rd: low0, rn: low3, rm: low6, ..i(OPS[bits(w, 11, 9) as usize]) }
        }
        12 => Insn { rd: low0, rn: low3, imm: bits(w, 10, 6) << 2, ..i(Op::StrImm) },
        13 => Insn { rd: low0, rn: low3, imm: bits(w, 10, 6) << 2, ..i(Op::LdrImm) },
        14 => Insn { rd: low0, rn: low3, imm: bits(w, 10, 6), ..i(Op::StrbImm) },
        15 => Insn { rd: low0, rn: low3, imm: bits(w, 10, 6), ..i(Op::LdrbImm) },
        16 => Insn { rd: low0, rn: low3, imm: bits(w, 10, 6) << 1, ..i(Op::StrhImm) },
        17 => Insn { rd: low0, rn: low3, imm: bits(w, 10, 6) << 1, ..i(Op::LdrhImm) },
        18 => Insn { rd: low8, rn: 13, imm: (w & 0xff) << 2, ..i(Op::StrImm) },
        19 => Insn { rd: low8, rn: 13, imm: (w & 0xff) << 2, ..i(Op::LdrImm) },
        20 => {
            Insn { rd: low8, imm: (pc.wrapping_add(4) & !3).wrapping_add((w & 0xff) << 2), ..i(Op::MovImm) }
        }
        21 => Insn { rd: low8, rn: 13, imm: (w & 0xff) << 2, ..i(Op::AddImm) },
        22 | 23 => return miscellaneous(w, it, pc, profile),
        24 => {
            let list = w & 0xff;
            if list == 0 || list & ((1 << low8) - 1) != 0 && bit(list, low8.into()) {
                return UNPREDICTABLE; // the base is stored after it was changed
            }
            Insn { rn: low8, imm: list, ra: 1, ..i(Op::Stm) }
        }
        25 => {
            let list = w & 0xff;
            if list == 0 {
                return UNPREDICTABLE;
            }
            Insn { rn: low8, imm: list, ra: u8::from(!bit(list, low8.into())), ..i(Op::Ldm) }
        }
        26 | 27 => match bits(w, 11, 8) {
            14 => return UNDEFINED, // UDF
            15 => Insn { imm: w & 0xff, ..i(Op::Svc) },
            cond => {
                if in_it {
                    return UNPREDICTABLE;
                }
                let offset = sign_extend(w & 0xff, 8) << 1;
                Insn { imm: pc.wrapping_add(4).wrapping_add(offset), cond: cond as u8, ..i(Op::Bcond) }
            }
        },
        _ => {
            if in_it && !it.last() {
                return UNPREDICTABLE;
            }
            let offset = sign_extend(w & 0x7ff, 11) << 1;
            Insn { imm: pc.wrapping_add(4).wrapping_add(offset), ..i(Op::B) }
        }
    })
}

/// A5.2.5: miscellaneous 16-bit instructions.
fn miscellaneous(w: u32, it: It, pc: u32, profile: Profile) -> Decoded {
    let i = Insn::new;
    let (low0, low3) = (bits(w, 2, 0) as u8, bits(w, 5, 3) as u8);
    Ok(match bits(w, 11, 8) {
        0 => {
            let imm = (w & 0x7f) << 2;
            if bit(w, 7) {
                writes_sp(Insn { rd: 13, rn: 13, imm, ..i(Op::SubImm) })
            } else {
                writes_sp(Insn { rd: 13, rn: 13, imm, ..i(Op::AddImm) })
            }
        }
        1 | 3 | 9 | 11 => {
            if it.active() {
                return UNPREDICTABLE;
            }
            let target = pc.wrapping_add(4).wrapping_add(bits(w, 7, 3) << 1 | (w >> 3 & 0x40));
            Insn { rn: low0, imm: target, ..i(if bit(w, 11) { Op::Cbnz } else { Op::Cbz }) }
        }
        2 => {
            const OPS: [Op; 4] = [Op::Sxth, Op::Sxtb, Op::Uxth, Op::Uxtb];
            Insn { rd: low0, rm: low3, ..i(OPS[bits(w, 7, 6) as usize]) }
        }
        4 | 5 => {
            let list = w & 0xff | (w & 0x100) << 6;
            if list == 0 {
                return UNPREDICTABLE;
            }
            Insn { rn: 13, imm: list, ra: 3, ..i(Op::Stm) }
        }
        6 if profile == Profile::A => {
            if it.active() {
                return UNPREDICTABLE;
            }
            match w & 0xfff0 {
                0xb650 => Insn { imm: w >> 3 & 1, ..i(Op::SetEnd) },
                0xb660 | 0xb670 => Insn { imm: (w & 7) << 6 | (2 | w >> 4 & 1) << 9, ..i(Op::ChangeState) },
                _ => return UNDEFINED,
            }
        }
        6 => {
            if w & 0xffe8 != 0xb660 {
                return UNDEFINED;
            }
            if w & 3 == 0 || it.active() {
                return UNPREDICTABLE;
            }
            Insn { imm: w & 0x13, ..i(Op::Cps) }
        }
        10 => {
            let op = match bits(w, 7, 6) {
                0 => Op::Rev,
                1 => Op::Rev16,
                3 => Op::Revsh,
                _ => return UNDEFINED,
            };
            Insn { rd: low0, rm: low3, ..i(op) }
        }
        12 | 13 => {
            let list = w & 0xff | (w & 0x100) << 7;
            if list == 0 || bit(list, 15) && it.active() && !it.last() {
                return UNPREDICTABLE;
            }
            Insn { rn: 13, imm: list, ra: 1, ..i(if bit(list, 15) { Op::LdmPc } else { Op::Ldm }) }
        }
        14 => Insn { imm: w & 0xff, ..i(Op::Bkpt) },
        15 if w & 15 != 0 => {
            let (first, mask) = (bits(w, 7, 4), w & 15);
            if first == 15 || first == 14 && mask.count_ones() != 1 || it.active() {
                return UNPREDICTABLE;
            }
            Insn { imm: w & 0xff, ..i(Op::It) }
        }
        15 => match bits(w, 7, 4) {
            2 => i(Op::Wfe),
            3 => i(Op::Wfi),
            4 => i(Op::Sev),
            _ => i(Op::Nop), // YIELD and unallocated hints do nothing
        },
        _ => return UNDEFINED,
    })
}

fn wide(w1: u32, w2: u32, it: It, pc: u32, profile: Profile) -> Decoded {
    let word = w1 << 16 | w2;
    match bits(w1, 12, 11) {
        1 => match bits(w1, 10, 9) {
            0 if !bit(w1, 6) => load_store_multiple(w1, w2, it, profile),
            0 => dual_exclusive_table(w1, w2, it, pc, profile),
            1 => data_shifted(w1, w2),
            _ => coprocessor(word, pc.wrapping_add(4) & !3, profile),
        },
        2 if bit(w2, 15) => branches(w1, w2, it, pc, profile),
        2 if !bit(w1, 9) => data_modified_immediate(w1, w2),
        2 => data_plain_immediate(w1, w2, pc),
        _ => match bits(w1, 10, 9) {
            0 if bit(w1, 4) => load(w1, w2, it, pc),
            0 if !bit(w1, 8) => store(w1, w2),
            0 => {
                let a32 = 0xf400_0000 | word & 0x00ff_ffff;
                if profile == Profile::M || !neon::memory_supported(a32) {
                    return UNDEFINED;
                }
                Ok(Insn { imm: a32, ..Insn::new(Op::NeonMemory) })
            }
            1 if !bit(w1, 8) => data_register(w1, w2),
            1 if !bit(w1, 7) => multiply(w1, w2),
            1 => multiply_long(w1, w2, profile),
            _ => coprocessor(word, pc.wrapping_add(4) & !3, profile),
        },
    }
}

/// A5.3.5.
fn load_store_multiple(w1: u32, w2: u32, it: It, profile: Profile) -> Decoded {
    let n = reg(w1, 0);
    let (wback, list, is_load) = (bit(w1, 5), w2, bit(w1, 4));
    let before = match bits(w1, 8, 7) {
        1 => false,
        2 => true,
        mode if profile == Profile::A => {
            // SRS and RFE: decrement before, increment after
            let ra = u8::from(wback) | u8::from(mode == 0) << 1;
            return Ok(if is_load {
                Insn { rn: n, ra, ..Insn::new(Op::Rfe) }
            } else {
                Insn { imm: w2 & 31, ra, ..Insn::new(Op::Srs) }
            });
        }
        _ => return UNDEFINED,
    };
    let common = n == 15 || list.count_ones() < 2 || bit(list, 13) || wback && bit(list, n.into());
    let ra = u8::from(wback) | u8::from(before) << 1;
    if !is_load {
        if common || bit(list, 15) {
            return UNPREDICTABLE;
        }
        return Ok(Insn { rn: n, imm: list, ra, ..Insn::new(Op::Stm) });
    }
    if common || bit(list, 15) && (bit(list, 14) || it.active() && !it.last()) {
        return UNPREDICTABLE;
    }
    Ok(Insn { rn: n, imm: list, ra, ..Insn::new(if bit(list, 15) { Op::LdmPc } else { Op::Ldm }) })
}

/// A5.3.6.
fn dual_exclusive_table(w1: u32, w2: u32, it: It, pc: u32, profile: Profile) -> Decoded {
    let i = Insn::new;
    let (n, t, t2, d) = (reg(w1, 0), reg(w2, 12), reg(w2, 8), reg(w2, 0));
    let imm8 = (w2 & 0xff) << 2;
    let (p, u, w, l) = (bit(w1, 8), bit(w1, 7), bit(w1, 5), bit(w1, 4));
    if p || w {
        let imm = if u { imm8 } else { imm8.wrapping_neg() };
        let base = Insn { rd: t, ra: t2, rn: n, imm, ..i(Op::Nop) };
        if w && (n == t || n == t2) || any_bad(&[t, t2]) {
            return UNPREDICTABLE;
        }
        if l {
            if t == t2 || n == 15 && w {
                return UNPREDICTABLE;
            }
            if n == 15 {
                return Ok(Insn {
                    op: Op::LdrdLit,
                    imm: (pc.wrapping_add(4) & !3).wrapping_add(imm),
                    ..base
                });
            }
        } else if n == 15 {
            return UNPREDICTABLE;
        }
        let op = match (l, p, w) {
            (true, true, false) => Op::Ldrd,
            (true, true, true) => Op::LdrdPre,
            (true, false, _) => Op::LdrdPost,
            (false, true, false) => Op::Strd,
            (false, true, true) => Op::StrdPre,
            (false, false, _) => Op::StrdPost,
        };
        let insn = Insn { op, ..base };
        return Ok(if w && n == 13 { writes_sp(insn) } else { insn });
    }
    if !u {
        // STREX, LDREX
        if l {
            if any_bad(&[t]) || n == 15 || w2 & 0xf00 != 0xf00 {
                return UNPREDICTABLE;
            }
            return Ok(Insn { rd: t, rn: n, ra: 2, imm: imm8, ..i(Op::Ldrex) });
        }
        if any_bad(&[t2, t]) || n == 15 || t2 == n || t2 == t {
            return UNPREDICTABLE;
        }
        return Ok(Insn { rd: t, rm: t2, rn: n, ra: 2, imm: imm8, ..i(Op::Strex) });
    }
    let op3 = bits(w2, 7, 4);
    match (l, op3) {
        (false, 4 | 5) => {
            if any_bad(&[d, t]) || n == 15 || d == n || d == t || w2 & 0xf00 != 0xf00 {
                return UNPREDICTABLE;
            }
            Ok(Insn { rd: t, rm: d, rn: n, ra: (op3 & 1) as u8, ..i(Op::Strex) })
        }
        (true, 4 | 5) => {
            if any_bad(&[t]) || n == 15 || w2 & 0xf0f != 0xf0f {
                return UNPREDICTABLE;
            }
            Ok(Insn { rd: t, rn: n, ra: (op3 & 1) as u8, ..i(Op::Ldrex) })
        }
        (true, 7) if profile == Profile::A => {
            if any_bad(&[t, t2]) || t == t2 || n == 15 || d != 15 {
                return UNPREDICTABLE;
            }
            Ok(Insn { rd: t, ra: t2, rn: n, ..i(Op::Ldrexd) })
        }
        (false, 7) if profile == Profile::A => {
            if any_bad(&[d, t, t2]) || n == 15 || [n, t, t2].contains(&d) {
                return UNPREDICTABLE;
            }
            Ok(Insn { rd: t, ra: t2, rm: d, rn: n, ..i(Op::Strexd) })
        }
        (true, 0 | 1) => {
            if n == 13 || bad(d) || it.active() && !it.last() || w2 & 0xff00 != 0xf000 {
                return UNPREDICTABLE;
            }
            let half = op3 == 1;
            if n == 15 {
                let op = if half { Op::TbhPc } else { Op::TbbPc };
                return Ok(Insn { rm: d, imm: pc.wrapping_add(4), ..i(op) });
            }
            Ok(Insn { rn: n, rm: d, imm: pc.wrapping_add(4), ..i(if half { Op::Tbh } else { Op::Tbb }) })
        }
        _ => UNDEFINED,
    }
}

/// The opcode field of A5.3.1 and A5.3.11, as (plain, S) operations of one form.
fn data_op(op: u32, forms: [[Op; 2]; 10]) -> Option<[Op; 2]> {
    Some(match op {
        0 => forms[0],
        1 => forms[1],
        2 => forms[2],
        3 => forms[3],
        4 => forms[4],
        8 => forms[5],
        10 => forms[6],
        11 => forms[7],
        13 => forms[8],
        14 => forms[9],
        _ => return None,
    })
}

/// ThumbExpandImm_C(): the constant and its carry (2: unchanged), or nothing if UNPREDICTABLE.
fn expand_immediate(imm12: u32) -> Option<(u32, u8)> {
    let imm8 = imm12 & 0xff;
    if imm12 >> 10 == 0 {
        let value = match bits(imm12, 9, 8) {
            0 => return Some((imm8, 2)),
            1 => imm8 << 16 | imm8,
            2 => imm8 << 24 | imm8 << 8,
            _ => imm8 << 24 | imm8 << 16 | imm8 << 8 | imm8,
        };
        return (imm8 != 0).then_some((value, 2));
    }
    let value = (0x80 | imm12 & 0x7f).rotate_right(imm12 >> 7);
    Some((value, (value >> 31) as u8))
}

/// A5.3.1: data processing, modified immediate.
fn data_modified_immediate(w1: u32, w2: u32) -> Decoded {
    let (n, d, s) = (reg(w1, 0), reg(w2, 8), bit(w1, 4));
    let imm12 = (w1 >> 10 & 1) << 11 | bits(w2, 14, 12) << 8 | w2 & 0xff;
    let Some((imm, carry)) = expand_immediate(imm12) else { return UNPREDICTABLE };
    let op = bits(w1, 8, 5);
    let Some(ops) = data_op(
        op,
        [
            [Op::AndImm, Op::AndImmS],
            [Op::BicImm, Op::BicImmS],
            [Op::OrrImm, Op::OrrImmS],
            [Op::OrnImm, Op::OrnImmS],
            [Op::EorImm, Op::EorImmS],
            [Op::AddImm, Op::AddImmS],
            [Op::AdcImm, Op::AdcImmS],
            [Op::SbcImm, Op::SbcImmS],
            [Op::SubImm, Op::SubImmS],
            [Op::RsbImm, Op::RsbImmS],
        ],
    ) else {
        return UNDEFINED;
    };
    let insn = Insn { rd: d, rn: n, imm, ra: carry, ..Insn::new(ops[usize::from(s)]) };
    data_checked(op, insn, s, false)
}

/// Special cases and bad registers of the two-operand instructions: comparisons have PC as destination, moves as
/// first operand, and SP is allowed in additions and subtractions to and from it.
fn data_checked(op: u32, mut insn: Insn, s: bool, register: bool) -> Decoded {
    let (n, d) = (insn.rn, insn.rd);
    if register && bad(insn.rm) {
        return UNPREDICTABLE;
    }
    let compare = match op {
        0 => Some([Op::TstImm, Op::TstReg, Op::TstShift]),
        4 => Some([Op::TeqImm, Op::TeqReg, Op::TeqShift]),
        8 => Some([Op::CmnImm, Op::CmnReg, Op::CmnShift]),
        13 => Some([Op::CmpImm, Op::CmpReg, Op::CmpShift]),
        _ => None,
    };
    let form = if !register {
        0
    } else if insn.imm == 0 {
        1
    } else {
        2
    };
    if let (Some(compare), 15, true) = (compare, d, s) {
        // TST and TEQ take no SP; CMP and CMN take it as first operand.
        if n == 15 || n == 13 && (op == 0 || op == 4) {
            return UNPREDICTABLE;
        }
        insn.op = compare[form];
        return Ok(insn);
    }
    let shift_limited = register && n == 13 && insn.imm > 3; // only LSL #0 to #3 beside SP
    match op {
        2 | 3 if n == 15 => {
            if bad(d) {
                return UNPREDICTABLE;
            }
            let ops = if op == 2 {
                [[Op::MovImm, Op::MovImmS], [Op::MovReg, Op::MovRegS], [Op::MovShift, Op::MovShiftS]]
            } else {
                [[Op::MvnImm, Op::MvnImmS], [Op::MvnReg, Op::MvnRegS], [Op::MvnShift, Op::MvnShiftS]]
            };
            insn.op = ops[form][usize::from(s)];
        }
        8 | 13 if n == 13 && d == 13 => {
            if shift_limited {
                return UNPREDICTABLE;
            }
            return Ok(writes_sp(insn));
        }
        8 | 13 if n == 13 && !bad(d) => {}
        _ if bad(d) || bad(n) => return UNPREDICTABLE,
        _ => {}
    }
    Ok(insn)
}

/// A5.3.11: data processing, shifted register.
fn data_shifted(w1: u32, w2: u32) -> Decoded {
    let i = Insn::new;
    let (n, d, m, s) = (reg(w1, 0), reg(w2, 8), reg(w2, 0), bit(w1, 4));
    let (kind, amount) = (bits(w2, 5, 4), bits(w2, 14, 12) << 2 | bits(w2, 7, 6));
    let shift = imm_shift(kind, amount);
    let op = bits(w1, 8, 5);
    if op == 6 {
        if s || kind & 1 != 0 {
            return UNDEFINED;
        }
        if bit(w2, 15) || any_bad(&[d, n, m]) {
            return UNPREDICTABLE;
        }
        let insn = Insn { rd: d, rn: n, rm: m, ..i(Op::Pkhbt) };
        return Ok(if kind & 2 == 0 {
            Insn { imm: amount, ..insn }
        } else {
            Insn { op: Op::Pkhtb, imm: if amount == 0 { 32 } else { amount }, ..insn }
        });
    }
    if bit(w2, 15) {
        return UNPREDICTABLE;
    }
    let forms = if shift == 0 {
        [
            [Op::AndReg, Op::AndRegS],
            [Op::BicReg, Op::BicRegS],
            [Op::OrrReg, Op::OrrRegS],
            [Op::OrnReg, Op::OrnRegS],
            [Op::EorReg, Op::EorRegS],
            [Op::AddReg, Op::AddRegS],
            [Op::AdcReg, Op::AdcRegS],
            [Op::SbcReg, Op::SbcRegS],
            [Op::SubReg, Op::SubRegS],
            [Op::RsbReg, Op::RsbRegS],
        ]
    } else {
        [
            [Op::AndShift, Op::AndShiftS],
            [Op::BicShift, Op::BicShiftS],
            [Op::OrrShift, Op::OrrShiftS],
            [Op::OrnShift, Op::OrnShiftS],
            [Op::EorShift, Op::EorShiftS],
            [Op::AddShift, Op::AddShiftS],
            [Op::AdcShift, Op::AdcShiftS],
            [Op::SbcShift, Op::SbcShiftS],
            [Op::SubShift, Op::SubShiftS],
            [Op::RsbShift, Op::RsbShiftS],
        ]
    };
    let Some(ops) = data_op(op, forms) else { return UNDEFINED };
    let insn = Insn { rd: d, rn: n, rm: m, imm: shift, ..i(ops[usize::from(s)]) };
    // MOV.W between a register and SP, without flags, is allowed (T3).
    if op == 2 && n == 15 && shift == 0 && !s && (d == 13) != (m == 13) && d != 15 && m != 15 {
        let mov = Insn { op: Op::MovReg, ..insn };
        return Ok(if d == 13 { writes_sp(mov) } else { mov });
    }
    data_checked(op, insn, s, true).map(specialise)
}

/// Picks the operation without a choice of shift, where there is one.
pub(crate) fn specialise(mut insn: Insn) -> Insn {
    let amount = insn.imm & 0x3f;
    let kind = insn.imm >> 8;
    let op = match (insn.op, kind) {
        (Op::EorShift, 0) => Op::EorLsl,
        (Op::EorShift, 1) if amount < 32 => Op::EorLsr,
        (Op::EorShift, 3) => Op::EorRor,
        (Op::BicShift, 3) => Op::BicRor,
        (Op::AndShift, 3) => Op::AndRor,
        (Op::OrrShift, 0) => Op::OrrLsl,
        (Op::OrrShift, 1) if amount < 32 => Op::OrrLsr,
        (Op::AddShift, 0) => Op::AddLsl,
        (Op::AddShift, 1) if amount < 32 => Op::AddLsr,
        (Op::AddShift, 2) if amount < 32 => Op::AddAsr,
        (Op::AddShift, 3) => Op::AddRor,
        (Op::SubShift, 0) => Op::SubLsl,
        (Op::SubShift, 2) if amount < 32 => Op::SubAsr,
        (Op::MovShift, 0) => Op::LslImm,
        (Op::MovShift, 1) if amount < 32 => Op::LsrImm,
        (Op::MovShift, 2) if amount < 32 => Op::AsrImm,
        (Op::MovShift, 3) => Op::RorImm,
        _ => return insn,
    };
    insn.op = op;
    insn.imm = amount;
    insn
}

/// A5.3.3: data processing, plain binary immediate.
fn data_plain_immediate(w1: u32, w2: u32, pc: u32) -> Decoded {
    let i = Insn::new;
    let (n, d) = (reg(w1, 0), reg(w2, 8));
    let imm12 = (w1 >> 10 & 1) << 11 | bits(w2, 14, 12) << 8 | w2 & 0xff;
    let imm16 = u32::from(n) << 12 | imm12;
    let lsb = bits(w2, 14, 12) << 2 | bits(w2, 7, 6);
    let field = bits(w2, 4, 0);
    let op = bits(w1, 8, 4);
    // The bit-field group has two bits that must be 0.
    if bit(w1, 8) && (bit(w1, 10) || bit(w2, 5)) {
        return UNPREDICTABLE;
    }
    Ok(match op {
        0b00000 | 0b01010 => {
            if n == 15 {
                if bad(d) {
                    return UNPREDICTABLE;
                }
                let base = pc.wrapping_add(4) & !3;
                let imm = if op == 0 { base.wrapping_add(imm12) } else { base.wrapping_sub(imm12) };
                return Ok(Insn { rd: d, imm, ..i(Op::MovImm) });
            }
            let insn = Insn { rd: d, rn: n, imm: imm12, ..i(if op == 0 { Op::AddImm } else { Op::SubImm }) };
            match (n, d) {
                (13, 13) => writes_sp(insn),
                (_, 13 | 15) => return UNPREDICTABLE,
                _ => insn,
            }
        }
        0b00100 | 0b01100 => {
            if bad(d) {
                return UNPREDICTABLE;
            }
            Insn { rd: d, imm: imm16, ..i(if op == 0b00100 { Op::MovImm } else { Op::Movt }) }
        }
        0b10000 | 0b10010 | 0b11000 | 0b11010 => {
            if any_bad(&[d, n]) {
                return UNPREDICTABLE;
            }
            let unsigned = bit(op, 3);
            let right = bit(op, 1);
            if right && lsb == 0 {
                if bit(w2, 4) {
                    return UNPREDICTABLE;
                }
                let op = if unsigned { Op::Usat16 } else { Op::Ssat16 };
                let ra = (w2 & 15) as u8 + u8::from(!unsigned);
                return Ok(Insn { rd: d, rn: n, ra, ..i(op) });
            }
            let imm = imm_shift(if right { 2 } else { 0 }, lsb);
            let ra = field as u8 + u8::from(!unsigned);
            Insn { rd: d, rn: n, imm, ra, ..i(if unsigned { Op::Usat } else { Op::Ssat }) }
        }
        0b10100 | 0b11100 => {
            if any_bad(&[d, n]) || lsb + field > 31 {
                return UNPREDICTABLE;
            }
            Insn {
                rd: d,
                rn: n,
                imm: lsb | (field + 1) << 8,
                ..i(if op == 0b10100 { Op::Sbfx } else { Op::Ubfx })
            }
        }
        0b10110 => {
            if bad(d) || n == 13 || field < lsb {
                return UNPREDICTABLE;
            }
            Insn {
                rd: d,
                rn: n,
                imm: lsb | (field - lsb + 1) << 8,
                ..i(if n == 15 { Op::Bfc } else { Op::Bfi })
            }
        }
        _ => return UNDEFINED,
    })
}

/// A5.3.4: branches and miscellaneous control.
fn branches(w1: u32, w2: u32, it: It, pc: u32, profile: Profile) -> Decoded {
    let i = Insn::new;
    let s = w1 >> 10 & 1;
    let (j1, j2) = (w2 >> 13 & 1, w2 >> 11 & 1);
    if bit(w2, 12) {
        // B T4 and BL
        let (i1, i2) = (1 ^ j1 ^ s, 1 ^ j2 ^ s);
        let offset =
            sign_extend(s << 24 | i1 << 23 | i2 << 22 | bits(w1, 9, 0) << 12 | (w2 & 0x7ff) << 1, 25);
        if it.active() && !it.last() {
            return UNPREDICTABLE;
        }
        let target = pc.wrapping_add(4).wrapping_add(offset);
        return Ok(if bit(w2, 14) {
            Insn { imm: target, ..i(Op::Bl) }
        } else {
            Insn { imm: target, ..i(Op::B) }
        });
    }
    if bit(w2, 14) && profile == Profile::A {
        return exchange_branch(w1, w2, it, pc);
    }
    if bit(w2, 14) {
        return UNDEFINED; // UDF.W, and BLX to A32
    }
    if profile == Profile::A && bits(w1, 9, 7) == 7 {
        return system_control(w1, w2);
    }
    if bits(w1, 9, 7) != 7 {
        if it.active() {
            return UNPREDICTABLE;
        }
        let offset =
            sign_extend(s << 20 | j2 << 19 | j1 << 18 | bits(w1, 5, 0) << 12 | (w2 & 0x7ff) << 1, 21);
        let target = pc.wrapping_add(4).wrapping_add(offset);
        return Ok(Insn { imm: target, cond: bits(w1, 9, 6) as u8, ..i(Op::Bcond) });
    }
    Ok(match bits(w1, 10, 4) {
        0b0111000 | 0b0111001 => {
            let (n, mask, sysm) = (reg(w1, 0), bits(w2, 11, 10), w2 & 0xff);
            if bad(n) || mask == 0 || mask != 2 && !matches!(sysm, 0..=3) || bit(w1, 4) {
                return UNPREDICTABLE;
            }
            if !special_register(sysm) || w2 & 0x3300 != 0 {
                return UNPREDICTABLE;
            }
            Insn { rn: n, imm: mask << 8 | sysm, ..i(Op::Msr) }
        }
        0b0111010 => {
            if bits(w2, 10, 8) != 0 {
                return UNDEFINED;
            }
            if w1 & 15 != 15 || bit(w2, 13) || bit(w2, 11) {
                return UNPREDICTABLE;
            }
            match w2 & 0xff {
                2 => i(Op::Wfe),
                3 => i(Op::Wfi),
                4 => i(Op::Sev),
                _ => i(Op::Nop),
            }
        }
        0b0111011 => {
            if w1 & 15 != 15 || w2 & 0x2f00 != 0x0f00 {
                return UNPREDICTABLE;
            }
            match bits(w2, 7, 4) {
                2 if w2 & 15 == 15 => i(Op::Clrex),
                2 => return UNPREDICTABLE,
                4 | 5 => Insn { ra: 1, ..i(Op::Nop) },
                6 => i(Op::Isb),
                _ => return UNDEFINED,
            }
        }
        0b0111110 | 0b0111111 => {
            let (d, sysm) = (reg(w2, 8), w2 & 0xff);
            if bad(d) || !special_register(sysm) || w1 & 31 != 15 || bit(w2, 13) {
                return UNPREDICTABLE;
            }
            Insn { rd: d, imm: sysm, ..i(Op::Mrs) }
        }
        _ => return UNDEFINED,
    })
}

/// BLX to A32, whose target is a word.
fn exchange_branch(w1: u32, w2: u32, it: It, pc: u32) -> Decoded {
    if bit(w2, 0) {
        return UNDEFINED;
    }
    if it.active() && !it.last() {
        return UNPREDICTABLE;
    }
    let s = w1 >> 10 & 1;
    let (i1, i2) = (1 ^ (w2 >> 13 & 1) ^ s, 1 ^ (w2 >> 11 & 1) ^ s);
    let offset = sign_extend(s << 24 | i1 << 23 | i2 << 22 | bits(w1, 9, 0) << 12 | (w2 & 0x7fe) << 1, 25);
    let target = (pc.wrapping_add(4) & !3).wrapping_add(offset);
    Ok(Insn { imm: target, ..Insn::new(Op::BlxImm) })
}

/// A6.3.4 as the A profile has it: MSR, MRS, hints, barriers, BXJ, exception return.
fn system_control(w1: u32, w2: u32) -> Decoded {
    let i = Insn::new;
    Ok(match bits(w1, 10, 4) {
        0b0111000 | 0b0111001 => {
            if bad(reg(w1, 0)) || w2 & 0x20ff != 0 {
                return UNPREDICTABLE;
            }
            Insn { rm: reg(w2, 8), ra: (w1 >> 4 & 1) as u8, rn: reg(w1, 0), ..i(Op::MsrBanked) }
        }
        0b0111010 if bits(w2, 10, 8) == 0 => match w2 & 0xff {
            2 => i(Op::Wfe),
            3 => i(Op::Wfi),
            4 => i(Op::Sev),
            _ => i(Op::Nop),
        },
        0b0111010 => {
            let imm = w2 & 31 | bits(w2, 8, 8) << 5 | bits(w2, 7, 5) << 6 | bits(w2, 10, 9) << 9;
            Insn { imm, ..i(Op::ChangeState) }
        }
        0b0111011 => match bits(w2, 7, 4) {
            2 => i(Op::Clrex),
            op @ 4..=5 => Insn { imm: op, ..i(Op::Barrier) },
            6 => i(Op::Isb),
            _ => return UNDEFINED,
        },
        // BXJ without Jazelle is BX.
        0b0111100 => Insn { rm: reg(w1, 0), ..i(Op::Bx) },
        // SUBS PC, LR, #imm8 as A32 has it
        0b0111101 => Insn { imm: 0xe25e_f000 | w2 & 0xff, ..i(Op::DataReturn) },
        0b0111110 | 0b0111111 => {
            if bad(reg(w2, 8)) || w2 & 0x20ff != 0 || w1 & 15 != 15 {
                return UNPREDICTABLE;
            }
            Insn { rd: reg(w2, 8), imm: w1 >> 4 & 1, ..i(Op::MrsBanked) }
        }
        0b1111111 if bits(w2, 15, 12) == 8 => i(Op::Smc),
        _ => return UNDEFINED,
    })
}

/// The values of SYSm that name a register.
const fn special_register(sysm: u32) -> bool {
    matches!(sysm, 0..=3 | 5..=9 | 16..=20)
}

/// A5.3.10: stores of one register.
fn store(w1: u32, w2: u32) -> Decoded {
    let i = Insn::new;
    let (n, t, m) = (reg(w1, 0), reg(w2, 12), reg(w2, 0));
    let size = bits(w1, 6, 5) as usize;
    if size == 3 || n == 15 {
        return UNDEFINED;
    }
    // SP can be stored as a word only.
    if t == 15 || size != 2 && t == 13 {
        return UNPREDICTABLE;
    }
    const IMM: [Op; 3] = [Op::StrbImm, Op::StrhImm, Op::StrImm];
    const REG: [Op; 3] = [Op::StrbReg, Op::StrhReg, Op::StrReg];
    const WB: [Op; 3] = [Op::StrbWb, Op::StrhWb, Op::StrWb];
    if bit(w1, 7) {
        return Ok(Insn { rd: t, rn: n, imm: w2 & 0xfff, ..i(IMM[size]) });
    }
    if !bit(w2, 11) {
        if bits(w2, 10, 6) != 0 {
            return UNDEFINED;
        }
        if bad(m) {
            return UNPREDICTABLE;
        }
        return Ok(Insn { rd: t, rn: n, rm: m, imm: bits(w2, 5, 4), ..i(REG[size]) });
    }
    let imm8 = w2 & 0xff;
    let (p, u, w) = (bit(w2, 10), bit(w2, 9), bit(w2, 8));
    match (p, u, w) {
        (true, true, false) => {
            if bad(t) {
                return UNPREDICTABLE;
            }
            Ok(Insn { rd: t, rn: n, imm: imm8, ra: size as u8, ..i(Op::StrUnprivileged) })
        }
        (true, false, false) => Ok(Insn { rd: t, rn: n, imm: imm8.wrapping_neg(), ..i(IMM[size]) }),
        (false, _, false) => UNDEFINED,
        (_, _, true) => {
            if n == t {
                return UNPREDICTABLE;
            }
            let imm = if u { imm8 } else { imm8.wrapping_neg() };
            let insn = Insn { rd: t, rn: n, imm, ra: u8::from(p), ..i(WB[size]) };
            Ok(if n == 13 { writes_sp(insn) } else { insn })
        }
    }
}

/// A5.3.7 to A5.3.9: loads of one register, and memory hints.
fn load(w1: u32, w2: u32, it: It, pc: u32) -> Decoded {
    let i = Insn::new;
    let (n, t, m) = (reg(w1, 0), reg(w2, 12), reg(w2, 0));
    let (signed, size) = (bit(w1, 8), bits(w1, 6, 5) as usize);
    if size == 3 || size == 2 && signed {
        return UNDEFINED;
    }
    const fn pick(size: usize, signed: bool, ops: [Op; 5]) -> Op {
        ops[match (size, signed) {
            (2, _) => 0,
            (0, false) => 1,
            (1, false) => 2,
            (0, true) => 3,
            _ => 4,
        }]
    }
    let imm_op = pick(size, signed, [Op::LdrImm, Op::LdrbImm, Op::LdrhImm, Op::LdrsbImm, Op::LdrshImm]);
    let reg_op = pick(size, signed, [Op::LdrReg, Op::LdrbReg, Op::LdrhReg, Op::LdrsbReg, Op::LdrshReg]);
    let wb_op = pick(size, signed, [Op::LdrWb, Op::LdrbWb, Op::LdrhWb, Op::LdrsbWb, Op::LdrshWb]);
    let lit_op = pick(size, signed, [Op::LdrLit, Op::LdrbLit, Op::LdrhLit, Op::LdrsbLit, Op::LdrshLit]);
    let word = size == 2;
    let imm8 = w2 & 0xff;
    let (p, u, w) = (bit(w2, 10), bit(w2, 9), bit(w2, 8));

    // Destination: PC is a branch for words and a hint for the others; SP for words only.
    let hint = t == 15 && !word;
    if hint {
        let plain_offset = n == 15 || bit(w1, 7) || !bit(w2, 11) || (p && !u && !w);
        if !plain_offset {
            return if p && u && !w {
                UNPREDICTABLE
            } else if !p && !w {
                UNDEFINED
            } else {
                UNPREDICTABLE
            };
        }
        if n != 15 && !bit(w1, 7) && !bit(w2, 11) {
            if bits(w2, 10, 6) != 0 {
                return UNDEFINED;
            }
            if bad(m) {
                return UNPREDICTABLE;
            }
        }
        return Ok(i(Op::Nop)); // PLD, PLI and unallocated hints
    }
    if t == 13 && !word {
        return UNPREDICTABLE;
    }
    if t == 15 && it.active() && !it.last() {
        return UNPREDICTABLE;
    }
    let finish = |insn: Insn, pc_op: Op| -> Decoded {
        Ok(match t {
            15 => Insn { op: pc_op, ..insn },
            13 => writes_sp(insn),
            _ => insn,
        })
    };
    if n == 15 {
        let base = pc.wrapping_add(4) & !3;
        let imm = if bit(w1, 7) { base.wrapping_add(w2 & 0xfff) } else { base.wrapping_sub(w2 & 0xfff) };
        return finish(Insn { rd: t, imm, ..i(lit_op) }, Op::LdrPcLit);
    }
    if bit(w1, 7) {
        return finish(Insn { rd: t, rn: n, imm: w2 & 0xfff, ..i(imm_op) }, Op::LdrPcImm);
    }
    if !bit(w2, 11) {
        if bits(w2, 10, 6) != 0 {
            return UNDEFINED;
        }
        if bad(m) {
            return UNPREDICTABLE;
        }
        return finish(Insn { rd: t, rn: n, rm: m, imm: bits(w2, 5, 4), ..i(reg_op) }, Op::LdrPcReg);
    }
    match (p, u, w) {
        (true, true, false) => {
            if bad(t) {
                return UNPREDICTABLE;
            }
            let ra = size as u8 | u8::from(signed) << 2;
            Ok(Insn { rd: t, rn: n, imm: imm8, ra, ..i(Op::LdrUnprivileged) })
        }
        (true, false, false) => {
            finish(Insn { rd: t, rn: n, imm: imm8.wrapping_neg(), ..i(imm_op) }, Op::LdrPcImm)
        }
        (false, _, false) => UNDEFINED,
        (_, _, true) => {
            if n == t {
                return UNPREDICTABLE;
            }
            let imm = if u { imm8 } else { imm8.wrapping_neg() };
            let insn = Insn { rd: t, rn: n, imm, ra: u8::from(p), ..i(wb_op) };
            if n == 13 && t != 15 {
                return Ok(writes_sp(insn));
            }
            finish(insn, Op::LdrPcWb)
        }
    }
}

/// A5.3.12 to A5.3.15: data processing, register.
fn data_register(w1: u32, w2: u32) -> Decoded {
    let i = Insn::new;
    let (n, d, m) = (reg(w1, 0), reg(w2, 8), reg(w2, 0));
    if w2 & 0xf000 != 0xf000 {
        return UNDEFINED;
    }
    let op1 = bits(w1, 7, 4);
    let op2 = bits(w2, 7, 4);
    if !bit(w1, 7) && op2 == 0 {
        const OPS: [[Op; 2]; 4] = [
            [Op::LslReg, Op::LslRegS],
            [Op::LsrReg, Op::LsrRegS],
            [Op::AsrReg, Op::AsrRegS],
            [Op::RorReg, Op::RorRegS],
        ];
        if any_bad(&[d, n, m]) {
            return UNPREDICTABLE;
        }
        return Ok(Insn { rd: d, rn: n, rm: m, ..i(OPS[bits(op1, 2, 1) as usize][(op1 & 1) as usize]) });
    }
    if !bit(w1, 7) && bit(w2, 7) {
        const PLAIN: [Op; 6] = [Op::Sxth, Op::Uxth, Op::Sxtb16, Op::Uxtb16, Op::Sxtb, Op::Uxtb];
        const ADDING: [Op; 6] = [Op::Sxtah, Op::Uxtah, Op::Sxtab16, Op::Uxtab16, Op::Sxtab, Op::Uxtab];
        if op1 > 5 {
            return UNDEFINED;
        }
        if any_bad(&[d, m]) || n == 13 || bit(w2, 6) {
            return UNPREDICTABLE;
        }
        let op = if n == 15 { PLAIN[op1 as usize] } else { ADDING[op1 as usize] };
        return Ok(Insn { rd: d, rn: n, rm: m, imm: bits(w2, 5, 4) << 3, ..i(op) });
    }
    if !bit(w1, 7) {
        return UNDEFINED;
    }
    if !bit(w2, 7) {
        // Parallel addition and subtraction
        let (kind, prefix) = (bits(w1, 6, 4), bits(w2, 6, 4));
        if matches!(kind, 3 | 7) || matches!(prefix, 3 | 7) {
            return UNDEFINED;
        }
        if any_bad(&[d, n, m]) {
            return UNPREDICTABLE;
        }
        return Ok(Insn { rd: d, rn: n, rm: m, imm: kind | prefix << 4, ..i(Op::Parallel) });
    }
    if bit(w2, 6) || bit(w1, 6) {
        return UNDEFINED;
    }
    let (group, which) = (bits(w1, 5, 4), bits(w2, 5, 4));
    let op = match (group, which) {
        (0, 0) => Op::Qadd,
        (0, 1) => Op::Qdadd,
        (0, 2) => Op::Qsub,
        (0, _) => Op::Qdsub,
        (1, 0) => Op::Rev,
        (1, 1) => Op::Rev16,
        (1, 2) => Op::Rbit,
        (1, _) => Op::Revsh,
        (2, 0) => Op::Sel,
        (3, 0) => Op::Clz,
        _ => return UNDEFINED,
    };
    if any_bad(&[d, m, n]) || matches!(group, 1 | 3) && n != m {
        return UNPREDICTABLE;
    }
    Ok(Insn { rd: d, rn: n, rm: m, ..i(op) })
}

/// A5.3.16: multiply, multiply accumulate, absolute difference.
fn multiply(w1: u32, w2: u32) -> Decoded {
    let i = Insn::new;
    let (n, a, d, m) = (reg(w1, 0), reg(w2, 12), reg(w2, 8), reg(w2, 0));
    let (op1, op2) = (bits(w1, 6, 4), bits(w2, 5, 4));
    if bits(w2, 7, 6) != 0 {
        return UNDEFINED;
    }
    let plain = a == 15;
    let (op, imm) = match (op1, op2) {
        (0, 0) => (if plain { Op::Mul } else { Op::Mla }, 0),
        (0, 1) => (Op::Mls, 0),
        (1, xy) => (if plain { Op::SmulXy } else { Op::SmlaXy }, xy),
        (2, 0 | 1) => (if plain { Op::Smuad } else { Op::Smlad }, op2),
        (3, 0 | 1) => (if plain { Op::SmulW } else { Op::SmlaW }, op2),
        (4, 0 | 1) => (if plain { Op::Smusd } else { Op::Smlsd }, op2),
        (5, 0 | 1) => (if plain { Op::Smmul } else { Op::Smmla }, op2),
        (6, 0 | 1) => (Op::Smmls, op2),
        (7, 0) => (if plain { Op::Usad8 } else { Op::Usada8 }, 0),
        _ => return UNDEFINED,
    };
    if any_bad(&[d, n, m]) || a == 13 || plain && matches!(op, Op::Mls | Op::Smmls) {
        return UNPREDICTABLE;
    }
    Ok(Insn { rd: d, rn: n, rm: m, ra: a, imm, ..i(op) })
}

/// A5.3.17: long multiply and divide.
fn multiply_long(w1: u32, w2: u32, profile: Profile) -> Decoded {
    let i = Insn::new;
    let (n, lo, hi, m) = (reg(w1, 0), reg(w2, 12), reg(w2, 8), reg(w2, 0));
    let (op1, op2) = (bits(w1, 6, 4), bits(w2, 7, 4));
    if matches!((op1, op2), (1 | 3, 15)) {
        if profile == Profile::A {
            return UNDEFINED;
        }
        if any_bad(&[hi, n, m]) || lo != 15 {
            return UNPREDICTABLE;
        }
        return Ok(Insn { rd: hi, rn: n, rm: m, ..i(if op1 == 1 { Op::Sdiv } else { Op::Udiv }) });
    }
    let (op, imm) = match (op1, op2) {
        (0, 0) => (Op::Smull, 0),
        (2, 0) => (Op::Umull, 0),
        (4, 0) => (Op::Smlal, 0),
        (4, 8..=11) => (Op::SmlalXy, op2 & 3),
        (4, 12 | 13) => (Op::Smlald, op2 & 1),
        (5, 12 | 13) => (Op::Smlsld, op2 & 1),
        (6, 0) => (Op::Umlal, 0),
        (6, 6) => (Op::Umaal, 0),
        _ => return UNDEFINED,
    };
    if any_bad(&[lo, hi, n, m]) || lo == hi {
        return UNPREDICTABLE;
    }
    Ok(Insn { rd: lo, ra: hi, rn: n, rm: m, imm, ..i(op) })
}

/// A5.3.18 and A6: coprocessors. `base` is what literals are relative to; the encoding of A32 has the same low 28 bits.
pub(crate) fn coprocessor(word: u32, base: u32, profile: Profile) -> Decoded {
    let i = Insn::new;
    let number = bits(word, 11, 8);
    if bits(word, 25, 24) == 3 {
        if profile == Profile::M || word >> 28 != 15 && word >> 28 != 14 {
            return UNDEFINED;
        }
        // Advanced SIMD; the bit that T32 has at 28 is at 24 in A32.
        let a32 = 0xf200_0000 | (word >> 28 & 1) << 24 | word & 0x00ff_ffff;
        return if neon::supported(a32) { Ok(Insn { imm: a32, ..i(Op::Neon) }) } else { UNDEFINED };
    }
    if number & 14 != 10 {
        if profile == Profile::A {
            // MCR and MRC; two-register and data operations of other coprocessors do not exist.
            return if bits(word, 27, 24) == 14 && bit(word, 4) && word & 0x1000_0000 == 0 {
                Ok(Insn { imm: word, rd: reg(word, 12), ..i(Op::RegisterTransfer) })
            } else {
                UNDEFINED
            };
        }
        return Ok(Insn { imm: number, ..i(Op::Coprocessor) });
    }
    // The FPU is off or on before the encoding is looked at; that UNDEFINED encodings with the FPU off are NOCP is
    // decided by the core, which sees from `imm` that this was for coprocessor 10 or 11.
    match floating_point(word, base, profile) {
        Err(op) => Ok(Insn { imm: number, ..i(op) }),
        ok => ok,
    }
}

/// The S register whose number is split into four bits and one.
const fn single(word: u32, low: u32, extra: u32) -> u8 {
    (bits(word, low + 3, low) << 1 | word >> extra & 1) as u8
}

/// The D register whose number is split into one bit and four.
const fn double_register(word: u32, low: u32, extra: u32) -> u8 {
    (bits(word, low + 3, low) | (word >> extra & 1) << 4) as u8
}

fn floating_point(word: u32, base: u32, profile: Profile) -> Decoded {
    let i = Insn::new;
    if bit(word, 28) {
        return UNDEFINED; // FPv5: VSEL, VMAXNM, VRINTA…
    }
    let double = bit(word, 8);
    let (d, n, m) = (single(word, 12, 22), single(word, 16, 7), single(word, 0, 5));
    if bits(word, 25, 24) == 2 {
        if bit(word, 4) {
            return fp_transfer(word, profile);
        }
        if !double {
            return fp_data(word, d, n, m, profile);
        }
        if profile == Profile::M {
            return UNDEFINED; // no double-precision arithmetic
        }
        let register = double_register;
        let insn =
            fp_data(word, register(word, 12, 22), register(word, 16, 7), register(word, 0, 5), profile)?;
        return in_double(word, insn);
    }
    // Extension register load and store, and 64-bit transfers
    let (p, u, big_d, w, l) = (bit(word, 24), bit(word, 23), bit(word, 22), bit(word, 21), bit(word, 20));
    let rn = reg(word, 16);
    // D16 to D31
    let high = profile == Profile::A;
    if !p && !u && !w {
        if !big_d {
            return UNDEFINED;
        }
        let (t, t2) = (reg(word, 12), reg(word, 16));
        if word & 0xd0 != 0x10 {
            return UNDEFINED;
        }
        if double && bit(word, 5) && !high {
            return UNDEFINED;
        }
        let s = if double { 2 * double_register(word, 0, 5) } else { m };
        if any_bad(&[t, t2]) || l && t == t2 || s == 31 {
            return UNPREDICTABLE;
        }
        return Ok(Insn {
            rd: t,
            ra: t2,
            rn: s,
            ..i(if l { Op::VmovPairToCore } else { Op::VmovPairFromCore })
        });
    }
    if double && big_d && !high {
        return UNDEFINED;
    }
    let first = if double { 2 * double_register(word, 12, 22) } else { d };
    let imm8 = word & 0xff;
    if p && !w {
        let offset = if u { imm8 << 2 } else { (imm8 << 2).wrapping_neg() };
        let ra = if double { 2 } else { 1 };
        if rn == 15 {
            if !l {
                return UNPREDICTABLE;
            }
            return Ok(Insn { rd: first, ra, imm: base.wrapping_add(offset), ..i(Op::VldrLit) });
        }
        return Ok(Insn { rd: first, rn, ra, imm: offset, ..i(if l { Op::Vldr } else { Op::Vstr }) });
    }
    if p == u {
        return UNDEFINED;
    }
    // VLDM, VSTM: an odd count of words for doubles is FLDMX/FSTMX, which transfers the even part.
    let words = if double { imm8 & !1 } else { imm8 };
    let last = if double && high { 64 } else { 32 };
    if rn == 15 || imm8 == 0 || words == 0 || words > 32 || u32::from(first) + words > last {
        return UNPREDICTABLE;
    }
    let ra = u8::from(w) | u8::from(p) << 1;
    // The base moves by imm8 words even if one of them is not transferred.
    Ok(Insn { rd: first, rn, rm: words as u8, ra, imm: imm8 << 2, ..i(if l { Op::Vldm } else { Op::Vstm }) })
}

/// Makes the double-precision instruction of what [`fp_data`] gave for its fields.
fn in_double(word: u32, insn: Insn) -> Decoded {
    let (opcode, imm) = match insn.op {
        Op::VcvtSingleToDouble | Op::VcvtDoubleToSingle => return Ok(insn),
        Op::VmovImm => (Op::VmovImm, bits(word, 19, 16) << 4 | word & 15),
        op => (op, insn.imm),
    };
    let insn = match opcode {
        Op::VcvtToInt => Insn { rd: single(word, 12, 22), ..insn },
        Op::VcvtFromInt => Insn { rm: single(word, 0, 5), ..insn },
        _ => insn,
    };
    match DOUBLE_OPERATIONS.iter().position(|&op| op == opcode) {
        Some(index) => Ok(Insn { op: Op::Double, imm: index as u32 | imm << 8, ..insn }),
        None => UNDEFINED,
    }
}

fn fp_data(word: u32, d: u8, n: u8, m: u8, profile: Profile) -> Decoded {
    let i = Insn::new;
    let base = Insn { rd: d, rn: n, rm: m, ..i(Op::Nop) };
    let negate = bit(word, 6);
    let pick = |plain, negated| if negate { negated } else { plain };
    let op = match (bit(word, 23), bits(word, 21, 20)) {
        (false, 0) => pick(Op::Vmla, Op::Vmls),
        (false, 1) => pick(Op::Vnmls, Op::Vnmla),
        (false, 2) => pick(Op::Vmul, Op::Vnmul),
        (false, _) => pick(Op::Vadd, Op::Vsub),
        (true, 0) => {
            if negate {
                return UNDEFINED;
            }
            Op::Vdiv
        }
        (true, 1 | 2) if profile == Profile::A => return UNDEFINED, // VFPv4
        (true, 1) => pick(Op::Vfnms, Op::Vfnma),
        (true, 2) => pick(Op::Vfma, Op::Vfms),
        (true, _) => return fp_other(word, base, profile),
    };
    Ok(Insn { op, ..base })
}

/// VFPExpandImm() for 32 bits.
pub(crate) const fn expand_fp_immediate(imm8: u32) -> u32 {
    let exponent = (imm8 >> 6 & 1 ^ 1) << 7 | if imm8 >> 6 & 1 != 0 { 0x7c } else { 0 } | imm8 >> 4 & 3;
    (imm8 >> 7) << 31 | exponent << 23 | (imm8 & 15) << 19
}

fn fp_other(word: u32, base: Insn, profile: Profile) -> Decoded {
    let (opc2, opc3) = (bits(word, 19, 16), bits(word, 7, 6));
    if !bit(word, 6) {
        if word & 0xa0 != 0 {
            return UNPREDICTABLE;
        }
        return Ok(Insn { op: Op::VmovImm, imm: expand_fp_immediate(opc2 << 4 | word & 15), ..base });
    }
    let top = (opc3 >> 1) as u8;
    Ok(match opc2 {
        0 => Insn { op: if top == 0 { Op::VmovReg } else { Op::Vabs }, ..base },
        1 => Insn { op: if top == 0 { Op::Vneg } else { Op::Vsqrt }, ..base },
        2 => Insn { op: Op::VcvtHalfToSingle, ra: top, ..base },
        3 => Insn { op: Op::VcvtSingleToHalf, ra: top, ..base },
        4 => Insn { op: Op::Vcmp, ra: top, ..base },
        5 => {
            if word & 0x2f != 0 {
                return UNPREDICTABLE;
            }
            Insn { op: Op::Vcmp, ra: top | 2, ..base }
        }
        7 if profile == Profile::A && top == 1 => {
            // Between the precisions: bit 8 says which the operand has.
            if bit(word, 8) {
                Insn { op: Op::VcvtDoubleToSingle, rd: single(word, 12, 22), ..base }
            } else {
                Insn { op: Op::VcvtSingleToDouble, rd: double_register(word, 12, 22), ..base }
            }
        }
        8 => Insn { op: Op::VcvtFromInt, ra: top, ..base },
        12 | 13 => Insn { op: Op::VcvtToInt, ra: opc2 as u8 & 1 | top << 1, ..base },
        10 | 11 | 14 | 15 => {
            let wide = bit(word, 7);
            let size = if wide { 32 } else { 16 };
            let imm5 = (word & 15) << 1 | word >> 5 & 1;
            if imm5 > size {
                return UNPREDICTABLE;
            }
            let ra = u8::from(opc2 & 1 == 0) | u8::from(wide) << 1;
            let op = if opc2 < 12 { Op::VcvtFromFixed } else { Op::VcvtToFixed };
            Insn { op, ra, imm: size - imm5, ..base }
        }
        _ => return UNDEFINED,
    })
}

/// VFPExpandImm() for 64 bits.
pub(crate) const fn expand_fp_immediate_double(imm8: u32) -> u64 {
    let exponent = (imm8 >> 6 & 1 ^ 1) << 10 | if imm8 >> 6 & 1 != 0 { 0x3fc } else { 0 } | imm8 >> 4 & 3;
    (imm8 as u64 >> 7) << 63 | (exponent as u64) << 52 | (imm8 as u64 & 15) << 48
}

/// A6.6: 32-bit transfers between core and FP registers.
fn fp_transfer(word: u32, profile: Profile) -> Decoded {
    let i = Insn::new;
    let (l, a, double, t) = (bit(word, 20), bits(word, 23, 21), bit(word, 8), reg(word, 12));
    let n = single(word, 16, 7);
    match (double, a) {
        (false, 0) => {
            if bad(t) || word & 0x6f != 0 {
                return UNPREDICTABLE;
            }
            Ok(Insn { rd: t, rn: n, ..i(if l { Op::VmovToCore } else { Op::VmovFromCore }) })
        }
        (false, 7) if profile == Profile::A && bits(word, 19, 16) != 1 => {
            let imm = bits(word, 19, 16);
            if !matches!(imm, 0 | 6 | 7 | 8) || t == 15 {
                return UNDEFINED;
            }
            Ok(Insn { rd: t, imm, ra: u8::from(!l), ..i(Op::FpSystem) })
        }
        (false, 7) => {
            if bits(word, 19, 16) != 1 {
                return UNDEFINED;
            }
            if t == 13 || t == 15 && !l || word & 0xef != 0 {
                return UNPREDICTABLE;
            }
            Ok(Insn { rd: t, ..i(if l { Op::Vmrs } else { Op::Vmsr }) })
        }
        (true, _) if profile == Profile::A => {
            if !neon::transfer_supported(word) {
                return UNDEFINED;
            }
            Ok(Insn { imm: word, rd: t, ..i(Op::NeonTransfer) })
        }
        (true, 0 | 1) if bits(word, 6, 5) == 0 => {
            if bit(word, 7) {
                return UNDEFINED;
            }
            if bad(t) || word & 15 != 0 {
                return UNPREDICTABLE;
            }
            let s = bits(word, 19, 16) as u8 * 2 + a as u8;
            Ok(Insn { rd: t, rn: s, ..i(if l { Op::VmovToCore } else { Op::VmovFromCore }) })
        }
        _ => UNDEFINED,
    }
}
