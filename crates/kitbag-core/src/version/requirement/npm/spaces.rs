//! Which spaces between an operator and its version say nothing: `> 1.2.3` is `>1.2.3`.
//!
//! npm looks for an operator and a version in one step, from left to right, and goes on behind the version it found. What it
//! takes for a version here is laxer than what a comparator may be, and decides only where it goes on. Spaces are single
//! when this room is asked.

/// Takes out the space behind each `<`, `>`, `=`, `<=` and `>=` that a version follows.
pub(super) fn behind_operators(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut joined = String::with_capacity(text.len());
    let (mut copied, mut at) = (0, 0);
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'<' | b'>' => at += 1,
            byte if is_prefix(byte) || begins_version(byte) => {}
            _ => {
                at += 1;
                continue;
            }
        }
        at = skip(bytes, at, is_prefix);
        if !bytes.get(at).copied().is_some_and(begins_version) {
            continue;
        }
        if let Some(space) = space_behind_operator(bytes, start) {
            joined.push_str(&text[copied..space]);
            copied = space + 1;
        }
        at = version(bytes, at);
    }
    joined.push_str(&text[copied..]);
    joined
}

/// Takes out the spaces behind each of `operators`, which becomes `plain`.
pub(super) fn behind(text: &str, operators: &[&str], plain: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let found = operators.iter().find_map(|operator| rest.strip_prefix(operator)?.strip_prefix(' '));
        match found {
            Some(after) => {
                joined.push_str(plain);
                rest = after.trim_start_matches(' ');
            }
            None => {
                joined.push(next);
                rest = &rest[next.len_utf8()..];
            }
        }
    }
    joined
}

/// What may stand before the first number: `v`, `=`, spaces.
const fn is_prefix(byte: u8) -> bool {
    matches!(byte, b'v' | b'=' | b' ')
}

const fn begins_version(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'x' | b'X' | b'*')
}

const fn is_identifier(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

/// Behind every byte from `at` on for which `is` holds.
fn skip(bytes: &[u8], at: usize, is: fn(u8) -> bool) -> usize {
    at + bytes[at..].iter().take_while(|byte| is(**byte)).count()
}

/// The space behind the operator that begins at `start`, or behind a space before it.
fn space_behind_operator(bytes: &[u8], start: usize) -> Option<usize> {
    let is = |at: usize, wanted: &[u8]| bytes.get(at).is_some_and(|byte| wanted.contains(byte));
    let mut at = start;
    at += usize::from(is(at, b" "));
    at += usize::from(is(at, b"<>"));
    at += usize::from(is(at, b"="));
    is(at, b" ").then_some(at)
}

/// The end of the version at `at`: three numbers with whatever follows them, else up to three numbers or wildcards.
fn version(bytes: &[u8], at: usize) -> usize {
    full(bytes, at).unwrap_or_else(|| partial(bytes, at))
}

fn full(bytes: &[u8], at: usize) -> Option<usize> {
    let mut end = at;
    for turn in 0..3 {
        if turn > 0 {
            end = (bytes.get(end) == Some(&b'.')).then_some(end + 1)?;
        }
        let next = skip(bytes, end, |byte| byte.is_ascii_digit());
        if next == end {
            return None;
        }
        end = next;
    }
    Some(build(bytes, prerelease(bytes, end, Reading::Lax)))
}

fn partial(bytes: &[u8], at: usize) -> usize {
    let mut end = component(bytes, at);
    for _ in 0..2 {
        if bytes.get(end) != Some(&b'.') {
            return end;
        }
        let next = component(bytes, end + 1);
        if next == end + 1 {
            return end;
        }
        end = next;
    }
    build(bytes, prerelease(bytes, end, Reading::Strict))
}

/// A number without leading zeros, or a wildcard.
fn component(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(b'0') => at + 1,
        Some(byte) if byte.is_ascii_digit() => skip(bytes, at, |byte| byte.is_ascii_digit()),
        Some(b'x' | b'X' | b'*') => at + 1,
        _ => at,
    }
}

/// Whether leading zeros, and a pre-release without its dash, are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    Strict,
    Lax,
}

fn prerelease(bytes: &[u8], at: usize, reading: Reading) -> usize {
    let has_dash = bytes.get(at) == Some(&b'-');
    if reading == Reading::Strict && !has_dash {
        return at;
    }
    let first = at + usize::from(has_dash);
    let mut end = identifier(bytes, first, reading);
    if end == first {
        if reading == Reading::Strict || !has_dash {
            return at;
        }
        // The dash itself is an identifier.
        end = identifier(bytes, at, reading);
    }
    while bytes.get(end) == Some(&b'.') {
        let next = identifier(bytes, end + 1, reading);
        if next == end + 1 {
            break;
        }
        end = next;
    }
    end
}

fn identifier(bytes: &[u8], at: usize, reading: Reading) -> usize {
    let digits = skip(bytes, at, |byte| byte.is_ascii_digit());
    match bytes.get(digits) {
        Some(byte) if byte.is_ascii_alphabetic() || *byte == b'-' => skip(bytes, digits, is_identifier),
        _ if reading == Reading::Strict && bytes.get(at) == Some(&b'0') => at + 1,
        _ => digits,
    }
}

fn build(bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    let mut before = b'+';
    while bytes.get(end) == Some(&before) {
        let next = skip(bytes, end + 1, is_identifier);
        if next == end + 1 {
            break;
        }
        (end, before) = (next, b'.');
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_space_behind_an_operator_goes_where_a_version_follows() {
        for (text, joined) in [
            ("> 1.2.3 < 2", ">1.2.3 <2"),
            (">= 1", ">=1"),
            ("= 1", "=1"),
            ("> invalid", "> invalid"),
            ("v 1", "v 1"),
            ("1 2", "1 2"),
            ("~> = 0.0.0-0 >0.2.0-a-b", "~>= 0.0.0-0 >0.2.0-a-b"),
            ("1.2.3-v 1", "1.2.3-v 1"),
            (">", ">"),
            ("\u{e9} > 1", "\u{e9} >1"),
        ] {
            assert_eq!(behind_operators(text), joined, "{text}");
        }
        assert_eq!(behind("~ 1 ~>  2 ~>3 ^ 4", &["~>", "~"], "~"), "~1 ~2 ~>3 ^ 4");
    }
}
