//! [`Json`]: a value with its place. [`Pointer`]: the symbolic place (RFC 6901).

use std::fmt;

/// A range of bytes in a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// From `start` up to and without `end`; positions past 4 GiB are cut to it.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        let cut = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { start: cut(start), end: cut(end) }
    }

    /// The range, for slicing.
    #[must_use]
    pub const fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A JSON value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Json {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub value: Value,
}

/// What a JSON value is.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number written without fraction and exponent; within ±(2^53−1).
    Integer(i64),
    /// Any other number; finite.
    Float(f64),
    /// A string, unescaped.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object.
    Object(Object),
}

/// An object: members in document order, names distinct.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object(pub(super) Vec<Member>);

/// One member of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The name, unescaped.
    pub name: String,
    /// Where the name stands, with its quotes.
    pub name_span: Span,
    /// The value.
    pub value: Json,
}

impl Object {
    /// The value of the member called `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.member(name).map(|member| &member.value)
    }

    /// The member called `name`.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Member> {
        self.0.iter().find(|member| member.name == name)
    }

    /// Takes the member called `name` out.
    pub fn remove(&mut self, name: &str) -> Option<Member> {
        let at = self.0.iter().position(|member| member.name == name)?;
        Some(self.0.remove(at))
    }

    /// Puts `value` under `name`, at the place of the member of that name or else at the end; gives back what was there.
    /// The name has no place in any document.
    pub fn insert(&mut self, name: &str, value: Json) -> Option<Json> {
        if let Some(member) = self.0.iter_mut().find(|member| member.name == name) {
            return Some(std::mem::replace(&mut member.value, value));
        }
        self.0.push(Member { name: name.to_owned(), name_span: Span::default(), value });
        None
    }

    /// The members in document order.
    pub fn iter(&self) -> std::slice::Iter<'_, Member> {
        self.0.iter()
    }

    /// The members in the order in which JavaScript lists them: names that are array indices first, ascending, then the
    /// rest in document order.
    #[must_use]
    pub fn in_script_order(&self) -> Vec<&Member> {
        let index = |name: &str| {
            let is_plain = name == "0" || !name.starts_with(['0', '+']);
            name.parse::<u32>().ok().filter(|index| is_plain && *index < u32::MAX)
        };
        let mut members: Vec<&Member> = self.0.iter().collect();
        members.sort_by_key(|member| index(&member.name).map_or((1, 0), |index| (0, index)));
        members
    }

    /// Number of members.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no member.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'a> IntoIterator for &'a Object {
    type Item = &'a Member;
    type IntoIter = std::slice::Iter<'a, Member>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl Json {
    /// The object, if it is one.
    #[must_use]
    pub fn as_object(&self) -> Option<&Object> {
        match &self.value {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The items, if it is an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Json]> {
        match &self.value {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The text, if it is a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The truth value, if it is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match &self.value {
            Value::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// The member called `name`, if this is an object that has it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.as_object()?.get(name)
    }

    /// The value at `pointer`, read from here.
    #[must_use]
    pub fn at(&self, pointer: &Pointer) -> Option<&Json> {
        pointer.tokens().try_fold(self, |json, token| match &json.value {
            Value::Object(object) => object.get(&token),
            Value::Array(items) => {
                let plain = token == "0" || !token.starts_with(['0', '+']);
                items.get(token.parse::<usize>().ok().filter(|_| plain)?)
            }
            _ => None,
        })
    }

    /// The word for what this is: `null`, `a boolean`, `a number`, `a string`, `an array`, `an object`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Integer(_) | Value::Float(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        }
    }
}

/// A JSON pointer (RFC 6901), such as `/permissions/read/scope/0`. The empty pointer is the whole document.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pointer(String);

impl Pointer {
    /// The whole document.
    #[must_use]
    pub const fn root() -> Self {
        Self(String::new())
    }

    /// This pointer with the member `name` or, printed as a number, an array index appended.
    #[must_use]
    pub fn join(&self, token: impl fmt::Display) -> Self {
        let token = token.to_string().replace('~', "~0").replace('/', "~1");
        Self(format!("{}/{token}", self.0))
    }

    /// The pointer as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The unescaped reference tokens.
    pub fn tokens(&self) -> impl Iterator<Item = String> + '_ {
        self.0.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~"))
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
