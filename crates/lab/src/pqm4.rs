//! pqm4's `benchmarks.csv`: reading other people's figures, and writing ours for their tools.
//!
//! The file has a table each for speed, memory, hashing and code size, every one headed by its title, a line for the
//! kind of scheme and the names of its columns. Only signatures are taken.
use crate::algorithms;
use crate::results::{
    Figure, Measurement, Operation, Origin, Part, Platform, Provenance, Quantity, Results, Status, Subject,
};
use std::collections::BTreeMap;

/// A file that is not in pqm4's layout.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A line is not what belongs there.
    #[error("line {line}: {what}")]
    Line {
        /// From 1.
        line: u64,
        /// What is wrong.
        what: String,
    },
    /// There is no signature scheme in it.
    #[error(
        "no table of signature schemes in pqm4's layout (a line \"Signature Schemes\" under \"Speed Evaluation\")"
    )]
    Empty,
}

/// Which table a line belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Speed,
    Memory,
    Hashing,
    Size,
}

const SECTIONS: [(&str, Section); 4] = [
    ("Speed Evaluation", Section::Speed),
    ("Memory Evaluation", Section::Memory),
    ("Hashing Evaluation", Section::Hashing),
    ("Size Evaluation", Section::Size),
];

const SIGNATURES: &str = "Signature Schemes";

/// Where the figures of a file were measured.
#[derive(Clone, Debug)]
pub struct Place {
    /// The board's name, as in [`Subject::board`].
    pub board: String,
    /// Clock of the core in MHz.
    pub core_mhz: f64,
}

impl Default for Place {
    /// pqm4's board since 2022, at the clock without wait states that pqm4 sets.
    fn default() -> Self {
        Self { board: "nucleo-l4r5zi".into(), core_mhz: 20.0 }
    }
}

/// Reads a file. Every figure is marked as published and has `provenance` for its source.
///
/// # Errors
/// With the line that is wrong.
pub fn import(text: &str, place: &Place, provenance: Provenance) -> Result<Results, ImportError> {
    const SOURCE: &str = "pqm4";
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut measurements: BTreeMap<String, Measurement> = BTreeMap::new();
    let mut section = None;
    let mut signatures = false;
    for record in reader.records() {
        let record = record.map_err(|error| ImportError::Line {
            line: error.position().map_or(0, csv::Position::line),
            what: error.to_string(),
        })?;
        let line = record.position().map_or(0, csv::Position::line);
        let cell = |i: usize| record.get(i).unwrap_or("").trim();
        let first = cell(0);
        if let Some((_, found)) = SECTIONS.iter().find(|(title, _)| *title == first) {
            (section, signatures) = (Some(*found), false);
            continue;
        }
        if first == SIGNATURES || first.ends_with("Schemes") {
            signatures = first == SIGNATURES;
            continue;
        }
        let Some(section) = section.filter(|_| signatures && first != "Scheme" && !first.is_empty()) else {
            continue;
        };
        let number = |i: usize| {
            let value = cell(i).parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0);
            value.ok_or_else(|| ImportError::Line {
                line,
                what: format!("column {} should be a number, it is \"{}\"", i + 1, cell(i)),
            })
        };
        let (name, runs) = executions(first);
        let implementation = format!("pqm4 {}", cell(1));
        for (n, operation) in Operation::ALL.into_iter().enumerate() {
            // An operation that was not measured leaves its cells empty; sizes are of all of them.
            let cells = match section {
                Section::Speed => 2 + 3 * n..5 + 3 * n,
                Section::Memory | Section::Hashing => 2 + n..3 + n,
                Section::Size => 2..3,
            };
            if cells.clone().all(|i| cell(i).is_empty()) {
                continue;
            }
            let subject = Subject {
                implementation: implementation.clone(),
                algorithm: algorithms::from_pqm4(name),
                operation,
                engine: "software".into(),
                profile: "-".into(),
                build: "optimised".into(),
                board: place.board.clone(),
                platform: Platform::Silicon,
                core_mhz: place.core_mhz,
                wait_states: Some(0),
                pl_mhz: None,
            };
            let key = subject.key();
            let measurement = measurements.entry(key).or_insert_with(|| Measurement::new(subject, SOURCE));
            let published = |value| Figure::constant(Status::Published, value);
            match section {
                Section::Speed => {
                    let at = cells.start;
                    let [mean, min, max] = [number(at)?, number(at + 1)?, number(at + 2)?];
                    if !(min <= mean && mean <= max) {
                        return Err(ImportError::Line {
                            line,
                            what: format!("{} has min {min}, mean {mean}, max {max}", operation.title()),
                        });
                    }
                    let cycles = Figure { runs, min: Some(min), max: Some(max), ..published(mean) };
                    measurement.time_ms =
                        Some(cycles.map(Status::Published, |c| c / (place.core_mhz * 1000.0)));
                    measurement.cycles = Some(cycles);
                }
                Section::Memory => measurement.stack_bytes = Some(published(number(cells.start)?)),
                Section::Hashing => {
                    let share = number(cells.start)? / 100.0;
                    let part =
                        |name: &str, share| Part { name: name.into(), share, status: Status::Published };
                    measurement.breakdown =
                        vec![part("hashing", share), part("everything else", 1.0 - share)];
                }
                Section::Size => measurement.code_bytes = Some(published(number(cells.start)?)),
            }
        }
    }
    if measurements.is_empty() {
        return Err(ImportError::Empty);
    }
    let mut results = Results::new();
    results.provenance.insert(SOURCE.into(), provenance);
    results.measurements = measurements.into_values().collect();
    results.measurements.sort_by_key(|m| (algorithms::rank(&m.subject.algorithm), m.subject.key()));
    Ok(results)
}

/// `ml-dsa-44 (1000 executions)` is 1000 runs of `ml-dsa-44`.
fn executions(cell: &str) -> (&str, u64) {
    let parts = cell.split_once(" (").and_then(|(name, rest)| {
        let runs = rest.split_once(' ')?.0.parse::<u64>().ok()?;
        Some((name, runs.max(1)))
    });
    parts.unwrap_or((cell, 1))
}

/// Provenance of a file that a user brings.
pub fn imported(file: &str) -> Provenance {
    let title = format!("Imported from {file}, in the layout of pqm4's benchmarks.csv.");
    Provenance::new(Origin::Imported, title)
}

/// Rows of one scheme, implementation and place, one measurement an operation.
struct Row<'a> {
    scheme: String,
    implementation: String,
    operations: [Option<&'a Measurement>; 3],
}

/// Writes results in pqm4's layout. An operation without figures leaves its cells empty; the implementation's name
/// says whose it is, its profile and where it ran.
pub fn export(results: &Results) -> String {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for measurement in &results.measurements {
        let subject = &measurement.subject;
        let scheme = algorithms::to_pqm4(&subject.algorithm);
        let implementation = format!("{} ({})", subject.code(), subject.place());
        // The layout has columns for these three alone.
        let Some(column) = Operation::ALL.iter().position(|operation| *operation == subject.operation) else {
            continue;
        };
        let at = rows.iter().position(|row| row.scheme == scheme && row.implementation == implementation);
        let at = at.unwrap_or_else(|| {
            rows.push(Row { scheme, implementation, operations: [None; 3] });
            rows.len() - 1
        });
        rows[at].operations[column] = Some(measurement);
    }
    let mut out = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    let mut line = |cells: Vec<String>| {
        let mut cells = cells;
        cells.resize(11, String::new());
        // Writing to memory cannot fail.
        let _ = out.write_record(&cells);
    };
    let words = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_string()).collect::<Vec<_>>();
    let value = |measurement: Option<&Measurement>, quantity, of: fn(&Figure) -> Option<f64>| {
        let figure = measurement.and_then(|m| m.get(quantity));
        figure.and_then(of).map_or(String::new(), |value| format!("{value:.0}"))
    };
    for (title, section) in SECTIONS {
        line(words(&[title]));
        line(words(&[SIGNATURES]));
        line(match section {
            Section::Speed => {
                let columns = ["Key Generation", "Sign", "Verify"].into_iter().flat_map(|operation| {
                    ["mean", "min", "max"].map(|s| format!("{operation} [cycles] ({s})"))
                });
                words(&["Scheme", "Implementation"]).into_iter().chain(columns).collect()
            }
            Section::Memory => words(&[
                "Scheme",
                "Implementation",
                "Key Generation [bytes]",
                "Sign [bytes]",
                "Verify [bytes]",
            ]),
            Section::Hashing => {
                words(&["Scheme", "Implementation", "Key Generation [%]", "Sign [%]", "Verify [%]"])
            }
            Section::Size => words(&[
                "Scheme",
                "Implementation",
                ".text [bytes]",
                ".data [bytes]",
                ".bss [bytes]",
                "Total [bytes]",
            ]),
        });
        for row in &rows {
            let scheme = match section {
                Section::Speed => {
                    let counts =
                        row.operations.iter().flatten().filter_map(|m| m.cycles.as_ref().map(|f| f.runs));
                    format!("{} ({} executions)", row.scheme, counts.max().unwrap_or(0))
                }
                _ => row.scheme.clone(),
            };
            let each = |of: &dyn Fn(Option<&Measurement>) -> Vec<String>| {
                row.operations.iter().flat_map(|m| of(*m)).collect::<Vec<_>>()
            };
            let cells = match section {
                Section::Speed => each(&|m| {
                    // One run is its own minimum and maximum.
                    [
                        |f: &Figure| Some(f.mean),
                        |f: &Figure| f.min.or(Some(f.mean)),
                        |f: &Figure| f.max.or(Some(f.mean)),
                    ]
                    .map(|of| value(m, Quantity::Cycles, of))
                    .to_vec()
                }),
                Section::Memory => each(&|m| vec![value(m, Quantity::StackBytes, |f| Some(f.worst()))]),
                Section::Hashing => each(&|m| {
                    let part = m.and_then(|m| m.breakdown.iter().find(|part| part.name == "hashing"));
                    vec![part.map_or(String::new(), |part| format!("{:.1}", 100.0 * part.share))]
                }),
                Section::Size => {
                    let any = row.operations.iter().flatten().copied();
                    let of = |quantity| {
                        let best =
                            any.clone().filter_map(|m| m.get(quantity)).map(Figure::worst).reduce(f64::max);
                        best.map_or(String::new(), |value| format!("{value:.0}"))
                    };
                    let (code, data) = (of(Quantity::CodeBytes), of(Quantity::DataBytes));
                    if code.is_empty() { Vec::new() } else { vec![code.clone(), String::new(), data, code] }
                }
            };
            if cells.iter().any(|cell| !cell.is_empty()) {
                line([scheme, row.implementation.clone()].into_iter().chain(cells).collect());
            }
        }
    }
    // Writing to memory cannot fail, and all of it is text.
    String::from_utf8(out.into_inner().unwrap_or_default()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
Speed Evaluation,,,,,,,,,,
Key Encapsulation Schemes,,,,,,,,,,
Scheme,Implementation,a,b,c,d,e,f,g,h,i
kyber (10 executions),m4f,1,1,1,2,2,2,3,3,3
Signature Schemes,,,,,,,,,,
Scheme,Implementation,a,b,c,d,e,f,g,h,i
ml-dsa-44 (1000 executions),m4f,1426025,1379650,1466529,3943121,1812557,17009165,1421623,1420738,1422362
Memory Evaluation,,,,,,,,,,
Signature Schemes,,,,,,,,,,
Scheme,Implementation,a,b,c,,,,,,
ml-dsa-44,m4f,38296,44816,8912,,,,,,
Hashing Evaluation,,,,,,,,,,
Signature Schemes,,,,,,,,,,
Scheme,Implementation,a,b,c,,,,,,
ml-dsa-44,m4f,79.9,60.6,76.6,,,,,,
Size Evaluation,,,,,,,,,,
Signature Schemes,,,,,,,,,,
Scheme,Implementation,.text [bytes],.data [bytes],.bss [bytes],Total [bytes],,,,,
ml-dsa-44,m4f,19592,0,0,19592,,,,,
";

    #[test]
    fn reads_signatures_and_nothing_else() {
        let results = import(FILE, &Place::default(), imported("x.csv")).unwrap();
        assert_eq!(results.measurements.len(), 3);
        let sign = results.find(|s| s.operation == Operation::Sign).unwrap();
        assert_eq!(sign.subject.algorithm, "ML-DSA-44");
        assert_eq!(sign.subject.implementation, "pqm4 m4f");
        let cycles = sign.cycles.as_ref().unwrap();
        assert_eq!((cycles.runs, cycles.mean, cycles.max), (1000, 3_943_121.0, Some(17_009_165.0)));
        assert_eq!(sign.time_ms.as_ref().unwrap().mean, 3_943_121.0 / 20_000.0);
        assert_eq!(sign.stack_bytes.as_ref().unwrap().mean, 44_816.0);
        assert_eq!(sign.code_bytes.as_ref().unwrap().mean, 19_592.0);
        assert!((sign.breakdown[0].share - 0.606).abs() < 1e-12);
        let all = Quantity::ALL.iter().filter_map(|&q| sign.get(q));
        assert!(all.clone().count() == 4 && all.clone().all(|f| f.status == Status::Published));
        // What was read is a sound document.
        assert_eq!(Results::from_json(&results.to_json()).unwrap(), results);
    }

    #[test]
    fn what_is_written_reads_back() {
        let results = import(FILE, &Place::default(), imported("x.csv")).unwrap();
        let text = export(&results);
        let again = import(&text, &Place::default(), imported("x.csv")).unwrap();
        for (a, b) in results.measurements.iter().zip(&again.measurements) {
            assert_eq!(a.cycles, b.cycles);
            assert_eq!(a.stack_bytes, b.stack_bytes);
            assert_eq!(a.code_bytes, b.code_bytes);
            assert_eq!(a.breakdown, b.breakdown);
        }
        // What was not measured stays so, and one run is its own minimum and maximum.
        let mut part = Results::from_json(&results.to_json()).unwrap();
        part.measurements.retain(|m| m.subject.operation == Operation::Sign);
        let cycles = part.measurements[0].cycles.as_mut().unwrap();
        (cycles.runs, cycles.min, cycles.max) = (1, None, None);
        let again = import(&export(&part), &Place::default(), imported("x.csv")).unwrap();
        assert!(again.measurements.iter().filter(|m| m.cycles.is_some()).count() == 1);
        let sign = again.find(|s| s.operation == Operation::Sign).unwrap().cycles.as_ref().unwrap();
        assert_eq!((sign.mean, sign.min, sign.max), (3_943_121.0, Some(3_943_121.0), Some(3_943_121.0)));
        // The columns are those of pqm4's file.
        assert!(text.starts_with("Speed Evaluation,,,,,,,,,,\nSignature Schemes,,,,,,,,,,\n"));
        assert!(text.lines().all(|line| line.matches(',').count() >= 10));
    }

    #[test]
    fn says_which_line_is_wrong() {
        let error = |from: &str, to: &str| {
            import(&FILE.replace(from, to), &Place::default(), imported("x")).unwrap_err().to_string()
        };
        assert_eq!(error("3943121", "x"), "line 7: column 6 should be a number, it is \"x\"");
        assert_eq!(error("3943121", "1"), "line 7: signing has min 1812557, mean 1, max 17009165");
        assert_eq!(error("44816", "-3"), "line 11: column 4 should be a number, it is \"-3\"");
        assert!(error(FILE, "hello").starts_with("no table of signature schemes"));
    }
}
