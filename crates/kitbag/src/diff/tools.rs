//! Tools of two versions: what callers send must still be taken, what a tool answers must still be understood.

use std::collections::{BTreeMap, HashSet};

use kitbag_core::json::Json;
use kitbag_core::json::compare::same;
use kitbag_core::schema::{Gaps, within};
use kitbag_core::tool::Tool;
use kitbag_core::version::Step;

/// A tool, or something else with schemas, that is not the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolChange {
    /// Its name in its document.
    pub name: String,
    /// Whether callers notice.
    pub verdict: Verdict,
    /// What is otherwise, most telling first.
    pub because: Vec<Told>,
}

/// What is otherwise about a tool, and what that means to its callers.
pub type Told = (Step, String);

/// What became of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It is otherwise, and works for those who call it as before.
    Compatible,
    /// A call that worked may not work any more, or an answer may not be understood.
    Breaking,
}

/// What differs between two lists of tools, in the order of the new one, what is gone after it.
pub(super) fn between(old: &[Tool<'_>], new: &[Tool<'_>]) -> Vec<ToolChange> {
    let mut before: BTreeMap<&str, &Tool<'_>> = old.iter().map(|tool| (tool.name, tool)).collect();
    let mut changes = Vec::new();
    for tool in new {
        match before.remove(tool.name) {
            None => changes.push(ToolChange::new(tool.name, Verdict::Added)),
            Some(was) => {
                let told = told(was, tool);
                if let Some(change) = ToolChange::changed(tool.name, told) {
                    changes.push(change);
                }
            }
        }
    }
    changes.extend(before.into_keys().map(|name| ToolChange::new(name, Verdict::Removed)));
    changes
}

impl ToolChange {
    pub(super) fn new(name: &str, verdict: Verdict) -> Self {
        Self { name: name.to_owned(), verdict, because: Vec::new() }
    }

    /// What became of something that is told so; nothing where nothing is told.
    pub(super) fn changed(name: &str, mut because: Vec<Told>) -> Option<Self> {
        because.sort_by_key(|(step, _)| std::cmp::Reverse(*step));
        let verdict = match because.first()? {
            (Step::Major, _) => Verdict::Breaking,
            _ => Verdict::Compatible,
        };
        Some(Self { name: name.to_owned(), verdict, because })
    }

    /// What the change means to those who call the tool.
    #[must_use]
    pub fn step(&self) -> Step {
        match self.verdict {
            Verdict::Removed | Verdict::Breaking => Step::Major,
            Verdict::Added => Step::Minor,
            Verdict::Compatible => self.because.iter().map(|(step, _)| *step).max().unwrap_or_default(),
        }
    }
}

fn told(old: &Tool<'_>, new: &Tool<'_>) -> Vec<Told> {
    let mut told = schemas((Some(old.input), old.output), (Some(new.input), new.output));
    let (was, is) = (&old.runtime, &new.runtime);
    if was.kind != is.kind {
        told.push((Step::Minor, format!("runs with {} and no longer with {}", is.kind, was.kind)));
    }
    if was.version != is.version {
        let words = |version: &Option<String>| version.clone().unwrap_or_else(|| "any version".to_owned());
        told.push((
            Step::Minor,
            format!("runs with {} {}, before {}", is.kind, words(&is.version), words(&was.version)),
        ));
    }
    // No platform named is every platform.
    let now: HashSet<&str> = is.platforms.iter().copied().collect();
    let gone = was.platforms.iter().filter(|platform| !now.contains(**platform));
    let gone: Vec<&str> = if is.platforms.is_empty() { Vec::new() } else { gone.copied().collect() };
    if was.platforms.is_empty() && !is.platforms.is_empty() {
        told.push((Step::Major, format!("runs only on {}", is.platforms.join(", "))));
    } else if !gone.is_empty() {
        told.push((Step::Major, format!("no longer runs on {}", gone.join(", "))));
    } else if was.platforms != is.platforms {
        told.push((Step::Minor, "runs on more platforms".to_owned()));
    }
    if (was.entry, &was.entries) != (is.entry, &is.entries) {
        told.push((Step::Patch, "another file is started".to_owned()));
    }
    if was.resources != is.resources {
        told.push((Step::Minor, "other resources are fetched for it".to_owned()));
    }
    if old.timeout_ms != new.timeout_ms {
        told.push((Step::Patch, format!("a call may take {} ms, before {}", new.timeout_ms, old.timeout_ms)));
    }
    if old.description != new.description {
        told.push((Step::Patch, "its description is otherwise".to_owned()));
    }
    told
}

/// What is otherwise about two schemas: of what goes in, and of what comes out.
pub(super) fn schemas(old: (Option<&Json>, Option<&Json>), new: (Option<&Json>, Option<&Json>)) -> Vec<Told> {
    let mut told = Vec::new();
    match (old.0, new.0) {
        (Some(was), Some(is)) if same(was, is) => {}
        (Some(was), Some(is)) => {
            let lost = within(was, is);
            if lost.is_empty() {
                let step = if within(is, was).is_empty() { Step::Patch } else { Step::Minor };
                let words = if step == Step::Patch {
                    "its input is described otherwise"
                } else {
                    "takes more input than before"
                };
                told.push((step, words.to_owned()));
            }
            told.extend(gaps("input", &lost));
        }
        (None, Some(_)) => told.push((Step::Major, "its input is bound now and was not".to_owned())),
        (Some(_), None) => told.push((Step::Minor, "its input is no longer described".to_owned())),
        (None, None) => {}
    }
    match (old.1, new.1) {
        (Some(was), Some(is)) if same(was, is) => {}
        (Some(was), Some(is)) => {
            // What is answered now must be something that could be answered before.
            let unheard = within(is, was);
            if unheard.is_empty() {
                told.push((Step::Minor, "promises more about its output".to_owned()));
            }
            let unheard = gaps("output", &unheard)
                .map(|(step, text)| (step, format!("{text} (in what was promised before)")));
            told.extend(unheard);
        }
        (None, Some(_)) => told.push((Step::Minor, "promises what its output is".to_owned())),
        (Some(_), None) => told.push((Step::Major, "no longer promises what its output is".to_owned())),
        (None, None) => {}
    }
    told
}

fn gaps<'g>(word: &'g str, gaps: &'g Gaps) -> impl Iterator<Item = Told> + 'g {
    let more = gaps.more.then(|| (Step::Major, format!("{word}: and more than is listed")));
    let listed =
        gaps.listed.iter().map(move |gap| (Step::Major, format!("{word}{}: {}", gap.pointer, gap.message)));
    listed.chain(more)
}
