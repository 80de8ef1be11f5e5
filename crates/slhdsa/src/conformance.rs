//! The test that every engine passes.
use crate::address::{Address, AddressType};
use crate::digits::Digits;
use crate::engine::{Engine, Lanes, Node, Sha2, Shake, Subtree, WotsSignature};
use crate::error::Error;
use crate::params::{Family, MAX_HEIGHT, MAX_N, Params};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Debug;
use pqsoc_keccak::Shake256;
use pqsoc_message::Message;

/// Compares every operation of `engine` with the engines that hash one at a time, in every number of lanes, over
/// addresses, nodes, seeds, messages, parts of trees and signatures that look random.
///
/// # Panics
/// At the first difference.
pub fn conformance<E: Engine>(engine: &mut E, params: &'static Params)
where
    Error<E::Error>: Debug,
{
    match params.family {
        Family::Sha2 => Comparison { engine, reference: Sha2::new(), params, draws: 0 }.run(),
        Family::Shake => Comparison { engine, reference: Shake::new(), params, draws: 0 }.run(),
    }
}

struct Comparison<'a, E, R> {
    engine: &'a mut E,
    reference: R,
    params: &'static Params,
    draws: u64,
}

impl<E: Engine, R: Engine> Comparison<'_, E, R>
where
    Error<E::Error>: Debug,
    Error<R::Error>: Debug,
{
    fn run(mut self) {
        let lanes = <E::Lanes<Node>>::COUNT;
        // A second key, so that nothing is left of the first.
        for _ in 0..2 {
            let (pk_seed, sk_seed) = (self.bytes(self.params.n), self.bytes(self.params.n));
            self.engine.begin(self.params, &pk_seed, &sk_seed).unwrap();
            self.reference.begin(self.params, &pk_seed, &sk_seed).unwrap();
            for count in 1..=lanes {
                self.small(count);
            }
        }
        self.messages();
        self.wots(lanes);
        self.trees();
        self.fors_signature();
    }

    fn bytes(&mut self, len: usize) -> Vec<u8> {
        self.draws += 1;
        let mut out = vec![0; len];
        Shake256::digest(&[&self.draws.to_le_bytes()], &mut out);
        out
    }

    fn node(&mut self) -> Node {
        self.bytes(MAX_N).try_into().unwrap()
    }

    fn nodes(&mut self, count: usize) -> Vec<Node> {
        (0..count).map(|_| self.node()).collect()
    }

    fn address(&mut self, kind: AddressType) -> Address {
        let mut bytes: [u8; 32] = self.bytes(32).try_into().unwrap();
        // What the compressed address has no room for is zero in every address.
        bytes[..3].fill(0);
        bytes[4..8].fill(0);
        bytes[16..20].copy_from_slice(&(kind as u32).to_be_bytes());
        Address::from_bytes(bytes)
    }

    fn addresses(&mut self, kind: AddressType, count: usize) -> Vec<Address> {
        (0..count).map(|_| self.address(kind)).collect()
    }

    /// Compares the n bytes of each node that count.
    fn same(&self, what: &str, found: &[Node], expected: &[Node]) {
        let cut =
            |nodes: &[Node]| nodes.iter().map(|node| node[..self.params.n].to_vec()).collect::<Vec<_>>();
        assert_eq!(cut(found), cut(expected), "{}: {what}, {} lanes", self.params, found.len());
    }

    fn small(&mut self, count: usize) {
        let addresses = self.addresses(AddressType::ForsTree, count);
        let (mut found, right) = (self.nodes(count), self.nodes(count));
        let mut expected = found.clone();
        self.engine.f(&addresses, &mut found).unwrap();
        self.reference_f(&addresses, &mut expected);
        self.same("F", &found, &expected);

        self.engine.h(&addresses, &mut found, &right).unwrap();
        for ((address, left), right) in addresses.iter().zip(&mut expected).zip(&right) {
            self.reference.h(&[*address], core::slice::from_mut(left), &[*right]).unwrap();
        }
        self.same("H", &found, &expected);

        self.engine.prf(&addresses, &mut found).unwrap();
        for (address, node) in addresses.iter().zip(&mut expected) {
            self.reference.prf(&[*address], core::slice::from_mut(node)).unwrap();
        }
        self.same("PRF", &found, &expected);

        for length in [1, 2, 3, self.params.k, self.params.len()] {
            let inputs: Vec<Vec<Node>> = (0..length).map(|_| self.nodes(count)).collect();
            let mut thash = E::Thash::default();
            self.engine.tl_start(&mut thash, &addresses).unwrap();
            for nodes in &inputs {
                self.engine.tl_absorb(&mut thash, nodes).unwrap();
            }
            self.engine.tl_finish(&mut thash, &mut found).unwrap();
            for (lane, node) in expected.iter_mut().enumerate() {
                let mut thash = R::Thash::default();
                self.reference.tl_start(&mut thash, &[addresses[lane]]).unwrap();
                for nodes in &inputs {
                    self.reference.tl_absorb(&mut thash, &[nodes[lane]]).unwrap();
                }
                self.reference.tl_finish(&mut thash, core::slice::from_mut(node)).unwrap();
            }
            self.same("T_l", &found, &expected);
        }

        for steps in [0, 1, 2, self.params.w() - 1] {
            let mut addresses = self.addresses(AddressType::WotsHash, count);
            for (lane, address) in (0..).zip(&mut addresses) {
                address.set_hash(250 + lane);
            }
            let mut single = addresses.clone();
            self.engine.chain(&mut addresses, steps, &mut found).unwrap();
            for _ in 0..steps {
                self.reference_f(&single, &mut expected);
                for address in &mut single {
                    address.set_hash(address.hash() + 1);
                }
            }
            self.same("chain", &found, &expected);
            assert_eq!(addresses, single);
        }
    }

    fn reference_f(&mut self, addresses: &[Address], nodes: &mut [Node]) {
        for (address, node) in addresses.iter().zip(nodes) {
            self.reference.f(&[*address], core::slice::from_mut(node)).unwrap();
        }
    }

    fn messages(&mut self) {
        let n = self.params.n;
        // Around the ends of blocks, with what comes before the message and the padding.
        for length in (0..=300).chain([1000]) {
            let (message, key, rand) = (self.bytes(length), self.bytes(n), self.bytes(n));
            let message = Message::internal(&message);
            let (mut found, mut expected) = ([0; MAX_N], [0; MAX_N]);
            self.engine.prf_msg(&key, &rand, &message, &mut found).unwrap();
            self.reference.prf_msg(&key, &rand, &message, &mut expected).unwrap();
            self.same("PRF_msg", &[found], &[expected]);
            let (mut digest, mut expected) = (vec![0; self.params.m()], vec![0; self.params.m()]);
            self.engine.h_msg(&found, &key, &message, &mut digest).unwrap();
            self.reference.h_msg(&found, &key, &message, &mut expected).unwrap();
            assert_eq!(digest, expected, "{}: H_msg", self.params);
        }
    }

    fn wots(&mut self, lanes: usize) {
        let mut leaves = self.addresses(AddressType::WotsHash, lanes);
        for leaf in &mut leaves {
            leaf.set_chain(0);
            leaf.set_hash(0);
        }
        for message in [self.node(), [0; MAX_N], [0xff; MAX_N]] {
            for signer in [0, lanes - 1] {
                let (mut found, mut expected) = (vec![[0; MAX_N]; lanes], vec![[0; MAX_N]; lanes]);
                let (mut signature, mut expected_signature) = (Vec::new(), Vec::new());
                let sign = Some((signer, Digits::new(self.params, &message), &mut signature as _));
                self.engine.wots_pk(self.params, &mut leaves.clone(), sign, &mut found).unwrap();
                for (lane, node) in expected.iter_mut().enumerate() {
                    let sink = &mut expected_signature as _;
                    let sign = (lane == signer).then(|| (0, Digits::new(self.params, &message), sink));
                    let node = core::slice::from_mut(node);
                    self.reference.wots_pk(self.params, &mut [leaves[lane]], sign, node).unwrap();
                }
                self.same("WOTS+ public keys", &found, &expected);
                assert_eq!(signature, expected_signature, "{}: WOTS+ signature", self.params);
                let mut recovered = [0; MAX_N];
                let leaf = &leaves[signer];
                self.engine
                    .wots_pk_from_sig(self.params, leaf, &message, &mut &*signature, &mut recovered)
                    .unwrap();
                self.same("WOTS+ public key from a signature", &[recovered], &[expected[signer]]);
                let short = self.engine.wots_pk_from_sig(
                    self.params,
                    leaf,
                    &message,
                    &mut &signature[1..],
                    &mut recovered,
                );
                assert!(matches!(short, Err(Error::SignatureTooShort { .. })));
            }
        }
    }

    fn trees(&mut self) {
        let address = self.address(AddressType::WotsHash);
        let message = self.node();
        for height in 0..=self.params.hp().min(4) {
            let part = Subtree { first: 3 << height, height };
            for leaf in [None, Some(0), Some(part.first), Some(part.first + (1 << height) - 1)] {
                let mut found = TreeResult::new();
                let mut expected = TreeResult::new();
                found.xmss(self.engine, self.params, &address, part, leaf, &message);
                expected.xmss(&mut self.reference, self.params, &address, part, leaf, &message);
                self.same_tree(&found, &expected, part, leaf);
            }
        }
        for height in 0..=self.params.a.min(7) {
            let part = Subtree { first: 5 << height, height };
            let some = part.first + (self.draws as u32 & ((1 << height) - 1));
            for leaf in [None, Some(0), Some(part.first), Some(some)] {
                let mut found = TreeResult::new();
                let mut expected = TreeResult::new();
                found.fors(self.engine, self.params, &address, part, leaf);
                expected.fors(&mut self.reference, self.params, &address, part, leaf);
                self.same_tree(&found, &expected, part, leaf);
            }
        }
    }

    fn same_tree(&self, found: &TreeResult, expected: &TreeResult, part: Subtree, leaf: Option<u32>) {
        self.same("root", &[found.root], &[expected.root]);
        if leaf.is_some_and(|leaf| leaf >> part.height == part.first >> part.height) {
            self.same("path", &found.path[..part.height], &expected.path[..part.height]);
        } else {
            assert!(found.signature.is_empty());
        }
        assert_eq!(found.signature, expected.signature, "{}: WOTS+ signature in a tree", self.params);
        assert_eq!(found.leaves, 1 << part.height, "{}: progress", self.params);
    }

    fn fors_signature(&mut self) {
        let address = self.address(AddressType::ForsTree);
        let signature = self.bytes(self.params.k * (1 + self.params.a) * self.params.n);
        let leaves = self.bytes(4 * self.params.k);
        let params = self.params;
        let leaves = || {
            let bytes = leaves.chunks(4).map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap()));
            (0..).zip(bytes).map(|(tree, bits)| (tree << params.a) + bits % (1 << params.a))
        };
        let (mut found, mut expected) = ([0; MAX_N], [0; MAX_N]);
        self.engine.fors_pk_from_sig(params, &address, &mut leaves(), &mut &*signature, &mut found).unwrap();
        self.reference
            .fors_pk_from_sig(params, &address, &mut leaves(), &mut &*signature, &mut expected)
            .unwrap();
        self.same("FORS public key", &[found], &[expected]);
        let short =
            self.engine.fors_pk_from_sig(params, &address, &mut leaves(), &mut &signature[1..], &mut found);
        assert!(matches!(short, Err(Error::SignatureTooShort { .. })));
    }
}

/// What an operation on a tree gives.
struct TreeResult {
    root: Node,
    path: [Node; MAX_HEIGHT],
    signature: Vec<u8>,
    leaves: u32,
}

impl TreeResult {
    fn new() -> Self {
        Self { root: [0; MAX_N], path: [[0; MAX_N]; MAX_HEIGHT], signature: Vec::new(), leaves: 0 }
    }

    fn xmss<E: Engine>(
        &mut self,
        engine: &mut E,
        params: &'static Params,
        address: &Address,
        part: Subtree,
        leaf: Option<u32>,
        message: &Node,
    ) where
        Error<E::Error>: Debug,
    {
        let sign = leaf.map(|leaf| WotsSignature { leaf, message, sink: &mut self.signature });
        let mut progress = |leaves| self.leaves += leaves;
        let (path, root) = (&mut self.path, &mut self.root);
        engine.xmss_tree(params, address, part, sign, path, root, &mut progress).unwrap();
    }

    fn fors<E: Engine>(
        &mut self,
        engine: &mut E,
        params: &'static Params,
        address: &Address,
        part: Subtree,
        leaf: Option<u32>,
    ) where
        Error<E::Error>: Debug,
    {
        let mut progress = |leaves| self.leaves += leaves;
        let (path, root) = (&mut self.path, &mut self.root);
        engine.fors_tree(params, address, part, leaf, path, root, &mut progress).unwrap();
    }
}
