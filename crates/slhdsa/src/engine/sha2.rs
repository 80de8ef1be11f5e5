//! The SHA-2 functions of FIPS 205, section 11.2, and of SPHINCS+ r3.1.
use super::key::Key;
use super::{Engine, Lanes, Node, Outcome, chain_of_f};
use crate::address::Address;
use crate::error::Error;
#[cfg(feature = "sphincsplus")]
use crate::params::MAX_N;
use crate::params::{Family, Params};
use crate::stream::Input;
use core::convert::Infallible;
use core::slice::{from_mut, from_ref};
use zeroize::Zeroize;

/// Compression functions on some states at once. FIPS 180-4, sections 6.2.2 and 6.4.2.
///
/// Slices are equally long and have 1 to [`LANES`](Lanes::COUNT) elements. Time does not depend on values.
/// A kernel is a value that exists only where the processor has its instructions.
pub trait Sha2Lanes: Copy {
    /// Storage for as many values as are worked on at once.
    type Lanes<T: Copy>: Lanes<T> + Copy;

    /// A block of 64 bytes into each SHA-256 state.
    fn sha256(self, states: &mut [[u32; 8]], blocks: &[[u8; 64]]);

    /// A block of 128 bytes into each SHA-512 state.
    fn sha512(self, states: &mut [[u64; 8]], blocks: &[[u8; 128]]);

    /// Steps of WOTS+ chains, as many in every lane. A step puts the first `n` bytes of a node from byte 22 on into its
    /// block, where zeros are and around them address and padding, and takes for the next node the digest that `state` and the
    /// block give; then the hash address, in bytes 18 to 21, is one more. It stays below 2^16. What is left in the blocks
    /// is not defined.
    fn chain(self, n: usize, state: &[u32; 8], blocks: &mut [[u8; 64]], nodes: &mut [Node], steps: u32) {
        let mut states = <Self::Lanes<[u32; 8]>>::splat(*state);
        for _ in 0..steps {
            let states = states.as_mut().get_mut(..blocks.len()).unwrap_or_default();
            states.fill(*state);
            for (block, node) in blocks.iter_mut().zip(&*nodes) {
                put_node(n, block, node);
            }
            self.sha256(states, blocks);
            for ((node, state), block) in nodes.iter_mut().zip(&*states).zip(&mut *blocks) {
                Sha256::digest(state, node);
                block[21] = block[21].wrapping_add(1);
                block[20] = block[20].wrapping_add(u8::from(block[21] == 0));
            }
        }
    }
}

/// One hash at a time, by `sha2`, which uses instructions for SHA-256 where the processor has them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scalar;

impl Sha2Lanes for Scalar {
    type Lanes<T: Copy> = [T; 1];

    fn sha256(self, states: &mut [[u32; 8]], blocks: &[[u8; 64]]) {
        for (state, block) in states.iter_mut().zip(blocks) {
            sha2::block_api::compress256(state, from_ref(block));
        }
    }

    fn sha512(self, states: &mut [[u64; 8]], blocks: &[[u8; 128]]) {
        for (state, block) in states.iter_mut().zip(blocks) {
            sha2::block_api::compress512(state, from_ref(block));
        }
    }
}

/// The kernel of [`Sha2::new`]: what does best for one hash at a time.
#[cfg(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64"))]
pub type Single = Scalar;
/// The kernel of [`Sha2::new`]: what does best for one hash at a time.
#[cfg(thumb2)]
pub type Single = super::thumb2::Thumb2;
/// The kernel of [`Sha2::new`]: what does best for one hash at a time.
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64", thumb2)))]
pub type Single = super::compact::Compact;

/// SHA-256 or SHA-512.
trait Hash {
    type Word: Copy + Zeroize;
    type Block: Copy + AsMut<[u8]>;
    const BLOCK_LEN: usize;
    const DIGEST_LEN: usize;
    const ZERO: Self::Block;
    /// FIPS 180-4, section 5.3.
    const INITIAL: [Self::Word; 8];

    fn compress<K: Sha2Lanes>(kernel: K, states: &mut [[Self::Word; 8]], blocks: &[Self::Block]);

    /// As much of the digest as `out` has room for.
    fn digest(state: &[Self::Word; 8], out: &mut [u8]);
}

enum Sha256 {}

impl Hash for Sha256 {
    type Word = u32;
    type Block = [u8; 64];
    const BLOCK_LEN: usize = 64;
    const DIGEST_LEN: usize = 32;
    const ZERO: [u8; 64] = [0; 64];
    const INITIAL: [u32; 8] = [
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ];

    fn compress<K: Sha2Lanes>(kernel: K, states: &mut [[u32; 8]], blocks: &[[u8; 64]]) {
        kernel.sha256(states, blocks);
    }

    #[inline]
    fn digest(state: &[u32; 8], out: &mut [u8]) {
        for (to, word) in out.chunks_mut(4).zip(state) {
            copy(to, &word.to_be_bytes());
        }
    }
}

enum Sha512 {}

impl Hash for Sha512 {
    type Word = u64;
    type Block = [u8; 128];
    const BLOCK_LEN: usize = 128;
    const DIGEST_LEN: usize = 64;
    const ZERO: [u8; 128] = [0; 128];
    const INITIAL: [u64; 8] = [
        0x6a09_e667_f3bc_c908,
        0xbb67_ae85_84ca_a73b,
        0x3c6e_f372_fe94_f82b,
        0xa54f_f53a_5f1d_36f1,
        0x510e_527f_ade6_82d1,
        0x9b05_688c_2b3e_6c1f,
        0x1f83_d9ab_fb41_bd6b,
        0x5be0_cd19_137e_2179,
    ];

    fn compress<K: Sha2Lanes>(kernel: K, states: &mut [[u64; 8]], blocks: &[[u8; 128]]) {
        kernel.sha512(states, blocks);
    }

    #[inline]
    fn digest(state: &[u64; 8], out: &mut [u8]) {
        for (to, word) in out.chunks_mut(8).zip(state) {
            copy(to, &word.to_be_bytes());
        }
    }
}

/// Copies what both have room for.
#[inline(always)]
fn copy(to: &mut [u8], from: &[u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}

/// A hash in progress in each of some lanes; all lanes take pieces of the same length.
struct Stream<H: Hash, K: Sha2Lanes> {
    states: K::Lanes<[H::Word; 8]>,
    blocks: K::Lanes<H::Block>,
    lanes: usize,
    /// Bytes of the current block that are taken, less than a block.
    position: usize,
    /// Bytes of the whole message so far.
    length: u64,
}

impl<H: Hash, K: Sha2Lanes> Stream<H, K> {
    /// From a state after `length` bytes, a multiple of the block's length.
    #[inline]
    fn new(state: [H::Word; 8], length: u64, lanes: usize) -> Self {
        let (states, blocks) = (Lanes::splat(state), Lanes::splat(H::ZERO));
        Self { states, blocks, lanes, position: 0, length }
    }

    /// Appends pieces, one a lane, all of the length of the first.
    #[inline]
    fn absorb<'a>(&mut self, kernel: K, pieces: impl Iterator<Item = &'a [u8]> + Clone) {
        let len = pieces.clone().next().map_or(0, <[u8]>::len);
        self.length += len as u64;
        let mut from = 0;
        while from < len {
            let take = (len - from).min(H::BLOCK_LEN - self.position);
            for (block, piece) in self.blocks.as_mut().iter_mut().zip(pieces.clone()) {
                let to = block.as_mut().get_mut(self.position..).unwrap_or_default();
                copy(to, piece.get(from..from + take).unwrap_or_default());
            }
            self.position += take;
            from += take;
            if self.position == H::BLOCK_LEN {
                self.compress(kernel);
            }
        }
    }

    fn compress(&mut self, kernel: K) {
        let states = self.states.as_mut().get_mut(..self.lanes).unwrap_or_default();
        H::compress(kernel, states, self.blocks.as_ref().get(..self.lanes).unwrap_or_default());
        self.position = 0;
    }

    /// Pads; the states are then the digests. FIPS 180-4, section 5.1.
    fn finish(&mut self, kernel: K) {
        let bits = (8 * self.length).to_be_bytes();
        let lanes = self.lanes;
        // The 64 or 128 bits of length; the high half of the 128 is zero.
        let no_room = self.position + 1 + H::BLOCK_LEN / 8 > H::BLOCK_LEN;
        for block in self.blocks.as_mut().iter_mut().take(lanes) {
            let rest = block.as_mut().get_mut(self.position..).unwrap_or_default();
            rest.fill(0);
            copy(rest, &[0x80]);
        }
        if no_room {
            self.compress(kernel);
            self.blocks = Lanes::splat(H::ZERO);
        }
        for block in self.blocks.as_mut().iter_mut().take(lanes) {
            copy(block.as_mut().get_mut(H::BLOCK_LEN - 8..).unwrap_or_default(), &bits);
        }
        self.compress(kernel);
    }

    fn zeroize(&mut self) {
        for state in self.states.as_mut() {
            state.zeroize();
        }
        for block in self.blocks.as_mut() {
            block.as_mut().zeroize();
        }
    }
}

/// One hash of a message, in the first lane.
impl<H: Hash, K: Sha2Lanes> Stream<H, K> {
    /// From its beginning.
    fn one() -> Self {
        Self::new(H::INITIAL, 0, 1)
    }

    fn absorb_one(&mut self, kernel: K, piece: &[u8]) {
        self.absorb(kernel, core::iter::once(piece));
    }

    /// Pads, and gives as much of the digest as `out` has room for.
    fn finish_one(&mut self, kernel: K, out: &mut [u8]) {
        self.finish(kernel);
        if let Some(state) = self.states.as_ref().first() {
            H::digest(state, out);
        }
    }
}

/// HMAC of a key shorter than a block, of a part and a message; as much of it as `out` has room for. FIPS 198-1.
#[inline(never)] // its stack is free again before trees are built
fn hmac<H: Hash, K: Sha2Lanes>(
    kernel: K,
    key: &[u8],
    part: &[u8],
    message: &dyn Input,
    out: &mut [u8],
) -> Result<(), Error> {
    let mut stream = Stream::<H, K>::one();
    let start = |stream: &mut Stream<H, K>, pad: u8| {
        *stream = Stream::one();
        let mut block = H::ZERO;
        block.as_mut().fill(pad);
        for (to, from) in block.as_mut().iter_mut().zip(key) {
            *to ^= *from;
        }
        stream.absorb_one(kernel, block.as_mut());
        block.as_mut().zeroize();
    };
    start(&mut stream, 0x36);
    stream.absorb_one(kernel, part);
    let read = message.read(&mut |piece| stream.absorb_one(kernel, piece));
    let mut digest = [0; 64];
    stream.finish_one(kernel, &mut digest);
    start(&mut stream, 0x5c);
    stream.absorb_one(kernel, digest.get(..H::DIGEST_LEN).unwrap_or_default());
    stream.finish_one(kernel, out);
    stream.zeroize();
    digest.zeroize();
    Ok(read?)
}

/// MGF1 of SHA-X of R, PK.seed, PK.root and the message. FIPS 205, sections 11.2.1 and 11.2.2; MGF1 is that of RFC 8017,
/// appendix B.2.1. `start` is R, PK.seed, PK.root.
#[inline(never)] // as above
fn h_msg<H: Hash, K: Sha2Lanes>(
    kernel: K,
    start: [&[u8]; 3],
    message: &dyn Input,
    out: &mut [u8],
) -> Result<(), Error> {
    let mut stream = Stream::<H, K>::one();
    for part in start {
        stream.absorb_one(kernel, part);
    }
    message.read(&mut |piece| stream.absorb_one(kernel, piece))?;
    let mut digest = [0; 64];
    stream.finish_one(kernel, &mut digest);
    let [r, pk_seed, _] = start;
    for (counter, out) in (0u32..).zip(out.chunks_mut(H::DIGEST_LEN)) {
        stream = Stream::one();
        let digest = digest.get(..H::DIGEST_LEN).unwrap_or_default();
        for part in [r, pk_seed, digest, &counter.to_be_bytes()] {
            stream.absorb_one(kernel, part);
        }
        stream.finish_one(kernel, out);
    }
    Ok(())
}

/// An engine of the SHA-2 sets.
///
/// Keeps the states after PK.seed and its padding, so that F and PRF, and H in most cases, are one compression each.
pub struct Sha2<K: Sha2Lanes = Single> {
    key: Key,
    /// The states after PK.seed and zeros to the end of the block.
    sha256: [u32; 8],
    sha512: [u64; 8],
    kernel: K,
}

/// T_l in progress.
pub struct Sha2Thash<K: Sha2Lanes> {
    stream: Either<K>,
    #[cfg(feature = "sphincsplus")]
    mask: Option<robust::Mask<K>>,
}

/// SHA-256 in category 1, else SHA-512. FIPS 205, sections 11.2.1 and 11.2.2.
enum Either<K: Sha2Lanes> {
    /// Not started.
    Neither,
    Sha256(Stream<Sha256, K>),
    Sha512(Stream<Sha512, K>),
}

impl<K: Sha2Lanes> Default for Sha2Thash<K> {
    fn default() -> Self {
        Self {
            stream: Either::Neither,
            #[cfg(feature = "sphincsplus")]
            mask: None,
        }
    }
}

impl<K: Sha2Lanes> Either<K> {
    #[inline]
    fn absorb<'a>(&mut self, kernel: K, pieces: impl Iterator<Item = &'a [u8]> + Clone) {
        match self {
            Self::Neither => {}
            Self::Sha256(stream) => stream.absorb(kernel, pieces),
            Self::Sha512(stream) => stream.absorb(kernel, pieces),
        }
    }
}

impl Sha2 {
    /// An engine without a key, one hash at a time; every operation begins with a key.
    pub const fn new() -> Self {
        Self::with_kernel(Single {})
    }
}

impl<K: Sha2Lanes> Sha2<K> {
    /// An engine without a key; every operation begins with one.
    pub const fn with_kernel(kernel: K) -> Self {
        Self { key: Key::NONE, sha256: Sha256::INITIAL, sha512: Sha512::INITIAL, kernel }
    }

    fn nodes<'a>(&self, nodes: &'a [Node]) -> impl Iterator<Item = &'a [u8]> + Clone + use<'a, K> {
        let n = self.key.n;
        nodes.iter().map(move |node| node.get(..n).unwrap_or_default())
    }

    /// Makes blocks of zeros those that end a message of 64 bytes, an address and n bytes; the place of the latter stays zero.
    #[inline]
    fn set_blocks(&self, blocks: &mut K::Lanes<[u8; 64]>, addresses: &[Address]) {
        let bits = (8 * (64 + 22 + self.key.n) as u64).to_be_bytes();
        for (block, address) in blocks.as_mut().iter_mut().zip(addresses) {
            block[..22].copy_from_slice(&address.compressed());
            if let Some(end) = block.get_mut(22 + self.key.n) {
                *end = 0x80;
            }
            block[56..].copy_from_slice(&bits);
        }
    }

    /// SHA-256 of PK.seed, zeros, an address and the n bytes in a node, one compression each; the results replace the
    /// nodes. `blocks`, those of the addresses, may have to be wiped.
    fn short(&self, blocks: &mut K::Lanes<[u8; 64]>, nodes: &mut [Node]) {
        let blocks = blocks.as_mut().get_mut(..nodes.len()).unwrap_or_default();
        self.kernel.chain(self.key.n, &self.sha256, blocks, nodes, 1);
    }

    /// H in one compression: of what follows PK.seed and zeros, 22 + 2n bytes. The result is in the place of `left`.
    fn pairs<H: Hash>(&self, state: &[H::Word; 8], addresses: &[Address], left: &mut [Node], right: &[Node]) {
        let n = self.key.n;
        let mut blocks = <K::Lanes<H::Block>>::splat(H::ZERO);
        let mut states = <K::Lanes<[H::Word; 8]>>::splat(*state);
        let bits = (8 * (H::BLOCK_LEN + 22 + 2 * n) as u64).to_be_bytes();
        for ((block, address), (left, right)) in
            blocks.as_mut().iter_mut().zip(addresses).zip(left.iter().zip(right))
        {
            let block = block.as_mut();
            copy(block, &address.compressed());
            copy(block.get_mut(22..22 + n).unwrap_or_default(), left);
            copy(block.get_mut(22 + n..22 + 2 * n).unwrap_or_default(), right);
            copy(block.get_mut(22 + 2 * n..).unwrap_or_default(), &[0x80]);
            copy(block.get_mut(H::BLOCK_LEN - 8..).unwrap_or_default(), &bits);
        }
        let active = states.as_mut().get_mut(..left.len()).unwrap_or_default();
        H::compress(self.kernel, active, blocks.as_ref().get(..left.len()).unwrap_or_default());
        for (node, state) in left.iter_mut().zip(active) {
            H::digest(state, node);
        }
    }
}

/// Puts n bytes after an address.
#[inline(always)]
fn put_node(n: usize, block: &mut [u8; 64], node: &Node) {
    match n {
        16 => block[22..38].copy_from_slice(&node[..16]),
        24 => block[22..46].copy_from_slice(&node[..24]),
        _ => block[22..54].copy_from_slice(node),
    }
}

impl Default for Sha2 {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Sha2Lanes> Engine for Sha2<K> {
    type Error = Infallible;
    type Lanes<T: Copy> = K::Lanes<T>;
    type Thash = Sha2Thash<K>;

    fn begin(&mut self, params: &'static Params, pk_seed: &[u8], sk_seed: &[u8]) -> Outcome<Self> {
        if params.family != Family::Sha2 {
            return Err(Error::Family(params.family));
        }
        self.key.set(params, pk_seed, sk_seed);
        let mut block = [0; 128];
        copy(&mut block, self.key.pk_seed());
        self.sha256 = Sha256::INITIAL;
        self.sha512 = Sha512::INITIAL;
        if let Some(half) = block.first_chunk::<64>() {
            self.kernel.sha256(from_mut(&mut self.sha256), from_ref(half));
        }
        if self.key.n > 16 {
            self.kernel.sha512(from_mut(&mut self.sha512), from_ref(&block));
        }
        Ok(())
    }

    fn prf_msg(
        &mut self,
        sk_prf: &[u8],
        opt_rand: &[u8],
        message: &dyn Input,
        r: &mut Node,
    ) -> Outcome<Self> {
        match self.key.n {
            16 => hmac::<Sha256, K>(self.kernel, sk_prf, opt_rand, message, r),
            _ => hmac::<Sha512, K>(self.kernel, sk_prf, opt_rand, message, r),
        }
    }

    fn h_msg(&mut self, r: &Node, pk_root: &[u8], message: &dyn Input, digest: &mut [u8]) -> Outcome<Self> {
        let start = [r.get(..self.key.n).unwrap_or_default(), self.key.pk_seed(), pk_root];
        match self.key.n {
            16 => h_msg::<Sha256, K>(self.kernel, start, message, digest),
            _ => h_msg::<Sha512, K>(self.kernel, start, message, digest),
        }
    }

    #[inline(never)] // its stack is free again before its caller goes on
    fn prf(&mut self, addresses: &[Address], out: &mut [Node]) -> Outcome<Self> {
        self.key.fill_with_sk_seed(out);
        let mut blocks = <K::Lanes<[u8; 64]>>::splat([0; 64]);
        self.set_blocks(&mut blocks, addresses);
        self.short(&mut blocks, out);
        for block in blocks.as_mut() {
            block.zeroize();
        }
        Ok(())
    }

    #[inline(never)] // as above
    fn f(&mut self, addresses: &[Address], nodes: &mut [Node]) -> Outcome<Self> {
        #[cfg(feature = "sphincsplus")]
        if self.key.robust() {
            self.robust_f(addresses, nodes);
            return Ok(());
        }
        let mut blocks = <K::Lanes<[u8; 64]>>::splat([0; 64]);
        self.set_blocks(&mut blocks, addresses);
        self.short(&mut blocks, nodes);
        Ok(())
    }

    #[inline(never)] // as above
    fn h(&mut self, addresses: &[Address], left: &mut [Node], right: &[Node]) -> Outcome<Self> {
        #[cfg(feature = "sphincsplus")]
        if self.key.robust() {
            return self.robust_h(addresses, left, right);
        }
        match self.key.n {
            16 => self.pairs::<Sha256>(&self.sha256, addresses, left, right),
            _ => self.pairs::<Sha512>(&self.sha512, addresses, left, right),
        }
        Ok(())
    }

    #[inline(never)] // as above
    fn chain(&mut self, addresses: &mut [Address], steps: u32, nodes: &mut [Node]) -> Outcome<Self> {
        if self.key.robust() {
            return chain_of_f(self, addresses, steps, nodes);
        }
        let mut blocks = <K::Lanes<[u8; 64]>>::splat([0; 64]);
        self.set_blocks(&mut blocks, addresses);
        let blocks = blocks.as_mut().get_mut(..nodes.len()).unwrap_or_default();
        self.kernel.chain(self.key.n, &self.sha256, blocks, nodes, steps);
        for address in addresses {
            address.set_hash(address.hash() + steps);
        }
        Ok(())
    }

    #[inline(never)] // its stack is free again before chains are walked
    fn tl_start(&mut self, thash: &mut Self::Thash, addresses: &[Address]) -> Outcome<Self> {
        let mut compressed = <K::Lanes<[u8; 22]>>::splat([0; 22]);
        for (to, address) in compressed.as_mut().iter_mut().zip(addresses) {
            *to = address.compressed();
        }
        let pieces = compressed.as_ref().iter().take(addresses.len()).map(<[u8; 22]>::as_slice);
        thash.stream = match self.key.n {
            16 => Either::Sha256(Stream::new(self.sha256, 64, addresses.len())),
            _ => Either::Sha512(Stream::new(self.sha512, 128, addresses.len())),
        };
        thash.stream.absorb(self.kernel, pieces);
        #[cfg(feature = "sphincsplus")]
        {
            thash.mask = None;
            if self.key.robust() {
                self.start_mask(&mut thash.mask, addresses);
            }
        }
        Ok(())
    }

    fn tl_absorb(&mut self, thash: &mut Self::Thash, nodes: &[Node]) -> Outcome<Self> {
        #[cfg(feature = "sphincsplus")]
        if let Some(mask) = &mut thash.mask {
            self.absorb_masked(&mut thash.stream, mask, nodes);
            return Ok(());
        }
        thash.stream.absorb(self.kernel, self.nodes(nodes));
        Ok(())
    }

    fn tl_finish(&mut self, thash: &mut Self::Thash, out: &mut [Node]) -> Outcome<Self> {
        match &mut thash.stream {
            Either::Neither => {}
            Either::Sha256(stream) => {
                stream.finish(self.kernel);
                for (node, state) in out.iter_mut().zip(stream.states.as_ref()) {
                    Sha256::digest(state, node);
                }
            }
            Either::Sha512(stream) => {
                stream.finish(self.kernel);
                for (node, state) in out.iter_mut().zip(stream.states.as_ref()) {
                    Sha512::digest(state, node);
                }
            }
        }
        Ok(())
    }
}

/// The masks of SPHINCS+ r3.1, `robust` (section 7.2.2 of its specification): F, H and T_l take M added to
/// MGF1-SHA-X(PK.seed || ADRS^c).
#[cfg(feature = "sphincsplus")]
mod robust {
    use super::*;

    /// A mask as long as is asked for, in each of some lanes.
    pub struct Mask<K: Sha2Lanes> {
        /// PK.seed and address.
        seeds: K::Lanes<[u8; MAX_N + 22]>,
        seed_len: usize,
        blocks: K::Lanes<[u8; 64]>,
        /// Bytes of a block: those of the digest.
        block_len: usize,
        /// Bytes of the current block that are used.
        position: usize,
        counter: u32,
    }

    impl<K: Sha2Lanes> Mask<K> {
        /// `nodes` with the next n bytes of the mask added.
        pub fn add<'a>(&mut self, kernel: K, n: usize, nodes: &[Node], masked: &'a mut [Node]) -> &'a [Node] {
            let lanes = nodes.len();
            let masked = masked.get_mut(..lanes).unwrap_or_default();
            for i in 0..n {
                if self.position == self.block_len {
                    self.next_block(kernel, lanes);
                }
                for ((to, node), block) in masked.iter_mut().zip(nodes).zip(self.blocks.as_ref()) {
                    if let (Some(to), Some(from), Some(mask)) =
                        (to.get_mut(i), node.get(i), block.get(self.position))
                    {
                        *to = from ^ mask;
                    }
                }
                self.position += 1;
            }
            masked
        }

        fn next_block(&mut self, kernel: K, lanes: usize) {
            if self.block_len == Sha256::DIGEST_LEN {
                self.hash::<Sha256>(kernel, lanes);
            } else {
                self.hash::<Sha512>(kernel, lanes);
            }
            self.counter += 1;
            self.position = 0;
        }

        fn hash<H: Hash>(&mut self, kernel: K, lanes: usize) {
            let mut stream = Stream::<H, K>::new(H::INITIAL, 0, lanes);
            let seed_len = self.seed_len;
            let seeds = self.seeds.as_ref().iter().take(lanes);
            stream.absorb(kernel, seeds.map(|seed| seed.get(..seed_len).unwrap_or_default()));
            let counter = self.counter.to_be_bytes();
            stream.absorb(kernel, core::iter::repeat_n(&counter[..], lanes));
            stream.finish(kernel);
            for (block, state) in self.blocks.as_mut().iter_mut().zip(stream.states.as_ref()) {
                H::digest(state, block);
            }
        }
    }

    impl<K: Sha2Lanes> Sha2<K> {
        /// The mask of T_l and H, of the function that hashes them too.
        #[inline(never)] // no stack of the simple variant's
        pub(super) fn start_mask(&self, mask: &mut Option<Mask<K>>, addresses: &[Address]) {
            let digest_len = if self.key.n == 16 { Sha256::DIGEST_LEN } else { Sha512::DIGEST_LEN };
            *mask = Some(self.mask_of(addresses, digest_len));
        }

        /// Appends nodes with the mask added.
        #[inline(never)] // as above
        pub(super) fn absorb_masked(&self, stream: &mut Either<K>, mask: &mut Mask<K>, nodes: &[Node]) {
            let mut masked = <K::Lanes<Node>>::splat([0; MAX_N]);
            let masked = mask.add(self.kernel, self.key.n, nodes, masked.as_mut());
            stream.absorb(self.kernel, self.nodes(masked));
        }

        fn mask_of(&self, addresses: &[Address], block_len: usize) -> Mask<K> {
            let mut seeds = <K::Lanes<[u8; MAX_N + 22]>>::splat([0; MAX_N + 22]);
            for (seed, address) in seeds.as_mut().iter_mut().zip(addresses) {
                copy(seed, self.key.pk_seed());
                copy(seed.get_mut(self.key.n..).unwrap_or_default(), &address.compressed());
            }
            let blocks = Lanes::splat([0; 64]);
            Mask { seeds, seed_len: self.key.n + 22, blocks, block_len, position: block_len, counter: 0 }
        }

        /// H.
        #[inline(never)] // as above
        pub(super) fn robust_h(
            &mut self,
            addresses: &[Address],
            left: &mut [Node],
            right: &[Node],
        ) -> Outcome<Self> {
            let mut thash = Sha2Thash::default();
            self.tl_start(&mut thash, addresses)?;
            self.tl_absorb(&mut thash, left)?;
            self.tl_absorb(&mut thash, right)?;
            self.tl_finish(&mut thash, left)
        }

        /// F, which is of SHA-256 in every category.
        #[inline(never)] // as above
        pub(super) fn robust_f(&self, addresses: &[Address], nodes: &mut [Node]) {
            let mut masked = <K::Lanes<Node>>::splat([0; MAX_N]);
            self.mask_of(addresses, Sha256::DIGEST_LEN).add(self.kernel, self.key.n, nodes, masked.as_mut());
            for (node, masked) in nodes.iter_mut().zip(masked.as_ref()) {
                *node = *masked;
            }
            let mut blocks = <K::Lanes<[u8; 64]>>::splat([0; 64]);
            self.set_blocks(&mut blocks, addresses);
            self.short(&mut blocks, nodes);
        }
    }
}
