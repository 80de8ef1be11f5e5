//! AXI4-Stream beats, and how busy the other side of a bus is.

/// One beat of a 64-bit AXI4-Stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beat {
    /// TDATA, first byte in the low byte.
    pub data: u64,
    /// TKEEP.
    pub keep: u8,
    /// TLAST.
    pub last: bool,
}

/// A packet as beats: full ones, and a last one with what is left. No bytes make no beats.
pub fn beats(bytes: &[u8]) -> Vec<Beat> {
    let mut beats: Vec<Beat> = bytes
        .chunks(8)
        .map(|chunk| {
            let mut data = [0; 8];
            data[..chunk.len()].copy_from_slice(chunk);
            Beat { data: u64::from_le_bytes(data), keep: ((1u16 << chunk.len()) - 1) as u8, last: false }
        })
        .collect();
    if let Some(last) = beats.last_mut() {
        last.last = true;
    }
    beats
}

/// SplitMix64: small, seeded, good enough for delays and test data.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A sequence that depends on `seed` alone.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// True `percent` times in 100.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < u64::from(percent)
    }

    /// Random bytes.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.bits() as u8).collect()
    }
}

/// How often the other side of a bus is willing, in per cent of cycles.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Cycles in which a new input beat is offered.
    pub input: u32,
    /// Cycles in which an output beat is accepted.
    pub output: u32,
    /// Cycles in which a new register access goes on.
    pub registers: u32,
}

impl Pace {
    /// Never makes the fabric wait.
    pub const FULL: Self = Self { input: 100, output: 100, registers: 100 };
    /// Makes it wait at random.
    pub const RANDOM: Self = Self { input: 60, output: 50, registers: 50 };
}
