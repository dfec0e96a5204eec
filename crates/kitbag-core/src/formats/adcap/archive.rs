//! The archive, read (§2): a gzip of a ustar with nothing in it but regular files, the manifest first.
//!
//! What an ordinary tar may have and this format forbids (folders, links, extension headers, `./`) is refused while the
//! archive is read, before anything else is looked at. Headers may be those of any tar writer: the specification binds
//! their exact bytes for writers only.

use std::io::{Read, SeekFrom};

use crate::archive::gzip::{self, Gunzip};
use crate::archive::tar::{Headers, Profile, ZeroBlocks};
use crate::archive::{self, Error, Names, Reading, Source, Unpacked};
use crate::finding::{Finding, Place};
use crate::limits::Limits;
use crate::path::Rule;

use super::manifest::Capability;
use super::{ENTRIES, FILE, SIGNATURE, TOTAL_BYTES, codes, manifest};

/// Which tars are read.
pub const PROFILE: Profile = Profile {
    headers: Headers::Ordinary,
    extensions: Rule::Refuse,
    folders: Rule::Refuse,
    links_and_specials: Rule::Refuse,
    dot_prefix: Rule::Refuse,
    zero_blocks: ZeroBlocks::TwoOrMore,
    names: Names::Careful,
    entries: ENTRIES,
};

/// How much is read: the reference limits of §2 and, for what the specification leaves open, those of every archive.
pub const LIMITS: Limits = Limits { file_bytes: TOTAL_BYTES, total_bytes: TOTAL_BYTES, ..archive::LIMITS };

/// Whether `source` is a gzip whose tar begins with a manifest. Reads no more than the first header, and leaves the source
/// at its start.
///
/// # Errors
/// When the source cannot be read or rewound.
pub fn begins_package(source: &mut dyn Source) -> Result<bool, Error> {
    source.seek(SeekFrom::Start(0))?;
    let begins = match Gunzip::new(&mut *source, &LIMITS) {
        Ok(mut unpacked) => {
            let mut name = [0; FILE.len() + 1];
            // Whatever is wrong with the data is for the reader to say.
            unpacked.read_exact(&mut name).is_ok() && name.strip_suffix(&[0]) == Some(FILE.as_bytes())
        }
        Err(Error::Io(error)) => return Err(Error::Io(error)),
        Err(_) => false,
    };
    source.seek(SeekFrom::Start(0))?;
    Ok(begins)
}

/// Reads an archive that may be one of this format's: strictly where it begins with a manifest, and as any archive where
/// it does not. A manifest or a signature that is not where §2 wants it is a remark, and an error.
///
/// # Errors
/// [`Error::Refused`] at the first thing wrong with it.
pub fn read(source: &mut dyn Source, mut reading: Reading<'_>) -> Result<Unpacked, Error> {
    let begins = begins_package(source)?;
    let mut unpacked = if begins {
        let own = reading.limits;
        reading.limits = Limits {
            file_bytes: own.file_bytes.min(LIMITS.file_bytes),
            total_bytes: own.total_bytes.min(LIMITS.total_bytes),
            ..own
        };
        gzip::read_tar(&mut &mut *source, &PROFILE, reading)?
    } else {
        archive::read(source, reading)?
    };
    if unpacked.tree.file(FILE).is_none() || Capability::at_root(&unpacked.tree).is_none() {
        return Ok(unpacked);
    }
    if !begins {
        let message = match &unpacked.first {
            Some(first) => format!("the first entry is `{first}`"),
            None => "the archive is no gzip of a tar that begins with capability.json".to_owned(),
        };
        unpacked.remarks.push(Finding::new(&codes::FIRST_ENTRY, Place::file(manifest::file()), message));
    }
    if let (Some(_), Some(last)) = (unpacked.tree.file(SIGNATURE), &unpacked.last)
        && last.as_str() != SIGNATURE
    {
        let message = format!("the last entry is `{last}`");
        unpacked.remarks.push(Finding::new(&codes::SIGNATURE_ENTRY, Place::package(), message));
    }
    Ok(unpacked)
}
