// SPDX-License-Identifier: Apache-2.0 OR MIT

//! What every board is to whoever runs programs on it.

use std::fmt;
use std::time::Duration;

use pqsoc_armv7::{Observer, Unobserved};
use serde::Serialize;
use thiserror::Error;

use crate::profile::FunctionTotals;
use crate::symbols::Frame;

/// Bounds of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Core cycles since power-on.
    pub cycles: Option<u64>,
    /// Time on the host.
    pub wall: Option<Duration>,
}

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The program ended itself by semihosting.
    Exit(i32),
    /// The text that the run was to end at was printed.
    Until,
    /// Whoever takes the output failed.
    Output,
    /// [`Limits::cycles`] was reached.
    Cycles,
    /// [`Limits::wall`] was reached.
    TimeOut,
    /// An endless loop at this address, or sleep, that no interrupt can end.
    Idle(u32),
    /// A Cortex-M locked up: a fault while HardFault was handled.
    Lockup,
    /// The core waits for ever for an answer of the bus, and why.
    Hung(String),
    /// A breakpoint of the caller's, at this address.
    Breakpoint(u32),
    /// A watched address was touched.
    Watchpoint {
        /// The address.
        address: u32,
        /// By a store.
        write: bool,
    },
    /// Faults end the run ([`Board::stop_at_faults`]), and one came.
    Fault,
}

impl End {
    /// The word for it in JSON.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Exit(_) => "exit",
            Self::Until => "until",
            Self::Output => "output",
            Self::Cycles => "max-cycles",
            Self::TimeOut => "timeout",
            Self::Idle(_) => "idle",
            Self::Lockup => "lockup",
            Self::Hung(_) => "hung",
            Self::Breakpoint(_) => "breakpoint",
            Self::Watchpoint { .. } => "watchpoint",
            Self::Fault => "fault",
        }
    }

    /// The line of the report; `idle_at` is where the program idles.
    pub(crate) fn write(&self, f: &mut fmt::Formatter<'_>, idle_at: Option<&str>) -> fmt::Result {
        write!(f, "end: ")?;
        match self {
            Self::Exit(code) => writeln!(f, "the program exited with {code}"),
            Self::Until => writeln!(f, "the text was printed"),
            Self::Output => writeln!(f, "the output could not be written"),
            Self::Cycles => writeln!(f, "the limit of cycles was reached"),
            Self::TimeOut => writeln!(f, "the time was up"),
            Self::Idle(pc) => {
                writeln!(f, "the program waits for ever at {pc:#010x}, in {}", idle_at.unwrap_or("?"))
            }
            Self::Lockup => writeln!(f, "the core locked up (a fault while a HardFault was handled)"),
            Self::Hung(why) => writeln!(f, "the core hangs: {why}"),
            Self::Breakpoint(pc) => writeln!(f, "breakpoint at {pc:#010x}"),
            Self::Watchpoint { address, .. } => writeln!(f, "watchpoint at {address:#010x}"),
            Self::Fault => writeln!(f, "fault"),
        }
    }
}

/// A name that cannot be used, or a run that ended too early.
#[derive(Debug, Error)]
pub enum RunError {
    /// No function has this name.
    #[error("no function is called {0}")]
    NoSymbol(String),
    /// The run ended before it got there.
    #[error("the run ended before {place}: {end:?}")]
    Ended {
        /// Where it should have come.
        place: String,
        /// What ended it.
        end: End,
    },
}

/// A board with a program in its memory.
pub trait Board {
    /// The figures of a run: for people by `Display`, for programs by `Serialize`.
    type Report: fmt::Display + Serialize;

    /// Runs until the program ends or a limit is reached, and shows the observer what it asks for. Can be called again.
    fn run_observed<O: Observer>(&mut self, limits: &Limits, observer: &mut O) -> End;

    /// Runs until the program ends or a limit is reached. Can be called again.
    fn run(&mut self, limits: &Limits) -> End {
        self.run_observed(limits, &mut Unobserved)
    }

    /// Executes one instruction, or takes one exception.
    fn step(&mut self) -> Option<End>;

    /// Faults end a run instead of entering their handler; the next run enters it.
    fn stop_at_faults(&mut self, stop: bool);

    /// Address of the next instruction.
    fn pc(&mut self) -> u32;

    /// Core cycles since power-on.
    fn cycles(&self) -> u64;

    /// Where the stack begins; `None` if only `main` will tell.
    fn stack_top(&self) -> Option<u32>;

    /// Who called whom, now.
    fn back_trace(&mut self) -> Vec<Frame>;

    /// Keeps a profile's table for the report.
    fn set_functions(&mut self, functions: Vec<FunctionTotals>);

    /// The error that [`End::Output`] stands for.
    fn output_error(&self) -> Option<&std::io::Error>;

    /// The exit code for whoever runs the program.
    fn exit_code(&mut self, end: &End) -> i32;

    /// The figures so far.
    fn report(&mut self, end: &End) -> Self::Report;
}
