//! `show`: what is it, and what may it do, in plain words?

use kitbag_core::finding::Finding;
use kitbag_core::formats::{Document, Face, Package};
use kitbag_core::path::PackagePath;
use kitbag_core::permit::{Declaration, phrase};

use crate::check::{Counts, ProfileSummary, Profiles};
use crate::location::Location;
use crate::packages::{self, Found};
use crate::read::{self, ReadError, Source};

mod contents;
mod tools;

pub use contents::{Contents, Entry, EntryKind};
pub use tools::{CommandShown, Granted, Need, ToolRuntime, ToolShown};

/// What to show.
#[derive(Clone, Debug)]
pub struct Request {
    /// Where.
    pub source: Source,
    /// Which programs' readings of a SKILL.md to show.
    pub profiles: Profiles,
}

/// Every package that was found.
#[derive(Debug, Default)]
pub struct Shown {
    /// In the order of their folders.
    pub packages: Vec<PackageShown>,
    /// What is to be said about what is no package, or could not be looked at.
    pub remarks: Vec<Remark>,
}

/// A finding about something that is no package.
#[derive(Debug)]
pub struct Remark {
    /// Where it is; prints as it would be typed.
    pub location: Location,
    /// What is so.
    pub finding: Finding,
}

/// One package.
#[derive(Debug)]
pub struct PackageShown {
    /// Where it is; prints as it would be typed.
    pub location: Location,
    /// Who it says it is: one per face.
    pub identities: Vec<Identity>,
    /// What is in it.
    pub contents: Contents,
    /// What it may do.
    pub permissions: Permissions,
    /// What can be called.
    pub tools: Vec<ToolShown>,
    /// What can be run with files.
    pub commands: Vec<CommandShown>,
    /// Other packages it needs.
    pub needs: Vec<Need>,
    /// Whether and how each program would load it.
    pub profiles: Vec<ProfileSummary>,
    /// What a check finds.
    pub counts: Counts,
}

/// Who one document says it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The format, or the kind of document within it.
    pub format: &'static str,
    /// The name.
    pub name: Option<String>,
    /// The version of the package.
    pub version: Option<String>,
    /// The description.
    pub description: Option<String>,
    /// The version of the specification.
    pub spec: Option<String>,
    /// The licence.
    pub license: Option<String>,
}

impl Identity {
    pub(crate) fn of(document: &dyn Document) -> Self {
        let identity = document.identity();
        let own = |text: Option<&str>| text.map(str::to_owned);
        Self {
            format: identity.format,
            name: own(identity.name),
            version: own(identity.version),
            description: own(identity.description),
            spec: own(identity.spec),
            license: own(identity.license),
        }
    }
}

/// What a package may do, as its documents say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Permissions {
    /// No document says anything, which is not the same as "nothing".
    Unspoken,
    /// What they say.
    Spoken(Vec<Permission>),
}

impl Permissions {
    /// What the documents of `package` say, face by face.
    pub(crate) fn of(package: &Package) -> Self {
        let mut spoken = None;
        for face in &package.faces {
            let document = face.document();
            let declaration = document.permissions();
            if declaration.grants().is_none() {
                continue;
            }
            let statements = Permission::all(document.identity().format, &declaration);
            spoken.get_or_insert_with(Vec::new).extend(statements);
        }
        spoken.map_or(Self::Unspoken, Self::Spoken)
    }
}

impl Permission {
    /// What one document declares, in plain words.
    pub(crate) fn all(format: &'static str, declaration: &Declaration) -> Vec<Self> {
        let told = phrase::statements(declaration).into_iter();
        told.map(|statement| Self::of(format, statement)).collect()
    }

    /// One statement of a document of `format`.
    pub(crate) fn of(format: &'static str, statement: phrase::Statement) -> Self {
        Self {
            format,
            sentence: statement.sentence,
            why: statement.why.map(|why| why.to_string()),
            danger: statement.danger,
            file: statement.origin.map(|origin| origin.file),
        }
    }
}

/// One statement about permissions, in plain words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permission {
    /// The format that says it.
    pub format: &'static str,
    /// What is so: `reads files under $INPUT`.
    pub sentence: String,
    /// The author's reason.
    pub why: Option<String>,
    /// What deserves a second look, in a few words.
    pub danger: Option<&'static str>,
    /// The file it is written in.
    pub file: Option<PackagePath>,
}

/// Shows every package of the source.
///
/// # Errors
/// When the source cannot be read at all.
pub fn show(request: &Request) -> Result<Shown, ReadError> {
    let mut shown = Shown::default();
    packages::each(
        read::read(&request.source)?,
        |found| describe(found, &request.profiles),
        |described| match described {
            Ok(package) => shown.packages.push(package),
            Err(remarks) => shown.remarks.extend(remarks),
        },
    );
    Ok(shown)
}

/// The package, or what is to be said instead.
fn describe(mut found: Found, profiles: &Profiles) -> Result<PackageShown, Vec<Remark>> {
    found.check();
    if found.package.faces.is_empty() {
        let location = found.location;
        let remark = |finding| Remark { location: location.clone(), finding };
        return Err(found.findings.into_iter().map(remark).collect());
    }
    let documents = || found.package.faces.iter().map(Face::document);
    Ok(PackageShown {
        identities: documents().map(Identity::of).collect(),
        contents: Contents::of(&found.package.tree),
        permissions: Permissions::of(&found.package),
        tools: documents().flat_map(ToolShown::all).collect(),
        commands: found.package.faces.iter().flat_map(CommandShown::all).collect(),
        needs: documents().flat_map(Need::all).collect(),
        profiles: ProfileSummary::all(&found.package.faces, profiles),
        counts: Counts::of(&found.findings),
        location: found.location,
    })
}
