// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Runs a program on the virtual STM32F407G-DISC1 until it exits or prints '#': `cargo run --example run -- app.elf`.

use std::io::Write;

use pqsoc_boards::stm32f407::{Limits, Options, Stm32f407};
use pqsoc_boards::{Board, Program};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which program?")?;
    let options = Options {
        sink: Box::new(|_, bytes| std::io::stdout().write_all(bytes)),
        until: "#".into(),
        ..Options::default()
    };
    let mut board = Stm32f407::new(Program::open(path.as_ref())?, options)?;
    let end = board.run(&Limits::default());
    eprintln!("{}", board.report(&end));
    std::process::exit(board.exit_code(&end))
}
