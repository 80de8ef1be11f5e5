//! Cycles of every operation, printed (`--nocapture`) and held.
mod common;

use common::*;
use pqsoc_fabric::{B1R1, B2R2, B4R1, Configuration, Fabric};
use pqsoc_registers::{Command, Hash};

/// Cycles from taking the command out of the FIFO to its completion, with streams that never wait.
fn measure<C: Configuration>() -> Vec<(&'static str, u32)> {
    let mut fabric = Fabric::<C>::new().unwrap();
    fabric.start().unwrap();
    let commands = [
        ("load", Command::load(0)),
        ("store", Command::store(0)),
        ("ntt", Command::ntt(1, 0)),
        ("intt", Command::intt(1, 0)),
        ("mul", Command::mul(2, 0, 1)),
        ("mac", Command::mac(2, 0, 1)),
        ("add", Command::add(2, 0, 1)),
        ("sub", Command::sub(2, 0, 1)),
        ("hash_init", Command::hash_init(Hash::Shake256)),
        ("permute", Command::permute()),
        ("absorb 136 bytes", Command::absorb_string(0, 136)),
        ("squeeze 32 bytes", Command::squeeze_string(0, 4)),
        ("sample_uniform", Command::sample_uniform(0, 0, 0)),
        ("sample_eta2", Command::sample_eta2(0, 0, 0)),
        ("sample_eta4", Command::sample_eta4(0, 0, 0)),
        ("sample_mask17", Command::sample_mask17(0, 0, 0)),
        ("sample_mask19", Command::sample_mask19(0, 0, 0)),
        ("sample_ball 39", Command::sample_ball(0, 0, 4, 39)),
        ("sample_ball 60", Command::sample_ball(0, 0, 8, 60)),
        ("chain n=16, 15 steps", Command::chain(0, 8, 16, 2, 0, 15)),
        ("chain n=32, 15 steps", Command::chain(0, 8, 16, 4, 0, 15)),
        ("tweak n=16, two nodes", Command::tweak(0, 8, 16, 2, 32, 4)),
        ("tweak n=32, two nodes", Command::tweak(0, 8, 16, 4, 32, 8)),
        ("clear", Command::clear()),
    ];
    let measured = commands.map(|(name, command)| {
        if name == "load" {
            fabric.send(&wire(&[1; 256]));
        }
        fabric.list(&[command], 1_000_000).unwrap().expect("time is up").unwrap();
        (name, fabric.command_cycles().unwrap())
    });
    println!("{} butterflies, {} rounds a cycle", C::BUTTERFLIES, C::ROUNDS);
    for (name, cycles) in measured {
        println!("  {name:24}{cycles:6}");
    }
    measured.to_vec()
}

fn hold(measured: &[(&str, u32)], limits: &[(&str, u32)]) {
    for (name, limit) in limits {
        let (_, cycles) = measured.iter().find(|(measured, _)| measured == name).expect("measured");
        assert!(cycles <= limit, "{name}: {cycles} cycles, {limit} allowed");
    }
}

#[test]
fn four_butterflies_one_round() {
    let measured = measure::<B4R1>();
    hold(&measured, &[("ntt", 300), ("intt", 300), ("mul", 90), ("mac", 122), ("add", 90)]);
    // A command that does nothing takes 4 cycles; a permutation is 24 and adding what was absorbed before it.
    hold(&measured, &[("hash_init", 4), ("permute", 4 + 24 + 2)]);
    hold(&measured, &[("sample_mask17", 350), ("sample_mask19", 350), ("chain n=16, 15 steps", 15 * 60)]);
}

#[test]
fn two_butterflies_two_rounds() {
    let measured = measure::<B2R2>();
    hold(
        &measured,
        &[("ntt", 560), ("intt", 560), ("mul", 154), ("mac", 218), ("chain n=16, 15 steps", 15 * 48)],
    );
    hold(&measured, &[("permute", 4 + 12 + 2)]);
}

#[test]
fn one_butterfly_one_round() {
    hold(&measure::<B1R1>(), &[("ntt", 1070), ("intt", 1070), ("mul", 282), ("mac", 410)]);
}
