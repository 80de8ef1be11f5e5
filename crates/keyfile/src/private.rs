//! Private keys: PKCS#8 with the content that RFC 9881 and RFC 9909 define.
use crate::{
    Algorithm, Bare, Document, Error, Family, Inconsistency, KeyPair, Kind, Legacy, PublicKey, document,
    documents, scheme,
};
use core::{fmt, str::FromStr};
use der::{
    Decode, Encode, Header, Reader, SliceReader, Tag, TagMode, TagNumber,
    asn1::{ContextSpecific, OctetStringRef},
};
use pkcs8::{AlgorithmIdentifierRef, PrivateKeyInfoRef};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// The three forms of an ML-DSA private key. RFC 9881, section 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// The 32-byte seed xi of key generation.
    Seed,
    /// The expanded key sk. It cannot be turned back into its seed.
    Expanded,
    /// Seed and expanded key.
    Both,
}

impl Form {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Seed, Self::Expanded, Self::Both];

    /// `seed`, `expanded` or `both`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::Expanded => "expanded",
            Self::Both => "both",
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that is not the name of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a private key has the forms seed, expanded and both")]
pub struct UnknownForm;

impl FromStr for Form {
    type Err = UnknownForm;

    fn from_str(name: &str) -> Result<Self, UnknownForm> {
        Self::ALL.into_iter().find(|form| form.name() == name).ok_or(UnknownForm)
    }
}

/// A private key as its file has it. Wiped when dropped, never printed.
#[derive(Clone)]
pub struct PrivateKey {
    algorithm: Algorithm,
    material: Material,
    /// The public key that the file carries as well (PKCS#8 version 2).
    attached: Option<Vec<u8>>,
}

/// Lengths are right for the algorithm; nothing else is known of the values.
#[derive(Clone)]
enum Material {
    /// ML-DSA.
    Seed(Zeroizing<Vec<u8>>),
    /// ML-DSA.
    Expanded(Zeroizing<Vec<u8>>),
    /// ML-DSA.
    Both { seed: Zeroizing<Vec<u8>>, expanded: Zeroizing<Vec<u8>> },
    /// SLH-DSA: SK.seed || SK.prf || PK.seed || PK.root.
    Whole(Zeroizing<Vec<u8>>),
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PrivateKey")
            .field("algorithm", &self.algorithm.name())
            .field("form", &self.form())
            .finish_non_exhaustive()
    }
}

/// The tag of the seed in the CHOICE of RFC 9881.
const SEED_TAG: TagNumber = TagNumber(0);

impl PrivateKey {
    /// Generates the key of a seed: xi for ML-DSA (32 bytes; FIPS 204, algorithm 6), SK.seed || SK.prf || PK.seed for
    /// SLH-DSA (3 n bytes; FIPS 205, algorithm 18). An ML-DSA key then has the form [`Form::Seed`].
    ///
    /// # Errors
    /// [`Error::Length`] for a seed of another length than [`Algorithm::sizes`] says.
    pub fn from_seed(algorithm: Algorithm, seed: &[u8]) -> Result<Self, Error> {
        expect_len("seed", algorithm, seed.len(), algorithm.sizes().seed)?;
        let seed = Zeroizing::new(seed.to_vec());
        let material = match algorithm.family() {
            Family::MlDsa => Material::Seed(seed),
            Family::SlhDsa => Material::Whole(scheme::generate(algorithm, &seed).private),
        };
        Ok(Self { algorithm, material, attached: None })
    }

    /// Reads the first private key of a file, PEM or DER. Structure and lengths are checked; whether the parts of the
    /// key belong together is for [`check`](Self::check) to say.
    ///
    /// # Errors
    /// Those of [`documents`] and [`from_der`](Self::from_der); [`Error::Unsuitable`] when the file holds something
    /// else; [`Error::Bare`] when it seems to hold a key without any structure.
    pub fn from_file(file: &[u8]) -> Result<Self, Error> {
        let key = documents(file).and_then(|documents| Self::from_documents(&documents));
        key.map_err(|error| Bare::explain(file, error))
    }

    /// Reads the first private key among the documents of a file.
    fn from_documents(documents: &[Document]) -> Result<Self, Error> {
        let mut found = Kind::Other;
        for document in documents {
            match Kind::of(document)? {
                Kind::PrivateKey => return Self::from_der(&document.der),
                // The most telling kind is the one that comes close.
                kind if found == Kind::Other => found = kind,
                _ => {}
            }
        }
        Err(Error::Unsuitable { found, wanted: "a private key" })
    }

    /// Reads a PKCS#8 structure.
    ///
    /// # Errors
    /// [`Error::Der`], [`Error::UnknownAlgorithm`], [`Error::HashMlDsa`], [`Error::Parameters`], [`Error::Legacy`],
    /// [`Error::Length`].
    pub fn from_der(der: &[u8]) -> Result<Self, Error> {
        let info = PrivateKeyInfoRef::from_der(der)
            .map_err(|error| Error::Der { what: "PKCS#8 private key", error })?;
        let algorithm = Algorithm::of_key(&info.algorithm)?;
        let content = info.private_key.as_bytes();
        let material = match algorithm.family() {
            Family::MlDsa => Material::ml_dsa(algorithm, content)?,
            Family::SlhDsa => Material::slh_dsa(algorithm, content)?,
        };
        let attached = match info.public_key {
            Some(bits) => Some(PublicKey::from_bits(algorithm, &bits)?.as_bytes().to_vec()),
            None => None,
        };
        Ok(Self { algorithm, material, attached })
    }

    /// The PKCS#8 structure of the key, in its form and without a public key beside it.
    pub fn to_der(&self) -> Zeroizing<Vec<u8>> {
        let content = self.material.encode();
        let encode = || {
            let content = OctetStringRef::new(&content)?;
            let algorithm = AlgorithmIdentifierRef { oid: self.algorithm.oid(), parameters: None };
            PrivateKeyInfoRef::new(algorithm, content).to_der()
        };
        Zeroizing::new(encode().expect("keys are far shorter than DER allows"))
    }

    /// [`to_der`](Self::to_der) as a PEM block `PRIVATE KEY`.
    pub fn to_pem(&self) -> Zeroizing<String> {
        document::to_pem("PRIVATE KEY", &self.to_der())
    }

    /// Its algorithm.
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Its form; none for SLH-DSA, whose keys have only one.
    pub const fn form(&self) -> Option<Form> {
        match self.material {
            Material::Seed(_) => Some(Form::Seed),
            Material::Expanded(_) => Some(Form::Expanded),
            Material::Both { .. } => Some(Form::Both),
            Material::Whole(_) => None,
        }
    }

    /// The same key in another form.
    ///
    /// # Errors
    /// [`Error::Form`] for SLH-DSA, and for a form that needs the seed of a key that has only the expanded form.
    pub fn with_form(&self, form: Form) -> Result<Self, Error> {
        let refuse = |why| Error::Form { algorithm: self.algorithm, form, why };
        let material = match (&self.material, form) {
            (Material::Whole(_), _) => return Err(refuse(None)),
            (Material::Expanded(_), Form::Seed | Form::Both) => {
                return Err(refuse(Some("the seed cannot be computed from the expanded key")));
            }
            (Material::Expanded(expanded), Form::Expanded) => Material::Expanded(expanded.clone()),
            (Material::Seed(seed) | Material::Both { seed, .. }, Form::Seed) => Material::Seed(seed.clone()),
            (Material::Seed(seed), Form::Expanded) => {
                Material::Expanded(scheme::generate(self.algorithm, seed).private)
            }
            (Material::Seed(seed), Form::Both) => Material::Both {
                seed: seed.clone(),
                expanded: scheme::generate(self.algorithm, seed).private,
            },
            (Material::Both { expanded, .. }, Form::Expanded) => Material::Expanded(expanded.clone()),
            (both @ Material::Both { .. }, Form::Both) => both.clone(),
        };
        Ok(Self { algorithm: self.algorithm, material, attached: self.attached.clone() })
    }

    /// The key as the signing algorithms take it, with its public key.
    ///
    /// ML-DSA keys are fully checked on the way: the ranges of s1 and s2, tr, t0, and that the seed gives the expanded
    /// key beside it. PK.root of an SLH-DSA key is taken as it is; [`check`](Self::check) computes it anew. A public
    /// key that the file carries must be the key's.
    ///
    /// # Errors
    /// [`Error::Inconsistent`].
    pub fn key_pair(&self) -> Result<KeyPair, Error> {
        let pair = match &self.material {
            Material::Seed(seed) => scheme::generate(self.algorithm, seed),
            Material::Both { seed, expanded } => {
                let pair = scheme::generate(self.algorithm, seed);
                if !bool::from(pair.private.ct_eq(expanded)) {
                    return Err(Error::Inconsistent(Inconsistency::Seed));
                }
                pair
            }
            Material::Expanded(private) | Material::Whole(private) => {
                let public = scheme::public_key(self.algorithm, private).map_err(Error::Inconsistent)?;
                KeyPair { private: private.clone(), public }
            }
        };
        if self.attached.as_ref().is_some_and(|attached| attached != pair.public.as_bytes()) {
            return Err(Error::Inconsistent(Inconsistency::PublicKey));
        }
        Ok(pair)
    }

    /// [`key_pair`](Self::key_pair), with PK.root of an SLH-DSA key computed anew, which costs as much as generating
    /// the key.
    ///
    /// # Errors
    /// [`Error::Inconsistent`].
    pub fn check(&self) -> Result<KeyPair, Error> {
        let pair = self.key_pair()?;
        scheme::check_root(self.algorithm, &pair.private).map_err(Error::Inconsistent)?;
        Ok(pair)
    }
}

impl Material {
    /// The CHOICE of RFC 9881, section 6. Its encodings differ in length from each other and from those of earlier
    /// times, so a legacy one cannot pass for a valid one.
    fn ml_dsa(algorithm: Algorithm, content: &[u8]) -> Result<Self, Error> {
        let sizes = algorithm.sizes();
        let legacy = |legacy| Err(Error::Legacy { legacy });
        let key_pair = sizes.private + sizes.public;
        match content.len() {
            len if len == sizes.seed => return legacy(Legacy::BareSeed),
            len if len == sizes.private => return legacy(Legacy::BareExpanded),
            len if len == key_pair => return legacy(Legacy::OqsKeyPair),
            _ => {}
        }
        let der = |error| Error::Der { what: "ML-DSA private key (RFC 9881)", error };
        let reader = &mut SliceReader::new(content).map_err(der)?;
        let header = Header::peek(reader).map_err(der)?;
        let octets = |bytes: &OctetStringRef| Zeroizing::new(bytes.as_bytes().to_vec());
        let material = match header.tag() {
            Tag::ContextSpecific { number: SEED_TAG, constructed: false } => {
                let seed =
                    ContextSpecific::<&OctetStringRef>::decode_implicit(reader, SEED_TAG).map_err(der)?;
                let seed = seed.expect("the tag has been seen").value;
                expect_len("seed", algorithm, seed.as_bytes().len(), sizes.seed)?;
                Self::Seed(octets(seed))
            }
            Tag::OctetString => {
                let expanded = <&OctetStringRef>::decode(reader).map_err(der)?;
                match expanded.as_bytes().len() {
                    len if len == sizes.seed => return legacy(Legacy::UntaggedSeed),
                    len if len == key_pair => return legacy(Legacy::OqsKeyPair),
                    len => expect_len("expanded key", algorithm, len, sizes.private)?,
                }
                Self::Expanded(octets(expanded))
            }
            Tag::Sequence => {
                let (seed, expanded) = reader
                    .sequence(|r| {
                        Ok::<_, der::Error>((<&OctetStringRef>::decode(r)?, <&OctetStringRef>::decode(r)?))
                    })
                    .map_err(der)?;
                expect_len("seed", algorithm, seed.as_bytes().len(), sizes.seed)?;
                expect_len("expanded key", algorithm, expanded.as_bytes().len(), sizes.private)?;
                Self::Both { seed: octets(seed), expanded: octets(expanded) }
            }
            tag => return Err(der(tag.unexpected_error(None).into())),
        };
        if !reader.is_finished() {
            let len = content.len();
            return Err(Error::Trailing {
                len,
                expected: len - usize::try_from(reader.remaining_len()).unwrap_or(len),
            });
        }
        Ok(material)
    }

    /// The 4 n bytes of RFC 9909, section 6.
    fn slh_dsa(algorithm: Algorithm, content: &[u8]) -> Result<Self, Error> {
        let expected = algorithm.sizes().private;
        if let Ok(inner) = <&OctetStringRef>::from_der(content)
            && inner.as_bytes().len() == expected
        {
            return Err(Error::Legacy { legacy: Legacy::Wrapped });
        }
        expect_len("private key", algorithm, content.len(), expected)?;
        Ok(Self::Whole(Zeroizing::new(content.to_vec())))
    }

    /// The content of the OCTET STRING in PKCS#8.
    fn encode(&self) -> Zeroizing<Vec<u8>> {
        let octets = |bytes| OctetStringRef::new(bytes);
        let encode = || match self {
            Self::Seed(seed) => {
                let value = octets(seed)?;
                ContextSpecific { tag_number: SEED_TAG, tag_mode: TagMode::Implicit, value }.to_der()
            }
            Self::Expanded(expanded) => octets(expanded)?.to_der(),
            Self::Both { seed, expanded } => {
                let (seed, expanded) = (octets(seed)?, octets(expanded)?);
                let len = (seed.encoded_len()? + expanded.encoded_len()?)?;
                let header = Header::new(Tag::Sequence, len);
                let mut der = Vec::with_capacity(usize::try_from((header.encoded_len()? + len)?)?);
                header.encode_to_vec(&mut der)?;
                seed.encode_to_vec(&mut der)?;
                expanded.encode_to_vec(&mut der)?;
                Ok(der)
            }
            Self::Whole(key) => Ok::<_, der::Error>(key.to_vec()),
        };
        Zeroizing::new(encode().expect("keys are far shorter than DER allows"))
    }
}

fn expect_len(what: &'static str, algorithm: Algorithm, len: usize, expected: usize) -> Result<(), Error> {
    if len == expected { Ok(()) } else { Err(Error::Length { what, algorithm, len, expected }) }
}
