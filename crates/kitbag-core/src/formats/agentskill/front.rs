//! Where the front matter is, read as its author meant it: the tolerant cut from which every finding gets its place.

use crate::json::Span;

/// The front matter of a document, with everything that is odd about its fences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Front {
    /// A byte order mark at the very beginning.
    pub mark: Option<Span>,
    /// What stands before the opening fence.
    pub before: Option<Span>,
    /// White space behind the opening fence.
    pub opening_space: Option<Span>,
    /// The block, without fences and without the line end before the closing one.
    pub block: Span,
    /// The line of the closing fence.
    pub closing: Span,
    /// Where the body begins.
    pub body: usize,
    /// How the block ends.
    pub end: End,
}

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With `---` alone on a line.
    Fence,
    /// With a line that only begins with `---`.
    FenceWithMore,
}

/// Why no front matter was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoFront {
    /// Nothing looks like an opening fence.
    Nothing,
    /// It opens, with this line, and does not close.
    Unclosed(Span),
}

/// Finds the front matter of `text`.
///
/// # Errors
/// [`NoFront`] when there is none that anyone would recognise.
pub fn find(text: &str) -> Result<Front, NoFront> {
    let mark = text.starts_with('\u{feff}').then(|| Span::new(0, '\u{feff}'.len_utf8()));
    let start = mark.map_or(0, |mark| mark.end as usize);
    let opening = text.len() - text[start..].trim_start().trim_start_matches('\u{feff}').len();
    let first = line(text, opening);
    let fence = &text[first.range()];
    if fence.trim_end() != "---" {
        return Err(NoFront::Nothing);
    }
    let before = (opening > start).then(|| Span::new(start, opening));
    let opening_space = (fence.len() > 3).then(|| Span::new(opening + 3, first.end as usize));
    let block_start = next_line(text, first.end as usize);
    let mut at = block_start;
    let mut more = None;
    while at < text.len() {
        let here = line(text, at);
        let content = &text[here.range()];
        if let Some(rest) = content.strip_prefix("---") {
            if rest.trim().is_empty() {
                more = Some((here, End::Fence));
                break;
            }
            if more.is_none() {
                more = Some((here, End::FenceWithMore));
            }
        }
        at = next_line(text, here.end as usize);
    }
    let Some((closing, end)) = more else { return Err(NoFront::Unclosed(first)) };
    let block_end = before_line_end(text, block_start, closing.start as usize);
    let body = match end {
        End::Fence => next_line(text, closing.end as usize),
        End::FenceWithMore => closing.start as usize + 3,
    };
    Ok(Front { mark, before, opening_space, block: Span::new(block_start, block_end), closing, body, end })
}

/// The line that begins at `at`, without its end. Lines end at LF, CR LF or a lone CR.
pub(super) fn line(text: &str, at: usize) -> Span {
    let length = text[at..].find(['\n', '\r']).unwrap_or(text.len() - at);
    Span::new(at, at + length)
}

/// Where the line after the one that ends at `end` begins.
pub(super) fn next_line(text: &str, end: usize) -> usize {
    let rest = &text[end..];
    end + if rest.starts_with("\r\n") { 2 } else { usize::from(!rest.is_empty()) }
}

/// `end` without the line end right before it, but not before `start`.
fn before_line_end(text: &str, start: usize, end: usize) -> usize {
    let block = &text[start..end];
    let block = block.strip_suffix('\n').unwrap_or(block);
    start + block.strip_suffix('\r').unwrap_or(block).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> (&str, &str) {
        let front = find(text).unwrap();
        (&text[front.block.range()], &text[front.body..])
    }

    #[test]
    fn the_block_and_the_body_are_what_the_author_meant() {
        assert_eq!(cut("---\na: b\n---\nbody\n"), ("a: b", "body\n"));
        assert_eq!(cut("---\r\na: b\r\n---\r\nbody"), ("a: b", "body"));
        assert_eq!(cut("---\ra: b\r---\rbody"), ("a: b", "body"));
        assert_eq!(cut("\u{feff}\n--- \na: b\n--- \nbody"), ("a: b", "body"));
        assert_eq!(cut("---\n---\nbody"), ("", "body"));
        assert_eq!(cut("---\na: b\n---"), ("a: b", ""));
        assert_eq!(cut("---\na: |\n  ---\n  x\n---\n"), ("a: |\n  ---\n  x", ""));
    }

    #[test]
    fn a_line_that_is_only_a_fence_is_preferred_to_one_with_more() {
        assert_eq!(cut("---\na: b\n---x\nc: d\n---\nbody"), ("a: b\n---x\nc: d", "body"));
        let text = "---\na: b\n---x\nbody";
        assert_eq!(cut(text), ("a: b", "x\nbody"));
        assert_eq!(find(text).unwrap().end, End::FenceWithMore);
    }

    #[test]
    fn what_has_no_front_matter_says_so() {
        assert_eq!(find("# title\n"), Err(NoFront::Nothing));
        assert_eq!(find(""), Err(NoFront::Nothing));
        assert_eq!(find("----\na: b\n----\n"), Err(NoFront::Nothing));
        assert_eq!(find("---\na: b\n"), Err(NoFront::Unclosed(Span::new(0, 3))));
    }
}
