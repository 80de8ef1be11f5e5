//! Register: Busy cycles

#[allow(unused_imports)]
use super::_root; // alias to root module of generated code






/// Busy cycles
#[repr(transparent)]
#[derive(Copy, Clone, Eq, PartialEq)]
pub struct BusyCycles(u32);

unsafe impl Send for BusyCycles {}
unsafe impl Sync for BusyCycles {}

impl core::default::Default for BusyCycles {
    fn default() -> Self {
        Self(0x0)
    }
}

impl peakrdl_rust::reg::Register for BusyCycles {
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

impl BusyCycles {
    pub const CYCLES_OFFSET: usize = 0;
    pub const CYCLES_WIDTH: usize = 32;
    pub const CYCLES_MASK: u32 = 0xFFFF_FFFF;

    /// cycles
    ///
    /// Cycles with a command under way, modulo 2 to the 32.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn cycles(&self) -> u32 {
        let val = (self.0 >> Self::CYCLES_OFFSET) & Self::CYCLES_MASK;
        val
    }



}

impl core::fmt::Debug for BusyCycles {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("BusyCycles")
            .field("cycles", &self.cycles())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_default() {
        let reg = BusyCycles::default();
        assert_eq!(reg.cycles(), 0);
    }
}
