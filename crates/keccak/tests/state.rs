//! The contract of [`State`], against a byte array.
use pqsoc_keccak::{ROUND_CONSTANTS, Software, State, keccak_f1600, keccak_round};

/// Two permutations of the all-zero state, first and last lane. Keccak team, KeccakF-1600-IntermediateValues.
#[test]
fn permutation_of_zero() {
    let mut state = Software::default();
    state.permute();
    assert_eq!(state.lanes()[0], 0xf125_8f79_40e1_dde7);
    assert_eq!(state.lanes()[24], 0xeaf1_ff7b_5cec_a249);
    state.permute();
    assert_eq!(state.lanes()[0], 0x2d5c_954d_f96e_cb3c);
    assert_eq!(state.lanes()[24], 0x20d0_6cd2_6a8f_bf5c);
}

#[test]
fn rounds_make_the_permutation() {
    let mut whole = core::array::from_fn(|i| (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut rounds = whole;
    keccak_f1600(&mut whole);
    for constant in ROUND_CONSTANTS {
        keccak_round(&mut rounds, constant);
    }
    assert_eq!(whole, rounds);
}

#[test]
fn bytes_at_every_place() {
    let mut state = Software::default();
    let mut model = [0u8; 200];
    let mut value = 1u8;
    for offset in 0..=200 {
        for len in 0..=(200 - offset).min(40) {
            let bytes: Vec<u8> = (0..len)
                .map(|_| {
                    value = value.wrapping_mul(5).wrapping_add(7);
                    value
                })
                .collect();
            state.xor(offset, &bytes);
            model[offset..offset + len].iter_mut().zip(&bytes).for_each(|(m, b)| *m ^= b);
            let mut out = vec![0; len];
            state.extract(offset, &mut out);
            assert_eq!(out, model[offset..offset + len], "{len} bytes from {offset}");
        }
    }
    let mut all = [0; 200];
    state.extract(0, &mut all);
    assert_eq!(all, model);
    for (lane, bytes) in state.lanes().iter().zip(model.as_chunks::<8>().0) {
        assert_eq!(*lane, u64::from_le_bytes(*bytes));
    }
    state.reset();
    assert_eq!(*state.lanes(), [0; 25]);
}
