//! The worked example of hw/README.md, number by number.
mod common;

use common::{Poly, ntt, unwire, wire};
use pqsoc_fabric::{B4R1, Beat, Fabric, beats};
use pqsoc_registers::Command;

const PAGE: &str = include_str!("../../../hw/README.md");

/// The line that the page has for a beat.
fn line(direction: &str, index: usize, beat: &Beat) -> String {
    let last = if beat.last { "last" } else { "-" };
    format!("    {direction:3} beat {index:3}: {:016x} {:02x} {last}\n", beat.data, beat.keep)
}

#[test]
fn worked_example() {
    let mut poly: Poly = [0; 256];
    poly[..3].copy_from_slice(&[1, 2, 3]);
    let input = beats(&wire(&poly));
    let commands = [Command::load(0), Command::ntt(1, 0), Command::store(1)];

    let mut fabric = Fabric::<B4R1>::new().unwrap();
    fabric.start().unwrap();
    fabric.send_beats(&input);
    fabric.list(&commands, 10_000).unwrap().expect("time is up").unwrap();
    for _ in 0..10 {
        fabric.step();
    }
    let output = fabric.take_beats();

    let mut lines = String::new();
    for (i, command) in commands.iter().enumerate() {
        let command = if i == 2 { command.last() } else { *command };
        lines += &format!("    write OPTIONS {:08x}, COMMAND {:08x}", command.options(), command.command());
        lines += "\n";
    }
    for i in [0, 1, 127] {
        lines += &line("in", i, &input[i]);
    }
    for i in [0, 1, 2, 127] {
        lines += &line("out", i, &output[i]);
    }
    for expected in lines.lines() {
        assert!(
            PAGE.contains(expected),
            "hw/README.md does not have this line:\n{expected}\nall of them:\n{lines}"
        );
    }
    // And what comes out is the transform.
    let bytes: Vec<u8> = output.iter().flat_map(|beat| beat.data.to_le_bytes()).collect();
    assert_eq!(unwire(&bytes), ntt(&poly));
}
