//! Turns `hw/rtl` into native code: Verilator translates, the C++ compiler compiles with -O3, and a table of every
//! model's ports is written for `src/ffi.rs`.
//!
//! Without Verilator the crate still builds; its models then say what to install when they are asked for. While one works
//! on RTL, `PQSOC_MODELS=FABRIC_4X1,SAMPLER` builds these models only.
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, ensure};

/// Models to build: name in Rust, top module, parameters, what they are.
const MODELS: &[(&str, &str, &[(&str, u32)], &str)] = &[
    (
        "FABRIC_4X1",
        "fabric",
        &[("Butterflies", 4), ("RoundsPerCycle", 1)],
        "Four butterflies, one round a cycle.",
    ),
    (
        "FABRIC_2X2",
        "fabric",
        &[("Butterflies", 2), ("RoundsPerCycle", 2)],
        "Two butterflies, two rounds a cycle.",
    ),
    (
        "FABRIC_1X1",
        "fabric",
        &[("Butterflies", 1), ("RoundsPerCycle", 1)],
        "One butterfly, one round a cycle.",
    ),
    ("MOD_REDUCE", "mod_reduce", &[], "Reduction modulo q."),
    (
        "POLY_UNIT_4",
        "poly_unit",
        &[("Butterflies", 4), ("Slots", 4)],
        "Polynomial unit, four butterflies, four slots.",
    ),
    (
        "POLY_UNIT_2",
        "poly_unit",
        &[("Butterflies", 2), ("Slots", 4)],
        "Polynomial unit, two butterflies, four slots.",
    ),
    (
        "POLY_UNIT_1",
        "poly_unit",
        &[("Butterflies", 1), ("Slots", 4)],
        "Polynomial unit, one butterfly, four slots.",
    ),
    ("KECCAK_1", "keccak_f1600", &[("RoundsPerCycle", 1)], "Keccak-f\\[1600\\], one round a cycle."),
    ("KECCAK_2", "keccak_f1600", &[("RoundsPerCycle", 2)], "Keccak-f\\[1600\\], two rounds a cycle."),
    ("SPONGE", "sponge", &[], "Sponge, one round a cycle."),
    ("SAMPLER", "sampler", &[], "Sampler."),
    ("STREAM_BUFFER", "stream_buffer", &[("Width", 64)], "Stream buffer, 64 bits."),
    ("STREAM_OUT", "stream_out", &[], "Output stream."),
    ("COMMAND_FIFO", "command_fifo", &[("DepthLog2", 3)], "Command FIFO of 8 commands."),
];

fn main() -> Result<()> {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").context("no CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var_os("OUT_DIR").context("no OUT_DIR")?);
    let rtl = manifest.join("../../hw/rtl").canonicalize()?;
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", rtl.display());
    println!("cargo::rerun-if-env-changed=PQSOC_MODELS");
    let only = env::var("PQSOC_MODELS").unwrap_or_default();
    let wanted = |name: &str| only.is_empty() || only.split(',').any(|o| o == name);

    if Command::new("verilator").arg("--version").output().is_err() {
        println!(
            "cargo::warning=no Verilator: the fabric cannot be simulated. apt-get install verilator g++"
        );
        let mut table = String::new();
        for (name, _, _, what) in MODELS {
            missing(&mut table, name, what)?;
        }
        return Ok(fs::write(out.join("models.rs"), table)?);
    }
    let wave = env::var_os("CARGO_FEATURE_WAVE").is_some();
    let root = verilator_root()?;
    let mut cpp = cc::Build::new();
    cpp.cpp(true)
        .std("c++17")
        .opt_level(3)
        .debug(false)
        .warnings(false)
        .define("VM_TRACE", if wave { "1" } else { "0" })
        .define("VM_COVERAGE", "0")
        .define("VM_SC", "0")
        .flag_if_supported("-fno-strict-aliasing")
        .flag_if_supported("-fcf-protection=none")
        .include(root.join("include"))
        .include(root.join("include/vltstd"))
        .file(root.join("include/verilated.cpp"))
        .file(root.join("include/verilated_threads.cpp"));
    if wave {
        cpp.file(root.join("include/verilated_fst_c.cpp"));
        println!("cargo::rustc-link-lib=z");
    }

    let mut externs = String::new();
    let mut table = String::new();
    // One source for all the small models: most of their time goes into Verilator's headers.
    let mut benches = String::new();
    for (name, top, parameters, what) in MODELS {
        if !wanted(name) {
            missing(&mut table, name, what)?;
            continue;
        }
        let model = verilate(&rtl, &out, name, top, parameters, wave)?;
        let source = shim_source(name, &model, wave);
        if *top == "fabric" {
            let file = out.join(format!("{name}_shim.cpp"));
            fs::write(&file, source)?;
            cpp.file(&file);
        } else {
            benches += &source;
        }
        cpp.include(&model.folder);
        declare(&mut externs, &mut table, name, what, &model)?;
    }
    fs::write(out.join("benches_shim.cpp"), benches)?;
    cpp.file(out.join("benches_shim.cpp"));
    cpp.try_compile("pqsoc_fabric_models").context("compiling the models: apt-get install g++")?;
    Ok(fs::write(out.join("models.rs"), format!("unsafe extern \"C\" {{\n{externs}}}\n{table}"))?)
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
}

fn verilate(
    rtl: &Path,
    out: &Path,
    name: &str,
    top: &str,
    parameters: &[(&str, u32)],
    wave: bool,
) -> Result<Model> {
    let folder = out.join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let files = fs::read_to_string(rtl.join("fabric.f"))?;
    let mut command = Command::new("verilator");
    command.current_dir(rtl).args(["--cc", "-O3", "--x-assign", "fast", "--x-initial", "fast", "--noassert"]);
    command.args(["-Wno-fatal", "-Wno-lint", "--prefix", name, "--top-module", top, "--Mdir"]).arg(&folder);
    if wave {
        command.arg("--trace-fst");
    }
    for (parameter, value) in parameters {
        command.arg(format!("-G{parameter}={value}"));
    }
    command.args(files.split_whitespace());
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
    let header = fs::read_to_string(folder.join(format!("{name}.h")))?;
    Ok(Model { folder, sources, ports: ports(&header)? })
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

/// C++ that gives a model a C interface: create, destroy, evaluate, the address of a port's storage, waveforms.
fn shim_source(name: &str, model: &Model, wave: bool) -> String {
    let mut s = String::new();
    for source in &model.sources {
        let _ = writeln!(s, "#include \"{name}/{source}\"");
    }
    if wave {
        s += "#include \"verilated_fst_c.h\"\n";
    }
    let cases: String =
        model.ports.iter().enumerate().map(|(i, p)| format!("case {i}: return &m->{};", p.name)).collect();
    let trace = if wave { "VerilatedFstC* trace = nullptr; uint64_t time = 0;" } else { "" };
    let _ = writeln!(
        s,
        "struct {name}_shim {{ VerilatedContext context; {name}* model; {trace} }};\nextern \"C\" {{"
    );
    let traced = if wave { "s->context.traceEverOn(true);" } else { "" };
    let _ = writeln!(
        s,
        "void* {name}_new() {{ auto* s = new {name}_shim; {traced} s->model = new {name}(&s->context); return s; }}"
    );
    let close = if wave { "if (s->trace) { s->trace->close(); delete s->trace; }" } else { "" };
    let _ = writeln!(
        s,
        "void {name}_delete(void* p) {{ auto* s = static_cast<{name}_shim*>(p); s->model->final(); {close} delete s->model; delete s; }}"
    );
    let dump = if wave { "if (s->trace) s->trace->dump(s->time++);" } else { "" };
    let _ = writeln!(
        s,
        "void {name}_eval(void* p) {{ auto* s = static_cast<{name}_shim*>(p); s->model->eval(); {dump} }}"
    );
    let _ = writeln!(
        s,
        "void* {name}_port(void* p, unsigned i) {{ auto* m = static_cast<{name}_shim*>(p)->model; switch (i) {{ {cases} default: return nullptr; }} }}"
    );
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
fn missing(table: &mut String, name: &str, what: &str) -> Result<()> {
    Ok(writeln!(table, "/// {what}\npub static {name}: Info = Info::missing(\"{name}\");")?)
}

/// Declares a model to Rust.
fn declare(externs: &mut String, table: &mut String, name: &str, what: &str, model: &Model) -> Result<()> {
    writeln!(
        externs,
        "fn {name}_new() -> *mut c_void; fn {name}_delete(p: *mut c_void); fn {name}_eval(p: *mut c_void);"
    )?;
    writeln!(
        externs,
        "fn {name}_port(p: *mut c_void, i: c_uint) -> *mut u8; fn {name}_wave(p: *mut c_void, path: *const c_char) -> c_int;"
    )?;
    let ports: String = model
        .ports
        .iter()
        .map(|p| format!("PortInfo {{ name: \"{}\", bits: {}, bytes: {} }}, ", p.name, p.bits, p.bytes))
        .collect();
    writeln!(
        table,
        "/// {what}\npub static {name}: Info = Info {{ name: \"{name}\", ports: &[{ports}], entry: Some(Entry {{ new: {name}_new, delete: {name}_delete, eval: {name}_eval, port: {name}_port, wave: {name}_wave }}) }};"
    )?;
    Ok(())
}
