//! [`Interrupt`]: how whoever waits says that they no longer do. A verb that writes looks at it between two files, takes away
//! what it has begun, and stops.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A wish to stop, shared with whoever may have it.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// One that nobody has asked for yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The flag that says it, to be set from a signal handler.
    #[must_use]
    pub fn flag(&self) -> &Arc<AtomicBool> {
        &self.0
    }

    /// Whether the work is still wanted.
    ///
    /// # Errors
    /// When it is not.
    pub(crate) fn check(&self) -> io::Result<()> {
        // Not `Interrupted`, which every reader and writer takes as a wish to try again.
        if self.0.load(Ordering::Relaxed) { Err(io::Error::other("interrupted")) } else { Ok(()) }
    }
}
