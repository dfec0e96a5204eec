//! Text in columns: what is wide, where to break, what to cut.

use std::io::{self, Write};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Text is not squeezed into less, however narrow the terminal.
const NARROWEST: usize = 20;

/// Columns that `text` takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// The lines of `text` when none may be wider than `columns`: broken at line ends and spaces, and inside a word only when
/// the word alone is wider.
pub fn lines(text: &str, columns: usize) -> Vec<String> {
    lines_after(0, text, columns)
}

/// [`lines`], the first of which has `taken` columns less.
fn lines_after(taken: usize, text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for (at, paragraph) in text.split('\n').enumerate() {
        let taken = if at == 0 { taken } else { 0 };
        fill(&mut lines, taken, paragraph, columns.max(1));
    }
    lines
}

fn fill(lines: &mut Vec<String>, taken: usize, paragraph: &str, columns: usize) {
    let mut line = String::new();
    let mut used = taken;
    let before = lines.len();
    for word in paragraph.split(' ').filter(|word| !word.is_empty()) {
        let wide = word.width();
        let gap = usize::from(!line.is_empty());
        if used > 0 && used + gap + wide > columns {
            lines.push(std::mem::take(&mut line));
            used = 0;
        } else if gap > 0 {
            line.push(' ');
            used += gap;
        }
        if wide <= columns {
            line.push_str(word);
            used += wide;
            continue;
        }
        for c in word.chars() {
            let wide = c.width().unwrap_or(0);
            if used + wide > columns && used > 0 {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            line.push(c);
            used += wide;
        }
    }
    if !line.is_empty() || lines.len() == before {
        lines.push(line);
    }
}

/// `text` in at most `columns`, its end replaced by `…` when there is more.
pub fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > columns {
            break;
        }
        out.push(c);
    }
    out.push('…');
    out
}

/// Writes `text` after `lead`, which is `taken` columns wide; further lines stand `indent` columns from the left.
///
/// # Errors
/// The writer's own.
pub fn hanging(
    out: &mut dyn Write,
    (lead, taken): (impl std::fmt::Display, usize),
    indent: usize,
    text: &str,
    columns: usize,
) -> io::Result<()> {
    let room = columns.saturating_sub(indent).max(NARROWEST);
    let mut lines = lines_after(taken.saturating_sub(indent), text, room).into_iter();
    writeln!(out, "{lead}{}", lines.next().unwrap_or_default())?;
    for line in lines {
        writeln!(out, "{:indent$}{line}", "")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_spaces_and_only_overlong_words_inside() {
        assert_eq!(lines("one two three", 7), ["one two", "three"]);
        assert_eq!(lines("one abcdefghij k", 4), ["one", "abcd", "efgh", "ij k"]);
        assert_eq!(lines("", 4), [""]);
        assert_eq!(lines("one two\n\nthree\n", 20), ["one two", "", "three", ""]);
        assert_eq!(lines_after(5, "one two three", 8), ["one", "two", "three"]);
        assert_eq!(lines_after(8, "one two three", 8), ["", "one two", "three"]);
        assert_eq!(lines("技能技能 x", 5), ["技能", "技能", "x"]);
    }

    #[test]
    fn a_cut_text_fits_and_says_that_it_was_cut() {
        assert_eq!(cut("short", 5), "short");
        assert_eq!(cut("longer", 5), "long…");
        assert_eq!(cut("技能技能", 4), "技…");
    }
}
