//! PEM and DER: the documents in a file.
use crate::Error;
use base64ct::{Base64, Encoding};
use zeroize::Zeroizing;

/// A DER value, out of a PEM block or a file of its own.
#[derive(Clone)]
pub struct Document {
    /// The label of its PEM block; none for a DER file.
    pub label: Option<String>,
    /// The line of its `-----BEGIN`, counted from 1; 0 for a DER file.
    pub line: usize,
    /// The bytes. They may be a private key.
    pub der: Zeroizing<Vec<u8>>,
}

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";

/// Bytes that hold a UTF-16 text beginning with a hyphen, with the mark that says so, in either byte order.
const UTF_16: [&[u8]; 2] = [b"\xff\xfe-\0", b"\xfe\xff\0-"];

/// The documents of a file: its PEM blocks in order, or the one DER value that it is.
///
/// Text outside the blocks is a comment, as `openssl … -text` writes it. Lines may have any length and any end.
///
/// # Errors
/// [`Error::Empty`], [`Error::Utf16`], [`Error::Pem`] with the line, [`Error::NotDer`] for a file that is neither,
/// [`Error::Trailing`] and [`Error::Truncated`] for a DER value that ends before or after the file.
pub fn documents(file: &[u8]) -> Result<Vec<Document>, Error> {
    if file.is_empty() {
        return Err(Error::Empty);
    }
    if UTF_16.iter().any(|mark| file.starts_with(mark)) {
        return Err(Error::Utf16);
    }
    let blocks = pem(file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file))?;
    if !blocks.is_empty() {
        return Ok(blocks);
    }
    let expected = der_len(file).ok_or(Error::NotDer)?;
    match file.len() {
        len if len < expected => Err(Error::Truncated { len, expected }),
        len if len > expected => Err(Error::Trailing { len, expected }),
        _ => Ok(vec![Document { label: None, line: 0, der: Zeroizing::new(file.to_vec()) }]),
    }
}

/// The length of the DER SEQUENCE at the start of `bytes`, header included; `None` when none starts there.
fn der_len(bytes: &[u8]) -> Option<usize> {
    let (&tag, rest) = bytes.split_first()?;
    let (&first, rest) = rest.split_first()?;
    match (tag, first) {
        (0x30, 0..=0x7f) => Some(2 + usize::from(first)),
        (0x30, 0x81..=0x84) => {
            let count = usize::from(first & 0x7f);
            let len = rest.get(..count)?.iter().fold(0_u64, |len, &b| len << 8 | u64::from(b));
            usize::try_from(len).ok()?.checked_add(2 + count)
        }
        _ => None,
    }
}

/// All PEM blocks of a text. RFC 7468, read as widely as its "lax" grammar.
fn pem(text: &[u8]) -> Result<Vec<Document>, Error> {
    struct Open {
        label: String,
        line: usize,
        body: usize,
    }
    let unfinished =
        |block: Open| Error::Pem { line: block.line, what: format!("{} block has no END line", block.label) };
    let mut documents = Vec::new();
    let mut open: Option<Open> = None;
    let mut position = 0;
    for (line, bytes) in (1..).zip(text.split_inclusive(|&b| b == b'\n')) {
        let start = position;
        position += bytes.len();
        let bytes = bytes.trim_ascii();
        if let Some(label) = boundary(bytes, BEGIN) {
            if let Some(block) = open {
                return Err(unfinished(block));
            }
            open = Some(Open { label, line, body: position });
        } else if let Some(label) = boundary(bytes, END) {
            let what = match open.take() {
                Some(block) if block.label == label => {
                    documents.push(decode(label, block.line, &text[block.body..start])?);
                    continue;
                }
                Some(block) => format!("END {label} does not match BEGIN {}", block.label),
                None => format!("END {label} without its BEGIN line"),
            };
            return Err(Error::Pem { line, what });
        } else if let Some(block) = &open
            && bytes.contains(&b':')
        {
            return Err(Error::PemHeaders { label: block.label.clone(), line });
        }
    }
    open.map_or(Ok(documents), |block| Err(unfinished(block)))
}

/// The label of a line `-----BEGIN label-----`.
fn boundary(line: &[u8], start: &[u8]) -> Option<String> {
    let label = line.strip_prefix(start)?.strip_suffix(b"-----")?;
    // A label is printable ASCII; anything else is shown as such and then is not known.
    Some(label.escape_ascii().to_string())
}

/// The DER value of the block that began at `line`, from the lines between its boundaries.
fn decode(label: String, line: usize, body: &[u8]) -> Result<Document, Error> {
    // All the room at once: growing would leave copies of a private key behind.
    let mut base64 = Zeroizing::new(Vec::with_capacity(body.len()));
    base64.extend(body.iter().filter(|b| !b.is_ascii_whitespace()));
    let mut der = Zeroizing::new(vec![0; base64.len() / 4 * 3 + 3]);
    // Base64 without tables or branches on the characters, as they may be a private key.
    match Base64::decode(base64.as_slice(), &mut der).map(<[u8]>::len) {
        Ok(0) => Err(Error::Pem { line, what: format!("the {label} block is empty") }),
        Ok(len) => {
            der.truncate(len);
            Ok(Document { label: Some(label), line, der })
        }
        Err(_) => Err(Error::Pem { line, what: format!("the Base64 of the {label} block is damaged") }),
    }
}

/// `der` as a PEM block, 64 characters a line.
pub(crate) fn to_pem(label: &'static str, der: &[u8]) -> Zeroizing<String> {
    let text = der::pem::encode_string(label, der::pem::LineEnding::LF, der);
    Zeroizing::new(text.expect("labels are fixed and the length fits"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: impl AsRef<[u8]>) -> String {
        match documents(text.as_ref()) {
            Ok(_) => panic!("accepted"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn blocks_of_all_shapes() {
        let der = [0x30, 4, 1, 2, 3, 4];
        let plain = to_pem("THING", &der);
        for text in [
            plain.to_string(),
            plain.replace('\n', "\r\n"),
            plain.trim_end().to_string(),
            format!("\u{feff}{}", plain.as_str()),
            format!("subject=x\n  indented: y\n\n{}trailing words\n", plain.as_str()),
            "-----BEGIN THING-----\nMA\nQB\n\n  AgM E\n-----END THING-----".into(),
            "   -----BEGIN THING-----\t\nMAQBAgME\n  -----END THING-----  \n".into(),
        ] {
            let found = documents(text.as_bytes()).unwrap();
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!((found[0].label.as_deref(), &found[0].der[..]), (Some("THING"), &der[..]), "{text}");
        }
        let two = documents(format!("{0}\n{0}", plain.as_str()).as_bytes()).unwrap();
        assert_eq!(two.iter().map(|d| d.line).collect::<Vec<_>>(), [1, 5]);
    }

    #[test]
    fn damaged_blocks_name_their_line() {
        assert_eq!(error("x\n-----BEGIN A-----\nMAQBAgME\n"), "line 2: A block has no END line");
        assert_eq!(
            error("-----BEGIN A-----\n-----BEGIN B-----\n-----END B-----"),
            "line 1: A block has no END line"
        );
        assert_eq!(error("-----BEGIN A-----\n-----END B-----\n"), "line 2: END B does not match BEGIN A");
        assert_eq!(error("-----END B-----\n"), "line 1: END B without its BEGIN line");
        assert_eq!(error("-----BEGIN A-----\n-----END A-----\n"), "line 1: the A block is empty");
        for base64 in ["MAQBAgM", "MAQBAgM=E", "MAQB!gME", "MAQBAgMF=", "MAQBAgN=", "MA-_AgME"] {
            let text = format!("-----BEGIN A-----\n{base64}\n-----END A-----\n");
            assert_eq!(error(text), "line 1: the Base64 of the A block is damaged", "{base64}");
        }
    }

    #[test]
    fn der_ends_where_the_file_ends() {
        assert!(documents(&[0x30, 2, 5, 0]).is_ok());
        assert!(documents(&[&[0x30, 0x82, 1, 0][..], &[0; 256]].concat()).is_ok());
        assert_eq!(documents(&[0x30, 2, 5, 0, 9]).err(), Some(Error::Trailing { len: 5, expected: 4 }));
        assert_eq!(documents(&[0x30, 3, 5, 0]).err(), Some(Error::Truncated { len: 4, expected: 5 }));
        assert_eq!(documents(&[]).err(), Some(Error::Empty));
        assert_eq!(documents(b"\xff\xfe-\0-\0").err(), Some(Error::Utf16));
        for other in [&b"0"[..], b"0\x80\0\0", b"0\x85\0\0\0\0\0\0", b"0\x84\xff", b"text", b"\xff"] {
            assert_eq!(documents(other).err(), Some(Error::NotDer), "{other:?}");
        }
        assert_eq!(
            documents(b"0\x84\xff\xff\xff\xff").err(),
            Some(Error::Truncated { len: 6, expected: 0xffff_ffff + 6 })
        );
    }
}
