//! Signature verification and nothing else: one function for each set and profile, each linked on its own by
//! `cargo xtask verify-only`, which looks for the panic handler and for an allocator in what is left.
#![no_std]
// The functions must keep their names, which is an unsafe attribute since two could be called the same. None is.
#![allow(unsafe_code)]

use core::panic::PanicInfo;
use pqsoc_mldsa::dynamic::{Of, Scheme};
use pqsoc_slhdsa::engine::{Sha2, Shake};
use pqsoc_slhdsa::{Context, Message, Params, Source, VerifyingKey};

/// What every panic ends in; still there after linking means that a panic can be reached.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn verify_only_panic() -> ! {
    loop {
        core::hint::spin_loop();
    }
}

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    verify_only_panic()
}

/// Panics on some input, so that the check shows that it sees such things.
#[unsafe(no_mangle)]
pub fn control_that_panics(bytes: &[u8], at: usize) -> u8 {
    bytes[at]
}

macro_rules! ml_dsa {
    ($($name:ident: $set:ident, $profile:ident;)*) => {$(
        /// Verifies an ML-DSA signature of a message with a context.
        #[unsafe(no_mangle)]
        pub fn $name(public_key: &[u8], context: &[u8], message: &[u8], signature: &[u8]) -> bool {
            Context::new(context).is_ok_and(|context| {
                let scheme = Of::<pqsoc_mldsa::$set, pqsoc_mldsa::$profile>::new();
                scheme.verify(public_key, &Message::pure(context, message), signature).is_ok()
            })
        }
    )*};
}

ml_dsa! {
    verify_ml_dsa_44_fast: MlDsa44, Fast;
    verify_ml_dsa_44_small: MlDsa44, Small;
    verify_ml_dsa_65_fast: MlDsa65, Fast;
    verify_ml_dsa_65_small: MlDsa65, Small;
    verify_ml_dsa_87_fast: MlDsa87, Fast;
    verify_ml_dsa_87_small: MlDsa87, Small;
}

macro_rules! slh_dsa {
    ($($name:ident: $engine:ident;)*) => {$(
        /// Verifies an SLH-DSA signature of a message with a context, as it is read; any set of the engine's family.
        #[unsafe(no_mangle)]
        pub fn $name(
            params: &'static Params,
            public_key: &[u8],
            context: &[u8],
            message: &[u8],
            signature: &mut dyn Source,
        ) -> bool {
            let (Ok(key), Ok(context)) = (VerifyingKey::from_bytes(params, public_key), Context::new(context))
            else {
                return false;
            };
            key.verify_with(&mut <$engine>::new(), &Message::pure(context, message), signature).is_ok()
        }
    )*};
}

slh_dsa! {
    verify_slh_dsa_sha2: Sha2;
    verify_slh_dsa_shake: Shake;
}
