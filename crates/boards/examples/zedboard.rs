// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Runs a program on the virtual ZedBoard and prints what the board has to say: `cargo run --release --example zedboard app.elf`.

use std::io::Write;

use pqsoc_boards::zynq7000::{Limits, Options, Zynq7000};
use pqsoc_boards::{Board, Program};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: zedboard app.elf")?;
    let sink = Box::new(|_, bytes: &[u8]| std::io::stdout().write_all(bytes));
    let program = Program::open_application(path.as_ref())?;
    let mut board = Zynq7000::new(program, Options { sink, ..Options::default() })?;
    let start = std::time::Instant::now();
    let end = board.run(&Limits::default());
    let seconds = start.elapsed().as_secs_f64();
    let report = board.report(&end);
    eprintln!("{report}");
    eprintln!("host: {:.1} million instructions a second", report.instructions as f64 / 1e6 / seconds);
    std::process::exit(report.exit_code);
}
