//! Hash vectors in text: NIST's CAVP files (ShortMsg, LongMsg, Monte, VariableOut) and the Keccak team's, which have
//! the form of ShortMsg.
use super::acvp_hash::BITS;
use crate::{
    fields::Fields,
    hash::{Chain, Hash, monte_carlo, monte_carlo_shake},
    suite::{Check, Malformed, Suite, check, same, skip},
    text::{Record, Records},
};

/// Whether the records look like those of a hash function.
pub(super) fn recognise(file: &Records) -> bool {
    let digest = file.has(&["MD"]) || file.has(&["Output"]) || file.has(&["Squeezed"]);
    digest && (file.has(&["Msg"]) || file.has(&["Seed"]))
}

/// Reads a file of that kind. `name` is the file's, used where its text does not name the function.
pub(super) fn read(file: &Records, name: &str) -> Result<Suite, Malformed> {
    let function = file.header.iter().find_map(|line| Hash::in_sentence(line));
    let function = function.or_else(|| Hash::in_sentence(name)).ok_or_else(|| {
        Malformed::new("", "hash vectors, but neither the comments nor the file's name tell the function")
    })?;
    let mut suite = Suite::new(format!("{} vectors in text (CAVP)", function.name()));
    suite.malformed.extend_from_slice(&file.strays);
    let lone_seed = |record: &&Record| {
        let has = |key: &str| record.entries.keys().any(|k| k.eq_ignore_ascii_case(key));
        (has("Seed") || has("Msg")) && !has("MD") && !has("Output")
    };
    match file.records.first().filter(lone_seed) {
        Some(seed) => monte(file, function, seed, &mut suite),
        None => {
            suite.group(format!("{}, messages", function.name()));
            for record in &file.records {
                let place = format!("line {}", record.line);
                let fields = Fields::new(&record.entries, &place);
                suite.case(place.clone(), message_case(function, fields));
            }
        }
    }
    Ok(suite)
}

fn message_case(function: Hash, record: Fields<'_>) -> Result<Check, Malformed> {
    let mut message = record.need_hex("Msg")?;
    if let Some(bits) = record.integer("Len")? {
        if bits % 8 != 0 {
            return Ok(skip(BITS));
        }
        if bits / 8 > message.len() as u64 {
            return Err(
                record.malformed(format!("\"Msg\" has {} bytes, \"Len\" says {bits} bits", message.len()))
            );
        }
        // The empty message is written as 00.
        message.truncate((bits / 8) as usize);
    }
    let (what, digest) = match record.hex("MD")? {
        Some(md) => ("MD", md),
        None => ("Output", record.need_hex("Output")?),
    };
    if record.integer("Outputlen")?.is_some_and(|bits| bits != 8 * digest.len() as u64) {
        return Ok(skip(BITS));
    }
    Ok(check(move || same(what, &function.digest([message.as_slice()], digest.len()), &digest)))
}

/// One case: the whole chain of digests.
fn monte(file: &Records, function: Hash, seed: &Record, suite: &mut Suite) {
    suite.group(format!("{}, Monte Carlo", function.name()));
    let place = format!("line {}", seed.line);
    let work = || {
        let fields = Fields::new(&seed.entries, &place);
        let start = match fields.hex("Seed")? {
            Some(seed) => seed,
            None => fields.need_hex("Msg")?,
        };
        let results = file.records.iter().filter(|record| record.line != seed.line);
        match function {
            Hash::Fixed(function) => {
                let digest = |record: &Record| {
                    Fields::new(&record.entries, &format!("line {}", record.line)).need_hex("MD")
                };
                let digests = results.map(digest).collect::<Result<Vec<_>, _>>()?;
                let sha3 = function.name().starts_with("SHA3");
                let chain = if sha3 { Chain::OneDigest } else { Chain::ThreeDigests };
                Ok(check(move || monte_carlo(function, chain, false, &start, &digests)))
            }
            Hash::Shake128 | Hash::Shake256 => {
                let bound = |which: &str| {
                    let mut sections = file.records.iter().flat_map(|record| record.sections.iter());
                    let section = sections.find(|section| section.starts_with(which));
                    section.and_then(|s| s.rsplit('=').next()?.trim().parse::<usize>().ok())
                };
                let (Some(min), Some(max)) = (bound("Minimum Output"), bound("Maximum Output")) else {
                    return Err(fields.malformed("the range of output lengths is not given above it"));
                };
                let output = |record: &Record| {
                    let place = format!("line {}", record.line);
                    let fields = Fields::new(&record.entries, &place);
                    let bits = fields.integer("Outputlen")?;
                    Ok((bits.map(|bits| bits as usize), fields.need_hex("Output")?))
                };
                let outputs = results.map(output).collect::<Result<Vec<_>, Malformed>>()?;
                let range = (min.div_ceil(8), max / 8);
                Ok(check(move || monte_carlo_shake(function, &start, range, &outputs)))
            }
        }
    };
    suite.case(format!("the chain from line {}", seed.line), work());
}
