//! What a run found, and its three forms.
use crate::suite::{Unmet, Verdict};
use serde::Serialize;
use std::io::{self, Write};

/// The name of the form of [`Report::write_json`] and [`Report::write_csv`]; changes with it.
pub const SCHEMA: &str = "pqsoc-vectors/1";

/// Failures of a group that the human form shows; the others have them all.
const SHOWN: usize = 10;

/// A run over files.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// Cases of all files.
    #[serde(flatten)]
    pub counts: Counts,
    /// In the order they were given in or found in.
    pub files: Vec<FileReport>,
}

/// Cases by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// All that is checkable agrees with what was published.
    pub passed: usize,
    /// Something differs.
    pub failed: usize,
    /// Not checked; each for a reason that is given.
    pub skipped: usize,
}

/// A file of a run.
#[derive(Clone, Debug, Serialize)]
pub struct FileReport {
    /// Its path, `-` for standard input.
    pub path: String,
    /// What it is, in words.
    pub format: String,
    /// Its groups, in the order of the file.
    pub groups: Vec<GroupReport>,
    /// What in it could not be read, each with its place.
    pub errors: Vec<String>,
}

/// A group of cases.
#[derive(Clone, Debug, Serialize)]
pub struct GroupReport {
    /// Parameter set, operation and options.
    pub name: String,
    /// Its cases.
    #[serde(flatten)]
    pub counts: Counts,
    /// Why cases were skipped, each reason once.
    pub skips: Vec<Skips>,
    /// All failures.
    pub failures: Vec<Failure>,
}

/// Cases skipped for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skips {
    /// The reason.
    pub reason: String,
    /// How many.
    pub cases: usize,
}

/// A case that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// What the file calls it.
    pub case: String,
    /// What differs.
    pub reason: String,
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }

    /// Cases of any outcome.
    pub fn total(self) -> usize {
        self.passed + self.failed + self.skipped
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { passed, failed, skipped } = self;
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}

impl GroupReport {
    pub(crate) fn new(name: String) -> Self {
        Self { name, counts: Counts::default(), skips: Vec::new(), failures: Vec::new() }
    }

    pub(crate) fn record(&mut self, case: String, verdict: Verdict) {
        match verdict {
            Ok(()) => self.counts.passed += 1,
            Err(Unmet::Failed(reason)) => {
                self.counts.failed += 1;
                self.failures.push(Failure { case, reason });
            }
            Err(Unmet::Skipped(reason)) => {
                self.counts.skipped += 1;
                match self.skips.iter_mut().find(|skips| skips.reason == reason) {
                    Some(skips) => skips.cases += 1,
                    None => self.skips.push(Skips { reason, cases: 1 }),
                }
            }
        }
    }
}

impl FileReport {
    /// Cases of all its groups.
    pub fn counts(&self) -> Counts {
        self.groups.iter().fold(Counts::default(), |mut sum, group| {
            sum.add(group.counts);
            sum
        })
    }
}

impl Report {
    pub(crate) fn new(files: Vec<FileReport>) -> Self {
        let mut counts = Counts::default();
        for file in &files {
            counts.add(file.counts());
        }
        Self { schema: SCHEMA, counts, files }
    }

    /// Whether something could not be read.
    pub fn has_errors(&self) -> bool {
        self.files.iter().any(|file| !file.errors.is_empty())
    }

    /// The program's exit code: 1 when a case failed, else 3 when something could not be read, else 0.
    pub fn exit_code(&self) -> u8 {
        match (self.counts.failed, self.has_errors()) {
            (1.., _) => 1,
            (0, true) => 3,
            (0, false) => 0,
        }
    }

    /// Lines for people: files, groups, reasons, and the counts of all as the last line.
    pub fn write_human(&self, out: &mut dyn Write) -> io::Result<()> {
        for file in &self.files {
            writeln!(out, "{}: {}", file.path, file.format)?;
            let width = file.groups.iter().map(|group| group.name.chars().count()).max().unwrap_or(0);
            for group in &file.groups {
                writeln!(out, "  {:width$}  {}", group.name, group.counts)?;
                for Failure { case, reason } in group.failures.iter().take(SHOWN) {
                    writeln!(out, "    failed: {case}: {reason}")?;
                }
                if let Some(more @ 1..) = group.failures.len().checked_sub(SHOWN) {
                    writeln!(out, "    failed: {more} more")?;
                }
                for Skips { reason, cases } in &group.skips {
                    writeln!(out, "    skipped: {cases}: {reason}")?;
                }
            }
            for error in file.errors.iter().take(SHOWN) {
                writeln!(out, "  error: {error}")?;
            }
            if let Some(more @ 1..) = file.errors.len().checked_sub(SHOWN) {
                writeln!(out, "  error: {more} more")?;
            }
        }
        writeln!(out, "{}", self.counts)
    }

    /// One JSON object, the members being those of this type.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, self)?;
        writeln!(out)
    }

    /// A table: for each group a row for the cases that passed, one for each reason to skip with the number of cases,
    /// and one for each failure; one for each error of a file.
    pub fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut table = csv::Writer::from_writer(out);
        table.write_record(["schema", "path", "format", "group", "outcome", "cases", "case", "reason"])?;
        for file in &self.files {
            let mut row = |group: &str, outcome: &str, cases: usize, case: &str, reason: &str| {
                let cases = cases.to_string();
                table.write_record([SCHEMA, &file.path, &file.format, group, outcome, &cases, case, reason])
            };
            for GroupReport { name, counts, skips, failures } in &file.groups {
                row(name, "passed", counts.passed, "", "")?;
                for Skips { reason, cases } in skips {
                    row(name, "skipped", *cases, "", reason)?;
                }
                for Failure { case, reason } in failures {
                    row(name, "failed", 1, case, reason)?;
                }
            }
            for error in &file.errors {
                row("", "error", 0, "", error)?;
            }
        }
        table.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::{failed, skipped};

    fn report() -> Report {
        let mut group = GroupReport::new("ML-DSA-44, sigGen".into());
        group.record("tcId 1".into(), Ok(()));
        group.record("tcId 2".into(), Err(failed("sig differs")));
        group.record("tcId 3".into(), Err(skipped("no signature")));
        group.record("tcId 4".into(), Err(skipped("no signature")));
        Report::new(vec![FileReport {
            path: "a.json".into(),
            format: "ACVP".into(),
            groups: vec![group],
            errors: vec!["tcId 5: \"pk\" is missing".into()],
        }])
    }

    fn text(write: impl Fn(&mut dyn Write) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn human() {
        assert_eq!(
            text(|out| report().write_human(out)),
            "a.json: ACVP\n  ML-DSA-44, sigGen  1 passed, 1 failed, 2 skipped\n    failed: tcId 2: sig differs\n    \
             skipped: 2: no signature\n  error: tcId 5: \"pk\" is missing\n1 passed, 1 failed, 2 skipped\n"
        );
    }

    #[test]
    fn json() {
        let value: serde_json::Value = serde_json::from_str(&text(|out| report().write_json(out))).unwrap();
        assert_eq!(value["schema"], SCHEMA);
        assert_eq!(value["failed"], 1);
        assert_eq!(value["files"][0]["groups"][0]["skips"][0]["cases"], 2);
        assert_eq!(value["files"][0]["groups"][0]["failures"][0]["case"], "tcId 2");
    }

    #[test]
    fn csv() {
        assert_eq!(
            text(|out| report().write_csv(out)),
            "schema,path,format,group,outcome,cases,case,reason\n\
             pqsoc-vectors/1,a.json,ACVP,\"ML-DSA-44, sigGen\",passed,1,,\n\
             pqsoc-vectors/1,a.json,ACVP,\"ML-DSA-44, sigGen\",skipped,2,,no signature\n\
             pqsoc-vectors/1,a.json,ACVP,\"ML-DSA-44, sigGen\",failed,1,tcId 2,sig differs\n\
             pqsoc-vectors/1,a.json,ACVP,,error,0,,\"tcId 5: \"\"pk\"\" is missing\"\n"
        );
    }

    #[test]
    fn exit_codes() {
        let mut report = report();
        assert_eq!(report.exit_code(), 1);
        report.counts.failed = 0;
        assert_eq!(report.exit_code(), 3);
        report.files[0].errors.clear();
        assert_eq!(report.exit_code(), 0);
    }
}
