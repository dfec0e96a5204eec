//! Modules of a package without their types (Splice 1, "Tool module contract": erasable syntax only). What is taken out once is
//! kept under the digest of these files and the engine: same length, same lines, same columns.
//!
//! A parser of somebody else reads what a stranger wrote: it does so in a process of its own, in a sandbox that holds nothing
//! but itself. What ends that process is a fault of the file it was reading.

#[cfg(feature = "typescript")]
mod strip;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kitbag_core::digest::Sha256;
use kitbag_core::limits::read_bounded;
use kitbag_core::path::PackagePath;
use kitbag_core::tree::{Blob, FilesDigest, Node, Tree};
use kitbag_sandbox::{Ending, Limits, Plan, System};
use serde::{Deserialize, Serialize};

use crate::draft::{Existing, FolderDraft, exists, make_private};
use crate::interrupt::Interrupt;

use super::{Error, Request};

#[cfg(feature = "typescript")]
pub use strip::inner_stripper;

/// What takes the types out: another version may do it otherwise.
const ENGINE: &str = "swc_ts_fast_strip 60.0.0, 1";
/// The folder of modules without types in a cache.
const KEPT: &str = "typescript";
/// What tells of the others in such a folder.
const INDEX: &str = "index.json";
/// The most bytes of an index: a thousand entries and more.
const INDEX_BYTES: u64 = 4 << 20;
/// The most bytes of a module (Splice 1, "Package directory").
const MODULE_BYTES: u64 = 2 << 20;
/// The word by which a program knows that it was started to take out types.
const STRIPPER: &str = "kitbag-typescript";
/// How long all modules of a package may take.
const WITHIN: Duration = Duration::from_secs(60);
/// Modules that end the process they are read in, before all of a package is given up.
const ENDS_AT_MOST: usize = 16;

/// A package's modules without types.
#[derive(Clone, Debug)]
pub(super) struct Stripped {
    /// The folder they are in, under the names they have in the package.
    pub(super) folder: PathBuf,
    /// Modules that are none without their types, and why.
    pub(super) faults: Vec<(PackagePath, String)>,
}

/// What is kept of one module.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Kept {
    /// It is there, and has this digest.
    Digest(String),
    /// It cannot be there.
    Fault(String),
}

type Index = BTreeMap<String, Kept>;

/// One module, as it is sent to be read.
#[derive(Debug, Deserialize, Serialize)]
struct Module {
    path: String,
    text: String,
}

/// What became of it.
#[derive(Debug, Deserialize, Serialize)]
struct Became {
    path: String,
    result: Result<String, Fault>,
}

/// Why a module is none without its types.
#[derive(Debug, Deserialize, Serialize)]
struct Fault {
    /// From 1.
    line: usize,
    /// From 1, in characters.
    column: usize,
    message: String,
}

/// Whether a file of a package has types to be taken out.
pub(super) fn is_typed(path: &PackagePath) -> bool {
    [".ts", ".mts", ".cts"].iter().any(|end| path.name().ends_with(end))
}

/// Whether `request` has somebody who takes out types.
pub(super) fn is_possible(request: &Request) -> bool {
    cfg!(feature = "typescript") && request.stage.is_some()
}

/// The modules of the package in `tree` without their types; taken out now when nobody has before.
pub(super) fn stripped(tree: &Tree, request: &Request) -> Result<Stripped, Error> {
    let kept = request.cache.join(KEPT);
    make_private(&kept).map_err(Error::Copy)?;
    let modules: Vec<(&PackagePath, &Blob)> = tree
        .iter()
        .filter_map(|(path, node)| match node {
            Node::File(blob) if is_typed(path) => Some((path, blob)),
            _ => None,
        })
        .collect();
    let digest = FilesDigest::of(modules.iter().copied()).map_err(Error::Copy)?;
    let name = Sha256::of(format!("{ENGINE}\0{digest}").as_bytes()).to_string();
    let folder = kept.join(&name);
    let is_there = exists(&folder).map_err(Error::Copy)?;
    if is_there && let Some(stripped) = found(&folder, &modules) {
        return Ok(stripped);
    }
    let index = take_out(&modules, request, |became| write(&kept, &name, became, is_there))?;
    let faults = faults(&index, &modules).unwrap_or_default();
    Ok(Stripped { folder, faults })
}

/// What is kept in `folder`, when it is all there and as it was.
fn found(folder: &Path, modules: &[(&PackagePath, &Blob)]) -> Option<Stripped> {
    let index: Index = serde_json::from_slice(&bounded(&folder.join(INDEX), INDEX_BYTES)?).ok()?;
    for (path, kept) in &index {
        let Kept::Digest(digest) = kept else { continue };
        let below = PackagePath::new(path).ok()?.to_os().ok()?;
        let bytes = bounded(&folder.join(below), 2 * MODULE_BYTES)?;
        if Sha256::of(&bytes).to_string() != *digest {
            return None;
        }
    }
    Some(Stripped { folder: folder.to_owned(), faults: faults(&index, modules)? })
}

/// The faults of an index that speaks of each of `modules`.
fn faults(index: &Index, modules: &[(&PackagePath, &Blob)]) -> Option<Vec<(PackagePath, String)>> {
    let mut faults = Vec::new();
    for (path, _) in modules {
        if let Kept::Fault(message) = index.get(path.as_str())? {
            faults.push(((*path).clone(), message.clone()));
        }
    }
    Some(faults)
}

fn bounded(path: &Path, at_most: u64) -> Option<Vec<u8>> {
    let metadata = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
    read_bounded(&mut File::open(path).ok()?, metadata.len(), at_most).ok()
}

/// Writes what modules became into the folder `name` of `kept`, at once.
fn write(kept: &Path, name: &str, became: &[Became], is_there: bool) -> io::Result<Index> {
    let wrong = |problem| io::Error::new(io::ErrorKind::InvalidInput, problem);
    let draft = FolderDraft::new(kept, became.len())?;
    let mut index = Index::new();
    let interrupt = Interrupt::new();
    let put = |below: &str, bytes: Vec<u8>| {
        let path = PackagePath::new(&format!("{name}/{below}")).map_err(wrong)?;
        let blob = Blob::from_bytes(bytes);
        draft.file(&path, &blob, blob.executable(), &interrupt)
    };
    for one in became {
        let about = match &one.result {
            Ok(text) => {
                put(&one.path, text.clone().into_bytes())?;
                Kept::Digest(Sha256::of(text.as_bytes()).to_string())
            }
            Err(Fault { line, column, message }) => {
                Kept::Fault(format!("{}:{line}:{column}: {message}", one.path))
            }
        };
        index.insert(one.path.clone(), about);
    }
    put(INDEX, serde_json::to_vec(&index)?)?;
    let existing = if is_there { Existing::Replace } else { Existing::Keep };
    match draft.commit_each(kept, &[(name.to_owned(), existing)]) {
        // Somebody else took the same types out meanwhile.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(index),
        done => done.map(|()| index),
    }
}

/// Has the types of `modules` taken out.
fn take_out(
    modules: &[(&PackagePath, &Blob)],
    request: &Request,
    write: impl FnOnce(&[Became]) -> io::Result<Index>,
) -> Result<Index, Error> {
    let mut became = Vec::new();
    let mut sent = Vec::new();
    for (path, blob) in modules {
        let mut content = blob.open().map_err(Error::Copy)?;
        let bytes = read_bounded(&mut content, blob.len(), MODULE_BYTES)
            .map_err(|error| Error::Copy(io::Error::other(error.to_string())))?;
        let path = path.as_str().to_owned();
        match String::from_utf8(bytes) {
            Ok(text) => sent.push(Module { path, text }),
            Err(error) => became.push(Became { path, result: Err(not_utf8(error.as_bytes())) }),
        }
    }
    let mut ends = 0;
    while !sent.is_empty() {
        let (told, ending) = told(&sent, request)?;
        let count = told.len().min(sent.len());
        sent.drain(..count);
        became.extend(told);
        if sent.is_empty() || (ending == Ending::Exited(0) && count > 0) {
            continue;
        }
        ends += 1;
        // It ended in the middle of the next one, or of what is given up.
        let given_up = if ends < ENDS_AT_MOST { 1 } else { sent.len() };
        became.extend(sent.drain(..given_up).map(|module| Became {
            path: module.path,
            result: Err(Fault {
                line: 1,
                column: 1,
                message: format!("the module is too large or too deeply nested to be read ({ending})"),
            }),
        }));
    }
    write(&became).map_err(Error::Copy)
}

fn not_utf8(bytes: &[u8]) -> Fault {
    let valid = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let line = valid.matches('\n').count() + 1;
    let column = valid.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
    Fault { line, column, message: "the bytes here are not UTF-8".to_owned() }
}

/// What a process of its own makes of `modules`, one by one as far as it gets.
fn told(modules: &[Module], request: &Request) -> Result<(Vec<Became>, Ending), Error> {
    let program = request.stage.clone().ok_or_else(|| super::unsupported("nobody takes out types here"))?;
    let mut input = Vec::new();
    for module in modules {
        serde_json::to_writer(&mut input, module).map_err(|error| Error::Copy(error.into()))?;
        input.push(b'\n');
    }
    let system = System::with_programs(std::slice::from_ref(&program)).map_err(Error::Program)?;
    let limits = Limits {
        wall: WITHIN,
        cpu: Some(WITHIN.as_secs()),
        output: 64 << 20,
        memory: Some(2 << 30),
        processes: Some(8),
        ..Limits::default()
    };
    let plan = Plan {
        arguments: vec![STRIPPER.into()],
        limits,
        input,
        ..Plan::new(program, system.items, system.programs)
    };
    let outcome = kitbag_sandbox::run_with(&plan, &request.settings()).map_err(Error::Sandbox)?.outcome;
    let lines = outcome.output.split(|byte| *byte == b'\n');
    let told = lines.map_while(|line| serde_json::from_slice::<Became>(line).ok());
    // Of what it was sent, in the order it was sent.
    let told = told.zip(modules).take_while(|(became, module)| became.path == module.path);
    Ok((told.map(|(became, _)| became).collect(), outcome.ending))
}
