// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Where the program's output goes, and the text that ends a run.

use std::rc::Rc;
use std::{fmt, io};

use crate::defmt::{Decoder, Table};

/// Which way a byte left the chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// A serial port by its number (USART1 to USART6).
    Usart(u8),
    /// Semihosting, standard output.
    SemihostingOut,
    /// Semihosting, standard error.
    SemihostingError,
    /// An ITM stimulus port: what a probe reads from SWO.
    Itm(u8),
    /// RTT up-channel 0 in RAM.
    Rtt,
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usart(n) => write!(f, "USART{n}"),
            Self::SemihostingOut | Self::SemihostingError => write!(f, "semihosting"),
            Self::Itm(port) => write!(f, "ITM port {port}"),
            Self::Rtt => write!(f, "RTT"),
        }
    }
}

/// Takes output as it comes. After an error it is not called again, and the run ends.
pub type Sink = Box<dyn FnMut(Channel, &[u8]) -> io::Result<()>>;

/// Passes output on and looks for the text that ends the run.
pub struct Console {
    sink: Sink,
    defmt: Option<Decoder>,
    until: Vec<u8>,
    tail: Vec<u8>,
    found: bool,
    error: Option<io::Error>,
}

impl Console {
    /// A console that passes everything to `sink`; `until` is the text to look for, empty for none. With the strings of a
    /// program that uses defmt, RTT and ITM port 0 carry its frames, which become lines of text.
    pub(crate) fn new(sink: Sink, until: &str, defmt: Option<Rc<Table>>) -> Self {
        let defmt = defmt.map(Decoder::new);
        Self { sink, defmt, until: until.as_bytes().to_vec(), tail: Vec::new(), found: false, error: None }
    }

    /// Output of the program. All channels together make up the text that `until` is looked for in.
    pub fn write(&mut self, channel: Channel, bytes: &[u8]) {
        let lines = match (&mut self.defmt, channel) {
            (Some(defmt), Channel::Rtt | Channel::Itm(0)) => Some(defmt.feed(bytes)),
            _ => None,
        };
        let bytes = lines.as_ref().map_or(bytes, |lines| lines.as_bytes());
        if self.error.is_none() && !bytes.is_empty() {
            self.error = (self.sink)(channel, bytes).err();
        }
        if self.until.is_empty() {
            return;
        }
        self.tail.extend_from_slice(bytes);
        self.found |= self.tail.windows(self.until.len()).any(|w| w == self.until);
        let keep = self.tail.len().min(self.until.len() - 1);
        self.tail.drain(..self.tail.len() - keep);
    }

    /// The text has been printed.
    pub fn found(&self) -> bool {
        self.found
    }

    /// The error of the sink.
    pub fn error(&self) -> Option<&io::Error> {
        self.error.as_ref()
    }

    /// There is a reason to end the run.
    pub(crate) fn ends(&self) -> bool {
        self.found || self.error.is_some()
    }
}
