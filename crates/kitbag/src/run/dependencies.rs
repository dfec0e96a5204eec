//! The packages that a package needs: found where somebody says, and copied like the package itself.

use std::collections::BTreeMap;
use std::path::PathBuf;

use kitbag_core::formats::Face;
use kitbag_core::formats::adcap::Document;
use kitbag_core::path::PackagePath;
use kitbag_core::version::Version;
use kitbag_core::version::requirement::npm::{Prereleases, Requirement};

use crate::interrupt::Interrupt;
use crate::packages::Found;

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

/// The package called `id` that `document` needs, as it says and as its own digests say, and where it is.
pub(crate) fn found(document: &Document, id: &str, request: &Request) -> Result<(PathBuf, Found), Error> {
    let Some(needed) = document.dependencies.iter().find(|needed| needed.name == id) else {
        return Err(unsupported(format!("the package does not need {}", id.escape_debug())));
    };
    let range = needed.value.as_str();
    let Some(path) = request.dependencies.find(id) else {
        return Err(Error::Unsupported {
            because: format!("the package needs {id} {range}, and nothing says where that is"),
            help: Some(format!("`--dependency {id}=PATH` names its folder or archive")),
        });
    };
    let failed = |error| Error::Dependency { id: id.to_owned(), error: Box::new(error) };
    let found = package(&path).map_err(failed)?;
    let version = version(&found, id).map_err(failed)?;
    let wanted = Requirement::parse(range, Prereleases::Named)
        .map_err(|error| failed(unsupported(format!("the range `{range}` cannot be read: {error}"))))?;
    if !wanted.matches(&version) {
        return Err(failed(unsupported(format!("version {version} is there, and {range} is needed"))));
    }
    Ok((path, found))
}

/// The version of the package that was found, if it is the one called `id`.
fn version(found: &Found, id: &str) -> Result<Version, Error> {
    let documents = found.package.faces.iter().filter_map(|face| match face {
        Face::Adcap(capability) => capability.document(),
        _ => None,
    });
    let own = documents.into_iter().find(|document| document.id.value == id);
    let own = own.ok_or_else(|| unsupported("another package is there"))?;
    Version::parse(&own.version).map_err(|error| unsupported(format!("its version cannot be read: {error}")))
}

/// A copy of each package that `document` needs.
pub(super) fn copies(
    document: &Document,
    request: &Request,
    interrupt: &Interrupt,
) -> Result<Vec<(String, Copy)>, Error> {
    let copy = |id: &str| {
        let (_, found) = found(document, id, request)?;
        let copy = copy::verified(&found.package.tree, &request.cache, interrupt).map_err(Error::Copy)?;
        Ok((id.to_owned(), copy))
    };
    document.dependencies.iter().map(|needed| copy(&needed.name)).collect()
}
