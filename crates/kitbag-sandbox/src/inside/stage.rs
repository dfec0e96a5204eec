//! The inner stage: a process that somebody else put into its namespaces and its tree, and that does the rest as it is
//! told by a [`Letter`].

use std::convert::Infallible as Never;

use crate::step::Step;

use super::child::{self, At as _, Fault};
use super::letter::{LETTER_AT_MOST, Letter};
use super::system::{self, Errno, Fd};
use super::{FAILED, rights};

/// Does what the letter behind descriptor `letter` says, and becomes or watches the program.
pub(crate) fn enter(letter: i32) -> ! {
    let read = system::read_to_end(Fd(letter), LETTER_AT_MOST);
    let Some(letter) = read.ok().and_then(|bytes| Letter::read(&bytes)) else {
        // Nobody is known who could be told.
        system::exit(FAILED)
    };
    child::fail(letter.within.words, obey(&letter))
}

fn obey(letter: &Letter) -> Result<Never, Fault> {
    rights::die_with_parent().at(Step::Bond)?;
    // Until the supervisor holds this process, nothing of the program's may begin; and if it has ended, nothing must.
    if !system::read_byte(letter.within.ready).at(Step::Bond)?
        || system::hung_up(letter.within.ready).at(Step::Bond)?
    {
        return Err(Fault(Step::Bond, Errno(libc::EPIPE)));
    }
    for folder in &letter.handed {
        let opened = system::open(Fd::HERE, folder, libc::O_RDONLY | libc::O_DIRECTORY, 0).at(Step::Place)?;
        system::hand_out(letter.within.kept, opened, 0).at(Step::Place)?;
        system::close(opened);
    }
    system::change_folder(&letter.within.folder).at(Step::Folder)?;
    child::finish(&letter.within)
}
