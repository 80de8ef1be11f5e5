// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The pipeline at zero wait states, one sequence a rule. Sources are in docs/cortex-m4-timing.md.

use pqsoc_armv7::{
    Bus, BusError, Context, CortexM4, FlashTiming, Kind, Limit, Memory, Region, Registers, Size, Stop,
};

struct Bare;

impl Bus for Bare {
    fn read(&mut self, _: u32, _: Size, _: &mut Context<'_>) -> Result<u32, BusError> {
        Err(BusError)
    }

    fn write(&mut self, _: u32, _: Size, _: u32, _: &mut Context<'_>) -> Result<(), BusError> {
        Err(BusError)
    }
}

const SRAM1: u32 = 0x2000_0000;
const SRAM2: u32 = 0x2001_c000;
const ENABLE_FPU: u32 = 0x200;
const CODE: u32 = 0x400;

fn core() -> CortexM4<Bare> {
    let ram = |name, base, size| Region { name, base, size, kind: Kind::Ram { execute: true } };
    let mut memory = Memory::new(&[
        Region { name: "flash", base: 0, size: 0x1_0000, kind: Kind::Flash },
        ram("SRAM1", SRAM1, 0x1_c000),
        ram("SRAM2", SRAM2, 0x4000),
    ])
    .unwrap();
    memory.set_slow_start("SRAM2").unwrap();
    let mut core = CortexM4::new(memory, Bare);
    core.memory.write(0, &(SRAM1 + 0x8000).to_le_bytes()).unwrap();
    core.memory.write(4, &(ENABLE_FPU | 1).to_le_bytes()).unwrap();
    // str r1, [r0]; bkpt
    put(&mut core, ENABLE_FPU, &[0x6001, 0xbe00]);
    core.reset();
    core.set_register(0, 0xe000_ed88);
    core.set_register(1, 0xf0_0000);
    assert_eq!(core.run(Limit::NONE), Stop::Bkpt(0));
    core
}

fn put(core: &mut CortexM4<Bare>, address: u32, code: &[u16]) {
    let bytes: Vec<u8> = code.iter().flat_map(|h| h.to_le_bytes()).collect();
    core.memory.write(address, &bytes).unwrap();
}

/// Cycles of `code` alone, with R0 and R1 pointing to `data`, R2 to R6 2 to 6, R7 8 and LR behind the code.
fn cycles_at(address: u32, data: u32, code: &[u16]) -> u64 {
    let run = |code: &[u16]| {
        let mut core = core();
        let end = address + 2 * code.len() as u32;
        put(&mut core, address, code);
        put(&mut core, end, &[0xbe00]);
        let registers = core.registers();
        let mut r = [data, data, 2, 3, 4, 5, 6, 8, 8, 9, 10, 11, 12, 0, end | 1, address];
        r[13] = registers.r[13];
        core.set_registers(&Registers { r, ..registers });
        let start = core.cycles();
        assert_eq!(core.run(Limit::NONE), Stop::Bkpt(0));
        assert_eq!(core.pc(), end);
        core.cycles() - start
    };
    run(code) - run(&[])
}

/// Cycles of each sequence with its data at `data`.
fn check(data: u32, rules: &[(&str, &[u16], u64)]) {
    let found = rules.iter().map(|&(rule, code, _)| (rule, cycles_at(CODE, data, code)));
    let expected: Vec<_> = rules.iter().map(|&(rule, _, cycles)| (rule, cycles)).collect();
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn loads_and_stores() {
    check(
        SRAM1,
        &[
            ("load", &[0x6842], 2),
            ("two loads", &[0x6842, 0x6883], 3),
            ("three loads", &[0x6842, 0x6883, 0x68c4], 4),
            ("three wide loads", &[0xf8d0, 0x2004, 0xf8d0, 0x3008, 0xf8d0, 0x400c], 4),
            ("a load whose base was loaded", &[0x6801, 0x6842, 0x6853], 5),
            ("a load whose base is from the ALU", &[0x3004, 0x6801], 4),
            ("a load whose base was written back", &[0xf850, 0x2b04, 0x6803], 5),
            ("loads that write back two bases", &[0xf850, 0x2b04, 0xf851, 0x3b04], 3),
            ("load by register", &[0x59c2], 2),
            ("load and NOP", &[0x6842, 0xbf00], 2),
            ("load and CMP", &[0x6842, 0x2d00], 3),
            ("store", &[0x6042], 1),
            ("two stores", &[0x6042, 0x6083], 2),
            ("store and load", &[0x6042, 0x6883], 4),
            ("store, something else, load", &[0x6042, 0x2d00, 0x6883], 4),
            ("load and store", &[0x6842, 0x6082], 2),
            ("load, store and load", &[0x6842, 0x6082, 0x68c4], 5),
            ("store by register", &[0x51c2], 2),
            ("store by register and NOP", &[0x51c2, 0xbf00], 2),
            ("LDRD", &[0xe9d0, 0x2301], 3),
            ("STRD", &[0xe9c0, 0x2301], 3),
            ("LDM of four", &[0xe890, 0x003c], 5),
            ("STM of four", &[0xe880, 0x003c], 5),
            ("PUSH and POP of two", &[0xb40c, 0xbc0c], 3 + 1 + 3),
            ("a word in two halves", &[0xf8d0, 0x2002], 3),
            ("a word in three pieces", &[0xf8d0, 0x2001], 4),
            ("a halfword in two bytes", &[0xf8b0, 0x2001], 3),
            ("LDREX", &[0xe850, 0x2f00], 2),
        ],
    );
}

#[test]
fn slow_starts() {
    check(
        SRAM2,
        &[
            ("load", &[0x6842], 3),
            ("three loads", &[0x6842, 0x6883, 0x68c4], 5),
            ("two bursts", &[0x6842, 0x2d00, 0x6883], 7),
            ("a load whose base was loaded", &[0x6801, 0x6842, 0x6853], 6),
            ("store", &[0x6042], 1),
            ("store and load", &[0x6042, 0x6883], 5),
            ("load and store", &[0x6842, 0x6082], 3),
            ("load, store and load", &[0x6842, 0x6082, 0x68c4], 6),
            ("LDRD", &[0xe9d0, 0x2301], 4),
            ("LDM of four", &[0xe890, 0x003c], 6),
            ("VLDM of four", &[0xec90, 0x0a04], 6),
        ],
    );
}

#[test]
fn blocks_of_memory_do_not_overlap() {
    // ldr r2, [r0, #4]; ldr r3, [sp]: one of them is in SRAM1 in any case
    let code = &[0x6842, 0x9b00];
    assert_eq!(cycles_at(CODE, SRAM1, code), 3);
    assert_eq!(cycles_at(CODE, 0, code), 4);
}

#[test]
fn arithmetic() {
    check(
        SRAM1,
        &[
            ("MUL", &[0x4353], 1),
            ("UMAAL", &[0xfbe3, 0x2365], 1),
            ("SMLAD", &[0xfb22, 0x4303], 1),
            ("SMMLA", &[0xfb52, 0x4303], 1),
            ("EOR with a rotation", &[0xea82, 0x13f4], 1),
            ("UDIV of 6 by 8", &[0xfbb6, 0xf3f7], 2),
            ("UDIV of 0x20000000 by 3", &[0xfbb0, 0xf3f3], 11),
            ("MOVW and MOVT", &[0xf240, 0x0200, 0xf2c0, 0x0200], 2),
            ("IT behind a narrow instruction", &[0x2d05, 0xbf08, 0x2201], 2),
            ("IT behind a wide instruction", &[0xf1b5, 0x0f05, 0xbf08, 0x2201], 3),
            ("a load whose condition fails", &[0x2d00, 0xbf08, 0x6842, 0x2d00], 3),
        ],
    );
}

#[test]
fn branches() {
    check(
        SRAM1,
        &[
            ("B", &[0xe000, 0xbf00], 2),
            ("B<c> taken", &[0x2d05, 0xd000, 0xbf00], 3),
            ("B<c> not taken", &[0x2d05, 0xd100, 0xbf00], 3),
            ("CBZ taken", &[0x2200, 0xb102, 0xbf00], 3),
            ("BX", &[0x4770], 3),
            ("BL, BX, B", &[0xf000, 0xf801, 0xe000, 0x4770], 2 + 3 + 2),
            ("to a wide instruction across words", &[0xe001, 0xbf00, 0xbf00, 0xf240, 0x0200], 2 + 1 + 1),
            ("to a wide instruction in a word", &[0xe000, 0xbf00, 0xf240, 0x0200], 2 + 1),
            ("PUSH of LR and POP of PC", &[0xb500, 0xbd00], 2 + 1 + 2 + 3),
            ("LDR of PC", &[0xf8df, 0xf000, 0x0409, 0], 2 + 3),
            ("TBB with its table behind it", &[0xe8df, 0xf002, 0x0000, 0x0002], 2 + 4),
            ("TBH with its table behind it", &[0xe8df, 0xf012, 0, 0, 3], 2 + 4),
            ("TBB with its table in RAM", &[0xe8d0, 0xf002], 2 + 4),
            ("TBH with its table in RAM", &[0xe8d0, 0xf012], 2 + 4),
            ("TBB by a sum", &[0x3200, 0xe8d0, 0xf002], 1 + 1 + 2 + 4),
        ],
    );
}

#[test]
fn floating_point() {
    check(
        SRAM1,
        &[
            ("VADD", &[0xee30, 0x0a81], 1),
            ("VADD of a sum", &[0xee30, 0x0a81, 0xee30, 0x1a00], 3),
            ("two VADDs", &[0xee30, 0x0a81, 0xee72, 0x1a02], 2),
            ("VMLA", &[0xee00, 0x0a81], 3),
            ("VMLA onto a sum", &[0xee30, 0x0a81, 0xee01, 0x0a01], 4),
            ("VFMA", &[0xeea0, 0x0a81], 3),
            ("VDIV", &[0xee80, 0x0a81], 14),
            ("VSQRT", &[0xeeb1, 0x0ae0], 14),
            ("VLDR", &[0xed90, 0x0a01], 2),
            ("VLDR of a double", &[0xed90, 0x0b01], 3),
            ("VSTR of a double", &[0xed80, 0x0b01], 3),
            ("VLDM of four", &[0xec90, 0x0a04], 5),
            ("VMOV to core", &[0xee10, 0x2a10], 1),
            ("VMOV of two to core", &[0xec53, 0x2a10], 2),
            ("VPUSH and VPOP of two", &[0xed2d, 0x0a02, 0xecbd, 0x0a02], 3 + 1 + 3),
        ],
    );
}

/// A loop of wide instructions: fetch just keeps up, and the branch costs one cycle more than its place.
#[test]
fn wide_loops() {
    // eor.w ×4, subs.w r4, r4, #1, bne.w: four times
    let wide =
        [0xea82, 0x0303, 0xea82, 0x0303, 0xea82, 0x0303, 0xea82, 0x0303, 0xf1b4, 0x0401, 0xf47f, 0xaff4];
    let cycles = cycles_at(CODE, SRAM1, &wide);
    assert_eq!(cycles, 4 * 5 + 3 * 2 + 1);
}

/// Straight code behind 5 wait states: with prefetch, a line of four wide instructions takes the six cycles of a read;
/// the second time it comes from the cache.
#[test]
fn wait_states() {
    let run = |timing: FlashTiming| {
        let mut core = core();
        core.memory.set_flash_timing(timing);
        let wide: Vec<u16> = [0xea82, 0x0303].repeat(64);
        put(&mut core, CODE, &wide);
        put(&mut core, CODE + 256, &[0xbe00]);
        let mut times = [0; 2];
        for time in &mut times {
            core.set_register(15, CODE);
            let start = core.cycles();
            assert_eq!(core.run(Limit::NONE), Stop::Bkpt(0));
            *time = core.cycles() - start;
        }
        times
    };
    let none = FlashTiming::default();
    let zero = run(none)[0];
    let slow = FlashTiming { latency: 5, ..none };
    let prefetch = FlashTiming { prefetch: true, ..slow };
    let all = FlashTiming { instruction_cache: true, data_cache: true, ..prefetch };
    assert_eq!(run(slow)[0] - zero, 16 * 5);
    assert_eq!(run(prefetch)[0] - zero, 5 + 15 * 2);
    assert_eq!(run(all)[0], run(prefetch)[0]);
    assert_eq!(run(all)[1], zero);
}
