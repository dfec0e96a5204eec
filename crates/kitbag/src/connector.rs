//! `connector`: is this description of a tool server sound, and how do others read it?
//!
//! A template of Open-Science or the configuration of an MCP client comes in; templates and configurations go out. No value
//! of a secret is read or written on the way.

use std::fmt;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use kitbag_core::finding::Findings;
use kitbag_core::formats::openscience::connector::client::{Client, Configuration, configuration};
use kitbag_core::formats::openscience::connector::{self, DOCUMENT_BYTES, SourceFormat, Taken, Template};
use kitbag_core::limits;
use kitbag_core::path::PackagePath;
use kitbag_core::permit::Lowered;
use kitbag_core::tree::{Blob, Node, Root, Tree};

use crate::check::{FaceSummary, PackageReport, Report, Warnings};
use crate::draft::{self, FileDraft};
use crate::location::{Location, SourceKind};
use crate::read::{ReadError, Source};

pub use crate::draft::Existing;

/// What to read.
#[derive(Clone, Debug)]
pub struct Request {
    /// The document.
    pub source: Source,
    /// Names that a new Connector may not have, beside those that Open-Science brings along.
    pub taken: Vec<String>,
}

/// What a document holds.
#[derive(Debug)]
pub struct Answer {
    /// What it is; `None` when it is no JSON.
    pub format: Option<SourceFormat>,
    /// How many servers it describes, those with an error included.
    pub servers: usize,
    /// The Connectors without an error.
    pub connectors: Vec<Template>,
    /// What there is to say about it.
    pub report: Report,
    file: PackagePath,
}

impl Answer {
    /// Whether every server in it came out.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.servers > 0 && self.connectors.len() == self.servers && self.report.ok()
    }
}

/// Reads a document.
///
/// # Errors
/// [`ReadError`] when it cannot be read at all.
pub fn read(request: &Request) -> Result<Answer, ReadError> {
    let (location, name, bytes) = match &request.source {
        Source::Path(path) => {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            (Location::root(path.clone(), SourceKind::Document), name, document(path)?)
        }
        Source::Document { name, bytes } => {
            (Location::root(PathBuf::new(), SourceKind::Input), name.clone(), bytes.clone())
        }
    };
    let plain = PackagePath::new("connector.json").ok();
    let file = name.and_then(|name| PackagePath::new(&name).ok()).or(plain);
    let file = file.ok_or_else(|| ReadError::Missing { path: location.typed.clone() })?;
    let taken = Taken { installed: request.taken.iter().cloned().collect(), ..Taken::built_in() };
    let mut findings = Findings::default();
    let reading = connector::read(&file, &bytes, &taken, &mut findings);
    let faces = reading.definitions.iter().map(|template| FaceSummary {
        format: "connector",
        name: Some(template.name.clone()),
        version: None,
        spec: None,
    });
    let mut tree = Tree::new(None, Root::Document);
    // A name that a path can hold is new in an empty tree.
    let _inserted = tree.insert(file.clone(), Node::File(Blob::from_bytes(bytes)));
    let mut report = Report::new(Warnings::Ignore);
    report.add(PackageReport::of_document(location, faces.collect(), findings, &tree, Some(file.clone())));
    Ok(Answer {
        format: reading.format,
        servers: reading.servers,
        connectors: reading.definitions,
        report,
        file,
    })
}

/// The bytes of the document at `path`, and one more than a document may have.
fn document(path: &Path) -> Result<Vec<u8>, ReadError> {
    let failed = |error| ReadError::of(path, error);
    let metadata = std::fs::metadata(path).map_err(failed)?;
    if !metadata.is_file() {
        return Err(failed(io::Error::other("only a regular file is read")));
    }
    let mut file = File::open(path).map_err(failed)?;
    let mut bytes = io::Read::take(&mut file, DOCUMENT_BYTES + 1);
    limits::read_bounded(&mut bytes, metadata.len(), DOCUMENT_BYTES + 1).map_err(|error| match error {
        limits::ReadError::Io(error) => failed(error),
        error => failed(io::Error::other(error)),
    })
}

/// Why templates or a configuration were not written. Nothing was, then.
#[derive(Debug)]
#[non_exhaustive]
pub enum WriteError {
    /// Something has the name already.
    Exists {
        /// Its path.
        path: PathBuf,
    },
    /// It cannot be written.
    Io {
        /// Its path.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exists { path } => write!(f, "`{}` is there already", path.display()),
            Self::Io { path, error } => write!(f, "cannot write `{}`: {error}", path.display()),
        }
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Exists { .. } => None,
            Self::Io { error, .. } => Some(error),
        }
    }
}

/// Writes a template for each Connector into `folder`: all of them, or none where one cannot be. Only a disk that fails
/// between two names can leave some, and then takes them away again.
///
/// # Errors
/// [`WriteError`].
pub fn import(answer: &Answer, folder: &Path, existing: Existing) -> Result<Vec<PathBuf>, WriteError> {
    let mut drafts = Vec::new();
    for template in &answer.connectors {
        let path = folder.join(connector::file_name(template));
        drafts.push((draft(&path, &connector::document(template), existing)?, path));
    }
    let mut written: Vec<PathBuf> = Vec::new();
    for (draft, path) in drafts {
        if let Err(error) = commit(draft, &path, existing) {
            if existing == Existing::Keep {
                for path in &written {
                    // What cannot be taken away is told by the error before it.
                    let _removed = std::fs::remove_file(path);
                }
            }
            return Err(error);
        }
        written.push(path);
    }
    Ok(written)
}

/// The configuration of `client` for the first Connector of `answer`; `None` when there is none.
#[must_use]
pub fn export(answer: &Answer, client: Client) -> Option<Lowered<Configuration>> {
    answer.connectors.first().map(|template| configuration(template, client, &answer.file))
}

/// Writes a configuration to `path`.
///
/// # Errors
/// [`WriteError`].
pub fn write(configuration: &Configuration, path: &Path, existing: Existing) -> Result<(), WriteError> {
    commit(draft(path, &configuration.text, existing)?, path, existing)
}

fn draft(path: &Path, text: &str, existing: Existing) -> Result<FileDraft, WriteError> {
    let failed = |error| WriteError::Io { path: path.to_owned(), error };
    if draft::exists(path).map_err(failed)? && (existing == Existing::Keep || path.is_dir()) {
        return Err(WriteError::Exists { path: path.to_owned() });
    }
    let mut draft = FileDraft::new(draft::folder_of(path)).map_err(failed)?;
    draft.file().write_all(text.as_bytes()).map_err(failed)?;
    Ok(draft)
}

fn commit(draft: FileDraft, path: &Path, existing: Existing) -> Result<(), WriteError> {
    draft.commit(path, existing).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => WriteError::Exists { path: path.to_owned() },
        _ => WriteError::Io { path: path.to_owned(), error },
    })
}
