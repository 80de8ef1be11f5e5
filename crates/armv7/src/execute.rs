// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Executes decoded instructions: what they do to registers and memory, and nothing of modes, exceptions and time.

use crate::fp::{self, Format};
use crate::insn::{INDEXED_IMMEDIATE, INDEXED_POST, INDEXED_SIGNED, INDEXED_SIZE, INDEXED_SUBTRACT};
use crate::insn::{INDEXED_UNPRIVILEGED, INDEXED_WRITE_BACK, Insn, Op};
use crate::neon;
use crate::regs::Regs;
use crate::stop::Cause;

/// A load or store did not happen. The port knows why.
pub(crate) struct Abort;

/// What the executor needs of the core around it. While it runs, `regs().pc` is the start of the block.
pub(crate) trait Port {
    /// Bits of SP that ordinary instructions can set.
    const SP_BITS: u32;

    fn regs(&mut self) -> &mut Regs;

    /// Loads 1, 2 or 4 bytes, zero-extended.
    fn load<const BYTES: u32>(&mut self, address: u32, insn: &Insn) -> Result<u32, Abort>;

    /// Stores the low 1, 2 or 4 bytes. True if the core wants to look up before the next instruction.
    fn store<const BYTES: u32>(&mut self, address: u32, value: u32, insn: &Insn) -> Result<bool, Abort>;

    /// As `load`, as unprivileged code would.
    fn load_unprivileged(&mut self, address: u32, bytes: u32, insn: &Insn) -> Result<u32, Abort>;

    /// As `store`, as unprivileged code would.
    fn store_unprivileged(
        &mut self,
        address: u32,
        bytes: u32,
        value: u32,
        insn: &Insn,
    ) -> Result<bool, Abort>;

    /// The abort of an access that must be aligned and is not.
    fn unaligned(&mut self, address: u32) -> Abort;

    /// Every access must be aligned to its own size.
    fn checks_alignment(&self) -> bool;

    /// Division by zero traps.
    fn divide_traps(&self) -> bool;

    /// Adds the time of a division whose operands are known only now, beyond what was counted beforehand.
    fn divide_time(&mut self, dividend: u32, divisor: u32, signed: bool);

    /// Takes back time that was counted beforehand for an instruction whose condition fails.
    fn save_time(&mut self, cycles: u64);
}

/// Why the executor came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The end of the block.
    End,
    /// A branch was taken; `pc` is the target.
    Branch,
    /// A branch by BX, BLX or a load was taken to what is in `pc`: to the other instruction set, or an EXC_RETURN.
    Special,
    /// The instruction is for the core around; it was not executed.
    System,
    /// An FP instruction, and FP is not ready; it was not executed.
    FpNotReady,
    /// A load or store aborted.
    Abort,
    /// The instruction faults for this reason.
    Fault(Cause),
    /// The instruction is done, and something wants the core to look up.
    LookUp,
    /// The instruction is done and the stack went below its limit.
    StackLimit,
}

/// Why, and at which instruction.
pub(crate) struct Outcome {
    pub exit: Exit,
    pub index: usize,
}

/// The result of a shift and its carry: Shift_C().
#[inline(always)]
pub(crate) fn shift_c(value: u32, packed: u32, carry: u32) -> (u32, u32) {
    let n = packed & 0x3f;
    match packed >> 8 {
        0 => lsl_c(value, n, carry),
        1 => lsr_c(value, n, carry),
        2 => asr_c(value, n, carry),
        3 => ror_c(value, n, carry),
        _ => (carry << 31 | value >> 1, value & 1),
    }
}

#[inline]
fn lsl_c(value: u32, n: u32, carry: u32) -> (u32, u32) {
    match n {
        0 => (value, carry),
        1..=31 => (value << n, value >> (32 - n) & 1),
        32 => (0, value & 1),
        _ => (0, 0),
    }
}

#[inline]
fn lsr_c(value: u32, n: u32, carry: u32) -> (u32, u32) {
    match n {
        0 => (value, carry),
        1..=31 => (value >> n, value >> (n - 1) & 1),
        32 => (0, value >> 31),
        _ => (0, 0),
    }
}

#[inline]
fn asr_c(value: u32, n: u32, carry: u32) -> (u32, u32) {
    match n {
        0 => (value, carry),
        1..=31 => ((value as i32 >> n) as u32, value >> (n - 1) & 1),
        _ => ((value as i32 >> 31) as u32, value >> 31),
    }
}

#[inline]
fn ror_c(value: u32, n: u32, carry: u32) -> (u32, u32) {
    if n == 0 {
        return (value, carry);
    }
    let result = value.rotate_right(n & 31);
    (result, result >> 31)
}

impl Regs {
    #[inline(always)]
    pub(crate) fn get(&self, n: u8) -> u32 {
        self.r[(n & 15) as usize]
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, n: u8, value: u32) {
        self.r[(n & 15) as usize] = value;
    }

    #[inline(always)]
    pub(crate) fn nz(&mut self, value: u32) {
        self.n = value;
        self.z = value;
    }

    /// AddWithCarry() and the flags.
    #[inline(always)]
    pub(crate) fn add_flags(&mut self, a: u32, b: u32, carry: u32) -> u32 {
        let wide = u64::from(a) + u64::from(b) + u64::from(carry);
        let result = wide as u32;
        self.nz(result);
        self.c = (wide >> 32) as u32;
        self.v = (a ^ result) & (b ^ result);
        result
    }

    #[inline(always)]
    pub(crate) fn fp(&self, n: u8) -> u32 {
        self.s[(n & 63) as usize]
    }

    #[inline(always)]
    pub(crate) fn set_fp(&mut self, n: u8, value: u32) {
        self.s[(n & 63) as usize] = value;
    }

    /// D0 to D31.
    #[inline]
    pub(crate) fn double(&self, n: u8) -> u64 {
        u64::from(self.fp(2 * n + 1)) << 32 | u64::from(self.fp(2 * n))
    }

    #[inline]
    pub(crate) fn set_double(&mut self, n: u8, value: u64) {
        self.set_fp(2 * n, value as u32);
        self.set_fp(2 * n + 1, (value >> 32) as u32);
    }

    #[inline(always)]
    fn pair(&self, low: u8, high: u8) -> u64 {
        u64::from(self.get(high)) << 32 | u64::from(self.get(low))
    }

    #[inline(always)]
    fn set_pair(&mut self, low: u8, high: u8, value: u64) {
        self.set(low, value as u32);
        self.set(high, (value >> 32) as u32);
    }

    /// The address of [`Op::LoadIndexed`] and the base after it.
    fn indexed(&self, insn: &Insn) -> (u32, u32) {
        let offset = if insn.imm & INDEXED_IMMEDIATE != 0 {
            insn.imm & 0xfff
        } else {
            shift_c(self.get(insn.rm), insn.imm & 0x7ff, self.c).0
        };
        let base = self.get(insn.rn);
        let moved = if insn.imm & INDEXED_SUBTRACT != 0 {
            base.wrapping_sub(offset)
        } else {
            base.wrapping_add(offset)
        };
        (if insn.imm & INDEXED_POST != 0 { base } else { moved }, moved)
    }

    /// Sets Q if the sum does not fit, and wraps.
    #[inline(always)]
    fn accumulate_q(&mut self, sum: i64) -> u32 {
        self.q |= u32::from(i64::from(sum as i32) != sum);
        sum as u32
    }

    /// SignedSat() to `bits` bits, with Q.
    #[inline(always)]
    fn signed_sat(&mut self, value: i64, bits: u32) -> u32 {
        let limit = 1i64 << (bits - 1);
        let result = value.clamp(-limit, limit - 1);
        self.q |= u32::from(result != value);
        result as u32
    }

    /// UnsignedSat() to `bits` bits, with Q.
    #[inline(always)]
    fn unsigned_sat(&mut self, value: i64, bits: u32) -> u32 {
        let result = value.clamp(0, (1 << bits) - 1);
        self.q |= u32::from(result != value);
        result as u32
    }
}

/// The half of `value` chosen by `top`, sign-extended.
#[inline(always)]
fn half(value: u32, top: u32) -> i64 {
    i64::from((value >> (16 * (top & 1))) as i16)
}

/// Both halves, sign-extended, exchanged if `exchange`.
#[inline(always)]
fn halves(value: u32, exchange: u32) -> (i64, i64) {
    let value = value.rotate_right(16 * (exchange & 1));
    (half(value, 0), half(value, 1))
}

/// Parallel addition and subtraction: ADD16, ASX, SAX, SUB16, ADD8, SUB8 with the prefixes S, Q, SH, U, UQ, UH.
fn parallel(r: &mut Regs, insn: &Insn) {
    if insn.imm & 3 == 0 { in_lanes::<8>(r, insn) } else { in_lanes::<16>(r, insn) }
}

/// [`parallel`] in lanes of `WIDTH` bits.
fn in_lanes<const WIDTH: u32>(r: &mut Regs, insn: &Insn) {
    let (a, b) = (r.get(insn.rn), r.get(insn.rm));
    let (kind, prefix) = (insn.imm & 7, insn.imm >> 4);
    let unsigned = prefix >= 4;
    let lane = |word: u32, n: u32| -> i32 {
        let top = word << (32 - WIDTH - n * WIDTH);
        if unsigned { (top >> (32 - WIDTH)) as i32 } else { top as i32 >> (32 - WIDTH) }
    };
    let mask = u32::MAX >> (32 - WIDTH);
    let (mut result, mut ge) = (0, 0);
    for n in 0..32 / WIDTH {
        // (second operand's lane, subtract)
        let (other, subtract) = match kind {
            0 | 1 => (n, false),
            4 | 5 => (n, true),
            2 => (1 - n, n == 0), // ASX: low lane subtracts, high lane adds
            _ => (1 - n, n == 1), // SAX
        };
        let (x, y) = (lane(a, n), lane(b, other));
        let exact = if subtract { x - y } else { x + y };
        let value = match prefix {
            1 => exact.clamp(-(1 << (WIDTH - 1)), (1 << (WIDTH - 1)) - 1),
            5 => exact.clamp(0, mask as i32),
            2 | 6 => exact >> 1,
            _ => exact,
        };
        let set = if unsigned && !subtract { exact > mask as i32 } else { exact >= 0 };
        result |= (value as u32 & mask) << (n * WIDTH);
        if set {
            ge |= mask << (n * WIDTH);
        }
    }
    if matches!(prefix, 0 | 4) {
        r.ge = ge;
    }
    r.set(insn.rd, result);
}

/// The number of cycles a division takes is the port's affair; this is its result.
fn divide(a: u32, b: u32, signed: bool) -> u32 {
    match (b, signed) {
        (0, _) => 0,
        (_, true) => (a as i32).wrapping_div(b as i32) as u32,
        _ => a / b,
    }
}

/// Floating-point arithmetic on operands of format `f`: the new value of the destination.
fn arithmetic(f: Format, op: Op, insn: &Insn, imm: u32, [d, n, m]: [u64; 3], fpscr: &mut u32) -> u64 {
    let neg = |x| fp::neg(f, x);
    match op {
        Op::Vadd => fp::add(f, n, m, fpscr),
        Op::Vsub => fp::sub(f, n, m, fpscr),
        Op::Vmul => fp::mul(f, n, m, fpscr),
        Op::Vnmul => neg(fp::mul(f, n, m, fpscr)),
        Op::Vdiv => fp::div(f, n, m, fpscr),
        Op::Vsqrt => fp::sqrt(f, m, fpscr),
        Op::Vmla => {
            let product = fp::mul(f, n, m, fpscr);
            fp::add(f, d, product, fpscr)
        }
        Op::Vmls => {
            let product = neg(fp::mul(f, n, m, fpscr));
            fp::add(f, d, product, fpscr)
        }
        Op::Vnmla => {
            let product = neg(fp::mul(f, n, m, fpscr));
            fp::add(f, neg(d), product, fpscr)
        }
        Op::Vnmls => {
            let product = fp::mul(f, n, m, fpscr);
            fp::add(f, neg(d), product, fpscr)
        }
        Op::Vfma => fp::mul_add(d, n, m, fpscr),
        Op::Vfms => fp::mul_add(d, neg(n), m, fpscr),
        Op::Vfnma => fp::mul_add(neg(d), neg(n), m, fpscr),
        Op::Vfnms => fp::mul_add(neg(d), n, m, fpscr),
        Op::Vabs => m & !f.sign(),
        Op::Vneg => neg(m),
        Op::VmovReg => m,
        Op::Vcmp => {
            let b = if insn.ra & 2 != 0 { 0 } else { m };
            let flags = fp::compare(f, d, b, insn.ra & 1 != 0, fpscr);
            *fpscr = *fpscr & 0x0fff_ffff | flags;
            d
        }
        Op::VcvtToInt => fp::to_fixed(f, m, (32, 0), insn.ra & 1 != 0, insn.ra & 2 != 0, fpscr).into(),
        Op::VcvtFromInt => fp::from_fixed(f, m as u32, (32, 0), insn.ra & 1 != 0, false, fpscr),
        Op::VcvtToFixed => {
            let (signed, bits) = (insn.ra & 1 != 0, if insn.ra & 2 != 0 { 32 } else { 16 });
            let value = fp::to_fixed(f, d, (bits, imm), signed, true, fpscr);
            match (signed, bits) {
                (false, _) => value.into(),
                (true, 16) => value as i16 as u64,
                _ => value as i32 as u64,
            }
        }
        Op::VcvtFromFixed => {
            let bits = if insn.ra & 2 != 0 { 32 } else { 16 };
            fp::from_fixed(f, d as u32, (bits, imm), insn.ra & 1 != 0, true, fpscr)
        }
        Op::VcvtHalfToSingle => fp::half_to_single((m >> (16 * u32::from(insn.ra))) as u16, fpscr),
        Op::VcvtSingleToHalf => {
            let value = u64::from(fp::single_to_half(m, fpscr));
            if insn.ra != 0 { d & 0xffff | value << 16 } else { d & 0xffff_0000 | value }
        }
        _ => imm.into(), // VMOV (immediate)
    }
}

fn single(r: &mut Regs, op: Op, insn: &Insn) {
    let operands = [insn.rd, insn.rn, insn.rm].map(|n| r.fp(n).into());
    let value = arithmetic(fp::SINGLE, op, insn, insn.imm, operands, &mut r.fpscr);
    r.set_fp(insn.rd, value as u32);
}

/// Double precision, and conversions to and from it; those have an S register on one side.
fn double(r: &mut Regs, op: Op, insn: &Insn) {
    let (op, imm) = if op == Op::Double { insn.double_operation() } else { (op, 0) };
    match op {
        Op::VcvtSingleToDouble => {
            let value = fp::convert(fp::SINGLE, fp::DOUBLE, r.fp(insn.rm).into(), &mut r.fpscr);
            r.set_double(insn.rd, value);
        }
        Op::VcvtDoubleToSingle => {
            let value = fp::convert(fp::DOUBLE, fp::SINGLE, r.double(insn.rm), &mut r.fpscr);
            r.set_fp(insn.rd, value as u32);
        }
        Op::VcvtToInt => {
            let operand = r.double(insn.rm);
            let value = arithmetic(fp::DOUBLE, op, insn, imm, [0, 0, operand], &mut r.fpscr);
            r.set_fp(insn.rd, value as u32);
        }
        Op::VcvtFromInt => {
            let operand = r.fp(insn.rm).into();
            let value = arithmetic(fp::DOUBLE, op, insn, imm, [0, 0, operand], &mut r.fpscr);
            r.set_double(insn.rd, value);
        }
        Op::VmovImm => r.set_double(insn.rd, crate::decode::expand_fp_immediate_double(imm)),
        _ => {
            let operands = [insn.rd, insn.rn, insn.rm].map(|n| r.double(n));
            let value = arithmetic(fp::DOUBLE, op, insn, imm, operands, &mut r.fpscr);
            r.set_double(insn.rd, value);
        }
    }
}

/// The result of a data-processing operation by its number in A32; `carry` is that of the second operand's shift.
pub(crate) fn data_processing(r: &mut Regs, opcode: u32, flags: bool, a: u32, b: u32, carry: u32) -> u32 {
    let logical = match opcode {
        0 | 8 => a & b,
        1 | 9 => a ^ b,
        12 => a | b,
        13 => b,
        14 => a & !b,
        15 => !b,
        _ => {
            let (x, y, c) = match opcode {
                2 | 10 => (a, !b, 1),
                3 => (!a, b, 1),
                4 | 11 => (a, b, 0),
                5 => (a, b, r.c),
                6 => (a, !b, r.c),
                _ => (!a, b, r.c),
            };
            return if flags { r.add_flags(x, y, c) } else { x.wrapping_add(y).wrapping_add(c) };
        }
    };
    if flags {
        r.nz(logical);
        r.c = carry;
    }
    logical
}

/// Whether an instruction stores.
pub(crate) fn stores(insn: &Insn) -> bool {
    let op = insn.kind();
    is_store(op)
        || matches!(op, Op::Vstr | Op::Vstm | Op::Strex | Op::Strexd | Op::StrUnprivileged)
        || op == Op::NeonMemory && insn.imm >> 21 & 1 == 0
}

/// Whether `rd` is read instead of written.
fn is_store(op: Op) -> bool {
    matches!(op, Op::StrImm | Op::StrbImm | Op::StrhImm | Op::StrReg | Op::StrbReg | Op::StrhReg)
        || matches!(op, Op::StrWb | Op::StrbWb | Op::StrhWb | Op::StoreIndexed | Op::Stm)
        || matches!(op, Op::Strd | Op::StrdPre | Op::StrdPost)
}

/// Executes `code` from `start` on.
pub(crate) fn execute<P: Port>(p: &mut P, code: &[Insn], start: usize) -> Outcome {
    let mut index = start;
    while let Some(insn) = code.get(index) {
        let mut op = insn.op;
        macro_rules! leave {
            ($exit:expr) => {
                return Outcome { exit: $exit, index }
            };
        }
        macro_rules! r {
            () => {
                p.regs()
            };
        }
        macro_rules! attempt {
            ($access:expr) => {
                match $access {
                    Ok(value) => value,
                    Err(Abort) => leave!(Exit::Abort),
                }
            };
        }
        // Operand forms
        macro_rules! imm {
            ($f:expr) => {{
                let r = p.regs();
                let value = $f(r.get(insn.rn), insn.imm);
                r.set(insn.rd, value);
            }};
        }
        macro_rules! reg {
            ($f:expr) => {{
                let r = p.regs();
                let value = $f(r.get(insn.rn), r.get(insn.rm));
                r.set(insn.rd, value);
            }};
        }
        macro_rules! shifted {
            ($f:expr) => {{
                let r = p.regs();
                let (operand, _) = shift_c(r.get(insn.rm), insn.imm, r.c);
                let value = $f(r.get(insn.rn), operand);
                r.set(insn.rd, value);
            }};
        }
        // Logical operations that set flags
        macro_rules! imm_s {
            ($f:expr) => {{
                let r = p.regs();
                let value = $f(r.get(insn.rn), insn.imm);
                r.nz(value);
                if insn.ra != 2 {
                    r.c = u32::from(insn.ra & 1);
                }
                value
            }};
        }
        macro_rules! reg_s {
            ($f:expr) => {{
                let r = p.regs();
                let value = $f(r.get(insn.rn), r.get(insn.rm));
                r.nz(value);
                value
            }};
        }
        macro_rules! shifted_s {
            ($f:expr) => {{
                let r = p.regs();
                let (operand, carry) = shift_c(r.get(insn.rm), insn.imm, r.c);
                let value = $f(r.get(insn.rn), operand);
                r.nz(value);
                r.c = carry;
                value
            }};
        }
        macro_rules! to_rd {
            ($value:expr) => {{
                let value = $value;
                r!().set(insn.rd, value);
            }};
        }
        // Additions: $g gives (a, b, carry) of AddWithCarry from rn, the operand and C
        macro_rules! operand_shift {
            () => {{
                let r = p.regs();
                shift_c(r.get(insn.rm), insn.imm, r.c).0
            }};
        }
        macro_rules! sum {
            ($operand:expr, $g:expr) => {{
                let operand = $operand;
                let r = p.regs();
                let (a, b, c): (u32, u32, u32) = $g(r.get(insn.rn), operand, r.c);
                r.set(insn.rd, a.wrapping_add(b).wrapping_add(c));
            }};
        }
        macro_rules! sum_s {
            ($operand:expr, $g:expr) => {{
                let operand = $operand;
                let r = p.regs();
                let (a, b, c): (u32, u32, u32) = $g(r.get(insn.rn), operand, r.c);
                let value = r.add_flags(a, b, c);
                value
            }};
        }
        macro_rules! rm {
            () => {
                r!().get(insn.rm)
            };
        }
        macro_rules! by_register {
            ($f:expr, $flags:literal) => {{
                let r = p.regs();
                let (value, carry) = $f(r.get(insn.rn), r.get(insn.rm) & 0xff, r.c);
                r.set(insn.rd, value);
                if $flags {
                    r.nz(value);
                    r.c = carry;
                }
            }};
        }
        macro_rules! unary {
            ($f:expr) => {{
                let r = p.regs();
                let value = $f(r.get(insn.rm));
                r.set(insn.rd, value);
            }};
        }
        // rd = rn + f(rm rotated)
        macro_rules! extend_add {
            ($f:expr) => {{
                let r = p.regs();
                let value = $f(r.get(insn.rn), r.get(insn.rm).rotate_right(insn.imm));
                r.set(insn.rd, value);
            }};
        }
        macro_rules! address_reg {
            () => {{
                let r = p.regs();
                r.get(insn.rn).wrapping_add(r.get(insn.rm) << insn.imm)
            }};
        }
        macro_rules! load {
            ($address:expr, $bytes:literal, $extend:expr) => {{
                let address = $address;
                let value = attempt!(p.load::<$bytes>(address, insn));
                r!().set(insn.rd, $extend(value));
            }};
        }
        macro_rules! address_imm {
            () => {
                r!().get(insn.rn).wrapping_add(insn.imm)
            };
        }
        macro_rules! load_wb {
            ($bytes:literal, $extend:expr) => {{
                let base = r!().get(insn.rn);
                let moved = base.wrapping_add(insn.imm);
                let value = attempt!(p.load::<$bytes>(if insn.ra != 0 { moved } else { base }, insn));
                let r = p.regs();
                r.set(insn.rn, moved);
                r.set(insn.rd, $extend(value));
            }};
        }
        macro_rules! store {
            ($address:expr, $bytes:literal) => {{
                let address = $address;
                let value = r!().get(insn.rd);
                if attempt!(p.store::<$bytes>(address, value, insn)) {
                    leave!(Exit::LookUp);
                }
            }};
        }
        macro_rules! store_wb {
            ($bytes:literal) => {{
                let r = p.regs();
                let (base, value) = (r.get(insn.rn), r.get(insn.rd));
                let moved = base.wrapping_add(insn.imm);
                let look = attempt!(p.store::<$bytes>(if insn.ra != 0 { moved } else { base }, value, insn));
                r!().set(insn.rn, moved);
                if look {
                    leave!(Exit::LookUp);
                }
            }};
        }
        macro_rules! branch {
            ($target:expr) => {{
                let target = $target;
                r!().pc = target;
                leave!(Exit::Branch)
            }};
        }
        // BXWritePC() and LoadWritePC(), as far as nothing special happens
        macro_rules! interwork {
            ($target:expr) => {{
                let target: u32 = $target;
                let r = p.regs();
                if target & 1 == r.thumb && target < 0xf000_0000 {
                    r.pc = target & !1;
                    leave!(Exit::Branch);
                }
                r.pc = target;
                leave!(Exit::Special)
            }};
        }
        macro_rules! aligned {
            ($address:expr) => {{
                let address: u32 = $address;
                if address & 3 != 0 {
                    p.unaligned(address);
                    leave!(Exit::Abort);
                }
                address
            }};
        }
        macro_rules! ready {
            () => {
                if !r!().fp_ready {
                    leave!(Exit::FpNotReady);
                }
            };
        }
        macro_rules! long {
            ($f:expr) => {{
                let r = p.regs();
                let value: u64 = $f(r.get(insn.rn), r.get(insn.rm), r.pair(insn.rd, insn.ra));
                r.set_pair(insn.rd, insn.ra, value);
            }};
        }
        macro_rules! sbyte {
            ($value:expr) => {
                $value as i8 as u32
            };
        }
        macro_rules! shalf {
            ($value:expr) => {
                $value as i16 as u32
            };
        }
        let or_not = |a: u32, b: u32| a | !b;
        let second = |_: u32, b: u32| b;
        let second_not = |_: u32, b: u32| !b;
        let plus = |a: u32, b: u32, _: u32| (a, b, 0);
        let minus = |a: u32, b: u32, _: u32| (a, !b, 1);
        let reverse = |a: u32, b: u32, _: u32| (!a, b, 1);
        let plus_c = |a: u32, b: u32, c: u32| (a, b, c);
        let minus_c = |a: u32, b: u32, c: u32| (a, !b, c);
        let reverse_c = |a: u32, b: u32, c: u32| (!a, b, c);
        let and = |a: u32, b: u32| a & b;
        let clear = |a: u32, b: u32| a & !b;
        let or = |a: u32, b: u32| a | b;
        let exclusive_or = |a: u32, b: u32| a ^ b;
        let word = |value: u32| value;

        loop {
            match op {
                Op::AndImm => imm!(and),
                Op::AndReg => reg!(and),
                Op::AndShift => shifted!(and),
                Op::AndImmS => to_rd!(imm_s!(and)),
                Op::AndRegS => to_rd!(reg_s!(and)),
                Op::AndShiftS => to_rd!(shifted_s!(and)),
                Op::BicImm => imm!(clear),
                Op::BicReg => reg!(clear),
                Op::BicShift => shifted!(clear),
                Op::BicImmS => to_rd!(imm_s!(clear)),
                Op::BicRegS => to_rd!(reg_s!(clear)),
                Op::BicShiftS => to_rd!(shifted_s!(clear)),
                Op::OrrImm => imm!(or),
                Op::OrrReg => reg!(or),
                Op::OrrShift => shifted!(or),
                Op::OrrImmS => to_rd!(imm_s!(or)),
                Op::OrrRegS => to_rd!(reg_s!(or)),
                Op::OrrShiftS => to_rd!(shifted_s!(or)),
                Op::OrnImm => imm!(or_not),
                Op::OrnReg => reg!(or_not),
                Op::OrnShift => shifted!(or_not),
                Op::OrnImmS => to_rd!(imm_s!(or_not)),
                Op::OrnRegS => to_rd!(reg_s!(or_not)),
                Op::OrnShiftS => to_rd!(shifted_s!(or_not)),
                Op::EorImm => imm!(exclusive_or),
                Op::EorReg => reg!(exclusive_or),
                Op::EorShift => shifted!(exclusive_or),
                Op::EorImmS => to_rd!(imm_s!(exclusive_or)),
                Op::EorRegS => to_rd!(reg_s!(exclusive_or)),
                Op::EorShiftS => to_rd!(shifted_s!(exclusive_or)),
                Op::MovImm => imm!(second),
                Op::MovReg => reg!(second),
                Op::MovShift => shifted!(second),
                Op::MovImmS => to_rd!(imm_s!(second)),
                Op::MovRegS => to_rd!(reg_s!(second)),
                Op::MovShiftS => to_rd!(shifted_s!(second)),
                Op::MvnImm => imm!(second_not),
                Op::MvnReg => reg!(second_not),
                Op::MvnShift => shifted!(second_not),
                Op::MvnImmS => to_rd!(imm_s!(second_not)),
                Op::MvnRegS => to_rd!(reg_s!(second_not)),
                Op::MvnShiftS => to_rd!(shifted_s!(second_not)),
                Op::TstImm => _ = imm_s!(and),
                Op::TstReg => _ = reg_s!(and),
                Op::TstShift => _ = shifted_s!(and),
                Op::TeqImm => _ = imm_s!(exclusive_or),
                Op::TeqReg => _ = reg_s!(exclusive_or),
                Op::TeqShift => _ = shifted_s!(exclusive_or),

                Op::AddImm => sum!(insn.imm, plus),
                Op::AddReg => sum!(rm!(), plus),
                Op::AddShift => sum!(operand_shift!(), plus),
                Op::AddImmS => to_rd!(sum_s!(insn.imm, plus)),
                Op::AddRegS => to_rd!(sum_s!(rm!(), plus)),
                Op::AddShiftS => to_rd!(sum_s!(operand_shift!(), plus)),
                Op::AdcImm => sum!(insn.imm, plus_c),
                Op::AdcReg => sum!(rm!(), plus_c),
                Op::AdcShift => sum!(operand_shift!(), plus_c),
                Op::AdcImmS => to_rd!(sum_s!(insn.imm, plus_c)),
                Op::AdcRegS => to_rd!(sum_s!(rm!(), plus_c)),
                Op::AdcShiftS => to_rd!(sum_s!(operand_shift!(), plus_c)),
                Op::SubImm => sum!(insn.imm, minus),
                Op::SubReg => sum!(rm!(), minus),
                Op::SubShift => sum!(operand_shift!(), minus),
                Op::SubImmS => to_rd!(sum_s!(insn.imm, minus)),
                Op::SubRegS => to_rd!(sum_s!(rm!(), minus)),
                Op::SubShiftS => to_rd!(sum_s!(operand_shift!(), minus)),
                Op::SbcImm => sum!(insn.imm, minus_c),
                Op::SbcReg => sum!(rm!(), minus_c),
                Op::SbcShift => sum!(operand_shift!(), minus_c),
                Op::SbcImmS => to_rd!(sum_s!(insn.imm, minus_c)),
                Op::SbcRegS => to_rd!(sum_s!(rm!(), minus_c)),
                Op::SbcShiftS => to_rd!(sum_s!(operand_shift!(), minus_c)),
                Op::RsbImm => sum!(insn.imm, reverse),
                Op::RsbReg => sum!(rm!(), reverse),
                Op::RsbShift => sum!(operand_shift!(), reverse),
                Op::RsbImmS => to_rd!(sum_s!(insn.imm, reverse)),
                Op::RsbRegS => to_rd!(sum_s!(rm!(), reverse)),
                Op::RsbShiftS => to_rd!(sum_s!(operand_shift!(), reverse)),
                Op::CmpImm => _ = sum_s!(insn.imm, minus),
                Op::CmpReg => _ = sum_s!(rm!(), minus),
                Op::CmpShift => _ = sum_s!(operand_shift!(), minus),
                Op::CmnImm => _ = sum_s!(insn.imm, plus),
                Op::CmnReg => _ = sum_s!(rm!(), plus),
                Op::CmnShift => _ = sum_s!(operand_shift!(), plus),

                Op::RscImm => sum!(insn.imm, reverse_c),
                Op::RscReg => sum!(rm!(), reverse_c),
                Op::RscShift => sum!(operand_shift!(), reverse_c),
                Op::RscImmS => to_rd!(sum_s!(insn.imm, reverse_c)),
                Op::RscRegS => to_rd!(sum_s!(rm!(), reverse_c)),
                Op::RscShiftS => to_rd!(sum_s!(operand_shift!(), reverse_c)),
                Op::DataShiftedByReg => {
                    let r = p.regs();
                    let (value, amount) = (r.get(insn.rm), r.get(insn.ra) & 0xff);
                    let (operand, carry) = match insn.imm >> 8 & 3 {
                        0 => lsl_c(value, amount, r.c),
                        1 => lsr_c(value, amount, r.c),
                        2 => asr_c(value, amount, r.c),
                        _ => ror_c(value, amount, r.c),
                    };
                    let a = r.get(insn.rn);
                    let value = data_processing(r, insn.imm & 15, insn.imm & 16 != 0, a, operand, carry);
                    // Comparisons have no destination.
                    if insn.imm & 12 != 8 {
                        r.set(insn.rd, value);
                    }
                }

                Op::EorLsl => reg!(|a: u32, b: u32| a ^ b << (insn.imm & 31)),
                Op::EorLsr => reg!(|a: u32, b: u32| a ^ b >> (insn.imm & 31)),
                Op::EorRor => reg!(|a: u32, b: u32| a ^ b.rotate_right(insn.imm)),
                Op::BicRor => reg!(|a: u32, b: u32| a & !b.rotate_right(insn.imm)),
                Op::AndRor => reg!(|a: u32, b: u32| a & b.rotate_right(insn.imm)),
                Op::OrrLsl => reg!(|a: u32, b: u32| a | b << (insn.imm & 31)),
                Op::OrrLsr => reg!(|a: u32, b: u32| a | b >> (insn.imm & 31)),
                Op::AddLsl => reg!(|a: u32, b: u32| a.wrapping_add(b << (insn.imm & 31))),
                Op::AddLsr => reg!(|a: u32, b: u32| a.wrapping_add(b >> (insn.imm & 31))),
                Op::AddAsr => reg!(|a: u32, b: u32| a.wrapping_add((b as i32 >> (insn.imm & 31)) as u32)),
                Op::AddRor => reg!(|a: u32, b: u32| a.wrapping_add(b.rotate_right(insn.imm))),
                Op::SubLsl => reg!(|a: u32, b: u32| a.wrapping_sub(b << (insn.imm & 31))),
                Op::SubAsr => reg!(|a: u32, b: u32| a.wrapping_sub((b as i32 >> (insn.imm & 31)) as u32)),
                Op::LslImm => unary!(|b: u32| b << (insn.imm & 31)),
                Op::LsrImm => unary!(|b: u32| b >> (insn.imm & 31)),
                Op::AsrImm => unary!(|b: u32| (b as i32 >> (insn.imm & 31)) as u32),
                Op::RorImm => unary!(|b: u32| b.rotate_right(insn.imm)),
                Op::Movt => {
                    let r = p.regs();
                    let value = r.get(insn.rd) & 0xffff | insn.imm << 16;
                    r.set(insn.rd, value);
                }
                Op::LslReg => by_register!(lsl_c, false),
                Op::LslRegS => by_register!(lsl_c, true),
                Op::LsrReg => by_register!(lsr_c, false),
                Op::LsrRegS => by_register!(lsr_c, true),
                Op::AsrReg => by_register!(asr_c, false),
                Op::AsrRegS => by_register!(asr_c, true),
                Op::RorReg => by_register!(ror_c, false),
                Op::RorRegS => by_register!(ror_c, true),

                Op::Mul => reg!(|a: u32, b: u32| a.wrapping_mul(b)),
                Op::MulS => {
                    let r = p.regs();
                    let value = r.get(insn.rn).wrapping_mul(r.get(insn.rm));
                    r.nz(value);
                    r.set(insn.rd, value);
                }
                Op::Mla => {
                    let r = p.regs();
                    let product = r.get(insn.rn).wrapping_mul(r.get(insn.rm));
                    let value = r.get(insn.ra).wrapping_add(product);
                    r.set(insn.rd, value);
                }
                Op::Mls => {
                    let r = p.regs();
                    let product = r.get(insn.rn).wrapping_mul(r.get(insn.rm));
                    let value = r.get(insn.ra).wrapping_sub(product);
                    r.set(insn.rd, value);
                }
                Op::MultiplyFlags => {
                    let r = p.regs();
                    let (a, b, pair) = (r.get(insn.rn), r.get(insn.rm), r.pair(insn.rd, insn.ra));
                    if insn.imm == 1 {
                        let value = a.wrapping_mul(b).wrapping_add(r.get(insn.ra));
                        r.nz(value);
                        r.set(insn.rd, value);
                    } else {
                        let signed = (i64::from(a as i32) * i64::from(b as i32)) as u64;
                        let product = if insn.imm & 2 != 0 { signed } else { u64::from(a) * u64::from(b) };
                        let value = if insn.imm & 1 != 0 { pair.wrapping_add(product) } else { product };
                        r.n = (value >> 32) as u32;
                        r.z = (value | value >> 32) as u32;
                        r.set_pair(insn.rd, insn.ra, value);
                    }
                }
                Op::Smull => long!(|a: u32, b: u32, _| (i64::from(a as i32) * i64::from(b as i32)) as u64),
                Op::Umull => long!(|a: u32, b: u32, _| u64::from(a) * u64::from(b)),
                Op::Smlal => long!(|a: u32, b: u32, acc: u64| {
                    acc.wrapping_add((i64::from(a as i32) * i64::from(b as i32)) as u64)
                }),
                Op::Umlal => long!(|a: u32, b: u32, acc: u64| acc.wrapping_add(u64::from(a) * u64::from(b))),
                Op::Umaal => {
                    long!(|a: u32, b: u32, acc: u64| u64::from(a) * u64::from(b)
                        + (acc & 0xffff_ffff)
                        + (acc >> 32))
                }
                Op::SmulXy => {
                    reg!(|a: u32, b: u32| (half(a, insn.imm >> 1) * half(b, insn.imm)) as u32)
                }
                Op::SmlaXy => {
                    let r = p.regs();
                    let product = half(r.get(insn.rn), insn.imm >> 1) * half(r.get(insn.rm), insn.imm);
                    let value = r.accumulate_q(product + i64::from(r.get(insn.ra) as i32));
                    r.set(insn.rd, value);
                }
                Op::SmlalXy => long!(|a: u32, b: u32, acc: u64| {
                    acc.wrapping_add((half(a, insn.imm >> 1) * half(b, insn.imm)) as u64)
                }),
                Op::SmulW => reg!(|a: u32, b: u32| ((i64::from(a as i32) * half(b, insn.imm)) >> 16) as u32),
                Op::SmlaW => {
                    let r = p.regs();
                    let product = (i64::from(r.get(insn.rn) as i32) * half(r.get(insn.rm), insn.imm)) >> 16;
                    let value = r.accumulate_q(product + i64::from(r.get(insn.ra) as i32));
                    r.set(insn.rd, value);
                }
                Op::Smuad | Op::Smusd | Op::Smlad | Op::Smlsd => {
                    let r = p.regs();
                    let (a0, a1) = halves(r.get(insn.rn), 0);
                    let (b0, b1) = halves(r.get(insn.rm), insn.imm);
                    let products = if matches!(op, Op::Smuad | Op::Smlad) {
                        a0 * b0 + a1 * b1
                    } else {
                        a0 * b0 - a1 * b1
                    };
                    let addend = if matches!(op, Op::Smlad | Op::Smlsd) {
                        i64::from(r.get(insn.ra) as i32)
                    } else {
                        0
                    };
                    let value = r.accumulate_q(products + addend);
                    r.set(insn.rd, value);
                }
                Op::Smlald => long!(|a: u32, b: u32, acc: u64| {
                    let ((a0, a1), (b0, b1)) = (halves(a, 0), halves(b, insn.imm));
                    acc.wrapping_add((a0 * b0 + a1 * b1) as u64)
                }),
                Op::Smlsld => long!(|a: u32, b: u32, acc: u64| {
                    let ((a0, a1), (b0, b1)) = (halves(a, 0), halves(b, insn.imm));
                    acc.wrapping_add((a0 * b0 - a1 * b1) as u64)
                }),
                Op::Smmul | Op::Smmla | Op::Smmls => {
                    let r = p.regs();
                    let product = i64::from(r.get(insn.rn) as i32) * i64::from(r.get(insn.rm) as i32);
                    let addend = i64::from(r.get(insn.ra) as i32) << 32;
                    let exact = match op {
                        Op::Smmul => product,
                        Op::Smmla => addend.wrapping_add(product),
                        _ => addend.wrapping_sub(product),
                    };
                    let rounded = exact.wrapping_add(i64::from(insn.imm) << 31);
                    r.set(insn.rd, (rounded >> 32) as u32);
                }
                Op::Usad8 | Op::Usada8 => {
                    let r = p.regs();
                    let (a, b) = (r.get(insn.rn).to_le_bytes(), r.get(insn.rm).to_le_bytes());
                    let sum: u32 = a.iter().zip(b).map(|(x, y)| u32::from(x.abs_diff(y))).sum();
                    let addend = if op == Op::Usada8 { r.get(insn.ra) } else { 0 };
                    r.set(insn.rd, addend.wrapping_add(sum));
                }
                Op::Sdiv | Op::Udiv => {
                    let r = p.regs();
                    let (a, b) = (r.get(insn.rn), r.get(insn.rm));
                    if b == 0 && p.divide_traps() {
                        leave!(Exit::Fault(Cause::DivideByZero));
                    }
                    let signed = op == Op::Sdiv;
                    p.divide_time(a, b, signed);
                    r!().set(insn.rd, divide(a, b, signed));
                }
                Op::Clz => unary!(|b: u32| b.leading_zeros()),
                Op::Rbit => unary!(|b: u32| b.reverse_bits()),
                Op::Rev => unary!(|b: u32| b.swap_bytes()),
                Op::Rev16 => unary!(|b: u32| (b & 0x00ff_00ff) << 8 | b >> 8 & 0x00ff_00ff),
                Op::Revsh => unary!(|b: u32| (b as u16).swap_bytes() as i16 as u32),
                Op::Bfi | Op::Bfc => {
                    let r = p.regs();
                    let (lsb, width) = (insn.imm & 31, insn.imm >> 8);
                    let mask = (u32::MAX >> (32 - width)) << lsb;
                    let source = if op == Op::Bfi { r.get(insn.rn) << lsb } else { 0 };
                    let value = r.get(insn.rd) & !mask | source & mask;
                    r.set(insn.rd, value);
                }
                Op::Ubfx => {
                    let r = p.regs();
                    let value = r.get(insn.rn) >> (insn.imm & 31) & u32::MAX >> (32 - (insn.imm >> 8));
                    r.set(insn.rd, value);
                }
                Op::Sbfx => {
                    let r = p.regs();
                    let (lsb, width) = (insn.imm & 31, insn.imm >> 8);
                    let value = ((r.get(insn.rn) << (32 - lsb - width)) as i32 >> (32 - width)) as u32;
                    r.set(insn.rd, value);
                }
                Op::Ssat | Op::Usat => {
                    let r = p.regs();
                    let (operand, _) = shift_c(r.get(insn.rn), insn.imm, r.c);
                    let (value, bits) = (i64::from(operand as i32), insn.ra.into());
                    let value =
                        if op == Op::Ssat { r.signed_sat(value, bits) } else { r.unsigned_sat(value, bits) };
                    r.set(insn.rd, value);
                }
                Op::Ssat16 | Op::Usat16 => {
                    let r = p.regs();
                    let (low, high) = halves(r.get(insn.rn), 0);
                    let bits = insn.ra.into();
                    let (low, high) = if op == Op::Ssat16 {
                        (r.signed_sat(low, bits), r.signed_sat(high, bits))
                    } else {
                        (r.unsigned_sat(low, bits), r.unsigned_sat(high, bits))
                    };
                    r.set(insn.rd, high << 16 | low & 0xffff);
                }
                Op::Qadd | Op::Qsub | Op::Qdadd | Op::Qdsub => {
                    let r = p.regs();
                    let (m, mut n) = (i64::from(r.get(insn.rm) as i32), i64::from(r.get(insn.rn) as i32));
                    if matches!(op, Op::Qdadd | Op::Qdsub) {
                        n = i64::from(r.signed_sat(2 * n, 32) as i32);
                    }
                    let exact = if matches!(op, Op::Qadd | Op::Qdadd) { m + n } else { m - n };
                    let value = r.signed_sat(exact, 32);
                    r.set(insn.rd, value);
                }
                Op::Sel => {
                    let r = p.regs();
                    let value = r.get(insn.rn) & r.ge | r.get(insn.rm) & !r.ge;
                    r.set(insn.rd, value);
                }
                Op::Pkhbt => reg!(|a: u32, b: u32| a & 0xffff | b << (insn.imm & 31) & 0xffff_0000),
                Op::Pkhtb => {
                    reg!(|a: u32, b: u32| a & 0xffff_0000 | (b as i32 >> insn.imm.min(31)) as u32 & 0xffff)
                }
                Op::Sxtb => unary!(|b: u32| sbyte!(b.rotate_right(insn.imm))),
                Op::Sxth => unary!(|b: u32| shalf!(b.rotate_right(insn.imm))),
                Op::Uxtb => unary!(|b: u32| b.rotate_right(insn.imm) & 0xff),
                Op::Uxth => unary!(|b: u32| b.rotate_right(insn.imm) & 0xffff),
                Op::Sxtb16 => unary!(|b: u32| {
                    let b = b.rotate_right(insn.imm);
                    sbyte!(b) & 0xffff | sbyte!((b >> 16)) << 16
                }),
                Op::Uxtb16 => unary!(|b: u32| b.rotate_right(insn.imm) & 0x00ff_00ff),
                Op::Sxtab => extend_add!(|a: u32, b: u32| a.wrapping_add(sbyte!(b))),
                Op::Sxtah => extend_add!(|a: u32, b: u32| a.wrapping_add(shalf!(b))),
                Op::Uxtab => extend_add!(|a: u32, b: u32| a.wrapping_add(b & 0xff)),
                Op::Uxtah => extend_add!(|a: u32, b: u32| a.wrapping_add(b & 0xffff)),
                Op::Sxtab16 => extend_add!(|a: u32, b: u32| {
                    a.wrapping_add(sbyte!(b)) & 0xffff | (a >> 16).wrapping_add(sbyte!((b >> 16))) << 16
                }),
                Op::Uxtab16 => extend_add!(|a: u32, b: u32| {
                    a.wrapping_add(b & 0xff) & 0xffff | (a >> 16).wrapping_add(b >> 16 & 0xff) << 16
                }),
                Op::Parallel => parallel(p.regs(), insn),

                Op::LdrImm => load!(address_imm!(), 4, word),
                Op::LdrbImm => load!(address_imm!(), 1, word),
                Op::LdrhImm => load!(address_imm!(), 2, word),
                Op::LdrsbImm => load!(address_imm!(), 1, |v: u32| sbyte!(v)),
                Op::LdrshImm => load!(address_imm!(), 2, |v: u32| shalf!(v)),
                Op::LdrReg => load!(address_reg!(), 4, word),
                Op::LdrbReg => load!(address_reg!(), 1, word),
                Op::LdrhReg => load!(address_reg!(), 2, word),
                Op::LdrsbReg => load!(address_reg!(), 1, |v: u32| sbyte!(v)),
                Op::LdrshReg => load!(address_reg!(), 2, |v: u32| shalf!(v)),
                Op::LdrLit => load!(insn.imm, 4, word),
                Op::LdrbLit => load!(insn.imm, 1, word),
                Op::LdrhLit => load!(insn.imm, 2, word),
                Op::LdrsbLit => load!(insn.imm, 1, |v: u32| sbyte!(v)),
                Op::LdrshLit => load!(insn.imm, 2, |v: u32| shalf!(v)),
                Op::LdrWb => load_wb!(4, word),
                Op::LdrbWb => load_wb!(1, word),
                Op::LdrhWb => load_wb!(2, word),
                Op::LdrsbWb => load_wb!(1, |v: u32| sbyte!(v)),
                Op::LdrshWb => load_wb!(2, |v: u32| shalf!(v)),
                Op::StrImm => store!(address_imm!(), 4),
                Op::StrbImm => store!(address_imm!(), 1),
                Op::StrhImm => store!(address_imm!(), 2),
                Op::StrReg => store!(address_reg!(), 4),
                Op::StrbReg => store!(address_reg!(), 1),
                Op::StrhReg => store!(address_reg!(), 2),
                Op::StrWb => store_wb!(4),
                Op::StrbWb => store_wb!(1),
                Op::StrhWb => store_wb!(2),
                Op::LoadIndexed => {
                    let (address, moved) = r!().indexed(insn);
                    let bytes = 1 << (insn.imm >> INDEXED_SIZE & 3);
                    let value = attempt!(match bytes {
                        _ if insn.imm & INDEXED_UNPRIVILEGED != 0 =>
                            p.load_unprivileged(address, bytes, insn),
                        1 => p.load::<1>(address, insn),
                        2 => p.load::<2>(address, insn),
                        4 => p.load::<4>(address, insn),
                        _ => p.load::<4>(aligned!(address), insn),
                    });
                    let second =
                        if bytes == 8 { attempt!(p.load::<4>(address.wrapping_add(4), insn)) } else { 0 };
                    let r = p.regs();
                    if insn.imm & INDEXED_WRITE_BACK != 0 {
                        r.set(insn.rn, moved);
                    }
                    r.set(
                        insn.rd,
                        match (bytes, insn.imm & INDEXED_SIGNED != 0) {
                            (1, true) => sbyte!(value),
                            (2, true) => shalf!(value),
                            _ => value,
                        },
                    );
                    if bytes == 8 {
                        r.set(insn.rd + 1, second);
                    }
                    if insn.rd == 15 {
                        interwork!(value)
                    }
                }
                Op::StoreIndexed => {
                    let (address, moved) = r!().indexed(insn);
                    let bytes = 1 << (insn.imm >> INDEXED_SIZE & 3);
                    let value = r!().get(insn.rd);
                    let mut look = attempt!(match bytes {
                        _ if insn.imm & INDEXED_UNPRIVILEGED != 0 => {
                            p.store_unprivileged(address, bytes, value, insn)
                        }
                        1 => p.store::<1>(address, value, insn),
                        2 => p.store::<2>(address, value, insn),
                        4 => p.store::<4>(address, value, insn),
                        _ => p.store::<4>(aligned!(address), value, insn),
                    });
                    if bytes == 8 {
                        let second = r!().get(insn.rd + 1);
                        look |= attempt!(p.store::<4>(address.wrapping_add(4), second, insn));
                    }
                    if insn.imm & INDEXED_WRITE_BACK != 0 {
                        r!().set(insn.rn, moved);
                    }
                    if look {
                        leave!(Exit::LookUp);
                    }
                }
                Op::LdrUnprivileged => {
                    let address = address_imm!();
                    let value = attempt!(p.load_unprivileged(address, 1 << (insn.ra & 3), insn));
                    let value = match insn.ra {
                        4 => sbyte!(value),
                        5 => shalf!(value),
                        _ => value,
                    };
                    r!().set(insn.rd, value);
                }
                Op::StrUnprivileged => {
                    let address = address_imm!();
                    let value = r!().get(insn.rd);
                    if attempt!(p.store_unprivileged(address, 1 << insn.ra, value, insn)) {
                        leave!(Exit::LookUp);
                    }
                }
                Op::LdrPcImm => {
                    let address = address_imm!();
                    let target = attempt!(p.load::<4>(address, insn));
                    interwork!(target)
                }
                Op::LdrPcReg => {
                    let address = address_reg!();
                    let target = attempt!(p.load::<4>(address, insn));
                    interwork!(target)
                }
                Op::LdrPcLit => {
                    let target = attempt!(p.load::<4>(insn.imm, insn));
                    interwork!(target)
                }
                Op::LdrPcWb => {
                    let base = r!().get(insn.rn);
                    let moved = base.wrapping_add(insn.imm);
                    let target = attempt!(p.load::<4>(if insn.ra != 0 { moved } else { base }, insn));
                    r!().set(insn.rn, moved);
                    interwork!(target)
                }
                Op::Ldrd | Op::LdrdPre | Op::LdrdPost | Op::LdrdLit => {
                    let base = r!().get(insn.rn);
                    let moved = base.wrapping_add(insn.imm);
                    let address = aligned!(match op {
                        Op::LdrdPost => base,
                        Op::LdrdLit => insn.imm,
                        _ => moved,
                    });
                    let first = attempt!(p.load::<4>(address, insn));
                    let second = attempt!(p.load::<4>(address.wrapping_add(4), &insn.behind_first()));
                    let r = p.regs();
                    if matches!(op, Op::LdrdPre | Op::LdrdPost) {
                        r.set(insn.rn, moved);
                    }
                    r.set(insn.rd, first);
                    r.set(insn.ra, second);
                }
                Op::Strd | Op::StrdPre | Op::StrdPost => {
                    let r = p.regs();
                    let (base, first, second) = (r.get(insn.rn), r.get(insn.rd), r.get(insn.ra));
                    let moved = base.wrapping_add(insn.imm);
                    let address = aligned!(if op == Op::StrdPost { base } else { moved });
                    let mut look = attempt!(p.store::<4>(address, first, insn));
                    look |= attempt!(p.store::<4>(address.wrapping_add(4), second, insn));
                    if op != Op::Strd {
                        r!().set(insn.rn, moved);
                    }
                    if look {
                        leave!(Exit::LookUp);
                    }
                }
                Op::Ldm | Op::LdmPc => {
                    let base = r!().get(insn.rn);
                    let bytes = 4 * insn.imm.count_ones();
                    let (start, moved) = if insn.ra & 2 != 0 {
                        (base.wrapping_sub(bytes), base.wrapping_sub(bytes))
                    } else {
                        (base, base.wrapping_add(bytes))
                    };
                    let mut address = aligned!(start.wrapping_add(u32::from(insn.ra & 4)));
                    let mut values = [0; 16];
                    let mut list = insn.imm & 0xffff;
                    let (mut word, behind) = (insn, insn.behind_first());
                    while list != 0 {
                        let n = list.trailing_zeros() as usize;
                        values[n & 15] = attempt!(p.load::<4>(address, word));
                        word = &behind;
                        address = address.wrapping_add(4);
                        list &= list - 1;
                    }
                    let r = p.regs();
                    if insn.ra & 1 != 0 {
                        r.set(insn.rn, moved);
                    }
                    let mut list = insn.imm & 0x7fff;
                    while list != 0 {
                        let n = list.trailing_zeros() as usize;
                        r.r[n & 15] = values[n & 15];
                        list &= list - 1;
                    }
                    if op == Op::LdmPc {
                        interwork!(values[15])
                    }
                }
                Op::Stm => {
                    let base = r!().get(insn.rn);
                    let bytes = 4 * insn.imm.count_ones();
                    let (start, moved) = if insn.ra & 2 != 0 {
                        (base.wrapping_sub(bytes), base.wrapping_sub(bytes))
                    } else {
                        (base, base.wrapping_add(bytes))
                    };
                    let mut address = aligned!(start.wrapping_add(u32::from(insn.ra & 4)));
                    let mut list = insn.imm & 0xffff;
                    let mut look = false;
                    while list != 0 {
                        let n = list.trailing_zeros() as u8;
                        let value = r!().get(n);
                        look |= attempt!(p.store::<4>(address, value, insn));
                        address = address.wrapping_add(4);
                        list &= list - 1;
                    }
                    if insn.ra & 1 != 0 {
                        let r = p.regs();
                        r.set(insn.rn, moved);
                        if insn.rn == 13 && r.note_sp() {
                            leave!(Exit::StackLimit);
                        }
                    }
                    if look {
                        leave!(Exit::LookUp);
                    }
                }
                Op::Ldrex => {
                    let address = address_imm!();
                    if address & ((1 << insn.ra) - 1) != 0 {
                        p.unaligned(address);
                        leave!(Exit::Abort);
                    }
                    let value = attempt!(match insn.ra {
                        0 => p.load::<1>(address, insn),
                        1 => p.load::<2>(address, insn),
                        _ => p.load::<4>(address, insn),
                    });
                    let r = p.regs();
                    r.exclusive = Some(address);
                    r.set(insn.rd, value);
                }
                Op::Strex => {
                    let address = address_imm!();
                    if address & ((1 << insn.ra) - 1) != 0 {
                        p.unaligned(address);
                        leave!(Exit::Abort);
                    }
                    // The monitor of a single core tags no address: any tag will do (DDI 0403E, A3.4.1).
                    let fails = r!().exclusive.is_none();
                    let mut look = false;
                    if !fails {
                        let value = r!().get(insn.rd);
                        look = attempt!(match insn.ra {
                            0 => p.store::<1>(address, value, insn),
                            1 => p.store::<2>(address, value, insn),
                            _ => p.store::<4>(address, value, insn),
                        });
                    }
                    let r = p.regs();
                    r.exclusive = None;
                    r.set(insn.rm, fails.into());
                    if look {
                        leave!(Exit::LookUp);
                    }
                }
                Op::Ldrexd => {
                    let address = r!().get(insn.rn);
                    if address & 7 != 0 {
                        p.unaligned(address);
                        leave!(Exit::Abort);
                    }
                    let first = attempt!(p.load::<4>(address, insn));
                    let second = attempt!(p.load::<4>(address.wrapping_add(4), insn));
                    let r = p.regs();
                    r.exclusive = Some(address);
                    r.set(insn.rd, first);
                    r.set(insn.ra, second);
                }
                Op::Strexd => {
                    let address = r!().get(insn.rn);
                    if address & 7 != 0 {
                        p.unaligned(address);
                        leave!(Exit::Abort);
                    }
                    let fails = r!().exclusive.is_none();
                    let mut look = false;
                    if !fails {
                        let r = p.regs();
                        let (first, second) = (r.get(insn.rd), r.get(insn.ra));
                        look = attempt!(p.store::<4>(address, first, insn));
                        look |= attempt!(p.store::<4>(address.wrapping_add(4), second, insn));
                    }
                    let r = p.regs();
                    r.exclusive = None;
                    r.set(insn.rm, fails.into());
                    if look {
                        leave!(Exit::LookUp);
                    }
                }
                Op::Clrex => r!().exclusive = None,
                Op::Tbb | Op::TbbPc => {
                    let r = p.regs();
                    let base = if op == Op::Tbb { r.get(insn.rn) } else { insn.imm };
                    let address = base.wrapping_add(r.get(insn.rm));
                    let halfwords = attempt!(p.load::<1>(address, insn));
                    branch!(insn.imm.wrapping_add(2 * halfwords))
                }
                Op::Tbh | Op::TbhPc => {
                    let r = p.regs();
                    let base = if op == Op::Tbh { r.get(insn.rn) } else { insn.imm };
                    let address = base.wrapping_add(r.get(insn.rm) << 1);
                    let halfwords = attempt!(p.load::<2>(address, insn));
                    branch!(insn.imm.wrapping_add(2 * halfwords))
                }

                Op::B => branch!(insn.imm),
                Op::Bcond => {
                    if r!().holds(insn.cond) {
                        branch!(insn.imm)
                    }
                }
                Op::Cbz => {
                    if r!().get(insn.rn) == 0 {
                        branch!(insn.imm)
                    }
                }
                Op::Cbnz => {
                    if r!().get(insn.rn) != 0 {
                        branch!(insn.imm)
                    }
                }
                Op::Bl => {
                    let r = p.regs();
                    r.r[14] = r.pc.wrapping_add(2 * u32::from(insn.offset) + 4) | r.thumb;
                    branch!(insn.imm)
                }
                Op::Bx => {
                    let target = rm!();
                    interwork!(target)
                }
                Op::Blx => {
                    let r = p.regs();
                    let target = r.get(insn.rm);
                    r.r[14] = insn.imm;
                    if target & 1 != r.thumb {
                        r.pc = target;
                        leave!(Exit::Special)
                    }
                    branch!(target & !1)
                }
                Op::BlxImm => {
                    let r = p.regs();
                    if insn.ra == 0 {
                        r.r[14] = r.pc.wrapping_add(2 * u32::from(insn.offset) + 4) | r.thumb;
                    }
                    r.pc = insn.imm;
                    leave!(Exit::Special)
                }
                Op::MovPc => {
                    let target = rm!().wrapping_add(insn.imm) & !1;
                    branch!(target)
                }
                Op::It | Op::Nop => {}

                Op::Vadd | Op::Vsub | Op::Vmul | Op::Vnmul | Op::Vdiv | Op::Vsqrt => {
                    ready!();
                    single(p.regs(), op, insn);
                }
                Op::Vmla | Op::Vmls | Op::Vnmla | Op::Vnmls | Op::Vfma | Op::Vfms | Op::Vfnma | Op::Vfnms => {
                    ready!();
                    single(p.regs(), op, insn);
                }
                Op::Vabs | Op::Vneg | Op::VmovReg | Op::VmovImm | Op::Vcmp => {
                    ready!();
                    single(p.regs(), op, insn);
                }
                Op::VcvtToInt | Op::VcvtFromInt | Op::VcvtToFixed | Op::VcvtFromFixed => {
                    ready!();
                    single(p.regs(), op, insn);
                }
                Op::VcvtHalfToSingle | Op::VcvtSingleToHalf => {
                    ready!();
                    single(p.regs(), op, insn);
                }
                Op::VcvtSingleToDouble | Op::VcvtDoubleToSingle | Op::Double => {
                    ready!();
                    double(p.regs(), op, insn);
                }
                Op::Neon => {
                    ready!();
                    neon::execute(p.regs(), insn.imm);
                }
                Op::NeonTransfer => {
                    ready!();
                    neon::transfer(p.regs(), insn.imm);
                }
                Op::NeonMemory => {
                    ready!();
                    if attempt!(neon::memory(p, insn)) {
                        leave!(Exit::LookUp);
                    }
                }
                Op::VmovToCore => {
                    ready!();
                    let r = p.regs();
                    r.set(insn.rd, r.fp(insn.rn));
                }
                Op::VmovFromCore => {
                    ready!();
                    let r = p.regs();
                    r.set_fp(insn.rn, r.get(insn.rd));
                }
                Op::VmovPairToCore => {
                    ready!();
                    let r = p.regs();
                    r.set(insn.rd, r.fp(insn.rn));
                    r.set(insn.ra, r.fp(insn.rn + 1));
                }
                Op::VmovPairFromCore => {
                    ready!();
                    let r = p.regs();
                    r.set_fp(insn.rn, r.get(insn.rd));
                    r.set_fp(insn.rn + 1, r.get(insn.ra));
                }
                Op::Vldr | Op::VldrLit => {
                    ready!();
                    let address = if op == Op::Vldr { address_imm!() } else { insn.imm };
                    let address = aligned!(address);
                    let first = attempt!(p.load::<4>(address, insn));
                    if insn.ra == 2 {
                        let second = attempt!(p.load::<4>(address.wrapping_add(4), &insn.behind_first()));
                        r!().set_fp(insn.rd + 1, second);
                    }
                    r!().set_fp(insn.rd, first);
                }
                Op::Vstr => {
                    ready!();
                    let address = aligned!(address_imm!());
                    let first = r!().fp(insn.rd);
                    let mut look = attempt!(p.store::<4>(address, first, insn));
                    if insn.ra == 2 {
                        let second = r!().fp(insn.rd + 1);
                        look |= attempt!(p.store::<4>(address.wrapping_add(4), second, insn));
                    }
                    if look {
                        leave!(Exit::LookUp);
                    }
                }
                Op::Vldm | Op::Vstm => {
                    ready!();
                    let base = r!().get(insn.rn);
                    let (start, moved) = if insn.ra & 2 != 0 {
                        (base.wrapping_sub(insn.imm), base.wrapping_sub(insn.imm))
                    } else {
                        (base, base.wrapping_add(insn.imm))
                    };
                    let mut address = aligned!(start);
                    let mut look = false;
                    let (mut word, behind) = (insn, insn.behind_first());
                    for n in insn.rd..insn.rd + insn.rm {
                        if op == Op::Vldm {
                            let value = attempt!(p.load::<4>(address, word));
                            word = &behind;
                            r!().set_fp(n, value);
                        } else {
                            let value = r!().fp(n);
                            look |= attempt!(p.store::<4>(address, value, insn));
                        }
                        address = address.wrapping_add(4);
                    }
                    if insn.ra & 1 != 0 {
                        let r = p.regs();
                        r.set(insn.rn, moved);
                        if insn.rn == 13 && r.note_sp() {
                            leave!(Exit::StackLimit);
                        }
                    }
                    if look {
                        leave!(Exit::LookUp);
                    }
                }
                Op::Vmrs => {
                    ready!();
                    let r = p.regs();
                    if insn.rd == 15 {
                        let flags = r.fpscr;
                        r.n = flags;
                        r.z = u32::from(flags & 1 << 30 == 0);
                        r.c = flags >> 29 & 1;
                        r.v = flags << 3;
                    } else {
                        r.set(insn.rd, r.fpscr);
                    }
                }
                Op::Vmsr => {
                    ready!();
                    let r = p.regs();
                    r.fpscr = r.get(insn.rd) & fp::WRITABLE;
                }

                Op::Cond | Op::CondSp | Op::CondPc => {
                    // Opaque, or the compiler works the flags out ahead of every instruction, as the way back to `match`
                    // does not change them: a tenth of the time of all.
                    let r = std::hint::black_box(p.regs());
                    if r.holds(insn.cond) {
                        op = match op {
                            Op::Cond => insn.inner,
                            Op::CondSp => Op::Sp,
                            _ => Op::Pc,
                        };
                        continue;
                    }
                    // It takes one cycle then, whatever it would have taken.
                    let before = index.checked_sub(1).and_then(|i| code.get(i)).map_or(0, |i| i.end);
                    p.save_time(insn.end.saturating_sub(before + 1).into());
                }
                Op::Sp => {
                    let r = p.regs();
                    match insn.inner {
                        Op::SubImm if insn.rn == 13 => {
                            r.r[13] = r.r[13].wrapping_sub(insn.imm) & P::SP_BITS;
                        }
                        Op::AddImm if insn.rn == 13 => {
                            r.r[13] = r.r[13].wrapping_add(insn.imm) & P::SP_BITS;
                        }
                        inner => {
                            let one = [Insn { op: inner, ..*insn }];
                            let outcome = execute(p, &one, 0);
                            if !matches!(outcome.exit, Exit::End | Exit::LookUp) {
                                leave!(outcome.exit);
                            }
                            let r = p.regs();
                            r.r[13] &= P::SP_BITS;
                            if outcome.exit == Exit::LookUp {
                                leave!(if r.note_sp() { Exit::StackLimit } else { Exit::LookUp });
                            }
                        }
                    }
                    if r!().note_sp() {
                        leave!(Exit::StackLimit);
                    }
                }

                Op::Pc => {
                    let r = p.regs();
                    r.r[15] = r.pc.wrapping_add(2 * u32::from(insn.offset) + 8);
                    let one = [Insn { op: insn.inner, ..*insn }];
                    let outcome = execute(p, &one, 0);
                    match outcome.exit {
                        Exit::End if insn.rd == 15 && !is_store(insn.inner) => {
                            let target = r!().r[15];
                            interwork!(target)
                        }
                        Exit::End => {}
                        exit => leave!(exit),
                    }
                }

                Op::Svc
                | Op::Smc
                | Op::MrsBanked
                | Op::MsrBanked
                | Op::ChangeState
                | Op::Barrier
                | Op::SetEnd
                | Op::Srs
                | Op::Rfe
                | Op::LdmUser
                | Op::LdmReturn
                | Op::StmUser
                | Op::DataReturn
                | Op::RegisterTransfer
                | Op::FpSystem
                | Op::Bkpt
                | Op::Cps
                | Op::Mrs
                | Op::Msr
                | Op::Wfi
                | Op::Wfe
                | Op::Sev
                | Op::Isb
                | Op::Coprocessor
                | Op::Undefined
                | Op::Unpredictable
                | Op::FetchFault => leave!(Exit::System),
            }
            break;
        }
        index += 1;
    }
    Outcome { exit: Exit::End, index }
}
