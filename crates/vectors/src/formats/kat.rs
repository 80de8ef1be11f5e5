//! Known answers in the form of NIST's KAT files (`PQCsignKAT_*.rsp`), as text or as a JSON list, with the additions of
//! Bouncy Castle (`context`, `message_hash`, `optrand`) and of the KAT collection of post-quantum-cryptography (`xi`,
//! `rng`, `ctx`).
//!
//! Such a file seldom says what it is of: the same lengths fit several sets, and the seed may be the key's or a
//! generator's. So the recipe is the one by which one of the first entries comes out whole; then all must.
use crate::{
    drbg::{Drbg, SEED_LEN},
    fields::{Fields, label},
    scheme::{KeyPair, Scheme, Text},
    suite::{Malformed, Suite, Unmet, Verdict, check, failed, same, skip, skipped, succeeds},
    text::Records,
    work::{Expected, Key},
};
use pqsoc_message::PreHash;
use serde_json::Value;

/// Entries that are tried to find the recipe: more than one, so that a wrong one is a failure and no riddle.
const TRIED: usize = 4;

/// Whether a JSON document is a list of entries.
pub(super) fn recognise(document: &Value) -> bool {
    let entry = |value: &Value| {
        value.get("seed").is_some() && (value.get("sm").is_some() || value.get("smSha256").is_some())
    };
    document.as_array().is_some_and(|list| list.iter().any(entry))
}

/// Whether a text is one.
pub(super) fn recognise_text(file: &Records) -> bool {
    file.has(&["seed", "smlen"]) || file.has(&["seed", "sm"])
}

/// Reads a JSON list. `name` is the file's.
pub(super) fn read(document: &Value, name: &str) -> Result<Suite, Malformed> {
    let mut malformed = Vec::new();
    let mut entries = Vec::new();
    for (index, value) in document.as_array().into_iter().flatten().enumerate() {
        let place = match value.get("count") {
            Some(count) => label("count", count),
            None => format!("entry {}", index + 1),
        };
        match Fields::of(value, &place).and_then(Entry::read) {
            Ok(entry) => entries.push(entry),
            Err(error) => malformed.push(error),
        }
    }
    Ok(suite(entries, malformed, name, &[]))
}

/// Reads a text.
pub(super) fn read_text(file: &Records, name: &str) -> Result<Suite, Malformed> {
    let mut malformed = file.strays.clone();
    let mut entries = Vec::new();
    for record in &file.records {
        let count = record.entries.iter().find(|(key, _)| key.eq_ignore_ascii_case("count"));
        let place = match count {
            Some((_, count)) => label("count", count),
            None => format!("line {}", record.line),
        };
        match Entry::read(Fields::new(&record.entries, &place)) {
            Ok(entry) => entries.push(entry),
            Err(error) => malformed.push(error),
        }
    }
    Ok(suite(entries, malformed, name, &file.header))
}

/// One entry as it is published.
#[derive(Clone)]
struct Entry {
    name: String,
    /// The generator's seed or the key's.
    seed: Vec<u8>,
    /// The key's seed, where `seed` is the generator's and both are there.
    xi: Option<Vec<u8>>,
    message: Vec<u8>,
    pk: Option<Published>,
    sk: Option<Published>,
    /// The signature, with the message after it or without.
    sm: Option<Published>,
    randomness: Option<Vec<u8>>,
    context: ContextField,
    message_hash: Option<Vec<u8>>,
    m_prime: Option<Vec<u8>>,
}

/// Bouncy Castle's `context`.
#[derive(Clone, PartialEq, Eq)]
enum ContextField {
    /// There is none in the file, or its `ctx`: the recipe decides how the message is formatted.
    Open(Vec<u8>),
    /// `none`: the internal interface.
    Internal,
    /// `zero_length`, or bytes.
    Bytes(Vec<u8>),
}

/// A value, its digest, its length; at least one of the first two.
#[derive(Clone)]
struct Published {
    value: Option<Vec<u8>>,
    sha256: Option<Vec<u8>>,
    len: Option<usize>,
}

impl Published {
    fn read(fields: Fields<'_>, key: &str, len_keys: [&str; 2]) -> Result<Option<Self>, Malformed> {
        let value = fields.hex(key)?;
        let sha256 = fields.hex(&format!("{key}Sha256"))?;
        if value.is_none() && sha256.is_none() {
            return Ok(None);
        }
        let mut len = value.as_ref().map(Vec::len);
        for key in len_keys {
            let stated = fields.integer(key)?.map(|stated| stated as usize);
            if len.is_some() && stated.is_some() && len != stated {
                return Err(fields.malformed(format!("\"{key}\" does not agree with the value's length")));
            }
            len = len.or(stated);
        }
        Ok(Some(Self { value, sha256, len }))
    }

    fn check(&self, what: &str, computed: &[u8]) -> Verdict {
        if let Some(value) = &self.value {
            same(what, computed, value)?;
        }
        if let Some(len) = self.len.filter(|len| *len != computed.len()) {
            return Err(failed(format!("{what} has {} bytes, published are {len}", computed.len())));
        }
        self.sha256.as_ref().map_or(Ok(()), |digest| Expected::Sha256(digest.clone()).check(what, computed))
    }
}

impl Entry {
    fn read(fields: Fields<'_>) -> Result<Self, Malformed> {
        let context = match fields.text("context")? {
            None => ContextField::Open(fields.hex("ctx")?.unwrap_or_default()),
            Some("none") => ContextField::Internal,
            Some("zero_length") => ContextField::Bytes(Vec::new()),
            Some(_) => ContextField::Bytes(fields.need_hex("context")?),
        };
        Ok(Self {
            name: fields.place().to_owned(),
            seed: match fields.hex("seed")? {
                Some(seed) => seed,
                None => fields.need_hex("xi")?,
            },
            xi: fields.hex("xi")?,
            message: fields.need_hex("msg")?,
            pk: Published::read(fields, "pk", ["pkLength"; 2])?,
            sk: Published::read(fields, "sk", ["skLength"; 2])?,
            sm: Published::read(fields, "sm", ["smlen", "smLength"])?,
            randomness: ["optrand", "rng", "rnd", "addrnd"]
                .iter()
                .find_map(|key| fields.hex(key).transpose())
                .transpose()?,
            context,
            message_hash: fields.hex("message_hash")?,
            m_prime: fields.hex("message_prime")?,
        })
    }

    /// Whether all known lengths are those of a set.
    fn fits(&self, scheme: Scheme) -> bool {
        let len = |published: &Option<Published>| published.as_ref().and_then(|p| p.len);
        len(&self.pk).is_none_or(|len| len == scheme.public_key_len())
            && len(&self.sk).is_none_or(|len| len == scheme.secret_key_len())
            && len(&self.sm).is_none_or(|len| {
                len == scheme.signature_len() || len == scheme.signature_len() + self.message.len()
            })
    }
}

/// Where keys come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// `seed` is the key's.
    Seed,
    /// `seed` is that of the KAT programs' generator, which gives the key's.
    Generator,
    /// `xi` is the key's, whatever `seed` is for.
    Xi,
}

/// What is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// What the entry's `context` says.
    Stated,
    /// The message as M'.
    Internal,
    /// The message with `ctx`, or without.
    Pure,
    /// The message's digest by this function, with `ctx` or without.
    PreHashed(PreHash),
}

/// Where the signature's randomness comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Randomness {
    None,
    /// `optrand`.
    Given,
    /// The generator's next bytes.
    Generator,
}

/// How a file's entries are made.
#[derive(Clone, Copy)]
struct Recipe {
    scheme: Scheme,
    source: Source,
    form: Form,
    randomness: Randomness,
}

impl Recipe {
    fn name(self) -> String {
        let Self { scheme, source, form, randomness } = self;
        let seed = match source {
            Source::Seed | Source::Xi => "from seeds",
            Source::Generator => "from the generator",
        };
        let form = match form {
            _ if !scheme.formats_messages() => String::new(),
            Form::Stated => ", contexts as stated".to_owned(),
            Form::Internal => ", internal".to_owned(),
            Form::Pure => ", pure".to_owned(),
            Form::PreHashed(function) => format!(", {function}"),
        };
        let randomness = match randomness {
            Randomness::None => "deterministic",
            Randomness::Given | Randomness::Generator => "hedged",
        };
        format!("{}, {seed}{form}, {randomness}", scheme.name())
    }

    /// The keys, and the generator where there is one.
    fn keys(self, entry: &Entry) -> Result<(KeyPair, Option<Drbg>), Unmet> {
        let (seed, generator) = match self.source {
            Source::Seed => (entry.seed.clone(), None),
            Source::Xi => (entry.xi.clone().unwrap_or_default(), None),
            Source::Generator => {
                let seed = <&[u8; SEED_LEN]>::try_from(entry.seed.as_slice());
                let seed = seed.map_err(|_| {
                    failed(format!("\"seed\" has {} bytes, the generator's {SEED_LEN}", entry.seed.len()))
                })?;
                let mut generator = Drbg::new(seed);
                let drawn = generator.take(self.scheme.seed_len());
                if let Some(xi) = &entry.xi {
                    same("the generator's xi", &drawn, xi)?;
                }
                (drawn, Some(generator))
            }
        };
        let pair = Key::Seed(seed).expect(self.scheme, None, None)?;
        if let Some(pk) = &entry.pk {
            pk.check("pk", &pair.pk)?;
        }
        if let Some(sk) = &entry.sk {
            sk.check("sk", &pair.sk)?;
        }
        Ok((pair, generator))
    }

    fn text(self, entry: &Entry) -> Result<Text, Unmet> {
        let message = entry.message.clone();
        let context = match &entry.context {
            ContextField::Internal => return Ok(Text::Internal(message)),
            ContextField::Open(context) | ContextField::Bytes(context) => context.clone(),
        };
        match (self.form, &entry.message_hash) {
            (Form::Internal, _) => Ok(Text::Internal(message)),
            (Form::Pure, _) | (Form::Stated, None) => Ok(Text::Pure { context, message }),
            (Form::PreHashed(function), _) => Ok(Text::PreHashed { context, function, message }),
            (Form::Stated, Some(hash)) => {
                let made = |function: &PreHash| function.digest(&message).as_ref() == hash;
                let function = PreHash::ALL.into_iter().find(made);
                let function =
                    function.ok_or_else(|| failed("\"message_hash\" is no known function's of \"msg\""))?;
                Ok(Text::PreHashed { context, function, message })
            }
        }
    }

    /// Everything that the entry publishes.
    fn check(self, entry: &Entry) -> Verdict {
        if entry.pk.is_none() && entry.sk.is_none() && entry.sm.is_none() {
            return Err(skipped("neither keys nor a signature are published"));
        }
        let (pair, generator) = self.keys(entry)?;
        let text = self.text(entry)?;
        if let Some(m_prime) = &entry.m_prime {
            same("M'", &text.m_prime(self.scheme).map_err(failed)?, m_prime)?;
        }
        let drawn = generator.map(|mut generator| generator.take(self.scheme.randomness_len()));
        let randomness = match self.randomness {
            Randomness::None => None,
            Randomness::Given => {
                if let (Some(drawn), Some(given)) = (&drawn, &entry.randomness) {
                    same("the generator's randomness", drawn, given)?;
                }
                entry.randomness.clone()
            }
            Randomness::Generator => drawn,
        };
        let Some(sm) = &entry.sm else { return Ok(()) };
        let refused = |error| failed(format!("signing was refused: {error}"));
        let signature = self.scheme.sign(&pair.sk, &text, randomness.as_deref()).map_err(refused)?;
        if sm.len == Some(self.scheme.signature_len()) {
            sm.check("the signature", &signature)?;
        } else {
            sm.check("the signed message", &[&signature[..], &entry.message].concat())?;
        }
        let refused = |error| failed(format!("the signature is right but does not verify: {error}"));
        self.scheme.verify(&pair.pk, &text, &signature).map_err(refused)
    }
}

/// Words of the file's name or header that tell sets apart which lengths do not.
fn hints(name: &str, header: &[String]) -> Vec<String> {
    let all = format!("{name} {}", header.join(" ")).to_ascii_lowercase();
    all.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The schemes not offered that such files are known to be of.
fn not_offered(hints: &[String]) -> Option<&'static str> {
    let has = |word: &str| hints.iter().any(|hint| hint.contains(word));
    if has("haraka") {
        Some("SPHINCS+-Haraka is not offered")
    } else if has("aes") && (has("dilithium") || has("pqcsignkat")) {
        Some("Dilithium-AES is not offered")
    } else {
        None
    }
}

/// All recipes that the lengths and hints leave, likely ones first.
fn recipes(entry: &Entry, hints: &[String]) -> Vec<Recipe> {
    let fitting: Vec<_> = Scheme::all().filter(|scheme| entry.fits(*scheme)).collect();
    // A scheme has a word against it where a hint names its sibling.
    let against = |scheme: &Scheme| {
        let name = scheme.name().to_ascii_lowercase();
        let has = |word: &str| hints.iter().any(|hint| hint == word);
        [("sha2", "shake"), ("shake", "sha2"), ("simple", "robust"), ("robust", "simple")]
            .iter()
            .any(|(said, other)| has(said) && name.contains(other))
    };
    let hinted: Vec<_> = fitting.iter().filter(|scheme| !against(scheme)).copied().collect();
    let schemes = if hinted.is_empty() { fitting } else { hinted };
    let mut recipes = Vec::new();
    for scheme in schemes {
        let forms = match (&entry.context, scheme.formats_messages()) {
            (_, false) => vec![Form::Internal],
            (ContextField::Open(_), true) => {
                let hashed = hints.iter().any(|hint| hint.starts_with("hash") || hint.starts_with("prehash"));
                let functions = PreHash::ALL.into_iter().filter(|_| hashed).map(Form::PreHashed);
                [Form::Pure, Form::Internal].into_iter().chain(functions).collect()
            }
            (ContextField::Internal | ContextField::Bytes(_), true) => vec![Form::Stated],
        };
        for source in [Source::Generator, Source::Seed, Source::Xi] {
            let fits = match source {
                Source::Seed => entry.xi.is_none() && entry.seed.len() == scheme.seed_len(),
                Source::Xi => entry.xi.as_ref().is_some_and(|xi| xi.len() == scheme.seed_len()),
                Source::Generator => entry.seed.len() == SEED_LEN,
            };
            if !fits {
                continue;
            }
            let randomness: &[Randomness] = match (&entry.randomness, scheme.hedged(), source) {
                (_, false, _) => &[Randomness::None],
                (Some(_), true, _) => &[Randomness::Given],
                (None, true, Source::Seed | Source::Xi) => &[Randomness::None],
                (None, true, Source::Generator) => &[Randomness::Generator, Randomness::None],
            };
            for &form in &forms {
                for &randomness in randomness {
                    recipes.push(Recipe { scheme, source, form, randomness });
                }
            }
        }
    }
    recipes
}

/// The recipe of the first entry that one makes whole, or else the likeliest.
fn recipe(entries: &[Entry], hints: &[String]) -> Option<Recipe> {
    for entry in entries.iter().take(TRIED) {
        // Keys are cheap to rule out before anything is signed; schemes share them, so each pair is made once.
        let mut fails: Vec<(&str, Source)> = Vec::new();
        for recipe in recipes(entry, hints) {
            let keys = (recipe.scheme.name(), recipe.source);
            if fails.contains(&keys) {
                continue;
            }
            let (copy, again) = (entry.clone(), entry.clone());
            if !succeeds(move || recipe.keys(&copy).map(|_| ())) {
                fails.push(keys);
            } else if succeeds(move || recipe.check(&again)) {
                return Some(recipe);
            }
        }
    }
    entries.iter().find_map(|entry| recipes(entry, hints).into_iter().next())
}

fn suite(entries: Vec<Entry>, malformed: Vec<Malformed>, name: &str, header: &[String]) -> Suite {
    let mut suite = Suite::new("known answers (NIST KAT)");
    suite.malformed = malformed;
    let hints = hints(name, header);
    if let Some(why) = not_offered(&hints) {
        suite.group(name);
        for entry in entries {
            suite.case(entry.name, Ok(skip(why)));
        }
        return suite;
    }
    let recipe = recipe(&entries, &hints);
    suite.group(recipe.map_or_else(|| name.to_owned(), Recipe::name));
    for entry in entries {
        let case = entry.name.clone();
        let work = match recipe {
            Some(recipe) => check(move || recipe.check(&entry)),
            None => skip("no offered scheme has a seed, keys and signatures of these lengths"),
        };
        suite.case(case, Ok(work));
    }
    suite
}

/// The file that NIST's program would write: `counts` entries, hedged, with empty contexts where there are contexts.
///
/// With a title there is a header, and an empty line after each entry. Without, as PQClean and liboqs hash it, empty
/// lines stand between entries only.
pub(super) fn regenerate(scheme: Scheme, counts: usize, title: Option<&str>) -> Result<String, String> {
    let mut outer = Drbg::new(&std::array::from_fn(|i| i as u8));
    let mut out = title.map(|title| format!("# {title}\n\n")).unwrap_or_default();
    for count in 0..counts {
        let seed: [u8; SEED_LEN] = outer.take(SEED_LEN).try_into().unwrap_or([0; SEED_LEN]);
        let message = outer.take(33 * (count + 1));
        let mut generator = Drbg::new(&seed);
        let KeyPair { pk, sk } = scheme.generate(&generator.take(scheme.seed_len()))?;
        let randomness = generator.take(scheme.randomness_len());
        let text = Text::plain(message.clone());
        let signature = scheme.sign(&sk, &text, Some(&randomness))?;
        let sm = [&signature[..], &message].concat();
        if count > 0 && title.is_none() {
            out.push('\n');
        }
        let [seed, msg, pk, sk, signed] = [&seed[..], &message, &pk, &sk, &sm].map(hex::encode_upper);
        let (mlen, smlen) = (message.len(), sm.len());
        out += &format!("count = {count}\nseed = {seed}\nmlen = {mlen}\nmsg = {msg}\npk = {pk}\nsk = {sk}\n");
        out += &format!("smlen = {smlen}\nsm = {signed}\n");
        if title.is_some() {
            out.push('\n');
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    /// What NIST's program would write is read back, and found to be what it is, whatever the file is called.
    #[test]
    fn files_as_written_by_the_program() {
        for (set, recipe) in [
            ("ML-DSA-65", "ML-DSA-65, from the generator, pure, hedged"),
            ("SPHINCS+-SHA2-128f-robust", "SPHINCS+-SHA2-128f-robust, from the generator, hedged"),
        ] {
            for title in [None, Some("A title")] {
                let file = regenerate(Scheme::by_name(set).unwrap(), 2, title).unwrap();
                let records = text::parse(&file);
                assert!(recognise_text(&records));
                let suite = read_text(&records, "PQCsignKAT.rsp").unwrap();
                assert_eq!(suite.groups.len(), 1);
                assert_eq!(suite.groups[0].name, recipe);
                let verdicts =
                    suite.groups.into_iter().flat_map(|group| group.cases).map(|case| case.run().1);
                assert_eq!(verdicts.map(|verdict| verdict.is_ok()).collect::<Vec<_>>(), [true; 2]);
            }
        }
    }

    #[test]
    fn names_of_what_is_not_offered() {
        let why = |name: &str, header: &str| not_offered(&hints(name, &[header.to_owned()]));
        assert_eq!(why("PQCsignKAT_Dilithium2-AES.rsp", ""), Some("Dilithium-AES is not offered"));
        assert_eq!(why("PQCsignKAT_64.rsp", "sphincs-haraka-128f"), Some("SPHINCS+-Haraka is not offered"));
        assert_eq!(why("PQCsignKAT_Dilithium2.rsp", "Dilithium2"), None);
    }
}
