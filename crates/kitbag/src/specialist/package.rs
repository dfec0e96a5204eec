//! [`Package`]: a package by both readers.

use std::fs::File;
use std::path::Path;

use kitbag_core::finding::Findings;
use kitbag_core::formats::openscience::specialist::content::Files;
use kitbag_core::formats::openscience::specialist::{archive, folder};
use kitbag_core::tree::Tree;

use crate::location::{Location, SourceKind};
use crate::read::{self, DiskSpool, ReadError, Source};

/// A package, read and not judged.
pub(super) struct Package {
    /// What was named.
    pub location: Location,
    /// What is there, by the strict reading.
    pub tree: Tree,
    /// Its files: by the strict reading where it has nothing against them, else as Open-Science reads them; `None` where
    /// Open-Science does not look at any.
    pub files: Option<Files>,
    /// What Open-Science says about the layer.
    pub layer: Findings,
    /// What the strict reader says.
    pub strict: Findings,
}

impl Package {
    pub(super) fn read(path: &Path) -> Result<Self, ReadError> {
        let read::Reading { location, tree, findings: mut strict, .. } =
            read::read(&Source::Path(path.to_owned()))?;
        let mut layer = Findings::default();
        let files = if location.kind == SourceKind::Archive {
            let failed = |error| ReadError::of(path, error);
            let mut file = File::open(path).map_err(failed)?;
            let mut spool = DiskSpool::default();
            let upstream = archive::files(&mut file, &mut spool, &mut layer).map_err(failed)?;
            match upstream {
                Some(files) if !strict.has_errors() => {
                    Some(archive::believed(&files, &tree, &mut strict).unwrap_or(files))
                }
                upstream => upstream,
            }
        } else {
            folder::files(&tree, &mut layer)
        };
        Ok(Self { location, tree, files, layer, strict })
    }
}
