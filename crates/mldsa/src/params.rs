//! Parameter sets. FIPS 204, section 4.
use crate::blank::{Blank, ByteArray};

/// Coefficients of a polynomial. FIPS 204, section 2.3.
pub const N: usize = 256;
/// The modulus 2^23 - 2^13 + 1. FIPS 204, table 1.
pub const Q: u32 = 8_380_417;
/// Bits dropped from t: the width of t0. FIPS 204, table 1.
pub const D: u32 = 13;
/// Bytes of a seed xi, of rho, of K and of rnd.
pub const SEED_LEN: usize = 32;
/// Bytes of one polynomial of t1, 10 bits a coefficient.
pub const T1_LEN: usize = 320;
/// Bytes of one polynomial of t0, 13 bits a coefficient.
pub const T0_LEN: usize = 416;

/// An ML-DSA parameter set: a column of FIPS 204, table 1, and what tells its forerunners from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The name of the set: `ML-DSA-44`.
    pub name: &'static str,
    /// Rows of A: polynomials in t, w and the hint.
    pub k: usize,
    /// Columns of A: polynomials in s1, y and z.
    pub l: usize,
    /// s1, s2 have coefficients in -eta..=eta: 2 or 4.
    pub eta: u32,
    /// Coefficients of c that are not zero.
    pub tau: usize,
    /// y has coefficients in -gamma1 + 1..=gamma1: 2^17 or 2^19.
    pub gamma1: u32,
    /// Half the range of the low bits: (q - 1) / 88 or (q - 1) / 32.
    pub gamma2: u32,
    /// Most ones in the hint.
    pub omega: usize,
    /// Bytes of the commitment hash c~: lambda / 4.
    pub c_tilde_len: usize,
    /// Bytes of c~, from its start, that SampleInBall takes. All of them, but for the draft of FIPS 204.
    pub ball_seed_len: usize,
    /// Bytes of tr, the hash of the public key.
    pub tr_len: usize,
    /// Bytes of mu, and of the seed rho'' of the mask.
    pub mu_len: usize,
    /// Bytes of the seed rho' of s1 and s2.
    pub secret_seed_len: usize,
    /// Whether key generation hashes k and l with the seed. FIPS 204, algorithm 6, line 1.
    pub keygen_binds_dimensions: bool,
    /// Whether rnd goes into the seed of the mask. Without it signing is always deterministic.
    pub hedged: bool,
    /// Whether messages are formatted with domain byte and context. FIPS 204, algorithms 2 to 5.
    pub context: bool,
}

impl Params {
    /// Greatest coefficient of c * s1 and c * s2: tau * eta. FIPS 204, table 1.
    pub const fn beta(&self) -> u32 {
        self.tau as u32 * self.eta
    }

    /// Bits of one coefficient of s1 and s2 as encoded: bitlen(2 eta).
    pub const fn eta_bits(&self) -> usize {
        bitlen(2 * self.eta)
    }

    /// Bits of one coefficient of y and z as encoded: 1 + bitlen(gamma1 - 1).
    pub const fn z_bits(&self) -> usize {
        1 + bitlen(self.gamma1 - 1)
    }

    /// Bits of one coefficient of w1 as encoded: bitlen((q - 1) / (2 gamma2) - 1).
    pub const fn w1_bits(&self) -> usize {
        bitlen((Q - 1) / (2 * self.gamma2) - 1)
    }

    /// Bytes of one polynomial of s1 or s2.
    pub const fn s_len(&self) -> usize {
        32 * self.eta_bits()
    }

    /// Bytes of one polynomial of z.
    pub const fn z_len(&self) -> usize {
        32 * self.z_bits()
    }

    /// Bytes of one polynomial of w1.
    pub const fn w1_len(&self) -> usize {
        32 * self.w1_bits()
    }

    /// Bytes of a public key: rho, then t1. FIPS 204, algorithm 22.
    pub const fn public_key_len(&self) -> usize {
        SEED_LEN + T1_LEN * self.k
    }

    /// Bytes of an expanded secret key: rho, K, tr, s1, s2, t0. FIPS 204, algorithm 24.
    pub const fn secret_key_len(&self) -> usize {
        2 * SEED_LEN + self.tr_len + self.s_len() * (self.k + self.l) + T0_LEN * self.k
    }

    /// Bytes of a signature: c~, then z, then the hints. FIPS 204, algorithm 26 and table 2.
    pub const fn signature_len(&self) -> usize {
        self.c_tilde_len + self.z_len() * self.l + self.omega + self.k
    }
}

/// The length of `number` in binary.
const fn bitlen(number: u32) -> usize {
    (u32::BITS - number.leading_zeros()) as usize
}

mod sealed {
    pub trait Sealed {}
}

/// A parameter set as a type, with arrays of the lengths that follow from it.
pub trait ParameterSet: sealed::Sealed + Copy + core::fmt::Debug + Default + Send + Sync + 'static {
    /// The numbers.
    const PARAMS: Params;
    /// One value a row of A: k of them.
    type Rows<T: Blank>: Blank + AsRef<[T]> + AsMut<[T]>;
    /// One value a column of A: l of them.
    type Columns<T: Blank>: Blank + AsRef<[T]> + AsMut<[T]>;
    /// An encoded public key.
    type PublicKey: ByteArray;
    /// An encoded expanded secret key.
    type SecretKey: ByteArray;
    /// An encoded signature.
    type Signature: ByteArray;
}

macro_rules! parameter_sets {
    ($($(#[$attribute:meta])* $name:ident = $params:expr;)*) => {$(
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;

        $(#[$attribute])*
        impl sealed::Sealed for $name {}

        $(#[$attribute])*
        impl ParameterSet for $name {
            const PARAMS: Params = $params;
            type Rows<T: Blank> = [T; Self::PARAMS.k];
            type Columns<T: Blank> = [T; Self::PARAMS.l];
            type PublicKey = [u8; Self::PARAMS.public_key_len()];
            type SecretKey = [u8; Self::PARAMS.secret_key_len()];
            type Signature = [u8; Self::PARAMS.signature_len()];
        }
    )*};
}

/// What all three sets of FIPS 204 have in common, with the numbers of ML-DSA-44.
const ML_DSA_44: Params = Params {
    name: "ML-DSA-44",
    k: 4,
    l: 4,
    eta: 2,
    tau: 39,
    gamma1: 1 << 17,
    gamma2: (Q - 1) / 88,
    omega: 80,
    c_tilde_len: 32,
    ball_seed_len: 32,
    tr_len: 64,
    mu_len: 64,
    secret_seed_len: 64,
    keygen_binds_dimensions: true,
    hedged: true,
    context: true,
};

const ML_DSA_65: Params = Params {
    name: "ML-DSA-65",
    k: 6,
    l: 5,
    eta: 4,
    tau: 49,
    gamma1: 1 << 19,
    gamma2: (Q - 1) / 32,
    omega: 55,
    c_tilde_len: 48,
    ball_seed_len: 48,
    ..ML_DSA_44
};

const ML_DSA_87: Params = Params {
    name: "ML-DSA-87",
    k: 8,
    l: 7,
    eta: 2,
    tau: 60,
    omega: 75,
    c_tilde_len: 64,
    ball_seed_len: 64,
    ..ML_DSA_65
};

/// Dilithium as submitted, version 3.1 (February 2021): tr and c~ of 32 bytes, no context, no rnd.
#[cfg(feature = "dilithium")]
const fn round_3_1(name: &'static str, set: Params) -> Params {
    Params {
        name,
        c_tilde_len: 32,
        ball_seed_len: 32,
        tr_len: 32,
        keygen_binds_dimensions: false,
        hedged: false,
        context: false,
        ..set
    }
}

/// Dilithium as submitted, version 3.0 (October 2020): tr, mu and rho'' of 48 bytes, rho' of 32.
#[cfg(feature = "dilithium")]
const fn round_3_0(name: &'static str, set: Params) -> Params {
    Params { tr_len: 48, mu_len: 48, secret_seed_len: 32, ..round_3_1(name, set) }
}

/// The code between the draft of FIPS 204 and the standard: neither k and l in key generation nor a context.
#[cfg(feature = "dilithium")]
const fn interim(name: &'static str, set: Params) -> Params {
    Params { name, keygen_binds_dimensions: false, context: false, ..set }
}

/// The initial public draft of FIPS 204 (August 2023): of c~ only 32 bytes go into SampleInBall.
#[cfg(feature = "dilithium")]
const fn draft(name: &'static str, set: Params) -> Params {
    Params { ball_seed_len: 32, ..interim(name, set) }
}

parameter_sets! {
    /// ML-DSA-44: security category 2.
    MlDsa44 = ML_DSA_44;
    /// ML-DSA-65: security category 3.
    MlDsa65 = ML_DSA_65;
    /// ML-DSA-87: security category 5.
    MlDsa87 = ML_DSA_87;
    /// Dilithium2 of round 3, version 3.1.
    #[cfg(feature = "dilithium")]
    Dilithium2 = round_3_1("Dilithium2", ML_DSA_44);
    /// Dilithium3 of round 3, version 3.1.
    #[cfg(feature = "dilithium")]
    Dilithium3 = round_3_1("Dilithium3", ML_DSA_65);
    /// Dilithium5 of round 3, version 3.1.
    #[cfg(feature = "dilithium")]
    Dilithium5 = round_3_1("Dilithium5", ML_DSA_87);
    /// Dilithium2 of round 3, version 3.0.
    #[cfg(feature = "dilithium")]
    Dilithium2V30 = round_3_0("Dilithium2-3.0", ML_DSA_44);
    /// Dilithium3 of round 3, version 3.0.
    #[cfg(feature = "dilithium")]
    Dilithium3V30 = round_3_0("Dilithium3-3.0", ML_DSA_65);
    /// Dilithium5 of round 3, version 3.0.
    #[cfg(feature = "dilithium")]
    Dilithium5V30 = round_3_0("Dilithium5-3.0", ML_DSA_87);
    /// ML-DSA-44 of the initial public draft of FIPS 204.
    #[cfg(feature = "dilithium")]
    MlDsa44Draft = draft("ML-DSA-44-draft", ML_DSA_44);
    /// ML-DSA-65 of the initial public draft of FIPS 204.
    #[cfg(feature = "dilithium")]
    MlDsa65Draft = draft("ML-DSA-65-draft", ML_DSA_65);
    /// ML-DSA-87 of the initial public draft of FIPS 204.
    #[cfg(feature = "dilithium")]
    MlDsa87Draft = draft("ML-DSA-87-draft", ML_DSA_87);
    /// ML-DSA-44 of the code between draft and standard.
    #[cfg(feature = "dilithium")]
    MlDsa44Interim = interim("ML-DSA-44-interim", ML_DSA_44);
    /// ML-DSA-65 of the code between draft and standard.
    #[cfg(feature = "dilithium")]
    MlDsa65Interim = interim("ML-DSA-65-interim", ML_DSA_65);
    /// ML-DSA-87 of the code between draft and standard.
    #[cfg(feature = "dilithium")]
    MlDsa87Interim = interim("ML-DSA-87-interim", ML_DSA_87);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 204, table 2; for Dilithium the tables of its specification.
    #[test]
    fn sizes() {
        let sizes = |p: Params| (p.secret_key_len(), p.public_key_len(), p.signature_len());
        assert_eq!(sizes(ML_DSA_44), (2560, 1312, 2420));
        assert_eq!(sizes(ML_DSA_65), (4032, 1952, 3309));
        assert_eq!(sizes(ML_DSA_87), (4896, 2592, 4627));
        assert_eq!([ML_DSA_44, ML_DSA_65, ML_DSA_87].map(|p| p.beta()), [78, 196, 120]);
        #[cfg(feature = "dilithium")]
        {
            assert_eq!(sizes(Dilithium2::PARAMS), (2528, 1312, 2420));
            assert_eq!(sizes(Dilithium3::PARAMS), (4000, 1952, 3293));
            assert_eq!(sizes(Dilithium5::PARAMS), (4864, 2592, 4595));
            assert_eq!(Dilithium2V30::PARAMS.secret_key_len(), 2544);
            assert_eq!(Dilithium3V30::PARAMS.secret_key_len(), 4016);
            assert_eq!(Dilithium5V30::PARAMS.secret_key_len(), 4880);
        }
    }
}
