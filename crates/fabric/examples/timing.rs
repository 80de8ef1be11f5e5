//! Draws the timing diagrams of `hw/doc` from a simulation:
//!
//!     cargo run --release -p pqsoc-fabric --example timing -- hw/doc
use std::collections::VecDeque;
use std::error::Error;
use std::fmt::Write;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::{env, fs};

use pqsoc_fabric::{B4R1, Beat, Core, Inputs, Outputs, beats};
use pqsoc_registers::{Command, Opcode};

/// One clock cycle: what went in, what came out, the opcode of the command that was under way.
type Cycle = (Inputs, Outputs, Option<u64>);

/// A fabric whose every cycle is kept.
struct Recorder {
    core: Core<B4R1>,
    pins: Inputs,
    input: VecDeque<Beat>,
    trace: Vec<Cycle>,
}

impl Recorder {
    fn new() -> Result<Self, Box<dyn Error>> {
        let mut core = Core::new()?;
        let mut pins = Inputs { wstrb: 15, out_tready: true, ..Inputs::default() };
        for cycle in 0..3000 {
            pins.rst_n = cycle >= 4;
            core.tick(&pins);
        }
        Ok(Self { core, pins, input: VecDeque::new(), trace: Vec::new() })
    }

    fn tick(&mut self) -> Outputs {
        self.pins.in_tvalid = false;
        if let Some(beat) = self.input.front() {
            (self.pins.in_tvalid, self.pins.in_tdata) = (true, beat.data);
            (self.pins.in_tkeep, self.pins.in_tlast) = (beat.keep, beat.last);
        }
        let signals = self.core.snapshot();
        let signal =
            |name: &str| signals.iter().find(|(path, _)| *path == name).map_or(0, |(_, value)| value[0]);
        // Check, Step and Wait; Fetch still shows the command before.
        let under_way = (3..=5).contains(&signal("u_sequencer.phase_q"));
        let opcode = under_way.then(|| u64::from(signal("u_sequencer.opcode_q")));
        let outputs = self.core.tick(&self.pins);
        if self.pins.in_tvalid && outputs.in_tready {
            self.input.pop_front();
        }
        self.trace.push((self.pins, outputs, opcode));
        outputs
    }

    /// A register write: address and data together, the answer taken when it comes.
    fn write(&mut self, offset: u16, value: u32) {
        (self.pins.awvalid, self.pins.wvalid, self.pins.bready) = (true, true, true);
        (self.pins.awaddr, self.pins.wdata) = (offset, value);
        while {
            let outputs = self.tick();
            self.pins.awvalid &= !outputs.awready;
            self.pins.wvalid &= !outputs.wready;
            !outputs.bvalid
        } {}
        self.pins.bready = false;
    }

    fn read(&mut self, offset: u16) {
        (self.pins.arvalid, self.pins.rready, self.pins.araddr) = (true, true, offset);
        while {
            let outputs = self.tick();
            self.pins.arvalid &= !outputs.arready;
            !outputs.rvalid
        } {}
        self.pins.rready = false;
    }
}

const COMMAND: u16 = 0x20;
const CONTROL: u16 = 0x0c;
const STATUS: u16 = 0x10;
const IRQ_ENABLE: u16 = 0x24;

/// What a row shows in a cycle.
#[derive(Clone, PartialEq)]
enum Cell {
    Level(bool),
    /// Valid data, with what is written on them.
    Data(String),
    Nothing,
}

fn data(valid: bool, text: impl Into<String>) -> Cell {
    if valid { Cell::Data(text.into()) } else { Cell::Nothing }
}

type Row = (&'static str, fn(&Cycle) -> Cell);

const REGISTERS: &[Row] = &[
    ("s_axil_awvalid_i, wvalid_i", |(i, _, _)| Cell::Level(i.awvalid)),
    ("s_axil_awready_o, wready_o", |(_, o, _)| Cell::Level(o.awready)),
    ("s_axil_awaddr_i", |(i, _, _)| data(i.awvalid, format!("{:03x}", i.awaddr))),
    ("s_axil_wdata_i", |(i, _, _)| data(i.wvalid, format!("{:x}", i.wdata))),
    ("s_axil_bvalid_o", |(_, o, _)| Cell::Level(o.bvalid)),
    ("s_axil_bready_i", |(i, _, _)| Cell::Level(i.bready)),
    ("s_axil_arvalid_i", |(i, _, _)| Cell::Level(i.arvalid)),
    ("s_axil_arready_o", |(_, o, _)| Cell::Level(o.arready)),
    ("s_axil_araddr_i", |(i, _, _)| data(i.arvalid, format!("{:03x}", i.araddr))),
    ("s_axil_rvalid_o", |(_, o, _)| Cell::Level(o.rvalid)),
    ("s_axil_rready_i", |(i, _, _)| Cell::Level(i.rready)),
    ("s_axil_rdata_o", |(_, o, _)| data(o.rvalid, format!("{:x}", o.rdata))),
];

const STREAMS: &[Row] = &[
    ("s_axis_tvalid_i", |(i, _, _)| Cell::Level(i.in_tvalid)),
    ("s_axis_tready_o", |(_, o, _)| Cell::Level(o.in_tready)),
    ("s_axis_tdata_i", |(i, _, _)| data(i.in_tvalid, format!("{}", i.in_tdata & 0xff))),
    ("s_axis_tlast_i", |(i, _, _)| Cell::Level(i.in_tvalid && i.in_tlast)),
    ("command", |(_, _, opcode)| data(opcode.is_some(), name(opcode.unwrap_or(0)))),
    ("m_axis_tvalid_o", |(_, o, _)| Cell::Level(o.out_tvalid)),
    ("m_axis_tready_i", |(i, _, _)| Cell::Level(i.out_tready)),
    ("m_axis_tdata_o", |(_, o, _)| data(o.out_tvalid, format!("{:x}", o.out_tdata & 0xff_ffff))),
    ("m_axis_tlast_o", |(_, o, _)| Cell::Level(o.out_tvalid && o.out_tlast)),
    ("irq_o", |(_, o, _)| Cell::Level(o.irq)),
];

fn name(opcode: u64) -> &'static str {
    match opcode {
        o if o == Opcode::Load as u64 => "Load",
        o if o == Opcode::Ntt as u64 => "Ntt",
        o if o == Opcode::Store as u64 => "Store",
        _ => "",
    }
}

/// The cycles of some windows, one beside the other.
fn draw(title: &str, rows: &[Row], trace: &[Cycle], windows: &[RangeInclusive<usize>]) -> String {
    const LEFT: usize = 200;
    const STEP: usize = 52;
    const GAP: usize = 26;
    const HEIGHT: usize = 28;
    let mut places = Vec::new();
    let mut gaps = Vec::new();
    let mut x = LEFT;
    for (k, window) in windows.iter().enumerate() {
        if k > 0 {
            gaps.push(x);
            x += GAP;
        }
        for cycle in window.clone() {
            places.push((x, cycle));
            x += STEP;
        }
    }
    let (width, height) = (x + 10, HEIGHT * (rows.len() + 1) + 16);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"monospace\" \
         font-size=\"11\">\n<title>{title}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    let line = |svg: &mut String, points: &str| {
        let _ = writeln!(
            svg,
            "<polyline fill=\"none\" stroke=\"#234\" stroke-width=\"1.3\" points=\"{points}\"/>"
        );
    };
    let label = |svg: &mut String, y: usize, text: &str| {
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{y}\" text-anchor=\"end\" fill=\"#123\">{text}</text>",
            LEFT - 8
        );
    };
    label(&mut svg, 24, "clk_i");
    let mut clock = String::new();
    for (x, _) in &places {
        let half = x + STEP / 2;
        let _ = write!(clock, "{x},28 {x},14 {half},14 {half},28 {},28 ", x + STEP);
    }
    line(&mut svg, &clock);
    for (r, (name, value)) in rows.iter().enumerate() {
        let (top, bottom) = (HEIGHT * (r + 1) + 14, HEIGHT * (r + 1) + 28);
        let middle = (top + bottom) / 2;
        label(&mut svg, middle + 4, name);
        let mut levels = String::new();
        let mut at = 0;
        while at < places.len() {
            let (x, cycle) = places[at];
            let cell = value(&trace[cycle]);
            // As far as it stays the same, within a window.
            let mut end = at + 1;
            while end < places.len()
                && places[end].0 == places[end - 1].0 + STEP
                && value(&trace[places[end].1]) == cell
            {
                end += 1;
            }
            let right = places[end - 1].0 + STEP;
            match cell {
                Cell::Level(high) => {
                    let y = if high { top } else { bottom };
                    let _ = write!(levels, "{x},{y} {right},{y} ");
                }
                Cell::Nothing => line(&mut svg, &format!("{x},{middle} {right},{middle}")),
                Cell::Data(text) => {
                    let _ = writeln!(
                        svg,
                        "<path d=\"M{x},{middle} l4,-8 H{} l4,8 l-4,8 H{} Z\" fill=\"#e8f0ff\" stroke=\"#234\"/>\n\
                         <text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-size=\"10\" fill=\"#123\">{text}</text>",
                        right - 4,
                        x + 4,
                        (x + right) / 2,
                        middle + 4,
                    );
                }
            }
            at = end;
        }
        if !levels.is_empty() {
            line(&mut svg, &levels);
        }
    }
    for x in gaps {
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"8\" width=\"{GAP}\" height=\"{}\" fill=\"#fff\"/>\n<text x=\"{}\" y=\"{}\" \
             text-anchor=\"middle\" fill=\"#567\">…</text>",
            height - 12,
            x + GAP / 2,
            height / 2,
        );
    }
    svg + "</svg>\n"
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(env::args().nth(1).unwrap_or_else(|| ".".into()));

    let mut registers = Recorder::new()?;
    registers.tick();
    registers.write(COMMAND, Command::ntt(1, 0).last().command());
    registers.tick();
    registers.read(STATUS);
    registers.tick();
    let whole = 0..=registers.trace.len() - 1;
    let svg = draw("A write of COMMAND and a read of STATUS", REGISTERS, &registers.trace, &[whole]);
    fs::write(folder.join("registers.svg"), svg)?;

    let mut list = Recorder::new()?;
    list.write(IRQ_ENABLE, 3);
    for command in [Command::load(0), Command::ntt(1, 0), Command::store(1).last()] {
        list.write(COMMAND, command.command());
    }
    // Coefficient i is i, so that a beat shows its first coefficient.
    let bytes: Vec<u8> = (0..256u32).flat_map(u32::to_le_bytes).collect();
    list.input.extend(beats(&bytes));
    let begin = list.trace.len();
    list.tick();
    list.tick();
    list.write(CONTROL, 1);
    let mut taken = 0;
    while !list.trace.last().is_some_and(|(_, outputs, _)| outputs.irq) {
        // The other side is not ready for one beat.
        list.pins.out_tready = taken != 1 || !list.pins.out_tready;
        let outputs = list.tick();
        taken += usize::from(outputs.out_tvalid && list.pins.out_tready);
    }
    list.tick();
    let find = |what: fn(&Cycle) -> bool| list.trace.iter().position(what).ok_or("it never happens");
    let last_in = find(|(i, o, _)| i.in_tvalid && o.in_tready && i.in_tlast)?;
    let stored = find(|(_, o, _)| o.out_tvalid)?;
    let last_out = find(|(i, o, _)| o.out_tvalid && o.out_tlast && i.out_tready)?;
    let windows = [
        begin..=begin + 10,
        last_in - 1..=last_in + 6,
        stored - 4..=stored + 4,
        last_out - 1..=list.trace.len() - 1,
    ];
    let svg = draw("Load, Ntt and Store as one list", STREAMS, &list.trace, &windows);
    fs::write(folder.join("load-ntt-store.svg"), svg)?;
    Ok(())
}
