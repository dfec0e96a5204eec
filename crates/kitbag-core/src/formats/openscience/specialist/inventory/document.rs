//! The document of an [`Inventory`]. Every field is known, and what refers to something refers to what is there.

use std::collections::BTreeSet;

use crate::digest::Sha256;
use crate::json::decode::{Decoder, Entry, Fields, Others};
use crate::json::{Json, Pointer, Value, print};

use super::super::preview::{InstalledConnector, InstalledSkill, MainAgent, SkillOrigin, Standalone};
use super::{Access, Baseline, Inventory, Origin, Profile, ProfileState};

/// What is wrong with the document of an inventory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InventoryFault {
    /// Where, from the root of the document.
    pub pointer: Pointer,
    /// What is so.
    pub because: String,
}

const ORIGINS: [(&str, SkillOrigin); 2] =
    [("built-in", SkillOrigin::BuiltIn), ("installed", SkillOrigin::Installed)];
const PROFILE_ORIGINS: [(&str, Origin); 2] = [("imported", Origin::Imported), ("built-in", Origin::BuiltIn)];
const ACCESS: [(&str, Access); 2] = [("selected", Access::Selected), ("full", Access::Full)];
const STATES: [(&str, ProfileState); 3] = [
    ("setup-pending", ProfileState::SetupPending),
    ("disabled", ProfileState::Disabled),
    ("enabled", ProfileState::Enabled),
];

/// The word for a value of a table.
fn word<T: Copy + PartialEq>(table: &[(&'static str, T)], value: T) -> Json {
    print::text(table.iter().find(|(_, known)| *known == value).map_or("", |(word, _)| word))
}

fn truth(truth: bool) -> Json {
    print::value(Value::Bool(truth))
}

fn count(count: u64) -> Json {
    print::value(Value::Integer(i64::try_from(count).unwrap_or(i64::MAX)))
}

fn members<const N: usize>(members: [(&str, Option<Json>); N]) -> Json {
    print::object(members.into_iter().filter_map(|(name, value)| Some((name, value?))))
}

impl Inventory {
    /// The document that says it.
    #[must_use]
    pub fn document(&self) -> Json {
        let skills = self.skills.iter().map(|(id, skill)| (id.as_str(), write_skill(skill)));
        let specialists = self.specialists.iter().map(|(id, profile)| (id.as_str(), write_profile(profile)));
        let connectors = self.connectors.iter().map(|(id, connector)| {
            let aliases = print::texts(&connector.aliases);
            (id.as_str(), print::object([("name", print::text(&connector.name)), ("aliases", aliases)]))
        });
        print::object([
            ("skills", print::object(skills)),
            ("specialists", print::object(specialists)),
            ("connectors", print::object(connectors)),
        ])
    }

    /// Reads what [`Self::document`] gives.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn read(json: &Json) -> Result<Self, InventoryFault> {
        let mut decoder = Decoder::new();
        let read = decoder.object(json, Others::Refused, |fields| {
            let skills = fields.required("skills", |decoder, json| decoder.map(json, None, skill))?;
            let specialists =
                fields.required("specialists", |decoder, json| decoder.map(json, None, profile))?;
            let connectors =
                fields.required("connectors", |decoder, json| decoder.map(json, None, connector))?;
            let connectors = entries(connectors)
                .map(|(id, (name, aliases))| (id.clone(), InstalledConnector { id, name, aliases }));
            Some(Self {
                skills: entries(skills).collect(),
                specialists: entries(specialists).collect(),
                connectors: connectors.collect(),
            })
        });
        if let Some(problem) = decoder.finish().first() {
            return Err(InventoryFault { pointer: problem.pointer(), because: problem.kind.to_string() });
        }
        let fault = || InventoryFault { pointer: Pointer::root(), because: "it cannot be read".to_owned() };
        let inventory = read.ok_or_else(fault)?;
        inventory.check()?;
        Ok(inventory)
    }

    /// Whether what refers to something refers to what is there, and no two Skills have one name.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), InventoryFault> {
        let missing = |at: Pointer, what: &str, id: &str| {
            Err(InventoryFault { pointer: at, because: format!("no {what} `{id}` is there") })
        };
        let mut names = BTreeSet::new();
        for (id, skill) in &self.skills {
            let at = Pointer::root().join("skills").join(id);
            if !names.insert(&skill.name) {
                let because = format!("a second Skill is called `{}`", skill.name);
                return Err(InventoryFault { pointer: at.join("name"), because });
            }
            if let Some(owner) = skill.owners.iter().find(|owner| !self.specialists.contains_key(*owner)) {
                return missing(at.join("owners"), "Specialist", owner);
            }
        }
        for (id, profile) in &self.specialists {
            let at = Pointer::root().join("specialists").join(id);
            for (field, skills) in [("skills", &profile.skills), ("owned_skills", &profile.owned)] {
                if let Some(skill) = skills.iter().find(|skill| !self.skills.contains_key(*skill)) {
                    return missing(at.join(field), "Skill", skill);
                }
            }
            if let Some(connector) = profile.connectors.iter().find(|id| !self.connectors.contains_key(*id)) {
                return missing(at.join("connectors"), "Connector", connector);
            }
        }
        Ok(())
    }
}

fn write_skill(skill: &InstalledSkill) -> Json {
    members([
        ("name", Some(print::text(&skill.name))),
        ("origin", Some(word(&ORIGINS, skill.origin))),
        ("version", Some(print::text(&skill.version))),
        ("content_hash", Some(print::text(&skill.content_hash))),
        ("content", skill.exact.map(|exact| print::text(exact.to_string()))),
        ("standalone", Some(truth(skill.standalone == Standalone::Yes))),
        ("owners", Some(print::texts(&skill.owners))),
        ("main_agent", Some(truth(skill.main_agent == MainAgent::Uses))),
    ])
}

fn write_profile(profile: &Profile) -> Json {
    members([
        ("revision", Some(count(profile.revision))),
        ("name", Some(print::text(&profile.name))),
        ("display_name", profile.display_name.as_ref().map(print::text)),
        ("package_version", Some(print::text(&profile.package_version))),
        ("origin", Some(word(&PROFILE_ORIGINS, profile.origin))),
        ("role", Some(print::text(profile.role.to_string()))),
        ("skills", Some(print::texts(&profile.skills))),
        ("connectors", Some(print::texts(&profile.connectors))),
        ("owned_skills", Some(print::texts(&profile.owned))),
        ("access", Some(word(&ACCESS, profile.access))),
        ("state", Some(word(&STATES, profile.state))),
        ("baseline", profile.baseline.as_ref().map(write_baseline)),
    ])
}

fn write_baseline(baseline: &Baseline) -> Json {
    print::object([
        ("imported_at", count(baseline.imported_at)),
        ("version", print::text(&baseline.version)),
        ("package", print::text(baseline.package.to_string())),
        ("role", print::text(baseline.role.to_string())),
        ("skills", print::texts(&baseline.skills)),
        ("connectors", print::texts(&baseline.connectors)),
    ])
}

fn entries<T>(entries: Vec<Entry<T>>) -> impl Iterator<Item = (String, T)> {
    entries.into_iter().map(|entry| (entry.name, entry.value))
}

fn text<'j>(fields: &mut Fields<'_, 'j>, name: &'static str) -> Option<String> {
    fields.required(name, Decoder::text)
}

fn texts<'j>(fields: &mut Fields<'_, 'j>, name: &'static str) -> Option<Vec<String>> {
    let list = fields.required(name, |decoder, json| decoder.set(json, Decoder::text))?;
    Some(list.into_iter().map(|placed| placed.value).collect())
}

fn flag<'j>(fields: &mut Fields<'_, 'j>, name: &'static str) -> Option<bool> {
    fields.required(name, Decoder::boolean)
}

fn one_of<'j, T: Copy>(
    fields: &mut Fields<'_, 'j>,
    name: &'static str,
    words: &[(&'static str, T)],
) -> Option<T> {
    fields.required(name, |decoder, json| decoder.one_of(json, words))
}

fn number<'j>(fields: &mut Fields<'_, 'j>, name: &'static str) -> Option<u64> {
    // One more must still be a number that every reader of JSON keeps.
    let most = (1 << 53) - 2;
    let number = fields.required(name, |decoder, json| decoder.whole_number_within(json, 0, most))?;
    u64::try_from(number).ok()
}

fn digest<'j>(decoder: &mut Decoder<'j>, json: &'j Json) -> Option<Sha256> {
    let shape = crate::json::decode::Shape {
        rule: "64 lower-case hexadecimal digits",
        holds: |text| Sha256::from_hex(text).is_some(),
    };
    Sha256::from_hex(&decoder.text_that(json, &[crate::json::decode::TextRule::Shape(shape)])?)
}

fn skill<'j>(decoder: &mut Decoder<'j>, json: &'j Json) -> Option<InstalledSkill> {
    decoder.object(json, Others::Refused, |fields| {
        let name = text(fields, "name");
        let origin = one_of(fields, "origin", &ORIGINS);
        let version = text(fields, "version");
        let content_hash = text(fields, "content_hash");
        let exact = fields.optional("content", digest);
        let standalone = flag(fields, "standalone");
        let owners = texts(fields, "owners");
        let main_agent = flag(fields, "main_agent");
        Some(InstalledSkill {
            name: name?,
            origin: origin?,
            version: version?,
            content_hash: content_hash?,
            exact,
            standalone: if standalone? { Standalone::Yes } else { Standalone::No },
            owners: owners?,
            main_agent: if main_agent? { MainAgent::Uses } else { MainAgent::Ignores },
        })
    })
}

fn profile<'j>(decoder: &mut Decoder<'j>, json: &'j Json) -> Option<Profile> {
    decoder.object(json, Others::Refused, |fields| {
        let revision = number(fields, "revision");
        let name = text(fields, "name");
        let display_name = fields.optional("display_name", Decoder::text);
        let package_version = text(fields, "package_version");
        let origin = one_of(fields, "origin", &PROFILE_ORIGINS);
        let role = fields.required("role", digest);
        let skills = texts(fields, "skills");
        let connectors = texts(fields, "connectors");
        let owned = texts(fields, "owned_skills");
        let access = one_of(fields, "access", &ACCESS);
        let state = one_of(fields, "state", &STATES);
        let baseline = fields.optional("baseline", baseline);
        Some(Profile {
            revision: revision?,
            name: name?,
            display_name,
            package_version: package_version?,
            origin: origin?,
            role: role?,
            skills: skills?,
            connectors: connectors?,
            owned: owned?,
            access: access?,
            state: state?,
            baseline,
        })
    })
}

fn baseline<'j>(decoder: &mut Decoder<'j>, json: &'j Json) -> Option<Baseline> {
    decoder.object(json, Others::Refused, |fields| {
        let imported_at = number(fields, "imported_at");
        let version = text(fields, "version");
        let package = fields.required("package", digest);
        let role = fields.required("role", digest);
        let skills = texts(fields, "skills");
        let connectors = texts(fields, "connectors");
        Some(Baseline {
            imported_at: imported_at?,
            version: version?,
            package: package?,
            role: role?,
            skills: skills?,
            connectors: connectors?,
        })
    })
}

fn connector<'j>(decoder: &mut Decoder<'j>, json: &'j Json) -> Option<(String, Vec<String>)> {
    decoder.object(json, Others::Refused, |fields| {
        let name = text(fields, "name");
        let aliases = texts(fields, "aliases");
        Some((name?, aliases?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    fn inventory() -> Inventory {
        let skill = InstalledSkill {
            name: "tools".to_owned(),
            origin: SkillOrigin::Installed,
            version: "1.0.0".to_owned(),
            content_hash: "x".to_owned(),
            exact: Some(Sha256::of(b"x")),
            standalone: Standalone::No,
            owners: vec!["reader".to_owned()],
            main_agent: MainAgent::Uses,
        };
        let baseline = Baseline {
            imported_at: 7,
            version: "1.0.0".to_owned(),
            package: Sha256::of(b"p"),
            role: Sha256::of(b"r"),
            skills: vec!["personal-tools".to_owned()],
            connectors: Vec::new(),
        };
        let profile = Profile {
            revision: 3,
            name: "Reader".to_owned(),
            display_name: Some("The Reader".to_owned()),
            package_version: "1.0.0".to_owned(),
            origin: Origin::Imported,
            role: Sha256::of(b"r"),
            skills: vec!["personal-tools".to_owned()],
            connectors: vec!["uuid".to_owned()],
            owned: vec!["personal-tools".to_owned()],
            access: Access::Full,
            state: ProfileState::SetupPending,
            baseline: Some(baseline),
        };
        let connector =
            InstalledConnector { id: "uuid".to_owned(), name: "pubmed".to_owned(), aliases: Vec::new() };
        Inventory {
            skills: [("personal-tools".to_owned(), skill)].into(),
            specialists: [("reader".to_owned(), profile)].into(),
            connectors: [("uuid".to_owned(), connector)].into(),
        }
    }

    #[test]
    fn an_inventory_reads_back_as_it_was() {
        let text = print::document(&inventory().document());
        assert_eq!(Inventory::read(&json::read(text.as_bytes()).unwrap()), Ok(inventory()));
        let none = Inventory::default();
        assert_eq!(Inventory::read(&none.document()), Ok(none));
    }

    #[test]
    fn what_is_wrong_with_an_inventory_is_told_with_its_place() {
        let text = print::document(&inventory().document());
        for (from, to, at) in [
            ("\"revision\": 3", "\"revision\": \"3\"", "/specialists/reader/revision"),
            ("\"revision\": 3", "\"revision\": 9007199254740991", "/specialists/reader/revision"),
            ("\"state\": \"setup-pending\"", "\"state\": \"odd\"", "/specialists/reader/state"),
            ("\"skills\": {", "\"more\": 1, \"skills\": {", ""),
            ("\"origin\": \"installed\",", "", "/skills/personal-tools"),
            (
                "\"personal-tools\"\n      ],\n      \"connectors\": [\n        \"uuid\"",
                "\"other\"\n      ],\n      \"connectors\": [\n        \"uuid\"",
                "/specialists/reader/skills",
            ),
            ("\"uuid\": {", "\"other\": {", "/specialists/reader/connectors"),
            ("\"reader\": {", "\"other\": {", "/skills/personal-tools/owners"),
        ] {
            let changed = text.replace(from, to);
            assert_ne!(changed, text, "{from}");
            let fault = Inventory::read(&json::read(changed.as_bytes()).unwrap()).unwrap_err();
            assert_eq!(fault.pointer.as_str(), at, "{fault:?}");
        }
    }
}
