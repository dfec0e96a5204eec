//! Where a backend comes to something else than the native one: refused in another way, or not refused at all. What is not
//! listed here comes to the same everywhere.

use kitbag_sandbox::Backend;

use crate::world::{EACCES, OPEN, Seen};

/// On which backend, the beginning of the attack's words, and what it comes to there.
type Gap = (Backend, &'static [&'static str], &'static [Seen]);

const GAPS: &[Gap] = &[
    // bubblewrap has no `/proc` of processes only: what tells of the system is covered instead.
    (Backend::Bubblewrap, &["read", "/proc/sys/kernel/hostname"], EACCES),
    (Backend::Bubblewrap, &["read", "/proc/cmdline"], EACCES),
    (Backend::Bubblewrap, &["list", "/proc/1/root"], EACCES),
    (Backend::Bubblewrap, &["read", "/proc/1/environ"], EACCES),
    (Backend::Bubblewrap, &["read", "/proc/1/cmdline"], EACCES),
    // bubblewrap attaches nothing as data only: a listed loader loads what can be read. Reported as `loadable`.
    (Backend::Bubblewrap, &["start", "loader"], OPEN),
    (Backend::Bubblewrap, &["start", "loader-copy"], OPEN),
];

/// What `words` come to on `backend`, where that is something else.
pub fn of(backend: Backend, words: &[&str]) -> Option<&'static [Seen]> {
    let mut gaps = GAPS.iter().filter(|(on, beginning, _)| *on == backend && words.starts_with(beginning));
    gaps.next().map(|(_, _, seen)| *seen)
}
