//! [`Refusal`]: why an archive is not read, with the entry and the byte.

use std::fmt;
use std::io;

use crate::finding::{Code, Finding, Place};
use crate::limits::{Bytes, Exceeded};

use super::codes;

/// Which entry of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number, from 1: in a tar its turn among the entries, in a zip its turn in the central directory.
    pub number: u64,
    /// Its name as people can read it: escaped, and cut where it is long.
    pub name: String,
}

impl Entry {
    /// The entry called `name`, whatever its bytes are.
    #[must_use]
    pub fn new(number: u64, name: &[u8]) -> Self {
        Self { number, name: shown(name) }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "entry {} (`{}`)", self.number, self.name)
    }
}

/// Longest text of an archive that is printed, in characters.
const SHOWN: usize = 120;

/// Bytes of an archive, for people: control characters and what is not UTF-8 escaped, and cut where they are long.
pub(super) fn shown(bytes: &[u8]) -> String {
    // Four bytes a character at most, so a text of any length costs only what is shown of it.
    let head = &bytes[..bytes.len().min(4 * SHOWN)];
    let mut shown = String::new();
    let mut left = SHOWN;
    let mut chunks = head.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        let valid = chunk.valid().chars().count();
        shown.extend(chunk.valid().chars().take(left).flat_map(char::escape_debug));
        if valid > left {
            return shown + "…";
        }
        left -= valid;
        // A character that the cut above split is no fault of the text.
        let is_split = head.len() < bytes.len() && chunks.peek().is_none();
        for byte in chunk.invalid().iter().filter(|_| !is_split) {
            let Some(less) = left.checked_sub(1) else { return shown + "…" };
            left = less;
            shown.push_str(&format!("\\x{byte:02x}"));
        }
    }
    if head.len() < bytes.len() { shown + "…" } else { shown }
}

/// A byte of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offset {
    /// In the file as it is.
    Archive(u64),
    /// In the tar that a gzip unpacks to.
    Unpacked(u64),
}

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Archive(at) => write!(f, "byte {at}"),
            Self::Unpacked(at) => write!(f, "byte {at} of the unpacked tar"),
        }
    }
}

/// Why an archive is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The stable name of the reason.
    pub code: &'static Code,
    /// What is so, with the values that make it so; one sentence without full stop.
    pub message: String,
    /// Where it shows.
    pub at: Offset,
    /// The entry it shows in, where it is an entry's.
    pub entry: Option<Entry>,
}

impl Refusal {
    pub(super) fn new(code: &'static Code, at: Offset, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), at, entry: None }
    }

    /// A budget ran out.
    pub(super) fn exceeded(exceeded: Exceeded, at: Offset) -> Self {
        let (code, message) = match exceeded {
            Exceeded::Entries { max } => {
                (&codes::TOO_MANY_ENTRIES, format!("the archive has more than {max} entries and folders"))
            }
            Exceeded::Depth { max } => {
                (&codes::PATH_TOO_DEEP, format!("the entry lies more than {max} levels deep"))
            }
            Exceeded::FileBytes { max } => {
                (&codes::FILE_TOO_LARGE, format!("the file is longer than {}", Bytes(max)))
            }
            Exceeded::TotalBytes { max } | Exceeded::DocumentBytes { max } => {
                (&codes::TOTAL_TOO_LARGE, format!("the files are longer than {} in all", Bytes(max)))
            }
            Exceeded::ArchiveBytes { max } => {
                (&codes::ARCHIVE_TOO_LARGE, format!("the archive is longer than {}", Bytes(max)))
            }
            Exceeded::Ratio { max } => {
                (&codes::RATIO, format!("the content unpacks to more than {max} times what it is packed in"))
            }
        };
        Self::new(code, at, message)
    }

    /// The refusal as a finding at `place`: the archive itself, as whoever read it names it.
    #[must_use]
    pub fn finding(&self, place: Place) -> Finding {
        Finding::new(self.code, place, self.to_string())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(entry) = &self.entry {
            write!(f, "{entry}: ")?;
        }
        write!(f, "{} ({})", self.message, self.at)
    }
}

impl std::error::Error for Refusal {}

/// Why no tree came out of an archive.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The archive is at fault.
    Refused(Refusal),
    /// The source or the spool failed.
    Io(io::Error),
}

impl Error {
    /// Names the entry, where a refusal does not name one yet.
    pub(super) fn within(mut self, number: u64, name: &[u8]) -> Self {
        if let Self::Refused(refusal) = &mut self {
            refusal.entry.get_or_insert_with(|| Entry::new(number, name));
        }
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Refused(_) => None,
            Self::Io(error) => Some(error),
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// A refusal that travelled through a [`Read`](io::Read) as an [`io::Error`] comes out as what it is.
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        match error.downcast::<Refusal>() {
            Ok(refusal) => Self::Refused(refusal),
            Err(error) => Self::Io(error),
        }
    }
}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> Self {
        Self::new(io::ErrorKind::InvalidData, refusal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_survives_the_way_through_a_reader() {
        let refusal = Refusal::new(&codes::RATIO, Offset::Archive(7), "too much");
        let error = Error::from(io::Error::from(refusal.clone())).within(3, b"a\nb");
        assert!(
            matches!(&error, Error::Refused(out) if out.code == refusal.code && out.at == refusal.at),
            "{error:?}"
        );
        assert_eq!(error.to_string(), "entry 3 (`a\\nb`): too much (byte 7)");
        assert!(matches!(Error::from(io::Error::other("disk")), Error::Io(_)));
    }

    #[test]
    fn a_name_is_shown_escaped_and_cut() {
        assert_eq!(Entry::new(1, b"a\x1b[2J\xff").name, "a\\u{1b}[2J\\xff");
        let long = Entry::new(1, "技".repeat(10_000).as_bytes());
        assert_eq!(long.name, format!("{}…", "技".repeat(SHOWN)));
        let exact = "é".repeat(SHOWN);
        assert_eq!(shown(exact.as_bytes()), exact);
        assert_eq!(shown(&[0xff; 10_000]), format!("{}…", "\\xff".repeat(SHOWN)));
        assert_eq!(shown(b""), "");
    }
}
