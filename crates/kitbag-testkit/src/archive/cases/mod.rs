//! The archive vectors: each a scenario built here, committed under `vectors/archive`, and judged by its `case.json` alone.
//!
//! A hostile case names its twin: a case that differs from it in what is wrong and is read.

mod bundled;
mod gzip;
mod limits;
mod names;
mod packaged;
mod strict;
mod tar;
mod zip;
mod zip_end;

use serde_json::{Value, json};

use kitbag_core::limits::Limits;

pub use bundled::{Base, SPOILED, Spoiled};
pub use packaged::{Packaged, packaged};

/// One scenario.
#[derive(Debug)]
pub struct Case {
    /// The name of its folder.
    pub name: &'static str,
    /// One sentence: what is special about it.
    about: &'static str,
    /// The archive.
    pub archive: Vec<u8>,
    /// Which tars are taken: `ordinary` or `strict`.
    profile: &'static str,
    /// Limits that differ from the loosest, by field name.
    limits: Vec<(&'static str, u64)>,
    expect: Expect,
}

#[derive(Debug)]
enum Expect {
    Refused { code: &'static str, entry: Option<u64>, twin: &'static str },
    Reads { entries: Vec<&'static str>, remarks: Vec<&'static str> },
}

impl Case {
    /// Its `case.json`.
    #[must_use]
    pub fn json(&self) -> Value {
        let mut json = json!({ "about": self.about, "profile": self.profile });
        if !self.limits.is_empty() {
            json["limits"] = self.limits.iter().map(|(name, max)| ((*name).to_owned(), json!(max))).collect();
        }
        match &self.expect {
            Expect::Refused { code, entry, twin } => {
                json["refused"] = json!({ "code": format!("archive/{code}"), "entry": entry });
                json["twin"] = json!(twin);
            }
            Expect::Reads { entries, remarks } => {
                let remarks: Vec<_> = remarks.iter().map(|code| format!("archive/{code}")).collect();
                json["reads"] = json!({ "entries": entries, "remarks": remarks });
            }
        }
        json
    }

    fn strict(self) -> Self {
        Self { profile: "strict", ..self }
    }

    fn limits(self, limits: impl Into<Vec<(&'static str, u64)>>) -> Self {
        Self { limits: limits.into(), ..self }
    }

    fn in_entry(mut self, number: u64) -> Self {
        if let Expect::Refused { entry, .. } = &mut self.expect {
            *entry = Some(number);
        }
        self
    }

    fn remarks(mut self, said: &[&'static str]) -> Self {
        if let Expect::Reads { remarks, .. } = &mut self.expect {
            remarks.extend(said);
        }
        self
    }
}

/// A case that is refused, in no entry.
fn refused(
    name: &'static str,
    about: &'static str,
    archive: impl Into<Vec<u8>>,
    code: &'static str,
    twin: &'static str,
) -> Case {
    let expect = Expect::Refused { code, entry: None, twin };
    Case { name, about, archive: archive.into(), profile: "ordinary", limits: Vec::new(), expect }
}

/// A case that is refused in entry `number`.
fn refused_in(
    number: u64,
    name: &'static str,
    about: &'static str,
    archive: impl Into<Vec<u8>>,
    code: &'static str,
    twin: &'static str,
) -> Case {
    let case = refused(name, about, archive, code, twin);
    Case { expect: Expect::Refused { code, entry: Some(number), twin }, ..case }
}

/// A case that is read; `entries` are its paths, folders with a slash, links as `path -> target`, special files as
/// `path = kind`.
fn reads(
    name: &'static str,
    about: &'static str,
    archive: impl Into<Vec<u8>>,
    entries: &[&'static str],
) -> Case {
    let expect = Expect::Reads { entries: entries.to_vec(), remarks: Vec::new() };
    Case { name, about, archive: archive.into(), profile: "ordinary", limits: Vec::new(), expect }
}

/// Every case.
#[must_use]
pub fn all() -> Vec<Case> {
    [
        tar::cases(),
        strict::cases(),
        gzip::cases(),
        zip::cases(),
        zip_end::cases(),
        names::cases(),
        limits::cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The limits of a `case.json`: `base`, with what it says otherwise.
///
/// # Panics
/// When it names a limit that does not exist.
#[must_use]
pub fn limits_of(case: &Value, base: Limits) -> Limits {
    let mut limits = base;
    for (name, max) in case["limits"].as_object().into_iter().flatten() {
        let max = max.as_u64().unwrap_or_else(|| panic!("the limit `{name}` is no number"));
        match name.as_str() {
            "entries" => limits.entries = max,
            "depth" => limits.depth = usize::try_from(max).unwrap_or(usize::MAX),
            "file_bytes" => limits.file_bytes = max,
            "total_bytes" => limits.total_bytes = max,
            "archive_bytes" => limits.archive_bytes = max,
            "ratio" => limits.ratio = max,
            _ => panic!("there is no limit `{name}`"),
        }
    }
    limits
}

const SKILL: &[u8] = b"---\nname: x\ndescription: Does x. Use for x.\n---\n";
