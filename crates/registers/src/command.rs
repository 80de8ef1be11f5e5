//! Commands: two words of 32 bits each. hw/README.md, "Commands".
pub use crate::generated::components::fabric_regs::named_types::opcode_e::OpcodeE as Opcode;

/// Hash functions of the sponge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(non_camel_case_types)]
pub enum Hash {
    /// SHA3-256, rate 136 bytes.
    Sha3_256 = 0,
    /// SHA3-512, rate 72 bytes.
    Sha3_512 = 1,
    /// SHAKE128, rate 168 bytes.
    Shake128 = 2,
    /// SHAKE256, rate 136 bytes.
    Shake256 = 3,
}

/// A command as it goes into the FIFO: COMMAND in the low half, OPTIONS in the high half.
///
/// Slots are numbers of polynomials; a string is named by its first word of 8 bytes in the string memory. The fabric
/// checks all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command(u64);

impl Command {
    /// A command from its fields.
    pub const fn new(opcode: Opcode, dst: u8, a: u8, b: u8, options: u32) -> Self {
        Self(opcode as u64 | (dst as u64) << 8 | (a as u64) << 16 | (b as u64) << 24 | (options as u64) << 32)
    }

    /// The end of a list: sets IRQ_STATUS.done when it is done.
    #[must_use]
    pub const fn last(self) -> Self {
        Self(self.0 | 1 << 7)
    }

    /// The packet of this command goes on in the next one.
    #[must_use]
    pub const fn more(self) -> Self {
        Self(self.0 | 1 << 6)
    }

    /// Any bits, also those of no command.
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Register COMMAND.
    pub const fn command(self) -> u32 {
        self.0 as u32
    }

    /// Register OPTIONS, written before COMMAND.
    pub const fn options(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// What it does; `None` if no command has this number.
    pub const fn opcode(self) -> Option<Opcode> {
        match Opcode::from_bits(self.0 as u8 & 0x3f) {
            Ok(opcode) => Some(opcode),
            Err(_) => None,
        }
    }

    /// The field that names the destination.
    pub const fn dst(self) -> u8 {
        (self.0 >> 8) as u8
    }

    /// The field that names the first operand.
    pub const fn a(self) -> u8 {
        (self.0 >> 16) as u8
    }

    /// The field that names the second operand.
    pub const fn b(self) -> u8 {
        (self.0 >> 24) as u8
    }

    /// Does nothing.
    pub const fn nop() -> Self {
        Self::new(Opcode::Nop, 0, 0, 0, 0)
    }

    /// Slot `dst` = 256 coefficients from the stream, 32 bits each, in `-q + 1..q`.
    pub const fn load(dst: u8) -> Self {
        Self::new(Opcode::Load, dst, 0, 0, 0)
    }

    /// Slot `a` to the stream, 32 bits a coefficient, in `0..q`.
    pub const fn store(a: u8) -> Self {
        Self::new(Opcode::Store, 0, a, 0, 0)
    }

    /// `dst` = NTT(`a`).
    pub const fn ntt(dst: u8, a: u8) -> Self {
        Self::new(Opcode::Ntt, dst, a, 0, 0)
    }

    /// `dst` = inverse NTT of `a`.
    pub const fn intt(dst: u8, a: u8) -> Self {
        Self::new(Opcode::Intt, dst, a, 0, 0)
    }

    /// `dst` = `a` * `b`, coefficient by coefficient.
    pub const fn mul(dst: u8, a: u8, b: u8) -> Self {
        Self::new(Opcode::Mul, dst, a, b, 0)
    }

    /// `dst` += `a` * `b`, coefficient by coefficient.
    pub const fn mac(dst: u8, a: u8, b: u8) -> Self {
        Self::new(Opcode::Mac, dst, a, b, 0)
    }

    /// `dst` = `a` + `b`.
    pub const fn add(dst: u8, a: u8, b: u8) -> Self {
        Self::new(Opcode::Add, dst, a, b, 0)
    }

    /// `dst` = `a` - `b`.
    pub const fn sub(dst: u8, a: u8, b: u8) -> Self {
        Self::new(Opcode::Sub, dst, a, b, 0)
    }

    /// Clears every slot, every string and the sponge.
    pub const fn clear() -> Self {
        Self::new(Opcode::Clear, 0, 0, 0, 0)
    }

    /// `words` words of string memory from `dst` on = stream.
    pub const fn string_load(dst: u8, words: u16) -> Self {
        Self::new(Opcode::StringLoad, dst, 0, 0, words as u32)
    }

    /// `words` words of string memory from `a` on to the stream.
    pub const fn string_store(a: u8, words: u16) -> Self {
        Self::new(Opcode::StringStore, 0, a, 0, words as u32)
    }

    /// Empties the sponge and opens it for `hash`.
    pub const fn hash_init(hash: Hash) -> Self {
        Self::new(Opcode::HashInit, 0, 0, 0, hash as u32)
    }

    /// Absorbs `bytes` bytes from the stream; a length that is no multiple of 8 must be the last piece.
    pub const fn absorb_stream(bytes: u32) -> Self {
        Self::new(Opcode::AbsorbStream, 0, 0, 0, bytes)
    }

    /// Absorbs `bytes` bytes, 1 to 2048, of string memory from word `a` on; the same goes for the length.
    pub const fn absorb_string(a: u8, bytes: u32) -> Self {
        Self::new(Opcode::AbsorbString, 0, a, 0, bytes)
    }

    /// Absorbs the low `bytes` bytes, 0 to 4, of `value`: the last piece, then.
    pub const fn absorb_immediate(value: u32, bytes: u8) -> Self {
        Self::new(Opcode::AbsorbImmediate, 0, 0, bytes, value)
    }

    /// Squeezes `bytes` bytes to the stream, after padding if need be; a length that is no multiple of 8 must be the
    /// last piece.
    pub const fn squeeze_stream(bytes: u32) -> Self {
        Self::new(Opcode::SqueezeStream, 0, 0, 0, bytes)
    }

    /// Squeezes `words` words to string memory from `dst` on, after padding if need be.
    pub const fn squeeze_string(dst: u8, words: u16) -> Self {
        Self::new(Opcode::SqueezeString, dst, 0, 0, words as u32)
    }

    /// The sponge to the stream: 25 lanes and a control word.
    pub const fn sponge_save() -> Self {
        Self::new(Opcode::SpongeSave, 0, 0, 0, 0)
    }

    /// The sponge from the stream.
    pub const fn sponge_restore() -> Self {
        Self::new(Opcode::SpongeRestore, 0, 0, 0, 0)
    }

    /// Keccak-f\[1600\] on the state of the sponge.
    pub const fn permute() -> Self {
        Self::new(Opcode::Permute, 0, 0, 0, 0)
    }

    /// `dst` = RejNTTPoly of the 32-byte string at `seed` and `indices` (the low byte first). FIPS 204, algorithm 30.
    pub const fn sample_uniform(dst: u8, seed: u8, indices: u16) -> Self {
        Self::new(Opcode::SampleUniform, dst, seed, 4, indices as u32)
    }

    /// `dst` = RejBoundedPoly of the 64-byte string at `seed` and `nonce`, eta 2. FIPS 204, algorithm 31.
    pub const fn sample_eta2(dst: u8, seed: u8, nonce: u16) -> Self {
        Self::new(Opcode::SampleEta2, dst, seed, 8, nonce as u32)
    }

    /// The same with eta 4.
    pub const fn sample_eta4(dst: u8, seed: u8, nonce: u16) -> Self {
        Self::new(Opcode::SampleEta4, dst, seed, 8, nonce as u32)
    }

    /// `dst` = one polynomial of ExpandMask of the 64-byte string at `seed` and `nonce`, gamma1 = 2^17. FIPS 204,
    /// algorithm 34.
    pub const fn sample_mask17(dst: u8, seed: u8, nonce: u16) -> Self {
        Self::new(Opcode::SampleMask17, dst, seed, 8, nonce as u32)
    }

    /// The same with gamma1 = 2^19.
    pub const fn sample_mask19(dst: u8, seed: u8, nonce: u16) -> Self {
        Self::new(Opcode::SampleMask19, dst, seed, 8, nonce as u32)
    }

    /// `dst` = SampleInBall of the string of `words` words at `seed`, with `tau` coefficients that are not zero, 1 to
    /// 64. FIPS 204, algorithm 29.
    pub const fn sample_ball(dst: u8, seed: u8, words: u8, tau: u8) -> Self {
        Self::new(Opcode::SampleBall, dst, seed, words, tau as u32)
    }

    /// With a sampling command: fail when more than `blocks` blocks of output would be needed, 1 to 15; without it, 16.
    #[must_use]
    pub const fn block_limit(self, blocks: u8) -> Self {
        Self(self.0 | (blocks as u64 & 15) << 52)
    }

    /// Walks a WOTS+ chain over SHAKE256: the value of `words` words (n / 8: 2, 3, 4) at `value` becomes that `steps`
    /// steps on from `start`, `start + steps` at most 15. PK.seed is at `seed`, ADRS at `address`, whose hash address is
    /// not looked at. FIPS 205, algorithm 5.
    pub const fn chain(value: u8, seed: u8, address: u8, words: u8, start: u8, steps: u8) -> Self {
        let options = (words as u32 & 7) | (start as u32 & 15) << 8 | (steps as u32 & 15) << 16;
        Self::new(Opcode::Chain, value, seed, address, options)
    }

    /// A tweakable hash over SHAKE256 (F, PRF, H, T_l of FIPS 205, section 11.1): `words` words (n / 8) at `dst` =
    /// hash of PK.seed at `seed`, ADRS at `address` and the `message_words` words at `message`. Two nodes in a row make
    /// their parent.
    pub const fn tweak(dst: u8, seed: u8, address: u8, words: u8, message: u8, message_words: u8) -> Self {
        let options = (words as u32 & 7) | (message as u32) << 8 | (message_words as u32) << 16;
        Self::new(Opcode::Tweak, dst, seed, address, options)
    }
}
