//! Side-by-side timing of ML-DSA and SLH-DSA libraries: one loop, one clock, the same messages.
//! See README.md for how to run it and how to add a library.
use bench::stats::Samples;
use bench::{Row, message, rows, seed};
use rustix::time::{ClockId, clock_gettime};

/// Processor time of this thread in nanoseconds: unlike wall time, it leaves out the time that the
/// thread waits for a shared core. One system call, about 0.2 us.
fn cpu_ns() -> i64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Microseconds that `f` takes.
fn time<T>(f: impl FnOnce() -> T) -> (f64, T) {
    let start = cpu_ns();
    let result = std::hint::black_box(f());
    ((cpu_ns() - start) as f64 / 1000.0, result)
}

fn env(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .map_or(default, |v| v.parse().unwrap_or_else(|_| panic!("{name} is not a number: {v}")))
}

/// How often an operation is repeated in one round.
struct Plan {
    budget_us: f64,
    min: u64,
    max: u64,
}

impl Plan {
    fn samples(&self, mut once: impl FnMut(u64) -> f64) -> Samples {
        let count = ((self.budget_us / once(0).max(0.5)) as u64).clamp(self.min, self.max);
        let mut samples = Samples::default();
        (0..count).for_each(|i| samples.push(once(i)));
        samples
    }
}

fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    let mut rows: Vec<Box<dyn Row>> = rows::all();
    rows.retain(|r| filter.split(',').any(|f| format!("{} {}", r.lib(), r.alg()).contains(f)));
    let plan = Plan {
        budget_us: env("BUDGET_MS", 400) as f64 * 1000.0,
        min: env("MIN_N", 5),
        max: env("MAX_N", 2000),
    };

    interoperate(&mut rows);
    println!("lib\talg\top\tround\tn\tmean_us\tmedian_us\tmin_us\tp95_us\tmode\tkind");
    for round in 0..env("ROUNDS", 3) {
        for row in &mut rows {
            measure(row.as_mut(), round, &plan);
        }
    }
}

/// Every row verifies every other row's signature; equal seeds give equal keys and, where deterministic, equal signatures.
fn interoperate(rows: &mut [Box<dyn Row>]) {
    for row in rows.iter_mut() {
        row.keygen(seed(1));
    }
    let m = message(77);
    for signer in rows.iter() {
        let signature = signer.sign(&m);
        let mut bad = signature.clone();
        bad[40] ^= 1;
        for verifier in rows.iter().filter(|r| r.group() == signer.group()) {
            let pair = format!("{} and {}, {}", signer.lib(), verifier.lib(), signer.alg());
            assert!(verifier.verify_bytes(&signer.pk(), &m, &signature), "{pair}: rejected");
            assert!(!verifier.verify_bytes(&signer.pk(), &m, &bad), "{pair}: a bad signature is accepted");
            if signer.seeded() && verifier.seeded() {
                assert_eq!(signer.pk(), verifier.pk(), "{pair}: public keys");
                if signer.deterministic() && verifier.deterministic() {
                    assert_eq!(signature, verifier.sign(&m), "{pair}: signatures");
                }
            }
        }
    }
    eprintln!("all {} rows agree", rows.len());
}

fn measure(row: &mut dyn Row, round: u64, plan: &Plan) {
    let line = |row: &dyn Row, op: &str, samples: &Samples| {
        let mode = format!(
            "{}{}",
            if row.seeded() { "S" } else { "-" },
            if row.deterministic() { "D" } else { "H" }
        );
        let kind = if row.portable() { "portable" } else { "native" };
        let (count, figures) = (samples.count(), samples.line());
        println!("{}\t{}\t{op}\t{round}\t{count}\t{figures}\t{mode}\t{kind}", row.lib(), row.alg());
    };
    let samples = plan.samples(|i| time(|| row.keygen(seed(i))).0);
    line(row, "keygen", &samples);
    row.keygen(seed(1));
    // Signing needs many messages: the rejection loop makes single times meaningless.
    line(row, "sign", &plan.samples(|i| time(|| row.sign(&message(i))).0));
    if row.sign_bytes(&message(0)).is_some() {
        line(row, "sign_from_bytes", &plan.samples(|i| time(|| row.sign_bytes(&message(i))).0));
    }
    let (first_time, first) = time(|| row.sign(&message(0)));
    let count = if first_time > 20_000.0 { 2 } else { 16 };
    let signatures: Vec<_> =
        std::iter::once(first).chain((1..count).map(|i| row.sign(&message(i)))).collect();
    let verify = |verify: &dyn Fn(&[u8], &[u8]) -> bool| {
        plan.samples(|i| {
            let k = i % count;
            let (time, accepted) = time(|| verify(&message(k), &signatures[k as usize]));
            assert!(accepted);
            time
        })
    };
    let pk = row.pk();
    line(row, "verify", &verify(&|m, s| row.verify(m, s)));
    line(row, "verify_from_bytes", &verify(&|m, s| row.verify_bytes(&pk, m, s)));
}
