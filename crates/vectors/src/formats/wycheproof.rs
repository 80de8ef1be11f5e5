//! Project Wycheproof's sets for ML-DSA, and the older ones of the same form for the draft of FIPS 204 and for
//! round 3, which say `ML-DSA` where they mean one of the forerunners.
use super::acvp::{for_each_group, for_each_test};
use crate::{
    fields::Fields,
    scheme::{Scheme, Text},
    suite::{Check, Malformed, Suite, Verdict, check, failed, same, skip, skipped, succeeds},
    work::{Key, Verifying},
};
use serde_json::Value;

/// Valid signatures that are tried to find which forerunner a set is of.
const TRIED: usize = 8;

/// Whether a document is such a set.
pub(super) fn recognise(document: &Value) -> bool {
    let groups = document.get("testGroups").and_then(Value::as_array);
    let typed = |group: &Value| group.get("type").and_then(Value::as_str).is_some();
    groups.is_some_and(|groups| {
        document.get("numberOfTests").is_some() || !groups.is_empty() && groups.iter().all(typed)
    })
}

/// Reads a set. `name` is the file's.
pub(super) fn read(document: &Value, name: &str) -> Result<Suite, Malformed> {
    let set = Fields::of(document, "")?;
    let algorithm = set.need_text("algorithm")?;
    let mut suite = Suite::new(format!("Wycheproof {algorithm}"));
    let scheme = Scheme::by_name(algorithm).or_else(|| forerunner(set, name));
    let title = scheme.map_or(algorithm, |scheme| scheme.name());
    for_each_group(set, &mut suite, |group, suite| {
        let kind = group.need_text("type")?;
        suite.group(format!("{title}, {kind}"));
        for_each_test(group, suite, |test| {
            let Some(scheme) = scheme else { return Ok(skip(format!("{algorithm} is not offered"))) };
            match kind {
                "MlDsaSign" | "SlhDsaSign" => signing(scheme, group, test),
                "MlDsaVerify" | "SlhDsaVerify" => verifying(scheme, group, test),
                other => Ok(skip(format!("tests of type {other} are unknown"))),
            }
        })
    })?;
    Ok(suite)
}

/// The set under which a published valid signature comes out, or else the one that the name of the file says.
fn forerunner(set: Fields<'_>, name: &str) -> Option<Scheme> {
    let groups = set.list("testGroups").ok()?;
    let mut tried = 0;
    let mut candidates = Vec::new();
    for group in groups {
        let group = Fields::of(group, "").ok()?;
        let key = group.hex("privateKey").ok()?;
        let public = group.hex("publicKey").ok()?;
        let fits = |scheme: &Scheme| {
            key.as_ref().is_none_or(|key| key.len() == scheme.secret_key_len())
                && public.as_ref().is_none_or(|key| key.len() == scheme.public_key_len())
        };
        let fitting: Vec<_> = Scheme::all().filter(fits).collect();
        for test in group.list("tests").ok()? {
            let test = Fields::of(test, "").ok()?;
            if test.text("result").ok()? != Some("valid") || tried == TRIED {
                continue;
            }
            tried += 1;
            let made = |scheme: &Scheme| {
                let of_key = if key.is_some() { signing } else { verifying };
                of_key(*scheme, group, test).is_ok_and(succeeds)
            };
            if let Some(scheme) = fitting.iter().find(|scheme| made(scheme)) {
                return Some(*scheme);
            }
        }
        if candidates.is_empty() {
            candidates = fitting;
        }
    }
    let kind = if name.contains("draft") { "draft" } else { "-3.0" };
    candidates.iter().find(|scheme| scheme.name().contains(kind)).or(candidates.first()).copied()
}

/// What the outcome should be; none where both are allowed.
fn result(test: Fields<'_>) -> Result<Option<bool>, Malformed> {
    match test.need_text("result")? {
        "valid" => Ok(Some(true)),
        "invalid" => Ok(Some(false)),
        "acceptable" => Ok(None),
        other => Err(test.malformed(format!("\"result\" is {other:?}"))),
    }
}

/// The reason for cases that allow either outcome.
const ACCEPTABLE: &str = "published as acceptable: either outcome is right";

/// The message with its context, and mu where it is published beside it or alone.
fn texts(test: Fields<'_>) -> Result<(Option<Text>, Option<Text>), Malformed> {
    let context = test.hex("ctx")?.unwrap_or_default();
    let message = test.hex("msg")?.map(|message| Text::Pure { context, message });
    let mu = test.hex("mu")?.map(Text::Mu);
    if message.is_none() && mu.is_none() {
        return Err(test.malformed("neither \"msg\" nor \"mu\""));
    }
    Ok((message, mu))
}

fn signing(scheme: Scheme, group: Fields<'_>, test: Fields<'_>) -> Result<Check, Malformed> {
    let Some(valid) = result(test)? else { return Ok(skip(ACCEPTABLE)) };
    let key = match group.hex("privateSeed")? {
        Some(seed) => Key::Seed(seed),
        None => Key::Expanded(group.need_hex("privateKey")?),
    };
    let public = group.hex("publicKey")?;
    let (message, mu) = texts(test)?;
    let randomness = test.hex("rnd")?;
    let signature = test.hex("sig")?;
    let comment = test.text("comment")?.unwrap_or_default().to_owned();
    Ok(check(move || {
        if let (Some(message), Some(Text::Mu(published))) = (&message, &mu)
            && let Some(computed) = public.as_ref().and_then(|pk| scheme.mu(pk, message).ok())
        {
            same("mu", &computed, published)?;
        }
        let sign = |text: &Text| {
            let pair = key.pair(scheme)?;
            Ok::<_, String>((scheme.sign(&pair.sk, text, randomness.as_deref())?, pair.pk))
        };
        for text in [&message, &mu].into_iter().flatten() {
            match (sign(text), valid) {
                (Err(_), false) => {}
                (Ok(_), false) => return Err(failed(format!("signed, published as invalid ({comment})"))),
                (Err(error), true) => {
                    return Err(failed(format!("refused, published as valid ({comment}): {error}")));
                }
                (Ok((computed, pk)), true) => {
                    let signature = signature.as_ref();
                    same(
                        "the signature",
                        &computed,
                        signature.ok_or_else(|| skipped("no signature published"))?,
                    )?;
                    if let Some(public) = &public {
                        same("pk", &pk, public)?;
                    }
                    let refused =
                        |error| failed(format!("the signature is right but does not verify: {error}"));
                    scheme.verify(&pk, text, &computed).map_err(refused)?;
                }
            }
        }
        Ok(())
    }))
}

fn verifying(scheme: Scheme, group: Fields<'_>, test: Fields<'_>) -> Result<Check, Malformed> {
    let Some(valid) = result(test)? else { return Ok(skip(ACCEPTABLE)) };
    let public = group.need_hex("publicKey")?;
    let signature = test.need_hex("sig")?;
    let (message, mu) = texts(test)?;
    let why = test.text("comment")?.map(str::to_owned);
    Ok(check(move || -> Verdict {
        for text in [message, mu].into_iter().flatten() {
            let (public, signature, why) = (public.clone(), signature.clone(), why.clone());
            Verifying { scheme, public, text, signature, valid, why }.check()?;
        }
        Ok(())
    }))
}
