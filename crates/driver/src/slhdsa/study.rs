//! One hash, one round trip.
use pqsoc_slhdsa::engine::{Engine, Node};
use pqsoc_slhdsa::{Address, Input, Params};

use super::common::{Key, Outcome, failed, gather};
use crate::accelerator::Accelerator;
use crate::error::Error;
use crate::hash::Hash;
use crate::platform::Platform;

/// An engine that has each hash done by the fabric, with its input and output through the DMA.
pub struct Study<'a, P> {
    accelerator: &'a mut Accelerator<P>,
    key: Key,
}

impl<'a, P: Platform> Study<'a, P> {
    /// An engine without a key; every operation begins with one.
    pub fn new(accelerator: &'a mut Accelerator<P>) -> Self {
        Self { accelerator, key: Key::NONE }
    }

    /// A tweakable hash of `parts`: F, H and PRF of FIPS 205, section 11.1.
    fn hash(&mut self, address: &Address, parts: [&[u8]; 2], out: &mut Node) -> Outcome {
        let [first, second] = parts;
        let pieces = [self.key.pk_seed(), address.as_bytes(), first, second];
        let sent = gather(self.accelerator.outgoing().map_err(failed)?.bytes_mut(), pieces);
        let digest = self.accelerator.digest(sent, self.key.n).map_err(failed)?;
        for (to, from) in out.iter_mut().zip(digest) {
            *to = *from;
        }
        Ok(())
    }
}

impl<P: Platform> Engine for Study<'_, P> {
    type Error = Error;
    type Lanes<T: Copy> = [T; 1];
    type Thash = Hash;

    fn begin(&mut self, params: &'static Params, pk_seed: &[u8], sk_seed: &[u8]) -> Outcome {
        self.key.begin(params, pk_seed, sk_seed)
    }

    fn prf_msg(&mut self, sk_prf: &[u8], opt_rand: &[u8], message: &dyn Input, r: &mut Node) -> Outcome {
        self.key.prf_msg(self.accelerator, sk_prf, opt_rand, message, r)
    }

    fn h_msg(&mut self, r: &Node, pk_root: &[u8], message: &dyn Input, digest: &mut [u8]) -> Outcome {
        self.key.h_msg(self.accelerator, r, pk_root, message, digest)
    }

    fn prf(&mut self, addresses: &[Address], out: &mut [Node]) -> Outcome {
        for (address, out) in addresses.iter().zip(out) {
            let mut sk_seed = [0; 32];
            let length = gather(&mut sk_seed, [self.key.sk_seed()]);
            let outcome = self.hash(address, [sk_seed.get(..length).unwrap_or_default(), &[]], out);
            zeroize::Zeroize::zeroize(&mut sk_seed);
            outcome?;
        }
        Ok(())
    }

    fn f(&mut self, addresses: &[Address], nodes: &mut [Node]) -> Outcome {
        for (address, node) in addresses.iter().zip(nodes) {
            let from = *node;
            let length = self.key.n;
            self.hash(address, [from.get(..length).unwrap_or_default(), &[]], node)?;
        }
        Ok(())
    }

    fn h(&mut self, addresses: &[Address], left: &mut [Node], right: &[Node]) -> Outcome {
        for ((address, left), right) in addresses.iter().zip(left).zip(right) {
            let from = *left;
            let length = self.key.n;
            let [from, right] = [&from, right].map(|node| node.get(..length).unwrap_or_default());
            self.hash(address, [from, right], left)?;
        }
        Ok(())
    }

    fn tl_start(&mut self, thash: &mut Hash, addresses: &[Address]) -> Outcome {
        addresses.iter().take(1).try_for_each(|address| self.key.tl_start(self.accelerator, thash, address))
    }

    fn tl_absorb(&mut self, thash: &mut Hash, nodes: &[Node]) -> Outcome {
        nodes.iter().take(1).try_for_each(|node| self.key.tl_absorb(self.accelerator, thash, node))
    }

    fn tl_finish(&mut self, thash: &mut Hash, out: &mut [Node]) -> Outcome {
        out.iter_mut().take(1).try_for_each(|out| self.key.tl_finish(self.accelerator, thash, out))
    }
}
