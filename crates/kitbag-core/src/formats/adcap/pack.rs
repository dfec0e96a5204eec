//! The archive, written (§2, §3): the same bytes from the same files, whatever machine they lie on.
//!
//! Which file is executable follows from the manifest alone, because a checkout on another system knows no such mark. The
//! manifest is written in its canonical form, so that the digest of the file is the digest of the package.

use std::collections::HashSet;
use std::fmt;
use std::io::{self, Read, Write};

use crate::archive::gzip::{Deflated, Header};
use crate::archive::tar::{Devices, Layout, Modes, Order, Split, WriteError, Writer};
use crate::digest::{Hasher, Sha256};
use crate::formats::PackError;
use crate::json::canonical::{self, Refused};
use crate::json::{self, Json, Object, Span, Value};
use crate::limits::{Bytes, Limits};
use crate::path::PackagePath;
use crate::tree::{Blob, Executable, Node, Tree};

use super::document::{Document, RuntimeKind};
use super::manifest::{self, Capability};
use super::shape::is_path;
use super::{ENTRIES, FILE, SIGNATURE, TOTAL_BYTES, members};

/// How the tar is laid out. What §2 leaves open (device numbers, where a long path is cut) is as GNU tar and Python have it.
pub const LAYOUT: Layout = Layout {
    first: &[FILE],
    last: &[SIGNATURE],
    order: Order::Bytes,
    modes: Modes::Executable,
    devices: Devices::Zero,
    split: Split::Last,
};

/// What was built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// The package's identity.
    pub manifest_sha256: Sha256,
    /// The digest of the archive.
    pub archive_sha256: Sha256,
    /// The archive's length in bytes.
    pub archive_bytes: u64,
    /// Files in it, with the manifest.
    pub entries: u64,
    /// What became of a signature that lay beside the manifest.
    pub signature: Kept,
}

/// What became of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// There is none.
    None,
    /// It names the built manifest's digest and is the last entry.
    Yes,
    /// It names another digest, so it covers another package and was left out.
    LeftOut,
}

/// Why a package cannot be built.
#[derive(Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// The manifest does not conform; the check says why.
    Manifest,
    /// The manifest has no canonical form.
    NotCanonical(Refused),
    /// Something in the package is no regular file.
    NotAFile {
        /// Where.
        path: PackagePath,
    },
    /// A name that no path can hold.
    Unnameable {
        /// The name, for people.
        name: String,
    },
    /// A path that no archive of this format may hold.
    Path {
        /// The path.
        path: PackagePath,
    },
    /// More files than readers take.
    TooMany {
        /// How many there are.
        count: u64,
    },
    /// More bytes than readers take.
    TooLarge {
        /// How many there are, with the manifest.
        bytes: u64,
    },
    /// A file changed while the package was built.
    Changed {
        /// Which.
        path: PackagePath,
    },
    /// A file could not be read.
    Content {
        /// Which.
        path: PackagePath,
        /// Why.
        error: io::Error,
    },
    /// The archive could not be written.
    Write(WriteError),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Manifest => f.write_str("the manifest does not conform to the schema"),
            Self::NotCanonical(refused) => refused.fmt(f),
            Self::NotAFile { path } => {
                write!(f, "`{path}` is no regular file, and an archive holds nothing else")
            }
            Self::Unnameable { name } => write!(f, "`{name}` is a name that no path can hold"),
            Self::Path { path } => write!(f, "`{path}` is no path of an archive of this format"),
            Self::TooMany { count } => write!(f, "the package has {count} files and readers take {ENTRIES}"),
            Self::TooLarge { bytes } => {
                write!(f, "the files are {} in all and readers take {}", Bytes(*bytes), Bytes(TOTAL_BYTES))
            }
            Self::Changed { path } => write!(f, "`{path}` changed while the package was built"),
            Self::Content { path, error } => write!(f, "`{path}` cannot be read: {error}"),
            Self::Write(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BuildError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Content { error, .. } => Some(error),
            Self::Write(error) => Some(error),
            Self::NotCanonical(refused) => Some(refused),
            _ => None,
        }
    }
}

impl From<WriteError> for BuildError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Content { path, error } => Self::Content { path, error },
            WriteError::Length { path, .. } => Self::Changed { path },
            error => Self::Write(error),
        }
    }
}

impl From<BuildError> for PackError {
    fn from(error: BuildError) -> Self {
        let (path, because) = match error {
            BuildError::Write(error) => return Self::Write(error),
            BuildError::Content { path, error } => return Self::Write(WriteError::Content { path, error }),
            BuildError::NotAFile { path } => {
                (Some(path), "it is no regular file, and an archive holds nothing else".to_owned())
            }
            BuildError::Path { path } => {
                (Some(path), "no archive of this format may hold the path".to_owned())
            }
            BuildError::Changed { path } => (Some(path), "it changed while the package was built".to_owned()),
            error => (None, error.to_string()),
        };
        Self::unsound(path, because)
    }
}

/// One file on its way into the archive.
struct Member<'t> {
    path: &'t PackagePath,
    blob: &'t Blob,
    digest: Sha256,
    executable: Executable,
}

/// Builds the archive of `capability` and the files in `tree`. Contents are read twice, once for the manifest and once for
/// the archive, and nothing of them is kept.
///
/// # Errors
/// [`BuildError`]; what was written before is then no archive.
pub fn build(capability: &Capability, tree: &Tree, out: &mut dyn Write) -> Result<Built, BuildError> {
    let (Some(document), Some(source)) = (capability.document(), capability.json()) else {
        return Err(BuildError::Manifest);
    };
    let files = collect(document, tree)?;
    let manifest = canonical::adcap(&with_files(source, &files)).map_err(BuildError::NotCanonical)?;
    let manifest_sha256 = Sha256::of(manifest.as_bytes());
    let signature = tree.file(SIGNATURE);
    let kept = match signature {
        None => Kept::None,
        Some(blob) if covers(blob, &manifest_sha256) => Kept::Yes,
        Some(_) => Kept::LeftOut,
    };
    let signature = signature.filter(|_| kept == Kept::Yes);
    let entries = files.len() as u64 + 1 + u64::from(signature.is_some());
    check_limits(entries, &files, manifest.len() as u64, signature)?;

    let sink = Counted { out, hasher: Hasher::default(), bytes: 0 };
    let gzip = Deflated::new(sink, Header::ANONYMOUS).map_err(WriteError::Out)?;
    let mut tar = Writer::new(gzip, &LAYOUT);
    tar.file(&manifest::file(), Executable::No, manifest.len() as u64, &mut manifest.as_bytes())?;
    for file in &files {
        write_file(&mut tar, file)?;
    }
    if let (Some(blob), Ok(path)) = (signature, PackagePath::new(SIGNATURE)) {
        let mut content = blob.open().map_err(|error| BuildError::Content { path: path.clone(), error })?;
        tar.file(&path, Executable::No, blob.len(), &mut *content)?;
    }
    let sink = tar.finish()?.finish().map_err(WriteError::Out)?;
    sink.out.flush().map_err(WriteError::Out)?;
    Ok(Built {
        manifest_sha256,
        archive_sha256: sink.hasher.finish(),
        archive_bytes: sink.bytes,
        entries,
        signature: kept,
    })
}

/// Every file but the manifest and the signature, in byte order of the paths.
fn collect<'t>(document: &Document, tree: &'t Tree) -> Result<Vec<Member<'t>>, BuildError> {
    if let Some(entry) = tree.unnameable().next() {
        return Err(BuildError::Unnameable { name: entry.name.clone() });
    }
    let programs = executables(document);
    let mut files = Vec::new();
    for (path, node) in members(tree) {
        let blob = match node {
            Node::Folder => continue,
            Node::File(_) if matches!(path.as_str(), FILE | SIGNATURE) => continue,
            Node::File(blob) => blob,
            _ => return Err(BuildError::NotAFile { path: path.clone() }),
        };
        if !is_path(path.as_str()) || LAYOUT.split(path.as_str()).is_none() {
            return Err(BuildError::Path { path: path.clone() });
        }
        let digest = blob.digest().map_err(|error| BuildError::Content { path: path.clone(), error })?;
        let executable = if programs.contains(path.as_str()) { Executable::Yes } else { Executable::No };
        files.push(Member { path, blob, digest, executable });
    }
    Ok(files)
}

/// Files that are marked executable: the programs of binary tools, and what an earlier build marked.
fn executables(document: &Document) -> HashSet<&str> {
    let binaries = document.tools.iter().map(|tool| &tool.value.runtime);
    let programs = binaries
        .filter(|runtime| runtime.kind.value == RuntimeKind::Binary)
        .flat_map(|runtime| runtime.entries.iter().map(|entry| &*entry.value));
    let marked = document.files.iter().flat_map(|files| &files.entries).map(|file| &file.value);
    programs.chain(marked.filter(|file| file.executable).map(|file| &*file.path.value)).collect()
}

/// The manifest with its `files`.
fn with_files(source: &Json, files: &[Member<'_>]) -> Json {
    let value = |value| Json { span: Span::default(), value };
    let entries = files.iter().map(|file| {
        let mut entry = Object::default();
        entry.insert("path", value(Value::String(file.path.as_str().to_owned())));
        entry.insert("sha256", value(Value::String(file.digest.to_string())));
        // A length beyond what is signed is refused below, by the limit on all of them.
        entry.insert("size", value(Value::Integer(i64::try_from(file.blob.len()).unwrap_or(i64::MAX))));
        if file.executable == Executable::Yes {
            entry.insert("executable", value(Value::Bool(true)));
        }
        value(Value::Object(entry))
    });
    let mut manifest = source.as_object().cloned().unwrap_or_default();
    manifest.insert("files", value(Value::Array(entries.collect())));
    value(Value::Object(manifest))
}

/// Whether the envelope in `blob` says that it signs this manifest. Whether the signature holds is not asked here.
fn covers(blob: &Blob, manifest: &Sha256) -> bool {
    let bytes = blob.read(Limits::LOOSEST.document_bytes);
    let json = bytes.ok().and_then(|bytes| json::read(&bytes).ok());
    let signed = json.as_ref().and_then(|json| json.get("payload")?.get("manifestSha256")?.as_str());
    signed == Some(manifest.to_string().as_str())
}

fn check_limits(
    entries: u64,
    files: &[Member<'_>],
    manifest: u64,
    signature: Option<&Blob>,
) -> Result<(), BuildError> {
    if entries > ENTRIES {
        return Err(BuildError::TooMany { count: entries });
    }
    let sizes = files.iter().map(|file| file.blob.len()).chain(signature.map(Blob::len));
    let bytes = sizes.fold(manifest, u64::saturating_add);
    if bytes > TOTAL_BYTES { Err(BuildError::TooLarge { bytes }) } else { Ok(()) }
}

/// Writes one file, and makes sure that it is the one whose digest the manifest already has.
fn write_file<W: Write>(tar: &mut Writer<'_, W>, file: &Member<'_>) -> Result<(), BuildError> {
    let path = file.path;
    let failed = |error| BuildError::Content { path: path.clone(), error };
    let mut content = Hashed { content: file.blob.open().map_err(failed)?, hasher: Hasher::default() };
    tar.file(path, file.executable, file.blob.len(), &mut content)?;
    if content.hasher.finish() == file.digest {
        Ok(())
    } else {
        Err(BuildError::Changed { path: path.clone() })
    }
}

/// A content that is hashed while it passes by.
struct Hashed<R> {
    content: R,
    hasher: Hasher,
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.content.read(into)?;
        self.hasher.update(&into[..n]);
        Ok(n)
    }
}

/// A sink that knows what went into it.
struct Counted<'o> {
    out: &'o mut dyn Write,
    hasher: Hasher,
    bytes: u64,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.out.write(bytes)?;
        self.hasher.update(&bytes[..n]);
        self.bytes += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
