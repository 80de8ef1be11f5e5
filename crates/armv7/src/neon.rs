// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Advanced SIMD as compilers use it (ARM DDI 0406C, A7), executed from the A32 encoding.
//!
//! Integers, bits, tables, permutations, and single precision as far as it is addition, multiplication, comparison and
//! conversion. Left out: estimates and steps of reciprocals and roots, absolute comparisons, half precision and the long
//! product of polynomials. [`supported`] says no to them and to what is UNDEFINED.

use crate::decode::{bit, bits};
use crate::execute::{Abort, Port};
use crate::fp::{self, SINGLE};
use crate::insn::Insn;
use crate::regs::Regs;

/// FPSCR.QC.
const QC: u32 = 1 << 27;

/// The D registers of an encoding: D, N, M.
fn registers(raw: u32) -> (u8, u8, u8) {
    let number = |low: u32, extra: u32| (bits(raw, low + 3, low) | (raw >> extra & 1) << 4) as u8;
    (number(12, 22), number(16, 7), number(0, 5))
}

const fn mask(size: u32) -> u64 {
    u64::MAX >> (64 - size)
}

const fn sign_extend(value: u64, size: u32) -> i64 {
    (value << (64 - size)) as i64 >> (64 - size)
}

/// A lane as a number.
const fn number(value: u64, size: u32, unsigned: bool) -> i128 {
    if unsigned { (value & mask(size)) as i128 } else { sign_extend(value, size) as i128 }
}

/// Lanes of `size` bits of one D register.
fn map(size: u32, a: u64, mut f: impl FnMut(u64) -> u64) -> u64 {
    zip(size, a, 0, |x, _| f(x))
}

fn zip(size: u32, a: u64, b: u64, mut f: impl FnMut(u64, u64) -> u64) -> u64 {
    let mut result = 0;
    for shift in (0..64).step_by(size as usize) {
        let value = f(a >> shift & mask(size), b >> shift & mask(size));
        result |= (value & mask(size)) << shift;
    }
    result
}

/// Clamps to `size` bits and notes it.
fn saturate(value: i128, size: u32, unsigned: bool, fpscr: &mut u32) -> u64 {
    let (low, high) = if unsigned {
        (0, i128::from(mask(size)))
    } else {
        (-(1i128 << (size - 1)), (1i128 << (size - 1)) - 1)
    };
    let result = value.clamp(low, high);
    if result != value {
        *fpscr |= QC;
    }
    result as u64
}

/// `value` shifted left by `amount`, or right and rounded if asked for.
fn shift(value: i128, amount: i32, round: bool) -> i128 {
    if amount >= 64 {
        value.signum() << 100 // nothing is left of it but that it is too large
    } else if amount >= 0 {
        value << amount
    } else {
        let right = (-amount).min(100) as u32;
        (value + if round { 1 << (right - 1) } else { 0 }) >> right
    }
}

/// Arithmetic on two single-precision numbers under the standard FPSCR: default NaNs, flush to zero, to nearest.
fn float(r: &mut Regs, f: impl Fn(u64, u64, &mut u32) -> u64, a: u64, b: u64) -> u64 {
    let mut standard = r.fpscr & 0x9f | fp::DN | fp::FZ;
    let value = f(a, b, &mut standard);
    r.fpscr |= standard & 0x9f;
    value
}

/// FPMax() and FPMin(), with denormals flushed.
fn extreme(a: u64, b: u64, greater: bool, fpscr: &mut u32) -> u64 {
    let flush = |x: u64| if x & 0x7f80_0000 == 0 { x & SINGLE.sign() } else { x };
    let flags = fp::compare(SINGLE, a, b, false, fpscr) >> 28;
    let (a, b) = (flush(a), flush(b));
    match flags {
        3 => fp::add(SINGLE, a, b, fpscr), // a NaN
        2 => {
            if greater {
                a
            } else {
                b
            }
        }
        8 => {
            if greater {
                b
            } else {
                a
            }
        }
        // Of zeros of different sign the positive one is the greater.
        _ => {
            if greater {
                a & b
            } else {
                a | b
            }
        }
    }
}

/// Whether there is such an instruction and it is modelled.
pub(crate) fn supported(raw: u32) -> bool {
    // Registers thrown away say whether the encoding means anything.
    data(&mut Regs::new(), raw).is_some()
}

/// Executes a data-processing instruction that is [`supported`].
pub(crate) fn execute(r: &mut Regs, raw: u32) {
    let _ = data(r, raw);
}

/// Executes a data-processing instruction, or says that it is not one.
fn data(r: &mut Regs, raw: u32) -> Option<()> {
    let quad = bit(raw, 6);
    if !bit(raw, 23) {
        return three_same(r, raw);
    }
    if bit(raw, 4) {
        return if bit(raw, 7) || bits(raw, 21, 19) != 0 { shifted(r, raw) } else { immediate(r, raw) };
    }
    if bits(raw, 21, 20) != 3 {
        return if quad { by_scalar(r, raw) } else { lengths(r, raw) };
    }
    let (d, n, m) = registers(raw);
    if !bit(raw, 24) {
        // VEXT
        let from = 8 * bits(raw, 11, 8);
        if !quad {
            let both = u128::from(r.double(m)) << 64 | u128::from(r.double(n));
            if from >= 64 {
                return None;
            }
            r.set_double(d, (both >> from) as u64);
            return Some(());
        }
        let (low, high) = (r.quad(n)?, r.quad(m)?);
        return r.set_quad(d, if from == 0 { low } else { low >> from | high << (128 - from) });
    }
    if !bit(raw, 11) {
        return miscellaneous(r, raw);
    }
    if !bit(raw, 10) {
        // VTBL, VTBX
        let count = bits(raw, 9, 8) as u8 + 1;
        if n + count > 32 {
            return None;
        }
        let table: Vec<u8> = (0..count).flat_map(|i| r.double(n + i).to_le_bytes()).collect();
        let old = if quad { r.double(d) } else { 0 };
        let value =
            zip(8, r.double(m), old, |index, old| table.get(index as usize).map_or(old, |&b| b.into()));
        r.set_double(d, value);
        return Some(());
    }
    if bits(raw, 11, 8) != 12 || bit(raw, 7) {
        return None;
    }
    // VDUP (scalar)
    let imm4 = bits(raw, 19, 16);
    let size = match imm4.trailing_zeros() {
        n @ 0..=2 => 8u32 << n,
        _ => return None,
    };
    let value = r.double(m) >> (size * (imm4 >> (imm4.trailing_zeros() + 1))) & mask(size);
    let value = map(size, 0, |_| value);
    for i in 0..doubles(raw, d)? {
        r.set_double(d + i, value);
    }
    Some(())
}

/// How many D registers an operation covers; the registers of quadwords must be even.
fn doubles(raw: u32, numbers: u8) -> Option<u8> {
    match bit(raw, 6) {
        true if numbers & 1 != 0 => None,
        true => Some(2),
        false => Some(1),
    }
}

impl Regs {
    fn quad(&self, n: u8) -> Option<u128> {
        (n & 1 == 0).then(|| u128::from(self.double(n + 1)) << 64 | u128::from(self.double(n)))
    }

    fn set_quad(&mut self, n: u8, value: u128) -> Option<()> {
        if n & 1 != 0 {
            return None;
        }
        self.set_double(n, value as u64);
        self.set_double(n + 1, (value >> 64) as u64);
        Some(())
    }
}

/// A7.4.1: three registers of the same length.
fn three_same(r: &mut Regs, raw: u32) -> Option<()> {
    let (d, n, m) = registers(raw);
    let count = doubles(raw, d | n | m)?;
    let (u, size_field, opcode, b) = (bit(raw, 24), bits(raw, 21, 20), bits(raw, 11, 8), bit(raw, 4));
    let size = 8u32 << size_field;
    if opcode >= 13 {
        return three_floats(r, raw, count);
    }
    let pairwise = matches!((opcode, b), (10, _) | (11, true));
    if pairwise && (count == 2 || size == 64) {
        return None;
    }
    let value = |x: u64| number(x, size, u);
    for i in 0..count {
        let (x, y, z) = (r.double(n + i), r.double(m + i), r.double(d + i));
        // Pairs of lanes of both operands, one after the other.
        let pairs = |f: &dyn Fn(i128, i128) -> i128| {
            let lanes = 64 / size;
            let mut result = 0;
            for lane in 0..lanes {
                let (from, at) = if lane < lanes / 2 { (x, lane) } else { (y, lane - lanes / 2) };
                let low = from >> (2 * at * size) & mask(size);
                let high = from >> ((2 * at + 1) * size) & mask(size);
                result |= (f(value(low), value(high)) as u64 & mask(size)) << (lane * size);
            }
            result
        };
        let q = &mut r.fpscr;
        let lane = |f: &dyn Fn(i128, i128) -> i128| zip(size, x, y, |a, b| f(value(a), value(b)) as u64);
        let accumulate = |f: &dyn Fn(i128, i128) -> i128, subtract: bool| {
            let part = zip(size, x, y, |a, b| f(value(a), value(b)) as u64);
            zip(size, z, part, |a, b| if subtract { a.wrapping_sub(b) } else { a.wrapping_add(b) })
        };
        let ones = |condition: bool| if condition { -1 } else { 0 };
        let result = match (opcode, b) {
            (1, true) => match (u, size_field) {
                (false, 0) => x & y,
                (false, 1) => x & !y,
                (false, 2) => x | y,
                (false, _) => x | !y,
                (true, 0) => x ^ y,
                (true, 1) => z & x | !z & y,
                (true, 2) => x & y | z & !y,
                (true, _) => z & y | x & !y,
            },
            (0, true) => zip(size, x, y, |a, b| saturate(value(a) + value(b), size, u, q)),
            (2, true) => zip(size, x, y, |a, b| saturate(value(a) - value(b), size, u, q)),
            (4 | 5, _) => zip(size, y, x, |a, by| {
                // The first operand is M here; the amount is the low byte of N's lane.
                let (amount, round) = (by as i8 as i32, opcode == 5);
                let exact = shift(value(a), amount, round);
                if b { saturate(exact, size, u, q) } else { exact as u64 }
            }),
            (8, false) if u => lane(&|a, b| a - b),
            (8, false) => lane(&|a, b| a + b),
            _ if size == 64 => return None,
            (0, false) => lane(&|a, b| (a + b) >> 1),
            (1, false) => lane(&|a, b| (a + b + 1) >> 1),
            (2, false) => lane(&|a, b| (a - b) >> 1),
            (3, false) => lane(&|a, b| ones(a > b)),
            (3, true) => lane(&|a, b| ones(a >= b)),
            (6, false) => lane(&i128::max),
            (6, true) => lane(&i128::min),
            (7, false) => lane(&|a, b| (a - b).abs()),
            (7, true) => accumulate(&|a, b| (a - b).abs(), false),
            (8, true) if u => lane(&|a, b| ones(a == b)),
            (8, true) => lane(&|a, b| ones(a & b != 0)),
            (9, false) => accumulate(&|a, b| a * b, u),
            (9, true) if u && size != 8 => return None,
            (9, true) if u => {
                zip(8, x, y, |a, b| (0..8).fold(0, |sum, i| sum ^ if b >> i & 1 != 0 { a << i } else { 0 }))
            }
            (9, true) => lane(&|a, b| a * b),
            (10, false) => pairs(&i128::max),
            (10, true) => pairs(&i128::min),
            (11, true) if !u => pairs(&|a, b| a + b),
            (11, false) if size_field == 1 || size_field == 2 => {
                let signed = |x| number(x, size, false);
                zip(size, x, y, |a, b| doubling_high(signed(a), signed(b), size, u, q))
            }
            _ => return None,
        };
        // Pairwise operations read both operands before anything is written: they are one D register.
        r.set_double(d + i, result);
    }
    Some(())
}

/// VQDMULH and VQRDMULH of one lane.
fn doubling_high(a: i128, b: i128, size: u32, round: bool, fpscr: &mut u32) -> u64 {
    let product = 2 * a * b + if round { 1 << (size - 1) } else { 0 };
    saturate(product >> size, size, false, fpscr)
}

fn three_floats(r: &mut Regs, raw: u32, count: u8) -> Option<()> {
    let (d, n, m) = registers(raw);
    let (u, opcode, b, second) = (bit(raw, 24), bits(raw, 11, 8), bit(raw, 4), bit(raw, 21));
    if bit(raw, 20) {
        return None;
    }
    let ones = |condition: bool| if condition { 0xffff_ffff } else { 0 };
    let pairwise = matches!((opcode, b, u, second), (13, false, true, false) | (15, false, true, _));
    if pairwise && count == 2 {
        return None;
    }
    for i in 0..count {
        let (mut x, mut y, z) = (r.double(n + i), r.double(m + i), r.double(d + i));
        if pairwise {
            (x, y) = (x & mask(32) | y << 32, x >> 32 | y & !mask(32));
        }
        let compare = move |f: fn(u32) -> bool, signal: bool| {
            move |a: u64, b: u64, s: &mut u32| ones(f(fp::compare(SINGLE, a, b, signal, s) >> 28))
        };
        macro_rules! lanes {
            ($f:expr) => {{
                let f = $f;
                zip(32, x, y, |a, b| float(r, &f, a, b))
            }};
        }
        let result = match (opcode, b, u, second) {
            (13, false, false, false) | (13, false, true, false) => {
                lanes!(|a, b, s: &mut u32| fp::add(SINGLE, a, b, s))
            }
            (13, false, false, true) => lanes!(|a, b, s: &mut u32| fp::sub(SINGLE, a, b, s)),
            (13, false, true, true) => lanes!(|a, b, s: &mut u32| fp::sub(SINGLE, a, b, s) & !SINGLE.sign()),
            (13, true, true, false) => lanes!(|a, b, s: &mut u32| fp::mul(SINGLE, a, b, s)),
            (13, true, false, _) => {
                let product = lanes!(|a, b, s: &mut u32| fp::mul(SINGLE, a, b, s));
                zip(32, z, product, |a, b| {
                    float(
                        r,
                        |a, b, s| fp::add(SINGLE, a, if second { fp::neg(SINGLE, b) } else { b }, s),
                        a,
                        b,
                    )
                })
            }
            (14, false, false, false) => lanes!(compare(|f| f == 6, false)),
            (14, false, true, false) => lanes!(compare(|f| f == 6 || f == 2, true)),
            (14, false, true, true) => lanes!(compare(|f| f == 2, true)),
            (15, false, _, _) => lanes!(|a, b, s: &mut u32| extreme(a, b, !second, s)),
            _ => return None,
        };
        r.set_double(d + i, result);
    }
    Some(())
}

/// A7.4.2: three registers of different lengths.
fn lengths(r: &mut Regs, raw: u32) -> Option<()> {
    let (d, n, m) = registers(raw);
    let (u, opcode) = (bit(raw, 24), bits(raw, 11, 8));
    let size = 8u32 << bits(raw, 21, 20);
    let wide = 2 * size;
    let lane = |value: u64, i: u32| number(value >> (i * size), size, u);
    let lanes = 64 / size;
    if matches!(opcode, 4 | 6) {
        // The high half of a sum, rounded if U is set
        let (x, y) = (r.quad(n)?, r.quad(m)?);
        let mut result = 0;
        for i in 0..lanes {
            let wide_lane = |value: u128| (value >> (i * wide)) as u64 & mask(wide);
            let (a, b) = (i128::from(wide_lane(x)), i128::from(wide_lane(y)));
            let sum = if opcode == 4 { a + b } else { a - b } + if u { 1 << (size - 1) } else { 0 };
            result |= ((sum >> size) as u64 & mask(size)) << (i * size);
        }
        r.set_double(d, result);
        return Some(());
    }
    let (x, y) = (if matches!(opcode, 1 | 3) { r.quad(n)? } else { r.double(n).into() }, r.double(m));
    let old = r.quad(d)?;
    let mut result = 0u128;
    for i in 0..lanes {
        let was = number((old >> (i * wide)) as u64, wide, false);
        let (a, b) = (lane(x as u64, i), lane(y, i));
        let wide_a = number((x >> (i * wide)) as u64, wide, u);
        let value = match opcode {
            0 => a + b,
            1 => wide_a + b,
            2 => a - b,
            3 => wide_a - b,
            5 => was + (a - b).abs(),
            7 => (a - b).abs(),
            _ => multiply_long(opcode, [a, b, was], (size, u), &mut r.fpscr)?,
        };
        result |= u128::from(value as u64 & mask(wide)) << (i * wide);
    }
    r.set_quad(d, result)
}

/// The long products, by their number among [`lengths`].
fn multiply_long(opcode: u32, [a, b, was]: [i128; 3], (size, u): (u32, bool), q: &mut u32) -> Option<i128> {
    if opcode & 1 != 0 && (u || size == 8) {
        return None;
    }
    let wide = 2 * size;
    let doubled = |q: &mut u32| number(saturate(2 * a * b, wide, false, q), wide, false);
    Some(match opcode {
        8 => was + a * b,
        10 => was - a * b,
        12 => a * b,
        9 => {
            let product = doubled(q);
            number(saturate(was + product, wide, false, q), wide, false)
        }
        11 => {
            let product = doubled(q);
            number(saturate(was - product, wide, false, q), wide, false)
        }
        13 => doubled(q),
        _ => return None,
    })
}

/// A7.4.3: two registers and a scalar.
fn by_scalar(r: &mut Regs, raw: u32) -> Option<()> {
    let (d, n, _) = registers(raw);
    let (u, opcode) = (bit(raw, 24), bits(raw, 11, 8));
    let size = 8u32 << bits(raw, 21, 20);
    let scalar = match size {
        16 => r.double(bits(raw, 2, 0) as u8) >> (16 * (raw >> 3 & 1 | (raw >> 5 & 1) << 1)) & 0xffff,
        32 => r.double(bits(raw, 3, 0) as u8) >> (32 * (raw >> 5 & 1)) & mask(32),
        _ => return None,
    };
    if matches!(opcode, 2 | 3 | 6 | 7 | 10 | 11) {
        let as_lengths = [(2, 8), (3, 9), (6, 10), (7, 11), (10, 12), (11, 13)];
        let (_, opcode) = as_lengths.into_iter().find(|o| o.0 == opcode)?;
        let (x, old) = (r.double(n), r.quad(d)?);
        let mut result = 0;
        for i in 0..64 / size {
            let a = number(x >> (i * size), size, u);
            let was = number((old >> (2 * i * size)) as u64, 2 * size, false);
            let operands = [a, number(scalar, size, u), was];
            let value = multiply_long(opcode, operands, (size, u), &mut r.fpscr)?;
            result |= u128::from(value as u64 & mask(2 * size)) << (2 * i * size);
        }
        return r.set_quad(d, result);
    }
    // U is Q here.
    if u && (d | n) & 1 != 0 || matches!(opcode, 1 | 5 | 9) && size != 32 {
        return None;
    }
    let signed = number(scalar, size, false);
    for i in 0..if u { 2 } else { 1 } {
        let (x, z) = (r.double(n + i), r.double(d + i));
        let result = match opcode {
            0 => zip(size, z, x, |z, a| z.wrapping_add(a.wrapping_mul(scalar))),
            4 => zip(size, z, x, |z, a| z.wrapping_sub(a.wrapping_mul(scalar))),
            8 => map(size, x, |a| a.wrapping_mul(scalar)),
            1 | 5 => zip(size, z, x, |z, a| {
                let product = float(r, |a, b, s| fp::mul(SINGLE, a, b, s), a, scalar);
                let product = if opcode == 5 { fp::neg(SINGLE, product) } else { product };
                float(r, |a, b, s| fp::add(SINGLE, a, b, s), z, product)
            }),
            9 => map(size, x, |a| float(r, |a, b, s| fp::mul(SINGLE, a, b, s), a, scalar)),
            12 | 13 => {
                let q = &mut r.fpscr;
                map(size, x, |a| doubling_high(number(a, size, false), signed, size, opcode == 13, q))
            }
            _ => return None,
        };
        r.set_double(d + i, result);
    }
    Some(())
}

/// A7.4.4: two registers and a shift.
fn shifted(r: &mut Regs, raw: u32) -> Option<()> {
    let (d, _, m) = registers(raw);
    let (u, opcode, imm6) = (bit(raw, 24), bits(raw, 11, 8), bits(raw, 21, 16));
    let size = if bit(raw, 7) { 64 } else { 8 << (imm6.ilog2() - 3) };
    let left = (imm6 & (size - 1)) as i32;
    let right = if size == 64 { 64 - imm6 as i32 } else { 2 * size as i32 - imm6 as i32 };
    match opcode {
        8 | 9 => {
            // Narrowing: of lanes of twice the size
            if size == 64 {
                return None;
            }
            let (wide, round) = (2 * size, bit(raw, 6));
            let source = r.quad(m)?;
            let mut result = 0;
            for i in 0..64 / size {
                let value = (source >> (i * wide)) as u64 & mask(wide);
                let exact = shift(number(value, wide, u && opcode == 9), -right, round);
                let value = match (opcode, u) {
                    (8, false) => exact as u64,
                    (8, true) => saturate(exact, size, true, &mut r.fpscr),
                    _ => saturate(exact, size, u, &mut r.fpscr),
                };
                result |= (value & mask(size)) << (i * size);
            }
            r.set_double(d, result);
            return Some(());
        }
        10 => {
            // VSHLL, VMOVL
            if size == 64 || bit(raw, 6) {
                return None;
            }
            let source = r.double(m);
            let mut result = 0;
            for i in 0..64 / size {
                let value = number(source >> (i * size), size, u) << left;
                result |= u128::from(value as u64 & mask(2 * size)) << (2 * i * size);
            }
            return r.set_quad(d, result);
        }
        _ => {}
    }
    let count = doubles(raw, d | m)?;
    for i in 0..count {
        let (x, z) = (r.double(m + i), r.double(d + i));
        let value = |a| number(a, size, u);
        let q = &mut r.fpscr;
        let result = match opcode {
            0 | 2 => map(size, x, |a| shift(value(a), -right, opcode == 2) as u64),
            1 | 3 => zip(size, x, z, |a, z| z.wrapping_add(shift(value(a), -right, opcode == 3) as u64)),
            4 if u => {
                let kept = if right == size as i32 { mask(size) } else { !(mask(size) >> right) };
                zip(size, x, z, |a, z| z & kept | shift(a.into(), -right, false) as u64)
            }
            5 if u => zip(size, x, z, |a, z| z & !(u64::MAX << left) | a << left),
            5 => map(size, x, |a| a << left),
            6 if u => map(size, x, |a| saturate(number(a, size, false) << left, size, true, q)),
            7 => map(size, x, |a| saturate(value(a) << left, size, u, q)),
            14 if size == 32 => map(size, x, |a| {
                float(r, |a, _, s| fp::from_fixed(SINGLE, a as u32, (32, right as u32), !u, true, s), a, 0)
            }),
            15 if size == 32 => map(size, x, |a| {
                float(r, |a, _, s| fp::to_fixed(SINGLE, a, (32, right as u32), !u, true, s).into(), a, 0)
            }),
            _ => return None,
        };
        r.set_double(d + i, result);
    }
    Some(())
}

/// A7.4.6: one register and a modified immediate.
fn immediate(r: &mut Regs, raw: u32) -> Option<()> {
    let (d, ..) = registers(raw);
    let imm8 = u64::from(bits(raw, 3, 0) | bits(raw, 18, 16) << 4 | (raw >> 24 & 1) << 7);
    let (cmode, op) = (bits(raw, 11, 8), bit(raw, 5));
    let twice = |value: u64| value << 32 | value;
    let value = match cmode {
        0..=7 => twice(imm8 << (8 * (cmode >> 1))),
        8..=11 => imm8 << (8 * (cmode >> 1 & 1)) & 0xffff,
        12 => twice(imm8 << 8 | 0xff),
        13 => twice(imm8 << 16 | 0xffff),
        14 if op => {
            (0..8).fold(0, |value, i| if imm8 >> i & 1 != 0 { value | 0xff << (8 * i) } else { value })
        }
        14 => imm8.wrapping_mul(0x0101_0101_0101_0101),
        _ if op => return None,
        _ => twice(crate::decode::expand_fp_immediate(imm8 as u32).into()),
    };
    let value = if matches!(cmode, 8..=11) { value.wrapping_mul(0x0001_0001_0001_0001) } else { value };
    for i in 0..doubles(raw, d)? {
        let old = r.double(d + i);
        let result = match (cmode & 1 != 0 && cmode < 12, op) {
            (true, false) => old | value,
            (true, true) => old & !value,
            (false, true) if cmode < 14 => !value,
            _ => value,
        };
        r.set_double(d + i, result);
    }
    Some(())
}

/// A7.4.5: two registers, miscellaneous.
fn miscellaneous(r: &mut Regs, raw: u32) -> Option<()> {
    let (d, _, m) = registers(raw);
    let (a, b) = (bits(raw, 17, 16), bits(raw, 10, 7));
    let size_field = bits(raw, 19, 18);
    let size = 8u32 << size_field;
    if a == 2 && b >= 4 {
        return narrow(r, raw);
    }
    let count = doubles(raw, d | m)?;
    if a == 2 {
        return permute(r, raw, count);
    }
    let is_float = a == 1 && bit(raw, 10) || a == 3;
    if size == 64 || is_float && size != 32 {
        return None;
    }
    for i in 0..count {
        let (x, z) = (r.double(m + i), r.double(d + i));
        let signed = |a: u64| number(a, size, false);
        let ones = |condition: bool| if condition { u64::MAX } else { 0 };
        let sums = |base: u64| {
            let unsigned = b & 1 != 0;
            let halves = |v: u64| {
                let part = |n| number(v >> (n * size), size, unsigned);
                (part(0) + part(1)) as u64
            };
            zip(2 * size, x, base, |v, z| z.wrapping_add(halves(v)))
        };
        let result = match (a, b) {
            (0, 0..=2) => {
                // VREV64, VREV32, VREV16: lanes turned round within a group
                let group = 64 >> b;
                if size >= group {
                    return None;
                }
                map(group, x, |v| {
                    (0..group / size).fold(0, |out, n| out << size | v >> (n * size) & mask(size))
                })
            }
            (0, 4 | 5) => sums(0),
            (0, 12 | 13) => sums(z),
            (0, 8) => map(size, x, |v| {
                let v = if v >> (size - 1) != 0 { !v } else { v } & mask(size);
                u64::from(v.leading_zeros() - (64 - size)) - 1
            }),
            (0, 9) => map(size, x, |v| u64::from(v.leading_zeros() - (64 - size))),
            (0, 10) if size == 8 => map(8, x, |v| v.count_ones().into()),
            (0, 11) if size == 8 => !x,
            (0, 14) => {
                let q = &mut r.fpscr;
                map(size, x, |v| saturate(signed(v).abs(), size, false, q))
            }
            (0, 15) => {
                let q = &mut r.fpscr;
                map(size, x, |v| saturate(-signed(v), size, false, q))
            }
            (1, 0) => map(size, x, |v| ones(signed(v) > 0)),
            (1, 1) => map(size, x, |v| ones(signed(v) >= 0)),
            (1, 2) => map(size, x, |v| ones(signed(v) == 0)),
            (1, 3) => map(size, x, |v| ones(signed(v) <= 0)),
            (1, 4) => map(size, x, |v| ones(signed(v) < 0)),
            (1, 6) => map(size, x, |v| signed(v).unsigned_abs() as u64),
            (1, 7) => map(size, x, |v| v.wrapping_neg()),
            (1, 8..=12) => {
                let holds = |flags: u32| match b {
                    8 => flags == 2,
                    9 => flags == 2 || flags == 6,
                    10 => flags == 6,
                    11 => flags == 8 || flags == 6,
                    _ => flags == 8,
                };
                map(32, x, |v| {
                    float(r, |v, _, s| ones(holds(fp::compare(SINGLE, v, 0, b != 10, s) >> 28)), v, 0)
                })
            }
            (1, 14) => map(32, x, |v| v & !SINGLE.sign()),
            (1, 15) => map(32, x, |v| v ^ SINGLE.sign()),
            (3, 12 | 13) => map(32, x, |v| {
                float(r, |v, _, s| fp::from_fixed(SINGLE, v as u32, (32, 0), b == 12, true, s), v, 0)
            }),
            (3, 14 | 15) => map(32, x, |v| {
                float(r, |v, _, s| fp::to_fixed(SINGLE, v, (32, 0), b == 14, true, s).into(), v, 0)
            }),
            _ => return None,
        };
        r.set_double(d + i, result);
    }
    Some(())
}

/// VMOVN, VQMOVN, VQMOVUN and VSHLL by the lane size.
fn narrow(r: &mut Regs, raw: u32) -> Option<()> {
    let (d, _, m) = registers(raw);
    let (b, q) = (bits(raw, 10, 7), bit(raw, 6));
    let size = 8u32 << bits(raw, 19, 18);
    if size == 64 {
        return None;
    }
    if b == 6 && !q {
        let source = r.double(m);
        let mut result = 0;
        for i in 0..64 / size {
            result |= u128::from((source >> (i * size) & mask(size)) << size) << (2 * i * size);
        }
        return r.set_quad(d, result);
    }
    let source = r.quad(m)?;
    let mut result = 0;
    for i in 0..64 / size {
        let value = (source >> (2 * i * size)) as u64 & mask(2 * size);
        let value = match (b, q) {
            (4, false) => value,
            (4, true) => saturate(number(value, 2 * size, false), size, true, &mut r.fpscr),
            (5, unsigned) => saturate(number(value, 2 * size, unsigned), size, unsigned, &mut r.fpscr),
            _ => return None,
        };
        result |= (value & mask(size)) << (i * size);
    }
    r.set_double(d, result);
    Some(())
}

/// VSWP, VTRN, VUZP, VZIP.
fn permute(r: &mut Regs, raw: u32, count: u8) -> Option<()> {
    let (d, _, m) = registers(raw);
    let size = 8u32 << bits(raw, 19, 18);
    let which = bits(raw, 10, 7);
    let whole = 64 * u32::from(count);
    let read = |r: &Regs, n: u8| if count == 2 { r.quad(n) } else { Some(r.double(n).into()) };
    let (x, y) = (read(r, d)?, read(r, m)?);
    let lanes = whole / size;
    let lane = |value: u128, n: u32| value >> (n * size) & u128::from(mask(size));
    let both = |n: u32| if n < lanes { lane(x, n) } else { lane(y, n - lanes) };
    if which == 0 && size != 8 || which != 0 && (size == 64 || which != 1 && size == 32 && count == 1) {
        return None;
    }
    let (mut first, mut second) = (0u128, 0u128);
    for n in 0..lanes {
        let (f, s) = match which {
            0 => (lane(y, n), lane(x, n)),
            1 if n & 1 == 0 => (lane(x, n), lane(x, n + 1)),
            1 => (lane(y, n - 1), lane(y, n)),
            2 => (both(2 * n), both(2 * n + 1)),
            _ => {
                let zipped = |k: u32| if k & 1 == 0 { lane(x, k / 2) } else { lane(y, k / 2) };
                (zipped(n), zipped(n + lanes))
            }
        };
        first |= f << (n * size);
        second |= s << (n * size);
    }
    // VSWP's results are the other way round only by name; with one register twice the second result stays.
    for i in 0..count {
        r.set_double(d + i, (first >> (64 * u32::from(i))) as u64);
    }
    for i in 0..count {
        r.set_double(m + i, (second >> (64 * u32::from(i))) as u64);
    }
    Some(())
}

/// Whether a transfer between a core register and a scalar, or VDUP from a core register, has a right encoding.
pub(crate) fn transfer_supported(raw: u32) -> bool {
    let t = bits(raw, 15, 12);
    if t == 13 || t == 15 || raw & 15 != 0 {
        return false;
    }
    if bit(raw, 20) {
        // To the core: U:opc1:opc2 of bytes, halfwords and signed or not
        return scalar_lane(raw).is_some_and(|(size, _)| !(size == 32 && bit(raw, 23)));
    }
    if bit(raw, 23) {
        // VDUP: a size, and an even register if it is a quadword
        let odd_quad = bit(raw, 21) && bit(raw, 16);
        let no_size = bit(raw, 6) || bit(raw, 22) && bit(raw, 5);
        return !odd_quad && !no_size;
    }
    scalar_lane(raw).is_some()
}

/// Size and number of the lane that opc1 and opc2 name.
fn scalar_lane(raw: u32) -> Option<(u32, u32)> {
    let selector = bits(raw, 22, 21) << 2 | bits(raw, 6, 5);
    Some(match selector {
        s if s & 8 != 0 => (8, s & 7),
        s if s & 1 != 0 => (16, s >> 1 & 3),
        s if s & 3 == 0 => (32, s >> 2 & 1),
        _ => return None,
    })
}

/// VMOV between a core register and a scalar, VDUP from a core register.
pub(crate) fn transfer(r: &mut Regs, raw: u32) {
    let (t, d) = (bits(raw, 15, 12) as u8, (bits(raw, 19, 16) | (raw >> 7 & 1) << 4) as u8);
    if !bit(raw, 20) && bit(raw, 23) {
        let size = if bit(raw, 22) {
            8
        } else if bit(raw, 5) {
            16
        } else {
            32
        };
        let lane = u64::from(r.get(t));
        let value = map(size, 0, |_| lane);
        for i in 0..if bit(raw, 21) { 2 } else { 1 } {
            r.set_double(d + i, value);
        }
        return;
    }
    let Some((size, lane)) = scalar_lane(raw) else { return };
    if bit(raw, 20) {
        let value = r.double(d) >> (size * lane) & mask(size);
        r.set(t, number(value, size, bit(raw, 23) || size == 32) as u32);
    } else {
        let hole = mask(size) << (size * lane);
        let value = r.double(d) & !hole | (u64::from(r.get(t)) & mask(size)) << (size * lane);
        r.set_double(d, value);
    }
}

/// The element or structure load or store of an encoding.
struct Access {
    /// Registers of a structure, and how far apart.
    structure: u8,
    step: u8,
    /// Registers one after the other for each element of the structure (VLD1).
    repeat: u8,
    /// log2 of the bytes of an element.
    size: u32,
    lanes: Lanes,
    /// Bytes that the address must be a multiple of.
    align: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Lanes {
    All,
    One(u32),
    /// One element to all lanes.
    Replicate,
}

fn access(raw: u32) -> Option<Access> {
    let (kind, d) = (bits(raw, 11, 8), registers(raw).0);
    let access = if !bit(raw, 23) {
        let (structure, repeat, step) = match kind {
            7 => (1, 1, 1),
            10 => (1, 2, 1),
            6 => (1, 3, 1),
            2 => (1, 4, 1),
            8 => (2, 1, 1),
            9 => (2, 1, 2),
            3 => (2, 2, 2),
            4 => (3, 1, 1),
            5 => (3, 1, 2),
            0 => (4, 1, 1),
            1 => (4, 1, 2),
            _ => return None,
        };
        let (size, align) = (bits(raw, 7, 6), bits(raw, 5, 4));
        let most = match kind {
            4..=7 => 1,
            8..=10 => 2,
            _ => 3,
        };
        if align > most || structure != 1 && size == 3 {
            return None;
        }
        Access {
            structure,
            step,
            repeat,
            size,
            lanes: Lanes::All,
            align: if align == 0 { 1 } else { 4 << align },
        }
    } else {
        let structure = kind as u8 % 4 + 1;
        let (index, a) = (bits(raw, 7, 4), bit(raw, 4));
        if kind >= 12 {
            if !bit(raw, 21) {
                return None;
            }
            let (size, wide) = (bits(raw, 7, 6), bit(raw, 5));
            let (size, align) = match (structure, size) {
                (1, 0) if a => return None,
                (1 | 2, 3) | (3, 3) => return None,
                (3, _) if a => return None,
                (4, 3) if !a => return None,
                (4, 3) => (2, 16),
                (4, 2) => (2, 8),
                (4, s) => (s, 4 << s),
                (n, s) => (s, u32::from(n) << s),
            };
            let align = if a { align } else { 1 };
            // VLD1 to all lanes: T says one register or two.
            let (repeat, step) =
                if structure == 1 { (1 + u8::from(wide), 1) } else { (1, 1 + u8::from(wide)) };
            Access { structure, step, repeat, size, lanes: Lanes::Replicate, align }
        } else {
            let size = kind >> 2;
            let (lane, step, align) = match size {
                0 => (index >> 1, 1, index & 1),
                1 => (index >> 2, 1 + (index >> 1 & 1) as u8, index & 1),
                _ => (index >> 3, 1 + (index >> 2 & 1) as u8, index & 3),
            };
            let bytes = 1 << size;
            let align = match (structure, size, align) {
                (_, _, 0) => 1,
                (1, 0, _) => return None,
                (1, 1, _) => 2,
                (1, 2, 3) => 4,
                (2, 2, 1) | (2, 0 | 1, _) => 2 * bytes,
                (4, 0 | 1, _) => 4 * bytes,
                (4, 2, 1) => 8,
                (4, 2, 2) => 16,
                _ => return None,
            };
            if structure == 1 && step == 2 {
                return None;
            }
            Access { structure, step, repeat: 1, size, lanes: Lanes::One(lane), align }
        }
    };
    let last =
        u32::from(d) + u32::from(access.step) * u32::from(access.structure - 1) + u32::from(access.repeat)
            - 1;
    (last < 32).then_some(access)
}

/// Whether an element or structure load or store has a right encoding.
pub(crate) fn memory_supported(raw: u32) -> bool {
    access(raw).is_some() && bits(raw, 19, 16) != 15
}

/// VLD1 to VLD4, VST1 to VST4. True if the core wants to look up.
pub(crate) fn memory<P: Port>(p: &mut P, insn: &Insn) -> Result<bool, Abort> {
    let raw = insn.imm;
    let Some(access) = access(raw) else { return Ok(false) };
    let (d, n, m) = (registers(raw).0, bits(raw, 19, 16) as u8, bits(raw, 3, 0) as u8);
    let base = p.regs().get(n);
    if !base.is_multiple_of(access.align) {
        return Err(p.unaligned(base));
    }
    let load = bit(raw, 21);
    let bytes = 1u32 << access.size;
    if bytes == 8 && base & 7 != 0 && p.checks_alignment() {
        return Err(p.unaligned(base));
    }
    let mut address = base;
    let mut look = false;
    let mut element = |p: &mut P, register: u8, lane: u32| -> Result<(), Abort> {
        let shift = 8 * bytes * lane;
        let width = mask(8 * bytes);
        if load {
            let mut value = u64::from(match bytes {
                1 => p.load::<1>(address, insn)?,
                2 => p.load::<2>(address, insn)?,
                _ => p.load::<4>(address, insn)?,
            });
            if bytes == 8 {
                value |= u64::from(p.load::<4>(address.wrapping_add(4), insn)?) << 32;
            }
            let old = p.regs().double(register);
            let new = match access.lanes {
                Lanes::Replicate => map(8 * bytes, 0, |_| value),
                _ => old & !(width << shift) | value << shift,
            };
            p.regs().set_double(register, new);
            if access.lanes == Lanes::Replicate && access.structure == 1 && access.repeat == 2 {
                p.regs().set_double(register + 1, new);
            }
        } else {
            let value = p.regs().double(register) >> shift & width;
            look |= match bytes {
                1 => p.store::<1>(address, value as u32, insn)?,
                2 => p.store::<2>(address, value as u32, insn)?,
                _ => p.store::<4>(address, value as u32, insn)?,
            };
            if bytes == 8 {
                look |= p.store::<4>(address.wrapping_add(4), (value >> 32) as u32, insn)?;
            }
        }
        address = address.wrapping_add(bytes);
        Ok(())
    };
    let repeats = if access.lanes == Lanes::Replicate { 1 } else { access.repeat };
    let lanes = match access.lanes {
        Lanes::All => 0..8 / bytes,
        Lanes::One(lane) => lane..lane + 1,
        Lanes::Replicate => 0..1,
    };
    for r in 0..repeats {
        for lane in lanes.clone() {
            for s in 0..access.structure {
                element(p, d + r + access.step * s, lane)?;
            }
        }
    }
    let moved = match m {
        15 => return Ok(look),
        13 => address,
        _ => base.wrapping_add(p.regs().get(m)),
    };
    p.regs().set(n, moved);
    Ok(look)
}
