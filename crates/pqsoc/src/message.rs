//! The message to sign or verify: any size, read in pieces.
use crate::{
    failure::{Failure, name},
    files::is_standard,
    progress::Progress,
};
use std::{
    cell::RefCell,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};
use tempfile::SpooledTempFile;

/// Bytes read at a time.
const PIECE: usize = 1 << 16;

/// A message that cannot be read twice is kept in memory up to this size, and beyond it in a temporary file without a
/// name.
const KEPT_IN_MEMORY: usize = 8 << 20;

/// A message.
pub struct Message {
    name: String,
    source: RefCell<Source>,
}

enum Source {
    /// Standard input, or a pipe: once from the beginning to the end.
    Once(Box<dyn Read>),
    File(File),
    Kept(SpooledTempFile),
    /// A [`Source::Once`] that has been read.
    Gone,
}

impl Message {
    /// Opens a file, or standard input.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let name = name(path, "standard input");
        let source = if is_standard(path) {
            Source::Once(Box::new(io::stdin()))
        } else {
            let failure = |error: io::Error| Failure::io(&name, &error);
            let file = File::open(path).map_err(failure)?;
            let about = file.metadata().map_err(failure)?;
            if about.is_dir() {
                return Err(Failure::file(name, "is a directory"));
            }
            if about.is_file() { Source::File(file) } else { Source::Once(Box::new(file)) }
        };
        Ok(Self { name, source: RefCell::new(source) })
    }

    /// Its name in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Makes sure that the message can be read more than once.
    pub fn keep(&self) -> Result<(), Failure> {
        let mut source = self.source.borrow_mut();
        if let Source::Once(from) = &mut *source {
            let mut kept = SpooledTempFile::new(KEPT_IN_MEMORY);
            io::copy(from, &mut kept).map_err(|error| Failure::io(&self.name, &error))?;
            *source = Source::Kept(kept);
        }
        Ok(())
    }

    /// Gives the whole message to `take`, piece by piece, and returns its length.
    pub fn read(&self, take: &mut dyn FnMut(&[u8])) -> Result<u64, Failure> {
        let failure = |error: io::Error| Failure::io(&self.name, &error);
        let mut source = self.source.borrow_mut();
        let mut progress = Progress::bytes(&self.name, source.len());
        let mut piece = vec![0; PIECE];
        let mut total = 0;
        source.rewind().map_err(failure)?;
        loop {
            let n = match source.read(&mut piece) {
                Ok(0) => break,
                Ok(n) => n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(failure(error)),
            };
            take(&piece[..n]);
            total += n as u64;
            progress.set(total);
        }
        if let Source::Once(_) = *source {
            *source = Source::Gone;
        }
        Ok(total)
    }

    /// Gives the message backwards, last byte first. It must be one that can be read more than once.
    pub fn read_reversed(&self, take: &mut dyn FnMut(&[u8])) -> Result<(), Failure> {
        let failure = |error: io::Error| Failure::io(&self.name, &error);
        let mut source = self.source.borrow_mut();
        let mut piece = vec![0; PIECE];
        let mut end = source.seek(SeekFrom::End(0)).map_err(failure)?;
        while end > 0 {
            let n = end.min(PIECE as u64);
            end -= n;
            source.seek(SeekFrom::Start(end)).map_err(failure)?;
            let piece = &mut piece[..n as usize];
            source.read_exact(piece).map_err(failure)?;
            piece.reverse();
            take(piece);
        }
        Ok(())
    }
}

impl Source {
    /// Its length, where it is known before it is read.
    fn len(&self) -> Option<u64> {
        match self {
            Self::File(file) => file.metadata().ok().map(|m| m.len()),
            Self::Once(_) | Self::Kept(_) | Self::Gone => None,
        }
    }

    fn rewind(&mut self) -> io::Result<()> {
        match self {
            Self::Once(_) => Ok(()),
            _ => self.seek(SeekFrom::Start(0)).map(drop),
        }
    }
}

/// Said of a pipe that is wanted a second time, which [`Message::keep`] is there to prevent.
fn gone() -> io::Error {
    io::Error::other("can be read only once")
}

impl Read for Source {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Once(from) => from.read(out),
            Self::File(file) => file.read(out),
            Self::Kept(kept) => kept.read(out),
            Self::Gone => Err(gone()),
        }
    }
}

impl Seek for Source {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::File(file) => file.seek(to),
            Self::Kept(kept) => kept.seek(to),
            Self::Once(_) | Self::Gone => Err(gone()),
        }
    }
}
