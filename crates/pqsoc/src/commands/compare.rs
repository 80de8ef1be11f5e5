//! `pqsoc compare`.
use crate::{
    cli::Compare,
    commands::results::read,
    failure::{Code, Failure},
    report::{self, Row},
};
use pqsoc_lab::{compare, results::Measurement, text};
use serde::Serialize;
use std::io::{self, Write};

/// A figure that changed, or an experiment that is new, gone or broken.
#[derive(Serialize)]
struct Difference {
    /// `changed`, `broken`, `gone` or `new`.
    what: &'static str,
    experiment: String,
    quantity: Option<&'static str>,
    before: Option<f64>,
    after: Option<f64>,
    /// Growth in per cent; none where nothing became something.
    percent: Option<f64>,
    status_before: Option<&'static str>,
    status_after: Option<&'static str>,
    /// The budget that was given is broken.
    over: bool,
    /// What went wrong.
    problem: Option<String>,
}

impl Difference {
    fn of(what: &'static str, measurement: &Measurement) -> Self {
        Self {
            what,
            experiment: measurement.subject.to_string(),
            quantity: None,
            before: None,
            after: None,
            percent: None,
            status_before: None,
            status_after: None,
            over: false,
            problem: measurement.problem.as_ref().map(|problem| problem.sentence.clone()),
        }
    }
}

impl Row for Difference {
    const SCHEMA: &'static str = "pqsoc-compare/1";

    fn human(rows: &[Self], out: &mut dyn Write) -> io::Result<()> {
        for row in rows {
            let over = if row.over { "  over budget" } else { "" };
            let Some((quantity, (before, after))) = row.quantity.zip(row.before.zip(row.after)) else {
                let why = row.problem.as_ref().map_or(String::new(), |problem| format!(": {problem}"));
                writeln!(out, "{:>9}  {}{why}{over}", row.what, row.experiment)?;
                continue;
            };
            let percent = row.percent.map_or("new".into(), |percent| format!("{percent:+.2} %"));
            let status = match (row.status_before, row.status_after) {
                (Some(a), Some(b)) if a != b => format!(" (was {a}, is {b})"),
                _ => String::new(),
            };
            writeln!(
                out,
                "{percent:>9}  {}: {quantity} {} to {}{status}{over}",
                row.experiment,
                text::plain(before),
                text::plain(after)
            )?;
        }
        Ok(())
    }
}

/// Prints the differences. A broken budget is exit code 6.
pub fn run(options: &Compare) -> Result<(), Failure> {
    super::distinct(&[&options.before, &options.after], &[])?;
    let (before, after) = (read(&options.before)?, read(&options.after)?);
    let comparison = compare::compare(&before, &after);
    let over = |change: &compare::Change<'_>| options.fail_above.is_some_and(|limit| change.breaks(limit));
    let broken = comparison
        .broken
        .iter()
        .map(|m| Difference { over: options.fail_above.is_some(), ..Difference::of("broken", m) });
    let changed = comparison.changes.iter().map(|change| Difference {
        quantity: Some(change.quantity.name()),
        before: Some(change.before),
        after: Some(change.after),
        percent: Some(100.0 * change.growth()).filter(|percent| percent.is_finite()),
        status_before: Some(change.status.0.name()),
        status_after: Some(change.status.1.name()),
        over: over(change),
        ..Difference::of("changed", change.now)
    });
    let gone = comparison.gone.iter().map(|m| Difference::of("gone", m));
    let new = comparison.new.iter().map(|m| Difference::of("new", m));
    let rows: Vec<_> = broken.chain(changed).chain(gone).chain(new).collect();
    report::print(options.format, &rows)?;
    let count = rows.iter().filter(|row| row.over).count();
    if let (Some(limit), true) = (options.fail_above, count > 0) {
        return Err(Failure::new(
            Code::Budget,
            format_args!(
                "{count} of {} differences are over the budget of {} %",
                rows.len(),
                text::plain(100.0 * limit)
            ),
        ));
    }
    if rows.is_empty() && options.format == report::Format::Human {
        crate::failure::say(format_args!("no difference in {} figures", comparison.equal));
    }
    Ok(())
}
