//! [`Lock`]: many read a store together, or one changes it alone. The system lets go of it when the program ends, however it
//! does.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use crate::interrupt::Interrupt;
use crate::lock::{self, Hold};

use super::{LOCK, StoreError};

/// What the store is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// To be read, with others.
    Read,
    /// To be changed, alone.
    Change,
}

/// The lock of a store, until it is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the lock of the store in `folder`, for as long as somebody waits for us.
    pub(super) fn take(folder: &Path, mode: Mode, interrupt: &Interrupt) -> Result<Self, StoreError> {
        let path = folder.join(LOCK);
        let failed = |error| StoreError::io("lock", &path, error);
        // Whoever only reads needs no right to write, unless somebody took the file away.
        let make = || OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let file = match mode {
            Mode::Change => make(),
            Mode::Read => match File::open(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => make(),
                opened => opened,
            },
        };
        let file = file.map_err(failed)?;
        let hold = match mode {
            Mode::Read => Hold::Shared,
            Mode::Change => Hold::Alone,
        };
        match lock::wait(&file, hold, || interrupt.check().is_ok()) {
            Ok(true) => Ok(Self { _file: file }),
            Ok(false) => Err(StoreError::Interrupted),
            Err(error) => Err(failed(error)),
        }
    }
}
