//! Where the time of an operation goes on the ZedBoard: the board is looked at where the operation begins and ends.
use pqsoc_boards::zynq7000::{Breakdown, Report, Zynq7000};
use pqsoc_boards::{Board, End};
use serde::{Deserialize, Serialize};

/// The firmware's function that is measured.
pub const MEASURED: &str = "measured";

/// Cycles of one operation and what they were spent on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    /// Core cycles: the least that is plausible, the estimate, the most.
    pub cycles: [u64; 3],
    /// Of the estimate: instructions, branches included.
    pub instructions: u64,
    /// Waiting for memory.
    pub memory: u64,
    /// Cache maintenance and barriers.
    pub maintenance: u64,
    /// Registers of the fabric, the DMA and other devices: waiting for the hardware is polling these.
    pub registers: u64,
    /// Asleep.
    pub asleep: u64,
    /// Clocks of the fabric in which a command was under way.
    pub fabric: u64,
    /// Of these, clocks in which it waited for a stream.
    pub fabric_waiting: u64,
    /// Clocks in which a DMA transfer was under way.
    pub dma: u64,
    /// Bytes that the DMA read and wrote.
    pub bytes: u64,
}

impl Split {
    fn of(report: &Report) -> Self {
        let Breakdown { instructions, memory, maintenance, registers, asleep, pl, dma_bytes } =
            report.breakdown;
        Self {
            cycles: [report.cycles.low, report.cycles.mid, report.cycles.high],
            instructions: instructions.mid,
            memory: memory.mid,
            maintenance: maintenance.mid,
            registers: registers.mid,
            asleep: asleep.mid,
            fabric: pl.busy,
            fabric_waiting: pl.waiting,
            dma: pl.dma,
            bytes: dma_bytes[0] + dma_bytes[1],
        }
    }

    /// What came after `earlier`.
    fn since(&self, earlier: &Self) -> Self {
        Self {
            cycles: std::array::from_fn(|i| self.cycles[i] - earlier.cycles[i]),
            instructions: self.instructions - earlier.instructions,
            memory: self.memory - earlier.memory,
            maintenance: self.maintenance - earlier.maintenance,
            registers: self.registers - earlier.registers,
            asleep: self.asleep - earlier.asleep,
            fabric: self.fabric - earlier.fabric,
            fabric_waiting: self.fabric_waiting - earlier.fabric_waiting,
            dma: self.dma - earlier.dma,
            bytes: self.bytes - earlier.bytes,
        }
    }

    /// The parts of the estimate by name.
    pub fn parts(&self) -> [(&'static str, u64); 5] {
        [
            ("instructions", self.instructions),
            ("memory", self.memory),
            ("cache maintenance", self.maintenance),
            ("registers and waiting", self.registers),
            ("asleep", self.asleep),
        ]
    }
}

/// Looks at the board where the operation begins and where it ends.
pub struct Stopwatch {
    /// First address of the operation.
    operation: u32,
    /// Where the operation returns to, and what had been spent when it began.
    running: Option<(u32, Split)>,
    splits: Vec<Split>,
}

impl Stopwatch {
    /// Waits for the operation; `None` if the program has no such function.
    pub fn new(board: &mut Zynq7000) -> Option<Self> {
        let operation = board.program().symbols.function(MEASURED)?.address & !1;
        board.add_breakpoint(operation);
        Some(Self { operation, running: None, splits: Vec::new() })
    }

    /// To be called at a breakpoint. Returns whether an operation has ended.
    pub fn stopped(&mut self, board: &mut Zynq7000, at: u32) -> bool {
        let now = Split::of(&board.report(&End::Breakpoint(at)));
        board.remove_breakpoint(at);
        let ended = match self.running.take() {
            Some((_, before)) => {
                self.splits.push(now.since(&before));
                true
            }
            None => {
                self.running = Some((board.core().register(14) & !1, now));
                false
            }
        };
        board.add_breakpoint(self.running.map_or(self.operation, |(back, _)| back));
        ended
    }

    /// One for each operation that has ended, in order.
    pub fn splits(self) -> Vec<Split> {
        self.splits
    }
}
