// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The gdb server, spoken to in gdb's protocol.

mod common;

use std::io::{Read, Write};
use std::net::TcpStream;
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
    assert!(gdb.ask("qXfer:features:read:target.xml:0,ffb").contains("org.gnu.arm.gdb.m-profile"));
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
