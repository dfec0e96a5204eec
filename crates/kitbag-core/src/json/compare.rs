//! Two values compared by what they say, wherever they stand.

use std::collections::HashMap;

use super::value::{Json, Object, Pointer, Value};

/// Members by which the items of a list are told apart, where every item has one.
const KEYS: [&str; 3] = ["id", "name", "path"];

/// Most bytes of the pointers of all differences: a long name can hold many members.
const MAX_POINTER_BYTES: usize = 1 << 20;

/// Most differences that are listed.
pub const MAX_DIFFERENCES: usize = 1_000;

/// Something that one value says and the other does not, or not so.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference<'j> {
    /// Where: in the new value, or in the old one where the new one has nothing there.
    pub pointer: Pointer,
    /// What stood there.
    pub old: Option<&'j Json>,
    /// What stands there.
    pub new: Option<&'j Json>,
}

/// What differs between two values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Differences<'j> {
    /// Each, in the order of the new value, what is gone after what stayed.
    pub listed: Vec<Difference<'j>>,
    /// Whether there are more than are listed.
    pub more: bool,
}

/// Whether two values say the same: the order of members and the way a number is written say nothing.
#[must_use]
pub fn same(one: &Json, other: &Json) -> bool {
    // Recursion ends at the reader's depth.
    match (&one.value, &other.value) {
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let by_name = members(other);
            let is_there = |name: &str, value| by_name.get(name).is_some_and(|there| same(value, there));
            one.len() == other.len() && one.iter().all(|member| is_there(&member.name, &member.value))
        }
        _ => match (number(&one.value), number(&other.value)) {
            (Some(one), Some(other)) => one.total_cmp(&other).is_eq(),
            _ => one.value == other.value,
        },
    }
}

/// What differs between `old` and `new`, but for what stands at or below one of `skipped`. The items of a list are told
/// apart by their `id`, `name` or `path` where all have one; any other list is one value.
#[must_use]
pub fn differences<'j>(old: &'j Json, new: &'j Json, skipped: &[&str]) -> Differences<'j> {
    let mut walk = Walk { skipped, pointer_bytes: 0, found: Differences::default() };
    walk.values(&Pointer::root(), old, new);
    walk.found
}

struct Walk<'w, 'j> {
    skipped: &'w [&'w str],
    pointer_bytes: usize,
    found: Differences<'j>,
}

impl<'j> Walk<'_, 'j> {
    fn values(&mut self, at: &Pointer, old: &'j Json, new: &'j Json) {
        if self.skipped.contains(&at.as_str()) || self.found.more {
            return;
        }
        match (&old.value, &new.value) {
            (Value::Object(old), Value::Object(new)) => {
                let pairs = |object: &'j Object| object.iter().map(|member| (&*member.name, &member.value));
                self.pairs(at, pairs(old), pairs(new).map(|(name, value)| (name, name.to_owned(), value)));
            }
            (Value::Array(items), Value::Array(now)) => match keyed(items).zip(keyed(now)) {
                Some((items, now)) => {
                    let now = now.into_iter().enumerate();
                    let placed = now.map(|(index, (key, item))| (key, index.to_string(), item));
                    self.pairs(at, items.into_iter(), placed);
                }
                None if same(old, new) => {}
                None => self.push(at, Some(old), Some(new)),
            },
            _ if same(old, new) => {}
            _ => self.push(at, Some(old), Some(new)),
        }
    }

    /// Values that are told apart by a key; the second text of a new one is where it stands.
    fn pairs(
        &mut self,
        at: &Pointer,
        old: impl Iterator<Item = (&'j str, &'j Json)>,
        new: impl Iterator<Item = (&'j str, String, &'j Json)>,
    ) {
        let mut before: HashMap<&str, (usize, &Json)> =
            old.enumerate().map(|(order, (key, value))| (key, (order, value))).collect();
        for (key, token, value) in new {
            if self.found.more {
                return;
            }
            let here = self.join(at, &token);
            match before.remove(key) {
                Some((_, was)) => self.values(&here, was, value),
                None if self.skipped.contains(&here.as_str()) => {}
                None => self.push(&here, None, Some(value)),
            }
        }
        let mut gone: Vec<_> = before.into_iter().map(|(key, (order, value))| (order, key, value)).collect();
        gone.sort_unstable_by_key(|(order, ..)| *order);
        for (_, key, value) in gone {
            let here = self.join(at, key);
            if !self.skipped.contains(&here.as_str()) {
                self.push(&here, Some(value), None);
            }
        }
    }

    fn join(&mut self, at: &Pointer, token: &str) -> Pointer {
        let pointer = at.join(token);
        self.pointer_bytes = self.pointer_bytes.saturating_add(pointer.as_str().len());
        self.found.more |= self.pointer_bytes > MAX_POINTER_BYTES;
        pointer
    }

    fn push(&mut self, at: &Pointer, old: Option<&'j Json>, new: Option<&'j Json>) {
        if self.found.listed.len() < MAX_DIFFERENCES {
            self.found.listed.push(Difference { pointer: at.clone(), old, new });
        } else {
            self.found.more = true;
        }
    }
}

fn members(object: &Object) -> HashMap<&str, &Json> {
    object.iter().map(|member| (&*member.name, &member.value)).collect()
}

fn number(value: &Value) -> Option<f64> {
    match value {
        #[expect(
            clippy::cast_precision_loss,
            reason = "the reader lets no integer through that a double cannot hold"
        )]
        Value::Integer(number) => Some(*number as f64),
        // Minus zero is zero.
        Value::Float(number) => Some(number + 0.0),
        _ => None,
    }
}

/// The items with what tells each from the others.
fn keyed(items: &[Json]) -> Option<Vec<(&str, &Json)>> {
    KEYS.iter().find_map(|key| {
        let keyed: Option<Vec<(&str, &Json)>> =
            items.iter().map(|item| Some((item.get(key)?.as_str()?, item))).collect();
        let keyed = keyed?;
        let distinct: HashMap<&str, ()> = keyed.iter().map(|(key, _)| (*key, ())).collect();
        (distinct.len() == keyed.len()).then_some(keyed)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read;

    fn json(text: &str) -> Json {
        read(text.as_bytes()).unwrap()
    }

    fn found(old: &str, new: &str, skipped: &[&str]) -> Vec<String> {
        let (old, new) = (json(old), json(new));
        let found = differences(&old, &new, skipped);
        assert!(!found.more);
        let sign = |difference: &Difference<'_>| match (difference.old, difference.new) {
            (None, _) => '+',
            (_, None) => '-',
            _ => '~',
        };
        found.listed.iter().map(|difference| format!("{}{}", sign(difference), difference.pointer)).collect()
    }

    #[test]
    fn order_of_members_and_spelling_of_numbers_say_nothing() {
        assert!(same(&json(r#"{"a": 1, "b": [1.0, -0.0]}"#), &json(r#"{"b": [1, 0], "a": 1e0}"#)));
        for (one, other) in [
            ("[1, 2]", "[2, 1]"),
            ("1", "\"1\""),
            ("null", "false"),
            (r#"{"a": 1}"#, r#"{"b": 1}"#),
            (r#"{"a": 1}"#, r#"{"a": 1, "b": 1}"#),
        ] {
            assert!(!same(&json(one), &json(other)), "{one} {other}");
            assert_eq!(found(one, one, &[]), [""; 0], "{one}");
        }
    }

    #[test]
    fn each_difference_has_its_place_and_lists_are_matched_by_what_their_items_are_called() {
        let old = r#"{"a": 1, "b": {"c": 2, "d": 3}, "t": [{"id": "x", "v": 1}, {"id": "y"}], "l": [1, 2]}"#;
        let new = r#"{"b": {"c": 4, "e": 3}, "a": 1, "t": [{"id": "y"}, {"id": "x", "v": 2}], "l": [2, 1]}"#;
        assert_eq!(found(old, new, &[]), ["~/b/c", "+/b/e", "-/b/d", "~/t/1/v", "~/l"]);
        assert_eq!(found(old, new, &["/b", "/t/1/v"]), ["~/l"]);
        assert_eq!(found(old, old, &[]), [""; 0]);
        // Two items of one name cannot be told apart.
        assert_eq!(found(r#"[{"id": "x"}, {"id": "x"}]"#, r#"[{"id": "x"}]"#, &[]), ["~"]);
    }

    #[test]
    fn what_is_listed_is_bounded() {
        let many = |from: usize| {
            let members: Vec<String> = (from..from + 1500).map(|n| format!("\"{n}\": 1")).collect();
            json(&format!("{{{}}}", members.join(",")))
        };
        let (old, new) = (many(0), many(1500));
        let found = differences(&old, &new, &[]);
        assert_eq!((found.listed.len(), found.more), (MAX_DIFFERENCES, true));
        let long = "n".repeat(100_000);
        let nested = |value: u8| {
            let inner: Vec<String> = (0..500).map(|n| format!("\"{n}\": {value}")).collect();
            json(&format!("{{\"{long}\": {{{}}}}}", inner.join(",")))
        };
        let (old, new) = (nested(1), nested(2));
        let found = differences(&old, &new, &[]);
        assert!(found.more && found.listed.len() < 20, "{}", found.listed.len());
    }
}
