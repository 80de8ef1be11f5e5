//! The ACVP specification's own known answers for ML-DSA: few keys and messages that take every path of rejection, or
//! very many attempts. Published as digests.
use crate::{
    fields::Fields,
    scheme::{Scheme, Text},
    suite::{Check, Malformed, Suite, check, failed, skip},
    work::Expected,
};
use serde_json::Value;

/// Whether a document is that list.
pub(super) fn recognise(document: &Value) -> bool {
    let test = |test: &Value| test.get("keyHash").is_some() && test.get("mPrime").is_some();
    document.get("tests").and_then(Value::as_array).is_some_and(|tests| tests.iter().any(test))
}

/// Reads it.
pub(super) fn read(document: &Value) -> Result<Suite, Malformed> {
    let mut suite = Suite::new("ACVP known answers for rejection, ML-DSA");
    for (index, test) in Fields::of(document, "")?.list("tests")?.iter().enumerate() {
        let place = format!("test {}", index + 1);
        let fields = match Fields::of(test, &place) {
            Ok(fields) => fields,
            Err(error) => {
                suite.malformed.push(error);
                continue;
            }
        };
        match fields.need_text("parameterSet") {
            Ok(set) => {
                suite.group(set);
                suite.case(place.clone(), case(set, fields));
            }
            Err(error) => suite.malformed.push(error),
        }
    }
    Ok(suite)
}

fn case(set: &str, test: Fields<'_>) -> Result<Check, Malformed> {
    let Some(scheme) = Scheme::by_name(set) else { return Ok(skip(format!("{set} is not offered"))) };
    let seed = test.need_hex("seed")?;
    let text = Text::Internal(test.need_hex("mPrime")?);
    let keys = Expected::Sha256(test.need_hex("keyHash")?);
    let signature = Expected::Sha256(test.need_hex("signatureHash")?);
    let rejections = test.integer("rejectionCount")?;
    Ok(check(move || {
        let pair = scheme.generate(&seed).map_err(failed)?;
        keys.check("pk and sk", &[&pair.pk[..], &pair.sk].concat())?;
        let computed = scheme.sign(&pair.sk, &text, None).map_err(failed)?;
        signature.check("the signature", &computed)?;
        scheme.verify(&pair.pk, &text, &computed).map_err(failed)?;
        let Some(rejections) = rejections else { return Ok(()) };
        let attempts = u64::from(scheme.attempts(&pair.sk, &text).map_err(failed)?);
        if attempts == rejections + 1 {
            return Ok(());
        }
        Err(failed(format!("{attempts} attempts, published are {rejections} rejections")))
    }))
}
