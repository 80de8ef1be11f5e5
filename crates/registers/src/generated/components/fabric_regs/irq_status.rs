//! Register: Interrupt status

#[allow(unused_imports)]
use super::_root; // alias to root module of generated code






/// Interrupt status
///
/// Write 1 to clear. The interrupt line is high while an enabled bit is set.
#[repr(transparent)]
#[derive(Copy, Clone, Eq, PartialEq)]
pub struct IrqStatus(u32);

unsafe impl Send for IrqStatus {}
unsafe impl Sync for IrqStatus {}

impl core::default::Default for IrqStatus {
    fn default() -> Self {
        Self(0x0)
    }
}

impl peakrdl_rust::reg::Register for IrqStatus {
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

impl IrqStatus {
    pub const DONE_OFFSET: usize = 0;
    pub const DONE_WIDTH: usize = 1;
    pub const DONE_MASK: u32 = 0x1;

    /// done
    ///
    /// A list has ended.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn done(&self) -> bool {
        let val = (self.0 >> Self::DONE_OFFSET) & Self::DONE_MASK;
        val != 0
    }


    /// done
    ///
    /// A list has ended.
    #[inline(always)]
    pub fn set_done(&mut self, val: bool) {
        let val = val as u32;
        self.0 = (self.0 & !(Self::DONE_MASK << Self::DONE_OFFSET)) | ((val & Self::DONE_MASK) << Self::DONE_OFFSET);
    }


    pub const ERROR_OFFSET: usize = 1;
    pub const ERROR_WIDTH: usize = 1;
    pub const ERROR_MASK: u32 = 0x1;

    /// error
    ///
    /// An error has halted the fabric.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn error(&self) -> bool {
        let val = (self.0 >> Self::ERROR_OFFSET) & Self::ERROR_MASK;
        val != 0
    }


    /// error
    ///
    /// An error has halted the fabric.
    #[inline(always)]
    pub fn set_error(&mut self, val: bool) {
        let val = val as u32;
        self.0 = (self.0 & !(Self::ERROR_MASK << Self::ERROR_OFFSET)) | ((val & Self::ERROR_MASK) << Self::ERROR_OFFSET);
    }


}

impl core::fmt::Debug for IrqStatus {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("IrqStatus")
            .field("done", &self.done())
            .field("error", &self.error())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_default() {
        let reg = IrqStatus::default();
        assert_eq!(reg.done(), false);
        assert_eq!(reg.error(), false);
    }
}
