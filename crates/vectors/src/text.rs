//! Files of `name = value` lines: NIST's .rsp and Botan's .vec.
use crate::suite::Malformed;
use serde_json::{Map, Value};
use std::rc::Rc;

/// Entries that stand together.
pub(crate) struct Record {
    /// Number of its first line, from 1.
    pub line: usize,
    /// The `[…]` lines above it, back to the record before.
    pub sections: Rc<[String]>,
    /// Its entries. Names are as written; see [`Fields::get`](crate::fields::Fields::get).
    pub entries: Map<String, Value>,
}

/// A file of records.
pub(crate) struct Records {
    /// What stands after `#` and before the first record, line by line.
    pub header: Vec<String>,
    pub records: Vec<Record>,
    /// Lines that are none of comment, section and entry.
    pub strays: Vec<Malformed>,
}

/// Reads all records. One ends at an empty line, at a section, or where a name comes again.
pub(crate) fn parse(text: &str) -> Records {
    let mut out = Records { header: Vec::new(), records: Vec::new(), strays: Vec::new() };
    let mut sections: Rc<[String]> = Rc::from([]);
    let mut fresh_sections = Vec::new();
    let mut open = false;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() {
            open = false;
        } else if let Some(comment) = line.strip_prefix('#') {
            if out.records.is_empty() {
                out.header.push(comment.trim().to_owned());
            }
        } else if let Some(section) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            fresh_sections.push(section.trim().to_owned());
            open = false;
        } else if let Some((name, value)) = line.split_once('=') {
            let (name, value) = (name.trim().to_owned(), Value::String(value.trim().to_owned()));
            if !fresh_sections.is_empty() {
                sections = std::mem::take(&mut fresh_sections).into();
            }
            match out.records.last_mut() {
                Some(record) if open && !record.entries.contains_key(&name) => {
                    record.entries.insert(name, value);
                }
                _ => {
                    let entries = Map::from_iter([(name, value)]);
                    let sections = Rc::clone(&sections);
                    out.records.push(Record { line: number + 1, sections, entries });
                    open = true;
                }
            }
        } else {
            let shown: String = line.chars().take(40).collect();
            let sentence = format!("{shown:?} is neither a comment, a [section] nor name = value");
            out.strays.push(Malformed::new(format!("line {}", number + 1), sentence));
        }
    }
    out
}

impl Records {
    /// Whether some record has entries of all these names, in any case.
    pub fn has(&self, names: &[&str]) -> bool {
        self.records.iter().any(|record| {
            names.iter().all(|name| record.entries.keys().any(|key| key.eq_ignore_ascii_case(name)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_and_sections() {
        let text =
            "# A\n#B\n[x]\r\n[y = 1]\r\na = 1\r\nb =\r\n\r\n\r\na = 2\na = 3\n[z]\nc = 4 = 5\n?\n# c\n";
        let file = parse(text);
        assert_eq!(file.header, ["A", "B"]);
        let found: Vec<_> = file
            .records
            .iter()
            .map(|r| (r.line, r.sections.join("|"), Value::Object(r.entries.clone()).to_string()))
            .collect();
        let wanted = [
            (5, "x|y = 1", r#"{"a":"1","b":""}"#),
            (9, "x|y = 1", r#"{"a":"2"}"#),
            (10, "x|y = 1", r#"{"a":"3"}"#),
            (12, "z", r#"{"c":"4 = 5"}"#),
        ];
        assert_eq!(found, wanted.map(|(line, s, e)| (line, s.to_owned(), e.to_owned())));
        assert_eq!(
            file.strays,
            [Malformed::new("line 13", "\"?\" is neither a comment, a [section] nor name = value")]
        );
        assert!(file.has(&["A", "b"]));
        assert!(!file.has(&["a", "c"]));
    }
}
