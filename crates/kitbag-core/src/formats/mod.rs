//! The formats: one table, one enum to hold a document, one trait to speak to it.
//!
//! A folder may be several things at once, so a package has *faces*. [`FORMATS`] finds them; [`Face::document`] is the
//! only match on formats outside this room.

pub mod adcap;
pub mod agentskill;
pub mod codes;
pub mod cross;
pub mod openscience;
mod pack;
mod package;
mod recognise;
mod record;
mod site;
pub mod skillpact;
pub mod splice;
mod verify;

use std::io::{SeekFrom, Write};

use crate::archive;
use crate::finding::{Code, Finding, Findings, Place};
use crate::permit::Declaration;
use crate::tool::Tool;
use crate::tree::Tree;

pub use pack::{PackError, Pins};
pub use package::{
    Marker, Package, check_between, check_tree, discover, has_archive_name, is_machinery, marker, open,
    open_among,
};
pub use recognise::{document_name, is_of_a_folder};
pub use record::{Need, Offer, Record};
pub use site::{Neighbourhood, Site, resolve};
pub use verify::{ArchiveBytes, Outcome, Pin, Reach, Seal, Spelling, Verification};

/// A kind of package document. One static value per format: what is true before any document is read.
pub trait Format: Sync {
    /// The format's name in every output: `agent-skill`, `splice`, …
    fn name(&self) -> &'static str;
    /// File names whose presence in a folder makes that folder a package of this format.
    fn markers(&self) -> &'static [&'static str];
    /// Whether an entry called `name` makes its folder a package of this format: one of the markers, or a spelling of one
    /// that can only have been meant so.
    fn marks(&self, name: &str) -> bool;
    /// The documents of this format at the root of the site's tree. What keeps one from being read at all goes to `out`.
    fn faces(&self, site: &Site<'_>, out: &mut Findings) -> Vec<Face>;
    /// Every code this format can raise, in the order of its documentation.
    fn codes(&self) -> &'static [&'static Code];
}

/// The formats, in the order they are named to people.
pub static FORMATS: [&dyn Format; 5] = [
    &agentskill::AgentSkill,
    &splice::Splice,
    &adcap::Adcap,
    &skillpact::SkillPact,
    &openscience::OpenScience,
];

/// Reads an archive, whatever its name is: by the rules of the format whose package it begins with, and as any archive where
/// it begins with none. Where that shows a Splice package, its archive is read once more by Splice's own rules, which are
/// known only then; that its clients would refuse it is a remark, and an error.
///
/// # Errors
/// [`archive::Error::Refused`] when it is no archive that is read, or a bad one.
pub fn read_archive(
    source: &mut dyn archive::Source,
    reading: archive::Reading<'_>,
) -> Result<archive::Unpacked, archive::Error> {
    let archive::Reading { name, limits, spool } = reading;
    let first = archive::Reading { name: name.clone(), limits, spool: &mut *spool };
    let first = adcap::read(source, first);
    let may_be_splice = match &first {
        Ok(unpacked) => splice::Manifest::beside(&unpacked.tree).is_some(),
        Err(archive::Error::Refused(refusal)) => splice::pack::may_allow(refusal),
        Err(_) => false,
    };
    if !may_be_splice {
        return first;
    }
    source.seek(SeekFrom::Start(0))?;
    let strictly = splice::pack::read_archive(&mut *source, archive::Reading { name, limits, spool });
    match (first, strictly) {
        (_, Err(splice::pack::ReadError::Archive(error @ archive::Error::Io(_)))) => Err(error),
        (Ok(mut unpacked), Err(refused)) => {
            let message = format!("clients of Splice refuse the archive: {refused}");
            unpacked.remarks.push(Finding::new(&splice::codes::ARCHIVE, Place::package(), message));
            Ok(unpacked)
        }
        (Err(_), Ok(unpacked)) if splice::Manifest::beside(&unpacked.tree).is_some() => Ok(unpacked),
        // It is Splice's archive, so a capability in it need not stand where its own archives have it.
        (Ok(mut unpacked), Ok(_)) => {
            unpacked.remarks.retain(|finding| finding.code != &adcap::codes::FIRST_ENTRY);
            Ok(unpacked)
        }
        (first, _) => first,
    }
}

/// Every code that any check can raise: those of every package and archive, then each format's.
pub fn all_codes() -> impl Iterator<Item = &'static Code> {
    codes::CODES
        .iter()
        .chain(cross::CODES)
        .chain(archive::CODES)
        .chain(FORMATS.iter().flat_map(|format| format.codes()))
        .copied()
}

/// What one document answers. No method has a default: a format without the notion says so.
pub trait Document {
    /// Checks every clause of the format against the package.
    fn check(&self, tree: &Tree, out: &mut Findings);
    /// Who the document says it is.
    fn identity(&self) -> Identity<'_>;
    /// What the document says about permissions.
    fn permissions(&self) -> Declaration;
    /// What can be called.
    fn tools(&self) -> Vec<Tool<'_>>;
    /// What it states, for a comparison with another version of it.
    fn record(&self) -> Record<'_>;
    /// Writes the package's archive, and says what pins the content. The bytes stream; the package was checked before.
    ///
    /// # Errors
    /// [`PackError::NoArchive`] where the format has none, otherwise why it could not be written.
    fn pack(&self, tree: &Tree, out: &mut dyn Write) -> Result<Pins, PackError>;
    /// Compares the package with every digest that the document lists, and takes those that pin it. Each file is read at
    /// most once, in constant memory. `archive` is what the package came in, where that was measured; an archive must have
    /// been read by [`read_archive`], whose strictness is part of the promise.
    fn verify(&self, tree: &Tree, archive: Option<&ArchiveBytes>) -> Verification;
}

/// Who a document says it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity<'a> {
    /// The format, or the kind of document within it: `agent-skill`, `skillpact`, `specialist`, …
    pub format: &'static str,
    /// The name.
    pub name: Option<&'a str>,
    /// The version of the package.
    pub version: Option<&'a str>,
    /// The description.
    pub description: Option<&'a str>,
    /// The version of the specification the document follows, where it says one.
    pub spec: Option<&'a str>,
    /// The licence.
    pub license: Option<&'a str>,
}

/// Each variant holds the document under its own format's word.
#[derive(Debug)]
pub enum Face {
    /// A `SKILL.md`.
    AgentSkill(Box<agentskill::Skill>),
    /// A `capability.json`.
    Adcap(Box<adcap::Capability>),
    /// A `skill.contract.json`.
    SkillPact(Box<skillpact::Contract>),
    /// A Splice `manifest.json`.
    Splice(Box<splice::Manifest>),
    /// An Open-Science Connector template.
    Connector(Box<openscience::Connector>),
    /// An Open-Science Specialist package.
    Specialist(Box<openscience::Specialist>),
}

impl Face {
    /// The document, to be asked.
    #[must_use]
    pub fn document(&self) -> &dyn Document {
        match self {
            Self::AgentSkill(skill) => &**skill,
            Self::Adcap(capability) => &**capability,
            Self::SkillPact(contract) => &**contract,
            Self::Splice(manifest) => &**manifest,
            Self::Connector(connector) => &**connector,
            Self::Specialist(specialist) => &**specialist,
        }
    }
}
