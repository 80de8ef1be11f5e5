//! What can go wrong with the hardware.
use core::fmt;

use pqsoc_registers::{Cause, Opcode};

/// Which way a channel of the DMA moves data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// MM2S: memory to fabric.
    Sending,
    /// S2MM: fabric to memory.
    Receiving,
}

/// What the DMA says is wrong. PG021, DMASR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// DMAIntErr: a packet longer than its buffer, or a length of zero.
    Internal,
    /// DMASlvErr: the memory refused.
    Slave,
    /// DMADecErr: there is no memory at that address.
    Decode,
    /// SGIntErr, SGSlvErr or SGDecErr: the same for a descriptor.
    Descriptor,
    /// Halted without an error: somebody else has reset it.
    Stopped,
}

/// What was waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// The end of a command or of its streams.
    Command,
    /// Room in the command FIFO.
    Room,
    /// The end of a reset of the fabric.
    FabricReset,
    /// The end of a reset of the DMA.
    DmaReset,
    /// The start of the DMA's channels.
    DmaStart,
}

/// The registers when something went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// The fabric's STATUS.
    pub status: u32,
    /// MM2S_DMASR.
    pub sending: u32,
    /// S2MM_DMASR.
    pub receiving: u32,
}

/// What went wrong. Unless said otherwise the accelerator has been reset, and the next operation finds it ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// There is no fabric at its registers: IDENTITY is something else.
    NoFabric {
        /// What was read.
        identity: u32,
    },
    /// The fabric has an interface that this driver does not know.
    Version {
        /// What was read.
        version: u32,
    },
    /// A register has a value that it cannot have.
    Garbage {
        /// Its name.
        register: &'static str,
        /// What was read.
        value: u32,
    },
    /// A command failed.
    Halted {
        /// Why.
        cause: Cause,
        /// Opcode of the command.
        opcode: u8,
        /// Its index in its list.
        index: u16,
    },
    /// Nothing happened in time.
    Timeout {
        /// What was waited for.
        waiting: Waiting,
        /// The registers then.
        state: State,
    },
    /// The DMA stopped.
    Dma {
        /// Which half of it.
        channel: Channel,
        /// Why.
        fault: Fault,
        /// The registers then.
        state: State,
    },
    /// Fewer bytes came back than the command gives.
    Short {
        /// What the command gives.
        expected: u32,
        /// What the DMA counted.
        received: u32,
    },
    /// The DMA does not reach a buffer, or not so many bytes in one transfer. Nothing was started.
    Unreachable,
    /// After a reset the accelerator computed something wrong.
    Wrong,
    /// A DMA that did not stop keeps a buffer of the driver.
    Lost,
    /// More polynomials are in use than there is room for.
    Full,
    /// A polynomial was read that was never written, or that a reset has wiped.
    Blank,
}

fn opcode_name(opcode: u8) -> impl fmt::Display {
    struct Name(u8);
    impl fmt::Display for Name {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match Opcode::from_bits(self.0) {
                Ok(opcode) => write!(f, "{opcode:?}"),
                Err(_) => write!(f, "opcode {}", self.0),
            }
        }
    }
    Name(opcode)
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { status, sending, receiving } = self;
        write!(f, "STATUS {status:#010x}, MM2S_DMASR {sending:#010x}, S2MM_DMASR {receiving:#010x}")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFabric { identity } => {
                write!(
                    f,
                    "no fabric: IDENTITY reads {identity:#010x}; is the bitstream loaded and its clock running?"
                )
            }
            Self::Version { version } => {
                write!(f, "the fabric has an interface of another version: {version:#010x}")
            }
            Self::Garbage { register, value } => write!(f, "{register} reads {value:#010x}, which it cannot"),
            Self::Halted { cause, opcode, index } => {
                write!(f, "{} (command {index} of its list) failed: {cause:?}", opcode_name(*opcode))
            }
            Self::Timeout { waiting, state } => {
                let what = match waiting {
                    Waiting::Command => "a command did not end",
                    Waiting::Room => "the command FIFO stayed full",
                    Waiting::FabricReset => "the fabric did not come out of its reset",
                    Waiting::DmaReset => "the DMA did not come out of its reset",
                    Waiting::DmaStart => "the DMA did not start",
                };
                write!(f, "{what} in time ({state})")
            }
            Self::Dma { channel, fault, state } => {
                let what = match fault {
                    Fault::Internal => "internal error: a packet and its buffer differ in length",
                    Fault::Slave => "slave error: the memory refused",
                    Fault::Decode => "decode error: there is no memory at that address",
                    Fault::Descriptor => "error at a descriptor",
                    Fault::Stopped => "halted in the middle, by no error: it was reset",
                };
                write!(f, "DMA, {channel:?}: {what} ({state})")
            }
            Self::Short { expected, received } => {
                write!(f, "{received} bytes came back instead of {expected}")
            }
            Self::Unreachable => f.write_str("a buffer is not within the reach of the DMA"),
            Self::Wrong => f.write_str("the accelerator computes something wrong after a reset"),
            Self::Lost => f.write_str("a DMA that did not stop keeps a buffer"),
            Self::Full => f.write_str("more polynomials are in use than there is room for"),
            Self::Blank => {
                f.write_str("a polynomial was read before it was written, or after a reset wiped it")
            }
        }
    }
}

impl core::error::Error for Error {}
