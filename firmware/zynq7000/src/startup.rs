// SPDX-License-Identifier: Apache-2.0 OR MIT

//! From reset to `main`.
//!
//! The order is that of UG585 and of the Cortex-A9's manual: nothing is cached before it has been invalidated, and the
//! table is in memory before the MMU reads it.

use core::arch::{asm, global_asm};
use core::ptr::{addr_of, addr_of_mut, read_volatile, write_volatile};

const SCU: usize = 0xf8f0_0000;
const TIMER: usize = 0xf8f0_0200;
const PL310: usize = 0xf8f0_2000;
const SLCR: usize = 0xf800_0000;

/// Section descriptors: normal memory, write-back, write-allocate, shared; device; on-chip memory, cached in level 1.
const WRITE_BACK: u32 = 0x0001_5de6;
const DEVICE: u32 = 0x0000_0c06;
const ON_CHIP: u32 = 0x0000_4c0e;

/// The translation table: one word a megabyte.
#[repr(C, align(16384))]
struct Table([u32; 4096]);

#[unsafe(link_section = ".table")]
static mut TABLE: Table = Table([0; 4096]);

global_asm!(
    r#"
    .section .vectors, "ax"
    .arm
    .align 5
    .global _vectors
_vectors:
    b _start
    b _undefined
    b _supervisor
    b _prefetch
    b _data
    b .
    b .
    b .

_undefined:
    mov r0, #1
    b _fault
_supervisor:
    mov r0, #2
    b _fault
_prefetch:
    mov r0, #3
    b _fault
_data:
    mov r0, #4
_fault:
    mov r1, lr
    b exception

    .global _start
_start:
    cpsid aif
    @ Level 1: nothing of what power-on left. The data cache is invalidated set by set, way by way.
    mov r0, #0
    mcr p15, 0, r0, c8, c7, 0
    mcr p15, 0, r0, c7, c5, 0
    mcr p15, 0, r0, c7, c5, 6
    mov r1, #0
1:  mov r2, #0
2:  orr r3, r1, r2
    mcr p15, 0, r3, c7, c6, 2
    add r2, r2, #32
    cmp r2, #8192
    blt 2b
    adds r1, r1, #0x40000000
    bne 1b
    dsb
    ldr r0, =_vectors
    mcr p15, 0, r0, c12, c0, 0
    @ Stacks of the modes that faults and interrupts use, then System mode
    ldr r1, =__exception_stack
    cps #0x1b
    mov sp, r1
    cps #0x17
    sub sp, r1, #1024
    cps #0x12
    sub sp, r1, #2048
    cps #0x1f
    ldr sp, =__stack_top
    ldr r0, =__bss_start
    ldr r1, =__bss_end
    mov r2, #0
3:  cmp r0, r1
    strlo r2, [r0], #4
    blo 3b
    @ VFP and Advanced SIMD: compiled code uses their registers
    mrc p15, 0, r0, c1, c0, 2
    orr r0, r0, #0x00f00000
    mcr p15, 0, r0, c1, c0, 2
    isb
    mov r0, #0x40000000
    vmsr fpexc, r0
    bl start
    bl main
    b .
    .ltorg
"#
);

/// MMU, caches and counters.
///
/// # Safety
///
/// Called once, from `_start`, with the MMU and the caches off.
#[unsafe(no_mangle)]
unsafe extern "C" fn start() {
    // SAFETY: nothing else runs, and the addresses are those of the Zynq-7000's registers (UG585).
    unsafe {
        let table = addr_of_mut!(TABLE.0).cast::<u32>();
        for megabyte in 0..4096u32 {
            let attributes = match megabyte {
                0x000..0x200 => WRITE_BACK,
                0x400..0xc00 | 0xe00..0xe30 | 0xf80..0xf90 => DEVICE,
                0xfff => ON_CHIP,
                _ => 0,
            };
            let descriptor = if attributes == 0 { 0 } else { megabyte << 20 | attributes };
            table.add(megabyte as usize).write_volatile(descriptor);
        }
        // The global timer counts, from 0: half the core's clock.
        write_register(TIMER + 8, 0);
        write_register(TIMER, 0);
        write_register(TIMER + 4, 0);
        write_register(TIMER + 8, 1);
        // The SCU keeps level 1 coherent with ACP.
        write_register(SCU + 0x0c, 0xffff);
        write_register(SCU, read_register(SCU) | 1);
        asm!(
            "mcr p15, 0, {ttbr}, c2, c0, 0",
            "mcr p15, 0, {zero}, c2, c0, 2",
            "mcr p15, 0, {all}, c3, c0, 0",
            // ACTLR: SMP, broadcast of maintenance
            "mrc p15, 0, {t}, c1, c0, 1",
            "orr {t}, {t}, #0x41",
            "mcr p15, 0, {t}, c1, c0, 1",
            "dsb",
            "isb",
            // SCTLR: MMU, data cache, branch prediction, instruction cache
            "mrc p15, 0, {t}, c1, c0, 0",
            "orr {t}, {t}, #0x1000",
            "orr {t}, {t}, #0x0800",
            "orr {t}, {t}, #0x0005",
            "mcr p15, 0, {t}, c1, c0, 0",
            "dsb",
            "isb",
            // Cycle counter: on, from 0, every cycle
            "mov {t}, #5",
            "mcr p15, 0, {t}, c9, c12, 0",
            "mov {t}, #0x80000000",
            "mcr p15, 0, {t}, c9, c12, 1",
            ttbr = in(reg) addr_of!(TABLE) as u32 | 0x5b,
            zero = in(reg) 0,
            all = in(reg) u32::MAX,
            t = out(reg) _,
        );
        // Level 2: as UG585 asks for it, 512 KB in ways of 64 KB
        write_register(PL310 + 0x100, 0);
        write_register(PL310 + 0x104, read_register(PL310 + 0x104) | 0x7236_0000);
        write_register(PL310 + 0x108, 0x111);
        write_register(PL310 + 0x10c, 0x121);
        write_register(PL310 + 0x77c, 0xffff);
        while read_register(PL310 + 0x730) != 0 {}
        write_register(PL310 + 0x220, u32::MAX);
        write_register(SLCR + 8, 0xdf0d);
        write_register(SLCR + 0xa1c, 0x0002_0202);
        write_register(SLCR + 4, 0x767b);
        write_register(PL310 + 0x100, 1);
        asm!("dsb", "isb", "cpsie a");
    }
}

/// An exception without a handler: says which and where, and ends the program.
#[unsafe(no_mangle)]
extern "C" fn exception(kind: u32, link: u32) -> ! {
    let name = match kind {
        1 => "undefined instruction",
        2 => "supervisor call",
        3 => "prefetch abort",
        _ => "data abort",
    };
    let mut uart = crate::uart::Uart::console();
    let _ = core::fmt::Write::write_fmt(&mut uart, format_args!("{name}, LR {link:#010x}\n"));
    crate::semihosting::exit(1)
}

/// Core cycles since the start, modulo 2^32.
pub fn cycles() -> u32 {
    let count: u32;
    // SAFETY: reads a counter.
    unsafe { asm!("mrc p15, 0, {}, c9, c13, 0", out(reg) count, options(nomem, nostack)) };
    count
}

unsafe fn read_register(address: usize) -> u32 {
    // SAFETY: the caller names a device register.
    unsafe { read_volatile(address as *const u32) }
}

unsafe fn write_register(address: usize, value: u32) {
    // SAFETY: the caller names a device register.
    unsafe { write_volatile(address as *mut u32, value) }
}
