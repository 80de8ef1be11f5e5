//! Field Enum: opcode

#[allow(unused_imports)]
use super::_root; // alias to root module of generated code






#[repr(u8)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpcodeE {
    /// Does nothing.
    Nop = 0,
    /// Slot dst = stream.
    Load = 1,
    /// Stream = slot a.
    Store = 2,
    /// dst = NTT(a).
    Ntt = 3,
    /// dst = inverse NTT(a).
    Intt = 4,
    /// dst = a * b, coefficient by coefficient.
    Mul = 5,
    /// dst = dst + a * b, coefficient by coefficient.
    Mac = 6,
    /// dst = a + b.
    Add = 7,
    /// dst = a - b.
    Sub = 8,
    /// Clears every slot, string and the sponge.
    Clear = 9,
    /// Strings from dst on = stream.
    StringLoad = 16,
    /// Stream = strings from a on.
    StringStore = 17,
    /// Opens the sponge.
    HashInit = 18,
    /// Absorbs from the stream.
    AbsorbStream = 19,
    /// Absorbs strings from a on.
    AbsorbString = 20,
    /// Absorbs b bytes of OPTIONS.
    AbsorbImmediate = 21,
    /// Squeezes to the stream.
    SqueezeStream = 22,
    /// Squeezes to strings from dst on.
    SqueezeString = 23,
    /// Stream = sponge.
    SpongeSave = 24,
    /// Sponge = stream.
    SpongeRestore = 25,
    /// Keccak-f[1600] on the sponge's state.
    Permute = 26,
    /// dst = RejNTTPoly(strings from a on, OPTIONS).
    SampleUniform = 32,
    /// dst = RejBoundedPoly with eta 2.
    SampleEta2 = 33,
    /// dst = RejBoundedPoly with eta 4.
    SampleEta4 = 34,
    /// dst = a polynomial of ExpandMask, gamma1 = 2^17.
    SampleMask17 = 35,
    /// dst = a polynomial of ExpandMask, gamma1 = 2^19.
    SampleMask19 = 36,
    /// dst = SampleInBall(strings from a on).
    SampleBall = 37,
    /// Walks a WOTS+ chain in strings from dst on.
    Chain = 48,
    /// Tweakable hash of strings: F, PRF, H, T_l.
    Tweak = 49,
}

impl OpcodeE {
    /// Decode a bit pattern into an encoded enum variant.
    ///
    /// # Errors
    /// Returns an error if the bit pattern does not match any encoded variants.
    pub const fn from_bits(bits: u8) -> Result<Self, peakrdl_rust::encode::UnknownVariant<u8>> {
        match bits {
            0 => Ok(Self::Nop),
            1 => Ok(Self::Load),
            2 => Ok(Self::Store),
            3 => Ok(Self::Ntt),
            4 => Ok(Self::Intt),
            5 => Ok(Self::Mul),
            6 => Ok(Self::Mac),
            7 => Ok(Self::Add),
            8 => Ok(Self::Sub),
            9 => Ok(Self::Clear),
            16 => Ok(Self::StringLoad),
            17 => Ok(Self::StringStore),
            18 => Ok(Self::HashInit),
            19 => Ok(Self::AbsorbStream),
            20 => Ok(Self::AbsorbString),
            21 => Ok(Self::AbsorbImmediate),
            22 => Ok(Self::SqueezeStream),
            23 => Ok(Self::SqueezeString),
            24 => Ok(Self::SpongeSave),
            25 => Ok(Self::SpongeRestore),
            26 => Ok(Self::Permute),
            32 => Ok(Self::SampleUniform),
            33 => Ok(Self::SampleEta2),
            34 => Ok(Self::SampleEta4),
            35 => Ok(Self::SampleMask17),
            36 => Ok(Self::SampleMask19),
            37 => Ok(Self::SampleBall),
            48 => Ok(Self::Chain),
            49 => Ok(Self::Tweak),
            bits => Err(peakrdl_rust::encode::UnknownVariant::new(bits)),
        }
    }

    /// The bit pattern of the variant
    #[must_use]
    pub const fn bits(&self) -> u8 {
        *self as u8
    }
}