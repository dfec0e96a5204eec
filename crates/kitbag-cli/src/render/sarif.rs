//! SARIF 2.1.0, in the shape that code scanning accepts: every result has a file and a line, every rule has help, paths
//! are relative and percent-encoded.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use kitbag::check::{Located, PackageReport, Report};
use kitbag_core::finding::{Code, Severity};
use serde::Serialize;

use super::document;
use super::place::{Spot, related, spot};
use super::plain::plain;

/// The schema that a document names and that the tests check it against.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool<'a>,
    invocations: [Invocation; 1],
    /// Our columns count Unicode scalar values.
    column_kind: &'static str,
    results: Vec<Outcome<'a>>,
}

#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver<'a> {
    name: &'static str,
    semantic_version: &'static str,
    information_uri: &'static str,
    rules: Vec<Rule<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule<'a> {
    id: &'a str,
    short_description: Text<'a>,
    full_description: Text<'a>,
    help: Text<'a>,
    default_configuration: Configuration,
    properties: Properties<'a>,
}

#[derive(Serialize)]
struct Text<'a> {
    text: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    markdown: Option<String>,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct Properties<'a> {
    tags: [&'a str; 2],
    #[serde(rename = "problem.severity")]
    severity: &'static str,
    clause: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome<'a> {
    rule_id: &'a str,
    rule_index: usize,
    level: &'static str,
    message: Text<'a>,
    locations: [Location<'static>; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    physical_location: Physical,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Text<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    region: Region,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Artifact {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri_base_id: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<u32>,
}

/// The whole report as one run.
///
/// # Errors
/// The writer's own.
pub fn check(report: &Report, here: &Path, out: &mut dyn Write) -> io::Result<()> {
    let mut rules = Rules::default();
    let mut results = Vec::new();
    for package in &report.packages {
        for located in &package.findings {
            results.push(outcome(package, located, here, &mut rules));
        }
    }
    let driver = Driver {
        name: "kitbag",
        semantic_version: env!("CARGO_PKG_VERSION"),
        information_uri: env!("CARGO_PKG_REPOSITORY"),
        rules: rules.rows,
    };
    let run = Run {
        tool: Tool { driver },
        invocations: [Invocation { execution_successful: true }],
        column_kind: "unicodeCodePoints",
        results,
    };
    document::write(&Log { schema: SCHEMA, version: "2.1.0", runs: [run] }, out)
}

/// The rules that the results refer to, in the order of their first result.
#[derive(Default)]
struct Rules<'a> {
    rows: Vec<Rule<'a>>,
    index: BTreeMap<&'a str, usize>,
}

impl Rules<'_> {
    fn index(&mut self, code: &'static Code) -> usize {
        *self.index.entry(code.slug).or_insert_with(|| {
            self.rows.push(rule(code));
            self.rows.len() - 1
        })
    }
}

fn rule(code: &'static Code) -> Rule<'static> {
    let words = |text| Text { text: Cow::Borrowed(text), markdown: None };
    let format = code.slug.split_once('/').map_or(code.slug, |(format, _)| format);
    let severity = code.grade.under(None);
    Rule {
        id: code.slug,
        short_description: words(code.summary),
        full_description: words(code.why),
        help: Text {
            text: Cow::Owned(format!("{} {} ({})", code.why, code.help, code.clause)),
            markdown: Some(format!("{}\n\n**What to do:** {}\n\nRule: {}", code.why, code.help, code.clause)),
        },
        default_configuration: Configuration { level: level(severity) },
        properties: Properties {
            tags: ["agent-package", format],
            severity: match severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info => "recommendation",
            },
            clause: code.clause,
        },
    }
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn outcome<'a>(
    package: &PackageReport,
    located: &Located,
    here: &Path,
    rules: &mut Rules<'a>,
) -> Outcome<'a> {
    let finding = &located.finding;
    let spot = spot(package, located, here);
    let inner = spot.inner.as_ref().map_or_else(String::new, |inner| format!("{inner}: "));
    let text = format!("{inner}{}\n{}\n{}", finding.message, finding.why, finding.help);
    let related = related(package, located, here).enumerate().map(|(at, (spot, label))| Location {
        id: Some(at + 1),
        physical_location: physical(&spot),
        message: Some(message(label)),
    });
    Outcome {
        rule_id: finding.code.slug,
        rule_index: rules.index(finding.code),
        level: level(finding.severity),
        message: message(&text),
        locations: [Location { id: None, physical_location: physical(&spot), message: None }],
        related_locations: related.collect(),
    }
}

fn physical(spot: &Spot) -> Physical {
    let absolute = spot.file.starts_with('/');
    let uri = uri(&spot.file);
    let artifact_location = if absolute {
        Artifact { uri: format!("file://{uri}"), uri_base_id: None }
    } else {
        Artifact { uri, uri_base_id: Some("%SRCROOT%") }
    };
    let region = Region {
        start_line: spot.start.line(),
        start_column: spot.start.column(),
        end_line: spot.end.map(|end| end.line),
        end_column: spot.end.map(|end| end.column),
    };
    Physical { artifact_location, region }
}

/// A path as a relative reference (RFC 3986): what no path segment may hold is percent-encoded, and so is a colon, which
/// in the first segment would make the rest a scheme.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' => out.push(char::from(byte)),
            b'-' | b'.' | b'_' | b'~' | b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b','
            | b';' | b'=' | b'@' => out.push(char::from(byte)),
            _ => {
                // Writing to a string cannot fail.
                let _infallible = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

fn message(text: &str) -> Text<'static> {
    let lines: Vec<String> = text.split('\n').map(|line| message_text(&plain(line))).collect();
    Text { text: Cow::Owned(lines.join("\n")), markdown: None }
}

/// Text in a SARIF message: braces would be placeholders (§3.11.5) and brackets links (§3.11.6), so that a package could
/// put a link of its own into the report.
fn message_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '{' => out.push_str("{{"),
            '}' => out.push_str("}}"),
            '[' | ']' | '\\' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::fixture::{report, written};

    #[test]
    fn every_result_has_a_place_and_its_rule() {
        let text = written(|out| check(&report(), Path::new("/here"), out));
        let log: serde_json::Value = serde_json::from_str(&text).unwrap();
        let run = &log["runs"][0];
        insta::assert_json_snapshot!(run["results"], @r#"
        [
          {
            "level": "note",
            "locations": [
              {
                "physicalLocation": {
                  "artifactLocation": {
                    "uri": "my%20skills/x,y/SKILL.md",
                    "uriBaseId": "%SRCROOT%"
                  },
                  "region": {
                    "startLine": 1
                  }
                }
              }
            ],
            "message": {
              "text": "100% of {{budget}}, \\[really\\]: 5,000 files\nSome programs give up on large packages.\nLeave out\n::error::what nobody needs."
            },
            "ruleId": "package/size",
            "ruleIndex": 0
          },
          {
            "level": "error",
            "locations": [
              {
                "physicalLocation": {
                  "artifactLocation": {
                    "uri": "my%20skills/x,y/SKILL.md",
                    "uriBaseId": "%SRCROOT%"
                  },
                  "region": {
                    "endColumn": 16,
                    "endLine": 2,
                    "startColumn": 7,
                    "startLine": 2
                  }
                }
              }
            ],
            "message": {
              "text": "the name `\\\\u{{1b}}\\[2JEvil\\\\u{{202e}}` has a capital letter\nPrograms that follow the text refuse the skill.\nUse lower-case letters, digits and single hyphens."
            },
            "ruleId": "agent-skill/name-form",
            "ruleIndex": 1
          },
          {
            "level": "warning",
            "locations": [
              {
                "physicalLocation": {
                  "artifactLocation": {
                    "uri": "my%20skills/x,y/SKILL.md",
                    "uriBaseId": "%SRCROOT%"
                  },
                  "region": {
                    "endColumn": 17,
                    "endLine": 4,
                    "startColumn": 1,
                    "startLine": 4
                  }
                }
              }
            ],
            "message": {
              "text": "`description` is there twice\nPrograms disagree on which of the two counts.\nRemove one of them."
            },
            "relatedLocations": [
              {
                "id": 1,
                "message": {
                  "text": "here \\[first\\]"
                },
                "physicalLocation": {
                  "artifactLocation": {
                    "uri": "my%20skills/x,y/SKILL.md",
                    "uriBaseId": "%SRCROOT%"
                  },
                  "region": {
                    "startColumn": 1,
                    "startLine": 3
                  }
                }
              }
            ],
            "ruleId": "agent-skill/duplicate-field",
            "ruleIndex": 2
          },
          {
            "level": "error",
            "locations": [
              {
                "physicalLocation": {
                  "artifactLocation": {
                    "uri": "down.zip",
                    "uriBaseId": "%SRCROOT%"
                  },
                  "region": {
                    "startLine": 1
                  }
                }
              }
            ],
            "message": {
              "text": "a/b/SKILL.md: the name is empty\nPrograms that follow the text refuse the skill.\nUse lower-case letters, digits and single hyphens."
            },
            "ruleId": "agent-skill/name-form",
            "ruleIndex": 1
          }
        ]
        "#);
        insta::assert_json_snapshot!(run["tool"]["driver"]["rules"][0], @r#"
        {
          "defaultConfiguration": {
            "level": "note"
          },
          "fullDescription": {
            "text": "Some programs give up on large packages."
          },
          "help": {
            "markdown": "Some programs give up on large packages.\n\n**What to do:** Leave out what nobody needs.\n\nRule: kitbag",
            "text": "Some programs give up on large packages. Leave out what nobody needs. (kitbag)"
          },
          "id": "package/size",
          "properties": {
            "clause": "kitbag",
            "problem.severity": "recommendation",
            "tags": [
              "agent-package",
              "package"
            ]
          },
          "shortDescription": {
            "text": "The package is large."
          }
        }
        "#);
    }

    #[test]
    fn a_path_becomes_a_reference_that_reads_as_the_same_path() {
        assert_eq!(uri("skills/my skill/SKILL.md"), "skills/my%20skill/SKILL.md");
        assert_eq!(uri("c:x/技/100%#?"), "c%3Ax/%E6%8A%80/100%25%23%3F");
        assert_eq!(uri("a-b_c.d~e/@f"), "a-b_c.d~e/@f");
    }

    #[test]
    fn a_message_holds_neither_links_nor_placeholders() {
        assert_eq!(message_text("[x](http://e) {0} \\n"), "\\[x\\](http://e) {{0}} \\\\n");
        assert_eq!(message_text("plain (text)"), "plain (text)");
    }
}
