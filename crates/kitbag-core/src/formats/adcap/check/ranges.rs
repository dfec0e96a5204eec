//! §11: version ranges, of dependencies, hosts and interpreters.

use crate::finding::Findings;
use crate::json::{Pointer, Span, excerpt};
use crate::version::requirement::npm::{Prereleases, Requirement};

use super::super::codes;
use super::{Subject, at};

pub(super) fn check(subject: &Subject<'_>, out: &mut Findings) {
    let document = subject.document;
    for dependency in &document.dependencies {
        let pointer = at("dependencies").join(&dependency.name);
        if dependency.name == document.id.value {
            let message = format!("`{}` depends on itself", excerpt(&dependency.name));
            out.push(subject.finding(
                &codes::SELF_DEPENDENCY,
                pointer.clone(),
                dependency.name_span,
                message,
            ));
        }
        check_range(subject, &dependency.value, pointer, dependency.span, out);
    }
    for (name, entries) in [("agents", &document.compat.agents), ("runtimes", &document.compat.runtimes)] {
        for entry in entries {
            let pointer = at("compat").join(name).join(&entry.name);
            check_range(subject, &entry.value, pointer, entry.span, out);
        }
    }
    for (index, tool) in document.tools.iter().enumerate() {
        if let Some(version) = &tool.value.runtime.version {
            let pointer = at("tools").join(index).join("runtime").join("version");
            check_range(subject, &version.value, pointer, version.span, out);
        }
    }
}

fn check_range(subject: &Subject<'_>, range: &str, pointer: Pointer, span: Span, out: &mut Findings) {
    match Requirement::parse(range, Prereleases::Named) {
        Err(error) => {
            let message = format!("`{}` is no range: {error}", excerpt(range));
            out.push(subject.finding(&codes::BAD_RANGE, pointer, span, message));
        }
        Ok(requirement) if requirement.is_never() => {
            let message = format!("no version is in `{}`", excerpt(range));
            out.push(subject.finding(&codes::EMPTY_RANGE, pointer, span, message));
        }
        Ok(_) => {}
    }
}
