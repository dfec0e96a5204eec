//! [`Verdict`]: what one program makes of one document, and [`Reason`]: what it takes offence at.

use crate::finding::Code;
use crate::json::{Pointer, Span};

/// What one program makes of a document.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The program, by profile name.
    pub profile: &'static str,
    /// Whether it offers the skill.
    pub fate: Fate,
    /// The name it shows, where it can be known.
    pub name: Option<String>,
    /// The description it shows, where it can be known.
    pub description: Option<String>,
    /// What it takes offence at, in the order in which it would.
    pub reasons: Vec<Reason>,
}

/// Whether a program offers a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It does.
    Loads,
    /// It loads the skill and does not offer it to the model, because the author asked for that.
    Hidden,
    /// It does not.
    Lost,
}

impl Verdict {
    /// Whether the program offers the skill to the model.
    #[must_use]
    pub const fn loads(&self) -> bool {
        matches!(self.fate, Fate::Loads)
    }

    /// The reasons for which it does not.
    pub fn because(&self) -> impl Iterator<Item = &Reason> {
        self.reasons.iter().filter(|reason| reason.effect != Effect::Altered)
    }
}

/// One thing that a program takes offence at.
#[derive(Clone, Debug)]
pub struct Reason {
    /// Its code.
    pub code: &'static Code,
    /// Where it is.
    pub at: At,
    /// What is so, whichever program says it.
    pub message: String,
    /// What to do, where it can be said more exactly than the code does.
    pub help: Option<String>,
    /// What it does to the skill.
    pub effect: Effect,
}

/// Where a reason stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// The package as a whole.
    Package,
    /// The document as a whole.
    Document,
    /// Bytes of the document.
    Span(Span),
    /// A field of the front matter.
    Field(Pointer, Span),
}

/// What a reason does to the skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It is not loaded.
    Lost,
    /// It is not offered to the model, as the author asked.
    Hidden,
    /// It is loaded otherwise than it is written.
    Altered,
}

impl Reason {
    /// A reason for which the skill is not loaded.
    #[must_use]
    pub fn lost(code: &'static Code, at: At, message: impl Into<String>) -> Self {
        Self { code, at, message: message.into(), help: None, effect: Effect::Lost }
    }

    /// A reason for which the skill is loaded otherwise than it is written.
    #[must_use]
    pub fn altered(code: &'static Code, at: At, message: impl Into<String>) -> Self {
        Self { effect: Effect::Altered, ..Self::lost(code, at, message) }
    }

    /// A reason for which the skill is not offered, as the author asked.
    #[must_use]
    pub fn hidden(code: &'static Code, at: At, message: impl Into<String>) -> Self {
        Self { effect: Effect::Hidden, ..Self::lost(code, at, message) }
    }

    /// The same with the effect `effect`.
    #[must_use]
    pub fn with(self, effect: Effect) -> Self {
        Self { effect, ..self }
    }

    /// Says more exactly what to do.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}
