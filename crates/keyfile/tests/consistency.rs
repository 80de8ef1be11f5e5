//! Keys whose parts belong together, and keys whose parts do not: the examples of RFC 9881 and RFC 9909.
use pqsoc_keyfile::{Error, Form, Inconsistency, PrivateKey, PublicKey};

const SEED_44: &[u8] = include_bytes!("../data/ML-DSA-44-seed.priv");
const EXPANDED_44: &[u8] = include_bytes!("../data/ML-DSA-44-expanded.priv");
const BOTH_44: &[u8] = include_bytes!("../data/ML-DSA-44-both.priv");
const PUBLIC_44: &[u8] = include_bytes!("../data/ML-DSA-44.pub");

fn check(file: &[u8]) -> Result<PublicKey, Error> {
    PrivateKey::from_file(file)?.check().map(|pair| pair.public)
}

#[test]
fn private_keys_give_their_public_keys() {
    let examples: [(&[u8], &[u8]); 6] = [
        (SEED_44, PUBLIC_44),
        (EXPANDED_44, PUBLIC_44),
        (BOTH_44, PUBLIC_44),
        (include_bytes!("../data/ML-DSA-65-seed.priv"), include_bytes!("../data/ML-DSA-65.pub")),
        (include_bytes!("../data/ML-DSA-87-seed.priv"), include_bytes!("../data/ML-DSA-87.pub")),
        (
            include_bytes!("../data/id-slh-dsa-sha2-128s.priv"),
            include_bytes!("../data/id-slh-dsa-sha2-128s.pub"),
        ),
    ];
    for (private, public) in examples {
        let public = PublicKey::from_file(public).unwrap();
        assert_eq!(check(private).unwrap(), public);
        assert_eq!(PublicKey::from_file(private).unwrap(), public);
        assert_eq!(public.fingerprint(), check(private).unwrap().fingerprint());
    }
}

#[test]
fn forms_are_converted() {
    let key = |file| PrivateKey::from_file(file).unwrap();
    for (form, file) in [(Form::Seed, SEED_44), (Form::Expanded, EXPANDED_44), (Form::Both, BOTH_44)] {
        for from in [SEED_44, BOTH_44] {
            assert_eq!(key(from).with_form(form).unwrap().to_pem().as_bytes(), file);
        }
    }
    assert_eq!(key(EXPANDED_44).with_form(Form::Expanded).unwrap().to_pem().as_bytes(), EXPANDED_44);
    for form in [Form::Seed, Form::Both] {
        assert_eq!(
            key(EXPANDED_44).with_form(form).unwrap_err().to_string(),
            format!(
                "ML-DSA-44 keys have no form '{form}': the seed cannot be computed from the expanded key"
            )
        );
    }
    let slh = key(include_bytes!("../data/id-slh-dsa-sha2-128s.priv"));
    assert_eq!(
        slh.with_form(Form::Seed).unwrap_err().to_string(),
        "SLH-DSA-SHA2-128s keys have no form 'seed'"
    );
}

#[test]
fn bad_keys_are_refused_for_the_right_reason() {
    let examples: [(&[u8], Inconsistency); 3] = [
        (include_bytes!("../data/bad-ML-DSA-44-1.priv"), Inconsistency::Seed),
        (include_bytes!("../data/bad-ML-DSA-44-2.priv"), Inconsistency::Tr),
        (include_bytes!("../data/bad-ML-DSA-44-3.priv"), Inconsistency::T0),
    ];
    for (file, reason) in examples {
        assert_eq!(check(file), Err(Error::Inconsistent(reason)));
        // No use of the key comes before the check.
        assert_eq!(PublicKey::from_file(file), Err(Error::Inconsistent(reason)));
    }
}

/// Where the parts of an expanded ML-DSA-44 key are. FIPS 204, algorithm 24.
#[test]
fn every_part_of_an_expanded_key_is_checked() {
    let mut der = PrivateKey::from_file(EXPANDED_44).unwrap().to_der();
    let start = der.len() - 2560;
    let (tr, s1, t0) = (start + 64, start + 128, start + 128 + 8 * 96);
    let first_of_s1 = der[s1];
    let mut flipped = |at: usize, bit: u8| {
        der[at] ^= bit;
        let result = check(&der);
        der[at] ^= bit;
        result
    };
    for (at, reason) in [(tr, Inconsistency::Tr), (tr + 63, Inconsistency::Tr), (t0, Inconsistency::T0)] {
        assert_eq!(flipped(at, 1), Err(Error::Inconsistent(reason)), "{at}");
    }
    // Another rho, s1 or s2 in range makes another t, whose low part is not t0.
    for at in [start, start + 31, s1, t0 - 1] {
        assert!(matches!(flipped(at, 1), Err(Error::Inconsistent(_))), "{at}");
    }
    // K enters signatures only: any value is consistent.
    assert!(flipped(start + 32, 1).is_ok());
    // Three bits a coefficient, of which 5, 6 and 7 are out of the range -2..=2.
    let to_seven = !first_of_s1 & 7;
    assert_eq!(flipped(s1, to_seven), Err(Error::Inconsistent(Inconsistency::Range)));
}

#[test]
fn the_root_of_an_slh_dsa_key_is_checked_on_request() {
    let file = include_bytes!("../data/id-slh-dsa-sha2-128s.priv");
    let mut der = PrivateKey::from_file(file).unwrap().to_der();
    *der.last_mut().unwrap() ^= 1;
    assert_eq!(check(&der), Err(Error::Inconsistent(Inconsistency::Root)));
    assert!(PrivateKey::from_file(&der).unwrap().key_pair().is_ok());
}

#[test]
fn an_attached_public_key_must_be_the_keys() {
    // PKCS#8 version 2: version 1, and [1] with the bit string at the end.
    let attach = |public: &[u8]| {
        let mut inner = PrivateKey::from_file(SEED_44).unwrap().to_der()[2..].to_vec();
        inner[2] = 1;
        let bits = [&[0x81, 0x82, 0x05, 0x21, 0][..], public].concat();
        let len = inner.len() + bits.len();
        [&[0x30, 0x82, (len >> 8) as u8, len as u8][..], &inner, &bits].concat()
    };
    let mut public = PublicKey::from_file(PUBLIC_44).unwrap().as_bytes().to_vec();
    assert!(check(&attach(&public)).is_ok());
    public[0] ^= 1;
    assert_eq!(check(&attach(&public)), Err(Error::Inconsistent(Inconsistency::PublicKey)));
}
