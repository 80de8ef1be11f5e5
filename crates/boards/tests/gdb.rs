// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The gdb server, spoken to in gdb's protocol.
#![allow(clippy::duplicate_mod)] // the programs of both boards are ELF files

mod common;
#[path = "zynq/asm.rs"]
mod zynq;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::sync::mpsc;
use std::thread;

use common::{Asm, BSS, RETURN};
use pqsoc_boards::gdb;
use pqsoc_boards::stm32f407::{End, Options};

struct Client(TcpStream);

impl Client {
    /// Sends a packet and returns the answer.
    fn ask(&mut self, packet: &str) -> String {
        let sum = packet.bytes().fold(0u8, u8::wrapping_add);
        write!(self.0, "${packet}#{sum:02x}").unwrap();
        let mut answer = Vec::new();
        let mut byte = [0];
        loop {
            self.0.read_exact(&mut byte).unwrap();
            match byte[0] {
                b'+' | b'$' if answer.is_empty() => {}
                b'#' => break,
                // The last character again, 29 times less than the code of the next one
                b'*' => {
                    self.0.read_exact(&mut byte).unwrap();
                    let last = *answer.last().unwrap();
                    answer.resize(answer.len() + usize::from(byte[0]) - 29, last);
                }
                b => answer.push(b),
            }
        }
        self.0.read_exact(&mut [0; 2]).unwrap();
        self.0.write_all(b"+").unwrap();
        String::from_utf8(answer).unwrap()
    }

    /// Register `n` of the answer to "g".
    fn register(&mut self, n: usize) -> u32 {
        let all = self.ask("g");
        u32::from_str_radix(&all[8 * n..8 * n + 8], 16).unwrap().swap_bytes()
    }
}

#[test]
fn breaks_steps_reads_writes_and_watches() {
    let (port, listening) = mpsc::channel();
    let server = thread::spawn(move || {
        let mut asm = Asm::new();
        asm.set(4, 0x42).call("work").poke(BSS + 8, 9).exit(33);
        asm.function("work").op(&[0x2001, 0x3001, RETURN]);
        let (mut board, _) = asm.board(Options::default());
        let work = board.program().symbols.function("work").unwrap().address;
        let end = gdb::serve(&mut board, 0, |p| port.send((p, work)).unwrap()).unwrap();
        (end, board.core().memory.region(BSS).is_some())
    });
    let (port, work) = listening.recv().unwrap();
    let mut gdb = Client(TcpStream::connect(("127.0.0.1", port)).unwrap());

    assert!(gdb.ask("qSupported:swbreak+;hwbreak+").contains("qXfer:features:read+"));
    assert!(gdb.ask("qXfer:features:read:target.xml:0,ffb").contains("org.gnu.gdb.arm.m-profile"));
    assert!(gdb.ask("?").starts_with("S05") || gdb.ask("?").starts_with("T05"));
    assert_eq!(gdb.ask(&format!("Z0,{work:x},2")), "OK");
    assert!(gdb.ask("c").contains("swbreak"));
    assert_eq!((gdb.register(15), gdb.register(4)), (work, 0x42));
    assert!(gdb.ask("s").starts_with('S') || gdb.ask("?").starts_with('T'));
    assert_eq!((gdb.register(15), gdb.register(0)), (work + 2, 1));
    assert_eq!(gdb.ask(&format!("M{BSS:x},4:11223344")), "OK");
    assert_eq!(gdb.ask(&format!("m{BSS:x},4")), "11223344");
    assert!(gdb.ask("m30000000,4").starts_with('E'));
    assert_eq!(gdb.ask(&format!("z0,{work:x},2")), "OK");
    assert_eq!(gdb.ask(&format!("Z2,{:x},4", BSS + 8)), "OK");
    assert!(gdb.ask("c").contains(&format!("watch:{:x}", BSS + 8)));
    assert_eq!(gdb.ask(&format!("m{:x},4", BSS + 8)), "09000000");
    assert_eq!(gdb.ask(&format!("z2,{:x},4", BSS + 8)), "OK");
    assert_eq!(gdb.ask("c"), "W21", "exit code 33");
    drop(gdb);
    assert_eq!(server.join().unwrap(), (Some(End::Exit(33)), true));
}

#[test]
fn the_zedboard_too() {
    let (port, listening) = mpsc::channel();
    let server = thread::spawn(move || {
        let mut asm = zynq::Asm::start_with_l2();
        // CPACR and FPEXC, D17 = R4:R5
        asm.set(0, 0x00f0_0000).mcr((1, 0, 0, 2), 0).set(0, 0x4000_0000).op(0xeee8_0a10);
        asm.set(4, 0x42).set(5, 0x43).op(0xec45_4b31);
        let work = asm.here();
        asm.set(0, 1).poke(zynq::DATA, 9).exit();
        let mut board = asm.board(pqsoc_boards::zynq7000::Options::default());
        gdb::serve(&mut board, 0, |p| port.send((p, work)).unwrap()).unwrap()
    });
    let (port, work) = listening.recv().unwrap();
    let mut gdb = Client(TcpStream::connect(("127.0.0.1", port)).unwrap());

    assert!(gdb.ask("qSupported:swbreak+;hwbreak+").contains("qXfer:features:read+"));
    let description = gdb.ask("qXfer:features:read:target.xml:0,fff");
    assert!(description.contains("org.gnu.gdb.arm.core") && description.contains("\"d31\""), "{description}");
    assert_eq!(gdb.ask(&format!("Z0,{work:x},4")), "OK");
    assert!(gdb.ask("c").contains("swbreak"));
    assert_eq!((gdb.register(15), gdb.register(4)), (work, 0x42));
    // D0 is behind CPSR.
    assert_eq!((gdb.register(17 + 34), gdb.register(18 + 34)), (0x42, 0x43), "D17");
    assert!(gdb.ask("s").starts_with('S') || gdb.ask("?").starts_with('T'));
    assert_eq!((gdb.register(15), gdb.register(0)), (work + 4, 1));
    let data = zynq::DATA;
    assert_eq!(gdb.ask(&format!("M{:x},4:11223344", data + 8)), "OK");
    assert_eq!(gdb.ask(&format!("m{:x},4", data + 8)), "11223344");
    assert!(gdb.ask("m30000000,4").starts_with('E'), "nothing is mapped there");
    assert_eq!(gdb.ask(&format!("Z2,{data:x},4")), "OK");
    let stopped = gdb.ask("c");
    assert!(stopped.contains(&format!("watch:{data:08x}")), "{stopped}");
    assert_eq!(gdb.ask(&format!("m{data:x},4")), "09000000", "what level 1 holds, not what memory does");
    assert_eq!(gdb.ask(&format!("z2,{data:x},4")), "OK");
    assert_eq!(gdb.ask("c"), "W00");
    drop(gdb);
    assert_eq!(server.join().unwrap(), Some(End::Exit(0)));
}

/// What gdb-multiarch prints for these commands; PQSOC_GDB names another gdb. Without one there is nothing to test.
fn gdb_session(asm: Asm, commands: &[&str]) -> Option<(String, Option<End>)> {
    let named = std::env::var_os("PQSOC_GDB");
    let gdb = named.clone().unwrap_or("gdb-multiarch".into());
    if Command::new(&gdb).arg("--version").output().is_err() {
        assert!(named.is_none(), "{}: not there", gdb.display());
        println!("skipped: no gdb-multiarch");
        return None;
    }
    let elf = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(elf.path(), asm.elf()).unwrap();
    let (port, listening) = mpsc::channel();
    let server = thread::spawn(move || {
        let (mut board, _) = asm.board(Options::default());
        gdb::serve(&mut board, 0, |p| port.send(p).unwrap()).unwrap()
    });
    let port = listening.recv().unwrap();
    let mut session = Command::new(gdb);
    session.args(["-nx", "-batch", "-ex"]).arg(format!("target remote 127.0.0.1:{port}"));
    for command in commands {
        session.args(["-ex", command]);
    }
    let output = session.arg(elf.path()).output().unwrap();
    let text =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    Some((text, server.join().unwrap()))
}

#[test]
fn a_session_of_gdb() {
    let mut asm = Asm::new();
    asm.call("outer").poke(BSS + 8, 9).exit(33);
    // PUSH {R4, LR}; BL leaf; POP {R4, PC}
    asm.function("outer").op(&[0xb510]).call("leaf").op(&[0xbd10]);
    // MOVS R0, #1; ADDS R0, #1; BX LR
    asm.function("leaf").op(&[0x2001, 0x3001, RETURN]);
    let Some((text, end)) = gdb_session(
        asm,
        &[
            "break leaf",
            "continue",
            "backtrace",
            "stepi",
            "print $r0",
            "print/x $control",
            "print $s3",
            "set {int} 0x20000000 = 0x1234",
            "print/x *(int *) 0x20000000",
            "print/x *(int *) 0x30000000",
            "delete",
            "watch *(int *) 0x20000008",
            "continue",
            "print *(int *) 0x20000008",
            "monitor cycles",
            "monitor reset",
            "maintenance flush register-cache",
            "print $pc",
            "delete",
            "tbreak outer",
            "continue",
            "set $r4 = 77",
            "print $r4",
            "continue",
        ],
    ) else {
        return;
    };
    let mut rest = text.as_str();
    for expected in [
        "Breakpoint 1, 0x",
        " in leaf ()",
        "#0  0x",
        "#1  0x",
        " in outer ()",
        "#2  0x",
        " in reset ()",
        // gdb takes the first MOVS for a prologue and breaks behind it.
        "$1 = 2",
        "$2 = 0x0",
        "$3 = 0",
        "$4 = 0x1234",
        "atchpoint 2: *(int *) 0x20000008",
        "New value = 9",
        "$5 = 9",
        "<reset>",
        "Temporary breakpoint 3, 0x",
        " in outer ()",
        "$7 = 77",
        "exited with code 041",
    ] {
        let Some(at) = rest.find(expected) else { panic!("no {expected:?} in {rest}\n\nof\n{text}") };
        rest = &rest[at + expected.len()..];
    }
    // These two are on standard error.
    assert!(text.contains("Cannot access memory at address 0x30000000"), "{text}");
    assert!(text.contains("reset; the next instruction is at 0x080"), "{text}");
    assert_eq!(end, Some(End::Exit(33)));
}
