//! The canary: a program that attempts what a sandbox must refuse, and says what became of each attempt.

use std::ffi::{CString, OsString};
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::net::{AddressFamily, SocketType};

use super::Attack;
use crate::inside::canary::{self, Attempt};
use crate::stage::CANARY;

/// The word for one that only stays.
const LINGER: &str = "linger";
/// How long it would stay.
const LONG: Duration = Duration::from_secs(60);

/// The arguments of a canary, behind the word that makes a program one.
pub(super) fn arguments(secret: &Path, closed: &Path, program: &Path, word: &str) -> Vec<OsString> {
    vec![CANARY.into(), secret.into(), closed.into(), program.into(), word.into()]
}

/// Does it, and gives the exit code.
pub(crate) fn sing(words: &[OsString]) -> i32 {
    match words {
        [linger, _word] if linger == LINGER => {
            // It has left its caller's session, or stays in it.
            let _session = rustix::process::setsid();
            thread::sleep(LONG);
            0
        }
        [secret, closed, program, word] => {
            let attempts = attempts(secret.as_ref(), closed.as_ref(), program.as_ref(), word);
            i32::from(attempts.is_err())
        }
        _ => 2,
    }
}

fn attempts(secret: &Path, closed: &Path, program: &Path, word: &OsString) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let program = CString::new(program.as_os_str().as_bytes())?;
    for attack in Attack::ALL {
        let done = match attack {
            Attack::Read => fs::read(secret).map(drop),
            Attack::Write => write(closed),
            Attack::Socket => rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None)
                .map(drop)
                .map_err(Into::into),
            Attack::Namespace => call(Attempt::Namespace, &program),
            Attack::Program => call(Attempt::Program, &program),
            Attack::ProgramAt => call(Attempt::ProgramAt, &program),
            Attack::Untraced => call(Attempt::Untraced, &program),
            Attack::Descriptor => there(canary::has_open_descriptor()),
            Attack::Variable => there(std::env::vars_os().next().is_some()),
            Attack::Daemon => linger(word),
        };
        match done {
            Ok(()) => writeln!(out, "{} open", attack.name())?,
            Err(error) => writeln!(out, "{} refused {error}", attack.name())?,
        }
    }
    out.flush()
}

fn write(closed: &Path) -> io::Result<()> {
    let made = closed.join("canary");
    OpenOptions::new().write(true).create(true).truncate(true).open(&made)?;
    fs::remove_file(made)
}

fn call(attempt: Attempt, program: &CString) -> io::Result<()> {
    canary::attempt(attempt, program).map_err(io::Error::from_raw_os_error)
}

fn there(is_there: bool) -> io::Result<()> {
    if is_there { Ok(()) } else { Err(io::Error::new(io::ErrorKind::NotFound, "there is none")) }
}

/// Starts a process that outlives this one. That it starts is no attack; whether it is left behind is seen from outside.
fn linger(word: &OsString) -> io::Result<()> {
    Command::new(std::env::current_exe()?)
        .args([CANARY, LINGER])
        .arg(word)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map(drop)
}
