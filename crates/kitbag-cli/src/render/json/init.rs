//! `init`

use std::io::{self, Write};

use kitbag::init::Answer;
use kitbag_core::path::PackagePath;
use serde::Serialize;

use crate::render::document;

use super::VERSION;

#[derive(Serialize)]
struct Init<'a> {
    version: u32,
    command: &'static str,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    files: Vec<&'a str>,
}

/// The answer of `init`.
///
/// # Errors
/// The writer's own.
pub fn init(answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    let nothing = |because| Init {
        version: VERSION,
        command: "init",
        ok: false,
        because,
        folder: None,
        format: None,
        id: None,
        files: Vec::new(),
    };
    let document = match answer {
        Answer::Begun(begun) => Init {
            ok: true,
            folder: Some(begun.folder.display().to_string()),
            format: Some(begun.starter.format()),
            id: Some(&begun.id),
            files: begun.files.iter().map(PackagePath::as_str).collect(),
            ..nothing(None)
        },
        Answer::Refused(refusal) => nothing(Some(refusal.to_string())),
        _ => nothing(None),
    };
    document::write(&document, out)
}
