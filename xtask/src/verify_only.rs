//! Verification alone on a Cortex-M4: it must not be able to panic or allocate, and this is what it weighs.
//!
//! `firmware/verify-only` is a static library with one function for each set and profile, `verify_…`. Each is linked
//! on its own with all that it does not reach dropped; the panic handler or an allocator that is still there can be
//! reached, and the relocations say from where.
use addr2line::Loader;
use anyhow::{Context, Result, bail, ensure};
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionKind};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::bare_metal::{self, CORTEX_M4, Compiler};
use crate::{repository, shell};

/// Functions of the library that are linked and looked at.
const PREFIX: &str = "verify_";

/// A function of the library that does panic: the check has to find it.
const CONTROL: &str = "control_that_panics";

/// What the panic handler of the library is called.
const PANIC: &str = "verify_only_panic";

pub fn run() -> Result<()> {
    let compiler = Compiler::for_target(CORTEX_M4)?;
    println!("{CORTEX_M4}, {}\n", compiler.version()?);
    build_libraries(&compiler)?;
    println!("{:40}{:>8}{:>12}{:>8}", "bytes", "code", "constants", "RAM");
    let mut faults = Vec::new();
    for profile in ["release", "size"] {
        let archive = build(&compiler, profile)?;
        let control = Program::link(&compiler, &archive, CONTROL)?;
        ensure!(!control.faults.is_empty(), "the check does not see that {CONTROL} panics");
        for entry in entries(&archive)? {
            let name = format!("{} ({profile})", &entry[PREFIX.len()..]);
            let program = Program::link(&compiler, &archive, &entry)?;
            println!("{name:40}{:>8}{:>12}{:>8}", program.code, program.constants, program.ram);
            faults.extend(program.faults.iter().map(|fault| format!("{name}: {fault}")));
        }
    }
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    Ok(())
}

/// Builds all of the libraries, not only what verifies.
fn build_libraries(compiler: &Compiler) -> Result<()> {
    let mut cargo = compiler.cargo(CORTEX_M4);
    cargo.args([
        "build",
        "--quiet",
        "--target",
        CORTEX_M4,
        "--package",
        "pqsoc-mldsa",
        "--package",
        "pqsoc-slhdsa",
    ]);
    shell::run(cargo.args(["--features", "pqsoc-mldsa/dilithium,pqsoc-mldsa/pkcs8,pqsoc-slhdsa/sphincsplus"]))
}

fn build(compiler: &Compiler, profile: &str) -> Result<PathBuf> {
    let manifest = repository::root().join("firmware/verify-only/Cargo.toml");
    let mut cargo = compiler.cargo(CORTEX_M4);
    cargo
        .args(["build", "--quiet", "--target", CORTEX_M4, "--profile", profile, "--manifest-path"])
        .arg(manifest);
    shell::run(&mut cargo)?;
    Ok(bare_metal::target_directory().join(CORTEX_M4).join(profile).join("libverify_only.a"))
}

/// The functions of the library that start with [`PREFIX`].
fn entries(archive: &Path) -> Result<BTreeSet<String>> {
    let bytes = std::fs::read(archive).with_context(|| format!("cannot read {}", archive.display()))?;
    let mut names = BTreeSet::new();
    for member in ArchiveFile::parse(&*bytes)?.members() {
        let Ok(file) = object::File::parse(member?.data(&*bytes)?) else { continue };
        let defined = file.symbols().filter(|symbol| symbol.is_definition() && symbol.is_global());
        let ours = defined.filter_map(|s| s.name().ok()).filter(|n| n.starts_with(PREFIX) && *n != PANIC);
        names.extend(ours.map(str::to_owned));
    }
    ensure!(!names.is_empty(), "{} has no function {PREFIX}…", archive.display());
    Ok(names)
}

/// Bytes of a linked program, and how it can panic or allocate.
struct Program {
    code: u64,
    constants: u64,
    ram: u64,
    faults: BTreeSet<String>,
}

impl Program {
    fn link(compiler: &Compiler, archive: &Path, entry: &str) -> Result<Self> {
        let path = link(compiler, archive, entry, &[])?;
        let bytes = std::fs::read(&path)?;
        let file = object::File::parse(&*bytes)?;
        let size = |kinds: &[SectionKind]| {
            file.sections().filter(|s| kinds.contains(&s.kind())).map(|s| s.size()).sum()
        };
        let defined: Vec<_> =
            file.symbols().filter(|s| s.is_definition()).filter_map(|s| s.name().ok()).collect();
        let forbidden =
            [PANIC, "__rust_alloc"].into_iter().filter(|f| defined.iter().any(|name| name.contains(f)));
        let mut faults: BTreeSet<_> = forbidden.map(|name| format!("reaches {name}")).collect();
        if !faults.is_empty() {
            let with_relocations = link(compiler, archive, entry, &["--emit-relocs"])?;
            faults.extend(references_to_panics(&path, &with_relocations)?);
        }
        Ok(Self {
            code: size(&[SectionKind::Text]),
            constants: size(&[SectionKind::ReadOnlyData, SectionKind::ReadOnlyString]),
            ram: size(&[SectionKind::Data, SectionKind::UninitializedData]),
            faults,
        })
    }
}

/// Links what `entry` reaches, at the address where an STM32's flash is.
fn link(compiler: &Compiler, archive: &Path, entry: &str, options: &[&str]) -> Result<PathBuf> {
    let program = archive.with_file_name([entry, options.concat().as_str()].concat());
    let mut linker = compiler.linker()?;
    linker.args(["--gc-sections", "-Ttext=0x08000000", "-u", entry, "-e", entry]).args(options);
    shell::output(linker.arg("-o").arg(&program).arg(archive))?;
    Ok(program)
}

/// The places that refer to functions of `core` that panic: found in the relocations of one program, and named by the
/// debug information of the same program without (the reader of lines would apply them a second time).
fn references_to_panics(path: &Path, with_relocations: &Path) -> Result<BTreeSet<String>> {
    let lines = Loader::new(path).map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
    let bytes = std::fs::read(with_relocations)?;
    let file = object::File::parse(&*bytes)?;
    let mut places = BTreeSet::new();
    for section in file.sections().filter(|s| s.kind() == SectionKind::Text) {
        for (address, relocation) in section.relocations() {
            let RelocationTarget::Symbol(index) = relocation.target() else { continue };
            let name = format!("{:#}", rustc_demangle::demangle(file.symbol_by_index(index)?.name()?));
            if name != PANIC && ["panic", "_fail"].iter().any(|part| name.contains(part)) {
                // One panicking function that calls another is no news.
                places.extend(place(&lines, address).map(|place| format!("{name} from {place}")));
            }
        }
    }
    Ok(places)
}

/// The lines of source at an address, from the innermost inlined function out, without those of `core`; `None` if that
/// leaves none.
fn place(lines: &Loader, address: u64) -> Option<String> {
    let mut frames = Vec::new();
    let mut found = lines.find_frames(address).ok()?;
    while let Ok(Some(frame)) = found.next() {
        let Some((Some(file), line)) = frame.location.map(|l| (l.file, l.line)) else { continue };
        if !file.contains("/library/core/src/") {
            frames.push(format!("{file}:{}", line.unwrap_or(0)));
        }
    }
    (!frames.is_empty()).then(|| frames.join(" < "))
}
