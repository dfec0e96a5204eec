//! [`Node`]: the Node.js at hand, with what it says that it understands. Flags differ from version to version, and nobody is
//! started with one it does not know: it is asked once, and the answer kept for as long as the program is the same file.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use kitbag_core::digest::Sha256;
use kitbag_core::limits::read_bounded;
use kitbag_core::version::Version;
use serde_json::Value as Plain;

use crate::draft::{Existing, FileDraft, make_private};

use super::interpreter::{self, Interpreter, Kind};
use super::{Error, Request};

/// The folder of a cache that keeps what interpreters say of themselves.
const KEPT: &str = "interpreters";
/// The most bytes of what is kept of one.
const KEPT_BYTES: u64 = 64 << 10;
/// Asks for the version and the flags.
const QUESTION: &str =
    "JSON.stringify({ version: process.version, flags: [...process.allowedNodeEnvironmentFlags] })";

/// A Node.js.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) interpreter: Interpreter,
    pub(super) version: Version,
    flags: BTreeSet<String>,
}

/// What of the world inside a second layer lets through: Node's own permissions, which are no boundary, but give what they
/// refuse a name.
#[derive(Clone, Debug, Default)]
pub(super) struct Grants {
    /// What is read, with everything below it.
    pub(super) read: Vec<String>,
    /// What is written as well.
    pub(super) write: Vec<String>,
    /// Whether there is a network at all.
    pub(super) has_network: bool,
}

impl Node {
    /// The first in `PATH`, which must be of a version in `range`, in npm's grammar.
    pub(super) fn find(range: Option<&str>, request: &Request) -> Result<Self, Error> {
        let interpreter = interpreter::first(Kind::Node, request)?;
        let place = place(&interpreter.program, &request.cache);
        if let Some(node) = place.as_deref().ok().and_then(|place| Self::kept(place, &interpreter)) {
            return node.checked(range);
        }
        let said = interpreter.says(&["-p", QUESTION], request)?;
        let node = said.as_deref().and_then(|said| Self::read(said, &interpreter));
        let node = node.ok_or_else(|| interpreter.is_silent())?;
        if let (Ok(place), Some(said)) = (place, said) {
            // Not kept, it is asked again.
            let _kept = keep(&place, said.trim());
        }
        node.checked(range)
    }

    fn checked(self, range: Option<&str>) -> Result<Self, Error> {
        if let Some(range) = range {
            Kind::Node.check(&self.version, range)?;
        }
        Ok(self)
    }

    fn kept(place: &Path, interpreter: &Interpreter) -> Option<Self> {
        let bytes = read_bounded(&mut File::open(place).ok()?, 0, KEPT_BYTES).ok()?;
        Self::read(std::str::from_utf8(&bytes).ok()?, interpreter)
    }

    fn read(said: &str, interpreter: &Interpreter) -> Option<Self> {
        let said: Plain = serde_json::from_str(said).ok()?;
        let version = Version::parse(said["version"].as_str()?.trim_start_matches('v')).ok()?;
        let flags = said["flags"].as_array()?.iter().filter_map(|flag| Some(flag.as_str()?.to_owned()));
        Some(Self { interpreter: interpreter.clone(), version, flags: flags.collect() })
    }

    /// Whether it understands `flag`.
    pub(super) fn has(&self, flag: &str) -> bool {
        self.flags.contains(flag)
    }

    /// The flags to start `script` with, as far as it understands them, and the script.
    pub(super) fn arguments(&self, script: &str, grants: &Grants) -> Vec<OsString> {
        let mut arguments: Vec<String> =
            ["--no-addons", "--disallow-code-generation-from-strings"].map(str::to_owned).into();
        // Warnings of what is experimental are about us, not about the tool.
        if self.has("--disable-warning") {
            arguments.extend(
                ["ExperimentalWarning", "SecurityWarning"].map(|kind| format!("--disable-warning={kind}")),
            );
        } else {
            arguments.push("--no-warnings".to_owned());
        }
        let permission =
            ["--permission", "--experimental-permission"].into_iter().find(|flag| self.has(flag));
        if let Some(permission) = permission {
            arguments.push(permission.to_owned());
            let read = grants.read.iter().chain(&grants.write).map(|path| ("--allow-fs-read", path));
            let written = grants.write.iter().map(|path| ("--allow-fs-write", path));
            arguments.extend(read.chain(written).map(|(flag, path)| format!("{flag}={path}")));
            if grants.has_network && self.has("--allow-net") {
                arguments.push("--allow-net".to_owned());
            }
            // Where modules are watched from a thread of its own; tools get none.
            if !self.watches_modules_itself() && self.has("--allow-worker") {
                arguments.push("--allow-worker".to_owned());
            }
        }
        arguments.push(script.to_owned());
        arguments.into_iter().map(Into::into).collect()
    }

    /// Whether it takes types out of modules by itself (from 22.18 and 23.6 on).
    pub(super) fn strips_types_itself(&self) -> bool {
        let least = if self.version.major() == 23 { (23, 6) } else { (22, 18) };
        (self.version.major(), self.version.minor()) >= least
    }

    /// Whether it lets a program watch its own modules being loaded (from 22.15 on): before, another thread does.
    fn watches_modules_itself(&self) -> bool {
        let least = if self.version.major() == 23 { (23, 5) } else { (22, 15) };
        (self.version.major(), self.version.minor()) >= least
    }
}

/// Where what `program` says is kept: by what tells one file from another.
fn place(program: &Path, cache: &Path) -> io::Result<PathBuf> {
    let real = fs::canonicalize(program)?;
    let metadata = fs::metadata(&real)?;
    let identity = format!("1\0{}\0{}\0{:?}", real.display(), metadata.len(), metadata.modified()?);
    #[cfg(unix)]
    let identity = {
        use std::os::unix::fs::MetadataExt as _;
        format!("{identity}\0{}\0{}", metadata.dev(), metadata.ino())
    };
    Ok(cache.join(KEPT).join(Sha256::of(identity.as_bytes()).to_string()))
}

fn keep(place: &Path, said: &str) -> io::Result<()> {
    let folder = crate::draft::folder_of(place);
    make_private(folder)?;
    let mut draft = FileDraft::new(folder)?;
    draft.file().write_all(said.as_bytes())?;
    draft.commit(place, Existing::Replace)
}
