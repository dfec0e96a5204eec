//! Beginning in control groups: the kernel makes a process in one of version 2, and it writes itself into those of version 1.

use super::orders::Entry;
use super::system::{self, Errno};
use super::{FAILED, rights};

/// Enters the groups of version 1.
pub(super) fn join(entry: &Entry) -> Result<(), Errno> {
    for tasks in &entry.written {
        // Nought is whoever writes it.
        system::write(*tasks, b"0")?;
    }
    Ok(())
}

/// As [`join`], and the group is all that this process sees of the groups above. It must have rights in its user namespace.
pub(super) fn join_alone(entry: &Entry) -> Result<(), Errno> {
    join(entry)?;
    if entry.into.is_some() || !entry.written.is_empty() {
        system::family::new_group_namespace()
    } else {
        Ok(())
    }
}

/// Runs in a child that only begins in its groups.
pub(super) extern "C" fn begin_and_end(entry: &Entry) -> ! {
    let joined = rights::die_with_parent().and_then(|()| join(entry));
    system::exit(if joined.is_ok() { 0 } else { FAILED })
}
