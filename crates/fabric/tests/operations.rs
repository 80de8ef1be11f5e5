//! Every operation of the whole IP against the standards, through its AXI ports.
mod common;

use common::*;
use pqsoc_fabric::{B1R1, B2R2, B4R1, Configuration, Fabric, Pace, Random};
use pqsoc_keccak::{Sha3_256, Sha3_512, Shake128, Shake256};
use pqsoc_registers::{Command, Hash};

/// Runs `commands` as a list with `input` packets; gives the packets that came out.
fn run<C: Configuration>(fabric: &mut Fabric<C>, commands: &[Command], input: &[&[u8]]) -> Vec<Vec<u8>> {
    for packet in input {
        fabric.send(packet);
    }
    fabric.list(commands, 1_000_000).unwrap().expect("time is up").unwrap();
    assert_eq!(fabric.input_left(), 0);
    // The last beats may still be on their way out.
    for _ in 0..100 {
        fabric.step();
    }
    fabric.receive()
}

fn fabric<C: Configuration>() -> Fabric<C> {
    let mut fabric = Fabric::new().unwrap();
    fabric.start().unwrap();
    fabric
}

fn arithmetic<C: Configuration>(rounds: u64, pace: Pace) {
    let mut fabric = fabric::<C>();
    fabric.set_pace(pace, 1);
    let mut random = Random::new(2);
    for round in 0..rounds {
        let (a, b) = (random_poly(&mut random), random_poly(&mut random));
        let commands = [
            Command::load(3),
            Command::load(63),
            Command::ntt(3, 3),
            Command::ntt(0, 63),
            Command::mul(1, 3, 0),
            Command::mac(1, 1, 63),
            Command::add(2, 1, 3),
            Command::sub(4, 2, 63),
            Command::intt(5, 4),
            Command::store(3),
            Command::store(0),
            Command::store(1),
            Command::store(2),
            Command::store(4),
            Command::store(5),
        ];
        let out = run(&mut fabric, &commands, &[&wire(&a), &wire(&b)]);
        let (ta, tb) = (ntt(&a), ntt(&b));
        let mut product = pointwise(&ta, &tb, |x, y| x * y);
        product = std::array::from_fn(|i| {
            ((i64::from(product[i]) + i64::from(product[i]) * i64::from(b[i])) % Q) as u32
        });
        let sum = pointwise(&product, &ta, |x, y| x + y);
        let difference = pointwise(&sum, &b, |x, y| x - y);
        let expected = [ta, tb, product, sum, difference, intt(&difference)];
        for (what, (got, want)) in out.iter().zip(&expected).enumerate() {
            assert_eq!(unwire(got), *want, "round {round}, result {what}");
        }
        assert_eq!(out.len(), expected.len());
    }
}

#[test]
fn arithmetic_4() {
    arithmetic::<B4R1>(4, Pace::FULL);
}
#[test]
fn arithmetic_2() {
    arithmetic::<B2R2>(4, Pace::FULL);
}
#[test]
fn arithmetic_1() {
    arithmetic::<B1R1>(4, Pace::RANDOM);
}
#[test]
fn arithmetic_under_back_pressure() {
    arithmetic::<B4R1>(2, Pace::RANDOM);
}

/// Transforms of 10 000 polynomials, each there and back through the bus.
fn transforms<C: Configuration>(rounds: u64) {
    let mut fabric = fabric::<C>();
    let mut random = Random::new(6);
    for round in 0..rounds {
        let p = random_poly(&mut random);
        let commands =
            [Command::load(0), Command::ntt(1, 0), Command::intt(0, 0), Command::store(1), Command::store(0)];
        let out = run(&mut fabric, &commands, &[&wire(&p)]);
        assert_eq!([unwire(&out[0]), unwire(&out[1])], [ntt(&p), intt(&p)], "round {round}");
    }
}

#[test]
fn transforms_4() {
    transforms::<B4R1>(10_000);
}
#[test]
fn transforms_2() {
    transforms::<B2R2>(1_000);
}
#[test]
fn transforms_1() {
    transforms::<B1R1>(1_000);
}

fn samplers<C: Configuration>(rounds: u64) {
    let mut fabric = fabric::<C>();
    let mut random = Random::new(3);
    for round in 0..rounds {
        let seed = random.bytes(64);
        let nonce = random.bits() as u16;
        let commands = [
            Command::string_load(10, 8),
            Command::sample_uniform(0, 10, nonce),
            Command::sample_eta2(1, 10, nonce),
            Command::sample_eta4(2, 10, nonce),
            Command::sample_mask17(3, 10, nonce),
            Command::sample_mask19(4, 10, nonce),
            Command::sample_ball(5, 10, 4, 39),
            Command::sample_ball(6, 10, 6, 49),
            Command::sample_ball(7, 10, 8, 60),
            Command::store(0),
            Command::store(1),
            Command::store(2),
            Command::store(3),
            Command::store(4),
            Command::store(5),
            Command::store(6),
            Command::store(7),
        ];
        let out = run(&mut fabric, &commands, &[&seed]);
        let with = |length: usize| [&seed[..length], &nonce.to_le_bytes()].concat();
        let expected = [
            sample_uniform(&with(32)),
            sample_eta(&with(64), 2),
            sample_eta(&with(64), 4),
            sample_mask(&with(64), 18),
            sample_mask(&with(64), 20),
            sample_ball(&seed[..32], 39),
            sample_ball(&seed[..48], 49),
            sample_ball(&seed[..64], 60),
        ];
        for (what, (got, want)) in out.iter().zip(&expected).enumerate() {
            assert_eq!(unwire(got), *want, "round {round}, sampler {what}");
        }
        assert_eq!(out.len(), expected.len());
    }
}

#[test]
fn samplers_1_round() {
    samplers::<B4R1>(20);
}
#[test]
fn samplers_2_rounds() {
    samplers::<B2R2>(20);
}
#[test]
fn samplers_1_butterfly() {
    samplers::<B1R1>(5);
}

fn hash(hash: Hash, message: &[u8], length: usize) -> Vec<u8> {
    let mut out = vec![0; length];
    match hash {
        Hash::Sha3_256 => out.copy_from_slice(&Sha3_256::digest(&[message])),
        Hash::Sha3_512 => out.copy_from_slice(&Sha3_512::digest(&[message])),
        Hash::Shake128 => Shake128::digest(&[message], &mut out),
        Hash::Shake256 => Shake256::digest(&[message], &mut out),
    }
    out
}

#[test]
fn sponge_of_every_length() {
    let mut fabric = fabric::<B4R1>();
    let mut random = Random::new(4);
    for length in 0..=1000 {
        let message = random.bytes(length);
        let kind = [Hash::Sha3_256, Hash::Sha3_512, Hash::Shake128, Hash::Shake256];
        for (i, kind) in kind.into_iter().enumerate() {
            let out_length = [32, 64, 1 + (length * 7) % 1000, 1 + (length * 5) % 1000][i];
            let commands = [
                Command::hash_init(kind),
                Command::absorb_stream(length as u32),
                Command::squeeze_stream(out_length as u32),
            ];
            let out = run(&mut fabric, &commands, &[&message]);
            assert_eq!(out, [hash(kind, &message, out_length)], "{kind:?} of {length} bytes");
        }
    }
}

fn trees<C: Configuration>() {
    let mut fabric = fabric::<C>();
    let mut random = Random::new(5);
    for words in 2..=4 {
        for (start, steps) in [(0, 15), (0, 0), (3, 4), (14, 1), (15, 0)] {
            let n = 8 * words;
            let seed = random.bytes(n);
            let address: [u8; 32] = random.bytes(32).try_into().unwrap();
            let value = random.bytes(2 * n);
            let w = words as u8;
            let commands = [
                Command::string_load(0, words as u16),
                Command::string_load(4, 4),
                Command::string_load(248, 2 * words as u16),
                Command::tweak(100, 0, 4, w, 248, 2 * w),
                Command::chain(248, 0, 4, w, start, steps),
                Command::string_store(248, words as u16),
                Command::string_store(100, words as u16),
            ];
            let out = run(&mut fabric, &commands, &[&seed, &address, &value]);
            let expected =
                [chain(&value[..n], start, steps, &seed, &address), tweak(n, &seed, &address, &value)];
            assert_eq!(out, expected, "n {n}, {steps} steps from {start}");
        }
    }
}

#[test]
fn trees_1_round() {
    trees::<B4R1>();
}
#[test]
fn trees_2_rounds() {
    trees::<B2R2>();
}
