//! Linux user space: registers by UIO, memory by u-dma-buf.
//!
//! **Not run on a kernel**: the tests have ordinary files in the place of the devices, which shows that the right words go
//! to the right places, and nothing more.
//!
//! The device tree has to give the fabric and the DMA to `generic-uio`, and reserve memory for u-dma-buf
//! (<https://github.com/ikwzm/udmabuf>). Caches are maintained by its `sync_for_device` and `sync_for_cpu`, so it is opened
//! without O_SYNC.
//!
//! This module has `unsafe` code, because it maps devices. It is sound as a mapping lasts as long as the program, is used as
//! registers by volatile accesses within its length, or handed out piece by piece, once.
#![allow(unsafe_code)]

use std::format;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::ptr::{self, NonNull};
use std::time::Instant;

use rustix::mm::{MapFlags, ProtFlags, mmap};

use crate::accelerator::Memory;
use crate::buffer::{Aligned, Line, Plain};
use crate::platform::{Platform, Window};

/// Bytes of the windows of registers.
const FABRIC_LEN: usize = 0x1000;
const DMA_LEN: usize = 0x1000;

/// What [`Arena`] gives out: types of which zero bytes are a value.
///
/// # Safety
/// Zero bytes are a value of the type.
pub unsafe trait Zero {}

// SAFETY: any bytes are.
unsafe impl<T: Plain> Zero for Aligned<T> {}
// SAFETY: as of each.
unsafe impl<T: Zero, const LEN: usize> Zero for [T; LEN] {}
// SAFETY: integers.
unsafe impl Zero for Memory {}

/// Where the devices are.
#[derive(Clone, Debug)]
pub struct Paths {
    /// The fabric's UIO device: `/dev/uio0`.
    pub fabric: PathBuf,
    /// The DMA's UIO device: `/dev/uio1`.
    pub dma: PathBuf,
    /// The u-dma-buf device: `/dev/udmabuf0`.
    pub memory: PathBuf,
    /// Its attributes: `/sys/class/u-dma-buf/udmabuf0`.
    pub attributes: PathBuf,
}

/// The platform.
#[derive(Debug)]
pub struct Linux {
    fabric: NonNull<u8>,
    dma: NonNull<u8>,
    memory: Mapping,
    bus: u32,
    for_device: File,
    for_cpu: File,
    begin: Instant,
}

#[derive(Clone, Copy, Debug)]
struct Mapping {
    base: NonNull<u8>,
    len: usize,
}

/// The memory that the DMA reaches, to be given out.
#[derive(Debug)]
pub struct Arena {
    memory: Mapping,
    used: usize,
}

fn map(path: &Path, len: usize) -> io::Result<NonNull<u8>> {
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    // SAFETY: a new mapping, of which nobody has a reference.
    let base = unsafe {
        mmap(ptr::null_mut(), len, ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED, &file, 0)?
    };
    NonNull::new(base.cast()).ok_or_else(|| io::ErrorKind::AddrNotAvailable.into())
}

/// A number in an attribute, decimal or hexadecimal.
fn number(path: &Path) -> io::Result<u64> {
    let text = fs::read_to_string(path)?;
    let text = text.trim();
    let number = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    number.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, format!("{}: {text}", path.display())))
}

impl Linux {
    /// Maps the devices, for the rest of the program.
    pub fn open(paths: &Paths) -> io::Result<(Self, Arena)> {
        let attribute = |name: &str| paths.attributes.join(name);
        let len = number(&attribute("size"))? as usize;
        let bus = number(&attribute("phys_addr"))?;
        let bus = u32::try_from(bus).map_err(|_| io::Error::from(io::ErrorKind::Unsupported))?;
        let sync = |name: &str| OpenOptions::new().write(true).open(attribute(name));
        let memory = Mapping { base: map(&paths.memory, len)?, len };
        let platform = Self {
            fabric: map(&paths.fabric, FABRIC_LEN)?,
            dma: map(&paths.dma, DMA_LEN)?,
            memory,
            bus,
            for_device: sync("sync_for_device")?,
            for_cpu: sync("sync_for_cpu")?,
            begin: Instant::now(),
        };
        Ok((platform, Arena { memory, used: 0 }))
    }

    fn register(&self, window: Window, offset: u16) -> *mut u32 {
        let (base, len) = match window {
            Window::Fabric => (self.fabric, FABRIC_LEN),
            Window::Dma => (self.dma, DMA_LEN),
        };
        let offset = usize::from(offset) & !3;
        assert!(offset < len, "a register of the window");
        // SAFETY: within the mapping.
        unsafe { base.as_ptr().add(offset).cast() }
    }

    /// Bytes from the beginning of the memory to these lines.
    fn offset(&self, lines: &[Line]) -> Option<u32> {
        let offset = lines.as_ptr().addr().checked_sub(self.memory.base.as_ptr().addr())?;
        (offset + size_of_val(lines) <= self.memory.len).then_some(offset as u32)
    }

    /// What u-dma-buf's `sync_for_*` take: offset, size, direction, and 1.
    fn sync(&self, lines: &[Line], direction: u32) -> Option<[u8; 18]> {
        let low = size_of_val(lines) as u32 | direction << 2 | 1;
        let mut text = [0; 18];
        write!(&mut text[..], "0x{:08X}{low:08X}", self.offset(lines)?).ok()?;
        Some(text)
    }
}

impl Arena {
    /// The next `T`, zero, at the beginning of a line. `None` if there is no more room.
    pub fn place<T: Zero>(&mut self) -> Option<&'static mut T> {
        const { assert!(align_of::<T>() <= 64) }
        let begin = self.used.next_multiple_of(64);
        let end = begin.checked_add(size_of::<T>())?.next_multiple_of(64);
        if end > self.memory.len {
            return None;
        }
        self.used = end;
        // SAFETY: within the mapping, which is aligned to a page and never unmapped; given out once; zero bytes are a value.
        unsafe {
            let place = self.memory.base.as_ptr().add(begin);
            place.write_bytes(0, size_of::<T>());
            Some(&mut *place.cast())
        }
    }
}

const TO_DEVICE: u32 = 1;
const FROM_DEVICE: u32 = 2;

impl Platform for Linux {
    fn read(&mut self, window: Window, offset: u16) -> u32 {
        // SAFETY: a register.
        unsafe { self.register(window, offset).read_volatile() }
    }

    fn write(&mut self, window: Window, offset: u16, value: u32) {
        // SAFETY: a register.
        unsafe { self.register(window, offset).write_volatile(value) }
    }

    fn clean(&mut self, lines: &[Line]) {
        let text = self.sync(lines, TO_DEVICE).expect("memory of the arena");
        self.for_device.write_all(&text).expect("u-dma-buf cleans its memory");
    }

    fn invalidate(&mut self, lines: &mut [Line]) {
        let text = self.sync(lines, FROM_DEVICE).expect("memory of the arena");
        self.for_cpu.write_all(&text).expect("u-dma-buf invalidates its memory");
    }

    fn bus_address(&self, lines: &[Line]) -> Option<u32> {
        self.bus.checked_add(self.offset(lines)?)
    }

    fn now(&mut self) -> u64 {
        self.begin.elapsed().as_micros() as u64
    }

    fn ticks_per_microsecond(&self) -> u32 {
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::Buffer;

    /// A folder with ordinary files in the place of the devices.
    fn stand_in(name: &str) -> Paths {
        let folder = std::env::temp_dir().join(format!("pqsoc-driver-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = |name: &str, content: &[u8]| {
            let path = folder.join(name);
            fs::write(&path, content).unwrap();
            path
        };
        file("size", b"65536\n");
        file("phys_addr", b"0x1e000000\n");
        file("sync_for_device", b"");
        file("sync_for_cpu", b"");
        Paths {
            fabric: file("fabric", &[0; FABRIC_LEN]),
            dma: file("dma", &[0; DMA_LEN]),
            memory: file("memory", &[0xaa; 65536]),
            attributes: folder.clone(),
        }
    }

    #[test]
    fn words_go_where_they_should() {
        let paths = stand_in("words");
        let (mut platform, mut arena) = Linux::open(&paths).unwrap();
        platform.write(Window::Fabric, 0x20, 0x0102_0304);
        platform.write(Window::Dma, 0x58, 0x0506_0708);
        assert_eq!(platform.read(Window::Fabric, 0x20), 0x0102_0304);
        assert_eq!(fs::read(&paths.fabric).unwrap()[0x20..0x24], [4, 3, 2, 1]);
        assert_eq!(fs::read(&paths.dma).unwrap()[0x58..0x5c], [8, 7, 6, 5]);

        let _first: &mut Aligned<[u8; 32]> = arena.place().unwrap();
        let mut second = Buffer::<[u8; 1024]>::new(arena.place().unwrap());
        second[1023] = 7;
        second.before_reading(&mut platform, 1024);
        assert_eq!(second.bus_address(&platform), Some(0x1e00_0040));
        assert_eq!(fs::read(&paths.memory).unwrap()[64 + 1023], 7);
        assert_eq!(fs::read(paths.attributes.join("sync_for_device")).unwrap(), b"0x0000004000000405");
        second.after_filling(&mut platform, 1024);
        assert_eq!(fs::read(paths.attributes.join("sync_for_cpu")).unwrap(), b"0x0000004000000409");
        assert!(arena.place::<Aligned<[u8; 65536]>>().is_none());

        // Memory that is not u-dma-buf's is out of reach.
        let elsewhere =
            Buffer::<[u8; 32]>::new(std::boxed::Box::leak(std::boxed::Box::new(Aligned([0; 32]))));
        assert_eq!(elsewhere.bus_address(&platform), None);
        fs::remove_dir_all(&paths.attributes).unwrap();
    }
}
