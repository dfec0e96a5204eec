//! Removing a folder with everything in it, without memory of its own and without believing anything that lies there.
//!
//! The way down is the current folder, the way up is `..`, and a name is used at once or not at all. No link is followed,
//! and nobody is left who could move anything meanwhile.

use std::ffi::CStr;

use super::system::{self, Errno, Fd, files};

/// The most steps, up, down and of removing: more than any limit of files lets a program make, and an end all the same.
const STEPS_AT_MOST: usize = 4_000_000;

/// Removes the folder `at`, as far as that can be done.
pub(super) fn remove(at: &CStr) {
    if enter(at).is_err() {
        return;
    }
    let mut depth = 0_usize;
    let mut room = files::Room::new();
    for _ in 0..STEPS_AT_MOST {
        match clear(&mut room) {
            Ok(Cleared::Empty) if depth == 0 => break,
            Ok(Cleared::Empty) => {
                depth -= 1;
                // What it was called is found again in the folder above, where it is empty now.
                if system::change_folder(c"..").is_err() {
                    return;
                }
            }
            Ok(Cleared::Below) => depth += 1,
            Err(_refused) => return,
        }
    }
    if system::change_folder(c"/").is_ok() {
        let _removed = files::remove_folder(at);
    }
}

enum Cleared {
    /// Nothing is in the current folder any more.
    Empty,
    /// The current folder is now one that lay in it, and holds something.
    Below,
}

/// Removes what is in the current folder, up to the first folder that holds something, which becomes the current one.
fn clear(room: &mut files::Room) -> Result<Cleared, Errno> {
    let here = open(c".")?;
    let done = loop {
        let mut any = false;
        if let Err(errno) = room.read(here) {
            break Err(errno);
        }
        let mut below = None;
        for name in room.names() {
            any = true;
            let gone = match files::remove(name) {
                Err(Errno(libc::EISDIR | libc::EPERM)) => files::remove_folder(name),
                done => done,
            };
            match gone {
                Ok(()) | Err(Errno(libc::ENOENT)) => {}
                Err(Errno(libc::ENOTEMPTY | libc::EEXIST)) => {
                    below = Some(enter(name));
                    break;
                }
                Err(errno) => {
                    below = Some(Err(errno));
                    break;
                }
            }
        }
        match below {
            Some(entered) => break entered.map(|()| Cleared::Below),
            None if !any => break Ok(Cleared::Empty),
            None => {}
        }
    };
    system::close(here);
    done
}

/// Makes the folder `name` the current one, and lets its owner do everything in it.
fn enter(name: &CStr) -> Result<(), Errno> {
    let folder = match open(name) {
        Err(Errno(libc::EACCES)) => {
            files::open_to_owner(name)?;
            open(name)?
        }
        opened => opened?,
    };
    let entered = files::open_this_to_owner(folder).and_then(|()| system::change_folder_to(folder));
    system::close(folder);
    entered
}

fn open(name: &CStr) -> Result<Fd, Errno> {
    system::open(Fd::HERE, name, libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NOFOLLOW, 0)
}
