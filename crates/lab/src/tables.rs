//! The tables of the report, in one form for HTML and Markdown.
use crate::algorithms::{self, Family};
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
            Self::Figure { text, status, .. } => format!("{text} {}", mark(*status)),
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
            pairs.push(Pair { model, silicon: *silicon, error: a.mean / b.mean - 1.0, other_chip });
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
            Cell::Number(pair.error, format!("{:+.2}\u{a0}%", 100.0 * pair.error)),
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

/// Results with all that the report adds: published figures, calibration, energy.
pub fn complete(results: &Results) -> Results {
    let mut all = published::published().results.clone();
    all.merge(published::calibration());
    all.merge(results.clone());
    for measurement in &mut all.measurements {
        if measurement.energy_mj.is_none() {
            measurement.energy_mj = published::energy(measurement);
        }
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
