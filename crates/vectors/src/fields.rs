//! Typed access to the members of a JSON object or the entries of a text record, with the place in every complaint.
use crate::suite::Malformed;
use serde_json::{Map, Value};

/// Members by name. Text records are kept in the same form, with strings for values.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a> {
    map: &'a Map<String, Value>,
    place: &'a str,
}

impl<'a> Fields<'a> {
    pub fn new(map: &'a Map<String, Value>, place: &'a str) -> Self {
        Self { map, place }
    }

    /// The members of `value`, which must be an object.
    pub fn of(value: &'a Value, place: &'a str) -> Result<Self, Malformed> {
        let map = value.as_object().ok_or_else(|| Malformed::new(place, "not an object"))?;
        Ok(Self { map, place })
    }

    pub fn place(&self) -> &'a str {
        self.place
    }

    /// A complaint about the whole of it.
    pub fn malformed(&self, sentence: impl Into<String>) -> Malformed {
        Malformed::new(self.place, sentence)
    }

    /// The member of that name, whatever its case; null is as good as absent.
    pub fn get(&self, key: &str) -> Option<&'a Value> {
        let value = self.map.get(key);
        let value = value
            .or_else(|| self.map.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, v)| v));
        value.filter(|v| !v.is_null())
    }

    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    fn wrong(&self, key: &str, wanted: &str) -> Malformed {
        self.malformed(format!("\"{key}\" is not {wanted}"))
    }

    /// A string.
    pub fn text(&self, key: &str) -> Result<Option<&'a str>, Malformed> {
        self.get(key).map(|v| v.as_str().ok_or_else(|| self.wrong(key, "a string"))).transpose()
    }

    /// Bytes in hexadecimal, in either case or in both.
    pub fn hex(&self, key: &str) -> Result<Option<Vec<u8>>, Malformed> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        hex::decode(text.trim()).map(Some).map_err(|error| match error {
            hex::FromHexError::InvalidHexCharacter { c, index } => {
                self.malformed(format!("\"{key}\" is not hexadecimal: {c:?} at character {index}"))
            }
            _ => self.malformed(format!("\"{key}\" has an odd number of hexadecimal digits")),
        })
    }

    /// A count or length: a number, or digits in a string.
    pub fn integer(&self, key: &str) -> Result<Option<u64>, Malformed> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let number = match value {
            Value::String(digits) => digits.trim().parse().ok(),
            _ => value.as_u64(),
        };
        number.map(Some).ok_or_else(|| self.wrong(key, "a whole number of at most 64 bits"))
    }

    /// A truth value.
    pub fn boolean(&self, key: &str) -> Result<Option<bool>, Malformed> {
        self.get(key).map(|v| v.as_bool().ok_or_else(|| self.wrong(key, "true or false"))).transpose()
    }

    /// A list; an absent one is empty.
    pub fn list(&self, key: &str) -> Result<&'a [Value], Malformed> {
        match self.get(key) {
            None => Ok(&[]),
            Some(Value::Array(list)) => Ok(list),
            Some(_) => Err(self.wrong(key, "a list")),
        }
    }

    /// Insists on a member.
    pub fn need<T>(&self, key: &str, value: Result<Option<T>, Malformed>) -> Result<T, Malformed> {
        value?.ok_or_else(|| self.malformed(format!("\"{key}\" is missing")))
    }

    /// [`text`](Self::text) that must be there.
    pub fn need_text(&self, key: &str) -> Result<&'a str, Malformed> {
        self.need(key, self.text(key))
    }

    /// [`hex`](Self::hex) that must be there.
    pub fn need_hex(&self, key: &str) -> Result<Vec<u8>, Malformed> {
        self.need(key, self.hex(key))
    }

    /// [`integer`](Self::integer) that must be there.
    pub fn need_integer(&self, key: &str) -> Result<u64, Malformed> {
        self.need(key, self.integer(key))
    }
}

/// What a file calls a group or case, short enough to be printed whatever is in the file.
pub(crate) fn label(word: &str, number: &Value) -> String {
    let text = number.as_str().map_or_else(|| number.to_string(), str::to_owned);
    let short: String = text.chars().take(24).collect();
    format!("{word} {short}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn complaints_name_place_and_member() {
        let value =
            json!({"a": "0G", "b": "123", "c": 1.5, "d": {}, "E": "aBcD", "n": null, "i": "12", "t": "yes"});
        let fields = Fields::of(&value, "tcId 1").unwrap();
        let sentence = |e: Malformed| e.to_string();
        assert_eq!(
            fields.hex("a").map_err(sentence),
            Err("tcId 1: \"a\" is not hexadecimal: 'G' at character 1".into())
        );
        assert_eq!(
            fields.hex("b").map_err(sentence),
            Err("tcId 1: \"b\" has an odd number of hexadecimal digits".into())
        );
        assert_eq!(
            fields.integer("c").map_err(sentence),
            Err("tcId 1: \"c\" is not a whole number of at most 64 bits".into())
        );
        assert_eq!(fields.text("d").map_err(sentence), Err("tcId 1: \"d\" is not a string".into()));
        assert_eq!(fields.boolean("t").map_err(sentence), Err("tcId 1: \"t\" is not true or false".into()));
        assert_eq!(fields.list("a").map_err(sentence), Err("tcId 1: \"a\" is not a list".into()));
        assert_eq!(fields.need_hex("n").map_err(sentence), Err("tcId 1: \"n\" is missing".into()));
        assert_eq!(fields.hex("e"), Ok(Some(vec![0xab, 0xcd])));
        assert_eq!(fields.integer("i"), Ok(Some(12)));
        assert!(Fields::of(&json!([]), "x").is_err());
    }
}
