//! The hosts of a run.

use kitbag_core::glob::Dialect;
use kitbag_core::permit::{Allowed, LossKind, Scope};

use crate::egress::Hosts;
use crate::plan::Network;

use super::losses::Losses;

/// Every name there is, as a pattern.
const ANY_NAME: &str = "**.*";

/// The hosts that `allowed` reaches.
pub(super) fn network(allowed: Option<&Allowed>, losses: &mut Losses) -> Network {
    let Some(allowed) = allowed else { return Network::Off };
    let mut texts: Vec<&str> = Vec::new();
    match &allowed.scope {
        Scope::Nothing => return Network::Off,
        Scope::Anything => {
            texts.push(ANY_NAME);
            let because = "of any host, those with a name are reached, at the ports 80 and 443";
            losses.add(allowed, LossKind::Tightened, because.to_owned());
        }
        Scope::Patterns(patterns) => {
            for pattern in &**patterns {
                let text = match (pattern.dialect, pattern.text.as_str()) {
                    // Any public host; what a name resolves to is looked at when it is dialled.
                    (Dialect::SpliceHost, "*") => ANY_NAME,
                    (_, text) => text,
                };
                match Hosts::parse([text]) {
                    Ok(_) => texts.push(text),
                    Err(error) => losses.add(allowed, LossKind::Dropped, error.to_string()),
                }
            }
        }
    }
    match Hosts::parse(texts.iter().copied()) {
        Ok(hosts) => Network::Listed(hosts),
        Err(error) => {
            losses.add(allowed, LossKind::Dropped, format!("no host is reached: {error}"));
            Network::Off
        }
    }
}
