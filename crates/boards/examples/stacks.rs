// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The stack that ML-DSA and Dilithium need on the STM32F407, as a Markdown table: each set of the profile
//! `reference` (or the one given), unoptimised, optimised for size and for speed. The chip has 128 KB in one piece.
//!
//! `cargo xtask firmware && cargo run --release -p pqsoc-boards --example stacks [-- PROFILE]`

use std::error::Error;
use std::path::{Path, PathBuf};

use pqsoc_boards::stm32f407::{End, Limits, Options, RunError, Stm32f407};
use pqsoc_boards::{Board, Program};

/// Builds: the ELF file, and KB of SRAM that it was linked for.
const BUILDS: [(&str, &str, u32); 3] = [
    ("unoptimised", "stm32f407-unoptimised-ml-dsa-1024k.elf", 1024),
    ("for size", "stm32f407-size.elf", 128),
    ("for speed", "stm32f407.elf", 128),
];
const SETS: [&str; 6] = ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87", "Dilithium2", "Dilithium3", "Dilithium5"];
const OPERATIONS: [&str; 3] = ["keygen", "sign", "verify"];
/// SRAM1 and SRAM2.
const CHIP: u32 = 128 << 10;
/// What jobs that do without SRAM2 skip of the stack.
const SRAM2: u32 = 16 << 10;

/// A cell of the table: the deepest stack while a job's operation runs, its callers included; bold if the chip has less.
fn stack(elf: &Path, sram_kb: u32, job: &str) -> Result<String, Box<dyn Error>> {
    let options = Options {
        until: "#".into(),
        input: format!("{job}\nend\n").into_bytes(),
        sram_kb,
        ..Options::default()
    };
    let mut board = Stm32f407::new(Program::open(elf)?, options)?;
    let limits = Limits::default();
    let mut skipped = 0;
    // What comes before prepares keys and signatures.
    let end = match board.run_to("operation", &limits) {
        Ok(()) => {
            let top = board.stack_top().ok_or("a vector table has the top of the stack")?;
            skipped = (top - board.core().register(13)) / SRAM2 * SRAM2;
            board.core().reset_stack_watch();
            board.run(&limits)
        }
        // The build has no such job.
        Err(RunError::Ended { end: End::Until, .. }) => return Ok("–".into()),
        Err(RunError::Ended { end, .. }) => end,
        Err(error) => return Err(error.into()),
    };
    let report = board.report(&end);
    Ok(match report.stack.bytes - skipped {
        _ if end != End::Until || report.stack.overflow.is_some() => "**overflow**".into(),
        bytes if bytes > CHIP => format!("**{bytes}**"),
        bytes => bytes.to_string(),
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let profile = std::env::args().nth(1).unwrap_or("reference".into());
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or("target".into(), PathBuf::from);
    print!("| bytes of stack, `{profile}` |");
    for (build, ..) in BUILDS {
        OPERATIONS.iter().for_each(|operation| print!(" {operation}, {build} |"));
    }
    println!("\n|---{}|", "|--:".repeat(BUILDS.len() * OPERATIONS.len()));
    for set in SETS {
        print!("| {set} |");
        for (_, elf, sram_kb) in BUILDS {
            for operation in OPERATIONS {
                let job = format!("{set} {profile} {operation} 1 00 -");
                print!(" {} |", stack(&target.join("firmware").join(elf), sram_kb, &job)?);
            }
        }
        println!();
    }
    Ok(())
}
