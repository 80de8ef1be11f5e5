//! Addrmap: pqsoc fabric

#[allow(unused_imports)]
use super::_root; // alias to root module of generated code

// Anonymous component instances
pub mod identity;
pub mod version;
pub mod capabilities;
pub mod control;
pub mod status;
pub mod error;
pub mod timeout;
pub mod options;
pub mod command;
pub mod irq_enable;
pub mod irq_status;
pub mod commands_done;
pub mod command_cycles;
pub mod busy_cycles;
pub mod stall_in_cycles;
pub mod stall_out_cycles;

/// Named types defined within this component's body
pub mod named_types {
    #[allow(unused_imports)]
    use super::_root; // alias to root module of generated code
    pub mod cause_e;
    pub mod opcode_e;
}



/// pqsoc fabric
///
/// Control and status of the fabric, behind AXI4-Lite. Whole 32-bit words only: a write without all of its strobes changes nothing and is answered SLVERR.
#[derive(Eq, PartialEq)]
pub struct FabricRegs<'io, IO = peakrdl_rust::io::PtrIO> {
    ptr: *mut u8,
    io: &'io IO,
}

unsafe impl<IO: Sync> Send for FabricRegs<'_, IO> {}
unsafe impl<IO: Sync> Sync for FabricRegs<'_, IO> {}

// manually implement Copy to ease generic bounds
// (IO does not need to be Copy)
impl<IO> Copy for FabricRegs<'_, IO> {}

// manually implement Clone to ease generic bounds
// (IO does not need to be Clone)
impl<IO> Clone for FabricRegs<'_, IO> {
    fn clone(&self) -> Self {
        *self
    }
}

impl FabricRegs<'static> {
    /// # Safety
    ///
    /// The caller must guarantee that the provided address points to a
    /// hardware register block implementing this interface.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn from_ptr(ptr: *mut ()) -> Self {
        Self { ptr: ptr.cast::<u8>(), io: &peakrdl_rust::io::PtrIO }
    }
}

impl<'io, IO> FabricRegs<'io, IO> {
    /// Size in bytes of the underlying memory
    pub const SIZE: usize = 0x40;

    /// # Safety
    ///
    /// The caller must guarantee that the provided address points to a
    /// hardware register block implementing this interface.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn from_ptr_with(ptr: *mut (), io: &'io IO) -> Self {
        Self { ptr: ptr.cast::<u8>(), io }
    }

    #[inline(always)]
    #[must_use]
    pub const fn as_ptr(&self) -> *mut () {
        self.ptr.cast::<()>()
    }
}

impl<'io, IO: peakrdl_rust::io::RegisterIO> FabricRegs<'io, IO> {
    /// Identity
    #[inline(always)]
    #[must_use]
    pub const fn identity(&self) -> peakrdl_rust::reg::Reg<'io, identity::Identity, IO> {
        unsafe { peakrdl_rust::reg::Reg::from_ptr_with(self.ptr.wrapping_byte_add(0x0).cast(), self.io) }
    }

    /// Version
    ///
    /// Semantic version of this interface: software written for a major version works with every later minor one.
    #[inline(always)]
    #[must_use]
    pub const fn version(&self) -> peakrdl_rust::reg::Reg<'io, version::Version, IO> {
        unsafe { peakrdl_rust::reg::Reg::from_ptr_with(self.ptr.wrapping_byte_add(0x4).cast(), self.io) }
    }

    /// Capabilities
    ///
    /// The parameters the fabric was built with.
    #[inline(always)]
    #[must_use]
    pub const fn capabilities(&self) -> peakrdl_rust::reg::Reg<'io, capabilities::Capabilities, IO> {
        unsafe { peakrdl_rust::reg::Reg::from_ptr_with(self.ptr.wrapping_byte_add(0x8).cast(), self.io) }
    }

    /// Control
    #[inline(always)]
    #[must_use]
    pub const fn control(&self) -> peakrdl_rust::reg::Reg<'io, control::Control, IO> {
        unsafe { peakrdl_rust::reg::Reg::from_ptr_with(self.ptr.wrapping_byte_add(0xC).cast(), self.io) }
    }

    /// Status
    #[inline(always)]
    #[must_use]
    pub const fn status(&self) -> peakrdl_rust::reg::Reg<'io, status::Status, IO> {
        unsafe { peakrdl_rust::reg::Reg::from_ptr_with(self.ptr.wrapping_byte_add(0x10).cast(), self.io) }
    }

    /// Error
    ///
    /// What halted the fabric, until CONTROL.recover or reset.
    #[inline(always)]
    #[must_use]
    pub const fn error(&self) -> peakrdl_rust::reg::Reg<'io, error::Error, IO> {
        unsafe { peakrdl_rust::reg::Reg::from_ptr_with(self.ptr.wrapping_byte_add(0x14).cast(), self.io) }
    }

    /// Time-out
    #[inline(always)]
    #[must_use]
    pub const fn timeout(&self) -> peakrdl_rust::reg::Reg<'io, timeout::Timeout, IO> {
        unsafe { peakrdl_rust::reg::Reg::from_ptr_with(self.ptr.wrapping_byte_add(0x18).cast(), self.io) }
    }

    /// Options
    ///
    /// Second word of the next command. Keeps its value.
    #[inline(always)]
    #[must_use]
    pub const fn options(&self) -> peakrdl_rust::reg::Reg<'io, options::Options, IO> {
        unsafe { peakrdl_rust::reg::Reg::from_ptr_with(self.ptr.wrapping_byte_add(0x1C).cast(), self.io) }
    }

    /// Command
    ///
    /// First word of a command. Writing it queues the command together with OPTIONS.
    #[inline(always)]
    #[must_use]
    pub const fn command(&self) -> peakrdl_rust::reg::Reg<'io, command::Command, IO> {
        unsafe { peakrdl_rust::reg::Reg::from_ptr_with(self.ptr.wrapping_byte_add(0x20).cast(), self.io) }
    }

    /// Interrupt enable
    #[inline(always)]
    #[must_use]
    pub const fn irq_enable(&self) -> peakrdl_rust::reg::Reg<'io, irq_enable::IrqEnable, IO> {
        unsafe { peakrdl_rust::reg::Reg::from_ptr_with(self.ptr.wrapping_byte_add(0x24).cast(), self.io) }
    }

    /// Interrupt status
    ///
    /// Write 1 to clear. The interrupt line is high while an enabled bit is set.
    #[inline(always)]
    #[must_use]
    pub const fn irq_status(&self) -> peakrdl_rust::reg::Reg<'io, irq_status::IrqStatus, IO> {
        unsafe { peakrdl_rust::reg::Reg::from_ptr_with(self.ptr.wrapping_byte_add(0x28).cast(), self.io) }
    }

    /// Commands done
    ///
    /// Commands of the current list that have ended; of the last list, when none runs.
    #[inline(always)]
    #[must_use]
    pub const fn commands_done(&self) -> peakrdl_rust::reg::Reg<'io, commands_done::CommandsDone, IO> {
        unsafe { peakrdl_rust::reg::Reg::from_ptr_with(self.ptr.wrapping_byte_add(0x2C).cast(), self.io) }
    }

    /// Command cycles
    ///
    /// Cycles of the last command, from the one that takes it from the FIFO to the one that completes it.
    #[inline(always)]
    #[must_use]
    pub const fn command_cycles(&self) -> peakrdl_rust::reg::Reg<'io, command_cycles::CommandCycles, IO> {
        unsafe { peakrdl_rust::reg::Reg::from_ptr_with(self.ptr.wrapping_byte_add(0x30).cast(), self.io) }
    }

    /// Busy cycles
    #[inline(always)]
    #[must_use]
    pub const fn busy_cycles(&self) -> peakrdl_rust::reg::Reg<'io, busy_cycles::BusyCycles, IO> {
        unsafe { peakrdl_rust::reg::Reg::from_ptr_with(self.ptr.wrapping_byte_add(0x34).cast(), self.io) }
    }

    /// Input stall cycles
    #[inline(always)]
    #[must_use]
    pub const fn stall_in_cycles(&self) -> peakrdl_rust::reg::Reg<'io, stall_in_cycles::StallInCycles, IO> {
        unsafe { peakrdl_rust::reg::Reg::from_ptr_with(self.ptr.wrapping_byte_add(0x38).cast(), self.io) }
    }

    /// Output stall cycles
    #[inline(always)]
    #[must_use]
    pub const fn stall_out_cycles(&self) -> peakrdl_rust::reg::Reg<'io, stall_out_cycles::StallOutCycles, IO> {
        unsafe { peakrdl_rust::reg::Reg::from_ptr_with(self.ptr.wrapping_byte_add(0x3C).cast(), self.io) }
    }



}