// SPDX-License-Identifier: Apache-2.0 OR MIT

//! One line for each instruction: cycle, address, encoding, function, and the registers that the one before changed.

use std::io::{self, Write};

use pqsoc_armv7::{Observer, View};

use crate::symbols::Symbols;

/// Writes a trace; slow.
pub struct Trace<'a, W> {
    symbols: &'a Symbols,
    out: W,
    last: [u32; 16],
    /// The first error: the rest is dropped.
    error: Option<io::Error>,
}

impl<'a, W: Write> Trace<'a, W> {
    /// A trace that goes to `out`.
    pub fn new(symbols: &'a Symbols, out: W) -> Self {
        Self { symbols, out, last: [0; 16], error: None }
    }

    /// Writes the rest.
    pub fn finish(mut self) -> io::Result<()> {
        match self.error {
            Some(error) => Err(error),
            None => {
                writeln!(self.out)?;
                self.out.flush()
            }
        }
    }

    fn line(&mut self, pc: u32, encoding: u32, core: &View<'_>) -> io::Result<()> {
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
        if self.error.is_none() {
            self.error = self.line(pc, encoding, &core).err();
        }
    }
}
