//! [`Audit`]: the programs that a run started, and those it was refused.
//!
//! Prevention needs no tracer: the kernel refuses what is not listed. A test that must tell what was tried, and by whom,
//! follows the run from outside: a thread sees each new program after the kernel has committed it and before its first
//! instruction, and takes down which file it is, by device and number, because a name may have been exchanged.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};

use crate::beneath::Beneath;
use crate::inside::Errno;
use crate::inside::trace::{self, Event, GoOn, Question, Stop};
use crate::plan::{Item, Plan, Programs};
use crate::run::Error;
use crate::step::Step;
use crate::system;

/// The most programs of each kind that are told.
const TOLD_AT_MOST: usize = 1024;
/// The longest name that is read.
const NAME_AT_MOST: usize = 4096;
/// The most files of one listed folder.
const FILES_AT_MOST: usize = 65_536;

/// The programs of one run, each once and in the order in which they were first seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audit {
    /// The programs that began.
    pub started: Vec<Started>,
    /// What did not begin.
    pub refused: Vec<Refused>,
    /// Whether there were more than are told.
    pub more: bool,
}

/// A program that began.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Started {
    /// The file, by the name it has inside.
    pub path: PathBuf,
    /// Its device, on this host.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
}

/// A program that did not begin.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Refused {
    /// What was asked for. The program said so; it may have been another name by the time the kernel looked.
    pub asked: PathBuf,
    /// Why.
    pub because: Because,
}

/// Why a program did not begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Because {
    /// The kernel gave this error: 2 for what does not exist inside, 13 for what is not listed.
    Errno(i32),
    /// It was loaded, but is not listed: it was ended before its first instruction. A dynamic loader that is started by
    /// itself is such a program, because it would run any other.
    Unlisted,
}

/// A file, whatever it is called.
type FileId = (u64, u64);

/// An audit that is going on.
#[derive(Debug)]
pub(crate) struct Following {
    thread: JoinHandle<Audit>,
}

/// Begins to follow `process`, which waits before its first program.
pub(crate) fn follow(process: i32, plan: &Plan) -> Result<Following, Error> {
    let step = |source| Error::Step { step: Step::Trace, source };
    let listed = listed(plan).map_err(step)?;
    let (say, said) = channel();
    let thread = thread::Builder::new()
        .name("sandbox audit".to_owned())
        .spawn(move || watch(process, listed.as_ref(), &say))
        .map_err(step)?;
    match said.recv() {
        Ok(Ok(())) => Ok(Following { thread }),
        Ok(Err(Errno(errno))) => Err(step(io::Error::from_raw_os_error(errno))),
        Err(_gone) => Err(Error::Lost),
    }
}

impl Following {
    /// Waits for the end of everything that is followed, which must be near.
    pub(crate) fn finish(self) -> Result<Audit, Error> {
        self.thread.join().map_err(|_panic| Error::Lost)
    }
}

/// The files that may be started; `None` for any.
fn listed(plan: &Plan) -> io::Result<Option<BTreeSet<FileId>>> {
    let Programs::Listed(programs) = &plan.programs else { return Ok(None) };
    let mut files = BTreeSet::new();
    for program in programs {
        let Some(path) = outside(program, &plan.tree) else { continue };
        let Ok(metadata) = fs::metadata(&path) else { continue };
        if metadata.is_file() {
            files.insert((metadata.dev(), metadata.ino()));
        } else if metadata.is_dir() {
            Beneath::open_folder(&path)?.walk(FILES_AT_MOST, |found| {
                files.insert((found.stat.st_dev, found.stat.st_ino));
                Ok(())
            })?;
        }
    }
    // A loader has to be listed for the kernel's sake, to load what is started.
    for loader in system::loaders() {
        if let Ok(metadata) = fs::metadata(loader) {
            files.remove(&(metadata.dev(), metadata.ino()));
        }
    }
    Ok(Some(files))
}

/// What `inside` is on the host.
fn outside(inside: &Path, tree: &[Item]) -> Option<PathBuf> {
    let holding = tree.iter().rev().find_map(|item| match item {
        Item::Host { from, at, .. } => Some((from, inside.strip_prefix(at).ok()?)),
        _ => None,
    });
    let (from, rest) = holding?;
    Some(if rest.as_os_str().is_empty() { from.clone() } else { from.join(rest) })
}

/// Follows until nothing is left.
fn watch(process: i32, listed: Option<&BTreeSet<FileId>>, say: &Sender<Result<(), Errno>>) -> Audit {
    let begun = trace::follow(process);
    // Whoever asked waits for this.
    let _told = say.send(begun);
    let mut notes = Notes::default();
    if begun.is_err() {
        return notes.audit;
    }
    // What each process has asked for and not got an answer to yet.
    let mut asked: BTreeMap<i32, PathBuf> = BTreeMap::new();
    loop {
        let (process, stop) = match trace::next() {
            Ok(Some(Event::Stopped(process, stop))) => (process, stop),
            Ok(Some(Event::Ended(process))) => {
                asked.remove(&process);
                continue;
            }
            Err(Errno(libc::EINTR)) => continue,
            Ok(None) | Err(_) => return notes.audit,
        };
        let how = match stop {
            Stop::Asked(question) => {
                asked.insert(process, name(process, question));
                GoOn::UntilAnswer
            }
            Stop::Program => {
                let name = asked.remove(&process);
                if notes.program(process, name, listed) { GoOn::With(0) } else { GoOn::With(libc::SIGKILL) }
            }
            Stop::Answered(value) => {
                if let (Some(asked), true) = (asked.remove(&process), value < 0) {
                    let errno = i32::try_from(value.saturating_neg()).unwrap_or(i32::MAX);
                    notes.refused(Refused { asked, because: Because::Errno(errno) });
                }
                GoOn::With(0)
            }
            Stop::Whole => GoOn::Stopped,
            Stop::Signal(signal) => GoOn::With(signal),
        };
        if how == GoOn::With(libc::SIGKILL) && stop == Stop::Program {
            kill(process);
        }
        trace::go_on(process, how);
    }
}

fn kill(process: i32) {
    if let Some(process) = rustix::process::Pid::from_raw(process) {
        // It may have ended already, which is as good.
        let _killed = rustix::process::kill_process(process, rustix::process::Signal::KILL);
    }
}

/// What is taken down.
#[derive(Default)]
struct Notes {
    audit: Audit,
    started: BTreeSet<Started>,
    refused: BTreeSet<Refused>,
}

impl Notes {
    /// Takes down the program that `process` is about to be; whether it may.
    fn program(&mut self, process: i32, asked: Option<PathBuf>, listed: Option<&BTreeSet<FileId>>) -> bool {
        let link = format!("/proc/{process}/exe");
        let path = fs::read_link(&link).ok().or(asked).unwrap_or_default();
        // One that is gone already runs nothing.
        let Ok(metadata) = fs::metadata(&link) else { return true };
        let file = (metadata.dev(), metadata.ino());
        if listed.is_some_and(|listed| !listed.contains(&file)) {
            self.refused(Refused { asked: path, because: Because::Unlisted });
            return false;
        }
        let started = Started { path, device: file.0, inode: file.1 };
        if !self.started.contains(&started) {
            if self.audit.started.len() < TOLD_AT_MOST {
                self.started.insert(started.clone());
                self.audit.started.push(started);
            } else {
                self.audit.more = true;
            }
        }
        true
    }

    fn refused(&mut self, refused: Refused) {
        if !self.refused.contains(&refused) {
            if self.audit.refused.len() < TOLD_AT_MOST {
                self.refused.insert(refused.clone());
                self.audit.refused.push(refused);
            } else {
                self.audit.more = true;
            }
        }
    }
}

/// The name that `process` asked for, as far as it can be read.
fn name(process: i32, question: Question) -> PathBuf {
    let name = text(process, question.name).unwrap_or_default();
    let by_descriptor = question.folder.filter(|folder| *folder != libc::AT_FDCWD && !name.starts_with(b"/"));
    let name = PathBuf::from(OsString::from_vec(name));
    match by_descriptor.and_then(|folder| fs::read_link(format!("/proc/{process}/fd/{folder}")).ok()) {
        Some(file) if name.as_os_str().is_empty() => file,
        Some(folder) => folder.join(name),
        None => name,
    }
}

/// A text in the memory of `process`, up to its end.
fn text(process: i32, address: u64) -> io::Result<Vec<u8>> {
    const PAGE: u64 = 4096;
    let memory = File::open(format!("/proc/{process}/mem"))?;
    let mut text = Vec::new();
    let mut at = address;
    while text.len() < NAME_AT_MOST {
        // Up to the end of a page, because the next may not be there.
        let mut page = [0; 4096];
        let left = usize::try_from(PAGE - at % PAGE).unwrap_or(page.len());
        let Some(part) = page.get_mut(..left) else { break };
        let count = memory.read_at(part, at)?;
        let part = part.get(..count).unwrap_or_default();
        if let Some(end) = part.iter().position(|byte| *byte == 0) {
            text.extend_from_slice(part.get(..end).unwrap_or_default());
            break;
        }
        if count == 0 {
            break;
        }
        text.extend_from_slice(part);
        at = at.saturating_add(u64::try_from(count).unwrap_or(PAGE));
    }
    text.truncate(NAME_AT_MOST);
    Ok(text)
}
