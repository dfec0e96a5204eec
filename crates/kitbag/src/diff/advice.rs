//! What the version should say about a difference, and whether it does.
//!
//! Who relies on a package names a range of versions and gets what lies in it without being asked. So whatever may break a
//! caller, and whatever asks for more than was granted, belongs behind a step that ranges hold back. SkillPact 0.8 says so
//! in its own words ("widening permissions SHOULD bump major"); the other formats say that versions are SemVer, which says
//! it of everything that is not compatible.

use kitbag_core::version::{Move, Step, Version};

use crate::show::Identity;

use super::documents::DocumentDifference;
use super::files::Files;
use super::tools::{ToolChange, Verdict};

/// What the version should say, and what it says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advice {
    /// What the difference means to those who rely on the package.
    pub demanded: Step,
    /// Why, most telling first.
    pub reasons: Vec<Reason>,
    /// What each document's version says.
    pub versions: Vec<VersionStep>,
}

/// Why a difference means what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// How much this alone means.
    pub step: Step,
    /// What is so: ``tool `draw` is gone``.
    pub what: String,
}

/// What the version of one document says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionStep {
    /// The format of the document.
    pub format: &'static str,
    /// The version there was.
    pub old: Option<String>,
    /// The version there is.
    pub new: Option<String>,
    /// How the new one lies to the old one.
    pub made: Made,
    /// The step that the difference demands from the old one on.
    pub demanded: Step,
    /// Whether what it says is enough.
    pub is_enough: bool,
}

/// How a new version lies to an old one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// As a version to another.
    Move(Move),
    /// One of the two is none, or is missing.
    Unclear,
    /// It is the version of another package.
    AnotherPackage,
}

impl Advice {
    /// What is to be said about a difference.
    pub(super) fn on(files: &Files, documents: &[DocumentDifference]) -> Self {
        let mut reasons: Vec<Reason> = documents.iter().flat_map(of_document).collect();
        let changed = files.telling().count();
        if changed > 0 {
            let files = if changed == 1 { "1 file is".to_owned() } else { format!("{changed} files are") };
            reasons.push(Reason { step: Step::Patch, what: format!("{files} not the same") });
        }
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.step));
        let demanded = reasons.iter().map(|reason| reason.step).max().unwrap_or_default();
        let versions = documents.iter().filter_map(|document| VersionStep::of(document, demanded)).collect();
        Self { demanded, reasons, versions }
    }

    /// Whether every version says what it should. A package without any version promises nothing.
    #[must_use]
    pub fn is_followed(&self) -> bool {
        self.versions.iter().all(|version| version.is_enough)
    }
}

impl VersionStep {
    fn of(document: &DocumentDifference, demanded: Step) -> Option<Self> {
        let (old, new) = (document.old.as_ref()?, document.new.as_ref()?);
        let version = |identity: &Identity| identity.version.clone();
        let (old, new) = (version(old), version(new));
        if old.is_none() && new.is_none() {
            return None;
        }
        let parse = |text: &Option<String>| text.as_deref().and_then(|text| Version::parse(text).ok());
        let (made, demanded, is_enough) = match (parse(&old), parse(&new)) {
            _ if document.is_another() => (Made::AnotherPackage, demanded, true),
            (Some(old), Some(new)) => {
                let made = Move::between(&old, &new);
                (Made::Move(made), demanded.from(&old), made.is_enough_for(demanded, &old))
            }
            // A version that appears says something where none did.
            _ => (Made::Unclear, demanded, old.is_none()),
        };
        Some(Self { format: document.format, old, new, made, demanded, is_enough })
    }
}

fn of_document(document: &DocumentDifference) -> Vec<Reason> {
    let format = document.format;
    let mut reasons = Vec::new();
    let mut say = |step, what: String| reasons.push(Reason { step, what });
    match (&document.old, &document.new) {
        (Some(_), None) => say(Step::Major, format!("the {format} document is gone")),
        (None, Some(_)) => say(Step::Minor, format!("a {format} document is new")),
        _ => {}
    }
    if document.permissions.falls_silent {
        say(Step::Major, format!("the {format} document no longer says what the package may do"));
    } else if document.permissions.widen() {
        say(Step::Major, format!("{format} asks for more than before"));
    } else if document.permissions.narrow() {
        say(Step::Patch, format!("{format} asks for less than before"));
    }
    for tool in &document.tools {
        say(tool.step(), told("tool", tool));
    }
    for offer in &document.offers {
        say(offer.change.step(), told(offer.kind, &offer.change));
    }
    for need in &document.needs {
        let what = match need.change {
            super::Change::Added => "is needed now",
            super::Change::Removed => "is no longer needed",
            super::Change::Changed => "is needed in other versions",
        };
        say(need.step(), format!("`{}` {what}", need.package));
    }
    let fields = |step| document.fields.iter().filter(|field| field.step() == step).count();
    if fields(Step::Minor) > 0 {
        say(Step::Minor, format!("the {format} document says otherwise where it runs"));
    }
    if fields(Step::Patch) > 0 || document.more_fields {
        say(Step::Patch, format!("the {format} document states something else"));
    }
    reasons
}

fn told(kind: &str, change: &ToolChange) -> String {
    let name = &change.name;
    match change.verdict {
        Verdict::Added => format!("{kind} `{name}` is new"),
        Verdict::Removed => format!("{kind} `{name}` is gone"),
        Verdict::Breaking => format!("{kind} `{name}` may not work for those who use it as before"),
        Verdict::Compatible => format!("{kind} `{name}` is otherwise, and works as before"),
    }
}
