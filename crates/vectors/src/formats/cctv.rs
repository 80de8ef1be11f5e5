//! C2SP's CCTV vectors for ML-DSA: hashes accumulated over many keys and signatures, a hash over all results of the
//! operations on single coefficients, and messages that need a representative number of attempts.
use crate::{
    Options,
    scheme::{Scheme, Text},
    suite::{Check, Malformed, Suite, Verdict, check, failed, same, skip, skipped},
};
use pqsoc_keccak::Shake128;
use pqsoc_mldsa::{
    Q,
    field::{GAMMA2_32, GAMMA2_88, centre, decompose, power2round, use_hint},
};
use serde_json::Value;
use std::fmt::{self, Write};

/// Keys beyond which an accumulated hash is a long case.
const LONG: u64 = 10_000;

/// Whether a document has accumulated hashes.
pub(super) fn recognise_accumulated(document: &Value) -> bool {
    let counts = |value: &Value| {
        value.as_object().is_some_and(|map| {
            !map.is_empty() && map.iter().all(|(key, hash)| key.parse::<u64>().is_ok() && hash.is_string())
        })
    };
    document.as_object().is_some_and(|map| map.contains_key("fieldOps") || map.values().any(counts))
}

/// Reads accumulated hashes: by parameter set, then by the number of keys.
pub(super) fn read_accumulated(document: &Value, options: &Options) -> Result<Suite, Malformed> {
    let mut suite = Suite::new("CCTV accumulated hashes");
    for (name, value) in document.as_object().into_iter().flatten() {
        suite.group(name);
        if name == "fieldOps" {
            suite.case("all", field_operations(value));
            continue;
        }
        let Some(counts) = value.as_object() else { continue };
        for (count, hash) in counts {
            suite.case(format!("{count} keys"), accumulated(name, count, hash, options));
        }
    }
    Ok(suite)
}

fn hash(place: &str, value: &Value) -> Result<Vec<u8>, Malformed> {
    let text = value.as_str().ok_or_else(|| Malformed::new(place, "the hash is not a string"))?;
    hex::decode(text).map_err(|error| Malformed::new(place, format!("the hash is not hexadecimal: {error}")))
}

fn accumulated(name: &str, count: &str, value: &Value, options: &Options) -> Result<Check, Malformed> {
    let place = format!("{name}, {count} keys");
    let published = hash(&place, value)?;
    let count: u64 = count.parse().map_err(|_| Malformed::new(&place, "not a number of keys"))?;
    let Some(scheme) = Scheme::by_name(name) else { return Ok(skip(format!("{name} is not offered"))) };
    if count > LONG && !options.long {
        return Ok(skip(format!("more than {LONG} keys: run with the long cases")));
    }
    Ok(check(move || {
        let mut shake = Shake128::new();
        let mut seeds = shake.finish();
        let mut all = Shake128::new();
        let text = Text::plain(Vec::new());
        let wrong = |i: u64| move |error| failed(format!("key {i}: {error}"));
        for i in 0..count {
            let mut seed = [0; 32];
            seeds.squeeze(&mut seed);
            let pair = scheme.generate(&seed).map_err(wrong(i))?;
            all.absorb(&pair.pk);
            let signature = scheme.sign(&pair.sk, &text, None).map_err(wrong(i))?;
            all.absorb(&signature);
            scheme.verify(&pair.pk, &text, &signature).map_err(wrong(i))?;
        }
        let mut result = [0; 32];
        all.finish().squeeze(&mut result);
        same("the hash", &result, &published)
    }))
}

fn field_operations(value: &Value) -> Result<Check, Malformed> {
    let published = hash("fieldOps", value)?;
    Ok(check(move || {
        let mut all = Lines(Shake128::new());
        (0..Q).try_for_each(|r| all.residue(r)).map_err(|error| failed(error.to_string()))?;
        let mut result = [0; 32];
        all.0.finish().squeeze(&mut result);
        same("the hash", &result, &published)
    }))
}

/// A hash over lines of numbers.
struct Lines(Shake128);

impl Write for Lines {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.absorb(text.as_bytes());
        Ok(())
    }
}

impl Lines {
    /// The twelve lines of a residue.
    fn residue(&mut self, r: u32) -> fmt::Result {
        let centred = centre(r as i32);
        let (r1, r0) = power2round(r);
        writeln!(self, "{centred}\n{}\n{r1}\n{}", centred.abs(), i64::from(r0).rem_euclid(i64::from(Q)))?;
        self.rounded::<GAMMA2_88>(r)?;
        self.rounded::<GAMMA2_32>(r)
    }

    /// The four lines that depend on gamma2.
    fn rounded<const GAMMA2: u32>(&mut self, r: u32) -> fmt::Result {
        let (_, low) = decompose::<GAMMA2>(r);
        let (high, hinted) = (use_hint::<GAMMA2>(false, r), use_hint::<GAMMA2>(true, r));
        writeln!(self, "{high}\n{hinted}\n{low}\n{}", low.abs())
    }
}

/// Whether a document is a list of messages.
pub(super) fn recognise_messages(document: &Value) -> bool {
    document.as_array().is_some_and(|list| !list.is_empty() && list.iter().all(Value::is_string))
}

/// Reads a list of messages; the parameter set is in the file's name. The key is that of an all-zero seed.
pub(super) fn read_messages(document: &Value, name: &str) -> Result<Suite, Malformed> {
    let mut suite = Suite::new("CCTV benchmark messages");
    let scheme = Scheme::all().find(|scheme| name.starts_with(scheme.name()));
    suite.group(scheme.map_or(name, |scheme| scheme.name()));
    let messages: Vec<_> = document.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (index, message) in messages.iter().enumerate() {
        let message = message.as_bytes().to_vec();
        let work = match scheme {
            Some(scheme) => check(move || signed(scheme, message)),
            None => skip("the file's name does not tell the parameter set, and nothing in it does"),
        };
        suite.case(format!("message {}", index + 1), Ok(work));
    }
    if let Some(scheme) = scheme {
        let messages = messages.iter().map(|message| message.as_bytes().to_vec()).collect();
        suite.case("mean of attempts", Ok(check(move || attempts(scheme, messages))));
    }
    Ok(suite)
}

/// The messages have no published signatures: what is checked is that each is signed and verifies.
fn signed(scheme: Scheme, message: Vec<u8>) -> Verdict {
    let pair = scheme.generate(&[0; 32]).map_err(failed)?;
    let text = Text::plain(message);
    let signature = scheme.sign(&pair.sk, &text, None).map_err(failed)?;
    scheme.verify(&pair.pk, &text, &signature).map_err(failed)
}

/// The attempts that the messages need are published as representative: their mean is that of FIPS 204, table 1, to
/// within 2 per cent, and 3 above, as that table leaves out the rejections of hints, which come to 1 to 2 per cent.
fn attempts(scheme: Scheme, messages: Vec<Vec<u8>>) -> Verdict {
    let pair = scheme.generate(&[0; 32]).map_err(failed)?;
    let mut sum = 0;
    let count = messages.len() as u32;
    for message in messages {
        sum += scheme.attempts(&pair.sk, &Text::plain(message)).map_err(failed)?;
    }
    let expected = match scheme.name() {
        "ML-DSA-44" => 4.25,
        "ML-DSA-65" => 5.1,
        "ML-DSA-87" => 3.85,
        _ => return Err(skipped("no mean is published for this set")),
    };
    let mean = f64::from(sum) / f64::from(count);
    if (0.98..=1.03).contains(&(mean / expected)) {
        return Ok(());
    }
    Err(failed(format!("{sum} attempts for {count} messages, {mean:.3} on average; published is {expected}")))
}
