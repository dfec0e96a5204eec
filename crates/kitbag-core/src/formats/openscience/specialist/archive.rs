//! A package in a ZIP (§3.4), as Open-Science reads one: it believes the directory. Its verdict is told in its codes; what is
//! installed is read by the strict reader of [`crate::archive`], whose refusal is a finding of its own.

use std::collections::HashSet;
use std::io::{self, Read};

use unicode_normalization::UnicodeNormalization as _;

use crate::archive::zip::claims::{self, Claim, Claims, ContentFault, EndSearch, LocalSignature};
use crate::archive::{Refusal, Source, Spool};
use crate::finding::{Code, Finding, Findings, Place};
use crate::path::PackagePath;
use crate::tree::{Blob, Executable, Node, Tree};

use super::super::codes;
use super::content::Files;
use super::layer::{is_zip_noise, shown};
use super::{ARCHIVE_BYTES, FILE_BYTES, FILES, MANIFEST, RATIO, SEGMENTS, TOTAL_BYTES};

/// Longest name that a content is read under; longer ones are none that a package has.
const NAME_BYTES: usize = 4_096;

/// The files of the package in `source`, without a wrapper and without noise; `None` when its layer has an error.
///
/// # Errors
/// The source's own, and the spool's.
pub fn files(
    source: &mut dyn Source,
    spool: &mut dyn Spool,
    out: &mut Findings,
) -> io::Result<Option<Files>> {
    let len = source.seek(io::SeekFrom::End(0))?;
    if len > ARCHIVE_BYTES {
        let message = format!("the archive has {len} bytes and may have {ARCHIVE_BYTES}");
        out.push(Finding::new(&codes::ARCHIVE_COMPRESSED_SIZE, Place::package(), message));
        return Ok(None);
    }
    let invalid = |message: &str| Finding::new(&codes::ARCHIVE_INVALID, Place::package(), message.to_owned());
    let claims = match Claims::read(source, EndSearch::Tail)? {
        None => {
            out.push(invalid("no directory of a ZIP is at its end"));
            return Ok(None);
        }
        Some(claims) if claims.stated == u16::MAX || claims.directory == u32::MAX => {
            out.push(invalid("the archive is a ZIP64, which Open-Science does not read"));
            return Ok(None);
        }
        Some(claims) if claims.is_short => {
            out.push(invalid("the directory holds fewer entries than the archive says"));
            return Ok(None);
        }
        Some(claims) => claims,
    };
    let mut judge = Judge { out, is_sound: true, seen: HashSet::new() };
    let entries: Vec<Entry<'_>> = claims.entries.iter().map(Entry::new).collect();
    judge.sizes(&entries);
    for entry in &entries {
        judge.entry(entry);
    }
    if !judge.is_sound {
        return Ok(None);
    }
    let kept: Vec<&Entry<'_>> = entries.iter().filter(|entry| !entry.is_noise && !entry.is_folder).collect();
    let Some(wrapper) = wrapper(&kept) else {
        let message =
            "there is not exactly one manifest.json at the root, or one folder with everything in it";
        out.push(Finding::new(&codes::ARCHIVE_LAYOUT, Place::package(), message));
        return Ok(None);
    };
    let mut files = Files::new();
    for entry in kept {
        // The layer has no error, so that each name is a path.
        let Ok(path) = PackagePath::new(&entry.name[wrapper.len()..]) else { continue };
        match content(source, entry.claim, &path, spool)? {
            Some(blob) => files.push((path, blob)),
            None => {
                out.push(invalid("the content of an entry cannot be unpacked"));
                return Ok(None);
            }
        }
    }
    Ok(Some(files))
}

/// The same files as the strict reader has them, which are the ones that are installed; `None` where the two do not see the
/// same.
#[must_use]
pub fn believed(files: &[(PackagePath, Blob)], strict: &Tree, out: &mut Findings) -> Option<Files> {
    let is_wrapped = |path: &PackagePath| path.name() == MANIFEST && path.segments().count() == 2;
    let wrapper = match strict.file(MANIFEST) {
        Some(_) => None,
        None => strict.iter().find(|(path, _)| is_wrapped(path)).and_then(|(path, _)| path.parent()),
    };
    let prefix = wrapper.map(|folder| format!("{folder}/")).unwrap_or_default();
    let same = |(path, blob): &(PackagePath, Blob)| {
        let there = strict.file(&format!("{prefix}{path}")).filter(|there| there.len() == blob.len())?;
        Some((path.clone(), there.clone()))
    };
    let kept: Files = files.iter().filter_map(same).collect();
    let is_meant =
        |(path, node): &(&PackagePath, &Node)| matches!(node, Node::File(_)) && !is_zip_noise(path.as_str());
    if kept.len() == files.len() && strict.iter().filter(is_meant).count() == files.len() {
        return Some(kept);
    }
    let message = "Open-Science would install other files than are in the archive by the strict reading";
    out.push(Finding::new(&codes::PACKAGE_READINGS_DIFFER, Place::package(), message));
    None
}

/// An entry as the directory describes it.
struct Entry<'c> {
    claim: &'c Claim,
    name: String,
    is_folder: bool,
    is_noise: bool,
}

impl<'c> Entry<'c> {
    fn new(claim: &'c Claim) -> Self {
        let raw = &claim.name[..claim.name.len().min(NAME_BYTES)];
        // Names that are not said to be UTF-8 are taken for Latin-1.
        let name = if claim.says_utf8() {
            String::from_utf8_lossy(raw).into_owned()
        } else {
            raw.iter().copied().map(char::from).collect()
        };
        let is_noise = is_zip_noise(&name);
        Self { claim, is_folder: name.ends_with('/'), is_noise, name }
    }

    /// What Unix is said to have made of it.
    const fn unix_kind(&self) -> Option<u32> {
        if self.claim.host == 3 { Some(self.claim.attributes >> 16 & 0o170_000) } else { None }
    }
}

struct Judge<'o> {
    out: &'o mut Findings,
    is_sound: bool,
    seen: HashSet<String>,
}

impl Judge<'_> {
    fn push(&mut self, code: &'static Code, message: String) {
        self.is_sound = false;
        self.out.push(Finding::new(code, Place::package(), message));
    }

    /// What all entries come to.
    fn sizes(&mut self, entries: &[Entry<'_>]) {
        let files = entries.iter().filter(|entry| !entry.is_folder).count();
        if files > FILES {
            let message = format!("there are {files} files and may be {FILES}");
            self.push(&codes::ARCHIVE_FILE_COUNT, message);
        }
        let bytes: u64 = entries.iter().map(|entry| u64::from(entry.claim.size)).sum();
        if bytes > TOTAL_BYTES {
            let message =
                format!("the files are said to have {bytes} bytes in all and may have {TOTAL_BYTES}");
            self.push(&codes::ARCHIVE_UNCOMPRESSED_SIZE, message);
        }
    }

    fn entry(&mut self, entry: &Entry<'_>) {
        let (claim, name) = (entry.claim, entry.name.as_str());
        let shown = shown(name);
        let bare = name.strip_suffix('/').unwrap_or(name);
        let depth = name.split('/').filter(|segment| !segment.is_empty()).count();
        // The first of these is told, as what follows from it would only repeat it.
        if name.starts_with(['/', '\\']) {
            self.push(&codes::ARCHIVE_PATH_ABSOLUTE, format!("`{shown}` has an absolute path"));
        } else if matches!(name.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic()) {
            self.push(&codes::ARCHIVE_PATH_DRIVE, format!("`{shown}` has a path with a drive"));
        } else if name.contains('\\') {
            self.push(&codes::ARCHIVE_PATH_BACKSLASH, format!("`{shown}` has a backslash in its path"));
        } else if bare.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
            self.push(&codes::ARCHIVE_PATH_TRAVERSAL, format!("`{shown}` has a `.`, `..` or empty segment"));
        }
        if name.contains('\0') {
            self.push(&codes::ARCHIVE_PATH_CONTROL, format!("`{shown}` has a NUL in its path"));
        }
        if depth > SEGMENTS {
            let message = format!("`{shown}` has {depth} segments and may have {SEGMENTS}");
            self.push(&codes::ARCHIVE_PATH_DEPTH, message);
        }
        if !self.seen.insert(bare.nfc().collect::<String>().to_lowercase()) {
            self.push(&codes::ARCHIVE_PATH_DUPLICATE, format!("`{shown}` is there twice, but for case"));
        }
        if claim.says_encrypted() {
            self.push(&codes::ARCHIVE_ENCRYPTION, format!("`{shown}` is encrypted"));
        }
        match entry.unix_kind() {
            Some(0o120_000) => self.push(&codes::SYMBOLIC_LINK, format!("`{shown}` is a symbolic link")),
            None | Some(0 | 0o040_000 | 0o100_000) => {}
            Some(_) => {
                self.push(&codes::ARCHIVE_LINK, format!("`{shown}` is neither a file nor a folder"));
            }
        }
        if !matches!(claim.method, 0 | 8) {
            let message = format!("`{shown}` is packed by method {}", claim.method);
            self.push(&codes::ARCHIVE_COMPRESSION, message);
        }
        if u64::from(claim.size) > FILE_BYTES {
            let message = format!("`{shown}` is said to have {} bytes and may have {FILE_BYTES}", claim.size);
            self.push(&codes::ARCHIVE_FILE_SIZE, message);
        }
        let (size, packed) = (u64::from(claim.size), u64::from(claim.packed));
        if size > 0 && size > packed.saturating_mul(RATIO) {
            let message = format!("`{shown}` is said to become more than {RATIO} times what it is packed in");
            self.push(&codes::ARCHIVE_RATIO, message);
        }
        if entry.is_noise && !entry.is_folder {
            let message = format!("`{shown}` was left behind by an operating system");
            self.out.push(Finding::new(&codes::METADATA_NOISE, Place::package(), message));
        }
    }
}

/// What stands before the path of every file: nothing, or one folder. `None` when it cannot be told.
fn wrapper(entries: &[&Entry<'_>]) -> Option<String> {
    let inner: Vec<&str> = entries
        .iter()
        .filter_map(|entry| entry.name.strip_suffix(MANIFEST)?.strip_suffix('/'))
        .filter(|folder| !folder.contains('/'))
        .collect();
    let at_root = entries.iter().filter(|entry| entry.name == MANIFEST).count();
    match (at_root, inner.as_slice()) {
        (1, []) => Some(String::new()),
        (0, [folder]) => {
            let prefix = format!("{folder}/");
            entries.iter().all(|entry| entry.name.starts_with(&prefix)).then_some(prefix)
        }
        _ => None,
    }
}

/// The content of an entry, cut at the size it is said to have; `None` where it cannot be unpacked.
fn content(
    source: &mut dyn Source,
    claim: &Claim,
    path: &PackagePath,
    spool: &mut dyn Spool,
) -> io::Result<Option<Blob>> {
    let content = match claims::content(source, claim, LocalSignature::Believed) {
        Ok(content) => content,
        Err(ContentFault::Io(error)) => return Err(error),
        Err(_) => return Ok(None),
    };
    let mut counted = Counted { content: content.take(claim.size.into()), bytes: 0 };
    match spool.store(path, &mut counted) {
        Ok(kept) => Ok(Some(Blob::new(counted.bytes, Executable::No, kept))),
        Err(error) if is_a_refusal(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether the compressed bytes are at fault and not the disk.
pub(crate) fn is_a_refusal(error: &io::Error) -> bool {
    error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<Refusal>)
}

struct Counted<R> {
    content: R,
    bytes: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.content.read(into)?;
        self.bytes += n as u64;
        Ok(n)
    }
}
