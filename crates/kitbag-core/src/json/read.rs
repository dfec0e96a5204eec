//! The strict reader. One pass over bytes already known to be UTF-8; no allocation is sized by what the text claims.

use std::fmt;

use super::value::{Json, Member, Object, Span, Value};

/// Largest integer that every reader keeps exactly: 2^53 − 1.
pub const MAX_INTEGER: i64 = (1 << 53) - 1;

/// Deepest nesting that SkillPact §4.1 and kitbag allow; the top-level value is depth 1.
pub const MAX_DEPTH: usize = 64;

/// Why a document is not I-JSON, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// What is wrong.
    pub kind: SyntaxErrorKind,
    /// The bytes that are wrong.
    pub span: Span,
}

/// What is wrong with a document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SyntaxErrorKind {
    /// The bytes are not UTF-8.
    NotUtf8,
    /// The document begins with a byte order mark.
    ByteOrderMark,
    /// The document ends in the middle of a value.
    UnexpectedEnd,
    /// Something else was expected here.
    Expected(&'static str),
    /// A second value, or anything else, after the document.
    TrailingData,
    /// The same member name twice in one object, after unescaping.
    DuplicateName {
        /// The name.
        name: String,
        /// Where it stood first.
        first: Span,
    },
    /// An integer beyond ±(2^53−1).
    IntegerRange,
    /// A number too large for a double.
    NumberRange,
    /// A number that JSON does not write that way.
    NumberSyntax,
    /// An escape JSON does not have.
    BadEscape,
    /// Half of a surrogate pair.
    LoneSurrogate,
    /// A raw control character inside a string.
    ControlCharacter {
        /// The code point.
        code: u32,
    },
    /// Nested more than [`MAX_DEPTH`] deep.
    TooDeep,
    /// Longer than a document may be (4 GiB).
    TooLong,
}

impl fmt::Display for SyntaxErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8 => f.write_str("the bytes here are not UTF-8"),
            Self::ByteOrderMark => f.write_str("the document begins with a byte order mark"),
            Self::UnexpectedEnd => f.write_str("the document ends in the middle of a value"),
            Self::Expected(what) => write!(f, "expected {what}"),
            Self::TrailingData => f.write_str("the document goes on after its end"),
            Self::DuplicateName { name, .. } => {
                write!(f, "the member name {name:?} stands twice in one object")
            }
            Self::IntegerRange => {
                write!(f, "the integer is beyond ±{MAX_INTEGER}, which not every reader keeps exactly")
            }
            Self::NumberRange => f.write_str("the number is too large for a double"),
            Self::NumberSyntax => f.write_str("JSON does not write numbers this way"),
            Self::BadEscape => f.write_str("JSON has no such escape"),
            Self::LoneSurrogate => f.write_str("half of a surrogate pair stands alone"),
            Self::ControlCharacter { code } => {
                write!(f, "the control character U+{code:04X} must be escaped in a string")
            }
            Self::TooDeep => write!(f, "values are nested more than {MAX_DEPTH} deep"),
            Self::TooLong => f.write_str("the document is longer than 4 GiB"),
        }
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (byte {})", self.kind, self.span.start)
    }
}

impl std::error::Error for SyntaxError {}

/// Reads one I-JSON document.
///
/// # Errors
/// The first [`SyntaxError`], in document order. Duplicate names are reported when their object ends.
pub fn read(bytes: &[u8]) -> Result<Json, SyntaxError> {
    let fail = |kind, start, end| Err(SyntaxError { kind, span: Span::new(start, end) });
    if u32::try_from(bytes.len()).is_err() {
        return fail(SyntaxErrorKind::TooLong, 0, 0);
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let start = error.valid_up_to();
            return fail(
                SyntaxErrorKind::NotUtf8,
                start,
                start + error.error_len().unwrap_or(bytes.len() - start),
            );
        }
    };
    if text.starts_with('\u{feff}') {
        return fail(SyntaxErrorKind::ByteOrderMark, 0, 3);
    }
    let mut reader = Reader { text, bytes: text.as_bytes(), at: 0 };
    reader.skip_space();
    let json = reader.value(1)?;
    reader.skip_space();
    if reader.at < bytes.len() {
        fail(SyntaxErrorKind::TrailingData, reader.at, bytes.len())
    } else {
        Ok(json)
    }
}

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
}

impl Reader<'_> {
    fn fail<T>(&self, kind: SyntaxErrorKind, start: usize, end: usize) -> Result<T, SyntaxError> {
        // Ends inside a multi-byte character are moved past it, so that a span can always be cut out of the text.
        let mut end = end.clamp(start, self.bytes.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        Err(SyntaxError { kind, span: Span::new(start, end) })
    }

    /// Something else than `what` stands here, or nothing.
    fn unexpected<T>(&self, what: &'static str) -> Result<T, SyntaxError> {
        if self.at >= self.bytes.len() {
            return self.fail(SyntaxErrorKind::UnexpectedEnd, self.at, self.at);
        }
        self.fail(SyntaxErrorKind::Expected(what), self.at, self.at + 1)
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.bytes.get(self.at) {
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Result<Json, SyntaxError> {
        let start = self.at;
        let value = match self.bytes.get(self.at) {
            Some(b'"') => Value::String(self.string()?),
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.word("true", Value::Bool(true))?,
            Some(b'f') => self.word("false", Value::Bool(false))?,
            Some(b'n') => self.word("null", Value::Null)?,
            _ => return self.unexpected("a value"),
        };
        Ok(Json { span: Span::new(start, self.at), value })
    }

    fn word(&mut self, word: &'static str, value: Value) -> Result<Value, SyntaxError> {
        if self.bytes[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(value)
        } else {
            self.fail(SyntaxErrorKind::Expected("a value"), self.at, self.at + 1)
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, SyntaxError> {
        self.check_depth(depth)?;
        self.at += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.bytes.get(self.at) == Some(&b']') {
            self.at += 1;
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.skip_space();
            match self.bytes.get(self.at) {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(Value::Array(items));
                }
                _ => return self.unexpected("`,` or `]`"),
            }
            self.skip_space();
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, SyntaxError> {
        self.check_depth(depth)?;
        self.at += 1;
        let mut members: Vec<Member> = Vec::new();
        self.skip_space();
        if self.bytes.get(self.at) == Some(&b'}') {
            self.at += 1;
            return Ok(Value::Object(Object(members)));
        }
        loop {
            if self.bytes.get(self.at) != Some(&b'"') {
                return self.unexpected("a member name in double quotes");
            }
            let start = self.at;
            let name = self.string()?;
            let name_span = Span::new(start, self.at);
            self.skip_space();
            if self.bytes.get(self.at) != Some(&b':') {
                return self.unexpected("`:`");
            }
            self.at += 1;
            self.skip_space();
            let value = self.value(depth + 1)?;
            members.push(Member { name, name_span, value });
            self.skip_space();
            match self.bytes.get(self.at) {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    check_distinct(&members)?;
                    return Ok(Value::Object(Object(members)));
                }
                _ => return self.unexpected("`,` or `}`"),
            }
            self.skip_space();
        }
    }

    fn check_depth(&self, depth: usize) -> Result<(), SyntaxError> {
        if depth > MAX_DEPTH { self.fail(SyntaxErrorKind::TooDeep, self.at, self.at + 1) } else { Ok(()) }
    }

    fn number(&mut self) -> Result<Value, SyntaxError> {
        let start = self.at;
        if self.bytes[self.at] == b'-' {
            self.at += 1;
        }
        let whole = self.digits();
        let leading_zero = self.bytes.get(self.at - whole) == Some(&b'0') && whole > 1;
        let mut integer = true;
        let mut complete = whole > 0 && !leading_zero;
        if self.bytes.get(self.at) == Some(&b'.') {
            integer = false;
            self.at += 1;
            complete &= self.digits() > 0;
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.at) {
            integer = false;
            self.at += 1;
            if let Some(b'+' | b'-') = self.bytes.get(self.at) {
                self.at += 1;
            }
            complete &= self.digits() > 0;
        }
        if !complete {
            return self.fail(SyntaxErrorKind::NumberSyntax, start, self.at.max(start + 1));
        }
        let literal = &self.text[start..self.at];
        if integer {
            return match literal.parse::<i64>() {
                Ok(number) if number.abs() <= MAX_INTEGER => Ok(Value::Integer(number)),
                _ => self.fail(SyntaxErrorKind::IntegerRange, start, self.at),
            };
        }
        match literal.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Value::Float(number)),
            _ => self.fail(SyntaxErrorKind::NumberRange, start, self.at),
        }
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        self.at - start
    }

    /// Reads a string; `at` is on its opening quote.
    fn string(&mut self) -> Result<String, SyntaxError> {
        let open = self.at;
        self.at += 1;
        let start = self.at;
        self.plain();
        if self.bytes.get(self.at) == Some(&b'"') {
            self.at += 1;
            return Ok(self.text[start..self.at - 1].to_owned());
        }
        let mut out = String::from(&self.text[start..self.at]);
        loop {
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                Some(&control) if control < 0x20 => {
                    let code = u32::from(control);
                    return self.fail(SyntaxErrorKind::ControlCharacter { code }, self.at, self.at + 1);
                }
                Some(_) => {
                    let from = self.at;
                    self.plain();
                    out.push_str(&self.text[from..self.at]);
                }
                None => return self.fail(SyntaxErrorKind::UnexpectedEnd, open, self.at),
            }
        }
    }

    /// Moves over bytes that stand for themselves, eight at a time while none of the eight ends the run.
    fn plain(&mut self) {
        while let Some(Ok(eight)) = self.bytes.get(self.at..self.at + 8).map(<[u8; 8]>::try_from) {
            if ends_a_run(u64::from_ne_bytes(eight)) {
                break;
            }
            self.at += 8;
        }
        while self.bytes.get(self.at).is_some_and(|&byte| byte != b'"' && byte != b'\\' && byte >= 0x20) {
            self.at += 1;
        }
    }

    /// Reads an escape; `at` is on its backslash.
    fn escape(&mut self) -> Result<char, SyntaxError> {
        let start = self.at;
        let Some(letter) = self.bytes.get(start + 1) else {
            return self.fail(SyntaxErrorKind::UnexpectedEnd, start, start + 1);
        };
        self.at = start + 2;
        Ok(match letter {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let first = self.unit(start)?;
                if !(0xd800..0xe000).contains(&first) {
                    return match char::from_u32(first) {
                        Some(c) => Ok(c),
                        None => self.fail(SyntaxErrorKind::BadEscape, start, self.at),
                    };
                }
                let pair = first < 0xdc00 && self.bytes[self.at..].starts_with(b"\\u");
                if !pair {
                    return self.fail(SyntaxErrorKind::LoneSurrogate, start, self.at);
                }
                self.at += 2;
                let second = self.unit(start)?;
                if !(0xdc00..0xe000).contains(&second) {
                    return self.fail(SyntaxErrorKind::LoneSurrogate, start, start + 6);
                }
                let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                match char::from_u32(code) {
                    Some(c) => c,
                    None => return self.fail(SyntaxErrorKind::LoneSurrogate, start, self.at),
                }
            }
            _ => return self.fail(SyntaxErrorKind::BadEscape, start, start + 2),
        })
    }

    /// Reads four hexadecimal digits.
    fn unit(&mut self, start: usize) -> Result<u32, SyntaxError> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.bytes.get(self.at).and_then(|&byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else {
                return self.fail(SyntaxErrorKind::BadEscape, start, self.at + 1);
            };
            unit = unit << 4 | digit;
            self.at += 1;
        }
        Ok(unit)
    }
}

/// Whether one of eight bytes is a quote, a backslash or a control character. A byte below `n` borrows from its top bit when
/// `n` is taken from it, and has none of its own.
const fn ends_a_run(eight: u64) -> bool {
    const ONES: u64 = u64::MAX / 0xff;
    const fn some_below(eight: u64, n: u64) -> bool {
        eight.wrapping_sub(ONES * n) & !eight & (ONES * 0x80) != 0
    }
    some_below(eight, 0x20)
        || some_below(eight ^ (ONES * b'"' as u64), 1)
        || some_below(eight ^ (ONES * b'\\' as u64), 1)
}

/// Few members are compared pairwise; many are sorted, so that a hostile object stays cheap.
fn check_distinct(members: &[Member]) -> Result<(), SyntaxError> {
    let twin = if members.len() <= 16 {
        members.iter().enumerate().find_map(|(at, later)| {
            members[..at].iter().find(|first| first.name == later.name).map(|first| (first, later))
        })
    } else {
        let mut order: Vec<&Member> = members.iter().collect();
        order.sort_by(|a, b| a.name.cmp(&b.name).then(a.name_span.start.cmp(&b.name_span.start)));
        order
            .windows(2)
            .filter(|pair| pair[0].name == pair[1].name)
            .map(|pair| (pair[0], pair[1]))
            .min_by_key(|(_, later)| later.name_span.start)
    };
    match twin {
        None => Ok(()),
        Some((first, later)) => Err(SyntaxError {
            kind: SyntaxErrorKind::DuplicateName { name: later.name.clone(), first: first.name_span },
            span: later.name_span,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> (SyntaxErrorKind, std::ops::Range<usize>) {
        let error = read(text.as_bytes()).expect_err(text);
        (error.kind, error.span.range())
    }

    #[test]
    fn every_way_two_readers_could_disagree_is_refused_at_its_place() {
        use SyntaxErrorKind as K;
        let first = Span::new(1, 4);
        assert_eq!(refused(r#"{"a":1,"\u0061":2}"#), (K::DuplicateName { name: "a".into(), first }, 7..15));
        assert_eq!(refused(r#"["\ud800"]"#), (K::LoneSurrogate, 2..8));
        assert_eq!(refused(r#"["\ud800\u0041"]"#), (K::LoneSurrogate, 2..8));
        assert_eq!(refused(r#"["\udc00\ud800"]"#), (K::LoneSurrogate, 2..8));
        assert_eq!(refused("9007199254740992").0, K::IntegerRange);
        assert_eq!(refused("-9007199254740992").0, K::IntegerRange);
        assert_eq!(refused(&"9".repeat(5000)).0, K::IntegerRange);
        assert_eq!(refused("1e400").0, K::NumberRange);
        assert_eq!(refused("\u{feff}{}").0, K::ByteOrderMark);
        assert_eq!(refused("\"\u{1}\"").0, K::ControlCharacter { code: 1 });
        assert_eq!(refused("1 2").0, K::TrailingData);
        assert_eq!(refused(&"[".repeat(65)).0, K::TooDeep);
        assert_eq!(read(b"\"\xff\"").unwrap_err().kind, K::NotUtf8);
    }

    #[test]
    fn what_json_does_not_write_is_refused() {
        for bad in [
            "",
            " ",
            "01",
            "-",
            "1.",
            ".5",
            "1e",
            "1e+",
            "+1",
            "NaN",
            "Infinity",
            "tru",
            "[1,]",
            "{\"a\":1,}",
            "{a:1}",
            "'x'",
            "[1",
            "{\"a\"",
            "\"",
            "\"\\",
            "\"\\u12",
            "\"\\x\"",
            "\u{a0}1",
            "\u{c}1",
            "// c\n1",
            "{\"a\" 1}",
            "-x",
            "[é",
        ] {
            assert!(read(bad.as_bytes()).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn what_json_writes_is_read_with_its_span() {
        let json =
            read("{ \"a/b\" : [ -0, 1.5e2, \"\\ud83d\\ude00é\" ] , \"m~n\": null }".as_bytes()).unwrap();
        let pointer = super::super::Pointer::root().join("a/b").join(2);
        assert_eq!(pointer.as_str(), "/a~1b/2");
        let text = json.at(&pointer).unwrap();
        assert_eq!(text.as_str(), Some("😀é"));
        assert_eq!(text.span.range(), 23..39);
        assert_eq!(json.get("a/b").unwrap().as_array().unwrap()[0].value, Value::Integer(0));
        assert_eq!(json.get("m~n").unwrap().value, Value::Null);
        assert!(read(&[b"[".repeat(64), b"]".repeat(64)].concat()).is_ok());
        assert_eq!(read(b"9007199254740991").unwrap().value, Value::Integer(MAX_INTEGER));
        assert_eq!(read(b"1e-400").unwrap().value, Value::Float(0.0));
    }

    #[test]
    fn what_ends_a_run_of_plain_bytes_is_seen_at_every_place_of_eight() {
        for byte in 0..=u8::MAX {
            for at in 0..8 {
                let mut eight = [0xe9; 8];
                eight[at] = byte;
                let ends = byte < 0x20 || byte == b'"' || byte == b'\\';
                assert_eq!(ends_a_run(u64::from_ne_bytes(eight)), ends, "{byte:#x} at {at}");
            }
        }
        for length in 0..40 {
            let text = "é".repeat(length) + "\\n" + &"x".repeat(length);
            let read = read(format!("\"{text}\"").as_bytes()).unwrap();
            assert_eq!(read.as_str(), Some(&*text.replace("\\n", "\n")));
        }
    }

    #[test]
    fn twins_among_many_members_are_found_too() {
        let many: Vec<String> = (0..1000).map(|n| format!("\"k{n}\":0")).collect();
        assert!(read(format!("{{{}}}", many.join(",")).as_bytes()).is_ok());
        let twin = format!("{{{},\"k500\":1}}", many.join(","));
        assert!(matches!(refused(&twin).0, SyntaxErrorKind::DuplicateName { name, .. } if name == "k500"));
    }
}
