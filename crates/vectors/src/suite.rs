//! What a file turns into: groups of cases that are ready to run.
use std::{fmt, panic};

/// Why a case did not pass.
#[derive(Debug)]
pub(crate) enum Unmet {
    /// Something differs from what was published.
    Failed(String),
    /// The case cannot be checked here.
    Skipped(String),
}

/// What came of a case.
pub(crate) type Verdict = Result<(), Unmet>;

/// A failure, for `return`, `?` and `ok_or_else`.
pub(crate) fn failed(why: impl Into<String>) -> Unmet {
    Unmet::Failed(why.into())
}

/// A skip, for `return`, `?` and `ok_or_else`.
pub(crate) fn skipped(why: impl Into<String>) -> Unmet {
    Unmet::Skipped(why.into())
}

/// Compares bytes with what was published, `what` naming them.
pub(crate) fn same(what: &str, computed: &[u8], published: &[u8]) -> Verdict {
    if computed == published {
        return Ok(());
    }
    if computed.len() != published.len() {
        let (computed, published) = (computed.len(), published.len());
        return Err(failed(format!("{what} has {computed} bytes, published are {published}")));
    }
    let at = computed.iter().zip(published).take_while(|(a, b)| a == b).count();
    let piece = |bytes: &[u8]| hex::encode(bytes.iter().skip(at).take(8).copied().collect::<Vec<_>>());
    let (computed, published) = (piece(computed), piece(published));
    Err(failed(format!("{what} differs from byte {at} on: {computed}…, published {published}…")))
}

/// The work of a case.
pub(crate) type Check = Box<dyn FnOnce() -> Verdict + Send>;

/// Boxes the work of a case.
pub(crate) fn check(work: impl FnOnce() -> Verdict + Send + 'static) -> Check {
    Box::new(work)
}

/// The work of a case that is known not to be checkable.
pub(crate) fn skip(why: impl Into<String>) -> Check {
    let why = why.into();
    check(move || Err(Unmet::Skipped(why)))
}

/// One published case.
pub(crate) struct Case {
    /// What the file calls it: `tcId 17`, `count 3`.
    pub name: String,
    /// What is to be done.
    pub check: Check,
}

impl Case {
    /// Does the work. A panic of the code under test is a failure, not the end of the run.
    pub fn run(self) -> (String, Verdict) {
        let Self { name, check } = self;
        let verdict = panic::catch_unwind(panic::AssertUnwindSafe(check)).unwrap_or_else(|payload| {
            let said = payload.downcast_ref::<String>().map(String::as_str);
            let said = said.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
            Err(failed(format!("the code under test panicked: {said}")))
        });
        (name, verdict)
    }
}

/// Whether work succeeds; for trying what a file is of.
pub(crate) fn succeeds(work: impl FnOnce() -> Verdict + Send + 'static) -> bool {
    Case { name: String::new(), check: check(work) }.run().1.is_ok()
}

/// Cases that belong together.
pub(crate) struct Group {
    pub name: String,
    pub cases: Vec<Case>,
}

/// A piece of a file that is not what its format asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    /// Where: `tgId 1, tcId 3`, `line 17`; empty for the file as a whole.
    pub place: String,
    pub sentence: String,
}

impl Malformed {
    pub fn new(place: impl Into<String>, sentence: impl Into<String>) -> Self {
        Self { place: place.into(), sentence: sentence.into() }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, sentence } = self;
        if place.is_empty() { f.write_str(sentence) } else { write!(f, "{place}: {sentence}") }
    }
}

/// All that a file asks for, and what in it could not be read.
pub(crate) struct Suite {
    /// The format in words, for the report.
    pub format: String,
    pub groups: Vec<Group>,
    pub malformed: Vec<Malformed>,
}

impl Suite {
    pub fn new(format: impl Into<String>) -> Self {
        Self { format: format.into(), groups: Vec::new(), malformed: Vec::new() }
    }

    /// Cases added from now on belong to the group of this name; one already there is continued.
    pub fn group(&mut self, name: impl Into<String>) {
        let name = name.into();
        match self.groups.iter().position(|g| g.name == name) {
            Some(at) => {
                let group = self.groups.remove(at);
                self.groups.push(group);
            }
            None => self.groups.push(Group { name, cases: Vec::new() }),
        }
    }

    /// Adds a case to the current group, or its error to the list.
    pub fn case(&mut self, name: impl Into<String>, work: Result<Check, Malformed>) {
        match (work, self.groups.last_mut()) {
            (Ok(check), Some(group)) => group.cases.push(Case { name: name.into(), check }),
            (Ok(_), None) => unreachable!("a case before its group"),
            (Err(error), _) => self.malformed.push(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_placed() {
        assert!(same("pk", b"abc", b"abc").is_ok());
        let Err(Unmet::Failed(why)) = same("pk", b"abc", b"abd") else { panic!() };
        assert_eq!(why, "pk differs from byte 2 on: 63…, published 64…");
        let Err(Unmet::Failed(why)) = same("sk", b"", b"abd") else { panic!() };
        assert_eq!(why, "sk has 0 bytes, published are 3");
    }

    #[test]
    fn a_panic_is_a_failure() {
        let case = Case { name: "x".into(), check: check(|| panic!("index {}", 7)) };
        let (name, verdict) = case.run();
        assert_eq!(name, "x");
        assert!(matches!(verdict, Err(Unmet::Failed(why)) if why.ends_with("panicked: index 7")));
    }
}
