//! A verilated module, with its ports by name.
use std::path::Path;

use crate::ffi::{Handle, Info};

/// A model was not built.
#[derive(Debug, thiserror::Error)]
#[error(
    "the fabric was built without Verilator, so there is no {0}: apt-get install verilator g++, then build again"
)]
pub struct Missing(&'static str);

/// A waveform cannot be written.
#[derive(Debug, thiserror::Error)]
#[error(
    "no waveform in {0}: is the path writable, and was pqsoc-fabric built with its feature `wave`? Only whole fabrics have one."
)]
pub struct Wave(String);

/// A port of a [`Model`].
#[derive(Clone, Copy, Debug)]
pub struct Port {
    index: usize,
    bytes: usize,
}

/// A signal within a [`Model`].
#[derive(Clone, Copy, Debug)]
pub struct Signal(usize);

/// An instance of a verilated module.
pub struct Model {
    handle: Handle,
    info: &'static Info,
}

impl Model {
    /// A new instance, its inputs all zero.
    pub fn new(info: &'static Info) -> Result<Self, Missing> {
        Ok(Self { handle: Handle::new(info).ok_or(Missing(info.name))?, info })
    }

    /// The port called `name`.
    ///
    /// # Panics
    /// If there is none: names are written by whoever wrote the module.
    pub fn port(&self, name: &str) -> Port {
        let index = self.info.ports.iter().position(|port| port.name == name);
        let index = index.unwrap_or_else(|| panic!("{} has no port {name}", self.info.name));
        Port { index, bytes: self.info.ports[index].bytes as usize }
    }

    /// Lets the outputs and the state follow the inputs.
    pub fn eval(&mut self) {
        self.handle.eval();
    }

    /// A port of at most 64 bits.
    pub fn get(&self, port: Port) -> u64 {
        self.handle.get(port.index)
    }

    /// Drives a port of at most 64 bits. `value` must fit into the port's width.
    pub fn set(&mut self, port: Port, value: u64) {
        self.handle.write(port.index, &value.to_le_bytes()[..port.bytes]);
    }

    /// A port of more than 64 bits, as bytes, low byte first, padded with zeros to a multiple of 4.
    pub fn get_wide(&self, port: Port) -> Vec<u8> {
        let mut value = vec![0; port.bytes];
        self.handle.read(port.index, &mut value);
        value
    }

    /// Drives a port of more than 64 bits.
    pub fn set_wide(&mut self, port: Port, value: &[u8]) {
        self.handle.write(port.index, value);
    }

    /// The signal at `path`, such as `u_sequencer.phase_q`: a register or a memory; wires may have been optimised away.
    ///
    /// # Panics
    /// If there is none.
    pub fn signal(&self, path: &str) -> Signal {
        let index = self.info.signals.iter().position(|signal| signal.name == path);
        Signal(index.unwrap_or_else(|| panic!("{} has no signal {path}", self.info.name)))
    }

    /// A signal of at most 64 bits.
    pub fn peek(&self, signal: Signal) -> u64 {
        self.handle.get_signal(signal.0)
    }

    /// Every register and memory of the model, and some wires, by path.
    pub fn snapshot(&self) -> Vec<(&'static str, Vec<u8>)> {
        let mut bytes = Vec::new();
        self.handle.signals(&mut bytes);
        let mut rest = bytes.as_slice();
        let mut signals = Vec::with_capacity(self.info.signals.len());
        for signal in self.info.signals {
            let (value, after) = rest.split_at(signal.bytes as usize);
            signals.push((signal.name, value.to_vec()));
            rest = after;
        }
        signals
    }

    /// Writes everything that happens from now on to an FST file.
    pub fn wave(&mut self, path: &Path) -> Result<(), Wave> {
        if self.handle.wave(path) { Ok(()) } else { Err(Wave(path.display().to_string())) }
    }
}
