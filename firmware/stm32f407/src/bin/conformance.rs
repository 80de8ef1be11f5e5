// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The engine and the Keccak state that the target has, in assembly, against the model of the engines and the portable state.
//! Prints "conforms#", or ends in a panic. Takes minutes of the board's time, and more SRAM than the chip has.

#![no_std]
#![no_main]

#[allow(dead_code, reason = "nothing is measured here")]
#[path = "../board.rs"]
mod board;

use core::fmt::Write;

use cortex_m_rt::entry;
use pqsoc_keccak::{Shake128, Software, State};
use pqsoc_mldsa::{Native, conformance::conformance};

use board::{Board, Clock};

/// States to compare.
const STATES: usize = 5000;
/// Bytes of a state.
const LEN: usize = 200;

#[entry]
fn main() -> ! {
    // There is nothing to go on with: the entry is called once.
    let Some(mut core) = cortex_m::Peripherals::take() else { loop {} };
    let mut board = Board::new(Clock::Mhz24, &mut core.DCB, &mut core.DWT);
    states();
    conformance(&mut Native);
    // The board takes every byte.
    let _ = write!(board, "conforms#");
    board.end()
}

/// The board's report says where this was called from.
#[panic_handler]
fn panic_handler(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

/// All operations of the state, on zeros, on ones and on random bytes, in pieces at random places.
fn states() {
    let mut native = pqsoc_keccak::Native::default();
    let mut portable = Software::default();
    let mut random = Shake128::<Software>::default();
    random.absorb(b"states");
    let mut random = random.finish();
    for n in 0..STATES {
        let mut bytes = [0; LEN];
        match n {
            0 => {}
            1 => bytes.fill(0xff),
            _ => random.squeeze(&mut bytes),
        }
        let mut place = || {
            let mut choice = [0; 2];
            random.squeeze(&mut choice);
            let [from, to] = choice.map(|c| usize::from(c) % (LEN + 1));
            (from.min(to), from.max(to))
        };
        let (from, to) = if n < 100 { (0, LEN) } else { place() };
        native.xor(from, &bytes[from..to]);
        portable.xor(from, &bytes[from..to]);
        native.permute();
        portable.permute();
        let (from, to) = if n % 8 == 0 { (0, LEN) } else { place() };
        let (mut found, mut expected) = ([0; LEN], [0; LEN]);
        native.extract(from, &mut found[from..to]);
        portable.extract(from, &mut expected[from..to]);
        assert_eq!(found, expected, "state {n}, bytes {from} to {to}");
        if n % 1000 == 1 {
            native.reset();
            portable.reset();
        }
    }
}
