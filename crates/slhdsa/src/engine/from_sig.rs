//! Public keys from signatures: FIPS 205, algorithms 8 and 17.
use super::{Engine, Lanes, Node, Outcome};
use crate::address::{Address, AddressType};
use crate::digits::Digits;
use crate::params::{MAX_HEIGHT, MAX_N, Params};
use crate::stream::{Source, read_node};
use core::mem::swap;
use core::slice::{from_mut, from_ref};

/// The most chains that a set can have: those of n = 32 and lg_w = 1.
const MAX_LEN: usize = 265;

/// [`Engine::wots_pk_from_sig`], a chain at a time and nothing stored.
#[inline(never)] // its stack is free again before its caller goes on
pub(super) fn wots_in_order<E: Engine + ?Sized>(
    engine: &mut E,
    params: &Params,
    address: &Address,
    message: &Node,
    signature: &mut dyn Source,
    out: &mut Node,
) -> Outcome<E> {
    let mut address = address.with_type_and_key_pair(AddressType::WotsPk);
    let mut thash = E::Thash::default();
    engine.tl_start(&mut thash, from_ref(&address))?;
    address.set_type(AddressType::WotsHash);
    for (chain, digit) in (0..).zip(Digits::new(params, message)) {
        read_node(params, signature, out)?;
        address.set_chain(chain);
        address.set_hash(digit);
        engine.chain(from_mut(&mut address), params.w() - 1 - digit, from_mut(out))?;
        engine.tl_absorb(&mut thash, from_ref(out))?;
    }
    engine.tl_finish(&mut thash, from_mut(out))
}

/// From a leaf to the node `height` above it, with the nodes beside the way read from the signature. FIPS 205,
/// algorithm 11, lines 7 to 18, and algorithm 17, lines 7 to 18. `address` is that of the tree's nodes.
pub(crate) fn climb<E: Engine + ?Sized>(
    params: &Params,
    engine: &mut E,
    address: &mut Address,
    leaf: u32,
    height: usize,
    node: &mut Node,
    signature: &mut dyn Source,
) -> Outcome<E> {
    for z in 0..height {
        address.set_tree_height(z as u32 + 1);
        address.set_tree_index(leaf >> (z + 1));
        let mut right = [0; MAX_N];
        read_node(params, signature, &mut right)?;
        if (leaf >> z) & 1 == 1 {
            swap(node, &mut right);
        }
        engine.h(from_ref(address), from_mut(node), from_ref(&right))?;
    }
    Ok(())
}

/// [`Engine::fors_pk_from_sig`], a tree at a time and nothing stored.
#[inline(never)] // as above
pub(super) fn fors_in_order<E: Engine + ?Sized>(
    engine: &mut E,
    params: &Params,
    address: &Address,
    leaves: &mut dyn Iterator<Item = u32>,
    signature: &mut dyn Source,
    out: &mut Node,
) -> Outcome<E> {
    let mut address = address.with_type_and_key_pair(AddressType::ForsRoots);
    let mut thash = E::Thash::default();
    engine.tl_start(&mut thash, from_ref(&address))?;
    address.set_type(AddressType::ForsTree);
    for leaf in leaves {
        read_node(params, signature, out)?;
        address.set_tree_height(0);
        address.set_tree_index(leaf);
        engine.f(from_ref(&address), from_mut(out))?;
        climb(params, engine, &mut address, leaf, params.a, out, signature)?;
        engine.tl_absorb(&mut thash, from_ref(out))?;
    }
    engine.tl_finish(&mut thash, from_mut(out))
}

/// [`Engine::wots_pk_from_sig`], a chain in each lane and the next one when it ends.
///
/// The longest come first, so that the lanes end at about the same time. Digits are public.
pub(super) fn wots_side_by_side<E: Engine + ?Sized>(
    engine: &mut E,
    params: &Params,
    address: &Address,
    message: &Node,
    signature: &mut dyn Source,
    out: &mut Node,
) -> Outcome<E> {
    let mut values = [[0; MAX_N]; MAX_LEN];
    // Chain and digit.
    let mut order = [(0u32, 0u32); MAX_LEN];
    for ((chain, digit), (value, place)) in
        (0..).zip(Digits::new(params, message)).zip(values.iter_mut().zip(&mut order))
    {
        read_node(params, signature, value)?;
        *place = (chain, digit);
    }
    let values = values.get_mut(..params.len()).unwrap_or_default();
    let order = order.get_mut(..params.len()).unwrap_or_default();
    order.sort_unstable_by_key(|&(_, digit)| digit);
    let top = params.w() - 1;
    let mut waiting = order.iter().filter(|&&(_, digit)| digit < top);

    // The first `active` lanes are at work, each on a chain.
    let mut chains = <E::Lanes<u32>>::splat(0);
    let mut addresses = <E::Lanes<Address>>::splat(*address);
    let mut nodes = <E::Lanes<Node>>::splat([0; MAX_N]);
    let (chains, addresses, nodes) = (chains.as_mut(), addresses.as_mut(), nodes.as_mut());
    let mut active = 0;
    loop {
        for ((to, address), node) in chains.iter_mut().zip(&mut *addresses).zip(&mut *nodes).skip(active) {
            let Some(&(chain, digit)) = waiting.next() else { break };
            *to = chain;
            address.set_chain(chain);
            address.set_hash(digit);
            *node = values.get(chain as usize).copied().unwrap_or([0; MAX_N]);
            active += 1;
        }
        let at_work = addresses.get_mut(..active).unwrap_or_default();
        let Some(steps) = at_work.iter().map(|address| top - address.hash()).min() else { break };
        engine.chain(at_work, steps, nodes.get_mut(..active).unwrap_or_default())?;
        // Lanes that are done give their place to the last one at work.
        for lane in (0..active).rev() {
            if let (Some(address), Some(&chain)) = (addresses.get(lane), chains.get(lane))
                && address.hash() == top
            {
                if let (Some(to), Some(node)) = (values.get_mut(chain as usize), nodes.get(lane)) {
                    *to = *node;
                }
                active -= 1;
                chains.swap(lane, active);
                addresses.swap(lane, active);
                nodes.swap(lane, active);
            }
        }
    }

    let mut thash = E::Thash::default();
    engine.tl_start(&mut thash, &[address.with_type_and_key_pair(AddressType::WotsPk)])?;
    for value in &*values {
        engine.tl_absorb(&mut thash, from_ref(value))?;
    }
    engine.tl_finish(&mut thash, from_mut(out))
}

/// [`Engine::fors_pk_from_sig`], a tree in each lane.
pub(super) fn fors_side_by_side<E: Engine + ?Sized>(
    engine: &mut E,
    params: &Params,
    address: &Address,
    leaves: &mut dyn Iterator<Item = u32>,
    signature: &mut dyn Source,
    out: &mut Node,
) -> Outcome<E> {
    let tree = address.with_type_and_key_pair(AddressType::ForsTree);
    let mut thash = E::Thash::default();
    engine.tl_start(&mut thash, &[address.with_type_and_key_pair(AddressType::ForsRoots)])?;
    // What a tree has in the signature: its secret, then the nodes beside the way up.
    let mut rows = [<E::Lanes<Node>>::splat([0; MAX_N]); 1 + MAX_HEIGHT];
    let mut numbers = <E::Lanes<u32>>::splat(0);
    let mut addresses = <E::Lanes<Address>>::splat(tree);
    loop {
        let mut count = 0;
        for (lane, number) in numbers.as_mut().iter_mut().enumerate() {
            let Some(leaf) = leaves.next() else { break };
            *number = leaf;
            for row in rows.iter_mut().take(1 + params.a) {
                if let Some(node) = row.as_mut().get_mut(lane) {
                    read_node(params, signature, node)?;
                }
            }
            count += 1;
        }
        if count == 0 {
            break;
        }
        let Some((nodes, beside)) = rows.split_first_mut() else { break };
        let nodes = nodes.as_mut().get_mut(..count).unwrap_or_default();
        let addresses = addresses.as_mut().get_mut(..count).unwrap_or_default();
        for (address, number) in addresses.iter_mut().zip(numbers.as_ref()) {
            address.set_tree_height(0);
            address.set_tree_index(*number);
        }
        engine.f(addresses, nodes)?;
        for (z, beside) in (0..params.a as u32).zip(beside) {
            let beside = beside.as_mut().get_mut(..count).unwrap_or_default();
            let lanes = addresses.iter_mut().zip(numbers.as_ref());
            for ((address, number), (node, beside)) in lanes.zip(nodes.iter_mut().zip(&mut *beside)) {
                address.set_tree_height(z + 1);
                address.set_tree_index(number >> (z + 1));
                if (number >> z) & 1 == 1 {
                    swap(node, beside);
                }
            }
            engine.h(addresses, nodes, beside)?;
        }
        for node in &*nodes {
            engine.tl_absorb(&mut thash, from_ref(node))?;
        }
    }
    engine.tl_finish(&mut thash, from_mut(out))
}
