//! The outer archive (§2.4): entry by entry, what is wrong with one leaves that one out.

use std::io::{self, Read};

use crate::archive::zip::claims::{self, Claim, Claims, ContentFault, EndSearch, LocalSignature};
use crate::archive::{Refusal, Source, Spool};
use crate::tree::{Blob, Executable};

use super::super::skill::DEPTH;
use super::reason::{Reason, Skipped};
use super::{
    BUNDLE_BYTES, ENTRIES, ENTRY_BYTES, Entry, NESTED_BYTES, is_hidden, is_unsafe, kept_under, name_of,
};

/// How much of what archives say is believed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Believed {
    /// The directory, as Open-Science believes it: for what is told and never installed.
    #[default]
    Directory,
    /// Nothing that is not said twice: for what is installed.
    Nothing,
}

/// What the outer archive, or a folder, gives.
#[derive(Clone, Debug)]
pub struct Outer {
    /// The files, in the order of the directory.
    pub entries: Vec<Entry>,
    /// What was left out and told.
    pub skipped: Vec<Skipped>,
    /// What was left out without a word: hidden names, `../x` among them.
    pub silent: Vec<String>,
    /// The folder that everything lies in, where it is not counted.
    pub(super) top: Option<String>,
    /// Most bytes that the archives in it may unpack to.
    pub nested_bytes: u64,
    /// How archives in it are read.
    pub(super) believed: Believed,
}

impl Default for Outer {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            skipped: Vec::new(),
            silent: Vec::new(),
            top: None,
            nested_bytes: NESTED_BYTES,
            believed: Believed::Directory,
        }
    }
}

impl Outer {
    /// Reads the bundle in `source`; `None` when it is no ZIP.
    ///
    /// # Errors
    /// The source's own, and the spool's.
    pub fn read(source: &mut dyn Source, spool: &mut dyn Spool) -> io::Result<Option<Self>> {
        let Some(claims) = Claims::read(source, EndSearch::WholeFile)? else { return Ok(None) };
        let mut outer = Self::default();
        let mut bytes = 0;
        for claim in &claims.entries {
            let name = name_of(&claim.name);
            if name.ends_with('/') {
                continue;
            }
            if is_unsafe(&name) && is_hidden(&name) {
                outer.silent.push(name);
                continue;
            }
            match entry(source, claim, &name, outer.entries.len(), &mut bytes, spool)? {
                Ok(blob) => outer.entries.push(Entry { name, blob }),
                Err(reason) => outer.skipped.push(Skipped::entry(name, reason)),
            }
        }
        Ok(Some(outer))
    }
}

/// One entry: its content, or the first reason against it.
fn entry(
    source: &mut dyn Source,
    claim: &Claim,
    name: &str,
    before: usize,
    bytes: &mut u64,
    spool: &mut dyn Spool,
) -> io::Result<Result<Blob, Reason>> {
    if is_unsafe(name) {
        return Ok(Err(Reason::Unsafe));
    }
    if !matches!(claim.method, 0 | 8) {
        return Ok(Err(Reason::Method));
    }
    if name.split('/').count() > DEPTH + 1 {
        return Ok(Err(Reason::Depth));
    }
    if before >= ENTRIES {
        return Ok(Err(Reason::Entries));
    }
    let kept = match content(source, claim, name, ENTRY_BYTES, LocalSignature::Checked, spool)? {
        Ok(kept) => kept,
        Err(fault) => return Ok(Err(fault)),
    };
    if bytes.saturating_add(kept.len()) > BUNDLE_BYTES {
        return Ok(Err(Reason::BundleBytes));
    }
    *bytes += kept.len();
    Ok(Ok(kept))
}

/// The content of an entry of at most `most` bytes. The claimed size is not looked at.
pub(super) fn content(
    source: &mut dyn Source,
    claim: &Claim,
    name: &str,
    most: u64,
    signature: LocalSignature,
    spool: &mut dyn Spool,
) -> io::Result<Result<Blob, Reason>> {
    let content = match claims::content(source, claim, signature) {
        Ok(content) => content,
        Err(ContentFault::Local) => return Ok(Err(Reason::LocalHeader)),
        Err(ContentFault::PastEnd) => return Ok(Err(Reason::PastEnd)),
        Err(ContentFault::Io(error)) => return Err(error),
    };
    let Some(path) = kept_under(name) else { return Ok(Err(Reason::Unsafe)) };
    let mut capped = Capped { content, bytes: 0, most };
    match spool.store(&path, &mut capped) {
        Ok(kept) => Ok(Ok(Blob::new(capped.bytes, Executable::No, kept))),
        // Whatever keeps a content from being unpacked counts as too large.
        Err(_) if capped.bytes > most => Ok(Err(Reason::TooLarge)),
        Err(error) if error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<Refusal>) => {
            Ok(Err(Reason::TooLarge))
        }
        Err(error) => Err(error),
    }
}

/// Ends a content that is too long.
struct Capped<R> {
    content: R,
    bytes: u64,
    most: u64,
}

impl<R: Read> Read for Capped<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.content.read(into)?;
        self.bytes += n as u64;
        if self.bytes > self.most { Err(io::Error::other("the content is too long")) } else { Ok(n) }
    }
}
