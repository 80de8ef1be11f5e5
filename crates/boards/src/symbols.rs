// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Names for addresses, and callers for functions.
//!
//! Functions come from the symbol table, files and lines from DWARF, callers from `.debug_frame`. Where a function
//! has no unwind information, its caller is guessed from LR or from words on the stack that point behind a call.

use std::sync::Arc;

use addr2line::Context;
use gimli::{BaseAddresses, CfaRule, DebugFrame, EndianArcSlice, RegisterRule, SectionId, UnwindContext};
use gimli::{LittleEndian as GimliLittle, Register, UnwindSection};
use object::elf::{SHF_ALLOC, STB_GLOBAL, STT_FUNC, STT_NOTYPE, STT_OBJECT};
use object::read::elf::ElfFile32;
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol, SectionFlags, SectionKind};
use serde::Serialize;

type Slice = EndianArcSlice<GimliLittle>;

/// A function or a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Demangled.
    pub name: String,
    /// First address, without the Thumb bit.
    pub address: u32,
    /// Bytes; up to the next symbol where the symbol table does not say.
    pub size: u32,
}

/// A place in a back trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Frame {
    /// The instruction executed, or for a caller the one after its call.
    pub pc: u32,
    /// Name of the function, or of the section if no symbol covers the address.
    pub function: String,
    /// File and line, with debug information.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// Inlined into the next frame.
    pub inlined: bool,
    /// Guessed from the stack's contents: no unwind information covers the function called.
    pub guessed: bool,
}

impl Frame {
    /// A Rust panic is on its way.
    pub(crate) fn panics(&self) -> bool {
        self.function.contains("panic") || self.function.contains("rust_begin_unwind")
    }
}

/// What unwinding needs of a core that stands still.
pub trait Stopped {
    /// It executes A32 too: an even return address is one, and no return address stands for an exception's end.
    const A32: bool;
    /// R0 to R15.
    fn registers(&self) -> [u32; 16];
    /// The process stack pointer.
    fn process_stack(&self) -> u32;
    /// A word of memory, if there is one.
    fn word(&self, address: u32) -> Option<u32>;
}

/// The names and unwind rules of one program.
pub struct Symbols {
    functions: Vec<Symbol>,
    objects: Vec<Symbol>,
    sections: Vec<Symbol>,
    /// What linker scripts define, by name and address.
    labels: Vec<(String, u32)>,
    code: Vec<(u32, u32)>,
    lines: Option<Context<Slice>>,
    frames: DebugFrame<Slice>,
}

impl Symbols {
    pub(crate) fn new(file: &ElfFile32<'_, LittleEndian>) -> Self {
        let section = |name: &str| -> Slice {
            let data =
                file.section_by_name(name).and_then(|s| s.uncompressed_data().ok()).unwrap_or_default();
            EndianArcSlice::new(Arc::from(&*data), GimliLittle)
        };
        let lines = gimli::Dwarf::load(|id: SectionId| Ok::<_, gimli::Error>(section(id.name())))
            .and_then(Context::from_dwarf)
            .ok();
        let mut frames = DebugFrame::from(section(".debug_frame"));
        frames.set_address_size(4);

        let (mut functions, mut objects, mut labels) = (Vec::new(), Vec::new(), Vec::new());
        for symbol in file.symbols() {
            let raw = symbol.elf_symbol();
            let (Ok(name), address, size) = (symbol.name(), symbol.address() as u32, symbol.size() as u32)
            else {
                continue;
            };
            if name.is_empty() || name.starts_with('$') || symbol.section_index().is_none() {
                continue;
            }
            let name = format!("{:#}", rustc_demangle::demangle(name));
            match raw.st_type() {
                STT_FUNC => functions.push(Symbol { name, address: address & !1, size }),
                STT_OBJECT => objects.push(Symbol { name, address, size }),
                // Labels of assembly code: functions in all but name.
                STT_NOTYPE if raw.st_bind() == STB_GLOBAL && in_text(file, &symbol) => {
                    functions.push(Symbol { name, address: address & !1, size });
                }
                STT_NOTYPE if raw.st_bind() == STB_GLOBAL => labels.push((name, address)),
                _ => {}
            }
        }
        let mut sections = Vec::new();
        let mut code = Vec::new();
        for s in file.sections() {
            let (address, size) = (s.address() as u32, s.size() as u32);
            if let SectionFlags::Elf { sh_flags, .. } = s.flags()
                && size != 0
                && sh_flags.0 & SHF_ALLOC.0 != 0
            {
                sections.push(Symbol { name: s.name().unwrap_or("?").to_string(), address, size });
            }
            if s.kind() == SectionKind::Text {
                code.push((address, address.saturating_add(size)));
            }
        }
        for list in [&mut functions, &mut objects, &mut sections] {
            // The largest symbol of an address first: aliases and empty labels go.
            list.sort_by_key(|s| (s.address, u32::MAX - s.size));
            list.dedup_by_key(|s| s.address);
        }
        close_gaps(&mut functions, &code);
        Self { functions, objects, sections, labels, code, lines, frames }
    }

    /// The functions by address.
    pub fn functions(&self) -> &[Symbol] {
        &self.functions
    }

    /// The function that `address` (with or without Thumb bit) lies in.
    pub fn function_at(&self, address: u32) -> Option<&Symbol> {
        covering(&self.functions, address & !1)
    }

    /// The variable that `address` lies in.
    pub fn object_at(&self, address: u32) -> Option<&Symbol> {
        covering(&self.objects, address)
    }

    /// The section that `address` lies in.
    pub fn section_at(&self, address: u32) -> Option<&Symbol> {
        covering(&self.sections, address)
    }

    /// The function called `name`: its whole demangled name, or else the only one that ends in `::name`.
    pub fn function(&self, name: &str) -> Option<&Symbol> {
        if let Some(symbol) = self.functions.iter().find(|s| s.name == name) {
            return Some(symbol);
        }
        let suffix = format!("::{name}");
        let mut matches = self.functions.iter().filter(|s| s.name.ends_with(&suffix));
        matches.next().filter(|_| matches.next().is_none())
    }

    /// The variable called `name`.
    pub fn object(&self, name: &str) -> Option<&Symbol> {
        self.objects.iter().find(|s| s.name == name)
    }

    /// The address that a linker script calls `name`.
    pub fn label(&self, name: &str) -> Option<u32> {
        self.labels.iter().find(|label| label.0 == name).map(|label| label.1)
    }

    /// The sections by address.
    pub fn sections(&self) -> &[Symbol] {
        &self.sections
    }

    /// "function+0x12", or the section if no function is there, or the bare address.
    pub fn describe(&self, address: u32) -> String {
        let named = self
            .function_at(address)
            .or_else(|| self.object_at(address))
            .or_else(|| self.section_at(address));
        match named {
            Some(symbol) => match (address & !1) - (symbol.address & !1) {
                0 => symbol.name.clone(),
                offset => format!("{}+{offset:#x}", symbol.name),
            },
            None => format!("{address:#010x}"),
        }
    }

    /// The frames at one address, innermost first: inlined functions, then the function itself.
    fn frames_at(&self, pc: u32, lookup: u32, guessed: bool, out: &mut Vec<Frame>) {
        let first = out.len();
        let frames =
            self.lines.as_ref().and_then(|lines| lines.find_frames(lookup.into()).skip_all_loads().ok());
        if let Some(mut frames) = frames {
            while let Ok(Some(frame)) = frames.next() {
                let name = frame.function.and_then(|f| f.raw_name().ok().map(|n| n.into_owned()));
                let Some(name) = name else { continue };
                let location = frame.location.and_then(|l| {
                    let file = l.file?;
                    let file = file.rsplit('/').next().unwrap_or(file);
                    Some(format!("{file}:{}", l.line?))
                });
                let function = format!("{:#}", rustc_demangle::demangle(&name));
                out.push(Frame { pc, function, location, inlined: true, guessed });
            }
        }
        if let [.., last] = &mut out[first..] {
            last.inlined = false;
        } else {
            let function = match self.function_at(lookup).or_else(|| self.section_at(lookup)) {
                Some(symbol) => symbol.name.clone(),
                None => format!("{pc:#010x}"),
            };
            out.push(Frame { pc, function, location: None, inlined: false, guessed });
        }
    }

    /// Who called whom, innermost first; at most `limit` calls.
    pub fn back_trace<C: Stopped>(&self, core: &C, limit: usize) -> Vec<Frame> {
        let mut frames = Vec::new();
        let mut regs = core.registers();
        let mut context = UnwindContext::new();
        // A caller's PC is the return address: the call is before it, and may be the last instruction of its function.
        let mut lookup = regs[15] & !1;
        let mut guessed = false;
        let mut innermost = true;
        for _ in 0..limit {
            self.frames_at(regs[15] & !1, lookup, guessed, &mut frames);
            let caller = match self.unwind(lookup, &regs, core, &mut context) {
                Some(caller) => {
                    guessed = false;
                    caller
                }
                None => match self.guess(&regs, core, innermost) {
                    Some(caller) => {
                        guessed = true;
                        caller
                    }
                    None => break,
                },
            };
            innermost = false;
            if !C::A32 && caller[15] >= 0xffff_ffe0 {
                // Returning there ends an exception: the interrupted place is in the frame that the core pushed.
                match exception_frame(&caller, core) {
                    Some(interrupted) => regs = interrupted,
                    None => break,
                }
                lookup = regs[15] & !1;
                innermost = true;
            } else {
                if !self.is_code(caller[15]) || (caller[13], caller[15]) == (regs[13], regs[15]) {
                    break;
                }
                regs = caller;
                lookup = (regs[15] & !1).wrapping_sub(2);
            }
        }
        frames
    }

    /// The caller's registers by `.debug_frame`.
    fn unwind<C: Stopped>(
        &self,
        pc: u32,
        regs: &[u32; 16],
        core: &C,
        context: &mut UnwindContext<usize>,
    ) -> Option<[u32; 16]> {
        let bases = BaseAddresses::default();
        let fde = self.frames.fde_for_address(&bases, pc.into(), DebugFrame::cie_from_offset).ok()?;
        let row = fde.unwind_info_for_address(&self.frames, &bases, context, pc.into()).ok()?;
        let CfaRule::RegisterAndOffset { register, offset } = row.cfa() else { return None };
        let cfa = regs.get(register.0 as usize)?.wrapping_add(*offset as u32);
        let mut caller = *regs;
        for (i, value) in caller.iter_mut().enumerate().take(15) {
            match row.register(Register(i as u16)) {
                Some(RegisterRule::Offset(at)) => *value = core.word(cfa.wrapping_add(at as u32))?,
                Some(RegisterRule::ValOffset(at)) => *value = cfa.wrapping_add(at as u32),
                Some(RegisterRule::Register(r)) => *value = *regs.get(r.0 as usize)?,
                _ => {}
            }
        }
        caller[15] = match row.register(fde.cie().return_address_register()) {
            Some(RegisterRule::Undefined) => return None,
            _ => caller[14],
        };
        caller[13] = cfa;
        // In T32 a return address is odd; EXC_RETURN values are too.
        (C::A32 || caller[15] & 1 == 1).then_some(caller)
    }

    /// A caller without unwind information: LR if this is the innermost function, else the next word up the stack
    /// that points behind a call.
    fn guess<C: Stopped>(&self, regs: &[u32; 16], core: &C, innermost: bool) -> Option<[u32; 16]> {
        let mut caller = *regs;
        let here = self.function_at(regs[15]).map(|f| f.address);
        if innermost
            && (!C::A32 && regs[14] >= 0xffff_ffe0
                || self.follows_call(regs[14], core) && self.function_at(regs[14]).map(|f| f.address) != here)
        {
            caller[15] = regs[14];
            return Some(caller);
        }
        let mut at = regs[13] & !3;
        for _ in 0..4096 {
            let word = core.word(at)?;
            at = at.wrapping_add(4);
            if self.follows_call(word, core) {
                caller[13] = at;
                caller[15] = word;
                return Some(caller);
            }
        }
        None
    }

    /// Does `address` lie in a section of code?
    pub fn is_code(&self, address: u32) -> bool {
        self.code.iter().any(|&(start, end)| (start..end).contains(&(address & !1)))
    }

    /// Is `address` an address behind BL or BLX, odd if that is in T32?
    fn follows_call<C: Stopped>(&self, address: u32, core: &C) -> bool {
        let at = address & !1;
        if !self.is_code(at.wrapping_sub(2)) {
            return false;
        }
        if address & 1 == 0 {
            let Some(before) = core.word(at.wrapping_sub(4)).filter(|_| C::A32 && at & 2 == 0) else {
                return false;
            };
            let bl = before & 0x0f00_0000 == 0x0b00_0000 && before >> 28 != 15;
            let blx = before & 0x0fff_fff0 == 0x012f_ff30 || before >> 25 == 0x7d;
            return bl || blx;
        }
        let half =
            |at: u32| core.word(at & !3).map(|w| if at & 2 == 0 { w as u16 } else { (w >> 16) as u16 });
        let (Some(before), Some(last)) = (half(at.wrapping_sub(4)), half(at.wrapping_sub(2))) else {
            return false;
        };
        let bl = before & 0xf800 == 0xf000 && last & 0xd000 == 0xd000;
        let blx = last & 0xff87 == 0x4780;
        bl || blx
    }
}

/// The registers of the code that an exception interrupted, from its frame at SP.
fn exception_frame(handler: &[u32; 16], core: &impl Stopped) -> Option<[u32; 16]> {
    let sp = if handler[15] & 4 != 0 { core.process_stack() } else { handler[13] };
    let word = |i: u32| core.word(sp.wrapping_add(4 * i));
    let mut regs = *handler;
    for i in 0..4 {
        regs[i as usize] = word(i)?;
    }
    regs[12] = word(4)?;
    regs[14] = word(5)?;
    regs[15] = word(6)?;
    let xpsr = word(7)?;
    let size = if handler[15] & 0x10 == 0 { 26 * 4 } else { 8 * 4 };
    regs[13] = sp.wrapping_add(size + (xpsr >> 9 & 1) * 4);
    Some(regs)
}

fn in_text<'a>(file: &ElfFile32<'a, LittleEndian>, symbol: &impl ObjectSymbol<'a>) -> bool {
    symbol
        .section_index()
        .and_then(|i| file.section_by_index(i).ok())
        .is_some_and(|s| s.kind() == SectionKind::Text)
}

fn covering(symbols: &[Symbol], address: u32) -> Option<&Symbol> {
    let after = symbols.partition_point(|s| s.address <= address);
    let symbol = symbols.get(after.checked_sub(1)?)?;
    (address - symbol.address < symbol.size).then_some(symbol)
}

/// Gives symbols without a size all bytes up to the next symbol or the end of their section.
fn close_gaps(functions: &mut [Symbol], code: &[(u32, u32)]) {
    for i in 0..functions.len() {
        if functions[i].size != 0 {
            continue;
        }
        let start = functions[i].address;
        let section = code.iter().find(|&&(first, end)| (first..end).contains(&start)).map_or(start, |s| s.1);
        let next = functions.get(i + 1).map_or(section, |f| f.address);
        functions[i].size = next.min(section).saturating_sub(start);
    }
}
