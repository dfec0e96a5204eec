//! Files that the body refers to. Agent Skills, "File references": relative paths from the skill's folder.

use std::collections::HashSet;

use crate::json::Span;
use crate::path::PackagePath;
use crate::tree::Tree;

/// Most references that are reported; a body that is all dead links is one mistake.
const MOST: usize = 20;

/// The Markdown links of `text` from byte `body` on that lead to a file the skill does not have, with their targets.
///
/// Only what is surely a path is looked at: no scheme, no anchor, nothing that leaves the folder, nothing in code, nothing
/// with a character that a template or an encoding may have put there.
pub(super) fn missing(text: &str, body: usize, tree: &Tree) -> Vec<(Span, String)> {
    let mut missing = Vec::new();
    let mut fence = None;
    let mut at = body;
    for line in text[body..].split_inclusive('\n') {
        let start = at;
        at += line.len();
        let content = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| content.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        // A line indented like code is code.
        if fence.is_some() || mark.is_some() || line.starts_with("    ") || line.starts_with('\t') {
            continue;
        }
        for (offset, target) in links(line) {
            if missing.len() == MOST {
                return missing;
            }
            if is_missing(target, tree) {
                let from = start + offset;
                missing.push((Span::new(from, from + target.len()), target.to_owned()));
            }
        }
    }
    missing
}

/// The targets of the links of a line, `](target)`, outside of code spans, with their offsets.
fn links(line: &str) -> Vec<(usize, &str)> {
    let mut links = Vec::new();
    // Lengths of backtick runs that nothing closes: they open no code span, and are not looked for twice.
    let mut unclosed = HashSet::new();
    let mut at = 0;
    while let Some(offset) = line[at..].find(['`', ']']) {
        at += offset;
        let run = line[at..].bytes().take_while(|&byte| byte == b'`').count();
        if run > 0 {
            at += run;
            if !unclosed.contains(&run) {
                match closing(line, at, run) {
                    Some(end) => at = end,
                    None => {
                        unclosed.insert(run);
                    }
                }
            }
        } else if let Some(rest) = line[at + 1..].strip_prefix('(') {
            at += 2;
            let Some(end) = rest.find([')', ' ', '\n']) else { break };
            links.push((at, &rest[..end]));
            at += end;
        } else {
            at += 1;
        }
    }
    links
}

/// Where the code span ends that a run of `length` backticks before `from` opens.
fn closing(line: &str, from: usize, length: usize) -> Option<usize> {
    let mut at = from;
    while let Some(offset) = line[at..].find('`') {
        at += offset;
        let run = line[at..].bytes().take_while(|&byte| byte == b'`').count();
        at += run;
        if run == length {
            return Some(at);
        }
    }
    None
}

fn is_missing(target: &str, tree: &Tree) -> bool {
    let path = target.split('#').next().unwrap_or_default();
    let odd =
        |c: char| matches!(c, ':' | '\\' | '%' | '{' | '}' | '<' | '>' | '$' | '*' | '?' | '|' | '"' | '`');
    if path.is_empty() || path.starts_with('/') || path.contains(odd) || path.contains("...") {
        return false;
    }
    let clean: Vec<&str> = path.split('/').filter(|segment| !matches!(*segment, "" | ".")).collect();
    if clean.is_empty() || clean.contains(&"..") {
        return false;
    }
    // Without an extension or a folder it may as well be a word in a text about Markdown.
    if clean.len() == 1 && !clean[0].contains('.') {
        return false;
    }
    PackagePath::new(&clean.join("/")).is_ok_and(|path| tree.get(path.as_str()).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Blob, Node, Root};

    fn tree() -> Tree {
        let mut tree = Tree::new(None, Root::Folder);
        for path in ["references/a.md", "b.md"] {
            tree.insert(PackagePath::new(path).unwrap(), Node::File(Blob::from_bytes(""))).unwrap();
        }
        tree
    }

    fn found(body: &str) -> Vec<String> {
        let missing = missing(body, 0, &tree());
        for (span, target) in &missing {
            assert_eq!(&body[span.range()], target);
        }
        missing.into_iter().map(|(_, target)| target).collect()
    }

    #[test]
    fn a_link_to_a_file_that_is_not_there_is_found() {
        let body = "See [a](references/a.md#x), [no](references/no.md), ![i](./c.png) and [d](references).\n";
        assert_eq!(found(body), ["references/no.md", "./c.png"]);
    }

    #[test]
    fn what_is_no_path_for_sure_is_left_alone() {
        for body in [
            "[x](https://example.org/a.md) [y](#top) [z](/etc/a.md) [u](../a.md) [m](mailto:a@b.c)",
            "[x](${DIR}/a.md) [y](<a.md>) [z](url) [p](path%20a.md) [g](*.md)",
            "`[x](no.md)` and ``[x](no.md)``",
            "```\n[x](no.md)\n```\n    [x](no.md)\n",
        ] {
            assert!(found(body).is_empty(), "{body}: {:?}", found(body));
        }
    }

    #[test]
    fn a_flood_of_dead_links_is_cut() {
        assert_eq!(found(&"[x](no.md)\n".repeat(10_000)).len(), MOST);
    }
}
