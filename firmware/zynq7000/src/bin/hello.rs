// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Says hello, measures a little arithmetic, and ends.

#![no_std]
#![no_main]

use core::fmt::Write;
use core::hint::black_box;
use core::panic::PanicInfo;

use zynq7000::{semihosting, startup, uart::Uart};

#[unsafe(no_mangle)]
extern "C" fn main() -> ! {
    let mut uart = Uart::console();
    let start = startup::cycles();
    let root = (1..=1000u32).map(|n| f64::from(black_box(n))).sum::<f64>();
    let cycles = startup::cycles().wrapping_sub(start);
    let _ = writeln!(uart, "hello from a Cortex-A9: 1 + 2 + ... + 1000 = {root} in {cycles} cycles");
    uart.flush();
    semihosting::exit(0)
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    let _ = writeln!(Uart::console(), "{info}");
    semihosting::exit(101)
}
