// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The firmware of the virtual ZedBoard with the fabric: by each engine its outputs are the host library's, byte for byte;
//! what is wrong with the hardware is an error, and the next job succeeds.
//!
//! Needs the ELF files of `cargo xtask firmware`.

use std::cell::{Cell, RefCell};
use std::io::Write;
use std::rc::Rc;

use pqsoc_boards::zynq7000::{Accelerator, Inputs, Options, Outputs, Work, Zynq7000};
use pqsoc_boards::{Board, End, Limits, Program};
use pqsoc_fabric::{B1R1, B4R1, Configuration, Core};
use serde_json::Value;

#[path = "common/host.rs"]
mod host;

use host::Asked;

fn fabric<C: Configuration + 'static>() -> Option<Box<dyn Accelerator>> {
    Some(Box::new(Core::<C>::new().expect("a build with Verilator")))
}

type Printed = Rc<RefCell<Vec<u8>>>;

/// A board with the firmware and these jobs, and what it prints.
fn board(jobs: &str, accelerator: Option<Box<dyn Accelerator>>) -> Option<(Zynq7000, Printed)> {
    board_with("zynq7000.elf", jobs, accelerator)
}

/// The same with another build of the firmware.
fn board_with(
    elf: &str,
    jobs: &str,
    accelerator: Option<Box<dyn Accelerator>>,
) -> Option<(Zynq7000, Printed)> {
    let program = Program::open_application(&host::firmware(elf)?).unwrap();
    let printed = Rc::new(RefCell::new(Vec::new()));
    let sink = printed.clone();
    let options = Options {
        sink: Box::new(move |_, bytes| sink.borrow_mut().write_all(bytes)),
        until: "#".into(),
        input: format!("{jobs}\nend\n").into_bytes(),
        accelerator,
        // A line that was fetched ahead while the DMA wrote shows.
        prefetch: true,
        ..Options::default()
    };
    Some((Zynq7000::new(program, options).unwrap(), printed))
}

/// The results of jobs.
fn run(jobs: &str, accelerator: Option<Box<dyn Accelerator>>) -> Option<Vec<Value>> {
    let (mut board, printed) = board(jobs, accelerator)?;
    let end = board.run(&Limits::default());
    let report = board.report(&end);
    assert_eq!(end, End::Until, "{report}");
    assert!(report.faults.is_empty() && report.notes.is_empty(), "{report}");
    let printed = printed.borrow();
    Some(host::results(&printed))
}

/// Jobs of a set by an engine against the host.
fn check(algorithm: &str, engine: &str, operations: &[&str], accelerator: Option<Box<dyn Accelerator>>) {
    let jobs: Vec<String> =
        operations.iter().map(|operation| format!("{algorithm} {engine} {operation} 1 0011 6869")).collect();
    let Some(lines) = run(&jobs.join("\n"), accelerator) else { return };
    assert_eq!(lines.len(), operations.len(), "{lines:?}");
    for (line, operation) in lines.iter().zip(operations) {
        println!("{line}");
        host::check(line, Asked { algorithm, how: ("engine", engine), operation, run: 0 }, &[0, 0x11], b"hi");
        assert_eq!(line["fabric_cycles"].is_null(), engine == "software", "{line}");
    }
}

const ML_DSA: [&str; 6] = ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87", "Dilithium2", "Dilithium3", "Dilithium5"];
const ALL: [&str; 3] = ["keygen", "sign", "verify"];

#[test]
fn ml_dsa_in_software() {
    for algorithm in ML_DSA {
        check(algorithm, "software", &ALL, None);
    }
}

#[test]
fn ml_dsa_by_the_study_s_engine() {
    for algorithm in ML_DSA {
        check(algorithm, "study", &ALL, fabric::<B1R1>());
    }
}

#[test]
fn ml_dsa_resident() {
    for algorithm in ML_DSA {
        check(algorithm, "resident", &ALL, fabric::<B4R1>());
    }
    check("ML-DSA-44", "resident", &ALL, fabric::<B1R1>());
}

#[test]
fn slh_dsa_shake_fast_sets_resident() {
    for algorithm in ["SLH-DSA-SHAKE-128f", "SLH-DSA-SHAKE-192f", "SLH-DSA-SHAKE-256f"] {
        check(algorithm, "resident", &["sign", "verify"], fabric::<B4R1>());
    }
}

#[test]
fn slh_dsa_by_the_study_s_engine() {
    check("SLH-DSA-SHAKE-128f", "study", &["keygen"], fabric::<B1R1>());
}

#[test]
fn slh_dsa_in_software() {
    check("SLH-DSA-SHA2-128f", "software", &["keygen"], None);
    check("SLH-DSA-SHAKE-128f", "software", &["keygen"], None);
}

#[test]
#[ignore = "slow: 10^11 cycles"]
fn all_slh_dsa_sets() {
    for set in ["128f", "192f", "256f", "128s", "192s", "256s"] {
        check(&format!("SLH-DSA-SHAKE-{set}"), "resident", &ALL, fabric::<B4R1>());
        check(&format!("SLH-DSA-SHAKE-{set}"), "study", &ALL, fabric::<B1R1>());
        for family in ["SHAKE", "SHA2"] {
            check(&format!("SLH-DSA-{family}-{set}"), "software", &ALL, None);
        }
    }
}

/// The build that lives in on-chip memory, and what its stack of 56 KB is too small for: the page table is below it.
#[test]
fn on_chip_memory_holds_the_smaller_sets() {
    const ELF: &str = "zynq7000-ocm.elf";
    let asked = |algorithm, engine| Asked { algorithm, how: ("engine", engine), operation: "sign", run: 0 };
    for (algorithm, engine) in [("ML-DSA-44", "software"), ("ML-DSA-44", "resident")] {
        let job = format!("{algorithm} {engine} sign 1 0011 6869");
        let Some((mut board, printed)) = board_with(ELF, &job, fabric::<B4R1>()) else { return };
        let end = board.run(&Limits::default());
        let report = board.report(&end);
        assert_eq!((&end, report.exit_code), (&End::Until, 0), "{report}");
        let stack = report.stack.clone().unwrap();
        assert_eq!((stack.top - stack.limit, stack.overflow), (56 << 10, None), "{report}");
        host::check(&host::results(&printed.borrow())[0], asked(algorithm, engine), &[0, 0x11], b"hi");
    }
    let Some((mut board, _)) = board_with(ELF, "ML-DSA-87 software sign 1 0011 6869", None) else { return };
    let end = board.run(&Limits { cycles: Some(100_000_000), wall: None });
    let report = board.report(&end);
    assert_ne!(report.exit_code, 0, "{report}");
    let text = report.to_string();
    let overflow = report.stack.and_then(|stack| stack.overflow).unwrap_or_else(|| panic!("{text}"));
    let place = format!("stack reached {:#010x} below its region (", overflow.sp);
    assert!(text.contains(&place) && text.contains(", first in function "), "{text}");
    assert!(overflow.back_trace.iter().any(|frame| frame.function.ends_with("main")), "{text}");
}

#[test]
fn jobs_that_do_not_exist() {
    let Some(lines) = run("ML-DSA-45 study sign 1 00 -\nnonsense\nML-DSA-44 fast sign 1 00 -", None) else {
        return;
    };
    assert_eq!(lines.len(), 3);
    assert!(lines.iter().all(|line| line["error"] == "this build has no such job"), "{lines:?}");
    // SHA-2 is not in the fabric.
    let Some(lines) = run("SLH-DSA-SHA2-128f resident sign 1 00 -", fabric::<B4R1>()) else { return };
    assert_eq!(lines[0]["error"], "it failed");
}

/// What goes wrong with the fabric of a [`Faulty`].
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// STATUS.busy stays 1.
    Busy,
    /// Registers read as this.
    Reads(u32),
    /// A beat is lost on its way in.
    BeatLost,
    /// Nothing goes out.
    OutputStuck,
    /// It is reset once, while a command is under way and no register is accessed.
    Reset,
}

/// The fabric, with a fault as long as the cell says so.
struct Faulty {
    core: Core<B4R1>,
    fault: Rc<Cell<Option<Fault>>>,
    address: u16,
}

impl Accelerator for Faulty {
    fn tick(&mut self, inputs: &Inputs) -> Outputs {
        let mut inputs = *inputs;
        let fault = self.fault.get();
        if inputs.arvalid {
            self.address = inputs.araddr;
        }
        let stuck = fault == Some(Fault::OutputStuck);
        inputs.out_tready &= !stuck;
        let swallowed = fault == Some(Fault::BeatLost) && inputs.input.is_some_and(|beat| !beat.last);
        if swallowed {
            inputs.input = None;
            self.fault.set(None);
        }
        let Inputs { awvalid, wvalid, bready, arvalid, rready, .. } = inputs;
        let accessed = awvalid || wvalid || bready || arvalid || rready;
        if fault == Some(Fault::Reset) && !accessed && self.core.work().busy {
            self.fault.set(None);
            Accelerator::reset(&mut self.core);
        }
        let mut outputs = Accelerator::tick(&mut self.core, &inputs);
        outputs.in_tready |= swallowed;
        if stuck {
            outputs.output = None;
        }
        match fault {
            Some(Fault::Busy) if self.address == 0x10 => outputs.rdata |= 1,
            Some(Fault::Reads(value)) => outputs.rdata = value,
            _ => {}
        }
        outputs
    }

    fn idle(&self) -> bool {
        self.core.idle()
    }

    fn work(&self) -> Work {
        self.core.work()
    }

    fn reset(&mut self) {
        Accelerator::reset(&mut self.core);
    }
}

/// Runs a job with a fault from the middle of what is measured to its end, and then the same without. Returns the error.
fn broken(
    engine: &str,
    inject: impl FnOnce(&mut Zynq7000, &Cell<Option<Fault>>),
    heal: impl FnOnce(&mut Zynq7000),
) -> Option<String> {
    let fault = Rc::new(Cell::new(None));
    let core = Core::new().expect("a build with Verilator");
    let faulty: Box<dyn Accelerator> = Box::new(Faulty { core, fault: fault.clone(), address: 0 });
    let job = format!("ML-DSA-44 {engine} sign 1 0011 6869");
    let (mut board, printed) = board(&format!("{job}\n{job}"), Some(faulty))?;
    let limits = Limits::default();
    board.run_to("measured", &limits).unwrap();
    let back = board.core().register(14) & !1;
    // Half a millisecond into it
    let middle = board.cycles() + 333_333;
    assert_eq!(board.run(&Limits { cycles: Some(middle), ..limits }), End::Cycles);
    inject(&mut board, &fault);
    board.add_breakpoint(back);
    assert_eq!(board.run(&limits), End::Breakpoint(back));
    board.remove_breakpoint(back);
    // Time-outs are 20 ms each.
    assert!(board.cycles() - middle < 14 * 20 * 666_667, "{}", board.cycles() - middle);
    fault.set(None);
    heal(&mut board);
    let end = board.run(&limits);
    assert_eq!(end, End::Until, "{}", board.report(&end));
    let lines = host::results(&printed.borrow());
    assert_eq!(lines.len(), 2, "{lines:?}");
    let asked = Asked { algorithm: "ML-DSA-44", how: ("engine", engine), operation: "sign", run: 0 };
    host::check(&lines[1], asked, &[0, 0x11], b"hi");
    Some(lines[0]["error"].as_str().unwrap_or_else(|| panic!("{}", lines[0])).to_owned())
}

#[test]
fn a_reset_in_the_middle_is_an_error_and_passes() {
    for engine in ["study", "resident"] {
        let Some(error) = broken(engine, |_, cell| cell.set(Some(Fault::Reset)), |_| ()) else { return };
        // Which one is for the driver to say; that the result is none, and the next one right, is what counts.
        println!("{engine}: {error}");
        assert!(!error.is_empty());
    }
}

#[test]
fn faults_are_errors_and_pass() {
    for engine in ["study", "resident"] {
        let of = |fault| broken(engine, |_, cell| cell.set(Some(fault)), |_| ());
        let Some(error) = of(Fault::Busy) else { return };
        assert!(error.contains("a command did not end in time (STATUS 0x"), "{error}");
        for (fault, expected) in [
            (Fault::Reads(u32::MAX), "STATUS reads 0xffffffff, which it cannot"),
            (Fault::BeatLost, "failed: StreamShort"),
            // The fabric gives up before the driver does.
            (Fault::OutputStuck, "failed: OutputTimeout"),
        ] {
            let error = of(fault).unwrap();
            assert!(error.contains(expected), "{fault:?}: {error}");
        }
        let error = broken(
            engine,
            |board, _| board.soc().dma().faults.stuck = true,
            |board| board.soc().dma().faults.stuck = false,
        );
        let error = error.unwrap();
        // The driver's time-out, or the fabric's, which waits for a beat of the DMA.
        assert!(error.contains("did not end in time") || error.contains("putTimeout"), "{error}");
        let error = broken(engine, |board, _| board.soc().dma().faults.write_error = true, |_| ()).unwrap();
        assert!(error.starts_with("DMA, Receiving: slave error: the memory refused (STATUS 0x"), "{error}");
        // Halted, DMASlvErr, Err_Irq
        assert!(error.contains("S2MM_DMASR 0x00004021"), "{error}");
        let error = broken(engine, |board, _| board.soc().dma().faults.slave_error = true, |_| ()).unwrap();
        assert!(error.contains("slave error: the memory refused (STATUS 0x"), "{error}");
        assert!(error.contains("_DMASR 0x00004021"), "{error}");
    }
}
