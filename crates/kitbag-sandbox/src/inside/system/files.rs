//! Writing to files and removing them, by names.

use std::ffi::CStr;

use super::{Errno, Fd, call, signed};

/// Writes `bytes` at once to the file `name`, which is there.
pub(in super::super) fn write_to(name: &CStr, bytes: &[u8]) -> Result<(), Errno> {
    let file = super::open(Fd::HERE, name, libc::O_WRONLY, 0)?;
    let written = super::write(file, bytes);
    super::close(file);
    written.map(drop)
}

/// Removes what is no folder.
pub(in super::super) fn remove(name: &CStr) -> Result<(), Errno> {
    unlink(name, 0)
}

/// Removes an empty folder.
pub(in super::super) fn remove_folder(name: &CStr) -> Result<(), Errno> {
    unlink(name, libc::AT_REMOVEDIR)
}

fn unlink(name: &CStr, flags: i32) -> Result<(), Errno> {
    // SAFETY: the path ends with NUL.
    unsafe { call(libc::SYS_unlinkat, [Fd::HERE.word(), name.as_ptr() as usize, signed(flags)]) }.map(drop)
}

/// Lets the owner of the folder `name` do everything in it.
pub(in super::super) fn open_to_owner(name: &CStr) -> Result<(), Errno> {
    // SAFETY: the path ends with NUL.
    unsafe { call(libc::SYS_fchmodat, [Fd::HERE.word(), name.as_ptr() as usize, 0o700]) }.map(drop)
}

/// The same of the folder `folder`.
pub(in super::super) fn open_this_to_owner(folder: Fd) -> Result<(), Errno> {
    plain!(libc::SYS_fchmod, folder.word(), 0o700).map(drop)
}

/// Room for names of a folder.
pub(in super::super) struct Room {
    bytes: [u8; 4096],
    filled: usize,
}

impl Room {
    pub(in super::super) const fn new() -> Self {
        Self { bytes: [0; 4096], filled: 0 }
    }

    /// Reads the first names of `folder` anew.
    pub(in super::super) fn read(&mut self, folder: Fd) -> Result<(), Errno> {
        self.filled = 0;
        loop {
            // Nothing but `.` and `..` may be in what is read first, and more behind it.
            let words = [folder.word(), self.bytes.as_mut_ptr() as usize, self.bytes.len()];
            // SAFETY: no more is written than the room holds.
            self.filled = unsafe { call(libc::SYS_getdents64, words) }?;
            if self.filled == 0 || self.names().next().is_some() {
                break;
            }
        }
        plain!(libc::SYS_lseek, folder.word(), 0, signed(libc::SEEK_SET)).map(drop)
    }

    /// The names that were read, without `.` and `..`.
    pub(in super::super) fn names(&self) -> impl Iterator<Item = &CStr> {
        let mut rest = self.bytes.get(..self.filled).unwrap_or_default();
        std::iter::from_fn(move || {
            loop {
                // A number, an offset, a length and a kind; the name is behind them.
                let length = usize::from(u16::from_ne_bytes(rest.get(16..18)?.try_into().ok()?));
                let (entry, behind) = rest.split_at_checked(length.max(1))?;
                rest = behind;
                let name = CStr::from_bytes_until_nul(entry.get(19..)?).ok()?;
                if name != c"." && name != c".." {
                    return Some(name);
                }
            }
        })
    }
}
