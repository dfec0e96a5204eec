//! Symbolic place first, concrete place last: a check names a file and a pointer or a span; [`LineIndex`] turns bytes
//! into lines and columns once, at the end.

use crate::json::{Pointer, Span};
use crate::path::PackagePath;

/// Where a finding is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file, in the package; `None` for the package as a whole.
    pub file: Option<PackagePath>,
    /// The value in the file's document.
    pub pointer: Option<Pointer>,
    /// The bytes in the file.
    pub span: Option<Span>,
}

impl Place {
    /// The package as a whole.
    #[must_use]
    pub const fn package() -> Self {
        Self { file: None, pointer: None, span: None }
    }

    /// A file as a whole, or a folder.
    #[must_use]
    pub const fn file(path: PackagePath) -> Self {
        Self { file: Some(path), pointer: None, span: None }
    }

    /// Some bytes of a file.
    #[must_use]
    pub const fn span(path: PackagePath, span: Span) -> Self {
        Self { file: Some(path), pointer: None, span: Some(span) }
    }

    /// A value in a file's document, with its bytes.
    #[must_use]
    pub const fn value(path: PackagePath, pointer: Pointer, span: Span) -> Self {
        Self { file: Some(path), pointer: Some(pointer), span: Some(span) }
    }
}

/// A line and a column, both from 1. The column counts Unicode scalar values; a byte that is not UTF-8 counts as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, in Unicode scalar values.
    pub column: u32,
}

/// Where the lines of one file begin. Lines end at LF, CR LF or a lone CR.
#[derive(Debug)]
pub struct LineIndex<'t> {
    text: &'t [u8],
    starts: Vec<u32>,
    /// Characters before every [`STRIDE`]th byte: a document may be one long line, and have a finding for each of its words.
    characters: Vec<u32>,
}

/// Bytes between two places whose characters before them are known.
const STRIDE: usize = 1 << 10;

/// Bytes that begin a character, or are none of UTF-8.
fn characters(bytes: &[u8]) -> u32 {
    let count = bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl<'t> LineIndex<'t> {
    /// Finds the line starts of `text`; positions past 4 GiB are not kept.
    #[must_use]
    pub fn new(text: &'t [u8]) -> Self {
        let mut starts = vec![0];
        let mut bytes = text.iter().enumerate().peekable();
        while let Some((at, &byte)) = bytes.next() {
            let ends = match byte {
                b'\n' => true,
                b'\r' => bytes.peek().is_none_or(|&(_, &next)| next != b'\n'),
                _ => false,
            };
            if ends && let Ok(next) = u32::try_from(at + 1) {
                starts.push(next);
            }
        }
        let mut counted = vec![0u32];
        for (at, chunk) in text.chunks(STRIDE).enumerate() {
            counted.push(counted[at].saturating_add(characters(chunk)));
        }
        Self { text, starts, characters: counted }
    }

    /// The position of byte `at`; a byte past the end is the end.
    #[must_use]
    pub fn position(&self, at: u32) -> Position {
        let end = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        let at = at.min(end);
        let line = self.starts.partition_point(|&start| start <= at).max(1);
        let start = self.starts[line - 1];
        let column = self.before(at as usize).saturating_sub(self.before(start as usize));
        Position { line: u32::try_from(line).unwrap_or(u32::MAX), column: column.saturating_add(1) }
    }

    /// Characters before byte `at`.
    fn before(&self, at: usize) -> u32 {
        let known = at / STRIDE;
        self.characters[known].saturating_add(characters(&self.text[known * STRIDE..at]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_every_line_end_and_columns_count_characters() {
        let index = LineIndex::new("a\r\né技x\rb\n".as_bytes());
        let at = |byte| {
            let position = index.position(byte);
            (position.line, position.column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(3), (2, 1));
        assert_eq!(at(5), (2, 2));
        assert_eq!(at(8), (2, 3));
        assert_eq!(at(10), (3, 1));
        assert_eq!(at(99), (4, 1));
    }

    #[test]
    fn columns_of_long_lines_are_those_that_counting_gives() {
        for length in [0, 1, STRIDE - 1, STRIDE, STRIDE + 1, 3 * STRIDE] {
            let mut text = "é".repeat(length) + "\n" + &"aé€".repeat(length);
            while text.len() < length {
                text.push('x');
            }
            let index = LineIndex::new(text.as_bytes());
            for at in (0..=text.len()).step_by(7).chain([text.len()]) {
                let line =
                    text.as_bytes()[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
                let column = text.as_bytes()[line..at].iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
                let position = index.position(u32::try_from(at).unwrap());
                assert_eq!(position.column as usize, column + 1, "byte {at} of {}", text.len());
            }
        }
    }
}
