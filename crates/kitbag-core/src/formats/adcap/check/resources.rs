//! §9 and §12: entitled access names an entitlement, addresses carry no credentials, and a shard map that is in the
//! package is one.

use std::collections::HashSet;

use crate::finding::{Finding, Findings, Place};
use crate::json::decode::Placed;
use crate::json::{self, Pointer, Span, excerpt};
use crate::limits::Limits;
use crate::path::PackagePath;
use crate::tree::Blob;

use super::super::address::Address;
use super::super::codes;
use super::super::document::Access;
use super::super::resource::ShardMap;
use super::{Subject, at, problem_finding};

pub(super) fn check(subject: &Subject<'_>, out: &mut Findings) {
    for (index, resource) in subject.document.resources.iter().enumerate() {
        let pointer = at("resources").join(index);
        let resource = &resource.value;
        let entitled = Entitled {
            access: resource.access,
            span: resource.access_span,
            entitlement: resource.entitlement.as_ref(),
        };
        entitled.check(subject, &pointer, out);
        for (source_index, source) in resource.sources.iter().enumerate() {
            if let Some(credential) = Address::parse(&source.value).and_then(|address| address.credential()) {
                let message = format!("the address carries `{}`", excerpt(credential));
                let place = pointer.join("sources").join(source_index);
                out.push(subject.finding(&codes::SOURCE_CREDENTIALS, place, source.span, message));
            }
        }
    }
    check_shard_maps(subject, out);
    let distribution = &subject.document.distribution;
    let entitled = Entitled {
        access: distribution.access,
        span: distribution.access_span,
        entitlement: distribution.entitlement.as_ref(),
    };
    entitled.check(subject, &at("distribution"), out);
}

/// Something that may be handed out to some only.
struct Entitled<'d> {
    access: Access,
    span: Option<Span>,
    entitlement: Option<&'d Placed<String>>,
}

impl Entitled<'_> {
    /// §3.2: entitled access names an entitlement.
    fn check(&self, subject: &Subject<'_>, pointer: &Pointer, out: &mut Findings) {
        match (self.access, self.entitlement) {
            (Access::Entitled, None) => {
                let message = "access is entitled, and no `entitlement` is named";
                let place = pointer.join("access");
                let span = self.span.unwrap_or_default();
                out.push(subject.finding(&codes::NO_ENTITLEMENT, place, span, message));
            }
            (_, Some(named)) => {
                if !subject.names.entitlements.contains(&*named.value) {
                    let message = format!("no entitlement is called `{}`", excerpt(&named.value));
                    let place = pointer.join("entitlement");
                    out.push(subject.finding(&codes::NO_ENTITLEMENT, place, named.span, message));
                }
            }
            (Access::Public, None) => {}
        }
    }
}

/// A map is fetched like any resource. Where a built package carries a copy, found by its digest, it can be checked here.
fn check_shard_maps(subject: &Subject<'_>, out: &mut Findings) {
    let maps: HashSet<&str> = subject
        .document
        .resources
        .iter()
        .filter(|resource| resource.value.is_shard_map)
        .map(|resource| &*resource.value.sha256)
        .collect();
    for file in subject.document.files.iter().flat_map(|files| &files.entries) {
        if maps.contains(&*file.value.sha256)
            && let Ok(path) = PackagePath::new(&file.value.path.value)
            && let Some(blob) = subject.tree.file(path.as_str())
        {
            out.extend(shard_map_problems(&path, blob));
        }
    }
}

fn shard_map_problems(path: &PackagePath, blob: &Blob) -> Vec<Finding> {
    let one = |place: Place, message: String| vec![Finding::new(&codes::SHARD_MAP, place, message)];
    let bytes = match blob.read(Limits::LOOSEST.document_bytes) {
        Ok(bytes) => bytes,
        Err(error) => return one(Place::file(path.clone()), format!("the map cannot be read: {error}")),
    };
    match json::read(&bytes) {
        Err(error) => one(Place::span(path.clone(), error.span), error.kind.to_string()),
        Ok(json) => {
            let problems = ShardMap::decode(&json).err().unwrap_or_default();
            problems.iter().map(|problem| problem_finding(&codes::SHARD_MAP, path, problem)).collect()
        }
    }
}
