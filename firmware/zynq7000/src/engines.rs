// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The engines by name, and the accelerator behind two of them.

use core::cell::UnsafeCell;
use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};

use pqsoc_driver::mldsa::MIRRORS;
use pqsoc_driver::zynq7000::Zynq7000;
use pqsoc_driver::{Accelerator, Aligned, Config, Error, Memory, Pool, Software};
use pqsoc_mldsa::Blank;
use zynq7000::counters;

/// Polynomials of the engine `study` at once: what signing with ML-DSA-87 takes.
#[cfg(feature = "study")]
const POLYS: usize = 100;

/// Which engine.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The processor alone.
    Software,
    /// Each call a round trip.
    #[cfg(feature = "study")]
    Study,
    /// What is in the fabric stays there.
    Resident,
}

impl Kind {
    /// The engine of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Some(match name {
            "software" => Self::Software,
            #[cfg(feature = "study")]
            "study" => Self::Study,
            "resident" => Self::Resident,
            _ => return None,
        })
    }
}

/// Why there is no result.
#[derive(Debug)]
pub enum Failed {
    /// The scheme says no, which it cannot with good keys.
    Scheme,
    /// The hardware failed.
    Hardware(Error),
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scheme => f.write_str("it failed"),
            Self::Hardware(error) => error.fmt(f),
        }
    }
}

impl From<core::convert::Infallible> for Failed {
    fn from(never: core::convert::Infallible) -> Self {
        match never {}
    }
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Hardware(error)
    }
}

/// The accelerator, and memory for polynomials of both engines over it.
pub struct Hardware {
    /// The accelerator.
    pub accelerator: Accelerator<Zynq7000>,
    /// Of the engine `study`.
    #[cfg(feature = "study")]
    pub polys: Pool<Software, POLYS>,
    /// Of the engine `resident`.
    pub mirrors: Pool<Software, MIRRORS>,
}

/// What the DMA moves.
struct Buffers {
    memory: Memory,
    #[cfg(feature = "study")]
    polys: [Aligned<Software>; POLYS],
    mirrors: [Aligned<Software>; MIRRORS],
}

struct Once(AtomicBool, UnsafeCell<Buffers>);

// SAFETY: the flag lets one caller have what is in the cell, once.
unsafe impl Sync for Once {}

static BUFFERS: Once = Once(
    AtomicBool::new(false),
    UnsafeCell::new(Buffers {
        memory: Memory::NEW,
        #[cfg(feature = "study")]
        polys: [const { Aligned(Software::BLANK) }; POLYS],
        mirrors: [const { Aligned(Software::BLANK) }; MIRRORS],
    }),
);

impl Hardware {
    /// The accelerator of the board, found and reset. May be called once.
    pub fn new() -> Result<Self, Error> {
        if BUFFERS.0.swap(true, Ordering::Relaxed) {
            return Err(Error::Lost);
        }
        // SAFETY: nobody else gets here.
        let buffers = unsafe { &mut *BUFFERS.1.get() };
        // SAFETY: the start-up code maps memory as the platform asks for and starts the global timer; this is the only one.
        let platform = unsafe { Zynq7000::new(counters::core_mhz()) };
        Ok(Self {
            accelerator: Accelerator::new(platform, &mut buffers.memory, Config::default())?,
            #[cfg(feature = "study")]
            polys: Pool::new(&mut buffers.polys),
            mirrors: Pool::new(&mut buffers.mirrors),
        })
    }
}

/// The engines: the accelerator is looked for when it is first wanted, so that programs run without one as well.
#[derive(Default)]
pub struct Engines(Option<Result<Hardware, Error>>);

/// An engine to be used.
pub enum Chosen<'a> {
    /// The processor alone.
    Software,
    /// Each call a round trip.
    #[cfg(feature = "study")]
    Study(&'a mut Hardware),
    /// What is in the fabric stays there.
    Resident(&'a mut Hardware),
}

impl Engines {
    /// The hardware, if it was wanted before.
    pub fn hardware(&mut self) -> Option<&mut Hardware> {
        self.0.as_mut()?.as_mut().ok()
    }

    /// The engine of that kind.
    pub fn choose(&mut self, kind: Kind) -> Result<Chosen<'_>, Failed> {
        if kind == Kind::Software {
            return Ok(Chosen::Software);
        }
        let hardware = self.0.get_or_insert_with(Hardware::new).as_mut().map_err(|error| *error)?;
        Ok(match kind {
            #[cfg(feature = "study")]
            Kind::Study => Chosen::Study(hardware),
            _ => Chosen::Resident(hardware),
        })
    }
}
