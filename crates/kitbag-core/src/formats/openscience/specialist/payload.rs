//! `specialist.json` (§3.2): the role, in snake_case.

use std::collections::HashSet;

use crate::finding::{Code, Finding, Findings, Place};
use crate::json::{Json, Object, Pointer, Span, excerpt};
use crate::path::PackagePath;

use super::super::{codes, words};

/// Most findings about the items of one list.
const MOST_ITEMS: usize = 1_000;

/// Which role it is. Texts are kept as they are given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    /// The stable name.
    pub name: String,
    /// The name people see, where it differs.
    pub display_name: Option<String>,
    /// What the role is.
    pub description: String,
    /// Its instructions.
    pub system_prompt: String,
    /// Names of the Skills it uses.
    pub skill_ids: Vec<String>,
    /// Names of the Connectors it uses.
    pub connector_ids: Vec<String>,
}

impl Payload {
    /// The name that people see.
    #[must_use]
    pub fn shown_name(&self) -> &str {
        self.display_name.as_deref().unwrap_or(&self.name)
    }
}

/// Fields that a payload may not have, under the code that says so; all others are [`codes::SPECIALIST_FIELD_FORBIDDEN`].
static FORBIDDEN: [(&str, &Code); 8] = [
    ("id", &codes::SPECIALIST_IDENTITY_FIELD),
    ("version", &codes::SPECIALIST_IDENTITY_FIELD),
    ("icon_key", &codes::SPECIALIST_PRESENTATION_FIELD),
    ("color_key", &codes::SPECIALIST_PRESENTATION_FIELD),
    ("capability_mode", &codes::SPECIALIST_CAPABILITY_FIELD),
    ("full_access", &codes::SPECIALIST_CAPABILITY_FIELD),
    ("selected_capabilities", &codes::SPECIALIST_CAPABILITY_FIELD),
    ("enabled", &codes::SPECIALIST_ENABLED_FIELD),
];

const KNOWN: [&str; 6] =
    ["name", "display_name", "description", "system_prompt", "skill_ids", "connector_ids"];

/// The codes of one list of names.
struct ListCodes {
    invalid: &'static Code,
    entry: &'static Code,
    duplicate: &'static Code,
}

static SKILL_CODES: ListCodes = ListCodes {
    invalid: &codes::SPECIALIST_SKILL_IDS,
    entry: &codes::SPECIALIST_SKILL_IDS_ENTRY,
    duplicate: &codes::SPECIALIST_SKILL_IDS_DUPLICATE,
};

static CONNECTOR_CODES: ListCodes = ListCodes {
    invalid: &codes::SPECIALIST_CONNECTOR_IDS,
    entry: &codes::SPECIALIST_CONNECTOR_IDS_ENTRY,
    duplicate: &codes::SPECIALIST_CONNECTOR_IDS_DUPLICATE,
};

/// Reads the payload that `json` is; `None` when it has an error.
pub(super) fn decode(file: &PackagePath, json: Option<&Json>, out: &mut Findings) -> Option<Payload> {
    let Some((json, object)) = json.and_then(|json| Some((json, json.as_object()?))) else {
        let message = "the document is not a JSON object";
        out.push(Finding::new(&codes::SPECIALIST_OBJECT_REQUIRED, Place::file(file.clone()), message));
        return None;
    };
    let mut decoder = Decoder { file, object, span: json.span, out, errors: 0 };
    decoder.forbidden();
    let name = decoder.text("name", 80, &codes::SPECIALIST_NAME);
    let name = name.filter(|name| decoder.is_name(name));
    let display_name = match object.get("display_name") {
        Some(_) => decoder.text("display_name", 80, &codes::SPECIALIST_DISPLAY_NAME),
        None => None,
    };
    let description = decoder.text("description", 1_000, &codes::SPECIALIST_DESCRIPTION);
    let system_prompt = decoder.text("system_prompt", 32_768, &codes::SPECIALIST_SYSTEM_PROMPT);
    let skill_ids = decoder.list("skill_ids", &SKILL_CODES);
    let connector_ids = decoder.list("connector_ids", &CONNECTOR_CODES);
    if decoder.errors > 0 {
        return None;
    }
    Some(Payload {
        name: name?,
        display_name,
        description: description?,
        system_prompt: system_prompt?,
        skill_ids: skill_ids?,
        connector_ids: connector_ids?,
    })
}

struct Decoder<'d> {
    file: &'d PackagePath,
    object: &'d Object,
    span: Span,
    out: &'d mut Findings,
    errors: usize,
}

impl Decoder<'_> {
    fn push(&mut self, code: &'static Code, at: (Pointer, Span), message: impl Into<String>) {
        self.errors += 1;
        self.out.push(Finding::new(code, Place::value(self.file.clone(), at.0, at.1), message));
    }

    fn at(&self, name: &str) -> (Pointer, Span) {
        match self.object.get(name) {
            Some(json) => (Pointer::root().join(name), json.span),
            None => {
                let brace = Span { start: self.span.start, end: self.span.start.saturating_add(1) };
                (Pointer::root(), brace)
            }
        }
    }

    /// One finding for each forbidden field with a code of its own, one for all others together.
    fn forbidden(&mut self) {
        let object = self.object;
        let mut others = Vec::new();
        for member in object.iter().filter(|member| !KNOWN.contains(&member.name.as_str())) {
            match FORBIDDEN.iter().find(|(name, _)| *name == member.name) {
                Some((name, code)) => {
                    let at = (Pointer::root().join(name), member.name_span);
                    self.push(code, at, format!("`{name}` has no place in a package"));
                }
                None => others.push(member),
            }
        }
        if let Some(first) = others.first() {
            let names: Vec<String> =
                others.iter().take(8).map(|member| format!("`{}`", excerpt(&member.name))).collect();
            let mut message = format!(
                "{} {}",
                names.join(", "),
                if others.len() == 1 {
                    "is no field of a Specialist"
                } else {
                    "are no fields of a Specialist"
                }
            );
            if let Some(snake) = KNOWN.iter().find(|known| camel(known) == first.name) {
                message.push_str(&format!("; in a package it is spelt `{snake}`"));
            }
            let at = (Pointer::root().join(&first.name), first.name_span);
            self.push(&codes::SPECIALIST_FIELD_FORBIDDEN, at, message);
        }
    }

    /// A text that is not blank and not longer than `most`, as it is given.
    fn text(&mut self, name: &str, most: usize, code: &'static Code) -> Option<String> {
        let Some(json) = self.object.get(name) else {
            self.push(code, self.at(name), format!("`{name}` is missing"));
            return None;
        };
        let fault = match json.as_str() {
            None => format!("`{name}` is {} and must be a string", json.kind()),
            Some(text) if words::is_blank(text) => format!("`{name}` is blank"),
            Some(text) if words::units(text) > most => {
                format!("`{name}` has {} UTF-16 code units and may have {most}", words::units(text))
            }
            Some(text) => return Some(text.to_owned()),
        };
        self.push(code, self.at(name), fault);
        None
    }

    /// At least two characters after trimming; letters, digits, spaces, `_` and `-`.
    fn is_name(&mut self, name: &str) -> bool {
        let trimmed = words::trim(name);
        let odd =
            name.chars().find(|&c| !(is_letter(c) || c.is_ascii_digit() || matches!(c, ' ' | '_' | '-')));
        let fault = if words::units(trimmed) < 2 {
            "`name` has fewer than two characters".to_owned()
        } else if let Some(odd) = odd {
            format!("`name` has `{}`, which is no letter, digit, space, `_` or `-`", odd.escape_debug())
        } else {
            return true;
        };
        self.push(&codes::SPECIALIST_NAME, self.at("name"), fault);
        false
    }

    fn list(&mut self, name: &'static str, codes: &ListCodes) -> Option<Vec<String>> {
        let object = self.object;
        let Some(items) = object.get(name).and_then(Json::as_array) else {
            self.push(codes.invalid, self.at(name), format!("`{name}` is missing or no array"));
            return None;
        };
        let mut seen = HashSet::new();
        let mut kept = Vec::new();
        let mut told = 0;
        for (index, item) in items.iter().enumerate() {
            let fault = match item.as_str().filter(|text| !words::is_blank(text)) {
                None => Some((codes.entry, format!("item {index} of `{name}` is no name"))),
                Some(text) if !seen.insert(text) => {
                    Some((codes.duplicate, format!("`{}` stands twice in `{name}`", excerpt(text))))
                }
                Some(text) => {
                    kept.push(text.to_owned());
                    None
                }
            };
            if let Some((code, message)) = fault {
                told += 1;
                if told <= MOST_ITEMS {
                    self.push(code, (Pointer::root().join(name).join(index), item.span), message);
                }
            }
        }
        Some(kept)
    }
}

/// A letter of Unicode's `\p{L}`; marks and other numbers are none.
fn is_letter(character: char) -> bool {
    use std::sync::LazyLock;

    use regex::Regex;

    static LETTER: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^\p{L}$").expect("the pattern is constant and was compiled in tests"));
    character.is_ascii_alphabetic()
        || (!character.is_ascii() && LETTER.is_match(character.encode_utf8(&mut [0; 4])))
}

/// `system_prompt` as `systemPrompt`.
fn camel(snake: &str) -> String {
    let mut words = snake.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut camel, word| {
        let (head, tail) = word.split_at(1);
        camel.push_str(&head.to_uppercase());
        camel.push_str(tail);
        camel
    })
}
