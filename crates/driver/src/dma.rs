//! The AXI DMA: Xilinx's LogiCORE IP, PG021, in direct mode or with scatter-gather, whichever it was built with.
use crate::buffer::{Aligned, Buffer, Plain, Quarantine};
use crate::error::{Channel, Error, Fault, Waiting};
use crate::platform::{Platform, Window};
use crate::registers::state;

// Registers of a channel, from its beginning: PG021, tables "Register Address Map".
const CONTROL: u16 = 0x00;
pub(crate) const STATUS: u16 = 0x04;
const CURRENT: u16 = 0x08;
const TAIL: u16 = 0x10;
const ADDRESS: u16 = 0x18;
const LENGTH: u16 = 0x28;

const RUN: u32 = 1 << 0;
const RESET: u32 = 1 << 2;
const ENABLE_INTERRUPTS: u32 = 1 << 12 | 1 << 14;
/// One interrupt a packet.
const THRESHOLD: u32 = 1 << 16;

const HALTED: u32 = 1 << 0;
const IDLE: u32 = 1 << 1;
const SCATTER_GATHER: u32 = 1 << 3;
const ERRORS: u32 = 0x770;
const COMPLETE: u32 = 1 << 12;
const INTERRUPTS: u32 = 7 << 12;
/// Bits that read as zero.
const RESERVED: u32 = 1 << 2 | 1 << 7 | 1 << 11 | 1 << 15;

// Words of a descriptor.
const WORDS: usize = 16;
const BUFFER_ADDRESS: usize = 2;
const DESCRIPTOR_CONTROL: usize = 6;
const DESCRIPTOR_STATUS: usize = 7;
/// SOF and EOF: the descriptor is a whole packet.
const WHOLE: u32 = 1 << 27 | 1 << 26;
const COUNT: u32 = (1 << 26) - 1;

impl Channel {
    pub(crate) fn offset(self, register: u16) -> u16 {
        match self {
            Self::Sending => register,
            Self::Receiving => 0x30 + register,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Sending => "MM2S_DMASR",
            Self::Receiving => "S2MM_DMASR",
        }
    }

    fn index(self) -> usize {
        match self {
            Self::Sending => 0,
            Self::Receiving => 1,
        }
    }
}

/// Memory for the descriptors: two a channel, used in turn.
pub type Descriptors = Aligned<[u32; 4 * WORDS]>;

/// Where a transfer goes: address and bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    address: u32,
    bytes: u32,
}

/// What a transfer reads and fills.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spans {
    /// Read by the DMA, sent to the fabric as one packet.
    send: Option<Span>,
    /// Filled with one packet of the fabric.
    receive: Option<Span>,
}

impl Spans {
    /// Bytes to be sent.
    pub(crate) fn sent(&self) -> u32 {
        self.send.map_or(0, |span| span.bytes)
    }

    /// Bytes to be received.
    pub(crate) fn received(&self) -> u32 {
        self.receive.map_or(0, |span| span.bytes)
    }
}

/// Buffers on their way: given to the DMA as a whole and given back as a whole.
pub trait Cargo: Sized {
    /// Makes the buffers ready for the DMA. `None`: it does not reach one, or more bytes are asked for than one has.
    fn give<P: Platform>(&mut self, platform: &mut P) -> Option<Spans>;
    /// Makes the buffers ready for the processor.
    fn take<P: Platform>(&mut self, platform: &mut P);
    /// Gives the buffers up, as the DMA has not let go of them.
    #[doc(hidden)]
    fn abandon(self, quarantine: &mut Quarantine);
}

fn span<T: Plain, P: Platform>(buffer: &Buffer<T>, bytes: u32, platform: &P) -> Option<Span> {
    let address = buffer.bus_address(platform)?;
    (bytes as usize <= Buffer::<T>::LEN).then_some(Span { address, bytes })
}

/// The first bytes of a buffer, to be sent. 0: nothing is.
#[derive(Debug)]
pub struct Send<T: 'static>(pub Buffer<T>, pub u32);

impl<T: Plain> Cargo for Send<T> {
    fn give<P: Platform>(&mut self, platform: &mut P) -> Option<Spans> {
        if self.1 == 0 {
            return Some(Spans::default());
        }
        self.0.before_reading(platform, self.1 as usize);
        Some(Spans { send: Some(span(&self.0, self.1, platform)?), receive: None })
    }

    fn take<P: Platform>(&mut self, _: &mut P) {}

    fn abandon(self, quarantine: &mut Quarantine) {
        self.0.abandon(quarantine);
    }
}

/// The first bytes of a buffer, to be filled. What is behind them is lost as well. 0: nothing is filled or lost.
#[derive(Debug)]
pub struct Receive<T: 'static>(pub Buffer<T>, pub u32);

impl<T: Plain> Cargo for Receive<T> {
    fn give<P: Platform>(&mut self, platform: &mut P) -> Option<Spans> {
        if self.1 == 0 {
            return Some(Spans::default());
        }
        self.0.before_filling(platform);
        Some(Spans { send: None, receive: Some(span(&self.0, self.1, platform)?) })
    }

    fn take<P: Platform>(&mut self, platform: &mut P) {
        if self.1 != 0 {
            self.0.after_filling(platform, self.1 as usize);
        }
    }

    fn abandon(self, quarantine: &mut Quarantine) {
        self.0.abandon(quarantine);
    }
}

/// One buffer to be sent and one to be filled.
#[derive(Debug)]
pub struct Exchange<T: 'static, R: 'static>(pub Send<T>, pub Receive<R>);

impl<T: Plain, R: Plain> Cargo for Exchange<T, R> {
    fn give<P: Platform>(&mut self, platform: &mut P) -> Option<Spans> {
        let (send, receive) = (self.0.give(platform)?, self.1.give(platform)?);
        Some(Spans { send: send.send, receive: receive.receive })
    }

    fn take<P: Platform>(&mut self, platform: &mut P) {
        self.0.take(platform);
        self.1.take(platform);
    }

    fn abandon(self, quarantine: &mut Quarantine) {
        self.0.abandon(quarantine);
        self.1.abandon(quarantine);
    }
}

/// A buffer that is sent and filled with what comes back: for commands that take all of it before they give any.
#[derive(Debug)]
pub struct InPlace<T: 'static>(pub Buffer<T>, pub u32);

impl<T: Plain> Cargo for InPlace<T> {
    fn give<P: Platform>(&mut self, platform: &mut P) -> Option<Spans> {
        self.0.before_reading(platform, self.1 as usize);
        let span = Some(span(&self.0, self.1, platform)?);
        Some(Spans { send: span, receive: span })
    }

    fn take<P: Platform>(&mut self, platform: &mut P) {
        self.0.after_filling(platform, self.1 as usize);
    }

    fn abandon(self, quarantine: &mut Quarantine) {
        self.0.abandon(quarantine);
    }
}

/// A transfer under way. It has the buffers until [`Dma::end`].
#[derive(Debug)]
pub(crate) struct Transfer<C> {
    cargo: C,
    spans: Spans,
    /// Of each channel: it is done.
    over: [bool; 2],
}

impl<C> Transfer<C> {
    /// What is moved.
    pub fn spans(&self) -> Spans {
        self.spans
    }
}

/// A failure, and the buffers, unless a DMA that does not stop keeps them.
#[derive(Debug)]
pub struct Failed<C> {
    /// What went wrong.
    pub error: Error,
    /// The buffers; what is in those that were to be filled is not specified.
    pub cargo: Option<C>,
}

/// When to stop waiting. The clock is first read when something is not there at once.
pub(crate) struct Deadline {
    ticks: u64,
    end: Option<u64>,
}

impl Deadline {
    pub fn new(ticks: u64) -> Self {
        Self { ticks, end: None }
    }

    /// Called when what is waited for is not there: pauses, unless the time is up.
    pub fn passed<P: Platform>(&mut self, platform: &mut P) -> bool {
        let now = platform.now();
        let end = *self.end.get_or_insert(now.saturating_add(self.ticks));
        if now < end {
            platform.pause();
        }
        now >= end
    }
}

/// The DMA. Both channels run from [`reset`](Self::reset) on.
#[derive(Debug)]
pub(crate) struct Dma {
    /// Bits of the length fields.
    length_bits: u32,
    /// Ticks that a reset or a start may take.
    patience: u64,
    descriptors: Buffer<[u32; 4 * WORDS]>,
    /// It has scatter-gather, and which descriptor of each channel is next.
    scatter_gather: Option<[bool; 2]>,
}

impl Dma {
    /// Not yet reset.
    pub fn new(descriptors: &'static mut Descriptors, length_bits: u32, patience: u64) -> Self {
        Self { length_bits, patience, descriptors: Buffer::new(descriptors), scatter_gather: None }
    }

    /// Resets both channels and starts them. When this succeeds, nothing that was under way touches memory any more.
    pub fn reset<P: Platform>(&mut self, platform: &mut P) -> Result<(), Error> {
        // Either channel resets the whole core.
        platform.write(Window::Dma, Channel::Sending.offset(CONTROL), RESET);
        let mut deadline = Deadline::new(self.patience);
        let both = [Channel::Sending, Channel::Receiving];
        while both.iter().any(|c| platform.read(Window::Dma, c.offset(CONTROL)) & RESET != 0) {
            if deadline.passed(platform) {
                return Err(Error::Timeout { waiting: Waiting::DmaReset, state: state(platform) });
            }
        }
        let status = platform.read(Window::Dma, Channel::Sending.offset(STATUS));
        self.scatter_gather = (status & SCATTER_GATHER != 0).then_some([false; 2]);
        if self.scatter_gather.is_some() {
            self.link_descriptors(platform)?;
        }
        let enable = if platform.sleeps() { ENABLE_INTERRUPTS } else { 0 };
        for channel in both {
            platform.write(Window::Dma, channel.offset(CONTROL), RUN | THRESHOLD | enable);
        }
        let mut deadline = Deadline::new(self.patience);
        // Idle is of no use here: it stays 0 until the first transfer has ended.
        while both.iter().any(|c| platform.read(Window::Dma, c.offset(STATUS)) & HALTED != 0) {
            if deadline.passed(platform) {
                return Err(Error::Timeout { waiting: Waiting::DmaStart, state: state(platform) });
            }
        }
        Ok(())
    }

    /// Two descriptors a channel, each the next of the other, and the channels at the first.
    fn link_descriptors<P: Platform>(&mut self, platform: &mut P) -> Result<(), Error> {
        let base = self.descriptors.bus_address(platform).ok_or(Error::Unreachable)?;
        let size = 4 * WORDS as u32;
        for (i, next) in [1, 0, 3, 2].into_iter().enumerate() {
            self.descriptors[WORDS * i..WORDS * (i + 1)].fill(0);
            self.descriptors[WORDS * i] = base + next * size;
        }
        self.descriptors.before_reading(platform, size_of::<Descriptors>());
        for channel in [Channel::Sending, Channel::Receiving] {
            let first = base + 2 * channel.index() as u32 * size;
            platform.write(Window::Dma, channel.offset(CURRENT), first);
        }
        Ok(())
    }

    /// Gives the buffers to the DMA and starts it: receiving first, so that nothing has to wait in the fabric.
    pub fn start<C: Cargo, P: Platform>(
        &mut self,
        platform: &mut P,
        mut cargo: C,
    ) -> Result<Transfer<C>, Failed<C>> {
        let spans = cargo.give(platform);
        let fits = |span: Option<Span>| span.is_none_or(|span| span.bytes >> self.length_bits == 0);
        let Some(spans) = spans.filter(|spans| fits(spans.send) && fits(spans.receive)) else {
            return Err(Failed { error: Error::Unreachable, cargo: Some(cargo) });
        };
        for (channel, span) in [(Channel::Receiving, spans.receive), (Channel::Sending, spans.send)] {
            if let Some(span) = span {
                self.begin(platform, channel, span);
            }
        }
        Ok(Transfer { cargo, spans, over: [false; 2] })
    }

    fn begin<P: Platform>(&mut self, platform: &mut P, channel: Channel, span: Span) {
        let Some(turns) = &mut self.scatter_gather else {
            platform.write(Window::Dma, channel.offset(ADDRESS), span.address);
            // The length starts it.
            platform.write(Window::Dma, channel.offset(LENGTH), span.bytes);
            return;
        };
        let turn = &mut turns[channel.index()];
        let descriptor = 2 * channel.index() + usize::from(*turn);
        *turn = !*turn;
        // The DMA has written to it when it was used before.
        self.descriptors.after_filling(platform, size_of::<Descriptors>());
        let words = &mut self.descriptors[WORDS * descriptor..WORDS * (descriptor + 1)];
        words[BUFFER_ADDRESS] = span.address;
        words[DESCRIPTOR_CONTROL] = span.bytes | WHOLE;
        words[DESCRIPTOR_STATUS] = 0;
        self.descriptors.before_reading(platform, size_of::<Descriptors>());
        // Its address was found when the descriptors were linked.
        if let Some(base) = self.descriptors.bus_address(platform) {
            let address = base + (4 * WORDS * descriptor) as u32;
            platform.write(Window::Dma, channel.offset(TAIL), address);
        }
    }

    /// Whether both halves of a transfer are over. Receiving ends last, so sending is looked at after it, or if `thorough`:
    /// what goes wrong there is the reason why nothing is received.
    pub fn poll<C, P: Platform>(
        &mut self,
        platform: &mut P,
        transfer: &mut Transfer<C>,
        thorough: bool,
    ) -> Result<bool, Error> {
        let mut all = true;
        let Spans { send, receive } = transfer.spans;
        for (channel, span) in [(Channel::Receiving, receive), (Channel::Sending, send)] {
            let over = &mut transfer.over[channel.index()];
            if span.is_none() || *over {
                continue;
            }
            let status = platform.read(Window::Dma, channel.offset(STATUS));
            if status & RESERVED != 0 {
                return Err(Error::Garbage { register: channel.name(), value: status });
            }
            if status & (ERRORS | HALTED) != 0 {
                let fault = match status & 0x70 {
                    0 if status & ERRORS == 0 => Fault::Stopped,
                    0 => Fault::Descriptor,
                    bits if bits & 0x10 != 0 => Fault::Internal,
                    bits if bits & 0x20 != 0 => Fault::Slave,
                    _ => Fault::Decode,
                };
                return Err(Error::Dma { channel, fault, state: state(platform) });
            }
            // Idle would still be that of the last transfer if this one did not start.
            if status & COMPLETE == 0 || status & IDLE == 0 {
                all = false;
                if thorough {
                    continue;
                }
                break;
            }
            *over = true;
            platform.write(Window::Dma, channel.offset(STATUS), INTERRUPTS);
        }
        Ok(all)
    }

    /// Bytes received, after [`poll`](Self::poll) said that it is over.
    pub fn received<C, P: Platform>(
        &mut self,
        platform: &mut P,
        transfer: &Transfer<C>,
    ) -> Option<(u32, u32)> {
        let expected = transfer.spans.receive?.bytes;
        let received = match self.scatter_gather {
            None => platform.read(Window::Dma, Channel::Receiving.offset(LENGTH)),
            Some(turns) => {
                self.descriptors.after_filling(platform, size_of::<Descriptors>());
                // The one before the next one.
                let descriptor = 2 * Channel::Receiving.index() + usize::from(!turns[1]);
                self.descriptors[WORDS * descriptor + DESCRIPTOR_STATUS] & COUNT
            }
        };
        Some((expected, received))
    }

    /// Takes the buffers of a transfer back that is over, or that a reset has ended.
    pub fn end<C: Cargo, P: Platform>(&mut self, platform: &mut P, transfer: Transfer<C>) -> C {
        let Transfer { mut cargo, .. } = transfer;
        cargo.take(platform);
        cargo
    }

    /// Gives the buffers of a transfer up that could not be stopped.
    pub fn abandon<C: Cargo>(&mut self, transfer: Transfer<C>, quarantine: &mut Quarantine) {
        transfer.cargo.abandon(quarantine);
    }
}
