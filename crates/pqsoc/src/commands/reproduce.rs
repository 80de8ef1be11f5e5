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
    study, tables, text,
};
use std::{fs, sync::Mutex, time::SystemTime};

/// A file's name, and how it is made of the results.
type Form = (&'static str, fn(&Results) -> String);

/// Progress of experiments on the terminal: of what is left to do, so that the time left is that of new work.
pub struct Shown {
    /// The bar, what is done and what is to be done, in expected cycles.
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
        if known > 0 {
            let percent = u128::from(known) * 100 / u128::from(total);
            say(format_args!("{percent} % of the work is known from before"));
        }
        if let Ok(mut state) = self.state.lock() {
            (state.1, state.2) = (0, total - known);
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
    // What cannot be written is found now, and not after all has been measured.
    for (file, _) in &forms {
        drop(Output::create(&options.out.join(file), Access::Public, true)?);
    }
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

    // One file that cannot be written leaves the others alone.
    let written = forms.iter().map(|(file, form)| {
        let output = Output::create(&options.out.join(file), Access::Public, true)?;
        output.write(form(&results).as_bytes())
    });
    let unwritten: Vec<Failure> = written.filter_map(Result::err).collect();
    // The table stands alone on standard output, and the report says the rest.
    let all = tables::complete(&results);
    report::print_with(|out| {
        for finding in study::findings(&all) {
            writeln!(
                out,
                "{}: {} ({})",
                finding.claim.operation, finding.claim.reported, finding.claim.system
            )?;
            writeln!(
                out,
                "  {}. {}. {}\n",
                finding.verdict.name(),
                text::ascii_spaces(&finding.measured),
                text::ascii_spaces(&finding.reason)
            )?;
        }
        Ok(())
    })?;
    for failure in &unwritten {
        failure.sentence.iter().for_each(say);
    }
    if !unwritten.is_empty() {
        return Err(Failure::new(Code::Format, "not all files could be written"));
    }
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
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}
