//! Key generation, signing and verification: FIPS 205, sections 7 to 9.
use crate::address::{Address, AddressType};
use crate::digits::fors_indices;
use crate::engine::{Engine, Node, Outcome, Subtree, WotsSignature, from_sig};
use crate::error::Error;
use crate::keys::{Progress, SigningKey, VerifyingKey};
use crate::params::{MAX_HEIGHT, MAX_M, MAX_N, Params};
use crate::stream::{Input, Sink, Source, read_node};

/// Puts PK.root of PK.seed and SK.seed into `root`. FIPS 205, algorithm 18, lines 1 to 3.
#[inline(never)] // callers' copies of keys are not on the stack with it
pub(crate) fn root<E: Engine>(
    params: &'static Params,
    engine: &mut E,
    pk_seed: &[u8],
    sk_seed: &[u8],
    root: &mut Node,
    progress: &mut Progress<'_>,
) -> Outcome<E> {
    engine.begin(params, pk_seed, sk_seed)?;
    let mut work = Work::new(params, 1, 0, progress);
    let whole = Subtree { first: 0, height: params.hp() };
    let top = Address::new(params.d as u32 - 1, 0);
    with_room(params.hp(), &mut |path| {
        engine.xmss_tree(params, &top, whole, None, path, root, &mut |leaves| work.xmss_leaves(leaves))
    })
}

/// FIPS 205, algorithm 19: slh_sign_internal, to a sink. `randomness` is addrnd; without it, opt_rand is PK.seed.
#[inline(never)] // as above
pub(crate) fn sign<E: Engine>(
    key: &SigningKey,
    engine: &mut E,
    message: &dyn Input,
    randomness: Option<&[u8]>,
    sink: &mut dyn Sink,
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
    sink.write(params.node(&node))?;
    let mut selection = Selection::default();
    selection.choose(params, engine, &node, key.pk_root(), message)?;

    let mut work = Work::new(params, params.d, params.k, progress);
    with_room(params.a.max(params.hp()), &mut |path| {
        let mut signing = Signing { params, engine: &mut *engine, sink: &mut *sink, path, work: &mut work };
        signing.fors(&selection, &mut node)?;
        for (layer, place) in selection.places(params) {
            let message = node;
            signing.layer(&Address::new(layer, place.tree), place.leaf, &message, &mut node)?;
        }
        Ok(())
    })
}

/// Gives `work` room for `height` nodes on the stack, in one of a few sizes: low trees need little.
fn with_room<T>(height: usize, work: &mut dyn FnMut(&mut [Node]) -> T) -> T {
    #[inline(never)] // else the largest counts
    fn room<const NODES: usize, T>(work: &mut dyn FnMut(&mut [Node]) -> T) -> T {
        work(&mut [[0; MAX_N]; NODES])
    }
    match height {
        0..=6 => room::<6, T>(work),
        7..=9 => room::<9, T>(work),
        10..=12 => room::<12, T>(work),
        _ => room::<MAX_HEIGHT, T>(work),
    }
}

/// FIPS 205, algorithm 20: slh_verify_internal, from a source.
#[inline(never)] // as above
pub(crate) fn verify<E: Engine>(
    key: &VerifyingKey,
    engine: &mut E,
    message: &dyn Input,
    signature: &mut dyn Source,
) -> Outcome<E> {
    let params = key.params();
    engine.begin(params, key.seed(), &[])?;
    let mut node = [0; MAX_N];
    read_node(params, signature, &mut node)?;
    let mut selection = Selection::default();
    selection.choose(params, engine, &node, key.root(), message)?;

    let mut leaves = selection.fors_leaves(params);
    engine.fors_pk_from_sig(params, &selection.fors_address(), &mut leaves, signature, &mut node)?;
    for (layer, place) in selection.places(params) {
        let message = node;
        let address = Address::new(layer, place.tree);
        xmss_pk_from_sig(params, engine, address, place.leaf, &message, signature, &mut node)?;
    }
    if signature.read(&mut [0])? != 0 {
        return Err(Error::SignatureTooLong { expected: params.signature_len() });
    }
    // All of it is public: no need of constant time.
    if params.node(&node) == key.root() { Ok(()) } else { Err(Error::Signature) }
}

/// A leaf of the hypertree's lowest layer, or of a tree on the way from there to the top.
#[derive(Clone, Copy, Default)]
struct Place {
    tree: u64,
    leaf: u32,
}

/// What the digest of a message selects. FIPS 205, algorithm 19, lines 6 to 10.
struct Selection {
    digest: [u8; MAX_M],
    bottom: Place,
}

impl Default for Selection {
    fn default() -> Self {
        Self { digest: [0; MAX_M], bottom: Place::default() }
    }
}

impl Selection {
    #[inline(never)] // its stack is free again before hashes are chained
    fn choose<E: Engine>(
        &mut self,
        params: &Params,
        engine: &mut E,
        r: &Node,
        pk_root: &[u8],
        message: &dyn Input,
    ) -> Outcome<E> {
        engine.h_msg(r, pk_root, message, self.digest.get_mut(..params.m()).unwrap_or_default())?;
        let number = |at: usize, len: usize, bits: usize| {
            let bytes = self.digest.iter().skip(at).take(len);
            let value = bytes.fold(0, |value, &byte| (value << 8) | u64::from(byte));
            value & 1u64.checked_shl(bits as u32).unwrap_or(0).wrapping_sub(1)
        };
        let tree_at = params.md_len();
        let tree = number(tree_at, params.tree_index_len(), params.h - params.hp());
        let leaf = number(tree_at + params.tree_index_len(), params.leaf_index_len(), params.hp()) as u32;
        self.bottom = Place { tree, leaf };
        Ok(())
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

/// A signature in the making.
struct Signing<'a, 'b, 'c, E> {
    params: &'static Params,
    engine: &'a mut E,
    sink: &'a mut dyn Sink,
    /// Room for the nodes beside the longest way.
    path: &'a mut [Node],
    work: &'a mut Work<'b, 'c>,
}

impl<E: Engine> Signing<'_, '_, '_, E> {
    /// Signs with the selected leaves and puts the FORS public key into `node`. FIPS 205, algorithm 19, lines 11 to 16.
    #[inline(never)] // its stack is free again before layers are signed
    fn fors(&mut self, selection: &Selection, node: &mut Node) -> Outcome<E> {
        let Self { params, engine, sink, path, work } = self;
        let leaves = &mut selection.fors_leaves(params);
        engine.fors_sign(params, &selection.fors_address(), leaves, path, &mut **sink, node, &mut |leaves| {
            work.fors_leaves(leaves)
        })
    }

    /// Signs `message` with a leaf of an XMSS tree and puts the tree's root, which xmss_pkFromSig would compute again,
    /// into `node`. FIPS 205, algorithm 10.
    #[inline(never)] // as above
    fn layer(&mut self, address: &Address, leaf: u32, message: &Node, node: &mut Node) -> Outcome<E> {
        let Self { params, engine, sink, path, work } = self;
        let whole = Subtree { first: 0, height: params.hp() };
        let sign = WotsSignature { leaf, message, sink: &mut **sink };
        engine.xmss_tree(params, address, whole, Some(sign), path, node, &mut |leaves| {
            work.xmss_leaves(leaves)
        })?;
        for node in path.iter().take(params.hp()) {
            sink.write(params.node(node))?;
        }
        Ok(())
    }
}

/// FIPS 205, algorithm 11: xmss_pkFromSig. `address` has layer and tree.
fn xmss_pk_from_sig<E: Engine>(
    params: &'static Params,
    engine: &mut E,
    mut address: Address,
    leaf: u32,
    message: &Node,
    signature: &mut dyn Source,
    node: &mut Node,
) -> Outcome<E> {
    address.set_key_pair(leaf);
    engine.wots_pk_from_sig(params, &address, message, signature, node)?;
    address = address.with_type(AddressType::Tree);
    from_sig::climb(params, engine, &mut address, leaf, params.hp(), node, signature)
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
