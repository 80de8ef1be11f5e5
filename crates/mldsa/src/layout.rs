//! Where things stand in keys and signatures. FIPS 204, section 7.2.
use crate::{
    error::{HintError, Length},
    params::{Params, SEED_LEN, T0_LEN, T1_LEN},
};

/// Checks a length.
pub(crate) fn length(expected: usize, bytes: &[u8]) -> Result<(), Length> {
    if bytes.len() == expected { Ok(()) } else { Err(Length { expected, actual: bytes.len() }) }
}

/// A packed vector, polynomial by polynomial of `len` bytes. Without the division that the standard library's chunks begin with.
pub(crate) fn polys(bytes: &[u8], len: usize) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    core::iter::from_fn(move || {
        let (first, others) = rest.split_at_checked(len)?;
        rest = others;
        Some(first)
    })
}

/// As [`polys`], to write to.
pub(crate) fn polys_mut(bytes: &mut [u8], len: usize) -> impl Iterator<Item = &mut [u8]> {
    let mut rest = bytes;
    core::iter::from_fn(move || {
        let (first, others) = core::mem::take(&mut rest).split_at_mut_checked(len)?;
        rest = others;
        Some(first)
    })
}

/// A public key: FIPS 204, algorithm 23.
pub(crate) struct PublicKey<'a> {
    pub rho: &'a [u8; SEED_LEN],
    /// One polynomial a row.
    pub t1: &'a [[u8; T1_LEN]],
}

impl<'a> PublicKey<'a> {
    pub fn new(params: &Params, bytes: &'a [u8]) -> Result<Self, Length> {
        length(params.public_key_len(), bytes)?;
        let wrong = Length { expected: params.public_key_len(), actual: bytes.len() };
        let (rho, t1) = bytes.split_first_chunk().ok_or(wrong)?;
        Ok(Self { rho, t1: t1.as_chunks().0 })
    }
}

/// The parts of an expanded secret key, from `$split` and its like: FIPS 204, algorithm 25.
macro_rules! secret_key {
    ($(#[$attribute:meta])* $name:ident, $split:ident, $split_first_chunk:ident, $as_chunks:ident $(, $mut:tt)?) => {
        $(#[$attribute])*
        pub struct $name<'a> {
            pub rho: &'a $($mut)? [u8; SEED_LEN],
            /// K, the seed of the masks.
            pub k: &'a $($mut)? [u8; SEED_LEN],
            pub tr: &'a $($mut)? [u8],
            /// [`Params::s_len`] bytes a column.
            pub s1: &'a $($mut)? [u8],
            /// [`Params::s_len`] bytes a row.
            pub s2: &'a $($mut)? [u8],
            /// One polynomial a row.
            pub t0: &'a $($mut)? [[u8; T0_LEN]],
        }

        impl<'a> $name<'a> {
            pub fn new(params: &Params, bytes: &'a $($mut)? [u8]) -> Result<Self, Length> {
                length(params.secret_key_len(), bytes)?;
                let wrong = Length { expected: params.secret_key_len(), actual: bytes.len() };
                let (rho, rest) = bytes.$split_first_chunk().ok_or(wrong)?;
                let (k, rest) = rest.$split_first_chunk().ok_or(wrong)?;
                let (tr, rest) = rest.$split(params.tr_len).ok_or(wrong)?;
                let (s1, rest) = rest.$split(params.s_len() * params.l).ok_or(wrong)?;
                let (s2, t0) = rest.$split(params.s_len() * params.k).ok_or(wrong)?;
                Ok(Self { rho, k, tr, s1, s2, t0: t0.$as_chunks().0 })
            }
        }
    };
}

secret_key! {
    /// An expanded secret key to read.
    SecretKey, split_at_checked, split_first_chunk, as_chunks
}
secret_key! {
    /// An expanded secret key to write.
    SecretKeyMut, split_at_mut_checked, split_first_chunk_mut, as_chunks_mut, mut
}

/// A signature: FIPS 204, algorithm 27.
pub(crate) struct Signature<'a> {
    pub c_tilde: &'a [u8],
    /// [`Params::z_len`] bytes a column.
    pub z: &'a [u8],
    pub hint: Hint<'a>,
}

impl<'a> Signature<'a> {
    pub fn new(params: &Params, bytes: &'a [u8]) -> Result<Self, Length> {
        length(params.signature_len(), bytes)?;
        let wrong = Length { expected: params.signature_len(), actual: bytes.len() };
        let (c_tilde, rest) = bytes.split_at_checked(params.c_tilde_len).ok_or(wrong)?;
        let (z, hint) = rest.split_at_checked(params.z_len() * params.l).ok_or(wrong)?;
        let (places, counts) = hint.split_at_checked(params.omega).ok_or(wrong)?;
        Ok(Self { c_tilde, z, hint: Hint { places, counts } })
    }
}

/// A signature to write.
pub(crate) struct SignatureMut<'a> {
    pub c_tilde: &'a mut [u8],
    pub z: &'a mut [u8],
    /// The places of the ones, omega bytes.
    pub places: &'a mut [u8],
    /// Where the places of each polynomial end.
    pub counts: &'a mut [u8],
}

impl<'a> SignatureMut<'a> {
    pub fn new(params: &Params, bytes: &'a mut [u8]) -> Result<Self, Length> {
        length(params.signature_len(), bytes)?;
        let wrong = Length { expected: params.signature_len(), actual: bytes.len() };
        let (c_tilde, rest) = bytes.split_at_mut_checked(params.c_tilde_len).ok_or(wrong)?;
        let (z, hint) = rest.split_at_mut_checked(params.z_len() * params.l).ok_or(wrong)?;
        let (places, counts) = hint.split_at_mut_checked(params.omega).ok_or(wrong)?;
        Ok(Self { c_tilde, z, places, counts })
    }
}

/// The hint as it is encoded. FIPS 204, algorithm 20.
#[derive(Clone, Copy)]
pub(crate) struct Hint<'a> {
    /// The places of the ones, polynomial after polynomial, then zeros: omega bytes.
    places: &'a [u8],
    /// Where the places of each polynomial end.
    counts: &'a [u8],
}

impl<'a> Hint<'a> {
    /// The places of the ones of each polynomial.
    pub fn rows(self) -> impl Iterator<Item = &'a [u8]> {
        let mut start = 0;
        self.counts.iter().map(move |&end| {
            let row = self.places.get(start..usize::from(end)).unwrap_or(&[]);
            start = usize::from(end);
            row
        })
    }

    /// What HintBitUnpack asks for: FIPS 204, algorithm 21.
    pub fn check(self) -> Result<(), HintError> {
        let mut last = 0;
        for &count in self.counts {
            if count < last {
                return Err(HintError::CountFalls);
            }
            if usize::from(count) > self.places.len() {
                return Err(HintError::CountTooLarge);
            }
            last = count;
        }
        for row in self.rows() {
            for (one, next) in row.iter().zip(row.iter().skip(1)) {
                if next == one {
                    return Err(HintError::Repeat);
                }
                if next < one {
                    return Err(HintError::Order);
                }
            }
        }
        if self.places.iter().skip(usize::from(last)).any(|&unused| unused != 0) {
            return Err(HintError::Padding);
        }
        Ok(())
    }
}
