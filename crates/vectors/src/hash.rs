//! The hash functions under one type, and what NIST's validation systems do with them.
use crate::suite::{Verdict, failed, same};
use pqsoc_keccak::{Shake128, Shake256};
use pqsoc_message::{Hasher, PreHash};

/// A hash function. SHAKE has outputs of any length here, not those that pre-hashing fixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hash {
    Fixed(PreHash),
    Shake128,
    Shake256,
}

impl Hash {
    /// By any of its usual names: `SHA3-224`, `SHA-256`, `SHA2-512/256`, `SHAKE-128`, `SHAKE128`.
    pub fn by_name(name: &str) -> Option<Self> {
        name.parse().ok().map(|function| match function {
            PreHash::Shake128 => Self::Shake128,
            PreHash::Shake256 => Self::Shake256,
            fixed => Self::Fixed(fixed),
        })
    }

    /// The first of its usual names in a sentence or a file's name, at the beginning of a word.
    pub fn in_sentence(sentence: &str) -> Option<Self> {
        let inside = |c: char| c.is_ascii_alphanumeric() || "-_/".contains(c);
        let words = sentence.split(|c| !inside(c));
        let starts = words.flat_map(|word| {
            word.char_indices()
                .filter(|(at, _)| *at == 0 || word.as_bytes()[at - 1] == b'_')
                .map(|(at, _)| &word[at..])
        });
        starts
            .into_iter()
            .find_map(|start| (1..=start.len()).rev().find_map(|len| Self::by_name(&start[..len])))
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Fixed(function) => function.name(),
            Self::Shake128 => "SHAKE-128",
            Self::Shake256 => "SHAKE-256",
        }
    }

    fn state(self) -> State {
        match self {
            Self::Fixed(function) => State::Fixed(function.hasher()),
            Self::Shake128 => State::Shake128(Shake128::new()),
            Self::Shake256 => State::Shake256(Shake256::new()),
        }
    }

    /// The digest of `parts` one after the other; `len` counts for SHAKE only.
    pub fn digest<'a>(self, parts: impl IntoIterator<Item = &'a [u8]>, len: usize) -> Vec<u8> {
        let mut state = self.state();
        for part in parts {
            match &mut state {
                State::Fixed(hasher) => hasher.update(part),
                State::Shake128(shake) => shake.absorb(part),
                State::Shake256(shake) => shake.absorb(part),
            }
        }
        let mut out = vec![0; len];
        match state {
            State::Fixed(hasher) => return hasher.finish().as_ref().to_vec(),
            State::Shake128(mut shake) => shake.finish().squeeze(&mut out),
            State::Shake256(mut shake) => shake.finish().squeeze(&mut out),
        }
        out
    }

    /// HMAC. FIPS 198-1, section 4.
    pub fn hmac(function: PreHash, key: &[u8], message: &[u8]) -> Vec<u8> {
        let block_len = match function {
            PreHash::Sha2_224 | PreHash::Sha2_256 => 64,
            PreHash::Sha2_384 | PreHash::Sha2_512 | PreHash::Sha2_512_224 | PreHash::Sha2_512_256 => 128,
            // The rate of SHA-3 and SHAKE: 1600 bits less twice the strength against preimages.
            PreHash::Shake128 => 168,
            PreHash::Shake256 => 136,
            sha3 => 200 - 2 * sha3.digest_len(),
        };
        let hashed;
        let key = if key.len() > block_len {
            hashed = function.digest(key);
            hashed.as_ref()
        } else {
            key
        };
        let pad = |with: u8| {
            let mut block = vec![with; block_len];
            for (byte, key) in block.iter_mut().zip(key) {
                *byte ^= key;
            }
            block
        };
        let hash = |parts: [&[u8]; 2]| {
            let mut hasher = function.hasher();
            parts.iter().for_each(|part| hasher.update(part));
            hasher.finish()
        };
        let inner = hash([&pad(0x36), message]);
        hash([&pad(0x5c), inner.as_ref()]).as_ref().to_vec()
    }
}

enum State {
    Fixed(Hasher),
    Shake128(Shake128),
    Shake256(Shake256),
}

/// How a Monte Carlo test makes the next message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chain {
    /// SHA-2: the last three digests one after the other. SHAVS, section 6.4.
    ThreeDigests,
    /// SHA-3: the last digest. SHA3VS, section 6.2.3.
    OneDigest,
}

/// A Monte Carlo test of a function with digests of fixed length: each published digest is the 1000th from the one
/// before, the first from `seed`. The `alternate` form of ACVP cuts or pads each message to the length of the seed.
pub(crate) fn monte_carlo(
    function: PreHash,
    chain: Chain,
    alternate: bool,
    seed: &[u8],
    published: &[Vec<u8>],
) -> Verdict {
    let digest = |mut message: Vec<u8>| {
        if alternate {
            message.resize(seed.len(), 0);
        }
        function.digest(&message).as_ref().to_vec()
    };
    let mut last = seed.to_vec();
    for (j, published) in published.iter().enumerate() {
        let (mut a, mut b, mut c) = (last.clone(), last.clone(), last);
        for _ in 0..1000 {
            let message = match chain {
                Chain::ThreeDigests => [a.as_slice(), &b, &c].concat(),
                Chain::OneDigest => c.clone(),
            };
            (a, b, c) = (b, c, digest(message));
        }
        same(&format!("digest {j}"), &c, published)?;
        last = c;
    }
    Ok(())
}

/// A Monte Carlo test of SHAKE, with outputs of `min..=max` bytes. SHA3VS, section 6.3.3.
pub(crate) fn monte_carlo_shake(
    function: Hash,
    seed: &[u8],
    (min, max): (usize, usize),
    published: &[(Option<usize>, Vec<u8>)],
) -> Verdict {
    // The bounds come from a file: a wrong one must not become an allocation.
    let range =
        (min >= 2 && max <= 1 << 16).then(|| (max + 1).checked_sub(min)).flatten().filter(|range| *range > 0);
    let range = range.ok_or_else(|| failed(format!("outputs of {min} to {max} bytes cannot be")))?;
    let (mut output, mut len) = (seed.to_vec(), max);
    for (j, (bits, published)) in published.iter().enumerate() {
        let mut used = len;
        for _ in 0..1000 {
            output.resize(output.len().min(16), 0);
            output.resize(16, 0);
            used = len;
            output = function.digest([output.as_slice()], used);
            let last = output.iter().rev().take(2).rev().fold(0, |n, &byte| n << 8 | usize::from(byte));
            len = min + last % range;
        }
        if let Some(bits) = bits.filter(|bits| *bits != 8 * used) {
            return Err(failed(format!("output {j} has {} bits, published are {bits}", 8 * used)));
        }
        same(&format!("output {j}"), &output, published)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (sentence, name) in [
            ("\"SHAKE128 ShortMsg\" information for \"SHAKE3AllBytesGT\"", "SHAKE-128"),
            ("\"SHA3-224 Monte\" information", "SHA3-224"),
            ("SHA-256 tests", "SHA2-256"),
            ("SHA3_384LongMsg.rsp", "SHA3-384"),
            ("or SHA3-512 as in FIPS 202 standard", "SHA3-512"),
            ("ShortMsgKAT_SHA3-256.txt", "SHA3-256"),
        ] {
            assert_eq!(Hash::in_sentence(sentence).map(Hash::name), Some(name), "{sentence}");
        }
        assert_eq!(Hash::in_sentence("Keccak r=1024"), None);
    }

    /// RFC 4231, test cases 1 and 6.
    #[test]
    fn hmac_sha2_256() {
        let case = |key: &[u8], message: &[u8]| hex::encode(Hash::hmac(PreHash::Sha2_256, key, message));
        assert_eq!(
            case(&[0x0b; 20], b"Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        );
        assert_eq!(
            case(&[0xaa; 131], b"Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }
}
