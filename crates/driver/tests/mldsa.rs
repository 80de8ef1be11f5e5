//! The engines of ML-DSA over the verilated fabric: they keep every promise of an engine, and sign as the library does.
mod common;

use common::{Host, SCATTER_GATHER, ZEDBOARD, accelerator, pool};
use pqsoc_driver::Accelerator;
use pqsoc_driver::mldsa::{Resident, Study};
use pqsoc_mldsa::conformance::conformance;
use pqsoc_mldsa::{
    Blank, Dilithium2, Dilithium3, Dilithium5, Engine, Fast, KeygenMemory, ParameterSet, Portable,
    SigningMemory, VerifyError, VerifyingMemory, raw,
};

/// Milliseconds that the hardware may take, in microseconds of simulated time.
const PATIENCE: u32 = 5_000;

#[test]
fn study_keeps_every_promise() {
    let (mut accelerator, mut pool) = (accelerator(ZEDBOARD, PATIENCE), pool::<160>());
    conformance(&mut Study::new(&mut accelerator, &mut pool));
    assert_eq!(pool.count(), 160);
}

#[test]
fn resident_keeps_every_promise() {
    let (mut accelerator, mut pool) = (accelerator(ZEDBOARD, PATIENCE), pool());
    conformance(&mut Resident::new(&mut accelerator, &mut pool).unwrap());
}

/// Key, signature and verification by `engine` are those of the portable engine.
fn same_signature<S: ParameterSet, E: Engine<Error = pqsoc_driver::Error>>(engine: &mut E) {
    let (mut public, mut secret, mut signature) =
        (S::PublicKey::BLANK, S::SecretKey::BLANK, S::Signature::BLANK);
    let (mut public2, mut secret2, mut signature2) =
        (S::PublicKey::BLANK, S::SecretKey::BLANK, S::Signature::BLANK);
    let (seed, rnd, mu) = ([7; 32], [8; 32], &[9; 64][..S::PARAMS.mu_len]);

    let mut memory = Box::new(KeygenMemory::<S, Fast, E>::BLANK);
    raw::keygen::<S, Fast, E>(engine, &mut memory, &seed, public.as_mut(), secret.as_mut()).unwrap();
    let mut memory = Box::new(KeygenMemory::<S, Fast>::BLANK);
    raw::keygen::<S, Fast, _>(&mut Portable, &mut memory, &seed, public2.as_mut(), secret2.as_mut()).unwrap();
    assert!(public.as_ref() == public2.as_ref() && secret.as_ref() == secret2.as_ref(), "{}", S::PARAMS.name);

    let mut memory = Box::new(SigningMemory::<S, Fast, E>::BLANK);
    raw::sign::<S, Fast, E>(engine, &mut memory, secret.as_ref(), mu, &rnd, signature.as_mut()).unwrap();
    let mut memory = Box::new(SigningMemory::<S, Fast>::BLANK);
    raw::sign::<S, Fast, _>(&mut Portable, &mut memory, secret.as_ref(), mu, &rnd, signature2.as_mut())
        .unwrap();
    assert!(signature.as_ref() == signature2.as_ref(), "{}", S::PARAMS.name);

    let mut memory = Box::new(VerifyingMemory::<S, Fast, E>::BLANK);
    raw::verify::<S, Fast, E>(engine, &mut memory, public.as_ref(), mu, signature.as_ref()).unwrap();
    signature.as_mut()[0] ^= 1;
    let forged = raw::verify::<S, Fast, E>(engine, &mut memory, public.as_ref(), mu, signature.as_ref());
    assert_eq!(forged, Err(VerifyError::Challenge));
}

/// Of ML-DSA this is a part of the conformance test.
#[test]
fn dilithium_signs_as_the_library_does() {
    let (mut accelerator, mut polys, mut mirrors) = (accelerator(ZEDBOARD, PATIENCE), pool::<100>(), pool());
    let mut study = Study::new(&mut accelerator, &mut polys);
    same_signature::<Dilithium2, _>(&mut study);
    same_signature::<Dilithium3, _>(&mut study);
    same_signature::<Dilithium5, _>(&mut study);
    let mut resident = Resident::new(&mut accelerator, &mut mirrors).unwrap();
    same_signature::<Dilithium2, _>(&mut resident);
    same_signature::<Dilithium3, _>(&mut resident);
    same_signature::<Dilithium5, _>(&mut resident);
}

/// The same driver on a DMA with scatter-gather, which has no direct mode.
#[test]
fn with_scatter_gather() {
    let (mut accelerator, mut polys, mut mirrors): (Accelerator<Host>, _, _) =
        (accelerator(SCATTER_GATHER, PATIENCE), pool::<100>(), pool());
    same_signature::<pqsoc_mldsa::MlDsa44, _>(&mut Study::new(&mut accelerator, &mut polys));
    same_signature::<pqsoc_mldsa::MlDsa44, _>(&mut Resident::new(&mut accelerator, &mut mirrors).unwrap());
}
