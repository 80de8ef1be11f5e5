//! What changed between two sets of results.
use crate::results::{Measurement, Quantity, Results, Status};
use std::collections::BTreeMap;

/// A figure that is in both, with different means.
#[derive(Debug)]
pub struct Change<'a> {
    /// The measurement, as it is now.
    pub now: &'a Measurement,
    /// Which figure.
    pub quantity: Quantity,
    /// Mean before.
    pub before: f64,
    /// Mean now.
    pub after: f64,
    /// How far each could be trusted.
    pub status: (Status, Status),
}

impl Change<'_> {
    /// By how much it grew, as a fraction: 0.05 is 5 % more. Infinite if it was nothing.
    pub fn growth(&self) -> f64 {
        if self.before == 0.0 { f64::INFINITY } else { self.after / self.before - 1.0 }
    }

    /// Whether it breaks a budget: a cost that grew by more than `limit`, as a fraction.
    pub fn breaks(&self, limit: f64) -> bool {
        is_cost(self.quantity) && self.growth() > limit
    }
}

/// The differences between two sets of results.
#[derive(Debug, Default)]
pub struct Comparison<'a> {
    /// The figures that changed, the largest growth first.
    pub changes: Vec<Change<'a>>,
    /// Measurements that went well before and do not now.
    pub broken: Vec<&'a Measurement>,
    /// Measurements that are not there any more.
    pub gone: Vec<&'a Measurement>,
    /// Measurements that were not there.
    pub new: Vec<&'a Measurement>,
    /// Figures that are the same.
    pub equal: usize,
}

/// Whether more of it is worse.
const fn is_cost(quantity: Quantity) -> bool {
    !matches!(quantity, Quantity::Attempts | Quantity::HashBlocks | Quantity::Instructions)
}

/// Compares `after` with `before`.
pub fn compare<'a>(before: &'a Results, after: &'a Results) -> Comparison<'a> {
    let old: BTreeMap<String, &Measurement> =
        before.measurements.iter().map(|m| (m.subject.key(), m)).collect();
    let new: BTreeMap<String, &Measurement> =
        after.measurements.iter().map(|m| (m.subject.key(), m)).collect();
    let mut comparison = Comparison {
        gone: before.measurements.iter().filter(|m| !new.contains_key(&m.subject.key())).collect(),
        ..Comparison::default()
    };
    for now in &after.measurements {
        let Some(was) = old.get(&now.subject.key()) else {
            comparison.new.push(now);
            continue;
        };
        if was.problem.is_none() && now.problem.is_some() {
            comparison.broken.push(now);
        }
        for &quantity in Quantity::ALL {
            let (Some(a), Some(b)) = (was.get(quantity), now.get(quantity)) else { continue };
            if a.mean == b.mean && a.status == b.status {
                comparison.equal += 1;
            } else {
                let (before, after, status) = (a.mean, b.mean, (a.status, b.status));
                comparison.changes.push(Change { now, quantity, before, after, status });
            }
        }
    }
    comparison.changes.sort_by(|a, b| b.growth().total_cmp(&a.growth()));
    comparison
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{Figure, Operation, Problem, ProblemKind};
    use crate::sample;

    #[test]
    fn finds_what_changed() {
        let before = sample::results();
        let mut after = before.clone();
        let sign = after.measurements.iter_mut().find(|m| m.subject.operation == Operation::Sign).unwrap();
        sign.cycles = Some(Figure::constant(Status::Modelled, sign.cycles.as_ref().unwrap().mean * 1.06));
        sign.attempts = Some(Figure::constant(Status::Exact, 100.0));
        let last = after.measurements.pop().unwrap();
        after.measurements[0].problem =
            Some(Problem { kind: ProblemKind::Fault, sentence: "it faulted".into() });
        let comparison = compare(&before, &after);
        assert_eq!(comparison.gone.len(), 1);
        assert_eq!(comparison.gone[0].subject, last.subject);
        assert!(comparison.new.is_empty());
        assert_eq!(comparison.broken.len(), 1);
        // The attempts grew most, but are not a cost.
        assert_eq!(comparison.changes[0].quantity, Quantity::Attempts);
        let above = |limit| {
            let changes = comparison.changes.iter().filter(move |change| change.breaks(limit));
            changes.map(|change| change.quantity).collect::<Vec<_>>()
        };
        assert_eq!(above(0.05), [Quantity::Cycles]);
        assert!(above(0.07).is_empty());
        let same = compare(&before, &before);
        assert!(same.changes.is_empty() && same.gone.is_empty() && same.new.is_empty() && same.equal > 0);
    }
}
