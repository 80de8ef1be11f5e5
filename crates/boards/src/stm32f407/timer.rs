// SPDX-License-Identifier: Apache-2.0 OR MIT

//! General-purpose timers TIM2 to TIM5 (RM0090 chapter 18) as clocks: up-counting, update and compare events.

const CEN: u32 = 1;
const UDIS: u32 = 1 << 1;
const URS: u32 = 1 << 2;
const OPM: u32 = 1 << 3;

/// One timer.
pub(super) struct Timer {
    /// 32-bit counter (TIM2 and TIM5) or 16 bits.
    max: u32,
    /// All registers as written; CNT is kept in `count`.
    regs: [u32; 20],
    /// PSC is buffered until the next update.
    prescaler: u64,
    /// CNT at cycle `since`, where a count began.
    count: u64,
    since: u64,
}

const CR1: usize = 0;
const DIER: usize = 3;
const SR: usize = 4;
const EGR: usize = 5;
const CNT: usize = 9;
const PSC: usize = 10;
const ARR: usize = 11;
const CCR1: usize = 13;

impl Timer {
    pub(super) fn new(wide: bool) -> Self {
        let max = if wide { u32::MAX } else { 0xffff };
        let mut regs = [0; 20];
        regs[ARR] = max;
        Self { max, regs, prescaler: 0, count: 0, since: 0 }
    }

    pub(super) fn reset(&mut self) {
        *self = Self::new(self.max == u32::MAX);
    }

    fn period(&self) -> u64 {
        u64::from(self.regs[ARR]) + 1
    }

    /// Counts up to `now` and sets the flags of what happened on the way. `divider`: core cycles of a timer clock.
    pub(super) fn advance(&mut self, now: u64, divider: u64) {
        let tick = divider * (self.prescaler + 1);
        let ticks = now.saturating_sub(self.since) / tick;
        if self.regs[CR1] & CEN == 0 || self.regs[ARR] == 0 {
            self.since = now;
            return;
        }
        if ticks == 0 {
            return;
        }
        let (from, mut to) = (self.count, self.count + ticks);
        self.since += ticks * tick;
        let period = self.period();
        for channel in 0..4 {
            let compare = u64::from(self.regs[CCR1 + channel]);
            // Reached in (from, to], modulo the period.
            let first = if compare > from { compare } else { compare + period };
            if compare < period && first <= to {
                self.regs[SR] |= 2 << channel;
            }
        }
        if to >= period {
            if self.regs[CR1] & UDIS == 0 {
                self.regs[SR] |= 1;
                self.prescaler = self.regs[PSC].into();
            }
            if self.regs[CR1] & OPM != 0 {
                self.regs[CR1] &= !CEN;
                to = 0;
            }
        }
        self.count = to % period;
    }

    pub(super) fn read(&mut self, offset: u32, now: u64, divider: u64) -> Option<u32> {
        self.advance(now, divider);
        match offset as usize / 4 {
            CNT => Some(self.count as u32),
            EGR => Some(0),
            i => self.regs.get(i).copied(),
        }
    }

    /// Returns false if there is no such register.
    pub(super) fn write(&mut self, offset: u32, value: u32, mask: u32, now: u64, divider: u64) -> bool {
        self.advance(now, divider);
        let index = offset as usize / 4;
        let Some(&old) = self.regs.get(index) else { return false };
        let new = old & !mask | value & mask;
        match index {
            SR => self.regs[SR] &= value | !mask,
            EGR => {
                let events = value & mask;
                if events & 1 != 0 && self.regs[CR1] & UDIS == 0 {
                    self.count = 0;
                    self.since = now;
                    self.prescaler = self.regs[PSC].into();
                    if self.regs[CR1] & URS == 0 {
                        self.regs[SR] |= 1;
                    }
                }
                self.regs[SR] |= events & 0x1e;
            }
            CNT => {
                self.count = u64::from((self.count as u32 & !mask | value & mask) & self.max);
                self.since = now;
            }
            PSC => self.regs[PSC] = new & 0xffff,
            ARR | CCR1..=16 => self.regs[index] = new & self.max,
            _ => self.regs[index] = new,
        }
        true
    }

    /// When an enabled interrupt comes next.
    pub(super) fn next(&self, divider: u64) -> Option<u64> {
        let enabled = self.regs[DIER] & !self.regs[SR] & 0x1f;
        if self.regs[CR1] & CEN == 0 || self.regs[ARR] == 0 || enabled == 0 {
            return None;
        }
        let period = self.period();
        let after =
            |value: u64| if value > self.count { value - self.count } else { value + period - self.count };
        (0..5)
            .filter(|bit| enabled >> bit & 1 != 0)
            .filter_map(|bit| match bit {
                0 => Some(period - self.count),
                _ => Some(u64::from(self.regs[CCR1 + bit - 1])).filter(|&c| c < period).map(after),
            })
            .min()
            .map(|ticks| self.since + ticks * divider * (self.prescaler + 1))
    }

    /// Level of the interrupt line.
    pub(super) fn interrupt(&self) -> bool {
        self.regs[SR] & self.regs[DIER] & 0x1f != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_interrupts() {
        let mut timer = Timer::new(false);
        timer.write(4 * PSC as u32, 9, !0, 0, 2);
        timer.write(4 * ARR as u32, 99, !0, 0, 2);
        timer.write(4 * CCR1 as u32, 30, !0, 0, 2);
        timer.write(4 * EGR as u32, 1, !0, 0, 2);
        assert_eq!(timer.read(4 * SR as u32, 0, 2), Some(1), "an update by software sets UIF");
        timer.write(4 * SR as u32, 0, !0, 0, 2);
        timer.write(4 * DIER as u32, 3, !0, 0, 2);
        timer.write(0, CEN, !0, 1000, 2);
        assert_eq!(timer.read(4 * CNT as u32, 1019, 2), Some(0));
        assert_eq!(timer.read(4 * CNT as u32, 1020, 2), Some(1));
        assert_eq!(timer.next(2), Some(1000 + 30 * 20));
        timer.advance(1600, 2);
        assert!(timer.interrupt());
        assert_eq!(timer.next(2), Some(1000 + 100 * 20));
        assert_eq!(timer.read(4 * CNT as u32, 3000, 2), Some(0));
        assert_eq!(timer.read(4 * SR as u32, 3000, 2), Some(0x1f), "channels that compare with 0 match too");
    }

    #[test]
    fn one_pulse_stops() {
        let mut timer = Timer::new(true);
        timer.write(4 * ARR as u32, 10, !0, 0, 1);
        timer.write(0, CEN | OPM, !0, 0, 1);
        assert_eq!(timer.read(0, 11, 1), Some(OPM));
        assert_eq!(timer.read(4 * CNT as u32, 50, 1), Some(0));
    }
}
