//! `pqsoc run`.
use crate::{
    cli::{Run, RunFormat},
    failure::{Failure, name, say},
};
use pqsoc_boards::{
    Program, gdb,
    profile::Profile,
    stm32f407::{End, ForcedClock, Limits, Options, Stm32f407},
    trace::Trace,
};
use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

/// Runs a program on a virtual board; the exit code is the program's.
pub fn run(options: Run) -> Result<ExitCode, Failure> {
    let program_name = name(&options.program, "standard input");
    let program = Program::open(&options.program).map_err(|error| Failure::file(&program_name, error))?;
    let limits = Limits { cycles: options.max_cycles, wall: options.timeout };
    let input = match &options.input {
        Some(path) => {
            std::fs::read(path).map_err(|error| Failure::io(name(path, "standard input"), &error))?
        }
        None => Vec::new(),
    };
    let to_stdout = options.format == RunFormat::Human;
    let board_options = Options {
        sink: Box::new(
            move |_, bytes| {
                if to_stdout { io::stdout().write_all(bytes) } else { io::stderr().write_all(bytes) }
            },
        ),
        until: options.until.unwrap_or_default(),
        seed: options.seed,
        clock: options.clock.map(|mhz| if mhz == "24" { ForcedClock::Mhz24 } else { ForcedClock::Mhz168 }),
        input,
        input_port: options.usart,
        files: options.files,
        arguments: options.arguments,
        sram_kb: options.sram,
    };
    let symbols = program.symbols.clone();
    let mut board =
        Stm32f407::new(program, board_options).map_err(|error| Failure::file(&program_name, error))?;

    let end = if let Some(port) = options.gdb {
        let listening = |port| say(format_args!("waiting for gdb: target remote :{port}"));
        match gdb::serve(&mut board, port, listening) {
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
        let mut trace = Trace::new(&symbols, BufWriter::new(out));
        let end = board.run_observed(&limits, &mut trace);
        trace.finish().map_err(|error| Failure::io(shown, &error))?;
        end
    } else if let Some(path) = &options.profile {
        profiled(&mut board, &symbols, &limits, path, &program_name)?
    } else {
        board.run(&limits)
    };

    if let (End::Output, Some(error)) = (&end, board.output_error()) {
        return Err(Failure::stdout(error));
    }
    let report = board.report(&end);
    let flushed = io::stdout().flush().and_then(|()| match options.format {
        RunFormat::Human => {
            say(report.to_string().trim_end().replace('\n', "\npqsoc: "));
            Ok(())
        }
        RunFormat::Json => writeln!(io::stdout(), "{}", report.to_json()),
    });
    flushed.map_err(|error| Failure::stdout(&error))?;
    // An exit code is a byte: what does not fit must not look like success.
    Ok(ExitCode::from(u8::try_from(report.exit_code).unwrap_or(u8::MAX)))
}

/// Runs with a profile, and writes its two files.
fn profiled(
    board: &mut Stm32f407,
    symbols: &pqsoc_boards::symbols::Symbols,
    limits: &Limits,
    path: &Path,
    title: &str,
) -> Result<End, Failure> {
    let start = (board.core().pc(), board.cycles(), board.stack_top());
    let mut profile = Profile::new(symbols, start.0, start.1, start.2);
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
