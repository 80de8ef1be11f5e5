#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod algorithms;
pub mod choose;
pub mod compare;
pub mod experiment;
pub mod pqm4;
pub mod published;
pub mod report;
pub mod results;
pub mod study;
pub mod tables;
pub mod text;

#[cfg(test)]
mod sample;
#[cfg(test)]
mod schema;
