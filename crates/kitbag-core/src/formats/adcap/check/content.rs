//! §9: knowledge and media are in the package or in a resource that exists.

use crate::finding::Findings;
use crate::json::decode::Placed;

use super::super::document::{Content, ContentSource};
use super::{Subject, at};

pub(super) fn check(subject: &Subject<'_>, out: &mut Findings) {
    let mut list = |name: &str, contents: &[Placed<Content>]| {
        for (index, content) in contents.iter().enumerate() {
            let pointer = at(name).join(index);
            match &content.value.source {
                ContentSource::Path(path) => {
                    subject.check_file(&path.value, &pointer.join("path"), path.span, out);
                }
                ContentSource::Resource(id) => subject.check_resource(id, pointer.join("resource"), out),
            }
        }
    };
    list("knowledge", &subject.document.knowledge);
    list("media", &subject.document.media);
}
