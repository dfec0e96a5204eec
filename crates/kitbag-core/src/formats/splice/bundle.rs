//! The legacy JSON bundle (Splice 1, "Legacy JSON bundle"): every file as base64 in one JSON document. Read from anybody;
//! written byte by byte as Splice wrote it, so that old versions can be built again.

use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::io;

use crate::archive::tar::Order;
use crate::json::{self, Json, SyntaxError, Value, excerpt};
use crate::path::PackagePath;
use crate::tree::{Blob, InsertError, Node, Root, Tree};

use super::{ARCHIVE_BYTES, FILES, words};

/// Why a bundle cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BundleError {
    /// It does not say that it is one.
    NotOne,
    /// It is longer than 5 MiB.
    TooLong,
    /// It is not UTF-8 or not JSON.
    Json(SyntaxError),
    /// It says another version.
    Version,
    /// It has no list of files, or too long a one.
    Files,
    /// An entry is none.
    Entry {
        /// Which, from 0.
        index: usize,
        /// Why.
        because: String,
    },
}

impl fmt::Display for BundleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotOne => f.write_str("it is not a Splice bundle"),
            Self::TooLong => write!(f, "it is longer than {ARCHIVE_BYTES} bytes"),
            Self::Json(error) => write!(f, "it is not valid UTF-8 JSON: {error}"),
            Self::Version => f.write_str("its formatVersion is not the number 1"),
            Self::Files => write!(f, "its files are not an array of at most {FILES} entries"),
            Self::Entry { index, because } => write!(f, "file #{index} {because}"),
        }
    }
}

impl std::error::Error for BundleError {}

/// Whether a file of this name is a bundle: the registry called one `<namespace>-<name>-<version>.splice.json`.
#[must_use]
pub fn is_name(name: &str) -> bool {
    name.ends_with(".splice.json")
}

/// The files of a bundle, in any order and with whatever else stands in it.
///
/// # Errors
/// The first [`BundleError`].
pub fn read(bytes: &[u8]) -> Result<Tree, BundleError> {
    if bytes.len() as u64 > ARCHIVE_BYTES {
        return Err(BundleError::TooLong);
    }
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let json = json::read(text).map_err(BundleError::Json)?;
    if json.get("format").and_then(Json::as_str) != Some("splice-bundle") {
        return Err(BundleError::NotOne);
    }
    match json.get("formatVersion").map(|version| &version.value) {
        Some(Value::Integer(1)) => {}
        Some(Value::Float(version)) if *version == 1.0 => {}
        _ => return Err(BundleError::Version),
    }
    let entries = json.get("files").and_then(Json::as_array).filter(|entries| entries.len() <= FILES);
    let mut tree = Tree::new(None, Root::Archive);
    let mut folded: HashMap<String, usize> = HashMap::new();
    for (index, entry) in entries.ok_or(BundleError::Files)?.iter().enumerate() {
        let refuse = |because: String| BundleError::Entry { index, because };
        let member = |name| entry.get(name).and_then(Json::as_str);
        let (Some(path), Some(content)) = (member("path"), member("content")) else {
            return Err(refuse("is malformed: it needs a path and a content, both texts".to_owned()));
        };
        if let Some(fault) = words::path_fault(path) {
            return Err(refuse(format!("has an unsafe path: `{}` {fault}", excerpt(path))));
        }
        if let Some(first) = folded.insert(path.to_lowercase(), index) {
            return Err(refuse(format!("has the path of file #{first}, but for case: `{}`", excerpt(path))));
        }
        let content = decode(content).ok_or_else(|| refuse("has a content that is not base64".to_owned()))?;
        let path =
            PackagePath::new(path).map_err(|problem| refuse(format!("has an unsafe path: {problem}")))?;
        tree.insert(path, Node::File(Blob::from_bytes(content))).map_err(|error| match error {
            InsertError::Inside { file } => refuse(format!("is in or around `{file}`, which is a file")),
            InsertError::Twin { path } => refuse(format!("has a path that is there twice: `{path}`")),
        })?;
    }
    Ok(tree)
}

/// Writes a bundle of `files`: compact, sorted by UTF-16 units, standard base64 with padding.
///
/// # Errors
/// The content's or the sink's own.
pub fn write<'f>(
    files: impl IntoIterator<Item = (&'f PackagePath, &'f Blob)>,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let mut files: Vec<_> = files.into_iter().collect();
    files.sort_by(|(one, _), (other, _)| Order::Utf16.compare(one.as_str(), other.as_str()));
    out.write_all(HEAD)?;
    for (at, (path, blob)) in files.into_iter().enumerate() {
        let content = blob.read(super::FILE_BYTES).map_err(io::Error::other)?;
        if at > 0 {
            out.write_all(b",")?;
        }
        let path = serde_json::to_string(path.as_str()).map_err(io::Error::other)?;
        write!(out, "{{\"path\":{path},\"content\":\"{}\"}}", encode(&content))?;
    }
    out.write_all(FOOT)
}

/// Length of the bundle of files with these paths and lengths.
pub fn bytes<'f>(files: impl IntoIterator<Item = (&'f PackagePath, u64)>) -> u64 {
    const AROUND: u64 = (HEAD.len() + FOOT.len()) as u64;
    const OF_EACH: u64 = r#"{"path":,"content":""},"#.len() as u64;
    let each = files.into_iter().map(|(path, len)| {
        let path = serde_json::to_string(path.as_str()).map_or(0, |text| text.len() as u64);
        OF_EACH.saturating_add(path).saturating_add(len.div_ceil(3).saturating_mul(4))
    });
    // The last has no comma behind it.
    each.fold(None, |sum: Option<u64>, one| Some(sum.unwrap_or(AROUND - 1).saturating_add(one)))
        .unwrap_or(AROUND)
}

const HEAD: &[u8] = br#"{"format":"splice-bundle","formatVersion":1,"files":["#;
const FOOT: &[u8] = b"]}";

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Standard base64 with padding (RFC 4648 §4).
fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let at = |index: usize| u32::from(group.get(index).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for digit in 0..4 {
            if digit > group.len() {
                text.push('=');
            } else {
                let index = bits >> (18 - 6 * digit) & 63;
                text.push(char::from(ALPHABET[index as usize]));
            }
        }
    }
    text
}

/// Base64 as the Web forgives it (WHATWG Infra, "forgiving-base64 decode"), which is what clients use: ASCII white space
/// is passed over, padding may be missing but not wrong, and bits that are left over do not matter.
fn decode(text: &str) -> Option<Vec<u8>> {
    let mut digits: Vec<u8> =
        text.bytes().filter(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\x0c' | b'\r')).collect();
    if digits.len().is_multiple_of(4) {
        for _ in 0..2 {
            if digits.last() == Some(&b'=') {
                digits.pop();
            }
        }
    }
    if digits.len() % 4 == 1 {
        return None;
    }
    let value = |digit: u8| ALPHABET.iter().position(|&known| known == digit);
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    for group in digits.chunks(4) {
        let mut bits = 0u32;
        for &digit in group {
            bits = bits << 6 | u32::try_from(value(digit)?).ok()?;
        }
        bits <<= 6 * (4 - group.len());
        let [_, one, two, three] = bits.to_be_bytes();
        bytes.extend_from_slice(&[one, two, three][..group.len() - 1]);
    }
    Some(bytes)
}

/// The name a bundle or archive of this package has by convention, without its ending.
#[must_use]
pub fn stem(namespace: &str, name: &str, version: &str) -> String {
    let mut stem = String::new();
    let _infallible = write!(stem, "{namespace}-{name}-{version}");
    stem
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle(files: &str) -> String {
        format!(r#"{{"format":"splice-bundle","formatVersion":1,"files":[{files}]}}"#)
    }

    #[test]
    fn base64_is_forgiven_what_the_web_forgives() {
        for (text, bytes) in [
            ("", &b""[..]),
            ("YQ==", b"a"),
            ("YQ", b"a"),
            (" Y\tQ\n= =\r", b"a"),
            ("YR==", b"a"),
            ("YWI=", b"ab"),
            ("YWJj", b"abc"),
            ("+/+/", &[0xfb, 0xff, 0xbf]),
        ] {
            assert_eq!(decode(text).as_deref(), Some(bytes), "{text:?}");
        }
        for text in ["YQ=", "Y", "Y===", "====", "-_-_", "YQ==YQ==", "Y=Q=", "é"] {
            assert_eq!(decode(text), None, "{text:?}");
        }
        for bytes in [&b""[..], b"a", b"ab", b"abc", b"\0\xff\x10\x80"] {
            assert_eq!(decode(&encode(bytes)).as_deref(), Some(bytes));
        }
    }

    #[test]
    fn a_bundle_is_read_in_any_order_and_written_in_one() {
        let file =
            |path: &str, content: &str| format!(r#"{{"path":"{path}","content":"{content}","more":1}}"#);
        let files = [file("b/\u{ff5e}", "YQ=="), file("a", ""), file("b/\u{1f980}", "YWI")].join(", ");
        let tree = read(bundle(&files).as_bytes()).unwrap();
        let mut out = Vec::new();
        let files = tree.iter().filter_map(|(path, node)| match node {
            Node::File(blob) => Some((path, blob)),
            _ => None,
        });
        write(files, &mut out).unwrap();
        let expected = bundle(
            "{\"path\":\"a\",\"content\":\"\"},{\"path\":\"b/\u{1f980}\",\"content\":\"YWI=\"},\
             {\"path\":\"b/\u{ff5e}\",\"content\":\"YQ==\"}",
        );
        let files = tree.iter().filter_map(|(path, node)| match node {
            Node::File(blob) => Some((path, blob.len())),
            _ => None,
        });
        assert_eq!(bytes(files), out.len() as u64, "the length is known before it is written");
        assert_eq!(bytes([]), bundle("").len() as u64);
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn what_is_wrong_with_a_bundle_is_said_and_its_sound_twin_is_read() {
        let sound = r#"{"path":"a","content":"YQ=="}"#;
        assert!(read(bundle(sound).as_bytes()).is_ok());
        for (path, why) in [
            ("a/../../x", "unsafe path"),
            ("/x", "unsafe path"),
            ("A", "but for case"),
            ("a/b", "which is a file"),
        ] {
            let files = format!(r#"{sound},{{"path":"{path}","content":""}}"#);
            let error = read(bundle(&files).as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with("file #1 ") && error.contains(why), "{path}: {error}");
        }
        assert_eq!(read(b"{\"format\":\"zip\"}").unwrap_err(), BundleError::NotOne);
        assert!(matches!(read(b"nope").unwrap_err(), BundleError::Json(_)));
        let version = bundle(sound).replace(":1,", ":2,");
        assert_eq!(read(version.as_bytes()).unwrap_err(), BundleError::Version);
        let many = vec![sound; FILES + 1].join(",");
        assert_eq!(read(bundle(&many).as_bytes()).unwrap_err(), BundleError::Files);
        assert_eq!(read(&vec![b' '; 5 << 20 | 1]).unwrap_err(), BundleError::TooLong);
        for malformed in
            ["1", "{}", r#"{"path":"a"}"#, r#"{"path":1,"content":""}"#, r#"{"path":"a","content":"!"}"#]
        {
            assert!(matches!(read(bundle(malformed).as_bytes()), Err(BundleError::Entry { index: 0, .. })));
        }
    }
}
