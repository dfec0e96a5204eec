//! Typed fields out of [`Json`], with everything that is wrong about it, not only the first thing.
//!
//! A format writes one function per object of its document: each field is asked for by name and kind, and what was not
//! asked for is unknown. Nothing here knows a format. What is wrong is counted as JSON Schema counts it: one [`Problem`]
//! per missing member, one per wrong value and rule, one per object that has members nobody knows.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::problem::{Problem, ProblemKind, Step, excerpt};
use super::value::{Json, Member, Object, Span, Value};

/// Most problems that are kept; a document with more is hostile or of another kind altogether.
pub const MAX_PROBLEMS: usize = 20_000;

/// Most unknown members that one problem points at. All are counted.
const MAX_NAMED: usize = 20;

/// A rule for a text.
#[derive(Clone, Copy, Debug)]
pub enum TextRule {
    /// At most so many characters.
    AtMost(usize),
    /// At least one character.
    NotEmpty,
    /// A shape.
    Shape(Shape),
}

/// A shape that a text or a member name must have.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// What it asks for, to follow "must be".
    pub rule: &'static str,
    /// Whether a text has it.
    pub holds: fn(&str) -> bool,
}

/// Whether an object may have members that were not asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Others {
    /// They are a problem.
    Refused,
    /// They are passed over.
    Allowed,
}

/// A decoded value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed<T> {
    /// What it is.
    pub value: T,
    /// Where it stands.
    pub span: Span,
}

/// A member of a map, decoded.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry<T> {
    /// Its name.
    pub name: String,
    /// Where the name stands.
    pub name_span: Span,
    /// Its value.
    pub value: T,
    /// Where the value stands.
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
enum StepRef<'j> {
    Index(usize),
    Name(&'j str),
}

/// Decodes one document and keeps what is wrong with it.
#[derive(Debug, Default)]
pub struct Decoder<'j> {
    path: Vec<StepRef<'j>>,
    problems: Vec<Problem>,
}

impl<'j> Decoder<'j> {
    /// A decoder at the root of a document.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Everything that was wrong, ordered by path; problems of one value keep the order in which they were found.
    #[must_use]
    pub fn finish(mut self) -> Vec<Problem> {
        self.problems.sort_by(|a, b| a.path.cmp(&b.path));
        self.problems
    }

    /// Notes a problem of the value that is being decoded.
    pub fn problem(&mut self, span: Span, kind: ProblemKind) {
        self.push(span, kind, Vec::new());
    }

    fn push(&mut self, span: Span, kind: ProblemKind, related: Vec<(Span, String)>) {
        if self.problems.len() > MAX_PROBLEMS {
            return;
        }
        if self.problems.len() == MAX_PROBLEMS {
            let kind = ProblemKind::TooMany;
            self.problems.push(Problem {
                kind,
                path: Vec::new(),
                span: Span::default(),
                related: Vec::new(),
            });
            return;
        }
        let path = self
            .path
            .iter()
            .map(|step| match step {
                StepRef::Index(index) => Step::Index(*index),
                StepRef::Name(name) => Step::Name((*name).to_owned()),
            })
            .collect();
        self.problems.push(Problem { kind, path, span, related });
    }

    fn mistyped<T>(&mut self, json: &Json, expected: &'static str) -> Option<T> {
        self.problem(json.span, ProblemKind::Mistyped { expected, found: json.kind() });
        None
    }

    fn step<T>(&mut self, step: StepRef<'j>, read: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(step);
        let result = read(self);
        self.path.pop();
        result
    }

    /// An object, whose fields `body` asks for. What it did not ask for is unknown, if `others` are refused.
    pub fn object<T>(
        &mut self,
        json: &'j Json,
        others: Others,
        body: impl FnOnce(&mut Fields<'_, 'j>) -> Option<T>,
    ) -> Option<T> {
        let Some(object) = json.as_object() else { return self.mistyped(json, "an object") };
        let mut fields = Fields { decoder: self, object, span: json.span, known: Vec::new() };
        let result = body(&mut fields);
        if others == Others::Refused {
            fields.refuse_others();
        }
        result
    }

    /// An object whose member names are the author's. `read` is given each value.
    pub fn map<T>(
        &mut self,
        json: &'j Json,
        names: Option<Shape>,
        mut read: impl FnMut(&mut Self, &'j Json) -> Option<T>,
    ) -> Option<Vec<Entry<T>>> {
        let Some(object) = json.as_object() else { return self.mistyped(json, "an object") };
        if let Some(shape) = names {
            for member in object.iter().filter(|member| !(shape.holds)(&member.name)) {
                let found = excerpt(&member.name);
                self.problem(member.name_span, ProblemKind::Name { found, rule: shape.rule });
            }
        }
        let mut entries = Vec::new();
        for Member { name, name_span, value } in object {
            if let Some(read) = self.step(StepRef::Name(name), |decoder| read(decoder, value)) {
                entries.push(Entry {
                    name: name.clone(),
                    name_span: *name_span,
                    value: read,
                    span: value.span,
                });
            }
        }
        Some(entries)
    }

    /// An array. `read` is given each item.
    pub fn array<T>(
        &mut self,
        json: &'j Json,
        mut read: impl FnMut(&mut Self, &'j Json) -> Option<T>,
    ) -> Option<Vec<Placed<T>>> {
        let Some(items) = json.as_array() else { return self.mistyped(json, "an array") };
        let mut placed = Vec::new();
        for (index, item) in items.iter().enumerate() {
            if let Some(value) = self.step(StepRef::Index(index), |decoder| read(decoder, item)) {
                placed.push(Placed { value, span: item.span });
            }
        }
        Some(placed)
    }

    /// An array with at least one item.
    pub fn filled_array<T>(
        &mut self,
        json: &'j Json,
        read: impl FnMut(&mut Self, &'j Json) -> Option<T>,
    ) -> Option<Vec<Placed<T>>> {
        if json.as_array().is_some_and(<[Json]>::is_empty) {
            self.problem(json.span, ProblemKind::Empty);
            return None;
        }
        self.array(json, read)
    }

    /// An array without two equal items.
    pub fn set<T>(
        &mut self,
        json: &'j Json,
        read: impl FnMut(&mut Self, &'j Json) -> Option<T>,
    ) -> Option<Vec<Placed<T>>> {
        if let Some((first, second)) = json.as_array().and_then(twins) {
            self.push(second, ProblemKind::Twins, vec![(first, "it stands here first".to_owned())]);
        }
        self.array(json, read)
    }

    /// A text.
    pub fn text(&mut self, json: &'j Json) -> Option<String> {
        self.text_that(json, &[])
    }

    /// A text that keeps `rules`; each broken rule is a problem of its own.
    pub fn text_that(&mut self, json: &'j Json, rules: &[TextRule]) -> Option<String> {
        let Some(text) = json.as_str() else { return self.mistyped(json, "a string") };
        let before = self.problems.len();
        for rule in rules {
            match rule {
                TextRule::AtMost(max) => {
                    let length = text.chars().count();
                    if length > *max {
                        self.problem(json.span, ProblemKind::TooLong { length, max: *max });
                    }
                }
                TextRule::NotEmpty if text.is_empty() => self.problem(json.span, ProblemKind::Empty),
                TextRule::NotEmpty => {}
                TextRule::Shape(shape) if !(shape.holds)(text) => {
                    let found = excerpt(text);
                    self.problem(json.span, ProblemKind::Text { found, rule: shape.rule });
                }
                TextRule::Shape(_) => {}
            }
        }
        (self.problems.len() == before).then(|| text.to_owned())
    }

    /// `true` or `false`.
    pub fn boolean(&mut self, json: &'j Json) -> Option<bool> {
        match json.as_bool() {
            None => self.mistyped(json, "`true` or `false`"),
            truth => truth,
        }
    }

    /// A number.
    pub fn number(&mut self, json: &'j Json) -> Option<f64> {
        match number(json) {
            None => self.mistyped(json, "a number"),
            number => number,
        }
    }

    /// A number above `bound`.
    pub fn number_above(&mut self, json: &'j Json, bound: f64) -> Option<f64> {
        let found = self.number(json)?;
        if found > bound {
            return Some(found);
        }
        self.problem(json.span, ProblemKind::NotAbove { found, bound });
        None
    }

    /// A number without a fraction, however it is written.
    pub fn whole_number(&mut self, json: &'j Json) -> Option<f64> {
        match number(json) {
            Some(number) if number.fract() == 0.0 => Some(number),
            Some(_) => {
                self.problem(
                    json.span,
                    ProblemKind::Mistyped { expected: "a whole number", found: "a number with a fraction" },
                );
                None
            }
            None => self.mistyped(json, "a whole number"),
        }
    }

    /// A whole number from `least` to `most`.
    pub fn whole_number_within(&mut self, json: &'j Json, least: i64, most: i64) -> Option<i64> {
        let found = self.whole_number(json)?;
        let within = match json.value {
            Value::Integer(number) => Some(number),
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the cast saturates, and the range is checked"
            )]
            _ => Some(found as i64),
        };
        let within = within.filter(|number| (least..=most).contains(number));
        if within.is_none() {
            self.problem(json.span, ProblemKind::NotWithin { found, least, most });
        }
        within
    }

    /// An array of at most `max` items.
    pub fn short_array<T>(
        &mut self,
        json: &'j Json,
        max: usize,
        read: impl FnMut(&mut Self, &'j Json) -> Option<T>,
    ) -> Option<Vec<Placed<T>>> {
        if let Some(items) = json.as_array()
            && items.len() > max
        {
            self.problem(json.span, ProblemKind::TooManyItems { count: items.len(), max });
            return None;
        }
        self.array(json, read)
    }

    /// One of `words`, each of which means something.
    pub fn one_of<T: Copy>(&mut self, json: &'j Json, words: &[(&'static str, T)]) -> Option<T> {
        if let Some((_, meaning)) =
            json.as_str().and_then(|text| words.iter().find(|(word, _)| *word == text))
        {
            return Some(*meaning);
        }
        let found = match &json.value {
            Value::String(text) => format!("`{}`", excerpt(text)),
            _ => json.kind().to_owned(),
        };
        let allowed = words.iter().map(|(word, _)| *word).collect();
        self.problem(json.span, ProblemKind::NotOneOf { found, allowed });
        None
    }

    /// Any object, as it is.
    pub fn any_object(&mut self, json: &'j Json) -> Option<&'j Json> {
        if json.as_object().is_some() { Some(json) } else { self.mistyped(json, "an object") }
    }
}

/// The fields of one object, asked for by name.
#[derive(Debug)]
pub struct Fields<'d, 'j> {
    decoder: &'d mut Decoder<'j>,
    object: &'j Object,
    span: Span,
    known: Vec<&'static str>,
}

impl<'j> Fields<'_, 'j> {
    /// A member that must be there.
    pub fn required<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut Decoder<'j>, &'j Json) -> Option<T>,
    ) -> Option<T> {
        if self.object.get(name).is_none() {
            self.known.push(name);
            // The object's brace alone is pointed at: an excerpt of the whole object would hide what is missing.
            let span = Span { start: self.span.start, end: self.span.start.saturating_add(1) };
            self.decoder.problem(span, ProblemKind::Missing { name });
            return None;
        }
        self.optional(name, read)
    }

    /// A member that may be there.
    pub fn optional<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut Decoder<'j>, &'j Json) -> Option<T>,
    ) -> Option<T> {
        self.known.push(name);
        let member = self.object.member(name)?;
        self.decoder.step(StepRef::Name(&member.name), |decoder| read(decoder, &member.value))
    }

    /// A member that may be there and may be anything.
    pub fn anything(&mut self, name: &'static str) -> Option<&'j Json> {
        self.known.push(name);
        self.object.get(name)
    }

    /// Notes that the members of this object do not keep a rule together.
    pub fn broken(&mut self, rule: &'static str) {
        let span = Span { start: self.span.start, end: self.span.start.saturating_add(1) };
        self.decoder.problem(span, ProblemKind::Rule { rule });
    }

    /// The value of a member as it is, whatever it is, for rules that depend on a neighbour.
    #[must_use]
    pub fn peek(&self, name: &str) -> Option<&'j Json> {
        self.object.get(name)
    }

    /// Where the object stands.
    #[must_use]
    pub const fn span(&self) -> Span {
        self.span
    }

    fn refuse_others(self) {
        let unknown = self.object.iter().filter(|member| !self.known.contains(&member.name.as_str()));
        let count = unknown.clone().count();
        let Some(first) = unknown.clone().next() else { return };
        let names = unknown.clone().take(MAX_NAMED).map(|member| excerpt(&member.name)).collect();
        let related = unknown
            .skip(1)
            .take(MAX_NAMED - 1)
            .map(|member| (member.name_span, "and this".to_owned()))
            .collect();
        self.decoder.push(first.name_span, ProblemKind::Unknown { names, count, known: self.known }, related);
    }
}

fn number(json: &Json) -> Option<f64> {
    match json.value {
        #[expect(clippy::cast_precision_loss, reason = "the reader keeps integers within ±(2^53−1)")]
        Value::Integer(number) => Some(number as f64),
        Value::Float(number) => Some(number),
        _ => None,
    }
}

/// The first item that equals an earlier one, with that one. Numbers are equal by value, objects in any order.
fn twins(items: &[Json]) -> Option<(Span, Span)> {
    let mut seen: HashMap<String, Span> = HashMap::new();
    for item in items {
        let mut key = String::new();
        write_key(item, &mut key);
        if let Some(first) = seen.insert(key, item.span) {
            return Some((first, item.span));
        }
    }
    None
}

/// Writes a text that two values share exactly when they are equal. Recursion ends at the reader's depth.
fn write_key(json: &Json, key: &mut String) {
    match &json.value {
        Value::Null => key.push('n'),
        Value::Bool(truth) => key.push(if *truth { 't' } else { 'f' }),
        Value::Integer(_) | Value::Float(_) => {
            // Adding zero makes −0 and 0 one key.
            let number = number(json).unwrap_or_default() + 0.0;
            let _ = write!(key, "{number:e}");
        }
        Value::String(text) => {
            let _ = write!(key, "{text:?}");
        }
        Value::Array(items) => {
            key.push('[');
            for item in items {
                write_key(item, key);
                key.push(',');
            }
            key.push(']');
        }
        Value::Object(object) => {
            let mut members: Vec<&Member> = object.iter().collect();
            members.sort_by(|a, b| a.name.cmp(&b.name));
            key.push('{');
            for member in members {
                let _ = write!(key, "{:?}:", member.name);
                write_key(&member.value, key);
                key.push(',');
            }
            key.push('}');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read;

    const WORD: Shape = Shape {
        rule: "lower-case letters",
        holds: |text| text.bytes().all(|byte| byte.is_ascii_lowercase()),
    };

    #[derive(Debug, PartialEq)]
    struct Thing {
        name: String,
        size: Option<f64>,
    }

    fn thing<'j>(decoder: &mut Decoder<'j>, json: &'j Json) -> Option<Thing> {
        decoder.object(json, Others::Refused, |fields| {
            let name = fields.required("name", |decoder, json| {
                decoder.text_that(json, &[TextRule::Shape(WORD), TextRule::AtMost(4)])
            });
            let size = fields.optional("size", |decoder, json| decoder.number_above(json, 0.0));
            Some(Thing { name: name?, size })
        })
    }

    fn things(text: &str) -> (Option<Vec<Thing>>, Vec<(String, String)>) {
        let json = read(text.as_bytes()).unwrap();
        let mut decoder = Decoder::new();
        let things = decoder.array(&json, thing);
        let problems = decoder.finish();
        let words = problems
            .iter()
            .map(|problem| (problem.pointer().to_string(), problem.kind.to_string()))
            .collect();
        (things.map(|things| things.into_iter().map(|placed| placed.value).collect()), words)
    }

    #[test]
    fn a_document_that_fits_is_decoded_without_a_problem() {
        let (decoded, problems) = things(r#"[{"name": "ab", "size": 2}, {"name": "c"}]"#);
        assert_eq!(problems, []);
        assert_eq!(
            decoded.unwrap(),
            [Thing { name: "ab".into(), size: Some(2.0) }, Thing { name: "c".into(), size: None }]
        );
    }

    #[test]
    fn everything_that_is_wrong_is_said_and_ordered_by_path() {
        let (_, problems) = things(r#"[{"size": "x", "a": 1, "b": 2}, {"name": "TOOLONG", "size": 0}, 7]"#);
        let expected = [
            ("/0", "the member `name` is missing"),
            ("/0", "unknown members `a`, `b`"),
            ("/0/size", "expected a number, found a string"),
            ("/1/name", "`TOOLONG` must be lower-case letters"),
            ("/1/name", "the text has 7 characters and at most 4 are allowed"),
            ("/1/size", "0 is not above 0"),
            ("/2", "expected an object, found a number"),
        ];
        assert_eq!(problems, expected.map(|(pointer, words)| (pointer.to_owned(), words.to_owned())));
    }

    #[test]
    fn unknown_members_of_one_object_are_one_problem_that_points_at_each() {
        let json = read(br#"{"name": "a", "b": 1, "c": 2}"#).unwrap();
        let mut decoder = Decoder::new();
        thing(&mut decoder, &json);
        let [problem] = &decoder.finish()[..] else { panic!("one problem") };
        assert_eq!(problem.span, Span::new(14, 17));
        assert_eq!(problem.related, [(Span::new(22, 25), "and this".to_owned())]);
    }

    #[test]
    fn a_set_refuses_items_that_are_equal_by_value_and_keeps_those_that_only_look_alike() {
        let twins_of = |text: &str| {
            let json = read(text.as_bytes()).unwrap();
            twins(json.as_array().unwrap()).is_some()
        };
        for twins in ["[1, 1.0]", "[0, -0.0]", r#"[{"a":1,"b":2},{"b":2,"a":1}]"#, r#"["a","\u0061"]"#] {
            assert!(twins_of(twins), "{twins}");
        }
        for distinct in ["[1, true]", r#"["1", 1]"#, "[[1],[1,1]]", r#"[null,"n"]"#, "[0, false]"] {
            assert!(!twins_of(distinct), "{distinct}");
        }
    }

    #[test]
    fn problems_without_end_are_cut_off_with_one_that_says_so() {
        let text = format!("[{}0]", "0,".repeat(MAX_PROBLEMS));
        let json = read(text.as_bytes()).unwrap();
        let mut decoder = Decoder::new();
        decoder.array(&json, Decoder::text);
        let problems = decoder.finish();
        assert_eq!(problems.len(), MAX_PROBLEMS + 1);
        assert_eq!(problems[0].kind, ProblemKind::TooMany);
    }
}
