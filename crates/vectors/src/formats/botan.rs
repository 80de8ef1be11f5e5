//! Botan's `.vec` files for ML-DSA, Dilithium, SLH-DSA and SPHINCS+. Seeds are those of NIST's generator.
use crate::{
    drbg::{Drbg, SEED_LEN},
    fields::Fields,
    scheme::{Scheme, Text},
    suite::{Check, Malformed, Suite, check, failed, same, skip},
    text::{Record, Records},
    work::{Expected, Key, Signing, Verifying},
};
use pqsoc_slhdsa::{
    Address, AddressType, Digits, Error, Params, Sink, Stopped,
    engine::{Auto, Engine, Node, Subtree},
    params::{Family, MAX_N},
};
use std::slice;

/// Whether a text is one.
pub(super) fn recognise(file: &Records) -> bool {
    file.has(&["Seed", "HashSig"])
        || file.has(&["SphincsParameterSet"])
        || file.has(&["Instance", "PublicKey", "Signature"])
}

/// Reads a file.
pub(super) fn read(file: &Records) -> Result<Suite, Malformed> {
    let mut suite = Suite::new("Botan .vec");
    suite.malformed.extend_from_slice(&file.strays);
    for record in &file.records {
        let place = format!("line {}", record.line);
        let fields = Fields::new(&record.entries, &place);
        let (group, work) = case(fields, record);
        suite.group(group);
        suite.case(place.clone(), work);
    }
    Ok(suite)
}

fn case(fields: Fields<'_>, record: &Record) -> (String, Result<Check, Malformed>) {
    let set = match (fields.text("SphincsParameterSet"), fields.text("Instance")) {
        (Ok(Some(set)), _) | (Ok(None), Ok(Some(set))) => set,
        (Err(error), _) | (_, Err(error)) => return (String::new(), Err(error)),
        _ => {
            let section = record.sections.last().map_or("no section", String::as_str);
            return (section.to_owned(), lattice(section, fields));
        }
    };
    let scheme = hash_based(set);
    let offered = |work: fn(Scheme, Fields<'_>) -> Result<Check, Malformed>| match scheme {
        Some(scheme) => work(scheme, fields),
        None => Ok(skip(format!("{set} is not offered"))),
    };
    if fields.has("Address") {
        let what = if fields.has("HashedWotsPk") { "WOTS+" } else { "FORS" };
        (format!("{set}, {what}"), offered(component))
    } else if fields.has("Signature") {
        (format!("{set}, whole signatures"), offered(whole))
    } else {
        (format!("{set}, digests"), offered(digests))
    }
}

/// `SLH-DSA-SHA2-128s`, or `SphincsPlus-shake-128f-r3.1` for the simple variant of round 3.1.
fn hash_based(name: &str) -> Option<Scheme> {
    let round_3 = || name.strip_prefix("SphincsPlus-")?.strip_suffix("-r3.1");
    match round_3() {
        Some(set) => Scheme::by_name(&format!("SPHINCS+-{set}-simple")),
        None => Scheme::by_name(name),
    }
}

/// The published digest of a signature or key, by the hash function that the scheme is built on.
fn digest(scheme: Scheme, value: Vec<u8>) -> Expected {
    match scheme {
        Scheme::SlhDsa(set) if set.family == Family::Sha2 => Expected::Sha256(value),
        _ => Expected::Sha3_256(value),
    }
}

fn generator(fields: Fields<'_>) -> Result<Drbg, Malformed> {
    let seed = fields.need_hex("Seed")?;
    let seed = <&[u8; SEED_LEN]>::try_from(seed.as_slice());
    let seed = seed.map_err(|_| fields.malformed(format!("\"Seed\" is not {SEED_LEN} bytes long")))?;
    Ok(Drbg::new(seed))
}

/// `[Dilithium_4x4]`, `[Dilithium_4x4_AES]`, `[ML-DSA-4x4_Deterministic]`.
fn lattice(section: &str, fields: Fields<'_>) -> Result<Check, Malformed> {
    let mut words = section.split('_');
    let (name, rest) = (words.next().unwrap_or_default(), words.collect::<Vec<_>>());
    if rest.contains(&"AES") {
        return Ok(skip("Dilithium-AES is not offered"));
    }
    let scheme = match (name, rest.first().copied().unwrap_or_default()) {
        ("ML-DSA-4x4", _) => "ML-DSA-44",
        ("ML-DSA-6x5", _) => "ML-DSA-65",
        ("ML-DSA-8x7", _) => "ML-DSA-87",
        ("Dilithium", "4x4") => "Dilithium2",
        ("Dilithium", "6x5") => "Dilithium3",
        ("Dilithium", "8x7") => "Dilithium5",
        _ => "",
    };
    let Some(scheme) = Scheme::by_name(scheme) else {
        return Ok(skip(format!("{section} is not offered")));
    };
    let randomised = rest.contains(&"Randomized");
    if randomised && !scheme.hedged() {
        return Ok(skip("randomised signing of round 3 is not offered"));
    }
    let mut generator = generator(fields)?;
    let xi = generator.take(scheme.seed_len());
    let randomness = randomised.then(|| generator.take(scheme.randomness_len()));
    let message = fields.need_hex("Msg")?;
    let pk = digest(scheme, fields.need_hex("HashPk")?);
    let sk = digest(scheme, fields.need_hex("HashSk")?);
    let signature = digest(scheme, fields.need_hex("HashSig")?);
    let whole = fields.hex("Sig")?;
    Ok(check(move || {
        // Botan's private key of ML-DSA is xi.
        let kept = if scheme.formats_messages() { Some(xi.clone()) } else { None };
        let pair = Key::Seed(xi.clone()).expect(scheme, Some(pk), None)?;
        sk.check("sk", kept.as_ref().unwrap_or(&pair.sk))?;
        let expected = [Some(signature), whole.map(Expected::Bytes)];
        for signature in expected.into_iter().flatten() {
            let (key, text) = (Key::Seed(xi.clone()), Text::plain(message.clone()));
            Signing { scheme, key, public: None, text, randomness: randomness.clone(), signature }.check()?;
        }
        Ok(())
    }))
}

/// Keys in full, signatures as digests.
fn digests(scheme: Scheme, fields: Fields<'_>) -> Result<Check, Malformed> {
    let mut generator = generator(fields)?;
    let seeds = generator.take(scheme.seed_len());
    let opt_rand = generator.take(scheme.randomness_len());
    let message = fields.need_hex("msg")?;
    let (pk, sk) = (fields.need_hex("pk")?, fields.need_hex("sk")?);
    let deterministic = fields.hex("HashSigDet")?;
    let randomised = fields.hex("HashSigRand")?;
    if deterministic.is_none() && randomised.is_none() {
        return Err(fields.malformed("neither \"HashSigDet\" nor \"HashSigRand\""));
    }
    Ok(check(move || {
        let key = Key::Seed(seeds);
        let pair = key.expect(scheme, Some(Expected::Bytes(pk)), Some(Expected::Bytes(sk)))?;
        for (value, randomness) in [(deterministic, None), (randomised, Some(opt_rand))] {
            let Some(value) = value else { continue };
            let (key, text) = (Key::Expanded(pair.sk.clone()), Text::plain(message.clone()));
            let signature = digest(scheme, value);
            Signing { scheme, key, public: None, text, randomness, signature }.check()?;
        }
        Ok(())
    }))
}

/// Keys and signatures in full; a nonce where signing was randomised.
fn whole(scheme: Scheme, fields: Fields<'_>) -> Result<Check, Malformed> {
    let message = fields.need_hex("Msg")?;
    let public = fields.need_hex("PublicKey")?;
    let signature = fields.need_hex("Signature")?;
    let valid = fields.integer("Valid")?.is_none_or(|valid| valid != 0);
    let key = fields.hex("PrivateKey")?;
    let randomness = fields.hex("Nonce")?;
    Ok(check(move || {
        let text = Text::plain(message);
        let (copy, given) = (text.clone(), (public.clone(), signature.clone()));
        Verifying { scheme, public: given.0, text: copy, signature: given.1, valid, why: None }.check()?;
        let Some(key) = key.filter(|_| valid) else { return Ok(()) };
        let (key, signature) = (Key::Expanded(key), Expected::Bytes(signature));
        Signing { scheme, key, public: Some(public), text, randomness, signature }.check()
    }))
}

/// WOTS+ or FORS alone, on the engine that signing uses.
fn component(scheme: Scheme, fields: Fields<'_>) -> Result<Check, Malformed> {
    let Scheme::SlhDsa(params) = scheme else { return Ok(skip("no hash-based scheme")) };
    let node = |key: &str| {
        let value = fields.need_hex(key)?;
        if value.len() == params.n {
            return Ok(value);
        }
        Err(fields.malformed(format!("\"{key}\" has {} bytes, not {}", value.len(), params.n)))
    };
    let address = fields.need_hex("Address")?;
    let address = address.try_into().map_err(|_| fields.malformed("\"Address\" is not 32 bytes long"))?;
    let address = Address::from_bytes(address);
    let (sk_seed, pk_seed) = (node("SecretSeed")?, node("PublicSeed")?);
    let begun = move || {
        let mut engine = Auto::new();
        engine.begin(params, &pk_seed, &sk_seed)?;
        Ok::<_, Error>(engine)
    };
    if fields.has("HashedWotsPk") {
        let pk = node("HashedWotsPk")?;
        let message = padded(&node("Msg")?);
        let signature = digest(scheme, fields.need_hex("HashedWotsSig")?);
        return Ok(check(move || {
            let wots = || wots(&mut begun()?, params, address, &message);
            let (computed, value) = wots().map_err(|error| failed(error.to_string()))?;
            same("the public key", &computed[..params.n], &pk)?;
            signature.check("the signature", &value)
        }));
    }
    let pk = node("PublicKey")?;
    let message = fields.need_hex("Msg")?;
    if message.len() < params.md_len() {
        return Err(fields.malformed(format!(
            "\"Msg\" has {} bytes, not {}",
            message.len(),
            params.md_len()
        )));
    }
    let signature = digest(scheme, fields.need_hex("HashSig")?);
    Ok(check(move || {
        let fors = || fors(&mut begun()?, params, address, &message);
        let (computed, value) = fors().map_err(|error| failed(error.to_string()))?;
        same("the public key", &computed[..params.n], &pk)?;
        signature.check("the signature", &value)
    }))
}

fn padded(bytes: &[u8]) -> Node {
    let mut node = [0; MAX_N];
    for (to, from) in node.iter_mut().zip(bytes) {
        *to = *from;
    }
    node
}

/// Takes a signature.
struct Bytes(Vec<u8>);

impl Sink for Bytes {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Stopped> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}

/// Public key and signature of WOTS+. FIPS 205, algorithms 6 and 7.
fn wots(
    engine: &mut Auto,
    params: &'static Params,
    address: Address,
    message: &Node,
) -> Result<(Node, Vec<u8>), Error> {
    let (mut pk, mut signature) = ([0; MAX_N], Bytes(Vec::new()));
    let sign = Some((0, Digits::new(params, message), &mut signature as &mut dyn Sink));
    let mut address = address.with_type_and_key_pair(AddressType::WotsHash);
    engine.wots_pk(params, slice::from_mut(&mut address), sign, slice::from_mut(&mut pk))?;
    Ok((pk, signature.0))
}

/// Public key and signature of FORS in round 3.1, which takes bits from the low end. FIPS 205, algorithms 16 and 17.
fn fors(
    engine: &mut Auto,
    params: &'static Params,
    address: Address,
    message: &[u8],
) -> Result<(Node, Vec<u8>), Error> {
    let (mut pk, mut signature) = ([0; MAX_N], Vec::new());
    let mut roots = Default::default();
    engine.tl_start(&mut roots, &[address.with_type_and_key_pair(AddressType::ForsRoots)])?;
    let bit = |at: usize| u32::from(message.get(at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1));
    for tree in 0..params.k {
        let index = (0..params.a).fold(0, |index, i| index | bit(tree * params.a + i) << i);
        let first = (tree as u32) << params.a;
        let mut secret = address.with_type_and_key_pair(AddressType::ForsPrf);
        secret.set_tree_index(first + index);
        let mut value = [0; MAX_N];
        engine.prf(&[secret], slice::from_mut(&mut value))?;
        signature.extend_from_slice(&value[..params.n]);
        let (mut path, mut root) = (vec![[0; MAX_N]; params.a], [0; MAX_N]);
        let whole = Subtree { first, height: params.a };
        let leaf = Some(first + index);
        engine.fors_tree(params, &address, whole, leaf, &mut path, &mut root, &mut |_| {})?;
        signature.extend(path.iter().flat_map(|node| &node[..params.n]));
        engine.tl_absorb(&mut roots, &[root])?;
    }
    engine.tl_finish(&mut roots, slice::from_mut(&mut pk))?;
    Ok((pk, signature))
}
