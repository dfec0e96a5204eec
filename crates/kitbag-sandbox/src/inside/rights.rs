//! Giving up rights: after this no program, whatever it is, gains any.

use super::system::{self, Errno};

/// The options of `prctl` that the room uses. None takes an address.
pub(super) fn die_with_parent() -> Result<(), Errno> {
    system::control(libc::PR_SET_PDEATHSIG, [word(libc::SIGKILL), 0, 0, 0]).map(drop)
}

/// This process is sent `signal` when whoever started it ends.
pub(super) fn tell_when_parent_ends(signal: i32) -> Result<(), Errno> {
    system::control(libc::PR_SET_PDEATHSIG, [word(signal), 0, 0, 0]).map(drop)
}

/// Nobody inside may look into this process.
pub(super) fn hide_memory() -> Result<(), Errno> {
    system::control(libc::PR_SET_DUMPABLE, [0; 4]).map(drop)
}

/// Whoever started the sandbox may look into this process, until it becomes a program.
pub(super) fn show_memory() -> Result<(), Errno> {
    system::control(libc::PR_SET_DUMPABLE, [1, 0, 0, 0]).map(drop)
}

/// A change of user neither gives nor takes capabilities, user 0 is nobody special, and all of this is final.
pub(super) fn fix_user_rules() -> Result<(), Errno> {
    const NO_ROOT: usize = 0x1 | 0x2;
    const NO_SET_USER_FIXUP: usize = 0x4 | 0x8;
    const NO_KEEPING_LOCKED: usize = 0x20;
    const NO_AMBIENT_RAISE: usize = 0x40 | 0x80;
    let bits = NO_ROOT | NO_SET_USER_FIXUP | NO_KEEPING_LOCKED | NO_AMBIENT_RAISE;
    system::control(libc::PR_SET_SECUREBITS, [bits, 0, 0, 0]).map(drop)
}

/// No capability is left, none can be gained, and no program is started with more than its caller has.
pub(super) fn give_up() -> Result<(), Errno> {
    empty_bounding_set()?;
    drop_capabilities()?;
    gain_nothing()
}

/// No program that is started can have a capability, whatever its file says.
fn empty_bounding_set() -> Result<(), Errno> {
    let mut capability = 0;
    // The kernel says where its list ends.
    while let Ok(had) = system::control(libc::PR_CAPBSET_READ, [capability, 0, 0, 0]) {
        // Where somebody else has made the sandbox, none is left, nor the right to drop any.
        if had != 0 {
            system::control(libc::PR_CAPBSET_DROP, [capability, 0, 0, 0])?;
        }
        capability += 1;
    }
    Ok(())
}

/// The same, for whoever has the right to. Nobody else gains anything by it: [`gain_nothing`] holds all the same.
pub(super) fn empty_bounding_set_if_allowed() -> Result<(), Errno> {
    match empty_bounding_set() {
        Err(Errno(libc::EPERM)) => Ok(()),
        emptied => emptied,
    }
}

/// No capability is left.
pub(super) fn drop_capabilities() -> Result<(), Errno> {
    system::control(libc::PR_CAP_AMBIENT, [word(libc::PR_CAP_AMBIENT_CLEAR_ALL), 0, 0, 0])?;
    system::drop_capabilities()
}

/// No program is started with more than its caller has.
pub(super) fn gain_nothing() -> Result<(), Errno> {
    system::control(libc::PR_SET_NO_NEW_PRIVS, [1, 0, 0, 0]).map(drop)
}

const fn word(value: i32) -> usize {
    (value as isize).cast_unsigned()
}
