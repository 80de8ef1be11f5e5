//! Experiments: what to run on a virtual board, running it once, and remembering what came out.
//!
//! A [`Job`] is one command to the firmware on one board at one clock. Its outcome depends on nothing but the program's
//! bytes, the command and the virtual board, so it is kept under a name made of these ([`Cache`]) and never run again.
//! Several jobs make a [`Cell`]: one measurement.
mod cache;
mod foreign;
mod hashes;
mod job;
mod plan;
mod run;
mod split;
mod watch;

pub use cache::Cache;
pub use foreign::{Labels, foreign};
pub use hashes::{Blocks, Calls, keygen_blocks, keygen_calls, sign_blocks, sign_calls, verify_blocks};
pub use job::{Clock, Engine, Firmware, FirmwareError, Job, Outcome, Run, Setup};
pub use plan::{Cell, Extent, plan, single, single_on_zedboard};
pub use run::{Progress, perform};
pub use split::Split;
