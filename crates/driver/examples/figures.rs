//! Measures the engines on the virtual ZedBoard and prints tables: those of `docs/zedboard.md`.
//!
//!     cargo xtask firmware
//!     cargo run --release -p pqsoc-driver --example figures -- target/firmware/zynq7000.elf
//!
//! Behind the firmware's file the number of runs (200), and words that lines of the tables must have:
//! `… zynq7000.elf 20 ML-DSA-44 sign resident`.
use std::error::Error;

use pqsoc_boards::zynq7000::{Accelerator, Band, Breakdown, Options, Zynq7000};
use pqsoc_boards::{Board, End, Limits, Program};
use pqsoc_fabric::{B1R1, B4R1, Core};

const SETS: [&str; 6] = ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87", "Dilithium2", "Dilithium3", "Dilithium5"];
const OPERATIONS: [&str; 3] = ["keygen", "sign", "verify"];
/// Engine, butterflies, clock of the PL in MHz.
const DESIGNS: [(&str, u32, u32); 7] = [
    ("software", 1, 100),
    ("study", 1, 100),
    ("study", 1, 150),
    ("resident", 1, 100),
    ("resident", 1, 150),
    ("resident", 4, 100),
    ("resident", 4, 150),
];

/// Means over the runs of a job.
#[derive(Default)]
struct Mean {
    runs: f64,
    /// Low, mid, high, in core cycles: all, instructions, memory, maintenance, registers.
    cycles: [[f64; 3]; 5],
    /// Clocks of the PL: accelerator busy, of these waiting, DMA.
    pl: [f64; 3],
    /// Bytes that the DMA read and wrote.
    bytes: [f64; 2],
    mhz: f64,
}

impl Mean {
    fn add(&mut self, before: (Band, Breakdown), after: (Band, Breakdown)) {
        let parts =
            |(total, b): (Band, Breakdown)| [total, b.instructions, b.memory, b.maintenance, b.registers];
        for ((sum, before), after) in self.cycles.iter_mut().zip(parts(before)).zip(parts(after)) {
            for (sum, (before, after)) in sum.iter_mut().zip(
                [before.low, before.mid, before.high].into_iter().zip([after.low, after.mid, after.high]),
            ) {
                *sum += (after - before) as f64;
            }
        }
        let clocks = |b: Breakdown| [b.pl.busy, b.pl.waiting, b.pl.dma];
        for (sum, (before, after)) in
            self.pl.iter_mut().zip(clocks(before.1).into_iter().zip(clocks(after.1)))
        {
            *sum += (after - before) as f64;
        }
        for (sum, (before, after)) in
            self.bytes.iter_mut().zip(before.1.dma_bytes.into_iter().zip(after.1.dma_bytes))
        {
            *sum += (after - before) as f64;
        }
        self.runs += 1.0;
    }

    /// Milliseconds of a part: low, mid, high.
    fn ms(&self, part: usize) -> [f64; 3] {
        self.cycles[part].map(|cycles| cycles / self.runs / self.mhz / 1e3)
    }
}

/// Runs a job and measures the firmware's function `measured`.
fn measure(firmware: &str, job: &str, butterflies: u32, pl_mhz: u32) -> Result<Mean, Box<dyn Error>> {
    let program = Program::open_application(firmware.as_ref())?;
    let accelerator: Box<dyn Accelerator> = match butterflies {
        1 => Box::new(Core::<B1R1>::new()?),
        _ => Box::new(Core::<B4R1>::new()?),
    };
    let options = Options {
        input: format!("{job}\nend\n").into_bytes(),
        accelerator: Some(accelerator),
        pl_mhz,
        ..Options::default()
    };
    let mut board = Zynq7000::new(program, options)?;
    let mut mean = Mean::default();
    let limits = Limits::default();
    let now = |board: &mut Zynq7000| {
        let report = board.report(&End::Cycles);
        (report.cycles, report.breakdown)
    };
    while board.run_to("measured", &limits).is_ok() {
        let before = now(&mut board);
        let back = board.core().register(14) & !1;
        board.add_breakpoint(back);
        let end = board.run(&limits);
        if end != End::Breakpoint(back) {
            return Err(format!("{job}: {end:?}").into());
        }
        board.remove_breakpoint(back);
        mean.add(before, now(&mut board));
    }
    mean.mhz = board.report(&End::Cycles).clock_hz as f64 / 1e6;
    Ok(mean)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let firmware = words.next().ok_or("usage: figures zynq7000.elf [RUNS] [WORD...]")?;
    let runs: u32 = words.next().map_or(Ok(200), |runs| runs.parse())?;
    let wanted: Vec<String> = words.collect();
    println!(
        "| set | engine | butterflies | PL MHz | operation | ms low | ms | ms high | A9 cycles | instructions | memory \
         | maintenance | registers | PL clocks busy | of these waiting | DMA | bytes sent | received |"
    );
    println!("|---|---|--:|--:|---|{}", "--:|".repeat(13));
    for set in SETS {
        for (engine, butterflies, pl_mhz) in DESIGNS {
            for operation in OPERATIONS {
                let line = [set, engine, operation, &format!("{butterflies}x{pl_mhz}")].map(str::to_owned);
                if !wanted.iter().all(|word| line.contains(word)) {
                    continue;
                }
                // Keys and messages of the run's number.
                let job = format!("{set} {engine} {operation} {runs} 00 -");
                let mean = measure(&firmware, &job, butterflies, pl_mhz)?;
                let [low, mid, high] = mean.ms(0);
                let part = |part: usize| 100.0 * mean.cycles[part][1] / mean.cycles[0][1];
                let per_run = |sum: f64| sum / mean.runs;
                println!(
                    "| {set} | {engine} | {butterflies} | {pl_mhz} | {operation} | {low:.3} | {mid:.3} | {high:.3} | {:.0} \
                     | {:.0} % | {:.0} % | {:.0} % | {:.0} % | {:.0} | {:.0} | {:.0} | {:.0} | {:.0} |",
                    per_run(mean.cycles[0][1]),
                    part(1),
                    part(2),
                    part(3),
                    part(4),
                    per_run(mean.pl[0]),
                    per_run(mean.pl[1]),
                    per_run(mean.pl[2]),
                    per_run(mean.bytes[0]),
                    per_run(mean.bytes[1]),
                );
            }
        }
    }
    Ok(())
}
