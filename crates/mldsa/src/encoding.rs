//! How polynomials stand in keys and signatures. FIPS 204, section 7.1 and 7.2.
use crate::params::{D, Params};

/// 256 coefficients, each 24 bits, low byte first, in `0..q`: what the small profile keeps.
pub type Compact = [u8; 768];

/// A packed polynomial whose field of `bits` bits holds `b` minus the coefficient. FIPS 204, algorithms 17 and 19.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// s1 and s2 with eta = 2: 3 bits.
    S2,
    /// s1 and s2 with eta = 4: 4 bits.
    S4,
    /// t0: 13 bits.
    T0,
    /// z with gamma1 = 2^17: 18 bits.
    Z17,
    /// z with gamma1 = 2^19: 20 bits.
    Z19,
}

impl Encoding {
    /// Bits of a coefficient.
    pub const fn bits(self) -> usize {
        match self {
            Self::S2 => 3,
            Self::S4 => 4,
            Self::T0 => 13,
            Self::Z17 => 18,
            Self::Z19 => 20,
        }
    }

    /// The coefficient that is encoded as 0: eta, 2^12 or gamma1.
    pub const fn b(self) -> u32 {
        match self {
            Self::S2 => 2,
            Self::S4 => 4,
            Self::T0 => 1 << (D - 1),
            Self::Z17 => 1 << 17,
            Self::Z19 => 1 << 19,
        }
    }

    /// Bytes of a polynomial.
    pub const fn poly_len(self) -> usize {
        32 * self.bits()
    }
}

impl Params {
    /// The encoding of s1 and s2.
    pub const fn s_encoding(&self) -> Encoding {
        if self.eta == Encoding::S2.b() { Encoding::S2 } else { Encoding::S4 }
    }

    /// The encoding of z and of the bits that the mask y is made of.
    pub const fn z_encoding(&self) -> Encoding {
        if self.gamma1 == Encoding::Z17.b() { Encoding::Z17 } else { Encoding::Z19 }
    }
}
