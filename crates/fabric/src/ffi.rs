//! The C interface of the verilated models: the one module with `unsafe` code.
//!
//! `build.rs` writes one set of functions and one table of ports a model. A [`Handle`] owns one instance; the storage of
//! its ports lives as long as it does, has the size in the table (both come from the header Verilator wrote), is plain
//! integers, and is touched by nobody but the instance's own `eval`, which runs under `&mut`.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::ptr::NonNull;

/// A port of a model.
#[derive(Debug)]
pub struct PortInfo {
    /// Its name in SystemVerilog.
    pub name: &'static str,
    /// Its width.
    pub bits: u32,
    /// Bytes of its storage: 1, 2, 4, 8 or a multiple of 4.
    pub bytes: u32,
}

/// A model that can be instantiated.
#[derive(Debug)]
pub struct Info {
    /// Name of the model.
    pub name: &'static str,
    /// Its ports.
    pub ports: &'static [PortInfo],
    entry: Option<Entry>,
}

#[derive(Debug)]
struct Entry {
    new: unsafe extern "C" fn() -> *mut c_void,
    delete: unsafe extern "C" fn(*mut c_void),
    eval: unsafe extern "C" fn(*mut c_void),
    port: unsafe extern "C" fn(*mut c_void, c_uint) -> *mut u8,
    wave: unsafe extern "C" fn(*mut c_void, *const c_char) -> c_int,
}

impl Info {
    /// A model that was not built, because Verilator was missing.
    #[allow(dead_code)] // used in the table that build.rs writes, when it was
    const fn missing(name: &'static str) -> Self {
        Self { name, ports: &[], entry: None }
    }
}

/// An instance of a model.
pub struct Handle {
    instance: NonNull<c_void>,
    entry: &'static Entry,
    ports: Vec<(NonNull<u8>, u32)>,
}

// SAFETY: a model is ordinary C++ data without thread-local state; instances share nothing that is written to.
unsafe impl Send for Handle {}

impl Handle {
    /// A new instance, or `None` if the model was not built.
    pub fn new(info: &'static Info) -> Option<Self> {
        let entry = info.entry.as_ref()?;
        // SAFETY: the constructor takes nothing and gives an instance or throws, which aborts.
        let instance = NonNull::new(unsafe { (entry.new)() })?;
        let ports = info.ports.iter().enumerate().map(|(i, port)| {
            // SAFETY: `instance` is live and `i` is the number of one of its ports.
            let storage = unsafe { (entry.port)(instance.as_ptr(), i as c_uint) };
            NonNull::new(storage).map(|storage| (storage, port.bytes))
        });
        let ports = ports.collect::<Option<_>>();
        let handle = Self { instance, entry, ports: ports.unwrap_or_default() };
        (handle.ports.len() == info.ports.len()).then_some(handle)
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
    use super::*;
    include!(concat!(env!("OUT_DIR"), "/models.rs"));
}
