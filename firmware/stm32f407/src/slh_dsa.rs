// SPDX-License-Identifier: Apache-2.0 OR MIT

//! SLH-DSA and SPHINCS+.

use pqsoc_slhdsa::{Context, Message, Params, SigningKey, VerifyingKey};

use crate::scheme::{Failed, Lengths, Scheme};

impl Scheme for Params {
    fn lengths(&self) -> Lengths {
        Lengths {
            public_key: self.public_key_len(),
            secret_key: self.private_key_len(),
            signature: self.signature_len(),
        }
    }

    fn keygen(
        &'static self,
        seeds: &[u8; 96],
        public_key: &mut [u8],
        secret_key: &mut [u8],
    ) -> Result<(), Failed> {
        let mut parts = seeds.chunks(self.n);
        let mut part = || parts.next().ok_or(Failed);
        let key = SigningKey::from_seeds(self, part()?, part()?, part()?);
        let key = key.as_ref().map_err(|_| Failed)?;
        secret_key.copy_from_slice(key.as_bytes());
        public_key.copy_from_slice(key.verifying_key().as_bytes());
        Ok(())
    }

    fn sign(
        &'static self,
        secret_key: &[u8],
        message: &[u8],
        signature: &mut [u8],
    ) -> Result<Option<u32>, Failed> {
        // Not moved out of the result: a copy would be on the stack.
        let key = SigningKey::from_bytes(self, secret_key);
        let key = key.as_ref().map_err(|_| Failed)?;
        let message = Message::pure(Context::EMPTY, message);
        key.sign_deterministic(&message, signature).map(|()| None).map_err(|_| Failed)
    }

    fn verify(&'static self, public_key: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failed> {
        let key = VerifyingKey::from_bytes(self, public_key);
        let key = key.as_ref().map_err(|_| Failed)?;
        key.verify(&Message::pure(Context::EMPTY, message), signature).map_err(|_| Failed)
    }
}

/// The set of that name; there are no profiles.
pub fn find(algorithm: &str, profile: &str) -> Option<&'static dyn Scheme> {
    let params = Params::by_name(algorithm).filter(|_| profile == "-")?;
    Some(params)
}
