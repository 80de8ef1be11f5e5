//! Every engine passes the conformance test, with every set and with sets that no standard has.
use pqsoc_slhdsa::engine::{Auto, Engine, Sha2, Sha2Compact, Shake};
use pqsoc_slhdsa::params::{ALL, Family, Scheme};
use pqsoc_slhdsa::{Error, Params, conformance};

/// Small trees and every size of digit; WOTS+ of up to 265 chains.
static ODD: [Params; 5] = [
    odd([16, 6, 3, 3, 5, 1]),
    odd([24, 5, 1, 4, 9, 3]),
    odd([32, 4, 2, 5, 7, 1]),
    odd([32, 8, 2, 2, 3, 8]),
    odd([24, 3, 3, 1, 1, 6]),
];

const fn odd(numbers: [usize; 6]) -> Params {
    Params::new("odd", Family::Sha2, Scheme::SlhDsa, numbers).unwrap()
}

static ODD_SHAKE: Params = Params::new("odd", Family::Shake, Scheme::SlhDsa, [24, 6, 2, 3, 5, 2]).unwrap();

fn sets(family: Family) -> impl Iterator<Item = &'static Params> {
    ALL.iter().copied().chain(&ODD).chain([&ODD_SHAKE]).filter(move |params| params.family == family)
}

#[test]
fn one_at_a_time() {
    for params in sets(Family::Sha2) {
        conformance(&mut Sha2::new(), params);
    }
    for params in sets(Family::Shake) {
        conformance(&mut Shake::new(), params);
    }
}

#[test]
fn in_little_code() {
    for params in sets(Family::Sha2) {
        conformance(&mut Sha2::with_kernel(Sha2Compact), params);
    }
}

#[test]
fn chosen_at_run_time() {
    for params in sets(Family::Sha2).chain(sets(Family::Shake)) {
        conformance(&mut Auto::new(), params);
    }
}

#[cfg(feature = "rayon")]
#[test]
fn threads() {
    for params in sets(Family::Sha2).chain(sets(Family::Shake)) {
        conformance(&mut pqsoc_slhdsa::engine::Threads::new(), params);
    }
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod x86 {
    use super::*;
    use pqsoc_slhdsa::engine::{Wide, x86};

    fn all(kind: &str, engine: Option<impl Engine>, family: Family) {
        let Some(mut engine) = engine else {
            eprintln!("not run: the processor has no {kind}");
            return;
        };
        for params in sets(family) {
            conformance(&mut engine, params);
        }
    }

    #[test]
    fn sha_instructions() {
        all("SHA instructions", x86::ShaNi::detect().map(Sha2::with_kernel), Family::Sha2);
    }

    #[test]
    fn sha2_avx2() {
        all("AVX2", x86::Avx2::detect().map(Sha2::with_kernel), Family::Sha2);
    }

    #[test]
    fn shake_sse2() {
        all("SSE2", Some(Shake::with_kernel(Wide::<_, 2>(pqsoc_keccak::parallel::Baseline))), Family::Shake);
    }

    #[test]
    fn shake_avx2() {
        let kernel = pqsoc_keccak::x86::Avx2::detect().map(Wide::<_, 4>);
        all("AVX2", kernel.map(Shake::with_kernel), Family::Shake);
    }

    #[test]
    fn shake_avx512() {
        let kernel = pqsoc_keccak::x86::Avx512::detect().map(Wide::<_, 8>);
        all("AVX-512", kernel.map(Shake::with_kernel), Family::Shake);
    }
}

/// Eight lanes without any instructions for them.
#[test]
fn eight_lanes_in_portable_code() {
    let kernel = pqsoc_slhdsa::engine::Wide::<_, 8>(pqsoc_keccak::parallel::Sequential);
    conformance(&mut Shake::with_kernel(kernel), &ODD_SHAKE);
}

#[test]
fn an_engine_says_what_it_does_not_have() {
    let [sha2, shake] = [Family::Sha2, Family::Shake].map(|family| sets(family).next().unwrap());
    assert_eq!(Sha2::new().begin(shake, &[0; 16], &[]), Err(Error::Family(Family::Shake)));
    assert_eq!(Shake::new().begin(sha2, &[0; 16], &[]), Err(Error::Family(Family::Sha2)));
}

#[test]
fn unsound_numbers_make_no_set() {
    for numbers in [
        [15, 6, 3, 3, 5, 4],
        [16, 7, 3, 3, 5, 4],
        [16, 6, 0, 3, 5, 4],
        [16, 6, 3, 0, 5, 4],
        [16, 6, 3, 26, 5, 4],
        [16, 6, 3, 3, 0, 4],
        [16, 6, 3, 3, usize::MAX, 4],
        [16, 6, 3, 3, 5, 0],
        [16, 6, 3, 3, 5, 3],
        [16, 6, 3, 3, 5, 9],
        [16, usize::MAX, 1, 3, 5, 4],
        [16, 80, 8, 3, 5, 4],
        [16, 6, 3, 14, 60, 4],
    ] {
        assert_eq!(Params::new("", Family::Sha2, Scheme::SlhDsa, numbers), None, "{numbers:?}");
    }
}
