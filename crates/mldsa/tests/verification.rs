//! What verification must take and must not, in every profile.
use pqsoc_mldsa::{
    Blank, Context, Engine, Fast, HintError, KeygenMemory, Length, Message, MlDsa44, MlDsa65, MlDsa87, N,
    ParameterSet, Params, Portable, PreHash, PreparedPublic, Q, Reference, SignError, SigningKey, Small,
    VerifyError, VerifyingKey,
    dynamic::{Of, Scheme},
    raw,
};
use std::convert::Infallible;

fn message() -> Message<'static> {
    Message::pure(Context::EMPTY, b"message")
}

/// The verdict, which must be the same in every profile and with a prepared key.
fn verdict<S: ParameterSet>(public_key: &[u8], mu: &[u8], signature: &[u8]) -> Result<(), VerifyError> {
    let fast = Of::<S, Fast>::new().verify_mu(public_key, mu, signature);
    assert_eq!(Of::<S, Reference>::new().verify_mu(public_key, mu, signature), fast);
    assert_eq!(Of::<S, Small>::new().verify_mu(public_key, mu, signature), fast);
    if let (Ok(key), Ok(mu)) = (VerifyingKey::<S>::from_bytes(public_key), <[u8; 64]>::try_from(mu)) {
        let mut memory = PreparedPublic::<S>::BLANK;
        assert_eq!(key.prepare(&mut memory).verify_mu(&mu.into(), signature), fast);
    }
    fast
}

/// Where the hint begins, and where its counts.
fn hint(params: &Params) -> (usize, usize) {
    let counts = params.signature_len() - params.k;
    (counts - params.omega, counts)
}

#[test]
fn lengths() {
    fn set<S: ParameterSet>() {
        let key = SigningKey::<S>::from_seed(&[1; 32]);
        let (mu, public) = (key.mu(&message()).unwrap(), key.verifying_key());
        let public = public.as_bytes().as_ref();
        let mut signature = key.sign_deterministic(&message()).unwrap().as_ref().to_vec();
        let (expected, mu) = (S::PARAMS.signature_len(), mu.as_ref());
        verdict::<S>(public, mu, &signature).unwrap();
        for actual in [0, 1, S::PARAMS.c_tilde_len, expected - 1] {
            let error = VerifyError::SignatureLength(Length { expected, actual });
            assert_eq!(verdict::<S>(public, mu, &signature[..actual]), Err(error));
        }
        signature.push(0);
        let error = VerifyError::SignatureLength(Length { expected, actual: expected + 1 });
        assert_eq!(verdict::<S>(public, mu, &signature), Err(error));
        signature.pop();
        for actual in [0, 32, public.len() - 1] {
            let error = VerifyError::PublicKeyLength(Length { expected: public.len(), actual });
            assert_eq!(verdict::<S>(&public[..actual], mu, &signature), Err(error));
        }
        for actual in [0, 32, 63] {
            let error = VerifyError::MuLength(Length { expected: 64, actual });
            assert_eq!(verdict::<S>(public, &mu[..actual], &signature), Err(error));
        }
    }
    set::<MlDsa44>();
    set::<MlDsa65>();
    set::<MlDsa87>();
}

/// Each way in which HintBitUnpack fails, and no other.
#[test]
fn hint_encodings() {
    fn set<S: ParameterSet>() {
        let key = SigningKey::<S>::from_seed(&[2; 32]);
        let (mu, public) = (key.mu(&message()).unwrap(), key.verifying_key());
        let good = key.sign_deterministic(&message()).unwrap().as_ref().to_vec();
        let (places, counts) = hint(&S::PARAMS);
        let with = |change: &dyn Fn(&mut [u8], &mut [u8])| {
            let mut bad = good.clone();
            let (head, bad_counts) = bad.split_at_mut(counts);
            change(&mut head[places..], bad_counts);
            verdict::<S>(public.as_bytes().as_ref(), mu.as_ref(), &bad)
        };
        let omega = S::PARAMS.omega;
        let last = usize::from(good[good.len() - 1]);
        assert!((2..omega).contains(&last), "the message must give a hint with room");
        // A row of two or more places.
        let row = (0..S::PARAMS.k)
            .map(|i| (if i == 0 { 0 } else { good[counts + i - 1] }, good[counts + i]))
            .find(|(start, end)| start + 1 < *end)
            .unwrap();
        let first = usize::from(row.0);

        let error = |error| Err(VerifyError::Hint(error));
        assert_eq!(with(&|places, _| places.swap(first, first + 1)), error(HintError::Order));
        assert_eq!(with(&|places, _| places[first + 1] = places[first]), error(HintError::Repeat));
        for at in last..omega {
            assert_eq!(with(&|places, _| places[at] = 1), error(HintError::Padding), "{at}");
        }
        for i in 0..S::PARAMS.k {
            for count in [omega as u8 + 1, 128, 255] {
                let refused = with(&|_, counts| counts[i] = count);
                assert_eq!(refused, error(HintError::CountTooLarge), "{i} {count}");
            }
            if i > 0 && good[counts + i - 1] > 0 {
                let refused = with(&|_, counts| counts[i] = counts[i - 1] - 1);
                assert_eq!(refused, error(HintError::CountFalls), "{i}");
            }
        }
        // Well formed, and of something else: no hint at all, and one place more.
        let none = with(&|places, counts| {
            places.fill(0);
            counts.fill(0);
        });
        assert_eq!(none, Err(VerifyError::Challenge));
        let more = with(&|places, counts| {
            let before = places[last - 1];
            places[last] = if before == 255 { 255 } else { before + 1 };
            counts[counts.len() - 1] += 1;
        });
        assert!(matches!(more, Err(VerifyError::Challenge | VerifyError::Hint(HintError::Repeat))));
    }
    set::<MlDsa44>();
    set::<MlDsa65>();
    set::<MlDsa87>();
}

/// A bit anywhere. The key is bound by tr alone: with mu given, some changes of t1 are rounded away.
#[test]
fn flipped_bits() {
    fn set<S: ParameterSet>() {
        let key = SigningKey::<S>::from_seed(&[3; 32]);
        let public = key.verifying_key();
        let public = public.as_bytes().as_ref();
        let good = key.sign_deterministic(&message()).unwrap().as_ref().to_vec();
        let scheme = Of::<S>::new();
        for i in 0..300 {
            let at = (i * 7919) % (8 * good.len());
            let mut bad = good.clone();
            bad[at / 8] ^= 1 << (at % 8);
            assert!(scheme.verify(public, &message(), &bad).is_err(), "signature, bit {at}");
            let at = (i * 7919) % (8 * public.len());
            let mut bad = public.to_vec();
            bad[at / 8] ^= 1 << (at % 8);
            let refused = scheme.verify(&bad, &message(), &good);
            assert_eq!(refused, Err(VerifyError::Challenge), "public key, bit {at}");
        }
    }
    set::<MlDsa44>();
    set::<MlDsa65>();
    set::<MlDsa87>();
}

/// Signs so that the greatest coefficient of z is `greatest` in absolute value, whatever the bound on z. All other
/// conditions hold.
fn sign_to_the_bound<S: ParameterSet>(greatest: u32, mu: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let params = S::PARAMS;
    let engine = &mut Portable;
    let (mut public_key, mut secret_key) = (S::PublicKey::BLANK, S::SecretKey::BLANK);
    let mut memory = KeygenMemory::<S>::BLANK;
    let Ok(()) =
        raw::keygen::<S, Fast, _>(engine, &mut memory, &[4; 32], public_key.as_mut(), secret_key.as_mut())
    else {
        unreachable!()
    };
    let secret = secret_key.as_ref();
    let rho = secret.first_chunk().unwrap();
    let s1 = 64 + params.tr_len;
    let s2 = s1 + params.l * params.s_len();
    let t0 = s2 + params.k * params.s_len();
    let (s_encoding, z_encoding) = (params.s_encoding(), params.z_encoding());
    macro_rules! run {
        ($($call:tt)*) => {{ let Ok(value) = engine.$($call)*; value }};
    }
    let blank = || <Portable as Engine>::Poly::BLANK;
    let coefficients = |p: &<Portable as Engine>::Poly| {
        let mut c = [0; N];
        let Ok(()) = Portable.store(p, &mut c);
        c
    };
    'attempt: for nonce in 0u16.. {
        let mut y: Vec<_> = (0..params.l).map(|_| blank()).collect();
        run!(expand_mask(&mut y, z_encoding, &[5; 64], nonce.wrapping_mul(8)));
        // One coefficient where z will be the bound if c s1 is 0 there; both signs are tried.
        let mut forced = coefficients(&y[0]);
        forced[0] = if nonce % 2 == 0 { greatest } else { Q - greatest };
        run!(load(&mut y[0], &forced));
        let mut y_hat: Vec<_> = (0..params.l).map(|_| blank()).collect();
        for (y_hat, y) in y_hat.iter_mut().zip(&y) {
            run!(copy(y_hat, y));
            run!(ntt(y_hat));
        }
        let mut hash = <Portable as Engine>::Hash::default();
        run!(absorb(&mut hash, mu));
        let mut w: Vec<_> = (0..params.k).map(|_| blank()).collect();
        for (row, w) in w.iter_mut().enumerate() {
            run!(expand_a_dot(w, rho, row as u8, &y_hat));
            run!(intt(w));
            run!(absorb_w1(&mut hash, w, params.gamma2));
        }
        let mut signature = S::Signature::BLANK;
        let out = signature.as_mut();
        run!(finish(&mut hash, &mut out[..params.c_tilde_len]));
        let mut c = pqsoc_mldsa::Challenge::NONE;
        run!(sample_in_ball(&mut c, &out[..params.ball_seed_len], params.tau));
        let mut max = 0;
        for (column, z) in y.iter_mut().enumerate() {
            let s = &secret[s1 + column * params.s_len()..][..params.s_len()];
            run!(add_challenge_product_packed(z, &c, s_encoding, s));
            max = coefficients(z).iter().fold(max, |max, &c| max.max(c.min(Q - c)));
            let at = params.c_tilde_len + column * params.z_len();
            run!(pack(z, z_encoding, &mut out[at..at + params.z_len()]));
        }
        if max != greatest {
            continue;
        }
        let (places, counts) = hint(&params);
        let mut used = 0;
        for (row, w) in w.iter_mut().enumerate() {
            let s = &secret[s2 + row * params.s_len()..][..params.s_len()];
            run!(add_challenge_product_packed(w, &c.negated(), s_encoding, s));
            if run!(low_bits_reach(w, params.gamma2, params.gamma2 - params.beta())) {
                continue 'attempt;
            }
            let mut ct0 = blank();
            run!(clear(&mut ct0));
            let t0 = &secret[t0 + row * 416..][..416];
            run!(add_challenge_product_packed(&mut ct0, &c, pqsoc_mldsa::Encoding::T0, t0));
            let free = &mut out[places + used..counts];
            match (run!(norm_reaches(&ct0, params.gamma2)), run!(make_hint(w, &ct0, params.gamma2, free))) {
                (false, Some(ones)) => used += ones,
                _ => continue 'attempt,
            }
            out[counts + row] = used as u8;
        }
        return (public_key.as_ref().to_vec(), out.to_vec());
    }
    unreachable!("the nonces are without end")
}

/// Valid but for one coefficient of z at gamma1 - beta; and valid with it one less.
#[test]
fn response_at_its_bound() {
    fn set<S: ParameterSet>() {
        let bound = S::PARAMS.gamma1 - S::PARAMS.beta();
        let mu = [6; 64];
        let (public_key, signature) = sign_to_the_bound::<S>(bound, &mu);
        assert_eq!(verdict::<S>(&public_key, &mu, &signature), Err(VerifyError::ResponseRange));
        let (public_key, signature) = sign_to_the_bound::<S>(bound - 1, &mu);
        assert_eq!(verdict::<S>(&public_key, &mu, &signature), Ok(()));
    }
    set::<MlDsa44>();
    set::<MlDsa65>();
    set::<MlDsa87>();
}

/// None and empty are the same; 255 bytes are taken; a signature holds for its own context alone.
#[test]
fn contexts() {
    let key = SigningKey::<MlDsa44>::from_seed(&[7; 32]);
    let public = key.verifying_key();
    let long = [8; 300];
    for len in [0, 1, 255] {
        let context = Context::new(&long[..len]).unwrap();
        let signature = key.sign_deterministic(&Message::pure(context, b"m")).unwrap();
        public.verify_message(&Message::pure(context, b"m"), signature.as_ref()).unwrap();
        for other in [0, 1, 2, 254, 255] {
            let context = Context::new(&long[..other]).unwrap();
            let verdict = public.verify_message(&Message::pure(context, b"m"), signature.as_ref());
            assert_eq!(verdict.is_ok(), other == len);
        }
    }
    assert_eq!(Context::new(&long[..256]).unwrap_err().len, 256);
    assert_eq!(Context::new(&long).unwrap_err().len, 300);
    let error = VerifyError::<Infallible>::from(Context::new(&long).unwrap_err());
    assert_eq!(error.to_string(), "the context has 300 bytes; at most 255 are allowed");
}

/// Pure, pre-hashed, internal and mu: each is its own, and a digest is bound to its function.
#[test]
fn kinds_of_message() {
    let key = SigningKey::<MlDsa65>::from_seed(&[9; 32]);
    let public = key.verifying_key();
    let digest = PreHash::Sha2_512.digest(b"m");
    let shake = Message::pre_hashed(Context::EMPTY, PreHash::Shake256, digest.as_ref()).unwrap();
    let hashed = Message::pre_hashed(Context::EMPTY, PreHash::Sha2_512, digest.as_ref()).unwrap();
    let messages = [
        Message::pure(Context::EMPTY, b"m"),
        Message::pure(Context::EMPTY, digest.as_ref()),
        Message::internal(b"m"),
        hashed,
        shake,
    ];
    for (i, signed) in messages.iter().enumerate() {
        let signature = key.sign_deterministic(signed).unwrap();
        for (j, verified) in messages.iter().enumerate() {
            assert_eq!(public.verify_message(verified, signature.as_ref()).is_ok(), i == j, "{i} {j}");
        }
        // mu computed outside, by either side, in pieces.
        let mut mu = pqsoc_mldsa::MuBuilder::internal(&MlDsa65::PARAMS, key.tr());
        for part in signed.parts() {
            part.chunks(3).for_each(|piece| mu.update(piece));
        }
        let mu = mu.finish();
        assert_eq!(mu, public.mu(signed).unwrap());
        public.verify_mu(&mu, signature.as_ref()).unwrap();
    }
    let error = Message::pre_hashed(Context::EMPTY, PreHash::Sha2_256, digest.as_ref()).unwrap_err();
    assert_eq!(SignError::<Infallible>::from(error).to_string(), "a SHA2-256 digest has 32 bytes, not 64");
}

/// mu of an empty message, from both builders.
#[test]
fn empty_message() {
    let key = SigningKey::<MlDsa87>::from_seed(&[10; 32]);
    let empty = Message::pure(Context::EMPTY, b"");
    let mu = key.mu_builder(Context::EMPTY).unwrap().finish();
    assert_eq!(mu, key.mu(&empty).unwrap());
    assert_eq!(mu, key.verifying_key().mu_builder(Context::EMPTY).unwrap().finish());
    let signature = key.sign_deterministic(&empty).unwrap();
    key.verifying_key().verify_mu(&mu, signature.as_ref()).unwrap();
}
