//! One file a library. [`all`] lists the rows of every library that is built in.
use crate::Row;

#[cfg(feature = "awslc")]
mod awslc;
#[cfg(feature = "rust")]
mod integritychain;
#[cfg(feature = "rust")]
mod libcrux;
#[cfg(feature = "oqs")]
mod liboqs;
#[cfg(feature = "mldsa-native")]
mod mldsa_native;
#[cfg(feature = "openssl")]
mod openssl;
#[cfg(feature = "pqclean")]
mod pqclean;
mod pqsoc;
#[cfg(feature = "rust")]
mod rustcrypto;

/// The rows of every library that is built in, pqsoc's first.
pub fn all() -> Vec<Box<dyn Row>> {
    let libraries: &[fn() -> Vec<Box<dyn Row>>] = &[
        pqsoc::rows,
        #[cfg(feature = "rust")]
        rustcrypto::rows,
        #[cfg(feature = "rust")]
        integritychain::rows,
        #[cfg(feature = "rust")]
        libcrux::rows,
        #[cfg(feature = "pqclean")]
        pqclean::rows,
        #[cfg(feature = "awslc")]
        awslc::rows,
        #[cfg(feature = "oqs")]
        liboqs::rows,
        #[cfg(feature = "mldsa-native")]
        mldsa_native::rows,
        #[cfg(feature = "openssl")]
        openssl::rows,
    ];
    libraries.iter().flat_map(|rows| rows()).collect()
}
