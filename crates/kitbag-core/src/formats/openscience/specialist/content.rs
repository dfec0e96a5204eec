//! [`Content`]: what is in a package, once its layer is behind it (§3.3).

use crate::finding::{Finding, Findings, Place};
use crate::json::{self, Json};
use crate::limits::ReadError;
use crate::path::PackagePath;
use crate::tree::Blob;

use super::super::codes;
use super::super::connector::is_ambiguous;
use super::bundled::{self, Bundled};
use super::manifest::{self, Manifest};
use super::payload::{self, Payload};
use super::{FILE_BYTES, MANIFEST, SPECIALIST};

/// The files of a package, in their order.
pub type Files = Vec<(PackagePath, Blob)>;

/// Endings of files that a system starts or a shell runs.
const EXECUTABLE: [&str; 18] = [
    "app", "bash", "bat", "cjs", "cmd", "com", "dll", "dylib", "exe", "fish", "js", "mjs", "msi", "pl",
    "ps1", "py", "rb", "sh",
];
/// And those that did not fit the line.
const EXECUTABLE_TOO: [&str; 2] = ["so", "zsh"];

/// What is in a package.
#[derive(Clone, Debug, Default)]
pub struct Content {
    /// Its manifest, where it has no error.
    pub manifest: Option<Manifest>,
    /// Its payload, where it has no error.
    pub payload: Option<Payload>,
    /// The Skills it brings along, without those that have something wrong with them.
    pub bundled: Vec<Bundled>,
}

impl Content {
    /// Judges the files of a package.
    #[must_use]
    pub fn read(files: &[(PackagePath, Blob)], out: &mut Findings) -> Self {
        for (path, _) in files {
            if !is_allowed(path.as_str()) {
                let message = format!("`{path}` has no place in a package");
                out.push(Finding::new(&codes::TOP_LEVEL_CONTENT, Place::file(path.clone()), message));
            }
            if is_executable(path.as_str()) {
                let message = format!("`{path}` can be run");
                out.push(Finding::new(&codes::EXECUTABLE_CONTENT, Place::file(path.clone()), message));
            }
        }
        let manifest = document(files, MANIFEST, out)
            .and_then(|found| manifest::decode(&found.file, found.json.as_ref(), out));
        let payload = document(files, SPECIALIST, out)
            .and_then(|found| payload::decode(&found.file, found.json.as_ref(), out));
        Self { manifest, payload, bundled: bundled::read(files, out) }
    }
}

/// What may stand at the top of a package.
fn is_allowed(path: &str) -> bool {
    matches!(path, MANIFEST | SPECIALIST | "README.txt" | "LICENSE") || path.starts_with("skills/")
}

fn is_executable(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((_, extension)) = name.rsplit_once('.') else { return false };
    EXECUTABLE.iter().chain(&EXECUTABLE_TOO).any(|known| extension.eq_ignore_ascii_case(known))
}

/// A document of the package; its JSON where it could be read.
struct Found {
    file: PackagePath,
    json: Option<Json>,
}

fn document(files: &[(PackagePath, Blob)], name: &str, out: &mut Findings) -> Option<Found> {
    let Some((file, blob)) = files.iter().find(|(path, _)| path.as_str() == name) else {
        let message = format!("there is no `{name}`");
        out.push(Finding::new(&codes::REQUIRED_FILE_MISSING, Place::package(), message));
        return None;
    };
    let place = || Place::file(file.clone());
    let json = match blob.read(FILE_BYTES) {
        Ok(bytes) => {
            // A byte order mark is forgiven here.
            let mark = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
            match json::read(&bytes[mark..]) {
                Ok(json) => Some(if mark == 0 { json } else { shifted(json) }),
                Err(error) => {
                    let ambiguous =
                        is_ambiguous(&error.kind) && !matches!(error.kind, json::SyntaxErrorKind::NotUtf8);
                    let code = if ambiguous { &codes::JSON_AMBIGUOUS } else { &codes::JSON_INVALID };
                    out.push(Finding::new(code, place(), format!("`{name}`: {}", error.kind)));
                    None
                }
            }
        }
        Err(error) => {
            let message = match error {
                ReadError::Exceeded(exceeded) => format!("`{name}` is {exceeded}"),
                ReadError::Io(error) => format!("`{name}` cannot be read: {error}"),
            };
            out.push(Finding::new(&codes::JSON_INVALID, place(), message));
            None
        }
    };
    Some(Found { file: file.clone(), json })
}

/// The same value behind a byte order mark: only the place of the whole is kept right, since it is what is pointed at where
/// something is missing.
fn shifted(mut json: Json) -> Json {
    json.span.start = json.span.start.saturating_add(3);
    json.span.end = json.span.end.saturating_add(3);
    json
}
