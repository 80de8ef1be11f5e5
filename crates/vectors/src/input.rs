//! Files, directories and standard input; plain or compressed with xz.
use std::{
    ffi::OsStr,
    fs, io,
    io::Read,
    path::{Path, PathBuf},
};

/// The most that a file may hold once decompressed: far above any published set, far below what hurts.
const MAX_BYTES: u64 = 2 << 30;

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    pub path: PathBuf,
    /// Given by name, not found in a directory.
    pub named: bool,
}

/// All files that `paths` stand for, directories being walked in the order of names. Those that cannot be walked are
/// in the second list, with the reason.
pub(crate) fn expand(paths: &[PathBuf]) -> (Vec<Source>, Vec<(PathBuf, String)>) {
    let (mut sources, mut errors) = (Vec::new(), Vec::new());
    for path in paths {
        if path.is_dir() {
            walk(path, &mut sources, &mut errors);
        } else {
            sources.push(Source { path: path.clone(), named: true });
        }
    }
    (sources, errors)
}

fn walk(directory: &Path, sources: &mut Vec<Source>, errors: &mut Vec<(PathBuf, String)>) {
    let entries = fs::read_dir(directory).and_then(|entries| entries.collect::<io::Result<Vec<_>>>());
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(error) => return errors.push((directory.to_owned(), error.to_string())),
    };
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        // A link to a directory is not followed: it may lead back here.
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => walk(&path, sources, errors),
            Ok(_) if path.is_dir() => {}
            Ok(_) => sources.push(Source { path, named: false }),
            Err(error) => errors.push((path, error.to_string())),
        }
    }
}

/// Whether a path means standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == OsStr::new("-")
}

/// The bytes of a file, decompressed when they are xz (told by content, not by name).
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let raw = if is_stdin(path) { limited(io::stdin().lock())? } else { limited(fs::File::open(path)?)? };
    if !raw.starts_with(b"\xfd7zXZ\0") {
        return Ok(raw);
    }
    limited(liblzma::read::XzDecoder::new_multi_decoder(&*raw))
        .map_err(|error| io::Error::new(error.kind(), format!("cannot be decompressed: {error}")))
}

fn limited(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other("more than 2 GiB; no published set is as large"));
    }
    Ok(bytes)
}

/// The name without directories and without `.xz`: what tells the parameter set where a file does not say it.
pub(crate) fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.strip_suffix(".xz").unwrap_or(&name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn walks_in_order_and_reads_xz_by_content() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::create_dir(at("b")).unwrap();
        fs::write(at("b/y"), b"plain").unwrap();
        fs::write(at("c"), b"").unwrap();
        let mut packed = liblzma::write::XzEncoder::new(Vec::new(), 1);
        packed.write_all(b"packed").unwrap();
        let packed = packed.finish().unwrap();
        fs::write(at("a"), &packed).unwrap();
        let (sources, errors) = expand(&[directory.path().to_owned(), at("c")]);
        let wanted = [("a", false), ("b/y", false), ("c", false), ("c", true)];
        assert_eq!(sources, wanted.map(|(name, named)| Source { path: at(name), named }));
        assert_eq!(errors, []);
        assert_eq!(read(&at("a")).unwrap(), b"packed");
        assert_eq!(read(&at("b/y")).unwrap(), b"plain");
        for len in 6..packed.len() {
            fs::write(at("a"), &packed[..len]).unwrap();
            let error = read(&at("a")).unwrap_err().to_string();
            assert!(error.starts_with("cannot be decompressed"), "{len}: {error}");
        }
        assert!(read(&at("absent")).is_err());
    }

    #[test]
    fn stems() {
        for (path, name) in
            [("x/ML-DSA-44.json.xz", "ML-DSA-44.json"), ("y.rsp", "y.rsp"), ("-", "-"), ("/", "")]
        {
            assert_eq!(stem(Path::new(path)), name);
        }
    }
}
