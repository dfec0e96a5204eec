//! `verify`

use std::io::{self, Write};

use kitbag::verify::{Asked, NamedPin, Report, Verified};
use kitbag_core::formats::Seal;
use serde::Serialize;

use crate::render::document;

use super::VERSION;
use super::finding::{Face, Finding};

#[derive(Serialize)]
struct Verify<'a> {
    version: u32,
    command: &'static str,
    ok: bool,
    packages: Vec<Package<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    between: Vec<Between<'a>>,
}

/// What the bytes of one package are worth.
#[derive(Serialize)]
pub(super) struct Package<'a> {
    path: String,
    faces: Vec<Face<'a>>,
    outcome: &'static str,
    signature: Signature,
    pins: Vec<Pin>,
    compared: usize,
    findings: Vec<Finding<'a>>,
}

/// `verified` is false as long as signatures are not looked at, whether they are there or not.
#[derive(Serialize)]
struct Signature {
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
    verified: bool,
}

#[derive(Serialize)]
struct Pin {
    format: &'static str,
    name: &'static str,
    value: String,
    expected: bool,
}

#[derive(Serialize)]
struct Between<'a> {
    path: String,
    findings: Vec<Finding<'a>>,
}

/// The answer of `verify`.
///
/// # Errors
/// The writer's own.
pub fn verify(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let packages = packages(report);
    let between = report.between.iter().map(|between| Between {
        path: between.location.to_string(),
        findings: between.findings.iter().map(Finding::of).collect(),
    });
    let answer =
        Verify { version: VERSION, command: "verify", ok: report.ok(), packages, between: between.collect() };
    document::write(&answer, out)
}

/// Every package of an answer.
pub(super) fn packages(report: &Report) -> Vec<Package<'_>> {
    report.packages.iter().map(Package::of).collect()
}

impl<'a> Package<'a> {
    fn of(verified: &'a Verified) -> Self {
        let Verified { report, outcome, seal, pins, compared } = verified;
        let (state, count) = match seal {
            Seal::Elsewhere => ("elsewhere", None),
            Seal::Absent => ("absent", None),
            Seal::Present { signatures } => ("present", Some(*signatures)),
        };
        Self {
            path: report.location.to_string(),
            faces: report.faces.iter().map(Face::of).collect(),
            outcome: outcome.word(),
            signature: Signature { state, count, verified: false },
            pins: pins.iter().map(Pin::of).collect(),
            compared: *compared,
            findings: report.findings.iter().map(Finding::of).collect(),
        }
    }
}

impl Pin {
    fn of(named: &NamedPin) -> Self {
        let NamedPin { format, pin, asked } = named;
        Self { format, name: pin.name, value: pin.value(), expected: *asked == Asked::Yes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::fixture::{verified, written};

    #[test]
    fn the_document_is_what_was_promised() {
        let answer: serde_json::Value =
            serde_json::from_str(&written(|out| verify(&verified(), out))).unwrap();
        assert_eq!(
            (&answer["version"], &answer["command"], &answer["ok"]),
            (&1.into(), &"verify".into(), &false.into())
        );
        let [tampered, expected] = answer["packages"].as_array().unwrap().as_slice() else { unreachable!() };
        assert_eq!((&tampered["outcome"], &tampered["compared"]), (&"tampered".into(), &7.into()));
        assert_eq!(
            tampered["signature"],
            serde_json::json!({"state": "present", "count": 2, "verified": false})
        );
        assert_eq!(tampered["findings"][1]["code"], "agent-skill/name-form");
        assert_eq!(expected["signature"], serde_json::json!({"state": "absent", "verified": false}));
        let pins: Vec<_> =
            expected["pins"].as_array().unwrap().iter().map(|pin| (&pin["name"], &pin["expected"])).collect();
        assert_eq!(pins, [(&"integrity".into(), &true.into()), (&"filesDigest".into(), &false.into())]);
        assert_eq!(answer["between"][0]["path"], "down.zip:a/b");
    }
}
