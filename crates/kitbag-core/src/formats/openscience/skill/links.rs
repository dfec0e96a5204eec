//! Links of Markdown files that lead to files of the Skill (§1.5).

use pulldown_cmark::{Event, Options, Parser, Tag};

use crate::json::Span;
use crate::path::PackagePath;

/// A link or image, and the file it leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// Where it stands.
    pub(super) span: Span,
    /// The file or folder, below the Skill.
    pub(super) target: PackagePath,
}

/// The links of the Markdown `text` of the file `file` that are relative and stay inside of the Skill.
pub(super) fn relative(text: &str, file: &PackagePath) -> Vec<Link> {
    let parser =
        Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH).into_offset_iter();
    let mut links = Vec::new();
    for (event, range) in parser {
        if let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = event
            && let Some(target) = target(&dest_url, file)
        {
            links.push(Link { span: Span::new(range.start, range.end), target });
        }
    }
    links
}

/// What a destination leads to below the Skill; `None` for a URL, an anchor, an absolute path, and what leaves the Skill.
fn target(destination: &str, file: &PackagePath) -> Option<PackagePath> {
    if destination.starts_with(['#', '/']) || has_scheme(destination) {
        return None;
    }
    let path = destination.split(['?', '#']).next().unwrap_or_default();
    let path = percent_encoding::percent_decode_str(path).decode_utf8().ok()?;
    let mut segments: Vec<&str> = file.segments().collect();
    segments.pop();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            name => segments.push(name),
        }
    }
    PackagePath::new(&segments.join("/")).ok()
}

/// `^[a-z][a-z0-9+.-]*:`
fn has_scheme(text: &str) -> bool {
    text.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, file: &str) -> Vec<String> {
        let links = relative(text, &PackagePath::new(file).unwrap());
        links.into_iter().map(|link| link.target.as_str().to_owned()).collect()
    }

    #[test]
    fn a_link_is_joined_to_the_folder_of_its_file() {
        let text = "[x](references/none.md#a) ![i](a%20b.png) [r][k] `[c](d)`\n\n[k]: ./up/../k.md?x \"t\"\n";
        assert_eq!(found(text, "SKILL.md"), ["references/none.md", "a b.png", "k.md"]);
        assert_eq!(found("[a](../b.md) [c](d.md)", "references/x.md"), ["b.md", "references/d.md"]);
    }

    #[test]
    fn what_leads_elsewhere_is_no_file_of_the_skill() {
        let text = "[a](https://e.test) [b](#s) [c](/etc/x) [d](mailto:a@b.c) [e](../x) [f]() [g](%ff.md)";
        assert!(found(text, "SKILL.md").is_empty());
    }
}
