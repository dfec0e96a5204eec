//! [`PatternSet`]: a list of patterns of one dialect, read once and asked often.

use std::collections::HashSet;

use super::covers::Coverage;
use super::host::{self, Labels};
use super::path::{self, Segments};
use super::steps::{Exhausted, Steps};
use super::{Dialect, splice, tool};

/// Patterns of one dialect, read once and asked often.
///
/// A set takes a bounded number of steps, and a few more for every question, however long the lists are; when they are
/// used up, what is not equal to a pattern gets the answer [`Coverage::Unknown`].
#[derive(Debug)]
pub struct PatternSet {
    dialect: Dialect,
    /// The patterns as they are compared: hosts folded, others as written.
    exact: HashSet<String>,
    wild: Vec<Wild>,
    steps: Steps,
}

#[derive(Debug)]
enum Wild {
    Segments(Segments),
    Labels(Labels),
    Tool(String),
}

impl PatternSet {
    /// Reads the patterns.
    pub fn new<'p>(dialect: Dialect, patterns: impl IntoIterator<Item = &'p str>) -> Self {
        let mut set =
            Self { dialect, exact: HashSet::new(), wild: Vec::new(), steps: Steps::new(Steps::OF_A_SET) };
        for pattern in patterns {
            if !set.exact.insert(set.compared(pattern)) {
                continue;
            }
            let has_wildcard = pattern.contains(['*', '?']);
            match dialect {
                Dialect::SkillPactPath | Dialect::SkillPactName if has_wildcard => {
                    set.wild.push(Wild::Segments(Segments::of_pattern(pattern)));
                }
                Dialect::SkillPactHost if has_wildcard => {
                    set.wild.push(Wild::Labels(Labels::of_pattern(pattern)));
                }
                Dialect::AgentSkillTool => set.wild.push(Wild::Tool(pattern.to_owned())),
                _ => {}
            }
        }
        set
    }

    /// Whether some pattern matches `subject`, a plain text. Tools have no plain texts: a use is an expression, so for
    /// them this is [`PatternSet::covers`].
    pub fn matches(&mut self, subject: &str) -> Coverage {
        let asked = match self.dialect {
            Dialect::SkillPactPath | Dialect::SkillPactName => Wild::Segments(Segments::of_text(subject)),
            Dialect::SkillPactHost => Wild::Labels(Labels::of_text(subject)),
            Dialect::AgentSkillTool => Wild::Tool(subject.to_owned()),
            Dialect::SplicePath | Dialect::SpliceHost | Dialect::SpliceName | Dialect::Plain => {
                return if splice::matches(self.dialect, &self.exact, subject) {
                    Coverage::Yes
                } else {
                    Coverage::No
                };
            }
        };
        self.ask(subject, &asked)
    }

    /// Whether the patterns cover `inner`, another pattern of the same dialect (SkillPact §6.1, coverage): it is equal to
    /// one, or matches one while its own wildcards count as literals that only an equal or wider wildcard can match. A
    /// path with traversal is never covered.
    pub fn covers(&mut self, inner: &str) -> Coverage {
        if self.dialect == Dialect::SkillPactPath && path::has_traversal(inner) {
            return Coverage::No;
        }
        let asked = match self.dialect {
            Dialect::SkillPactPath | Dialect::SkillPactName => Wild::Segments(Segments::of_pattern(inner)),
            Dialect::SkillPactHost if inner.starts_with('@') && inner != host::LOCAL => {
                // A token that a later version defines: nothing can be said about what it stands for.
                return if self.exact.contains(inner) { Coverage::Yes } else { Coverage::Unknown };
            }
            Dialect::SkillPactHost => Wild::Labels(Labels::of_pattern(inner)),
            Dialect::AgentSkillTool => Wild::Tool(inner.to_owned()),
            Dialect::SplicePath | Dialect::SpliceHost | Dialect::SpliceName | Dialect::Plain => {
                return if self.exact.contains(inner) { Coverage::Yes } else { Coverage::No };
            }
        };
        self.ask(inner, &asked)
    }

    /// Whether the patterns cover all of `inner`. An empty list says nothing and is not covered.
    pub fn covers_all<'p>(&mut self, inner: impl IntoIterator<Item = &'p str>) -> Coverage {
        let mut inner = inner.into_iter().peekable();
        if inner.peek().is_none() {
            return Coverage::No;
        }
        let mut all = Coverage::Yes;
        for pattern in inner {
            all = all.and(self.covers(pattern));
            if all == Coverage::No {
                break;
            }
        }
        all
    }

    fn ask(&mut self, text: &str, asked: &Wild) -> Coverage {
        if self.exact.contains(&self.compared(text)) {
            return Coverage::Yes;
        }
        if self.dialect == Dialect::SkillPactHost {
            if text == host::LOCAL {
                return Coverage::No;
            }
            if self.exact.contains(host::LOCAL) && host::is_local(&host::folded(text)) {
                return Coverage::Yes;
            }
        }
        self.steps.add(Steps::OF_A_QUESTION);
        let mut any = Coverage::No;
        for pattern in &self.wild {
            any = any.or(pattern.answer(asked, &mut self.steps).unwrap_or(Coverage::Unknown));
            if any == Coverage::Yes {
                break;
            }
        }
        any
    }

    /// The form in which two patterns are equal.
    fn compared(&self, pattern: &str) -> String {
        match self.dialect {
            // A token is not a host: `@LOCAL` is another one.
            Dialect::SkillPactHost if !pattern.starts_with('@') => host::folded(pattern),
            _ => pattern.to_owned(),
        }
    }
}

impl Wild {
    fn answer(&self, asked: &Self, steps: &mut Steps) -> Result<Coverage, Exhausted> {
        steps.take()?;
        let matched = match (self, asked) {
            (Self::Segments(pattern), Self::Segments(asked)) => pattern.matches(asked, steps)?,
            (Self::Labels(pattern), Self::Labels(asked)) => pattern.matches(asked, steps)?,
            (Self::Tool(pattern), Self::Tool(asked)) => return Ok(tool::covers(pattern, asked)),
            _ => false,
        };
        Ok(if matched { Coverage::Yes } else { Coverage::No })
    }
}
