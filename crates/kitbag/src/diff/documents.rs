//! One document of two versions.

use std::collections::{BTreeMap, HashMap};

use kitbag_core::formats::{Document, Face, Offer, Record};
use kitbag_core::json::compare::differences;
use kitbag_core::json::{Json, Value, canonical};
use kitbag_core::permit::Declaration;
use kitbag_core::version::Step;

use crate::show::{Identity, Need};

use super::permissions::Permissions;
use super::tools::{self, ToolChange, Verdict};

/// What differs between two versions of a document.
#[derive(Debug)]
pub struct DocumentDifference {
    /// The format.
    pub format: &'static str,
    /// Who the old one says it is; `None` where it is new.
    pub old: Option<Identity>,
    /// Who the new one says it is; `None` where it is gone.
    pub new: Option<Identity>,
    /// What it states otherwise, but for what follows here.
    pub fields: Vec<FieldChange>,
    /// Whether more is stated otherwise than is listed.
    pub more_fields: bool,
    /// Tools that are not the same.
    pub tools: Vec<ToolChange>,
    /// What others may rely on by its name, besides tools, and is not the same.
    pub offers: Vec<OfferChange>,
    /// Other packages it needs, where they are not the same.
    pub needs: Vec<NeedChange>,
    /// What it asks for.
    pub permissions: Permissions,
}

/// A value of a document that is otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldChange {
    /// Where it stands; in the new document where it is there.
    pub pointer: String,
    /// What stood there: a text as it is, anything else as JSON.
    pub old: Option<String>,
    /// What stands there.
    pub new: Option<String>,
}

/// Something with a name that is otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferChange {
    /// What it is: `capability`, `workflow`, `skill`, …
    pub kind: &'static str,
    /// What became of it.
    pub change: ToolChange,
}

/// A need that is otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeedChange {
    /// The package that is needed.
    pub package: String,
    /// What became of it.
    pub change: Change,
    /// The range of versions before; `None`: any, or not needed.
    pub old: Option<String>,
    /// The range now.
    pub new: Option<String>,
}

/// What became of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It is otherwise.
    Changed,
}

/// The documents of two packages in pairs: those of one format, and among them those of one name, else the first with the
/// first. What has no other half is new or gone.
pub(super) fn pairs<'f>(
    old: &'f [Face],
    new: &'f [Face],
) -> impl Iterator<Item = (Option<&'f Face>, Option<&'f Face>)> {
    let name = |face: &Face| face.document().identity().name.map(str::to_owned);
    // Taken from behind, so the first come last.
    let mut by_name: HashMap<_, Vec<usize>> = HashMap::new();
    let mut by_format: HashMap<_, Vec<usize>> = HashMap::new();
    for (at, face) in old.iter().enumerate().rev() {
        by_name.entry((super::format_of(face), name(face))).or_default().push(at);
        by_format.entry(super::format_of(face)).or_default().push(at);
    }
    let mut taken = vec![false; old.len()];
    let mut halves: Vec<Option<usize>> = new
        .iter()
        .map(|face| {
            let at = by_name.get_mut(&(super::format_of(face), name(face)))?.pop()?;
            taken[at] = true;
            Some(at)
        })
        .collect();
    for (face, half) in new.iter().zip(&mut halves).filter(|(_, half)| half.is_none()) {
        let left = by_format.get_mut(super::format_of(face));
        *half = left.and_then(|left| {
            loop {
                match left.pop() {
                    Some(at) if taken[at] => {}
                    Some(at) => {
                        taken[at] = true;
                        break Some(at);
                    }
                    None => break None,
                }
            }
        });
    }
    let mut pairs: Vec<_> =
        new.iter().zip(halves).map(|(face, half)| (half.map(|at| &old[at]), Some(face))).collect();
    pairs.extend(old.iter().zip(taken).filter(|(_, taken)| !taken).map(|(face, _)| (Some(face), None)));
    pairs.into_iter()
}

impl DocumentDifference {
    /// Compares two versions of a document, one of which may be missing. What a new document asks for is compared with
    /// what all documents of the old package asked for together.
    pub(super) fn between(old: Option<&Face>, new: Option<&Face>, together: &Declaration) -> Self {
        let (old, new) = (old.map(Face::document), new.map(Face::document));
        let some = new.or(old);
        let format = some.map_or("", |document| document.identity().format);
        let (was, is) =
            (old.map(Document::record).unwrap_or_default(), new.map(Document::record).unwrap_or_default());
        let (before, now) = (
            old.map_or_else(|| together.clone(), Document::permissions),
            new.map_or(Declaration::Unspoken, Document::permissions),
        );
        let (old_tools, new_tools) =
            (old.map(Document::tools).unwrap_or_default(), new.map(Document::tools).unwrap_or_default());
        let (fields, more_fields) = match (old, new) {
            (Some(_), Some(_)) => fields(&was, &is),
            // All of it is new, or gone.
            _ => (Vec::new(), false),
        };
        let mut permissions = Permissions::between(format, &before, &now);
        // A document that is new and silent takes no word away.
        permissions.falls_silent &= old.is_some();
        Self {
            format,
            old: old.map(Identity::of),
            new: new.map(Identity::of),
            fields,
            more_fields,
            tools: tools::between(&old_tools, &new_tools),
            offers: offers(&was.offers, &is.offers),
            needs: needs(old.map(Need::all).unwrap_or_default(), new.map(Need::all).unwrap_or_default()),
            permissions,
        }
    }

    /// Whether nothing is otherwise. A version may be.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.old.is_some() == self.new.is_some()
            && self.fields.is_empty()
            && self.tools.is_empty()
            && self.offers.is_empty()
            && self.needs.is_empty()
            && !self.permissions.widen()
            && !self.permissions.narrow()
    }

    /// Whether the two are documents of different packages.
    #[must_use]
    pub fn is_another(&self) -> bool {
        let name = |identity: &Option<Identity>| identity.as_ref().and_then(|identity| identity.name.clone());
        match (name(&self.old), name(&self.new)) {
            (Some(old), Some(new)) => old != new,
            _ => false,
        }
    }
}

impl NeedChange {
    /// What the change means to those who rely on the package: a need that is new brings in more.
    #[must_use]
    pub const fn step(&self) -> Step {
        match self.change {
            Change::Added => Step::Minor,
            Change::Removed | Change::Changed => Step::Patch,
        }
    }
}

impl FieldChange {
    /// What the change means to those who rely on the package: where it runs is told apart from what it is.
    #[must_use]
    pub fn step(&self) -> Step {
        let runs = ["/compat", "/runtime", "/requirements"];
        let is_about = |start: &&str| {
            self.pointer.strip_prefix(*start).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if runs.iter().any(is_about) { Step::Minor } else { Step::Patch }
    }
}

fn fields(old: &Record<'_>, new: &Record<'_>) -> (Vec<FieldChange>, bool) {
    let (Some(was), Some(is)) = (&old.stated, &new.stated) else { return (Vec::new(), false) };
    let found = differences(was, is, new.elsewhere);
    let listed = found.listed.iter().map(|difference| FieldChange {
        pointer: difference.pointer.to_string(),
        old: difference.old.map(text),
        new: difference.new.map(text),
    });
    (listed.collect(), found.more)
}

/// Longest value that is told, in characters.
const MOST_TOLD: usize = 500;

fn text(json: &Json) -> String {
    let whole = match &json.value {
        Value::String(text) => text.clone(),
        _ => canonical::jcs(json).unwrap_or_else(|_| json.kind().to_owned()),
    };
    match whole.char_indices().nth(MOST_TOLD) {
        Some((end, _)) => format!("{}…", &whole[..end]),
        None => whole,
    }
}

fn offers(old: &[Offer<'_>], new: &[Offer<'_>]) -> Vec<OfferChange> {
    let mut before: BTreeMap<(&str, &str), &Offer<'_>> =
        old.iter().map(|offer| ((offer.kind, offer.name), offer)).collect();
    let mut changes = Vec::new();
    for offer in new {
        let change = match before.remove(&(offer.kind, offer.name)) {
            None => Some(ToolChange::new(offer.name, Verdict::Added)),
            Some(was) => {
                let told = tools::schemas((was.input, was.output), (offer.input, offer.output));
                ToolChange::changed(offer.name, told)
            }
        };
        changes.extend(change.map(|change| OfferChange { kind: offer.kind, change }));
    }
    changes.extend(before.into_values().map(|offer| OfferChange {
        kind: offer.kind,
        change: ToolChange::new(offer.name, Verdict::Removed),
    }));
    changes
}

fn needs(old: Vec<Need>, new: Vec<Need>) -> Vec<NeedChange> {
    let mut before: BTreeMap<String, Option<String>> =
        old.into_iter().map(|need| (need.package, need.range)).collect();
    let mut changes = Vec::new();
    for need in new {
        let (change, old) = match before.remove(&need.package) {
            None => (Change::Added, None),
            Some(was) if was == need.range => continue,
            Some(was) => (Change::Changed, was),
        };
        changes.push(NeedChange { package: need.package, change, old, new: need.range });
    }
    let gone = before.into_iter();
    changes.extend(gone.map(|(package, old)| NeedChange {
        package,
        change: Change::Removed,
        old,
        new: None,
    }));
    changes
}
