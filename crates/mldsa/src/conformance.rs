//! What every engine must do, checked against the plainest model of FIPS 204.
//!
//! [`conformance`] takes any engine through every promise of [`Engine`], at the bounds of the inputs, and compares
//! the bytes of whole operations with those of [`Portable`]. A new engine is done when it passes.
use crate::{
    blank::{Blank, ByteArray},
    challenge::Challenge,
    encoding::{Compact, Encoding},
    engine::{Engine, Rho},
    params::{D, MlDsa44, MlDsa65, MlDsa87, N, ParameterSet, Q, T0_LEN, T1_LEN},
    portable::Portable,
    profile::{Fast, KeygenMemory, Profile, Reference, SigningMemory, Small, VerifyingMemory},
    raw,
};
use core::array;
use pqsoc_keccak::{Shake128, Shake256};

type Coefficients = [u32; N];

const GAMMA2: [u32; 2] = [(Q - 1) / 88, (Q - 1) / 32];
/// Columns of the largest matrix, and one more.
const MOST: usize = 8;

/// Runs every check; panics with what is wrong.
pub fn conformance<E: Engine>(engine: &mut E) {
    moving(engine);
    transforms(engine);
    products(engine);
    matrix(engine);
    secrets(engine);
    masks(engine);
    challenges(engine);
    packing(engine);
    rounding(engine);
    hashing(engine);
    whole::<MlDsa44, E>(engine);
    whole::<MlDsa65, E>(engine);
    whole::<MlDsa87, E>(engine);
}

fn ok<T, E: core::fmt::Debug>(result: Result<T, E>) -> T {
    result.expect("the engine failed")
}

/// Polynomials to try: random, and those that make the greatest values on the way.
fn samples() -> [Coefficients; 6] {
    [
        random(1),
        random(2),
        [Q - 1; N],
        [0; N],
        array::from_fn(|n| if n % 2 == 0 { Q - 1 } else { 0 }),
        array::from_fn(|n| if n < N / 2 { Q / 2 } else { Q / 2 + 1 }),
    ]
}

fn random(seed: u32) -> Coefficients {
    let mut output = Shake128::new();
    output.absorb(&seed.to_le_bytes());
    let mut output = output.finish();
    array::from_fn(|_| {
        let mut bytes = [0; 4];
        output.squeeze(&mut bytes);
        u32::from_le_bytes(bytes) % Q
    })
}

fn load<E: Engine>(engine: &mut E, c: &Coefficients) -> E::Poly {
    let mut p = E::Poly::BLANK;
    ok(engine.load(&mut p, c));
    p
}

/// The coefficients of `p`, which goes back.
fn take<E: Engine>(engine: &mut E, mut p: E::Poly) -> Coefficients {
    let mut c = [u32::MAX; N];
    ok(engine.store(&p, &mut c));
    engine.release(&mut p);
    c
}

fn transformed<E: Engine>(engine: &mut E, c: &Coefficients) -> E::Poly {
    let mut p = load(engine, c);
    ok(engine.ntt(&mut p));
    p
}

// The model: arithmetic with % alone.

fn modulo(x: i64) -> u32 {
    x.rem_euclid(i64::from(Q)) as u32
}

fn centred(c: u32, m: u32) -> i32 {
    let c = (c % m) as i32;
    if c > (m / 2) as i32 { c - m as i32 } else { c }
}

/// a b mod X^256 + 1.
fn multiply(a: &Coefficients, b: &Coefficients) -> Coefficients {
    let mut sums = [0i64; N];
    for (i, &a) in a.iter().enumerate() {
        for (j, &b) in b.iter().enumerate() {
            let product = i64::from(a) * i64::from(b) % i64::from(Q);
            let (at, sign) = if i + j < N { (i + j, 1) } else { (i + j - N, -1) };
            sums[at] += sign * product;
        }
    }
    sums.map(modulo)
}

fn combine(a: &Coefficients, b: &Coefficients, sign: i64) -> Coefficients {
    array::from_fn(|n| modulo(i64::from(a[n]) + sign * i64::from(b[n])))
}

/// The value of a polynomial at x.
fn evaluate(p: &Coefficients, x: u64) -> u32 {
    p.iter().rev().fold(0, |sum, &c| (sum * x + u64::from(c)) % u64::from(Q)) as u32
}

fn power(base: u64, exponent: u32) -> u64 {
    (0..exponent).fold(1, |result, _| result * base % u64::from(Q))
}

/// FIPS 204, algorithm 41 by its meaning: place i holds the value at zeta^(2 brv(i) + 1).
fn transform(p: &Coefficients) -> Coefficients {
    array::from_fn(|i| evaluate(p, power(1753, 2 * u32::from((i as u8).reverse_bits()) + 1)))
}

fn decompose(r: u32, gamma2: u32) -> (u32, i32) {
    let r0 = centred(r, 2 * gamma2);
    if r as i32 - r0 == Q as i32 - 1 { (0, r0 - 1) } else { ((r as i32 - r0) as u32 / (2 * gamma2), r0) }
}

/// Bit `i` of a string of bytes.
fn bit(bytes: &[u8], i: usize) -> u32 {
    u32::from(bytes[i / 8] >> (i % 8) & 1)
}

fn field(bytes: &[u8], width: usize, i: usize) -> u32 {
    (0..width).map(|j| bit(bytes, width * i + j) << j).sum()
}

fn set_field(bytes: &mut [u8], width: usize, i: usize, value: u32) {
    for j in 0..width {
        let at = width * i + j;
        bytes[at / 8] |= ((value >> j & 1) as u8) << (at % 8);
    }
}

fn unpacked(bytes: &[u8], encoding: Encoding) -> Coefficients {
    array::from_fn(|n| modulo(i64::from(encoding.b()) - i64::from(field(bytes, encoding.bits(), n))))
}

/// FIPS 204, algorithm 30.
fn matrix_element(rho: &Rho, row: u8, column: u8) -> Coefficients {
    let mut shake = Shake128::new();
    shake.absorb(rho);
    shake.absorb(&[column, row]);
    let mut output = shake.finish();
    array::from_fn(|_| {
        loop {
            let mut bytes = [0; 3];
            output.squeeze(&mut bytes);
            let value = u32::from_le_bytes([bytes[0], bytes[1], bytes[2] & 0x7f, 0]);
            if value < Q {
                return value;
            }
        }
    })
}

// The checks, in the order of the trait.

fn moving<E: Engine>(engine: &mut E) {
    for c in samples() {
        let mut p = load(engine, &c);
        let mut q = E::Poly::BLANK;
        ok(engine.copy(&mut q, &p));
        ok(engine.clear(&mut p));
        assert_eq!(take(engine, p), [0; N], "clear");
        assert_eq!(take(engine, q), c, "copy is a copy");

        let mut p = load(engine, &c);
        let mut compact = Compact::BLANK;
        ok(engine.compress(&p, &mut compact));
        for (n, bytes) in compact.as_chunks::<3>().0.iter().enumerate() {
            assert_eq!(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]), c[n], "compress");
        }
        engine.release(&mut p);
        engine.release(&mut p);
        ok(engine.restore(&mut p, &compact));
        assert_eq!(take(engine, p), c, "restore, into a released one");
    }
    // Releasing what never was written is nothing.
    let (mut p, mut secret, mut challenge) = (E::Poly::BLANK, E::Secret::BLANK, E::Challenge::BLANK);
    engine.release(&mut p);
    engine.release_secret(&mut secret);
    engine.release_challenge(&mut challenge);
}

fn transforms<E: Engine>(engine: &mut E) {
    for c in samples() {
        let p = transformed(engine, &c);
        assert_eq!(take(engine, p), transform(&c), "ntt: order, domain or value");
    }
    // A transform that was stored can be loaded as one.
    let (a, b) = (random(3), random(4));
    let (mut a_hat, mut b_hat) = (load(engine, &transform(&a)), transformed(engine, &b));
    let mut product = E::Poly::BLANK;
    ok(engine.multiply(&mut product, &a_hat, &b_hat));
    ok(engine.intt(&mut product));
    assert_eq!(take(engine, product), multiply(&a, &b), "a transform that was loaded");
    engine.release(&mut a_hat);
    engine.release(&mut b_hat);
}

fn products<E: Engine>(engine: &mut E) {
    for a in samples() {
        for b in samples() {
            let (mut a_hat, mut b_hat) = (transformed(engine, &a), transformed(engine, &b));
            let mut product = E::Poly::BLANK;
            ok(engine.multiply(&mut product, &a_hat, &b_hat));
            ok(engine.intt(&mut product));
            let ab = multiply(&a, &b);
            assert_eq!(take(engine, product), ab, "multiply, intt");

            let mut difference = E::Poly::BLANK;
            ok(engine.multiply(&mut difference, &a_hat, &b_hat));
            for _ in 0..3 {
                ok(engine.multiply_subtract(&mut difference, &b_hat, &b_hat));
            }
            ok(engine.intt(&mut difference));
            let bb = multiply(&b, &b);
            let expected = (0..3).fold(ab, |sum, _| combine(&sum, &bb, -1));
            assert_eq!(take(engine, difference), expected, "multiply_subtract");
            engine.release(&mut a_hat);
            engine.release(&mut b_hat);

            let (mut sum, mut p) = (load(engine, &a), load(engine, &b));
            ok(engine.add(&mut sum, &p));
            assert_eq!(take(engine, sum), combine(&a, &b, 1), "add");
            let mut difference = load(engine, &a);
            ok(engine.subtract(&mut difference, &p));
            assert_eq!(take(engine, difference), combine(&a, &b, -1), "subtract");
            engine.release(&mut p);
        }
    }
}

/// A, of as many columns as there can be and fewer, times the vectors that make the greatest sums.
fn matrix<E: Engine>(engine: &mut E) {
    let rho: Rho = array::from_fn(|i| i as u8);
    for columns in 1..=MOST {
        let row = columns as u8 * 31;
        let mut a = [const { E::Poly::BLANK }; MOST];
        let (a, _) = a.split_at_mut(columns);
        ok(engine.expand_a(a, &rho, row));
        let elements: [Coefficients; MOST] = array::from_fn(|j| matrix_element(&rho, row, j as u8));
        for (a, expected) in a.iter().zip(&elements) {
            let mut c = [0; N];
            ok(engine.store(a, &mut c));
            assert_eq!(&c, expected, "expand_a: order of row and column, or rejection");
        }
        for c in [random(5), [Q - 1; N]] {
            let mut v = [const { E::Poly::BLANK }; MOST];
            let (v, _) = v.split_at_mut(columns);
            for v in v.iter_mut() {
                ok(engine.load(v, &c));
                ok(engine.ntt(v));
            }
            let c_hat = transform(&c);
            let sum_hat: Coefficients = array::from_fn(|n| {
                elements
                    .iter()
                    .take(columns)
                    .map(|a| u64::from(a[n]) * u64::from(c_hat[n]) % u64::from(Q))
                    .sum::<u64>() as u32
                    % Q
            });
            let mut one = [0; N];
            one[0] = 1;
            let (mut sum, mut one) = (load(engine, &sum_hat), transformed(engine, &one));
            let mut expected = E::Poly::BLANK;
            ok(engine.multiply(&mut expected, &sum, &one));
            ok(engine.intt(&mut expected));
            engine.release(&mut sum);
            engine.release(&mut one);
            let expected = take(engine, expected);

            let mut product = E::Poly::BLANK;
            ok(engine.dot(&mut product, a, v));
            ok(engine.intt(&mut product));
            assert_eq!(take(engine, product), expected, "dot of {columns}");

            let mut product = E::Poly::BLANK;
            ok(engine.expand_a_dot(&mut product, &rho, row, v));
            ok(engine.intt(&mut product));
            assert_eq!(take(engine, product), expected, "expand_a_dot of {columns}");

            let mut compact = Compact::BLANK;
            for (column, v) in (0..).zip(v.iter()) {
                ok(engine.expand_a_accumulate(&mut compact, &rho, row, column, v));
            }
            let mut product = E::Poly::BLANK;
            ok(engine.restore_product(&mut product, &compact));
            ok(engine.intt(&mut product));
            assert_eq!(take(engine, product), expected, "expand_a_accumulate of {columns}");
            for v in v {
                engine.release(v);
            }
        }
        for a in a {
            engine.release(a);
        }
    }
}

/// FIPS 204, algorithm 31.
fn secrets<E: Engine>(engine: &mut E) {
    for seed in [&[1u8; 64][..], &[2; 32]] {
        for encoding in [Encoding::S2, Encoding::S4] {
            for count in 1..=MOST {
                let mut out = [const { E::Poly::BLANK }; MOST];
                let (out, _) = out.split_at_mut(count);
                let nonce = 0xff - count as u16 / 2;
                ok(engine.expand_s(out, encoding, seed, nonce));
                for (i, p) in (0..).zip(out) {
                    let mut shake = Shake256::new();
                    shake.absorb(seed);
                    shake.absorb(&(nonce + i).to_le_bytes());
                    let mut output = shake.finish();
                    let mut halves = core::iter::from_fn(|| {
                        let mut byte = [0];
                        output.squeeze(&mut byte);
                        Some([byte[0] & 15, byte[0] >> 4])
                    })
                    .flatten()
                    .filter_map(|half| match (encoding, i64::from(half)) {
                        (Encoding::S2, half @ 0..15) => Some(modulo(2 - half % 5)),
                        (Encoding::S4, half @ 0..9) => Some(modulo(4 - half)),
                        _ => None,
                    });
                    let expected = array::from_fn(|_| halves.next().expect("the stream has no end"));
                    let mut c = [0; N];
                    ok(engine.store(p, &mut c));
                    assert_eq!(c, expected, "expand_s {encoding:?}");
                    engine.release(p);
                }
            }
        }
    }
}

/// FIPS 204, algorithm 34, with the nonce on both sides of 256 and of 2^16.
fn masks<E: Engine>(engine: &mut E) {
    for (seed, nonce) in [(&[3u8; 64][..], 0), (&[4; 48], 0xfe), (&[5; 64], 0xfffe)] {
        for encoding in [Encoding::Z17, Encoding::Z19] {
            for count in 1..=MOST {
                let mut out = [const { E::Poly::BLANK }; MOST];
                let (out, _) = out.split_at_mut(count);
                ok(engine.expand_mask(out, encoding, seed, nonce));
                for (i, p) in (0..).zip(out) {
                    let mut bytes = [0; 640];
                    let nonce = nonce.wrapping_add(i).to_le_bytes();
                    Shake256::digest(&[seed, &nonce], &mut bytes);
                    let mut c = [0; N];
                    ok(engine.store(p, &mut c));
                    assert_eq!(c, unpacked(&bytes, encoding), "expand_mask {encoding:?}");
                    engine.release(p);
                }
            }
        }
    }
}

/// SampleInBall, and products with the smallest and largest factors.
fn challenges<E: Engine>(engine: &mut E) {
    for (seed, tau) in [(&[6u8; 32][..], 39), (&[7; 48], 49), (&[8; 64], 60)] {
        let mut shake = Shake256::new();
        shake.absorb(seed);
        let mut output = shake.finish();
        let mut signs = [0; 8];
        output.squeeze(&mut signs);
        let mut expected = [0u32; N];
        for i in N - tau..N {
            let mut j = [0];
            loop {
                output.squeeze(&mut j);
                if usize::from(j[0]) <= i {
                    break;
                }
            }
            let j = usize::from(j[0]);
            expected[i] = expected[j];
            expected[j] = if bit(&signs, i + tau - N) == 0 { 1 } else { Q - 1 };
        }
        let mut c = Challenge::NONE;
        ok(engine.sample_in_ball(&mut c, seed, tau));
        for (c, expected) in [(c, expected), (c.negated(), expected.map(|c| modulo(-i64::from(c))))] {
            let mut p = E::Poly::BLANK;
            ok(engine.load_challenge(&mut p, &c));
            assert_eq!(take(engine, p), expected, "sample_in_ball, load_challenge");
            challenge_products(engine, &c, &expected);
        }
    }
}

fn challenge_products<E: Engine>(engine: &mut E, c: &Challenge, c_coefficients: &Coefficients) {
    let acc = [[Q - 1; N], random(6)];
    let mut prepared = E::Challenge::BLANK;
    ok(engine.prepare_challenge(&mut prepared, c));
    for encoding in [Encoding::S2, Encoding::S4, Encoding::T0] {
        // All greatest, all smallest, and something in between.
        let mut some = [0u8; T0_LEN];
        let greatest = if encoding == Encoding::T0 { 0x1fff } else { 2 * encoding.b() };
        let patterns: [&dyn Fn(usize) -> u32; 3] =
            [&|_| 0, &|_| greatest, &|n| (n as u32 * 7919) % (greatest + 1)];
        for pattern in patterns {
            let (bytes, _) = some.split_at_mut(encoding.poly_len());
            bytes.fill(0);
            for n in 0..N {
                set_field(bytes, encoding.bits(), n, pattern(n));
            }
            let product = multiply(c_coefficients, &unpacked(bytes, encoding));
            for acc in acc {
                let expected = combine(&acc, &product, 1);
                let mut p = load(engine, &acc);
                ok(engine.add_challenge_product_packed(&mut p, c, encoding, bytes));
                assert_eq!(take(engine, p), expected, "add_challenge_product_packed {encoding:?}");
                if encoding != Encoding::T0 {
                    let mut secret = E::Secret::BLANK;
                    ok(engine.prepare_secret(&mut secret, encoding, bytes));
                    let mut p = load(engine, &acc);
                    ok(engine.add_challenge_product(&mut p, &prepared, &secret));
                    assert_eq!(take(engine, p), expected, "add_challenge_product {encoding:?}");
                    let mut p = load(engine, &expected);
                    ok(engine.subtract_challenge_product(&mut p, &prepared, &secret));
                    assert_eq!(take(engine, p), acc, "subtract_challenge_product {encoding:?}");
                    engine.release_secret(&mut secret);
                }
            }
        }
    }
    engine.release_challenge(&mut prepared);
    for bytes in [[0xff; T1_LEN], array::from_fn(|i| i as u8)] {
        let t1 = array::from_fn(|n| field(&bytes, 10, n) << D);
        for acc in acc {
            let mut p = load(engine, &acc);
            ok(engine.subtract_challenge_t1(&mut p, c, &bytes));
            assert_eq!(
                take(engine, p),
                combine(&acc, &multiply(c_coefficients, &t1), -1),
                "subtract_challenge_t1"
            );
        }
    }
}

fn packing<E: Engine>(engine: &mut E) {
    for encoding in [Encoding::S2, Encoding::S4, Encoding::T0, Encoding::Z17, Encoding::Z19] {
        let patterns: [[u8; 640]; 3] = [[0; 640], [0xff; 640], array::from_fn(|i| (i * 151) as u8)];
        for bytes in patterns {
            let bytes = &bytes[..encoding.poly_len()];
            let expected = unpacked(bytes, encoding);
            let mut p = E::Poly::BLANK;
            ok(engine.unpack(&mut p, encoding, bytes));
            let mut back = [0; 640];
            let (back, _) = back.split_at_mut(bytes.len());
            ok(engine.pack(&p, encoding, back));
            assert_eq!(back, bytes, "pack {encoding:?}");
            assert_eq!(take(engine, p), expected, "unpack {encoding:?}");
            let mut sum = load(engine, &[Q - 1; N]);
            ok(engine.add_packed(&mut sum, encoding, bytes));
            assert_eq!(take(engine, sum), combine(&[Q - 1; N], &expected, 1), "add_packed {encoding:?}");
        }
    }
    for bytes in [[0xff; T1_LEN], array::from_fn(|i| (i * 37) as u8)] {
        let mut p = E::Poly::BLANK;
        ok(engine.unpack_t1(&mut p, &bytes));
        assert_eq!(take(engine, p), array::from_fn(|n| field(&bytes, 10, n) << D), "unpack_t1");
    }
}

/// Residues at and beside every place where rounding changes, then random ones.
fn edges() -> impl Iterator<Item = Coefficients> {
    let around = |step: u32, count: u32| {
        (0..=count).flat_map(move |i| (0..5).map(move |d| (i * step + Q + d - 2) % Q))
    };
    let mut all = around(GAMMA2[0], 88)
        .chain(around(GAMMA2[1], 32))
        .chain(around(Q / 2, 2))
        .chain(around(1 << (D - 1), 2046))
        .fuse();
    core::iter::from_fn(move || {
        let first = all.next()?;
        let mut filler = random(first).into_iter();
        let mut next = || all.next().or_else(|| filler.next()).unwrap_or(0);
        Some(array::from_fn(|n| if n == 0 { first } else { next() }))
    })
}

fn rounding<E: Engine>(engine: &mut E) {
    for c in edges() {
        let mut p = load(engine, &c);

        let (mut t1, mut t0) = ([0; T1_LEN], [0; T0_LEN]);
        ok(engine.power2round(&p, &mut t1, &mut t0));
        for n in 0..N {
            let r0 = centred(c[n], 1 << D);
            assert_eq!(field(&t1, 10, n), (c[n] as i32 - r0) as u32 >> D, "power2round: t1 of {}", c[n]);
            assert_eq!((1 << (D - 1)) - field(&t0, 13, n) as i32, r0, "power2round: t0 of {}", c[n]);
        }

        for gamma2 in GAMMA2 {
            let greatest = c.iter().map(|&r| decompose(r, gamma2).1.unsigned_abs()).max().unwrap_or(0);
            for bound in [greatest, greatest + 1] {
                let reaches = ok(engine.low_bits_reach(&p, gamma2, bound));
                assert_eq!(reaches, greatest >= bound, "low_bits_reach {bound}");
            }
            hints(engine, &p, &c, gamma2);
        }
        engine.release(&mut p);
    }
    // One coefficient alone, at every place, of both signs, at the bound and below.
    for n in 0..N {
        for bound in [3, (1 << 17) - 78, (1 << 19) - 196, (Q - 1) / 32] {
            for value in [bound - 1, bound, Q - bound, Q - bound + 1] {
                let mut p = load(engine, &array::from_fn(|at| if at == n { value } else { 0 }));
                let reaches = ok(engine.norm_reaches(&p, bound));
                assert_eq!(reaches, centred(value, Q).unsigned_abs() >= bound, "norm_reaches {bound} at {n}");
                engine.release(&mut p);
            }
        }
    }
}

fn hints<E: Engine>(engine: &mut E, p: &E::Poly, c: &Coefficients, gamma2: u32) {
    let ct0 = random(c[1]).map(|x| modulo(i64::from(x % (2 * gamma2 - 1)) - i64::from(gamma2 - 1)));
    let changes = |n: &usize| decompose(c[*n], gamma2).0 != decompose((c[*n] + ct0[*n]) % Q, gamma2).0;
    let count = (0..N).filter(changes).count();
    let mut ct0_p = load(engine, &ct0);
    let mut compact = Compact::BLANK;
    ok(engine.compress(p, &mut compact));
    let mut places = [0; N];
    for (room, expected) in [(N, Some(count)), (count, Some(count)), (count.saturating_sub(1), None)] {
        let expected = expected.filter(|&count| count <= room);
        let (places, _) = places.split_at_mut(room);
        assert_eq!(ok(engine.make_hint(p, &ct0_p, gamma2, places)), expected, "make_hint");
        assert_eq!(
            ok(engine.make_hint_compact(&compact, &ct0_p, gamma2, places)),
            expected,
            "make_hint_compact"
        );
    }
    ok(engine.make_hint(p, &ct0_p, gamma2, &mut places));
    assert!(
        places.iter().take(count).map(|&n| usize::from(n)).eq((0..N).filter(changes)),
        "make_hint: places"
    );
    engine.release(&mut ct0_p);

    // w1 with the hint, and without.
    let m = (Q - 1) / (2 * gamma2);
    let width = if gamma2 == GAMMA2[0] { 6 } else { 4 };
    let places = &places[..count];
    for hinted in [false, true] {
        let (mut packed, mut expected, mut digest) = ([0; 192], [0; 32], [0; 32]);
        for n in 0..N {
            let (r1, r0) = decompose(c[n], gamma2);
            let w1 = match (hinted && places.contains(&(n as u8)), r0 > 0) {
                (false, _) => r1,
                (true, true) => (r1 + 1) % m,
                (true, false) => (r1 + m - 1) % m,
            };
            set_field(&mut packed, width, n, w1);
        }
        Shake256::digest(&[b"w1", &packed[..32 * width]], &mut expected);
        let mut hash = E::Hash::default();
        ok(engine.absorb(&mut hash, b"w1"));
        if hinted {
            let mut w = E::Poly::BLANK;
            ok(engine.copy(&mut w, p));
            ok(engine.absorb_hinted_w1(&mut hash, &mut w, gamma2, places));
            engine.release(&mut w);
        } else {
            ok(engine.absorb_w1(&mut hash, p, gamma2));
        }
        ok(engine.finish(&mut hash, &mut digest));
        assert_eq!(digest, expected, "w1, hinted: {hinted}");
    }
}

fn hashing<E: Engine>(engine: &mut E) {
    let input: [u8; 300] = array::from_fn(|i| i as u8);
    let mut hash = E::Hash::default();
    for len in [0, 1, 135, 136, 137, 271, 272, 300] {
        for out in [1, 32, 64, 136, 137, 272] {
            let (mut expected, mut given) = ([0; 272], [0; 272]);
            Shake256::digest(&[&input[..len]], &mut expected[..out]);
            // The same hash again and again: finishing empties it.
            for piece in input[..len].chunks(47) {
                ok(engine.absorb(&mut hash, piece));
            }
            ok(engine.finish(&mut hash, &mut given[..out]));
            assert_eq!(given, expected, "hash of {len} bytes to {out}");
            let mut given = [0; 272];
            let (head, tail) = input[..len].split_at(len / 3);
            ok(engine.shake256(&[head, &[], tail], &mut given[..out]));
            assert_eq!(given, expected, "shake256 of {len} bytes to {out}");
        }
    }
}

/// Keys and signatures of a set, in every profile, are those of the portable engine.
fn whole<S: ParameterSet, E: Engine>(engine: &mut E) {
    let (mut public_key, mut secret_key) = (S::PublicKey::BLANK, S::SecretKey::BLANK);
    let mut memory = KeygenMemory::<S, Fast, Portable>::BLANK;
    let (pk, sk) = (public_key.as_mut(), secret_key.as_mut());
    ok(raw::keygen::<S, Fast, _>(&mut Portable, &mut memory, &[9; 32], pk, sk));
    // Some that take one attempt and some that take many.
    for mu in (0..4).map(|i| [i; 64]) {
        let mut signature = S::Signature::BLANK;
        let mut memory = SigningMemory::<S, Fast, Portable>::BLANK;
        let attempts =
            ok(raw::sign::<S, Fast, _>(&mut Portable, &mut memory, sk, &mu, &[10; 32], signature.as_mut()));
        let expected = (&*pk, &*sk, signature.as_ref(), attempts);
        profile::<S, Reference, E>(engine, &mu, expected);
        profile::<S, Fast, E>(engine, &mu, expected);
        profile::<S, Small, E>(engine, &mu, expected);
    }
}

fn profile<S: ParameterSet, P: Profile, E: Engine>(
    engine: &mut E,
    mu: &[u8],
    (expected_pk, expected_sk, expected_signature, expected_attempts): (&[u8], &[u8], &[u8], u32),
) {
    fn same<B: ByteArray>(given: &B, expected: &[u8], what: &str) {
        assert!(given.as_ref() == expected, "{what}");
    }
    let (mut pk, mut sk, mut signature) = (S::PublicKey::BLANK, S::SecretKey::BLANK, S::Signature::BLANK);
    let mut memory = KeygenMemory::<S, P, E>::BLANK;
    ok(raw::keygen::<S, P, E>(engine, &mut memory, &[9; 32], pk.as_mut(), sk.as_mut()));
    same(&pk, expected_pk, "public key");
    same(&sk, expected_sk, "secret key");
    let mut derived = S::PublicKey::BLANK;
    ok(raw::public_key::<S, P, E>(engine, &mut memory, sk.as_ref(), derived.as_mut()));
    same(&derived, expected_pk, "public key from the secret key");

    let mut memory = SigningMemory::<S, P, E>::BLANK;
    let attempts =
        ok(raw::sign::<S, P, E>(engine, &mut memory, sk.as_ref(), mu, &[10; 32], signature.as_mut()));
    same(&signature, expected_signature, "signature");
    assert_eq!(attempts, expected_attempts);

    let mut memory = VerifyingMemory::<S, P, E>::BLANK;
    ok(raw::verify::<S, P, E>(engine, &mut memory, pk.as_ref(), mu, signature.as_ref()));
    let other = [0xee; 64];
    let refused = raw::verify::<S, P, E>(engine, &mut memory, pk.as_ref(), &other, signature.as_ref());
    assert!(refused.is_err(), "a signature of something else");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portable() {
        conformance(&mut Portable);
    }
}
