//! Where a backend comes to something else than the native one: refused in another way, or not refused at all. What is not
//! listed here comes to the same everywhere.

use kitbag_sandbox::Backend;

use crate::world::{EACCES, EOPNOTSUPP, EPERM, OPEN, Seen, is_root};

/// On which backend, the beginning of the attack's words, and what it comes to there.
type Gap = (Backend, &'static [&'static str], &'static [Seen]);

const LANDLOCK: Backend = Backend::Landlock;

const GAPS: &[Gap] = &[
    // bubblewrap has no `/proc` of processes only: what tells of the system is covered instead.
    (Backend::Bubblewrap, &["read", "/proc/sys/kernel/hostname"], EACCES),
    (Backend::Bubblewrap, &["read", "/proc/cmdline"], EACCES),
    (Backend::Bubblewrap, &["list", "/proc/1/root"], EACCES),
    (Backend::Bubblewrap, &["read", "/proc/1/environ"], EACCES),
    (Backend::Bubblewrap, &["read", "/proc/1/cmdline"], EACCES),
    // Root's programs are another user's there without an exchange of owners, and that is asked before the mount.
    (Backend::Bubblewrap, &["change", "cut", "/read"], &[Seen::Errno(13), Seen::Errno(30)]),
    // bubblewrap attaches nothing as data only: a listed loader loads what can be read. Reported as `loadable`.
    (Backend::Bubblewrap, &["start", "loader"], OPEN),
    (Backend::Bubblewrap, &["start", "loader-copy"], OPEN),
    // Without namespaces what is not listed is there, and refused. That it is there can be seen: `hidden files`.
    (LANDLOCK, &["read", "{secret}"], EACCES),
    (LANDLOCK, &["read", "/etc/shadow"], EACCES),
    (LANDLOCK, &["list", "/tmp"], EACCES),
    (LANDLOCK, &["list", "/run"], EACCES),
    (LANDLOCK, &["list", "/var"], EACCES),
    (LANDLOCK, &["list", "/sys"], EACCES),
    (LANDLOCK, &["list", "/root"], EACCES),
    (LANDLOCK, &["through-link"], EACCES),
    (LANDLOCK, &["exists"], OPEN),
    // Nor can the folders be listed that everything lies in.
    (LANDLOCK, &["list", "/"], EACCES),
    (LANDLOCK, &["list", "/dev"], EACCES),
    (LANDLOCK, &["list", "/etc"], EACCES),
    // No mount is read-only: the file rules say no.
    (LANDLOCK, &["create", "/usr/attacked"], EACCES),
    (LANDLOCK, &["create", "/etc/attacked"], EACCES),
    (LANDLOCK, &["create", "/attacked"], EACCES),
    (LANDLOCK, &["create", "/dev/attacked"], EACCES),
    // The user that root's programs run as may not link what is not its own, which is asked first.
    (LANDLOCK, &["hard-link"], &[Seen::Errno(1), Seen::Errno(18)]),
    // What no file rule speaks of, a filter refuses: a file that is there is not changed beside its content either.
    (LANDLOCK, &["change", "attribute"], EOPNOTSUPP),
    (LANDLOCK, &["change", "open-attribute"], EOPNOTSUPP),
    (LANDLOCK, &["change", "look"], EOPNOTSUPP),
    (LANDLOCK, &["change", "cut"], EACCES),
    (LANDLOCK, &["change", "cut-open"], EACCES),
    (LANDLOCK, &["change"], EPERM),
    // Who is outside is there, and is not reached.
    (LANDLOCK, &["reach", "told"], &[Seen::Open]),
    (LANDLOCK, &["reach"], EPERM),
    // Nothing of `/proc` can be read: `/proc of its own`. Which processes there are can be found out.
    (LANDLOCK, &["list", "/proc"], EACCES),
    (LANDLOCK, &["list", "/proc/self/fd"], EACCES),
    (LANDLOCK, &["list", "/proc/1/root"], EACCES),
    (LANDLOCK, &["read", "/proc/sys/kernel/hostname"], EACCES),
    (LANDLOCK, &["read", "/proc/cmdline"], EACCES),
    (LANDLOCK, &["read", "/proc/1/environ"], EACCES),
    (LANDLOCK, &["read", "/proc/1/cmdline"], EACCES),
    (LANDLOCK, &["terminal", "open"], EACCES),
    (LANDLOCK, &["terminal", "new"], EACCES),
    // Nothing is attached as data only, as with bubblewrap.
    (LANDLOCK, &["start", "loader"], OPEN),
    (LANDLOCK, &["start", "loader-copy"], OPEN),
];

/// The same for a program that runs as the caller: no rule speaks of modes, so they are not changed at all.
const GAPS_OF_A_USER: &[Gap] = &[(LANDLOCK, &["mode", "plain"], EPERM)];

/// What `words` come to on `backend`, where that is something else.
pub fn of(backend: Backend, words: &[&str]) -> Option<&'static [Seen]> {
    let of_user = if is_root() { &[] } else { GAPS_OF_A_USER };
    let mut gaps = GAPS
        .iter()
        .chain(of_user)
        .filter(|(on, beginning, _)| *on == backend && words.starts_with(beginning));
    gaps.next().map(|(_, _, seen)| *seen)
}
