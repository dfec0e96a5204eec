//! The paths of a package: what every reader refuses, then what the format allows and some system stores under another
//! name, or a person reads as another.

use std::collections::HashMap;

use unicode_normalization::{UnicodeNormalization as _, is_nfc};

use crate::finding::Findings;
use crate::json::excerpt;
use crate::path::{PackagePath, PathProblem, PathRules, Rule};

use super::super::{codes, pack, words};
use super::{Counted, Subject};

pub(super) fn check<'p>(
    subject: &Subject<'_>,
    paths: impl Iterator<Item = &'p PackagePath>,
    out: &mut Findings,
) {
    let mut unsafe_path = Counted::new(subject, &codes::PATH);
    let mut twins = Counted::new(subject, &codes::PATH_TWIN);
    let mut no_header = Counted::new(subject, &codes::PATH_HEADER);
    let mut unportable = Counted::new(subject, &codes::PATH_UNPORTABLE);
    let mut characters = Counted::new(subject, &codes::PATH_CHARACTERS);
    let mut normal_form = Counted::new(subject, &codes::PATH_NORMAL_FORM);
    let mut alike = Counted::new(subject, &codes::PATH_ALIKE);
    let mut lower: HashMap<String, &str> = HashMap::new();
    let mut folded: HashMap<String, &str> = HashMap::new();
    for path in paths.map(PackagePath::as_str) {
        let shown = excerpt(path);
        if let Some(fault) = words::path_fault(path) {
            unsafe_path.push(out, path, || format!("`{shown}`: the path {fault}"));
            continue;
        }
        if pack::LAYOUT.split(path).is_none() {
            let bytes = path.len();
            no_header
                .push(out, path, || format!("`{shown}` has {bytes} bytes and no slash that cuts it to fit"));
        }
        let twin = lower.insert(path.to_lowercase(), path);
        if let Some(twin) = twin {
            let twin = excerpt(twin);
            twins.push(out, path, || format!("`{shown}` and `{twin}` are the same path but for case"));
        } else if let Some((one, other)) = meets(&mut folded, path) {
            let (one, other) = (excerpt(one), excerpt(other));
            alike.push(out, path, || format!("`{one}` and `{other}` are one name on some systems"));
        }
        let is_visible = !path.chars().any(|c| c.is_control() || is_invisible(c));
        if !is_visible {
            characters.push(out, path, || format!("`{shown}` has characters that cannot be seen"));
        }
        match RULES.check(path) {
            Err(PathProblem::DeviceName) => {
                unportable.push(out, path, || format!("`{shown}` names a device on Windows"));
            }
            Err(PathProblem::Unportable) => {
                unportable.push(out, path, || format!("`{shown}` cannot be stored on Windows"));
            }
            _ => {}
        }
        if !is_nfc(path) {
            normal_form.push(out, path, || format!("`{shown}` is not in normal form C"));
        }
    }
    for kind in [unsafe_path, no_header, twins, alike, characters, unportable, normal_form] {
        kind.finish(out);
    }
}

/// Only what Windows cannot store; everything else is looked at above.
const RULES: PathRules = PathRules {
    max_bytes: usize::MAX,
    max_segments: usize::MAX,
    backslash: Rule::Allow,
    control: Rule::Allow,
    drive: Rule::Allow,
    unportable: Rule::Refuse,
};

/// An earlier path, or folder of one, that this path or one of its folders is taken for where case does not count or
/// names are normalised.
fn meets<'p>(folded: &mut HashMap<String, &'p str>, path: &'p str) -> Option<(&'p str, &'p str)> {
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    let mut met = None;
    for end in ends {
        let part = &path[..end];
        let key = part.nfc().collect::<String>().to_lowercase().nfc().collect();
        let first = *folded.entry(key).or_insert(part);
        if first != part {
            met = met.or(Some((first, part)));
        }
    }
    met
}

/// Characters that print nothing or turn the direction of what follows.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}
