// SPDX-License-Identifier: Apache-2.0 OR MIT

//! SysTick (ARM DDI 0403E, B3.3), brought up to date when somebody looks.

/// The counter runs at the core clock or, on an STM32F4, at an eighth of it.
#[derive(Default)]
pub(crate) struct SysTick {
    /// ENABLE, TICKINT, CLKSOURCE.
    control: u32,
    reload: u32,
    current: u32,
    count_flag: bool,
    /// The cycle up to which `current` is right.
    since: u64,
}

impl SysTick {
    fn divider(&self) -> u64 {
        if self.control & 4 != 0 { 1 } else { 8 }
    }

    /// Advances to `now`; true if the exception is to be pended.
    pub(crate) fn advance(&mut self, now: u64) -> bool {
        if self.control & 1 == 0 {
            self.since = now;
            return false;
        }
        let divider = self.divider();
        let mut ticks = now.saturating_sub(self.since) / divider;
        self.since += ticks * divider;
        let mut fired = false;
        let period = u64::from(self.reload) + 1;
        if self.reload != 0 && ticks > 2 * period {
            ticks = period + ticks % period;
        }
        while ticks > 0 {
            if self.current == 0 {
                if self.reload == 0 {
                    break;
                }
                self.current = self.reload;
                ticks -= 1;
            } else if ticks >= u64::from(self.current) {
                ticks -= u64::from(self.current);
                self.current = 0;
                fired = true;
            } else {
                self.current -= ticks as u32;
                ticks = 0;
            }
        }
        self.count_flag |= fired;
        fired && self.control & 2 != 0
    }

    /// The cycle at which the exception will be pended, if it will be.
    pub(crate) fn next(&self) -> u64 {
        if self.control & 3 != 3 || self.current == 0 && self.reload == 0 {
            return u64::MAX;
        }
        let ticks = if self.current == 0 { u64::from(self.reload) + 1 } else { self.current.into() };
        self.since + ticks * self.divider()
    }

    /// Reads the register at offset 0, 4, 8 or 12. Call after [`advance`](Self::advance).
    pub(crate) fn read(&mut self, offset: u32) -> u32 {
        match offset {
            0 => {
                let value = self.peek_control();
                self.count_flag = false;
                value
            }
            4 => self.reload,
            8 => self.current,
            // No reference clock figure: NOREF 0, SKEW 1, and the 10 ms value of a 10.5 MHz reference (RM0090, 12.1.2).
            _ => 0x4000_2904,
        }
    }

    /// CSR without clearing COUNTFLAG.
    pub(crate) fn peek_control(&self) -> u32 {
        self.control | u32::from(self.count_flag) << 16
    }

    /// Writes a register. Call after [`advance`](Self::advance).
    pub(crate) fn write(&mut self, offset: u32, value: u32) {
        match offset {
            0 => self.control = value & 7,
            4 => self.reload = value & 0xff_ffff,
            8 => {
                self.current = 0;
                self.count_flag = false;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running(reload: u32) -> SysTick {
        let mut tick = SysTick::default();
        tick.write(4, reload);
        tick.write(0, 7);
        tick
    }

    #[test]
    fn period_is_reload_plus_one() {
        let mut tick = running(9);
        assert_eq!(tick.next(), 10); // one clock to load, nine to count
        assert!(!tick.advance(9));
        assert!(tick.advance(10));
        assert_eq!(tick.next(), 20);
        assert!(!tick.advance(19));
        assert!(tick.advance(20));
        assert!(tick.advance(1000));
        assert_eq!(tick.read(8), 0);
    }

    #[test]
    fn no_tick_with_reload_zero_and_none_on_enable() {
        let mut tick = running(0);
        assert_eq!(tick.next(), u64::MAX);
        assert!(!tick.advance(100));
        let mut tick = running(5);
        assert!(!tick.advance(1));
        assert_eq!(tick.read(8), 5);
    }

    #[test]
    fn count_flag_is_cleared_by_reading_and_by_writing_current() {
        let mut tick = running(4);
        tick.advance(5);
        tick.write(0, 7);
        assert_eq!(tick.read(0), 0x1_0007);
        assert_eq!(tick.read(0), 7);
        tick.advance(10);
        tick.write(8, 123);
        assert_eq!(tick.read(0), 7);
        assert_eq!(tick.read(8), 0);
        // The next clock loads the reload value, without a tick.
        assert!(!tick.advance(11));
        assert_eq!(tick.read(8), 4);
    }

    #[test]
    fn reload_written_while_stopped_starts_it() {
        let mut tick = SysTick::default();
        tick.write(0, 0);
        tick.write(8, 0);
        tick.write(4, 99);
        tick.write(0, 7);
        assert_eq!(tick.next(), 100);
    }

    #[test]
    fn eighth_of_the_clock() {
        let mut tick = SysTick::default();
        tick.write(4, 9);
        tick.write(0, 3);
        assert_eq!(tick.next(), 80);
    }
}
