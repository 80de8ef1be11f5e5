//! `pqsoc vectors`.
use crate::{
    cli::Vectors,
    failure::{Code, Failure, say},
    policy::Policy,
    progress::Progress,
    report::{Format, print_with},
};
use pqsoc_vectors::Options;
use std::sync::Mutex;

pub fn run(options: &Vectors, policy: Policy) -> Result<(), Failure> {
    let refuse: Option<fn(&str) -> Option<String>> = match policy {
        Policy::None => None,
        Policy::Cnsa2 => Some(|group| Policy::Cnsa2.objection_to_group(group)),
    };
    let run = Options { limit: options.limit, long: options.long, refuse };
    let report = pqsoc_vectors::run(&options.files, &run, &Bar::default());

    print_with(|out| match options.format {
        Format::Human => report.write_human(out),
        Format::Json => report.write_json(out),
        Format::Csv => report.write_csv(out),
    })?;

    let groups = report.files.iter().flat_map(|file| &file.groups);
    let refused = groups.filter(|group| refuse.is_some_and(|refuse| refuse(&group.name).is_some())).count();
    let mut unread = report.files.iter().flat_map(|file| file.errors.iter().map(|error| (&file.path, error)));
    if let Some((path, error)) = unread.next() {
        match unread.count() {
            0 => say(format_args!("{path}: {error}")),
            more => say(format_args!("{path}: {error} (and {more} more that could not be read)")),
        }
    }
    match report.exit_code() {
        1 => Err(Failure::silent(Code::Bad)),
        _ if refused > 0 => {
            say(format_args!("{refused} groups were not run: CNSA 2.0 allows only pure ML-DSA-87"));
            Err(Failure::silent(Code::Policy))
        }
        0 => Ok(()),
        _ => Err(Failure::silent(Code::Format)),
    }
}

/// A bar for each file.
#[derive(Default)]
struct Bar(Mutex<Option<(Progress, u64, u64)>>);

impl pqsoc_vectors::Progress for Bar {
    fn file(&self, path: &str, cases: usize) {
        if let Ok(mut bar) = self.0.lock() {
            *bar = Some((Progress::steps(path), 0, cases as u64));
        }
    }

    fn case(&self) {
        if let Ok(mut bar) = self.0.lock()
            && let Some((progress, done, total)) = &mut *bar
        {
            *done += 1;
            progress.set_of(*done, *total);
        }
    }
}
