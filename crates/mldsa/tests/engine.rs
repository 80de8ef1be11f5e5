//! An engine whose polynomials are handles and which can fail, as hardware does, over the portable one.
use pqsoc_mldsa::{
    Blank, Challenge, Compact, Encoding, Engine, Fast, KeyError, KeygenMemory, MlDsa44, N, ParameterSet,
    Portable, Profile, Reference, Rho, SignError, SigningMemory, Small, T0_LEN, T1_LEN, VerifyError,
    VerifyingMemory, conformance::conformance, raw,
};
use std::collections::HashSet;

type Poly = <Portable as Engine>::Poly;
type Secret = <Portable as Engine>::Secret;

/// A slot of the engine, or nothing yet.
struct Handle(Option<usize>);

impl Blank for Handle {
    const BLANK: Self = Self(None);
}

/// Values by number, until they are released.
struct Slots<T>(Vec<Option<Box<T>>>);

impl<T: Blank> Slots<T> {
    /// Takes the value of a handle out, or a new one for a blank handle.
    fn take(&mut self, handle: &mut Handle) -> Box<T> {
        let slot = *handle.0.get_or_insert_with(|| {
            self.0.push(Some(Box::new(T::BLANK)));
            self.0.len() - 1
        });
        self.0[slot].take().expect("a slot is in use once at a time")
    }

    fn put(&mut self, handle: &Handle, value: Box<T>) {
        self.0[handle.0.expect("taken before")] = Some(value);
    }

    fn get(&self, handle: &Handle) -> &T {
        self.0[handle.0.expect("read before it was written")].as_ref().expect("read after release")
    }

    fn release(&mut self, handle: &mut Handle) {
        if let Some(slot) = handle.0.take() {
            assert!(self.0[slot].take().is_some(), "released twice");
        }
    }

    fn in_use(&self) -> usize {
        self.0.iter().flatten().count()
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Fault;

struct Remote {
    polys: Slots<Poly>,
    secrets: Slots<Secret>,
    /// Operations until one fails.
    left: usize,
    /// Seed and nonce of every mask.
    masks: Vec<(Vec<u8>, u16)>,
}

impl Remote {
    fn new(left: usize) -> Self {
        Self { polys: Slots(Vec::new()), secrets: Slots(Vec::new()), left, masks: Vec::new() }
    }

    fn in_use(&self) -> usize {
        self.polys.in_use() + self.secrets.in_use()
    }

    fn step(&mut self) -> Result<(), Fault> {
        self.left = self.left.checked_sub(1).ok_or(Fault)?;
        Ok(())
    }

    /// An operation that writes one polynomial and reads others.
    fn write<T>(
        &mut self,
        out: &mut Handle,
        f: impl FnOnce(&Slots<Poly>, &mut Poly) -> T,
    ) -> Result<T, Fault> {
        let mut p = self.polys.take(out);
        let result = self.step().map(|()| f(&self.polys, &mut p));
        self.polys.put(out, p);
        result
    }

    /// An operation that writes several.
    fn write_all(&mut self, out: &mut [Handle], f: impl FnOnce(&mut [Poly])) -> Result<(), Fault> {
        self.step()?;
        let mut polys: Vec<Poly> = out.iter().map(|_| Poly::BLANK).collect();
        f(&mut polys);
        for (handle, p) in out.iter_mut().zip(polys) {
            self.write(handle, |_, out| *out = p)?;
        }
        Ok(())
    }

    fn read<T>(&mut self, p: &Handle, f: impl FnOnce(&Poly) -> T) -> Result<T, Fault> {
        self.step()?;
        Ok(f(self.polys.get(p)))
    }

    /// Copies of several polynomials.
    fn gather(&self, handles: &[Handle]) -> Vec<Poly> {
        let copy = |handle| {
            let mut p = Poly::BLANK;
            run(Portable.copy(&mut p, self.polys.get(handle)));
            p
        };
        handles.iter().map(copy).collect()
    }
}

fn run<T>(result: Result<T, std::convert::Infallible>) -> T {
    let Ok(value) = result;
    value
}

impl Engine for Remote {
    type Poly = Handle;
    type Secret = Handle;
    type Challenge = Challenge;
    type Hash = <Portable as Engine>::Hash;
    type Error = Fault;

    fn load(&mut self, out: &mut Handle, coefficients: &[u32; N]) -> Result<(), Fault> {
        self.write(out, |_, out| run(Portable.load(out, coefficients)))
    }
    fn store(&mut self, p: &Handle, coefficients: &mut [u32; N]) -> Result<(), Fault> {
        self.read(p, |p| run(Portable.store(p, coefficients)))
    }
    fn copy(&mut self, out: &mut Handle, p: &Handle) -> Result<(), Fault> {
        self.write(out, |slots, out| run(Portable.copy(out, slots.get(p))))
    }
    fn clear(&mut self, out: &mut Handle) -> Result<(), Fault> {
        self.write(out, |_, out| run(Portable.clear(out)))
    }
    fn release(&mut self, p: &mut Handle) {
        self.polys.release(p);
    }
    fn release_secret(&mut self, s: &mut Handle) {
        self.secrets.release(s);
    }
    fn release_challenge(&mut self, _: &mut Challenge) {}
    fn ntt(&mut self, p: &mut Handle) -> Result<(), Fault> {
        self.write(p, |_, p| run(Portable.ntt(p)))
    }
    fn intt(&mut self, p: &mut Handle) -> Result<(), Fault> {
        self.write(p, |_, p| run(Portable.intt(p)))
    }
    fn add(&mut self, acc: &mut Handle, p: &Handle) -> Result<(), Fault> {
        self.write(acc, |slots, acc| run(Portable.add(acc, slots.get(p))))
    }
    fn subtract(&mut self, acc: &mut Handle, p: &Handle) -> Result<(), Fault> {
        self.write(acc, |slots, acc| run(Portable.subtract(acc, slots.get(p))))
    }
    fn multiply(&mut self, out: &mut Handle, a: &Handle, b: &Handle) -> Result<(), Fault> {
        self.write(out, |slots, out| run(Portable.multiply(out, slots.get(a), slots.get(b))))
    }
    fn multiply_subtract(&mut self, acc: &mut Handle, a: &Handle, b: &Handle) -> Result<(), Fault> {
        self.write(acc, |slots, acc| run(Portable.multiply_subtract(acc, slots.get(a), slots.get(b))))
    }
    fn dot(&mut self, out: &mut Handle, a: &[Handle], v: &[Handle]) -> Result<(), Fault> {
        let (a, v) = (self.gather(a), self.gather(v));
        self.write(out, |_, out| run(Portable.dot(out, &a, &v)))
    }
    fn expand_a(&mut self, out: &mut [Handle], rho: &Rho, row: u8) -> Result<(), Fault> {
        self.write_all(out, |out| run(Portable.expand_a(out, rho, row)))
    }
    fn expand_a_dot(&mut self, out: &mut Handle, rho: &Rho, row: u8, v: &[Handle]) -> Result<(), Fault> {
        let v = self.gather(v);
        self.write(out, |_, out| run(Portable.expand_a_dot(out, rho, row, &v)))
    }
    fn expand_a_accumulate(
        &mut self,
        acc: &mut Compact,
        rho: &Rho,
        row: u8,
        column: u8,
        v: &Handle,
    ) -> Result<(), Fault> {
        self.read(v, |v| run(Portable.expand_a_accumulate(acc, rho, row, column, v)))
    }
    fn expand_s(&mut self, out: &mut [Handle], eta: Encoding, seed: &[u8], nonce: u16) -> Result<(), Fault> {
        self.write_all(out, |out| run(Portable.expand_s(out, eta, seed, nonce)))
    }
    fn expand_mask(
        &mut self,
        out: &mut [Handle],
        gamma1: Encoding,
        seed: &[u8],
        nonce: u16,
    ) -> Result<(), Fault> {
        self.masks.extend((0..).zip(&*out).map(|(i, _)| (seed.to_vec(), nonce.wrapping_add(i))));
        self.write_all(out, |out| run(Portable.expand_mask(out, gamma1, seed, nonce)))
    }
    fn sample_in_ball(&mut self, out: &mut Challenge, seed: &[u8], tau: usize) -> Result<(), Fault> {
        self.step().map(|()| run(Portable.sample_in_ball(out, seed, tau)))
    }
    fn load_challenge(&mut self, out: &mut Handle, c: &Challenge) -> Result<(), Fault> {
        self.write(out, |_, out| run(Portable.load_challenge(out, c)))
    }
    fn prepare_challenge(&mut self, out: &mut Challenge, c: &Challenge) -> Result<(), Fault> {
        self.step().map(|()| run(Portable.prepare_challenge(out, c)))
    }
    fn prepare_secret(&mut self, out: &mut Handle, encoding: Encoding, bytes: &[u8]) -> Result<(), Fault> {
        let mut s = self.secrets.take(out);
        let result = self.step().map(|()| run(Portable.prepare_secret(&mut s, encoding, bytes)));
        self.secrets.put(out, s);
        result
    }
    fn add_challenge_product(&mut self, acc: &mut Handle, c: &Challenge, s: &Handle) -> Result<(), Fault> {
        self.step()?;
        let mut p = self.polys.take(acc);
        run(Portable.add_challenge_product(&mut p, c, self.secrets.get(s)));
        self.polys.put(acc, p);
        Ok(())
    }
    fn subtract_challenge_product(
        &mut self,
        acc: &mut Handle,
        c: &Challenge,
        s: &Handle,
    ) -> Result<(), Fault> {
        self.step()?;
        let mut p = self.polys.take(acc);
        run(Portable.subtract_challenge_product(&mut p, c, self.secrets.get(s)));
        self.polys.put(acc, p);
        Ok(())
    }
    fn add_challenge_product_packed(
        &mut self,
        acc: &mut Handle,
        c: &Challenge,
        encoding: Encoding,
        bytes: &[u8],
    ) -> Result<(), Fault> {
        self.write(acc, |_, acc| run(Portable.add_challenge_product_packed(acc, c, encoding, bytes)))
    }
    fn subtract_challenge_t1(
        &mut self,
        acc: &mut Handle,
        c: &Challenge,
        bytes: &[u8; T1_LEN],
    ) -> Result<(), Fault> {
        self.write(acc, |_, acc| run(Portable.subtract_challenge_t1(acc, c, bytes)))
    }
    fn unpack(&mut self, out: &mut Handle, encoding: Encoding, bytes: &[u8]) -> Result<(), Fault> {
        self.write(out, |_, out| run(Portable.unpack(out, encoding, bytes)))
    }
    fn add_packed(&mut self, acc: &mut Handle, encoding: Encoding, bytes: &[u8]) -> Result<(), Fault> {
        self.write(acc, |_, acc| run(Portable.add_packed(acc, encoding, bytes)))
    }
    fn pack(&mut self, p: &Handle, encoding: Encoding, bytes: &mut [u8]) -> Result<(), Fault> {
        self.read(p, |p| run(Portable.pack(p, encoding, bytes)))
    }
    fn unpack_t1(&mut self, out: &mut Handle, bytes: &[u8; T1_LEN]) -> Result<(), Fault> {
        self.write(out, |_, out| run(Portable.unpack_t1(out, bytes)))
    }
    fn power2round(&mut self, t: &Handle, t1: &mut [u8; T1_LEN], t0: &mut [u8; T0_LEN]) -> Result<(), Fault> {
        self.read(t, |t| run(Portable.power2round(t, t1, t0)))
    }
    fn compress(&mut self, p: &Handle, out: &mut Compact) -> Result<(), Fault> {
        self.read(p, |p| run(Portable.compress(p, out)))
    }
    fn restore(&mut self, out: &mut Handle, compact: &Compact) -> Result<(), Fault> {
        self.write(out, |_, out| run(Portable.restore(out, compact)))
    }
    fn restore_product(&mut self, out: &mut Handle, compact: &Compact) -> Result<(), Fault> {
        self.write(out, |_, out| run(Portable.restore_product(out, compact)))
    }
    fn norm_reaches(&mut self, p: &Handle, bound: u32) -> Result<bool, Fault> {
        self.read(p, |p| run(Portable.norm_reaches(p, bound)))
    }
    fn low_bits_reach(&mut self, p: &Handle, gamma2: u32, bound: u32) -> Result<bool, Fault> {
        self.read(p, |p| run(Portable.low_bits_reach(p, gamma2, bound)))
    }
    fn make_hint(
        &mut self,
        r: &Handle,
        ct0: &Handle,
        gamma2: u32,
        places: &mut [u8],
    ) -> Result<Option<usize>, Fault> {
        self.step()?;
        Ok(run(Portable.make_hint(self.polys.get(r), self.polys.get(ct0), gamma2, places)))
    }
    fn make_hint_compact(
        &mut self,
        r: &Compact,
        ct0: &Handle,
        gamma2: u32,
        places: &mut [u8],
    ) -> Result<Option<usize>, Fault> {
        self.read(ct0, |ct0| run(Portable.make_hint_compact(r, ct0, gamma2, places)))
    }
    fn absorb(&mut self, hash: &mut Self::Hash, bytes: &[u8]) -> Result<(), Fault> {
        self.step().map(|()| run(Portable.absorb(hash, bytes)))
    }
    fn absorb_w1(&mut self, hash: &mut Self::Hash, w: &Handle, gamma2: u32) -> Result<(), Fault> {
        self.read(w, |w| run(Portable.absorb_w1(hash, w, gamma2)))
    }
    fn absorb_hinted_w1(
        &mut self,
        hash: &mut Self::Hash,
        w: &mut Handle,
        gamma2: u32,
        places: &[u8],
    ) -> Result<(), Fault> {
        self.write(w, |_, w| run(Portable.absorb_hinted_w1(hash, w, gamma2, places)))
    }
    fn finish(&mut self, hash: &mut Self::Hash, out: &mut [u8]) -> Result<(), Fault> {
        self.step().map(|()| run(Portable.finish(hash, out)))
    }
}

/// Handles do as well as arrays, every one is written before it is read, and none is lost.
#[test]
fn conforms_with_handles() {
    let mut engine = Remote::new(usize::MAX);
    conformance(&mut engine);
    assert_eq!(engine.in_use(), 0);
}

struct Bytes {
    public: Vec<u8>,
    secret: Vec<u8>,
    signature: Vec<u8>,
}

const MU: [u8; 64] = [3; 64];

fn keygen<P: Profile>(engine: &mut Remote, bytes: &mut Bytes) -> Result<(), KeyError<Fault>> {
    let mut memory = KeygenMemory::<MlDsa44, P, Remote>::BLANK;
    raw::keygen::<MlDsa44, P, _>(engine, &mut memory, &[1; 32], &mut bytes.public, &mut bytes.secret)
}

fn sign<P: Profile>(engine: &mut Remote, bytes: &mut Bytes) -> Result<u32, SignError<Fault>> {
    let mut memory = SigningMemory::<MlDsa44, P, Remote>::BLANK;
    raw::sign::<MlDsa44, P, _>(engine, &mut memory, &bytes.secret, &MU, &[2; 32], &mut bytes.signature)
}

fn verify<P: Profile>(engine: &mut Remote, bytes: &Bytes) -> Result<(), VerifyError<Fault>> {
    let mut memory = VerifyingMemory::<MlDsa44, P, Remote>::BLANK;
    raw::verify::<MlDsa44, P, _>(engine, &mut memory, &bytes.public, &MU, &bytes.signature)
}

/// Whichever operation fails, the failure comes out, nothing stays in the engine, and there is no signature.
#[test]
fn every_fault_comes_out() {
    fn profile<P: Profile>() {
        let params = MlDsa44::PARAMS;
        let mut bytes = Bytes {
            public: vec![0; params.public_key_len()],
            secret: vec![0; params.secret_key_len()],
            signature: vec![0; params.signature_len()],
        };
        let mut faults = [0; 3];
        for left in 0.. {
            let mut engine = Remote::new(left);
            let result = keygen::<P>(&mut engine, &mut bytes);
            assert_eq!(engine.in_use(), 0);
            match result {
                Ok(()) => break,
                Err(error) => assert_eq!(error, KeyError::Engine(Fault)),
            }
            faults[0] += 1;
        }
        for left in 0.. {
            bytes.signature.fill(0xaa);
            let mut engine = Remote::new(left);
            let result = sign::<P>(&mut engine, &mut bytes);
            assert_eq!(engine.in_use(), 0);
            match result {
                Ok(_) => break,
                Err(error) => assert_eq!(error, SignError::Engine(Fault)),
            }
            assert!(bytes.signature.iter().all(|&byte| byte == 0));
            faults[1] += 1;
        }
        for left in 0.. {
            let mut engine = Remote::new(left);
            let result = verify::<P>(&mut engine, &bytes);
            assert_eq!(engine.in_use(), 0);
            match result {
                Ok(()) => break,
                Err(error) => assert_eq!(error, VerifyError::Engine(Fault)),
            }
            faults[2] += 1;
        }
        assert!(faults.iter().all(|&count| count > 20), "{faults:?}");
    }
    profile::<Reference>();
    profile::<Fast>();
    profile::<Small>();
}

/// No two attempts, at one signature or at several, share a mask.
#[test]
fn masks_never_repeat() {
    let params = MlDsa44::PARAMS;
    let mut bytes = Bytes {
        public: vec![0; params.public_key_len()],
        secret: vec![0; params.secret_key_len()],
        signature: vec![0; params.signature_len()],
    };
    let mut engine = Remote::new(usize::MAX);
    keygen::<Fast>(&mut engine, &mut bytes).unwrap();
    let mut attempts = 0;
    for i in 0..100 {
        let mut memory = SigningMemory::<MlDsa44, Fast, Remote>::BLANK;
        let signature = &mut bytes.signature;
        attempts += raw::sign::<MlDsa44, Fast, _>(
            &mut engine,
            &mut memory,
            &bytes.secret,
            &[i; 64],
            &[2; 32],
            signature,
        )
        .unwrap();
    }
    assert!(attempts > 200);
    assert_eq!(engine.masks.len(), attempts as usize * params.l);
    let different: HashSet<_> = engine.masks.iter().collect();
    assert_eq!(different.len(), engine.masks.len());
}
