//! Register: Identity

#[allow(unused_imports)]
use super::_root; // alias to root module of generated code






/// Identity
#[repr(transparent)]
#[derive(Copy, Clone, Eq, PartialEq)]
pub struct Identity(u32);

unsafe impl Send for Identity {}
unsafe impl Sync for Identity {}

impl core::default::Default for Identity {
    fn default() -> Self {
        Self(0x3146_5150)
    }
}

impl peakrdl_rust::reg::Register for Identity {
    type Regwidth = u32;
    type Accesswidth = u32;
    type Access = peakrdl_rust::access::R;
    type ByteEndian = peakrdl_rust::endian::LittleEndian;
    type WordEndian = peakrdl_rust::endian::LittleEndian;

    unsafe fn from_raw(val: Self::Regwidth) -> Self {
        Self(val)
    }

    fn to_raw(self) -> Self::Regwidth {
        self.0
    }
}

impl Identity {
    pub const MAGIC_OFFSET: usize = 0;
    pub const MAGIC_WIDTH: usize = 32;
    pub const MAGIC_MASK: u32 = 0xFFFF_FFFF;

    /// magic
    ///
    /// The letters PQF1, first letter in the low byte.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn magic(&self) -> u32 {
        let val = (self.0 >> Self::MAGIC_OFFSET) & Self::MAGIC_MASK;
        val
    }



}

impl core::fmt::Debug for Identity {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Identity")
            .field("magic", &self.magic())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_default() {
        let reg = Identity::default();
        assert_eq!(reg.magic(), 826691920);
    }
}
