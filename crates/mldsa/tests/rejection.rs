//! Signatures that take every path of the loop, and many attempts: NIST's known answers.
use pqsoc_mldsa::{
    Message, MlDsa44, MlDsa65, MlDsa87, PreHash, Small,
    dynamic::{Of, Scheme, by_name},
};

fn sha256(parts: &[&[u8]]) -> String {
    let mut hasher = PreHash::Sha2_256.hasher();
    parts.iter().for_each(|part| hasher.update(part));
    hex::encode(hasher.finish())
}

#[test]
fn known_answers_of_rejection() {
    let (mut cases, mut most) = (0, 0);
    for line in include_str!("rejection.txt").lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split(' ');
        let mut next = || words.next().unwrap();
        let (name, seed, m_prime, key_hash, signature_hash) = (next(), next(), next(), next(), next());
        let rejected: Option<u32> = words.next().map(|count| count.parse().unwrap());
        let fast = by_name(name).unwrap();
        let small: &dyn Scheme = match name {
            "ML-DSA-44" => &Of::<MlDsa44, Small>::new(),
            "ML-DSA-65" => &Of::<MlDsa65, Small>::new(),
            _ => &Of::<MlDsa87, Small>::new(),
        };
        let params = fast.params();
        let xi = hex::decode(seed).unwrap().try_into().unwrap();
        let m_prime = hex::decode(m_prime).unwrap();
        let message = Message::internal(&m_prime);
        let mut public = vec![0; params.public_key_len()];
        let mut secret = vec![0; params.secret_key_len()];
        let mut signature = vec![0; params.signature_len()];
        fast.keygen(&xi, &mut public, &mut secret).unwrap();
        assert_eq!(sha256(&[&public, &secret]), key_hash, "{line}");
        for scheme in [fast, small] {
            let attempts = scheme.sign(&secret, &message, &[0; 32], &mut signature).unwrap();
            assert_eq!(sha256(&[&signature]), signature_hash, "{line}");
            if let Some(rejected) = rejected {
                assert_eq!(attempts, rejected + 1, "{line}");
            }
            scheme.verify(&public, &message, &signature).unwrap();
            most = most.max(attempts);
        }
        cases += 1;
    }
    assert_eq!(cases, 27);
    assert!(most > 50, "{most} attempts at most");
}
