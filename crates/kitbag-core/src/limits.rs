//! How much is legal: [`Limits`] with a reason per field, and [`Budget`], the counter that spends them while bytes flow.
//!
//! No reader allocates by a number that came from outside. It asks the budget first, and the budget is spent on what was
//! really read, so a length that lies costs nothing.

use std::fmt;
use std::io::{self, Read};

/// Most of everything that one package, tree or archive may bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Files, links and special files together. A walk keeps a name and a few words for each.
    pub entries: u64,
    /// Nesting of folders. Deeper trees cannot be written on Windows and only exist to exhaust a walk.
    pub depth: usize,
    /// Bytes of one file. Larger ones are named and left unread.
    pub file_bytes: u64,
    /// Bytes of all files together.
    pub total_bytes: u64,
    /// Bytes of an archive before it is unpacked.
    pub archive_bytes: u64,
    /// Unpacked bytes per packed byte, once more than a mebibyte was unpacked. Deflate's own ceiling is about 1,032.
    pub ratio: u64,
    /// Bytes of a document that is parsed whole (SKILL.md, a contract, a manifest).
    pub document_bytes: u64,
}

impl Limits {
    /// The loosest limits any format allows: what a walk or an archive reader applies before it knows the format.
    pub const LOOSEST: Self = Self {
        entries: 100_000,
        depth: 64,
        file_bytes: 1 << 30,
        total_bytes: 4 << 30,
        archive_bytes: 1 << 30,
        ratio: 1_100,
        document_bytes: 8 << 20,
    };
}

/// Which of the [`Limits`] was reached, with the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exceeded {
    /// Too many entries.
    Entries {
        /// Most entries allowed.
        max: u64,
    },
    /// Folders nested too deeply.
    Depth {
        /// Most levels allowed.
        max: usize,
    },
    /// One file is too large.
    FileBytes {
        /// Most bytes allowed.
        max: u64,
    },
    /// All files together are too large.
    TotalBytes {
        /// Most bytes allowed.
        max: u64,
    },
    /// The archive itself is too large.
    ArchiveBytes {
        /// Most bytes allowed.
        max: u64,
    },
    /// The archive unpacks to far more than it is.
    Ratio {
        /// Most unpacked bytes per packed byte.
        max: u64,
    },
    /// A document is too large to be parsed.
    DocumentBytes {
        /// Most bytes allowed.
        max: u64,
    },
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entries { max } => write!(f, "more than {max} entries"),
            Self::Depth { max } => write!(f, "folders nested more than {max} deep"),
            Self::FileBytes { max } => write!(f, "a file of more than {}", Bytes(*max)),
            Self::TotalBytes { max } => write!(f, "more than {} in all", Bytes(*max)),
            Self::ArchiveBytes { max } => write!(f, "an archive of more than {}", Bytes(*max)),
            Self::Ratio { max } => write!(f, "an archive that unpacks to more than {max} times its size"),
            Self::DocumentBytes { max } => write!(f, "a document of more than {}", Bytes(*max)),
        }
    }
}

impl std::error::Error for Exceeded {}

/// A number of bytes, printed for people: `512 MiB`, `1000 bytes`, `1 byte`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (unit, name) in [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")] {
            if self.0 >= unit {
                let tenths = u128::from(self.0) * 10 / u128::from(unit);
                return if tenths % 10 == 0 {
                    write!(f, "{} {name}", tenths / 10)
                } else {
                    write!(f, "{}.{} {name}", tenths / 10, tenths % 10)
                };
            }
        }
        match self.0 {
            1 => f.write_str("1 byte"),
            bytes => write!(f, "{bytes} bytes"),
        }
    }
}

/// What is left of some [`Limits`] while a tree is walked or an archive is read.
#[derive(Clone, Debug)]
pub struct Budget {
    limits: Limits,
    entries: u64,
    bytes: u64,
}

impl Budget {
    /// A full budget.
    #[must_use]
    pub const fn new(limits: Limits) -> Self {
        Self { limits, entries: 0, bytes: 0 }
    }

    /// The limits this budget was made from.
    #[must_use]
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Bytes spent so far.
    #[must_use]
    pub const fn bytes_spent(&self) -> u64 {
        self.bytes
    }

    /// Entries spent so far.
    #[must_use]
    pub const fn entries_spent(&self) -> u64 {
        self.entries
    }

    /// Pays for one entry.
    ///
    /// # Errors
    /// [`Exceeded::Entries`] when there was none left.
    pub fn spend_entry(&mut self) -> Result<(), Exceeded> {
        self.entries = self.entries.saturating_add(1);
        if self.entries > self.limits.entries {
            Err(Exceeded::Entries { max: self.limits.entries })
        } else {
            Ok(())
        }
    }

    /// Checks a nesting level (the root's children are level 1).
    ///
    /// # Errors
    /// [`Exceeded::Depth`] when it is too deep.
    pub fn check_depth(&self, level: usize) -> Result<(), Exceeded> {
        if level > self.limits.depth { Err(Exceeded::Depth { max: self.limits.depth }) } else { Ok(()) }
    }

    /// Pays for `count` bytes of a file of which `already` were paid for.
    ///
    /// # Errors
    /// [`Exceeded::FileBytes`] or [`Exceeded::TotalBytes`].
    pub fn spend_bytes(&mut self, already: u64, count: u64) -> Result<(), Exceeded> {
        if already.saturating_add(count) > self.limits.file_bytes {
            return Err(Exceeded::FileBytes { max: self.limits.file_bytes });
        }
        self.bytes = self.bytes.saturating_add(count);
        if self.bytes > self.limits.total_bytes {
            return Err(Exceeded::TotalBytes { max: self.limits.total_bytes });
        }
        Ok(())
    }

    /// Checks what was unpacked so far against what it was unpacked from.
    ///
    /// # Errors
    /// [`Exceeded::Ratio`] once more than a mebibyte came out and the ratio is over the limit.
    pub fn check_ratio(&self, packed: u64) -> Result<(), Exceeded> {
        if self.bytes > 1 << 20 && self.bytes / packed.max(1) > self.limits.ratio {
            return Err(Exceeded::Ratio { max: self.limits.ratio });
        }
        Ok(())
    }
}

/// Why bytes could not be had.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// There were more than allowed.
    Exceeded(Exceeded),
    /// The source failed.
    Io(io::Error),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exceeded(exceeded) => exceeded.fmt(f),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ReadError {}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Exceeded> for ReadError {
    fn from(exceeded: Exceeded) -> Self {
        Self::Exceeded(exceeded)
    }
}

/// Reads `source` to its end, but never more than `max` bytes. `expected` sizes the first allocation and is only
/// believed up to 64 KiB.
///
/// # Errors
/// [`Exceeded::DocumentBytes`] when there is more, or the source's own error.
pub fn read_bounded(source: &mut dyn Read, expected: u64, max: u64) -> Result<Vec<u8>, ReadError> {
    let first = usize::try_from(expected.min(max).min(64 << 10)).unwrap_or(0);
    let mut bytes = Vec::with_capacity(first.saturating_add(1));
    #[expect(clippy::disallowed_methods, reason = "the source is cut off one byte past the limit")]
    source.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max { Err(Exceeded::DocumentBytes { max }.into()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_stops_at_the_first_byte_too_many_and_not_before() {
        let mut budget =
            Budget::new(Limits { file_bytes: 10, total_bytes: 15, entries: 1, ..Limits::LOOSEST });
        assert_eq!(budget.spend_bytes(0, 10), Ok(()));
        assert_eq!(budget.spend_bytes(10, 1), Err(Exceeded::FileBytes { max: 10 }));
        assert_eq!(budget.spend_bytes(0, 5), Ok(()));
        assert_eq!(budget.spend_bytes(5, 1), Err(Exceeded::TotalBytes { max: 15 }));
        assert_eq!(budget.spend_entry(), Ok(()));
        assert_eq!(budget.spend_entry(), Err(Exceeded::Entries { max: 1 }));
    }

    #[test]
    fn a_source_without_end_is_cut_off() {
        let result = read_bounded(&mut io::repeat(b'x'), u64::MAX, 100);
        assert!(matches!(result, Err(ReadError::Exceeded(Exceeded::DocumentBytes { max: 100 }))));
        assert_eq!(read_bounded(&mut &b"four"[..], 0, 4).unwrap(), b"four");
    }

    #[test]
    fn sizes_read_as_people_write_them() {
        assert_eq!(Bytes(512 << 20).to_string(), "512 MiB");
        assert_eq!(Bytes(1536).to_string(), "1.5 KiB");
        assert_eq!(Bytes(12).to_string(), "12 bytes");
    }
}
