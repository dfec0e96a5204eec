//! A terminal to run a program on: what it does only where a person watches cannot be seen through a pipe.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Command;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// Runs `command` on a terminal with this many columns, on which `typed` was typed before; gives its exit code and everything
/// it wrote.
pub fn run(mut command: Command, columns: u16, typed: &[u8]) -> io::Result<(Option<i32>, Vec<u8>)> {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&ours)?;
    unlockpt(&ours)?;
    let name = ptsname(&ours, Vec::new())?;
    let name = name.to_str().map_err(io::Error::other)?;
    let theirs: OwnedFd = OpenOptions::new().read(true).write(true).open(Path::new(name))?.into();
    tcsetwinsize(&theirs, Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 })?;
    let mut child = command.stdin(theirs.try_clone()?).stdout(theirs.try_clone()?).stderr(theirs).spawn()?;
    // The command holds the other end as well, and the terminal ends only when nobody holds it.
    drop(command);
    let mut shown = Vec::new();
    let mut ours = File::from(ours);
    ours.write_all(typed)?;
    let mut block = [0; 4096];
    loop {
        match ours.read(&mut block) {
            Ok(0) => break,
            Ok(count) => shown.extend_from_slice(&block[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // Linux says EIO when the last program on a terminal is gone.
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error()) => break,
            Err(error) => return Err(error),
        }
    }
    Ok((child.wait()?.code(), shown))
}
