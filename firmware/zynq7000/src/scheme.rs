// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The schemes by name, with one face: keys and signatures in slots.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, Ordering};

use crate::engines::{Chosen, Failed};
use crate::ml_dsa;
#[cfg(feature = "slh-dsa")]
use crate::slh_dsa;

/// Sizes in bytes.
pub struct Lengths {
    /// Of the public key.
    pub public_key: usize,
    /// Of the private key.
    pub secret_key: usize,
    /// Of a signature.
    pub signature: usize,
}

/// A set, over slices of the right lengths; the work memory is on the stack.
pub trait Scheme: Sync {
    /// The sizes of keys and signatures.
    fn lengths(&self) -> Lengths;

    /// Both keys; `seeds` holds the scheme's seeds one behind the other, and more.
    fn keygen(
        &'static self,
        engine: Chosen<'_>,
        seeds: &[u8; 96],
        public_key: &mut [u8],
        secret_key: &mut [u8],
    ) -> Result<(), Failed>;

    /// Signs without context and randomness. Returns the attempts of ML-DSA.
    fn sign(
        &'static self,
        engine: Chosen<'_>,
        secret_key: &[u8],
        message: &[u8],
        signature: &mut [u8],
    ) -> Result<Option<u32>, Failed>;

    /// Verifies without context.
    fn verify(
        &'static self,
        engine: Chosen<'_>,
        public_key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), Failed>;
}

/// The set of that name.
pub fn find(algorithm: &str) -> Option<&'static dyn Scheme> {
    #[cfg(feature = "slh-dsa")]
    if let Some(scheme) = slh_dsa::find(algorithm) {
        return Some(scheme);
    }
    ml_dsa::find(algorithm)
}

/// Bytes of the longest signature: SLH-DSA-256f's, or ML-DSA-87's.
const SIGNATURE: usize = if cfg!(feature = "slh-dsa") { 49_856 } else { 4_627 };

/// Keys and a signature of any set.
pub struct Slots {
    /// The public key: ML-DSA-87's is the longest.
    pub public_key: [u8; 2592],
    /// The private key: ML-DSA-87's is the longest.
    pub secret_key: [u8; 4896],
    /// The signature.
    pub signature: [u8; SIGNATURE],
}

struct Once(AtomicBool, UnsafeCell<Slots>);

// SAFETY: the flag lets one caller have what is in the cell, once.
unsafe impl Sync for Once {}

static SLOTS: Once = Once(
    AtomicBool::new(false),
    UnsafeCell::new(Slots { public_key: [0; 2592], secret_key: [0; 4896], signature: [0; SIGNATURE] }),
);

/// The slots; nothing when they have been taken.
pub fn take_slots() -> Option<&'static mut Slots> {
    // SAFETY: nobody else gets here.
    (!SLOTS.0.swap(true, Ordering::Relaxed)).then(|| unsafe { &mut *SLOTS.1.get() })
}
