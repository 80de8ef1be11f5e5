//! The tables of the report, in one form for HTML and Markdown.
use crate::algorithms::{self, Family};
use crate::choose::{Check, Limits, choose};
use crate::published;
use crate::results::{Figure, Measurement, Operation, Platform, Quantity, Results, Status};
use crate::text;

/// A cell.
#[derive(Clone, Debug)]
pub enum Cell {
    /// Nothing to say.
    Empty,
    /// Words.
    Text(String),
    /// A number without a status: a size that a standard fixes.
    Number(f64, String),
    /// A number that was calculated from figures, and how far these can be trusted.
    Calculated(f64, String, Status),
    /// A figure of a measurement.
    Figure {
        /// Index in [`Results::measurements`].
        measurement: usize,
        /// Which of its figures.
        quantity: Quantity,
        /// The value by which rows are sorted.
        value: f64,
        /// The value as people read it.
        text: String,
        /// How far it can be trusted.
        status: Status,
    },
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// Name in the address of its place.
    pub id: &'static str,
    /// What it shows.
    pub caption: String,
    /// Headings, the first of each row's name.
    pub columns: Vec<&'static str>,
    /// As long as `columns` each.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// In the syntax of GitHub's Markdown.
    pub fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut out = format!("{}\n\n", self.caption);
        out += &line(self.columns.iter().map(|column| (*column).to_string()).collect());
        out += &line(vec!["---".into(); self.columns.len()]);
        for row in &self.rows {
            out += &line(row.iter().map(Cell::markdown).collect());
        }
        out
    }
}

impl Cell {
    fn markdown(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Text(text) | Self::Number(_, text) => text.replace('|', "\\|").replace('\n', " "),
            Self::Calculated(_, text, status) | Self::Figure { text, status, .. } => {
                format!("{text} {}", mark(*status))
            }
        }
    }
}

/// A letter for a status, where the word is too long.
pub const fn mark(status: Status) -> &'static str {
    match status {
        Status::Exact => "(x)",
        Status::Modelled => "(m)",
        Status::Derived => "(d)",
        Status::Estimated => "(e)",
        Status::Published => "(p)",
    }
}

/// A cell with the figure of a quantity; empty without one.
fn figure(
    results: &Results,
    index: Option<usize>,
    quantity: Quantity,
    of: fn(&Figure) -> Option<f64>,
) -> Cell {
    let found = index.and_then(|i| Some((i, results.measurements[i].get(quantity)?)));
    let Some((measurement, figure)) = found else { return Cell::Empty };
    let Some(value) = of(figure) else { return Cell::Empty };
    Cell::Figure { measurement, quantity, value, text: text::value(quantity, value), status: figure.status }
}

fn mean(figure: &Figure) -> Option<f64> {
    Some(figure.mean)
}

fn worst(figure: &Figure) -> Option<f64> {
    Some(figure.worst())
}

/// Measurements that differ in their operation alone.
pub struct Group {
    /// Index of the first.
    pub first: usize,
    /// Index of key generation, signing, verification.
    pub operations: [Option<usize>; 3],
}

/// The measurements of keys and signatures, put together by set, code and place, in the order of tables.
pub fn groups(results: &Results) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (i, m) in results.measurements.iter().enumerate() {
        let Some(column) = Operation::ALL.iter().position(|o| *o == m.subject.operation) else { continue };
        let same = |group: &Group| {
            let (a, b) = (&results.measurements[group.first].subject, &m.subject);
            a.algorithm == b.algorithm && a.code() == b.code() && a.place() == b.place()
        };
        let at = groups.iter().position(same).unwrap_or_else(|| {
            groups.push(Group { first: i, operations: [None; 3] });
            groups.len() - 1
        });
        groups[at].operations[column] = Some(i);
    }
    groups.sort_by_cached_key(|group| {
        let subject = &results.measurements[group.first].subject;
        let other = subject.implementation != "pqsoc";
        let clock = (subject.core_mhz * 1000.0) as u64;
        (
            algorithms::rank(&subject.algorithm),
            other,
            subject.board.clone(),
            clock,
            subject.place(),
            subject.code(),
        )
    });
    groups
}

fn head(results: &Results, group: &Group) -> [Cell; 3] {
    let subject = &results.measurements[group.first].subject;
    [Cell::Text(subject.algorithm.clone()), Cell::Text(subject.code()), Cell::Text(subject.place())]
}

/// Times, stack and code of everything.
pub fn overview(results: &Results) -> Table {
    let rows = groups(results).into_iter().map(|group| {
        let [keygen, sign, verify] = group.operations;
        let largest = |quantity| {
            let known = group.operations.into_iter().flatten();
            let with = known.filter_map(|i| Some((i, results.measurements[i].get(quantity)?.worst())));
            with.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(i, _)| i)
        };
        let mut row = head(results, &group).to_vec();
        row.extend([
            figure(results, keygen, Quantity::TimeMs, mean),
            figure(results, sign, Quantity::TimeMs, mean),
            figure(results, sign, Quantity::TimeMs, |f| f.p99),
            figure(results, verify, Quantity::TimeMs, mean),
            figure(results, largest(Quantity::StackBytes), Quantity::StackBytes, worst),
            figure(results, largest(Quantity::CodeBytes), Quantity::CodeBytes, worst),
        ]);
        row
    });
    Table {
        id: "overview",
        caption: "Mean times, largest stack and code of each set, implementation and board".into(),
        columns: vec![
            "set",
            "code",
            "where",
            "key generation",
            "signing",
            "signing, 99 %",
            "verification",
            "stack",
            "code size",
        ],
        rows: rows.collect(),
    }
}

/// Cycles and stack of each operation.
pub fn cycles(results: &Results) -> Table {
    let rows = groups(results).into_iter().filter_map(|group| {
        let mut row = head(results, &group).to_vec();
        for quantity in [Quantity::Cycles, Quantity::StackBytes] {
            let of = if quantity == Quantity::Cycles { mean } else { worst };
            row.extend(group.operations.iter().map(|&i| figure(results, i, quantity, of)));
        }
        row[3..].iter().any(|cell| !matches!(cell, Cell::Empty)).then_some(row)
    });
    Table {
        id: "cycles",
        caption: "Mean cycles and largest stack of each operation".into(),
        columns: vec![
            "set",
            "code",
            "where",
            "keygen cycles",
            "sign cycles",
            "verify cycles",
            "keygen stack",
            "sign stack",
            "verify stack",
        ],
        rows: rows.collect(),
    }
}

/// The distribution of signing time, where there are several runs.
pub fn signing(results: &Results) -> Table {
    let rows = groups(results).into_iter().filter_map(|group| {
        let i = group.operations[1]?;
        let time = results.measurements[i].time_ms.as_ref()?;
        // A range without a median is another's summary, not a distribution.
        time.median.filter(|_| time.runs > 1)?;
        let mut row = head(results, &group).to_vec();
        row.push(Cell::Number(time.runs as f64, text::grouped(time.runs as f64)));
        let statistics: [fn(&Figure) -> Option<f64>; 6] =
            [|f| f.min, |f| f.median, mean, |f| f.p95, |f| f.p99, |f| f.max];
        row.extend(statistics.map(|of| figure(results, Some(i), Quantity::TimeMs, of)));
        row.push(figure(results, Some(i), Quantity::Attempts, mean));
        row.push(figure(results, Some(i), Quantity::Attempts, |f| f.max));
        Some(row)
    });
    Table {
        id: "signing",
        caption: "Signing time over many messages, and the attempts that it takes".into(),
        columns: vec![
            "set", "code", "where", "runs", "min", "median", "mean", "95 %", "99 %", "max", "attempts",
            "at most",
        ],
        rows: rows.collect(),
    }
}

/// Bytes of keys and signatures beside the time to verify.
pub fn sizes(results: &Results) -> Table {
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for group in groups(results) {
        let algorithm = results.measurements[group.first].subject.algorithm.as_str();
        if seen.contains(&algorithm) {
            continue;
        }
        seen.push(algorithm);
        if let Some(sizes) = algorithms::sizes(algorithm) {
            let number = |n: usize| Cell::Number(n as f64, text::grouped(n as f64));
            rows.push(vec![
                Cell::Text(algorithm.into()),
                Cell::Text(Family::of(algorithm).name().into()),
                number(sizes.public_key),
                number(sizes.private_key),
                number(sizes.signature),
                number(sizes.public_key + sizes.signature),
            ]);
        }
    }
    Table {
        id: "sizes",
        caption: "Bytes of keys and signatures".into(),
        columns: vec!["set", "scheme", "public key", "private key", "signature", "public key + signature"],
        rows,
    }
}

/// A measurement on a virtual board and the published one of the same program on silicon.
pub struct Pair {
    /// Index of the virtual one.
    pub model: usize,
    /// Index of the published one.
    pub silicon: usize,
    /// Cycles of the model by those of silicon, less 1.
    pub error: f64,
    /// How far the model's can be trusted.
    pub status: Status,
    /// The published one was measured on another chip.
    pub other_chip: bool,
}

/// The same programs on virtual boards and on silicon.
pub fn pairs(results: &Results) -> Vec<Pair> {
    let with_cycles = |platform| {
        let all = results.measurements.iter().enumerate();
        all.filter(move |(_, m)| m.subject.platform == platform && m.cycles.is_some()).collect::<Vec<_>>()
    };
    let mut pairs = Vec::new();
    let silicon = with_cycles(Platform::Silicon);
    for (model, m) in with_cycles(Platform::Virtual) {
        let same = |other: &Measurement| {
            let (a, b) = (&other.subject, &m.subject);
            a.implementation == b.implementation
                && a.algorithm == b.algorithm
                && a.operation == b.operation
                && a.profile == b.profile
                && a.build == b.build
                && a.engine == b.engine
        };
        for (silicon, s) in silicon.iter().filter(|(_, s)| same(s)) {
            let other_chip = s.subject.board != m.subject.board;
            // Where the same chip was measured there is no need for another.
            let better = |(_, t): &&(usize, &Measurement)| same(t) && t.subject.board == m.subject.board;
            if other_chip && with_cycles(Platform::Silicon).iter().any(|x| better(&x)) {
                continue;
            }
            // Wait states are another machine.
            if m.subject.wait_states != s.subject.wait_states {
                continue;
            }
            let (Some(a), Some(b)) = (&m.cycles, &s.cycles) else { continue };
            let error = a.mean / b.mean - 1.0;
            pairs.push(Pair { model, silicon: *silicon, error, status: a.status, other_chip });
        }
    }
    pairs.sort_by_key(|pair| pair.other_chip);
    pairs
}

/// Model against silicon.
pub fn silicon(results: &Results) -> Table {
    let rows = pairs(results).into_iter().map(|pair| {
        let subject = &results.measurements[pair.model].subject;
        let silicon = &results.measurements[pair.silicon].subject;
        vec![
            Cell::Text(subject.algorithm.clone()),
            Cell::Text(subject.operation.name().into()),
            Cell::Text(subject.code()),
            Cell::Text(silicon.place()),
            figure(results, Some(pair.silicon), Quantity::Cycles, mean),
            figure(results, Some(pair.model), Quantity::Cycles, mean),
            Cell::Calculated(pair.error, format!("{:+.2}\u{a0}%", 100.0 * pair.error), pair.status),
        ]
    });
    Table {
        id: "silicon",
        caption: "The same program on silicon and on the virtual board".into(),
        columns: vec![
            "program",
            "operation",
            "code",
            "silicon",
            "cycles on silicon",
            "cycles here",
            "difference",
        ],
        rows: rows.collect(),
    }
}

/// Energy of each operation, where the data sheet gives a power.
pub fn energy(results: &Results) -> Table {
    let rows = groups(results).into_iter().filter_map(|group| {
        let mut row = head(results, &group).to_vec();
        row.extend(group.operations.map(|i| figure(results, i, Quantity::EnergyMj, mean)));
        row[3..].iter().any(|cell| !matches!(cell, Cell::Empty)).then_some(row)
    });
    Table {
        id: "energy",
        caption: "Energy of an operation: time by the power of the data sheet".into(),
        columns: vec!["set", "code", "where", "key generation", "signing", "verification"],
        rows: rows.collect(),
    }
}

/// What the fabric costs and gives.
pub fn fabric(results: &Results) -> Table {
    let rows = groups(results).into_iter().filter_map(|group| {
        let subject = &results.measurements[group.first].subject;
        if subject.board != "zedboard" {
            return None;
        }
        let [keygen, sign, verify] = group.operations;
        let any = |quantity| {
            group.operations.into_iter().flatten().find(|&i| results.measurements[i].get(quantity).is_some())
        };
        let mut row = head(results, &group).to_vec();
        row.extend([
            figure(results, keygen, Quantity::TimeMs, mean),
            figure(results, sign, Quantity::TimeMs, mean),
            figure(results, verify, Quantity::TimeMs, mean),
            figure(results, sign, Quantity::FabricCycles, mean),
            figure(results, sign, Quantity::BytesMoved, mean),
            figure(results, any(Quantity::Luts), Quantity::Luts, mean),
            figure(results, any(Quantity::BlockRams), Quantity::BlockRams, mean),
            figure(results, any(Quantity::DspBlocks), Quantity::DspBlocks, mean),
        ]);
        Some(row)
    });
    Table {
        id: "fabric",
        caption: "The ZedBoard: software, the study's design, the resident design".into(),
        columns: vec![
            "set",
            "code",
            "where",
            "key generation",
            "signing",
            "verification",
            "fabric cycles",
            "bytes moved",
            "LUTs",
            "block RAMs",
            "DSP blocks",
        ],
        rows: rows.collect(),
    }
}

/// Parts of a profile of software that the study moves into its fabric.
const STUDY_PARTS: [&str; 2] = ["hashing", "transforms"];
/// Those that the resident design does there as well.
const RESIDENT_PARTS: [&str; 4] = ["hashing", "transforms", "sampling", "products"];

/// What acceleration can give by Amdahl's law, from where software on the same processor spends its time, and what the two
/// designs give.
pub fn amdahl(results: &Results) -> Table {
    let is_fabric = |m: &Measurement, engine: &str| {
        m.subject.board == "zedboard" && m.subject.platform == Platform::Virtual && m.subject.engine == engine
    };
    let mut rows = Vec::new();
    for (i, m) in results.measurements.iter().enumerate() {
        let parts = |names: &[&str]| -> f64 {
            let parts = m.breakdown.iter().filter(|part| names.contains(&part.name.as_str()));
            parts.map(|part| part.share).sum()
        };
        let Some(time) = m.time_ms.as_ref().filter(|_| is_fabric(m, "software")) else { continue };
        if parts(&STUDY_PARTS) == 0.0 {
            continue;
        }
        let calculated = |value: f64, text: String| Cell::Calculated(value, text, Status::Estimated);
        let times = |value: f64| calculated(value, format!("{}\u{a0}×", text::significant(value)));
        let allowed = |names: &[&str]| times(1.0 / (1.0 - parts(names)));
        let got = |engine: &str| {
            let same = |other: &&Measurement| {
                is_fabric(other, engine)
                    && other.subject.algorithm == m.subject.algorithm
                    && other.subject.operation == m.subject.operation
            };
            let known = results.measurements.iter().filter(same).filter_map(|other| other.time_ms.as_ref());
            let best = known.map(|figure| figure.mean).reduce(f64::min);
            best.map_or(Cell::Empty, |best| times(time.mean / best))
        };
        let share = |names: &[&str]| {
            let value = parts(names);
            calculated(value, format!("{:.1}\u{a0}%", 100.0 * value))
        };
        rows.push(vec![
            Cell::Text(m.subject.algorithm.clone()),
            Cell::Text(m.subject.operation.title().into()),
            figure(results, Some(i), Quantity::TimeMs, mean),
            share(&STUDY_PARTS),
            allowed(&STUDY_PARTS),
            got("study"),
            share(&RESIDENT_PARTS),
            allowed(&RESIDENT_PARTS),
            got("resident"),
        ]);
    }
    Table {
        id: "amdahl",
        caption: "The share of software's time that a fabric can take over, the speed-up that Amdahl's law allows for it, \
                  and the speed-up of each design at its fastest clock"
            .into(),
        columns: vec![
            "set",
            "operation",
            "software",
            "hashing, transforms",
            "allows",
            "study's design",
            "and sampling, products",
            "allows",
            "resident design",
        ],
        rows,
    }
}

/// Devices that people ask about.
fn devices() -> [(&'static str, Limits); 5] {
    let kib = |n: f64| Some(n * 1024.0);
    [
        (
            "Secure boot: verifies within 50 ms in 16 KiB of RAM and 64 KiB of flash",
            Limits { ram: kib(16.0), flash: kib(64.0), verify_ms: Some(50.0), ..Limits::default() },
        ),
        (
            "Little memory: verifies in 4 KiB of RAM and 32 KiB of flash, within a second",
            Limits { ram: kib(4.0), flash: kib(32.0), verify_ms: Some(1000.0), ..Limits::default() },
        ),
        (
            "A sensor that signs within 250 ms in 16 KiB of RAM, at least category 2",
            Limits { ram: kib(16.0), sign_ms: Some(250.0), category: Some(2), ..Limits::default() },
        ),
        (
            "A slow link: a key of at most 1.5 KiB, a signature of at most 2.5 KiB, verified within 100 ms, post-quantum",
            Limits {
                public_key: kib(1.5),
                signature: kib(2.5),
                verify_ms: Some(100.0),
                category: Some(1),
                ..Limits::default()
            },
        ),
        (
            "A public key of at most 100 bytes, in fuses: signs within 10 s and verifies within 500 ms, post-quantum",
            Limits {
                sign_ms: Some(10_000.0),
                verify_ms: Some(500.0),
                public_key: Some(100.0),
                category: Some(1),
                ..Limits::default()
            },
        ),
    ]
}

/// What fits some devices on the STM32F407 at its fastest clock: the best three, and what keeps the next one out.
pub fn choices(results: &Results) -> Table {
    const BEST: usize = 3;
    const BOARD: &str = "stm32f407";
    let ours = |m: &&Measurement| m.subject.board == BOARD && m.subject.platform == Platform::Virtual;
    let clock = results.measurements.iter().filter(ours).map(|m| m.subject.core_mhz).reduce(f64::max);
    let mut rows = Vec::new();
    for (device, limits) in devices() {
        let all = clock.map_or_else(Vec::new, |clock| choose(results, BOARD, clock, &limits));
        let fitting: Vec<_> = all.iter().filter(|candidate| candidate.fits()).take(BEST).collect();
        let next = all.iter().find(|candidate| !candidate.fits());
        for candidate in fitting.into_iter().chain(next) {
            let against = |check: &&Check| candidate.fits() || check.ratio > 1.0;
            let words = |check: &Check| {
                let status = check.status.map_or(String::new(), |status| format!(" ({})", status.name()));
                format!("{} {}{status} of {}", check.what, check.value, check.limit)
            };
            let words: Vec<String> = candidate.checks.iter().filter(against).map(words).collect();
            rows.push(vec![
                Cell::Text(device.into()),
                Cell::Text(if candidate.fits() { "fits" } else { "does not fit" }.into()),
                Cell::Text(format!("{}, {}", candidate.algorithm, candidate.code)),
                Cell::Text(words.join("; ")),
            ]);
        }
    }
    Table {
        id: "choices",
        caption: "Devices, the best choices for each, and the figure that rules the next one out".into(),
        columns: vec!["device", "outcome", "set and code", "figures and limits"],
        rows,
    }
}

/// What went wrong.
pub fn problems(results: &Results) -> Table {
    let rows = results.measurements.iter().filter_map(|m| {
        let problem = m.problem.as_ref()?;
        let subject = &m.subject;
        Some(vec![
            Cell::Text(format!("{} {}", subject.algorithm, subject.operation.name())),
            Cell::Text(subject.code()),
            Cell::Text(subject.place()),
            Cell::Text(problem.sentence.clone()),
        ])
    });
    Table {
        id: "problems",
        caption: "Experiments that ended in an error".into(),
        columns: vec!["experiment", "code", "where", "what happened"],
        rows: rows.collect(),
    }
}

/// Results with all that the report adds: published figures, calibration, energy, area.
pub fn complete(results: &Results) -> Results {
    let mut all = published::published().results.clone();
    all.merge(published::calibration());
    all.merge(results.clone());
    for measurement in &mut all.measurements {
        if measurement.energy_mj.is_none() {
            measurement.energy_mj = published::energy(measurement);
        }
        published::add_area(measurement);
    }
    all.created.clone_from(&results.created);
    all
}

/// All tables as a Markdown document. `results` are [`complete`].
pub fn markdown(results: &Results) -> String {
    let mut out = String::from("# Results\n\nMarks: ");
    out += &Status::ALL.map(|status| format!("{} {}", mark(status), status.name())).join(", ");
    out += ".\n\n## The study's table\n\n| system | operation | reported | measured | verdict | why |\n|---|---|---|---|---|---|\n";
    for finding in crate::study::findings(results) {
        let cells = [
            finding.claim.system.as_str(),
            &finding.claim.operation,
            &finding.claim.reported,
            &finding.measured,
            finding.verdict.name(),
            &finding.reason,
        ];
        out += &format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "));
    }
    for (title, table) in [
        ("Times, memory and code", overview(results)),
        ("Cycles and stack", cycles(results)),
        ("Signing", signing(results)),
        ("Sizes", sizes(results)),
        ("Fabric", fabric(results)),
        ("What acceleration can give", amdahl(results)),
        ("Which to choose", choices(results)),
        ("Energy", energy(results)),
        ("Silicon", silicon(results)),
        ("Problems", problems(results)),
    ] {
        if table.rows.is_empty() {
            out += &format!("\n## {title}\n\nNothing in these results.\n");
        } else {
            out += &format!("\n## {title}\n\n{}", table.markdown());
        }
    }
    out
}

/// All figures as CSV, one line each, with the subject and the statistics.
pub fn csv(results: &Results) -> String {
    let mut out = csv::Writer::from_writer(Vec::new());
    // Writing to memory cannot fail.
    let _ = out.write_record([
        "implementation",
        "algorithm",
        "operation",
        "engine",
        "profile",
        "build",
        "board",
        "platform",
        "core_mhz",
        "wait_states",
        "pl_mhz",
        "quantity",
        "unit",
        "status",
        "runs",
        "mean",
        "min",
        "median",
        "p95",
        "p99",
        "max",
        "low",
        "high",
        "provenance",
    ]);
    for m in &results.measurements {
        let s = &m.subject;
        for &quantity in Quantity::ALL {
            let Some(f) = m.get(quantity) else { continue };
            let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
            let platform = if s.platform == Platform::Virtual { "virtual" } else { "silicon" };
            let _ = out.write_record([
                s.implementation.clone(),
                s.algorithm.clone(),
                s.operation.name().into(),
                s.engine.clone(),
                s.profile.clone(),
                s.build.clone(),
                s.board.clone(),
                platform.into(),
                s.core_mhz.to_string(),
                s.wait_states.map_or(String::new(), |n| n.to_string()),
                number(s.pl_mhz),
                quantity.name().into(),
                quantity.unit().into(),
                f.status.name().into(),
                f.runs.to_string(),
                f.mean.to_string(),
                number(f.min),
                number(f.median),
                number(f.p95),
                number(f.p99),
                number(f.max),
                number(f.low),
                number(f.high),
                m.provenance.clone(),
            ]);
        }
    }
    // Writing to memory cannot fail, and all of it is text.
    String::from_utf8(out.into_inner().unwrap_or_default()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Part;
    use crate::sample;

    fn words(row: &[Cell]) -> Vec<String> {
        row.iter().map(|cell| text::ascii_spaces(&cell.markdown())).collect()
    }

    #[test]
    fn what_acceleration_can_give_follows_from_the_profile() {
        let mut results = sample::results();
        assert!(amdahl(&results).rows.is_empty());
        let software = |m: &&mut Measurement| {
            m.subject.board == "zedboard"
                && m.subject.engine == "software"
                && m.subject.operation == Operation::Sign
        };
        let part = |name: &str, share| Part { name: name.into(), share, status: Status::Estimated };
        results.measurements.iter_mut().find(software).unwrap().breakdown = vec![
            part("hashing", 0.5),
            part("transforms", 0.25),
            part("sampling", 0.05),
            part("everything else", 0.2),
        ];
        let table = amdahl(&results);
        // Three quarters away leave a fourfold speed; 14 ms became 5.185 ms and 1.105 ms.
        assert_eq!(
            words(&table.rows[0]),
            [
                "ML-DSA-44",
                "signing",
                "14.0 ms (e)",
                "75.0 % (e)",
                "4.00 × (e)",
                "2.70 × (e)",
                "80.0 % (e)",
                "5.00 × (e)",
                "12.7 × (e)"
            ]
        );
        assert_eq!(table.rows.len(), 1);
    }

    #[test]
    fn devices_and_what_fits_them() {
        let results = complete(&sample::results());
        let table = choices(&results);
        for (device, _) in devices() {
            let rows: Vec<_> =
                table.rows.iter().map(|row| words(row)).filter(|row| row[0] == device).collect();
            assert!((1..=4).contains(&rows.len()), "{device}");
            // Only the last one is ruled out, and says by what.
            assert!(rows[..rows.len() - 1].iter().all(|row| row[1] == "fits"), "{rows:?}");
            assert!(rows.iter().all(|row| row[3].contains(" of ")), "{rows:?}");
        }
        let all: Vec<_> = table.rows.iter().map(|row| words(row).join(" ")).collect();
        assert!(all.iter().any(|row| row.contains("RAM ") && row.contains("(exact) of 16 KiB")), "{all:#?}");
    }
}
