//! Keys and signatures of any set from the command line, with all processors and with progress: what the draft sets need,
//! for which no key file format is defined. Keys are bare bytes.
//!
//! ```text
//! cargo run --release -p pqsoc-slhdsa --features draft,rayon --example draft -- keygen SLH-DSA-SHA2-128-24 key pub
//! cargo run --release -p pqsoc-slhdsa --features draft,rayon --example draft -- sign SLH-DSA-SHA2-128-24 key message sig
//! cargo run --release -p pqsoc-slhdsa --features draft,rayon --example draft -- verify SLH-DSA-SHA2-128-24 pub message sig
//! ```
use pqsoc_slhdsa::engine::Threads;
use pqsoc_slhdsa::{Context, Message, Params, SigningKey, VerifyingKey};
use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Says how far an operation is, about once a second, on standard error.
struct Progress {
    started: Instant,
    said: Instant,
}

impl Progress {
    fn new() -> Self {
        let now = Instant::now();
        Self { started: now, said: now }
    }

    fn set(&mut self, done: u64, of: u64) {
        if self.said.elapsed() > Duration::from_secs(1) {
            self.said = Instant::now();
            let share = done as f64 / of as f64;
            let left = self.started.elapsed().as_secs_f64() * (1.0 / share - 1.0);
            eprint!("\r{:5.1} %, {left:.0} s left   ", 100.0 * share);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        eprintln!("\r{:.1} s                    ", self.started.elapsed().as_secs_f64());
    }
}

/// A file that only its owner may read.
fn private_file(path: &str) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let set = |name| Params::by_name(name).ok_or(format!("no set is called {name}"));
    let engine = &mut Threads::new();
    let mut progress = Progress::new();
    let mut report = |done, of| progress.set(done, of);
    match arguments[..] {
        ["keygen", name, private, public] => {
            // That the key can be kept is known before it is made.
            let mut file = private_file(private)?;
            let key = SigningKey::generate_with(engine, set(name)?, &mut getrandom::SysRng, &mut report)?;
            file.write_all(key.as_bytes())?;
            fs::write(public, key.verifying_key().as_bytes())?;
        }
        ["sign", name, private, message, out] => {
            let params = set(name)?;
            let key = SigningKey::from_bytes(params, &fs::read(private)?)?;
            let mut randomness = vec![0; params.n];
            getrandom::fill(&mut randomness)?;
            let (message, mut signature) = (fs::read(message)?, Vec::new());
            let message = Message::pure(Context::EMPTY, &message);
            key.sign_with(engine, &message, Some(&randomness), &mut signature, &mut report)?;
            // A fault on the way must not get out.
            key.verifying_key().verify(&message, &signature)?;
            fs::write(out, signature)?;
        }
        ["verify", name, public, message, signature] => {
            let key = VerifyingKey::from_bytes(set(name)?, &fs::read(public)?)?;
            key.verify(&Message::pure(Context::EMPTY, &fs::read(message)?), &fs::read(signature)?)?;
        }
        _ => {
            return Err(
                "keygen SET PRIVATE PUBLIC | sign SET PRIVATE MESSAGE SIGNATURE | verify SET PUBLIC MESSAGE \
                        SIGNATURE"
                    .into(),
            );
        }
    }
    Ok(())
}
