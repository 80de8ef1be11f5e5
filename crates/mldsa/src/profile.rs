//! How much memory is spent: what is kept and what is computed again.
use crate::{blank::Blank, engine::Engine, params::ParameterSet, portable::Portable};

mod sealed {
    pub trait Sealed {}
}

/// A trade of memory for time, chosen by type.
pub trait Profile: sealed::Sealed + Copy + core::fmt::Debug + Default + Send + Sync + 'static {
    /// What key generation, and the check of a key, work in.
    type Keygen<S: ParameterSet, E: Engine>: Blank;
    /// What signing works in.
    type Signing<S: ParameterSet, E: Engine>: Blank;
    /// What verification works in.
    type Verifying<S: ParameterSet, E: Engine>: Blank;
}

/// The memory of key generation. Its size is `size_of`, known at compile time; begin with [`Blank::BLANK`].
pub type KeygenMemory<S, P = Fast, E = Portable> = <P as Profile>::Keygen<S, E>;
/// The memory of signing. Its size is `size_of`, known at compile time; begin with [`Blank::BLANK`].
pub type SigningMemory<S, P = Fast, E = Portable> = <P as Profile>::Signing<S, E>;
/// The memory of verification. Its size is `size_of`, known at compile time; begin with [`Blank::BLANK`].
pub type VerifyingMemory<S, P = Fast, E = Portable> = <P as Profile>::Verifying<S, E>;

macro_rules! profiles {
    ($($(#[$attribute:meta])* $name:ident;)*) => {$(
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;
        impl sealed::Sealed for $name {}
    )*};
}

profiles! {
    /// Keeps what the reference C code keeps: A and every vector.
    Reference;
    /// Keeps what saves time: A while signing.
    Fast;
    /// Keeps as little as possible: A is sampled again in each attempt, z and the hint go straight into the signature.
    Small;
}

#[doc(hidden)]
pub struct Todo;
impl Blank for Todo {
    const BLANK: Self = Todo;
}

impl Profile for Reference {
    type Keygen<S: ParameterSet, E: Engine> = Todo;
    type Signing<S: ParameterSet, E: Engine> = Todo;
    type Verifying<S: ParameterSet, E: Engine> = Todo;
}
impl Profile for Fast {
    type Keygen<S: ParameterSet, E: Engine> = Todo;
    type Signing<S: ParameterSet, E: Engine> = Todo;
    type Verifying<S: ParameterSet, E: Engine> = Todo;
}
impl Profile for Small {
    type Keygen<S: ParameterSet, E: Engine> = Todo;
    type Signing<S: ParameterSet, E: Engine> = Todo;
    type Verifying<S: ParameterSet, E: Engine> = Todo;
}
