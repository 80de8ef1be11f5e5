//! What the engines in software keep of a key.
use super::Node;
use crate::params::{MAX_N, Params};
use zeroize::Zeroize;

/// The seeds of a key; that of the private key is wiped when dropped or replaced.
pub(super) struct Key {
    /// Bytes of a node.
    pub n: usize,
    #[cfg(feature = "sphincsplus")]
    robust: bool,
    pk_seed: Node,
    sk_seed: Node,
}

impl Key {
    /// No key yet.
    pub const NONE: Self = Self {
        n: MAX_N,
        #[cfg(feature = "sphincsplus")]
        robust: false,
        pk_seed: [0; MAX_N],
        sk_seed: [0; MAX_N],
    };

    /// Takes the seeds of another key, n bytes each or none.
    pub fn set(&mut self, params: &Params, pk_seed: &[u8], sk_seed: &[u8]) {
        self.n = params.n;
        #[cfg(feature = "sphincsplus")]
        {
            self.robust = params.scheme == crate::params::Scheme::SphincsPlusRobust;
        }
        self.sk_seed.zeroize();
        for (to, from) in [(&mut self.pk_seed, pk_seed), (&mut self.sk_seed, sk_seed)] {
            for (to, from) in to.iter_mut().zip(from) {
                *to = *from;
            }
        }
    }

    /// Whether F, H and T_l hash their input added to a mask.
    pub fn robust(&self) -> bool {
        #[cfg(feature = "sphincsplus")]
        return self.robust;
        #[cfg(not(feature = "sphincsplus"))]
        false
    }

    /// PK.seed.
    pub fn pk_seed(&self) -> &[u8] {
        self.pk_seed.get(..self.n).unwrap_or_default()
    }

    /// SK.seed.
    pub fn sk_seed(&self) -> &[u8] {
        self.sk_seed.get(..self.n).unwrap_or_default()
    }

    /// SK.seed in every node.
    pub fn fill_with_sk_seed(&self, nodes: &mut [Node]) {
        nodes.fill(self.sk_seed);
    }
}

impl Drop for Key {
    #[inline(never)] // wiping byte by byte takes registers, and so its caller's stack
    fn drop(&mut self) {
        self.sk_seed.zeroize();
    }
}
