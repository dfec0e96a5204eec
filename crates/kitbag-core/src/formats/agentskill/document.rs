//! [`Skill`]: a `SKILL.md` with everything that any program makes of it, worked out once when it is opened.

use crate::finding::Findings;
use crate::json::{Pointer, Span};
use crate::limits::{Bytes, Limits, ReadError};
use crate::path::PackagePath;
use crate::tree::{Blob, Tree};
use crate::yaml::failsafe;

use super::codes;
use super::findings;
use super::front::Front;
use super::profile::PROFILES;
use super::reading::Yaml;
use super::situation::{self, Document, Situation};
use super::subject::{Subject, Text};
use super::verdict::{At, Effect, Reason, Verdict};
use crate::formats::Site;

/// A `SKILL.md`.
#[derive(Debug)]
pub struct Skill {
    pub(super) file: PackagePath,
    pub(super) situation: Situation,
    pub(super) content: Option<Text>,
    pub(super) front: Option<Front>,
    pub(super) fields: Fields,
    pub(super) verdicts: Vec<Verdict>,
}

/// The fields that say who a skill is and what it may do, as the author meant them.
#[derive(Debug, Default)]
pub(super) struct Fields {
    pub name: Option<String>,
    pub description: Option<String>,
    pub license: Option<String>,
    pub version: Option<String>,
    pub tools: Vec<Tool>,
    pub speaks_of_tools: bool,
    /// Every field with its text, as far as it is text.
    pub stated: Vec<(String, String)>,
}

/// Most fields that a record of the front matter has; no program reads as many.
const MOST_STATED: usize = 256;

/// One entry of `allowed-tools`.
#[derive(Debug)]
pub(super) struct Tool {
    pub text: String,
    pub pointer: Pointer,
    pub span: Span,
}

impl Skill {
    /// The document at `site`, if there is one.
    #[must_use]
    pub fn open(site: &Site<'_>) -> Option<Self> {
        let name = situation::find(site.tree())?;
        let file = PackagePath::new(&name).ok()?;
        let (situation, blob) = Situation::of(site, &name);
        let (content, unread) = match blob.map(|blob| read(&blob)) {
            Some(Ok(content)) => (Some(content), None),
            Some(Err(reason)) => (None, Some(reason)),
            None => (None, Some(unknown(&situation, &name))),
        };
        let mut skill =
            Self { file, situation, content, front: None, fields: Fields::default(), verdicts: Vec::new() };
        if let Some(reason) = unread {
            skill.verdicts = PROFILES
                .iter()
                .map(|profile| profile.judge_unread(&skill.situation, &name, &reason))
                .collect();
        } else if let Some(content) = &skill.content {
            let subject = Subject::new(&skill.situation, content);
            skill.verdicts = PROFILES.iter().map(|profile| profile.judge(&subject, &name)).collect();
            skill.fields = fields(&subject);
            skill.front = subject.front.ok();
        }
        Some(skill)
    }

    /// What each program makes of it, in the order of [`PROFILES`].
    #[must_use]
    pub fn verdicts(&self) -> &[Verdict] {
        &self.verdicts
    }

    /// What the program called `profile` makes of it.
    #[must_use]
    pub fn verdict(&self, profile: &str) -> Option<&Verdict> {
        self.verdicts.iter().find(|verdict| verdict.profile == profile)
    }

    /// Where it stands.
    #[must_use]
    pub const fn situation(&self) -> &Situation {
        &self.situation
    }

    /// The file's name, as it is spelt.
    #[must_use]
    pub const fn file(&self) -> &PackagePath {
        &self.file
    }

    /// Whether it begins with front matter, or with what may have been meant so. Without that it is a text like any other.
    #[must_use]
    pub fn begins_with_front_matter(&self) -> bool {
        let begins = |text: &str| text.trim_start_matches('\u{feff}').trim_start().starts_with("---");
        self.front.is_some() || self.content.as_ref().is_none_or(|content| begins(&content.text))
    }

    /// Everything there is to say about it, to whoever may read it.
    pub(super) fn check(&self, tree: &Tree, out: &mut Findings) {
        findings::collect(self, tree, out);
    }
}

fn read(blob: &Blob) -> Result<Text, Reason> {
    let max = Limits::LOOSEST.document_bytes;
    blob.read(max).map(Text::new).map_err(|error| {
        let message = match error {
            ReadError::Exceeded(_) => {
                format!("the file has {} bytes; kitbag reads {}", blob.len(), Bytes(max))
            }
            ReadError::Io(error) => format!("the file cannot be read: {error}"),
        };
        Reason::lost(&codes::NOT_READ, At::Document, message)
    })
}

/// Why the content of a document is not known.
fn unknown(situation: &Situation, file: &str) -> Reason {
    match &situation.document {
        Document::LinkOut { target } => {
            let message = format!("`{file}` is a symbolic link to `{target}`, outside of what was checked");
            Reason::lost(&codes::LINK_LEAVES, At::Document, message).with(Effect::Altered)
        }
        Document::LinkAstray { target } => {
            let message = format!("`{file}` is a symbolic link to `{target}`, where no file is");
            Reason::lost(&codes::LINK_DANGLES, At::Document, message)
        }
        Document::NotAFile => {
            Reason::lost(&codes::NOT_A_FILE, At::Document, format!("`{file}` is not a regular file"))
        }
        Document::Unreadable | Document::File | Document::Link { .. } => {
            Reason::lost(&codes::NOT_READ, At::Document, format!("`{file}` cannot be read"))
        }
    }
}

fn fields(subject: &Subject<'_>) -> Fields {
    subject.intended(fields_of).unwrap_or_default()
}

fn fields_of(yaml: &Yaml<'_>) -> Fields {
    let mut fields = Fields::default();
    let text = |name: &str| {
        let text = yaml.text_of(yaml.field(name)?.1)?.trim().to_owned();
        (!text.is_empty()).then_some(text)
    };
    fields.name = text("name");
    fields.description = text("description");
    fields.license = text("license");
    fields.version = text("version").or_else(|| {
        let metadata = yaml.stream.mapping(yaml.field("metadata")?.1)?;
        let &(_, version) =
            metadata.iter().find(|&&(key, _)| yaml.text_of(key).as_deref() == Some("version"))?;
        yaml.text_of(version).map(Into::into)
    });
    let stated = yaml.fields().iter().take(MOST_STATED).filter_map(|&(key, value)| {
        let text = yaml.text_of(value).map(std::borrow::Cow::into_owned);
        let text = text.unwrap_or_else(|| yaml.source(value).trim_end().to_owned());
        Some((yaml.text_of(key)?.into_owned(), text))
    });
    fields.stated = stated.collect();
    let Some((_, tools)) = yaml.field("allowed-tools") else { return fields };
    fields.speaks_of_tools = true;
    let pointer = Pointer::root().join("allowed-tools");
    match failsafe::resolve(&yaml.stream, tools) {
        Ok(failsafe::Value::Text(text)) => {
            let span = yaml.span(tools);
            fields.tools.extend(split_tools(text).map(|text| Tool { text, pointer: pointer.clone(), span }));
        }
        Ok(failsafe::Value::Sequence(items)) => {
            for (index, &item) in items.iter().enumerate() {
                if let Some(text) = yaml.text_of(item) {
                    let (pointer, span) = (pointer.join(index), yaml.span(item));
                    fields.tools.extend(split_tools(&text).map(|text| Tool {
                        text,
                        pointer: pointer.clone(),
                        span,
                    }));
                }
            }
        }
        _ => {}
    }
    fields
}

/// The tools of a line: separated by white space or commas, but not inside parentheses.
fn split_tools(line: &str) -> impl Iterator<Item = String> {
    let mut tools = vec![String::new()];
    let mut depth = 0usize;
    for character in line.chars() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (character == ',' || character.is_whitespace()) {
            tools.push(String::new());
        } else if let Some(tool) = tools.last_mut() {
            tool.push(character);
        }
    }
    tools.into_iter().filter(|tool| !tool.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_split_outside_parentheses_only() {
        let tools = |line: &str| split_tools(line).collect::<Vec<_>>();
        assert_eq!(tools("Bash(git commit:*) Read"), ["Bash(git commit:*)", "Read"]);
        assert_eq!(tools("Read, Bash(a, b),Grep"), ["Read", "Bash(a, b)", "Grep"]);
        assert_eq!(tools("  "), Vec::<String>::new());
    }
}
