//! Field Enum: cause

#[allow(unused_imports)]
use super::_root; // alias to root module of generated code






#[repr(u8)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CauseE {
    /// Nothing is wrong.
    NoError = 0,
    /// There is no such operation.
    BadOpcode = 1,
    /// There is no such slot.
    BadSlot = 2,
    /// OPTIONS or a string's place is out of range.
    BadOption = 3,
    /// TLAST came before the command had its data, or the command's packet was to go on.
    StreamShort = 4,
    /// The packet goes on after the command's last byte.
    StreamLong = 5,
    /// TKEEP is not that of the bytes expected.
    StreamKeep = 6,
    /// No input in time.
    InputTimeout = 7,
    /// Output was not taken in time.
    OutputTimeout = 8,
    /// A coefficient is not between -q and q.
    CoefficientRange = 9,
    /// The sponge is not in the phase that the command needs.
    SpongeOrder = 10,
    /// The sampler asked for more blocks than it was allowed.
    SamplerEmpty = 11,
    /// A command was written to a full FIFO.
    FifoFull = 12,
}

impl CauseE {
    /// Decode a bit pattern into an encoded enum variant.
    ///
    /// # Errors
    /// Returns an error if the bit pattern does not match any encoded variants.
    pub const fn from_bits(bits: u8) -> Result<Self, peakrdl_rust::encode::UnknownVariant<u8>> {
        match bits {
            0 => Ok(Self::NoError),
            1 => Ok(Self::BadOpcode),
            2 => Ok(Self::BadSlot),
            3 => Ok(Self::BadOption),
            4 => Ok(Self::StreamShort),
            5 => Ok(Self::StreamLong),
            6 => Ok(Self::StreamKeep),
            7 => Ok(Self::InputTimeout),
            8 => Ok(Self::OutputTimeout),
            9 => Ok(Self::CoefficientRange),
            10 => Ok(Self::SpongeOrder),
            11 => Ok(Self::SamplerEmpty),
            12 => Ok(Self::FifoFull),
            bits => Err(peakrdl_rust::encode::UnknownVariant::new(bits)),
        }
    }

    /// The bit pattern of the variant
    #[must_use]
    pub const fn bits(&self) -> u8 {
        *self as u8
    }
}