//! SHAKE256 in the fabric, in pieces.
use pqsoc_registers::{Command, Hash as Function};
use zeroize::Zeroize;

use crate::accelerator::{Accelerator, INCOMING};
use crate::error::Error;
use crate::platform::Platform;

/// Bytes that are gathered before they are sent: eight blocks of SHAKE256.
const PENDING: usize = 8 * 136;
/// Bytes of a saved sponge.
const SAVED: usize = 208;

/// SHAKE256 under way: what it has absorbed is kept here until there is enough of it for the fabric, and the state of the
/// sponge is kept here in between, so that any number of hashes can be under way.
pub struct Hash {
    pending: [u8; PENDING],
    filled: usize,
    sponge: Option<[u8; SAVED]>,
}

impl Default for Hash {
    fn default() -> Self {
        Self { pending: [0; PENDING], filled: 0, sponge: None }
    }
}

impl Drop for Hash {
    fn drop(&mut self) {
        self.wipe();
    }
}

impl Hash {
    fn wipe(&mut self) {
        self.pending.zeroize();
        self.filled = 0;
        self.sponge.zeroize();
    }
}

impl<P: Platform> Accelerator<P> {
    /// Appends `bytes` to the message.
    pub(crate) fn absorb(&mut self, hash: &mut Hash, mut bytes: &[u8]) -> Result<(), Error> {
        loop {
            let room = hash.pending.get_mut(hash.filled..).unwrap_or_default();
            let (now, later) = bytes.split_at(bytes.len().min(room.len()));
            for (to, from) in room.iter_mut().zip(now) {
                *to = *from;
            }
            hash.filled += now.len();
            bytes = later;
            if bytes.is_empty() {
                return Ok(());
            }
            let (first, sent) = self.prepare_message(hash)?;
            self.converse(
                sent,
                SAVED,
                &[first, Command::absorb_stream(PENDING as u32), Command::sponge_save()],
            )?;
            let saved = self.incoming()?.bytes().first_chunk();
            hash.sponge = saved.copied();
            hash.filled = 0;
        }
    }

    /// The state and the pending bytes to the place where they are sent from: the command to begin with, and their number.
    fn prepare_message(&mut self, hash: &Hash) -> Result<(Command, usize), Error> {
        let sponge = hash.sponge.as_ref().map_or(&[][..], |sponge| sponge);
        let pending = hash.pending.get(..hash.filled).unwrap_or_default();
        let outgoing = self.outgoing()?.bytes_mut();
        let (first, later) = outgoing.split_at_mut_checked(sponge.len()).ok_or(Error::Lost)?;
        first.copy_from_slice(sponge);
        later.get_mut(..pending.len()).ok_or(Error::Lost)?.copy_from_slice(pending);
        let first = match hash.sponge {
            None => Command::hash_init(Function::Shake256),
            // One packet holds both.
            Some(_) if pending.is_empty() => Command::sponge_restore(),
            Some(_) => Command::sponge_restore().more(),
        };
        Ok((first, sponge.len() + pending.len()))
    }

    /// Ends the message, fills `out` with the first bytes of the output and empties `hash`.
    pub(crate) fn squeeze(&mut self, hash: &mut Hash, out: &mut [u8]) -> Result<(), Error> {
        let prepared = self.prepare_message(hash);
        let pending = hash.filled as u32;
        hash.wipe();
        let (first, mut sent) = prepared?;
        let begin = [first, Command::absorb_stream(pending)];
        for (i, piece) in out.chunks_mut(4 * INCOMING).enumerate() {
            let squeeze = Command::squeeze_stream(piece.len() as u32);
            let [first, absorb] = begin;
            let commands: &[Command] = if i == 0 { &[first, absorb, squeeze] } else { &[squeeze] };
            self.converse(sent, piece.len(), commands)?;
            for (to, from) in piece.iter_mut().zip(self.incoming()?.bytes()) {
                *to = *from;
            }
            sent = 0;
        }
        Ok(())
    }

    /// SHAKE256 of one message that is already where it is sent from, `sent` bytes of it.
    pub(crate) fn digest(&mut self, sent: usize, received: usize) -> Result<&[u8], Error> {
        let commands = [
            Command::hash_init(Function::Shake256),
            Command::absorb_stream(sent as u32),
            Command::squeeze_stream(received as u32),
        ];
        self.converse(sent, received, &commands)?;
        Ok(self.incoming()?.bytes().get(..received).unwrap_or_default())
    }
}
