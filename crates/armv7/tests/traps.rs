// SPDX-License-Identifier: Apache-2.0 OR MIT

//! What emulators of this core have got wrong, one test each.

use pqsoc_armv7::{
    Bus, BusError, Cause, Context, CortexM4, FaultClass, Kind, Limit, Memory, Region, Registers, Size, Stop,
};

const MAIN: u32 = 0x200;
const RAM: u32 = 0x2000_0000;
const TOP: u32 = RAM + 0x8000;
const PERIPHERAL: u32 = 0x4000_0000;
const NOWHERE: u32 = 0x6000_0000;
const NOP: u16 = 0xbf00;
/// BX LR.
const RETURN: u16 = 0x4770;

/// One register that remembers its accesses.
#[derive(Default)]
struct Board {
    value: u32,
    accesses: Vec<(u32, Size, Option<u32>)>,
}

impl Bus for Board {
    fn read(&mut self, address: u32, size: Size, _: &mut Context<'_>) -> Result<u32, BusError> {
        if address >> 12 != PERIPHERAL >> 12 {
            return Err(BusError);
        }
        self.accesses.push((address, size, None));
        Ok(self.value)
    }

    fn write(&mut self, address: u32, size: Size, value: u32, _: &mut Context<'_>) -> Result<(), BusError> {
        if address >> 12 != PERIPHERAL >> 12 {
            return Err(BusError);
        }
        self.accesses.push((address, size, Some(value)));
        self.value = value;
        Ok(())
    }
}

type Core = CortexM4<Board>;

const fn handler(exception: u32) -> u32 {
    0x1000 + 0x40 * exception
}

fn put(core: &mut Core, address: u32, code: &[u16]) {
    let bytes: Vec<u8> = code.iter().flat_map(|h| h.to_le_bytes()).collect();
    core.memory.write(address, &bytes).unwrap();
}

/// A core at the start of `main`; every handler returns at once.
fn core(main: &[u16]) -> Core {
    let memory = Memory::new(&[
        Region { name: "code", base: 0, size: 0x1_0000, kind: Kind::Ram { execute: true } },
        Region { name: "data", base: RAM, size: 0x1_0000, kind: Kind::Ram { execute: true } },
        Region { name: "closed", base: 0x1000_0000, size: 0x1000, kind: Kind::Ram { execute: false } },
    ])
    .unwrap();
    let mut core = CortexM4::new(memory, Board::default());
    let mut vectors = vec![TOP, MAIN | 1];
    vectors.extend((2..112).map(|n| handler(n) | 1));
    for (n, word) in vectors.iter().enumerate() {
        core.memory.write(4 * n as u32, &word.to_le_bytes()).unwrap();
    }
    for n in 2..112 {
        put(&mut core, handler(n), &[RETURN]);
    }
    put(&mut core, MAIN, main);
    core.reset();
    core
}

fn set(core: &mut Core, registers: &[(usize, u32)]) {
    for &(n, value) in registers {
        core.set_register(n, value);
    }
}

fn steps(core: &mut Core, n: usize) {
    for _ in 0..n {
        assert_eq!(core.step(), None);
    }
}

/// Executes `code` to its end with these registers.
fn execute(code: &[u16], registers: &[(usize, u32)], count: usize) -> Registers {
    let mut core = core(code);
    set(&mut core, registers);
    steps(&mut core, count);
    core.registers()
}

fn word(core: &mut Core, address: u32) -> u32 {
    let mut bytes = [0; 4];
    core.peek(address, &mut bytes).unwrap();
    u32::from_le_bytes(bytes)
}

/// Stores a word to the system control space by an instruction, and goes back to where the core was.
fn poke(core: &mut Core, address: u32, value: u32) {
    let before = core.registers();
    put(core, 0x3000, &[0x6001]); // str r1, [r0]
    set(core, &[(0, address), (1, value), (15, 0x3000)]);
    assert_eq!(core.step(), None);
    core.set_registers(&before);
}

fn load(core: &mut Core, address: u32) -> u32 {
    let before = core.registers();
    put(core, 0x3000, &[0x6801]); // ldr r1, [r0]
    set(core, &[(0, address), (15, 0x3000)]);
    assert_eq!(core.step(), None);
    let value = core.register(1);
    core.set_registers(&before);
    value
}

const CFSR: u32 = 0xe000_ed28;
const HFSR: u32 = 0xe000_ed2c;
const SHCSR: u32 = 0xe000_ed24;
const CCR: u32 = 0xe000_ed14;
const CPACR: u32 = 0xe000_ed88;
const ICSR: u32 = 0xe000_ed04;
const BFAR: u32 = 0xe000_ed38;
const FPCCR: u32 = 0xe000_ef34;
const FPCAR: u32 = 0xe000_ef38;
const NVIC_ISER: u32 = 0xe000_e100;
const NVIC_IPR: u32 = 0xe000_e400;

fn with_fpu(code: &[u16]) -> Core {
    let mut core = core(code);
    poke(&mut core, CPACR, 0xf0_0000);
    core
}

/// Steps until a fault handler is entered; its exception number.
fn faults(core: &mut Core) -> u32 {
    for _ in 0..4 {
        core.step();
        if core.exception() != 0 {
            break;
        }
    }
    core.exception()
}

#[test]
fn it_state_survives_an_exception() {
    // movs r0, #0; cmp r0, #0; ittt eq; addeq r1, #1; addeq r2, #1; addeq r3, #1
    let mut core = core(&[0x2000, 0x2800, 0xbf02, 0x3101, 0x3201, 0x3301, NOP]);
    set(&mut core, &[(1, 0), (2, 0), (3, 0)]);
    put(&mut core, handler(16), &[0x2801, RETURN]); // cmp r0, #1: Z is clear
    poke(&mut core, NVIC_ISER, 1);
    steps(&mut core, 4);
    core.pend(0);
    steps(&mut core, 1);
    assert_eq!(core.exception(), 16);
    assert_eq!(core.registers().xpsr & 0x0600_fc00, 0, "ITSTATE is clear in the handler");
    let stacked = word(&mut core, TOP - 4);
    assert_ne!(stacked & 0x0600_fc00, 0, "and was stacked");
    steps(&mut core, 2);
    assert_eq!(core.exception(), 0);
    assert_eq!(core.pc(), MAIN + 8);
    steps(&mut core, 2);
    assert_eq!((core.register(1), core.register(2), core.register(3)), (1, 1, 1));
}

#[test]
fn a_branch_ends_its_it_block() {
    // cmp r0, r0; it eq; beq 1f; nop; 1: cmp r0, #1; adds r1, #1
    let r = execute(&[0x4280, 0xbf08, 0xe000, NOP, 0x2801, 0x3101], &[(0, 5), (1, 0)], 5);
    assert_eq!(r.r[1], 1);
    assert_eq!(r.xpsr & 0x0600_fc00, 0);
}

#[test]
fn narrow_arithmetic_in_it_keeps_flags() {
    // cmp r0, r0; itt eq; addeq r1, r1, r2; subeq r1, #1; it eq; moveq r3, #7
    let r = execute(&[0x4280, 0xbf04, 0x1889, 0x3901, 0xbf08, 0x2307], &[(1, 1), (2, 2), (3, 0)], 6);
    assert_eq!((r.r[1], r.r[3]), (2, 7));
    assert_eq!(r.xpsr >> 28, 0b0110);
    // it eq; addseq.w r1, #1 does set them
    let r = execute(&[0x4280, 0xbf08, 0xf111, 0x0101], &[(1, u32::MAX)], 3);
    assert_eq!(r.xpsr >> 28, 0b0110);
}

#[test]
fn it_changes_only_the_condition() {
    // cmp r0, r0; ite eq; addeq.w r1, r2, r3, lsl #4; addne.w r1, r2, r3
    let code = [0x4280, 0xbf0c, 0xeb02, 0x1103, 0xeb02, 0x0103];
    assert_eq!(execute(&code, &[(1, 0), (2, 1), (3, 3)], 4).r[1], 0x31);
}

#[test]
fn the_next_it_sees_the_same_flags() {
    // cmp r0, r1; it lt; addlt r2, #1; it ge; addge r2, #2; it mi; addmi r2, #4
    let code = [0x4288, 0xbfb8, 0x3201, 0xbfa8, 0x3202, 0xbf48, 0x3204];
    assert_eq!(execute(&code, &[(0, 1), (1, 2), (2, 0)], 7).r[2], 5);
}

#[test]
fn conditional_branch_in_it_is_unpredictable() {
    let mut core = core(&[0x4280, 0xbf08, 0xd000, NOP]); // cmp r0, r0; it eq; beq (T1)
    assert_eq!(faults(&mut core), 3);
    assert_eq!(core.last_fault().unwrap().cause, Cause::Unpredictable);
    assert_eq!(core.last_fault().unwrap().pc, MAIN + 4);
}

#[test]
fn apsr_has_q_and_ge() {
    // msr APSR_nzcvqg, r0; mrs r1, apsr
    let r = execute(&[0xf380, 0x8c00, 0xf3ef, 0x8100], &[(0, u32::MAX)], 2);
    assert_eq!(r.r[1], 0xf80f_0000);
}

#[test]
fn bytes_set_ge_and_sel_follows() {
    // uadd8 r0, r1, r2; sel r3, r4, r5
    let r = execute(
        &[0xfa81, 0xf042, 0xfaa4, 0xf385],
        &[(1, 0xff01_80ff), (2, 0x0101_8001), (4, 0xaaaa_aaaa), (5, 0xbbbb_bbbb)],
        2,
    );
    assert_eq!(r.r[0], 0x0002_0000);
    assert_eq!(r.r[3], 0xaabb_aaaa);
}

#[test]
fn saturation_is_sticky() {
    // ssat r0, #8, r1; ssat r2, #8, r3; mrs r4, apsr
    let code = [0xf301, 0x0007, 0xf303, 0x0207, 0xf3ef, 0x8400];
    let r = execute(&code, &[(1, 1000), (3, 5)], 3);
    assert_eq!((r.r[0], r.r[2], r.r[4] & 1 << 27), (127, 5, 1 << 27));
}

#[test]
fn halves_are_signed() {
    // smlabt r0, r1, r2, r3
    let r = execute(&[0xfb11, 0x3012], &[(1, 0x1234_ffff), (2, 0x8000_7777), (3, 1)], 1);
    assert_eq!(r.r[0], 0x8001);
    assert_eq!(r.xpsr & 1 << 27, 0);
}

#[test]
fn umaal_cannot_overflow() {
    let all = u32::MAX;
    let r = execute(&[0xfbe2, 0x0163], &[(0, all), (1, all), (2, all), (3, all)], 1); // umaal r0, r1, r2, r3
    assert_eq!((r.r[0], r.r[1]), (all, all));
}

#[test]
fn bfi_leaves_the_rest() {
    let r = execute(&[0xf361, 0x100b], &[(0, u32::MAX), (1, 0)], 1); // bfi r0, r1, #4, #8
    assert_eq!(r.r[0], 0xffff_f00f);
}

#[test]
fn dual_transfers_are_one_word_apart() {
    let mut core = core(&[0xe9c0, 0x1200]); // strd r1, r2, [r0]
    set(&mut core, &[(0, RAM), (1, 0x1111_1111), (2, 0x2222_2222)]);
    steps(&mut core, 1);
    assert_eq!((word(&mut core, RAM), word(&mut core, RAM + 4)), (0x1111_1111, 0x2222_2222));
    // nop; ldrd r1, r2, [pc, #4] off a word boundary: the base is Align(PC, 4)
    let r = execute(&[NOP, 0xe9df, 0x1201, NOP, 1, 2, 3, 4, 5, 6], &[], 2);
    assert_eq!((r.r[1], r.r[2]), (0x0002_0001, 0x0004_0003));
}

#[test]
fn ldrsh_literal_is_a_halfword() {
    let r = execute(&[0xf9bf, 0x1002, 0x1234, 0x8001, 0x5678], &[], 1); // ldrsh.w r1, [pc, #2]
    assert_eq!(r.r[1], 0xffff_8001);
}

#[test]
fn parallel_subtraction_is_rn_minus_rm() {
    // qsub16 r0, r1, r2; qasx r3, r1, r2
    let r = execute(&[0xfad1, 0xf012, 0xfaa1, 0xf312], &[(1, 0x0005_0007), (2, 0x0001_0002)], 2);
    assert_eq!(r.r[0], 0x0004_0005);
    assert_eq!(r.r[3], 0x0007_0006);
}

#[test]
fn multiple_transfers_must_be_aligned() {
    let cases: [&[u16]; 4] = [
        &[0xe890, 0x0006], // ldm r0, {r1, r2}
        &[0xe9c0, 0x1200], // strd r1, r2, [r0]
        &[0xe850, 0x1f00], // ldrex r1, [r0]
        &[0xed90, 0x0a00], // vldr s0, [r0]
    ];
    for code in cases {
        let mut core = with_fpu(code);
        set(&mut core, &[(0, RAM + 2)]);
        assert_eq!(faults(&mut core), 3);
        assert_eq!(word(&mut core, CFSR), 1 << 24);
        // Four bytes are enough, eight are not needed.
        let mut core = with_fpu(code);
        set(&mut core, &[(0, RAM + 4)]);
        steps(&mut core, 1);
        assert_eq!(core.exception(), 0);
    }
}

#[test]
fn unaligned_words_trap_only_when_asked() {
    let code = [0x6801, 0x6041]; // ldr r1, [r0]; str r1, [r0, #4]
    let mut one = core(&code);
    set(&mut one, &[(0, RAM + 1)]);
    steps(&mut one, 2);
    assert_eq!(one.exception(), 0);
    let mut two = core(&code);
    poke(&mut two, CCR, 0x208);
    set(&mut two, &[(0, RAM + 1)]);
    assert_eq!(faults(&mut two), 3);
    assert_eq!(two.last_fault().unwrap().cause, Cause::Unaligned);
    assert_eq!(two.last_fault().unwrap().address, Some(RAM + 1));
}

#[test]
fn division_by_zero_traps_only_when_asked() {
    let code = [0xfbb1, 0xf0f2]; // udiv r0, r1, r2
    assert_eq!(execute(&code, &[(0, 7), (1, 5), (2, 0)], 1).r[0], 0);
    let mut core = core(&code);
    poke(&mut core, CCR, 0x210);
    set(&mut core, &[(2, 0)]);
    assert_eq!(faults(&mut core), 3);
    assert_eq!(word(&mut core, CFSR), 1 << 25);
}

#[test]
fn basepri_max_only_tightens() {
    // msr basepri_max, r0; mrs r1, basepri
    let mut core = core(&[0xf380, 0x8812, 0xf3ef, 0x8111]);
    for (write, expected) in [(0x80, 0x80), (0xc0, 0x80), (0x40, 0x40), (0, 0x40)] {
        set(&mut core, &[(0, write), (15, MAIN)]);
        steps(&mut core, 2);
        assert_eq!(core.register(1), expected);
    }
}

#[test]
fn priorities_are_bytes_of_four_bits() {
    let mut core = core(&[0x7001, NOP]); // strb r1, [r0]
    set(&mut core, &[(0, NVIC_IPR + 2), (1, 0xff)]);
    steps(&mut core, 1);
    assert_eq!(word(&mut core, NVIC_IPR), 0x00f0_0000);
    set(&mut core, &[(0, 0xe000_ed23), (1, 0x5f), (15, MAIN)]);
    steps(&mut core, 1);
    assert_eq!(word(&mut core, 0xe000_ed20), 0x5000_0000);
}

#[test]
fn rettobase_is_set_while_one_exception_is_active() {
    let mut core = core(&[NOP, NOP]);
    poke(&mut core, NVIC_ISER, 3);
    poke(&mut core, NVIC_IPR, 0x40_80); // line 0 at 0x80, line 1 at 0x40
    core.pend(0);
    steps(&mut core, 1);
    assert_eq!(core.exception(), 16);
    assert_eq!(word(&mut core, ICSR) & 1 << 11, 1 << 11);
    core.pend(1);
    steps(&mut core, 1);
    assert_eq!(core.exception(), 17);
    assert_eq!(word(&mut core, ICSR) & 1 << 11, 0);
    assert_eq!(core.register(14), 0xffff_fff1);
}

#[test]
fn returns_chain_without_unstacking() {
    let mut core = core(&[NOP, NOP]);
    poke(&mut core, NVIC_ISER, 3);
    core.pend(0);
    steps(&mut core, 1);
    let (sp, before) = (core.register(13), core.cycles());
    core.pend(1);
    steps(&mut core, 1);
    assert_eq!((core.exception(), core.register(13), core.register(14)), (17, sp, 0xffff_fff9));
    assert_eq!(core.cycles() - before, 7, "BX and six cycles");
    steps(&mut core, 1);
    assert_eq!((core.exception(), core.pc(), core.register(13)), (0, MAIN, TOP));
}

#[test]
fn exception_takes_twelve_cycles_and_ten_back() {
    let mut core = core(&[NOP, NOP]);
    poke(&mut core, NVIC_ISER, 1);
    core.pend(0);
    let start = core.cycles();
    steps(&mut core, 1);
    assert_eq!(core.cycles() - start, 12);
    steps(&mut core, 1);
    assert_eq!(core.cycles() - start, 12 + 1 + 10);
}

#[test]
fn exc_return_is_an_address_in_thread_mode() {
    let mut core = core(&[RETURN]);
    set(&mut core, &[(14, 0xffff_fff9)]);
    assert_eq!(faults(&mut core), 3);
    assert_eq!(word(&mut core, CFSR), 1, "IACCVIOL");
    // and PC popped in handler mode returns
    let mut core = self::core(&[NOP, NOP]);
    put(&mut core, handler(16), &[0xb500, 0xbd00]); // push {lr}; pop {pc}
    poke(&mut core, NVIC_ISER, 1);
    core.pend(0);
    steps(&mut core, 3);
    assert_eq!((core.exception(), core.pc(), core.register(13)), (0, MAIN, TOP));
}

#[test]
fn a_wrong_exc_return_faults() {
    let mut core = core(&[NOP, NOP]);
    poke(&mut core, NVIC_ISER, 1);
    core.pend(0);
    steps(&mut core, 1);
    set(&mut core, &[(14, 0xffff_fff1)]); // to handler mode, but there is none
    steps(&mut core, 1);
    assert_eq!(core.exception(), 3);
    assert_eq!(word(&mut core, CFSR), 1 << 18);
}

#[test]
fn the_frame_is_aligned_and_bit_9_says_so() {
    let mut core = core(&[NOP, NOP]);
    set(&mut core, &[(13, TOP - 4)]);
    poke(&mut core, NVIC_ISER, 1);
    core.pend(0);
    steps(&mut core, 1);
    assert_eq!(core.register(13), TOP - 8 - 32);
    assert_eq!(word(&mut core, TOP - 8 - 4) & 1 << 9, 1 << 9);
    assert_eq!(core.registers().xpsr & 0x1ff, 16);
    steps(&mut core, 1);
    assert_eq!(core.register(13), TOP - 4);
    assert_eq!(core.registers().xpsr & 1 << 9, 0);
}

#[test]
fn fp_frames_are_lazy() {
    // vadd.f32 s0, s1, s2; nop; handler: vmov.f32 s0, #1.0; bx lr
    let mut core = with_fpu(&[0xee30, 0x0a81, NOP, NOP]);
    put(&mut core, handler(16), &[0xeeb7, 0x0a00, RETURN]);
    poke(&mut core, NVIC_ISER, 1);
    let mut registers = core.registers();
    registers.s[1] = 0x4000_0000;
    registers.s[2] = 0x4040_0000;
    core.set_registers(&registers);
    steps(&mut core, 1);
    assert_eq!(core.registers().s[0], 0x40a0_0000);
    assert_eq!(core.registers().control & 4, 4, "FPCA");
    let start = core.cycles();
    core.pend(0);
    steps(&mut core, 1);
    assert_eq!(core.cycles() - start, 12, "nothing is stored yet");
    assert_eq!(core.register(13), TOP - 0x68);
    assert_eq!(core.register(14), 0xffff_ffe9);
    assert_eq!(core.registers().control & 4, 0);
    assert_eq!(word(&mut core, FPCCR) & 1, 1, "LSPACT");
    let place = word(&mut core, FPCAR);
    assert_eq!(place, TOP - 0x68 + 0x20);
    assert_eq!(word(&mut core, place), 0);
    steps(&mut core, 1);
    assert_eq!(word(&mut core, FPCCR) & 1, 0);
    assert_eq!(word(&mut core, place), 0x40a0_0000, "now it is");
    assert_eq!(core.registers().s[0], 0x3f80_0000);
    steps(&mut core, 1);
    assert_eq!(core.registers().s[0], 0x40a0_0000);
    assert_eq!(core.register(13), TOP);
}

#[test]
fn fp_frame_unused_is_not_read_back() {
    let mut core = with_fpu(&[0xee30, 0x0a81, NOP, NOP]);
    poke(&mut core, NVIC_ISER, 1);
    steps(&mut core, 1);
    let mut registers = core.registers();
    registers.s[0] = 0x1234_5678;
    core.set_registers(&registers);
    core.pend(0);
    steps(&mut core, 2);
    assert_eq!(core.registers().s[0], 0x1234_5678);
    assert_eq!(word(&mut core, FPCCR) & 1, 0);
    assert_eq!(core.registers().control & 4, 4);
}

#[test]
fn fp_is_off_after_reset() {
    let mut core = core(&[NOP, 0xee30, 0x0a81]);
    poke(&mut core, SHCSR, 1 << 18);
    assert_eq!(faults(&mut core), 6);
    assert_eq!(word(&mut core, CFSR), 1 << 19);
    assert_eq!(word(&mut core, TOP - 8), MAIN + 2, "the frame has the instruction's address");
    let fault = core.last_fault().unwrap();
    assert_eq!((fault.class, fault.escalated), (FaultClass::Usage, false));
}

#[test]
fn fpv5_instructions_are_undefined() {
    // vsel, vmaxnm, vcvta, vrintr, vadd.f64
    for (first, second) in
        [(0xfe00, 0x0a81), (0xfe80, 0x0a81), (0xfebc, 0x0a41), (0xeeb6, 0x0a41), (0xee30, 0x0b01)]
    {
        let mut core = with_fpu(&[first, second]);
        assert_eq!(faults(&mut core), 3);
        assert_eq!(word(&mut core, CFSR), 1 << 16);
    }
}

#[test]
fn status_registers_are_cleared_by_ones() {
    let mut core = core(&[0xde00]);
    assert_eq!(faults(&mut core), 3);
    assert_eq!(word(&mut core, HFSR), 1 << 30);
    poke(&mut core, CFSR, 0);
    assert_eq!(word(&mut core, CFSR), 1 << 16);
    poke(&mut core, CFSR, 1 << 16);
    poke(&mut core, HFSR, 1 << 30);
    assert_eq!((word(&mut core, CFSR), word(&mut core, HFSR)), (0, 0));
}

#[test]
fn loads_fault_precisely_and_stores_do_not() {
    let mut one = core(&[NOP, 0x6801, NOP]); // ldr r1, [r0]
    set(&mut one, &[(0, NOWHERE)]);
    assert_eq!(faults(&mut one), 3);
    assert_eq!(word(&mut one, CFSR), 1 << 9 | 1 << 15);
    assert_eq!(word(&mut one, BFAR), NOWHERE);
    assert_eq!(word(&mut one, TOP - 8), MAIN + 2);
    let mut two = core(&[NOP, 0x6001, NOP, NOP]); // str r1, [r0]
    set(&mut two, &[(0, NOWHERE)]);
    assert_eq!(faults(&mut two), 3);
    assert_eq!(word(&mut two, CFSR), 1 << 10, "no BFAR");
    assert_eq!(word(&mut two, TOP - 8), MAIN + 4, "the store is over");
}

#[test]
fn a_fault_in_hard_fault_locks_up() {
    let mut core = core(&[0xde00]);
    put(&mut core, handler(3), &[0xde00]);
    let stop = core.run(Limit::cycles(1000));
    assert!(matches!(stop, Stop::Lockup(f) if f.pc == handler(3)), "{stop:?}");
    assert_eq!(core.pc(), 0xffff_fffe);
    assert!(matches!(core.run(Limit::cycles(2000)), Stop::Lockup(_)), "and stays so");
}

#[test]
fn bit_band_reads_and_writes_the_word() {
    let mut core = core(&[0x6001, 0x6802]); // str r1, [r0]; ldr r2, [r0]
    core.bus.value = 0x0000_00f0;
    set(&mut core, &[(0, 0x4200_0000 + 4 * 8), (1, 1)]);
    steps(&mut core, 2);
    assert_eq!(core.bus.value, 0x0000_01f0);
    assert_eq!(core.register(2), 1);
    assert_eq!(
        core.bus.accesses[..2],
        [(PERIPHERAL, Size::Word, None), (PERIPHERAL, Size::Word, Some(0x1f0))]
    );
    set(&mut core, &[(0, 0x2200_0000 + 32 * 0x100 + 4 * 3), (1, 1), (15, MAIN)]);
    steps(&mut core, 1);
    assert_eq!(word(&mut core, RAM + 0x100), 8);
}

#[test]
fn peripherals_see_the_size_of_the_access() {
    let mut core = core(&[0x8041]); // strh r1, [r0, #2]
    set(&mut core, &[(0, PERIPHERAL + 0x18), (1, 0xabcd)]);
    steps(&mut core, 1);
    let (address, size, value) = core.bus.accesses[0];
    assert_eq!((address, size, value.map(|v| v & 0xffff)), (PERIPHERAL + 0x1a, Size::Half, Some(0xabcd)));
}

#[test]
fn systick_runs_in_sleep_and_cyccnt_does_not() {
    let mut core = core(&[0xbf30, NOP, NOP]); // wfi
    put(&mut core, handler(15), &[RETURN]);
    poke(&mut core, 0xe000_edfc, 1 << 24);
    poke(&mut core, 0xe000_1000, 1);
    poke(&mut core, 0xe000_e014, 999);
    poke(&mut core, 0xe000_e010, 7);
    let (cycles, count) = (core.cycles(), load(&mut core, 0xe000_1004));
    steps(&mut core, 2);
    assert_eq!(core.exception(), 15);
    assert!(core.cycles() - cycles > 900);
    let counted = word(&mut core, 0xe000_1004).wrapping_sub(count);
    assert!(counted < 40, "{counted}");
}

#[test]
fn sleeping_for_ever_is_said() {
    let mut core = core(&[0xbf30, NOP]);
    assert_eq!(core.run(Limit::cycles(1_000_000)), Stop::Sleeping);
}

#[test]
fn cyccnt_counts_cycles() {
    // ldr r4, [r5]; nop; nop; nop; ldr r6, [r5]
    let mut core = core(&[0x682c, NOP, NOP, NOP, 0x682e]);
    poke(&mut core, 0xe000_edfc, 1 << 24);
    poke(&mut core, 0xe000_1000, 1);
    set(&mut core, &[(5, 0xe000_1004)]);
    let Stop::Limit = core.run(Limit { instructions: core.instructions() + 5, ..Limit::NONE }) else {
        panic!()
    };
    // Two cycles for the load, one of which absorbs the first NOP.
    assert_eq!(core.register(6) - core.register(4), 4);
}

#[test]
fn memory_that_is_not_executable_is_not_executed() {
    let mut core = core(&[0x4700]); // bx r0
    set(&mut core, &[(0, 0x1000_0001)]);
    assert_eq!(faults(&mut core), 3);
    assert_eq!(word(&mut core, CFSR), 1 << 8, "IBUSERR");
    let mut core = self::core(&[0x4700]);
    set(&mut core, &[(0, PERIPHERAL | 1)]);
    assert_eq!(faults(&mut core), 3);
    assert_eq!(word(&mut core, CFSR), 1, "IACCVIOL");
    let mut core = self::core(&[0x4700]);
    set(&mut core, &[(0, MAIN)]);
    assert_eq!(faults(&mut core), 3);
    assert_eq!(word(&mut core, CFSR), 1 << 17, "INVSTATE");
}

#[test]
fn code_written_while_running_is_executed() {
    // movs r2, #1 is replaced by movs r2, #2: strh r1, [r0]; isb; movs r2, #1
    let mut core = core(&[0x8001, 0xf3bf, 0x8f6f, 0x2201, 0xe7fe]);
    core.run(Limit { instructions: 0, ..Limit::NONE });
    set(&mut core, &[(0, MAIN + 6), (1, 0x2202)]);
    core.run(Limit::cycles(core.cycles() + 50));
    assert_eq!(core.register(2), 2);
    // by a loader, too
    put(&mut core, MAIN + 6, &[0x2203]);
    set(&mut core, &[(15, MAIN + 6)]);
    core.run(Limit::cycles(core.cycles() + 50));
    assert_eq!(core.register(2), 3);
}

#[test]
fn the_mpu_guards() {
    // str r1, [r0] to a region that is read-only
    let mut core = core(&[NOP, 0x6001, NOP]);
    poke(&mut core, 0xe000_ed98, 0);
    poke(&mut core, 0xe000_ed9c, RAM);
    poke(&mut core, 0xe000_eda0, 6 << 24 | 9 << 1 | 1); // 1 KB, read-only
    poke(&mut core, 0xe000_ed94, 5); // on, with the default map behind it
    poke(&mut core, SHCSR, 1 << 16);
    set(&mut core, &[(0, RAM + 0x3fc), (1, 1)]);
    assert_eq!(faults(&mut core), 4);
    assert_eq!(word(&mut core, CFSR), 1 << 1 | 1 << 7);
    assert_eq!(word(&mut core, 0xe000_ed34), RAM + 0x3fc);
    assert_eq!(word(&mut core, RAM + 0x3fc), 0);
    assert_eq!(core.last_fault().unwrap().pc, MAIN + 2);
}

#[test]
fn svc_and_its_escalation() {
    let mut core = core(&[0xdf05, NOP]);
    steps(&mut core, 1);
    assert_eq!((core.exception(), word(&mut core, TOP - 8)), (11, MAIN + 2));
    let mut core = self::core(&[0xb672, 0xdf05, NOP]); // cpsid i; svc
    steps(&mut core, 2);
    assert_eq!(core.exception(), 3);
    assert_eq!(word(&mut core, HFSR), 1 << 30);
}

#[test]
fn breakpoints_watchpoints_and_bkpt() {
    let mut core = core(&[NOP, NOP, 0x6001, NOP, 0xbeab, 0xe7fe]); // str r1, [r0]; bkpt 0xab; b .
    set(&mut core, &[(0, RAM)]);
    core.add_breakpoint(MAIN + 2);
    core.add_watchpoint(RAM, 4, false, true);
    assert_eq!(core.run(Limit::NONE), Stop::Breakpoint);
    assert_eq!(core.pc(), MAIN + 2);
    assert_eq!(core.run(Limit::NONE), Stop::Watchpoint { address: RAM, write: true });
    assert_eq!(core.pc(), MAIN + 6);
    assert_eq!(core.run(Limit::NONE), Stop::Bkpt(0xab));
    core.skip_bkpt();
    assert_eq!(core.pc(), MAIN + 10);
    set(&mut core, &[(15, MAIN + 8)]);
    assert_eq!(core.run(Limit::NONE), Stop::Bkpt(0xab));
    assert_eq!(core.take_bkpt(), None);
    assert_eq!(core.exception(), 3);
    assert_eq!(word(&mut core, HFSR), 1 << 31);
}

#[test]
fn the_depth_of_the_stack_is_known() {
    let mut core = core(&[0xb500, 0xb084, 0xb004, 0xbd00]); // push {lr}; sub sp, #16; add sp, #16; pop {pc}
    set(&mut core, &[(14, MAIN | 1)]);
    core.reset_stack_watch();
    steps(&mut core, 4);
    assert_eq!(core.main_stack().lowest, TOP - 20);
    core.set_main_stack_limit(TOP - 16);
    core.reset_stack_watch();
    assert_eq!(core.run(Limit::cycles(core.cycles() + 1000)), Stop::StackLimit { sp: TOP - 20 });
    assert_eq!(core.pc(), MAIN + 4);
}
