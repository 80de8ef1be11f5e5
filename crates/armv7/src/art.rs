// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The flash of an STM32F4 behind its ART accelerator (RM0090, 3.5): lines of 128 bits, one prefetched, 64 cached for
//! instructions and 8 for data.

use crate::memory::FlashTiming;

/// A cache of `N` lines that throws out the one used longest ago.
struct Lines<const N: usize> {
    /// Line numbers, the one used last first; `u32::MAX` for none.
    order: [u32; N],
}

impl<const N: usize> Lines<N> {
    const fn new() -> Self {
        Self { order: [u32::MAX; N] }
    }

    /// Whether `line` is there; it is then the one used last.
    fn hit(&mut self, line: u32) -> bool {
        let Some(at) = self.order.iter().position(|&l| l == line) else { return false };
        self.order[..=at].rotate_right(1);
        true
    }

    fn insert(&mut self, line: u32) {
        self.order.rotate_right(1);
        self.order[0] = line;
    }
}

pub(crate) struct Art {
    instructions: Lines<64>,
    data: Lines<8>,
    current: u32,
    /// The line asked for in advance and when it is there.
    ahead: u32,
    ahead_at: u64,
    data_current: u32,
}

impl Art {
    pub(crate) const fn new() -> Self {
        Self {
            instructions: Lines::new(),
            data: Lines::new(),
            current: u32::MAX,
            ahead: u32::MAX,
            ahead_at: 0,
            data_current: u32::MAX,
        }
    }

    /// So many cycles pass in which all happens again and again as in the last round of a loop.
    pub(crate) fn skip(&mut self, cycles: u64) {
        self.ahead_at += cycles;
    }

    /// The fetch of line number `line` (address / 16) at cycle `now`: the cycles it takes beyond one.
    pub(crate) fn fetch(&mut self, line: u32, now: u64, flash: FlashTiming) -> u64 {
        if line == self.current {
            return 0;
        }
        self.current = line;
        let latency = u64::from(flash.latency);
        let mut stall = 0;
        let cached = flash.instruction_cache && self.instructions.hit(line);
        if !cached {
            // A prefetch under way has to end before another read can begin.
            stall = if flash.prefetch && line == self.ahead {
                self.ahead_at.saturating_sub(now)
            } else {
                self.ahead_at.saturating_sub(now).min(latency) + latency
            };
            if flash.instruction_cache {
                self.instructions.insert(line);
            }
        }
        if flash.prefetch && self.ahead != line + 1 {
            let next = line.wrapping_add(1);
            if !(flash.instruction_cache && self.instructions.order.contains(&next)) {
                self.ahead = next;
                self.ahead_at = now + stall + latency + 1;
            }
        }
        stall
    }

    /// A load from line number `line`: the cycles it takes beyond those of a load.
    pub(crate) fn load(&mut self, line: u32, now: u64, flash: FlashTiming) -> u64 {
        if line == self.data_current || flash.data_cache && self.data.hit(line) {
            return 0;
        }
        self.data_current = line;
        if flash.data_cache {
            self.data.insert(line);
        }
        // The prefetch under way ends first.
        self.ahead_at.saturating_sub(now).min(u64::from(flash.latency)) + u64::from(flash.latency)
    }
}
