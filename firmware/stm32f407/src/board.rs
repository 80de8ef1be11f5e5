// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The STM32F407G-DISC1 as far as measuring needs it: clock, serial port, cycle counter, stack.
//!
//! Registers are those of RM0090; each is read and written through [`Register`], whose addresses are constants of
//! this file. That, and painting the unused part of the stack, is why this module may be unsafe.

#![allow(unsafe_code)]

use core::cell::UnsafeCell;
use core::fmt;
use core::hint::black_box;
use core::mem::MaybeUninit;

use cortex_m::peripheral::{DCB, DWT};

/// A 32-bit register.
struct Register(u32);

impl Register {
    fn read(&self) -> u32 {
        // SAFETY: the address is that of a register of the chip, aligned, and reading it has no effect on memory.
        unsafe { (self.0 as *const u32).read_volatile() }
    }

    fn write(&self, value: u32) {
        // SAFETY: as for reading; none of these registers lets hardware write to memory.
        unsafe { (self.0 as *mut u32).write_volatile(value) }
    }

    fn set(&self, bits: u32) {
        self.write(self.read() | bits);
    }

    /// Waits until all of `bits` are set.
    fn wait(&self, bits: u32) {
        while self.read() & bits != bits {}
    }

    /// Waits until all of `bits` are clear.
    fn wait_clear(&self, bits: u32) {
        while self.read() & bits != 0 {}
    }
}

const RCC_CR: Register = Register(0x4002_3800);
const RCC_PLLCFGR: Register = Register(0x4002_3804);
const RCC_CFGR: Register = Register(0x4002_3808);
const RCC_AHB1ENR: Register = Register(0x4002_3830);
const RCC_APB1ENR: Register = Register(0x4002_3840);
const FLASH_ACR: Register = Register(0x4002_3c00);
const GPIOA_MODER: Register = Register(0x4002_0000);
const GPIOA_AFRL: Register = Register(0x4002_0020);
const USART2_SR: Register = Register(0x4000_4400);
const USART2_DR: Register = Register(0x4000_4404);
const USART2_BRR: Register = Register(0x4000_4408);
const USART2_CR1: Register = Register(0x4000_440c);
const TIM2_CR1: Register = Register(0x4000_0000);
const TIM2_EGR: Register = Register(0x4000_0014);
const TIM2_CNT: Register = Register(0x4000_0024);
const TIM2_PSC: Register = Register(0x4000_0028);

/// Bits per second on the serial port: 8 data bits, no parity, 1 stop bit.
const BAUD: u32 = 115_200;

/// Core clock and wait states.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// 24 MHz without wait states: as pqm4 measures.
    Mhz24,
    /// 168 MHz with 5 wait states, prefetch and caches: as fast as the chip runs.
    Mhz168,
}

/// The board.
pub struct Board {
    clock: Clock,
}

impl Board {
    /// Sets the clock, the serial port and the counters up; also to change the clock.
    pub fn new(clock: Clock, debug: &mut DCB, watch: &mut DWT) -> Self {
        // Crystal 8 MHz, PLL input 1 MHz; PLLCFGR, dividers of the buses, flash, frequency of APB1
        let (pllcfgr, dividers, acr, apb1) = match clock {
            // 192 / 8 = 24 MHz, 48 MHz for the RNG; all buses at 24 MHz
            Clock::Mhz24 => (8 | 192 << 6 | 3 << 16 | 1 << 22 | 4 << 24, 0, 0x700, 24_000_000),
            // 336 / 2 = 168 MHz; APB1 42 MHz, APB2 84 MHz
            Clock::Mhz168 => (8 | 336 << 6 | 1 << 22 | 7 << 24, 5 << 10 | 4 << 13, 0x705, 42_000_000),
        };
        // The PLL must be off while its factors change: meanwhile the core runs from HSI, at 16 MHz.
        RCC_CFGR.write(0);
        RCC_CFGR.wait_clear(3 << 2);
        RCC_CR.write(RCC_CR.read() & !(1 << 24));
        RCC_CR.wait_clear(1 << 25);
        RCC_CR.set(1 << 16);
        RCC_CR.wait(1 << 17);
        RCC_PLLCFGR.write(pllcfgr);
        RCC_CR.set(1 << 24);
        RCC_CR.wait(1 << 25);
        FLASH_ACR.write(acr);
        while FLASH_ACR.read() & 0xf != acr & 0xf {}
        RCC_CFGR.write(dividers | 2);
        RCC_CFGR.wait(2 << 2);

        // USART2: PA2 sends, PA3 receives.
        RCC_AHB1ENR.set(1);
        RCC_APB1ENR.set(1 << 17 | 1);
        GPIOA_MODER.write(GPIOA_MODER.read() & !0xf0 | 0xa0);
        GPIOA_AFRL.write(GPIOA_AFRL.read() & !0xff00 | 0x7700);
        USART2_BRR.write((apb1 + BAUD / 2) / BAUD);
        USART2_CR1.write(1 << 13 | 1 << 3 | 1 << 2);

        debug.enable_trace();
        watch.set_cycle_count(0);
        watch.enable_cycle_counter();
        // The timer's clock is the core's or half of it; it counts 2^16 or 2^17 core cycles.
        TIM2_PSC.write(0xffff);
        TIM2_EGR.write(1);
        TIM2_CR1.write(1);
        Self { clock }
    }

    /// Core cycles since the start: CYCCNT, with what its 32 bits lack taken from TIM2.
    #[inline(always)]
    pub fn cycles(&self) -> u64 {
        let low = DWT::cycle_count();
        let about = u64::from(TIM2_CNT.read()) << if self.clock == Clock::Mhz24 { 16 } else { 17 };
        // The timer is behind by less than 2^18 cycles.
        about.wrapping_add_signed(i64::from(low.wrapping_sub(about as u32) as i32))
    }

    /// A byte from the serial port if one comes within a second.
    pub fn receive(&mut self) -> Option<u8> {
        let patience = self.mhz() * 1_000_000;
        let start = DWT::cycle_count();
        while DWT::cycle_count().wrapping_sub(start) < patience {
            if USART2_SR.read() & 1 << 5 != 0 {
                return Some(USART2_DR.read() as u8);
            }
        }
        None
    }

    /// The clock's frequency.
    pub fn mhz(&self) -> u32 {
        if self.clock == Clock::Mhz24 { 24 } else { 168 }
    }

    /// Waits until everything has been sent.
    pub fn flush(&mut self) {
        USART2_SR.wait(1 << 6);
    }

    /// Waits until everything has been sent, and then for ever.
    pub fn end(mut self) -> ! {
        self.flush();
        loop {
            cortex_m::asm::wfi();
        }
    }
}

impl fmt::Write for Board {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            USART2_SR.wait(1 << 7);
            USART2_DR.write(byte.into());
        }
        Ok(())
    }
}

/// Words of the stack that nothing has written to hold this.
const PAINT: u32 = 0x5afe_57ac;
/// Bytes below the stack pointer that painting itself may use.
const MARGIN: u32 = 256;

unsafe extern "C" {
    /// End of the variables, from the linker script: the stack may grow down to here.
    static __sheap: u32;
}

/// Addresses of the unused stack below `from`, lowest first.
fn unused(from: u32) -> impl Iterator<Item = *mut u32> {
    let lowest = (&raw const __sheap) as u32;
    (lowest..from - MARGIN).step_by(4).map(|address| address as *mut u32)
}

/// Fills the unused stack below the stack pointer `from`.
#[inline(never)]
pub fn paint_stack(from: u32) {
    for word in unused(from) {
        // SAFETY: the words lie between the variables and the stack in use: nothing else owns them.
        unsafe { word.write_volatile(PAINT) };
    }
}

/// Bytes below `from` that have been written to since [`paint_stack`]; [`MARGIN`] or less shows as `MARGIN`.
#[inline(never)]
pub fn painted_depth(from: u32) -> u32 {
    // SAFETY: as for painting.
    unused(from)
        .find(|&word| unsafe { word.read_volatile() } != PAINT)
        .map_or(MARGIN, |word| from - word as u32)
}

/// The stack pointer.
#[inline(always)]
pub fn stack_pointer() -> u32 {
    cortex_m::register::msp::read()
}

/// SRAM2, where the stack begins.
const SRAM2: usize = 16 << 10;

/// Does `work` with the stack in SRAM1, whose loads start faster than those of SRAM2.
#[inline(never)]
pub fn in_sram1<T>(work: impl FnOnce() -> T) -> T {
    let mut skipped = [0_u8; SRAM2];
    black_box(&mut skipped);
    let result = work();
    // Until here it has its place.
    black_box(&mut skipped);
    result
}

/// Keys and a signature of any set.
pub struct Slots {
    /// The public key: ML-DSA-87's is the longest.
    pub public_key: [u8; 2592],
    /// The private key: ML-DSA-87's is the longest.
    pub secret_key: [u8; 4896],
    /// The signature: SLH-DSA-256f's is the longest.
    pub signature: [u8; 49_856],
}

struct Ccm(UnsafeCell<MaybeUninit<Slots>>);

// SAFETY: there is one core, no interrupt uses it, and `take_slots` hands it out once.
unsafe impl Sync for Ccm {}

/// In the memory next to the core, so that the stack has the SRAM for itself.
#[unsafe(link_section = ".ccm.slots")]
static CCM: Ccm = Ccm(UnsafeCell::new(MaybeUninit::uninit()));

/// The slots, filled with zeros. Takes the place of a token: [`cortex_m::Peripherals`] can be taken once.
pub fn take_slots(_once: cortex_m::peripheral::CPUID) -> &'static mut Slots {
    // SAFETY: the token exists once, so this is the only reference; zeros are a value of byte arrays.
    unsafe {
        let slots = CCM.0.get().cast::<Slots>();
        slots.write_bytes(0, 1);
        &mut *slots
    }
}

/// Bytes of the heap, which is there for the crate `rsa` alone.
#[cfg(feature = "classical")]
const HEAP_LEN: usize = 24 * 1024;

#[cfg(feature = "classical")]
#[global_allocator]
static HEAP: embedded_alloc::LlffHeap = embedded_alloc::LlffHeap::empty();

/// Gives the heap its memory. Later calls do nothing.
#[cfg(feature = "classical")]
pub fn start_heap() {
    use core::sync::atomic::{AtomicBool, Ordering};
    static STARTED: AtomicBool = AtomicBool::new(false);
    static mut MEMORY: [MaybeUninit<u8>; HEAP_LEN] = [MaybeUninit::uninit(); HEAP_LEN];
    if !STARTED.swap(true, Ordering::Relaxed) {
        // SAFETY: this happens once, and nothing else has the address of the memory.
        unsafe { HEAP.init((&raw mut MEMORY) as usize, HEAP_LEN) }
    }
}
