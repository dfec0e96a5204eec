//! `pack`

use std::io::{self, Write};

use kitbag::check::PackageReport;
use kitbag::pack::{Answer, Packed};
use serde::Serialize;

use crate::render::document;

use super::VERSION;
use super::finding::{Face, Finding};

#[derive(Serialize)]
struct Pack<'a> {
    version: u32,
    command: &'static str,
    ok: bool,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    archive: Option<Archive>,
    pins: Vec<Pin>,
    left_out: &'a [String],
    packages: Vec<Package<'a>>,
}

#[derive(Serialize)]
struct Archive {
    path: String,
    #[serde(rename = "as")]
    form: &'static str,
    bytes: u64,
    sha256: String,
    files: usize,
}

#[derive(Serialize)]
struct Pin {
    name: &'static str,
    value: String,
}

#[derive(Serialize)]
struct Package<'a> {
    path: String,
    faces: Vec<Face<'a>>,
    findings: Vec<Finding<'a>>,
}

/// The answer of `pack`.
///
/// # Errors
/// The writer's own.
pub fn pack(answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    let nothing = |outcome, because, packages| Pack {
        version: VERSION,
        command: "pack",
        ok: false,
        outcome,
        because,
        archive: None,
        pins: Vec::new(),
        left_out: &[],
        packages,
    };
    let document = match answer {
        Answer::Packed(packed) => Pack::of(packed),
        Answer::Unsound(unsound) => nothing("unsound", None, unsound.iter().map(Package::of).collect()),
        Answer::Refused(refusal) => nothing("refused", Some(refusal.to_string()), Vec::new()),
        _ => nothing("unknown", None, Vec::new()),
    };
    document::write(&document, out)
}

impl<'a> Pack<'a> {
    fn of(packed: &'a Packed) -> Self {
        let archive = Archive {
            path: packed.path.display().to_string(),
            form: packed.form.word(),
            bytes: packed.archive.size,
            sha256: packed.archive.sha256.to_string(),
            files: packed.files,
        };
        Self {
            version: VERSION,
            command: "pack",
            ok: true,
            outcome: "packed",
            because: None,
            archive: Some(archive),
            pins: packed.pins.iter().map(|pin| Pin { name: pin.name, value: pin.value() }).collect(),
            left_out: &packed.left_out,
            packages: vec![Package::of(&packed.report)],
        }
    }
}

impl<'a> Package<'a> {
    fn of(report: &'a PackageReport) -> Self {
        Self {
            path: report.location.to_string(),
            faces: report.faces.iter().map(Face::of).collect(),
            findings: report.findings.iter().map(Finding::of).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::fixture::{packed, written};
    use kitbag::pack::Refusal;

    fn document(answer: &Answer) -> serde_json::Value {
        serde_json::from_str(&written(|out| pack(answer, out))).unwrap()
    }

    #[test]
    fn the_document_is_what_was_promised() {
        let answer = document(&Answer::Packed(Box::new(packed())));
        assert_eq!(
            (&answer["command"], &answer["ok"], &answer["outcome"]),
            (&"pack".into(), &true.into(), &"packed".into())
        );
        assert_eq!(
            (&answer["archive"]["as"], &answer["archive"]["bytes"]),
            (&"adcap".into(), &10_263.into())
        );
        assert_eq!(answer["pins"][0]["name"], "manifestSha256");
        assert_eq!(answer["left_out"].as_array().unwrap().len(), 10);
        assert_eq!(answer["packages"][0]["findings"].as_array().unwrap().len(), 3);
        let refused = document(&Answer::Refused(Refusal::NotAFolder));
        assert_eq!((&refused["ok"], &refused["outcome"]), (&false.into(), &"refused".into()));
        assert_eq!((&refused["because"], refused.get("archive")), (&"only a folder is packed".into(), None));
    }
}
