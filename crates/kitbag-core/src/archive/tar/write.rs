//! The writer: entries in, blocks out. Nothing of the machine gets into the bytes: no owner, no group, no time.
//!
//! [`Layout`] says what formats lay down differently. What is written is read back by [`super::read()`] with
//! [`Profile::STRICT`](super::Profile::STRICT).

use std::cmp::Ordering;
use std::fmt;
use std::io::{self, Read, Write};

use crate::archive::source::fill;
use crate::path::PackagePath;
use crate::tree::{Blob, Executable};

use super::header::BLOCK;

/// How a tar is laid out.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Paths that stand before all others, in this order.
    pub first: &'static [&'static str],
    /// Paths that stand after all others, in this order.
    pub last: &'static [&'static str],
    /// The order of the rest.
    pub order: Order,
    /// Which mode a file gets.
    pub modes: Modes,
    /// What the two device numbers of a regular file look like.
    pub devices: Devices,
    /// Where a path of more than a hundred bytes is cut in two.
    pub split: Split,
}

/// The order of paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By UTF-16 code units, as JavaScript compares: above U+FFFF before U+E000–U+FFFF.
    Utf16,
    /// By UTF-8 bytes, which is the order of code points.
    Bytes,
}

/// Which mode a file gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modes {
    /// 0644.
    Plain,
    /// 0755 where a file is executable, otherwise 0644.
    Executable,
}

/// What the device numbers look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Devices {
    /// All NUL.
    Nul,
    /// Seven zeros and a NUL, as POSIX has it.
    Zero,
}

/// At which slash a long path is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// At the first that leaves both parts short enough: the shortest prefix.
    First,
    /// At the last that does: the longest prefix, as GNU tar and Python cut.
    Last,
}

/// Longest name and longest prefix in a header.
const NAME_BYTES: usize = 100;
const PREFIX_BYTES: usize = 155;
/// One more than the largest size that eleven octal digits hold.
const SIZE_END: u64 = 1 << 33;

/// Why a tar could not be written.
#[derive(Debug)]
#[non_exhaustive]
pub enum WriteError {
    /// The sink failed.
    Out(io::Error),
    /// A content could not be read.
    Content {
        /// Whose.
        path: PackagePath,
        /// Why.
        error: io::Error,
    },
    /// A content is not as long as was said.
    Length {
        /// Whose.
        path: PackagePath,
        /// As long as was said.
        listed: u64,
    },
    /// No slash cuts the path into parts that a header holds.
    PathTooLong {
        /// The path.
        path: PackagePath,
    },
    /// The file is too long for a header: 8 GiB or more.
    FileTooLong {
        /// Its path.
        path: PackagePath,
    },
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Out(error) => write!(f, "the archive cannot be written: {error}"),
            Self::Content { path, error } => write!(f, "`{path}` cannot be read: {error}"),
            Self::Length { path, listed } => {
                write!(f, "`{path}` is no longer {listed} bytes long, as it was when it was listed")
            }
            Self::PathTooLong { path } => write!(f, "`{path}` is too long for a tar header"),
            Self::FileTooLong { path } => write!(f, "`{path}` is too long for a tar header: 8 GiB or more"),
        }
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Out(error) | Self::Content { error, .. } => Some(error),
            Self::Length { .. } | Self::PathTooLong { .. } | Self::FileTooLong { .. } => None,
        }
    }
}

impl Order {
    /// Which path comes before the other.
    #[must_use]
    pub fn compare(self, one: &str, other: &str) -> Ordering {
        match self {
            Self::Utf16 => one.encode_utf16().cmp(other.encode_utf16()),
            Self::Bytes => one.cmp(other),
        }
    }
}

impl Layout {
    /// Which path comes before the other.
    #[must_use]
    pub fn compare(&self, one: &str, other: &str) -> Ordering {
        let rank = |path: &str| {
            let place = |list: &[&str]| list.iter().position(|listed| *listed == path);
            match (place(self.first), place(self.last)) {
                (Some(at), _) => (0, at),
                (None, None) => (1, 0),
                (None, Some(at)) => (2, at),
            }
        };
        rank(one).cmp(&rank(other)).then_with(|| self.order.compare(one, other))
    }

    /// The prefix and the name that hold `path`; `None` when no header can.
    #[must_use]
    pub fn split<'p>(&self, path: &'p str) -> Option<(&'p str, &'p str)> {
        if path.len() <= NAME_BYTES {
            return Some(("", path));
        }
        let fits = |&at: &usize| at <= PREFIX_BYTES && path.len() - at - 1 <= NAME_BYTES;
        let mut slashes = path.match_indices('/').map(|(at, _)| at);
        let at = match self.split {
            Split::First => slashes.find(fits),
            Split::Last => slashes.rfind(fits),
        }?;
        Some((&path[..at], &path[at + 1..]))
    }

    /// Bytes that one file of `len` bytes takes.
    #[must_use]
    pub const fn entry_bytes(len: u64) -> u64 {
        const BLOCK_BYTES: u64 = BLOCK as u64;
        BLOCK_BYTES.saturating_add(len.div_ceil(BLOCK_BYTES).saturating_mul(BLOCK_BYTES))
    }

    /// Bytes of the end of a tar: two blocks of zeros.
    pub const END_BYTES: u64 = 2 * BLOCK as u64;

    fn header(
        &self,
        path: &PackagePath,
        executable: Executable,
        len: u64,
    ) -> Result<[u8; BLOCK], WriteError> {
        let Some((prefix, name)) = self.split(path.as_str()) else {
            return Err(WriteError::PathTooLong { path: path.clone() });
        };
        if len >= SIZE_END {
            return Err(WriteError::FileTooLong { path: path.clone() });
        }
        let mut header = [0; BLOCK];
        let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, name.as_bytes());
        put(
            100,
            match (self.modes, executable) {
                (Modes::Executable, Executable::Yes) => b"0000755\0",
                _ => b"0000644\0",
            },
        );
        put(108, b"0000000\0");
        put(116, b"0000000\0");
        put(124, format!("{len:011o}\0").as_bytes());
        put(136, b"00000000000\0");
        put(148, b"        ");
        put(156, b"0");
        put(257, b"ustar\x0000");
        if self.devices == Devices::Zero {
            put(329, b"0000000\0");
            put(337, b"0000000\0");
        }
        put(345, prefix.as_bytes());
        let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        Ok(header)
    }
}

/// Writes a tar, entry by entry, in the order in which it is given them; [`write()`] puts them in order. Nothing of a
/// content is kept.
pub struct Writer<'l, W> {
    out: W,
    layout: &'l Layout,
}

impl<'l, W: Write> Writer<'l, W> {
    /// A tar with nothing in it yet.
    pub const fn new(out: W, layout: &'l Layout) -> Self {
        Self { out, layout }
    }

    /// Writes one file, whose content is exactly the `len` bytes that `content` gives.
    ///
    /// # Errors
    /// [`WriteError`]; what was written before is then no tar.
    pub fn file(
        &mut self,
        path: &PackagePath,
        executable: Executable,
        len: u64,
        content: &mut dyn Read,
    ) -> Result<(), WriteError> {
        let header = self.layout.header(path, executable, len)?;
        self.out.write_all(&header).map_err(WriteError::Out)?;
        let failed = |error| WriteError::Content { path: path.clone(), error };
        let mut chunk = [0; 16 << 10];
        let mut left = len;
        while left > 0 {
            let most = usize::try_from(left).map_or(chunk.len(), |left| left.min(chunk.len()));
            let n = fill(content, &mut chunk[..most]).map_err(failed)?;
            if n < most {
                return Err(WriteError::Length { path: path.clone(), listed: len });
            }
            self.out.write_all(&chunk[..n]).map_err(WriteError::Out)?;
            left -= n as u64;
        }
        if fill(content, &mut chunk[..1]).map_err(failed)? > 0 {
            return Err(WriteError::Length { path: path.clone(), listed: len });
        }
        let over = usize::try_from(len % BLOCK as u64).unwrap_or(0);
        if over > 0 {
            self.out.write_all(&[0; BLOCK][over..]).map_err(WriteError::Out)?;
        }
        Ok(())
    }

    /// Writes the two blocks of zeros that end a tar, and gives the sink back.
    ///
    /// # Errors
    /// [`WriteError::Out`].
    pub fn finish(mut self) -> Result<W, WriteError> {
        self.out.write_all(&[0; 2 * BLOCK]).map_err(WriteError::Out)?;
        Ok(self.out)
    }
}

/// Writes `files` as one tar, in the order of `layout`, and gives the sink back.
///
/// # Errors
/// [`WriteError`].
pub fn write<'f, W: Write>(
    files: impl IntoIterator<Item = (&'f PackagePath, &'f Blob)>,
    layout: &Layout,
    out: W,
) -> Result<W, WriteError> {
    let mut files: Vec<_> = files.into_iter().collect();
    files.sort_by(|(one, _), (other, _)| layout.compare(one.as_str(), other.as_str()));
    let mut writer = Writer::new(out, layout);
    for (path, blob) in files {
        let mut content = blob.open().map_err(|error| WriteError::Content { path: path.clone(), error })?;
        writer.file(path, blob.executable(), blob.len(), &mut *content)?;
    }
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::tar::{Packing, Profile, read};
    use crate::archive::{InMemory, LIMITS, Reading};
    use crate::tree::Node;

    const PLAIN: Layout = Layout {
        first: &[],
        last: &[],
        order: Order::Utf16,
        modes: Modes::Plain,
        devices: Devices::Nul,
        split: Split::First,
    };

    fn path(text: &str) -> PackagePath {
        PackagePath::new(text).unwrap()
    }

    fn tar(layout: &Layout, files: &[(&str, &str)]) -> Vec<u8> {
        let files: Vec<_> = files.iter().map(|(at, text)| (path(at), Blob::from_bytes(*text))).collect();
        write(files.iter().map(|(at, blob)| (at, blob)), layout, Vec::new()).unwrap()
    }

    fn names(tar: &[u8]) -> Vec<String> {
        let name = |block: &[u8]| {
            let text = block[..100].split(|&byte| byte == 0).next().unwrap();
            String::from_utf8(text.to_vec()).unwrap()
        };
        // Every content below is shorter than a block, and so takes one.
        tar[..tar.len() - 1024].chunks(1024).map(name).collect()
    }

    #[test]
    fn what_is_written_is_read_back_by_the_strict_reader() {
        let long = format!("{}/{}/file.txt", "d".repeat(90), "e".repeat(60));
        for devices in [Devices::Nul, Devices::Zero] {
            for split in [Split::First, Split::Last] {
                let layout = Layout { devices, split, modes: Modes::Executable, ..PLAIN };
                let bytes = tar(&layout, &[("b/c", "x"), ("a", ""), (&long, "y")]);
                let reading = Reading { name: None, limits: LIMITS, spool: &mut InMemory };
                let tree = read(&mut &*bytes, &Profile::STRICT, Packing::Plain, reading).unwrap().tree;
                let files: Vec<_> = tree
                    .iter()
                    .filter(|(_, node)| matches!(node, Node::File(_)))
                    .map(|(path, _)| path.as_str().to_owned())
                    .collect();
                assert_eq!(files, ["a", "b/c", &*long]);
                assert_eq!(tree.file(&long).unwrap().read(10).unwrap(), b"y");
            }
        }
    }

    #[test]
    fn the_order_is_the_layouts() {
        let files = [("\u{ff5e}", "1"), ("\u{1f980}", "2"), ("z", "3"), ("A", "4"), ("m", "5")];
        assert_eq!(names(&tar(&PLAIN, &files)), ["A", "m", "z", "\u{1f980}", "\u{ff5e}"]);
        let layout = Layout { first: &["z", "m"], last: &["A"], order: Order::Bytes, ..PLAIN };
        assert_eq!(names(&tar(&layout, &files)), ["z", "m", "\u{ff5e}", "\u{1f980}", "A"]);
    }

    #[test]
    fn a_long_path_is_cut_where_the_layout_says_or_refused() {
        let cut = |split, path: &str| {
            let (prefix, name) = Layout { split, ..PLAIN }.split(path)?;
            Some((prefix.len(), name.len()))
        };
        let path = format!("{}/{}/{}", "a".repeat(50), "b".repeat(50), "c".repeat(45));
        assert_eq!(path.len(), 147);
        assert_eq!(cut(Split::First, &path), Some((50, 96)));
        assert_eq!(cut(Split::Last, &path), Some((101, 45)));
        for split in [Split::First, Split::Last] {
            assert_eq!(cut(split, &"x".repeat(100)), Some((0, 100)));
            assert_eq!(cut(split, &"x".repeat(101)), None);
            assert_eq!(cut(split, &format!("{}/{}", "x".repeat(155), "y".repeat(100))), Some((155, 100)));
            assert_eq!(cut(split, &format!("{}/{}", "x".repeat(156), "y".repeat(100))), None);
        }
    }

    #[test]
    fn a_content_that_changed_its_length_is_an_error() {
        for (len, content) in [(3, "ab"), (1, "ab")] {
            let mut writer = Writer::new(Vec::new(), &PLAIN);
            let written = writer.file(&path("a"), Executable::No, len, &mut content.as_bytes());
            assert!(matches!(written, Err(WriteError::Length { .. })), "{len}");
        }
        let mut writer = Writer::new(Vec::new(), &PLAIN);
        writer.file(&path("a"), Executable::No, 2, &mut &b"ab"[..]).unwrap();
        assert_eq!(writer.finish().unwrap().len(), 512 * 4);
        let too_long =
            Writer::new(io::sink(), &PLAIN).file(&path("a"), Executable::No, 1 << 33, &mut io::empty());
        assert!(matches!(too_long, Err(WriteError::FileTooLong { .. })));
    }
}
