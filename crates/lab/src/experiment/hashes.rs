//! How often SLH-DSA and SPHINCS+ hash: exact counts from the structure of a set.
//!
//! Key generation and signing make whole trees, so their counts depend on the set alone; what depends on the message (the
//! length of PRF_msg and H_msg, a few blocks of millions) is left out.
use pqsoc_slhdsa::Params;
use pqsoc_slhdsa::params::{Family, Scheme};

/// Calls of the functions of FIPS 205, section 4.1, but those over messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// PRF.
    pub prf: u64,
    /// F.
    pub f: u64,
    /// H.
    pub h: u64,
    /// T_l over the ends of WOTS+ chains: l = len.
    pub t_len: u64,
    /// T_l over the roots of FORS trees: l = k.
    pub t_k: u64,
}

/// Blocks by their kind: they do not cost the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blocks {
    /// Permutations of Keccak-f\[1600\], or compressions of SHA-256.
    pub small: u64,
    /// Compressions of SHA-512: H and T_l of SHA2 sets of categories 3 and 5.
    pub large: u64,
}

impl Blocks {
    const fn small(n: u64) -> Self {
        Self { small: n, large: 0 }
    }

    const fn plus(self, other: Self) -> Self {
        Self { small: self.small + other.small, large: self.large + other.large }
    }

    const fn times(self, n: u64) -> Self {
        Self { small: self.small * n, large: self.large * n }
    }

    /// All of them.
    pub const fn total(self) -> u64 {
        self.small + self.large
    }
}

/// Blocks of one call over `count` nodes: F and PRF have one, H two, T_l more. FIPS 205, sections 11.1 and 11.2; of SHA-2
/// the first block, PK.seed, is calculated once and not counted.
fn call(params: &Params, count: usize) -> Blocks {
    /// An address with SHA-2: ADRSc. FIPS 205, section 11.2.
    const SHORT_ADDRESS: usize = 22;
    let bytes = count * params.n;
    let robust = params.scheme == Scheme::SphincsPlusRobust;
    match params.family {
        Family::Shake => {
            // PK.seed, address, nodes, then the suffix 1111 and the padding: at least one byte.
            let hash = (params.n + 32 + bytes + 1).div_ceil(136) as u64;
            // The mask: as many bytes out as the nodes have, from a short input.
            let mask = if robust { bytes.div_ceil(136) as u64 } else { 0 };
            Blocks::small(hash + mask)
        }
        Family::Sha2 => {
            let large = count > 1 && params.n > 16;
            let (block, length) = if large { (128, 16) } else { (64, 8) };
            let hash = (SHORT_ADDRESS + bytes + 1 + length).div_ceil(block) as u64;
            // MGF1 of PK.seed and the address, with the same hash: as many digests as the nodes are long.
            let mask = if robust {
                let digest = if large { 64 } else { 32 };
                let input = (params.n + SHORT_ADDRESS + 4 + 1 + length).div_ceil(block);
                (bytes.div_ceil(digest) * input) as u64
            } else {
                0
            };
            if large { Blocks { small: 0, large: hash + mask } } else { Blocks::small(hash + mask) }
        }
    }
}

/// PRF is F without a mask.
fn prf(params: &Params) -> Blocks {
    match params.family {
        Family::Shake => Blocks::small((params.n + 32 + params.n + 1).div_ceil(136) as u64),
        Family::Sha2 => Blocks::small(1),
    }
}

/// `trees` XMSS trees, with or without signatures by their leaves, whose values lie on the way. FIPS 205, algorithms 6
/// and 9.
fn xmss(params: &Params, trees: u64) -> Calls {
    let leaves = trees << params.hp();
    let chains = leaves * params.len() as u64;
    let steps = u64::from(params.w()) - 1;
    Calls { prf: chains, f: chains * steps, h: leaves - trees, t_len: leaves, t_k: 0 }
}

/// Calls of key generation: the topmost tree. FIPS 205, algorithm 18.
pub fn keygen_calls(params: &Params) -> Calls {
    xmss(params, 1)
}

/// Calls of signing: the FORS trees, the secret values that are revealed, and every layer's tree. FIPS 205, algorithm 19.
pub fn sign_calls(params: &Params) -> Calls {
    let trees = params.k as u64;
    let leaves = trees << params.a;
    let hypertree = xmss(params, params.d as u64);
    Calls {
        prf: hypertree.prf + leaves + trees,
        f: hypertree.f + leaves,
        h: hypertree.h + leaves - trees,
        t_len: hypertree.t_len,
        t_k: 1,
    }
}

/// Calls of verification in the mean over messages: half of each chain, a path up each tree. FIPS 205, algorithm 20.
fn verify_calls(params: &Params) -> Calls {
    let chains = (params.d * params.len()) as u64;
    let leaves = params.k as u64;
    Calls {
        prf: 0,
        f: chains * (u64::from(params.w()) - 1) / 2 + leaves,
        h: leaves * params.a as u64 + params.h as u64,
        t_len: params.d as u64,
        t_k: 1,
    }
}

/// Blocks of calls.
fn blocks(params: &Params, calls: Calls) -> Blocks {
    prf(params)
        .times(calls.prf)
        .plus(call(params, 1).times(calls.f))
        .plus(call(params, 2).times(calls.h))
        .plus(call(params, params.len()).times(calls.t_len))
        .plus(call(params, params.k).times(calls.t_k))
}

/// Blocks of key generation.
pub fn keygen_blocks(params: &Params) -> Blocks {
    blocks(params, keygen_calls(params))
}

/// Blocks of signing.
pub fn sign_blocks(params: &Params) -> Blocks {
    blocks(params, sign_calls(params))
}

/// Blocks of verification in the mean over messages. Unlike the others they depend on the signature: by some per cent.
pub fn verify_blocks(params: &Params) -> Blocks {
    blocks(params, verify_calls(params))
}
