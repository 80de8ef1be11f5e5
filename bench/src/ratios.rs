//! From the lines of a run to ratios between libraries.
use std::collections::BTreeMap;

/// How a name of this project's rows begins.
const OWN: &str = "pqsoc";

/// The order in which operations are shown.
const OPERATIONS: [&str; 5] = ["keygen", "sign", "sign_from_bytes", "verify", "verify_from_bytes"];

/// Best mean over the rounds, in microseconds, of one library in one run.
struct Cell {
    library: String,
    portable: bool,
    mean_us: f64,
}

/// The cells of one run by algorithm and operation.
type Run = BTreeMap<(String, usize), Vec<Cell>>;

/// A Markdown table with a line for each algorithm, operation and row of pqsoc: its time, and its time divided by
/// that of the fastest portable peer and of the fastest peer at all.
///
/// `runs` are the outputs of the program, one for each build. A ratio is always within one run; among several runs
/// the peer that does best against pqsoc in its own run counts. The least disturbed round (the lowest mean) stands
/// for all.
pub fn table(runs: &[String]) -> Result<String, String> {
    let runs = runs.iter().map(|text| parse(text)).collect::<Result<Vec<_>, _>>()?;
    let mut lines: BTreeMap<(String, usize, String), [Option<(f64, f64, String)>; 2]> = BTreeMap::new();
    for ((algorithm, operation), cells) in runs.iter().flatten() {
        for own in cells.iter().filter(|cell| cell.library.starts_with(OWN)) {
            let line = lines.entry((algorithm.clone(), *operation, own.library.clone())).or_default();
            for peer in cells.iter().filter(|cell| !cell.library.starts_with(OWN)) {
                let ratio = own.mean_us / peer.mean_us;
                let places = if peer.portable { 0..2 } else { 1..2 };
                for best in &mut line[places] {
                    if best.as_ref().is_none_or(|(other, ..)| *other < ratio) {
                        *best = Some((ratio, own.mean_us, peer.library.clone()));
                    }
                }
            }
        }
    }
    let mut out = String::from(
        "| set | operation | row | µs | to the best portable peer | to the best peer |\n|---|---|---|--:|---|---|\n",
    );
    for ((algorithm, operation, library), best) in lines {
        let time = best.iter().flatten().map(|b| b.1).next_back().map_or("–".into(), |t| format!("{t:.1}"));
        let [portable, any] =
            best.map(|b| b.map_or("–".into(), |(ratio, _, peer)| format!("{ratio:.2} × {peer}")));
        let operation = OPERATIONS[operation];
        out += &format!("| {algorithm} | {operation} | {library} | {time} | {portable} | {any} |\n");
    }
    Ok(out)
}

fn parse(text: &str) -> Result<Run, String> {
    let mut run = Run::new();
    for line in text.lines().filter(|line| !line.starts_with("lib\t")) {
        let bad = || format!("not a line of a run: {line}");
        let fields: Vec<_> = line.split('\t').collect();
        let [library, algorithm, operation, _, _, mean, _, _, _, _, kind] = fields[..] else {
            return Err(bad());
        };
        let operation = OPERATIONS.iter().position(|o| *o == operation).ok_or_else(bad)?;
        let mean_us: f64 = mean.parse().map_err(|_| bad())?;
        let cells = run.entry((algorithm.to_owned(), operation)).or_default();
        match cells.iter_mut().find(|cell| cell.library == library) {
            Some(cell) => cell.mean_us = cell.mean_us.min(mean_us),
            None => cells.push(Cell { library: library.to_owned(), portable: kind == "portable", mean_us }),
        }
    }
    Ok(run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_stay_within_a_run() {
        let line = |library: &str, mean: f64, kind: &str| {
            format!("{library}\tML-DSA-44\tsign\t0\t9\t{mean}\t1\t1\t1\tSD\t{kind}\n")
        };
        let slow =
            [line("pqsoc/fast", 200.0, "portable"), line("a", 100.0, "native"), line("b", 400.0, "portable")];
        let quick =
            [line("pqsoc/fast", 100.0, "portable"), line("c", 80.0, "native"), line("c", 90.0, "native")];
        let table = table(&[slow.concat(), quick.concat()]).unwrap();
        assert!(table.contains("| ML-DSA-44 | sign | pqsoc/fast | 200.0 | 0.50 × b | 2.00 × a |"), "{table}");
    }

    #[test]
    fn lines_that_are_none_are_refused() {
        assert!(table(&["a\tb".into()]).is_err());
    }
}
