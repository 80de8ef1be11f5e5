//! Every operation of the whole IP against the software engines, through its AXI ports.
mod common;

use common::*;
use pqsoc_fabric::{B1R1, B1R2, B2R1, B2R2, B4R1, B4R2, Configuration, Fabric, Pace, Random};
use pqsoc_keccak::{Sha3_256, Sha3_512, Shake128, Shake256};
use pqsoc_mldsa::{Blank, Challenge, Encoding, Engine, Portable};
use pqsoc_registers::{Cause, Command, Hash};
use pqsoc_slhdsa::engine::{Engine as _, Node, Shake};
use pqsoc_slhdsa::{Address, params};

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
    let top = (C::SLOTS - 1) as u8;
    for round in 0..rounds {
        let (a, b) = (random_poly(&mut random), random_poly(&mut random));
        let commands = [
            Command::load(3),
            Command::load(top),
            Command::ntt(3, 3),
            Command::ntt(0, top),
            Command::mul(1, 3, 0),
            Command::mac(1, 1, top),
            Command::add(2, 1, 3),
            Command::sub(4, 2, top),
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
fn arithmetic_1_with_16_slots() {
    arithmetic::<B1R2>(4, Pace::RANDOM);
}
#[test]
fn arithmetic_4_with_256_slots() {
    arithmetic::<B4R2>(4, Pace::RANDOM);
}
#[test]
fn arithmetic_under_back_pressure() {
    arithmetic::<B4R1>(2, Pace::RANDOM);
}

/// A polynomial of the software engine: a coefficient vector or a transform.
fn to_engine(engine: &mut Portable, p: &Poly) -> <Portable as Engine>::Poly {
    let mut poly = Blank::BLANK;
    let Ok(()) = engine.load(&mut poly, p);
    poly
}

fn from_engine(engine: &mut Portable, p: &<Portable as Engine>::Poly) -> Poly {
    let mut coefficients = [0; 256];
    let Ok(()) = engine.store(p, &mut coefficients);
    coefficients
}

/// Transforms of random polynomials, both ways, against the software engine.
fn transforms<C: Configuration>(rounds: u64) {
    let (mut fabric, mut engine) = (fabric::<C>(), Portable);
    let mut random = Random::new(6);
    // The software engine takes products back only; of a transform and this one it is the transform itself.
    let one = to_engine(&mut engine, &[1; 256]);
    for round in 0..rounds {
        let p = random_poly(&mut random);
        let commands =
            [Command::load(0), Command::ntt(1, 0), Command::intt(0, 0), Command::store(1), Command::store(0)];
        let out = run(&mut fabric, &commands, &[&wire(&p)]);
        let mut forward = to_engine(&mut engine, &p);
        let Ok(()) = engine.ntt(&mut forward);
        let mut back = Blank::BLANK;
        let transform = to_engine(&mut engine, &p);
        let (Ok(()), Ok(())) = (engine.multiply(&mut back, &transform, &one), engine.intt(&mut back));
        let expected = [from_engine(&mut engine, &forward), from_engine(&mut engine, &back)];
        assert_eq!([unwire(&out[0]), unwire(&out[1])], expected, "round {round}");
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
#[test]
fn transforms_1_with_16_slots() {
    transforms::<B1R2>(300);
}
#[test]
fn transforms_4_with_256_slots() {
    transforms::<B4R2>(300);
}

/// Every slot holds a polynomial of its own, and is a neighbour of the next, the last one of the first.
fn every_slot<C: Configuration>() {
    let mut fabric = fabric::<C>();
    let mut random = Random::new(16);
    let mut polys: Vec<Poly> = (0..C::SLOTS).map(|_| random_poly(&mut random)).collect();
    for (slot, poly) in polys.iter().enumerate() {
        run(&mut fabric, &[Command::load(slot as u8)], &[&wire(poly)]);
    }
    for slot in 0..polys.len() {
        let next = (slot + 1) % polys.len();
        polys[slot] = pointwise(&ntt(&polys[slot]), &polys[next], |x, y| x + y);
        let [slot, next] = [slot, next].map(|slot| slot as u8);
        run(&mut fabric, &[Command::ntt(slot, slot), Command::add(slot, slot, next)], &[]);
    }
    for (slot, poly) in polys.iter().enumerate() {
        assert_eq!(run(&mut fabric, &[Command::store(slot as u8)], &[]), [wire(poly)], "slot {slot}");
    }
}

#[test]
fn each_of_2_slots() {
    every_slot::<B2R1>();
}
#[test]
fn each_of_64_slots() {
    every_slot::<B4R1>();
}
#[test]
fn each_of_256_slots() {
    every_slot::<B4R2>();
}

/// The smallest fabric, two commands at a time: a third is one too many, and a third slot is none.
#[test]
fn two_slots_two_commands() {
    let mut fabric = fabric::<B2R1>();
    let mut random = Random::new(17);
    for pace in [Pace::FULL, Pace::RANDOM] {
        fabric.set_pace(pace, 7);
        for _ in 0..20 {
            let (p, seed) = (random_poly(&mut random), random.bytes(32));
            run(&mut fabric, &[Command::load(0), Command::load(1)], &[&wire(&p), &wire(&p)]);
            run(&mut fabric, &[Command::ntt(0, 0), Command::intt(0, 0)], &[]);
            let out = run(&mut fabric, &[Command::mac(1, 0, 0), Command::store(1)], &[]);
            assert_eq!(out, [wire(&pointwise(&p, &p, |x, _| x + x * x))]);
            run(
                &mut fabric,
                &[Command::string_load(252, 4), Command::sample_uniform(1, 252, 0x0301)],
                &[&seed],
            );
            let out = run(&mut fabric, &[Command::sub(0, 1, 0), Command::store(0)], &[]);
            let sampled = sample_uniform(&[&seed[..], &[1, 3]].concat());
            assert_eq!(out, [wire(&pointwise(&sampled, &p, |x, y| x - y))]);
            run(&mut fabric, &[Command::hash_init(Hash::Shake256), Command::absorb_stream(32)], &[&seed]);
            let out = run(&mut fabric, &[Command::squeeze_stream(200)], &[]);
            assert_eq!(out, [hash(Hash::Shake256, &seed, 200)]);
        }
    }
    let causes =
        [[Command::nop(); 3].to_vec(), vec![Command::load(2)], vec![Command::add(0, 1, 2)]].map(|list| {
            let halt = fabric.list(&list, 1000).unwrap().expect("time is up").unwrap_err();
            fabric.recover().unwrap();
            halt.cause
        });
    assert_eq!(causes, [Cause::FifoFull, Cause::BadSlot, Cause::BadSlot]);
}

/// A sampler: what the fabric is told to do and what the software engine does.
type Sampler = (fn(u8, u8, u16) -> Command, fn(&mut Portable, &[u8], u16) -> Poly);

fn eta(engine: &mut Portable, seed: &[u8], nonce: u16, eta: Encoding) -> Poly {
    let mut out = [Blank::BLANK];
    let Ok(()) = engine.expand_s(&mut out, eta, seed, nonce);
    from_engine(engine, &out[0])
}

fn mask(engine: &mut Portable, seed: &[u8], nonce: u16, gamma1: Encoding) -> Poly {
    let mut out = [Blank::BLANK];
    let Ok(()) = engine.expand_mask(&mut out, gamma1, seed, nonce);
    from_engine(engine, &out[0])
}

fn ball(engine: &mut Portable, seed: &[u8], tau: usize) -> Poly {
    let mut challenge = Challenge::NONE;
    let Ok(()) = engine.sample_in_ball(&mut challenge, seed, tau);
    let mut out = Blank::BLANK;
    let Ok(()) = engine.load_challenge(&mut out, &challenge);
    from_engine(engine, &out)
}

const UNIFORM: Sampler = (Command::sample_uniform, |engine, seed, indices| {
    // FIPS 204, algorithm 32: the column is the first byte.
    let [column, row] = indices.to_le_bytes();
    let mut out = [const { <<Portable as Engine>::Poly as Blank>::BLANK }; 8];
    let (rho, _) = seed.split_first_chunk().unwrap();
    let Ok(()) = engine.expand_a(&mut out, rho, row);
    from_engine(engine, &out[usize::from(column)])
});
const ETA2: Sampler = (Command::sample_eta2, |e, seed, nonce| eta(e, seed, nonce, Encoding::S2));
const ETA4: Sampler = (Command::sample_eta4, |e, seed, nonce| eta(e, seed, nonce, Encoding::S4));
const MASK17: Sampler = (Command::sample_mask17, |e, seed, nonce| mask(e, seed, nonce, Encoding::Z17));
const MASK19: Sampler = (Command::sample_mask19, |e, seed, nonce| mask(e, seed, nonce, Encoding::Z19));
const BALL39: Sampler =
    (|dst, seed, _| Command::sample_ball(dst, seed, 4, 39), |e, seed, _| ball(e, &seed[..32], 39));
const BALL49: Sampler =
    (|dst, seed, _| Command::sample_ball(dst, seed, 6, 49), |e, seed, _| ball(e, &seed[..48], 49));
const BALL60: Sampler =
    (|dst, seed, _| Command::sample_ball(dst, seed, 8, 60), |e, seed, _| ball(e, &seed[..64], 60));

/// Random polynomials of some samplers against the software engine, each with a seed of its own.
fn samplers<C: Configuration>(rounds: u64, samplers: &[Sampler], pace: Pace) {
    let (mut fabric, mut engine) = (fabric::<C>(), Portable);
    fabric.set_pace(pace, 2);
    let mut random = Random::new(3);
    for round in 0..rounds {
        let seed = random.bytes(64);
        // Small enough to be indices too.
        let nonce = random.bits() as u16 & 0x0707;
        let mut commands = vec![Command::string_load(10, 8)];
        for (slot, (command, _)) in (0..).zip(samplers) {
            commands.extend([command(slot, 10, nonce), Command::store(slot)]);
        }
        let out = run(&mut fabric, &commands, &[&seed]);
        assert_eq!(out.len(), samplers.len());
        for (i, (got, (_, software))) in out.iter().zip(samplers).enumerate() {
            assert_eq!(unwire(got), software(&mut engine, &seed, nonce), "round {round}, sampler {i}");
        }
    }
}

const ALL: [Sampler; 8] = [UNIFORM, ETA2, ETA4, MASK17, MASK19, BALL39, BALL49, BALL60];

#[test]
fn samplers_with_rejection() {
    samplers::<B4R1>(10_000, &[UNIFORM, ETA2, ETA4], Pace::FULL);
}
#[test]
fn samplers_without_rejection() {
    samplers::<B4R1>(10_000, &[MASK17, MASK19], Pace::FULL);
}
#[test]
fn samplers_of_challenges() {
    samplers::<B4R1>(3_400, &[BALL39, BALL49, BALL60], Pace::FULL);
}
#[test]
fn samplers_2_rounds() {
    samplers::<B2R2>(100, &ALL, Pace::RANDOM);
}
#[test]
fn samplers_1_butterfly() {
    samplers::<B1R1>(100, &ALL, Pace::RANDOM);
}
#[test]
fn samplers_1_butterfly_2_rounds() {
    samplers::<B1R2>(100, &ALL, Pace::RANDOM);
}
#[test]
fn samplers_4_butterflies_2_rounds() {
    samplers::<B4R2>(100, &ALL, Pace::RANDOM);
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

/// Hashes in several pieces, from strings, the stream and the command itself, to strings and to the stream.
#[test]
fn sponge_in_pieces() {
    let mut fabric = fabric::<B4R1>();
    fabric.set_pace(Pace::RANDOM, 5);
    let mut random = Random::new(14);
    for round in 0..200 {
        let message = random.bytes(8 * random.clone().below(100) as usize);
        let tail = random.bytes(round % 5);
        let (first, second) = message.split_at(8 * random.below(message.len() as u64 / 8 + 1) as usize);
        let strings = [first, &[0; 8]].concat();
        let mut commands =
            vec![Command::string_load(0, strings.len() as u16 / 8), Command::hash_init(Hash::Shake256)];
        if !first.is_empty() {
            commands.push(Command::absorb_string(0, first.len() as u32));
        }
        let mut value = [0; 4];
        value[..tail.len()].copy_from_slice(&tail);
        let words = 1 + random.below(60) as u16;
        commands.extend([
            Command::absorb_stream(second.len() as u32),
            Command::absorb_immediate(u32::from_le_bytes(value), tail.len() as u8),
            Command::squeeze_string(100, words),
            Command::squeeze_stream(13),
            Command::string_store(100, words),
        ]);
        let input: &[&[u8]] = if second.is_empty() { &[&strings] } else { &[&strings, second] };
        let out = run(&mut fabric, &commands, input);
        let length = usize::from(words) * 8;
        let expected = hash(Hash::Shake256, &[&message[..], &tail].concat(), length + 13);
        assert_eq!([&out[1][..], &out[0]].concat(), expected, "round {round}");
    }
}

/// WOTS+ chains and hashes of two nodes against the software engine, for each n.
fn trees<C: Configuration>(rounds: u64) {
    let mut fabric = fabric::<C>();
    let mut random = Random::new(5);
    let sets = [&params::SLH_DSA_SHAKE_128S, &params::SLH_DSA_SHAKE_192S, &params::SLH_DSA_SHAKE_256S];
    for round in 0..rounds {
        let set = sets[round as usize % 3];
        let (n, words) = (set.n, set.n as u8 / 8);
        let start = random.below(16) as u32;
        let steps = random.below(u64::from(16 - start)) as u32;
        let seed = random.bytes(n);
        let mut address = Address::from_bytes(random.bytes(32).try_into().unwrap());
        address.set_hash(start);
        let nodes = random.bytes(2 * n);
        let commands = [
            Command::string_load(0, words.into()),
            Command::string_load(4, 4),
            Command::string_load(248, 2 * u16::from(words)),
            Command::tweak(100, 0, 4, words, 248, 2 * words),
            Command::chain(248, 0, 4, words, start as u8, steps as u8),
            Command::string_store(248, words.into()),
            Command::string_store(100, words.into()),
        ];
        let out = run(&mut fabric, &commands, &[&seed, address.as_bytes(), &nodes]);

        let mut engine = Shake::new();
        let node = |at: usize| -> Node {
            let mut node = [0; 32];
            node[..n].copy_from_slice(&nodes[at..at + n]);
            node
        };
        let (mut value, mut parent, right) = ([node(0)], [node(0)], [node(n)]);
        engine.begin(set, &seed, &[]).unwrap();
        engine.h(&[address], &mut parent, &right).unwrap();
        engine.chain(&mut [address], steps, &mut value).unwrap();
        assert_eq!(out, [&value[0][..n], &parent[0][..n]], "n {n}, {steps} steps from {start}");
    }
}

#[test]
fn trees_1_round() {
    trees::<B4R1>(300);
}
#[test]
fn trees_2_rounds() {
    trees::<B2R2>(100);
}
#[test]
fn trees_2_rounds_4_butterflies() {
    trees::<B4R2>(100);
}
