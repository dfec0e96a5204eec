//! [`Shown`]: what was shown to whom, so that an installation later on is of exactly that. A token is the name of one preview;
//! it is no secret, since whoever may read the store may look at everything that it names.

use kitbag_core::digest::Sha256;
use kitbag_core::formats::openscience::specialist::install::Candidate;
use kitbag_core::json::decode::{Decoder, Others, Shape, TextRule};
use kitbag_core::json::{Json, Value, print};

use crate::store::{Document, Snapshot, StoreError};

/// The name of the document.
pub(super) const DOCUMENT: &str = "specialist-previews";

/// Whoever asks and does not say who is asking.
pub const ASKER: &str = "kitbag";

/// Most previews that are remembered. Of more, the oldest are forgotten.
const MOST: usize = 64;

/// Hexadecimal digits of a token.
const TOKEN_DIGITS: usize = 32;

/// The name of a preview, and who it was made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The name.
    pub text: String,
    /// Who asked; a new preview for the same asker takes the place of the old one.
    pub asker: String,
}

/// The previews that are remembered, the oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Shown {
    /// How many there ever were.
    issued: u64,
    entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    token: Token,
    candidate: Candidate,
}

impl Shown {
    pub(super) fn of(snapshot: &Snapshot) -> Result<Self, StoreError> {
        let Some(document) = snapshot.state().document(DOCUMENT) else { return Ok(Self::default()) };
        let mut decoder = Decoder::new();
        let read = read(&mut decoder, &document.content);
        match (decoder.finish().first(), read) {
            (None, Some(shown)) => Ok(shown),
            (problem, _) => {
                let pointer = problem.map(kitbag_core::json::Problem::pointer).unwrap_or_default();
                let because = problem.map_or("it cannot be read".to_owned(), |found| found.kind.to_string());
                Err(snapshot.fault(DOCUMENT, &pointer, because))
            }
        }
    }

    /// Remembers what was shown, in the place of what the asker was shown before.
    pub(super) fn remember(&mut self, asker: &str, candidate: Candidate) -> Token {
        self.issued += 1;
        let said = print::document(&print::object([
            ("number", number(self.issued)),
            ("asker", print::text(asker)),
            ("id", print::text(&candidate.id)),
            ("package", print::text(candidate.package.to_string())),
            ("basis", print::text(candidate.basis.to_string())),
            ("expires", number(candidate.expires)),
        ]));
        let mut text = Sha256::of(said.as_bytes()).to_string();
        text.truncate(TOKEN_DIGITS);
        let token = Token { text, asker: asker.to_owned() };
        self.entries.retain(|entry| entry.token.asker != asker);
        self.entries.push(Entry { token: token.clone(), candidate });
        let over = self.entries.len().saturating_sub(MOST);
        self.entries.drain(..over);
        token
    }

    /// What was shown under this name to this asker.
    pub(super) fn find(&self, token: &Token) -> Option<&Candidate> {
        let entry = self.entries.iter().find(|entry| entry.token == *token)?;
        Some(&entry.candidate)
    }

    /// Forgets what was shown under this name.
    pub(super) fn forget(&mut self, token: &Token) {
        self.entries.retain(|entry| entry.token != *token);
    }

    /// Forgets what no longer counts at this hour, in seconds since 1970.
    pub(super) fn forget_expired(&mut self, now: u64) {
        self.entries.retain(|entry| now < entry.candidate.expires);
    }

    pub(super) fn document(&self) -> (String, Document) {
        let entries = self.entries.iter().map(|Entry { token, candidate }| {
            let members = [
                ("token", Some(print::text(&token.text))),
                ("asker", Some(print::text(&token.asker))),
                ("id", Some(print::text(&candidate.id))),
                ("package", Some(print::text(candidate.package.to_string()))),
                ("basis", Some(print::text(candidate.basis.to_string()))),
                ("revision", candidate.revision.map(number)),
                ("expires", Some(number(candidate.expires))),
            ];
            print::object(members.into_iter().filter_map(|(name, value)| Some((name, value?))))
        });
        let content = print::object([
            ("issued", number(self.issued)),
            ("previews", print::value(Value::Array(entries.collect()))),
        ]);
        (DOCUMENT.to_owned(), Document { objects: Default::default(), content })
    }
}

fn number(number: u64) -> Json {
    print::value(Value::Integer(i64::try_from(number).unwrap_or(i64::MAX)))
}

/// The largest count that one more can be added to.
const MOST_COUNTED: i64 = (1 << 53) - 2;

fn count<'j>(decoder: &mut Decoder<'j>, json: &'j Json) -> Option<u64> {
    u64::try_from(decoder.whole_number_within(json, 0, MOST_COUNTED)?).ok()
}

fn digest<'j>(decoder: &mut Decoder<'j>, json: &'j Json) -> Option<Sha256> {
    let holds = |text: &str| Sha256::from_hex(text).is_some();
    let shape = Shape { rule: "64 lower-case hexadecimal digits", holds };
    Sha256::from_hex(&decoder.text_that(json, &[TextRule::Shape(shape)])?)
}

fn read<'j>(decoder: &mut Decoder<'j>, json: &'j Json) -> Option<Shown> {
    decoder.object(json, Others::Refused, |fields| {
        let issued = fields.required("issued", count);
        let entries = fields.required("previews", |decoder, json| decoder.short_array(json, MOST, entry));
        let entries = entries?.into_iter().map(|placed| placed.value).collect();
        Some(Shown { issued: issued?, entries })
    })
}

fn entry<'j>(decoder: &mut Decoder<'j>, json: &'j Json) -> Option<Entry> {
    decoder.object(json, Others::Refused, |fields| {
        let text = fields.required("token", Decoder::text);
        let asker = fields.required("asker", Decoder::text);
        let id = fields.required("id", Decoder::text);
        let package = fields.required("package", digest);
        let basis = fields.required("basis", digest);
        let revision = fields.optional("revision", count);
        let expires = fields.required("expires", count);
        let token = Token { text: text?, asker: asker? };
        let candidate = Candidate { id: id?, package: package?, basis: basis?, revision, expires: expires? };
        Some(Entry { token, candidate })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(expires: u64) -> Candidate {
        let digest = Sha256::of(b"x");
        Candidate { id: "reader".to_owned(), package: digest, basis: digest, revision: None, expires }
    }

    #[test]
    fn an_asker_has_one_preview_and_the_oldest_of_too_many_goes() {
        let mut shown = Shown::default();
        let first = shown.remember("me", candidate(10));
        let second = shown.remember("me", candidate(10));
        assert_ne!(first, second);
        assert_eq!((shown.find(&first), shown.find(&second)), (None, Some(&candidate(10))));
        let stranger = Token { asker: "you".to_owned(), ..second.clone() };
        assert_eq!(shown.find(&stranger), None);
        for number in 0..MOST - 1 {
            shown.remember(&number.to_string(), candidate(20));
        }
        assert!(shown.find(&second).is_some());
        shown.remember("one more", candidate(20));
        assert!(shown.find(&second).is_none());
        assert_eq!(shown.entries.len(), MOST);
        shown.forget_expired(20);
        assert!(shown.entries.is_empty());
    }

    #[test]
    fn previews_read_back_as_they_were() {
        let mut shown = Shown::default();
        shown.remember("me", Candidate { revision: Some(3), ..candidate(10) });
        shown.remember("you", candidate(11));
        let mut decoder = Decoder::new();
        let (_, document) = shown.document();
        assert_eq!(read(&mut decoder, &document.content), Some(shown));
        assert!(decoder.finish().is_empty());
    }
}
