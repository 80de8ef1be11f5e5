//! Reads files, pairs prompts with results, runs the cases on all processors.
use crate::{
    formats::{
        self, Reading,
        acvp::{self, Part},
    },
    input::{self, Source},
    report::{FileReport, GroupReport, Report},
    suite::{Case, Malformed, Suite, skip},
};
use rayon::prelude::*;
use serde_json::Value;
use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

/// What to run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Cases to run of each group; the others are skipped.
    pub limit: Option<usize>,
    /// Whether to run the cases that take minutes to days: messages of gigabytes, hashes over millions of keys.
    pub long: bool,
    /// Why a group, by its name, is not to be run; its cases are skipped for that reason.
    pub refuse: Option<fn(&str) -> Option<String>>,
}

/// Told how far a run is, from several threads.
pub trait Progress: Sync {
    /// `cases` of the file at `path` are about to run.
    fn file(&self, path: &str, cases: usize);
    /// One of them is done.
    fn case(&self);
}

/// Tells nobody.
impl Progress for () {
    fn file(&self, _path: &str, _cases: usize) {}
    fn case(&self) {}
}

/// Runs the vectors in `paths`: files, directories, and `-` for standard input.
///
/// Never panics and never stops early: what cannot be read is an error of its file in the report.
pub fn run(paths: &[PathBuf], options: &Options, progress: &dyn Progress) -> Report {
    let (sources, errors) = input::expand(paths);
    let mut halves: Vec<Half> = Vec::new();
    let mut files: Vec<FileReport> = Vec::new();
    for (path, error) in errors {
        files.push(unreadable(&path, "a directory", error));
    }
    for Source { path, named } in sources {
        let name = path.display().to_string();
        match read(&path, options) {
            Ok(Reading::Suite(suite)) => files.push(execute(name, suite, options, progress)),
            Ok(Reading::Half(part, set)) => {
                let at = files.len();
                // A place in the order of the report, filled when all halves are known.
                files.push(FileReport { path: name, format: String::new(), groups: vec![], errors: vec![] });
                halves.push(Half { path, part, set, at });
            }
            Ok(Reading::Other(what)) => {
                let errors = if named { vec![what.to_owned()] } else { Vec::new() };
                files.push(FileReport { path: name, format: what.to_owned(), groups: Vec::new(), errors });
            }
            Err(error) => files.push(unreadable(&path, "unreadable", error)),
        }
    }
    pair(halves, &mut files, options, progress);
    if files.is_empty() {
        files.push(unreadable(Path::new(""), "nothing", "there are no files to run".to_owned()));
    }
    Report::new(files)
}

fn unreadable(path: &Path, format: &str, error: String) -> FileReport {
    let path = path.display().to_string();
    FileReport { path, format: format.to_owned(), groups: Vec::new(), errors: vec![error] }
}

/// Reading tries the code under test on what it finds, so a panic of that code may come up here.
fn guarded<T>(work: impl FnOnce() -> Result<T, Malformed>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(outcome) => outcome.map_err(|error| error.to_string()),
        Err(_) => Err("reading it panicked, which is a defect of this program".to_owned()),
    }
}

fn read(path: &Path, options: &Options) -> Result<Reading, String> {
    let bytes = input::read(path).map_err(|error| error.to_string())?;
    guarded(|| formats::read(&bytes, &input::stem(path), options))
}

/// A prompt or results without the other.
struct Half {
    path: PathBuf,
    part: Part,
    set: Value,
    /// Index of its report.
    at: usize,
}

/// Brings prompts and results together: among the files given, then among those beside them.
fn pair(halves: Vec<Half>, files: &mut [FileReport], options: &Options, progress: &dyn Progress) {
    let (mut prompts, mut results): (Vec<_>, Vec<_>) =
        halves.into_iter().partition(|half| half.part == Part::Prompt);
    for prompt in &mut prompts {
        let near =
            |half: &&Half| half.path.parent() == prompt.path.parent() && acvp::belong(&prompt.set, &half.set);
        let far = |half: &&Half| acvp::belong(&prompt.set, &half.set);
        let given = results.iter().find(near).or_else(|| results.iter().find(far));
        let (answers, other) = match given {
            Some(half) => (half.set.clone(), half.path.clone()),
            None => {
                match beside(&prompt.path, Part::Results, options, |set| acvp::belong(&prompt.set, set)) {
                    Some(found) => found,
                    None => {
                        let why = "a prompt without its expected results; give that file as well";
                        files[prompt.at] = unreadable(&prompt.path, "ACVP prompt", why.to_owned());
                        continue;
                    }
                }
            }
        };
        acvp::merge(&mut prompt.set, &answers);
        files[prompt.at] = merged(&prompt.path, &prompt.set, &other, options, progress);
    }
    for half in &mut results {
        let used = prompts.iter().find(|prompt| acvp::belong(&prompt.set, &half.set));
        if let Some(prompt) = used {
            files[half.at].format = format!("ACVP expected results of {}", prompt.path.display());
            continue;
        }
        match beside(&half.path, Part::Prompt, options, |set| acvp::belong(set, &half.set)) {
            Some((mut set, other)) => {
                acvp::merge(&mut set, &half.set);
                files[half.at] = merged(&half.path, &set, &other, options, progress);
            }
            None => {
                let why = "expected results without their prompt; give that file as well";
                files[half.at] = unreadable(&half.path, "ACVP expected results", why.to_owned());
            }
        }
    }
}

fn merged(path: &Path, set: &Value, other: &Path, options: &Options, progress: &dyn Progress) -> FileReport {
    match guarded(|| acvp::read_set(set, options)) {
        Ok(mut suite) => {
            suite.format = format!("{} with {}", suite.format, other.display());
            execute(path.display().to_string(), suite, options, progress)
        }
        Err(error) => unreadable(path, "ACVP", error),
    }
}

/// The other half in the same directory, by content.
fn beside(
    path: &Path,
    part: Part,
    options: &Options,
    fits: impl Fn(&Value) -> bool,
) -> Option<(Value, PathBuf)> {
    if input::is_stdin(path) {
        return None;
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut names: Vec<_> =
        fs::read_dir(directory).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    names.sort();
    let candidates =
        names.into_iter().filter(|other| other.file_name() != path.file_name() && other.is_file());
    candidates.filter(|other| input::stem(other).ends_with(".json")).find_map(|other| {
        match read(&other, options) {
            Ok(Reading::Half(found, set)) if found == part && fits(&set) => Some((set, other)),
            _ => None,
        }
    })
}

fn execute(path: String, suite: Suite, options: &Options, progress: &dyn Progress) -> FileReport {
    let Suite { format, groups, malformed } = suite;
    let mut reports: Vec<_> = groups.iter().map(|group| GroupReport::new(group.name.clone())).collect();
    let limit = options.limit.unwrap_or(usize::MAX);
    let mut cases: Vec<(usize, Case)> = Vec::new();
    for (index, group) in groups.into_iter().enumerate() {
        let refusal = options.refuse.and_then(|refuse| refuse(&group.name));
        for (number, mut case) in group.cases.into_iter().enumerate() {
            if let Some(why) = &refusal {
                case.check = skip(why.clone());
            } else if number >= limit {
                case.check = skip(format!("beyond the first {limit} cases of the group"));
            }
            cases.push((index, case));
        }
    }
    progress.file(&path, cases.len());
    let run = |(index, case): (usize, Case)| {
        let outcome = case.run();
        progress.case();
        (index, outcome)
    };
    let outcomes: Vec<_> = cases.into_par_iter().with_max_len(1).map(run).collect();
    for (index, (case, verdict)) in outcomes {
        reports[index].record(case, verdict);
    }
    let errors = malformed.iter().map(Malformed::to_string).collect();
    FileReport { path, format, groups: reports, errors }
}
