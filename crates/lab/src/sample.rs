//! Results for tests: every kind of figure, with invented values.
use crate::results::Results;

/// The file of invented results.
pub fn results() -> Results {
    Results::from_json(include_str!("../tests/data/sample.json")).unwrap()
}
