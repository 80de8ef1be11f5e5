// SPDX-License-Identifier: Apache-2.0 OR MIT

//! defmt: log frames of numbers, made text with the format strings in the ELF file (wire formats 3 and 4).
//!
//! A frame is the index of its format string, the arguments of the time stamp if the program has one, and its own
//! arguments. The index is the address of the string's symbol in the section `.defmt`; the name of the symbol is
//! the string, in JSON. Frames are separated by zero bytes and have their own zero bytes encoded away (rzCOBS), or
//! they stand one behind the other as they are (raw).

use std::collections::HashMap;
use std::fmt::Write;
use std::rc::Rc;

use defmt_parser::{DisplayHint, Fragment, Parameter, ParserMode, TimePrecision, Type};
use object::read::elf::ElfFile32;
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol};

/// Bytes of a frame that is not ended are given up at this length: it is none.
const LONGEST: usize = 1 << 16;
/// Formats within formats.
const DEEPEST: u32 = 32;

/// A string of the program.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    /// Severity, for messages that have one.
    level: &'static str,
    text: Rc<str>,
}

/// The strings of a program.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Table {
    entries: HashMap<u16, Entry>,
    time_stamp: Option<Rc<str>>,
    raw: bool,
}

impl Table {
    /// Finds the strings of a program that uses defmt.
    pub(crate) fn find(file: &ElfFile32<'_, LittleEndian>) -> Option<Self> {
        let section = file.section_by_name(".defmt")?.index();
        let mut table = Self::default();
        for symbol in file.symbols() {
            let Ok(name) = symbol.name() else { continue };
            if let Some(encoding) = name.strip_prefix("_defmt_encoding_ = ") {
                table.raw = encoding == "raw";
            } else if symbol.section_index() == Some(section) {
                table.add(symbol.address() as u16, name);
            }
        }
        Some(table)
    }

    /// Takes the string that symbol `name` at `index` stands for.
    fn add(&mut self, index: u16, name: &str) {
        #[derive(serde::Deserialize)]
        struct Symbol {
            tag: String,
            data: String,
        }
        let Ok(Symbol { tag, data }) = serde_json::from_str(name) else { return };
        let level = match tag.as_str() {
            "defmt_trace" => "TRACE ",
            "defmt_debug" => "DEBUG ",
            "defmt_info" => "INFO  ",
            "defmt_warn" => "WARN  ",
            "defmt_error" => "ERROR ",
            "defmt_timestamp" => {
                self.time_stamp = Some(data.into());
                return;
            }
            _ => "",
        };
        self.entries.insert(index, Entry { level, text: data.into() });
    }
}

/// Turns bytes into lines of text as they come.
pub(crate) struct Decoder {
    table: Rc<Table>,
    /// The beginning of a frame.
    buffer: Vec<u8>,
}

/// Why there is no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    /// It goes on.
    Short,
    /// It is none.
    Malformed,
}

/// An argument.
#[derive(Debug)]
enum Arg {
    Unsigned(u128),
    /// The value and its bits.
    Signed(i128, u32),
    Bool(bool),
    F32(f32),
    F64(f64),
    Char(char),
    Text(String),
    Bytes(Vec<u8>),
    Formatted(Rc<str>, Vec<Arg>),
    /// In brackets or not.
    List(Vec<Arg>, bool),
}

impl Decoder {
    pub(crate) fn new(table: Rc<Table>) -> Self {
        Self { table, buffer: Vec::new() }
    }

    /// Takes bytes and gives the lines that they complete.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> String {
        self.buffer.extend_from_slice(bytes);
        let mut lines = String::new();
        if self.table.raw {
            while !self.buffer.is_empty() {
                let mut rest = self.buffer.as_slice();
                match self.table.line(&mut rest) {
                    Ok(line) => lines += &line,
                    Err(Failure::Short) if self.buffer.len() < LONGEST => break,
                    Err(_) => {
                        lines += MALFORMED;
                        rest = &[];
                    }
                }
                let used = self.buffer.len() - rest.len();
                self.buffer.drain(..used);
            }
            return lines;
        }
        while let Some(end) = self.buffer.iter().position(|&byte| byte == 0) {
            let frame: Vec<u8> = self.buffer.drain(..=end).take(end).collect();
            if !frame.is_empty() {
                let line =
                    rzcobs(&frame).ok_or(Failure::Malformed).and_then(|frame| self.table.line(&mut &*frame));
                lines += line.as_deref().unwrap_or(MALFORMED);
            }
        }
        if self.buffer.len() > LONGEST {
            self.buffer.clear();
        }
        lines
    }
}

/// What is printed instead of a frame that cannot be read.
const MALFORMED: &str = "(malformed defmt frame)\n";

/// Undoes rzCOBS, which is read backwards: a byte below 0x80 says by its bits which of the seven bytes before it are
/// zero and left out; 0x80 to 0xfe stand for a zero behind 7 to 133 bytes that are not, 0xff for 134 such bytes.
fn rzcobs(frame: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut bytes = frame.iter().rev().copied();
    while let Some(code) = bytes.next() {
        match code {
            0 => return None,
            0x01..=0x7f => {
                for bit in (0..7).rev() {
                    out.push(if code >> bit & 1 != 0 { 0 } else { bytes.next()? });
                }
            }
            0x80..=0xfe => {
                out.push(0);
                for _ in 0..(code & 0x7f) + 7 {
                    out.push(bytes.next()?);
                }
            }
            0xff => {
                for _ in 0..134 {
                    out.push(bytes.next()?);
                }
            }
        }
    }
    out.reverse();
    Some(out)
}

/// The next bytes.
fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Result<&'a [u8], Failure> {
    let (taken, rest) = bytes.split_at_checked(count).ok_or(Failure::Short)?;
    *bytes = rest;
    Ok(taken)
}

/// A number of `count` bytes, at most 16.
fn unsigned(bytes: &mut &[u8], count: usize) -> Result<u128, Failure> {
    Ok(take(bytes, count)?.iter().rev().fold(0, |value, &byte| value << 8 | u128::from(byte)))
}

fn signed(bytes: &mut &[u8], count: usize) -> Result<Arg, Failure> {
    let unused = 128 - 8 * count as u32;
    Ok(Arg::Signed((unsigned(bytes, count)? << unused) as i128 >> unused, 8 * count as u32))
}

/// The parts of a format string; one that cannot be read is text.
fn parse(format: &str) -> Vec<Fragment<'_>> {
    defmt_parser::parse(format, ParserMode::ForwardsCompatible)
        .unwrap_or_else(|_| vec![Fragment::Literal(format.into())])
}

impl Table {
    /// Reads a frame and formats it.
    fn line(&self, bytes: &mut &[u8]) -> Result<String, Failure> {
        let index = unsigned(bytes, 2)? as u16;
        let entry = self.entries.get(&index).ok_or(Failure::Malformed)?;
        let mut line = String::new();
        if let Some(format) = &self.time_stamp {
            line += &render(format, &self.args(format, bytes, DEEPEST)?, None);
            line.push(' ');
        }
        line += entry.level;
        line += &render(&entry.text, &self.args(&entry.text, bytes, DEEPEST)?, None);
        line.push('\n');
        Ok(line)
    }

    fn text(&self, index: u128) -> Result<Rc<str>, Failure> {
        self.entries.get(&(index as u16)).map(|entry| entry.text.clone()).ok_or(Failure::Malformed)
    }

    /// The arguments of a format string, by their numbers.
    fn args(&self, format: &str, bytes: &mut &[u8], depth: u32) -> Result<Vec<Arg>, Failure> {
        let depth = depth.checked_sub(1).ok_or(Failure::Malformed)?;
        let mut types: Vec<Option<Type>> = Vec::new();
        for fragment in parse(format) {
            let Fragment::Parameter(Parameter { index, ty, .. }) = fragment else { continue };
            if index >= types.len() {
                types.resize(index + 1, None);
            }
            // Bit fields of one argument travel together.
            types[index] = Some(match (types[index].take(), ty) {
                (Some(Type::BitField(a)), Type::BitField(b)) => {
                    Type::BitField(a.start.min(b.start)..a.end.max(b.end))
                }
                (_, ty) => ty,
            });
        }
        types.into_iter().map(|ty| self.arg(&ty.ok_or(Failure::Malformed)?, bytes, depth)).collect()
    }

    fn arg(&self, ty: &Type, bytes: &mut &[u8], depth: u32) -> Result<Arg, Failure> {
        let mut number = |count| unsigned(bytes, count);
        Ok(match *ty {
            Type::U8 => Arg::Unsigned(number(1)?),
            Type::U16 => Arg::Unsigned(number(2)?),
            Type::U32 | Type::Usize => Arg::Unsigned(number(4)?),
            Type::U64 => Arg::Unsigned(number(8)?),
            Type::U128 => Arg::Unsigned(number(16)?),
            Type::I8 => signed(bytes, 1)?,
            Type::I16 => signed(bytes, 2)?,
            Type::I32 | Type::Isize => signed(bytes, 4)?,
            Type::I64 => signed(bytes, 8)?,
            Type::I128 => signed(bytes, 16)?,
            Type::F32 => Arg::F32(f32::from_bits(number(4)? as u32)),
            Type::F64 => Arg::F64(f64::from_bits(number(8)? as u64)),
            Type::Bool => Arg::Bool(number(1)? != 0),
            Type::Char => Arg::Char(char::from_u32(number(4)? as u32).ok_or(Failure::Malformed)?),
            Type::BitField(ref range) => {
                let (first, last) = (range.start / 8, range.end.saturating_sub(1) / 8);
                let count = usize::from(last.saturating_sub(first) + 1).next_power_of_two();
                Arg::Unsigned(number(count.min(16))? << (8 * u32::from(first)).min(127))
            }
            Type::Str => {
                let length = number(4)? as usize;
                Arg::Text(String::from_utf8_lossy(take(bytes, length)?).into_owned())
            }
            Type::IStr => Arg::Text(self.text(number(2)?)?.to_string()),
            Type::U8Slice => {
                let length = number(4)? as usize;
                Arg::Bytes(take(bytes, length)?.to_vec())
            }
            Type::U8Array(length) => Arg::Bytes(take(bytes, length)?.to_vec()),
            Type::Debug | Type::Display => {
                let length = bytes.iter().position(|&byte| byte == 0xff).ok_or(Failure::Short)?;
                let text = String::from_utf8_lossy(take(bytes, length)?).into_owned();
                take(bytes, 1)?;
                Arg::Text(text)
            }
            Type::Format => {
                let format = self.text(number(2)?)?;
                self.formatted(&format, bytes, depth)?
            }
            Type::FormatSlice => {
                let length = number(4)? as usize;
                self.list(length, bytes, depth)?
            }
            Type::FormatArray(length) => self.list(length, bytes, depth)?,
            Type::FormatSequence => {
                let mut list = Vec::new();
                loop {
                    match unsigned(bytes, 2)? {
                        0 => break Arg::List(list, false),
                        index => list.push(self.formatted(&self.text(index)?, bytes, depth)?),
                    }
                }
            }
        })
    }

    /// Elements of one format.
    fn list(&self, length: usize, bytes: &mut &[u8], depth: u32) -> Result<Arg, Failure> {
        let format = self.text(unsigned(bytes, 2)?)?;
        let mut list = Vec::new();
        for _ in 0..length {
            // Elements without arguments take no bytes: their number proves nothing.
            if list.len() > LONGEST {
                return Err(Failure::Malformed);
            }
            list.push(self.formatted(&format, bytes, depth)?);
        }
        Ok(Arg::List(list, true))
    }

    /// A value with its own format; that of an enumeration is the formats of its variants, of which a number chooses.
    fn formatted(&self, format: &str, bytes: &mut &[u8], depth: u32) -> Result<Arg, Failure> {
        let bars = format.matches('|').count();
        let format = match bars {
            0 => format,
            _ => {
                let size = [(0xff, 1), (0xffff, 2)].iter().find(|(most, _)| bars <= *most).map_or(4, |s| s.1);
                let variant = unsigned(bytes, size)? as usize;
                format.split('|').nth(variant).ok_or(Failure::Malformed)?
            }
        };
        Ok(Arg::Formatted(format.into(), self.args(format, bytes, depth)?))
    }
}

/// Puts arguments into a format string. `outer` is the hint of the place where a nested value stands.
fn render(format: &str, args: &[Arg], outer: Option<&DisplayHint>) -> String {
    let mut text = String::new();
    for fragment in parse(format) {
        match fragment {
            Fragment::Literal(literal) => text += &literal,
            Fragment::Parameter(Parameter { index, ty, hint }) => {
                let Some(arg) = args.get(index) else { continue };
                let hint = hint.as_ref().or(outer);
                match (arg, ty) {
                    (Arg::Unsigned(value), Type::BitField(range)) => {
                        let unused = 128 - u32::from(range.end.clamp(1, 128));
                        let field = (value << unused) >> (unused + u32::from(range.start)).min(127);
                        show(&mut text, &Arg::Unsigned(field), hint);
                    }
                    _ => show(&mut text, arg, hint),
                }
            }
        }
    }
    text
}

/// Appends an argument as its hint wants it.
fn show(text: &mut String, arg: &Arg, hint: Option<&DisplayHint>) {
    // Writing to a string cannot fail.
    let _ = match arg {
        Arg::Unsigned(value) => number(text, false, *value, 128, hint),
        Arg::Signed(value, bits) => number(text, *value < 0, value.unsigned_abs(), *bits, hint),
        Arg::Bool(value) => write!(text, "{value}"),
        Arg::F32(value) => write!(text, "{value:?}"),
        Arg::F64(value) => write!(text, "{value:?}"),
        Arg::Char(value) => write!(text, "{value}"),
        Arg::Text(value) if matches!(hint, Some(DisplayHint::Debug)) => write!(text, "{value:?}"),
        Arg::Text(value) => write!(text, "{value}"),
        Arg::Bytes(bytes) if matches!(hint, Some(DisplayHint::Ascii)) => {
            write!(text, "b\"{}\"", bytes.escape_ascii())
        }
        Arg::Bytes(bytes) => {
            let items: Vec<Arg> = bytes.iter().map(|&byte| Arg::Unsigned(byte.into())).collect();
            show(text, &Arg::List(items, true), hint);
            Ok(())
        }
        Arg::Formatted(format, args) => write!(text, "{}", render(format, args, hint)),
        Arg::List(items, brackets) => {
            let mut shown = Vec::new();
            for item in items {
                let mut one = String::new();
                show(&mut one, item, hint);
                shown.push(one);
            }
            match brackets {
                true => write!(text, "[{}]", shown.join(", ")),
                false => write!(text, "{}", shown.concat()),
            }
        }
    };
}

/// Appends a number of `bits` bits.
fn number(
    text: &mut String,
    negative: bool,
    magnitude: u128,
    bits: u32,
    hint: Option<&DisplayHint>,
) -> std::fmt::Result {
    let sign = if negative { "-" } else { "" };
    // Negative numbers are shown in two's complement in bases other than ten.
    let pattern = if negative { magnitude.wrapping_neg() << (128 - bits) >> (128 - bits) } else { magnitude };
    let prefixed = |alternate: bool| if alternate { 2 } else { 0 };
    match *hint.unwrap_or(&DisplayHint::NoHint { zero_pad: 0 }) {
        DisplayHint::NoHint { zero_pad } => {
            write!(text, "{sign}{magnitude:0pad$}", pad = zero_pad.saturating_sub(sign.len()))
        }
        DisplayHint::Hexadecimal { alternate, uppercase, zero_pad } => {
            let digits = zero_pad.saturating_sub(prefixed(alternate));
            text.push_str(if alternate { "0x" } else { "" });
            match uppercase {
                true => write!(text, "{pattern:0digits$X}"),
                false => write!(text, "{pattern:0digits$x}"),
            }
        }
        DisplayHint::Octal { alternate, zero_pad } => {
            text.push_str(if alternate { "0o" } else { "" });
            write!(text, "{pattern:0pad$o}", pad = zero_pad.saturating_sub(prefixed(alternate)))
        }
        DisplayHint::Binary { alternate, zero_pad } => {
            text.push_str(if alternate { "0b" } else { "" });
            write!(text, "{pattern:0pad$b}", pad = zero_pad.saturating_sub(prefixed(alternate)))
        }
        DisplayHint::Seconds(TimePrecision::Micros) => {
            write!(text, "{}.{:06}", magnitude / 1_000_000, magnitude % 1_000_000)
        }
        DisplayHint::Seconds(TimePrecision::Millis) => {
            write!(text, "{}.{:03}", magnitude / 1000, magnitude % 1000)
        }
        DisplayHint::Time(ref precision) => {
            let (per_second, digits) = match precision {
                TimePrecision::Micros => (1_000_000, 6),
                TimePrecision::Millis => (1000, 3),
                TimePrecision::Seconds => (1, 0),
            };
            let (seconds, fraction) = (magnitude / per_second, magnitude % per_second);
            write!(text, "{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)?;
            if digits == 0 { Ok(()) } else { write!(text, ".{fraction:0digits$}") }
        }
        // The names of flags and dates are left to those who need them.
        _ => write!(text, "{sign}{magnitude}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoder(raw: bool) -> Decoder {
        let mut table = Table { raw, ..Table::default() };
        for (index, tag, text) in [
            (1, "defmt_info", "hello {=u8} {=i16:x} {=str}"),
            (2, "defmt_println", "{0=0..4:b} {0=4..9} {1=bool} {2=[u8]:a}"),
            (3, "defmt_warn", "{:#04x} {=[?]} {=f32}"),
            (4, "defmt_derived", "Point {{ x: {=u8}, y: {=i8} }}"),
            (5, "defmt_derived", "None|Some({=u16})"),
            (6, "defmt_prim", "{=u8}"),
            (7, "defmt_error", "{=istr} {=__internal_Debug} {=char} {=[u8; 3]}"),
            (8, "defmt_str", "interned"),
            (9, "defmt_debug", "{=?}"),
            (10, "defmt_derived", "{=?}"),
        ] {
            let name = serde_json::json!({ "package": "p", "tag": tag, "data": text, "disambiguator": "1" });
            table.add(index, &name.to_string());
        }
        Decoder::new(Rc::new(table))
    }

    fn text(frame: &[u8]) -> String {
        decoder(true).feed(frame)
    }

    #[test]
    fn arguments() {
        assert_eq!(text(b"\x01\0\x2a\xfe\xff\x03\0\0\0abc"), "INFO  hello 42 fffe abc\n");
        assert_eq!(text(b"\x02\0\x15\x01\x01\x02\0\0\0A\n"), "101 17 true b\"A\\n\"\n");
        assert_eq!(
            text(b"\x03\0\x06\0\x0a\x02\0\0\0\x05\0\0\x01\x34\x12\0\0\xc0\x3f"),
            "WARN  0x0a [None, Some(4660)] 1.5\n"
        );
        assert_eq!(text(b"\x09\0\x04\0\x01\xff"), "DEBUG Point { x: 1, y: -1 }\n");
        assert_eq!(text(b"\x07\0\x08\0dbg\xffz\0\0\0\x01\x02\x03"), "ERROR interned dbg z [1, 2, 3]\n");
    }

    #[test]
    fn frames_that_are_none() {
        assert_eq!(text(b"\x01\0\x2a"), "", "it may go on");
        assert_eq!(text(b"\x63\0"), MALFORMED, "no such string");
        // A format within itself without end
        assert_eq!(text(&[[9, 0].as_slice(), &[10, 0].repeat(100)].concat()), MALFORMED);
        // Four billion elements that take no bytes
        let mut decoder = decoder(true);
        assert_eq!(decoder.feed(b"\x03\0\x06\0\x0a\xff\xff\xff\xff\x08\0"), MALFORMED);
    }

    /// Frames come in pieces, and what came before the first end may be half of one.
    #[test]
    fn separated_frames() {
        let mut decoder = decoder(false);
        // 01 00 2a fe ff 00 00 00 00: seven bytes, of which those behind ff are zero, then two zeros and five fillers
        let frame = [1, 0x2a, 0xfe, 0xff, 0b110_0010, 0];
        assert_eq!(rzcobs(&frame[..5]).unwrap(), [1, 0, 0x2a, 0xfe, 0xff, 0, 0]);
        assert_eq!(decoder.feed(&[7, 0, 0]), MALFORMED);
        assert_eq!(decoder.feed(&[9, 4, 5, 6]), "");
        // 09 00 04 00 05 06: the second and fourth are zero, the seventh is not there
        assert_eq!(decoder.feed(&[0]), MALFORMED);
        let mut lines = String::new();
        for byte in [9, 4, 5, 6, 0b100_1010, 0] {
            lines += &decoder.feed(&[byte]);
        }
        assert_eq!(lines, "DEBUG Point { x: 5, y: 6 }\n");
        assert_eq!(rzcobs(&[&[7; 8][..], &[0x81]].concat()).unwrap(), [&[7; 8][..], &[0]].concat());
        assert_eq!(rzcobs(&[&[7; 134][..], &[0xff]].concat()).unwrap(), [7; 134]);
    }

    #[test]
    fn time_stamps_and_hints() {
        let mut table = Table { raw: true, ..Table::default() };
        table.add(1, r#"{"tag":"defmt_timestamp","data":"{=u64:us}"}"#);
        table.add(2, r#"{"tag":"defmt_info","data":"{=u32:tms} {=u8:08b} {=u16:#X} {=i8:03}"}"#);
        let mut decoder = Decoder::new(Rc::new(table));
        assert_eq!(
            decoder.feed(b"\x02\0\x40\x42\x0f\0\0\0\0\0\x39\x30\0\0\x05\xef\xbe\xff"),
            "1.000000 INFO  00:00:12.345 00000101 0xBEEF -01\n"
        );
    }
}
