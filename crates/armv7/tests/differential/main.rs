// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Instruction by instruction agreement with QEMU, on random sequences of instructions.
//!
//! The slow test runs a million of them beside `qemu-system-arm` and compares registers, flags, FP state, memory and
//! faults. Of the first sixteen thousand it also confirms the digests that the quick test checks without QEMU. Both
//! count what was executed, by the architecture manual's encodings, and let none go without.

mod encodings;
mod image;
mod sequences;

use std::path::Path;
use std::process::Command;

use encodings::Executed;
use image::{CASES, FLAGS, Image, OUTPUT, REGISTERS, STATUS};
use pqsoc_armv7::{
    Bus, BusError, Catch, Cause, Context, CortexM4, Kind, Limit, Memory, Observer, Region, Size, Stop, View,
};
use sequences::Random;

struct Nothing;

impl Bus for Nothing {
    fn read(&mut self, _: u32, _: Size, _: &mut Context<'_>) -> Result<u32, BusError> {
        Err(BusError)
    }

    fn write(&mut self, _: u32, _: Size, _: u32, _: &mut Context<'_>) -> Result<(), BusError> {
        Err(BusError)
    }
}

impl Observer for Executed {
    const INSTRUCTIONS: bool = true;

    fn instruction(&mut self, pc: u32, encoding: u32, _: View<'_>) {
        // The driver around the cases does not count.
        if pc >= Image::CODE {
            self.count(encoding);
        }
    }
}

/// The outputs as this core has them.
fn ours(image: &Image, executed: &mut Executed) -> Vec<u32> {
    let ram = |name, base| Region { name, base, size: 4 << 20, kind: Kind::Ram { execute: true } };
    let memory = Memory::new(&[ram("code", 0), ram("data", 0x2000_0000)]).unwrap();
    let mut core = CortexM4::new(memory, Nothing);
    core.memory.write(0, &image.code).unwrap();
    core.memory.write(0x2000_0000, &image.ram).unwrap();
    core.reset();
    let stop = core.run_observed(Limit::cycles(200_000_000), executed);
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

/// UFSR.DIVBYZERO in CFSR.
const DIVIDED_BY_ZERO: u32 = 1 << 25;

/// Differences of one image, told in words.
///
/// A division that traps loses QEMU 7.2 the registers and flags written just before it, which it keeps in host
/// registers across that call: after such a fault they are not compared.
fn compare(image: &Image, ours: &[u32], theirs: &[u32], who: &str) -> Vec<String> {
    assert_eq!(ours.len(), theirs.len());
    let mut told = Vec::new();
    for n in 0..CASES {
        let (a, b) = (&ours[OUTPUT * n..OUTPUT * (n + 1)], &theirs[OUTPUT * n..OUTPUT * (n + 1)]);
        let lost = a[STATUS] == DIVIDED_BY_ZERO && b[STATUS] == DIVIDED_BY_ZERO;
        let wrong: Vec<String> = (0..OUTPUT)
            .filter(|w| a[*w] != b[*w] && !(lost && (*w == FLAGS || REGISTERS.contains(w))))
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

/// Cases that one digest stands for.
const SHARE: usize = 500;

/// FNV-1a over the words that count of each share of the cases.
fn digests(outputs: &[u32]) -> Vec<u64> {
    let digest = |share: &[u32]| {
        let words = share.iter().enumerate().filter(|(at, _)| image::name(at % OUTPUT).is_some());
        words.fold(0xcbf2_9ce4_8422_2325u64, |hash, (_, word)| {
            word.to_le_bytes().iter().fold(hash, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
        })
    };
    outputs.chunks(SHARE * OUTPUT).map(digest).collect()
}

/// Of the images 1 to 4; the slow test confirms them, and prints QEMU's if they are others.
#[rustfmt::skip]
const DIGESTS: [u64; 4 * CASES / SHARE] = [
    0x0ece_94bb_478f_5fba, 0x0b50_4f59_c95d_1d96, 0xd395_e5c2_9bd1_77c3, 0xacd0_5db5_32a2_1914,
    0x38f5_66f2_0b20_43ae, 0x6a91_3be2_11b3_8693, 0x6d4f_bc23_c4b3_c383, 0x8a1d_af9d_b1b0_6895,
    0x512c_2d53_85b8_f381, 0xd921_1a64_6861_a733, 0x1080_2ad1_9c57_7cb9, 0x9f9c_3be4_d906_7379,
    0xd2ea_99de_8fd9_8ca8, 0x76ad_977a_a080_8623, 0x275e_9ec6_39a6_bb32, 0xe2de_6ead_b9bf_1d65,
    0x1f83_6997_36eb_0ea2, 0xbc70_4f93_49df_b7ce, 0x2362_961b_cb24_efa3, 0x5356_9678_c0b7_d1e4,
    0xed73_ca5f_e863_5570, 0x8ebf_875c_9a07_03f2, 0x1f00_153d_ae40_9f59, 0x4cde_4301_1be4_553f,
    0xd307_c90d_4848_7aa3, 0xce02_6686_cfd3_bdba, 0x15c8_64aa_125d_a886, 0x9c48_740b_ebb0_b0f7,
    0xcfa0_deae_52f2_6ec7, 0x764a_edb7_76f7_5116, 0x8c32_e477_f953_7462, 0x0a93_3fe3_a4ab_57b7,
];

/// Nothing of the architecture went without, and nothing else was executed.
fn check_coverage(executed: &Executed) {
    assert_eq!(executed.missing(), Vec::<&str>::new(), "never executed");
    let (name, times) = executed.least();
    println!(
        "{} encodings, {} instructions; least often: {name}, {times} times; outside the list: {}",
        executed.len(),
        executed.total(),
        executed.unlisted
    );
}

#[test]
fn sequences_give_what_qemu_confirmed() {
    let mut executed = Executed::new();
    for (n, expected) in (1..).zip(DIGESTS.chunks(CASES / SHARE)) {
        let found = digests(&ours(&Image::new(n), &mut executed));
        assert_eq!(found, expected, "image {n}: the slow test says which case differs and how");
    }
    check_coverage(&executed);
}

/// Answers everywhere.
struct Anything;

impl Bus for Anything {
    fn read(&mut self, _: u32, _: Size, _: &mut Context<'_>) -> Result<u32, BusError> {
        Ok(0)
    }

    fn write(&mut self, _: u32, _: Size, _: u32, _: &mut Context<'_>) -> Result<(), BusError> {
        Ok(())
    }
}

/// What the list leaves out and is no fault of the instruction.
fn for_the_core_around(encoding: u32) -> bool {
    match encoding >> 16 {
        // BKPT, SVC, CPS, WFE and WFI, hints without a meaning
        0 => {
            encoding >> 8 == 0xbe
                || encoding >> 8 == 0xdf
                || encoding & 0xffe8 == 0xb660
                || encoding & 0xff0f == 0xbf00
        }
        0xf3af => encoding & 0xff00 == 0x8000,
        _ => false,
    }
}

/// All of one halfword, and many of two: what is not in the list faults, and nothing of the list is UNDEFINED.
#[test]
fn what_is_no_encoding_faults() {
    let list = Executed::new();
    let mut random = Random(1);
    let wide = (0..60_000).map(|n| {
        // Every first halfword, with much of the second
        let first = 0xe800 + n % 0x1800;
        let second = random.bits(16);
        first << 16 | if n & 1 == 0 { second } else { second & 0xf0f0 }
    });
    let encodings: Vec<u32> = (0..0xe800).chain(wide).collect();
    let ram = |name, base, size| Region { name, base, size, kind: Kind::Ram { execute: true } };
    let memory = Memory::new(&[ram("code", 0, 4 << 20), ram("data", 0x2000_0000, 1 << 20)]).unwrap();
    let mut core = CortexM4::new(memory, Anything);
    core.catch = Catch { hard: true, configurable: true };
    let place = |n: usize| 0x1000 + 8 * n as u32;
    let mut code = vec![0; place(encodings.len()) as usize];
    code[..8].copy_from_slice(&[0, 0, 8, 0x20, 0x09, 0, 0, 0]);
    code[8..12].copy_from_slice(&[0x01, 0x60, 0, 0xbe]); // str r1, [r0]; bkpt
    for (n, &encoding) in encodings.iter().enumerate() {
        let (first, second) = (encoding >> 16, encoding & 0xffff);
        let halves = if first == 0 { [second, 0xbe00] } else { [first, second] };
        for (i, half) in [halves[0], halves[1], 0xbe00].into_iter().enumerate() {
            code[place(n) as usize + 2 * i..][..2].copy_from_slice(&(half as u16).to_le_bytes());
        }
    }
    core.memory.write(0, &code).unwrap();
    core.reset();
    core.set_register(0, 0xe000_ed88);
    core.set_register(1, 0xf0_0000);
    assert_eq!(core.run(Limit::NONE), Stop::Bkpt(0));
    let mut start = core.registers();
    start.r[..15].fill(0x2008_0000);
    let mut wrong = Vec::new();
    for (n, &encoding) in encodings.iter().enumerate() {
        if for_the_core_around(encoding) {
            continue;
        }
        start.r[15] = place(n);
        core.set_registers(&start);
        let cause = match core.step() {
            Some(Stop::Fault(fault)) => {
                assert_eq!((fault.pc, fault.encoding), (place(n), Some(encoding)));
                Some(fault.cause)
            }
            _ => None,
        };
        let refused = matches!(cause, Some(Cause::Undefined | Cause::NoCoprocessor));
        let right = match list.place(encoding) {
            // A store with PC as its base is UNDEFINED in every form.
            Some(n) => refused == (list.name(n).starts_with("UDF") || encoding & 0xff1f_0000 == 0xf80f_0000),
            None => refused || cause == Some(Cause::Unpredictable),
        };
        if !right {
            wrong.push(format!("{encoding:08x}: {cause:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong, among them {:#?}", wrong.len(), &wrong[..wrong.len().min(40)]);
}

/// Compares image `seed` with QEMU.
fn agree(seed: u64, directory: &Path, executed: &mut Executed) {
    let image = Image::new(seed);
    let theirs = qemu(&image, directory);
    let differences = compare(&image, &ours(&image, executed), &theirs, "QEMU");
    assert!(
        differences.is_empty(),
        "image {seed}: {} cases differ\n{}",
        differences.len(),
        differences[..differences.len().min(12)].join("\n")
    );
    if let Some(expected) = DIGESTS.chunks(CASES / SHARE).nth(seed as usize - 1) {
        let found = digests(&theirs);
        assert!(found == expected, "image {seed}: digests of QEMU's outputs: {found:#018x?}");
    }
}

#[test]
#[ignore = "slow: a million sequences, and needs qemu-system-arm"]
fn a_million_sequences_agree_with_qemu() {
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let work = |first: usize| {
        let directory = tempfile::tempdir().unwrap();
        let mut executed = Executed::new();
        for seed in (1..=1_000_000 / CASES).skip(first).step_by(workers) {
            agree(seed as u64, directory.path(), &mut executed);
        }
        executed
    };
    let mut executed = Executed::new();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|first| scope.spawn(move || work(first))).collect();
        for thread in threads {
            executed.add(&thread.join().unwrap());
        }
    });
    check_coverage(&executed);
}
