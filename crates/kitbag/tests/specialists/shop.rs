//! A folder with packages beside a store, and what tests do with them.

use std::fs;
use std::path::{Path, PathBuf};

use kitbag::interrupt::Interrupt;
use kitbag::pack::{Destination, Existing};
use kitbag::specialist::{
    self, Answer, Deletion, DeletionRequest, ExportOutcome, ExportRequest, InstallRequest, Installation,
    Installed, Look, Seen, Token, WiderPermissions,
};
use kitbag::store::Store;
use kitbag_core::formats::openscience::specialist::export::Selection;
use kitbag_core::formats::openscience::specialist::install::{Choice, Decisions, Overwriting, Refusal};
use kitbag_core::formats::openscience::specialist::removal::Removal;
use kitbag_testkit::folder::Folder;

pub const NOW: u64 = 1_000_000;

/// A test's folder with packages beside a store.
pub struct Shop {
    pub folder: Folder,
    pub store: Store,
}

/// A package to be written: identity, version, description, and Skills by name with a line of their text.
pub struct Package<'p> {
    pub id: &'p str,
    pub version: &'p str,
    pub about: &'p str,
    pub skills: &'p [(&'p str, &'p str)],
    pub connectors: &'p [&'p str],
}

pub const READER: Package<'_> = Package {
    id: "reader",
    version: "1.0.0",
    about: "Reads.",
    skills: &[("tools", "Use them.")],
    connectors: &[],
};
pub const WRITER: Package<'_> = Package { id: "writer", about: "Writes.", ..READER };

impl Shop {
    pub fn new() -> Self {
        let folder = Folder::new();
        let store = Store::at(folder.at("store"));
        Self { folder, store }
    }

    /// Writes a package into the folder `at`, in place of what is there.
    pub fn package(&self, at: &str, package: &Package<'_>) -> PathBuf {
        let folder = self.folder.at(at);
        let _none = fs::remove_dir_all(&folder);
        let manifest = format!(
            r#"{{"schema_version":1,"id":"{}","version":"{}","exported_with_app_version":"0.26.0"}}"#,
            package.id, package.version
        );
        let names: Vec<&str> = package.skills.iter().map(|(name, _)| *name).collect();
        let payload = serde_json::json!({
            "name": package.id, "description": package.about, "system_prompt": "test only: work.",
            "skill_ids": names, "connector_ids": package.connectors,
        });
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("manifest.json"), manifest).unwrap();
        fs::write(folder.join("specialist.json"), payload.to_string()).unwrap();
        for (name, text) in package.skills {
            let skill = folder.join("skills").join(name);
            fs::create_dir_all(&skill).unwrap();
            fs::write(skill.join("SKILL.md"), skill_document(name, text)).unwrap();
        }
        folder
    }

    pub fn look(&self, package: &Path) -> Answer {
        let look = Look { package: package.to_owned(), store: self.folder.at("store"), now: NOW };
        specialist::look(&look, &Interrupt::new()).unwrap()
    }

    pub fn token(&self, package: &Path, asker: &str) -> (Answer, Token) {
        let look = Look { package: package.to_owned(), store: self.folder.at("store"), now: NOW };
        let (answer, token) = specialist::remember(&look, asker, &self.store, &Interrupt::new()).unwrap();
        (answer, token.unwrap())
    }

    pub fn install(&self, package: &Path, seen: Seen, decisions: Decisions) -> Installation {
        self.install_at(package, seen, decisions, NOW)
    }

    pub fn install_at(&self, package: &Path, seen: Seen, decisions: Decisions, now: u64) -> Installation {
        let wider = WiderPermissions::Refused;
        let request = InstallRequest { package: package.to_owned(), seen, decisions, wider, now };
        specialist::install(&request, &self.store, &Interrupt::new()).unwrap()
    }

    /// Installs what is there, with nothing to decide.
    pub fn put(&self, at: &str, package: &Package<'_>) -> Installed {
        let package = self.package(at, package);
        let seen = Seen::Candidate(self.look(&package).candidate.unwrap());
        installed(self.install(&package, seen, Decisions::default()))
    }

    pub fn entry(&self, id: &str) -> specialist::Entry {
        specialist::show(&self.store, id, &Interrupt::new()).unwrap().unwrap()
    }

    pub fn ids(&self) -> Vec<String> {
        let all = specialist::list(&self.store, &Interrupt::new()).unwrap();
        all.into_iter().map(|entry| entry.id).collect()
    }

    pub fn edit(
        &self,
        change: impl FnOnce(&mut kitbag_core::formats::openscience::specialist::inventory::Inventory),
    ) {
        let change = |inventory: &mut _| {
            change(inventory);
            Ok(())
        };
        specialist::edit(&self.store, &Interrupt::new(), change).unwrap().unwrap();
    }

    pub fn removal(&self, id: &str) -> Removal {
        specialist::preview_deletion(&self.store, id, &Interrupt::new()).unwrap().unwrap()
    }

    pub fn delete(&self, seen: Removal, skills: &[&str]) -> Deletion {
        let skills = skills.iter().map(|&skill| skill.to_owned()).collect();
        specialist::delete(&DeletionRequest { seen, skills }, &self.store, &Interrupt::new()).unwrap()
    }

    pub fn export(&self, id: &str, revision: Option<u64>, to: &str) -> ExportOutcome {
        self.export_with(id, revision, to, Selection::default())
    }

    pub fn export_with(
        &self,
        id: &str,
        revision: Option<u64>,
        to: &str,
        selection: Selection,
    ) -> ExportOutcome {
        let request = ExportRequest {
            id: id.to_owned(),
            revision,
            selection,
            to: Destination::File(self.folder.at(to)),
            existing: Existing::Keep,
        };
        specialist::export(&request, &self.store, &Interrupt::new()).unwrap()
    }
}

pub fn skill_document(name: &str, text: &str) -> String {
    format!("---\nname: \"{name}\"\ndescription: \"Tools.\"\nversion: \"0.1.0\"\n---\n\n{text}\n")
}

pub fn installed(outcome: Installation) -> Installed {
    match outcome {
        Installation::Installed(installed) => installed,
        Installation::Refused(refusal, answer) => panic!("{refusal:?}: {answer:?}"),
        other => panic!("{other:?}"),
    }
}

pub fn refusal(outcome: Installation) -> Refusal {
    match outcome {
        Installation::Refused(refusal, _) => refusal,
        other => panic!("{other:?}"),
    }
}

pub fn confirmed() -> Decisions {
    Decisions { overwriting: Overwriting::Confirmed, choices: Vec::new() }
}

pub fn chosen(skill: &str, choice: Choice) -> Decisions {
    Decisions { choices: vec![(skill.to_owned(), choice)], ..Decisions::default() }
}

pub fn seen(answer: &Answer) -> Seen {
    Seen::Candidate(answer.candidate.clone().unwrap())
}

pub fn codes(answer: &Answer) -> Vec<&'static str> {
    let located = answer.report.packages.iter().flat_map(|package| &package.findings);
    located.map(|located| located.finding.code.slug.trim_start_matches("open-science/")).collect()
}
