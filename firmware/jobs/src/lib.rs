// SPDX-License-Identifier: Apache-2.0 OR MIT

//! What to measure: lines of text from a serial port, the same for the firmware of every board.
//!
//! `ALGORITHM HOW OPERATION RUNS SEED MESSAGE`, for example `ML-DSA-44 fast sign 10 0011 68656c6c6f`. HOW is the memory
//! profile or the engine, as the board has it; SEED and MESSAGE are hexadecimal, `-` if empty.

#![no_std]

use pqsoc_keccak::Shake256;

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
    /// Name of the memory profile or the engine.
    pub how: &'a str,
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
            how: words.next()?,
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

/// The seeds of a scheme, one behind the other: SHAKE256(seed || run as 32 bits, little-endian).
#[inline(never)] // its stack is not to lie below that of key generation
pub fn seeds(seed: &[u8], run: u32) -> [u8; 96] {
    let mut seeds = [0; 96];
    let mut shake = Shake256::new();
    shake.absorb(seed);
    shake.absorb(&run.to_le_bytes());
    shake.finish().squeeze(&mut seeds);
    seeds
}

/// What a run signs: the message of its job, and its number.
pub struct Numbered {
    bytes: [u8; 68],
    length: usize,
}

impl Numbered {
    /// The message of that run.
    pub fn new(message: &Bytes, run: u32) -> Self {
        let mut numbered = Self { bytes: [0; 68], length: 0 };
        for byte in message.as_slice().iter().chain(&run.to_le_bytes()) {
            if let Some(place) = numbered.bytes.get_mut(numbered.length) {
                *place = *byte;
                numbered.length += 1;
            }
        }
        numbered
    }

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

/// A line of what `receive` gives, without its end; none if nothing comes.
pub fn receive_line<'a>(mut receive: impl FnMut() -> Option<u8>, line: &'a mut [u8]) -> Option<&'a str> {
    let mut length = 0;
    loop {
        let byte = match receive() {
            Some(b'\r' | b'\n') if length == 0 => continue,
            Some(byte) => byte,
            None if length == 0 => return None,
            None => b'\n',
        };
        if matches!(byte, b'\r' | b'\n') {
            return Some(core::str::from_utf8(line.get(..length)?).unwrap_or("?"));
        }
        // What does not fit the line is lost, and the job then refused.
        if let Some(place) = line.get_mut(length) {
            *place = byte;
            length += 1;
        }
    }
}
