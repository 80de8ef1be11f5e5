//! Register: Capabilities

#[allow(unused_imports)]
use super::_root; // alias to root module of generated code






/// Capabilities
///
/// The parameters the fabric was built with.
#[repr(transparent)]
#[derive(Copy, Clone, Eq, PartialEq)]
pub struct Capabilities(u32);

unsafe impl Send for Capabilities {}
unsafe impl Sync for Capabilities {}

impl core::default::Default for Capabilities {
    fn default() -> Self {
        Self(0x0)
    }
}

impl peakrdl_rust::reg::Register for Capabilities {
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

impl Capabilities {
    pub const BUTTERFLIES_OFFSET: usize = 0;
    pub const BUTTERFLIES_WIDTH: usize = 4;
    pub const BUTTERFLIES_MASK: u32 = 0xF;

    /// butterflies
    ///
    /// Butterflies: 1, 2 or 4.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn butterflies(&self) -> u8 {
        let val = (self.0 >> Self::BUTTERFLIES_OFFSET) & Self::BUTTERFLIES_MASK;
        val as u8
    }



    pub const ROUNDS_OFFSET: usize = 4;
    pub const ROUNDS_WIDTH: usize = 4;
    pub const ROUNDS_MASK: u32 = 0xF;

    /// rounds
    ///
    /// Rounds of Keccak-f[1600] a cycle: 1 or 2.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn rounds(&self) -> u8 {
        let val = (self.0 >> Self::ROUNDS_OFFSET) & Self::ROUNDS_MASK;
        val as u8
    }



    pub const SLOTS_OFFSET: usize = 8;
    pub const SLOTS_WIDTH: usize = 9;
    pub const SLOTS_MASK: u32 = 0x1FF;

    /// slots
    ///
    /// Polynomial slots.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn slots(&self) -> u16 {
        let val = (self.0 >> Self::SLOTS_OFFSET) & Self::SLOTS_MASK;
        val as u16
    }



    pub const FIFO_LOG2_OFFSET: usize = 20;
    pub const FIFO_LOG2_WIDTH: usize = 4;
    pub const FIFO_LOG2_MASK: u32 = 0xF;

    /// fifo_log2
    ///
    /// Command FIFO: 2 to this power entries.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn fifo_log2(&self) -> u8 {
        let val = (self.0 >> Self::FIFO_LOG2_OFFSET) & Self::FIFO_LOG2_MASK;
        val as u8
    }



    pub const STRINGS_LOG2_OFFSET: usize = 24;
    pub const STRINGS_LOG2_WIDTH: usize = 4;
    pub const STRINGS_LOG2_MASK: u32 = 0xF;

    /// strings_log2
    ///
    /// String memory: 2 to this power words of 8 bytes.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn strings_log2(&self) -> u8 {
        let val = (self.0 >> Self::STRINGS_LOG2_OFFSET) & Self::STRINGS_LOG2_MASK;
        val as u8
    }



}

impl core::fmt::Debug for Capabilities {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Capabilities")
            .field("butterflies", &self.butterflies())
            .field("rounds", &self.rounds())
            .field("slots", &self.slots())
            .field("fifo_log2", &self.fifo_log2())
            .field("strings_log2", &self.strings_log2())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_default() {
        let reg = Capabilities::default();
        assert_eq!(reg.butterflies(), 0);
        assert_eq!(reg.rounds(), 0);
        assert_eq!(reg.slots(), 0);
        assert_eq!(reg.fifo_log2(), 0);
        assert_eq!(reg.strings_log2(), 0);
    }
}
