// SPDX-License-Identifier: Apache-2.0 OR MIT

//! A server for gdb: `target remote :PORT` in gdb-multiarch or arm-none-eabi-gdb.

mod a_profile;
mod m_profile;

use std::fmt::Write as _;
use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::Duration;

use gdbstub::arch::{Arch, Registers};
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

use crate::board::{Board, End, Limits};

/// Cycles between two looks at what gdb says.
const SLICE: u64 = 1_000_000;
/// Rest while the program idles.
const REST: Duration = Duration::from_millis(10);

/// Waits for gdb on `port` of this machine (0 for any free one), and lets it drive the board until it leaves.
/// `listening` is told the port. Returns how the program ended, if it did.
pub fn serve<B: Debuggable>(
    board: &mut B,
    port: u16,
    listening: impl FnOnce(u16),
) -> io::Result<Option<End>> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    listening(listener.local_addr()?.port());
    let (stream, _) = listener.accept()?;
    stream.set_nodelay(true)?;
    board.stop_at_faults(true);
    let mut debugger = Debugger { board, step: false, ended: None };
    let result = GdbStub::new(stream).run_blocking::<EventLoopFor<'_, B>>(&mut debugger);
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

/// A board that gdb can drive.
pub trait Debuggable: Board {
    /// Its processor as gdb knows it.
    type Arch: Arch<Usize = u32, BreakpointKind = usize>;

    /// All registers.
    fn registers(&mut self) -> <Self::Arch as Arch>::Registers;

    /// Sets all registers.
    fn set_registers(&mut self, registers: &<Self::Arch as Arch>::Registers);

    /// A byte of memory as the processor sees it, without side effects.
    fn peek(&mut self, address: u32) -> Option<u8>;

    /// Writes memory as the processor sees it. False if there is none.
    fn poke(&mut self, address: u32, bytes: &[u8]) -> bool;

    /// Sets a breakpoint or takes it away.
    fn breakpoint(&mut self, address: u32, set: bool);

    /// Sets a watchpoint or takes it away.
    fn watchpoint(&mut self, watch: Watch, set: bool);

    /// Presses the reset button, if the board has one that does not lose the program.
    fn press_reset(&mut self) -> bool;
}

/// Accesses that end a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watch {
    /// First address.
    pub address: u32,
    /// Bytes.
    pub length: u32,
    /// By loads.
    pub reads: bool,
    /// By stores.
    pub writes: bool,
}

impl Watch {
    fn new(address: u32, length: u32, kind: WatchKind) -> Self {
        Self { address, length, reads: kind != WatchKind::Write, writes: kind != WatchKind::Read }
    }
}

/// Registers as 32-bit words in the order of their description; R0 to R15 come first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words<const N: usize>([u32; N]);

impl<const N: usize> Default for Words<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> Registers for Words<N> {
    type ProgramCounter = u32;

    fn pc(&self) -> u32 {
        self.0[15]
    }

    fn gdb_serialize(&self, mut write_byte: impl FnMut(Option<u8>)) {
        self.0.iter().flat_map(|word| word.to_le_bytes()).for_each(|byte| write_byte(Some(byte)));
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
        let (words, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() || words.len() < 17 {
            return Err(());
        }
        for (place, word) in self.0.iter_mut().zip(words) {
            *place = u32::from_le_bytes(*word);
        }
        Ok(())
    }
}

/// Descriptions of `names` as registers of so many bits.
fn described(names: impl IntoIterator<Item = String>, bits: u32, kind: &str) -> String {
    let register = |name| format!(r#"<reg name="{name}" bitsize="{bits}" type="{kind}"/>"#);
    names.into_iter().map(register).collect()
}

/// A target description of these features: name and registers.
fn description(features: &[(&str, String)]) -> &'static str {
    let feature = |(name, registers): &(&str, String)| {
        format!(r#"<feature name="org.gnu.gdb.arm.{name}">{registers}</feature>"#)
    };
    let features: String = features.iter().map(feature).collect();
    format!(
        r#"<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd"><target version="1.0"><architecture>arm</architecture>{features}</target>"#
    )
    .leak()
}

/// R0 to R12, SP, LR, PC and the status register.
fn core_registers(status: &str) -> String {
    described((0..13).map(|n| format!("r{n}")), 32, "int")
        + &described(["sp".into()], 32, "data_ptr")
        + &described(["lr".into()], 32, "int")
        + &described(["pc".into()], 32, "code_ptr")
        + &described([status.into()], 32, "int")
}

/// D0 to D`count` and FPSCR.
fn vfp_registers(count: u32) -> String {
    described((0..count).map(|n| format!("d{n}")), 64, "ieee_double")
        + r#"<reg name="fpscr" bitsize="32" type="int" group="float"/>"#
}

struct Debugger<'a, B> {
    board: &'a mut B,
    step: bool,
    ended: Option<End>,
}

impl<B: Debuggable> Target for Debugger<'_, B> {
    type Arch = B::Arch;
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

impl<B: Debuggable> SingleThreadBase for Debugger<'_, B> {
    fn read_registers(&mut self, registers: &mut <B::Arch as Arch>::Registers) -> TargetResult<(), Self> {
        *registers = self.board.registers();
        Ok(())
    }

    fn write_registers(&mut self, registers: &<B::Arch as Arch>::Registers) -> TargetResult<(), Self> {
        self.board.set_registers(registers);
        Ok(())
    }

    fn read_addrs(&mut self, start: u32, data: &mut [u8]) -> TargetResult<usize, Self> {
        // As much as there is: gdb reads ahead past the end of memory.
        for (i, byte) in data.iter_mut().enumerate() {
            let Some(address) = start.checked_add(i as u32) else { return Ok(i) };
            match self.board.peek(address) {
                Some(value) => *byte = value,
                None => return if i == 0 { Err(TargetError::NonFatal) } else { Ok(i) },
            }
        }
        Ok(data.len())
    }

    fn write_addrs(&mut self, start: u32, data: &[u8]) -> TargetResult<(), Self> {
        self.board.poke(start, data).then_some(()).ok_or(TargetError::NonFatal)
    }

    fn support_resume(&mut self) -> Option<SingleThreadResumeOps<'_, Self>> {
        Some(self)
    }
}

impl<B: Debuggable> SingleThreadResume for Debugger<'_, B> {
    fn resume(&mut self, _signal: Option<Signal>) -> Result<(), Self::Error> {
        self.step = false;
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<SingleThreadSingleStepOps<'_, Self>> {
        Some(self)
    }
}

impl<B: Debuggable> SingleThreadSingleStep for Debugger<'_, B> {
    fn step(&mut self, _signal: Option<Signal>) -> Result<(), Self::Error> {
        self.step = true;
        Ok(())
    }
}

impl<B: Debuggable> Breakpoints for Debugger<'_, B> {
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

impl<B: Debuggable> SwBreakpoint for Debugger<'_, B> {
    fn add_sw_breakpoint(&mut self, address: u32, _kind: usize) -> TargetResult<bool, Self> {
        self.board.breakpoint(address, true);
        Ok(true)
    }

    fn remove_sw_breakpoint(&mut self, address: u32, _kind: usize) -> TargetResult<bool, Self> {
        self.board.breakpoint(address, false);
        Ok(true)
    }
}

impl<B: Debuggable> HwBreakpoint for Debugger<'_, B> {
    fn add_hw_breakpoint(&mut self, address: u32, kind: usize) -> TargetResult<bool, Self> {
        self.add_sw_breakpoint(address, kind)
    }

    fn remove_hw_breakpoint(&mut self, address: u32, kind: usize) -> TargetResult<bool, Self> {
        self.remove_sw_breakpoint(address, kind)
    }
}

impl<B: Debuggable> HwWatchpoint for Debugger<'_, B> {
    fn add_hw_watchpoint(&mut self, address: u32, length: u32, kind: WatchKind) -> TargetResult<bool, Self> {
        self.board.watchpoint(Watch::new(address, length, kind), true);
        Ok(true)
    }

    fn remove_hw_watchpoint(
        &mut self,
        address: u32,
        length: u32,
        kind: WatchKind,
    ) -> TargetResult<bool, Self> {
        self.board.watchpoint(Watch::new(address, length, kind), false);
        Ok(true)
    }
}

impl<B: Debuggable> MonitorCmd for Debugger<'_, B> {
    fn handle_monitor_cmd(&mut self, command: &[u8], mut out: ConsoleOutput<'_>) -> Result<(), Self::Error> {
        match command {
            b"reset" | b"reset halt" => {
                if self.board.press_reset() {
                    outputln!(out, "reset; the next instruction is at {:#010x}", self.board.pc());
                } else {
                    outputln!(out, "a reset of this board loses the program: start it again");
                }
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
struct EventLoopFor<'a, B>(std::marker::PhantomData<Debugger<'a, B>>);

impl<'a, B: Debuggable> BlockingEventLoop for EventLoopFor<'a, B> {
    type Target = Debugger<'a, B>;
    type Connection = TcpStream;
    type StopReason = SingleThreadStopReason<u32>;

    fn wait_for_stop_reason(
        target: &mut Debugger<'a, B>,
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

    fn on_interrupt(_target: &mut Debugger<'a, B>) -> Result<Option<Self::StopReason>, &'static str> {
        Ok(Some(SingleThreadStopReason::Signal(Signal::SIGINT)))
    }
}

impl<B: Debuggable> Debugger<'_, B> {
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
            End::Hung(_) => SingleThreadStopReason::Signal(Signal::SIGBUS),
            End::Cycles | End::TimeOut | End::Output | End::Idle(_) => {
                SingleThreadStopReason::Signal(Signal::SIGINT)
            }
        };
        self.ended = Some(end);
        reason
    }
}
