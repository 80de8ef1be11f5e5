//! Figures that no run gives: the study's claims, pqm4's benchmarks, data sheets (`data/published.json`), what pqm4's programs
//! take on the virtual board (`data/calibration.json`), the fabric's area (`data/area.json`), and a run of the study of this
//! project's own, for those who have none (`data/measured.json`).
use crate::experiment::Engine;
use crate::results::{Figure, Measurement, Operation, Platform, Quantity, Results, Status};
use serde::Deserialize;
use std::sync::LazyLock;

const FILE: &str = include_str!("../data/published.json");
const CALIBRATION: &str = include_str!("../data/calibration.json");
const MEASURED: &str = include_str!("../data/measured.json");
const AREA: &str = include_str!("../data/area.json");

/// What is in the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The study.
    pub study: Study,
    /// What boards draw.
    pub power: Vec<Power>,
    /// How far model and silicon may be apart.
    pub bands: Vec<Band>,
    /// Figures with their sources.
    pub results: Results,
}

/// The study that the project starts from.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// Its title.
    pub title: String,
    /// What it leaves open.
    pub note: String,
    /// What it reports, in its order.
    pub claims: Vec<Claim>,
}

/// A result that the study reports.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// A short name.
    pub id: String,
    /// On what.
    pub system: String,
    /// Of which operation.
    pub operation: String,
    /// In its words.
    pub reported: String,
    /// How it is judged.
    pub test: Test,
}

/// How a claim is compared with measurements.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "kebab-case")]
pub enum Test {
    /// The stack of the reference layout, not optimised, is above so many bytes.
    Stack {
        /// The family's name.
        family: String,
        /// The limit.
        bytes: u64,
    },
    /// A SPHINCS+ set takes about so long.
    Minutes {
        /// Of which operation.
        operation: Operation,
        /// How long.
        minutes: f64,
    },
    /// The operation does not work, or takes longer than anybody waits.
    Works {
        /// The family's name.
        family: String,
        /// Which operation.
        operation: Operation,
    },
    /// The study's design takes so long.
    CoDesign {
        /// Of which operation.
        operation: Operation,
        /// How long.
        ms: f64,
    },
}

/// Power of a board at a clock.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Power {
    /// As in [`Subject::board`](crate::results::Subject::board).
    pub board: String,
    /// Clock of the core in MHz.
    pub core_mhz: f64,
    /// What the chip draws.
    pub milliwatts: f64,
    /// Where that is written.
    pub source: String,
}

/// How far times of a board may be from silicon, as fractions of the mean.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Band {
    /// As in [`Subject::board`](crate::results::Subject::board).
    pub board: String,
    /// Of figures with this status.
    pub status: Status,
    /// Silicon may take so much less.
    pub below: f64,
    /// Silicon may take so much more.
    pub above: f64,
    /// What that rests on.
    pub why: String,
}

/// What the fabric's logic takes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Area {
    /// Which tool said so of what.
    source: String,
    designs: Vec<Design>,
}

/// A fabric with these parameters.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Design {
    butterflies: u32,
    /// Of the permutation a cycle.
    rounds: u32,
    luts: u32,
    flip_flops: u32,
    dsp_blocks: u32,
    ramb36: u32,
    ramb18: u32,
    /// What else should be known.
    note: Option<String>,
}

/// The file.
pub fn published() -> &'static Published {
    static DATA: LazyLock<Published> =
        LazyLock::new(|| serde_json::from_str(FILE).expect("a test reads the file that is compiled in"));
    &DATA
}

/// pqm4's programs on the virtual board, measured while its model was made.
pub fn calibration() -> Results {
    Results::from_json(CALIBRATION).expect("a test reads the file that is compiled in")
}

/// What this project measured when this program was made: the results of `pqsoc reproduce`.
pub fn measured() -> Results {
    Results::from_json(MEASURED).expect("a test reads the file that is compiled in")
}

/// Adds the band of its board and status to a time.
pub fn with_band(figure: Figure, board: &str) -> Figure {
    match published().bands.iter().find(|b| b.board == board && b.status == figure.status) {
        Some(band) => figure.with_band(band.below, band.above),
        None => figure,
    }
}

/// Energy of an operation: time by the power that the data sheet gives for the board at this clock.
pub fn energy(measurement: &Measurement) -> Option<Figure> {
    let subject = &measurement.subject;
    let power =
        published().power.iter().find(|p| p.board == subject.board && p.core_mhz == subject.core_mhz)?;
    let mut energy =
        measurement.time_ms.as_ref()?.map(Status::Estimated, |ms| ms * power.milliwatts / 1000.0);
    energy.derivation = Some(format!("Time by {} mW. {}", power.milliwatts, power.source));
    Some(energy)
}

/// Adds the area of the fabric that a measurement on the virtual ZedBoard was made with.
pub fn add_area(measurement: &mut Measurement) {
    static DATA: LazyLock<Area> =
        LazyLock::new(|| serde_json::from_str(AREA).expect("a test reads the file that is compiled in"));
    /// The fabrics that experiments run with.
    const ROUNDS: u32 = 1;
    let subject = &measurement.subject;
    let engine = Engine::ALL.into_iter().find(|engine| engine.name() == subject.engine);
    let on_fabric = subject.board == "zedboard" && subject.platform == Platform::Virtual;
    let Some(engine) = engine.filter(|_| on_fabric) else { return };
    let fits = |design: &&Design| design.butterflies == engine.butterflies() && design.rounds == ROUNDS;
    let Some(design) = DATA.designs.iter().find(fits) else { return };
    let note = design.note.as_ref().map_or(String::new(), |note| format!(" {note}"));
    for (quantity, value) in [
        (Quantity::Luts, f64::from(design.luts)),
        (Quantity::FlipFlops, f64::from(design.flip_flops)),
        // Two of the small ones fill a place.
        (Quantity::BlockRams, f64::from(design.ramb36) + f64::from(design.ramb18) / 2.0),
        (Quantity::DspBlocks, f64::from(design.dsp_blocks)),
    ] {
        measurement.get_mut(quantity).get_or_insert(Figure {
            derivation: Some(format!("{}{note}", DATA.source)),
            ..Figure::constant(Status::Estimated, value)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    /// The fabric's README has the same figures.
    #[test]
    fn areas_are_those_of_the_fabrics_readme() {
        let readme = include_str!("../../../hw/README.md");
        let area: Area = serde_json::from_str(AREA).unwrap();
        for d in &area.designs {
            let number = |n: u32| text::ascii_spaces(&text::grouped(f64::from(n)));
            let row =
                [d.butterflies, d.rounds, d.luts, d.flip_flops, d.dsp_blocks, d.ramb36, d.ramb18].map(number);
            let row = format!("| {} |", row.join(" | "));
            assert!(readme.contains(&row), "{row}");
        }
        // Both engines have one, software has none.
        for engine in Engine::ALL {
            let designs = area.designs.iter().filter(|d| d.butterflies == engine.butterflies());
            assert_eq!(designs.count(), usize::from(engine != Engine::Software));
        }
    }

    #[test]
    fn the_files_are_sound() {
        let results = &published().results;
        assert_eq!(Results::from_json(&results.to_json()).as_ref().unwrap(), results);
        assert!(!calibration().measurements.is_empty());
        assert!(measured().to_json() == MEASURED, "data/measured.json is not as results are written");
        for measurement in &results.measurements {
            assert!(results.provenance[&measurement.provenance].reference.is_some());
            let figures = Quantity::ALL.iter().filter_map(|&q| measurement.get(q));
            assert!(figures.clone().count() > 0 && figures.clone().all(|f| f.status == Status::Published));
        }
        // No two claims share a name: the report links to them.
        let mut names: Vec<_> = published().study.claims.iter().map(|claim| &claim.id).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    /// Milliseconds and cycles of a published figure say the same.
    #[test]
    fn times_are_cycles_by_the_clock() {
        for m in &published().results.measurements {
            if let (Some(time), Some(cycles)) = (&m.time_ms, &m.cycles) {
                let expected = cycles.mean / (m.subject.core_mhz * 1000.0);
                assert!((time.mean / expected - 1.0).abs() < 1e-3, "{}", m.subject);
            }
        }
    }
}
