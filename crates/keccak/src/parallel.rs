//! Several states at once: what a processor's vector instructions make of it.
//!
//! A kernel is a value that exists only where the processor has its instructions, so that calling it is safe.
use crate::permutation::keccak_f1600;
use crate::state::LANES;

/// Keccak-f\[1600\] on `N` states at once, which are stored lane by lane.
pub trait Parallel<const N: usize>: Copy {
    /// All 24 rounds of each state, in place. FIPS 202, section 3.3. Takes the same time whatever the states.
    fn keccak_f1600(self, states: &mut [[u64; N]; LANES]);
}

/// One state after the other, everywhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sequential;

impl<const N: usize> Parallel<N> for Sequential {
    fn keccak_f1600(self, states: &mut [[u64; N]; LANES]) {
        for i in 0..N {
            let mut state = core::array::from_fn(|lane| states[lane][i]);
            keccak_f1600(&mut state);
            for (lane, value) in states.iter_mut().zip(state) {
                lane[i] = value;
            }
        }
    }
}
