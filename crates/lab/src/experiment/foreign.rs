//! Other people's programs on the virtual board.
use super::job::{Firmware, tool};
use crate::published;
use crate::results::{
    Figure, Measurement, Operation, Origin, Platform, Problem, ProblemKind, Provenance, Quantity, Results,
    Status, Subject,
};
use pqsoc_boards::report::Report;
use pqsoc_boards::stm32f407::{ForcedClock, Options, Stm32f407};
use pqsoc_boards::{Board, End, Limits};
use pqsoc_keccak::{Sha3_256, Software};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What the tables call a program.
#[derive(Clone, Debug)]
pub struct Labels {
    /// Whose code.
    pub implementation: String,
    /// Which set, or the program's name.
    pub algorithm: String,
}

/// Runs a program until it ends, prints `#` as pqm4's do, or has used `limits`.
///
/// What it prints as pqm4's `speed` and `stack` programs do (`sign cycles:`, then a line with the number) becomes figures of
/// key generation, signing and verification. If it prints no such thing the program as a whole is measured.
pub fn foreign(firmware: &Firmware, labels: &Labels, clock: Option<ForcedClock>, limits: &Limits) -> Results {
    let mut results = Results::new();
    let provenance = Provenance {
        elf_sha3_256: Some(firmware.sha3_256.clone()),
        tools: BTreeMap::from([("pqsoc-lab".to_string(), env!("CARGO_PKG_VERSION").to_string())]),
        ..Provenance::new(Origin::Measured, format!("{} on the virtual STM32F407G-DISC1.", firmware.name))
    };
    results.provenance.insert(firmware.name.clone(), provenance);
    let printed = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&printed);
    let options = Options {
        sink: Box::new(move |_, bytes: &[u8]| {
            sink.borrow_mut().extend_from_slice(bytes);
            Ok(())
        }),
        until: "#".into(),
        clock,
        ..Options::default()
    };
    let loaded = firmware
        .program()
        .and_then(|program| Stm32f407::new(program, options).map_err(|error| tool(error.to_string())));
    let mut board = match loaded {
        Ok(board) => board,
        Err(problem) => {
            let mut measurement = Measurement::new(subject(labels, Operation::Kernel, None), &firmware.name);
            measurement.problem = Some(problem);
            results.measurements.push(measurement);
            return results;
        }
    };
    let end = board.run(limits);
    let report = board.report(&end);
    let text = String::from_utf8_lossy(&printed.borrow()).into_owned();
    let problem = problem(&end, &report);
    let values = values(&text);
    for operation in Operation::ALL {
        let of = |what| values.get(&(operation, what)).map_or(&[][..], Vec::as_slice);
        let status = status(&report);
        let cycles = Figure::of(status, of("cycles"));
        let stack = Figure::of(Status::Exact, of("stack usage"));
        if cycles.is_none() && stack.is_none() {
            continue;
        }
        let mut measurement = Measurement::new(subject(labels, operation, Some(&report)), &firmware.name);
        set_cycles(&mut measurement, cycles.map(|figure| figure.with_samples(of("cycles"))));
        measurement.stack_bytes = stack;
        measurement.problem.clone_from(&problem);
        results.measurements.push(measurement);
    }
    if results.measurements.is_empty() {
        let mut measurement =
            Measurement::new(subject(labels, Operation::Kernel, Some(&report)), &firmware.name);
        set_cycles(&mut measurement, Some(Figure::constant(status(&report), report.cycles as f64)));
        let exact = [
            (Quantity::Instructions, report.instructions as f64),
            (Quantity::StackBytes, f64::from(report.stack.bytes)),
            (Quantity::CodeBytes, report.sizes.text as f64),
            (Quantity::DataBytes, (report.sizes.data + report.sizes.bss) as f64),
        ];
        for (quantity, value) in exact {
            *measurement.get_mut(quantity) = Some(Figure::constant(Status::Exact, value));
        }
        measurement.problem = problem;
        results.measurements.push(measurement);
    }
    let hash = hex::encode(Sha3_256::<Software>::digest(&[text.as_bytes()]));
    if let Some(provenance) = results.provenance.get_mut(&firmware.name) {
        provenance.notes.push(format!("SHA3-256 of what it printed: {hash}"));
    }
    results
}

fn status(report: &Report) -> Status {
    if report.wait_states == 0 { Status::Modelled } else { Status::Estimated }
}

fn subject(labels: &Labels, operation: Operation, report: Option<&Report>) -> Subject {
    Subject {
        implementation: labels.implementation.clone(),
        algorithm: labels.algorithm.clone(),
        operation,
        engine: "software".into(),
        profile: "-".into(),
        build: "optimised".into(),
        board: "stm32f407".into(),
        platform: Platform::Virtual,
        // After reset the chip runs from its own oscillator.
        core_mhz: report.map_or(16.0, |report| report.clock_hz as f64 / 1e6),
        wait_states: Some(report.map_or(0, |report| report.wait_states)),
        pl_mhz: None,
    }
}

fn set_cycles(measurement: &mut Measurement, cycles: Option<Figure>) {
    let hertz = measurement.subject.core_mhz * 1000.0;
    let board = measurement.subject.board.clone();
    measurement.time_ms = cycles
        .as_ref()
        .map(|figure| published::with_band(figure.map(figure.status, |cycles| cycles / hertz), &board));
    measurement.cycles = cycles;
}

fn problem(end: &End, report: &Report) -> Option<Problem> {
    let sentence = |text: String| text.trim_end_matches(['.', '\n']).replace('\n', "; ");
    if let Some(overflow) = &report.stack.overflow {
        return Some(Problem { kind: ProblemKind::StackOverflow, sentence: sentence(overflow.to_string()) });
    }
    if let Some(fault) = report.faults.first() {
        let text = format!("{}, in {}", fault.what, fault.function);
        return Some(Problem { kind: ProblemKind::Fault, sentence: sentence(text) });
    }
    let text = match end {
        End::Exit(0) | End::Until | End::Idle(_) => return None,
        End::Exit(code) => format!("the program exited with {code}"),
        End::Cycles | End::TimeOut => "the program had not ended at the limit".into(),
        end => format!("the program ended unexpectedly ({end:?})"),
    };
    Some(Problem { kind: ProblemKind::Failed, sentence: text })
}

/// Numbers that follow lines like `sign cycles:`, by operation and quantity.
fn values(text: &str) -> BTreeMap<(Operation, &'static str), Vec<f64>> {
    let words = [("keypair", Operation::Keygen), ("sign", Operation::Sign), ("verify", Operation::Verify)];
    let mut values: BTreeMap<_, Vec<f64>> = BTreeMap::new();
    let mut expected = None;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let (Some(key), Ok(number)) = (expected, line.parse::<u64>()) {
            values.entry(key).or_default().push(number as f64);
        }
        expected = words.iter().find_map(|(word, operation)| {
            let rest = line.strip_prefix(word)?.trim();
            let what =
                ["cycles", "stack usage"].into_iter().find(|what| rest.strip_suffix(':') == Some(what))?;
            Some((*operation, what))
        });
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pqm4s_programs_print_is_read() {
        let text = "==========================\nkeypair cycles:\n1352759\n\nsign cycles:\n100\n\nsign cycles:\n300\nverify cycles:\nx\n\
                    sign stack usage:\n44816\nencaps cycles:\n9\n#";
        let values = values(text);
        assert_eq!(values[&(Operation::Keygen, "cycles")], [1_352_759.0]);
        assert_eq!(values[&(Operation::Sign, "cycles")], [100.0, 300.0]);
        assert_eq!(values[&(Operation::Sign, "stack usage")], [44_816.0]);
        assert_eq!(values.len(), 3);
    }
}
