// SPDX-License-Identifier: Apache-2.0 OR MIT

//! A bare-metal program that runs many cases one after the other: loads all registers, runs the case's instructions,
//! stores all registers. Any Cortex-M4 with 4 MB at 0 and 4 MB at 0x2000_0000 can run it, so any emulator can too.

use crate::sequences::{Random, sequence};

/// Cases in one image.
pub const CASES: usize = 4000;
/// Words of a case's output: scratch memory, then from the end down LR, R12 to R0, APSR, FPSCR, S31 to S0, CFSR and
/// the address of the instruction that faulted.
pub const OUTPUT: usize = 128;

const DRIVER: u32 = 0x400;
const RAM: u32 = 0x2000_0000;
const INPUTS: u32 = RAM + 0x1000;
const OUTPUTS: u32 = INPUTS + 256 * CASES as u32;
const TABLE: u32 = OUTPUTS + 512 * CASES as u32;
/// Where a case goes when it is done, and where a fault goes.
const FINISH: u32 = DRIVER + 0x64;
const FAULT: u32 = DRIVER + 0x90;

/// The driver's machine code; its source is beside each line.
#[rustfmt::skip]
const PROGRAM: &[u16] = &[
    // reset
    0x4835, // ldr r0, [pc, #212]
    0x6801, // ldr r1, [r0, #0]
    0xf441, 0x0170, // orr.w r1, r1, #15728640
    0x6001, // str r1, [r0, #0]
    0xf3bf, 0x8f4f, // dsb sy
    0xf3bf, 0x8f6f, // isb sy
    // next
    0xf04f, 0x5000, // mov.w r0, #536870912
    0x6801, // ldr r1, [r0, #0]
    0x6842, // ldr r2, [r0, #4]
    0x4291, // cmp r1, r2
    0xd250, // bcs.n c0 <done>
    0x6883, // ldr r3, [r0, #8]
    0xeb03, 0x2301, // add.w r3, r3, r1, lsl #8
    0x68c4, // ldr r4, [r0, #12]
    0xeb04, 0x2441, // add.w r4, r4, r1, lsl #9
    0xf504, 0x74fe, // add.w r4, r4, #508
    0x6905, // ldr r5, [r0, #16]
    0xf855, 0x5021, // ldr.w r5, [r5, r1, lsl #2]
    0x6025, // str r5, [r4, #0]
    0x46a5, // mov sp, r4
    0x4d28, // ldr r5, [pc, #160]
    0xf8d3, 0x60c0, // ldr.w r6, [r3, #192]
    0x602e, // str r6, [r5, #0]
    0x2500, // movs r5, #0
    0x6145, // str r5, [r0, #20]
    0x6185, // str r5, [r0, #24]
    0xf3bf, 0x8f2f, // clrex
    0xf103, 0x0540, // add.w r5, r3, #64
    0xec95, 0x0a20, // vldmia r5, {s0-s31}
    0x6bdd, // ldr r5, [r3, #60]
    0xeee1, 0x5a10, // vmsr fpscr, r5
    0x6b9d, // ldr r5, [r3, #56]
    0xf385, 0x8c00, // msr CPSR_fs, r5
    0xe893, 0x5fff, // ldmia.w r3, {r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, sl, fp, ip, lr}
    0xbd00, // pop {pc}
    // finish
    0xe92d, 0x5fff, // stmdb sp!, {r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, sl, fp, ip, lr}
    0xf3ef, 0x8000, // mrs r0, CPSR
    0xeef1, 0x1a10, // vmrs r1, fpscr
    0xb403, // push {r0, r1}
    0xed2d, 0x0a20, // vpush {s0-s31}
    0xf04f, 0x5000, // mov.w r0, #536870912
    0x6941, // ldr r1, [r0, #20]
    0x6982, // ldr r2, [r0, #24]
    0xb406, // push {r1, r2}
    0x4b16, // ldr r3, [pc, #88]
    0xf44f, 0x7400, // mov.w r4, #512
    0x601c, // str r4, [r3, #0]
    0x6801, // ldr r1, [r0, #0]
    0x3101, // adds r1, #1
    0x6001, // str r1, [r0, #0]
    0xe7c0, // b.n 12 <next>
    // fault
    0x4813, // ldr r0, [pc, #76]
    0x6801, // ldr r1, [r0, #0]
    0x6001, // str r1, [r0, #0]
    0xf04f, 0x5200, // mov.w r2, #536870912
    0x6151, // str r1, [r2, #20]
    0x9b06, // ldr r3, [sp, #24]
    0x6193, // str r3, [r2, #24]
    0xf2af, 0x0340, // subw r3, pc, #64
    0x9306, // str r3, [sp, #24]
    0x9b07, // ldr r3, [sp, #28]
    0xf023, 0x63c0, // bic.w r3, r3, #100663296
    0xf423, 0x437c, // bic.w r3, r3, #64512
    0xf043, 0x7380, // orr.w r3, r3, #16777216
    0x9307, // str r3, [sp, #28]
    0x480b, // ldr r0, [pc, #44]
    0xf04f, 0x31ff, // mov.w r1, #4294967295
    0x6001, // str r1, [r0, #0]
    0x4770, // bx lr
    // done
    0x2001, // movs r0, #1
    0x4909, // ldr r1, [pc, #36]
    0xbeab, // bkpt 0x00ab
    0x4909, // ldr r1, [pc, #36]
    0x6008, // str r0, [r1, #0]
    0x2005, // movs r0, #5
    0xbeab, // bkpt 0x00ab
    0x2018, // movs r0, #24
    0x4907, // ldr r1, [pc, #28]
    0xbeab, // bkpt 0x00ab
    0xe7fe, // b.n d4 <done+0x14>
    0x0000, // .short 0x0000
    0xed88, 0xe000, // .word 0xe000ed88
    0xed14, 0xe000, // .word 0xe000ed14
    0xed28, 0xe000, // .word 0xe000ed28
    0xed2c, 0xe000, // .word 0xe000ed2c
    0x0020, 0x2000, // .word 0x20000020
    0x002c, 0x2000, // .word 0x2000002c
    0x0026, 0x0002, // .word 0x00020026
];

/// An image and what is known of its cases.
pub struct Image {
    pub code: Vec<u8>,
    pub ram: Vec<u8>,
    /// Address, halfwords and inputs of each case.
    pub cases: Vec<(u32, Vec<u16>)>,
}

impl Image {
    /// Where the cases begin.
    pub const CODE: u32 = 0x1000;

    /// The image number `seed`.
    pub fn new(seed: u64) -> Self {
        // Neighbouring seeds would give the same numbers, one shifted: the state is itself drawn.
        let mut random = Random(Random(seed).next());
        let mut code = Vec::new();
        let mut put = |at: u32, halfwords: &[u16]| {
            code.resize(code.len().max(at as usize + 2 * halfwords.len()), 0);
            for (i, h) in halfwords.iter().enumerate() {
                code[at as usize + 2 * i..][..2].copy_from_slice(&h.to_le_bytes());
            }
        };
        let entry = |address: u32| [(address | 1) as u16, ((address | 1) >> 16) as u16];
        put(0, &[0x0ff0, 0x2000]);
        put(4, &entry(DRIVER));
        for n in 2..16 {
            put(4 * n, &entry(FAULT));
        }
        put(DRIVER, PROGRAM);
        let mut ram = vec![0; (TABLE - RAM) as usize + 4 * CASES];
        let mut set =
            |at: u32, value: u32| ram[(at - RAM) as usize..][..4].copy_from_slice(&value.to_le_bytes());
        for (i, value) in [
            0,
            CASES as u32,
            INPUTS,
            OUTPUTS,
            TABLE,
            0,
            0,
            0,
            // SYS_OPEN: name, mode "wb", length
            RAM + 64,
            5,
            7,
            // SYS_WRITE: handle, data, length
            0,
            OUTPUTS,
            512 * CASES as u32,
        ]
        .into_iter()
        .enumerate()
        {
            set(RAM + 4 * i as u32, value);
        }
        set(RAM + 64, u32::from_le_bytes(*b"out."));
        set(RAM + 68, u32::from_le_bytes(*b"bin\0"));
        let mut cases = Vec::new();
        let mut at = Self::CODE;
        for n in 0..CASES as u32 {
            let input = INPUTS + 256 * n;
            for i in 0..14 {
                set(input + 4 * i, random.number());
            }
            set(input + 56, random.bits(32) & 0xf80f_0000);
            set(input + 60, if random.bits(1) == 0 { 0 } else { random.bits(32) & 0xf7c0_009f });
            for i in 0..32 {
                set(input + 64 + 4 * i, random.float());
            }
            // CCR: STKALIGN, sometimes with traps
            set(input + 192, 0x200 | if random.bits(3) == 0 { random.bits(2) << 3 } else { 0 });
            let scratch = OUTPUTS + 512 * n;
            for i in 0..32 {
                set(scratch + 4 * i, random.number());
            }
            at += 2 * random.bits(1); // at odd halfwords too
            let mut halfwords = sequence(&mut random, scratch, at & 2 != 0);
            set(TABLE + 4 * n, at | 1);
            let here = at + 2 * halfwords.len() as u32;
            let offset = FINISH.wrapping_sub(here + 4);
            let (s, imm) = (offset >> 24 & 1, offset >> 1);
            let (i1, i2) = (offset >> 23 & 1, offset >> 22 & 1);
            halfwords.push((0xf000 | s << 10 | imm >> 11 & 0x3ff) as u16);
            halfwords.push((0x9000 | (i1 ^ s ^ 1) << 13 | (i2 ^ s ^ 1) << 11 | imm & 0x7ff) as u16);
            put(at, &halfwords);
            cases.push((at, halfwords.clone()));
            at += 2 * halfwords.len() as u32;
            // What literals read beyond the end is defined
            at = (at + 130) & !3;
        }
        put(at, &[0; 256]);
        Self { code, ram, cases }
    }

    /// Where the outputs are.
    pub const fn outputs() -> u32 {
        OUTPUTS
    }

    /// The input registers of case `n`.
    pub fn input(&self, n: usize) -> Vec<u32> {
        let at = (INPUTS - RAM) as usize + 256 * n;
        self.ram[at..at + 196].chunks(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
    }
}

/// Places of CFSR, APSR and the core registers in a case's output.
pub const STATUS: usize = 78;
pub const FLAGS: usize = 112;
pub const REGISTERS: std::ops::Range<usize> = 114..128;

/// The name of a word of a case's output, if it counts.
pub fn name(word: usize) -> Option<String> {
    Some(match word {
        0..32 => format!("scratch[{word}]"),
        STATUS => "CFSR".into(),
        79 => "fault PC".into(),
        80..112 => format!("S{}", word - 80),
        FLAGS => "APSR".into(),
        113 => "FPSCR".into(),
        114..127 => format!("R{}", word - 114),
        127 => "LR".into(),
        _ => return None,
    })
}
