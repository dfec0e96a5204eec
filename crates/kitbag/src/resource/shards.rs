//! [`Shards`]: a resource that is a map of others (.adcap §9). The manifest pins the map, the map pins each shard, so a shard
//! is as trustworthy as the manifest.

use std::fs::File;

use kitbag_core::digest::Sha256;
use kitbag_core::formats::adcap::resource::ShardMap;
use kitbag_core::json;
use kitbag_core::limits::{self, Limits};
use kitbag_core::transfer::Pin;

use super::{Error, Kept, Wanted};

/// A set of shards whose map is here.
#[derive(Debug)]
pub struct Shards {
    map: ShardMap,
    /// The map itself, as it was wanted.
    wanted: Wanted,
}

impl Shards {
    /// Reads the map that `kept` is, which was `wanted`.
    ///
    /// # Errors
    /// [`Error::Map`] when it is none, or too long to be one.
    pub fn read(wanted: &Wanted, kept: &Kept) -> Result<Self, Error> {
        let no_map = |because: String| Error::Map { resource: wanted.resource.clone(), because };
        let mut file = File::open(kept.path()).map_err(|error| Error::io("read", kept.path(), error))?;
        let bytes = limits::read_bounded(&mut file, kept.pin().size, Limits::LOOSEST.document_bytes)
            .map_err(|error| no_map(error.to_string()))?;
        let json = json::read(&bytes).map_err(|error| no_map(error.to_string()))?;
        let map = ShardMap::decode(&json).map_err(|problems| {
            let first = problems.first();
            let at = first.map(|problem| problem.pointer().as_str().to_owned()).unwrap_or_default();
            no_map(first.map(|problem| format!("{at}: {}", problem.kind)).unwrap_or_default())
        })?;
        Ok(Self { map, wanted: wanted.clone() })
    }

    /// The shard called `path`, as it is wanted; `None` where the map has none.
    #[must_use]
    pub fn shard(&self, path: &str) -> Option<Wanted> {
        let shard = self.map.shard(path)?;
        let mirrors: Vec<&str> = self.wanted.sources.iter().map(String::as_str).collect();
        Some(Wanted {
            shard: Some(path.to_owned()),
            pin: Pin { sha256: Sha256::from_hex(&shard.sha256)?, size: shard.size },
            sources: self.map.sources(shard, &mirrors),
            ..self.wanted.clone()
        })
    }
}
