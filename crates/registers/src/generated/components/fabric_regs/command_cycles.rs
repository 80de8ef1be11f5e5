//! Register: Command cycles

#[allow(unused_imports)]
use super::_root; // alias to root module of generated code






/// Command cycles
///
/// Cycles of the last command, from the one that takes it from the FIFO to the one that completes it.
#[repr(transparent)]
#[derive(Copy, Clone, Eq, PartialEq)]
pub struct CommandCycles(u32);

unsafe impl Send for CommandCycles {}
unsafe impl Sync for CommandCycles {}

impl core::default::Default for CommandCycles {
    fn default() -> Self {
        Self(0x0)
    }
}

impl peakrdl_rust::reg::Register for CommandCycles {
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

impl CommandCycles {
    pub const CYCLES_OFFSET: usize = 0;
    pub const CYCLES_WIDTH: usize = 32;
    pub const CYCLES_MASK: u32 = 0xFFFF_FFFF;

    /// cycles
    ///
    /// Cycles.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn cycles(&self) -> u32 {
        let val = (self.0 >> Self::CYCLES_OFFSET) & Self::CYCLES_MASK;
        val
    }



}

impl core::fmt::Debug for CommandCycles {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("CommandCycles")
            .field("cycles", &self.cycles())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_default() {
        let reg = CommandCycles::default();
        assert_eq!(reg.cycles(), 0);
    }
}
