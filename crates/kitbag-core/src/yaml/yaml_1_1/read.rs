//! [`read`]: the grammar as PyYAML's own scanner has it, which is stricter about blanks than YAML 1.2.

use super::super::error::{SyntaxError, SyntaxErrorKind};
use super::super::layout;
use super::super::node::Stream;
use super::super::read::{Bounds, LastLine, read_with};

/// Reads `text` as PyYAML's safe loader would: tabs between tokens are refused, NEL, LS and PS end a line, and a block scalar
/// on a last line without a line feed gets none.
///
/// # Errors
/// [`SyntaxError`], as for [`read`](super::super::read()), and for what is refused beyond it.
pub fn read(text: &str, bounds: Bounds) -> Result<Stream, SyntaxError> {
    let stream = read_with(text, bounds, LastLine::StaysOpen)?;
    let refused =
        |span, words: &str| Err(SyntaxError { span, kind: SyntaxErrorKind::Grammar(words.to_owned()) });
    if let Some(span) = layout::stray_tab(text, &stream) {
        return refused(span, "a tab stands where a token should begin");
    }
    if let Some(span) = layout::line_separator(text, &stream) {
        return refused(span, "a line separator ends the value here");
    }
    Ok(stream)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_are_read_as_pyyaml_reads_them() {
        for text in ["a:\tb", "a: x\ty", "a: x\u{2028}y"] {
            assert!(read(text, Bounds::default()).is_err(), "{text:?}");
            assert!(crate::yaml::read(text, Bounds::default()).is_ok(), "{text:?}");
        }
        let last = |text: &str| {
            let stream = read(text, Bounds::default()).unwrap();
            stream.scalar(stream.roots()[0]).unwrap().text.to_string()
        };
        assert_eq!((last("|\n  x").as_str(), last("|\n  x\n").as_str()), ("x", "x\n"));
    }
}
