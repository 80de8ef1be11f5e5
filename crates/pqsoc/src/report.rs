//! Results on standard output, for people, programs and spreadsheets.
use crate::failure::Failure;
use serde::Serialize;
use serde_json::{Map, Value};
use std::io::{self, Write};

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Human,
    /// One JSON object with the name of its schema, and the rows.
    Json,
    /// A header, then the rows; the first column is the name of the schema.
    Csv,
}

/// A kind of row, under a name that changes when the columns do.
pub trait Row: Serialize {
    /// The schema: `pqsoc-speed/1`.
    const SCHEMA: &'static str;

    /// The rows as people read them.
    fn human(rows: &[Self], out: &mut dyn Write) -> io::Result<()>
    where
        Self: Sized;
}

/// Prints rows on standard output.
pub fn print<R: Row>(format: Format, rows: &[R]) -> Result<(), Failure> {
    print_with(|out| match format {
        Format::Human => R::human(rows, out),
        Format::Json => json(out, rows),
        Format::Csv => csv(out, rows),
    })
}

/// Prints on standard output what `write` writes, all at once: the writers of JSON and CSV hide that a reader has left.
pub fn print_with(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut text = Vec::new();
    write(&mut text).map_err(|error| Failure::stdout(&error))?;
    let mut out = io::stdout().lock();
    out.write_all(&text).and_then(|()| out.flush()).map_err(|error| Failure::stdout(&error))
}

fn json<R: Row>(out: &mut dyn Write, rows: &[R]) -> io::Result<()> {
    #[derive(Serialize)]
    struct Document<'a, R> {
        schema: &'static str,
        rows: &'a [R],
    }
    serde_json::to_writer_pretty(&mut *out, &Document { schema: R::SCHEMA, rows })?;
    writeln!(out)
}

/// The columns are the members of the rows' JSON objects; lists become one cell, its elements separated by `; `.
fn csv<R: Row>(out: &mut dyn Write, rows: &[R]) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    for (i, row) in rows.iter().enumerate() {
        let Value::Object(members) = serde_json::to_value(row)? else {
            return Err(io::Error::other("a row is not a struct"));
        };
        if i == 0 {
            table.write_record(std::iter::once("schema").chain(members.keys().map(String::as_str)))?;
        }
        table.write_record(std::iter::once(R::SCHEMA.to_string()).chain(cells(&members)))?;
    }
    table.flush()
}

fn cells(members: &Map<String, Value>) -> impl Iterator<Item = String> {
    fn cell(value: &Value) -> String {
        match value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            Value::Array(list) => list.iter().map(cell).collect::<Vec<_>>().join("; "),
            other => other.to_string(),
        }
    }
    members.values().map(cell)
}
