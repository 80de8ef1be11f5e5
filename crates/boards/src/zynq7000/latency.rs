// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Times of buses and memories of a Zynq-7000, all in one place, each with where it comes from.
//!
//! Bounds are part of every figure: what was measured on the part itself has narrow ones, what was carried over from other
//! Cortex-A9 machines has wide ones.

use pqsoc_armv7::a9::Cycles;

/// A level-2 hit, beyond the level-1 hit that it would otherwise be. 7-cpu.com (Exynos 4210, 1.2 GHz): 23 cycles
/// load-to-use, 19 beyond level 1; LMBench on a TI AM437x at 1 GHz: 16 cycles, 12 beyond.
pub const L2_HIT: Cycles = Cycles::new(12, 17, 19);
/// A level-2 hit on the line behind the last one that missed: 8.7 cycles a line (7-cpu.com).
pub const L2_NEXT: Cycles = Cycles::new(5, 8, 9);
/// DDR3, nanoseconds from the load to its use, level-1 and level-2 look-up included. No measurement of a Zynq was
/// found: three other Cortex-A9 boards have 83 to 142 ns with slower memory; UG585 gives the controller's parts.
pub const DDR_NS: Cycles = Cycles::new(60, 80, 110);
/// A word of uncached DDR read takes the same; a word written is posted and takes as long as the path is full.
pub const DDR_WRITE_NS: Cycles = Cycles::new(5, 20, 60);
/// On-chip memory: about a level-2 hit (JBLopen).
pub const OCM: Cycles = Cycles::new(14, 20, 26);
/// A line written back: it goes through the eviction buffer beside the miss, and waits if that is full.
pub const WRITE_BACK: Cycles = Cycles::new(0, 4, 12);

/// A register of the level-2 controller, the SCU, the interrupt controller or a private timer.
pub const PRIVATE: Cycles = Cycles::new(8, 16, 30);
/// A register of a peripheral behind the central interconnect (CPU_1x).
pub const PERIPHERAL: Cycles = Cycles::new(30, 50, 90);
/// A line operation by address of the level-2 controller, beyond the register write. No measurement was found; its
/// users report that a sync after every line costs about a tenth of a transfer.
pub const L2_LINE: Cycles = Cycles::new(6, 14, 30);
/// A sync of the level-2 controller.
pub const L2_SYNC: Cycles = Cycles::new(10, 22, 40);
/// An operation by way on 64 KB: one tag a cycle, 2048 sets.
pub const L2_WAY: Cycles = Cycles::new(2048, 4096, 8192);

/// The round trip of a read from M_AXI_GP without the PL's own cycles: least squares of five PL clocks of
/// UviDTE-FPSoC/Zynq7000-time-measurements (ZedBoard, 667 MHz): 89 ns + 8.6 PL cycles. The band is that of an overlapped
/// load and of a slave further away.
pub const GP_READ_NS: Cycles = Cycles::new(60, 89, 125);
/// PL cycles of that round trip outside the slave: synchronisers and interconnect. The block RAM measured answers in
/// about four of the 8.6.
pub const GP_PL_CYCLES: u64 = 5;
/// Nanoseconds from the core to the PL: half of the round trip.
pub const GP_REQUEST_NS: u64 = 45;
/// Core cycles that a posted write takes beyond its issue until the buffers are full: 51, 54, 65, 86 and 140 ns were measured
/// for 2 to 32 words, most of the first the call: 1.6 to 2.3 cycles a word.
pub const GP_WRITE: Cycles = Cycles::new(0, 1, 2);
/// Words that the path takes before it stalls: 32 of a copy are absorbed.
pub const GP_WRITE_BUFFER: usize = 32;
/// PL cycles that a word needs at least when it does: 2.00 bytes a PL cycle into a block RAM.
pub const GP_WRITE_PL_CYCLES: u64 = 2;

/// From a read address at an HP port to its first data, in PL cycles: 21 on average with the CPU at work
/// (ammrat13/pynqz2-ram-tester).
pub const HP_READ: u64 = 21;
/// The same for ACP: no figure in cycles was found; the snoop is a little shorter than DDR.
pub const ACP_READ: u64 = 17;
/// From the last data of a burst to its write response at an HP port.
pub const HP_WRITE: u64 = 12;
/// Beats of a burst at the PS: AXI3, whatever the DMA's own limit is.
pub const BURST: u64 = 16;

/// AXI DMA (PG021, v7.1): LENGTH written to mm2s_arvalid: DataMover's 8 cycles from command to arvalid (PG022) and its
/// register stage.
pub const MM2S_START: u64 = 10;
/// mm2s_arvalid to mm2s_tvalid with a memory of no latency.
pub const MM2S_FIRST: u64 = 6;
/// TAILDESC written to sg_arvalid.
pub const SG_START: u64 = 10;
/// sg_arvalid to mm2s_arvalid.
pub const SG_FETCH: u64 = 28;
/// S2MM: first beat in to awvalid.
pub const S2MM_FIRST: u64 = 39;
/// S2MM: idle cycles between bursts, from 298.59 MB/s of 10 000 bytes at 32 bits and 100 MHz.
pub const S2MM_GAP: u64 = 5;
/// Beats that S2MM takes before it has been told where to put them.
pub const S2MM_EARLY: usize = 4;
/// Clocks that a soft reset takes: an assumption; drivers poll for it.
pub const DMA_RESET: u64 = 16;
/// PL cycles of a register access at the DMA.
pub const DMA_REGISTER: u64 = 4;
/// From the last write response to the interrupt flag.
pub const DMA_COMPLETE: u64 = 4;
