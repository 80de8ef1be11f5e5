//! What both engines have: a key, and the hashes of messages of any length.
use pqsoc_slhdsa::engine::Node;
use pqsoc_slhdsa::params::{Family, MAX_N, Scheme};
use pqsoc_slhdsa::{Address, Error as SchemeError, Input, Params};
use zeroize::Zeroize;

use crate::accelerator::Accelerator;
use crate::error::Error;
use crate::hash::Hash;
use crate::platform::Platform;

/// What an operation gives.
pub(super) type Outcome<T = ()> = Result<T, SchemeError<Error>>;

pub(super) fn failed(error: Error) -> SchemeError<Error> {
    SchemeError::Engine(error)
}

/// Parameters and seeds of a key.
pub(super) struct Key {
    pub n: usize,
    pk_seed: Node,
    sk_seed: Node,
}

impl Drop for Key {
    fn drop(&mut self) {
        self.sk_seed.zeroize();
    }
}

impl Key {
    pub const NONE: Self = Self { n: MAX_N, pk_seed: [0; MAX_N], sk_seed: [0; MAX_N] };

    /// Takes the key, if it is of a set that the fabric has the hash functions of: SHAKE256 without masks, and chains of
    /// up to 15 steps.
    pub fn begin(&mut self, params: &Params, pk_seed: &[u8], sk_seed: &[u8]) -> Outcome {
        if params.family != Family::Shake || params.scheme != Scheme::SlhDsa || params.w() > 16 {
            return Err(SchemeError::Family(params.family));
        }
        self.n = params.n;
        self.sk_seed.zeroize();
        for (to, from) in [(&mut self.pk_seed, pk_seed), (&mut self.sk_seed, sk_seed)] {
            for (to, from) in to.iter_mut().zip(from) {
                *to = *from;
            }
        }
        Ok(())
    }

    pub fn pk_seed(&self) -> &[u8] {
        self.node(&self.pk_seed)
    }

    pub fn sk_seed(&self) -> &[u8] {
        self.node(&self.sk_seed)
    }

    /// The bytes of a node that count.
    pub fn node<'a>(&self, node: &'a Node) -> &'a [u8] {
        node.get(..self.n).unwrap_or(node)
    }

    /// PRF_msg. FIPS 205, section 11.1.
    pub fn prf_msg<P: Platform>(
        &self,
        accelerator: &mut Accelerator<P>,
        sk_prf: &[u8],
        opt_rand: &[u8],
        message: &dyn Input,
        r: &mut Node,
    ) -> Outcome {
        let out = r.get_mut(..self.n).unwrap_or_default();
        hash_message(accelerator, &[sk_prf, opt_rand], message, out)
    }

    /// H_msg. FIPS 205, section 11.1.
    pub fn h_msg<P: Platform>(
        &self,
        accelerator: &mut Accelerator<P>,
        r: &Node,
        pk_root: &[u8],
        message: &dyn Input,
        digest: &mut [u8],
    ) -> Outcome {
        hash_message(accelerator, &[self.node(r), self.pk_seed(), pk_root], message, digest)
    }

    /// Begins T_l.
    pub fn tl_start<P: Platform>(
        &self,
        accelerator: &mut Accelerator<P>,
        hash: &mut Hash,
        address: &Address,
    ) -> Outcome {
        *hash = Hash::default();
        accelerator.absorb(hash, self.pk_seed()).map_err(failed)?;
        accelerator.absorb(hash, address.as_bytes()).map_err(failed)
    }

    /// Appends a node.
    pub fn tl_absorb<P: Platform>(
        &self,
        accelerator: &mut Accelerator<P>,
        hash: &mut Hash,
        node: &Node,
    ) -> Outcome {
        accelerator.absorb(hash, self.node(node)).map_err(failed)
    }

    /// Ends T_l.
    pub fn tl_finish<P: Platform>(
        &self,
        accelerator: &mut Accelerator<P>,
        hash: &mut Hash,
        out: &mut Node,
    ) -> Outcome {
        accelerator.squeeze(hash, out.get_mut(..self.n).unwrap_or_default()).map_err(failed)
    }
}

/// SHAKE256 of `parts` and a message.
fn hash_message<P: Platform>(
    accelerator: &mut Accelerator<P>,
    parts: &[&[u8]],
    message: &dyn Input,
    out: &mut [u8],
) -> Outcome {
    let mut hash = Hash::default();
    let mut outcome = Ok(());
    let mut absorb = |piece: &[u8]| {
        if outcome.is_ok() {
            outcome = accelerator.absorb(&mut hash, piece);
        }
    };
    for part in parts {
        absorb(part);
    }
    message.read(&mut absorb)?;
    outcome.and_then(|()| accelerator.squeeze(&mut hash, out)).map_err(failed)
}

/// Copies pieces one after the other to the beginning of `out`, and returns how many bytes they are.
pub(super) fn gather<'a>(out: &mut [u8], pieces: impl IntoIterator<Item = &'a [u8]>) -> usize {
    let mut rest = out;
    let mut length = 0;
    for piece in pieces {
        let Some((now, later)) = rest.split_at_mut_checked(piece.len()) else { break };
        now.copy_from_slice(piece);
        rest = later;
        length += piece.len();
    }
    length
}
