//! Register: Command

#[allow(unused_imports)]
use super::_root; // alias to root module of generated code



// Instances of named component types
pub use _root::components::fabric_regs::named_types::opcode_e as opcode;



/// Command
///
/// First word of a command. Writing it queues the command together with OPTIONS.
#[repr(transparent)]
#[derive(Copy, Clone, Eq, PartialEq)]
pub struct Command(u32);

unsafe impl Send for Command {}
unsafe impl Sync for Command {}

impl core::default::Default for Command {
    fn default() -> Self {
        Self(0x0)
    }
}

impl peakrdl_rust::reg::Register for Command {
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

impl Command {
    pub const OPCODE_OFFSET: usize = 0;
    pub const OPCODE_WIDTH: usize = 6;
    pub const OPCODE_MASK: u32 = 0x3F;

    /// opcode
    ///
    /// Operation.
    #[inline(always)]
    #[allow(clippy::missing_errors_doc)]
    pub fn opcode(&self) -> Result<opcode::OpcodeE, peakrdl_rust::encode::UnknownVariant<u8>> {
        let val = (self.0 >> Self::OPCODE_OFFSET) & Self::OPCODE_MASK;
        opcode::OpcodeE::from_bits(val as u8)    }


    /// opcode
    ///
    /// Operation.
    #[inline(always)]
    pub fn set_opcode(&mut self, val: opcode::OpcodeE) {
        let val = val.bits() as u32;
        self.0 = (self.0 & !(Self::OPCODE_MASK << Self::OPCODE_OFFSET)) | ((val & Self::OPCODE_MASK) << Self::OPCODE_OFFSET);
    }


    pub const MORE_OFFSET: usize = 6;
    pub const MORE_WIDTH: usize = 1;
    pub const MORE_MASK: u32 = 0x1;

    /// more
    ///
    /// The stream packet goes on in the next command: no TLAST at the end of this one.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn more(&self) -> bool {
        let val = (self.0 >> Self::MORE_OFFSET) & Self::MORE_MASK;
        val != 0
    }


    /// more
    ///
    /// The stream packet goes on in the next command: no TLAST at the end of this one.
    #[inline(always)]
    pub fn set_more(&mut self, val: bool) {
        let val = val as u32;
        self.0 = (self.0 & !(Self::MORE_MASK << Self::MORE_OFFSET)) | ((val & Self::MORE_MASK) << Self::MORE_OFFSET);
    }


    pub const LAST_OFFSET: usize = 7;
    pub const LAST_WIDTH: usize = 1;
    pub const LAST_MASK: u32 = 0x1;

    /// last
    ///
    /// End of the list: IRQ_STATUS.done is set when this command is done.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn last(&self) -> bool {
        let val = (self.0 >> Self::LAST_OFFSET) & Self::LAST_MASK;
        val != 0
    }


    /// last
    ///
    /// End of the list: IRQ_STATUS.done is set when this command is done.
    #[inline(always)]
    pub fn set_last(&mut self, val: bool) {
        let val = val as u32;
        self.0 = (self.0 & !(Self::LAST_MASK << Self::LAST_OFFSET)) | ((val & Self::LAST_MASK) << Self::LAST_OFFSET);
    }


    pub const DST_OFFSET: usize = 8;
    pub const DST_WIDTH: usize = 8;
    pub const DST_MASK: u32 = 0xFF;

    /// dst
    ///
    /// Destination.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn dst(&self) -> u8 {
        let val = (self.0 >> Self::DST_OFFSET) & Self::DST_MASK;
        val as u8
    }


    /// dst
    ///
    /// Destination.
    #[inline(always)]
    pub fn set_dst(&mut self, val: u8) {
        let val = val as u32;
        self.0 = (self.0 & !(Self::DST_MASK << Self::DST_OFFSET)) | ((val & Self::DST_MASK) << Self::DST_OFFSET);
    }


    pub const A_OFFSET: usize = 16;
    pub const A_WIDTH: usize = 8;
    pub const A_MASK: u32 = 0xFF;

    /// a
    ///
    /// First source.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn a(&self) -> u8 {
        let val = (self.0 >> Self::A_OFFSET) & Self::A_MASK;
        val as u8
    }


    /// a
    ///
    /// First source.
    #[inline(always)]
    pub fn set_a(&mut self, val: u8) {
        let val = val as u32;
        self.0 = (self.0 & !(Self::A_MASK << Self::A_OFFSET)) | ((val & Self::A_MASK) << Self::A_OFFSET);
    }


    pub const B_OFFSET: usize = 24;
    pub const B_WIDTH: usize = 8;
    pub const B_MASK: u32 = 0xFF;

    /// b
    ///
    /// Second source.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn b(&self) -> u8 {
        let val = (self.0 >> Self::B_OFFSET) & Self::B_MASK;
        val as u8
    }


    /// b
    ///
    /// Second source.
    #[inline(always)]
    pub fn set_b(&mut self, val: u8) {
        let val = val as u32;
        self.0 = (self.0 & !(Self::B_MASK << Self::B_OFFSET)) | ((val & Self::B_MASK) << Self::B_OFFSET);
    }


}

impl core::fmt::Debug for Command {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Command")
            .field("opcode", &self.opcode())
            .field("more", &self.more())
            .field("last", &self.last())
            .field("dst", &self.dst())
            .field("a", &self.a())
            .field("b", &self.b())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_default() {
        let reg = Command::default();
        assert_eq!(reg.opcode(), Ok(opcode::OpcodeE::Nop));
        assert_eq!(reg.more(), false);
        assert_eq!(reg.last(), false);
        assert_eq!(reg.dst(), 0);
        assert_eq!(reg.a(), 0);
        assert_eq!(reg.b(), 0);
    }
}
