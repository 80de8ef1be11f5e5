// SPDX-License-Identifier: Apache-2.0 OR MIT

//! A bare-metal program that runs many cases one after the other: loads all registers, runs the case's instructions,
//! stores all registers. Any Cortex-A9 with 8 MB at 0 and semihosting can run it, so any emulator can too.

use crate::a32::{self, Coverage};
use crate::sequences::{Random, sequence};

/// Cases in one image.
pub const CASES: usize = 2000;
/// Words of a case's output: scratch memory, R0 to LR, CPSR, FPSCR, number of the exception and its LR, DFSR, DFAR; from
/// word 56 on D0 to D31.
pub const OUTPUT: usize = 128;
/// Bytes of memory that the image fills.
pub const SIZE: usize = 8 << 20;

const DRIVER: u32 = 0x400;
const TABLES: u32 = 0x4000;
const PARAMETERS: u32 = 0x8000;
const STACK: u32 = 0xa000;
const CODE: u32 = 0x10_0000;
const INPUTS: u32 = 0x20_0000;
pub const OUTPUTS: u32 = 0x40_0000;
const TARGETS: u32 = 0x60_0000;
/// Where a case goes when it is done, in T32 and in A32.
const FINISH_T32: u32 = DRIVER + 0xfc;
const FINISH: u32 = DRIVER + 0x100;
/// Vectors: reset, undefined, supervisor call, prefetch abort, data abort.
const HANDLERS: [u32; 5] = [0, 0x118, 0x12c, 0x140, 0x154];

/// The driver's machine code; its source is beside each line.
#[rustfmt::skip]
const PROGRAM: &[u32] = &[
    0xe59f01c4, // ldr r0, [pc, #452]
    0xee020f10, // mcr 15, 0, r0, cr2, cr0, {0}
    0xe3a00000, // mov r0, #0
    0xee020f50, // mcr 15, 0, r0, cr2, cr0, {2}
    0xe59f01b8, // ldr r0, [pc, #440]
    0xee030f10, // mcr 15, 0, r0, cr3, cr0, {0}
    0xee080f17, // mcr 15, 0, r0, cr8, cr7, {0}
    0xe3a01902, // mov r1, #32768
    0xe5911014, // ldr r1, [r1, #20]
    0xee110f10, // mrc 15, 0, r0, cr1, cr0, {0}
    0xe1800001, // orr r0, r0, r1
    0xee010f10, // mcr 15, 0, r0, cr1, cr0, {0}
    0xf57ff06f, // isb sy
    0xe3a0060f, // mov r0, #15728640
    0xee010f50, // mcr 15, 0, r0, cr1, cr0, {2}
    0xf57ff06f, // isb sy
    0xe3a00101, // mov r0, #1073741824
    0xeee80a10, // vmsr fpexc, r0
    0xf1020013, // cps #19
    0xe3a00902, // mov r0, #32768
    0xe5901000, // ldr r1, [r0]
    0xe5902004, // ldr r2, [r0, #4]
    0xe1510002, // cmp r1, r2
    0x2a00004f, // bcs 1a0 <done>
    0xe5903008, // ldr r3, [r0, #8]
    0xe0833481, // add r3, r3, r1, lsl #9
    0xe590400c, // ldr r4, [r0, #12]
    0xe0844481, // add r4, r4, r1, lsl #9
    0xe5905010, // ldr r5, [r0, #16]
    0xe7955101, // ldr r5, [r5, r1, lsl #2]
    0xe2811001, // add r1, r1, #1
    0xe5801000, // str r1, [r0]
    0xe580501c, // str r5, [r0, #28]
    0xe2846080, // add r6, r4, #128
    0xe1a0d006, // mov sp, r6
    0xf102001b, // cps #27
    0xe1a0d006, // mov sp, r6
    0xf1020017, // cps #23
    0xe1a0d006, // mov sp, r6
    0xe3a07000, // mov r7, #0
    0xe5867044, // str r7, [r6, #68]
    0xe5867048, // str r7, [r6, #72]
    0xee057f10, // mcr 15, 0, r7, cr5, cr0, {0}
    0xee067f10, // mcr 15, 0, r7, cr6, cr0, {0}
    0xf57ff01f, // clrex
    0xe593703c, // ldr r7, [r3, #60]
    0xeee17a10, // vmsr fpscr, r7
    0xe2837040, // add r7, r3, #64
    0xecb70b20, // vldmia r7!, {d0-d15}
    0xecd70b20, // vldmia r7, {d16-d31}
    0xf102001f, // cps #31
    0xe590d018, // ldr sp, [r0, #24]
    0xe593e034, // ldr lr, [r3, #52]
    0xe5937038, // ldr r7, [r3, #56]
    0xe12cf007, // msr CPSR_fs, r7
    0xe8931fff, // ldm r3, {r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, sl, fp, ip}
    0xe52d0004, // push {r0}
    0xe3a00902, // mov r0, #32768
    0xe590001c, // ldr r0, [r0, #28]
    0xe58f0004, // str r0, [pc, #4]
    0xe49d0004, // pop {r0}
    0xe51ff004, // ldr pc, [pc, #-4]
    0x00000000, // .word 0x00000000
    0xbf004778, // bx pc; nop
    0xf1020013, // cps #19
    0xe8cd7fff, // stmia sp, {r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, sl, fp, ip, sp, lr}^
    0xe10f0000, // mrs r0, CPSR
    0xe3a01000, // mov r1, #0
    0xe3a02000, // mov r2, #0
    0xea000012, // b 164 <tail>
    0xe8cd7fff, // stmia sp, {r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, sl, fp, ip, sp, lr}^
    0xe14f0000, // mrs r0, SPSR
    0xe3a01001, // mov r1, #1
    0xe1a0200e, // mov r2, lr
    0xea00000d, // b 164 <tail>
    0xe8cd7fff, // stmia sp, {r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, sl, fp, ip, sp, lr}^
    0xe14f0000, // mrs r0, SPSR
    0xe3a01002, // mov r1, #2
    0xe1a0200e, // mov r2, lr
    0xea000008, // b 164 <tail>
    0xe8cd7fff, // stmia sp, {r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, sl, fp, ip, sp, lr}^
    0xe14f0000, // mrs r0, SPSR
    0xe3a01003, // mov r1, #3
    0xe1a0200e, // mov r2, lr
    0xea000003, // b 164 <tail>
    0xe8cd7fff, // stmia sp, {r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, sl, fp, ip, sp, lr}^
    0xe14f0000, // mrs r0, SPSR
    0xe3a01004, // mov r1, #4
    0xe1a0200e, // mov r2, lr
    0xe59f3068, // ldr r3, [pc, #104]
    0xe0000003, // and r0, r0, r3
    0xe58d003c, // str r0, [sp, #60]
    0xe58d1044, // str r1, [sp, #68]
    0xe58d2048, // str r2, [sp, #72]
    0xeef10a10, // vmrs r0, fpscr
    0xe58d0040, // str r0, [sp, #64]
    0xee150f10, // mrc 15, 0, r0, cr5, cr0, {0}
    0xe58d004c, // str r0, [sp, #76]
    0xee160f10, // mrc 15, 0, r0, cr6, cr0, {0}
    0xe58d0050, // str r0, [sp, #80]
    0xe28d3060, // add r3, sp, #96
    0xeca30b20, // vstmia r3!, {d0-d15}
    0xecc30b20, // vstmia r3, {d16-d31}
    0xeaffffa9, // b 48 <next>
    0xe3a00001, // mov r0, #1
    0xe59f102c, // ldr r1, [pc, #44]
    0xef123456, // svc 0x00123456
    0xe59f1028, // ldr r1, [pc, #40]
    0xe5810000, // str r0, [r1]
    0xe3a00005, // mov r0, #5
    0xef123456, // svc 0x00123456
    0xe3a00018, // mov r0, #24
    0xe59f1018, // ldr r1, [pc, #24]
    0xef123456, // svc 0x00123456
    0xeafffffe, // b 1c8 <done+0x28>
    0x00004059, // .word 0x00004059
    0x55555555, // .word 0x55555555
    0xf80f0000, // .word 0xf80f0000
    0x00008020, // 
    0x0000802c, // 
    0x00020026, // 
];

/// A case: where it is and what it consists of.
pub struct Case {
    pub address: u32,
    /// Halfwords of T32, or words of A32 in two.
    pub code: Vec<u16>,
    pub thumb: bool,
}

/// An image and what is known of its cases.
pub struct Image {
    pub memory: Vec<u8>,
    pub cases: Vec<Case>,
}

impl Image {
    /// The image number `seed`.
    pub fn new(seed: u64, coverage: &mut Coverage) -> Self {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut memory = vec![0; SIZE];
        let mut set = |at: u32, value: u32| memory[at as usize..][..4].copy_from_slice(&value.to_le_bytes());
        for (n, handler) in HANDLERS.into_iter().enumerate() {
            let from = 4 * n as u32;
            set(from, 0xea00_0000 | (DRIVER + handler - from - 8) >> 2);
        }
        for (i, &word) in PROGRAM.iter().enumerate() {
            set(DRIVER + 4 * i as u32, word);
        }
        for section in 0..4096 {
            // Normal memory, write-back, write-allocate, all access
            set(TABLES + 4 * section, section << 20 | 0x1c0e);
        }
        // MMU, caches, branch prediction; alignment checks in one image of four
        let control = 0x1805 | if seed % 4 == 3 { 2 } else { 0 };
        let parameters = [
            0,
            CASES as u32,
            INPUTS,
            OUTPUTS,
            TARGETS,
            control,
            STACK,
            0,
            // SYS_OPEN: name, mode "wb", length
            PARAMETERS + 64,
            5,
            7,
            // SYS_WRITE: handle, data, length
            0,
            OUTPUTS,
            (4 * OUTPUT * CASES) as u32,
        ];
        for (i, value) in parameters.into_iter().enumerate() {
            set(PARAMETERS + 4 * i as u32, value);
        }
        set(PARAMETERS + 64, u32::from_le_bytes(*b"out."));
        set(PARAMETERS + 68, u32::from_le_bytes(*b"bin\0"));
        let mut cases = Vec::new();
        let mut at = CODE;
        for n in 0..CASES as u32 {
            let input = INPUTS + 512 * n;
            for i in 0..14 {
                set(input + 4 * i, random.number());
            }
            set(input + 56, random.bits(32) & 0xf80f_0000);
            set(input + 60, if random.bits(1) == 0 { 0 } else { random.bits(32) & 0xf7c0_009f });
            for i in 0..64 {
                set(input + 64 + 4 * i, random.float());
            }
            let scratch = OUTPUTS + 4 * OUTPUT as u32 * n;
            for i in 0..32 {
                set(scratch + 4 * i, random.number());
            }
            let thumb = random.bits(2) == 0;
            let code = if thumb {
                at += 2 * random.bits(1); // at odd halfwords too
                let mut code = loop {
                    let code = sequence(&mut random, scratch, at & 2 != 0);
                    // QEMU's Cortex-A9 has fused multiplication, which came with VFPv4; the silicon has not.
                    if !code.windows(2).any(|w| w[0] & 0xffb0 == 0xeea0 || w[0] & 0xffb0 == 0xee90) {
                        break code;
                    }
                };
                let here = at + 2 * code.len() as u32;
                let offset = FINISH_T32.wrapping_sub(here + 4);
                let (s, imm) = (offset >> 24 & 1, offset >> 1);
                let (i1, i2) = (offset >> 23 & 1, offset >> 22 & 1);
                code.push((0xf000 | s << 10 | imm >> 11 & 0x3ff) as u16);
                code.push((0x9000 | (i1 ^ s ^ 1) << 13 | (i2 ^ s ^ 1) << 11 | imm & 0x7ff) as u16);
                code
            } else {
                let mut words = a32::sequence(&mut random, scratch, coverage);
                let here = at + 4 * words.len() as u32;
                words.push(0xea00_0000 | FINISH.wrapping_sub(here + 8) >> 2 & 0xff_ffff);
                words.iter().flat_map(|w| [*w as u16, (w >> 16) as u16]).collect()
            };
            set(TARGETS + 4 * n, at | u32::from(thumb));
            cases.push(Case { address: at, thumb, code: code.clone() });
            at += 2 * code.len() as u32;
            // What literals read beyond the end is defined
            at = (at + 300) & !3;
        }
        assert!(at < INPUTS);
        let mut image = Self { memory, cases };
        image.place_code();
        image
    }

    fn place_code(&mut self) {
        for case in &self.cases {
            for (i, halfword) in case.code.iter().enumerate() {
                let place = case.address as usize + 2 * i;
                self.memory[place..place + 2].copy_from_slice(&halfword.to_le_bytes());
            }
        }
    }

    /// The input words of case `n`.
    pub fn input(&self, n: usize) -> Vec<u32> {
        let at = INPUTS as usize + 512 * n;
        self.memory[at..at + 320].chunks(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
    }
}

/// The name of a word of a case's output, if it counts.
pub fn name(word: usize) -> Option<String> {
    Some(match word {
        0..32 => format!("scratch[{word}]"),
        32..45 => format!("R{}", word - 32),
        45 => "SP".into(),
        46 => "LR".into(),
        47 => "CPSR".into(),
        48 => "FPSCR".into(),
        49 => "exception".into(),
        50 => "its LR".into(),
        51 => "DFSR".into(),
        52 => "DFAR".into(),
        56..120 => format!("D{}.{}", (word - 56) / 2, word & 1),
        _ => return None,
    })
}
