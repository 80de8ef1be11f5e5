//! The operations over byte slices, with the caller's engine and the caller's memory.
//!
//! Every slice has the length that [`Params`](crate::Params) gives; another one is an error. The memory is blank before and after: an
//! operation, failed or not, leaves nothing in it.
use crate::{
    challenge::Challenge,
    engine::Engine,
    error::{KeyError, Length, SignError, VerifyError},
    layout::{PublicKey, SecretKey, SecretKeyMut, Signature, SignatureMut, length, polys, polys_mut},
    mu::{self, Mu},
    params::{ParameterSet, SEED_LEN, T0_LEN, T1_LEN},
    profile::{
        KeptPublic, KeptSecret, KeygenMemory, KeygenSteps, MaskSeed, Profile, SigningMemory, SigningSteps,
        VerifyingMemory, VerifyingSteps,
    },
};
use pqsoc_message::Message;
use subtle::{Choice, ConstantTimeEq};
use zeroize::Zeroizing;

/// Most attempts at one signature: an honest key needs more with a probability below 2^-256. FIPS 204, appendix C,
/// table 3.
pub const MAX_ATTEMPTS: u32 = 814;

// The nonce of a mask, kappa and a column, is 16 bits: it does not wrap with the 7 columns of ML-DSA-87.
const _: () = assert!(MAX_ATTEMPTS * 7 < 1 << 16);

/// Key generation from the seed `xi`, with both keys encoded. FIPS 204, algorithm 6.
///
/// Fails with [`KeyError::Length`] and [`KeyError::Engine`] only.
pub fn keygen<S: ParameterSet, P: Profile, E: Engine>(
    engine: &mut E,
    memory: &mut KeygenMemory<S, P, E>,
    xi: &[u8; SEED_LEN],
    public_key: &mut [u8],
    secret_key: &mut [u8],
) -> Result<(), KeyError<E::Error>> {
    length(S::PARAMS.public_key_len(), public_key)?;
    let key = SecretKeyMut::new(&S::PARAMS, secret_key)?;
    let result = keygen_steps::<S, E>(engine, memory, xi, public_key, key);
    memory.release(engine);
    result.map_err(KeyError::Engine)
}

fn keygen_steps<S: ParameterSet, E: Engine>(
    engine: &mut E,
    memory: &mut impl KeygenSteps<S, E>,
    xi: &[u8; SEED_LEN],
    public_key: &mut [u8],
    key: SecretKeyMut<'_>,
) -> Result<(), E::Error> {
    let SecretKeyMut { rho, k, tr, s1, s2, t0 } = key;
    let params = &S::PARAMS;

    // 1: (rho, rho', K) = H(xi || k || l)
    let dimensions = [params.k as u8, params.l as u8];
    let dimensions: &[u8] = if params.keygen_binds_dimensions { &dimensions } else { &[] };
    let mut seeds = Zeroizing::new([0; 4 * SEED_LEN]);
    let (seeds, _) = seeds.split_at_mut(2 * SEED_LEN + params.secret_seed_len);
    engine.shake256(&[xi, dimensions], seeds)?;
    let (public_seed, seeds) = seeds.split_at(SEED_LEN);
    let (secret_seed, mask_key) = seeds.split_at(params.secret_seed_len);
    rho.copy_from_slice(public_seed);
    k.copy_from_slice(mask_key);

    // 4: (s1, s2) = ExpandS(rho')
    let (encoding, mut nonce) = (params.s_encoding(), 0);
    for (vector, mut missing) in [(&mut *s1, params.l), (&mut *s2, params.k)] {
        let mut bytes = polys_mut(vector, params.s_len());
        let scratch = memory.scratch();
        while missing > 0 {
            let count = missing.min(scratch.len());
            let (polys, _) = scratch.split_at_mut(count);
            engine.expand_s(polys, encoding, secret_seed, nonce)?;
            for (p, bytes) in polys.iter().zip(&mut bytes) {
                engine.pack(p, encoding, bytes)?;
            }
            nonce += count as u16;
            missing -= count;
        }
    }

    // 5, 6: t = A s1 + s2, (t1, t0) = Power2Round(t)
    memory.begin(engine, rho, s1)?;
    let (public_rho, t1) = public_key.split_at_mut(SEED_LEN);
    public_rho.copy_from_slice(rho);
    let rows = polys(s2, params.s_len()).zip(t1.as_chunks_mut::<T1_LEN>().0).zip(t0);
    for (row, ((s2, t1), t0)) in (0..).zip(rows) {
        let t = memory.t(engine, rho, s1, row, s2)?;
        engine.power2round(t, t1, t0)?;
    }

    // 9: tr = H(pk)
    engine.shake256(&[public_key], tr)
}

/// The public key of an expanded secret key, from rho, s1 and s2, after what [`check_secret_key`] checks.
pub fn public_key<S: ParameterSet, P: Profile, E: Engine>(
    engine: &mut E,
    memory: &mut KeygenMemory<S, P, E>,
    secret_key: &[u8],
    public_key: &mut [u8],
) -> Result<(), KeyError<E::Error>> {
    length(S::PARAMS.public_key_len(), public_key)?;
    let key = SecretKey::new(&S::PARAMS, secret_key)?;
    let (rho, t1) = public_key.split_at_mut(SEED_LEN);
    rho.copy_from_slice(key.rho);
    let mut rows = t1.as_chunks_mut::<T1_LEN>().0.iter_mut();
    recompute::<S, P, E>(engine, memory, &key, |t1| {
        if let Some(row) = rows.next() {
            *row = *t1;
        }
    })
}

/// Checks an expanded secret key that came from elsewhere: s1 and s2 are in range, and t0 and tr are what they give.
pub fn check_secret_key<S: ParameterSet, P: Profile, E: Engine>(
    engine: &mut E,
    memory: &mut KeygenMemory<S, P, E>,
    secret_key: &[u8],
) -> Result<(), KeyError<E::Error>> {
    let key = SecretKey::new(&S::PARAMS, secret_key)?;
    recompute::<S, P, E>(engine, memory, &key, |_| ())
}

/// Computes the public key row by row, gives each to `put`, and compares t0 and tr.
fn recompute<S: ParameterSet, P: Profile, E: Engine>(
    engine: &mut E,
    memory: &mut KeygenMemory<S, P, E>,
    key: &SecretKey<'_>,
    put: impl FnMut(&[u8; T1_LEN]),
) -> Result<(), KeyError<E::Error>> {
    let result = recompute_steps::<S, E>(engine, memory, key, put);
    memory.release(engine);
    result.map_err(KeyError::Engine)?
}

/// Outside the engine's error, inside what the key is.
fn recompute_steps<S: ParameterSet, E: Engine>(
    engine: &mut E,
    memory: &mut impl KeygenSteps<S, E>,
    key: &SecretKey<'_>,
    mut put: impl FnMut(&[u8; T1_LEN]),
) -> Result<Result<(), KeyError<E::Error>>, E::Error> {
    let params = &S::PARAMS;
    let mut in_range = true;
    for s in [key.s1, key.s2].into_iter().flat_map(|v| polys(v, params.s_len())) {
        for p in memory.scratch().iter_mut().take(1) {
            engine.unpack(p, params.s_encoding(), s)?;
            in_range &= !engine.norm_reaches(p, params.eta + 1)?;
        }
    }
    if !in_range {
        return Ok(Err(KeyError::SecretRange));
    }

    memory.begin(engine, key.rho, key.s1)?;
    let mut hash = E::Hash::default();
    engine.absorb(&mut hash, key.rho)?;
    let mut same_t0 = Choice::from(1);
    let mut t0 = Zeroizing::new([0; T0_LEN]);
    for (row, (s2, expected)) in (0..).zip(polys(key.s2, params.s_len()).zip(key.t0)) {
        let mut t1 = [0; T1_LEN];
        let t = memory.t(engine, key.rho, key.s1, row, s2)?;
        engine.power2round(t, &mut t1, &mut t0)?;
        engine.absorb(&mut hash, &t1)?;
        same_t0 &= t0.ct_eq(expected);
        put(&t1);
    }
    let mut tr = [0; 64];
    let (tr, _) = tr.split_at_mut(params.tr_len);
    engine.finish(&mut hash, tr)?;
    Ok(if !bool::from(same_t0) {
        Err(KeyError::T0)
    } else if !bool::from(tr.ct_eq(key.tr)) {
        Err(KeyError::Tr)
    } else {
        Ok(())
    })
}

/// mu of a message under the secret key. FIPS 204, algorithm 7, line 6.
pub fn signing_mu<S: ParameterSet, E: Engine>(
    engine: &mut E,
    secret_key: &[u8],
    message: &Message<'_>,
) -> Result<Mu, SignError<E::Error>> {
    let key = SecretKey::new(&S::PARAMS, secret_key).map_err(SignError::SecretKeyLength)?;
    let parts = mu::parts(&S::PARAMS, message).ok_or(SignError::ContextNotOffered)?;
    Mu::new::<S, E>(engine, key.tr, parts).map_err(SignError::Engine)
}

/// mu of a message under the public key. FIPS 204, algorithm 8, lines 6 and 7.
pub fn verifying_mu<S: ParameterSet, E: Engine>(
    engine: &mut E,
    public_key: &[u8],
    message: &Message<'_>,
) -> Result<Mu, VerifyError<E::Error>> {
    let parts = mu::parts(&S::PARAMS, message).ok_or(VerifyError::ContextNotOffered)?;
    let mut tr = [0; 64];
    let tr = tr_of::<S, E>(engine, public_key, &mut tr)?;
    Mu::new::<S, E>(engine, tr, parts).map_err(VerifyError::Engine)
}

/// tr, the hash of a public key, in the first bytes of `out`. FIPS 204, algorithm 8, line 6.
pub fn tr_of<'a, S: ParameterSet, E: Engine>(
    engine: &mut E,
    public_key: &[u8],
    out: &'a mut [u8; 64],
) -> Result<&'a [u8], VerifyError<E::Error>> {
    length(S::PARAMS.public_key_len(), public_key).map_err(VerifyError::PublicKeyLength)?;
    let (tr, _) = out.split_at_mut(S::PARAMS.tr_len);
    engine.shake256(&[public_key], tr).map_err(VerifyError::Engine)?;
    Ok(tr)
}

/// Signs `mu`: FIPS 204, algorithm 7 from line 7 on. `rnd` is 32 random bytes, or zeros to sign deterministically.
///
/// Returns the number of attempts it took, 1 or more. After an error `signature` is all zeros.
///
/// The secret key comes from [`keygen`] or has passed [`check_secret_key`]; with another the signature may be wrong, or
/// the error [`SignError::AttemptsExhausted`].
///
/// The time shows the number of attempts and which polynomial ended each, as the standard's design allows. While it runs,
/// `signature` takes parts of rejected attempts: they are as secret as the key until it returns.
pub fn sign<S: ParameterSet, P: Profile, E: Engine>(
    engine: &mut E,
    memory: &mut SigningMemory<S, P, E>,
    secret_key: &[u8],
    mu: &[u8],
    rnd: &[u8; SEED_LEN],
    signature: &mut [u8],
) -> Result<u32, SignError<E::Error>> {
    let key = SecretKey::new(&S::PARAMS, secret_key).map_err(SignError::SecretKeyLength)?;
    let result = match memory.kept.prepare(engine, &key) {
        Ok(()) => sign_kept::<S, E, _>(engine, &memory.kept, &mut memory.work, &key, mu, rnd, signature),
        Err(error) => Err(SignError::Engine(error)),
    };
    memory.kept.release(engine);
    if result.is_err() {
        signature.fill(0);
    }
    result
}

/// [`sign`] with what belongs to the key at hand.
pub(crate) fn sign_kept<S: ParameterSet, E: Engine, K>(
    engine: &mut E,
    kept: &K,
    work: &mut impl SigningSteps<S, E, K>,
    key: &SecretKey<'_>,
    mu: &[u8],
    rnd: &[u8; SEED_LEN],
    signature: &mut [u8],
) -> Result<u32, SignError<E::Error>> {
    let params = &S::PARAMS;
    length(params.mu_len, mu).map_err(SignError::MuLength)?;
    let mut signature = SignatureMut::new(params, signature).map_err(SignError::SignatureLength)?;

    let mut seed = Zeroizing::new([0; 64]);
    let (seed, _) = seed.split_at_mut(params.mu_len);
    let rnd: &[u8] = if params.hedged { rnd } else { &[] };
    mask_seed(engine, [key.k, rnd, mu], seed).map_err(SignError::Engine)?;

    let mut result = Err(SignError::AttemptsExhausted);
    let mut kappa = 0u16;
    for attempt in 1..=MAX_ATTEMPTS {
        let mask = MaskSeed { seed, kappa };
        match sign_attempt::<S, E, K>(engine, kept, work, key, mask, mu, &mut signature) {
            Ok(false) => kappa = kappa.wrapping_add(params.l as u16),
            Ok(true) => {
                result = Ok(attempt);
                break;
            }
            Err(error) => {
                result = Err(SignError::Engine(error));
                break;
            }
        }
    }
    work.release(engine);
    result
}

/// 7: rho'' = H(K || rnd || mu). A function of its own, as the place of the hash state on the stack is wanted again.
#[inline(never)]
fn mask_seed<E: Engine>(engine: &mut E, parts: [&[u8]; 3], seed: &mut [u8]) -> Result<(), E::Error> {
    engine.shake256(&parts, seed)
}

/// One turn of the loop of FIPS 204, algorithm 7. Returns whether there is a signature.
///
/// The checks have their own order: those on w - c s2 fail most often, so they come first; the hint comes last, when all that
/// it is computed from could be computed from a signature.
fn sign_attempt<S: ParameterSet, E: Engine, K>(
    engine: &mut E,
    kept: &K,
    work: &mut impl SigningSteps<S, E, K>,
    key: &SecretKey<'_>,
    mask: MaskSeed<'_>,
    mu: &[u8],
    signature: &mut SignatureMut<'_>,
) -> Result<bool, E::Error> {
    let params = &S::PARAMS;

    // 11, 12: w = A y
    work.commit(engine, kept, key, mask)?;

    // 13 to 15
    commitment_hash::<S, E, K>(engine, work, mu, signature.c_tilde)?;

    // 16: c = SampleInBall(c~)
    let (ball_seed, _) = signature.c_tilde.split_at(params.ball_seed_len);
    work.challenge(engine, ball_seed)?;

    // 21, 23: LowBits(w - c s2)
    for row in 0..params.k {
        let r = work.residue(engine, kept, key, row)?;
        if engine.low_bits_reach(r, params.gamma2, params.gamma2 - params.beta())? {
            return Ok(false);
        }
    }

    // 20, 23: z = y + c s1
    for (column, bytes) in polys_mut(signature.z, params.z_len()).enumerate() {
        let z = work.response(engine, kept, key, mask, column)?;
        if engine.norm_reaches(z, params.gamma1 - params.beta())? {
            return Ok(false);
        }
        engine.pack(z, params.z_encoding(), bytes)?;
    }

    // 25 to 28: the hint, encoded as it is made
    signature.places.fill(0);
    let mut used = 0;
    for (row, (t0, count)) in key.t0.iter().zip(signature.counts.iter_mut()).enumerate() {
        let ct0 = work.ct0(engine, kept, t0, row)?;
        if engine.norm_reaches(ct0, params.gamma2)? {
            return Ok(false);
        }
        let (_, free) = signature.places.split_at_mut(used);
        let Some(ones) = work.hint(engine, row, free)? else {
            return Ok(false);
        };
        used += ones;
        *count = used as u8;
    }
    Ok(true)
}

/// 13 to 15: c~ = H(mu || w1Encode(HighBits(w))). A function of its own, as [`mask_seed`] is.
#[inline(never)]
fn commitment_hash<S: ParameterSet, E: Engine, K>(
    engine: &mut E,
    work: &mut impl SigningSteps<S, E, K>,
    mu: &[u8],
    c_tilde: &mut [u8],
) -> Result<(), E::Error> {
    let mut hash = E::Hash::default();
    engine.absorb(&mut hash, mu)?;
    work.absorb(engine, &mut hash)?;
    engine.finish(&mut hash, c_tilde)
}

/// Verifies a signature of `mu`: FIPS 204, algorithm 8 without lines 6 and 7.
pub fn verify<S: ParameterSet, P: Profile, E: Engine>(
    engine: &mut E,
    memory: &mut VerifyingMemory<S, P, E>,
    public_key: &[u8],
    mu: &[u8],
    signature: &[u8],
) -> Result<(), VerifyError<E::Error>> {
    let key = PublicKey::new(&S::PARAMS, public_key).map_err(VerifyError::PublicKeyLength)?;
    let result = match memory.kept.prepare(engine, key.rho, key.t1) {
        Ok(()) => verify_kept::<S, E, _>(engine, &memory.kept, &mut memory.work, &key, mu, signature),
        Err(error) => Err(VerifyError::Engine(error)),
    };
    memory.kept.release(engine);
    result
}

/// [`verify`] with what belongs to the key at hand.
pub(crate) fn verify_kept<S: ParameterSet, E: Engine, K>(
    engine: &mut E,
    kept: &K,
    work: &mut impl VerifyingSteps<S, E, K>,
    key: &PublicKey<'_>,
    mu: &[u8],
    signature: &[u8],
) -> Result<(), VerifyError<E::Error>> {
    length(S::PARAMS.mu_len, mu).map_err(VerifyError::MuLength)?;
    let signature = Signature::new(&S::PARAMS, signature).map_err(VerifyError::SignatureLength)?;
    signature.hint.check().map_err(VerifyError::Hint)?;
    let result = verify_steps::<S, E, K>(engine, kept, work, key, mu, &signature);
    work.release(engine);
    result.map_err(VerifyError::Engine)?
}

/// Outside the engine's error, inside what the signature is.
fn verify_steps<S: ParameterSet, E: Engine, K>(
    engine: &mut E,
    kept: &K,
    work: &mut impl VerifyingSteps<S, E, K>,
    key: &PublicKey<'_>,
    mu: &[u8],
    signature: &Signature<'_>,
) -> Result<Result<(), VerifyError<E::Error>>, E::Error> {
    let params = &S::PARAMS;
    let Signature { c_tilde, z, hint } = signature;

    // 8: c = SampleInBall(c~)
    let (ball_seed, _) = c_tilde.split_at_checked(params.ball_seed_len).unwrap_or((c_tilde, &[]));
    let mut c = Challenge::NONE;
    engine.sample_in_ball(&mut c, ball_seed, params.tau)?;

    // 13, first half
    if !work.begin(engine, z, &c)? {
        return Ok(Err(VerifyError::ResponseRange));
    }

    // 9 to 12: c~' = H(mu || w1Encode(UseHint(h, A z - c t1 2^d)))
    let mut hash = E::Hash::default();
    engine.absorb(&mut hash, mu)?;
    for (row, (t1, places)) in (0..).zip(key.t1.iter().zip(hint.rows())) {
        let w = work.w(engine, kept, key.rho, z, &c, row, t1)?;
        engine.absorb_hinted_w1(&mut hash, w, params.gamma2, places)?;
    }

    // 13, second half
    Ok(if matches(engine, &mut hash, c_tilde)? { Ok(()) } else { Err(VerifyError::Challenge) })
}

/// Whether `hash` ends as `c_tilde`. A function of its own, as [`mask_seed`] is.
#[inline(never)]
fn matches<E: Engine>(engine: &mut E, hash: &mut E::Hash, c_tilde: &[u8]) -> Result<bool, E::Error> {
    let mut expected = [0; 64];
    let (expected, _) = expected.split_at_mut_checked(c_tilde.len()).unwrap_or((&mut [], &mut []));
    engine.finish(hash, expected)?;
    Ok(expected.ct_eq(c_tilde).into())
}

impl<E> From<Length> for KeyError<E> {
    fn from(length: Length) -> Self {
        Self::Length(length)
    }
}
