//! Register: Error

#[allow(unused_imports)]
use super::_root; // alias to root module of generated code



// Instances of named component types
pub use _root::components::fabric_regs::named_types::cause_e as cause;



/// Error
///
/// What halted the fabric, until CONTROL.recover or reset.
#[repr(transparent)]
#[derive(Copy, Clone, Eq, PartialEq)]
pub struct Error(u32);

unsafe impl Send for Error {}
unsafe impl Sync for Error {}

impl core::default::Default for Error {
    fn default() -> Self {
        Self(0x0)
    }
}

impl peakrdl_rust::reg::Register for Error {
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

impl Error {
    pub const CAUSE_OFFSET: usize = 0;
    pub const CAUSE_WIDTH: usize = 4;
    pub const CAUSE_MASK: u32 = 0xF;

    /// cause
    ///
    /// Cause.
    #[inline(always)]
    #[allow(clippy::missing_errors_doc)]
    pub fn cause(&self) -> Result<cause::CauseE, peakrdl_rust::encode::UnknownVariant<u8>> {
        let val = (self.0 >> Self::CAUSE_OFFSET) & Self::CAUSE_MASK;
        cause::CauseE::from_bits(val as u8)    }



    pub const OPCODE_OFFSET: usize = 8;
    pub const OPCODE_WIDTH: usize = 6;
    pub const OPCODE_MASK: u32 = 0x3F;

    /// opcode
    ///
    /// Opcode of the command that failed.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn opcode(&self) -> u8 {
        let val = (self.0 >> Self::OPCODE_OFFSET) & Self::OPCODE_MASK;
        val as u8
    }



    pub const INDEX_OFFSET: usize = 16;
    pub const INDEX_WIDTH: usize = 16;
    pub const INDEX_MASK: u32 = 0xFFFF;

    /// index
    ///
    /// Its index in its list, from 0.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn index(&self) -> u16 {
        let val = (self.0 >> Self::INDEX_OFFSET) & Self::INDEX_MASK;
        val as u16
    }



}

impl core::fmt::Debug for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Error")
            .field("cause", &self.cause())
            .field("opcode", &self.opcode())
            .field("index", &self.index())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_default() {
        let reg = Error::default();
        assert_eq!(reg.cause(), Ok(cause::CauseE::NoError));
        assert_eq!(reg.opcode(), 0);
        assert_eq!(reg.index(), 0);
    }
}
