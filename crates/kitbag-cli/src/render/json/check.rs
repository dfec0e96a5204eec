//! `check`

use std::io::{self, Write};

use kitbag::check::{Located, PackageReport, Report};
use kitbag_core::finding::{Place, Position};
use kitbag_core::json::Pointer;
use kitbag_core::path::PackagePath;
use serde::Serialize;

use crate::render::document;

use super::VERSION;
use super::profiles::Profiles;

#[derive(Serialize)]
struct Check<'a> {
    version: u32,
    command: &'static str,
    ok: bool,
    packages: Vec<Package<'a>>,
    counts: Counts,
}

#[derive(Serialize)]
struct Counts {
    errors: usize,
    warnings: usize,
    packages: usize,
}

#[derive(Serialize)]
struct Package<'a> {
    path: String,
    faces: Vec<Face<'a>>,
    findings: Vec<Finding<'a>>,
    profiles: Profiles<'a>,
    permissions: &'a [String],
}

#[derive(Serialize)]
struct Face<'a> {
    format: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spec: Option<&'a str>,
}

#[derive(Serialize)]
struct Finding<'a> {
    code: &'a str,
    severity: &'static str,
    message: &'a str,
    why: &'a str,
    help: &'a str,
    place: Spot<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<Related<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    consumers: &'a [&'static str],
}

#[derive(Serialize)]
struct Related<'a> {
    message: &'a str,
    place: Spot<'a>,
}

/// `line` and `column` count from 1, the column in Unicode scalar values; `span` is bytes from 0, its end excluded.
#[derive(Serialize)]
struct Spot<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<[u32; 2]>,
}

/// The answer of `check`.
///
/// # Errors
/// The writer's own.
pub fn check(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let counts = Counts {
        errors: report.counts.errors,
        warnings: report.counts.warnings,
        packages: report.counts.packages,
    };
    let packages = report.packages.iter().map(Package::of).collect();
    document::write(&Check { version: VERSION, command: "check", ok: report.ok(), packages, counts }, out)
}

impl<'a> Package<'a> {
    fn of(package: &'a PackageReport) -> Self {
        let faces = package.faces.iter().map(|face| Face {
            format: face.format,
            name: face.name.as_deref(),
            version: face.version.as_deref(),
            spec: face.spec.as_deref(),
        });
        Self {
            path: package.location.to_string(),
            faces: faces.collect(),
            findings: package.findings.iter().map(Finding::of).collect(),
            profiles: Profiles(&package.profiles),
            permissions: &package.permissions,
        }
    }
}

impl<'a> Finding<'a> {
    fn of(located: &'a Located) -> Self {
        let finding = &located.finding;
        let related = finding.related.iter().zip(&located.related);
        let related =
            related.map(|((place, message), start)| Related { message, place: Spot::of(place, *start) });
        Self {
            code: finding.code.slug,
            severity: finding.severity.word(),
            message: &finding.message,
            why: &finding.why,
            help: &finding.help,
            place: Spot::of(&finding.place, located.start),
            related: related.collect(),
            consumers: &finding.consumers,
        }
    }
}

impl<'a> Spot<'a> {
    fn of(place: &'a Place, start: Option<Position>) -> Self {
        Self {
            file: place.file.as_ref().map(PackagePath::as_str),
            pointer: place.pointer.as_ref().map(Pointer::as_str),
            line: start.map(|start| start.line),
            column: start.map(|start| start.column),
            span: place.span.map(|span| [span.start, span.end]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::fixture::{report, written};

    #[test]
    fn the_document_is_what_was_promised() {
        insta::assert_snapshot!(written(|out| check(&report(), out)), @r#"
        {
          "version": 1,
          "command": "check",
          "ok": false,
          "packages": [
            {
              "path": "my skills/x,y",
              "faces": [
                {
                  "format": "skillpact",
                  "name": "evil",
                  "version": "1.0.0",
                  "spec": "0.8"
                },
                {
                  "format": "agent-skill",
                  "name": "\u001b[2JEvil\u202e"
                }
              ],
              "findings": [
                {
                  "code": "package/size",
                  "severity": "info",
                  "message": "100% of {budget}, [really]: 5,000 files",
                  "why": "Some programs give up on large packages.",
                  "help": "Leave out\n::error::what nobody needs.",
                  "place": {}
                },
                {
                  "code": "agent-skill/name-form",
                  "severity": "error",
                  "message": "the name `\u001b[2JEvil\u202e` has a capital letter",
                  "why": "Programs that follow the text refuse the skill.",
                  "help": "Use lower-case letters, digits and single hyphens.",
                  "place": {
                    "file": "SKILL.md",
                    "pointer": "/name",
                    "line": 2,
                    "column": 7,
                    "span": [
                      10,
                      21
                    ]
                  }
                },
                {
                  "code": "agent-skill/duplicate-field",
                  "severity": "warning",
                  "message": "`description` is there twice",
                  "why": "Programs disagree on which of the two counts.",
                  "help": "Remove one of them.",
                  "place": {
                    "file": "SKILL.md",
                    "pointer": "/description",
                    "line": 4,
                    "column": 1,
                    "span": [
                      40,
                      56
                    ]
                  },
                  "related": [
                    {
                      "message": "here [first]",
                      "place": {
                        "file": "SKILL.md",
                        "pointer": "/description",
                        "line": 3,
                        "column": 1,
                        "span": [
                          22,
                          38
                        ]
                      }
                    }
                  ],
                  "consumers": [
                    "codex",
                    "gemini-cli"
                  ]
                }
              ],
              "profiles": {
                "claude-code": {
                  "loads": true,
                  "name": "\u001b[2JEvil",
                  "description": "Two",
                  "because": []
                },
                "codex": {
                  "loads": false,
                  "because": [
                    "agent-skill/name-form"
                  ]
                }
              },
              "permissions": [
                "reads files under $INPUT"
              ]
            },
            {
              "path": "down.zip:a/b",
              "faces": [
                {
                  "format": "agent-skill"
                }
              ],
              "findings": [
                {
                  "code": "agent-skill/name-form",
                  "severity": "error",
                  "message": "the name is empty",
                  "why": "Programs that follow the text refuse the skill.",
                  "help": "Use lower-case letters, digits and single hyphens.",
                  "place": {
                    "file": "SKILL.md",
                    "pointer": "/name",
                    "line": 2,
                    "column": 7,
                    "span": [
                      10,
                      21
                    ]
                  }
                }
              ],
              "profiles": {},
              "permissions": []
            },
            {
              "path": "fine",
              "faces": [
                {
                  "format": "agent-skill",
                  "name": "fine"
                }
              ],
              "findings": [],
              "profiles": {},
              "permissions": []
            }
          ],
          "counts": {
            "errors": 2,
            "warnings": 1,
            "packages": 3
          }
        }
        "#);
    }
}
