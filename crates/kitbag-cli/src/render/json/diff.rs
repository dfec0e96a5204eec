//! `diff`

use std::io::{self, Write};

use kitbag::diff::{
    Advice, Change, Difference, DocumentDifference, FieldChange, FileChange, FileState, Made, NeedChange,
    OfferChange, Permissions, Side, SubjectDifference, ToolChange, Verdict, VersionStep,
};
use kitbag::show::Permission;
use kitbag_core::tree::Executable;
use kitbag_core::version::{Move, Step};
use serde::Serialize;

use crate::render::document;

use super::VERSION;
use super::show::{Counts, Portrait, Statement};

#[derive(Serialize)]
struct Diff<'a> {
    version: u32,
    command: &'static str,
    ok: bool,
    widens: bool,
    old: End<'a>,
    new: End<'a>,
    files: Files<'a>,
    documents: Vec<Document<'a>>,
    advice: Advised<'a>,
}

#[derive(Serialize)]
struct End<'a> {
    path: String,
    faces: Vec<Portrait<'a>>,
    counts: Counts,
}

#[derive(Serialize)]
struct Files<'a> {
    same: usize,
    changes: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    path: &'a str,
    change: &'static str,
    says_the_same: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<State<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<State<'a>>,
}

#[derive(Serialize)]
struct State<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    executable: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<&'a str>,
}

#[derive(Serialize)]
struct Document<'a> {
    format: &'a str,
    change: &'static str,
    fields: Vec<Field<'a>>,
    more_fields: bool,
    tools: Vec<Tool<'a>>,
    offers: Vec<Offer<'a>>,
    dependencies: Vec<Dependency<'a>>,
    permissions: Asked<'a>,
}

#[derive(Serialize)]
struct Field<'a> {
    pointer: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<&'a str>,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    change: &'static str,
    step: &'static str,
    because: Vec<Because<'a>>,
}

#[derive(Serialize)]
struct Offer<'a> {
    kind: &'a str,
    #[serde(flatten)]
    tool: Tool<'a>,
}

#[derive(Serialize)]
struct Because<'a> {
    step: &'static str,
    what: &'a str,
}

#[derive(Serialize)]
struct Dependency<'a> {
    package: &'a str,
    change: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<&'a str>,
}

#[derive(Serialize)]
struct Asked<'a> {
    widens: bool,
    falls_silent: bool,
    subjects: Vec<Subject<'a>>,
}

#[derive(Serialize)]
struct Subject<'a> {
    subject: &'a str,
    wider: Vec<Statement<'a>>,
    narrower: Vec<Statement<'a>>,
    same: Vec<Statement<'a>>,
}

#[derive(Serialize)]
struct Advised<'a> {
    step: &'static str,
    followed: bool,
    reasons: Vec<Because<'a>>,
    versions: Vec<Version<'a>>,
}

#[derive(Serialize)]
struct Version<'a> {
    format: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<&'a str>,
    made: &'static str,
    demanded: &'static str,
    enough: bool,
}

/// The answer of `diff`.
///
/// # Errors
/// The writer's own.
pub fn diff(difference: &Difference, out: &mut dyn Write) -> io::Result<()> {
    let answer = Diff {
        version: VERSION,
        command: "diff",
        ok: difference.is_fine(),
        widens: difference.widens(),
        old: End::of(&difference.old),
        new: End::of(&difference.new),
        files: Files {
            same: difference.files.same,
            changes: difference.files.changes.iter().map(Entry::of).collect(),
        },
        documents: difference.documents.iter().map(Document::of).collect(),
        advice: Advised::of(&difference.advice),
    };
    document::write(&answer, out)
}

const fn word(step: Step) -> &'static str {
    match step {
        Step::None => "none",
        Step::Patch => "patch",
        Step::Minor => "minor",
        Step::Major => "major",
    }
}

const fn changed<T>(old: Option<&T>, new: Option<&T>) -> &'static str {
    match (old, new) {
        (None, _) => "added",
        (_, None) => "removed",
        _ => "changed",
    }
}

impl<'a> End<'a> {
    fn of(side: &'a Side) -> Self {
        Self {
            path: side.location.to_string(),
            faces: side.identities.iter().map(Portrait::of).collect(),
            counts: Counts::of(&side.counts),
        }
    }
}

impl<'a> Entry<'a> {
    fn of(change: &'a FileChange) -> Self {
        Self {
            path: change.path.as_str(),
            change: changed(change.old.as_ref(), change.new.as_ref()),
            says_the_same: change.says_the_same,
            old: change.old.as_ref().map(State::of),
            new: change.new.as_ref().map(State::of),
        }
    }
}

impl<'a> State<'a> {
    fn of(state: &'a FileState) -> Self {
        let plain =
            Self { kind: "file", bytes: None, sha256: None, executable: None, target: None, because: None };
        match state {
            FileState::File { bytes, sha256, executable } => Self {
                bytes: Some(*bytes),
                sha256: Some(sha256.to_string()),
                executable: Some(*executable == Executable::Yes),
                ..plain
            },
            FileState::Link(target) => Self { kind: "link", target: Some(target), ..plain },
            FileState::Other(because) => Self { kind: "other", because: Some(because), ..plain },
        }
    }
}

impl<'a> Document<'a> {
    fn of(document: &'a DocumentDifference) -> Self {
        Self {
            format: document.format,
            change: match (&document.old, &document.new) {
                (Some(_), Some(_)) if document.is_empty() => "same",
                (old, new) => changed(old.as_ref(), new.as_ref()),
            },
            fields: document.fields.iter().map(Field::of).collect(),
            more_fields: document.more_fields,
            tools: document.tools.iter().map(Tool::of).collect(),
            offers: document.offers.iter().map(Offer::of).collect(),
            dependencies: document.needs.iter().map(Dependency::of).collect(),
            permissions: Asked::of(&document.permissions),
        }
    }
}

impl<'a> Field<'a> {
    fn of(change: &'a FieldChange) -> Self {
        Self { pointer: &change.pointer, old: change.old.as_deref(), new: change.new.as_deref() }
    }
}

impl<'a> Tool<'a> {
    fn of(change: &'a ToolChange) -> Self {
        Self {
            name: &change.name,
            change: match change.verdict {
                Verdict::Added => "added",
                Verdict::Removed => "removed",
                Verdict::Compatible => "compatible",
                Verdict::Breaking => "breaking",
            },
            step: word(change.step()),
            because: change.because.iter().map(|(step, what)| Because { step: word(*step), what }).collect(),
        }
    }
}

impl<'a> Offer<'a> {
    fn of(offer: &'a OfferChange) -> Self {
        Self { kind: offer.kind, tool: Tool::of(&offer.change) }
    }
}

impl<'a> Dependency<'a> {
    fn of(need: &'a NeedChange) -> Self {
        Self {
            package: &need.package,
            change: match need.change {
                Change::Added => "added",
                Change::Removed => "removed",
                Change::Changed => "changed",
            },
            old: need.old.as_deref(),
            new: need.new.as_deref(),
        }
    }
}

impl<'a> Asked<'a> {
    fn of(permissions: &'a Permissions) -> Self {
        Self {
            widens: permissions.widen(),
            falls_silent: permissions.falls_silent,
            subjects: permissions.subjects.iter().map(Subject::of).collect(),
        }
    }
}

impl<'a> Subject<'a> {
    fn of(subject: &'a SubjectDifference) -> Self {
        let told = |statements: &'a [Permission]| statements.iter().map(Statement::of).collect();
        Self {
            subject: &subject.subject,
            wider: told(&subject.wider),
            narrower: told(&subject.narrower),
            same: told(&subject.same),
        }
    }
}

impl<'a> Advised<'a> {
    fn of(advice: &'a Advice) -> Self {
        let reason =
            |reason: &'a kitbag::diff::Reason| Because { step: word(reason.step), what: &reason.what };
        Self {
            step: word(advice.demanded),
            followed: advice.is_followed(),
            reasons: advice.reasons.iter().map(reason).collect(),
            versions: advice.versions.iter().map(Version::of).collect(),
        }
    }
}

impl<'a> Version<'a> {
    fn of(version: &'a VersionStep) -> Self {
        Self {
            format: version.format,
            old: version.old.as_deref(),
            new: version.new.as_deref(),
            made: match version.made {
                Made::Move(Move::Same) => "none",
                Made::Move(Move::Back) => "back",
                Made::Move(Move::Prerelease) => "prerelease",
                Made::Move(Move::Forward(step)) => word(step),
                Made::Unclear => "unclear",
                Made::AnotherPackage => "another-package",
            },
            demanded: word(version.demanded),
            enough: version.is_enough,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::fixture::{difference, written};

    #[test]
    fn the_document_is_what_was_promised() {
        insta::assert_snapshot!(written(|out| diff(&difference(), out)), @r#"
        {
          "version": 1,
          "command": "diff",
          "ok": false,
          "widens": true,
          "old": {
            "path": "old",
            "faces": [
              {
                "format": "splice",
                "name": "@a/maps\u001b[2J",
                "version": "1.0.0",
                "spec": "1"
              }
            ],
            "counts": {
              "errors": 0,
              "warnings": 0
            }
          },
          "new": {
            "path": "new",
            "faces": [
              {
                "format": "splice",
                "name": "@a/maps\u001b[2J",
                "version": "1.1.0",
                "spec": "1"
              }
            ],
            "counts": {
              "errors": 1,
              "warnings": 0
            }
          },
          "files": {
            "same": 4,
            "changes": [
              {
                "path": "a\u001b.txt",
                "change": "added",
                "says_the_same": false,
                "new": {
                  "kind": "file",
                  "bytes": 1,
                  "sha256": "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b",
                  "executable": false
                }
              },
              {
                "path": "b.txt",
                "change": "removed",
                "says_the_same": false,
                "old": {
                  "kind": "file",
                  "bytes": 2,
                  "sha256": "785f3ec7eb32f30b90cd0fcf3657d388b5ff4297f2f9716ff66e9b69c05ddd09",
                  "executable": false
                }
              },
              {
                "path": "c.txt",
                "change": "changed",
                "says_the_same": false,
                "old": {
                  "kind": "file",
                  "bytes": 2,
                  "sha256": "785f3ec7eb32f30b90cd0fcf3657d388b5ff4297f2f9716ff66e9b69c05ddd09",
                  "executable": false
                },
                "new": {
                  "kind": "file",
                  "bytes": 3,
                  "sha256": "556d7dc3a115356350f1f9910b1af1ab0e312d4b3e4fc788d2da63668f36d017",
                  "executable": false
                }
              }
            ]
          },
          "documents": [
            {
              "format": "splice",
              "change": "changed",
              "fields": [
                {
                  "pointer": "/description",
                  "old": "Draws.",
                  "new": "Draws\u202e more."
                }
              ],
              "more_fields": false,
              "tools": [
                {
                  "name": "draw",
                  "change": "breaking",
                  "step": "major",
                  "because": [
                    {
                      "step": "major",
                      "what": "input: `size\u009b` is required"
                    },
                    {
                      "step": "patch",
                      "what": "its description is otherwise"
                    }
                  ]
                }
              ],
              "offers": [
                {
                  "kind": "workflow",
                  "name": "all",
                  "change": "removed",
                  "step": "major",
                  "because": []
                }
              ],
              "dependencies": [
                {
                  "package": "@a/ink",
                  "change": "changed",
                  "old": "^1.0.0"
                }
              ],
              "permissions": {
                "widens": true,
                "falls_silent": false,
                "subjects": [
                  {
                    "subject": "package",
                    "wider": [
                      {
                        "format": "skillpact",
                        "sentence": "talks to any host",
                        "danger": "no bound",
                        "why": "\u009b31m",
                        "file": "skill.contract.json"
                      }
                    ],
                    "narrower": [
                      {
                        "format": "skillpact",
                        "sentence": "reads `a`",
                        "file": "skill.contract.json"
                      }
                    ],
                    "same": [
                      {
                        "format": "skillpact",
                        "sentence": "reads `b`",
                        "file": "skill.contract.json"
                      }
                    ]
                  }
                ]
              }
            }
          ],
          "advice": {
            "step": "major",
            "followed": false,
            "reasons": [
              {
                "step": "major",
                "what": "splice asks for more than before"
              }
            ],
            "versions": [
              {
                "format": "splice",
                "old": "1.0.0",
                "new": "1.1.0",
                "made": "minor",
                "demanded": "major",
                "enough": false
              }
            ]
          }
        }
        "#);
    }
}
