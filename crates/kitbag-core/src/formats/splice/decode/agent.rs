//! `agent`: instructions and the packages whose tools they use. `dependencies`, which version 1 reserves.

use std::collections::HashSet;

use crate::json::Json;
use crate::json::decode::{Entry, Placed};
use crate::version::requirement::splice::Requirement;

use super::super::document::Agent;
use super::super::{codes, words};
use super::{Faults, Site, shown};

const MAX_SKILLS: usize = 20;
const MAX_EXAMPLES: usize = 6;
const MAX_DEPENDENCIES: usize = 50;

pub(super) fn decode(faults: &mut Faults, root: &Site<'_>, own: Option<&str>) -> Option<Agent> {
    let json = root.get("agent")?;
    let site = root.member("agent", json);
    let Some(object) = json.as_object() else {
        faults.push(&codes::FIELD, &site, "must be an object");
        return None;
    };
    faults.unknown(&site, object, &["instructions", "skills", "model", "examples"]);
    let instructions = faults.required_text(&site, "instructions", 8_000);
    let skills = skills(faults, &site, own);
    let model = site.get("model").and_then(|_| faults.required_text(&site, "model", 100));
    let examples =
        site.get("examples").and_then(|json| examples(faults, &site.member("examples", json), json));
    Some(Agent { instructions: instructions?, skills: skills?, model, examples })
}

fn skills(faults: &mut Faults, site: &Site<'_>, own: Option<&str>) -> Option<Vec<Placed<String>>> {
    let at = site.at("skills");
    let Some(items) = site.get("skills").and_then(Json::as_array) else {
        faults.push(&codes::AGENT_SKILL, &at, "must be an array of package ids");
        return None;
    };
    if items.len() > MAX_SKILLS {
        let message = format!("must contain at most {MAX_SKILLS} packages");
        faults.push(&codes::AGENT_SKILL, &at, message);
    }
    let mut seen = HashSet::new();
    let mut skills = Vec::new();
    for (index, item) in items.iter().enumerate() {
        // Splice names the list and quotes the item; the pointer here leads to the item itself.
        let spot = at.item_of(index, item);
        match item.as_str().filter(|text| words::is_package_id(text)) {
            None => {
                let message = format!("invalid package name {}", shown(item));
                faults.push(&codes::AGENT_SKILL, &spot, message);
            }
            Some(id) if own == Some(id) => {
                faults.push(&codes::AGENT_SKILL, &spot, format!("an agent cannot list itself (\"{id}\")"));
            }
            Some(id) if !seen.insert(id) => {
                faults.push(&codes::AGENT_SKILL, &spot, format!("duplicate package \"{id}\""));
            }
            Some(id) => skills.push(Placed { value: id.to_owned(), span: item.span }),
        }
    }
    Some(skills)
}

fn examples(faults: &mut Faults, site: &Site<'_>, json: &Json) -> Option<Vec<String>> {
    let message =
        || format!("must be an array of at most {MAX_EXAMPLES} non-empty strings of at most 300 characters");
    let is_example = |text: &str| !words::is_blank(text) && words::units(text) <= 300;
    let texts: Option<Vec<String>> =
        json.as_array().filter(|items| items.len() <= MAX_EXAMPLES).and_then(|items| {
            items
                .iter()
                .map(|item| item.as_str().filter(|text| is_example(text)).map(str::to_owned))
                .collect()
        });
    if texts.is_none() {
        faults.push(&codes::FIELD, site, message());
    }
    texts
}

/// `dependencies`: a bad entry does not stop the others.
pub(super) fn dependencies(
    faults: &mut Faults,
    root: &Site<'_>,
    own: Option<&str>,
) -> Option<Vec<Entry<String>>> {
    let json = root.get("dependencies")?;
    let site = root.member("dependencies", json);
    let Some(object) = json.as_object() else {
        faults.push(&codes::DEPENDENCY, &site, "must be an object mapping package ids to version ranges");
        return None;
    };
    if object.len() > MAX_DEPENDENCIES {
        let message = format!("must contain at most {MAX_DEPENDENCIES} packages");
        faults.push(&codes::DEPENDENCY, &site, message);
    }
    let mut entries = Vec::new();
    for member in object.in_script_order() {
        let at = site.member(&member.name, &member.value);
        let range = member.value.as_str().and_then(|text| Requirement::parse(text).ok());
        if !words::is_package_id(&member.name) {
            faults.push(&codes::DEPENDENCY, &at.spot(member.name_span), "invalid package name");
        } else if own == Some(&member.name) {
            faults.push(&codes::DEPENDENCY, &at.spot(member.name_span), "a package cannot depend on itself");
        } else if range.is_none() || range == Some(Requirement::Latest) {
            let message = format!("invalid version range {}", shown(&member.value));
            faults.push(&codes::DEPENDENCY, &at, message);
        } else if let Some(range) = member.value.as_str() {
            entries.push(Entry {
                name: member.name.clone(),
                name_span: member.name_span,
                value: range.to_owned(),
                span: member.value.span,
            });
        }
    }
    Some(entries)
}
