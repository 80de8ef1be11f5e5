//! Register: Input stall cycles

#[allow(unused_imports)]
use super::_root; // alias to root module of generated code






/// Input stall cycles
#[repr(transparent)]
#[derive(Copy, Clone, Eq, PartialEq)]
pub struct StallInCycles(u32);

unsafe impl Send for StallInCycles {}
unsafe impl Sync for StallInCycles {}

impl core::default::Default for StallInCycles {
    fn default() -> Self {
        Self(0x0)
    }
}

impl peakrdl_rust::reg::Register for StallInCycles {
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

impl StallInCycles {
    pub const CYCLES_OFFSET: usize = 0;
    pub const CYCLES_WIDTH: usize = 32;
    pub const CYCLES_MASK: u32 = 0xFFFF_FFFF;

    /// cycles
    ///
    /// Of the busy cycles, those in which a command waited for input.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn cycles(&self) -> u32 {
        let val = (self.0 >> Self::CYCLES_OFFSET) & Self::CYCLES_MASK;
        val
    }



}

impl core::fmt::Debug for StallInCycles {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("StallInCycles")
            .field("cycles", &self.cycles())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_default() {
        let reg = StallInCycles::default();
        assert_eq!(reg.cycles(), 0);
    }
}
