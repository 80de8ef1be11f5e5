//! The study's table, judged by what was measured.
use crate::algorithms::Family;
use crate::published::{Claim, Test, published};
use crate::results::{Figure, Measurement, Operation, Platform, ProblemKind, Results, Status, Subject};
use crate::tables::{self, Group};
use crate::text::{bytes, duration, list};

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was found again.
    Reproduced,
    /// It was looked for and not found.
    NotReproduced,
    /// It cannot be said, with these results or at all.
    NotDeterminable,
}

impl Verdict {
    /// The words for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::NotReproduced => "not reproduced",
            Self::NotDeterminable => "not determinable",
        }
    }
}

/// A row of the study's table with what became of it.
#[derive(Debug)]
pub struct Finding<'a> {
    /// What the study reports.
    pub claim: &'a Claim,
    /// What was measured with the nearest configuration, in a sentence.
    pub measured: String,
    /// The outcome.
    pub verdict: Verdict,
    /// Why, in a sentence or two.
    pub reason: String,
    /// Measurements that the finding rests on.
    pub evidence: Vec<&'a Measurement>,
}

/// "About 10 min" is taken as this much to either side, as a factor: 8 to 12.5 minutes.
const ABOUT: f64 = 1.25;

/// SRAM of the STM32F407 that a stack can have in one piece: SRAM1 and SRAM2.
pub const CONTIGUOUS_SRAM: f64 = 128.0 * 1024.0;

/// Verification that takes longer than this has collapsed, as far as somebody at the board can tell.
const PATIENCE_MS: f64 = 20_000.0;

/// Signatures that a mean signing time is made of at least: attempts vary between one and dozens.
pub const ENOUGH: u64 = 20;

/// Judges every claim.
pub fn findings(results: &Results) -> Vec<Finding<'_>> {
    published().study.claims.iter().map(|claim| judge(claim, results)).collect()
}

fn judge<'a>(claim: &'a Claim, results: &'a Results) -> Finding<'a> {
    match &claim.test {
        Test::Stack { family, bytes } => stack(claim, results, family, *bytes as f64),
        Test::Minutes { operation, minutes } => long_runs(claim, results, *operation, *minutes),
        Test::Works { family, operation } => works(claim, results, family, *operation),
        Test::CoDesign { operation, ms } => co_design(claim, results, *operation, *ms),
    }
}

fn missing<'a>(claim: &'a Claim, what: &str) -> Finding<'a> {
    Finding {
        claim,
        measured: "not measured".into(),
        verdict: Verdict::NotDeterminable,
        reason: format!("These results have {what}."),
        evidence: Vec::new(),
    }
}

/// This project's code on the virtual STM32F407.
fn on_stm32(measurement: &Measurement) -> bool {
    let subject = &measurement.subject;
    subject.implementation == "pqsoc" && subject.board == "stm32f407" && subject.platform == Platform::Virtual
}

fn stack<'a>(claim: &'a Claim, results: &'a Results, family: &str, limit: f64) -> Finding<'a> {
    let evidence: Vec<&Measurement> = results
        .measurements
        .iter()
        .filter(|m| {
            let subject = &m.subject;
            on_stm32(m)
                && Family::of(&subject.algorithm).name() == family
                && subject.build == "unoptimised"
                && subject.operation != Operation::Kernel
        })
        .collect();
    // What its operations need; of one that overflowed it may not be known.
    let needs = |set: &str| -> Vec<f64> {
        let of = evidence.iter().filter(|m| m.subject.algorithm == set);
        of.filter_map(|m| m.stack_bytes.as_ref()).map(Figure::worst).collect()
    };
    let mut sets: Vec<&str> = evidence.iter().map(|m| m.subject.algorithm.as_str()).collect();
    sets.dedup();
    let (known, unknown): (Vec<&str>, Vec<&str>) =
        sets.iter().copied().partition(|set| needs(set).len() == Operation::ALL.len());
    if sets.iter().all(|set| needs(set).is_empty()) {
        return missing(claim, "no stack of the reference layout without optimisation");
    }
    let largest = |set: &str| needs(set).into_iter().fold(0.0, f64::max);
    let overflows = |set: &str| {
        let of = evidence.iter().filter(|m| m.subject.algorithm == set);
        of.filter_map(|m| m.problem.as_ref()).any(|problem| problem.kind == ProblemKind::StackOverflow)
    };
    let over: Vec<&str> = sets.iter().copied().filter(|set| largest(set) > limit).collect();
    let no_fit: Vec<&str> =
        sets.iter().copied().filter(|set| largest(set) > CONTIGUOUS_SRAM || overflows(set)).collect();
    let (verdict, first) = if over.len() == sets.len() {
        (Verdict::Reproduced, format!("every level needs more than {}", bytes(limit)))
    } else if !over.is_empty() {
        (Verdict::Reproduced, format!("of the levels only {} needs more than {}", list(over), bytes(limit)))
    } else if !unknown.is_empty() {
        (Verdict::NotDeterminable, format!("not every stack is known of {}", list(&unknown)))
    } else {
        let text = format!("no level needs more than {}, even without optimisation", bytes(limit));
        (Verdict::NotReproduced, text)
    };
    let room = format!("the {} that a stack can have in one piece", bytes(CONTIGUOUS_SRAM));
    let second = if !no_fit.is_empty() {
        let s = if no_fit.len() == 1 { "s" } else { "" };
        format!("{} overflow{s} {room} (the other 64 KiB are not adjacent)", list(no_fit))
    } else if unknown.is_empty() {
        format!("all fit {room}")
    } else if known.is_empty() {
        format!("so it is not known what fits {room}")
    } else {
        format!("{} fit {room}", list(known))
    };
    let measured = sets.iter().filter(|set| !needs(set).is_empty());
    let measured = list(measured.map(|set| format!("{set} {}", bytes(largest(set)))));
    Finding {
        claim,
        measured: format!("Largest stack ({}): {measured}", Status::Exact.name()),
        verdict,
        reason: sentence(&first, &second),
        evidence,
    }
}

fn sentence(first: &str, second: &str) -> String {
    let mut letters = first.chars();
    let start: String = letters.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    format!("{start}{}; {second}.", letters.as_str())
}

/// Times of SPHINCS+ on the STM32, in the builds that somebody without experience makes.
fn sphincs(results: &Results, operation: Operation) -> Vec<&Measurement> {
    results
        .measurements
        .iter()
        .filter(|m| {
            on_stm32(m)
                && Family::of(&m.subject.algorithm) == Family::SphincsPlus
                && m.subject.operation == operation
                && m.time_ms.is_some()
        })
        .collect()
}

fn time(measurement: &Measurement) -> f64 {
    measurement.time_ms.as_ref().map_or(0.0, |figure| figure.mean)
}

/// The status of a measurement's time as a word.
fn status(measurement: &Measurement) -> &'static str {
    measurement.time_ms.as_ref().map_or("", |figure| figure.status.name())
}

fn describe(measurement: &Measurement) -> String {
    let subject = &measurement.subject;
    let build = if subject.build == "optimised" { String::new() } else { format!(", {}", subject.build) };
    let time = duration(time(measurement));
    format!("{} at {:.0} MHz{build}: {time} ({})", subject.algorithm, subject.core_mhz, status(measurement))
}

fn long_runs<'a>(claim: &'a Claim, results: &'a Results, operation: Operation, minutes: f64) -> Finding<'a> {
    let all = sphincs(results, operation);
    let target = minutes * 60_000.0;
    let distance = |m: &Measurement| (time(m) / target).ln().abs();
    let is_close = |m: &Measurement| distance(m) <= ABOUT.ln();
    // Both operations are claimed of one configuration: what does the other take where this one takes so long?
    let other = if operation == Operation::Keygen { Operation::Sign } else { Operation::Keygen };
    let others = sphincs(results, other);
    let partner = |m: &Measurement| {
        let same = |a: &Subject, b: &Subject| {
            a.algorithm == b.algorithm && a.build == b.build && a.core_mhz == b.core_mhz
        };
        others.iter().copied().find(|other| same(&other.subject, &m.subject))
    };
    let both = all.iter().copied().find(|m| is_close(m) && partner(m).is_some_and(is_close));
    let nearest = || all.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    let Some(nearest) = both.or_else(nearest) else {
        return missing(claim, "no SPHINCS+ on the STM32F407");
    };
    let partner = partner(nearest);
    let beside = partner.map_or(String::new(), |m| {
        format!("; {} then takes {} ({})", other.title(), duration(time(m)), status(m))
    });
    let (verdict, reason) = match (is_close(nearest), partner.map(is_close)) {
        (true, Some(true)) => (Verdict::Reproduced, format!("That is within the claim{beside}.")),
        (true, Some(false)) => (
            Verdict::NotReproduced,
            format!(
                "A set and build that takes this long exists, but no one configuration takes about {minutes:.0} min for \
                 both{beside}."
            ),
        ),
        (true, None) => (
            Verdict::NotDeterminable,
            format!(
                "That is within the claim, but these results do not say what {} then takes.",
                other.title()
            ),
        ),
        (false, _) => (
            Verdict::NotReproduced,
            format!("No set and build measured comes near {minutes:.0} min{beside}."),
        ),
    };
    let evidence = [Some(nearest), partner].into_iter().flatten().collect();
    Finding { claim, measured: format!("Nearest: {}", describe(nearest)), verdict, reason, evidence }
}

fn works<'a>(claim: &'a Claim, results: &'a Results, family: &str, operation: Operation) -> Finding<'a> {
    // What a missing or broken tool kept from running says nothing about the code.
    let ran = |m: &&Measurement| m.problem.as_ref().is_none_or(|problem| problem.kind != ProblemKind::Tool);
    let all: Vec<&Measurement> = results
        .measurements
        .iter()
        .filter(|m| {
            on_stm32(m)
                && Family::of(&m.subject.algorithm).name() == family
                && m.subject.operation == operation
        })
        .filter(ran)
        .collect();
    let Some(slowest) = all.iter().copied().max_by(|a, b| time(a).total_cmp(&time(b))) else {
        return missing(claim, &format!("no {} of {family} on the STM32F407", operation.title()));
    };
    let broken: Vec<&Measurement> = all.iter().copied().filter(|m| m.problem.is_some()).collect();
    let measured = format!("Slowest: {}", describe(slowest));
    let (verdict, reason) = if !broken.is_empty() {
        let names = list(broken.iter().map(|m| m.subject.to_string()));
        (Verdict::Reproduced, format!("It fails for {names}."))
    } else if time(slowest) > PATIENCE_MS {
        (Verdict::Reproduced, format!("It works, but takes more than {} there.", duration(PATIENCE_MS)))
    } else {
        let worst_stack = all.iter().filter_map(|m| m.stack_bytes.as_ref()).map(Figure::worst);
        let stack = worst_stack
            .reduce(f64::max)
            .map_or(String::new(), |stack| format!(" and {} of stack at most (exact)", bytes(stack)));
        let text = match all.len() {
            1 => "The one configuration measured verifies what it signed".to_string(),
            n => format!("All {n} configurations measured verify what they signed"),
        };
        (Verdict::NotReproduced, format!("{text}, within that time{stack}."))
    };
    Finding { claim, measured, verdict, reason, evidence: vec![slowest] }
}

/// The study's design on the virtual ZedBoard: one set at one clock.
struct Configuration<'a> {
    /// Key generation, signing, verification, as far as their times are known.
    operations: [Option<&'a Measurement>; 3],
}

impl<'a> Configuration<'a> {
    fn get(&self, operation: Operation) -> Option<&'a Measurement> {
        self.operations.into_iter().flatten().find(|m| m.subject.operation == operation)
    }

    /// Whether every operation takes the time that the study reports, within the model's band. `None` if that is open:
    /// a time is missing or its mean is of too few signatures.
    fn fits_all(&self, claims: &[(Operation, f64)]) -> Option<bool> {
        let fits = |&(operation, ms): &(Operation, f64)| {
            let measurement = self.get(operation).filter(|m| is_settled(m))?;
            Some(is_within_band(measurement, ms))
        };
        let fits: Vec<Option<bool>> = claims.iter().map(fits).collect();
        if fits.contains(&Some(false)) {
            return Some(false);
        }
        fits.iter().all(Option::is_some).then_some(true)
    }
}

/// `Dilithium2 at PL 150 MHz`.
fn name(measurement: &Measurement) -> String {
    let subject = &measurement.subject;
    let clock = subject.pl_mhz.map_or(String::new(), |mhz| format!(" at PL {mhz:.0} MHz"));
    format!("{}{clock}", subject.algorithm)
}

/// The reported time is one that silicon may take, as far as the model can tell.
fn is_within_band(measurement: &Measurement, ms: f64) -> bool {
    let time = measurement.time_ms.as_ref();
    time.is_some_and(|t| t.low.is_some_and(|low| low <= ms) && t.high.is_some_and(|high| ms <= high))
}

/// The mean is one of enough runs: signing varies from message to message.
fn is_settled(measurement: &Measurement) -> bool {
    measurement.subject.operation != Operation::Sign
        || measurement.time_ms.as_ref().is_some_and(|time| time.runs >= ENOUGH)
}

/// Every configuration of the study's design that was measured.
fn configurations(results: &Results) -> Vec<Configuration<'_>> {
    let is_study = |group: &Group| {
        let subject = &results.measurements[group.first].subject;
        subject.implementation == "pqsoc"
            && subject.board == "zedboard"
            && subject.platform == Platform::Virtual
            && subject.engine == "study"
    };
    let timed = |i: usize| Some(&results.measurements[i]).filter(|m| m.time_ms.is_some());
    let groups = tables::groups(results).into_iter().filter(is_study);
    groups.map(|group| Configuration { operations: group.operations.map(|i| timed(i?)) }).collect()
}

fn co_design<'a>(claim: &'a Claim, results: &'a Results, operation: Operation, ms: f64) -> Finding<'a> {
    let claims: Vec<(Operation, f64)> = published()
        .study
        .claims
        .iter()
        .filter_map(|claim| match claim.test {
            Test::CoDesign { operation, ms } => Some((operation, ms)),
            _ => None,
        })
        .collect();
    let configurations = configurations(results);
    let with: Vec<(&Configuration<'_>, &Measurement)> =
        configurations.iter().filter_map(|c| Some((c, c.get(operation)?))).collect();
    let within: Vec<_> =
        with.iter().copied().filter(|(_, m)| is_settled(m) && is_within_band(m, ms)).collect();
    let fitting: Vec<_> = within.iter().copied().filter(|(c, _)| c.fits_all(&claims) == Some(true)).collect();
    let names = |all: &[(&Configuration<'_>, &Measurement)]| list(all.iter().map(|(_, m)| name(m)));
    let distance = |m: &Measurement| (time(m) / ms).ln().abs();
    let nearest = |all: &mut dyn Iterator<Item = &'a Measurement>| {
        all.min_by(|a, b| distance(a).total_cmp(&distance(b)))
    };
    let shown = nearest(&mut fitting.iter().map(|(_, m)| *m));
    let Some(shown) = shown.or_else(|| nearest(&mut with.iter().map(|(_, m)| *m))) else {
        return missing(claim, "no run of the study's design on the virtual ZedBoard");
    };
    let band = shown.time_ms.as_ref().and_then(|t| Some((t.low?, t.high?)));
    let band = band.map_or(String::new(), |(low, high)| format!(", {} to {}", duration(low), duration(high)));
    let measured = format!("Nearest: {}: {} ({}{band})", name(shown), duration(time(shown)), status(shown));
    let is_open = |c: &Configuration<'_>| c.fits_all(&claims).is_none();
    let (verdict, reason) = if !fitting.is_empty() {
        let text = format!("All three reported times lie within the model's band for {}.", names(&fitting));
        (Verdict::Reproduced, text)
    } else if with.iter().all(|(_, m)| !is_settled(m)) {
        let most = with.iter().filter_map(|(_, m)| m.time_ms.as_ref()).map(|time| time.runs).max();
        let text = format!(
            "Signing takes a varying number of attempts: a mean needs {ENOUGH} signatures, and these results have {} at most.",
            most.unwrap_or(0)
        );
        (Verdict::NotDeterminable, text)
    } else if within.is_empty() {
        (Verdict::NotReproduced, "No level has the reported time within the model's band.".into())
    } else if let Some((_, m)) = within.iter().find(|(c, _)| is_open(c)) {
        let text = format!(
            "The time lies within the model's band for {}, but whether the other two do is open: it takes a time for each, that \
             for signing of {ENOUGH} signatures.",
            name(m)
        );
        (Verdict::NotDeterminable, text)
    } else {
        let text = format!(
            "The time alone lies within the model's band for {}, but no one configuration has all three there.",
            names(&within)
        );
        (Verdict::NotReproduced, text)
    };
    let rest = within.iter().map(|(_, m)| *m).filter(|m| !std::ptr::eq(*m, shown));
    let evidence = std::iter::once(shown).chain(rest).collect();
    Finding { claim, measured, verdict, reason, evidence }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Problem;
    use crate::sample;
    use crate::text::ascii_spaces;

    fn outcome(results: &Results, id: &str) -> (Verdict, String) {
        let finding = findings(results).into_iter().find(|f| f.claim.id == id).unwrap();
        (finding.verdict, ascii_spaces(&format!("{}. {}", finding.measured, finding.reason)))
    }

    #[test]
    fn claims_are_judged_by_what_was_measured() {
        let results = sample::results();
        let (verdict, text) = outcome(&results, "dilithium-stack");
        assert_eq!(verdict, Verdict::NotReproduced);
        assert!(
            text.contains("Dilithium5 166 KiB") && text.contains("No level needs more than 192 KiB"),
            "{text}"
        );
        assert!(text.contains("Dilithium5 overflows the 128 KiB"), "{text}");
        let (verdict, text) = outcome(&results, "sphincs-sign");
        assert_eq!(verdict, Verdict::NotReproduced);
        assert!(text.contains("SPHINCS+-SHA2-128s-simple at 168 MHz, unoptimised: 9.92 min"), "{text}");
        assert!(text.contains("key generation then takes 83.3 s"), "{text}");
        let (verdict, text) = outcome(&results, "sphincs-verify");
        assert_eq!(verdict, Verdict::NotReproduced, "{text}");
        let (verdict, text) = outcome(&results, "zynq-sign");
        assert_eq!(verdict, Verdict::Reproduced);
        assert!(
            text.contains("All three reported times lie within the model's band for ML-DSA-44 at PL 100 MHz"),
            "{text}"
        );
        assert!(text.contains("(estimated, "), "{text}");
    }

    #[test]
    fn without_measurements_nothing_is_determined() {
        assert!(findings(&Results::new()).iter().all(|f| f.verdict == Verdict::NotDeterminable));
        // The published figures are not measurements of ours.
        let published = crate::tables::complete(&Results::new());
        assert!(findings(&published).iter().all(|f| f.verdict == Verdict::NotDeterminable));
    }

    #[test]
    fn each_way_a_verdict_can_go() {
        let mut results = sample::results();
        for m in &mut results.measurements {
            if m.subject.algorithm.starts_with("Dilithium") {
                m.stack_bytes.as_mut().unwrap().mean = 200.0 * 1024.0;
            }
            if let (Family::SphincsPlus, Some(time)) = (Family::of(&m.subject.algorithm), m.time_ms.as_mut())
            {
                time.mean = 590_000.0;
            }
            if m.subject.engine == "study" {
                m.time_ms.as_mut().unwrap().low = Some(100.0);
            }
        }
        assert_eq!(outcome(&results, "dilithium-stack").0, Verdict::Reproduced);
        assert_eq!(outcome(&results, "sphincs-keygen").0, Verdict::Reproduced);
        assert_eq!(outcome(&results, "sphincs-verify").0, Verdict::Reproduced);
        assert_eq!(outcome(&results, "zynq-keygen").0, Verdict::NotReproduced);
    }

    fn measurement<'a>(
        results: &'a mut Results,
        algorithm: &str,
        operation: Operation,
    ) -> &'a mut Measurement {
        let found = results.measurements.iter_mut().find(|m| {
            m.subject.algorithm == algorithm
                && m.subject.operation == operation
                && m.subject.build == "unoptimised"
        });
        found.unwrap()
    }

    fn problem(kind: ProblemKind) -> Option<Problem> {
        Some(Problem { kind, sentence: "it went wrong".into() })
    }

    /// Of a stack that overflowed or was not measured nobody can say that it fits.
    #[test]
    fn an_unknown_stack_does_not_fit() {
        let mut results = sample::results();
        // As deep as there is room for, and not deep enough for what calls it.
        for operation in Operation::ALL {
            let dilithium5 = measurement(&mut results, "Dilithium5", operation);
            dilithium5.stack_bytes = Some(Figure::constant(Status::Exact, 130_000.0));
            dilithium5.problem = None;
        }
        let (verdict, text) = outcome(&results, "dilithium-stack");
        assert_eq!(verdict, Verdict::NotReproduced);
        assert!(text.contains("all fit the 128 KiB"), "{text}");
        measurement(&mut results, "Dilithium5", Operation::Sign).problem =
            problem(ProblemKind::StackOverflow);
        let (verdict, text) = outcome(&results, "dilithium-stack");
        assert_eq!(verdict, Verdict::NotReproduced);
        assert!(text.contains("Dilithium5 overflows the 128 KiB"), "{text}");
        // It overflows, but by how much is not known.
        measurement(&mut results, "Dilithium5", Operation::Sign).stack_bytes = None;
        let (verdict, text) = outcome(&results, "dilithium-stack");
        assert_eq!(verdict, Verdict::NotDeterminable);
        assert!(text.contains("Not every stack is known of Dilithium5; Dilithium5 overflows"), "{text}");
        // A tool is broken: nothing is known at all.
        measurement(&mut results, "Dilithium5", Operation::Sign).problem = problem(ProblemKind::Tool);
        let (verdict, text) = outcome(&results, "dilithium-stack");
        assert_eq!(verdict, Verdict::NotDeterminable);
        assert!(
            text.contains("Not every stack is known of Dilithium5; Dilithium2 and Dilithium3 fit"),
            "{text}"
        );
        results.measurements.retain(|m| m.subject.operation != Operation::Sign);
        let (verdict, text) = outcome(&results, "dilithium-stack");
        assert_eq!(verdict, Verdict::NotDeterminable);
        assert!(text.contains("so it is not known what fits"), "{text}");
    }

    /// A broken tool is not a verification that collapses.
    #[test]
    fn a_broken_tool_says_nothing_about_verification() {
        let mut results = sample::results();
        let verify = |results: &mut Results, kind| {
            results
                .measurements
                .iter_mut()
                .filter(|m| Family::of(&m.subject.algorithm) == Family::SphincsPlus)
                .filter(|m| m.subject.operation == Operation::Verify)
                .for_each(|m| m.problem = problem(kind));
        };
        verify(&mut results, ProblemKind::Tool);
        assert_eq!(outcome(&results, "sphincs-verify").0, Verdict::NotDeterminable);
        verify(&mut results, ProblemKind::Failed);
        let (verdict, text) = outcome(&results, "sphincs-verify");
        assert!(verdict == Verdict::Reproduced && text.contains("It fails for"), "{text}");
    }

    /// Both long runs are claimed of one configuration.
    #[test]
    fn ten_minutes_for_both_or_not_at_all() {
        let mut results = sample::results();
        let set = "SPHINCS+-SHA2-128s-simple";
        measurement(&mut results, set, Operation::Keygen).time_ms = None;
        let (verdict, text) = outcome(&results, "sphincs-sign");
        assert_eq!(verdict, Verdict::NotDeterminable, "{text}");
        // The nearest one does not have both, another one does.
        let mut second = results.clone();
        second.measurements.retain(|m| m.subject.algorithm == set);
        for m in &mut second.measurements {
            m.subject.algorithm = "SPHINCS+-SHAKE-128s-simple".into();
            m.time_ms = Some(Figure::constant(Status::Derived, 580_000.0));
        }
        results.merge(second);
        let (verdict, text) = outcome(&results, "sphincs-sign");
        assert_eq!(verdict, Verdict::Reproduced, "{text}");
        assert!(text.contains("SHAKE-128s") && text.contains("(derived)"), "{text}");
    }

    /// The study's design, measured in its three operations, whose estimates are these, in ms, with a band of a fifth.
    fn designs(configurations: &[(&str, [f64; 3], u64)]) -> Results {
        let mut results = sample::results();
        let of = |m: &&Measurement| m.subject.engine == "study";
        let like = results.measurements.iter().find(of).unwrap().clone();
        results.measurements.clear();
        for (algorithm, times, runs) in configurations {
            for (operation, ms) in Operation::ALL.into_iter().zip(times) {
                let mut m = like.clone();
                m.subject.algorithm = (*algorithm).into();
                m.subject.operation = operation;
                let figure = Figure::constant(Status::Estimated, *ms).with_band(0.2, 0.2);
                m.time_ms = Some(Figure { runs: *runs, ..figure });
                results.measurements.push(m);
            }
        }
        results
    }

    const CLAIMS: [&str; 3] = ["zynq-keygen", "zynq-sign", "zynq-verify"];

    #[test]
    fn one_configuration_has_to_fit_all_three_times() {
        let good = [1.1, 6.0, 1.2];
        let results = designs(&[("Dilithium2", good, ENOUGH), ("Dilithium3", [9.0; 3], ENOUGH)]);
        for id in CLAIMS {
            let (verdict, text) = outcome(&results, id);
            assert_eq!(verdict, Verdict::Reproduced, "{text}");
            assert!(text.contains("band for Dilithium2 at PL 100 MHz."), "{text}");
        }
        // Each time is found, but never all of them in one place.
        let results =
            designs(&[("Dilithium2", [1.1, 3.0, 1.2], ENOUGH), ("Dilithium3", [2.0, 6.0, 2.0], ENOUGH)]);
        for (id, set) in CLAIMS.into_iter().zip(["Dilithium2", "Dilithium3", "Dilithium2"]) {
            let (verdict, text) = outcome(&results, id);
            assert_eq!(verdict, Verdict::NotReproduced, "{text}");
            assert!(
                text.contains(&format!("alone lies within the model's band for {set} at PL 100 MHz")),
                "{text}"
            );
        }
        let results = designs(&[("Dilithium2", [9.0; 3], ENOUGH)]);
        assert!(CLAIMS.iter().all(|id| outcome(&results, id).0 == Verdict::NotReproduced));
    }

    #[test]
    fn a_mean_signing_time_needs_enough_signatures() {
        let results = designs(&[("Dilithium2", [1.1, 6.0, 1.2], ENOUGH - 1)]);
        for id in CLAIMS {
            let (verdict, text) = outcome(&results, id);
            assert_eq!(verdict, Verdict::NotDeterminable, "{text}");
            assert!(text.contains("20 signatures"), "{text}");
        }
        // What does not fit by its other times is out whatever signing takes.
        let results = designs(&[("Dilithium2", [1.1, 6.0, 9.0], 1)]);
        assert_eq!(outcome(&results, "zynq-keygen").0, Verdict::NotReproduced);
    }
}
