//! Stack that operations need: painted before, looked at after. `cargo test --release --test stack -- --nocapture`
//! prints the table.
//!
//! Unsafe code: the painter writes to and reads from the part of its thread's stack that no frame uses.
#![allow(unsafe_code)]

use pqsoc_slhdsa::engine::{Engine, Sha2, Shake};
use pqsoc_slhdsa::params::Family;
use pqsoc_slhdsa::{Context, Message, Params, SigningKey, Sink, Source, Stopped, VerifyingKey, params};
use std::hint::black_box;
use std::thread;

/// Bytes of the threads' stacks, and how many of them are painted.
const STACK: usize = 1 << 20;
const PAINTED: usize = 256 << 10;
const PAINT: u8 = 0xa5;
/// Bytes just below the painter's frame that are not painted.
const SPARED: usize = 256;

/// What is on the stack below the frame of this function after `operation`; it was all [`PAINT`] before.
#[inline(never)]
fn stack_after(operation: impl FnOnce()) -> Vec<u8> {
    let here = 0u8;
    let top = (&raw const here) as usize - SPARED;
    let painted = top - PAINTED..top;
    // SAFETY: `PAINTED` bytes below this frame are within the stack of a thread of `STACK` bytes, and no frame is there
    // but those of the calls of this loop, which need less than `SPARED`.
    unsafe {
        for at in painted.clone() {
            (at as *mut u8).write_volatile(PAINT);
        }
    }
    operation();
    let mut found = vec![0; PAINTED];
    for (to, at) in found.iter_mut().zip(painted) {
        // SAFETY: as above; the frames of `operation` are gone.
        *to = unsafe { (at as *const u8).read_volatile() };
    }
    found
}

/// Bytes of stack that `operation` reaches below the frame of its caller.
fn stack_of(operation: impl FnOnce()) -> usize {
    let clean = stack_after(operation).iter().take_while(|&&byte| byte == PAINT).count();
    assert!(clean > 0, "painted too little");
    PAINTED - clean + SPARED
}

/// Counts bytes: what a device would send on.
struct Count(usize);

impl Sink for Count {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Stopped> {
        self.0 += bytes.len();
        Ok(())
    }
}

/// As long as a signature: what a device would read from flash.
struct Zeros(usize);

impl Source for Zeros {
    fn read(&mut self, out: &mut [u8]) -> Result<usize, Stopped> {
        let len = out.len().min(self.0);
        self.0 -= len;
        Ok(len)
    }
}

/// Stack of key generation, and of signing and verification of a signature that is written as it is made and read as it
/// is checked.
fn measure<E: Engine + 'static>(params: &'static Params, new: fn() -> E) -> [usize; 3] {
    let run = move || {
        let key = SigningKey::from_bytes(params, &[7; 128][..params.private_key_len()]).unwrap();
        let public: VerifyingKey = key.verifying_key();
        let message = Message::pure(Context::EMPTY, b"message");
        // The same as key generation, without the key.
        let keygen = stack_of(|| {
            assert!(black_box(key.check_with(&mut new(), &mut |_, _| {})).is_err());
        });
        let sign = stack_of(|| {
            let mut sink = Count(0);
            assert!(key.sign_with(&mut new(), &message, None, &mut sink, &mut |_, _| {}).is_ok());
            assert_eq!(black_box(sink.0), params.signature_len());
        });
        let verify = stack_of(|| {
            let mut source = Zeros(params.signature_len());
            assert!(black_box(public.verify_with(&mut new(), &message, &mut source)).is_err());
        });
        [keygen, sign, verify]
    };
    thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().unwrap()
}

/// What one hash at a time may need on a host, where pointers and registers have 64 bits and the portable permutation
/// has copies of the state: of categories 1, 3 and 5, for key generation, signing and verification, with all features,
/// the masks of SPHINCS+ included. On a Cortex-M4 it is less, see README.md.
const LIMITS: [[usize; 3]; 3] = [[3000, 3300, 2300], [3200, 3600, 2600], [3300, 4100, 2600]];

#[test]
fn every_operation_needs_little_stack() {
    println!("{:30}{:>8}{:>8}{:>8}", "bytes of stack", "keygen", "sign", "verify");
    let slow = |params: &Params| !cfg!(debug_assertions) && params.name.ends_with("256s");
    for params in params::ALL.iter().take(12).filter(|params| params.name.ends_with('f') || slow(params)) {
        let found = match params.family {
            Family::Sha2 => measure(params, Sha2::new),
            Family::Shake => measure(params, Shake::new),
        };
        let [keygen, sign, verify] = found;
        println!("{:30}{keygen:>8}{sign:>8}{verify:>8}", params.name);
        if !cfg!(debug_assertions) {
            let limits = LIMITS[params.n / 8 - 2];
            assert!(found.iter().zip(limits).all(|(found, limit)| *found <= limit), "{params}: {found:?}");
        }
    }
}

/// Nothing is left of SK.seed and SK.prf on the stack after an operation: not the bytes, not as words of SHA-2, not
/// added to the pads of HMAC.
#[cfg(not(debug_assertions))]
fn leaves_nothing<E: Engine + 'static>(params: &'static Params, new: fn() -> E) {
    let run = move || {
        let seeds: Vec<u8> =
            (0..3 * params.n as u32).map(|i| (i.wrapping_mul(2654435761) >> 13) as u8).collect();
        let mut patterns = Vec::new();
        for seed in seeds.chunks(params.n).take(2) {
            let swapped = |pad: u8| {
                seed.chunks(4).flat_map(move |word| word.iter().rev().map(move |byte| byte ^ pad)).collect()
            };
            patterns.extend([seed.to_vec(), swapped(0), swapped(0x36), swapped(0x5c)]);
            patterns.extend([0x36, 0x5c].map(|pad| seed.iter().map(|byte| byte ^ pad).collect::<Vec<_>>()));
        }
        let key = {
            let mut bytes = seeds.clone();
            bytes.extend(vec![0; params.n]);
            SigningKey::from_bytes(params, &bytes).unwrap()
        };
        let message = Message::pure(Context::EMPTY, b"message");
        let sign = stack_after(|| {
            assert!(key.sign_with(&mut new(), &message, None, &mut Count(0), &mut |_, _| {}).is_ok());
        });
        let check = stack_after(|| assert!(key.check_with(&mut new(), &mut |_, _| {}).is_err()));
        for (operation, residue) in [("signing", sign), ("key generation", check)] {
            for (i, pattern) in patterns.iter().enumerate() {
                for (half, part) in pattern.chunks(8).enumerate() {
                    let found = residue.windows(8).rposition(|window| window == part);
                    assert_eq!(found, None, "{params}, {operation}: pattern {i}, part {half}");
                }
            }
        }
    };
    thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().unwrap()
}

#[cfg(not(debug_assertions))]
#[test]
fn no_residue_of_secrets() {
    use pqsoc_slhdsa::engine::Auto;
    for params in
        params::ALL.iter().filter(|params| params.name.starts_with("SLH") && params.name.ends_with('f'))
    {
        match params.family {
            Family::Sha2 => leaves_nothing(params, Sha2::new),
            Family::Shake => leaves_nothing(params, Shake::new),
        }
        leaves_nothing(params, Auto::new);
    }
}

/// The default engine, with all lanes of the processor, in 128 KB; without optimisation in 256 KB.
#[test]
fn every_operation_fits_a_small_thread() {
    let size = if cfg!(debug_assertions) { 256 } else { 128 } << 10;
    for params in [&params::SLH_DSA_SHA2_256F, &params::SLH_DSA_SHAKE_256F] {
        let run = move || {
            let n = params.n;
            let key = SigningKey::from_seeds(params, &[1; 32][..n], &[2; 32][..n], &[3; 32][..n]).unwrap();
            let message = Message::pure(Context::EMPTY, b"message");
            let mut signature = vec![0; params.signature_len()];
            key.sign_deterministic(&message, &mut signature).unwrap();
            key.verifying_key().verify(&message, &signature).unwrap();
        };
        thread::Builder::new().stack_size(size).spawn(run).unwrap().join().unwrap();
    }
}
