//! The fabric's registers, as they were generated, over a platform.
use core::convert::Infallible;

use peakrdl_rust::reg::Register as _;
use pqsoc_registers::{Bus, FabricRegs, OverBus};

use crate::error::{Channel, State};
use crate::platform::{Platform, Window};

/// The platform's window of the fabric as a bus.
pub(crate) struct FabricBus<'a, P>(&'a mut P);

impl<P: Platform> Bus for FabricBus<'_, P> {
    type Error = Infallible;

    fn read(&mut self, offset: u16) -> Result<u32, Infallible> {
        Ok(self.0.read(Window::Fabric, offset))
    }

    fn write(&mut self, offset: u16, value: u32) -> Result<(), Infallible> {
        self.0.write(Window::Fabric, offset, value);
        Ok(())
    }
}

/// Calls `f` with the fabric's registers.
pub(crate) fn fabric<P: Platform, R>(
    platform: &mut P,
    f: impl FnOnce(FabricRegs<'_, OverBus<'_, FabricBus<'_, P>>>) -> R,
) -> R {
    let mut bus = FabricBus(platform);
    let bus = OverBus::new(&mut bus);
    f(bus.registers())
}

/// The registers that an error shows.
pub(crate) fn state<P: Platform>(platform: &mut P) -> State {
    State {
        status: fabric(platform, |registers| registers.status().read().to_raw()),
        sending: platform.read(Window::Dma, Channel::Sending.offset(crate::dma::STATUS)),
        receiving: platform.read(Window::Dma, Channel::Receiving.offset(crate::dma::STATUS)),
    }
}
