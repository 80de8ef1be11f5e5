// SPDX-License-Identifier: Apache-2.0 OR MIT

//! One line for each instruction: cycle, address, encoding, function, and the registers that the one before changed.

use std::io::Write;

use pqsoc_armv7::{Observer, View};

use crate::symbols::Symbols;

/// Writes a trace; slow.
pub struct Trace<'a, W> {
    symbols: &'a Symbols,
    out: W,
    last: [u32; 16],
    /// The output cannot be written any more: the rest is dropped.
    broken: bool,
}

impl<'a, W: Write> Trace<'a, W> {
    /// A trace that goes to `out`.
    pub fn new(symbols: &'a Symbols, out: W) -> Self {
        Self { symbols, out, last: [0; 16], broken: false }
    }

    /// Was everything written?
    pub fn finish(mut self) -> bool {
        !self.broken && self.out.flush().is_ok()
    }

    fn line(&mut self, pc: u32, encoding: u32, core: &View<'_>) -> std::io::Result<()> {
        for (i, (old, new)) in self.last.iter().zip(core.r).enumerate().take(15) {
            if old != new {
                write!(self.out, " r{i}={new:08x}")?;
            }
        }
        self.last = *core.r;
        let code = match encoding >> 16 {
            0 => format!("{encoding:04x}     "),
            first => format!("{first:04x} {:04x}", encoding & 0xffff),
        };
        write!(self.out, "\n{:>12} {pc:08x} {code} {:<40}", core.cycles, self.symbols.describe(pc))
    }
}

impl<W: Write> Observer for Trace<'_, W> {
    const INSTRUCTIONS: bool = true;

    fn instruction(&mut self, pc: u32, encoding: u32, core: View<'_>) {
        if !self.broken {
            self.broken = self.line(pc, encoding, &core).is_err();
        }
    }
}
