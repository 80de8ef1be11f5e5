// SPDX-License-Identifier: Apache-2.0 OR MIT

//! A server for gdb: `target remote :PORT` in gdb-multiarch or arm-none-eabi-gdb.

use std::fmt::Write as _;
use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::Duration;

use gdbstub::arch::{Arch, Registers as GdbRegisters};
use gdbstub::common::Signal;
use gdbstub::conn::ConnectionExt;
use gdbstub::stub::run_blocking::{BlockingEventLoop, Event, WaitForStopReasonError};
use gdbstub::stub::{DisconnectReason, GdbStub, SingleThreadStopReason};
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::base::singlethread::{
    SingleThreadBase, SingleThreadResume, SingleThreadResumeOps, SingleThreadSingleStep,
    SingleThreadSingleStepOps,
};
use gdbstub::target::ext::breakpoints::{
    Breakpoints, BreakpointsOps, HwBreakpoint, HwBreakpointOps, HwWatchpoint, HwWatchpointOps, SwBreakpoint,
    SwBreakpointOps, WatchKind,
};
use gdbstub::target::ext::monitor_cmd::{ConsoleOutput, MonitorCmd, MonitorCmdOps, outputln};
use gdbstub::target::{Target, TargetError, TargetResult};

use crate::stm32f407::{End, Limits, Stm32f407};

/// Cycles between two looks at what gdb says.
const SLICE: u64 = 1_000_000;
/// Rest while the program idles.
const REST: Duration = Duration::from_millis(10);

/// Waits for gdb on `port` of this machine (0 for any free one), and lets it drive the board until it leaves.
/// `listening` is told the port. Returns how the program ended, if it did.
pub fn serve(board: &mut Stm32f407, port: u16, listening: impl FnOnce(u16)) -> io::Result<Option<End>> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    listening(listener.local_addr()?.port());
    let (stream, _) = listener.accept()?;
    stream.set_nodelay(true)?;
    board.stop_at_faults(true);
    let mut debugger = Debugger { board, step: false, ended: None };
    let result = GdbStub::new(stream).run_blocking::<EventLoopFor<'_>>(&mut debugger);
    debugger.board.stop_at_faults(false);
    let ended = debugger.ended;
    match result {
        Ok(DisconnectReason::Disconnect | DisconnectReason::Kill) => Ok(None),
        Ok(DisconnectReason::TargetExited(_) | DisconnectReason::TargetTerminated(_)) => Ok(ended),
        Err(error) => {
            let text = error.to_string();
            match error.into_connection_error() {
                // A debugger that is killed does not say good-bye.
                Some((error, _)) if left(error.kind()) => Ok(ended),
                Some((error, _)) => Err(error),
                None => Err(io::Error::other(text)),
            }
        }
    }
}

/// Does this error mean that the other side has closed the connection?
fn left(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(kind, BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
}

/// Arm's M profile with FPv4-SP as gdb describes it.
enum MProfile {}

/// Registers in the order of the description.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Words {
    /// R0 to R15, XPSR.
    core: [u32; 17],
    /// S0 to S31, which gdb shows as D0 to D15 too.
    fp: [u32; 32],
    /// FPSCR, then MSP, PSP, PRIMASK, BASEPRI, FAULTMASK, CONTROL.
    system: [u32; 7],
}

impl GdbRegisters for Words {
    type ProgramCounter = u32;

    fn pc(&self) -> u32 {
        self.core[15]
    }

    fn gdb_serialize(&self, mut write_byte: impl FnMut(Option<u8>)) {
        for word in self.core.iter().chain(&self.fp).chain(&self.system) {
            word.to_le_bytes().into_iter().for_each(|byte| write_byte(Some(byte)));
        }
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
        let (words, rest) = bytes.as_chunks::<4>();
        let places = self.core.iter_mut().chain(&mut self.fp).chain(&mut self.system);
        if !rest.is_empty() || words.len() < 17 {
            return Err(());
        }
        for (place, word) in places.zip(words) {
            *place = u32::from_le_bytes(*word);
        }
        Ok(())
    }
}

impl Arch for MProfile {
    type Usize = u32;
    type Registers = Words;
    type BreakpointKind = usize;
    type RegId = ();

    fn target_description_xml() -> Option<&'static str> {
        Some(
            r#"<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd"><target version="1.0">
<architecture>arm</architecture>
<feature name="org.gnu.gdb.arm.m-profile">
<reg name="r0" bitsize="32"/><reg name="r1" bitsize="32"/><reg name="r2" bitsize="32"/><reg name="r3" bitsize="32"/>
<reg name="r4" bitsize="32"/><reg name="r5" bitsize="32"/><reg name="r6" bitsize="32"/><reg name="r7" bitsize="32"/>
<reg name="r8" bitsize="32"/><reg name="r9" bitsize="32"/><reg name="r10" bitsize="32"/><reg name="r11" bitsize="32"/>
<reg name="r12" bitsize="32"/><reg name="sp" bitsize="32" type="data_ptr"/><reg name="lr" bitsize="32"/>
<reg name="pc" bitsize="32" type="code_ptr"/><reg name="xpsr" bitsize="32"/>
</feature>
<feature name="org.gnu.gdb.arm.vfp">
<reg name="d0" bitsize="64" type="ieee_double"/><reg name="d1" bitsize="64" type="ieee_double"/>
<reg name="d2" bitsize="64" type="ieee_double"/><reg name="d3" bitsize="64" type="ieee_double"/>
<reg name="d4" bitsize="64" type="ieee_double"/><reg name="d5" bitsize="64" type="ieee_double"/>
<reg name="d6" bitsize="64" type="ieee_double"/><reg name="d7" bitsize="64" type="ieee_double"/>
<reg name="d8" bitsize="64" type="ieee_double"/><reg name="d9" bitsize="64" type="ieee_double"/>
<reg name="d10" bitsize="64" type="ieee_double"/><reg name="d11" bitsize="64" type="ieee_double"/>
<reg name="d12" bitsize="64" type="ieee_double"/><reg name="d13" bitsize="64" type="ieee_double"/>
<reg name="d14" bitsize="64" type="ieee_double"/><reg name="d15" bitsize="64" type="ieee_double"/>
<reg name="fpscr" bitsize="32" type="int" group="float"/>
</feature>
<feature name="org.gnu.gdb.arm.m-system">
<reg name="msp" bitsize="32" type="data_ptr"/><reg name="psp" bitsize="32" type="data_ptr"/>
<reg name="primask" bitsize="32"/><reg name="basepri" bitsize="32"/><reg name="faultmask" bitsize="32"/>
<reg name="control" bitsize="32"/>
</feature>
</target>"#,
        )
    }
}

struct Debugger<'a> {
    board: &'a mut Stm32f407,
    step: bool,
    ended: Option<End>,
}

impl Target for Debugger<'_> {
    type Arch = MProfile;
    type Error = &'static str;

    fn base_ops(&mut self) -> BaseOps<'_, Self::Arch, Self::Error> {
        BaseOps::SingleThread(self)
    }

    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }

    fn support_monitor_cmd(&mut self) -> Option<MonitorCmdOps<'_, Self>> {
        Some(self)
    }
}

impl SingleThreadBase for Debugger<'_> {
    fn read_registers(&mut self, words: &mut Words) -> TargetResult<(), Self> {
        let regs = self.board.core().registers();
        words.core[..16].copy_from_slice(&regs.r);
        words.core[16] = regs.xpsr;
        words.fp = regs.s;
        words.system =
            [regs.fpscr, regs.msp, regs.psp, regs.primask, regs.basepri, regs.faultmask, regs.control];
        Ok(())
    }

    fn write_registers(&mut self, words: &Words) -> TargetResult<(), Self> {
        let mut regs = self.board.core().registers();
        regs.r.copy_from_slice(&words.core[..16]);
        regs.xpsr = words.core[16];
        regs.s = words.fp;
        [regs.fpscr, regs.msp, regs.psp, regs.primask, regs.basepri, regs.faultmask, regs.control] =
            words.system;
        self.board.core().set_registers(&regs);
        Ok(())
    }

    fn read_addrs(&mut self, start: u32, data: &mut [u8]) -> TargetResult<usize, Self> {
        // As much as there is: gdb reads ahead past the end of memory.
        for (i, byte) in data.iter_mut().enumerate() {
            let Some(address) = start.checked_add(i as u32) else { return Ok(i) };
            if self.board.read(address, std::slice::from_mut(byte)).is_err() {
                return if i == 0 { Err(TargetError::NonFatal) } else { Ok(i) };
            }
        }
        Ok(data.len())
    }

    fn write_addrs(&mut self, start: u32, data: &[u8]) -> TargetResult<(), Self> {
        self.board.write(start, data).map_err(|_| TargetError::NonFatal)
    }

    fn support_resume(&mut self) -> Option<SingleThreadResumeOps<'_, Self>> {
        Some(self)
    }
}

impl SingleThreadResume for Debugger<'_> {
    fn resume(&mut self, _signal: Option<Signal>) -> Result<(), Self::Error> {
        self.step = false;
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<SingleThreadSingleStepOps<'_, Self>> {
        Some(self)
    }
}

impl SingleThreadSingleStep for Debugger<'_> {
    fn step(&mut self, _signal: Option<Signal>) -> Result<(), Self::Error> {
        self.step = true;
        Ok(())
    }
}

impl Breakpoints for Debugger<'_> {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_breakpoint(&mut self) -> Option<HwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_watchpoint(&mut self) -> Option<HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

impl SwBreakpoint for Debugger<'_> {
    fn add_sw_breakpoint(&mut self, address: u32, _kind: usize) -> TargetResult<bool, Self> {
        self.board.core().add_breakpoint(address);
        Ok(true)
    }

    fn remove_sw_breakpoint(&mut self, address: u32, _kind: usize) -> TargetResult<bool, Self> {
        self.board.core().remove_breakpoint(address);
        Ok(true)
    }
}

impl HwBreakpoint for Debugger<'_> {
    fn add_hw_breakpoint(&mut self, address: u32, kind: usize) -> TargetResult<bool, Self> {
        self.add_sw_breakpoint(address, kind)
    }

    fn remove_hw_breakpoint(&mut self, address: u32, kind: usize) -> TargetResult<bool, Self> {
        self.remove_sw_breakpoint(address, kind)
    }
}

impl HwWatchpoint for Debugger<'_> {
    fn add_hw_watchpoint(&mut self, address: u32, length: u32, kind: WatchKind) -> TargetResult<bool, Self> {
        let (reads, writes) = directions(kind);
        self.board.core().add_watchpoint(address, length, reads, writes);
        Ok(true)
    }

    fn remove_hw_watchpoint(
        &mut self,
        address: u32,
        length: u32,
        kind: WatchKind,
    ) -> TargetResult<bool, Self> {
        let (reads, writes) = directions(kind);
        self.board.core().remove_watchpoint(address, length, reads, writes);
        Ok(true)
    }
}

fn directions(kind: WatchKind) -> (bool, bool) {
    (kind != WatchKind::Write, kind != WatchKind::Read)
}

impl MonitorCmd for Debugger<'_> {
    fn handle_monitor_cmd(&mut self, command: &[u8], mut out: ConsoleOutput<'_>) -> Result<(), Self::Error> {
        match command {
            b"reset" | b"reset halt" => {
                self.board.reset();
                outputln!(out, "reset; the next instruction is at {:#010x}", self.board.core().pc());
            }
            b"cycles" => outputln!(out, "{}", self.board.cycles()),
            b"where" => {
                let mut text = String::new();
                for frame in self.board.back_trace() {
                    let _ = writeln!(text, "{:#010x} {}", frame.pc, frame.function);
                }
                outputln!(out, "{text}");
            }
            _ => outputln!(out, "monitor reset | cycles | where"),
        }
        Ok(())
    }
}

/// The event loop of a debugger with this lifetime.
struct EventLoopFor<'a>(std::marker::PhantomData<Debugger<'a>>);

impl<'a> BlockingEventLoop for EventLoopFor<'a> {
    type Target = Debugger<'a>;
    type Connection = TcpStream;
    type StopReason = SingleThreadStopReason<u32>;

    fn wait_for_stop_reason(
        target: &mut Debugger<'a>,
        connection: &mut TcpStream,
    ) -> Result<Event<Self::StopReason>, WaitForStopReasonError<&'static str, io::Error>> {
        loop {
            if target.step {
                let reason = match target.board.step() {
                    Some(end) => target.reason(end),
                    None => SingleThreadStopReason::DoneStep,
                };
                return Ok(Event::TargetStopped(reason));
            }
            let limits = Limits { cycles: Some(target.board.cycles().saturating_add(SLICE)), wall: None };
            match target.board.run(&limits) {
                End::Cycles => {}
                End::Idle(_) => std::thread::sleep(REST),
                end => return Ok(Event::TargetStopped(target.reason(end))),
            }
            if connection.peek().map_err(WaitForStopReasonError::Connection)?.is_some() {
                let byte = ConnectionExt::read(connection).map_err(WaitForStopReasonError::Connection)?;
                return Ok(Event::IncomingData(byte));
            }
        }
    }

    fn on_interrupt(_target: &mut Debugger<'a>) -> Result<Option<Self::StopReason>, &'static str> {
        Ok(Some(SingleThreadStopReason::Signal(Signal::SIGINT)))
    }
}

impl Debugger<'_> {
    fn reason(&mut self, end: End) -> SingleThreadStopReason<u32> {
        let reason = match end {
            End::Exit(code) => SingleThreadStopReason::Exited(code as u8),
            End::Until => SingleThreadStopReason::Exited(0),
            End::Breakpoint(_) => SingleThreadStopReason::SwBreak(()),
            End::Watchpoint { address, write } => {
                let kind = if write { WatchKind::Write } else { WatchKind::Read };
                SingleThreadStopReason::Watch { tid: (), kind, addr: address }
            }
            End::Fault | End::Lockup => SingleThreadStopReason::Signal(Signal::SIGSEGV),
            End::Cycles | End::TimeOut | End::Output | End::Idle(_) => {
                SingleThreadStopReason::Signal(Signal::SIGINT)
            }
        };
        self.ended = Some(end);
        reason
    }
}
