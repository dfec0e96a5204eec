//! [`Form`]: as what a package may be packed, and how each of them is written and read back.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::File;
use std::io::{self, Seek as _, Write};
use std::path::PathBuf;

use kitbag_core::archive::tar::WriteError;
use kitbag_core::digest::Sha256;
use kitbag_core::formats::adcap::Capability;
use kitbag_core::formats::agentskill::Skill;
use kitbag_core::formats::openscience::Specialist;
use kitbag_core::formats::openscience::skill::export;
use kitbag_core::formats::splice::{self, bundle, digests};
use kitbag_core::formats::{ArchiveBytes, Document as _, Face, PackError, Pins};
use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Node, Tree};

use crate::location::{Location, SourceKind};
use crate::read::{self, Measure, Purpose, Reading};

use super::Refusal;

/// As what a package may be packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// Splice's `.tar.gz`.
    Splice,
    /// The JSON bundle that Splice had before, so that old versions can be built again.
    SpliceBundle,
    /// `.adcap`.
    Adcap,
    /// The ZIP of an Open-Science Specialist.
    Specialist,
    /// The ZIP in which Open-Science exports a Skill.
    SkillZip,
}

impl Form {
    /// Every form.
    pub const ALL: [Self; 5] =
        [Self::Splice, Self::SpliceBundle, Self::Adcap, Self::Specialist, Self::SkillZip];

    /// Its name on the command line and in every output.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Splice => "splice",
            Self::SpliceBundle => "splice-bundle",
            Self::Adcap => "adcap",
            Self::Specialist => "specialist",
            Self::SkillZip => "skill-zip",
        }
    }

    /// The format it belongs to.
    #[must_use]
    pub const fn format(self) -> &'static str {
        match self {
            Self::Splice | Self::SpliceBundle => "splice",
            Self::Adcap => "adcap",
            Self::Specialist => "specialist",
            Self::SkillZip => "agent-skill",
        }
    }

    /// The document that makes a folder a package of this form.
    #[must_use]
    pub const fn document(self) -> &'static str {
        match self {
            Self::Splice | Self::SpliceBundle => "manifest.json of Splice",
            Self::Adcap => "capability.json",
            Self::Specialist => "specialist.json",
            Self::SkillZip => "SKILL.md",
        }
    }

    const fn ending(self) -> &'static str {
        match self {
            Self::Splice => "tar.gz",
            Self::SpliceBundle => "splice.json",
            Self::Adcap => "adcap",
            Self::Specialist | Self::SkillZip => "zip",
        }
    }

    /// Whether anything says what the bytes of such an archive should be, once it is read back.
    pub(super) const fn is_pinned(self) -> bool {
        !matches!(self, Self::SkillZip)
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A digest that what was written must have, under its format's name for it.
pub(super) struct Promise {
    pub name: &'static str,
    pub sha256: Sha256,
}

/// A document and the form it will be packed in.
pub(super) struct Packable<'f> {
    pub form: Form,
    face: Own<'f>,
}

/// The documents that have an archive of their own.
#[derive(Clone, Copy)]
enum Own<'f> {
    Splice(&'f splice::Manifest),
    Adcap(&'f Capability),
    Specialist(&'f Specialist),
    Skill(&'f Skill),
}

/// The document among `faces` that is packed as `wanted`, or as the one thing that it can be.
pub(super) fn choose<'f>(faces: &'f [Face], wanted: Option<Form>) -> Result<Packable<'f>, Refusal> {
    let own: Vec<(Form, Own<'f>)> = faces
        .iter()
        .filter_map(|face| match face {
            Face::Splice(manifest) => Some((Form::Splice, Own::Splice(manifest))),
            Face::Adcap(capability) => Some((Form::Adcap, Own::Adcap(capability))),
            Face::Specialist(specialist) => Some((Form::Specialist, Own::Specialist(specialist))),
            // Any skill may be exported; it is packed so only where that was asked for.
            Face::AgentSkill(skill) if wanted == Some(Form::SkillZip) => {
                Some((Form::SkillZip, Own::Skill(skill)))
            }
            Face::AgentSkill(_) | Face::SkillPact(_) | Face::Connector(_) => None,
        })
        .collect();
    match (wanted, own.as_slice()) {
        (Some(form), own) => {
            let found = own.iter().find(|(own, _)| own.format() == form.format());
            let (_, face) = *found.ok_or(Refusal::NotOfForm { form })?;
            Ok(Packable { form, face })
        }
        (None, &[(form, face)]) => Ok(Packable { form, face }),
        (None, []) => Err(no_archive(faces)),
        (None, own) => Err(Refusal::Ambiguous { forms: own.iter().map(|(form, _)| *form).collect() }),
    }
}

/// What the documents themselves say about an archive: that there is none, and what would carry them.
fn no_archive(faces: &[Face]) -> Refusal {
    let (mut formats, mut all_carriers) = (Vec::new(), Vec::new());
    for face in faces {
        match face.document().pack(&Tree::default(), &mut io::sink()) {
            Err(PackError::NoArchive { format, carriers }) => {
                formats.push(format);
                all_carriers.extend(
                    carriers.iter().filter(|carrier| !all_carriers.contains(*carrier)).collect::<Vec<_>>(),
                );
            }
            Err(error) => return Refusal::Unsound { because: error.to_string() },
            Ok(_) => {}
        }
    }
    Refusal::NoArchive { formats, carriers: all_carriers }
}

impl Packable<'_> {
    /// The name that archives of this form have by convention.
    pub fn file_name(&self, tree: &Tree) -> String {
        let identity = match self.face {
            Own::Splice(manifest) => manifest.identity(),
            Own::Adcap(capability) => capability.identity(),
            Own::Specialist(specialist) => return specialist.archive_name(),
            Own::Skill(skill) => {
                let name = skill.identity().name.map(str::to_owned);
                return export::file_name(export::shown_name(tree).or(name).as_deref(), tree.name());
            }
        };
        // Checked before: neither has a character that a file name may not have.
        let id = identity.name.unwrap_or("package").trim_start_matches('@');
        let version = identity.version.unwrap_or("0");
        let stem = match id.split_once('/') {
            Some((owner, name)) => bundle::stem(owner, name, version),
            None => format!("{id}-{version}"),
        };
        format!("{stem}.{}", self.form.ending())
    }

    /// Writes the archive, and says by which digests it will be known.
    pub fn write(&self, tree: &Tree, out: &mut dyn Write) -> Result<Vec<Promise>, PackError> {
        match self.face {
            Own::Splice(manifest) => {
                let pins = match self.form {
                    Form::SpliceBundle => splice::pack::write_bundle(tree, out)?,
                    _ => manifest.pack(tree, out)?,
                };
                let mut promise = self.promise(pins);
                let files = digests::files_digest(splice::pack::files(tree));
                let files = files.map_err(|error| PackError::Write(WriteError::Out(error)))?;
                promise.push(Promise { name: "filesDigest", sha256: files.0 });
                if let Some(document) = manifest.document() {
                    let sha256 = digests::manifest_sha256(document);
                    promise.push(Promise { name: "manifestSha256", sha256 });
                }
                Ok(promise)
            }
            Own::Adcap(capability) => Ok(self.promise(capability.pack(tree, out)?)),
            Own::Specialist(specialist) => Ok(self.promise(specialist.pack(tree, out)?)),
            Own::Skill(_) => {
                export::write(tree, None, out)?;
                Ok(Vec::new())
            }
        }
    }

    fn promise(&self, pins: Pins) -> Vec<Promise> {
        match pins {
            Pins::ArchiveBytes { sha256, .. } => vec![Promise { name: "integrity", sha256 }],
            Pins::ManifestDigest { sha256 } => vec![Promise { name: "manifestSha256", sha256 }],
            Pins::FileList { .. } | Pins::Nothing => Vec::new(),
        }
    }

    /// Reads an archive of this form, as a stranger would.
    pub fn read_back(&self, file: &mut File) -> io::Result<Reading> {
        let purpose = Purpose::Compare(Measure::Any);
        match self.form {
            Form::SpliceBundle => read::read_bundle(file, purpose),
            Form::Splice | Form::Adcap => {
                read::read_archive(Location::root(PathBuf::new(), SourceKind::Archive), file, purpose)
            }
            Form::Specialist | Form::SkillZip => {
                // A zip is read from its end, so that its own digest is another reading.
                let (sha256, size) = (Sha256::of_reader(file)?, file.stream_position()?);
                file.rewind()?;
                let location = Location::root(PathBuf::new(), SourceKind::Archive);
                let reading = read::read_archive(location, file, purpose)?;
                Ok(Reading { archive: Some(ArchiveBytes { sha256, size }), ..reading })
            }
        }
    }

    /// The files of a package that was read back.
    pub fn files_in(&self, tree: &Tree) -> BTreeSet<PackagePath> {
        contents(tree)
            .iter()
            .filter(|(_, node)| matches!(node, Node::File(_)))
            .map(|(path, _)| path.clone())
            .collect()
    }
}

/// The files of what was read: those in a bundle, where that is what it is.
pub(crate) fn contents(tree: &Tree) -> Tree {
    let mut files = tree.iter().filter(|(_, node)| !matches!(node, Node::Folder));
    if let (Some((path, Node::File(_))), None) = (files.next(), files.next())
        && bundle::is_name(path.as_str())
        && let Some(manifest) = splice::Manifest::bundled(tree, path.clone())
    {
        return manifest.files(tree).clone();
    }
    tree.clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kitbag_core::tree::{Blob, Root};
    use kitbag_testkit::vectors;
    use serde_json::Value;

    fn content(file: &Value) -> Vec<u8> {
        if let Some(text) = file["text"].as_str() {
            return text.as_bytes().to_vec();
        }
        if let Some(hex) = file["hex"].as_str() {
            let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
            return (0..hex.len()).step_by(2).map(byte).collect();
        }
        let (count, modulo) = (file["counting"].as_u64().unwrap(), file["modulo"].as_u64().unwrap());
        (0..count).map(|at| u8::try_from(at % modulo).unwrap()).collect()
    }

    fn tree(case: &Value) -> Tree {
        let mut tree = Tree::new(Some("package".to_owned()), Root::Folder);
        for file in case["files"].as_array().unwrap() {
            let path = PackagePath::new(file["path"].as_str().unwrap()).unwrap();
            tree.insert(path, Node::File(Blob::from_bytes(content(file)))).unwrap();
        }
        tree
    }

    #[test]
    fn the_published_archives_of_splice_are_what_the_verb_writes_and_reads_back() {
        let cases = vectors::walk("splice/package");
        let sound = tree(&cases.iter().find(|case| case.name == "sound").unwrap().case);
        let faces = [Face::Splice(Box::new(splice::Manifest::beside(&sound).unwrap()))];
        let packable = choose(&faces, None).unwrap();
        for case in vectors::walk("splice/archive") {
            let files = tree(&case.case);
            let mut archive = tempfile::tempfile().unwrap();
            let promise = packable.write(&files, &mut archive).unwrap();
            assert_eq!(promise[0].name, "integrity");
            let published = case.case["sha256"].as_str().unwrap();
            assert_eq!(promise[0].sha256.to_string(), published, "{}", case.name);
            archive.rewind().unwrap();
            let read = packable.read_back(&mut archive).unwrap();
            assert!(read.findings.is_empty(), "{}: {:?}", case.name, read.findings);
            let measured = read.archive.unwrap();
            assert_eq!(measured.sha256, promise[0].sha256, "{}", case.name);
            assert_eq!(measured.size, case.case["size"].as_u64().unwrap(), "{}", case.name);
            assert_eq!(packable.files_in(&read.tree), packable.files_in(&files), "{}", case.name);
            for path in packable.files_in(&files) {
                let digest = |tree: &Tree| tree.file(path.as_str()).unwrap().digest().unwrap();
                assert_eq!(digest(&read.tree), digest(&files), "{}: {path}", case.name);
            }
        }
    }
}
