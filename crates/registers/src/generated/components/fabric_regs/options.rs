//! Register: Options

#[allow(unused_imports)]
use super::_root; // alias to root module of generated code






/// Options
///
/// Second word of the next command. Keeps its value.
#[repr(transparent)]
#[derive(Copy, Clone, Eq, PartialEq)]
pub struct Options(u32);

unsafe impl Send for Options {}
unsafe impl Sync for Options {}

impl core::default::Default for Options {
    fn default() -> Self {
        Self(0x0)
    }
}

impl peakrdl_rust::reg::Register for Options {
    type Regwidth = u32;
    type Accesswidth = u32;
    type Access = peakrdl_rust::access::RW;
    type ByteEndian = peakrdl_rust::endian::LittleEndian;
    type WordEndian = peakrdl_rust::endian::LittleEndian;

    unsafe fn from_raw(val: Self::Regwidth) -> Self {
        Self(val)
    }

    fn to_raw(self) -> Self::Regwidth {
        self.0
    }
}

impl Options {
    pub const VALUE_OFFSET: usize = 0;
    pub const VALUE_WIDTH: usize = 32;
    pub const VALUE_MASK: u32 = 0xFFFF_FFFF;

    /// value
    ///
    /// Meaning depends on the opcode.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn value(&self) -> u32 {
        let val = (self.0 >> Self::VALUE_OFFSET) & Self::VALUE_MASK;
        val
    }


    /// value
    ///
    /// Meaning depends on the opcode.
    #[inline(always)]
    pub fn set_value(&mut self, val: u32) {
        let val = val as u32;
        self.0 = (self.0 & !(Self::VALUE_MASK << Self::VALUE_OFFSET)) | ((val & Self::VALUE_MASK) << Self::VALUE_OFFSET);
    }


}

impl core::fmt::Debug for Options {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Options")
            .field("value", &self.value())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_default() {
        let reg = Options::default();
        assert_eq!(reg.value(), 0);
    }
}
