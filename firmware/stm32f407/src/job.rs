// SPDX-License-Identifier: Apache-2.0 OR MIT

//! What to measure: a line of text from the serial port.
//!
//! `ALGORITHM PROFILE OPERATION RUNS SEED MESSAGE`, for example `ML-DSA-44 fast sign 10 0011 68656c6c6f`. PROFILE is
//! `reference`, `fast` or `small` for ML-DSA and `-` for SLH-DSA; SEED and MESSAGE are hexadecimal, `-` if empty.

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Key generation from a seed.
    Keygen,
    /// Deterministic signing of a message without context.
    Sign,
    /// Verification of such a signature.
    Verify,
}

impl Operation {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Keygen => "keygen",
            Self::Sign => "sign",
            Self::Verify => "verify",
        }
    }
}

/// Bytes given in hexadecimal, at most 64.
#[derive(Clone, Copy)]
pub struct Bytes {
    bytes: [u8; 64],
    length: usize,
}

impl Bytes {
    fn parse(text: &str) -> Option<Self> {
        let text = if text == "-" { "" } else { text };
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        let mut bytes = [0; 64];
        if !rest.is_empty() || pairs.len() > bytes.len() {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(pairs) {
            *byte = u8::from_str_radix(core::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(Self { bytes, length: pairs.len() })
    }

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

/// A job.
pub struct Job<'a> {
    /// Name of the set.
    pub algorithm: &'a str,
    /// Name of the profile.
    pub profile: &'a str,
    /// What to measure.
    pub operation: Operation,
    /// How often.
    pub runs: u32,
    /// Where keys come from.
    pub seed: Bytes,
    /// What is signed, followed by the number of the run (32 bits, little-endian).
    pub message: Bytes,
}

impl<'a> Job<'a> {
    /// Reads a line.
    pub fn parse(line: &'a str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        let job = Self {
            algorithm: words.next()?,
            profile: words.next()?,
            operation: match words.next()? {
                "keygen" => Operation::Keygen,
                "sign" => Operation::Sign,
                "verify" => Operation::Verify,
                _ => return None,
            },
            runs: words.next()?.parse().ok()?,
            seed: Bytes::parse(words.next()?)?,
            message: Bytes::parse(words.next()?)?,
        };
        words.next().is_none().then_some(job)
    }
}
