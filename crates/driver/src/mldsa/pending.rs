//! Commands that the fabric does not have yet.
//!
//! What the processor wants to see next is seldom what was asked for last: all rows of w are asked for, and then looked at one
//! after the other. Commands wait here until something that depends on them is wanted. So the fabric gives a row as soon as it
//! is computed and computes the next one while the processor looks at it, and what nobody looks at is never computed.
use pqsoc_registers::{Command, Opcode};

/// Most that wait: more than an attempt of ML-DSA-87 has.
const CAPACITY: usize = 160;

/// Commands in the order in which they have to run, in groups: what a group computes is in the destination of its last command.
#[derive(Debug)]
pub(super) struct Pending {
    commands: [Command; CAPACITY],
    /// How many commands of its group come behind it.
    behind: [u8; CAPACITY],
    start: usize,
    end: usize,
}
const _: () = assert!(CAPACITY <= u8::MAX as usize);

/// Whether a command writes `slot`.
fn writes(command: Command, slot: u8) -> bool {
    command.dst() == slot
}

/// Whether a command reads `slot`.
fn reads(command: Command, slot: u8) -> bool {
    match command.opcode() {
        Some(Opcode::Ntt | Opcode::Intt) => command.a() == slot,
        Some(Opcode::Mul | Opcode::Add | Opcode::Sub) => command.a() == slot || command.b() == slot,
        Some(Opcode::Mac) => [command.dst(), command.a(), command.b()].contains(&slot),
        _ => false,
    }
}

/// Whether a command reads a string.
fn samples(command: Command) -> bool {
    use Opcode::{SampleEta2, SampleEta4, SampleMask17, SampleMask19, SampleUniform};
    matches!(command.opcode(), Some(SampleUniform | SampleEta2 | SampleEta4 | SampleMask17 | SampleMask19))
}

/// Cycles that a command takes, by and large: hw/README.md, "Cycles". Nothing depends on it but how much is ahead.
fn cycles(command: Command) -> u32 {
    match command.opcode() {
        Some(Opcode::Mul | Opcode::Mac | Opcode::Add | Opcode::Sub) => 80,
        _ => 300,
    }
}

/// Cycles that the processor leaves the fabric alone for, by and large, when it looks at a polynomial or makes one.
const AHEAD: u32 = 1000;

impl Pending {
    pub const NEW: Self =
        Self { commands: [Command::nop(); CAPACITY], behind: [0; CAPACITY], start: 0, end: 0 };

    /// All of them.
    pub fn all(&self) -> &[Command] {
        self.commands.get(self.start..self.end).unwrap_or_default()
    }

    /// The first so many.
    pub fn first(&self, count: usize) -> &[Command] {
        self.all().get(..count).unwrap_or_default()
    }

    /// Where the group of a command ends.
    fn end_of_group(&self, index: usize) -> usize {
        index + 1 + usize::from(self.behind[self.start + index])
    }

    /// Appends a group, if there is room.
    pub fn append(&mut self, group: &[Command]) -> Option<()> {
        if self.end + group.len() > CAPACITY {
            self.commands.copy_within(self.start..self.end, 0);
            self.behind.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        let end = self.end + group.len();
        self.commands.get_mut(self.end..end)?.copy_from_slice(group);
        for (behind, count) in self.behind[self.end..end].iter_mut().rev().zip(0..) {
            *behind = count;
        }
        self.end = end;
        Some(())
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        (self.start, self.end) = (0, 0);
    }

    /// Forgets the first so many, up to the end of a group.
    pub fn remove(&mut self, count: usize) {
        self.start += count;
        if self.start == self.end {
            self.clear();
        }
    }

    /// How many have to run so that the last group in which `of` is true of a command has run.
    fn through(&self, of: impl Fn(Command) -> bool) -> usize {
        let last = self.all().iter().rposition(|&command| of(command));
        last.map_or(0, |last| self.end_of_group(last))
    }

    /// How many have to run before `slot` is what it will be.
    pub fn until_written(&self, slot: u8) -> usize {
        self.through(|command| writes(command, slot))
    }

    /// How many have to run before `slot` may be overwritten by something that does not wait.
    pub fn until_free(&self, slot: u8) -> usize {
        self.through(|command| writes(command, slot) || reads(command, slot))
    }

    /// How many have to run before a string may be overwritten.
    pub fn until_sampled(&self) -> usize {
        self.through(samples)
    }

    /// How many the fabric gets done while the processor does something else: whole groups.
    pub fn ahead(&self) -> usize {
        let (mut count, mut sum) = (0, 0);
        while sum < AHEAD && count < self.all().len() {
            let end = self.end_of_group(count);
            sum += self.all()[count..end].iter().map(|&command| cycles(command)).sum::<u32>();
            count = end;
        }
        count
    }

    /// Forgets what would compute the value of `slot`, which is no longer wanted, unless something else depends on it.
    pub fn forget(&mut self, slot: u8) {
        let of_others = |&command: &Command| !writes(command, slot) && reads(command, slot);
        if !self.all().iter().any(|&command| writes(command, slot)) || self.all().iter().any(of_others) {
            return;
        }
        let mut index = 0;
        while index < self.all().len() {
            let end = self.end_of_group(index);
            if writes(self.all()[end - 1], slot) {
                let (to, from) = (self.start + index, self.start + end);
                self.commands.copy_within(from..self.end, to);
                self.behind.copy_within(from..self.end, to);
                self.end -= end - index;
            } else {
                index = end;
            }
        }
    }

    /// Takes the last group back if it is this one.
    pub fn take_last(&mut self, group: &[Command]) -> bool {
        let same = self.all().strip_suffix(group).is_some_and(|rest| {
            self.all().len() > rest.len() && self.end_of_group(rest.len()) == self.all().len()
        }) && self.is_start(self.all().len() - group.len());
        if same {
            self.end -= group.len();
        }
        same
    }

    /// Whether a group begins there.
    fn is_start(&self, index: usize) -> bool {
        index == 0 || self.behind[self.start + index - 1] == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(to: u8, a: u8, b: u8) -> [Command; 3] {
        [Command::mul(0, a, b), Command::intt(0, 0), Command::sub(to, to, 0)]
    }

    #[test]
    fn what_has_to_run_before_what() {
        let mut pending = Pending::NEW;
        pending.append(&[Command::sample_eta2(5, 16, 0)]).unwrap();
        pending.append(&product(6, 5, 9)).unwrap();
        pending.append(&product(7, 5, 10)).unwrap();
        assert_eq!([5, 6, 7, 9, 11].map(|slot| pending.until_written(slot)), [1, 4, 7, 0, 0]);
        assert_eq!([5, 6, 7, 9, 10, 11].map(|slot| pending.until_free(slot)), [7, 4, 7, 4, 7, 0]);
        assert_eq!(pending.until_sampled(), 1);
        pending.remove(4);
        assert_eq!(pending.all(), product(7, 5, 10));
        assert_eq!(pending.until_written(7), 3);
    }

    #[test]
    fn what_nobody_wants_is_forgotten() {
        let mut pending = Pending::NEW;
        pending.append(&product(6, 5, 9)).unwrap();
        pending.append(&product(7, 5, 10)).unwrap();
        pending.append(&[Command::ntt(6, 6)]).unwrap();
        pending.forget(5);
        assert_eq!(pending.all().len(), 7);
        pending.forget(6);
        assert_eq!(pending.all(), product(7, 5, 10));
        pending.append(&[Command::add(8, 8, 7)]).unwrap();
        // Another value depends on it.
        pending.forget(7);
        assert_eq!(pending.all().len(), 4);
        assert_eq!(pending.until_written(8), 4);
    }

    #[test]
    fn ahead_are_whole_groups() {
        let mut pending = Pending::NEW;
        assert_eq!(pending.ahead(), 0);
        pending.append(&[Command::sample_eta2(5, 16, 0)]).unwrap();
        assert_eq!(pending.ahead(), 1);
        for _ in 0..4 {
            pending.append(&product(6, 5, 9)).unwrap();
        }
        let sum = |count| pending.first(count).iter().map(|&command| cycles(command)).sum::<u32>();
        let ahead = pending.ahead();
        assert!(ahead % 3 == 1 && sum(ahead) >= AHEAD && sum(ahead - 3) < AHEAD, "{ahead}");
    }

    #[test]
    fn a_group_is_taken_back_whole_or_not_at_all() {
        let mut pending = Pending::NEW;
        let group = product(6, 5, 9);
        pending.append(&group).unwrap();
        assert!(!pending.take_last(&group[1..]));
        assert!(pending.take_last(&group) && pending.all().is_empty() && !pending.take_last(&group));
        for _ in 0..CAPACITY / 3 {
            pending.append(&group).unwrap();
        }
        assert_eq!(pending.append(&group), None);
        assert_eq!(pending.all().len(), CAPACITY / 3 * 3);
    }
}
