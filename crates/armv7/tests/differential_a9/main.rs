// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Instruction by instruction agreement of the Cortex-A9 with another emulator, on random sequences of A32 and T32 with
//! VFP and Advanced SIMD.

mod a32;
mod image;
#[path = "../differential/sequences.rs"]
mod sequences;

use std::path::Path;
use std::process::Command;

use a32::Coverage;
use image::{CASES, Image, OUTPUT, OUTPUTS, SIZE};
use pqsoc_armv7::a9::{Attributes, Context, CortexA9, ExternalAbort, LINE, Options, Stop, System};
use pqsoc_armv7::{Limit, Size};

/// Memory at 0 and nothing else.
struct Ram(Vec<u8>);

impl Ram {
    fn at(&mut self, address: u32, bytes: usize) -> Result<&mut [u8], ExternalAbort> {
        self.0.get_mut(address as usize..address as usize + bytes).ok_or(ExternalAbort)
    }
}

impl System for Ram {
    fn read_line(
        &mut self,
        address: u32,
        _: Attributes,
        _: &mut Context<'_>,
    ) -> Result<[u8; LINE as usize], ExternalAbort> {
        let mut line = [0; LINE as usize];
        line.copy_from_slice(self.at(address, LINE as usize)?);
        Ok(line)
    }

    fn write_line(
        &mut self,
        address: u32,
        line: &[u8; LINE as usize],
        _: Attributes,
        _: &mut Context<'_>,
    ) -> Result<(), ExternalAbort> {
        self.at(address, LINE as usize)?.copy_from_slice(line);
        Ok(())
    }

    fn read(
        &mut self,
        address: u32,
        size: Size,
        _: Attributes,
        _: &mut Context<'_>,
    ) -> Result<u32, ExternalAbort> {
        let bytes = self.at(address, size.bytes() as usize)?;
        Ok(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte)))
    }

    fn write(
        &mut self,
        address: u32,
        size: Size,
        value: u32,
        _: Attributes,
        _: &mut Context<'_>,
    ) -> Result<(), ExternalAbort> {
        let count = size.bytes() as usize;
        self.at(address, count)?.copy_from_slice(&value.to_le_bytes()[..count]);
        Ok(())
    }

    fn peek(&self, address: u32, bytes: &mut [u8]) -> bool {
        self.0.get(address as usize..address as usize + bytes.len()).is_some_and(|from| {
            bytes.copy_from_slice(from);
            true
        })
    }

    fn poke(&mut self, address: u32, bytes: &[u8]) -> bool {
        self.at(address, bytes.len()).is_ok_and(|to| {
            to.copy_from_slice(bytes);
            true
        })
    }
}

/// The outputs as this core has them.
fn ours(image: &Image) -> Vec<u32> {
    assert_eq!(image.memory.len(), SIZE);
    let mut core = CortexA9::new(Ram(image.memory.clone()), Options::default());
    core.semihosting = true;
    let stop = core.run(Limit::cycles(200_000_000));
    assert_eq!(stop, Stop::Semihosting, "at {:#x}, {:?}", core.pc(), core.last_fault());
    let mut bytes = vec![0; 4 * OUTPUT * CASES];
    assert!(core.peek(OUTPUTS, &mut bytes));
    words(&bytes)
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

/// The outputs as QEMU has them.
fn qemu(image: &Image, directory: &Path) -> Vec<u32> {
    std::fs::write(directory.join("image"), &image.memory).unwrap();
    let status = Command::new("qemu-system-arm")
        .current_dir(directory)
        .args(["-M", "xilinx-zynq-a9", "-m", "16", "-display", "none", "-serial", "none", "-monitor", "none"])
        .args(["-semihosting-config", "enable=on,target=native"])
        .args(["-device", "loader,file=image,addr=0,force-raw=on"])
        .status()
        .expect("qemu-system-arm is installed (Debian package qemu-system-arm)");
    assert!(status.success());
    words(&std::fs::read(directory.join("out.bin")).unwrap())
}

/// Differences of one image, told in words.
fn compare(image: &Image, ours: &[u32], theirs: &[u32], who: &str) -> Vec<String> {
    assert_eq!(ours.len(), theirs.len());
    let mut told = Vec::new();
    for (n, case) in image.cases.iter().enumerate() {
        let (a, b) = (&ours[OUTPUT * n..OUTPUT * (n + 1)], &theirs[OUTPUT * n..OUTPUT * (n + 1)]);
        let wrong: Vec<String> = (0..OUTPUT)
            .filter(|&w| a[w] != b[w])
            .filter_map(|w| image::name(w).map(|name| format!("{name}: {:08x}, {who} {:08x}", a[w], b[w])))
            .collect();
        if !wrong.is_empty() {
            let code: Vec<String> = if case.thumb {
                case.code.iter().map(|h| format!("{h:04x}")).collect()
            } else {
                case.code.chunks(2).map(|h| format!("{:04x}{:04x}", h[1], h[0])).collect()
            };
            let input: Vec<String> = image.input(n).iter().map(|w| format!("{w:08x}")).collect();
            told.push(format!(
                "case {n} at {:#x}: {}\n  {}\n  {}",
                case.address,
                wrong.join("; "),
                code.join(" "),
                input.join(" ")
            ));
        }
    }
    told
}

fn check_coverage(coverage: &Coverage) {
    for name in a32::names() {
        assert!(coverage.contains_key(name), "{name} was not covered");
    }
}

/// FNV-1a of the words of an output that count.
fn digest(output: &[u32]) -> u64 {
    output.iter().enumerate().filter(|(w, _)| image::name(w % OUTPUT).is_some()).fold(
        0xcbf2_9ce4_8422_2325,
        |hash, (_, word)| {
            word.to_le_bytes()
                .iter()
                .fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
        },
    )
}

/// Digests of what QEMU 7.2 made of images 1 to 4: `five_hundred_thousand_sequences_agree_with_qemu` prints them.
const DIGESTS: [u64; 4] =
    [0xa118_f339_a530_32cf, 0x98ae_3020_d4b8_3ae8, 0xe7d3_8c0c_93b3_249b, 0xae6e_d041_37aa_f800];

#[test]
fn eight_thousand_sequences_give_what_qemu_gave() {
    let mut coverage = Coverage::new();
    for (seed, expected) in (1..).zip(DIGESTS) {
        let image = Image::new(seed, &mut coverage);
        assert_eq!(digest(&ours(&image)), expected, "image {seed}");
    }
    check_coverage(&coverage);
}

#[test]
#[ignore = "slow: half a million sequences, and needs qemu-system-arm"]
fn five_hundred_thousand_sequences_agree_with_qemu() {
    let directory = tempfile::tempdir().unwrap();
    let mut coverage = Coverage::new();
    for seed in 1..=250 {
        let image = Image::new(seed, &mut coverage);
        let theirs = qemu(&image, directory.path());
        if seed <= DIGESTS.len() as u64 {
            println!("image {seed}: {:#x}", digest(&theirs));
        }
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
