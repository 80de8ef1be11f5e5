#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod drbg;
mod fields;
mod formats;
mod hash;
mod input;
mod report;
mod run;
mod scheme;
mod suite;
mod text;
mod work;

pub use report::{Counts, Failure, FileReport, GroupReport, Report, SCHEMA, Skips};
pub use run::{Options, Progress, run};
