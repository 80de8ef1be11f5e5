//! The engine in portable Rust.

/// The portable engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Portable;
