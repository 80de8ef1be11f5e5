//! Every length of input and output, whole and in pieces.
use pqsoc_keccak::{Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake, Shake128, Shake256};
use proptest::prelude::*;
use sha2::{Digest, Sha256};

fn message(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 167 + len * 31) as u8).collect()
}

/// SHA-256 over the digests of messages of 0 to 1 000 bytes.
fn accumulate(digest: impl Fn(&[u8]) -> Vec<u8>) -> String {
    let mut all = Sha256::new();
    for len in 0..=1000 {
        all.update(digest(&message(len)));
    }
    hex::encode(all.finalize())
}

/// Output as long as the input.
fn shake<const RATE: usize>(input: &[u8]) -> Vec<u8> {
    let mut out = vec![0; input.len()];
    Shake::<RATE>::digest(&[input], &mut out);
    out
}

/// The accumulated values are those of Python's `hashlib`.
#[test]
fn every_length_to_a_thousand() {
    for (name, ours, python) in [
        (
            "SHA3-224",
            accumulate(|m| Sha3_224::digest(&[m]).to_vec()),
            "47e35a406123c2540e29c208bee7ccdc8fdea2bc8ccab038cbd92d5cfdd61a8f",
        ),
        (
            "SHA3-256",
            accumulate(|m| Sha3_256::digest(&[m]).to_vec()),
            "11c8b274059abb89fb743e76416fdb71e2f570ff9a8ba1822c65771e1c355d3d",
        ),
        (
            "SHA3-384",
            accumulate(|m| Sha3_384::digest(&[m]).to_vec()),
            "c3f256882a891e20bbd2ab67737a6bd3d97b38b3b7d939f2e18ff1c483be0fbb",
        ),
        (
            "SHA3-512",
            accumulate(|m| Sha3_512::digest(&[m]).to_vec()),
            "73e41162fe25c4f7e95ce105e1a4f78b35bacd79f465ce1e16b00de3b1547ad8",
        ),
        (
            "SHAKE128",
            accumulate(shake::<168>),
            "be7113af4dd88bd6bf0cc17d295eac02148190c9259e9b1351fbe1af2b3d157a",
        ),
        (
            "SHAKE256",
            accumulate(shake::<136>),
            "86de0a5b63e15be0da60a8a8e24fb2d57d4e3961f31961b407b937bccba106da",
        ),
    ] {
        assert_eq!(ours, python, "{name}");
    }
}

/// Squeezes the same output in pieces of lengths around the rate.
fn in_pieces<const RATE: usize>(piece: usize) {
    let mut whole = [0; 2000];
    Shake::<RATE>::digest(&[b"message"], &mut whole);
    let mut shake = Shake::<RATE>::new();
    shake.absorb(b"message");
    let mut out = shake.finish();
    let mut at = 0;
    while at < whole.len() {
        let len = piece.min(whole.len() - at);
        let mut part = vec![0; len];
        out.squeeze(&mut part);
        out.squeeze(&mut []);
        assert_eq!(part, whole[at..at + len], "rate {RATE}, piece {piece}, from {at}");
        at += len;
    }
}

#[test]
fn pieces_around_the_rate() {
    for piece in [1, 7, 8, 9, 135, 136, 137, 167, 168, 169, 272, 336, 1999] {
        in_pieces::<136>(piece);
        in_pieces::<168>(piece);
    }
}

#[test]
fn a_sponge_is_empty_again_after_its_output() {
    let mut once = [0; 300];
    Shake128::digest(&[b"second"], &mut once);
    let mut shake = Shake128::new();
    shake.absorb(&[1; 1000]);
    shake.finish().squeeze(&mut [0; 17]);
    shake.absorb(b"second");
    let mut again = [0; 300];
    shake.finish().squeeze(&mut again);
    assert_eq!(once, again);

    let mut hash = Sha3_256::new();
    hash.absorb(&[1; 1000]);
    hash.finish();
    hash.absorb(b"second");
    assert_eq!(hash.finish(), Sha3_256::digest(&[b"second"]));
}

proptest! {
    #[test]
    fn any_cut_of_the_input(input in proptest::collection::vec(any::<u8>(), 0..700), cuts in proptest::collection::vec(0usize..200, 0..12)) {
        let mut shake = Shake256::new();
        let mut hash = Sha3_512::new();
        let mut rest = &input[..];
        for cut in cuts {
            let (now, later) = rest.split_at(cut.min(rest.len()));
            shake.absorb(now);
            hash.absorb(now);
            rest = later;
        }
        shake.absorb(rest);
        hash.absorb(rest);
        let (mut pieces, mut whole) = ([0; 64], [0; 64]);
        shake.finish().squeeze(&mut pieces);
        Shake256::digest(&[&input], &mut whole);
        prop_assert_eq!(pieces, whole);
        prop_assert_eq!(hash.finish(), Sha3_512::digest(&[&input]));
    }
}
