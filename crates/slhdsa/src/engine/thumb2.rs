//! SHA-256 in assembly for Cortex-M3 and later.
//!
//! Unsafe code: the compression function is assembly (thumb2.s), called with pointers to the words that it works on and
//! keeps to. It is compiled for targets alone that have its instructions (build.rs).
#![allow(unsafe_code)]

use super::compact::{Compact, TABLE, words};
use super::{Node, Sha2Lanes};
use core::arch::global_asm;
use zeroize::Zeroize;

// Its constants are the high halves of those of SHA-512.
global_asm!(include_str!("thumb2.s"), constants = sym TABLE);

unsafe extern "C" {
    fn pqsoc_sha256_compress(out: *mut [u32; 8], state: *const [u32; 8], w: *mut [u32; 16]);
}

/// One hash at a time: SHA-256 in some 2300 cycles a block, SHA-512 as [`Compact`] does it.
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
        Compact.sha512(states, blocks);
    }

    /// In words all the time. The node begins in the middle of word 5, whose first half is the hash address's last.
    fn chain(self, n: usize, state: &[u32; 8], blocks: &mut [[u8; 64]], nodes: &mut [Node], steps: u32) {
        for (block, node) in blocks.iter().zip(nodes) {
            let mut frame = words(block);
            let mut value = words(node);
            let mut w = [0; 16];
            for _ in 0..steps {
                w = frame;
                for (i, value) in value.iter().enumerate().take(n / 4) {
                    w[5 + i] |= value >> 16;
                    w[6 + i] |= value << 16;
                }
                // SAFETY: all are ours alone for the time.
                unsafe { pqsoc_sha256_compress(&mut value, state, &mut w) };
                frame[5] = frame[5].wrapping_add(1 << 16);
            }
            w.zeroize();
            for (to, word) in node.as_chunks_mut().0.iter_mut().zip(value) {
                *to = word.to_be_bytes();
            }
        }
    }
}
