// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Floating-point arithmetic (ARM DDI 0403E, A2.5; ARM DDI 0406C, A2.7), in integers: exact for every rounding mode, with
//! DN, FZ, AHP and the cumulative flags. The names of the pseudocode are kept (FPAdd, FPRound, …).

/// FPSCR fields.
pub(crate) const AHP: u32 = 1 << 26;
pub(crate) const DN: u32 = 1 << 25;
pub(crate) const FZ: u32 = 1 << 24;
const RMODE_SHIFT: u32 = 22;
pub(crate) const IDC: u32 = 1 << 7;
pub(crate) const IXC: u32 = 1 << 4;
pub(crate) const UFC: u32 = 1 << 3;
pub(crate) const OFC: u32 = 1 << 2;
pub(crate) const DZC: u32 = 1 << 1;
pub(crate) const IOC: u32 = 1;
/// What can be written.
pub(crate) const WRITABLE: u32 = 0xf7c0_009f;

/// An IEEE 754 format; numbers of it are in the low bits of a `u64`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Format {
    /// Bits of the exponent.
    exponent: u32,
    /// Bits of the fraction.
    fraction: u32,
}

pub(crate) const SINGLE: Format = Format { exponent: 8, fraction: 23 };
pub(crate) const DOUBLE: Format = Format { exponent: 11, fraction: 52 };

impl Format {
    pub(crate) const fn sign(self) -> u64 {
        1 << (self.exponent + self.fraction)
    }

    const fn infinity(self) -> u64 {
        ((1 << self.exponent) - 1) << self.fraction
    }

    const fn quiet(self) -> u64 {
        1 << (self.fraction - 1)
    }

    const fn default_nan(self) -> u64 {
        self.infinity() | self.quiet()
    }

    const fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    const fn signed(self, negative: bool, magnitude: u64) -> u64 {
        if negative { self.sign() | magnitude } else { magnitude }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Zero,
    Finite,
    Infinite,
    Quiet,
    Signalling,
}

/// A number taken apart: (-1)^sign * mantissa * 2^exponent, if it is finite and not zero.
#[derive(Clone, Copy)]
struct Unpacked {
    class: Class,
    sign: bool,
    exponent: i32,
    mantissa: u128,
}

/// FPUnpack(): denormals become zero under FZ, which is noted.
fn unpack(f: Format, x: u64, fpscr: &mut u32) -> Unpacked {
    let most = (1 << f.exponent) - 1;
    let fraction = x & ((1 << f.fraction) - 1);
    let (sign, exponent) = (x & f.sign() != 0, (x >> f.fraction & most) as i32);
    let number =
        |class, exponent, mantissa: u64| Unpacked { class, sign, exponent, mantissa: mantissa.into() };
    let scale = f.bias() + f.fraction as i32;
    match (exponent, fraction) {
        (0, 0) => number(Class::Zero, 0, 0),
        (0, _) if *fpscr & FZ != 0 => {
            *fpscr |= IDC;
            number(Class::Zero, 0, 0)
        }
        (0, _) => number(Class::Finite, 1 - scale, fraction),
        (e, 0) if e == most as i32 => number(Class::Infinite, 0, 0),
        (e, n) if e == most as i32 => {
            number(if n & f.quiet() != 0 { Class::Quiet } else { Class::Signalling }, 0, 0)
        }
        _ => number(Class::Finite, exponent - scale, fraction | 1 << f.fraction),
    }
}

/// FPProcessNaN().
fn process_nan(f: Format, x: u64, class: Class, fpscr: &mut u32) -> u64 {
    if class == Class::Signalling {
        *fpscr |= IOC;
    }
    if *fpscr & DN != 0 { f.default_nan() } else { x | f.quiet() }
}

/// FPProcessNaNs(): the first signalling operand, else the first quiet one.
fn process_nans(f: Format, operands: &[(u64, Class)], fpscr: &mut u32) -> Option<u64> {
    for wanted in [Class::Signalling, Class::Quiet] {
        if let Some(&(x, class)) = operands.iter().find(|o| o.1 == wanted) {
            return Some(process_nan(f, x, class, fpscr));
        }
    }
    None
}

fn invalid(f: Format, fpscr: &mut u32) -> u64 {
    *fpscr |= IOC;
    f.default_nan()
}

const fn rounding(fpscr: u32) -> u32 {
    fpscr >> RMODE_SHIFT & 3
}

/// Whether to round up in magnitude: `rest` is the part cut off, `half` its middle.
fn round_up(mode: u32, sign: bool, odd: bool, rest: u128, half: u128) -> bool {
    match mode {
        0 => rest > half || rest == half && odd,
        1 => rest != 0 && !sign,
        2 => rest != 0 && sign,
        _ => false,
    }
}

/// FPRound(): (-1)^sign * mantissa * 2^exponent, with bit 0 of the mantissa sticky and the mantissa not zero.
fn round(f: Format, sign: bool, exponent: i32, mantissa: u128, fpscr: &mut u32) -> u64 {
    // Normalised so that bit 126 leads: value = m * 2^e, m in 2^126..2^127
    let shift = mantissa.leading_zeros() as i32 - 1;
    let m = if shift >= 0 { mantissa << shift } else { mantissa >> 1 | mantissa & 1 };
    let e = exponent - shift;
    // Biased exponent of the result as a normal number: value = 1.f * 2^(e + 126)
    let mut biased = e + 126 + f.bias();
    if biased < 1 && *fpscr & FZ != 0 {
        *fpscr |= UFC;
        return f.signed(sign, 0);
    }
    let mut cut = 126 - f.fraction as i32;
    let tiny = biased < 1;
    if tiny {
        cut += 1 - biased;
        biased = 1;
    }
    let (mut kept, rest, half) = if cut >= 128 {
        (0, 1, 2) // far below half of the smallest denormal
    } else {
        (m >> cut, m & ((1 << cut) - 1), 1 << (cut - 1))
    };
    let inexact = rest != 0;
    if tiny && inexact {
        *fpscr |= UFC;
    }
    let mode = rounding(*fpscr);
    if round_up(mode, sign, kept & 1 != 0, rest, half) {
        kept += 1;
        if kept == 2 << f.fraction {
            kept >>= 1;
            biased += 1;
        }
    }
    if inexact {
        *fpscr |= IXC;
    }
    if kept < 1 << f.fraction {
        return f.signed(sign, kept as u64); // denormal
    }
    if biased >= (1 << f.exponent) - 1 {
        *fpscr |= OFC | IXC;
        let to_infinity = match mode {
            0 => true,
            1 => !sign,
            2 => sign,
            _ => false,
        };
        return f.signed(sign, f.infinity() - u64::from(!to_infinity));
    }
    f.signed(sign, (biased as u64) << f.fraction | kept as u64 & ((1 << f.fraction) - 1))
}

/// The sign of an exact zero sum of numbers with opposite signs.
fn zero_sum(f: Format, fpscr: u32) -> u64 {
    f.signed(rounding(fpscr) == 2, 0)
}

/// Sum of two non-zero finite numbers given exactly, with mantissas of at most 53 bits.
fn sum(f: Format, a: Unpacked, b: Unpacked, fpscr: &mut u32) -> u64 {
    // 128 bits hold the larger one exactly; what the smaller one loses becomes a sticky bit.
    let (large, small) = if a.exponent >= b.exponent { (a, b) } else { (b, a) };
    let distance = (large.exponent - small.exponent).min(200) as u32;
    // The larger exponent's mantissa goes up by at most 72 bits; beyond that the other is far below the last bit that
    // matters and only its being there counts.
    let up = distance.min(72);
    let down = distance - up;
    let x = large.mantissa << up;
    let y = if down == 0 {
        small.mantissa
    } else {
        let lost = down >= 128 || small.mantissa & ((1 << down) - 1) != 0;
        (if down >= 128 { 0 } else { small.mantissa >> down }) | u128::from(lost)
    };
    let exponent = large.exponent - up as i32;
    let (sign, magnitude) = if large.sign == small.sign {
        (large.sign, x + y)
    } else if x >= y {
        (large.sign, x - y)
    } else {
        (small.sign, y - x)
    };
    if magnitude == 0 {
        return zero_sum(f, *fpscr);
    }
    round(f, sign, exponent, magnitude, fpscr)
}

/// FPAdd().
pub(crate) fn add(f: Format, a: u64, b: u64, fpscr: &mut u32) -> u64 {
    let (x, y) = (unpack(f, a, fpscr), unpack(f, b, fpscr));
    if let Some(nan) = process_nans(f, &[(a, x.class), (b, y.class)], fpscr) {
        return nan;
    }
    match (x.class, y.class) {
        (Class::Infinite, Class::Infinite) if x.sign != y.sign => invalid(f, fpscr),
        (Class::Infinite, _) => f.signed(x.sign, f.infinity()),
        (_, Class::Infinite) => f.signed(y.sign, f.infinity()),
        (Class::Zero, Class::Zero) if x.sign == y.sign => f.signed(x.sign, 0),
        (Class::Zero, Class::Zero) => zero_sum(f, *fpscr),
        (Class::Zero, _) => round(f, y.sign, y.exponent, y.mantissa, fpscr),
        (_, Class::Zero) => round(f, x.sign, x.exponent, x.mantissa, fpscr),
        _ => sum(f, x, y, fpscr),
    }
}

/// FPSub(). A NaN operand is passed on with its own sign.
pub(crate) fn sub(f: Format, a: u64, b: u64, fpscr: &mut u32) -> u64 {
    let is_nan = b & !f.sign() > f.infinity();
    add(f, a, if is_nan { b } else { b ^ f.sign() }, fpscr)
}

/// FPMul().
pub(crate) fn mul(f: Format, a: u64, b: u64, fpscr: &mut u32) -> u64 {
    let (x, y) = (unpack(f, a, fpscr), unpack(f, b, fpscr));
    if let Some(nan) = process_nans(f, &[(a, x.class), (b, y.class)], fpscr) {
        return nan;
    }
    let negative = x.sign != y.sign;
    match (x.class, y.class) {
        (Class::Infinite, Class::Zero) | (Class::Zero, Class::Infinite) => invalid(f, fpscr),
        (Class::Infinite, _) | (_, Class::Infinite) => f.signed(negative, f.infinity()),
        (Class::Zero, _) | (_, Class::Zero) => f.signed(negative, 0),
        _ => round(f, negative, x.exponent + y.exponent, x.mantissa * y.mantissa, fpscr),
    }
}

/// FPDiv().
pub(crate) fn div(f: Format, a: u64, b: u64, fpscr: &mut u32) -> u64 {
    let (x, y) = (unpack(f, a, fpscr), unpack(f, b, fpscr));
    if let Some(nan) = process_nans(f, &[(a, x.class), (b, y.class)], fpscr) {
        return nan;
    }
    let negative = x.sign != y.sign;
    match (x.class, y.class) {
        (Class::Infinite, Class::Infinite) | (Class::Zero, Class::Zero) => invalid(f, fpscr),
        (Class::Infinite, _) => f.signed(negative, f.infinity()),
        (Class::Zero, _) | (_, Class::Infinite) => f.signed(negative, 0),
        (_, Class::Zero) => {
            *fpscr |= DZC;
            f.signed(negative, f.infinity())
        }
        _ => {
            // Both normalised to as many bits as a normal number has; the quotient then has four more and a sticky one.
            let (bits, more) = (f.fraction + 1, f.fraction + 5);
            let shift = |u: Unpacked| u.mantissa.leading_zeros() - (128 - bits);
            let (sx, sy) = (shift(x), shift(y));
            let (p, q) = (x.mantissa << sx << more, y.mantissa << sy);
            let exponent = (x.exponent - sx as i32) - (y.exponent - sy as i32) - more as i32;
            round(f, negative, exponent - 1, (p / q) << 1 | u128::from(p % q != 0), fpscr)
        }
    }
}

/// FPSqrt().
pub(crate) fn sqrt(f: Format, a: u64, fpscr: &mut u32) -> u64 {
    let x = unpack(f, a, fpscr);
    match x.class {
        Class::Quiet | Class::Signalling => process_nan(f, a, x.class, fpscr),
        Class::Zero => f.signed(x.sign, 0),
        _ if x.sign => invalid(f, fpscr),
        Class::Infinite => a,
        Class::Finite => {
            // An even exponent and a radicand of 126 or 127 bits give a root of 63 or 64 bits.
            let mut shift = x.mantissa.leading_zeros() as i32 - 1;
            if (x.exponent - shift) & 1 != 0 {
                shift -= 1;
            }
            let radicand = x.mantissa << shift;
            let root = radicand.isqrt();
            let sticky = u128::from(root * root != radicand);
            round(f, false, (x.exponent - shift) / 2 - 1, root << 1 | sticky, fpscr)
        }
    }
}

/// FPMulAdd(): addend + a * b, rounded once. Single precision only: the exact product must fit [`sum`].
pub(crate) fn mul_add(addend: u64, a: u64, b: u64, fpscr: &mut u32) -> u64 {
    let f = SINGLE;
    let (z, x, y) = (unpack(f, addend, fpscr), unpack(f, a, fpscr), unpack(f, b, fpscr));
    let zero_times_infinity =
        matches!((x.class, y.class), (Class::Infinite, Class::Zero) | (Class::Zero, Class::Infinite));
    let nan = process_nans(f, &[(addend, z.class), (a, x.class), (b, y.class)], fpscr);
    if zero_times_infinity && z.class == Class::Quiet {
        return invalid(f, fpscr);
    }
    if let Some(nan) = nan {
        return nan;
    }
    let negative = x.sign != y.sign;
    let product_infinite = x.class == Class::Infinite || y.class == Class::Infinite;
    let product_zero = x.class == Class::Zero || y.class == Class::Zero;
    if zero_times_infinity || z.class == Class::Infinite && product_infinite && z.sign != negative {
        return invalid(f, fpscr);
    }
    if z.class == Class::Infinite {
        return f.signed(z.sign, f.infinity());
    }
    if product_infinite {
        return f.signed(negative, f.infinity());
    }
    if z.class == Class::Zero && product_zero {
        return if z.sign == negative { f.signed(negative, 0) } else { zero_sum(f, *fpscr) };
    }
    if product_zero {
        return round(f, z.sign, z.exponent, z.mantissa, fpscr);
    }
    let product = Unpacked {
        class: Class::Finite,
        sign: negative,
        exponent: x.exponent + y.exponent,
        mantissa: x.mantissa * y.mantissa,
    };
    if z.class == Class::Zero {
        return round(f, product.sign, product.exponent, product.mantissa, fpscr);
    }
    sum(f, z, product, fpscr)
}

/// FPNeg(): also of NaNs.
pub(crate) const fn neg(f: Format, x: u64) -> u64 {
    x ^ f.sign()
}

/// FPCompare(): NZCV in bits 31:28. Quiet NaNs signal if `signal` is set.
pub(crate) fn compare(f: Format, a: u64, b: u64, signal: bool, fpscr: &mut u32) -> u32 {
    let (x, y) = (unpack(f, a, fpscr), unpack(f, b, fpscr));
    let nan = |c: Class| matches!(c, Class::Quiet | Class::Signalling);
    if nan(x.class) || nan(y.class) {
        if signal || x.class == Class::Signalling || y.class == Class::Signalling {
            *fpscr |= IOC;
        }
        return 0x3000_0000;
    }
    // The encoding orders like a sign-magnitude integer; what unpacked to zero is zero.
    let key = |raw: u64, u: Unpacked| {
        let magnitude = if u.class == Class::Zero { 0 } else { (raw & !f.sign()) as i64 };
        if u.sign { -magnitude } else { magnitude }
    };
    match key(a, x).cmp(&key(b, y)) {
        std::cmp::Ordering::Equal => 0x6000_0000,
        std::cmp::Ordering::Less => 0x8000_0000,
        std::cmp::Ordering::Greater => 0x2000_0000,
    }
}

/// FPToFixed(): to `bits` bits with `fraction` of them behind the point, saturating. Towards zero, or as FPSCR says.
pub(crate) fn to_fixed(
    f: Format,
    a: u64,
    (bits, fraction): (u32, u32),
    signed: bool,
    toward_zero: bool,
    fpscr: &mut u32,
) -> u32 {
    let x = unpack(f, a, fpscr);
    let (low, high) =
        if signed { (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) };
    let saturated = |value: i128| if value < low { low } else { high } as u32;
    match x.class {
        Class::Zero => return 0,
        Class::Quiet | Class::Signalling => {
            *fpscr |= IOC;
            return 0;
        }
        Class::Infinite => {
            *fpscr |= IOC;
            return saturated(if x.sign { i128::MIN } else { i128::MAX });
        }
        Class::Finite => {}
    }
    let exponent = x.exponent + fraction as i32;
    let mode = if toward_zero { 3 } else { rounding(*fpscr) };
    let (magnitude, inexact) = if exponent >= 0 {
        ((x.mantissa << exponent.min(70)) as i128, false)
    } else {
        let cut = (-exponent).min(62) as u32;
        let (kept, rest) = (x.mantissa >> cut, x.mantissa & ((1 << cut) - 1));
        let up = round_up(mode, x.sign, kept & 1 != 0, rest, 1 << (cut - 1));
        (kept as i128 + i128::from(up), rest != 0)
    };
    let value = if x.sign { -magnitude } else { magnitude };
    if value < low || value > high {
        *fpscr |= IOC;
        return saturated(value);
    }
    if inexact {
        *fpscr |= IXC;
    }
    value as u32
}

/// FixedToFP(): the low `bits` bits of `value`. Rounds to nearest if `nearest`, else as FPSCR says.
pub(crate) fn from_fixed(
    f: Format,
    value: u32,
    (bits, fraction): (u32, u32),
    signed: bool,
    nearest: bool,
    fpscr: &mut u32,
) -> u64 {
    let shift = 32 - bits;
    let number =
        if signed { i64::from((value << shift) as i32 >> shift) } else { i64::from(value << shift >> shift) };
    if number == 0 {
        return 0;
    }
    let mut mode = if nearest { *fpscr & !(3 << RMODE_SHIFT) } else { *fpscr };
    let result = round(f, number < 0, -(fraction as i32), number.unsigned_abs().into(), &mut mode);
    *fpscr |= mode & 0x9f;
    result
}

/// FPSingleToDouble() and FPDoubleToSingle().
pub(crate) fn convert(from: Format, to: Format, a: u64, fpscr: &mut u32) -> u64 {
    let x = unpack(from, a, fpscr);
    match x.class {
        Class::Zero => to.signed(x.sign, 0),
        Class::Infinite => to.signed(x.sign, to.infinity()),
        Class::Quiet | Class::Signalling => {
            if x.class == Class::Signalling {
                *fpscr |= IOC;
            }
            if *fpscr & DN != 0 {
                return to.default_nan();
            }
            // The leading bits of the fraction are kept.
            let payload = (a & (from.quiet() - 1)) << (64 - from.fraction) >> (64 - to.fraction);
            to.signed(x.sign, to.default_nan() | payload)
        }
        Class::Finite => round(to, x.sign, x.exponent, x.mantissa, fpscr),
    }
}

/// FPHalfToSingle(). Half-precision denormals are never flushed.
pub(crate) fn half_to_single(half: u16, fpscr: &mut u32) -> u64 {
    let sign = u64::from(half >> 15) << 31;
    let (exponent, fraction) = (u64::from(half >> 10 & 31), u64::from(half & 0x3ff));
    match (exponent, fraction) {
        (0, 0) => sign,
        (0, f) => {
            let shift = f.leading_zeros() - 53;
            sign | u64::from(113 - shift) << 23 | (f << shift & 0x3ff) << 13
        }
        (31, f) if *fpscr & AHP == 0 => {
            if f == 0 {
                return sign | SINGLE.infinity();
            }
            if f & 0x200 == 0 {
                *fpscr |= IOC;
            }
            if *fpscr & DN != 0 { SINGLE.default_nan() } else { sign | SINGLE.default_nan() | f << 13 }
        }
        (e, f) => sign | (e + 112) << 23 | f << 13,
    }
}

/// FPSingleToHalf().
pub(crate) fn single_to_half(a: u64, fpscr: &mut u32) -> u16 {
    let x = unpack(SINGLE, a, fpscr);
    let sign = ((a >> 16) & 0x8000) as u16;
    let alternative = *fpscr & AHP != 0;
    match x.class {
        Class::Zero => return sign,
        Class::Quiet | Class::Signalling => {
            if alternative {
                *fpscr |= IOC;
                return sign;
            }
            if x.class == Class::Signalling {
                *fpscr |= IOC;
            }
            return if *fpscr & DN != 0 { 0x7e00 } else { sign | 0x7e00 | (a >> 13 & 0x1ff) as u16 };
        }
        Class::Infinite => {
            if alternative {
                *fpscr |= IOC;
                return sign | 0x7fff;
            }
            return sign | 0x7c00;
        }
        Class::Finite => {}
    }
    // Normalise to 24 bits: value = m * 2^e with m in 2^23..2^24
    let shift = x.mantissa.leading_zeros() as i32 - 104;
    let (m, e) = (x.mantissa << shift, x.exponent - shift);
    let mut biased = e + 23 + 15;
    let mut cut = 13;
    let tiny = biased < 1;
    if tiny {
        cut += 1 - biased;
        biased = 1;
    }
    let (mut kept, rest, half) =
        if cut >= 40 { (0, 1, 2) } else { (m >> cut, m & ((1 << cut) - 1), 1 << (cut - 1)) };
    if tiny && rest != 0 {
        *fpscr |= UFC;
    }
    let mode = rounding(*fpscr);
    if round_up(mode, x.sign, kept & 1 != 0, rest, half) {
        kept += 1;
        if kept == 1 << 11 {
            kept >>= 1;
            biased += 1;
        }
    }
    if alternative {
        if biased >= 32 {
            *fpscr |= IOC;
            return sign | 0x7fff;
        }
    } else if biased >= 31 {
        *fpscr |= OFC | IXC;
        let to_infinity = match mode {
            0 => true,
            1 => !x.sign,
            2 => x.sign,
            _ => false,
        };
        return sign | if to_infinity { 0x7c00 } else { 0x7bff };
    }
    if rest != 0 {
        *fpscr |= IXC;
    }
    if kept < 1 << 10 { sign | kept as u16 } else { sign | (biased as u16) << 10 | (kept as u16 & 0x3ff) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of every class, close exponents often.
    fn numbers() -> impl Iterator<Item = u32> {
        let mut state = 1u64;
        std::iter::repeat_with(move || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            let x = (state >> 32) as u32;
            match state >> 29 & 7 {
                0 => x & 0x807f_ffff,
                1 => x & 0x80ff_ffff | 0x7f00_0000,
                2 => x & 0xff80_0000,
                3 | 4 => x & 0x81ff_ffff | 0x3f00_0000,
                5 => x & 0x80ff_ffff,
                _ => x,
            }
        })
    }

    fn same(ours: u64, host: f32) -> bool {
        ours == host.to_bits().into() || host.is_nan() && ours & !SINGLE.sign() > SINGLE.infinity()
    }

    #[test]
    fn agrees_with_the_host_to_nearest() {
        let mut n = numbers();
        for _ in 0..100_000 {
            let [a, b, c] = std::array::from_fn(|_| n.next().unwrap());
            let [x, y, z] = [a, b, c].map(f32::from_bits);
            let (s, raw) = (SINGLE, a);
            let [a, b, c] = [a, b, c].map(u64::from);
            let mut f = 0;
            assert!(same(add(s, a, b, &mut f), x + y), "{a:08x} + {b:08x}");
            assert!(same(sub(s, a, b, &mut f), x - y), "{a:08x} - {b:08x}");
            assert!(same(mul(s, a, b, &mut f), x * y), "{a:08x} * {b:08x}");
            assert!(same(div(s, a, b, &mut f), x / y), "{a:08x} / {b:08x}");
            assert!(same(sqrt(s, a, &mut f), x.sqrt()), "sqrt {a:08x}");
            assert!(same(mul_add(c, a, b, &mut f), x.mul_add(y, z)), "{a:08x} * {b:08x} + {c:08x}");
            assert_eq!(to_fixed(s, a, (32, 0), true, true, &mut f), x as i32 as u32, "{a:08x}");
            assert_eq!(to_fixed(s, a, (32, 0), false, true, &mut f), x as u32, "{a:08x}");
            assert!(same(from_fixed(s, raw, (32, 0), true, false, &mut f), raw as i32 as f32));
            assert!(same(from_fixed(s, raw, (32, 0), false, false, &mut f), raw as f32));
        }
    }

    #[test]
    fn doubles_agree_with_the_host_to_nearest() {
        let mut n = numbers();
        let mut double = move || {
            let (high, low) = (n.next().unwrap(), n.next().unwrap());
            // The classes of the high word with the wider exponent; close exponents, and small ones.
            let exponent = match high >> 23 & 0xff {
                255 => 0x7ff,
                0 => 0,
                e => e + 896 + (low & 3) * 30,
            };
            u64::from(high >> 31) << 63
                | u64::from(exponent) << 52
                | u64::from(high & 0x7f_ffff) << 29
                | u64::from(low >> 3)
        };
        let same = |ours: u64, host: f64| ours == host.to_bits() || host.is_nan() && ours << 1 > 0x7ff << 53;
        let d = DOUBLE;
        for _ in 0..100_000 {
            let (a, b) = (double(), double());
            let (x, y) = (f64::from_bits(a), f64::from_bits(b));
            let mut f = 0;
            assert!(same(add(d, a, b, &mut f), x + y), "{a:016x} + {b:016x}");
            assert!(same(sub(d, a, b, &mut f), x - y), "{a:016x} - {b:016x}");
            assert!(same(mul(d, a, b, &mut f), x * y), "{a:016x} * {b:016x}");
            assert!(same(div(d, a, b, &mut f), x / y), "{a:016x} / {b:016x}");
            assert!(same(sqrt(d, a, &mut f), x.sqrt()), "sqrt {a:016x}");
            assert_eq!(to_fixed(d, a, (32, 0), true, true, &mut f), x as i32 as u32, "{a:016x}");
            assert_eq!(from_fixed(d, a as u32, (32, 0), true, false, &mut f), f64::from(a as i32).to_bits());
            let narrow = convert(d, SINGLE, a, &mut f);
            assert!(super::tests::same(narrow, x as f32), "{a:016x} to single");
            assert!(same(convert(SINGLE, d, narrow, &mut f), f64::from(x as f32)));
        }
    }

    #[test]
    fn flush_to_zero_flushes_operands_and_results() {
        let mut f = FZ;
        assert_eq!(add(SINGLE, 0x0000_0001, 0, &mut f), 0);
        assert_eq!(f, FZ | IDC);
        let mut f = FZ;
        assert_eq!(mul(SINGLE, 0x0080_0000, 0x3f00_0000, &mut f), 0);
        assert_eq!(f, FZ | UFC, "not inexact");
    }

    #[test]
    fn nan_operands() {
        let (quiet, signalling) = (0x7fc0_1234, 0xff80_0001);
        let mut f = 0;
        assert_eq!(
            add(SINGLE, quiet, signalling, &mut f),
            0xffc0_0001,
            "the signalling one comes first, made quiet"
        );
        assert_eq!(f, IOC);
        let mut f = DN;
        assert_eq!(add(SINGLE, quiet, 0x3f80_0000, &mut f), SINGLE.default_nan());
        assert_eq!(f, DN, "a quiet one raises nothing");
    }

    #[test]
    fn conversion_rounds_as_asked() {
        let half = 0xc020_0000; // -2.5
        for (mode, expected) in [(0, -2), (1, -2), (2, -3), (3, -2)] {
            let mut f = mode << RMODE_SHIFT;
            assert_eq!(to_fixed(SINGLE, half, (32, 0), true, false, &mut f) as i32, expected);
            assert_eq!(
                to_fixed(SINGLE, half, (32, 0), true, true, &mut f) as i32,
                -2,
                "towards zero whatever the mode"
            );
        }
        let mut f = 0;
        assert_eq!(to_fixed(SINGLE, 0x7fc0_0000, (32, 0), true, true, &mut f), 0);
        assert_eq!(to_fixed(SINGLE, 0x5f00_0000, (32, 0), true, true, &mut f), 0x7fff_ffff);
        assert_eq!(f, IOC);
    }

    #[test]
    fn half_precision_overflow_follows_the_rounding_mode() {
        let big = 0x4788_0000; // 69632
        assert_eq!(single_to_half(big, &mut 0), 0x7c00);
        assert_eq!(single_to_half(big, &mut (3 << RMODE_SHIFT)), 0x7bff);
        assert_eq!(single_to_half(big, &mut { AHP }), 0x7c40);
    }

    #[test]
    fn halves_survive_a_round_trip() {
        for half in 0..=u16::MAX {
            let mut f = 0;
            let back = single_to_half(half_to_single(half, &mut f), &mut f);
            let nan = half & 0x7c00 == 0x7c00 && half & 0x3ff != 0;
            assert_eq!(back, if nan { half | 0x200 } else { half });
        }
    }
}
