//! Which plots there are, and what they show.
use super::Drawing;
use super::draw::{self, Axis, Bar, Curves, Point, Rows, Scale, Scatter};
use crate::algorithms::{self, Family};
use crate::results::{Measurement, Operation, Platform, Quantity, Results};
use crate::study::CONTIGUOUS_SRAM;
use crate::{tables, text};
use std::collections::{BTreeMap, BTreeSet};

/// A plot with its words.
pub struct Plot {
    /// Name in the address of its place.
    pub id: &'static str,
    /// What it shows.
    pub title: String,
    /// What to see in it, and how to read it.
    pub caption: String,
    /// Colours and what they stand for.
    pub legend: Vec<(usize, String)>,
    /// The plot, or what is missing for it.
    pub drawing: Result<Drawing, String>,
}

impl Plot {
    fn new(id: &'static str, title: impl Into<String>, caption: impl Into<String>) -> Self {
        Self {
            id,
            title: title.into(),
            caption: caption.into(),
            legend: Vec::new(),
            drawing: Err("There is nothing to draw.".into()),
        }
    }

    /// Draws, unless something is missing.
    fn draw(
        mut self,
        missing: Option<&str>,
        draw: impl FnOnce() -> Result<Drawing, Box<dyn std::error::Error>>,
    ) -> Self {
        self.drawing = match missing {
            Some(what) => Err(format!("Not in these results: {what}.")),
            None => draw().map_err(|error| format!("The plot could not be drawn: {error}.")),
        };
        self
    }
}

/// Colours by name, in the order in which the names come.
#[derive(Default)]
struct Legend(Vec<String>);

impl Legend {
    fn series(&mut self, name: &str) -> usize {
        self.0.iter().position(|known| known == name).unwrap_or_else(|| {
            self.0.push(name.into());
            self.0.len() - 1
        })
    }

    fn entries(self) -> Vec<(usize, String)> {
        self.0.into_iter().enumerate().collect()
    }
}

fn log(title: &str, format: fn(f64) -> String) -> Axis {
    Axis { scale: Scale::Log, title: title.into(), format }
}

fn log_bytes(title: &str) -> Axis {
    Axis { scale: Scale::LogBytes, title: title.into(), format: text::bytes }
}

/// Where a measurement ran, as a legend tells it.
fn platform(m: &Measurement) -> String {
    let subject = &m.subject;
    let engine = if subject.board == "zedboard" { format!(", {}", subject.engine) } else { String::new() };
    let published = if subject.platform == Platform::Silicon { " (published)" } else { "" };
    format!("{}{engine}{published}", subject.place().replace(" (silicon)", ""))
}

/// The order of platforms: by board, then by clock.
fn platform_rank(m: &Measurement) -> (Platform, String, u64, String) {
    (m.subject.platform, m.subject.board.clone(), (m.subject.core_mhz * 1000.0) as u64, platform(m))
}

/// What the study's readers ask about: not the unoptimised builds, and not a scheme twice under its older name.
fn current(m: &Measurement) -> bool {
    m.subject.build == "optimised"
        && m.subject.operation != Operation::Kernel
        && matches!(Family::of(&m.subject.algorithm), Family::MlDsa | Family::SlhDsa | Family::Classical)
}

fn mean(m: &Measurement, quantity: Quantity) -> Option<f64> {
    m.get(quantity).map(|figure| figure.mean).filter(|mean| *mean > 0.0)
}

/// All plots in the order of the page.
pub fn all(results: &Results) -> Vec<Plot> {
    let mut plots: Vec<Plot> = Operation::ALL.iter().map(|operation| times(results, *operation)).collect();
    plots.extend([
        memory(results, Operation::Sign),
        memory(results, Operation::Verify),
        signing(results),
        breakdown(results, false),
        breakdown(results, true),
        sizes(results),
        area(results),
        code(results),
        energy(results),
        silicon(results),
    ]);
    plots
}

/// Time of an operation: a row for each set, a dot for the fastest code on each platform.
fn times(results: &Results, operation: Operation) -> Plot {
    let id = match operation {
        Operation::Keygen => "times-keygen",
        Operation::Sign => "times-sign",
        _ => "times-verify",
    };
    let mut plot = Plot::new(
        id,
        format!("Time for {}", operation.title()),
        if operation == Operation::Sign {
            "Mean time of the fastest code measured on each platform. The scale is logarithmic: equal distances are equal factors. \
             Shapes are the marks of the tables."
        } else {
            ""
        },
    );
    let mut best: BTreeMap<(_, String), (f64, &Measurement)> = BTreeMap::new();
    for m in results.measurements.iter().filter(|m| current(m) && m.subject.operation == operation) {
        let Some(time) = mean(m, Quantity::TimeMs) else { continue };
        let entry = best.entry((algorithms::rank(&m.subject.algorithm), platform(m))).or_insert((time, m));
        if time < entry.0 {
            *entry = (time, m);
        }
    }
    // Colours in the order of the platforms' names, so that the three plots agree.
    let timed = results.measurements.iter().filter(|m| current(m) && m.time_ms.is_some());
    let platforms: BTreeSet<_> = timed.map(platform_rank).collect();
    let platforms: Vec<String> = platforms.into_iter().map(|(_, _, _, name)| name).collect();
    let mut rows: Vec<(String, Vec<Point>)> = Vec::new();
    for ((_, place), (time, m)) in &best {
        let Some(status) = m.time_ms.as_ref().map(|figure| figure.status) else { continue };
        let series = platforms.iter().position(|p| p == place).unwrap_or(0);
        let point = Point { x: *time, y: 0.0, series, status, label: String::new() };
        match rows.last_mut().filter(|(name, _)| *name == m.subject.algorithm) {
            Some((_, points)) => points.push(point),
            None => rows.push((m.subject.algorithm.clone(), vec![point])),
        }
    }
    let used = |series| rows.iter().any(|(_, points)| points.iter().any(|p| p.series == series));
    plot.legend = platforms.into_iter().enumerate().filter(|(i, _)| used(*i)).collect();
    let missing = format!("a time for {}", operation.title());
    plot.draw(rows.is_empty().then_some(missing.as_str()), || {
        draw::rows(&Rows { x: log("mean time", text::duration), rows, marks: Vec::new() })
    })
}

/// Stack against cycles without wait states, with the frontier of each set.
fn memory(results: &Results, operation: Operation) -> Plot {
    let id = if operation == Operation::Sign { "memory-sign" } else { "memory-verify" };
    let mut plot = Plot::new(
        id,
        format!("Memory against time: {}", operation.title()),
        "Stack and mean core cycles on a Cortex-M4 without wait states. Down and to the left is better; the line joins, for \
         each set, the choices that no other one beats in both.",
    );
    let mut legend = Legend::default();
    let mut points = Vec::new();
    let mut measured: Vec<&Measurement> = results
        .measurements
        .iter()
        .filter(|m| {
            Family::of(&m.subject.algorithm) == Family::MlDsa
                && m.subject.build == "optimised"
                && m.subject.operation == operation
                && m.subject.wait_states == Some(0)
        })
        .collect();
    measured.sort_by_key(|m| algorithms::rank(&m.subject.algorithm));
    for m in measured {
        let (Some(x), Some(stack)) = (mean(m, Quantity::Cycles), m.stack_bytes.as_ref()) else { continue };
        let status = m.cycles.as_ref().map_or(stack.status, |cycles| cycles.status);
        let series = legend.series(&m.subject.algorithm);
        points.push(Point { x, y: stack.worst().max(1.0), series, status, label: m.subject.code() });
    }
    let lines = (0..legend.0.len()).map(|series| (series, frontier(&points, series))).collect();
    plot.legend = legend.entries();
    plot.draw(points.is_empty().then_some("cycles and stack of ML-DSA without wait states"), || {
        let marks = vec![(CONTIGUOUS_SRAM, "SRAM in one piece on the STM32F407".to_string())];
        let (x, y) = (log("mean core cycles", short), log_bytes("stack"));
        draw::scatter(&Scatter { x, y, points, lines, marks })
    })
}

/// The points of a series that no other one of it beats in both directions, as a staircase.
fn frontier(points: &[Point], series: usize) -> Vec<(f64, f64)> {
    let mut sorted: Vec<(f64, f64)> =
        points.iter().filter(|p| p.series == series).map(|p| (p.x, p.y)).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut line: Vec<(f64, f64)> = Vec::new();
    for (x, y) in sorted {
        match line.last().copied() {
            Some((_, lowest)) if y >= lowest => {}
            Some((_, lowest)) => line.extend([(x, lowest), (x, y)]),
            None => line.push((x, y)),
        }
    }
    line
}

/// 3943121 as `3.94 M`.
fn short(value: f64) -> String {
    match value {
        v if v >= 1e9 => format!("{} G", text::significant(v / 1e9)),
        v if v >= 1e6 => format!("{} M", text::significant(v / 1e6)),
        v if v >= 1e3 => format!("{} k", text::significant(v / 1e3)),
        v => text::significant(v),
    }
    .replace(".00", "")
}

/// The share of signatures that are done after some time.
fn signing(results: &Results) -> Plot {
    let mut plot = Plot::new(
        "signing-curves",
        "How long a signature takes",
        "ML-DSA tries until a signature is good, so its time is a distribution: the share of signatures that are done after \
         a time. For each set the fastest profile measured, where single runs were kept.",
    );
    let mut best: BTreeMap<_, (&Measurement, &[f64], f64)> = BTreeMap::new();
    for m in results.measurements.iter().filter(|m| m.subject.operation == Operation::Sign && current(m)) {
        let (Some(time), Some(cycles)) = (&m.time_ms, &m.cycles) else { continue };
        let Some(samples) = cycles.samples.as_deref().filter(|samples| samples.len() > 1) else { continue };
        let entry = best.entry(algorithms::rank(&m.subject.algorithm)).or_insert((m, samples, time.mean));
        if time.mean < entry.2 {
            *entry = (m, samples, time.mean);
        }
    }
    let mut legend = Legend::default();
    let mut curves = Vec::new();
    for (m, samples, _) in best.values() {
        let name = format!("{}, {}, {} runs", m.subject.algorithm, m.subject.place(), samples.len());
        let mut sorted: Vec<f64> = samples.iter().map(|c| c / (m.subject.core_mhz * 1000.0)).collect();
        sorted.sort_by(f64::total_cmp);
        let mut corners = vec![(sorted[0], 0.0)];
        for (i, x) in sorted.iter().enumerate() {
            let share = |n: usize| n as f64 / sorted.len() as f64;
            corners.extend([(*x, share(i)), (*x, share(i + 1))]);
        }
        curves.push((legend.series(&name), corners));
    }
    plot.legend = legend.entries();
    plot.draw(curves.is_empty().then_some("single runs of signing"), || {
        let y =
            Axis { scale: Scale::Linear, title: "signatures that are done".into(), format: draw::percent };
        draw::curves(&Curves { x: log("time", text::duration), y, curves })
    })
}

/// What the time of an operation is made of: by function where software does everything, else by what the processor does.
fn breakdown(results: &Results, fabric: bool) -> Plot {
    const MOST: usize = 24;
    let mut plot = if fabric {
        Plot::new(
            "breakdown-fabric",
            "Where the time goes on the ZedBoard with the fabric",
            "Shares of the mean time, as the processor spends it: while the fabric computes, it waits at its registers.",
        )
    } else {
        Plot::new(
            "breakdown",
            "Where software spends its time",
            "Shares of the mean time, of the fastest profile. Published rows know hashing alone.",
        )
    };
    let mut legend = Legend::default();
    let mut bars: Vec<Bar> = Vec::new();
    let mut measured: Vec<&Measurement> = results
        .measurements
        .iter()
        .filter(|m| !m.breakdown.is_empty() && m.subject.operation != Operation::Keygen && current(m))
        .filter(|m| (m.subject.engine != "software") == fabric)
        .filter(|m| match Family::of(&m.subject.algorithm) {
            Family::MlDsa => !matches!(m.subject.profile.as_str(), "small" | "reference"),
            // What only hashes is the same for every set; published ones of ML-DSA are enough.
            Family::SlhDsa => {
                m.subject.platform == Platform::Virtual && m.subject.algorithm.ends_with("128f")
            }
            _ => false,
        })
        .collect();
    measured.sort_by_cached_key(|m| {
        (m.subject.platform, algorithms::rank(&m.subject.algorithm), m.subject.operation, m.subject.key())
    });
    for m in measured.into_iter().take(MOST) {
        let subject = &m.subject;
        let parts = m.breakdown.iter();
        let parts =
            parts.map(|part| (legend.series(&part.name), part.share, draw::percent(part.share))).collect();
        let place = match subject.pl_mhz {
            Some(mhz) => format!(", PL {mhz:.0} MHz"),
            None if subject.board == "zedboard" => ", ZedBoard".to_string(),
            None => String::new(),
        };
        bars.push((
            format!("{} {}, {}{place}", subject.algorithm, subject.operation.name(), subject.code()),
            parts,
        ));
    }
    plot.legend = legend.entries();
    plot.draw(bars.is_empty().then_some("what the time is made of"), || draw::stacked(&bars))
}

/// Bytes to send against the time to verify.
fn sizes(results: &Results) -> Plot {
    let mut plot = Plot::new(
        "sizes-plot",
        "Size against verification time",
        "Bytes of public key and signature together, and the fastest verification measured on an STM32F407 at its fastest \
         clock. Down and to the left is better.",
    );
    let mut best: BTreeMap<_, (&Measurement, f64)> = BTreeMap::new();
    let clock = results
        .measurements
        .iter()
        .filter(|m| m.subject.board == "stm32f407" && current(m) && m.time_ms.is_some())
        .map(|m| m.subject.core_mhz)
        .fold(0.0, f64::max);
    for m in results.measurements.iter().filter(|m| {
        current(m)
            && m.subject.board == "stm32f407"
            && m.subject.operation == Operation::Verify
            && m.subject.core_mhz == clock
    }) {
        let Some(time) = mean(m, Quantity::TimeMs) else { continue };
        let entry = best.entry(algorithms::rank(&m.subject.algorithm)).or_insert((m, time));
        if time < entry.1 {
            *entry = (m, time);
        }
    }
    let mut legend = Legend::default();
    let mut points = Vec::new();
    for (m, time) in best.values() {
        let Some(sizes) = algorithms::sizes(&m.subject.algorithm) else { continue };
        let Some(status) = m.time_ms.as_ref().map(|figure| figure.status) else { continue };
        let series = legend.series(Family::of(&m.subject.algorithm).name());
        let y = (sizes.public_key + sizes.signature) as f64;
        points.push(Point { x: *time, y, series, status, label: m.subject.algorithm.clone() });
    }
    plot.legend = legend.entries();
    plot.draw(points.is_empty().then_some("verification on the STM32F407"), || {
        let (x, y) = (log("mean time to verify", text::duration), log_bytes("public key + signature"));
        draw::scatter(&Scatter { x, y, points, lines: Vec::new(), marks: Vec::new() })
    })
}

/// Logic of the fabric against signing time.
fn area(results: &Results) -> Plot {
    let mut plot = Plot::new(
        "area",
        "Area against time",
        "Look-up tables of the fabric and the mean time to sign. Down and to the left is better.",
    );
    let mut legend = Legend::default();
    let mut points = Vec::new();
    let shown = |m: &&Measurement| m.subject.platform == Platform::Silicon || current(m);
    let signing = results.measurements.iter().filter(|m| m.subject.operation == Operation::Sign);
    for m in signing.filter(shown) {
        let (Some(x), Some(y), Some(time)) = (mean(m, Quantity::TimeMs), mean(m, Quantity::Luts), &m.time_ms)
        else {
            continue;
        };
        let series = legend.series(&m.subject.code());
        let label = format!("{}, {}", m.subject.algorithm, m.subject.place());
        points.push(Point { x, y, series, status: time.status, label });
    }
    plot.legend = legend.entries();
    let one = points.len() < 2;
    plot.draw(one.then_some("area and signing time of more than one design"), || {
        let (x, y) = (log("mean time to sign", text::duration), log("look-up tables", text::grouped));
        draw::scatter(&Scatter { x, y, points, lines: Vec::new(), marks: Vec::new() })
    })
}

/// Code and constants.
fn code(results: &Results) -> Plot {
    let mut plot = Plot::new(
        "code",
        "Code size",
        "Code and constants in flash of what the operation needs; of published code, of all operations together.",
    );
    let mut legend = Legend::default();
    let mut rows: Vec<(String, Vec<Point>)> = Vec::new();
    for group in tables::groups(results) {
        let subject = &results.measurements[group.first].subject;
        if !matches!(Family::of(&subject.algorithm), Family::MlDsa | Family::SlhDsa | Family::Classical) {
            continue;
        }
        let mut points: Vec<Point> = Vec::new();
        for i in group.operations.into_iter().flatten() {
            let m = &results.measurements[i];
            let Some(figure) = &m.code_bytes else { continue };
            let name =
                if subject.platform == Platform::Silicon { "published" } else { m.subject.operation.title() };
            let point = Point {
                x: figure.mean,
                y: 0.0,
                series: legend.series(name),
                status: figure.status,
                label: String::new(),
            };
            if !points.iter().any(|p| p.series == point.series) {
                points.push(point);
            }
        }
        let name = format!("{}, {}", subject.algorithm, subject.code());
        // The clock does not change the code.
        if !points.is_empty() && !rows.iter().any(|(known, _)| *known == name) {
            rows.push((name, points));
        }
    }
    plot.legend = legend.entries();
    plot.draw(rows.is_empty().then_some("code sizes"), || {
        let x = log_bytes("code and constants");
        draw::rows(&Rows { x, rows, marks: Vec::new() })
    })
}

/// Energy by operation.
fn energy(results: &Results) -> Plot {
    let mut plot = Plot::new(
        "energy-plot",
        "Energy",
        "An estimate: mean time by the power that the data sheet gives for the chip at this clock, all peripherals off. The \
         fastest code of each set.",
    );
    let mut legend = Legend::default();
    let mut best: BTreeMap<_, [Option<(f64, &Measurement)>; 3]> = BTreeMap::new();
    for m in results.measurements.iter().filter(|m| current(m)) {
        let Some(energy) = mean(m, Quantity::EnergyMj) else { continue };
        let Some(column) = Operation::ALL.iter().position(|o| *o == m.subject.operation) else { continue };
        let place = &mut best.entry(algorithms::rank(&m.subject.algorithm)).or_default()[column];
        if place.is_none_or(|(known, _)| energy < known) {
            *place = Some((energy, m));
        }
    }
    let mut rows = Vec::new();
    for columns in best.into_values() {
        let mut name = String::new();
        let mut points = Vec::new();
        for (x, m) in columns.into_iter().flatten() {
            name = format!("{}, {}", m.subject.algorithm, m.subject.place());
            let series = legend.series(m.subject.operation.title());
            let Some(status) = m.energy_mj.as_ref().map(|figure| figure.status) else { continue };
            points.push(Point { x, y: 0.0, series, status, label: String::new() });
        }
        rows.push((name, points));
    }
    plot.legend = legend.entries();
    plot.draw(rows.is_empty().then_some("times at a clock for which the data sheet gives a power"), || {
        let x = log("energy of one operation", |mj| text::value(Quantity::EnergyMj, mj));
        draw::rows(&Rows { x, rows, marks: Vec::new() })
    })
}

/// The model's error against each published figure.
fn silicon(results: &Results) -> Plot {
    let mut plot = Plot::new(
        "silicon-plot",
        "Virtual board against silicon",
        "Cycles of the same program here, less those published, as a share of the latter. Rows from another chip compare the \
         chips too.",
    );
    let mut legend = Legend::default();
    let mut rows = Vec::new();
    for pair in tables::pairs(results) {
        let m = &results.measurements[pair.model];
        let silicon = &results.measurements[pair.silicon];
        let what = if pair.other_chip { "another chip: " } else { "the same chip: " };
        let series = legend.series(&format!("{what}{}", silicon.subject.place()));
        let kernel = m.subject.operation == Operation::Kernel;
        let operation = if kernel { String::new() } else { format!(" {}", m.subject.operation.name()) };
        let name = format!("{}{operation}, {}", m.subject.algorithm, m.subject.code());
        let Some(status) = m.cycles.as_ref().map(|figure| figure.status) else { continue };
        rows.push((name, vec![Point { x: pair.error, y: 0.0, series, status, label: String::new() }]));
    }
    plot.legend = legend.entries();
    plot.draw(rows.is_empty().then_some("programs that were measured on silicon too"), || {
        let format = |value: f64| format!("{:+.0}\u{a0}%", 100.0 * value);
        let x = Axis { scale: Scale::Linear, title: "difference in cycles".into(), format };
        draw::rows(&Rows { x, rows, marks: vec![(0.0, "silicon".into())] })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Status;

    #[test]
    fn the_frontier_leaves_out_what_is_beaten() {
        let point = |x, y, series| Point { x, y, series, status: Status::Exact, label: String::new() };
        let points = [
            point(3.0, 1.0, 0),
            point(1.0, 3.0, 0),
            point(2.0, 4.0, 0),
            point(0.5, 0.5, 1),
            point(2.0, 2.0, 0),
        ];
        assert_eq!(frontier(&points, 0), [(1.0, 3.0), (2.0, 3.0), (2.0, 2.0), (3.0, 2.0), (3.0, 1.0)]);
        assert_eq!(frontier(&points, 1), [(0.5, 0.5)]);
        assert_eq!(frontier(&points, 2), []);
    }

    #[test]
    fn every_plot_says_what_is_missing() {
        for plot in all(&Results::new()) {
            let reason = plot.drawing.err().unwrap();
            assert!(reason.starts_with("Not in these results: "), "{}: {reason}", plot.id);
        }
        let complete = tables::complete(&crate::sample::results());
        for plot in all(&complete) {
            assert!(plot.drawing.is_ok(), "{}: {:?}", plot.id, plot.drawing.err());
        }
    }
}
