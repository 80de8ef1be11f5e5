//! The engine in portable Rust.
use crate::{
    blank::Blank,
    challenge::{Challenge, MAX_TAU},
    encoding::{Compact, Encoding},
    engine::{Engine, Rho},
    field::{self, GAMMA2_32, GAMMA2_88, from_signed, reduce, reduce_once},
    ntt,
    pack::{pack, unpack, update},
    params::{D, N, Q, T0_LEN, T1_LEN},
    sample::{self, Lanes},
};
use core::{array, convert::Infallible, ops::RangeFrom};
use pqsoc_keccak::{
    Shake256, Software,
    parallel::{Baseline, Parallel},
};
use zeroize::Zeroize;

/// The engine in portable Rust: no state, cannot fail.
#[derive(Clone, Copy, Debug, Default)]
pub struct Portable;

/// A polynomial in memory.
///
/// Coefficients are below q, transforms below 17 q, products (which carry a factor 2^-32) below 2q.
#[derive(Zeroize)]
#[repr(transparent)]
pub struct Poly(pub(crate) [u32; N]);

impl Blank for Poly {
    const BLANK: Self = Self([0; N]);
}

/// For engines that do a part of the work with the portable one.
impl Poly {
    /// The coefficients, within the bounds above.
    pub fn coefficients(&self) -> &[u32; N] {
        &self.0
    }

    /// The coefficients, to write to, within the bounds above.
    pub fn coefficients_mut(&mut self) -> &mut [u32; N] {
        &mut self.0
    }
}

/// A polynomial with small coefficients, followed by its negative and itself: multiplied by X^e, -256 <= e < 256, it
/// is the 256 coefficients from place 512 - (e mod 512) on.
#[derive(Zeroize)]
pub struct Secret([i8; 3 * N]);

impl Blank for Secret {
    const BLANK: Self = Self([0; 3 * N]);
}

/// SHAKE256 in portable Rust on every target.
type Hash = Shake256<Software>;

impl Blank for Challenge {
    const BLANK: Self = Self::NONE;
}

/// Terms whose sum, with coefficients up to 4, fits eight bits.
const TERMS_IN_BYTE: usize = MAX_TAU / 2;

macro_rules! for_gamma2 {
    ($gamma2:expr, $f:ident ( $($argument:expr),* )) => {
        if $gamma2 == GAMMA2_88 { $f::<GAMMA2_88>($($argument),*) } else { $f::<GAMMA2_32>($($argument),*) }
    };
}

/// Calls `$f` with the width of an encoding as a constant.
macro_rules! for_encoding {
    ($encoding:expr, $f:ident ( $($argument:expr),* )) => {
        match $encoding {
            Encoding::S2 => $f::<3>($($argument),*),
            Encoding::S4 => $f::<4>($($argument),*),
            Encoding::T0 => $f::<13>($($argument),*),
            Encoding::Z17 => $f::<18>($($argument),*),
            Encoding::Z19 => $f::<20>($($argument),*),
        }
    };
}

/// Whether any value of `differences` is negative, looked at all together.
#[inline(always)]
fn any_negative(differences: impl Iterator<Item = i32>) -> bool {
    differences.fold(0, |all, d| all | d) < 0
}

fn low_bits_reach<const GAMMA2: u32>(p: &[u32; N], bound: u32) -> bool {
    any_negative(p.iter().map(|&r| bound as i32 - 1 - field::decompose::<GAMMA2>(r).1.abs()))
}

/// The hint of each coefficient pair (r, ct0): the one place where MakeHint is.
fn make_hint<const GAMMA2: u32>(pairs: impl Iterator<Item = (u32, u32)>, places: &mut [u8]) -> Option<usize> {
    let mut count = 0;
    for (n, (r, ct0)) in (0..=u8::MAX).zip(pairs) {
        if field::high_bits::<GAMMA2>(r) != field::high_bits::<GAMMA2>(reduce_once(r + ct0)) {
            *places.get_mut(count)? = n;
            count += 1;
        }
    }
    Some(count)
}

/// Packs `w1(c)` of each coefficient and gives it to `take`.
fn encode<const GAMMA2: u32>(w: &[u32; N], w1: impl Fn(u32) -> u32, take: impl FnOnce(&[u8])) {
    if GAMMA2 == GAMMA2_88 {
        let mut packed = [0; 192];
        pack::<6>(w, &mut packed, w1);
        take(&packed);
    } else {
        let mut packed = [0; 128];
        pack::<4>(w, &mut packed, w1);
        take(&packed);
    }
}

fn encode_w1<const GAMMA2: u32>(w: &[u32; N], take: impl FnOnce(&[u8])) {
    encode::<GAMMA2>(w, field::high_bits::<GAMMA2>, take);
}

fn encode_hinted_w1<const GAMMA2: u32>(w: &mut [u32; N], places: &[u8], take: impl FnOnce(&[u8])) {
    let mut places = places.iter().copied().peekable();
    for (n, w) in (0..=u8::MAX).zip(w.iter_mut()) {
        let hint = places.next_if_eq(&n).is_some();
        *w = field::use_hint::<GAMMA2>(hint, *w);
    }
    encode::<GAMMA2>(w, |w1| w1, take);
}

/// Adds s 2^`SHIFT` times the sum of `terms`, which are as those of a [`Challenge`], with |s| 2^`SHIFT` < q.
fn add_sparse_product<const SHIFT: u32>(acc: &mut [u32; N], terms: impl Iterator<Item = u16>, s: &[i16; N]) {
    // 64 q on top keeps the sum positive under up to 60 terms, and below 2^32.
    for acc in acc.iter_mut() {
        *acc += 64 * Q;
    }
    for e in terms {
        let (high, low) = s.split_at(N - usize::from(e % 256));
        let sign = if e < 256 { 1 } else { -1 };
        let rotated = low.iter().map(|s| -s).chain(high.iter().copied());
        for (acc, s) in acc.iter_mut().zip(rotated) {
            *acc = acc.wrapping_add_signed((sign * i32::from(s)) << SHIFT);
        }
    }
    for acc in acc {
        *acc = reduce(*acc);
    }
}

fn unpack_difference<const BITS: usize>(out: &mut [u32; N], bytes: &[u8], b: u32) {
    unpack::<BITS, _>(bytes, out, |field| from_signed(b as i32 - field as i32));
}

fn add_difference<const BITS: usize>(acc: &mut [u32; N], bytes: &[u8], b: u32) {
    update::<BITS, _>(bytes, acc, |acc, field| {
        *acc = reduce_once(*acc + from_signed(b as i32 - field as i32))
    });
}

fn pack_difference<const BITS: usize>(p: &[u32; N], bytes: &mut [u8], b: u32) {
    pack::<BITS>(p, bytes, |c| reduce_once(b + Q - c));
}

fn unpack_small<const BITS: usize>(out: &mut [i16; N], bytes: &[u8], b: u32) {
    unpack::<BITS, _>(bytes, out, |field| (b as i32 - field as i32) as i16);
}

/// The coefficients of a polynomial of s1 or s2.
pub(crate) fn unpack_secret(out: &mut [i8; N], encoding: Encoding, bytes: &[u8]) {
    let value = |field| (encoding.b() as i32 - field as i32) as i8;
    if encoding == Encoding::S2 {
        unpack::<3, _>(bytes, out, value);
    } else {
        unpack::<4, _>(bytes, out, value);
    }
}

/// Two at a time where that is faster, and the rest.
fn pairs(polys: &mut [Poly]) -> (&mut [[Poly; 2]], &mut [Poly]) {
    if Baseline::PAIRS { polys.as_chunks_mut() } else { (&mut [], polys) }
}

pub(crate) fn coefficients<const L: usize>(polys: &mut [Poly; L]) -> [&mut [u32; N]; L] {
    polys.each_mut().map(|p| &mut p.0)
}

/// Samples the next `L` of `columns`.
#[inline(never)]
fn expand_a<const L: usize>(out: &mut [Poly; L], rho: &Rho, row: u8, columns: &mut RangeFrom<u8>)
where
    Baseline: Parallel<L>,
{
    let columns = array::from_fn(|_| columns.next().unwrap_or(0));
    sample::expand_a::<L>(rho, row, columns, |i, n, values| {
        if let Some(out) = out.get_mut(i).and_then(|out| out.0.get_mut(n..n + values.len())) {
            out.copy_from_slice(values);
        }
    });
}

/// Adds the products of the next `L` of `columns` with `v`. Each adds up to 2q.
#[inline(never)]
fn expand_a_dot<const L: usize>(
    acc: &mut Poly,
    rho: &Rho,
    row: u8,
    v: &[Poly; L],
    columns: &mut RangeFrom<u8>,
) where
    Baseline: Parallel<L>,
{
    let columns = array::from_fn(|_| columns.next().unwrap_or(0));
    sample::expand_a::<L>(rho, row, columns, |i, n, values| {
        if let (Some(acc), Some(v)) = (acc.0.get_mut(n..), v.get(i).and_then(|v| v.0.get(n..))) {
            for ((acc, v), value) in acc.iter_mut().zip(v).zip(values) {
                *acc += field::multiply(*value, *v);
            }
        }
    });
}

/// What [`Engine::absorb_w1`] and its like hash, for engines that hash elsewhere.
impl Portable {
    /// Gives HighBits of `w`, packed, to `take`. FIPS 204, algorithms 37 and 28.
    pub fn encode_w1(w: &Poly, gamma2: u32, take: impl FnOnce(&[u8])) {
        for_gamma2!(gamma2, encode_w1(&w.0, take));
    }

    /// Gives UseHint of `w` with ones at `places` (which rise), packed, to `take`. FIPS 204, algorithms 40 and 28.
    pub fn encode_hinted_w1(w: &mut Poly, gamma2: u32, places: &[u8], take: impl FnOnce(&[u8])) {
        for_gamma2!(gamma2, encode_hinted_w1(&mut w.0, places, take));
    }
}

impl Engine for Portable {
    type Poly = Poly;
    type Secret = Secret;
    type Challenge = Challenge;
    type Hash = Hash;
    type Error = Infallible;

    fn load(&mut self, out: &mut Poly, coefficients: &[u32; N]) -> Result<(), Infallible> {
        out.0 = *coefficients;
        Ok(())
    }

    fn store(&mut self, p: &Poly, coefficients: &mut [u32; N]) -> Result<(), Infallible> {
        for (out, &c) in coefficients.iter_mut().zip(&p.0) {
            *out = reduce(c);
        }
        Ok(())
    }

    fn copy(&mut self, out: &mut Poly, p: &Poly) -> Result<(), Infallible> {
        out.0 = p.0;
        Ok(())
    }

    fn clear(&mut self, out: &mut Poly) -> Result<(), Infallible> {
        out.0.fill(0);
        Ok(())
    }

    fn release(&mut self, p: &mut Poly) {
        p.zeroize();
    }

    fn release_secret(&mut self, s: &mut Secret) {
        s.zeroize();
    }

    fn release_challenge(&mut self, _: &mut Challenge) {
        // Not a secret.
    }

    fn ntt(&mut self, p: &mut Poly) -> Result<(), Infallible> {
        ntt::ntt(&mut p.0);
        Ok(())
    }

    fn intt(&mut self, p: &mut Poly) -> Result<(), Infallible> {
        ntt::intt(&mut p.0);
        Ok(())
    }

    fn add(&mut self, acc: &mut Poly, p: &Poly) -> Result<(), Infallible> {
        for (acc, &c) in acc.0.iter_mut().zip(&p.0) {
            *acc = reduce_once(*acc + c);
        }
        Ok(())
    }

    fn subtract(&mut self, acc: &mut Poly, p: &Poly) -> Result<(), Infallible> {
        for (acc, &c) in acc.0.iter_mut().zip(&p.0) {
            *acc = reduce_once(*acc + Q - c);
        }
        Ok(())
    }

    fn multiply(&mut self, out: &mut Poly, a: &Poly, b: &Poly) -> Result<(), Infallible> {
        for ((out, &a), &b) in out.0.iter_mut().zip(&a.0).zip(&b.0) {
            *out = field::multiply(a, b);
        }
        Ok(())
    }

    fn multiply_subtract(&mut self, acc: &mut Poly, a: &Poly, b: &Poly) -> Result<(), Infallible> {
        for ((acc, &a), &b) in acc.0.iter_mut().zip(&a.0).zip(&b.0) {
            *acc = reduce(*acc + 2 * Q - field::multiply(a, b));
        }
        Ok(())
    }

    fn dot(&mut self, out: &mut Poly, a: &[Poly], v: &[Poly]) -> Result<(), Infallible> {
        // 17 q^2 a term at most, as a was sampled: eight stay below 2^32 q.
        const BLOCK: usize = 16;
        for (block, out) in out.0.as_chunks_mut::<BLOCK>().0.iter_mut().enumerate() {
            let mut sum = [0u64; BLOCK];
            for (a, v) in a.iter().zip(v) {
                if let (Some(a), Some(v)) =
                    (a.0.as_chunks::<BLOCK>().0.get(block), v.0.as_chunks::<BLOCK>().0.get(block))
                {
                    for ((sum, &a), &v) in sum.iter_mut().zip(a).zip(v) {
                        *sum += u64::from(a) * u64::from(v);
                    }
                }
            }
            *out = sum.map(field::montgomery);
        }
        Ok(())
    }

    fn expand_a(&mut self, out: &mut [Poly], rho: &Rho, row: u8) -> Result<(), Infallible> {
        let (pairs, singles) = pairs(out);
        let mut columns = 0..;
        for pair in pairs {
            expand_a(pair, rho, row, &mut columns);
        }
        for single in singles {
            expand_a(array::from_mut(single), rho, row, &mut columns);
        }
        Ok(())
    }

    fn expand_a_dot(&mut self, out: &mut Poly, rho: &Rho, row: u8, v: &[Poly]) -> Result<(), Infallible> {
        out.0.fill(0);
        let (pairs, singles) = if Baseline::PAIRS { v.as_chunks() } else { (&[][..], v) };
        let mut columns = 0..;
        for pair in pairs {
            expand_a_dot::<2>(out, rho, row, pair, &mut columns);
        }
        for single in singles {
            expand_a_dot(out, rho, row, array::from_ref(single), &mut columns);
        }
        for c in &mut out.0 {
            *c = reduce(*c);
        }
        Ok(())
    }

    fn expand_a_accumulate(
        &mut self,
        acc: &mut Compact,
        rho: &Rho,
        row: u8,
        column: u8,
        v: &Poly,
    ) -> Result<(), Infallible> {
        let (acc, _) = acc.as_chunks_mut::<3>();
        sample::expand_a(rho, row, [column], |_, n, values| {
            for ((acc, v), value) in acc.iter_mut().zip(&v.0).skip(n).zip(values) {
                let [low, middle, high] = *acc;
                let sum = u32::from_le_bytes([low, middle, high, 0]) + field::multiply(*value, *v);
                let [low, middle, high, _] = reduce(sum).to_le_bytes();
                *acc = [low, middle, high];
            }
        });
        Ok(())
    }

    fn expand_s(
        &mut self,
        out: &mut [Poly],
        eta: Encoding,
        seed: &[u8],
        nonce: u16,
    ) -> Result<(), Infallible> {
        let (pairs, singles) = pairs(out);
        let mut nonce = nonce;
        for pair in pairs {
            sample::expand_s::<2, Lanes<2, _>>(coefficients(pair), eta, seed, &mut nonce);
        }
        for single in singles {
            sample::expand_s::<1, Lanes<1, _>>(coefficients(array::from_mut(single)), eta, seed, &mut nonce);
        }
        Ok(())
    }

    fn expand_mask(
        &mut self,
        out: &mut [Poly],
        gamma1: Encoding,
        seed: &[u8],
        nonce: u16,
    ) -> Result<(), Infallible> {
        let (pairs, singles) = pairs(out);
        let mut nonce = nonce;
        for pair in pairs {
            sample::expand_mask::<2, Lanes<2, _>>(coefficients(pair), gamma1, seed, &mut nonce);
        }
        for single in singles {
            sample::expand_mask::<1, Lanes<1, _>>(
                coefficients(array::from_mut(single)),
                gamma1,
                seed,
                &mut nonce,
            );
        }
        Ok(())
    }

    fn sample_in_ball(&mut self, out: &mut Challenge, seed: &[u8], tau: usize) -> Result<(), Infallible> {
        let mut hash = Hash::default();
        hash.absorb(seed);
        let mut output = hash.finish();
        out.sample(tau, |bytes| {
            output.squeeze(bytes);
            Ok(())
        })
    }

    fn load_challenge(&mut self, out: &mut Poly, c: &Challenge) -> Result<(), Infallible> {
        out.0.fill(0);
        for &e in c.terms() {
            if let Some(coefficient) = out.0.get_mut(usize::from(e % 256)) {
                *coefficient = if e < 256 { 1 } else { Q - 1 };
            }
        }
        Ok(())
    }

    fn prepare_challenge(&mut self, out: &mut Challenge, c: &Challenge) -> Result<(), Infallible> {
        *out = *c;
        Ok(())
    }

    fn prepare_secret(
        &mut self,
        out: &mut Secret,
        encoding: Encoding,
        bytes: &[u8],
    ) -> Result<(), Infallible> {
        if let ([own, negative, again], _) = out.0.as_chunks_mut::<N>() {
            unpack_secret(own, encoding, bytes);
            for (negative, &s) in negative.iter_mut().zip(&*own) {
                *negative = -s;
            }
            *again = *own;
        }
        Ok(())
    }

    fn add_challenge_product(&mut self, acc: &mut Poly, c: &Challenge, s: &Secret) -> Result<(), Infallible> {
        const BLOCK: usize = 64;
        for (block, acc) in acc.0.as_chunks_mut::<BLOCK>().0.iter_mut().enumerate() {
            for terms in c.terms().chunks(TERMS_IN_BYTE) {
                let mut sum = [0i8; BLOCK];
                for &e in terms {
                    let start = 2 * N - usize::from(e) + block * BLOCK;
                    if let Some(s) = s.0.get(start..).and_then(|s| s.first_chunk::<BLOCK>()) {
                        for (sum, &s) in sum.iter_mut().zip(s) {
                            *sum = sum.wrapping_add(s);
                        }
                    }
                }
                for (acc, sum) in acc.iter_mut().zip(sum) {
                    *acc = reduce_once(from_signed(*acc as i32 + i32::from(sum)));
                }
            }
        }
        Ok(())
    }

    fn subtract_challenge_product(
        &mut self,
        acc: &mut Poly,
        c: &Challenge,
        s: &Secret,
    ) -> Result<(), Infallible> {
        self.add_challenge_product(acc, &c.negated(), s)
    }

    fn add_challenge_product_packed(
        &mut self,
        acc: &mut Poly,
        c: &Challenge,
        encoding: Encoding,
        bytes: &[u8],
    ) -> Result<(), Infallible> {
        let mut s = [0; N];
        for_encoding!(encoding, unpack_small(&mut s, bytes, encoding.b()));
        add_sparse_product::<0>(&mut acc.0, c.terms().iter().copied(), &s);
        s.zeroize();
        Ok(())
    }

    fn subtract_challenge_t1(
        &mut self,
        acc: &mut Poly,
        c: &Challenge,
        bytes: &[u8; T1_LEN],
    ) -> Result<(), Infallible> {
        let mut t1 = [0; N];
        unpack::<10, _>(bytes, &mut t1, |field| field as i16);
        // -X^e is X^(e + 256).
        add_sparse_product::<D>(&mut acc.0, c.terms().iter().map(|e| e ^ 256), &t1);
        Ok(())
    }

    fn unpack(&mut self, out: &mut Poly, encoding: Encoding, bytes: &[u8]) -> Result<(), Infallible> {
        for_encoding!(encoding, unpack_difference(&mut out.0, bytes, encoding.b()));
        Ok(())
    }

    fn add_packed(&mut self, acc: &mut Poly, encoding: Encoding, bytes: &[u8]) -> Result<(), Infallible> {
        for_encoding!(encoding, add_difference(&mut acc.0, bytes, encoding.b()));
        Ok(())
    }

    fn pack(&mut self, p: &Poly, encoding: Encoding, bytes: &mut [u8]) -> Result<(), Infallible> {
        for_encoding!(encoding, pack_difference(&p.0, bytes, encoding.b()));
        Ok(())
    }

    fn unpack_t1(&mut self, out: &mut Poly, bytes: &[u8; T1_LEN]) -> Result<(), Infallible> {
        unpack::<10, _>(bytes, &mut out.0, |field| field << D);
        Ok(())
    }

    fn power2round(
        &mut self,
        t: &Poly,
        t1: &mut [u8; T1_LEN],
        t0: &mut [u8; T0_LEN],
    ) -> Result<(), Infallible> {
        pack::<10>(&t.0, t1, |t| field::power2round(t).0);
        pack::<13>(&t.0, t0, |t| (Encoding::T0.b() as i32 - field::power2round(t).1) as u32);
        Ok(())
    }

    fn compress(&mut self, p: &Poly, out: &mut Compact) -> Result<(), Infallible> {
        pack::<24>(&p.0, out, |c| c);
        Ok(())
    }

    fn restore(&mut self, out: &mut Poly, compact: &Compact) -> Result<(), Infallible> {
        unpack::<24, _>(compact, &mut out.0, |field| field);
        Ok(())
    }

    fn restore_product(&mut self, out: &mut Poly, compact: &Compact) -> Result<(), Infallible> {
        self.restore(out, compact)
    }

    fn norm_reaches(&mut self, p: &Poly, bound: u32) -> Result<bool, Infallible> {
        Ok(any_negative(p.0.iter().map(|&c| bound as i32 - 1 - field::centre(c as i32).abs())))
    }

    fn low_bits_reach(&mut self, p: &Poly, gamma2: u32, bound: u32) -> Result<bool, Infallible> {
        Ok(for_gamma2!(gamma2, low_bits_reach(&p.0, bound)))
    }

    fn make_hint(
        &mut self,
        r: &Poly,
        ct0: &Poly,
        gamma2: u32,
        places: &mut [u8],
    ) -> Result<Option<usize>, Infallible> {
        let pairs = r.0.iter().copied().zip(ct0.0.iter().copied());
        Ok(for_gamma2!(gamma2, make_hint(pairs, places)))
    }

    fn make_hint_compact(
        &mut self,
        r: &Compact,
        ct0: &Poly,
        gamma2: u32,
        places: &mut [u8],
    ) -> Result<Option<usize>, Infallible> {
        let r = r
            .as_chunks::<3>()
            .0
            .iter()
            .map(|&[low, middle, high]| u32::from_le_bytes([low, middle, high, 0]));
        let pairs = r.zip(ct0.0.iter().copied());
        Ok(for_gamma2!(gamma2, make_hint(pairs, places)))
    }

    fn absorb(&mut self, hash: &mut Hash, bytes: &[u8]) -> Result<(), Infallible> {
        hash.absorb(bytes);
        Ok(())
    }

    fn absorb_w1(&mut self, hash: &mut Hash, w: &Poly, gamma2: u32) -> Result<(), Infallible> {
        Self::encode_w1(w, gamma2, |w1| hash.absorb(w1));
        Ok(())
    }

    fn absorb_hinted_w1(
        &mut self,
        hash: &mut Hash,
        w: &mut Poly,
        gamma2: u32,
        places: &[u8],
    ) -> Result<(), Infallible> {
        Self::encode_hinted_w1(w, gamma2, places, |w1| hash.absorb(w1));
        Ok(())
    }

    fn finish(&mut self, hash: &mut Hash, out: &mut [u8]) -> Result<(), Infallible> {
        hash.finish().squeeze(out);
        Ok(())
    }
}
