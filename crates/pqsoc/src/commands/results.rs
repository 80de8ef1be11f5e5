//! Reading results, for the commands that show them.
use crate::failure::{Failure, name};
use pqsoc_lab::results::Results;
use std::{fs::File, io::Read, path::Path};

/// No file of results is longer.
const MOST: u64 = 256 << 20;

/// Reads a text file, or standard input for `-`.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    let shown = name(path, "standard input");
    let failure = |error: std::io::Error| Failure::io(&shown, &error);
    let mut text = String::new();
    let read = if crate::files::is_standard(path) {
        std::io::stdin().lock().take(MOST + 1).read_to_string(&mut text)
    } else {
        File::open(path).and_then(|file| file.take(MOST + 1).read_to_string(&mut text))
    };
    match read {
        Ok(_) if text.len() as u64 > MOST => {
            Err(Failure::file(&shown, "more than 256 MiB, too large for results"))
        }
        Ok(_) => Ok(text),
        // The words of the system for it say nothing about the file.
        Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
            Err(Failure::file(&shown, "is not text in UTF-8"))
        }
        Err(error) => Err(failure(error)),
    }
}

/// Reads results.
pub fn read(path: &Path) -> Result<Results, Failure> {
    Results::from_json(&read_text(path)?).map_err(|error| Failure::file(name(path, "standard input"), error))
}
