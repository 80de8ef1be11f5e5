//! The study on the virtual board, in small: equal figures however it is run, and what is derived is right. Needs the
//! builds of `cargo xtask firmware`.
use pqsoc_lab::experiment::{
    Cache, Cell, Clock, Engine, Extent, Progress, perform, plan, single, single_on_zedboard,
};
use pqsoc_lab::results::{Operation, ProblemKind, Results, Status};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// The folder with the builds.
fn firmware() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(PathBuf::from("target"), PathBuf::from);
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(target).join("firmware")
}

/// Counts the work.
#[derive(Default)]
struct Count {
    total: AtomicU64,
    known: AtomicU64,
    done: AtomicU64,
}

impl Progress for Count {
    fn begin(&self, total: u64, known: u64) {
        self.total.store(total, Ordering::Relaxed);
        self.known.store(known, Ordering::Relaxed);
    }

    fn advance(&self, cycles: u64, _what: &str) {
        self.done.fetch_add(cycles, Ordering::Relaxed);
    }

    fn warn(&self, sentence: &str) {
        panic!("{sentence}");
    }
}

fn run(cells: &[Cell], cache: Option<&Cache>, threads: usize) -> (Results, Count) {
    let count = Count::default();
    let results = perform(cells, cache, threads, Some("commit"), &count);
    (results, count)
}

fn cells() -> Vec<Cell> {
    let folder = firmware();
    let cell = |profile, operation, clock, runs| {
        single(&folder, "ML-DSA-44", profile, operation, "optimised", clock, runs)
    };
    vec![
        cell("fast", Operation::Sign, Clock::Mhz24, 30),
        cell("fast", Operation::Verify, Clock::Mhz168, 2),
        cell("small", Operation::Keygen, Clock::Mhz24, 2),
        single_on_zedboard(&folder, "ML-DSA-44", Operation::Sign, Engine::Software, 100, 2),
        single_on_zedboard(&folder, "ML-DSA-44", Operation::Sign, Engine::Resident, 100, 2),
    ]
}

/// Runs on one thread or several, from the cache or not, whole or interrupted, give the same document.
#[test]
#[ignore = "slow: needs the firmware"]
fn figures_do_not_depend_on_how_it_is_run() {
    let cells = cells();
    let (plain, count) = run(&cells, None, 1);
    assert!(plain.measurements.iter().all(|m| m.problem.is_none()), "{}", plain.to_json());
    // Where the time goes was seen inside of the operation.
    let hashing = plain.measurements[0].breakdown.iter().find(|part| part.name == "hashing");
    assert!(hashing.is_some_and(|part| part.share > 0.3), "{}", plain.to_json());
    let text = plain.to_json();
    assert_eq!(run(&cells, None, 3).0.to_json(), text);
    // The work that is told of adds up to what was announced.
    let done = count.done.load(Ordering::Relaxed) as f64;
    assert!((done / count.total.load(Ordering::Relaxed) as f64 - 1.0).abs() < 0.01);

    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::open(folder.path()).unwrap();
    assert_eq!(run(&cells, Some(&cache), 2).0.to_json(), text);
    // Interrupted: some outcomes are there, some are not, one was cut off while it was written.
    let mut files: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 4);
    std::fs::remove_file(&files[0]).unwrap();
    std::fs::write(&files[1], "{\"rustc\":\"x\",\"ru").unwrap();
    let (again, count) = run(&cells, Some(&cache), 2);
    assert_eq!(again.to_json(), text);
    assert!(count.known.load(Ordering::Relaxed) > 0 && count.done.load(Ordering::Relaxed) > 0);
    let (known, count) = run(&cells, Some(&cache), 2);
    assert_eq!(known.to_json(), text);
    assert_eq!(count.done.load(Ordering::Relaxed), 0);

    let sign = &plain.measurements[0];
    let cycles = sign.cycles.as_ref().unwrap();
    assert_eq!((cycles.status, cycles.runs), (Status::Modelled, 30));
    assert_eq!(cycles.samples.as_ref().unwrap().len(), 30);
    assert!(sign.attempts.as_ref().unwrap().mean >= 1.0 && sign.stack_bytes.as_ref().unwrap().mean > 1000.0);
    assert!(sign.breakdown[0].name == "hashing" && sign.code_bytes.is_some());
    assert_eq!(plain.measurements[1].time_ms.as_ref().unwrap().status, Status::Estimated);
}

/// Looking where the time goes is not part of the time.
#[test]
#[ignore = "slow: needs the firmware"]
fn figures_do_not_depend_on_looking() {
    let cells = cells();
    let mut blind = cells.clone();
    let jobs = blind.iter_mut().flat_map(|cell| &mut cell.jobs);
    assert!(jobs.filter(|job| job.profiled).map(|job| job.profiled = false).count() > 2);
    let (seen, blind) = (run(&cells, None, 2).0, run(&blind, None, 2).0);
    for (a, b) in seen.measurements.iter().zip(&blind.measurements) {
        assert_eq!(a.cycles, b.cycles, "{}", a.subject);
        assert_eq!(a.stack_bytes, b.stack_bytes, "{}", a.subject);
        assert!(b.code_bytes.is_none());
    }
    // By function where software ran on the ZedBoard, by what the processor did elsewhere.
    let parts =
        |i: usize| seen.measurements[i].breakdown.iter().map(|part| part.name.as_str()).collect::<Vec<_>>();
    assert!(parts(3).contains(&"hashing") && parts(3).contains(&"transforms"), "{:?}", parts(3));
    assert!(parts(4).contains(&"registers and waiting"), "{:?}", parts(4));
}

/// The study's Dilithium does not fit, which is reported; what does fit is measured beside it.
#[test]
#[ignore = "slow: needs the firmware"]
fn what_does_not_fit_is_reported_and_the_rest_measured() {
    let wanted = ["Dilithium2", "Dilithium5"];
    let cells: Vec<Cell> = plan(&firmware(), Extent::Quick)
        .into_iter()
        .filter(|c| {
            wanted.contains(&c.subject.algorithm.as_str()) && c.subject.operation != Operation::Keygen
        })
        .collect();
    assert_eq!(cells.len(), 4);
    let (results, _) = run(&cells, None, 2);
    for m in &results.measurements {
        let stack = m.stack_bytes.as_ref().unwrap().mean;
        let overflow = m.problem.as_ref().is_some_and(|problem| problem.kind == ProblemKind::StackOverflow);
        // The rest of the program needs a little of the stack too.
        assert!(overflow || stack < 131_072.0, "{}: {stack}", m.subject);
        assert!(!overflow || stack > 120_000.0, "{}: {stack}", m.subject);
        assert_eq!(m.cycles.is_some(), !overflow);
    }
}

/// Cycles of a set that was run, and as they are derived.
fn derived_against_run(algorithm: &str, operation: Operation) {
    let mut cells: Vec<Cell> = Operation::ALL
        .into_iter()
        .map(|o| single(&firmware(), &algorithm.replace("8s", "8f"), "-", o, "optimised", Clock::Mhz24, 1))
        .collect();
    let whole = single(&firmware(), algorithm, "-", operation, "optimised", Clock::Mhz24, 1);
    let params = pqsoc_slhdsa::Params::by_name(algorithm).unwrap();
    cells.push(Cell { jobs: Vec::new(), derived: Some(params), ..whole.clone() });
    let (derived, _) = run(&cells, None, 2);
    let (run, _) = run(&[whole], None, 1);
    let derived = derived.measurements.last().unwrap().cycles.as_ref().unwrap();
    let run = run.measurements[0].cycles.as_ref().unwrap();
    // A verification takes what its signature makes it take: some per cent more or less.
    let (status, bound) =
        if operation == Operation::Verify { (Status::Estimated, 0.1) } else { (Status::Derived, 0.01) };
    assert_eq!((derived.status, run.status), (status, Status::Modelled));
    let error = derived.mean / run.mean - 1.0;
    println!("{algorithm} {}: derived {}, run {}, {error:+.4}", operation.name(), derived.mean, run.mean);
    assert!(error.abs() < bound, "{algorithm} {}: {error:+.4}", operation.name());
}

#[test]
#[ignore = "slow: billions of cycles, needs the firmware"]
fn derived_figures_are_within_one_per_cent() {
    derived_against_run("SLH-DSA-SHA2-128s", Operation::Keygen);
    derived_against_run("SLH-DSA-SHAKE-128s", Operation::Keygen);
    derived_against_run("SLH-DSA-SHA2-128s", Operation::Sign);
    derived_against_run("SLH-DSA-SHA2-128s", Operation::Verify);
}
