//! What a tool of .adcap finds beside its package (§7): the files of its resources, shards on request, the folders of the
//! package's dependencies, and a folder of its own that outlives the call.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kitbag_core::digest::Sha256;
use kitbag_core::formats::adcap::wire::{self, Conversation, Event, ShardRequest};
use kitbag_core::formats::adcap::{Access, Document, Resource};
use kitbag_core::path::PackagePath;
use kitbag_core::tool::Tool;
use kitbag_core::transfer::Pin;
use kitbag_sandbox::{Item, Process, Rights};
use tempfile::TempDir;

use crate::draft::make_private;
use crate::interrupt::Interrupt;
use crate::lock::{self, Hold};
use crate::resource::{self, Cache, DATA, Kept, Patience, RUNS, Shards, Supply, Wanted, bytes_below};

use super::call::{Ear, Heard};
use super::copy::Copy;
use super::{Error, Fault, FaultKind, Needed, Request, unsupported};

/// Where resources are inside.
const RESOURCES: &str = "/resources";
/// Where shards are inside.
const SHARDS: &str = "/shards";
/// Where dependencies are inside.
const DEPENDENCIES: &str = "/dependencies";
/// The tool's own folder inside.
const OWN: &str = "/data";
/// A tool whose own folder holds more than this is not started. What one run adds to it is bounded besides.
const OWN_BYTES: u64 = 1 << 30;

/// What a tool finds, before it is fetched.
#[derive(Debug)]
pub(super) struct Context {
    needs: Vec<Need>,
    dependencies: Vec<(String, Copy)>,
    /// The folder of what tools of the package keep, in which the tool has one by its own name.
    kept: PathBuf,
    tool: String,
    cache: PathBuf,
    supply: Supply,
    interrupt: Interrupt,
    timeout: Duration,
}

/// One resource that the tool names.
#[derive(Clone, Debug)]
struct Need {
    wanted: Wanted,
    /// What it is called inside.
    name: String,
    is_map: bool,
}

/// The resources of `document` that `tool` names.
fn needs(document: &Document, tool: &Tool<'_>) -> Vec<Need> {
    let named = |resource: &&Resource| tool.runtime.resources.contains(&resource.id.value.as_str());
    let resources = document.resources.iter().map(|resource| &resource.value).filter(named);
    let need = |resource: &Resource| {
        let entitlement = resource.entitlement.as_ref().filter(|_| resource.access == Access::Entitled);
        Some(Need {
            wanted: Wanted {
                capability: document.id.value.clone(),
                resource: resource.id.value.clone(),
                shard: None,
                pin: Pin { sha256: Sha256::from_hex(&resource.sha256)?, size: resource.size },
                sources: resource.sources.iter().map(|source| source.value.clone()).collect(),
                entitlement: entitlement.map(|entitlement| entitlement.value.clone()),
            },
            name: name_of(&resource.id.value),
            is_map: resource.is_shard_map,
        })
    };
    resources.filter_map(need).collect()
}

/// The resources that a tool names, for whoever is asked.
pub(super) fn needed(document: &Document, tool: &Tool<'_>) -> Vec<Needed> {
    let needed = |need: Need| Needed {
        resource: need.wanted.resource,
        pin: need.wanted.pin,
        entitlement: need.wanted.entitlement,
        is_set: need.is_map,
    };
    needs(document, tool).into_iter().map(needed).collect()
}

/// A file name for an id, which may be any text: itself where it is plain, else its digest behind a sign that no plain one has.
fn name_of(id: &str) -> String {
    let is_plain = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    if is_plain && !id.starts_with('.') { id.to_owned() } else { format!("@{}", Sha256::of(id.as_bytes())) }
}

impl Context {
    /// What `tool` of `document` finds, with `dependencies` that were found.
    pub(super) fn new(
        document: &Document,
        tool: &Tool<'_>,
        dependencies: Vec<(String, Copy)>,
        request: &Request,
        interrupt: &Interrupt,
    ) -> Result<Self, Error> {
        let folder = |name: String| PackagePath::new(&name).ok().and_then(|path| path.to_os().ok());
        let named = (folder(format!("{DATA}/{}", document.id.value)), folder(tool.name.to_owned()));
        let (Some(kept), Some(_)) = named else {
            return Err(unsupported("the tool's name cannot be the name of a folder here"));
        };
        Ok(Self {
            needs: needs(document, tool),
            dependencies,
            kept: request.cache.join(kept),
            tool: tool.name.to_owned(),
            cache: request.cache.clone(),
            supply: request.supply.clone(),
            interrupt: interrupt.clone(),
            timeout: Duration::from_millis(tool.timeout_ms.into()),
        })
    }

    /// Holds the folder of what tools of the package keep, so that nobody collects it meanwhile.
    fn hold(&self) -> io::Result<Option<File>> {
        loop {
            make_private(&self.kept)?;
            if !cfg!(unix) {
                return Ok(None);
            }
            let folder = match File::open(&self.kept) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                opened => opened?,
            };
            if lock::wait(&folder, Hold::Shared, || self.interrupt.check().is_ok())?
                && lock::is_at(&folder, &self.kept)?
            {
                return Ok(Some(folder));
            }
            self.interrupt.check()?;
        }
    }

    /// Fetches what is missing, and puts everything where the tool will find it.
    pub(super) fn begin(&self) -> Result<Found, Error> {
        let held = self.hold().map_err(Error::Own)?;
        let folder = self.kept.join(&self.tool);
        make_private(&folder).map_err(Error::Own)?;
        let own = bytes_below(&folder).map_err(Error::Own)?;
        if own > OWN_BYTES {
            return Err(Error::Unsupported {
                because: format!("the tool keeps {own} bytes of its own, and {OWN_BYTES} are the most"),
                help: Some("`kitbag cache gc --unused-for 0 --data` takes away what tools keep".to_owned()),
            });
        }
        let mut items = vec![Item::Host { from: folder, at: OWN.into(), rights: Rights::Write }];
        let mut dependencies = Vec::new();
        for (id, copy) in &self.dependencies {
            let at = format!("{DEPENDENCIES}/{id}");
            let from = copy.path().to_owned();
            items.push(Item::Host { from, at: at.clone().into(), rights: Rights::Read });
            dependencies.push((id.clone(), at));
        }
        let (mut kept, mut resources) = (HashMap::new(), Vec::new());
        let cache = Cache::at(&self.cache);
        for need in &self.needs {
            let patience = Patience::of(&self.interrupt);
            let content = cache.obtain(&need.wanted, &self.supply, &patience).map_err(Error::Resource)?;
            resources.push((need.wanted.resource.clone(), format!("{RESOURCES}/{}", need.name)));
            kept.insert(need.wanted.resource.clone(), (need.clone(), content));
        }
        let shelf = if kept.is_empty() { None } else { Some(Shelf::new(&self.cache).map_err(Error::Own)?) };
        if let Some(shelf) = &shelf {
            for (need, content) in kept.values() {
                shelf.put(content, &shelf.resources.join(&need.name)).map_err(Error::Own)?;
            }
            for (from, at) in [(&shelf.resources, RESOURCES), (&shelf.shards, SHARDS)] {
                items.push(Item::Host { from: from.clone(), at: at.into(), rights: Rights::Read });
            }
        }
        let names = kept.keys().cloned();
        let ear = Listener {
            conversation: Conversation::new(names),
            _own: held,
            shelf,
            kept,
            sets: HashMap::new(),
            shards: Vec::new(),
            cache,
            supply: self.supply.clone(),
            interrupt: self.interrupt.clone(),
            until: Instant::now().checked_add(self.timeout),
        };
        Ok(Found { items, resources, dependencies, own: OWN, ear: Box::new(ear) })
    }
}

/// What a tool finds. Paths are those that it sees.
pub(super) struct Found {
    pub(super) items: Vec<Item>,
    pub(super) resources: Vec<(String, String)>,
    pub(super) dependencies: Vec<(String, String)>,
    pub(super) own: &'static str,
    pub(super) ear: Box<dyn Ear>,
}

/// What one run sees of the cache, in a folder that goes when the run ends.
#[derive(Debug)]
struct Shelf {
    resources: PathBuf,
    shards: PathBuf,
    // In this order: a lock is let go of before its folder goes.
    _lock: Option<File>,
    _folder: TempDir,
}

impl Shelf {
    fn new(cache: &Path) -> io::Result<Self> {
        let runs = cache.join(RUNS);
        make_private(&runs)?;
        loop {
            let folder = tempfile::Builder::new().prefix("run-").tempdir_in(&runs)?;
            let lock = if cfg!(unix) {
                let lock = File::open(folder.path())?;
                // Whoever collects leftovers may have come between the two.
                if !lock::attempt(&lock, Hold::Shared)? || !lock::is_at(&lock, folder.path())? {
                    continue;
                }
                Some(lock)
            } else {
                None
            };
            let (resources, shards) = (folder.path().join("resources"), folder.path().join("shards"));
            fs::create_dir(&resources)?;
            fs::create_dir(&shards)?;
            return Ok(Self { resources, shards, _lock: lock, _folder: folder });
        }
    }

    /// Puts a content at `path`: the same file, where the system can, else a copy.
    #[expect(clippy::unused_self, reason = "only what is on a shelf is put there")]
    fn put(&self, content: &Kept, path: &Path) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        match fs::hard_link(content.path(), path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            Err(_) => fs::copy(content.path(), path).map(|_bytes| ()),
            Ok(()) => Ok(()),
        }
    }
}

/// Hears one call, and answers its requests for shards.
struct Listener {
    conversation: Conversation,
    /// Held as long as the call lasts.
    _own: Option<File>,
    shelf: Option<Shelf>,
    /// The tool's resources by their ids, held as long as the call lasts.
    kept: HashMap<String, (Need, Kept)>,
    /// Maps that were read.
    sets: HashMap<String, Result<Shards, String>>,
    /// Shards that were given, held as well.
    shards: Vec<Kept>,
    cache: Cache,
    supply: Supply,
    interrupt: Interrupt,
    /// When the tool's time is over.
    until: Option<Instant>,
}

impl Ear for Listener {
    fn hear(&mut self, line: &[u8], process: &mut Process) -> Heard {
        match self.conversation.hear(line) {
            Ok(Event::Nothing) => Heard::On,
            Ok(Event::Shard(request)) => {
                let answer = match self.shard(&request) {
                    Ok(path) => wire::shard_found(request.request, &path),
                    Err(because) => wire::shard_refused(request.request, &because),
                };
                process.send(answer);
                Heard::On
            }
            Ok(Event::Output(output)) => Heard::Answer(Ok(output)),
            Ok(Event::Failed(message)) => Heard::Answer(Err(Fault::new(FaultKind::ToolError, message))),
            Err(violation) => Heard::Broken(violation.to_string()),
        }
    }
}

impl Listener {
    /// Where the tool finds the shard that it asks for, or why it does not.
    fn shard(&mut self, request: &ShardRequest) -> Result<String, String> {
        let quoted = request.resource.escape_debug();
        let missing = || format!("`{quoted}` is not here");
        let (need, map) = self.kept.get(&request.resource).ok_or_else(missing)?;
        if !need.is_map {
            return Err(format!("`{quoted}` is no set of shards"));
        }
        let set = match self.sets.entry(request.resource.clone()) {
            Entry::Occupied(set) => set.into_mut(),
            Entry::Vacant(free) => free.insert(Shards::read(&need.wanted, map).map_err(|error| told(&error))),
        };
        let path = request.path.as_str();
        let wanted = set.as_ref().map_err(Clone::clone)?.shard(path);
        let wanted = wanted.ok_or_else(|| format!("`{quoted}` has no shard `{}`", path.escape_debug()))?;
        let shelf = self.shelf.as_ref().ok_or_else(missing)?;
        let below = request.path.to_os().map_err(|problem| problem.to_string())?;
        let place = shelf.shards.join(&need.name).join(below);
        let inside = format!("{SHARDS}/{}/{path}", need.name);
        // One that was given before is there.
        if fs::symlink_metadata(&place).is_ok_and(|found| found.is_file()) {
            return Ok(inside);
        }
        let patience = Patience { interrupt: &self.interrupt, until: self.until };
        let kept = self.cache.obtain(&wanted, &self.supply, &patience).map_err(|error| told(&error))?;
        shelf
            .put(&kept, &place)
            .map_err(|_| "this host cannot put it where the tool would see it".to_owned())?;
        self.shards.push(kept);
        Ok(inside)
    }
}

/// What a tool is told of an error: nothing of where things are on this host.
fn told(error: &resource::Error) -> String {
    match error {
        resource::Error::Io { .. } => "this host cannot keep it".to_owned(),
        resource::Error::Full { .. } => "this host has no room for it".to_owned(),
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::name_of;

    #[test]
    fn an_id_is_a_file_name_or_becomes_one() {
        for plain in ["maps", "vi-maps_2.bin", "A"] {
            assert_eq!(name_of(plain), plain);
        }
        for other in ["..", ".", ".hidden", "a/b", "a b", "ü", "@a", "../../etc"] {
            let name = name_of(other);
            assert!(name.len() == 65 && name.starts_with('@'), "{name}");
        }
    }
}
