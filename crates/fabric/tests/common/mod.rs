//! What the fabric is compared with, written from FIPS 204, 205 and 202 alone, and helpers.
#![allow(dead_code)] // each test program uses a part

use pqsoc_fabric::Random;
use pqsoc_keccak::{Shake128, Shake256};

/// The modulus. FIPS 204, table 1.
pub const Q: i64 = 8_380_417;

/// Coefficients in 0..q.
pub type Poly = [u32; 256];

/// zeta ^ BitRev8(m) mod q. FIPS 204, appendix B.
pub fn zetas() -> [i64; 256] {
    let mut zetas = [0; 256];
    let mut power = 1;
    for e in 0..256usize {
        zetas[usize::from((e as u8).reverse_bits())] = power;
        power = power * 1753 % Q;
    }
    zetas
}

/// Every layer of FIPS 204, algorithm 41, the last one being the result.
pub fn ntt_layers(w: &Poly) -> Vec<Poly> {
    let zetas = zetas();
    let mut w = w.map(i64::from);
    let mut layers = Vec::new();
    let mut m = 0;
    let mut len = 128;
    while len >= 1 {
        for start in (0..256).step_by(2 * len) {
            m += 1;
            for j in start..start + len {
                let t = zetas[m] * w[j + len] % Q;
                w[j + len] = (w[j] - t).rem_euclid(Q);
                w[j] = (w[j] + t) % Q;
            }
        }
        layers.push(w.map(|c| c as u32));
        len /= 2;
    }
    layers
}

/// Every layer of FIPS 204, algorithm 42, each divided by 2 so that the last one is the result.
pub fn intt_layers(w: &Poly) -> Vec<Poly> {
    let zetas = zetas();
    let half = (Q + 1) / 2;
    let mut w = w.map(i64::from);
    let mut layers = Vec::new();
    let mut m = 256;
    let mut len = 1;
    while len < 256 {
        for start in (0..256).step_by(2 * len) {
            m -= 1;
            for j in start..start + len {
                let t = w[j];
                w[j] = (t + w[j + len]) % Q * half % Q;
                w[j + len] = (Q - zetas[m]) * (t - w[j + len]).rem_euclid(Q) % Q * half % Q;
            }
        }
        layers.push(w.map(|c| c as u32));
        len *= 2;
    }
    layers
}

pub fn ntt(w: &Poly) -> Poly {
    *ntt_layers(w).last().unwrap()
}

pub fn intt(w: &Poly) -> Poly {
    *intt_layers(w).last().unwrap()
}

pub fn pointwise(a: &Poly, b: &Poly, f: impl Fn(i64, i64) -> i64) -> Poly {
    std::array::from_fn(|i| f(i64::from(a[i]), i64::from(b[i])).rem_euclid(Q) as u32)
}

/// FIPS 204, algorithm 30 on a seed that has its indices appended.
pub fn sample_uniform(seed: &[u8]) -> Poly {
    let mut xof = Shake128::new();
    xof.absorb(seed);
    let mut output = xof.finish();
    let mut a = [0; 256];
    let mut j = 0;
    while j < 256 {
        let mut s = [0; 3];
        output.squeeze(&mut s);
        let z = u32::from_le_bytes([s[0], s[1], s[2] & 127, 0]);
        if i64::from(z) < Q {
            a[j] = z;
            j += 1;
        }
    }
    a
}

/// FIPS 204, algorithm 31 and 15.
pub fn sample_eta(seed: &[u8], eta: i64) -> Poly {
    let mut xof = Shake256::new();
    xof.absorb(seed);
    let mut output = xof.finish();
    let mut a = Vec::new();
    while a.len() < 256 {
        let mut z = [0];
        output.squeeze(&mut z);
        for b in [i64::from(z[0] & 15), i64::from(z[0] >> 4)] {
            if eta == 2 && b < 15 {
                a.push((2 - b % 5).rem_euclid(Q) as u32);
            } else if eta == 4 && b < 9 {
                a.push((4 - b).rem_euclid(Q) as u32);
            }
        }
    }
    a.truncate(256);
    a.try_into().unwrap()
}

/// One polynomial of FIPS 204, algorithm 34, gamma1 = 2^(bits - 1).
pub fn sample_mask(seed: &[u8], bits: usize) -> Poly {
    let mut xof = Shake256::new();
    xof.absorb(seed);
    let mut v = vec![0; 32 * bits];
    xof.finish().squeeze(&mut v);
    std::array::from_fn(|i| {
        let z: i64 =
            (0..bits).map(|b| i64::from(v[(i * bits + b) / 8] >> ((i * bits + b) % 8) & 1) << b).sum();
        ((1 << (bits - 1)) - z).rem_euclid(Q) as u32
    })
}

/// FIPS 204, algorithm 29.
pub fn sample_ball(seed: &[u8], tau: usize) -> Poly {
    let mut xof = Shake256::new();
    xof.absorb(seed);
    let mut output = xof.finish();
    let mut s = [0; 8];
    output.squeeze(&mut s);
    let h = u64::from_le_bytes(s);
    let mut c = [0; 256];
    for i in 256 - tau..256 {
        let mut j = [0];
        loop {
            output.squeeze(&mut j);
            if usize::from(j[0]) <= i {
                break;
            }
        }
        c[i] = c[usize::from(j[0])];
        c[usize::from(j[0])] = if h >> (i + tau - 256) & 1 == 1 { Q as u32 - 1 } else { 1 };
    }
    c
}

/// 32-bit coefficients, as they are on the wire.
pub fn wire(p: &Poly) -> Vec<u8> {
    p.iter().flat_map(|c| c.to_le_bytes()).collect()
}

pub fn unwire(bytes: &[u8]) -> Poly {
    assert_eq!(bytes.len(), 1024);
    std::array::from_fn(|i| u32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().unwrap()))
}

pub fn random_poly(random: &mut Random) -> Poly {
    std::array::from_fn(|_| random.below(Q as u64) as u32)
}
