//! The choice of an engine at run time.
#[cfg(all(target_arch = "x86_64", any(feature = "std", target_feature = "sse2")))]
use super::Wide;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
use super::x86;
use super::{Engine, Node, Outcome, Sha2, Sha2Single, Shake, Subtree, WotsSignature};
use crate::address::Address;
use crate::error::Error;
use crate::params::{Family, Params};
use crate::stream::{Input, Sink, Source};
use core::convert::Infallible;

/// Everything that is said once an engine: the variants, and handing an operation on.
macro_rules! choice {
    ($($(#[$attribute:meta])* $name:ident($engine:ty),)*) => {
        enum Choice {
            /// No operation has begun.
            Open,
            $($(#[$attribute])* $name($engine),)*
        }

        #[allow(clippy::large_enum_variant)] // short-lived, and there is no heap to box it in
        enum Thash {
            /// Not started.
            Open,
            $($(#[$attribute])* $name(<$engine as Engine>::Thash),)*
        }

        /// The body with the engine that was chosen.
        macro_rules! chosen {
            ($auto:expr, $chosen:ident => $body:expr) => {
                match &mut $auto.0 {
                    Choice::Open => Err(Error::Stopped),
                    $($(#[$attribute])* Choice::$name($chosen) => $body,)*
                }
            };
        }

        impl Auto {
            fn start(&mut self, thash: &mut AutoThash, addresses: &[Address]) -> Outcome<Self> {
                match &mut self.0 {
                    Choice::Open => Err(Error::Stopped),
                    $($(#[$attribute])* Choice::$name(engine) => {
                        thash.0 = Thash::$name(Default::default());
                        match &mut thash.0 {
                            Thash::$name(thash) => engine.tl_start(thash, addresses),
                            _ => Ok(()),
                        }
                    })*
                }
            }

            fn absorb(&mut self, thash: &mut AutoThash, nodes: &[Node]) -> Outcome<Self> {
                match (&mut self.0, &mut thash.0) {
                    $($(#[$attribute])* (Choice::$name(engine), Thash::$name(thash)) => engine.tl_absorb(thash, nodes),)*
                    // Not started, or before another key.
                    _ => Err(Error::Stopped),
                }
            }

            fn finish(&mut self, thash: &mut AutoThash, out: &mut [Node]) -> Outcome<Self> {
                match (&mut self.0, &mut thash.0) {
                    $($(#[$attribute])* (Choice::$name(engine), Thash::$name(thash)) => engine.tl_finish(thash, out),)*
                    // Not started, or before another key.
                    _ => Err(Error::Stopped),
                }
            }
        }
    };
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
type ShakeBaseline = Shake<Wide<pqsoc_keccak::parallel::Baseline, 2>>;
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
type ShakeBaseline = Shake<super::ShakeScalar>;

choice! {
    Sha2(Sha2<Sha2Single>),
    Shake(ShakeBaseline),
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    ShaNi(Sha2<x86::ShaNi>),
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    Sha2Avx2(Sha2<x86::Avx2>),
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    ShakeAvx2(Shake<Wide<pqsoc_keccak::x86::Avx2, 4>>),
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    ShakeAvx512(Shake<Wide<pqsoc_keccak::x86::Avx512, 8>>),
}

/// The fastest software engine for the set and the processor, chosen when an operation begins.
///
/// Gives large operations on to it; as to small ones, it has one lane.
pub struct Auto(Choice);

/// T_l in progress, in the engine that was chosen.
pub struct AutoThash(Thash);

impl Default for AutoThash {
    fn default() -> Self {
        Self(Thash::Open)
    }
}

impl Auto {
    /// An engine without a key; every operation begins with one.
    pub const fn new() -> Self {
        Self(Choice::Open)
    }

    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    fn choose(family: Family) -> Choice {
        match family {
            Family::Sha2 => match (x86::ShaNi::detect(), x86::Avx2::detect()) {
                (Some(kernel), _) => Choice::ShaNi(Sha2::with_kernel(kernel)),
                (None, Some(kernel)) => Choice::Sha2Avx2(Sha2::with_kernel(kernel)),
                (None, None) => Self::baseline(family),
            },
            Family::Shake => match (pqsoc_keccak::x86::Avx512::detect(), pqsoc_keccak::x86::Avx2::detect()) {
                (Some(kernel), _) => Choice::ShakeAvx512(Shake::with_kernel(Wide(kernel))),
                (None, Some(kernel)) => Choice::ShakeAvx2(Shake::with_kernel(Wide(kernel))),
                (None, None) => Self::baseline(family),
            },
        }
    }

    #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
    fn choose(family: Family) -> Choice {
        Self::baseline(family)
    }

    /// What every processor of the target can do.
    fn baseline(family: Family) -> Choice {
        match family {
            Family::Sha2 => Choice::Sha2(Sha2::new()),
            Family::Shake => Choice::Shake(ShakeBaseline::with_kernel(Default::default())),
        }
    }
}

impl Default for Auto {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine for Auto {
    type Error = Infallible;
    type Lanes<T: Copy> = [T; 1];
    type Thash = AutoThash;

    fn begin(&mut self, params: &'static Params, pk_seed: &[u8], sk_seed: &[u8]) -> Outcome<Self> {
        self.0 = Self::choose(params.family);
        chosen!(self, engine => engine.begin(params, pk_seed, sk_seed))
    }

    fn prf_msg(
        &mut self,
        sk_prf: &[u8],
        opt_rand: &[u8],
        message: &dyn Input,
        r: &mut Node,
    ) -> Outcome<Self> {
        chosen!(self, engine => engine.prf_msg(sk_prf, opt_rand, message, r))
    }

    fn h_msg(&mut self, r: &Node, pk_root: &[u8], message: &dyn Input, digest: &mut [u8]) -> Outcome<Self> {
        chosen!(self, engine => engine.h_msg(r, pk_root, message, digest))
    }

    fn prf(&mut self, addresses: &[Address], out: &mut [Node]) -> Outcome<Self> {
        chosen!(self, engine => engine.prf(addresses, out))
    }

    fn f(&mut self, addresses: &[Address], nodes: &mut [Node]) -> Outcome<Self> {
        chosen!(self, engine => engine.f(addresses, nodes))
    }

    fn h(&mut self, addresses: &[Address], left: &mut [Node], right: &[Node]) -> Outcome<Self> {
        chosen!(self, engine => engine.h(addresses, left, right))
    }

    fn tl_start(&mut self, thash: &mut AutoThash, addresses: &[Address]) -> Outcome<Self> {
        self.start(thash, addresses)
    }

    fn tl_absorb(&mut self, thash: &mut AutoThash, nodes: &[Node]) -> Outcome<Self> {
        self.absorb(thash, nodes)
    }

    fn tl_finish(&mut self, thash: &mut AutoThash, out: &mut [Node]) -> Outcome<Self> {
        self.finish(thash, out)
    }

    fn wots_pk_from_sig(
        &mut self,
        params: &'static Params,
        address: &Address,
        message: &Node,
        signature: &mut dyn Source,
        out: &mut Node,
    ) -> Outcome<Self> {
        chosen!(self, engine => engine.wots_pk_from_sig(params, address, message, signature, out))
    }

    fn fors_pk_from_sig(
        &mut self,
        params: &'static Params,
        address: &Address,
        leaves: &mut dyn Iterator<Item = u32>,
        signature: &mut dyn Source,
        out: &mut Node,
    ) -> Outcome<Self> {
        chosen!(self, engine => engine.fors_pk_from_sig(params, address, leaves, signature, out))
    }

    fn xmss_tree(
        &mut self,
        params: &'static Params,
        address: &Address,
        part: Subtree,
        sign: Option<WotsSignature<'_>>,
        path: &mut [Node],
        root: &mut Node,
        progress: &mut dyn FnMut(u32),
    ) -> Outcome<Self> {
        chosen!(self, engine => engine.xmss_tree(params, address, part, sign, path, root, progress))
    }

    fn fors_sign(
        &mut self,
        params: &'static Params,
        address: &Address,
        leaves: &mut dyn Iterator<Item = u32>,
        path: &mut [Node],
        sink: &mut dyn Sink,
        out: &mut Node,
        progress: &mut dyn FnMut(u32),
    ) -> Outcome<Self> {
        chosen!(self, engine => engine.fors_sign(params, address, leaves, path, sink, out, progress))
    }

    fn fors_tree(
        &mut self,
        params: &'static Params,
        address: &Address,
        part: Subtree,
        leaf: Option<u32>,
        path: &mut [Node],
        root: &mut Node,
        progress: &mut dyn FnMut(u32),
    ) -> Outcome<Self> {
        chosen!(self, engine => engine.fors_tree(params, address, part, leaf, path, root, progress))
    }
}
