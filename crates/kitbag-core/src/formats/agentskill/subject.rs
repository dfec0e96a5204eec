//! [`Subject`]: one document as every program is shown it, with each piece of reading done once.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::json::{Pointer, Span};
use crate::yaml::NodeId;

use super::codes;
use super::front::{self, Front, NoFront};
use super::reading::{Library, Read, Readings, Yaml};
use super::repair::{Repaired, repair};
use super::situation::Situation;
use super::verdict::{At, Reason};

/// A document's content.
#[derive(Debug)]
pub struct Text {
    /// How many bytes it has.
    pub bytes: u64,
    /// The text; where bytes are not UTF-8, replacement characters stand for them.
    pub text: String,
    /// The first byte that is not UTF-8.
    pub invalid: Option<usize>,
}

impl Text {
    /// Reads `bytes`.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        let length = bytes.len() as u64;
        match String::from_utf8(bytes) {
            Ok(text) => Self { bytes: length, text, invalid: None },
            Err(error) => {
                let invalid = Some(error.utf8_error().valid_up_to());
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                Self { bytes: length, text, invalid }
            }
        }
    }
}

/// One document as every program is shown it.
#[derive(Debug)]
pub struct Subject<'s> {
    /// Where it stands.
    pub situation: &'s Situation,
    /// Its content.
    pub content: &'s Text,
    /// Where its front matter is, as its author meant it.
    pub front: Result<Front, NoFront>,
    /// What was read of it.
    pub readings: Readings<'s>,
    repaired: OnceCell<Option<Repaired<'s>>>,
}

impl<'s> Subject<'s> {
    /// Prepares `content`.
    #[must_use]
    pub fn new(situation: &'s Situation, content: &'s Text) -> Self {
        let front = front::find(&content.text);
        Self { situation, content, front, readings: Readings::default(), repaired: OnceCell::new() }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &'s str {
        &self.content.text
    }

    /// Reads a part as YAML, once.
    #[must_use]
    pub fn read(&self, span: Span, library: Library) -> Rc<Read<'s>> {
        self.readings.read(self.text(), span, library)
    }

    /// The front matter as its author meant it, read without forgiving anything.
    #[must_use]
    pub fn meant(&self) -> Option<Rc<Read<'s>>> {
        self.front.as_ref().ok().map(|front| self.read(front.block, Library::Grammar))
    }

    /// The front matter as its author meant it, with the values quoted that break it otherwise.
    #[must_use]
    pub fn repaired(&self) -> Option<&Repaired<'s>> {
        let repaired = self.repaired.get_or_init(|| {
            let front = self.front.as_ref().ok()?;
            self.meant().is_some_and(|read| read.is_err()).then(|| repair(self.text(), front))?
        });
        repaired.as_ref()
    }

    /// What the author meant to say in the front matter, if that can be told: `tell` is given its fields.
    pub fn intended<T>(&self, tell: impl FnOnce(&Yaml<'s>) -> T) -> Option<T> {
        match &*self.meant()? {
            Ok(yaml) => Some(tell(yaml)),
            Err(_) => self.repaired().map(|repaired| tell(&repaired.yaml)),
        }
    }

    /// Where the block is.
    #[must_use]
    pub fn block_at(&self) -> At {
        match &self.front {
            Ok(front) if front.block.start < front.block.end => At::Span(front.block),
            Ok(front) => At::Span(Span::new(0, front.block.start as usize)),
            Err(NoFront::Unclosed(line)) => At::Span(*line),
            Err(NoFront::Nothing) => At::Document,
        }
    }

    /// Where the value of the field `name` is; the block, when it has no such field.
    #[must_use]
    pub fn value_at(&self, name: &str) -> At {
        self.field_at(name, |yaml, key, value| {
            let span = yaml.span(value);
            if span.start == span.end { yaml.span(key) } else { span }
        })
    }

    /// Where the key of the field `name` is; the block, when it has no such field.
    #[must_use]
    pub fn key_at(&self, name: &str) -> At {
        self.field_at(name, |yaml, key, _| yaml.span(key))
    }

    fn field_at(&self, name: &str, place: impl Fn(&Yaml<'s>, NodeId, NodeId) -> Span) -> At {
        let found = self.intended(|yaml| yaml.field(name).map(|(key, value)| place(yaml, key, value)));
        found.flatten().map_or_else(|| self.block_at(), |span| At::Field(Pointer::root().join(name), span))
    }

    /// The mark at the very beginning, for programs that do not expect one.
    #[must_use]
    pub fn mark(&self) -> Option<Reason> {
        let mark = "\u{feff}".len();
        self.text().starts_with('\u{feff}').then(|| {
            let message = "the file begins with a byte order mark";
            Reason::lost(&codes::BYTE_ORDER_MARK, At::Span(Span::new(0, mark)), message)
        })
    }

    /// Why a program that found no front matter found none, in the author's terms.
    #[must_use]
    pub fn no_front_matter(&self) -> Reason {
        if let Some(mark) = self.mark() {
            return mark;
        }
        match &self.front {
            Err(NoFront::Unclosed(line)) => {
                Reason::lost(&codes::UNCLOSED, At::Span(*line), "the front matter is never closed with `---`")
            }
            Err(NoFront::Nothing) => {
                Reason::lost(&codes::NO_FRONT_MATTER, At::Document, "the file has no front matter")
            }
            Ok(front) => {
                if let Some(before) = front.before {
                    let message = "something stands before the front matter";
                    return Reason::lost(&codes::TEXT_BEFORE, At::Span(before), message);
                }
                if let Some(space) = front.opening_space {
                    let message = "white space follows the `---` that opens the front matter";
                    return Reason::lost(&codes::FENCE_SPACE, At::Span(space), message);
                }
                if front.end == front::End::FenceWithMore {
                    return self.odd_closing();
                }
                if front.block.start == front.block.end {
                    let message = "the front matter is empty";
                    return Reason::lost(&codes::NOT_A_MAPPING, self.block_at(), message);
                }
                if !self.text().contains('\n') {
                    let message = "lines end with a lone carriage return";
                    return Reason::lost(&codes::LINE_ENDS, At::Document, message);
                }
                Reason::lost(&codes::NO_FRONT_MATTER, At::Document, "the front matter is not recognised")
            }
        }
    }

    /// The closing fence is not alone on its line.
    #[must_use]
    pub fn odd_closing(&self) -> Reason {
        let message = "the `---` that closes the front matter is not alone on its line";
        match &self.front {
            Ok(front) => Reason::lost(&codes::FENCE_LINE, At::Span(front.closing), message),
            Err(_) => Reason::lost(&codes::FENCE_LINE, At::Document, message),
        }
    }

    /// What a program reads that ends the block at the first `---` anywhere, at byte `at`: what is odd about that, when it
    /// is not where the author meant the block to end.
    #[must_use]
    pub fn early_end(&self, at: usize) -> Option<Reason> {
        let front = self.front.as_ref().ok()?;
        (at < front.closing.start as usize && at >= front.block.start as usize).then(|| {
            let message = "`---` stands inside the front matter";
            Reason::altered(&codes::FENCE_EARLY, At::Span(Span::new(at, at + 3)), message)
        })
    }
}
