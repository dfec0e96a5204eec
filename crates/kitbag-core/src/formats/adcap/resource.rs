//! [`ShardMap`]: the small document that a resource of the format `shardset` is (§9). The manifest pins the map, the map
//! pins each shard.

use std::collections::HashMap;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::json::decode::{Decoder, Fields, Others, Placed, TextRule};
use crate::json::{Json, Problem};

use super::decode::size;
use super::shape::{DIGEST, HTTPS, PATH};

/// What a path's segment cannot say plainly in an address: `?`, `#` and `%` would mean something there.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// A shard map. What else it carries is for whoever routes queries, and is passed over.
#[derive(Clone, Debug)]
pub struct ShardMap {
    /// The shards, in the order of the map.
    pub shards: Vec<Placed<Shard>>,
    /// Where in that order each path stands; of two with one path, the first counts.
    places: HashMap<String, usize>,
}

/// One shard.
#[derive(Clone, Debug)]
pub struct Shard {
    /// Its name within the set, and its place beside the map's mirrors.
    pub path: String,
    /// The digest, in lower-case hexadecimal.
    pub sha256: String,
    /// Its length in bytes.
    pub size: u64,
    /// Mirrors of its own; empty: beside each mirror of the map.
    pub sources: Vec<Placed<String>>,
}

impl ShardMap {
    /// Decodes a map.
    ///
    /// # Errors
    /// Everything that keeps it from being one, ordered by path.
    pub fn decode(json: &Json) -> Result<Self, Vec<Problem>> {
        let mut decoder = Decoder::new();
        let map = decoder.object(json, Others::Allowed, |fields| {
            let shards = fields.required("shards", |decoder, json| {
                decoder.array(json, |decoder, json| decoder.object(json, Others::Allowed, shard))
            });
            let (shards, mut places) = (shards?, HashMap::new());
            for (place, shard) in shards.iter().enumerate() {
                let shard: &Placed<Shard> = shard;
                places.entry(shard.value.path.clone()).or_insert(place);
            }
            Some(Self { shards, places })
        });
        let problems = decoder.finish();
        match map {
            Some(map) if problems.is_empty() => Ok(map),
            _ => Err(problems),
        }
    }

    /// The shard called `path`.
    #[must_use]
    pub fn shard(&self, path: &str) -> Option<&Shard> {
        self.places.get(path).and_then(|place| self.shards.get(*place)).map(|shard| &shard.value)
    }

    /// Where `shard` may be fetched, given the mirrors of the map itself: its own sources, or its path beside each mirror.
    #[must_use]
    pub fn sources(&self, shard: &Shard, mirrors: &[&str]) -> Vec<String> {
        if !shard.sources.is_empty() {
            return shard.sources.iter().map(|source| source.value.clone()).collect();
        }
        let beside = |mirror: &&str| {
            let plain = mirror.split(['?', '#']).next().unwrap_or(mirror);
            let (folder, _) =
                plain.rsplit_once('/').filter(|(folder, _)| !folder.ends_with('/')).unwrap_or((plain, ""));
            format!("{folder}/{}", utf8_percent_encode(&shard.path, ESCAPED))
        };
        mirrors.iter().map(beside).collect()
    }
}

fn shard(fields: &mut Fields<'_, '_>) -> Option<Shard> {
    let path = fields.required("path", |decoder, json| decoder.text_that(json, &[TextRule::Shape(PATH)]));
    let sha256 =
        fields.required("sha256", |decoder, json| decoder.text_that(json, &[TextRule::Shape(DIGEST)]));
    let size = fields.required("size", size);
    let sources = fields.optional("sources", |decoder, json| {
        decoder.filled_array(json, |decoder, json| decoder.text_that(json, &[TextRule::Shape(HTTPS)]))
    });
    Some(Shard { path: path?, sha256: sha256?, size: size?, sources: sources.unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read;

    #[test]
    fn a_shard_is_found_at_its_own_sources_or_beside_each_mirror_of_the_map() {
        let digest = "0".repeat(64);
        let text = format!(
            r#"{{"shards": [{{"path": "s/a.bin", "sha256": "{digest}", "size": 1}},
                {{"path": "b", "sha256": "{digest}", "size": 2, "sources": ["https://c.example/b"]}},
                {{"path": "what? #1 100%2e", "sha256": "{digest}", "size": 3}}], "routing": [1.5]}}"#
        );
        let map = ShardMap::decode(&read(text.as_bytes()).unwrap()).unwrap();
        let mirrors = ["https://a.example/x/map.json?v=1", "https://b.example"];
        let of = |path: &str| map.sources(map.shard(path).unwrap(), &mirrors);
        assert_eq!(of("s/a.bin"), ["https://a.example/x/s/a.bin", "https://b.example/s/a.bin"]);
        assert_eq!(of("b"), ["https://c.example/b"]);
        assert_eq!(of("what? #1 100%2e")[1], "https://b.example/what%3F%20%231%20100%252e");
        assert!(map.shard("c").is_none());
    }

    #[test]
    fn a_map_that_does_not_pin_its_shards_is_none() {
        for bad in [
            "[]",
            "{}",
            r#"{"shards": [{"path": "a", "size": 1}]}"#,
            r#"{"shards": [{"path": "../a", "sha256": "00", "size": -1}]}"#,
        ] {
            assert!(ShardMap::decode(&read(bad.as_bytes()).unwrap()).is_err(), "{bad}");
        }
        assert!(ShardMap::decode(&read(br#"{"shards": []}"#).unwrap()).is_ok());
    }
}
