//! Cache maintenance: with any one clean or invalidate left out, something comes out wrong.
mod common;

use common::{Host, Operation, ZEDBOARD, accelerator};
use pqsoc_driver::{Accelerator, Aligned, Buffer, Exchange, InPlace, Receive, Send};
use pqsoc_fabric::Random;
use pqsoc_registers::{Command, Hash};

const LEN: usize = 1024;

fn buffer() -> Buffer<[u8; LEN]> {
    Buffer::new(Box::leak(Box::new(Aligned([0; LEN]))))
}

/// Coefficients that are their own representatives.
fn polynomial(random: &mut Random) -> Vec<u8> {
    (0..256).flat_map(|_| (random.below(8_380_417) as u32).to_le_bytes()).collect()
}

/// Twice every coefficient.
fn doubled(polynomial: &[u8]) -> Vec<u8> {
    let word = |bytes: &[u8; 4]| (2 * u32::from_le_bytes(*bytes) % 8_380_417).to_le_bytes();
    polynomial.as_chunks::<4>().0.iter().flat_map(word).collect()
}

/// Moves data in every way that there is, twice each, in buffers that were written before. True if all of it was right.
fn moves(accelerator: &mut Accelerator<Host>) -> bool {
    let mut random = Random::new(3);
    let [mut a, mut b, mut c] = [buffer(), buffer(), buffer()];
    let (load, store) = (Command::load(5), Command::store(5));
    let mut right = true;
    for _ in 0..2 {
        let sent = polynomial(&mut random);
        a.copy_from_slice(&sent);
        let Ok(Send(back, _)) = accelerator.call(Send(a, LEN as u32), &[load]) else { return false };
        a = back;
        b.copy_from_slice(&polynomial(&mut random));
        let Ok(Receive(back, _)) = accelerator.call(Receive(b, LEN as u32), &[store]) else { return false };
        b = back;
        right &= b[..] == sent;

        let sent = polynomial(&mut random);
        a.copy_from_slice(&sent);
        b.copy_from_slice(&polynomial(&mut random));
        let cargo = Exchange(Send(a, LEN as u32), Receive(b, LEN as u32));
        let Ok(Exchange(Send(sending, _), Receive(receiving, _))) = accelerator.call(cargo, &[load, store])
        else {
            return false;
        };
        (a, b) = (sending, receiving);
        right &= b[..] == sent;

        let sent = polynomial(&mut random);
        c.copy_from_slice(&sent);
        let commands = [load, Command::add(5, 5, 5), store];
        let Ok(InPlace(back, _)) = accelerator.call(InPlace(c, LEN as u32), &commands) else { return false };
        c = back;
        right &= c[..] == doubled(&sent);
        // What came back is sent on as it is.
        let Ok(InPlace(back, _)) = accelerator.call(InPlace(c, LEN as u32), &commands) else { return false };
        c = back;
        right &= c[..] == doubled(&doubled(&sent));
    }
    right
}

#[test]
fn none_can_be_left_out() {
    let mut whole = accelerator(ZEDBOARD, 200);
    whole.platform().operations.clear();
    assert!(moves(&mut whole));
    let operations = whole.platform().operations.clone();
    let count = |kind| operations.iter().filter(|operation| **operation == kind).count();
    assert!(count(Operation::Clean) >= 6 && count(Operation::Invalidate) >= 12, "{operations:?}");

    for left_out in 0..operations.len() {
        let mut accelerator = accelerator(ZEDBOARD, 200);
        accelerator.platform().operations.clear();
        accelerator.platform().left_out = Some(left_out);
        assert!(!moves(&mut accelerator), "{:?} {left_out} is not needed", operations[left_out]);
    }
}

/// A buffer that was not written since it came back is sent without another clean.
#[test]
fn none_is_done_twice() {
    let mut accelerator = accelerator(ZEDBOARD, 200);
    let mut a = buffer();
    a[..8].copy_from_slice(b"anything");
    accelerator.platform().operations.clear();
    let hash = [Command::hash_init(Hash::Shake256), Command::absorb_stream(8)];
    let Send(a, _) = accelerator.call(Send(a, 8), &hash).unwrap();
    let Send(_, _) = accelerator.call(Send(a, 8), &hash).unwrap();
    assert_eq!(accelerator.platform().operations, [Operation::Clean]);
}
