//! The hunks of a unified diff, from the edits that make the difference: nothing has to be guessed.

use std::fmt::Write as _;
use std::ops::Range;

use kitbag_core::finding::{Edit, EditError, apply};
use kitbag_core::json::Span;

/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;

/// A run of lines before, and what stands in their place after.
struct Change {
    /// The lines before, by number from 0.
    lines: Range<usize>,
    before: Vec<u8>,
    after: Vec<u8>,
}

/// The hunks, ready to be shown.
///
/// # Errors
/// When the edits do not fit the document.
pub(super) fn hunks(document: &[u8], edits: &[&Edit]) -> Result<String, EditError> {
    let lines = Lines::of(document);
    let changes = changes(document, &lines, edits)?;
    let mut text = String::new();
    let mut shift = 0isize;
    for group in changes.chunk_by(|one, next| next.lines.start - one.lines.end <= 2 * CONTEXT) {
        hunk(&mut text, &lines, group, &mut shift);
    }
    Ok(text)
}

/// Where each line begins, with the end of the document at the end.
struct Lines<'t> {
    document: &'t [u8],
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    fn of(document: &'t [u8]) -> Self {
        let ends = document.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        let mut starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
        if starts.last() != Some(&document.len()) {
            starts.push(document.len());
        }
        Self { document, starts }
    }

    fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The line that byte `at` is in; the end of the document is in the last one.
    fn holding(&self, at: usize) -> usize {
        let line = self.starts.partition_point(|&start| start <= at).saturating_sub(1);
        line.min(self.count().saturating_sub(1))
    }

    fn text(&self, lines: Range<usize>) -> &'t [u8] {
        let end = self.starts.get(lines.end).copied().unwrap_or(self.document.len());
        self.document.get(self.starts[lines.start]..end).unwrap_or(&[])
    }
}

/// The runs of lines that the edits touch, in order, cut down to the lines that differ.
fn changes(document: &[u8], lines: &Lines<'_>, edits: &[&Edit]) -> Result<Vec<Change>, EditError> {
    let mut edits = edits.to_vec();
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut runs: Vec<(Range<usize>, Vec<&Edit>)> = Vec::new();
    for edit in edits {
        if edit.span.end as usize > document.len() || edit.span.start > edit.span.end {
            return Err(EditError::Outside);
        }
        // The line the edit ends in belongs to it: it may have lost the line break before it.
        let touched = lines.holding(edit.span.start as usize)
            ..(lines.holding(edit.span.end as usize) + 1).min(lines.count());
        match runs.last_mut() {
            Some((run, held)) if touched.start < run.end => {
                run.end = run.end.max(touched.end);
                held.push(edit);
            }
            _ => runs.push((touched, vec![edit])),
        }
    }
    let mut changes = Vec::new();
    for (run, held) in runs {
        let base = lines.starts[run.start];
        let inside: Vec<Edit> = held
            .into_iter()
            .map(|edit| {
                let span = Span::new(edit.span.start as usize - base, edit.span.end as usize - base);
                Edit { span, ..edit.clone() }
            })
            .collect();
        let before = lines.text(run.clone());
        let after = apply(before, &inside.iter().collect::<Vec<_>>())?;
        changes.extend(trimmed(&run, before, &after));
    }
    Ok(changes)
}

/// Without the lines at both ends that are the same before and after; `None` when nothing differs.
fn trimmed(lines: &Range<usize>, before: &[u8], after: &[u8]) -> Option<Change> {
    let old: Vec<&[u8]> = before.split_inclusive(|byte| *byte == b'\n').collect();
    let new: Vec<&[u8]> = after.split_inclusive(|byte| *byte == b'\n').collect();
    let head = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
    let (old, new) = (&old[head..], &new[head..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(one, other)| one == other).count();
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    let lines = lines.start + head..lines.end - tail;
    (!old.is_empty() || !new.is_empty()).then(|| Change { lines, before: old.concat(), after: new.concat() })
}

fn hunk(text: &mut String, lines: &Lines<'_>, group: &[Change], shift: &mut isize) {
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return };
    let start = first.lines.start.saturating_sub(CONTEXT);
    let end = (last.lines.end + CONTEXT).min(lines.count());
    let old = end - start;
    let grown: isize =
        group.iter().map(|change| signed(count(&change.after)) - signed(change.lines.len())).sum();
    let new = signed(old) + grown;
    let place = |start: isize, count: isize| {
        // Of no lines, the line before them is named.
        let first = if count == 0 { start } else { start + 1 };
        if count == 1 { first.to_string() } else { format!("{first},{count}") }
    };
    let _ = writeln!(
        text,
        "@@ -{} +{} @@",
        place(signed(start), signed(old)),
        place(signed(start) + *shift, new)
    );
    *shift += grown;
    let mut at = start;
    for change in group {
        listed(text, ' ', lines.text(at..change.lines.start));
        listed(text, '-', &change.before);
        listed(text, '+', &change.after);
        at = change.lines.end;
    }
    listed(text, ' ', lines.text(at..end));
}

/// Line counts are far below what would not fit.
fn signed(count: usize) -> isize {
    isize::try_from(count).unwrap_or(isize::MAX)
}

fn count(text: &[u8]) -> usize {
    text.split_inclusive(|byte| *byte == b'\n').count()
}

fn listed(text: &mut String, mark: char, lines: &[u8]) {
    for line in lines.split_inclusive(|byte| *byte == b'\n') {
        text.push(mark);
        text.push_str(&String::from_utf8_lossy(line));
        if !line.ends_with(b"\n") {
            text.push_str("\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kitbag_core::formats::codes;
    use kitbag_core::path::PackagePath;

    fn edit(document: &str, old: &str, with: &str) -> Edit {
        let start = document.find(old).unwrap();
        Edit {
            code: &codes::NO_FACE,
            file: PackagePath::new("SKILL.md").unwrap(),
            span: Span::new(start, start + old.len()),
            with: with.to_owned(),
            what: String::new(),
        }
    }

    fn diff(document: &str, edits: &[(&str, &str)]) -> String {
        let edits: Vec<Edit> = edits.iter().map(|(old, with)| edit(document, old, with)).collect();
        hunks(document.as_bytes(), &edits.iter().collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn a_change_is_shown_with_the_lines_around_it() {
        let document = "a\nb\nc\nd\ne\nf\ng\nh\n";
        assert_eq!(diff(document, &[("e", "E")]), "@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n");
        assert_eq!(diff(document, &[("a", "A")]), "@@ -1,4 +1,4 @@\n-a\n+A\n b\n c\n d\n");
        assert_eq!(diff(document, &[("a", "a")]), "");
    }

    #[test]
    fn lines_that_come_and_go_are_counted() {
        assert_eq!(diff("a\nb\n", &[("b", "x\nb")]), "@@ -1,2 +1,3 @@\n a\n+x\n b\n");
        assert_eq!(diff("a\nb\nc\n", &[("b\n", "")]), "@@ -1,3 +1,2 @@\n a\n-b\n c\n");
        assert_eq!(diff("a\nb\nc\n", &[("\nb", "")]), "@@ -1,3 +1,2 @@\n a\n-b\n c\n");
        assert_eq!(diff("a\n", &[("a\n", "")]), "@@ -1 +0,0 @@\n-a\n");
        assert_eq!(diff("", &[("", "a\n")]), "@@ -0,0 +1 @@\n+a\n");
    }

    #[test]
    fn changes_far_apart_are_hunks_of_their_own_and_the_later_one_knows_what_came_before() {
        let document: String = (0..20).map(|number| format!("l{number}\n")).collect();
        let text = diff(&document, &[("l1\n", "l1\nnew\n"), ("l15", "L15")]);
        let places: Vec<&str> = text.lines().filter(|line| line.starts_with("@@")).collect();
        assert_eq!(places, ["@@ -1,5 +1,6 @@", "@@ -13,7 +14,7 @@"]);
    }

    #[test]
    fn an_end_without_line_break_is_said() {
        let text = diff("a\nb", &[("b", "c")]);
        let end = "\\ No newline at end of file";
        assert_eq!(text, format!("@@ -1,2 +1,2 @@\n a\n-b\n{end}\n+c\n{end}\n"));
    }
}
