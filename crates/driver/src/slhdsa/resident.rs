//! Seeds that stay in the fabric, and chains that are walked there.
use pqsoc_registers::Command;
use pqsoc_slhdsa::engine::{Engine, Node};
use pqsoc_slhdsa::{Address, AddressType, Digits, Input, Params, Sink};

use super::common::{Key, Outcome, failed, gather};
use crate::accelerator::Accelerator;
use crate::error::Error;
use crate::hash::Hash;
use crate::platform::Platform;

// Words of the string memory.
const PK_SEED: u8 = 0;
const SK_SEED: u8 = 4;
/// What a call brings along and gives back.
const WORK: u8 = 8;
/// Words of an address.
const ADDRESS: u8 = 4;
/// The hash address that chains end at in the fabric.
const LAST_STEP: u32 = 15;
/// Chains of one round trip: two addresses and a value each are in the string memory, of 256 words.
const CHAINS: usize = 20;
const _: () = assert!(WORK as usize + CHAINS * (2 * ADDRESS as usize + 4) <= 256);

/// An engine that keeps the seeds of a key in the fabric. The chains of a WOTS+ key are computed from its secrets to its
/// public values there, 20 chains a round trip.
///
/// The fabric is cleared when the engine is dropped.
pub struct Resident<'a, P: Platform> {
    accelerator: &'a mut Accelerator<P>,
    key: Key,
    /// The reset since which the seeds are in the fabric.
    seeds: Option<u32>,
}

impl<P: Platform> Drop for Resident<'_, P> {
    fn drop(&mut self) {
        self.accelerator.clear();
    }
}

impl<'a, P: Platform> Resident<'a, P> {
    /// An engine without a key; every operation begins with one.
    pub fn new(accelerator: &'a mut Accelerator<P>) -> Self {
        Self { accelerator, key: Key::NONE, seeds: None }
    }

    /// n / 8.
    fn words(&self) -> u8 {
        (self.key.n / 8) as u8
    }

    /// Loads the seeds, unless they are there.
    fn load_seeds(&mut self) -> Result<(), Error> {
        self.accelerator.prepare()?;
        let epoch = Some(self.accelerator.epoch());
        if self.seeds != epoch {
            let seeds = [self.key.pk_seed(), self.key.sk_seed()];
            let sent = gather(self.accelerator.outgoing()?.bytes_mut(), seeds);
            let words = self.words().into();
            let first = Command::string_load(PK_SEED, words).more();
            self.accelerator.converse(sent, 0, &[first, Command::string_load(SK_SEED, words)])?;
            self.seeds = epoch;
        }
        Ok(())
    }

    /// Loads `pieces` from [`WORK`] on, runs `commands`, and gives what is then in `received` words from `from` on.
    fn call<'p>(
        &mut self,
        pieces: impl IntoIterator<Item = &'p [u8]>,
        commands: impl IntoIterator<Item = Command>,
        from: u8,
        received: usize,
    ) -> Result<&[u8], Error> {
        self.load_seeds()?;
        let sent = gather(self.accelerator.outgoing()?.bytes_mut(), pieces);
        let mut list = [Command::nop(); 2 * CHAINS + 2];
        let load = (sent > 0).then(|| Command::string_load(WORK, (sent / 8) as u16));
        let store = Command::string_store(from, received as u16);
        let mut count = 0;
        for (to, command) in list.iter_mut().zip(load.into_iter().chain(commands).chain([store])) {
            *to = command;
            count += 1;
        }
        self.accelerator.converse(sent, 8 * received, list.get(..count).unwrap_or_default())?;
        Ok(self.accelerator.incoming()?.bytes().get(..8 * received).unwrap_or_default())
    }

    /// A tweakable hash of `parts`, into a node.
    fn hash(&mut self, address: &Address, parts: &[&[u8]], out: &mut Node) -> Outcome {
        let words = self.words();
        let message = WORK + ADDRESS;
        let length = parts.iter().map(|part| part.len() / 8).sum::<usize>() as u8;
        let tweak = Command::tweak(message, PK_SEED, WORK, words, message, length);
        let pieces = [address.as_bytes().as_slice()].into_iter().chain(parts.iter().copied());
        let digest = self.call(pieces, [tweak], message, words.into()).map_err(failed)?;
        copy(out, digest);
        Ok(())
    }
}

fn copy(node: &mut Node, bytes: &[u8]) {
    for (to, from) in node.iter_mut().zip(bytes) {
        *to = *from;
    }
}

impl<P: Platform> Engine for Resident<'_, P> {
    type Error = Error;
    type Lanes<T: Copy> = [T; 1];
    type Thash = Hash;

    fn begin(&mut self, params: &'static Params, pk_seed: &[u8], sk_seed: &[u8]) -> Outcome {
        self.seeds = None;
        self.key.begin(params, pk_seed, sk_seed)
    }

    fn prf_msg(&mut self, sk_prf: &[u8], opt_rand: &[u8], message: &dyn Input, r: &mut Node) -> Outcome {
        self.key.prf_msg(self.accelerator, sk_prf, opt_rand, message, r)
    }

    fn h_msg(&mut self, r: &Node, pk_root: &[u8], message: &dyn Input, digest: &mut [u8]) -> Outcome {
        self.key.h_msg(self.accelerator, r, pk_root, message, digest)
    }

    fn prf(&mut self, addresses: &[Address], out: &mut [Node]) -> Outcome {
        let words = self.words();
        for (address, out) in addresses.iter().zip(out) {
            let value = WORK + ADDRESS;
            let tweak = Command::tweak(value, PK_SEED, WORK, words, SK_SEED, words);
            let digest = self.call([address.as_bytes().as_slice()], [tweak], value, words.into());
            copy(out, digest.map_err(failed)?);
        }
        Ok(())
    }

    fn f(&mut self, addresses: &[Address], nodes: &mut [Node]) -> Outcome {
        for (address, node) in addresses.iter().zip(nodes) {
            let from = *node;
            let n = self.key.n;
            self.hash(address, &[from.get(..n).unwrap_or_default()], node)?;
        }
        Ok(())
    }

    fn h(&mut self, addresses: &[Address], left: &mut [Node], right: &[Node]) -> Outcome {
        for ((address, left), right) in addresses.iter().zip(left).zip(right) {
            let from = *left;
            let n = self.key.n;
            let [from, right] = [&from, right].map(|node| node.get(..n).unwrap_or_default());
            self.hash(address, &[from, right], left)?;
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

    fn chain(&mut self, addresses: &mut [Address], steps: u32, nodes: &mut [Node]) -> Outcome {
        let words = self.words();
        for (address, node) in addresses.iter_mut().zip(nodes).filter(|_| steps > 0) {
            let from = *node;
            let end = address.hash() + steps;
            if end <= LAST_STEP {
                let value = WORK + ADDRESS;
                let chain = Command::chain(value, PK_SEED, WORK, words, address.hash() as u8, steps as u8);
                let n = self.key.n;
                let pieces = [address.as_bytes().as_slice(), from.get(..n).unwrap_or_default()];
                let walked = self.call(pieces, [chain], value, words.into()).map_err(failed)?;
                copy(node, walked);
                address.set_hash(end);
            } else {
                // No set has such chains.
                for _ in 0..steps {
                    self.f(&[*address], core::slice::from_mut(node))?;
                    address.set_hash(address.hash() + 1);
                }
            }
        }
        Ok(())
    }

    fn wots_pk(
        &mut self,
        params: &Params,
        addresses: &mut [Address],
        sign: Option<(usize, Digits<'_>, &mut dyn Sink)>,
        out: &mut [Node],
    ) -> Outcome {
        let ([address], [out]) = (addresses, out) else { return Ok(()) };
        let top = params.w() as u8 - 1;
        let (mut digits, mut sink) = match sign {
            Some((_, digits, sink)) => (Some(digits), Some(sink)),
            None => (None, None),
        };
        let mut thash = Hash::default();
        self.tl_start(&mut thash, &[address.with_type_and_key_pair(AddressType::WotsPk)])?;
        let mut first = 0;
        while first < params.len() {
            let count = CHAINS.min(params.len() - first);
            let mut batch = [[Address::default(); 2]; CHAINS];
            for (chain, [prf, hash]) in (first as u32..).zip(&mut batch) {
                (*prf, *hash) = (address.with_type_and_key_pair(AddressType::WotsPrf), *address);
                prf.set_chain(chain);
                hash.set_chain(chain);
            }
            let batch = batch.get(..count).unwrap_or_default();
            let words = self.words();
            let values = WORK + 2 * ADDRESS * count as u8;
            let place = |i: u8| (WORK + 2 * ADDRESS * i, values + words * i);
            let received = usize::from(words) * count;
            // How far each chain has been walked.
            let mut done = [0; CHAINS];
            for (done, digit) in done.iter_mut().take(count).zip(digits.as_mut().into_iter().flatten()) {
                *done = digit as u8;
            }
            let secrets = (0..count as u8).map(|i| {
                let (addresses, value) = place(i);
                Command::tweak(value, PK_SEED, addresses, words, SK_SEED, words)
            });
            let walk = |from: [u8; CHAINS], to: [u8; CHAINS]| {
                (0..count as u8).zip(from.into_iter().zip(to)).map(move |(i, (from, to))| {
                    let (addresses, value) = place(i);
                    Command::chain(value, PK_SEED, addresses + ADDRESS, words, from, to - from)
                })
            };
            let pieces = batch.as_flattened().iter().map(|address| address.as_bytes().as_slice());
            let mut public = [0; 32 * CHAINS];
            match &mut sink {
                Some(sink) => {
                    let signature =
                        self.call(pieces, secrets.chain(walk([0; CHAINS], done)), values, received);
                    sink.write(signature.map_err(failed)?)?;
                    let rest = self.call([], walk(done, [top; CHAINS]), values, received);
                    gather(&mut public, [rest.map_err(failed)?]);
                }
                None => {
                    let all =
                        self.call(pieces, secrets.chain(walk([0; CHAINS], [top; CHAINS])), values, received);
                    gather(&mut public, [all.map_err(failed)?]);
                }
            }
            let public = public.get(..8 * received).unwrap_or_default();
            self.accelerator.absorb(&mut thash, public).map_err(failed)?;
            first += count;
        }
        self.tl_finish(&mut thash, core::slice::from_mut(out))
    }
}
