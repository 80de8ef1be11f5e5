// SPDX-License-Identifier: Apache-2.0 OR MIT

//! A32 as ARMv7-A has it (ARM DDI 0406C, chapters A5 and A8).
//!
//! As in T32, encodings that the architecture leaves UNPREDICTABLE decode to [`Op::Unpredictable`] and fault, as far as the
//! operand would have no meaning here; reading PC where compilers never do is given its meaning.

use crate::decode::{
    Decoded, Profile, UNDEFINED, UNPREDICTABLE, bit, bits, coprocessor, imm_shift, reg, sign_extend,
    specialise, writes_sp,
};
use crate::insn::{
    INDEXED_IMMEDIATE, INDEXED_POST, INDEXED_SIGNED, INDEXED_SIZE, INDEXED_SUBTRACT, INDEXED_UNPRIVILEGED,
    INDEXED_WRITE_BACK, Insn, Op,
};
use crate::neon;

/// Decodes the instruction `w` at `pc`.
pub(crate) fn decode(w: u32, pc: u32) -> Insn {
    let cond = (w >> 28) as u8;
    let decoded = if cond == 15 { unconditional(w, pc) } else { conditional(w, pc) };
    let mut insn = decoded.unwrap_or_else(Insn::new);
    if cond >= 14 {
        return insn;
    }
    match insn.op {
        Op::B => insn.op = Op::Bcond,
        Op::Sp => insn.op = Op::CondSp,
        Op::Pc => insn.op = Op::CondPc,
        op => {
            insn.inner = op;
            insn.op = Op::Cond;
        }
    }
    insn.cond = cond;
    insn
}

/// Wraps an instruction that reads or writes PC as a register, or writes SP.
fn special_registers(mut insn: Insn, operands: &[u8]) -> Insn {
    if operands.contains(&15) {
        insn.inner = insn.op;
        insn.op = Op::Pc;
        return insn;
    }
    if insn.rd == 13 { writes_sp(insn) } else { insn }
}

fn conditional(w: u32, pc: u32) -> Decoded {
    match bits(w, 27, 25) {
        0 if w & 0x90 == 0x90 => {
            if bits(w, 6, 5) != 0 {
                extra_load_store(w, pc)
            } else if bit(w, 24) {
                synchronisation(w)
            } else {
                multiply(w)
            }
        }
        0 | 1 if bits(w, 24, 23) == 2 && !bit(w, 20) => miscellaneous(w, pc),
        0 | 1 => data_processing(w, pc),
        2 => load_store(w, pc),
        3 if !bit(w, 4) => load_store(w, pc),
        3 => media(w),
        4 => load_store_multiple(w),
        5 => {
            let target = pc.wrapping_add(8).wrapping_add(sign_extend(w & 0xff_ffff, 24) << 2);
            Ok(Insn { imm: target, ..Insn::new(if bit(w, 24) { Op::Bl } else { Op::B }) })
        }
        7 if bit(w, 24) => Ok(Insn { imm: w & 0xff_ffff, ..Insn::new(Op::Svc) }),
        // T32 has the condition of always in their place.
        _ => coprocessor(w & 0x0fff_ffff | 0xe000_0000, pc.wrapping_add(8), Profile::A),
    }
}

/// ARMExpandImm_C(): the constant and its carry (2: unchanged).
pub(crate) const fn expand_immediate(imm12: u32) -> (u32, u8) {
    let value = (imm12 & 0xff).rotate_right(2 * (imm12 >> 8));
    (value, if imm12 >> 8 == 0 { 2 } else { (value >> 31) as u8 })
}

/// Operations by opcode: immediate, register, shifted register; each plain and with flags.
const fn operations(opcode: u32) -> [[Op; 2]; 3] {
    macro_rules! forms {
        ($imm:ident $imm_s:ident $reg:ident $reg_s:ident $shift:ident $shift_s:ident) => {
            [[Op::$imm, Op::$imm_s], [Op::$reg, Op::$reg_s], [Op::$shift, Op::$shift_s]]
        };
    }
    match opcode {
        0 => forms!(AndImm AndImmS AndReg AndRegS AndShift AndShiftS),
        1 => forms!(EorImm EorImmS EorReg EorRegS EorShift EorShiftS),
        2 => forms!(SubImm SubImmS SubReg SubRegS SubShift SubShiftS),
        3 => forms!(RsbImm RsbImmS RsbReg RsbRegS RsbShift RsbShiftS),
        4 => forms!(AddImm AddImmS AddReg AddRegS AddShift AddShiftS),
        5 => forms!(AdcImm AdcImmS AdcReg AdcRegS AdcShift AdcShiftS),
        6 => forms!(SbcImm SbcImmS SbcReg SbcRegS SbcShift SbcShiftS),
        7 => forms!(RscImm RscImmS RscReg RscRegS RscShift RscShiftS),
        8 => forms!(TstImm TstImm TstReg TstReg TstShift TstShift),
        9 => forms!(TeqImm TeqImm TeqReg TeqReg TeqShift TeqShift),
        10 => forms!(CmpImm CmpImm CmpReg CmpReg CmpShift CmpShift),
        11 => forms!(CmnImm CmnImm CmnReg CmnReg CmnShift CmnShift),
        12 => forms!(OrrImm OrrImmS OrrReg OrrRegS OrrShift OrrShiftS),
        13 => forms!(MovImm MovImmS MovReg MovRegS MovShift MovShiftS),
        14 => forms!(BicImm BicImmS BicReg BicRegS BicShift BicShiftS),
        _ => forms!(MvnImm MvnImmS MvnReg MvnRegS MvnShift MvnShiftS),
    }
}

/// A5.2.1 to A5.2.3.
fn data_processing(w: u32, pc: u32) -> Decoded {
    let i = Insn::new;
    let (opcode, s) = (bits(w, 24, 21), bit(w, 20));
    let compare = opcode & 12 == 8;
    // Comparisons have no destination, moves no first operand: what is there counts as R0.
    let rd = if compare { 0 } else { reg(w, 12) };
    let rn = if opcode & 13 == 13 { 0 } else { reg(w, 16) };
    if s && !compare && rd == 15 && (bit(w, 25) || !bit(w, 4)) {
        // From SPSR to CPSR too: an exception return
        return Ok(Insn { imm: w, ..i(Op::DataReturn) });
    }
    let forms = operations(opcode);
    if bit(w, 25) {
        let (imm, carry) = expand_immediate(w & 0xfff);
        if rn == 15 && rd != 15 && !s && matches!(opcode, 2 | 4) {
            // ADR
            let base = pc.wrapping_add(8);
            let imm = if opcode == 4 { base.wrapping_add(imm) } else { base.wrapping_sub(imm) };
            return Ok(special_registers(Insn { rd, imm, ..i(Op::MovImm) }, &[]));
        }
        let insn = Insn { rd, rn, imm, ra: carry, ..i(forms[0][usize::from(s)]) };
        return Ok(special_registers(insn, &[rd, rn]));
    }
    let rm = reg(w, 0);
    let kind = bits(w, 6, 5);
    if bit(w, 4) {
        let rs = reg(w, 8);
        if [rd, rn, rm, rs].contains(&15) {
            return UNPREDICTABLE;
        }
        let plain_shift = [[Op::LslReg, Op::LslRegS], [Op::LsrReg, Op::LsrRegS], [Op::AsrReg, Op::AsrRegS]];
        let insn = if opcode == 13 && kind < 3 {
            Insn { rd, rn: rm, rm: rs, ..i(plain_shift[kind as usize][usize::from(s)]) }
        } else {
            let imm = opcode | u32::from(s) << 4 | kind << 8;
            Insn { rd, rn, rm, ra: rs, imm, ..i(Op::DataShiftedByReg) }
        };
        return Ok(special_registers(insn, &[]));
    }
    let imm = imm_shift(kind, bits(w, 11, 7));
    let insn = Insn { rd, rn, rm, imm, ..i(forms[if imm == 0 { 1 } else { 2 }][usize::from(s)]) };
    if opcode == 13 && rd == 15 && imm == 0 && rm != 15 {
        return Ok(Insn { rm, ..i(Op::Bx) });
    }
    Ok(special_registers(specialise(insn), &[rd, rn, rm]))
}

/// A5.2.11, A5.2.12, A5.2.7, and moves of halfwords: what would be comparisons that set no flags.
fn miscellaneous(w: u32, pc: u32) -> Decoded {
    let i = Insn::new;
    let (d, n, m) = (reg(w, 12), reg(w, 16), reg(w, 0));
    let op = bits(w, 22, 21);
    if bit(w, 25) {
        let imm16 = u32::from(n) << 12 | w & 0xfff;
        return match op {
            0 | 2 => {
                if d == 15 {
                    return UNPREDICTABLE;
                }
                let insn = Insn { rd: d, imm: imm16, ..i(if op == 0 { Op::MovImm } else { Op::Movt }) };
                Ok(special_registers(insn, &[]))
            }
            1 if n == 0 => Ok(match w & 0xff {
                2 => i(Op::Wfe),
                3 => i(Op::Wfi),
                4 => i(Op::Sev),
                _ => i(Op::Nop),
            }),
            _ => {
                let (imm, _) = expand_immediate(w & 0xfff);
                Ok(Insn { rm: n, ra: (op >> 1) as u8, rd: 1, imm, ..i(Op::MsrBanked) })
            }
        };
    }
    if bit(w, 7) {
        // Halfword multiplication: bit 5 is x, bit 6 is y, of rm and rs
        let (rd, ra, rs) = (n, d, reg(w, 8));
        let xy = (bits(w, 5, 5) << 1) | bits(w, 6, 6);
        let (op, rn, rm, imm) = match (op, bit(w, 5)) {
            (0, _) => (Op::SmlaXy, m, rs, xy),
            (1, false) => (Op::SmlaW, m, rs, bits(w, 6, 6)),
            (1, true) => (Op::SmulW, m, rs, bits(w, 6, 6)),
            (2, _) => (Op::SmlalXy, m, rs, xy),
            _ => (Op::SmulXy, m, rs, xy),
        };
        if [rd, rn, rm].contains(&15) || ra == 15 && !matches!(op, Op::SmulW | Op::SmulXy) {
            return UNPREDICTABLE;
        }
        if op == Op::SmlalXy {
            if rd == ra {
                return UNPREDICTABLE;
            }
            // RdHi in bits 19:16, RdLo in bits 15:12
            return Ok(Insn { rd: ra, ra: rd, rn, rm, imm, ..i(op) });
        }
        return Ok(special_registers(Insn { rd, rn, rm, ra, imm, ..i(op) }, &[]));
    }
    let msr = bit(w, 21);
    match bits(w, 6, 4) {
        0 if bit(w, 9) => UNDEFINED, // banked registers: Virtualization Extensions
        0 if msr => Ok(Insn { rm: n, ra: (op >> 1) as u8, rn: m, ..i(Op::MsrBanked) }),
        0 if d == 15 => UNPREDICTABLE,
        0 => Ok(Insn { rd: d, imm: op >> 1, ..i(Op::MrsBanked) }),
        1 if op == 1 => Ok(if m == 15 {
            Insn { imm: pc.wrapping_add(8) & !3, ..i(Op::B) }
        } else {
            Insn { rm: m, ..i(Op::Bx) }
        }),
        1 if op == 3 => {
            if d == 15 || m == 15 {
                return UNPREDICTABLE;
            }
            Ok(special_registers(Insn { rd: d, rm: m, ..i(Op::Clz) }, &[]))
        }
        // BXJ without Jazelle is BX.
        2 if op == 1 => Ok(Insn { rm: m, ..i(Op::Bx) }),
        3 if op == 1 => {
            if m == 15 {
                return UNPREDICTABLE;
            }
            Ok(Insn { rm: m, imm: pc.wrapping_add(4), ..i(Op::Blx) })
        }
        5 => {
            if [d, n, m].contains(&15) {
                return UNPREDICTABLE;
            }
            let op = [Op::Qadd, Op::Qsub, Op::Qdadd, Op::Qdsub][op as usize];
            Ok(special_registers(Insn { rd: d, rn: n, rm: m, ..i(op) }, &[]))
        }
        7 if op == 1 => Ok(Insn { imm: bits(w, 19, 8) << 4 | w & 15, ..i(Op::Bkpt) }),
        7 if op == 3 => Ok(i(Op::Smc)),
        _ => UNDEFINED,
    }
}

/// A5.2.5.
fn multiply(w: u32) -> Decoded {
    let i = Insn::new;
    let (hi, lo, rm, rn, s) = (reg(w, 16), reg(w, 12), reg(w, 8), reg(w, 0), bit(w, 20));
    let long = bit(w, 23) || bits(w, 23, 21) == 2;
    let op = match bits(w, 23, 21) {
        0 => Op::Mul,
        1 => Op::Mla,
        2 if !s => Op::Umaal,
        3 if !s => Op::Mls,
        4 => Op::Umull,
        5 => Op::Umlal,
        6 => Op::Smull,
        7 => Op::Smlal,
        _ => return UNDEFINED,
    };
    let addend = op != Op::Mul;
    if [hi, rm, rn].contains(&15) || addend && lo == 15 || long && lo == hi {
        return UNPREDICTABLE;
    }
    let insn = if long {
        Insn { rd: lo, ra: hi, rn, rm, ..i(op) }
    } else {
        Insn { rd: hi, ra: lo, rn, rm, ..i(op) }
    };
    Ok(match (op, s) {
        (_, false) => special_registers(insn, &[]),
        (Op::Mul, true) => Insn { op: Op::MulS, ..insn },
        // The others that set flags: no compiler makes them.
        _ => Insn { op: Op::MultiplyFlags, imm: bits(w, 23, 21), ..insn },
    })
}

/// A5.2.10.
fn synchronisation(w: u32) -> Decoded {
    let i = Insn::new;
    let (n, d, t) = (reg(w, 16), reg(w, 12), reg(w, 0));
    let (load, size) = (bit(w, 20), bits(w, 22, 21));
    if !bit(w, 23) || w & 0xf00 != 0xf00 {
        return UNDEFINED; // SWP: off unless SCTLR.SW is set, which start-up code does not do
    }
    if load {
        if d == 15 || n == 15 || size == 1 && (d & 1 != 0 || d == 14) {
            return UNPREDICTABLE;
        }
        return Ok(match size {
            1 => Insn { rd: d, ra: d + 1, rn: n, ..i(Op::Ldrexd) },
            0 => Insn { rd: d, rn: n, ra: 2, ..i(Op::Ldrex) },
            size => Insn { rd: d, rn: n, ra: (size & 1) as u8, ..i(Op::Ldrex) },
        });
    }
    if [d, n, t].contains(&15) || d == n || d == t || size == 1 && (t & 1 != 0 || t == 14 || d == t + 1) {
        return UNPREDICTABLE;
    }
    Ok(match size {
        1 => Insn { rd: t, ra: t + 1, rm: d, rn: n, ..i(Op::Strexd) },
        0 => Insn { rd: t, rm: d, rn: n, ra: 2, ..i(Op::Strex) },
        size => Insn { rd: t, rm: d, rn: n, ra: (size & 1) as u8, ..i(Op::Strex) },
    })
}

/// The operations of one size and sign, by form of address.
struct Forms {
    imm: Op,
    wb: Op,
    reg: Op,
    literal: Op,
}

fn forms(load: bool, size: u32, signed: bool) -> Forms {
    let all = |imm, wb, reg, literal| Forms { imm, wb, reg, literal };
    match (load, size, signed) {
        (true, 2, _) => all(Op::LdrImm, Op::LdrWb, Op::LdrReg, Op::LdrLit),
        (true, 1, false) => all(Op::LdrhImm, Op::LdrhWb, Op::LdrhReg, Op::LdrhLit),
        (true, 1, true) => all(Op::LdrshImm, Op::LdrshWb, Op::LdrshReg, Op::LdrshLit),
        (true, _, false) => all(Op::LdrbImm, Op::LdrbWb, Op::LdrbReg, Op::LdrbLit),
        (true, _, true) => all(Op::LdrsbImm, Op::LdrsbWb, Op::LdrsbReg, Op::LdrsbLit),
        (false, 2, _) => all(Op::StrImm, Op::StrWb, Op::StrReg, Op::StrImm),
        (false, 1, _) => all(Op::StrhImm, Op::StrhWb, Op::StrhReg, Op::StrhImm),
        (false, ..) => all(Op::StrbImm, Op::StrbWb, Op::StrbReg, Op::StrbImm),
    }
}

/// What a load or store does, its address apart.
#[derive(Clone, Copy)]
struct Transfer {
    load: bool,
    /// log2 of the bytes; 3 for a pair.
    size: u32,
    signed: bool,
    unprivileged: bool,
}

/// A load or store with offset `offset` (an immediate, or rm and its shift), as P, U, W and the registers of `w` say.
fn access(w: u32, pc: u32, what: Transfer, offset: Result<u32, (u8, u32)>) -> Decoded {
    let i = Insn::new;
    let Transfer { load, size, signed, unprivileged } = what;
    let (n, t) = (reg(w, 16), reg(w, 12));
    let (p, u) = (bit(w, 24), bit(w, 23));
    let write_back = !p || bit(w, 21);
    let pair = size == 3;
    if t == 15 && size != 2 || pair && (t & 1 != 0 || t == 14) {
        return UNPREDICTABLE;
    }
    if write_back && (n == 15 || n == t || pair && n == t + 1) {
        return UNPREDICTABLE;
    }
    let forms = forms(load, size, signed);
    let to_pc = load && t == 15;
    if let (Ok(imm), false) = (offset, unprivileged) {
        let signed_imm = if u { imm } else { imm.wrapping_neg() };
        if n == 15 && load {
            let imm = pc.wrapping_add(8).wrapping_add(signed_imm);
            let op = if pair {
                Op::LdrdLit
            } else if to_pc {
                Op::LdrPcLit
            } else {
                forms.literal
            };
            let insn = Insn { rd: t, ra: if pair { t + 1 } else { 0 }, imm, ..i(op) };
            return Ok(if t == 13 { writes_sp(insn) } else { insn });
        }
        let insn = Insn { rd: t, rn: n, imm: signed_imm, ..i(Op::Nop) };
        let insn = match (pair, load) {
            (true, true) => {
                let op = if !write_back {
                    Op::Ldrd
                } else if p {
                    Op::LdrdPre
                } else {
                    Op::LdrdPost
                };
                Insn { op, ra: t + 1, ..insn }
            }
            (true, false) => {
                let op = if !write_back {
                    Op::Strd
                } else if p {
                    Op::StrdPre
                } else {
                    Op::StrdPost
                };
                Insn { op, ra: t + 1, ..insn }
            }
            _ if write_back => {
                Insn { op: if to_pc { Op::LdrPcWb } else { forms.wb }, ra: u8::from(p), ..insn }
            }
            _ => Insn { op: if to_pc { Op::LdrPcImm } else { forms.imm }, ..insn },
        };
        if t == 15 && !load || n == 15 {
            return Ok(special_registers(insn, &[15]));
        }
        let changes_sp = load && t == 13 || write_back && n == 13 && !to_pc;
        return Ok(if changes_sp { writes_sp(insn) } else { insn });
    }
    let (rm, how) = match offset {
        Ok(imm) => (0, imm | INDEXED_IMMEDIATE),
        Err((rm, shift)) => (rm, shift),
    };
    if offset.is_err() && rm == 15 {
        return UNPREDICTABLE;
    }
    let simple = how <= 3 && u && !write_back && !unprivileged && !pair;
    let insn = if simple {
        // [rn, rm] and [rn, rm, LSL #1 to #3]
        Insn { rd: t, rn: n, rm, imm: how, ..i(if to_pc { Op::LdrPcReg } else { forms.reg }) }
    } else {
        let flag = |condition, bit| if condition { bit } else { 0 };
        let imm = how
            | flag(!u, INDEXED_SUBTRACT)
            | flag(!p, INDEXED_POST)
            | flag(write_back, INDEXED_WRITE_BACK)
            | size << INDEXED_SIZE
            | flag(signed, INDEXED_SIGNED)
            | flag(unprivileged, INDEXED_UNPRIVILEGED);
        Insn { rd: t, rn: n, rm, imm, ..i(if load { Op::LoadIndexed } else { Op::StoreIndexed }) }
    };
    if n == 15 || t == 15 && !load {
        return Ok(special_registers(insn, &[15]));
    }
    let changes_sp = load && t == 13 || write_back && n == 13 && !to_pc;
    Ok(if changes_sp { writes_sp(insn) } else { insn })
}

/// A5.3.
fn load_store(w: u32, pc: u32) -> Decoded {
    let unprivileged = !bit(w, 24) && bit(w, 21);
    let size = if bit(w, 22) { 0 } else { 2 };
    let what = Transfer { load: bit(w, 20), size, signed: false, unprivileged };
    if unprivileged && reg(w, 12) == 15 {
        return UNPREDICTABLE;
    }
    let offset =
        if bit(w, 25) { Err((reg(w, 0), imm_shift(bits(w, 6, 5), bits(w, 11, 7)))) } else { Ok(w & 0xfff) };
    access(w, pc, what, offset)
}

/// A5.2.8 and A5.2.9.
fn extra_load_store(w: u32, pc: u32) -> Decoded {
    let (l, op) = (bit(w, 20), bits(w, 6, 5));
    let unprivileged = !bit(w, 24) && bit(w, 21);
    let (load, size, signed) = match (l, op) {
        (false, 1) => (false, 1, false),
        (true, 1) => (true, 1, false),
        (false, 2) => (true, 3, false),
        (true, 2) => (true, 0, true),
        (false, _) => (false, 3, false),
        (true, _) => (true, 1, true),
    };
    if unprivileged && size == 3 {
        return UNPREDICTABLE;
    }
    let what = Transfer { load, size, signed, unprivileged };
    let offset = if bit(w, 22) { Ok(bits(w, 11, 8) << 4 | w & 15) } else { Err((reg(w, 0), 0)) };
    access(w, pc, what, offset)
}

/// A5.4.
fn media(w: u32) -> Decoded {
    let i = Insn::new;
    let (op1, op2) = (bits(w, 24, 20), bits(w, 7, 5));
    let (d, n, m) = (reg(w, 12), reg(w, 16), reg(w, 0));
    let plain = |insn: Insn, used: &[u8]| {
        if used.contains(&15) { UNPREDICTABLE } else { Ok(special_registers(insn, &[])) }
    };
    match op1 {
        0..=7 => {
            // Parallel addition and subtraction, with the numbers of T32
            let prefix = [None, Some(0), Some(1), Some(2), None, Some(4), Some(5), Some(6)][op1 as usize];
            let kind = [Some(1), Some(2), Some(6), Some(5), Some(0), None, None, Some(4)][op2 as usize];
            let (Some(prefix), Some(kind)) = (prefix, kind) else { return UNDEFINED };
            plain(Insn { rd: d, rn: n, rm: m, imm: kind | prefix << 4, ..i(Op::Parallel) }, &[d, n, m])
        }
        8..=15 => pack_and_saturate(w),
        16..=23 => {
            // Signed multiplication: destination in bits 19:16, addend in bits 15:12
            let (rd, ra, rm, rn) = (n, d, reg(w, 8), m);
            let exchange = op2 & 1;
            let without = ra == 15;
            let (op, long) = match (op1 & 7, op2) {
                (0, 0 | 1) => (if without { Op::Smuad } else { Op::Smlad }, false),
                (0, 2 | 3) => (if without { Op::Smusd } else { Op::Smlsd }, false),
                (4, 0 | 1) => (Op::Smlald, true),
                (4, 2 | 3) => (Op::Smlsld, true),
                (5, 0 | 1) => (if without { Op::Smmul } else { Op::Smmla }, false),
                (5, 6 | 7) => (Op::Smmls, false),
                _ => return UNDEFINED, // SDIV and UDIV too: the Cortex-A9 has none
            };
            if long {
                if ra == rd || ra == 15 {
                    return UNPREDICTABLE;
                }
                return plain(Insn { rd: ra, ra: rd, rn, rm, imm: exchange, ..i(op) }, &[rd, rn, rm]);
            }
            if op == Op::Smmls && without {
                return UNPREDICTABLE;
            }
            plain(Insn { rd, rn, rm, ra, imm: exchange, ..i(op) }, &[rd, rn, rm])
        }
        24 if op2 == 0 => {
            let (rd, ra) = (n, d);
            let op = if ra == 15 { Op::Usad8 } else { Op::Usada8 };
            plain(Insn { rd, rn: m, rm: reg(w, 8), ra, ..i(op) }, &[rd, m, reg(w, 8)])
        }
        26 | 27 | 30 | 31 if op2 & 3 == 2 => {
            let (lsb, width) = (bits(w, 11, 7), bits(w, 20, 16) + 1);
            if lsb + width > 32 {
                return UNPREDICTABLE;
            }
            let op = if bit(w, 22) { Op::Ubfx } else { Op::Sbfx };
            plain(Insn { rd: d, rn: m, imm: lsb | width << 8, ..i(op) }, &[d, m])
        }
        28 | 29 if op2 & 3 == 0 => {
            let (lsb, msb) = (bits(w, 11, 7), bits(w, 20, 16));
            if msb < lsb {
                return UNPREDICTABLE;
            }
            let imm = lsb | (msb - lsb + 1) << 8;
            let (op, rn) = if m == 15 { (Op::Bfc, 0) } else { (Op::Bfi, m) };
            plain(Insn { rd: d, rn, imm, ..i(op) }, &[d])
        }
        _ => UNDEFINED,
    }
}

/// A5.4.3: packing, unpacking, saturation, and reversal.
fn pack_and_saturate(w: u32) -> Decoded {
    let i = Insn::new;
    let (op1, op2) = (bits(w, 22, 20), bits(w, 7, 5));
    let (d, n, m) = (reg(w, 12), reg(w, 16), reg(w, 0));
    let unsigned = bit(w, 22);
    let insn = Insn { rd: d, rn: n, rm: m, ..i(Op::Nop) };
    let mut sources = vec![m];
    let insn = match (op1, op2) {
        (0, 0 | 2 | 4 | 6) => {
            sources.push(n);
            let amount = bits(w, 11, 7);
            if bit(w, 6) {
                Insn { op: Op::Pkhtb, imm: if amount == 0 { 32 } else { amount }, ..insn }
            } else {
                Insn { op: Op::Pkhbt, imm: amount, ..insn }
            }
        }
        (0, 5) => {
            sources.push(n);
            Insn { op: Op::Sel, ..insn }
        }
        (2 | 3 | 6 | 7, 0 | 2 | 4 | 6) => {
            let imm = imm_shift(bits(w, 6, 5), bits(w, 11, 7));
            let ra = bits(w, 20, 16) as u8 + u8::from(!unsigned);
            Insn { op: if unsigned { Op::Usat } else { Op::Ssat }, rn: m, ra, imm, ..insn }
        }
        (2 | 6, 1) => {
            let ra = bits(w, 19, 16) as u8 + u8::from(!unsigned);
            Insn { op: if unsigned { Op::Usat16 } else { Op::Ssat16 }, rn: m, ra, ..insn }
        }
        (3, 1) => Insn { op: Op::Rev, ..insn },
        (3, 5) => Insn { op: Op::Rev16, ..insn },
        (7, 1) => Insn { op: Op::Rbit, ..insn },
        (7, 5) => Insn { op: Op::Revsh, ..insn },
        (_, 3) => {
            const PLAIN: [Option<Op>; 8] = [
                Some(Op::Sxtb16),
                None,
                Some(Op::Sxtb),
                Some(Op::Sxth),
                Some(Op::Uxtb16),
                None,
                Some(Op::Uxtb),
                Some(Op::Uxth),
            ];
            const ADDING: [Option<Op>; 8] = [
                Some(Op::Sxtab16),
                None,
                Some(Op::Sxtab),
                Some(Op::Sxtah),
                Some(Op::Uxtab16),
                None,
                Some(Op::Uxtab),
                Some(Op::Uxtah),
            ];
            let Some(op) = (if n == 15 { PLAIN } else { ADDING })[op1 as usize] else { return UNDEFINED };
            Insn { op, imm: bits(w, 11, 10) << 3, ..insn }
        }
        _ => return UNDEFINED,
    };
    if d == 15 || sources.contains(&15) {
        return UNPREDICTABLE;
    }
    Ok(special_registers(insn, &[]))
}

/// A5.5, without branches.
fn load_store_multiple(w: u32) -> Decoded {
    let n = reg(w, 16);
    let (list, load, write_back) = (w & 0xffff, bit(w, 20), bit(w, 21));
    if n == 15 || list == 0 {
        return UNPREDICTABLE;
    }
    let ra = address_mode(w);
    let insn = Insn { rn: n, imm: list, ra, ..Insn::new(Op::Nop) };
    if bit(w, 22) {
        // Of the user's registers, or with the return from an exception
        let op = match (load, bit(list, 15)) {
            (true, true) => Op::LdmReturn,
            (true, false) => Op::LdmUser,
            (false, _) => Op::StmUser,
        };
        if op != Op::LdmReturn && write_back {
            return UNPREDICTABLE;
        }
        return Ok(Insn { op, ..insn });
    }
    if write_back && bit(list, n.into()) && (load || list & ((1 << n) - 1) != 0) {
        return UNPREDICTABLE;
    }
    if load {
        let insn = Insn { op: if bit(list, 15) { Op::LdmPc } else { Op::Ldm }, ..insn };
        return Ok(if bit(list, 13) && !bit(list, 15) { writes_sp(insn) } else { insn });
    }
    let insn = Insn { op: Op::Stm, ..insn };
    Ok(if bit(list, 15) { special_registers(insn, &[15]) } else { insn })
}

/// P, U and W as [`Op::Ldm`] has them.
fn address_mode(w: u32) -> u8 {
    let (p, u) = (bit(w, 24), bit(w, 23));
    u8::from(bit(w, 21)) | u8::from(!u) << 1 | u8::from(p == u) << 2
}

/// A5.7.
fn unconditional(w: u32, pc: u32) -> Decoded {
    let i = Insn::new;
    match bits(w, 27, 20) {
        // CPS, SETEND
        0x10 if w & 0x10000 != 0 => Ok(Insn { imm: w >> 9 & 1, ..i(Op::SetEnd) }),
        0x10 if !bit(w, 5) => {
            let imm = w & 31 | bits(w, 17, 17) << 5 | bits(w, 8, 6) << 6 | bits(w, 19, 18) << 9;
            Ok(Insn { imm, ..i(Op::ChangeState) })
        }
        0x20..=0x3f => {
            if !neon::supported(w) {
                return UNDEFINED;
            }
            Ok(Insn { imm: w, ..i(Op::Neon) })
        }
        0x57 => Ok(match bits(w, 7, 4) {
            1 => i(Op::Clrex),
            op @ 4..=5 => Insn { imm: op, ..i(Op::Barrier) },
            6 => i(Op::Isb),
            _ => return UNDEFINED,
        }),
        // PLD, PLDW, PLI and the hints that are left to them
        op @ 0x40..=0x7f if op & 1 != 0 && matches!(op & 0x27, 0x01 | 0x05 | 0x21 | 0x25) => Ok(i(Op::Nop)),
        op @ 0x40..=0x4f if op & 1 == 0 => {
            if !neon::memory_supported(w) {
                return UNDEFINED;
            }
            Ok(Insn { imm: w, ..i(Op::NeonMemory) })
        }
        op @ 0x80..=0x9f => {
            let ra = address_mode(w);
            match (bit(op, 2), bit(op, 0)) {
                (true, false) => Ok(Insn { imm: w & 31, ra, ..i(Op::Srs) }),
                (false, true) => Ok(Insn { rn: reg(w, 16), ra, ..i(Op::Rfe) }),
                _ => UNDEFINED,
            }
        }
        0xa0..=0xbf => {
            let offset = sign_extend(w & 0xff_ffff, 24) << 2 | bits(w, 24, 24) << 1;
            Ok(Insn { imm: pc.wrapping_add(8).wrapping_add(offset) | 1, ..i(Op::BlxImm) })
        }
        _ => UNDEFINED,
    }
}
