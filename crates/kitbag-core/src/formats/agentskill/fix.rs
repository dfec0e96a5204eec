//! The safe fixes of findings: edits after which every program reads what the author plainly meant.
//!
//! A fix is only offered where there is one meaning. A value with a ` #` in it may end there or not, a lone `[` may be a list
//! that was not closed: those stay as they are, with their finding.

use crate::finding::{Code, Edit};
use crate::json::Span;
use crate::yaml::{self, Bounds, Style, core_1_2, yaml_1_1};

use super::codes;
use super::document::Skill;
use super::fields::{name_problems, normal};
use super::reading::{Library, Yaml, read};
use super::repair::{Quoted, quoted, repair};
use super::rewritten::Rewritten;

/// The edits that answer what was found in `skill`. They do not touch each other, and there are none for a file that is no
/// text.
#[must_use]
pub fn fixes(skill: &Skill) -> Vec<Edit> {
    let (Some(content), Some(front)) = (&skill.content, &skill.front) else { return Vec::new() };
    if content.invalid.is_some() {
        return Vec::new();
    }
    let mut fix = Fix { skill, text: &content.text, edits: Vec::new() };
    if let Some(mark) = front.mark {
        fix.edit(&codes::BYTE_ORDER_MARK, mark, "", "the byte order mark goes".to_owned());
    }
    if let Some(space) = front.opening_space {
        fix.edit(&codes::FENCE_SPACE, space, "", "the white space behind the opening `---` goes".to_owned());
    }
    match read(Rewritten::part(&content.text, front.block), Library::Grammar) {
        Ok(yaml) => fix.fields(&yaml),
        Err(_) => {
            if let Some(repaired) = repair(&content.text, front) {
                fix.fields(&repaired.yaml);
                fix.quotes(repaired.quoted);
            }
        }
    }
    fix.edits
}

struct Fix<'s> {
    skill: &'s Skill,
    text: &'s str,
    edits: Vec<Edit>,
}

impl Fix<'_> {
    fn edit(&mut self, code: &'static Code, span: Span, with: impl Into<String>, what: String) {
        let edit = Edit { code, file: self.skill.file.clone(), span, with: with.into(), what };
        self.edits.push(edit);
    }

    fn is_found(&self, code: &'static Code) -> bool {
        self.skill.verdicts.iter().flat_map(|verdict| &verdict.reasons).any(|reason| reason.code == code)
    }

    fn fields(&mut self, yaml: &Yaml<'_>) {
        self.name(yaml);
        self.words(yaml);
        self.tools(yaml);
    }

    /// Values that break the block are quoted, but for those that something else becomes of.
    fn quotes(&mut self, quoted: Vec<Quoted>) {
        for Quoted { reason, span, with, key } in quoted {
            if !self.edits.iter().any(|edit| edit.span.start < span.end && span.start < edit.span.end) {
                self.edit(reason.code, span, with, format!("the value of `{key}` is quoted"));
            }
        }
    }

    /// The name becomes that of the folder, when the folder has a name that a skill may have.
    fn name(&mut self, yaml: &Yaml<'_>) {
        let Some(folder) = self.skill.situation.folder.as_deref() else { return };
        let Some((_, value)) = yaml.field("name").filter(|_| self.is_found(&codes::NAME_NOT_DIRECTORY))
        else {
            return;
        };
        if normal(folder) != folder
            || folder.is_empty()
            || !name_problems(folder).is_empty()
            || !is_inline(yaml, value)
        {
            return;
        }
        let what = format!("the name becomes `{folder}`, as its folder is called");
        self.edit(&codes::NAME_NOT_DIRECTORY, yaml.span(value), plain_or_quoted(folder), what);
    }

    /// Plain words that are no text to some program are quoted.
    fn words(&mut self, yaml: &Yaml<'_>) {
        for (name, code) in [("name", &codes::NAME_WORD), ("description", &codes::DESCRIPTION_WORD)] {
            let Some((_, value)) = yaml.field(name).filter(|_| self.is_found(code)) else { continue };
            let span = yaml.span(value);
            let taken = self.edits.iter().any(|edit| edit.span == span);
            let Some(scalar) = yaml.scalar(value).filter(|scalar| scalar.style == Style::Plain) else {
                continue;
            };
            if !taken && is_inline(yaml, value) && span.start < span.end {
                let what = format!("the `{name}` is quoted, so that it stays text");
                self.edit(code, span, quoted(&scalar.text), what);
            }
        }
    }

    /// A list of tools becomes one line.
    fn tools(&mut self, yaml: &Yaml<'_>) {
        let Some((key, value)) =
            yaml.field("allowed-tools").filter(|_| self.is_found(&codes::TOOLS_NOT_TEXT))
        else {
            return;
        };
        let Some(items) = yaml.stream.sequence(value) else { return };
        let tools: Option<Vec<&str>> =
            items.iter().map(|&item| yaml.scalar(item).map(|scalar| &*scalar.text)).collect();
        let from = yaml.span(key).end as usize;
        let Some(colon) = self.text[from..].find(':') else { return };
        let span = Span::new(from + colon + 1, yaml.span(value).end as usize);
        let (Some(tools), false) = (tools, self.text[span.range()].contains('#')) else { return };
        let is_own = |&item: &yaml::NodeId| {
            let node = yaml.stream.node(item);
            node.anchor.is_none() && node.tag.is_none() && yaml.stream.resolve(item) == item
        };
        let odd =
            |tool: &&str| tool.is_empty() || (tool.contains(char::is_whitespace) && !tool.contains('('));
        if tools.is_empty() || tools.iter().any(odd) || !items.iter().all(is_own) {
            return;
        }
        let line = format!(" {}", plain_or_quoted(&tools.join(" ")));
        self.edit(
            &codes::TOOLS_NOT_TEXT,
            span,
            line,
            "the tools become one line, separated by spaces".to_owned(),
        );
    }
}

/// Whether a value stands on one line and is no block scalar.
fn is_inline(yaml: &Yaml<'_>, id: yaml::NodeId) -> bool {
    let block = yaml.scalar(id).is_none_or(|scalar| matches!(scalar.style, Style::Literal | Style::Folded));
    let node = yaml.stream.node(id);
    !block && node.tag.is_none() && node.anchor.is_none() && !yaml.source(id).contains(['\n', '\r'])
}

/// Text as a YAML value: plain where every reader takes it for that text, quoted otherwise.
fn plain_or_quoted(text: &str) -> String {
    let is_text = |text: &str| {
        matches!(core_1_2::plain(text), core_1_2::Value::Text(_))
            && matches!(yaml_1_1::plain(text), yaml_1_1::Plain::Text)
    };
    let line = format!("k: {text}");
    let same = yaml::read(&line, Bounds::FRONT_MATTER).is_ok_and(|stream| {
        let value =
            stream.roots().first().and_then(|&root| stream.mapping(root)).and_then(|pairs| pairs.first());
        value.and_then(|&(_, value)| stream.scalar(value)).is_some_and(|scalar| &*scalar.text == text)
    });
    if same && is_text(text) && !text.contains(": ") { text.to_owned() } else { quoted(text) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::apply;
    use crate::formats::Site;
    use crate::path::PackagePath;
    use crate::tree::{Blob, Node, Root, Tree};

    fn open(document: &str) -> Skill {
        let mut tree = Tree::new(Some("pdf".into()), Root::Folder);
        let file = PackagePath::new("SKILL.md").unwrap();
        tree.insert(file, Node::File(Blob::from_bytes(document))).unwrap();
        Skill::open(&Site::root(&tree)).unwrap()
    }

    /// The document after its fixes, which are whole: a second round finds nothing, and what could be read before reads
    /// the same.
    fn fixed(document: &str) -> String {
        let skill = open(document);
        let edits = fixes(&skill);
        let after = apply(document.as_bytes(), &edits.iter().collect::<Vec<_>>()).unwrap();
        let after = String::from_utf8(after).unwrap();
        let again = open(&after);
        assert!(fixes(&again).is_empty(), "{after}");
        for edit in &edits {
            let left =
                again.verdicts().iter().flat_map(|verdict| &verdict.reasons).any(|r| r.code == edit.code);
            assert!(!left, "{} is still found in {after}", edit.code.slug);
        }
        for (before, now) in skill.verdicts().iter().zip(again.verdicts()) {
            assert!(!before.loads() || now.loads(), "{} is lost by {after}", before.profile);
        }
        after
    }

    fn block(fields: &str) -> String {
        format!("---\n{fields}\n---\nBody\n")
    }

    #[test]
    fn what_can_mean_one_thing_is_quoted() {
        for (before, after) in [
            ("description: Use when: x", "description: \"Use when: x\""),
            ("description: Say \"hi\": now", "description: 'Say \"hi\": now'"),
            ("description: it's \"so\": yes", "description: \"it's \\\"so\\\": yes\""),
            ("description: @me and `you`", "description: \"@me and `you`\""),
            ("description: **bold** text", "description: \"**bold** text\""),
            ("description: [x] todo", "description: \"[x] todo\""),
            ("description: 100%\nnote: a: b", "description: 100%\nnote: \"a: b\""),
            ("description: Use: a\n  and more", "description: \"Use: a and more\""),
            (
                "description: Use: a\nmetadata:\n  x: b: c",
                "description: \"Use: a\"\nmetadata:\n  x: \"b: c\"",
            ),
        ] {
            assert_eq!(fixed(&block(&format!("name: pdf\n{before}"))), block(&format!("name: pdf\n{after}")));
        }
    }

    #[test]
    fn what_stands_beside_a_quoted_value_is_fixed_with_it() {
        for (before, after) in [
            ("name: Other\ndescription: Use: a", "name: pdf\ndescription: \"Use: a\""),
            ("description: Use: a\nname: Other: b", "description: \"Use: a\"\nname: pdf"),
            (
                "name: pdf\ndescription: @a\nallowed-tools: [Read, Grep]",
                "name: pdf\ndescription: \"@a\"\nallowed-tools: Read Grep",
            ),
        ] {
            assert_eq!(fixed(&block(before)), block(after));
        }
    }

    #[test]
    fn what_can_mean_several_things_is_left_alone() {
        for fields in [
            "description: Use when: C # and more",
            "description: [open",
            "description: \"a\": b",
            "description: | text: x",
            "description: Use: a\n  - one",
            "description: Use: a\nlicense: \"MIT",
            "description: a\n\tb: c",
        ] {
            let document = block(&format!("name: pdf\n{fields}"));
            assert_eq!(fixed(&document), document);
        }
    }

    #[test]
    fn fences_and_marks_are_cleaned() {
        let document = block("name: pdf\ndescription: x");
        assert_eq!(fixed(&format!("\u{feff}{document}")), document);
        assert_eq!(fixed(&document.replacen("---", "--- \t", 1)), document);
        assert_eq!(fixed(&document), document);
    }

    #[test]
    fn the_name_becomes_that_of_the_folder() {
        for name in ["other", "\"other\"", "'Other Name'"] {
            let document = block(&format!("name: {name} # c\ndescription: x"));
            assert_eq!(fixed(&document), block("name: pdf # c\ndescription: x"));
        }
        let folded = block("name: >-\n  other\ndescription: x");
        assert_eq!(fixed(&folded), folded);
    }

    #[test]
    fn words_that_are_no_text_to_some_are_quoted() {
        assert_eq!(fixed(&block("name: pdf\ndescription: 42")), block("name: pdf\ndescription: \"42\""));
        assert_eq!(fixed(&block("name: pdf\ndescription: yes")), block("name: pdf\ndescription: yes"));
    }

    #[test]
    fn a_list_of_tools_becomes_one_line() {
        let list = "allowed-tools:\n  - Read\n  - Bash(git:*)\nlicense: MIT";
        assert_eq!(
            fixed(&block(&format!("name: pdf\ndescription: x\n{list}"))),
            block("name: pdf\ndescription: x\nallowed-tools: Read Bash(git:*)\nlicense: MIT")
        );
        assert_eq!(
            fixed(&block("name: pdf\ndescription: x\nallowed-tools: [Read, Grep]")),
            block("name: pdf\ndescription: x\nallowed-tools: Read Grep")
        );
    }

    #[test]
    fn values_that_look_like_something_else_are_never_written_plainly() {
        for text in ["true", "42", "yes", "a: b", "- a", "2024-01-01", "~", "a #b"] {
            assert_ne!(plain_or_quoted(text), text);
        }
        assert_eq!(plain_or_quoted("Read Bash(git:*)"), "Read Bash(git:*)");
    }
}
