//! Register: Control

#[allow(unused_imports)]
use super::_root; // alias to root module of generated code






/// Control
#[repr(transparent)]
#[derive(Copy, Clone, Eq, PartialEq)]
pub struct Control(u32);

unsafe impl Send for Control {}
unsafe impl Sync for Control {}

impl core::default::Default for Control {
    fn default() -> Self {
        Self(0x0)
    }
}

impl peakrdl_rust::reg::Register for Control {
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

impl Control {
    pub const RUN_OFFSET: usize = 0;
    pub const RUN_WIDTH: usize = 1;
    pub const RUN_MASK: u32 = 0x1;

    /// run
    ///
    /// 1: commands are taken from the FIFO. 0: they queue; one that has begun still ends.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn run(&self) -> bool {
        let val = (self.0 >> Self::RUN_OFFSET) & Self::RUN_MASK;
        val != 0
    }


    /// run
    ///
    /// 1: commands are taken from the FIFO. 0: they queue; one that has begun still ends.
    #[inline(always)]
    pub fn set_run(&mut self, val: bool) {
        let val = val as u32;
        self.0 = (self.0 & !(Self::RUN_MASK << Self::RUN_OFFSET)) | ((val & Self::RUN_MASK) << Self::RUN_OFFSET);
    }


    pub const RESET_OFFSET: usize = 8;
    pub const RESET_WIDTH: usize = 1;
    pub const RESET_MASK: u32 = 0x1;

    /// reset
    ///
    /// 1: soft reset. Stops everything, forgets queued commands and errors, clears every slot, string and the sponge.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn reset(&self) -> bool {
        let val = (self.0 >> Self::RESET_OFFSET) & Self::RESET_MASK;
        val != 0
    }


    /// reset
    ///
    /// 1: soft reset. Stops everything, forgets queued commands and errors, clears every slot, string and the sponge.
    #[inline(always)]
    pub fn set_reset(&mut self, val: bool) {
        let val = val as u32;
        self.0 = (self.0 & !(Self::RESET_MASK << Self::RESET_OFFSET)) | ((val & Self::RESET_MASK) << Self::RESET_OFFSET);
    }


    pub const RECOVER_OFFSET: usize = 9;
    pub const RECOVER_WIDTH: usize = 1;
    pub const RECOVER_MASK: u32 = 0x1;

    /// recover
    ///
    /// 1: leave the halt that follows an error. Forgets queued commands, error and sponge; slots and strings stay.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn recover(&self) -> bool {
        let val = (self.0 >> Self::RECOVER_OFFSET) & Self::RECOVER_MASK;
        val != 0
    }


    /// recover
    ///
    /// 1: leave the halt that follows an error. Forgets queued commands, error and sponge; slots and strings stay.
    #[inline(always)]
    pub fn set_recover(&mut self, val: bool) {
        let val = val as u32;
        self.0 = (self.0 & !(Self::RECOVER_MASK << Self::RECOVER_OFFSET)) | ((val & Self::RECOVER_MASK) << Self::RECOVER_OFFSET);
    }


    pub const CLEAR_COUNTERS_OFFSET: usize = 10;
    pub const CLEAR_COUNTERS_WIDTH: usize = 1;
    pub const CLEAR_COUNTERS_MASK: u32 = 0x1;

    /// clear_counters
    ///
    /// 1: the cycle counters become zero.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn clear_counters(&self) -> bool {
        let val = (self.0 >> Self::CLEAR_COUNTERS_OFFSET) & Self::CLEAR_COUNTERS_MASK;
        val != 0
    }


    /// clear_counters
    ///
    /// 1: the cycle counters become zero.
    #[inline(always)]
    pub fn set_clear_counters(&mut self, val: bool) {
        let val = val as u32;
        self.0 = (self.0 & !(Self::CLEAR_COUNTERS_MASK << Self::CLEAR_COUNTERS_OFFSET)) | ((val & Self::CLEAR_COUNTERS_MASK) << Self::CLEAR_COUNTERS_OFFSET);
    }


}

impl core::fmt::Debug for Control {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Control")
            .field("run", &self.run())
            .field("reset", &self.reset())
            .field("recover", &self.recover())
            .field("clear_counters", &self.clear_counters())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_default() {
        let reg = Control::default();
        assert_eq!(reg.run(), false);
        assert_eq!(reg.reset(), false);
        assert_eq!(reg.recover(), false);
        assert_eq!(reg.clear_counters(), false);
    }
}
