//! Where the content of an HTTP request ends: what follows is another request, and not sent on.

use super::head::Content;

/// The content of one request, as it goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Body(State);

/// It does not follow the rules, so nobody can say where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disorder;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// So many bytes are left.
    Plain(u64),
    /// In the length of a piece: so many digits, and what they say.
    Size(u8, u64),
    /// The end of that line.
    SizeEnd(u64),
    /// So many bytes of a piece are left.
    Piece(u64),
    /// The end of the line after a piece, and its second half.
    PieceEnd,
    PieceFeed,
    /// After the empty piece: the empty line, and its second half.
    Last,
    LastFeed,
    Done,
}

impl Body {
    /// The content that a head announced.
    #[must_use]
    pub const fn new(content: Content) -> Self {
        Self(match content {
            Content::Length(0) => State::Done,
            Content::Length(length) => State::Plain(length),
            Content::Chunks => State::Size(0, 0),
        })
    }

    /// Whether it is all there.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        matches!(self.0, State::Done)
    }

    /// How many of `bytes` belong to it. Pieces have plain lengths: neither extensions nor fields at the end, in which
    /// readers have found different ends.
    ///
    /// # Errors
    /// [`Disorder`].
    pub fn take(&mut self, bytes: &[u8]) -> Result<usize, Disorder> {
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let whole = |left: u64| left.min(u64::try_from(rest.len()).unwrap_or(u64::MAX));
            match self.0 {
                State::Done => break,
                State::Plain(left) | State::Piece(left) => {
                    let taken = whole(left);
                    at += usize::try_from(taken).map_err(|_| Disorder)?;
                    self.0 = match (self.0, left - taken) {
                        (State::Plain(_), 0) => State::Done,
                        (State::Plain(_), left) => State::Plain(left),
                        (_, 0) => State::PieceEnd,
                        (_, left) => State::Piece(left),
                    };
                }
                _ => {
                    let &[byte, ..] = rest else { break };
                    self.0 = self.next(byte).ok_or(Disorder)?;
                    at += 1;
                }
            }
        }
        Ok(at)
    }

    fn next(&self, byte: u8) -> Option<State> {
        const DIGITS_AT_MOST: u8 = 15;
        match (self.0, byte) {
            (State::Size(digits, size), b'\r') if digits > 0 => Some(State::SizeEnd(size)),
            (State::Size(digits, size), byte) if digits < DIGITS_AT_MOST => {
                let digit = char::from(byte).to_digit(16)?;
                Some(State::Size(digits + 1, size << 4 | u64::from(digit)))
            }
            (State::SizeEnd(0), b'\n') => Some(State::Last),
            (State::SizeEnd(size), b'\n') => Some(State::Piece(size)),
            (State::PieceEnd, b'\r') => Some(State::PieceFeed),
            (State::PieceFeed, b'\n') => Some(State::Size(0, 0)),
            (State::Last, b'\r') => Some(State::LastFeed),
            (State::LastFeed, b'\n') => Some(State::Done),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Body, Disorder};
    use crate::egress::head::Content;

    /// Takes `bytes` in pieces of `size`.
    fn take(content: Content, bytes: &[u8], size: usize) -> Result<(usize, bool), Disorder> {
        let (mut body, mut all) = (Body::new(content), 0);
        for piece in bytes.chunks(size) {
            let taken = body.take(piece)?;
            all += taken;
            if taken < piece.len() {
                break;
            }
        }
        Ok((all, body.is_done()))
    }

    #[test]
    fn the_end_is_the_same_however_the_bytes_come() {
        let chunks = b"3\r\nabc\r\n00A\r\n0123456789\r\n0\r\n\r\n";
        let after = [chunks, &b"GET / HTTP/1.1\r\n"[..]].concat();
        for size in 1..after.len() {
            assert_eq!(take(Content::Chunks, &after, size), Ok((chunks.len(), true)), "{size}");
            assert_eq!(take(Content::Length(5), &after, size), Ok((5, true)), "{size}");
            assert_eq!(take(Content::Length(0), &after, size), Ok((0, true)), "{size}");
        }
        assert_eq!(take(Content::Length(100), b"abc", 2), Ok((3, false)));
        assert_eq!(take(Content::Chunks, &chunks[..chunks.len() - 1], 7), Ok((chunks.len() - 1, false)));
    }

    #[test]
    fn pieces_that_could_end_elsewhere_are_disorder() {
        for bytes in [
            &b"\r\n"[..],
            b"3\nabc",
            b"3;x=y\r\nabc",
            b"3 \r\nabc",
            b"+3\r\nabc",
            b"0x3\r\nabc",
            b"3\r\nabcd",
            b"3\r\nabc\n0",
            b"0\r\nHost: evil\r\n\r\n",
            b"0\r\n\n",
            b"-1\r\n",
            b"1000000000000000\r\n",
        ] {
            assert_eq!(take(Content::Chunks, bytes, 1), Err(Disorder), "{}", bytes.escape_ascii());
        }
        assert_eq!(
            take(Content::Chunks, b"fffffffffffffff\r\nab", 3),
            Ok((19, false)),
            "large is no disorder"
        );
    }
}
