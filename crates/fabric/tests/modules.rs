//! Each module alone, against its definition, with random data and random back-pressure, for every parameter.
mod common;

use std::collections::VecDeque;

use common::*;
use pqsoc_fabric::models::*;
use pqsoc_fabric::{Model, Port, Random};

/// A module with a clock.
struct Bench {
    model: Model,
    clock: Port,
}

impl Bench {
    fn new(info: &'static Info) -> Self {
        let model = Model::new(info).unwrap();
        Self { clock: model.port("clk_i"), model }
    }

    fn set(&mut self, port: &str, value: u64) {
        self.model.set(self.model.port(port), value);
    }

    fn get(&self, port: &str) -> u64 {
        self.model.get(self.model.port(port))
    }

    /// Lets outputs follow inputs within the cycle.
    fn settle(&mut self) {
        self.model.set(self.clock, 0);
        self.model.eval();
    }

    /// The clock edge that ends the cycle.
    fn edge(&mut self) {
        self.settle();
        self.model.set(self.clock, 1);
        self.model.eval();
    }

    /// A packed array of `count` elements of `bits` bits.
    fn elements(&self, port: &str, bits: usize, count: usize) -> Vec<u32> {
        let port = self.model.port(port);
        let bytes = if bits * count > 64 {
            self.model.get_wide(port)
        } else {
            self.model.get(port).to_le_bytes().to_vec()
        };
        let bit = |i: usize| u32::from(bytes[i / 8] >> (i % 8) & 1);
        (0..count).map(|e| (0..bits).map(|b| bit(e * bits + b) << b).sum()).collect()
    }

    fn set_elements(&mut self, port: &str, bits: usize, values: &[u32]) {
        let port = self.model.port(port);
        let mut bytes = vec![0u8; (bits * values.len()).div_ceil(32) * 4];
        for (e, value) in values.iter().enumerate() {
            for b in 0..bits {
                bytes[(e * bits + b) / 8] |= ((value >> b & 1) as u8) << ((e * bits + b) % 8);
            }
        }
        if bits * values.len() > 64 {
            self.model.set_wide(port, &bytes);
        } else {
            bytes.resize(8, 0);
            self.model.set(port, u64::from_le_bytes(bytes.try_into().unwrap()));
        }
    }
}

#[test]
fn mod_reduce() {
    let mut bench = Bench::new(&MOD_REDUCE);
    let mut random = Random::new(1);
    let q = Q as u64;
    let mut products: Vec<u64> =
        vec![0, 1, q - 1, q, q + 1, (q - 1) * (q - 1), (1 << 46) - 1, 1 << 45, 1 << 23, (1 << 23) - 1];
    products.extend((0..2048).map(|i| i << 35 | 0x7_ffff_ffff));
    products.extend((0..1 << 20).map(|_| random.bits() >> 18));
    let mut expected = VecDeque::new();
    for (i, product) in products.iter().enumerate() {
        bench.set("product_i", *product);
        bench.edge();
        expected.push_back(product % q);
        if i >= 3 {
            assert_eq!(bench.get("residue_o"), expected.pop_front().unwrap());
        }
    }
}

/// A polynomial unit with its memory in Rust, laid out as poly_mem's documentation says.
struct PolyBench {
    bench: Bench,
    butterflies: usize,
    /// bank, word
    memory: Vec<Vec<u32>>,
    /// Every write, in order: slot, coefficient, value.
    trace: Vec<(usize, usize, u32)>,
}

impl PolyBench {
    fn new(info: &'static Info, butterflies: usize) -> Self {
        let memory = vec![vec![0; 4 * 128 / butterflies]; 2 * butterflies];
        Self { bench: Bench::new(info), butterflies, memory, trace: Vec::new() }
    }

    /// Bank and word of a coefficient.
    fn place(&self, slot: usize, i: usize) -> (usize, usize) {
        let b = self.butterflies;
        let parity = (i / b).count_ones() as usize & 1;
        (parity * b + i % b, slot * (128 / b) + i / (2 * b))
    }

    fn put(&mut self, slot: usize, poly: &Poly) {
        for (i, &c) in poly.iter().enumerate() {
            let (bank, word) = self.place(slot, i);
            self.memory[bank][word] = c;
        }
    }

    fn poly(&self, slot: usize) -> Poly {
        std::array::from_fn(|i| {
            let (bank, word) = self.place(slot, i);
            self.memory[bank][word]
        })
    }

    /// Cycles from start_i to done_o.
    fn run(&mut self, op: u64, dst: u64, a: u64, b: u64) -> u64 {
        let banks = 2 * self.butterflies;
        let width = (4 * 128 / self.butterflies).ilog2() as usize;
        for (port, value) in [("op_i", op), ("dst_i", dst), ("a_i", a), ("b_i", b), ("start_i", 1)] {
            self.bench.set(port, value);
        }
        for cycle in 0.. {
            self.bench.settle();
            let (read, write) =
                (self.bench.elements("raddr_o", width, 2), self.bench.elements("waddr_o", width, 2));
            let enable = self.bench.get("we_o");
            let data = self.bench.elements("wdata_o", 23, banks);
            let done = self.bench.get("done_o") != 0;
            assert!(enable != 0 || data.iter().all(|&d| d == 0), "the write port is zero when idle");
            let out: Vec<u32> =
                (0..banks).map(|k| self.memory[k][read[k / self.butterflies] as usize]).collect();
            for bank in 0..banks {
                if enable >> bank & 1 == 1 {
                    let word = write[bank / self.butterflies] as usize;
                    self.memory[bank][word] = data[bank];
                    let slot = word / (128 / self.butterflies);
                    let i = (0..256).find(|&i| self.place(slot, i) == (bank, word)).unwrap();
                    self.trace.push((slot, i, data[bank]));
                }
            }
            self.bench.edge();
            self.bench.set_elements("rdata_i", 23, &out);
            self.bench.set("start_i", 0);
            if done {
                return cycle;
            }
        }
        unreachable!()
    }
}

fn poly_unit(info: &'static Info, b: usize) {
    let mut unit = PolyBench::new(info, b);
    let mut random = Random::new(2);
    for round in 0..60 {
        let [x, y, z] = match round {
            0 => [[0; 256]; 3],
            1 => [[Q as u32 - 1; 256]; 3],
            _ => [(); 3].map(|()| random_poly(&mut random)),
        };
        unit.put(0, &x);
        unit.put(1, &y);
        unit.put(2, &z);
        let transform = 1024 / b as u64 + 16;
        for (op, layers) in [(0, ntt_layers(&x)), (1, intt_layers(&x))] {
            unit.trace.clear();
            assert_eq!(unit.run(op, 3, 0, 0), transform);
            assert_eq!(unit.poly(3), layers[7]);
            assert_eq!(unit.poly(0), x, "the source stays");
            // Every layer on the way.
            let mut p = [0; 256];
            assert_eq!(unit.trace.len(), 8 * 256);
            for (layer, writes) in unit.trace.chunks(256).enumerate() {
                for &(slot, i, value) in writes {
                    assert_eq!(slot, 3);
                    p[i] = value;
                }
                assert_eq!(p, layers[layer], "operation {op}, layer {layer}");
            }
        }
        let in_place = unit.run(0, 3, 3, 0);
        assert_eq!((in_place, unit.poly(3)), (transform, ntt(&intt(&x))));
        assert_eq!(unit.run(2, 3, 0, 1), 256 / b as u64 + 15);
        assert_eq!(unit.poly(3), pointwise(&x, &y, |x, y| x * y));
        assert_eq!(unit.run(3, 2, 0, 1), 384 / b as u64 + 15);
        assert_eq!(unit.poly(2), pointwise(&pointwise(&x, &y, |x, y| x * y), &z, |p, z| p + z));
        assert_eq!(unit.run(4, 0, 0, 0), 256 / b as u64 + 16);
        assert_eq!(unit.poly(0), pointwise(&x, &x, |x, y| x + y));
        unit.run(5, 1, 0, 1);
        assert_eq!(unit.poly(1), pointwise(&unit.poly(0), &y, |x, y| x - y));
    }
}

#[test]
fn poly_unit_4() {
    poly_unit(&POLY_UNIT_4, 4);
}
#[test]
fn poly_unit_2() {
    poly_unit(&POLY_UNIT_2, 2);
}
#[test]
fn poly_unit_1() {
    poly_unit(&POLY_UNIT_1, 1);
}

fn keccak(info: &'static Info, rounds: usize) {
    let mut bench = Bench::new(info);
    let mut random = Random::new(3);
    let state_port = bench.model.port("state_o");
    let lanes_of = |bench: &Bench| -> [u64; 25] {
        let bytes = bench.model.get_wide(state_port);
        std::array::from_fn(|i| u64::from_le_bytes(bytes[8 * i..8 * i + 8].try_into().unwrap()))
    };
    bench.set("clear_i", 1);
    bench.edge();
    bench.set("clear_i", 0);
    let mut lanes = [0u64; 25];
    for round in 0..300 {
        let mut collected = [0; 25];
        for _ in 0..random.below(30) {
            let (lane, data) = (random.below(25), random.bits());
            for (port, value) in [("collect_i", 1), ("lane_i", lane), ("data_i", data)] {
                bench.set(port, value);
            }
            bench.edge();
            bench.set("collect_i", 0);
            collected[lane as usize] = data;
        }
        let (flip, last) = (random.below(2), [8, 16, 20][random.below(3) as usize]);
        for (port, value) in [("add_i", 1), ("add_last_i", flip), ("last_lane_i", last)] {
            bench.set(port, value);
        }
        bench.edge();
        bench.set("add_i", 0);
        for (lane, collected) in lanes.iter_mut().zip(collected) {
            *lane ^= collected;
        }
        lanes[last as usize] ^= flip << 63;
        bench.set("start_i", 1);
        for cycle in 0..24 / rounds {
            bench.settle();
            assert_eq!(bench.get("busy_o"), u64::from(cycle > 0));
            bench.edge();
            bench.set("start_i", 0);
            for r in 0..rounds {
                round_of(&mut lanes, cycle * rounds + r);
            }
            assert_eq!(lanes_of(&bench), lanes, "permutation {round}, cycle {cycle}");
        }
        bench.settle();
        assert_eq!(bench.get("busy_o"), 0, "24 / {rounds} cycles");
    }
}

/// One round of FIPS 202, section 3.3, step by step on bits of lanes.
fn round_of(a: &mut [u64; 25], round: usize) {
    let c: [u64; 5] = std::array::from_fn(|x| (0..5).fold(0, |sum, y| sum ^ a[5 * y + x]));
    for i in 0..25 {
        a[i] ^= c[(i + 4) % 5] ^ c[(i + 1) % 5].rotate_left(1);
    }
    // rho: algorithm 2
    let mut rotated = *a;
    let (mut x, mut y) = (1, 0);
    for t in 0..24u32 {
        rotated[5 * y + x] = a[5 * y + x].rotate_left((t + 1) * (t + 2) / 2 % 64);
        (x, y) = (y, (2 * x + 3 * y) % 5);
    }
    // pi: algorithm 3, then chi: algorithm 4
    let moved: [u64; 25] = std::array::from_fn(|i| rotated[5 * (i % 5) + (i % 5 + 3 * (i / 5)) % 5]);
    *a = std::array::from_fn(|i| {
        let row = i / 5 * 5;
        moved[i] ^ (!moved[row + (i + 1) % 5] & moved[row + (i + 2) % 5])
    });
    a[0] ^= pqsoc_keccak::ROUND_CONSTANTS[round];
}

#[test]
fn keccak_1() {
    keccak(&KECCAK_1, 1);
}
#[test]
fn keccak_2() {
    keccak(&KECCAK_2, 2);
}

/// Drives the sponge alone.
struct SpongeBench {
    bench: Bench,
    random: Random,
}

impl SpongeBench {
    fn edge(&mut self, inputs: &[(&str, u64)]) {
        for (port, value) in inputs {
            self.bench.set(port, *value);
        }
        self.bench.edge();
        for (port, _) in inputs {
            self.bench.set(port, 0);
        }
    }

    /// Waits until the state is at rest.
    fn rest(&mut self) {
        for _ in 0..100 {
            self.bench.settle();
            if self.bench.get("busy_o") == 0 {
                return;
            }
            self.bench.edge();
        }
        panic!("busy for ever");
    }

    /// Saves the sponge, wipes it, restores it.
    fn interrupt(&mut self) {
        self.rest();
        self.edge(&[("capture_i", 1)]);
        self.rest();
        let mut words = Vec::new();
        for index in 0..26 {
            self.edge(&[("save_i", 1), ("save_index_i", index)]);
            self.bench.settle();
            assert_eq!(self.bench.get("save_valid_o"), 1);
            words.push(self.bench.get("save_data_o"));
        }
        self.edge(&[("init_i", 1)]);
        for (index, word) in (0..).zip(words) {
            self.edge(&[("restore_valid_i", 1), ("restore_index_i", index), ("restore_data_i", word)]);
        }
        self.rest();
    }

    /// A hash, with random pauses, interrupted now and then if that is asked for.
    fn hash(&mut self, hash: u64, message: &[u8], length: usize, interrupts: bool) -> Vec<u8> {
        self.bench.set("hash_i", hash);
        self.edge(&[("init_i", 1)]);
        for chunk in message.chunks(8) {
            // What does not count is not zero.
            let mut bytes = [0xee; 8];
            bytes[..chunk.len()].copy_from_slice(chunk);
            let word = u64::from_le_bytes(bytes);
            loop {
                if self.random.chance(30) {
                    self.bench.edge();
                }
                self.bench.settle();
                let ready = self.bench.get("absorb_ready_o") != 0;
                self.edge(&[
                    ("absorb_valid_i", 1),
                    ("absorb_data_i", word),
                    ("absorb_bytes_i", chunk.len() as u64),
                ]);
                if ready {
                    break;
                }
            }
            if interrupts && self.random.chance(10) {
                self.interrupt();
            }
        }
        self.rest();
        self.edge(&[("pad_i", 1)]);
        let mut out = Vec::new();
        while out.len() < length {
            let bytes = (length - out.len()).min(8);
            let ready = self.random.below(2);
            self.bench.set("squeeze_ready_i", ready);
            self.bench.set("squeeze_bytes_i", bytes as u64);
            self.bench.settle();
            let (valid, data) = (self.bench.get("squeeze_valid_o"), self.bench.get("squeeze_data_o"));
            self.bench.edge();
            self.bench.set("squeeze_ready_i", 0);
            if valid & ready != 0 {
                out.extend_from_slice(&data.to_le_bytes()[..bytes]);
                if interrupts && self.random.chance(10) {
                    self.interrupt();
                }
            }
        }
        out
    }
}

#[test]
fn sponge() {
    use pqsoc_keccak::{Sha3_256, Sha3_512, Shake128, Shake256};
    let mut bench = SpongeBench { bench: Bench::new(&SPONGE), random: Random::new(8) };
    bench.edge(&[("clear_i", 1)]);
    for length in 0..600 {
        let message = bench.random.bytes(length);
        let out = 1 + bench.random.below(500) as usize;
        let (mut shake128, mut shake256) = (vec![0; out], vec![0; out]);
        Shake128::digest(&[&message], &mut shake128);
        Shake256::digest(&[&message], &mut shake256);
        let (sha256, sha512) = (Sha3_256::digest(&[&message]), Sha3_512::digest(&[&message]));
        for (hash, expected) in (0..).zip([&sha256[..], &sha512[..], &shake128[..], &shake256[..]]) {
            let got = bench.hash(hash, &message, expected.len(), length % 3 == 0);
            assert_eq!(got, expected, "hash {hash} of {length} bytes");
        }
    }
}

/// The ports of the sampler, looked up once: millions of cycles follow.
struct SamplerBench {
    bench: Bench,
    random: Random,
    word_valid: Port,
    word: Port,
    word_ready: Port,
    valid: Port,
    index: Port,
    coefficient: Port,
    done: Port,
}

impl SamplerBench {
    fn new() -> Self {
        let mut bench = Bench::new(&SAMPLER);
        bench.set("clear_i", 1);
        bench.edge();
        bench.set("clear_i", 0);
        let port = |name| bench.model.port(name);
        Self {
            word_valid: port("word_valid_i"),
            word: port("word_i"),
            word_ready: port("word_ready_o"),
            valid: port("valid_o"),
            index: port("index_o"),
            coefficient: port("coefficient_o"),
            done: port("done_o"),
            random: Random::new(4),
            bench,
        }
    }

    /// One polynomial, its input offered at random.
    fn sample(&mut self, kind: u64, tau: u64, mut xof: impl FnMut(&mut [u8])) -> Poly {
        let bench = &mut self.bench;
        while {
            bench.settle();
            bench.get("ready_o") == 0
        } {
            bench.edge();
        }
        for (port, value) in [("start_i", 1), ("kind_i", kind), ("tau_i", tau), ("word_valid_i", 0)] {
            bench.set(port, value);
        }
        bench.edge();
        bench.set("start_i", 0);
        let mut poly = [u32::MAX; 256];
        let mut next = 0;
        let mut word = None;
        loop {
            if word.is_none() && self.random.chance(80) {
                let mut bytes = [0; 8];
                xof(&mut bytes);
                word = Some(u64::from_le_bytes(bytes));
            }
            bench.model.set(self.word_valid, u64::from(word.is_some()));
            bench.model.set(self.word, word.unwrap_or(0));
            bench.settle();
            if bench.model.get(self.done) != 0 {
                assert_eq!(next, 256);
                return poly;
            }
            if bench.model.get(self.valid) != 0 {
                assert_eq!(bench.model.get(self.index), next);
                poly[next as usize] = bench.model.get(self.coefficient) as u32;
                next += 1;
            }
            if bench.model.get(self.word_ready) != 0 {
                word = None;
            }
            bench.edge();
        }
    }
}

/// 10 000 polynomials of every kind.
#[test]
fn sampler() {
    use pqsoc_keccak::{Shake128, Shake256};
    let mut bench = SamplerBench::new();
    for round in 0..10_000u32 {
        let seed = round.to_le_bytes();
        let mut shake = Shake128::new();
        shake.absorb(&seed);
        let mut output = shake.finish();
        assert_eq!(bench.sample(0, 0, |out| output.squeeze(out)), sample_uniform(&seed));
        let expected = [
            sample_eta(&seed, 2),
            sample_eta(&seed, 4),
            sample_mask(&seed, 18),
            sample_mask(&seed, 20),
            sample_ball(&seed, 1 + round as usize % 64),
        ];
        for (kind, expected) in (1..).zip(expected) {
            let mut shake = Shake256::new();
            shake.absorb(&seed);
            let mut output = shake.finish();
            let tau = u64::from(1 + round % 64);
            assert_eq!(bench.sample(kind, tau, |out| output.squeeze(out)), expected, "kind {kind}");
        }
    }
}

#[test]
fn stream_buffer() {
    let mut bench = Bench::new(&STREAM_BUFFER);
    let mut random = Random::new(5);
    bench.edge();
    bench.set("rst_ni", 1);
    let (mut sent, mut offered) = (VecDeque::new(), None);
    for (offer, accept) in [(100, 100), (30, 100), (100, 30), (50, 50)] {
        let mut received = 0;
        for _ in 0..20_000 {
            if offered.is_none() && random.chance(offer) {
                offered = Some(random.bits());
            }
            bench.set("s_valid_i", u64::from(offered.is_some()));
            bench.set("s_data_i", offered.unwrap_or(0));
            let ready = random.chance(accept);
            bench.set("m_ready_i", u64::from(ready));
            bench.settle();
            if bench.get("m_valid_o") != 0 {
                assert_eq!(Some(&bench.get("m_data_o")), sent.front(), "first in, first out");
                if ready {
                    sent.pop_front();
                    received += 1;
                }
            } else {
                assert_eq!(bench.get("m_data_o"), 0);
            }
            if offered.is_some() && bench.get("s_ready_o") != 0 {
                sent.push_back(offered.take().unwrap());
            }
            bench.edge();
        }
        assert!(sent.len() <= 2);
        // The slower side sets the pace; two equal sides that pause at random lose some to each other.
        let least = if (offer, accept) == (50, 50) { 38 } else { offer.min(accept) * 95 / 100 };
        assert!(received >= 200 * least, "{received} beats at {offer} and {accept} per cent");
        if (offer, accept) == (100, 100) {
            assert!(received >= 19_998, "full throughput");
        }
    }
}

/// Packets, some abandoned: what was taken comes out, and every packet is ended.
#[test]
fn stream_out() {
    let mut bench = Bench::new(&STREAM_OUT);
    let mut random = Random::new(6);
    bench.edge();
    bench.set("rst_ni", 1);
    let mut expected: VecDeque<(u64, u64, u64)> = VecDeque::new();
    let mut offered: Option<(u64, u64, u64)> = None;
    let mut open = false;
    let mut quiet = false;
    for _ in 0..100_000 {
        let abort = random.chance(2);
        if offered.is_none() && random.chance(70) && !quiet {
            offered = Some((random.bits(), random.below(256), random.below(8) / 7));
        }
        let (data, keep, last) = offered.unwrap_or_default();
        for (port, value) in [
            ("s_valid_i", u64::from(offered.is_some())),
            ("s_data_i", data),
            ("s_keep_i", keep),
            ("s_last_i", last),
            ("abort_i", u64::from(abort)),
            ("m_axis_tready_i", random.below(2)),
        ] {
            bench.set(port, value);
        }
        bench.settle();
        if bench.get("m_axis_tvalid_o") & bench.get("m_axis_tready_i") != 0 {
            let beat = ["m_axis_tdata_o", "m_axis_tkeep_o", "m_axis_tlast_o"].map(|port| bench.get(port));
            assert_eq!(expected.pop_front(), Some(beat.into()));
        }
        if offered.is_some() && bench.get("s_ready_o") != 0 {
            expected.push_back(offered.take().unwrap());
            open = last == 0;
        }
        quiet = false;
        if abort {
            if open {
                expected.push_back((0, 0xff, 1));
            }
            (open, offered, quiet) = (false, None, true);
        }
        bench.edge();
    }
    assert!(expected.len() <= 4);
}

#[test]
fn command_fifo() {
    let mut bench = Bench::new(&COMMAND_FIFO);
    let mut random = Random::new(7);
    bench.set("clear_i", 1);
    bench.edge();
    let mut queue = VecDeque::new();
    let mut popped = None;
    for _ in 0..100_000 {
        let clear = random.below(200) == 0;
        let (push, pop, data) = (random.chance(55), random.chance(50), random.bits());
        for (port, value) in [
            ("clear_i", u64::from(clear)),
            ("push_i", u64::from(push)),
            ("pop_i", u64::from(pop)),
            ("data_i", data),
        ] {
            bench.set(port, value);
        }
        bench.settle();
        assert_eq!(bench.get("level_o"), queue.len() as u64);
        assert_eq!(bench.get("empty_o") != 0, queue.is_empty());
        assert_eq!(bench.get("full_o") != 0, queue.len() == 8);
        if let Some(popped) = popped.take() {
            assert_eq!(bench.get("data_o"), popped);
        }
        let full = queue.len() == 8;
        if pop {
            popped = queue.pop_front();
        }
        if push && !full {
            queue.push_back(data);
        }
        if clear {
            queue.clear();
        }
        bench.edge();
    }
}
