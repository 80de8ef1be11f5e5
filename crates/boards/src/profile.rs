// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Where the cycles and the stack go: a call tree kept while the program runs.
//!
//! Calls, returns and exceptions are taken from the core as they happen, so the tree is exact where functions have
//! symbols; functions that the compiler inlined count as part of their caller.

use std::collections::HashMap;
use std::fmt::Write;

use pqsoc_armv7::{Observer, Transfer, View};
use serde::Serialize;

use crate::symbols::Symbols;

/// A function in one place of the call tree.
struct Node {
    /// First address of the function, or of code without a symbol.
    function: u32,
    parent: usize,
    children: HashMap<u32, usize>,
    calls: u64,
    cycles: u64,
}

/// A function that has been entered and not left.
struct Active {
    node: usize,
    /// Stack pointer on entry.
    sp: u32,
    /// Where it returns to; 0 for exception handlers, which return by EXC_RETURN.
    returns_to: u32,
    /// Lowest stack pointer seen while it was the innermost.
    lowest: u32,
}

/// Totals of a function over the whole tree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FunctionTotals {
    /// Its name.
    pub function: String,
    /// Times it was entered.
    pub calls: u64,
    /// Cycles in itself.
    pub cycles: u64,
    /// Cycles in itself and in what it called; recursion counts once.
    pub cycles_with_callees: u64,
    /// Bytes of the deepest stack frame of its own seen at a call or jump.
    pub frame_bytes: u32,
    /// Deepest stack, from the top of the stack, while it was active.
    pub stack_bytes: u32,
}

/// Observes a run and builds the tree.
pub struct Profile<'a> {
    symbols: &'a Symbols,
    /// First addresses of functions, and the function of each address met so far.
    known: HashMap<u32, u32>,
    nodes: Vec<Node>,
    stack: Vec<Active>,
    /// Cycle count up to which cycles have been given to a node.
    given: u64,
    top: u32,
    /// `main`, if its entry will tell where the stack begins.
    main: Option<u32>,
    /// Own frame and depth by function.
    depth: HashMap<u32, (u32, u32)>,
}

impl<'a> Profile<'a> {
    /// A profile that starts at `pc` at cycle `now`; `stack_top` is where depths are counted from: the stack pointer at the
    /// entry of `main` if it is not known.
    pub fn new(symbols: &'a Symbols, pc: u32, now: u64, stack_top: Option<u32>) -> Self {
        let main = symbols.function("main").filter(|_| stack_top.is_none()).map(|s| s.address);
        let stack_top = stack_top.unwrap_or(0);
        let mut profile = Self {
            symbols,
            known: HashMap::new(),
            nodes: Vec::new(),
            stack: Vec::new(),
            given: now,
            top: stack_top,
            main,
            depth: HashMap::new(),
        };
        let function = profile.function(pc);
        profile.nodes.push(Node { function, parent: 0, children: HashMap::new(), calls: 1, cycles: 0 });
        profile.stack.push(Active { node: 0, sp: stack_top, returns_to: 0, lowest: stack_top });
        profile
    }

    /// First address of the function at `pc`.
    fn function(&mut self, pc: u32) -> u32 {
        let symbols = self.symbols;
        *self.known.entry(pc & !1).or_insert_with(|| symbols.function_at(pc).map_or(pc & !1, |s| s.address))
    }

    /// Gives the cycles since the last transfer to the innermost function and looks at its stack.
    fn account(&mut self, core: &View<'_>) {
        let Some(active) = self.stack.last_mut() else { return };
        self.nodes[active.node].cycles += core.cycles - self.given;
        self.given = core.cycles;
        active.lowest = active.lowest.min(core.r[13]);
    }

    fn enter(&mut self, to: u32, sp: u32, returns_to: u32) {
        let function = self.function(to);
        if self.main == Some(function) {
            self.main = None;
            self.top = sp;
            self.stack.iter_mut().for_each(|active| (active.sp, active.lowest) = (sp, sp));
        }
        let parent = self.stack.last().map_or(0, |a| a.node);
        let new = self.nodes.len();
        let node = *self.nodes[parent].children.entry(function).or_insert(new);
        if node == new {
            self.nodes.push(Node { function, parent, children: HashMap::new(), calls: 0, cycles: 0 });
        }
        self.nodes[node].calls += 1;
        self.stack.push(Active { node, sp, returns_to, lowest: sp });
    }

    fn leave(&mut self) {
        if self.stack.len() < 2 {
            return;
        }
        let Some(active) = self.stack.pop() else { return };
        self.note_depth(&active);
    }

    /// Enters the frame and the depth of a function that ends into the table, and passes the depth to its caller.
    fn note_depth(&mut self, active: &Active) {
        let function = self.nodes[active.node].function;
        let entry = self.depth.entry(function).or_default();
        entry.0 = entry.0.max(active.sp.saturating_sub(active.lowest));
        // An interrupt handler on another stack says nothing about this one.
        if active.lowest <= self.top {
            let mut node = active.node;
            let bytes = self.top - active.lowest;
            loop {
                let depth = &mut self.depth.entry(self.nodes[node].function).or_default().1;
                *depth = bytes.max(*depth);
                if node == 0 {
                    break;
                }
                node = self.nodes[node].parent;
            }
        }
    }

    /// Ends the profile: cycles up to `now` go to what is running.
    pub fn finish(&mut self, now: u64) {
        if let Some(active) = self.stack.last() {
            self.nodes[active.node].cycles += now - self.given;
            self.given = now;
        }
        while let Some(active) = self.stack.pop() {
            self.note_depth(&active);
        }
    }

    fn name(&self, node: usize) -> String {
        self.symbols.describe(self.nodes[node].function)
    }

    /// Functions by their own cycles, most first.
    pub fn totals(&self) -> Vec<FunctionTotals> {
        let mut inclusive: Vec<u64> = self.nodes.iter().map(|n| n.cycles).collect();
        // Children come after their parents.
        for i in (1..self.nodes.len()).rev() {
            inclusive[self.nodes[i].parent] += inclusive[i];
        }
        let mut totals: HashMap<u32, FunctionTotals> = HashMap::new();
        for (i, node) in self.nodes.iter().enumerate() {
            let total = totals.entry(node.function).or_default();
            total.calls += node.calls;
            total.cycles += node.cycles;
            if !self.within_itself(i) {
                total.cycles_with_callees += inclusive[i];
            }
        }
        let mut list: Vec<_> = totals
            .into_iter()
            .map(|(function, total)| {
                let (frame_bytes, stack_bytes) = self.depth.get(&function).copied().unwrap_or_default();
                FunctionTotals {
                    function: self.symbols.describe(function),
                    frame_bytes,
                    stack_bytes,
                    ..total
                }
            })
            .collect();
        list.sort_by(|a, b| b.cycles.cmp(&a.cycles).then_with(|| a.function.cmp(&b.function)));
        list
    }

    /// Is there a call of the same function above this one?
    fn within_itself(&self, node: usize) -> bool {
        let mut at = node;
        while at != 0 {
            at = self.nodes[at].parent;
            if self.nodes[at].function == self.nodes[node].function {
                return true;
            }
        }
        false
    }

    /// Folded stacks: one line for each place in the tree with cycles of its own, "a;b;c 1234".
    pub fn folded(&self) -> String {
        let mut out = String::new();
        let mut lines: Vec<_> = (0..self.nodes.len())
            .filter(|&i| self.nodes[i].cycles != 0)
            .map(|i| {
                let mut names = vec![self.name(i)];
                let mut at = i;
                while at != 0 {
                    at = self.nodes[at].parent;
                    names.push(self.name(at));
                }
                names.reverse();
                (names.join(";"), self.nodes[i].cycles)
            })
            .collect();
        lines.sort();
        for (stack, cycles) in lines {
            let _ = writeln!(out, "{stack} {cycles}");
        }
        out
    }

    /// A flame graph: width is cycles, one row a call. Names and counts show when the pointer rests on a box.
    pub fn svg(&self, title: &str) -> String {
        const WIDTH: f64 = 1200.0;
        const ROW: usize = 18;
        let mut inclusive: Vec<u64> = self.nodes.iter().map(|n| n.cycles).collect();
        for i in (1..self.nodes.len()).rev() {
            inclusive[self.nodes[i].parent] += inclusive[i];
        }
        let total = inclusive[0].max(1) as f64;
        let mut boxes = String::new();
        let mut deepest = 0;
        let mut todo = vec![(0usize, 0.0f64, 0usize)];
        while let Some((node, x, depth)) = todo.pop() {
            let width = inclusive[node] as f64 / total * WIDTH;
            if width < 0.3 {
                continue;
            }
            deepest = deepest.max(depth);
            let characters = (width / 7.0) as usize;
            let full = self.name(node);
            let name = escape(&full);
            // The end of a path says more than its beginning.
            let fitting =
                if full.len() <= characters { &*full } else { full.rsplit("::").next().unwrap_or(&full) };
            let shown: String =
                if characters < 3 { String::new() } else { fitting.chars().take(characters).collect() };
            let hue = 20 + self.nodes[node].function.wrapping_mul(0x9e37_79b9) % 40;
            let (y, percent) = (depth * ROW, inclusive[node] as f64 / total * 100.0);
            let _ = writeln!(
                boxes,
                "<g><title>{name}: {} cycles ({percent:.2} %), own {}, {} calls</title>\
                 <rect x=\"{x:.2}\" y=\"{y}\" width=\"{width:.2}\" height=\"{}\" fill=\"hsl({hue},80%,65%)\"/>\
                 <text x=\"{:.2}\" y=\"{}\">{}</text></g>",
                inclusive[node],
                self.nodes[node].cycles,
                self.nodes[node].calls,
                ROW - 1,
                x + 2.0,
                y + ROW - 5,
                escape(&shown),
            );
            let mut children: Vec<usize> = self.nodes[node].children.values().copied().collect();
            children.sort_by_key(|&child| self.nodes[child].function);
            let mut at = x;
            for child in children {
                todo.push((child, at, depth + 1));
                at += inclusive[child] as f64 / total * WIDTH;
            }
        }
        let height = (deepest + 1) * ROW;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 -24 {WIDTH} {}\" font-family=\"monospace\" font-size=\"11\">\n\
             <text x=\"2\" y=\"-8\" font-size=\"14\">{}: {} cycles</text>\n{boxes}</svg>\n",
            height + 24,
            escape(title),
            inclusive[0],
        )
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

impl Observer for Profile<'_> {
    const TRANSFERS: bool = true;

    fn transfer(&mut self, kind: Transfer, from: u32, to: u32, core: View<'_>) {
        self.account(&core);
        let sp = core.r[13];
        match kind {
            Transfer::Call => self.enter(to, sp, core.r[14] & !1),
            Transfer::Entry => self.enter(to, sp, 0),
            Transfer::ExceptionReturn => {
                // Everything up to the handler ends.
                while self.stack.len() > 1 && self.stack.last().is_some_and(|a| a.returns_to != 0) {
                    self.leave();
                }
                self.leave();
            }
            Transfer::Return | Transfer::Jump => {
                let to = to & !1;
                // A return may skip functions that were left by a tail call or longjmp.
                let found = self.stack.iter().rposition(|a| a.returns_to == to && a.sp <= sp);
                if let (Transfer::Return, Some(found)) = (kind, found) {
                    while self.stack.len() > found {
                        self.leave();
                    }
                    return;
                }
                // A jump to the start of another function is a tail call: it returns to this one's caller.
                let (here, there) = (self.function(from), self.function(to));
                if there != here && there == to {
                    let returns_to = self.stack.last().map_or(0, |a| a.returns_to);
                    if self.stack.len() > 1 {
                        self.leave();
                    }
                    self.enter(to, sp, returns_to);
                }
            }
        }
    }
}
