// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The pipeline of the Cortex-A9, as a model with bounds.
//!
//! Two instructions are dispatched a cycle, in order; each is issued when its operands and its unit are ready, out of order
//! within a window; there is one load/store unit, which the FP and SIMD unit shares its issue slot with, one multiplier and
//! one branch a cycle. The three models differ in the size of that window and in latencies that sources disagree on: the
//! high one is a machine that issues in order, the low one never runs out of window. docs/cortex-a9-timing.md has the
//! sources and what the models say of published figures.

use super::blocks::Bounds;
use super::system::Cycles;
use crate::insn::{Insn, Op};

/// A mispredicted branch: refill of the pipeline.
pub(super) const MISPREDICTED: Cycles = Cycles::new(8, 9, 12);
/// A branch to where it was predicted to go.
pub(super) const TAKEN: Cycles = Cycles::new(0, 0, 1);
/// Exception entry and return.
pub(super) const EXCEPTION: Cycles = Cycles::new(12, 20, 30);
/// A system instruction that empties the pipeline.
pub(super) const SERIALISE: Cycles = Cycles::new(4, 8, 14);
/// A CP15 transfer.
pub(super) const TRANSFER: Cycles = Cycles::new(1, 3, 8);
/// Level-1 maintenance by address or by set and way: one line.
pub(super) const MAINTAIN_LINE: Cycles = Cycles::new(3, 7, 14);
/// Invalidation of a whole cache, TLB or predictor.
pub(super) const MAINTAIN_ALL: Cycles = Cycles::new(8, 20, 60);
/// A translation that the micro-TLB and the main TLB do not have, besides the reads of descriptors.
pub(super) const WALK: Cycles = Cycles::new(7, 14, 24);
/// An unaligned access within 8 bytes, and one across them.
pub(super) const UNALIGNED: Cycles = Cycles::exact(1);
pub(super) const CROSSING: Cycles = Cycles::exact(6);

/// What differs between the bounds.
struct Model {
    /// Instructions that can wait for operands while later ones are issued; 1 issues in order.
    window: usize,
    /// From a load to an instruction that uses what it loads.
    load: u32,
    /// More if it uses it as an address: addresses are needed a stage before other operands.
    address: u32,
    /// More for bytes, halfwords and scaled offsets.
    narrow: u32,
    /// From an operation with a shifted operand to a user of its result, beyond 1; and the slots of dispatch beyond 1.
    shift: u32,
    /// Multiplication: result, and cycles of the multiplier.
    multiply: (u32, u32),
    /// The same of long products.
    multiply_long: (u32, u32),
}

const LOW: Model =
    Model { window: 24, load: 3, address: 0, narrow: 0, shift: 0, multiply: (3, 1), multiply_long: (4, 2) };

const MID: Model =
    Model { window: 6, load: 3, address: 1, narrow: 1, shift: 1, multiply: (4, 2), multiply_long: (5, 3) };

const HIGH: Model = Model { window: 1, load: 4, address: 0, ..MID };

/// The flags among the registers.
const FLAGS: u32 = 1 << 16;
const NO_REGISTERS: u64 = 0;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Alu,
    Multiplier,
    Memory,
    Float,
    Branch,
    /// Issued alone.
    System,
    None,
}

/// What an instruction reads and writes, and where it goes.
struct Uses {
    reads: u32,
    /// Of these: what an address is made of.
    address: u32,
    writes: u32,
    /// Written later than the rest: what is loaded beside an updated base.
    late: u32,
    fp_reads: u64,
    fp_writes: u64,
    unit: Unit,
    latency: u32,
    occupies: u32,
}

const fn mask(register: u8) -> u32 {
    1 << (register & 15)
}

/// S register `n` of 64.
const fn fp(n: u8) -> u64 {
    1 << (n & 63)
}

const fn fp_double(n: u8) -> u64 {
    3 << (2 * (n & 31))
}

fn sets_flags(op: Op) -> bool {
    matches!(
        op,
        Op::AndImmS | Op::AndRegS | Op::AndShiftS | Op::BicImmS | Op::BicRegS | Op::BicShiftS | Op::OrrImmS
    ) || matches!(
        op,
        Op::OrrRegS | Op::OrrShiftS | Op::EorImmS | Op::EorRegS | Op::EorShiftS | Op::AddImmS | Op::AddRegS
    ) || matches!(
        op,
        Op::AddShiftS | Op::AdcImmS | Op::AdcRegS | Op::AdcShiftS | Op::SubImmS | Op::SubRegS | Op::SubShiftS
    ) || matches!(
        op,
        Op::SbcImmS | Op::SbcRegS | Op::SbcShiftS | Op::RsbImmS | Op::RsbRegS | Op::RsbShiftS | Op::MovImmS
    ) || matches!(op, Op::MovRegS | Op::MovShiftS | Op::MvnImmS | Op::MvnRegS | Op::MvnShiftS | Op::MulS)
        || matches!(op, Op::LslRegS | Op::LsrRegS | Op::AsrRegS | Op::RorRegS | Op::MultiplyFlags)
        || compares(op)
}

fn compares(op: Op) -> bool {
    matches!(op, Op::TstImm | Op::TstReg | Op::TstShift | Op::TeqImm | Op::TeqReg | Op::TeqShift)
        || matches!(op, Op::CmpImm | Op::CmpReg | Op::CmpShift | Op::CmnImm | Op::CmnReg | Op::CmnShift)
}

fn reads_carry(op: Op) -> bool {
    matches!(op, Op::AdcImm | Op::AdcReg | Op::AdcShift | Op::SbcImm | Op::SbcReg | Op::SbcShift)
        || matches!(op, Op::AdcImmS | Op::AdcRegS | Op::AdcShiftS | Op::SbcImmS | Op::SbcRegS | Op::SbcShiftS)
        || matches!(op, Op::RscImm | Op::RscReg | Op::RscShift | Op::RscImmS | Op::RscRegS | Op::RscShiftS)
}

fn shifts(op: Op) -> bool {
    matches!(op, Op::AndShift | Op::BicShift | Op::OrrShift | Op::OrnShift | Op::EorShift | Op::AddShift)
        || matches!(op, Op::AdcShift | Op::SubShift | Op::SbcShift | Op::RsbShift | Op::RscShift)
        || matches!(op, Op::AndShiftS | Op::BicShiftS | Op::OrrShiftS | Op::EorShiftS | Op::AddShiftS)
        || matches!(op, Op::AdcShiftS | Op::SubShiftS | Op::SbcShiftS | Op::RsbShiftS)
        || matches!(
            op,
            Op::EorLsl | Op::EorLsr | Op::EorRor | Op::BicRor | Op::AndRor | Op::OrrLsl | Op::OrrLsr
        )
        || matches!(op, Op::AddLsl | Op::AddLsr | Op::AddAsr | Op::AddRor | Op::SubLsl | Op::SubAsr)
        || matches!(op, Op::TstShift | Op::TeqShift | Op::CmpShift | Op::CmnShift | Op::Pkhbt | Op::Pkhtb)
}

fn moves_shifted(op: Op) -> bool {
    matches!(op, Op::LslImm | Op::LsrImm | Op::AsrImm | Op::RorImm | Op::MovShift | Op::MovShiftS)
        || matches!(op, Op::MvnShift | Op::MvnShiftS)
}

/// How many bytes a plain load or store moves, if that is what it is.
fn plain_access(op: Op) -> Option<(bool, u32)> {
    Some(match op {
        Op::LdrImm | Op::LdrReg | Op::LdrWb | Op::LdrLit | Op::Ldrex => (true, 4),
        Op::LdrPcImm | Op::LdrPcReg | Op::LdrPcWb | Op::LdrPcLit => (true, 4),
        Op::LdrhImm | Op::LdrhReg | Op::LdrhWb | Op::LdrhLit => (true, 2),
        Op::LdrshImm | Op::LdrshReg | Op::LdrshWb | Op::LdrshLit => (true, 2),
        Op::LdrbImm | Op::LdrbReg | Op::LdrbWb | Op::LdrbLit => (true, 1),
        Op::LdrsbImm | Op::LdrsbReg | Op::LdrsbWb | Op::LdrsbLit | Op::LdrUnprivileged => (true, 1),
        Op::LoadIndexed => (true, 2),
        Op::StrImm | Op::StrReg | Op::StrWb | Op::StrbImm | Op::StrbReg | Op::StrbWb => (false, 4),
        Op::StrhImm | Op::StrhReg | Op::StrhWb | Op::Strex | Op::StoreIndexed | Op::StrUnprivileged => {
            (false, 4)
        }
        _ => return None,
    })
}

fn writes_back(op: Op, insn: &Insn) -> bool {
    match op {
        Op::LdrWb | Op::LdrbWb | Op::LdrhWb | Op::LdrsbWb | Op::LdrshWb | Op::LdrPcWb => true,
        Op::StrWb | Op::StrbWb | Op::StrhWb => true,
        Op::LdrdPre | Op::LdrdPost | Op::StrdPre | Op::StrdPost => true,
        Op::Ldm | Op::LdmPc | Op::Stm | Op::Vldm | Op::Vstm => insn.ra & 1 != 0,
        Op::LoadIndexed | Op::StoreIndexed => insn.imm & crate::insn::INDEXED_WRITE_BACK != 0,
        Op::NeonMemory => insn.imm & 15 != 15,
        _ => false,
    }
}

fn uses(insn: &Insn, model: &Model) -> Uses {
    let op = insn.kind();
    let (d, n, m, a) = (mask(insn.rd), mask(insn.rn), mask(insn.rm), mask(insn.ra));
    let nothing = Uses {
        reads: 0,
        address: 0,
        writes: 0,
        late: 0,
        fp_reads: NO_REGISTERS,
        fp_writes: NO_REGISTERS,
        unit: Unit::Alu,
        latency: 1,
        occupies: 1,
    };
    let base = if writes_back(op, insn) { n } else { 0 };
    let mut uses = if let Some((load, bytes)) = plain_access(op) {
        let indexed = matches!(op, Op::LdrReg | Op::LdrbReg | Op::LdrhReg | Op::LdrsbReg | Op::LdrshReg)
            || matches!(op, Op::StrReg | Op::StrbReg | Op::StrhReg | Op::LoadIndexed | Op::StoreIndexed);
        let literal = matches!(op, Op::LdrLit | Op::LdrbLit | Op::LdrhLit | Op::LdrsbLit | Op::LdrshLit);
        let address = if literal { 0 } else { n } | if indexed { m } else { 0 };
        let scaled = indexed && insn.imm & 0x3f != 0;
        let more = if bytes < 4 || scaled { model.narrow } else { 0 };
        Uses {
            reads: address | if load { 0 } else { d },
            address,
            writes: base,
            late: if load { d } else { 0 },
            unit: Unit::Memory,
            latency: model.load + more,
            ..nothing
        }
    } else {
        match op {
            Op::Ldrd | Op::LdrdPre | Op::LdrdPost | Op::LdrdLit | Op::Ldrexd => Uses {
                reads: n,
                address: n,
                writes: base,
                late: d | a,
                unit: Unit::Memory,
                latency: model.load,
                ..nothing
            },
            Op::Strd | Op::StrdPre | Op::StrdPost | Op::Strexd => {
                Uses { reads: n | d | a, address: n, writes: base, unit: Unit::Memory, ..nothing }
            }
            Op::Ldm | Op::LdmPc | Op::Stm => {
                let list = insn.imm & 0xffff;
                let pairs = list.count_ones().div_ceil(2);
                let load = op != Op::Stm;
                Uses {
                    reads: n | if load { 0 } else { list },
                    address: n,
                    writes: base,
                    late: if load { list } else { 0 },
                    unit: Unit::Memory,
                    latency: model.load - 1 + pairs,
                    occupies: pairs,
                    ..nothing
                }
            }
            Op::Vldr | Op::VldrLit => {
                let second = if insn.ra == 2 { fp(insn.rd + 1) } else { 0 };
                Uses {
                    reads: n,
                    address: n,
                    fp_writes: fp(insn.rd) | second,
                    unit: Unit::Memory,
                    latency: model.load + 1,
                    ..nothing
                }
            }
            Op::Vstr => {
                let second = if insn.ra == 2 { fp(insn.rd + 1) } else { 0 };
                Uses { reads: n, address: n, fp_reads: fp(insn.rd) | second, unit: Unit::Memory, ..nothing }
            }
            Op::Vldm | Op::Vstm => {
                let registers = (0..insn.rm).fold(0, |set, i| set | fp(insn.rd + i));
                let pairs = u32::from(insn.rm).div_ceil(2);
                let load = op == Op::Vldm;
                Uses {
                    reads: n,
                    address: n,
                    writes: base,
                    fp_reads: if load { 0 } else { registers },
                    fp_writes: if load { registers } else { 0 },
                    unit: Unit::Memory,
                    latency: model.load + pairs,
                    occupies: pairs,
                    ..nothing
                }
            }
            Op::NeonMemory => {
                let registers = neon_registers(insn.imm);
                let load = insn.imm >> 21 & 1 != 0;
                Uses {
                    reads: mask((insn.imm >> 16 & 15) as u8),
                    address: mask((insn.imm >> 16 & 15) as u8),
                    writes: if base != 0 { mask((insn.imm >> 16 & 15) as u8) } else { 0 },
                    fp_reads: if load { 0 } else { registers },
                    fp_writes: if load { registers } else { 0 },
                    unit: Unit::Memory,
                    latency: model.load + 2,
                    occupies: 2,
                    ..nothing
                }
            }
            Op::Mul | Op::MulS | Op::SmulXy | Op::SmulW | Op::Smuad | Op::Smusd | Op::Usad8 | Op::Smmul => {
                multiplication(n | m, d, model.multiply)
            }
            Op::Mla | Op::Mls | Op::SmlaXy | Op::SmlaW | Op::Smlad | Op::Smlsd | Op::Usada8 => {
                multiplication(n | m | a, d, model.multiply)
            }
            Op::Smmla | Op::Smmls => multiplication(n | m | a, d, model.multiply),
            Op::Smull | Op::Umull => multiplication(n | m, d | a, model.multiply_long),
            Op::Smlal | Op::Umlal | Op::Umaal | Op::SmlalXy | Op::Smlald | Op::Smlsld | Op::MultiplyFlags => {
                multiplication(n | m | a | d, d | a, model.multiply_long)
            }
            Op::B | Op::Bcond | Op::Bl | Op::BlxImm => Uses { unit: Unit::Branch, ..nothing },
            Op::Bx | Op::Blx | Op::MovPc => Uses { reads: m, unit: Unit::Branch, ..nothing },
            Op::Cbz | Op::Cbnz => Uses { reads: n, unit: Unit::Branch, ..nothing },
            Op::Tbb | Op::Tbh | Op::TbbPc | Op::TbhPc => {
                Uses { reads: n | m, address: n | m, unit: Unit::Memory, ..nothing }
            }
            Op::Nop | Op::It | Op::Clrex => Uses { unit: Unit::None, ..nothing },
            Op::Vmrs => Uses { writes: FLAGS, unit: Unit::Float, latency: 4, ..nothing },
            Op::VmovToCore => {
                Uses { fp_reads: fp(insn.rn), writes: d, unit: Unit::Float, latency: 3, ..nothing }
            }
            Op::VmovPairToCore => Uses {
                fp_reads: fp(insn.rn) | fp(insn.rn + 1),
                writes: d | a,
                unit: Unit::Float,
                latency: 3,
                ..nothing
            },
            Op::VmovFromCore => {
                Uses { reads: d, fp_writes: fp(insn.rn), unit: Unit::Float, latency: 2, ..nothing }
            }
            Op::VmovPairFromCore => Uses {
                reads: d | a,
                fp_writes: fp(insn.rn) | fp(insn.rn + 1),
                unit: Unit::Float,
                latency: 2,
                ..nothing
            },
            Op::Neon | Op::NeonTransfer => {
                let (reads, writes) = neon_operands(insn.imm);
                let core = if op == Op::NeonTransfer { d } else { 0 };
                Uses {
                    reads: core,
                    writes: core,
                    fp_reads: reads,
                    fp_writes: writes,
                    unit: Unit::Float,
                    latency: 3,
                    occupies: 1,
                    ..nothing
                }
            }
            _ if is_float(op) => {
                let double = matches!(op, Op::Double | Op::VcvtSingleToDouble | Op::VcvtDoubleToSingle);
                let what = if op == Op::Double { insn.double_operation().0 } else { op };
                let (latency, occupies) = float_time(what, double);
                let register = |n| if double { fp_double(n) } else { fp(n) };
                Uses {
                    fp_reads: register(insn.rn) | register(insn.rm) | register(insn.rd),
                    fp_writes: register(insn.rd),
                    unit: Unit::Float,
                    latency,
                    occupies,
                    ..nothing
                }
            }
            Op::LslReg
            | Op::LsrReg
            | Op::AsrReg
            | Op::RorReg
            | Op::LslRegS
            | Op::LsrRegS
            | Op::AsrRegS
            | Op::RorRegS => Uses { reads: n | m, writes: d, latency: 1 + model.shift, ..nothing },
            Op::DataShiftedByReg => {
                Uses { reads: n | m | a, writes: d, latency: 2 + model.shift, occupies: 2, ..nothing }
            }
            Op::Ubfx | Op::Sbfx | Op::Ssat | Op::Usat | Op::Ssat16 | Op::Usat16 => {
                Uses { reads: n, writes: d, latency: 1 + model.shift, ..nothing }
            }
            Op::Bfi | Op::Bfc | Op::Movt => {
                let latency = if op == Op::Movt { 1 } else { 1 + model.shift };
                Uses { reads: n | d, writes: d, latency, ..nothing }
            }
            Op::Sxtab | Op::Sxtah | Op::Uxtab | Op::Uxtah | Op::Sxtab16 | Op::Uxtab16 => {
                Uses { reads: n | m, writes: d, latency: 2 + model.shift, ..nothing }
            }
            Op::MovImm | Op::MovImmS | Op::MvnImm | Op::MvnImmS => Uses { writes: d, ..nothing },
            Op::MovReg | Op::MovRegS | Op::MvnReg | Op::MvnRegS | Op::MovShift | Op::MovShiftS => {
                Uses { reads: m, writes: d, ..nothing }
            }
            Op::LslImm
            | Op::LsrImm
            | Op::AsrImm
            | Op::RorImm
            | Op::Clz
            | Op::Rbit
            | Op::Rev
            | Op::Rev16
            | Op::Revsh => Uses { reads: m, writes: d, ..nothing },
            Op::Sxtb | Op::Sxth | Op::Uxtb | Op::Uxth | Op::Sxtb16 | Op::Uxtb16 => {
                Uses { reads: m, writes: d, latency: 1 + model.shift, ..nothing }
            }
            _ if is_system(op) => Uses { unit: Unit::System, ..nothing },
            _ if shifts(op) => Uses { reads: n | m, writes: d, latency: 1 + model.shift, ..nothing },
            _ if is_immediate(op) => Uses { reads: n, writes: d, ..nothing },
            _ => Uses { reads: n | m, writes: d, ..nothing },
        }
    };
    if compares(op) {
        uses.writes = 0;
    }
    if sets_flags(op) {
        uses.writes |= FLAGS;
    }
    if reads_carry(op) || insn.conditional() && uses.unit != Unit::Branch {
        uses.reads |= FLAGS;
        // A conditional instruction keeps the old value if it does nothing.
        uses.reads |= uses.writes & 0xffff;
    }
    uses
}

fn multiplication(reads: u32, writes: u32, (latency, occupies): (u32, u32)) -> Uses {
    Uses {
        reads,
        address: 0,
        writes,
        late: 0,
        fp_reads: NO_REGISTERS,
        fp_writes: NO_REGISTERS,
        unit: Unit::Multiplier,
        latency,
        occupies,
    }
}

fn is_immediate(op: Op) -> bool {
    matches!(op, Op::AndImm | Op::AndImmS | Op::BicImm | Op::BicImmS | Op::OrrImm | Op::OrrImmS | Op::OrnImm)
        || matches!(op, Op::EorImm | Op::EorImmS | Op::AddImm | Op::AddImmS | Op::AdcImm | Op::AdcImmS)
        || matches!(op, Op::SubImm | Op::SubImmS | Op::SbcImm | Op::SbcImmS | Op::RsbImm | Op::RsbImmS)
        || matches!(op, Op::TstImm | Op::TeqImm | Op::CmpImm | Op::CmnImm | Op::RscImm | Op::RscImmS)
}

fn is_float(op: Op) -> bool {
    matches!(op, Op::Vadd | Op::Vsub | Op::Vmul | Op::Vnmul | Op::Vdiv | Op::Vsqrt | Op::Vmla | Op::Vmls)
        || matches!(op, Op::Vnmla | Op::Vnmls | Op::Vabs | Op::Vneg | Op::VmovReg | Op::VmovImm | Op::Vcmp)
        || matches!(op, Op::VcvtToInt | Op::VcvtFromInt | Op::VcvtToFixed | Op::VcvtFromFixed | Op::Vmsr)
        || matches!(op, Op::VcvtHalfToSingle | Op::VcvtSingleToHalf | Op::Double)
        || matches!(op, Op::VcvtSingleToDouble | Op::VcvtDoubleToSingle)
}

fn is_system(op: Op) -> bool {
    matches!(op, Op::Svc | Op::Smc | Op::Bkpt | Op::MrsBanked | Op::MsrBanked | Op::ChangeState | Op::Barrier)
        || matches!(op, Op::SetEnd)
        || matches!(op, Op::Srs | Op::Rfe | Op::LdmUser | Op::LdmReturn | Op::StmUser | Op::DataReturn)
        || matches!(op, Op::RegisterTransfer | Op::FpSystem | Op::Wfi | Op::Wfe | Op::Sev | Op::Isb)
        || matches!(op, Op::Undefined | Op::Unpredictable | Op::FetchFault)
}

/// Latency and occupation of VFP arithmetic.
fn float_time(op: Op, double: bool) -> (u32, u32) {
    match op {
        Op::Vadd | Op::Vsub => (4, 1),
        Op::Vmul | Op::Vnmul => {
            if double {
                (6, 2)
            } else {
                (5, 1)
            }
        }
        Op::Vmla | Op::Vmls | Op::Vnmla | Op::Vnmls => {
            if double {
                (9, 2)
            } else {
                (8, 1)
            }
        }
        Op::Vdiv => {
            if double {
                (25, 20)
            } else {
                (15, 10)
            }
        }
        Op::Vsqrt => {
            if double {
                (32, 28)
            } else {
                (17, 13)
            }
        }
        Op::Vcmp => (1, 1),
        _ => (2, 1),
    }
}

/// S registers that an Advanced SIMD data operation reads and writes: its fields as quadwords.
fn neon_operands(raw: u32) -> (u64, u64) {
    let quad = |low: u32, extra: u32| {
        let n = (raw >> low & 15) | (raw >> extra & 1) << 4;
        fp_double(n as u8 & !1) | fp_double(n as u8 | 1)
    };
    (quad(12, 22) | quad(16, 7) | quad(0, 5), quad(12, 22))
}

fn neon_registers(raw: u32) -> u64 {
    let d = (raw >> 12 & 15) | (raw >> 22 & 1) << 4;
    (0..4).fold(0, |set, i| set | fp_double((d + i) as u8 & 31))
}

/// Runs a block through a model `iterations` times; when each instruction of the last time round has been dispatched,
/// in half cycles from the start of that round.
fn simulate(insns: &[Insn], model: &Model, iterations: usize) -> Vec<u32> {
    let mut ready = [0u32; 17];
    // Registers whose value comes from a load.
    let mut loaded = 0u32;
    let mut fp_ready = [0u32; 64];
    let (mut memory_free, mut multiplier_free, mut float_free) = (0, 0, 0);
    // Half cycles: two instructions a cycle are dispatched.
    let mut slot = 0u32;
    let mut issued: Vec<u32> = Vec::with_capacity(insns.len() * iterations);
    let mut ends = Vec::new();
    for round in 0..iterations {
        let start = slot;
        for insn in insns {
            let uses = uses(insn, model);
            if issued.len() >= model.window {
                // Nothing goes in before there is room: what is oldest in the window has been issued.
                slot = slot.max(2 * issued[issued.len() - model.window]);
            }
            let dispatched = slot / 2;
            let mut at = dispatched;
            for (register, &when) in ready.iter().enumerate() {
                if uses.reads >> register & 1 != 0 {
                    let address = uses.address & loaded;
                    at = at.max(when + if address >> register & 1 != 0 { model.address } else { 0 });
                }
            }
            let mut set = uses.fp_reads;
            while set != 0 {
                at = at.max(fp_ready[set.trailing_zeros() as usize]);
                set &= set - 1;
            }
            match uses.unit {
                Unit::Memory => {
                    at = at.max(memory_free);
                    memory_free = at + uses.occupies;
                }
                Unit::Float => {
                    at = at.max(float_free).max(memory_free);
                    float_free = at + uses.occupies;
                    memory_free = memory_free.max(at + 1);
                }
                Unit::Multiplier => {
                    at = at.max(multiplier_free);
                    multiplier_free = at + uses.occupies;
                }
                Unit::System => slot = 2 * (at + 1),
                Unit::Alu | Unit::Branch | Unit::None => {}
            }
            loaded = loaded & !uses.writes | uses.late;
            for register in 0..17 {
                if uses.late >> register & 1 != 0 {
                    ready[register] = at + uses.latency;
                } else if uses.writes >> register & 1 != 0 {
                    let simple = uses.unit == Unit::Memory || register == 16;
                    ready[register] = at + if simple { 1 } else { uses.latency };
                }
            }
            let mut set = uses.fp_writes;
            while set != 0 {
                fp_ready[set.trailing_zeros() as usize] = at + uses.latency;
                set &= set - 1;
            }
            issued.push(at);
            slot += match uses.unit {
                Unit::None => 0,
                Unit::Alu if shifts(insn.kind()) || moves_shifted(insn.kind()) => 1 + model.shift,
                _ => 1,
            };
            if round + 1 == iterations {
                ends.push(slot - start);
            }
        }
        // The instructions behind a block are fetched in a cycle of their own.
        slot = slot.next_multiple_of(2);
    }
    ends
}

/// Works out `end` of each instruction of a block, and the bounds. `loops`: the block ends with a branch to its start.
pub(super) fn schedule(insns: &mut [Insn], loops: bool) -> Vec<Bounds> {
    // A loop is in its steady state when the window has been filled many times.
    let iterations = if loops { (240 / insns.len()).clamp(4, 64) } else { 1 };
    let low = simulate(insns, &LOW, iterations);
    let mid = simulate(insns, &MID, iterations);
    let high = simulate(insns, &HIGH, iterations);
    let mut bounds = Vec::with_capacity(insns.len());
    for (i, insn) in insns.iter_mut().enumerate() {
        let middle = mid[i].div_ceil(2);
        insn.end = middle.min(u16::MAX.into()) as u16;
        // The bounds are bounds of each other too.
        bounds.push(Bounds {
            low: (low[i] / 2).min(middle) as u16,
            high: high[i].div_ceil(2).max(middle) as u16,
        });
    }
    bounds
}

/// Dynamic branch prediction: a table of two-bit counters by address and history, targets, and a stack of returns.
pub(super) struct Predictor {
    counters: Box<[u8; 4096]>,
    history: u32,
    targets: Box<[(u32, u32); 512]>,
    returns: [u32; 8],
    depth: usize,
    pub branches: u64,
    pub mispredicted: u64,
}

impl Predictor {
    pub(super) fn new() -> Self {
        Self {
            counters: Box::new([1; 4096]),
            history: 0,
            targets: Box::new([(u32::MAX, 0); 512]),
            returns: [0; 8],
            depth: 0,
            branches: 0,
            mispredicted: 0,
        }
    }

    /// A conditional branch at `pc` that was taken or not; false if that was not foreseen.
    #[inline]
    pub(super) fn conditional(&mut self, pc: u32, taken: bool) -> bool {
        let counter = &mut self.counters[((pc >> 1) ^ self.history) as usize & 4095];
        let foreseen = (*counter >= 2) == taken;
        *counter = if taken { (*counter + 1).min(3) } else { counter.saturating_sub(1) };
        self.history = (self.history << 1 | u32::from(taken)) & 0xff;
        self.note(foreseen)
    }

    /// A branch at `pc` to a target that is not in the instruction.
    pub(super) fn indirect(&mut self, pc: u32, target: u32) -> bool {
        let entry = &mut self.targets[(pc >> 1) as usize & 511];
        let foreseen = *entry == (pc, target);
        *entry = (pc, target);
        self.note(foreseen)
    }

    pub(super) fn call(&mut self, back: u32) {
        self.returns[self.depth % 8] = back;
        self.depth += 1;
    }

    pub(super) fn back(&mut self, target: u32) -> bool {
        if self.depth == 0 {
            return self.note(false);
        }
        self.depth -= 1;
        let foreseen = self.returns[self.depth % 8] == target;
        self.note(foreseen)
    }

    fn note(&mut self, foreseen: bool) -> bool {
        self.branches += 1;
        self.mispredicted += u64::from(!foreseen);
        foreseen
    }
}
