// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Measures key generation, signing and verification: jobs come by UART1, results go there as JSON lines.

#![no_std]
#![no_main]

mod engines;
mod ml_dsa;
mod scheme;
#[cfg(feature = "slh-dsa")]
mod slh_dsa;

use core::arch::asm;
use core::fmt::Write;
use core::panic::PanicInfo;

use pqsoc_driver::{Counters, FabricCycles};
use pqsoc_jobs::{Job, Numbered, Operation, receive_line, seeds};
use pqsoc_keccak::Sha3_256;
use zynq7000::counters::{core_mhz, cycles, fabric_mhz};
use zynq7000::stack;
use zynq7000::uart::Uart;

use engines::{Engines, Failed, Kind};
use scheme::{Scheme, Slots};

/// Jobs when none come: one signature of each set of ML-DSA, by the processor alone.
const DEFAULT: [&str; 3] =
    ["ML-DSA-44 software sign 1 00 -", "ML-DSA-65 software sign 1 00 -", "ML-DSA-87 software sign 1 00 -"];

#[unsafe(no_mangle)]
extern "C" fn main() -> ! {
    let mut uart = Uart::console();
    // `main` is called once, so they are there.
    let Some(slots) = scheme::take_slots() else { stop() };
    let mut engines = Engines::default();
    let mut line = [0; 256];
    let mut jobs = 0;
    let _ = writeln!(
        uart,
        "{{\"opt_level\":\"{}\",\"rustc\":\"{}\",\"mhz\":{},\"fabric_mhz\":{}}}",
        env!("OPT_LEVEL"),
        env!("RUSTC_VERSION"),
        core_mhz(),
        fabric_mhz()
    );
    let second = u64::from(core_mhz()) * 1_000_000;
    while let Some(text) = receive_line(|| uart.receive(second), &mut line) {
        jobs += 1;
        if text == "end" {
            break;
        }
        work(&mut uart, text, &mut engines, slots);
    }
    if jobs == 0 {
        DEFAULT.iter().for_each(|text| work(&mut uart, text, &mut engines, slots));
    }
    let _ = writeln!(uart, "#");
    uart.flush();
    stop()
}

/// Does a job and reports each run.
fn work(uart: &mut Uart, text: &str, engines: &mut Engines, slots: &mut Slots) {
    let known = Job::parse(text).and_then(|job| {
        let (scheme, kind) = (scheme::find(job.algorithm)?, Kind::by_name(job.how)?);
        Some((job, scheme, kind))
    });
    // Sending cannot fail.
    let Some((job, scheme, kind)) = known else {
        let _ = writeln!(uart, "{{\"error\":\"this build has no such job\"}}");
        return;
    };
    for run in 0..job.runs {
        let result = measure(&job, scheme, kind, run, engines, slots);
        let (algorithm, engine, operation) = (job.algorithm, job.how, job.operation.name());
        let _ = write!(
            uart,
            "{{\"algorithm\":\"{algorithm}\",\"engine\":\"{engine}\",\"operation\":\"{operation}\",\"run\":{run}"
        );
        match result {
            Ok(Measured { cycles, hardware, stack, attempts, hash }) => {
                let _ = write!(uart, ",\"cycles\":{cycles}");
                if let Some((fabric, Counters { sent, received, calls, commands, .. })) = hardware {
                    let FabricCycles { busy, waiting_in, waiting_out } = fabric;
                    let _ = write!(
                        uart,
                        ",\"fabric_cycles\":{busy},\"fabric_waits_in\":{waiting_in},\"fabric_waits_out\":{waiting_out}\
                         ,\"bytes_sent\":{sent},\"bytes_received\":{received},\"calls\":{calls},\"commands\":{commands}"
                    );
                }
                if let Some(stack) = stack {
                    let _ = write!(uart, ",\"stack_bytes\":{stack}");
                }
                if let Some(attempts) = attempts {
                    let _ = write!(uart, ",\"attempts\":{attempts}");
                }
                let _ = uart.write_str(",\"sha3_256\":\"");
                for byte in hash {
                    let _ = write!(uart, "{byte:02x}");
                }
                let _ = uart.write_str("\"}\n");
            }
            Err(failed) => {
                let _ = writeln!(uart, ",\"error\":\"{failed}\"}}");
            }
        }
    }
}

/// Figures of a run.
struct Measured {
    /// Core cycles of [`operation`] alone.
    cycles: u64,
    /// What the hardware did meanwhile.
    hardware: Option<(FabricCycles, Counters)>,
    /// Depth of the stack below the caller of [`operation`], of a job's first run.
    stack: Option<usize>,
    /// Attempts at an ML-DSA signature.
    attempts: Option<u32>,
    /// Of both keys, or of the signature.
    hash: [u8; 32],
}

/// Prepares a run, does it, and hashes what came out.
fn measure(
    job: &Job<'_>,
    scheme: &'static dyn Scheme,
    kind: Kind,
    run: u32,
    engines: &mut Engines,
    slots: &mut Slots,
) -> Result<Measured, Failed> {
    let message = Numbered::new(&job.message, run);
    let message = message.as_slice();
    // One key a job, but for key generation.
    if job.operation != Operation::Keygen && run == 0 {
        operation(&Job { operation: Operation::Keygen, ..*job }, scheme, kind, 0, message, engines, slots)?;
    }
    if job.operation == Operation::Verify {
        operation(&Job { operation: Operation::Sign, ..*job }, scheme, kind, run, message, engines, slots)?;
    }
    // Looks for the hardware, if that has not been done.
    engines.choose(kind)?;
    let hardware = |engines: &mut Engines| {
        let hardware = engines.hardware().filter(|_| kind != Kind::Software)?;
        Some((hardware.accelerator.fabric_cycles(), hardware.accelerator.counters()))
    };
    let before = hardware(engines);
    let sp = stack::pointer();
    if run == 0 {
        stack::paint(sp);
    }
    let start = cycles();
    let result = measured(job, scheme, kind, run, message, engines, slots);
    let cycles = cycles() - start;
    let stack = (run == 0).then(|| stack::painted_depth(sp));
    let attempts = result?;
    let after = hardware(engines);
    let hardware =
        before.zip(after).map(|(before, after)| (after.0.since(before.0), after.1.since(before.1)));

    let lengths = scheme.lengths();
    let mut hash = Sha3_256::new();
    if job.operation == Operation::Keygen {
        hash.absorb(slots.public_key.get(..lengths.public_key).unwrap_or_default());
        hash.absorb(slots.secret_key.get(..lengths.secret_key).unwrap_or_default());
    } else {
        hash.absorb(slots.signature.get(..lengths.signature).unwrap_or_default());
    }
    Ok(Measured { cycles, hardware, stack, attempts, hash: hash.finish() })
}

/// What is measured; a function of its own, so that a debugger or a virtual board can measure the same.
#[inline(never)]
#[unsafe(no_mangle)]
fn measured(
    job: &Job<'_>,
    scheme: &'static dyn Scheme,
    kind: Kind,
    run: u32,
    message: &[u8],
    engines: &mut Engines,
    slots: &mut Slots,
) -> Result<Option<u32>, Failed> {
    operation(job, scheme, kind, run, message, engines, slots)
}

/// Does what a job says.
fn operation(
    job: &Job<'_>,
    scheme: &'static dyn Scheme,
    kind: Kind,
    run: u32,
    message: &[u8],
    engines: &mut Engines,
    slots: &mut Slots,
) -> Result<Option<u32>, Failed> {
    let engine = engines.choose(kind)?;
    let lengths = scheme.lengths();
    let public_key = slots.public_key.get_mut(..lengths.public_key).ok_or(Failed::Scheme)?;
    let secret_key = slots.secret_key.get_mut(..lengths.secret_key).ok_or(Failed::Scheme)?;
    let signature = slots.signature.get_mut(..lengths.signature).ok_or(Failed::Scheme)?;
    match job.operation {
        Operation::Keygen => {
            let seeds = seeds(job.seed.as_slice(), run);
            scheme.keygen(engine, &seeds, public_key, secret_key).map(|()| None)
        }
        Operation::Sign => scheme.sign(engine, secret_key, message, signature),
        Operation::Verify => scheme.verify(engine, public_key, message, signature).map(|()| None),
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    let mut uart = Uart::console();
    let _ = writeln!(uart, "{info}");
    uart.flush();
    stop()
}

fn stop() -> ! {
    loop {
        // SAFETY: waits, for ever as no interrupt is enabled.
        unsafe { asm!("wfi", options(nomem, nostack)) }
    }
}
