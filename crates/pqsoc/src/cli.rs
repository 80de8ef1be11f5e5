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
/// Exit codes: 0 good; 1 a signature or test vector is bad; 2 the command line makes no sense; 3 a file cannot be used;
/// 4 the policy forbids it; 5 a device does not answer; 6 over a budget.
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
    after_help = "Examples:\n  pqsoc run --board stm32f407 app.elf\n  pqsoc run --board stm32f407 --until '#' --profile app app.elf\n  pqsoc run --board stm32f407 --gdb 3333 app.elf"
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
    /// Core clock in MHz, and the flash timing that goes with it, whatever the program sets: 24 (no wait states) or 168 (5
    /// wait states, prefetch, caches).
    #[arg(long, value_name = "MHZ", value_parser = PossibleValuesParser::new(["24", "168"]))]
    pub clock: Option<String>,
    /// Bytes that arrive on the serial port.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub input: Option<PathBuf>,
    /// The serial port for '--input'.
    #[arg(long, value_name = "NUMBER", default_value = "2", value_parser = clap::value_parser!(u8).range(1..=6))]
    pub usart: u8,
    /// Seed of the random number generator and of what RAM holds at power-on: runs can be repeated.
    #[arg(long, value_name = "NUMBER", default_value = "0")]
    pub seed: u64,
    /// SRAM in KB: more than the chip has shows what a program would need.
    #[arg(long, value_name = "KB", default_value = "128", value_parser = clap::value_parser!(u32).range(128..=1024))]
    pub sram: u32,
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
}

/// The virtual boards.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Board {
    /// STM32F407G-DISC1: Cortex-M4F, 1 MB flash, 192 KB RAM.
    Stm32f407,
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
