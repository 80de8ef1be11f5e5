// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Instruction by instruction agreement with another emulator, on random sequences.

mod image;
mod sequences;

use std::path::Path;
use std::process::Command;

use image::{CASES, Image, OUTPUT};
use pqsoc_armv7::{Bus, BusError, Context, CortexM4, Kind, Limit, Memory, Region, Size, Stop};
use sequences::Coverage;

struct Nothing;

impl Bus for Nothing {
    fn read(&mut self, _: u32, _: Size, _: &mut Context<'_>) -> Result<u32, BusError> {
        Err(BusError)
    }

    fn write(&mut self, _: u32, _: Size, _: u32, _: &mut Context<'_>) -> Result<(), BusError> {
        Err(BusError)
    }
}

/// The outputs as this core has them.
fn ours(image: &Image) -> Vec<u32> {
    let ram = |name, base| Region { name, base, size: 4 << 20, kind: Kind::Ram { execute: true } };
    let memory = Memory::new(&[ram("code", 0), ram("data", 0x2000_0000)]).unwrap();
    let mut core = CortexM4::new(memory, Nothing);
    core.memory.write(0, &image.code).unwrap();
    core.memory.write(0x2000_0000, &image.ram).unwrap();
    core.reset();
    let stop = core.run(Limit::cycles(200_000_000));
    assert_eq!(stop, Stop::Bkpt(0xab), "at {:#x}, case {}", core.pc(), case(&core));
    let mut bytes = vec![0; 4 * OUTPUT * CASES];
    core.memory.read(Image::outputs(), &mut bytes).unwrap();
    words(&bytes)
}

fn case(core: &CortexM4<Nothing>) -> u32 {
    let mut word = [0; 4];
    core.memory.read(0x2000_0000, &mut word).unwrap();
    u32::from_le_bytes(word)
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

/// The outputs as QEMU has them.
fn qemu(image: &Image, directory: &Path) -> Vec<u32> {
    std::fs::write(directory.join("code"), &image.code).unwrap();
    std::fs::write(directory.join("ram"), &image.ram).unwrap();
    let status = Command::new("qemu-system-arm")
        .current_dir(directory)
        .args(["-M", "mps2-an386", "-display", "none", "-serial", "none", "-monitor", "none"])
        .args(["-semihosting-config", "enable=on,target=native"])
        .args(["-device", "loader,file=code,addr=0", "-device", "loader,file=ram,addr=0x20000000"])
        .status()
        .expect("qemu-system-arm is installed (Debian package qemu-system-arm)");
    assert!(status.success());
    words(&std::fs::read(directory.join("out.bin")).unwrap())
}

/// Differences of one image, told in words.
fn compare(image: &Image, ours: &[u32], theirs: &[u32], who: &str) -> Vec<String> {
    assert_eq!(ours.len(), theirs.len());
    let mut told = Vec::new();
    for n in 0..CASES {
        let (a, b) = (&ours[OUTPUT * n..OUTPUT * (n + 1)], &theirs[OUTPUT * n..OUTPUT * (n + 1)]);
        let wrong: Vec<String> = (0..OUTPUT)
            .filter(|&w| a[w] != b[w])
            .filter_map(|w| image::name(w).map(|name| format!("{name}: {:08x}, {who} {:08x}", a[w], b[w])))
            .collect();
        if !wrong.is_empty() {
            let (at, code) = &image.cases[n];
            let code: Vec<String> = code.iter().map(|h| format!("{h:04x}")).collect();
            let input: Vec<String> = image.input(n).iter().map(|w| format!("{w:08x}")).collect();
            told.push(format!(
                "case {n} at {at:#x}: {}\n  {}\n  {}",
                wrong.join("; "),
                code.join(" "),
                input.join(" ")
            ));
        }
    }
    told
}

fn check_coverage(coverage: &Coverage) {
    let plain = sequences::PLAIN.iter().map(|e| e.0);
    let memory = sequences::MEMORY.iter().map(|e| e.0);
    for name in plain.chain(memory) {
        assert!(coverage.contains_key(name), "{name} was not covered");
    }
}

#[test]
#[ignore = "slow: a million sequences, and needs qemu-system-arm"]
fn a_million_sequences_agree_with_qemu() {
    let directory = tempfile::tempdir().unwrap();
    let mut coverage = Coverage::new();
    for seed in 1..=250 {
        let image = Image::new(seed, &mut coverage);
        let theirs = qemu(&image, directory.path());
        let differences = compare(&image, &ours(&image), &theirs, "QEMU");
        assert!(
            differences.is_empty(),
            "image {seed}: {} cases differ\n{}",
            differences.len(),
            differences[..differences.len().min(12)].join("\n")
        );
    }
    check_coverage(&coverage);
}
