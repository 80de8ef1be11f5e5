//! SHA-256 on eight states and SHA-512 on four, with the SHA instructions or AVX2.
//!
//! Unsafe code: a function compiled for an instruction set may only run where the processor has it. The kernels
//! [`ShaNi`] and [`Avx2`] exist only where `detect` found theirs. Vectors are loaded from and stored to arrays of
//! their size or larger, with instructions that need no alignment.
#![allow(unsafe_code)]

use super::compact::{K256, K512};
use super::{Node, Sha2Lanes};
use core::arch::x86_64::*;
use core::array::{from_mut, from_ref};
use zeroize::Zeroize;

/// Proof that the processor has the SHA instructions and AVX2.
#[derive(Clone, Copy, Debug)]
pub struct ShaNi(());

/// Proof that the processor has AVX2.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

impl ShaNi {
    /// The kernel, if the processor has the SHA instructions and AVX2.
    pub fn detect() -> Option<Self> {
        let all = std::arch::is_x86_feature_detected!("sha") && std::arch::is_x86_feature_detected!("avx2");
        all.then_some(Self(()))
    }
}

impl Avx2 {
    /// The kernel, if the processor has AVX2.
    pub fn detect() -> Option<Self> {
        std::arch::is_x86_feature_detected!("avx2").then_some(Self(()))
    }
}

impl Sha2Lanes for ShaNi {
    type Lanes<T: Copy> = [T; 8];

    #[inline]
    fn sha256(self, states: &mut [[u32; 8]], blocks: &[[u8; 64]]) {
        let (four, rest) = states.as_chunks_mut::<4>();
        let (four_blocks, rest_blocks) = blocks.as_chunks::<4>();
        let (two, one) = rest.as_chunks_mut::<2>();
        let (two_blocks, one_blocks) = rest_blocks.as_chunks::<2>();
        // SAFETY: `self` proves that the processor has the SHA instructions and AVX2, which implies SSE4.1.
        unsafe {
            for (states, blocks) in four.iter_mut().zip(four_blocks) {
                sha256_ni(states, blocks);
            }
            for (states, blocks) in two.iter_mut().zip(two_blocks) {
                sha256_ni(states, blocks);
            }
            for (state, block) in one.iter_mut().zip(one_blocks) {
                sha256_ni(from_mut(state), from_ref(block));
            }
        }
    }

    #[inline]
    fn sha512(self, states: &mut [[u64; 8]], blocks: &[[u8; 128]]) {
        Avx2(()).sha512(states, blocks);
    }

    #[inline]
    fn chain(self, n: usize, state: &[u32; 8], blocks: &mut [[u8; 64]], nodes: &mut [Node], steps: u32) {
        let (four, rest) = nodes.as_chunks_mut::<4>();
        let (four_blocks, rest_blocks) = blocks.as_chunks::<4>();
        let (two, one) = rest.as_chunks_mut::<2>();
        let (two_blocks, one_blocks) = rest_blocks.as_chunks::<2>();
        // SAFETY: as above.
        unsafe {
            for (nodes, blocks) in four.iter_mut().zip(four_blocks) {
                chain_ni(n, state, blocks, nodes, steps);
            }
            for (nodes, blocks) in two.iter_mut().zip(two_blocks) {
                chain_ni(n, state, blocks, nodes, steps);
            }
            for (node, block) in one.iter_mut().zip(one_blocks) {
                chain_ni(n, state, from_ref(block), from_mut(node), steps);
            }
        }
    }
}

impl Sha2Lanes for Avx2 {
    type Lanes<T: Copy> = [T; 8];

    #[inline]
    fn sha256(self, states: &mut [[u32; 8]], blocks: &[[u8; 64]]) {
        in_lanes(
            states,
            blocks,
            [0; 64],
            |states, blocks| {
                // SAFETY: `self` proves that the processor has AVX2.
                unsafe { sha256_avx2(states, blocks) }
            },
            sha2::block_api::compress256,
        );
    }

    #[inline]
    fn sha512(self, states: &mut [[u64; 8]], blocks: &[[u8; 128]]) {
        in_lanes(
            states,
            blocks,
            [0; 128],
            |states, blocks| {
                // SAFETY: `self` proves that the processor has AVX2.
                unsafe { sha512_avx2(states, blocks) }
            },
            sha2::block_api::compress512,
        );
    }
}

/// Whole groups of `N` with `wide`; a last group with unused lanes; one alone with `single`.
#[inline]
fn in_lanes<const N: usize, W: Copy, const B: usize>(
    states: &mut [[W; 8]],
    blocks: &[[u8; B]],
    zero: [u8; B],
    wide: impl Fn(&mut [[W; 8]; N], &[[u8; B]; N]),
    single: impl Fn(&mut [W; 8], &[[u8; B]]),
) {
    let (whole, rest) = states.as_chunks_mut::<N>();
    let (whole_blocks, rest_blocks) = blocks.as_chunks::<N>();
    for (states, blocks) in whole.iter_mut().zip(whole_blocks) {
        wide(states, blocks);
    }
    if let ([state], [block]) = (&mut *rest, rest_blocks) {
        single(state, core::slice::from_ref(block));
    } else if let Some(first) = rest.first() {
        let mut states = [*first; N];
        let mut blocks = [zero; N];
        for ((to, state), (block, from)) in
            states.iter_mut().zip(&*rest).zip(blocks.iter_mut().zip(rest_blocks))
        {
            *to = *state;
            *block = *from;
        }
        wide(&mut states, &blocks);
        for (to, state) in rest.iter_mut().zip(states) {
            *to = state;
        }
        // A copy of what may be secret.
        blocks.zeroize();
    }
}

/// A SHA-256 state as the instructions take it: words a, b, e, f in one vector and c, d, g, h in the other.
type State = [__m128i; 2];

#[target_feature(enable = "sha,avx2")]
#[inline]
fn load_state(state: &[u32; 8]) -> State {
    // SAFETY: a state has 32 bytes.
    let (dcba, hgfe) =
        unsafe { (_mm_loadu_si128(state.as_ptr().cast()), _mm_loadu_si128(state.as_ptr().add(4).cast())) };
    let (cdab, efgh) = (_mm_shuffle_epi32(dcba, 0xb1), _mm_shuffle_epi32(hgfe, 0x1b));
    [_mm_alignr_epi8(cdab, efgh, 8), _mm_blend_epi16(efgh, cdab, 0xf0)]
}

/// The sum of two states with its words in their order: a to d, e to h.
#[target_feature(enable = "sha,avx2")]
#[inline]
fn sum_of_states(a: State, b: State) -> [__m128i; 2] {
    let feba = _mm_shuffle_epi32(_mm_add_epi32(a[0], b[0]), 0x1b);
    let dchg = _mm_shuffle_epi32(_mm_add_epi32(a[1], b[1]), 0xb1);
    [_mm_blend_epi16(feba, dchg, 0xf0), _mm_alignr_epi8(dchg, feba, 8)]
}

/// Shuffle that turns the bytes of each 32-bit word around.
#[target_feature(enable = "sha,avx2")]
#[inline]
fn big_endian() -> __m128i {
    _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203)
}

/// The rounds of `N` states a few instructions each in turn, as an instruction takes some cycles before the next one
/// of its state can begin.
#[target_feature(enable = "sha,avx2")]
#[inline]
fn rounds_ni<const N: usize>(states: &mut [State; N], w: &mut [[__m128i; 4]; N]) {
    for (i, k) in K256.as_chunks::<4>().0.iter().enumerate() {
        // SAFETY: four words are 16 bytes.
        let k = unsafe { _mm_loadu_si128(k.as_ptr().cast()) };
        for ([abef, cdgh], w) in states.iter_mut().zip(&*w) {
            let wk = _mm_add_epi32(w[i % 4], k);
            *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, wk);
            *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_shuffle_epi32(wk, 0x0e));
        }
        if i < 12 {
            for w in &mut *w {
                let seventh = _mm_alignr_epi8(w[(i + 3) % 4], w[(i + 2) % 4], 4);
                let sum = _mm_add_epi32(_mm_sha256msg1_epu32(w[i % 4], w[(i + 1) % 4]), seventh);
                w[i % 4] = _mm_sha256msg2_epu32(sum, w[(i + 3) % 4]);
            }
        }
    }
}

#[target_feature(enable = "sha,avx2")]
fn sha256_ni<const N: usize>(states: &mut [[u32; 8]; N], blocks: &[[u8; 64]; N]) {
    let mut w = [[_mm_setzero_si128(); 4]; N];
    let mut first = [[_mm_setzero_si128(); 2]; N];
    for l in 0..N {
        first[l] = load_state(&states[l]);
        for i in 0..4 {
            // SAFETY: a block has 64 bytes.
            let words = unsafe { _mm_loadu_si128(blocks[l].as_ptr().add(16 * i).cast()) };
            w[l][i] = _mm_shuffle_epi8(words, big_endian());
        }
    }
    let mut work = first;
    rounds_ni(&mut work, &mut w);
    for l in 0..N {
        let [abcd, efgh] = sum_of_states(work[l], first[l]);
        // SAFETY: a state has 32 bytes.
        unsafe {
            _mm_storeu_si128(states[l].as_mut_ptr().cast(), abcd);
            _mm_storeu_si128(states[l].as_mut_ptr().add(4).cast(), efgh);
        }
    }
}

/// [`Sha2Lanes::chain`]: a node stays in registers from step to step, and moves to its place in the block, 22 bytes
/// after the beginning and so 2 after that of a word, by shifts of words and of halves of words.
#[target_feature(enable = "sha,avx2")]
fn chain_ni<const N: usize>(
    n: usize,
    state: &[u32; 8],
    blocks: &[[u8; 64]; N],
    nodes: &mut [Node; N],
    steps: u32,
) {
    let first = load_state(state);
    let mut w = [[_mm_setzero_si128(); 4]; N];
    let mut digests = [[_mm_setzero_si128(); 2]; N];
    for l in 0..N {
        for i in 0..4 {
            // SAFETY: a block has 64 bytes.
            let words = unsafe { _mm_loadu_si128(blocks[l].as_ptr().add(16 * i).cast()) };
            w[l][i] = _mm_shuffle_epi8(words, big_endian());
        }
        for i in 0..2 {
            // SAFETY: a node has 32 bytes.
            let words = unsafe { _mm_loadu_si128(nodes[l].as_ptr().add(16 * i).cast()) };
            digests[l][i] = _mm_shuffle_epi8(words, big_endian());
        }
    }
    // Words of the second half of a digest that belong to the node.
    let (third, fourth) = (-i64::from(n > 16), -i64::from(n > 24));
    let mask = _mm_set_epi64x(fourth, third);
    // The low half of the hash address is the high half of word 5.
    let one = _mm_set_epi32(0, 0, 1 << 16, 0);
    for _ in 0..steps {
        let mut message = w;
        for l in 0..N {
            let [d0, d1] = [digests[l][0], _mm_and_si128(digests[l][1], mask)];
            let [high0, high1] = [_mm_srli_epi32(d0, 16), _mm_srli_epi32(d1, 16)];
            let [low0, low1] = [_mm_slli_epi32(d0, 16), _mm_slli_epi32(d1, 16)];
            let words4 = _mm_or_si128(_mm_slli_si128(high0, 4), _mm_slli_si128(low0, 8));
            let words8 = _mm_or_si128(_mm_alignr_epi8(high1, high0, 12), _mm_alignr_epi8(low1, low0, 8));
            let words12 = _mm_or_si128(_mm_srli_si128(high1, 12), _mm_srli_si128(low1, 8));
            message[l][1] = _mm_or_si128(w[l][1], words4);
            message[l][2] = _mm_or_si128(w[l][2], words8);
            message[l][3] = _mm_or_si128(w[l][3], words12);
            w[l][1] = _mm_add_epi32(w[l][1], one);
        }
        let mut work = [first; N];
        rounds_ni(&mut work, &mut message);
        for l in 0..N {
            digests[l] = sum_of_states(work[l], first);
        }
    }
    for l in 0..N {
        for i in 0..2 {
            // SAFETY: a node has 32 bytes.
            unsafe {
                let words = _mm_shuffle_epi8(digests[l][i], big_endian());
                _mm_storeu_si128(nodes[l].as_mut_ptr().add(16 * i).cast(), words);
            }
        }
    }
}

/// The rounds of SHA-2 on the vectors of `$state` and `$w`, a word of each lane in a vector. FIPS 180-4, sections 6.2.2
/// and 6.4.2; `$big0` to `$small1` are the functions of section 4.1.
macro_rules! rounds {
    ($state:ident, $w:ident, $constants:ident, $word:ty, $add:ident, $splat:ident, [$big0:ident, $big1:ident, $small0:ident, $small1:ident]) => {
        for (t, constants) in $constants.as_chunks::<16>().0.iter().enumerate() {
            for i in 0..16 {
                if t > 0 {
                    let sum = $add($small0($w[(i + 1) % 16]), $small1($w[(i + 14) % 16]));
                    $w[i] = $add($add($w[i], $w[(i + 9) % 16]), sum);
                }
                let [a, b, c, d, e, f, g, h] = $state;
                let choice = _mm256_xor_si256(g, _mm256_and_si256(e, _mm256_xor_si256(f, g)));
                let wk = $add($w[i], $splat(constants[i] as $word));
                let t1 = $add($add(h, wk), $add($big1(e), choice));
                let b_or_c = _mm256_and_si256(_mm256_xor_si256(a, b), _mm256_xor_si256(b, c));
                let t2 = $add($big0(a), _mm256_xor_si256(b, b_or_c));
                $state = [$add(t1, t2), a, b, c, $add(d, t1), e, f, g];
            }
        }
    };
}

#[target_feature(enable = "avx2")]
#[inline]
fn xor3(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    _mm256_xor_si256(_mm256_xor_si256(a, b), c)
}

#[target_feature(enable = "avx2")]
fn sha256_avx2(states: &mut [[u32; 8]; 8], blocks: &[[u8; 64]; 8]) {
    #[target_feature(enable = "avx2")]
    #[inline]
    fn shift<const BY: i32>(x: __m256i) -> __m256i {
        _mm256_srli_epi32::<BY>(x)
    }
    #[target_feature(enable = "avx2")]
    #[inline]
    fn rotate<const BY: i32>(x: __m256i) -> __m256i {
        // A count in a register that the compiler knows: `32 - BY` is no constant expression.
        _mm256_or_si256(_mm256_srli_epi32::<BY>(x), _mm256_sll_epi32(x, _mm_cvtsi32_si128(32 - BY)))
    }
    #[target_feature(enable = "avx2")]
    #[inline]
    fn big0(x: __m256i) -> __m256i {
        xor3(rotate::<2>(x), rotate::<13>(x), rotate::<22>(x))
    }
    #[target_feature(enable = "avx2")]
    #[inline]
    fn big1(x: __m256i) -> __m256i {
        xor3(rotate::<6>(x), rotate::<11>(x), rotate::<25>(x))
    }
    #[target_feature(enable = "avx2")]
    #[inline]
    fn small0(x: __m256i) -> __m256i {
        xor3(rotate::<7>(x), rotate::<18>(x), shift::<3>(x))
    }
    #[target_feature(enable = "avx2")]
    #[inline]
    fn small1(x: __m256i) -> __m256i {
        xor3(rotate::<17>(x), rotate::<19>(x), shift::<10>(x))
    }
    /// Rows to columns.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn transpose(rows: [__m256i; 8]) -> [__m256i; 8] {
        let [r0, r1, r2, r3, r4, r5, r6, r7] = rows;
        let pair = |a, b| (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
        let ((a0, a1), (a2, a3)) = (pair(r0, r1), pair(r2, r3));
        let ((a4, a5), (a6, a7)) = (pair(r4, r5), pair(r6, r7));
        let pair = |a, b| (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
        let ((b0, b1), (b2, b3)) = (pair(a0, a2), pair(a1, a3));
        let ((b4, b5), (b6, b7)) = (pair(a4, a6), pair(a5, a7));
        let low = |a, b| _mm256_permute2x128_si256::<0x20>(a, b);
        let high = |a, b| _mm256_permute2x128_si256::<0x31>(a, b);
        [
            low(b0, b4),
            low(b1, b5),
            low(b2, b6),
            low(b3, b7),
            high(b0, b4),
            high(b1, b5),
            high(b2, b6),
            high(b3, b7),
        ]
    }

    let (low, high) = (0x0405_0607_0001_0203, 0x0c0d_0e0f_0809_0a0b);
    let big_endian = _mm256_set_epi64x(high, low, high, low);
    let mut w = [_mm256_setzero_si256(); 16];
    for half in 0..2 {
        // SAFETY: a block has 64 bytes.
        let rows = blocks.each_ref().map(|block| unsafe {
            _mm256_shuffle_epi8(_mm256_loadu_si256(block.as_ptr().add(32 * half).cast()), big_endian)
        });
        w[8 * half..8 * half + 8].copy_from_slice(&transpose(rows));
    }
    // SAFETY: a state has 32 bytes.
    let first = states.each_ref().map(|state| unsafe { _mm256_loadu_si256(state.as_ptr().cast()) });
    let first = transpose(first);
    let mut state = first;
    rounds!(state, w, K256, i32, _mm256_add_epi32, _mm256_set1_epi32, [big0, big1, small0, small1]);
    for (word, first) in state.iter_mut().zip(first) {
        *word = _mm256_add_epi32(*word, first);
    }
    for (to, row) in states.iter_mut().zip(transpose(state)) {
        // SAFETY: a state has 32 bytes.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), row) }
    }
}

#[target_feature(enable = "avx2")]
fn sha512_avx2(states: &mut [[u64; 8]; 4], blocks: &[[u8; 128]; 4]) {
    #[target_feature(enable = "avx2")]
    #[inline]
    fn shift<const BY: i32>(x: __m256i) -> __m256i {
        _mm256_srli_epi64::<BY>(x)
    }
    #[target_feature(enable = "avx2")]
    #[inline]
    fn rotate<const BY: i32>(x: __m256i) -> __m256i {
        // A count in a register that the compiler knows: `64 - BY` is no constant expression.
        _mm256_or_si256(_mm256_srli_epi64::<BY>(x), _mm256_sll_epi64(x, _mm_cvtsi32_si128(64 - BY)))
    }
    #[target_feature(enable = "avx2")]
    #[inline]
    fn big0(x: __m256i) -> __m256i {
        xor3(rotate::<28>(x), rotate::<34>(x), rotate::<39>(x))
    }
    #[target_feature(enable = "avx2")]
    #[inline]
    fn big1(x: __m256i) -> __m256i {
        xor3(rotate::<14>(x), rotate::<18>(x), rotate::<41>(x))
    }
    #[target_feature(enable = "avx2")]
    #[inline]
    fn small0(x: __m256i) -> __m256i {
        xor3(rotate::<1>(x), rotate::<8>(x), shift::<7>(x))
    }
    #[target_feature(enable = "avx2")]
    #[inline]
    fn small1(x: __m256i) -> __m256i {
        xor3(rotate::<19>(x), rotate::<61>(x), shift::<6>(x))
    }
    /// Rows to columns.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn transpose(rows: [__m256i; 4]) -> [__m256i; 4] {
        let [r0, r1, r2, r3] = rows;
        let (a0, a1) = (_mm256_unpacklo_epi64(r0, r1), _mm256_unpackhi_epi64(r0, r1));
        let (a2, a3) = (_mm256_unpacklo_epi64(r2, r3), _mm256_unpackhi_epi64(r2, r3));
        let low = |a, b| _mm256_permute2x128_si256::<0x20>(a, b);
        let high = |a, b| _mm256_permute2x128_si256::<0x31>(a, b);
        [low(a0, a2), low(a1, a3), high(a0, a2), high(a1, a3)]
    }

    let (low, high) = (0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
    let big_endian = _mm256_set_epi64x(high, low, high, low);
    let mut w = [_mm256_setzero_si256(); 16];
    for quarter in 0..4 {
        // SAFETY: a block has 128 bytes.
        let rows = blocks.each_ref().map(|block| unsafe {
            _mm256_shuffle_epi8(_mm256_loadu_si256(block.as_ptr().add(32 * quarter).cast()), big_endian)
        });
        w[4 * quarter..4 * quarter + 4].copy_from_slice(&transpose(rows));
    }
    let mut first = [_mm256_setzero_si256(); 8];
    for half in 0..2 {
        // SAFETY: a state has 64 bytes.
        let rows =
            states.each_ref().map(|state| unsafe { _mm256_loadu_si256(state.as_ptr().add(4 * half).cast()) });
        first[4 * half..4 * half + 4].copy_from_slice(&transpose(rows));
    }
    let mut state = first;
    rounds!(state, w, K512, i64, _mm256_add_epi64, _mm256_set1_epi64x, [big0, big1, small0, small1]);
    for (word, first) in state.iter_mut().zip(first) {
        *word = _mm256_add_epi64(*word, first);
    }
    let [s0, s1, s2, s3, s4, s5, s6, s7] = state;
    for (half, columns) in [[s0, s1, s2, s3], [s4, s5, s6, s7]].into_iter().enumerate() {
        for (to, row) in states.iter_mut().zip(transpose(columns)) {
            // SAFETY: a state has 64 bytes.
            unsafe { _mm256_storeu_si256(to.as_mut_ptr().add(4 * half).cast(), row) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Sha2Scalar;
    use super::*;

    /// Chains of every number of lanes and every n, over the steps where the hash address needs its second byte.
    fn chains_agree(kernel: impl Sha2Lanes) {
        for n in [16, 24, 32] {
            for count in 1..=8 {
                let mut blocks: [[u8; 64]; 8] = core::array::from_fn(|l| {
                    core::array::from_fn(
                        |i| if (22..22 + n).contains(&i) { 0 } else { (l * 64 + i * 7) as u8 },
                    )
                });
                for block in &mut blocks {
                    block[18..22].copy_from_slice(&250u32.to_be_bytes());
                }
                let mut found = core::array::from_fn(|l| core::array::from_fn(|i| (l * 31 + i) as u8));
                let state = core::array::from_fn(|i| 0x0123_4567u32.rotate_left(i as u32));
                for steps in [0, 1, 15] {
                    let mut expected: [Node; 8] = found;
                    for (block, node) in blocks.iter().zip(&mut expected).take(count) {
                        Sha2Scalar.chain(n, &state, &mut [*block], core::slice::from_mut(node), steps);
                    }
                    kernel.chain(n, &state, &mut { blocks }[..count], &mut found[..count], steps);
                    for (found, expected) in found.iter().zip(expected).take(count) {
                        assert_eq!(found[..n], expected[..n], "{count} lanes, n {n}, {steps} steps");
                    }
                }
            }
        }
    }

    /// Every number of lanes, against one at a time, states and blocks changing all the while.
    fn agrees(kernel: impl Sha2Lanes) {
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            seed ^ (seed >> 29)
        };
        for count in 1..=8 {
            for _ in 0..50 {
                let mut small = [[0u32; 8]; 8].map(|state| state.map(|_| random() as u32));
                let mut large = [[0u64; 8]; 8].map(|state| state.map(|_| random()));
                let small_blocks = [[0; 64]; 8].map(|block| block.map(|_: u8| random() as u8));
                let large_blocks = [[0; 128]; 8].map(|block| block.map(|_: u8| random() as u8));
                let (mut small_expected, mut large_expected) = (small, large);
                Sha2Scalar.sha256(&mut small_expected[..count], &small_blocks[..count]);
                Sha2Scalar.sha512(&mut large_expected[..count], &large_blocks[..count]);
                kernel.sha256(&mut small[..count], &small_blocks[..count]);
                kernel.sha512(&mut large[..count], &large_blocks[..count]);
                assert_eq!((small, large), (small_expected, large_expected), "{count} lanes");
            }
        }
    }

    #[test]
    fn sha_instructions_agree_with_one_at_a_time() {
        match ShaNi::detect() {
            Some(kernel) => {
                agrees(kernel);
                chains_agree(kernel);
            }
            None => std::eprintln!("not run: the processor has no SHA instructions"),
        }
    }

    #[test]
    fn avx2_agrees_with_one_at_a_time() {
        match Avx2::detect() {
            Some(kernel) => {
                agrees(kernel);
                chains_agree(kernel);
            }
            None => std::eprintln!("not run: the processor has no AVX2"),
        }
    }
}
