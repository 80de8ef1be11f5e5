//! `pqsoc bench`.
use crate::{
    cli::{Bench, Board},
    commands::reproduce::{Shown, now, threads},
    failure::{Code, Failure, name},
    files::{Access, Output},
    report::{self, Format},
};
use pqsoc_boards::{Limits, stm32f407::ForcedClock};
use pqsoc_lab::{
    algorithms::{self, Family},
    experiment::{self, Cell, Clock, Engine, Firmware, Labels},
    results::{Measurement, Operation, Quantity, Results, measurement_json},
    tables, text,
};
use std::io::{self, Write};

/// Measures one cell, or one program.
pub fn run(options: &Bench) -> Result<(), Failure> {
    if options.elf.is_some() && options.board != Board::Stm32f407 {
        return Err(Failure::usage(
            "--elf goes with --board stm32f407 only; 'pqsoc run --board zedboard' runs a program for the other board",
        ));
    }
    let output = match &options.out {
        Some(path) => Some(Output::create(path, Access::Public, options.force)?),
        None => None,
    };
    let mut results = match &options.elf {
        Some(path) => {
            let firmware = Firmware::open(path).map_err(|error| Failure::new(Code::Format, error))?;
            let shown = name(path, "standard input");
            let labels = Labels {
                implementation: options.implementation.clone(),
                algorithm: options.algorithm.as_deref().map_or(shown, |name| {
                    algorithms::canonical(name).map_or_else(|| name.to_string(), str::to_string)
                }),
            };
            let clock = options
                .mhz
                .as_deref()
                .map(|mhz| if mhz == "24" { ForcedClock::Mhz24 } else { ForcedClock::Mhz168 });
            experiment::foreign(&firmware, &labels, clock, &Limits { cycles: options.max_cycles, wall: None })
        }
        None => cell(options)?,
    };
    results.created = Some(now());
    report::print_with(|out| match options.format {
        Format::Human => results.measurements.iter().try_for_each(|m| human(m, out)),
        Format::Json => {
            results.measurements.iter().try_for_each(|m| match results.provenance.get(&m.provenance) {
                Some(provenance) => writeln!(out, "{}", measurement_json(m, provenance)),
                None => Ok(()),
            })
        }
        Format::Csv => write!(out, "{}", tables::csv(&results)),
    })?;
    if let Some(output) = output {
        output.write(results.to_json().as_bytes())?;
    }
    match results.measurements.iter().find_map(|m| m.problem.as_ref().map(|problem| (m, problem))) {
        Some((m, problem)) => {
            Err(Failure::new(Code::Bad, format_args!("{}: {}", m.subject, problem.sentence)))
        }
        None => Ok(()),
    }
}

/// A cell of the study's table.
fn cell(options: &Bench) -> Result<Results, Failure> {
    let asked = options.algorithm.as_deref().unwrap_or_default();
    let Some(algorithm) = algorithms::canonical(asked) else {
        return Err(Failure::usage(format_args!("unknown algorithm {asked}")));
    };
    let operation =
        Operation::ALL.into_iter().find(|o| o.name() == options.operation).unwrap_or(Operation::Sign);
    let cell = match options.board {
        Board::Stm32f407 => on_stm32f407(options, algorithm, operation)?,
        Board::Zedboard => on_zedboard(options, algorithm, operation)?,
    };
    // Without the firmware there is nothing to show.
    if let Some(problem) = &cell.problem {
        return Err(Failure::new(Code::Format, &problem.sentence));
    }
    let progress = Shown::new("measuring");
    Ok(experiment::perform(&[cell], None, threads(None), None, &progress))
}

fn on_stm32f407(options: &Bench, algorithm: &str, operation: Operation) -> Result<Cell, Failure> {
    if options.engine != "software" || options.pl_mhz.is_some() {
        return Err(Failure::usage(
            "the STM32F407 has no fabric: --engine and --pl-mhz go with --board zedboard",
        ));
    }
    let profile = match (Family::of(algorithm), options.profile.as_deref()) {
        (Family::MlDsa | Family::Dilithium, Some(profile)) => profile,
        (Family::MlDsa, None) if options.build != "unoptimised" => "fast",
        (Family::MlDsa | Family::Dilithium, None) => "reference",
        (_, None) => "-",
        (_, Some(_)) => return Err(Failure::usage(format_args!("{algorithm} has no memory profiles"))),
    };
    let clock = if options.mhz.as_deref() == Some("168") { Clock::Mhz168 } else { Clock::Mhz24 };
    Ok(experiment::single(
        &options.firmware,
        algorithm,
        profile,
        operation,
        &options.build,
        clock,
        options.runs,
    ))
}

fn on_zedboard(options: &Bench, algorithm: &str, operation: Operation) -> Result<Cell, Failure> {
    if options.profile.is_some() || options.build != "optimised" || options.mhz.is_some() {
        return Err(Failure::usage("--profile, --build and --mhz go with --board stm32f407 only"));
    }
    let engine = Engine::ALL.into_iter().find(|e| e.name() == options.engine).unwrap_or(Engine::Software);
    if engine == Engine::Software && options.pl_mhz.is_some() {
        return Err(Failure::usage(
            "--pl-mhz goes with --engine study or resident: software does not use the fabric",
        ));
    }
    let pl_mhz = options.pl_mhz.unwrap_or(100);
    Ok(experiment::single_on_zedboard(&options.firmware, algorithm, operation, engine, pl_mhz, options.runs))
}

/// The figures of a measurement, one a line.
fn human(measurement: &Measurement, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", measurement.subject)?;
    for &quantity in Quantity::ALL {
        let Some(figure) = measurement.get(quantity) else { continue };
        let show = |value| text::ascii_spaces(&text::value(quantity, value));
        let range = match (figure.min, figure.median, figure.p99, figure.max) {
            (Some(min), Some(median), Some(p99), Some(max)) if figure.runs > 1 => format!(
                "; min {}, median {}, 99 % {}, max {} of {} runs",
                show(min),
                show(median),
                show(p99),
                show(max),
                figure.runs
            ),
            _ => String::new(),
        };
        writeln!(out, "  {:20} {:>12} {}{range}", quantity.title(), show(figure.mean), figure.status.name())?;
    }
    Ok(())
}
