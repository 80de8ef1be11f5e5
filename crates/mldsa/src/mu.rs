//! The message representative mu. FIPS 204, algorithm 7, line 6.
use crate::{
    engine::Engine,
    params::{ParameterSet, Params},
};
use pqsoc_keccak::Shake256;
use pqsoc_message::{Context, Message};

/// The message representative: 64 bytes (48 in Dilithium 3.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mu {
    bytes: [u8; 64],
    len: usize,
}

impl AsRef<[u8]> for Mu {
    fn as_ref(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or(&[])
    }
}

impl Mu {
    /// H(tr || M') with M' in `parts`.
    pub(crate) fn new<S: ParameterSet, E: Engine>(
        engine: &mut E,
        tr: &[u8],
        [header, context, oid, body]: [&[u8]; 4],
    ) -> Result<Self, E::Error> {
        let mut mu = Self { bytes: [0; 64], len: S::PARAMS.mu_len };
        let (out, _) = mu.bytes.split_at_mut_checked(mu.len).unwrap_or((&mut [], &mut []));
        engine.shake256(&[tr, header, context, oid, body], out)?;
        Ok(mu)
    }
}

impl From<[u8; 64]> for Mu {
    /// A mu computed elsewhere.
    fn from(bytes: [u8; 64]) -> Self {
        Self { bytes, len: 64 }
    }
}

/// Computes mu from a message that comes in pieces of any length, in software.
pub struct MuBuilder {
    hash: Shake256,
    len: usize,
}

impl MuBuilder {
    /// Begins with `tr`, the hash of the public key; what follows is M' as the internal interface takes it.
    pub fn internal(params: &Params, tr: &[u8]) -> Self {
        let mut hash = Shake256::new();
        hash.absorb(tr);
        Self { hash, len: params.mu_len.min(64) }
    }

    /// Begins with `tr` and the header of a pure message: what follows is the message itself. FIPS 204, algorithm 2.
    ///
    /// `None` if there is a context and the set has none (Dilithium).
    pub fn pure(params: &Params, tr: &[u8], context: Context<'_>) -> Option<Self> {
        let mut builder = Self::internal(params, tr);
        for part in parts(params, &Message::pure(context, &[]))? {
            builder.update(part);
        }
        Some(builder)
    }

    /// Appends `bytes`.
    pub fn update(&mut self, bytes: &[u8]) {
        self.hash.absorb(bytes);
    }

    /// Ends the message.
    pub fn finish(mut self) -> Mu {
        let mut mu = Mu { bytes: [0; 64], len: self.len };
        if let Some(bytes) = mu.bytes.get_mut(..mu.len) {
            self.hash.finish().squeeze(bytes);
        }
        mu
    }
}

/// The pieces of M' for a set, or `None` for a context or pre-hash in a set that formats no messages (Dilithium).
pub(crate) fn parts<'a>(params: &Params, message: &'a Message<'_>) -> Option<[&'a [u8]; 4]> {
    match message.parts() {
        parts if params.context => Some(parts),
        [[] | [0, 0], [], [], body] => Some([&[], &[], &[], body]),
        _ => None,
    }
}
