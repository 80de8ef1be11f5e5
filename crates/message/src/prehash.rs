//! The hash functions of HashML-DSA and HashSLH-DSA.
use core::{fmt, str::FromStr};
use pqsoc_keccak as keccak;
use sha2::Digest as _;

/// A hash function that may come before a signature: all approved ones. FIPS 204, section 5.4; FIPS 205, section 10.2.
///
/// The standards ask for a collision strength of at least the parameter set's; which functions that leaves is the
/// caller's policy, with [`collision_strength`](Self::collision_strength) to decide it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PreHash {
    /// SHA2-224.
    Sha2_224,
    /// SHA2-256.
    Sha2_256,
    /// SHA2-384.
    Sha2_384,
    /// SHA2-512.
    Sha2_512,
    /// SHA2-512/224.
    Sha2_512_224,
    /// SHA2-512/256.
    Sha2_512_256,
    /// SHA3-224.
    Sha3_224,
    /// SHA3-256.
    Sha3_256,
    /// SHA3-384.
    Sha3_384,
    /// SHA3-512.
    Sha3_512,
    /// SHAKE128 with 256 bits of output.
    Shake128,
    /// SHAKE256 with 512 bits of output.
    Shake256,
}

/// A name that is none of [`PreHash::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownPreHash;

impl fmt::Display for UnknownPreHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown hash function; known are ")?;
        for (i, pre_hash) in PreHash::ALL.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            f.write_str(pre_hash.name())?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownPreHash {}

/// One row of the table of functions.
struct Row {
    name: &'static str,
    /// DER of the object identifier, tag and length included.
    oid_der: [u8; 11],
    digest_len: usize,
}

/// The identifiers are those under 2.16.840.1.101.3.4.2 of NIST's register.
const fn row(name: &'static str, arc: u8, digest_len: usize) -> Row {
    Row { name, oid_der: [0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, arc], digest_len }
}

impl PreHash {
    /// All of them, in the order of their object identifiers' families.
    pub const ALL: [Self; 12] = [
        Self::Sha2_224,
        Self::Sha2_256,
        Self::Sha2_384,
        Self::Sha2_512,
        Self::Sha2_512_224,
        Self::Sha2_512_256,
        Self::Sha3_224,
        Self::Sha3_256,
        Self::Sha3_384,
        Self::Sha3_512,
        Self::Shake128,
        Self::Shake256,
    ];

    const fn row(self) -> &'static Row {
        match self {
            Self::Sha2_224 => const { &row("SHA2-224", 4, 28) },
            Self::Sha2_256 => const { &row("SHA2-256", 1, 32) },
            Self::Sha2_384 => const { &row("SHA2-384", 2, 48) },
            Self::Sha2_512 => const { &row("SHA2-512", 3, 64) },
            Self::Sha2_512_224 => const { &row("SHA2-512/224", 5, 28) },
            Self::Sha2_512_256 => const { &row("SHA2-512/256", 6, 32) },
            Self::Sha3_224 => const { &row("SHA3-224", 7, 28) },
            Self::Sha3_256 => const { &row("SHA3-256", 8, 32) },
            Self::Sha3_384 => const { &row("SHA3-384", 9, 48) },
            Self::Sha3_512 => const { &row("SHA3-512", 10, 64) },
            Self::Shake128 => const { &row("SHAKE-128", 11, 32) },
            Self::Shake256 => const { &row("SHAKE-256", 12, 64) },
        }
    }

    /// Its name as ACVP spells it: `SHA2-512/256`, `SHAKE-128`.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// DER encoding of its object identifier, tag and length included, as it goes into M'.
    pub const fn oid_der(self) -> &'static [u8; 11] {
        &self.row().oid_der
    }

    /// Bytes of its digest.
    pub const fn digest_len(self) -> usize {
        self.row().digest_len
    }

    /// Bits of strength against collisions: half of the digest's bits.
    pub const fn collision_strength(self) -> usize {
        4 * self.digest_len()
    }

    /// A fresh hasher.
    pub fn hasher(self) -> Hasher {
        Hasher(match self {
            Self::Sha2_224 => State::Sha2_224(Default::default()),
            Self::Sha2_256 => State::Sha2_256(Default::default()),
            Self::Sha2_384 => State::Sha2_384(Default::default()),
            Self::Sha2_512 => State::Sha2_512(Default::default()),
            Self::Sha2_512_224 => State::Sha2_512_224(Default::default()),
            Self::Sha2_512_256 => State::Sha2_512_256(Default::default()),
            Self::Sha3_224 => State::Sha3_224(Default::default()),
            Self::Sha3_256 => State::Sha3_256(Default::default()),
            Self::Sha3_384 => State::Sha3_384(Default::default()),
            Self::Sha3_512 => State::Sha3_512(Default::default()),
            Self::Shake128 => State::Shake128(Default::default()),
            Self::Shake256 => State::Shake256(Default::default()),
        })
    }

    /// The digest of `message`.
    pub fn digest(self, message: &[u8]) -> Digest {
        let mut hasher = self.hasher();
        hasher.update(message);
        hasher.finish()
    }
}

impl fmt::Display for PreHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for PreHash {
    type Err = UnknownPreHash;

    /// Takes ACVP's spelling and its usual variants: any case, `SHA-512` or `sha512` for SHA2-512, `SHA2-512-256`
    /// for SHA2-512/256, `SHAKE128` for SHAKE-128.
    fn from_str(name: &str) -> Result<Self, UnknownPreHash> {
        let letters = |s: &'static str| s.bytes().filter(u8::is_ascii_alphanumeric);
        let given = || name.bytes().filter(|b| !b"-_/ ".contains(b)).map(|b| b.to_ascii_uppercase());
        let same = |full: &'static str| {
            let short = full.strip_prefix("SHA2");
            given().eq(letters(full))
                || short.is_some_and(|s| given().eq(b"SHA".iter().copied().chain(letters(s))))
        };
        Self::ALL.into_iter().find(|p| same(p.name())).ok_or(UnknownPreHash)
    }
}

/// A digest of up to 64 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest {
    bytes: [u8; 64],
    len: usize,
}

impl AsRef<[u8]> for Digest {
    fn as_ref(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or(&[])
    }
}

/// Hashes a message that comes in pieces of any length.
pub struct Hasher(State);

enum State {
    Sha2_224(sha2::Sha224),
    Sha2_256(sha2::Sha256),
    Sha2_384(sha2::Sha384),
    Sha2_512(sha2::Sha512),
    Sha2_512_224(sha2::Sha512_224),
    Sha2_512_256(sha2::Sha512_256),
    Sha3_224(keccak::Sha3_224),
    Sha3_256(keccak::Sha3_256),
    Sha3_384(keccak::Sha3_384),
    Sha3_512(keccak::Sha3_512),
    Shake128(keccak::Shake128),
    Shake256(keccak::Shake256),
}

impl Hasher {
    /// Appends `input` to the message.
    pub fn update(&mut self, input: &[u8]) {
        match &mut self.0 {
            State::Sha2_224(h) => h.update(input),
            State::Sha2_256(h) => h.update(input),
            State::Sha2_384(h) => h.update(input),
            State::Sha2_512(h) => h.update(input),
            State::Sha2_512_224(h) => h.update(input),
            State::Sha2_512_256(h) => h.update(input),
            State::Sha3_224(h) => h.absorb(input),
            State::Sha3_256(h) => h.absorb(input),
            State::Sha3_384(h) => h.absorb(input),
            State::Sha3_512(h) => h.absorb(input),
            State::Shake128(h) => h.absorb(input),
            State::Shake256(h) => h.absorb(input),
        }
    }

    /// Ends the message.
    pub fn finish(self) -> Digest {
        match self.0 {
            State::Sha2_224(h) => digest(&h.finalize()),
            State::Sha2_256(h) => digest(&h.finalize()),
            State::Sha2_384(h) => digest(&h.finalize()),
            State::Sha2_512(h) => digest(&h.finalize()),
            State::Sha2_512_224(h) => digest(&h.finalize()),
            State::Sha2_512_256(h) => digest(&h.finalize()),
            State::Sha3_224(mut h) => digest(&h.finish()),
            State::Sha3_256(mut h) => digest(&h.finish()),
            State::Sha3_384(mut h) => digest(&h.finish()),
            State::Sha3_512(mut h) => digest(&h.finish()),
            State::Shake128(mut h) => squeeze::<32>(|out| h.finish().squeeze(out)),
            State::Shake256(mut h) => squeeze::<64>(|out| h.finish().squeeze(out)),
        }
    }
}

fn digest(value: &[u8]) -> Digest {
    let mut bytes = [0; 64];
    for (to, from) in bytes.iter_mut().zip(value) {
        *to = *from;
    }
    Digest { bytes, len: value.len() }
}

fn squeeze<const LEN: usize>(fill: impl FnOnce(&mut [u8])) -> Digest {
    let mut bytes = [0; LEN];
    fill(&mut bytes);
    digest(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "abc": FIPS 180-4 and 202 examples; SHAKE from NIST's examples of the same message.
    const ABC: [(&str, &str); 12] = [
        ("SHA2-224", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
        ("SHA2-256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "SHA2-384",
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
        ),
        (
            "SHA2-512",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        ),
        ("SHA2-512/224", "4634270f707b6a54daae7530460842e20e37ed265ceee9a43e8924aa"),
        ("SHA2-512/256", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
        ("SHA3-224", "e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf"),
        ("SHA3-256", "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
        (
            "SHA3-384",
            "ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228376d25",
        ),
        (
            "SHA3-512",
            "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0",
        ),
        ("SHAKE-128", "5881092dd818bf5cf8a3ddb793fbcba74097d5c526a6d35f97b83351940f2cc8"),
        (
            "SHAKE-256",
            "483366601360a8771c6863080cc4114d8db44530f8f1e1ee4f94ea37e78b5739d5a15bef186a5386c75744c0527e1faa9f8726e462a12a4feb06bd8801e751e4",
        ),
    ];

    #[test]
    fn digests() {
        for (pre_hash, (name, digest)) in PreHash::ALL.into_iter().zip(ABC) {
            assert_eq!(pre_hash.name(), name);
            let mut pieces = pre_hash.hasher();
            pieces.update(b"a");
            pieces.update(b"");
            pieces.update(b"bc");
            let value = pre_hash.digest(b"abc");
            assert_eq!(pieces.finish(), value);
            assert_eq!(hex::encode(value), digest, "{name}");
            assert_eq!(value.as_ref().len(), pre_hash.digest_len());
        }
    }

    #[test]
    fn names() {
        for pre_hash in PreHash::ALL {
            assert_eq!(pre_hash.name().parse(), Ok(pre_hash));
        }
        for (name, pre_hash) in [
            ("sha512", PreHash::Sha2_512),
            ("SHA-256", PreHash::Sha2_256),
            ("SHA2-512-256", PreHash::Sha2_512_256),
            ("sha512/224", PreHash::Sha2_512_224),
            ("shake256", PreHash::Shake256),
            ("sha3_384", PreHash::Sha3_384),
        ] {
            assert_eq!(name.parse(), Ok(pre_hash), "{name}");
        }
        for name in ["", "SHA", "SHA2", "MD5", "SHA-1", "SHA2-2566", "SHAKE", "SHA3-512/256"] {
            assert_eq!(name.parse::<PreHash>(), Err(UnknownPreHash), "{name}");
        }
    }
}
