//! Signature verification and nothing else: one function for each set and profile, each linked on its own by
//! `cargo xtask verify-only`, which looks for the panic handler and for an allocator in what is left.
#![no_std]
// The functions must keep their names, which is an unsafe attribute since two could be called the same. None is.
#![allow(unsafe_code)]

use core::panic::PanicInfo;

/// What every panic ends in; still there after linking means that a panic can be reached.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn verify_only_panic() -> ! {
    loop {
        core::hint::spin_loop();
    }
}

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    verify_only_panic()
}

/// Panics on some input, so that the check shows that it sees such things.
#[unsafe(no_mangle)]
pub fn control_that_panics(bytes: &[u8], at: usize) -> u8 {
    bytes[at]
}

#[unsafe(no_mangle)]
pub fn verify_hash(bytes: &[u8], out: &mut [u8; 32]) {
    pqsoc_keccak::Shake256::digest(&[bytes], out)
}
