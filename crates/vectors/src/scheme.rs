//! ML-DSA, SLH-DSA and their forerunners under one type, keys and signatures being bytes.
use pqsoc_message::{Context, Message, PreHash};
use pqsoc_mldsa::dynamic;
use pqsoc_slhdsa::{Params, SigningKey, VerifyingKey, params};

/// A parameter set of any scheme.
#[derive(Clone, Copy)]
pub(crate) enum Scheme {
    MlDsa(&'static dyn dynamic::Scheme),
    SlhDsa(&'static Params),
}

/// Both keys, encoded.
pub(crate) struct KeyPair {
    pub pk: Vec<u8>,
    pub sk: Vec<u8>,
}

/// What is signed, whole.
#[derive(Clone)]
pub(crate) enum Text {
    Pure {
        context: Vec<u8>,
        message: Vec<u8>,
    },
    PreHashed {
        context: Vec<u8>,
        function: PreHash,
        message: Vec<u8>,
    },
    /// M' of the internal interface.
    Internal(Vec<u8>),
    /// The message representative of ML-DSA.
    Mu(Vec<u8>),
}

impl Text {
    /// A message without context; for schemes that have none, the message as it is.
    pub fn plain(message: Vec<u8>) -> Self {
        Self::Pure { context: Vec::new(), message }
    }

    /// M' for `then`; mu has none.
    fn formatted<T>(
        &self,
        scheme: Scheme,
        then: impl FnOnce(&Message<'_>) -> Result<T, String>,
    ) -> Result<T, String> {
        match self {
            Self::Pure { context, message } if context.is_empty() && !scheme.formats_messages() => {
                then(&Message::internal(message))
            }
            Self::Internal(m_prime) => then(&Message::internal(m_prime)),
            Self::Mu(_) => Err("only ML-DSA signs mu".into()),
            _ if !scheme.formats_messages() => Err(format!("{} has no contexts", scheme.name())),
            Self::Pure { context, message } => then(&Message::pure(bound(context)?, message)),
            Self::PreHashed { context, function, message } => {
                let digest = function.digest(message);
                let message = Message::pre_hashed(bound(context)?, *function, digest.as_ref());
                then(&message.map_err(|error| error.to_string())?)
            }
        }
    }

    /// M' as bytes.
    pub fn m_prime(&self, scheme: Scheme) -> Result<Vec<u8>, String> {
        self.formatted(scheme, |message| Ok(message.parts().concat()))
    }
}

fn bound(context: &[u8]) -> Result<Context<'_>, String> {
    Context::new(context).map_err(|error| error.to_string())
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// `bytes` with the length that is asked for.
fn sized<const LEN: usize>(what: &str, bytes: &[u8]) -> Result<[u8; LEN], String> {
    bytes.try_into().map_err(|_| format!("{what} has {} bytes, not {LEN}", bytes.len()))
}

impl Scheme {
    /// All sets, those of the standards first.
    pub fn all() -> impl Iterator<Item = Self> {
        let ml = dynamic::ALL.iter().copied().map(Self::MlDsa);
        ml.chain(params::ALL.iter().copied().map(Self::SlhDsa))
    }

    /// The set of that name, in any case.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::all().find(|scheme| scheme.name().eq_ignore_ascii_case(name))
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::MlDsa(set) => set.params().name,
            Self::SlhDsa(set) => set.name,
        }
    }

    pub fn public_key_len(self) -> usize {
        match self {
            Self::MlDsa(set) => set.params().public_key_len(),
            Self::SlhDsa(set) => set.public_key_len(),
        }
    }

    pub fn secret_key_len(self) -> usize {
        match self {
            Self::MlDsa(set) => set.params().secret_key_len(),
            Self::SlhDsa(set) => set.private_key_len(),
        }
    }

    pub fn signature_len(self) -> usize {
        match self {
            Self::MlDsa(set) => set.params().signature_len(),
            Self::SlhDsa(set) => set.signature_len(),
        }
    }

    /// Bytes of xi, or of the three seeds together.
    pub fn seed_len(self) -> usize {
        match self {
            Self::MlDsa(_) => pqsoc_mldsa::SEED_LEN,
            Self::SlhDsa(set) => 3 * set.n,
        }
    }

    /// Bytes of rnd or opt_rand.
    pub fn randomness_len(self) -> usize {
        match self {
            Self::MlDsa(_) => pqsoc_mldsa::SEED_LEN,
            Self::SlhDsa(set) => set.n,
        }
    }

    /// Whether messages are formatted with a context, as the standards do and their forerunners do not.
    pub fn formats_messages(self) -> bool {
        match self {
            Self::MlDsa(set) => set.params().context,
            Self::SlhDsa(set) => set.scheme == params::Scheme::SlhDsa,
        }
    }

    /// Whether signatures can be randomised.
    pub fn hedged(self) -> bool {
        match self {
            Self::MlDsa(set) => set.params().hedged,
            Self::SlhDsa(_) => true,
        }
    }

    /// FIPS 204, algorithm 6; FIPS 205, algorithm 18.
    pub fn generate(self, seed: &[u8]) -> Result<KeyPair, String> {
        match self {
            Self::MlDsa(set) => {
                let mut pair =
                    KeyPair { pk: vec![0; self.public_key_len()], sk: vec![0; self.secret_key_len()] };
                set.keygen(&sized("the seed", seed)?, &mut pair.pk, &mut pair.sk).map_err(said)?;
                Ok(pair)
            }
            Self::SlhDsa(set) => {
                let mut seeds = seed.chunks(set.n);
                let mut next = || seeds.next().unwrap_or_default();
                let key = SigningKey::from_seeds(set, next(), next(), next()).map_err(said)?;
                if seeds.next().is_some() {
                    return Err(format!("the seeds have {} bytes, not {}", seed.len(), self.seed_len()));
                }
                Ok(KeyPair { pk: key.verifying_key().as_bytes().to_vec(), sk: key.as_bytes().to_vec() })
            }
        }
    }

    /// The public key of a private one.
    pub fn public_key(self, sk: &[u8]) -> Result<Vec<u8>, String> {
        match self {
            Self::MlDsa(set) => {
                let mut pk = vec![0; self.public_key_len()];
                set.public_key(sk, &mut pk).map_err(said)?;
                Ok(pk)
            }
            Self::SlhDsa(set) => {
                let key = SigningKey::from_bytes(set, sk).map_err(said)?;
                Ok(key.verifying_key().as_bytes().to_vec())
            }
        }
    }

    /// mu of a text under a public key.
    pub fn mu(self, pk: &[u8], text: &Text) -> Result<Vec<u8>, String> {
        match self {
            Self::MlDsa(set) => {
                text.formatted(self, |m| set.verifying_mu(pk, m).map(|mu| mu.as_ref().to_vec()).map_err(said))
            }
            Self::SlhDsa(_) => Err("only ML-DSA has mu".into()),
        }
    }

    /// Signs with `randomness`, or in the deterministic way.
    pub fn sign(self, sk: &[u8], text: &Text, randomness: Option<&[u8]>) -> Result<Vec<u8>, String> {
        let mut signature = vec![0; self.signature_len()];
        match self {
            Self::MlDsa(set) => {
                let rnd = randomness.map(|rnd| sized("rnd", rnd)).transpose()?.unwrap_or_default();
                let mu = match text {
                    Text::Mu(mu) => mu.clone(),
                    text => text.formatted(self, |m| set.signing_mu(sk, m).map_err(said))?.as_ref().to_vec(),
                };
                set.sign_mu(sk, &mu, &rnd, &mut signature).map_err(said)?;
            }
            Self::SlhDsa(set) => {
                let key = SigningKey::from_bytes(set, sk).map_err(said)?;
                text.formatted(self, |m| key.sign_into(m, randomness, &mut signature).map_err(said))?;
            }
        }
        Ok(signature)
    }

    /// The attempts that deterministic signing needs.
    pub fn attempts(self, sk: &[u8], text: &Text) -> Result<u32, String> {
        match self {
            Self::MlDsa(set) => {
                let mut signature = vec![0; self.signature_len()];
                text.formatted(self, |m| set.sign(sk, m, &[0; 32], &mut signature).map_err(said))
            }
            Self::SlhDsa(_) => Ok(1),
        }
    }

    /// The reason is why the signature is rejected.
    pub fn verify(self, pk: &[u8], text: &Text, signature: &[u8]) -> Result<(), String> {
        match (self, text) {
            (Self::MlDsa(set), Text::Mu(mu)) => set.verify_mu(pk, mu, signature).map_err(said),
            (Self::MlDsa(set), text) => text.formatted(self, |m| set.verify(pk, m, signature).map_err(said)),
            (Self::SlhDsa(set), text) => {
                let key = VerifyingKey::from_bytes(set, pk).map_err(said)?;
                text.formatted(self, |m| key.verify(m, signature).map_err(said))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for scheme in Scheme::all() {
            assert_eq!(Scheme::by_name(&scheme.name().to_lowercase()).map(Scheme::name), Some(scheme.name()));
        }
        assert!(Scheme::by_name("ML-DSA-45").is_none());
    }
}
