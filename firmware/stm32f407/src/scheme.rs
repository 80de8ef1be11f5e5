// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The schemes by name, with one face: keys and signatures in slots.

use pqsoc_jobs::{Operation, seeds};

use crate::board::Slots;
#[cfg(feature = "classical")]
use crate::classical;
#[cfg(feature = "ml-dsa")]
use crate::ml_dsa;
#[cfg(feature = "slh-dsa")]
use crate::slh_dsa;

/// Something failed that cannot fail with good keys.
#[derive(Debug)]
pub struct Failed;

/// Sizes in bytes.
pub struct Lengths {
    /// Of the public key.
    pub public_key: usize,
    /// Of the private key.
    pub secret_key: usize,
    /// Of a signature.
    pub signature: usize,
}

/// A set and how it is computed, over slices of the right lengths; the work memory is on the stack.
pub trait Scheme: Sync {
    /// The sizes of keys and signatures.
    fn lengths(&self) -> Lengths;

    /// Whether the 112 KB of SRAM1 are too little for the stack of a job, in which signing comes before verification.
    fn needs_sram2(&self, operation: Operation) -> bool {
        let _ = operation;
        false
    }

    /// Both keys; `seeds` holds the scheme's seeds one behind the other, and more.
    fn keygen(
        &'static self,
        seeds: &[u8; 96],
        public_key: &mut [u8],
        secret_key: &mut [u8],
    ) -> Result<(), Failed>;

    /// Signs without context and randomness. Returns the attempts of ML-DSA.
    fn sign(
        &'static self,
        secret_key: &[u8],
        message: &[u8],
        signature: &mut [u8],
    ) -> Result<Option<u32>, Failed>;

    /// Verifies without context.
    fn verify(&'static self, public_key: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failed>;
}

/// The set of that name with that profile.
pub fn find(algorithm: &str, profile: &str) -> Option<&'static dyn Scheme> {
    #[cfg(feature = "ml-dsa")]
    if let Some(scheme) = ml_dsa::find(algorithm, profile) {
        return Some(scheme);
    }
    #[cfg(feature = "slh-dsa")]
    if let Some(scheme) = slh_dsa::find(algorithm, profile) {
        return Some(scheme);
    }
    #[cfg(feature = "classical")]
    if let Some(scheme) = classical::find(algorithm, profile) {
        return Some(scheme);
    }
    None
}

// Nothing is inlined: the stack of one operation would be on that of another.

/// Both keys from a seed of any length, by [`seeds`].
#[inline(never)]
pub fn keygen(scheme: &'static dyn Scheme, seed: &[u8], run: u32, slots: &mut Slots) -> Result<(), Failed> {
    let seeds = seeds(seed, run);
    let lengths = scheme.lengths();
    let public_key = slots.public_key.get_mut(..lengths.public_key).ok_or(Failed)?;
    let secret_key = slots.secret_key.get_mut(..lengths.secret_key).ok_or(Failed)?;
    scheme.keygen(&seeds, public_key, secret_key)
}

/// Signs with the key in the slots.
#[inline(never)]
pub fn sign(scheme: &'static dyn Scheme, message: &[u8], slots: &mut Slots) -> Result<Option<u32>, Failed> {
    let lengths = scheme.lengths();
    let secret_key = slots.secret_key.get(..lengths.secret_key).ok_or(Failed)?;
    let signature = slots.signature.get_mut(..lengths.signature).ok_or(Failed)?;
    scheme.sign(secret_key, message, signature)
}

/// Verifies what [`sign`] left.
#[inline(never)]
pub fn verify(scheme: &'static dyn Scheme, message: &[u8], slots: &Slots) -> Result<(), Failed> {
    let lengths = scheme.lengths();
    let public_key = slots.public_key.get(..lengths.public_key).ok_or(Failed)?;
    let signature = slots.signature.get(..lengths.signature).ok_or(Failed)?;
    scheme.verify(public_key, message, signature)
}
