//! NIST's ACVP sets for ML-DSA and SLH-DSA: `internalProjection`, prompt with expected results, or the two merged; with
//! or without the array that puts a version before the set; older releases that know the internal interface only.
use super::acvp_hash;
use crate::{
    Options,
    fields::{Fields, label},
    scheme::{Scheme, Text},
    suite::{Check, Malformed, Suite, check, skip},
    work::{Expected, Key, Signing, Verifying},
};
use serde_json::Value;

/// What a set holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Questions and answers, or neither.
    Whole,
    /// Questions: `prompt.json`.
    Prompt,
    /// Answers: `expectedResults.json`.
    Results,
}

/// The set in a document: the document itself, or the member of an array that has groups.
pub(super) fn find(document: &Value) -> Option<&Value> {
    match document {
        Value::Array(members) => members.iter().find(|member| member.get("testGroups").is_some()),
        object => object.get("testGroups").map(|_| object),
    }
}

/// Which part of a set this is, told by what its cases have.
pub(super) fn part(set: &Value) -> Part {
    let groups = set.get("testGroups").and_then(Value::as_array);
    let tests = || {
        let groups = groups.into_iter().flatten();
        groups.filter_map(|group| group.get("tests").and_then(Value::as_array)).flatten()
    };
    let has = |keys: &[&str]| tests().any(|test| keys.iter().any(|key| test.get(key).is_some()));
    let (questions, answers): (&[&str], &[&str]) = match set.get("mode").and_then(Value::as_str) {
        Some("keyGen") => (&["seed", "skSeed"], &["pk", "sk"]),
        Some("sigGen") => (&["message", "mu"], &["signature", "signatureSha256"]),
        Some("sigVer") => (&["message", "mu"], &["testPassed"]),
        _ => (&["msg", "largeMsg"], &["md", "mac", "resultsArray"]),
    };
    match (has(questions), has(answers)) {
        (true, false) => Part::Prompt,
        (false, true) => Part::Results,
        _ => Part::Whole,
    }
}

/// Whether results belong to a prompt: the same set, and cases in common.
pub(crate) fn belong(prompt: &Value, results: &Value) -> bool {
    let same = |key: &str| match (prompt.get(key), results.get(key)) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    };
    ["algorithm", "mode", "revision", "vsId"].into_iter().all(same)
        && numbered(prompt).any(|(group, test, _)| numbered(results).any(|(g, t, _)| (g, t) == (group, test)))
}

fn numbered(set: &Value) -> impl Iterator<Item = (Option<u64>, Option<u64>, &Value)> {
    let number = |value: &Value, key: &str| value.get(key).and_then(Value::as_u64);
    let groups = set.get("testGroups").and_then(Value::as_array).into_iter().flatten();
    groups.flat_map(move |group| {
        let tests = group.get("tests").and_then(Value::as_array).into_iter().flatten();
        tests.map(move |test| (number(group, "tgId"), number(test, "tcId"), test))
    })
}

/// Puts the answers beside their questions.
pub(crate) fn merge(prompt: &mut Value, results: &Value) {
    let answers: std::collections::HashMap<_, _> =
        numbered(results).map(|(group, test, answer)| ((group, test), answer)).collect();
    let groups = prompt.get_mut("testGroups").and_then(Value::as_array_mut).into_iter().flatten();
    for group in groups {
        let number = group.get("tgId").and_then(Value::as_u64);
        let tests = group.get_mut("tests").and_then(Value::as_array_mut).into_iter().flatten();
        for test in tests.filter_map(Value::as_object_mut) {
            let key = (number, test.get("tcId").and_then(Value::as_u64));
            let answer = answers.get(&key).and_then(|answer| answer.as_object()).into_iter().flatten();
            for (name, value) in answer {
                test.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
    }
}

/// Calls `read` for each group; what it cannot read is noted and the next one follows.
pub(super) fn for_each_group(
    set: Fields<'_>,
    suite: &mut Suite,
    mut read: impl FnMut(Fields<'_>, &mut Suite) -> Result<(), Malformed>,
) -> Result<(), Malformed> {
    for (index, group) in set.list("testGroups")?.iter().enumerate() {
        let place = match group.get("tgId") {
            Some(number) => label("tgId", number),
            None => format!("group {}", index + 1),
        };
        let outcome = Fields::of(group, &place).and_then(|group| read(group, suite));
        if let Err(error) = outcome {
            suite.malformed.push(error);
        }
    }
    Ok(())
}

/// Makes a case of each test of a group.
pub(super) fn for_each_test(
    group: Fields<'_>,
    suite: &mut Suite,
    mut read: impl FnMut(Fields<'_>) -> Result<Check, Malformed>,
) -> Result<(), Malformed> {
    for (index, test) in group.list("tests")?.iter().enumerate() {
        let name = match test.get("tcId") {
            Some(number) => label("tcId", number),
            None => format!("test {}", index + 1),
        };
        let place = format!("{}, {name}", group.place());
        let case = Fields::of(test, &place).and_then(&mut read);
        suite.case(format!("{}, {name}", group.place()), case);
    }
    Ok(())
}

/// Reads a set whose prompt and expected results are in one.
pub(crate) fn read_set(set: &Value, options: &Options) -> Result<Suite, Malformed> {
    let set = Fields::of(set, "")?;
    let words: Vec<_> =
        ["algorithm", "mode", "revision"].iter().filter_map(|key| set.get(key)?.as_str()).collect();
    let mut suite = Suite::new(format!("ACVP {}", words.join(" ")));
    let algorithm = set.need_text("algorithm")?;
    if acvp_hash::knows(algorithm) {
        acvp_hash::read(set, options, &mut suite)?;
        return Ok(suite);
    }
    let mode = set.text("mode")?.unwrap_or_default();
    for_each_group(set, &mut suite, |group, suite| {
        let parameter_set = group.text("parameterSet")?.unwrap_or(algorithm);
        suite.group(group_name(parameter_set, mode, group));
        let scheme = Scheme::by_name(parameter_set);
        for_each_test(group, suite, |test| {
            let Some(scheme) = scheme else { return Ok(skip(format!("{parameter_set} is not offered"))) };
            match mode {
                "keyGen" => key_generation(scheme, test),
                "sigGen" => signing(scheme, group, test),
                "sigVer" => verifying(scheme, group, test),
                other => Ok(skip(format!("mode {other:?} is unknown"))),
            }
        })
    })?;
    Ok(suite)
}

fn group_name(parameter_set: &str, mode: &str, group: Fields<'_>) -> String {
    let mut words = vec![parameter_set, mode];
    let text = |key: &str| group.get(key).and_then(Value::as_str);
    let truth = |key: &str| group.get(key).and_then(Value::as_bool);
    words.extend(text("signatureInterface"));
    words.extend(text("preHash").filter(|pre_hash| *pre_hash != "none"));
    words.extend(truth("externalMu").filter(|external| *external).map(|_| "externalMu"));
    words.extend(truth("deterministic").map(|det| if det { "deterministic" } else { "hedged" }));
    words.extend(text("keyFormat"));
    words.join(", ")
}

fn key_generation(scheme: Scheme, test: Fields<'_>) -> Result<Check, Malformed> {
    let seed = match test.hex("seed")? {
        Some(seed) => seed,
        None => {
            let parts = [test.need_hex("skSeed")?, test.need_hex("skPrf")?, test.need_hex("pkSeed")?];
            parts.concat()
        }
    };
    let (pk, sk) = (test.hex("pk")?, test.hex("sk")?);
    if pk.is_none() && sk.is_none() {
        return Ok(skip(NO_ANSWER));
    }
    let key = Key::Seed(seed);
    Ok(check(move || key.expect(scheme, pk.map(Expected::Bytes), sk.map(Expected::Bytes)).map(|_| ())))
}

/// The reason for a prompt's case that the results do not have.
const NO_ANSWER: &str = "no result is published for this case";

/// A member of the test, or of its group where all tests share it.
fn shared<T>(
    group: Fields<'_>,
    test: Fields<'_>,
    key: &str,
    get: impl Fn(Fields<'_>, &str) -> Result<Option<T>, Malformed>,
) -> Result<Option<T>, Malformed> {
    match get(test, key)? {
        Some(value) => Ok(Some(value)),
        None => get(group, key),
    }
}

/// What is signed; the reason to skip when it is a kind that is not known.
fn text(group: Fields<'_>, test: Fields<'_>) -> Result<Result<Text, String>, Malformed> {
    let external_mu = shared(group, test, "externalMu", |f, k| f.boolean(k))?;
    if external_mu == Some(true) || !test.has("message") && test.has("mu") {
        return Ok(Ok(Text::Mu(test.need_hex("mu")?)));
    }
    let message = test.need_hex("message")?;
    let context = test.hex("context")?;
    let interface = shared(group, test, "signatureInterface", |f, k| Ok(f.text(k)?.map(str::to_owned)))?;
    let internal = match interface.as_deref() {
        Some("internal") => true,
        Some("external") => false,
        Some(other) => return Ok(Err(format!("signature interface {other:?} is unknown"))),
        // Releases before interfaces were told apart have the internal one.
        None => context.is_none(),
    };
    if internal {
        return Ok(Ok(Text::Internal(message)));
    }
    let context = context.unwrap_or_default();
    let pre_hash = shared(group, test, "preHash", |f, k| Ok(f.text(k)?.map(str::to_owned)))?;
    let function = test.text("hashAlg")?.filter(|name| !name.eq_ignore_ascii_case("none"));
    let pre_hashed = match pre_hash.as_deref() {
        Some("pure") => false,
        Some("preHash") => true,
        None | Some("none") => function.is_some(),
        Some(other) => return Ok(Err(format!("preHash {other:?} is unknown"))),
    };
    if !pre_hashed {
        return Ok(Ok(Text::Pure { context, message }));
    }
    let name = function.ok_or_else(|| test.malformed("\"hashAlg\" is missing"))?;
    Ok(match name.parse() {
        Ok(function) => Ok(Text::PreHashed { context, function, message }),
        Err(_) => Err(format!("pre-hash function {name} is not offered")),
    })
}

fn signing(scheme: Scheme, group: Fields<'_>, test: Fields<'_>) -> Result<Check, Malformed> {
    let text = match text(group, test)? {
        Ok(text) => text,
        Err(why) => return Ok(skip(why)),
    };
    let format = shared(group, test, "keyFormat", |f, k| Ok(f.text(k)?.map(str::to_owned)))?;
    let seed =
        shared(group, test, "seed", |f, k| f.hex(k))?.filter(|_| format.as_deref() != Some("expanded"));
    let key = match seed {
        Some(seed) => Key::Seed(seed),
        None => Key::Expanded(test.need("sk", shared(group, test, "sk", |f, k| f.hex(k)))?),
    };
    let signature = match test.hex("signature")? {
        Some(signature) => Some(Expected::Bytes(signature)),
        None => test.hex("signatureSha256")?.map(Expected::Sha256),
    };
    let Some(signature) = signature else { return Ok(skip(NO_ANSWER)) };
    let randomness = match test.hex("rnd")? {
        Some(rnd) => Some(rnd),
        None => test.hex("additionalRandomness")?,
    };
    // Deterministic sets may carry randomness that was not used.
    let deterministic = shared(group, test, "deterministic", |f, k| f.boolean(k))?;
    let randomness = match (deterministic, randomness) {
        (Some(true), _) => None,
        (Some(false), None) => return Ok(skip("a randomised signature without its randomness")),
        (_, randomness) => randomness,
    };
    let public = shared(group, test, "pk", |f, k| f.hex(k))?;
    Ok(check(move || Signing { scheme, key, public, text, randomness, signature }.check()))
}

fn verifying(scheme: Scheme, group: Fields<'_>, test: Fields<'_>) -> Result<Check, Malformed> {
    let text = match text(group, test)? {
        Ok(text) => text,
        Err(why) => return Ok(skip(why)),
    };
    let public = test.need("pk", shared(group, test, "pk", |f, k| f.hex(k)))?;
    let signature = test.need_hex("signature")?;
    let Some(valid) = test.boolean("testPassed")? else { return Ok(skip(NO_ANSWER)) };
    let why = test.text("reason")?.map(str::to_owned);
    Ok(check(move || Verifying { scheme, public, text, signature, valid, why }.check()))
}
