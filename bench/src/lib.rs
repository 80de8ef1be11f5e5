//! Side-by-side measurement of ML-DSA and SLH-DSA libraries. See README.md.
pub mod ratios;
pub mod rows;
pub mod stats;

/// One library, one parameter set. A row owns one key pair.
pub trait Row {
    /// Library and back end, as printed (`libcrux-0.0.11/avx2`).
    fn lib(&self) -> String;
    /// Parameter set, as FIPS 204 and 205 spell it (`ML-DSA-44`, `SLH-DSA-SHAKE-128f`).
    fn alg(&self) -> &'static str;
    /// Whether the code is the same on every processor: no SIMD by hand, no assembly.
    fn portable(&self) -> bool;
    /// Rows of one group take each other's signatures. SPHINCS+ 3.1 is timed beside SLH-DSA, but it
    /// reads the FORS indices from the digest in another bit order, so its signatures differ.
    fn group(&self) -> String {
        self.alg().into()
    }
    /// Makes a new key pair and keeps it. `seed` is used where the library can take one.
    fn keygen(&mut self, seed: [u8; 32]);
    /// Whether `keygen` obeys `seed`.
    fn seeded(&self) -> bool {
        true
    }
    /// Whether `sign` is the deterministic variant (else hedged with the library's generator).
    fn deterministic(&self) -> bool {
        true
    }
    /// Signs with the key in the form that the library keeps loaded. Empty context, pure mode.
    fn sign(&self, msg: &[u8]) -> Vec<u8>;
    /// Verifies with the public key in the form that the library keeps loaded.
    fn verify(&self, msg: &[u8], sig: &[u8]) -> bool;
    /// Encoded public key.
    fn pk(&self) -> Vec<u8>;
    /// Verifies from an encoded public key.
    fn verify_bytes(&self, pk: &[u8], msg: &[u8], sig: &[u8]) -> bool;
    /// Signs starting from the encoded private key (decode or expand each time), if that is possible.
    fn sign_bytes(&self, _msg: &[u8]) -> Option<Vec<u8>> {
        None
    }
}

/// The `i`th test message.
pub fn message(i: u64) -> [u8; 64] {
    let mut m = [0; 64];
    let mut x = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d;
    for c in m.chunks_mut(8) {
        x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = x;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        c.copy_from_slice(&(z ^ (z >> 31)).to_le_bytes());
    }
    m
}

/// The `i`th key seed.
pub fn seed(i: u64) -> [u8; 32] {
    message(!i)[..32].try_into().expect("32 of 64 bytes")
}

/// The three n-byte seeds of an SLH-DSA key: cut from a 32-byte one repeated, in every row alike.
pub fn hash_seeds(seed: [u8; 32], n: usize) -> [Vec<u8>; 3] {
    let mut bytes = seed.iter().copied().cycle();
    std::array::from_fn(|_| bytes.by_ref().take(n).collect())
}
