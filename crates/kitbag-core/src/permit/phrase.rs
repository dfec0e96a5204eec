//! Permissions in plain words, for the person who decides: one sentence per statement, the author's reason beside it, and
//! a mark on what deserves a second look.
//!
//! The words say what the author declared, never what the package will do: a declaration is not a guarantee.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::sync::Arc;

use crate::glob::Dialect;

use super::declaration::{Declaration, Grants};
use super::effect::{Confirm, Effect, Subject};
use super::grant::{Grant, Origin};
use super::scope::{Pattern, Scope};

/// Most patterns that one sentence lists.
const MOST_LISTED: usize = 8;

/// One statement in plain words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// What is so: `reads its input ($INPUT)`.
    pub sentence: String,
    /// The author's reason, as it was written.
    pub why: Option<Arc<str>>,
    /// What deserves a second look, in a few words; `None` where nothing does.
    pub danger: Option<&'static str>,
    /// Where it is written; empty for what a format gives or forbids without a word in the document.
    pub origin: Option<Origin>,
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)?;
        if let Some(danger) = self.danger {
            write!(f, " (! {danger})")?;
        }
        match &self.why {
            Some(why) => write!(f, " — because {why}"),
            None => Ok(()),
        }
    }
}

/// What a face declares, in plain words and in the order of the document. Empty when it says nothing at all, which is not
/// "none": whoever shows this says so.
///
/// What a capability or tool may do is told only where it differs from what the package may do, and everything that is
/// declared as "none" without a reason is one sentence at the end.
#[must_use]
pub fn statements(declaration: &Declaration) -> Vec<Statement> {
    let Some(grants) = declaration.grants() else { return Vec::new() };
    let package: BTreeMap<&Effect, &Grant> = grants
        .declared
        .iter()
        .filter(|grant| grant.subject == Subject::Package && grant.when.is_none())
        .map(|grant| (&grant.effect, grant))
        .collect();
    let repeats = |grant: &Grant| {
        grant.subject != Subject::Package
            && grant.when.is_none()
            && package
                .get(&grant.effect)
                .is_some_and(|whole| whole.scope.same(&grant.scope) && whole.confirm == grant.confirm)
    };
    let (none, some): (Vec<&Grant>, Vec<&Grant>) = grants
        .declared
        .iter()
        .filter(|grant| !repeats(grant))
        .partition(|grant| grant.scope.is_nothing() && grant.why.is_none() && known(&grant.effect));
    let mut told: Vec<Statement> = some
        .chunk_by(|one, next| one.scope.patterns().len() == 1 && continues(one, next))
        .map(|run| match run {
            [one] => statement(one),
            run => statement(&Grant {
                scope: Scope::union(run.iter().map(|grant| &grant.scope)),
                ..run[0].clone()
            }),
        })
        .collect();
    let given: Vec<&Grant> =
        grants.implied.iter().filter(|grant| grant.subject == Subject::Package).collect();
    let is_given = |grant: &Grant| {
        grant.subject != Subject::Package
            && given.iter().any(|whole| whole.effect == grant.effect && whole.scope.same(&grant.scope))
    };
    told.extend(grants.implied.iter().filter(|grant| !is_given(grant)).map(|grant| Statement {
        sentence: format!("without asking, {}", words(grant)),
        ..statement(grant)
    }));
    told.extend(nothing(&none));
    told.extend(never(grants));
    told
}

/// Whether `next` only adds one more pattern to what `one` says: a list in the document that was lifted item by item.
fn continues(one: &Grant, next: &Grant) -> bool {
    next.scope.patterns().len() == 1
        && (&one.subject, &one.effect, one.confirm) == (&next.subject, &next.effect, next.confirm)
        && [one, next].iter().all(|grant| grant.when.is_none() && grant.why.is_none())
}

/// One grant in plain words.
#[must_use]
pub fn statement(grant: &Grant) -> Statement {
    Statement {
        sentence: words(grant),
        why: grant.why.clone().filter(|why| !why.trim().is_empty()),
        danger: danger(grant),
        origin: Some(grant.origin.clone()),
    }
}

fn known(effect: &Effect) -> bool {
    !matches!(effect, Effect::Other(_))
}

/// `runs no programs, talks to no hosts`: the effects that the package says "none" to.
fn nothing(none: &[&Grant]) -> Option<Statement> {
    let mut effects: Vec<&Effect> =
        none.iter().filter(|grant| grant.subject == Subject::Package).map(|grant| &grant.effect).collect();
    effects.dedup();
    let words: Vec<String> = effects.into_iter().map(none_of).collect();
    (!words.is_empty()).then(|| Statement { sentence: list(&words), why: None, danger: None, origin: None })
}

fn never(grants: &Grants) -> Option<Statement> {
    let words: Vec<String> = grants.ceiling.iter().map(|never| never.what.to_owned()).collect();
    (!words.is_empty()).then(|| Statement {
        sentence: format!("its format never allows {}", list(&words)),
        why: None,
        danger: None,
        origin: None,
    })
}

fn words(grant: &Grant) -> String {
    let mut sentence = String::new();
    if grant.subject != Subject::Package {
        let _infallible = write!(sentence, "{}: ", grant.subject);
    }
    sentence.push_str(&match (&grant.effect, &grant.scope) {
        (Effect::Other(name), _) => {
            format!("asks for `{name}`, which this version does not know and never grants")
        }
        (effect, scope) if scope.is_nothing() => none_of(effect),
        (effect, Scope::Anything) => any_of(effect).to_owned(),
        (effect, scope) => {
            let patterns = scope.patterns();
            let mut listed: Vec<String> = patterns.iter().take(MOST_LISTED).map(pattern).collect();
            if patterns.len() > MOST_LISTED {
                listed.push(format!("{} more", patterns.len() - MOST_LISTED));
            }
            format!("{} {}", verb(effect), list(&listed))
        }
    });
    if let Some(when) = &grant.when {
        let _infallible = write!(sentence, ", but only when: {}", when.trim());
    }
    match grant.confirm {
        _ if grant.scope.is_nothing() => {}
        Confirm::HostDecides => {}
        Confirm::Never => sentence.push_str("; asks for no confirmation"),
        Confirm::Each => sentence.push_str("; asks each time"),
        Confirm::Session => sentence.push_str("; asks once a session"),
    }
    sentence
}

const fn verb(effect: &Effect) -> &'static str {
    match effect {
        Effect::Read => "reads",
        Effect::Write => "writes",
        Effect::Network => "talks to",
        Effect::Exec => "runs",
        Effect::Spend => "spends money:",
        Effect::Send => "sends messages:",
        Effect::Env => "sees the environment variables",
        Effect::Secret => "sees the secrets",
        Effect::Call => "calls",
        Effect::Other(_) => "does",
    }
}

const fn any_of(effect: &Effect) -> &'static str {
    match effect {
        Effect::Read => "reads any file",
        Effect::Write => "writes any file",
        Effect::Network => "talks to any host",
        Effect::Exec => "runs any program",
        Effect::Spend => "spends money on anything",
        Effect::Send => "sends messages to anyone",
        Effect::Env => "sees every environment variable",
        Effect::Secret => "sees every secret",
        Effect::Call => "calls any tool",
        Effect::Other(_) => "does anything",
    }
}

fn none_of(effect: &Effect) -> String {
    match effect {
        Effect::Read => "reads no files".to_owned(),
        Effect::Write => "writes no files".to_owned(),
        Effect::Network => "talks to no hosts".to_owned(),
        Effect::Exec => "runs no programs".to_owned(),
        Effect::Spend => "spends no money".to_owned(),
        Effect::Send => "sends no messages".to_owned(),
        Effect::Env => "sees no environment variables".to_owned(),
        Effect::Secret => "sees no secrets".to_owned(),
        Effect::Call => "calls no tools".to_owned(),
        Effect::Other(name) => format!("asks for no `{name}`"),
    }
}

/// What deserves a second look: no bound at all, a bound that is none, or a program that runs other programs.
fn danger(grant: &Grant) -> Option<&'static str> {
    let unbounded = match &grant.scope {
        Scope::Anything => true,
        scope => scope.patterns().iter().any(is_unbounded),
    };
    match grant.effect {
        Effect::Other(_) => None,
        Effect::Read if unbounded => Some("every file of yours, secrets included"),
        Effect::Write if unbounded => Some("every file of yours can be changed"),
        Effect::Network if unbounded => Some("what it reads can be sent anywhere"),
        Effect::Exec if unbounded => Some("a program can do everything you can"),
        Effect::Exec if grant.scope.patterns().iter().any(|pattern| is_interpreter(&pattern.text)) => {
            Some("an interpreter or shell can run anything")
        }
        Effect::Spend if unbounded => Some("no bound on what it spends for"),
        Effect::Spend if grant.confirm == Confirm::Never && !grant.scope.is_nothing() => {
            Some("spends without asking")
        }
        Effect::Send if unbounded => Some("no bound on who is written to"),
        Effect::Send if grant.confirm == Confirm::Never && !grant.scope.is_nothing() => {
            Some("sends without asking")
        }
        Effect::Env | Effect::Secret | Effect::Call if unbounded => Some("no bound at all"),
        _ => None,
    }
}

/// Whether the pattern is as wide as "anything", in its own dialect.
fn is_unbounded(pattern: &Pattern) -> bool {
    let text = pattern.text.as_str();
    match pattern.dialect {
        Dialect::SkillPactPath => {
            // Only wildcards, from the top or from nowhere.
            let rest = text.strip_prefix('/').unwrap_or(text);
            rest.split('/').all(|segment| segment.chars().all(|c| c == '*')) && rest.contains("**")
        }
        Dialect::SkillPactName => text.chars().all(|c| c == '*' || c == '/') && text.contains('*'),
        Dialect::SkillPactHost => text.contains('*') && text.chars().all(|c| c == '*' || c == '.'),
        Dialect::AgentSkillTool => text == "*",
        Dialect::SplicePath => text == ".",
        Dialect::SpliceHost => text == "*",
        Dialect::SpliceName | Dialect::Plain => false,
    }
}

/// Whether a program of this name runs whatever it is given.
fn is_interpreter(program: &str) -> bool {
    const INTERPRETERS: [&str; 26] = [
        "awk",
        "bash",
        "bun",
        "cmd",
        "csh",
        "dash",
        "deno",
        "env",
        "fish",
        "java",
        "ksh",
        "lua",
        "node",
        "npx",
        "osascript",
        "perl",
        "php",
        "pwsh",
        "python",
        "ruby",
        "sh",
        "sudo",
        "uv",
        "uvx",
        "xargs",
        "zsh",
    ];
    let name = program.rsplit('/').next().unwrap_or(program);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    INTERPRETERS.contains(&name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

/// One pattern in plain words.
fn pattern(pattern: &Pattern) -> String {
    let text = pattern.text.as_str();
    match pattern.dialect {
        Dialect::SkillPactPath => path(text),
        Dialect::SkillPactHost => host(text),
        Dialect::SkillPactName | Dialect::AgentSkillTool | Dialect::SpliceName | Dialect::Plain => {
            format!("`{text}`")
        }
        Dialect::SplicePath if text == "." => "everything in the project".to_owned(),
        Dialect::SplicePath => format!("`{text}` in the project"),
        Dialect::SpliceHost if text == "*" => {
            "any public host (private, loopback and link-local addresses are blocked)".to_owned()
        }
        Dialect::SpliceHost => host(text),
    }
}

fn path(text: &str) -> String {
    let (base, below) = match text.strip_suffix("/**") {
        Some(base) => (base, true),
        None => (text, false),
    };
    let name = match base {
        "$INPUT" => "its input",
        "$INPUT_DIR" => "the folder of its input",
        "$OUTPUT" => "its output",
        "$WORKDIR" => "the working folder",
        "$SKILL_DIR" => "its own folder",
        "$TMPDIR" => "the folder for temporary files",
        "" if below => return format!("everything (`{text}`)"),
        _ if below => return format!("everything under `{base}`"),
        _ if text == "**" => return "everything (`**`)".to_owned(),
        _ => return format!("`{text}`"),
    };
    match below {
        true => format!("everything under {name} (`{base}`)"),
        false => format!("{name} (`{base}`)"),
    }
}

fn host(text: &str) -> String {
    if text == "@local" {
        return "this machine and private networks (`@local`)".to_owned();
    }
    let plain = |rest: &str| !rest.contains(['*', '?']) && !rest.is_empty();
    match (text.strip_prefix("**."), text.strip_prefix("*.")) {
        (Some(rest), _) if plain(rest) => format!("`{rest}` and every host below it"),
        (None, Some(rest)) if plain(rest) => format!("every host below `{rest}`"),
        _ => format!("`{text}`"),
    }
}

/// `a, b and c`
fn list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
