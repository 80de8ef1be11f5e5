//! How the program ends when it does not end well: one sentence and an exit code.
use std::{fmt, io, path::Path, process::ExitCode};

/// Exit codes; 0 is good. Part of the interface: scripts depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Code {
    /// A signature or a test vector is bad, or a measured program failed.
    Bad = 1,
    /// The command line makes no sense.
    Usage = 2,
    /// A file cannot be read or written, or is not what it should be.
    Format = 3,
    /// The policy forbids it.
    Policy = 4,
    /// A figure is over its budget, or nothing fits.
    Budget = 6,
}

/// Why the program stops.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub code: Code,
    /// What the person should read; none when everything has been said or nobody can read it.
    pub sentence: Option<String>,
}

impl Failure {
    /// A failure that a sentence explains.
    pub fn new(code: Code, sentence: impl fmt::Display) -> Self {
        Self { code, sentence: Some(sentence.to_string()) }
    }

    /// A failure that has been explained already.
    pub fn silent(code: Code) -> Self {
        Self { code, sentence: None }
    }

    /// A command line that makes no sense.
    pub fn usage(sentence: impl fmt::Display) -> Self {
        Self::new(Code::Usage, sentence)
    }

    /// A file that cannot be used.
    pub fn file(name: impl fmt::Display, sentence: impl fmt::Display) -> Self {
        Self::new(Code::Format, format_args!("{name}: {sentence}"))
    }

    /// A file that the system does not let be read or written.
    pub fn io(name: impl fmt::Display, error: &io::Error) -> Self {
        Self::file(name, io_sentence(error))
    }

    /// Writing to standard output failed. A reader that went away, as `head` does, is not worth a message.
    pub fn stdout(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::silent(Code::Format),
            _ => Self::io("standard output", error),
        }
    }

    /// Prints the sentence and gives the code.
    pub fn report(&self) -> ExitCode {
        if let Some(sentence) = &self.sentence {
            say(sentence);
        }
        ExitCode::from(self.code as u8)
    }
}

/// A message for the person, on standard error. Nothing can be done when it cannot be written.
pub fn say(sentence: impl fmt::Display) {
    use io::Write;
    let _ = writeln!(io::stderr(), "pqsoc: {sentence}");
}

/// The name of a file in a message: `-` is spelt out, and what is not printable does not reach the terminal.
pub fn name(path: &Path, standard: &str) -> String {
    if crate::files::is_standard(path) {
        return standard.to_string();
    }
    path.to_string_lossy()
        .chars()
        .flat_map(|c| {
            let plain = (!c.is_control()).then_some(c);
            plain.into_iter().chain(c.escape_default().filter(move |_| plain.is_none()))
        })
        .collect()
}

/// The system's words without its number.
fn io_sentence(error: &io::Error) -> String {
    let text = error.to_string();
    let words = text.split_once(" (os error").map_or(text.as_str(), |(words, _)| words);
    let mut letters = words.chars();
    let first = letters.next().map(|c| c.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_words() {
        let error = std::fs::File::open("/nonexistent").unwrap_err();
        assert_eq!(io_sentence(&error), "no such file or directory");
        assert_eq!(io_sentence(&io::Error::other("Own words")), "own words");
    }

    #[test]
    fn names_are_safe_to_print() {
        assert_eq!(name(Path::new("-"), "standard input"), "standard input");
        assert_eq!(name(Path::new("kéy.pem"), ""), "kéy.pem");
        assert_eq!(name(Path::new("a\x1b[2Jb\n"), ""), "a\\u{1b}[2Jb\\n");
    }
}
