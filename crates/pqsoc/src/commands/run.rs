//! `pqsoc run`.
use crate::{
    cli::{self, Run, RunFormat, RunStm32f407, RunZedboard},
    failure::{Failure, name, say},
};
use pqsoc_boards::{
    Board, End, Limits, Program,
    console::Sink,
    gdb::{self, Debuggable},
    profile::Profile,
    stm32f407::{self, ForcedClock, Stm32f407},
    symbols::Symbols,
    trace::Trace,
    zynq7000::{self, FabricError, TraceSink, Zynq7000},
};
use std::{
    cell::RefCell,
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    rc::Rc,
};

/// Runs a program on a virtual board; the exit code is the program's.
pub fn run(options: Run) -> Result<ExitCode, Failure> {
    match options.board {
        cli::Board::Stm32f407 => {
            refuse("zedboard", zedboard_only(&options.zedboard))?;
            on_stm32f407(&options)
        }
        cli::Board::Zedboard => {
            refuse("stm32f407", stm32f407_only(&options.stm32f407))?;
            on_zedboard(&options)
        }
    }
}

/// An option that belongs to the other board is a mistake.
fn refuse(board: &str, given: Option<&str>) -> Result<(), Failure> {
    match given {
        Some(option) => Err(Failure::usage(format_args!("--{option} goes with --board {board} only"))),
        None => Ok(()),
    }
}

fn stm32f407_only(options: &RunStm32f407) -> Option<&'static str> {
    let RunStm32f407 { clock, usart, sram } = options;
    let given = [("clock", clock.is_some()), ("usart", usart.is_some()), ("sram", sram.is_some())];
    given.into_iter().find_map(|(option, given)| given.then_some(option))
}

fn zedboard_only(options: &RunZedboard) -> Option<&'static str> {
    let RunZedboard { pl_mhz, butterflies, rounds, acp, prefetch, trace_bus, wave } = options;
    let given = [
        ("pl-mhz", pl_mhz.is_some()),
        ("butterflies", butterflies.is_some()),
        ("rounds", rounds.is_some()),
        ("acp", *acp),
        ("prefetch", *prefetch),
        ("trace-bus", trace_bus.is_some()),
        ("wave", wave.is_some()),
    ];
    given.into_iter().find_map(|(option, given)| given.then_some(option))
}

fn on_stm32f407(options: &Run) -> Result<ExitCode, Failure> {
    let program_name = name(&options.program, "standard input");
    let program = Program::open(&options.program).map_err(|error| Failure::file(&program_name, error))?;
    let symbols = program.symbols.clone();
    let board_options = stm32f407::Options {
        sink: sink(options),
        until: options.until.clone().unwrap_or_default(),
        seed: options.seed,
        clock: options
            .stm32f407
            .clock
            .as_ref()
            .map(|mhz| if mhz == "24" { ForcedClock::Mhz24 } else { ForcedClock::Mhz168 }),
        input: input(options)?,
        files: options.files.clone(),
        arguments: options.arguments.clone(),
        ..stm32f407::Options::default()
    };
    let board_options = stm32f407::Options {
        input_port: options.stm32f407.usart.unwrap_or(board_options.input_port),
        sram_kb: options.stm32f407.sram.unwrap_or(board_options.sram_kb),
        ..board_options
    };
    let mut board =
        Stm32f407::new(program, board_options).map_err(|error| Failure::file(&program_name, error))?;
    drive(&mut board, &symbols, options)
}

fn on_zedboard(options: &Run) -> Result<ExitCode, Failure> {
    let program_name = name(&options.program, "standard input");
    let program =
        Program::open_application(&options.program).map_err(|error| Failure::file(&program_name, error))?;
    let symbols = program.symbols.clone();
    let mut board_options = zynq7000::Options {
        sink: sink(options),
        until: options.until.clone().unwrap_or_default(),
        // Any number will do as a seed.
        seed: options.seed as u32,
        input: input(options)?,
        files: options.files.clone(),
        arguments: options.arguments.clone(),
        acp: options.zedboard.acp,
        prefetch: options.zedboard.prefetch,
        ..zynq7000::Options::default()
    };
    if let Some(mhz) = options.zedboard.pl_mhz {
        board_options.pl_mhz = mhz;
    }
    let RunZedboard { butterflies, rounds, wave, .. } = &options.zedboard;
    let fabric_wanted = butterflies.is_some() || rounds.is_some() || wave.is_some();
    match zynq7000::fabric(butterflies.unwrap_or(4), *rounds, wave.as_deref()) {
        Ok(fabric) => board_options.accelerator = Some(fabric),
        Err(error @ FabricError::Missing(_)) if !fabric_wanted => {
            say(format_args!("nothing but the DMA is in the programmable logic: {error}"));
        }
        Err(error @ FabricError::Configuration { .. }) => return Err(Failure::usage(error)),
        Err(error) => return Err(Failure::new(crate::failure::Code::Format, error)),
    }
    let trace = options.zedboard.trace_bus.as_deref().map(BusTrace::create).transpose()?;
    board_options.trace = trace.as_ref().map(BusTrace::sink);
    let mut board =
        Zynq7000::new(program, board_options).map_err(|error| Failure::file(&program_name, error))?;
    let code = drive(&mut board, &symbols, options)?;
    trace.map_or(Ok(()), BusTrace::finish)?;
    Ok(code)
}

/// Where the program's output goes: to standard output, unless the report goes there.
fn sink(options: &Run) -> Sink {
    let to_stdout = options.format == RunFormat::Human;
    Box::new(
        move |_, bytes| {
            if to_stdout { io::stdout().write_all(bytes) } else { io::stderr().write_all(bytes) }
        },
    )
}

fn input(options: &Run) -> Result<Vec<u8>, Failure> {
    let Some(path) = &options.input else { return Ok(Vec::new()) };
    std::fs::read(path).map_err(|error| Failure::io(name(path, "standard input"), &error))
}

/// The file of `--trace-bus`. The board keeps the sink; the first error is kept here.
#[derive(Clone)]
struct BusTrace(Rc<RefCell<BusTraceFile>>);

struct BusTraceFile {
    shown: String,
    out: BufWriter<File>,
    error: Option<io::Error>,
}

impl BusTrace {
    fn create(path: &Path) -> Result<Self, Failure> {
        let shown = name(path, "standard output");
        let out = BufWriter::new(File::create(path).map_err(|error| Failure::io(&shown, &error))?);
        Ok(Self(Rc::new(RefCell::new(BusTraceFile { shown, out, error: None }))))
    }

    fn sink(&self) -> TraceSink {
        let file = self.0.clone();
        Box::new(move |transaction| {
            let file = &mut *file.borrow_mut();
            if file.error.is_none() {
                file.error = writeln!(file.out, "{transaction}").err();
            }
        })
    }

    fn finish(self) -> Result<(), Failure> {
        let file = &mut *self.0.borrow_mut();
        let error = file.error.take().or_else(|| file.out.flush().err());
        error.map_or(Ok(()), |error| Err(Failure::io(&file.shown, &error)))
    }
}

/// Lets the program run as the options say, and reports.
fn drive<B: Debuggable>(board: &mut B, symbols: &Symbols, options: &Run) -> Result<ExitCode, Failure> {
    let limits = Limits { cycles: options.max_cycles, wall: options.timeout };
    let end = if let Some(port) = options.gdb {
        let listening = |port| say(format_args!("waiting for gdb: target remote :{port}"));
        match gdb::serve(board, port, listening) {
            Ok(Some(end)) => end,
            // The debugger left: there is nothing to report.
            Ok(None) => return Ok(ExitCode::SUCCESS),
            Err(error) => return Err(Failure::io(format_args!("gdb on port {port}"), &error)),
        }
    } else if let Some(path) = &options.trace {
        let (shown, out): (String, Box<dyn Write>) = match path {
            Some(path) => {
                let shown = name(path, "standard output");
                let file = File::create(path).map_err(|error| Failure::io(&shown, &error))?;
                (shown, Box::new(file))
            }
            None => ("standard error".into(), Box::new(io::stderr())),
        };
        let mut trace = Trace::new(symbols, BufWriter::new(out));
        let end = board.run_observed(&limits, &mut trace);
        trace.finish().map_err(|error| Failure::io(shown, &error))?;
        end
    } else if let Some(path) = &options.profile {
        profiled(board, symbols, &limits, path, &name(&options.program, "standard input"))?
    } else {
        board.run(&limits)
    };

    if let (End::Output, Some(error)) = (&end, board.output_error()) {
        return Err(Failure::stdout(error));
    }
    let (report, exit_code) = (board.report(&end), board.exit_code(&end));
    let flushed = io::stdout().flush().and_then(|()| match options.format {
        RunFormat::Human => {
            say(report.to_string().trim_end().replace('\n', "\npqsoc: "));
            Ok(())
        }
        RunFormat::Json => {
            let mut out = io::stdout().lock();
            serde_json::to_writer(&mut out, &report)?;
            writeln!(out)
        }
    });
    flushed.map_err(|error| Failure::stdout(&error))?;
    // An exit code is a byte: what does not fit must not look like success.
    Ok(ExitCode::from(u8::try_from(exit_code).unwrap_or(u8::MAX)))
}

/// Runs with a profile, and writes its two files.
fn profiled<B: Board>(
    board: &mut B,
    symbols: &Symbols,
    limits: &Limits,
    path: &Path,
    title: &str,
) -> Result<End, Failure> {
    let mut profile = Profile::new(symbols, board.pc(), board.cycles(), board.stack_top());
    let end = board.run_observed(limits, &mut profile);
    profile.finish(board.cycles());
    board.set_functions(profile.totals());
    for (extension, text) in [("folded", profile.folded()), ("svg", profile.svg(title))] {
        let mut file = path.as_os_str().to_os_string();
        file.push(".");
        file.push(extension);
        let file = PathBuf::from(file);
        std::fs::write(&file, text).map_err(|error| Failure::io(name(&file, ""), &error))?;
    }
    Ok(end)
}
