//! Key generation, signing and verification: FIPS 205, sections 7 to 9.
use crate::address::{Address, AddressType};
use crate::digits::fors_indices;
use crate::engine::{Engine, Node, Outcome, Subtree, WotsSignature};
use crate::error::Error;
use crate::keys::{Progress, SigningKey, VerifyingKey};
use crate::params::{MAX_HEIGHT, MAX_M, MAX_N, Params};
use crate::stream::{Input, Sink, Source, read_node};
use core::slice::{from_mut, from_ref};

/// PK.root of the seeds of `key`. FIPS 205, algorithm 18, lines 1 to 3.
pub(crate) fn root<E: Engine>(
    key: &SigningKey,
    engine: &mut E,
    progress: &mut Progress<'_>,
) -> Outcome<E, Node> {
    let params = key.params();
    engine.begin(params, key.pk_seed(), key.sk_seed())?;
    let mut work = Work::new(params, 1, 0, progress);
    let whole = Subtree { first: 0, height: params.hp() };
    let mut path = [[0; MAX_N]; MAX_HEIGHT];
    let top = Address::new(params.d as u32 - 1, 0);
    engine.xmss_tree(params, &top, whole, None, &mut path, &mut |leaves| work.xmss_leaves(leaves))
}

/// FIPS 205, algorithm 19: slh_sign_internal, to a sink. `randomness` is addrnd; without it, opt_rand is PK.seed.
pub(crate) fn sign<E: Engine>(
    key: &SigningKey,
    engine: &mut E,
    message: &dyn Input,
    randomness: Option<&[u8]>,
    signature: &mut dyn Sink,
    progress: &mut Progress<'_>,
) -> Outcome<E> {
    let params = key.params();
    let opt_rand = randomness.unwrap_or(key.pk_seed());
    if opt_rand.len() != params.n {
        return Err(Error::Length { expected: params.n, found: opt_rand.len() });
    }
    engine.begin(params, key.pk_seed(), key.sk_seed())?;
    let mut node = [0; MAX_N];
    engine.prf_msg(key.sk_prf(), opt_rand, message, &mut node)?;
    signature.write(params.node(&node))?;
    let selection = Selection::of(params, engine, &node, key.pk_root(), message)?;

    let mut work = Work::new(params, params.d, params.k, progress);
    node = fors_sign(params, engine, &selection, signature, &mut work)?;
    for (layer, Place { tree, leaf }) in selection.places(params) {
        node = xmss_sign(params, engine, &Address::new(layer, tree), leaf, &node, signature, &mut work)?;
    }
    Ok(())
}

/// FIPS 205, algorithm 20: slh_verify_internal, from a source.
pub(crate) fn verify<E: Engine>(
    key: &VerifyingKey,
    engine: &mut E,
    message: &dyn Input,
    signature: &mut dyn Source,
) -> Outcome<E> {
    let params = key.params();
    engine.begin(params, key.seed(), &[])?;
    let r = read_node(params, signature)?;
    let selection = Selection::of(params, engine, &r, key.root(), message)?;

    let mut node = [0; MAX_N];
    let mut leaves = selection.fors_leaves(params);
    engine.fors_pk_from_sig(params, &selection.fors_address(), &mut leaves, signature, &mut node)?;
    for (layer, Place { tree, leaf }) in selection.places(params) {
        node = xmss_pk_from_sig(params, engine, &Address::new(layer, tree), leaf, &node, signature)?;
    }
    if signature.read(&mut [0])? != 0 {
        return Err(Error::SignatureTooLong { expected: params.signature_len() });
    }
    // All of it is public: no need of constant time.
    if params.node(&node) == key.root() { Ok(()) } else { Err(Error::Signature) }
}

/// A leaf of the hypertree's lowest layer, or of a tree on the way from there to the top.
struct Place {
    tree: u64,
    leaf: u32,
}

/// What the digest of a message selects. FIPS 205, algorithm 19, lines 6 to 10.
struct Selection {
    digest: [u8; MAX_M],
    bottom: Place,
}

impl Selection {
    #[inline(never)]
    fn of<E: Engine>(
        params: &Params,
        engine: &mut E,
        r: &Node,
        pk_root: &[u8],
        message: &dyn Input,
    ) -> Outcome<E, Self> {
        let mut digest = [0; MAX_M];
        engine.h_msg(r, pk_root, message, digest.get_mut(..params.m()).unwrap_or_default())?;
        let number = |at: usize, len: usize, bits: usize| {
            let bytes = digest.iter().skip(at).take(len);
            let value = bytes.fold(0, |value, &byte| (value << 8) | u64::from(byte));
            value & 1u64.checked_shl(bits as u32).unwrap_or(0).wrapping_sub(1)
        };
        let tree_at = params.md_len();
        let tree = number(tree_at, params.tree_index_len(), params.h - params.hp());
        let leaf = number(tree_at + params.tree_index_len(), params.leaf_index_len(), params.hp()) as u32;
        Ok(Self { digest, bottom: Place { tree, leaf } })
    }

    /// The leaf of each FORS tree, numbered through all of them. FIPS 205, algorithm 16, line 2.
    fn fors_leaves<'a>(&'a self, params: &'a Params) -> impl Iterator<Item = u32> + 'a {
        (0u32..).zip(fors_indices(params, &self.digest)).map(|(tree, index)| (tree << params.a) + index)
    }

    /// The address of the FORS trees, without a type. FIPS 205, algorithm 19, lines 11 to 14.
    fn fors_address(&self) -> Address {
        let mut address = Address::new(0, self.bottom.tree);
        address.set_key_pair(self.bottom.leaf);
        address
    }

    /// Layers from the bottom up, with the tree and the leaf in it. FIPS 205, algorithm 12, lines 6 to 10.
    fn places(&self, params: &Params) -> impl Iterator<Item = (u32, Place)> + use<> {
        let Place { mut tree, mut leaf } = self.bottom;
        let hp = params.hp() as u32;
        (0..params.d as u32).map(move |layer| {
            let place = Place { tree, leaf };
            leaf = (tree & ((1 << hp) - 1)) as u32;
            tree >>= hp;
            (layer, place)
        })
    }
}

/// Signs the selected leaves and returns the FORS public key. FIPS 205, algorithms 16 and 17: as the roots are
/// computed on the way to the signature, nothing is computed from the signature again.
#[inline(never)]
fn fors_sign<E: Engine>(
    params: &'static Params,
    engine: &mut E,
    selection: &Selection,
    signature: &mut dyn Sink,
    work: &mut Work<'_, '_>,
) -> Outcome<E, Node> {
    let address = selection.fors_address();
    let mut thash = E::Thash::default();
    engine.tl_start(&mut thash, &[address.with_type_and_key_pair(AddressType::ForsRoots)])?;
    let mut path = [[0; MAX_N]; MAX_HEIGHT];
    for leaf in selection.fors_leaves(params) {
        let mut secret = address.with_type_and_key_pair(AddressType::ForsPrf);
        secret.set_tree_index(leaf);
        let mut node = [0; MAX_N];
        engine.prf(&[secret], from_mut(&mut node))?;
        signature.write(params.node(&node))?;

        let whole = Subtree { first: leaf >> params.a << params.a, height: params.a };
        let root = engine.fors_tree(params, &address, whole, Some(leaf), &mut path, &mut |leaves| {
            work.fors_leaves(leaves)
        })?;
        for node in path.iter().take(params.a) {
            signature.write(params.node(node))?;
        }
        engine.tl_absorb(&mut thash, &[root])?;
    }
    let mut node = [0; MAX_N];
    engine.tl_finish(&mut thash, from_mut(&mut node))?;
    Ok(node)
}

/// Signs `message` with a leaf of an XMSS tree and returns the tree's root, which xmss_pkFromSig would compute again.
/// FIPS 205, algorithm 10.
#[inline(never)]
fn xmss_sign<E: Engine>(
    params: &'static Params,
    engine: &mut E,
    address: &Address,
    leaf: u32,
    message: &Node,
    signature: &mut dyn Sink,
    work: &mut Work<'_, '_>,
) -> Outcome<E, Node> {
    let mut path = [[0; MAX_N]; MAX_HEIGHT];
    let whole = Subtree { first: 0, height: params.hp() };
    let sign = WotsSignature { leaf, message, sink: &mut *signature };
    let root = engine
        .xmss_tree(params, address, whole, Some(sign), &mut path, &mut |leaves| work.xmss_leaves(leaves))?;
    for node in path.iter().take(params.hp()) {
        signature.write(params.node(node))?;
    }
    Ok(root)
}

/// FIPS 205, algorithm 11: xmss_pkFromSig.
#[inline(never)]
fn xmss_pk_from_sig<E: Engine>(
    params: &'static Params,
    engine: &mut E,
    address: &Address,
    leaf: u32,
    message: &Node,
    signature: &mut dyn Source,
) -> Outcome<E, Node> {
    let mut wots = address.with_type(AddressType::WotsHash);
    wots.set_key_pair(leaf);
    let mut node = [0; MAX_N];
    engine.wots_pk_from_sig(params, &wots, message, signature, &mut node)?;
    let tree = address.with_type(AddressType::Tree);
    climb(params, engine, tree, leaf, params.hp(), &mut node, signature)?;
    Ok(node)
}

/// From a leaf to the node `height` above it, with the nodes beside the way read from the signature. FIPS 205,
/// algorithm 11, lines 7 to 18, and algorithm 17, lines 7 to 18.
fn climb<E: Engine>(
    params: &Params,
    engine: &mut E,
    mut address: Address,
    leaf: u32,
    height: usize,
    node: &mut Node,
    signature: &mut dyn Source,
) -> Outcome<E> {
    for z in 0..height {
        address.set_tree_height(z as u32 + 1);
        address.set_tree_index(leaf >> (z + 1));
        let mut beside = read_node(params, signature)?;
        if (leaf >> z) & 1 == 0 {
            engine.h(&[address], from_mut(node), from_ref(&beside))?;
        } else {
            engine.h(&[address], from_mut(&mut beside), from_ref(node))?;
            *node = beside;
        }
    }
    Ok(())
}

/// Counts the hashes of leaves, by far most of the work, for the progress of an operation.
struct Work<'a, 'b> {
    progress: &'a mut Progress<'b>,
    xmss_leaf: u64,
    done: u64,
    total: u64,
}

/// Hashes of a FORS leaf and its share of the tree: PRF, F and H.
const FORS_LEAF: u64 = 3;

impl<'a, 'b> Work<'a, 'b> {
    fn new(params: &Params, xmss_trees: usize, fors_trees: usize, progress: &'a mut Progress<'b>) -> Self {
        let xmss_leaf = params.len() as u64 * u64::from(params.w());
        let total =
            ((xmss_trees as u64) << params.hp()) * xmss_leaf + ((fors_trees as u64) << params.a) * FORS_LEAF;
        Self { progress, xmss_leaf, done: 0, total }
    }

    fn xmss_leaves(&mut self, leaves: u32) {
        self.add(u64::from(leaves) * self.xmss_leaf);
    }

    fn fors_leaves(&mut self, leaves: u32) {
        self.add(u64::from(leaves) * FORS_LEAF);
    }

    fn add(&mut self, hashes: u64) {
        self.done += hashes;
        (self.progress)(self.done, self.total);
    }
}
