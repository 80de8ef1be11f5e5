// SPDX-License-Identifier: Apache-2.0 OR MIT

//! ELF files of small programs: one section of code, one of zeros, and symbols.

/// What a symbol is: STT_FUNC or STT_OBJECT, or nothing in particular, as what linker scripts define; all STB_GLOBAL.
pub const FUNCTION: u32 = 0x12;
pub const OBJECT: u32 = 0x11;
#[allow(dead_code, reason = "programs of one board have none")]
pub const LABEL: u32 = 0x10;

/// Sections that symbols are in.
pub const TEXT: u32 = 1;
pub const ZEROS: u32 = 2;

pub struct Symbol<'a> {
    pub name: &'a str,
    /// With the Thumb bit.
    pub address: u32,
    pub size: u32,
    pub kind: u32,
    pub section: u32,
}

pub struct Parts<'a> {
    pub machine: u16,
    pub flags: u32,
    pub entry: u32,
    /// Where the code goes, and its bytes: whole words.
    pub text: (u32, &'a [u8]),
    /// Name, address and bytes of the section of zeros.
    pub zeros: (&'a str, u32, u32),
    pub symbols: &'a [Symbol<'a>],
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// The file: header, two segments, code, symbols, names, sections.
pub fn file(parts: &Parts<'_>) -> Vec<u8> {
    let (base, text) = parts.text;
    let (zeros_name, zeros, zeros_size) = parts.zeros;
    let mut strings = b"\0".to_vec();
    let mut symbols = vec![[0u32; 4]];
    for symbol in parts.symbols {
        let Symbol { name, address, size, kind, section } = *symbol;
        symbols.push([strings.len() as u32, address, size, kind | section << 16]);
        strings.extend_from_slice(name.as_bytes());
        strings.push(0);
    }
    let mut names = b"\0".to_vec();
    let mut name = |name: &str| {
        let at = names.len() as u32;
        names.extend_from_slice(name.as_bytes());
        names.push(0);
        at
    };
    let [text_name, zeros_name, symtab, strtab, shstrtab] =
        [".text", zeros_name, ".symtab", ".strtab", ".shstrtab"].map(&mut name);

    let text_at = 52 + 2 * 32;
    let symbols_at = text_at + text.len();
    let strings_at = symbols_at + symbols.len() * 16;
    let names_at = strings_at + strings.len();
    let sections_at = (names_at + names.len()).next_multiple_of(4);
    let mut elf = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    elf.extend([2, 0]);
    elf.extend(parts.machine.to_le_bytes());
    elf.extend(words(&[1, parts.entry, 52, sections_at as u32, parts.flags]));
    elf.extend([52, 0, 32, 0, 2, 0, 40, 0, 6, 0, 5, 0]);
    let text_size = text.len() as u32;
    elf.extend(words(&[1, text_at as u32, base, base, text_size, text_size, 5, 4]));
    elf.extend(words(&[1, text_at as u32, zeros, zeros, 0, zeros_size, 6, 4]));
    elf.extend(text);
    elf.extend(symbols.iter().flat_map(|s| words(s)));
    elf.extend(&strings);
    elf.extend(&names);
    elf.resize(sections_at, 0);
    for section in [
        [0; 10],
        [text_name, 1, 6, base, text_at as u32, text_size, 0, 0, 4, 0],
        [zeros_name, 8, 3, zeros, text_at as u32, zeros_size, 0, 0, 4, 0],
        [symtab, 2, 0, 0, symbols_at as u32, symbols.len() as u32 * 16, 4, 1, 4, 16],
        [strtab, 3, 0, 0, strings_at as u32, strings.len() as u32, 0, 0, 1, 0],
        [shstrtab, 3, 0, 0, names_at as u32, names.len() as u32, 0, 0, 1, 0],
    ] {
        elf.extend(words(&section));
    }
    elf
}
