//! What the study's experiments are.
use super::hashes::{keygen_blocks, sign_blocks, verify_blocks};
use super::job::{Clock, Engine, Firmware, FirmwareError, Job, Setup};
use crate::algorithms::Family;
use crate::results::{Operation, Platform, Problem, Subject};
use crate::study::ENOUGH;
use pqsoc_mldsa::dynamic;
use pqsoc_slhdsa::Params;
use pqsoc_slhdsa::params::{self, Scheme};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// How one measurement comes about.
#[derive(Clone, Debug)]
pub struct Cell {
    /// What is measured.
    pub subject: Subject,
    /// The runs; their figures are put together. Those of the first may show where the time goes as well.
    pub jobs: Vec<Job>,
    /// The same with more SRAM than the chip has, for what does not fit: it gives the stack alone.
    pub imaginary: Option<Job>,
    /// Keep the cycles of each run.
    pub samples: bool,
    /// Not run, but calculated from the counts of hash calls and what these cost in the set's faster sibling.
    pub derived: Option<&'static Params>,
    /// Why it cannot be run.
    pub problem: Option<Problem>,
}

impl Cell {
    /// Nothing is run for it.
    const fn empty(subject: Subject) -> Self {
        Self { subject, jobs: Vec::new(), imaginary: None, samples: false, derived: None, problem: None }
    }
}

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// A few runs of everything short: to see that all parts work.
    Quick,
    /// What gives the study's table in some minutes.
    Default,
    /// Every set to the end.
    Full,
}

/// Signatures of a distribution.
const DISTRIBUTION: u32 = 500;
/// Signatures of what takes longer, or is there to compare with.
const SOME: u32 = 50;
/// Runs of one job: what is lost at most when everything is interrupted.
pub(super) const CHUNK: u32 = 25;
/// `pqsoc measures this message.`, followed by the number of the run: 32 bytes.
const MESSAGE: &str = "7071736f63206d656173757265732074686973206d6573736167652e";

/// Builds of the firmware, opened once each. One that cannot be opened is a problem of the cells that need it.
struct Builds<'a> {
    folder: &'a Path,
    open: BTreeMap<&'static str, Result<Arc<Firmware>, FirmwareError>>,
}

impl Builds<'_> {
    fn get(&mut self, name: &'static str) -> Result<Arc<Firmware>, Problem> {
        let opened = self.open.entry(name).or_insert_with(|| {
            let path = self.folder.join(name).with_extension("elf");
            if name == ZYNQ7000 { Firmware::open_application(&path) } else { Firmware::open(&path) }
        });
        match opened {
            Ok(firmware) => Ok(Arc::clone(firmware)),
            Err(error) => Err(super::job::tool(error.to_string())),
        }
    }
}

/// A build of the firmware by the name that results have for it, for a family of schemes.
fn elf(build: &str, family: Family) -> &'static str {
    match (build, family) {
        ("optimised", Family::Classical) => "stm32f407-classical",
        ("optimised", Family::SlhDsa) => "stm32f407-slh-dsa",
        ("optimised", _) => "stm32f407",
        ("size", _) => "stm32f407-size",
        (_, Family::MlDsa | Family::Dilithium) => "stm32f407-unoptimised-ml-dsa",
        (_, _) => "stm32f407-unoptimised-slh-dsa",
    }
}

/// The build for the ZedBoard.
const ZYNQ7000: &str = "zynq7000";

/// With 1 MB of SRAM.
const IMAGINARY: &str = "stm32f407-unoptimised-ml-dsa-1024k";

/// About how many cycles an operation takes: right within a factor of two or so.
fn expected(algorithm: &str, profile: &str, operation: Operation, build: &str) -> u64 {
    let unoptimised = build == "unoptimised";
    if let Some(set) = Params::by_name(algorithm) {
        // Unoptimised, the permutation is what suffers.
        let block = match (set.family, unoptimised) {
            (params::Family::Shake, false) => 13_000,
            (params::Family::Shake, true) => 100_000,
            (params::Family::Sha2, false) => 3_000,
            (params::Family::Sha2, true) => 7_500,
        };
        let blocks = match operation {
            Operation::Keygen => keygen_blocks(set).total(),
            Operation::Sign => sign_blocks(set).total(),
            _ => verify_blocks(set).total(),
        };
        return blocks * block;
    }
    match (algorithm, operation) {
        ("RSA-2048", Operation::Sign) => return 400_000_000,
        ("RSA-2048", _) => return 4_000_000,
        _ if Family::of(algorithm) == Family::Classical => return 10_000_000,
        _ => {}
    }
    // A × s and as many samples of A: K × L of them.
    let size = dynamic::by_name(algorithm).map_or(1, |scheme| {
        let p = scheme.params();
        (p.k * p.l) as u64
    });
    // Several attempts, each without the sampling of A, unless that is done again.
    let attempts = match (operation, profile) {
        (Operation::Sign, "small") => 4,
        (Operation::Sign, _) => 3,
        _ => 1,
    };
    let slower = match (build, profile) {
        ("unoptimised", _) => 20,
        ("size", _) => 3,
        (_, "reference") => 2,
        _ => 1,
    };
    75_000 * size * attempts * slower
}

/// About how many cycles a job takes. Its firmware makes one key for all runs of signing and verification, and a signature
/// before each verification.
fn expected_of_job(once: impl Fn(Operation) -> u64, operation: Operation, runs: u32) -> u64 {
    let runs = u64::from(runs);
    let key = once(Operation::Keygen);
    match operation {
        Operation::Sign => key + runs * once(Operation::Sign),
        Operation::Verify => key + runs * (once(Operation::Sign) + once(Operation::Verify)),
        _ => runs * key,
    }
}

/// A cell to be planned.
struct Wanted<'a> {
    algorithm: &'a str,
    profile: &'a str,
    operation: Operation,
    build: &'a str,
    clock: Clock,
    runs: u32,
}

/// Whose code a set is computed with.
fn implementation(algorithm: &str) -> &'static str {
    match algorithm {
        "Ed25519" => "ed25519-dalek",
        "ECDSA-P256" => "p256",
        "RSA-2048" => "rsa",
        _ => "pqsoc",
    }
}

fn subject(wanted: &Wanted<'_>) -> Subject {
    Subject {
        implementation: implementation(wanted.algorithm).into(),
        algorithm: wanted.algorithm.into(),
        operation: wanted.operation,
        engine: "software".into(),
        profile: wanted.profile.into(),
        build: wanted.build.into(),
        board: "stm32f407".into(),
        platform: Platform::Virtual,
        core_mhz: f64::from(wanted.clock.mhz()),
        wait_states: Some(wanted.clock.wait_states()),
        pl_mhz: None,
    }
}

fn job(wanted: &Wanted<'_>, firmware: Arc<Firmware>, runs: u32, chunk: u32) -> Job {
    let once = |operation| expected(wanted.algorithm, wanted.profile, operation, wanted.build);
    Job {
        firmware,
        setup: Setup::Stm32f407 { sram_kb: 128, clock: wanted.clock, profile: wanted.profile.into() },
        algorithm: wanted.algorithm.into(),
        operation: wanted.operation,
        runs,
        // Another key for each chunk: the time of a signature depends on the key a little.
        seed: format!("{chunk:04x}"),
        message: MESSAGE.into(),
        profiled: false,
        expected_cycles: expected_of_job(once, wanted.operation, runs),
    }
}

/// Runs in pieces that are kept one by one.
fn chunks(runs: u32, job: impl Fn(u32, u32) -> Job) -> Vec<Job> {
    (0..runs.div_ceil(CHUNK)).map(|chunk| job((runs - chunk * CHUNK).min(CHUNK), chunk)).collect()
}

fn cell(builds: &mut Builds<'_>, wanted: &Wanted<'_>) -> Cell {
    let mut cell = Cell {
        samples: wanted.operation == Operation::Sign && wanted.runs >= DISTRIBUTION,
        ..Cell::empty(subject(wanted))
    };
    match builds.get(elf(wanted.build, Family::of(wanted.algorithm))) {
        Ok(firmware) => {
            cell.jobs = chunks(wanted.runs, |runs, chunk| job(wanted, Arc::clone(&firmware), runs, chunk));
            // Neither the shares nor the code depend on the clock enough to look twice.
            if wanted.clock == Clock::Mhz24 && wanted.build != "unoptimised" {
                cell.jobs.iter_mut().take(1).for_each(|job| job.profiled = true);
            }
        }
        Err(problem) => cell.problem = Some(problem),
    }
    cell
}

/// One cell: what `pqsoc bench` measures. Runs are in chunks as everywhere, so that the figures are those of the study.
pub fn single(
    folder: &Path,
    algorithm: &str,
    profile: &str,
    operation: Operation,
    build: &str,
    clock: Clock,
    runs: u32,
) -> Cell {
    let mut builds = Builds { folder, open: BTreeMap::new() };
    let mut cell = cell(&mut builds, &Wanted { algorithm, profile, operation, build, clock, runs });
    cell.samples = operation == Operation::Sign && runs > 1;
    cell
}

/// All experiments with the firmware in `folder`.
pub fn plan(folder: &Path, extent: Extent) -> Vec<Cell> {
    let mut builds = Builds { folder, open: BTreeMap::new() };
    let mut cells = ml_dsa(&mut builds, extent);
    cells.extend(slh_dsa(&mut builds, extent));
    cells.extend(classical(&mut builds, extent));
    cells.extend(study_dilithium(&mut builds, extent));
    cells.extend(study_sphincs(&mut builds, extent));
    cells.extend(zedboard(&mut builds, extent));
    cells
}

const ML_DSA: [&str; 3] = ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"];
const CLOCKS: [Clock; 2] = [Clock::Mhz24, Clock::Mhz168];

/// Every set and profile at both clocks, optimised for speed, and for size where that makes sense.
fn ml_dsa(builds: &mut Builds<'_>, extent: Extent) -> Vec<Cell> {
    let mut cells = Vec::new();
    for algorithm in ML_DSA {
        for (profile, build) in
            [("fast", "optimised"), ("small", "optimised"), ("reference", "optimised"), ("small", "size")]
        {
            for clock in CLOCKS {
                for operation in Operation::ALL {
                    let runs = match (extent, operation) {
                        (Extent::Quick, Operation::Sign) => 4,
                        (Extent::Quick, _) => 1,
                        (Extent::Full, Operation::Sign) => DISTRIBUTION,
                        // One curve a set; the distribution is that of the attempts, which no clock changes.
                        (_, Operation::Sign) if profile == "fast" && clock == Clock::Mhz24 => DISTRIBUTION,
                        (_, Operation::Sign) if build == "optimised" => SOME,
                        (_, Operation::Sign) => 10,
                        _ => 5,
                    };
                    cells.push(cell(builds, &Wanted { algorithm, profile, operation, build, clock, runs }));
                }
            }
        }
    }
    cells
}

/// Every set: the fast ones to the end, the small ones derived unless everything is run.
fn slh_dsa(builds: &mut Builds<'_>, extent: Extent) -> Vec<Cell> {
    let sets = params::ALL.iter().filter(|set| set.scheme == Scheme::SlhDsa);
    let mut cells = Vec::new();
    for set in sets {
        for clock in CLOCKS {
            for operation in Operation::ALL {
                let runs = match (operation, extent) {
                    (Operation::Verify, Extent::Full) => 5,
                    // Each is preceded by a signature, which with the larger sets takes billions of cycles.
                    (Operation::Verify, _) if set.n > 16 => 1,
                    (Operation::Verify, _) => 2,
                    _ => 1,
                };
                let wanted =
                    Wanted { algorithm: set.name, profile: "-", operation, build: "optimised", clock, runs };
                if extent == Extent::Quick && (operation == Operation::Sign || set.n > 16) {
                    continue;
                }
                cells.push(maybe_derived(builds, set, &wanted, extent));
            }
        }
    }
    cells
}

/// Signing is long.
fn is_small(set: &Params) -> bool {
    set.name.contains(&format!("{}s", 8 * set.n))
}

/// Derived if it is a long run of a small set, or would be by its build.
fn maybe_derived(builds: &mut Builds<'_>, set: &'static Params, wanted: &Wanted<'_>, extent: Extent) -> Cell {
    let sign = wanted.operation == Operation::Sign;
    let unoptimised = wanted.build == "unoptimised" && sign;
    // The round-3 sets hash as often as those of the standard, which are run.
    let again = set.scheme != Scheme::SlhDsa && set.family == params::Family::Shake && set.n > 16 && sign;
    // A verification needs a signature first.
    let long = is_small(set) || unoptimised || again;
    if long && extent != Extent::Full {
        return Cell { derived: Some(set), ..Cell::empty(subject(wanted)) };
    }
    cell(builds, wanted)
}

/// Signatures of before, for scale. RSA keys are not made on such a device, nor is much signed there.
fn classical(builds: &mut Builds<'_>, extent: Extent) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (algorithm, operations) in [
        ("Ed25519", &Operation::ALL[..]),
        ("ECDSA-P256", &Operation::ALL),
        ("RSA-2048", &[Operation::Verify]),
    ] {
        for clock in CLOCKS {
            for &operation in operations {
                let runs = if extent == Extent::Quick { 1 } else { 5 };
                let (profile, build) = ("-", "optimised");
                cells.push(cell(builds, &Wanted { algorithm, profile, operation, build, clock, runs }));
            }
        }
    }
    cells
}

/// The study's Dilithium: the reference layout, nothing optimised, on the memory that the chip has and on more.
fn study_dilithium(builds: &mut Builds<'_>, extent: Extent) -> Vec<Cell> {
    let mut cells = Vec::new();
    for algorithm in ["Dilithium2", "Dilithium3", "Dilithium5"].into_iter().chain(ML_DSA) {
        for operation in Operation::ALL {
            let runs = if operation == Operation::Sign && extent != Extent::Quick { 2 } else { 1 };
            let (profile, build, clock) = ("reference", "unoptimised", Clock::Mhz168);
            let wanted = Wanted { algorithm, profile, operation, build, clock, runs };
            let mut cell = cell(builds, &wanted);
            if let Ok(firmware) = builds.get(IMAGINARY) {
                let setup = Setup::Stm32f407 { sram_kb: 1024, clock, profile: profile.into() };
                cell.imaginary = Some(Job { setup, ..job(&wanted, firmware, 1, 0) });
            }
            cells.push(cell);
        }
    }
    cells
}

/// The SPHINCS+ set whose signature takes least.
const SHORTEST: &str = "SPHINCS+-SHA2-128f-simple";

/// The study's SPHINCS+: nothing optimised. Which variant was used is not known, so all of them are looked at.
fn study_sphincs(builds: &mut Builds<'_>, extent: Extent) -> Vec<Cell> {
    let simple = extent != Extent::Full;
    let sets = params::ALL.iter().filter(|set| match set.scheme {
        Scheme::SphincsPlusSimple => true,
        Scheme::SphincsPlusRobust => !simple,
        Scheme::SlhDsa => false,
    });
    let mut cells = Vec::new();
    for set in sets {
        if extent == Extent::Quick && (set.n > 16 || set.family == params::Family::Shake) {
            continue;
        }
        for build in ["optimised", "unoptimised"] {
            for operation in Operation::ALL {
                let clock = Clock::Mhz168;
                // A verification needs a signature first; the shortest is made in both builds.
                let long = is_small(set) || set.n > 16 || build == "unoptimised" && set.name != SHORTEST;
                let long = long || build == "unoptimised" && extent == Extent::Quick;
                if operation == Operation::Verify && long && extent != Extent::Full {
                    continue;
                }
                let wanted = Wanted { algorithm: set.name, profile: "-", operation, build, clock, runs: 1 };
                cells.push(maybe_derived(builds, set, &wanted, extent));
            }
        }
    }
    cells
}

/// A cell of the ZedBoard.
#[derive(Clone, Copy)]
struct Design<'a> {
    algorithm: &'a str,
    operation: Operation,
    engine: Engine,
    /// Clock of the fabric in MHz.
    pl_mhz: u32,
    runs: u32,
}

/// Clock of the processor as the ZedBoard's preset has it: PS_CLK of 33.333 MHz by 40 by 1/2.
const A9_MHZ: f64 = 666.667;

fn on_zedboard(builds: &mut Builds<'_>, design: Design<'_>) -> Cell {
    let Design { algorithm, operation, engine, pl_mhz, runs } = design;
    let mut cell = Cell::empty(Subject {
        implementation: "pqsoc".into(),
        algorithm: algorithm.into(),
        operation,
        engine: engine.name().into(),
        profile: "-".into(),
        build: "optimised".into(),
        board: "zedboard".into(),
        platform: Platform::Virtual,
        core_mhz: A9_MHZ,
        wait_states: None,
        pl_mhz: (engine != Engine::Software).then_some(f64::from(pl_mhz)),
    });
    cell.samples = operation == Operation::Sign && runs >= DISTRIBUTION;
    match builds.get(ZYNQ7000) {
        Ok(firmware) => {
            // What it takes to simulate: a cycle here is some cycles there, and the fabric's clocks come on top.
            let slower = if engine == Engine::Software { 6 } else { 4 };
            let once = |operation| slower * expected(algorithm, "fast", operation, "optimised");
            cell.jobs = chunks(runs, |runs, chunk| Job {
                firmware: Arc::clone(&firmware),
                setup: Setup::Zedboard { engine, pl_mhz },
                algorithm: algorithm.into(),
                operation,
                runs,
                seed: format!("{chunk:04x}"),
                message: MESSAGE.into(),
                profiled: false,
                expected_cycles: expected_of_job(once, operation, runs),
            });
            // What there is to accelerate.
            if engine == Engine::Software {
                cell.jobs.iter_mut().take(1).for_each(|job| job.profiled = true);
            }
        }
        Err(problem) => cell.problem = Some(problem),
    }
    cell
}

/// One cell of the ZedBoard: what `pqsoc bench --board zedboard` measures.
pub fn single_on_zedboard(
    folder: &Path,
    algorithm: &str,
    operation: Operation,
    engine: Engine,
    pl_mhz: u32,
    runs: u32,
) -> Cell {
    let mut builds = Builds { folder, open: BTreeMap::new() };
    let mut cell = on_zedboard(&mut builds, Design { algorithm, operation, engine, pl_mhz, runs });
    cell.samples = operation == Operation::Sign && runs > 1;
    cell
}

/// Each set by each engine at the clocks of the published designs; the study's Dilithium on the study's design.
fn zedboard(builds: &mut Builds<'_>, extent: Extent) -> Vec<Cell> {
    let runs = |operation| match (extent, operation) {
        (Extent::Quick, _) => 1,
        (Extent::Default, Operation::Sign) => CHUNK,
        (Extent::Full, Operation::Sign) => 200,
        _ => 5,
    };
    let mut cells = Vec::new();
    for algorithm in ML_DSA {
        for engine in Engine::ALL {
            let clocks: &[u32] = if engine == Engine::Software { &[100] } else { &[100, 150] };
            for &pl_mhz in clocks {
                for operation in Operation::ALL {
                    let runs = runs(operation);
                    cells.push(on_zedboard(builds, Design { algorithm, operation, engine, pl_mhz, runs }));
                }
            }
        }
    }
    for algorithm in ["Dilithium2", "Dilithium3", "Dilithium5"] {
        for operation in Operation::ALL {
            // The study's figures are means, so these are.
            let signatures = if operation == Operation::Sign { ENOUGH as u32 } else { 1 };
            let (engine, runs) = (Engine::Study, runs(operation).max(signatures));
            cells.push(on_zedboard(builds, Design { algorithm, operation, engine, pl_mhz: 150, runs }));
        }
    }
    // Even a verification needs a signature first.
    let slh_dsa: &[&str] = match extent {
        Extent::Quick => &[],
        Extent::Default => &["SLH-DSA-SHAKE-128f"],
        Extent::Full => &["SLH-DSA-SHAKE-128f", "SLH-DSA-SHAKE-192f", "SLH-DSA-SHAKE-256f"],
    };
    for algorithm in slh_dsa {
        for engine in Engine::ALL {
            for operation in Operation::ALL {
                let design = Design { algorithm, operation, engine, pl_mhz: 100, runs: 1 };
                cells.push(on_zedboard(builds, design));
            }
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verification_is_preceded_by_a_signature() {
        let once = |operation| match operation {
            Operation::Keygen => 1,
            Operation::Sign => 10,
            _ => 100,
        };
        assert_eq!(expected_of_job(once, Operation::Keygen, 3), 3);
        assert_eq!(expected_of_job(once, Operation::Sign, 3), 31);
        assert_eq!(expected_of_job(once, Operation::Verify, 3), 331);
    }
}
