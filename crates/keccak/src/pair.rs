//! Two states at once, for those who have two messages.
use crate::state::LANES;

/// Whether [`keccak_f1600_pair`] takes less time than [`keccak_f1600`](crate::keccak_f1600) twice on this target.
pub const PAIRED: bool = cfg!(all(target_arch = "x86_64", target_feature = "sse2"));

/// Keccak-f\[1600\] on two states, which are stored lane by lane. FIPS 202, section 3.3.
///
/// Takes the same time whatever the states.
pub fn keccak_f1600_pair(states: &mut [[u64; 2]; LANES]) {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    crate::sse2::keccak_f1600_pair(states);
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
    for i in 0..2 {
        let mut state = states.map(|lanes| lanes[i]);
        crate::keccak_f1600(&mut state);
        for (lanes, lane) in states.iter_mut().zip(state) {
            lanes[i] = lane;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keccak_f1600;

    #[test]
    fn pair_is_two_states() {
        let mut states: [[u64; 2]; LANES] =
            core::array::from_fn(|i| [i as u64, 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(i as u64)]);
        for _ in 0..10 {
            let mut expected = [0, 1].map(|i| states.map(|lanes| lanes[i]));
            expected.each_mut().map(keccak_f1600);
            keccak_f1600_pair(&mut states);
            assert_eq!([0, 1].map(|i| states.map(|lanes| lanes[i])), expected);
        }
    }
}
