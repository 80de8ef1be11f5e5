//! SHA-2 in assembly for Cortex-M3 and later.
//!
//! Unsafe code: the compression functions are assembly (thumb2.s), called with pointers to the arrays that they work on
//! and keep to. They are compiled for targets alone that have their instructions (build.rs).
#![allow(unsafe_code)]

use super::compact::{TABLE, words};
use super::{Node, Sha2Lanes};
use core::arch::global_asm;
use zeroize::Zeroize;

// The constants of SHA-256 are the high halves of those of SHA-512.
global_asm!(include_str!("thumb2.s"), constants = sym TABLE);

unsafe extern "C" {
    /// `out`, which may be `state`, is the state after a block of the words `w`, which are used up.
    fn pqsoc_sha256_compress(out: *mut [u32; 8], state: *const [u32; 8], w: *mut [u32; 16]);
    /// The state after a block.
    fn pqsoc_sha512_compress(state: *mut [u64; 8], block: *const [u8; 128]);
}

/// One hash at a time: SHA-256 in some 2 300 cycles a block, SHA-512 in some 10 000.
#[derive(Clone, Copy, Debug, Default)]
pub struct Thumb2;

impl Sha2Lanes for Thumb2 {
    type Lanes<T: Copy> = [T; 1];

    fn sha256(self, states: &mut [[u32; 8]], blocks: &[[u8; 64]]) {
        for (state, block) in states.iter_mut().zip(blocks) {
            let mut w = words(block);
            let state: *mut [u32; 8] = state;
            // SAFETY: both are ours alone for the time, and the result may take the place of the state.
            unsafe { pqsoc_sha256_compress(state, state, &mut w) };
            w.zeroize();
        }
    }

    fn sha512(self, states: &mut [[u64; 8]], blocks: &[[u8; 128]]) {
        for (state, block) in states.iter_mut().zip(blocks) {
            // SAFETY: the state is ours alone for the time.
            unsafe { pqsoc_sha512_compress(state, block) };
        }
    }

    /// In words all the time.
    fn chain(self, n: usize, state: &[u32; 8], blocks: &mut [[u8; 64]], nodes: &mut [Node], steps: u32) {
        for (block, node) in blocks.iter().zip(nodes) {
            let (block, mut value): ([u32; 16], _) = (words(block), words(node));
            let [w0, w1, w2, w3, w4, w5, ..] = block;
            let head = [w0, w1, w2, w3, w4, w5];
            match n {
                16 => chain::<4>(state, head, &mut value, steps),
                24 => chain::<6>(state, head, &mut value, steps),
                _ => chain::<8>(state, head, &mut value, steps),
            }
            for (to, word) in node.as_chunks_mut().0.iter_mut().zip(value) {
                *to = word.to_be_bytes();
            }
        }
    }
}

/// Steps of a chain of nodes of `WORDS` words. A block is `head`, in whose last word a node begins after the hash address,
/// the node, and the padding of a second block of 22 bytes and the node.
#[inline(always)]
fn chain<const WORDS: usize>(state: &[u32; 8], mut head: [u32; 6], value: &mut [u32; 8], steps: u32) {
    let mut w = [0; 16];
    for _ in 0..steps {
        w = [0; 16];
        w[..6].copy_from_slice(&head);
        for i in 0..WORDS {
            w[5 + i] |= value[i] >> 16;
            w[6 + i] = value[i] << 16;
        }
        w[5 + WORDS] |= 0x8000;
        w[15] = 8 * (64 + 22 + 4 * WORDS as u32);
        // SAFETY: all are ours alone for the time.
        unsafe { pqsoc_sha256_compress(value, state, &mut w) };
        head[5] = head[5].wrapping_add(1 << 16);
    }
    w.zeroize();
}
