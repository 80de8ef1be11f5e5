//! `pqsoc speed`.
use crate::{
    cli::Speed,
    failure::{Code, Failure},
    policy::Policy,
    report::{self, Row},
    signing::random,
};
use pqsoc_keyfile::{Algorithm, Scheme};
use pqsoc_message::{Context, Message};
use pqsoc_mldsa::dynamic;
use pqsoc_slhdsa::{Params, SigningKey};
use serde::Serialize;
use std::{
    hint::black_box,
    io::{self, Write},
    time::Duration,
};

/// The time of an operation. All times are CPU time of one thread, in nanoseconds.
#[derive(Serialize)]
struct Timing {
    algorithm: &'static str,
    private_key_bytes: usize,
    public_key_bytes: usize,
    signature_bytes: usize,
    operation: &'static str,
    /// How often it was measured.
    runs: usize,
    min_ns: u64,
    median_ns: u64,
    mean_ns: u64,
    p99_ns: u64,
    /// Of ML-DSA signing: attempts until a signature came out, on average and at most.
    attempts_mean: Option<f64>,
    attempts_max: Option<u32>,
    clock: &'static str,
}

/// Fewer measurements have no quantiles to speak of.
const LEAST_RUNS: usize = 3;

impl Row for Timing {
    const SCHEMA: &'static str = "pqsoc-speed/1";

    fn human(rows: &[Self], out: &mut dyn Write) -> io::Result<()> {
        let us = |ns: u64| format!("{:.1}", ns as f64 / 1000.0);
        for (i, row) in rows.iter().enumerate() {
            if i == 0 || rows[i - 1].algorithm != row.algorithm {
                let Self { algorithm, private_key_bytes, public_key_bytes, signature_bytes, .. } = row;
                writeln!(
                    out,
                    "{algorithm}: private key {private_key_bytes}, public key {public_key_bytes}, signature \
                     {signature_bytes} bytes; times in us ({})\n{:>10} {:>8} {:>11} {:>11} {:>11} {:>11}",
                    row.clock, "", "runs", "min", "median", "mean", "p99"
                )?;
            }
            let [min, median, mean, p99] = [row.min_ns, row.median_ns, row.mean_ns, row.p99_ns].map(us);
            let attempts = row.attempts_mean.zip(row.attempts_max);
            let attempts = attempts.map_or(String::new(), |(mean, max)| {
                format!("  {mean:.2} attempts on average, at most {max}")
            });
            let (operation, runs) = (row.operation, row.runs);
            writeln!(out, "{operation:>10} {runs:>8} {min:>11} {median:>11} {mean:>11} {p99:>11}{attempts}")?;
        }
        Ok(())
    }
}

pub fn run(options: &Speed, policy: Policy) -> Result<(), Failure> {
    let names = if options.algorithms.is_empty() {
        let default = ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"].into_iter();
        default.filter(|name| policy.objection(name, None).is_none()).map(String::from).collect()
    } else {
        options.algorithms.clone()
    };
    let mut schemes = Vec::new();
    for name in names {
        let scheme = scheme(&name)?;
        if let Some(why) = policy.objection(set_name(scheme), None) {
            return Err(Failure::new(Code::Policy, why));
        }
        schemes.push(scheme);
    }
    let mut timings = Vec::new();
    for scheme in schemes {
        match scheme {
            Scheme::MlDsa(scheme) => ml_dsa(scheme, options.seconds, &mut timings)?,
            Scheme::SlhDsa(params) => slh_dsa(params, options.seconds, &mut timings)?,
        }
    }
    report::print(options.format, &timings)
}

/// The parameter set of a name: one with key files, or one that the scheme crates have besides.
fn scheme(name: &str) -> Result<Scheme, Failure> {
    let usage = |error| Failure::usage(format_args!("{error}"));
    match name.parse::<Algorithm>() {
        Ok(algorithm) if algorithm == algorithm.pure() => Ok(algorithm.scheme()),
        Ok(algorithm) => Err(Failure::usage(format_args!("{algorithm} is as fast as {}", algorithm.set()))),
        Err(error) => dynamic::by_name(name)
            .map(Scheme::MlDsa)
            .or_else(|| Params::by_name(name).map(Scheme::SlhDsa))
            .ok_or_else(|| usage(error)),
    }
}

fn set_name(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::MlDsa(scheme) => scheme.params().name,
        Scheme::SlhDsa(params) => params.name,
    }
}

/// Keys are taken as bytes each time, as after reading a file; each signature is of another message, with randomness.
fn ml_dsa(scheme: &dyn dynamic::Scheme, budget: Duration, timings: &mut Vec<Timing>) -> Result<(), Failure> {
    let params = scheme.params();
    let mut public = vec![0; params.public_key_len()];
    let mut secret = vec![0; params.secret_key_len()];
    let mut signature = vec![0; params.signature_len()];
    let sizes = [secret.len(), public.len(), signature.len()];
    let failure =
        |error: &dyn std::fmt::Display| Failure::new(Code::Format, format_args!("{}: {error}", params.name));

    let mut xi = [0; 32];
    let times = measure(budget, |clock| {
        random(&mut xi)?;
        clock
            .time(|| scheme.keygen(black_box(&xi), &mut public, &mut secret))
            .map_err(|error| failure(&error))
    })?;
    timings.push(Timing::new(params.name, sizes, "keygen", times));

    let mut mu = vec![0; params.mu_len];
    let mut rnd = [0; 32];
    let mut attempts = Vec::new();
    let times = measure(budget, |clock| {
        random(&mut mu)?;
        random(&mut rnd)?;
        let made = clock.time(|| scheme.sign_mu(black_box(&secret), &mu, &rnd, &mut signature));
        attempts.push(made.map_err(|error| failure(&error))?);
        Ok(())
    })?;
    let mut timing = Timing::new(params.name, sizes, "sign", times);
    timing.attempts_mean = Some(attempts.iter().copied().map(f64::from).sum::<f64>() / attempts.len() as f64);
    timing.attempts_max = attempts.iter().copied().max();
    timings.push(timing);

    let times = measure(budget, |clock| {
        clock.time(|| scheme.verify_mu(black_box(&public), &mu, &signature)).map_err(|error| failure(&error))
    })?;
    timings.push(Timing::new(params.name, sizes, "verify", times));
    Ok(())
}

fn slh_dsa(params: &'static Params, budget: Duration, timings: &mut Vec<Timing>) -> Result<(), Failure> {
    let sizes = [params.private_key_len(), params.public_key_len(), params.signature_len()];
    let failure = |error| Failure::new(Code::Format, format_args!("{}: {error}", params.name));
    let n = params.n;

    let mut seeds = vec![0; 3 * n];
    let mut key = None;
    let times = measure(budget, |clock| {
        random(&mut seeds)?;
        let made =
            clock.time(|| SigningKey::from_seeds(params, &seeds[..n], &seeds[n..2 * n], &seeds[2 * n..]));
        key = Some(made.map_err(failure)?);
        Ok(())
    })?;
    timings.push(Timing::new(params.name, sizes, "keygen", times));

    let Some(key) = key else { return Ok(()) };
    let mut text = [0; 32];
    let mut opt_rand = vec![0; n];
    let mut signature = vec![0; params.signature_len()];
    let times = measure(budget, |clock| {
        random(&mut text)?;
        random(&mut opt_rand)?;
        let message = Message::pure(Context::EMPTY, &text);
        clock.time(|| key.sign_into(&message, Some(&opt_rand), &mut signature)).map_err(failure)
    })?;
    timings.push(Timing::new(params.name, sizes, "sign", times));

    let public = key.verifying_key();
    let message = Message::pure(Context::EMPTY, &text);
    let times = measure(budget, |clock| clock.time(|| public.verify(&message, &signature)).map_err(failure))?;
    timings.push(Timing::new(params.name, sizes, "verify", times));
    Ok(())
}

/// Runs `operation` until the budget of wall time is spent, and at least [`LEAST_RUNS`] times.
fn measure(
    budget: Duration,
    mut operation: impl FnMut(&mut Clock) -> Result<(), Failure>,
) -> Result<Vec<Duration>, Failure> {
    // The first run fills the caches and is not counted.
    operation(&mut Clock::default())?;
    let mut clock = Clock::default();
    let started = std::time::Instant::now();
    while clock.times.len() < LEAST_RUNS || started.elapsed() < budget {
        operation(&mut clock)?;
    }
    Ok(clock.times)
}

/// Collects the times of single runs.
#[derive(Default)]
struct Clock {
    times: Vec<Duration>,
}

impl Clock {
    fn time<T>(&mut self, operation: impl FnOnce() -> T) -> T {
        let before = now();
        let result = black_box(operation());
        self.times.push(now().saturating_sub(before));
        result
    }
}

#[cfg(unix)]
const CLOCK: &str = "CPU time of one thread";

/// CPU time of this thread: what else runs on the machine disturbs it less.
#[cfg(unix)]
fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

#[cfg(not(unix))]
const CLOCK: &str = "wall time";

#[cfg(not(unix))]
fn now() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

impl Timing {
    /// `times` are not empty.
    fn new(
        algorithm: &'static str,
        [private_key_bytes, public_key_bytes, signature_bytes]: [usize; 3],
        operation: &'static str,
        mut times: Vec<Duration>,
    ) -> Self {
        times.sort_unstable();
        let ns = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let total: Duration = times.iter().sum();
        Self {
            algorithm,
            private_key_bytes,
            public_key_bytes,
            signature_bytes,
            operation,
            runs: times.len(),
            min_ns: ns(times[0]),
            median_ns: ns(quantile(&times, 50)),
            mean_ns: ns(total) / times.len() as u64,
            p99_ns: ns(quantile(&times, 99)),
            attempts_mean: None,
            attempts_max: None,
            clock: CLOCK,
        }
    }
}

/// The smallest of the sorted values that at least `percent` of them do not exceed (nearest rank).
fn quantile<T: Copy>(sorted: &[T], percent: usize) -> T {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted[rank.saturating_sub(1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_rank() {
        let hundred: Vec<u32> = (1..=100).collect();
        assert_eq!((quantile(&hundred, 50), quantile(&hundred, 99)), (50, 99));
        assert_eq!((quantile(&[7], 50), quantile(&[7], 99)), (7, 7));
        assert_eq!((quantile(&[1, 2, 3], 50), quantile(&[1, 2, 3], 99)), (2, 3));
        assert_eq!((quantile(&[1, 2], 50), quantile(&[1, 2], 99)), (1, 2));
    }

    #[test]
    fn statistics() {
        let times = [30, 10, 20, 40].map(Duration::from_nanos).to_vec();
        let timing = Timing::new("X", [1, 2, 3], "sign", times);
        assert_eq!(
            (timing.runs, timing.min_ns, timing.median_ns, timing.mean_ns, timing.p99_ns),
            (4, 10, 20, 25, 40)
        );
    }
}
