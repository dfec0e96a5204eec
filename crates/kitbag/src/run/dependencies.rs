//! The packages that a package needs: found where somebody says, and copied like the package itself.

use std::collections::BTreeMap;
use std::path::PathBuf;

use kitbag_core::formats::Face;
use kitbag_core::formats::adcap::Document;
use kitbag_core::path::PackagePath;
use kitbag_core::version::Version;
use kitbag_core::version::requirement::npm::{Prereleases, Requirement};

use crate::interrupt::Interrupt;

use super::copy::{self, Copy};
use super::{Error, Request, package, unsupported};

/// Where packages are that others need.
#[derive(Clone, Debug, Default)]
pub struct Dependencies {
    /// Folders or archives, by the ids of the packages in them.
    pub named: BTreeMap<String, PathBuf>,
    /// Folders in which packages are kept as `publisher/name`, in order; those that are named come first.
    pub folders: Vec<PathBuf>,
}

impl Dependencies {
    fn find(&self, id: &str) -> Option<PathBuf> {
        if let Some(path) = self.named.get(id) {
            return Some(path.clone());
        }
        let below = PackagePath::new(id).ok()?.to_os().ok()?;
        self.folders.iter().map(|folder| folder.join(&below)).find(|path| path.exists())
    }
}

/// A copy of each package that `document` needs, as it says and as its own digests say.
pub(super) fn copies(
    document: &Document,
    request: &Request,
    interrupt: &Interrupt,
) -> Result<Vec<(String, Copy)>, Error> {
    let mut copies = Vec::new();
    for needed in &document.dependencies {
        let (id, range) = (needed.name.as_str(), needed.value.as_str());
        let Some(path) = request.dependencies.find(id) else {
            return Err(Error::Unsupported {
                because: format!("the package needs {id} {range}, and nothing says where that is"),
                help: Some(format!("`--dependency {id}=PATH` names its folder or archive")),
            });
        };
        let failed = |error| Error::Dependency { id: id.to_owned(), error: Box::new(error) };
        let found = package(&path).map_err(failed)?;
        let is_wanted = |document: &&Document| document.id.value == id;
        let documents = found.package.faces.iter().filter_map(|face| match face {
            Face::Adcap(capability) => capability.document(),
            _ => None,
        });
        let Some(other) = documents.into_iter().find(is_wanted) else {
            return Err(failed(unsupported("another package is there")));
        };
        let wanted = Requirement::parse(range, Prereleases::Named)
            .map_err(|error| failed(unsupported(format!("the range `{range}` cannot be read: {error}"))))?;
        let version = Version::parse(&other.version)
            .map_err(|error| failed(unsupported(format!("its version cannot be read: {error}"))))?;
        if !wanted.matches(&version) {
            let because = format!("version {version} is there, and {range} is needed");
            return Err(failed(unsupported(because)));
        }
        let copy = copy::verified(&found.package.tree, &request.cache, interrupt).map_err(Error::Copy)?;
        copies.push((id.to_owned(), copy));
    }
    Ok(copies)
}
