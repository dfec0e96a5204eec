//! Where a group for a run can be made: what the kernel says of this process's own groups, read strictly.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Component, Path, PathBuf};

use super::Counted;

/// The most bytes of a text of the kernel's that are read; one that is longer is not believed.
const TEXT_AT_MOST: u64 = 1 << 20;

/// The most groups between a process's own and the top of what is mounted.
const LEVELS_AT_MOST: usize = 64;

/// Which kind of control groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Version {
    /// Each controller, or some of them, with groups of its own.
    One,
    /// One tree of groups for all controllers.
    Two,
}

/// A tree of groups that this process is in, and where its own group is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hierarchy {
    pub(super) version: Version,
    /// The controllers of version 1; in version 2 each group says for itself what it hands down.
    pub(super) controllers: BTreeSet<String>,
    /// Where it is mounted.
    pub(super) top: PathBuf,
    /// This process's own group, at or below that.
    pub(super) own: PathBuf,
}

/// A place for a run's group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) version: Version,
    /// The group it is made in.
    pub(super) above: PathBuf,
    /// What it counts.
    pub(super) counts: BTreeSet<Counted>,
}

/// The places where `wanted` can be counted on this host; for what none is found, there is none.
pub(super) fn places(wanted: &BTreeSet<Counted>) -> Vec<Place> {
    let read = |path: &str| text(Path::new(path));
    match (read("/proc/self/cgroup"), read("/proc/self/mountinfo")) {
        (Some(own), Some(mounts)) => among(&hierarchies(&own, &mounts), wanted),
        _ => Vec::new(),
    }
}

/// The text of a file, when it is one and not too long.
pub(super) fn text(path: &Path) -> Option<String> {
    let mut text = String::new();
    File::open(path).ok()?.take(TEXT_AT_MOST + 1).read_to_string(&mut text).ok()?;
    (u64::try_from(text.len()).ok()? <= TEXT_AT_MOST).then_some(text)
}

/// The trees that `own` (`/proc/self/cgroup`) names and `mounts` (`/proc/self/mountinfo`) shows, to be written to.
pub(super) fn hierarchies(own: &str, mounts: &str) -> Vec<Hierarchy> {
    let mounts: Vec<Mount> = mounts.lines().filter_map(Mount::read).collect();
    own.lines().filter_map(|line| hierarchy(line, &mounts)).collect()
}

/// A line `number:controllers:path`, and the mount that shows its group.
fn hierarchy(line: &str, mounts: &[Mount]) -> Option<Hierarchy> {
    let (number, rest) = line.split_once(':')?;
    let (controllers, path) = rest.split_once(':')?;
    let number: u32 = number.parse().ok()?;
    let controllers: BTreeSet<String> =
        controllers.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let version = match (number, controllers.is_empty()) {
        (0, true) => Version::Two,
        // A tree with a name and no controller counts nothing.
        (_, false) if controllers.iter().all(|name| !name.contains('=')) => Version::One,
        _ => return None,
    };
    let path = Path::new(path);
    let shows = |mount: &&Mount| mount.version == version && controllers.is_subset(&mount.options);
    // Of several at one place the last is what is seen there.
    mounts.iter().rev().filter(shows).find_map(|mount| {
        let below = plain(path)?.strip_prefix(plain(&mount.root)?).ok()?;
        let seen = mounts.iter().rev().find(|other| other.at == mount.at)?;
        (seen == mount).then(|| Hierarchy {
            version,
            controllers: controllers.clone(),
            top: mount.at.clone(),
            own: mount.at.join(below),
        })
    })
}

/// `path`, when it is absolute and goes nowhere but down: a group outside of what this process may see begins with `..`.
fn plain(path: &Path) -> Option<&Path> {
    let down = |part: Component<'_>| matches!(part, Component::RootDir | Component::Normal(_));
    (path.has_root() && path.components().all(down)).then_some(path)
}

/// A mount of control groups.
#[derive(Debug, PartialEq, Eq)]
struct Mount {
    version: Version,
    /// Which group of the tree it shows.
    root: PathBuf,
    at: PathBuf,
    /// The options of the tree, its controllers among them.
    options: BTreeSet<String>,
}

impl Mount {
    /// A line of `/proc/self/mountinfo` (`proc_pid_mountinfo(5)`), when it is such a mount and can be written to.
    fn read(line: &str) -> Option<Self> {
        let (mount, tree) = line.split_once(" - ")?;
        let mut fields = mount.split(' ').skip(3);
        let (root, at, own) = (fields.next()?, fields.next()?, fields.next()?);
        let mut tree = tree.split(' ');
        let version = match tree.next()? {
            "cgroup" => Version::One,
            "cgroup2" => Version::Two,
            _ => return None,
        };
        let options: BTreeSet<String> = tree.nth(1)?.split(',').map(str::to_owned).collect();
        let is_written = own.split(',').all(|option| option != "ro") && !options.contains("ro");
        is_written.then_some(Self { version, root: unescaped(root)?, at: unescaped(at)?, options })
    }
}

/// A path as the kernel writes it, where blanks, tabs, ends of lines and backslashes are three octal digits behind a
/// backslash.
fn unescaped(text: &str) -> Option<PathBuf> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let (digits, behind) = rest.split_at_checked(3)?;
        let digits = str::from_utf8(digits)
            .ok()
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()))?;
        bytes.push(u8::from_str_radix(digits, 8).ok()?);
        rest = behind;
    }
    Some(PathBuf::from(OsString::from_vec(bytes)))
}

/// The places among `hierarchies` where `wanted` is counted, each thing once.
pub(super) fn among(hierarchies: &[Hierarchy], wanted: &BTreeSet<Counted>) -> Vec<Place> {
    let mut left = wanted.clone();
    let mut places = Vec::new();
    let one = hierarchies.iter().filter(|hierarchy| hierarchy.version == Version::One);
    let two = hierarchies.iter().find(|hierarchy| hierarchy.version == Version::Two);
    let place = two.and_then(|two| handed_down(two, &left));
    if let Some(place) = place {
        left.retain(|counted| !place.counts.contains(counted));
        places.push(place);
    }
    for hierarchy in one {
        let has = |counted: &Counted| hierarchy.controllers.contains(counted.controller());
        let counts: BTreeSet<Counted> = left.iter().copied().filter(has).collect();
        if !counts.is_empty() && limits_below(&hierarchy.own) {
            left.retain(|counted| !counts.contains(counted));
            places.push(Place { version: Version::One, above: hierarchy.own.clone(), counts });
        }
    }
    if let (Some(two), true) = (two, left.contains(&Counted::Cpu)) {
        // Processor time is counted in every group, whatever is handed down.
        places.push(Place {
            version: Version::Two,
            above: two.own.clone(),
            counts: BTreeSet::from([Counted::Cpu]),
        });
    }
    places.retain(|place| is_open(&place.above));
    places
}

/// Whether what is set in a group of version 1 holds for those below: there was a time when that was a choice.
fn limits_below(group: &Path) -> bool {
    let file = group.join("memory.use_hierarchy");
    text(&file).is_none_or(|text| text.trim() == "1")
}

/// The nearest group, from the process's own upward, that hands down something of what is wanted. A group with processes
/// of its own hands nothing down (`cgroup-v2`, "No Internal Process Constraint"), unless it is the host's first; so this is
/// mostly a group beside the process's own. The own one is never left when it sets a limit: a run must not have more
/// than its caller.
fn handed_down(two: &Hierarchy, wanted: &BTreeSet<Counted>) -> Option<Place> {
    let levels = two.own.ancestors().take_while(|group| group.starts_with(&two.top)).take(LEVELS_AT_MOST);
    for group in levels {
        let down = text(&group.join("cgroup.subtree_control"))?;
        let is_down =
            |counted: &Counted| down.split_whitespace().any(|controller| controller == counted.controller());
        let mut counts: BTreeSet<Counted> = wanted.iter().copied().filter(is_down).collect();
        counts.remove(&Counted::Cpu);
        if !counts.is_empty() {
            counts.extend(wanted.get(&Counted::Cpu));
            return Some(Place { version: Version::Two, above: group.to_owned(), counts });
        }
        if is_limited(group) {
            return None;
        }
    }
    None
}

/// Whether a group of version 2 sets a limit of its own. One that cannot be read may be any.
fn is_limited(group: &Path) -> bool {
    const LIMITS: [&str; 9] = [
        "cpu.max",
        "cpuset.cpus",
        "cpuset.mems",
        "io.max",
        "memory.high",
        "memory.max",
        "memory.swap.max",
        "memory.zswap.max",
        "pids.max",
    ];
    LIMITS.map(|name| group.join(name)).iter().any(|file| match fs::exists(file) {
        Ok(false) => false,
        Ok(true) => {
            text(file).is_none_or(|text| !matches!(text.split_whitespace().next(), None | Some("max")))
        }
        Err(_) => true,
    })
}

/// Whether the caller may make groups in `group` and move processes from it.
fn is_open(group: &Path) -> bool {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    let may = |path: &Path, access| accessat(CWD, path, access, AtFlags::EACCESS).is_ok();
    may(group, Access::WRITE_OK | Access::EXEC_OK) && may(&group.join("cgroup.procs"), Access::WRITE_OK)
}

#[cfg(test)]
#[path = "found_tests.rs"]
mod tests;
