//! Engines: where the hashing happens.
//!
//! The scheme is written over [`Engine`]. Its small operations are the functions of FIPS 205, section 4.1; its large
//! ones (a chain, WOTS+ public keys, trees) are built of these unless an engine does better.

mod auto;
mod compact;
pub(crate) mod from_sig;
mod key;
mod sha2;
mod shake;
#[cfg(feature = "rayon")]
mod threads;
#[cfg(thumb2)]
mod thumb2;
mod tree;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
pub mod x86;

pub use self::auto::{Auto, AutoThash};
pub use self::compact::Compact as Sha2Compact;
pub use self::sha2::{Scalar as Sha2Scalar, Sha2, Sha2Lanes, Sha2Thash, Single as Sha2Single};
pub use self::shake::{One as ShakeOne, Scalar as ShakeScalar, Shake, ShakeLanes, ShakeThash, Wide, Words};
#[cfg(feature = "rayon")]
pub use self::threads::Threads;
#[cfg(thumb2)]
pub use self::thumb2::Thumb2 as Sha2Thumb2;

use crate::address::{Address, AddressType};
use crate::digits::Digits;
use crate::error::Error;
use crate::params::{MAX_N, Params};
use crate::stream::{Input, Sink, Source};
use core::fmt;

/// A node, seed or value of a chain: n bytes and then some without meaning.
pub type Node = [u8; MAX_N];

/// As many values as an engine works on at once.
pub trait Lanes<T>: AsRef<[T]> + AsMut<[T]> {
    /// How many they are: a power of two.
    const COUNT: usize;

    /// That many copies of `value`.
    fn splat(value: T) -> Self;
}

impl<T: Copy, const N: usize> Lanes<T> for [T; N] {
    const COUNT: usize = {
        assert!(N.is_power_of_two());
        N
    };

    #[inline]
    fn splat(value: T) -> Self {
        [value; N]
    }
}

/// A leaf that WOTS+ shall sign with while its tree is built.
pub struct WotsSignature<'a> {
    /// The leaf, counted from the tree's first.
    pub leaf: u32,
    /// The n bytes to sign.
    pub message: &'a Node,
    /// Takes the len values of the signature, the first chain's first.
    pub sink: &'a mut dyn Sink,
}

/// Where in a tree: leaves `first..first + 2^height`, `first` a multiple of `2^height`.
#[derive(Clone, Copy, Debug)]
pub struct Subtree {
    /// The first leaf.
    pub first: u32,
    /// The height of the node above these leaves.
    pub height: usize,
}

/// What an operation of an engine gives.
pub type Outcome<E, T = ()> = Result<T, Error<<E as Engine>::Error>>;

/// Where the hashing happens.
///
/// Functions that take slices of addresses and nodes do the same for each pair of them: the slices are equally long
/// and have 1 to [`LANES`](Lanes::COUNT) elements. Of every [`Node`] the first n bytes count; what an engine leaves
/// in the others is not defined. Addresses are not secret. Results do not depend on how many lanes an engine has.
///
/// SK.seed is secret and so is all that [`prf`](Self::prf) gives: no branch and no address may depend on it. Values of
/// chains at and after the digit that is signed, and all other nodes, are public.
pub trait Engine {
    /// `Infallible` for software; a time-out or a bus error for hardware.
    type Error: fmt::Debug + fmt::Display;

    /// Storage for what is worked on at once: an array.
    type Lanes<T: Copy>: Lanes<T> + Copy;

    /// T_l in progress, in each of some lanes; the default is none yet.
    type Thash: Default;

    /// Takes the set and the seeds, n bytes each, for all that follows; `sk_seed` is empty for verification.
    ///
    /// An engine that does not have the set's hash functions returns [`Error::Family`].
    fn begin(&mut self, params: &'static Params, pk_seed: &[u8], sk_seed: &[u8]) -> Outcome<Self>;

    /// PRF_msg: the randomizer R of a message.
    fn prf_msg(&mut self, sk_prf: &[u8], opt_rand: &[u8], message: &dyn Input, r: &mut Node)
    -> Outcome<Self>;

    /// H_msg: fills `digest` with m bytes.
    fn h_msg(&mut self, r: &Node, pk_root: &[u8], message: &dyn Input, digest: &mut [u8]) -> Outcome<Self>;

    /// PRF of PK.seed, SK.seed and an address.
    fn prf(&mut self, addresses: &[Address], out: &mut [Node]) -> Outcome<Self>;

    /// F, in place.
    fn f(&mut self, addresses: &[Address], nodes: &mut [Node]) -> Outcome<Self>;

    /// H of left and right nodes, the result in the place of the left ones.
    fn h(&mut self, addresses: &[Address], left: &mut [Node], right: &[Node]) -> Outcome<Self>;

    /// Begins T_l; what `thash` was before does not matter.
    fn tl_start(&mut self, thash: &mut Self::Thash, addresses: &[Address]) -> Outcome<Self>;

    /// Appends a node in each lane that was started.
    fn tl_absorb(&mut self, thash: &mut Self::Thash, nodes: &[Node]) -> Outcome<Self>;

    /// Ends T_l.
    fn tl_finish(&mut self, thash: &mut Self::Thash, out: &mut [Node]) -> Outcome<Self>;

    /// `steps` steps of WOTS+ chains, in place, each from the step that its address has; the addresses then have the
    /// step after the last. FIPS 205, algorithm 5.
    fn chain(&mut self, addresses: &mut [Address], steps: u32, nodes: &mut [Node]) -> Outcome<Self> {
        chain_of_f(self, addresses, steps, nodes)
    }

    /// WOTS+ public keys of the leaves whose addresses, of type WOTS_HASH with their key pairs, are given and used up.
    /// FIPS 205, algorithm 6; with algorithm 7 on the way for the lane that `sign` names.
    fn wots_pk(
        &mut self,
        params: &Params,
        addresses: &mut [Address],
        mut sign: Option<(usize, Digits<'_>, &mut dyn Sink)>,
        out: &mut [Node],
    ) -> Outcome<Self> {
        let select = |addresses: &mut [Address], kind, chain| {
            for address in addresses {
                address.set_type(kind);
                address.set_chain(chain);
            }
        };
        let mut thash = Self::Thash::default();
        select(addresses, AddressType::WotsPk, 0);
        self.tl_start(&mut thash, addresses)?;
        for chain in 0..params.len() as u32 {
            select(addresses, AddressType::WotsPrf, chain);
            self.prf(addresses, out)?;
            select(addresses, AddressType::WotsHash, chain);
            let mut done = 0;
            if let Some((signer, digits, sink)) = &mut sign {
                done = digits.next().unwrap_or(0);
                self.chain(addresses, done, out)?;
                if let Some(value) = out.get(*signer) {
                    sink.write(params.node(value))?;
                }
            }
            self.chain(addresses, params.w() - 1 - done, out)?;
            self.tl_absorb(&mut thash, out)?;
        }
        // The last values are public; those of an operation that failed on its way may not be.
        self.tl_finish(&mut thash, out)
    }

    /// The WOTS+ public key that belongs to a signature of `message`. FIPS 205, algorithm 8. `address` is of type
    /// WOTS_HASH with its key pair.
    fn wots_pk_from_sig(
        &mut self,
        params: &'static Params,
        address: &Address,
        message: &Node,
        signature: &mut dyn Source,
        out: &mut Node,
    ) -> Outcome<Self> {
        if <Self::Lanes<Node>>::COUNT == 1 {
            from_sig::wots_in_order(self, params, address, message, signature, out)
        } else {
            from_sig::wots_side_by_side(self, params, address, message, signature, out)
        }
    }

    /// The FORS public key that belongs to a signature. FIPS 205, algorithm 17. `leaves` are the selected leaves of
    /// the trees, numbered through all of them; `address` has tree and key pair.
    fn fors_pk_from_sig(
        &mut self,
        params: &'static Params,
        address: &Address,
        leaves: &mut dyn Iterator<Item = u32>,
        signature: &mut dyn Source,
        out: &mut Node,
    ) -> Outcome<Self> {
        if <Self::Lanes<Node>>::COUNT == 1 {
            from_sig::fors_in_order(self, params, address, leaves, signature, out)
        } else {
            from_sig::fors_side_by_side(self, params, address, leaves, signature, out)
        }
    }

    /// Puts the node above `part` of an XMSS tree into `root`. FIPS 205, algorithm 9; with algorithm 10 on the way when
    /// `sign` has a leaf of this part: its WOTS+ signature goes to the sink and the nodes beside its way, the lowest
    /// first, to `path`, which has room for those of `part`. Without such a leaf what `path` has is lost.
    ///
    /// `address` has layer and tree. `progress` is told of leaves that are done.
    #[allow(clippy::too_many_arguments)] // what an engine elsewhere needs to know of a tree
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
        tree::xmss(self, params, address, part, sign, path, root, progress)
    }

    /// Signs with the leaves of the FORS trees, numbered through all of them, and puts the FORS public key into `out`:
    /// FIPS 205, algorithms 16 and 17. As the roots are computed on the way, nothing is computed from the signature
    /// again. `path` has room for the nodes beside a way; `address` has tree and key pair.
    ///
    /// `progress` is told of leaves that are done.
    #[allow(clippy::too_many_arguments)] // as above
    fn fors_sign(
        &mut self,
        params: &'static Params,
        address: &Address,
        leaves: &mut dyn Iterator<Item = u32>,
        path: &mut [Node],
        sink: &mut dyn Sink,
        out: &mut Node,
        progress: &mut dyn FnMut(u32),
    ) -> Outcome<Self> {
        tree::fors_sign(self, params, address, leaves, path, sink, out, progress)
    }

    /// Puts the node above `part` of the FORS trees into `root`. FIPS 205, algorithm 15; when `leaf` is in this part, the
    /// nodes beside its way, the lowest first, go to `path` (algorithm 16, lines 4 to 8), which has room for those of
    /// `part`, else what `path` has is lost. Leaves are numbered through all k trees.
    ///
    /// `address` has tree and key pair. `progress` is told of leaves that are done.
    #[allow(clippy::too_many_arguments)] // as above
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
        let _ = params;
        tree::fors(self, address, part, leaf, path, root, progress)
    }
}

/// [`Engine::chain`] by F.
#[inline]
fn chain_of_f<E: Engine + ?Sized>(
    engine: &mut E,
    addresses: &mut [Address],
    steps: u32,
    nodes: &mut [Node],
) -> Outcome<E> {
    for _ in 0..steps {
        engine.f(addresses, nodes)?;
        for address in &mut *addresses {
            address.set_hash(address.hash() + 1);
        }
    }
    Ok(())
}
