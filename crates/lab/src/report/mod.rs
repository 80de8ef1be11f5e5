//! The report: one HTML file that needs nothing else.
mod draw;
mod plots;

use crate::results::{Figure, Measurement, Operation, Platform, Quantity, Results, Status};
use crate::study::{self, Finding, Verdict};
use crate::tables::{self, Cell, Table};
use crate::text;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use plots::Plot;

/// A plot as SVG.
#[derive(Debug)]
pub struct Drawing {
    /// For screens of a desk, and paper.
    pub wide: String,
    /// For a phone.
    pub narrow: String,
}

const COLOURS: &str = include_str!("colours.css");
const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Nothing may be loaded from anywhere: the page says so to the browser.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// The report on some results, as one HTML document. Published figures and what can be calculated are added.
pub fn html(results: &Results) -> String {
    let all = tables::complete(results);
    let findings = study::findings(&all);
    let plots = plots::all(&all);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { "Post-quantum signatures on small devices" }
                style { (PreEscaped(COLOURS)) (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#summary" { "To the summary" }
                (header(&all, results, &findings))
                main {
                    (summary(&findings))
                    (contents())
                    (choices(&all))
                    (times(&all, &plots))
                    (memory(&all, &plots))
                    (signing(&all, &plots))
                    (breakdown(&plots))
                    (sizes(&all, &plots))
                    (fabric(&all, &plots))
                    (energy(&all, &plots))
                    (silicon(&all, &plots))
                    (problems(&all))
                    (sources(&all))
                }
                (dialog())
                script type="application/json" id="data" { (PreEscaped(embedded(&all))) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

/// The plots as SVG documents of their own, with the names of the page's places; published figures and what can be calculated
/// are added. Those that lack something are left out.
pub fn plots(results: &Results) -> Vec<(&'static str, String)> {
    let drawn = |plot: Plot| Some((plot.id, draw::alone(&plot.drawing.ok()?.wide, COLOURS, &plot.legend)));
    plots::all(&tables::complete(results)).into_iter().filter_map(drawn).collect()
}

/// The results as JSON that may stand in a script element: no `<` can end it.
fn embedded(results: &Results) -> String {
    results.to_json().replace('<', "\\u003c")
}

/// A figure's value, its status, and a link to where it comes from.
fn value(measurement: usize, quantity: Quantity, text: &str, status: Status, provenance: &str) -> Markup {
    html! {
        a.value href={ "#source-" (provenance) } data-measurement=(measurement) data-quantity=(quantity.name()) {
            (text) (mark(status))
        }
    }
}

fn mark(status: Status) -> Markup {
    html! { span class={ "mark " (status.name()) } title=(status.meaning()) { span { (status.name()) } } }
}

fn header(all: &Results, results: &Results, findings: &[Finding<'_>]) -> Markup {
    let count = |verdict| findings.iter().filter(|finding| finding.verdict == verdict).count();
    let measured = results.measurements.len();
    html! {
        header {
            p.kicker { "pqsoc" @if let Some(created) = &results.created { " · " time datetime=(created) { (created) } } }
            h1 { "Post-quantum signatures on small devices" }
            p.lead {
                "Of " (findings.len()) " results that the study reports, "
                strong { (count(Verdict::Reproduced)) " could be reproduced, " (count(Verdict::NotReproduced)) " could not" }
                @if count(Verdict::NotDeterminable) > 0 {
                    ", and " (count(Verdict::NotDeterminable)) " cannot be decided from these results"
                }
                ". What good code does instead on the same boards:"
            }
            div.tiles { @for tile in tiles(all) { (tile) } }
            p.small {
                (measured) " experiments, beside published figures. Every figure says how far it can be trusted: "
                @for (i, status) in Status::ALL.into_iter().enumerate() {
                    @if i > 0 { " " }
                    span.key { (mark(status)) (status.name()) }
                }
                ". Choose a figure to see where it comes from."
            }
        }
    }
}

/// The figures that matter most, as far as they are there.
fn tiles(all: &Results) -> Vec<Markup> {
    let ours = |m: &&Measurement| {
        m.subject.implementation == "pqsoc"
            && m.subject.build == "optimised"
            && m.subject.platform == Platform::Virtual
    };
    let least = |fits: &dyn Fn(&Measurement) -> bool, quantity: Quantity| {
        let with = all.measurements.iter().enumerate().filter(|(_, m)| ours(m) && fits(m));
        let with = with.filter_map(|(i, m)| Some((i, m, m.get(quantity)?)));
        with.min_by(|a, b| a.2.mean.total_cmp(&b.2.mean))
    };
    let tile = |(i, m, figure): (usize, &Measurement, &Figure), quantity: Quantity, words: String| {
        html! {
            div.tile {
                div.number { (value(i, quantity, &text::value(quantity, figure.mean), figure.status, &m.provenance)) }
                div { (words) }
                div.small { (m.subject.code()) ", " (m.subject.place()) }
            }
        }
    };
    let on = |board: &'static str, operation: Operation| {
        move |m: &Measurement| {
            m.subject.board == board && m.subject.operation == operation && m.subject.algorithm == "ML-DSA-44"
        }
    };
    let mut tiles = Vec::new();
    if let Some(found) = least(&on("stm32f407", Operation::Sign), Quantity::TimeMs) {
        let bound =
            found.2.p99.map_or(String::new(), |p99| format!(", 99 of 100 within {}", text::duration(p99)));
        tiles.push(tile(found, Quantity::TimeMs, format!("for a signature with ML-DSA-44{bound}")));
    }
    if let Some(found) = least(&on("stm32f407", Operation::Sign), Quantity::StackBytes) {
        tiles.push(tile(found, Quantity::StackBytes, "of stack are enough to sign with ML-DSA-44".into()));
    }
    if let Some(found) = least(&on("stm32f407", Operation::Verify), Quantity::TimeMs) {
        tiles.push(tile(found, Quantity::TimeMs, "to verify with ML-DSA-44".into()));
    }
    if let Some(found) = least(&on("zedboard", Operation::Sign), Quantity::TimeMs) {
        tiles.push(tile(found, Quantity::TimeMs, "for a signature with ML-DSA-44 on the ZedBoard".into()));
    }
    tiles
}

fn summary(findings: &[Finding<'_>]) -> Markup {
    let published = crate::published::published();
    html! {
        section id="summary" {
            h2 { "The study's table, run again" }
            p.note { cite { (published.study.title) } ". " (published.study.note) }
            div.wide-table tabindex="0" role="region" aria-label="The study's table" {
                table.findings {
                    thead { tr {
                        th scope="col" { "What was reported" } th scope="col" { "Outcome" }
                        th scope="col" { "What was measured" }
                    } }
                    tbody {
                        @for finding in findings {
                            tr id={ "claim-" (finding.claim.id) } {
                                th scope="row" {
                                    span.reported { (finding.claim.reported) }
                                    span.small { (finding.claim.operation) ": " (finding.claim.system) }
                                }
                                td { (verdict(finding.verdict)) }
                                td { (finding.measured) ". " (finding.reason) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn verdict(verdict: Verdict) -> Markup {
    let (class, sign) = match verdict {
        Verdict::Reproduced => ("yes", "✓"),
        Verdict::NotReproduced => ("no", "✗"),
        Verdict::NotDeterminable => ("open", "?"),
    };
    html! { span class={ "verdict " (class) } { span aria-hidden="true" { (sign) } " " (verdict.name()) } }
}

/// Places of the page and their names.
const SECTIONS: [(&str, &str); 11] = [
    ("choose", "Which to choose"),
    ("times", "Times"),
    ("memory", "Memory"),
    ("signing-time", "Signing time"),
    ("where", "Where the time goes"),
    ("bytes", "Sizes"),
    ("fabric-section", "Fabric"),
    ("power", "Energy"),
    ("model", "Model against silicon"),
    ("errors", "Errors"),
    ("sources", "Sources"),
];

fn contents() -> Markup {
    html! {
        nav aria-label="Contents" { ul { @for (id, title) in SECTIONS { li { a href={ "#" (id) } { (title) } } } } }
    }
}

fn section(id: &str, words: &str, content: Markup) -> Markup {
    let title = SECTIONS.iter().find(|(known, _)| *known == id).map_or(id, |(_, title)| *title);
    html! { section id=(id) { h2 { (title) } @if !words.is_empty() { p.note { (words) } } (content) } }
}

fn choices(all: &Results) -> Markup {
    let words = "What a device can have, and what then fits an STM32F407 at its fastest clock: of the times the 99th percentile. \
                 The command pqsoc choose answers for a device of one's own.";
    section("choose", words, table(all, &tables::choices(all), "sets that fit a device"))
}

fn times(all: &Results, plots: &[Plot]) -> Markup {
    let content = html! {
        @for id in ["times-sign", "times-verify", "times-keygen"] { (figure(plots, id)) }
        (table(all, &tables::overview(all), "times, stack and code"))
    };
    section("times", "", content)
}

fn memory(all: &Results, plots: &[Plot]) -> Markup {
    let content = html! {
        (figure(plots, "memory-sign")) (figure(plots, "memory-verify")) (figure(plots, "code"))
        (table(all, &tables::cycles(all), "cycles and stack"))
    };
    section(
        "memory",
        "The STM32F407 has 192 KiB of RAM, but 64 KiB of it lie apart, so a stack can have 128 KiB at most.",
        content,
    )
}

fn signing(all: &Results, plots: &[Plot]) -> Markup {
    let content = html! {
        (figure(plots, "signing-curves")) (table(all, &tables::signing(all), "distributions of signing time"))
    };
    section("signing-time", "", content)
}

fn breakdown(plots: &[Plot]) -> Markup {
    section("where", "", figure(plots, "breakdown"))
}

fn sizes(all: &Results, plots: &[Plot]) -> Markup {
    let content = html! { (figure(plots, "sizes-plot")) (table(all, &tables::sizes(all), "sizes")) };
    section("bytes", "", content)
}

fn fabric(all: &Results, plots: &[Plot]) -> Markup {
    let content = html! {
        (figure(plots, "breakdown-fabric")) (figure(plots, "area"))
        (table(all, &tables::fabric(all), "runs on the ZedBoard"))
        h3 { "What acceleration can give" }
        (table(all, &tables::amdahl(all), "where software on the ZedBoard spends its time"))
    };
    section("fabric-section", "", content)
}

fn energy(all: &Results, plots: &[Plot]) -> Markup {
    let content = html! { (figure(plots, "energy-plot")) (table(all, &tables::energy(all), "energies")) };
    section("power", "", content)
}

fn silicon(all: &Results, plots: &[Plot]) -> Markup {
    let content = html! {
        (figure(plots, "silicon-plot")) (table(all, &tables::silicon(all), "comparisons with silicon"))
        details {
            summary { "Bands of times" }
            ul { @for band in &crate::published::published().bands {
                li {
                    (band.board) ", " (band.status.name()) ": " (draw::percent(band.below)) " less to "
                    (draw::percent(band.above)) " more. " (band.why)
                }
            } }
        }
    };
    section("model", "", content)
}

fn problems(all: &Results) -> Markup {
    let table_of = tables::problems(all);
    let content = html! {
        @if table_of.rows.is_empty() { p { "Every experiment ran to its end." } }
        @else { (table(all, &table_of, "errors")) }
    };
    section("errors", "", content)
}

/// A plot with its words, or what is missing for it.
fn figure(plots: &[Plot], id: &str) -> Markup {
    let Some(plot) = plots.iter().find(|plot| plot.id == id) else { return html! {} };
    let heading = format!("{id}-title");
    html! {
        figure id=(id) aria-labelledby=(heading) {
            figcaption {
                h3 id=(heading) { (plot.title) }
                @match &plot.drawing { Ok(_) => { @if !plot.caption.is_empty() { p { (plot.caption) } } }, Err(reason) => p.missing { (reason) } }
            }
            @if let Ok(drawing) = &plot.drawing {
                ul.legend {
                    @for (series, name) in &plot.legend {
                        li { span.swatch style={ "background:var(--s" (series % draw::SERIES) ")" } {} (name) }
                    }
                }
                div.plot.wide { (PreEscaped(&drawing.wide)) }
                div.plot.narrow { (PreEscaped(&drawing.narrow)) }
            }
        }
    }
}

/// A table that can be sorted by its headings and filtered by words, or a sentence if it has no rows.
fn table(all: &Results, table: &Table, what: &str) -> Markup {
    if table.rows.is_empty() {
        return html! { p.missing { "Not in these results: " (what) "." } };
    }
    html! {
        div.table id=(table.id) {
            div.tools {
                label { "Filter " input type="search" placeholder="words, all must be there" aria-controls={ (table.id) "-rows" }; }
                span.count aria-live="polite" { (table.rows.len()) " rows" }
            }
            div.wide-table.tall tabindex="0" role="region" aria-label=(table.caption) {
                table id={ (table.id) "-rows" } {
                    caption { (table.caption) }
                    thead { tr { @for column in &table.columns {
                        th scope="col" aria-sort="none" { button type="button" { (column) } }
                    } } }
                    tbody { @for row in &table.rows { tr {
                        @for (i, cell) in row.iter().enumerate() { (table_cell(all, cell, i == 0)) }
                    } } }
                }
            }
        }
    }
}

fn table_cell(all: &Results, cell: &Cell, head: bool) -> Markup {
    match cell {
        Cell::Empty => html! { td.number { span.none { "–" } } },
        Cell::Text(text) if head => html! { th scope="row" { (text) } },
        Cell::Text(text) => html! { td { (text) } },
        Cell::Number(number, text) => html! { td.number data-value=(number) { (text) } },
        Cell::Calculated(number, text, status) => {
            html! { td.number data-value=(number) { span.value { (text) (mark(*status)) } } }
        }
        Cell::Figure { measurement, quantity, value: number, text, status } => {
            let provenance = &all.measurements[*measurement].provenance;
            html! { td.number data-value=(number) { (value(*measurement, *quantity, text, *status, provenance)) } }
        }
    }
}

fn sources(all: &Results) -> Markup {
    let content = html! {
        @for (name, source) in &all.provenance {
            article id={ "source-" (name) } {
                h3 { (name) }
                p { (source.title) }
                dl {
                    @for (term, text) in [
                        ("reference", &source.reference), ("commit", &source.commit), ("compiler", &source.compiler),
                        ("flags", &source.flags), ("program", &source.elf_sha3_256), ("RTL", &source.rtl_sha3_256),
                        ("options", &source.options),
                    ] {
                        @if let Some(text) = text { dt { (term) } dd { (text) } }
                    }
                    @for (tool, version) in &source.tools { dt { (tool) } dd { (version) } }
                }
                @for note in &source.notes { p.small { (note) } }
            }
        }
    };
    section("sources", "", content)
}

/// Filled by the script with the figure that was chosen.
fn dialog() -> Markup {
    html! {
        dialog id="figure" aria-labelledby="figure-title" {
            form method="dialog" { button.close aria-label="Close" { "×" } }
            h2 id="figure-title" {}
            div id="figure-body" {}
        }
    }
}
