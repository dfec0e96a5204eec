//! An archive in a bundle (§2.5), read by Open-Science's stricter reader: what is wrong with an entry loses the whole archive,
//! except for what it drops without a word.

use std::io::{self, Cursor};

use crate::archive::Spool;
use crate::archive::zip::claims::{Claims, EndSearch, LocalSignature};
use crate::tree::Blob;

use super::super::skill::{DEPTH, FILE_BYTES, FILES, TOTAL_BYTES};
use super::outer::content;
use super::reason::Reason;
use super::{ENTRY_BYTES, Entry, is_unsafe, name_of};

/// Whether a name is one of an archive that is opened.
pub(super) fn is_archive(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.ends_with(".zip") || lower.ends_with(".skill")
}

/// The files of the archive in `blob`, or why it is lost.
///
/// # Errors
/// When the content cannot be read or kept.
pub(super) fn entries(blob: &Blob, spool: &mut dyn Spool) -> io::Result<Result<Vec<Entry>, Reason>> {
    let bytes = blob.read(ENTRY_BYTES).map_err(io::Error::other)?;
    let mut source = Cursor::new(bytes);
    let Some(claims) = Claims::read(&mut source, EndSearch::WholeFile)? else {
        return Ok(Err(Reason::NotZip));
    };
    let mut entries: Vec<Entry> = Vec::new();
    let mut total = 0u64;
    for claim in &claims.entries {
        let name = name_of(&claim.name);
        if name.ends_with('/') || is_unsafe(&name) || !matches!(claim.method, 0 | 8) {
            continue;
        }
        if name.split('/').count() > DEPTH + 1 {
            let text = format!("ZIP entry {name} is nested deeper than {DEPTH} levels.");
            return Ok(Err(Reason::Nested(text)));
        }
        if entries.len() as u64 >= FILES {
            return Ok(Err(Reason::Nested(format!("ZIP bundle has too many files (limit {FILES})."))));
        }
        let blob = match content(&mut source, claim, &name, FILE_BYTES, LocalSignature::Checked, spool)? {
            Ok(blob) => blob,
            Err(Reason::TooLarge) => {
                let text = format!("ZIP entry {name} exceeds the {FILE_BYTES}-byte limit.");
                return Ok(Err(Reason::Nested(text)));
            }
            // A local record outside of the archive loses it; one that does not begin as one is passed over.
            Err(Reason::LocalHeader) if u64::from(claim.offset) + 30 <= source.get_ref().len() as u64 => {
                continue;
            }
            Err(reason) => return Ok(Err(Reason::Nested(reason.to_string()))),
        };
        total = total.saturating_add(blob.len());
        if total > TOTAL_BYTES {
            let text = format!("ZIP bundle exceeds the {TOTAL_BYTES}-byte decompressed limit.");
            return Ok(Err(Reason::Nested(text)));
        }
        entries.push(Entry { name, blob });
    }
    Ok(Ok(entries))
}
