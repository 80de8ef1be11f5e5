//! `pqsoc reproduce`.
use crate::{
    cli::Reproduce,
    failure::{Code, Failure, name, say},
    files::{Access, Output},
    progress::Progress,
    report,
};
use pqsoc_lab::{
    experiment::{self, Cache, Extent},
    pqm4,
    results::{ProblemKind, Results},
    study, tables,
};
use std::{
    fs,
    sync::Mutex,
    time::{SystemTime, UNIX_EPOCH},
};

/// A file's name, and how it is made of the results.
type Form = (&'static str, fn(&Results) -> String);

/// Progress of experiments on the terminal.
pub struct Shown {
    state: Mutex<(Progress, u64, u64)>,
}

impl Shown {
    /// Nothing has begun.
    pub fn new(what: &str) -> Self {
        Self { state: Mutex::new((Progress::steps(what), 0, 0)) }
    }
}

impl experiment::Progress for Shown {
    fn begin(&self, total: u64, known: u64) {
        if let Ok(mut state) = self.state.lock() {
            (state.1, state.2) = (known, total);
        }
    }

    fn advance(&self, cycles: u64, what: &str) {
        if let Ok(mut state) = self.state.lock() {
            let (progress, done, total) = &mut *state;
            *done += cycles;
            progress.name(what);
            progress.set_of(*done, *total);
        }
    }

    fn warn(&self, sentence: &str) {
        say(sentence);
    }
}

/// As many as there are processors.
pub fn threads(asked: Option<u16>) -> usize {
    asked.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
}

/// Runs the study. Problems of single experiments are in the report, and are no failure of the command; a broken tool is.
pub fn run(options: &Reproduce) -> Result<(), Failure> {
    let shown = name(&options.out, "");
    fs::create_dir_all(&options.out).map_err(|error| Failure::io(&shown, &error))?;
    let forms: [Form; 5] = [
        ("results.json", Results::to_json),
        ("results.csv", |results| tables::csv(&tables::complete(results))),
        ("pqm4.csv", |results| pqm4::export(&tables::complete(results))),
        ("results.md", |results| tables::markdown(&tables::complete(results))),
        ("report.html", pqsoc_lab::report::html),
    ];
    let outputs = || {
        let create =
            |(file, form): &Form| Ok((Output::create(&options.out.join(file), Access::Public, true)?, *form));
        forms.iter().map(create).collect::<Result<Vec<_>, Failure>>()
    };
    // What cannot be written is found now, and not after all has been measured.
    drop(outputs()?);
    let folder = options.out.join("cache");
    let cache = if options.no_cache {
        None
    } else {
        Some(Cache::open(&folder).map_err(|error| Failure::io(name(&folder, ""), &error))?)
    };
    let extent = match (options.full, options.quick) {
        (true, _) => Extent::Full,
        (_, true) => Extent::Quick,
        _ => Extent::Default,
    };
    let cells = experiment::plan(&options.firmware, extent);
    let progress = Shown::new("experiments");
    let mut results = experiment::perform(
        &cells,
        cache.as_ref(),
        threads(options.threads),
        options.commit.as_deref(),
        &progress,
    );
    drop(progress);
    results.created = Some(now());

    for (output, form) in outputs()? {
        output.write(form(&results).as_bytes())?;
    }
    // The table stands alone on standard output, and the report says the rest.
    let all = tables::complete(&results);
    report::print_with(|out| {
        for finding in study::findings(&all) {
            let plain = |text: &str| text.replace(['\u{a0}', '\u{202f}'], " ");
            writeln!(
                out,
                "{}: {} ({})",
                finding.claim.operation, finding.claim.reported, finding.claim.system
            )?;
            writeln!(
                out,
                "  {}. {}. {}\n",
                finding.verdict.name(),
                plain(&finding.measured),
                plain(&finding.reason)
            )?;
        }
        Ok(())
    })?;
    say(format_args!(
        "{} measurements; the report is {}",
        results.measurements.len(),
        name(&options.out.join("report.html"), "")
    ));

    let mut broken: Vec<&str> = Vec::new();
    for problem in results.measurements.iter().filter_map(|m| m.problem.as_ref()) {
        if problem.kind == ProblemKind::Tool && !broken.contains(&problem.sentence.as_str()) {
            broken.push(&problem.sentence);
        }
    }
    if broken.is_empty() {
        return Ok(());
    }
    broken.iter().for_each(say);
    Err(Failure::new(Code::Format, "some experiments could not be run; the report has the others"))
}

/// The time as RFC 3339 has it, in UTC, to the second.
pub fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

/// Year, month and day of a number of days since 1970, by the Gregorian calendar.
fn date(mut days: u64) -> (u64, u64, u64) {
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in lengths {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(date(0), (1970, 1, 1));
        assert_eq!(date(59), (1970, 3, 1));
        assert_eq!(date(789), (1972, 2, 29));
        assert_eq!(date(11_016), (2000, 2, 29));
        assert_eq!(date(20_787), (2026, 11, 30));
        assert_eq!(now().len(), "2026-11-30T00:00:00Z".len());
    }
}
