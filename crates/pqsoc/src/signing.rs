//! Signing and verifying streams with keys of any algorithm: the one place that knows the families apart.
use crate::{
    cli,
    failure::{Code, Failure},
    message::Message,
    progress::Progress,
};
use pqsoc_keyfile::{Algorithm, KeyPair, PublicKey, Scheme};
use pqsoc_message::{self as format, Context, Digest, PreHash};
use pqsoc_mldsa::{Mu, dynamic};
use pqsoc_slhdsa as slhdsa;
use std::{cell::RefCell, convert::Infallible};
use zeroize::Zeroizing;

/// What is signed of a message.
#[derive(Clone, Copy)]
pub enum Interface<'a> {
    /// The message itself.
    Pure(Context<'a>),
    /// A digest of it: HashML-DSA, HashSLH-DSA.
    PreHash(Context<'a>, PreHash),
    /// ML-DSA: the message is mu already.
    Mu,
}

impl<'a> Interface<'a> {
    /// What the options ask for, with a key of this algorithm. `key` is its file's name.
    pub fn new(options: &'a cli::Interface, key: &str, algorithm: Algorithm) -> Result<Self, Failure> {
        if !options.mu {
            return Self::formatted(&options.formatting, key, algorithm);
        }
        match algorithm.scheme() {
            Scheme::MlDsa(_) => Ok(Self::Mu),
            Scheme::SlhDsa(_) => Err(no_mu(key, algorithm)),
        }
    }

    /// What the options ask for of a message that is not mu.
    pub fn formatted(options: &'a cli::Formatting, key: &str, algorithm: Algorithm) -> Result<Self, Failure> {
        let pre_hash = match (algorithm.pre_hash(), options.prehash) {
            (Some(bound), Some(asked)) if bound != asked => {
                return Err(Failure::usage(format_args!(
                    "--prehash {asked}: the key {key} is for {algorithm} and takes only {bound}"
                )));
            }
            (bound, asked) => bound.or(asked),
        };
        let context = options.context();
        Ok(pre_hash.map_or(Self::Pure(context), |pre_hash| Self::PreHash(context, pre_hash)))
    }

    /// The hash function of HashML-DSA or HashSLH-DSA.
    pub const fn pre_hash(&self) -> Option<PreHash> {
        match self {
            Self::PreHash(_, pre_hash) => Some(*pre_hash),
            Self::Pure(_) | Self::Mu => None,
        }
    }
}

/// mu was asked for with a key that has none.
pub fn no_mu(key: &str, algorithm: Algorithm) -> Failure {
    Failure::usage(format_args!("{key}: {algorithm} has no mu, only ML-DSA has"))
}

/// Where the randomness of a signature comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Randomness {
    /// The operating system: hedged signing.
    System,
    /// Nowhere: deterministic signing.
    None,
}

/// Signs, and verifies what was signed before giving it out: a key that contradicts itself or a fault on the way would
/// otherwise make a signature that is not only bad but can give the key away.
pub fn sign(
    key: &KeyPair,
    interface: Interface<'_>,
    message: &Message,
    randomness: Randomness,
) -> Result<Vec<u8>, Failure> {
    let algorithm = key.public.algorithm();
    let mut signature = vec![0; algorithm.sizes().signature];
    let good = match algorithm.scheme() {
        Scheme::MlDsa(scheme) => {
            let mu = mu(scheme, key.public.as_bytes(), interface, message)?;
            let mut rnd = Zeroizing::new([0; 32]);
            randomness.fill(&mut *rnd)?;
            scheme
                .sign_mu(&key.private, mu.as_ref(), &rnd, &mut signature)
                .map_err(|error| Failure::new(Code::Format, error))?;
            scheme.verify_mu(key.public.as_bytes(), mu.as_ref(), &signature).is_ok()
        }
        Scheme::SlhDsa(params) => {
            message.keep()?;
            let mut opt_rand = Zeroizing::new(vec![0; params.n]);
            randomness.fill(&mut opt_rand)?;
            let opt_rand = (randomness == Randomness::System).then_some(opt_rand.as_slice());
            let private = slhdsa::SigningKey::from_bytes(params, &key.private).map_err(unexpected)?;
            let public =
                slhdsa::VerifyingKey::from_bytes(params, key.public.as_bytes()).map_err(unexpected)?;
            let engine = &mut slhdsa::engine::Threads::new();
            slh_dsa(interface, message, |input| {
                let mut progress = Progress::steps("signing");
                let mut report = |done, total| progress.set_of(done, total);
                let mut sink = signature.as_mut_slice();
                private.sign_with(engine, input, opt_rand, &mut sink, &mut report)?;
                drop(progress);
                match public.verify_with(engine, input, &mut signature.as_slice()) {
                    Err(slhdsa::Error::Signature) => Ok(false),
                    other => other.map(|()| true),
                }
            })?
        }
    };
    if !good {
        return Err(Failure::file(
            message.name(),
            "the signature made does not verify and is thrown away: the private key contradicts itself ('pqsoc \
             inspect' says how), or the message changed while it was read",
        ));
    }
    Ok(signature)
}

/// Whether a signature is good.
pub fn verify(
    key: &PublicKey,
    interface: Interface<'_>,
    message: &Message,
    signature: &[u8],
) -> Result<bool, Failure> {
    match key.algorithm().scheme() {
        Scheme::MlDsa(scheme) => {
            let mu = mu(scheme, key.as_bytes(), interface, message)?;
            Ok(scheme.verify_mu(key.as_bytes(), mu.as_ref(), signature).is_ok())
        }
        Scheme::SlhDsa(params) => {
            let public = slhdsa::VerifyingKey::from_bytes(params, key.as_bytes()).map_err(unexpected)?;
            slh_dsa(interface, message, |input| {
                match public.verify_with(&mut slhdsa::engine::Auto::new(), input, &mut &*signature) {
                    Ok(()) => Ok(true),
                    Err(slhdsa::Error::Stopped) => Err(slhdsa::Error::Stopped),
                    Err(_) => Ok(false),
                }
            })
        }
    }
}

/// Whether a signature of bytes in memory is good, without context, as certificates have it.
pub fn verify_bytes(key: &PublicKey, bytes: &[u8], signature: &[u8]) -> bool {
    let pre_hash = key.algorithm().pre_hash().map(|function| (function, function.digest(bytes)));
    let message = match &pre_hash {
        Some((function, digest)) => pre_hashed(Context::EMPTY, *function, digest),
        None => format::Message::pure(Context::EMPTY, bytes),
    };
    match key.algorithm().scheme() {
        Scheme::MlDsa(scheme) => scheme.verify(key.as_bytes(), &message, signature).is_ok(),
        Scheme::SlhDsa(params) => slhdsa::VerifyingKey::from_bytes(params, key.as_bytes())
            .is_ok_and(|key| key.verify(&message, signature).is_ok()),
    }
}

/// mu of a message. FIPS 204, algorithm 7, line 6.
pub fn mu(
    scheme: &dyn dynamic::Scheme,
    public: &[u8],
    interface: Interface<'_>,
    message: &Message,
) -> Result<Mu, Failure> {
    match interface {
        Interface::Pure(context) => {
            let mut builder =
                scheme.mu_builder(public, context).map_err(|error| Failure::new(Code::Format, error))?;
            message.read(&mut |piece| builder.update(piece))?;
            Ok(builder.finish())
        }
        Interface::PreHash(context, pre_hash) => {
            let digest = digest(pre_hash, message)?;
            let m = pre_hashed(context, pre_hash, &digest);
            scheme.verifying_mu(public, &m).map_err(|error| Failure::new(Code::Format, error))
        }
        Interface::Mu => {
            let mut bytes = Vec::new();
            let len = message.read(&mut |piece| {
                let room = 65_usize.saturating_sub(bytes.len());
                bytes.extend_from_slice(&piece[..room.min(piece.len())]);
            })?;
            let mu: [u8; 64] = bytes.try_into().map_err(|_| {
                Failure::file(
                    message.name(),
                    format_args!("mu has 64 bytes, not {len} (--mu takes its raw bytes)"),
                )
            })?;
            Ok(mu.into())
        }
    }
}

/// The digest of a message.
pub fn digest(pre_hash: PreHash, message: &Message) -> Result<Digest, Failure> {
    let mut hasher = pre_hash.hasher();
    message.read(&mut |piece| hasher.update(piece))?;
    Ok(hasher.finish())
}

/// M' of a digest.
pub fn pre_hashed<'a>(context: Context<'a>, pre_hash: PreHash, digest: &'a Digest) -> format::Message<'a> {
    format::Message::pre_hashed(context, pre_hash, digest.as_ref()).expect("the digest is the function's own")
}

/// Gives M' of a message to an operation of SLH-DSA, which may read it as often as the message can be read.
fn slh_dsa<T>(
    interface: Interface<'_>,
    message: &Message,
    operation: impl FnOnce(&dyn slhdsa::Input) -> Result<T, slhdsa::Error>,
) -> Result<T, Failure> {
    match interface {
        Interface::Pure(context) => {
            let body = |take: &mut dyn FnMut(&[u8])| message.read(take).map(drop);
            streamed(format::Message::pure(context, &[]), &body, operation)
        }
        Interface::PreHash(context, pre_hash) => {
            let digest = digest(pre_hash, message)?;
            operation(&pre_hashed(context, pre_hash, &digest)).map_err(unexpected)
        }
        Interface::Mu => Err(Failure::usage("SLH-DSA has no mu")),
    }
}

/// Reads what follows the head of M', piece by piece, as often as it is called.
pub type Body<'a> = dyn Fn(&mut dyn FnMut(&[u8])) -> Result<(), Failure> + 'a;

/// Gives `head`, and then what `body` reads, to an operation of SLH-DSA.
pub fn streamed<T>(
    head: format::Message<'_>,
    body: &Body<'_>,
    operation: impl FnOnce(&dyn slhdsa::Input) -> Result<T, slhdsa::Error>,
) -> Result<T, Failure> {
    struct Streamed<'a> {
        head: format::Message<'a>,
        body: &'a Body<'a>,
        /// Why the body could not be read.
        failure: RefCell<Option<Failure>>,
    }
    impl slhdsa::Input for Streamed<'_> {
        fn read(&self, take: &mut dyn FnMut(&[u8])) -> Result<(), slhdsa::Stopped> {
            self.head.parts().into_iter().for_each(&mut *take);
            (self.body)(take).map_err(|failure| {
                self.failure.replace(Some(failure));
                slhdsa::Stopped
            })
        }
    }
    let input = Streamed { head, body, failure: RefCell::new(None) };
    operation(&input).map_err(|error| input.failure.take().unwrap_or_else(|| unexpected(error)))
}

/// An error that right lengths and software rule out.
fn unexpected(error: slhdsa::Error<Infallible>) -> Failure {
    Failure::new(Code::Format, error)
}

impl Randomness {
    fn fill(self, bytes: &mut [u8]) -> Result<(), Failure> {
        match self {
            Self::System => random(bytes),
            Self::None => Ok(()),
        }
    }
}

/// Fills `bytes` from the operating system's generator. Its failure is an error, never a fall-back.
pub fn random(bytes: &mut [u8]) -> Result<(), Failure> {
    getrandom::fill(bytes).map_err(|error| {
        Failure::new(Code::Format, format_args!("the system's random number generator failed: {error}"))
    })
}
