//! The strict reader against its vectors: what is accepted, what is refused, and where.

use kitbag_core::json::{self, SyntaxErrorKind};
use kitbag_testkit::vectors;

fn word(kind: &SyntaxErrorKind) -> &'static str {
    match kind {
        SyntaxErrorKind::NotUtf8 => "not-utf8",
        SyntaxErrorKind::ByteOrderMark => "byte-order-mark",
        SyntaxErrorKind::UnexpectedEnd => "unexpected-end",
        SyntaxErrorKind::Expected(_) => "expected",
        SyntaxErrorKind::TrailingData => "trailing-data",
        SyntaxErrorKind::DuplicateName { .. } => "duplicate-name",
        SyntaxErrorKind::IntegerRange => "integer-range",
        SyntaxErrorKind::NumberRange => "number-range",
        SyntaxErrorKind::NumberSyntax => "number-syntax",
        SyntaxErrorKind::BadEscape => "bad-escape",
        SyntaxErrorKind::LoneSurrogate => "lone-surrogate",
        SyntaxErrorKind::ControlCharacter { .. } => "control-character",
        SyntaxErrorKind::TooDeep => "too-deep",
        SyntaxErrorKind::TooLong => "too-long",
        _ => "new",
    }
}

#[test]
fn every_vector_is_accepted_or_refused_where_it_states() {
    let (mut accepted, mut refused) = (0, 0);
    for case in vectors::walk("json/read") {
        let bytes = case.bytes("input.json");
        match json::read(&bytes) {
            Ok(json) => {
                assert_eq!(case.case["accepted"], true, "{} was accepted", case.name);
                let outside = [&bytes[..json.span.range().start], &bytes[json.span.range().end..]].concat();
                assert!(outside.iter().all(|byte| b" \t\r\n".contains(byte)), "{}", case.name);
                accepted += 1;
            }
            Err(error) => {
                let expected = &case.case["refused"];
                assert!(expected.is_object(), "{} was refused: {error}", case.name);
                assert_eq!(word(&error.kind), expected["kind"], "{}: {error}", case.name);
                let span = (u64::from(error.span.start), u64::from(error.span.end));
                let stated = (expected["span"][0].as_u64().unwrap(), expected["span"][1].as_u64().unwrap());
                assert_eq!(span, stated, "{}: {error}", case.name);
                refused += 1;
            }
        }
    }
    assert!(accepted > 10 && refused > 30, "{accepted} accepted, {refused} refused");
}

#[test]
fn what_is_accepted_reads_as_another_reader_reads_it() {
    for case in vectors::walk("json/read").into_iter().filter(|case| case.case["accepted"] == true) {
        let bytes = case.bytes("input.json");
        let ours = json::canonical::jcs(&json::read(&bytes).unwrap()).unwrap();
        let theirs: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let theirs = json::canonical::jcs(&json::read(theirs.to_string().as_bytes()).unwrap()).unwrap();
        assert_eq!(ours, theirs, "{}", case.name);
    }
}
