//! Whether bubblewrap gives the stage the rights that the doors of a network need.
//!
//! One that is installed set-user-id does not, and a system may take them away from every new user namespace.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use super::{StageRights, with_rights};
use crate::backend::{begun, empty};
use crate::egress::Hosts;
use crate::groups::Keeps;
use crate::plan::{Network, Plan};
use crate::settings::{Lack, Settings};

/// Whether it does, or why not; asked once for each stage.
pub(super) fn given(settings: &Settings) -> Result<(), String> {
    static KNOWN: Mutex<BTreeMap<Option<PathBuf>, Result<(), String>>> = Mutex::new(BTreeMap::new());
    if settings.lacking.contains(&Lack::Rights) {
        return Err("it is taken not to".to_owned());
    }
    // Whoever panicked while he held it has left whole entries.
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = known().get(&settings.stage) {
        return known.clone();
    }
    let found = tried(settings);
    known().insert(settings.stage.clone(), found.clone());
    found
}

/// Tries it with a network that leads nowhere.
fn tried(settings: &Settings) -> Result<(), String> {
    // A name that nobody has (RFC 2606).
    let hosts = Hosts::parse(["nobody.invalid"]).map_err(|error| error.to_string())?;
    let plan = Plan { network: Network::Listed(hosts), ..empty() };
    begun(&plan, with_rights(&plan, settings, &Keeps::default(), StageRights::Network), settings)
}
