//! [`Groups`]: the control groups of one run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno as Refusal;
use rustix::process::{Pid, PidfdFlags, Signal};

use super::found::{self, Place, Version};
use crate::inside::{Entry, Fd};
use crate::outcome::Breach;
use crate::plan::Limits;

/// What a group counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Counted {
    /// Memory of all processes together, files in memory among it.
    Memory,
    /// Processes and threads.
    Processes,
    /// Processor time of all processes together, those that have ended among them.
    Cpu,
}

impl Counted {
    /// The controller that counts it; processor time has one only in version 1.
    pub(super) const fn controller(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Processes => "pids",
            Self::Cpu => "cpuacct",
        }
    }
}

/// What the groups of a run keep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keeps(BTreeSet<Counted>);

impl Keeps {
    pub(crate) fn has(&self, counted: Counted) -> bool {
        self.0.contains(&counted)
    }
}

/// The groups of one run. When they are let go, they are gone.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    made: Vec<Group>,
}

/// One of them.
#[derive(Debug)]
struct Group {
    version: Version,
    path: PathBuf,
    /// Its folder. It is locked as long as somebody lives whose group it is.
    folder: OwnedFd,
    /// Where a process of version 1 writes itself in.
    tasks: Option<OwnedFd>,
    counts: BTreeSet<Counted>,
}

/// What the name of a run's group begins with.
const NAME: &str = "kitbag-run-";

/// The most names that are tried.
const NAMES_AT_MOST: usize = 64;

/// The most bytes of a file of a group.
const FILE_AT_MOST: u64 = 4096;

/// How often a group is tried to be removed, and how long is waited in between, at first and at most. The kernel may still
/// have to do with a process that has ended, mostly for some microseconds.
const TRIES: usize = 1000;
const TRY_AFTER: Duration = Duration::from_micros(20);
const TRY_EVERY: Duration = Duration::from_millis(1);

impl Groups {
    /// Groups that keep what they can of `limits`. Where none can be made, none is.
    pub(crate) fn make(limits: &Limits) -> Self {
        let wanted = [
            (limits.memory_in_all.is_some(), Counted::Memory),
            (limits.processes.is_some(), Counted::Processes),
            (limits.cpu_in_all.is_some(), Counted::Cpu),
        ];
        let wanted: BTreeSet<Counted> =
            wanted.into_iter().filter_map(|(is, counted)| is.then_some(counted)).collect();
        if wanted.is_empty() {
            return Self::default();
        }
        Self::at(&found::places(&wanted), limits)
    }

    fn at(places: &[Place], limits: &Limits) -> Self {
        let made = places.iter().filter(|place| works(place)).filter_map(|place| {
            let group = Group::make(place).ok()?;
            group.limit(limits).ok()?;
            Some(group)
        });
        Self { made: made.collect() }
    }

    /// What they keep.
    pub(crate) fn keeps(&self) -> Keeps {
        Keeps(self.made.iter().flat_map(|group| group.counts.iter().copied()).collect())
    }

    /// Lets `count` processes be in them at once, if they keep that.
    pub(crate) fn admit(&self, count: Option<u64>) -> io::Result<()> {
        match (self.counting(Counted::Processes), count) {
            (Some(group), Some(count)) => group.write("pids.max", &count.to_string()),
            _ => Ok(()),
        }
    }

    /// How a first process begins in them.
    pub(crate) fn entry(&self) -> Entry {
        let number = |fd: &OwnedFd| Fd(fd.as_raw_fd());
        let of_two = self.made.iter().find(|group| group.version == Version::Two);
        Entry {
            into: of_two.map(|group| number(&group.folder)),
            written: self.made.iter().filter_map(|group| group.tasks.as_ref()).map(number).collect(),
        }
    }

    /// The limit that was gone over, if one was.
    pub(crate) fn breach(&self) -> Option<Breach> {
        if self.counting(Counted::Memory).is_some_and(Group::is_out_of_memory) {
            return Some(Breach::Memory);
        }
        self.counting(Counted::Processes).is_some_and(Group::is_full).then_some(Breach::Processes)
    }

    /// The processor time that was used, if they count it.
    pub(crate) fn cpu(&self) -> Option<Duration> {
        self.counting(Counted::Cpu)?.cpu()
    }

    /// Ends everything in them, where the kernel can do that. Everything in a sandbox ends with its first process as well.
    pub(crate) fn kill(&self) {
        for group in self.made.iter().filter(|group| group.version == Version::Two) {
            // Kernels before 5.14 have no such file.
            let _killed = group.write("cgroup.kill", "1");
        }
    }

    fn counting(&self, counted: Counted) -> Option<&Group> {
        self.made.iter().find(|group| group.counts.contains(&counted))
    }
}

impl Group {
    /// Makes a group, with a name that nobody has, and takes hold of it.
    fn make(place: &Place) -> io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        for _ in 0..NAMES_AT_MOST {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = place.above.join(format!("{NAME}{}-{number}", std::process::id()));
            match fs::create_dir(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                made => made?,
            }
            match lock(&path) {
                Ok(folder) => {
                    let (version, counts) = (place.version, place.counts.clone());
                    // From here on it is removed when it is let go.
                    let mut group = Self { version, path, folder, tasks: None, counts };
                    if version == Version::One {
                        group.tasks = Some(group.open("tasks", OFlags::WRONLY)?);
                    }
                    return Ok(group);
                }
                // Whoever clears up thought that it was left, and removes it.
                Err(Refusal::AGAIN | Refusal::NOENT) => {}
                Err(refusal) => {
                    let _removed = fs::remove_dir(&path);
                    return Err(refusal.into());
                }
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Sets what is known before anybody is in it, and sees that it can be told when that is gone over.
    fn limit(&self, limits: &Limits) -> io::Result<()> {
        let unknown = || io::Error::from(io::ErrorKind::Unsupported);
        if self.counts.contains(&Counted::Cpu) {
            self.cpu().ok_or_else(unknown)?;
        }
        if self.counts.contains(&Counted::Processes) {
            self.number_in("pids.events", "max").ok_or_else(unknown)?;
        }
        let Some(memory) = limits.memory_in_all.filter(|_| self.counts.contains(&Counted::Memory)) else {
            return Ok(());
        };
        let memory = memory.to_string();
        match self.version {
            Version::One => {
                self.write("memory.limit_in_bytes", &memory)?;
                self.write_if_there("memory.memsw.limit_in_bytes", &memory)?;
                self.number_in("memory.oom_control", "oom_kill").ok_or_else(unknown)?;
            }
            Version::Two => {
                self.write("memory.max", &memory)?;
                self.write_if_there("memory.swap.max", "0")?;
                // One process less is no way to go on.
                self.write_if_there("memory.oom.group", "1")?;
                self.number_in("memory.events", "oom_kill").ok_or_else(unknown)?;
            }
        }
        Ok(())
    }

    /// Whether somebody in it was ended because there was no more memory here, and not because the host had none.
    fn is_out_of_memory(&self) -> bool {
        let (killed, is_here) = match self.version {
            Version::One => (self.number_in("memory.oom_control", "oom_kill"), self.was_full_of_memory()),
            Version::Two => (
                self.number_in("memory.events", "oom_kill"),
                self.number_in("memory.events", "oom").is_some_and(|count| count > 0),
            ),
        };
        is_here && killed.is_some_and(|count| count > 0)
    }

    /// Whether a group of version 1 has been as full as it may be. How often something was refused is not counted reliably
    /// where memory and memory with swap have one limit.
    fn was_full_of_memory(&self) -> bool {
        /// What the kernel takes for a processor at once, and gives back when it is refused.
        const AT_ONCE: u64 = 1 << 20;
        let most =
            self.number("memory.max_usage_in_bytes").max(self.number("memory.memsw.max_usage_in_bytes"));
        let limit = self.number("memory.limit_in_bytes");
        most.zip(limit).is_some_and(|(most, limit)| most.saturating_add(AT_ONCE) >= limit)
    }

    /// Whether a process was not made because there were too many.
    fn is_full(&self) -> bool {
        self.number_in("pids.events", "max").is_some_and(|count| count > 0)
    }

    fn cpu(&self) -> Option<Duration> {
        match self.version {
            Version::One => self.number("cpuacct.usage").map(Duration::from_nanos),
            Version::Two => self.number_in("cpu.stat", "usage_usec").map(Duration::from_micros),
        }
    }

    fn open(&self, name: &str, how: OFlags) -> Result<OwnedFd, Refusal> {
        let how = how | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        rustix::io::retry_on_intr(|| rustix::fs::openat(&self.folder, name, how, Mode::empty()))
    }

    fn write(&self, name: &str, value: &str) -> io::Result<()> {
        let file = self.open(name, OFlags::WRONLY)?;
        // The kernel takes a value at once or refuses it.
        rustix::io::retry_on_intr(|| rustix::io::write(&file, value.as_bytes()))?;
        Ok(())
    }

    fn write_if_there(&self, name: &str, value: &str) -> io::Result<()> {
        match self.write(name, value) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            written => written,
        }
    }

    fn read(&self, name: &str) -> Option<String> {
        let file = fs::File::from(self.open(name, OFlags::RDONLY).ok()?);
        let mut text = String::new();
        file.take(FILE_AT_MOST).read_to_string(&mut text).ok()?;
        Some(text)
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.read(name)?.trim().parse().ok()
    }

    /// The number behind `key` in a file of keys.
    fn number_in(&self, name: &str, key: &str) -> Option<u64> {
        self.read(name)?.lines().find_map(|line| {
            let (found, number) = line.split_once(' ')?;
            (found == key).then(|| number.trim().parse().ok())?
        })
    }
}

impl Group {
    /// The processes that are in it, as far as they fit.
    fn processes(&self) -> Vec<Pid> {
        let text = self.read("cgroup.procs").unwrap_or_default();
        text.lines().filter_map(|line| Pid::from_raw(line.parse().ok()?)).collect()
    }

    /// Ends whoever is still in it: where the kernel has ended a sandbox's first process, others may go on.
    fn end_all(&self) {
        for process in self.processes() {
            let Ok(held) = rustix::process::pidfd_open(process, PidfdFlags::empty()) else { continue };
            // The number may be somebody else's by now; whoever is held and in here is meant.
            if self.processes().contains(&process) {
                let _ended = rustix::process::pidfd_send_signal(&held, Signal::KILL);
            }
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let mut pause = TRY_AFTER;
        for _ in 0..TRIES {
            match fs::remove_dir(&self.path) {
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                    self.end_all();
                    thread::sleep(pause);
                    pause = TRY_EVERY.min(pause * 2);
                }
                // Gone, or nothing that this process could remove.
                _ => return,
            }
        }
    }
}

/// Takes hold of a group's folder, as long as nobody else has.
fn lock(path: &Path) -> Result<OwnedFd, Refusal> {
    let how = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let folder = rustix::fs::open(path, how, Mode::empty())?;
    is_of_groups(folder.as_fd())?;
    rustix::fs::flock(&folder, FlockOperation::NonBlockingLockExclusive)?;
    // It may have been removed before it was held.
    let (held, there) = (rustix::fs::fstat(&folder)?, rustix::fs::lstat(path)?);
    if held.st_ino == there.st_ino { Ok(folder) } else { Err(Refusal::NOENT) }
}

/// Whether `folder` is a group, whatever its path says: something else may be mounted there.
fn is_of_groups(folder: BorrowedFd<'_>) -> Result<(), Refusal> {
    const ONE: i64 = 0x27_e0eb;
    const TWO: i64 = 0x6367_7270;
    let kind = rustix::fs::fstatfs(folder)?.f_type;
    #[expect(clippy::useless_conversion, reason = "systems give it different types")]
    let is_group = i64::try_from(kind).is_ok_and(|kind| [ONE, TWO].contains(&kind));
    if is_group { Ok(()) } else { Err(Refusal::OPNOTSUPP) }
}

/// Whether a process can begin in a group at `place`, tried once. What runs that were killed have left there is removed.
fn works(place: &Place) -> bool {
    static KNOWN: Mutex<BTreeMap<PathBuf, bool>> = Mutex::new(BTreeMap::new());
    // Whoever panicked while he held it has left whole entries.
    let mut known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(known) = known.get(&place.above) {
        return *known;
    }
    clear_up(&place.above);
    let works = tried(place).is_ok();
    known.insert(place.above.clone(), works);
    works
}

/// Has a process begin in a group and end there.
fn tried(place: &Place) -> io::Result<()> {
    let groups = Groups { made: vec![Group::make(place)?] };
    let started = crate::inside::begin_and_end(&groups.entry())
        .map_err(|errno| io::Error::from_raw_os_error(errno.0))?;
    let ended = rustix::io::retry_on_intr(|| {
        rustix::process::waitid(
            rustix::process::WaitId::PidFd(started.pidfd.as_fd()),
            rustix::process::WaitIdOptions::EXITED,
        )
    })?;
    match ended.and_then(|ended| ended.exit_status()) {
        Some(0) => Ok(()),
        _ => Err(io::ErrorKind::PermissionDenied.into()),
    }
}

/// Removes the groups in `above` whose supervisor was killed: nobody holds them, and the kernel removes none that has a
/// process.
fn clear_up(above: &Path) {
    let Ok(entries) = fs::read_dir(above) else { return };
    let is_ours = |name: &std::ffi::OsStr| name.to_str().is_some_and(|name| name.starts_with(NAME));
    for entry in entries.flatten().filter(|entry| is_ours(&entry.file_name())) {
        if let Ok(_held) = lock(&entry.path()) {
            let _removed = fs::remove_dir(entry.path());
        }
    }
}

#[cfg(test)]
#[path = "made_tests.rs"]
mod tests;
