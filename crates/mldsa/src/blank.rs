//! Values that can be made in place, without a call that returns them.

/// A value to begin with, as a constant: a static can be set to it, and no function has to return (and an
/// unoptimised build copy) tens of KB.
pub trait Blank: Sized {
    /// The value: zero bytes, or handles that stand for nothing yet.
    const BLANK: Self;
}

impl Blank for () {
    const BLANK: Self = ();
}

impl Blank for u8 {
    const BLANK: Self = 0;
}

impl<T: Blank, const LEN: usize> Blank for [T; LEN] {
    const BLANK: Self = [T::BLANK; LEN];
}

/// A byte array of some length.
pub trait ByteArray: Blank + Clone + AsRef<[u8]> + AsMut<[u8]> + Send + Sync + 'static {}

impl<const LEN: usize> ByteArray for [u8; LEN] {}
