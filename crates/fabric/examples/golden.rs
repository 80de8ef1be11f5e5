//! Golden traces: every layer of both transforms and every round of a permutation, by the standard and by the RTL.
//!
//!     cargo run --release -p pqsoc-fabric --example golden -- FOLDER
//!
//! writes `transforms.standard.txt`, `transforms.rtl.txt`, `keccak.standard.txt` and `keccak.rtl.txt` there, to diff. The
//! RTL side watches the ports of `poly_unit` and `keccak_f1600`. With `--wave FILE` (and the feature `wave`) it also writes
//! a waveform of the whole IP while it loads, transforms and stores a polynomial.
#[path = "../tests/common/mod.rs"]
mod common;

use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use common::{Poly, intt_layers, ntt_layers, random_poly, wire};
use pqsoc_fabric::models::{KECCAK_1, POLY_UNIT_1};
use pqsoc_fabric::{B4R1, Fabric, Model, Random};
use pqsoc_registers::Command;

fn main() -> Result<(), Box<dyn Error>> {
    let mut folder = String::from(".");
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--wave" {
            wave(Path::new(&arguments.next().ok_or("--wave needs a file")?))?;
        } else {
            folder = argument;
        }
    }
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    let poly = random_poly(&mut Random::new(1));
    let standard = [("NTT", ntt_layers(&poly)), ("inverse NTT", intt_layers(&poly))];
    let rtl = [("NTT", transform(&poly, 0)?), ("inverse NTT", transform(&poly, 1)?)];
    fs::write(folder.join("transforms.standard.txt"), layers(&standard))?;
    fs::write(folder.join("transforms.rtl.txt"), layers(&rtl))?;

    let mut random = Random::new(2);
    let state: [u64; 25] = std::array::from_fn(|_| random.bits());
    let mut standard = vec![state];
    let mut lanes = state;
    for constant in pqsoc_keccak::ROUND_CONSTANTS {
        pqsoc_keccak::keccak_round(&mut lanes, constant);
        standard.push(lanes);
    }
    fs::write(folder.join("keccak.standard.txt"), rounds(&standard))?;
    fs::write(folder.join("keccak.rtl.txt"), rounds(&permutation(&state)?))?;
    Ok(())
}

fn layers(transforms: &[(&str, Vec<Poly>)]) -> String {
    let mut text = String::new();
    for (name, layers) in transforms {
        for (layer, poly) in layers.iter().enumerate() {
            for (i, c) in poly.iter().enumerate() {
                let _ = writeln!(text, "{name} layer {layer} coefficient {i:3} {c:7}");
            }
        }
    }
    text
}

fn rounds(states: &[[u64; 25]]) -> String {
    let mut text = String::new();
    for (round, lanes) in states.iter().enumerate() {
        for (i, lane) in lanes.iter().enumerate() {
            let _ = writeln!(text, "after {round:2} rounds lane x={} y={} {lane:016x}", i % 5, i / 5);
        }
    }
    text
}

/// The layers of a transform as the polynomial unit with one butterfly writes them.
fn transform(poly: &Poly, op: u64) -> Result<Vec<Poly>, Box<dyn Error>> {
    let mut model = Model::new(&POLY_UNIT_1)?;
    let place = |i: usize| (i.count_ones() as usize & 1, i / 2);
    // Two banks of four slots of 128 words; the polynomial is in slot 0.
    let mut memory = vec![[0u64; 512]; 2];
    for (i, &c) in poly.iter().enumerate() {
        let (bank, word) = place(i);
        memory[bank][word] = u64::from(c);
    }
    let port = |model: &Model, name: &str| model.port(name);
    let (clock, start) = (port(&model, "clk_i"), port(&model, "start_i"));
    let (raddr, rdata) = (port(&model, "raddr_o"), port(&model, "rdata_i"));
    let (we, waddr, wdata) = (port(&model, "we_o"), port(&model, "waddr_o"), port(&model, "wdata_o"));
    let done = port(&model, "done_o");
    model.set(port(&model, "op_i"), op);
    model.set(start, 1);
    let (mut current, mut written, mut layers) = (*poly, 0, Vec::new());
    loop {
        model.set(clock, 0);
        model.eval();
        let (read, write) = (model.get(raddr), model.get(waddr));
        let (enable, data) = (model.get(we), model.get(wdata));
        let finished = model.get(done) != 0;
        let fetched: Vec<u64> =
            (0..2).map(|bank| memory[bank][(read >> (9 * bank)) as usize & 511]).collect();
        for bank in (0..2).filter(|bank| enable >> bank & 1 == 1) {
            let (word, value) = ((write >> (9 * bank)) as usize & 511, data >> (23 * bank) & 0x7f_ffff);
            memory[bank][word] = value;
            let i = (0..256).find(|&i| place(i) == (bank, word & 127)).ok_or("no such word")?;
            current[i] = value as u32;
            written += 1;
        }
        if written == 256 {
            layers.push(current);
            written = 0;
        }
        if finished {
            return Ok(layers);
        }
        model.set(clock, 1);
        model.eval();
        model.set(rdata, fetched[0] | fetched[1] << 23);
        model.set(start, 0);
    }
}

/// The states of a permutation by `keccak_f1600` with one round a cycle, the first being the input.
fn permutation(state: &[u64; 25]) -> Result<Vec<[u64; 25]>, Box<dyn Error>> {
    let mut model = Model::new(&KECCAK_1)?;
    let port = |model: &Model, name: &str| model.port(name);
    let out = port(&model, "state_o");
    let edge = |model: &mut Model, inputs: &[(&str, u64)]| {
        for (name, value) in inputs {
            let port = model.port(name);
            model.set(port, *value);
        }
        let clock = model.port("clk_i");
        model.set(clock, 0);
        model.eval();
        model.set(clock, 1);
        model.eval();
    };
    edge(&mut model, &[("clear_i", 1)]);
    for (i, lane) in state.iter().enumerate() {
        edge(&mut model, &[("clear_i", 0), ("collect_i", 1), ("lane_i", i as u64), ("data_i", *lane)]);
    }
    edge(&mut model, &[("collect_i", 0), ("add_i", 1)]);
    let mut states = Vec::new();
    for cycle in 0..=24 {
        let bytes = model.get_wide(out);
        let (lanes, _) = bytes.as_chunks::<8>();
        states.push(std::array::from_fn(|i| u64::from_le_bytes(lanes[i])));
        edge(&mut model, &[("add_i", 0), ("start_i", u64::from(cycle == 0))]);
    }
    Ok(states)
}

/// A waveform of the whole IP.
fn wave(path: &Path) -> Result<(), Box<dyn Error>> {
    let mut fabric = Fabric::<B4R1>::new()?;
    fabric.wave(path)?;
    fabric.start()?;
    fabric.send(&wire(&random_poly(&mut Random::new(1))));
    fabric
        .list(&[Command::load(0), Command::ntt(1, 0), Command::store(1)], 10_000)?
        .ok_or("time is up")??;
    for _ in 0..10 {
        fabric.step();
    }
    Ok(())
}
