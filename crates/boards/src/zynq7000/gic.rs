// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The interrupt controller: distributor and CPU interface (PL390, GIC architecture 1), for one core.

/// Interrupt IDs 0 to 95.
const WORDS: usize = 3;
const IDS: usize = 32 * WORDS;
/// What IAR gives if nothing is pending.
const SPURIOUS: u32 = 1023;
/// Bits of a priority that exist: 32 levels.
const PRIORITY_BITS: u8 = 0xf8;
/// Software-generated and private interrupts are edges, except the private ones that are levels.
const CONFIGURATION: [u32; 6] =
    [0xaaaa_aaaa, 0x7dc0_0000, 0x555d_545f, 0x5555_d555, 0x7555_5555, 0x0355_5555];

pub(super) struct Gic {
    distributor: u32,
    interface: u32,
    mask: u8,
    binary_point: u32,
    enabled: [u32; WORDS],
    /// Edges not yet taken, and what software has pended.
    latched: [u32; WORDS],
    lines: [u32; WORDS],
    active: [u32; WORDS],
    priority: [u8; IDS],
    targets: [u8; IDS],
    configuration: [u32; 6],
    /// Interrupts being handled: ID and priority.
    running: Vec<(u32, u8)>,
}

impl Gic {
    pub(super) fn new() -> Self {
        Self {
            distributor: 0,
            interface: 0,
            mask: 0,
            binary_point: 0,
            enabled: [0xffff, 0, 0],
            latched: [0; WORDS],
            lines: [0; WORDS],
            active: [0; WORDS],
            priority: [0; IDS],
            targets: [0; IDS],
            configuration: CONFIGURATION,
            running: Vec::new(),
        }
    }

    /// Bit 1 of the configuration of an ID: it is an edge.
    fn is_edge(&self, id: u32) -> bool {
        self.configuration[id as usize / 16] >> (2 * (id % 16) + 1) & 1 != 0
    }

    /// Sets the level of the line of interrupt `id`.
    pub(super) fn set_line(&mut self, id: u32, high: bool) {
        let (word, bit) = (id as usize / 32, 1 << (id % 32));
        let Some(lines) = self.lines.get_mut(word) else { return };
        let was = *lines & bit != 0;
        if high {
            *lines |= bit;
        } else {
            *lines &= !bit;
        }
        if high && !was && self.is_edge(id) {
            self.latched[word] |= bit;
        }
    }

    fn pending(&self, word: usize) -> u32 {
        let levels = (0..32).filter(|&n| !self.is_edge(32 * word as u32 + n)).fold(0, |set, n| set | 1 << n);
        self.latched[word] | self.lines[word] & levels
    }

    /// The most urgent interrupt that may be signalled: ID and priority.
    fn best(&self) -> Option<(u32, u8)> {
        if self.distributor & 1 == 0 {
            return None;
        }
        let threshold = self.running.last().map_or(255, |r| r.1);
        let mut best: Option<(u32, u8)> = None;
        for word in 0..WORDS {
            let mut set = self.pending(word) & self.enabled[word] & !self.active[word];
            while set != 0 {
                let id = 32 * word as u32 + set.trailing_zeros();
                set &= set - 1;
                let priority = self.priority[id as usize];
                let targeted = id < 32 || self.targets[id as usize] & 1 != 0;
                if targeted
                    && priority < self.mask
                    && priority < threshold
                    && best.is_none_or(|b| priority < b.1)
                {
                    best = Some((id, priority));
                }
            }
        }
        best
    }

    /// The level of the core's IRQ line.
    pub(super) fn irq(&self) -> bool {
        self.interface & 1 != 0 && self.best().is_some()
    }

    /// Reads the CPU interface.
    pub(super) fn read_interface(&mut self, offset: u32) -> u32 {
        match offset {
            0x00 => self.interface,
            0x04 => self.mask.into(),
            0x08 => self.binary_point,
            0x0c => {
                let Some((id, priority)) = self.best() else { return SPURIOUS };
                let (word, bit) = (id as usize / 32, 1 << (id % 32));
                self.latched[word] &= !bit;
                self.active[word] |= bit;
                self.running.push((id, priority));
                id
            }
            0x14 => self.running.last().map_or(255, |r| r.1.into()),
            0x18 => self.best().map_or(SPURIOUS, |b| b.0),
            0xfc => 0x3901_243b,
            _ => 0,
        }
    }

    /// Writes the CPU interface.
    pub(super) fn write_interface(&mut self, offset: u32, value: u32) {
        match offset {
            0x00 => self.interface = value & 31,
            0x04 => self.mask = value as u8 & PRIORITY_BITS,
            0x08 => self.binary_point = value & 7,
            0x10 => {
                let id = value & 0x3ff;
                if let Some(active) = self.active.get_mut(id as usize / 32) {
                    *active &= !(1 << (id % 32));
                    self.running.retain(|r| r.0 != id);
                }
            }
            _ => {}
        }
    }

    /// Reads the distributor.
    pub(super) fn read(&self, offset: u32) -> u32 {
        let word = (offset as usize % 0x80) / 4;
        let of = |set: &[u32; WORDS]| set.get(word).copied().unwrap_or(0);
        let bytes = |from: &[u8; IDS], base: u32| {
            let at = (offset - base) as usize & !3;
            from.get(at..at + 4).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        };
        match offset {
            0x000 => self.distributor,
            0x004 => 0x0000_fc22,
            0x008 => 0x0102_043b,
            0x100..0x200 => of(&self.enabled),
            0x200..0x300 if word < WORDS => self.pending(word),
            0x300..0x380 => of(&self.active),
            0x400..0x460 => bytes(&self.priority, 0x400),
            // The banked part names the core that reads.
            0x800..0x820 => 0x0101_0101,
            0x820..0x860 => bytes(&self.targets, 0x800),
            0xc00..0xc18 => self.configuration[(offset as usize - 0xc00) / 4],
            0xd00 => self.lines[0] >> 16,
            0xd04..0xd0c => self.lines[(offset as usize - 0xd00) / 4],
            _ => 0,
        }
    }

    /// Writes `bytes` bytes of the distributor; priorities and targets can be written one by one.
    pub(super) fn write(&mut self, offset: u32, bytes: u32, value: u32) {
        let word = (offset as usize % 0x80) / 4;
        match offset {
            0x000 => self.distributor = value & 3,
            0x100..0x30c if word < WORDS => match offset >> 7 {
                2 => self.enabled[word] |= value,
                // Software-generated interrupts are always enabled.
                3 => self.enabled[word] = self.enabled[word] & !value | if word == 0 { 0xffff } else { 0 },
                4 => self.latched[word] |= value & if word == 0 { !0xffff } else { !0 },
                5 => self.latched[word] &= !value,
                _ => {}
            },
            0x400..0x460 | 0x820..0x860 => {
                let (place, base, keep) = if offset < 0x800 {
                    (&mut self.priority, 0x400, PRIORITY_BITS)
                } else {
                    (&mut self.targets, 0x800, 3)
                };
                let at = (offset - base) as usize;
                for (n, byte) in place.iter_mut().skip(at).take(bytes as usize).enumerate() {
                    *byte = (value >> (8 * n)) as u8 & keep;
                }
            }
            // What is below 32 cannot be changed.
            0xc08..0xc18 => self.configuration[(offset as usize - 0xc00) / 4] = value | 0x5555_5555,
            0xf00 => {
                // To this core: by list, or to itself
                let to_self = match value >> 24 & 3 {
                    0 => value >> 16 & 1 != 0,
                    2 => true,
                    _ => false,
                };
                if to_self {
                    self.latched[0] |= 1 << (value & 15);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enabled(id: u32, edge: bool) -> Gic {
        let mut gic = Gic::new();
        gic.write(0x000, 4, 1);
        gic.write_interface(0x00, 1);
        gic.write_interface(0x04, 0xf8);
        gic.write(0x100 + 4 * (id / 32), 4, 1 << (id % 32));
        gic.write(0x400 + id, 1, 0xa0);
        gic.write(0x800 + id, 1, 1);
        if edge {
            let offset = 0xc00 + 4 * (id / 16);
            let old = gic.read(offset);
            gic.write(offset, 4, old | 2 << (2 * (id % 16)));
        }
        gic
    }

    #[test]
    fn a_level_comes_back_until_its_source_is_quiet() {
        let mut gic = enabled(61, false);
        gic.set_line(61, true);
        assert!(gic.irq());
        assert_eq!(gic.read_interface(0x0c), 61);
        assert!(!gic.irq(), "it is being handled");
        gic.write_interface(0x10, 61);
        assert!(gic.irq(), "the line is still high");
        assert_eq!(gic.read_interface(0x0c), 61);
        gic.set_line(61, false);
        gic.write_interface(0x10, 61);
        assert!(!gic.irq());
        assert_eq!(gic.read_interface(0x0c), SPURIOUS);
    }

    #[test]
    fn an_edge_is_lost_if_the_line_never_falls() {
        let mut gic = enabled(61, true);
        gic.set_line(61, true);
        assert_eq!(gic.read_interface(0x0c), 61);
        // The handler ends the interrupt and does not quieten the source: no second edge, no second interrupt.
        gic.write_interface(0x10, 61);
        assert!(!gic.irq());
        gic.set_line(61, false);
        gic.set_line(61, true);
        assert!(gic.irq());
    }

    #[test]
    fn the_more_urgent_one_interrupts_and_the_mask_holds() {
        let mut gic = enabled(61, false);
        gic.write(0x100 + 4, 4, 1 << 30);
        gic.write(0x400 + 62, 1, 0x50);
        gic.write(0x800 + 62, 1, 1);
        gic.set_line(61, true);
        assert_eq!(gic.read_interface(0x0c), 61);
        gic.set_line(62, true);
        assert_eq!(gic.read_interface(0x0c), 62);
        gic.write_interface(0x10, 62);
        gic.set_line(62, false);
        gic.write_interface(0x10, 61);
        gic.write_interface(0x04, 0xa0);
        assert!(!gic.irq(), "a priority equal to the mask is masked");
    }
}
