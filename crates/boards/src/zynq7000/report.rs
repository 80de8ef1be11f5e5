// SPDX-License-Identifier: Apache-2.0 OR MIT

//! What a run on the ZedBoard showed, for people and as JSON.

use std::fmt;

use pqsoc_armv7::a9::{Counts, Cycles};
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use super::pl::PlClocks;
use crate::board::End;
use crate::profile::FunctionTotals;
use crate::program::Sizes;
use crate::report::{
    FaultReport, SCHEMA, StackReport, Status, grouped, write_findings, write_functions, write_size,
    write_stack,
};

/// A modelled figure with its bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Band {
    /// The least that is plausible.
    pub low: u64,
    /// The estimate.
    pub mid: u64,
    /// The most that is plausible.
    pub high: u64,
}

impl From<Cycles> for Band {
    fn from(cycles: Cycles) -> Self {
        Self { low: cycles.low, mid: cycles.mid, high: cycles.high }
    }
}

/// Where the time went. The first five add up to the cycles of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Breakdown {
    /// Core cycles of instructions, branches included.
    pub instructions: Band,
    /// Waiting for memory.
    pub memory: Band,
    /// Cache maintenance and barriers.
    pub maintenance: Band,
    /// Device registers, those of the PL included.
    pub registers: Band,
    /// Asleep.
    pub asleep: Band,
    /// Clocks of the PL. What the accelerator does in its own time is exact; when the core and the buses do their part is
    /// estimated, and so are all clocks that count them: the total, the accelerator's waiting, the DMA's.
    pub pl: PlClocks,
    /// Bytes that the DMA read and wrote: exact.
    pub dma_bytes: [u64; 2],
}

/// The figures of a run. Its `Display` is the report for people.
#[derive(Clone, Debug)]
pub struct Report {
    /// The program's file.
    pub program: String,
    /// Why the run ended.
    pub end: End,
    /// Where the program idles.
    pub idle_at: Option<String>,
    /// See [`Board::exit_code`](crate::Board::exit_code).
    pub exit_code: i32,
    /// Core cycles.
    pub cycles: Band,
    /// Instructions.
    pub instructions: u64,
    /// Core clock at the end.
    pub clock_hz: u64,
    /// PL clock at the end.
    pub pl_hz: u64,
    /// Where the time went.
    pub breakdown: Breakdown,
    /// Events of the core.
    pub counts: Counts,
    /// Level-2 look-ups that did not find their line.
    pub l2_misses: u64,
    /// The stack from the entry of `main` on, if there is one and it was entered.
    pub stack: Option<StackReport>,
    /// Code and data.
    pub sizes: Sizes,
    /// Faults in order, the first most telling.
    pub faults: Vec<FaultReport>,
    /// By function, if the run was profiled.
    pub functions: Vec<FunctionTotals>,
    /// What was not modelled or would not work on silicon.
    pub notes: Vec<String>,
}

impl Report {
    /// The JSON form: one line.
    pub fn to_json(&self) -> String {
        // Serialising strings and numbers into a string cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    fn seconds(&self, cycles: u64) -> f64 {
        cycles as f64 / self.clock_hz as f64
    }
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// Each figure's status.
        #[derive(Serialize)]
        struct Statuses {
            cycles: Status,
            seconds: Status,
            instructions: Status,
            pl: Clocks,
            stack_bytes: Status,
        }
        /// Which clocks there are hangs on when the core, the buses and memory are modelled to do their part.
        #[derive(Serialize)]
        struct Clocks {
            total: Status,
            busy: Status,
            waiting: Status,
            dma: Status,
        }
        #[derive(Serialize)]
        struct Seconds {
            low: f64,
            mid: f64,
            high: f64,
        }
        let statuses = Statuses {
            cycles: Status::Estimated,
            seconds: Status::Estimated,
            instructions: Status::Exact,
            pl: Clocks {
                total: Status::Estimated,
                busy: Status::Exact,
                waiting: Status::Estimated,
                dma: Status::Estimated,
            },
            stack_bytes: Status::Exact,
        };
        let Band { low, mid, high } = self.cycles;
        let seconds = Seconds { low: self.seconds(low), mid: self.seconds(mid), high: self.seconds(high) };
        let mut s = serializer.serialize_struct("Report", 22)?;
        s.serialize_field("schema", SCHEMA)?;
        s.serialize_field("board", "zedboard")?;
        s.serialize_field("program", &self.program)?;
        s.serialize_field("end", self.end.name())?;
        s.serialize_field("idle_at", &self.idle_at)?;
        s.serialize_field("exit_code", &self.exit_code)?;
        s.serialize_field("cycles", &self.cycles)?;
        s.serialize_field("instructions", &self.instructions)?;
        s.serialize_field("seconds", &seconds)?;
        s.serialize_field("clock_hz", &self.clock_hz)?;
        s.serialize_field("pl_hz", &self.pl_hz)?;
        s.serialize_field("breakdown", &self.breakdown)?;
        s.serialize_field("l1_fills", &self.counts.data.fills)?;
        s.serialize_field("l2_misses", &self.l2_misses)?;
        s.serialize_field("stack_bytes", &self.stack.as_ref().map(|stack| stack.bytes))?;
        s.serialize_field("stack", &self.stack)?;
        s.serialize_field("size", &self.sizes)?;
        s.serialize_field("fault", &self.faults.first())?;
        s.serialize_field("faults", &self.faults)?;
        s.serialize_field("functions", &self.functions)?;
        s.serialize_field("notes", &self.notes)?;
        s.serialize_field("status", &statuses)?;
        s.end()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let overflow = self.stack.as_ref().and_then(|stack| stack.overflow.as_ref());
        write_findings(f, &self.faults, overflow, &self.notes)?;
        self.end.write(f, self.idle_at.as_deref())?;
        let band =
            |band: Band| format!("{} ({} to {})", grouped(band.mid), grouped(band.low), grouped(band.high));
        writeln!(f, "cycles:       {} (estimated)", band(self.cycles))?;
        writeln!(f, "instructions: {}", grouped(self.instructions))?;
        let ms = |cycles: u64| 1e3 * self.seconds(cycles);
        writeln!(
            f,
            "time:         {:.4} ms ({:.4} to {:.4}) at {:.2} MHz (estimated)",
            ms(self.cycles.mid),
            ms(self.cycles.low),
            ms(self.cycles.high),
            self.clock_hz as f64 / 1e6
        )?;
        let b = &self.breakdown;
        for (name, part) in [
            ("CPU: instructions", b.instructions),
            ("CPU: memory", b.memory),
            ("cache maintenance", b.maintenance),
            ("register access", b.registers),
            ("asleep", b.asleep),
        ] {
            if part.high != 0 {
                let percent = 100.0 * part.mid as f64 / self.cycles.mid.max(1) as f64;
                writeln!(f, "  {name:<18} {:.4} ms, {percent:.1} %: {}", ms(part.mid), band(part))?;
            }
        }
        let c = &self.counts;
        writeln!(
            f,
            "caches:       {} lines into level 1 (data), {} (code), {} level-2 misses; {} of {} branches mispredicted",
            grouped(c.data.fills),
            grouped(c.instruction_fills),
            grouped(self.l2_misses),
            grouped(c.mispredicted),
            grouped(c.branches)
        )?;
        if b.pl.busy != 0 || b.pl.dma != 0 {
            writeln!(
                f,
                "PL:           {} clocks at {:.2} MHz (estimated)",
                grouped(b.pl.total),
                self.pl_hz as f64 / 1e6
            )?;
            for (name, clocks, status) in [
                ("DMA", b.pl.dma, "estimated"),
                ("fabric busy", b.pl.busy - b.pl.waiting, "exact"),
                ("fabric waiting", b.pl.waiting, "estimated"),
            ] {
                let ms = 1e3 * clocks as f64 / self.pl_hz as f64;
                writeln!(f, "  {name:<18} {ms:.4} ms: {} clocks ({status})", grouped(clocks))?;
            }
            let [read, written] = b.dma_bytes;
            writeln!(
                f,
                "  bytes moved        {} to the fabric, {} from it",
                grouped(read),
                grouped(written)
            )?;
        }
        if let Some(stack) = &self.stack {
            write_stack(f, stack)?;
        }
        write_size(f, self.sizes)?;
        write_functions(f, &self.functions)
    }
}
