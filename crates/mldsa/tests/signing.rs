//! What signing must do, and how it fails.
use pqsoc_mldsa::{
    Context, Fast, KeyError, Length, MAX_ATTEMPTS, Message, MlDsa44, MlDsa65, MlDsa87, Mu, ParameterSet,
    Reference, SignError, Signature, SigningKey, Small, VerifyingKey,
    dynamic::{ALL, Of, Scheme, by_name},
};
use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng};
use rand_core::{TryCryptoRng, TryRng};

/// Fails always.
struct Broken;

impl TryRng for Broken {
    type Error = std::fmt::Error;

    fn try_next_u32(&mut self) -> Result<u32, std::fmt::Error> {
        Err(std::fmt::Error)
    }

    fn try_next_u64(&mut self) -> Result<u64, std::fmt::Error> {
        Err(std::fmt::Error)
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), std::fmt::Error> {
        Err(std::fmt::Error)
    }
}

impl TryCryptoRng for Broken {}

fn message() -> Message<'static> {
    Message::pure(Context::EMPTY, b"message")
}

/// Hedged signing never falls back to deterministic signing.
#[test]
fn failing_randomness_is_an_error() {
    let key = SigningKey::<MlDsa44>::from_seed(&[1; 32]);
    assert_eq!(key.sign_hedged(&mut Broken, &message()), Err(SignError::Randomness));
    assert!(SigningKey::<MlDsa44>::generate(&mut Broken).is_err());
    use signature::RandomizedSigner;
    assert!(key.try_sign_with_rng(&mut Broken, b"message").is_err());
}

#[test]
fn hedged_signatures_differ_and_verify() {
    let mut rng = ChaCha20Rng::from_seed([2; 32]);
    let key = SigningKey::<MlDsa65>::generate(&mut rng).unwrap();
    let one = key.sign_hedged(&mut rng, &message()).unwrap();
    let other = key.sign_hedged(&mut rng, &message()).unwrap();
    assert_ne!(one, other);
    for signature in [one, other, key.sign_deterministic(&message()).unwrap()] {
        key.verifying_key().verify_message(&message(), signature.as_ref()).unwrap();
    }
}

/// A t0 that is as large as can be everywhere gives too many hints in each attempt (about 110 where 80 may be). The end is
/// an error and no signature.
#[test]
fn malformed_key_ends() {
    let scheme = Of::<MlDsa44>::new();
    let params = scheme.params();
    let (mut public_key, mut secret_key) =
        (vec![0; params.public_key_len()], vec![0; params.secret_key_len()]);
    scheme.keygen(&[3; 32], &mut public_key, &mut secret_key).unwrap();
    let t0 = secret_key.len() - 416 * params.k;
    // Each coefficient of t0 is 2^12 or 1 - 2^12.
    let mut random = 1u32;
    for group in secret_key[t0..].chunks_mut(13) {
        for i in 0..8 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            for bit in 13 * i..13 * (i + 1) {
                let set = 1 << (bit % 8);
                group[bit / 8] = if random >> 31 == 1 { group[bit / 8] | set } else { group[bit / 8] & !set };
            }
        }
    }
    // Nearly every message: one attempt in a thousand that gets as far has fewer hints.
    let mut exhausted = 0;
    for i in 0..8 {
        let mut signature = vec![0xaa; params.signature_len()];
        if scheme.sign_mu(&secret_key, &[i; 64], &[0; 32], &mut signature)
            == Err(SignError::AttemptsExhausted)
        {
            assert!(signature.iter().all(|&byte| byte == 0));
            exhausted += 1;
        }
    }
    assert!(exhausted >= 2, "{exhausted} of 8");
    assert_eq!(MAX_ATTEMPTS, 814);
    // Which import would have found.
    assert_eq!(scheme.check_secret_key(&secret_key), Err(KeyError::T0));
}

/// The key of a seed is what it was, in all forms, and can give its seed back.
#[test]
fn forms_of_a_key() {
    fn set<S: ParameterSet>() {
        let seed = [5; 32];
        let key = SigningKey::<S>::from_seed(&seed);
        assert_eq!(key.seed(), Some(&seed));
        let expanded = key.expanded().as_ref().to_vec();
        let imported = SigningKey::<S>::from_expanded(&expanded).unwrap();
        assert_eq!(imported.seed(), None);
        assert_eq!(imported.expanded().as_ref(), expanded);
        let both = SigningKey::<S>::from_seed_and_expanded(&seed, &expanded).unwrap();
        assert_eq!(both.seed(), Some(&seed));
        for key in [&imported, &both] {
            assert_eq!(key.sign_deterministic(&message()), both.sign_deterministic(&message()));
            assert_eq!(
                key.verifying_key(),
                VerifyingKey::from_bytes(both.verifying_key().as_bytes().as_ref()).unwrap()
            );
        }
        let other = SigningKey::<S>::from_seed_and_expanded(&[6; 32], &expanded);
        assert_eq!(other.unwrap_err(), KeyError::Seed);
        let error = KeyError::Length(Length { expected: expanded.len(), actual: expanded.len() - 1 });
        let short = &expanded[..expanded.len() - 1];
        assert_eq!(SigningKey::<S>::from_expanded(short).unwrap_err(), error);
        assert_eq!(SigningKey::<S>::from_seed_and_expanded(&seed, short).unwrap_err(), error);
    }
    set::<MlDsa44>();
    set::<MlDsa65>();
    set::<MlDsa87>();
}

/// What an expanded key must fulfil, found in every profile.
#[test]
fn import_checks() {
    fn set<S: ParameterSet>() {
        let good = SigningKey::<S>::from_seed(&[7; 32]).expanded().as_ref().to_vec();
        let check = |bad: &[u8]| {
            let verdict = Of::<S, Fast>::new().check_secret_key(bad);
            assert_eq!(Of::<S, Reference>::new().check_secret_key(bad), verdict);
            assert_eq!(Of::<S, Small>::new().check_secret_key(bad), verdict);
            verdict
        };
        assert_eq!(check(&good), Ok(()));
        let params = S::PARAMS;
        let s1 = 64 + params.tr_len;
        let s2 = s1 + params.l * params.s_len();
        let t0 = s2 + params.k * params.s_len();
        let with = |at: usize, change: &dyn Fn(&mut u8)| {
            let mut bad = good.clone();
            change(&mut bad[at]);
            check(&bad)
        };
        // The largest field is -3 or -11: one in each polynomial.
        for i in 0..params.l + params.k {
            let at = s1 + i * params.s_len() + 96 % params.s_len();
            assert_eq!(with(at, &|byte| *byte |= 0x0f), Err(KeyError::SecretRange), "{i}");
        }
        assert_eq!(with(0, &|rho| *rho ^= 1), Err(KeyError::T0));
        assert_eq!(with(64, &|tr| *tr ^= 1), Err(KeyError::Tr));
        for row in 0..params.k {
            assert_eq!(with(t0 + 416 * row + 415, &|t0| *t0 ^= 0x80), Err(KeyError::T0));
        }
        // K cannot be checked.
        assert_eq!(with(32, &|k| *k ^= 1), Ok(()));
    }
    set::<MlDsa44>();
    set::<MlDsa65>();
    set::<MlDsa87>();
}

#[test]
fn wrong_lengths_are_errors() {
    for scheme in ALL {
        let params = scheme.params();
        let (mut public_key, mut secret_key) =
            (vec![0; params.public_key_len()], vec![0; params.secret_key_len()]);
        let mut signature = vec![0; params.signature_len()];
        scheme.keygen(&[8; 32], &mut public_key, &mut secret_key).unwrap();
        let mu = vec![9; params.mu_len];
        let length = |expected, actual| Length { expected, actual };
        let (p, s) = (public_key.len(), secret_key.len());
        assert_eq!(
            scheme.keygen(&[8; 32], &mut public_key[1..], &mut secret_key),
            Err(KeyError::Length(length(p, p - 1)))
        );
        assert_eq!(
            scheme.keygen(&[8; 32], &mut public_key, &mut secret_key[1..]),
            Err(KeyError::Length(length(s, s - 1)))
        );
        assert_eq!(
            scheme.sign_mu(&secret_key[1..], &mu, &[0; 32], &mut signature),
            Err(SignError::SecretKeyLength(length(s, s - 1)))
        );
        assert_eq!(
            scheme.sign_mu(&secret_key, &mu[1..], &[0; 32], &mut signature),
            Err(SignError::MuLength(length(mu.len(), mu.len() - 1)))
        );
        let n = signature.len();
        assert_eq!(
            scheme.sign_mu(&secret_key, &mu, &[0; 32], &mut signature[1..]),
            Err(SignError::SignatureLength(length(n, n - 1)))
        );
        assert_eq!(by_name(&params.name.to_lowercase()).unwrap().params(), params);
    }
    assert!(by_name("ML-DSA-66").is_none());
}

/// The mean of many is that of the theory, 4.25 for ML-DSA-44: FIPS 204, table 1.
#[test]
fn attempts_are_counted() {
    let key = SigningKey::<MlDsa44>::from_seed(&[10; 32]);
    let mut signature = Signature::BLANK;
    let total: u32 = (0..400u16).map(|i| key.sign_mu(&mu_of(i), &[0; 32], &mut signature).unwrap()).sum();
    assert!((1400..2000).contains(&total), "{total} attempts at 400 signatures");
}

fn mu_of(i: u16) -> Mu {
    let mut mu = [0; 64];
    mu[..2].copy_from_slice(&i.to_le_bytes());
    mu.into()
}

/// RustCrypto's traits are the pure scheme with an empty context.
#[test]
fn signature_traits() {
    use signature::{Keypair, MultipartSigner, MultipartVerifier, SignatureEncoding, Signer, Verifier};
    let key = SigningKey::<MlDsa87>::from_seed(&[11; 32]);
    let signature: Signature<MlDsa87> = key.sign(b"message");
    assert_eq!(signature, key.sign_deterministic(&message()).unwrap());
    assert_eq!(signature, key.multipart_sign(&[b"mess", b"", b"age"]));
    let public = Keypair::verifying_key(&key);
    public.verify(b"message", &signature).unwrap();
    public.multipart_verify(&[b"m", b"essage"], &signature).unwrap();
    assert!(public.verify(b"messagf", &signature).is_err());
    assert_eq!(signature.to_bytes().as_ref(), signature.as_ref());
    assert!(Signature::<MlDsa87>::try_from(&[0; 4626][..]).is_err());
}
