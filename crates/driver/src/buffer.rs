//! Memory that the processor and the DMA take turns in.
//!
//! A [`Buffer`] owns whole cache lines and is read and written like the value in it. To be moved by the DMA it is moved
//! into a [`Cargo`](crate::Cargo), and comes back when the DMA has let go of it: in between there is nothing to read it by.
//!
//! This module has `unsafe` code, because memory that a device writes to cannot be an ordinary reference meanwhile: a
//! buffer is a pointer, and becomes a reference while it is at hand. That is sound as it was made of a `&'static mut`,
//! is not cloned, and a DMA that has not let go keeps it.
#![allow(unsafe_code)]

use core::any::TypeId;
use core::fmt;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;
use core::slice;

use pqsoc_mldsa::PortablePoly;

use crate::platform::Platform;

/// Bytes of a cache line of a Cortex-A9, of its level 1 and of the PL310.
pub const LINE: usize = 32;

/// A cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Line(pub [u8; LINE]);

/// A polynomial as the portable engine has it.
pub type Software = PortablePoly;
const _: () = assert!(size_of::<Software>() == 1024);

/// What a device may fill: types of which any bytes are a value.
///
/// # Safety
/// Any bytes are a value of the type, and it has no padding.
pub unsafe trait Plain {}

// SAFETY: integers.
unsafe impl<const LEN: usize> Plain for [u8; LEN] {}
// SAFETY: integers.
unsafe impl<const LEN: usize> Plain for [u32; LEN] {}
// SAFETY: nothing but 256 words: it has their size.
unsafe impl Plain for Software {}

/// Room for a `T` that shares no cache line with anything. Put it into a static; it becomes a [`Buffer`].
#[derive(Debug)]
#[repr(C, align(64))] // scatter-gather descriptors ask for 64
pub struct Aligned<T>(pub T);

/// A `T` that the DMA can fill or read: whole cache lines that belong to it alone.
pub struct Buffer<T: 'static> {
    memory: NonNull<Aligned<T>>,
    /// So many of its first bytes have not been written since the caches were cleaned or invalidated of them.
    clean: usize,
}

/// Without what is in it, which may be secret.
impl<T> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer").field("memory", &self.memory).field("clean", &self.clean).finish()
    }
}

// SAFETY: it owns what it points to.
unsafe impl<T: Send> Send for Buffer<T> {}

impl<T: Plain> Buffer<T> {
    /// Takes the memory for good.
    pub fn new(memory: &'static mut Aligned<T>) -> Self {
        const { assert!(size_of::<T>().is_multiple_of(LINE), "whole cache lines") }
        Self { memory: NonNull::from(memory), clean: 0 }
    }

    /// Its length in bytes, a multiple of [`LINE`].
    pub const LEN: usize = size_of::<T>();

    /// All of it as bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `LEN` bytes that are initialized and this buffer's own.
        unsafe { slice::from_raw_parts(self.memory.as_ptr().cast(), Self::LEN) }
    }

    /// All of it as bytes, to write to.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.clean = 0;
        // SAFETY: as above, and any bytes are a value.
        unsafe { slice::from_raw_parts_mut(self.memory.as_ptr().cast(), Self::LEN) }
    }

    /// The lines of the first `bytes` bytes.
    fn lines(&self, bytes: usize) -> &[Line] {
        let count = bytes.min(Self::LEN).div_ceil(LINE);
        // SAFETY: aligned to more than a line, and not more lines than there are.
        unsafe { slice::from_raw_parts(self.memory.as_ptr().cast(), count) }
    }

    /// The same, to write to.
    fn lines_mut(&mut self, bytes: usize) -> &mut [Line] {
        let count = bytes.min(Self::LEN).div_ceil(LINE);
        // SAFETY: as above.
        unsafe { slice::from_raw_parts_mut(self.memory.as_ptr().cast(), count) }
    }

    /// Where the DMA finds it.
    pub(crate) fn bus_address<P: Platform>(&self, platform: &P) -> Option<u32> {
        platform.bus_address(self.lines(Self::LEN))
    }

    /// Before the DMA reads the first `bytes` bytes: what was written to them goes to memory.
    pub(crate) fn before_reading<P: Platform>(&mut self, platform: &mut P, bytes: usize) {
        if self.clean < bytes {
            platform.clean(self.lines(bytes));
            self.clean = bytes;
        }
    }

    /// Before the DMA fills it: no line is left that an eviction could write over what the DMA wrote.
    pub(crate) fn before_filling<P: Platform>(&mut self, platform: &mut P) {
        if self.clean < Self::LEN {
            platform.invalidate(self.lines_mut(Self::LEN));
            self.clean = Self::LEN;
        }
    }

    /// After the DMA filled the first `bytes` bytes: their lines that were fetched ahead meanwhile are dropped.
    pub(crate) fn after_filling<P: Platform>(&mut self, platform: &mut P, bytes: usize) {
        platform.invalidate(self.lines_mut(bytes));
        self.clean = self.clean.max(bytes);
    }
}

impl<T: Plain> Deref for Buffer<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: its own memory, at hand, and a value whatever the DMA wrote.
        unsafe { &self.memory.as_ref().0 }
    }
}

impl<T: Plain> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.clean = 0;
        // SAFETY: as above.
        unsafe { &mut self.memory.as_mut().0 }
    }
}

impl<T: Plain> Buffer<T> {
    /// Gives the memory up to `quarantine`.
    pub(crate) fn abandon(self, quarantine: &mut Quarantine) {
        if let Some(place) = quarantine.0.iter_mut().find(|place| place.is_none()) {
            *place = Some((TypeId::of::<T>(), self.memory.cast()));
        }
    }
}

/// Buffers that a DMA has which did not stop: nobody may touch them before it has.
#[derive(Debug)]
pub struct Quarantine([Option<(TypeId, NonNull<()>)>; 4]);

// SAFETY: it owns what it points to, which was `Send` when it came.
unsafe impl Send for Quarantine {}

impl Quarantine {
    /// No buffer.
    pub const EMPTY: Self = Self([None; 4]);

    /// A buffer of that kind. Only to be called when the DMA has stopped.
    pub fn reclaim<T: Plain>(&mut self) -> Option<Buffer<T>> {
        let same = |place: &&mut Option<(TypeId, _)>| {
            place.as_ref().is_some_and(|(kind, _)| *kind == TypeId::of::<T>())
        };
        let (_, memory) = self.0.iter_mut().find(same)?.take()?;
        // What came from a buffer of `T` becomes one again.
        Some(Buffer { memory: memory.cast(), clean: 0 })
    }
}

/// Buffers of one kind, to be taken and given back.
pub struct Pool<T: 'static, const COUNT: usize> {
    free: [Option<Buffer<T>>; COUNT],
    count: usize,
}

impl<T: Plain, const COUNT: usize> Pool<T, COUNT> {
    /// All of `memory`.
    pub fn new(memory: &'static mut [Aligned<T>; COUNT]) -> Self {
        Self { free: memory.each_mut().map(|memory| Some(Buffer::new(memory))), count: COUNT }
    }

    /// Buffers left.
    pub fn count(&self) -> usize {
        self.count
    }

    /// A buffer, with whatever was in it.
    pub(crate) fn take(&mut self) -> Option<Buffer<T>> {
        let last = self.count.checked_sub(1)?;
        self.count = last;
        self.free.get_mut(last)?.take()
    }

    /// Gives a buffer back.
    pub(crate) fn give(&mut self, buffer: Buffer<T>) {
        if let Some(place) = self.free.get_mut(self.count) {
            *place = Some(buffer);
            self.count += 1;
        }
    }
}
