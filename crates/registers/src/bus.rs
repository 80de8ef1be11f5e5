//! Registers behind a bus that is not memory: a simulation, a debugger.
#![allow(unsafe_code)] // implements a trait of unsafe functions; the "pointers" are offsets and never dereferenced
use core::cell::RefCell;
use core::ptr::null_mut;

use peakrdl_rust::io::RawRegisterIO;
use peakrdl_rust::reg::RegInt;

use crate::FabricRegs;

/// Reads and writes registers by their offset in bytes.
pub trait Bus {
    /// What can go wrong on the bus.
    type Error;
    /// The register at `offset`.
    fn read(&mut self, offset: u16) -> Result<u32, Self::Error>;
    /// Writes the register at `offset`.
    fn write(&mut self, offset: u16, value: u32) -> Result<(), Self::Error>;
}

/// The fabric's registers over a [`Bus`].
pub struct OverBus<'a, B>(RefCell<&'a mut B>);

impl<'a, B: Bus> OverBus<'a, B> {
    /// Borrows the bus.
    pub fn new(bus: &'a mut B) -> Self {
        Self(RefCell::new(bus))
    }

    /// The registers. Use their functions whose names begin with `try_`.
    pub fn registers(&self) -> FabricRegs<'_, Self> {
        // SAFETY: addresses made from this base are offsets from 0; `RawRegisterIO` below does not dereference them.
        unsafe { FabricRegs::from_ptr_with(null_mut(), self) }
    }
}

impl<B: Bus> RawRegisterIO for OverBus<'_, B> {
    type Error = B::Error;

    unsafe fn try_read<T: RegInt>(&self, ptr: *const T) -> Result<T, Self::Error> {
        let value = self.0.borrow_mut().read(ptr.addr() as u16)?;
        Ok(T::from(value).unwrap_or_else(T::max_value))
    }

    unsafe fn try_write<T: RegInt>(&self, ptr: *mut T, value: T) -> Result<(), Self::Error> {
        self.0.borrow_mut().write(ptr.addr() as u16, value.to_u32().unwrap_or(u32::MAX))
    }
}
