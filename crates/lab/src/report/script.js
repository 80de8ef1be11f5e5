"use strict";
// Sorting, filtering, and where a figure comes from. The page can be read without any of it.

const results = JSON.parse(document.getElementById("data").textContent);

/** What a cell is sorted by: a number if it has one, else its words; null for an empty one. */
function sortKey(cell) {
  if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
  return cell.querySelector(".none") ? null : cell.textContent;
}

function sort(header) {
  const column = header.cellIndex;
  const ascending = header.getAttribute("aria-sort") !== "ascending";
  for (const other of header.parentNode.cells) other.setAttribute("aria-sort", "none");
  header.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const body = header.closest("table").tBodies[0];
  const rows = [...body.rows].map((row) => [sortKey(row.cells[column]), row]);
  rows.sort(([a], [b]) => {
    if (a === null || b === null) return (a === null) - (b === null); // nothing comes last, either way
    const order = typeof a === "number" && typeof b === "number"
      ? a - b
      : String(a).localeCompare(String(b), "en", { numeric: true });
    return ascending ? order : -order;
  });
  body.append(...rows.map(([, row]) => row));
}

function filter(input) {
  const table = input.closest(".table");
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const row of table.querySelectorAll("tbody tr")) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
    if (!row.hidden) shown += 1;
  }
  const all = table.querySelectorAll("tbody tr").length;
  table.querySelector(".count").textContent = shown === all ? `${all} rows` : `${shown} of ${all} rows`;
}

function element(name, ...content) {
  const made = document.createElement(name);
  made.append(...content);
  return made;
}

/** A list of terms; those without a value are left out. */
function terms(pairs) {
  const list = document.createElement("dl");
  for (const [term, value] of pairs) {
    if (value === undefined || value === null || value === "") continue;
    list.append(element("dt", term), element("dd", String(value)));
  }
  return list;
}

function number(value) {
  return value === undefined ? undefined : value.toLocaleString("en", { maximumSignificantDigits: 6 });
}

const UNITS = { time_ms: " ms", energy_mj: " mJ" };

/** Everything about one figure of a measurement. */
function explain(measurement, quantity) {
  const figure = measurement[quantity];
  const source = results.provenance[measurement.provenance];
  const unit = UNITS[quantity] || (quantity.endsWith("_bytes") ? " bytes" : "");
  const withUnit = (value) => (value === undefined ? undefined : number(value) + unit);
  const meaning = document.querySelector(`.key .${figure.status}`).title;
  const body = document.getElementById("figure-body");
  document.getElementById("figure-title").textContent =
    `${measurement.algorithm} ${measurement.operation}: ${quantity.replace(/_(ms|mj|bytes)$/, "").replace(/_/g, " ")}`;
  body.replaceChildren(
    terms([
      ["status", `${figure.status}. ${meaning}`],
      ["mean", withUnit(figure.mean)],
      ["band", figure.low === undefined ? undefined : `${withUnit(figure.low)} to ${withUnit(figure.high)}`],
      ["min", withUnit(figure.min)],
      ["median", withUnit(figure.median)],
      ["95 %", withUnit(figure.p95)],
      ["99 %", withUnit(figure.p99)],
      ["max", withUnit(figure.max)],
      ["runs", number(figure.runs)],
      ["how", figure.derivation],
    ]),
    element("h3", "What ran"),
    terms([
      ["code", measurement.implementation],
      ["profile", measurement.profile === "-" ? undefined : measurement.profile],
      ["engine", measurement.engine],
      ["build", measurement.build],
      ["board", `${measurement.board}, ${measurement.platform}`],
      ["clock", `${number(measurement.core_mhz)} MHz`],
      ["wait states", measurement.wait_states],
      ["fabric clock", measurement.pl_mhz === undefined ? undefined : `${number(measurement.pl_mhz)} MHz`],
    ]),
    element("h3", "Where it comes from"),
    element("p", source.title),
    terms([
      ["reference", source.reference],
      ["commit", source.commit],
      ["compiler", source.compiler],
      ["flags", source.flags],
      ["program", source.elf_sha3_256],
      ["RTL", source.rtl_sha3_256],
      ["options", source.options],
      ...Object.entries(source.tools || {}),
      ...(source.notes || []).map((note) => ["note", note]),
    ]),
  );
  document.getElementById("figure").showModal();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("thead button");
  if (button) sort(button.closest("th"));
  const value = event.target.closest("a.value");
  if (value && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    explain(results.measurements[value.dataset.measurement], value.dataset.quantity);
  }
  const dialog = document.getElementById("figure");
  if (event.target === dialog) dialog.close();
});
document.addEventListener("input", (event) => {
  if (event.target.matches(".tools input")) filter(event.target);
});
