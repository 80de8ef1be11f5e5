//! Parameter sets: FIPS 205, section 11.
use core::fmt;

/// Bytes of the largest node: n of the sets of category 5.
pub const MAX_N: usize = 32;
/// Bytes of the largest public key. FIPS 205, figure 16.
pub const MAX_PUBLIC_KEY_LEN: usize = 2 * MAX_N;
/// Bytes of the largest private key. FIPS 205, figure 15.
pub const MAX_PRIVATE_KEY_LEN: usize = 4 * MAX_N;
/// The highest tree there may be, of FORS (a) or of a layer (h'): that of the sets compiled in, as it costs stack.
pub const MAX_HEIGHT: usize = if cfg!(feature = "draft") { 25 } else { 14 };
/// Bytes of the longest output of H_msg there may be.
pub(crate) const MAX_M: usize = 64;

/// What F, H, T_l, PRF and the message hashes are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// SHA-256, and SHA-512 for the longer inputs of categories 3 and 5. FIPS 205, section 11.2.
    Sha2,
    /// SHAKE256. FIPS 205, section 11.1.
    Shake,
}

/// Which of the schemes that share one structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// FIPS 205.
    SlhDsa,
    /// SPHINCS+ of round 3.1, `simple`: hashes as in FIPS 205, FORS indices read with the low bit first.
    #[cfg(feature = "sphincsplus")]
    SphincsPlusSimple,
    /// SPHINCS+ of round 3.1, `robust`: F, H and T_l hash their input added to a mask.
    #[cfg(feature = "sphincsplus")]
    SphincsPlusRobust,
}

/// A parameter set: a row of FIPS 205, table 2.
///
/// The values in use are constants of this module; [`new`](Self::new) makes others.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Params {
    /// Its name: `SLH-DSA-SHA2-128s`.
    pub name: &'static str,
    /// The hash functions.
    pub family: Family,
    /// The scheme.
    pub scheme: Scheme,
    /// Bytes of a node, of a seed, of a WOTS+ chain's value.
    pub n: usize,
    /// Height of the hypertree, all layers together.
    pub h: usize,
    /// Layers of the hypertree.
    pub d: usize,
    /// Height of a FORS tree.
    pub a: usize,
    /// FORS trees.
    pub k: usize,
    /// Bits of a WOTS+ digit.
    pub lg_w: usize,
}

impl Params {
    /// A set of these numbers, in the order of the columns of FIPS 205, table 2: n, h, d, a, k, lg_w. `None` when they
    /// do not fit each other or the fixed buffers of this crate: n of 16, 24 or 32, trees no higher than
    /// [`MAX_HEIGHT`], at most 64 bits of tree index, a message digest of at most 64 bytes, digits of 1 to 8 bits that
    /// fill n bytes.
    ///
    /// For experiments: what a set is worth is another matter.
    pub const fn new(
        name: &'static str,
        family: Family,
        scheme: Scheme,
        [n, h, d, a, k, lg_w]: [usize; 6],
    ) -> Option<Self> {
        let params = Self { name, family, scheme, n, h, d, a, k, lg_w };
        if params.is_sound() { Some(params) } else { None }
    }

    /// Height of an XMSS tree: h'.
    pub const fn hp(&self) -> usize {
        quotient(self.h, self.d)
    }

    /// The Winternitz parameter: 2^lg_w. FIPS 205, equation 5.1.
    pub const fn w(&self) -> u32 {
        1 << self.lg_w
    }

    /// Digits of a message of n bytes. FIPS 205, equation 5.2; which has nothing to round up, see [`new`](Self::new).
    pub const fn len1(&self) -> usize {
        quotient(8 * self.n, self.lg_w)
    }

    /// Digits of the checksum. FIPS 205, equation 5.3 and algorithm 1.
    pub const fn len2(&self) -> usize {
        let max = self.len1() * (self.w() as usize - 1);
        match max.checked_ilog2() {
            Some(bits) => quotient(bits as usize, self.lg_w) + 1,
            None => 0,
        }
    }

    /// Chains of a WOTS+ key. FIPS 205, equation 5.4.
    #[allow(clippy::len_without_is_empty)] // the standard's name; nothing here is a container
    pub const fn len(&self) -> usize {
        self.len1() + self.len2()
    }

    /// Bytes of the part of the message digest that FORS signs. FIPS 205, algorithm 19, line 7.
    pub const fn md_len(&self) -> usize {
        (self.k * self.a).div_ceil(8)
    }

    /// Bytes of the part of the message digest that names an XMSS tree. FIPS 205, algorithm 19, line 8.
    pub const fn tree_index_len(&self) -> usize {
        (self.h - self.hp()).div_ceil(8)
    }

    /// Bytes of the part of the message digest that names a leaf. FIPS 205, algorithm 19, line 9.
    pub const fn leaf_index_len(&self) -> usize {
        self.hp().div_ceil(8)
    }

    /// Bytes of the message digest: m. FIPS 205, table 2.
    pub const fn m(&self) -> usize {
        self.md_len() + self.tree_index_len() + self.leaf_index_len()
    }

    /// Bytes of a public key: PK.seed, PK.root. FIPS 205, figure 16.
    pub const fn public_key_len(&self) -> usize {
        2 * self.n
    }

    /// Bytes of a private key: SK.seed, SK.prf, PK.seed, PK.root. FIPS 205, figure 15.
    pub const fn private_key_len(&self) -> usize {
        4 * self.n
    }

    /// Bytes of a signature: R, k FORS trees, d layers of WOTS+ and a path. FIPS 205, figure 17.
    pub const fn signature_len(&self) -> usize {
        self.n * (1 + self.k * (1 + self.a) + self.d * self.len() + self.h)
    }

    /// The bytes of a node that count.
    pub(crate) fn node<'a>(&self, node: &'a [u8; MAX_N]) -> &'a [u8] {
        node.get(..self.n).unwrap_or(node)
    }

    const fn is_sound(&self) -> bool {
        let node = matches!(self.n, 16 | 24 | 32);
        let digits = self.lg_w >= 1 && self.lg_w <= 8 && (8 * self.n).is_multiple_of(self.lg_w);
        let layers = self.d >= 1 && self.h.is_multiple_of(self.d) && self.hp() >= 1;
        let fors = self.a >= 1
            && self.a <= MAX_HEIGHT
            && self.k >= 1
            && (self.k as u64) << self.a <= u32::MAX as u64;
        node && digits
            && layers
            && fors
            && self.hp() <= MAX_HEIGHT
            && self.h - self.hp() <= 64
            && self.m() <= MAX_M
    }

    /// The set of that name among [`ALL`], spelt as in the standard.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        ALL.iter().copied().find(|params| params.name == name)
    }
}

/// `a / b`, or 0 by 0, which no sound set asks for: division itself would leave a panic in the machine code.
const fn quotient(a: usize, b: usize) -> usize {
    match a.checked_div(b) {
        Some(quotient) => quotient,
        None => 0,
    }
}

impl fmt::Display for Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

const fn set(name: &'static str, family: Family, scheme: Scheme, numbers: [usize; 6]) -> Params {
    Params::new(name, family, scheme, numbers).expect("numbers of a standard")
}

// FIPS 205, table 2: n, h, d, a, k, lg_w.
const N128S: [usize; 6] = [16, 63, 7, 12, 14, 4];
const N128F: [usize; 6] = [16, 66, 22, 6, 33, 4];
const N192S: [usize; 6] = [24, 63, 7, 14, 17, 4];
const N192F: [usize; 6] = [24, 66, 22, 8, 33, 4];
const N256S: [usize; 6] = [32, 64, 8, 14, 22, 4];
const N256F: [usize; 6] = [32, 68, 17, 9, 35, 4];

/// Constants with documentation, and the list of them.
macro_rules! sets {
    ($($(#[$attribute:meta])* $constant:ident $name:literal $family:ident $scheme:ident $numbers:expr;)*) => {
        $(
            $(#[$attribute])*
            #[doc = concat!("`", $name, "`.")]
            pub static $constant: Params = set($name, Family::$family, Scheme::$scheme, $numbers);
        )*

        /// Every set that is compiled in: the twelve of FIPS 205 first, then those of features.
        pub static ALL: &[&Params] = &[$($(#[$attribute])* &$constant),*];
    };
}

sets! {
    SLH_DSA_SHA2_128S "SLH-DSA-SHA2-128s" Sha2 SlhDsa N128S;
    SLH_DSA_SHAKE_128S "SLH-DSA-SHAKE-128s" Shake SlhDsa N128S;
    SLH_DSA_SHA2_128F "SLH-DSA-SHA2-128f" Sha2 SlhDsa N128F;
    SLH_DSA_SHAKE_128F "SLH-DSA-SHAKE-128f" Shake SlhDsa N128F;
    SLH_DSA_SHA2_192S "SLH-DSA-SHA2-192s" Sha2 SlhDsa N192S;
    SLH_DSA_SHAKE_192S "SLH-DSA-SHAKE-192s" Shake SlhDsa N192S;
    SLH_DSA_SHA2_192F "SLH-DSA-SHA2-192f" Sha2 SlhDsa N192F;
    SLH_DSA_SHAKE_192F "SLH-DSA-SHAKE-192f" Shake SlhDsa N192F;
    SLH_DSA_SHA2_256S "SLH-DSA-SHA2-256s" Sha2 SlhDsa N256S;
    SLH_DSA_SHAKE_256S "SLH-DSA-SHAKE-256s" Shake SlhDsa N256S;
    SLH_DSA_SHA2_256F "SLH-DSA-SHA2-256f" Sha2 SlhDsa N256F;
    SLH_DSA_SHAKE_256F "SLH-DSA-SHAKE-256f" Shake SlhDsa N256F;
    #[cfg(feature = "draft")]
    SLH_DSA_SHA2_128_24 "SLH-DSA-SHA2-128-24" Sha2 SlhDsa N128_24;
    #[cfg(feature = "draft")]
    SLH_DSA_SHAKE_128_24 "SLH-DSA-SHAKE-128-24" Shake SlhDsa N128_24;
    #[cfg(feature = "draft")]
    SLH_DSA_SHA2_192_24 "SLH-DSA-SHA2-192-24" Sha2 SlhDsa N192_24;
    #[cfg(feature = "draft")]
    SLH_DSA_SHAKE_192_24 "SLH-DSA-SHAKE-192-24" Shake SlhDsa N192_24;
    #[cfg(feature = "draft")]
    SLH_DSA_SHA2_256_24 "SLH-DSA-SHA2-256-24" Sha2 SlhDsa N256_24;
    #[cfg(feature = "draft")]
    SLH_DSA_SHAKE_256_24 "SLH-DSA-SHAKE-256-24" Shake SlhDsa N256_24;
    #[cfg(feature = "sphincsplus")]
    SPHINCS_SHA2_128S_SIMPLE "SPHINCS+-SHA2-128s-simple" Sha2 SphincsPlusSimple N128S;
    #[cfg(feature = "sphincsplus")]
    SPHINCS_SHA2_128F_SIMPLE "SPHINCS+-SHA2-128f-simple" Sha2 SphincsPlusSimple N128F;
    #[cfg(feature = "sphincsplus")]
    SPHINCS_SHA2_192S_SIMPLE "SPHINCS+-SHA2-192s-simple" Sha2 SphincsPlusSimple N192S;
    #[cfg(feature = "sphincsplus")]
    SPHINCS_SHA2_192F_SIMPLE "SPHINCS+-SHA2-192f-simple" Sha2 SphincsPlusSimple N192F;
    #[cfg(feature = "sphincsplus")]
    SPHINCS_SHA2_256S_SIMPLE "SPHINCS+-SHA2-256s-simple" Sha2 SphincsPlusSimple N256S;
    #[cfg(feature = "sphincsplus")]
    SPHINCS_SHA2_256F_SIMPLE "SPHINCS+-SHA2-256f-simple" Sha2 SphincsPlusSimple N256F;
    #[cfg(feature = "sphincsplus")]
    SPHINCS_SHAKE_128S_SIMPLE "SPHINCS+-SHAKE-128s-simple" Shake SphincsPlusSimple N128S;
    #[cfg(feature = "sphincsplus")]
    SPHINCS_SHAKE_128F_SIMPLE "SPHINCS+-SHAKE-128f-simple" Shake SphincsPlusSimple N128F;
    #[cfg(feature = "sphincsplus")]
    SPHINCS_SHAKE_192S_SIMPLE "SPHINCS+-SHAKE-192s-simple" Shake SphincsPlusSimple N192S;
    #[cfg(feature = "sphincsplus")]
    SPHINCS_SHAKE_192F_SIMPLE "SPHINCS+-SHAKE-192f-simple" Shake SphincsPlusSimple N192F;
    #[cfg(feature = "sphincsplus")]
    SPHINCS_SHAKE_256S_SIMPLE "SPHINCS+-SHAKE-256s-simple" Shake SphincsPlusSimple N256S;
    #[cfg(feature = "sphincsplus")]
    SPHINCS_SHAKE_256F_SIMPLE "SPHINCS+-SHAKE-256f-simple" Shake SphincsPlusSimple N256F;
    #[cfg(feature = "sphincsplus")]
    SPHINCS_SHA2_128S_ROBUST "SPHINCS+-SHA2-128s-robust" Sha2 SphincsPlusRobust N128S;
    #[cfg(feature = "sphincsplus")]
    SPHINCS_SHA2_128F_ROBUST "SPHINCS+-SHA2-128f-robust" Sha2 SphincsPlusRobust N128F;
    #[cfg(feature = "sphincsplus")]
    SPHINCS_SHA2_192S_ROBUST "SPHINCS+-SHA2-192s-robust" Sha2 SphincsPlusRobust N192S;
    #[cfg(feature = "sphincsplus")]
    SPHINCS_SHA2_192F_ROBUST "SPHINCS+-SHA2-192f-robust" Sha2 SphincsPlusRobust N192F;
    #[cfg(feature = "sphincsplus")]
    SPHINCS_SHA2_256S_ROBUST "SPHINCS+-SHA2-256s-robust" Sha2 SphincsPlusRobust N256S;
    #[cfg(feature = "sphincsplus")]
    SPHINCS_SHA2_256F_ROBUST "SPHINCS+-SHA2-256f-robust" Sha2 SphincsPlusRobust N256F;
    #[cfg(feature = "sphincsplus")]
    SPHINCS_SHAKE_128S_ROBUST "SPHINCS+-SHAKE-128s-robust" Shake SphincsPlusRobust N128S;
    #[cfg(feature = "sphincsplus")]
    SPHINCS_SHAKE_128F_ROBUST "SPHINCS+-SHAKE-128f-robust" Shake SphincsPlusRobust N128F;
    #[cfg(feature = "sphincsplus")]
    SPHINCS_SHAKE_192S_ROBUST "SPHINCS+-SHAKE-192s-robust" Shake SphincsPlusRobust N192S;
    #[cfg(feature = "sphincsplus")]
    SPHINCS_SHAKE_192F_ROBUST "SPHINCS+-SHAKE-192f-robust" Shake SphincsPlusRobust N192F;
    #[cfg(feature = "sphincsplus")]
    SPHINCS_SHAKE_256S_ROBUST "SPHINCS+-SHAKE-256s-robust" Shake SphincsPlusRobust N256S;
    #[cfg(feature = "sphincsplus")]
    SPHINCS_SHAKE_256F_ROBUST "SPHINCS+-SHAKE-256f-robust" Shake SphincsPlusRobust N256F;
}

// Draft: NIST SP 800-230, initial public draft; (w = 4, 8, 4). A key must not sign more than 2^24 times.
#[cfg(feature = "draft")]
const N128_24: [usize; 6] = [16, 22, 1, 24, 6, 2];
#[cfg(feature = "draft")]
const N192_24: [usize; 6] = [24, 21, 1, 25, 9, 3];
#[cfg(feature = "draft")]
const N256_24: [usize; 6] = [32, 21, 1, 25, 12, 2];

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 205, table 2: m, public key and signature in bytes, by the numbers.
    #[test]
    fn derived_numbers() {
        for (numbers, m, public, signature) in [
            (N128S, 30, 32, 7856),
            (N128F, 34, 32, 17088),
            (N192S, 39, 48, 16224),
            (N192F, 42, 48, 35664),
            (N256S, 47, 64, 29792),
            (N256F, 49, 64, 49856),
        ] {
            let params = set("", Family::Sha2, Scheme::SlhDsa, numbers);
            assert_eq!((params.m(), params.public_key_len(), params.signature_len()), (m, public, signature));
            assert_eq!((params.len2(), params.len1()), (3, 2 * params.n));
        }
    }

    #[cfg(feature = "draft")]
    #[test]
    fn derived_numbers_of_the_draft() {
        for (numbers, len, signature) in [(N128_24, 68, 3856), (N192_24, 67, 7752), (N256_24, 133, 14944)] {
            let params = set("", Family::Sha2, Scheme::SlhDsa, numbers);
            assert_eq!((params.len(), params.signature_len()), (len, signature));
        }
    }

    #[test]
    fn names() {
        for params in ALL {
            assert_eq!(Params::by_name(params.name), Some(*params));
        }
        assert_eq!(Params::by_name("SLH-DSA-SHA2-128"), None);
    }
}
