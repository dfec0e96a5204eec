//! The ZIP of a Specialist package (§3.7): the two documents in one spelling, each bundled Skill under its name, entries in
//! the order of names, nothing of the hour or the machine. The same package gives the same bytes.

use std::io::Write;

use crate::archive::zip::Writer;
use crate::digest::Measured;
use crate::finding::{Findings, Severity};
use crate::formats::{PackError, Pins};
use crate::json::Value;
use crate::path::PackagePath;
use crate::tree::{Blob, Tree};

use super::super::print;
use super::super::skill::write::bundled_document;
use super::super::skill::{APP_OWNED, DOCUMENT};
use super::{ARCHIVE_BYTES, Bundled, Content, FILE_BYTES, MANIFEST, Manifest, Payload, SPECIALIST, folder};

/// Files of a package that are carried along as they are.
const PLAIN: [&str; 2] = ["LICENSE", "README.txt"];

/// The text of `manifest.json`.
#[must_use]
pub fn manifest(manifest: &Manifest) -> String {
    print::document(&print::object([
        ("schema_version", print::value(Value::Integer(1))),
        ("id", print::text(&manifest.id)),
        ("version", print::text(&manifest.version)),
        ("exported_with_app_version", print::text(&manifest.exported_with_app_version)),
    ]))
}

/// The text of `specialist.json`.
#[must_use]
pub fn payload(payload: &Payload) -> String {
    let members = [
        ("name", Some(print::text(&payload.name))),
        ("display_name", payload.display_name.as_ref().map(print::text)),
        ("description", Some(print::text(&payload.description))),
        ("system_prompt", Some(print::text(&payload.system_prompt))),
        ("skill_ids", Some(print::texts(&payload.skill_ids))),
        ("connector_ids", Some(print::texts(&payload.connector_ids))),
    ];
    print::document(&print::object(members.into_iter().filter_map(|(name, value)| Some((name, value?)))))
}

/// The name of the file that a package is exported to.
#[must_use]
pub fn file_name(manifest: &Manifest, shown_name: &str) -> String {
    let slug = super::super::skill::export::slug(shown_name);
    let slug = if slug.is_empty() { manifest.id.clone() } else { slug };
    format!("open-science-specialist-{slug}-v{}.zip", manifest.version)
}

/// The files of a package, in the order in which they are packed.
///
/// # Errors
/// When the document of a Skill is not UTF-8 or cannot be read.
pub fn files(
    package: &Manifest,
    role: &Payload,
    skills: &[Bundled],
    plain: Vec<(PackagePath, Blob)>,
) -> Result<Vec<(PackagePath, Blob)>, PackError> {
    let unsound = |because: String| PackError::unsound(None, because);
    let path = |text: &str| PackagePath::new(text).map_err(|problem| unsound(problem.to_string()));
    let mut files = plain;
    files.push((path(MANIFEST)?, Blob::from_bytes(manifest(package))));
    files.push((path(SPECIALIST)?, Blob::from_bytes(payload(role))));
    for skill in skills {
        for file in skill.files.iter().filter(|file| !APP_OWNED.contains(&file.path.as_str())) {
            let at = path(&format!("skills/{}/{}", skill.id, file.path))?;
            let blob = if file.path.as_str() == DOCUMENT {
                let text = file.blob.read(FILE_BYTES).ok().and_then(|bytes| String::from_utf8(bytes).ok());
                let text = text.ok_or_else(|| {
                    PackError::unsound(Some(at.clone()), "the document of the Skill is not UTF-8".to_owned())
                })?;
                Blob::from_bytes(bundled_document(&text, &skill.id, &skill.version))
            } else {
                file.blob.clone()
            };
            files.push((at, blob));
        }
    }
    files.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(files)
}

/// Writes `files` as a ZIP; what pins the content is the digest of the bytes.
///
/// # Errors
/// When a file cannot be read, or the sink failed.
pub fn zip(files: &[(PackagePath, Blob)], out: &mut dyn Write) -> Result<Pins, PackError> {
    let mut writer = Writer::new(Measured::new(out));
    for (path, blob) in files {
        writer.file(path, blob).map_err(PackError::Write)?;
    }
    let (sha256, size) = writer.finish().map_err(PackError::Write)?.finish();
    Ok(Pins::ArchiveBytes { sha256, size })
}

/// Packs the package in `tree`.
pub(super) fn write(tree: &Tree, out: &mut dyn Write) -> Result<Pins, PackError> {
    let mut findings = Findings::default();
    let found = folder::files(tree, &mut findings);
    let content = found.as_deref().map(|files| Content::read(files, &mut findings)).unwrap_or_default();
    if let Some(first) = findings.iter().find(|finding| finding.severity == Severity::Error) {
        return Err(PackError::unsound(first.place.file.clone(), first.message.clone()));
    }
    let (Some(package), Some(role), Some(found)) = (&content.manifest, &content.payload, found) else {
        return Err(PackError::unsound(None, "its documents cannot be read".to_owned()));
    };
    // A bundled Skill with something wrong is a warning where a package is read. Where one is made, it would be lost.
    let folders =
        |path: &PackagePath| Some(path.as_str().strip_prefix("skills/")?.split_once('/')?.0.to_owned());
    let lost = found.iter().filter_map(|(path, _)| Some((path, folders(path)?)));
    let lost = lost.into_iter().find(|(_, name)| !content.bundled.iter().any(|skill| skill.id == *name));
    if let Some((path, name)) = lost {
        let because = format!("the Skill `{name}` has something wrong with it and would be left out");
        return Err(PackError::unsound(Some(path.clone()), because));
    }
    let plain = found.into_iter().filter(|(path, _)| PLAIN.contains(&path.as_str())).collect();
    let files = files(package, role, &content.bundled, plain)?;
    let pins = zip(&files, out)?;
    match pins {
        Pins::ArchiveBytes { size, .. } if size > ARCHIVE_BYTES => {
            let because = format!("the archive has {size} bytes and may have {ARCHIVE_BYTES}");
            Err(PackError::unsound(None, because))
        }
        pins => Ok(pins),
    }
}
