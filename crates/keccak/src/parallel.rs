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

/// What every processor of the target has: two states at once with SSE2 on x86-64, one after the other elsewhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct Baseline;

impl Baseline {
    /// Whether two states at once take less time than one after the other.
    pub const PAIRS: bool = cfg!(all(target_arch = "x86_64", target_feature = "sse2"));
}

impl Parallel<1> for Baseline {
    #[inline]
    fn keccak_f1600(self, states: &mut [[u64; 1]; LANES]) {
        if let Some(state) = states.as_flattened_mut().first_chunk_mut() {
            keccak_f1600(state);
        }
    }
}

impl Parallel<2> for Baseline {
    #[inline]
    fn keccak_f1600(self, states: &mut [[u64; 2]; LANES]) {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        crate::x86::keccak_f1600_sse2(states);
        #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
        Sequential.keccak_f1600(states);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Whether a kernel gives what one state at a time gives.
    pub(crate) fn agrees<const N: usize>(kernel: impl Parallel<N>) {
        let mut expected = core::array::from_fn(|lane| core::array::from_fn(|i| ((lane << 8) ^ i) as u64));
        let mut found = expected;
        for _ in 0..100 {
            Sequential.keccak_f1600(&mut expected);
            kernel.keccak_f1600(&mut found);
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn baseline_agrees_with_one_at_a_time() {
        agrees::<1>(Baseline);
        agrees::<2>(Baseline);
    }
}
