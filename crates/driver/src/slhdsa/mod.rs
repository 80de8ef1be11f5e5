//! Engines of SLH-DSA over SHAKE.
//!
//! [`Study`] has each hash done by the fabric, as one round trip. [`Resident`] keeps the seeds in the fabric and has it walk
//! the chains of a WOTS+ key, many of them a round trip.
mod common;
mod resident;
mod study;

pub use resident::Resident;
pub use study::Study;
