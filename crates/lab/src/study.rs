//! The study's table, judged by what was measured.
use crate::algorithms::Family;
use crate::published::{Claim, Test, published};
use crate::results::{Measurement, Operation, Platform, Results};
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
/// All of its RAM, the core-coupled memory included, which is not adjacent.
pub const ALL_RAM: f64 = 192.0 * 1024.0;

/// Verification that takes longer than this has collapsed, as far as somebody at the board can tell.
const PATIENCE_MS: f64 = 60_000.0;

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
                && m.stack_bytes.is_some()
        })
        .collect();
    let mut sets: Vec<&str> = evidence.iter().map(|m| m.subject.algorithm.as_str()).collect();
    sets.dedup();
    if sets.is_empty() {
        return missing(claim, "no stack of the reference layout without optimisation");
    }
    let need = |set: &str| {
        let stacks =
            evidence.iter().filter(|m| m.subject.algorithm == set).filter_map(|m| m.stack_bytes.as_ref());
        stacks.map(|figure| figure.worst()).fold(0.0, f64::max)
    };
    let measured = list(sets.iter().map(|set| format!("{set} {}", bytes(need(set)))));
    let above = |limit: f64| sets.iter().filter(|set| need(set) > limit).copied().collect::<Vec<_>>();
    let (over, no_fit) = (above(limit), above(CONTIGUOUS_SRAM));
    let (verdict, first) = if over.is_empty() {
        (
            Verdict::NotReproduced,
            format!("no level needs more than {}, even without optimisation", bytes(limit)),
        )
    } else if over.len() == sets.len() {
        (Verdict::Reproduced, format!("every level needs more than {}", bytes(limit)))
    } else {
        (Verdict::Reproduced, format!("of the levels only {} needs more than {}", list(over), bytes(limit)))
    };
    let second = if no_fit.is_empty() {
        format!("all fit the {} that a stack can have in one piece", bytes(CONTIGUOUS_SRAM))
    } else {
        format!(
            "{} overflow{} the {} that a stack can have in one piece (the other 64 KiB are not adjacent)",
            list(no_fit.iter()),
            if no_fit.len() == 1 { "s" } else { "" },
            bytes(CONTIGUOUS_SRAM)
        )
    };
    Finding {
        claim,
        measured: format!("Largest stack: {measured}"),
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

fn describe(measurement: &Measurement) -> String {
    let subject = &measurement.subject;
    let build = if subject.build == "optimised" { String::new() } else { format!(", {}", subject.build) };
    format!("{} at {:.0} MHz{build}: {}", subject.algorithm, subject.core_mhz, duration(time(measurement)))
}

fn long_runs<'a>(claim: &'a Claim, results: &'a Results, operation: Operation, minutes: f64) -> Finding<'a> {
    let all = sphincs(results, operation);
    let target = minutes * 60_000.0;
    let distance = |m: &Measurement| (time(m) / target).ln().abs();
    let Some(nearest) = all.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b))) else {
        return missing(claim, "no SPHINCS+ on the STM32F407");
    };
    // Both operations are claimed of one configuration: what does the other take where this one takes so long?
    let other = if operation == Operation::Keygen { Operation::Sign } else { Operation::Keygen };
    let partner = sphincs(results, other).into_iter().find(|m| {
        let (a, b) = (&m.subject, &nearest.subject);
        a.algorithm == b.algorithm && a.build == b.build && a.core_mhz == b.core_mhz
    });
    let close = distance(nearest) <= ABOUT.ln();
    let partner_close = partner.is_some_and(|m| distance(m) <= ABOUT.ln());
    let beside =
        partner.map_or(String::new(), |m| format!("; {} then takes {}", other.title(), duration(time(m))));
    let (verdict, reason) = match (close, partner_close) {
        (true, true) => (Verdict::Reproduced, format!("That is within the claim{beside}.")),
        (true, false) => (
            Verdict::NotReproduced,
            format!(
                "A set and build that takes this long exists, but no one configuration takes about {minutes:.0} min for \
                 both{beside}."
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
    let all: Vec<&Measurement> = results
        .measurements
        .iter()
        .filter(|m| {
            on_stm32(m)
                && Family::of(&m.subject.algorithm).name() == family
                && m.subject.operation == operation
        })
        .collect();
    if all.is_empty() {
        return missing(claim, &format!("no {} of {family} on the STM32F407", operation.title()));
    }
    let broken: Vec<&Measurement> = all.iter().copied().filter(|m| m.problem.is_some()).collect();
    let slowest = all.iter().copied().max_by(|a, b| time(a).total_cmp(&time(b)));
    let slow = slowest.is_some_and(|m| time(m) > PATIENCE_MS);
    let measured = slowest.map_or(String::new(), |m| format!("Slowest: {}", describe(m)));
    let (verdict, reason) = if !broken.is_empty() {
        let names = list(broken.iter().map(|m| m.subject.to_string()));
        (Verdict::Reproduced, format!("It fails for {names}."))
    } else if slow {
        (Verdict::Reproduced, format!("It works, but takes more than {} there.", duration(PATIENCE_MS)))
    } else {
        let worst_stack =
            all.iter().filter_map(|m| m.stack_bytes.as_ref()).map(|f| f.worst()).reduce(f64::max);
        let stack =
            worst_stack.map_or(String::new(), |stack| format!(" and {} of stack at most", bytes(stack)));
        (
            Verdict::NotReproduced,
            format!(
                "All {} measured configurations verify what they signed, within that time{stack}.",
                all.len()
            ),
        )
    };
    Finding { claim, measured, verdict, reason, evidence: slowest.into_iter().collect() }
}

fn co_design<'a>(claim: &'a Claim, results: &'a Results, operation: Operation, ms: f64) -> Finding<'a> {
    let all: Vec<&Measurement> = results
        .measurements
        .iter()
        .filter(|m| {
            let subject = &m.subject;
            subject.board == "zedboard"
                && subject.platform == Platform::Virtual
                && subject.engine == "study"
                && subject.operation == operation
                && m.time_ms.is_some()
        })
        .collect();
    let within = |m: &&Measurement| {
        m.time_ms
            .as_ref()
            .is_some_and(|t| t.low.is_some_and(|low| low <= ms) && t.high.is_some_and(|high| ms <= high))
    };
    let distance = |m: &Measurement| (time(m) / ms).ln().abs();
    let Some(nearest) = all.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b))) else {
        return missing(claim, "no run of the study's design on the virtual ZedBoard");
    };
    let fitting: Vec<&Measurement> = all.iter().copied().filter(within).collect();
    let band = nearest.time_ms.as_ref().and_then(|t| Some((t.low?, t.high?)));
    let band =
        band.map_or(String::new(), |(low, high)| format!(" ({} to {})", duration(low), duration(high)));
    let measured = format!("Nearest: {}, {}{band}", nearest.subject.algorithm, duration(time(nearest)));
    if fitting.is_empty() {
        let reason = "No level has the reported time within the model's band.".into();
        return Finding { claim, measured, verdict: Verdict::NotReproduced, reason, evidence: vec![nearest] };
    }
    let mut sets: Vec<&str> = fitting.iter().map(|m| m.subject.algorithm.as_str()).collect();
    sets.dedup();
    let names = list(sets);
    let reason = format!("The reported time lies within the model's band for {names}.");
    Finding { claim, measured, verdict: Verdict::Reproduced, reason, evidence: fitting }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn outcome(results: &Results, id: &str) -> (Verdict, String) {
        let finding = findings(results).into_iter().find(|f| f.claim.id == id).unwrap();
        (
            finding.verdict,
            format!("{}. {}", finding.measured, finding.reason).replace(['\u{a0}', '\u{202f}'], " "),
        )
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
        assert!(text.contains("within the model's band for ML-DSA-44"), "{text}");
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
}
