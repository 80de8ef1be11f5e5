//! Many keys and signatures in one hash: C2SP's CCTV, ML-DSA/accumulated.
use pqsoc_keccak::Shake128;
use pqsoc_mldsa::{
    Context, Message, MlDsa44, MlDsa65, MlDsa87,
    dynamic::{Of, Scheme},
};
use pqsoc_mldsa::{Fast, Reference, Small};

/// Keys of the seeds that SHAKE128 gives on nothing, and of each a signature of the empty message.
fn accumulate(scheme: &dyn Scheme, count: usize) -> String {
    let params = scheme.params();
    let (mut seeds, mut accumulator) = (Shake128::new(), Shake128::new());
    let mut seeds = seeds.finish();
    let mut xi = [0; 32];
    let mut public_key = vec![0; params.public_key_len()];
    let mut secret_key = vec![0; params.secret_key_len()];
    let mut signature = vec![0; params.signature_len()];
    let message = Message::pure(Context::EMPTY, b"");
    for _ in 0..count {
        seeds.squeeze(&mut xi);
        scheme.keygen(&xi, &mut public_key, &mut secret_key).unwrap();
        scheme.sign(&secret_key, &message, &[0; 32], &mut signature).unwrap();
        scheme.verify(&public_key, &message, &signature).unwrap();
        accumulator.absorb(&public_key);
        accumulator.absorb(&signature);
    }
    let mut digest = [0; 32];
    accumulator.finish().squeeze(&mut digest);
    hex::encode(digest)
}

const HUNDRED: [&str; 3] = [
    "d51148e1f9f4fa1a723a6cf42e25f2a99eb5c1b378b3d2dbbd561b1203beeae4",
    "8358a1843220194417cadbc2651295cd8fc65125b5a5c1a239a16dc8b57ca199",
    "8c3ad714777622b8f21ce31bb35f71394f23bc0fcf3c78ace5d608990f3b061b",
];

#[test]
fn hundred_fast() {
    assert_eq!(accumulate(&Of::<MlDsa44, Fast>::new(), 100), HUNDRED[0]);
    assert_eq!(accumulate(&Of::<MlDsa65, Fast>::new(), 100), HUNDRED[1]);
    assert_eq!(accumulate(&Of::<MlDsa87, Fast>::new(), 100), HUNDRED[2]);
}

#[test]
fn hundred_reference() {
    assert_eq!(accumulate(&Of::<MlDsa44, Reference>::new(), 100), HUNDRED[0]);
    assert_eq!(accumulate(&Of::<MlDsa65, Reference>::new(), 100), HUNDRED[1]);
    assert_eq!(accumulate(&Of::<MlDsa87, Reference>::new(), 100), HUNDRED[2]);
}

#[test]
fn hundred_small() {
    assert_eq!(accumulate(&Of::<MlDsa44, Small>::new(), 100), HUNDRED[0]);
    assert_eq!(accumulate(&Of::<MlDsa65, Small>::new(), 100), HUNDRED[1]);
    assert_eq!(accumulate(&Of::<MlDsa87, Small>::new(), 100), HUNDRED[2]);
}

/// In an unoptimised build too slow by far.
#[cfg(not(debug_assertions))]
mod ten_thousand {
    use super::*;

    #[test]
    fn ml_dsa_44() {
        let expected = "e7fd21f6a59bcba60d65adc44404bb29a7c00e5d8d3ec06a732c00a306a7d143";
        assert_eq!(accumulate(&Of::<MlDsa44>::new(), 10_000), expected);
    }

    #[test]
    fn ml_dsa_65() {
        let expected = "5ff5e196f0b830c3b10a9eb5358e7c98a3a20136cb677f3ae3b90175c3ace329";
        assert_eq!(accumulate(&Of::<MlDsa65>::new(), 10_000), expected);
    }

    #[test]
    fn ml_dsa_87() {
        let expected = "80a8cf39317f7d0be0e24972c51ac152bd2a3e09bc0c32ce29dd82c4e7385e60";
        assert_eq!(accumulate(&Of::<MlDsa87>::new(), 10_000), expected);
    }
}
