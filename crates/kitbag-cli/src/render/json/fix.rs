//! `fix`

use std::io::{self, Write};

use kitbag::fix::{DocumentFix, Outcome, PackageFixes, Report};
use serde::Serialize;

use crate::render::document;

use super::VERSION;

#[derive(Serialize)]
struct Fix<'a> {
    version: u32,
    command: &'static str,
    packages: Vec<Package<'a>>,
    counts: Counts,
}

#[derive(Serialize)]
struct Counts {
    errors_left: usize,
}

#[derive(Serialize)]
struct Package<'a> {
    path: String,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<&'a str>,
    documents: Vec<Fixed<'a>>,
}

#[derive(Serialize)]
struct Fixed<'a> {
    file: &'a str,
    changes: Vec<Change<'a>>,
    diff: &'a str,
}

#[derive(Serialize)]
struct Change<'a> {
    code: &'a str,
    what: &'a str,
}

/// The answer of `fix`.
///
/// # Errors
/// The writer's own.
pub fn fix(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let packages = report.packages.iter().map(Package::of).collect();
    let counts = Counts { errors_left: report.errors_left };
    document::write(&Fix { version: VERSION, command: "fix", packages, counts }, out)
}

impl<'a> Package<'a> {
    fn of(package: &'a PackageFixes) -> Self {
        let (outcome, because) = match &package.outcome {
            Outcome::Previewed => ("previewed", None),
            Outcome::Written => ("written", None),
            Outcome::Refused { because } => ("refused", Some(because.as_str())),
            _ => ("unknown", None),
        };
        let documents = package.documents.iter().map(Fixed::of).collect();
        Self { path: package.location.to_string(), outcome, because, documents }
    }
}

impl<'a> Fixed<'a> {
    fn of(document: &'a DocumentFix) -> Self {
        let changes = document.changes.iter();
        Self {
            file: document.file.as_str(),
            changes: changes.map(|change| Change { code: change.code, what: &change.what }).collect(),
            diff: &document.diff,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::fixture::{fixes, written};

    #[test]
    fn the_document_is_what_was_promised() {
        let answer = fixes();
        insta::assert_snapshot!(written(|out| fix(&answer, out)), @r#"
        {
          "version": 1,
          "command": "fix",
          "packages": [
            {
              "path": "x",
              "outcome": "written",
              "documents": [
                {
                  "file": "SKILL.md",
                  "changes": [
                    {
                      "code": "agent-skill/name-form",
                      "what": "the name becomes `evil\u001b`"
                    }
                  ],
                  "diff": "@@ -2 +2 @@\n-name: \u001b[2JEvil\n+name: evil\n"
                }
              ]
            },
            {
              "path": "y",
              "outcome": "refused",
              "because": "it changed\u009b meanwhile",
              "documents": [
                {
                  "file": "SKILL.md",
                  "changes": [
                    {
                      "code": "agent-skill/name-form",
                      "what": "the name becomes `evil\u001b`"
                    }
                  ],
                  "diff": "@@ -2 +2 @@\n-name: \u001b[2JEvil\n+name: evil\n"
                }
              ]
            }
          ],
          "counts": {
            "errors_left": 1
          }
        }
        "#);
    }
}
