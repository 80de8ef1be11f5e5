//! Register: Commands done

#[allow(unused_imports)]
use super::_root; // alias to root module of generated code






/// Commands done
///
/// Commands of the current list that have ended; of the last list, when none runs.
#[repr(transparent)]
#[derive(Copy, Clone, Eq, PartialEq)]
pub struct CommandsDone(u32);

unsafe impl Send for CommandsDone {}
unsafe impl Sync for CommandsDone {}

impl core::default::Default for CommandsDone {
    fn default() -> Self {
        Self(0x0)
    }
}

impl peakrdl_rust::reg::Register for CommandsDone {
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

impl CommandsDone {
    pub const COUNT_OFFSET: usize = 0;
    pub const COUNT_WIDTH: usize = 16;
    pub const COUNT_MASK: u32 = 0xFFFF;

    /// count
    ///
    /// Count, modulo 2 to the 16.
    #[inline(always)]
    #[allow(clippy::missing_panics_doc)]
    #[must_use]
    pub fn count(&self) -> u16 {
        let val = (self.0 >> Self::COUNT_OFFSET) & Self::COUNT_MASK;
        val as u16
    }



}

impl core::fmt::Debug for CommandsDone {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("CommandsDone")
            .field("count", &self.count())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_default() {
        let reg = CommandsDone::default();
        assert_eq!(reg.count(), 0);
    }
}
