//! The clauses, in the order in which Splice's own implementation looks at them: the manifest, then the files. Its checks
//! stop at a manifest with faults; here the files are looked at all the same, since nothing about them rests on it but
//! the entries of tools.

mod files;
mod names;

use crate::finding::{Code, Finding, Findings, Place};
use crate::json::{Pointer, Span, SyntaxErrorKind};
use crate::path::PackagePath;
use crate::tree::{Root, Tree};

use super::manifest::{Home, Manifest, State};
use super::{FILE, codes};

/// Most findings of one code about the files of one package.
const MOST_OF_A_KIND: usize = 20;

/// Checks `manifest` and the package around it.
pub(super) fn run(manifest: &Manifest, tree: &Tree, out: &mut Findings) {
    let subject = Subject { manifest };
    if let Home::Bundle(bundle) = &manifest.home {
        let place = Place::file(manifest.file.clone());
        if let Err(error) = bundle {
            out.push(Finding::new(&codes::BUNDLE, place, format!("the bundle is refused: {error}")));
            return;
        }
        out.push(Finding::new(&codes::BUNDLE_LEGACY, place, "the package is a legacy JSON bundle"));
    }
    match &manifest.state {
        State::Unreadable(because) => {
            let message = format!("`{FILE}` cannot be read: {because}");
            out.push(subject.about(&codes::MANIFEST_UNREADABLE, FILE, message));
        }
        State::NotJson(error) => {
            let place = |span| subject.manifest_place(Pointer::root(), span);
            let mut finding = Finding::new(&codes::MANIFEST_JSON, place(error.span), error.kind.to_string());
            if let SyntaxErrorKind::DuplicateName { first, .. } = &error.kind {
                finding = finding.related(place(*first), "it stands here first");
            }
            out.push(finding);
        }
        State::Faulty(_, faults) => {
            for fault in faults {
                let place = subject.manifest_place(fault.pointer.clone(), fault.span);
                out.push(Finding::new(fault.code, place, fault.message.clone()));
            }
        }
        State::Sound(_, document) => {
            if let Some([first, ..]) = document.dependencies.as_deref() {
                let at = Pointer::root().join("dependencies").join(&first.name);
                let message = "dependencies are declared, and nothing installs them";
                let place = subject.manifest_place(at, first.name_span);
                out.push(Finding::new(&codes::DEPENDENCIES_RESERVED, place, message));
            }
        }
    }
    // A manifest that came alone says nothing about files.
    if tree.root() == Root::Document && manifest.is_beside() {
        return;
    }
    files::check(&subject, manifest.files(tree), out);
}

/// What a check of the files is given.
pub(super) struct Subject<'m> {
    manifest: &'m Manifest,
}

impl Subject<'_> {
    /// A value of the manifest. One in a bundle has no bytes that could be pointed at.
    fn manifest_place(&self, pointer: Pointer, span: Span) -> Place {
        let file = self.manifest.file.clone();
        match self.manifest.home {
            Home::Folder => Place::value(file, pointer, span),
            Home::Bundle(_) => Place::file(file),
        }
    }

    /// A finding about a file of the package.
    fn about(&self, code: &'static Code, path: &str, message: impl Into<String>) -> Finding {
        let place = match (&self.manifest.home, PackagePath::new(path)) {
            (Home::Folder, Ok(path)) => Place::file(path),
            (Home::Bundle(_), _) => Place::file(self.manifest.file.clone()),
            (Home::Folder, Err(_)) => Place::package(),
        };
        Finding::new(code, place, message)
    }
}

/// Findings of one code, of which the first are kept and the rest are counted.
struct Counted<'s> {
    subject: &'s Subject<'s>,
    code: &'static Code,
    seen: usize,
}

impl<'s> Counted<'s> {
    const fn new(subject: &'s Subject<'s>, code: &'static Code) -> Self {
        Self { subject, code, seen: 0 }
    }

    fn push(&mut self, out: &mut Findings, path: &str, message: impl FnOnce() -> String) {
        self.seen += 1;
        if self.seen <= MOST_OF_A_KIND {
            out.push(self.subject.about(self.code, path, message()));
        }
    }

    fn finish(self, out: &mut Findings) {
        if let Some(more @ 1..) = self.seen.checked_sub(MOST_OF_A_KIND) {
            let message = format!("the same is so of {more} more files");
            out.push(Finding::new(self.code, Place::package(), message));
        }
    }
}
