//! verify --explain: each known mix-up is made, and named.
mod common;

use common::{Folder, expect, text};
use pqsoc_keyfile::{PrivateKey, PublicKey};
use pqsoc_message::{Context, Message, PreHash};
use pqsoc_mldsa::dynamic;

const MESSAGE: &[u8] = b"a message that was signed\n";

struct Case {
    folder: Folder,
    /// sk and pk of the key in `key.pem`.
    secret: Vec<u8>,
    public: Vec<u8>,
}

impl Case {
    fn new(algorithm: &str) -> Self {
        let folder = Folder::new();
        folder.keys(algorithm);
        folder.write("message", MESSAGE);
        let pair = PrivateKey::from_file(&folder.read("key.pem")).unwrap().key_pair().unwrap();
        Self { secret: pair.private.to_vec(), public: pair.public.as_bytes().to_vec(), folder }
    }

    /// What is said of `sig`, verified with these options.
    #[track_caller]
    fn explained(&self, options: &str) -> String {
        let words = format!("verify --key pub.pem --signature sig --in message --explain {options}");
        let output = self.folder.pqsoc(&words).output().unwrap();
        expect(&words, &output, 1);
        assert_eq!(text(&output.stderr), "pqsoc: sig: the signature is not good\n");
        text(&output.stdout)
    }

    #[track_caller]
    fn is_explained(&self, options: &str, if_only: &str) {
        assert_eq!(self.explained(options), format!("the signature would be good if {if_only}\n"));
    }

    fn sign(&self, options: &str) {
        self.folder.ok(&format!("sign --key key.pem --out sig --force {options}"));
    }

    /// Signs M' as it is.
    fn sign_with(&self, scheme: &str, message: &Message<'_>) {
        let scheme = dynamic::by_name(scheme).unwrap();
        let mut signature = vec![0; scheme.params().signature_len()];
        scheme.sign(&self.secret, message, &[0; 32], &mut signature).unwrap();
        self.folder.write("sig", signature);
    }
}

fn reversed(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().rev().copied().collect()
}

#[test]
fn pure_pre_hash_and_context() {
    for algorithm in ["ML-DSA-44", "SLH-DSA-SHAKE-128f"] {
        let case = Case::new(algorithm);
        case.sign("--in message");
        case.is_explained("--context x", "it is verified without a context (leave out --context)");
        case.is_explained("--prehash SHA2-256", "it is verified as a pure signature (leave out --prehash)");
        case.is_explained(
            "--prehash SHA2-256 --context x",
            "it is verified as a pure signature (leave out --prehash) and without a context",
        );
        case.sign("--in message --prehash SHAKE-256");
        case.is_explained("", "it is verified with pre-hash SHAKE-256 (--prehash SHAKE-256)");
        case.is_explained(
            "--prehash SHA3-512",
            "it is verified with pre-hash SHAKE-256 (--prehash SHAKE-256)",
        );
        case.is_explained(
            "--prehash SHAKE-256 --context x",
            "it is verified without a context (leave out --context)",
        );
        case.sign("--in message --context x");
        case.is_explained(
            "--context x --prehash SHA2-512",
            "it is verified as a pure signature (leave out --prehash)",
        );
        // A context that is not given cannot be guessed.
        assert!(case.explained("").starts_with("none of the known mix-ups"));
    }
}

#[test]
fn the_internal_interface() {
    let case = Case::new("ML-DSA-65");
    case.sign_with("ML-DSA-65", &Message::internal(MESSAGE));
    let internal = "the message is taken as M' of the internal interface, without the context header of the standard's sign and verify";
    case.is_explained("", internal);
    case.is_explained("--context x", internal);

    let case = Case::new("SLH-DSA-SHA2-128f");
    let params = pqsoc_slhdsa::Params::by_name("SLH-DSA-SHA2-128f").unwrap();
    let key = pqsoc_slhdsa::SigningKey::from_bytes(params, &case.secret).unwrap();
    let mut signature = vec![0; params.signature_len()];
    key.sign_deterministic(&Message::internal(MESSAGE), &mut signature).unwrap();
    case.folder.write("sig", signature);
    case.is_explained("", internal);
}

#[test]
fn mu_and_messages() {
    let case = Case::new("ML-DSA-44");
    let folder = &case.folder;
    folder.ok("mu --key pub.pem --in message --out mu");
    // The signer was given mu where the message belongs.
    case.sign("--in mu");
    case.is_explained(
        "",
        "mu of the message is taken as the message: the signer passed mu where a message belongs",
    );
    // The verifier was.
    case.sign("--in message");
    folder.write("message", folder.read("mu"));
    case.is_explained("", "the input is taken as mu, not as the message (--mu)");
    // The other way round: 64 bytes of message that are said to be mu.
    case.sign("--in message");
    case.is_explained("--mu", "the input is taken as the message, not as mu (leave out --mu)");
}

#[test]
fn a_digest_signed_as_a_message() {
    let case = Case::new("ML-DSA-44");
    for function in [PreHash::Sha2_256, PreHash::Sha3_512] {
        case.folder.write("digest", function.digest(MESSAGE));
        case.sign("--in digest");
        let hashed = format!(
            "the {function} digest of the message is taken as the message of a pure signature: the signer hashed first"
        );
        case.is_explained("", &hashed);
    }
}

#[test]
fn older_schemes() {
    // Keys of the older schemes have other secret keys and the same public keys' form.
    for (set, old) in [("ML-DSA-44", "Dilithium2"), ("ML-DSA-65", "Dilithium3"), ("ML-DSA-87", "Dilithium5")]
    {
        let mut case = Case::new(set);
        let scheme = dynamic::by_name(old).unwrap();
        let params = scheme.params();
        case.public = vec![0; params.public_key_len()];
        case.secret = vec![0; params.secret_key_len()];
        scheme.keygen(&[7; 32], &mut case.public, &mut case.secret).unwrap();
        let key = PublicKey::from_bytes(set.parse().unwrap(), &case.public).unwrap();
        case.folder.write("pub.pem", key.to_pem());
        case.sign_with(old, &Message::pure(Context::EMPTY, MESSAGE));
        let said = case.explained("");
        let expected = format!("the signature would be good if it is verified as {old} instead of {set}");
        assert!(said.starts_with(&expected), "{said}");
    }
}

#[test]
fn another_parameter_set() {
    // SHA2 and SHAKE sets have keys and signatures of the same lengths.
    let case = Case::new("SLH-DSA-SHAKE-128f");
    case.sign("--in message");
    let key = PublicKey::from_bytes("SLH-DSA-SHA2-128f".parse().unwrap(), &case.public).unwrap();
    case.folder.write("pub.pem", key.to_pem());
    case.is_explained("", "it is verified as SLH-DSA-SHAKE-128f instead of SLH-DSA-SHA2-128f");
    // Sets of one category have keys of one length.
    let key = PublicKey::from_bytes("SLH-DSA-SHA2-128s".parse().unwrap(), &case.public).unwrap();
    case.folder.write("pub.pem", key.to_pem());
    case.is_explained("", "it is verified as SLH-DSA-SHAKE-128f instead of SLH-DSA-SHA2-128s");

    let case = Case::new("ML-DSA-65");
    case.folder.write("sig", [1; 2420]);
    assert_eq!(
        case.explained(""),
        "the signature has 2420 bytes, as those of ML-DSA-44; those of ML-DSA-65 have 3309\n"
    );
    case.folder.write("sig", [1; 2421]);
    assert_eq!(case.explained(""), "the signature has 2421 bytes; those of ML-DSA-65 have 3309\n");
    case.folder.write("sig", "");
    assert_eq!(case.explained(""), "the signature has 0 bytes; those of ML-DSA-65 have 3309\n");
}

#[test]
fn bytes_turned_around() {
    for algorithm in ["ML-DSA-44", "SLH-DSA-SHA2-128f"] {
        let case = Case::new(algorithm);
        let folder = &case.folder;
        case.sign("--in message");
        let good = folder.read("sig");
        folder.write("sig", reversed(&good));
        case.is_explained("", "the bytes of the signature are turned around");
        folder.write("sig", &good);
        folder.write("message", reversed(MESSAGE));
        case.is_explained("", "the bytes of the message are turned around");
        let set = algorithm.parse().unwrap();
        folder.write("pub.pem", PublicKey::from_bytes(set, &reversed(&case.public)).unwrap().to_pem());
        case.is_explained(
            "",
            "the bytes of the public key are turned around, and the bytes of the message are turned around",
        );
        folder.write("sig", reversed(&good));
        case.is_explained(
            "--context x",
            "the bytes of the public key are turned around, and the bytes of the signature are turned around, and the bytes of \
             the message are turned around, and it is verified without a context (leave out --context)",
        );
    }
}

#[test]
fn text_around_bytes() {
    let case = Case::new("ML-DSA-44");
    let folder = &case.folder;
    case.sign("--in message");
    let good = folder.read("sig");
    folder.write("sig", format!("{}\n", hex::encode(&good)));
    case.is_explained("", "the signature is decoded from its hexadecimal text");
    folder.write("sig", [&good[..], MESSAGE].concat());
    case.is_explained("", &format!("the {} bytes after the signature's 2420 are cut off", MESSAGE.len()));
    folder.write("sig", &good);
    folder.write("message", MESSAGE.trim_ascii_end());
    case.is_explained("", "a newline is put at the end of the message");
    for end in ["\n", "\r\n"] {
        folder.write("message", MESSAGE.trim_ascii_end());
        case.sign("--in message");
        folder.write("message", [MESSAGE.trim_ascii_end(), end.as_bytes()].concat());
        case.is_explained("", "the newline at the end of the message is left out");
    }
}

/// Large messages are turned around and trimmed in pieces.
#[test]
fn large_messages() {
    let case = Case::new("ML-DSA-44");
    let message: Vec<u8> = (0..200_001_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    case.folder.write("message", &message);
    case.sign("--in message");
    case.folder.write("message", reversed(&message));
    case.is_explained("", "the bytes of the message are turned around");
    for split in [65_535, 65_536, 65_537] {
        case.folder.write("message", &message[..split]);
        case.sign("--in message");
        case.folder.write("message", [&message[..split], b"\r\n"].concat());
        case.is_explained("", "the newline at the end of the message is left out");
    }
}

#[test]
fn a_message_from_a_pipe() {
    let case = Case::new("ML-DSA-44");
    case.sign("--in message");
    let command = case.folder.pqsoc("verify --key pub.pem --signature sig --explain --context x");
    let output = common::run_with_input(command, MESSAGE);
    expect("verify", &output, 1);
    assert!(text(&output.stdout).contains("without a context"));
}

#[test]
fn nothing_to_explain() {
    let case = Case::new("ML-DSA-44");
    case.sign("--in message");
    let said = case.folder.ok("verify --key pub.pem --signature sig --in message --explain");
    assert_eq!(text(&said), "message: the ML-DSA-44 signature is good\n");
    case.folder.write("message", "another message");
    assert_eq!(
        case.explained(""),
        "none of the known mix-ups makes the signature good: it belongs to another message or key, or is damaged\n"
    );
}
