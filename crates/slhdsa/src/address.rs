//! Addresses: FIPS 205, section 4.2.

/// What an address is of, in its word of that name. FIPS 205, table 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum AddressType {
    /// A step of a WOTS+ chain.
    WotsHash = 0,
    /// The compression of a WOTS+ public key.
    WotsPk = 1,
    /// A node of an XMSS tree.
    Tree = 2,
    /// A node of a FORS tree.
    ForsTree = 3,
    /// The compression of the roots of FORS trees.
    ForsRoots = 4,
    /// A secret of a WOTS+ chain.
    WotsPrf = 5,
    /// A secret of a leaf of a FORS tree.
    ForsPrf = 6,
}

/// An address of 32 bytes: layer, tree, type and three words that depend on the type, all big-endian.
/// FIPS 205, figures 2 to 9.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Address([u8; 32]);

impl Address {
    /// The address of what belongs to one tree of one layer; its type is [`AddressType::WotsHash`].
    pub const fn new(layer: u32, tree: u64) -> Self {
        let mut address = Self([0; 32]);
        address.set_word(0, layer);
        address.set_word(2, (tree >> 32) as u32);
        address.set_word(3, tree as u32);
        address
    }

    /// An address given as its 32 bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The same layer and tree with another type and zeros after it: setTypeAndClear.
    pub const fn with_type(mut self, kind: AddressType) -> Self {
        self.set_word(4, kind as u32);
        self.set_word(5, 0);
        self.set_word(6, 0);
        self.set_word(7, 0);
        self
    }

    /// The same with another type that keeps the key pair: setTypeAndClear and setKeyPairAddress.
    pub const fn with_type_and_key_pair(mut self, kind: AddressType) -> Self {
        self.set_type(kind);
        self
    }

    /// [`with_type_and_key_pair`](Self::with_type_and_key_pair), in place.
    pub const fn set_type(&mut self, kind: AddressType) {
        self.set_word(4, kind as u32);
        self.set_word(6, 0);
        self.set_word(7, 0);
    }

    /// setKeyPairAddress: the leaf of the XMSS tree.
    pub const fn set_key_pair(&mut self, leaf: u32) {
        self.set_word(5, leaf);
    }

    /// setChainAddress.
    pub const fn set_chain(&mut self, chain: u32) {
        self.set_word(6, chain);
    }

    /// setHashAddress.
    pub const fn set_hash(&mut self, hash: u32) {
        self.set_word(7, hash);
    }

    /// The hash address.
    pub const fn hash(&self) -> u32 {
        u32::from_be_bytes([self.0[28], self.0[29], self.0[30], self.0[31]])
    }

    /// setTreeHeight.
    pub const fn set_tree_height(&mut self, height: u32) {
        self.set_word(6, height);
    }

    /// setTreeIndex.
    pub const fn set_tree_index(&mut self, index: u32) {
        self.set_word(7, index);
    }

    /// The 32 bytes, as SHAKE takes them.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// ADRS^c, as SHA-2 takes it: the bytes that can differ from zero. FIPS 205, section 11.2 and figure 18.
    #[inline]
    pub fn compressed(&self) -> [u8; 22] {
        let a = &self.0;
        let mut out = [0; 22];
        out[0] = a[3];
        out[1..9].copy_from_slice(&a[8..16]);
        out[9] = a[19];
        out[10..].copy_from_slice(&a[20..]);
        out
    }

    #[inline(always)]
    const fn set_word(&mut self, at: usize, value: u32) {
        let [b0, b1, b2, b3] = value.to_be_bytes();
        self.0[4 * at] = b0;
        self.0[4 * at + 1] = b1;
        self.0[4 * at + 2] = b2;
        self.0[4 * at + 3] = b3;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout() {
        let mut address = Address::new(0x0102_0304, 0x1112_1314_1516_1718);
        address.set_key_pair(0x2122_2324);
        let mut address = address.with_type_and_key_pair(AddressType::ForsPrf);
        address.set_tree_height(0x3132_3334);
        address.set_tree_index(0x4142_4344);
        let bytes = [
            1, 2, 3, 4, 0, 0, 0, 0, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0, 0, 0, 6, 0x21, 0x22,
            0x23, 0x24, 0x31, 0x32, 0x33, 0x34, 0x41, 0x42, 0x43, 0x44,
        ];
        assert_eq!(address.as_bytes(), &bytes);
        let compressed = address.compressed();
        assert_eq!(compressed[0], 4);
        assert_eq!(compressed[1..9], bytes[8..16]);
        assert_eq!(compressed[9], 6);
        assert_eq!(compressed[10..], bytes[20..]);
        let cleared = address.with_type(AddressType::Tree);
        assert_eq!(cleared.as_bytes()[16..], [0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    }
}
