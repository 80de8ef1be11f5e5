//! The engines of SLH-DSA over the verilated fabric.
mod common;

use common::{ZEDBOARD, accelerator};
use pqsoc_driver::slhdsa::{Resident, Study};
use pqsoc_slhdsa::engine::{Engine, Shake};
use pqsoc_slhdsa::params::{
    Family, SLH_DSA_SHAKE_128F, SLH_DSA_SHAKE_128S, SLH_DSA_SHAKE_192F, SLH_DSA_SHAKE_192S,
    SLH_DSA_SHAKE_256F, SLH_DSA_SHAKE_256S, Scheme,
};
use pqsoc_slhdsa::{Context, Error, Message, Params, SigningKey, conformance};

const PATIENCE: u32 = 5_000;

/// Small trees of each n.
static SMALL: [Params; 3] =
    [small([16, 6, 3, 3, 5, 4]), small([24, 4, 2, 2, 3, 3]), small([32, 3, 1, 3, 4, 4])];

const fn small(numbers: [usize; 6]) -> Params {
    Params::new("small", Family::Shake, Scheme::SlhDsa, numbers).unwrap()
}

#[test]
fn study_keeps_every_promise() {
    let mut accelerator = accelerator(ZEDBOARD, PATIENCE);
    for params in &SMALL {
        conformance(&mut Study::new(&mut accelerator), params);
    }
}

#[test]
fn resident_keeps_every_promise() {
    let mut accelerator = accelerator(ZEDBOARD, PATIENCE);
    for params in &SMALL {
        conformance(&mut Resident::new(&mut accelerator), params);
    }
}

#[test]
fn other_hash_functions_are_refused() {
    let mut accelerator = accelerator(ZEDBOARD, PATIENCE);
    let sha2 = Params::by_name("SLH-DSA-SHA2-128f").unwrap();
    let outcome = Study::new(&mut accelerator).begin(sha2, &[0; 16], &[]);
    assert_eq!(outcome, Err(Error::Family(Family::Sha2)));
}

/// A key and a signature by `engine` are those of the library's.
fn same_signature(engine: &mut impl Engine<Error = pqsoc_driver::Error>, params: &'static Params) {
    let n = params.n;
    let seeds: Vec<u8> = (0..3 * n as u8).collect();
    let (sk_seed, sk_prf, pk_seed) = (&seeds[..n], &seeds[n..2 * n], &seeds[2 * n..]);
    let key =
        SigningKey::from_seeds_with(engine, params, [sk_seed, sk_prf, pk_seed], &mut |_, _| {}).unwrap();
    let mut shake = Shake::new();
    let expected =
        SigningKey::from_seeds_with(&mut shake, params, [sk_seed, sk_prf, pk_seed], &mut |_, _| {}).unwrap();
    assert_eq!(key.pk_root(), expected.pk_root());

    let message = Message::pure(Context::EMPTY, b"signed by the fabric");
    let (mut signature, mut expected) = (Vec::new(), Vec::new());
    key.sign_with(engine, &message, None, &mut signature, &mut |_, _| {}).unwrap();
    key.sign_with(&mut shake, &message, None, &mut expected, &mut |_, _| {}).unwrap();
    assert!(signature == expected, "{params}");
    key.verifying_key().verify_with(engine, &message, &mut &*signature).unwrap();
    signature[n] ^= 1;
    assert_eq!(key.verifying_key().verify_with(engine, &message, &mut &*signature), Err(Error::Signature));
}

#[test]
fn the_fast_sets_sign_as_the_library_does() {
    let mut accelerator = accelerator(ZEDBOARD, PATIENCE);
    for params in [&SLH_DSA_SHAKE_128F, &SLH_DSA_SHAKE_192F, &SLH_DSA_SHAKE_256F] {
        same_signature(&mut Resident::new(&mut accelerator), params);
    }
    same_signature(&mut Study::new(&mut accelerator), &SMALL[0]);
}

#[test]
#[ignore = "slow: the small sets, and each hash a round trip: hours of the simulated fabric"]
fn all_sets_sign_as_the_library_does() {
    let mut accelerator = accelerator(ZEDBOARD, PATIENCE);
    for params in [&SLH_DSA_SHAKE_128S, &SLH_DSA_SHAKE_192S, &SLH_DSA_SHAKE_256S] {
        same_signature(&mut Resident::new(&mut accelerator), params);
    }
    for params in [&SLH_DSA_SHAKE_128F, &SLH_DSA_SHAKE_192F, &SLH_DSA_SHAKE_256F] {
        same_signature(&mut Study::new(&mut accelerator), params);
    }
}
