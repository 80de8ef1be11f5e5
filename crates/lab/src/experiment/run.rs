//! Running a plan: several jobs at a time, nothing twice, and whatever goes wrong with one leaves the others alone.
use super::cache::Cache;
use super::hashes::{Blocks, keygen_blocks, sign_blocks, verify_blocks};
use super::job::{Engine, Job, Outcome, Setup};
use super::plan::{CHUNK, Cell};
use super::split::Split;
use crate::published;
use crate::results::{
    Figure, Measurement, Operation, Origin, Part, Problem, ProblemKind, Provenance, Results, Status, Subject,
};
use crate::text;
use pqsoc_slhdsa::Params;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Is told how far things are. Called from several threads.
pub trait Progress: Sync {
    /// So much work there is, in expected cycles; so much of it is known already and will not be told of again.
    fn begin(&self, total: u64, known: u64);
    /// So much more has been done, of this.
    fn advance(&self, cycles: u64, what: &str);
    /// Something that the person should know.
    fn warn(&self, sentence: &str);
}

/// Runs every cell and puts the results together. Without a cache everything is run.
///
/// `commit` is that of the sources of the firmware. Results do not depend on `threads`, nor on what was cached.
pub fn perform(
    cells: &[Cell],
    cache: Option<&Cache>,
    threads: usize,
    commit: Option<&str>,
    progress: &dyn Progress,
) -> Results {
    let jobs: Vec<&Job> = cells.iter().flat_map(|cell| cell.jobs.iter().chain(&cell.imaginary)).collect();
    let outcomes = run_all(&jobs, cache, threads, progress);
    let mut outcomes = outcomes.into_iter();
    let mut results = Results::new();
    for cell in cells.iter().filter(|cell| cell.derived.is_none()) {
        let of_jobs: Vec<Outcome> = outcomes.by_ref().take(cell.jobs.len()).collect();
        let imaginary = cell.imaginary.as_ref().and_then(|_| outcomes.next());
        let provenance = provenance(&mut results, cell, &of_jobs, commit);
        results.measurements.push(measurement(cell, &of_jobs, imaginary.as_ref(), &provenance));
    }
    for cell in cells {
        if let Some(params) = cell.derived {
            let derived = derived(&results, cell, params).unwrap_or_else(|why| Measurement {
                problem: Some(super::job::tool(format!("it cannot be derived: {why}"))),
                ..Measurement::new(cell.subject.clone(), not_run(&mut results))
            });
            results.measurements.push(derived);
        }
    }
    share_code_sizes(&mut results);
    results
}

/// Code does not depend on the clock, nor, with SLH-DSA, on whether a set is the small or the fast one.
fn share_code_sizes(results: &mut Results) {
    let known: Vec<(Subject, Figure)> = results
        .measurements
        .iter()
        .filter_map(|m| Some((m.subject.clone(), m.code_bytes.clone()?)))
        .collect();
    for measurement in results.measurements.iter_mut().filter(|m| m.code_bytes.is_none()) {
        let subject = &measurement.subject;
        let fast = Params::by_name(&subject.algorithm).map(sibling);
        let found = known.iter().find(|(other, _)| {
            (other.algorithm == subject.algorithm || Some(&other.algorithm) == fast.as_ref())
                && (&other.board, &other.engine) == (&subject.board, &subject.engine)
                && (&other.implementation, other.operation, &other.profile, &other.build)
                    == (&subject.implementation, subject.operation, &subject.profile, &subject.build)
        });
        measurement.code_bytes = found.map(|(_, figure)| figure.clone());
    }
}

/// Runs what is not known, the longest first; outcomes are in the order of the jobs.
fn run_all(jobs: &[&Job], cache: Option<&Cache>, threads: usize, progress: &dyn Progress) -> Vec<Outcome> {
    let known: Vec<Option<Outcome>> = jobs.iter().map(|job| cache?.get(job)).collect();
    let work = |wanted: &dyn Fn(usize) -> bool| -> u64 {
        (0..jobs.len()).filter(|i| wanted(*i)).map(|i| jobs[i].expected_cycles).sum()
    };
    progress.begin(work(&|_| true), work(&|i| known[i].is_some()));
    let mut order: Vec<usize> = (0..jobs.len()).filter(|i| known[*i].is_none()).collect();
    order.sort_by_key(|i| std::cmp::Reverse(jobs[*i].expected_cycles));
    let outcomes: Vec<Mutex<Option<Outcome>>> = known.into_iter().map(Mutex::new).collect();
    let next = AtomicUsize::new(0);
    let warned = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, order.len().max(1)) {
            scope.spawn(|| {
                while let Some(&i) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let job = jobs[i];
                    let what = format!("{} {}", job.algorithm, job.operation.name());
                    let share = job.expected_cycles / u64::from(job.runs.max(1));
                    let outcome = job.run(&|| progress.advance(share, &what));
                    // A tool that is missing or broken may be there next time.
                    let of_the_tool = outcome.problem.as_ref().is_some_and(|p| p.kind == ProblemKind::Tool);
                    let cache = cache.filter(|_| !of_the_tool);
                    // A disk that is full is full for all of them: it is said once.
                    if let Some(Err(error)) = cache.map(|cache| cache.put(job, &outcome))
                        && !warned.swap(true, Ordering::Relaxed)
                    {
                        progress.warn(&format!(
                            "results cannot be kept ({error}): what was measured from {what} on may be run again next time"
                        ));
                    }
                    if let Ok(mut place) = outcomes[i].lock() {
                        *place = Some(outcome);
                    }
                }
            });
        }
    });
    // Every job was run: the threads have ended.
    outcomes.into_iter().map(|place| place.into_inner().ok().flatten().unwrap_or_default()).collect()
}

/// Adds where a cell's figures come from, and returns its name.
fn provenance(results: &mut Results, cell: &Cell, outcomes: &[Outcome], commit: Option<&str>) -> String {
    let Some(job) = cell.jobs.first() else { return not_run(results) };
    let built = outcomes.iter().find(|outcome| outcome.rustc.is_some());
    let compiler = built.and_then(|outcome| outcome.rustc.clone());
    let flags =
        built.and_then(|outcome| outcome.opt_level.as_ref()).map(|level| format!("opt-level={level}"));
    let name = job.firmware.name.trim_end_matches(".elf").to_string();
    let (name, board, logic) = match &job.setup {
        Setup::Stm32f407 { .. } => (name, "STM32F407G-DISC1".to_string(), None),
        Setup::Zedboard { engine: Engine::Software, .. } => (name, "ZedBoard".to_string(), None),
        Setup::Zedboard { engine, .. } => {
            let butterflies = engine.butterflies();
            let plural = if butterflies == 1 { "butterfly" } else { "butterflies" };
            let board = format!("ZedBoard, with the fabric of {butterflies} {plural}");
            (format!("{name}-{}", engine.name()), board, Some(pqsoc_fabric::RTL_SHA3_256.to_string()))
        }
    };
    let how = if matches!(job.setup, Setup::Stm32f407 { .. }) { "PROFILE" } else { "ENGINE" };
    let source = Provenance {
        rtl_sha3_256: logic,
        reference: Some("cargo xtask reproduce".into()),
        commit: commit.map(str::to_string),
        elf_sha3_256: Some(job.firmware.sha3_256.clone()),
        options: Some(format!(
            "jobs ALGORITHM {how} OPERATION RUNS SEED MESSAGE, at most {CHUNK} runs each, seeds 0000, 0001 and so on, message {}",
            job.message
        )),
        tools: BTreeMap::from([("pqsoc-lab".to_string(), env!("CARGO_PKG_VERSION").to_string())]),
        ..Provenance::new(Origin::Measured, format!("{} on the virtual {board}.", job.firmware.name))
    };
    let source = results.provenance.entry(name.clone()).or_insert(source);
    // The program says how it was built. One that faulted before it spoke leaves that to a later cell.
    source.compiler = source.compiler.take().or(compiler);
    source.flags = source.flags.take().or(flags);
    name
}

/// Adds the source of measurements that have no figures, and returns its name.
fn not_run(results: &mut Results) -> String {
    const NAME: &str = "not-run";
    let source = Provenance::new(Origin::Measured, "Experiments that could not be run.");
    results.provenance.insert(NAME.into(), source);
    NAME.into()
}

/// How far cycles can be trusted at the subject's wait states.
fn status(subject: &Subject) -> Status {
    if subject.wait_states == Some(0) { Status::Modelled } else { Status::Estimated }
}

/// Cycles, and the time that they take with the band of the model.
fn set_cycles(measurement: &mut Measurement, cycles: Figure) {
    let subject = &measurement.subject;
    let hertz = subject.core_mhz * 1000.0;
    let time = cycles.map(cycles.status, |cycles| cycles / hertz);
    // What is calculated is as uncertain as what it is calculated from.
    let from = status(subject);
    let banded = published::with_band(Figure { status: from, ..time.clone() }, &subject.board);
    measurement.time_ms = Some(Figure { status: time.status, ..banded });
    measurement.cycles = Some(cycles);
}

/// Shares of the time, and the code that the operation entered.
fn set_profile(measurement: &mut Measurement, profile: &Outcome) {
    let total: u64 = profile.parts.values().sum();
    let status = status(&measurement.subject);
    let part = |(name, cycles): (&String, &u64)| Part {
        name: name.clone(),
        share: *cycles as f64 / total as f64,
        status,
    };
    measurement.breakdown = profile.parts.iter().map(part).collect();
    measurement.breakdown.sort_by(|a, b| b.share.total_cmp(&a.share));
    measurement.code_bytes = profile.code_bytes.map(|bytes| Figure {
        derivation: Some("The functions that were entered, whole; constants are not counted.".into()),
        ..Figure::constant(Status::Estimated, bytes as f64)
    });
}

fn measurement(
    cell: &Cell,
    outcomes: &[Outcome],
    imaginary: Option<&Outcome>,
    provenance: &str,
) -> Measurement {
    let mut measurement = Measurement::new(cell.subject.clone(), provenance);
    measurement.problem = cell.problem.clone().or_else(|| outcomes.iter().find_map(|o| o.problem.clone()));
    let runs = || outcomes.iter().flat_map(|outcome| &outcome.runs);
    let figures = |of: &dyn Fn(&super::Run) -> Option<f64>| runs().filter_map(of).collect::<Vec<f64>>();
    // A program whose stack overran other data computes anything.
    let sound = !matches!(
        measurement.problem,
        Some(Problem { kind: ProblemKind::StackOverflow | ProblemKind::Fault, .. })
    );
    if sound {
        let cycles = figures(&|run| Some(run.cycles as f64));
        if let Some(figure) = Figure::of(status(&cell.subject), &cycles) {
            let figure = if cell.samples { figure.with_samples(&cycles) } else { figure };
            set_cycles(&mut measurement, figure);
        }
        measurement.stack_bytes = Figure::of(Status::Exact, &figures(&|run| Some(run.stack_bytes? as f64)));
        measurement.attempts = Figure::of(Status::Exact, &figures(&|run| run.attempts.map(f64::from)));
        set_split(&mut measurement, &runs().filter_map(|run| run.split).collect::<Vec<_>>());
        if let Some(profile) = outcomes.iter().find(|outcome| !outcome.parts.is_empty()) {
            set_profile(&mut measurement, profile);
        }
    }
    if let Some(imaginary) = imaginary {
        let stack = imaginary.runs.iter().filter_map(|run| Some(run.stack_bytes? as f64)).collect::<Vec<_>>();
        if !sound && let Some(mut figure) = Figure::of(Status::Exact, &stack) {
            figure.derivation = Some("With 1 MB of SRAM, which the chip does not have.".into());
            measurement.stack_bytes = Some(figure);
        }
    }
    measurement
}

/// What the ZedBoard saw: the band of the time, where it went, and what the logic did meanwhile.
fn set_split(measurement: &mut Measurement, splits: &[Split]) {
    if splits.is_empty() {
        return;
    }
    let mean = |of: &dyn Fn(&Split) -> u64| {
        splits.iter().map(|split| of(split) as f64).sum::<f64>() / splits.len() as f64
    };
    // The firmware reads its counter a little inside of where the board looks.
    if let Some(time) = &mut measurement.time_ms {
        let [low, mid, high] = [0, 1, 2].map(|i| mean(&|split| split.cycles[i]));
        (time.low, time.high) = (Some(time.mean * low / mid), Some(time.mean * high / mid));
    }
    let total: f64 = splits.iter().flat_map(Split::parts).map(|(_, cycles)| cycles as f64).sum();
    measurement.breakdown = (0..Split::default().parts().len())
        .map(|i| Part {
            name: Split::default().parts()[i].0.into(),
            share: splits.iter().map(|split| split.parts()[i].1 as f64).sum::<f64>() / total,
            status: Status::Estimated,
        })
        .filter(|part| part.share > 0.0)
        .collect();
    measurement.breakdown.sort_by(|a, b| b.share.total_cmp(&a.share));
    let exact = |of: fn(&Split) -> u64| {
        let values: Vec<f64> = splits.iter().map(|split| of(split) as f64).collect();
        Figure::of(Status::Exact, &values).filter(|figure| figure.mean > 0.0)
    };
    measurement.fabric_cycles = exact(|split| split.fabric);
    measurement.fabric_waiting_cycles = exact(|split| split.fabric_waiting);
    measurement.dma_cycles = exact(|split| split.dma);
    measurement.bytes_moved = exact(|split| split.bytes);
}

/// The sets with the same hash functions whose runs are short.
fn sibling(params: &Params) -> String {
    params.name.replace("8s", "8f").replace("2s", "2f").replace("6s", "6f")
}

/// Mean cycles of what was measured with the same code on the same board.
fn measured(
    results: &Results,
    like: &Subject,
    algorithm: &str,
    operation: Operation,
    build: &str,
) -> Option<f64> {
    let found = results.find(|s| {
        s.algorithm == algorithm
            && s.operation == operation
            && s.build == build
            && s.implementation == like.implementation
            && s.board == like.board
            && s.core_mhz == like.core_mhz
            && s.wait_states == like.wait_states
    });
    found?.cycles.as_ref().filter(|figure| figure.status != Status::Derived).map(|figure| figure.mean)
}

/// Cycles of a block of each kind, from key generation and signing of the sibling.
fn costs(keygen: f64, keygen_blocks: Blocks, sign: f64, sign_blocks: Blocks) -> Option<(f64, f64)> {
    let [a, b] = [keygen_blocks.small, keygen_blocks.large].map(|n| n as f64);
    let [c, d] = [sign_blocks.small, sign_blocks.large].map(|n| n as f64);
    let determinant = a * d - b * c;
    let (small, large) = ((keygen * d - b * sign) / determinant, (a * sign - c * keygen) / determinant);
    (determinant != 0.0 && small > 0.0 && large > 0.0).then_some((small, large))
}

/// Calculates what a run would take.
///
/// # Errors
/// What is missing for it.
fn derived(results: &Results, cell: &Cell, params: &'static Params) -> Result<Measurement, String> {
    let subject = &cell.subject;
    let name = sibling(params);
    let fast = Params::by_name(&name).ok_or("there is no set to derive it from")?;
    let of = |operation, build: &str| measured(results, subject, &name, operation, build);
    let keygen = of(Operation::Keygen, &subject.build)
        .ok_or_else(|| format!("key generation of {name} was not measured"))?;
    let sign = of(Operation::Sign, &subject.build);
    let (from_keygen, from_sign) = (keygen_blocks(fast), sign_blocks(fast));
    let verify = of(Operation::Verify, &subject.build).filter(|_| subject.operation == Operation::Verify);
    // What a verification does depends on its signature, so its count is a mean.
    let (wanted, status, count_status) = match subject.operation {
        Operation::Keygen => (keygen_blocks(params), Status::Derived, Status::Exact),
        Operation::Sign => (sign_blocks(params), Status::Derived, Status::Exact),
        _ => (verify_blocks(params), Status::Estimated, Status::Estimated),
    };
    let (small, large, how) = if from_sign.large == 0 {
        // One kind of block: the cost in the same operation, where that was measured.
        let (cycles, blocks, what) = match (subject.operation, sign, verify) {
            (Operation::Sign, Some(sign), _) => (sign, from_sign, "signing"),
            (_, _, Some(verify)) => (verify, verify_blocks(fast), "verification"),
            _ => (keygen, from_keygen, "key generation"),
        };
        (cycles / blocks.small as f64, 0.0, format!("{what} of {name}"))
    } else if let Some((small, large)) = sign.and_then(|sign| costs(keygen, from_keygen, sign, from_sign)) {
        (small, large, format!("key generation and signing of {name}"))
    } else {
        // What a large block costs beside a small one is taken from the optimised build.
        let optimised = of(Operation::Keygen, "optimised").zip(of(Operation::Sign, "optimised"));
        let (small, large) = optimised
            .and_then(|(k, s)| costs(k, from_keygen, s, from_sign))
            .ok_or_else(|| format!("signing of {name} was not measured"))?;
        let ratio = large / small;
        let small = keygen / (from_keygen.small as f64 + ratio * from_keygen.large as f64);
        (small, ratio * small, format!("key generation of {name}"))
    };
    let cycles = small * wanted.small as f64 + large * wanted.large as f64;
    let mut figure = Figure::constant(status, cycles.round());
    let blocks = |count: u64, cost: f64| {
        format!("{} hash blocks of {} cycles", text::grouped(count as f64), text::grouped(cost))
    };
    let mut sentence = blocks(wanted.small, small);
    if wanted.large > 0 {
        sentence += &format!(" and {}", blocks(wanted.large, large));
    }
    let mean = if count_status == Status::Exact { "" } else { ", in the mean over messages" };
    figure.derivation = Some(format!("{sentence}, by {how}{mean}."));
    let source =
        results.find(|s| s.algorithm == name && s.build == subject.build && s.board == subject.board);
    let provenance = source.map_or_else(String::new, |m| m.provenance.clone());
    let mut measurement = Measurement::new(subject.clone(), provenance);
    measurement.hash_blocks = Some(Figure::constant(count_status, wanted.total() as f64));
    set_cycles(&mut measurement, figure);
    Ok(measurement)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_solve_the_equations() {
        let (a, b) = (Blocks { small: 100, large: 1 }, Blocks { small: 200, large: 30 });
        let (small, large) = costs(100.0 * 7.0 + 40.0, a, 200.0 * 7.0 + 30.0 * 40.0, b).unwrap();
        assert!((small - 7.0).abs() < 1e-9 && (large - 40.0).abs() < 1e-9);
        assert_eq!(costs(1.0, a, 1.0, a), None);
    }

    #[test]
    fn siblings() {
        for (name, fast) in [
            ("SLH-DSA-SHA2-128s", "SLH-DSA-SHA2-128f"),
            ("SLH-DSA-SHAKE-192s", "SLH-DSA-SHAKE-192f"),
            ("SPHINCS+-SHA2-256s-robust", "SPHINCS+-SHA2-256f-robust"),
            ("SPHINCS+-SHAKE-128f-simple", "SPHINCS+-SHAKE-128f-simple"),
        ] {
            let params = Params::by_name(name).unwrap();
            assert_eq!(sibling(params), fast);
            assert!(Params::by_name(fast).is_some());
        }
    }
}
