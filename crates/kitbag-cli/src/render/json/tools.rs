//! The tools of a package, in `show` and `show --tools`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use kitbag::show::{CommandShown, PackageShown, Shown, ToolShown};
use kitbag_core::permit::Scope;
use serde::Serialize;
use serde_json::Value;

use super::show::{self, Statement};

#[derive(Serialize)]
struct Package<'a> {
    path: String,
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    commands: Vec<Command<'a>>,
}

/// A capability that is a command.
#[derive(Serialize)]
struct Command<'a> {
    format: &'a str,
    capability: &'a str,
    summary: &'a str,
    cli: &'a [String],
    statements: Vec<Statement<'a>>,
}

/// A tool: the members of its descriptor, which have the names that Splice gave them, and what kitbag adds.
#[derive(Serialize)]
pub(super) struct Tool<'a> {
    format: &'a str,
    #[serde(flatten)]
    descriptor: &'a Value,
    runtime: Runtime<'a>,
    grants: Grants<'a>,
    statements: Vec<Statement<'a>>,
}

#[derive(Serialize)]
struct Runtime<'a> {
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    entry: Option<&'a str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    entries: BTreeMap<&'a str, &'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    platforms: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    resources: &'a [String],
}

/// By effect: `"anything"`, or the patterns; an empty list is "nothing".
#[derive(Serialize)]
struct Grants<'a> {
    declared: BTreeMap<&'a str, Reach<'a>>,
    implied: BTreeMap<&'a str, Reach<'a>>,
    never: Vec<Never<'a>>,
}

#[derive(Serialize)]
struct Never<'a> {
    effect: &'a str,
    what: &'a str,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Reach<'a> {
    Anything(&'static str),
    Patterns(Vec<&'a str>),
}

/// The answer of `show --tools`.
///
/// # Errors
/// The writer's own.
pub fn tools(shown: &Shown, out: &mut dyn Write) -> io::Result<()> {
    show::write(shown, Package::of, out)
}

impl<'a> Package<'a> {
    fn of(package: &'a PackageShown) -> Self {
        Self {
            path: package.location.to_string(),
            tools: package.tools.iter().map(Tool::of).collect(),
            commands: package.commands.iter().map(Command::of).collect(),
        }
    }
}

impl<'a> Command<'a> {
    fn of(command: &'a CommandShown) -> Self {
        Self {
            format: command.format,
            capability: &command.name,
            summary: &command.description,
            cli: &command.words,
            statements: command.permissions.iter().map(Statement::of).collect(),
        }
    }
}

impl<'a> Tool<'a> {
    pub(super) fn of(tool: &'a ToolShown) -> Self {
        let reaches = |scopes: &'a BTreeMap<String, Scope>| -> BTreeMap<&'a str, Reach<'a>> {
            scopes.iter().map(|(effect, scope)| (effect.as_str(), Reach::of(scope))).collect()
        };
        let runtime = &tool.runtime;
        Self {
            format: tool.format,
            descriptor: &tool.descriptor,
            runtime: Runtime {
                kind: runtime.kind,
                version: runtime.version.as_deref(),
                entry: runtime.entry.as_deref(),
                entries: runtime.entries.iter().map(|(at, file)| (at.as_str(), file.as_str())).collect(),
                platforms: &runtime.platforms,
                resources: &runtime.resources,
            },
            grants: Grants {
                declared: reaches(&tool.granted.declared),
                implied: reaches(&tool.granted.implied),
                never: tool.granted.never.iter().map(|(effect, what)| Never { effect, what }).collect(),
            },
            statements: tool.permissions.iter().map(Statement::of).collect(),
        }
    }
}

impl<'a> Reach<'a> {
    fn of(scope: &'a Scope) -> Self {
        match scope {
            Scope::Anything => Self::Anything("anything"),
            scope => Self::Patterns(scope.patterns().iter().map(|pattern| pattern.text.as_str()).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::fixture::{shown, written};

    #[test]
    fn the_document_is_what_was_promised() {
        let mut answer = shown();
        answer.remarks.clear();
        insta::assert_snapshot!(written(|out| tools(&answer, out)), @r#"
        {
          "version": 1,
          "command": "show",
          "packages": [
            {
              "path": "down.zip:x",
              "tools": [
                {
                  "format": "splice",
                  "annotations": {
                    "openWorldHint": true,
                    "readOnlyHint": true
                  },
                  "inputSchema": {
                    "properties": {
                      "place": {
                        "type": "string"
                      },
                      "size\u202e": {
                        "type": "integer"
                      }
                    },
                    "required": [
                      "place"
                    ],
                    "type": "object"
                  },
                  "outputSchema": {
                    "type": "string"
                  },
                  "package": "@acme/maps",
                  "tool": "draw",
                  "version": "1.0.0",
                  "runtime": {
                    "kind": "node",
                    "version": ">=22.18.0",
                    "entry": "tools/draw.ts"
                  },
                  "grants": {
                    "declared": {
                      "network": [
                        "a.example"
                      ],
                      "read": [],
                      "spend": "anything"
                    },
                    "implied": {},
                    "never": [
                      {
                        "effect": "exec",
                        "what": "child processes"
                      }
                    ]
                  },
                  "statements": [
                    {
                      "format": "skillpact",
                      "sentence": "talks to `a.example`",
                      "file": "skill.contract.json"
                    }
                  ]
                }
              ]
            }
          ]
        }
        "#);
    }
}
