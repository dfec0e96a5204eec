//! Documents for people and programs alike: members in the order in which they were put there, two spaces, a line end at
//! the end, as `JSON.stringify(value, null, 2)` writes them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::canonical;
use super::value::{Json, Member, Object, Span, Value};

/// A value that stands in no document.
#[must_use]
pub fn value(value: Value) -> Json {
    Json { span: Span::default(), value }
}

/// A text.
#[must_use]
pub fn text(text: impl Into<String>) -> Json {
    value(Value::String(text.into()))
}

/// A list of texts.
#[must_use]
pub fn texts<T: Into<String>>(items: impl IntoIterator<Item = T>) -> Json {
    value(Value::Array(items.into_iter().map(text).collect()))
}

/// An object with these members, in this order; of two with one name the later counts, at the place of the first.
#[must_use]
pub fn object<'n>(members: impl IntoIterator<Item = (&'n str, Json)>) -> Json {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut made: Vec<Member> = Vec::new();
    for (name, member) in members {
        match places.entry(name) {
            Entry::Occupied(place) => made[*place.get()].value = member,
            Entry::Vacant(place) => {
                place.insert(made.len());
                made.push(Member { name: name.to_owned(), name_span: Span::default(), value: member });
            }
        }
    }
    value(Value::Object(Object(made)))
}

/// The document `json` is: what `JSON.stringify(value, null, 2)` gives, and a line end.
#[must_use]
pub fn document(json: &Json) -> String {
    let mut out = String::new();
    write(json, 0, &mut out);
    out.push('\n');
    out
}

fn write(json: &Json, level: usize, out: &mut String) {
    match &json.value {
        Value::Array(items) if !items.is_empty() => {
            enclose('[', ']', items.iter(), level, out, |item, out| write(item, level + 1, out));
        }
        Value::Object(object) if !object.is_empty() => {
            enclose('{', '}', object.in_script_order().into_iter(), level, out, |member, out| {
                out.push_str(&scalar(&text(&*member.name)));
                out.push_str(": ");
                write(&member.value, level + 1, out);
            });
        }
        _ => out.push_str(&scalar(json)),
    }
}

fn enclose<T>(
    open: char,
    close: char,
    items: impl Iterator<Item = T>,
    level: usize,
    out: &mut String,
    each: impl Fn(T, &mut String),
) {
    out.push(open);
    for (number, item) in items.enumerate() {
        out.push_str(if number == 0 { "\n" } else { ",\n" });
        out.push_str(&"  ".repeat(level + 1));
        each(item, out);
    }
    out.push('\n');
    out.push_str(&"  ".repeat(level));
    out.push(close);
}

/// A scalar, or an empty collection. What is written here holds texts and small integers only, which have the same form in
/// every canonical JSON.
fn scalar(json: &Json) -> String {
    canonical::jcs(json).unwrap_or_else(|_| "null".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_has_two_spaces_and_ends_with_a_line_end() {
        let json = object([
            ("b", text("é\n\"")),
            ("a", texts(["x", "y"])),
            ("none", texts([] as [&str; 0])),
            ("inner", object([("n", value(Value::Integer(1)))])),
        ]);
        let written = "{\n  \"b\": \"é\\n\\\"\",\n  \"a\": [\n    \"x\",\n    \"y\"\n  ],\n  \"none\": [],\n  \
                       \"inner\": {\n    \"n\": 1\n  }\n}\n";
        assert_eq!(document(&json), written);
        assert_eq!(document(&object([])), "{}\n");
        let twice = object([("a", text("1")), ("b", text("2")), ("a", text("3"))]);
        assert_eq!(document(&twice), "{\n  \"a\": \"3\",\n  \"b\": \"2\"\n}\n");
    }
}
