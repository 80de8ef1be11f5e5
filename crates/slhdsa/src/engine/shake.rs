//! The SHAKE functions of FIPS 205, section 11.1, and of SPHINCS+ r3.1.
use super::key::Key;
use super::{Engine, Lanes, Node, Outcome, chain_of_f};
use crate::address::Address;
use crate::error::Error;
use crate::params::{Family, MAX_N, Params};
use crate::stream::Input;
use core::convert::Infallible;
use core::marker::PhantomData;
use pqsoc_keccak::parallel::Parallel;
use pqsoc_keccak::{LANES, Native, Shake256, State, keccak_f1600};
use zeroize::Zeroize;

/// 64-bit words of a block of SHAKE256.
const RATE: usize = Shake256::<Native>::RATE / 8;

/// Some Keccak states and the permutation on all of them at once. FIPS 202, section 3.3.
///
/// A kernel is a value that exists only where the processor has its instructions.
pub trait ShakeLanes: Copy {
    /// Storage for as many values as are worked on at once.
    type Lanes<T: Copy>: Lanes<T> + Copy;

    /// The states; the default is all zero.
    type States: Default;

    /// Sets all states to zero, and their secrets with them.
    fn reset(states: &mut Self::States);

    /// Adds (exclusive or) `words`, one a state for the first of them, to the states' 64-bit word of number `at`.
    fn xor(states: &mut Self::States, at: usize, words: impl Iterator<Item = u64>);

    /// The 64-bit word of number `at` of each state.
    fn words(states: &Self::States, at: usize) -> Self::Lanes<u64>;

    /// All words, if they are in memory as they are.
    fn plain(states: &mut Self::States) -> Option<&mut [Self::Lanes<u64>; LANES]>;

    /// Permutes the first `count` states, 1 to [`LANES`](Lanes::COUNT); others may be changed as well.
    fn permute(self, states: &mut Self::States, count: usize);
}

/// The words that pad input of `position` words in its last block, and what is added to them.
const fn padding(position: usize) -> [(usize, u64); 2] {
    [(position, 0x1f), (RATE - 1, 1 << 63)]
}

/// One state at a time, of any kind.
pub struct One<S>(PhantomData<S>);

impl<S> One<S> {
    const NEW: Self = Self(PhantomData);
}

impl<S> Clone for One<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for One<S> {}

impl<S> Default for One<S> {
    fn default() -> Self {
        Self::NEW
    }
}

/// One state at a time, by `pqsoc-keccak`.
pub type Scalar = One<Native>;

impl<S: State + Default> ShakeLanes for One<S> {
    type Lanes<T: Copy> = [T; 1];
    type States = S;

    fn reset(state: &mut S) {
        state.reset();
    }

    #[inline]
    fn xor(state: &mut S, at: usize, mut words: impl Iterator<Item = u64>) {
        if let Some(word) = words.next() {
            state.xor(8 * at, &word.to_le_bytes());
        }
    }

    #[inline]
    fn words(state: &S, at: usize) -> [u64; 1] {
        let mut bytes = [0; 8];
        state.extract(8 * at, &mut bytes);
        [u64::from_le_bytes(bytes)]
    }

    fn plain(_: &mut S) -> Option<&mut [[u64; 1]; LANES]> {
        None
    }

    #[inline]
    fn permute(self, state: &mut S, _: usize) {
        state.permute();
    }
}

/// A kernel of `pqsoc-keccak`, `N` states at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wide<P, const N: usize>(pub P);

/// States of [`Wide`], word by word.
pub struct Words<const N: usize>([[u64; N]; LANES]);

impl<const N: usize> Default for Words<N> {
    #[inline]
    fn default() -> Self {
        Self([[0; N]; LANES])
    }
}

impl<const N: usize, P: Parallel<N>> ShakeLanes for Wide<P, N> {
    type Lanes<T: Copy> = [T; N];
    type States = Words<N>;

    fn reset(states: &mut Words<N>) {
        states.0.zeroize();
    }

    #[inline]
    fn xor(states: &mut Words<N>, at: usize, words: impl Iterator<Item = u64>) {
        if let Some(row) = states.0.get_mut(at) {
            for (to, word) in row.iter_mut().zip(words) {
                *to ^= word;
            }
        }
    }

    #[inline]
    fn words(states: &Words<N>, at: usize) -> [u64; N] {
        states.0.get(at).copied().unwrap_or([0; N])
    }

    #[inline]
    fn plain(states: &mut Words<N>) -> Option<&mut [[u64; N]; LANES]> {
        Some(&mut states.0)
    }

    #[inline]
    fn permute(self, states: &mut Words<N>, count: usize) {
        if count > 1 {
            self.0.keccak_f1600(&mut states.0);
            return;
        }
        let mut state = [0; LANES];
        for (to, from) in state.iter_mut().zip(&states.0) {
            *to = from.first().copied().unwrap_or(0);
        }
        keccak_f1600(&mut state);
        for (to, from) in states.0.iter_mut().zip(state) {
            *to = [from; N];
        }
    }
}

/// SHAKE256 in each of some lanes, of input in whole 64-bit words and output of one block.
struct Sponge<K: ShakeLanes> {
    states: K::States,
    lanes: usize,
    /// Words of the current block that are taken, less than [`RATE`].
    position: usize,
}

impl<K: ShakeLanes> Sponge<K> {
    /// Nothing yet, in no lane.
    #[inline]
    fn new() -> Self {
        Self { states: K::States::default(), lanes: 0, position: 0 }
    }

    /// Appends the same bytes in every lane.
    #[inline]
    fn absorb_same(&mut self, kernel: K, bytes: &[u8]) {
        self.absorb(kernel, core::iter::repeat(bytes));
    }

    /// Appends pieces, one a lane, all of the length of the first: a multiple of 8.
    #[inline]
    fn absorb<'a>(&mut self, kernel: K, pieces: impl Iterator<Item = &'a [u8]> + Clone) {
        let len = pieces.clone().next().map_or(0, <[u8]>::len);
        for at in (0..len).step_by(8) {
            let words = pieces.clone().take(self.lanes).map(|piece| word_at(piece, at));
            K::xor(&mut self.states, self.position, words);
            self.position += 1;
            if self.position == RATE {
                kernel.permute(&mut self.states, self.lanes);
                self.position = 0;
            }
        }
    }

    /// Pads; the states then hold the output. FIPS 202, sections 5.1 and 6.2.
    #[inline]
    fn finish(&mut self, kernel: K) {
        for (at, bits) in padding(self.position) {
            K::xor(&mut self.states, at, core::iter::repeat_n(bits, self.lanes));
        }
        kernel.permute(&mut self.states, self.lanes);
    }

    /// The first words of the output.
    #[inline]
    fn output(&self, n: usize, out: &mut [Node]) {
        for (at, byte) in (0..n).step_by(8).enumerate() {
            put_words(K::words(&self.states, at).as_ref(), byte, out);
        }
    }
}

/// The word `at` bytes from the beginning, or 0 past the end, so that no index can panic.
#[inline(always)]
fn word_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// Puts a word of each lane into the nodes, `at` bytes from their beginning.
#[inline]
fn put_words(words: &[u64], at: usize, out: &mut [Node]) {
    for (node, word) in out.iter_mut().zip(words) {
        if let Some(bytes) = node.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
            *bytes = word.to_le_bytes();
        }
    }
}

/// An engine of the SHAKE sets.
pub struct Shake<K: ShakeLanes = Scalar> {
    key: Key,
    kernel: K,
}

/// T_l in progress.
pub struct ShakeThash<K: ShakeLanes> {
    sponge: Sponge<K>,
    #[cfg(feature = "sphincsplus")]
    mask: Option<robust::Mask<K>>,
}

impl Shake {
    /// An engine without a key, one hash at a time; every operation begins with a key.
    pub const fn new() -> Self {
        Self::with_kernel(Scalar::NEW)
    }
}

impl<K: ShakeLanes> Default for ShakeThash<K> {
    fn default() -> Self {
        Self {
            sponge: Sponge::new(),
            #[cfg(feature = "sphincsplus")]
            mask: None,
        }
    }
}

impl<K: ShakeLanes> Shake<K> {
    /// An engine without a key; every operation begins with one.
    pub const fn with_kernel(kernel: K) -> Self {
        Self { key: Key::NONE, kernel }
    }

    /// Gives PK.seed and addresses to an empty sponge.
    #[inline]
    fn start(&self, sponge: &mut Sponge<K>, addresses: &[Address]) {
        sponge.lanes = addresses.len();
        sponge.absorb_same(self.kernel, self.key.pk_seed());
        sponge.absorb(self.kernel, addresses.iter().map(|address| address.as_bytes().as_slice()));
    }

    /// [`Engine::chain`] in states that are kept: all but the node is the same in every step, apart from the hash address,
    /// the high half of the last word of the address, big-endian.
    #[inline(never)] // its stack is free again before its caller goes on
    fn chain_of_states(
        &mut self,
        addresses: &mut [Address],
        steps: u32,
        nodes: &mut [Node],
    ) -> Outcome<Self> {
        let mut sponge = Sponge::<K>::new();
        self.start(&mut sponge, addresses);
        let (at, words, lanes) = (sponge.position, self.key.n / 8, sponge.lanes);
        for (at, bits) in padding(at + words) {
            K::xor(&mut sponge.states, at, core::iter::repeat_n(bits, lanes));
        }
        let mut states = K::States::default();
        let (Some(start), Some(_)) = (K::plain(&mut sponge.states), K::plain(&mut states)) else {
            return chain_of_f(self, addresses, steps, nodes);
        };
        let mut values = [<K::Lanes<u64>>::splat(0); MAX_N / 8];
        for (value, from) in values.iter_mut().zip((0..self.key.n).step_by(8)) {
            for (word, node) in value.as_mut().iter_mut().zip(&*nodes) {
                *word = word_at(node, from);
            }
        }
        for _ in 0..steps {
            let Some(now) = K::plain(&mut states) else { break };
            *now = *start;
            for (word, value) in now.iter_mut().skip(at).zip(&values).take(words) {
                *word = *value;
            }
            self.kernel.permute(&mut states, lanes);
            for (i, value) in values.iter_mut().enumerate().take(words) {
                *value = K::words(&states, i);
            }
            if let Some(word) = start.get_mut(at - 1) {
                for word in word.as_mut() {
                    let hash = ((*word >> 32) as u32).swap_bytes() + 1;
                    *word = (*word & 0xffff_ffff) | u64::from(hash.swap_bytes()) << 32;
                }
            }
        }
        for (value, to) in values.iter().zip((0..self.key.n).step_by(8)) {
            put_words(value.as_ref(), to, nodes);
        }
        for address in addresses {
            address.set_hash(address.hash() + steps);
        }
        Ok(())
    }

    fn nodes<'a>(&self, nodes: &'a [Node]) -> impl Iterator<Item = &'a [u8]> + Clone + use<'a, K> {
        let n = self.key.n;
        nodes.iter().map(move |node| node.get(..n).unwrap_or_default())
    }
}

impl Default for Shake {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: ShakeLanes> Engine for Shake<K> {
    type Error = Infallible;
    type Lanes<T: Copy> = K::Lanes<T>;
    type Thash = ShakeThash<K>;

    fn begin(&mut self, params: &'static Params, pk_seed: &[u8], sk_seed: &[u8]) -> Outcome<Self> {
        if params.family != Family::Shake {
            return Err(Error::Family(params.family));
        }
        self.key.set(params, pk_seed, sk_seed);
        Ok(())
    }

    #[inline(never)] // its stack is free again before trees are built
    fn prf_msg(
        &mut self,
        sk_prf: &[u8],
        opt_rand: &[u8],
        message: &dyn Input,
        r: &mut Node,
    ) -> Outcome<Self> {
        let mut shake = Shake256::new();
        shake.absorb(sk_prf);
        shake.absorb(opt_rand);
        message.read(&mut |piece| shake.absorb(piece))?;
        shake.finish().squeeze(r.get_mut(..self.key.n).unwrap_or_default());
        Ok(())
    }

    #[inline(never)] // as above
    fn h_msg(&mut self, r: &Node, pk_root: &[u8], message: &dyn Input, digest: &mut [u8]) -> Outcome<Self> {
        let mut shake = Shake256::new();
        for part in [r.get(..self.key.n).unwrap_or_default(), self.key.pk_seed(), pk_root] {
            shake.absorb(part);
        }
        message.read(&mut |piece| shake.absorb(piece))?;
        shake.finish().squeeze(digest);
        Ok(())
    }

    #[inline(never)] // its stack is free again before its caller goes on
    fn prf(&mut self, addresses: &[Address], out: &mut [Node]) -> Outcome<Self> {
        let mut sponge = Sponge::<K>::new();
        self.start(&mut sponge, addresses);
        sponge.absorb_same(self.kernel, self.key.sk_seed());
        sponge.finish(self.kernel);
        sponge.output(self.key.n, out);
        // The permutation can be run backwards.
        K::reset(&mut sponge.states);
        Ok(())
    }

    #[inline(never)] // as above
    fn f(&mut self, addresses: &[Address], nodes: &mut [Node]) -> Outcome<Self> {
        #[cfg(feature = "sphincsplus")]
        if self.key.robust() {
            return self.masked(addresses, nodes, None);
        }
        let mut sponge = Sponge::<K>::new();
        self.start(&mut sponge, addresses);
        sponge.absorb(self.kernel, self.nodes(nodes));
        sponge.finish(self.kernel);
        sponge.output(self.key.n, nodes);
        Ok(())
    }

    #[inline(never)] // as above
    fn h(&mut self, addresses: &[Address], left: &mut [Node], right: &[Node]) -> Outcome<Self> {
        #[cfg(feature = "sphincsplus")]
        if self.key.robust() {
            return self.masked(addresses, left, Some(right));
        }
        let mut sponge = Sponge::<K>::new();
        self.start(&mut sponge, addresses);
        sponge.absorb(self.kernel, self.nodes(left));
        sponge.absorb(self.kernel, self.nodes(right));
        sponge.finish(self.kernel);
        sponge.output(self.key.n, left);
        Ok(())
    }

    #[inline]
    fn chain(&mut self, addresses: &mut [Address], steps: u32, nodes: &mut [Node]) -> Outcome<Self> {
        // One lane is that of small devices: what is saved by the other way is little and would need two states more
        // of stack.
        if <K::Lanes<Node>>::COUNT == 1 || self.key.robust() {
            return chain_of_f(self, addresses, steps, nodes);
        }
        self.chain_of_states(addresses, steps, nodes)
    }

    #[inline]
    fn tl_start(&mut self, thash: &mut Self::Thash, addresses: &[Address]) -> Outcome<Self> {
        K::reset(&mut thash.sponge.states);
        thash.sponge.position = 0;
        self.start(&mut thash.sponge, addresses);
        #[cfg(feature = "sphincsplus")]
        {
            thash.mask = None;
            if self.key.robust() {
                let mask = thash.mask.insert(robust::Mask::new());
                self.start(&mut mask.sponge, addresses);
            }
        }
        Ok(())
    }

    #[inline]
    fn tl_absorb(&mut self, thash: &mut Self::Thash, nodes: &[Node]) -> Outcome<Self> {
        #[cfg(feature = "sphincsplus")]
        if let Some(mask) = &mut thash.mask {
            self.absorb_masked(&mut thash.sponge, mask, nodes);
            return Ok(());
        }
        thash.sponge.absorb(self.kernel, self.nodes(nodes));
        Ok(())
    }

    #[inline]
    fn tl_finish(&mut self, thash: &mut Self::Thash, out: &mut [Node]) -> Outcome<Self> {
        thash.sponge.finish(self.kernel);
        thash.sponge.output(self.key.n, out);
        Ok(())
    }
}

/// The masks of SPHINCS+ r3.1, `robust` (section 7.2.1 of its specification): F, H and T_l take M added to
/// SHAKE256(PK.seed || ADRS).
#[cfg(feature = "sphincsplus")]
mod robust {
    use super::*;

    /// SHAKE256 of PK.seed and an address as it is squeezed.
    pub struct Mask<K: ShakeLanes> {
        /// Has taken both and is not yet padded when there is a first word to come.
        pub sponge: Sponge<K>,
        /// Words of the current block of output that are used; [`RATE`] before the first.
        used: usize,
    }

    impl<K: ShakeLanes> Mask<K> {
        /// Of nothing yet.
        pub fn new() -> Self {
            Self { sponge: Sponge::new(), used: RATE }
        }

        /// `nodes` with the next n bytes of the mask added.
        pub fn add<'a>(&mut self, kernel: K, n: usize, nodes: &[Node], masked: &'a mut [Node]) -> &'a [Node] {
            let Self { sponge, used } = self;
            let masked = masked.get_mut(..nodes.len()).unwrap_or_default();
            for at in (0..n).step_by(8) {
                if *used == RATE {
                    // The first block comes with the padding.
                    if sponge.position == 0 {
                        kernel.permute(&mut sponge.states, sponge.lanes)
                    } else {
                        sponge.finish(kernel)
                    }
                    sponge.position = 0;
                    *used = 0;
                }
                let mut words = K::words(&sponge.states, *used);
                for (word, node) in words.as_mut().iter_mut().zip(nodes) {
                    *word ^= word_at(node, at);
                }
                put_words(words.as_ref(), at, masked);
                *used += 1;
            }
            masked
        }
    }

    impl<K: ShakeLanes> Shake<K> {
        /// Appends nodes with the mask added.
        #[inline(never)] // no stack of the simple variant's
        pub(super) fn absorb_masked(&self, sponge: &mut Sponge<K>, mask: &mut Mask<K>, nodes: &[Node]) {
            let mut masked = <K::Lanes<Node>>::splat([0; MAX_N]);
            let masked = mask.add(self.kernel, self.key.n, nodes, masked.as_mut());
            sponge.absorb(self.kernel, self.nodes(masked));
        }

        /// F, or H with `right`, the result in the place of `left`.
        #[inline(never)] // as above
        pub(super) fn masked(
            &mut self,
            addresses: &[Address],
            left: &mut [Node],
            right: Option<&[Node]>,
        ) -> Outcome<Self> {
            let mut thash = ShakeThash::default();
            self.tl_start(&mut thash, addresses)?;
            self.tl_absorb(&mut thash, left)?;
            if let Some(right) = right {
                self.tl_absorb(&mut thash, right)?;
            }
            self.tl_finish(&mut thash, left)
        }
    }
}
