//! The Keccak team's traces: every round of the permutation, every permutation of a sponge.
use super::acvp_hash::BITS;
use crate::{
    hash::Hash,
    suite::{Check, Malformed, Suite, check, failed, same, skip},
};
use pqsoc_keccak::{LANES, ROUND_CONSTANTS, keccak_f1600, keccak_round};
use pqsoc_message::PreHash;

/// A heading and what stands under it.
struct Block<'a> {
    line: usize,
    heading: &'a str,
    words: Vec<&'a str>,
}

/// Whether the text is a trace.
pub(super) fn recognise(text: &str) -> bool {
    text.starts_with("+++") && text.contains("Input of permutation:")
}

/// Reads either kind of trace.
pub(super) fn read(text: &str) -> Result<Suite, Malformed> {
    let mut suite = Suite::new("trace of Keccak-f[1600] (XKCP)");
    let mut blocks = Vec::new();
    let (mut example, mut title) = (0, "");
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        let block = |heading| Block { line: number + 1, heading, words: Vec::new() };
        if let Some(name) = line.strip_prefix("+++").and_then(|l| l.strip_suffix("+++")) {
            finish(&mut suite, example, title, &std::mem::take(&mut blocks));
            (example, title) = (example + 1, name.trim());
        } else if let Some(heading) = line.strip_prefix("---").and_then(|l| l.strip_suffix("---")) {
            blocks.push(block(heading.trim()));
        } else if let Some(heading) = line.strip_suffix(':') {
            blocks.push(block(heading));
        } else if !line.is_empty() {
            if blocks.is_empty() {
                blocks.push(block(""));
            }
            if let Some(block) = blocks.last_mut() {
                block.words.extend(line.split_whitespace());
            }
        }
    }
    finish(&mut suite, example, title, &blocks);
    Ok(suite)
}

fn finish(suite: &mut Suite, example: usize, title: &str, blocks: &[Block<'_>]) {
    match title {
        "" => {}
        "The round constants" => {
            suite.group("round constants");
            suite.case("all", round_constants(blocks));
        }
        "The rho offsets" => {
            suite.group("rho offsets");
            let why = "the offsets are not exposed; the states after each round depend on them";
            suite.case("all", Ok(skip(why)));
        }
        _ if blocks.iter().any(|block| block.heading.starts_with("Round")) => {
            suite.group(format!("part {example}, {title}"));
            rounds(suite, blocks);
        }
        _ => {
            suite.group(format!("part {example}, {title}"));
            sponge(suite, blocks);
        }
    }
}

fn round_constants(blocks: &[Block<'_>]) -> Result<Check, Malformed> {
    let words: Vec<_> = blocks.iter().flat_map(|block| &block.words).copied().collect();
    // RC[00][0][0] = 0000000000000001
    let published: Vec<u64> = words.chunks(3).filter_map(|line| lane(line.get(2)?).ok()).collect();
    if published.len() != ROUND_CONSTANTS.len() {
        let sentence = format!("{} round constants could be read, not 24", published.len());
        return Err(Malformed::new("round constants", sentence));
    }
    Ok(check(move || same("the constants", &bytes(&ROUND_CONSTANTS), &bytes(&published))))
}

fn lane(word: &str) -> Result<u64, String> {
    if word.len() != 16 {
        return Err(format!("{word:?} is not a lane of 16 digits"));
    }
    u64::from_str_radix(word, 16).map_err(|_| format!("{word:?} is not hexadecimal"))
}

fn bytes(lanes: &[u64]) -> Vec<u8> {
    lanes.iter().flat_map(|lane| lane.to_le_bytes()).collect()
}

/// A state that is written as 25 lanes or as 200 bytes.
fn state(block: &Block<'_>) -> Result<[u64; LANES], Malformed> {
    let wrong = |sentence: String| Malformed::new(format!("line {}", block.line), sentence);
    let lanes: Result<Vec<u64>, String> = match block.words.len() {
        25 => block.words.iter().map(|word| lane(word)).collect(),
        200 => {
            octets(block).map(|bytes| bytes.as_chunks().0.iter().map(|b| u64::from_le_bytes(*b)).collect())
        }
        words => Err(format!("a state of {words} words: neither 25 lanes nor 200 bytes")),
    };
    lanes.and_then(|lanes| lanes.try_into().map_err(|_| "not 25 lanes".to_owned())).map_err(wrong)
}

fn octets(block: &Block<'_>) -> Result<Vec<u8>, String> {
    hex::decode(block.words.concat()).map_err(|error| error.to_string())
}

/// One example of the permutation with all its rounds.
fn rounds(suite: &mut Suite, blocks: &[Block<'_>]) {
    let named = |heading: &str| blocks.iter().find(|block| block.heading == heading);
    let (Some(input), Some(output)) = (named("Input of permutation"), named("State after permutation"))
    else {
        let line = blocks.first().map_or(0, |block| block.line);
        return suite
            .malformed
            .push(Malformed::new(format!("line {line}"), "an example without its input or output"));
    };
    let whole = |block: &Block<'_>| {
        let (mut lanes, end) = (state(block)?, state(output)?);
        Ok(check(move || {
            keccak_f1600(&mut lanes);
            same("the output", &bytes(&lanes), &bytes(&end))
        }))
    };
    suite.case("all rounds", whole(input));
    if let Some(lanes) = named("Same, with lanes as 64-bit words") {
        suite.case("all rounds, from lanes", whole(lanes));
    }
    // The last state known, and the round that begins with it.
    let (mut round, mut before, mut before_iota) = (0, (0, input), None);
    for block in blocks {
        if let Some(number) = block.heading.strip_prefix("Round ") {
            round = number.trim().parse().unwrap_or(usize::MAX);
        }
        let constant = ROUND_CONSTANTS.get(round).copied();
        match (block.heading, constant) {
            ("After chi", _) => before_iota = Some(block),
            ("After iota", Some(constant)) => {
                let (next, start) = std::mem::replace(&mut before, (round + 1, block));
                let work = if next == round {
                    one_round(start, block, constant)
                } else {
                    Ok(skip("the state before this round is not in the file"))
                };
                suite.case(format!("round {round}"), work);
                if let Some(chi) = before_iota.take() {
                    suite.case(format!("iota of round {round}"), iota(chi, block, constant));
                }
            }
            ("After theta" | "After rho" | "After pi", _) => {
                let why =
                    "the library does theta, rho, pi and chi at once; the state after each round is checked";
                suite.case(format!("{} in round {round}", block.heading), state(block).map(|_| skip(why)));
            }
            _ => {}
        }
    }
    let end = || {
        let (last, output) = (state(before.1)?, state(output)?);
        Ok(check(move || same("the output", &bytes(&last), &bytes(&output))))
    };
    suite.case("output", end());
}

/// From the state after one round to that after the next.
fn one_round(before: &Block<'_>, after: &Block<'_>, constant: u64) -> Result<Check, Malformed> {
    let (mut lanes, end) = (state(before)?, state(after)?);
    Ok(check(move || {
        keccak_round(&mut lanes, constant);
        same("the state after the round", &bytes(&lanes), &bytes(&end))
    }))
}

/// Step iota alone.
fn iota(before: &Block<'_>, after: &Block<'_>, constant: u64) -> Result<Check, Malformed> {
    let (mut lanes, end) = (state(before)?, state(after)?);
    Ok(check(move || {
        lanes[0] ^= constant;
        same("the state after iota", &bytes(&lanes), &bytes(&end))
    }))
}

/// One example of a sponge: each permutation, and the digest of messages of whole bytes.
fn sponge(suite: &mut Suite, blocks: &[Block<'_>]) {
    let mut input = None;
    let (mut message, mut bits, mut suffix, mut rate, mut output) = (None, 0, None, 0, Vec::new());
    for block in blocks {
        let bytes_of = || octets(block).map_err(|e| Malformed::new(format!("line {}", block.line), e));
        match block.heading {
            "Input of permutation" => input = Some(block),
            "State after permutation" => {
                let mut pair = || {
                    let start = input.take().map(state).transpose()?;
                    let place =
                        || Malformed::new(format!("line {}", block.line), "a state without its input");
                    let (mut lanes, end) = (start.ok_or_else(place)?, state(block)?);
                    Ok(check(move || {
                        keccak_f1600(&mut lanes);
                        same("the state", &bytes(&lanes), &bytes(&end))
                    }))
                };
                suite.case(format!("permutation at line {}", block.line), pair());
            }
            "Input message (last byte aligned on LSB)" => message = Some(bytes_of()),
            "Input message (in bits)" => bits = block.words.len(),
            "Delimited suffix" => suffix = block.words.first().copied(),
            "Second bit of padding" => rate = block.words.len(),
            "Squeezed block" | "Squeezed block (part)" => output.push(bytes_of()),
            _ => {}
        }
    }
    let digest = || {
        let message = message.ok_or_else(|| Malformed::new("", "an example without a message"))??;
        let output = output.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
        if bits % 8 != 0 {
            return Ok(skip(BITS));
        }
        let sha3 = [PreHash::Sha3_224, PreHash::Sha3_256, PreHash::Sha3_384, PreHash::Sha3_512];
        let function = match (suffix, rate) {
            (Some("06"), _) => sha3.into_iter().find(|f| f.digest_len() == output.len()).map(Hash::Fixed),
            (Some("1F" | "1f"), 168) => Some(Hash::Shake128),
            (Some("1F" | "1f"), 136) => Some(Hash::Shake256),
            _ => None,
        };
        let Some(function) = function else {
            return Ok(skip("a suffix and rate that are neither SHA-3 nor SHAKE"));
        };
        Ok(check(move || {
            if message.len() != bits / 8 {
                return Err(failed(format!("the message has {} bytes and {bits} bits", message.len())));
            }
            same("the output", &function.digest([message.as_slice()], output.len()), &output)
        }))
    };
    suite.case("digest", digest());
}
