//! What the processes of a sandbox use together, as seen from outside.
//!
//! The kernel limits each process; only a control group counts them all, and few callers may make one. For the others the
//! supervisor looks, a few times a second. Nobody but a file system's quota counts what is written to a folder of the host,
//! so the supervisor looks at that as well.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::beneath::Beneath;
use crate::folders::Made;
use crate::outcome::Breach;
use crate::plan::{Item, Plan, Rights};

/// The most files and folders that written folders may hold, to be looked at.
const FILES_AT_MOST: usize = 500_000;

/// How often written folders are looked at, at most.
const DISK_EVERY: Duration = Duration::from_millis(250);

/// The share of its time that looking at written folders may take: one part in so many.
const DISK_SHARE: u32 = 10;

/// The disk that written folders of the host take, and how it grows.
#[derive(Debug)]
pub(crate) struct Disk {
    places: Vec<PathBuf>,
    /// What they took in the beginning.
    begun: u64,
    /// How much they may grow.
    limit: u64,
    /// The most files and folders in them.
    files: usize,
    /// When they are looked at again.
    next: Instant,
}

impl Disk {
    /// The written places of `plan`, where it limits them.
    ///
    /// # Errors
    /// When one of them cannot be looked at, or holds too much to be.
    pub(crate) fn of(plan: &Plan) -> io::Result<Option<Self>> {
        let Some(limit) = plan.limits.disk else { return Ok(None) };
        let written = |item: &Item| match item {
            Item::Host { from, rights: Rights::Write | Rights::WriteCode, .. } => Some(from.clone()),
            _ => None,
        };
        let places: Vec<PathBuf> = plan.tree.iter().filter_map(written).collect();
        if places.is_empty() {
            return Ok(None);
        }
        let begun = taken(&places, FILES_AT_MOST)?;
        Ok(Some(Self { places, begun, limit, files: FILES_AT_MOST, next: Instant::now() + DISK_EVERY }))
    }

    /// A folder of the host that was made for the run.
    pub(crate) fn of_made(made: &Made) -> Self {
        Self {
            places: vec![made.temporary.path().to_owned()],
            begun: 0,
            limit: made.bytes,
            files: usize::try_from(made.files).unwrap_or(usize::MAX).min(FILES_AT_MOST),
            next: Instant::now() + DISK_EVERY,
        }
    }

    /// When they need to be looked at again.
    pub(crate) const fn next(&self) -> Instant {
        self.next
    }

    /// Looks at them; the breach, when they have grown too much, or to more than may be or can be looked at.
    pub(crate) fn breach(&mut self) -> Option<Breach> {
        let looking = Instant::now();
        let over = match taken(&self.places, self.files) {
            Ok(bytes) => (bytes.saturating_sub(self.begun) > self.limit).then_some(Breach::Disk),
            Err(error) if error.kind() != io::ErrorKind::FileTooLarge => None,
            Err(_many) => Some(if self.files < FILES_AT_MOST { Breach::Files } else { Breach::Disk }),
        };
        let pause = DISK_EVERY.max(looking.elapsed().saturating_mul(DISK_SHARE));
        self.next = Instant::now() + pause;
        over
    }
}

/// The bytes on disk of everything in `places`, which hold no more than so many files: the blocks that these take, so that holes do not
/// count.
fn taken(places: &[PathBuf], files_at_most: usize) -> io::Result<u64> {
    const BLOCK: u64 = 512;
    let mut blocks = 0_u64;
    let mut left = files_at_most;
    for place in places {
        let metadata = fs::metadata(place)?;
        blocks = blocks.saturating_add(metadata.blocks());
        if metadata.is_dir() {
            Beneath::open_folder(place)?.walk(left, |found| {
                left -= 1;
                blocks = blocks.saturating_add(u64::try_from(found.stat.st_blocks).unwrap_or(0));
                Ok(())
            })?;
        }
    }
    Ok(blocks.saturating_mul(BLOCK))
}

/// The most processes that are looked at; more than any plan needs, and an end for a walk through what changes meanwhile.
const PROCESSES_AT_MOST: usize = 4096;

/// Whether this system tells whose child a process is.
pub(crate) fn can_be_seen() -> bool {
    fs::exists("/proc/thread-self/children").unwrap_or(false)
}

/// What processes use together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Used {
    /// In bytes: what is theirs alone and what they share among themselves, which counts for each. Files that are loaded do
    /// not count.
    pub(crate) memory: u64,
    /// Processor time, and that of every process that one of them has waited for.
    pub(crate) cpu: Duration,
}

/// What every process below `first` uses. `first` itself is a copy of the supervisor, and does not count; what it has waited
/// for does.
pub(crate) fn below(first: i32) -> Used {
    let mut todo = children(first);
    let mut spent = read(first, "stat").map_or(0, |stat| ticks(&stat).1);
    let mut memory = 0_u64;
    let mut seen = 0;
    while let Some(process) = todo.pop() {
        seen += 1;
        if seen > PROCESSES_AT_MOST {
            break;
        }
        memory = memory.saturating_add(read(process, "status").map_or(0, |status| counted(&status)));
        let (own, waited) = read(process, "stat").map_or((0, 0), |stat| ticks(&stat));
        spent = spent.saturating_add(own).saturating_add(waited);
        todo.extend(children(process));
    }
    // The kernel tells everybody of hundredths of a second, on all systems that there are sandboxes on.
    Used { memory, cpu: Duration::from_millis(spent.saturating_mul(10)) }
}

/// The children of all threads of `process`; none when it is gone.
pub(crate) fn children(process: i32) -> Vec<i32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    let lists =
        threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|number| number.parse().ok()).collect::<Vec<_>>())
        .collect()
}

/// A file about `process`; nothing when it is gone.
fn read(process: i32, name: &str) -> Option<String> {
    fs::read_to_string(format!("/proc/{process}/{name}")).ok()
}

/// The processor time of a process, and of the children it has waited for (`proc_pid_stat(5)`, fields 14 to 17).
fn ticks(stat: &str) -> (u64, u64) {
    // The second field is a name in brackets, which may hold anything.
    let Some((_, fields)) = stat.rsplit_once(')') else { return (0, 0) };
    let numbers: Vec<u64> =
        fields.split_whitespace().skip(11).take(4).map(|number| number.parse().unwrap_or(0)).collect();
    match *numbers {
        [user, system, of_children, system_of_children] => {
            (user.saturating_add(system), of_children.saturating_add(system_of_children))
        }
        _ => (0, 0),
    }
}

/// `RssAnon` and `RssShmem` of a process, in bytes.
fn counted(status: &str) -> u64 {
    let kibibytes = |line: &str| {
        let value = line.strip_prefix("RssAnon:").or_else(|| line.strip_prefix("RssShmem:"))?;
        value.trim().strip_suffix(" kB")?.parse::<u64>().ok()
    };
    status.lines().filter_map(kibibytes).fold(0_u64, u64::saturating_add).saturating_mul(1024)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Used, below, can_be_seen, counted, ticks};

    #[test]
    fn what_is_shared_counts_and_files_do_not() {
        let status = "Name:\tx\nVmRSS:\t 900 kB\nRssAnon:\t     100 kB\nRssFile:\t     700 kB\nRssShmem:\t      20 kB\n";
        assert_eq!(counted(status), 120 * 1024);
        assert_eq!(counted("Name:\tzombie\n"), 0);
        assert_eq!(counted("RssAnon:\t99999999999999999999 kB\n"), 0, "no number");
    }

    #[test]
    fn a_process_is_seen_and_one_that_is_gone_has_nothing() {
        let me = i32::try_from(std::process::id()).unwrap();
        assert_eq!(below(i32::MAX), Used::default());
        if can_be_seen() {
            let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
            let below = below(me);
            child.kill().unwrap();
            child.wait().unwrap();
            assert!(below.memory > 0, "a child counts");
        }
    }

    #[test]
    fn processor_time_is_that_of_a_process_and_of_whom_it_waited_for_whatever_its_name_is() {
        let stat = |name: &str| {
            format!("7 ({name}) S 1 7 7 0 -1 4194560 9 0 0 0 100 20 3 4 20 0 1 0 33 44 55 1844 1 1")
        };
        for name in ["sh", "a b", ") S 1 1 1 1 1 1 1 1 1 1 1 1 1", "(("] {
            assert_eq!(ticks(&stat(name)), (120, 7), "{name}");
        }
        for cut in ["", "7 (sh", "7 (sh) S 1 2", "7 (sh) S 1 7 7 0 -1 4194560 9 0 0 0 100 20 3"] {
            assert_eq!(ticks(cut), (0, 0), "{cut}");
        }
        let mut busy = std::process::Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        let me = i32::try_from(std::process::id()).unwrap();
        // What other tests start only adds to it.
        let mut seen = Duration::ZERO;
        for _ in 0..1000 {
            seen = seen.max(below(me).cpu);
            if seen > Duration::ZERO {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        busy.kill().unwrap();
        busy.wait().unwrap();
        assert!(!can_be_seen() || seen > Duration::ZERO);
    }
}
