//! The fabric and its DMA as one device: commands, streams, errors, reset.
use peakrdl_rust::reg::Register as _;
use pqsoc_keccak::Shake256;
use pqsoc_registers::{Command, Hash as Function, registers};

use crate::buffer::{Aligned, Buffer, Plain, Pool, Quarantine};
use crate::dma::{Cargo, Deadline, Descriptors, Dma, Exchange, Failed, Receive, Send, Transfer};
use crate::error::{Error, Waiting};
use crate::platform::{Platform, Window};
use crate::registers::{fabric, state};

/// Words that can be sent at once: a saved sponge and eight blocks of SHAKE256, or the longest public key of WOTS+.
pub(crate) const OUTGOING: usize = 576;
/// Words that can be received at once: eight blocks of SHAKE256, or a polynomial.
pub(crate) const INCOMING: usize = 272;

/// IDENTITY of every fabric: the letters PQF1.
const IDENTITY: u32 = u32::from_le_bytes(*b"PQF1");
/// Major and minor version of the interface that this driver knows; later minor ones will do.
const VERSION: (u8, u8) = (0, 1);
/// STATUS: bits that read as zero.
const STATUS_RESERVED: u32 = 0xfff0;
/// Beats that were on their way before a reset may come out after it: three at most, each at worst a packet.
const PROBES: usize = 4;
/// Looks at the DMA for one at all of it and at the fabric.
const LOOKS: u32 = 8;

/// Memory of the driver, for the DMA. Put it into a static.
#[derive(Debug)]
pub struct Memory {
    outgoing: Aligned<[u32; OUTGOING]>,
    incoming: Aligned<[u32; INCOMING]>,
    descriptors: Descriptors,
}

impl Memory {
    /// For a static.
    pub const NEW: Self = Self {
        outgoing: Aligned([0; OUTGOING]),
        incoming: Aligned([0; INCOMING]),
        descriptors: Aligned([0; 64]),
    };
}

/// What the driver has to be told.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Bits of the DMA's length fields, as it was built: a longer transfer would be cut without an error.
    pub length_bits: u32,
    /// Microseconds that anything may take: a list of commands, a reset.
    pub patience: u32,
}

/// The design of `hw/vivado/zedboard.tcl`, and 20 ms: the longest chain or list takes well below one.
impl Default for Config {
    fn default() -> Self {
        Self { length_bits: 23, patience: 20_000 }
    }
}

/// What was moved and done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Bytes sent to the fabric.
    pub sent: u64,
    /// Bytes received from it.
    pub received: u64,
    /// Transfers by DMA, one way or both.
    pub calls: u64,
    /// Commands.
    pub commands: u64,
}

impl Counters {
    /// What has come since `earlier`.
    pub fn since(self, earlier: Self) -> Self {
        Self {
            sent: self.sent.wrapping_sub(earlier.sent),
            received: self.received.wrapping_sub(earlier.received),
            calls: self.calls.wrapping_sub(earlier.calls),
            commands: self.commands.wrapping_sub(earlier.commands),
        }
    }
}

/// Cycles of the fabric since its last reset, modulo 2^32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FabricCycles {
    /// With a command under way.
    pub busy: u32,
    /// In which a command waited for a beat in.
    pub waiting_in: u32,
    /// In which a command waited for a beat out to be taken.
    pub waiting_out: u32,
}

impl FabricCycles {
    /// Those since `earlier`, if less than 2^32 and no reset were in between.
    pub fn since(self, earlier: Self) -> Self {
        Self {
            busy: self.busy.wrapping_sub(earlier.busy),
            waiting_in: self.waiting_in.wrapping_sub(earlier.waiting_in),
            waiting_out: self.waiting_out.wrapping_sub(earlier.waiting_out),
        }
    }
}

/// The accelerator. There is one value for one piece of hardware.
#[derive(Debug)]
pub struct Accelerator<P> {
    platform: P,
    dma: Dma,
    outgoing: Option<Buffer<[u32; OUTGOING]>>,
    incoming: Option<Buffer<[u32; INCOMING]>>,
    /// Ticks that anything may take.
    patience: u64,
    /// Commands that the FIFO holds, and for how many there is room at least.
    depth: u32,
    room: u32,
    slots: u16,
    /// What OPTIONS was written last.
    options: Option<u32>,
    /// Ready: the last operation ended well, or a reset after it did.
    ready: bool,
    /// Resets so far: what was in the fabric before the last one is gone.
    epoch: u32,
    counters: Counters,
    /// Buffers that a DMA has which did not stop.
    quarantine: Quarantine,
    /// Nothing has been put into the fabric since it was cleared.
    cleared: bool,
    /// What the last probe was a hash of.
    probe: u32,
}

impl<P: Platform> Accelerator<P> {
    /// Finds the fabric, resets it and the DMA, and lets them compute something known.
    pub fn new(mut platform: P, memory: &'static mut Memory, config: Config) -> Result<Self, Error> {
        let patience = u64::from(config.patience) * u64::from(platform.ticks_per_microsecond());
        let Memory { outgoing, incoming, descriptors } = memory;
        // Not where a program before this one began, whose last answer may still be there.
        let probe = platform.now() as u32;
        let identity = fabric(&mut platform, |r| r.identity().read().to_raw());
        if identity != IDENTITY {
            return Err(Error::NoFabric { identity });
        }
        let version = fabric(&mut platform, |r| r.version().read());
        if version.major() != VERSION.0 || version.minor() < VERSION.1 {
            return Err(Error::Version { version: version.to_raw() });
        }
        let capabilities = fabric(&mut platform, |r| r.capabilities().read());
        let mut accelerator = Self {
            platform,
            dma: Dma::new(descriptors, config.length_bits, patience),
            outgoing: Some(Buffer::new(outgoing)),
            incoming: Some(Buffer::new(incoming)),
            patience,
            depth: 1 << capabilities.fifo_log2(),
            room: 0,
            slots: capabilities.slots(),
            options: None,
            ready: false,
            epoch: 0,
            counters: Counters::default(),
            quarantine: Quarantine::EMPTY,
            cleared: false,
            probe,
        };
        accelerator.reset()?;
        Ok(accelerator)
    }

    /// Polynomial slots of the fabric.
    pub fn slots(&self) -> u16 {
        self.slots
    }

    /// Resets so far. What was in the fabric before the last one is gone.
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch
    }

    /// The platform.
    pub fn platform(&mut self) -> &mut P {
        &mut self.platform
    }

    /// What was done so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// What the fabric counts.
    pub fn fabric_cycles(&mut self) -> FabricCycles {
        fabric(&mut self.platform, |r| FabricCycles {
            busy: r.busy_cycles().read().cycles(),
            waiting_in: r.stall_in_cycles().read().cycles(),
            waiting_out: r.stall_out_cycles().read().cycles(),
        })
    }

    /// Resets DMA and fabric, whatever they do: every slot, string and hash state in it is zero then.
    pub fn reset(&mut self) -> Result<(), Error> {
        self.stop()?;
        self.revive()
    }

    /// Stops the DMA: from then on it touches no memory.
    fn stop(&mut self) -> Result<(), Error> {
        self.ready = false;
        self.dma.reset(&mut self.platform)?;
        self.outgoing = self.outgoing.take().or_else(|| self.quarantine.reclaim());
        self.incoming = self.incoming.take().or_else(|| self.quarantine.reclaim());
        Ok(())
    }

    /// A buffer that was lost with a DMA that did not stop, and has since.
    pub fn reclaim<T: Plain>(&mut self) -> Option<Buffer<T>> {
        if self.ready { self.quarantine.reclaim() } else { None }
    }

    /// Resets the fabric while the DMA does nothing, and sees whether both work.
    fn revive(&mut self) -> Result<(), Error> {
        let mut outcome = Err(Error::Wrong);
        for _ in 0..PROBES {
            // Each from the beginning: the commands of a probe that failed would take what belongs to the next one.
            self.restart()?;
            outcome = self.probe();
            match outcome {
                Ok(()) => (self.ready, self.cleared) = (true, true),
                // It is not for something old that there is no answer.
                Err(Error::Timeout { .. }) => {}
                Err(_) => continue,
            }
            break;
        }
        outcome
    }

    /// Resets the fabric, then the DMA.
    fn restart(&mut self) -> Result<(), Error> {
        self.epoch = self.epoch.wrapping_add(1);
        fabric(&mut self.platform, |r| {
            r.control().write(|w| {
                w.set_run(true);
                w.set_reset(true);
            });
        });
        let mut deadline = Deadline::new(self.patience);
        while self.status()?.busy() {
            if deadline.passed(&mut self.platform) {
                return Err(self.late(Waiting::FabricReset));
            }
        }
        (self.room, self.options) = (self.depth, None);
        // What the fabric had on its way out goes into the DMA and is forgotten here, or is taken for the answer to a probe,
        // which is then wrong. So with a right answer nothing old is left.
        self.dma.reset(&mut self.platform)
    }

    /// A hash, of another message each time: an answer that an earlier probe has left is none to this one. Message and
    /// digest go through the DMA, so both of its halves run when the digest is right.
    fn probe(&mut self) -> Result<(), Error> {
        let mut outgoing = self.outgoing.take().ok_or(Error::Lost)?;
        let Some(incoming) = self.incoming.take() else {
            self.outgoing = Some(outgoing);
            return Err(Error::Lost);
        };
        self.probe = self.probe.wrapping_add(1);
        let message = [self.probe, !self.probe];
        outgoing[..2].copy_from_slice(&message);
        let cargo = Exchange(Send(outgoing, 8), Receive(incoming, 8));
        let mut transfer = match self.dma.start(&mut self.platform, cargo) {
            Ok(transfer) => transfer,
            Err(Failed { error, cargo }) => {
                self.put_back(cargo);
                return Err(error);
            }
        };
        let commands =
            [Command::hash_init(Function::Shake256), Command::absorb_stream(8), Command::squeeze_stream(8)];
        let outcome = self.push(&commands).and_then(|()| self.complete(&mut transfer, true));
        if outcome.is_err()
            && let Err(error) = self.dma.reset(&mut self.platform)
        {
            self.dma.abandon(transfer, &mut self.quarantine);
            return Err(error);
        }
        let cargo = self.dma.end(&mut self.platform, transfer);
        let mut digest = [0; 8];
        Shake256::digest(&[&message[0].to_le_bytes(), &message[1].to_le_bytes()], &mut digest);
        let right = cargo.1.0.bytes().starts_with(&digest);
        self.put_back(Some(cargo));
        outcome?;
        if right { Ok(()) } else { Err(Error::Wrong) }
    }

    /// Keeps the buffers of the driver that were on their way.
    fn put_back(&mut self, cargo: Option<Exchange<[u32; OUTGOING], [u32; INCOMING]>>) {
        if let Some(Exchange(Send(outgoing, _), Receive(incoming, _))) = cargo {
            (self.outgoing, self.incoming) = (Some(outgoing), Some(incoming));
        }
    }

    /// Gives what was lost of a pool back to it, if the DMA has stopped or does so now.
    pub(crate) fn refill<T: Plain, const COUNT: usize>(&mut self, pool: &mut Pool<T, COUNT>) {
        if pool.count() < COUNT && self.prepare().is_ok() {
            while pool.count() < COUNT
                && let Some(buffer) = self.reclaim()
            {
                pool.give(buffer);
            }
        }
    }

    fn late(&mut self, waiting: Waiting) -> Error {
        Error::Timeout { waiting, state: state(&mut self.platform) }
    }

    /// STATUS, if it can be that.
    fn status(&mut self) -> Result<registers::status::Status, Error> {
        let status = fabric(&mut self.platform, |r| r.status().read());
        if status.to_raw() & STATUS_RESERVED != 0 {
            return Err(Error::Garbage { register: "STATUS", value: status.to_raw() });
        }
        Ok(status)
    }

    /// An error if the fabric has halted.
    fn check(&mut self) -> Result<registers::status::Status, Error> {
        let status = self.status()?;
        if !status.halted() {
            return Ok(status);
        }
        let error = fabric(&mut self.platform, |r| r.error().read());
        Err(match error.cause() {
            Ok(cause) => Error::Halted { cause, opcode: error.opcode(), index: error.index() },
            Err(_) => Error::Garbage { register: "ERROR", value: error.to_raw() },
        })
    }

    /// Puts a list into the FIFO, the last command marked as such. Runs while it is put there.
    fn push(&mut self, commands: &[Command]) -> Result<(), Error> {
        for (i, command) in commands.iter().enumerate() {
            let command = if i + 1 == commands.len() { command.last() } else { *command };
            if self.room == 0 {
                self.wait_for_room()?;
            }
            self.room -= 1;
            let (new, old) = (command.options(), self.options.replace(command.options()));
            fabric(&mut self.platform, |r| {
                if old != Some(new) {
                    r.options().write(|w| w.set_value(new));
                }
            });
            let offset = fabric(&mut self.platform, |r| r.command().as_ptr().addr() as u16);
            self.platform.write(Window::Fabric, offset, command.command());
        }
        self.counters.commands += commands.len() as u64;
        self.cleared &= commands.is_empty();
        Ok(())
    }

    /// Has the fabric cleared when it is done with what is queued, unless nothing was since the last time. Should it not
    /// work, the reset that follows clears as well.
    pub(crate) fn clear(&mut self) {
        if !self.cleared && self.queue(&[Command::clear()]).is_ok() {
            self.cleared = true;
        }
    }

    fn look_for_room(&mut self) -> Result<(), Error> {
        self.room = self.depth.saturating_sub(u32::from(self.check()?.queued()));
        Ok(())
    }

    fn wait_for_room(&mut self) -> Result<(), Error> {
        let mut deadline = Deadline::new(self.patience);
        loop {
            self.look_for_room()?;
            if self.room != 0 {
                return Ok(());
            }
            if deadline.passed(&mut self.platform) {
                return Err(self.late(Waiting::Room));
            }
        }
    }

    /// Waits for the end of a transfer, and of the command that it ends with; `idle`: that is the last one.
    fn complete<C>(&mut self, transfer: &mut Transfer<C>, idle: bool) -> Result<(), Error> {
        let mut deadline = Deadline::new(self.patience);
        let mut looks = 0;
        while !self.dma.poll(&mut self.platform, transfer, looks % LOOKS == LOOKS - 1)? {
            looks += 1;
            if looks % LOOKS == 0 {
                self.check()?;
            }
            if deadline.passed(&mut self.platform) {
                return Err(self.late(Waiting::Command));
            }
        }
        if let Some((expected, received)) = self.dma.received(&mut self.platform, transfer) {
            // What came back came from the last of these commands. An abandoned packet ends as well, after the fabric has halted,
            // and may even be as long as it should.
            if idle {
                self.wait_until_idle()?;
            } else {
                self.look_for_room()?;
            }
            if received != expected {
                return Err(Error::Short { expected, received });
            }
        }
        Ok(())
    }

    /// Waits until the fabric has nothing to do.
    pub fn finish(&mut self) -> Result<(), Error> {
        let outcome = self.wait_until_idle();
        if outcome.is_err() {
            // The error is what matters; a reset that fails as well shows with the next operation.
            let _ = self.reset();
        }
        outcome
    }

    fn wait_until_idle(&mut self) -> Result<(), Error> {
        let mut deadline = Deadline::new(self.patience);
        while self.check()?.busy() {
            if deadline.passed(&mut self.platform) {
                return Err(self.late(Waiting::Command));
            }
        }
        self.room = self.depth;
        Ok(())
    }

    /// Makes up for a reset that has failed.
    pub(crate) fn prepare(&mut self) -> Result<(), Error> {
        if self.ready { Ok(()) } else { self.reset() }
    }

    /// Queues commands that use no stream. Their errors show with the next call that waits.
    pub(crate) fn queue(&mut self, commands: &[Command]) -> Result<(), Error> {
        self.prepare()?;
        let outcome = self.push(commands);
        if outcome.is_err() {
            let _ = self.reset();
        }
        outcome
    }

    /// Gives the buffers to the DMA, queues `commands`, whose streams they are, and waits for the end.
    ///
    /// Without a buffer to be filled the commands may still be at work on return; their errors show with the next call.
    /// After an error everything has been reset.
    pub fn call<C: Cargo>(&mut self, cargo: C, commands: &[Command]) -> Result<C, Failed<C>> {
        self.call_ahead(cargo, commands, &[])
    }

    /// [`call`](Self::call), and queues what the fabric does meanwhile and after it: `ahead` uses no stream, and is not waited
    /// for.
    pub(crate) fn call_ahead<C: Cargo>(
        &mut self,
        cargo: C,
        commands: &[Command],
        ahead: &[Command],
    ) -> Result<C, Failed<C>> {
        if let Err(error) = self.prepare() {
            return Err(Failed { error, cargo: Some(cargo) });
        }
        let mut transfer = self.dma.start(&mut self.platform, cargo)?;
        let spans = transfer.spans();
        let outcome = self
            .push(commands)
            .and_then(|()| self.push(ahead))
            .and_then(|()| self.complete(&mut transfer, ahead.is_empty()));
        let stopped = match outcome {
            Ok(()) => Ok(()),
            Err(_) => self.stop(),
        };
        // No buffer comes back while something may still write to it.
        let cargo = match stopped {
            Ok(()) => Some(self.dma.end(&mut self.platform, transfer)),
            Err(_) => {
                self.dma.abandon(transfer, &mut self.quarantine);
                None
            }
        };
        match (outcome, cargo) {
            (Ok(()), Some(cargo)) => {
                self.counters.calls += 1;
                self.counters.sent += u64::from(spans.sent());
                self.counters.received += u64::from(spans.received());
                Ok(cargo)
            }
            (Err(error), cargo) => {
                if stopped.is_ok() {
                    let _ = self.revive();
                }
                Err(Failed { error, cargo })
            }
            (Ok(()), None) => Err(Failed { error: Error::Lost, cargo: None }),
        }
    }

    /// What is to be sent, to be filled in before [`exchange`](Self::exchange) and its like.
    pub(crate) fn outgoing(&mut self) -> Result<&mut Buffer<[u32; OUTGOING]>, Error> {
        // A reset that is still due would use it.
        self.prepare()?;
        self.outgoing.as_mut().ok_or(Error::Lost)
    }

    /// What was received.
    pub(crate) fn incoming(&mut self) -> Result<&mut Buffer<[u32; INCOMING]>, Error> {
        self.incoming.as_mut().ok_or(Error::Lost)
    }

    /// [`call`](Self::call) that sends the first `sent` bytes of [`outgoing`](Self::outgoing) and receives the first
    /// `received` bytes of `incoming`. Either may be 0; commands that use no stream are then only queued.
    pub(crate) fn exchange<R: Plain>(
        &mut self,
        sent: usize,
        incoming: &mut Option<Buffer<R>>,
        received: usize,
        commands: &[Command],
    ) -> Result<(), Error> {
        if sent == 0 && received == 0 {
            return self.queue(commands);
        }
        // A reset needs the buffers of the driver.
        self.prepare()?;
        let outgoing = self.outgoing.take().ok_or(Error::Lost)?;
        let Some(buffer) = incoming.take() else {
            self.outgoing = Some(outgoing);
            return Err(Error::Lost);
        };
        let cargo = Exchange(Send(outgoing, sent as u32), Receive(buffer, received as u32));
        let (outcome, cargo) = match self.call(cargo, commands) {
            Ok(cargo) => (Ok(()), Some(cargo)),
            Err(Failed { error, cargo }) => (Err(error), cargo),
        };
        if let Some(Exchange(Send(outgoing, _), Receive(buffer, _))) = cargo {
            (self.outgoing, *incoming) = (Some(outgoing), Some(buffer));
        }
        outcome
    }

    /// [`exchange`](Self::exchange) with [`incoming`](Self::incoming).
    pub(crate) fn converse(
        &mut self,
        sent: usize,
        received: usize,
        commands: &[Command],
    ) -> Result<(), Error> {
        self.prepare()?;
        let mut incoming = self.incoming.take();
        let outcome = self.exchange(sent, &mut incoming, received, commands);
        self.incoming = incoming;
        outcome
    }
}
