//! What the targets share.
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use pqsoc_mldsa::dynamic::{Of, Scheme};
use pqsoc_mldsa::{Fast, MlDsa44, MlDsa65, MlDsa87, Reference, Small};

/// One parameter set in every memory profile: they have to agree on everything.
pub type Profiles = [&'static dyn Scheme; 3];

/// The sets of FIPS 204.
pub const ML_DSA: [Profiles; 3] = [
    [&Of::<MlDsa44, Fast>::new(), &Of::<MlDsa44, Small>::new(), &Of::<MlDsa44, Reference>::new()],
    [&Of::<MlDsa65, Fast>::new(), &Of::<MlDsa65, Small>::new(), &Of::<MlDsa65, Reference>::new()],
    [&Of::<MlDsa87, Fast>::new(), &Of::<MlDsa87, Small>::new(), &Of::<MlDsa87, Reference>::new()],
];

/// A change to a string of bytes.
#[derive(Arbitrary, Debug)]
pub enum Edit {
    /// Exclusive or of a byte.
    Xor { at: u16, with: u8 },
    /// Another byte in the place of one.
    Set { at: u16, to: u8 },
    /// Two bytes change places.
    Swap { a: u16, b: u16 },
    /// The end is cut off.
    Truncate { to: u16 },
    /// Bytes are appended.
    Append { bytes: Vec<u8> },
}

impl Edit {
    /// Changes `bytes`; places count from its start and wrap at its end.
    pub fn apply(&self, bytes: &mut Vec<u8>) {
        let place = |at: u16| usize::from(at).checked_rem(bytes.len());
        match self {
            Self::Xor { at, with } => {
                if let Some(at) = place(*at) {
                    bytes[at] ^= with;
                }
            }
            Self::Set { at, to } => {
                if let Some(at) = place(*at) {
                    bytes[at] = *to;
                }
            }
            Self::Swap { a, b } => {
                if let (Some(a), Some(b)) = (place(*a), place(*b)) {
                    bytes.swap(a, b);
                }
            }
            Self::Truncate { to } => bytes.truncate(usize::from(*to)),
            Self::Append { bytes: more } => bytes.extend_from_slice(more),
        }
    }
}

/// `bytes` after all `edits`.
pub fn edited(bytes: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    edits.iter().for_each(|edit| edit.apply(&mut bytes));
    bytes
}

/// A key pair of a set: public key, secret key.
pub fn key_pair(scheme: &dyn Scheme, seed: u8) -> (Vec<u8>, Vec<u8>) {
    let params = scheme.params();
    let (mut public, mut secret) = (vec![0; params.public_key_len()], vec![0; params.secret_key_len()]);
    scheme.keygen(&[seed; 32], &mut public, &mut secret).expect("key generation from a seed cannot fail");
    (public, secret)
}
