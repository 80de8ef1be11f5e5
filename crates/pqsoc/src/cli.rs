//! The command line: what may be said, and how `--help` explains it.
use crate::{policy::Policy, report::Format};
use clap::{
    Args, Parser, Subcommand, ValueHint,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use clap_complete::Shell;
use pqsoc_keyfile::{Algorithm, Form};
use pqsoc_message::{Context, PreHash};
use std::{ffi::OsString, path::PathBuf};
use zeroize::Zeroizing;

/// Post-quantum signatures: ML-DSA (FIPS 204) and SLH-DSA (FIPS 205).
///
/// A file named `-` is standard input or output. Data goes to standard output, messages to standard error.
///
/// Exit codes: 0 good; 1 a signature or test vector is bad, or a measured program failed; 2 the command line makes no sense; 3 a file cannot be used;
/// 4 the policy forbids it; 5 a device does not answer; 6 over a budget, or nothing fits.
#[derive(Parser)]
#[command(name = "pqsoc", version, max_term_width = 100)]
pub struct Cli {
    /// Rules about what may be used: `cnsa2` refuses everything but pure ML-DSA-87.
    #[arg(long, global = true, value_name = "POLICY", value_parser = policy(), env = "PQSOC_POLICY")]
    #[arg(default_value = "none", hide_default_value = true)]
    pub policy: Policy,

    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// An empty PQSOC_POLICY is none.
fn policy() -> impl TypedValueParser<Value = Policy> {
    let value = |name| PossibleValue::new(name).hide(str::is_empty(name));
    PossibleValuesParser::new(["none", "cnsa2", ""].map(value))
        .map(|name| if name == "cnsa2" { Policy::Cnsa2 } else { Policy::None })
}

/// The subcommands.
#[derive(Subcommand)]
pub enum Command {
    Keygen(Keygen),
    Sign(Sign),
    Verify(Verify),
    Pubkey(Pubkey),
    Mu(Mu),
    Inspect(Inspect),
    Vectors(Vectors),
    Speed(Speed),
    Bench(Bench),
    Reproduce(Reproduce),
    Report(Report),
    Compare(Compare),
    Choose(Choose),
    Run(Run),
    Completions(Completions),
    Man(Man),
}

/// Generate a key.
#[derive(Args)]
#[command(after_help = "Example:\n  pqsoc keygen --algorithm ML-DSA-65 --out key.pem --public pub.pem")]
pub struct Keygen {
    /// ML-DSA-44, -65, -87, or SLH-DSA-{SHA2,SHAKE}-{128,192,256}{s,f}.
    #[arg(long, short, value_name = "ALGORITHM")]
    pub algorithm: Algorithm,
    /// Where the private key goes: PKCS#8, readable by its owner alone.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: PathBuf,
    /// Where the public key goes: SubjectPublicKeyInfo.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub public: Option<PathBuf>,
    /// What an ML-DSA private key file holds: seed, expanded or both [default: seed].
    #[arg(long, value_name = "FORM")]
    pub form: Option<Form>,
    /// The seed of the key instead of random bytes: xi (32 bytes) for ML-DSA; SK.seed, SK.prf and PK.seed for SLH-DSA.
    /// Other users of the machine may see it while the program runs; for tests.
    #[arg(long, value_name = "HEX", value_parser = secret_hex)]
    pub seed_hex: Option<Hex>,
    #[command(flatten)]
    pub write: Write,
}

/// How files are written.
#[derive(Args)]
pub struct Write {
    /// DER instead of PEM.
    #[arg(long)]
    pub der: bool,
    /// Replace files that exist.
    #[arg(long, short)]
    pub force: bool,
}

/// Sign a file.
///
/// A file of any size is read in pieces. SLH-DSA reads it three times (twice to sign, once to verify the result), so
/// standard input and pipes are kept: up to 8 MiB in memory, more in a temporary file without a name.
#[derive(Args)]
#[command(after_help = "Example:\n  pqsoc sign --key key.pem --in image.bin --out image.sig")]
pub struct Sign {
    /// The private key.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub key: PathBuf,
    #[command(flatten)]
    pub interface: Interface,
    /// Without randomness: equal messages get equal signatures. Hedged signing, the default, resists faults better.
    #[arg(long)]
    pub deterministic: bool,
    /// The file to sign.
    #[arg(long, short, value_name = "FILE", default_value = "-", value_hint = ValueHint::FilePath)]
    pub r#in: PathBuf,
    /// Where the signature goes: its bytes, nothing around them.
    #[arg(long, short, value_name = "FILE", default_value = "-", value_hint = ValueHint::FilePath)]
    pub out: PathBuf,
    /// Replace a file that exists.
    #[arg(long, short)]
    pub force: bool,
}

/// Verify the signature of a file.
///
/// Ends with exit code 0 if the signature is good and 1 if it is not. Of a certificate only the key is used: neither its
/// validity nor its issuer is checked.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  pqsoc verify --key pub.pem --signature image.sig --in image.bin\n  pqsoc verify --key pub.pem --signature image.sig --in image.bin --explain"
)]
pub struct Verify {
    /// The public key, a certificate with it, or the private key.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub key: PathBuf,
    /// The signature.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub signature: PathBuf,
    #[command(flatten)]
    pub interface: Interface,
    /// The file that was signed.
    #[arg(long, short, value_name = "FILE", default_value = "-", value_hint = ValueHint::FilePath)]
    pub r#in: PathBuf,
    /// If the signature is bad, try the known mix-ups and say which one makes it good: pure or pre-hash, no context, mu
    /// for the message, the internal interface, older schemes, another parameter set, reversed bytes, text encodings.
    /// The message is read again for each group of attempts, in pieces; the exit code stays 1.
    #[arg(long)]
    pub explain: bool,
    /// How to say the result.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// What is signed of the message.
#[derive(Args)]
pub struct Interface {
    #[command(flatten)]
    pub formatting: Formatting,
    /// The input is not the message but the 64-byte mu made of it (ML-DSA only; see 'pqsoc mu').
    #[arg(long, conflicts_with_all = ["context", "context_hex", "prehash"])]
    pub mu: bool,
}

/// How the message becomes M'.
#[derive(Args)]
pub struct Formatting {
    /// The context: at most 255 bytes that say what the signature is for.
    #[arg(long, value_name = "STRING", value_parser = context())]
    pub context: Option<Bytes>,
    /// The context in hexadecimal.
    #[arg(long, value_name = "HEX", value_parser = context_hex, conflicts_with = "context")]
    pub context_hex: Option<Bytes>,
    /// HashML-DSA or HashSLH-DSA: SHA2-256, SHA2-384, SHA2-512, SHA3-256, SHAKE-128, SHAKE-256 and others.
    #[arg(long, value_name = "HASH")]
    pub prehash: Option<PreHash>,
}

impl Formatting {
    /// The context; none and empty are the same.
    pub fn context(&self) -> Context<'_> {
        let bytes = self.context.as_ref().or(self.context_hex.as_ref()).map_or(&[][..], |bytes| &bytes.0);
        Context::new(bytes).expect("longer ones are refused where the command line is read")
    }
}

/// Write the public key of a private key.
///
/// Takes a certificate as well, or a public key to write it in another encoding.
#[derive(Args)]
#[command(after_help = "Example:\n  pqsoc pubkey --key key.pem --out pub.pem")]
pub struct Pubkey {
    /// The private key.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub key: PathBuf,
    /// Where the public key goes.
    #[arg(long, short, value_name = "FILE", default_value = "-", value_hint = ValueHint::FilePath)]
    pub out: PathBuf,
    #[command(flatten)]
    pub write: Write,
}

/// Compute mu, which ML-DSA signs in the place of a message.
///
/// A device that holds the private key can then sign with 'sign --mu' without seeing the message.
#[derive(Args)]
#[command(
    after_help = "Example:\n  pqsoc mu --key pub.pem --in image.bin --out image.mu\n  pqsoc sign --key key.pem --mu --in image.mu --out image.sig"
)]
pub struct Mu {
    /// The public key, a certificate with it, or the private key.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub key: PathBuf,
    #[command(flatten)]
    pub formatting: Formatting,
    /// The file to sign.
    #[arg(long, short, value_name = "FILE", default_value = "-", value_hint = ValueHint::FilePath)]
    pub r#in: PathBuf,
    /// Where mu goes: 64 bytes.
    #[arg(long, short, value_name = "FILE", default_value = "-", value_hint = ValueHint::FilePath)]
    pub out: PathBuf,
    /// Replace a file that exists.
    #[arg(long, short)]
    pub force: bool,
}

/// Say what files are and what is wrong with them.
///
/// Private keys are checked in full; a certificate's signature is checked where its own key made it. Ends with exit code
/// 3 if something is wrong.
#[derive(Args)]
#[command(after_help = "Example:\n  pqsoc inspect key.pem pub.pem image.sig")]
pub struct Inspect {
    /// Keys, certificates, requests, signatures.
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// How to say it.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Run published test vectors.
///
/// Knows ACVP (prompt and expectedResults, internalProjection, or both merged), Wycheproof, NIST's .rsp files, CCTV and
/// others, plain or compressed with xz, by their content. Ends with exit code 1 if a case fails, and 3 if a file cannot be
/// read.
#[derive(Args)]
#[command(
    after_help = "Example:\n  pqsoc vectors ML-DSA-sigGen-FIPS204/prompt.json ML-DSA-sigGen-FIPS204/expectedResults.json"
)]
pub struct Vectors {
    /// Files, and folders with files.
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<PathBuf>,
    /// Run at most so many cases of each group.
    #[arg(long, value_name = "CASES")]
    pub limit: Option<usize>,
    /// Run the cases that take minutes to days too.
    #[arg(long)]
    pub long: bool,
    /// How to say the result.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Measure key generation, signing and verifying on this machine.
#[derive(Args)]
#[command(after_help = "Example:\n  pqsoc speed ML-DSA-44 ML-DSA-65 --seconds 2")]
pub struct Speed {
    /// What to measure [default: the three ML-DSA sets]; Dilithium2, 3 and 5 (round 3.1) are known too.
    #[arg(value_name = "ALGORITHM")]
    pub algorithms: Vec<String>,
    /// How long to measure each operation.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    pub seconds: std::time::Duration,
    /// How to say it.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Measure one cell of the study's table on a virtual board, or somebody else's program.
///
/// Key and messages come from fixed seeds, so equal commands give equal figures. The firmware is built by
/// 'cargo xtask firmware'. Ends with exit code 1 if the program fails.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  pqsoc bench --board stm32f407 --algorithm ML-DSA-44 --operation sign --runs 200 --profile fast --format json\n  pqsoc bench --elf crypto_sign_ml-dsa-44_m4f_speed.elf --implementation 'pqm4 m4f' --algorithm ML-DSA-44 --out pqm4.json"
)]
pub struct Bench {
    /// The board.
    #[arg(long, value_name = "BOARD", default_value = "stm32f407", value_enum)]
    pub board: Board,
    /// The parameter set: ML-DSA-44, Dilithium2, SLH-DSA-SHA2-128f, SPHINCS+-SHAKE-128f-simple and so on.
    #[arg(long, short, value_name = "ALGORITHM", required_unless_present = "elf")]
    pub algorithm: Option<String>,
    /// What is measured.
    #[arg(long, value_name = "OPERATION", default_value = "sign", value_parser = ["keygen", "sign", "verify"])]
    pub operation: String,
    /// How often.
    #[arg(long, value_name = "RUNS", default_value = "20", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub runs: u32,
    /// Memory profile of ML-DSA: fast, small or reference [default: fast; reference for Dilithium].
    #[arg(long, value_name = "PROFILE", value_parser = ["fast", "small", "reference"])]
    pub profile: Option<String>,
    /// Who calculates on the ZedBoard: the processor, the fabric with a DMA transfer a call, or the fabric with all polynomials
    /// in its memory.
    #[arg(long, value_name = "ENGINE", default_value = "software", value_parser = ["software", "study", "resident"])]
    pub engine: String,
    /// Clock of the fabric in MHz [default: 100].
    #[arg(long, value_name = "MHZ", value_parser = clap::value_parser!(u32).range(10..=250))]
    pub pl_mhz: Option<u32>,
    /// How the firmware was compiled.
    #[arg(long, value_name = "BUILD", default_value = "optimised", value_parser = ["optimised", "size", "unoptimised"])]
    pub build: String,
    /// The clock of the STM32F407 in MHz: 24 has no wait states, 168 has 5.
    #[arg(long, value_name = "MHZ", value_parser = ["24", "168"])]
    pub mhz: Option<String>,
    /// The folder with the builds of the firmware.
    #[arg(long, value_name = "FOLDER", default_value = "target/firmware", value_hint = ValueHint::DirPath)]
    pub firmware: PathBuf,
    /// Run this program on the STM32F407 instead: one that prints its cycles as pqm4's do, or any other one as a whole.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["operation", "runs", "profile", "engine", "pl_mhz", "build", "firmware"])]
    pub elf: Option<PathBuf>,
    /// What the tables shall call that program's code.
    #[arg(long, value_name = "NAME", default_value = "program", requires = "elf")]
    pub implementation: String,
    /// Stop that program after so many cycles.
    #[arg(long, value_name = "CYCLES", requires = "elf")]
    pub max_cycles: Option<u64>,
    /// Where the results go, for 'pqsoc report'.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,
    /// Replace a file that exists.
    #[arg(long, short)]
    pub force: bool,
    /// How to say the result.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Run the study on the virtual boards, and write its results and the report.
///
/// What was measured before is not measured again, as long as firmware, options and this program are the same; an
/// interrupted run goes on where it stopped. Writes results.json, results.csv, pqm4.csv, results.md and report.html.
#[derive(Args)]
#[command(after_help = "Example:\n  pqsoc reproduce --firmware target/firmware --out target/reproduce")]
pub struct Reproduce {
    /// The folder with the builds of the firmware ('cargo xtask firmware' makes them).
    #[arg(long, value_name = "FOLDER", default_value = "target/firmware", value_hint = ValueHint::DirPath)]
    pub firmware: PathBuf,
    /// The folder for results and report; files of an earlier run are replaced.
    #[arg(long, short, value_name = "FOLDER", default_value = "target/reproduce", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// Run every set to the end: hours.
    #[arg(long, conflicts_with = "quick")]
    pub full: bool,
    /// A few runs of what is short: to see that everything works.
    #[arg(long)]
    pub quick: bool,
    /// Measure everything anew.
    #[arg(long)]
    pub no_cache: bool,
    /// How many experiments run at the same time [default: one for each processor].
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// The commit that the firmware was built from, for the record.
    #[arg(long, value_name = "HASH", env = "PQSOC_COMMIT", hide_env_values = true)]
    pub commit: Option<String>,
}

/// Make the report of results: one HTML file that needs nothing else.
///
/// Published figures (pqm4's, the study's) are put beside the results, marked as such. The other options write the same
/// results in other forms.
#[derive(Args)]
#[command(after_help = "Example:\n  pqsoc report results.json --out report.html")]
pub struct Report {
    /// Results of 'pqsoc reproduce' or 'pqsoc bench' [default: those measured when this program was made].
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub results: Vec<PathBuf>,
    /// Other figures to put beside them: a benchmarks.csv in pqm4's layout.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub import: Vec<PathBuf>,
    /// The board on which imported figures were measured.
    #[arg(long, value_name = "BOARD", default_value = "nucleo-l4r5zi", requires = "import")]
    pub import_board: String,
    /// The clock at which they were measured.
    #[arg(long, value_name = "MHZ", default_value = "20", value_parser = positive, requires = "import")]
    pub import_mhz: f64,
    /// Where the report goes.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,
    /// Where all results go as JSON, in one file.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub json: Option<PathBuf>,
    /// Where all figures go as CSV, one a line.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub csv: Option<PathBuf>,
    /// Where they go in the layout of pqm4's benchmarks.csv.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub pqm4_csv: Option<PathBuf>,
    /// The folder where the plots go as SVG, each under the name that it has in the report.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub plots: Option<PathBuf>,
    /// Where the tables go as Markdown.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub markdown: Option<PathBuf>,
    /// Replace files that exist.
    #[arg(long, short)]
    pub force: bool,
}

/// Show what changed between two sets of results.
///
/// With --fail-above the exit code is 6 if a figure that should be small (cycles, time, memory, code, energy, logic) grew
/// by more than that, or an experiment that worked does not any more.
#[derive(Args)]
#[command(after_help = "Example:\n  pqsoc compare before.json after.json --fail-above 5%")]
pub struct Compare {
    /// The results to compare with.
    #[arg(value_name = "BEFORE", value_hint = ValueHint::FilePath)]
    pub before: PathBuf,
    /// The results of now.
    #[arg(value_name = "AFTER", value_hint = ValueHint::FilePath)]
    pub after: PathBuf,
    /// How much a figure may grow: 5%.
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub fail_above: Option<f64>,
    /// How to say it.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Find schemes, sets and profiles that fit a device.
///
/// Those that fit come first, at the top the one that needs least of what it may have, over all limits; of the others it
/// says which figures rule them out. Times are those that 99 of 100 runs keep to. A limit of time says that the device does
/// that operation; RAM (stack and variables) and flash (code and constants) are of what it does, or of all three operations if
/// no time is limited. What was not measured does not fit. Ends with exit code 6 if nothing fits.
#[derive(Args)]
#[command(after_help = "Example:\n  pqsoc choose --ram 16k --flash 64k --verify-ms 50")]
pub struct Choose {
    /// Most RAM, in bytes; 16k is 16384.
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub ram: Option<f64>,
    /// Most flash for code and constants.
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub flash: Option<f64>,
    /// Longest key generation.
    #[arg(long, value_name = "MS", value_parser = positive)]
    pub keygen_ms: Option<f64>,
    /// Longest signing.
    #[arg(long, value_name = "MS", value_parser = positive)]
    pub sign_ms: Option<f64>,
    /// Longest verification.
    #[arg(long, value_name = "MS", value_parser = positive)]
    pub verify_ms: Option<f64>,
    /// Largest public key.
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub public_key: Option<f64>,
    /// Largest signature.
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub signature: Option<f64>,
    /// Least security category; leaves out what a quantum computer breaks.
    #[arg(long, value_name = "1|2|3|5", value_parser = clap::value_parser!(u8).range(1..=5))]
    pub category: Option<u8>,
    /// The board.
    #[arg(long, value_name = "BOARD", default_value = "stm32f407")]
    pub board: String,
    /// Clock of its core in MHz [default: the fastest that was measured].
    #[arg(long, value_name = "MHZ", value_parser = positive)]
    pub mhz: Option<f64>,
    /// Results to choose from [default: those measured when this program was made].
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub results: Option<PathBuf>,
    /// How to say it.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Run firmware on a virtual board.
///
/// The program's output (serial ports, semihosting, ITM, RTT) goes to standard output, the report to standard
/// error; with '--format json' the report is on standard output and the program's output on standard error.
///
/// The exit code is the program's where it ends itself (semihosting); 0 where '--until' was printed or the program
/// ends in an endless loop; 3 if the file is not a program for the board; 5 if a limit was reached or the program hangs in
/// a fault or panic handler; 6 if it ended well but its stack ran over.
///
/// As a runner of Cargo: runner = "pqsoc run --board stm32f407" in .cargo/config.toml.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  pqsoc run --board stm32f407 app.elf\n  pqsoc run --board stm32f407 --until '#' --profile app app.elf\n  pqsoc run --board stm32f407 --gdb 3333 app.elf\n  pqsoc run --board zedboard --pl-mhz 150 --trace-bus bus.txt app.elf"
)]
pub struct Run {
    /// The board.
    #[arg(long, value_enum)]
    pub board: Board,
    /// The program: an ELF file.
    #[arg(value_name = "ELF", value_hint = ValueHint::FilePath)]
    pub program: PathBuf,
    /// Arguments that the program can ask for by semihosting.
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<String>,
    /// Stop after so many cycles of the core.
    #[arg(long, value_name = "CYCLES")]
    pub max_cycles: Option<u64>,
    /// Stop after so much time on this machine.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<std::time::Duration>,
    /// Stop when the program has printed this.
    #[arg(long, value_name = "TEXT")]
    pub until: Option<String>,
    /// Bytes that arrive on the serial port.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub input: Option<PathBuf>,
    /// Seed of what is random on silicon (random numbers, RAM at power-on, what caches replace): runs can be repeated.
    #[arg(long, value_name = "NUMBER", default_value = "0")]
    pub seed: u64,
    /// Let semihosting open files below this folder.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub files: Option<PathBuf>,
    /// Wait for gdb on this port of this machine (0: any free one).
    #[arg(long, value_name = "PORT", conflicts_with_all = ["trace", "profile", "max_cycles", "timeout"])]
    pub gdb: Option<u16>,
    /// Write every instruction to this file, or to standard error.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "profile")]
    #[arg(num_args = 0..=1, require_equals = true)]
    pub trace: Option<Option<PathBuf>>,
    /// Count cycles, calls and stack by function, and write the call tree to NAME.folded and as a flame graph to NAME.svg.
    #[arg(long, value_name = "NAME", value_hint = ValueHint::FilePath)]
    pub profile: Option<PathBuf>,
    /// How to report.
    #[arg(long, value_enum, default_value_t)]
    pub format: RunFormat,
    #[command(flatten, next_help_heading = "Options of stm32f407")]
    pub stm32f407: RunStm32f407,
    #[command(flatten, next_help_heading = "Options of zedboard")]
    pub zedboard: RunZedboard,
}

/// What only the STM32F407 has.
#[derive(Args)]
pub struct RunStm32f407 {
    /// Core clock in MHz, and the flash timing that goes with it, whatever the program sets: 24 (no wait states) or 168 (5
    /// wait states, prefetch, caches).
    #[arg(long, value_name = "MHZ", value_parser = PossibleValuesParser::new(["24", "168"]))]
    pub clock: Option<String>,
    /// The serial port for '--input' [default: 2].
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u8).range(1..=6))]
    pub usart: Option<u8>,
    /// SRAM in KB: more than the chip has shows what a program would need [default: 128].
    #[arg(long, value_name = "KB", value_parser = clap::value_parser!(u32).range(128..=1024))]
    pub sram: Option<u32>,
}

/// What only the ZedBoard has.
#[derive(Args)]
pub struct RunZedboard {
    /// Clock of the programmable logic in MHz, before the program sets it: 100 or 150 are those of published designs
    /// [default: 100].
    #[arg(long, value_name = "MHZ", value_parser = clap::value_parser!(u32).range(10..=250))]
    pub pl_mhz: Option<u32>,
    /// Butterflies of the fabric's polynomial unit: 1, 2 or 4 [default: 4].
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=4))]
    pub butterflies: Option<u32>,
    /// Rounds of the Keccak permutation a clock: 1 or 2 [default: 2 with 2 butterflies, else 1].
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=2))]
    pub rounds: Option<u32>,
    /// The DMA goes through the caches (ACP) instead of round them (HP0).
    #[arg(long)]
    pub acp: bool,
    /// Cache misses fetch the next line as well, as they may on silicon: a missing invalidate shows.
    #[arg(long)]
    pub prefetch: bool,
    /// Write every transaction between processor, fabric and memory, with its time, to this file.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub trace_bus: Option<PathBuf>,
    /// Write the signals of the fabric to this file (FST, two time units a clock); needs a build with feature 'wave'.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub wave: Option<PathBuf>,
}

/// The virtual boards.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Board {
    /// STM32F407G-DISC1: Cortex-M4F, 1 MB flash, 192 KB RAM.
    Stm32f407,
    /// ZedBoard: Zynq-7000 with Cortex-A9, 512 MB DDR, and the fabric behind an AXI DMA.
    Zedboard,
}

/// How a run is reported.
#[derive(Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum RunFormat {
    /// For people, on standard error.
    #[default]
    Human,
    /// One JSON object on a line of standard output.
    Json,
}

/// Write the completions of a shell.
#[derive(Args)]
#[command(
    after_help = "Example:\n  pqsoc completions bash > ~/.local/share/bash-completion/completions/pqsoc"
)]
pub struct Completions {
    /// The shell.
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Write the manual pages, one for the program and one for each subcommand.
#[derive(Args)]
#[command(after_help = "Example:\n  pqsoc man --out ~/.local/share/man/man1")]
pub struct Man {
    /// The folder for them.
    #[arg(long, short, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// Replace files that exist.
    #[arg(long, short)]
    pub force: bool,
}

/// Bytes of the command line that may be secret.
#[derive(Clone)]
pub struct Hex(pub Zeroizing<Vec<u8>>);

/// Bytes of the command line.
#[derive(Clone)]
pub struct Bytes(pub Vec<u8>);

fn decode_hex(text: &str) -> Result<Vec<u8>, String> {
    hex::decode(text).map_err(|error| error.to_string())
}

fn secret_hex(text: &str) -> Result<Hex, String> {
    decode_hex(text).map(|bytes| Hex(Zeroizing::new(bytes)))
}

fn context_hex(text: &str) -> Result<Bytes, String> {
    checked_context(decode_hex(text)?)
}

fn context() -> impl TypedValueParser<Value = Bytes> {
    clap::builder::OsStringValueParser::new()
        .try_map(|text: OsString| checked_context(text.into_encoded_bytes()))
}

fn checked_context(bytes: Vec<u8>) -> Result<Bytes, String> {
    match Context::new(&bytes) {
        Ok(_) => Ok(Bytes(bytes)),
        Err(error) => Err(error.to_string()),
    }
}

fn seconds(text: &str) -> Result<std::time::Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_string())?;
    std::time::Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

fn positive(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_string())?;
    if number.is_finite() && number > 0.0 { Ok(number) } else { Err("not above zero".into()) }
}

/// A number of bytes; `k` and `M` are powers of 1024.
fn bytes(text: &str) -> Result<f64, String> {
    let (digits, factor) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (&text[..text.len() - 1], 1024.0),
        Some(b'M') => (&text[..text.len() - 1], 1_048_576.0),
        _ => (text, 1.0),
    };
    positive(digits).map(|number| number * factor)
}

/// `5%` or `5` as 0.05.
fn percent(text: &str) -> Result<f64, String> {
    let number: f64 =
        text.strip_suffix('%').unwrap_or(text).trim().parse().map_err(|_| "not a percentage".to_string())?;
    if number.is_finite() && number >= 0.0 { Ok(number / 100.0) } else { Err("not a percentage".into()) }
}
