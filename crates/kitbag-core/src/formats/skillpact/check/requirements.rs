//! What capabilities require (§7, §8): names of requirements, and kinds of feature that some requirement can be asked for.

use std::collections::HashSet;

use crate::json::decode::Placed;
use crate::json::{Pointer, excerpt};

use super::super::codes;
use super::super::document::{Capability, Requirements};
use super::{Bounded, Subject};

/// What `requirements` offers.
pub(super) struct Known<'d> {
    names: HashSet<&'d str>,
    kinds: HashSet<&'d str>,
}

impl<'d> Known<'d> {
    /// Programs and runtimes alike: §8 gives both the same members.
    pub(super) fn of(requirements: &'d Requirements) -> Self {
        let all = || requirements.binaries.iter().chain(&requirements.runtimes);
        Self {
            names: all().map(|requirement| &*requirement.name).collect(),
            kinds: all()
                .flat_map(|requirement| requirement.feature_kinds.iter().map(String::as_str))
                .collect(),
        }
    }

    pub(super) fn check_requires(
        &self,
        subject: &Subject<'_>,
        capability: &Capability,
        pointer: &Pointer,
        out: &mut Bounded,
    ) {
        for (index, Placed { value: name, span }) in capability.requires.iter().enumerate() {
            if out.is_full() {
                return;
            }
            if !self.names.contains(&**name) {
                let message = format!(
                    "`{}` requires `{}`, which `requirements` does not list",
                    excerpt(&capability.id.value),
                    excerpt(name)
                );
                let pointer = pointer.join("requires").join(index);
                out.push(subject.finding(&codes::UNKNOWN_REQUIREMENT, pointer, *span, message));
            }
        }
    }

    pub(super) fn check_features(
        &self,
        subject: &Subject<'_>,
        capability: &Capability,
        pointer: &Pointer,
        out: &mut Bounded,
    ) {
        let required = capability.requires_features.iter().map(|feature| ("requires_features", feature));
        // Numbered each on their own, so chained only here.
        let required = required.enumerate();
        let optional =
            capability.optional_features.iter().map(|feature| ("optional_features", feature)).enumerate();
        for (index, (list, Placed { value: feature, span })) in required.chain(optional) {
            if out.is_full() {
                return;
            }
            let kind = feature.split(':').next().unwrap_or(feature);
            if !self.kinds.contains(kind) {
                let message = format!(
                    "`{}` names the feature `{}`, and no `features_check` knows the kind `{}`",
                    excerpt(&capability.id.value),
                    excerpt(feature),
                    excerpt(kind)
                );
                let pointer = pointer.join(list).join(index);
                out.push(subject.finding(&codes::UNKNOWN_FEATURE_KIND, pointer, *span, message));
            }
        }
    }
}
