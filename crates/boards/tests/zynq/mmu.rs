// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Translation by pages: what a program sees through them, and how they fault.

use pqsoc_armv7::a9::FaultKind;
use pqsoc_boards::Board;
use pqsoc_boards::zynq7000::{End, Limits, Options, Zynq7000};

use crate::asm::*;

/// A megabyte that is translated by pages, and their table.
const PAGED: u32 = 0x3000_0000;
const PAGES: u32 = DATA + 0x20_0000;
const TARGET: u32 = DATA + 0x30_0000;
/// Write-back, write-allocate, shared: TEX, C, B and S of a small and of a large page.
const SMALL: u32 = 2 | 1 << 10 | 0b101 << 6 | 1 << 2;
const LARGE: u32 = 1 | 1 << 10 | 0b101 << 12 | 1 << 2;
/// AP[1:0]: everybody; privileged alone; AP[2]: nobody writes.
const EVERYBODY: u32 = 0b11 << 4;
const PRIVILEGED: u32 = 0b01 << 4;
const READ_ONLY: u32 = 1 << 9;
const NEVER: u32 = 1;

/// The board with a table of pages for [`PAGED`] in domain 1: `entries` are their numbers and descriptors.
fn board(asm: &Asm, entries: &[(u32, u32)]) -> Zynq7000 {
    let mut board = asm.board(Options::default());
    map(&mut board, PAGED, PAGES | 1 << 5 | 1);
    for &(page, descriptor) in entries {
        assert!(board.soc().set_memory(PAGES + 4 * page, &descriptor.to_le_bytes()));
    }
    board
}

fn run(board: &mut Zynq7000) -> End {
    board.stop_at_faults(true);
    board.run(&Limits { cycles: Some(1_000_000), wall: None })
}

/// The program with clients in domain 1, whose permissions are looked at; managers elsewhere.
fn start() -> Asm {
    let mut asm = Asm::start();
    asm.set(0, !(0b10 << 2)).mcr((3, 0, 0, 0), 0).mcr((8, 0, 7, 0), 0).dsb().op(0xf57f_f06f);
    asm
}

/// The fault of an access, if it faults: kind, address, FS with the direction, domain.
fn fault(asm: &Asm, entries: &[(u32, u32)]) -> Option<(FaultKind, Option<u32>, u32, u32)> {
    let mut board = board(asm, entries);
    match run(&mut board) {
        End::Exit(0) => None,
        End::Fault => {
            let fault = board.core().last_fault().unwrap();
            Some((fault.kind, fault.address, fault.status & 0xc0f, fault.status >> 4 & 15))
        }
        end => panic!("{end:?}"),
    }
}

#[test]
fn small_pages_translate_4_kb_each() {
    let mut asm = start();
    asm.poke(PAGED + 0x1ffc, 0x1111).poke(PAGED + 0x2000, 0x2222).clean(false, PAGED + 0x1fe0, 64);
    asm.peek(6, PAGED + 0x1ffc).peek(7, PAGED + 0x2000).exit();
    // Next to each other and not in order
    let entries = [(1, (TARGET + 0x5000) | SMALL | EVERYBODY), (2, (TARGET + 0x3000) | SMALL | EVERYBODY)];
    let mut board = board(&asm, &entries);
    assert_eq!(run(&mut board), End::Exit(0));
    assert_eq!([board.core().register(6), board.core().register(7)], [0x1111, 0x2222]);
    assert_eq!([memory(&mut board, TARGET + 0x5ffc), memory(&mut board, TARGET + 0x3000)], [0x1111, 0x2222]);
    assert_eq!(seen(&mut board, PAGED + 0x1ffc), 0x1111, "the debugger looks through the same pages");
}

#[test]
fn large_pages_translate_64_kb_each() {
    let mut asm = start();
    asm.poke(PAGED + 0x1_0000, 0x1111).poke(PAGED + 0x1_fffc, 0x2222);
    asm.clean(false, PAGED + 0x1_0000, 4).clean(false, PAGED + 0x1_fffc, 4).exit();
    // The same descriptor sixteen times
    let entries: Vec<_> = (16..32).map(|page| (page, (TARGET + 0x4_0000) | LARGE | EVERYBODY)).collect();
    let mut board = board(&asm, &entries);
    assert_eq!(run(&mut board), End::Exit(0));
    assert_eq!(
        [memory(&mut board, TARGET + 0x4_0000), memory(&mut board, TARGET + 0x4_fffc)],
        [0x1111, 0x2222]
    );
}

#[test]
fn pages_fault_with_codes_of_their_own() {
    let page = TARGET | SMALL;
    let mut store = start();
    store.poke(PAGED + 0x1004, 1).exit();
    let mut load = start();
    load.peek(6, PAGED + 0x1004).exit();
    let data = |status| Some((FaultKind::Data, Some(PAGED + 0x1004), status, 1));
    // Nothing there, and nobody may; a store says so
    assert_eq!(fault(&load, &[]), data(0x007));
    assert_eq!(fault(&store, &[]), data(0x807));
    assert_eq!(fault(&load, &[(1, page)]), data(0x00f));
    assert_eq!(fault(&load, &[(1, page | EVERYBODY)]), None);
    assert_eq!(fault(&store, &[(1, page | EVERYBODY)]), None);
    assert_eq!(fault(&load, &[(1, page | PRIVILEGED | READ_ONLY)]), None);
    assert_eq!(fault(&store, &[(1, page | PRIVILEGED | READ_ONLY)]), data(0x80f));
    // In User mode (cps #0x10)
    for (access, status) in [(0xe59b_6000, 0x00f), (0xe58b_6000, 0x80f)] {
        let mut user = start();
        user.set(11, PAGED + 0x1004).op(0xf102_0010).op(access);
        assert_eq!(fault(&user, &[(1, page | PRIVILEGED)]), data(status));
    }
    // A domain without access, and a jump to a page that is not executed from
    let mut closed = start();
    closed.set(0, !(0b11 << 2)).mcr((3, 0, 0, 0), 0).op(0xf57f_f06f).peek(6, PAGED + 0x1004).exit();
    assert_eq!(fault(&closed, &[(1, page | EVERYBODY)]), data(0x00b));
    let mut jump = start();
    jump.set(5, PAGED + 0x1004).op(0xe12f_ff35);
    let stopped = fault(&jump, &[(1, page | EVERYBODY | NEVER)]).unwrap();
    assert_eq!((stopped.0, stopped.2 & 0x40f), (FaultKind::Prefetch, 0x00f));
}

#[test]
fn a_changed_page_is_the_old_one_until_the_tlb_is_told() {
    for (told, expected) in [(false, 0x1111), (true, 0x2222)] {
        let mut asm = start();
        asm.poke(TARGET, 0x1111).poke(TARGET + 0x1000, 0x2222).clean(false, TARGET, 4).clean(
            false,
            TARGET + 0x1000,
            4,
        );
        asm.peek(5, PAGED + 0x1000);
        asm.poke(PAGES + 4, (TARGET + 0x1000) | SMALL | EVERYBODY).clean(false, PAGES + 4, 4);
        if told {
            // TLBIMVA
            asm.set(0, PAGED + 0x1000).mcr((8, 0, 7, 1), 0).dsb().op(0xf57f_f06f);
        }
        asm.peek(6, PAGED + 0x1000).exit();
        let mut board = board(&asm, &[(1, TARGET | SMALL | EVERYBODY)]);
        assert_eq!(run(&mut board), End::Exit(0));
        assert_eq!([board.core().register(5), board.core().register(6)], [0x1111, expected]);
    }
}
