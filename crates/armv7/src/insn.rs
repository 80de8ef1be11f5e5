// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The decoded form of an instruction: 16 bytes, everything that can be known beforehand worked out.

/// What an instruction does. Operands are in the fields of [`Insn`] as each group says.
///
/// `Imm` forms take `imm` as second operand, `Reg` forms `rm`, `Shift` forms `rm` shifted as `imm` says
/// ([`Shift::pack`]), `Lsl`… forms `rm` shifted by the amount `imm`. `S` forms set flags. For logical `ImmS` forms
/// `ra` is the new carry, 2 for the old one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub(crate) enum Op {
    AndImm,
    AndImmS,
    AndReg,
    AndRegS,
    AndShift,
    AndShiftS,
    BicImm,
    BicImmS,
    BicReg,
    BicRegS,
    BicShift,
    BicShiftS,
    OrrImm,
    OrrImmS,
    OrrReg,
    OrrRegS,
    OrrShift,
    OrrShiftS,
    OrnImm,
    OrnImmS,
    OrnReg,
    OrnRegS,
    OrnShift,
    OrnShiftS,
    EorImm,
    EorImmS,
    EorReg,
    EorRegS,
    EorShift,
    EorShiftS,
    AddImm,
    AddImmS,
    AddReg,
    AddRegS,
    AddShift,
    AddShiftS,
    AdcImm,
    AdcImmS,
    AdcReg,
    AdcRegS,
    AdcShift,
    AdcShiftS,
    SubImm,
    SubImmS,
    SubReg,
    SubRegS,
    SubShift,
    SubShiftS,
    SbcImm,
    SbcImmS,
    SbcReg,
    SbcRegS,
    SbcShift,
    SbcShiftS,
    RsbImm,
    RsbImmS,
    RsbReg,
    RsbRegS,
    RsbShift,
    RsbShiftS,
    MovImm,
    MovImmS,
    MovReg,
    MovRegS,
    MovShift,
    MovShiftS,
    MvnImm,
    MvnImmS,
    MvnReg,
    MvnRegS,
    MvnShift,
    MvnShiftS,
    TstImm,
    TstReg,
    TstShift,
    TeqImm,
    TeqReg,
    TeqShift,
    CmpImm,
    CmpReg,
    CmpShift,
    CmnImm,
    CmnReg,
    CmnShift,
    RscImm,
    RscImmS,
    RscReg,
    RscRegS,
    RscShift,
    RscShiftS,
    /// rm shifted by the low byte of ra; `imm`: operation as A32 numbers them in bits 3:0, S in bit 4, kind of shift in
    /// bits 9:8.
    DataShiftedByReg,
    // The shifted forms that hash functions live on, without a choice at run time.
    EorLsl,
    EorLsr,
    EorRor,
    BicRor,
    AndRor,
    OrrLsl,
    OrrLsr,
    AddLsl,
    AddLsr,
    AddAsr,
    AddRor,
    SubLsl,
    SubAsr,
    LslImm,
    LsrImm,
    AsrImm,
    RorImm,
    /// MOVT: `imm` is the new high half.
    Movt,
    // rd = rn shifted by the low byte of rm
    LslReg,
    LslRegS,
    LsrReg,
    LsrRegS,
    AsrReg,
    AsrRegS,
    RorReg,
    RorRegS,
    // Multiplication: rd, ra are the low and high result of the long forms, ra the addend of the others.
    Mul,
    MulS,
    Mla,
    Mls,
    Smull,
    Umull,
    Smlal,
    Umlal,
    Umaal,
    /// MLAS, UMULLS and the like, by A32's number of the operation in `imm`.
    MultiplyFlags,
    /// `imm` bit 1: top half of rn; bit 0: top half of rm. So in the next ones.
    SmulXy,
    SmlaXy,
    SmlalXy,
    /// `imm` bit 0: top half of rm.
    SmulW,
    SmlaW,
    /// `imm` bit 0: exchange the halves of rm. So in the next ones.
    Smuad,
    Smusd,
    Smlad,
    Smlsd,
    Smlald,
    Smlsld,
    /// `imm` bit 0: round.
    Smmul,
    Smmla,
    Smmls,
    Usad8,
    Usada8,
    Sdiv,
    Udiv,
    // rd from rm
    Clz,
    Rbit,
    Rev,
    Rev16,
    Revsh,
    /// `imm`: lsb in bits 4:0, width in bits 13:8. So in the next ones. Insertion reads rn.
    Bfi,
    Bfc,
    Ubfx,
    Sbfx,
    /// `imm`: shift as packed; `ra`: bits of the range. rd from rn.
    Ssat,
    Usat,
    Ssat16,
    Usat16,
    // rd = rm op rn, as the standard orders them
    Qadd,
    Qsub,
    Qdadd,
    Qdsub,
    Sel,
    /// `imm`: left shift of rm.
    Pkhbt,
    /// `imm`: arithmetic right shift of rm, 1 to 32.
    Pkhtb,
    /// `imm`: rotation of rm. So in the next ones; the A forms add to rn.
    Sxtb,
    Sxth,
    Uxtb,
    Uxth,
    Sxtb16,
    Uxtb16,
    Sxtab,
    Sxtah,
    Uxtab,
    Uxtah,
    Sxtab16,
    Uxtab16,
    /// `imm`: op1 in bits 2:0, prefix in bits 6:4 as encoded.
    Parallel,

    // Loads and stores; rd is the register transferred. Imm: at rn + imm. Reg: at rn + (rm << imm). Wb: pre-indexed
    // if ra is 1, post-indexed if 0. Lit: at imm.
    LdrImm,
    LdrbImm,
    LdrhImm,
    LdrsbImm,
    LdrshImm,
    LdrReg,
    LdrbReg,
    LdrhReg,
    LdrsbReg,
    LdrshReg,
    LdrWb,
    LdrbWb,
    LdrhWb,
    LdrsbWb,
    LdrshWb,
    LdrLit,
    LdrbLit,
    LdrhLit,
    LdrsbLit,
    LdrshLit,
    StrImm,
    StrbImm,
    StrhImm,
    StrReg,
    StrbReg,
    StrhReg,
    StrWb,
    StrbWb,
    StrhWb,
    /// Unprivileged; ra: log2 of the size, bit 2 for signed. At rn + imm.
    LdrUnprivileged,
    StrUnprivileged,
    /// To PC, by address form.
    LdrPcImm,
    LdrPcReg,
    LdrPcWb,
    LdrPcLit,
    /// A32's other forms of addressing: `imm` says how, see [`INDEXED_SIZE`] and the constants beside it.
    LoadIndexed,
    StoreIndexed,
    /// rd and ra at rn + imm; Pre and Post write back. Lit: at imm.
    Ldrd,
    LdrdPre,
    LdrdPost,
    LdrdLit,
    Strd,
    StrdPre,
    StrdPost,
    /// `imm`: the register list; ra: bit 0 write back, bit 1 decrement before, bit 2 one word higher (A32's increment
    /// before and decrement after).
    Ldm,
    Stm,
    /// PC is in the list.
    LdmPc,
    /// rm: the status register of the stores; ra: log2 of the size.
    Ldrex,
    Strex,
    /// rd and ra at rn; rm: the status register.
    Ldrexd,
    Strexd,
    Clrex,
    /// Base rn, index rm.
    Tbb,
    Tbh,
    /// Base imm, index rm.
    TbbPc,
    TbhPc,

    // Branches: imm is the target.
    B,
    Bcond,
    Bl,
    Cbz,
    Cbnz,
    /// To rm.
    Bx,
    Blx,
    /// To the other instruction set; bit 0 of `imm` says to which. Without link if ra is 1.
    BlxImm,
    /// MOV PC, rm and ADD PC, rm: to rm + imm.
    MovPc,
    /// IT; nothing is left to do.
    It,
    /// NOP, YIELD, DBG, PLD, PLI, DMB, DSB (ra = 1 for barriers).
    Nop,

    // Floating point, register numbers of S registers.
    Vadd,
    Vsub,
    Vmul,
    Vnmul,
    Vdiv,
    Vsqrt,
    Vmla,
    Vmls,
    Vnmla,
    Vnmls,
    Vfma,
    Vfms,
    Vfnma,
    Vfnms,
    Vabs,
    Vneg,
    VmovReg,
    VmovImm,
    /// ra: bit 0 signal on quiet NaN, bit 1 compare with zero.
    Vcmp,
    /// ra: bit 0 signed, bit 1 round to zero.
    VcvtToInt,
    /// ra: bit 0 signed.
    VcvtFromInt,
    /// imm: fraction bits; ra: bit 0 signed, bit 1 32 bits instead of 16.
    VcvtToFixed,
    VcvtFromFixed,
    /// ra: top half.
    VcvtHalfToSingle,
    VcvtSingleToHalf,
    VcvtSingleToDouble,
    VcvtDoubleToSingle,
    /// Double precision: one of [`DOUBLE_OPERATIONS`] in bits 4:0 of `imm`, its own `imm` above bit 8.
    Double,
    /// Advanced SIMD, by its A32 encoding in `imm`: data processing, transfers, loads and stores.
    Neon,
    NeonTransfer,
    NeonMemory,
    /// S register rn, core register rd.
    VmovToCore,
    VmovFromCore,
    /// S registers rn and rn + 1, core registers rd and ra.
    VmovPairToCore,
    VmovPairFromCore,
    /// rd: S register, rn: base; imm: offset; ra: words (1 or 2). Lit: at imm.
    Vldr,
    Vstr,
    VldrLit,
    /// rd: first S register; rm: count; ra: bit 0 write back, bit 1 decrement before.
    Vldm,
    Vstm,
    /// rd: core register, 15 for the flags.
    Vmrs,
    Vmsr,

    /// Executes `inner` if `cond` holds.
    Cond,
    /// Executes `inner`, which writes SP: the low bits are dropped and the depth is noted.
    Sp,
    /// Both.
    CondSp,
    /// Executes `inner` with the address of this instruction and 8 in R15, and branches to what it writes there (A32).
    Pc,
    /// The same if `cond` holds.
    CondPc,

    // Left to the core around the executor.
    Svc,
    Bkpt,
    Cps,
    Mrs,
    Msr,
    Wfi,
    Wfe,
    Sev,
    Isb,
    // The same for the A profile
    Smc,
    /// MRS: rd; `imm`: 1 for SPSR.
    MrsBanked,
    /// MSR: rm: the fields; ra: 1 for SPSR; rn: the register, or if rd is 1 the value is `imm`.
    MsrBanked,
    /// DSB and DMB: 4 and 5 in `imm`.
    Barrier,
    /// CPS: `imm`: mode in bits 4:0, bit 5 to change it; A, I, F in bits 8:6; imod in bits 10:9.
    ChangeState,
    /// `imm`: 1 for big-endian.
    SetEnd,
    /// `imm`: mode; ra as for Ldm. RFE: rn.
    Srs,
    Rfe,
    /// LDM and STM of the user's registers, LDM with PC and SPSR to CPSR.
    LdmUser,
    LdmReturn,
    StmUser,
    /// Data processing into PC with SPSR to CPSR, by its A32 encoding in `imm`.
    DataReturn,
    /// MCR and MRC, by its encoding in `imm`.
    RegisterTransfer,
    /// VMRS and VMSR of another register than FPSCR: `imm` the register, rd, ra: 1 for VMSR.
    FpSystem,
    /// A coprocessor instruction other than those above; imm: the coprocessor.
    Coprocessor,
    Undefined,
    Unpredictable,
    /// The fetch of this instruction fails.
    FetchFault,
}

/// A decoded instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Insn {
    pub op: Op,
    /// For [`Op::Cond`] and its like, what to do.
    pub inner: Op,
    pub rd: u8,
    pub rn: u8,
    pub rm: u8,
    pub ra: u8,
    pub imm: u32,
    /// Cycles from the start of the block to the end of this instruction, if no branch is taken and no dynamic
    /// delay occurs.
    pub end: u16,
    /// Halfwords from the start of the block.
    pub offset: u8,
    /// Condition in bits 3:0; bits 5:4 are [`PAIRED`] and [`STARTS`].
    pub cond: u8,
}

/// The access overlaps the one before, as long as both go to the same memory.
pub(crate) const PAIRED: u8 = 0x10;
/// The first load of a burst: no access just before it has made the bus ready.
pub(crate) const STARTS: u8 = 0x20;

impl Insn {
    pub(crate) const fn new(op: Op) -> Self {
        Self { op, inner: Op::Nop, rd: 0, rn: 0, rm: 0, ra: 0, imm: 0, end: 0, offset: 0, cond: 14 }
    }

    /// What the instruction does, conditions and register details aside.
    pub(crate) const fn kind(&self) -> Op {
        match self.op {
            Op::Cond | Op::Sp | Op::CondSp | Op::Pc | Op::CondPc => self.inner,
            op => op,
        }
    }

    /// This instruction for the words behind the first that it loads.
    pub(crate) const fn behind_first(&self) -> Self {
        Self { cond: self.cond & !STARTS, ..*self }
    }

    pub(crate) const fn conditional(&self) -> bool {
        matches!(self.op, Op::Cond | Op::CondSp | Op::CondPc | Op::Bcond)
    }

    /// What [`Op::Double`] does, and with which immediate.
    pub(crate) fn double_operation(&self) -> (Op, u32) {
        let op = DOUBLE_OPERATIONS.get((self.imm & 31) as usize).copied();
        (op.unwrap_or(Op::Nop), self.imm >> 8)
    }
}

/// What [`Op::Double`] can be.
pub(crate) const DOUBLE_OPERATIONS: [Op; 19] = [
    Op::Vadd,
    Op::Vsub,
    Op::Vmul,
    Op::Vnmul,
    Op::Vdiv,
    Op::Vsqrt,
    Op::Vmla,
    Op::Vmls,
    Op::Vnmla,
    Op::Vnmls,
    Op::Vabs,
    Op::Vneg,
    Op::VmovReg,
    Op::VmovImm,
    Op::Vcmp,
    Op::VcvtToInt,
    Op::VcvtFromInt,
    Op::VcvtToFixed,
    Op::VcvtFromFixed,
];

/// [`Op::LoadIndexed`]: the offset is rm shifted as bits 10:0 say ([`Shift::pack`]) or the number in bits 11:0.
pub(crate) const INDEXED_IMMEDIATE: u32 = 1 << 12;
/// The offset is subtracted.
pub(crate) const INDEXED_SUBTRACT: u32 = 1 << 13;
/// The address is the base without the offset.
pub(crate) const INDEXED_POST: u32 = 1 << 14;
/// The base is changed.
pub(crate) const INDEXED_WRITE_BACK: u32 = 1 << 15;
/// log2 of the bytes; 3 is a pair of registers.
pub(crate) const INDEXED_SIZE: u32 = 16;
/// What is loaded is sign-extended.
pub(crate) const INDEXED_SIGNED: u32 = 1 << 18;
/// As unprivileged code would.
pub(crate) const INDEXED_UNPRIVILEGED: u32 = 1 << 19;

/// Shifts of a register operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shift {
    Lsl,
    Lsr,
    Asr,
    Ror,
    Rrx,
}

impl Shift {
    /// Kind in bits 10:8, amount (0 to 32) in bits 5:0.
    pub(crate) const fn pack(self, amount: u32) -> u32 {
        (self as u32) << 8 | amount
    }
}
