// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Exception states and priorities (ARM DDI 0403E, B1.5 and B3.4). Exceptions are known by their number: 2 is NMI,
//! 16 the first external interrupt.

/// External interrupts: 82 on an STM32F407, in words of 32.
pub(crate) const LINES: u32 = 96;
const EXCEPTIONS: u32 = 16 + LINES;

pub(crate) const NMI: u32 = 2;
pub(crate) const HARD_FAULT: u32 = 3;
pub(crate) const MEM_MANAGE: u32 = 4;
pub(crate) const BUS_FAULT: u32 = 5;
pub(crate) const USAGE_FAULT: u32 = 6;
pub(crate) const SV_CALL: u32 = 11;
pub(crate) const DEBUG_MONITOR: u32 = 12;
pub(crate) const PEND_SV: u32 = 14;
pub(crate) const SYS_TICK: u32 = 15;

/// A set of exceptions.
#[derive(Clone, Copy, Default)]
pub(crate) struct Set([u32; 8]);

impl Set {
    pub(crate) fn has(&self, n: u32) -> bool {
        self.0[(n as usize / 32) & 7] >> (n % 32) & 1 != 0
    }

    pub(crate) fn set(&mut self, n: u32, value: bool) {
        let word = &mut self.0[(n as usize / 32) & 7];
        *word = *word & !(1 << (n % 32)) | u32::from(value) << (n % 32);
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = u32> {
        (0..8u32).flat_map(move |w| {
            let mut word = self.0[w as usize];
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros());
                word &= word.wrapping_sub(1);
                bit.map(|b| 32 * w + b)
            })
        })
    }

    pub(crate) fn count(&self) -> u32 {
        self.0.iter().map(|w| w.count_ones()).sum()
    }

    /// Interrupts 32·`word` to 32·`word` + 31.
    pub(crate) fn lines(&self, word: u32) -> u32 {
        (0..32).filter(|bit| self.has(16 + 32 * word + bit)).map(|bit| 1 << bit).sum()
    }

    /// Sets or clears the interrupts named by ones in `mask`.
    pub(crate) fn change_lines(&mut self, word: u32, mask: u32, value: bool) {
        for bit in 0..32 {
            if mask >> bit & 1 != 0 && 32 * word + bit < LINES {
                self.set(16 + 32 * word + bit, value);
            }
        }
    }
}

/// States and priorities of all exceptions, and the mask registers.
pub(crate) struct Nvic {
    pub pending: Set,
    pub active: Set,
    pub enabled: Set,
    priority: [i16; EXCEPTIONS as usize],
    /// AIRCR.PRIGROUP.
    pub group: u32,
    pub primask: bool,
    pub faultmask: bool,
    pub basepri: u8,
}

impl Nvic {
    pub(crate) fn new() -> Self {
        let mut priority = [0; EXCEPTIONS as usize];
        (priority[1], priority[2], priority[3]) = (-3, -2, -1);
        let mut enabled = Set::default();
        for n in [NMI, HARD_FAULT, SV_CALL, PEND_SV, SYS_TICK] {
            enabled.set(n, true);
        }
        Self {
            pending: Set::default(),
            active: Set::default(),
            enabled,
            priority,
            group: 0,
            primask: false,
            faultmask: false,
            basepri: 0,
        }
    }

    pub(crate) fn priority(&self, n: u32) -> i16 {
        self.priority.get(n as usize).copied().unwrap_or(0)
    }

    /// Sets a configurable priority; four bits are kept.
    pub(crate) fn set_priority(&mut self, n: u32, value: u8) {
        if let (4.., Some(priority)) = (n, self.priority.get_mut(n as usize)) {
            *priority = (value & 0xf0).into();
        }
    }

    fn group_priority(&self, priority: i16) -> i16 {
        if priority < 0 { priority } else { priority & (0xff00u16 >> (7 - self.group) & 0xff) as i16 }
    }

    /// ExecutionPriority().
    pub(crate) fn execution_priority(&self) -> i16 {
        let mut lowest = 256;
        for n in self.active.iter() {
            lowest = lowest.min(self.group_priority(self.priority(n)));
        }
        if self.basepri != 0 {
            lowest = lowest.min(self.group_priority(self.basepri.into()));
        }
        if self.primask {
            lowest = lowest.min(0);
        }
        if self.faultmask {
            lowest = lowest.min(-1);
        }
        lowest
    }

    /// The pending and enabled exception with the highest priority; of equals the one with the lowest number.
    pub(crate) fn highest_pending(&self) -> Option<u32> {
        self.pending.iter().filter(|&n| self.enabled.has(n)).min_by_key(|&n| (self.priority(n), n))
    }

    /// Whether `n` could preempt what is running.
    pub(crate) fn preempts(&self, n: u32) -> bool {
        self.group_priority(self.priority(n)) < self.execution_priority()
    }

    /// The exception to take now.
    pub(crate) fn ready(&self) -> Option<u32> {
        self.highest_pending().filter(|&n| self.preempts(n))
    }

    /// Whether WFI ends: as `ready`, with PRIMASK out of the way.
    pub(crate) fn wakes(&self) -> bool {
        self.highest_pending().is_some_and(|n| {
            let group = self.group_priority(self.priority(n));
            let mut without = 256;
            for a in self.active.iter() {
                without = without.min(self.group_priority(self.priority(a)));
            }
            if self.basepri != 0 {
                without = without.min(self.group_priority(self.basepri.into()));
            }
            if self.faultmask {
                without = without.min(-1);
            }
            group < without
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nvic(priorities: &[(u32, u8)]) -> Nvic {
        let mut nvic = Nvic::new();
        for &(n, priority) in priorities {
            nvic.set_priority(n, priority);
            nvic.enabled.set(n, true);
            nvic.pending.set(n, true);
        }
        nvic
    }

    #[test]
    fn lowest_number_wins_among_equals() {
        assert_eq!(nvic(&[(20, 0x40), (18, 0x40), (19, 0x50)]).ready(), Some(18));
    }

    #[test]
    fn equal_group_priority_does_not_preempt() {
        let mut n = nvic(&[(20, 0x40)]);
        n.set_priority(21, 0x50);
        n.active.set(21, true);
        assert_eq!(n.ready(), Some(20));
        n.group = 4; // groups of 0x20: 0x40 and 0x50 are the same
        assert_eq!(n.ready(), None);
    }

    #[test]
    fn basepri_blocks_its_own_value() {
        let mut n = nvic(&[(20, 0x40)]);
        for (basepri, blocked) in [(0, false), (0x50, false), (0x40, true), (0x30, true)] {
            n.basepri = basepri;
            assert_eq!(n.ready().is_none(), blocked, "{basepri:#x}");
        }
    }

    #[test]
    fn masks_leave_the_fixed_priorities() {
        let mut n = Nvic::new();
        n.group = 7; // no group bits: configurable priorities are all 0
        n.primask = true;
        n.pending.set(HARD_FAULT, true);
        assert_eq!(n.execution_priority(), 0);
        assert_eq!(n.ready(), Some(HARD_FAULT));
        n.faultmask = true;
        assert_eq!(n.execution_priority(), -1);
        assert_eq!(n.ready(), None);
        n.pending.set(NMI, true);
        assert_eq!(n.ready(), Some(NMI));
    }

    #[test]
    fn wfi_wakes_under_primask() {
        let mut n = nvic(&[(20, 0x40)]);
        n.primask = true;
        assert_eq!(n.ready(), None);
        assert!(n.wakes());
    }

    #[test]
    fn four_priority_bits() {
        let n = nvic(&[(20, 0xff)]);
        assert_eq!(n.priority(20), 0xf0);
    }
}
