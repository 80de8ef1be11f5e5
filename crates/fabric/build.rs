//! Turns `hw/rtl` into native code: Verilator translates, the C++ compiler compiles with -O3, and a table of every
//! model's ports is written for `src/ffi.rs`. All profiles share the result.
//!
//! Without Verilator the crate still builds; its models then say what to install when they are asked for. While one works
//! on RTL, `PQSOC_MODELS=FABRIC_4X1,SAMPLER` builds these models only.
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use pqsoc_keccak::{Sha3_256, Software};

/// A model to build: its name in Rust, its top module, its parameters, and what it is.
struct Wanted {
    name: &'static str,
    top: &'static str,
    parameters: &'static [(&'static str, u32)],
    what: &'static str,
}

const fn wanted(
    name: &'static str,
    top: &'static str,
    parameters: &'static [(&'static str, u32)],
    what: &'static str,
) -> Wanted {
    Wanted { name, top, parameters, what }
}

const MODELS: [Wanted; 17] = [
    wanted(
        "FABRIC_4X1",
        "fabric",
        &[("Butterflies", 4), ("RoundsPerCycle", 1)],
        "Four butterflies, one round a cycle.",
    ),
    wanted(
        "FABRIC_2X2",
        "fabric",
        &[("Butterflies", 2), ("RoundsPerCycle", 2)],
        "Two butterflies, two rounds a cycle.",
    ),
    wanted(
        "FABRIC_1X1",
        "fabric",
        &[("Butterflies", 1), ("RoundsPerCycle", 1)],
        "One butterfly, one round a cycle.",
    ),
    wanted(
        "FABRIC_1X2",
        "fabric",
        &[("Butterflies", 1), ("RoundsPerCycle", 2), ("Slots", 16), ("FifoLog2", 5)],
        "One butterfly, two rounds a cycle, 16 slots, 32 commands.",
    ),
    wanted(
        "FABRIC_2X1",
        "fabric",
        &[("Butterflies", 2), ("RoundsPerCycle", 1), ("Slots", 2), ("FifoLog2", 1)],
        "Two butterflies, one round a cycle, 2 slots, 2 commands.",
    ),
    wanted(
        "FABRIC_4X2",
        "fabric",
        &[("Butterflies", 4), ("RoundsPerCycle", 2), ("Slots", 256), ("FifoLog2", 15)],
        "Four butterflies, two rounds a cycle, 256 slots, 32768 commands.",
    ),
    wanted("MOD_REDUCE", "mod_reduce", &[], "Reduction modulo q."),
    wanted(
        "POLY_UNIT_4",
        "poly_unit",
        &[("Butterflies", 4), ("Slots", 4)],
        "Polynomial unit, four butterflies, four slots.",
    ),
    wanted(
        "POLY_UNIT_2",
        "poly_unit",
        &[("Butterflies", 2), ("Slots", 4)],
        "Polynomial unit, two butterflies, four slots.",
    ),
    wanted(
        "POLY_UNIT_1",
        "poly_unit",
        &[("Butterflies", 1), ("Slots", 4)],
        "Polynomial unit, one butterfly, four slots.",
    ),
    wanted("KECCAK_1", "keccak_f1600", &[("RoundsPerCycle", 1)], "Keccak-f\\[1600\\], one round a cycle."),
    wanted("KECCAK_2", "keccak_f1600", &[("RoundsPerCycle", 2)], "Keccak-f\\[1600\\], two rounds a cycle."),
    wanted("SPONGE", "sponge", &[], "Sponge, one round a cycle."),
    wanted("SAMPLER", "sampler", &[], "Sampler."),
    wanted("STREAM_BUFFER", "stream_buffer", &[("Width", 64)], "Stream buffer, 64 bits."),
    wanted("STREAM_OUT", "stream_out", &[], "Output stream."),
    wanted("COMMAND_FIFO", "command_fifo", &[("DepthLog2", 3)], "Command FIFO of 8 commands."),
];

fn main() -> Result<()> {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").context("no CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var_os("OUT_DIR").context("no OUT_DIR")?);
    let rtl = manifest.join("../../hw/rtl").canonicalize()?;
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", rtl.display());
    println!("cargo::rerun-if-env-changed=PQSOC_MODELS");
    let only = env::var("PQSOC_MODELS").unwrap_or_default();
    println!("cargo::rustc-env=PQSOC_RTL_SHA3_256={}", digest(&rtl)?);

    let Ok(version) = Command::new("verilator").arg("--version").output() else {
        println!(
            "cargo::warning=no Verilator: the fabric cannot be simulated. apt-get install verilator g++"
        );
        // There is no such file, so cargo looks for Verilator again at the next build.
        println!("cargo::rerun-if-changed=no-verilator");
        let mut table = String::new();
        for model in &MODELS {
            missing(&mut table, model)?;
        }
        return Ok(fs::write(out.join("models.rs"), table)?);
    };
    let wave = env::var_os("CARGO_FEATURE_WAVE").is_some();

    // The models are the same for every profile, so they are kept beside the profiles' folders and made once.
    let kind = if wave { "wave" } else { "plain" };
    let shelf =
        out.ancestors().nth(4).context("OUT_DIR is not deep enough")?.join("fabric-models").join(kind);
    let key = key(&rtl, &only, &version.stdout)?;
    if fs::read_to_string(shelf.join("key")).is_ok_and(|kept| kept == key) {
        return link(&shelf, &out, wave);
    }
    if shelf.exists() {
        fs::remove_dir_all(&shelf)?;
    }
    fs::create_dir_all(&shelf)?;
    build(&rtl, &out, &shelf, &only, wave)?;
    fs::write(shelf.join("key"), key)?;
    link(&shelf, &out, wave)
}

/// Everything that the models depend on, as text.
fn key(rtl: &Path, only: &str, version: &[u8]) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    (include_str!("build.rs"), only, version, env::var("TARGET")?).hash(&mut hasher);
    for file in rtl_files(rtl)? {
        fs::read(rtl.join(file))?.hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// SHA3-256 of the sources, in hexadecimal.
fn digest(rtl: &Path) -> Result<String> {
    let mut parts = Vec::new();
    for file in rtl_files(rtl)? {
        let text = fs::read(rtl.join(&file))?;
        for part in [file.into_bytes(), text] {
            parts.push((part.len() as u64).to_le_bytes().to_vec());
            parts.push(part);
        }
    }
    let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
    let digest = Sha3_256::<Software>::digest(&parts);
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The sources of the IP in the order of compilation.
fn rtl_files(rtl: &Path) -> Result<Vec<String>> {
    let files = fs::read_to_string(rtl.join("fabric.f"))?;
    Ok(files.split_whitespace().map(str::to_owned).collect())
}

/// Tells cargo where the models are.
fn link(shelf: &Path, out: &Path, wave: bool) -> Result<()> {
    fs::copy(shelf.join("models.rs"), out.join("models.rs"))?;
    println!("cargo::rustc-link-search=native={}", shelf.display());
    println!("cargo::rustc-link-lib=static={LIBRARY}");
    let apple = env::var("CARGO_CFG_TARGET_VENDOR").is_ok_and(|vendor| vendor == "apple");
    println!("cargo::rustc-link-lib={}", if apple { "c++" } else { "stdc++" });
    if wave {
        println!("cargo::rustc-link-lib=z");
    }
    Ok(())
}

const LIBRARY: &str = "pqsoc_fabric_models";

/// Translates and compiles all models into the folder `shelf`.
fn build(rtl: &Path, out: &Path, shelf: &Path, only: &str, wave: bool) -> Result<()> {
    let root = verilator_root()?;
    let compiler = |level: u32| {
        let mut cpp = cc::Build::new();
        cpp.cpp(true).cargo_metadata(false).std("c++17").opt_level(level).debug(false).warnings(false);
        cpp.define("VM_TRACE", if wave { "1" } else { "0" }).define("VM_COVERAGE", "0").define("VM_SC", "0");
        cpp.flag_if_supported("-fno-strict-aliasing").flag_if_supported("-fcf-protection=none");
        cpp.include(root.join("include")).include(root.join("include/vltstd")).include(out);
        cpp
    };
    // What runs every cycle; and what runs once, which Verilator puts into files of their own.
    let (mut fast, mut slow) = (compiler(3), compiler(0));
    fast.out_dir(shelf).file(root.join("include/verilated.cpp"));
    fast.file(root.join("include/verilated_threads.cpp"));
    if wave {
        fast.file(root.join("include/verilated_fst_c.cpp"));
    }

    let mut externs = String::new();
    let mut table = String::new();
    // One source for all the small models: most of their time goes into Verilator's headers.
    let (mut benches_fast, mut benches_slow) = (String::new(), String::new());
    for wanted in &MODELS {
        let name = wanted.name;
        if !only.is_empty() && !only.split(',').any(|only| only == name) {
            missing(&mut table, wanted)?;
            continue;
        }
        // Verilator's tracing functions have the same names in all models, so those that share a source go without.
        let wave = wave && wanted.top == "fabric";
        let model = verilate(rtl, out, wanted, wave)?;
        let (rare, often): (Vec<_>, Vec<_>) = model.sources.iter().partition(|s| s.contains("__Slow"));
        let include = |sources: &[&String]| -> String {
            sources.iter().map(|source| format!("#include \"{name}/{source}\"\n")).collect()
        };
        let (often, rare) = (include(&often) + &shim_source(name, &model, wave), include(&rare));
        for (compiler, text, benches, file) in [
            (&mut fast, often, &mut benches_fast, format!("{name}_fast.cpp")),
            (&mut slow, rare, &mut benches_slow, format!("{name}_slow.cpp")),
        ] {
            if wanted.top == "fabric" {
                fs::write(out.join(&file), text)?;
                compiler.file(out.join(&file));
            } else {
                *benches += &text;
            }
            compiler.include(&model.folder);
        }
        declare(&mut externs, &mut table, wanted, &model)?;
    }
    for (compiler, text, file) in
        [(&mut fast, benches_fast, "benches_fast.cpp"), (&mut slow, benches_slow, "benches_slow.cpp")]
    {
        fs::write(out.join(file), text)?;
        compiler.file(out.join(file));
    }
    let failed = "compiling the models: are g++ and zlib's headers there? apt-get install g++ zlib1g-dev";
    fast.objects(slow.try_compile_intermediates().context(failed)?);
    fast.try_compile(LIBRARY).context(failed)?;
    Ok(fs::write(shelf.join("models.rs"), format!("unsafe extern \"C\" {{\n{externs}}}\n{table}"))?)
}

/// Where Verilator keeps its headers.
fn verilator_root() -> Result<PathBuf> {
    let output = Command::new("verilator").args(["--getenv", "VERILATOR_ROOT"]).output()?;
    Ok(PathBuf::from(String::from_utf8(output.stdout)?.trim()))
}

struct Port {
    name: String,
    bits: u32,
    /// Bytes of its storage in the model.
    bytes: u32,
}

struct Model {
    folder: PathBuf,
    sources: Vec<String>,
    ports: Vec<Port>,
    signals: Vec<Port>,
}

fn verilate(rtl: &Path, out: &Path, wanted: &Wanted, wave: bool) -> Result<Model> {
    let Wanted { name, top, parameters, .. } = wanted;
    let folder = out.join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let mut command = Command::new("verilator");
    command.current_dir(rtl).args(["--cc", "-O3", "--x-assign", "fast", "--x-initial", "fast", "--assert"]);
    command.args(["-Wno-fatal", "-Wno-lint", "--prefix", name, "--top-module", top, "--Mdir"]).arg(&folder);
    if wave {
        command.arg("--trace-fst");
    }
    for (parameter, value) in *parameters {
        command.arg(format!("-G{parameter}={value}"));
    }
    command.args(rtl_files(rtl)?);
    let output = command.output()?;
    ensure!(output.status.success(), "Verilator on {top}:\n{}", String::from_utf8_lossy(&output.stderr));

    let mut sources = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let file = entry?.file_name().to_string_lossy().into_owned();
        if file.ends_with(".cpp") {
            sources.push(file);
        }
    }
    sources.sort();
    let header = |suffix: &str| fs::read_to_string(folder.join(format!("{name}{suffix}.h")));
    let (ports, signals) = (ports(&header("")?)?, signals(&header("___024root")?, top)?);
    Ok(Model { folder, sources, ports, signals })
}

/// The ports in a model's header: `VL_IN8(&name,msb,lsb);`, with 8, 16, nothing, 64 or W for its storage.
fn ports(header: &str) -> Result<Vec<Port>> {
    let mut ports = Vec::new();
    for line in header.lines().map(str::trim) {
        let Some(rest) = line.strip_prefix("VL_IN").or_else(|| line.strip_prefix("VL_OUT")) else { continue };
        let (kind, rest) = rest.split_once("(&").context("no port name")?;
        let mut fields = rest.trim_end_matches(");").split(',');
        let name = fields.next().context("no port name")?.to_string();
        let msb: u32 = fields.next().context("no msb")?.parse()?;
        let lsb: u32 = fields.next().context("no lsb")?.parse()?;
        let bits = msb - lsb + 1;
        let bytes = match kind {
            "8" => 1,
            "16" => 2,
            "" => 4,
            "64" => 8,
            "W" => bits.div_ceil(32) * 4,
            other => anyhow::bail!("port {name}: storage {other}"),
        };
        ports.push(Port { name, bits, bytes });
    }
    Ok(ports)
}

/// The signals of the modules within, in the header of a model's root: `type/*msb:lsb*/ name;`.
///
/// Those that Verilator made itself have `__V` in their names. Registers and memories are all there; wires may not be.
fn signals(header: &str, top: &str) -> Result<Vec<Port>> {
    let mut signals = Vec::new();
    for line in header.lines().map(str::trim) {
        let Some((kind, name)) = line.trim_end_matches(';').rsplit_once(' ') else { continue };
        let (Some(bytes), true) = (storage(kind), name.starts_with(&format!("{top}__DOT__"))) else {
            continue;
        };
        if name.contains("__V") {
            continue;
        }
        let range = kind.split("/*").nth(1).and_then(|r| r.split("*/").next()).context("no range")?;
        let (msb, lsb) = range.split_once(':').context("no range")?;
        let bits = msb.parse::<u32>()? - lsb.parse::<u32>()? + 1;
        signals.push(Port { name: name.to_string(), bits, bytes });
    }
    Ok(signals)
}

/// Bytes of a type of Verilator's, if it is one that holds plain data.
fn storage(kind: &str) -> Option<u32> {
    if let Some(inner) = kind.strip_prefix("VlUnpacked<") {
        let (element, count) = inner.strip_suffix('>')?.rsplit_once(", ")?;
        return Some(storage(element)? * count.parse::<u32>().ok()?);
    }
    let kind = kind.split("/*").next()?;
    match kind {
        "CData" => Some(1),
        "SData" => Some(2),
        "IData" => Some(4),
        "QData" => Some(8),
        _ => Some(kind.strip_prefix("VlWide<")?.strip_suffix('>')?.parse::<u32>().ok()? * 4),
    }
}

/// A signal's name as it is in SystemVerilog, from the top module on.
fn path(name: &str) -> String {
    let within = name.split_once("__DOT__").map_or(name, |(_, within)| within);
    within.replace("__BRA__", "[").replace("__KET__", "]").replace("__DOT__", ".")
}

/// C++ that gives a model a C interface: create, destroy, evaluate, the address of a port's storage, waveforms.
fn shim_source(name: &str, model: &Model, wave: bool) -> String {
    let mut s = format!("#include \"{name}/{name}___024root.h\"\n");
    if wave {
        s += "#include \"verilated_fst_c.h\"\n";
    }
    let cases = |list: &[Port], prefix: &str| -> String {
        list.iter().enumerate().map(|(i, p)| format!("case {i}: return &{prefix}{};", p.name)).collect()
    };
    let (ports, signals) = (cases(&model.ports, "m->"), cases(&model.signals, "m->rootp->"));
    let trace = if wave { "VerilatedFstC* trace = nullptr; uint64_t time = 0;" } else { "" };
    let _ = writeln!(
        s,
        "struct {name}_shim {{ VerilatedContext context; {name}* model; {trace} }};\nextern \"C\" {{"
    );
    // Constructors and destructors look for the context of their thread and not for that of their model.
    let current = "Verilated::threadContextp(&s->context);";
    let traced = if wave { "s->context.traceEverOn(true);" } else { "" };
    let _ = writeln!(
        s,
        "void* {name}_new() {{ auto* s = new {name}_shim; {current} s->context.threads(1); {traced} s->model = new {name}(&s->context); return s; }}"
    );
    let close = if wave { "if (s->trace) { s->trace->close(); delete s->trace; }" } else { "" };
    let _ = writeln!(
        s,
        "void {name}_delete(void* p) {{ auto* s = static_cast<{name}_shim*>(p); {current} s->model->final(); {close} delete s->model; Verilated::threadContextp(Verilated::defaultContextp()); delete s; }}"
    );
    let dump = if wave { "if (s->trace) s->trace->dump(s->time++);" } else { "" };
    let _ = writeln!(
        s,
        "void {name}_eval(void* p) {{ auto* s = static_cast<{name}_shim*>(p); s->model->eval(); {dump} }}"
    );
    for (function, cases) in [("port", ports), ("signal", signals)] {
        let _ = writeln!(
            s,
            "void* {name}_{function}(void* p, unsigned i) {{ auto* m = static_cast<{name}_shim*>(p)->model; switch (i) {{ {cases} default: return nullptr; }} }}"
        );
    }
    let open = if wave {
        "auto* s = static_cast<SHIM*>(p); s->trace = new VerilatedFstC; s->model->trace(s->trace, 99); s->trace->open(path); return s->trace->isOpen();"
    } else {
        "return 0;"
    }
    .replace("SHIM", &format!("{name}_shim"));
    let _ = writeln!(s, "int {name}_wave(void* p, const char* path) {{ {open} }}\n}}");
    s
}

/// Declares to Rust a model that is not there.
fn missing(table: &mut String, wanted: &Wanted) -> Result<()> {
    let Wanted { name, what, .. } = wanted;
    Ok(writeln!(table, "/// {what}\npub static {name}: Info = Info::missing(\"{name}\");")?)
}

/// Declares a model to Rust.
fn declare(externs: &mut String, table: &mut String, wanted: &Wanted, model: &Model) -> Result<()> {
    let Wanted { name, what, .. } = wanted;
    writeln!(
        externs,
        "fn {name}_new() -> *mut c_void; fn {name}_delete(p: *mut c_void); fn {name}_eval(p: *mut c_void);"
    )?;
    writeln!(
        externs,
        "fn {name}_port(p: *mut c_void, i: c_uint) -> *mut u8; fn {name}_signal(p: *mut c_void, i: c_uint) -> *mut u8;"
    )?;
    writeln!(externs, "fn {name}_wave(p: *mut c_void, path: *const c_char) -> c_int;")?;
    let list = |ports: &[Port]| -> String {
        ports
            .iter()
            .map(|p| {
                format!("PortInfo {{ name: \"{}\", bits: {}, bytes: {} }}, ", path(&p.name), p.bits, p.bytes)
            })
            .collect()
    };
    let (ports, signals) = (list(&model.ports), list(&model.signals));
    writeln!(
        table,
        "/// {what}\npub static {name}: Info = Info {{ name: \"{name}\", ports: &[{ports}], signals: &[{signals}], entry: Some(Entry {{ new: {name}_new, delete: {name}_delete, eval: {name}_eval, port: {name}_port, signal: {name}_signal, wave: {name}_wave }}) }};"
    )?;
    Ok(())
}
