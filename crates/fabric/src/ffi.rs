//! The C interface of the verilated models: the one module with `unsafe` code.
//!
//! `build.rs` writes one set of functions and one table of ports and signals a model. A [`Handle`] owns one instance; the
//! storage of its ports and signals lives as long as it does, has the size in the table (both come from the header Verilator wrote), is plain
//! integers, and is touched by nobody but the instance's own `eval`, which runs under `&mut`.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::ptr::NonNull;

/// A port of a model, or a signal within it.
#[derive(Debug)]
pub struct PortInfo {
    /// Its name in SystemVerilog; of a signal, its path from the top module on.
    pub name: &'static str,
    /// Its width; of a memory, that of a word.
    pub bits: u32,
    /// Bytes of its storage: 1, 2, 4, 8 or a multiple of 4; of a memory, of all its words.
    pub bytes: u32,
}

/// A model that can be instantiated.
#[derive(Debug)]
pub struct Info {
    /// Name of the model.
    pub name: &'static str,
    /// Its ports.
    pub ports: &'static [PortInfo],
    /// Registers, memories and some wires of the modules within.
    pub signals: &'static [PortInfo],
    entry: Option<Entry>,
}

#[derive(Debug)]
struct Entry {
    new: unsafe extern "C" fn() -> *mut c_void,
    delete: unsafe extern "C" fn(*mut c_void),
    eval: unsafe extern "C" fn(*mut c_void),
    port: unsafe extern "C" fn(*mut c_void, c_uint) -> *mut u8,
    signal: unsafe extern "C" fn(*mut c_void, c_uint) -> *mut u8,
    wave: unsafe extern "C" fn(*mut c_void, *const c_char) -> c_int,
}

impl Info {
    /// A model that was not built, because Verilator was missing.
    #[allow(dead_code)] // used in the table that build.rs writes, when it was
    const fn missing(name: &'static str) -> Self {
        Self { name, ports: &[], signals: &[], entry: None }
    }
}

/// An instance of a model.
pub struct Handle {
    instance: NonNull<c_void>,
    entry: &'static Entry,
    ports: Vec<(NonNull<u8>, u32)>,
    signals: Vec<(NonNull<u8>, u32)>,
}

// SAFETY: a model is ordinary C++ data without threads of its own; the thread-local pointer that its constructor and
// destructor follow is set by them first. Instances share nothing that is written to.
unsafe impl Send for Handle {}

impl Handle {
    /// A new instance, or `None` if the model was not built.
    pub fn new(info: &'static Info) -> Option<Self> {
        let entry = info.entry.as_ref()?;
        // SAFETY: the constructor takes nothing and gives an instance or throws, which aborts.
        let instance = NonNull::new(unsafe { (entry.new)() })?;
        let handle = |infos: &'static [PortInfo],
                      get: unsafe extern "C" fn(*mut c_void, c_uint) -> *mut u8| {
            let storage = infos.iter().enumerate().map(|(i, port)| {
                // SAFETY: `instance` is live and `i` is the number of one of its ports or signals.
                let storage = unsafe { get(instance.as_ptr(), i as c_uint) };
                (NonNull::new(storage).expect("build.rs numbers what it declares"), port.bytes)
            });
            storage.collect()
        };
        let (ports, signals) = (handle(info.ports, entry.port), handle(info.signals, entry.signal));
        Some(Self { instance, entry, ports, signals })
    }

    /// Lets the outputs and the state follow the inputs.
    pub fn eval(&mut self) {
        // SAFETY: the instance is live and borrowed exclusively.
        unsafe { (self.entry.eval)(self.instance.as_ptr()) }
    }

    /// Copies the storage of a port, in the byte order of this machine.
    pub fn read(&self, port: usize, out: &mut [u8]) {
        let (storage, bytes) = self.ports[port];
        assert_eq!(out.len(), bytes as usize, "size of port {port}");
        // SAFETY: the storage has `bytes` bytes, which is the length of `out`, and does not overlap it.
        unsafe { storage.copy_to_nonoverlapping(NonNull::from(&mut *out).cast(), out.len()) }
    }

    /// Overwrites the storage of a port, in the byte order of this machine.
    pub fn write(&mut self, port: usize, value: &[u8]) {
        let (storage, bytes) = self.ports[port];
        assert_eq!(value.len(), bytes as usize, "size of port {port}");
        // SAFETY: as in `read`; exclusive, because `self` is.
        unsafe { storage.copy_from_nonoverlapping(NonNull::from(value).cast(), value.len()) }
    }

    /// A port or signal of 1, 2, 4 or 8 bytes; of a larger one the first 8.
    fn word((storage, bytes): (NonNull<u8>, u32)) -> u64 {
        // SAFETY: as in `read`; Verilator aligns the storage as the integer of that size.
        unsafe {
            match bytes {
                1 => u64::from(storage.read()),
                2 => u64::from(storage.cast::<u16>().read()),
                4 => u64::from(storage.cast::<u32>().read()),
                _ => storage.cast::<u64>().read_unaligned(),
            }
        }
    }

    /// The value of a port of at most 64 bits.
    pub fn get(&self, port: usize) -> u64 {
        Self::word(self.ports[port])
    }

    /// The value of a signal of at most 64 bits.
    pub fn get_signal(&self, signal: usize) -> u64 {
        Self::word(self.signals[signal])
    }

    /// Appends the storage of all signals, one after another.
    pub fn signals(&self, out: &mut Vec<u8>) {
        for &(storage, bytes) in &self.signals {
            // SAFETY: the storage has `bytes` bytes, and nobody writes to it while `self` is borrowed.
            out.extend_from_slice(unsafe { std::slice::from_raw_parts(storage.as_ptr(), bytes as usize) });
        }
    }

    /// Begins a waveform in `path`; false if it cannot, or if the model was built without.
    pub fn wave(&mut self, path: &Path) -> bool {
        let Ok(path) = CString::new(path.as_os_str().as_encoded_bytes()) else { return false };
        // SAFETY: the instance is live and borrowed exclusively; the path is a C string for the call.
        unsafe { (self.entry.wave)(self.instance.as_ptr(), path.as_ptr()) != 0 }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: created by `new`, deleted once.
        unsafe { (self.entry.delete)(self.instance.as_ptr()) }
    }
}

/// What `build.rs` found.
pub mod models {
    pub use super::Info;
    #[allow(unused_imports)] // without Verilator the table is of missing models only
    use super::*;
    include!(concat!(env!("OUT_DIR"), "/models.rs"));
}
