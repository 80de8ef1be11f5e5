//! `pqsoc choose`.
use crate::{
    cli::Choose,
    commands::results::read,
    failure::{Code, Failure},
    report::{self, Row},
};
use pqsoc_lab::{
    choose::{self, Candidate, Limits},
    published, text,
};
use serde::Serialize;
use std::io::{self, Write};

/// A scheme, set and profile.
#[derive(Serialize)]
struct Choice {
    fits: bool,
    algorithm: String,
    code: String,
    place: String,
    /// Every limit with the figure against it, the tightest first.
    figures: Vec<String>,
    /// The figures that rule it out.
    against: Vec<String>,
}

impl From<&Candidate> for Choice {
    fn from(candidate: &Candidate) -> Self {
        let words = |check: &choose::Check| {
            text::ascii_spaces(&format!("{} {} (limit {})", check.what, check.value, check.limit))
        };
        Self {
            fits: candidate.fits(),
            algorithm: candidate.algorithm.clone(),
            code: candidate.code.clone(),
            place: candidate.place.clone(),
            figures: candidate.checks.iter().map(words).collect(),
            against: candidate.checks.iter().filter(|check| check.ratio > 1.0).map(words).collect(),
        }
    }
}

impl Row for Choice {
    const SCHEMA: &'static str = "pqsoc-choose/1";

    fn human(rows: &[Self], out: &mut dyn Write) -> io::Result<()> {
        let name = |row: &Self| format!("{}, {}", row.algorithm, row.code);
        let width = rows.iter().map(|row| name(row).chars().count()).max().unwrap_or(0);
        let (fitting, others): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.fits);
        if let Some(first) = rows.first() {
            writeln!(out, "on {}: {} of {} fit", first.place, fitting.len(), rows.len())?;
        }
        for (i, row) in fitting.iter().enumerate() {
            writeln!(out, "{:>3}. {:width$}  {}", i + 1, name(row), row.figures.join(", "))?;
        }
        for row in others {
            writeln!(out, "  no {:width$}  {}", name(row), row.against.join(", "))?;
        }
        Ok(())
    }
}

/// Prints what fits, and what rules the others out. Nothing fits: exit code 6.
pub fn run(options: &Choose) -> Result<(), Failure> {
    let results = match &options.results {
        Some(path) => read(path)?,
        None => published::measured(),
    };
    let clocks =
        results.measurements.iter().filter(|m| m.subject.board == options.board).map(|m| m.subject.core_mhz);
    let Some(mhz) = options.mhz.or_else(|| clocks.reduce(f64::max)) else {
        return Err(Failure::usage(format_args!(
            "the results have nothing measured on the board {}",
            options.board
        )));
    };
    let limits = Limits {
        ram: options.ram,
        flash: options.flash,
        keygen_ms: options.keygen_ms,
        sign_ms: options.sign_ms,
        verify_ms: options.verify_ms,
        public_key: options.public_key,
        signature: options.signature,
        category: options.category,
    };
    let candidates = choose::choose(&results, &options.board, mhz, &limits);
    if candidates.is_empty() {
        return Err(Failure::usage(format_args!(
            "the results have nothing measured on {} at {mhz} MHz",
            options.board
        )));
    }
    let rows: Vec<Choice> = candidates.iter().map(Choice::from).collect();
    report::print(options.format, &rows)?;
    if candidates.iter().any(Candidate::fits) {
        Ok(())
    } else {
        Err(Failure::new(Code::Budget, "nothing fits"))
    }
}
