// SPDX-License-Identifier: Apache-2.0 OR MIT

//! How much heap a program uses: watches newlib's `sbrk`, or the entry points of Rust's global allocator, if they are
//! there as functions of their own.

use std::collections::HashMap;

use crate::symbols::Symbols;

/// What a call does to the heap.
#[derive(Clone, Copy)]
enum Call {
    /// `sbrk(increment)`.
    Sbrk,
    /// `__rust_alloc(size, align)` and its zeroing form.
    Alloc,
    /// `__rust_dealloc(pointer, size, align)`.
    Dealloc,
    /// `__rust_realloc(pointer, old size, align, new size)`.
    Realloc,
}

const CALLS: [(&str, Call); 6] = [
    ("_sbrk", Call::Sbrk),
    ("__wrap__sbrk", Call::Sbrk),
    ("__rust_alloc", Call::Alloc),
    ("__rust_alloc_zeroed", Call::Alloc),
    ("__rust_dealloc", Call::Dealloc),
    ("__rust_realloc", Call::Realloc),
];

/// Counts bytes in use.
pub(crate) struct Heap {
    calls: HashMap<u32, Call>,
    now: i64,
    peak: i64,
}

impl Heap {
    /// Looks for the functions; none are there in a program without a heap.
    pub(crate) fn new(symbols: &Symbols) -> Self {
        let calls =
            CALLS.iter().filter_map(|&(name, call)| Some((symbols.function(name)?.address, call))).collect();
        Self { calls, now: 0, peak: 0 }
    }

    /// Addresses to be told of.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = u32> {
        self.calls.keys().copied()
    }

    /// The function at `pc` is entered with these in R0 to R3. False if it is none of the heap's.
    pub(crate) fn entered(&mut self, pc: u32, r: [u32; 4]) -> bool {
        let Some(call) = self.calls.get(&pc) else { return false };
        self.now += match call {
            Call::Sbrk => i64::from(r[0] as i32),
            Call::Alloc => i64::from(r[0]),
            Call::Dealloc => -i64::from(r[1]),
            Call::Realloc => i64::from(r[3]) - i64::from(r[1]),
        };
        self.peak = self.peak.max(self.now);
        true
    }

    /// Most bytes in use at once; `None` if the program has no heap that is known here.
    pub(crate) fn peak(&self) -> Option<u64> {
        (!self.calls.is_empty()).then_some(self.peak.max(0) as u64)
    }
}
