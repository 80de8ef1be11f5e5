//! Trees, a few subtrees at once: FIPS 205, algorithms 9 and 15 without recursion.
use super::{Engine, Lanes, Node, Outcome, Path, Subtree, WotsSignature};
use crate::address::{Address, AddressType};
use crate::digits::Digits;
use crate::params::{MAX_HEIGHT, MAX_N, Params};
use crate::stream::Sink;

/// Computes the leaves of the given numbers into the given places.
type Leaves<'a, E> = dyn FnMut(&mut E, &[u32], &mut [Node]) -> Outcome<E> + 'a;

/// The node above `part`, built from its leaves with a stack.
///
/// The lanes of the engine work on subtrees side by side, of equal height and in lockstep, so that they are all busy
/// until their roots are joined. `address` has all but height and index. When `target` is in this part, `path` gets
/// the nodes beside its way, from height 0 to that of `part`.
fn build<E: Engine + ?Sized>(
    engine: &mut E,
    mut address: Address,
    part: Subtree,
    target: Option<u32>,
    path: &mut Path,
    leaves: &mut Leaves<'_, E>,
) -> Outcome<E, Node> {
    let lanes_log = part.height.min(<E::Lanes<Node>>::COUNT.ilog2() as usize);
    let count = 1 << lanes_log;
    // Of the subtree of a lane.
    let height = part.height - lanes_log;
    let target = target.map(|leaf| leaf.wrapping_sub(part.first)).filter(|leaf| leaf >> part.height == 0);

    let mut stack = [<E::Lanes<Node>>::splat([0; MAX_N]); MAX_HEIGHT];
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
    Ok(nodes.as_ref().first().copied().unwrap_or([0; MAX_N]))
}

/// [`Engine::xmss_tree`].
pub(super) fn xmss<E: Engine + ?Sized>(
    engine: &mut E,
    params: &'static Params,
    address: &Address,
    part: Subtree,
    mut sign: Option<WotsSignature<'_>>,
    path: &mut Path,
    progress: &mut dyn FnMut(u32),
) -> Outcome<E, Node> {
    let target = sign.as_ref().map(|sign| sign.leaf);
    let wots = address.with_type(AddressType::WotsHash);
    build(engine, address.with_type(AddressType::Tree), part, target, path, &mut |engine, numbers, out| {
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
    })
}

/// [`Engine::fors_tree`].
pub(super) fn fors<E: Engine + ?Sized>(
    engine: &mut E,
    address: &Address,
    part: Subtree,
    leaf: Option<u32>,
    path: &mut Path,
    progress: &mut dyn FnMut(u32),
) -> Outcome<E, Node> {
    let tree = address.with_type_and_key_pair(AddressType::ForsTree);
    let secret = address.with_type_and_key_pair(AddressType::ForsPrf);
    build(engine, tree, part, leaf, path, &mut |engine, numbers, out| {
        let mut addresses = <E::Lanes<Address>>::splat(secret);
        let addresses = addresses.as_mut().get_mut(..numbers.len()).unwrap_or_default();
        for (address, number) in addresses.iter_mut().zip(numbers) {
            address.set_tree_index(*number);
        }
        engine.prf(addresses, out)?;
        for (address, number) in addresses.iter_mut().zip(numbers) {
            *address = tree;
            address.set_tree_index(*number);
        }
        engine.f(addresses, out)?;
        progress(numbers.len() as u32);
        Ok(())
    })
}
