// SPDX-License-Identifier: Apache-2.0 OR MIT

//! A firmware image: an ELF file for a Cortex-M, checked before anything of it is used.

use std::path::Path;
use std::rc::Rc;

use object::elf::{EM_386, EM_AARCH64, EM_ARM, EM_AVR, EM_RISCV, EM_X86_64, EM_XTENSA, Machine};
use object::elf::{
    ET_DYN, ET_EXEC, ET_REL, FileType, PF_W, PT_LOAD, SHF_ALLOC, SHF_EXECINSTR, SHF_WRITE, SHT_NOBITS,
};
use object::read::elf::{ElfFile32, ProgramHeader};
use object::{LittleEndian, Object, ObjectSection, SectionFlags};
use serde::Serialize;
use thiserror::Error;

use crate::defmt::Table;
use crate::symbols::Symbols;

/// Why a file is not a program for the board.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// The file has no bytes.
    #[error("the file is empty")]
    Empty,
    /// No ELF magic number. The text says what it looks like instead.
    #[error("not an ELF file{0}")]
    NotElf(&'static str),
    /// The file is shorter than its headers say.
    #[error("truncated: {what} ends at byte {end} but the file has {length}; was it copied whole?")]
    Truncated {
        /// The part that is missing.
        what: String,
        /// Where it would end.
        end: u64,
        /// Bytes of the file.
        length: u64,
    },
    /// An ELF file for another processor.
    #[error("built for {0}, not for a little-endian 32-bit Arm; build it for target thumbv7em-none-eabihf")]
    Machine(String),
    /// An object file or shared library.
    #[error("{0}, not a linked program")]
    NotExecutable(&'static str),
    /// Arm code of the A or R profile.
    #[error(
        "built for the {0} profile of Arm, which a Cortex-M cannot execute; use target thumbv7em-none-eabihf"
    )]
    Profile(&'static str),
    /// Arm code of the M profile, where the A profile runs.
    #[error(
        "built for the M profile of Arm, which a Cortex-A9 cannot execute; use target armv7a-none-eabihf"
    )]
    MProfile,
    /// Nothing to load.
    #[error("no segment to load: is the linker script missing (link-arg=-Tlink.x)?")]
    NoSegments,
    /// Headers that contradict themselves.
    #[error("damaged: {0}")]
    Damaged(String),
    /// A segment lies where the board has no memory.
    #[error("segment of {size} bytes at {address:#010x} is outside the board's memory ({memory})")]
    Outside {
        /// First address.
        address: u32,
        /// Bytes.
        size: u32,
        /// What there is.
        memory: String,
    },
    /// The first words of the vector table make no sense.
    #[error("the vector table at {table:#010x} is wrong: {what}")]
    Vectors {
        /// Where the core looks for it.
        table: u32,
        /// What is wrong.
        what: String,
    },
}

/// Bytes that a programmer writes to the board before reset.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Where they go (the physical address of the program header).
    pub load_address: u32,
    /// Where the program uses them.
    pub address: u32,
    /// The bytes.
    pub data: Vec<u8>,
    /// Bytes that the program uses at `address`: the rest is zeroed by its start-up code.
    pub memory_size: u32,
    /// The program writes to it.
    pub writable: bool,
}

/// Sizes as `size` prints them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sizes {
    /// Bytes of flash for code and constants.
    pub text: u64,
    /// Bytes of initialised variables: in flash and in RAM.
    pub data: u64,
    /// Bytes of variables that start as zero or are not initialised.
    pub bss: u64,
}

/// A program, its symbols and its debug information.
pub struct Program {
    /// Name for messages: the file's.
    pub name: String,
    /// What to load.
    pub segments: Vec<Segment>,
    /// Bytes of code and data.
    pub sizes: Sizes,
    /// The strings of a program that logs with defmt.
    pub(crate) defmt: Option<Rc<Table>>,
    /// Functions, sources, unwinding; shared with profiles.
    pub symbols: Rc<Symbols>,
    elf: Vec<u8>,
}

impl Program {
    /// Reads the file at `path`.
    pub fn open(path: &Path) -> Result<Self, LoadError> {
        Self::parse(&path.display().to_string(), std::fs::read(path)?)
    }

    /// Takes the bytes of an ELF file.
    pub fn parse(name: &str, elf: Vec<u8>) -> Result<Self, LoadError> {
        Self::parse_for(name, elf, check_profile)
    }

    /// Reads the file at `path`: a program for a Cortex-A.
    pub fn open_application(path: &Path) -> Result<Self, LoadError> {
        Self::parse_application(&path.display().to_string(), std::fs::read(path)?)
    }

    /// Takes the bytes of an ELF file for a Cortex-A.
    pub fn parse_application(name: &str, elf: Vec<u8>) -> Result<Self, LoadError> {
        Self::parse_for(name, elf, check_application)
    }

    fn parse_for(
        name: &str,
        elf: Vec<u8>,
        check_profile: fn(&ElfFile32<'_, LittleEndian>) -> Result<(), LoadError>,
    ) -> Result<Self, LoadError> {
        check_header(&elf)?;
        let file = ElfFile32::<LittleEndian>::parse(&*elf).map_err(damaged)?;
        let segments = segments(&file, &elf)?;
        check_sections(&file, &elf)?;
        check_profile(&file)?;
        let symbols = Rc::new(Symbols::new(&file));
        let (sizes, defmt) = (sizes(&file), Table::find(&file).map(Rc::new));
        Ok(Self { name: name.to_string(), segments, sizes, defmt, symbols, elf })
    }

    /// Where the program begins; bit 0 is set for T32.
    pub fn entry(&self) -> u32 {
        self.elf.get(24..28).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    }

    /// The ELF file as it was read.
    pub fn elf(&self) -> &[u8] {
        &self.elf
    }
}

fn damaged(error: object::Error) -> LoadError {
    LoadError::Damaged(error.to_string())
}

fn check_header(elf: &[u8]) -> Result<(), LoadError> {
    let half = |at: usize| elf.get(at..at + 2).map_or(0, |b| u16::from_le_bytes([b[0], b[1]]));
    if elf.is_empty() {
        return Err(LoadError::Empty);
    }
    if !elf.starts_with(b"\x7fELF") {
        return Err(LoadError::NotElf(match elf {
            [b':', ..] => "; it looks like Intel HEX: give the ELF file that it was made from",
            [b'S', b'0'..=b'9', ..] => "; it looks like Motorola S-records: give the ELF file",
            [b'U', b'F', b'2', b'\n', ..] => "; it is a UF2 image: give the ELF file",
            [0x7f, ..] => "; it starts like one and is cut short",
            _ => " (a raw image? give the ELF file that it was made from)",
        }));
    }
    let truncated =
        |what: &str, end: u64| LoadError::Truncated { what: what.to_string(), end, length: elf.len() as u64 };
    if elf.len() < 20 {
        return Err(truncated("the ELF header", 52));
    }
    let machine = match (elf[4], elf[5]) {
        (1, 1) => half(18),
        (1, 2) => return Err(LoadError::Machine("a big-endian processor".into())),
        _ => half(18),
    };
    let other = match Machine(machine) {
        EM_ARM if elf[4] == 1 => None,
        EM_X86_64 => Some("x86-64".to_string()),
        EM_386 => Some("x86".to_string()),
        EM_AARCH64 => Some("AArch64".to_string()),
        EM_RISCV => Some("RISC-V".to_string()),
        EM_XTENSA => Some("Xtensa".to_string()),
        EM_AVR => Some("AVR".to_string()),
        Machine(number) => Some(format!("a processor with ELF machine number {number}")),
    };
    if let Some(other) = other {
        return Err(LoadError::Machine(other));
    }
    if elf.len() < 52 {
        return Err(truncated("the ELF header", 52));
    }
    let word = |at: usize| elf.get(at..at + 4).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    for (what, offset, count, size) in [
        ("the table of segments", word(28), half(44), half(42)),
        ("the table of sections", word(32), half(48), half(46)),
    ] {
        let end = u64::from(offset) + u64::from(count) * u64::from(size);
        if end > elf.len() as u64 {
            return Err(truncated(what, end));
        }
    }
    match FileType(half(16)) {
        ET_EXEC => Ok(()),
        ET_REL => Err(LoadError::NotExecutable("an object file")),
        ET_DYN => Err(LoadError::NotExecutable("a shared or position-independent object")),
        _ => Err(LoadError::NotExecutable("a core dump or something else")),
    }
}

fn segments(file: &ElfFile32<'_, LittleEndian>, elf: &[u8]) -> Result<Vec<Segment>, LoadError> {
    let mut segments = Vec::new();
    for (i, header) in file.elf_program_headers().iter().enumerate() {
        if header.p_type(LittleEndian) != PT_LOAD {
            continue;
        }
        let (offset, size) = header.file_range(LittleEndian);
        let memory_size = header.p_memsz(LittleEndian);
        let end = offset + size;
        let data = elf.get(offset as usize..end as usize).ok_or_else(|| LoadError::Truncated {
            what: format!("segment {i}"),
            end,
            length: elf.len() as u64,
        })?;
        if u64::from(memory_size) < size {
            return Err(LoadError::Damaged(format!("segment {i} is larger in the file than in memory")));
        }
        let (load_address, address) = (header.p_paddr(LittleEndian), header.p_vaddr(LittleEndian));
        for start in [load_address, address] {
            if start.checked_add(memory_size.max(1) - 1).is_none() {
                return Err(LoadError::Damaged(format!("segment {i} wraps around the address space")));
            }
        }
        segments.push(Segment {
            load_address,
            address,
            data: data.to_vec(),
            memory_size,
            writable: header.p_flags(LittleEndian).0 & PF_W.0 != 0,
        });
    }
    if segments.iter().all(|s| s.data.is_empty()) {
        return Err(LoadError::NoSegments);
    }
    for (j, second) in segments.iter().enumerate() {
        for (i, first) in segments.iter().enumerate().take(j) {
            let start = first.load_address.max(second.load_address);
            let within = |s: &Segment| start - s.load_address < s.data.len() as u32;
            if within(first) && within(second) {
                return Err(LoadError::Damaged(format!("segments {i} and {j} overlap at {start:#010x}")));
            }
        }
    }
    Ok(segments)
}

/// Sections that are missing would only show as missing symbols later.
fn check_sections(file: &ElfFile32<'_, LittleEndian>, elf: &[u8]) -> Result<(), LoadError> {
    for section in file.sections() {
        if let Some((offset, size)) = section.file_range() {
            let end = offset.saturating_add(size);
            if end > elf.len() as u64 {
                let what = format!("section {}", section.name().unwrap_or("?"));
                return Err(LoadError::Truncated { what, end, length: elf.len() as u64 });
            }
        }
    }
    Ok(())
}

/// Tag_CPU_arch_profile (7) among the build attributes of the whole file ("aeabi", Tag_File).
fn profile(file: &ElfFile32<'_, LittleEndian>) -> Option<u64> {
    let data = file.section_by_name(".ARM.attributes").and_then(|s| s.data().ok()).unwrap_or_default();
    attribute(data, 7)
}

fn check_application(file: &ElfFile32<'_, LittleEndian>) -> Result<(), LoadError> {
    if profile(file) == Some(0x4d) { Err(LoadError::MProfile) } else { Ok(()) }
}

fn check_profile(file: &ElfFile32<'_, LittleEndian>) -> Result<(), LoadError> {
    match profile(file) {
        Some(0x41) => Err(LoadError::Profile("A")),
        Some(0x52) => Err(LoadError::Profile("R")),
        _ => Ok(()),
    }
}

/// The value of integer attribute `wanted`, if the section is as "Addenda to the ABI for the Arm architecture" says.
fn attribute(data: &[u8], wanted: u64) -> Option<u64> {
    let rest = data.strip_prefix(b"A")?.get(4..)?.strip_prefix(b"aeabi\0")?;
    let (&tag, mut rest) = rest.split_first()?;
    if tag != 1 {
        return None;
    }
    rest = rest.get(4..)?;
    while !rest.is_empty() {
        let tag = uleb(&mut rest)?;
        // CPU_raw_name, CPU_name and odd tags above 32 are strings, tag 32 is a number and a string.
        let is_string = matches!(tag, 4 | 5) || (tag > 32 && tag % 2 == 1);
        if !is_string {
            let value = uleb(&mut rest)?;
            if tag == wanted {
                return Some(value);
            }
        }
        if is_string || tag == 32 {
            let end = rest.iter().position(|&b| b == 0)?;
            rest = &rest[end + 1..];
        }
    }
    None
}

fn uleb(data: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..63).step_by(7) {
        let (&byte, rest) = data.split_first()?;
        *data = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn sizes(file: &ElfFile32<'_, LittleEndian>) -> Sizes {
    let mut sizes = Sizes::default();
    for section in file.sections() {
        let SectionFlags::Elf { sh_type, sh_flags } = section.flags() else { continue };
        let has = |flag: object::elf::SectionFlags| sh_flags.0 & flag.0 != 0;
        if !has(SHF_ALLOC) {
            continue;
        }
        let total = match (sh_type == SHT_NOBITS, has(SHF_WRITE) && !has(SHF_EXECINSTR)) {
            (true, _) => &mut sizes.bss,
            (false, true) => &mut sizes.data,
            (false, false) => &mut sizes.text,
        };
        *total += section.size();
    }
    sizes
}
