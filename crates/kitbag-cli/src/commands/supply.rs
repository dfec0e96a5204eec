//! Where a run finds what its package names and does not hold: flags that several verbs have.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kitbag::resource::Supply;
use kitbag::run::Dependencies;
use kitbag_registry::fetch::Fetch;

use crate::environment;
use crate::failure::{Failure, Kind};
use crate::progress::Fetching;

/// Flags that say where contents and packages come from.
#[derive(Debug, clap::Args)]
pub struct Sources {
    /// Fetch nothing: only resources that are in the cache are there
    #[arg(long, help_heading = "Resources and dependencies")]
    offline: bool,

    /// Trust the certificate authorities in this file (PEM), and no others, for what is fetched
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "offline",
        help_heading = "Resources and dependencies"
    )]
    certificates: Option<PathBuf>,

    /// Where a package is that this one needs: a folder or an archive
    #[arg(long = "dependency", value_name = "ID=PATH", help_heading = "Resources and dependencies")]
    named: Vec<String>,

    /// A folder in which packages are kept as `publisher/name`, to find those that this one needs
    #[arg(long = "dependencies", value_name = "FOLDER", help_heading = "Resources and dependencies")]
    folders: Vec<PathBuf>,
}

impl Sources {
    /// Where contents come from.
    pub fn supply(&self, fetching: &Fetching) -> Result<Supply, Failure> {
        let fetch = if self.offline { None } else { fetch(self.certificates.as_deref())? };
        Ok(Supply { fetch, watch: Arc::new(fetching.clone()), ..Supply::default() })
    }

    /// Where packages are.
    pub fn dependencies(&self) -> Result<Dependencies, Failure> {
        let mut named = BTreeMap::new();
        for text in &self.named {
            let Some((id, path)) =
                text.split_once('=').filter(|(id, path)| !id.is_empty() && !path.is_empty())
            else {
                return Err(Failure::new(Kind::Usage, format!("`{}` is no ID=PATH", text.escape_debug())));
            };
            if named.insert(id.to_owned(), environment::absolute(Path::new(path))?).is_some() {
                return Err(Failure::new(Kind::Usage, format!("{} is named twice", id.escape_debug())));
            }
        }
        let folders = self.folders.iter().map(|folder| environment::absolute(folder));
        Ok(Dependencies { named, folders: folders.collect::<Result<_, _>>()? })
    }
}

/// The authorities' certificates in a file.
#[cfg(feature = "https")]
fn authorities(path: &Path) -> Result<kitbag_registry::http::Authorities, Failure> {
    let text = kitbag::resource::certificates(path).map_err(|error| Failure::new(Kind::Input, error))?;
    kitbag_registry::http::Authorities::only(&text).ok_or_else(|| {
        Failure::new(Kind::Input, format!("`{}` cannot be used: no certificate is in it", path.display()))
            .hint("it must hold certificates in PEM: -----BEGIN CERTIFICATE-----")
    })
}

/// Whoever asks the network for this program.
#[cfg(feature = "https")]
fn fetch(certificates: Option<&Path>) -> Result<Option<Arc<dyn Fetch + Send + Sync>>, Failure> {
    use kitbag_registry::http::{Authorities, Https, Plain};
    let authorities = certificates.map(authorities).transpose()?.unwrap_or(Authorities::Usual);
    Ok(Some(Arc::new(Https::trusting(authorities, Plain::Refused))))
}

/// Nobody, in a program that was built without a network.
#[cfg(not(feature = "https"))]
fn fetch(_certificates: Option<&Path>) -> Result<Option<Arc<dyn Fetch + Send + Sync>>, Failure> {
    Ok(None)
}
