//! `init`: a package to begin with. It is small, it works, and nothing is wrong with it; what is in it is to be replaced.

mod starter;

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Blob, Executable};

use crate::draft::{self, FolderDraft};
use crate::interrupt::Interrupt;

use starter::Named;
pub use starter::Starter;

/// What to begin.
#[derive(Clone, Debug)]
pub struct Request {
    /// The folder, which is not there yet or has nothing in it.
    pub folder: PathBuf,
    /// Which kind of package.
    pub starter: Starter,
    /// Its name, or `publisher/name`, with or without an `@`; `None`: as the folder is called.
    pub name: Option<String>,
}

/// What was begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    /// The folder.
    pub folder: PathBuf,
    /// Which kind of package.
    pub starter: Starter,
    /// Its whole id, as its format writes it.
    pub id: String,
    /// Whether the publisher is only a stand-in, to be replaced before anybody else gets the package.
    pub stand_in: bool,
    /// The files, in the order they should be looked at.
    pub files: Vec<PackagePath>,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answer {
    /// It is there.
    Begun(Begun),
    /// Nothing was written.
    Refused(Refusal),
}

/// Why nothing was written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// Something is in the folder, or the name is taken by what is no folder.
    Taken {
        /// The folder.
        folder: PathBuf,
        /// What is in it, or what it is.
        what: String,
    },
    /// The name that was asked for is none that the format takes.
    Name {
        /// The name, or the part of it.
        name: String,
        /// What is wrong with it.
        because: String,
    },
    /// The folder is called so that no name can be made of it.
    FolderName {
        /// What it is called.
        name: String,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taken { folder, what } => write!(f, "`{}` {what}", folder.display()),
            Self::Name { name, because } => write!(f, "`{name}` is no name for a package: {because}"),
            Self::FolderName { name } => write!(f, "no name for a package can be made of `{name}`"),
        }
    }
}

/// The folder could not be written.
#[derive(Debug)]
pub struct InitError {
    /// The folder.
    pub folder: PathBuf,
    /// Why.
    pub error: io::Error,
}

impl fmt::Display for InitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot write `{}`: {}", self.folder.display(), self.error)
    }
}

impl std::error::Error for InitError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// What is at the place of the new package.
enum Place {
    Nothing,
    EmptyFolder,
    Taken(String),
}

/// Begins a package. Either all of it is there in the end, or nothing.
///
/// # Errors
/// [`InitError`] when the folder cannot be written.
pub fn init(request: &Request, interrupt: &Interrupt) -> Result<Answer, InitError> {
    let folder = request.folder.components().as_path();
    let failed = |error| InitError { folder: folder.to_owned(), error };
    let place = look(folder).map_err(failed)?;
    if let Place::Taken(what) = place {
        return Ok(Answer::Refused(Refusal::Taken { folder: folder.to_owned(), what }));
    }
    let own = name_of(folder).map_err(failed)?;
    let named = match Named::new(request.name.as_deref(), &own) {
        Ok(named) => named,
        Err(refusal) => return Ok(Answer::Refused(refusal)),
    };
    let files = request.starter.files(&named, &own);
    let inside = match place {
        Place::EmptyFolder => folder,
        _ => draft::folder_of(folder),
    };
    let draft = FolderDraft::new(inside, files.len()).map_err(failed)?;
    for (path, text) in &files {
        draft.file(path, &Blob::from_bytes(text.as_bytes()), Executable::No, interrupt).map_err(failed)?;
    }
    interrupt.check().map_err(failed)?;
    let done = match place {
        Place::EmptyFolder => draft.commit_into(folder, request.starter.document()),
        _ => draft.commit(folder),
    };
    match done {
        Err(error)
            if matches!(error.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::DirectoryNotEmpty) =>
        {
            let what = "came to be there meanwhile".to_owned();
            return Ok(Answer::Refused(Refusal::Taken { folder: folder.to_owned(), what }));
        }
        done => done.map_err(failed)?,
    }
    Ok(Answer::Begun(Begun {
        folder: folder.to_owned(),
        starter: request.starter,
        id: named.id(request.starter),
        stand_in: named.stand_in,
        files: files.into_iter().map(|(path, _)| path).collect(),
    }))
}

fn look(folder: &Path) -> io::Result<Place> {
    if !draft::exists(folder)? {
        return Ok(Place::Nothing);
    }
    // A link to an empty folder is one: whoever named it meant what is behind it.
    if !fs::metadata(folder).is_ok_and(|metadata| metadata.is_dir()) {
        return Ok(Place::Taken("is there, and is no folder".to_owned()));
    }
    let mut entries = fs::read_dir(folder)?;
    Ok(match entries.next().transpose()? {
        None => Place::EmptyFolder,
        Some(first) => {
            Place::Taken(format!("is not empty: `{}` is in it", first.file_name().to_string_lossy()))
        }
    })
}

/// What the folder is called, or will be.
fn name_of(folder: &Path) -> io::Result<String> {
    if let Some(name) = folder.file_name() {
        return Ok(name.to_string_lossy().into_owned());
    }
    let whole = fs::canonicalize(folder)?;
    Ok(whole.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default())
}
