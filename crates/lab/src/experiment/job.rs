//! One command to the firmware, and what it answers.
use super::split::{MEASURED, Split, Stopwatch};
use super::watch::Watch;
use crate::results::{Operation, Problem, ProblemKind};
use pqsoc_boards::console::Sink;
use pqsoc_boards::program::LoadError;
use pqsoc_boards::stm32f407::{self, Stm32f407};
use pqsoc_boards::zynq7000::{self, Zynq7000};
use pqsoc_boards::{Board, End, Limits, Program};
use pqsoc_keccak::{Sha3_256, Software};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// A build of the firmware.
#[derive(Debug)]
pub struct Firmware {
    /// The file's name.
    pub name: String,
    /// SHA3-256 of the file.
    pub sha3_256: String,
    elf: Vec<u8>,
    parse: Parse,
}

/// How a board reads ELF files.
type Parse = fn(&str, Vec<u8>) -> Result<Program, LoadError>;

/// A program that cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum FirmwareError {
    /// The file cannot be read.
    #[error("{}: {source}; `cargo xtask firmware` builds it", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is not a program for the board.
    #[error("{}: {source}", path.display())]
    Load {
        /// The file.
        path: PathBuf,
        /// Why.
        source: LoadError,
    },
}

impl Firmware {
    /// Reads an ELF file and looks whether the STM32F407 would take it.
    ///
    /// # Errors
    /// The file cannot be read, or is no program for the board.
    pub fn open(path: &Path) -> Result<Arc<Self>, FirmwareError> {
        Self::open_for(path, Program::parse)
    }

    /// Reads an ELF file and looks whether the ZedBoard would take it.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn open_application(path: &Path) -> Result<Arc<Self>, FirmwareError> {
        Self::open_for(path, Program::parse_application)
    }

    fn open_for(path: &Path, parse: Parse) -> Result<Arc<Self>, FirmwareError> {
        let elf = std::fs::read(path).map_err(|source| FirmwareError::Read { path: path.into(), source })?;
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        parse(&name, elf.clone()).map_err(|source| FirmwareError::Load { path: path.into(), source })?;
        Ok(Arc::new(Self { name, sha3_256: hex::encode(Sha3_256::<Software>::digest(&[&elf])), elf, parse }))
    }

    /// The program, ready for its board.
    pub(super) fn program(&self) -> Result<Program, Problem> {
        (self.parse)(&self.name, self.elf.clone()).map_err(|error| tool(error.to_string()))
    }
}

/// A problem of the tools, not of the firmware.
pub(super) fn tool(sentence: String) -> Problem {
    Problem { kind: ProblemKind::Tool, sentence }
}

/// Clock and wait states that the firmware sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Clock {
    /// 24 MHz without wait states: as pqm4 measures.
    Mhz24,
    /// 168 MHz with 5 wait states behind the flash accelerator.
    Mhz168,
}

impl Clock {
    /// In MHz.
    pub const fn mhz(self) -> u32 {
        match self {
            Self::Mhz24 => 24,
            Self::Mhz168 => 168,
        }
    }

    /// Wait states of the flash.
    pub const fn wait_states(self) -> u8 {
        match self {
            Self::Mhz24 => 0,
            Self::Mhz168 => 5,
        }
    }
}

/// Who does the arithmetic on the ZedBoard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Engine {
    /// The processor.
    Software,
    /// The fabric with one butterfly, a DMA transfer a call: the study's design.
    Study,
    /// The fabric with four butterflies, whose memory holds the polynomials.
    Resident,
}

impl Engine {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Software, Self::Study, Self::Resident];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Software => "software",
            Self::Study => "study",
            Self::Resident => "resident",
        }
    }

    /// Butterflies of the fabric that it is measured with.
    pub const fn butterflies(self) -> u32 {
        match self {
            Self::Software => 0,
            Self::Study => 1,
            Self::Resident => 4,
        }
    }
}

/// The board of a job, and how it is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setup {
    /// The virtual STM32F407G-DISC1.
    Stm32f407 {
        /// KB of SRAM: 128, or more than the chip has to see what a program would need.
        sram_kb: u32,
        /// Clock and wait states.
        clock: Clock,
        /// The memory profile, `-` where there is one only.
        profile: String,
    },
    /// The virtual ZedBoard.
    Zedboard {
        /// Who calculates.
        engine: Engine,
        /// Clock of the fabric in MHz.
        pl_mhz: u32,
    },
}

/// A command to a build of the firmware.
#[derive(Clone, Debug)]
pub struct Job {
    /// The program.
    pub firmware: Arc<Firmware>,
    /// Where it runs.
    pub setup: Setup,
    /// The set.
    pub algorithm: String,
    /// What to do.
    pub operation: Operation,
    /// How often.
    pub runs: u32,
    /// Where keys come from, in hexadecimal.
    pub seed: String,
    /// What is signed, before the number of the run, in hexadecimal; `-` for nothing.
    pub message: String,
    /// Look at where the time goes: the figures are the same, but it takes longer.
    pub profiled: bool,
    /// About how many cycles that takes: for progress, and as a limit for what hangs.
    pub expected_cycles: u64,
}

/// The function that the STM32F407's firmware measures.
const OPERATION: &str = "stm32f407::operation";

/// A job that takes so many times what was expected hangs.
const PATIENCE: u64 = 200;

impl Job {
    /// What the firmware reads.
    pub fn input(&self) -> String {
        let (clock, how) = match &self.setup {
            Setup::Stm32f407 { clock: Clock::Mhz168, profile, .. } => ("clock 168\n", profile.as_str()),
            Setup::Stm32f407 { profile, .. } => ("", profile.as_str()),
            Setup::Zedboard { engine, .. } => ("", engine.name()),
        };
        format!(
            "{clock}{} {how} {} {} {} {}\nend\n",
            self.algorithm,
            self.operation.name(),
            self.runs,
            self.seed,
            self.message
        )
    }

    /// Everything on which the outcome depends but the virtual board itself.
    pub fn identity(&self) -> String {
        let profiled = if self.profiled { "profiled\n" } else { "" };
        let board = match &self.setup {
            Setup::Stm32f407 { sram_kb, .. } => format!("{sram_kb}"),
            Setup::Zedboard { engine, pl_mhz } => {
                format!("zedboard {} {pl_mhz} {}", engine.butterflies(), pqsoc_fabric::RTL_SHA3_256)
            }
        };
        format!("{}\n{board}\n{profiled}{}", self.firmware.sha3_256, self.input())
    }

    /// Runs it. `done` is told of each run that has ended.
    pub fn run(&self, done: &dyn Fn()) -> Outcome {
        let program = match self.firmware.program() {
            Ok(program) => program,
            Err(problem) => return Outcome::broken(problem),
        };
        match &self.setup {
            Setup::Stm32f407 { sram_kb, .. } => self.on_stm32f407(program, *sram_kb, done),
            Setup::Zedboard { engine, pl_mhz } => self.on_zedboard(program, *engine, *pl_mhz, done),
        }
    }

    /// Cycles after which the program hangs, and those between two looks at how far it is.
    fn limits(&self) -> (u64, u64) {
        let limit = self.expected_cycles.saturating_mul(PATIENCE).saturating_add(2_000_000_000);
        (limit, (self.expected_cycles / 64).clamp(20_000_000, 500_000_000))
    }

    fn on_stm32f407(&self, program: Program, sram_kb: u32, done: &dyn Fn()) -> Outcome {
        let printed = Printed::default();
        let options = stm32f407::Options {
            sink: printed.sink(),
            until: "#".into(),
            input: self.input().into_bytes(),
            sram_kb,
            ..stm32f407::Options::default()
        };
        let symbols = program.symbols.clone();
        let mut board = match Stm32f407::new(program, options) {
            Ok(board) => board,
            Err(error) => return Outcome::broken(tool(error.to_string())),
        };
        let (limit, slice) = self.limits();
        let mut told = 0;
        let mut watch = self.profiled.then(|| Watch::new(&symbols, OPERATION));
        let end = loop {
            let until = board.cycles().saturating_add(slice).min(limit);
            let limits = Limits { cycles: Some(until), wall: None };
            let end = match &mut watch {
                Some(watch) => board.run_observed(&limits, watch),
                None => board.run(&limits),
            };
            // The first line says how the program was built.
            let runs = printed.lines().saturating_sub(1).min(self.runs);
            (told..runs).for_each(|_| done());
            told = told.max(runs);
            if end != End::Cycles || board.cycles() >= limit {
                break end;
            }
        };
        (told..self.runs).for_each(|_| done());
        let report = board.report(&end);
        let mut outcome = Outcome::read(&printed.text());
        outcome.stack_bytes = report.stack.bytes;
        if let Some(watch) = watch {
            (outcome.parts, outcome.code_bytes) = watch.finish();
        }
        let overflow = report.stack.overflow.as_ref().map(ToString::to_string);
        let fault = report.faults.first().map(|fault| format!("{}, in {}", fault.what, fault.function));
        outcome.problem = self.problem(&outcome, end, overflow, fault);
        outcome
    }

    fn on_zedboard(&self, program: Program, engine: Engine, pl_mhz: u32, done: &dyn Fn()) -> Outcome {
        let accelerator = match engine.butterflies() {
            0 => None,
            butterflies => match zynq7000::fabric(butterflies, None, None) {
                Ok(fabric) => Some(fabric),
                Err(error) => return Outcome::broken(tool(error.to_string())),
            },
        };
        let printed = Printed::default();
        let options = zynq7000::Options {
            sink: printed.sink(),
            until: "#".into(),
            input: self.input().into_bytes(),
            pl_mhz,
            accelerator,
            ..zynq7000::Options::default()
        };
        let symbols = program.symbols.clone();
        let mut board = match Zynq7000::new(program, options) {
            Ok(board) => board,
            Err(error) => return Outcome::broken(tool(error.to_string())),
        };
        let Some(mut stopwatch) = Stopwatch::new(&mut board) else {
            let text = format!("{} has no function that is measured", self.firmware.name);
            return Outcome::broken(tool(text));
        };
        let (limit, slice) = self.limits();
        let mut watch = self.profiled.then(|| Watch::new(&symbols, MEASURED));
        let end = loop {
            let until = board.cycles().saturating_add(slice).min(limit);
            let limits = Limits { cycles: Some(until), wall: None };
            let end = match &mut watch {
                Some(watch) => board.run_observed(&limits, watch),
                None => board.run(&limits),
            };
            match end {
                End::Breakpoint(at) => {
                    if stopwatch.stopped(&mut board, at) {
                        done();
                    }
                }
                End::Cycles if board.cycles() < limit => {}
                end => break end,
            }
        };
        let splits = stopwatch.splits();
        (splits.len() as u32..self.runs).for_each(|_| done());
        let report = board.report(&end);
        let mut outcome = Outcome::read(&printed.text());
        outcome.stack_bytes = report.stack.as_ref().map_or(0, |stack| stack.bytes);
        for (run, split) in outcome.runs.iter_mut().zip(splits) {
            run.split = Some(split);
        }
        if let Some(watch) = watch {
            (outcome.parts, outcome.code_bytes) = watch.finish();
        }
        let fault = report.faults.first().map(|fault| format!("{}, in {}", fault.what, fault.function));
        let overflow = report.stack.and_then(|stack| stack.overflow).map(|overflow| overflow.to_string());
        outcome.problem = self.problem(&outcome, end, overflow, fault);
        outcome
    }

    /// What went wrong, if anything.
    fn problem(
        &self,
        outcome: &Outcome,
        end: End,
        overflow: Option<String>,
        fault: Option<String>,
    ) -> Option<Problem> {
        let of = |kind, text: String| {
            Some(Problem { kind, sentence: text.trim_end_matches(['.', '\n']).replace('\n', "; ") })
        };
        if let Some(overflow) = overflow {
            of(ProblemKind::StackOverflow, overflow)
        } else if let Some(fault) = fault {
            of(ProblemKind::Fault, fault)
        } else if end != End::Until {
            let text = match end {
                End::Cycles => "it did not end within many times what was expected".into(),
                End::Idle(pc) => format!("it waits for ever at {pc:#010x}"),
                End::Lockup => "the core locked up".into(),
                End::Hung(why) => format!("the core hangs: {why}"),
                end => format!("it ended unexpectedly ({end:?})"),
            };
            of(ProblemKind::Fault, text)
        } else if let Some(error) = outcome.errors.first() {
            of(ProblemKind::Failed, format!("the firmware says: {error}"))
        } else if outcome.runs.len() != self.runs as usize {
            let text = format!("the firmware reported {} of {} runs", outcome.runs.len(), self.runs);
            of(ProblemKind::Failed, text)
        } else {
            None
        }
    }
}

/// What a program has printed: the console ends a line where a run ends.
#[derive(Clone, Default)]
struct Printed(Rc<RefCell<Vec<u8>>>);

impl Printed {
    fn sink(&self) -> Sink {
        let printed = self.clone();
        Box::new(move |_, bytes: &[u8]| {
            printed.0.borrow_mut().extend_from_slice(bytes);
            Ok(())
        })
    }

    fn lines(&self) -> u32 {
        self.0.borrow().iter().filter(|byte| **byte == b'\n').count() as u32
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.borrow()).into_owned()
    }
}

/// What one run measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// Core cycles of the operation.
    pub cycles: u64,
    /// Its stack, where that was painted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack_bytes: Option<u64>,
    /// Attempts at an ML-DSA signature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
    /// SHA3-256 of what came out.
    pub sha3_256: String,
    /// Where the time went, on the ZedBoard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<Split>,
}

/// What a job gave.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The compiler that built the firmware.
    pub rustc: Option<String>,
    /// Its optimisation level.
    pub opt_level: Option<String>,
    /// One for each run that ended well.
    pub runs: Vec<Run>,
    /// Errors that the firmware reported.
    pub errors: Vec<String>,
    /// Cycles of the operation by what they were spent on, if the job was profiled.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<String, u64>,
    /// Bytes of the functions that the operation entered, if the job was profiled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_bytes: Option<u64>,
    /// High-water mark of the stack of the whole program.
    pub stack_bytes: u32,
    /// What went wrong.
    pub problem: Option<Problem>,
}

impl Outcome {
    /// It could not be run.
    fn broken(problem: Problem) -> Self {
        Self { problem: Some(problem), ..Self::default() }
    }

    /// Reads what the firmware printed. Lines that are not its own are left out: a broken firmware prints anything.
    fn read(text: &str) -> Self {
        #[derive(Deserialize)]
        struct Build {
            opt_level: String,
            rustc: String,
        }
        #[derive(Deserialize)]
        struct Error {
            error: String,
        }
        let mut outcome = Self::default();
        for line in text.lines() {
            if let Ok(run) = serde_json::from_str::<Run>(line) {
                outcome.runs.push(run);
            } else if let Ok(error) = serde_json::from_str::<Error>(line) {
                outcome.errors.push(error.error);
            } else if let Ok(build) = serde_json::from_str::<Build>(line) {
                outcome.rustc = Some(build.rustc);
                outcome.opt_level = Some(build.opt_level);
            }
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_firmwares_lines_are_read() {
        let outcome = Outcome::read(
            "{\"opt_level\":\"3\",\"rustc\":\"rustc 1.95.0\"}\n\
             {\"algorithm\":\"ML-DSA-44\",\"profile\":\"small\",\"operation\":\"sign\",\"mhz\":24,\"run\":0,\"cycles\":7,\
             \"stack_bytes\":9,\"attempts\":2,\"sha3_256\":\"ab\"}\n\
             {\"run\":1,\"error\":\"it failed\"}\nnoise {\n#",
        );
        assert_eq!(outcome.rustc.as_deref(), Some("rustc 1.95.0"));
        assert_eq!(outcome.opt_level.as_deref(), Some("3"));
        let run =
            Run { cycles: 7, stack_bytes: Some(9), attempts: Some(2), sha3_256: "ab".into(), split: None };
        assert_eq!(outcome.runs, [run]);
        assert_eq!(outcome.errors, ["it failed"]);
    }

    #[test]
    fn a_missing_file_says_how_it_is_built() {
        let error = Firmware::open("/nonexistent/x.elf".as_ref()).unwrap_err().to_string();
        assert!(error.contains("/nonexistent/x.elf") && error.contains("cargo xtask firmware"), "{error}");
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "not a program").unwrap();
        assert!(matches!(Firmware::open(file.path()), Err(FirmwareError::Load { .. })));
    }
}

#[cfg(test)]
pub(super) mod tests_support {
    use super::*;

    /// A job of a firmware that is none.
    pub fn job() -> Job {
        Job {
            firmware: Arc::new(Firmware {
                name: "x.elf".into(),
                sha3_256: "00".into(),
                elf: Vec::new(),
                parse: Program::parse,
            }),
            setup: Setup::Stm32f407 { sram_kb: 128, clock: Clock::Mhz24, profile: "fast".into() },
            algorithm: "ML-DSA-44".into(),
            operation: Operation::Sign,
            runs: 3,
            seed: "00".into(),
            message: "-".into(),
            profiled: false,
            expected_cycles: 1_000_000,
        }
    }
}
