//! `pqsoc report`.
use crate::{
    cli::Report,
    commands::results::{read, read_text},
    failure::{Failure, name},
    files::{Access, Output},
};
use pqsoc_lab::{pqm4, report, results::Results, tables};
use std::path::PathBuf;

/// A form of the results, and how it is made of them.
type Form<'a> = (&'a Option<PathBuf>, fn(&Results) -> String);

/// Writes the report, and the same results in other forms.
pub fn run(options: &Report) -> Result<(), Failure> {
    let forms: [Form<'_>; 5] = [
        (&options.out, report::html),
        (&options.json, Results::to_json),
        (&options.csv, |results| tables::csv(&tables::complete(results))),
        (&options.pqm4_csv, |results| pqm4::export(&tables::complete(results))),
        (&options.markdown, |results| tables::markdown(&tables::complete(results))),
    ];
    let inputs: Vec<_> = options.results.iter().chain(&options.import).map(PathBuf::as_path).collect();
    let wanted: Vec<_> = forms.iter().filter_map(|(path, form)| Some((path.as_deref()?, form))).collect();
    if wanted.is_empty() && options.plots.is_none() {
        return Err(Failure::usage(
            "nothing to write: give a file with --out, --json, --csv, --pqm4-csv or --markdown, or a folder with --plots",
        ));
    }
    let paths: Vec<_> = wanted.iter().map(|(path, _)| *path).collect();
    super::distinct(&inputs, &paths)?;
    let mut results = Results::new();
    if options.results.is_empty() {
        results = pqsoc_lab::published::measured();
    }
    for path in &options.results {
        let more = read(path)?;
        results.created = results.created.max(more.created.clone());
        results.merge(more);
    }
    for path in &options.import {
        let place = pqm4::Place { board: options.import_board.clone(), core_mhz: options.import_mhz };
        let shown = name(path, "standard input");
        let more = pqm4::import(&read_text(path)?, &place, pqm4::imported(&shown))
            .map_err(|error| Failure::file(&shown, error))?;
        results.merge(more);
    }
    let mut texts: Vec<(PathBuf, String)> =
        wanted.into_iter().map(|(path, form)| (path.to_path_buf(), form(&results))).collect();
    if let Some(folder) = &options.plots {
        let plots = report::plots(&results).into_iter();
        texts.extend(plots.map(|(id, svg)| (folder.join(id).with_extension("svg"), svg)));
    }
    // Every file is opened before the first is written: what cannot be written is said at once.
    let outputs = texts
        .iter()
        .map(|(path, text)| Ok((Output::create(path, Access::Public, options.force)?, text)))
        .collect::<Result<Vec<_>, Failure>>()?;
    outputs.into_iter().try_for_each(|(output, text)| output.write(text.as_bytes()))
}
