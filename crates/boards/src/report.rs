// SPDX-License-Identifier: Apache-2.0 OR MIT

//! What a run showed, for people and as JSON.

use std::fmt;

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use crate::board::End;
use crate::profile::FunctionTotals;
use crate::program::Sizes;
use crate::symbols::{Frame, Symbols};

/// Version of the JSON form.
pub const SCHEMA: &str = "pqsoc-run/1";

/// How far a figure can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Counted.
    Exact,
    /// By the pipeline model at zero wait states, which is checked against silicon.
    Modelled,
    /// By a coarser model: of flash wait states and caches on a Cortex-M4, of a Cortex-A9 and its buses with bounds, and what
    /// hangs on when those say that something happens.
    Estimated,
}

/// A fault of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FaultReport {
    /// What and where, as a sentence.
    pub what: String,
    /// The instruction.
    pub pc: u32,
    /// The data address, where there is one.
    pub address: Option<u32>,
    /// Function and offset of the instruction.
    pub function: String,
    /// Set if the PC was not in code: what is there instead.
    pub data: Option<String>,
    /// It became a HardFault.
    pub escalated: bool,
    /// When.
    pub cycles: u64,
    /// Innermost first.
    pub back_trace: Vec<Frame>,
}

/// The stack went below its region.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Overflow {
    /// Stack pointer when it was noticed: at once.
    pub sp: u32,
    /// Lowest address that belongs to the stack.
    pub limit: u32,
    /// Section that the stack ran into.
    pub section: Option<String>,
    /// Variable that it ran into.
    pub variable: Option<String>,
    /// When.
    pub cycles: u64,
    /// Innermost first.
    pub back_trace: Vec<Frame>,
}

impl Overflow {
    /// The stack pointer is at `sp`, below `limit`.
    pub(crate) fn new(symbols: &Symbols, sp: u32, limit: u32, cycles: u64, back_trace: Vec<Frame>) -> Self {
        let section = symbols.section_at(sp).map(|s| s.name.clone());
        let variable = symbols.object_at(sp).map(|s| s.name.clone());
        Self { sp, limit, section, variable, cycles, back_trace }
    }
}

/// The stack of the main program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StackReport {
    /// High-water mark in bytes.
    pub bytes: u32,
    /// Stack pointer at the start: of the program, or of `main` where start-up code sets it.
    pub top: u32,
    /// Lowest address that belongs to the stack.
    pub limit: u32,
    /// Lowest value of its stack pointer.
    pub lowest: u32,
    /// Lowest value of the process stack pointer, if it was used.
    pub process_lowest: Option<u32>,
    /// Set if it went below `limit`.
    pub overflow: Option<Overflow>,
}

/// The figures of a run. Its `Display` is the report for people.
#[derive(Clone, Debug)]
pub struct Report {
    /// Name of the board.
    pub board: &'static str,
    /// The program's file.
    pub program: String,
    /// Why the run ended.
    pub end: End,
    /// Where the program idles.
    pub idle_at: Option<String>,
    /// See [`Board::exit_code`](crate::Board::exit_code).
    pub exit_code: i32,
    /// Core cycles.
    pub cycles: u64,
    /// Instructions.
    pub instructions: u64,
    /// Time at the clocks that were set.
    pub seconds: f64,
    /// Core clock at the end.
    pub clock_hz: u64,
    /// Flash wait states at the end.
    pub wait_states: u8,
    /// The clock was not the program's choice.
    pub clock_forced: bool,
    /// How far `cycles` and `seconds` can be trusted.
    pub cycles_status: Status,
    /// Main stack.
    pub stack: StackReport,
    /// Most bytes of heap in use at once, where the program has a heap that is known.
    pub heap_bytes: Option<u64>,
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

    /// Cycles per instruction.
    pub fn cpi(&self) -> f64 {
        self.cycles as f64 / (self.instructions.max(1)) as f64
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
            stack_bytes: Status,
        }
        let mut s = serializer.serialize_struct("Report", 22)?;
        s.serialize_field("schema", SCHEMA)?;
        s.serialize_field("board", self.board)?;
        s.serialize_field("program", &self.program)?;
        s.serialize_field("end", self.end.name())?;
        s.serialize_field("idle_at", &self.idle_at)?;
        s.serialize_field("exit_code", &self.exit_code)?;
        s.serialize_field("cycles", &self.cycles)?;
        s.serialize_field("instructions", &self.instructions)?;
        s.serialize_field("cpi", &self.cpi())?;
        s.serialize_field("seconds", &self.seconds)?;
        s.serialize_field("clock_hz", &self.clock_hz)?;
        s.serialize_field("wait_states", &self.wait_states)?;
        s.serialize_field("clock_forced", &self.clock_forced)?;
        s.serialize_field("stack_bytes", &self.stack.bytes)?;
        s.serialize_field("stack", &self.stack)?;
        s.serialize_field("heap_bytes", &self.heap_bytes)?;
        s.serialize_field("size", &self.sizes)?;
        s.serialize_field("fault", &self.faults.first())?;
        s.serialize_field("faults", &self.faults)?;
        s.serialize_field("functions", &self.functions)?;
        s.serialize_field("notes", &self.notes)?;
        s.serialize_field(
            "status",
            &Statuses {
                cycles: self.cycles_status,
                seconds: self.cycles_status,
                instructions: Status::Exact,
                stack_bytes: Status::Exact,
            },
        )?;
        s.end()
    }
}

/// 1234567 as "1 234 567".
pub(crate) fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i != 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// "sign (app.rs:31)", callers below.
fn write_trace(f: &mut fmt::Formatter<'_>, trace: &[Frame]) -> fmt::Result {
    for frame in trace {
        write!(f, "\n    {:#010x} {}", frame.pc, frame.function)?;
        if let Some(location) = &frame.location {
            write!(f, " ({location})")?;
        }
        if frame.inlined {
            write!(f, ", inlined")?;
        }
        if frame.guessed {
            write!(f, ", probably")?;
        }
    }
    Ok(())
}

/// What went wrong or is to be known before any figure: faults, an overflow of the stack, notes.
pub(crate) fn write_findings(
    f: &mut fmt::Formatter<'_>,
    faults: &[FaultReport],
    overflow: Option<&Overflow>,
    notes: &[String],
) -> fmt::Result {
    for fault in faults {
        write!(f, "fault: {}", fault.what)?;
        match &fault.data {
            Some(data) => write!(f, "; this is data, not code: {data}")?,
            None => write!(f, ", in {}", fault.function)?,
        }
        write_trace(f, &fault.back_trace)?;
        writeln!(f)?;
    }
    if let Some(overflow) = overflow {
        write!(f, "{overflow}")?;
        write_trace(f, &overflow.back_trace)?;
        writeln!(f)?;
    }
    for note in notes {
        writeln!(f, "note: {note}")?;
    }
    Ok(())
}

/// The line of the stack.
pub(crate) fn write_stack(f: &mut fmt::Formatter<'_>, stack: &StackReport) -> fmt::Result {
    writeln!(
        f,
        "stack:        {} of {} bytes ({:#010x} down to {:#010x})",
        grouped(stack.bytes.into()),
        grouped((stack.top - stack.limit).into()),
        stack.top,
        stack.lowest
    )
}

/// The line of code and data, without its end.
pub(crate) fn write_size(f: &mut fmt::Formatter<'_>, sizes: Sizes) -> fmt::Result {
    let Sizes { text, data, bss } = sizes;
    write!(
        f,
        "size:         {} code and constants, {} data, {} bss",
        grouped(text),
        grouped(data),
        grouped(bss)
    )
}

/// The table of functions, if there is one.
pub(crate) fn write_functions(f: &mut fmt::Formatter<'_>, functions: &[FunctionTotals]) -> fmt::Result {
    if !functions.is_empty() {
        write!(
            f,
            "\n\n{:>14} {:>14} {:>10} {:>8} {:>8}  function",
            "own cycles", "with callees", "calls", "frame", "stack"
        )?;
        for function in functions.iter().filter(|t| t.cycles != 0).take(30) {
            write!(
                f,
                "\n{:>14} {:>14} {:>10} {:>8} {:>8}  {}",
                function.cycles,
                function.cycles_with_callees,
                function.calls,
                function.frame_bytes,
                function.stack_bytes,
                function.function
            )?;
        }
    }
    Ok(())
}

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stack reached {:#010x} below its region (", self.sp)?;
        let bytes = self.limit - self.sp;
        match (&self.variable, &self.section) {
            (Some(variable), Some(section)) => write!(f, "{bytes} bytes into {section}: {variable})")?,
            (_, Some(section)) => write!(f, "{bytes} bytes into {section})")?,
            _ => write!(f, "{bytes} bytes below {:#010x})", self.limit)?,
        }
        let mut calls = self.back_trace.iter().filter(|frame| !frame.inlined);
        if let Some(first) = calls.next() {
            write!(f, ", first in function {}", first.function)?;
        }
        if let Some(caller) = calls.next() {
            write!(f, " called from {}", caller.function)?;
            if let Some(location) = &caller.location {
                write!(f, " ({location})")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_findings(f, &self.faults, self.stack.overflow.as_ref(), &self.notes)?;
        self.end.write(f, self.idle_at.as_deref())?;
        let status = match self.cycles_status {
            Status::Estimated => "estimated",
            _ => "modelled",
        };
        let forced = if self.clock_forced { ", forced" } else { "" };
        writeln!(f, "cycles:       {} ({status}; CPI {:.3})", grouped(self.cycles), self.cpi())?;
        writeln!(f, "instructions: {}", grouped(self.instructions))?;
        writeln!(
            f,
            "time:         {:.6} s at {} MHz, {} wait states{forced} ({status})",
            self.seconds,
            self.clock_hz as f64 / 1e6,
            self.wait_states
        )?;
        write_stack(f, &self.stack)?;
        if let Some(lowest) = self.stack.process_lowest {
            writeln!(f, "process stack: lowest {lowest:#010x}")?;
        }
        if let Some(heap) = self.heap_bytes {
            writeln!(f, "heap:         {} bytes at most", grouped(heap))?;
        }
        write_size(f, self.sizes)?;
        write_functions(f, &self.functions)
    }
}
