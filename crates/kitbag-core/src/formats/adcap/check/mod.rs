//! The clauses, in the order of the specification. What does not conform to the schema stops what rests on it; everything
//! else is said at once.

mod adapters;
mod content;
mod files;
mod license;
mod manifest;
mod permissions;
mod ranges;
mod resources;
mod skills;
mod tools;
mod workflows;

use std::collections::{HashMap, HashSet};

use crate::finding::{Code, Finding, Findings, Place};
use crate::json::decode::Placed;
use crate::json::{Json, Pointer, Problem, ProblemKind, Span, excerpt};
use crate::path::PackagePath;
use crate::tree::{Root, Tree};

use super::codes;
use super::document::Document;
use super::manifest::{Capability, State};

pub(super) use files::check_listed;

/// What every check of a manifest that conforms is given.
pub(super) struct Subject<'c> {
    pub tree: &'c Tree,
    pub file: &'c PackagePath,
    pub json: &'c Json,
    pub document: &'c Document,
    pub names: Names<'c>,
}

/// What references are looked up in.
#[derive(Default)]
pub(super) struct Names<'c> {
    pub resources: HashSet<&'c str>,
    pub tools: HashSet<&'c str>,
    pub entitlements: HashSet<&'c str>,
    pub dependencies: HashSet<&'c str>,
    /// Files that a built package does not mark executable.
    pub not_executable: HashSet<&'c str>,
}

impl<'c> Names<'c> {
    fn of(document: &'c Document) -> Self {
        let files = document.files.iter().flat_map(|files| &files.entries).map(|file| &file.value);
        Self {
            resources: document.resources.iter().map(|item| &*item.value.id.value).collect(),
            tools: document.tools.iter().map(|item| &*item.value.name.value).collect(),
            entitlements: document.entitlements.iter().map(|item| &*item.value.id.value).collect(),
            dependencies: document.dependencies.iter().map(|item| &*item.name).collect(),
            not_executable: files.filter(|file| !file.executable).map(|file| &*file.path.value).collect(),
        }
    }
}

impl<'c> Subject<'c> {
    pub fn new(tree: &'c Tree, file: &'c PackagePath, json: &'c Json, document: &'c Document) -> Self {
        Self { tree, file, json, document, names: Names::of(document) }
    }
}

impl Subject<'_> {
    /// A finding about a value of the manifest.
    pub fn finding(
        &self,
        code: &'static Code,
        at: Pointer,
        span: Span,
        message: impl Into<String>,
    ) -> Finding {
        Finding::new(code, self.place(at, span), message)
    }

    /// A value of the manifest.
    pub fn place(&self, at: Pointer, span: Span) -> Place {
        Place::value(self.file.clone(), at, span)
    }

    /// Whether the package's files are there to be asked for: a manifest that came alone refers to files nobody showed.
    pub fn has_files(&self) -> bool {
        self.tree.root() != Root::Document
    }

    /// Says that `path` is no file of the package, if it is none.
    pub fn check_file(&self, path: &str, at: &Pointer, span: Span, out: &mut Findings) {
        if self.has_files() && self.tree.file(path).is_none() {
            let what =
                if self.tree.get(path).is_some() { "is no regular file" } else { "is not in the package" };
            let message = format!("`{}` {what}", excerpt(path));
            out.push(self.finding(&codes::MISSING_FILE, at.clone(), span, message));
        }
    }

    /// Says that no resource is called `id`, if none is.
    pub fn check_resource(&self, id: &Placed<String>, at: Pointer, out: &mut Findings) {
        if !self.names.resources.contains(&*id.value) {
            let message = format!("no resource is called `{}`", excerpt(&id.value));
            out.push(self.finding(&codes::UNKNOWN_RESOURCE, at, id.span, message));
        }
    }
}

/// The pointer to a member of the root.
pub(super) fn at(name: &str) -> Pointer {
    Pointer::root().join(name)
}

/// Checks `capability` against the files in `tree`.
pub(super) fn run(capability: &Capability, tree: &Tree, out: &mut Findings) {
    let State::Read(read) = &capability.state else {
        manifest::check_readable(capability, out);
        return;
    };
    manifest::check_conforms(capability, read, out);
    if let Ok(document) = &read.document {
        let subject = Subject::new(tree, &capability.file, &read.json, document);
        check_ids(&subject, out);
        license::check(&subject, out);
        permissions::check(&subject, out);
        skills::check(&subject, out);
        tools::check(&subject, out);
        workflows::check(&subject, out);
        content::check(&subject, out);
        resources::check(&subject, out);
        adapters::check(&subject, out);
        ranges::check(&subject, out);
        files::check(&subject, out);
    }
}

/// §3.2: ids within a list are unique.
fn check_ids(subject: &Subject<'_>, out: &mut Findings) {
    let document = subject.document;
    let mut list = |name: &'static str, key: &'static str, ids: &mut dyn Iterator<Item = &Placed<String>>| {
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for (index, id) in ids.enumerate() {
            if let Some(first) = seen.insert(&id.value, id.span) {
                let pointer = at(name).join(index).join(key);
                let message = format!("`{name}` has two items whose `{key}` is `{}`", excerpt(&id.value));
                let related = subject.place(at(name), first);
                out.push(
                    subject
                        .finding(&codes::DUPLICATE_ID, pointer, id.span, message)
                        .related(related, "the first is here"),
                );
            }
        }
    };
    list("skills", "path", &mut document.skills.iter().map(|item| &item.value.path));
    list("tools", "name", &mut document.tools.iter().map(|item| &item.value.name));
    list("workflows", "id", &mut document.workflows.iter().map(|item| &item.value.id));
    list("knowledge", "id", &mut document.knowledge.iter().map(|item| &item.value.id));
    list("media", "id", &mut document.media.iter().map(|item| &item.value.id));
    list("resources", "id", &mut document.resources.iter().map(|item| &item.value.id));
    list("adapters", "id", &mut document.adapters.iter().map(|item| &item.value.id));
    list("permissions", "id", &mut document.permissions.iter().map(|item| &item.value.id));
    list("entitlements", "id", &mut document.entitlements.iter().map(|item| &item.value.id));
    let files = document.files.iter().flat_map(|files| &files.entries);
    list("files", "path", &mut files.map(|item| &item.value.path));
}

/// A problem of a document, as a finding of `code` in `file`.
pub(super) fn problem_finding(code: &'static Code, file: &PackagePath, problem: &Problem) -> Finding {
    let pointer = problem.pointer();
    let message = match pointer.as_str() {
        "" => problem.kind.to_string(),
        at => format!("{at}: {}", problem.kind),
    };
    let is_root = problem.path.is_empty();
    let mut finding = Finding::new(code, Place::value(file.clone(), pointer, problem.span), message);
    if let ProblemKind::Unknown { known, .. } = &problem.kind {
        let known = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let elsewhere = if is_root { ", or move it under `x.<vendor>`" } else { "" };
        finding =
            finding.help(format!("Remove it, or correct its spelling (known here: {known}){elsewhere}."));
    }
    for (span, words) in &problem.related {
        finding = finding.related(Place::span(file.clone(), *span), words.clone());
    }
    finding
}

/// Findings of one kind about files: a package of twenty thousand wrong files is one mistake.
pub(super) struct Kind {
    code: &'static Code,
    count: usize,
}

impl Kind {
    /// Most that are reported one by one.
    const MOST: usize = 100;

    pub fn new(code: &'static Code) -> Self {
        Self { code, count: 0 }
    }

    pub fn push(&mut self, out: &mut Findings, finding: impl FnOnce(&'static Code) -> Finding) {
        self.count += 1;
        if self.count <= Self::MOST {
            out.push(finding(self.code));
        }
    }

    pub fn finish(self, out: &mut Findings) {
        if let Some(more) = self.count.checked_sub(Self::MOST).filter(|more| *more > 0) {
            let message = format!("{more} more of the same kind");
            out.push(Finding::new(self.code, Place::package(), message));
        }
    }
}
