// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Measures key generation, signing and verification: jobs come by USART2, results go there as JSON lines.

#![no_std]
#![no_main]

mod board;
#[cfg(feature = "classical")]
mod classical;
#[cfg(feature = "ml-dsa")]
mod ml_dsa;
mod scheme;
#[cfg(feature = "slh-dsa")]
mod slh_dsa;

use core::fmt::Write;

use cortex_m_rt::entry;
use pqsoc_jobs::{Job, Numbered, Operation, receive_line};
use pqsoc_keccak::Sha3_256;

use board::{Board, Clock, Slots};
use scheme::{Failed, Scheme};

/// Jobs when none come: one signature of each set of ML-DSA.
const DEFAULT: [&str; 3] =
    ["ML-DSA-44 reference sign 1 00 -", "ML-DSA-65 reference sign 1 00 -", "ML-DSA-87 reference sign 1 00 -"];

#[entry]
fn main() -> ! {
    // The entry is called once, so they are there.
    let Some(mut core) = cortex_m::Peripherals::take() else { stop() };
    let mut board = Board::new(Clock::Mhz24, &mut core.DCB, &mut core.DWT);
    let slots = board::take_slots(core.CPUID);
    #[cfg(feature = "classical")]
    board::start_heap();
    let mut line = [0; 256];
    let mut jobs = 0;
    say(
        &mut board,
        format_args!("{{\"opt_level\":\"{}\",\"rustc\":\"{}\"}}", env!("OPT_LEVEL"), env!("RUSTC_VERSION")),
    );
    while let Some(text) = receive_line(|| board.receive(), &mut line) {
        jobs += 1;
        let clock = match text {
            "end" => break,
            "clock 24" => Clock::Mhz24,
            "clock 168" => Clock::Mhz168,
            job => {
                work(&mut board, job, slots);
                continue;
            }
        };
        board.flush();
        board = Board::new(clock, &mut core.DCB, &mut core.DWT);
    }
    if jobs == 0 {
        DEFAULT.iter().for_each(|text| work(&mut board, text, slots));
    }
    say(&mut board, format_args!("#"));
    board.end()
}

fn say(board: &mut Board, text: core::fmt::Arguments<'_>) {
    // Sending cannot fail.
    let _ = board.write_fmt(text);
    let _ = board.write_str("\n");
}

/// Does a job and reports each run.
fn work(board: &mut Board, text: &str, slots: &mut Slots) {
    let job = Job::parse(text);
    let scheme = job.as_ref().and_then(|job| scheme::find(job.algorithm, job.how));
    let (Some(job), Some(scheme)) = (job, scheme) else {
        return say(board, format_args!("{{\"error\":\"this build has no such job\"}}"));
    };
    for run in 0..job.runs {
        let mut measure = || measure(board, &job, scheme, run, slots);
        let result = if scheme.needs_sram2(job.operation) { measure() } else { board::in_sram1(measure) };
        let (algorithm, profile, operation, mhz) =
            (job.algorithm, job.how, job.operation.name(), board.mhz());
        let head = format_args!(
            "{{\"algorithm\":\"{algorithm}\",\"profile\":\"{profile}\",\"operation\":\"{operation}\",\"mhz\":{mhz},\"run\":{run}"
        );
        // Sending cannot fail.
        let _ = board.write_fmt(head);
        match result {
            Ok(Measured { cycles, stack, attempts, hash }) => {
                let _ = write!(board, ",\"cycles\":{cycles},\"stack_bytes\":{stack}");
                if let Some(attempts) = attempts {
                    let _ = write!(board, ",\"attempts\":{attempts}");
                }
                let _ = board.write_str(",\"sha3_256\":\"");
                for byte in hash {
                    let _ = write!(board, "{byte:02x}");
                }
                let _ = board.write_str("\"}\n");
            }
            Err(Failed) => say(board, format_args!(",\"error\":\"it failed\"}}")),
        }
    }
}

/// Figures of a run.
struct Measured {
    /// Of [`operation`] alone.
    cycles: u64,
    /// Depth of the stack below the caller of [`operation`].
    stack: u32,
    /// Attempts at an ML-DSA signature.
    attempts: Option<u32>,
    /// Of both keys, or of the signature.
    hash: [u8; 32],
}

/// Prepares a run, does it, and hashes what came out.
#[inline(never)] // below what is skipped of the stack
fn measure(
    board: &Board,
    job: &Job<'_>,
    scheme: &'static dyn Scheme,
    run: u32,
    slots: &mut Slots,
) -> Result<Measured, Failed> {
    let message = Numbered::new(&job.message, run);
    let message = message.as_slice();

    // One key a job, but for key generation.
    if job.operation != Operation::Keygen && run == 0 {
        scheme::keygen(scheme, job.seed.as_slice(), 0, slots)?;
    }
    if job.operation == Operation::Verify {
        scheme::sign(scheme, message, slots)?;
    }
    let sp = board::stack_pointer();
    board::paint_stack(sp);
    let start = board.cycles();
    let result = operation(job, scheme, run, message, slots);
    let cycles = board.cycles() - start;
    let stack = board::painted_depth(sp);
    let attempts = result?;

    let lengths = scheme.lengths();
    let mut hash = Sha3_256::new();
    if job.operation == Operation::Keygen {
        hash.absorb(slots.public_key.get(..lengths.public_key).ok_or(Failed)?);
        hash.absorb(slots.secret_key.get(..lengths.secret_key).ok_or(Failed)?);
    } else {
        hash.absorb(slots.signature.get(..lengths.signature).ok_or(Failed)?);
    }
    Ok(Measured { cycles, stack, attempts, hash: hash.finish() })
}

/// What is measured; a function of its own, so that a debugger or a virtual board can measure the same.
#[inline(never)]
fn operation(
    job: &Job<'_>,
    scheme: &'static dyn Scheme,
    run: u32,
    message: &[u8],
    slots: &mut Slots,
) -> Result<Option<u32>, Failed> {
    match job.operation {
        Operation::Keygen => scheme::keygen(scheme, job.seed.as_slice(), run, slots).map(|()| None),
        Operation::Sign => scheme::sign(scheme, message, slots),
        Operation::Verify => scheme::verify(scheme, message, slots).map(|()| None),
    }
}

#[panic_handler]
fn panic_handler(_: &core::panic::PanicInfo<'_>) -> ! {
    stop()
}

fn stop() -> ! {
    loop {
        cortex_m::asm::wfi();
    }
}
