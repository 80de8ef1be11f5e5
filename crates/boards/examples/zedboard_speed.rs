// SPDX-License-Identifier: Apache-2.0 OR MIT

//! How many instructions a second the ZedBoard's core executes beside an idle fabric, cycles and caches counted:
//! `cargo run --release -p pqsoc-boards --example zedboard_speed`.
//!
//! The program is a loop of loads, stores, multiplications, shifted operands and a conditional branch, with MMU and both
//! levels of caches on. Time is that of the process on a processor where the system tells it.

#[path = "../tests/zynq/asm.rs"]
mod asm;

use std::time::Instant;

use asm::{ACCELERATOR, Asm, DATA};
use pqsoc_boards::Board;
use pqsoc_boards::zynq7000::{End, Limits, Options, fabric};

/// Seconds that this process has had a processor, or the clock's where that is not known.
fn seconds(start: Instant) -> f64 {
    let statistics = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds =
        statistics.and_then(|s| s.split_whitespace().next().and_then(|n| n.parse::<f64>().ok()));
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |n| n * 1e-9)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut asm = Asm::start_with_l2();
    asm.peek(0, ACCELERATOR).set(8, 200_000_000).set(9, DATA);
    for word in [
        0xe208_0c1f, // loop: and r0, r8, #0x1f00
        0xe799_1000, // ldr r1, [r9, r0]
        0xe081_2008, // add r2, r1, r8
        0xe022_2d62, // eor r2, r2, r2, ror #26
        0xe003_0291, // mul r3, r1, r2
        0xe083_3122, // add r3, r3, r2, lsr #2
        0xe789_3000, // str r3, [r9, r0]
        0xe313_0001, // tst r3, #1
        0x1284_4001, // addne r4, r4, #1
        0xe258_8001, // subs r8, r8, #1
        0x1aff_fff4, // bne loop
    ] {
        asm.op(word);
    }
    let accelerator = Some(fabric(4, None, None)?);
    let mut board = asm.board(Options { accelerator, ..Options::default() });
    for _ in 0..5 {
        let start = Instant::now();
        let (instructions, before) = (board.core().instructions(), seconds(start));
        let limits = Limits { cycles: Some(board.cycles() + 100_000_000), wall: None };
        let end = board.run(&limits);
        if end != End::Cycles {
            return Err(format!("the program ended: {end:?}").into());
        }
        let done = (board.core().instructions() - instructions) as f64;
        println!("{:.1} million instructions a second", done / (seconds(start) - before) / 1e6);
    }
    Ok(())
}
