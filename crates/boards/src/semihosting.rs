// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Semihosting ("Semihosting for AArch32 and AArch64", Arm): console, exit code, clock, and files if they are allowed.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Component, Path, PathBuf};

use crate::console::{Channel, Console};

/// ADP_Stopped_ApplicationExit: the reason of an exit that went well.
const APPLICATION_EXIT: u32 = 0x20026;
const MINUS_ONE: u32 = u32::MAX;
/// errno values of newlib, which the C libraries of these programs use.
const ENOENT: u32 = 2;
const EBADF: u32 = 9;
const EACCES: u32 = 13;
const EINVAL: u32 = 22;

/// Memory and facts that a call may ask for.
pub trait Target {
    /// Reads memory; false if a byte of it does not exist.
    fn read(&mut self, address: u32, bytes: &mut [u8]) -> bool;
    /// Writes memory; false if a byte of it does not exist.
    fn write(&mut self, address: u32, bytes: &[u8]) -> bool;
    /// Time since power-on in core cycles, and cycles of a second.
    fn time(&self) -> (u64, u64);
    /// Seconds since power-on.
    fn seconds(&self) -> f64;
    /// Heap base and limit, stack base and limit: 0 where unknown.
    fn heap_info(&self) -> [u32; 4];
}

/// What a call did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Goes on with this in R0.
    Return(u32),
    /// The program ends with this exit code.
    Exit(i32),
    /// The operation number means nothing.
    Unknown,
}

enum Handle {
    Stdin,
    Stdout,
    Stderr,
    /// ":semihosting-features", and how much of it was read.
    Features(usize),
    File(File),
}

/// Magic and feature bits: SYS_EXIT_EXTENDED, separate standard output and error.
const FEATURES: [u8; 5] = [0x53, 0x48, 0x46, 0x42, 0x03];

/// The host's side.
pub struct Semihosting {
    handles: Vec<Option<Handle>>,
    /// Files may be opened below this directory.
    root: Option<PathBuf>,
    command_line: String,
    errno: u32,
    /// Paths that were refused.
    refused: Vec<String>,
}

impl Semihosting {
    /// `root`: the directory whose files the program may open; `None` refuses all. `command_line` goes to
    /// SYS_GET_CMDLINE.
    pub fn new(root: Option<PathBuf>, command_line: String) -> Self {
        Self { handles: Vec::new(), root, command_line, errno: 0, refused: Vec::new() }
    }

    /// Paths that the program wanted and did not get.
    pub fn refused(&self) -> &[String] {
        &self.refused
    }

    /// Does operation `op` (R0) with argument `arg` (R1).
    pub fn call(&mut self, op: u32, arg: u32, target: &mut impl Target, console: &mut Console) -> Outcome {
        let result = match op {
            0x01 => self.open(arg, target),
            0x02 => block::<1>(arg, target).and_then(|[handle]| {
                let slot = self.handles.get_mut(handle.checked_sub(1)? as usize)?;
                slot.take().map(|_| 0)
            }),
            0x03 => bytes(arg, 1, target).map(|byte| {
                console.write(Channel::SemihostingOut, &byte);
                0
            }),
            0x04 => {
                console.write(Channel::SemihostingOut, &string(arg, target));
                Some(0)
            }
            0x05 => self.write(arg, target, console),
            0x06 => self.read(arg, target),
            // SYS_READC: there is no keyboard.
            0x07 => Some(MINUS_ONE),
            0x08 => block::<1>(arg, target).map(|[status]| status >> 31),
            0x09 => block::<1>(arg, target).and_then(|[handle]| {
                self.handle(handle)
                    .map(|h| u32::from(matches!(h, Handle::Stdin | Handle::Stdout | Handle::Stderr)))
            }),
            0x0a => block::<2>(arg, target).and_then(|[handle, position]| match self.handle(handle)? {
                Handle::File(file) => file.seek(SeekFrom::Start(position.into())).ok().map(|_| 0),
                Handle::Features(at) => {
                    *at = position as usize;
                    Some(0)
                }
                _ => None,
            }),
            0x0c => block::<1>(arg, target).and_then(|[handle]| match self.handle(handle)? {
                Handle::File(file) => u32::try_from(file.metadata().ok()?.len()).ok(),
                Handle::Features(_) => Some(FEATURES.len() as u32),
                _ => Some(0),
            }),
            0x0e => self.path(arg, target).and_then(|path| std::fs::remove_file(path).ok().map(|()| 0)),
            0x0f => block::<4>(arg, target).and_then(|[from, from_length, to, to_length]| {
                let from = self.allowed(&name(from, from_length, target)?)?;
                let to = self.allowed(&name(to, to_length, target)?)?;
                std::fs::rename(from, to).ok().map(|()| 0)
            }),
            // SYS_TMPNAM and SYS_SYSTEM: no.
            0x0d | 0x12 => None,
            0x10 => Some((target.seconds() * 100.0) as u32),
            // SYS_TIME counts from the start, so that runs can be repeated.
            0x11 => Some(target.seconds() as u32),
            0x13 => return Outcome::Return(self.errno),
            0x15 => block::<2>(arg, target).and_then(|[buffer, size]| {
                let mut text = self.command_line.clone().into_bytes();
                text.push(0);
                let fits = text.len() as u32 <= size && target.write(buffer, &text);
                let length = (text.len() as u32 - 1).to_le_bytes();
                (fits && target.write(arg.wrapping_add(4), &length)).then_some(0)
            }),
            0x16 => block::<1>(arg, target).and_then(|[at]| {
                let words = target.heap_info().map(u32::to_le_bytes);
                target.write(at, words.as_flattened()).then_some(0)
            }),
            0x18 => return Outcome::Exit(i32::from(arg != APPLICATION_EXIT)),
            0x20 => match block::<2>(arg, target) {
                Some([APPLICATION_EXIT, code]) => return Outcome::Exit(code as i32),
                Some(_) => return Outcome::Exit(1),
                None => None,
            },
            0x30 => {
                let ticks = target.time().0.to_le_bytes();
                target.write(arg, &ticks).then_some(0)
            }
            0x31 => u32::try_from(target.time().1).ok(),
            _ => return Outcome::Unknown,
        };
        Outcome::Return(result.unwrap_or(MINUS_ONE))
    }

    fn handle(&mut self, number: u32) -> Option<&mut Handle> {
        let slot = number.checked_sub(1).and_then(|i| self.handles.get_mut(i as usize));
        if slot.is_none() {
            self.errno = EBADF;
        }
        slot?.as_mut()
    }

    fn open(&mut self, arg: u32, target: &mut impl Target) -> Option<u32> {
        let [at, mode, length] = block::<3>(arg, target)?;
        let name = name(at, length, target)?;
        let handle = match (name.as_str(), mode) {
            (":tt", 0..=3) => Handle::Stdin,
            (":tt", 4..=7) => Handle::Stdout,
            (":tt", 8..=11) => Handle::Stderr,
            (":semihosting-features", 0 | 1) => Handle::Features(0),
            (_, 0..=11) => {
                let path = self.allowed(&name)?;
                // r, r+, w, w+, a, a+; the binary forms are between them.
                let (read, write) = (mode < 4 || mode & 2 != 0, mode >= 4 || mode & 2 != 0);
                let mut options = OpenOptions::new();
                options
                    .read(read)
                    .write(write)
                    .append(mode >= 8)
                    .create(mode >= 4)
                    .truncate((4..8).contains(&mode));
                match options.open(path) {
                    Ok(file) => Handle::File(file),
                    Err(_) => {
                        self.errno = ENOENT;
                        return None;
                    }
                }
            }
            _ => {
                self.errno = EINVAL;
                return None;
            }
        };
        let free = self.handles.iter().position(Option::is_none);
        let index = free.unwrap_or_else(|| {
            self.handles.push(None);
            self.handles.len() - 1
        });
        self.handles[index] = Some(handle);
        Some(index as u32 + 1)
    }

    /// Returns the number of bytes not written.
    fn write(&mut self, arg: u32, target: &mut impl Target, console: &mut Console) -> Option<u32> {
        let [handle, at, length] = block::<3>(arg, target)?;
        let Some(data) = bytes(at, length, target) else { return Some(length) };
        match self.handle(handle)? {
            Handle::Stdout => console.write(Channel::SemihostingOut, &data),
            Handle::Stderr => console.write(Channel::SemihostingError, &data),
            Handle::File(file) => {
                if file.write_all(&data).is_err() {
                    return Some(length);
                }
            }
            Handle::Stdin | Handle::Features(_) => return Some(length),
        }
        Some(0)
    }

    /// Returns the number of bytes not read.
    fn read(&mut self, arg: u32, target: &mut impl Target) -> Option<u32> {
        let [handle, at, length] = block::<3>(arg, target)?;
        let mut data = Vec::new();
        match self.handle(handle)? {
            Handle::File(file) => {
                file.take(length.into()).read_to_end(&mut data).ok()?;
            }
            Handle::Features(done) => {
                let rest = FEATURES.get(*done..).unwrap_or_default();
                data.extend_from_slice(&rest[..rest.len().min(length as usize)]);
                *done += data.len();
            }
            _ => {}
        }
        target.write(at, &data).then(|| length - data.len() as u32)
    }

    fn path(&mut self, arg: u32, target: &mut impl Target) -> Option<PathBuf> {
        let [at, length] = block::<2>(arg, target)?;
        let name = name(at, length, target)?;
        self.allowed(&name)
    }

    /// The file called `name` below the root; links that lead out of it are refused too.
    fn allowed(&mut self, name: &str) -> Option<PathBuf> {
        let path = Path::new(name);
        let plain = path.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
        let found = self.root.as_ref().filter(|_| plain).and_then(|root| {
            let root = root.canonicalize().ok()?;
            let full = root.join(path);
            let real = match full.canonicalize() {
                Ok(real) => real,
                // It does not exist yet: then its directory must. A dangling link is not followed.
                Err(_) if full.is_symlink() => return None,
                Err(_) => full.parent()?.canonicalize().ok()?.join(full.file_name()?),
            };
            real.starts_with(&root).then_some(real)
        });
        if found.is_none() {
            self.errno = EACCES;
            if !self.refused.iter().any(|r| r == name) {
                self.refused.push(name.to_string());
            }
        }
        found
    }
}

/// `N` words at `address`.
fn block<const N: usize>(address: u32, target: &mut impl Target) -> Option<[u32; N]> {
    let mut words = [[0; 4]; N];
    target.read(address, words.as_flattened_mut()).then(|| words.map(u32::from_le_bytes))
}

/// Bytes that the program names; no more than the address space of the board can hold.
fn bytes(address: u32, length: u32, target: &mut impl Target) -> Option<Vec<u8>> {
    let mut data = Vec::new();
    let mut chunk = [0; 256];
    let mut left = length as usize;
    while left != 0 {
        let part = &mut chunk[..left.min(256)];
        if !target.read(address.wrapping_add(data.len() as u32), part) {
            return None;
        }
        data.extend_from_slice(part);
        left -= part.len();
    }
    Some(data)
}

fn name(address: u32, length: u32, target: &mut impl Target) -> Option<String> {
    String::from_utf8(bytes(address, length.min(4096), target)?).ok()
}

/// The bytes up to a zero, or to the end of memory.
fn string(address: u32, target: &mut impl Target) -> Vec<u8> {
    let mut text = Vec::new();
    let mut byte = [0];
    while target.read(address.wrapping_add(text.len() as u32), &mut byte) && byte[0] != 0 {
        text.push(byte[0]);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;

    struct Ram(Vec<u8>);

    impl Target for Ram {
        fn read(&mut self, address: u32, bytes: &mut [u8]) -> bool {
            let at = address as usize;
            self.0.get(at..at + bytes.len()).map(|from| bytes.copy_from_slice(from)).is_some()
        }
        fn write(&mut self, address: u32, bytes: &[u8]) -> bool {
            let at = address as usize;
            self.0.get_mut(at..at + bytes.len()).map(|to| to.copy_from_slice(bytes)).is_some()
        }
        fn time(&self) -> (u64, u64) {
            (0x1_0000_0002, 24_000_000)
        }
        fn seconds(&self) -> f64 {
            1.5
        }
        fn heap_info(&self) -> [u32; 4] {
            [1, 2, 3, 4]
        }
    }

    impl Ram {
        fn words(&mut self, at: u32, words: &[u32]) {
            for (i, word) in words.iter().enumerate() {
                assert!(self.write(at + 4 * i as u32, &word.to_le_bytes()));
            }
        }
    }

    fn console() -> (Console, Rc<RefCell<Vec<u8>>>) {
        let out = Rc::new(RefCell::new(Vec::new()));
        let sink = out.clone();
        (Console::new(Box::new(move |_, bytes| sink.borrow_mut().write_all(bytes)), "", None), out)
    }

    #[test]
    fn console_exit_and_time() {
        let (mut console, out) = console();
        let mut ram = Ram(vec![0; 512]);
        let mut host = Semihosting::new(None, "app one two".into());
        let mut call = |host: &mut Semihosting, ram: &mut Ram, op, arg| host.call(op, arg, ram, &mut console);

        ram.write(0x100, b":tt\0");
        ram.words(0, &[0x100, 4, 3]);
        assert_eq!(call(&mut host, &mut ram, 0x01, 0), Outcome::Return(1));
        ram.write(0x100, b"hello");
        ram.words(0, &[1, 0x100, 5]);
        assert_eq!(call(&mut host, &mut ram, 0x05, 0), Outcome::Return(0));
        ram.write(0x100, b" there\0");
        assert_eq!(call(&mut host, &mut ram, 0x04, 0x100), Outcome::Return(0));
        assert_eq!(*out.borrow(), b"hello there");
        assert_eq!(call(&mut host, &mut ram, 0x09, 0), Outcome::Return(1));
        ram.words(0, &[7]);
        assert_eq!(call(&mut host, &mut ram, 0x09, 0), Outcome::Return(MINUS_ONE));
        assert_eq!(call(&mut host, &mut ram, 0x13, 0), Outcome::Return(EBADF));

        ram.words(0, &[0x100, 64]);
        assert_eq!(call(&mut host, &mut ram, 0x15, 0), Outcome::Return(0));
        assert_eq!((&ram.0[0x100..0x10c], ram.0[4]), (&b"app one two\0"[..], 11));
        ram.words(0, &[0x100, 4]);
        assert_eq!(call(&mut host, &mut ram, 0x15, 0), Outcome::Return(MINUS_ONE), "too small");

        assert_eq!(call(&mut host, &mut ram, 0x10, 0), Outcome::Return(150));
        assert_eq!(call(&mut host, &mut ram, 0x30, 0x20), Outcome::Return(0));
        assert_eq!(ram.0[0x20..0x28], 0x1_0000_0002u64.to_le_bytes());
        assert_eq!(call(&mut host, &mut ram, 0x18, 0x20026), Outcome::Exit(0));
        assert_eq!(call(&mut host, &mut ram, 0x18, 0x20023), Outcome::Exit(1));
        ram.words(0, &[0x20026, 42]);
        assert_eq!(call(&mut host, &mut ram, 0x20, 0), Outcome::Exit(42));
        assert_eq!(call(&mut host, &mut ram, 0x99, 0), Outcome::Unknown);
        ram.words(0, &[0xffff_fff0, 4, 3]);
        assert_eq!(call(&mut host, &mut ram, 0x01, 0), Outcome::Return(MINUS_ONE), "a name outside memory");
    }

    #[test]
    fn files_only_below_the_directory() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        std::fs::create_dir(&root).unwrap();
        std::fs::write(dir.path().join("secret"), "s").unwrap();
        std::fs::write(root.join("in.txt"), "0123456789").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("../secret", root.join("link")).unwrap();
        let (mut console, _) = console();
        let mut ram = Ram(vec![0; 512]);
        let mut open = |root: Option<PathBuf>, name: &str, mode| {
            let mut host = Semihosting::new(root, String::new());
            ram.write(0x100, name.as_bytes());
            ram.words(0, &[0x100, mode, name.len() as u32]);
            let result = host.call(0x01, 0, &mut ram, &mut console);
            if result != Outcome::Return(1) {
                return Err(host.refused().to_vec());
            }
            ram.words(0, &[1, 0x180, 4]);
            let left = host.call(0x06, 0, &mut ram, &mut console);
            Ok((left, ram.0[0x180..0x184].to_vec()))
        };
        assert_eq!(open(None, "in.txt", 0), Err(vec!["in.txt".to_string()]));
        assert_eq!(open(Some(root.clone()), "in.txt", 0), Ok((Outcome::Return(0), b"0123".to_vec())));
        for bad in ["../secret", "/etc/passwd", "link", "a/../../secret"] {
            assert_eq!(open(Some(root.clone()), bad, 0), Err(vec![bad.to_string()]), "{bad}");
        }
        assert!(open(Some(root.clone()), "new.txt", 4).is_ok());
        assert!(root.join("new.txt").exists());
        assert_eq!(
            open(Some(root), ":semihosting-features", 0),
            Ok((Outcome::Return(0), FEATURES[..4].to_vec()))
        );
    }
}
