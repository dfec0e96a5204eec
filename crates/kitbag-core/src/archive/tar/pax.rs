//! pax extension records: `<length> <key>=<value>` and a line end, the length counting itself.

use crate::archive::codes;
use crate::archive::refusal::shown;

use super::header::Problem;

/// Most bytes of one extension: records hold names and attributes.
pub(super) const EXTENSION_BYTES: u64 = 256 << 10;

/// What is taken from the records before an entry.
#[derive(Debug, Default)]
pub(super) struct Records {
    pub(super) path: Option<String>,
    pub(super) link: Option<String>,
    /// Must be the header's own size: two sizes are two ideas of where the next header is.
    pub(super) size: Option<u64>,
}

/// For which entries records hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// For the next one.
    Next,
    /// For all that follow. Such records may describe, but name and measure nothing.
    Following,
}

/// Reads the records of one extension.
pub(super) fn parse(data: &[u8], scope: Scope) -> Result<Records, Problem> {
    let mut records = Records::default();
    let mut keys: Vec<&str> = Vec::new();
    let mut rest = data;
    while !rest.is_empty() {
        let (key, value, after) = split_record(rest).ok_or_else(|| {
            let at = data.len() - rest.len();
            (&codes::PAX_RECORD, format!("the pax record at byte {at} of its block is malformed"))
        })?;
        rest = after;
        keys.push(key);
        if scope == Scope::Following && matches!(key, "path" | "linkpath" | "size") {
            let message = format!("a pax record for all entries gives them a `{key}`");
            return Err((&codes::PAX_KEY, message));
        }
        match key {
            "path" => records.path = Some(name(key, value)?),
            "linkpath" => records.link = Some(name(key, value)?),
            "size" => records.size = Some(decimal(value).ok_or_else(|| malformed(key))?),
            "hdrcharset" | "charset" if value != b"ISO-IR 10646 2000 UTF-8" => {
                let message = format!("the names are in the character set `{}`", shown(value));
                return Err((&codes::NAME_NOT_UTF8, message));
            }
            _ if is_descriptive(key) => {}
            _ => {
                return Err((
                    &codes::PAX_KEY,
                    format!(
                        "the pax key `{}` changes how the entry is read, or is unknown",
                        shown(key.as_bytes())
                    ),
                ));
            }
        }
    }
    keys.sort_unstable();
    if let Some(twin) = keys.windows(2).find(|pair| pair[0] == pair[1]) {
        let message = format!("the pax key `{}` is there twice", shown(twin[0].as_bytes()));
        return Err((&codes::PAX_RECORD, message));
    }
    Ok(records)
}

/// Keys that describe an entry without changing which bytes are its name or content. Vendors' keys (`SCHILY.xattr.…`,
/// `LIBARCHIVE.creationtime`) have a dot; those of GNU's sparse files change the content.
fn is_descriptive(key: &str) -> bool {
    match key {
        "atime" | "ctime" | "mtime" | "uid" | "gid" | "uname" | "gname" | "comment" | "hdrcharset"
        | "charset" => true,
        _ => key.contains('.') && !key.starts_with("GNU.sparse") && key != "SCHILY.realsize",
    }
}

fn split_record(data: &[u8]) -> Option<(&str, &[u8], &[u8])> {
    let space = data.iter().take(11).position(|&byte| byte == b' ')?;
    let len = usize::try_from(decimal(&data[..space])?).ok()?;
    if len > data.len() || len < space + 2 {
        return None;
    }
    let (record, rest) = data.split_at(len);
    let record = record[space + 1..].strip_suffix(b"\n")?;
    let equals = record.iter().position(|&byte| byte == b'=')?;
    let key = std::str::from_utf8(&record[..equals]).ok().filter(|key| !key.is_empty())?;
    Some((key, &record[equals + 1..], rest))
}

fn decimal(digits: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(digits).ok()?;
    let plain = digits.first().is_some_and(u8::is_ascii_digit) && (digits[0] != b'0' || digits.len() == 1);
    text.parse().ok().filter(|_| plain)
}

fn malformed(key: &str) -> Problem {
    (&codes::PAX_RECORD, format!("the value of the pax key `{key}` is malformed"))
}

fn name(key: &str, value: &[u8]) -> Result<String, Problem> {
    match std::str::from_utf8(value) {
        Ok(text) if text.is_empty() || text.contains('\0') => Err(malformed(key)),
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err((&codes::NAME_NOT_UTF8, format!("the pax `{key}` is not valid UTF-8"))),
    }
}
