//! report, compare, choose, bench and reproduce: what they write, and how they fail.
mod common;

#[path = "../../boards/tests/common/mod.rs"]
mod board;

use common::{Folder, expect, text};
use std::fs;

/// Two measurements of each of two sets, and one with a problem.
fn results() -> String {
    let figure = |status: &str, mean: f64| format!("{{\"status\":\"{status}\",\"runs\":1,\"mean\":{mean}}}");
    let mut lines = Vec::new();
    for (set, cycles, stack) in [("ML-DSA-44", 1_600_000.0, 9000.0), ("ML-DSA-87", 4_500_000.0, 17_000.0)] {
        for operation in ["sign", "verify"] {
            lines.push(format!(
                "{{\"implementation\":\"pqsoc\",\"algorithm\":\"{set}\",\"operation\":\"{operation}\",\"engine\":\"software\",\
                 \"profile\":\"fast\",\"build\":\"optimised\",\"board\":\"stm32f407\",\"platform\":\"virtual\",\"core_mhz\":168,\
                 \"wait_states\":5,\"provenance\":\"p\",\"cycles\":{},\"time_ms\":{},\"stack_bytes\":{},\"code_bytes\":{}}}",
                figure("estimated", cycles),
                figure("estimated", cycles / 168e3),
                figure("exact", stack),
                figure("exact", 12_000.0),
            ));
        }
    }
    format!(
        "{{\"schema\":\"pqsoc-results/1\",\"provenance\":{{\"p\":{{\"origin\":\"measured\",\"title\":\"t\"}}}},\"measurements\":[\n{}\n]}}",
        lines.join(",\n")
    )
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("results.json", results());
    folder
}

#[test]
fn the_report_and_its_other_forms() {
    let folder = folder();
    folder.ok("report results.json --out r.html --json r.json --csv r.csv --pqm4-csv p.csv --markdown r.md");
    let page = text(&folder.read("r.html"));
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("ML-DSA-87"));
    // The page is alone: it names no other place but in words.
    for tag in ["<link", "<img", "src=", "@import", "url(", "href=\"http"] {
        assert!(!page.contains(tag), "{tag}");
    }
    assert!(text(&folder.read("r.csv")).lines().any(|line| {
        line.starts_with("pqsoc,ML-DSA-44,verify,software,fast,optimised,stm32f407,virtual,168,5,,cycles,,estimated,1,1600000,")
    }));
    assert!(text(&folder.read("r.md")).contains("| ML-DSA-44 | pqsoc fast | stm32f407 168 MHz |"));
    // Plots stand alone as well: the legend is in them.
    fs::create_dir(folder.path("plots")).unwrap();
    folder.ok("report results.json --plots plots");
    let plot = text(&folder.read("plots/times-sign.svg"));
    assert!(
        plot.starts_with("<svg xmlns=")
            && plot.ends_with("</svg>\n")
            && plot.contains(">stm32f407 168 MHz</text>")
    );
    assert!(!folder.exists("plots/signing-curves.svg"));
    folder.fails(3, "report results.json --plots plots");
    // What is written is read again, and is the same.
    folder.ok("report r.json --json again.json");
    assert_eq!(folder.read("r.json"), folder.read("again.json"));
    folder.ok("report results.json --import p.csv --import-board nucleo --json both.json");
    let both = text(&folder.read("both.json"));
    assert!(both.contains("\"board\":\"nucleo\"") && both.contains("Imported from p.csv"));
}

#[test]
fn bad_results_are_one_sentence_with_a_place() {
    let folder = folder();
    let all = results();
    for (bad, sentence) in [
        (all.replacen("\"cycles\"", "\"cylces\"", 1), "line 2, column "),
        (all.replacen("\"mean\":1600000", "\"mean\":\"x\"", 1), "measurements[0]"),
        (all.replacen("results/1", "results/9", 1), "schema is \"pqsoc-results/9\""),
        (all.replacen("\"provenance\":\"p\"", "\"provenance\":\"q\"", 1), "names \"q\""),
        (String::new(), "line 1, column 0: EOF while parsing a value"),
    ] {
        folder.write("bad.json", bad);
        for command in
            ["report bad.json --out x.html", "compare results.json bad.json", "choose --results bad.json"]
        {
            let said = folder.fails(3, command);
            assert!(said.starts_with("pqsoc: bad.json: ") && said.contains(sentence), "{command}: {said}");
            assert_eq!(said.lines().count(), 1, "{said}");
        }
        assert!(!folder.exists("x.html"));
    }
    folder.write("bad.csv", "no table");
    assert!(
        folder.fails(3, "report results.json --import bad.csv --out x.html").contains("bad.csv: no table")
    );
    folder.write("bad.bin", [0xff, 0xfe]);
    assert_eq!(folder.fails(3, "report bad.bin --out x.html"), "pqsoc: bad.bin: is not text in UTF-8\n");
}

#[test]
fn files_are_not_lost() {
    let folder = folder();
    folder.write("old.html", "precious");
    assert!(folder.fails(3, "report results.json --out old.html").contains("exists already"));
    assert_eq!(folder.read("old.html"), b"precious");
    // Nothing is written when one of several cannot be.
    folder.fails(3, "report results.json --csv new.csv --out nowhere/r.html");
    assert!(!folder.exists("new.csv"));
    folder.fails(2, "report results.json --json results.json --force");
    folder.fails(2, "report results.json");
    let full = folder.pqsoc("report results.json --out /dev/full").output().unwrap();
    expect("report to a full disk", &full, 3);
    assert_eq!(text(&full.stderr), "pqsoc: /dev/full: no space left on device\n");
}

#[test]
fn a_budget_that_breaks_is_exit_code_6() {
    let folder = folder();
    folder.write("after.json", results().replacen("1600000", "1690000", 1));
    let shown = text(&folder.ok("compare results.json after.json"));
    assert!(
        shown.contains("+5.62 %  ML-DSA-44 sign, pqsoc fast, stm32f407 168 MHz: cycles 1600000 to 1690000"),
        "{shown}"
    );
    folder.ok("compare results.json after.json --fail-above 6%");
    folder.ok("compare after.json results.json --fail-above 0%");
    let output =
        folder.pqsoc("compare results.json after.json --fail-above 5% --format json").output().unwrap();
    expect("compare", &output, 6);
    assert_eq!(text(&output.stderr), "pqsoc: 1 of 1 differences are over the budget of 5 %\n");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["rows"][0]["over"], true);
    assert_eq!(json["rows"][0]["quantity"], "cycles");
    let same = folder.pqsoc("compare results.json results.json --fail-above 0").output().unwrap();
    expect("compare", &same, 0);
    assert_eq!(text(&same.stderr), "pqsoc: no difference in 16 figures\n");
    folder.fails(2, "compare results.json after.json --fail-above x");
    // Something that worked and does not.
    let problem = "\"provenance\":\"p\",\"problem\":{\"kind\":\"fault\",\"sentence\":\"it faulted\"}";
    folder.write("broken.json", results().replacen("\"provenance\":\"p\"", problem, 1));
    let output = folder.pqsoc("compare results.json broken.json --fail-above 5%").output().unwrap();
    expect("compare", &output, 6);
    assert!(
        text(&output.stdout)
            .contains("broken  ML-DSA-44 sign, pqsoc fast, stm32f407 168 MHz: it faulted  over budget")
    );
}

#[test]
fn choosing_says_what_rules_out() {
    let folder = folder();
    let shown = text(&folder.ok("choose --results results.json --ram 16k --flash 64k --verify-ms 50"));
    let lines: Vec<_> = shown.lines().collect();
    assert_eq!(lines[0], "on stm32f407 168 MHz: 1 of 2 fit");
    assert!(
        lines[1].contains("1. ML-DSA-44, pqsoc fast") && lines[1].contains("RAM 9 000 B (limit 16 KiB)"),
        "{shown}"
    );
    assert!(lines[2].contains("no ML-DSA-87, pqsoc fast  RAM 16.6 KiB (limit 16 KiB)"), "{shown}");
    let output = folder.pqsoc("choose --results results.json --signature 1000").output().unwrap();
    expect("choose", &output, 6);
    assert_eq!(text(&output.stderr), "pqsoc: nothing fits\n");
    assert!(text(&output.stdout).contains("signature 4 627 B (limit 1 000 B)"));
    folder.fails(2, "choose --results results.json --board zedboard");
    folder.fails(2, "choose --ram x");
}

#[test]
fn without_the_firmware_it_is_said_how_to_build_it() {
    let folder = Folder::new();
    let said = folder.fails(3, "bench --algorithm ML-DSA-44 --firmware nowhere");
    assert!(
        said.contains("nowhere/stm32f407.elf: no such file")
            || said.contains("nowhere/stm32f407.elf: No such file"),
        "{said}"
    );
    assert!(said.contains("cargo xtask firmware"), "{said}");
    folder.fails(2, "bench --algorithm ML-DSA-45");
    folder.fails(2, "bench --algorithm SLH-DSA-SHA2-128f --profile fast");
    folder.fails(2, "bench");
    folder.write("x.elf", "no program");
    let said = folder.fails(2, "bench --elf x.elf --board zedboard --out r.json");
    assert!(
        said.starts_with("pqsoc: --elf goes with --board stm32f407 only") && said.lines().count() == 1,
        "{said}"
    );
    assert!(!folder.exists("r.json"));
    for excluded in
        ["--operation sign", "--runs 2", "--profile fast", "--engine study", "--pl-mhz 100", "--build size"]
    {
        let said = folder.fails(2, &format!("bench --elf x.elf {excluded}"));
        assert!(said.contains("cannot be used with"), "{excluded}: {said}");
    }
    folder.fails(2, "bench --algorithm ML-DSA-44 --engine study");
    folder.fails(2, "bench --algorithm ML-DSA-44 --pl-mhz 100");
    folder.fails(2, "bench --board zedboard --algorithm ML-DSA-44 --pl-mhz 100");
    folder.fails(2, "bench --board zedboard --algorithm ML-DSA-44 --engine study --profile fast");
    assert!(folder.fails(3, "bench --elf x.elf").starts_with("pqsoc: x.elf: "));
    // The whole study: everything is missing, and is reported nevertheless.
    let output = folder.pqsoc("reproduce --quick --firmware nowhere --out out").output().unwrap();
    expect("reproduce", &output, 3);
    assert!(text(&output.stderr).contains("cargo xtask firmware"));
    assert!(text(&output.stdout).contains("not determinable"));
    assert!(text(&folder.read("out/report.html")).contains("nowhere/stm32f407.elf"));
    // A folder that cannot be written is found before anything is run.
    fs::write(folder.path("file"), "").unwrap();
    folder.fails(3, "reproduce --quick --out file");
}

/// A firmware that reports one run and faults in the next.
fn faulting() -> Vec<u8> {
    let text = "{\"opt_level\":\"3\",\"rustc\":\"rustc x\"}\n{\"cycles\":7000,\"sha3_256\":\"ab\"}\n\0\0";
    let text: Vec<u16> = text.as_bytes().chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
    let mut asm = board::Asm::new();
    // The address without the Thumb bit, SYS_WRITE0, then an undefined instruction.
    asm.set_function(1, "text").op(&[0x3901]).set(0, 4).op(&[board::SEMIHOSTING, 0xde00]);
    asm.function("text").op(&text);
    asm.elf()
}

#[test]
fn a_firmware_that_faults_is_reported_and_the_rest_too() {
    let folder = Folder::new();
    folder.write("stm32f407.elf", faulting());
    let bench =
        folder.pqsoc("bench --algorithm ML-DSA-44 --runs 3 --firmware . --out r.json").output().unwrap();
    expect("bench", &bench, 1);
    let said = text(&bench.stderr);
    assert!(said.contains("ML-DSA-44 sign, pqsoc fast") && said.contains("in reset"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    // Figures of a program that went astray are none, but how it was built is known.
    let results: serde_json::Value = serde_json::from_slice(&folder.read("r.json")).unwrap();
    let measurement = &results["measurements"][0];
    assert_eq!(measurement["problem"]["kind"], "fault");
    assert!(measurement["cycles"].is_null());
    assert_eq!(results["provenance"]["stm32f407"]["compiler"], "rustc x");

    let output = folder.pqsoc("reproduce --quick --firmware . --out out").output().unwrap();
    expect("reproduce", &output, 3);
    let json = text(&folder.read("out/results.json"));
    assert!(json.contains("\"kind\":\"fault\"") && json.contains("\"kind\":\"tool\""));
    assert!(text(&folder.read("out/report.html")).contains("in reset"));
    // The faults are outcomes, and known the next time; what a missing build kept from running is not.
    let again = folder.pqsoc("reproduce --quick --firmware . --out out").output().unwrap();
    assert!(
        text(&again.stderr).contains("100 % of the work is known from before"),
        "{}",
        text(&again.stderr)
    );
    assert_eq!(text(&again.stdout), text(&output.stdout));
    folder.write("stm32f407-classical.elf", faulting());
    let more = folder.pqsoc("reproduce --quick --firmware . --out out").output().unwrap();
    assert!(!text(&more.stderr).contains("100 %"), "{}", text(&more.stderr));
}

/// The table is printed, the files that fit are written, and one sentence says what could not be.
#[test]
#[cfg(unix)]
fn a_disk_that_fills_loses_no_more_than_must_be() {
    let folder = Folder::new();
    folder.write("stm32f407.elf", faulting());
    // No file of more than 200 blocks: as a disk would that fills up.
    let mut shell = folder.command("sh");
    let output = shell
        .args([
            "-c",
            "trap '' XFSZ; ulimit -f 200; exec \"$0\" reproduce --quick --firmware . --out out",
            common::PROGRAM,
        ])
        .output()
        .unwrap();
    expect("reproduce", &output, 3);
    let said = text(&output.stderr);
    assert!(said.contains("pqsoc: out/report.html: file too large"), "{said}");
    assert!(said.ends_with("not all files could be written\n"), "{said}");
    assert!(text(&output.stdout).contains("not determinable"));
    assert!(!folder.exists("out/report.html") && folder.exists("out/pqm4.csv"));
}
