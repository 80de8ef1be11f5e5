//! Trees, a few subtrees at once: FIPS 205, algorithms 9 and 15 without recursion.
use super::{Engine, Lanes, Node, Outcome, Subtree, WotsSignature};
use crate::address::{Address, AddressType};
use crate::digits::Digits;
use crate::params::{MAX_HEIGHT, MAX_N, Params};
use crate::stream::Sink;
use core::mem::swap;
use core::slice::{from_mut, from_ref};

/// Computes the leaves of the given numbers into the given places.
type Leaves<'a, E> = dyn FnMut(&mut E, &[u32], &mut [Node]) -> Outcome<E> + 'a;

/// A tree: the address of its nodes, all but height and index, and how its leaves are computed.
struct Tree<'a, 'b, E: Engine + ?Sized> {
    engine: &'a mut E,
    address: Address,
    leaves: &'a mut Leaves<'b, E>,
}

impl<E: Engine + ?Sized> Tree<'_, '_, E> {
    /// Puts the node above `part` into `root`. When `target` is in it, `path` gets the nodes beside its way, from height 0
    /// to that of `part`; else what `path` has is lost.
    fn build(
        &mut self,
        part: Subtree,
        target: Option<u32>,
        path: &mut [Node],
        root: &mut Node,
    ) -> Outcome<E> {
        let target = target.filter(|leaf| leaf.wrapping_sub(part.first) >> part.height == 0);
        if <E::Lanes<Node>>::COUNT == 1 {
            return match target {
                None => self.subtree(part, path, root),
                Some(leaf) => self.with_path(part, leaf, path, root),
            };
        }
        let mut stack = [<E::Lanes<Node>>::splat([0; MAX_N]); MAX_HEIGHT];
        self.side_by_side(part, target, &mut stack, path, root)
    }

    /// The same in little memory: every node beside the way is computed from its subtree, the highest first, so that
    /// the lower places of `path` are free to be the stack.
    fn with_path(&mut self, part: Subtree, leaf: u32, path: &mut [Node], node: &mut Node) -> Outcome<E> {
        for height in (0..part.height).rev() {
            self.subtree(Subtree { first: ((leaf >> height) ^ 1) << height, height }, path, node)?;
            if let Some(to) = path.get_mut(height) {
                *to = *node;
            }
        }
        (self.leaves)(self.engine, &[leaf], from_mut(node))?;
        for (z, beside) in (0..part.height).zip(path) {
            self.address.set_tree_height(z as u32 + 1);
            self.address.set_tree_index(leaf >> (z + 1));
            let mut right = *beside;
            if (leaf >> z) & 1 == 1 {
                swap(node, &mut right);
            }
            self.engine.h(from_ref(&self.address), from_mut(node), from_ref(&right))?;
        }
        Ok(())
    }

    /// The node above `part`, one leaf after the other, with `stack` for left nodes: FIPS 205, algorithm 9 or 15
    /// without recursion.
    #[inline(never)] // one copy of it
    fn subtree(&mut self, part: Subtree, stack: &mut [Node], node: &mut Node) -> Outcome<E> {
        for leaf in part.first..part.first + (1 << part.height) {
            (self.leaves)(self.engine, &[leaf], from_mut(node))?;
            for (z, left) in (0..part.height).zip(&mut *stack) {
                if (leaf >> z) & 1 == 0 {
                    *left = *node;
                    break;
                }
                self.address.set_tree_height(z as u32 + 1);
                self.address.set_tree_index(leaf >> (z + 1));
                self.engine.h(from_ref(&self.address), from_mut(left), from_ref(node))?;
                *node = *left;
            }
        }
        Ok(())
    }

    /// [`build`](Self::build) with the lanes of the engine on subtrees of equal height and in lockstep, so that they are
    /// all busy until their roots are joined.
    fn side_by_side(
        &mut self,
        part: Subtree,
        target: Option<u32>,
        stack: &mut [E::Lanes<Node>],
        path: &mut [Node],
        root: &mut Node,
    ) -> Outcome<E> {
        let (engine, leaves, mut address) = (&mut *self.engine, &mut *self.leaves, self.address);
        let lanes_log = part.height.min(<E::Lanes<Node>>::COUNT.ilog2() as usize);
        let count = 1 << lanes_log;
        // Of the subtree of a lane.
        let height = part.height - lanes_log;
        let target = target.map(|leaf| leaf - part.first);

        let mut nodes = <E::Lanes<Node>>::splat([0; MAX_N]);
        let mut addresses = <E::Lanes<Address>>::splat(address);
        let mut numbers = <E::Lanes<u32>>::splat(0);

        for i in 0..1u32 << height {
            let numbers = numbers.as_mut().get_mut(..count).unwrap_or_default();
            for (lane, number) in (0u32..).zip(&mut *numbers) {
                *number = part.first + (lane << height) + i;
            }
            leaves(engine, numbers, nodes.as_mut().get_mut(..count).unwrap_or_default())?;
            for z in 0..height {
                // The node of a lane is number i >> z of its height and may be beside the way of the target.
                if let Some(leaf) = target
                    && (leaf & ((1 << height) - 1)) >> z == (i >> z) ^ 1
                    && let (Some(to), Some(node)) =
                        (path.get_mut(z), nodes.as_ref().get((leaf >> height) as usize))
                {
                    *to = *node;
                }
                let Some(left) = stack.get_mut(z) else { break };
                if (i >> z) & 1 == 0 {
                    *left = nodes;
                    break;
                }
                let addresses = addresses.as_mut().get_mut(..count).unwrap_or_default();
                for (address, number) in addresses.iter_mut().zip(&*numbers) {
                    address.set_tree_height(z as u32 + 1);
                    address.set_tree_index(number >> (z + 1));
                }
                let lefts = left.as_mut().get_mut(..count).unwrap_or_default();
                engine.h(addresses, lefts, nodes.as_ref().get(..count).unwrap_or_default())?;
                nodes = *left;
            }
        }

        // The roots of the lanes' subtrees, two by two.
        for z in height..part.height {
            let nodes = nodes.as_mut();
            if let Some(leaf) = target
                && let (Some(to), Some(node)) = (path.get_mut(z), nodes.get((leaf >> z) as usize ^ 1))
            {
                *to = *node;
            }
            let parents = 1 << (part.height - z - 1);
            let mut right = <E::Lanes<Node>>::splat([0; MAX_N]);
            for j in 0..parents {
                if let (Some(to), Some(node)) = (right.as_mut().get_mut(j), nodes.get(2 * j + 1)) {
                    *to = *node;
                }
                if let Some(&node) = nodes.get(2 * j)
                    && let Some(to) = nodes.get_mut(j)
                {
                    *to = node;
                }
            }
            address.set_tree_height(z as u32 + 1);
            let addresses = addresses.as_mut().get_mut(..parents).unwrap_or_default();
            for (j, to) in (0u32..).zip(&mut *addresses) {
                address.set_tree_index((part.first >> (z + 1)) + j);
                *to = address;
            }
            let (left, right) = (nodes.get_mut(..parents), right.as_ref().get(..parents));
            engine.h(addresses, left.unwrap_or_default(), right.unwrap_or_default())?;
        }
        *root = nodes.as_ref().first().copied().unwrap_or([0; MAX_N]);
        Ok(())
    }
}

/// [`Engine::xmss_tree`].
#[allow(clippy::too_many_arguments)] // those of the method
pub(super) fn xmss<E: Engine + ?Sized>(
    engine: &mut E,
    params: &'static Params,
    address: &Address,
    part: Subtree,
    mut sign: Option<WotsSignature<'_>>,
    path: &mut [Node],
    root: &mut Node,
    progress: &mut dyn FnMut(u32),
) -> Outcome<E> {
    let target = sign.as_ref().map(|sign| sign.leaf);
    let wots = address.with_type(AddressType::WotsHash);
    let mut leaves = |engine: &mut E, numbers: &[u32], out: &mut [Node]| {
        let mut addresses = <E::Lanes<Address>>::splat(wots);
        let addresses = addresses.as_mut().get_mut(..numbers.len()).unwrap_or_default();
        for (address, number) in addresses.iter_mut().zip(numbers) {
            address.set_key_pair(*number);
        }
        let signer = match &mut sign {
            Some(WotsSignature { leaf, message, sink }) => numbers
                .iter()
                .position(|number| number == leaf)
                .map(|lane| (lane, Digits::new(params, message), &mut **sink as &mut dyn Sink)),
            None => None,
        };
        engine.wots_pk(params, addresses, signer, out)?;
        progress(numbers.len() as u32);
        Ok(())
    };
    Tree { engine, address: address.with_type(AddressType::Tree), leaves: &mut leaves }
        .build(part, target, path, root)
}

/// [`Engine::fors_sign`].
#[inline(never)] // its stack is free again before its caller goes on
#[allow(clippy::too_many_arguments)] // as above
pub(super) fn fors_sign<E: Engine + ?Sized>(
    engine: &mut E,
    params: &'static Params,
    address: &Address,
    leaves: &mut dyn Iterator<Item = u32>,
    path: &mut [Node],
    sink: &mut dyn Sink,
    out: &mut Node,
    progress: &mut dyn FnMut(u32),
) -> Outcome<E> {
    let mut address = address.with_type_and_key_pair(AddressType::ForsRoots);
    let mut thash = E::Thash::default();
    engine.tl_start(&mut thash, from_ref(&address))?;
    address.set_type(AddressType::ForsPrf);
    for leaf in leaves {
        address.set_tree_index(leaf);
        engine.prf(from_ref(&address), from_mut(out))?;
        sink.write(params.node(out))?;

        let whole = Subtree { first: leaf >> params.a << params.a, height: params.a };
        engine.fors_tree(params, &address, whole, Some(leaf), path, out, progress)?;
        for node in path.iter().take(params.a) {
            sink.write(params.node(node))?;
        }
        engine.tl_absorb(&mut thash, from_ref(out))?;
    }
    engine.tl_finish(&mut thash, from_mut(out))
}

/// [`Engine::fors_tree`].
pub(super) fn fors<E: Engine + ?Sized>(
    engine: &mut E,
    address: &Address,
    part: Subtree,
    leaf: Option<u32>,
    path: &mut [Node],
    root: &mut Node,
    progress: &mut dyn FnMut(u32),
) -> Outcome<E> {
    let tree = address.with_type_and_key_pair(AddressType::ForsTree);
    let mut leaves = |engine: &mut E, numbers: &[u32], out: &mut [Node]| {
        let mut addresses = <E::Lanes<Address>>::splat(tree);
        let addresses = addresses.as_mut().get_mut(..numbers.len()).unwrap_or_default();
        let select = |addresses: &mut [Address], kind| {
            for (address, number) in addresses.iter_mut().zip(numbers) {
                address.set_type(kind);
                address.set_tree_index(*number);
            }
        };
        select(addresses, AddressType::ForsPrf);
        engine.prf(addresses, out)?;
        select(addresses, AddressType::ForsTree);
        engine.f(addresses, out)?;
        progress(numbers.len() as u32);
        Ok(())
    };
    Tree { engine, address: tree, leaves: &mut leaves }.build(part, leaf, path, root)
}
