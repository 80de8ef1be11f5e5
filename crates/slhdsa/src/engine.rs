//! Engines: where the hashing happens.
use core::fmt;

/// Where the hashing happens.
pub trait Engine {
    /// `Infallible` for software; a time-out or a bus error for hardware.
    type Error: fmt::Debug + fmt::Display;
}

/// The best engine of this machine.
pub struct Auto(());

impl Auto {
    /// Looks what the processor has.
    pub fn new() -> Self {
        Self(())
    }
}

impl Default for Auto {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine for Auto {
    type Error = core::convert::Infallible;
}
