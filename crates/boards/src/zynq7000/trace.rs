// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Transactions between PS and PL, one a line.

use std::fmt;

/// Where a transaction goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Port {
    /// M_AXI_GP0: the core to registers in the PL.
    Gp0,
    /// S_AXI_HP0: the DMA to memory, round the caches.
    Hp0,
    /// S_AXI_ACP: the DMA to memory, through the caches.
    Acp,
}

/// One transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// When, in nanoseconds since power-on.
    pub nanoseconds: u64,
    /// Where.
    pub port: Port,
    /// A write.
    pub write: bool,
    /// The address.
    pub address: u32,
    /// Bytes.
    pub bytes: u32,
    /// The value of a register.
    pub value: Option<u32>,
    /// Answered with OKAY.
    pub okay: bool,
}

impl fmt::Display for Transaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let port = match self.port {
            Port::Gp0 => "GP0",
            Port::Hp0 => "HP0",
            Port::Acp => "ACP",
        };
        let direction = if self.write { "write" } else { "read" };
        write!(f, "{:>12} ns {port} {direction:5} {:#010x}", self.nanoseconds, self.address)?;
        match self.value {
            Some(value) => write!(f, " {value:#010x}")?,
            None => write!(f, " {} bytes", self.bytes)?,
        }
        if !self.okay {
            write!(f, " error")?;
        }
        Ok(())
    }
}

/// Takes transactions as they happen.
pub type TraceSink = Box<dyn FnMut(&Transaction)>;
