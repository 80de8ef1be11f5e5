//! --help, completions, manual pages, speed's table.
mod common;

use common::{Folder, text};

const COMMANDS: [&str; 16] = [
    "keygen",
    "sign",
    "verify",
    "pubkey",
    "mu",
    "inspect",
    "vectors",
    "speed",
    "run",
    "bench",
    "reproduce",
    "report",
    "compare",
    "choose",
    "completions",
    "man",
];

#[test]
fn every_command_has_help_with_an_example() {
    let folder = Folder::new();
    let all = text(&folder.ok("--help"));
    for command in COMMANDS {
        assert!(all.contains(&format!("\n  {command} ")), "{command}");
        let help = text(&folder.ok(&format!("{command} --help")));
        assert!(help.contains("Example"), "{command}");
        assert!(help.contains(&format!("  pqsoc {command} ")), "{command}");
    }
    assert!(text(&folder.ok("--version")).starts_with("pqsoc "));
}

/// The examples work as they are printed, one after the other.
#[test]
fn examples_work() {
    let folder = Folder::new();
    folder.write("image.bin", "firmware");
    folder.ok("keygen --algorithm ML-DSA-65 --out key.pem --public pub.pem");
    let mut lines = Vec::new();
    for command in ["sign", "verify", "mu", "inspect"] {
        let help = text(&folder.ok(&format!("{command} --help")));
        let (_, examples) = help.split_once("Example").unwrap();
        lines.extend(examples.lines().filter_map(|line| line.strip_prefix("  pqsoc ")).map(String::from));
    }
    assert!(lines.len() >= 6, "{lines:?}");
    for line in lines {
        let line = if line.contains("--out") { format!("{line} --force") } else { line };
        folder.ok(&line);
    }
    folder.ok("pubkey --key key.pem --out pub.pem --force");
}

#[test]
fn completions_and_manual_pages() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = text(&folder.ok(&format!("completions {shell}")));
        assert!(COMMANDS.iter().all(|command| script.contains(command)), "{shell}");
    }
    folder.ok("man --out .");
    for command in COMMANDS {
        let page = text(&folder.read(&format!("pqsoc-{command}.1")));
        assert!(
            page.contains(".SH OPTIONS") && page.contains(&format!("pqsoc\\-{command}")),
            "{command}: {page}"
        );
    }
    assert!(text(&folder.read("pqsoc.1")).contains("Exit codes"));
    folder.fails(3, "man --out .");
    folder.ok("man --out . --force");
}

#[test]
fn speed_measures_each_operation() {
    let folder = Folder::new();
    let table = text(&folder.ok("speed ml-dsa-44 Dilithium2 SLH-DSA-SHA2-128f --seconds 0 --format csv"));
    let mut rows = csv::Reader::from_reader(table.as_bytes());
    let columns = rows.headers().unwrap().clone();
    let rows: Vec<_> = rows.records().map(|row| row.unwrap()).collect();
    let column = |name: &str| columns.iter().position(|column| column == name).unwrap();
    let algorithms: Vec<_> =
        rows.iter().map(|row| (&row[column("algorithm")], &row[column("operation")])).collect();
    let expected: Vec<_> = ["ML-DSA-44", "Dilithium2", "SLH-DSA-SHA2-128f"]
        .into_iter()
        .flat_map(|algorithm| ["keygen", "sign", "verify"].map(|operation| (algorithm, operation)))
        .collect();
    assert_eq!(algorithms, expected);
    for row in &rows {
        let value = |name| row[column(name)].parse::<u64>().unwrap();
        assert!(value("min_ns") > 0 && value("runs") >= 3);
        assert!(value("min_ns") <= value("median_ns") && value("median_ns") <= value("p99_ns"));
        assert!(
            value("min_ns") <= value("mean_ns") && value("mean_ns") <= value("p99_ns").max(value("mean_ns"))
        );
        let attempts = &row[column("attempts_mean")];
        assert_eq!(
            attempts.is_empty(),
            &row[column("operation")] != "sign" || row[column("algorithm")].starts_with("SLH")
        );
        assert!(attempts.is_empty() || attempts.parse::<f64>().unwrap() >= 1.0);
    }
    let table = text(&folder.ok("speed ML-DSA-87 --seconds 0"));
    assert!(
        table.starts_with("ML-DSA-87: private key 4896, public key 2592, signature 4627 bytes; times in us"),
        "{table}"
    );
    let json: serde_json::Value =
        serde_json::from_slice(&folder.ok("speed ML-DSA-87 --seconds 0 --format json")).unwrap();
    assert_eq!(json["schema"], "pqsoc-speed/1");
    assert_eq!(json["rows"].as_array().unwrap().len(), 3);
}
