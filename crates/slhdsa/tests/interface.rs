//! What callers rely on, and what went wrong elsewhere.
use pqsoc_slhdsa::engine::Auto;
use pqsoc_slhdsa::params::{ALL, Family, Scheme};
use pqsoc_slhdsa::{
    Context, Error, Input, Message, Params, PreHash, SigningKey, Sink, Source, Stopped, params,
};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng, TryCryptoRng, TryRng};

/// Sets with trees so small that keys are made in no time.
static SMALL: [Params; 4] = [
    small(Family::Sha2, [16, 6, 3, 3, 5, 4]),
    small(Family::Shake, [24, 4, 2, 4, 9, 3]),
    small(Family::Sha2, [32, 4, 2, 5, 7, 2]),
    small(Family::Shake, [16, 3, 1, 2, 3, 8]),
];

const fn small(family: Family, numbers: [usize; 6]) -> Params {
    Params::new("small", family, Scheme::SlhDsa, numbers).unwrap()
}

fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

fn signature(key: &SigningKey, message: &Message<'_>) -> Vec<u8> {
    let mut signature = vec![0; key.params().signature_len()];
    key.sign_deterministic(message, &mut signature).unwrap();
    signature
}

const EMPTY: Context<'static> = Context::EMPTY;

/// Those of FIPS 205; without optimisation, those that sign fast.
fn standard_sets() -> impl Iterator<Item = &'static Params> {
    ALL.iter().copied().take(12).filter(|params| !cfg!(debug_assertions) || params.name.ends_with('f'))
}

#[test]
fn a_bit_flipped_anywhere_is_rejected() {
    let mut rng = rng(1);
    for params in standard_sets() {
        let key = SigningKey::generate(params, &mut rng).unwrap();
        let public = key.verifying_key();
        let message = Message::pure(EMPTY, b"message");
        let mut signature = signature(&key, &message);
        for _ in 0..if cfg!(debug_assertions) { 20 } else { 1000 } {
            let bit = rng.next_u32() as usize % (8 * signature.len());
            signature[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(public.verify(&message, &signature), Err(Error::Signature), "{params}, bit {bit}");
            signature[bit / 8] ^= 1 << (bit % 8);
        }
        public.verify(&message, &signature).unwrap();
    }
}

#[test]
fn signatures_of_the_wrong_length_have_their_own_errors() {
    for params in standard_sets().chain(&SMALL) {
        let key = SigningKey::from_bytes(params, &[5; 128][..params.private_key_len()]).unwrap();
        let (public, expected) = (key.verifying_key(), params.signature_len());
        let message = Message::pure(EMPTY, b"message");
        let bytes = vec![0; expected + 5000];
        for len in [0, 1, params.n - 1, params.n, expected / 2, expected - params.n, expected - 1] {
            let found = public.verify(&message, &bytes[..len]);
            assert_eq!(found, Err(Error::SignatureTooShort { expected }), "{params}, {len} bytes");
        }
        for len in [expected + 1, expected + params.n, expected + 5000] {
            let found = public.verify(&message, &bytes[..len]);
            assert_eq!(found, Err(Error::SignatureTooLong { expected }), "{params}, {len} bytes");
        }
        for found in [0, expected - 1, expected + 1] {
            let mut room = vec![0; found];
            assert_eq!(key.sign_deterministic(&message, &mut room), Err(Error::Length { expected, found }));
        }
    }
}

#[test]
fn contexts_and_modes_are_bound() {
    let long = [9; 255];
    for params in &SMALL {
        let key = SigningKey::generate(params, &mut rng(2)).unwrap();
        let public = key.verifying_key();
        let digest = PreHash::Sha2_256.digest(b"m");
        let m_prime = [&[0, 0][..], b"m"].concat();
        let contexts = [EMPTY, Context::new(&[9]).unwrap(), Context::new(&long).unwrap()];
        let mut messages: Vec<Message<'_>> = contexts.iter().map(|&c| Message::pure(c, b"m")).collect();
        messages.push(Message::pure(EMPTY, b""));
        messages.push(Message::pure(EMPTY, digest.as_ref()));
        messages.push(Message::internal(b"m"));
        messages.push(Message::pre_hashed(EMPTY, PreHash::Sha2_256, digest.as_ref()).unwrap());
        messages.push(Message::pre_hashed(EMPTY, PreHash::Sha3_256, digest.as_ref()).unwrap());
        messages.push(Message::pre_hashed(contexts[1], PreHash::Sha2_256, digest.as_ref()).unwrap());
        let signatures: Vec<_> = messages.iter().map(|message| signature(&key, message)).collect();
        for (i, signature) in signatures.iter().enumerate() {
            for (j, message) in messages.iter().enumerate() {
                let expected = if i == j { Ok(()) } else { Err(Error::Signature) };
                assert_eq!(public.verify(message, signature), expected, "{i} {j}");
            }
        }
        // No context is an empty one; the internal interface takes what the pure one formats.
        let none = Message::pure(Context::new(b"").unwrap(), b"m");
        public.verify(&none, &signatures[0]).unwrap();
        public.verify(&Message::internal(&m_prime), &signatures[0]).unwrap();
    }
    assert!(Context::new(&[0; 256]).is_err());
}

/// Never rejects its own: many keys and messages.
#[test]
fn own_signatures_verify() {
    let mut rng = rng(3);
    for params in SMALL.iter().chain(std::iter::once(&params::SLH_DSA_SHA2_128F)) {
        let runs = if params.h > 60 || params.lg_w == 8 { 10 } else { 400 };
        for run in 0..if cfg!(debug_assertions) { runs / 10 } else { runs } {
            let key = SigningKey::generate(params, &mut rng).unwrap();
            let mut text = vec![0; run];
            rng.fill_bytes(&mut text);
            let message = Message::pure(EMPTY, &text);
            let mut signature = vec![0; params.signature_len()];
            key.sign_hedged(&mut rng, &message, &mut signature).unwrap();
            key.verifying_key().verify(&message, &signature).unwrap();
            let mut second = signature.clone();
            key.sign_hedged(&mut rng, &message, &mut second).unwrap();
            assert_ne!(signature, second, "randomness is used");
            key.check().unwrap();
        }
    }
}

/// Gives a message in pieces of growing length, and counts how often it is read.
struct Pieces<'a>(&'a [u8], std::cell::Cell<usize>);

impl Input for Pieces<'_> {
    fn read(&self, take: &mut dyn FnMut(&[u8])) -> Result<(), Stopped> {
        self.1.set(self.1.get() + 1);
        let mut rest = self.0;
        for len in 0.. {
            let (now, later) = rest.split_at(rest.len().min(len));
            take(now);
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
        Ok(())
    }
}

/// Reads and writes a few bytes at a time, and stops when it has had enough.
struct Limited<T>(T, usize);

impl Sink for Limited<Vec<u8>> {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Stopped> {
        self.1 = self.1.checked_sub(bytes.len()).ok_or(Stopped)?;
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}

impl Source for Limited<&[u8]> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize, Stopped> {
        self.1 = self.1.checked_sub(out.len()).ok_or(Stopped)?;
        self.0.read(out)
    }
}

#[test]
fn messages_and_signatures_stream() {
    let text: Vec<u8> = (0..1_000_000u32).map(|i| (i.wrapping_mul(i) >> 3) as u8).collect();
    for params in SMALL.iter().chain(std::iter::once(&params::SLH_DSA_SHAKE_128F)) {
        let key = SigningKey::generate(params, &mut rng(4)).unwrap();
        let whole = signature(&key, &Message::internal(&text));
        let pieces = Pieces(&text, Default::default());
        let mut sink = Limited(Vec::new(), whole.len());
        key.sign_with(&mut Auto::new(), &pieces, None, &mut sink, &mut |_, _| {}).unwrap();
        assert_eq!(pieces.1.get(), 2);
        assert_eq!(sink.0, whole);
        let public = key.verifying_key();
        // One byte more than the signature has, to see that there is none.
        let mut source = Limited(&whole[..], whole.len() + 1);
        public.verify_with(&mut Auto::new(), &pieces, &mut source).unwrap();
        assert_eq!((pieces.1.get(), source.1), (3, 0));

        for limit in [0, params.n, whole.len() / 2, whole.len() - 1] {
            let mut sink = Limited(Vec::new(), limit);
            let stopped = key.sign_with(&mut Auto::new(), &pieces, None, &mut sink, &mut |_, _| {});
            assert_eq!(stopped, Err(Error::Stopped));
            let stopped = public.verify_with(&mut Auto::new(), &pieces, &mut Limited(&whole[..], limit));
            assert_eq!(stopped, Err(Error::Stopped));
        }
    }
}

struct Unreadable;

impl Input for Unreadable {
    fn read(&self, take: &mut dyn FnMut(&[u8])) -> Result<(), Stopped> {
        take(b"some of it");
        Err(Stopped)
    }
}

struct Broken;

impl TryRng for Broken {
    type Error = std::fmt::Error;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        Err(std::fmt::Error)
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Err(std::fmt::Error)
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
        Err(std::fmt::Error)
    }
}

impl TryCryptoRng for Broken {}

#[test]
fn failures_of_others_are_errors() {
    for params in &SMALL {
        assert!(matches!(SigningKey::generate(params, &mut Broken), Err(Error::Randomness)));
        let key = SigningKey::generate(params, &mut rng(5)).unwrap();
        let message = Message::pure(EMPTY, b"message");
        let mut signature = vec![0; params.signature_len()];
        assert_eq!(key.sign_hedged(&mut Broken, &message, &mut signature), Err(Error::Randomness));
        assert!(
            signature.iter().all(|&byte| byte == 0),
            "no signature without the randomness that was asked for"
        );
        let sign =
            key.sign_with(&mut Auto::new(), &Unreadable, None, &mut &mut signature[..], &mut |_, _| {});
        assert_eq!(sign, Err(Error::Stopped));
        let verify = key.verifying_key().verify_with(&mut Auto::new(), &Unreadable, &mut &signature[..]);
        assert_eq!(verify, Err(Error::Stopped));
    }
}

#[test]
fn progress_grows_and_ends() {
    for params in &SMALL {
        let mut seen = Vec::new();
        let key = SigningKey::generate_with(&mut Auto::new(), params, &mut rng(6), &mut |done, of| {
            seen.push((done, of))
        })
        .unwrap();
        let mut signature = Vec::new();
        let message = Message::pure(EMPTY, b"message");
        let mut signing = Vec::new();
        key.sign_with(&mut Auto::new(), &message, None, &mut signature, &mut |done, of| {
            signing.push((done, of))
        })
        .unwrap();
        for seen in [seen, signing] {
            assert!(seen.is_sorted_by(|a, b| a.0 < b.0 && a.1 == b.1));
            assert!(seen.last().is_some_and(|(done, of)| done == of));
        }
    }
}

#[test]
fn keys_are_checked_and_keep_their_seeds() {
    for params in &SMALL {
        let n = params.n;
        let seeds = [[1; 32], [2; 32], [3; 32]];
        let [sk_seed, sk_prf, pk_seed] = seeds.each_ref().map(|seed| &seed[..n]);
        let key = SigningKey::from_seeds(params, sk_seed, sk_prf, pk_seed).unwrap();
        assert_eq!([key.sk_seed(), key.sk_prf(), key.pk_seed()], [sk_seed, sk_prf, pk_seed]);
        assert_eq!(key.as_bytes().len(), params.private_key_len());
        assert_eq!(key.verifying_key().as_bytes(), &key.as_bytes()[2 * n..]);
        assert_eq!((key.pk_root(), key.pk_seed()), (key.verifying_key().root(), key.verifying_key().seed()));

        let mut bytes = key.as_bytes().to_vec();
        SigningKey::from_bytes(params, &bytes).unwrap().check().unwrap();
        for at in [0, 2 * n, 3 * n, 4 * n - 1] {
            bytes[at] ^= 1;
            assert_eq!(
                SigningKey::from_bytes(params, &bytes).unwrap().check(),
                Err(Error::Root),
                "byte {at}"
            );
            bytes[at] ^= 1;
        }
        // SK.prf has no part in the root.
        bytes[n] ^= 1;
        SigningKey::from_bytes(params, &bytes).unwrap().check().unwrap();

        for found in [0, 1, 4 * n - 1, 4 * n + 1, 128 + 1] {
            let error = SigningKey::from_bytes(params, &vec![0; found]).err();
            assert_eq!(error, Some(Error::Length { expected: 4 * n, found }));
            let error = pqsoc_slhdsa::VerifyingKey::from_bytes(params, &vec![0; found]).err();
            assert_eq!(error, Some(Error::Length { expected: 2 * n, found }));
            let error = SigningKey::from_seeds(params, sk_seed, sk_prf, &vec![0; found]).err();
            assert_eq!(error, Some(Error::Length { expected: n, found }));
            let mut room = vec![0; params.signature_len()];
            let message = Message::pure(EMPTY, b"");
            let error = key.sign_into(&message, Some(&vec![0; found]), &mut room);
            assert_eq!(error, Err(Error::Length { expected: n, found }));
        }
        let printed = format!("{key:?}");
        assert!(!printed.contains("0101") && !printed.contains("0202"), "{printed}");
    }
}

#[cfg(feature = "rayon")]
#[test]
fn threads_give_the_same_bytes() {
    use pqsoc_slhdsa::engine::Threads;
    for params in SMALL.iter().chain([&params::SLH_DSA_SHA2_128F, &params::SLH_DSA_SHAKE_256F]) {
        let key = SigningKey::generate(params, &mut rng(7)).unwrap();
        let with_threads =
            SigningKey::generate_with(&mut Threads::new(), params, &mut rng(7), &mut |_, _| {}).unwrap();
        assert_eq!(key.as_bytes(), with_threads.as_bytes());
        let message = Message::pure(EMPTY, b"message");
        let mut found = Vec::new();
        key.sign_with(&mut Threads::new(), &message, None, &mut found, &mut |_, _| {}).unwrap();
        assert_eq!(found, signature(&key, &message));
    }
}

/// A draft's key is one tree of 2^22 leaves: a minute or more on all processors.
#[cfg(all(feature = "draft", feature = "rayon"))]
#[test]
#[ignore = "slow: two trees of four million leaves each"]
fn a_draft_set_signs() {
    use pqsoc_slhdsa::engine::Threads;
    let params = &params::SLH_DSA_SHA2_128_24;
    let zeros: &[u8] = &[0; 16];
    let key = SigningKey::from_seeds_with(&mut Threads::new(), params, [zeros; 3], &mut |_, _| {}).unwrap();
    // Of an independent implementation, from the same seeds.
    assert_eq!(hex::encode(key.pk_root()), "c3e6fbd47a5ef8978dc5bd9be0a3076c");
    let message = Message::pure(EMPTY, b"message");
    let mut signature = Vec::new();
    key.sign_with(&mut Threads::new(), &message, None, &mut signature, &mut |_, _| {}).unwrap();
    assert_eq!(signature.len(), 3856);
    key.verifying_key().verify(&message, &signature).unwrap();
}

#[cfg(feature = "alloc")]
#[test]
fn rustcrypto_traits() {
    use pqsoc_slhdsa::{Signature, VerifyingKey};
    use signature::{Keypair, RandomizedSigner, SignatureEncoding, Signer, Verifier};
    let key = SigningKey::generate(&params::SLH_DSA_SHA2_128F, &mut rng(9)).unwrap();
    let public: VerifyingKey = Keypair::verifying_key(&key);
    for signature in [key.sign(b"message"), key.sign_with_rng(&mut rng(10), b"message")] {
        let copy = Signature::try_from(&*signature.to_bytes()).unwrap();
        Verifier::verify(&public, b"message", &copy).unwrap();
        assert!(Verifier::verify(&public, b"massage", &copy).is_err());
    }
    assert!(Signature::try_from(&[0; 17087][..]).is_err());
}

#[cfg(feature = "pkcs8")]
#[test]
fn pkcs8_and_spki() {
    use pkcs8::{DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey};
    use pqsoc_slhdsa::VerifyingKey;
    for params in &ALL[..12] {
        let key = SigningKey::from_bytes(params, &[7; 128][..params.private_key_len()]).unwrap();
        let private = key.to_pkcs8_der().unwrap();
        let read = SigningKey::from_pkcs8_der(private.as_bytes()).unwrap();
        assert_eq!((read.params(), read.as_bytes()), (*params, key.as_bytes()));
        let public = key.verifying_key().to_public_key_der().unwrap();
        let read = VerifyingKey::from_public_key_der(public.as_bytes()).unwrap();
        assert_eq!(read, key.verifying_key());
        assert!(SigningKey::from_pkcs8_der(public.as_bytes()).is_err());
        // RFC 9909: the key itself in the OCTET STRING, nothing around it.
        assert!(private.as_bytes().ends_with(key.as_bytes()));
    }
    let unnamed = SigningKey::generate(&SMALL[0], &mut rng(11)).unwrap();
    assert!(unnamed.to_pkcs8_der().is_err());
}
