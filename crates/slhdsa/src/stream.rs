//! Messages that are read twice, signatures that are written as they are made and checked as they are read.
use crate::error::{Error, Stopped};
use crate::params::{MAX_N, Params};
use pqsoc_message::Message;

/// A formatted message M' that can be read from its beginning more than once.
///
/// Signing reads it twice (for R, then for the digest that R enters), verifying once. A [`Message`] in memory is one;
/// for a message elsewhere, implement this with `Message::pure(context, &[])` for what comes before the message itself.
pub trait Input {
    /// Gives all of M' to `take`, in pieces of any length. Must give the same bytes each time.
    fn read(&self, take: &mut dyn FnMut(&[u8])) -> Result<(), Stopped>;
}

impl Input for Message<'_> {
    fn read(&self, take: &mut dyn FnMut(&[u8])) -> Result<(), Stopped> {
        for part in self.parts() {
            take(part);
        }
        Ok(())
    }
}

/// Where a signature goes as it is made: R, then FORS, then the layers from the bottom up.
pub trait Sink {
    /// Takes the next bytes of the signature.
    fn write(&mut self, bytes: &[u8]) -> Result<(), Stopped>;
}

/// Where a signature comes from as it is checked.
pub trait Source {
    /// Fills `out` from its beginning with the next bytes and returns how many there were: fewer than `out` has only
    /// at the end of the signature.
    fn read(&mut self, out: &mut [u8]) -> Result<usize, Stopped>;
}

/// Fills the slice from its beginning and leaves what remains; stops when it is full.
impl Sink for &mut [u8] {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Stopped> {
        let (now, later) = core::mem::take(self).split_at_mut_checked(bytes.len()).ok_or(Stopped)?;
        now.copy_from_slice(bytes);
        *self = later;
        Ok(())
    }
}

/// Appends.
#[cfg(feature = "alloc")]
impl Sink for alloc::vec::Vec<u8> {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Stopped> {
        self.extend_from_slice(bytes);
        Ok(())
    }
}

/// Takes bytes off the beginning of the slice.
impl Source for &[u8] {
    fn read(&mut self, out: &mut [u8]) -> Result<usize, Stopped> {
        let n = self.len().min(out.len());
        let (now, later) = self.split_at_checked(n).ok_or(Stopped)?;
        for (to, from) in out.iter_mut().zip(now) {
            *to = *from;
        }
        *self = later;
        Ok(n)
    }
}

/// Reads the next n bytes of a signature.
pub(crate) fn read_node<E>(
    params: &Params,
    source: &mut dyn Source,
    node: &mut [u8; MAX_N],
) -> Result<(), Error<E>> {
    let wanted = node.get_mut(..params.n).unwrap_or_default();
    if source.read(wanted)? < params.n {
        return Err(Error::SignatureTooShort { expected: params.signature_len() });
    }
    Ok(())
}
