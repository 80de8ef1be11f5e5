//! SHA-3 and SHAKE over any [`State`]. FIPS 202, sections 4 to 6.
use crate::{Native, State};

/// The domain bits of SHA-3 followed by the first bit of pad10*1. FIPS 202, section 6.1 and appendix B.2.
const SHA3_SUFFIX: u8 = 0x06;
/// The domain bits of SHAKE followed by the first bit of pad10*1. FIPS 202, section 6.2 and appendix B.2.
const SHAKE_SUFFIX: u8 = 0x1f;

/// An absorbing sponge: state and the place of the next byte.
struct Sponge<const RATE: usize, S: State> {
    state: S,
    /// Bytes of the current block that are taken, less than `RATE`.
    position: usize,
}

impl<const RATE: usize, S: State> Sponge<RATE, S> {
    #[inline]
    fn absorb(&mut self, mut input: &[u8]) {
        while let Some((now, later)) = input.split_at_checked(RATE - self.position) {
            self.state.xor(self.position, now);
            self.state.permute();
            self.position = 0;
            input = later;
        }
        self.state.xor(self.position, input);
        self.position += input.len();
    }

    /// Pads with pad10*1 after `suffix`; the state then has its first output block.
    #[inline]
    fn pad(&mut self, suffix: u8) {
        self.state.xor(self.position, &[suffix]);
        self.state.xor(RATE - 1, &[0x80]);
        self.state.permute();
        self.position = 0;
    }

    fn reset(&mut self) {
        self.state.reset();
        self.position = 0;
    }
}

/// SHAKE with a rate of `RATE` bytes: [`Shake128`] or [`Shake256`].
///
/// Takes input in pieces of any length with [`absorb`](Self::absorb); [`finish`](Self::finish) then lends the
/// output, in pieces of any length as well. When that loan ends the sponge is empty again, to be used anew.
pub struct Shake<const RATE: usize, S: State = Native>(Sponge<RATE, S>);

/// SHAKE128. FIPS 202, section 6.2.
pub type Shake128<S = Native> = Shake<168, S>;
/// SHAKE256. FIPS 202, section 6.2.
pub type Shake256<S = Native> = Shake<136, S>;

impl<const RATE: usize> Shake<RATE> {
    /// An empty sponge in software.
    #[inline]
    pub fn new() -> Self {
        Self::with_state(Native::default())
    }

    /// The whole of it: absorbs `parts` one after the other and fills `out`.
    #[inline]
    pub fn digest(parts: &[&[u8]], out: &mut [u8]) {
        let mut shake = Self::new();
        for part in parts {
            shake.absorb(part);
        }
        shake.finish().squeeze(out);
    }
}

impl<const RATE: usize, S: State + Default> Default for Shake<RATE, S> {
    /// An empty sponge; a state is all zero by default.
    fn default() -> Self {
        Self::with_state(S::default())
    }
}

impl<const RATE: usize, S: State> Shake<RATE, S> {
    /// Bytes of a block.
    pub const RATE: usize = RATE;

    /// An empty sponge over `state`, which must be all zero.
    #[inline]
    pub fn with_state(state: S) -> Self {
        const { assert!(RATE > 0 && RATE < 200 && RATE.is_multiple_of(8)) }
        Self(Sponge { state, position: 0 })
    }

    /// Appends `input` to the message.
    #[inline]
    pub fn absorb(&mut self, input: &[u8]) {
        self.0.absorb(input);
    }

    /// Ends the message and lends its output.
    #[inline]
    pub fn finish(&mut self) -> Squeeze<'_, RATE, S> {
        self.0.pad(SHAKE_SUFFIX);
        Squeeze(&mut self.0)
    }
}

/// The output of a [`Shake`]; dropping it empties the sponge.
pub struct Squeeze<'a, const RATE: usize, S: State = Native>(&'a mut Sponge<RATE, S>);

impl<const RATE: usize, S: State> Squeeze<'_, RATE, S> {
    /// Fills `out` with the next bytes of the output.
    #[inline]
    pub fn squeeze(&mut self, mut out: &mut [u8]) {
        while !out.is_empty() {
            if self.0.position == RATE {
                self.0.state.permute();
                self.0.position = 0;
            }
            let n = out.len().min(RATE - self.0.position);
            let (now, later) = out.split_at_mut(n);
            self.0.state.extract(self.0.position, now);
            self.0.position += n;
            out = later;
        }
    }
}

impl<const RATE: usize, S: State> Drop for Squeeze<'_, RATE, S> {
    #[inline]
    fn drop(&mut self) {
        self.0.reset();
    }
}

/// SHA-3 with a rate of `RATE` bytes and a digest of `LEN` bytes: [`Sha3_256`] and its like.
pub struct Sha3<const RATE: usize, const LEN: usize, S: State = Native>(Sponge<RATE, S>);

/// SHA3-224. FIPS 202, section 6.1.
pub type Sha3_224<S = Native> = Sha3<144, 28, S>;
/// SHA3-256. FIPS 202, section 6.1.
pub type Sha3_256<S = Native> = Sha3<136, 32, S>;
/// SHA3-384. FIPS 202, section 6.1.
pub type Sha3_384<S = Native> = Sha3<104, 48, S>;
/// SHA3-512. FIPS 202, section 6.1.
pub type Sha3_512<S = Native> = Sha3<72, 64, S>;

impl<const RATE: usize, const LEN: usize> Sha3<RATE, LEN> {
    /// An empty sponge in software.
    #[inline]
    pub fn new() -> Self {
        Self::with_state(Native::default())
    }

    /// The digest of `parts` one after the other.
    pub fn digest(parts: &[&[u8]]) -> [u8; LEN] {
        let mut hash = Self::new();
        for part in parts {
            hash.absorb(part);
        }
        hash.finish()
    }
}

impl<const RATE: usize, const LEN: usize, S: State + Default> Default for Sha3<RATE, LEN, S> {
    /// An empty sponge; a state is all zero by default.
    fn default() -> Self {
        Self::with_state(S::default())
    }
}

impl<const RATE: usize, const LEN: usize, S: State> Sha3<RATE, LEN, S> {
    /// An empty sponge over `state`, which must be all zero.
    #[inline]
    pub fn with_state(state: S) -> Self {
        const { assert!(RATE + 2 * LEN == 200) }
        Self(Sponge { state, position: 0 })
    }

    /// Appends `input` to the message.
    #[inline]
    pub fn absorb(&mut self, input: &[u8]) {
        self.0.absorb(input);
    }

    /// Ends the message, empties the sponge and returns the digest.
    pub fn finish(&mut self) -> [u8; LEN] {
        self.0.pad(SHA3_SUFFIX);
        let mut digest = [0; LEN];
        self.0.state.extract(0, &mut digest);
        self.0.reset();
        digest
    }
}
