//! Faults of the hardware: each ends in a typed error within its time-out, and the next operation succeeds.
mod common;

use std::mem::discriminant;

use common::{Fault, SCATTER_GATHER, ZEDBOARD, accelerator, pool};
use pqsoc_boards::zynq7000::dma::Configuration;
use pqsoc_driver::mldsa::{MIRRORS, Resident, Study};
use pqsoc_driver::{Accelerator, Channel, Config, Error, Memory, Pool, Software, Waiting};
use pqsoc_mldsa::{
    Blank, Engine, Fast, KeygenMemory, MlDsa44, N, Portable, Q, SignError, SigningMemory, raw,
};
use pqsoc_registers::Cause;

/// Microseconds that anything may take here: several times what the operations below take.
const PATIENCE: u32 = 60;

fn coefficients(seed: u32) -> [u32; N] {
    std::array::from_fn(|i| (i as u32 + 1).wrapping_mul(seed * 0x9e37_79b9 + 1) % Q)
}

/// The product of two polynomials and a hash of it: loads, commands, a store and hashing.
fn product<E: Engine>(engine: &mut E) -> Result<([u32; N], [u8; 32]), E::Error> {
    let (mut a, mut b, mut c) = (E::Poly::BLANK, E::Poly::BLANK, E::Poly::BLANK);
    let mut steps = || {
        engine.load(&mut a, &coefficients(1))?;
        engine.expand_a(std::slice::from_mut(&mut b), &[5; 32], 1)?;
        engine.ntt(&mut a)?;
        engine.multiply(&mut c, &a, &b)?;
        engine.intt(&mut c)?;
        let mut out = [0; N];
        engine.store(&c, &mut out)?;
        let bytes: Vec<u8> = out.iter().flat_map(|c| c.to_le_bytes()).collect();
        let mut digest = [0; 32];
        engine.shake256(&[&bytes, &bytes], &mut digest)?;
        Ok((out, digest))
    };
    let outcome = steps();
    for p in [&mut a, &mut b, &mut c] {
        engine.release(p);
    }
    outcome
}

/// An engine over an accelerator, made for one operation and given up afterwards.
type Operation = fn(&mut Accelerator<common::Host>, &mut Pools) -> Result<([u32; N], [u8; 32]), Error>;

/// Memory for polynomials of both engines.
struct Pools(Pool<Software, 8>, Pool<Software, MIRRORS>);

impl Pools {
    fn new() -> Self {
        Self(pool(), pool())
    }
}

fn study(
    accelerator: &mut Accelerator<common::Host>,
    Pools(pool, _): &mut Pools,
) -> Result<([u32; N], [u8; 32]), Error> {
    let outcome = product(&mut Study::new(accelerator, pool));
    // One that a DMA has which did not stop comes back when it has.
    assert!(pool.count() == 8 || outcome.is_err() && pool.count() == 7, "every buffer comes back");
    outcome
}

fn resident(
    accelerator: &mut Accelerator<common::Host>,
    Pools(_, pool): &mut Pools,
) -> Result<([u32; N], [u8; 32]), Error> {
    // Without all of its buffers there is no engine: a DMA that did not stop still has one.
    Resident::new(accelerator, pool).map_or(Err(Error::Lost), |mut engine| product(&mut engine))
}

const FAULTS: [Fault; 17] = [
    Fault::SendingLost,
    Fault::ReceivingLost,
    Fault::CutShort,
    Fault::TooLong,
    Fault::NoRoom,
    Fault::DmaStuck,
    Fault::Refused,
    Fault::ReadUnanswered,
    Fault::WriteUnanswered,
    Fault::FabricBusy,
    Fault::DmaBusy,
    Fault::Reset,
    Fault::CommandLost,
    Fault::Reads(0),
    Fault::Reads(u32::MAX),
    Fault::Reads(0x0001_0002), // the DMA's Idle, and STATUS with a command in its FIFO
    Fault::ReadsAnything,
];

/// Injects every fault at every few register accesses of an operation. The operation ends well or with an error, in time and
/// never with a wrong result; then the fault is over, and it ends well. Returns the errors seen of each fault.
fn sweep(operation: Operation, build: Configuration, step: usize) -> Vec<(Fault, Vec<Error>)> {
    let expected = product(&mut Portable).unwrap();
    let (mut accelerator, mut pools) = (accelerator(build, PATIENCE), Pools::new());
    let before = accelerator.platform().accesses();
    assert_eq!(operation(&mut accelerator, &mut pools).unwrap(), expected);
    let accesses = accelerator.platform().accesses() - before;
    let mut seen = Vec::new();
    for fault in FAULTS {
        let mut errors: Vec<Error> = Vec::new();
        for delay in (0..accesses).step_by(step) {
            // For one access, for a while, and until healed.
            for length in [1, 40, u64::MAX / 2] {
                accelerator.platform().inject(fault, delay, length);
                let begin = accelerator.platform().cycle();
                match operation(&mut accelerator, &mut pools) {
                    Ok(found) => assert_eq!(found, expected, "{fault:?} from access {delay} on"),
                    Err(error) => errors.push(error),
                }
                // One time-out for the operation, and a few for the attempts at a reset.
                let cycles = accelerator.platform().cycle() - begin;
                assert!(
                    cycles < 12 * 100 * u64::from(PATIENCE),
                    "{fault:?} from access {delay} on: {cycles} cycles"
                );
                accelerator.platform().heal();
                assert_eq!(
                    operation(&mut accelerator, &mut pools).as_ref(),
                    Ok(&expected),
                    "after {fault:?} at {delay}"
                );
            }
        }
        errors.sort_by_key(|error| format!("{error:?}"));
        errors.dedup_by_key(|error| discriminant(error));
        seen.push((fault, errors));
    }
    seen
}

#[test]
fn study_survives_every_fault() {
    for (fault, errors) in sweep(study, ZEDBOARD, 41) {
        println!("{fault:?}: {errors:?}");
        assert!(!errors.is_empty(), "{fault:?} shows");
    }
}

#[test]
fn resident_survives_every_fault() {
    for (fault, errors) in sweep(resident, ZEDBOARD, 41) {
        println!("{fault:?}: {errors:?}");
        assert!(!errors.is_empty(), "{fault:?} shows");
    }
}

#[test]
#[ignore = "slow: every register access of an operation, with both kinds of DMA"]
fn every_access() {
    for build in [ZEDBOARD, SCATTER_GATHER] {
        sweep(study, build, 1);
        sweep(resident, build, 1);
    }
}

/// What one fault does to one operation.
fn error_of(fault: Fault, delay: u64) -> Error {
    let mut accelerator = accelerator(ZEDBOARD, PATIENCE);
    accelerator.platform().inject(fault, delay, u64::MAX / 2);
    resident(&mut accelerator, &mut Pools::new()).unwrap_err()
}

#[test]
fn errors_say_what_happened() {
    let late = |error| matches!(error, Error::Timeout { waiting: Waiting::Command, .. });
    assert!(late(error_of(Fault::SendingLost, 0)));
    assert!(late(error_of(Fault::ReceivingLost, 0)));
    assert!(late(error_of(Fault::DmaStuck, 0)));
    let dma = |error| match error {
        Error::Dma { channel, fault, .. } => (channel, fault),
        other => panic!("{other}"),
    };
    use pqsoc_driver::Fault as Dma;
    assert_eq!(dma(error_of(Fault::Refused, 0)), (Channel::Sending, Dma::Slave));
    assert_eq!(dma(error_of(Fault::ReadUnanswered, 0)), (Channel::Sending, Dma::Decode));
    assert_eq!(dma(error_of(Fault::WriteUnanswered, 0)), (Channel::Receiving, Dma::Decode));
    assert_eq!(dma(error_of(Fault::NoRoom, 0)), (Channel::Receiving, Dma::Internal));
    let halted = |error| match error {
        Error::Halted { cause, .. } => cause,
        other => panic!("{other}"),
    };
    assert_eq!(halted(error_of(Fault::CutShort, 0)), Cause::StreamShort);
    assert_eq!(halted(error_of(Fault::TooLong, 0)), Cause::StreamLong);
    let text = error_of(Fault::SendingLost, 0).to_string();
    assert!(text.contains("a command did not end in time (STATUS 0x"), "{text}");
}

#[test]
fn what_is_no_fabric_is_not_driven() {
    for (value, expected) in [(0, Error::NoFabric { identity: 0 }), (!0, Error::NoFabric { identity: !0 })] {
        let mut host = common::Host::new(ZEDBOARD);
        host.inject(Fault::Reads(value), 0, u64::MAX / 2);
        let memory = Box::leak(Box::new(Memory::NEW));
        let outcome = Accelerator::new(host, memory, Config { patience: PATIENCE, ..Config::default() });
        assert_eq!(outcome.map(|_| ()).unwrap_err(), expected);
    }
}

/// A length that the DMA's registers are too narrow for is refused before anything starts.
#[test]
fn a_transfer_longer_than_the_length_register() {
    let memory = Box::leak(Box::new(Memory::NEW));
    let host = common::Host::new(Configuration { length_bits: 10, ..ZEDBOARD });
    let config = Config { patience: PATIENCE, length_bits: 10 };
    let mut accelerator = Accelerator::new(host, memory, config).unwrap();
    assert_eq!(resident(&mut accelerator, &mut Pools::new()).unwrap_err(), Error::Unreachable);
}

/// Signs with a fixed key and message.
fn sign<E: Engine>(engine: &mut E) -> (Result<u32, SignError<E::Error>>, [u8; 2420]) {
    let (mut public, mut secret, mut signature) = ([0; 1312], [0; 2560], [0xaa; 2420]);
    let mut memory = Box::new(KeygenMemory::<MlDsa44, Fast>::BLANK);
    raw::keygen::<MlDsa44, Fast, _>(&mut Portable, &mut memory, &[1; 32], &mut public, &mut secret).unwrap();
    let mut memory = Box::new(SigningMemory::<MlDsa44, Fast, E>::BLANK);
    let (mu, rnd) = ([2; 64], [0; 32]);
    let outcome = raw::sign::<MlDsa44, Fast, E>(engine, &mut memory, &secret, &mu, &rnd, &mut signature);
    (outcome, signature)
}

/// A fault in the middle of a signature: no signature, and the next one is right.
#[test]
fn a_signature_is_whole_or_an_error() {
    let (attempts, expected) = sign(&mut Portable);
    let attempts = attempts.unwrap();
    let (mut accelerator, mut mirrors) = (accelerator(ZEDBOARD, 1000), pool());
    for fault in [Fault::Reset, Fault::WriteUnanswered] {
        accelerator.platform().inject(fault, 2000, u64::MAX / 2);
        let (outcome, signature) = sign(&mut Resident::new(&mut accelerator, &mut mirrors).unwrap());
        assert!(outcome.is_err(), "{fault:?}");
        assert_eq!(signature, [0; 2420]);
        accelerator.platform().heal();
        let (outcome, signature) = sign(&mut Resident::new(&mut accelerator, &mut mirrors).unwrap());
        assert_eq!((outcome, signature), (Ok(attempts), expected));
    }
}
