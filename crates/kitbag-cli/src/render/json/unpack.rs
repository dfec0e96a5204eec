//! `unpack`

use std::io::{self, Write};

use kitbag::unpack::{Answer, Unpacked};
use kitbag_core::path::PackagePath;
use serde::Serialize;

use crate::render::document;

use super::VERSION;
use super::verify::{Package, packages};

#[derive(Serialize)]
struct Unpack<'a> {
    version: u32,
    command: &'static str,
    ok: bool,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<Folder<'a>>,
    packages: Vec<Package<'a>>,
}

#[derive(Serialize)]
struct Folder<'a> {
    path: String,
    files: usize,
    bytes: u64,
    executables: Vec<&'a str>,
}

/// The answer of `unpack`.
///
/// # Errors
/// The writer's own.
pub fn unpack(answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    let nothing = |outcome, because, packages| Unpack {
        version: VERSION,
        command: "unpack",
        ok: false,
        outcome,
        because,
        folder: None,
        packages,
    };
    let document = match answer {
        Answer::Unpacked(unpacked) => Unpack::of(unpacked),
        Answer::Unverified(report) => nothing("unverified", None, packages(report)),
        Answer::Refused(refusal) => nothing("refused", Some(refusal.to_string()), Vec::new()),
        _ => nothing("unknown", None, Vec::new()),
    };
    document::write(&document, out)
}

impl<'a> Unpack<'a> {
    fn of(unpacked: &'a Unpacked) -> Self {
        let folder = Folder {
            path: unpacked.folder.display().to_string(),
            files: unpacked.files,
            bytes: unpacked.bytes,
            executables: unpacked.executables.iter().map(PackagePath::as_str).collect(),
        };
        Self {
            version: VERSION,
            command: "unpack",
            ok: true,
            outcome: "unpacked",
            because: None,
            folder: Some(folder),
            packages: packages(&unpacked.report),
        }
    }
}
