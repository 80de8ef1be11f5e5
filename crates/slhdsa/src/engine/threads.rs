//! Trees on all processors.
use super::{Auto, Engine, Node, Outcome, Subtree, WotsSignature};
use crate::address::{Address, AddressType};
use crate::error::Error;
use crate::params::{MAX_N, Params};
use crate::stream::{Input, Sink, Source};
use core::convert::Infallible;
use core::slice::from_mut;
use rayon::prelude::*;
use std::vec;
use std::vec::Vec;
use zeroize::Zeroizing;

/// Height of the least part of an XMSS tree that is worth a task: some thousand hashes.
const XMSS_PART: usize = 3;
/// The same for FORS trees, whose leaves are three hashes each.
const FORS_PART: usize = 9;
/// Parts that are given out at once, before the caller is told of them.
const PARTS_LOG: usize = 6;
/// Levels that a part may have above the least, when there are many.
const MORE: usize = 5;

/// [`Auto`] on all threads of rayon's pool: parts of trees are built at the same time.
#[derive(Default)]
pub struct Threads {
    engine: Auto,
    key: Option<Key>,
}

/// What [`Engine::begin`] was given, for the engines of the other threads.
struct Key {
    params: &'static Params,
    pk_seed: Vec<u8>,
    sk_seed: Zeroizing<Vec<u8>>,
}

impl Key {
    fn engine(&self) -> Outcome<Auto, Auto> {
        let mut engine = Auto::new();
        engine.begin(self.params, &self.pk_seed, &self.sk_seed)?;
        Ok(engine)
    }
}

/// What a task made of its part.
struct Built {
    root: Node,
    path: Vec<Node>,
    signature: Vec<u8>,
}

impl Built {
    /// Nothing yet, of a part of that height.
    fn new(height: usize) -> Self {
        Self { root: [0; MAX_N], path: vec![[0; MAX_N]; height], signature: Vec::new() }
    }
}

/// A tree that is built in parts.
struct Job<'a> {
    /// All but height and index.
    address: Address,
    part: Subtree,
    /// Height of the parts.
    height: usize,
    /// The leaf whose path is wanted.
    target: Option<u32>,
    /// Takes what the part with that leaf has for a signature.
    sink: Option<&'a mut dyn Sink>,
}

impl Threads {
    /// An engine without a key; every operation begins with one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts the node above all parts, which `build` makes, into `root`, with `path` as in a whole tree.
    fn in_parts(
        &mut self,
        job: Job<'_>,
        path: &mut [Node],
        root: &mut Node,
        progress: &mut dyn FnMut(u32),
        build: impl Fn(&mut Auto, Subtree, &mut Built) -> Outcome<Auto> + Sync,
    ) -> Outcome<Self> {
        let Job { mut address, part, height, target, mut sink } = job;
        let key = self.key.as_ref().ok_or(Error::Stopped)?;
        let firsts: Vec<u32> = (0..1 << (part.height - height)).map(|i| part.first + (i << height)).collect();
        let mut nodes = Vec::with_capacity(firsts.len());
        for wave in firsts.chunks(1 << PARTS_LOG) {
            let built: Result<Vec<Built>, Error> = wave
                .par_iter()
                .map_init(
                    || key.engine(),
                    |engine, &first| {
                        let engine = engine.as_mut().map_err(|error| *error)?;
                        let mut built = Built::new(height);
                        build(engine, Subtree { first, height }, &mut built)?;
                        Ok(built)
                    },
                )
                .collect();
            for (first, built) in wave.iter().zip(built?) {
                nodes.push(built.root);
                if target.is_some_and(|leaf| leaf >> height == first >> height) {
                    path[..height].copy_from_slice(&built.path);
                    if let Some(sink) = &mut sink {
                        sink.write(&built.signature)?;
                    }
                }
            }
            progress((wave.len() << height) as u32);
        }
        for z in height..part.height {
            if let Some(leaf) = target
                && let Some(node) = nodes.get(((leaf.wrapping_sub(part.first) >> z) ^ 1) as usize)
            {
                path[z] = *node;
            }
            address.set_tree_height(z as u32 + 1);
            for i in 0..nodes.len() / 2 {
                address.set_tree_index((part.first >> (z + 1)) + i as u32);
                nodes[i] = nodes[2 * i];
                let right = nodes[2 * i + 1];
                self.engine.h(&[address], from_mut(&mut nodes[i]), &[right])?;
            }
            nodes.truncate(nodes.len() / 2);
        }
        *root = nodes[0];
        Ok(())
    }
}

/// Height of the parts of a tree of height `height`, of which the least is `least`.
fn part_height(height: usize, least: usize) -> usize {
    height.saturating_sub(PARTS_LOG).clamp(least, least + MORE).min(height)
}

impl Engine for Threads {
    type Error = Infallible;
    type Lanes<T: Copy> = [T; 1];
    type Thash = <Auto as Engine>::Thash;

    fn begin(&mut self, params: &'static Params, pk_seed: &[u8], sk_seed: &[u8]) -> Outcome<Self> {
        let (pk, sk) = (pk_seed.to_vec(), Zeroizing::new(sk_seed.to_vec()));
        self.key = Some(Key { params, pk_seed: pk, sk_seed: sk });
        self.engine.begin(params, pk_seed, sk_seed)
    }

    fn prf_msg(
        &mut self,
        sk_prf: &[u8],
        opt_rand: &[u8],
        message: &dyn Input,
        r: &mut Node,
    ) -> Outcome<Self> {
        self.engine.prf_msg(sk_prf, opt_rand, message, r)
    }

    fn h_msg(&mut self, r: &Node, pk_root: &[u8], message: &dyn Input, digest: &mut [u8]) -> Outcome<Self> {
        self.engine.h_msg(r, pk_root, message, digest)
    }

    fn prf(&mut self, addresses: &[Address], out: &mut [Node]) -> Outcome<Self> {
        self.engine.prf(addresses, out)
    }

    fn f(&mut self, addresses: &[Address], nodes: &mut [Node]) -> Outcome<Self> {
        self.engine.f(addresses, nodes)
    }

    fn h(&mut self, addresses: &[Address], left: &mut [Node], right: &[Node]) -> Outcome<Self> {
        self.engine.h(addresses, left, right)
    }

    fn tl_start(&mut self, thash: &mut Self::Thash, addresses: &[Address]) -> Outcome<Self> {
        self.engine.tl_start(thash, addresses)
    }

    fn tl_absorb(&mut self, thash: &mut Self::Thash, nodes: &[Node]) -> Outcome<Self> {
        self.engine.tl_absorb(thash, nodes)
    }

    fn tl_finish(&mut self, thash: &mut Self::Thash, out: &mut [Node]) -> Outcome<Self> {
        self.engine.tl_finish(thash, out)
    }

    fn wots_pk_from_sig(
        &mut self,
        params: &'static Params,
        address: &Address,
        message: &Node,
        signature: &mut dyn Source,
        out: &mut Node,
    ) -> Outcome<Self> {
        self.engine.wots_pk_from_sig(params, address, message, signature, out)
    }

    fn fors_pk_from_sig(
        &mut self,
        params: &'static Params,
        address: &Address,
        leaves: &mut dyn Iterator<Item = u32>,
        signature: &mut dyn Source,
        out: &mut Node,
    ) -> Outcome<Self> {
        self.engine.fors_pk_from_sig(params, address, leaves, signature, out)
    }

    fn xmss_tree(
        &mut self,
        params: &'static Params,
        address: &Address,
        part: Subtree,
        sign: Option<WotsSignature<'_>>,
        path: &mut [Node],
        root: &mut Node,
        progress: &mut dyn FnMut(u32),
    ) -> Outcome<Self> {
        let height = part_height(part.height, XMSS_PART);
        let (job, sink) = match sign {
            Some(WotsSignature { leaf, message, sink }) => (Some((leaf, *message)), Some(sink)),
            None => (None, None),
        };
        let tree = address.with_type(AddressType::Tree);
        let target = job.map(|(leaf, _)| leaf);
        let tree = Job { address: tree, part, height, target, sink };
        self.in_parts(tree, path, root, progress, |engine, part, built| {
            let Built { root, path, signature } = built;
            let sign =
                job.as_ref().map(|(leaf, message)| WotsSignature { leaf: *leaf, message, sink: signature });
            engine.xmss_tree(params, address, part, sign, path, root, &mut |_| {})
        })
    }

    fn fors_tree(
        &mut self,
        params: &'static Params,
        address: &Address,
        part: Subtree,
        leaf: Option<u32>,
        path: &mut [Node],
        root: &mut Node,
        progress: &mut dyn FnMut(u32),
    ) -> Outcome<Self> {
        let height = part_height(part.height, FORS_PART);
        let tree = address.with_type_and_key_pair(AddressType::ForsTree);
        let tree = Job { address: tree, part, height, target: leaf, sink: None };
        self.in_parts(tree, path, root, progress, |engine, part, Built { root, path, .. }| {
            engine.fors_tree(params, address, part, leaf, path, root, &mut |_| {})
        })
    }
}
