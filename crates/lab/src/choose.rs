//! Which scheme, set and profile fits a device.
use crate::algorithms::{self, Family};
use crate::results::{Figure, Measurement, Operation, Quantity, Results, Status};
use crate::text;

/// What the device has, and what it may take. `None` is no limit.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Bytes for stack and variables.
    pub ram: Option<f64>,
    /// Bytes for code and constants.
    pub flash: Option<f64>,
    /// Milliseconds for key generation.
    pub keygen_ms: Option<f64>,
    /// Milliseconds for a signature.
    pub sign_ms: Option<f64>,
    /// Milliseconds for verification.
    pub verify_ms: Option<f64>,
    /// Bytes of a public key.
    pub public_key: Option<f64>,
    /// Bytes of a signature.
    pub signature: Option<f64>,
    /// Security category at least (1, 2, 3 or 5).
    pub category: Option<u8>,
}

impl Limits {
    /// The operations that the device does: those with a limit, or all if none has one.
    pub fn operations(&self) -> Vec<Operation> {
        let limited: Vec<_> = [
            (Operation::Keygen, self.keygen_ms),
            (Operation::Sign, self.sign_ms),
            (Operation::Verify, self.verify_ms),
        ]
        .into_iter()
        .filter_map(|(operation, limit)| limit.map(|_| operation))
        .collect();
        if limited.is_empty() { Operation::ALL.to_vec() } else { limited }
    }
}

/// One figure against its limit.
#[derive(Clone, Debug)]
pub struct Check {
    /// What is limited: `verification`, `RAM`.
    pub what: String,
    /// The figure as text; `not measured` where there is none.
    pub value: String,
    /// The limit as text.
    pub limit: String,
    /// Figure by limit; above 1 it does not fit.
    pub ratio: f64,
    /// How far the figure can be trusted; none for what a standard fixes, or where there is no figure.
    pub status: Option<Status>,
}

/// A scheme, set, profile and place, and how it does.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The set.
    pub algorithm: String,
    /// Implementation and profile.
    pub code: String,
    /// Board and clock.
    pub place: String,
    /// Every limit that was given, the tightest first.
    pub checks: Vec<Check>,
}

impl Candidate {
    /// It keeps every limit.
    pub fn fits(&self) -> bool {
        self.checks.iter().all(|check| check.ratio <= 1.0)
    }

    /// What it needs of what it may take: the geometric mean over the limits.
    pub fn load(&self) -> f64 {
        let logs: f64 = self.checks.iter().map(|check| check.ratio.max(1e-9).ln()).sum();
        (logs / self.checks.len().max(1) as f64).exp()
    }
}

/// The security category of a set, as its standard has it; `None` for what is not post-quantum or not known.
pub fn category(algorithm: &str) -> Option<u8> {
    let ends = |name: &str| algorithm.ends_with(name);
    match Family::of(algorithm) {
        Family::MlDsa | Family::Dilithium => match () {
            () if ends("44") || ends("2") => Some(2),
            () if ends("65") || ends("3") => Some(3),
            () if ends("87") || ends("5") => Some(5),
            () => None,
        },
        Family::SlhDsa | Family::SphincsPlus => [("-128", 1), ("-192", 3), ("-256", 5)]
            .iter()
            .find(|(n, _)| algorithm.contains(n))
            .map(|(_, c)| *c),
        Family::Classical | Family::Other => None,
    }
}

/// A value and how far it can be trusted.
#[derive(Clone, Copy)]
struct Found {
    value: f64,
    status: Option<Status>,
}

impl Found {
    fn of(figure: &Figure, value: f64) -> Self {
        Self { value, status: Some(figure.status) }
    }

    /// The larger one, no surer than the less sure of both.
    fn larger(self, other: Self) -> Self {
        Self { value: self.value.max(other.value), status: self.status.max(other.status) }
    }
}

/// What nearly every run keeps to: the 99th percentile, where there is one.
fn bound(figure: &Figure) -> f64 {
    figure.p99.or(figure.max).unwrap_or(figure.mean)
}

/// Every candidate measured on `board` at `core_mhz`: those that fit first, the one with most room left at the top;
/// then the others, the one that misses by least first.
pub fn choose(results: &Results, board: &str, core_mhz: f64, limits: &Limits) -> Vec<Candidate> {
    let mut groups: Vec<(&Measurement, Vec<&Measurement>)> = Vec::new();
    for m in &results.measurements {
        if m.subject.board != board
            || m.subject.core_mhz != core_mhz
            || m.subject.operation == Operation::Kernel
        {
            continue;
        }
        let same = |other: &Measurement| {
            let (a, b) = (&other.subject, &m.subject);
            a.algorithm == b.algorithm && a.code() == b.code() && a.place() == b.place()
        };
        match groups.iter_mut().find(|(first, _)| same(first)) {
            Some((_, group)) => group.push(m),
            None => groups.push((m, vec![m])),
        }
    }
    let mut candidates: Vec<Candidate> =
        groups.into_iter().map(|(first, group)| candidate(first, &group, limits)).collect();
    candidates.sort_by(|a, b| {
        let rank = |c: &Candidate| if c.fits() { (0, c.load()) } else { (1, c.checks[0].ratio) };
        let (a, b) = (rank(a), rank(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    candidates
}

fn candidate(first: &Measurement, group: &[&Measurement], limits: &Limits) -> Candidate {
    let subject = &first.subject;
    let of = |operation, quantity| {
        let measurement = group.iter().find(|m| m.subject.operation == operation)?;
        measurement.problem.is_none().then(|| measurement.get(quantity)).flatten()
    };
    let operations = limits.operations();
    let mut checks = Vec::new();
    let mut check = |what: &str, found: Option<Found>, limit: Option<f64>, show: fn(f64) -> String| {
        if let Some(limit) = limit {
            checks.push(Check {
                what: what.into(),
                value: found.map_or_else(|| "not measured".into(), |found| show(found.value)),
                limit: show(limit),
                ratio: found.map_or(f64::INFINITY, |found| found.value / limit),
                status: found.and_then(|found| found.status),
            });
        }
    };
    // A device runs one operation at a time, so it needs as much as the largest.
    let largest = |quantity| {
        operations
            .iter()
            .map(|&o| of(o, quantity).map(|figure| Found::of(figure, figure.worst())))
            .reduce(|a, b| Some(a?.larger(b?)))
            .flatten()
    };
    let data = group.iter().filter_map(|m| m.data_bytes.as_ref()).map(Figure::worst).reduce(f64::max);
    let ram = largest(Quantity::StackBytes)
        .map(|stack| Found { value: stack.value + data.unwrap_or(0.0), ..stack });
    check("RAM", ram, limits.ram, text::bytes);
    check("flash", largest(Quantity::CodeBytes), limits.flash, text::bytes);
    for (operation, limit) in [
        (Operation::Keygen, limits.keygen_ms),
        (Operation::Sign, limits.sign_ms),
        (Operation::Verify, limits.verify_ms),
    ] {
        let time = of(operation, Quantity::TimeMs).map(|figure| Found::of(figure, bound(figure)));
        check(operation.title(), time, limit, text::duration);
    }
    let sizes = algorithms::sizes(&subject.algorithm);
    let fixed = |bytes: usize| Found { value: bytes as f64, status: None };
    check("public key", sizes.map(|s| fixed(s.public_key)), limits.public_key, text::bytes);
    check("signature", sizes.map(|s| fixed(s.signature)), limits.signature, text::bytes);
    if let Some(least) = limits.category {
        let found = category(&subject.algorithm);
        checks.push(Check {
            what: "security category".into(),
            value: found.map_or_else(|| "none".into(), |c| c.to_string()),
            limit: format!("at least {least}"),
            // Either it is or it is not: it says nothing about how much room is left.
            ratio: if found.is_some_and(|c| c >= least) { 1.0 } else { f64::INFINITY },
            status: None,
        });
    }
    checks.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
    Candidate { algorithm: subject.algorithm.clone(), code: subject.code(), place: subject.place(), checks }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn says_what_rules_a_set_out() {
        let results = sample::results();
        let limits = Limits { ram: Some(16_384.0), verify_ms: Some(50.0), ..Limits::default() };
        assert_eq!(limits.operations(), [Operation::Verify]);
        let all = choose(&results, "stm32f407", 168.0, &limits);
        let (fitting, others): (Vec<_>, Vec<_>) = all.iter().partition(|c| c.fits());
        assert!(!fitting.is_empty() && !others.is_empty());
        assert!(fitting.is_sorted_by(|a, b| a.load() <= b.load()));
        for candidate in others {
            assert!(candidate.checks[0].ratio > 1.0, "{candidate:?}");
        }
        // Nothing is too large when there is no limit, and everything is when there is no room.
        let free = choose(&results, "stm32f407", 168.0, &Limits::default());
        assert!(free.len() == all.len() && free.iter().all(Candidate::fits));
        let none = Limits { signature: Some(1.0), ..Limits::default() };
        assert!(choose(&results, "stm32f407", 168.0, &none).iter().all(|c| !c.fits()));
    }

    #[test]
    fn what_was_not_measured_does_not_fit() {
        let mut results = sample::results();
        results.measurements.retain(|m| m.subject.operation != Operation::Sign);
        let limits = Limits { sign_ms: Some(1e9), ..Limits::default() };
        let all = choose(&results, "stm32f407", 168.0, &limits);
        assert!(!all.is_empty() && all.iter().all(|c| !c.fits() && c.checks[0].value == "not measured"));
    }

    #[test]
    fn categories() {
        for (name, expected) in [
            ("ML-DSA-44", Some(2)),
            ("Dilithium3", Some(3)),
            ("SLH-DSA-SHA2-128s", Some(1)),
            ("SLH-DSA-SHAKE-256f", Some(5)),
            ("SPHINCS+-SHA2-192f-simple", Some(3)),
            ("Ed25519", None),
        ] {
            assert_eq!(category(name), expected, "{name}");
        }
    }
}
