// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The timers of the Cortex-A9 MPCore: global, private and watchdog (ARM DDI 0407, chapter 4). They count at half the
//! core's clock.

/// Interrupts of the three.
pub(super) const GLOBAL_ID: u32 = 27;
pub(super) const PRIVATE_ID: u32 = 29;
pub(super) const WATCHDOG_ID: u32 = 30;

const ENABLE: u32 = 1;
const AUTO_RELOAD: u32 = 2;
const INTERRUPT: u32 = 4;

/// A down-counter: the private timer, and the watchdog in timer mode.
#[derive(Default)]
pub(super) struct Down {
    load: u32,
    control: u32,
    /// The counter at `since`.
    counter: u32,
    since: u64,
    event: bool,
}

impl Down {
    /// Core cycles of one count.
    fn period(&self) -> u64 {
        2 * (u64::from(self.control >> 8 & 0xff) + 1)
    }

    fn counts(&self) -> bool {
        self.control & ENABLE != 0
    }

    /// Brings the counter up to `now`.
    fn advance(&mut self, now: u64) {
        if !self.counts() {
            self.since = now;
            return;
        }
        let mut ticks = now.saturating_sub(self.since) / self.period();
        self.since += ticks * self.period();
        if ticks == 0 {
            return;
        }
        if ticks < self.counter.into() {
            self.counter -= ticks as u32;
            return;
        }
        ticks -= u64::from(self.counter);
        if self.counter != 0 {
            self.event = true;
        }
        self.counter = 0;
        if self.control & AUTO_RELOAD != 0 && self.load != 0 && ticks > 0 {
            // One tick to reload, `load` ticks down to the next event.
            let around = u64::from(self.load) + 1;
            self.event |= ticks >= around;
            self.counter = self.load - ((ticks - 1) % around).min(self.load.into()) as u32;
        }
    }

    pub(super) fn read(&mut self, offset: u32, now: u64) -> u32 {
        self.advance(now);
        match offset {
            0x0 => self.load,
            0x4 => self.counter,
            0x8 => self.control,
            0xc => self.event.into(),
            _ => 0,
        }
    }

    pub(super) fn write(&mut self, offset: u32, value: u32, now: u64) {
        self.advance(now);
        match offset {
            0x0 => {
                self.load = value;
                self.counter = value;
            }
            0x4 => self.counter = value,
            0x8 => {
                self.control = value;
                self.since = now;
            }
            0xc if value & 1 != 0 => self.event = false,
            _ => {}
        }
    }

    /// The level of the interrupt.
    pub(super) fn interrupt(&mut self, now: u64) -> bool {
        self.advance(now);
        self.event && self.control & INTERRUPT != 0
    }

    /// When the interrupt comes next.
    pub(super) fn next(&self) -> Option<u64> {
        let runs = self.counts() && self.control & INTERRUPT != 0 && !self.event;
        let ticks = if self.counter != 0 {
            u64::from(self.counter)
        } else if self.control & AUTO_RELOAD != 0 && self.load != 0 {
            u64::from(self.load) + 1
        } else {
            return None;
        };
        runs.then(|| self.since + ticks * self.period())
    }
}

/// The global timer: 64 bits upwards, with a comparator.
#[derive(Default)]
pub(super) struct Global {
    control: u32,
    counter: u64,
    since: u64,
    comparator: u64,
    increment: u32,
    event: bool,
}

impl Global {
    fn period(&self) -> u64 {
        2 * (u64::from(self.control >> 8 & 0xff) + 1)
    }

    fn advance(&mut self, now: u64) {
        if self.control & ENABLE == 0 {
            self.since = now;
            return;
        }
        let ticks = now.saturating_sub(self.since) / self.period();
        self.since += ticks * self.period();
        self.counter = self.counter.wrapping_add(ticks);
        if self.control & 2 != 0 && self.counter >= self.comparator {
            self.event = true;
            if self.control & 8 != 0 && self.increment != 0 {
                let steps = (self.counter - self.comparator) / u64::from(self.increment) + 1;
                self.comparator = self.comparator.wrapping_add(steps * u64::from(self.increment));
            }
        }
    }

    pub(super) fn read(&mut self, offset: u32, now: u64) -> u32 {
        self.advance(now);
        match offset {
            0x00 => self.counter as u32,
            0x04 => (self.counter >> 32) as u32,
            0x08 => self.control,
            0x0c => self.event.into(),
            0x10 => self.comparator as u32,
            0x14 => (self.comparator >> 32) as u32,
            0x18 => self.increment,
            _ => 0,
        }
    }

    pub(super) fn write(&mut self, offset: u32, value: u32, now: u64) {
        self.advance(now);
        let low = |word: u64| word & !0xffff_ffff | u64::from(value);
        let high = |word: u64| word & 0xffff_ffff | u64::from(value) << 32;
        match offset {
            0x00 => self.counter = low(self.counter),
            0x04 => self.counter = high(self.counter),
            0x08 => {
                self.control = value & 0xff0f;
                self.since = now;
            }
            0x0c if value & 1 != 0 => self.event = false,
            0x10 => self.comparator = low(self.comparator),
            0x14 => self.comparator = high(self.comparator),
            0x18 => self.increment = value,
            _ => {}
        }
    }

    pub(super) fn interrupt(&mut self, now: u64) -> bool {
        self.advance(now);
        self.event && self.control & INTERRUPT != 0
    }

    pub(super) fn next(&self) -> Option<u64> {
        let runs = self.control & (ENABLE | 2 | INTERRUPT) == ENABLE | 2 | INTERRUPT && !self.event;
        runs.then(|| self.since + self.comparator.saturating_sub(self.counter).saturating_mul(self.period()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_private_timer_counts_at_half_the_clock_and_reloads() {
        let mut timer = Down::default();
        timer.write(0x0, 100, 0);
        timer.write(0x8, ENABLE | AUTO_RELOAD | INTERRUPT, 0);
        assert_eq!(timer.read(0x4, 20), 90);
        assert_eq!(timer.next(), Some(200));
        assert!(!timer.interrupt(199));
        assert!(timer.interrupt(200));
        timer.write(0xc, 1, 200);
        assert!(!timer.interrupt(200));
        assert_eq!(timer.read(0x4, 202), 100, "one count to reload");
        assert_eq!(timer.next(), Some(402));
        assert!(timer.interrupt(402));
    }

    #[test]
    fn the_global_timer_carries_into_its_high_word() {
        let mut timer = Global::default();
        timer.write(0x00, 0xffff_fff0, 0);
        timer.write(0x08, ENABLE, 0);
        assert_eq!(timer.read(0x00, 30), 0xffff_ffff);
        assert_eq!(timer.read(0x04, 30), 0);
        assert_eq!(timer.read(0x00, 32), 0);
        assert_eq!(timer.read(0x04, 32), 1);
    }

    #[test]
    fn the_comparator_of_the_global_timer_interrupts_again_and_again() {
        let mut timer = Global::default();
        timer.write(0x10, 50, 0);
        timer.write(0x18, 50, 0);
        timer.write(0x08, ENABLE | 2 | INTERRUPT | 8, 0);
        assert_eq!(timer.next(), Some(100));
        assert!(timer.interrupt(100));
        timer.write(0x0c, 1, 110);
        assert_eq!(timer.next(), Some(200));
    }
}
