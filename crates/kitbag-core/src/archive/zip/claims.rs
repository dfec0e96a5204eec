//! [`Claims`]: what the directory of a zip says, believed as it stands.
//!
//! The reader of this room believes nothing that is not said twice. Other programs believe the directory, and to say what
//! such a program makes of a zip, somebody has to read it as that program does. This is that reading, and nothing else:
//! nothing is checked, nothing is joined to a folder, and what comes out of it is compared and told, never installed.

use std::io::{self, Read, SeekFrom};

use crate::archive::inflate::Inflate;
use crate::archive::source::{Source, fill};

use super::fields::{u16_at, u32_at};

const END: &[u8] = b"PK\x05\x06";
const END_BYTES: usize = 22;
const RECORD: &[u8] = b"PK\x01\x02";
const RECORD_BYTES: usize = 46;
const LOCAL: &[u8] = b"PK\x03\x04";
const LOCAL_BYTES: usize = 30;

/// Bytes that are searched at once for the end.
const WINDOW_BYTES: usize = 64 << 10;

/// How far from the end of the file the end record is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndSearch {
    /// In the whole file.
    WholeFile,
    /// In as many last bytes as can hold an end record with its comment.
    Tail,
}

/// What the directory says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// How many entries the end says there are.
    pub stated: u16,
    /// Where it says the directory begins.
    pub directory: u32,
    /// The entries, up to the number that is said and up to the first record that is none.
    pub entries: Vec<Claim>,
    /// Whether fewer records were found than the end says there are.
    pub is_short: bool,
}

/// What the directory says about one entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The name, as its bytes are.
    pub name: Box<[u8]>,
    /// The flags.
    pub flags: u16,
    /// The compression method.
    pub method: u16,
    /// The system that is said to have written it; 3 is Unix.
    pub host: u8,
    /// The attributes; the upper half is a Unix mode where Unix wrote it.
    pub attributes: u32,
    /// Bytes it is packed in.
    pub packed: u32,
    /// Bytes it is said to have.
    pub size: u32,
    /// Where its local record is said to begin.
    pub offset: u32,
}

impl Claim {
    /// Whether the flags say that the name is UTF-8.
    #[must_use]
    pub const fn says_utf8(&self) -> bool {
        self.flags & 1 << 11 != 0
    }

    /// Whether the flags say that the content is encrypted.
    #[must_use]
    pub const fn says_encrypted(&self) -> bool {
        self.flags & 1 != 0
    }
}

/// Why a content cannot be got at.
#[derive(Debug)]
#[non_exhaustive]
pub enum ContentFault {
    /// The local record lies outside of the file, or is none.
    Local,
    /// The content goes on past the end of the file.
    PastEnd,
    /// The source failed.
    Io(io::Error),
}

impl From<io::Error> for ContentFault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Whether a local record must begin as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalSignature {
    /// It must.
    Checked,
    /// Whatever stands there is taken for one.
    Believed,
}

impl Claims {
    /// What the zip in `source` claims; `None` when no end record is where one is looked for.
    ///
    /// # Errors
    /// The source's own.
    pub fn read(source: &mut dyn Source, search: EndSearch) -> io::Result<Option<Self>> {
        let len = source.seek(SeekFrom::End(0))?;
        let Some(end) = find_end(source, len, search)? else { return Ok(None) };
        let mut claims = Self {
            stated: u16_at(&end, 10),
            directory: u32_at(&end, 16),
            entries: Vec::new(),
            is_short: false,
        };
        source.seek(SeekFrom::Start(claims.directory.into()))?;
        let mut directory = io::BufReader::new(source);
        for _ in 0..claims.stated {
            match claim(&mut directory)? {
                Some(claim) => claims.entries.push(claim),
                None => {
                    claims.is_short = true;
                    break;
                }
            }
        }
        Ok(Some(claims))
    }
}

/// The last end record, from its signature on.
fn find_end(source: &mut dyn Source, len: u64, search: EndSearch) -> io::Result<Option<[u8; END_BYTES]>> {
    let Some(last) = len.checked_sub(END_BYTES as u64) else { return Ok(None) };
    let first = match search {
        EndSearch::WholeFile => 0,
        EndSearch::Tail => last.saturating_sub(u16::MAX.into()),
    };
    let mut window = vec![0; WINDOW_BYTES + END.len() - 1];
    // Windows from the back, each reaching a signature's length into the one behind it.
    let mut stop = last + 1;
    while stop > first {
        let start = stop.saturating_sub(WINDOW_BYTES as u64).max(first);
        source.seek(SeekFrom::Start(start))?;
        let wanted = usize::try_from(stop - start).unwrap_or(WINDOW_BYTES) + END.len() - 1;
        let found = fill(source, &mut window[..wanted])?;
        let at = window[..found].windows(END.len()).rposition(|bytes| bytes == END);
        if let Some(at) = at {
            let mut end = [0; END_BYTES];
            source.seek(SeekFrom::Start(start + at as u64))?;
            return Ok((fill(source, &mut end)? == END_BYTES).then_some(end));
        }
        stop = start;
    }
    Ok(None)
}

/// The next record; `None` where none is.
fn claim(directory: &mut impl Read) -> io::Result<Option<Claim>> {
    let mut fixed = [0; RECORD_BYTES];
    if fill(directory, &mut fixed)? < RECORD_BYTES || !fixed.starts_with(RECORD) {
        return Ok(None);
    }
    let name_bytes = usize::from(u16_at(&fixed, 28));
    let mut variable =
        vec![0; name_bytes + usize::from(u16_at(&fixed, 30)) + usize::from(u16_at(&fixed, 32))];
    if fill(directory, &mut variable)? < variable.len() {
        return Ok(None);
    }
    variable.truncate(name_bytes);
    Ok(Some(Claim {
        name: variable.into(),
        flags: u16_at(&fixed, 8),
        method: u16_at(&fixed, 10),
        host: fixed[5],
        attributes: u32_at(&fixed, 38),
        packed: u32_at(&fixed, 20),
        size: u32_at(&fixed, 24),
        offset: u32_at(&fixed, 42),
    }))
}

/// The content of `claim` in `source`, unpacked where its method is deflate and as it stands otherwise. It has as many
/// bytes as it has: whoever reads it puts a bound to it.
///
/// # Errors
/// [`ContentFault`] where there is no content to begin with. What is wrong with the compressed bytes shows while they are
/// read.
pub fn content<'s>(
    source: &'s mut dyn Source,
    claim: &Claim,
    signature: LocalSignature,
) -> Result<Box<dyn Read + 's>, ContentFault> {
    let len = source.seek(SeekFrom::End(0))?;
    let at = u64::from(claim.offset);
    if at + LOCAL_BYTES as u64 > len {
        return Err(ContentFault::Local);
    }
    source.seek(SeekFrom::Start(at))?;
    let mut local = [0; LOCAL_BYTES];
    let is_whole = fill(source, &mut local)? == LOCAL_BYTES;
    if !is_whole || (signature == LocalSignature::Checked && !local.starts_with(LOCAL)) {
        return Err(ContentFault::Local);
    }
    let start = at + (LOCAL_BYTES + usize::from(u16_at(&local, 26)) + usize::from(u16_at(&local, 28))) as u64;
    if start + u64::from(claim.packed) > len {
        return Err(ContentFault::PastEnd);
    }
    source.seek(SeekFrom::Start(start))?;
    let packed = source.take(claim.packed.into());
    Ok(if claim.method == 8 { Box::new(Inflate::new(packed, start)) } else { Box::new(packed) })
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use kitbag_testkit::archive::zip::{Entry, Zip};

    fn text(bytes: &[u8], claim: &Claim, signature: LocalSignature) -> Result<String, ContentFault> {
        let mut source = Cursor::new(bytes);
        let mut content = content(&mut source, claim, signature)?;
        let mut into = [0; 64];
        let found = fill(&mut content, &mut into)?;
        Ok(String::from_utf8_lossy(&into[..found]).into_owned())
    }

    #[test]
    fn what_the_directory_says_is_believed() {
        let entries = [
            Entry::stored("a", b"one").local(|header| header.name = b"b".to_vec()),
            Entry::deflated("../x", b"two").central(|header| (header.crc, header.size) = (0, 7)),
        ];
        let zip = Zip { suffix: b"junk".to_vec(), ..Zip::of(entries) };
        let bytes = zip.bytes();
        let claims = Claims::read(&mut Cursor::new(&bytes), EndSearch::WholeFile).unwrap().unwrap();
        assert!(!claims.is_short);
        let names: Vec<&[u8]> = claims.entries.iter().map(|claim| &*claim.name).collect();
        assert_eq!(names, [&b"a"[..], b"../x"]);
        for (claim, content) in claims.entries.iter().zip(["one", "two"]) {
            assert_eq!(text(&bytes, claim, LocalSignature::Checked).unwrap(), content);
        }
    }

    #[test]
    fn a_count_that_is_too_high_makes_the_claims_short_and_one_too_low_hides_entries() {
        let zip = Zip::of([Entry::stored("a", b""), Entry::stored("b", b"")]);
        let read = |entries: u16| {
            let bytes = zip.bytes_with(|end| end.entries = entries, |_, _| Vec::new());
            let claims = Claims::read(&mut Cursor::new(bytes), EndSearch::Tail).unwrap().unwrap();
            (claims.entries.len(), claims.is_short)
        };
        assert_eq!(read(1), (1, false));
        assert_eq!(read(2), (2, false));
        assert_eq!(read(u16::MAX), (2, true));
    }

    #[test]
    fn a_local_record_elsewhere_is_a_fault_and_no_panic() {
        let bytes = Zip::of([Entry::stored("a", b"one")]).bytes();
        let claims = Claims::read(&mut Cursor::new(&bytes), EndSearch::Tail).unwrap().unwrap();
        let at = |offset, packed| Claim { offset, packed, ..claims.entries[0].clone() };
        assert!(matches!(text(&bytes, &at(u32::MAX, 3), LocalSignature::Believed), Err(ContentFault::Local)));
        assert!(matches!(text(&bytes, &at(1, 3), LocalSignature::Checked), Err(ContentFault::Local)));
        assert!(matches!(
            text(&bytes, &at(0, u32::MAX), LocalSignature::Checked),
            Err(ContentFault::PastEnd)
        ));
    }

    #[test]
    fn the_end_is_found_wherever_it_is_looked_for() {
        let mut bytes = vec![0; 200_000];
        bytes[10..14].copy_from_slice(END);
        let read = |bytes: &[u8], search| Claims::read(&mut Cursor::new(bytes), search).unwrap();
        assert!(read(&bytes, EndSearch::WholeFile).is_some());
        assert!(read(&bytes, EndSearch::Tail).is_none());
        // A signature that lies across two windows.
        for at in [WINDOW_BYTES - 2, 200_000 - 22 - WINDOW_BYTES, 200_000 - 22 - WINDOW_BYTES - 2] {
            let mut bytes = vec![0; 200_000];
            bytes[at..at + 4].copy_from_slice(END);
            assert!(read(&bytes, EndSearch::WholeFile).is_some(), "{at}");
        }
        assert!(read(b"PK\x05\x06", EndSearch::WholeFile).is_none(), "half an end is none");
    }
}
