//! One header block.

use crate::archive::codes;
use crate::finding::Code;

use super::profile::Headers;

/// Length of a block; every header is one, and every content fills whole ones.
pub(super) const BLOCK: usize = 512;

/// A reason to refuse, before the entry and the byte are known.
pub(super) type Problem = (&'static Code, String);

/// What a header announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    HardLink,
    SymbolicLink,
    Device,
    Folder,
    Pipe,
    Pax,
    PaxGlobal,
    GnuName,
    GnuLink,
    Other(u8),
}

/// What one header block says.
#[derive(Debug)]
pub(super) struct Header<'b> {
    pub(super) kind: Kind,
    /// Prefix and name, joined; not checked yet.
    pub(super) name: Vec<u8>,
    pub(super) link: &'b [u8],
    pub(super) size: u64,
    /// Whether an execute bit is set.
    pub(super) executable: bool,
}

/// The name field up to its first NUL, for messages about headers that are no headers.
pub(super) fn raw_name(block: &[u8; BLOCK]) -> &[u8] {
    until_nul(&block[..100])
}

impl<'b> Header<'b> {
    pub(super) fn parse(block: &'b [u8; BLOCK], headers: Headers) -> Result<Self, Problem> {
        let is_gnu = check_magic(&block[257..265], headers)?;
        check_sum(block, headers)?;
        let mode = number(&block[100..108], "mode", headers)?.unwrap_or(0);
        let Some(size) = number(&block[124..136], "size", headers)? else {
            return Err((&codes::TAR_NUMBER, "the size is missing".to_owned()));
        };
        if headers == Headers::Exact {
            for (field, what) in [(108..116, "owner"), (116..124, "group"), (136..148, "time")] {
                number(&block[field], what, headers)?;
            }
            for (field, what) in [(329..337, "device"), (337..345, "device")] {
                if block[field.clone()].iter().any(|&byte| byte != 0) {
                    number(&block[field], what, headers)?;
                }
            }
            check_zero(&block[500..512], "the bytes after the prefix")?;
        }
        let link = text(&block[157..257], "link")?;
        let mut name = text(&block[..100], "name")?.to_vec();
        if is_gnu {
            // GNU keeps times, sparse maps and a true size here; a reader that takes it for a prefix sees other names.
            check_zero(&block[345..500], "the bytes that are the prefix elsewhere and GNU's own here")?;
        } else {
            let prefix = text(&block[345..500], "prefix")?;
            if !prefix.is_empty() {
                name.insert(0, b'/');
                name.splice(..0, prefix.iter().copied());
            }
        }
        let kind = match block[156] {
            b'0' => Kind::File,
            0 if headers == Headers::Ordinary => Kind::File,
            b'1' => Kind::HardLink,
            b'2' => Kind::SymbolicLink,
            b'3' | b'4' => Kind::Device,
            b'5' => Kind::Folder,
            b'6' => Kind::Pipe,
            b'x' => Kind::Pax,
            b'g' => Kind::PaxGlobal,
            b'L' if is_gnu => Kind::GnuName,
            b'K' if is_gnu => Kind::GnuLink,
            other => Kind::Other(other),
        };
        Ok(Self { kind, name, link, size, executable: mode & 0o111 != 0 })
    }
}

/// Whether the magic is GNU's.
fn check_magic(magic: &[u8], headers: Headers) -> Result<bool, Problem> {
    match magic {
        b"ustar\x0000" => Ok(false),
        b"ustar  \0" if headers == Headers::Ordinary => Ok(true),
        _ => {
            let message = format!("the header's magic is `{}` and not ustar's", magic.escape_ascii());
            Err((&codes::TAR_MAGIC, message))
        }
    }
}

/// The sum of all bytes, with spaces in place of the sum itself.
fn check_sum(block: &[u8; BLOCK], headers: Headers) -> Result<(), Problem> {
    let sum = |bytes: &[u8]| bytes.iter().map(|&byte| u64::from(byte)).sum::<u64>();
    let computed = sum(&block[..148]) + 8 * u64::from(b' ') + sum(&block[156..]);
    let field = &block[148..156];
    let stored = match headers {
        Headers::Exact => field.strip_suffix(b"\0 ").and_then(octal),
        Headers::Ordinary => number(field, "checksum", headers)?,
    };
    match stored {
        Some(stored) if stored == computed => Ok(()),
        Some(stored) => {
            let message = format!("the header's bytes sum up to {computed:o} and {stored:o} is stored");
            Err((&codes::TAR_CHECKSUM, message))
        }
        None => {
            let message = format!("the header's checksum `{}` is not written as octal", field.escape_ascii());
            Err((&codes::TAR_CHECKSUM, message))
        }
    }
}

/// An octal number. Exactly: digits to the last byte but one, then NUL. Ordinarily: spaces, digits, then NUL or spaces to
/// the end; a field without digits is `None`. Base-256, which GNU uses for what octal cannot hold, is never taken.
fn number(field: &[u8], what: &str, headers: Headers) -> Result<Option<u64>, Problem> {
    let digits = match headers {
        Headers::Exact => field.strip_suffix(b"\0").filter(|digits| !digits.is_empty()),
        Headers::Ordinary => {
            let start = field.iter().take_while(|&&byte| byte == b' ').count();
            let digits = field[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            let (digits, rest) = field[start..].split_at(digits);
            rest.iter().all(|&byte| byte == 0 || byte == b' ').then_some(digits)
        }
    };
    match digits {
        Some([]) => Ok(None),
        Some(digits) if octal(digits).is_some() => Ok(octal(digits)),
        _ => {
            let how = if field[0] & 0x80 != 0 {
                "written in base 256, not in octal"
            } else {
                "not written in octal"
            };
            Err((&codes::TAR_NUMBER, format!("the {what} `{}` is {how}", field.escape_ascii())))
        }
    }
}

fn octal(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0u64, |number, &digit| {
        matches!(digit, b'0'..=b'7')
            .then(|| number.checked_mul(8)?.checked_add(u64::from(digit - b'0')))
            .flatten()
    })
}

/// The bytes up to the first NUL, when nothing is hidden behind it.
fn text<'b>(field: &'b [u8], what: &str) -> Result<&'b [u8], Problem> {
    let text = until_nul(field);
    check_zero(&field[text.len()..], &format!("the bytes behind the end of the {what}"))?;
    Ok(text)
}

fn until_nul(field: &[u8]) -> &[u8] {
    field.split(|&byte| byte == 0).next().unwrap_or_default()
}

fn check_zero(field: &[u8], what: &str) -> Result<(), Problem> {
    if field.iter().all(|&byte| byte == 0) {
        Ok(())
    } else {
        let end = field.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        Err((&codes::TAR_FIELD, format!("{what} are not zero: `{}`", field[..end].escape_ascii())))
    }
}
