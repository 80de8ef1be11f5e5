//! The generator of random bytes that NIST's known-answer programs use: CTR_DRBG with AES-256, no derivation function,
//! no reseeding. NIST SP 800-90A, section 10.2.1.
use aes::{
    Aes256, Block,
    cipher::{BlockCipherEncrypt, KeyInit},
};

/// Bytes of a seed: key and counter block.
pub(crate) const SEED_LEN: usize = 48;

/// CTR_DRBG's working state.
pub(crate) struct Drbg {
    key: [u8; 32],
    v: u128,
}

impl Drbg {
    /// Instantiates with entropy input and no personalisation string, as `randombytes_init` does.
    pub fn new(seed: &[u8; SEED_LEN]) -> Self {
        let mut drbg = Self { key: [0; 32], v: 0 };
        drbg.update(seed);
        drbg
    }

    /// Fills `out`; one call is one request, after which the state moves on.
    pub fn fill(&mut self, out: &mut [u8]) {
        self.blocks(out);
        self.update(&[0; SEED_LEN]);
    }

    /// A request for `len` bytes.
    pub fn take(&mut self, len: usize) -> Vec<u8> {
        let mut out = vec![0; len];
        self.fill(&mut out);
        out
    }

    fn blocks(&mut self, out: &mut [u8]) {
        let cipher = Aes256::new(&self.key.into());
        for chunk in out.chunks_mut(16) {
            self.v = self.v.wrapping_add(1);
            let mut block = Block::from(self.v.to_be_bytes());
            cipher.encrypt_block(&mut block);
            for (to, from) in chunk.iter_mut().zip(block) {
                *to = from;
            }
        }
    }

    fn update(&mut self, data: &[u8; SEED_LEN]) {
        let mut next = [0; SEED_LEN];
        self.blocks(&mut next);
        for (byte, data) in next.iter_mut().zip(data) {
            *byte ^= data;
        }
        let (key, v) = next.split_at(32);
        self.key.copy_from_slice(key);
        self.v = v.iter().fold(0, |v, &byte| v << 8 | u128::from(byte));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The outer generator of every NIST signature KAT starts from the bytes 0 to 47 and gives first the seed of
    /// count 0, then its message of 33 bytes, then the seed of count 1.
    #[test]
    fn seeds_of_the_known_answer_files() {
        let mut drbg = Drbg::new(&std::array::from_fn(|i| i as u8));
        assert_eq!(
            hex::encode_upper(drbg.take(48)),
            "061550234D158C5EC95595FE04EF7A25767F2E24CC2BC479D09D86DC9ABCFDE7056A8C266F9EF97ED08541DBD2E1FFA1"
        );
        assert_eq!(
            hex::encode_upper(drbg.take(33)),
            "D81C4D8D734FCBFBEADE3D3F8A039FAA2A2C9957E835AD55B22E75BF57BB556AC8"
        );
        assert_eq!(
            hex::encode_upper(drbg.take(48)),
            "64335BF29E5DE62842C941766BA129B0643B5E7121CA26CFC190EC7DC3543830557FDD5C03CF123A456D48EFEA43C868"
        );
    }
}
