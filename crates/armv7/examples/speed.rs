// SPDX-License-Identifier: Apache-2.0 OR MIT

//! How many instructions a second the core executes, cycles counted: `cargo run --release -p pqsoc-armv7 --example speed`.
//!
//! The program is a butterfly loop with loads, stores, multiplications, shifted operands, DSP instructions, a
//! call, an IT block and a stack frame. Time is that of the thread where the system tells it.

use std::time::Instant;

use pqsoc_armv7::{Bus, BusError, Context, CortexM4, Kind, Limit, Memory, Region, Size};

#[rustfmt::skip]
const PROGRAM: &[u16] = &[
    // start
    0xf240, 0x0000, // movw r0, #0
    0xf2c2, 0x0000, // movt r0, #8192
    0xf242, 0x0a01, // movw sl, #8193
    0xf6cf, 0x7af0, // movt sl, #65520
    0xf24e, 0x0b01, // movw fp, #57345
    0xf2c0, 0x0b7f, // movt fp, #127
    // outer
    0x4601, // mov r1, r0
    0x2280, // movs r2, #128
    // loop
    0xf8d1, 0x3000, // ldr.w r3, [r1]
    0xf8d1, 0x4004, // ldr.w r4, [r1, #4]
    0xf8d1, 0x5200, // ldr.w r5, [r1, #512]
    0xf8d1, 0x6204, // ldr.w r6, [r1, #516]
    0xfb85, 0x780a, // smull r7, r8, r5, sl
    0xfb07, 0xf70b, // mul.w r7, r7, fp
    0xfbc7, 0x780a, // smlal r7, r8, r7, sl
    0xea86, 0x19f3, // eor.w r9, r6, r3, ror #7
    0xeb03, 0x0508, // add.w r5, r3, r8
    0xeba3, 0x0308, // sub.w r3, r3, r8
    0xeb04, 0x0609, // add.w r6, r4, r9
    0xebb4, 0x0409, // subs.w r4, r4, r9
    0xf8c1, 0x3200, // str.w r3, [r1, #512]
    0xf8c1, 0x4204, // str.w r4, [r1, #516]
    0xfa95, 0xf546, // uadd16 r5, r5, r6
    0xf3c6, 0x0cc8, // ubfx ip, r6, #3, #9
    0xea06, 0x064c, // and.w r6, r6, ip, lsl #1
    0xe8e1, 0x5602, // strd r5, r6, [r1], #8
    0x3a01, // subs r2, #1
    0xd1d9, // bne.n 1c <loop>
    0xf000, 0xf801, // bl 6e <step>
    0xe7d4, // b.n 18 <outer>
    // step
    0xb510, // push {r4, lr}
    0xbf14, // ite ne
    0x3401, // addne r4, #1
    0x3c01, // subeq r4, #1
    0xbd10, // pop {r4, pc}
];

struct Nothing;

impl Bus for Nothing {
    fn read(&mut self, _: u32, _: Size, _: &mut Context<'_>) -> Result<u32, BusError> {
        Err(BusError)
    }

    fn write(&mut self, _: u32, _: Size, _: u32, _: &mut Context<'_>) -> Result<(), BusError> {
        Err(BusError)
    }
}

/// Seconds that this process has had a processor, or the clock's where that is not known.
fn seconds(start: Instant) -> f64 {
    let statistics = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds =
        statistics.and_then(|s| s.split_whitespace().next().and_then(|n| n.parse::<f64>().ok()));
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |n| n * 1e-9)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let memory = Memory::new(&[
        Region { name: "flash", base: 0, size: 0x1000, kind: Kind::Flash },
        Region { name: "RAM", base: 0x2000_0000, size: 0x8000, kind: Kind::Ram { execute: true } },
    ])?;
    let mut core = CortexM4::new(memory, Nothing);
    core.memory.write(0, &0x2000_8000u32.to_le_bytes())?;
    core.memory.write(4, &0x101u32.to_le_bytes())?;
    let code: Vec<u8> = PROGRAM.iter().flat_map(|h| h.to_le_bytes()).collect();
    core.memory.write(0x100, &code)?;
    core.reset();
    core.run(Limit::cycles(1_000_000));
    for _ in 0..5 {
        let start = Instant::now();
        let (instructions, before) = (core.instructions(), seconds(start));
        core.run(Limit::cycles(core.cycles() + 200_000_000));
        let time = seconds(start) - before;
        println!(
            "{:.1} million instructions a second",
            (core.instructions() - instructions) as f64 / time / 1e6
        );
    }
    Ok(())
}
