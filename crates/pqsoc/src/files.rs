//! Files: `-`, limits on what is read, and writes that happen as a whole or not at all.
use crate::failure::{Failure, name};
use std::{
    fs::{self, File},
    io::{self, IsTerminal, Read, Write},
    path::{Path, PathBuf},
};
use tempfile::NamedTempFile;
use zeroize::Zeroizing;

/// Whether `path` stands for standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// Most bytes that a key, certificate or signature file may have: twenty times the longest signature.
pub const MAX_SMALL: usize = 1 << 20;

/// Reads a key, certificate or signature whole.
pub fn read_small(path: &Path) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let name = name(path, "standard input");
    let failure = |error: io::Error| Failure::io(&name, &error);
    // All the room at once: growing would leave copies of a private key behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(MAX_SMALL + 1));
    let limit = MAX_SMALL as u64 + 1;
    if is_standard(path) {
        io::stdin().lock().take(limit).read_to_end(&mut bytes).map_err(failure)?;
    } else {
        File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes)).map_err(failure)?;
    }
    if bytes.len() > MAX_SMALL {
        return Err(Failure::file(name, "more than 1 MiB, too large for a key, certificate or signature"));
    }
    Ok(bytes)
}

/// Who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Its owner alone.
    Private,
    /// Whoever the umask allows.
    Public,
}

/// A file, or standard output, that is to be written.
pub struct Output {
    name: String,
    target: Target,
}

enum Target {
    Standard,
    /// A device, pipe or socket: written as it is.
    Special(File),
    /// A file that comes into being when it is complete.
    File {
        temporary: NamedTempFile,
        path: PathBuf,
        force: bool,
    },
}

impl Output {
    /// Prepares to write `path`; everything that can be found wrong now is found wrong now.
    ///
    /// An existing file is an error without `force`. With it the file is replaced when the new one is complete; a
    /// symbolic link stays and the file that it leads to is replaced.
    pub fn create(path: &Path, access: Access, force: bool) -> Result<Self, Failure> {
        let name = name(path, "standard output");
        let failure = |error: io::Error| Failure::io(&name, &error);
        if is_standard(path) {
            return Ok(Self { name, target: Target::Standard });
        }
        let target = match fs::metadata(path) {
            Ok(there) if there.is_dir() => return Err(Failure::file(name, "is a directory")),
            // Nor is what stands for an open file, as /dev/stdout does, a name to replace.
            Ok(there) if !there.is_file() || path.starts_with("/dev") => {
                Target::Special(File::options().write(true).open(path).map_err(failure)?)
            }
            Ok(_) if !force => return Err(exists(&name)),
            Ok(_) => {
                Target::file(&fs::canonicalize(path).map_err(failure)?, access, force).map_err(failure)?
            }
            Err(_) if !force && path.is_symlink() => return Err(exists(&name)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Target::file(path, access, force).map_err(failure)?
            }
            Err(error) => return Err(failure(error)),
        };
        Ok(Self { name, target })
    }

    /// Whether this is a terminal, where binary data does harm.
    fn is_terminal(&self) -> bool {
        match &self.target {
            Target::Standard => io::stdout().is_terminal(),
            Target::Special(file) => file.is_terminal(),
            Target::File { .. } => false,
        }
    }

    /// Refuses to write what is not text to a terminal.
    pub fn expect_text(self, text: bool) -> Result<Self, Failure> {
        if !text && self.is_terminal() {
            return Err(Failure::usage("binary data would go to the terminal; give a file with --out"));
        }
        Ok(self)
    }

    /// Writes everything, and makes a file appear under its name.
    pub fn write(self, bytes: &[u8]) -> Result<(), Failure> {
        let Self { name, target } = self;
        match target {
            Target::Standard => {
                let mut out = io::stdout().lock();
                out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| Failure::stdout(&error))
            }
            Target::Special(mut file) => file.write_all(bytes).map_err(|error| Failure::io(name, &error)),
            Target::File { mut temporary, path, force } => {
                temporary
                    .write_all(bytes)
                    .and_then(|()| temporary.as_file().sync_all())
                    .map_err(|error| Failure::io(&name, &error))?;
                let persisted =
                    if force { temporary.persist(&path) } else { temporary.persist_noclobber(&path) };
                match persisted {
                    Ok(_) => Ok(()),
                    Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(exists(&name)),
                    Err(error) => Err(Failure::io(name, &error.error)),
                }
            }
        }
    }
}

impl Target {
    fn file(path: &Path, access: Access, force: bool) -> io::Result<Self> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".pqsoc-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = match access {
                Access::Private => 0o600,
                Access::Public => 0o666,
            };
            builder.permissions(fs::Permissions::from_mode(mode));
        }
        #[cfg(not(unix))]
        let _ = access;
        Ok(Self::File { temporary: builder.tempfile_in(folder)?, path: path.to_path_buf(), force })
    }
}

fn exists(name: &str) -> Failure {
    Failure::file(name, "exists already; --force replaces it")
}

/// Whether two paths lead to the same file.
pub fn same_file(a: &Path, b: &Path) -> bool {
    if is_standard(a) || is_standard(b) {
        return false;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let id =
            |path: &Path| fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|m| (m.dev(), m.ino()));
        id(a).is_some_and(|a| Some(a) == id(b))
    }
    #[cfg(not(unix))]
    {
        fs::canonicalize(a).ok().is_some_and(|a| fs::canonicalize(b).ok() == Some(a))
    }
}
