//! ACVP's sets for hash functions and HMAC: AFT, MCT, LDT and VOT cases.
use crate::{
    Options,
    fields::Fields,
    hash::{Chain, Hash, monte_carlo, monte_carlo_shake},
    suite::{Check, Malformed, Suite, Unmet, check, failed, same, skip},
};
use pqsoc_message::PreHash;
use serde_json::Value;

/// The reason for all lengths that are not whole bytes.
pub(super) const BITS: &str = "bit-oriented length: the library hashes whole bytes";

/// What a set is of.
#[derive(Clone, Copy)]
enum Algorithm {
    Hash(Hash),
    Hmac(PreHash),
}

/// Whether an ACVP algorithm is one of these.
pub(super) fn knows(algorithm: &str) -> bool {
    algorithm_by_name(algorithm).is_some()
}

fn algorithm_by_name(name: &str) -> Option<Algorithm> {
    match name.strip_prefix("HMAC-") {
        Some(function) => function.parse().ok().map(Algorithm::Hmac),
        None => Hash::by_name(name).map(Algorithm::Hash),
    }
}

/// Reads a set whose prompt and expected results are in one.
pub(super) fn read(set: Fields<'_>, options: &Options, suite: &mut Suite) -> Result<(), Malformed> {
    let name = set.need_text("algorithm")?;
    let algorithm = algorithm_by_name(name).ok_or_else(|| set.malformed("no hash function"))?;
    super::acvp::for_each_group(set, suite, |group, suite| {
        let kind = group.text("testType")?.unwrap_or("AFT");
        suite.group(format!("{name}, {kind}"));
        super::acvp::for_each_test(group, suite, |test| match algorithm {
            Algorithm::Hash(function) => hash_case(function, kind, group, test, options),
            Algorithm::Hmac(function) => hmac_case(function, test),
        })
    })
}

fn hash_case(
    function: Hash,
    kind: &str,
    group: Fields<'_>,
    test: Fields<'_>,
    options: &Options,
) -> Result<Check, Malformed> {
    match kind {
        "MCT" => monte_carlo_case(function, group, test),
        "LDT" => large_case(function, test, options),
        "AFT" | "VOT" => {
            let md = test.need_hex("md")?;
            let Some(message) = whole_bytes(test, "msg", "len")? else { return Ok(skip(BITS)) };
            match out_bits(test)? {
                Some(bits) if bits % 8 != 0 => Ok(skip(BITS)),
                bits => Ok(check(move || {
                    let len = bits.map_or(md.len(), |bits| (bits / 8) as usize);
                    // Published lengths are honoured only as far as something is published for them.
                    if len != md.len() {
                        return Err(failed(format!("outLen asks for {len} bytes, md has {}", md.len())));
                    }
                    same("md", &function.digest([message.as_slice()], len), &md)
                })),
            }
        }
        other => Ok(skip(format!("test type {other} is unknown"))),
    }
}

fn out_bits(test: Fields<'_>) -> Result<Option<u64>, Malformed> {
    test.integer("outLen")
}

/// Bytes whose length in bits stands beside them; none for a length that is not whole bytes.
fn whole_bytes(test: Fields<'_>, bytes: &str, bits: &str) -> Result<Option<Vec<u8>>, Malformed> {
    let mut message = test.need_hex(bytes)?;
    let len = test.integer(bits)?.unwrap_or(8 * message.len() as u64);
    if len % 8 != 0 {
        return Ok(None);
    }
    let len = len / 8;
    if len > message.len() as u64 {
        let (there, say) = (message.len(), test.place());
        return Err(Malformed::new(say, format!("\"{bytes}\" has {there} bytes, \"{bits}\" says {len}")));
    }
    // An empty message may be written as 00.
    message.truncate(len as usize);
    Ok(Some(message))
}

fn monte_carlo_case(function: Hash, group: Fields<'_>, test: Fields<'_>) -> Result<Check, Malformed> {
    let Some(seed) = whole_bytes(test, "msg", "len")? else { return Ok(skip(BITS)) };
    let results = test.list("resultsArray")?;
    if results.is_empty() {
        return Err(test.malformed("\"resultsArray\" is missing or empty"));
    }
    let result = |value: &Value| {
        let fields = Fields::of(value, test.place())?;
        Ok((out_bits(fields)?, fields.need_hex("md")?))
    };
    let published: Vec<(Option<u64>, Vec<u8>)> = results.iter().map(result).collect::<Result<_, _>>()?;
    if published.iter().any(|(bits, _)| bits.is_some_and(|bits| bits % 8 != 0)) {
        return Ok(skip(BITS));
    }
    match function {
        Hash::Fixed(function) => {
            let alternate = match group.text("mctVersion")?.unwrap_or("standard") {
                "standard" => false,
                "alternate" => true,
                other => return Ok(skip(format!("Monte Carlo version {other} is unknown"))),
            };
            let chain =
                if function.name().starts_with("SHA3") { Chain::OneDigest } else { Chain::ThreeDigests };
            let digests: Vec<_> = published.into_iter().map(|(_, md)| md).collect();
            Ok(check(move || monte_carlo(function, chain, alternate, &seed, &digests)))
        }
        Hash::Shake128 | Hash::Shake256 => {
            let (min, max) = (group.integer("minOutLen")?, group.integer("maxOutLen")?);
            let (Some(min), Some(max)) = (min, max) else {
                return Ok(skip("the group does not say the range of output lengths"));
            };
            let range = (min.div_ceil(8) as usize, (max / 8) as usize);
            let published: Vec<_> =
                published.into_iter().map(|(bits, md)| (bits.map(|bits| bits as usize), md)).collect();
            Ok(check(move || monte_carlo_shake(function, &seed, range, &published)))
        }
    }
}

fn large_case(function: Hash, test: Fields<'_>, options: &Options) -> Result<Check, Malformed> {
    let md = test.need_hex("md")?;
    let large = test.get("largeMsg").ok_or_else(|| test.malformed("\"largeMsg\" is missing"))?;
    let large = Fields::of(large, test.place())?;
    let technique = large.text("expansionTechnique")?.unwrap_or("repeating");
    if technique != "repeating" {
        return Ok(skip(format!("expansion technique {technique} is unknown")));
    }
    let Some(content) = whole_bytes(large, "content", "contentLength")? else { return Ok(skip(BITS)) };
    let bits = large.need_integer("fullLength")?;
    if bits % 8 != 0 {
        return Ok(skip(BITS));
    }
    if content.is_empty() {
        return Err(large.malformed("\"content\" is empty"));
    }
    if !options.long {
        return Ok(skip("a message of more than a gigabyte: run with the long cases"));
    }
    Ok(check(move || {
        let len = bits / 8;
        let whole = (len / content.len() as u64) as usize;
        let rest = (len % content.len() as u64) as usize;
        let parts = std::iter::repeat_n(content.as_slice(), whole).chain([&content[..rest]]);
        same("md", &function.digest(parts, md.len()), &md)
    }))
}

fn hmac_case(function: PreHash, test: Fields<'_>) -> Result<Check, Malformed> {
    let (Some(key), Some(message)) =
        (whole_bytes(test, "key", "keyLen")?, whole_bytes(test, "msg", "msgLen")?)
    else {
        return Ok(skip(BITS));
    };
    let mac = test.need_hex("mac")?;
    let bits = test.integer("macLen")?.unwrap_or(8 * mac.len() as u64);
    if bits % 8 != 0 {
        return Ok(skip(BITS));
    }
    Ok(check(move || {
        let computed = Hash::hmac(function, &key, &message);
        let len = (bits / 8) as usize;
        let short = computed.get(..len).ok_or_else(|| -> Unmet {
            failed(format!("macLen is {bits} bits, more than {function} gives"))
        })?;
        same("mac", short, &mac)
    }))
}
