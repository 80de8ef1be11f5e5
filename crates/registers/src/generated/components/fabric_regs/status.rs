//! Register: Status

#[allow(unused_imports)]
use super::_root; // alias to root module of generated code






/// Status
#[repr(transparent)]
#[derive(Copy, Clone, Eq, PartialEq)]
pub struct Status(u32);

unsafe impl Send for Status {}
unsafe impl Sync for Status {}

impl core::default::Default for Status {
    fn default() -> Self {
        Self(0x0)
    }
}

impl peakrdl_rust::reg::Register for Status {
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

impl Status {
    pub const BUSY_OFFSET: usize = 0;
    pub const BUSY_WIDTH: usize = 1;
    pub const BUSY_MASK: u32 = 0x1;

    /// busy
    ///
    /// A command runs or waits to, or memories are being cleared.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn busy(&self) -> bool {
        let val = (self.0 >> Self::BUSY_OFFSET) & Self::BUSY_MASK;
        val != 0
    }



    pub const HALTED_OFFSET: usize = 1;
    pub const HALTED_WIDTH: usize = 1;
    pub const HALTED_MASK: u32 = 0x1;

    /// halted
    ///
    /// Halted by an error; see ERROR. Input is accepted and dropped until CONTROL.recover or reset.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn halted(&self) -> bool {
        let val = (self.0 >> Self::HALTED_OFFSET) & Self::HALTED_MASK;
        val != 0
    }



    pub const EMPTY_OFFSET: usize = 2;
    pub const EMPTY_WIDTH: usize = 1;
    pub const EMPTY_MASK: u32 = 0x1;

    /// empty
    ///
    /// No command is queued.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn empty(&self) -> bool {
        let val = (self.0 >> Self::EMPTY_OFFSET) & Self::EMPTY_MASK;
        val != 0
    }



    pub const FULL_OFFSET: usize = 3;
    pub const FULL_WIDTH: usize = 1;
    pub const FULL_MASK: u32 = 0x1;

    /// full
    ///
    /// No further command can be queued.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn full(&self) -> bool {
        let val = (self.0 >> Self::FULL_OFFSET) & Self::FULL_MASK;
        val != 0
    }



    pub const QUEUED_OFFSET: usize = 16;
    pub const QUEUED_WIDTH: usize = 16;
    pub const QUEUED_MASK: u32 = 0xFFFF;

    /// queued
    ///
    /// Queued commands.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn queued(&self) -> u16 {
        let val = (self.0 >> Self::QUEUED_OFFSET) & Self::QUEUED_MASK;
        val as u16
    }



}

impl core::fmt::Debug for Status {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Status")
            .field("busy", &self.busy())
            .field("halted", &self.halted())
            .field("empty", &self.empty())
            .field("full", &self.full())
            .field("queued", &self.queued())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_default() {
        let reg = Status::default();
        assert_eq!(reg.busy(), false);
        assert_eq!(reg.halted(), false);
        assert_eq!(reg.empty(), false);
        assert_eq!(reg.full(), false);
        assert_eq!(reg.queued(), 0);
    }
}
