//! Claude Code 2.1.332. It nearly always loads: a block it cannot read is ignored, and the body's first line stands in for
//! the description. The skill is called after its folder; the name is a label.

use std::borrow::Cow;
use std::rc::Rc;

use unicode_normalization::char::is_combining_mark;

use crate::json::Span;
use crate::limits::Bytes;
use crate::yaml::{NodeId, Style, core_1_2};

use super::super::codes;
use super::super::discovery::{Looks, Reach};
use super::super::fields::shown;
use super::super::reading::{Library, Read, Yaml, read as read_yaml};
use super::super::rewritten::Rewritten;
use super::super::situation::Situation;
use super::super::subject::Subject;
use super::super::verdict::{At, Effect, Reason};
use super::yaml_libraries::{tabbed_mapping, under_indented};
use super::{EVERYWHERE, Outcome, Profile, is_js_space};

static REACH: Reach = Reach {
    depth: 1,
    depth_when_empty: 1,
    hidden: Looks::Yes,
    skills_folder: Looks::No,
    skipped: &["synced"],
    ..EVERYWHERE
};

pub(super) const PROFILE: Profile = Profile {
    name: "claude-code",
    about: "Claude Code 2.1.332",
    reach: Some(&REACH),
    read,
    unread: |situation| situation.folder.clone(),
};

/// A larger SKILL.md is skipped.
const MAX_BYTES: u64 = 1_000_000;
/// More of a description is cut, in UTF-16 code units.
const MAX_DESCRIPTION: usize = 1536;
/// More of a body line is cut, in UTF-16 code units.
const MAX_BODY_LINE: usize = 100;
/// Most characters of a name or label.
const MAX_NAME: usize = 256;

fn read(subject: &Subject<'_>) -> Outcome {
    let mut reasons = Vec::new();
    if subject.content.bytes > MAX_BYTES {
        let message =
            format!("the file has {} bytes and at most {} are read", subject.content.bytes, Bytes(MAX_BYTES));
        reasons.push(Reason::lost(&codes::TOO_LARGE, At::Document, message));
    }
    reasons.extend(folder_name(subject.situation));
    let text = subject.text();
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let cut = cut(text, start);
    let body = cut.as_ref().map_or(start, |cut| cut.body);
    let mut fields = Fields::default();
    match &cut {
        Some(cut) => {
            let early = subject.early_end(cut.block.end as usize);
            match block(subject, cut.block) {
                Block::Read(read) => fields = Fields::of(subject, &read),
                Block::Ignored(reason) => {
                    reasons.push(early.clone().unwrap_or(reason).with(Effect::Altered));
                }
                Block::Empty => {}
            }
            reasons.extend(early.filter(|early| reasons.iter().all(|reason| reason.code != early.code)));
        }
        None => reasons.push(subject.no_front_matter().with(Effect::Altered)),
    }
    reasons.append(&mut fields.reasons);
    let description = match fields.description.take() {
        Some(description) => description,
        None => {
            let message = "the first line of the body is shown instead of the description";
            reasons.push(Reason::altered(&codes::BODY_SHOWN, subject.value_at("description"), message));
            first_line(&text[body..])
        }
    };
    let description = match &fields.when_to_use {
        Some(when) => format!("{description} - {when}"),
        None => description,
    };
    let name = fields.label.or_else(|| subject.situation.folder.clone());
    Outcome { name, description: Some(shown_to_the_model(&description)), reasons }
}

/// Why the skill is not offered because of what its folder is called.
fn folder_name(situation: &Situation) -> Option<Reason> {
    let folder = situation.folder.as_deref()?;
    let odd = folder.chars().find(|&c| matches!(c, '<' | '>' | '\u{a0}') || is_invisible(c));
    let message = if let Some(odd) = odd {
        format!("the folder's name contains `{}`", odd.escape_unicode())
    } else if folder.trim() != folder || folder.contains("  ") {
        "the folder's name has spaces at an end or two in a row".to_owned()
    } else if folder.chars().count() > MAX_NAME {
        format!("the folder's name has more than {MAX_NAME} characters")
    } else {
        return None;
    };
    Some(Reason::lost(&codes::FOLDER_NAME, At::Package, message))
}

/// Characters without a shape of their own: controls, zero-width and direction-changing ones, tags.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

struct Cut {
    block: Span,
    body: usize,
}

/// The cut of `^---\s*\n([\s\S]*?)---\s*\n?`.
fn cut(text: &str, start: usize) -> Option<Cut> {
    let rest = text[start..].strip_prefix("---")?;
    let from = text.len() - rest.len();
    let space = rest.len() - rest.trim_start_matches(is_js_space).len();
    let block = from + rest[..space].rfind('\n')? + 1;
    let end = block + text[block..].find("---")?;
    let behind = &text[end + 3..];
    let body = text.len() - behind.trim_start_matches(is_js_space).len();
    Some(Cut { block: Span::new(block, end), body })
}

enum Block<'s> {
    Read(Rc<Read<'s>>),
    Ignored(Reason),
    Empty,
}

/// The block as it is read: at the first go, after one repair, or not at all.
fn block<'s>(subject: &Subject<'s>, span: Span) -> Block<'s> {
    let text = &subject.text()[span.range()];
    let first = accept(subject.read(span, Library::Bun));
    let reason = match first {
        Ok(read) => return fields_or_empty(read),
        Err(reason) => reason,
    };
    let repaired = Rewritten::part(subject.text(), span).replace(next_repair);
    if repaired.text() == text {
        return Block::Ignored(reason);
    }
    match accept(Rc::new(read_yaml(repaired, Library::Bun))) {
        Ok(read) => fields_or_empty(read),
        Err(_) => Block::Ignored(reason),
    }
}

fn fields_or_empty(read: Rc<Read<'_>>) -> Block<'_> {
    let roots = read.as_ref().as_ref().map_or(0, |yaml| yaml.stream.roots().len());
    if roots == 1 { Block::Read(read) } else { Block::Empty }
}

/// What the program's library refuses beyond the grammar.
fn accept(read: Rc<Read<'_>>) -> Result<Rc<Read<'_>>, Reason> {
    let yaml = match &*read {
        Ok(yaml) => yaml,
        Err(reason) => return Err(reason.clone()),
    };
    let refused = |span, message: &str| Err(Reason::lost(&codes::DIALECT, At::Span(span), message));
    if let Some(span) = under_indented(yaml) {
        return refused(span, "a quoted or bracketed value goes on in a line that is not indented");
    }
    if let Some(span) = tabbed_mapping(yaml) {
        return Err(Reason::lost(&codes::TAB_INDENT, At::Span(span), "a tab is used for indentation"));
    }
    if let Some(nul) = nul(yaml) {
        let message = "the control character U+0000 stands in the front matter";
        return Err(Reason::lost(&codes::CONTROL, At::Span(nul), message));
    }
    if let [_, second, ..] = *yaml.stream.roots() {
        let message = "a second YAML document begins here";
        return Err(Reason::lost(&codes::SEVERAL_DOCUMENTS, At::Span(yaml.span(second)), message));
    }
    Ok(read)
}

/// U+0000 as it was hidden from the grammar.
fn nul(yaml: &Yaml<'_>) -> Option<Span> {
    let at = yaml.text.text().find('\u{10fe00}')?;
    Some(yaml.text.back(Span::new(at, at + '\u{10fe00}'.len_utf8())))
}

/// The next line that is quoted as a whole: `key: value` at the start of the line, the key of letters, `_` and `-`, and the
/// value with something in it that YAML could take for its own. Tabs at the start of a line become two spaces each.
fn next_repair(text: &str, from: usize) -> Option<(usize, usize, Cow<'static, str>)> {
    let mut at = from;
    if at > 0 && !text[..at].ends_with('\n') {
        at += text[at..].find('\n')? + 1;
    }
    while at < text.len() {
        let length = text[at..].find('\n').unwrap_or(text.len() - at);
        let line = &text[at..at + length];
        let tabs = line.len() - line.trim_start_matches('\t').len();
        if tabs > 0 {
            return Some((at, tabs, Cow::Owned("  ".repeat(tabs))));
        }
        if let Some(repaired) = repair(line) {
            return Some((at, length, Cow::Owned(repaired)));
        }
        at += length + 1;
    }
    None
}

fn repair(line: &str) -> Option<String> {
    let key = line.len()
        - line.trim_start_matches(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '-')).len();
    let rest = line[key..].strip_prefix(':')?;
    let value = rest.trim_start_matches(is_js_space);
    // The line's `.` matches no line end of JavaScript.
    let ends = |c| matches!(c, '\r' | '\u{2028}' | '\u{2029}');
    if key == 0 || value.is_empty() || value.len() == rest.len() || value.contains(ends) {
        return None;
    }
    let quoted = |quote| value.len() > 1 && value.starts_with(quote) && value.ends_with(quote);
    if quoted('"') || quoted('\'') || is_list(value) {
        return None;
    }
    let special =
        |c| matches!(c, '{' | '}' | '[' | ']' | '*' | '&' | '#' | '!' | '|' | '>' | '%' | '@' | '`');
    if !value.contains(special) && !value.contains(": ") {
        return None;
    }
    let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
    Some(format!("{}: \"{escaped}\"", &line[..key]))
}

/// Whether a value in brackets is a list by itself.
fn is_list(value: &str) -> bool {
    value.starts_with('[')
        && value.ends_with(']')
        && read_yaml(Rewritten::part(value, Span::new(0, value.len())), Library::Bun)
            .is_ok_and(|yaml| yaml.root().is_some_and(|root| yaml.stream.sequence(root).is_some()))
}

/// What the fields say.
#[derive(Default)]
struct Fields {
    label: Option<String>,
    description: Option<String>,
    when_to_use: Option<String>,
    reasons: Vec<Reason>,
}

impl Fields {
    fn of(subject: &Subject<'_>, read: &Read<'_>) -> Self {
        let Ok(yaml) = read else { return Self::default() };
        let text = |name| {
            merged_field(yaml, name).and_then(|value| text(yaml, value)).map(|text| text.trim().to_owned())
        };
        let mut fields = Self {
            // A label is taken as it is: white space around it makes it none.
            label: merged_field(yaml, "name")
                .and_then(|value| self::text(yaml, value))
                .filter(|name| is_label(name)),
            description: text("description").filter(|text| !text.is_empty()),
            when_to_use: text("when_to_use").filter(|text| !text.is_empty()),
            reasons: Vec::new(),
        };
        let says = |name: &'static str| merged_field(yaml, name).map(|value| (value, subject.value_at(name)));
        if let Some((value, at)) = says("disable-model-invocation")
            && is_true(yaml, value)
        {
            let message = "`disable-model-invocation` keeps the skill from the model";
            fields.reasons.push(Reason::hidden(&codes::NOT_OFFERED, at, message));
        }
        if let Some((value, at)) = says("paths")
            && is_conditional(yaml, value)
        {
            let message = "`paths` keeps the skill from the model until a matching file is touched";
            fields.reasons.push(Reason::hidden(&codes::NOT_OFFERED, at, message));
        }
        for name in ["name", "description"] {
            if let Some((value, at)) = says(name)
                && let Some(scalar) = yaml.scalar(value)
                && scalar.style == Style::Plain
                && !scalar.text.is_empty()
                && let Some(reason) = as_a_value(name, &scalar.text, at)
            {
                fields.reasons.push(reason);
            }
        }
        fields
    }
}

/// The reason for which a plain `name` or `description` is shown otherwise than written.
fn as_a_value(name: &str, text: &str, at: At) -> Option<Reason> {
    let kind = match core_1_2::plain(text) {
        core_1_2::Value::Null => "null",
        core_1_2::Value::Bool(_) => "a truth value",
        core_1_2::Value::Number(_) => "a number",
        _ => return None,
    };
    let code = if name == "name" { &codes::NAME_WORD } else { &codes::DESCRIPTION_WORD };
    Some(Reason::altered(code, at, format!("`{name}: {}` is {kind} to YAML", shown(text))))
}

/// The value of a field, also where a merge key brings it.
fn merged_field(yaml: &Yaml<'_>, name: &str) -> Option<NodeId> {
    if let Some((_, value)) = yaml.field(name) {
        return Some(value);
    }
    let (_, merged) = yaml.field("<<")?;
    let stream = &yaml.stream;
    let sources = match stream.sequence(merged) {
        Some(items) => items.to_vec(),
        None => vec![merged],
    };
    sources.into_iter().find_map(|source| {
        let pairs = stream.mapping(source)?;
        pairs
            .iter()
            .rev()
            .find(|&&(key, _)| yaml.text_of(key).as_deref() == Some(name))
            .map(|&(_, value)| value)
    })
}

/// A scalar as the text that JavaScript prints for it; `None` for null, lists and mappings.
fn text(yaml: &Yaml<'_>, value: NodeId) -> Option<String> {
    let written = yaml.text_of(value)?;
    match core_1_2::resolve(&yaml.stream, value) {
        Ok(core_1_2::Value::Null) => None,
        Ok(core_1_2::Value::Bool(truth)) => Some(truth.to_string()),
        Ok(core_1_2::Value::Number(number)) => Some(number_text(number)),
        _ => Some(written.into_owned()),
    }
}

fn number_text(number: f64) -> String {
    if number.is_nan() {
        "NaN".to_owned()
    } else if number.is_infinite() {
        if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
    } else if number == 0.0 {
        "0".to_owned()
    } else {
        ryu_js::Buffer::new().format_finite(number).to_owned()
    }
}

/// Whether a flag is set: true, `"true"`, `yes`, `on`, `1`, in any case.
fn is_true(yaml: &Yaml<'_>, value: NodeId) -> bool {
    text(yaml, value).is_some_and(|text| matches!(text.to_lowercase().as_str(), "true" | "yes" | "on" | "1"))
}

/// Whether `paths` names anything but every file.
fn is_conditional(yaml: &Yaml<'_>, value: NodeId) -> bool {
    let patterns: Vec<String> = match yaml.stream.sequence(value) {
        Some(items) => items.iter().filter_map(|&item| text(yaml, item)).collect(),
        None if core_1_2::resolve(&yaml.stream, value)
            .is_ok_and(|value| !matches!(value, core_1_2::Value::Text(_))) =>
        {
            Vec::new()
        }
        None => text(yaml, value)
            .iter()
            .flat_map(|text| text.split(','))
            .map(|part| part.trim().to_owned())
            .collect(),
    };
    patterns.iter().any(|pattern| !pattern.is_empty()) && patterns.iter().all(|pattern| pattern != "**")
}

/// Whether a name is shown beside the folder's.
fn is_label(name: &str) -> bool {
    !name.is_empty()
        && name.chars().count() <= MAX_NAME
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || is_combining_mark(c) || matches!(c, '_' | ':' | '.' | '-'))
}

/// The first line of a body that says anything, without the marks of a heading; `Skill` for an empty body.
fn first_line(body: &str) -> String {
    let Some(line) = body.lines().map(|line| line.trim_matches(is_js_space)).find(|line| !line.is_empty())
    else {
        return "Skill".to_owned();
    };
    let marks = line.len() - line.trim_start_matches('#').len();
    let heading = line[marks..].trim_start_matches(is_js_space);
    let line = if marks > 0 && heading.len() < line.len() - marks { heading } else { line };
    if units(line) > MAX_BODY_LINE {
        format!("{}...", cut_to(line, MAX_BODY_LINE - 3))
    } else {
        line.to_owned()
    }
}

/// A description as it reaches the model: one line, without characters that cannot be seen, cut to a length.
fn shown_to_the_model(description: &str) -> String {
    let plain = without_escapes(description);
    let spaced: String =
        plain
            .trim_matches(is_js_space)
            .chars()
            .map(|c| {
                if is_invisible(c) || (c.is_whitespace() && c != '\u{a0}') || is_private(c) { ' ' } else { c }
            })
            .collect();
    let spaced = spaced.replace('<', "&lt;").replace('>', "&gt;");
    if units(&spaced) > MAX_DESCRIPTION {
        format!("{}…", cut_to(&spaced, MAX_DESCRIPTION - 1))
    } else {
        spaced
    }
}

fn is_private(character: char) -> bool {
    matches!(character, '\u{e000}'..='\u{f8ff}' | '\u{fdd0}'..='\u{fdef}' | '\u{fffe}' | '\u{ffff}' | '\u{f0000}'..)
}

/// Text without terminal escape sequences.
fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\u{1b}[") {
        plain.push_str(&rest[..at]);
        let sequence = &rest[at + 2..];
        let end = sequence.find(|c: char| ('@'..='~').contains(&c)).map_or(sequence.len(), |end| end + 1);
        rest = &sequence[end..];
    }
    plain.push_str(rest);
    plain
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// The longest beginning of `text` of at most `most` UTF-16 code units.
fn cut_to(text: &str, most: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find(|&(_, character)| {
        used += character.len_utf16();
        used > most
    });
    end.map_or(text, |(at, _)| &text[..at])
}
