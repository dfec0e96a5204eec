//! `check`

use std::io::{self, Write};

use kitbag::check::{PackageReport, Report};
use serde::Serialize;

use crate::render::document;

use super::VERSION;
use super::finding::{Face, Finding};
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

/// The answer of `check`.
///
/// # Errors
/// The writer's own.
pub fn check(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    answer("check", report, out)
}

/// The answer of `skill check`, which has the same members.
///
/// # Errors
/// The writer's own.
pub fn skill_check(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    answer("skill check", report, out)
}

fn answer(command: &'static str, report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let counts = Counts {
        errors: report.counts.errors,
        warnings: report.counts.warnings,
        packages: report.counts.packages,
    };
    let packages = report.packages.iter().map(Package::of).collect();
    document::write(&Check { version: VERSION, command, ok: report.ok(), packages, counts }, out)
}

impl<'a> Package<'a> {
    fn of(package: &'a PackageReport) -> Self {
        Self {
            path: package.location.to_string(),
            faces: package.faces.iter().map(Face::of).collect(),
            findings: package.findings.iter().map(Finding::of).collect(),
            profiles: Profiles(&package.profiles),
            permissions: &package.permissions,
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
