//! The operations over byte slices, with the caller's engine and the caller's memory.
//!
//! Every slice has the length that [`Params`](crate::Params) gives; another one is an error. The memory may hold anything before; after
//! an operation, failed or not, it holds nothing secret.
use crate::{
    engine::Engine,
    error::{KeyError, SignError, VerifyError},
    mu::Mu,
    params::{ParameterSet, SEED_LEN},
    profile::{KeygenMemory, Profile, SigningMemory, VerifyingMemory},
};
use pqsoc_message::Message;

/// Most attempts at one signature: an honest key needs more with a probability below 2^-256. FIPS 204, appendix C, table 3.
pub const MAX_ATTEMPTS: u32 = 814;

/// Key generation from the seed `xi`: FIPS 204, algorithm 6, with both keys encoded.
///
/// Fails with [`KeyError::Length`] and [`KeyError::Engine`] only.
pub fn keygen<S: ParameterSet, P: Profile, E: Engine>(
    engine: &mut E,
    memory: &mut KeygenMemory<S, P, E>,
    xi: &[u8; SEED_LEN],
    public_key: &mut [u8],
    secret_key: &mut [u8],
) -> Result<(), KeyError<E::Error>> {
    todo!()
}

/// The public key of an expanded secret key, from rho, s1 and s2.
///
/// Checks what [`check_secret_key`] checks.
pub fn public_key<S: ParameterSet, P: Profile, E: Engine>(
    engine: &mut E,
    memory: &mut KeygenMemory<S, P, E>,
    secret_key: &[u8],
    public_key: &mut [u8],
) -> Result<(), KeyError<E::Error>> {
    todo!()
}

/// Checks an expanded secret key that came from elsewhere: s1 and s2 are in range, and t0 and tr are what they give.
pub fn check_secret_key<S: ParameterSet, P: Profile, E: Engine>(
    engine: &mut E,
    memory: &mut KeygenMemory<S, P, E>,
    secret_key: &[u8],
) -> Result<(), KeyError<E::Error>> {
    todo!()
}

/// mu of a message under the secret key: FIPS 204, algorithm 7, line 6.
pub fn signing_mu<S: ParameterSet, E: Engine>(
    engine: &mut E,
    secret_key: &[u8],
    message: &Message<'_>,
) -> Result<Mu, SignError<E::Error>> {
    todo!()
}

/// mu of a message under the public key: FIPS 204, algorithm 8, lines 6 and 7.
pub fn verifying_mu<S: ParameterSet, E: Engine>(
    engine: &mut E,
    public_key: &[u8],
    message: &Message<'_>,
) -> Result<Mu, VerifyError<E::Error>> {
    todo!()
}

/// Signs `mu`: FIPS 204, algorithm 7 from line 7 on. `rnd` is 32 random bytes, or zeros to sign deterministically.
///
/// Returns the number of attempts it took, 1 or more. After an error `signature` is all zeros.
///
/// The secret key must come from [`keygen`] or have passed [`check_secret_key`]; with another the signature may be
/// wrong or [`SignError::AttemptsExhausted`].
pub fn sign<S: ParameterSet, P: Profile, E: Engine>(
    engine: &mut E,
    memory: &mut SigningMemory<S, P, E>,
    secret_key: &[u8],
    mu: &[u8],
    rnd: &[u8; SEED_LEN],
    signature: &mut [u8],
) -> Result<u32, SignError<E::Error>> {
    todo!()
}

/// Verifies a signature of `mu`: FIPS 204, algorithm 8 without line 7.
pub fn verify<S: ParameterSet, P: Profile, E: Engine>(
    engine: &mut E,
    memory: &mut VerifyingMemory<S, P, E>,
    public_key: &[u8],
    mu: &[u8],
    signature: &[u8],
) -> Result<(), VerifyError<E::Error>> {
    todo!()
}
