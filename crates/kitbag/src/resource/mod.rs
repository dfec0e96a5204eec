//! Contents that a package names and does not hold: fetched when they are needed, compared with their pin, and kept in a
//! folder of the user's under their digests.
//!
//! ```text
//! blobs/<digest>             a content, read-only; locked with others by whoever uses it
//! blobs/partial/<digest>     the beginning of one; locked by whoever fetches it, continued by whoever comes next
//! packages/<digest>          copies of packages that run
//! runs/                      what one run sees, until it ends
//! data/                      what tools keep between runs
//! ```
//!
//! Nothing has a name before it was compared, and a program that is killed leaves a beginning that says that it is one. How
//! to fetch and who vouches for whom is passed in ([`Supply`]); this room opens no connection of its own.

mod authorise;
mod cache;
mod download;
mod error;
mod housekeeping;
mod partial;
mod shards;

use std::fmt;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use kitbag_core::limits::{ReadError, read_bounded};
use kitbag_core::transfer::Pin;
use kitbag_registry::fetch::Fetch;

use crate::interrupt::Interrupt;

pub use authorise::{Authorisation, Authorise, Nobody, Purpose, Unauthorised};
pub(crate) use cache::{COPIES, DATA, RUNS};
pub use cache::{Cache, Kept};
pub use error::{Error, Failure};
pub(crate) use housekeeping::bytes_below;
pub use housekeeping::{Checked, Collect, Collected, Data, Dry, Entry, Kind};
pub use shards::Shards;

/// A content that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The capability that names it.
    pub capability: String,
    /// The resource that it is or belongs to.
    pub resource: String,
    /// The shard of that resource, when it is one.
    pub shard: Option<String>,
    /// What it must be.
    pub pin: Pin,
    /// Where it may be, in order.
    pub sources: Vec<String>,
    /// What whoever asks for it must be entitled to, when it is not for everybody.
    pub entitlement: Option<String>,
}

impl Wanted {
    /// What it is called in a sentence.
    #[must_use]
    pub fn title(&self) -> String {
        match &self.shard {
            None => format!("the resource `{}`", self.resource.escape_debug()),
            Some(shard) => {
                format!("the shard `{}` of `{}`", shard.escape_debug(), self.resource.escape_debug())
            }
        }
    }
}

/// Somebody who is told how far a content has come.
pub trait Watch: Send + Sync {
    /// So many of its bytes are here.
    fn comes(&self, wanted: &Wanted, bytes: u64);
}

/// Nobody watches.
impl Watch for () {
    fn comes(&self, _wanted: &Wanted, _bytes: u64) {}
}

/// Where contents come from. By default from nowhere: only what is kept already is there.
#[derive(Clone)]
pub struct Supply {
    /// Whoever asks the network; `None`: nobody does.
    pub fetch: Option<Arc<dyn Fetch + Send + Sync>>,
    /// Whoever obtains what is not for everybody.
    pub authorise: Arc<dyn Authorise>,
    /// Whoever is told how far it is.
    pub watch: Arc<dyn Watch>,
}

impl Default for Supply {
    fn default() -> Self {
        Self { fetch: None, authorise: Arc::new(Nobody), watch: Arc::new(()) }
    }
}

impl fmt::Debug for Supply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Supply").field("is_online", &self.fetch.is_some()).finish_non_exhaustive()
    }
}

/// The most bytes of a file of certificates.
const CERTIFICATES_BYTES: u64 = 1 << 20;

/// What is in a file of certificates, for whoever asks the network.
///
/// # Errors
/// [`Error::Io`], when it cannot be read or is longer than 1 MiB.
pub fn certificates(path: &Path) -> Result<Vec<u8>, Error> {
    let failed = |error| Error::io("read", path, error);
    let mut file = File::open(path).map_err(failed)?;
    read_bounded(&mut file, 0, CERTIFICATES_BYTES).map_err(|error| match error {
        ReadError::Io(error) => failed(error),
        exceeded => failed(io::Error::other(exceeded.to_string())),
    })
}

/// How long somebody waits for a content.
#[derive(Clone, Copy, Debug)]
pub struct Patience<'i> {
    /// Whoever waits may say that they no longer do.
    pub interrupt: &'i Interrupt,
    /// When it is of no use any more.
    pub until: Option<Instant>,
}

impl<'i> Patience<'i> {
    /// Waits until somebody says otherwise.
    #[must_use]
    pub const fn of(interrupt: &'i Interrupt) -> Self {
        Self { interrupt, until: None }
    }

    fn check(&self) -> Result<(), Error> {
        self.interrupt.check().map_err(|_| Error::Interrupted)?;
        match self.until {
            Some(until) if Instant::now() >= until => Err(Error::Late),
            _ => Ok(()),
        }
    }
}
