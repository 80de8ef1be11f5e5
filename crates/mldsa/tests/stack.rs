//! How deep the stack gets, by painting it, and what is left on it.
//!
//! Unsafe code: writes and reads the part of a thread's own stack that no frame uses.
#![allow(unsafe_code)]
use pqsoc_mldsa::{
    Blank, Context, Fast, KeygenMemory, Message, MlDsa44, MlDsa65, MlDsa87, ParameterSet, Portable, Profile,
    Reference, SigningKey, SigningMemory, Small, VerifyingKey, VerifyingMemory, raw,
};
use std::thread;

const PAINT: u64 = 0x5a5a_c3c3_a5a5_3c3c;
/// What is painted, on a thread with more than that.
const DEPTH: usize = 1 << 20;
/// Left to the frames of the measurement itself.
const GAP: usize = 1024;

/// Runs `f` on a painted stack. Returns how far down it went, and what it left there from the bottom up.
fn painted(mut f: impl FnMut() + Send) -> (usize, Vec<u64>) {
    // Not generic, so that the frames of `f` are not part of this one.
    #[inline(never)]
    fn measure(f: &mut dyn FnMut()) -> (usize, Vec<u64>) {
        let mark = 0u64;
        let here = (&raw const mark) as usize;
        let place = |n: usize| (here - GAP - 8 * n) as *mut u64;
        let count = (DEPTH - GAP) / 8;
        for n in 0..count {
            // SAFETY: below this frame, within the stack of this thread, which is twice as deep.
            unsafe { place(n).write_volatile(PAINT) };
        }
        f();
        // SAFETY: as above, and written above.
        let left: Vec<u64> = (0..count).rev().map(|n| unsafe { place(n).read_volatile() }).collect();
        let untouched = left.iter().take_while(|&&word| word == PAINT).count();
        (DEPTH - 8 * untouched, left)
    }
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(2 * DEPTH);
        thread.spawn_scoped(scope, || measure(&mut f)).unwrap().join().unwrap()
    })
}

struct Keys {
    public: Vec<u8>,
    secret: Vec<u8>,
    signature: Vec<u8>,
}

fn keygen<S: ParameterSet, P: Profile>(keys: &mut Keys) {
    let mut memory = KeygenMemory::<S, P>::BLANK;
    raw::keygen::<S, P, _>(&mut Portable, &mut memory, &SEED, &mut keys.public, &mut keys.secret).unwrap();
}

fn sign<S: ParameterSet, P: Profile>(keys: &mut Keys) {
    let mut memory = SigningMemory::<S, P>::BLANK;
    raw::sign::<S, P, _>(&mut Portable, &mut memory, &keys.secret, &[1; 64], &[2; 32], &mut keys.signature)
        .unwrap();
}

fn verify<S: ParameterSet, P: Profile>(keys: &mut Keys) {
    let mut memory = VerifyingMemory::<S, P>::BLANK;
    raw::verify::<S, P, _>(&mut Portable, &mut memory, &keys.public, &[1; 64], &keys.signature).unwrap();
}

const SEED: [u8; 32] = *b"the seed, to be found nowhere...";

/// Depth of the three operations.
fn depths<S: ParameterSet, P: Profile>(profile: &str) -> [usize; 3] {
    let params = S::PARAMS;
    let mut keys = Keys {
        public: vec![0; params.public_key_len()],
        secret: vec![0; params.secret_key_len()],
        signature: vec![0; params.signature_len()],
    };
    let depths = [
        painted(|| keygen::<S, P>(&mut keys)).0,
        painted(|| sign::<S, P>(&mut keys)).0,
        painted(|| verify::<S, P>(&mut keys)).0,
    ];
    let [keygen, sign, verify] = depths;
    println!("{:10} {profile:9}  keygen {keygen:7}  sign {sign:7}  verify {verify:7}", params.name);
    depths
}

/// Prints bytes of stack, the memory included, keys and signature not. `--nocapture` shows it.
#[test]
fn painted_depths() {
    let release = !cfg!(debug_assertions);
    fn set<S: ParameterSet>() -> [[usize; 3]; 3] {
        [depths::<S, Reference>("reference"), depths::<S, Fast>("fast"), depths::<S, Small>("small")]
    }
    for [reference, fast, small] in [set::<MlDsa44>(), set::<MlDsa65>(), set::<MlDsa87>()] {
        assert!(!release || fast.iter().all(|&depth| depth < 120 << 10));
        assert!(!release || small.iter().all(|&depth| depth < 16 << 10));
        assert!(reference.iter().zip(&small).all(|(reference, small)| reference > small));
    }
}

/// The interface of values as well, with nothing but what a small thread has.
#[test]
fn small_threads() {
    fn set<S: ParameterSet>() {
        let key = SigningKey::<S>::from_seed(&SEED);
        let message = Message::pure(Context::EMPTY, b"message");
        let signature = key.sign_deterministic(&message).unwrap();
        let public = key.verifying_key();
        let public = VerifyingKey::<S>::from_bytes(public.as_bytes().as_ref()).unwrap();
        public.verify_message(&message, signature.as_ref()).unwrap();
        SigningKey::<S>::from_expanded(key.expanded().as_ref()).unwrap();
    }
    let size = if cfg!(debug_assertions) { 256 << 10 } else { 128 << 10 };
    for set in [set::<MlDsa44>, set::<MlDsa65>, set::<MlDsa87>] {
        thread::Builder::new().stack_size(size).spawn(set).unwrap().join().unwrap();
    }
}

/// Nothing of the seed, of K, or of s1 as it is packed or as coefficients, is left on the stack.
#[test]
fn no_residue() {
    fn profile<S: ParameterSet, P: Profile>() {
        let params = S::PARAMS;
        let mut keys = Keys {
            public: vec![0; params.public_key_len()],
            secret: vec![0; params.secret_key_len()],
            signature: vec![0; params.signature_len()],
        };
        let after_keygen = painted(|| keygen::<S, P>(&mut keys)).1;
        let after_signing = painted(|| sign::<S, P>(&mut keys)).1;

        let secret = &keys.secret;
        let s1 = &secret[64 + params.tr_len..][..params.s_len()];
        let coefficient = |n: usize| {
            let bit = |i: usize| s1[i / 8] >> (i % 8) & 1;
            let bits = params.eta_bits();
            params.eta as i32 - (0..bits).map(|j| i32::from(bit(bits * n + j)) << j).sum::<i32>()
        };
        // 16 bytes of each, and as coefficients of 4 and of 1 byte, the former as residues.
        let residues: Vec<u8> =
            (0..8).flat_map(|n| coefficient(n).rem_euclid(8_380_417).to_le_bytes()).collect();
        let bytes: Vec<u8> = (0..32).map(|n| coefficient(n) as u8).collect();
        let needles: [(&str, &[u8]); 5] = [
            ("seed", &SEED),
            ("K", &secret[32..64]),
            ("packed s1", &s1[..32]),
            ("s1 in words", &residues),
            ("s1 in bytes", &bytes),
        ];
        for (operation, left) in [("keygen", after_keygen), ("signing", after_signing)] {
            let left: Vec<u8> = left.iter().flat_map(|word| word.to_le_bytes()).collect();
            for (what, needle) in needles {
                for part in needle.chunks(16) {
                    let found = left.windows(16).any(|window| window == part);
                    assert!(!found, "{what} is on the stack after {operation} of {}", params.name);
                }
            }
        }
    }
    // An unoptimised build leaves every temporary on the stack.
    if !cfg!(debug_assertions) {
        profile::<MlDsa44, Fast>();
        profile::<MlDsa65, Reference>();
        profile::<MlDsa87, Fast>();
        profile::<MlDsa44, Small>();
        profile::<MlDsa65, Small>();
    }
}
