//! Keys, and the operations on them.
use crate::engine::{Auto, Engine};
use crate::error::Error;
use crate::params::{MAX_N, MAX_PRIVATE_KEY_LEN, MAX_PUBLIC_KEY_LEN, Params};
use crate::stream::{Input, Sink, Source};
use core::fmt;
use pqsoc_message::Message;
use rand_core::TryCryptoRng;
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Told how far a long operation is: leaves of trees that are done, and how many there will be.
pub type Progress<'a> = dyn FnMut(u64, u64) + 'a;

/// A public key: PK.seed and PK.root. FIPS 205, figure 16.
#[derive(Clone)]
pub struct VerifyingKey {
    params: &'static Params,
    bytes: [u8; MAX_PUBLIC_KEY_LEN],
}

impl VerifyingKey {
    /// A public key from its encoding of [`Params::public_key_len`] bytes; any bytes of that length are one.
    #[inline(never)] // copies that are made on the way are not on its caller's stack
    pub fn from_bytes(params: &'static Params, bytes: &[u8]) -> Result<Self, Error> {
        Ok(Self { params, bytes: padded(bytes, params.public_key_len())? })
    }

    /// Its set.
    pub fn params(&self) -> &'static Params {
        self.params
    }

    /// Its encoding, of [`Params::public_key_len`] bytes.
    pub fn as_bytes(&self) -> &[u8] {
        part(&self.bytes, 0, self.params.public_key_len())
    }

    /// PK.seed, n bytes.
    pub fn seed(&self) -> &[u8] {
        part(&self.bytes, 0, self.params.n)
    }

    /// PK.root, n bytes.
    pub fn root(&self) -> &[u8] {
        part(&self.bytes, self.params.n, self.params.n)
    }

    /// Checks a signature of `message`, which also says whether it is pure, pre-hashed or given as M'.
    /// FIPS 205, algorithms 20, 24 and 25.
    ///
    /// ```
    /// # use pqsoc_slhdsa::{Context, Message, VerifyingKey, Error, params::SLH_DSA_SHA2_128F};
    /// # let public_key = [0; 32];
    /// let key = VerifyingKey::from_bytes(&SLH_DSA_SHA2_128F, &public_key)?;
    /// let message = Message::pure(Context::EMPTY, b"message");
    /// assert_eq!(key.verify(&message, &[0; 17088]), Err(Error::Signature));
    /// # Ok::<(), Error>(())
    /// ```
    #[inline(never)] // its engine is not on its caller's stack
    pub fn verify(&self, message: &Message<'_>, signature: &[u8]) -> Result<(), Error> {
        self.verify_with(&mut Auto::new(), message, &mut &*signature)
    }

    /// [`verify`](Self::verify) on an engine, of a message and a signature that are read once, in order.
    ///
    /// Reads at most one byte past the end of the signature, to know that nothing follows.
    pub fn verify_with<E: Engine>(
        &self,
        engine: &mut E,
        message: &dyn Input,
        signature: &mut dyn Source,
    ) -> Result<(), Error<E::Error>> {
        crate::scheme::verify(self, engine, message, signature)
    }
}

impl PartialEq for VerifyingKey {
    fn eq(&self, other: &Self) -> bool {
        self.params == other.params && self.bytes == other.bytes
    }
}

impl Eq for VerifyingKey {}

impl fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VerifyingKey({}, ", self.params)?;
        for byte in self.as_bytes() {
            write!(f, "{byte:02x}")?;
        }
        f.write_str(")")
    }
}

/// A private key: SK.seed, SK.prf, PK.seed and PK.root. FIPS 205, figure 15.
///
/// Wiped when dropped, never printed.
pub struct SigningKey {
    params: &'static Params,
    bytes: [u8; MAX_PRIVATE_KEY_LEN],
}

impl SigningKey {
    /// A new key. FIPS 205, algorithm 21.
    pub fn generate<R: TryCryptoRng + ?Sized>(params: &'static Params, rng: &mut R) -> Result<Self, Error> {
        Self::generate_with(&mut Auto::new(), params, rng, &mut |_, _| {})
    }

    /// [`generate`](Self::generate) on an engine, telling how far it is.
    pub fn generate_with<E: Engine, R: TryCryptoRng + ?Sized>(
        engine: &mut E,
        params: &'static Params,
        rng: &mut R,
        progress: &mut Progress<'_>,
    ) -> Result<Self, Error<E::Error>> {
        let mut key = Self { params, bytes: [0; MAX_PRIVATE_KEY_LEN] };
        let seeds = key.bytes.get_mut(..3 * params.n).unwrap_or_default();
        rng.try_fill_bytes(seeds).map_err(|_| Error::Randomness)?;
        key.set_root(engine, progress)?;
        Ok(key)
    }

    /// The key of three seeds of n bytes: SK.seed, SK.prf, PK.seed. FIPS 205, algorithm 18.
    #[inline(never)] // its engine is not on its caller's stack
    pub fn from_seeds(
        params: &'static Params,
        sk_seed: &[u8],
        sk_prf: &[u8],
        pk_seed: &[u8],
    ) -> Result<Self, Error> {
        Self::from_seeds_with(&mut Auto::new(), params, [sk_seed, sk_prf, pk_seed], &mut |_, _| {})
    }

    /// [`from_seeds`](Self::from_seeds) on an engine, telling how far it is. `seeds` are SK.seed, SK.prf, PK.seed.
    pub fn from_seeds_with<E: Engine>(
        engine: &mut E,
        params: &'static Params,
        seeds: [&[u8]; 3],
        progress: &mut Progress<'_>,
    ) -> Result<Self, Error<E::Error>> {
        if let Some(seed) = seeds.iter().find(|seed| seed.len() != params.n) {
            return Err(Error::Length { expected: params.n, found: seed.len() });
        }
        let [sk_seed, sk_prf, pk_seed] = seeds;
        let mut root = [0; MAX_N];
        crate::scheme::root(params, engine, pk_seed, sk_seed, &mut root, progress)?;
        Ok(Self::of_parts(params, [sk_seed, sk_prf, pk_seed, params.node(&root)]))
    }

    /// The key of SK.seed, SK.prf, PK.seed and PK.root, n bytes each.
    #[inline(never)] // it is not on its caller's stack while the root is computed
    fn of_parts(params: &'static Params, parts: [&[u8]; 4]) -> Self {
        let mut key = Self { params, bytes: [0; MAX_PRIVATE_KEY_LEN] };
        for (to, from) in key.bytes.chunks_mut(params.n).zip(parts) {
            for (to, from) in to.iter_mut().zip(from) {
                *to = *from;
            }
        }
        key
    }

    /// A private key from its encoding of [`Params::private_key_len`] bytes, without a look at PK.root:
    /// [`check`](Self::check) does that and takes as long as generating the key.
    #[inline(never)] // copies of a key that are made on the way are not on its caller's stack
    pub fn from_bytes(params: &'static Params, bytes: &[u8]) -> Result<Self, Error> {
        Ok(Self { params, bytes: padded(bytes, params.private_key_len())? })
    }

    /// Whether PK.root belongs to the seeds, which is computed anew.
    pub fn check(&self) -> Result<(), Error> {
        self.check_with(&mut Auto::new(), &mut |_, _| {})
    }

    /// [`check`](Self::check) on an engine, telling how far it is.
    pub fn check_with<E: Engine>(
        &self,
        engine: &mut E,
        progress: &mut Progress<'_>,
    ) -> Result<(), Error<E::Error>> {
        let mut root = [0; MAX_N];
        crate::scheme::root(self.params, engine, self.pk_seed(), self.sk_seed(), &mut root, progress)?;
        let same = part(&root, 0, self.params.n).ct_eq(self.pk_root());
        if same.into() { Ok(()) } else { Err(Error::Root) }
    }

    /// Its set.
    pub fn params(&self) -> &'static Params {
        self.params
    }

    /// Its encoding, of [`Params::private_key_len`] bytes. Secret.
    pub fn as_bytes(&self) -> &[u8] {
        part(&self.bytes, 0, self.params.private_key_len())
    }

    /// SK.seed, n bytes. Secret.
    pub fn sk_seed(&self) -> &[u8] {
        part(&self.bytes, 0, self.params.n)
    }

    /// SK.prf, n bytes. Secret.
    pub fn sk_prf(&self) -> &[u8] {
        part(&self.bytes, self.params.n, self.params.n)
    }

    /// PK.seed, n bytes.
    pub fn pk_seed(&self) -> &[u8] {
        part(&self.bytes, 2 * self.params.n, self.params.n)
    }

    /// PK.root, n bytes.
    pub fn pk_root(&self) -> &[u8] {
        part(&self.bytes, 3 * self.params.n, self.params.n)
    }

    /// The public key in it.
    pub fn verifying_key(&self) -> VerifyingKey {
        let mut bytes = [0; MAX_PUBLIC_KEY_LEN];
        let public = part(&self.bytes, 2 * self.params.n, 2 * self.params.n);
        for (to, from) in bytes.iter_mut().zip(public) {
            *to = *from;
        }
        VerifyingKey { params: self.params, bytes }
    }

    /// Signs `message`, which also says whether it is pure, pre-hashed or given as M', with PK.seed in the place of
    /// randomness: equal messages get equal signatures. FIPS 205, algorithms 19, 22 and 23.
    ///
    /// `signature` has [`Params::signature_len`] bytes.
    pub fn sign_deterministic(&self, message: &Message<'_>, signature: &mut [u8]) -> Result<(), Error> {
        self.sign_into(message, None, signature)
    }

    /// Signs `message` with fresh randomness, which protects better against faults and measurements: the way to
    /// sign where there is an RNG. FIPS 205, algorithms 19, 22 and 23.
    ///
    /// `signature` has [`Params::signature_len`] bytes. A failure of `rng` is an error.
    pub fn sign_hedged<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        message: &Message<'_>,
        signature: &mut [u8],
    ) -> Result<(), Error> {
        let mut randomness = [0; MAX_N];
        let randomness = randomness.get_mut(..self.params.n).unwrap_or_default();
        rng.try_fill_bytes(randomness).map_err(|_| Error::Randomness)?;
        self.sign_into(message, Some(randomness), signature)
    }

    /// Signs with the n bytes of `randomness` in the place of opt_rand, or with PK.seed. FIPS 205, algorithm 19.
    ///
    /// For test vectors and for randomness that comes from elsewhere.
    #[inline(never)] // its engine is not on its caller's stack
    pub fn sign_into(
        &self,
        message: &Message<'_>,
        randomness: Option<&[u8]>,
        mut signature: &mut [u8],
    ) -> Result<(), Error> {
        let (expected, found) = (self.params.signature_len(), signature.len());
        if expected != found {
            return Err(Error::Length { expected, found });
        }
        self.sign_with(&mut Auto::new(), message, randomness, &mut signature, &mut |_, _| {})
    }

    /// [`sign_into`](Self::sign_into) on an engine: the message is read twice, the signature is written as it is
    /// made, the caller is told how far it is.
    ///
    /// After an error the sink has part of a signature, which must not be given out.
    pub fn sign_with<E: Engine>(
        &self,
        engine: &mut E,
        message: &dyn Input,
        randomness: Option<&[u8]>,
        signature: &mut dyn Sink,
        progress: &mut Progress<'_>,
    ) -> Result<(), Error<E::Error>> {
        crate::scheme::sign(self, engine, message, randomness, signature, progress)
    }

    fn set_root<E: Engine>(
        &mut self,
        engine: &mut E,
        progress: &mut Progress<'_>,
    ) -> Result<(), Error<E::Error>> {
        let mut root = [0; MAX_N];
        crate::scheme::root(self.params, engine, self.pk_seed(), self.sk_seed(), &mut root, progress)?;
        for (to, from) in self.bytes.iter_mut().skip(3 * self.params.n).zip(root).take(self.params.n) {
            *to = from;
        }
        Ok(())
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({}, {:?})", self.params, self.verifying_key())
    }
}

impl Drop for SigningKey {
    #[inline(never)] // wiping byte by byte takes registers, and so its caller's stack
    fn drop(&mut self) {
        self.bytes.zeroize();
    }
}

impl ZeroizeOnDrop for SigningKey {}

/// `len` bytes from `at` on, or what there is of them, so that no index can panic.
fn part(bytes: &[u8], at: usize, len: usize) -> &[u8] {
    bytes.get(at..at + len).unwrap_or_default()
}

/// `bytes`, which must be `expected` long, followed by zeros.
fn padded<const LEN: usize>(bytes: &[u8], expected: usize) -> Result<[u8; LEN], Error> {
    if bytes.len() != expected {
        return Err(Error::Length { expected, found: bytes.len() });
    }
    let mut out = [0; LEN];
    for (to, from) in out.iter_mut().zip(bytes) {
        *to = *from;
    }
    Ok(out)
}
