//! Why a signature may be bad: the known mix-ups, tried one and several at a time.
use crate::{
    failure::Failure,
    message::Message,
    signing::{Interface, pre_hashed, streamed},
};
use pqsoc_keyfile::{Algorithm, Bare, Family, Part, PublicKey, TextEncoding, text};
use pqsoc_message::{self as format, Context, Digest, PreHash};
use pqsoc_mldsa::{Mu, MuBuilder, dynamic};
use pqsoc_slhdsa::{self as slhdsa, engine::Auto};

/// Bytes, and how they differ from what was given.
struct Variant {
    bytes: Vec<u8>,
    deviation: Option<String>,
}

/// The message, and how it differs from the file. Never in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Body {
    AsIs,
    WithoutNewline,
    WithNewline,
    Reversed,
}

/// What may have been signed of a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    Pure {
        empty_context: bool,
    },
    PreHash {
        empty_context: bool,
        function: PreHash,
    },
    Internal,
    /// The message is mu.
    Mu,
    /// mu of the message was signed as if it were a message.
    MuAsMessage,
    /// A digest of the message was signed as if it were the message.
    DigestAsMessage {
        empty_context: bool,
        function: PreHash,
    },
}

/// What one pass over a message gives.
struct Pass {
    digests: Vec<(PreHash, Digest)>,
    /// The message itself, when it has the 64 bytes of a mu.
    mu: Option<Mu>,
    /// For each key and ML-DSA scheme, what its streams became.
    streams: Vec<Stream<Mu>>,
}

/// mu of the readings that stream the message itself, for a key and a scheme.
struct Stream<T> {
    key: usize,
    scheme: &'static dyn dynamic::Scheme,
    readings: Vec<(Reading, T)>,
}

/// A way of reading the files that makes the signature good: what is different from how they were given.
type Hit = Vec<String>;

/// Everything that is tried.
struct Explainer<'a> {
    algorithm: Algorithm,
    asked: Interface<'a>,
    context: Context<'a>,
    keys: Vec<Variant>,
    signatures: Vec<Variant>,
    message: &'a Message,
    hits: Vec<Hit>,
}

/// Sentences that name the mix-ups which make `signature` good; if none does, what can be said else. `message` must be
/// one that can be read more than once; it is read in pieces.
pub fn explain(
    key: &PublicKey,
    asked: Interface<'_>,
    message: &Message,
    signature: &[u8],
) -> Result<Vec<String>, Failure> {
    let algorithm = key.algorithm();
    let mut explainer = Explainer {
        algorithm,
        asked,
        context: match asked {
            Interface::Pure(context) | Interface::PreHash(context, _) => context,
            Interface::Mu => Context::EMPTY,
        },
        keys: keys(key),
        signatures: signatures(signature, algorithm.sizes().signature),
        message,
        hits: Vec::new(),
    };
    for body in [Body::AsIs, Body::WithoutNewline, Body::WithNewline, Body::Reversed] {
        match algorithm.family() {
            Family::MlDsa => explainer.ml_dsa(body)?,
            Family::SlhDsa => explainer.slh_dsa(body)?,
        }
        // No other message explains it better than one mistake with this one.
        if explainer.hits.iter().any(|hit| hit.len() == 1) {
            break;
        }
    }
    let Explainer { mut hits, .. } = explainer;
    // The simplest explanation: the one with the fewest mistakes.
    hits.sort_by_key(Vec::len);
    let fewest = hits.first().map_or(0, Vec::len);
    let sentence = |hit: Hit| format!("the signature would be good if {}", hit.join(", and "));
    let mut sentences: Vec<_> =
        hits.into_iter().take_while(|hit| hit.len() == fewest).map(sentence).collect();
    sentences.dedup();
    if sentences.is_empty() {
        sentences.push(match wrong_length(signature.len(), algorithm) {
            Some(sentence) => sentence,
            None => "none of the known mix-ups makes the signature good: it belongs to another message or key, or is \
                     damaged"
                .to_string(),
        });
    }
    Ok(sentences)
}

/// What the length of a signature says when it is not the right one.
fn wrong_length(len: usize, algorithm: Algorithm) -> Option<String> {
    let expected = algorithm.sizes().signature;
    if len == expected {
        return None;
    }
    let known = Bare::of_len(len, TextEncoding::Binary).and_then(|bare| {
        let (_, sets) = bare.candidates.into_iter().find(|(part, _)| *part == Part::Signature)?;
        Some(sets.iter().map(Algorithm::name).collect::<Vec<_>>().join(" or "))
    });
    let of = known.map_or(String::new(), |sets| format!(", as those of {sets}"));
    Some(format!("the signature has {len} bytes{of}; those of {} have {expected}", algorithm.set()))
}

/// The key as it is and backwards.
fn keys(key: &PublicKey) -> Vec<Variant> {
    let backwards: Vec<u8> = key.as_bytes().iter().rev().copied().collect();
    vec![
        Variant { bytes: key.as_bytes().to_vec(), deviation: None },
        Variant { bytes: backwards, deviation: Some("the bytes of the public key are turned around".into()) },
    ]
}

/// The signature as it is, out of a text, and without what follows it; each of them forwards and backwards.
fn signatures(given: &[u8], expected: usize) -> Vec<Variant> {
    let mut variants = vec![Variant { bytes: given.to_vec(), deviation: None }];
    if let Some((bytes, encoding)) = text(given).filter(|(bytes, _)| !bytes.is_empty()) {
        let name = match encoding {
            TextEncoding::Hex => "hexadecimal",
            TextEncoding::Base64 | TextEncoding::Binary => "Base64",
        };
        let deviation = Some(format!("the signature is decoded from its {name} text"));
        variants.push(Variant { bytes, deviation });
    }
    if let Some((start, rest)) = given.split_at_checked(expected).filter(|(_, rest)| !rest.is_empty()) {
        let deviation =
            Some(format!("the {} bytes after the signature's {expected} are cut off", rest.len()));
        variants.push(Variant { bytes: start.to_vec(), deviation });
    }
    let backwards: Vec<_> = variants
        .iter()
        .map(|Variant { bytes, deviation }| {
            let turned = "the bytes of the signature are turned around".to_string();
            Variant {
                bytes: bytes.iter().rev().copied().collect(),
                deviation: Some(deviation.as_ref().map_or(turned.clone(), |d| format!("{d}, {turned}"))),
            }
        })
        .collect();
    variants.extend(backwards);
    variants
}

impl Explainer<'_> {
    /// The context of a reading.
    fn context(&self, empty: bool) -> Context<'_> {
        if empty { Context::EMPTY } else { self.context }
    }

    /// Readings of a message that is formatted as FIPS 204 and FIPS 205 say, digests apart.
    fn contexts(&self) -> impl Iterator<Item = bool> + use<> {
        let given = self.context != Context::EMPTY;
        [false, true].into_iter().filter(move |empty| given || !empty)
    }

    /// Notes a reading that makes the signature good.
    fn hit(&mut self, key: usize, signature: usize, body: Body, scheme: &str, reading: Reading) {
        let mut deviations: Hit = Vec::new();
        deviations.extend(self.keys[key].deviation.clone());
        deviations.extend(self.signatures[signature].deviation.clone());
        deviations.extend(body.deviation().map(String::from));
        if scheme != self.algorithm.set() {
            deviations.push(format!("it is verified as {scheme} instead of {}", self.algorithm.set()));
        }
        deviations.extend(self.reading_deviation(reading));
        self.hits.push(deviations);
    }

    /// How a reading differs from what was asked for.
    fn reading_deviation(&self, reading: Reading) -> Option<String> {
        let context = |empty: bool| if empty { " and without a context" } else { "" };
        let asked_empty = match (reading, self.asked) {
            (Reading::Pure { empty_context }, Interface::Pure(_)) => Some(empty_context),
            (Reading::PreHash { empty_context, function }, Interface::PreHash(_, asked))
                if function == asked =>
            {
                Some(empty_context)
            }
            (Reading::Mu, Interface::Mu) => Some(false),
            _ => None,
        };
        Some(match reading {
            _ if asked_empty == Some(false) => return None,
            _ if asked_empty == Some(true) => "it is verified without a context (leave out --context)".into(),
            Reading::Pure { empty_context } => match self.asked {
                Interface::Mu => "the input is taken as the message, not as mu (leave out --mu)".into(),
                _ => format!(
                    "it is verified as a pure signature (leave out --prehash){}",
                    context(empty_context)
                ),
            },
            Reading::PreHash { empty_context, function } => {
                format!(
                    "it is verified with pre-hash {function} (--prehash {function}){}",
                    context(empty_context)
                )
            }
            Reading::Internal => {
                "the message is taken as M' of the internal interface, without the context header of \
                                  the standard's sign and verify"
                    .into()
            }
            Reading::Mu => "the input is taken as mu, not as the message (--mu)".into(),
            Reading::MuAsMessage => {
                "mu of the message is taken as the message: the signer passed mu where a message belongs"
                    .into()
            }
            Reading::DigestAsMessage { empty_context, function } => format!(
                "the {function} digest of the message is taken as the message of a pure signature: the signer hashed \
                 first{}",
                context(empty_context)
            ),
        })
    }

    /// The readings that are made of digests.
    fn digest_readings(&self, pass: &Pass) -> Vec<(Reading, Digest)> {
        let mut readings = Vec::new();
        for &(function, digest) in &pass.digests {
            for empty_context in self.contexts() {
                readings.push((Reading::PreHash { empty_context, function }, digest));
                readings.push((Reading::DigestAsMessage { empty_context, function }, digest));
            }
        }
        readings
    }

    /// M' of a reading that is made of a digest.
    fn of_digest<'b>(&'b self, reading: Reading, digest: &'b Digest) -> format::Message<'b> {
        match reading {
            Reading::PreHash { empty_context, function } => {
                pre_hashed(self.context(empty_context), function, digest)
            }
            Reading::DigestAsMessage { empty_context, .. } => {
                format::Message::pure(self.context(empty_context), digest.as_ref())
            }
            _ => format::Message::internal(digest.as_ref()),
        }
    }

    fn ml_dsa(&mut self, body: Body) -> Result<(), Failure> {
        let public = self.algorithm.sizes().public;
        let lengths: Vec<_> = self.signatures.iter().map(|signature| signature.bytes.len()).collect();
        let schemes = || {
            dynamic::ALL.iter().copied().filter(|scheme| {
                let params = scheme.params();
                params.public_key_len() == public && lengths.contains(&params.signature_len())
            })
        };
        let mut streams = Vec::new();
        for (key, variant) in self.keys.iter().enumerate() {
            for scheme in schemes() {
                let params = scheme.params();
                let internal = scheme.internal_mu_builder(&variant.bytes);
                let mut readings: Vec<_> =
                    internal.into_iter().map(|builder| (Reading::Internal, builder)).collect();
                for empty_context in self.contexts().filter(|_| params.context) {
                    let builder = scheme.mu_builder(&variant.bytes, self.context(empty_context));
                    readings.extend(builder.map(|builder| (Reading::Pure { empty_context }, builder)));
                }
                streams.push(Stream { key, scheme, readings });
            }
        }
        if streams.is_empty() {
            return Ok(());
        }
        let Some(pass) = self.pass(body, streams)? else { return Ok(()) };
        let digests = self.digest_readings(&pass);
        for Stream { key, scheme, readings } in &pass.streams {
            let (key, params, bytes) = (*key, scheme.params(), self.keys[*key].bytes.clone());
            let mut mus = readings.clone();
            mus.extend(pass.mu.map(|mu| (Reading::Mu, mu)));
            if params.context {
                for (reading, digest) in &digests {
                    mus.extend(
                        scheme
                            .verifying_mu(&bytes, &self.of_digest(*reading, digest))
                            .map(|mu| (*reading, mu)),
                    );
                }
                for (reading, mu) in readings {
                    if matches!(reading, Reading::Pure { empty_context: false }) {
                        let message = format::Message::pure(self.context, mu.as_ref());
                        mus.extend(
                            scheme.verifying_mu(&bytes, &message).map(|mu| (Reading::MuAsMessage, mu)),
                        );
                    }
                }
            }
            for (reading, mu) in mus {
                for signature in 0..self.signatures.len() {
                    if scheme.verify_mu(&bytes, mu.as_ref(), &self.signatures[signature].bytes).is_ok() {
                        self.hit(key, signature, body, params.name, reading);
                    }
                }
            }
        }
        Ok(())
    }

    fn slh_dsa(&mut self, body: Body) -> Result<(), Failure> {
        let Some(pass) = self.pass(body, Vec::new())? else { return Ok(()) };
        let digests = self.digest_readings(&pass);
        let public = self.algorithm.sizes().public;
        for key in 0..self.keys.len() {
            for signature in 0..self.signatures.len() {
                let len = self.signatures[signature].bytes.len();
                let sets = slhdsa::params::ALL.iter().copied();
                for params in sets.filter(|p| p.public_key_len() == public && p.signature_len() == len) {
                    let readings = self.slh_dsa_readings(key, signature, body, params, &digests)?;
                    for reading in readings {
                        self.hit(key, signature, body, params.name, reading);
                    }
                }
            }
        }
        Ok(())
    }

    /// The readings that make one variant of the signature good under one variant of the key, as one set.
    fn slh_dsa_readings(
        &self,
        key_index: usize,
        signature: usize,
        body: Body,
        params: &'static slhdsa::Params,
        digests: &[(Reading, Digest)],
    ) -> Result<Vec<Reading>, Failure> {
        let Ok(key) = slhdsa::VerifyingKey::from_bytes(params, &self.keys[key_index].bytes) else {
            return Ok(Vec::new());
        };
        let signature = self.signatures[signature].bytes.as_slice();
        let verify =
            |input: &dyn slhdsa::Input| match key.verify_with(&mut Auto::new(), input, &mut &*signature) {
                Ok(()) => Ok(true),
                Err(slhdsa::Error::Stopped) => Err(slhdsa::Error::Stopped),
                Err(_) => Ok(false),
            };
        // SPHINCS+ has neither contexts nor pre-hash functions: its message is that of the internal interface.
        let formats = params.scheme == slhdsa::params::Scheme::SlhDsa;
        let mut good = Vec::new();
        let pure = self.contexts().filter(|_| formats).map(|empty_context| Reading::Pure { empty_context });
        for reading in pure.chain([Reading::Internal]) {
            let head = match reading {
                Reading::Pure { empty_context } => format::Message::pure(self.context(empty_context), &[]),
                _ => format::Message::internal(&[]),
            };
            let read = |take: &mut dyn FnMut(&[u8])| body.read(self.message, take).map(drop);
            if streamed(head, &read, verify)? {
                good.push(reading);
            }
        }
        // There are many of these, and verifying takes milliseconds: with the message and the key as they are only.
        for (reading, digest) in digests.iter().filter(|_| formats && body == Body::AsIs && key_index == 0) {
            if verify(&self.of_digest(*reading, digest)) == Ok(true) {
                good.push(*reading);
            }
        }
        Ok(good)
    }

    /// Reads the message once; `None` when this variant of it is no other than the message.
    fn pass(&self, body: Body, mut streams: Vec<Stream<MuBuilder>>) -> Result<Option<Pass>, Failure> {
        let mut hashers: Vec<_> =
            PreHash::ALL.iter().map(|function| (*function, function.hasher())).collect();
        let mut start = Vec::new();
        let differs = body.read(self.message, &mut |piece| {
            hashers.iter_mut().for_each(|(_, hasher)| hasher.update(piece));
            streams.iter_mut().flat_map(|s| &mut s.readings).for_each(|(_, builder)| builder.update(piece));
            let room = 65_usize.saturating_sub(start.len());
            start.extend_from_slice(&piece[..room.min(piece.len())]);
        })?;
        Ok(differs.then(|| Pass {
            digests: hashers.into_iter().map(|(function, hasher)| (function, hasher.finish())).collect(),
            mu: <[u8; 64]>::try_from(start).ok().map(Mu::from),
            streams: streams
                .into_iter()
                .map(|Stream { key, scheme, readings }| {
                    let readings =
                        readings.into_iter().map(|(reading, builder)| (reading, builder.finish())).collect();
                    Stream { key, scheme, readings }
                })
                .collect(),
        }))
    }
}

impl Body {
    fn deviation(self) -> Option<&'static str> {
        match self {
            Self::AsIs => None,
            Self::WithoutNewline => Some("the newline at the end of the message is left out"),
            Self::WithNewline => Some("a newline is put at the end of the message"),
            Self::Reversed => Some("the bytes of the message are turned around"),
        }
    }

    /// Gives this variant of `message` to `take`; `false` when it does not exist.
    fn read(self, message: &Message, take: &mut dyn FnMut(&[u8])) -> Result<bool, Failure> {
        match self {
            Self::AsIs => message.read(take).map(|_| true),
            Self::Reversed => message.read_reversed(take).map(|()| true),
            Self::WithNewline => {
                message.read(take)?;
                take(b"\n");
                Ok(true)
            }
            Self::WithoutNewline => {
                // What may be the newline is held back until more comes.
                let mut held: Vec<u8> = Vec::new();
                message.read(&mut |piece| {
                    held.extend_from_slice(piece);
                    let sure = held.len().saturating_sub(2);
                    take(&held[..sure]);
                    held.drain(..sure);
                })?;
                let text = held.strip_suffix(b"\n").map(|line| line.strip_suffix(b"\r").unwrap_or(line));
                take(text.unwrap_or(&held));
                Ok(text.is_some())
            }
        }
    }
}
