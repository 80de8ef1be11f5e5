//! Engines of ML-DSA.
//!
//! [`Study`] uses the accelerator as the co-designs before it do: each transform, each hash and each sampled polynomial is a
//! round trip over the bus, and the rest is done by the processor. [`Resident`] keeps polynomials in the fabric, and moves
//! only what the processor has to see.
use core::convert::Infallible;

use pqsoc_mldsa::{Blank, Challenge, Encoding, Engine, T1_LEN};
use pqsoc_registers::Opcode;

use crate::accelerator::Accelerator;
use crate::error::Error;
use crate::platform::Platform;

mod pending;
mod resident;
mod study;

pub use resident::{MIRRORS, Resident, ResidentPoly};
pub use study::{Study, StudyPoly};

/// Bytes of a polynomial on the wire.
const POLY: usize = 1024;

/// What the portable engine does cannot fail.
fn done<T>(result: Result<T, Infallible>) -> T {
    let Ok(value) = result;
    value
}

/// Both indices of a polynomial of A as SampleUniform takes them. FIPS 204, algorithm 32.
fn indices(row: u8, column: u8) -> u16 {
    u16::from_le_bytes([column, row])
}

/// The sampler of s1 and s2.
fn eta_opcode(eta: Encoding) -> Opcode {
    if eta == Encoding::S2 { Opcode::SampleEta2 } else { Opcode::SampleEta4 }
}

/// The sampler of the mask.
fn gamma1_opcode(gamma1: Encoding) -> Opcode {
    if gamma1 == Encoding::Z17 { Opcode::SampleMask17 } else { Opcode::SampleMask19 }
}

/// SampleInBall: the fabric hashes, and the terms are picked here, as a list of them is what is wanted.
fn sample_in_ball<P: Platform>(
    accelerator: &mut Accelerator<P>,
    out: &mut Challenge,
    seed: &[u8],
    tau: usize,
) -> Result<(), Error> {
    struct TooShort;
    // One block is enough for nearly every challenge, two for any that will ever be seen.
    for blocks in 1..=8 {
        for (to, from) in accelerator.outgoing()?.bytes_mut().iter_mut().zip(seed) {
            *to = *from;
        }
        let mut output = accelerator.digest(seed.len(), 136 * blocks)?;
        let sampled = out.sample(tau, |bytes| {
            let (now, later) = output.split_at_checked(bytes.len()).ok_or(TooShort)?;
            bytes.copy_from_slice(now);
            output = later;
            Ok::<_, TooShort>(())
        });
        if sampled.is_ok() {
            return Ok(());
        }
    }
    Err(Error::Wrong)
}

/// Calls `f` with blank polynomials and releases them.
fn with_blank<E: Engine, const COUNT: usize>(
    engine: &mut E,
    f: impl FnOnce(&mut E, &mut [E::Poly; COUNT]) -> Result<(), E::Error>,
) -> Result<(), E::Error> {
    let mut polys = [E::Poly::BLANK; COUNT];
    let outcome = f(engine, &mut polys);
    for poly in &mut polys {
        engine.release(poly);
    }
    outcome
}

/// `out` = the transform of `c`.
fn prepare_challenge<E: Engine>(engine: &mut E, out: &mut E::Poly, c: &Challenge) -> Result<(), E::Error> {
    engine.load_challenge(out, c)?;
    engine.ntt(out)
}

/// `out` = the transform of a packed polynomial.
fn prepare_secret<E: Engine>(
    engine: &mut E,
    out: &mut E::Poly,
    encoding: Encoding,
    bytes: &[u8],
) -> Result<(), E::Error> {
    engine.unpack(out, encoding, bytes)?;
    engine.ntt(out)
}

/// Gives `combine` the product of two transforms.
fn with_product<E: Engine>(
    engine: &mut E,
    a: &E::Poly,
    b: &E::Poly,
    combine: impl FnOnce(&mut E, &E::Poly) -> Result<(), E::Error>,
) -> Result<(), E::Error> {
    with_blank(engine, |engine, [product]| {
        engine.multiply(product, a, b)?;
        engine.intt(product)?;
        combine(engine, product)
    })
}

/// [`Engine::add_challenge_product_packed`] by transforms.
fn add_challenge_product_packed<E: Engine>(
    engine: &mut E,
    acc: &mut E::Poly,
    c: &Challenge,
    encoding: Encoding,
    bytes: &[u8],
) -> Result<(), E::Error> {
    with_blank(engine, |engine, [c_hat, s_hat]| {
        prepare_challenge(engine, c_hat, c)?;
        prepare_secret(engine, s_hat, encoding, bytes)?;
        with_product(engine, c_hat, s_hat, |engine, product| engine.add(acc, product))
    })
}

/// [`Engine::subtract_challenge_t1`] by transforms.
fn subtract_challenge_t1<E: Engine>(
    engine: &mut E,
    acc: &mut E::Poly,
    c: &Challenge,
    bytes: &[u8; T1_LEN],
) -> Result<(), E::Error> {
    with_blank(engine, |engine, [c_hat, t1_hat]| {
        prepare_challenge(engine, c_hat, c)?;
        engine.unpack_t1(t1_hat, bytes)?;
        engine.ntt(t1_hat)?;
        with_product(engine, c_hat, t1_hat, |engine, product| engine.subtract(acc, product))
    })
}
