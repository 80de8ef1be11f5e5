// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The pipeline of the Cortex-M4, as far as it can be worked out before a block runs.
//!
//! Three stages: fetch, decode, execute. Fetch reads aligned words into a buffer of three, one request a cycle, each
//! there two cycles later (address phase, data phase). An instruction goes into decode when all its words are there and
//! its predecessor goes into execute. What depends on addresses and on branches being taken is added while running;
//! docs/cortex-m4-timing.md has the rules, their sources and what they predict.

use crate::insn::{Insn, Op, PAIRED, STARTS};

/// Cycles from a fetch request to the cycle in which decode can have the word.
const FETCH_LATENCY: i32 = 2;
/// The same over the system bus, which registers its address (code above 0x2000_0000).
const SYSTEM_FETCH_LATENCY: i32 = 3;
/// Words in the prefetch buffer.
const BUFFER: usize = 3;

/// Cycles that a load waits for a store just before it, which is still in the buffer.
const STORE_TO_LOAD: i32 = 1;

/// Cycles that a taken branch with its target in the instruction costs beyond the first: the target is requested
/// while the branch is decoded.
pub(crate) const REFILL_DIRECT: u64 = 1;
/// The same if the target comes from a register or the ALU.
pub(crate) const REFILL_INDIRECT: u64 = 2;
/// The same if the target is loaded.
pub(crate) const REFILL_LOADED: u64 = 3;

/// Exception entry: eight words pushed, the vector read and the handler's first instruction fetched meanwhile.
pub(crate) const ENTRY: u64 = 12;
/// The part of [`ENTRY`] until the vector is read: up to here a late arrival takes over.
pub(crate) const ENTRY_STACKING: u64 = 8;
pub(crate) const RETURN: u64 = 10;
pub(crate) const TAIL_CHAIN: u64 = 6;
/// S0 to S15 and FPSCR, on entry, on return, or when they are saved late.
pub(crate) const FP_FRAME: u64 = 17;

/// Cycles that a branch of this kind costs beyond those of its block when it is taken.
pub(crate) fn refill(op: Op) -> u64 {
    match op {
        Op::B | Op::Bcond | Op::Bl | Op::Cbz | Op::Cbnz => REFILL_DIRECT,
        Op::LdmPc => REFILL_LOADED,
        // The load's second cycle comes before.
        Op::LdrPcImm | Op::LdrPcReg | Op::LdrPcWb | Op::LdrPcLit => 1 + REFILL_LOADED,
        // That and an addition.
        Op::Tbb | Op::TbbPc | Op::Tbh | Op::TbhPc => 2 + REFILL_LOADED,
        _ => REFILL_INDIRECT,
    }
}

/// Cycles of a division beyond the two counted beforehand, at most ten: about one for each three bits by which the
/// quotient can be long.
pub(crate) fn divide_time(dividend: u32, divisor: u32, signed: bool) -> u64 {
    let magnitude = |x: u32| if signed { (x as i32).unsigned_abs() } else { x };
    let (a, b) = (magnitude(dividend), magnitude(divisor));
    if b == 0 || a < b {
        return 0;
    }
    u64::from((b.leading_zeros() - a.leading_zeros()) / 3).min(10)
}

/// What the pipeline has to know of an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// One cycle, or as many as said, in the ALU or multiplier.
    Alu(i32),
    /// A load of one register; of a literal if so.
    Load {
        literal: bool,
    },
    /// A store at an immediate offset.
    Store,
    /// A store at a register offset.
    StoreIndexed,
    /// Several words, in as many cycles and one more.
    Multiple {
        words: i32,
        store: bool,
    },
    /// A branch that may not be taken.
    Conditional,
    It,
    Nop,
}

fn kind(op: Op, insn: &Insn) -> Kind {
    match op {
        Op::LdrImm | Op::LdrbImm | Op::LdrhImm | Op::LdrsbImm | Op::LdrshImm => Kind::Load { literal: false },
        Op::LdrReg | Op::LdrbReg | Op::LdrhReg | Op::LdrsbReg | Op::LdrshReg => Kind::Load { literal: false },
        Op::LdrWb | Op::LdrbWb | Op::LdrhWb | Op::LdrsbWb | Op::LdrshWb => Kind::Load { literal: false },
        Op::LdrUnprivileged | Op::Ldrex => Kind::Load { literal: false },
        Op::LdrLit | Op::LdrbLit | Op::LdrhLit | Op::LdrsbLit | Op::LdrshLit => Kind::Load { literal: true },
        Op::Vldr if insn.ra == 1 => Kind::Load { literal: false },
        Op::VldrLit if insn.ra == 1 => Kind::Load { literal: true },
        Op::Vldr | Op::VldrLit => Kind::Multiple { words: 2, store: false },
        Op::StrImm | Op::StrbImm | Op::StrhImm | Op::StrWb | Op::StrbWb | Op::StrhWb => Kind::Store,
        Op::StrUnprivileged => Kind::Store,
        Op::StrReg | Op::StrbReg | Op::StrhReg | Op::Strex => Kind::StoreIndexed,
        Op::Vstr if insn.ra == 1 => Kind::Store,
        Op::Vstr => Kind::Multiple { words: 2, store: true },
        Op::Ldrd | Op::LdrdPre | Op::LdrdPost | Op::LdrdLit => Kind::Multiple { words: 2, store: false },
        Op::Strd | Op::StrdPre | Op::StrdPost => Kind::Multiple { words: 2, store: true },
        Op::Ldm | Op::LdmPc => Kind::Multiple { words: insn.imm.count_ones() as i32, store: false },
        Op::Stm => Kind::Multiple { words: insn.imm.count_ones() as i32, store: true },
        Op::Vldm => Kind::Multiple { words: insn.rm.into(), store: false },
        Op::Vstm => Kind::Multiple { words: insn.rm.into(), store: true },
        Op::LdrPcImm | Op::LdrPcReg | Op::LdrPcWb | Op::LdrPcLit => Kind::Alu(1),
        Op::Sdiv | Op::Udiv => Kind::Alu(2),
        Op::Vmla | Op::Vmls | Op::Vnmla | Op::Vnmls | Op::Vfma | Op::Vfms | Op::Vfnma | Op::Vfnms => {
            Kind::Alu(3)
        }
        Op::Vdiv | Op::Vsqrt => Kind::Alu(14),
        Op::VmovPairFromCore | Op::VmovPairToCore => Kind::Alu(2),
        Op::Bcond | Op::Cbz | Op::Cbnz => Kind::Conditional,
        Op::It => Kind::It,
        Op::Nop => Kind::Nop,
        _ => Kind::Alu(1),
    }
}

/// Whether the DWT counts the instruction's further cycles in LSUCNT.
pub(crate) fn is_load_store(op: Op) -> bool {
    let kind = kind(op, &Insn::new(op));
    matches!(op, Op::LdrPcImm | Op::LdrPcReg | Op::LdrPcWb | Op::LdrPcLit)
        || !matches!(kind, Kind::Alu(_) | Kind::Conditional | Kind::It | Kind::Nop)
}

fn mask(register: u8) -> u32 {
    1 << (register & 15)
}

/// Registers that the address of a load or store comes from.
fn address_registers(op: Op, insn: &Insn) -> u32 {
    match op {
        Op::LdrReg | Op::LdrbReg | Op::LdrhReg | Op::LdrsbReg | Op::LdrshReg => mask(insn.rn) | mask(insn.rm),
        Op::StrReg | Op::StrbReg | Op::StrhReg => mask(insn.rn) | mask(insn.rm),
        Op::Tbb | Op::Tbh | Op::LdrPcReg => mask(insn.rn) | mask(insn.rm),
        Op::TbbPc | Op::TbhPc => mask(insn.rm),
        _ if matches!(kind(op, insn), Kind::Load { literal: true }) => 0,
        Op::LdrdLit => 0,
        _ => mask(insn.rn),
    }
}

/// Core registers written by anything but a load's data.
fn written(op: Op, insn: &Insn) -> u32 {
    match op {
        Op::LdrWb | Op::LdrbWb | Op::LdrhWb | Op::LdrsbWb | Op::LdrshWb => mask(insn.rn),
        Op::StrWb | Op::StrbWb | Op::StrhWb => mask(insn.rn),
        Op::LdrdPre | Op::LdrdPost | Op::StrdPre | Op::StrdPost => mask(insn.rn),
        Op::Ldm | Op::Stm | Op::Vldm | Op::Vstm if insn.ra & 1 != 0 => mask(insn.rn),
        Op::Smull | Op::Umull | Op::Smlal | Op::Umlal | Op::Umaal | Op::SmlalXy | Op::Smlald | Op::Smlsld => {
            mask(insn.rd) | mask(insn.ra)
        }
        Op::TstImm | Op::TstReg | Op::TstShift | Op::TeqImm | Op::TeqReg | Op::TeqShift => 0,
        Op::CmpImm | Op::CmpReg | Op::CmpShift | Op::CmnImm | Op::CmnReg | Op::CmnShift => 0,
        Op::Vmsr | Op::VmovFromCore | Op::VmovPairFromCore => 0,
        Op::VmovPairToCore => mask(insn.rd) | mask(insn.ra),
        Op::VmovToCore | Op::Vmrs => mask(insn.rd),
        _ if fp_written(op, insn) != 0 => 0,
        _ if matches!(kind(op, insn), Kind::Alu(_)) => mask(insn.rd),
        _ => 0,
    }
}

fn single(register: u8) -> u32 {
    1 << (register & 31)
}

/// S registers written by arithmetic.
fn fp_written(op: Op, insn: &Insn) -> u32 {
    match op {
        Op::Vadd | Op::Vsub | Op::Vmul | Op::Vnmul | Op::Vdiv | Op::Vsqrt => single(insn.rd),
        Op::Vmla | Op::Vmls | Op::Vnmla | Op::Vnmls => single(insn.rd),
        Op::Vfma | Op::Vfms | Op::Vfnma | Op::Vfnms => single(insn.rd),
        Op::VcvtToInt | Op::VcvtFromInt | Op::VcvtToFixed | Op::VcvtFromFixed => single(insn.rd),
        Op::VcvtHalfToSingle | Op::VcvtSingleToHalf => single(insn.rd),
        Op::Vabs | Op::Vneg | Op::VmovReg | Op::VmovImm => single(insn.rd),
        _ => 0,
    }
}

/// S registers read: (by this instruction at its start, as an addend one cycle later).
fn fp_read(op: Op, insn: &Insn) -> (u32, u32) {
    match op {
        Op::Vadd | Op::Vsub | Op::Vmul | Op::Vnmul | Op::Vdiv => (single(insn.rn) | single(insn.rm), 0),
        Op::Vmla | Op::Vmls | Op::Vnmla | Op::Vnmls | Op::Vfma | Op::Vfms | Op::Vfnma | Op::Vfnms => {
            (single(insn.rn) | single(insn.rm), single(insn.rd))
        }
        Op::Vsqrt | Op::Vabs | Op::Vneg | Op::VmovReg => (single(insn.rm), 0),
        Op::VcvtToInt | Op::VcvtFromInt | Op::VcvtHalfToSingle => (single(insn.rm), 0),
        Op::VcvtSingleToHalf => (single(insn.rm) | single(insn.rd), 0),
        Op::VcvtToFixed | Op::VcvtFromFixed => (single(insn.rd), 0),
        Op::Vcmp => (single(insn.rd) | single(insn.rm), 0),
        Op::VmovToCore => (single(insn.rn), 0),
        Op::VmovPairToCore => (single(insn.rn) | single(insn.rn + 1), 0),
        Op::Vstr => (single(insn.rd) | if insn.ra == 2 { single(insn.rd + 1) } else { 0 }, 0),
        _ => (0, 0),
    }
}

/// Cycles after which the result of FP arithmetic can be used without waiting.
fn fp_latency(op: Op) -> i32 {
    match op {
        Op::Vmla | Op::Vmls | Op::Vnmla | Op::Vnmls | Op::Vfma | Op::Vfms | Op::Vfnma | Op::Vfnms => 4,
        Op::Vdiv | Op::Vsqrt => 15,
        Op::Vadd | Op::Vsub | Op::Vmul | Op::Vnmul => 2,
        Op::VcvtToInt | Op::VcvtFromInt | Op::VcvtToFixed | Op::VcvtFromFixed => 2,
        Op::VcvtHalfToSingle | Op::VcvtSingleToHalf => 2,
        _ => 1,
    }
}

/// Fetch of the words of a block that starts at a branch target.
struct Fetch {
    latency: i32,
    /// When each word is there, by its index from the block's first word.
    there: Vec<i32>,
    /// When each word has been used up.
    free: Vec<i32>,
    /// The next cycle in which the bus takes a request.
    slot: i32,
    stolen: [i32; 2],
}

impl Fetch {
    /// The first word arrives so that an instruction in it executes at 0.
    fn new(latency: i32) -> Self {
        Self { latency, there: Vec::new(), free: Vec::new(), slot: -1 - latency, stolen: [i32::MIN; 2] }
    }

    /// When decode can have all of the first `words` words.
    fn wait(&mut self, words: usize) -> i32 {
        while self.there.len() < words {
            let k = self.there.len();
            let mut request = self.slot;
            if k >= BUFFER {
                request = request.max(self.free[k - BUFFER] + 1);
            }
            while self.stolen.contains(&request) {
                request += 1;
            }
            self.slot = request + 1;
            self.there.push(request + self.latency);
            self.free.push(i32::MAX / 2);
        }
        self.there[words - 1]
    }

    /// The bus is busy with something else in this cycle.
    fn steal(&mut self, cycle: i32) {
        self.stolen = [self.stolen[1], cycle];
    }
}

/// What the instruction before leaves behind.
#[derive(Clone, Copy)]
enum Before {
    Other,
    /// A load of these registers.
    Load {
        data: u32,
        literal: bool,
    },
    Store,
    StoreIndexed,
}

/// Whether the data bus has been made ready by the accesses just before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Burst {
    None,
    /// By stores only: the store buffer hides what it took, until a load comes.
    Stored,
    Ready,
}

/// Works out `end` of each instruction of a block, which accesses overlap their predecessor and which start a burst.
pub(crate) fn schedule(insns: &mut [Insn], wide: &[bool], pc: u32) {
    let latency = if pc < 0x2000_0000 { FETCH_LATENCY } else { SYSTEM_FETCH_LATENCY };
    let mut fetch = Fetch::new(latency);
    let mut before = Before::Other;
    // Cycle in which the predecessor went into execute, and the one in which it leaves.
    let (mut entered, mut leaves) = (-1, 0);
    // Registers that the predecessor's ALU result goes to.
    let mut fresh = 0;
    let mut burst = Burst::None;
    let (mut fp_fresh, mut fp_ready) = (0, 0);
    let mut previous_narrow = false;
    for i in 0..insns.len() {
        let insn = insns[i];
        let op = insn.kind();
        let kind = kind(op, &insn);
        let first = u32::from(insn.offset) + (pc >> 1 & 1);
        let last = first + u32::from(wide[i]);
        let words = last as usize / 2 + 1;
        let decoded = fetch.wait(words).max(entered);
        for k in first as usize / 2..words {
            // Decode keeps the second halfword of a word that it has begun: the word's place is free.
            fetch.free[k] = fetch.free[k].min(decoded);
        }
        if kind == Kind::It && previous_narrow && i > 0 {
            // Folded: it takes no cycle of its own.
            insns[i].end = leaves as u16;
            previous_narrow = false;
            continue;
        }
        let mut start = (decoded + 1).max(leaves);
        let is_memory = !matches!(kind, Kind::Alu(_) | Kind::Conditional | Kind::It | Kind::Nop);
        let loads_pc = matches!(op, Op::LdrPcImm | Op::LdrPcReg | Op::LdrPcWb)
            || matches!(op, Op::Tbb | Op::TbbPc | Op::Tbh | Op::TbhPc);
        let has_address = is_memory || loads_pc;
        let addresses = if has_address { address_registers(op, &insn) } else { 0 };
        let mut paired = false;
        if has_address {
            if addresses & fresh != 0 {
                start = start.max(leaves + 1);
            } else if let (Before::Load { data, literal }, Kind::Load { literal: this }) = (before, kind)
                && addresses & data == 0
                && literal == this
            {
                // Its address phase runs beside the data phase of the load before.
                start = (decoded + 1).max(leaves - 1);
                paired = start < leaves;
            } else if let (Before::Load { data, literal: false }, Kind::Store) = (before, kind)
                && addresses & data == 0
            {
                // So does that of a store.
                start = (decoded + 1).max(leaves - 1);
                paired = start < leaves;
            }
        }
        if matches!(kind, Kind::Load { .. } | Kind::Multiple { store: false, .. })
            && matches!(before, Before::Store)
        {
            start = start.max(leaves + STORE_TO_LOAD);
        }
        if kind == Kind::Nop && matches!(before, Before::Load { .. } | Before::StoreIndexed) {
            // It goes by in the second cycle of the load or store.
            start = (decoded + 1).max(leaves - 1);
        }
        let (now, later) = fp_read(op, &insn);
        if fp_fresh & now != 0 {
            start = start.max(fp_ready);
        } else if fp_fresh & later != 0 {
            start = start.max(fp_ready - 1);
        }
        let cost = match kind {
            Kind::Alu(n) => n,
            Kind::Load { .. } => 2,
            Kind::Store => 1,
            Kind::StoreIndexed => 2,
            Kind::Multiple { words, .. } => 1 + words,
            Kind::Conditional | Kind::It | Kind::Nop => 1,
        };
        if kind == Kind::Conditional {
            // The target is requested in case the branch is taken.
            fetch.steal(decoded + 1);
        }
        entered = start;
        leaves = start + cost;
        let memory_data = match kind {
            Kind::Load { .. } if !matches!(op, Op::Vldr | Op::VldrLit) => mask(insn.rd),
            _ => 0,
        };
        fresh = written(op, &insn);
        let result = fp_written(op, &insn);
        if result != 0 {
            (fp_fresh, fp_ready) = (result, start + fp_latency(op));
        }
        previous_narrow = !wide[i];
        insns[i].end = leaves as u16;
        let load = matches!(kind, Kind::Load { .. } | Kind::Multiple { store: false, .. });
        // A load that waits for its address leaves the bus alone for a cycle.
        let starts = load && !paired && (burst != Burst::Ready || matches!(before, Before::Load { .. }));
        burst = match burst {
            _ if load => Burst::Ready,
            _ if !is_memory => Burst::None,
            Burst::None => Burst::Stored,
            burst => burst,
        };
        insns[i].cond = insn.cond & 15 | if paired { PAIRED } else { 0 } | if starts { STARTS } else { 0 };
        before = match kind {
            Kind::Load { literal } => Before::Load { data: memory_data, literal },
            Kind::Store => Before::Store,
            Kind::StoreIndexed => Before::StoreIndexed,
            _ => Before::Other,
        };
    }
}
