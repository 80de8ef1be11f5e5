#![doc = include_str!("../README.md")]
#![no_std]
#![deny(unsafe_code)]

#[cfg(feature = "std")]
extern crate std;

#[cfg(cortex_m4)]
mod cortex_m4;
pub mod parallel;
mod permutation;
mod sponge;
mod state;
#[cfg(target_arch = "x86_64")]
pub mod x86;

#[cfg(cortex_m4)]
pub use cortex_m4::Interleaved;
pub use permutation::{ROUND_CONSTANTS, keccak_f1600, keccak_round};
pub use sponge::{Sha3, Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake, Shake128, Shake256, Squeeze};
pub use state::{LANES, Software, State};

/// The state that does best on the target.
#[cfg(cortex_m4)]
pub type Native = Interleaved;
/// The state that does best on the target.
#[cfg(not(cortex_m4))]
pub type Native = Software;
